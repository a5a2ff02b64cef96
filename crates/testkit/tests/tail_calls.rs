//! Tail calls take constant memory, under T too. The only test of its process, so that the process's memory is that of the test.

use evert_testkit::Lab;

#[test]
fn ten_million_tail_calls_take_constant_memory() {
    let mut lab = Lab::with("fn count(n, x) = if n == 0 { x } else { count(n - 1, x + 1.0) }");
    lab.session.machine.max_steps = None;
    let before = peak_memory();
    assert_eq!(lab.agrees("count(10000000, 0.0)", "10000000.0"), Ok(()));
    let grown = peak_memory() - before;
    assert!(grown < 4 * 1024, "memory grew by {grown} KiB");
    let loops = [
        ("jvp(x => count(1000000, x), 0.5, 1.0)", "(1000000.5, 1.0)"),
        ("jvp(x => iterate(1000000, y => y * x, 1.0), 1.0, 1.0).1", "1e6"),
        (
            "jvp(x => while_loop(s => s.n < 1000000, s => {s with n: s.n + 1, y: s.y + x}, {n: 0, y: 0.0}).y, 2.0, 1.0).1",
            "1e6",
        ),
        ("jvp(x => fold((a, y) => a + y * x, 0.0, ys), 2.0, 1.0).1", "1e6"),
        ("jvp(x => even(1000000, x), 2.0, 1.0).1", "1.0"),
    ];
    lab.value(
        "let ys = tabulate(1000000, i => 1.0)
        fn even(n, x) = if n == 0 { x } else { odd(n - 1, x) }
        fn odd(n, x) = if n == 0 { -x } else { even(n - 1, x) }",
    );
    let before = peak_memory();
    for (text, expected) in loops {
        assert_eq!(lab.agrees(text, expected), Ok(()), "{text}");
        let grown = peak_memory() - before;
        assert!(grown < 4 * 1024, "{text}: memory grew by {grown} KiB");
    }
}

/// The largest memory of the process so far, in KiB; 0 where the system doesn't say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0)
}
