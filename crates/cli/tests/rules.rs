//! Wrong rules, planted where few would look: `evert test` and `evert check` find them and say where.

mod support;

use support::{Folder, evert};

/// Tests a program of this text; what is written on standard output.
fn tested(name: &str, text: &str) -> String {
    let folder = Folder::new(name);
    folder.write("a.ev", text);
    let ran = evert(&["test", &folder.path("a.ev")]);
    ran.fails_with(1);
    ran.out
}

/// A Huber loss whose rule forgets what it captures in the linear zone.
const HUBER: &str = "
fn huber(delta) = (x => if abs(x) <= delta { x^2 / 2 } else { delta * (abs(x) - delta / 2) })
  reverse x => (huber(delta)(x), d => ({}, d * (if abs(x) <= delta { x } else { delta * sign(x) })))
";

#[test]
fn a_branch_that_one_use_in_many_takes_is_found() {
    // Far from all others, and near them.
    for (index, x) in [(0, "8.0"), (1234, "8.0"), (9999, "8.0"), (4321, "1.6"), (77, "-1.55")] {
        let uses = format!("let xs = tabulate(10000, i => if i == {index} {{ {x} }} else {{ 1.4 * sin(real(i)) }})\n");
        let text = format!("{HUBER}{uses}grad(v => sum(map(huber(1.5), v)))(xs)[0] > -2  //=> true\n");
        let out = tested(&format!("huber{index}"), &text);
        assert!(out.contains("is wrong in the captured `delta`"), "{out}");
        assert!(out.contains(&format!("of 10000, with the argument `{x}`")), "{out}");
    }
}

#[test]
fn what_is_right_at_first_order_only_is_found() {
    let out = tested(
        "second",
        "fn f(x) = x^3\n  reverse x => (f(x), d => ({}, 3 * stop_gradient(x)^2 * d))\ngrad(f)(2.0)  //=> 12.0\n",
    );
    assert!(out.contains("is wrong in its argument at the second order"), "{out}");
    let captured = tested(
        "second_capture",
        "fn f(k) = (x => k^2 * x)\n  reverse x => (f(k)(x), d => ({k: 2 * stop_gradient(k) * x * d}, k^2 * d))
grad(k => f(k)(2.0))(3.0)  //=> 12.0\n",
    );
    assert!(captured.contains("the captured `k` at the second order"), "{captured}");
}

#[test]
fn a_forward_rule_that_is_not_linear_is_found() {
    // Behind a call, where it can't be seen without numbers.
    let out = tested(
        "forward",
        "fn bent(d) = d * abs(d)\nfn f(x) = x^3\n  forward x => (f(x), (dx, _) => 3 * x^2 * bent(dx))\njvp(f, 2.0, 1.0)  //=> (8.0, 12.0)\n",
    );
    assert!(out.contains("isn't linear"), "{out}");
}

#[test]
fn the_place_in_the_argument_is_named() {
    let text = "fn f(p) = p.a[0] * p.a[1] * p.b
  reverse p => (f(p), d => ({}, {a: [p.a[1] * p.b * d, 2 * p.a[0] * p.b * d], b: p.a[0] * p.a[1] * d}))
grad(f)({a: [2.0, 3.0], b: 5.0}).b  //=> 6.0\n";
    let out = tested("place", text);
    assert!(out.contains("is wrong in its argument at .a[1]"), "{out}");
}

#[test]
fn right_rules_cost_little_and_are_not_accused() {
    let folder = Folder::new("right");
    folder.write(
        "a.ev",
        "fn f(x) = exp(x) * sin(x)
  reverse x => (f(x), d => ({}, d * exp(x) * (sin(x) + cos(x))))
fn g(k) = (x => log(k * x))
  reverse x => (g(k)(x), d => ({k: d / k}, d / x))
fn flat(x) = maximum(x, 0.0)
  reverse x => (flat(x), d => ({}, if x > 0 { d } else { 0.0 }))
grad(f)(0.3) > 0                              //=> true
grad(k => sum(map(g(k), [1e-9, 1.0, 1e9])))(2.0)  //=> 1.5
[grad(flat)(x) for x in [-1.0, 0.0, 2.0]]     //=> [0.0, 0.0, 1.0]
",
    );
    let ran = evert(&["test", &folder.path("a.ev")]);
    ran.succeeds_with("6 passed, 0 failed\n");
}

#[test]
fn the_budget_is_kept_and_what_it_left_out_is_said() {
    let folder = Folder::new("budget");
    // A cheap rule in a long loop, which compiled code runs at once; and one that the budget doesn't let come to its backward sweep.
    folder.write(
        "a.ev",
        "fn f(x) = x * 0.5\n  reverse x => (f(x), d => ({}, 0.5 * d))
fold((s, i) => s + grad(f)(real(i)), 0.0, iota(3000000))  //=> 1500000.0
grad(x => iterate(3000000, y => f(y) + 1.0, x))(1.0)  //=> 0.0\n",
    );
    let ran = evert(&["test", &folder.path("a.ev")]);
    assert!(ran.out.contains("3 passed, 0 failed"), "{}", ran.out);
    assert!(
        ran.out.contains("note: ") && ran.out.contains("2 steps") && ran.out.contains("million steps"),
        "{}",
        ran.out
    );
}

#[test]
fn check_shows_a_table_a_verdict_and_a_suggestion() {
    let folder = Folder::new("check");
    let checked = |text: &str| {
        folder.write("a.ev", text);
        evert(&["check", &folder.path("a.ev")])
    };
    let ran = checked("fn f(x) = x^2\n  reverse x => (f(x), d => ({}, -2 * x * d))\ngrad(f)(3.0)\n");
    ran.fails_with(1);
    assert!(ran.out.contains("the rule of `f`, used once, compared at 1 input"), "{}", ran.out);
    assert!(ran.out.contains("the sign is wrong") && ran.out.contains("wrong in its argument"), "{}", ran.out);
    let ran = checked("fn f(x) = x^2\n  reverse x => (f(x), d => ({}, x * d))\ngrad(f)(3.0) + grad(f)(-5.0)\n");
    assert!(ran.out.contains("it is 0.5 times as large as it should be"), "{}", ran.out);
    let ran = checked("fn f(k) = (x => k * x)\n  reverse x => (k * x, d => ({}, k * d))\ngrad(f(2.0))(3.0)\n");
    assert!(ran.out.contains("it is missing from what the rule returns"), "{}", ran.out);
    let ran = checked("fn f(x) = x^3\n  reverse x => (f(x), d => ({}, 3 * stop_gradient(x)^2 * d))\ngrad(f)(3.0)\n");
    assert!(ran.out.contains("but not its derivative"), "{}", ran.out);
    let ran = checked("fn f(x) = x^3\n  reverse x => (f(x), d => ({}, 3 * x^2 * d))\ngrad(f)(3.0)\n");
    ran.fails_with(0);
    assert!(ran.out.ends_with("1 right, 0 wrong\n"), "{}", ran.out);
    let ran = checked(
        "fn f(x) = floor(x)\n  reverse x => (f(x), d => ({}, d)) approximate \"straight through\"\ngrad(f)(3.2)\n",
    );
    assert!(ran.out.contains("approximate, \"straight through\""), "{}", ran.out);
}

/// What `evert check` says of a program of this text that nothing is right in.
fn checked(name: &str, text: &str) -> String {
    let folder = Folder::new(name);
    folder.write("a.ev", text);
    let ran = evert(&["check", &folder.path("a.ev")]);
    ran.fails_with(1);
    ran.out
}

#[test]
fn a_rule_is_checked_where_its_function_is_called_without_a_derivative() {
    let text = "fn area(a, b) = a^2 * b\n  reverse (a, b) => (area(a, b), d => ({}, (2 * a * b * d, -a^2 * d)))\narea(3.0, 4.0)\n";
    let out = checked("called", text);
    assert!(out.contains("the rule of `area`, called once"), "{out}");
    assert!(out.contains("wrong in its argument at .1") && out.contains("the sign is wrong"), "{out}");
    let out = tested("called_test", &format!("{text}area(1.0, 1.0)  //=> 1.0\n"));
    assert!(out.contains("is wrong in its argument at .1") && out.contains("at call 1 of 2"), "{out}");
}

#[test]
fn a_rule_that_nothing_uses_is_checked_at_inputs_that_are_drawn() {
    let text = "fn cross(a, b) = a * b\n  reverse (a, b) => (cross(a, b), d => ({}, (a * d, b * d)))\n";
    let out = checked("drawn", text);
    assert!(out.contains("which nothing uses, at inputs that were drawn"), "{out}");
    assert!(out.contains("its argument at .0") && out.contains("its argument at .1"), "{out}");
    let local = "fn shift(k) = (x => x + k^2)\n  reverse x => (shift(k)(x), d => ({k: k * d}, d))\n";
    let out = checked("drawn_local", local);
    assert!(out.contains("wrong in the captured `k`") && out.contains("0.5 times"), "{out}");
    assert!(tested("drawn_test", text).contains("an input that was drawn"));
}

#[test]
fn a_function_without_a_rule_is_checked_by_name() {
    let folder = Folder::new("named");
    folder.write("a.ev", "fn plain(x) = sin(x) * x\nplain(1.0)\n");
    let ran = evert(&["check", &folder.path("a.ev"), "plain"]);
    ran.fails_with(0);
    assert!(
        ran.out.contains("the derivative of `plain`, called once") && ran.out.contains("1 right, 0 wrong"),
        "{}",
        ran.out
    );
}

#[test]
fn the_wrong_one_of_two_rules_is_named() {
    let out = checked(
        "two_rules",
        "fn cubed(x) = x^3\n  reverse x => (cubed(x), d => ({}, 3 * x^2 * d))\n  forward x => (cubed(x), (dx, _) => 2 * x^2 * dx)\ncubed(2.0)\n",
    );
    assert!(out.contains("it is the forward rule that is wrong"), "{out}");
    let out = checked(
        "transposed",
        "fn shift(n) = (v => concat(v[n..], v[..n]))\n  transpose d => concat(d[n..], d[..n])\nshift(1)([1.0, 2.0, 3.0])\n",
    );
    assert!(out.contains("it is the transpose rule that is wrong"), "{out}");
}

#[test]
fn a_factor_is_suggested_only_if_it_explains_something() {
    let text = "fn smooth(v) = [v[i] * 2 - v[max(i - 1, 0)] for i in 0..len(v)]
  reverse v => (smooth(v), d => ({}, [2 * d[i] - (if i + 1 < len(v) { d[i + 1] } else { 0.0 }) for i in 0..len(v)]))
smooth([1.0, 2.0, 4.0])\n";
    let out = checked("no_factor", text);
    assert!(out.contains("wrong in its argument at [0]") && !out.contains("times as large"), "{out}");
    let almost = "fn sq(x) = x * x\n  reverse x => (sq(x), d => ({}, 2.0001 * x * d))\nsq(3.0)\nsq(5.0)\n";
    assert!(checked("almost", almost).contains("it is 1.00005 times as large"), "{}", checked("almost", almost));
}

#[test]
fn a_rule_that_does_not_fit_is_wrong_not_unclear() {
    let out = checked(
        "fits",
        "fn f(a) = (v => dot(a, v)^2)\n  reverse v => (f(a)(v), d => ({}, 2 * dot(a, v) * d))\nf([1.0, 2.0])([0.5, -1.0])\n",
    );
    assert!(out.contains("it can't be used: E0408") && out.contains("0 right, 1 wrong"), "{out}");
}
