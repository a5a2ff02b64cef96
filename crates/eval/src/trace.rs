//! The chain of calls behind a run-time error, innermost first, and the user's own line in it.

use base::{Diagnostic, Span, Trace};
use calculus::{Lambda, Role};

use crate::machine::{Call, Frame};

const SHOWN: usize = 12;

/// Adds the calls to a diagnostic. If the error arose inside the library, it is shown at the user's call.
pub(crate) fn add(diagnostic: &mut Diagnostic, frames: &[Frame], first_user_file: u32) {
    let calls: Vec<&Call> = frames
        .iter()
        .rev()
        .filter_map(|frame| if let Frame::Call(call) = frame { Some(call) } else { None })
        .collect();
    let in_library = |span: Span| span.file.0 < first_user_file;
    if in_library(diagnostic.span()) {
        let outside = calls.iter().position(|call| !in_library(call_span(call)));
        if let Some(at) = outside {
            let inner = at.checked_sub(1).map(|inner| calls[inner]).or(calls.first().copied());
            if let Some(name) = inner.and_then(|call| lambda(call).name) {
                diagnostic.notes.push(format!("raised inside `{name}` of the library"));
            }
            diagnostic.labels[0].span = call_span(calls[at]);
        }
    }
    for (i, call) in calls.iter().enumerate() {
        let span = calls.get(i + 1).map_or(lambda(call).span, |caller| call_span(caller));
        let entry = Trace { span, text: describe(lambda(call)) };
        if in_library(span) || diagnostic.trace.last() == Some(&entry) {
            continue;
        }
        if diagnostic.trace.len() == SHOWN {
            break;
        }
        diagnostic.trace.push(entry);
    }
}

fn lambda(call: &Call) -> &Lambda {
    call.code.lambda(call.member)
}

/// Where a call stands at the moment.
fn call_span(call: &Call) -> Span {
    call.current_span()
}

fn describe(lambda: &Lambda) -> String {
    let name = lambda.name.map_or("an unnamed function".to_string(), |name| format!("`{name}`"));
    match lambda.role {
        Role::Source => format!("in {name}"),
        Role::Reverse => format!("while differentiating {name}"),
        Role::Backpropagator => format!("in the backpropagator of {name}"),
    }
}
