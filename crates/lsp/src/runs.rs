//! Runs of programs, from outside: a process for each, killed when the text changes or time is up.
//!
//! In: documents and commands. Out: [`Event::Finished`], between the messages of the editor.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Message, RequestId};
use serde_json::{Value as Json, json};

use crate::document::{Document, programs};

/// What lenses ask for.
pub const COMMANDS: [&str; 4] = ["evert.runTest", "evert.checkRule", "evert.showDerivative", "evert.runFile"];

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

/// What happens next.
pub enum Event {
    Message(Message),
    Finished(Finished),
    Closed,
}

/// A run that has ended.
pub struct Finished {
    pub uri: String,
    /// The number of the run.
    run: u64,
    /// The request that asked for it.
    pub request: Option<RequestId>,
    pub answer: Result<Json, String>,
}

pub struct Runs {
    runner: Runner,
    sender: Sender<Finished>,
    receiver: Receiver<Finished>,
    /// The last run of each document's program: its number, and its process.
    running: HashMap<String, (u64, Arc<Process>)>,
    /// What the last run of each document found, by address; only of the text as it is.
    results: HashMap<String, Json>,
    count: u64,
}

impl Runs {
    pub fn new(runner: Runner) -> Runs {
        let (sender, receiver) = unbounded();
        Runs { runner, sender, receiver, running: HashMap::new(), results: HashMap::new(), count: 0 }
    }

    /// What a run of a document as it is has found.
    pub fn of(&self, uri: &str) -> Option<&Json> {
        self.results.get(uri)
    }

    /// Waits for the editor or a program.
    pub fn next(&mut self, messages: &Receiver<Message>) -> Event {
        loop {
            let finished = select! {
                recv(messages) -> message => return message.map_or(Event::Closed, Event::Message),
                recv(self.receiver) -> finished => match finished {
                    Ok(finished) => finished,
                    Err(_) => return Event::Closed,
                },
            };
            if finished.request.is_some() {
                return Event::Finished(finished);
            }
            // A run of an earlier text says nothing about this one.
            let is_last = self.running.get(&finished.uri).is_some_and(|(run, _)| *run == finished.run);
            if let (true, Ok(answer)) = (is_last, &finished.answer) {
                self.results.insert(finished.uri.clone(), answer.clone());
                return Event::Finished(finished);
            }
        }
    }

    /// A text is new: what ran of the last one is stopped, and the program runs unless there are mistakes in it.
    pub fn start(&mut self, document: &Document) {
        self.forget(&document.uri);
        if !document.analysed.errors.is_empty() {
            return;
        }
        let job = Job::Worker(
            json!({"task": "values", "path": document.path, "texts": programs(&document.path, &document.text)}),
        );
        let started = self.launch(job, document.uri.clone(), None, REST, HINTS_LIMIT);
        self.running.extend(started.map(|running| (document.uri.clone(), running)));
    }

    /// Stops what runs of a document and forgets what is known of it.
    pub fn forget(&mut self, uri: &str) {
        self.results.remove(uri);
        if let Some((_, process)) = self.running.remove(uri) {
            process.stop();
        }
    }

    /// Runs a command of a lens about the thing of this name; the request is answered when it has ended.
    pub fn command(&mut self, id: RequestId, document: &Document, command: &str, name: &str) -> Result<(), String> {
        let Some(task) = command.strip_prefix("evert.").filter(|_| COMMANDS.contains(&command)) else {
            return Err(format!("there is no command {command}"));
        };
        let texts = programs(&document.path, &document.text);
        let job = match task {
            "showDerivative" => Job::Derivative { text: texts.join("\n"), function: name.to_string() },
            _ => Job::Worker(json!({"task": task, "path": document.path, "texts": texts, "name": name})),
        };
        let started = self.launch(job, document.uri.clone(), Some(id), Duration::ZERO, COMMAND_LIMIT);
        started.map(|_| ()).ok_or_else(|| "programs don't run here".to_string())
    }

    fn launch(
        &mut self,
        job: Job,
        uri: String,
        request: Option<RequestId>,
        rest: Duration,
        limit: Duration,
    ) -> Option<(u64, Arc<Process>)> {
        let Runner::Process { program, arguments } = self.runner.clone() else { return None };
        self.count += 1;
        let (run, process, sender) = (self.count, Arc::new(Process::default()), self.sender.clone());
        let running = process.clone();
        std::thread::spawn(move || {
            std::thread::sleep(rest);
            let answer = job.run(&running, &program, &arguments, limit);
            // The server may have gone.
            let _ = sender.send(Finished { uri, run, request, answer });
        });
        Some((run, process))
    }
}

/// What a process is started for.
enum Job {
    /// A job of [`crate::worker`].
    Worker(Json),
    /// The function under J, as the command prints it.
    Derivative { text: String, function: String },
}

impl Job {
    fn run(&self, process: &Arc<Process>, program: &Path, worker: &[String], limit: Duration) -> Result<Json, String> {
        match self {
            Job::Worker(job) => {
                let text = process.run(program, worker, &job.to_string(), limit)?;
                serde_json::from_str(&text).map_err(|_| "the program ended before it answered".to_string())
            }
            Job::Derivative { text, function } => {
                let arguments = ["ir", "--level", "l1-reverse", "--function", function, "-"].map(String::from);
                let shown = process.run(program, &arguments, text, limit)?;
                Ok(json!({"ok": !shown.is_empty(), "text": shown}))
            }
        }
    }
}

/// A process that may be stopped from another thread.
#[derive(Default)]
struct Process {
    child: Mutex<Option<Child>>,
    stopped: AtomicBool,
}

impl Process {
    fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        if let Some(child) = &mut *self.child() {
            // It may have ended by itself.
            let _ = child.kill();
        }
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Gives a process its input and waits for its output, but no longer than the limit.
    fn run(
        self: &Arc<Process>,
        program: &Path,
        arguments: &[String],
        input: &str,
        limit: Duration,
    ) -> Result<String, String> {
        if self.stopped.load(Ordering::SeqCst) {
            return Err("stopped".into());
        }
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("{} can't be started: {error}", program.display()))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        *self.child() = Some(child);
        if self.stopped.load(Ordering::SeqCst) {
            self.stop();
        }
        let (done, waits) = unbounded::<()>();
        let watched = self.clone();
        std::thread::spawn(move || {
            if waits.recv_timeout(limit) == Err(crossbeam_channel::RecvTimeoutError::Timeout) {
                watched.stop();
            }
        });
        let mut text = String::new();
        let told = stdin.map(|mut stdin| stdin.write_all(input.as_bytes()));
        let read = stdout.map(|mut stdout| stdout.read_to_string(&mut text));
        drop(done);
        if let Some(mut child) = self.child().take() {
            let _ = child.wait();
        }
        if self.stopped.load(Ordering::SeqCst) {
            return Err(format!("stopped: it takes longer than {} s", limit.as_secs()));
        }
        if !matches!((told, read), (Some(Ok(())), Some(Ok(_)))) {
            return Err("the program ended before it answered".into());
        }
        Ok(text)
    }
}
