//! What is wrong with a file of data, as a diagnostic.

use std::ops::Range;

use base::{Diagnostic, Sources, Span, codes};
use data::Problem;

/// Texts up to this size are shown as they are; of larger ones the line alone is kept.
const SMALL: usize = 1 << 22;
/// Longer lines aren't shown.
const LONGEST_LINE: usize = 1 << 20;

/// The diagnostic of a problem with a file, which an import may have asked for.
pub fn describe(sources: &mut Sources, path: &str, bytes: &[u8], problem: Problem, import: Option<Span>) -> Diagnostic {
    let place = problem.at.and_then(|at| locate(sources, path, bytes, at));
    let message = match place {
        Some(_) => problem.message,
        None => format!("{path}: {}", problem.message),
    };
    let span = place.or(import).unwrap_or_else(|| Span::new(sources.add(path, ""), 0, 0));
    let mut diagnostic = Diagnostic::new(codes::BAD_DATA, span, message);
    if let (Some(_), Some(import)) = (place, import) {
        diagnostic = diagnostic.label(import, "imported here");
    }
    let diagnostic = problem.notes.into_iter().fold(diagnostic, Diagnostic::note);
    problem.help.into_iter().fold(diagnostic, Diagnostic::help)
}

/// The place of some bytes of a file of text, which becomes one of the sources.
fn locate(sources: &mut Sources, path: &str, bytes: &[u8], at: Range<usize>) -> Option<Span> {
    if bytes.len() <= SMALL {
        let file = sources.add(path, std::str::from_utf8(bytes).ok()?);
        return Some(Span::new(file, at.start, at.end));
    }
    let start = bytes[..at.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let end = bytes[at.start..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| at.start + length);
    if end - start > LONGEST_LINE {
        return None;
    }
    // Empty lines above keep the number of the line.
    let above = bytes[..start].iter().filter(|byte| **byte == b'\n').count();
    let text = "\n".repeat(above) + std::str::from_utf8(&bytes[start..end]).ok()?;
    let file = sources.add(path, text);
    let place = |offset: usize| above + offset.clamp(start, end) - start;
    Some(Span::new(file, place(at.start), place(at.end)))
}
