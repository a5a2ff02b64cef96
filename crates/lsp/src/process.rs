//! A process that does one job and may be stopped from another thread.
//!
//! In: a program and a job, one line. Out: its answers, line by line. Its standard input stays open while it works: when the server dies the
//! worker sees that and ends, so that no program goes on without anybody who waits for it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard};

use crossbeam_channel::{Receiver, unbounded};
use serde_json::Value as Json;

/// What a program may use of the memory for an editor, unless the user says otherwise: a hint isn't worth swapping.
const MEMORY: (&str, &str) = ("EVERT_MEMORY_MB", "1024");

#[derive(Default)]
pub struct Process {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    child: Option<Child>,
    stopped: Option<Stopped>,
}

/// Why a process was stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// Nobody wants its answer any more.
    Unwanted,
    /// It took too long.
    Late,
}

impl Process {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Starts it with its job; its answers come over a channel that closes at its end.
    pub fn start(&self, program: &Path, arguments: &[String], job: &str) -> Result<Receiver<Json>, String> {
        let mut state = self.state();
        if state.stopped.is_some() {
            return Err("stopped".into());
        }
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        if std::env::var_os(MEMORY.0).is_none() {
            command.env(MEMORY.0, MEMORY.1);
        }
        let mut child = command.spawn().map_err(|error| format!("{} can't be started: {error}", program.display()))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        state.child = Some(child);
        drop(state);
        let (sender, lines) = unbounded();
        let job = format!("{job}\n");
        std::thread::spawn(move || {
            let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else { return };
            // One that doesn't read has ended.
            let _ = stdin.write_all(job.as_bytes()).and_then(|()| stdin.flush());
            for line in BufReader::new(stdout).lines() {
                let parsed = line.ok().and_then(|line| serde_json::from_str(&line).ok());
                if parsed.is_none_or(|line| sender.send(line).is_err()) {
                    return;
                }
            }
        });
        Ok(lines)
    }

    /// Stops it; what it has answered until now can still be read.
    pub fn stop(&self, why: Stopped) {
        let mut state = self.state();
        state.stopped.get_or_insert(why);
        if let Some(child) = &mut state.child {
            // It may have ended by itself.
            let _ = child.kill();
        }
    }

    /// Waits for its end, which is near; says why it was stopped, if it was.
    pub fn end(&self) -> Option<Stopped> {
        let child = self.state().child.take();
        if let Some(mut child) = child {
            // It has answered all that it was asked.
            let _ = child.kill();
            let _ = child.wait();
        }
        self.state().stopped
    }
}
