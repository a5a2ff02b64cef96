//! Tail calls take constant memory. The only test of its process, so that the process's memory is that of the test.

use evert_testkit::Lab;

#[test]
fn ten_million_tail_calls_take_constant_memory() {
    let mut lab = Lab::with("fn count(n, x) = if n == 0 { x } else { count(n - 1, x + 1.0) }");
    lab.session.machine.max_steps = None;
    let before = peak_memory();
    assert_eq!(lab.agrees("count(10000000, 0.0)", "10000000.0"), Ok(()));
    let grown = peak_memory() - before;
    assert!(grown < 4 * 1024, "memory grew by {grown} KiB");
}

/// The largest memory of the process so far, in KiB; 0 where the system doesn't say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0)
}
