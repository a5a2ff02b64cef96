//! What the tests share: types, atoms, shapes and small programs.
#![allow(dead_code)] // each test file uses some of it

use std::rc::Rc;

use first_order::build::FunctionBuilder;
use first_order::*;

pub fn int(i: i64) -> Atom {
    Atom::Int(i)
}

pub fn real(x: f64) -> Atom {
    Atom::Real(x)
}

pub fn reals(rank: u32) -> Type {
    Type::array(Type::Real, rank)
}

/// The shapes of the tests; scalars come first.
pub const BOOL: ShapeId = ShapeId(0);
pub const INT: ShapeId = ShapeId(1);
pub const REAL: ShapeId = ShapeId(2);
pub const TEXT: ShapeId = ShapeId(3);
pub const UNIT: ShapeId = ShapeId(4);
pub const VECTOR: ShapeId = ShapeId(5);
pub const MATRIX: ShapeId = ShapeId(6);
/// `(| () | {real, LIST})`, named
pub const LIST: ShapeId = ShapeId(7);
pub const INTS: ShapeId = ShapeId(8);
pub const PAIR: ShapeId = ShapeId(9);

pub fn alternative(head: Head, parts: &[ShapeId]) -> Alternative {
    Alternative { head, parts: parts.to_vec() }
}

pub fn plain(head: Head, parts: &[ShapeId]) -> Shape {
    Shape { alternatives: vec![alternative(head, parts)], named: None }
}

pub fn shapes() -> Shapes {
    let list = Shape {
        alternatives: vec![alternative(Head::Tuple, &[]), alternative(Head::Tuple, &[REAL, LIST])],
        named: Some(NamedId(0)),
    };
    Shapes::from(vec![
        plain(Head::Bool, &[]),
        plain(Head::Int, &[]),
        plain(Head::Real, &[]),
        plain(Head::Text, &[]),
        plain(Head::Tuple, &[]),
        plain(Head::Array(1), &[REAL]),
        plain(Head::Array(2), &[REAL]),
        list,
        plain(Head::Array(1), &[INT]),
        plain(Head::Tuple, &[REAL, REAL]),
    ])
}

pub fn list_content() -> Type {
    Type::sum([Type::unit(), Type::fields([Type::Real, Type::Named(NamedId(0))])])
}

/// A program whose entry is the first function.
pub fn program(functions: Vec<Function>, parameters: &[ShapeId], result: ShapeId) -> Program {
    let list = Definition { name: "List".into(), content: list_content() };
    let parameters = parameters.to_vec();
    Program { types: vec![list], shapes: shapes(), functions, entry: FunctionId(0), parameters, result }
}

pub fn no_codes() -> Vec<Rc<eval::Code>> {
    vec![]
}

/// Runs a program that is well-formed.
pub fn run_on(program: &Program, args: Vec<eval::Value>) -> Result<eval::Value, Stop> {
    if let Err(violations) = first_order::check(program) {
        panic!("{violations:#?}");
    }
    first_order::run(program, &no_codes(), args, &mut |_| ())
}

pub fn shown(result: Result<eval::Value, Stop>) -> String {
    match result {
        Ok(value) => eval::show::show(&value),
        Err(Stop::Error { code, .. }) => code.to_string(),
        Err(Stop::Mismatch(text)) => text,
    }
}

/// A function without parameters: what its body yields.
pub fn constant(result: Type, body: impl FnOnce(&mut FunctionBuilder) -> Atom) -> Function {
    let mut builder = FunctionBuilder::new("main", result);
    let value = body(&mut builder);
    builder.finish(End::Yield(value))
}

/// Runs a body alone and shows what it gives.
pub fn evaluate(result: Type, shape: ShapeId, body: impl FnOnce(&mut FunctionBuilder) -> Atom) -> String {
    shown(run_on(&program(vec![constant(result, body)], &[], shape), vec![]))
}

/// Counts an int down to 0 in a loop, with a state that each round changes.
pub fn count_down(
    builder: &mut FunctionBuilder,
    n: Atom,
    state: Type,
    first: Atom,
    round: impl FnOnce(&mut FunctionBuilder, Atom, Atom) -> Atom,
) -> Atom {
    builder.repeat(state.clone(), vec![(Type::Int, n), (state.clone(), first)], |b, params| {
        let [i, acc] = params else { unreachable!() };
        let done = b.scalar(Type::Bool, Scalar::IntLe, [i.clone(), int(0)]);
        let (i, acc) = (i.clone(), acc.clone());
        let (last, state_of_if) = (acc.clone(), state);
        let value = b.choose(
            state_of_if,
            done,
            |_| End::Yield(last),
            |b| {
                let less = b.scalar(Type::Int, Scalar::IntSub, [i.clone(), int(1)]);
                let next = round(b, i, acc);
                End::Again(vec![less, next])
            },
        );
        End::Yield(value)
    })
}
