//! Runs of programs, from outside: a process for each, killed when the text changes or time is up.
//!
//! In: documents and commands. Out: [`Event::Finished`] and [`Event::Progress`], between the messages of the editor. What a program has shown
//! before it was stopped counts.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, select, unbounded};
use lsp_server::{Message, RequestId};
use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::process::{Process, Stopped};

/// What lenses ask for.
pub const COMMANDS: [&str; 5] =
    ["evert.runTest", "evert.checkRule", "evert.showDerivative", "evert.showPlot", "evert.runFile"];

/// How programs run.
#[derive(Clone)]
pub enum Runner {
    /// In a process: this program, called with these arguments.
    Process { program: PathBuf, arguments: Vec<String> },
    /// Not at all: there are no values, and commands fail.
    Nowhere,
}

/// How long a text must rest before it runs: nobody waits for the values of half a word.
const REST: Duration = Duration::from_millis(150);
/// How long a program may run for hints, and for a command that somebody asked for.
const HINTS_LIMIT: Duration = Duration::from_secs(5);
const COMMAND_LIMIT: Duration = Duration::from_secs(60);
/// When nothing has come for so long, what is there is shown.
const PATIENCE: Duration = Duration::from_millis(250);
/// Files on the disk are looked at so often while nothing else happens.
const IDLE: Duration = Duration::from_secs(1);

/// What happens next.
pub enum Event {
    Message(Message),
    /// A command has ended.
    Finished(Finished),
    /// More is known of the values of a document.
    Progress(String),
    /// Nothing for a while.
    Idle,
    Closed,
}

/// A command that has ended.
pub struct Finished {
    pub request: RequestId,
    /// The command and its arguments.
    pub asked: Json,
    pub answer: Result<Json, String>,
}

/// What the thread of a run reports.
enum Report {
    Command(Finished),
    /// What is known so far in the run of this number.
    Values {
        uri: String,
        run: u64,
        known: Json,
    },
}

pub struct Runs {
    runner: Runner,
    /// The folders of the workspace, in which imports may lie.
    folders: Vec<PathBuf>,
    sender: Sender<Report>,
    receiver: Receiver<Report>,
    /// The last run of each document's program: its number, and its process.
    running: HashMap<String, (u64, Arc<Process>)>,
    /// What the last run of each document found, by address; only of the text as it is.
    results: HashMap<String, Json>,
    commands: HashMap<RequestId, Arc<Process>>,
    count: u64,
}

impl Runs {
    pub fn new(runner: Runner, folders: Vec<PathBuf>) -> Runs {
        let (sender, receiver) = unbounded();
        let (running, results, commands) = (HashMap::new(), HashMap::new(), HashMap::new());
        Runs { runner, folders, sender, receiver, running, results, commands, count: 0 }
    }

    /// What a run of a document as it is has found.
    pub fn of(&self, uri: &str) -> Option<&Json> {
        self.results.get(uri)
    }

    /// Waits for the editor or a program.
    pub fn next(&mut self, messages: &Receiver<Message>) -> Event {
        loop {
            let report = select! {
                recv(messages) -> message => return message.map_or(Event::Closed, Event::Message),
                recv(self.receiver) -> report => report,
                default(IDLE) => return Event::Idle,
            };
            match report {
                Err(_) => return Event::Closed,
                Ok(Report::Command(finished)) => {
                    self.commands.remove(&finished.request);
                    return Event::Finished(finished);
                }
                // A run of an earlier text says nothing about this one.
                Ok(Report::Values { uri, run, known }) => {
                    if self.running.get(&uri).is_some_and(|(last, _)| *last == run) {
                        self.results.insert(uri.clone(), known);
                        return Event::Progress(uri);
                    }
                }
            }
        }
    }

    /// A text is new: what ran of the last one is stopped, and the program runs unless there are mistakes in it. `files` are the texts
    /// that the editor has open, by path.
    pub fn start(&mut self, document: &Document, files: Json) {
        self.forget(&document.uri);
        if !document.analysed.errors.is_empty() {
            return;
        }
        let Runner::Process { program, arguments } = self.runner.clone() else { return };
        let job = json!({
            "task": "values", "path": document.path, "text": document.text, "files": files, "folders": self.folders,
        })
        .to_string();
        self.count += 1;
        let (run, process, sender) = (self.count, Arc::new(Process::default()), self.sender.clone());
        self.running.insert(document.uri.clone(), (run, process.clone()));
        let uri = document.uri.clone();
        std::thread::spawn(move || {
            std::thread::sleep(REST);
            let Ok(lines) = process.start(&program, &arguments, &job) else { return };
            let mut known = Known::default();
            let deadline = Instant::now() + HINTS_LIMIT;
            // The server may have gone.
            let report = |known: &Known| _ = sender.send(Report::Values { uri: uri.clone(), run, known: known.json() });
            loop {
                match lines.recv_timeout(PATIENCE) {
                    Ok(line) => known.learn(line),
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
                        process.stop(Stopped::Late);
                        break;
                    }
                    Err(RecvTimeoutError::Timeout) if known.is_news => {
                        report(&known);
                        known.is_news = false;
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if Instant::now() >= deadline {
                    process.stop(Stopped::Late);
                    break;
                }
            }
            let stopped = process.end();
            if stopped != Some(Stopped::Unwanted) {
                known.ended(stopped);
                report(&known);
            }
        });
    }

    /// Stops what runs of a document and forgets what is known of it.
    pub fn forget(&mut self, uri: &str) {
        self.results.remove(uri);
        if let Some((_, process)) = self.running.remove(uri) {
            process.stop(Stopped::Unwanted);
        }
    }

    /// Runs a command of a lens about the thing of this name; the request is answered when it has ended.
    pub fn command(&mut self, id: RequestId, document: &Document, files: Json, asked: &Json) -> Result<(), String> {
        let command = asked["command"].as_str().unwrap_or_default();
        let Some(task) = command.strip_prefix("evert.").filter(|_| COMMANDS.contains(&command)) else {
            return Err(format!("there is no command {command}"));
        };
        let Runner::Process { program, arguments } = self.runner.clone() else {
            return Err("programs don't run here".into());
        };
        let name = &asked["arguments"][1];
        let job = json!({
            "task": task, "path": document.path, "text": document.text, "name": name, "files": files, "folders": self.folders,
        });
        let (process, sender, asked) = (Arc::new(Process::default()), self.sender.clone(), asked.clone());
        self.commands.insert(id.clone(), process.clone());
        std::thread::spawn(move || {
            let answer = process.start(&program, &arguments, &job.to_string()).and_then(|lines| {
                let line = lines.recv_timeout(COMMAND_LIMIT);
                if line == Err(RecvTimeoutError::Timeout) {
                    process.stop(Stopped::Late);
                }
                match (line, process.end()) {
                    (Ok(line), _) => Ok(line),
                    (_, Some(Stopped::Unwanted)) => Err("stopped".into()),
                    (_, Some(Stopped::Late)) => {
                        Err(format!("stopped: it takes longer than {} s", COMMAND_LIMIT.as_secs()))
                    }
                    (_, None) => Err(DIED.to_string()),
                }
            });
            // The server may have gone.
            let _ = sender.send(Report::Command(Finished { request: id, asked, answer }));
        });
        Ok(())
    }

    /// Nobody waits for a command any more.
    pub fn cancel(&mut self, id: &RequestId) {
        if let Some(process) = self.commands.get(id) {
            process.stop(Stopped::Unwanted);
        }
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        self.running.values().for_each(|(_, process)| process.stop(Stopped::Unwanted));
        self.commands.values().for_each(|process| process.stop(Stopped::Unwanted));
    }
}

const DIED: &str = "the program ended before it answered: it may have used up its memory";

/// What a run has shown so far.
#[derive(Default)]
struct Known {
    values: Vec<Json>,
    problems: Vec<Json>,
    shapes: Vec<Json>,
    /// The statement that runs.
    running: Option<Json>,
    is_done: bool,
    is_news: bool,
}

impl Known {
    fn learn(&mut self, mut line: Json) {
        for (name, list) in [("value", &mut self.values), ("problem", &mut self.problems), ("shape", &mut self.shapes)]
        {
            if line[name].is_object() {
                list.push(line[name].take());
                self.is_news = true;
            }
        }
        if line["running"].is_object() {
            self.running = Some(line["running"].take());
        }
        self.is_done |= line["done"] == true;
    }

    /// Says where a program was that didn't come to its end.
    fn ended(&mut self, stopped: Option<Stopped>) {
        if let (false, Some(mut place)) = (self.is_done, self.running.take()) {
            let why = match stopped {
                Some(Stopped::Late) => format!("this takes longer than {} s", HINTS_LIMIT.as_secs()),
                _ => DIED.to_string(),
            };
            place["message"] = format!("{why}: the editor doesn't show its value, nor what follows").into();
            place["severity"] = 3.into();
            self.problems.push(place);
        }
    }

    fn json(&self) -> Json {
        json!({"values": self.values, "problems": self.problems, "shapes": self.shapes})
    }
}
