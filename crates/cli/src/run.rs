//! `evert run` and `evert eval`.

use std::mem::ManuallyDrop;
use std::rc::Rc;

use calculus::{Step, StepKind};
use evert::{Failure, Session};
use syntax::Tree;

use crate::Status;
use crate::files::{Files, Prints};
use crate::given::main_step;
use crate::launch::Launcher;
use crate::output::{Output, Shown};
use crate::program::Program;
use crate::progress;
use crate::report;
use crate::words::Words;

pub fn file(launcher: &Launcher, program: &Program, words: &Words, output: &Output) -> Status {
    let prints = if output.is_data() { Prints::Errors } else { Prints::Output };
    in_new_session(launcher, Files::of(&program.name, prints), output, |session| {
        let text = session.text_of(&program.name, program.bytes.clone())?;
        let tree = statements(output, session, &program.name, &text)?;
        match main_step(session, &tree, words)? {
            Some(step) => run_step(output, session, &step, None),
            None => Ok(()),
        }
    })
}

pub fn expression(launcher: &Launcher, text: &str, output: &Output) -> Status {
    let prints = if output.is_data() { Prints::Errors } else { Prints::Output };
    in_new_session(launcher, Files::here(prints), output, |session| {
        let (_, module) = session.load("<eval>", text)?;
        report::warnings(launcher.terminal, session);
        for step in module.steps.iter().filter(|step| !matches!(step.kind, StepKind::Test(_))) {
            run_step(output, session, step, None)?;
        }
        Ok(())
    })
}

pub fn in_new_session(
    launcher: &Launcher,
    world: Files,
    output: &Output,
    work: impl FnOnce(&mut Session) -> Result<(), Failure>,
) -> Status {
    // The process ends after it: taking a session apart would be lost time.
    let mut session = ManuallyDrop::new(launcher.session(Rc::new(world)));
    if let Err(failure) = work(&mut session) {
        report::report(launcher.terminal, &session.sources, &failure);
        return Status::Failed;
    }
    match output.finish() {
        Ok(()) => Status::Fine,
        Err(why) => {
            launcher.terminal.complain(&why);
            Status::Failed
        }
    }
}

/// Runs the statements of a program and shows the values of its expressions. `test` blocks are for `evert test`.
fn statements(output: &Output, session: &mut Session, name: &str, text: &str) -> Result<Tree, Failure> {
    let (tree, module) = session.load(name, text)?;
    report::warnings(output.terminal, session);
    for step in module.steps.iter().filter(|step| !matches!(step.kind, StepKind::Test(_))) {
        let label = session.sources.text(step.span).to_string();
        run_step(output, session, step, Some(&label))?;
    }
    Ok(tree)
}

fn run_step(output: &Output, session: &mut Session, step: &Step, label: Option<&str>) -> Result<(), Failure> {
    let text = label.map_or_else(|| session.sources.text(step.span).to_string(), str::to_string);
    let value = progress::during(&text, || session.run_step(step)).map_err(|error| vec![*error])?;
    match step.kind {
        StepKind::Show => output.show(session, &value, Shown { label, span: step.span }),
        StepKind::Define(_) | StepKind::Test(_) => Ok(()),
    }
}
