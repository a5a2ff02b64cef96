//! Values as JSON.

use std::fmt::Write;

use eval::array::{Array, Elements};
use eval::value::{Data, Form};
use eval::{Value, force};

/// The value as JSON, on one line. `Err` says what in it JSON has no word for.
pub fn write(value: &Value) -> Result<String, String> {
    let mut out = String::new();
    write_value(value, &mut out)?;
    Ok(out)
}

fn write_value(value: &Value, out: &mut String) -> Result<(), String> {
    if !eval::memory::has_room_for(out.len()) {
        return Err("the value is too large to be written".to_string());
    }
    eval::deep(|| match &force(value).map_err(|fault| fault.message.clone())? {
        Value::Bool(b) => done(write!(out, "{b}")),
        Value::Int(i) => done(write!(out, "{i}")),
        Value::Real(x) => done(out.write_str(&real(*x))),
        Value::Text(text) => done(write_text(text, out)),
        Value::Array(array) => write_axis(array, 0, 0, out),
        Value::Data(data) => write_data(data, out),
        other => Err(format!("{} can't be written as JSON", eval::show::described(other))),
    })
}

fn done(written: std::fmt::Result) -> Result<(), String> {
    written.map_err(|_| "there is no room for the text".to_string())
}

/// The shortest text that reads back as the same number; that of a whole one has a point.
fn real(x: f64) -> String {
    match x {
        x if x.is_nan() => "NaN".to_string(),
        f64::INFINITY => "Infinity".to_string(),
        f64::NEG_INFINITY => "-Infinity".to_string(),
        x => format!("{x:?}"),
    }
}

fn write_data(data: &Data, out: &mut String) -> Result<(), String> {
    match &data.form {
        Form::Record(labels) => {
            out.push('{');
            for (at, (label, field)) in labels.iter().zip(&data.fields).enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                done(write_text(label.as_str(), out))?;
                out.push_str(": ");
                write_value(field, out)?;
            }
            out.push('}');
            Ok(())
        }
        Form::Tuple if data.fields.is_empty() => done(out.write_str("null")),
        Form::Tuple | Form::Part(..) => write_list(&data.fields, out),
        Form::Variant(constructor) if constructor.type_name.as_str() == "List" => {
            let mut elements = vec![];
            let mut fields = data.fields.clone();
            while let [head, tail] = &fields[..] {
                elements.push(head.clone());
                let Value::Data(rest) = force(tail).map_err(|fault| fault.message.clone())? else { break };
                fields = rest.fields.clone();
            }
            write_list(&elements, out)
        }
        Form::Variant(constructor) => {
            out.push('{');
            done(write_text(constructor.name.as_str(), out))?;
            out.push_str(": ");
            write_list(&data.fields, out)?;
            out.push('}');
            Ok(())
        }
    }
}

fn write_list(values: &[Value], out: &mut String) -> Result<(), String> {
    out.push('[');
    for (at, value) in values.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        write_value(value, out)?;
    }
    out.push(']');
    Ok(())
}

fn write_axis(array: &Array, axis: usize, start: usize, out: &mut String) -> Result<(), String> {
    let step: usize = array.shape[axis + 1..].iter().product();
    out.push('[');
    for i in 0..array.shape[axis] {
        out.push_str(if i > 0 { ", " } else { "" });
        let at = start + i * step;
        if axis + 1 < array.shape.len() {
            write_axis(array, axis + 1, at, out)?;
            continue;
        }
        match &array.elements {
            Elements::Real(reals) => out.push_str(&real(reals[at])),
            Elements::Int(ints) => done(write!(out, "{}", ints[at]))?,
            Elements::Bool(bools) => done(write!(out, "{}", bools[at]))?,
            Elements::Values(values) => write_value(&values[at], out)?,
        }
    }
    out.push(']');
    Ok(())
}

fn write_text(text: &str, out: &mut String) -> std::fmt::Result {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => write!(out, "\\u{:04x}", u32::from(c))?,
            c => out.push(c),
        }
    }
    out.push('"');
    Ok(())
}
