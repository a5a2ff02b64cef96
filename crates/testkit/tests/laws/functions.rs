//! The laws over a list of functions, at random points.

use crate::law::{Doubt, LAWS, prepare};
use crate::testkit::reals::{reals, with_reals};
use crate::testkit::{Lab, Random};

/// Definitions that end in a function `main`, and a point; others are made by moving its reals a little.
const FUNCTIONS: &[(&str, &str)] = &[
    ("fn main(x) = x^3 - 2 * x", "0.7"),
    ("fn main(x) = sin(x) * exp(-x^2)", "0.7"),
    ("fn main(x) = log(1 + exp(x))", "0.7"),
    ("fn main(x, y) = x^2 * y + atan2(y, x)", "(1.5, 2.0)"),
    ("fn main(x, y, z) = x / (1 + y^2) - z * x", "(1.5, 2.0, 0.5)"),
    ("fn main(x, y) = x^y", "(1.5, 2.0)"),
    ("fn main(r) = r.a * r.b.c + sin(r.b.d)", "{a: 1.5, b: {c: 2.0, d: 0.5}}"),
    ("fn main(r) = { let q = {r with a: r.b * r.a}; q.a^2 + r.a }", "{a: 1.5, b: 0.6}"),
    ("fn main(v) = sum(v^2) + v[0] * v[2]", "[0.5, 0.6, 0.7]"),
    ("fn main(v) = logsumexp(v) + norm(v)", "[0.5, 0.6, 0.7]"),
    ("fn main(v) = fold((s, x) => sin(s + x), 0.1, v)", "[0.5, 0.6, 0.7]"),
    ("fn main(v) = sum(scan((s, x) => s * x + 0.5, 1.0, v))", "[0.5, 0.6, 0.7]"),
    ("fn main(m) = det(m) + sum(inv(m) @ [1.0, 2.0])", "[[2.0, 0.5], [0.3, 1.5]]"),
    ("fn main(m) = sum(cholesky(m @ transpose(m))[1])", "[[2.0, 0.5], [0.3, 1.5]]"),
    ("fn main(p) = sum(solve(p.0, p.1)^2)", "([[2.0, 0.5], [0.3, 1.5]], [1.0, 0.4])"),
    ("fn main(xs) = match xs { Nil => 1.0, Cons(x, rest) => sin(x) * main(rest) + x }", "to_list([0.5, 0.6, 0.7])"),
    ("fn main(xs) = fold((s, x) => s * x, 1.0, map(x => x^2 + 0.1, xs))", "to_list([0.5, 0.6, 0.7])"),
    (
        "type Tree = Leaf(x) | Node(l, r)\nfn main(t) = match t { Leaf(x) => sin(x), Node(l, r) => main(l) * main(r) + 0.3 }",
        "Node(Leaf(0.4), Node(Leaf(0.6), Leaf(0.9)))",
    ),
    ("fn main(x) = { fn power(n) = if n == 0 { 1.0 } else { x * power(n - 1) }; power(5) }", "0.9"),
    (
        "fn main(x) = {
       fn even(n, y) = if n == 0 { y } else { x * odd(n - 1, sin(y)) }
       fn odd(n, y) = if n == 0 { -y } else { even(n - 1, cos(y) * x) }
       even(4, x) }",
        "0.9",
    ),
    (
        "let Y = f => (x => f(v => x(x)(v)))(x => f(v => x(x)(v)))\nfn main(a) = Y(self => n => if n < 1 { 1.0 } else { a * self(n - 1) })(5)",
        "0.9",
    ),
    ("fn main(x) = while_loop(s => s.0 < 4, s => (s.0 + 1, sin(s.1) * 1.5), (0, x)).1", "0.9"),
    ("fn main(a, b) = { let fs = [x => a * x, x => sin(b * x), x => a + x]; fs[0](fs[1](fs[2](b))) }", "(0.6, 0.8)"),
    ("fn main(a, b) = { let f = if a < 5.0 { x => a * x } else { x => b * x^2 }; f(f(b)) }", "(0.6, 0.8)"),
    ("fn main(x) = x * grad(y => x * sin(y))(x)", "0.6"),
    ("fn main(x) = J(y => J(z => x * y * z^2)(x).1(y).1)(x).1(1.0).1", "0.6"),
    ("fn main(x) = iterate(3, y => y - 0.1 * grad(z => z^4 + x * z)(y), x)", "0.6"),
    ("fn main(v) = product(grad(w => prod(w))(v), v)", "[0.5, 0.6, 0.7]"),
    ("fn main(x) = checkpoint(y => x * sin(y^2))(x)", "0.6"),
    ("fn main(a) = fix((x, y) => abs(x - y) < 1e-14, x => cos(a * x))(0.5)", "0.8"),
    ("fn main(x) = log1pexp(2 * x) * sigmoid(x)", "0.6"),
    (
        "fn main(x) = { let a = x^2; let g = (y => a * y^2) reverse y => (a * y^2, d => ({a: d * y^2}, 2 * d * a * y)); g(sin(x)) }",
        "0.6",
    ),
    (
        "fn app(f, x) = f(x)
        reverse (f, x) => { let (y, pull) = J(f)(J(x)); (y, d => ({}, pull(d))) }
      fn main(a, b) = app(x => a * x^2, b) * app(sin, a)",
        "(0.6, 0.8)",
    ),
    (
        "fn map'(f) = (v => list_map(f, v))
        reverse v => {
          let u = map'(J(f))(J(v))
          fn g(w, dv) = match (w, dv) {
            (Cons(h, w1), Cons(dy, dv2)) => {
              let (df, dx) = h.1(dy)
              let (df1, dv3) = g(w1, dv2)
              (plus({f: df}, df1), Cons(dx, dv3))
            }
            _ => ({f: zero(f)}, Nil)
          }
          (J_inv(map'(p => p.0)(u)), dv => g(u, dv))
        }
      fn main(a, xs) = fold((s, x) => s + x, 0.0, map'(x => a * x^2)(xs))",
        "(0.6, to_list([0.5, 0.7]))",
    ),
    ("fn main(x) = { let f = y => x * y^3; (f <~ J(f))(x) + J_inv(J(f))(0.5) }", "0.6"),
];

const POINTS: usize = 2;

#[test]
fn all_laws_hold_for_the_listed_functions() {
    let mut problems = vec![];
    let (mut held, mut discarded) = (0, 0);
    for (index, (definitions, point)) in FUNCTIONS.iter().enumerate() {
        let mut random = Random::new(index as u64);
        let mut lab = Lab::open();
        lab.value(definitions);
        let like = lab.value(point);
        for _ in 0..POINTS {
            let moved: Vec<f64> = reals(&like).iter().map(|x| x + random.between(-0.05, 0.05)).collect();
            let at = with_reals(&like, &moved);
            let shown = evert::show(&at);
            prepare(&mut lab, at, &mut random).unwrap_or_else(|error| panic!("{error}\n{definitions}"));
            for law in LAWS {
                match (law.check)(&mut lab) {
                    Ok(()) => held += 1,
                    Err(Doubt::Discarded) => discarded += 1,
                    Err(Doubt::Broken(words)) => {
                        problems.push(format!("law {} at {shown}: {words}\nof {definitions}\n", law.number));
                    }
                }
            }
        }
    }
    println!("{} functions: {held} checks held, {discarded} discarded", FUNCTIONS.len());
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert!(discarded < held / 50, "{discarded} discarded of {held}");
}
