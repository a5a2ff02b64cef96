//! Values of the reference evaluator as typed values, and back.

mod common;

use std::rc::Rc;

use base::Name;
use calculus::Prim;
use common::*;
use eval::Value;
use eval::array::{Array, Elements};
use eval::value::{Env, Form, Function, Suspended};
use first_order::*;

/// The shapes of the tests and more; gives the number of the first one that was added.
fn with(more: Vec<Shape>) -> (Shapes, ShapeId) {
    let mut shapes = shapes();
    let first = ShapeId(shapes.0.len() as u32);
    shapes.0.extend(more);
    (shapes, first)
}

fn several(alternatives: &[(Head, &[ShapeId])]) -> Shape {
    let alternatives = alternatives.iter().map(|(head, parts)| alternative(head.clone(), parts)).collect();
    Shape { alternatives, named: None }
}

/// There and back.
fn through(shapes: &Shapes, shape: ShapeId, value: &Value) -> Result<Value, Mismatch> {
    Ok(to_value(shapes, &no_codes(), shape, &from_value(shapes, &no_codes(), shape, value)?))
}

fn shown_through(shape: Shape, value: Value) -> String {
    let (shapes, id) = with(vec![shape]);
    match through(&shapes, id, &value) {
        Ok(value) => eval::show::show(&value),
        Err(Mismatch(text)) => text,
    }
}

#[test]
fn scalars_and_data_survive() {
    let pair = Value::pair(Value::Real(1.5), Value::Real(-0.0));
    assert_eq!(eval::show::show(&through(&shapes(), PAIR, &pair).unwrap()), "(1.5, -0.0)");
    for (shape, value) in [(BOOL, Value::Bool(true)), (INT, Value::Int(-3)), (TEXT, Value::text("a"))] {
        assert_eq!(eval::show::show(&through(&shapes(), shape, &value).unwrap()), eval::show::show(&value));
    }
    assert!(through(&shapes(), UNIT, &Value::unit()).unwrap().is_unit());
}

#[test]
fn an_int_is_no_real() {
    let found = through(&shapes(), REAL, &Value::Int(1)).unwrap_err();
    assert_eq!(found, Mismatch("expected a real, found the int `1`".into()));
    let found = through(&shapes(), VECTOR, &Value::array(Array::ints(vec![1]))).unwrap_err();
    assert_eq!(found, Mismatch("expected a real, found the int `1`".into()));
}

#[test]
fn the_alternative_that_fits_is_taken() {
    let number = || several(&[(Head::Zero, &[]), (Head::Int, &[]), (Head::Real, &[]), (Head::Tuple, &[INT, REAL])]);
    assert_eq!(shown_through(number(), Value::Int(2)), "2");
    assert_eq!(shown_through(number(), Value::Real(2.0)), "2.0");
    assert_eq!(shown_through(number(), Value::pair(Value::Int(1), Value::Real(2.0))), "(1, 2.0)");
    assert_eq!(
        shown_through(number(), Value::text("t")),
        "expected the symbolic zero or an int or a real or a tuple, found the text `\"t\"`"
    );
    let (shapes, id) = with(vec![number()]);
    assert!(matches!(through(&shapes, id, &Value::Zero), Ok(Value::Zero)));
}

#[test]
fn records_take_the_order_of_the_shape() {
    let labels = |a: &str, b: &str| -> Rc<[Name]> { [Name::new(a), Name::new(b)].into() };
    let shape = || several(&[(Head::Record(labels("x", "y")), &[INT, REAL])]);
    let record = Value::record(labels("y", "x"), vec![Value::Real(1.0), Value::Int(2)]);
    assert_eq!(shown_through(shape(), record), "{x: 2, y: 1.0}");
    let other = Value::record(labels("x", "z"), vec![Value::Int(2), Value::Real(1.0)]);
    assert!(shown_through(shape(), other).starts_with("expected a record of x, y"));
}

#[test]
fn variants_and_parts_survive() {
    let fields = vec![Name::new("head"), Name::new("tail")];
    let cons = Rc::new(calculus::Constructor { name: "Cons".into(), type_name: "List".into(), tag: 1, fields });
    let value = Value::data(Form::Variant(cons.clone()), vec![Value::Int(1), Value::Int(2)]);
    assert_eq!(shown_through(several(&[(Head::Variant(cons.clone()), &[INT, INT])]), value), "Cons(1, 2)");
    let (shapes, id) = with(vec![several(&[(Head::Part(Some(cons.clone()), [1, 0].into()), &[INT, REAL])])]);
    let part = Value::data(Form::Part(Some(cons), [0, 1].into()), vec![Value::Real(1.0), Value::Int(2)]);
    let Value::Data(data) = through(&shapes, id, &part).unwrap() else { panic!("data") };
    assert!(matches!(&data.form, Form::Part(_, at) if **at == [1, 0]));
    assert!(matches!(data.fields[..], [Value::Int(2), Value::Real(1.0)]));
}

#[test]
fn arrays_keep_their_kind_of_elements() {
    let kinds = |shape: Shape, array: Array| {
        let (shapes, id) = with(vec![shape]);
        let Value::Array(array) = through(&shapes, id, &Value::array(array)).unwrap() else { panic!("an array") };
        (array.shape.clone(), array.elements.clone())
    };
    let (shape, elements) = kinds(several(&[(Head::Array(2), &[REAL])]), Array::reals(vec![1, 2], vec![1.0, 2.0]));
    assert!(shape == [1, 2] && matches!(elements, Elements::Real(_)));
    let (_, elements) = kinds(several(&[(Head::Array(1), &[INT])]), Array::ints(vec![1, 2]));
    assert!(matches!(elements, Elements::Int(_)));
    let bools = Array::new(vec![1], Elements::Bool(vec![true]));
    let (_, elements) = kinds(several(&[(Head::Array(1), &[BOOL])]), bools);
    assert!(matches!(elements, Elements::Bool(_)));
    let units = Array::new(vec![2], Elements::Values(vec![Value::unit(), Value::unit()].into()));
    let (_, elements) = kinds(several(&[(Head::Array(1), &[UNIT])]), units);
    assert!(matches!(elements, Elements::Values(values) if values.len() == 2));
}

#[test]
fn empty_arrays_fit_any_elements_and_rank_one_any_rank() {
    let length = |rank: u32, shape: Vec<usize>| {
        let (shapes, id) = with(vec![several(&[(Head::Array(rank), &[INT])])]);
        match through(&shapes, id, &Value::array(Array::reals(shape, vec![]))) {
            Ok(Value::Array(array)) => Some(array.shape.clone()),
            _ => None,
        }
    };
    assert_eq!(length(1, vec![0]), Some(vec![0]));
    assert_eq!(length(3, vec![0]), Some(vec![0, 0, 0]));
    assert_eq!(length(2, vec![4, 0]), Some(vec![4, 0]));
    assert_eq!(length(1, vec![4, 0]), None);
}

#[test]
fn symbolic_zeros_in_an_array_are_kept_in_a_handle_only() {
    let holes = || Value::array(Array::vector(vec![-0.0, 1.0]).with_holes(true));
    let array = several(&[(Head::Array(1), &[REAL])]);
    assert!(shown_through(array, holes()).contains("symbolic"));
    let (shapes, id) = with(vec![several(&[(Head::Array(1), &[REAL]), (Head::Handle(1), &[REAL])])]);
    let Value::Array(kept) = through(&shapes, id, &holes()).unwrap() else { panic!("an array") };
    assert!(kept.holes);
    let (shapes, id) = with(vec![several(&[(Head::Handle(2), &[REAL])])]);
    assert!(through(&shapes, id, &holes()).is_err());
}

#[test]
fn functions_are_their_code_and_captures() {
    let group = |name: &str| {
        let text = format!("group captures [a] {{ fn {name}(x_0) captures [a_1] members [f_2] {{ return x_0 }} }}");
        eval::Code::new(Rc::new(calculus::text::parse_group(&text).expect("a group")))
    };
    let codes = vec![group("f"), group("g")];
    let head = |code| Head::Closure { code: CodeId(code), member: 0 };
    let (shapes, id) = with(vec![several(&[(head(1), &[REAL]), (head(0), &[INT])])]);
    let closure = |code: &Rc<eval::Code>, capture| Value::closure(code.clone(), 0, Rc::new(Env(vec![capture])));
    let typed = from_value(&shapes, &codes, id, &closure(&codes[0], Value::Int(1))).unwrap();
    let Value::Function(function) = to_value(&shapes, &codes, id, &typed) else { panic!("a function") };
    let Function::Closure(back) = &*function else { panic!("a closure") };
    assert!(Rc::ptr_eq(&back.code, &codes[0]) && matches!(back.env.0[..], [Value::Int(1)]));
    assert!(from_value(&shapes, &codes, id, &closure(&codes[0], Value::Real(1.0))).is_err());
    assert!(from_value(&shapes, &codes, id, &closure(&group("f"), Value::Int(1))).is_err());
}

#[test]
fn primitives_and_backpropagators_survive() {
    let order = 1;
    let sealed = Head::Sealed { modes: [differentiate::Mode::Reverse].into() };
    let alternatives = [(Head::Prim { prim: Prim::Sin, order }, vec![]), (sealed, vec![REAL, REAL, INT, REAL])];
    let alternatives = alternatives.into_iter().map(|(head, parts)| Alternative { head, parts }).collect();
    let (shapes, id) = with(vec![Shape { alternatives, named: None }]);
    let function = |function| Value::Function(Rc::new(function));
    let sin = |order| function(Function::Prim { prim: Prim::Sin, order });
    assert!(through(&shapes, id, &sin(1)).is_ok());
    assert!(through(&shapes, id, &sin(0)).is_err());
    let [raw, f, x, y] = [Value::Real(1.0), Value::Real(2.0), Value::Int(3), Value::Real(4.0)];
    let sealed = function(Function::Sealed { raw, f, x, y, modes: vec![differentiate::Mode::Reverse] });
    let Value::Function(back) = through(&shapes, id, &sealed).unwrap() else { panic!("a function") };
    assert!(matches!(&*back, Function::Sealed { x: Value::Int(3), y: Value::Real(4.0), .. }));
}

#[test]
fn sensitivities_unfold_unless_the_shape_keeps_them() {
    let pair = Value::pair(Value::Real(1.0), Value::Real(2.0));
    let full = eval::sensitivity::full(&pair, Value::Zero);
    assert_eq!(shown_through(several(&[(Head::Tuple, &[REAL, REAL])]), full.clone()), "(0.0, 0.0)");
    let (shapes, zero) = with(vec![several(&[(Head::Zero, &[])])]);
    let mut shapes = shapes;
    shapes.0.push(several(&[(Head::Full, &[PAIR, zero])]));
    let kept = through(&shapes, ShapeId(zero.0 + 1), &full).unwrap();
    assert!(matches!(&kept, Value::Lazy(lazy) if matches!(lazy.kind, Suspended::Full { .. })));
    assert_eq!(eval::show::show(&kept), "(0.0, 0.0)");
}

#[test]
fn a_list_of_a_million_goes_through() {
    let mut list = Value::unit();
    for i in 0..1_000_000 {
        list = Value::pair(Value::Real(f64::from(i)), list);
    }
    let back = through(&shapes(), LIST, &list).unwrap();
    let Value::Data(first) = &back else { panic!("a pair") };
    assert!(matches!(first.fields[0], Value::Real(x) if x == 999_999.0));
}

#[test]
fn what_is_shared_stays_shared() {
    // As a tree this has 2^60 leaves.
    let tree = ShapeId(shapes().0.len() as u32);
    let (shapes, id) = with(vec![Shape {
        alternatives: vec![alternative(Head::Real, &[]), alternative(Head::Tuple, &[tree, tree])],
        named: Some(NamedId(1)),
    }]);
    let mut value = Value::Real(1.0);
    for _ in 0..60 {
        value = Value::pair(value.clone(), value);
    }
    let Value::Data(top) = through(&shapes, id, &value).unwrap() else { panic!("a pair") };
    let [Value::Data(a), Value::Data(b)] = &top.fields[..] else { panic!("two pairs") };
    assert!(Rc::ptr_eq(a, b));
}

#[test]
fn arrays_and_structs_that_are_shared_stay_shared() {
    let (shapes, id) = with(vec![several(&[(Head::Tuple, &[VECTOR, VECTOR])])]);
    let array = Value::array(Array::vector(vec![1.0, 2.0]));
    let Value::Data(top) = through(&shapes, id, &Value::pair(array.clone(), array)).unwrap() else { panic!("a pair") };
    let [Value::Array(a), Value::Array(b)] = &top.fields[..] else { panic!("two arrays") };
    assert!(Rc::ptr_eq(a, b));

    // Pairs of pairs of …, without a name: as a tree 2^60 leaves.
    let first = shapes.0.len() as u32;
    let (mut shapes, mut value) = (shapes, Value::Real(1.0));
    for depth in 0..60 {
        let part = if depth == 0 { REAL } else { ShapeId(first + depth - 1) };
        shapes.0.push(several(&[(Head::Tuple, &[part, part])]));
        value = Value::pair(value.clone(), value);
    }
    let Value::Data(top) = through(&shapes, ShapeId(first + 59), &value).unwrap() else { panic!("a pair") };
    let [Value::Data(a), Value::Data(b)] = &top.fields[..] else { panic!("two pairs") };
    assert!(Rc::ptr_eq(a, b));
}
