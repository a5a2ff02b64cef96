//! Plots are drawn on a terminal, named in a line elsewhere, and written as SVG where that was asked for.

use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};

use base::Span;
use calculus::StepKind;
use evert::{Failure, Session, Value};
use plots::{Page, Plot};

use crate::Status;
use crate::files::{Files, Prints, reason};
use crate::launch::Launcher;
use crate::output::Output;
use crate::report;
use crate::run::in_new_session;
use crate::screen::{Display, display};
use crate::terminal::Terminal;

/// Where plots are drawn.
#[derive(Default)]
pub struct Drawing {
    /// Asked for when there is a plot.
    display: OnceCell<Display>,
    folder: Option<Folder>,
    /// Why a plot couldn't be written.
    failed: RefCell<Option<String>>,
}

/// A folder for plots, and what their files are called.
struct Folder {
    path: PathBuf,
    stem: String,
    written: Cell<usize>,
}

impl Drawing {
    /// Plots of a program are written into a folder.
    pub fn into_folder(folder: &str, program: &str) -> Drawing {
        let stem = Path::new(program).file_stem().map_or("plot".into(), |stem| stem.to_string_lossy().into_owned());
        let stem = if stem == "-" { "plot".to_string() } else { stem };
        let folder = Folder { path: PathBuf::from(folder), stem, written: Cell::new(0) };
        Drawing { folder: Some(folder), ..Drawing::default() }
    }

    pub fn plot(&self, terminal: &Terminal, plot: &Plot) {
        if let Some(folder) = &self.folder {
            match folder.write(plot) {
                Ok(path) => terminal.line(&format!("{path}: {}", plots::describe(plot))),
                Err(why) => *self.failed.borrow_mut() = Some(why),
            }
            return;
        }
        match self.display(terminal) {
            Display::Line => terminal.line(&plots::describe(plot)),
            Display::Characters(screen) => terminal.text(&plots::terminal(plot, screen)),
            Display::Pixels(screen, character) => terminal.text(&plots::kitty(plot, screen, character)),
        }
    }

    fn display(&self, terminal: &Terminal) -> Display {
        *self.display.get_or_init(|| display(terminal))
    }

    /// `Err`: why a plot isn't where it should be.
    pub fn finish(&self) -> Result<(), String> {
        self.failed.borrow_mut().take().map_or(Ok(()), Err)
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
    let ran = in_new_session(launcher, Files::here(Prints::Output), &Output::plain(terminal), |session| {
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
    let drawing = Drawing::default();
    match output {
        None if drawing.display(terminal) != Display::Line => drawing.plot(terminal, plot),
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
