//! The parts of all seeds, to splice from.

use std::collections::HashSet;

use syntax::TokenKind;

use crate::outline::{Place, outline};
use crate::seeds;

pub struct Pool {
    pub statements: Vec<String>,
    pub exprs: Vec<String>,
    pub patterns: Vec<String>,
    /// What the library calls things, and what the seeds do.
    pub names: Vec<String>,
}

impl Pool {
    pub fn load() -> Pool {
        let [mut statements, mut exprs, mut patterns, mut names] = [(); 4].map(|()| Distinct::default());
        for text in seeds::files() {
            let Some((tree, outline)) = outline(&text) else { continue };
            let part = |place: &Place| text[place.clone()].to_string();
            outline.top_level.iter().chain(&outline.inner).for_each(|place| statements.add(part(place), 400));
            outline.exprs.iter().for_each(|place| exprs.add(part(place), 120));
            outline.patterns.iter().for_each(|place| patterns.add(part(place), 40));
            let words = tree.tokens().iter().filter(|token| token.kind == TokenKind::Name);
            words.for_each(|token| names.add(tree.token_text(token).to_string(), 20));
        }
        let known = crate::claims::with_session(|session| {
            session.names().map(|(name, _)| name.to_string()).collect::<Vec<String>>()
        });
        names.list.retain(|name| known.contains(name));
        Pool { statements: statements.list, exprs: exprs.list, patterns: patterns.list, names: names.list }
    }
}

#[derive(Default)]
struct Distinct {
    list: Vec<String>,
    seen: HashSet<String>,
}

impl Distinct {
    fn add(&mut self, text: String, longest: usize) {
        if text.len() <= longest && self.seen.insert(text.clone()) {
            self.list.push(text);
        }
    }
}
