//! `evert run` and `evert eval`.

use base::{Name, Span};
use calculus::StepKind;
use eval::array::Array;
use evert::{Failure, Session, Value};
use syntax::Tree;
use syntax::ast::Statement;

use crate::Status;
use crate::files::{self, Files};
use crate::report;
use crate::terminal::Terminal;

pub fn file(terminal: &Terminal, path: &str, args: Vec<String>) -> Status {
    in_new_session(terminal, |session| {
        let name = files::name(path);
        let text = session.read(&name)?;
        let tree = statements(terminal, session, &name, &text)?;
        main_function(terminal, session, &tree, args)
    })
}

pub fn expression(terminal: &Terminal, text: &str) -> Status {
    in_new_session(terminal, |session| statements(terminal, session, "<eval>", text).map(|_| ()))
}

fn in_new_session(terminal: &Terminal, work: impl FnOnce(&mut Session) -> Result<(), Failure>) -> Status {
    let mut session = Session::new(std::rc::Rc::new(Files));
    match work(&mut session) {
        Ok(()) => Status::Fine,
        Err(failure) => {
            report::report(terminal, &session.sources, &failure);
            Status::Failed
        }
    }
}

/// Runs the statements of a program and shows the values of its expressions. `test` blocks are for `evert test`.
fn statements(terminal: &Terminal, session: &mut Session, name: &str, text: &str) -> Result<Tree, Failure> {
    let (tree, module) = session.load(name, text)?;
    for step in &module.steps {
        if matches!(step.kind, StepKind::Test(_)) {
            continue;
        }
        let value = session.run_step(step).map_err(|error| vec![*error])?;
        if step.kind == StepKind::Show {
            show(terminal, &value);
        }
    }
    Ok(tree)
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

fn main_function(terminal: &Terminal, session: &mut Session, tree: &Tree, args: Vec<String>) -> Result<(), Failure> {
    if session.scope.get(Name::new("main")).is_none() {
        return Ok(());
    }
    let Some(function @ Value::Function(_)) = session.get("main") else { return Ok(()) };
    let (span, parameters) = declaration(tree);
    let argument = if parameters == 1 { texts(args) } else { Value::unit() };
    let value = session.machine.call(&function, argument, span).map_err(|error| vec![*error])?;
    show(terminal, &value);
    Ok(())
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
