//! CSV: a row of names, then rows of cells.
//!
//! In: text. Out: a record of arrays, one for each column: ints, reals, booleans or texts. The separator is a comma; a semicolon or a
//! tab if the header has those and no comma. Spaces around a cell that isn't quoted don't count. Empty lines are skipped.
//!
//! A missing value (see [`cell`]) is `nan` in a column of numbers, which are reals then, and `""` in one of texts. If the first cell of a
//! column is a number, the column is one of numbers, and a cell that isn't one is a mistake; unless that first cell is quoted: then the
//! column is one of texts as soon as a cell isn't a number.

mod cell;
mod column;
mod rows;
mod write;

use std::rc::Rc;

use base::Name;
use eval::{Value, memory};

use crate::labels::labels;
use crate::problem::{self, Problem};
use cell::Kind;
use column::{Column, Mixed};
use rows::{Cell, Ends, Rows};

pub use write::write;

/// The names of the columns of a table.
pub fn columns(bytes: &[u8], delimiter: Option<u8>) -> Result<Vec<Name>, Problem> {
    let mut rows = Rows::new(problem::text(bytes)?, delimiter);
    names(&header(&mut rows)?, rows.delimiter)
}

/// Reads a table; `delimiter`: what separates cells, if that is known.
pub fn read(bytes: &[u8], delimiter: Option<u8>) -> Result<Value, Problem> {
    let text = problem::text(bytes)?;
    let mut rows = Rows::new(text, delimiter);
    let header = header(&mut rows)?;
    let names = names(&header, rows.delimiter)?;
    let body = rows.at;
    check_room(&text[body..], names.len())?;
    let mut columns: Vec<Column> = names.iter().map(|_| Column::default()).collect();
    fill(&mut Rows { at: body, ..rows }, &names, &mut columns)?;
    // All of them start again, not only the first that must.
    let restarts = columns.iter_mut().map(|column| column.restart()).filter(|again| *again).count();
    if restarts > 0 {
        fill(&mut Rows { at: body, ..rows }, &names, &mut columns)?;
    }
    let arrays = columns.into_iter().map(|column| Value::array(column.array())).collect();
    Ok(Value::record(Rc::from(names), arrays))
}

/// Is there room for so many cells?
fn check_room(body: &str, columns: usize) -> Result<(), Problem> {
    let rows = body.bytes().filter(|byte| *byte == b'\n').count() + 1;
    if memory::has_room_for(rows.saturating_mul(columns).saturating_mul(size_of::<f64>())) {
        return Ok(());
    }
    Problem::new(format!("a table of {rows} rows and {columns} columns needs too much memory")).err()
}

fn header<'t>(rows: &mut Rows<'t>) -> Result<Vec<Cell<'t>>, Problem> {
    rows.skip_empty_lines();
    if rows.is_at_end() {
        return Problem::new("the file is empty: a table begins with a line of names").err();
    }
    let mut cells = vec![];
    loop {
        let cell = rows.cell()?;
        let ends = cell.ends;
        cells.push(cell);
        if ends == Ends::Row {
            return Ok(cells);
        }
    }
}

fn names(header: &[Cell], delimiter: u8) -> Result<Vec<Name>, Problem> {
    let is_number = |cell: &Cell| matches!(cell.kind(), Kind::Int(_) | Kind::Real(_));
    if header.iter().all(is_number) {
        let place = header[0].place.start..header[header.len() - 1].place.end;
        let separator = char::from(delimiter);
        return Problem::new("the first line has numbers where names of columns are expected")
            .at(place)
            .help(format!("write a line of names above it, as `x{separator}y`"))
            .err();
    }
    let texts: Vec<String> = header.iter().map(Cell::text).collect();
    labels(texts.iter().map(String::as_str)).map_err(|(first, second)| {
        let (one, other) = (texts[first].trim(), texts[second].trim());
        let message = match one == other {
            true => format!("the header has the column `{other}` twice"),
            false => format!("the columns `{one}` and `{other}` would have the same name"),
        };
        Problem::new(message)
            .at(header[second].place.clone())
            .note(format!("columns {} and {}", first + 1, second + 1))
            .help("rename one of them in the header")
    })
}

/// Takes the cells of all rows into the columns that aren't filled.
fn fill<'t>(rows: &mut Rows<'t>, names: &[Name], columns: &mut [Column<'t>]) -> Result<(), Problem> {
    let mut number = 0;
    loop {
        // In a table of one column an empty line is a missing value.
        match columns.len() {
            1 => rows.skip_empty_lines_at_end(),
            _ => rows.skip_empty_lines(),
        }
        if rows.is_at_end() {
            return Ok(());
        }
        number += 1;
        row(rows, number, names, columns)?;
    }
}

fn row<'t>(rows: &mut Rows<'t>, number: usize, names: &[Name], columns: &mut [Column<'t>]) -> Result<(), Problem> {
    let start = rows.at;
    for (at, column) in columns.iter_mut().enumerate() {
        let cell = rows.cell()?;
        let ends = cell.ends;
        if let Err(Mixed) = column.push(&cell) {
            return not_a_number(&cell, names[at], number).err();
        }
        if (ends == Ends::Row) != (at + 1 == names.len()) {
            return ragged(rows, start, number, names.len()).err();
        }
    }
    Ok(())
}

fn not_a_number(cell: &Cell, column: Name, row: usize) -> Problem {
    let text = cell.text();
    let problem = Problem::new(format!("`{text}` in the column `{column}` isn't a number"))
        .at(cell.place.clone())
        .note(format!("row {row}; the column begins with numbers"))
        .note("a missing value is an empty cell, NA, N/A, NaN, null or None");
    match text.replace(',', ".").parse::<f64>() {
        Ok(_) if text.contains(',') => problem.help("write a decimal point instead of the comma"),
        _ => problem.help("for a column of texts put its first cell into double quotes"),
    }
}

fn ragged(rows: &mut Rows, start: usize, number: usize, expected: usize) -> Problem {
    rows.at = start;
    let mut found = 0;
    loop {
        found += 1;
        match rows.cell() {
            Ok(cell) if cell.ends == Ends::Row => break,
            Ok(_) => {}
            Err(problem) => return problem,
        }
    }
    let words = |n: usize| if n == 1 { "1 cell".to_string() } else { format!("{n} cells") };
    let end = start + rows.text[start..rows.at].trim_end().len();
    Problem::new(format!("row {number} has {}, the header has {expected}", words(found)))
        .at(start..end)
        .help("a cell that contains the separator stands in double quotes")
}

#[cfg(test)]
mod tests;
