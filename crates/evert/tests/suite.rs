//! The one corpus: every file of `suite/` holds on every engine.
//!
//! Each file runs on each engine in a process of its own with a time limit, so that one bad file hides no other. A step
//! may be left to the reference evaluator only if `suite/dynamic.txt` says so, and what that list says must be so on an
//! engine. What a step gives has the same bits on every engine. Where there is no LLVM the native engine is left out, with a note.
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
use evert::{Engine, Ran, Session, World};

struct Files;

impl World for Files {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.to_string())
    }

    fn print(&self, _line: &str) {}
}

const ENGINES: [(&str, Engine); 3] =
    [("reference", Engine::Reference), ("first-order", Engine::FirstOrder), ("native", Engine::Native)];

/// A file that takes longer than this counts as endless.
const LIMIT: Duration = Duration::from_secs(600);

const DYNAMIC: &str = "suite/dynamic.txt";

fn main() {
    llvm::self_test_child();
    let arguments = Arguments::read();
    match &arguments.child {
        Some((engine, file)) => child(*engine, file),
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
    /// This process was started to run one file on one engine.
    child: Option<(Engine, PathBuf)>,
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
                "--child" => {
                    let name = value();
                    let engine = ENGINES.iter().find(|(known, _)| *known == name).expect("the name of an engine").1;
                    found.child = Some((engine, value().into()));
                }
                word if word.starts_with('-') => {}
                word => found.words.push(word.into()),
            }
        }
    }

    fn wants(&self, engine: &str, file: &str) -> bool {
        let any = |words: &[String], test: &dyn Fn(&str) -> bool| words.is_empty() || words.iter().any(|w| test(w));
        any(&self.engines, &|word| word == engine) && any(&self.words, &|word| file.contains(word))
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
    let jobs: Vec<(&str, PathBuf)> = ENGINES
        .iter()
        .flat_map(|(engine, _)| files.iter().map(|file| (*engine, file.clone())))
        .filter(|(engine, file)| arguments.wants(engine, &file.to_string_lossy()))
        .collect();
    let reports = run_all(&jobs, arguments.limit.unwrap_or(LIMIT));
    let mut problems = 0;
    let mut missing = false;
    for (name, _) in ENGINES.iter().filter(|(name, _)| jobs.iter().any(|(engine, _)| engine == name)) {
        let mine = jobs.iter().zip(&reports).filter(|((engine, _), _)| engine == name).map(|(_, report)| report);
        let mine: Vec<&Report> = mine.collect();
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
    failed: usize,
    problems: Vec<String>,
    dynamic: Vec<String>,
    /// What each step gave: its place and the text of the value or error.
    values: Vec<(String, String)>,
    /// Where the last step is.
    last: String,
    /// Why there is no native engine.
    missing: Option<String>,
}

fn run_all(jobs: &[(&str, PathBuf)], limit: Duration) -> Vec<Report> {
    let next = AtomicUsize::new(0);
    let reports: Vec<Mutex<Report>> = jobs.iter().map(|_| Mutex::default()).collect();
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((engine, file)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)).cloned() {
                    let at = jobs.iter().position(|job| *job == (engine, file.clone())).expect("a job");
                    *reports[at].lock().expect("no panic") = run_child(engine, &file, limit);
                }
            });
        }
    });
    reports.into_iter().map(|report| report.into_inner().expect("no panic")).collect()
}

fn run_child(engine: &str, file: &Path, limit: Duration) -> Report {
    let name = file.strip_prefix(root()).unwrap_or(file).display().to_string();
    let start = Instant::now();
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--child", engine]).arg(file).stdout(Stdio::piped()).stderr(Stdio::piped());
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
    let Report { passed, compiled, failed, problems, dynamic, .. } = &report;
    println!(
        "{engine:11} {name}: {:.1} s, {passed} passed, {} problems; {compiled} compiled, {failed} failed, {} dynamic",
        start.elapsed().as_secs_f64(),
        problems.len(),
        dynamic.len()
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
        "{engine}: {} passed, {problems} problems; steps: {} compiled, {} failed as expected, {} dynamic",
        sum(|report| report.passed),
        sum(|report| report.compiled),
        sum(|report| report.failed),
        sum(|report| report.dynamic.len())
    );
    problems
}

/// Prints where an engine gives other bits than the reference evaluator; how many places there are.
fn differences(jobs: &[(&str, PathBuf)], reports: &[Report]) -> usize {
    let pairs = || jobs.iter().zip(reports);
    let mut count = 0;
    for ((_, file), expected) in pairs().filter(|((engine, _), _)| *engine == "reference") {
        for ((engine, _), found) in pairs().filter(|((engine, other), _)| *engine != "reference" && other == file) {
            for ((place, expected), (_, found)) in expected.values.iter().zip(&found.values) {
                if expected != found {
                    println!("{engine} differs from the reference evaluator at {place}");
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
fn child(engine: Engine, file: &Path) {
    let file = file.to_owned();
    let on_a_large_stack = std::thread::Builder::new().stack_size(1 << 28);
    let run = on_a_large_stack.spawn(move || run(engine, &file)).expect("a thread").join();
    std::process::exit(i32::from(run.is_err()));
}

fn run(engine: Engine, file: &Path) {
    let name = file.to_string_lossy().into_owned();
    let text = std::fs::read_to_string(file).expect("UTF-8 text");
    let mut session = Session::new(Rc::new(Files));
    session.engines.engine = engine;
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
    let cases = testing::run_telling(&mut session, &name, &text, tell);
    report_steps(&session, &root());
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
            Ran::Compiled => say("compiled", ""),
            Ran::Failed { .. } => say("failed", ""),
            Ran::Dynamic(dynamic) => say("dynamic", &format!("{} {}", place(*span), dynamic.reason)),
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
