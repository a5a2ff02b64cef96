//! The chain of calls behind a run-time error, innermost first, and the user's own line in it.

use base::{Diagnostic, Span, Trace, codes};
use calculus::{Lambda, Role};

use crate::machine::{Call, Frame};

const SHOWN: usize = 12;

/// Adds the calls to a diagnostic. If the error arose inside the library, it is shown at the user's call.
pub(crate) fn add(diagnostic: &mut Diagnostic, frames: &[Frame], root: Span, first_user_file: u32) {
    let calls: Vec<&Call> =
        frames.iter().rev().filter_map(|frame| if let Frame::Call(call) = frame { Some(call) } else { None }).collect();
    let in_library = |span: Span| span.file.0 < first_user_file;
    if in_library(diagnostic.span()) {
        let called = calls.iter().find(|call| !in_library(call.from));
        if let Some(name) = called.and_then(|call| call.called().name) {
            diagnostic.notes.push(format!("raised inside `{name}` of the library"));
            // Such help would be about the library's code.
            if [codes::NO_MATCH, codes::NOT_A_FUNCTION, codes::WRONG_ARITY].contains(&diagnostic.code) {
                diagnostic.help.clear();
            }
        }
        diagnostic.labels[0].span = called.map_or(root, |call| call.from);
    }
    for call in calls {
        let entry = Trace { span: call.from, text: describe(call.called()) };
        if in_library(call.from) || diagnostic.trace.last() == Some(&entry) {
            continue;
        }
        if diagnostic.trace.len() == SHOWN {
            break;
        }
        diagnostic.trace.push(entry);
    }
}

fn describe(lambda: &Lambda) -> String {
    let name = lambda.name.map_or("an unnamed function".to_string(), |name| format!("`{name}`"));
    match lambda.role {
        Role::Source => format!("in {name}"),
        Role::Reverse | Role::Forward => format!("while differentiating {name}"),
        Role::Backpropagator => format!("in the backpropagator of {name}"),
    }
}
