//! Values laid out over lines of a terminal, for people.
//!
//! What fits on a line stands on one, as source. Otherwise the fields of a record and the parts of a tuple stand below each other, the rows
//! of a matrix too, its columns aligned; long vectors are filled into lines. Large arrays lose their middle, and say what shape they have.
//! Numbers keep all their digits, unless the rows of a matrix wouldn't fit: then they have six.

use crate::array::{Array, Elements};
use crate::lazy::{deep, force};
use crate::show::{SCREEN, screen, show_within};
use crate::value::{Data, Form, Value};

/// So many elements of an axis are shown at each end of a large array.
const ENDS: usize = 3;
/// Digits of a number in a matrix that doesn't fit otherwise.
const DIGITS: usize = 6;
/// However narrow the terminal is.
const NARROWEST: usize = 20;

/// Bytes of text after which what is still to come stands on one line each, however long: parts may be shared, and be
/// more than anyone could print.
const LONGEST: usize = 1 << 16;

/// The value on lines of so many columns, the last one without a line break.
pub fn pretty(value: &Value, columns: usize) -> String {
    let mut out = String::new();
    write(value, 0, 0, columns.max(NARROWEST), 0, &mut out);
    out
}

/// Writes a value that begins at a column, with lines below it indented; `after`: how many columns follow it on its last line.
fn write(value: &Value, at: usize, indent: usize, columns: usize, after: usize, out: &mut String) {
    let line = screen(value);
    let lines = matches!(force(value), Ok(Value::Array(array)) if array.shape.len() > 1 && array.shape[0] > 1);
    if out.len() > LONGEST || !lines && at + line.chars().count() + after <= columns {
        out.push_str(&line);
        return;
    }
    deep(|| match force(value) {
        Ok(Value::Array(array)) if is_matrix(&array) => matrix(&array, at, columns, out),
        Ok(Value::Array(array)) => elements(&array, if at < columns / 2 { at } else { indent }, columns, out),
        Ok(Value::Data(data)) if !data.fields.is_empty() && indent < columns => parts(&data, indent, columns, out),
        _ => out.push_str(&line),
    });
}

fn parts(data: &Data, indent: usize, columns: usize, out: &mut String) {
    let (open, close) = match &data.form {
        Form::Record(_) | Form::Part(..) => ("{".to_string(), "}"),
        Form::Tuple => ("(".to_string(), ")"),
        Form::Variant(constructor) => (format!("{}(", constructor.name), ")"),
    };
    out.push_str(&open);
    let inner = indent + 2;
    for (at, field) in data.fields.iter().enumerate() {
        let label = match &data.form {
            Form::Record(labels) => format!("{}: ", labels[at]),
            Form::Part(_, positions) => format!("{}: ", positions[at]),
            Form::Tuple | Form::Variant(_) => String::new(),
        };
        new_line(inner, out);
        out.push_str(&label);
        write(field, inner + label.chars().count(), inner, columns, 1, out);
        out.push(',');
    }
    new_line(indent, out);
    out.push_str(close);
}

fn new_line(indent: usize, out: &mut String) {
    out.push('\n');
    out.push_str(&" ".repeat(indent));
}

fn is_matrix(array: &Array) -> bool {
    array.shape.len() > 1 && !array.is_empty() && !matches!(array.elements, Elements::Values(_))
}

/// An array of one axis, or of anything that isn't a number: filled into lines, one element on each if it is large itself.
fn elements(array: &Array, indent: usize, columns: usize, out: &mut String) {
    let length = array.len();
    let shown = shown(length, array.size());
    out.push('[');
    let inner = indent + 1;
    let mut at = inner;
    for (place, i) in shown.iter().enumerate() {
        let mut text = String::new();
        match i {
            Some(i) => write(&array.row(*i), inner, inner, columns, 1, &mut text),
            None => text.push('…'),
        }
        let width = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        let many = text.contains('\n');
        if place > 0 {
            out.push(',');
            match many || at + width + 2 > columns || array.shape.len() > 1 {
                true => {
                    new_line(inner, out);
                    at = inner;
                }
                false => {
                    out.push(' ');
                    at += 1;
                }
            }
        }
        out.push_str(&text);
        at = if many { columns } else { at + width + 1 };
    }
    out.push(']');
    if shown.len() < length || shown.contains(&None) {
        out.push_str(&format!(" (shape {})", Array::describe_shape(&array.shape)));
    }
}

/// The places of an axis that are shown; `None` stands for what is left out.
fn shown(length: usize, size: usize) -> Vec<Option<usize>> {
    if size <= SCREEN.elements || length <= 2 * ENDS + 1 {
        return (0..length).map(Some).collect();
    }
    let ends = (0..ENDS).map(Some);
    ends.chain([None]).chain((length - ENDS..length).map(Some)).collect()
}

/// An array of numbers or booleans with several axes, its last one along the lines.
fn matrix(array: &Array, at: usize, columns: usize, out: &mut String) {
    let rank = array.shape.len();
    let row_length = array.shape[rank - 1];
    let rows = rows(array, &array.shape[..rank - 1]);
    let mut places = shown(row_length, array.size());
    let mut cells = cells(array, &rows, &places, None);
    let room = columns.saturating_sub(at + 2 * rank);
    if width(&cells) > room {
        cells = self::cells(array, &rows, &places, Some(DIGITS));
    }
    // Columns of which there are too many are left out from the middle.
    let mut left_out = places.contains(&None);
    while width(&cells) > room && places.len() > 3 {
        let middle = places.len() / 2;
        let from = if places[middle].is_none() { middle + 1 } else { middle };
        places.remove(from.min(places.len() - 2));
        if !places.contains(&None) {
            places[middle.min(from)] = None;
        }
        left_out = true;
        cells = self::cells(array, &rows, &places, Some(DIGITS));
    }
    left_out |= rows.contains(&None);
    lines(&rows, &cells, at, rank, out);
    if left_out {
        out.push_str(&format!(" (shape {})", Array::describe_shape(&array.shape)));
    }
}

/// Where the rows that are shown begin, with their place along each axis; `None` for those that are left out.
fn rows(array: &Array, axes: &[usize]) -> Vec<Option<Vec<usize>>> {
    let mut rows: Vec<Option<Vec<usize>>> = vec![Some(vec![])];
    for length in axes {
        let places = shown(*length, array.size());
        rows = rows
            .into_iter()
            .flat_map(|row| match row {
                None => vec![None],
                Some(row) => {
                    places.iter().map(|place| place.map(|place| row.iter().copied().chain([place]).collect())).collect()
                }
            })
            .collect();
    }
    rows
}

/// The texts of all cells, those of a column of one width.
fn cells(
    array: &Array,
    rows: &[Option<Vec<usize>>],
    places: &[Option<usize>],
    digits: Option<usize>,
) -> Vec<Vec<String>> {
    let offset =
        |row: &[usize]| row.iter().zip(&array.shape).fold(0, |offset, (place, length)| offset * length + place);
    let length = array.shape[array.shape.len() - 1];
    let cell = |row: &Option<Vec<usize>>, place: &Option<usize>| match (row, place) {
        (Some(row), Some(place)) => number(&array.at(offset(row) * length + place), digits),
        _ => "…".to_string(),
    };
    let mut cells: Vec<Vec<String>> =
        rows.iter().map(|row| places.iter().map(|place| cell(row, place)).collect()).collect();
    for column in 0..places.len() {
        let width = cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        for row in &mut cells {
            let missing = width - row[column].chars().count();
            row[column].insert_str(0, &" ".repeat(missing));
        }
    }
    cells
}

fn width(cells: &[Vec<String>]) -> usize {
    cells.iter().map(|row| row.iter().map(|cell| cell.chars().count() + 2).sum::<usize>()).max().unwrap_or(0)
}

fn number(value: &Value, digits: Option<usize>) -> String {
    match (value, digits) {
        (Value::Real(x), Some(digits)) if x.is_finite() => {
            let short = show_within(&Value::Real(format!("{x:.*e}", digits - 1).parse().unwrap_or(*x)), SCREEN);
            let long = show_within(value, SCREEN);
            if short.len() < long.len() { short } else { long }
        }
        _ => show_within(value, SCREEN),
    }
}

/// Rows with as many brackets as begin or end at them.
fn lines(rows: &[Option<Vec<usize>>], cells: &[Vec<String>], at: usize, rank: usize, out: &mut String) {
    let inner = rank - 1;
    for (place, (row, cells)) in rows.iter().zip(cells).enumerate() {
        // How many axes go on from the row before to this one, and from this one to the next.
        let kept = |a: Option<&Option<Vec<usize>>>, b: &Option<Vec<usize>>| match (a, b) {
            (Some(Some(a)), Some(b)) => a.iter().zip(b).take_while(|(x, y)| x == y).count(),
            (Some(_), _) => inner - 1,
            (None, _) => 0,
        };
        let before = if place == 0 { 0 } else { kept(rows.get(place - 1), row).min(inner - 1) + 1 };
        let next = if place + 1 == rows.len() { 0 } else { kept(rows.get(place + 1), row).min(inner - 1) + 1 };
        if place > 0 {
            out.push(',');
            new_line(at + before, out);
        }
        out.push_str(&"[".repeat(rank - before));
        out.push_str(&cells.join(", "));
        out.push_str(&"]".repeat(rank - next));
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use base::Name;

    use super::*;

    fn reals(shape: &[usize], elements: impl Iterator<Item = f64>) -> Value {
        Value::array(Array::reals(shape.to_vec(), elements.collect()))
    }

    #[test]
    fn the_columns_of_a_matrix_are_aligned() {
        let matrix = reals(&[2, 2], [1.0, -2.5, 10.25, 3.0].into_iter());
        assert_eq!(pretty(&matrix, 80), "[[  1.0, -2.5],\n [10.25,  3.0]]");
        let cube = reals(&[2, 2, 1], (0..4).map(f64::from));
        assert_eq!(pretty(&cube, 80), "[[[0.0],\n  [1.0]],\n [[2.0],\n  [3.0]]]");
    }

    #[test]
    fn records_that_do_not_fit_have_a_line_for_each_field() {
        let fields = vec![reals(&[8], (0..8).map(f64::from)), reals(&[2, 2], (0..4).map(f64::from)), Value::Int(1)];
        let labels: Rc<[Name]> = ["w", "a", "n"].map(Name::new).into();
        let record = Value::record(labels, fields);
        let expected = "{\n  w: [0.0, 1.0, 2.0, 3.0, 4.0,\n      5.0, 6.0, 7.0],\n  a: [[0.0, 1.0],\n      [2.0, 3.0]],\n  n: 1,\n}";
        assert_eq!(pretty(&record, 32), expected);
    }

    #[test]
    fn what_is_left_out_is_said_with_the_shape() {
        let long = reals(&[2000], (0..2000).map(f64::from));
        assert_eq!(pretty(&long, 80), "[0.0, 1.0, 2.0, …, 1997.0, 1998.0, 1999.0] (shape [2000])");
        let large = reals(&[100, 100], (0..10000).map(f64::from));
        let text = pretty(&large, 80);
        assert!(text.lines().count() == 7 && text.ends_with(" (shape [100, 100])"), "{text}");
        let wide = reals(&[2, 40], (0..80).map(|i| f64::from(i) / 7.0));
        let text = pretty(&wide, 60);
        assert!(text.lines().all(|line| line.chars().count() <= 80) && text.contains('…'), "{text}");
    }

    #[test]
    fn what_fits_on_a_line_stands_on_one() {
        assert_eq!(pretty(&Value::pair(Value::Int(1), reals(&[1], [0.1].into_iter())), 80), "(1, [0.1])");
    }
}
