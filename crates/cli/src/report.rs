//! Diagnostics on standard error. What they say is the library's business ([`evert::report`]).

use base::{Diagnostic, Sources};
use evert::Session;
pub use evert::report::{Remark, all, hint, place, render};

use crate::terminal::Terminal;

/// Writes the warnings about what was loaded on standard error, each once.
pub fn warnings(terminal: &Terminal, session: &mut Session) {
    let warnings = std::mem::take(&mut session.warnings);
    if !warnings.is_empty() {
        report(terminal, &session.sources, &warnings);
    }
}

/// Writes diagnostics on standard error, and at the end where to read more.
pub fn report(terminal: &Terminal, sources: &Sources, diagnostics: &[Diagnostic]) {
    terminal.error_text(&all(sources, diagnostics, terminal.err));
    terminal.error_text(&hint(diagnostics));
}
