//! Texts, and ends of the program. Places in texts are counted in characters.

use base::codes;
use calculus::{Layout, Prim};

use super::structure::settle;
use super::{BETWEEN_LOOKS, collected, go_on};
use crate::array::{Array, Elements};
use crate::fault::{Fault, Result, expected};
use crate::lazy::{force, forced};
use crate::value::{Form, Value};
use crate::{memory, probe, show, work};

pub(super) fn apply(prim: Prim, [a, b, c]: [Value; 3]) -> Result<Value> {
    match prim {
        Prim::Show => {
            settle(&a)?;
            Ok(Value::text(show::whole(&a)?))
        }
        Prim::Format => {
            settle(&a)?;
            let layout = Layout::parse(&text_of(prim, b)?).unwrap_or_default();
            Ok(Value::text(show::laid_out(&a, &layout)?))
        }
        Prim::Join => join(a, &b),
        Prim::Split => split(a),
        Prim::Trim => Ok(Value::text(text_of(prim, a)?.trim())),
        Prim::Find => {
            let (text, part) = (text_of(prim, a)?, text_of(prim, b)?);
            work::add(text.len());
            Ok(Value::Int(text.find(part.as_str()).map_or(-1, |at| text[..at].chars().count() as i64)))
        }
        Prim::Replace => replace(&text_of(prim, a)?, &text_of(prim, b)?, &text_of(prim, c)?),
        Prim::ToUpper => Ok(Value::text(text_of(prim, a)?.to_uppercase())),
        Prim::ToLower => Ok(Value::text(text_of(prim, a)?.to_lowercase())),
        Prim::ParseReal => each(prim, a, "a real", |text| text.parse().ok().map(Value::Real)),
        Prim::ParseInt => each(prim, a, "an int", |text| text.parse().ok().map(Value::Int)),
        Prim::Expected => expected(codes::WRONG_KIND, &text_of(prim, a)?, &forced(b)?),
        Prim::Error => Fault::new(codes::USER_ERROR, show::display(&a)?).err(),
        Prim::Assert => match forced(a)? {
            Value::Bool(_) if probe::is_active() => Ok(Value::unit()),
            Value::Bool(true) => Ok(Value::unit()),
            Value::Bool(false) => Fault::new(codes::ASSERTION_FAILED, "the assertion doesn't hold").err(),
            other => expected(codes::NOT_A_BOOLEAN, "a boolean for `assert`", &other),
        },
        other => unreachable!("text: {other}"),
    }
}

fn text_of(prim: Prim, value: Value) -> Result<std::rc::Rc<String>> {
    match forced(value)? {
        Value::Text(text) => Ok(text),
        other => expected(codes::WRONG_KIND, &format!("a text for `{}`", prim.name().trim_start_matches('.')), &other),
    }
}

/// Is it a text with what to cut it at? Otherwise `split` is about keys.
pub(super) fn is_split(argument: &Value) -> Result<bool> {
    Ok(match force(argument)? {
        Value::Data(data) => matches!(data.form, Form::Tuple) && data.fields.len() == 2,
        Value::Text(_) => true,
        _ => false,
    })
}

fn has_room_for(bytes: usize) -> Result<()> {
    work::add(bytes);
    match memory::has_room_for(bytes) {
        true => Ok(()),
        false => Fault::new(codes::ARRAY_TOO_LARGE, format!("a text of {bytes} bytes is too large")).err(),
    }
}

/// `join("a", b)`, which shows b, and `join(["a", "b"], ", ")`.
fn join(a: Value, b: &Value) -> Result<Value> {
    if let Value::Array(array) = force(&a)? {
        let separator = text_of(Prim::Join, b.clone())?;
        let texts = array.values().iter().map(show::display).collect::<Result<Vec<String>>>()?;
        let bytes: usize = texts.iter().map(|text| text.len() + separator.len()).sum();
        has_room_for(bytes)?;
        return Ok(Value::text(texts.join(&separator)));
    }
    settle(b)?;
    joined(&show::display(&a)?, &show::display(b)?)
}

/// Two texts, one after the other.
pub(super) fn joined(a: &str, b: &str) -> Result<Value> {
    has_room_for(a.len().saturating_add(b.len()))?;
    Ok(Value::text([a, b].concat()))
}

/// `split("a,b", ",")`; at an empty text, into characters.
fn split(argument: Value) -> Result<Value> {
    let argument = forced(argument)?;
    let Value::Data(data) = &argument else {
        return Fault::new(codes::WRONG_ARITY, "`split` of a text expects 2 arguments, found 1")
            .help("write `split(text, \",\")` to cut it at commas, `split(text, \"\")` for its characters")
            .err();
    };
    let (text, separator) =
        (text_of(Prim::Split, data.fields[0].clone())?, text_of(Prim::Split, data.fields[1].clone())?);
    has_room_for(text.len())?;
    let parts: Vec<Value> = match separator.as_str() {
        "" => collected(text.chars().map(|c| Value::text(c.to_string())))?,
        separator => collected(text.split(separator).map(Value::text))?,
    };
    if parts.is_empty() {
        return Ok(Value::array(Array::none_like(&Value::text(""))));
    }
    Ok(Value::array(Array::new(vec![parts.len()], Elements::Values(parts.into()))))
}

fn replace(text: &str, part: &str, other: &str) -> Result<Value> {
    has_room_for(text.len())?;
    let mut replaced = String::with_capacity(text.len());
    for (i, piece) in text.split(part).enumerate() {
        if i > 0 {
            replaced.push_str(other);
        }
        replaced.push_str(piece);
        if i % BETWEEN_LOOKS == 0 {
            go_on()?;
            has_room_for(replaced.len())?;
        }
    }
    Ok(Value::text(replaced))
}

/// What a text says, or each text of an array.
fn each(prim: Prim, value: Value, what: &str, parse: impl Fn(&str) -> Option<Value>) -> Result<Value> {
    let one = |value: &Value| {
        let text = text_of(prim, value.clone())?;
        parse(text.trim()).map_or_else(
            || {
                Fault::new(
                    codes::NOT_A_NUMBER,
                    format!("expected {what} for `{prim}`, found {}", show::described(value)),
                )
                .help("test the text before, for instance with `text == \"\"`")
                .err()
            },
            Ok,
        )
    };
    match forced(value)? {
        Value::Array(array) if array.is_empty() => {
            let number = if prim == Prim::ParseInt { Elements::Int(vec![]) } else { Elements::Real(vec![]) };
            Ok(Value::array(Array::new(array.shape.clone(), number)))
        }
        Value::Array(array) => {
            work::add(array.size());
            let numbers = array.values().iter().map(one).collect::<Result<Vec<Value>>>()?;
            Ok(Value::array(Array::new(array.shape.clone(), Elements::from_scalars(numbers))))
        }
        text => one(&text),
    }
}

/// `text[i]` and `text[i..j]`.
pub(super) fn index(text: &str, spec: &Value) -> Result<Value> {
    let length = text.chars().count();
    let bound = |value: &Value, open: usize| match force(value)? {
        value if value.is_unit() => Ok(open as i64),
        Value::Int(i) => Ok(i),
        other => expected(codes::BAD_INDEX, "an int as index", &other),
    };
    let (from, to) = match force(spec)? {
        Value::Int(i) => (i, i + 1),
        Value::Data(data) if data.fields.len() == 1 => match force(&data.fields[0])? {
            whole if whole.is_unit() => (0, length as i64),
            Value::Data(ends) if ends.fields.len() == 2 => {
                (bound(&ends.fields[0], 0)?, bound(&ends.fields[1], length)?)
            }
            other => return expected(codes::BAD_INDEX, "an int or a range as index", &other),
        },
        Value::Data(data) => {
            let n = data.fields.len();
            return Fault::new(codes::INDEX_OUT_OF_RANGE, format!("{n} indices for a text")).err();
        }
        other => return expected(codes::BAD_INDEX, "an int as index", &other),
    };
    if from < 0 || to > length as i64 {
        let wrong = if from < 0 || from >= length as i64 { from } else { to };
        let note =
            if length == 1 { "the text has 1 character".into() } else { format!("the text has {length} characters") };
        return Fault::new(codes::INDEX_OUT_OF_RANGE, format!("index {wrong} is out of range")).note(note).err();
    }
    Ok(Value::text(text.chars().skip(from as usize).take((to - from).max(0) as usize).collect::<String>()))
}
