//! `evert run --watch`: a program is run again whenever it or a file that it imports changes.
//!
//! The program runs in a process of its own, which is ended where the files change before it is done. Ctrl-C ends both.

use std::ffi::OsString;
use std::process::{Child, Command};
use std::time::Duration;

use base::FileId;
use syntax::ast::{ImportSource, Statement};

use crate::Status;
use crate::files;
use crate::terminal::{Terminal, Tone};

/// How often files are looked at.
const EVERY: Duration = Duration::from_millis(100);

/// Runs the command again and again, without its `--watch`.
pub fn watch(terminal: &Terminal, words: &[OsString], path: &str) -> Status {
    if path == "-" {
        terminal.complain("standard input can't be watched");
        return Status::WrongUsage;
    }
    let words: Vec<&OsString> = words.iter().skip(1).filter(|word| *word != "--watch").collect();
    loop {
        let seen = Seen::new(path);
        let mut child = match start(&words) {
            Ok(child) => child,
            Err(error) => {
                terminal.complain(&format!("can't run: {error}"));
                return Status::Failed;
            }
        };
        let mut is_done = false;
        while !seen.has_changed() {
            if !is_done && child.try_wait().is_ok_and(|status| status.is_some()) {
                is_done = true;
                let line = format!("waiting for {path} or what it imports to change; Ctrl-C ends");
                terminal.error_text(&format!("{}\n", terminal.err.paint(Tone::Comment, &line)));
            }
            std::thread::sleep(EVERY);
        }
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
}

fn start(words: &[&OsString]) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?).args(words).spawn()
}

/// A program and what it imports, as they were.
struct Seen(Vec<(String, Option<u128>)>);

impl Seen {
    fn new(path: &str) -> Seen {
        let mut paths = vec![files::name(path)];
        let mut at = 0;
        while let Some(path) = paths.get(at).cloned() {
            at += 1;
            for import in imports(&path) {
                if !paths.contains(&import) {
                    paths.push(import);
                }
            }
        }
        Seen(paths.into_iter().map(|path| (path.clone(), files::stamp(&path))).collect())
    }

    fn has_changed(&self) -> bool {
        self.0.iter().any(|(path, stamp)| files::stamp(path) != *stamp)
    }
}

/// The files that a program imports itself; none of data.
fn imports(path: &str) -> Vec<String> {
    if evert::Format::of(path).is_some() {
        return vec![];
    }
    let Ok(text) = files::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) else { return vec![] };
    let tree = syntax::parse(FileId::default(), &text);
    let statements = tree.statements().into_iter().map(|id| tree.statement(id));
    let import = |statement| match statement {
        Statement::Import(import) => match import.source {
            ImportSource::Path(import) => Some(evert::imported_path(path, &import)),
            ImportSource::Library(_) => None,
        },
        _ => None,
    };
    statements.filter_map(import).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_imports_is_watched_too() {
        let folder = std::env::temp_dir().join(format!("evert-watch-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("sub")).expect("a folder");
        let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
        std::fs::write(path("a.ev"), "import \"sub/b.ev\"\nimport \"t.csv\"\nimport linalg\n").expect("a file");
        std::fs::write(path("sub/b.ev"), "import \"../a.ev\"\n").expect("a file");
        let seen = Seen::new(&path("a.ev"));
        let paths: Vec<&str> = seen.0.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, [path("a.ev"), path("sub/b.ev"), path("t.csv")]);
        assert!(!seen.has_changed());
        std::fs::write(path("t.csv"), "a\n1\n").expect("a file");
        assert!(seen.has_changed());
        let _ = std::fs::remove_dir_all(folder);
    }
}
