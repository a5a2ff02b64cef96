//! Whole programs that people write, with random parts.

pub const PROGRAMS: &[&str] = &[
    // Dynamic programming: soft edit distance over a table that starts with ints.
    "{ let @c = (@i, @j) => abs(@i - @j) * 0.3 + $R{@i:J @j:J}^2 * 0.1
  let @start = fold((@t, @i) => {{@t with [@i, 0]: @i} with [0, @i]: @i}, tabulate(3, @i => tabulate(3, @j => 0)), iota(3))
  let @full = fold((@t, @ij) => { let (@i, @j) = @ij; {@t with [@i, @j]: minimum(minimum(@t[@i - 1, @j] + 1.1, @t[@i, @j - 1] + 1.2), @t[@i - 1, @j - 1] + @c(@i, @j))} }, @start, [(@i, @j) for @i in 1..3, @j in 1..3 if true])
  @full[2, 2] }",
    // Coin change with weights: ways to reach a sum.
    "{ let @w = $V
  let @t = fold((@t, @n) => {@t with [@n]: sum([@w[@k] * @t[@n - @k - 1] for @k in 0..3 if @k < @n])}, [1, 0, 0, 0, 0], [1, 2, 3, 4])
  @t[4] * 0.2 }",
    // Memo table of options, filled by recursion that threads it.
    "{ fn @fib(@n, @memo) = match @memo[@n] {
    Some(@v) => (@v, @memo),
    None => {
      let (@a, @m) = @fib(@n - 1, @memo)
      let (@b, @k) = @fib(@n - 2, @m)
      let @v = @a * 0.5 + @b * $R{@a:R}
      (@v, {@k with [@n]: Some(@v)})
    },
  }
  @fib(4, {{[None, None, None, None, None] with [0]: Some($R)} with [1]: Some(1)}).0 }",
    // A stack machine.
    "{ let @code = [Push(2), Load, Mul2, Push($R), Add2, Sin1]
  fn @step(@stack, @op) = match (@op, @stack) {
    (Push(@v), _) => Cons(@v, @stack),
    (Load, _) => Cons($R, @stack),
    (Add2, Cons(@a, Cons(@b, @rest))) => Cons(@a + @b, @rest),
    (Mul2, Cons(@a, Cons(@b, @rest))) => Cons(@a * @b, @rest),
    (Sin1, Cons(@a, @rest)) => Cons(sin(@a), @rest),
    _ => @stack,
  }
  match fold(@step, Nil, @code) { Cons(@top, _) => @top, Nil => 0 } }",
    // Registers of a machine in an array of ints.
    "{ let @run = fold((@r, @k) => if @k % 2 == 0 { {@r with [@k % 3]: @r[(@k + 1) % 3] + $R{@k:J}} } else { {@r with [@k % 3]: @r[@k % 3] * 0.5} }, [1, 2, 3], iota(5))
  sum(@run) }",
    // Shortest paths (Bellman and Ford) from a table of infinities; the weights are positive.
    "{ let @w = exp(sin($V))
  let @edges = [(0, 1, @w[0]), (1, 2, @w[1]), (0, 2, @w[2] + 0.37), (2, 3, 1)]
  let @relax = @d => fold((@d, @e) => { let (@a, @b, @c) = @e; {@d with [@b]: minimum(@d[@b], @d[@a] + @c)} }, @d, @edges)
  iterate(3, @relax, [0, 100, 100, 100])[3] }",
    // PageRank.
    "{ let @l = sigmoid($V)
  let @a = [[0, @l[0], 1], [1, 0, @l[1]], [@l[2], 1, 0]]
  let @n = [@row / sum(@row) for @row in @a]
  iterate(4, @p => 0.85 * (@p @ @n) + 0.05, [1, 0, 0])[1] }",
    // Reachability with soft closures.
    "{ let @m = sigmoid($M)
  iterate(2, @r => 1 - (1 - @r) * (1 - 0.3 * (@r @ @m)), eye(3))[0, 2] }",
    // Kalman filter in one dimension.
    "fold((@s, @z) => {
    let @p = @s.p + 0.1
    let @k = @p / (@p + 0.5 + $R^2)
    {x: @s.x + @k * (@z - @s.x), p: (1 - @k) * @p, n: @s.n + 1}
  }, {x: 0, p: 1, n: 0}, $V).x",
    // Hidden Markov model, forward algorithm in logarithms.
    "{ let @t = log(softmax($V))
  let @e = $V
  logsumexp(fold((@a, @k) => [logsumexp(@a + @t[@j]) + @e[@k] * @j for @j in 0..2], [0, -1], iota(3))) }",
    // Newton's method, unrolled, from an int.
    "{ let @a = 2.0 + sin($R); iterate(4, @x => (@x + @a / @x) / 2, 1) }",
    // Bisection: the bracket starts as ints; polished by a step of Newton, whose derivative counts.
    "{ let @a = 2.0 + sin($R)
  let (@lo, @hi) = iterate(6, @b => { let @m = (@b.0 + @b.1) / 2; if @m * @m < stop_gradient(@a) { (@m, @b.1) } else { (@b.0, @m) } }, (0, 2))
  let @x = (@lo + @hi) / 2
  @x - (@x * @x - @a) / (2 * @x) }",
    // Conjugate gradients.
    "{ let (@a, @b) = ($S, $V + 0.7)
  let @start = {x: [0, 0, 0], r: @b, p: @b}
  let @end = iterate(2, @s => {
    let @ap = @a @ @s.p
    let @t = dot(@s.r, @s.r) / dot(@s.p, @ap)
    let @r = @s.r - @t * @ap
    {x: @s.x + @t * @s.p, r: @r, p: @r + dot(@r, @r) / dot(@s.r, @s.r) * @s.p}
  }, @start)
  sum(@end.x) }",
    // Gauss and Seidel on an array of ints.
    "{ let (@a, @b) = ($S, $V)
  sum(iterate(2, @x => fold((@x, @i) => {@x with [@i]: (@b[@i] - dot(@a[@i], @x) + @a[@i, @i] * @x[@i]) / @a[@i, @i]}, @x, iota(3)), [0, 0, 0])) }",
    // An ODE by Runge and Kutta, time as an int.
    "{ let @f = (@t, @y) => $R{@y:R} * 0.3 - 0.1 * @t
  iterate(3, @s => {
    let @h = 0.2
    let @ka = @f(@s.0, @s.1)
    let @kb = @f(@s.0 + @h / 2, @s.1 + @h / 2 * @ka)
    (@s.0 + @h, @s.1 + @h * @kb)
  }, (0, $R)).1 }",
    // A pendulum, symplectic, states as records.
    "iterate(4, @s => { let @v = @s.v - 0.1 * sin(@s.q) * $R; {q: @s.q + 0.1 * @v, v: @v} }, {q: $R, v: 0}).q",
    // Insertion sort of a list, then a weighted sum.
    "{ fn @insert(@x, @l) = match @l { Nil => Cons(@x, Nil), Cons(@y, @rest) => if @x < @y { Cons(@x, @l) } else { Cons(@y, @insert(@x, @rest)) } }
  let @sorted = fold((@l, @x) => @insert(@x, @l), Nil, $V)
  fold((@s, @x) => (@s.0 + @x * @s.1, @s.1 + 1), (0, 1), @sorted).0 }",
    // A median and a trimmed mean.
    "{ let @s = sort(concat($V, [0, 1])); @s[2] + 0.5 * mean(@s[1..4]) }",
    // A sparse matrix in rows: values, columns, starts.
    "{ let (@v, @c, @p) = (concat($V, [1, 2]), [0, 2, 1, 0, 2], [0, 2, 3, 5])
  let @x = $V
  sum([sum([@v[@k] * @x[@c[@k]] for @k in @p[@i]..@p[@i + 1]]) * (@i + 1) for @i in 0..3]) }",
    // Sparse, by coordinates, into a table of ints.
    "{ let @e = [(0, 1, $R), (2, 0, 2), (1, 1, $R)]
  let @x = $V
  sum(fold((@y, @t) => { let (@i, @j, @w) = @t; scatter_add(@y, [@i], [@w * @x[@j]]) }, [0, 0, 0], @e)^2) * 0.2 }",
    // Entries under texts.
    "{ let @d = Cons((\"a\", $R), Cons((\"b\", 2), Cons((\"c\", $R), Nil)))
  lookup(\"a\", @d, 0) * lookup(\"b\", @d, 0) + lookup(\"z\", @d, 1) * lookup(\"c\", @d, 0) }",
    // Counting words: weights by text, updated in a list.
    "{ fn @put(@k, @v, @d) = match @d { Nil => Cons((@k, @v), Nil), Cons((@j, @w), @rest) => if @j == @k { Cons((@j, @w + @v), @rest) } else { Cons((@j, @w), @put(@k, @v, @rest)) } }
  let @d = fold((@d, @e) => @put(@e.0, @e.1, @d), Nil, [(\"x\", 1), (\"y\", $R), (\"x\", $R)])
  lookup(\"x\", @d, 0) * lookup(\"y\", @d, 0) }",
    // A tree of expressions, evaluated and differentiated by hand.
    "{ fn @go(@n, @x) = if @n == 0 { (@x, 1) } else { let (@a, @da) = @go(@n - 1, @x); (sin(@a) * $R{@a:R}, cos(@a) * @da) }; let (@p, @q) = @go(2, $R); @p + @q }",
    // Gradient descent, with momentum that starts at 0.
    "{ let @g = grad(@w => (@w - $R)^2 * 0.5 + 0.1 * sin(@w)); iterate(3, @s => { let @m = 0.5 * @s.1 + @g(@s.0); (@s.0 - 0.1 * @m, @m) }, ($R, 0)).0 }",
    // A neural network of one layer.
    "{ let (@m, @b) = ($M, $V); sum(softmax(tanh(@m @ $V + @b)) * [1, 2, 3]) }",
    // Attention.
    "{ let (@q, @k) = ($M, $M); sum([softmax(@q[@i] @ transpose(@k)) @ $V for @i in 0..3]) }",
    // Running statistics (Welford), from zeros.
    "{ let @s = fold((@s, @x) => { let @n = @s.n + 1; let @d = @x - @s.mean; let @m = @s.mean + @d / @n; {n: @n, mean: @m, sq: @s.sq + @d * (@x - @m)} }, {n: 0, mean: 0, sq: 0}, $V); @s.mean + sqrt(@s.sq / @s.n + 0.1) }",
    // A queue: breadth first over a tree of numbers.
    "{ fn @go(@queue, @total, @n) = match @queue { Nil => @total, Cons(@x, @rest) => if @n > 4 { @total } else { @go(append(@rest, Cons(@x * 0.5, Cons(@x * $R, Nil))), @total + @x, @n + 1) } }; @go(Cons($R, Nil), 0, 0) }",
    // Prefix sums and differences.
    "{ let @c = concat([0], cumsum($V)); sum([(@c[@j] - @c[@i])^2 for @i in 0..3, @j in 1..4 if @i < @j]) * 0.1 }",
    // Interpolation in a table.
    "{ let (@xs, @ys) = ([0, 1, 2], $V); let @x = 1.0 + 0.9 * sin($R); let @i = int(@x); @ys[@i] + (@x - @i) * (@ys[minimum(@i + 1, 2)] - @ys[@i]) }",
];
