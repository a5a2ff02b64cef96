//! Standard output, standard error and their colours.
//!
//! Without a terminal there is no colour. If nobody reads our output any more, we end quietly.

use std::io::{self, ErrorKind, IsTerminal, Write};

pub use evert::report::{Paint, Tone};

use crate::progress;

use crate::arguments::Color;

pub struct Terminal {
    /// The colours of standard output.
    pub out: Paint,
    /// The colours of standard error.
    pub err: Paint,
    /// How many columns standard output has, if it is a terminal.
    pub columns: Option<usize>,
}

impl Terminal {
    pub fn new(color: Color) -> Terminal {
        let wanted = |is_terminal: bool| match color {
            Color::Always => Paint::Colour,
            Color::Never => Paint::Plain,
            Color::Auto if is_terminal && colour_is_welcome() => Paint::Colour,
            Color::Auto => Paint::Plain,
        };
        let columns = io::stdout().is_terminal().then(columns);
        Terminal { out: wanted(io::stdout().is_terminal()), err: wanted(io::stderr().is_terminal()), columns }
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
        progress::clear();
        // Where there is nobody to complain to, we don't complain.
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Says what is wrong with how we were called.
    pub fn complain(&self, text: &str) {
        self.error_text(&format!("evert: {text}\n"));
    }
}

/// The width of the terminal; 80 where nobody knows.
fn columns() -> usize {
    // SAFETY: the call fills the structure it is given, which is plain data.
    let size = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        (libc::ioctl(libc::STDOUT_FILENO, libc::TIOCGWINSZ, &raw mut size) == 0).then_some(size)
    };
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(80)
}

/// See <https://no-color.org>.
fn colour_is_welcome() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !refused && !dumb
}

pub fn write_out(text: &str) {
    progress::clear();
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        if error.kind() != ErrorKind::BrokenPipe {
            let _ = writeln!(io::stderr(), "evert: can't write: {error}");
            std::process::exit(1);
        }
        std::process::exit(0);
    }
}
