//! `evert why-zero` on programs whose gradients are zero for every reason that there is.

mod support;

use support::{Folder, evert};

/// What is said of a function of a program.
fn why(name: &str, text: &str, function: &str) -> String {
    let folder = Folder::new(name);
    folder.write("a.ev", text);
    let ran = evert(&["why-zero", &folder.path("a.ev"), function]);
    ran.fails_with(0);
    ran.out
}

#[test]
fn whole_numbers_comparisons_and_positions_are_named_with_their_places() {
    let text = "fn f(x, y, v) = {
  let n = floor(x * 2.0)
  let s = if y > 1 { 5.0 } else { 3.0 }
  n + s + real(argmax(v))
}
grad(f)(1.6, 2.0, [1.0, 3.0])
";
    let out = why("kinds", text, "f");
    assert!(out.contains("`floor` stays at `3.0` and jumps elsewhere") && out.contains("a.ev:2:11"), "{out}");
    assert!(out.contains("it came through `x * 2.0` (line 2)"), "{out}");
    assert!(out.contains("a comparison, true here") && out.contains("a.ev:3:14"), "{out}");
    assert!(out.contains("`v[0]`, `v[1]` have the gradient 0"), "{out}");
    assert!(out.contains("`argmax` gives an int") && out.contains("a.ev:4:16"), "{out}");
}

#[test]
fn ints_unused_parameters_and_ways_not_taken_are_told_apart() {
    let out = why("int", "fn f(x, n) = x * n\ngrad(f)(2.0, 3)\n", "f");
    assert!(out.contains("`n` has the gradient 0: it is an int"), "{out}");
    let out = why("unused", "fn f(x, y) = x^2\ngrad(f)(2.0, 3.0)\n", "f");
    assert!(out.contains("`y` has the gradient 0: the function doesn't use it"), "{out}");
    let out = why("way", "fn f(x, y) = if x > 0 { x } else { y * x }\ngrad(f)(1.0, 2.0)\n", "f");
    assert!(out.contains("nothing that ran uses it") && out.contains("a.ev:1:36"), "{out}");
    assert!(out.contains("at `(-0.67, -1.74)` it is -0.67"), "{out}");
}

#[test]
fn stops_and_rules_are_told_from_slopes_that_happen_to_be_zero() {
    let out = why("stop", "fn f(p) = stop_gradient(p.a) * p.b\ngrad(f)({a: 2.0, b: 3.0})\n", "f");
    assert!(
        out.contains("`p.a` has the gradient 0") && out.contains("`stop_gradient` lets no sensitivity through"),
        "{out}"
    );
    let ruled = "fn g(x) = x^2\n  reverse x => (g(x), d => ({}, 0.0))\nfn f(x) = g(x) + 1\ngrad(f)(3.0)\n";
    assert!(why("rule", ruled, "f").contains("the rule of `g` says what flows through it"));
    let right = "fn g(x) = x^2\n  reverse x => (g(x), d => ({}, 2 * x * d))\nfn f(x) = (g(x) - 9)^2\ngrad(f)(3.0)\n";
    let out = why("right_rule", right, "f");
    assert!(out.contains("the slope just happens to be 0 here") && !out.contains("the rule of"), "{out}");
}

#[test]
fn loops_recursion_and_captures_are_followed() {
    let text = "fn steps(x, n) = if n == 0 { 0.0 } else { round(x * n) + steps(x, n - 1) }
fn f(x) = { let k = x * 10.0; fold((a, i) => a + real(int(k)) * i, steps(x, 3), iota(4)) }
grad(f)(0.37)
";
    let out = why("loops", text, "f");
    assert!(out.contains("`round` stays at") && out.contains("3 times in this run"), "{out}");
    assert!(out.contains("`int` gives an int") && out.contains("4 times in this run"), "{out}");
}

#[test]
fn an_argument_can_be_given_and_what_is_not_zero_is_said() {
    let folder = Folder::new("given");
    folder.write("a.ev", "fn f(x, y) = maximum(x, y)\n");
    let out = evert(&["why-zero", &folder.path("a.ev"), "f", "1.0", "2.0"]).out;
    assert!(out.contains("`x` has the gradient 0") && out.contains("`maximum` takes the other one, `2.0`"), "{out}");
    folder.write("b.ev", "fn f(x) = x^2\n");
    assert!(evert(&["why-zero", &folder.path("b.ev"), "f", "-3.0"]).out.contains("no part of it is 0"));
    let ran = evert(&["why-zero", &folder.path("b.ev"), "h"]);
    ran.fails_with(1);
    assert!(ran.err.contains("there is no function `h`"), "{}", ran.err);
}
