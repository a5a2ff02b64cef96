//! Programs on arrays, written as one writes them: primal, gradient and their ratio, and JAX beside them.
//!
//! In: the programs of `benches/arrays`, each with `input(n)`, `primal` and `gradient`, and the same in JAX (`arrays.py` there). Out: a
//! table, in which a ratio is of times measured in one run. Every cell is a process of its own, as for the evals.

use std::process::Command;

use crate::evals::{Asked, Measured, close, within};
use crate::root;

/// What the names of these programs begin with, where cells are asked for.
pub const FOLDER: &str = "arrays/";

/// The programs, and the size each is run at.
const PROGRAMS: &[(&str, usize)] = &[
    ("nbody", 1000),
    ("kalman", 2000),
    ("logistic", 10_000),
    ("convolution", 256),
    ("dtw", 500),
    ("mlp", 256),
    ("black_scholes", 1_000_000),
    ("heat", 256),
];

/// The table of the programs that are wanted.
pub fn table(asked: &Asked, wants: impl Fn(&str) -> bool) -> String {
    let mut text = "| program | size | primal | gradient | ÷ primal | heap | JAX primal | JAX gradient | gradient ÷ JAX | same value |\n\
                    |---|---|---|---|---|---|---|---|---|---|\n"
        .to_string();
    for (name, size) in PROGRAMS.iter().filter(|(name, _)| wants(name)) {
        let row = row(asked, name, *size);
        eprint!("{row}");
        text.push_str(&row);
    }
    text
}

fn row(asked: &Asked, name: &str, size: usize) -> String {
    let [primal, gradient] = ["primal", "gradient"].map(|function| ours(asked, name, function, size));
    let [jax_primal, jax_gradient] = ["primal", "gradient"].map(|function| jax(asked, name, function, size));
    let heap = gradient
        .as_ref()
        .ok()
        .and_then(|cell| cell.heap)
        .map_or(String::new(), |heap| format!("{:.1} MiB", heap as f64 / (1 << 20) as f64));
    let same = match (&gradient, &jax_gradient) {
        (Ok(a), Ok(b)) if close(a.value, b.value) => "yes".to_string(),
        (Ok(a), Ok(b)) => format!("{} and {}", a.value, b.value),
        _ => String::new(),
    };
    format!(
        "| {name} | {size} | {} | {} | {} | {heap} | {} | {} | {} | {same} |\n",
        time(&primal),
        time(&gradient),
        ratio(&gradient, &primal),
        time(&jax_primal),
        time(&jax_gradient),
        ratio(&gradient, &jax_gradient),
    )
}

fn ours(asked: &Asked, name: &str, function: &str, size: usize) -> Measured {
    let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
    command.args(["--cell", &format!("{FOLDER}{name}"), function, &size.to_string(), &asked.seconds.to_string()]);
    within(command, asked.limit)
}

fn jax(asked: &Asked, name: &str, function: &str, size: usize) -> Measured {
    let mut command = Command::new(asked.python.as_ref().map_err(Clone::clone)?);
    command.arg(root().join("benches/arrays/arrays.py"));
    command.args([name, function, &size.to_string(), &asked.seconds.to_string()]);
    within(command, asked.limit)
}

fn time(cell: &Measured) -> String {
    cell.as_ref().map_or_else(Clone::clone, |cell| format!("{:.3} ms", cell.seconds * 1e3))
}

fn ratio(above: &Measured, below: &Measured) -> String {
    match (above, below) {
        (Ok(above), Ok(below)) => format!("{:.2}", above.seconds / below.seconds),
        _ => String::new(),
    }
}
