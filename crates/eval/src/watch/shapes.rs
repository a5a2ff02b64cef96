//! Which shapes the variables of a program have in a run.
//!
//! In: parameters of functions that begin to run, and values that operations bind to variables. Out: for each variable, known by its name
//! and the place of what made it, a few different shapes in words, and the first value. It is a sample: what a variable is in the first
//! few hundred times is looked at, and nothing that the program computes changes by it.

use std::hash::{Hash, Hasher};

use base::{Name, Span};
use calculus::{Lambda, Role};
use rustc_hash::{FxHashMap, FxHasher};

use super::{Operation, Watch};
use crate::array::{Array, Elements};
use crate::fault::Result;
use crate::show;
use crate::value::{Data, Form, Value};

/// So many times a variable is looked at, and so many shapes are told apart.
const MOST_TIMES: u32 = 500;
const MOST_SHAPES: usize = 4;
/// How deep data is described, and how many fields of it.
const DEPTH: usize = 3;
const FIELDS: usize = 8;

#[derive(Default)]
pub struct Shapes {
    seen: FxHashMap<(Name, Span), Seen>,
    /// The variables whose entry is new or has become another one.
    changed: Vec<(Name, Span)>,
}

/// What was seen of a variable.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub shapes: Vec<String>,
    /// The first value, in a few words.
    pub example: String,
    /// Is it the parameter of the function at the place, instead of what the expression there made?
    pub is_parameter: bool,
    times: u32,
    classes: Vec<u64>,
}

impl Shapes {
    /// What was seen since the last time that somebody asked.
    pub fn news(&mut self) -> Vec<((Name, Span), Seen)> {
        let changed = std::mem::take(&mut self.changed);
        changed.into_iter().filter_map(|key| Some((key, self.seen.get(&key)?.clone()))).collect()
    }

    /// A variable has a value that no operation has made, as the names of a program.
    pub fn see_value(&mut self, name: Name, span: Span, value: &Value) {
        self.see(name, span, false, value);
    }

    fn see(&mut self, name: Name, span: Span, is_parameter: bool, value: &Value) {
        // What no programmer has named.
        if name.as_str().starts_with('_') {
            return;
        }
        let seen = self.seen.entry((name, span)).or_default();
        seen.times += 1;
        if seen.times > MOST_TIMES || seen.classes.len() >= MOST_SHAPES {
            return;
        }
        let Some(class) = class(value) else { return };
        if seen.classes.contains(&class) {
            return;
        }
        seen.classes.push(class);
        if seen.shapes.is_empty() {
            seen.example = show::short(value).trim_matches('`').to_string();
            seen.is_parameter = is_parameter;
        }
        let shape = described(value, DEPTH);
        if !seen.shapes.contains(&shape) {
            seen.shapes.push(shape);
            if !self.changed.contains(&(name, span)) {
                self.changed.push((name, span));
            }
        }
    }
}

impl Watch for Shapes {
    fn wants_operands(&self) -> bool {
        false
    }

    fn entered(&mut self, function: &Lambda, x: &Value) {
        // J-images of arguments have their shapes; under T an argument comes with its tangent.
        if matches!(function.role, Role::Source | Role::Reverse)
            && let Some(name) = function.vars.first()
        {
            self.see(*name, function.span, true, x);
        }
    }

    fn made(&mut self, operation: &Operation, value: &Value) -> Result<()> {
        if let Some((name, Role::Source | Role::Reverse)) = operation.bound {
            self.see(name, operation.span, false, value);
        }
        Ok(())
    }
}

/// Equal for values of one shape; nothing for what can't be seen without computing it.
fn class(value: &Value) -> Option<u64> {
    let mut hasher = FxHasher::default();
    let mut left = 64;
    classify(value, &mut hasher, &mut left)?;
    Some(hasher.finish())
}

fn classify(value: &Value, hasher: &mut FxHasher, left: &mut usize) -> Option<()> {
    std::mem::discriminant(value).hash(hasher);
    if *left == 0 {
        return Some(());
    }
    *left -= 1;
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Text(_) | Value::Function(_) => Some(()),
        Value::Zero | Value::Sparse(_) | Value::Lazy(_) => None,
        Value::Array(array) => {
            array.shape.hash(hasher);
            std::mem::discriminant(&array.elements).hash(hasher);
            match &array.elements {
                Elements::Values(values) => match values.iter().next() {
                    Some(first) => classify(first, hasher, left),
                    None => Some(()),
                },
                Elements::Real(_) | Elements::Int(_) | Elements::Bool(_) => Some(()),
            }
        }
        Value::Data(data) => {
            match &data.form {
                Form::Variant(constructor) => constructor.name.hash(hasher),
                Form::Record(labels) => labels.hash(hasher),
                Form::Tuple => data.fields.len().hash(hasher),
                Form::Part(..) => return None,
            }
            let is_variant = matches!(data.form, Form::Variant(_));
            if is_variant {
                return Some(());
            }
            data.fields.iter().take(FIELDS).try_for_each(|field| classify(field, hasher, left))
        }
    }
}

/// `real[3, 4]`, `(int, real)`, `{a: real}`, `Node(…)`, `function`
fn described(value: &Value, depth: usize) -> String {
    match value {
        Value::Bool(_) => "boolean".into(),
        Value::Int(_) => "int".into(),
        Value::Real(_) => "real".into(),
        Value::Text(_) => "text".into(),
        Value::Function(_) => "function".into(),
        Value::Zero | Value::Sparse(_) | Value::Lazy(_) => "…".into(),
        Value::Array(array) => array_described(array, depth),
        Value::Data(data) => data_described(data, depth),
    }
}

fn array_described(array: &Array, depth: usize) -> String {
    let kind = match &array.elements {
        Elements::Real(_) => "real".to_string(),
        Elements::Int(_) => "int".to_string(),
        Elements::Bool(_) => "boolean".to_string(),
        Elements::Values(values) => match values.iter().next() {
            Some(first) if depth > 0 => described(first, depth - 1),
            _ => "…".to_string(),
        },
    };
    let lengths: Vec<String> = array.shape.iter().map(usize::to_string).collect();
    format!("{kind}[{}]", lengths.join(", "))
}

fn data_described(data: &Data, depth: usize) -> String {
    let field = |value: &Value| if depth > 0 { described(value, depth - 1) } else { "…".into() };
    let more = if data.fields.len() > FIELDS { ", …" } else { "" };
    match &data.form {
        Form::Record(labels) => {
            let fields: Vec<String> = labels
                .iter()
                .zip(&data.fields)
                .take(FIELDS)
                .map(|(label, value)| format!("{label}: {}", field(value)))
                .collect();
            format!("{{{}{more}}}", fields.join(", "))
        }
        Form::Variant(constructor) if data.fields.is_empty() => constructor.name.to_string(),
        // Of a tree the constructor says enough: what is in it is of another shape the next time.
        Form::Variant(constructor) => format!("{}(…)", constructor.name),
        Form::Tuple | Form::Part(..) => {
            let fields: Vec<String> = data.fields.iter().take(FIELDS).map(field).collect();
            format!("({}{more})", fields.join(", "))
        }
    }
}
