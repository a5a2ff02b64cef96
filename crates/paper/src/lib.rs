//! The calculus of the paper, followed to the letter.
//!
//! In: programs in the paper's notation ([`syntax`]). Out: values, or where no printed rule applies. [`Corrections`] says which of the
//! faults of the printed text are mended; with [`Corrections::NONE`] it is the text as it stands. This is for reading the paper, not for
//! running programs: Evert is the crates around this one, none of which it uses or is used by.
//!
//! - [`term`], [`value`]: expressions and values
//! - [`evaluate`]: 𝓔 and 𝓐
//! - [`reverse`]: φ, ρ and B
//! - [`operators`]: **0**, ⊕, J and J⁻¹ on values
//! - [`primitives`]: the reverse transformations of primitives
//! - [`faults`]: a program for each fault of the printed text

pub mod corrections;
pub mod evaluate;
pub mod faults;
pub mod operators;
pub mod primitives;
pub mod reverse;
pub mod syntax;
pub mod term;
pub mod value;

pub use corrections::{Correction, Corrections};
pub use evaluate::{Count, Machine, Stuck};

use syntax::{Recursive, Statement, StatementKind};
use term::{Expr, Var, apply};
use value::Value;

/// What one expression of a program gave.
#[derive(Debug)]
pub struct Outcome {
    pub text: String,
    /// What stands behind `⇒` in the text.
    pub expected: Option<String>,
    /// The value as it is shown, or `stuck: ` and why.
    pub result: String,
}

impl Outcome {
    /// Does it say what is expected? Numbers may differ by a relative 1e-9; of what is stuck, a beginning is enough.
    pub fn holds(&self) -> bool {
        self.expected.as_ref().is_none_or(|expected| says(&self.result, expected))
    }
}

/// Runs a program and gives what its expressions come to; an error if the text isn't a program.
pub fn run(text: &str, corrections: Corrections) -> Result<Vec<Outcome>, String> {
    Ok(run_counted(text, corrections)?.0)
}

/// The same, and how often **0** and ⊕ were applied.
pub fn run_counted(text: &str, corrections: Corrections) -> Result<(Vec<Outcome>, Count), String> {
    let mut machine = Machine::new(corrections);
    let statements = syntax::program(text, &mut machine.names)?;
    let outcomes = statements.into_iter().filter_map(|statement| machine.run(statement)).collect();
    Ok((outcomes, machine.count))
}

impl Machine {
    fn run(&mut self, statement: Statement) -> Option<Outcome> {
        let Statement { kind, expected, text } = statement;
        let result = match kind {
            StatementKind::Show(expr) => self.eval(&self.initial(), &expr).and_then(|value| self.shown(&value)),
            StatementKind::Define(name, expr) => self.define(name, &expr).map(|()| String::new()),
            StatementKind::DefineRecursive(recursive) => self.define_recursive(recursive).map(|()| String::new()),
        };
        match result {
            Ok(defined) if defined.is_empty() => None,
            Ok(result) => Some(Outcome { text, expected, result }),
            Err(Stuck(why)) => Some(Outcome { text, expected, result: format!("stuck: {why}") }),
        }
    }

    fn define(&mut self, name: Var, expr: &Expr) -> Result<(), Stuck> {
        let value = self.eval(&self.initial(), expr)?;
        self.globals.insert(name, value);
        Ok(())
    }

    /// With D15 a definition means itself where its name stands; otherwise recursion is by Y, which makes functions only.
    fn define_recursive(&mut self, recursive: Recursive) -> Result<(), Stuck> {
        let Recursive { names, value, function } = recursive;
        let mut value = if self.has(Correction::D15) && self.has(Correction::D13) {
            self.eval(&self.initial(), &value)?
        } else {
            let y = self.names.global("Y");
            self.eval(&self.initial(), &apply(term::var(&y), function))?
        };
        let (last, others) = names.split_last().expect("a definition has a name");
        for name in others {
            let (first, rest) = self.parts(&value).ok_or(Stuck(format!("{value} is no pair")))?;
            self.globals.insert(name.clone(), first);
            value = rest;
        }
        self.globals.insert(last.clone(), value);
        Ok(())
    }

    /// The text of a value; a pair that is a closure is still shown as a pair.
    fn shown(&mut self, value: &Value) -> Result<String, Stuck> {
        let value = self.fully(value)?;
        Ok(self.decoded(&value).to_string())
    }

    fn decoded(&mut self, value: &Value) -> Value {
        match self.parts(value) {
            Some((first, second)) => Value::pair(self.decoded(&first), self.decoded(&second)),
            None => value.clone(),
        }
    }
}

fn says(result: &str, expected: &str) -> bool {
    if let Some(why) = expected.strip_prefix("stuck") {
        return result.strip_prefix("stuck").is_some_and(|found| found.starts_with(why));
    }
    let words =
        |text: &str| text.replace(['(', ')', '[', ']', ','], " ").split_whitespace().map(str::to_string).collect();
    let (found, wanted): (Vec<String>, Vec<String>) = (words(result), words(expected));
    found.len() == wanted.len() && found.iter().zip(&wanted).all(|(found, wanted)| same(found, wanted))
}

fn same(found: &str, wanted: &str) -> bool {
    match (found.parse::<f64>(), wanted.parse::<f64>()) {
        (Ok(found), Ok(wanted)) if !wanted.is_nan() => (found - wanted).abs() <= 1e-9 * wanted.abs().max(1e-3),
        _ => found == wanted,
    }
}
