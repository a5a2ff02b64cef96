//! Values written and read back are the same, whatever their shapes.

use std::rc::Rc;

use base::{Name, Span};
use calculus::{Atom, Block, Const, Group, Lambda, Prim, Role};
use eval::array::{Array, Elements};
use eval::value::{Env, Form, Function, Suspended};
use eval::{Code, Value, sensitivity};
use first_order::{Alternative, CodeId, Head, NamedId, Shape, ShapeId, Shapes};
use native::layout::Layouts;
use native::runtime::Context;
use native::runtime::prim::release_words;
use native::values::{Border, Take, Unwritten, read, write};

use crate::program::{cons, definitions, list, nil};

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

/// Shapes of every head. A shape's first alternative has only earlier shapes as parts, so that values can end there; parts of
/// named shapes may be any.
fn random_shapes(random: &mut Random) -> Shapes {
    let count = 6 + random.below(14);
    let named: Vec<bool> = (0..count).map(|i| i >= 3 && random.below(3) == 0).collect();
    let mut names = 0;
    let mut shapes = vec![];
    for i in 0..count {
        let mut alternatives: Vec<Alternative> = vec![];
        for k in 0..1 + random.below(4) {
            let earlier = i.min(if k == 0 { i } else { count });
            // A later shape may be a part only through a named one: otherwise the shape would contain itself.
            let part = |random: &mut Random| match random.below(count) {
                at if at < earlier => ShapeId(at as u32),
                at if k > 0 && named[at as usize] => ShapeId(at as u32),
                at => ShapeId((at % earlier.max(1)) as u32),
            };
            let alternative = random_alternative(random, i, part);
            if alternatives.iter().all(|other| !confused(&other.head, &alternative.head)) {
                alternatives.push(alternative);
            }
        }
        let named = named[i as usize].then(|| {
            names += 1;
            NamedId(names - 1)
        });
        shapes.push(Shape { alternatives, named });
    }
    Shapes::from(shapes)
}

/// May a value be taken for one of the other head?
fn confused(a: &Head, b: &Head) -> bool {
    match (a, b) {
        (Head::Array(a) | Head::Handle(a), Head::Array(b) | Head::Handle(b)) => a == b || *a.min(b) == 1,
        // Values of these unfold to anything.
        (Head::Full, _) | (_, Head::Full) => true,
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

fn random_alternative(random: &mut Random, i: u64, part: impl Fn(&mut Random) -> ShapeId) -> Alternative {
    let scalar = |head| Alternative { head, parts: vec![] };
    if i < 3 {
        return scalar([Head::Real, Head::Int, Head::Bool][i as usize].clone());
    }
    let labels = |names: &[&str]| names.iter().map(|name| Name::new(name)).collect();
    let (head, parts) = match random.below(16) {
        0 => (Head::Zero, 0),
        1 => (Head::Real, 0),
        2 => (Head::Int, 0),
        3 => (Head::Bool, 0),
        4 => (Head::Text, 0),
        5 => (Head::Tuple, random.below(4)),
        6 => (Head::Record(labels(&["a", "b"])), 2),
        7 => (Head::Variant(nil()), 0),
        8 => (Head::Variant(cons()), 2),
        9 => (Head::Part(Some(cons()), Rc::from([1])), 1),
        10 => (Head::Array(1 + random.below(2) as u32), 1),
        11 => (Head::Handle(1), 1),
        12 => (Head::Closure { code: CodeId(random.below(2) as u32), member: 1 }, 2),
        13 => (Head::Prim { prim: Prim::Sin, order: 1 }, 0),
        14 => (Head::Sealed { modes: [differentiate::Mode::Reverse].into() }, 4),
        _ => (Head::Full, 2),
    };
    // An array's elements are no arrays.
    if let Head::Array(_) | Head::Handle(_) = head {
        return Alternative { head, parts: vec![ShapeId(random.below(3) as u32)] };
    }
    Alternative { head, parts: (0..parts).map(|_| part(random)).collect() }
}

struct Maker<'a> {
    shapes: &'a Shapes,
    codes: &'a Vec<Rc<Code>>,
    random: Random,
}

impl Maker<'_> {
    fn value(&mut self, shape: ShapeId, fuel: u32) -> Value {
        let alternatives = &self.shapes.get(shape).alternatives;
        let chosen = if fuel == 0 { 0 } else { self.random.below(alternatives.len() as u64) };
        let Alternative { head, parts } = &alternatives[chosen as usize];
        let number = self.random.below(1000);
        match head {
            Head::Zero => return Value::Zero,
            Head::Bool => return Value::Bool(number.is_multiple_of(2)),
            Head::Int => return Value::Int(number as i64 - 500),
            Head::Real => return Value::Real(number as f64 / 7.0),
            Head::Text => return Value::text(format!("text {number}")),
            Head::Prim { prim, order } => return function(Function::Prim { prim: *prim, order: *order }),
            Head::Array(rank) => return Value::array(self.array(*rank, parts[0])),
            Head::Handle(_) => return Value::array(Array::vector(vec![-0.0; 3]).with_holes(true)),
            _ => {}
        }
        let mut parts: Vec<Value> = parts.iter().map(|part| self.value(*part, fuel.saturating_sub(1))).collect();
        match head {
            Head::Tuple => Value::tuple(parts),
            Head::Record(labels) => first_order::convert::record(labels, parts),
            Head::Variant(constructor) => Value::data(Form::Variant(constructor.clone()), parts),
            Head::Part(constructor, at) => Value::data(Form::Part(constructor.clone(), at.clone()), parts),
            Head::Closure { code, member } => {
                Value::closure(self.codes[code.0 as usize].clone(), *member, Rc::new(Env(parts)))
            }
            Head::Sealed { modes } => {
                let [raw, f, x, y] = parts.try_into().expect("four parts");
                function(Function::Sealed { raw, f, x, y, modes: modes.to_vec() })
            }
            Head::Full => {
                let d = parts.pop().expect("two parts");
                sensitivity::full(&parts[0], d)
            }
            _ => unreachable!("scalars and arrays"),
        }
    }

    fn array(&mut self, rank: u32, element: ShapeId) -> Array {
        let shape: Vec<usize> = (0..rank).map(|_| self.random.below(4) as usize).collect();
        let size = shape.iter().product::<usize>();
        let reals = (0..size).map(|i| i as f64);
        let elements = match element.0 {
            0 => Elements::Real(reals.collect()),
            1 => Elements::Int(reals.map(|x| x as i64).collect()),
            _ => Elements::Bool(reals.map(|x| x % 2.0 == 0.0).collect()),
        };
        Array::new(shape, elements)
    }
}

fn function(function: Function) -> Value {
    Value::Function(Rc::new(function))
}

/// A text that two values share exactly if they are the same.
fn described(value: &Value) -> String {
    let all = |values: &[Value]| values.iter().map(described).collect::<Vec<_>>().join(" ");
    match value {
        Value::Data(data) => format!("({:?}: {})", data.form, all(&data.fields)),
        Value::Array(array) => format!("{:?} {} {:?}", array.shape, array.holes, array.elements),
        Value::Function(function) => match &**function {
            Function::Prim { prim, order } => format!("{prim} {order}"),
            Function::Closure(closure) => {
                format!("<{:?} {} {}>", Rc::as_ptr(&closure.code), closure.member, all(&closure.env.0))
            }
            Function::Sealed { raw, f, x, y, modes } => {
                let order = &(modes.len() as u32);
                format!("<sealed {order} {}>", all(&[raw.clone(), f.clone(), x.clone(), y.clone()]))
            }
        },
        Value::Lazy(lazy) => match &lazy.kind {
            Suspended::Full { of, sensitivity } => format!("<full {} {}>", described(of), described(sensitivity)),
            Suspended::Lifted { .. } | Suspended::Numbers { .. } => unreachable!("not made here"),
        },
        other => format!("{other:?}"),
    }
}

/// Code of two functions that are never called.
fn code() -> Rc<Code> {
    let body = Block { bindings: vec![], result: Atom::Const(Const::Unit), span: Span::default() };
    let lambda = Lambda {
        name: None,
        role: Role::Source,
        span: Span::default(),
        vars: vec![],
        body,
        rules: vec![],
        mentions: vec![],
    };
    Code::new(Rc::new(Group { captures: vec![], members: vec![lambda.clone(), lambda], order: 0 }))
}

#[test]
fn values_of_all_shapes_come_back() {
    let codes = vec![code(), code()];
    let mut ctx = Context::new();
    let (mut same, mut refused) = (0, 0);
    for seed in 0..3000 {
        let mut random = Random(seed);
        let shapes = random_shapes(&mut random);
        let layouts = Layouts::new(&shapes, &definitions(&shapes), &loops::Grown::default());
        let border = Border { shapes: &shapes, layouts: &layouts, codes: &codes };
        for id in (0..shapes.0.len() as u32).map(ShapeId) {
            let value = Maker { shapes: &shapes, codes: &codes, random: Random(seed ^ 77) }.value(id, 6);
            let mut words = vec![];
            match write(&mut ctx, border, id, &value, &mut words) {
                Ok(()) => {
                    // SAFETY: the words were just written; they are released once.
                    let back = unsafe {
                        let borrowed = described(&read(border, id, &words, Take::Nothing));
                        let taken = described(&read(border, id, &words, Take::Unshared));
                        assert_eq!(borrowed, taken);
                        release_words(&mut ctx, &layouts, id, &words);
                        borrowed
                    };
                    assert_eq!(back, described(&value), "seed {seed}, shape {id:?} of {shapes:#?}");
                    assert_eq!(ctx.live(), 0, "seed {seed}");
                    same += 1;
                }
                // `full` simplifies what it can: such values aren't of its shape any more.
                Err(Unwritten::Mismatch(text)) => {
                    let full = |shape: &Shape| shape.alternatives.iter().any(|one| one.head == Head::Full);
                    assert!(shapes.0.iter().any(full), "seed {seed}: {text}");
                    refused += 1;
                }
                Err(other) => panic!("{other:?}"),
            }
            ctx.reset();
        }
    }
    println!("{same} values, {refused} refused");
    assert!(same > 10 * refused);
}

#[test]
fn what_is_shared_stays_shared() {
    let shapes = crate::program::shapes(vec![Shape {
        alternatives: vec![
            Alternative { head: Head::Real, parts: vec![] },
            Alternative { head: Head::Tuple, parts: vec![ShapeId(8), ShapeId(8)] },
        ],
        named: Some(NamedId(1)),
    }]);
    let layouts = Layouts::new(&shapes, &definitions(&shapes), &loops::Grown::default());
    let codes: Vec<Rc<Code>> = vec![];
    let border = Border { shapes: &shapes, layouts: &layouts, codes: &codes };
    let mut ctx = Context::new();
    let mut value = Value::Real(1.0);
    for _ in 0..100 {
        value = Value::pair(value.clone(), value);
    }
    let mut words = vec![];
    write(&mut ctx, border, ShapeId(8), &value, &mut words).expect("it fits");
    assert!(ctx.live() <= 102, "{}", ctx.live());
    // SAFETY: the words were just written; they are released once.
    unsafe {
        let back = read(border, ShapeId(8), &words, Take::Nothing);
        let Value::Data(data) = &back else { panic!("a pair") };
        let [Value::Data(a), Value::Data(b)] = &data.fields[..] else { panic!("pairs") };
        assert!(Rc::ptr_eq(a, b));
        release_words(&mut ctx, &layouts, ShapeId(8), &words);
    }
    assert_eq!(ctx.live(), 0);
}

#[test]
fn shared_arrays_stay_shared() {
    let pair = Alternative { head: Head::Tuple, parts: vec![crate::program::REALS, crate::program::REALS] };
    let shapes = crate::program::shapes(vec![Shape { alternatives: vec![pair], named: None }]);
    let layouts = Layouts::new(&shapes, &definitions(&shapes), &loops::Grown::default());
    let codes: Vec<Rc<Code>> = vec![];
    let border = Border { shapes: &shapes, layouts: &layouts, codes: &codes };
    let mut ctx = Context::new();
    let array = Value::array(Array::vector(vec![1.0, 2.0]));
    let mut words = vec![];
    write(&mut ctx, border, ShapeId(8), &Value::pair(array.clone(), array), &mut words).expect("it fits");
    assert_eq!(ctx.live(), 1);
    // SAFETY: the words were just written; they are released once.
    unsafe {
        let back = read(border, ShapeId(8), &words, Take::Unshared);
        let Value::Data(data) = &back else { panic!("a pair") };
        let [Value::Array(a), Value::Array(b)] = &data.fields[..] else { panic!("arrays") };
        assert!(Rc::ptr_eq(a, b));
        release_words(&mut ctx, &layouts, ShapeId(8), &words);
    }
    assert_eq!(ctx.live(), 0);
}

#[test]
fn the_elements_say_which_array_it_is() {
    let array = |element| Alternative { head: Head::Array(1), parts: vec![element] };
    let either = vec![array(crate::program::INT), array(crate::program::REAL), array(crate::program::LIST)];
    let shapes = crate::program::shapes(vec![Shape { alternatives: either, named: None }]);
    let layouts = Layouts::new(&shapes, &definitions(&shapes), &loops::Grown::default());
    let codes: Vec<Rc<Code>> = vec![];
    let border = Border { shapes: &shapes, layouts: &layouts, codes: &codes };
    let mut ctx = Context::new();
    let arrays = [
        Array::ints(vec![1, 2]),
        Array::vector(vec![1.0, 2.0]),
        Array::from_values(vec![list(2), list(0)]).expect("not ragged"),
    ];
    for (tag, array) in (0..).zip(arrays) {
        let (value, mut words) = (Value::array(array), vec![]);
        write(&mut ctx, border, ShapeId(8), &value, &mut words).expect("it fits");
        assert_eq!(words[0], tag);
        // SAFETY: the words were just written; they are released once.
        unsafe {
            assert_eq!(described(&read(border, ShapeId(8), &words, Take::Nothing)), described(&value));
            release_words(&mut ctx, &layouts, ShapeId(8), &words);
        }
        assert_eq!(ctx.live(), 0);
    }
}

#[test]
fn lists_in_arrays_and_records_come_back() {
    let element = Shape {
        alternatives: vec![Alternative { head: Head::Tuple, parts: vec![crate::program::INT, crate::program::LIST] }],
        named: None,
    };
    let array =
        Shape { alternatives: vec![Alternative { head: Head::Array(1), parts: vec![ShapeId(8)] }], named: None };
    let shapes = crate::program::shapes(vec![element, array]);
    let layouts = Layouts::new(&shapes, &definitions(&shapes), &loops::Grown::default());
    let codes: Vec<Rc<Code>> = vec![];
    let border = Border { shapes: &shapes, layouts: &layouts, codes: &codes };
    let mut ctx = Context::new();
    let values = (0..5).map(|i| Value::pair(Value::Int(i), list(i))).collect();
    let value = Value::array(Array::from_values(values).expect("not ragged"));
    let mut words = vec![];
    write(&mut ctx, border, ShapeId(9), &value, &mut words).expect("it fits");
    // SAFETY: the words were just written; they are released once.
    unsafe {
        assert_eq!(described(&read(border, ShapeId(9), &words, Take::Nothing)), described(&value));
        release_words(&mut ctx, &layouts, ShapeId(9), &words);
    }
    assert_eq!(ctx.live(), 0);
}

#[test]
fn what_fits_a_shape_is_what_the_interpreter_takes() {
    let codes = vec![code(), code()];
    let mut ctx = Context::new();
    let (mut fitting, mut refused) = (0, 0);
    for seed in 0..1000 {
        let mut random = Random(seed);
        let shapes = random_shapes(&mut random);
        let layouts = Layouts::new(&shapes, &definitions(&shapes), &loops::Grown::default());
        let border = Border { shapes: &shapes, layouts: &layouts, codes: &codes };
        let ids = || (0..shapes.0.len() as u32).map(ShapeId);
        for id in ids() {
            let value = Maker { shapes: &shapes, codes: &codes, random: Random(seed ^ 99) }.value(id, 3);
            for other in ids() {
                let expected = first_order::from_value(&shapes, &codes, other, &value);
                let found = write(&mut ctx, border, other, &value, &mut vec![]);
                assert_eq!(
                    found.is_ok(),
                    expected.is_ok(),
                    "{}\n{found:?}\n{expected:?}\n{other:?} {:?}\n{shapes:?}",
                    described(&value),
                    shapes.get(other)
                );
                *if found.is_ok() { &mut fitting } else { &mut refused } += 1;
                ctx.reset();
            }
        }
    }
    println!("{fitting} fit, {refused} refused");
    assert!(fitting > 1000 && refused > 1000);
}
