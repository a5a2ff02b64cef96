//! Programs by hand, and running them on both engines.

use std::cell::RefCell;
use std::rc::Rc;

use base::Code;
use calculus::Constructor;
use eval::Value;
use eval::value::Form;
use first_order::build::FunctionBuilder;
use first_order::{
    Alternative, Atom, Definition, Function, FunctionId, Head, NamedId, Op, Program, Scalar, Shape, ShapeId, Shapes,
    Type,
};
use llvm::{Effort, SelfTest};
use native::emit::Checks;
use native::engine::{Compiled, Engine, tables};

pub const INT: ShapeId = ShapeId(0);
pub const REAL: ShapeId = ShapeId(1);
pub const BOOL: ShapeId = ShapeId(2);
pub const TEXT: ShapeId = ShapeId(3);
pub const UNIT: ShapeId = ShapeId(4);
/// Named: `Nil` or `Cons(int, list)`.
pub const LIST: ShapeId = ShapeId(5);
pub const REALS: ShapeId = ShapeId(6);
pub const MATRIX: ShapeId = ShapeId(7);
/// An array of lists.
pub const LISTS: ShapeId = ShapeId(8);
/// (int, real, bool, list, reals, int)
pub const SIX: ShapeId = ShapeId(9);

fn one(head: Head, parts: &[ShapeId]) -> Shape {
    Shape { alternatives: vec![Alternative { head, parts: parts.to_vec() }], named: None }
}

fn constructor(name: &str, tag: u32, fields: &[&str]) -> Rc<Constructor> {
    let fields = fields.iter().map(|field| (*field).into()).collect();
    Rc::new(Constructor { name: name.into(), type_name: "List".into(), tag, fields })
}

fn nil() -> Alternative {
    Alternative { head: Head::Variant(constructor("Nil", 0, &[])), parts: vec![] }
}

fn cons() -> Alternative {
    Alternative { head: Head::Variant(constructor("Cons", 1, &["head", "tail"])), parts: vec![INT, LIST] }
}

pub fn shapes() -> Shapes {
    Shapes(
        vec![
            one(Head::Int, &[]),
            one(Head::Real, &[]),
            one(Head::Bool, &[]),
            one(Head::Text, &[]),
            one(Head::Tuple, &[]),
            Shape { alternatives: vec![nil(), cons()], named: Some(NamedId(0)) },
            one(Head::Array(1), &[REAL]),
            one(Head::Array(2), &[REAL]),
            one(Head::Array(1), &[LIST]),
            one(Head::Tuple, &[INT, REAL, BOOL, LIST, REALS, INT]),
        ],
        Default::default(),
    )
}

pub fn list_type() -> Type {
    Type::Named(NamedId(0))
}

/// Cons's content, and the sum that a list holds.
pub fn pair_type() -> Type {
    Type::fields([Type::Int, list_type()])
}

pub fn content_type() -> Type {
    Type::sum([Type::unit(), pair_type()])
}

pub fn program(functions: Vec<Function>, parameters: &[ShapeId], result: ShapeId) -> Program {
    Program {
        types: vec![Definition { name: "List".into(), content: content_type() }],
        shapes: shapes(),
        functions,
        entry: FunctionId(0),
        parameters: parameters.to_vec(),
        result,
    }
}

/// The list 0, 1, … n-1.
pub fn list(n: i64) -> Value {
    let nil = Value::data(Form::Variant(constructor("Nil", 0, &[])), vec![]);
    let cons = constructor("Cons", 1, &["head", "tail"]);
    (0..n).rev().fold(nil, |tail, i| Value::data(Form::Variant(cons.clone()), vec![Value::Int(i), tail]))
}

pub fn empty_list(f: &mut FunctionBuilder) -> Atom {
    let content = f.bind(content_type(), Op::Inject(0, Atom::Unit));
    f.bind(list_type(), Op::Box(content))
}

pub fn put_before(f: &mut FunctionBuilder, head: Atom, tail: Atom) -> Atom {
    let pair = f.bind(pair_type(), Op::Struct(vec![head, tail]));
    let content = f.bind(content_type(), Op::Inject(1, pair));
    f.bind(list_type(), Op::Box(content))
}

pub fn int(f: &mut FunctionBuilder, scalar: Scalar, a: Atom, b: Atom) -> Atom {
    f.scalar(Type::Int, scalar, [a, b])
}

thread_local! {
    static ENGINE: RefCell<Option<Engine>> = RefCell::new(Engine::new(SelfTest::Skip).ok());
}

pub fn with_engine(test: impl FnOnce(&mut Engine)) {
    ENGINE.with(|engine| match &mut *engine.borrow_mut() {
        Some(engine) => test(engine),
        None => eprintln!("skipped: there is no LLVM for the native half of the test"),
    });
}

/// The program's value, or the code of its error, the same on both engines at every effort.
pub fn check(program: &Program, args: &[Value]) -> Result<Value, Code> {
    check_all(program, &[args.to_vec()]).pop().expect("one run")
}

/// The same for several arguments.
pub fn check_all(program: &Program, inputs: &[Vec<Value>]) -> Vec<Result<Value, Code>> {
    check_at(&[Effort::Quick, Effort::Standard, Effort::Full], program, inputs)
}

pub fn check_at(efforts: &[Effort], program: &Program, inputs: &[Vec<Value>]) -> Vec<Result<Value, Code>> {
    if let Err(violations) = first_order::check(program) {
        panic!("L3: {violations:?}");
    }
    let lowered = loops::lower(program);
    if let Err(error) = loops::check::check(&lowered) {
        panic!("{error}\n{lowered}");
    }
    let expected: Vec<_> = inputs.iter().map(|args| interpreted(program, args)).collect();
    with_engine(|engine| {
        let (plain, checked) = (
            native::emit::emit(&lowered),
            native::emit::emit_with(&lowered, Checks::Memory, native::emit::Progress::Silent),
        );
        let builds = efforts.iter().map(|effort| (&plain, *effort, Checks::Language));
        for (ir, effort, checks) in builds.chain([(&checked, efforts[0], Checks::Memory)]) {
            // SAFETY: the IR was emitted for these tables.
            let compiled = unsafe { engine.load(ir, tables(program, &lowered), effort) };
            let compiled = compiled.unwrap_or_else(|error| panic!("{error}\n{lowered}\n{ir}"));
            let compiled = if checks == Checks::Memory { compiled.checked() } else { compiled };
            for (args, expected) in inputs.iter().zip(&expected) {
                let found = compiled_result(engine, &compiled, args);
                assert_eq!(text(expected), text(&found), "{args:?}, {effort:?}\n{lowered}\n{ir}");
                if found.0.is_ok() {
                    assert_eq!(engine.usage().live_after, 0, "objects are left\n{lowered}");
                }
            }
        }
    });
    expected.into_iter().map(|(result, _)| result).collect()
}

/// A result and what was printed.
type Outcome = (Result<Value, Code>, Vec<String>);

/// Any NaN is NaN.
fn text(outcome: &Outcome) -> String {
    format!("{outcome:?}").replace("-NaN", "NaN")
}

fn interpreted(program: &Program, args: &[Value]) -> Outcome {
    let (codes, mut prints): (Vec<Rc<eval::Code>>, _) = (vec![], vec![]);
    let result = first_order::run(program, &codes, args.to_vec(), &mut |line| prints.push(line.to_string()));
    let result = result.map_err(|stop| match stop {
        first_order::Stop::Error { code, .. } => code,
        other => panic!("the interpreter stopped: {other:?}"),
    });
    (result, prints)
}

fn compiled_result(engine: &mut Engine, program: &Compiled, args: &[Value]) -> Outcome {
    let (codes, mut prints): (Vec<Rc<eval::Code>>, _) = (vec![], vec![]);
    let result = engine.run(program, &codes, args, &mut |line| prints.push(line.to_string()));
    let result = result.map_err(|stop| match stop {
        native::run::Stop::Error { code, .. } => code,
        other => panic!("the engine stopped: {other:?}"),
    });
    (result, prints)
}
