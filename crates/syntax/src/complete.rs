//! Whether a prompt should read another line before it parses.

use base::FileId;

use crate::brackets::match_brackets;
use crate::lexer::{Token, TokenKind, lex};
use crate::parser::precedence;

/// False while a bracket or a string is open, or the text ends in what must be followed: an operator, `=`, `=>`, `,`.
pub fn is_complete(text: &str) -> bool {
    let (tokens, _) = lex(FileId::default(), text);
    let (significant, stray) = match_brackets(FileId::default(), text, &tokens);
    if !stray.is_empty() {
        return true; // no further line can mend it
    }
    let open = significant.iter().any(|token| {
        token.kind.closer().is_some() && !token.closed && !is_closer(significant[token.end as usize].kind)
    });
    let last = significant.iter().rev().nth(1).map_or(TokenKind::End, |token| token.kind);
    !open && !ends_in_string(&tokens) && !must_be_followed(last)
}

/// The lexer closes a string at the end of its line with an empty token.
fn ends_in_string(tokens: &[Token]) -> bool {
    tokens.last().is_some_and(|last| last.kind == TokenKind::StringEnd && last.is_empty())
}

fn is_closer(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::RightParen | TokenKind::RightBracket | TokenKind::RightBrace)
}

fn must_be_followed(kind: TokenKind) -> bool {
    use TokenKind::*;
    let sign = matches!(kind, Comma | Colon | Dot | Equals | Arrow | Bar | Bang);
    let word = matches!(kind, Fn | Let | If | Else | Match | For | In | With);
    sign || word || precedence(kind, "").is_some()
}
