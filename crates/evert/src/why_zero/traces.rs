//! What the operations of a program made in a run: a list that can be compared with that of another run.

use std::cell::RefCell;
use std::rc::Rc;

use base::Span;
use calculus::{Lambda, Prim};
use eval::array::Elements;
use eval::value::Function;
use eval::watch::{Operation, Watch, What};
use eval::{Fault, Value};

use crate::session::Session;

/// So many operations of a run are kept.
const KEPT: usize = 300_000;

pub struct Trace {
    pub operations: Vec<Made>,
    pub value: Option<Value>,
}

/// An operation with what it made.
pub struct Made {
    pub span: Span,
    pub what: What,
    /// It is the call of a function with a rule, of this name.
    pub ruled: Option<Option<String>>,
    pub operands: Vec<Value>,
    pub value: Value,
}

/// A watch that keeps everything.
struct Recorder(Rc<RefCell<Vec<Made>>>);

impl Watch for Recorder {
    fn entered(&mut self, function: &Lambda, x: &Value) {
        let mut kept = self.0.borrow_mut();
        if !function.rules.is_empty() && kept.len() < KEPT {
            let name = function.name.map(|name| name.to_string());
            kept.push(Made {
                span: function.span,
                what: What::Function,
                ruled: Some(name),
                operands: vec![x.clone()],
                value: Value::unit(),
            });
        }
    }

    fn made(&mut self, operation: &Operation, value: &Value) -> Result<(), Box<Fault>> {
        let mut kept = self.0.borrow_mut();
        if kept.len() < KEPT {
            let Operation { span, what, operands, .. } = operation;
            let (what, operands, value) = (what.clone(), operands.clone(), value.clone());
            kept.push(Made { span: *span, what, ruled: None, operands, value });
        }
        Ok(())
    }
}

/// Runs f at x for at most so many steps.
pub fn run(session: &mut Session, f: &Value, x: &Value, steps: u64) -> Trace {
    let kept = Rc::new(RefCell::new(vec![]));
    session.machine.watch = Some(Box::new(Recorder(kept.clone())));
    let outer = session.machine.max_steps.replace(steps);
    let value = session.quietly(|session| session.call(f, x.clone()));
    session.machine.max_steps = outer;
    session.machine.watch = None;
    let value = value.ok().and_then(|value| eval::force(&value).ok());
    let operations = std::mem::take(&mut *kept.borrow_mut());
    Trace { operations, value }
}

impl Trace {
    /// So many operations are the same ones from the beginning.
    pub fn common(&self, other: &Trace) -> usize {
        let pairs = self.operations.iter().zip(&other.operations);
        pairs.take_while(|(a, b)| a.span == b.span && a.what == b.what).count()
    }

    pub fn same_value(&self, other: &Trace) -> bool {
        match (&self.value, &other.value) {
            (Some(a), Some(b)) => same(a, b),
            (None, None) => true,
            _ => false,
        }
    }
}

impl Made {
    /// The name of what made it.
    pub fn name(&self) -> String {
        match &self.what {
            What::Prim(prim) => prim.name().to_string(),
            What::Library(name) => name.clone(),
            What::Backpropagator | What::Function | What::Data => String::new(),
        }
    }

    pub fn is(&self, prims: &[Prim]) -> bool {
        matches!(&self.what, What::Prim(prim) if prims.contains(prim))
    }
}

/// Bit for bit the same, functions by what they capture.
pub fn same(a: &Value, b: &Value) -> bool {
    let (Ok(a), Ok(b)) = (eval::force(a), eval::force(b)) else { return false };
    match (&a, &b) {
        (Value::Real(a), Value::Real(b)) => a.to_bits() == b.to_bits(),
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::Data(a), Value::Data(b)) => Rc::ptr_eq(a, b) || all_same(&a.fields, &b.fields),
        (Value::Array(a), Value::Array(b)) => {
            Rc::ptr_eq(a, b)
                || a.shape == b.shape
                    && match (&a.elements, &b.elements) {
                        (Elements::Real(a), Elements::Real(b)) => {
                            a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
                        }
                        (Elements::Int(a), Elements::Int(b)) => a == b,
                        (Elements::Bool(a), Elements::Bool(b)) => a == b,
                        _ => all_same(&a.values(), &b.values()),
                    }
        }
        (Value::Function(a), Value::Function(b)) => match (&**a, &**b) {
            (Function::Closure(a), Function::Closure(b)) => {
                Rc::ptr_eq(&a.env, &b.env) && a.member == b.member || all_same(&a.env.0, &b.env.0)
            }
            (Function::Prim { prim: a, .. }, Function::Prim { prim: b, .. }) => a == b,
            _ => true,
        },
        (Value::Zero, Value::Zero) => true,
        _ => false,
    }
}

fn all_same(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}
