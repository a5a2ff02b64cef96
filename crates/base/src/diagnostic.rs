//! A user's mistake, as data: a code, a place, what was expected, what was found, what to try.
//!
//! A broken invariant of ours is not a diagnostic: it panics and names the stage.

use crate::{Code, Span};

pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    pub code: Code,
    /// One sentence: what is wrong.
    pub message: String,
    /// The first label is the place of the mistake; others point at what it clashes with.
    pub labels: Vec<Label>,
    /// Facts: what was expected, what was found.
    pub notes: Vec<String>,
    /// What to try.
    pub help: Vec<String>,
    /// Changes of the text that would mend it; an editor offers them.
    pub fixes: Vec<Fix>,
    /// The calls that led here, innermost first.
    pub trace: Vec<Trace>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

/// A change of the text: what stands at the place is replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct Fix {
    /// For instance "write `sin`".
    pub title: String,
    pub span: Span,
    pub text: String,
}

/// One call on the way to a run-time error.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub span: Span,
    /// For instance "in `f`" or "while differentiating `f`".
    pub text: String,
}

impl Diagnostic {
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        let label = Label { span, text: String::new() };
        Diagnostic {
            code,
            message: message.into(),
            labels: vec![label],
            notes: vec![],
            help: vec![],
            fixes: vec![],
            trace: vec![],
        }
    }

    /// Says something at the place of the mistake itself.
    pub fn here(mut self, text: impl Into<String>) -> Diagnostic {
        self.labels[0].text = text.into();
        self
    }

    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }

    /// A change that an editor may offer.
    pub fn fix(mut self, title: impl Into<String>, span: Span, text: impl Into<String>) -> Diagnostic {
        self.fixes.push(Fix { title: title.into(), span, text: text.into() });
        self
    }

    /// Suggests another word for what stands at the place of the mistake.
    pub fn did_you_mean(self, word: &str) -> Diagnostic {
        let span = self.span();
        self.help(format!("did you mean `{word}`?")).fix(format!("write `{word}`"), span, word)
    }

    pub fn span(&self) -> Span {
        self.labels[0].span
    }

    pub fn err<T>(self) -> Result<T> {
        Err(Box::new(self))
    }
}
