//! Statements as a person would leave them: nothing unused, no name for what is used once and short, a name for what is used twice.
//!
//! Names of the source stay. The language is pure, so where a value is computed doesn't matter, but how often does: nothing moves into a loop.

mod shared;
mod wished;

use std::collections::BTreeMap;

use crate::read::Names;
use crate::simplify;
use crate::term::{Block, Each, Op, Pattern, Statement, Term, block};

pub use shared::share;
pub use wished::called_as_wished;

/// A sensitivity that is used once keeps its name if it is longer than this.
const SHORT: usize = 16;
/// What it takes to come to an end.
const ROUNDS: usize = 50;

/// The term, tidy.
pub fn tidied(term: &Term, names: &Names) -> Term {
    let mut term = term.clone();
    for _ in 0..ROUNDS {
        let next = round(&term, names);
        if next == term {
            break;
        }
        term = next;
    }
    term
}

/// The values of all subexpressions without a name put where they are used, and all of them once.
pub fn inlined(statements: Vec<Statement>, result: Term) -> Term {
    let mut kept = vec![];
    let mut result = result;
    let mut values: Vec<(String, Term)> = vec![];
    for statement in statements {
        let replaced = |term: &Term| values.iter().fold(term.clone(), |term, (name, value)| term.replace(name, value));
        match statement {
            Statement::Let(Pattern::Name(name), term) if name.starts_with('%') => {
                let term = replaced(&term);
                values.push((name, term));
            }
            Statement::Let(pattern, term) => kept.push(Statement::Let(pattern, replaced(&term))),
            Statement::Fn(name, params, body) => kept.push(Statement::Fn(name, params, replaced(&body))),
            Statement::Comment(_) => {}
        }
    }
    for (name, value) in &values {
        result = result.replace(name, value);
    }
    for _ in 0..values.len() {
        let Some((name, value)) = values.iter().find(|(name, _)| result.names().contains(name)) else { break };
        result = result.replace(name, value);
    }
    block(kept, result)
}

/// A body without statements that only name its parts.
pub fn flattened(term: &Term) -> Term {
    match term {
        Term::Block(Block { statements, result }) => inlined(statements.clone(), (**result).clone()),
        other => other.clone(),
    }
}

/// Arithmetic put together anew.
pub fn simplified(term: &Term) -> Term {
    let inner = term.map_children(&mut simplified);
    match inner {
        Term::Op(Op::Add, a, b) => simplify::add(*a, *b),
        Term::Op(Op::Subtract, a, b) => simplify::sub(*a, *b),
        Term::Op(Op::Multiply, a, b) => simplify::mul(*a, *b),
        Term::Op(Op::Divide, a, b) => simplify::div(*a, *b),
        Term::Neg(a) => simplify::neg(*a),
        Term::Position(of, at) => crate::term::position(*of, at as usize),
        Term::Call(f, args) if f.as_name() == Some("len") => match &args[..] {
            [Term::Each(each)] if each.filter.is_none() && each.clauses.len() == 1 => length(&each.clauses[0].1),
            _ => Term::Call(f, args),
        },
        other => other,
    }
}

/// How many elements a comprehension goes through.
fn length(source: &Term) -> Term {
    match source {
        Term::Op(Op::Range, from, to) => simplify::sub((**to).clone(), (**from).clone()),
        Term::Call(f, args) if f.as_name() == Some("zip") && !args.is_empty() => length(&args[0]),
        Term::Each(each) if each.filter.is_none() && each.clauses.len() == 1 => length(&each.clauses[0].1),
        source => crate::term::call("len", vec![source.clone()]),
    }
}

fn round(term: &Term, names: &Names) -> Term {
    let term = term.map_children(&mut |child| round(child, names));
    match term {
        Term::Block(Block { statements, result }) => tidy_block(statements, *result, names),
        other => other,
    }
}

fn tidy_block(statements: Vec<Statement>, result: Term, names: &Names) -> Term {
    let statements = hoisted(statements);
    let (mut statements, mut result) = match result {
        Term::Block(Block { statements: inner, result }) => ([statements, inner].concat(), *result),
        other => (statements, other),
    };
    drop_unused(&mut statements, &result);
    let mut at = 0;
    while at < statements.len() {
        let Statement::Let(Pattern::Name(name), term) = &statements[at] else {
            at += 1;
            continue;
        };
        let (name, term) = (name.clone(), term.clone());
        let rest = Term::Block(Block { statements: statements[at + 1..].to_vec(), result: Box::new(result.clone()) });
        let uses = uses(&rest, &name, false);
        if !rest.mentions_in_rule(&name) && goes_in(&name, &term, uses, names) {
            let Term::Block(Block { statements: after, result: end }) = put_in(&rest, &name, &term, names) else {
                unreachable!("tidy: a block stays one")
            };
            statements.truncate(at);
            statements.extend(after);
            result = *end;
        } else {
            at += 1;
        }
    }
    drop_unused(&mut statements, &result);
    // What is named only to be given.
    if let Some(Statement::Let(pattern, term)) = statements.last()
        && as_term(pattern).is_some_and(|named| named == result)
    {
        result = term.clone();
        statements.pop();
        while let Some(Statement::Comment(_)) = statements.last() {
            statements.pop();
        }
    }
    block(statements, result)
}

/// The term that a pattern of names looks like.
fn as_term(pattern: &Pattern) -> Option<Term> {
    match pattern {
        Pattern::Name(name) => Some(Term::Name(name.clone())),
        Pattern::Tuple(parts) => Some(Term::Tuple(parts.iter().map(as_term).collect::<Option<_>>()?)),
        _ => None,
    }
}

/// Is it better in the place where it is used?
fn goes_in(name: &str, term: &Term, uses: usize, names: &Names) -> bool {
    let of_source = names.lines.contains_key(name) && !name.starts_with('%');
    match term {
        Term::Lambda(..) => uses == 1 && name.starts_with('%'),
        Term::Ruled(..) => false,
        term if term.is_atom() => true,
        _ if uses != 1 || of_source => false,
        _ if name.starts_with('%') => true,
        Term::If(..) | Term::Match(..) | Term::Block(_) => false,
        term => term.size() <= SHORT,
    }
}

/// Replaces a name and simplifies around it.
fn put_in(rest: &Term, name: &str, term: &Term, names: &Names) -> Term {
    let Term::Block(Block { statements, result }) = rest else { return rest.replace(name, term) };
    let statements = statements.iter().map(|statement| match statement {
        Statement::Let(pattern, value) => {
            let of_source = pattern.names().iter().any(|name| names.lines.contains_key(name));
            let value = value.replace(name, term);
            Statement::Let(pattern.clone(), if of_source { value } else { simplified(&value) })
        }
        Statement::Fn(f, params, body) => Statement::Fn(f.clone(), params.clone(), body.replace(name, term)),
        Statement::Comment(text) => Statement::Comment(text.clone()),
    });
    Term::Block(Block { statements: statements.collect(), result: Box::new(simplified(&result.replace(name, term))) })
}

/// How often a name is used; in a loop more than once.
fn uses(term: &Term, name: &str, in_loop: bool) -> usize {
    match term {
        Term::Name(own) if own == name => {
            if in_loop {
                2
            } else {
                1
            }
        }
        Term::Lambda(_, body) => uses(body, name, true),
        Term::Each(each) => {
            let Each { body, clauses, filter } = &**each;
            let sources: usize =
                clauses.iter().enumerate().map(|(at, (_, source))| uses(source, name, in_loop || at > 0)).sum();
            sources + uses(body, name, true) + filter.iter().map(|filter| uses(filter, name, true)).sum::<usize>()
        }
        Term::Block(Block { statements, result }) => {
            let inside: usize = statements
                .iter()
                .map(|statement| match statement {
                    Statement::Let(_, term) => uses(term, name, in_loop),
                    Statement::Fn(_, _, body) => uses(body, name, true),
                    Statement::Comment(_) => 0,
                })
                .sum();
            inside + uses(result, name, in_loop)
        }
        other => {
            let mut total = 0;
            other.each_child(&mut |child| total += uses(child, name, in_loop));
            total
        }
    }
}

/// Statements inside a value come before it; tuples are bound part by part.
fn hoisted(statements: Vec<Statement>) -> Vec<Statement> {
    let mut out = vec![];
    for statement in statements {
        match statement {
            Statement::Let(pattern, Term::Block(Block { statements, result })) => {
                out.extend(hoisted(statements));
                out.extend(hoisted(vec![Statement::Let(pattern, *result)]));
            }
            Statement::Let(Pattern::Tuple(patterns), Term::Tuple(terms)) if patterns.len() == terms.len() => {
                out.extend(patterns.into_iter().zip(terms).map(|(pattern, term)| Statement::Let(pattern, term)));
            }
            Statement::Let(Pattern::Wild, _) => {}
            other => out.push(other),
        }
    }
    out
}

fn drop_unused(statements: &mut Vec<Statement>, result: &Term) {
    let mut needed: BTreeMap<String, ()> = result.names().into_iter().map(|name| (name, ())).collect();
    let mut kept = vec![];
    for statement in statements.drain(..).rev() {
        match statement {
            Statement::Let(pattern, term) => {
                let pattern = without_unused(&pattern, &needed);
                // What only fails is no derivative.
                if pattern.names().is_empty() {
                    continue;
                }
                needed.extend(term.names().into_iter().map(|name| (name, ())));
                kept.push(Statement::Let(pattern, term));
            }
            Statement::Fn(f, params, body) => {
                if needed.contains_key(&f) {
                    needed.extend(body.names().into_iter().map(|name| (name, ())));
                    kept.push(Statement::Fn(f, params, body));
                }
            }
            Statement::Comment(text) => match kept.last() {
                None | Some(Statement::Comment(_)) => {}
                Some(_) => kept.push(Statement::Comment(text)),
            },
        }
    }
    kept.reverse();
    let mut last = String::new();
    kept.retain(|statement| match statement {
        Statement::Comment(text) => std::mem::replace(&mut last, text.clone()) != *text,
        _ => true,
    });
    *statements = kept;
}

fn without_unused(pattern: &Pattern, needed: &BTreeMap<String, ()>) -> Pattern {
    let all = |parts: &[Pattern]| parts.iter().map(|part| without_unused(part, needed)).collect();
    match pattern {
        Pattern::Name(name) if !needed.contains_key(name) => Pattern::Wild,
        Pattern::Name(_) | Pattern::Wild | Pattern::Literal(_) => pattern.clone(),
        Pattern::Tuple(parts) => Pattern::Tuple(all(parts)),
        Pattern::Array(parts) => Pattern::Array(all(parts)),
        Pattern::Record(fields) => {
            let kept = fields.iter().map(|(label, part)| (label.clone(), without_unused(part, needed)));
            Pattern::Record(kept.filter(|(_, part)| *part != Pattern::Wild).collect())
        }
        Pattern::Variant(name, args) => Pattern::Variant(name.clone(), args.as_ref().map(|args| all(args))),
    }
}
