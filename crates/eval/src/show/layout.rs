//! Values in a given layout: `"{x:.3}"`. The layout is that of each number and text inside.

use calculus::Layout;
use calculus::layout::{Align, Kind};

use crate::array::Array;
use crate::fault::Result;
use crate::lazy::{deep, force};
use crate::show::{real, whole};
use crate::value::{Data, Form, Value};

pub fn laid_out(value: &Value, layout: &Layout) -> Result<String> {
    let mut out = String::new();
    write(value, layout, &mut out)?;
    Ok(out)
}

fn write(value: &Value, layout: &Layout, out: &mut String) -> Result<()> {
    deep(|| {
        match &force(value)? {
            Value::Real(x) => out.push_str(&padded(&number(*x, layout), layout, Align::Right)),
            Value::Int(i) => out.push_str(&padded(&int(*i, layout), layout, Align::Right)),
            Value::Text(text) => {
                let shown: String = text.chars().take(layout.precision.unwrap_or(usize::MAX)).collect();
                out.push_str(&padded(&shown, layout, Align::Left));
            }
            Value::Array(array) => axis(array, 0, 0, layout, out)?,
            Value::Data(data) if !data.fields.is_empty() => parts(data, layout, out)?,
            other => out.push_str(&padded(&whole(other)?, layout, Align::Left)),
        }
        Ok(())
    })
}

fn axis(array: &Array, axis_at: usize, start: usize, layout: &Layout, out: &mut String) -> Result<()> {
    let step: usize = array.shape[axis_at + 1..].iter().product();
    out.push('[');
    for i in 0..array.shape[axis_at] {
        out.push_str(if i > 0 { ", " } else { "" });
        let at = start + i * step;
        match axis_at + 1 < array.shape.len() {
            true => axis(array, axis_at + 1, at, layout, out)?,
            false => write(&array.at(at), layout, out)?,
        }
    }
    out.push(']');
    Ok(())
}

fn parts(data: &Data, layout: &Layout, out: &mut String) -> Result<()> {
    let (open, close) = match &data.form {
        Form::Record(_) | Form::Part(..) => ("{".to_string(), "}"),
        Form::Tuple => ("(".to_string(), ")"),
        Form::Variant(constructor) => (format!("{}(", constructor.name), ")"),
    };
    out.push_str(&open);
    for (at, field) in data.fields.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        match &data.form {
            Form::Record(labels) => out.push_str(&format!("{}: ", labels[at])),
            Form::Part(_, positions) => out.push_str(&format!("{}: ", positions[at])),
            Form::Tuple | Form::Variant(_) => {}
        }
        write(field, layout, out)?;
    }
    out.push_str(close);
    Ok(())
}

fn number(x: f64, layout: &Layout) -> String {
    let digits = match (layout.kind, layout.precision) {
        _ if !x.is_finite() => real(x),
        (Kind::Shown, None) => real(x),
        (Kind::Shown, Some(n)) => format!("{x:.n$}"),
        (Kind::Fixed, n) => format!("{x:.n$}", n = n.unwrap_or(6)),
        (Kind::Scientific, None) => format!("{x:e}"),
        (Kind::Scientific, Some(n)) => format!("{x:.n$e}"),
        (Kind::Percent, n) => format!("{:.n$}%", x * 100.0, n = n.unwrap_or(0)),
    };
    signed(digits, layout)
}

/// An int has digits behind a point only if the kind asks for them.
fn int(i: i64, layout: &Layout) -> String {
    match layout.kind {
        Kind::Shown => signed(i.to_string(), layout),
        Kind::Fixed | Kind::Scientific | Kind::Percent => number(i as f64, layout),
    }
}

fn signed(digits: String, layout: &Layout) -> String {
    if layout.plus && !digits.starts_with(['-', 'n']) { format!("+{digits}") } else { digits }
}

fn padded(text: &str, layout: &Layout, usual: Align) -> String {
    let missing = layout.width.saturating_sub(text.chars().count());
    let (fill, align) = layout.align.unwrap_or((' ', usual));
    let fill = |n: usize| fill.to_string().repeat(n);
    match align {
        Align::Left => text.to_string() + &fill(missing),
        Align::Right => fill(missing) + text,
        Align::Middle => fill(missing / 2) + text + &fill(missing - missing / 2),
        Align::AfterSign => match text.strip_prefix(['-', '+']) {
            Some(digits) => text[..1].to_string() + &fill(missing) + digits,
            None => fill(missing) + text,
        },
    }
}
