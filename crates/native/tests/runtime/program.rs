//! Small tables and entries to run.

use std::rc::Rc;

use base::{FileId, Span};
use calculus::{Constructor, Prim};
use eval::Value;
use eval::value::Form;
use first_order::{Alternative, Definition, Head, NamedId, Shape, ShapeId, Shapes};
use native::layout::Layouts;
use native::run::{Runner, Stop, Tables};
use native::runtime::Site;
use native::stack::Entry;

pub const INT: ShapeId = ShapeId(0);
pub const REAL: ShapeId = ShapeId(1);
pub const TEXT: ShapeId = ShapeId(3);
pub const UNIT: ShapeId = ShapeId(4);
/// Named: `Nil` or `Cons(int, list)`.
pub const LIST: ShapeId = ShapeId(5);
/// An array of reals and its raw sensitivity.
pub const REALS: ShapeId = ShapeId(6);
pub const HANDLE: ShapeId = ShapeId(7);

/// The shapes above; more may follow.
pub fn shapes(more: Vec<Shape>) -> Shapes {
    let list = vec![alternative(Head::Variant(nil()), &[]), alternative(Head::Variant(cons()), &[INT, LIST])];
    let mut shapes = vec![
        one(Head::Int, &[]),
        one(Head::Real, &[]),
        one(Head::Bool, &[]),
        one(Head::Text, &[]),
        one(Head::Tuple, &[]),
        Shape { alternatives: list, named: Some(NamedId(0)) },
        one(Head::Array(1), &[REAL]),
        one(Head::Handle(1), &[REAL]),
    ];
    shapes.extend(more);
    Shapes::from(shapes)
}

pub fn alternative(head: Head, parts: &[ShapeId]) -> Alternative {
    Alternative { head, parts: parts.to_vec() }
}

pub fn one(head: Head, parts: &[ShapeId]) -> Shape {
    Shape { alternatives: vec![alternative(head, parts)], named: None }
}

fn constructor(name: &str, tag: u32, fields: &[&str]) -> Rc<Constructor> {
    let fields = fields.iter().map(|field| (*field).into()).collect();
    Rc::new(Constructor { name: name.into(), type_name: "List".into(), tag, fields })
}

pub fn nil() -> Rc<Constructor> {
    constructor("Nil", 0, &[])
}

pub fn cons() -> Rc<Constructor> {
    constructor("Cons", 1, &["head", "tail"])
}

/// The list 0, 1, … n-1.
pub fn list(n: i64) -> Value {
    let nil = Value::data(Form::Variant(nil()), vec![]);
    let cons = cons();
    (0..n).rev().fold(nil, |tail, i| Value::data(Form::Variant(cons.clone()), vec![Value::Int(i), tail]))
}

pub fn tables(
    shapes: Shapes,
    sites: &[(Prim, &[ShapeId], ShapeId)],
    parameters: &[ShapeId],
    result: ShapeId,
) -> Tables {
    let site = |(prim, args, result): &(Prim, &[ShapeId], ShapeId)| Site {
        prim: *prim,
        args: args.to_vec(),
        result: *result,
        span: span(),
    };
    Tables {
        layouts: Layouts::new(&shapes, &definitions(&shapes), &loops::Grown::default()),
        shapes,
        sites: sites.iter().map(site).collect(),
        texts: vec!["a text".into()],
        parameters: parameters.to_vec(),
        result: Some(result),
    }
}

/// The definitions that belong to named shapes.
pub fn definitions(shapes: &Shapes) -> Vec<Definition> {
    let named = (0..shapes.0.len() as u32).map(ShapeId).filter_map(|id| Some((shapes.get(id).named?, id)));
    let mut named: Vec<_> = named.collect();
    named.sort();
    named
        .iter()
        .map(|(name, id)| Definition { name: format!("t{}", name.0).into(), content: shapes.content_of(*id) })
        .collect()
}

pub fn span() -> Span {
    Span::new(FileId(3), 10, 20)
}

/// Runs an entry and collects what it prints.
pub fn run(runner: &mut Runner, entry: Entry, tables: &Tables, args: &[Value]) -> (Result<Value, Stop>, Vec<String>) {
    let mut printed = vec![];
    let codes: Vec<Rc<eval::Code>> = vec![];
    // SAFETY: the entries of these tests take and give words of their tables' shapes.
    let result = unsafe { runner.run(entry, tables, &codes, args, &mut |line| printed.push(line.to_string())) };
    (result, printed)
}

/// The value as a person reads it, with its structure.
pub fn shown(value: &Value) -> String {
    format!("{value:?}")
}
