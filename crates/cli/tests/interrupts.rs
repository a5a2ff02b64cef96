//! On a terminal: Ctrl-C in the REPL stops what runs, and definitions stay; long steps say how far they are.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The command on a terminal of its own.
struct Session {
    child: Child,
    keys: File,
    output: Receiver<String>,
    seen: String,
}

impl Session {
    fn start(arguments: &[&str]) -> Session {
        let (mut ours, mut theirs) = (0, 0);
        let none = std::ptr::null_mut();
        // SAFETY: the call fills the two numbers.
        let made = unsafe { libc::openpty(&raw mut ours, &raw mut theirs, none, none.cast(), none.cast()) };
        assert_eq!(made, 0, "a terminal");
        // SAFETY: both are open and nobody else's.
        let (ours, theirs) = unsafe { (OwnedFd::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs)) };
        let end = || Stdio::from(theirs.try_clone().expect("a descriptor"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_evert"));
        command
            .args(arguments)
            .env("TERM", "xterm")
            .env("XDG_STATE_HOME", std::env::temp_dir())
            .stdin(end())
            .stdout(end())
            .stderr(end());
        let child = command.spawn().expect("evert runs");
        let mut reader = File::from(ours.try_clone().expect("a descriptor"));
        let (said, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if said.send(String::from_utf8_lossy(&bytes[..count]).into_owned()).is_err() {
                    return;
                }
            }
        });
        Session { child, keys: File::from(ours), output, seen: String::new() }
    }

    fn enter(&mut self, line: &str) {
        self.keys.write_all(format!("{line}\r").as_bytes()).expect("a terminal");
    }

    /// Waits until this is shown, and forgets what was shown so far.
    fn expect(&mut self, text: &str) {
        while !self.seen.contains(text) {
            match self.output.recv_timeout(Duration::from_secs(120)) {
                Ok(more) => self.seen.push_str(&more),
                Err(_) => panic!("{text:?} isn't shown, but {:?}", self.seen),
            }
        }
        self.seen.clear();
    }

    fn interrupt(&self) {
        // SAFETY: a signal to our own child.
        unsafe { libc::kill(self.child.id() as i32, libc::SIGINT) };
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_runs_stops_and_definitions_stay() {
    for engine in ["native", "reference"] {
        let mut session = Session::start(&["--engine", engine, "repl"]);
        session.expect(">");
        session.enter("let kept = 41.0");
        session.expect(">");
        for text in [
            "while_loop(x => x < inf, x => x + 0.0 * kept, 1.0)",
            "grad(a => while_loop(x => x < inf, x => x + 0.0 * a, 1.0))(kept)",
            "sum([while_loop(x => x < inf, x => x + 0.0 * kept, 1.0 + real(i)) for i in 0..100000])",
            "eigh(reshape([sin(real(i)) for i in 0..1000000], [1000, 1000])).0[0]",
        ] {
            session.enter(&format!("{{ print(100 + 23); {text} }}"));
            session.expect("123");
            std::thread::sleep(Duration::from_millis(300));
            session.interrupt();
            session.expect("E0322");
        }
        session.enter("kept + 1");
        session.expect("42");
    }
}

#[test]
fn a_long_step_says_how_far_it_is() {
    let file = std::env::temp_dir().join(format!("evert-progress-{}.ev", std::process::id()));
    let programs = [
        ("native", "grad(x => iterate(1000000000, x => sin(x), x))(1.0)", " of "),
        (
            "native",
            "minimise_by(adam(1e-9), {steps: 100000000, tolerance: 0.0}, v => sum(v^2), [1.0, 2.0])",
            " of 100000000 ",
        ),
        ("native", "while_loop(x => x < 1e300, x => x + sum(1.0 + real(i) for i in 0..1000), 0.0)", "/s"),
        ("reference", "iterate(1000000000, x => x + 1.0, 0.0)", " of 1000000000 "),
        ("reference", "fold((a, i) => a + sin(real(i)), 0.0, iota(10000000))", " left"),
    ];
    for (engine, text, shown) in programs {
        std::fs::write(&file, text).expect("a file");
        let mut session = Session::start(&["--engine", engine, "run", &file.to_string_lossy()]);
        session.expect(shown);
    }
    // Where nobody looks nothing is said.
    std::fs::write(&file, "iterate(20000000, x => sin(x), 1.0)").expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_evert")).arg("run").arg(&file).output().expect("evert runs");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let _ = std::fs::remove_file(file);
}

#[test]
fn training_curves_are_redrawn_in_place_while_the_program_runs() {
    let text = "fn step(w, _) = { let _ = plots.watch(\"loss\", w^2); w - 1e-6 * grad(w => w^2)(w) }\n\
                fold(step, 1.0, iota(100000000))";
    let file = std::env::temp_dir().join(format!("evert-curves-{}.ev", std::process::id()));
    for engine in ["native", "reference"] {
        std::fs::write(&file, text).expect("a file");
        let mut session = Session::start(&["--engine", engine, "run", &file.to_string_lossy()]);
        session.expect("loss");
        // Up over the lines of the plot, and what stands there is cleared.
        session.expect("A\u{1b}[J");
    }
    // The last picture stays, below what is printed; elsewhere each value is a line, and no part of the output.
    let short = "sum([{ print(\"step {k}\"); plots.watch(\"loss\", 1.0 / (1.0 + real(k))) } for k in 0..3])";
    std::fs::write(&file, short).expect("a file");
    let mut session = Session::start(&["run", &file.to_string_lossy()]);
    session.expect("1.8333333333333333");
    let output = Command::new(env!("CARGO_BIN_EXE_evert")).arg("run").arg(&file).output().expect("evert runs");
    let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(lines(&output.stdout), "step 0\nstep 1\nstep 2\n1.8333333333333333\n");
    assert_eq!(lines(&output.stderr), "loss = 1.0\nloss = 0.5\nloss = 0.3333333333333333\n");
    let _ = std::fs::remove_file(file);
}
