//! Standard output, standard error and their colours.
//!
//! Without a terminal there is no colour. If nobody reads our output any more, we end quietly.

use std::io::{self, ErrorKind, IsTerminal, Write};

pub use evert::report::{Paint, Tone};

use crate::arguments::Color;

pub struct Terminal {
    /// The colours of standard output.
    pub out: Paint,
    /// The colours of standard error.
    pub err: Paint,
}

impl Terminal {
    pub fn new(color: Color) -> Terminal {
        let wanted = |is_terminal: bool| match color {
            Color::Always => Paint::Colour,
            Color::Never => Paint::Plain,
            Color::Auto if is_terminal && colour_is_welcome() => Paint::Colour,
            Color::Auto => Paint::Plain,
        };
        Terminal { out: wanted(io::stdout().is_terminal()), err: wanted(io::stderr().is_terminal()) }
    }

    /// Writes a line on standard output.
    pub fn line(&self, text: &str) {
        write_out(&format!("{text}\n"));
    }

    /// Writes text that ends its own lines on standard output.
    pub fn text(&self, text: &str) {
        write_out(text);
    }

    /// Writes text that ends its own lines on standard error.
    pub fn error_text(&self, text: &str) {
        // Where there is nobody to complain to, we don't complain.
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Says what is wrong with how we were called.
    pub fn complain(&self, text: &str) {
        self.error_text(&format!("evert: {text}\n"));
    }
}

/// See <https://no-color.org>.
fn colour_is_welcome() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !refused && !dumb
}

pub fn write_out(text: &str) {
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        if error.kind() != ErrorKind::BrokenPipe {
            let _ = writeln!(io::stderr(), "evert: can't write: {error}");
            std::process::exit(1);
        }
        std::process::exit(0);
    }
}
