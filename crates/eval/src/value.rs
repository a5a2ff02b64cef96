//! The values of the evaluator.
//!
//! A value is two words; compound values are shared and immutable (updated in place only when unshared). Every
//! node knows what its parts hold ([`Holds`]), so that J on data without functions is free. Dropping deep
//! values never recurses: parts are released through a queue.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use base::Name;
use calculus::{Constructor, Prim};
use differentiate::Mode;

use crate::array::Array;
use crate::code::Code;
use crate::sparse::Sparse;

#[derive(Clone, Debug)]
pub enum Value {
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(Rc<String>),
    /// Tuples, records and variants; the empty tuple is unit.
    Data(Rc<Data>),
    Array(Rc<Array>),
    Function(Rc<Function>),
    /// The symbolic zero sensitivity: absorbing, never observable by a program.
    Zero,
    /// A sensitivity of an array that is a sum of contributions to parts of it.
    Sparse(Rc<Sparse>),
    /// A value that unfolds one level when it is inspected.
    Lazy(Rc<Lazy>),
}

#[derive(Debug)]
pub struct Data {
    pub form: Form,
    pub fields: Vec<Value>,
    pub holds: Holds,
}

/// What kind of data a node is; `fields` go along with it.
#[derive(Clone, Debug)]
pub enum Form {
    Tuple,
    Record(Rc<[Name]>),
    Variant(Rc<Constructor>),
    /// A sensitivity of a tuple or variant of which only some positions are known; the others are zero.
    Part(Option<Rc<Constructor>>, Rc<[u32]>),
}

#[derive(Debug)]
pub enum Function {
    /// `J^order` of a primitive.
    Prim {
        prim: Prim,
        order: u32,
    },
    Closure(Closure),
    /// What a program gets as the backpropagator of `f` at `x` with result `y`: derived code pulls `raw` through it;
    /// when a program calls it, the sensitivity is checked against `y` and the answer is given the full shape of `f`
    /// and `x`. Its own sensitivity is that of `raw`. Under T, f, x and y stay what they are.
    Sealed {
        raw: Value,
        f: Value,
        x: Value,
        y: Value,
        /// What was applied to the backpropagator since: J and T, the first one first.
        modes: Vec<Mode>,
    },
}

#[derive(Debug)]
pub struct Closure {
    pub code: Rc<Code>,
    pub member: u32,
    /// The captured values, in the order of the group's labels.
    pub env: Rc<Env>,
    pub holds: Holds,
}

/// Captured values, shared by the members of a group.
#[derive(Debug)]
pub struct Env(pub Vec<Value>);

/// A suspended one-level unfolding, computed once.
#[derive(Debug)]
pub struct Lazy {
    pub kind: Suspended,
    pub cell: OnceCell<Value>,
}

#[derive(Debug)]
pub enum Suspended {
    /// `J` (+1, +2, …) or `J⁻¹` (−1, …) of a value that holds functions.
    Lifted { of: Value, by: i32 },
    /// A sensitivity in the full shape of the value it belongs to.
    Full { of: Value, sensitivity: Value },
    /// A full sensitivity of an array of reals, a tuple or a record that counts as numbers: what is zero in it is no symbolic zero.
    Numbers { full: Value },
}

/// What is somewhere inside a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Holds(u8);

impl Holds {
    pub const NOTHING: Holds = Holds(0);
    pub const REAL: Holds = Holds(1);
    pub const FUNCTION: Holds = Holds(2);
    /// Ints, booleans, texts, unit: what carries no derivative.
    pub const DISCRETE: Holds = Holds(4);

    pub fn and(self, other: Holds) -> Holds {
        Holds(self.0 | other.0)
    }

    pub fn has(self, other: Holds) -> bool {
        self.0 & other.0 != 0
    }

    fn only(self, other: Holds) -> Holds {
        Holds(self.0 & other.0)
    }

    pub fn of_all(values: &[Value]) -> Holds {
        values.iter().fold(Holds::NOTHING, |holds, value| holds.and(value.holds()))
    }
}

impl Value {
    pub fn unit() -> Value {
        // Each has a node of its own: if sessions shared one, they couldn't move to different threads.
        Value::Data(Rc::new(Data { form: Form::Tuple, fields: vec![], holds: Holds::DISCRETE }))
    }

    pub fn text(text: impl Into<String>) -> Value {
        Value::Text(Rc::new(text.into()))
    }

    pub fn data(form: Form, fields: Vec<Value>) -> Value {
        let mut holds = Holds::of_all(&fields);
        if matches!(form, Form::Tuple) && fields.is_empty() {
            holds = Holds::DISCRETE;
        }
        Value::Data(Rc::new(Data { form, fields, holds }))
    }

    pub fn tuple(fields: Vec<Value>) -> Value {
        if fields.is_empty() { Value::unit() } else { Value::data(Form::Tuple, fields) }
    }

    pub fn pair(a: Value, b: Value) -> Value {
        Value::data(Form::Tuple, vec![a, b])
    }

    pub fn record(labels: Rc<[Name]>, fields: Vec<Value>) -> Value {
        Value::data(Form::Record(labels), fields)
    }

    pub fn array(array: Array) -> Value {
        Value::Array(Rc::new(array))
    }

    pub fn prim(prim: Prim) -> Value {
        Value::Function(Rc::new(Function::Prim { prim, order: 0 }))
    }

    pub fn closure(code: Rc<Code>, member: u32, env: Rc<Env>) -> Value {
        let holds = Holds::of_all(&env.0).and(Holds::FUNCTION);
        Value::Function(Rc::new(Function::Closure(Closure { code, member, env, holds })))
    }

    pub fn is_unit(&self) -> bool {
        matches!(self, Value::Data(data) if matches!(data.form, Form::Tuple) && data.fields.is_empty())
    }

    /// The number that a scalar is; the symbolic zero counts as 0.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Real(x) => Some(*x),
            Value::Int(i) => Some(*i as f64),
            Value::Zero => Some(0.0),
            _ => None,
        }
    }

    /// What is inside, without looking further than one node.
    pub fn holds(&self) -> Holds {
        match self {
            Value::Bool(_) | Value::Int(_) | Value::Text(_) => Holds::DISCRETE,
            Value::Real(_) => Holds::REAL,
            Value::Data(data) => data.holds,
            Value::Array(array) => array.holds(),
            Value::Function(function) => match &**function {
                Function::Prim { .. } => Holds::FUNCTION,
                Function::Closure(closure) => closure.holds,
                Function::Sealed { .. } => Holds::FUNCTION.and(Holds::REAL),
            },
            Value::Zero => Holds::NOTHING,
            Value::Sparse(_) => Holds::REAL,
            Value::Lazy(lazy) => match &lazy.kind {
                Suspended::Lifted { of, .. } => of.holds(),
                // A sensitivity holds no functions; what is discrete has unit.
                Suspended::Full { of, .. } => Holds::REAL.and(of.holds().only(Holds::DISCRETE)),
                Suspended::Numbers { full } => full.holds(),
            },
        }
    }
}

thread_local! {
    /// Parts that wait to be dropped, while a drop is under way.
    static RELEASED: RefCell<Option<Vec<Value>>> = const { RefCell::new(None) };
}

/// Drops values without recursion, however deep they are.
pub(crate) fn release(parts: impl IntoIterator<Item = Value>) {
    let parts = parts.into_iter().filter(is_shared_node);
    let nested = RELEASED.try_with(|queue| match &mut *queue.borrow_mut() {
        Some(queue) => {
            queue.extend(parts);
            None
        }
        empty => {
            *empty = Some(vec![]);
            Some(parts.collect::<Vec<_>>())
        }
    });
    let Ok(Some(parts)) = nested else { return };
    drop(parts);
    while let Some(value) = RELEASED.with(|queue| queue.borrow_mut().as_mut().and_then(Vec::pop)) {
        drop(value);
    }
    RELEASED.with(|queue| *queue.borrow_mut() = None);
}

fn is_shared_node(value: &Value) -> bool {
    !matches!(value, Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Zero | Value::Text(_))
}

impl Drop for Data {
    fn drop(&mut self) {
        if self.fields.iter().any(is_shared_node) {
            release(std::mem::take(&mut self.fields));
        }
    }
}

impl Drop for Env {
    fn drop(&mut self) {
        if self.0.iter().any(is_shared_node) {
            release(std::mem::take(&mut self.0));
        }
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        if let Function::Sealed { raw, f, x, y, .. } = self {
            release([raw, f, x, y].map(|part| std::mem::replace(part, Value::Zero)));
        }
    }
}

impl Drop for Lazy {
    fn drop(&mut self) {
        let take = |part: &mut Value| std::mem::replace(part, Value::Zero);
        match &mut self.kind {
            Suspended::Lifted { of, .. } | Suspended::Numbers { full: of } => release([take(of)]),
            Suspended::Full { of, sensitivity } => release([take(of), take(sensitivity)]),
        }
        release(self.cell.take());
    }
}
