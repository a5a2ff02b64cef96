//! `evert run` and `evert eval`.

use std::mem::ManuallyDrop;
use std::rc::Rc;

use base::{Name, Span};
use calculus::build::Builder;
use calculus::{Atom, Const, Expr, Group, Lambda, Role, Root, Step, StepKind};
use elaborate::Binding;
use eval::array::Array;
use evert::{Failure, Session, Value};
use syntax::Tree;
use syntax::ast::Statement;

use crate::Status;
use crate::files::{self, Files};
use crate::launch::Launcher;
use crate::report;
use crate::terminal::Terminal;

pub fn file(launcher: &Launcher, path: &str, args: Vec<String>) -> Status {
    in_new_session(launcher, |session| {
        let name = files::name(path);
        let text = session.read(&name)?;
        let tree = statements(launcher.terminal, session, &name, &text)?;
        match main_step(session, &tree, args) {
            Some(step) => run_step(launcher.terminal, session, &step),
            None => Ok(()),
        }
    })
}

pub fn expression(launcher: &Launcher, text: &str) -> Status {
    in_new_session(launcher, |session| statements(launcher.terminal, session, "<eval>", text).map(|_| ()))
}

fn in_new_session(launcher: &Launcher, work: impl FnOnce(&mut Session) -> Result<(), Failure>) -> Status {
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
fn statements(terminal: &Terminal, session: &mut Session, name: &str, text: &str) -> Result<Tree, Failure> {
    let (tree, module) = session.load(name, text)?;
    report::warnings(terminal, session);
    for step in &module.steps {
        if matches!(step.kind, StepKind::Test(_)) {
            continue;
        }
        run_step(terminal, session, step)?;
    }
    Ok(tree)
}

fn run_step(terminal: &Terminal, session: &mut Session, step: &Step) -> Result<(), Failure> {
    let value = session.run_step(step).map_err(|error| vec![*error])?;
    if step.kind == StepKind::Show {
        show(terminal, &value);
    }
    Ok(())
}

/// Shows a value; `()` says nothing that is worth a line.
pub fn show(terminal: &Terminal, value: &Value) {
    if !is_unit(value) {
        terminal.line(&evert::show(value));
    }
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
    let code = Rc::new(call(Atom::Root(main, 0), argument, span));
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

/// A function of `()` that calls `f` with `x`.
fn call(f: Atom, x: Atom, span: Span) -> Group {
    let unnamed = Name::new("_");
    let mut body = Builder::new(vec![unnamed, unnamed]);
    let result = body.bind(unnamed, Expr::Apply { f, x, order: 0 }, span);
    let block = body.close(result, span);
    let (name, rules, mentions) = (None, vec![], vec![]);
    let lambda = Lambda { name, role: Role::Source, span, vars: body.vars, body: block, rules, mentions };
    Group { captures: vec![], members: vec![lambda], order: 0 }
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
