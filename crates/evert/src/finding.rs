//! What is wrong with a program at a place of its own text, for those who show the text: editors, the page.
//!
//! In: a diagnostic, or a claim that doesn't hold, and the step that it came of. Out: a [`Finding`], whose place is in the file of the step.
//! How it is written down (positions in UTF-16, JSON) is the business of whoever shows it.

use base::{Code, Diagnostic, Span, codes};

use crate::testing::{Case, Problem};

#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub span: Span,
    pub code: Code,
    pub message: String,
    pub notes: Vec<String>,
    pub help: Vec<String>,
}

impl Finding {
    /// A mistake, or an error of a step: at its place in the program, or where the program called what failed.
    pub fn of(error: &Diagnostic, step: Span) -> Finding {
        let spans = std::iter::once(error.span()).chain(error.trace.iter().map(|call| call.span));
        let found = spans.into_iter().find(|span| span.file == step.file).unwrap_or(step);
        // Where a program was when it was stopped is chance: what didn't end is the statement.
        let span = if error.code == codes::OUT_OF_STEPS { step } else { found };
        let Diagnostic { code, message, notes, help, .. } = error.clone();
        Finding { span, code, message, notes, help }
    }

    /// Something that a program says of itself and that isn't so.
    pub fn wrong_claim(span: Span, message: &str, words: String) -> Finding {
        let message = message.to_string();
        Finding { span, code: codes::EXPECTATION_FAILED, message, notes: vec![words], help: vec![] }
    }

    /// What is wrong with a case of a test, if something is.
    pub fn of_case(case: &Case) -> Option<Finding> {
        match case.result.as_ref().err()? {
            Problem::Differs(words) => {
                Some(Finding::wrong_claim(case.span, "the result isn't what the program expects", words.clone()))
            }
            Problem::Failed(error) => Some(Finding::of(error, case.span)),
        }
    }

    /// All of it in lines.
    pub fn text(&self) -> String {
        let lines: Vec<&str> =
            std::iter::once(&self.message).chain(&self.notes).chain(&self.help).map(String::as_str).collect();
        lines.join("\n")
    }
}
