//! Changes to a program that leave it a program.

use std::cell::OnceCell;
use std::ops::Range;

use libfuzzer_sys::fuzzer_mutate;
use syntax::{TokenKind, Tree};
use testkit::Random;
use testkit::generate::generate;

use crate::outline::{Outline, outline};
use crate::pool::Pool;
use crate::repair::repair;
use crate::templates::*;

/// What should still hold of the changed text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// Nothing: any token may go anywhere.
    Tokens,
    /// It mostly parses.
    Syntax,
    /// Its names are mostly bound.
    Names,
}

thread_local!(static POOL: OnceCell<Pool> = const { OnceCell::new() });

/// A libFuzzer mutator.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32, care: Care) -> usize {
    let mut random = Random::new(u64::from(seed));
    let text = std::str::from_utf8(&data[..size]).ok();
    if text.is_none() || random.chance(3) {
        return fuzzer_mutate(data, size, max_size);
    }
    let text = text.unwrap_or_default();
    let changed = POOL.with(|pool| {
        let pool = pool.get_or_init(Pool::load);
        let mut changed = text.to_string();
        for _ in 0..1 + random.below(3) {
            changed = change(&changed, pool, &mut random, care);
        }
        if care == Care::Names { repair(changed, pool, &mut random) } else { changed }
    });
    if changed.len() > max_size || changed == text {
        return fuzzer_mutate(data, size, max_size);
    }
    data[..changed.len()].copy_from_slice(changed.as_bytes());
    changed.len()
}

pub fn word(choices: &[&'static str], random: &mut Random) -> &'static str {
    choices[random.below(choices.len())]
}

pub fn pick<'a>(choices: &'a [String], random: &mut Random) -> &'a String {
    random.pick(choices)
}

fn change(text: &str, pool: &Pool, random: &mut Random, care: Care) -> String {
    let Some((tree, outline)) = outline(text) else { return soup(text, random) };
    if care == Care::Tokens && random.chance(50) || care == Care::Syntax && random.chance(30) {
        return soup(text, random);
    }
    let mut change = Change { text, tree: &tree, outline: &outline, pool, random };
    change.any().unwrap_or_else(|| format!("{text}\n{}", pick(&pool.statements, random)))
}

/// Puts a token or trivia in some place, or takes a token away.
fn soup(text: &str, random: &mut Random) -> String {
    let tree = syntax::parse(base::FileId(0), text);
    let mut changed = text.to_string();
    if tree.tokens().is_empty() {
        return word(TRIVIA, random).to_string();
    }
    let token = random.pick(tree.tokens());
    let (start, end) = (token.start as usize, token.end as usize);
    match random.below(8) {
        0 => changed.replace_range(start..end, ""),
        1 => changed.replace_range(start..end, word(TRIVIA, random)),
        2 => changed.insert_str(start, word(OPERATORS, random)),
        3 => changed.insert_str(start, &text[start..end]),
        4 => changed.insert_str(start, word(&TRIVIA[..12], random)),
        5 => changed.insert_str(end, word(&TRIVIA[..5], random)),
        _ => changed.insert_str(end, word(TRIVIA, random)),
    }
    changed
}

struct Change<'a> {
    text: &'a str,
    tree: &'a Tree,
    outline: &'a Outline,
    pool: &'a Pool,
    random: &'a mut Random,
}

impl Change<'_> {
    fn any(&mut self) -> Option<String> {
        match self.random.below(100) {
            0..16 => self.expr_by_another(),
            16..22 => self.expr_by_part(),
            22..46 => self.expr_in_template(),
            46..54 => self.leaf(),
            54..62 => self.token(TokenKind::Name, |change| pick(&change.pool.names, change.random).clone()),
            62..66 => self.token(TokenKind::Name, |change| change.own_name()),
            66..72 => self.operator(),
            72..76 => self.number(),
            76..80 => self.pattern(),
            80..84 => self.rule(),
            84..90 => self.insert_statement(),
            90..94 => self.remove_statement(),
            94..96 => self.move_statement(),
            96..99 => self.function(),
            _ => Some(self.random_program()),
        }
    }

    fn replaced(&self, place: Range<usize>, new: &str) -> Option<String> {
        let mut changed = self.text.to_string();
        changed.replace_range(place, new);
        Some(changed)
    }

    fn some_expr(&mut self) -> Option<Range<usize>> {
        (!self.outline.exprs.is_empty()).then(|| self.random.pick(&self.outline.exprs).clone())
    }

    /// An expression from somewhere, as an operand.
    fn other(&mut self) -> String {
        let text = match self.random.below(10) {
            0..3 => word(LEAVES, self.random).to_string(),
            3..4 => word(NUMBERS, self.random).to_string(),
            4..6 => match self.some_expr() {
                Some(place) => self.text[place].to_string(),
                None => "x".into(),
            },
            6..7 => pick(&self.pool.names, self.random).clone(),
            _ => pick(&self.pool.exprs, self.random).clone(),
        };
        operand(&text)
    }

    fn expr_by_another(&mut self) -> Option<String> {
        let (place, other) = (self.some_expr()?, self.other());
        self.replaced(place, &other)
    }

    fn expr_by_part(&mut self) -> Option<String> {
        let place = self.some_expr()?;
        let inside = |part: &&Range<usize>| part.start >= place.start && part.end <= place.end && **part != place;
        let parts: Vec<&Range<usize>> = self.outline.exprs.iter().filter(inside).collect();
        if parts.is_empty() {
            return None;
        }
        let part = operand(&self.text[(*self.random.pick(&parts)).clone()]);
        self.replaced(place, &part)
    }

    fn expr_in_template(&mut self) -> Option<String> {
        let place = self.some_expr()?;
        let template = word(AROUND, self.random);
        let whole = self.filled(template, &self.text[place.clone()]);
        self.replaced(place, &format!("({whole})"))
    }

    fn filled(&mut self, template: &str, hole: &str) -> String {
        let mut filled = String::new();
        for (at, c) in template.char_indices() {
            match c {
                '$' => filled += &operand(hole),
                '@' if template[at..].starts_with("@ @") => filled.push('@'),
                '@' => filled += &self.other(),
                c => filled.push(c),
            }
        }
        filled
    }

    fn leaf(&mut self) -> Option<String> {
        let (place, leaf) = (self.some_expr()?, word(LEAVES, self.random));
        self.replaced(place, &operand(leaf))
    }

    fn token(&mut self, kind: TokenKind, new: impl FnOnce(&mut Self) -> String) -> Option<String> {
        let tokens: Vec<_> = self.tree.tokens().iter().filter(|token| token.kind == kind).collect();
        if tokens.is_empty() {
            return None;
        }
        let token = *self.random.pick(&tokens);
        let new = new(self);
        self.replaced(token.start as usize..token.end as usize, &new)
    }

    fn own_name(&mut self) -> String {
        let names: Vec<_> = self.tree.tokens().iter().filter(|token| token.kind == TokenKind::Name).collect();
        if names.is_empty() {
            "x".into()
        } else {
            self.tree.token_text(names[self.random.below(names.len())]).to_string()
        }
    }

    fn operator(&mut self) -> Option<String> {
        let is_operator = |text: &str| OPERATORS.contains(&text);
        let tokens = self.tree.tokens().iter();
        let tokens: Vec<_> = tokens.filter(|token| is_operator(self.tree.token_text(token))).collect();
        if tokens.is_empty() {
            return None;
        }
        let token = *self.random.pick(&tokens);
        let new = word(OPERATORS, self.random);
        self.replaced(token.start as usize..token.end as usize, new)
    }

    fn number(&mut self) -> Option<String> {
        let kind = if self.random.chance(50) { TokenKind::Int } else { TokenKind::Real };
        self.token(kind, |change| operand(word(NUMBERS, change.random)))
    }

    fn pattern(&mut self) -> Option<String> {
        if self.outline.patterns.is_empty() {
            return None;
        }
        let place = self.random.pick(&self.outline.patterns).clone();
        let new = pick(&self.pool.patterns, self.random).clone();
        self.replaced(place, &new)
    }

    /// A rule clause after a statement or a function value.
    fn rule(&mut self) -> Option<String> {
        let functions: Vec<_> =
            self.outline.top_level.iter().filter(|place| self.text[(*place).clone()].starts_with("fn ")).collect();
        if functions.is_empty() {
            return None;
        }
        let end = self.random.pick(&functions).end;
        let template = word(RULES, self.random);
        let hole = self.other();
        let rule = self.filled(template, &hole);
        self.replaced(end..end, &rule)
    }

    fn insert_statement(&mut self) -> Option<String> {
        let new = pick(&self.pool.statements, self.random).clone();
        let places = if self.random.chance(60) { &self.outline.top_level } else { &self.outline.inner };
        if places.is_empty() {
            return None;
        }
        let at = self.random.pick(places).start;
        self.replaced(at..at, &format!("{new}\n"))
    }

    fn remove_statement(&mut self) -> Option<String> {
        let places = if self.random.chance(60) { &self.outline.top_level } else { &self.outline.inner };
        if places.len() < 2 {
            return None;
        }
        let place = self.random.pick(places).clone();
        self.replaced(place, "")
    }

    fn move_statement(&mut self) -> Option<String> {
        let places = &self.outline.top_level;
        if places.len() < 2 {
            return None;
        }
        let (from, to) = (self.random.pick(places).clone(), self.random.pick(places).start);
        let new = format!("{}\n", &self.text[from]);
        self.replaced(to..to, &new)
    }

    /// A function of one argument, which the target differentiates.
    fn function(&mut self) -> Option<String> {
        let place = self.some_expr()?;
        let (body, name) = (operand(&self.text[place]), self.random.below(10));
        Some(format!("{}\nfn f{name}(x) = {body}\n", self.text))
    }

    fn random_program(&mut self) -> String {
        let program = generate(self.random.bits());
        format!("{}{}(0.7)\n", program.source(), program.entry)
    }
}

/// An expression such that it can stand anywhere.
fn operand(text: &str) -> String {
    let word = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    let bracketed = text.starts_with('(') && text.ends_with(')') && !text[1..text.len() - 1].contains(['(', ')']);
    if word || bracketed { text.into() } else { format!("({text})") }
}
