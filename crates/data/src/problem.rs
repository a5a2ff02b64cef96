//! What is wrong with a file of data, and where.

use std::ops::Range;

/// What is wrong with a file of data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// One sentence.
    pub message: String,
    /// The bytes it is about, in a file that is text.
    pub at: Option<Range<usize>>,
    /// What was expected, what was found.
    pub notes: Vec<String>,
    /// What to try.
    pub help: Vec<String>,
}

impl Problem {
    pub fn new(message: impl Into<String>) -> Problem {
        Problem { message: message.into(), at: None, notes: vec![], help: vec![] }
    }

    pub fn at(mut self, place: Range<usize>) -> Problem {
        self.at = Some(place);
        self
    }

    pub fn note(mut self, text: impl Into<String>) -> Problem {
        self.notes.push(text.into());
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Problem {
        self.help.push(text.into());
        self
    }

    pub fn err<T>(self) -> Result<T, Problem> {
        Err(self)
    }
}

/// The text that the bytes are, without the mark that some programs put before UTF-8.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, Problem> {
    let encoding = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        _ => None,
    };
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let found =
            encoding.map_or(format!("byte {at} is 0x{:02x}", bytes[at]), |name| format!("it looks like {name}"));
        let line = bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        Problem::new("the file isn't UTF-8 text")
            .note(format!("{found}, on line {line}"))
            .help("save it with UTF-8 encoding")
    })
}
