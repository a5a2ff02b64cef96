//! The matrix: every primitive and every public function of the library × modes of differentiation × kinds of input, each cell
//! compared with the multi-precision oracle.
//!
//! The rows are a table in this folder. What must have a row is read from the table of primitives and from the library itself:
//! a new function without one fails the test. A row has cases for every [`Class`] of input, or says why there is none; each
//! case is asked in every [`Mode`].

use std::collections::BTreeMap;

use calculus::{Prim, Root};
use elaborate::Binding;
use evert::Session;

mod arithmetic;
mod arrays;
mod check;
mod checking;
mod discrete;
mod functions;
mod generated;
mod internal;
mod library;
mod linear;
mod modes;
mod report;
mod row;

pub use check::{Outcome, Trial};
pub use modes::Mode;
pub use report::{Report, Wrong};
pub use row::{Case, Cell, Class, Row, Shape, Subject, Truth};

/// All rows, primitives first.
pub fn table() -> impl Iterator<Item = &'static Row> {
    primitives().chain(library::rows())
}

/// The rows of the primitives, internal ones included.
pub fn primitives() -> impl Iterator<Item = &'static Row> {
    let topics =
        [arithmetic::ROWS, functions::ROWS, discrete::ROWS, arrays::ROWS, linear::ROWS, internal::ROWS, checking::ROWS];
    topics.into_iter().flatten()
}

/// The public functions of the library: those with a comment for readers.
pub fn public_functions(session: &Session) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = session
        .names()
        .filter_map(|(name, binding)| match binding {
            Binding::Root(Root::Global(id)) => {
                let info = session.globals.get(*id);
                (info.doc.is_some() && info.span.file.0 < session.machine.first_user_file).then(|| name.as_str())
            }
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found
}

/// Asks every question about these rows, in these modes.
pub fn ask(trial: &mut Trial, rows: impl Iterator<Item = &'static Row>, modes: &[Mode]) -> Report {
    let mut report = Report::default();
    for row in rows {
        report.rows += 1;
        for cell in row.cells() {
            report.cells += 1;
            for (mode, outcome) in trial.cell(&cell, modes) {
                report.note(row.subject, &cell, mode, outcome);
            }
        }
    }
    report
}

/// What is wrong with the table itself: functions without a row, rows of no function, classes without a case or a reason.
pub fn gaps(session: &Session) -> Vec<String> {
    let mut rows: BTreeMap<String, usize> = BTreeMap::new();
    table().for_each(|row| *rows.entry(row.subject.to_string()).or_default() += 1);
    let mut wanted: Vec<String> = Prim::ALL.iter().map(|prim| prim.name().to_string()).collect();
    let is_part = |name: &&str| library::PARTS.iter().any(|(part, _)| part == name);
    wanted.extend(public_functions(session).into_iter().filter(|name| !is_part(name)).map(String::from));
    let mut gaps = vec![];
    for name in &wanted {
        match rows.remove(name) {
            Some(1) => {}
            Some(n) => gaps.push(format!("`{name}` has {n} rows")),
            None => gaps.push(format!("`{name}` has no row")),
        }
    }
    gaps.extend(rows.into_keys().map(|name| format!("there is a row of `{name}`, but no such function")));
    for row in table().filter(|row| row.is_public()) {
        let cells = row.cells();
        for class in Class::ALL {
            let given = cells.iter().any(|cell| cell.class == class);
            let absent = row.absent.iter().any(|(known, _)| *known == class);
            match (given, absent) {
                (false, false) => gaps.push(format!("`{}` has no case for {class} input, and no reason", row.subject)),
                (true, true) => gaps.push(format!("`{}` has {class} cases, and a reason to have none", row.subject)),
                _ => {}
            }
        }
    }
    gaps
}
