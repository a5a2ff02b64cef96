//! What came of the whole matrix: counts by class and mode, and every cell that is wrong.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::check::Outcome;
use super::modes::Mode;
use super::row::{Cell, Class, Subject};

#[derive(Default)]
pub struct Report {
    counts: BTreeMap<(Class, Mode), Count>,
    pub rows: usize,
    pub cells: usize,
    /// Questions whose answer was wrong.
    pub wrong: Vec<Wrong>,
    /// Questions that the oracle can't answer.
    pub unknown: Vec<String>,
}

/// A question whose answer was wrong.
pub struct Wrong {
    /// Function, mode, case: one line, by which it can be found again.
    pub place: String,
    pub words: String,
}

#[derive(Clone, Copy, Default)]
struct Count {
    right: usize,
    wrong: usize,
    unknown: usize,
}

impl Report {
    pub fn note(&mut self, subject: Subject, cell: &Cell, mode: Mode, outcome: Outcome) {
        let count = self.counts.entry((cell.class, mode)).or_default();
        let place = || format!("`{subject}`, {}, {mode}: {} at {}", cell.class, cell.f, cell.point);
        match outcome {
            Outcome::Agrees => count.right += 1,
            Outcome::NoValue(words) => {
                count.wrong += 1;
                self.wrong.push(Wrong { place: place(), words: format!("the program has no value: {words}") });
            }
            Outcome::Wrong(words) => {
                count.wrong += 1;
                self.wrong.push(Wrong { place: place(), words: format!("{} gives {words}", mode.program()) });
            }
            Outcome::Unknown(words) => {
                count.unknown += 1;
                self.unknown.push(format!("{}: {words}", place()));
            }
        }
    }

    pub fn questions(&self) -> usize {
        self.counts.values().map(|count| count.right + count.wrong + count.unknown).sum()
    }

    /// A table of how many questions were answered rightly, by mode and class.
    pub fn table(&self) -> String {
        let mut text = format!("{:10}", "");
        Class::ALL.iter().for_each(|class| _ = write!(text, "{class:>14}"));
        text.push('\n');
        for mode in Mode::ALL {
            _ = write!(text, "{mode:10}");
            for class in Class::ALL {
                let count = self.counts.get(&(class, mode)).copied().unwrap_or_default();
                let all = count.right + count.wrong + count.unknown;
                let shown = if count.right == all { all.to_string() } else { format!("{} of {all}", count.right) };
                _ = write!(text, "{shown:>14}");
            }
            text.push('\n');
        }
        text
    }

    pub fn summary(&self) -> String {
        format!(
            "{} functions, {} cases, {} questions: {} wrong, {} that the oracle can't answer",
            self.rows,
            self.cells,
            self.questions(),
            self.wrong.len(),
            self.unknown.len()
        )
    }
}
