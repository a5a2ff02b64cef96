//! `evert profile`: where the time of a run goes, by functions and lines of the source, what the program computes and its derivatives apart.
//!
//! In: a program, which is run as `evert run` runs it; what it shows and prints is dropped. Out: two tables of shares. A thousand times a second the thread is looked at
//! ([`native::profile`], [`base::profile`]); what the library does belongs to the line that calls it. Compiled code is the same as without a profile.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use base::profile::Profile;
use base::{Part, Sources, Span};
use calculus::Step;
use evert::{Engine, Failure, Session};

use crate::Status;
use crate::files::Recording;
use crate::given::main_step;
use crate::launch::Launcher;
use crate::program::Program;
use crate::report;
use crate::words::Words;

/// Rows of a table.
const MOST_ROWS: usize = 20;
/// Shares below this one aren't worth a row.
const LEAST_SHARE: f64 = 0.005;
/// Characters of a line that are shown.
const LONGEST: usize = 60;

pub fn profile(launcher: &Launcher, program: &Program, words: &Words) -> Status {
    let mut session = launcher.session(Recording::of(&program.name));
    // What is short isn't compiled otherwise, and would be looked at on another engine than the rest.
    session.engines.trial_steps = 0;
    let sampler = native::profile::sample_this_thread();
    let began = Instant::now();
    let mut samples = Profile::default();
    let outcome = run(&mut session, program, words, &mut samples);
    let took = began.elapsed();
    drop(sampler);
    let engine = if session.engines.engine == Engine::Native && session.engines.has_native() {
        "compiled"
    } else {
        "on the reference evaluator"
    };
    launcher.terminal.text(&described(&session, &samples, took, engine));
    match outcome {
        Ok(()) => Status::Fine,
        Err(failure) => {
            report::report(launcher.terminal, &session.sources, &failure);
            Status::Failed
        }
    }
}

fn run(session: &mut Session, program: &Program, words: &Words, samples: &mut Profile) -> Result<(), Failure> {
    let text = session.text_of(&program.name, program.bytes.clone())?;
    let (tree, module) = session.load(&program.name, &text)?;
    for step in &module.steps {
        run_step(session, step, samples)?;
    }
    match main_step(session, &tree, words)? {
        Some(step) => run_step(session, &step, samples),
        None => Ok(()),
    }
}

/// Runs a step. What belongs to no line of the program belongs to the step.
fn run_step(session: &mut Session, step: &Step, samples: &mut Profile) -> Result<(), Failure> {
    let outcome = session.run_step(step);
    let found = base::profile::take();
    samples.other += found.other;
    for (span, count) in found.places {
        let place = if span.is_of_caller() { step.span.in_part(span.part()) } else { span };
        *samples.places.entry(place).or_default() += count;
    }
    outcome.map(|_| ()).map_err(|error| vec![*error])
}

/// Samples of what the program computes, and of its derivatives.
#[derive(Clone, Copy, Default)]
struct Share {
    primal: u64,
    derivative: u64,
}

impl Share {
    fn add(&mut self, part: Part, count: u64) {
        match part {
            Part::Primal => self.primal += count,
            Part::Tangent | Part::Back => self.derivative += count,
        }
    }

    fn total(self) -> u64 {
        self.primal + self.derivative
    }
}

fn described(session: &Session, samples: &Profile, took: Duration, engine: &str) -> String {
    let sources = &session.sources;
    let mut all = Share::default();
    let (mut functions, mut lines) = (BTreeMap::<String, Share>::new(), BTreeMap::<(u32, usize), Share>::new());
    let mut known = Functions::default();
    for (span, count) in &samples.places {
        let (place, part) = (span.plain(), span.part());
        all.add(part, *count);
        functions.entry(known.around(sources, place)).or_default().add(part, *count);
        let (line, _) = sources.line_column(place.file, place.start);
        lines.entry((place.file.0, line)).or_default().add(part, *count);
    }
    let whole = all.total() + samples.other;
    if whole == 0 {
        return format!("the run took {}: too short for a profile\n", seconds(took.as_secs_f64()));
    }
    let time = |count: u64| seconds(took.as_secs_f64() * count as f64 / whole as f64);
    let mut text = format!("{} in all, {engine}, looked at {whole} times\n", seconds(took.as_secs_f64()));
    let other = if engine == "compiled" { "reading, checking and compiling" } else { "reading and checking" };
    text += &format!(
        "{:>9}  the program: {} what it computes, {} derivatives\n",
        time(all.total()),
        time(all.primal),
        time(all.derivative)
    );
    text += &format!("{:>9}  {other}\n", time(samples.other));
    if all.total() > 0 {
        let names = functions.into_iter().map(|(name, share)| (name, share, String::new())).collect();
        text += &table("function", names, all.total());
        let row = |((file, line), share): ((u32, usize), Share)| {
            let file = sources.get(base::FileId(file));
            let source = file.text.lines().nth(line - 1).unwrap_or_default().trim();
            (format!("{}:{line}", file.name), share, shortened(source))
        };
        text += &table("line", lines.into_iter().map(row).collect(), all.total());
    }
    text
}

fn table(title: &str, mut rows: Vec<(String, Share, String)>, whole: u64) -> String {
    rows.sort_by_key(|(_, share, _)| std::cmp::Reverse(share.total()));
    let count = rows.len();
    rows.retain(|(_, share, _)| share.total() as f64 >= LEAST_SHARE * whole as f64);
    rows.truncate(MOST_ROWS);
    let width = rows.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0).max(title.len());
    let percent = |count: u64| format!("{:.1} %", 100.0 * count as f64 / whole as f64);
    let mut text = format!("\n{title:<width$}    total   primal  derivative\n");
    for (name, share, source) in &rows {
        let [total, primal, derivative] = [share.total(), share.primal, share.derivative].map(percent);
        let line = format!("{name:<width$}  {total:>7}  {primal:>7}  {derivative:>10}  {source}");
        text += line.trim_end();
        text.push('\n');
    }
    if rows.len() < count {
        text += &format!("… and {} more with little\n", count - rows.len());
    }
    text
}

/// The functions of files, by where they stand.
#[derive(Default)]
struct Functions(BTreeMap<u32, Vec<(Span, String)>>);

impl Functions {
    /// The innermost function with a name around a place.
    fn around(&mut self, sources: &Sources, place: Span) -> String {
        let all = self.0.entry(place.file.0).or_insert_with(|| {
            let text = sources.get(place.file).text.clone();
            syntax::parse(place.file, &text).functions().collect()
        });
        let inside = all.iter().filter(|(span, _)| span.start <= place.start && place.start < span.end);
        let innermost = inside.min_by_key(|(span, _)| span.end - span.start);
        innermost.map_or("(top level)".to_string(), |(_, name)| name.clone())
    }
}

fn seconds(seconds: f64) -> String {
    if seconds < 0.1 { format!("{:.1} ms", 1e3 * seconds) } else { format!("{seconds:.2} s") }
}

fn shortened(text: &str) -> String {
    match text.chars().count() > LONGEST {
        true => text.chars().take(LONGEST - 1).chain(['…']).collect(),
        false => text.to_string(),
    }
}
