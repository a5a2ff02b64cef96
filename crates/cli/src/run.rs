//! `evert run` and `evert eval`.

use std::mem::ManuallyDrop;
use std::rc::Rc;

use base::{Name, Span};
use calculus::{Atom, Const, Root, Step, StepKind};
use elaborate::Binding;
use eval::array::Array;
use evert::{Failure, Session, Value};
use syntax::Tree;
use syntax::ast::Statement;

use crate::Status;
use crate::draw::Shower;
use crate::files::{self, Files};
use crate::launch::Launcher;
use crate::report;
use crate::terminal::Terminal;

/// Plots go into the folder, if there is one.
pub fn file(launcher: &Launcher, path: &str, args: Vec<String>, plots: Option<&str>) -> Status {
    let shower = Shower::new(launcher.terminal);
    let shower = if let Some(folder) = plots { shower.into_folder(folder, path) } else { shower };
    let ran = in_new_session(launcher, |session| {
        let name = files::name(path);
        let text = session.read(&name)?;
        let tree = statements(launcher.terminal, &shower, session, &name, &text)?;
        match main_step(session, &tree, args) {
            Some(step) => run_step(&shower, session, &step),
            None => Ok(()),
        }
    });
    shower.status(ran)
}

pub fn expression(launcher: &Launcher, text: &str) -> Status {
    let shower = Shower::new(launcher.terminal);
    in_new_session(launcher, |session| statements(launcher.terminal, &shower, session, "<eval>", text).map(|_| ()))
}

pub fn in_new_session(launcher: &Launcher, work: impl FnOnce(&mut Session) -> Result<(), Failure>) -> Status {
    // The process ends after it: taking a session apart would be lost time.
    let mut session = ManuallyDrop::new(launcher.session(Rc::new(Files)));
    match work(&mut session) {
        Ok(()) => Status::Fine,
        Err(failure) => {
            report::report(launcher.terminal, &session.sources, &failure);
            Status::Failed
        }
    }
}

/// Runs the statements of a program and shows the values of its expressions. `test` blocks are for `evert test`.
fn statements(
    terminal: &Terminal,
    shower: &Shower,
    session: &mut Session,
    name: &str,
    text: &str,
) -> Result<Tree, Failure> {
    let (tree, module) = session.load(name, text)?;
    report::warnings(terminal, session);
    for step in &module.steps {
        if matches!(step.kind, StepKind::Test(_)) {
            continue;
        }
        run_step(shower, session, step)?;
    }
    Ok(tree)
}

fn run_step(shower: &Shower, session: &mut Session, step: &Step) -> Result<(), Failure> {
    let value = session.run_step(step).map_err(|error| vec![*error])?;
    if step.kind == StepKind::Show { shower.show(session, &value, step.span) } else { Ok(()) }
}

pub fn is_unit(value: &Value) -> bool {
    eval::force(value).is_ok_and(|value| value.is_unit())
}

/// The call of `main`, if the program has one.
pub fn main_step(session: &mut Session, tree: &Tree, args: Vec<String>) -> Option<Step> {
    let Some(Binding::Root(main @ Root::Global(_))) = session.scope.get(Name::new("main")).cloned() else {
        return None;
    };
    let Some(Value::Function(_)) = session.get("main") else { return None };
    let (span, parameters) = declaration(tree);
    let argument = if parameters == 1 { Atom::Root(arguments(session, args)?, 0) } else { Atom::Const(Const::Unit) };
    let code = Rc::new(evert::application(Atom::Root(main, 0), argument, span));
    Some(Step { kind: StepKind::Show, code, span })
}

/// The arguments, under a name that no program can write.
fn arguments(session: &mut Session, args: Vec<String>) -> Option<Root> {
    const NAME: &str = "the arguments of main";
    session.set(NAME, texts(args));
    match session.scope.get(Name::new(NAME)) {
        Some(Binding::Root(root)) => Some(*root),
        _ => None,
    }
}

/// Where the program declares `main`, and with how many parameters; a `let main = …` is called as `main()`.
fn declaration(tree: &Tree) -> (Span, usize) {
    let statements = tree.statements().into_iter().map(|id| tree.statement(id));
    let mut functions = statements.filter_map(|statement| match statement {
        Statement::Fn(function) if function.name.name.as_str() == "main" => {
            Some((function.name.span, function.params.len()))
        }
        _ => None,
    });
    functions.next_back().unwrap_or((Span::new(tree.file(), 0, 0), 0))
}

fn texts(args: Vec<String>) -> Value {
    let values = args.into_iter().map(Value::text).collect();
    Value::array(Array::from_values(values).unwrap_or_else(|_| panic!("cli: texts have one shape")))
}
