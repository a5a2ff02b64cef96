//! A program's text in colour, for the prompt.

use base::FileId;
use syntax::{Token, TokenKind};

use crate::terminal::{Paint, Tone};

/// Words that mean something only in their place.
const CONTEXTUAL: [&str; 8] = ["type", "import", "as", "test", "reverse", "forward", "transpose", "approximate"];

/// The text with colours; the bracket at the cursor and its partner stand out.
pub fn highlight(text: &str, cursor: usize) -> String {
    let tree = syntax::parse(FileId::default(), text);
    let pair = matching(tree.tokens(), cursor);
    let mut out = String::with_capacity(2 * text.len());
    for token in tree.tokens() {
        let tone = if pair.contains(&Some(token.start)) { Some(Tone::Bracket) } else { tone(&tree, token) };
        let text = tree.token_text(token);
        match tone {
            Some(tone) => out.push_str(&Paint::Colour.paint(tone, text)),
            None => out.push_str(text),
        }
    }
    out
}

fn tone(tree: &syntax::Tree, token: &Token) -> Option<Tone> {
    use TokenKind::*;
    match token.kind {
        Fn | Let | If | Else | Match | For | In | With | Lambda | Arrow | Attach => Some(Tone::Keyword),
        Name if CONTEXTUAL.contains(&tree.token_text(token)) && begins_line(tree.text(), token) => Some(Tone::Keyword),
        Int | Real | True | False => Some(Tone::Number),
        StringStart | StringChunk | StringEnd => Some(Tone::Text),
        Comment | DocComment | Expectation => Some(Tone::Comment),
        BadNumber | Foreign | Unknown => Some(Tone::Error),
        _ => None,
    }
}

fn begins_line(text: &str, token: &Token) -> bool {
    let before = &text[..token.start as usize];
    before.rsplit('\n').next().is_none_or(|line| line.trim().is_empty())
}

/// Where the bracket at (or just before) the cursor and the one that belongs to it start.
fn matching(tokens: &[Token], cursor: usize) -> [Option<u32>; 2] {
    let touches = |token: &Token| token.start as usize == cursor || token.end as usize == cursor;
    let mut open: Vec<&Token> = vec![];
    for token in tokens {
        if token.kind.closer().is_some() {
            open.push(token);
        } else if let Some(opener) = open.pop_if(|opener| opener.kind.closer() == Some(token.kind)) {
            let is_bracket = !matches!(token.kind, TokenKind::StringEnd | TokenKind::InterpolationEnd);
            if is_bracket && (touches(token) || touches(opener)) {
                return [Some(opener.start), Some(token.start)];
            }
        }
    }
    [None, None]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_colour(text: &str) -> String {
        let mut out = String::new();
        for (at, piece) in text.split("\x1b[").enumerate() {
            out.push_str(if at == 0 { piece } else { piece.split_once('m').map_or("", |(_, rest)| rest) });
        }
        out
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        for text in ["let x = 1 // one", "\"a {x} b", "f([1, 2)", "", "§ λ\t\0", "fn f(x) = x\n  reverse x => 1"] {
            for cursor in 0..=text.len() {
                assert_eq!(without_colour(&highlight(text, cursor)), text);
            }
        }
    }

    #[test]
    fn the_partner_of_a_bracket_is_found() {
        let tree = syntax::parse(FileId::default(), "f(a[1])");
        assert_eq!(matching(tree.tokens(), 7), [Some(1), Some(6)]);
        assert_eq!(matching(tree.tokens(), 3), [Some(3), Some(5)]);
        assert_eq!(matching(tree.tokens(), 0), [None, None]);
    }
}
