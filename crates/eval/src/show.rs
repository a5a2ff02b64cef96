//! Values as text: as source where that is possible.
//!
//! [`show`] and [`whole`] leave nothing out; [`screen`] is for people, who don't read a million numbers: it leaves out the middle of large
//! arrays and says what shape they have. [`pretty()`] lays a value out over lines, [`laid_out`] writes its numbers in a given layout.

mod layout;
mod pretty;

use std::cell::Cell;
use std::fmt::Write;

use base::codes;
use calculus::Role;

use crate::array::{Array, Elements};
use crate::fault::{Fault, Result};
use crate::lazy::{deep, force};
use crate::memory;
use crate::plot;
use crate::value::{Data, Form, Function, Value};

pub use layout::laid_out;
pub use pretty::pretty;

/// How much of a value is written.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Elements of an array before the middle is left out.
    pub elements: usize,
    /// Levels of nesting.
    pub depth: usize,
    /// Bytes in all.
    pub bytes: usize,
}

/// Nothing is left out; but data that shares its parts may be longer as text than any memory, so there is an end: 256 MiB.
pub const WHOLE: Limits = Limits { elements: usize::MAX, depth: usize::MAX, bytes: 1 << 28 };
pub const SCREEN: Limits = Limits { elements: 1000, depth: 1000, bytes: 1 << 20 };
/// So that data that shares its parts, which is exponentially long as text, is written in bounded time.
const EXACT: Limits = Limits { elements: usize::MAX, depth: usize::MAX, bytes: 1 << 24 };
const SHORT: Limits = Limits { elements: 6, depth: 4, bytes: 80 };

/// The value as source. What has no room in memory breaks off.
pub fn show(value: &Value) -> String {
    show_within(value, WHOLE)
}

/// The same, or an error where there is no room for all of it.
pub fn whole(value: &Value) -> Result<String> {
    let mut writer = Writer::new(WHOLE);
    writer.value(value, 0);
    match writer.goes_on() {
        true => Ok(writer.out),
        false => Fault::new(codes::ARRAY_TOO_LARGE, "the value is too large to be written as text")
            .note(format!("a text has at most {} MiB, and no more than there is memory for", WHOLE.bytes >> 20))
            .err(),
    }
}

/// The value as people want to see it on one line: large arrays without their middle, and with their shape.
pub fn screen(value: &Value) -> String {
    show_within(value, SCREEN)
}

/// The value to the last bit: values whose texts are equal have the same bits (all NaN are one).
pub fn exact(value: &Value) -> String {
    show_within(value, EXACT)
}

pub fn show_within(value: &Value, limits: Limits) -> String {
    let mut writer = Writer::new(limits);
    writer.value(value, 0);
    writer.out
}

/// The value as interpolation writes it: texts without quotes.
pub fn display(value: &Value) -> Result<String> {
    match force(value)? {
        Value::Text(text) => Ok(text.to_string()),
        other => whole(&other),
    }
}

thread_local!(static SEEN: Cell<Option<usize>> = const { Cell::new(None) });

/// From now on people see what programs on this thread print, on lines of so many columns; `None`: files and programs read it.
pub fn prints_are_seen(columns: Option<usize>) {
    SEEN.with(|cell| cell.set(columns));
}

/// The value as `print` writes it.
pub fn printed(value: &Value) -> Result<String> {
    match (SEEN.with(Cell::get), force(value)?) {
        (_, Value::Text(text)) => Ok(text.to_string()),
        (Some(columns), value) => Ok(pretty(&value, columns)),
        (None, value) => whole(&value),
    }
}

/// A few words of the value, for messages.
pub fn short(value: &Value) -> String {
    let mut text = show_within(value, SHORT);
    if text.chars().count() > SHORT.bytes {
        text = text.chars().take(SHORT.bytes).chain("…".chars()).collect();
    }
    format!("`{text}`")
}

/// The kind of a value and a few words of it, for messages: "the int `3`".
pub fn described(value: &Value) -> String {
    let Ok(forced) = force(value) else { return "a value that can't be computed".into() };
    let shown = short(&forced);
    match &forced {
        Value::Bool(_) => format!("the boolean {shown}"),
        Value::Int(_) => format!("the int {shown}"),
        Value::Real(_) => format!("the real {shown}"),
        Value::Text(_) => format!("the text {shown}"),
        Value::Array(array) => format!("the array {shown} of shape {}", Array::describe_shape(&array.shape)),
        Value::Sparse(sparse) => format!("a sensitivity of an array of shape {}", Array::describe_shape(&sparse.shape)),
        Value::Function(_) => format!("the function {shown}"),
        Value::Zero => "a zero sensitivity".into(),
        Value::Lazy(_) => unreachable!("forced"),
        Value::Data(data) => match &data.form {
            Form::Tuple if data.fields.is_empty() => "unit `()`".into(),
            Form::Tuple => format!("the {}-tuple {shown}", data.fields.len()),
            Form::Record(_) => format!("the record {shown}"),
            Form::Variant(constructor) => format!("{shown}, a {}", constructor.type_name),
            Form::Part(..) => format!("the sensitivity {shown}"),
        },
    }
}

pub fn real(x: f64) -> String {
    if x.is_nan() { "nan".into() } else { format!("{x:?}") }
}

struct Writer {
    out: String,
    limits: Limits,
    /// Is there room for more?
    has_room: bool,
    /// Up to how many bytes there is.
    known_room: usize,
}

impl Writer {
    fn new(limits: Limits) -> Writer {
        Writer { out: String::new(), limits, has_room: true, known_room: 1 << 16 }
    }

    /// May more be written?
    fn goes_on(&mut self) -> bool {
        if self.out.len() > self.known_room {
            self.known_room = self.out.len() * 2;
            self.has_room &= memory::has_room_for(self.known_room);
        }
        self.has_room && self.out.len() <= self.limits.bytes
    }

    fn value(&mut self, value: &Value, depth: usize) {
        if depth > self.limits.depth || !self.goes_on() {
            self.out.push('…');
            return;
        }
        deep(|| match force(value) {
            Ok(forced) => self.forced(&forced, depth),
            Err(_) => self.out.push_str("<error>"),
        })
    }

    fn forced(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Bool(b) => self.write(b),
            Value::Int(i) => self.write(i),
            Value::Real(x) => self.out.push_str(&real(*x)),
            Value::Text(text) => self.text(text),
            Value::Data(data) => self.data(data, depth),
            Value::Array(array) => self.array(array, depth),
            Value::Function(function) => self.function(function),
            Value::Zero => self.out.push('0'),
            Value::Sparse(_) | Value::Lazy(_) => self.out.push_str("<sensitivity>"),
        }
    }

    fn write(&mut self, value: impl std::fmt::Display) {
        let _ = write!(self.out, "{value}");
    }

    fn text(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' | '{' | '}' => self.out.extend(['\\', c]),
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                '\r' => self.out.push_str("\\r"),
                c if c.is_control() => self.write(c.escape_unicode()),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn data(&mut self, data: &Data, depth: usize) {
        match &data.form {
            Form::Tuple => self.list("(", &data.fields, ")", depth),
            // A plot may hold a million points: it is named in a line.
            Form::Variant(_) if plot::constructor(data).is_some() => self.out.push_str(&plot::line(data)),
            Form::Variant(constructor) => {
                self.write(constructor.name);
                if !data.fields.is_empty() {
                    self.list("(", &data.fields, ")", depth);
                }
            }
            Form::Record(labels) => self.fields(labels.iter().map(|label| label.to_string()), data, depth),
            Form::Part(_, positions) => self.fields(positions.iter().map(u32::to_string), data, depth),
        }
    }

    fn fields(&mut self, labels: impl Iterator<Item = String>, data: &Data, depth: usize) {
        self.out.push('{');
        for (i, (label, field)) in labels.zip(&data.fields).enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            let _ = write!(self.out, "{separator}{label}: ");
            self.value(field, depth + 1);
        }
        self.out.push('}');
    }

    fn list(&mut self, open: &str, values: &[Value], close: &str, depth: usize) {
        self.out.push_str(open);
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.value(value, depth + 1);
        }
        self.out.push_str(close);
    }

    fn array(&mut self, array: &Array, depth: usize) {
        self.axis(array, 0, 0, depth);
        if self.limits.elements > SHORT.elements && array.shape.iter().any(|length| *length > self.limits.elements) {
            let _ = write!(self.out, " (shape {})", Array::describe_shape(&array.shape));
        }
    }

    /// One axis of an array; long ones lose their middle.
    fn axis(&mut self, array: &Array, axis: usize, start: usize, depth: usize) {
        let length = array.shape[axis];
        let inner: usize = array.shape[axis + 1..].iter().product();
        let shown = if length > self.limits.elements { 3.min(self.limits.elements) } else { length };
        self.out.push('[');
        for i in (0..length).filter(|&i| i < shown || (shown < length && i + shown >= length)) {
            if !self.goes_on() {
                self.out.push('…');
                break;
            }
            if i > 0 {
                self.out.push_str(", ");
            }
            if shown < length && i == length - shown {
                self.out.push_str("…, ");
            }
            if axis + 1 == array.shape.len() {
                self.element(array, start + i, depth);
            } else {
                self.axis(array, axis + 1, start + i * inner, depth + 1);
            }
        }
        self.out.push(']');
    }

    fn element(&mut self, array: &Array, at: usize, depth: usize) {
        match &array.elements {
            Elements::Values(values) => self.value(&values[at], depth + 1),
            _ => self.forced(&array.at(at), depth + 1),
        }
    }

    fn function(&mut self, function: &Function) {
        match function {
            Function::Prim { prim, order } => {
                let name = lifted_name(prim.name(), *order);
                let _ = write!(self.out, "<fn {name}>");
            }
            Function::Sealed { f, .. } => {
                let name = function_name(f);
                let _ = write!(self.out, "<backpropagator of {name}>");
            }
            Function::Closure(closure) => {
                let lambda = closure.code.lambda(closure.member);
                let name = lambda.name.map_or("", |name| name.as_str());
                let name = match lambda.role {
                    Role::Source | Role::Reverse | Role::Forward => lifted_name(name, closure.code.group.order),
                    Role::Backpropagator => format!("backpropagator of {name}"),
                };
                self.out.push_str(format!("<fn {name}").trim_end());
                let labels = closure.code.labels();
                if !labels.is_empty() && lambda.role != Role::Backpropagator {
                    let labels: Vec<&str> = labels.iter().map(|label| label.as_str()).collect();
                    let _ = write!(self.out, " {{{}}}", labels.join(", "));
                }
                self.out.push('>');
            }
        }
    }
}

fn lifted_name(name: &str, order: u32) -> String {
    let name = if name.is_empty() && order > 0 { "_" } else { name };
    (0..order).fold(name.to_string(), |name, _| format!("J({name})"))
}

/// The name of a function value as messages give it.
pub fn function_name(value: &Value) -> String {
    match force(value) {
        Ok(Value::Function(function)) => match &*function {
            Function::Prim { prim, .. } => prim.name().to_string(),
            Function::Sealed { f, .. } => format!("the backpropagator of {}", function_name(f)),
            Function::Closure(closure) => match closure.code.lambda(closure.member).name {
                Some(name) => name.to_string(),
                None => "an unnamed function".to_string(),
            },
        },
        _ => "a function".to_string(),
    }
}
