//! Functions of inputs of size n, whose gradients cost a constant multiple of the function whatever n is.
//!
//! Every engine is judged by them, by counts: nothing here is timed.

/// A function of an input of size n.
pub struct Claim {
    pub name: &'static str,
    pub definitions: &'static str,
    /// The function.
    pub f: &'static str,
    /// The input of size `n`.
    pub input: &'static str,
}

pub const SIZES: [usize; 3] = [100, 1_000, 10_000];

const fn claim(name: &'static str, definitions: &'static str, f: &'static str, input: &'static str) -> Claim {
    Claim { name, definitions, f, input }
}

const VECTOR: &str = "tabulate(n, i => sin(1.0 * i))";
const LIST: &str = "to_list(tabulate(n, i => sin(1.0 * i)))";

pub const CLAIMS: &[Claim] = &[
    claim(
        "sum of a list by recursion",
        "fn total(xs) = match xs { Nil => 0.0, Cons(x, rest) => x^2 + total(rest) }",
        "total",
        LIST,
    ),
    claim("map and fold of a list", "", "xs => fold((a, x) => a + x, 0.0, map(x => x^2, xs))", LIST),
    claim("first of a list", "", "xs => match xs { Cons(x, _) => x, Nil => 0.0 }", LIST),
    claim("append and reverse of lists", "", "xs => fold((a, x) => a + x^2, 0.0, list_reverse(append(xs, xs)))", LIST),
    claim(
        "array reads in a recursion",
        "",
        "v => { fn go(i) = if i == len(v) { 0.0 } else { v[i]^2 + go(i + 1) }; go(0) }",
        VECTOR,
    ),
    claim("array reads in a fold", "", "v => fold((a, x) => a + sin(x), 0.0, v)", VECTOR),
    claim("array reads in a tabulation", "", "v => sum(tabulate(len(v), i => v[i] * v[len(v) - 1 - i]))", VECTOR),
    claim("array reads in map", "", "v => sum(map(x => x^2, v))", VECTOR),
    claim("a captured array read in a closure under map", "", "v => sum(map(i => v[i]^2, iota(len(v))))", VECTOR),
    claim(
        "a closure over an array, called in a loop",
        "",
        "v => { let f = i => v[i]^2; fn go(i, a) = if i == len(v) { a } else { go(i + 1, a + f(i)) }; go(0, 0.0) }",
        VECTOR,
    ),
    claim(
        "array updates in a loop",
        "",
        "v => { fn go(i, a) = if i == len(a) { a } else { go(i + 1, {a with [i]: a[i] * a[i - 1]}) }; sum(go(1, v)) }",
        VECTOR,
    ),
    claim(
        "array updates of a fresh array",
        "",
        "v => { fn go(i, a) = if i == len(v) { a } else { go(i + 1, {a with [i]: v[i]^2}) }; sum(go(0, zeros(len(v)))) }",
        VECTOR,
    ),
    claim(
        "a while loop",
        "",
        "p => while_loop(s => s.0 < p.1, s => (s.0 + 1.0, s.1 * (1.0 + p.0 / p.1)), (0.0, 1.0)).1",
        "(0.5, real(n))",
    ),
    claim("iterate", "", "p => iterate(int(p.1), x => x * (1.0 + p.0 / p.1), 1.0)", "(0.5, real(n))"),
    claim("scan of an array", "", "v => sum(scan((a, x) => 0.9 * a + x, 0.0, v))", VECTOR),
    claim("scan of a list", "", "v => fold((a, x) => a + x, 0.0, scan((a, x) => 0.9 * a + x, 0.0, v))", LIST),
    claim(
        "a rule that pulls closures over arrays in a loop",
        "fn each(f) = (n => { fn go(i, a) = if i == n { a } else { go(i + 1, a + f(i)) }; go(0, 0.0) })
           reverse n => (each(f)(n), d => {
             fn go(i, df) = if i == n { df } else { go(i + 1, plus(df, J(f)(i).1(d).0)) }
             ({f: go(0, zero(f))}, zero(n))
           })",
        "v => each(i => v[i]^2)(len(v))",
        VECTOR,
    ),
    claim(
        "a rule that pulls closures over arrays, from the last",
        "fn each(f) = (n => { fn go(i, a) = if i == n { a } else { go(i + 1, a + f(i)) }; go(0, 0.0) })
           reverse n => (each(f)(n), d => {
             fn go(i) = if i == n { zero(f) } else { plus(J(f)(i).1(d).0, go(i + 1)) }
             ({f: go(0)}, zero(n))
           })",
        "v => each(i => v[i]^2)(len(v))",
        VECTOR,
    ),
    claim(
        "a rule on every tail of a list",
        "fn total(xs) = match xs { Nil => 0.0, Cons(x, rest) => x^2 + total(rest) }
           reverse xs => match xs {
             Nil => (0.0, d => ({}, Nil))
             Cons(x, rest) => {
               let (y, pull) = J(total)(rest)
               (x^2 + y, d => ({}, Cons(2 * x * d, pull(d).1)))
             }
           }",
        "total",
        LIST,
    ),
    claim(
        "a rule on every tail of a list, of which only the first matters",
        "fn head(xs) = match xs { Cons(x, _) => x, Nil => 0.0 }
           reverse xs => (head(xs), d => ({}, match xs { Cons(_, rest) => Cons(d, zero(rest)), Nil => Nil }))
         fn total(xs) = match xs { Nil => 0.0, Cons(_, rest) => head(xs)^2 + total(rest) }",
        "total",
        LIST,
    ),
    claim(
        "the paper's map with its rule",
        "fn map'(f) = (v => list_map(f, v))
           reverse v => {
             let u = map'(J(f))(v)
             let w = map'(p => p.1)(u)
             fn g(w, dv) = match w {
               Nil => ({f: zero(f)}, Nil)
               Cons(h, w1) => match dv {
                 Cons(dy, dv2) => {
                   let (df, dx) = h(dy)
                   let (df1, dv3) = g(w1, dv2)
                   (plus({f: df}, df1), Cons(dx, dv3))
                 }
               }
             }
             (map'(p => p.0)(u), dv => g(w, dv))
           }
         fn total(xs) = fold((a, x) => a + x, 0.0, xs)",
        "xs => match xs { Nil => 0.0, Cons(a, _) => total(map'(x => a * x^2)(xs)) }",
        LIST,
    ),
    claim("sort", "", "v => { let w = sort(v); sum(tabulate(len(w), i => w[i] * i)) }", VECTOR),
    claim("gather", "", "v => sum(gather(v, tabulate(len(v), i => mod(7 * i, len(v))))^2)", VECTOR),
    claim(
        "scatter_add",
        "",
        "v => sum(scatter_add(zeros(len(v)), tabulate(len(v), i => mod(7 * i, len(v))), v)^2)",
        VECTOR,
    ),
    claim(
        "a chain of composed closures",
        "fn compose(n, f, v) = if n == 0 { f } else { compose(n - 1, x => f(x) + v[n - 1] * 0.1, v) }",
        "v => compose(len(v), x => x, v)(1.0)",
        VECTOR,
    ),
    claim("a list of closures", "", "v => fold((x, f) => f(x), 0.5, map(a => x => sin(a + x), to_list(v)))", VECTOR),
    claim("an array of closures", "", "v => fold((x, f) => f(x), 0.5, map(a => x => sin(a + x), v))", VECTOR),
    claim(
        "J in a recursion",
        "",
        "v => { fn go(i, x) = if i == len(v) { x } else { go(i + 1, J(y => sin(v[i] * y))(x).1(1.0).1) }; go(0, 0.5) }",
        VECTOR,
    ),
    claim(
        "records in a loop",
        "",
        "v => fold((s, x) => {s with a: s.a + x * s.b, b: s.b * 0.9}, {a: 0.0, b: 1.0}, v).a",
        VECTOR,
    ),
    claim(
        "rows of a matrix",
        "",
        "m => sum(tabulate(len(m), i => sum(m[i]^2)))",
        "reshape(tabulate(4 * n, i => sin(1.0 * i)), [n, 4])",
    ),
    claim(
        "steps of a stencil",
        "",
        "v => sum(iterate(3, u => [if i == 0 { u[i] } else { u[i - 1] + 0.5 * u[i] } for i in 0..len(u)], v)^2)",
        VECTOR,
    ),
    claim("array primitives", "", "v => sum(reversed(concat(v, sin(v)))^2 * 2.0)", VECTOR),
    claim("filters", "", "v => sum([x^2 for x in v if x > 0.0])", VECTOR),
    claim("checkpointed parts of a fold", "", "v => fold(checkpoint(p => p.0 + sin(p.1)), 0.0, v)", VECTOR),
];
