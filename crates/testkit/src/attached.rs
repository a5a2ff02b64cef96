//! Right rules attached to random functions of random programs: with and without them every derivative must be the same.
//!
//! In: a seed. Out: a program, the same program with rules, and every mode of orders 1 to 3 in which some engine answers otherwise with the rules. A
//! rule here is a copy of the function that `J` or `linearize` differentiates, so it is right whatever the function is: recursive,
//! of data, of functions, to functions. Rules are attached one after the other, so that some stand inside others.

mod compare;
mod templates;

use std::collections::{BTreeMap, BTreeSet};

use syntax::ast::{Expr, Statement};
use syntax::{NodeId, Tree, parse};

use crate::generate::{self, Program};
use crate::{Random, ordinary};
use templates::{NAMED, Template, UNNAMED};

pub use compare::{Tally, compare};

/// A program, and the same one with rules.
pub struct Pair {
    pub plain: Program,
    pub ruled: String,
    /// Which kinds of rules were attached, by their names.
    pub kinds: Vec<&'static str>,
}

/// The most rules that are attached to one program: each doubles the function that it belongs to.
const MOST_RULES: usize = 3;

/// The program of a seed, with rules.
pub fn generate(seed: u64) -> Pair {
    let plain = if seed.is_multiple_of(2) { generate::generate(seed) } else { ordinary::generate(seed) };
    let mut random = Random::new(seed ^ 0x51de_ca4e);
    let (mut ruled, mut kinds) = (plain.source(), vec![]);
    for number in 0..1 + random.below(MOST_RULES) {
        let sites = sites(&ruled, &plain.definitions);
        if sites.is_empty() {
            break;
        }
        let site = random.pick(&sites);
        let templates = if site.name.is_some() { NAMED } else { UNNAMED };
        let template = random.pick(templates);
        ruled.replace_range(site.span.clone(), &site.with_rule(template, number));
        kinds.push(template.name);
    }
    Pair { plain, ruled, kinds }
}

/// A function that may get a rule.
struct Site {
    span: std::ops::Range<usize>,
    /// `(x, y) => x * y`, or `fn f(x, y) = x * y`
    text: String,
    /// What it is called, if it is a `fn`.
    name: Option<String>,
}

impl Site {
    /// The text that stands for the function: it, with a rule.
    fn with_rule(&self, template: &Template, number: usize) -> String {
        let copy = format!("copy{number}");
        let text = &self.text;
        // A recursive function's copy calls itself, so it keeps the name.
        let (copied, called) = match &self.name {
            Some(name) => (text.clone(), name.as_str()),
            None => (format!("let {copy} = {text}"), copy.as_str()),
        };
        let mut rule = template.text.replace("COPIED", &copied).replace("COPY", called).replace("TEXT", text);
        for name in ["at", "value", "pull", "push", "dx", "dc", "dy"] {
            rule = rule.replace(&format!("@{name}"), &format!("{name}{number}_"));
        }
        rule
    }
}

/// The functions that may get a rule, of those that the program's own definitions use.
fn sites(text: &str, definitions: &str) -> Vec<Site> {
    let tree = parse(base::FileId(0), text);
    let mentioned: BTreeSet<String> = names(&parse(base::FileId(0), definitions), 0..definitions.len()).collect();
    let ruled: BTreeSet<Vec<NodeId>> = tree.ids().filter_map(|id| ruled_parameters(&tree, id)).collect();
    let calls = calls_between(&tree);
    let mut sites = vec![];
    for id in tree.ids() {
        let span = tree.span(id);
        let span = span.start as usize..span.end as usize;
        let name = match (tree.statement(id), tree.expr(id)) {
            (Statement::Fn(function), _) if function.rules.is_empty() => {
                let name = function.name.name.to_string();
                if !mentioned.contains(&name) || in_a_circle(&calls, &name) {
                    continue;
                }
                Some(name)
            }
            (_, Expr::Lambda { params, rules, .. }) if rules.is_empty() && !ruled.contains(&params) => None,
            _ => continue,
        };
        sites.push(Site { text: text[span.clone()].to_string(), span, name });
    }
    sites
}

/// The parameters of a function value that has rules already: the function in its parentheses is a node of its own.
fn ruled_parameters(tree: &Tree, id: NodeId) -> Option<Vec<NodeId>> {
    match tree.expr(id) {
        Expr::Lambda { params, rules, .. } if !rules.is_empty() => Some(params),
        _ => None,
    }
}

/// Which names each `fn` mentions.
fn calls_between(tree: &Tree) -> BTreeMap<String, BTreeSet<String>> {
    let mut calls: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (span, name) in tree.functions() {
        calls.entry(name).or_default().extend(names(tree, span.start as usize..span.end as usize));
    }
    calls
}

/// Does the function call itself by way of another? Its rule would have to say what flows through that one ([`crate::generate`] makes such rules).
fn in_a_circle(calls: &BTreeMap<String, BTreeSet<String>>, name: &str) -> bool {
    let through = |other: &String| other != name && calls.get(other).is_some_and(|mentioned| mentioned.contains(name));
    calls[name].iter().any(through)
}

fn names(tree: &Tree, span: std::ops::Range<usize>) -> impl Iterator<Item = String> {
    let tokens = tree.tokens().iter().filter(move |token| span.contains(&(token.start as usize)));
    let names = tokens.filter(|token| token.kind == syntax::TokenKind::Name);
    names.map(|token| tree.token_text(token).to_string())
}
