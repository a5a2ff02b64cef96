//! The one corpus: every file of `suite/` holds on every engine.
//!
//! Each file runs on each engine in a process of its own with a time limit, so that one bad file hides no other. A step
//! may be left to the reference evaluator only if `suite/dynamic.txt` says so, and what that list says must be so on an
//! engine. What a step gives has the same bits on every engine. Where there is no LLVM the native engine is left out, with a note.
//!
//! Some files, and with `--variants` all, also run as code of every tier, for each instruction set that the machine has, as code that checks
//! itself, and on several threads, on which even the smallest loops are cut: with the same bits.
//!
//! Words after the name of the test select files; `--engine NAME` selects engines; `--limit SECONDS` is for slow machines;
//! `--list` prints what the list of dynamic steps should be.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use evert::testing::{self, Event, Problem};
use evert::{Checks, Engine, Ran, Session, World};

/// So that what the compiler uses is counted.
#[global_allocator]
static ALLOCATOR: eval::memory::Counting = eval::memory::Counting;

struct Files;

impl World for Files {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.to_string())
    }

    fn print(&self, _line: &str) {}
}

/// An engine, and what code is made of.
#[derive(Clone, Debug, PartialEq)]
struct Way {
    name: String,
    engine: Engine,
    /// What `EVERT_TIER` and `EVERT_CPU` are.
    tier: Option<&'static str>,
    cpu: Option<&'static str>,
    checks: Checks,
    /// What `EVERT_THREADS` is; all loops are large then.
    threads: Option<&'static str>,
}

impl Way {
    fn usual(name: &str, engine: Engine) -> Way {
        Way { name: name.into(), engine, tier: None, cpu: None, checks: Checks::Language, threads: None }
    }

    /// Compiled code as it usually isn't.
    fn variant(tier: &'static str, cpu: Option<&'static str>, checks: Checks) -> Way {
        let checked = if checks == Checks::Memory { ", checked" } else { "" };
        let name = format!("native ({tier}{}{}{checked})", if cpu.is_some() { ", " } else { "" }, cpu.unwrap_or(""));
        Way { name, engine: Engine::Native, tier: Some(tier), cpu, checks, threads: None }
    }

    fn on_threads(threads: &'static str) -> Way {
        Way { threads: Some(threads), ..Way::usual(&format!("native ({threads} threads)"), Engine::Native) }
    }

    fn is_usual(&self) -> bool {
        self.tier.is_none() && self.threads.is_none()
    }
}

const REFERENCE: &str = "reference";

fn ways() -> Vec<Way> {
    vec![
        Way::usual(REFERENCE, Engine::Reference),
        Way::usual("first-order", Engine::FirstOrder),
        Way::usual("native", Engine::Native),
    ]
}

/// Every tier, and for each instruction set of the machine the tier that works on most numbers at once.
fn variants() -> Vec<Way> {
    let tiers = llvm::Effort::ALL.map(|effort| Way::variant(effort.name(), None, Checks::Language));
    let sets = llvm::InstructionSet::ALL.into_iter().filter(|set| set.is_here());
    let sets =
        sets.flat_map(|set| ["quick", "full"].map(|tier| Way::variant(tier, Some(set.name()), Checks::Language)));
    let threads = ["2", "3", "8"].map(Way::on_threads);
    tiers.into_iter().chain(sets).chain([Way::variant("quick", None, Checks::Memory)]).chain(threads).collect()
}

/// The files that run in every way also if nobody asks for it: numbers, loops over arrays, derivatives.
const IN_EVERY_WAY: &[&str] = &[
    "suite/hostile/bits.ev",
    "suite/language/vectors.ev",
    "suite/language/matrices.ev",
    "suite/hostile/native_control.ev",
    "suite/hostile/threads.ev",
];

/// A file that takes longer than this counts as endless.
const LIMIT: Duration = Duration::from_secs(600);

const DYNAMIC: &str = "suite/dynamic.txt";
/// Places where the last digits depend on the engine: what is added to one element of a sensitivity may be added in another order.
const ROUNDING: &str = "suite/rounding.txt";

fn main() {
    llvm::self_test_child();
    let arguments = Arguments::read();
    match &arguments.child {
        Some((way, file)) => child(way.clone(), file),
        None => parent(&arguments),
    }
}

#[derive(Default)]
struct Arguments {
    /// Only files that contain one of these words.
    words: Vec<String>,
    /// Only these engines.
    engines: Vec<String>,
    limit: Option<Duration>,
    list: bool,
    /// All files in all ways.
    variants: bool,
    /// This process was started to run one file in one way.
    child: Option<(Way, PathBuf)>,
}

impl Arguments {
    fn read() -> Arguments {
        let mut found = Arguments::default();
        let mut rest = std::env::args().skip(1);
        let mut value = || rest.next().unwrap_or_default();
        loop {
            match value().as_str() {
                "" => return found,
                "--engine" => found.engines.push(value()),
                "--limit" => found.limit = value().parse().ok().map(Duration::from_secs),
                "--list" => found.list = true,
                "--variants" => found.variants = true,
                "--child" => {
                    let name = value();
                    let way = ways().into_iter().chain(variants()).find(|way| way.name == name);
                    found.child = Some((way.expect("the name of a way"), value().into()));
                }
                word if word.starts_with('-') => {}
                word => found.words.push(word.into()),
            }
        }
    }

    fn wants(&self, way: &Way, file: &str) -> bool {
        let any = |words: &[String], test: &dyn Fn(&str) -> bool| words.is_empty() || words.iter().any(|w| test(w));
        let in_this_way = way.is_usual() || self.variants || IN_EVERY_WAY.iter().any(|known| file.ends_with(known));
        let name = if !way.is_usual() { "native" } else { &*way.name };
        in_this_way && any(&self.engines, &|word| word == name) && any(&self.words, &|word| file.contains(word))
    }
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace is there")
}

/// Runs everything in child processes, a few at a time, and compares.
fn parent(arguments: &Arguments) {
    let mut files = vec![];
    find(&root().join("suite"), &mut files);
    let jobs: Vec<(Way, PathBuf)> = ways()
        .into_iter()
        .chain(variants())
        .flat_map(|way| files.iter().map(move |file| (way.clone(), file.clone())))
        .filter(|(way, file)| arguments.wants(way, &file.to_string_lossy()))
        .collect();
    let reports = run_all(&jobs, arguments.limit.unwrap_or(LIMIT));
    let mut problems = 0;
    let mut missing = false;
    for way in ways().into_iter().chain(variants()).filter(|way| jobs.iter().any(|(other, _)| other == way)) {
        let mine = jobs.iter().zip(&reports).filter(|((other, _), _)| *other == way).map(|(_, report)| report);
        let (name, mine): (&str, Vec<&Report>) = (&way.name, mine.collect());
        if let Some(why) = mine.iter().find_map(|report| report.missing.as_ref()) {
            println!("{name}: left out, there is no native engine: {why}");
            missing = true;
            continue;
        }
        problems += conclude(name, &mine);
    }
    problems += differences(&jobs, &reports);
    let dynamic: BTreeSet<&str> = reports.iter().flat_map(|report| &report.dynamic).map(String::as_str).collect();
    let complete = arguments.words.is_empty() && arguments.engines.is_empty() && !missing;
    problems += compare(&dynamic, complete, arguments.list);
    std::process::exit(i32::from(problems > 0 || jobs.is_empty()));
}

/// What a child found out about one file.
#[derive(Default, Debug)]
struct Report {
    passed: usize,
    compiled: usize,
    /// Steps that are too large to be compiled.
    interpreted: usize,
    failed: usize,
    problems: Vec<String>,
    dynamic: Vec<String>,
    /// What each step gave: its place and the text of the value or error.
    values: Vec<(String, String)>,
    /// Where the last step is.
    last: String,
    /// The most that compiling a step took: units of work, bytes, bytes of stack.
    most: [u64; 3],
    /// Why there is no native engine.
    missing: Option<String>,
}

fn run_all(jobs: &[(Way, PathBuf)], limit: Duration) -> Vec<Report> {
    let next = AtomicUsize::new(0);
    let reports: Vec<Mutex<Report>> = jobs.iter().map(|_| Mutex::default()).collect();
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((way, file)) = jobs.get(at) else { break };
                    *reports[at].lock().expect("no panic") = run_child(way, file, limit);
                }
            });
        }
    });
    reports.into_iter().map(|report| report.into_inner().expect("no panic")).collect()
}

fn run_child(way: &Way, file: &Path, limit: Duration) -> Report {
    let name = file.strip_prefix(root()).unwrap_or(file).display().to_string();
    let start = Instant::now();
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--child", &way.name]).arg(file).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.envs(way.tier.map(|tier| ("EVERT_TIER", tier))).envs(way.cpu.map(|cpu| ("EVERT_CPU", cpu)));
    command.envs(way.threads.map(|threads| ("EVERT_THREADS", threads)));
    command.envs(way.threads.map(|_| ("EVERT_LARGE_LOOP", "0")));
    let mut child = command.spawn().expect("a child");
    let (mut stdout, mut stderr) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let complaints = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = stderr.read_to_string(&mut text);
        text
    });
    let lines = std::thread::spawn(move || {
        let mut text = vec![];
        let _ = stdout.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    });
    let status = loop {
        match child.try_wait().expect("a child to wait for") {
            Some(status) => break Some(status),
            None if start.elapsed() > limit => {
                let _ = child.kill().and_then(|()| child.wait());
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut report = read_report(&lines.join().expect("no panic"));
    let complaints = complaints.join().expect("no panic");
    match status {
        Some(status) if status.success() => {}
        Some(status) => {
            let last: Vec<&str> = complaints.lines().take(6).collect();
            let last = last.join("\n   ");
            report.problems.push(format!("{}: {name} ended with {status}\n   {last}", report.last));
        }
        None => report.problems.push(format!("{}: {name} took more than {limit:?}", report.last)),
    }
    let Report { passed, compiled, failed, problems, dynamic, most, .. } = &report;
    println!(
        "{:11} {name}: {:.1} s, {passed} passed, {} problems; {compiled} compiled, {failed} failed, {} dynamic; at most {:.1} M units, {} MB, {} MB of stack",
        way.name,
        start.elapsed().as_secs_f64(),
        problems.len(),
        dynamic.len(),
        most[0] as f64 / 1e6,
        most[1] >> 20,
        most[2] >> 20
    );
    for problem in problems {
        println!("   {problem}");
    }
    report
}

fn read_report(text: &str) -> Report {
    let mut report = Report::default();
    for line in text.lines() {
        let (kind, words) = line.split_once(' ').unwrap_or((line, ""));
        match kind {
            "step" => report.last = words.into(),
            "passed" => report.passed += 1,
            "compiled" => report.compiled += 1,
            "interpreted" => report.interpreted += 1,
            "work" => {
                let mut figures = words.split(' ').filter_map(|figure| figure.parse().ok());
                report.most = [0; 3].map(|_| figures.next().unwrap_or(0));
            }
            "failed" => report.failed += 1,
            "dynamic" => report.dynamic.push(words.into()),
            "value" => {
                let (place, value) = words.split_once(' ').unwrap_or((words, ""));
                report.values.push((place.into(), value.into()));
            }
            "missing" => report.missing = Some(words.into()),
            "problem" => report.problems.push(words.replace("\\n", "\n   ")),
            _ => {}
        }
    }
    report
}

/// Prints an engine's figures; how many problems there are.
fn conclude(engine: &str, reports: &[&Report]) -> usize {
    let sum = |part: fn(&Report) -> usize| reports.iter().map(|report| part(report)).sum::<usize>();
    let problems = sum(|report| report.problems.len());
    println!(
        "{engine}: {} passed, {problems} problems; steps: {} compiled, {} too large, {} failed as expected, {} dynamic",
        sum(|report| report.passed),
        sum(|report| report.compiled),
        sum(|report| report.interpreted),
        sum(|report| report.failed),
        sum(|report| report.dynamic.len())
    );
    problems
}

/// Are two texts the same but for the last digits of numbers?
fn agree_nearly(a: &str, b: &str) -> bool {
    let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | 'e');
    let rest = |text: &str| text.split(number).filter(|part| !part.is_empty()).collect::<String>();
    let numbers =
        |text: &str| -> Vec<f64> { text.split(|c| !number(c)).filter_map(|part| part.parse().ok()).collect() };
    let (left, right) = (numbers(a), numbers(b));
    let near = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-9 * x.abs().max(y.abs());
    rest(a) == rest(b) && left.len() == right.len() && left.iter().zip(&right).all(near)
}

/// Prints where an engine gives other bits than the reference evaluator; how many places there are.
fn differences(jobs: &[(Way, PathBuf)], reports: &[Report]) -> usize {
    let pairs = || jobs.iter().zip(reports);
    let listed = std::fs::read_to_string(root().join(ROUNDING)).unwrap_or_default();
    let listed: BTreeSet<&str> = listed.lines().filter(|line| !line.starts_with('#')).collect();
    let mut count = 0;
    for ((_, file), expected) in pairs().filter(|((way, _), _)| way.name == REFERENCE) {
        for ((way, _), found) in pairs().filter(|((way, other), _)| way.name != REFERENCE && other == file) {
            for ((place, expected), (_, found)) in expected.values.iter().zip(&found.values) {
                let is_listed = listed.iter().any(|line| !line.is_empty() && place.to_string().ends_with(line));
                if expected != found && !(is_listed && agree_nearly(expected, found)) {
                    println!("{} differs from the reference evaluator at {place}", way.name);
                    println!("   expected {}\n   found    {}", excerpt(expected, found), excerpt(found, expected));
                    count += 1;
                }
            }
        }
    }
    println!("{count} values differ between engines");
    count
}

/// A text around the first place where it differs from another.
fn excerpt(text: &str, other: &str) -> String {
    let same = text.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    text.chars().skip(same.saturating_sub(60)).take(160).collect()
}

/// Compares the steps that weren't compiled with the list, or prints the list.
fn compare(dynamic: &BTreeSet<&str>, complete: bool, list: bool) -> usize {
    if list {
        dynamic.iter().for_each(|line| println!("{line}"));
        return 0;
    }
    let text = std::fs::read_to_string(root().join(DYNAMIC)).unwrap_or_default();
    let listed: BTreeSet<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let new: Vec<_> = dynamic.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(dynamic).filter(|_| complete).collect();
    new.iter().for_each(|line| println!("not in {DYNAMIC}: {line}"));
    gone.iter().for_each(|line| println!("{DYNAMIC} lists what isn't so: {line}"));
    new.len() + gone.len()
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ev") {
            files.push(path);
        }
    }
}

/// Runs a file on an engine and prints what came of it, a line each.
fn child(way: Way, file: &Path) {
    let file = file.to_owned();
    let on_a_large_stack = std::thread::Builder::new().stack_size(1 << 28);
    let run = on_a_large_stack.spawn(move || run(&way, &file)).expect("a thread").join();
    std::process::exit(i32::from(run.is_err()));
}

fn run(way: &Way, file: &Path) {
    let name = file.to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file).expect("UTF-8 text");
    let mut session = Session::new(Rc::new(Files));
    session.engines.engine = way.engine;
    session.engines.checks = way.checks;
    session.engines.always_compile = true;
    session.engines.log = Some(vec![]);
    let tell = &mut |session: &Session, span, event: Event| {
        let place = evert::expectation::place(&session.sources, span);
        match event {
            Event::Starts => say("step", &place),
            Event::Ends(Ok(value)) => say("value", &format!("{} {}", name_of(&place), eval::show::exact(value))),
            Event::Ends(Err(error)) => say("value", &format!("{} {}", name_of(&place), error.code)),
        }
    };
    let cases = testing::run_telling(&mut session, &name, &text, None, tell);
    report_steps(&session, &root());
    let most = base::budget::most_spent();
    say("work", &format!("{} {} {}", most.work, most.bytes, most.stack));
    let cases = match cases {
        Ok(report) => report.cases,
        Err(errors) => {
            for error in &errors {
                let place = evert::expectation::place(&session.sources, error.span());
                say("problem", &format!("{place}: {} {}", error.code, error.message));
            }
            return;
        }
    };
    for case in cases {
        let place = evert::expectation::place(&session.sources, case.span);
        let words = match case.result {
            Ok(()) => {
                say("passed", "");
                continue;
            }
            Err(Problem::Differs(words)) => words,
            Err(Problem::Failed(error)) => format!(
                "{}: {} {:?} {:?}",
                error.code,
                error.message,
                error.notes,
                error.trace.iter().map(|t| &t.text).collect::<Vec<_>>()
            ),
        };
        say("problem", &format!("{place} {} {}\n   {words}", case.name, session.sources.text(case.span)));
    }
}

/// A place as one word.
fn name_of(place: &str) -> String {
    place.replace(' ', "_")
}

/// How the steps of a file were run.
fn report_steps(session: &Session, root: &Path) {
    if let Some(why) = session.engines.missing() {
        say("missing", why.lines().next().unwrap_or(""));
    }
    if session.engines.leaks > 0 {
        say("problem", &format!("{} steps left objects alive", session.engines.leaks));
    }
    let place = |span| {
        let place = evert::expectation::place(&session.sources, span);
        place.strip_prefix(&format!("{}/", root.display())).map(str::to_string).unwrap_or(place)
    };
    for (span, ran) in session.engines.log.iter().flatten() {
        match ran {
            Ran::Compiled | Ran::Brief => say("compiled", ""),
            Ran::Interpreted(_) => say("interpreted", ""),
            Ran::Failed { .. } => say("failed", ""),
            Ran::Dynamic(dynamic) => say("dynamic", &format!("{} {}", place(*span), dynamic.reason)),
            Ran::TooLarge(too_large) => say("dynamic", &format!("{} {too_large}", place(*span))),
            Ran::Fallback(why) => {
                // A broken invariant may come with the whole program.
                let why: String = why.lines().next().unwrap_or("").chars().take(300).collect();
                if why.starts_with("a panic") {
                    say("problem", &format!("{} {why}\n   {}", place(*span), session.sources.text(*span)));
                    continue;
                }
                say("dynamic", &format!("{} a shape that isn't what was expected", place(*span)));
            }
        }
    }
}

/// One line for the parent.
fn say(kind: &str, words: &str) {
    println!("{kind} {}", words.trim_end().replace('\n', "\\n"));
}
