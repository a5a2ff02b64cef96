//! Rewrites: the same computation as several people would write it. A change that is natural shouldn't change the time by much.
//!
//! In: the programs of `benches/cliffs`, each with its size in the first line, `input(n)`, which is `{at, data}`, and functions `as_…(at, data)` that give the same
//! number. Out: a table of their times and those of their gradients by `at`, each relative to the best of its program. Every cell is a process of its own, as for the
//! evals.

use std::fmt::Write;
use std::process::Command;

use crate::evals::{Asked, Measured, close, within};
use crate::root;

/// What the names of these programs begin with, where cells are asked for.
pub const FOLDER: &str = "cliffs/";

/// A rewrite should take at most so many times the best one's time.
const STEEP: f64 = 1.5;

/// What is measured of a rewrite.
const COLUMNS: [&str; 2] = ["primal", "gradient"];

/// The programs that are wanted: names, sizes and the rewrites of each.
fn programs(wants: impl Fn(&str) -> bool) -> Result<Vec<(String, usize, Vec<String>)>, String> {
    let entries =
        std::fs::read_dir(root().join("benches/cliffs")).map_err(|error| format!("benches/cliffs: {error}"))?;
    let mut programs = vec![];
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !wants(&name) {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        let size = text.lines().next().and_then(|line| line.strip_prefix("// size: ")?.parse().ok());
        let size = size.ok_or_else(|| format!("{name} has no size in its first line"))?;
        programs.push((name, size, rewrites(&text)));
    }
    programs.sort();
    Ok(programs)
}

/// The names of the functions of a program that are rewrites of each other.
fn rewrites(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.strip_prefix("fn ")?.split('(').next());
    names.filter(|name| name.starts_with("as_")).map(str::to_string).collect()
}

/// What a cell calls, as a program: `primal` and `gradient` of a rewrite.
pub fn calls(rewrite: &str) -> String {
    format!("fn primal(x) = {rewrite}(x.at, x.data)\nfn gradient(x) = grad(v => {rewrite}(v, x.data))(x.at)\n")
}

/// The heading under which the page has this.
pub const HEADING: &str = "## Rewrites";

/// The section of the page: the table of the programs that are wanted.
pub fn section(asked: &Asked, wants: impl Fn(&str) -> bool) -> Result<String, String> {
    let mut text = format!(
        "{HEADING}\n\nMade by `cargo xtask bench --cliffs`. The same computation as several people would write it (`benches/cliffs`), one thread; *÷ best* compares with the best of its program.\n\n\
         | program | rewrite | primal | ÷ best | gradient | ÷ best |\n|---|---|---|---|---|---|\n"
    );
    let (mut steep, mut all) = (0, 0);
    for (name, size, rewrites) in programs(wants)? {
        let columns = COLUMNS.map(|column| {
            let cell = |rewrite: &String| ours(asked, &name, rewrite, column, size);
            rewrites.iter().map(cell).collect::<Vec<Measured>>()
        });
        for (at, rewrite) in rewrites.iter().enumerate() {
            let cells = columns.each_ref().map(|column| (compared(column, at), slower(column, at)));
            all += cells.len();
            steep += cells.iter().filter(|(_, slower)| slower.is_none_or(|slower| slower > STEEP)).count();
            let shown = cells.map(|(cell, slower)| {
                let slower = slower.map_or(String::new(), |slower| format!("{slower:.2}"));
                format!("{cell} | {slower}")
            });
            let row = format!("| {name} {size} | {} | {} |\n", &rewrite["as_".len()..], shown.join(" | "));
            eprint!("{row}");
            text.push_str(&row);
        }
    }
    let _ = writeln!(text, "\n{steep} of {all} take more than {STEEP} times the best one's time, or fail.");
    Ok(text)
}

fn ours(asked: &Asked, name: &str, rewrite: &str, function: &str, size: usize) -> Measured {
    let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
    let name = format!("{FOLDER}{name}/{rewrite}");
    command.args(["--cell", &name, function, &size.to_string(), &asked.seconds.to_string(), "processor"]);
    command.env("EVERT_THREADS", "1");
    within(command, asked.limit)
}

/// The time of a rewrite, or what is wrong with it: it may not give another value than the others.
fn compared(column: &[Measured], at: usize) -> String {
    let agreed = column.iter().find_map(|cell| cell.as_ref().ok()).map(|cell| cell.value);
    match (&column[at], agreed) {
        (Ok(cell), Some(value)) if !close(cell.value, value) => format!("gives {}, not {value}", cell.value),
        (Ok(cell), _) => format!("{:.3} ms", cell.seconds * 1e3),
        (Err(why), _) => why.clone(),
    }
}

/// How many times the best one's time it takes.
fn slower(column: &[Measured], at: usize) -> Option<f64> {
    let times = column.iter().filter_map(|cell| Some(cell.as_ref().ok()?.seconds));
    Some(column[at].as_ref().ok()?.seconds / times.fold(f64::INFINITY, f64::min))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_has_six_rewrites_or_more() {
        let programs = programs(|_| true).expect("the folder is there");
        assert!(programs.len() >= 8);
        assert!(programs.iter().all(|(_, _, rewrites)| rewrites.len() >= 6), "{programs:?}");
    }
}
