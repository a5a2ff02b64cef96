//! Where a program calls a function: `f(…)`, or `grad(f)(…)`.

use syntax::{Token, TokenKind, Tree};

/// The texts of the arguments of each call of the function, in order; those of `grad(f)` and its kind first.
pub fn arguments(tree: &Tree, function: &str) -> Vec<String> {
    let trivial = [TokenKind::Whitespace, TokenKind::Newline, TokenKind::Comment, TokenKind::DocComment];
    let tokens: Vec<&Token> = tree.tokens().iter().filter(|token| !trivial.contains(&token.kind)).collect();
    let text = |at: usize| tokens.get(at).map_or("", |token| tree.token_text(token));
    let (mut derived, mut plain) = (vec![], vec![]);
    for at in 0..tokens.len() {
        let is_definition = at > 0 && text(at - 1) == "fn";
        if text(at) != function || is_definition {
            continue;
        }
        if at > 1 && text(at - 1) == "(" && text(at + 1) == ")" {
            derived.extend(inside(tree, &tokens, at + 2));
        }
        plain.extend(inside(tree, &tokens, at + 1));
    }
    derived.extend(plain);
    derived
}

/// The text between the parenthesis at this token and the one that closes it.
fn inside(tree: &Tree, tokens: &[&Token], open: usize) -> Option<String> {
    let text = |token: &Token| tree.token_text(token);
    if text(tokens.get(open)?) != "(" {
        return None;
    }
    let mut depth = 0;
    for token in &tokens[open..] {
        match text(token) {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let text = tree.text()[tokens[open].end as usize..token.start as usize].trim();
            return (!text.is_empty()).then(|| text.to_string());
        }
    }
    None
}
