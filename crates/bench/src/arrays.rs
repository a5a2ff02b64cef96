//! Programs on arrays, written as one writes them, and GradBench's evals at large sizes: primal, gradient and their ratio, beside C and JAX.
//!
//! In: the programs of `benches/arrays`, each with `input(n)`, `primal` and `gradient`, the same in C (`NAME.c` there) and in JAX (`arrays.py`); the evals and their inputs. Out: a
//! table, in which a ratio is of times measured in one run. Every cell is a process of its own, as for the evals.

use std::process::Command;

use crate::c::{Compiler, Products};
use crate::evals::{Asked, Cell, Measured, close, within};
use crate::{evals, root};

/// What the names of these programs begin with, where cells are asked for.
pub const FOLDER: &str = "arrays/";

/// The programs, and the size each is run at.
const PROGRAMS: &[(&str, &str)] = &[
    ("nbody", "1000"),
    ("kalman", "2000"),
    ("logistic", "10000"),
    ("convolution", "256"),
    ("dtw", "500"),
    ("mlp", "256"),
    ("black_scholes", "1000000"),
    ("heat", "256"),
];

/// The evals at sizes of GradBench and beyond. In order: points, dimensions and clusters of `gmm` and `kmeans`; characters, layers and bits; steps and equations;
/// observations, cameras and points.
const SIZED: &[(&str, &[&str])] = &[
    ("det", &["8", "10"]),
    ("gmm", &["1000,2,5", "10000,10,25", "1000,20,25", "1000,64,100"]),
    ("kmeans", &["1000,8,10", "10000,8,100", "10000,16,1000"]),
    ("llsq", &["16392"]),
    ("lse", &["1280000"]),
    ("lstm", &["1024,2,14", "4096,4,14"]),
    ("ode", &["100,10000", "100,100000"]),
    ("ba", &["31843,49,7776", "287451,93,61203"]),
    ("ht", &["500", "10000"]),
];

/// What a row shows of a program at a size.
struct Row {
    name: String,
    size: &'static str,
    primal: &'static str,
    gradient: &'static str,
}

fn rows() -> Vec<Row> {
    let of_eval = |name| evals::EVALS.iter().find(|eval| eval.name == name).expect("an eval");
    let programs = PROGRAMS.iter().map(|&(name, size)| Row {
        name: format!("{FOLDER}{name}"),
        size,
        primal: "primal",
        gradient: "gradient",
    });
    let sized = SIZED.iter().flat_map(|(name, sizes)| {
        let eval = of_eval(*name);
        sizes.iter().map(|&size| Row { name: name.to_string(), size, primal: eval.primal, gradient: eval.gradient })
    });
    programs.chain(sized).collect()
}

/// The heading under which the page has this.
pub const HEADING: &str = "## Programs on arrays";

/// The section of the page.
pub fn section(asked: &Asked, compiler: Option<&Compiler>, wants: impl Fn(&str) -> bool) -> String {
    let mut text = format!(
        "{HEADING}\n\nMade by `cargo xtask bench --arrays`. The programs of `benches/arrays`, and GradBench's evals at large sizes, on one thread: times of the processor, the least of several runs. *C* \
         is what a person would write, with the derivative by hand, by `cc -O3 -march=native`; *-Ofast* the same with the order of additions left to the compiler. *÷ best* compares the gradient \
         with the best of C at -O3 and JAX. *Adds* is what the runs add to the memory of the process. *Compiling* is that of the gradient, from L1 to machine code. *Two threads* is how many times faster two are, by the clock on \
         the wall.\n\n\
         | program | size | primal | ÷ C | ÷ C -Ofast | ÷ JAX | gradient | ÷ primal | ÷ C | ÷ JAX | ÷ best | adds | JAX adds | compiling | JAX compiling | two threads | same value |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
    );
    let mut ratios = vec![];
    for row in rows() {
        if wants(row.name.rsplit('/').next().unwrap_or("")) {
            let (line, best) = measured(asked, compiler, &row);
            eprint!("{line}");
            text.push_str(&line);
            ratios.extend(best);
        }
    }
    let within = |limit: f64| ratios.iter().filter(|ratio| **ratio <= limit).count();
    text.push_str(&format!(
        "\nGradients of {} programs have somebody to compare with: {} take at most the best one's time, {} at most one and a half times that, {} at most three times.\n",
        ratios.len(),
        within(1.0),
        within(1.5),
        within(3.0)
    ));
    text
}

/// The line of a row, and how its gradient compares with the best.
fn measured(asked: &Asked, compiler: Option<&Compiler>, row: &Row) -> (String, Option<f64>) {
    let functions = [row.primal, row.gradient];
    let [primal, gradient] = functions.map(|function| ours(asked, row, function, 1));
    let threads = [1, 2].map(|threads| ours(asked, row, row.gradient, -threads));
    let c = |products| functions.map(|function| in_c(asked, compiler, row, function, products));
    let ([c_primal, c_gradient], [fast_primal, _]) = (c(Products::Fused), c(Products::Reordered));
    let [jax_primal, jax_gradient] = functions.map(|function| jax(asked, row, function));
    let best = match (&c_gradient, &jax_gradient) {
        (Ok(c), Ok(jax)) => Some(c.seconds.min(jax.seconds)),
        (Ok(one), Err(_)) | (Err(_), Ok(one)) => Some(one.seconds),
        (Err(_), Err(_)) => None,
    };
    let best = best.and_then(|best| Some(gradient.as_ref().ok()?.seconds / best));
    let shown = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.2}"));
    let line = format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        row.name.rsplit('/').next().unwrap_or(""),
        row.size.replace(',', ", "),
        time(&primal),
        ratio(&primal, &c_primal),
        ratio(&primal, &fast_primal),
        ratio(&primal, &jax_primal),
        time(&gradient),
        ratio(&gradient, &primal),
        ratio(&gradient, &c_gradient),
        ratio(&gradient, &jax_gradient),
        shown(best),
        adds(&gradient),
        adds(&jax_gradient),
        compiling(&gradient),
        compiling(&jax_gradient),
        ratio(&threads[0], &threads[1]),
        same(&gradient, &[&c_gradient, &jax_gradient]),
    );
    (line, best)
}

/// A cell of ours; with a negative number of threads by the clock on the wall.
fn ours(asked: &Asked, row: &Row, function: &str, threads: i32) -> Measured {
    let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
    let clock = if threads < 0 { "wall" } else { "processor" };
    command.args(["--cell", &row.name, function, row.size, &asked.seconds.to_string(), clock]);
    command.env("EVERT_THREADS", threads.unsigned_abs().to_string());
    within(command, asked.limit)
}

fn in_c(asked: &Asked, compiler: Option<&Compiler>, row: &Row, function: &str, products: Products) -> Measured {
    let compiler = compiler.ok_or("no C compiler")?;
    let program = compiler.compile(&row.name, products).ok_or("not written in C")?;
    let mut command = Command::new(program.path());
    command.args([function, row.size, &asked.seconds.to_string()]);
    within(command, asked.limit)
}

fn jax(asked: &Asked, row: &Row, function: &str) -> Measured {
    let mut command = Command::new(asked.python.as_ref().map_err(Clone::clone)?);
    let (script, name) = match row.name.strip_prefix(FOLDER) {
        Some(name) => ("benches/arrays/arrays.py", name),
        None => ("benches/evals/evals.py", row.name.as_str()),
    };
    command.arg(root().join(script)).args([name, function, row.size, &asked.seconds.to_string()]);
    within(command, asked.limit)
}

fn time(cell: &Measured) -> String {
    cell.as_ref().map_or_else(Clone::clone, |cell| milliseconds(cell.seconds))
}

fn milliseconds(seconds: f64) -> String {
    let ms = seconds * 1e3;
    if ms < 10.0 { format!("{ms:.3} ms") } else { format!("{ms:.0} ms") }
}

fn compiling(cell: &Measured) -> String {
    cell.as_ref().ok().and_then(|cell| cell.compiling).map_or(String::new(), milliseconds)
}

fn adds(cell: &Measured) -> String {
    cell.as_ref().map_or(String::new(), |cell| format!("{:.1} MiB", cell.resident as f64 / (1 << 20) as f64))
}

fn ratio(above: &Measured, below: &Measured) -> String {
    match (above, below) {
        (Ok(above), Ok(below)) => format!("{:.2}", above.seconds / below.seconds),
        _ => String::new(),
    }
}

/// Do all who answered give the same value?
fn same(ours: &Measured, others: &[&Measured]) -> String {
    let Ok(ours) = ours else { return String::new() };
    let answered: Vec<&Cell> = others.iter().filter_map(|cell| cell.as_ref().ok()).collect();
    match answered.iter().find(|cell| !close(ours.value, cell.value)) {
        Some(other) => format!("{} and {}", ours.value, other.value),
        None if answered.is_empty() => String::new(),
        None => "yes".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_written_in_c_too() {
        for (name, _) in PROGRAMS {
            assert!(root().join(format!("benches/arrays/{name}.c")).exists(), "{name}");
        }
    }

    #[test]
    fn all_evals_with_sizes_have_rows() {
        let rows = rows();
        for eval in evals::EVALS.iter().filter(|eval| eval.sizes.len() > 1) {
            assert!(rows.iter().any(|row| row.name == eval.name), "{}", eval.name);
        }
    }
}
