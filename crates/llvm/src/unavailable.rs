//! Why no LLVM was found: every file and folder that was tried, and what spoke against it, in words for a user.
//!
//! A verdict on a library also has a one-line form, in which a child process reports it and the cache keeps it.

use crate::ffi::{OLDEST, OpenError};
use std::fmt;
use std::path::PathBuf;

/// No usable LLVM: what was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// The files and folders, in the order of the search.
    pub tried: Vec<Rejected>,
}

/// A file or folder and why it is no LLVM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Where it is.
    pub path: PathBuf,
    /// What speaks against it.
    pub why: Why,
}

/// What speaks against a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// `EVERT_LLVM` is `none`.
    SwitchedOff,
    /// `EVERT_TIER` or `EVERT_CPU` asks for what there isn't.
    BadSetting(String),
    /// There is no such file, or no LLVM in the folder.
    NotFound,
    /// The file isn't a shared library for this machine, but for example a linker script.
    NotALibrary(String),
    /// The loader refuses it.
    CannotLoad(String),
    /// Its version is older than what is needed.
    TooOld(String),
    /// It lacks a function.
    MissingSymbol(String),
    /// It doesn't do what it should.
    FailedSelfTest(String),
    /// Somebody else could have put it there.
    Untrusted(String),
}

impl Why {
    /// The word of the one-line form and its detail.
    fn parts(&self) -> (&'static str, &str) {
        match self {
            Why::SwitchedOff => ("switched-off", ""),
            Why::BadSetting(detail) => ("bad-setting", detail),
            Why::NotFound => ("not-found", ""),
            Why::NotALibrary(detail) => ("not-a-library", detail),
            Why::CannotLoad(detail) => ("cannot-load", detail),
            Why::TooOld(detail) => ("too-old", detail),
            Why::MissingSymbol(detail) => ("missing-symbol", detail),
            Why::FailedSelfTest(detail) => ("failed-self-test", detail),
            Why::Untrusted(detail) => ("untrusted", detail),
        }
    }
}

/// A verdict in one line.
pub(crate) fn verdict_to_line(verdict: &Result<(), Why>) -> String {
    match verdict {
        Ok(()) => "usable".into(),
        Err(why) => {
            let (word, detail) = why.parts();
            format!("{word} {}", detail.replace(['\n', '\r'], " "))
        }
    }
}

/// The verdict that a line holds, if it holds one.
pub(crate) fn verdict_of_line(line: &str) -> Option<Result<(), Why>> {
    let (word, detail) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
    let detail = detail.to_string();
    Some(Err(match word {
        "usable" => return Some(Ok(())),
        "switched-off" => Why::SwitchedOff,
        "bad-setting" => Why::BadSetting(detail),
        "not-found" => Why::NotFound,
        "not-a-library" => Why::NotALibrary(detail),
        "cannot-load" => Why::CannotLoad(detail),
        "too-old" => Why::TooOld(detail),
        "missing-symbol" => Why::MissingSymbol(detail),
        "failed-self-test" => Why::FailedSelfTest(detail),
        "untrusted" => Why::Untrusted(detail),
        _ => return None,
    }))
}

impl From<OpenError> for Why {
    fn from(error: OpenError) -> Why {
        match error {
            OpenError::CannotLoad(reason) => Why::CannotLoad(reason),
            OpenError::TooOld(version) => Why::TooOld(version),
            OpenError::MissingSymbol(symbol) => Why::MissingSymbol(symbol),
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Why::SwitchedOff => write!(f, "switched off by EVERT_LLVM=none"),
            Why::NotFound => write!(f, "no LLVM there"),
            Why::NotALibrary(what) => write!(f, "not a shared library: {what}"),
            Why::BadSetting(wrong) => f.write_str(wrong),
            Why::CannotLoad(reason) => write!(f, "can't be loaded: {reason}"),
            Why::TooOld(version) => write!(f, "LLVM {version} is too old, {OLDEST} or later is needed"),
            Why::MissingSymbol(symbol) => write!(f, "lacks the function {symbol}"),
            Why::FailedSelfTest(reason) => write!(f, "failed its self-test: {reason}"),
            Why::Untrusted(what) => write!(f, "not trusted: {what}; EVERT_LLVM can name it all the same"),
        }
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.tried.as_slice() {
            [Rejected { why: why @ Why::SwitchedOff, .. }] => return write!(f, "LLVM is {why}"),
            [Rejected { why: Why::BadSetting(wrong), .. }] => return f.write_str(wrong),
            _ => {}
        }
        write!(f, "no usable LLVM was found")?;
        for Rejected { path, why } in &self.tried {
            write!(f, "\n  {}: {why}", path.display())?;
        }
        Ok(())
    }
}

impl std::error::Error for Unavailable {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_survive_their_line() {
        let why = [
            Why::SwitchedOff,
            Why::BadSetting("EVERT_CPU is `z80`".into()),
            Why::NotFound,
            Why::NotALibrary("a linker script".into()),
            Why::CannotLoad("x y".into()),
            Why::TooOld("14.0.6".into()),
            Why::MissingSymbol("LLVMGetVersion".into()),
            Why::FailedSelfTest("signal: 6".into()),
            Why::Untrusted("others may write to it".into()),
        ];
        for verdict in why.into_iter().map(Err).chain([Ok(())]) {
            assert_eq!(verdict_of_line(&verdict_to_line(&verdict)), Some(verdict));
        }
        assert_eq!(verdict_of_line("gibberish"), None);
    }
}
