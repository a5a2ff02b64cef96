//! The command: mutants one after the other, each in a process of its own, because a broken rule may not end.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::Duration;

use super::checks::{Answers, Verdict, check};
use super::sites::{Mutant, mutants};
use crate::hunt::Waiting;

const USAGE: &str = "\
usage: mutants [--every N] [--from N] [--only WORD] [--list] [--patience N] [--jobs N]
  --every N      every N-th mutant (1: all)
  --from N       from this one on
  --only WORD    only mutants whose name contains the word
  --list         prints their names
  --jobs N       so many at once (as many as there are processors)
  --patience N   seconds of its own processor time without a sign of life after which a mutant counts as endless, and so as noticed (60)";

struct Arguments {
    every: usize,
    from: usize,
    only: Option<String>,
    list: bool,
    patience: Duration,
    jobs: usize,
}

const CHILD: &str = "EVERT_MUTANT";

pub fn main() {
    if let Ok(number) = std::env::var(CHILD) {
        return child(number.parse().unwrap_or(0));
    }
    let arguments = read_arguments();
    let is_wanted = |name: &str| arguments.only.as_ref().is_none_or(|word| name.contains(word.as_str()));
    let all = mutants();
    let chosen: Vec<usize> = (arguments.from..all.len())
        .step_by(arguments.every.max(1))
        .filter(|number| is_wanted(&all[*number].name()))
        .collect();
    if arguments.list {
        chosen.iter().for_each(|number| println!("{number} {}", all[*number].name()));
        return;
    }
    let answers = std::env::temp_dir().join(format!("evert-answers-{}", std::process::id()));
    println!("asking the oracle about the library as it is");
    std::fs::write(&answers, Answers::ask().write()).expect("a file for the answers");
    let tally = Mutex::new(Tally::default());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            scope.spawn(|| {
                while let Some(&number) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let verdict = in_a_child(number, &answers, arguments.patience);
                    tally.lock().expect("no panic").note(number, &all[number], verdict);
                }
            });
        }
    });
    let _ = std::fs::remove_file(&answers);
    tally.into_inner().expect("no panic").conclude();
}

fn read_arguments() -> Arguments {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let mut found = Arguments { every: 1, from: 0, only: None, list: false, patience: Duration::from_secs(60), jobs };
    let mut rest = std::env::args().skip(1);
    while let Some(word) = rest.next() {
        let mut number = || {
            let number = rest.next().and_then(|text| text.parse::<usize>().ok());
            number.unwrap_or_else(|| misused(&format!("{word} needs a number")))
        };
        match word.as_str() {
            "--every" => found.every = number(),
            "--from" => found.from = number(),
            "--patience" => found.patience = Duration::from_secs(number() as u64),
            "--jobs" => found.jobs = number(),
            "--only" => found.only = rest.next(),
            "--list" => found.list = true,
            _ => misused(&format!("{word} isn't known")),
        }
    }
    found
}

fn misused(what: &str) -> ! {
    eprintln!("{what}\n{USAGE}");
    std::process::exit(2)
}

/// Tries one mutant and prints what came of it.
fn child(number: usize) {
    let answers = std::env::args().nth(1).and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let answers = Answers::read(&answers);
    let Some(mutant) = mutants().into_iter().nth(number) else { return };
    let on_a_large_stack = std::thread::Builder::new().stack_size(1 << 28);
    let run = on_a_large_stack.spawn(move || match check(&mutant, &answers, &mut |what| println!("at {what}")) {
        Verdict::Killed(by) => println!("killed {by}"),
        Verdict::Survived => println!("survived"),
        Verdict::Invalid => println!("invalid"),
    });
    let ended = run.expect("a thread").join();
    std::process::exit(i32::from(ended.is_err()));
}

fn in_a_child(number: usize, answers: &std::path::Path, patience: Duration) -> Verdict {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.arg(answers).env(CHILD, number.to_string()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("a child");
    let stdout = child.stdout.take().expect("piped");
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        BufReader::new(stdout).lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
    });
    let mut at = String::new();
    let mut step = Waiting::new(&child);
    let verdict = loop {
        let line = lines.recv_timeout(patience);
        if line.is_ok() {
            step = Waiting::new(&child);
        }
        match line {
            Ok(line) => match line.split_once(' ').unwrap_or((line.as_str(), "")) {
                ("at", what) => at = what.into(),
                ("killed", by) => break Verdict::Killed(by.into()),
                ("survived", _) => break Verdict::Survived,
                ("invalid", _) => break Verdict::Invalid,
                _ => {}
            },
            Err(mpsc::RecvTimeoutError::Timeout) if step.was_idle(&child, patience) => {}
            Err(mpsc::RecvTimeoutError::Timeout) => break Verdict::Killed(format!("endless: {at}")),
            Err(mpsc::RecvTimeoutError::Disconnected) => break Verdict::Killed(format!("it ends the process: {at}")),
        }
    };
    let _ = child.kill().and_then(|()| child.wait());
    verdict
}

#[derive(Default)]
struct Tally {
    killed: BTreeMap<String, usize>,
    invalid: usize,
    equivalent: usize,
    survivors: Vec<String>,
}

impl Tally {
    fn note(&mut self, number: usize, mutant: &Mutant, verdict: Verdict) {
        let name = mutant.name();
        let words = match verdict {
            Verdict::Killed(by) => {
                let kind = by.split(':').next().unwrap_or("").to_string();
                *self.killed.entry(kind).or_default() += 1;
                format!("killed by {by}")
            }
            Verdict::Invalid => {
                self.invalid += 1;
                "invalid".into()
            }
            Verdict::Survived if is_equivalent(&name) => {
                self.equivalent += 1;
                "equivalent".into()
            }
            Verdict::Survived => {
                self.survivors.push(format!("{number} {name}"));
                "SURVIVED".into()
            }
        };
        println!("{number} {name}\n    {words}");
    }

    fn conclude(&self) -> ! {
        let killed: usize = self.killed.values().sum();
        self.survivors.iter().for_each(|name| println!("survivor: {name}"));
        println!(
            "{} mutants: {killed} killed ({}), {} equivalent, {} survived; {} more are no programs",
            killed + self.equivalent + self.survivors.len(),
            self.killed.iter().map(|(kind, n)| format!("{n} by the {kind}")).collect::<Vec<_>>().join(", "),
            self.equivalent,
            self.survivors.len(),
            self.invalid
        );
        std::process::exit(i32::from(!self.survivors.is_empty()))
    }
}

fn is_equivalent(name: &str) -> bool {
    super::EQUIVALENT.lines().any(|line| line.split(" // ").next() == Some(name))
}
