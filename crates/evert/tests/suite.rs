//! The one corpus: every file of `suite/` and of `library/` holds on every engine.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use evert::testing::{self, Problem};
use evert::{Session, World};

struct Files;

impl World for Files {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.to_string())
    }

    fn print(&self, _line: &str) {}
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let only: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let mut files = vec![];
    find(&root.join("suite"), &mut files);
    files.retain(|file| only.is_empty() || only.iter().any(|word| file.to_string_lossy().contains(word.as_str())));
    let on_a_large_stack = std::thread::Builder::new().stack_size(1 << 28);
    let (passed, failed) = on_a_large_stack.spawn(move || run(&files)).expect("a thread").join().expect("no panic");
    println!("{passed} passed, {failed} failed");
    std::process::exit(i32::from(failed > 0 || passed == 0));
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

fn run(files: &[PathBuf]) -> (usize, usize) {
    let (mut passed, mut failed) = (0, 0);
    for file in files {
        let name = file.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(file).expect("UTF-8 text");
        let mut session = Session::new(Rc::new(Files));
        let cases = match testing::run(&mut session, &name, &text) {
            Ok(cases) => cases,
            Err(errors) => {
                for error in &errors {
                    println!(
                        "{}: {} {}",
                        evert::expectation::place(&session.sources, error.span()),
                        error.code,
                        error.message
                    );
                }
                failed += 1;
                continue;
            }
        };
        for case in cases {
            let place = evert::expectation::place(&session.sources, case.span);
            match case.result {
                Ok(()) => passed += 1,
                Err(problem) => {
                    failed += 1;
                    let words = match problem {
                        Problem::Differs(words) => words,
                        Problem::Failed(error) => format!(
                            "{}: {} {:?} {:?}",
                            error.code,
                            error.message,
                            error.notes,
                            error.trace.iter().map(|t| &t.text).collect::<Vec<_>>()
                        ),
                    };
                    println!("{place} {} {}\n   {words}", case.name, session.sources.text(case.span));
                }
            }
        }
    }
    (passed, failed)
}
