//! `evert run --watch`: the program runs again when it, or what it imports, changes, also while it runs and after an error.

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use support::Folder;

/// The command, and the lines that it prints.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(program: &str) -> Watch {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evert"));
        command.args(["run", "--engine", "reference", program, "--watch", "--by", "10"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("evert runs");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (said, lines) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).for_each(|line| drop(said.send(line))));
        Watch { child, lines }
    }

    fn expect(&self, line: &str) {
        assert_eq!(self.lines.recv_timeout(Duration::from_secs(60)).as_deref(), Ok(line));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_program_runs_again_when_files_change() {
    let folder = Folder::new("watch");
    folder.write("part.ev", "let a = 1");
    folder.write("a.ev", "import \"part.ev\" as part\nfn main(by) = part.a * by");
    let watch = Watch::start(&folder.path("a.ev"));
    watch.expect("10");
    folder.write("part.ev", "let a = 22");
    watch.expect("220");
    // Wrong, then endless, then gone.
    folder.write("a.ev", "fn main(by) = by +");
    folder.write("a.ev", "print(\"begins\")\nfn main(by) = while_loop(x => true, x => x, by)");
    watch.expect("begins");
    std::fs::remove_file(folder.path("a.ev")).expect("the file is there");
    folder.write("a.ev", "fn main(by) = by + 1");
    watch.expect("11");
}

#[test]
fn standard_input_cannot_be_watched() {
    support::evert(&["run", "-", "--watch"]).fails_with(2);
}
