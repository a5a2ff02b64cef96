//! Programs on several threads: the same bits, the same error, and no threads where none are asked for.

mod support;

use support::{Folder, evert, evert_in};

/// Loops of every kind that are large enough, and a product.
const PROGRAM: &str = "
let a = [sin(0.001 * i) for i in 0..200_000]
sum(a)
let m = [[sin(real(i * j)) for j in 0..400] for i in 0..500]
sum(m)
sum([sum([exp(-abs(x - y)) for y in a[..100]]) for x in a[..3000]])
sum(transpose(m) @ m)
sum([{ let t = [cos(real(i + j)) for j in 0..50]; sum(t) * t[i % 50] } for i in 0..20_000])
sum(jvp(v => [sin(x) * x for x in v], a, a).1)
";

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let folder = Folder::new("threads");
    folder.write("p.ev", PROGRAM);
    let path = folder.path("p.ev");
    let run = |threads: &str| {
        let ran = evert_in(&[("EVERT_CACHE", "none")], &["--threads", threads, "run", &path]);
        ran.fails_with(0);
        ran.out
    };
    let alone = run("1");
    assert_eq!(alone.lines().count(), 6);
    for threads in ["2", "3", "8", "64"] {
        for _ in 0..3 {
            assert_eq!(run(threads), alone, "{threads} threads");
        }
    }
}

#[test]
fn the_first_error_in_order_counts() {
    let text = "[if i == 70_000 { [1.0][i] } else if i == 30_000 { real(7 % (i - 30_000)) } else { sin(real(i)) } for i in 0..100_000]";
    for threads in ["1", "2", "8"] {
        for _ in 0..5 {
            let ran = evert(&["--threads", threads, "eval", text]);
            ran.fails_with(1);
            assert!(ran.err.contains("E0312"), "{}", ran.err);
        }
    }
}

#[test]
fn limits_of_memory_hold_on_all_threads() {
    let text = "sum([sum([real(i * j) for j in 0..3_000_000 + i]) + len([real(j) for j in 0..60_000_000 + i]) for i in 0..100])";
    let ran = evert_in(&[("EVERT_MEMORY_MB", "300")], &["--threads", "4", "eval", text]);
    ran.fails_with(1);
    assert!(ran.err.contains("E03"), "{}", ran.err);
}

#[test]
fn loops_say_whether_they_run_on_several_threads() {
    let folder = Folder::new("loops");
    folder.write(
        "p.ev",
        "[sin(real(i)) for i in 0..1_000_000][3]\nfold((s, x) => s + sin(x * s), 1.0, iota(1_000_000))\n",
    );
    let ran = evert_in(&[], &["explain-perf", "--verbose", &folder.path("p.ev")]);
    ran.fails_with(0);
    if ran.out.contains("there is no native engine") {
        return println!("skipped: there is no LLVM");
    }
    assert!(ran.out.contains("on several threads if it is large"), "{}", ran.out);
    assert!(ran.out.contains("a turn needs what the one before it has made"), "{}", ran.out);
}

#[test]
fn a_number_of_threads_is_from_1_to_64() {
    for wrong in ["0", "65", "many"] {
        evert(&["--threads", wrong, "eval", "1"]).fails_with(2);
    }
}
