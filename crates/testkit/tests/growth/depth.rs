//! Recursion is limited by a stated number of calls, never by the stack of the process; tail calls aren't limited.

use crate::testkit::Lab;

fn unlimited(definitions: &str) -> Lab {
    let mut lab = Lab::with(definitions);
    lab.session.machine.max_steps = None;
    lab
}

#[test]
fn a_million_nested_calls_work_and_differentiate() {
    let mut lab = unlimited("fn down(n, x) = if n == 0 { x } else { 1.0 * down(n - 1, x) }");
    assert_eq!(lab.agrees("down(1000000, 2.0)", "2.0"), Ok(()));
    assert_eq!(lab.agrees("grad(x => down(1000000, x))(2.0)", "1.0"), Ok(()));
}

#[test]
fn a_list_of_a_million_elements_differentiates() {
    let mut lab = unlimited("fn total(xs) = match xs { Nil => 0.0, Cons(x, rest) => x + total(rest) }");
    lab.value("let xs = to_list(tabulate(1000000, i => 1.0))");
    assert_eq!(lab.agrees("match grad(total)(xs) { Cons(x, _) => x, Nil => 0.0 }", "1.0"), Ok(()));
}

#[test]
fn a_million_composed_closures_differentiate() {
    let mut lab = unlimited("fn chain(n, f) = if n == 0 { f } else { chain(n - 1, x => f(x)) }");
    assert_eq!(lab.agrees("chain(1000000, x => x)(1.0)", "1.0"), Ok(()));
    assert_eq!(lab.agrees("grad(x => chain(200000, y => x * y)(1.0))(1.0)", "1.0"), Ok(()));
}

#[test]
fn a_million_nested_calls_carry_tangents() {
    let mut lab = unlimited(
        "fn down(n, x) = if n == 0 { x } else { 1.0 * down(n - 1, x) }
         fn total(xs) = match xs { Nil => 0.0, Cons(x, rest) => x + total(rest) }
         fn chain(n, f) = if n == 0 { f } else { chain(n - 1, x => f(x)) }",
    );
    assert_eq!(lab.agrees("jvp(x => down(1000000, x), 2.0, 1.0)", "(2.0, 1.0)"), Ok(()));
    assert_eq!(lab.agrees("jvp(x => total(to_list(tabulate(1000000, i => x))), 2.0, 1.0).1", "1e6"), Ok(()));
    assert_eq!(lab.agrees("jvp(x => chain(200000, y => x * y)(1.0), 1.0, 1.0)", "(1.0, 1.0)"), Ok(()));
}

#[test]
fn mutual_tail_calls_are_tail_calls() {
    let mut lab = unlimited(
        "fn even(n) = if n == 0 { true } else { odd(n - 1) }
         fn odd(n) = if n == 0 { false } else { even(n - 1) }",
    );
    // More calls than may nest.
    assert_eq!(lab.agrees("even(4200000)", "true"), Ok(()));
}

#[test]
fn endless_recursion_is_an_error_that_names_the_function() {
    let mut lab = unlimited("fn forever(x) = 1.0 + forever(x)");
    let error = lab.failure("forever(1.0)");
    assert_eq!(error.code.to_string(), "E0314");
    assert!(error.message.contains("`forever`"), "{}", error.message);
    let error = lab.failure("grad(forever)(1.0)");
    assert_eq!(error.code.to_string(), "E0314");
    assert!(error.message.contains("forever"), "{}", error.message);
}
