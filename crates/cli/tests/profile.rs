//! `evert profile`: time by functions and lines, what a program computes and its derivatives apart.

use std::process::Command;

const PROGRAM: &str = "fn heavy(x) =
  fold((a, i) => a + sin(a * real(i)), x, iota(4000))

fn light(x) = x * x

fn only_primal(n) = {
  fold((a, i) => exp(-a) + light(real(i)) * 1e-9, 0.0, iota(n))
}

grad(x => iterate(ROUNDS, x => heavy(x) * 1e-3, x))(0.3)
only_primal(N)
";

fn profile(engine: &str, rounds: u32, n: u32) -> String {
    let file = std::env::temp_dir().join(format!("evert-profile-{engine}-{}.ev", std::process::id()));
    let text = PROGRAM.replace("ROUNDS", &rounds.to_string()).replace('N', &n.to_string());
    std::fs::write(&file, text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_evert"))
        .args(["--engine", engine, "profile"])
        .arg(&file)
        .output()
        .expect("evert runs");
    let _ = std::fs::remove_file(file);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Total, primal and derivative of the row that begins so, in percent.
fn shares(text: &str, row: &str) -> [f64; 3] {
    let line = text.lines().find(|line| line.split_whitespace().next().is_some_and(|name| name.ends_with(row)));
    let line = line.unwrap_or_else(|| panic!("no row {row} in\n{text}"));
    let numbers: Vec<f64> = line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).take(3).collect();
    numbers.try_into().unwrap_or_else(|_| panic!("three numbers in {line}"))
}

#[test]
fn time_is_charged_to_functions_lines_and_parts() {
    for (engine, rounds, n) in [("native", 1500, 20_000_000), ("reference", 30, 200_000)] {
        let text = profile(engine, rounds, n);
        let [total, primal, derivative] = shares(&text, "heavy");
        assert!(total > 10.0 && primal > 2.0 && derivative > 2.0, "{engine}:\n{text}");
        assert!((total - primal - derivative).abs() < 0.3, "{engine}:\n{text}");
        let [total, _, derivative] = shares(&text, "only_primal");
        assert!(total > 5.0 && derivative < 1.0, "{engine}:\n{text}");
        let [total, _, derivative] = shares(&text, ".ev:2");
        assert!(total > 10.0 && derivative > 2.0, "{engine}:\n{text}");
        assert!(shares(&text, ".ev:7")[0] > 5.0, "{engine}:\n{text}");
    }
}

#[test]
fn an_error_is_that_of_a_run() {
    let file = std::env::temp_dir().join(format!("evert-profile-error-{}.ev", std::process::id()));
    std::fs::write(&file, "fn f(x) = [1.0, 2.0][int(x)]\nsum(f(real(i)) for i in 0..100000)\n").expect("a file");
    let run = |command: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_evert")).arg(command).arg(&file).output().expect("evert runs");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(run("run"), run("profile"));
    let _ = std::fs::remove_file(file);
}
