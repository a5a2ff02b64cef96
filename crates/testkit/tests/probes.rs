//! What the elements of an array without elements would be is found out without traces.

use evert_testkit::Lab;

const DEFINITIONS: &str = "
    fn slow(n, x) = if n == 0 { x } else { slow(n - 1, x + 1) }
    fn endless(x) = endless(x + 1)
    fn square(x) = x * x
      reverse x => (x * x, d => ({}, 2.0 * d * x))";

#[test]
fn the_work_of_a_probe_is_not_counted() {
    let mut lab = Lab::with(DEFINITIONS);
    let alone = lab.work("len([i + 1 for i in 0..0])");
    let slow = lab.work("len([slow(300, i) for i in 0..0])");
    assert!(slow <= alone + 5, "{slow} steps, where {alone} are needed");
}

#[test]
fn a_probe_without_end_leaves_the_steps_to_the_program() {
    let mut lab = Lab::with(DEFINITIONS);
    lab.session.machine.max_steps = Some(2_000);
    assert_eq!(lab.agrees("len([endless(i) for i in 0..0]) + slow(20, 0)", "20"), Ok(()));
}

#[test]
fn rules_that_only_a_probe_uses_are_not_observed() {
    let mut lab = Lab::with(DEFINITIONS);
    lab.session.machine.observed = Some(Default::default());
    lab.value("len([grad(square)(real(i)) for i in 0..0])");
    assert_eq!(lab.session.machine.observed.as_ref().map(|uses| uses.rules().len()), Some(0));
    lab.value("len([grad(square)(real(i)) for i in 0..1])");
    assert_eq!(lab.session.machine.observed.as_ref().map(|uses| uses.rules().len()), Some(1));
}
