//! `evert explain`: the page of an error, by its code.

use base::{Code, codes};

use crate::Status;
use crate::pages::PAGES;
use crate::terminal::{Paint, Terminal, Tone};

pub fn explain(terminal: &Terminal, code: Option<&str>) -> Status {
    let Some(word) = code else {
        codes::ALL.iter().for_each(|(code, title)| terminal.line(&format!("{code}  {title}")));
        return Status::Fine;
    };
    match code_of(word).and_then(page) {
        Some(page) => {
            terminal.text(&painted(page, terminal.out));
            Status::Fine
        }
        None => {
            terminal.complain(&unknown(word));
            Status::WrongUsage
        }
    }
}

/// Reads `E0201`, `e201` or `201`; `W0601` likewise.
pub fn code_of(word: &str) -> Option<Code> {
    let digits = word.strip_prefix(['E', 'e', 'W', 'w']).unwrap_or(word);
    let code = Code(digits.parse().ok()?);
    codes::title(code).map(|_| code)
}

fn page(code: Code) -> Option<&'static str> {
    PAGES.iter().find(|(known, _)| *known == code).map(|(_, page)| *page)
}

fn unknown(word: &str) -> String {
    let digits: String = word.chars().filter(char::is_ascii_digit).collect();
    let number: i64 = digits.parse().unwrap_or(0);
    let distance = |code: Code| (i64::from(code.0) - number).unsigned_abs();
    let nearest = codes::ALL.iter().filter(|_| !digits.is_empty()).min_by_key(|(code, _)| distance(*code));
    match nearest {
        Some((code, title)) => format!("there is no error `{word}`; the nearest is {code}, {title}"),
        None => format!("`{word}` is no code of an error; `evert explain` lists them all"),
    }
}

/// Headings and code stand out; without colour the page is Markdown as it was written.
fn painted(page: &str, paint: Paint) -> String {
    let mut in_code = false;
    let mut line_painted = |line: &str| {
        let is_fence = line.starts_with("```");
        in_code ^= is_fence;
        match () {
            () if is_fence => paint.paint(Tone::Comment, line),
            () if in_code => paint.paint(Tone::Second, line),
            () if line.starts_with('#') => paint.paint(Tone::Strong, line),
            () => line.to_string(),
        }
    };
    page.lines().map(|line| line_painted(line) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_may_be_written_short() {
        for word in ["E0201", "e0201", "E201", "e201", "201", "0201"] {
            assert_eq!(code_of(word), Some(codes::UNBOUND_NAME), "{word}");
        }
        assert_eq!(code_of("E0999"), None);
        assert_eq!(code_of("É"), None);
        assert_eq!(code_of("99999999999"), None);
    }

    #[test]
    fn an_unknown_code_names_the_nearest() {
        assert!(unknown("E0213").contains("E0212"));
        assert!(unknown("hello").contains("lists them all"));
    }
}
