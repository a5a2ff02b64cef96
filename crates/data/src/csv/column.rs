//! The cells of a column so far.

use eval::Value;
use eval::array::{Array, Elements};
use rustc_hash::FxHashMap;

use super::cell::Kind;
use super::rows::Cell;

#[derive(Default)]
pub struct Column<'t> {
    cells: Cells<'t>,
    /// Is the first cell that isn't missing quoted?
    quoted: bool,
    /// Nothing is added any more: it has been filled by an earlier pass.
    full: bool,
}

enum Cells<'t> {
    /// So many missing values.
    Missing(usize),
    Ints(Vec<i64>),
    Reals(Vec<f64>),
    Bools(Vec<bool>),
    Texts(Texts<'t>),
    /// It is a column of texts, and what its first cells said is forgotten: they are read once more.
    Again,
}

/// Equal texts share their memory, in columns with few different ones.
#[derive(Default)]
struct Texts<'t> {
    all: Vec<Value>,
    known: FxHashMap<&'t str, Value>,
}

/// A cell that is no number, in a column of numbers.
#[derive(Debug)]
pub struct Mixed;

impl Default for Cells<'_> {
    fn default() -> Self {
        Cells::Missing(0)
    }
}

impl<'t> Column<'t> {
    pub fn push(&mut self, cell: &Cell<'t>) -> Result<(), Mixed> {
        if self.full {
            return Ok(());
        }
        if let Cells::Texts(texts) = &mut self.cells {
            texts.push(cell);
            return Ok(());
        }
        let kind = if let Cells::Again = self.cells { Kind::Missing } else { cell.kind() };
        match (&mut self.cells, kind) {
            (Cells::Ints(ints), Kind::Int(i)) => ints.push(i),
            (Cells::Reals(reals), Kind::Real(x)) => reals.push(x),
            (Cells::Reals(reals), Kind::Int(i)) => reals.push(i as f64),
            (Cells::Reals(reals), Kind::Missing) => reals.push(f64::NAN),
            (Cells::Bools(bools), Kind::Bool(b)) => bools.push(b),
            (Cells::Missing(n), Kind::Missing) => *n += 1,
            (Cells::Again, _) => {}
            (_, kind) => return self.change(kind, cell),
        }
        Ok(())
    }

    /// Takes a cell of another kind than those before it.
    fn change(&mut self, kind: Kind, cell: &Cell<'t>) -> Result<(), Mixed> {
        let before = std::mem::replace(&mut self.cells, Cells::Again);
        if let Cells::Missing(_) = before {
            self.quoted = cell.quoted;
        }
        self.cells = match (before, kind) {
            (Cells::Missing(0), Kind::Int(i)) => Cells::Ints(vec![i]),
            (Cells::Missing(0), Kind::Bool(b)) => Cells::Bools(vec![b]),
            (Cells::Missing(0), Kind::Text) => {
                let mut texts = Texts::default();
                texts.push(cell);
                Cells::Texts(texts)
            }
            (Cells::Missing(n), Kind::Int(_) | Kind::Real(_)) => Cells::Reals(with_last(vec![f64::NAN; n], kind)),
            (Cells::Ints(ints), Kind::Real(_) | Kind::Missing) => {
                Cells::Reals(with_last(ints.into_iter().map(|i| i as f64).collect(), kind))
            }
            (Cells::Ints(_) | Cells::Reals(_), _) if !self.quoted => return Err(Mixed),
            _ => Cells::Again,
        };
        Ok(())
    }

    /// After a pass: does the column need another one, as texts?
    pub fn restart(&mut self) -> bool {
        let again = matches!(self.cells, Cells::Again);
        self.full = !again;
        if again {
            self.cells = Cells::Texts(Texts::default());
        }
        again
    }

    pub fn array(self) -> Array {
        match self.cells {
            Cells::Missing(0) => Array::unknown(),
            Cells::Missing(n) => Array::vector(vec![f64::NAN; n]),
            Cells::Ints(ints) => Array::ints(ints),
            Cells::Reals(reals) => Array::vector(reals),
            Cells::Bools(bools) => Array::new(vec![bools.len()], Elements::Bool(bools)),
            Cells::Texts(texts) => Array::new(vec![texts.all.len()], Elements::Values(texts.all.into())),
            Cells::Again => unreachable!("csv: the column is read again"),
        }
    }
}

fn with_last(mut reals: Vec<f64>, last: Kind) -> Vec<f64> {
    reals.push(match last {
        Kind::Int(i) => i as f64,
        Kind::Real(x) => x,
        Kind::Missing | Kind::Bool(_) | Kind::Text => f64::NAN,
    });
    reals
}

impl<'t> Texts<'t> {
    fn push(&mut self, cell: &Cell<'t>) {
        const MOST_KNOWN: usize = 1 << 12;
        let words = cell.words();
        let text = match &words {
            std::borrow::Cow::Borrowed(words) => match self.known.get(words) {
                Some(text) => text.clone(),
                None => {
                    let text = Value::text(*words);
                    if self.known.len() < MOST_KNOWN {
                        self.known.insert(words, text.clone());
                    }
                    text
                }
            },
            std::borrow::Cow::Owned(words) => Value::text(words.as_str()),
        };
        self.all.push(text);
    }
}
