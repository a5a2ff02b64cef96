//! The grammar of hostile programs: what an expression of each kind may be.

use super::Kind;

pub(super) struct Template {
    pub(super) text: &'static str,
    /// Fails nearly always, and so that nothing else happens: used less.
    pub(super) is_rare: bool,
    pub(super) differentiates: bool,
}

const fn often(text: &'static str) -> Template {
    Template { text, is_rare: false, differentiates: false }
}

const fn rare(text: &'static str) -> Template {
    Template { text, is_rare: true, differentiates: false }
}

const fn derivative(text: &'static str) -> Template {
    Template { text, is_rare: false, differentiates: true }
}

pub(super) fn of(kind: Kind) -> &'static [Template] {
    match kind {
        Kind::Real => REALS,
        Kind::Int => INTS,
        Kind::Bool => BOOLS,
        Kind::Vector => VECTORS,
        Kind::Matrix => MATRICES,
        Kind::Cube => CUBES,
        Kind::Ints => ARRAYS_OF_INTS,
        Kind::Structs => ARRAYS_OF_STRUCTS,
        Kind::Vectors => ARRAYS_OF_VECTORS,
        Kind::Struct => STRUCTS,
        Kind::VectorStruct => VECTOR_STRUCTS,
        Kind::Size => SIZES,
        Kind::Number => unreachable!("hostile: a number is written out"),
    }
}

/// Short expressions without parts.
pub(super) fn constants(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Real | Kind::Number => &["0.5"],
        Kind::Int => &["0", "1", "2"],
        Kind::Bool => &["true", "false"],
        Kind::Vector => &["[0.5, -1.25, 2.0]", "[1.5]", "[0.25, 0.75]", "zeros(2)"],
        Kind::Matrix => &["[[1.5, 0.5], [-0.25, 2.0]]", "[[0.5, 1.0, 2.0], [1.5, 0.25, -1.0]]", "eye(3)"],
        Kind::Cube => {
            &["[[[1.5, 0.5], [-0.25, 2.0]], [[0.5, 1.0], [2.0, 0.75]]]", "reshape(linspace(0.0, 1.0, 6), [1, 2, 3])"]
        }
        Kind::Ints => &["[2, 0, 1]", "[0]", "[1, 1]", "iota(3)"],
        Kind::Structs => &["[{x: 0.5, n: 1}, {x: 1.5, n: 0}]", "[{x: 2.0, n: 3}]"],
        Kind::Vectors => &["[{a: [0.5, 1.0], x: 2.0}, {a: [1.5], x: 0.5}]"],
        Kind::Struct => &["{x: 0.5, n: 1}"],
        Kind::VectorStruct => &["{a: [0.5, 1.5], x: 0.5}"],
        Kind::Size => &["0", "1", "2", "3", "4"],
    }
}

/// The same, but odd: empty, too large, of another kind.
pub(super) fn odd(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Real | Kind::Number => &["nan"],
        Kind::Int => &["-1", "7", "9223372036854775807", "(-9223372036854775807)", "4611686018427387904", "1.5", "nan"],
        Kind::Bool => &["true"],
        Kind::Vector => &["[]", "zeros(0)", "[nan, 1.0]", "[inf, -inf, 0.0]", "zeros(33)", "[1, 2]", "0.5"],
        Kind::Matrix => {
            &["[[], []]", "reshape([], [0, 3])", "reshape([], [3, 0])", "[[1.0], [2.0, 3.0]]", "[[1, 2], [3, 4]]"]
        }
        Kind::Cube => &["reshape([], [2, 0, 2])", "reshape([], [0, 4294967296, 4294967296])", "[[[1.0]]]"],
        Kind::Ints => &["iota(0)", "[]", "[-1]", "[5]", "[0.5]", "[4611686018427387904]"],
        Kind::Structs => &["[]", "[{x: nan, n: -1}]"],
        Kind::Vectors => &["[]", "[{a: [], x: 1.0}]"],
        Kind::Struct => &["{x: inf, n: -1}"],
        Kind::VectorStruct => &["{a: zeros(0), x: nan}"],
        Kind::Size => &["-1", "1000000000000", "4611686018427387904", "9223372036854775807", "2.5", "300"],
    }
}

const REALS: &[Template] = &[
    often("($R + $R)"),
    often("($R * $R)"),
    often("($R - $R)"),
    often("($R / $R)"),
    often("sin($R)"),
    often("tanh($R)"),
    often("sqrt(abs($R))"),
    often("maximum($R, $R)"),
    often("exp(-abs($R))"),
    often("real($I)"),
    often("(if $B { $R } else { $R })"),
    rare("$V[$I]"),
    often("{ let @a = $V; @a[mod($I, len(@a))] }"),
    often("{ let @a = $V; @a[len(@a) - 1] * @a[0] }"),
    rare("$M[$I, $I]"),
    often("{ let @m = $M; @m[mod($I, len(@m)), mod($I, shape(@m)[1])] }"),
    often("{ let @m = $M; @m[len(@m) - 1][0] + sum(@m[0]) }"),
    rare("$C[$I, $I, $I]"),
    often("{ let @c = $C; @c[mod($I, len(@c)), mod($I, shape(@c)[1]), mod($I, shape(@c)[2])] }"),
    often("sum($V)"),
    often("sum($M)"),
    often("sum($C)"),
    often("mean($V)"),
    often("dot($V, $V)"),
    often("max($V)"),
    often("min($M)"),
    often("norm($V)"),
    often("prod($V)"),
    often("logsumexp($V)"),
    often("sum($R{@v:R} for @v in $V)"),
    often("sum($R{@v:R} for @v in $V if @v > $L)"),
    often("sum($R{@v:R @w:R} for @v in $V, @w in $V)"),
    often("sum($R{@i:I} for @i in $I..$Z)"),
    often("sum(sum($V{@r:V}) for @r in $M)"),
    often("sum([$R{@v:R @i:I} for @v in $V, @i in 0..$Z])"),
    often("fold((@s, @v) => $R{@s:R @v:R}, $R, $V)"),
    often("fold((@s, @i) => @s + $R{@i:I}, 0.0, $N)"),
    often("fold((@s, @r) => @s + $R{@r:V}, 0.5, $M)"),
    often("sum(fold((@s, @r) => @s * 0.5 + $V{@r:V}, $V, $M))"),
    often("{ let @a = scan((@s, @v) => $R{@s:R @v:R}, $R, $V); sum(@a) }"),
    often(
        "{ fn @go(@i, @a) = if @i >= len(@a) { sum(@a) } else { @go(@i + 1, {@a with [@i]: $R{@a:V @i:I}}) }; @go(0, $V) }",
    ),
    often(
        "{ fn @go(@i, @m) = if @i >= len(@m) { sum(@m) } else { @go(@i + 1, {@m with [@i]: @m[@i] * $R{@m:M}}) }; @go(0, $M) }",
    ),
    often(
        "{ fn @go(@i, @m) = if @i >= len(@m) { sum(@m) } else { @go(@i + 1, {@m with [@i, 0]: @m[@i, 0] + $R{@m:M}}) }; @go(0, $M) }",
    ),
    often("{ fn @go(@i, @a) = if @i >= $Z { sum(@a) } else { @go(@i + 1, concat(@a, [$R{@a:V @i:I}])) }; @go(0, $V) }"),
    often("{ fn @go(@i, @s) = if @i >= $Z { @s } else { @go(@i + 1, @s + sum($V{@i:I @s:R})) }; @go(0, $R) }"),
    often("{ fn @go(@a) = if len(@a) == 0 { 0.0 } else { @a[0] + 0.5 * @go(@a[1..]) }; @go($V) }"),
    often("sum(while_loop(@a => sum(@a) < $L && len(@a) < 6, @a => concat(@a, [$R{@a:V}]), $V))"),
    often("sum(iterate($Z, @a => $V{@a:V}, $V))"),
    often("sum(iterate($Z, @m => $M{@m:M}, $M))"),
    often("sum(@p.x * @p.n for @p in $S)"),
    often("sum($R{@p:P} for @p in $S)"),
    often("sum(sum(@q.a) * @q.x for @q in $W)"),
    often("sum($R{@q:Q} for @q in $W)"),
    often("{ let @s = $S; @s[mod($I, len(@s))].x }"),
    often("{ let @p = $P; $R{@p:P} }"),
    often("fold((@s, @p) => @s * @p.0 + @p.1, 0.5, zip($V, $V))"),
    often("match ($V) { [] => $R, [@a] => $R{@a:R}, [@a, @b] => $R{@a:R @b:R}, @w => $R{@w:V} }"),
    often("{ let @a = $V; $R{@a:V} }"),
    often("{ let @a = $V; $R{@a:V} + sum(@a) }"),
    often("{ let @m = $M; $R{@m:M} }"),
    often("{ let @n = $N; $R{@n:N} }"),
    often("{ let @c = $C; $R{@c:C} }"),
    often("{ let @s = $S; $R{@s:S} }"),
    often("{ let @f = @a => $R{@a:V}; @f($V) + @f($V) }"),
    often("{ let @f = (@i, @m) => $R{@i:I @m:M}; @f($I, $M) }"),
    often("det($M)"),
    often("trace($M)"),
    often("($V @ $V)"),
    often("sum($M @ $V)"),
    often("sum($M @ $M)"),
    derivative("sum(grad(@a => $R{@a:V})($V))"),
    derivative("sum(grad(@m => $R{@m:M})($M))"),
    derivative("sum(grad(@c => $R{@c:C})($C))"),
    derivative("grad(@x => $R{@x:R})($R)"),
    derivative("jvp(@x => $R{@x:R}, $R, 1.0).1"),
    derivative("jvp(@a => $R{@a:V}, $V, $V).1"),
    derivative("{ let @a = $V; jvp(@b => $R{@b:V}, @a, @a).1 }"),
    derivative("{ let @m = $M; sum(jvp(@n => $M{@n:M}, @m, @m * 0.5).1) }"),
    derivative("{ let (@y, @pull) = vjp(@b => $V{@b:V}, $V); sum(@pull(@y)) }"),
    derivative("{ let (@y, @pull) = vjp(@b => $M{@b:V}, $V); sum(@pull(@y)) }"),
    derivative("{ let (@y, @pull) = vjp(@b => $V{@b:M}, $M); sum(@pull(@y * 0.5)) + sum(@pull(@y)) }"),
    derivative("sum(vjp(@b => $V{@b:V}, $V).1($V))"),
];

const INTS: &[Template] = &[
    often("len($V)"),
    often("(len($V) - 1)"),
    often("shape($M)[1]"),
    often("len($M)"),
    often("argmax($V)"),
    often("argmin($V)"),
    often("($I + $I)"),
    often("($I - 1)"),
    often("($I * $I)"),
    often("mod($I, 3)"),
    often("div($I, 2)"),
    rare("mod($I, $I)"),
    often("int($R)"),
    often("len(where($V > $L))"),
    rare("$N[$I]"),
    often("{ let @n = $N; @n[mod($I, len(@n))] }"),
    often("sum($N)"),
    often("max($N)"),
    often("(if $B { $I } else { $I })"),
    often("fold((@s, @i) => $I{@s:I @i:I}, 0, $N)"),
];

const BOOLS: &[Template] = &[
    often("($R < $R)"),
    often("(len($V) > $Z)"),
    often("is_nan($R)"),
    often("($I == $I)"),
    often("any($V > $L)"),
    often("all($V < $V)"),
    often("($V == $V)"),
    often("($N == $N)"),
    often("(!$B)"),
    often("($B && $B)"),
];

const VECTORS: &[Template] = &[
    rare("[]"),
    often("[$R]"),
    often("[$R, $R]"),
    often("[$R, $R, $R]"),
    often("tabulate($Z, @i => $R{@i:I})"),
    often("[$R{@i:I} for @i in 0..$Z]"),
    often("[$R{@v:R} for @v in $V]"),
    often("[$R{@v:R} for @v in $V if @v > $L]"),
    often("[@v * @w for @v in $V, @w in $V if @v < @w]"),
    often("map(@v => $R{@v:R}, $V)"),
    often("map(@r => sum($V{@r:V}), $M)"),
    often("map(@i => $R{@i:I}, $N)"),
    often("($V * $R)"),
    often("($R + $V)"),
    often("($V + $V)"),
    often("($V * $V)"),
    often("($V / $V)"),
    often("maximum($V, $V)"),
    often("sin($V)"),
    often("exp(-abs($V))"),
    often("($V^2)"),
    often("$V[$I..$I]"),
    often("$V[1..]"),
    often("$V[..$Z]"),
    often("{ let @a = $V; @a[0..div(len(@a), 2)] }"),
    often("reversed($V)"),
    often("concat($V, $V)"),
    often("gather($V, $N)"),
    often("{ let @a = $V; gather(@a, map(@i => mod(@i, len(@a)), $N)) }"),
    often("sort($V)"),
    often("sort_by(@v => $R{@v:R}, $V)"),
    often("cumsum($V)"),
    often("softmax($V)"),
    often("linspace($R, $R, $Z)"),
    often("zeros($Z)"),
    often("ones(len($V))"),
    rare("scatter_add($V, $N, $V)"),
    often("{ let @n = $N; scatter_add(zeros(8), map(@i => mod(@i, 8), @n), map(@i => $R{@i:I}, @n)) }"),
    often("{ let @a = $V; {@a with [mod($I, len(@a))]: $R{@a:V}} }"),
    rare("{$V with [$I]: $R}"),
    rare("{$V with [$I..$I]: $V}"),
    often("{ let @a = $V; {@a with [1..]: @a[1..] * $R} }"),
    rare("$M[$I]"),
    often("{ let @m = $M; @m[mod($I, len(@m))] }"),
    often("{ let @m = $M; @m[.., mod($I, shape(@m)[1])] }"),
    rare("$M[$I, $I..$I]"),
    often("{ let @c = $C; @c[0, mod($I, shape(@c)[1])] }"),
    often("{ let @c = $C; @c[.., 0, len(@c[0][0]) - 1] }"),
    often("($M @ $V)"),
    often("($V @ $M)"),
    often("flatten($M)"),
    often("flatten($C)"),
    rare("reshape($M, [$Z])"),
    often("diag($M)"),
    often("solve($M, $V)"),
    often("scan((@s, @v) => $R{@s:R @v:R}, $R, $V)"),
    often("iterate($Z, @a => $V{@a:V}, $V)"),
    often("[@p.x for @p in $S]"),
    often("[@p.0 * @p.1 for @p in zip($V, $V)]"),
    often("(if $B { $V } else { $V })"),
    often("{ let @a = $V; $V{@a:V} }"),
    often("{ let @m = $M; $V{@m:M} }"),
    often(
        "{ fn @go(@i, @a) = if @i >= len(@a) { @a } else { @go(@i + 1, {@a with [@i]: $R{@a:V @i:I}}) }; @go(0, $V) }",
    ),
    often("filter(@v => @v > $L, $V)"),
    derivative("grad(@a => $R{@a:V})($V)"),
    derivative("jvp(@x => $V{@x:R}, $R, 1.0).1"),
];

const MATRICES: &[Template] = &[
    often("[[$R, $R], [$R, $R]]"),
    often("[$V, $V]"),
    often("[$V]"),
    often("[$R{@i:I @j:I} for @i in 0..$Z, @j in 0..$Z]"),
    often("tabulate($Z, @i => $V{@i:I})"),
    rare("tabulate($Z, @i => zeros(@i))"),
    rare("[zeros(@i) for @i in concat([2], $N)]"),
    often("{ let @m = $M; if len(@m) == 0 { @m } else { map(@r => $V{@r:V}, @m) } }"),
    often("transpose($M)"),
    often("($M @ $M)"),
    often("outer($V, $V)"),
    rare("reshape($V, [$Z, $Z])"),
    often("{ let @a = $V; reshape(@a, [len(@a), 1]) }"),
    often("{ let @a = $V; reshape(@a, [1, len(@a)]) }"),
    rare("reshape($V, [$Z, $I])"),
    often("reshape(zeros(6), [2, 3])"),
    often("($M * $R)"),
    often("($M + $M)"),
    often("($M * $M)"),
    often("sin($M)"),
    often("($M^2)"),
    often("$M[$I..$I]"),
    often("$M[.., $I..$I]"),
    often("$M[1.., ..$Z]"),
    rare("{$M with [$I]: $V}"),
    often("{ let @m = $M; {@m with [mod($I, len(@m))]: @m[0] * $R} }"),
    often("{ let @m = $M; {@m with [0, mod($I, shape(@m)[1])]: $R{@m:M}} }"),
    rare("{$M with [.., $I]: $V}"),
    often("diag(concat([$R], $V))"),
    rare("$C[$I]"),
    often("{ let @c = $C; @c[mod($I, len(@c))] }"),
    often("{ let @c = $C; @c[.., 0] }"),
    often("concat($M, $M)"),
    often("reversed($M)"),
    often("gather($M, concat([0], $N))"),
    often("inv($M)"),
    often("solve($M, $M)"),
    often("iterate($Z, @m => $M{@m:M}, $M)"),
    often("(if $B { $M } else { $M })"),
    often("{ let @m = $M; $M{@m:M} }"),
    often(
        "{ fn @go(@i, @m) = if @i >= len(@m) { @m } else { @go(@i + 1, {@m with [@i]: $V{@m:M @i:I}}) }; @go(0, $M) }",
    ),
    derivative("grad(@m => $R{@m:M})($M)"),
];

const CUBES: &[Template] = &[
    often("[$M, $M]"),
    often("[$M]"),
    often("tabulate($Z, @i => $M{@i:I})"),
    often("[$R{@i:I @j:I @k:I} for @i in 0..$Z, @j in 0..$Z, @k in 0..$Z]"),
    rare("reshape($V, [$Z, $Z, $Z])"),
    often("reshape(tabulate(12, @i => $R{@i:I}), [2, 3, 2])"),
    often("($C * $R)"),
    often("($C + $C)"),
    often("sin($C)"),
    often("transpose($C)"),
    often("reversed($C)"),
    often("concat($C, $C)"),
    often("$C[$I..$I]"),
    often("$C[.., .., $I..$I]"),
    rare("{$C with [$I]: $M}"),
    often("{ let @c = $C; {@c with [0]: @c[len(@c) - 1] * $R} }"),
    often("{ let @c = $C; {@c with [0, mod($I, shape(@c)[1]), 0]: $R{@c:C}} }"),
    often("{ let @c = $C; if len(@c) == 0 { @c } else { map(@m => $M{@m:M}, @c) } }"),
    often("(if $B { $C } else { $C })"),
    derivative("grad(@c => $R{@c:C})($C)"),
];

const ARRAYS_OF_INTS: &[Template] = &[
    often("iota($Z)"),
    often("[$I, $I]"),
    often("argsort($V)"),
    often("where($V > $L)"),
    often("[$I{@i:I} for @i in 0..$Z]"),
    often("reversed($N)"),
    often("($N + $I)"),
    often("($N * $N)"),
    often("$N[$I..$I]"),
    often("[mod(@i * 7, 3) for @i in 0..$Z]"),
    often("concat($N, $N)"),
    often("map(@i => $I{@i:I}, $N)"),
    often("shape($M)"),
    often("shape($C)"),
    rare("{$N with [$I]: $I}"),
    often("scatter_add(iota(4), map(@i => mod(@i, 4), $N), $N)"),
    often("sort($N)"),
    often("[@p.n for @p in $S]"),
];

const ARRAYS_OF_STRUCTS: &[Template] = &[
    often("[$P]"),
    often("[$P, $P]"),
    often("[{x: $R{@v:R}, n: $I} for @v in $V]"),
    often("tabulate($Z, @i => {x: $R{@i:I}, n: @i})"),
    often("map(@p => {x: $R{@p:P}, n: @p.n + 1}, $S)"),
    often("reversed($S)"),
    often("concat($S, $S)"),
    often("$S[$I..$I]"),
    rare("{$S with [$I]: $P}"),
    often("{ let @s = $S; {@s with [mod($I, len(@s))]: {x: $R{@s:S}, n: 2}} }"),
    often("gather($S, $N)"),
    often("sort_by(@p => @p.x, $S)"),
    often("filter(@p => @p.x > $L, $S)"),
    often("(if $B { $S } else { $S })"),
];

const ARRAYS_OF_VECTORS: &[Template] = &[
    often("[{a: $V{@i:I}, x: $R} for @i in 0..$Z]"),
    often("[$Q, $Q]"),
    often("map(@q => {a: @q.a * $R{@q:Q}, x: @q.x}, $W)"),
    often("concat($W, $W)"),
    often("{ let @w = $W; {@w with [0]: {a: $V, x: @w[0].x}} }"),
    often("reversed($W)"),
    often("filter(@q => @q.x > $L, $W)"),
];

const STRUCTS: &[Template] = &[
    often("{x: $R, n: $I}"),
    often("{ let @s = $S; @s[mod($I, len(@s))] }"),
    often("{$P with x: $R}"),
    rare("$S[$I]"),
];

const VECTOR_STRUCTS: &[Template] =
    &[often("{a: $V, x: $R}"), often("{$Q with a: $V}"), often("{ let @w = $W; @w[mod($I, len(@w))] }")];

const SIZES: &[Template] = &[
    often("mod($I, 5)"),
    often("len($V)"),
    often("len($N)"),
    often("(1 + mod($I, 3))"),
    often("shape($M)[1]"),
    rare("$I"),
];
