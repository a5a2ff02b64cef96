//! `cargo xtask bench [--evals [--limit SECONDS]] [--arrays] [--cliffs] [--quick] [--only NAME] [--no-jax] [--no-c] [--dump]`: see the library.

use std::process::ExitCode;
use std::time::Duration;

use bench::jax::{Answer, Jax};
use bench::kernels::{Kernel, Program};
use bench::report::{Row, milliseconds};
use bench::{Options, arrays, c, chain, cliffs, clock, evals, report, root, start};
use llvm::Effort;

fn main() -> ExitCode {
    llvm::self_test_child();
    if let Some(line) = cell() {
        println!("{line}");
        return ExitCode::SUCCESS;
    }
    let (options, dump) = match arguments() {
        Ok(options) => options,
        Err(argument) => {
            eprintln!(
                "what is {argument}? Use: cargo xtask bench [--evals [--limit SECONDS]] [--arrays] [--cliffs] [--quick] [--only NAME] [--no-jax] \
                 [--no-c] [--dump]"
            );
            return ExitCode::from(2);
        }
    };
    clock::pin();
    let done = if dump { dump_all(&options) } else { measure(&options) };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<(Options, bool), String> {
    let (mut options, mut dump) = (Options::default(), false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--quick" => options.quick = true,
            "--no-jax" => options.no_jax = true,
            "--no-c" => options.no_c = true,
            "--only" => options.only = arguments.next(),
            "--dump" => dump = true,
            "--evals" => options.evals = true,
            "--arrays" => options.arrays = true,
            "--cliffs" => options.cliffs = true,
            "--limit" => options.limit = arguments.next().and_then(|seconds| seconds.parse().ok()),
            _ => return Err(argument),
        }
    }
    Ok((options, dump))
}

/// What this process is to measure for another one: `--cell EVAL FUNCTION SIZE SECONDS CLOCK`. By the clock on the wall it has all processors.
fn cell() -> Option<String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [flag, name, function, size, seconds, clock] = &arguments[..] else { return None };
    if flag != "--cell" {
        return None;
    }
    let clock: fn() -> Duration = if clock == "wall" {
        clock::unpin();
        clock::wall
    } else {
        clock::busy
    };
    let cell = evals::run(name, function, size, seconds.parse().ok()?, clock);
    Some(cell.map_or_else(|why| format!("- {}", why.lines().next().unwrap_or("")), |cell| cell.line()))
}

fn asked(options: &Options) -> evals::Asked {
    let seconds = if options.quick { 0.0 } else { 0.2 };
    evals::Asked::new(options.no_jax, Duration::from_secs(options.limit.unwrap_or(60)), seconds)
}

/// A part of the page, from its heading to the next one; the first part has none.
struct Section {
    heading: &'static str,
    text: String,
}

/// Measures the parts that are asked for, all where none is named, and writes them into the page.
fn measure(options: &Options) -> Result<(), String> {
    let all = !(options.evals || options.arrays || options.cliffs);
    let asked = asked(options);
    let wants = |name: &str| options.wants(name);
    let mut sections = vec![];
    let mut done = |heading, text: String| {
        print!("{text}");
        sections.push(Section { heading, text });
    };
    if all {
        done("", kernels(options)?);
    }
    if all || options.arrays {
        let compiler = if options.no_c { None } else { c::Compiler::find() };
        done(arrays::HEADING, arrays::section(&asked, compiler.as_ref(), wants));
    }
    if all || options.cliffs {
        done(cliffs::HEADING, cliffs::section(&asked, wants)?);
    }
    if all || options.evals {
        done(evals::HEADING, evals::section(&asked, wants));
    }
    if options.quick || options.only.is_some() {
        return Ok(());
    }
    let path = root().join("docs/benchmarks.md");
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(path, replaced(&page, &sections)).map_err(|error| error.to_string())
}

/// The page with these sections instead of those of the same headings, in the order of the page.
fn replaced(page: &str, sections: &[Section]) -> String {
    let headings = [arrays::HEADING, cliffs::HEADING, evals::HEADING];
    let start = |heading: &str| if heading.is_empty() { Some(0) } else { page.find(heading) };
    let old = |heading: &str| {
        let from = start(heading)?;
        let ends = headings.iter().filter_map(|next| page.find(next)).filter(|end| *end > from);
        Some(&page[from..ends.min().unwrap_or(page.len())])
    };
    let parts = std::iter::once("").chain(headings).filter_map(|heading| {
        let new = sections.iter().find(|section| section.heading == heading).map(|section| section.text.as_str());
        Some(new.or_else(|| old(heading))?.trim_end().to_string() + "\n")
    });
    parts.collect::<Vec<String>>().join("\n")
}

/// The names and texts of the programs, in order.
fn programs(options: &Options) -> Result<Vec<(String, String)>, String> {
    let folder = root().join("benches/programs");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("benches/programs: {error}"))?;
    let mut programs = vec![];
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if options.wants(&name) {
            programs.push((name, std::fs::read_to_string(&path).map_err(|error| error.to_string())?));
        }
    }
    programs.sort();
    Ok(programs)
}

/// The effort to try instead of the engine's, for experiments.
fn effort() -> Option<Effort> {
    match std::env::var("EVERT_BENCH_EFFORT").as_deref() {
        Ok("quick") => Some(Effort::Quick),
        Ok("standard") => Some(Effort::Standard),
        Ok("full") => Some(Effort::Full),
        _ => None,
    }
}

/// The programs of `benches/programs`, chains and the command's start: the part of the page before the sections.
fn kernels(options: &Options) -> Result<String, String> {
    let mut notes = vec![];
    let compiler = if options.no_c { None } else { c::Compiler::find() };
    match &compiler {
        Some(compiler) => notes.push(format!(
            "C: {}, -O3 -march=native; it fuses products with sums, in *÷ C as written* not (-ffp-contract=off): we fuse by \
             a rule of our own that leaves products that could cancel alone, on every machine the same.",
            compiler.describe()
        )),
        None => notes.push("No C compiler: its columns are empty.".to_string()),
    }
    let mut jax = if options.no_jax { Err("not asked for".to_string()) } else { Jax::start() };
    if let Err(why) = &jax {
        notes.push(format!("No JAX ({why}): its columns are empty."));
    }
    let mut rows = vec![];
    for (name, text) in programs(options)? {
        let new = measure_program(options, &name, &text, compiler.as_ref(), jax.as_mut().ok())?;
        eprint!("{}", report::kernels(&new).lines().skip(2).map(|line| format!("{line}\n")).collect::<String>());
        rows.extend(new);
    }
    drop(jax);
    let mut page = page(&notes, &rows);
    if options.wants("chain") {
        page.push_str(&chains(options)?);
    }
    if options.wants("start") {
        page.push_str(&starts(options));
    }
    Ok(page)
}

fn measure_program(
    options: &Options,
    name: &str,
    text: &str,
    compiler: Option<&c::Compiler>,
    mut jax: Option<&mut Jax>,
) -> Result<Vec<Row>, String> {
    let mut program = Program::new(name, text, effort())?;
    let compile = |products| compiler.and_then(|compiler| compiler.compile(name, products));
    let (c, c_as_written) = (compile(c::Products::Fused), compile(c::Products::AsWritten));
    let mut rows: Vec<Row> = program.kernels.iter().map(|kernel| empty(name, kernel)).collect();
    let mut values = vec![vec![]; rows.len()];
    for _ in 0..options.rounds() {
        for (at, row) in rows.iter_mut().enumerate() {
            match program.run(at) {
                Ok(run) => {
                    row.ours = Ok(row.ours.as_ref().map_or(run.time, |time| run.time.min(*time)));
                    row.peak_bytes = run.peak_bytes;
                    values[at].push(run.value);
                }
                Err(why) => row.ours = Err(why),
            }
            for (c, least) in [(&c, &mut row.c), (&c_as_written, &mut row.c_as_written)] {
                if let Some((time, value)) = c.as_ref().and_then(|c| c.run(&row.label)) {
                    *least = Some(least.map_or(time, |least| least.min(time)));
                    values[at].push(value);
                }
            }
            if let Some(jax) = &mut jax {
                let answer = jax.run(name, &row.label);
                if let Answer::Ran { value, .. } = answer {
                    values[at].push(value);
                }
                row.jax = Some(faster(row.jax.take(), answer));
            }
        }
    }
    let c_primal = rows.iter().find(|row| row.label == "primal").and_then(|row| row.c);
    for (row, values) in rows.iter_mut().zip(&values) {
        row.agree = values.iter().all(|value| close(*value, values[0]));
        let same_work = ["gradient", "forward"].contains(&row.label.as_str());
        row.c_primal = c_primal.filter(|_| same_work);
    }
    Ok(rows)
}

fn empty(name: &str, kernel: &Kernel) -> Row {
    Row {
        name: name.to_string(),
        label: kernel.label.clone(),
        ours: Err("not run".into()),
        stages: kernel.times,
        peak_bytes: 0,
        c: None,
        c_as_written: None,
        c_primal: None,
        jax: None,
        agree: true,
    }
}

fn faster(before: Option<Answer>, now: Answer) -> Answer {
    match (before, now) {
        (Some(Answer::Ran { compiling, time, value }), Answer::Ran { time: again, .. }) => {
            Answer::Ran { compiling, time: time.min(again), value }
        }
        (_, now) => now,
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-4 * (1.0 + a.abs() + b.abs())
}

fn page(notes: &[String], rows: &[Row]) -> String {
    let mut text = format!(
        "# Benchmarks\n\nMade by `cargo xtask bench`, on {}: {}. {} Times are of the processor; each is the least of several, \
         the competitors taking turns. *÷ C* compares with the same kernel written by hand in C, derivatives included; *÷ C \
         primal* compares a derivative with the C function that it is the derivative of. What is compiled is ready before \
         the time begins; how long that takes has its own columns.\n\n",
        clock::machine(),
        date(),
        notes.join(" "),
    );
    text.push_str(&report::kernels(rows));
    text
}

fn date() -> String {
    let output = std::process::Command::new("date").arg("+%Y-%m-%d").output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string()).unwrap_or_default()
}

/// Compiling the derivative of ever longer chains.
fn chains(options: &Options) -> Result<String, String> {
    let mut text = String::from(
        "\n## Compiling\n\nThe derivative of a chain of scalar operations, from L1 to machine code.\n\n\
         | operations | differentiate and specialise | optimise | lower | LLVM | together |\n|---|---|---|---|---|---|\n",
    );
    let sizes: &[usize] = if options.quick { &[100, 200] } else { &[750, 1500, 3000, 6000] };
    for &size in sizes {
        let program = Program::new("chain", &chain::text(size), effort())?;
        let times = program.kernels[0].times;
        let parts = [times.specialise, times.optimise, times.lower, times.llvm, times.total()];
        let cells: Vec<String> = parts.iter().map(|time: &Duration| milliseconds(*time)).collect();
        text.push_str(&format!("| {size} | {} |\n", cells.join(" | ")));
    }
    Ok(text)
}

fn starts(options: &Options) -> String {
    let title = "\n## From start to result\n\nA small program with a loop and its derivative, run by the command";
    let Some(times) = start::command().and_then(|command| start::measure(&command, options.rounds())) else {
        return format!("{title}: not measured, the command isn't there.\n");
    };
    let (cold, warm) = (milliseconds(times.cold), milliseconds(times.warm));
    format!("{title}: {cold} with an empty cache, {warm} the second time.\n")
}

/// What each kernel becomes, into files of the folder for temporary files.
fn dump_all(options: &Options) -> Result<(), String> {
    let folder = std::env::temp_dir().join("evert-bench-dump");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    for (name, text) in programs(options)? {
        let program = Program::new(&name, &text, effort())?;
        for (at, kernel) in program.kernels.iter().enumerate() {
            let dump = program.dump(at);
            for (level, text) in [("l3", &dump.l3), ("l4", &dump.l4), ("ll", &dump.ir)] {
                let file = folder.join(format!("{name}.{}.{level}", kernel.label));
                std::fs::write(file, text).map_err(|error| error.to_string())?;
            }
        }
    }
    println!("{}", folder.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_replaces_the_one_of_its_heading() {
        let [arrays, evals] = [arrays::HEADING, evals::HEADING];
        let page = format!("# Benchmarks\n\nold\n\n{arrays}\n\nold arrays\n\n{evals}\n\nold evals\n");
        let new = Section { heading: arrays::HEADING, text: format!("{arrays}\n\nnew\n") };
        let after = format!("# Benchmarks\n\nold\n\n{arrays}\n\nnew\n\n{evals}\n\nold evals\n");
        assert_eq!(replaced(&page, &[new]), after);
        let rewrites = Section { heading: cliffs::HEADING, text: format!("{}\n\nnew\n", cliffs::HEADING) };
        let after = replaced(&page, &[rewrites]);
        assert!(
            after.find(arrays) < after.find(cliffs::HEADING) && after.find(cliffs::HEADING) < after.find(evals),
            "{after}"
        );
    }
}
