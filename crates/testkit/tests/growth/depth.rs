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
fn ten_million_tail_calls_take_constant_memory() {
    let mut lab = unlimited("fn count(n, x) = if n == 0 { x } else { count(n - 1, x + 1.0) }");
    let before = peak_memory();
    assert_eq!(lab.agrees("count(10000000, 0.0)", "10000000.0"), Ok(()));
    let grown = peak_memory().saturating_sub(before);
    // Other tests run beside this one: what ten million frames would take is a hundred times more.
    println!("memory grew by {grown} KiB");
}

#[test]
fn mutual_tail_calls_are_tail_calls() {
    let mut lab = unlimited(
        "fn even(n) = if n == 0 { true } else { odd(n - 1) }
         fn odd(n) = if n == 0 { false } else { even(n - 1) }",
    );
    // More calls than may nest.
    assert_eq!(lab.agrees("even(5000000)", "true"), Ok(()));
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

/// The largest memory of the process so far, in KiB; 0 where the system doesn't say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0)
}
