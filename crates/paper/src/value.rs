//! Values v, and how they are shown.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::primitives::Primitive;
use crate::term::{Lambda, Var};

#[derive(Clone, Debug)]
pub enum Value {
    /// `[]`
    Nil,
    Real(f64),
    /// A reverse-tagged number or `[]`. Only without D9.
    Tagged(Rc<Value>),
    Primitive(Primitive),
    Closure(Rc<Closure>),
    /// v₁ ⟵ v₂
    Attached(Rc<(Value, Value)>),
    /// What J gave for an attached function, and that function. Only with D10.
    Linked(Rc<Linked>),
    /// Only with D6; otherwise pairs are closures.
    Pair(Rc<(Value, Value)>),
    /// Zero of whatever is needed. Only with D18.
    SymbolicZero,
    /// **0** v or v₁ ⊕ v₂, computed when it is looked at, once. Only without D18.
    Delayed(Rc<Delayed>),
}

/// ⟨σ, λx e⟩
#[derive(Debug)]
pub struct Closure {
    pub env: Env,
    pub code: Rc<Lambda>,
}

pub type Env = BTreeMap<Var, Value>;

#[derive(Debug)]
pub struct Linked {
    pub image: Value,
    pub primal: Value,
}

#[derive(Debug)]
pub struct Delayed {
    pub operation: Operation,
    pub result: OnceCell<Value>,
}

#[derive(Debug)]
pub enum Operation {
    Zero(Value),
    Sum(Value, Value),
}

impl Value {
    pub fn pair(first: Value, second: Value) -> Value {
        Value::Pair(Rc::new((first, second)))
    }

    pub fn closure(env: Env, code: Rc<Lambda>) -> Value {
        Value::Closure(Rc::new(Closure { env, code }))
    }
}

/// Pairs whose last second part is `[]` are lists.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Nil => write!(f, "[]"),
            Value::Real(number) => f.write_str(&shown(*number)),
            Value::Tagged(value) => write!(f, "↼{value}"),
            Value::Primitive(primitive) => write!(f, "{primitive}"),
            Value::Closure(closure) => write!(f, "⟨σ, λ{} …⟩", closure.code.param),
            Value::Attached(both) => write!(f, "({} ⟵ {})", both.0, both.1),
            Value::Linked(linked) => write!(f, "J {}", linked.primal),
            Value::SymbolicZero => write!(f, "0"),
            Value::Delayed(delayed) => match delayed.result.get() {
                Some(value) => write!(f, "{value}"),
                None => write!(f, "…"),
            },
            Value::Pair(_) => show_pair(self, f),
        }
    }
}

fn shown(number: f64) -> String {
    match number {
        _ if number.is_nan() => "NaN".to_string(),
        _ if number.is_infinite() => if number > 0.0 { "∞" } else { "-∞" }.to_string(),
        _ if number != 0.0 && number.abs() < 1e-5 => format!("{number:e}"),
        _ => format!("{number}"),
    }
}

fn show_pair(value: &Value, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    let mut parts = vec![];
    let mut rest = value;
    while let Value::Pair(both) = rest {
        parts.push(both.0.to_string());
        rest = &both.1;
    }
    match rest {
        Value::Nil => write!(f, "[{}]", parts.join(", ")),
        last => write!(f, "({}, {last})", parts.join(", ")),
    }
}
