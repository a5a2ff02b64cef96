//! The words of the command line as the argument of `main`.
//!
//! In: words and the parameters of `main`. Out: a step that calls `main`. A word is of the kind that the default has: a number, a boolean, a
//! text; for arrays and records it is the name of a file of data, or JSON. Without a default the word itself says what it is.

use std::rc::Rc;

use base::{Diagnostic, FileId, Name, Span, codes};
use calculus::build::Builder;
use calculus::{Atom, Const, Expr, Field, Group, Lambda, Role, Root, Step, StepKind};
use elaborate::Binding;
use eval::array::{Array, Elements};
use eval::value::Form as Shape;
use evert::{Failure, Format, Session, Value};
use syntax::Tree;

use crate::files::{self, STDIN};
use crate::program::{Form, Parameter, Parameters, declared};
use crate::words::Words;

/// Where the arguments wait, under a name that no program can write.
const ARGUMENTS: &str = "the arguments of main";

/// The call of `main` with these words, if the program has one.
pub fn main_step(session: &mut Session, tree: &Tree, words: &Words) -> Result<Option<Step>, Failure> {
    let Some(Binding::Root(main @ Root::Global(_))) = session.scope.get(Name::new("main")).cloned() else {
        return Ok(None);
    };
    let Some(Value::Function(_)) = session.get("main") else { return Ok(None) };
    let (span, parameters) = declared(tree);
    let given = match parameters.form {
        Form::Texts => vec![texts(&words.others)],
        _ => arguments(session, &parameters, words, tree.file(), span)?,
    };
    let labels: Rc<[Name]> = (0..given.len()).map(|at| Name::new(&format!("argument {at}"))).collect();
    session.set(ARGUMENTS, Value::record(labels.clone(), given));
    let Some(Binding::Root(root)) = session.scope.get(Name::new(ARGUMENTS)).cloned() else { return Ok(None) };
    let code = Rc::new(call(Atom::Root(main, 0), Atom::Root(root, 0), &labels, &parameters, span));
    Ok(Some(Step { kind: StepKind::Show, code, span }))
}

/// A function of `()` that calls `f` with the fields of a record.
fn call(f: Atom, record: Atom, labels: &[Name], parameters: &Parameters, span: Span) -> Group {
    let unnamed = Name::new("_");
    let mut body = Builder::new(vec![unnamed, unnamed]);
    let get = |label: &Name| Expr::Get(record.clone(), Field::Name(*label));
    let parts: Vec<Atom> = labels.iter().map(|label| body.bind(unnamed, get(label), span)).collect();
    let names = || parameters.all.iter().filter_map(|parameter| parameter.name);
    let x = match (parameters.form, &parts[..]) {
        (Form::Record, _) => {
            let fields = names().zip(parts).collect();
            body.bind(unnamed, Expr::Record(fields), span)
        }
        (Form::One | Form::Texts, [one]) => one.clone(),
        (_, []) => Atom::Const(Const::Unit),
        _ => body.bind(unnamed, Expr::Tuple(parts), span),
    };
    function(f, x, body, span)
}

fn function(f: Atom, x: Atom, mut body: Builder, span: Span) -> Group {
    let result = body.bind(Name::new("_"), Expr::Apply { f, x, order: 0 }, span);
    let block = body.close(result, span);
    let (name, rules, mentions) = (None, vec![], vec![]);
    let lambda = Lambda { name, role: Role::Source, span, vars: body.vars, body: block, rules, mentions };
    Group { captures: vec![], members: vec![lambda], order: 0 }
}

fn texts(words: &[String]) -> Value {
    let values = words.iter().map(Value::text).collect();
    Value::array(Array::from_values(values).unwrap_or_else(|_| panic!("cli: texts have one shape")))
}

/// The values of all parameters, in order.
fn arguments(
    session: &mut Session,
    parameters: &Parameters,
    words: &Words,
    file: FileId,
    main: Span,
) -> Result<Vec<Value>, Failure> {
    let from_file = match &words.file {
        Some(path) => fields_of(session, parameters, path, main)?,
        None => vec![],
    };
    let mut others = words.others.iter();
    let mut values = vec![];
    for parameter in &parameters.all {
        let span = Span { file, ..parameter.span };
        let default = default(session, parameter)?;
        let named =
            words.named.iter().rev().find(|(name, _)| parameter.name.is_some_and(|known| known.as_str() == name));
        let word = match named {
            Some((_, word)) => Some(word.clone().unwrap_or("true".to_string())),
            None if of(&from_file, parameter).is_some() => None,
            None => others.next().cloned(),
        };
        let value = match (word, of(&from_file, parameter), default) {
            (Some(word), _, default) => argument(session, parameter, &word, default.as_ref(), span)?,
            (None, Some(value), Some(default)) => like(value.clone(), &default),
            (None, Some(value), None) => value.clone(),
            (None, None, Some(default)) => default,
            (None, None, None) => return Err(vec![missing(session, parameter, span)]),
        };
        values.push(value);
    }
    match others.next() {
        Some(word) if !parameters.all.is_empty() => {
            let message = format!("`main` has no parameter for `{word}`");
            Err(vec![
                Diagnostic::new(codes::BAD_ARGUMENT, main, message).help("`--help` behind the file lists what it has"),
            ])
        }
        _ => Ok(values),
    }
}

fn of<'v>(fields: &'v [(Name, Value)], parameter: &Parameter) -> Option<&'v Value> {
    fields.iter().find(|(name, _)| Some(*name) == parameter.name).map(|(_, value)| value)
}

/// The arguments in a JSON file.
fn fields_of(
    session: &mut Session,
    parameters: &Parameters,
    path: &str,
    main: Span,
) -> Result<Vec<(Name, Value)>, Failure> {
    let wrong = |message: String| vec![Diagnostic::new(codes::BAD_ARGUMENT, main, message)];
    let value = data(session, path, main)?;
    let Value::Data(record) = &value else {
        return Err(wrong(format!("{path} has to be an object with the arguments of `main`")));
    };
    let Shape::Record(labels) = &record.form else {
        return Err(wrong(format!("{path} has to be an object with the arguments of `main`")));
    };
    if let Some(unknown) = labels.iter().find(|label| parameters.named(label.as_str()).is_none()) {
        return Err(wrong(format!("`main` has no parameter `{unknown}`, which {path} gives")));
    }
    Ok(labels.iter().copied().zip(record.fields.iter().cloned()).collect())
}

fn default(session: &mut Session, parameter: &Parameter) -> Result<Option<Value>, Failure> {
    let Some(name) = parameter.name.filter(|_| parameter.default.is_some()) else { return Ok(None) };
    let name = Name::new(&format!("the default of {name}"));
    let Some(Binding::Root(root)) = session.scope.get(name).cloned() else { return Ok(None) };
    let span = parameter.span;
    let unnamed = Name::new("_");
    let code = function(Atom::Root(root, 0), Atom::Const(Const::Unit), Builder::new(vec![unnamed, unnamed]), span);
    let step = Step { kind: StepKind::Show, code: Rc::new(code), span };
    session.run_step(&step).map(Some).map_err(|error| vec![*error])
}

fn missing(session: &Session, parameter: &Parameter, span: Span) -> Diagnostic {
    let file = &session.sources.get(span.file).name;
    match parameter.name {
        Some(name) => Diagnostic::new(codes::BAD_ARGUMENT, span, format!("`main` wants `{name}`, which wasn't given"))
            .help(format!("write `evert run {file} --{name} VALUE`, or give it a default: `{name} = …`")),
        None => Diagnostic::new(codes::BAD_ARGUMENT, span, "`main` wants an argument that wasn't given")
            .help(format!("write `evert run {file} VALUE`")),
    }
}

/// What a word is to a parameter.
fn argument(
    session: &mut Session,
    parameter: &Parameter,
    word: &str,
    default: Option<&Value>,
    span: Span,
) -> Result<Value, Failure> {
    let wrong = |expected: &str| {
        let name = parameter.name.map_or("an argument".to_string(), |name| format!("`--{name}`"));
        let message = format!("expected {expected} for {name}, found `{word}`");
        let diagnostic = Diagnostic::new(codes::BAD_ARGUMENT, span, message);
        vec![match &parameter.default {
            Some(default) => diagnostic.note(format!("the default is {default}")),
            None => diagnostic,
        }]
    };
    let default = default.map(|default| eval::force(default).unwrap_or_else(|_| default.clone()));
    match &default {
        Some(Value::Real(_)) => word.parse().map(Value::Real).map_err(|_| wrong("a real")),
        Some(Value::Int(_)) => word.parse().map(Value::Int).map_err(|_| wrong("an int")),
        Some(Value::Bool(_)) => word.parse().map(Value::Bool).map_err(|_| wrong("true or false")),
        Some(Value::Text(_)) => Ok(Value::text(word)),
        Some(default @ (Value::Array(_) | Value::Data(_))) => match structured(session, word, span)? {
            Some(value) => Ok(like(value, default)),
            None => Err(wrong("a file of data or JSON")),
        },
        Some(_) => Err(wrong("nothing: it can't be given on the command line")),
        None => match structured(session, word, span)? {
            Some(value) => Ok(value),
            None => Ok(scalar(word)),
        },
    }
}

/// A word that is an array or a record: the name of a file of data, standard input, or JSON itself.
fn structured(session: &mut Session, word: &str, span: Span) -> Result<Option<Value>, Failure> {
    if word == "-" || Format::of(word).is_some() {
        return data(session, word, span).map(Some);
    }
    match word.starts_with(['[', '{']) {
        true => session.read_data("an argument of main.json", word.as_bytes()).map(Some),
        false => Ok(None),
    }
}

fn scalar(word: &str) -> Value {
    let int = word.parse().map(Value::Int);
    let number = int.or_else(|_| word.parse().map(Value::Real));
    number.or_else(|_| word.parse().map(Value::Bool)).unwrap_or_else(|_| Value::text(word))
}

/// A file of data that the command line names.
fn data(session: &mut Session, path: &str, span: Span) -> Result<Value, Failure> {
    let name = if path == "-" { STDIN } else { path };
    let bytes = files::read_given(name).map_err(|reason| {
        vec![Diagnostic::new(codes::BAD_ARGUMENT, span, format!("the data {path} can't be read")).note(reason)]
    })?;
    session.read_data(name, &bytes)
}

/// The value as near to the form of the default as it can be: ints where the default has reals are reals, a list is a tuple.
fn like(value: Value, default: &Value) -> Value {
    match (&value, default) {
        (Value::Int(i), Value::Real(_)) => Value::Real(*i as f64),
        (Value::Array(array), Value::Array(wanted)) => match (&array.elements, &wanted.elements) {
            (Elements::Int(ints), Elements::Real(_)) => {
                let reals = ints.iter().map(|i| *i as f64).collect();
                Value::array(Array::reals(array.shape.clone(), reals))
            }
            _ => value,
        },
        (Value::Array(array), Value::Data(tuple))
            if matches!(tuple.form, Shape::Tuple) && array.len() == tuple.fields.len() =>
        {
            let parts = (0..array.len()).map(|at| like(array.row(at), &tuple.fields[at])).collect();
            Value::tuple(parts)
        }
        (Value::Data(record), Value::Data(wanted)) => match (&record.form, &wanted.form) {
            (Shape::Record(labels), Shape::Record(known)) => {
                let field = |(label, field): (&Name, &Value)| match known.iter().position(|other| other == label) {
                    Some(at) => like(field.clone(), &wanted.fields[at]),
                    None => field.clone(),
                };
                let fields = labels.iter().zip(&record.fields).map(field).collect();
                Value::record(labels.clone(), fields)
            }
            _ => value,
        },
        _ => value,
    }
}
