//! What the expressions and functions of a file were when they ran.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use base::FileId;
use calculus::{Lambda, Role};
use derive::{Facts, Kind};
use eval::array::Elements;
use eval::value::{Form, Function, Holds};
use eval::watch::{Operation, Watch, What};
use eval::{Fault, Value, force};

/// So many arguments of a function are kept.
const KEPT: usize = 6;
/// How deep data is looked into.
const DEPTH: usize = 6;

pub struct Collected {
    file: FileId,
    pub facts: Facts,
    /// What was put together or taken apart: the arguments of a call have its place, too.
    data: BTreeMap<(u32, u32), Kind>,
    /// The arguments of the function of this name.
    pub wanted: Option<String>,
    pub arguments: Vec<Value>,
}

impl Collected {
    pub fn of(file: FileId) -> Collected {
        Collected { file, facts: Facts::default(), data: BTreeMap::new(), wanted: None, arguments: vec![] }
    }
}

impl Collected {
    /// All that was seen.
    pub fn facts(&self) -> Facts {
        let mut facts = self.facts.clone();
        for (place, kind) in &self.data {
            facts.values.entry(*place).or_insert_with(|| kind.clone());
        }
        facts
    }
}

/// A watch that notes kinds.
pub struct Collector(pub Rc<RefCell<Collected>>);

impl Watch for Collector {
    fn entered(&mut self, function: &Lambda, x: &Value) {
        let mut seen = self.0.borrow_mut();
        if function.span.file != seen.file {
            return;
        }
        if let Some(wanted) = &seen.wanted
            && function.name.is_some_and(|name| name.as_str() == wanted)
            && matches!(function.role, Role::Source | Role::Reverse)
            && !x.holds().has(Holds::FUNCTION)
            && seen.arguments.len() < KEPT
        {
            seen.arguments.push(x.clone());
        }
        if function.role == Role::Source {
            let place = (function.span.start, function.span.end);
            let kind = kind(x, DEPTH);
            let known = seen.facts.arguments.entry(place).or_default();
            *known = known.join(&kind);
        }
    }

    fn made(&mut self, operation: &Operation, value: &Value) -> Result<(), Box<Fault>> {
        let mut seen = self.0.borrow_mut();
        if operation.span.file == seen.file {
            let kind = kind(value, DEPTH);
            let kinds = if operation.what == What::Data { &mut seen.data } else { &mut seen.facts.values };
            let known = kinds.entry((operation.span.start, operation.span.end)).or_default();
            *known = known.join(&kind);
        }
        Ok(())
    }
}

/// Are two values of one kind?
pub(super) fn alike(a: &Value, b: &Value) -> bool {
    kind(a, DEPTH) == kind(b, DEPTH)
}

fn kind(value: &Value, depth: usize) -> Kind {
    let Ok(value) = force(value) else { return Kind::Unknown };
    let inner = |value: &Value| if depth == 0 { Kind::Unknown } else { kind(value, depth - 1) };
    match &value {
        Value::Bool(_) | Value::Int(_) | Value::Text(_) => Kind::Discrete,
        Value::Real(_) => Kind::Real,
        Value::Array(array) => match &array.elements {
            Elements::Real(_) => Kind::Reals(array.shape.len()),
            Elements::Int(_) | Elements::Bool(_) => Kind::Discrete,
            Elements::Values(_) => Kind::Data { carries: value.holds().has(Holds::REAL) },
        },
        Value::Data(data) => match &data.form {
            Form::Tuple if data.fields.is_empty() => Kind::Discrete,
            Form::Tuple => Kind::Tuple(data.fields.iter().map(inner).collect()),
            Form::Record(labels) => {
                let fields = labels.iter().zip(&data.fields);
                Kind::Record(fields.map(|(label, field)| (label.to_string(), inner(field))).collect())
            }
            Form::Variant(_) | Form::Part(..) => {
                Kind::Data { carries: data.holds.has(Holds::REAL) || data.holds.has(Holds::FUNCTION) }
            }
        },
        Value::Function(function) => match &**function {
            // A top-level function, or one of the library, is a constant.
            Function::Prim { .. } => Kind::Discrete,
            Function::Closure(closure) if closure.env.0.is_empty() => Kind::Discrete,
            Function::Closure(_) | Function::Sealed { .. } => Kind::Function,
        },
        Value::Zero | Value::Sparse(_) | Value::Lazy(_) => Kind::Unknown,
    }
}
