//! The hunt for programs on which engines disagree: random programs in child processes, so that neither a crash nor an endless
//! loop ends the hunt, and finds made smaller.
//!
//! `differential --help` says what may be asked for; the last line of the output says what was done.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use eval::memory::{Meter, counted};
use evert::Checks;

use crate::differential::{Case, Tally, compare};
use crate::generate::{self, PRODUCTIONS, Program};
use crate::judged::{Judgement, judge};
use crate::{hostile, ordinary, oversized, shrink};

const USAGE: &str = "\
usage: differential [--seed N] [--count N | --minutes N] [--jobs N] [--as-found] [--patience N] [--arrays | --ordinary | --oversized] [--by WHAT]
                    [--checked] [--show]
  --seed N      the first program (0)
  --count N     so many programs; without it and --minutes, no end
  --minutes N   programs for so long
  --jobs N      so many at once (as many as there are processors)
  --as-found    doesn't make finds smaller
  --patience N  seconds that a step may take (30)
  --arrays      programs about arrays that try to break them, instead of smooth ones
  --ordinary    programs of the kinds that people write: tables, states that change their type, rules, solvers
  --by WHAT     engines: they must agree; oracle: derivatives must be those of multi-precision differences; both (engines,
                and both for ordinary programs)
  --oversized   programs that are hard to compile, within the compiler's budget and 2 GB of memory
  --checked     compiled code verifies its memory
  --show        prints the program of the first seed";

/// A step that takes longer than this, in seconds, is a find.
const PATIENCE: u64 = 30;

pub struct Arguments {
    pub seed: u64,
    pub count: Option<u64>,
    pub minutes: Option<u64>,
    pub jobs: usize,
    pub small: bool,
    pub patience: Duration,
    pub programs: Programs,
    /// What compiled code verifies.
    pub checks: Checks,
    /// What programs are judged by; `None`: as is usual for these programs.
    pub by: Option<By>,
}

/// What programs are judged by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum By {
    Engines,
    Oracle,
    Both,
}

impl By {
    const ALL: [(&'static str, By); 3] = [("engines", By::Engines), ("oracle", By::Oracle), ("both", By::Both)];

    fn named(name: &str) -> Option<By> {
        By::ALL.iter().find(|(known, _)| *known == name).map(|(_, by)| *by)
    }

    fn name(self) -> &'static str {
        By::ALL.iter().find(|(_, by)| *by == self).map_or("both", |(name, _)| name)
    }
}

/// Which programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Programs {
    /// Smooth ones of all kinds.
    Smooth,
    /// About arrays, with errors.
    Arrays,
    /// Such as people write.
    Ordinary,
    /// Hard to compile.
    Oversized,
}

impl Programs {
    fn generate(self, seed: u64) -> Program {
        match self {
            Programs::Smooth => generate::generate(seed),
            Programs::Arrays => hostile::generate(seed),
            Programs::Ordinary => ordinary::generate(seed),
            Programs::Oversized => oversized::generate(seed),
        }
    }

    fn usual(self) -> By {
        match self {
            Programs::Smooth | Programs::Arrays | Programs::Oversized => By::Engines,
            Programs::Ordinary => By::Both,
        }
    }

    /// What is asked of a program. Most of the time goes into specialising second derivatives: of programs about arrays only the short ones have them.
    fn case(self, program: Program) -> Case {
        const SHORT: usize = 120;
        let source = program.source();
        let orders = if self != Programs::Arrays || source.len() < SHORT { 2 } else { 1 };
        Case { source, entry: program.entry.into(), points: program.points, orders }
    }

    /// What a question about one of them begins with.
    fn word(self) -> &'static str {
        match self {
            Programs::Smooth => "seed ",
            Programs::Arrays => "arrays ",
            Programs::Ordinary => "ordinary ",
            Programs::Oversized => "oversized ",
        }
    }
}

impl Default for Arguments {
    fn default() -> Arguments {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let patience = Duration::from_secs(PATIENCE);
        let (programs, checks) = (Programs::Smooth, Checks::Language);
        Arguments { seed: 0, count: None, minutes: None, jobs, small: true, patience, programs, checks, by: None }
    }
}

/// All that a hunt found out.
#[derive(Default, Debug)]
pub struct Hunt {
    pub programs: usize,
    pub steps: usize,
    pub compiled: usize,
    pub dynamic: usize,
    pub endless: usize,
    /// Values whose last digits differ by the order of additions alone.
    pub rounded: usize,
    /// Derivatives that the oracle judged, points at a tie, and what it can't judge.
    pub judged: usize,
    pub tied: usize,
    pub unjudged: usize,
    /// In how many programs each production occurs.
    pub coverage: BTreeMap<&'static str, usize>,
    /// Seeds and what is wrong there.
    pub finds: Vec<(u64, String)>,
}

/// The command: hunts, or is a child of one that does.
pub fn main() {
    if serve() {
        return;
    }
    let hunt = hunt(&read_arguments());
    print!("{}", hunt.covered());
    println!("{}", hunt.summary());
    std::process::exit(i32::from(!hunt.finds.is_empty()));
}

/// Ends with what may be asked for.
fn misused(what: &str) -> ! {
    eprintln!("{what}\n{USAGE}");
    std::process::exit(2)
}

fn read_arguments() -> Arguments {
    let mut found = Arguments::default();
    let mut rest = std::env::args().skip(1);
    while let Some(word) = rest.next() {
        let mut number = || {
            let found = rest.next().and_then(|text| text.parse().ok());
            found.unwrap_or_else(|| misused(&format!("{word} needs a number")))
        };
        match word.as_str() {
            "--seed" => found.seed = number(),
            "--count" => found.count = Some(number()),
            "--minutes" => found.minutes = Some(number()),
            "--jobs" => found.jobs = number() as usize,
            "--patience" => found.patience = Duration::from_secs(number()),
            "--as-found" => found.small = false,
            "--arrays" => found.programs = Programs::Arrays,
            "--ordinary" => found.programs = Programs::Ordinary,
            "--by" => match rest.next().as_deref().and_then(By::named) {
                Some(by) => found.by = Some(by),
                None => misused("--by needs engines, oracle or both"),
            },
            "--oversized" => found.programs = Programs::Oversized,
            "--checked" => found.checks = Checks::Memory,
            "--show" => {
                let program = found.programs.generate(found.seed);
                println!("{}// at {}", program.source(), program.points.join(" and "));
                std::process::exit(0);
            }
            "--help" => {
                println!("{USAGE}");
                std::process::exit(0);
            }
            other => misused(&format!("{other} isn't known")),
        }
    }
    found
}

impl Hunt {
    pub fn summary(&self) -> String {
        let Hunt { programs, steps, compiled, dynamic, endless, rounded, judged, tied, unjudged, finds, .. } = self;
        let share = 100.0 * *compiled as f64 / (*steps).max(1) as f64;
        format!(
            "{programs} programs, {steps} steps: {compiled} compiled ({share:.2} %), {dynamic} dynamic, \
             {endless} endless, {rounded} rounded otherwise; {judged} derivatives judged by the oracle, {tied} at ties, {unjudged} it can't judge; {} finds",
            finds.len()
        )
    }
}

impl Hunt {
    /// In how many programs each production occurs, in a table.
    pub fn covered(&self) -> String {
        let mut coverage = self.coverage.clone();
        if coverage.keys().any(|name| PRODUCTIONS.iter().any(|(known, _)| known == name)) {
            PRODUCTIONS.iter().for_each(|(name, _)| *coverage.entry(name).or_default() += 0);
        }
        coverage.iter().map(|(name, count)| format!("{name:24} {count}\n")).collect()
    }
}

/// Hunts through seeds from the first on.
pub fn hunt(arguments: &Arguments) -> Hunt {
    let next = AtomicU64::new(arguments.seed);
    let end = arguments.count.map_or(u64::MAX, |count| arguments.seed.saturating_add(count));
    let deadline = arguments.minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    let hunt = Mutex::new(Hunt::default());
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                let mut server = None;
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end || deadline.is_some_and(|deadline| Instant::now() > deadline) {
                        break;
                    }
                    let question = format!("{}{seed}", arguments.programs.word());
                    let server_here = server.get_or_insert_with(|| Server::start(arguments));
                    let verdict = server_here.ask(&question, arguments.patience);
                    let found = note(&hunt, seed, arguments.programs, &verdict);
                    if verdict.is_no_answer() {
                        server = None;
                    }
                    if let Some(words) = found {
                        tell(seed, &words, arguments);
                    }
                }
            });
        }
    });
    hunt.into_inner().expect("no panic")
}

fn note(hunt: &Mutex<Hunt>, seed: u64, programs: Programs, verdict: &Verdict) -> Option<String> {
    let mut hunt = hunt.lock().expect("no panic");
    hunt.programs += 1;
    for name in programs.generate(seed).productions {
        *hunt.coverage.entry(name).or_default() += 1;
    }
    if hunt.programs.is_multiple_of(100) {
        println!("… {}", hunt.summary());
    }
    let words = match verdict {
        Verdict::Answer { figures, finds } => {
            let [steps, compiled, dynamic, endless, rounded, judged, tied, unjudged] = *figures;
            hunt.steps += steps;
            hunt.compiled += compiled;
            hunt.dynamic += dynamic;
            hunt.endless += endless;
            hunt.rounded += rounded;
            hunt.judged += judged;
            hunt.tied += tied;
            hunt.unjudged += unjudged;
            finds.first()?.clone()
        }
        Verdict::Broken(step) => format!("crash: {step}"),
        Verdict::Late(step) => format!("hang: {step}"),
    };
    hunt.finds.push((seed, words.clone()));
    Some(words)
}

fn tell(seed: u64, words: &str, arguments: &Arguments) {
    println!("seed {seed}: {words}");
    if !arguments.small {
        return;
    }
    let program = arguments.programs.generate(seed);
    let case = arguments.programs.case(program);
    let kind = kind_of(words);
    let mut server = None;
    let smaller = shrink::shrink(&case, &mut |case| {
        let verdict = server.get_or_insert_with(|| Server::start(arguments)).ask(&written(case), arguments.patience);
        if verdict.is_no_answer() {
            server = None;
        }
        match verdict {
            Verdict::Answer { finds, .. } => finds.iter().any(|find| kind_of(find) == kind),
            Verdict::Broken(_) => kind.starts_with("crash"),
            Verdict::Late(_) => kind.starts_with("hang"),
        }
    });
    let last = server.get_or_insert_with(|| Server::start(arguments)).ask(&written(&smaller), arguments.patience);
    if let Verdict::Answer { finds, .. } = &last {
        finds.iter().take(2).for_each(|find| println!("  {}", find.replace('\n', "\n  ")));
    }
    println!("--- smaller, at {}:\n{}---", smaller.points.join(" and "), smaller.source);
}

/// What stays the same while a program is made smaller: the engine and the kind, not the numbers.
fn kind_of(words: &str) -> String {
    let first = words.lines().next().unwrap_or("");
    let stable: String = first.chars().take_while(|c| !c.is_ascii_digit()).take(60).collect();
    stable
}

enum Verdict {
    Answer {
        figures: [usize; 8],
        finds: Vec<String>,
    },
    /// The child ended in this step.
    Broken(String),
    /// The child was still thinking about this step, and was ended.
    Late(String),
}

impl Verdict {
    fn is_no_answer(&self) -> bool {
        !matches!(self, Verdict::Answer { .. })
    }
}

/// A child that answers questions, a line each.
struct Server {
    child: Child,
    answers: mpsc::Receiver<String>,
    /// What it wrote to its standard error last.
    last_words: Arc<Mutex<String>>,
}

const SERVE: &str = "EVERT_DIFFERENTIAL_CHILD";
/// A child whose compiled code verifies its memory.
const CHECKED: &str = "checked";

impl Server {
    fn start(arguments: &Arguments) -> Server {
        let program = std::env::current_exe().expect("this program");
        let mut command = Command::new(program);
        let by = arguments.by.unwrap_or(arguments.programs.usual());
        let checked = if arguments.checks == Checks::Memory { CHECKED } else { "" };
        command
            .env("RUST_BACKTRACE", "0")
            .env(SERVE, format!("{} {checked}", by.name()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("a child");
        let last_words = last_words(&mut child);
        let stdout = child.stdout.take().expect("piped");
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Server { child, answers, last_words }
    }

    fn ask(&mut self, question: &str, patience: Duration) -> Verdict {
        let stdin = self.child.stdin.as_mut().expect("piped");
        if writeln!(stdin, "{}", question.replace('\n', "\\n")).and_then(|()| stdin.flush()).is_err() {
            return Verdict::Broken(String::new());
        }
        let (mut finds, mut last) = (vec![], String::new());
        let mut step = Waiting::new(&self.child);
        loop {
            match self.answers.recv_timeout(patience) {
                Ok(line) => match line.split_once(' ') {
                    Some(("step", words)) => {
                        last = words.into();
                        step = Waiting::new(&self.child);
                    }
                    Some(("find", words)) => finds.push(words.replace("\\n", "\n")),
                    Some(("done", words)) => {
                        let mut numbers = words.split(' ').filter_map(|word| word.parse().ok());
                        let figures = std::array::from_fn(|_| numbers.next().unwrap_or(0));
                        return Verdict::Answer { figures, finds };
                    }
                    _ => {}
                },
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let words = self.last_words.lock().map_or(String::new(), |words| words.clone());
                    return Verdict::Broken(format!("{last}\n  {words}"));
                }
                Err(mpsc::RecvTimeoutError::Timeout) if step.was_idle(&self.child, patience) => {}
                Err(mpsc::RecvTimeoutError::Timeout) => return Verdict::Late(last),
            }
        }
    }
}

/// The last line that a child has written to its standard error.
fn last_words(child: &mut Child) -> Arc<Mutex<String>> {
    let (stderr, words) = (child.stderr.take().expect("piped"), Arc::new(Mutex::new(String::new())));
    let last = words.clone();
    std::thread::spawn(move || {
        for line in BufReader::new(stderr)
            .lines()
            .map_while(Result::ok)
            .filter(|line| !line.is_empty() && !line.starts_with("note:"))
        {
            *last.lock().expect("no panic") = line;
        }
    });
    words
}

/// When a step began. On a machine that does other things as well, the time that counts is the child's own.
pub(crate) struct Waiting {
    since: Instant,
    used: Option<Duration>,
}

/// However busy the machine is, nobody waits longer than this many times the patience.
const MOST_PATIENCE: u32 = 20;

impl Waiting {
    pub(crate) fn new(child: &Child) -> Waiting {
        Waiting { since: Instant::now(), used: processor_time(child.id()) }
    }

    /// Has the child used less time than our patience, because others used it?
    pub(crate) fn was_idle(&self, child: &Child, patience: Duration) -> bool {
        let (Some(before), Some(now)) = (self.used, processor_time(child.id())) else { return false };
        now - before < patience && self.since.elapsed() < patience * MOST_PATIENCE
    }
}

/// The processor time a process has used, where the system says so: ticks of 10 ms in `/proc`.
fn processor_time(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    let mut ticks = fields.split_whitespace().skip(11).take(2).map_while(|field| field.parse::<u64>().ok());
    Some(Duration::from_millis(10 * (ticks.next()? + ticks.next()?)))
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// Answers questions if this process was started for that.
pub fn serve() -> bool {
    if std::env::var_os(SERVE).is_none() {
        return false;
    }
    let order = std::env::var(SERVE).unwrap_or_default();
    let says = |word: &str| order.split(' ').any(|said| said == word);
    let checks = if says(CHECKED) { Checks::Memory } else { Checks::Language };
    let by = order.split(' ').find_map(By::named).unwrap_or(By::Engines);
    let on_a_large_stack = std::thread::Builder::new().stack_size(1 << 28);
    let answering = on_a_large_stack.spawn(move || {
        eval::memory::limit(Meter { used: counted, limit: LARGEST_ARRAY });
        for line in std::io::stdin().lines().map_while(Result::ok) {
            answer(&line.replace("\\n", "\n"), checks, by);
        }
    });
    let ended = answering.expect("a thread").join();
    std::process::exit(i32::from(ended.is_err()));
}

/// What a random program may take: what a machine has differs.
const LARGEST_ARRAY: usize = 1 << 30;

fn answer(question: &str, checks: Checks, by: By) {
    let seeded = [Programs::Smooth, Programs::Arrays, Programs::Ordinary, Programs::Oversized]
        .into_iter()
        .find_map(|programs| Some((programs, question.strip_prefix(programs.word())?.parse().ok()?)))
        .map(|(programs, seed)| programs.case(programs.generate(seed)));
    let case = match seeded {
        Some(case) => case,
        None => read_case(question),
    };
    forget_peak();
    let tell = &mut |engine: evert::Engine, step: &str| println!("step {engine:?}: {}", step.replace('\n', " "));
    let mut tally = if by == By::Oracle { Tally::default() } else { compare(&case, checks, tell) };
    let judgement = if by == By::Engines { Judgement::default() } else { judge(&case, tell) };
    tally.finds.extend(judgement.finds);
    let Tally { steps, compiled, dynamic, endless, rounded, reasons, finds } = tally;
    let (judged, tied, unjudged) = (judgement.judged, judgement.tied, judgement.unjudged);
    let mut lines = String::new();
    if let Some(peak) = peak_megabytes().filter(|peak| *peak > MOST_MEGABYTES) {
        lines += &format!("find memory: {peak} MB were in use\n");
    }
    for find in &finds {
        let words = format!("{:?} {}: {}\n  in {}", find.engine, find.kind, find.words, find.step);
        lines += &format!("find {}\n", words.replace('\n', "\\n"));
    }
    for reason in reasons.iter().filter(|_| std::env::var_os(REASONS).is_some()) {
        lines += &format!("find dynamic: {reason}\n");
    }
    println!("{lines}done {steps} {compiled} {dynamic} {endless} {rounded} {judged} {tied} {unjudged}");
}

/// A program for which all engines together take more memory is a find.
const MOST_MEGABYTES: usize = 2_000;

/// The most memory that this process has had since [`forget_peak`], where the system says so.
fn peak_megabytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = peak.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024)
}

fn forget_peak() {
    const PEAK: &str = "5";
    // Where it can't be forgotten, the largest program so far counts for all that follow.
    let _ = std::fs::write("/proc/self/clear_refs", PEAK);
}

/// Set to treat steps that are left to the reference evaluator as finds.
const REASONS: &str = "EVERT_DYNAMIC_IS_A_FIND";

const SEPARATOR: &str = "\n//at ";

fn written(case: &Case) -> String {
    let points: String = case.points.iter().map(|point| format!("{SEPARATOR}{point}")).collect();
    format!("{}{points}", case.source)
}

fn read_case(text: &str) -> Case {
    let mut parts = text.split(SEPARATOR).map(str::to_string);
    let source = parts.next().unwrap_or_default();
    Case { source, entry: "main".into(), points: parts.collect(), orders: 2 }
}
