//! The benchmarks run without a C compiler and without JAX; tapes have the size they should. Nothing here is timed.

use std::process::Command;

use bench::kernels::Program;

/// The most bytes of the heap while a kernel of a program runs; none where there is no LLVM.
fn peak(name: &str, label: &str) -> Option<usize> {
    let path = bench::root().join("benches/programs").join(format!("{name}.ev"));
    let text = std::fs::read_to_string(path).expect("a program");
    let mut program = Program::new(name, &text, None).ok()?;
    let at = program.kernels.iter().position(|kernel| kernel.label == label).expect("a kernel");
    Some(program.run(at).expect("a value").peak_bytes)
}

#[test]
fn nobody_else_is_needed() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evert-bench"));
    command.args(["--quick", "--only", "mandelbrot"]);
    let output = command.env("CC", "/nowhere/cc").env("EVERT_BENCH_PYTHON", "/nowhere/python").output();
    let output = output.expect("the benchmark starts");
    let text = String::from_utf8(output.stdout).expect("text");
    if peak("fib", "primal").is_some() {
        assert!(text.contains("| mandelbrot | primal |"), "{text}");
        assert!(text.contains("No C compiler") && text.contains("No JAX"), "{text}");
    }
}

#[test]
fn wrong_usage_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_evert-bench")).arg("--fast").output().expect("it starts");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn loops_and_their_forward_derivatives_need_constant_memory() {
    for (name, label) in
        [("logistic", "primal"), ("logistic_gradient", "forward"), ("ode", "forward"), ("particle", "ff")]
    {
        assert!(peak(name, label).is_none_or(|bytes| bytes <= 1 << 20), "{name} {label}");
    }
}

/// The steps that each kernel takes, and what a step may leave on the tape: the memory is taken in chunks of up to 64 MiB.
#[test]
fn a_step_leaves_few_words_on_the_tape() {
    for (name, steps, bytes) in [("logistic_gradient", 2_000_000, 72), ("sines", 3_000_000, 72), ("ode", 500_000, 408)]
    {
        assert!(peak(name, "gradient").is_none_or(|peak| peak <= steps * bytes), "{name}");
    }
}
