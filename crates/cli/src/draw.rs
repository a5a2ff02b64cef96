//! Showing values: plots are drawn on a terminal, named in a line elsewhere, and written as SVG where that was asked for.

use std::cell::{Cell, OnceCell};
use std::path::{Path, PathBuf};

use base::Span;
use calculus::StepKind;
use evert::{Failure, Session, Value};
use plots::{Page, Plot};

use crate::Status;
use crate::files::reason;
use crate::launch::Launcher;
use crate::report;
use crate::run::{in_new_session, is_unit};
use crate::screen::{Display, display};
use crate::terminal::Terminal;

/// Where values are shown.
pub struct Shower<'a> {
    terminal: &'a Terminal,
    /// Asked for when there is a plot.
    display: OnceCell<Display>,
    folder: Option<Folder>,
    /// A plot couldn't be written.
    failed: Cell<bool>,
}

/// A folder for plots, and what their files are called.
struct Folder {
    path: PathBuf,
    stem: String,
    written: Cell<usize>,
}

impl<'a> Shower<'a> {
    pub fn new(terminal: &'a Terminal) -> Shower<'a> {
        Shower { terminal, display: OnceCell::new(), folder: None, failed: Cell::new(false) }
    }

    /// Plots of a program are written into a folder.
    pub fn into_folder(self, folder: &str, program: &str) -> Shower<'a> {
        let stem = Path::new(program).file_stem().map_or("plot".into(), |stem| stem.to_string_lossy().into_owned());
        let stem = if stem == "-" { "plot".to_string() } else { stem };
        Shower { folder: Some(Folder { path: PathBuf::from(folder), stem, written: Cell::new(0) }), ..self }
    }

    /// Shows a value; `()` says nothing that is worth a line.
    pub fn show(&self, session: &mut Session, value: &Value, span: Span) -> Result<(), Failure> {
        match session.plot(value, span) {
            Some(plot) => self.plot(&plot.map_err(|error| vec![*error])?),
            None if is_unit(value) => {}
            None => self.terminal.line(&evert::show(value)),
        }
        Ok(())
    }

    fn plot(&self, plot: &Plot) {
        if let Some(folder) = &self.folder {
            match folder.write(plot) {
                Ok(path) => self.terminal.line(&format!("{path}: {}", plots::describe(plot))),
                Err(why) => {
                    self.failed.set(true);
                    self.terminal.complain(&why);
                }
            }
            return;
        }
        match self.display() {
            Display::Line => self.terminal.line(&plots::describe(plot)),
            Display::Characters(screen) => self.terminal.text(&plots::terminal(plot, screen)),
            Display::Pixels(screen, character) => self.terminal.text(&plots::kitty(plot, screen, character)),
        }
    }

    fn display(&self) -> Display {
        *self.display.get_or_init(|| display(self.terminal))
    }

    /// How the command ended, if the program ended so.
    pub fn status(&self, program: Status) -> Status {
        if self.failed.get() && program == Status::Fine { Status::Failed } else { program }
    }
}

impl Folder {
    /// The path of the file that was written.
    fn write(&self, plot: &Plot) -> Result<String, String> {
        self.written.set(self.written.get() + 1);
        let path = self.path.join(format!("{}-{}.svg", self.stem, self.written.get()));
        std::fs::create_dir_all(&self.path).map_err(|error| cannot(&self.path, &error))?;
        write(&path, plot)?;
        Ok(path.to_string_lossy().into_owned())
    }
}

fn cannot(path: &Path, error: &std::io::Error) -> String {
    format!("can't write {}: {}", path.display(), reason(error))
}

/// `evert plot`: the value of an expression, which is a plot, as a file or on the terminal. Where standard output is neither, it
/// gets the SVG.
pub fn expression(launcher: &Launcher, text: &str, output: Option<&str>) -> Status {
    let terminal = launcher.terminal;
    if output.is_some_and(|output| output != "-" && !output.ends_with(".svg")) {
        terminal.complain("plots are written as SVG: give a file that ends in .svg");
        return Status::WrongUsage;
    }
    let mut status = Status::Fine;
    let ran = in_new_session(launcher, |session| {
        let (value, span) = last_value(launcher, session, text)?;
        status = match session.plot(&value, span) {
            Some(plot) => put(terminal, &plot.map_err(|error| vec![*error])?, output),
            None => {
                let found = eval::show::described(&value);
                terminal.complain(&format!("expected a plot, as `plot(f, a, b)` makes one; found {found}"));
                Status::Failed
            }
        };
        Ok(())
    });
    if ran == Status::Fine { status } else { ran }
}

/// Runs statements; the value of the last expression, and where it is.
fn last_value(launcher: &Launcher, session: &mut Session, text: &str) -> Result<(Value, Span), Failure> {
    let (_, module) = session.load("<plot>", text)?;
    report::warnings(launcher.terminal, session);
    let mut last = (Value::unit(), Span::default());
    for step in &module.steps {
        let value = session.run_step(step).map_err(|error| vec![*error])?;
        if step.kind == StepKind::Show {
            last = (value, step.span);
        }
    }
    Ok(last)
}

fn put(terminal: &Terminal, plot: &Plot, output: Option<&str>) -> Status {
    let shower = Shower::new(terminal);
    match output {
        None if shower.display() != Display::Line => shower.plot(plot),
        None | Some("-") => terminal.text(&plots::svg(plot, Page::File)),
        Some(path) => {
            if let Err(why) = write(Path::new(path), plot) {
                terminal.complain(&why);
                return Status::Failed;
            }
            terminal.line(&format!("{path}: {}", plots::describe(plot)));
        }
    }
    Status::Fine
}

fn write(path: &Path, plot: &Plot) -> Result<(), String> {
    std::fs::write(path, plots::svg(plot, Page::File)).map_err(|error| cannot(path, &error))
}
