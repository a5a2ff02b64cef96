//! Variables get back the names that they would have if nothing else had them.
//!
//! A name may be hidden by an inner one, as in any program, but never where it is still used.

use std::collections::{BTreeMap, BTreeSet};

use crate::read::Names;
use crate::reverse::copy::rename_pattern;
use crate::term::{Arm, Block, CAPTURED, Each, Pattern, Statement, Term, captured_label, name};

/// What each variable in scope is called.
type Chosen = BTreeMap<String, String>;

/// A function whose variables are called as they wish.
pub fn called_as_wished(params: &[Pattern], body: &Term, names: &Names) -> (Vec<Pattern>, Term) {
    let own: Vec<String> = params.iter().flat_map(Pattern::names).collect();
    let chosen = bound(&own, &body.names(), &Chosen::new(), names);
    let params = params.iter().map(|param| rename_pattern(param, &chosen)).collect();
    (params, wished(body, &chosen, names))
}

/// With more variables, whose scope mentions these names.
fn bound(own: &[String], mentioned: &BTreeSet<String>, outer: &Chosen, names: &Names) -> Chosen {
    let called = |name: &String| outer.get(name).unwrap_or(name).clone();
    let mut taken: BTreeSet<String> = mentioned.iter().filter(|name| !own.contains(name)).map(called).collect();
    let mut chosen = outer.clone();
    for variable in own {
        let wish = names.wishes.get(variable).unwrap_or(variable);
        let stem = wish.trim_end_matches('\'');
        let joint = if stem.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
        let mut free = wish.clone();
        let mut number = 0;
        while taken.contains(&free) {
            number += 1;
            free = format!("{stem}{joint}{number}");
        }
        taken.insert(free.clone());
        chosen.insert(variable.clone(), free);
    }
    chosen
}

fn wished(term: &Term, chosen: &Chosen, names: &Names) -> Term {
    match term {
        Term::Field(base, label) if label.starts_with(CAPTURED) => {
            let own = &label[CAPTURED.len_utf8()..];
            Term::Field(
                Box::new(wished(base, chosen, names)),
                captured_label(chosen.get(own).map_or(own, String::as_str)),
            )
        }
        Term::Name(own) => name(chosen.get(own).unwrap_or(own)),
        Term::Lambda(params, body) => {
            let own: Vec<String> = params.iter().flat_map(Pattern::names).collect();
            let inner = bound(&own, &body.names(), chosen, names);
            let params = params.iter().map(|param| rename_pattern(param, &inner)).collect();
            Term::Lambda(params, Box::new(wished(body, &inner, names)))
        }
        Term::Match(of, arms) => {
            let arms = arms.iter().map(|arm| {
                let mut mentioned = arm.body.names();
                mentioned.extend(arm.guard.iter().flat_map(Term::names));
                let inner = bound(&arm.pattern.names(), &mentioned, chosen, names);
                Arm {
                    pattern: rename_pattern(&arm.pattern, &inner),
                    guard: arm.guard.as_ref().map(|guard| wished(guard, &inner, names)),
                    body: wished(&arm.body, &inner, names),
                }
            });
            Term::Match(Box::new(wished(of, chosen, names)), arms.collect())
        }
        Term::Each(each) => comprehension(each, chosen, names),
        Term::Block(block) => in_order(block, chosen, names),
        other => other.map_children(&mut |child| wished(child, chosen, names)),
    }
}

fn comprehension(each: &Each, chosen: &Chosen, names: &Names) -> Term {
    let own: Vec<String> = each.clauses.iter().flat_map(|(pattern, _)| pattern.names()).collect();
    let mut mentioned = each.body.names();
    mentioned.extend(each.filter.iter().flat_map(Term::names));
    mentioned.extend(each.clauses.iter().flat_map(|(_, source)| source.names()));
    let inner = bound(&own, &mentioned, chosen, names);
    Term::Each(Box::new(Each {
        body: wished(&each.body, &inner, names),
        clauses: each
            .clauses
            .iter()
            .map(|(pattern, source)| (rename_pattern(pattern, &inner), wished(source, &inner, names)))
            .collect(),
        filter: each.filter.as_ref().map(|filter| wished(filter, &inner, names)),
    }))
}

fn in_order(block: &Block, chosen: &Chosen, names: &Names) -> Term {
    let functions: Vec<String> = block
        .statements
        .iter()
        .filter_map(|statement| if let Statement::Fn(f, ..) = statement { Some(f.clone()) } else { None })
        .collect();
    let whole = Term::Block(block.clone());
    // Adjacent functions see each other, so their names count from the beginning.
    let mut chosen = bound(&functions, &whole.names(), chosen, names);
    let mut statements = vec![];
    for (at, statement) in block.statements.iter().enumerate() {
        match statement {
            Statement::Let(pattern, term) => {
                let term = wished(term, &chosen, names);
                let rest = Term::Block(Block {
                    statements: block.statements[at + 1..].to_vec(),
                    result: block.result.clone(),
                });
                chosen = bound(&pattern.names(), &rest.names(), &chosen, names);
                statements.push(Statement::Let(rename_pattern(pattern, &chosen), term));
            }
            Statement::Fn(f, params, body) => {
                let own: Vec<String> = params.iter().flat_map(Pattern::names).collect();
                let inner = bound(&own, &body.names(), &chosen, names);
                let params = params.iter().map(|param| rename_pattern(param, &inner)).collect();
                statements.push(Statement::Fn(chosen[f].clone(), params, wished(body, &inner, names)));
            }
            Statement::Comment(text) => statements.push(Statement::Comment(text.clone())),
        }
    }
    Term::Block(Block { statements, result: Box::new(wished(&block.result, &chosen, names)) })
}
