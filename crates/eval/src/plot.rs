//! Values of the library's type `Plot` of `plots` as what `crates/plots` draws.
//!
//! In: a value. Out: a plot, or words that say why it can't be drawn. A function in it is nothing but its range here: whoever
//! draws a plot has it sampled first, whoever only names it needn't.

use calculus::Constructor;
use plots::{Colour, Grid, Image, Plot, Series, Style, Vectors};

use crate::array::{Array, Elements};
use crate::lazy::{deep, force};
use crate::show::described;
use crate::value::{Data, Form, Holds, Value};

/// The library's type. No program can declare a type of this name.
pub const TYPE: &str = "Plot of plots";

/// Plots in plots may nest so deep; several in one frame count once.
const DEEPEST: usize = 500;

/// Is the value a plot of the library?
pub fn is_plot(value: &Value) -> bool {
    matches!(force(value), Ok(Value::Data(data)) if constructor(&data).is_some())
}

/// Does it have to be sampled before it can be drawn?
pub fn has_functions(value: &Value) -> bool {
    force(value).is_ok_and(|value| value.holds().has(Holds::FUNCTION))
}

/// The constructor of a plot.
pub fn constructor(data: &Data) -> Option<&Constructor> {
    match &data.form {
        Form::Variant(constructor) if constructor.type_name.as_str() == TYPE => Some(constructor),
        _ => None,
    }
}

/// A plot in one line; ranges are those that are known without calling its functions.
pub fn line(data: &Data) -> String {
    let found = constructor(data).ok_or_else(String::new).and_then(|constructor| of_data(constructor, &data.fields, 0));
    found.map_or_else(|_| "<plot>".to_string(), |plot| plots::describe(&plot))
}

/// What is drawn of a plot. `Err` says why nothing is.
pub fn read(value: &Value) -> Result<Plot, String> {
    plot(value, 0)
}

fn plot(value: &Value, depth: usize) -> Result<Plot, String> {
    if depth > DEEPEST {
        return Err(format!("plots nest more than {DEEPEST} deep here; put them together with one `plots.over`"));
    }
    let value = forced(value)?;
    match &value {
        Value::Data(data) if let Some(constructor) = constructor(data) => of_data(constructor, &data.fields, depth),
        _ => Err(wrong("a plot", &value)),
    }
}

fn of_data(constructor: &Constructor, fields: &[Value], depth: usize) -> Result<Plot, String> {
    match (constructor.name.as_str(), fields) {
        ("Curve", [_, from, to]) => {
            let row = [number(from)?, f64::NAN, f64::NAN, number(to)?, f64::NAN, f64::NAN];
            Ok(Plot::Pieces { rows: vec![row], low: f64::NEG_INFINITY, high: f64::INFINITY })
        }
        ("Pieces", [rows, low, high]) => {
            let (low, high) = (number(low)?, number(high)?);
            Ok(Plot::Pieces { rows: pieces(rows)?, low, high })
        }
        ("Line", [xs, ys]) => series(xs, ys).map(Plot::Line),
        ("Points", [xs, ys]) => series(xs, ys).map(Plot::Points),
        ("Bars", [edges, heights]) => Ok(Plot::Bars { edges: numbers(edges)?, heights: numbers(heights)? }),
        ("Field", [_, xs, ys]) => {
            let (xs, ys) = (ends(xs)?, ends(ys)?);
            Ok(Plot::Arrows(Vectors { xs, ys, us: vec![f64::NAN; 2], vs: vec![f64::NAN; 2] }))
        }
        ("Arrows", [xs, ys, us, vs]) => {
            Ok(Plot::Arrows(Vectors { xs: numbers(xs)?, ys: numbers(ys)?, us: numbers(us)?, vs: numbers(vs)? }))
        }
        ("Contour", [_, xs, ys]) => Ok(Plot::Contour(Grid { xs: ends(xs)?, ys: ends(ys)?, values: vec![f64::NAN; 4] })),
        ("Levels", [xs, ys, values]) => grid(numbers(xs)?, numbers(ys)?, values),
        ("Image", [pixels]) => image(pixels).map(Plot::Image),
        ("Slider", [name, ..]) => Err(format!("the slider {} has no position", crate::show::short(name))),
        ("Styled", [record, inner]) => {
            let (style, inner) = (style(record)?, deep(|| plot(inner, depth + 1))?);
            Ok(Plot::Styled(style, Box::new(inner)))
        }
        ("Over", [plots]) => deep(|| layers(plots, depth)).map(Plot::Over),
        ("Beside", [plots]) => deep(|| each(plots, depth)).map(Plot::Beside),
        (name, _) => Err(format!("a plot can't be made by {name} with {} parts", fields.len())),
    }
}

/// What lies over each other; what does so inside of it, too.
fn layers(plots: &Value, depth: usize) -> Result<Vec<Plot>, String> {
    let mut found = vec![];
    let mut waiting = vec![plots.clone()];
    while let Some(value) = waiting.pop() {
        let value = forced(&value)?;
        match &value {
            Value::Array(array) => waiting.extend((0..array.len()).rev().map(|i| array.row(i))),
            Value::Data(data) if constructor(data).is_some_and(|constructor| constructor.name.as_str() == "Over") => {
                waiting.extend(data.fields.first().cloned());
            }
            _ => found.push(plot(&value, depth + 1)?),
        }
    }
    Ok(found)
}

fn each(plots: &Value, depth: usize) -> Result<Vec<Plot>, String> {
    match forced(plots)? {
        Value::Array(array) => (0..array.len()).map(|i| plot(&array.row(i), depth + 1)).collect(),
        other => Err(wrong("an array of plots", &other)),
    }
}

fn forced(value: &Value) -> Result<Value, String> {
    force(value).map_err(|fault| fault.message)
}

fn wrong(expected: &str, found: &Value) -> String {
    format!("expected {expected}, found {}", described(found))
}

fn number(value: &Value) -> Result<f64, String> {
    let value = forced(value)?;
    value.number().ok_or_else(|| wrong("a number", &value))
}

/// The two ends of a range.
fn ends(value: &Value) -> Result<Vec<f64>, String> {
    match forced(value)? {
        Value::Data(data) if data.fields.len() == 2 => data.fields.iter().map(number).collect(),
        other => Err(wrong("a pair of numbers", &other)),
    }
}

/// The elements of an array of numbers of any rank, and its shape; booleans are 0 and 1.
fn table(value: &Value) -> Result<(Vec<usize>, Vec<f64>), String> {
    let value = forced(value)?;
    let Value::Array(array) = &value else { return Err(wrong("an array of numbers", &value)) };
    let elements = match &array.elements {
        Elements::Real(reals) => reals.clone(),
        Elements::Int(ints) => ints.iter().map(|i| *i as f64).collect(),
        Elements::Bool(bools) => bools.iter().map(|b| f64::from(u8::from(*b))).collect(),
        Elements::Values(values) if values.is_empty() => vec![],
        Elements::Values(_) => return Err(wrong("an array of numbers", &value)),
    };
    Ok((array.shape.clone(), elements))
}

fn numbers(value: &Value) -> Result<Vec<f64>, String> {
    match table(value)? {
        (shape, elements) if shape.len() == 1 || elements.is_empty() => Ok(elements),
        (shape, _) => {
            Err(format!("expected numbers along one axis, found an array of shape {}", Array::describe_shape(&shape)))
        }
    }
}

fn series(xs: &Value, ys: &Value) -> Result<Series, String> {
    let (xs, ys) = (numbers(xs)?, numbers(ys)?);
    if xs.len() != ys.len() {
        return Err(format!("points need as many xs as ys: there are {} xs and {} ys", xs.len(), ys.len()));
    }
    Ok(Series { xs, ys })
}

fn pieces(value: &Value) -> Result<Vec<[f64; 6]>, String> {
    let (shape, elements) = table(value)?;
    if !elements.is_empty() && (shape.len() != 2 || shape[1] != 6) {
        return Err(format!("pieces are rows of 6 numbers, not an array of shape {}", Array::describe_shape(&shape)));
    }
    Ok(elements.chunks_exact(6).map(|row| std::array::from_fn(|i| row[i])).collect())
}

fn grid(xs: Vec<f64>, ys: Vec<f64>, values: &Value) -> Result<Plot, String> {
    let (shape, values) = table(values)?;
    if shape != [ys.len(), xs.len()] && !values.is_empty() {
        let (rows, columns) = (ys.len(), xs.len());
        let found = Array::describe_shape(&shape);
        return Err(format!(
            "a grid of {rows} ys and {columns} xs has values of shape [{rows}, {columns}], not {found}"
        ));
    }
    Ok(Plot::Contour(Grid { xs, ys, values }))
}

fn image(pixels: &Value) -> Result<Image, String> {
    let (shape, values) = table(pixels)?;
    match shape[..] {
        _ if values.is_empty() => Ok(Image::Values { rows: 0, columns: 0, values }),
        [rows, columns] => Ok(Image::Values { rows, columns, values }),
        [rows, columns, 3] => {
            let values = values.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
            Ok(Image::Colours { rows, columns, values })
        }
        _ => {
            let found = Array::describe_shape(&shape);
            Err(format!("an image is a matrix, or an array of n × m × 3 numbers, not one of shape {found}"))
        }
    }
}

fn style(value: &Value) -> Result<Style, String> {
    let value = forced(value)?;
    let Value::Data(data) = &value else { return Err(wrong("a record of style", &value)) };
    let Form::Record(labels) = &data.form else { return Err(wrong("a record of style", &value)) };
    let mut style = Style::default();
    for (label, field) in labels.iter().zip(&data.fields) {
        let field = forced(field)?;
        match (label.as_str(), &field) {
            ("title", Value::Text(text)) => style.title = said(text),
            ("x", Value::Text(text)) => style.x = said(text),
            ("y", Value::Text(text)) => style.y = said(text),
            ("label", Value::Text(text)) => style.label = said(text),
            ("colour", Value::Text(text)) => style.colour = said(text).map(|text| colour(&text)).transpose()?,
            ("log_x", Value::Bool(log)) => style.log_x = *log,
            ("log_y", Value::Bool(log)) => style.log_y = *log,
            ("title" | "x" | "y" | "label" | "colour", _) => return Err(wrong(&format!("a text as {label}"), &field)),
            ("log_x" | "log_y", _) => return Err(wrong(&format!("a boolean as {label}"), &field)),
            _ => return Err(format!("a style has no field `{label}`")),
        }
    }
    Ok(style)
}

/// The empty text says nothing.
fn said(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_string())
}

fn colour(text: &str) -> Result<Colour, String> {
    Colour::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Colour::names().collect();
        format!("`{text}` is no colour; colours are {}, or as \"#0072b2\"", names.join(", "))
    })
}
