//! Common subexpressions get a name; subexpressions that kept none get a letter.

use std::collections::{BTreeMap, BTreeSet};

use crate::read::Names;
use crate::reverse::bound_names;
use crate::reverse::copy::rename;
use crate::term::{Block, Op, Pattern, Statement, Term, name};

/// Names what is computed twice in a function, and what has no name yet.
pub fn share(params: &[Pattern], body: &Term, names: &mut Names) -> Term {
    let body = common(body, names);
    lettered(params, &body, names)
}

fn common(body: &Term, names: &mut Names) -> Term {
    let Block { mut statements, mut result } = crate::reverse::as_block(body);
    for _ in 0..20 {
        let whole = Term::Block(Block { statements: statements.clone(), result: result.clone() });
        let inner = nested_bound(&statements, &result);
        let Some(found) = largest_repeated(&whole, &inner) else { break };
        let fresh = names.unnamed(crate::kind::Kind::Unknown);
        let mentions = |term: &Term| contains(term, &found);
        let at = statements
            .iter()
            .position(|statement| match statement {
                Statement::Let(_, term) | Statement::Fn(_, _, term) => mentions(term),
                Statement::Comment(_) => false,
            })
            .unwrap_or(statements.len());
        let replaced = |term: &Term| substituted(term, &found, &name(&*fresh));
        statements = statements
            .iter()
            .map(|statement| match statement {
                Statement::Let(pattern, term) => Statement::Let(pattern.clone(), replaced(term)),
                Statement::Fn(f, params, body) => Statement::Fn(f.clone(), params.clone(), replaced(body)),
                Statement::Comment(text) => Statement::Comment(text.clone()),
            })
            .collect();
        *result = replaced(&result);
        // Before the comment of the statement that needs it.
        let at = if at > 0 && matches!(statements[at - 1], Statement::Comment(_)) { at - 1 } else { at };
        statements.insert(at, Statement::Let(Pattern::Name(fresh), found));
    }
    crate::term::block(statements, *result)
}

/// What is bound inside the terms of a block, not by its own statements.
fn nested_bound(statements: &[Statement], result: &Term) -> BTreeSet<String> {
    let mut bound = bound_names(result);
    for statement in statements {
        match statement {
            Statement::Let(_, term) => bound.extend(bound_names(term)),
            Statement::Fn(_, params, body) => {
                bound.extend(params.iter().flat_map(Pattern::names));
                bound.extend(bound_names(body));
            }
            Statement::Comment(_) => {}
        }
    }
    bound
}

fn largest_repeated(whole: &Term, inner: &BTreeSet<String>) -> Option<Term> {
    let mut counts: Vec<(Term, usize)> = vec![];
    count(whole, inner, &mut counts);
    let repeated = counts.into_iter().filter(|(_, times)| *times > 1).map(|(term, _)| term);
    repeated.max_by_key(Term::size)
}

fn count(term: &Term, inner: &BTreeSet<String>, counts: &mut Vec<(Term, usize)>) {
    if is_worth_a_name(term) && term.names().iter().all(|name| !inner.contains(name)) && bound_names(term).is_empty() {
        match counts.iter_mut().find(|(known, _)| known == term) {
            Some((_, times)) => *times += 1,
            None => counts.push((term.clone(), 1)),
        }
    }
    term.each_child(&mut |child| count(child, inner, counts));
}

fn is_worth_a_name(term: &Term) -> bool {
    match term {
        Term::Call(f, args) => {
            !args.is_empty() && !matches!(f.as_name(), Some("len" | "zero" | "shape" | "ones" | "iota"))
        }
        Term::Op(Op::Divide | Op::Power | Op::MatMul, ..) => true,
        Term::Op(Op::Range, ..) => false,
        Term::Op(..) => term.size() >= 5,
        Term::With(..) => true,
        _ => false,
    }
}

fn contains(term: &Term, part: &Term) -> bool {
    if term == part {
        return true;
    }
    let mut found = false;
    term.each_child(&mut |child| found = found || contains(child, part));
    found
}

fn substituted(term: &Term, part: &Term, by: &Term) -> Term {
    if term == part { by.clone() } else { term.map_children(&mut |child| substituted(child, part, by)) }
}

/// Letters for what has no name.
fn lettered(params: &[Pattern], body: &Term, names: &mut Names) -> Term {
    let mut taken: BTreeSet<String> = body.names();
    taken.extend(bound_names(body));
    taken.extend(params.iter().flat_map(Pattern::names));
    let mut order = vec![];
    unnamed_in_order(body, &mut order);
    let mut letters: BTreeMap<String, String> = BTreeMap::new();
    let mut free = ["y", "z", "u", "v", "w", "p", "q", "r", "s", "t"].map(str::to_string).into_iter();
    let mut number = 0;
    for unnamed in order {
        let letter = free.by_ref().find(|letter| !taken.contains(letter)).unwrap_or_else(|| {
            loop {
                number += 1;
                let letter = format!("t{number}");
                if !taken.contains(&letter) {
                    break letter;
                }
            }
        });
        names.used.insert(letter.clone());
        taken.insert(letter.clone());
        letters.insert(unnamed, letter);
    }
    rename(body, &letters)
}

fn unnamed_in_order(term: &Term, order: &mut Vec<String>) {
    let mut note = |bound: Vec<String>| {
        for name in bound.into_iter().filter(|name| name.starts_with('%')) {
            if !order.contains(&name) {
                order.push(name);
            }
        }
    };
    match term {
        Term::Lambda(params, _) => note(params.iter().flat_map(Pattern::names).collect()),
        Term::Match(_, arms) => note(arms.iter().flat_map(|arm| arm.pattern.names()).collect()),
        Term::Each(each) => note(each.clauses.iter().flat_map(|(pattern, _)| pattern.names()).collect()),
        Term::Block(block) => note(
            block
                .statements
                .iter()
                .flat_map(|statement| match statement {
                    Statement::Let(pattern, _) => pattern.names(),
                    Statement::Fn(_, params, _) => params.iter().flat_map(Pattern::names).collect(),
                    Statement::Comment(_) => vec![],
                })
                .collect(),
        ),
        _ => {}
    }
    term.each_child(&mut |child| unnamed_in_order(child, order));
}
