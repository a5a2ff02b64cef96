//! Values as tables.
//!
//! A record of arrays has a column for each field, an array of records a row for each element, a matrix a row for each row; anything
//! else that is a number, boolean or text, or an array of them, is one column called `value`.

use std::fmt::Write;
use std::rc::Rc;

use eval::array::{Array, Elements};
use eval::value::Form;
use eval::{Value, force};

use super::cell::{Kind, kind};

struct Column {
    name: String,
    cells: Cells,
}

enum Cells {
    One(Value),
    /// So many elements of an array, from the first on, so far apart.
    Of {
        array: Rc<Array>,
        first: usize,
        step: usize,
        rows: usize,
    },
}

pub fn write(value: &Value, separator: char) -> Result<Vec<u8>, String> {
    let columns = columns(value)?;
    let rows = columns.iter().map(Column::rows).max().unwrap_or(0);
    if let Some(short) = columns.iter().find(|column| column.rows() != rows) {
        let long = columns.iter().find(|column| column.rows() == rows).map_or("", |column| &column.name);
        let (name, few) = (&short.name, short.rows());
        return Err(format!(
            "the columns of a table have one length: `{long}` has {rows} elements, `{name}` has {few}"
        ));
    }
    let mut out = String::new();
    for (at, column) in columns.iter().enumerate() {
        out.extend((at > 0).then_some(separator));
        write_text(&column.name, separator, &mut out);
    }
    out.push('\n');
    for row in 0..rows {
        for (at, column) in columns.iter().enumerate() {
            out.extend((at > 0).then_some(separator));
            column.write(row, separator, &mut out)?;
        }
        out.push('\n');
    }
    Ok(out.into_bytes())
}

fn columns(value: &Value) -> Result<Vec<Column>, String> {
    let mut columns = vec![];
    match &forced(value)? {
        Value::Data(data) if let Form::Record(labels) = &data.form => {
            for (label, field) in labels.iter().zip(&data.fields) {
                add(label.as_str(), &forced(field)?, &mut columns)?;
            }
        }
        Value::Array(array) if let Some(names) = fields(array)? => {
            for (at, name) in names.iter().enumerate() {
                let cells = array.values().iter().map(|element| field(element, at)).collect::<Result<Vec<_>, _>>()?;
                let cells = Array::from_values(cells).map_err(|_| format!("the fields `{name}` differ in shape"))?;
                add(name, &Value::array(cells), &mut columns)?;
            }
        }
        Value::Array(array) if array.shape.len() == 2 => add("column", &Value::Array(array.clone()), &mut columns)?,
        other => add("value", other, &mut columns)?,
    }
    Ok(columns)
}

/// The names of the fields that all elements have, if they are records or tuples.
fn fields(array: &Array) -> Result<Option<Vec<String>>, String> {
    let Elements::Values(values) = &array.elements else { return Ok(None) };
    let mut names: Option<Vec<String>> = None;
    for value in values.iter() {
        let Value::Data(data) = forced(value)? else { return Ok(None) };
        let found: Vec<String> = match &data.form {
            Form::Record(labels) => labels.iter().map(ToString::to_string).collect(),
            Form::Tuple => (1..=data.fields.len()).map(|number| format!("column_{number}")).collect(),
            Form::Variant(_) | Form::Part(..) => return Ok(None),
        };
        match &names {
            Some(names) if *names != found => return Err("its elements have different fields".to_string()),
            _ => names = Some(found),
        }
    }
    Ok(names)
}

fn field(element: &Value, at: usize) -> Result<Value, String> {
    match forced(element)? {
        Value::Data(data) => forced(&data.fields[at]),
        other => Ok(other),
    }
}

fn add(name: &str, value: &Value, columns: &mut Vec<Column>) -> Result<(), String> {
    match value {
        Value::Array(array) if array.shape.len() == 1 => {
            let cells = Cells::Of { array: array.clone(), first: 0, step: 1, rows: array.len() };
            columns.push(Column { name: name.to_string(), cells });
        }
        Value::Array(array) if array.shape.len() == 2 => {
            let (rows, step) = (array.shape[0], array.shape[1]);
            columns.extend((0..step).map(|first| Column {
                name: format!("{name}_{}", first + 1),
                cells: Cells::Of { array: array.clone(), first, step, rows },
            }));
        }
        Value::Array(array) => {
            let shape = Array::describe_shape(&array.shape);
            return Err(format!("an array of shape {shape} has too many axes for a table"));
        }
        other => columns.push(Column { name: name.to_string(), cells: Cells::One(other.clone()) }),
    }
    Ok(())
}

impl Column {
    fn rows(&self) -> usize {
        match &self.cells {
            Cells::One(_) => 1,
            Cells::Of { rows, .. } => *rows,
        }
    }

    fn write(&self, row: usize, separator: char, out: &mut String) -> Result<(), String> {
        let value = match &self.cells {
            Cells::One(value) => value.clone(),
            Cells::Of { array, first, step, .. } => array.at(first + row * step),
        };
        match forced(&value)? {
            Value::Real(x) => out.push_str(&eval::show::real(x)),
            Value::Int(i) => drop(write!(out, "{i}")),
            Value::Bool(b) => drop(write!(out, "{b}")),
            Value::Text(text) => write_text(&text, separator, out),
            other => {
                let (name, what) = (&self.name, eval::show::described(&other));
                return Err(format!("a cell of a table is a number, a boolean or a text; in `{name}` there is {what}"));
            }
        }
        Ok(())
    }
}

/// A text, quoted if it would be read as something else.
fn write_text(text: &str, separator: char, out: &mut String) {
    let special = |c: char| c == separator || matches!(c, '"' | '\n' | '\r' | ',' | ';' | '\t');
    let plain = kind(text) == Kind::Text && !text.contains(special) && text.trim_matches(' ') == text;
    match plain {
        true => out.push_str(text),
        false => drop(write!(out, "\"{}\"", text.replace('"', "\"\""))),
    }
}

fn forced(value: &Value) -> Result<Value, String> {
    force(value).map_err(|fault| fault.message.clone())
}
