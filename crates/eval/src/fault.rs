//! What goes wrong at run time, before the machine knows where: it adds the span and the chain of calls.

use base::{Code, Diagnostic, Span};

use crate::show;
use crate::value::Value;

/// For a function where a sensitivity is due. The usual way there: a rule that was right while its values were numbers meets values that
/// hold functions, as those of its own derivative do.
pub const NO_SENSITIVITY: &str =
    "a function is no sensitivity: in a rule, `J(f)(J(x))` gives `(J(y), pull)`, and y is `J_inv` of the first part";

pub type Result<T> = std::result::Result<T, Box<Fault>>;

#[derive(Debug)]
pub struct Fault {
    pub code: Code,
    pub message: String,
    pub notes: Vec<String>,
    pub help: Vec<String>,
    /// Where, if not in the instruction that runs.
    place: Option<Span>,
}

/// Somebody wants this thread to stop.
pub(crate) fn interrupted() -> Fault {
    Fault::new(base::codes::OUT_OF_STEPS, "the computation was interrupted")
}

impl Fault {
    pub fn new(code: Code, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), notes: vec![], help: vec![], place: None }
    }

    pub fn note(mut self, note: impl Into<String>) -> Fault {
        self.notes.push(note.into());
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Fault {
        self.help.push(help.into());
        self
    }

    /// It belongs to an operation that waits for what runs.
    pub fn of_waiting(mut self: Box<Self>, span: Span) -> Box<Fault> {
        self.place.get_or_insert(span);
        self
    }

    /// It belongs to an operation that isn't the one that runs.
    pub fn place(self, span: Span) -> Box<Fault> {
        Box::new(self).of_waiting(span)
    }

    pub fn err<T>(self) -> Result<T> {
        Err(Box::new(self))
    }

    pub fn at(self, span: Span) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.code, self.place.unwrap_or(span), self.message);
        diagnostic.notes = self.notes;
        diagnostic.help = self.help;
        diagnostic
    }
}

/// "expected a boolean, found the int `3`"
pub fn expected<T>(code: Code, what: &str, found: &Value) -> Result<T> {
    Fault::new(code, format!("expected {what}, found {}", show::described(found))).err()
}
