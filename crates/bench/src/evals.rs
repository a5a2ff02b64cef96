//! How the evals of GradBench grow: time and memory of primal and derivative at several sizes, and JAX's memory beside ours.
//!
//! In: the programs of `gradbench/`, the inputs of `benches/evals/inputs.ev`, the same evals in JAX (`benches/evals/evals.py`). Out:
//! tables for docs/benchmarks.md. Every cell is a process of its own with a limit on its time: what it adds to the memory of the
//! process is then its own.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use eval::Value;
use eval::array::Elements;
use evert::{Again, Engine, Session};

use crate::{arrays, cliffs, jax, memory, root};

/// An eval, and the sizes it is run at.
pub struct Eval {
    pub name: &'static str,
    pub primal: &'static str,
    pub gradient: &'static str,
    /// What the sizes are.
    pub what: &'static str,
    pub sizes: &'static [usize],
}

const fn eval(
    name: &'static str,
    primal: &'static str,
    gradient: &'static str,
    what: &'static str,
    sizes: &'static [usize],
) -> Eval {
    Eval { name, primal, gradient, what, sizes }
}

/// All twelve. The last three have no size: of `particle` and `saddle` two of the four functions are shown.
pub const EVALS: &[Eval] = &[
    eval("llsq", "primal", "gradient", "points", &[2048, 4096, 8192, 16384]),
    eval("lse", "primal", "gradient", "numbers", &[80_000, 160_000, 320_000, 640_000]),
    eval("det", "primal", "gradient", "rows; growth by their factorial", &[6, 7, 8, 9]),
    eval("ode", "primal", "gradient", "steps", &[25, 50, 100, 200]),
    eval("gmm", "objective", "jacobian", "points", &[250, 500, 1000, 2000]),
    eval("kmeans", "cost", "dir", "points", &[1000, 2000, 4000, 8000]),
    eval("lstm", "objective", "jacobian", "characters", &[256, 512, 1024, 2048]),
    eval("ba", "objective", "jacobian", "observations", &[4000, 8000, 16_000, 32_000]),
    eval("ht", "objective", "jacobian", "points and vertices", &[250, 500, 1000, 2000]),
    eval("particle", "ff", "rr", "", &[1]),
    eval("saddle", "ff", "rr", "", &[1]),
    eval("hello", "square", "double", "", &[1]),
];

impl Eval {
    /// What time is expected to grow with.
    fn work(&self, size: usize) -> f64 {
        if self.name == "det" { (1..=size).map(|n| n as f64).product() } else { size as f64 }
    }
}

/// What a cell took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    pub seconds: f64,
    /// Of the heap of compiled code, at its largest. JAX has none to ask.
    pub heap: Option<usize>,
    /// What the runs added to the memory of the process.
    pub resident: usize,
    /// The sum of all reals of the result.
    pub value: f64,
    /// What compiling the function took before, where there is a compiler.
    pub compiling: Option<f64>,
}

/// A cell that was measured, or why not.
pub type Measured = Result<Cell, String>;

/// Runs a function of an eval in this process: what a cell does. The size is one number for the inputs of this module's table, and several, with commas between them,
/// for inputs that have more than one size.
pub fn run(name: &str, function: &str, size: &str, seconds: f64, clock: fn() -> Duration) -> Measured {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"));
    let mut session = Session::offline();
    session.engines.engine = Engine::Native;
    let mut define = |path: &str| -> Result<(), String> {
        session.run(path, &read(path)?, |_| ()).map_err(|failure| failure[0].message.clone())
    };
    define("benches/evals/inputs.ev")?;
    let rewrite = name.strip_prefix(cliffs::FOLDER).and_then(|rest| rest.split_once('/'));
    let input = match (name.strip_prefix(arrays::FOLDER), rewrite) {
        (Some(_), _) => {
            define(&format!("benches/{name}.ev"))?;
            format!("input({size})")
        }
        (None, Some((program, rewrite))) => {
            define(&format!("benches/cliffs/{program}.ev"))?;
            session.run("calls", &cliffs::calls(rewrite), |_| ()).map_err(|failure| failure[0].message.clone())?;
            format!("input({size})")
        }
        (None, None) => {
            define(&format!("gradbench/{name}.ev"))?;
            format!("{}_{name}({size})", if size.contains(',') { "sized" } else { "input" })
        }
    };
    let input = session.evaluate(&input).map_err(|failure| failure[0].message.clone())?;
    let input = match session.callable("prepare") {
        Some(mut prepare) => prepare.call(&mut session, input).map_err(|error| error.message.clone())?,
        None => input,
    };
    let mut callable = session.callable(function).ok_or_else(|| format!("{name} has no {function}"))?;
    let compiling = clock();
    callable.prepare(&mut session, &input).map_err(|ran| format!("{ran:?}"))?;
    let compiling = clock() - compiling;
    let before = memory::settled();
    // The first run has the arguments to bring too, and isn't the least.
    let (mut least, mut total, mut runs, mut last) = (Duration::MAX, Duration::ZERO, 0, clock());
    let mut again = |_: Duration| {
        let took = clock() - std::mem::replace(&mut last, clock());
        (least, total, runs) = (least.min(took), total + took, runs + 1);
        if runs < 3 || total.as_secs_f64() < seconds { Again::Yes } else { Again::No }
    };
    let output = callable.repeat(&mut session, input, &mut again).map_err(|error| error.message.clone())?;
    let resident = memory::added(before);
    let heap = session.engines.last.as_ref().map(|last| last.peak_bytes);
    let output = match session.callable(&format!("{function}_answer")) {
        Some(mut answer) => answer.call(&mut session, output).map_err(|error| error.message.clone())?,
        None => output,
    };
    let compiling = Some(compiling.as_secs_f64());
    Ok(Cell { seconds: least.as_secs_f64(), heap, resident, value: sum(&output), compiling })
}

fn sum(value: &Value) -> f64 {
    match eval::force(value) {
        Ok(Value::Real(x)) => x,
        Ok(Value::Data(data)) => data.fields.iter().map(sum).sum(),
        Ok(Value::Array(array)) => match &array.elements {
            Elements::Real(numbers) => numbers.iter().sum(),
            Elements::Values(values) => values.iter().map(sum).sum(),
            Elements::Int(_) | Elements::Bool(_) => 0.0,
        },
        _ => 0.0,
    }
}

impl Cell {
    /// As a line between processes.
    pub fn line(&self) -> String {
        let heap = self.heap.map_or("-".to_string(), |bytes| bytes.to_string());
        let compiling = self.compiling.map_or("-".to_string(), |seconds| seconds.to_string());
        format!("{} {heap} {} {} {compiling}", self.seconds, self.resident, self.value)
    }

    fn parse(line: &str) -> Measured {
        if let Some(why) = line.strip_prefix("- ") {
            return Err(why.to_string());
        }
        let words: Vec<&str> = line.split(' ').collect();
        let cell = |words: &[&str]| match words {
            [seconds, heap, resident, value, compiling @ ..] => Some(Cell {
                seconds: seconds.parse().ok()?,
                heap: heap.parse().ok(),
                resident: resident.parse().ok()?,
                value: value.parse().ok()?,
                compiling: compiling.first().and_then(|seconds| seconds.parse().ok()),
            }),
            _ => None,
        };
        cell(&words).ok_or_else(|| "no answer".to_string())
    }
}

/// Runs a cell as a process that may compute for no longer than the limit, or wait for ten times as long.
pub(crate) fn within(mut command: Command, limit: Duration) -> Measured {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|error| error.to_string())?;
    let start = Instant::now();
    while !ended(&mut child)? {
        if memory::computed(child.id()).is_some_and(|time| time > limit) || start.elapsed() > 10 * limit {
            // It may have ended just now.
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("more than {} s", limit.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut text = String::new();
    if let Some(mut out) = child.stdout.take() {
        out.read_to_string(&mut text).map_err(|error| error.to_string())?;
    }
    Cell::parse(text.lines().last().unwrap_or(""))
}

fn ended(child: &mut Child) -> Result<bool, String> {
    Ok(child.try_wait().map_err(|error| error.to_string())?.is_some())
}

/// One function of one eval at all sizes.
pub struct Column {
    pub ours: Vec<Measured>,
    pub jax: Vec<Measured>,
}

/// Who is asked, and for how long.
pub struct Asked {
    pub limit: Duration,
    /// How long a function is repeated.
    pub seconds: f64,
    /// The Python that has JAX, or why there is none.
    pub python: Result<std::path::PathBuf, String>,
}

impl Asked {
    pub fn new(no_jax: bool, limit: Duration, seconds: f64) -> Asked {
        let python = if no_jax { Err("not asked for".into()) } else { jax::environment() };
        Asked { limit, seconds, python }
    }

    fn column(&self, eval: &Eval, function: &str) -> Column {
        let ours = |size: &usize| -> Measured {
            let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
            command.args(["--cell", eval.name, function, &size.to_string(), &self.seconds.to_string(), "processor"]);
            command.env("EVERT_THREADS", "1");
            within(command, self.limit)
        };
        let jax = |size: &usize| -> Measured {
            let mut command = Command::new(self.python.as_ref().map_err(Clone::clone)?);
            command.arg(root().join("benches/evals/evals.py"));
            command.args([eval.name, function, &size.to_string(), &self.seconds.to_string()]);
            within(command, self.limit)
        };
        // JAX at the largest size alone: each of its cells takes seconds to start and to compile.
        let largest = &eval.sizes[eval.sizes.len() - 1..];
        Column { ours: eval.sizes.iter().map(ours).collect(), jax: largest.iter().map(jax).collect() }
    }
}

/// The heading under which the page has this.
pub const HEADING: &str = "## Growth and memory of GradBench's evals";

/// The section of the page.
pub fn section(asked: &Asked, wants: impl Fn(&str) -> bool) -> String {
    let mut text = format!(
        "{HEADING}\n\nMade by `cargo xtask bench --evals`. Each function runs in a process of its own, which may compute for {} s. Times are of the processor, the least of several. *Growth* is the \
         exponent e that fits time ~ sizeᵉ best; primal and gradient should have the same. *Heap* is that of compiled code at its largest, in \
         chunks of 1 MiB or more, arguments and results included; *adds* is what the runs add to the memory of the process, at the \
         largest size; *JAX adds* the same for JAX ({}), where arguments are in place already.\n\n\
         | eval | function | sizes | times | growth | heap | adds | JAX | JAX growth | JAX adds | same value |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
        asked.limit.as_secs(),
        asked
            .python
            .as_ref()
            .map_or_else(|why| format!("which isn't there: {why}"), |_| "benches/evals/evals.py".into()),
    );
    for eval in EVALS.iter().filter(|eval| wants(eval.name)) {
        for function in [eval.primal, eval.gradient] {
            let row = row(eval, function, &asked.column(eval, function));
            eprint!("{row}");
            text.push_str(&row);
        }
    }
    text
}

fn row(eval: &Eval, function: &str, column: &Column) -> String {
    let sizes: Vec<String> = eval.sizes.iter().map(ToString::to_string).collect();
    let sizes = if eval.what.is_empty() { String::new() } else { format!("{} {}", sizes.join(", "), eval.what) };
    let last = |cells: &[Measured]| cells.iter().rev().find_map(|cell| cell.as_ref().ok().copied());
    let (ours, jax) = (last(&column.ours), last(&column.jax));
    let adds = |cell: Option<Cell>| cell.map_or(String::new(), |cell| mebibytes(cell.resident));
    let same = match (&column.ours[..], &column.jax[..]) {
        ([.., Ok(a)], [.., Ok(b)]) if close(a.value, b.value) => "yes".to_string(),
        ([.., Ok(a)], [.., Ok(b)]) => format!("{} and {}", a.value, b.value),
        _ => String::new(),
    };
    format!(
        "| {} | {function} | {sizes} | {} | {} | {} | {} | {} | {} | {} | {same} |\n",
        eval.name,
        times(&column.ours),
        growth(eval, &column.ours),
        ours.and_then(|cell| cell.heap).map_or(String::new(), mebibytes),
        adds(ours),
        times(&column.jax),
        growth(eval, &column.jax),
        adds(jax),
    )
}

fn times(cells: &[Measured]) -> String {
    let time = |cell: &Measured| match cell {
        Ok(cell) => format!("{:.3}", cell.seconds * 1e3),
        Err(why) => why.clone(),
    };
    // The same reason for all sizes is said once.
    let mut all: Vec<String> = cells.iter().map(time).collect();
    all.dedup();
    let unit = if cells.iter().any(Result::is_ok) { " ms" } else { "" };
    all.join(", ") + unit
}

/// The exponent that fits best, from three sizes on.
fn growth(eval: &Eval, cells: &[Measured]) -> String {
    let points = eval.sizes.iter().zip(cells);
    let points: Vec<(f64, f64)> =
        points.filter_map(|(size, cell)| Some((eval.work(*size).ln(), cell.as_ref().ok()?.seconds.ln()))).collect();
    slope(&points).map_or(String::new(), |slope| format!("{slope:.2}"))
}

/// The slope of the line that fits best (least squares).
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    if points.len() < 3 {
        return None;
    }
    let n = points.len() as f64;
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (mx, my) = (mean(&|p| p.0), mean(&|p| p.1));
    let (both, square) = (mean(&|p| (p.0 - mx) * (p.1 - my)), mean(&|p| (p.0 - mx) * (p.0 - mx)));
    (square > 0.0).then_some(both / square)
}

fn mebibytes(bytes: usize) -> String {
    format!("{:.1} MiB", bytes as f64 / (1 << 20) as f64)
}

pub(crate) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * (1.0 + a.abs() + b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let points: Vec<(f64, f64)> = [1.0, 2.0, 4.0f64].iter().map(|x| (x.ln(), (3.0 * x.powf(1.5)).ln())).collect();
        assert!((slope(&points).expect("three points") - 1.5).abs() < 1e-12);
        assert_eq!(slope(&points[..2]), None);
    }

    #[test]
    fn cells_come_back_as_they_were_sent() {
        let cell = Cell { seconds: 0.25, heap: Some(4096), resident: 8192, value: -1.5, compiling: Some(0.5) };
        assert_eq!(Cell::parse(&cell.line()), Ok(cell));
        // Of programs in C nobody measures how long compiling them takes.
        assert_eq!(Cell::parse("0.25 - 0 -1.5"), Ok(Cell { heap: None, resident: 0, compiling: None, ..cell }));
        assert_eq!(Cell::parse("- impossible"), Err("impossible".into()));
        assert!(Cell::parse("").is_err());
    }

    #[test]
    fn a_process_that_takes_too_long_is_stopped() {
        let mut command = Command::new("sleep");
        command.arg("30");
        assert_eq!(within(command, Duration::from_millis(5)), Err("more than 0 s".into()));
    }
}
