//! The table of what is kept: a row for each place and type, with sizes as the types say.

use std::collections::BTreeMap;
use std::fmt;

use super::{Objects, Place, Surveyed};
use crate::session::Session;
use base::Span;
use first_order::{Program, Type};

use super::listing::quoted;
use super::names;
use super::reasons::{After, after, needs, origin, part_type};
use super::words::type_name;
use crate::report;

/// The reference count and the descriptor.
const HEADER: usize = 16;

pub struct Table {
    /// The largest first.
    pub rows: Vec<Row>,
    /// Bytes that are somebody else's, and whose.
    pub shared: Vec<(usize, &'static str)>,
}

/// Objects of one type, made at one place.
pub struct Row {
    /// The function around the place, the place, the text there.
    place: String,
    /// What they are.
    what: String,
    /// Bytes of a node, or of an element of an array.
    each: usize,
    how_many: usize,
    /// In all.
    bytes: usize,
    reasons: Vec<String>,
}

impl Table {
    pub fn new(session: &Session, surveyed: &Surveyed) -> Table {
        let program = &surveyed.specialised.program;
        let after = after(program);
        let mut groups: BTreeMap<(Span, String), Vec<(Place, Objects)>> = BTreeMap::new();
        let mut argument = 0;
        for (number, objects) in &surveyed.found.objects {
            match number.and_then(|number| surveyed.places.get(number as usize)) {
                Some(place) => {
                    let key = (span_of(session, program, *place), type_name(program, type_of(program, *place)));
                    groups.entry(key).or_default().push((*place, *objects));
                }
                None => argument += objects.bytes,
            }
        }
        let rows = groups.into_iter().map(|((span, name), group)| row(session, program, &after, span, name, &group));
        let mut rows: Vec<Row> = rows.collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.bytes));
        let whose = if surveyed.seeded { "the argument and the sensitivity of the result" } else { "the argument" };
        let shared = [(argument, whose), (surveyed.found.result.bytes, "the result")];
        Table { rows, shared: shared.into_iter().filter(|(bytes, _)| *bytes > 0).collect() }
    }

    pub fn bytes(&self) -> usize {
        self.rows.iter().map(|row| row.bytes).sum()
    }
}

fn type_of(program: &Program, place: Place) -> &Type {
    &program.functions[place.function.0 as usize].vars[place.var.0 as usize]
}

/// Where a statement stands; where that isn't known, its function.
fn span_of(session: &Session, program: &Program, place: Place) -> Span {
    let function = &program.functions[place.function.0 as usize];
    let mut span = Span::OF_CALLER;
    super::reasons::each_statement(&function.body, &mut |statement| {
        if statement.var == place.var {
            span = statement.span;
        }
    });
    if is_known(session, span) { span } else { function.span }
}

fn is_known(session: &Session, span: Span) -> bool {
    span != Span::OF_CALLER && span.file.0 >= session.machine.first_user_file
}

fn row(
    session: &Session,
    program: &Program,
    after: &After,
    span: Span,
    name: String,
    group: &[(Place, Objects)],
) -> Row {
    let mut sum = Objects::default();
    for (_, objects) in group {
        sum.count += objects.count;
        sum.bytes += objects.bytes;
        sum.elements += objects.elements;
        sum.room += objects.room;
        sum.handles += objects.handles;
    }
    let ty = type_of(program, group[0].0);
    let words = |ty: &Type| loops::leaves(ty, &program.types).len();
    let (what, each, how_many, bytes) = match ty {
        Type::Array(element, rank) => {
            let (head, each) = (HEADER + 8 + 8 * *rank as usize, 8 * words(element));
            let arrays = if sum.count == 1 { name } else { format!("{} of {name}", sum.count) };
            let room = if sum.room > 0 { format!(", {} of room to grow", sum.room) } else { String::new() };
            let what = format!("{arrays}: {head} bytes and {each} for each element{room}");
            (what, each, sum.elements, sum.count * head + sum.elements * each + sum.room)
        }
        Type::Named(id) => {
            let each = HEADER + 8 * words(&program.types[id.0 as usize].content);
            (format!("{name}: {each} bytes each"), each, sum.count, sum.count * each)
        }
        _ => {
            let each = sum.bytes / sum.count.max(1);
            (format!("{name}: in the hands of the runtime"), each, sum.count, sum.bytes)
        }
    };
    let reasons = reasons(session, program, after, group);
    Row { place: place(session, span), what, each, how_many, bytes, reasons }
}

fn place(session: &Session, span: Span) -> String {
    let at = place_name(session, span);
    let inside = names::enclosing(session, span).map_or(String::new(), |name| format!("{name}, "));
    format!("{inside}{at}: `{}`", quoted(session, span))
}

/// A place, its file without folders: all are of one program.
fn place_name(session: &Session, span: Span) -> String {
    let place = report::place(&session.sources, span);
    place.rsplit('/').next().unwrap_or(&place).to_string()
}

/// A line for each part that is read.
fn reasons(session: &Session, program: &Program, after: &After, group: &[(Place, Objects)]) -> Vec<String> {
    let mut lines = vec![];
    for (place, _) in group {
        let content = match type_of(program, *place) {
            Type::Array(element, _) => element,
            Type::Named(id) => &program.types[id.0 as usize].content,
            other => other,
        };
        for (path, readers) in needs(program, after, *place) {
            let Some(part) = part_type(content, &path) else { continue };
            let bytes = 8 * loops::leaves(part, &program.types).len();
            let from = origin(program, *place, &path).filter(|span| is_known(session, *span));
            let from = from.map_or(String::new(), |span| format!(", the value of `{}`", quoted(session, span)));
            let readers = readers.places().iter().filter(|span| is_known(session, **span));
            let readers: Vec<String> =
                readers.map(|span| format!("`{}` at {}", quoted(session, *span), place_name(session, *span))).collect();
            let why = if readers.is_empty() { "the reverse pass".to_string() } else { readers.join(", ") };
            let line = format!("{bytes} bytes, {}{from}: needed by {why}", type_name(program, part));
            if bytes > 0 && !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{:>12} {:>10} {:>6}  where and what", "bytes", "how many", "each")?;
        for row in &self.rows {
            writeln!(f, "{:>12} {:>10} {:>6}  {}", row.bytes, row.how_many, row.each, row.place)?;
            writeln!(f, "{:32}{}", "", row.what)?;
            for reason in &row.reasons {
                writeln!(f, "{:34}{reason}", "")?;
            }
        }
        Ok(())
    }
}
