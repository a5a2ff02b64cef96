//! Recursions that return a node which holds the node that their own call returned, taken apart.
//!
//! Every way through such a function ends with a node of the named type at one place of the result: either without another node in it,
//! or there was one call of the function itself, its node is held by the new one, the rest of its result is passed on as it is,
//! and nothing else is done after the call.

use first_order::{Atom, Block, End, Function, FunctionId, NamedId, Op, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use super::layout::mentions;
use crate::deep;
use crate::passes::tail_duplication;
use crate::rewriting::walk::{each_atom, has_blocks};

/// A value as far as it is known how it was made.
#[derive(Clone, PartialEq, Debug)]
pub enum Tree {
    Atom(Atom),
    Struct(Vec<Tree>),
    Inject(u32, Box<Tree>),
    /// A node of the named type.
    Node(Box<Tree>),
    /// The part of the result of the call that is reached by these fields.
    Result(Vec<u32>),
}

/// The end of a way through the function.
pub struct PathEnd<'a> {
    /// Statements that don't need the result of the call.
    pub before: Vec<&'a Statement>,
    /// What the function is called with, if it is.
    pub args: Option<&'a [Atom]>,
    pub value: Tree,
}

impl PathEnd<'_> {
    /// The content of the new node.
    pub fn node(&self) -> &Tree {
        node(&self.value).expect("tapes: a way ends with a node")
    }
}

fn node(tree: &Tree) -> Option<&Tree> {
    match tree {
        Tree::Node(content) => Some(content),
        Tree::Struct(fields) => fields.iter().find_map(node),
        _ => None,
    }
}

/// Can the function be a loop that appends entries?
pub fn fits(id: FunctionId, function: &Function, name: NamedId, content: &Type, total: &dyn Fn(Var) -> bool) -> bool {
    let mut places = vec![];
    places_of(&function.result, name, &mut vec![], &mut places);
    let [place] = &places[..] else { return false };
    let look = Look { vars: &function.vars, name, place, content };
    let mut calls = 0;
    let all = each(&function.body, id, &mut |block| {
        let Some(way) = way(block, id, &function.vars, name, total) else { return false };
        calls += usize::from(way.args.is_some());
        match &way.args {
            Some(_) => look.passes_on(&way.value, &function.result, &mut vec![]),
            None => look.ends(&way.value, place),
        }
    });
    all && calls > 0
}

/// Where a type holds the named type, if not inside of alternatives or arrays; there it counts twice.
fn places_of(of: &Type, name: NamedId, path: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
    match of {
        Type::Named(other) if *other == name => found.push(path.clone()),
        Type::Struct(parts) => {
            for (i, part) in (0..).zip(parts.iter()) {
                path.push(i);
                places_of(part, name, path, found);
                path.pop();
            }
        }
        other if mentions(other, name) => found.extend([path.clone(), path.clone()]),
        _ => {}
    }
}

/// Visits the blocks at the ends of all ways through the function, while they fit. A call elsewhere doesn't.
pub fn each<'a>(block: &'a Block, id: FunctionId, visit: &mut dyn FnMut(&'a Block) -> bool) -> bool {
    let inside = |statement: &Statement| has_blocks(&statement.op) && tail_duplication::calls_inside(&statement.op, id);
    if let Some(last) = last_choice(block) {
        let others = &block.statements[..block.statements.len() - 1];
        if others.iter().any(|one| inside(one) || matches!(&one.op, Op::Call(callee, _) if *callee == id)) {
            return false;
        }
        let mut all = true;
        deep(|| last.op.blocks(&mut |_, block| all = all && each(block, id, visit)));
        return all;
    }
    match block.end {
        End::Never => !tail_duplication::calls(block, id),
        End::Again(_) => false,
        End::Yield(_) => !block.statements.iter().any(inside) && visit(block),
    }
}

/// The choice that gives the block its value.
fn last_choice(block: &Block) -> Option<&Statement> {
    let last = block.statements.last()?;
    let is_value = block.end == End::Yield(Atom::Var(last.var));
    (is_value && matches!(last.op, Op::If(..) | Op::Switch(..))).then_some(last)
}

pub fn way<'a>(
    block: &'a Block,
    id: FunctionId,
    vars: &[Type],
    name: NamedId,
    total: &dyn Fn(Var) -> bool,
) -> Option<PathEnd<'a>> {
    let End::Yield(end) = &block.end else { return None };
    let mut way = PathEnd { before: vec![], args: None, value: Tree::Atom(end.clone()) };
    let mut known: FxHashMap<Var, Tree> = FxHashMap::default();
    // What holds the result of the call, or a new node.
    let mut after: FxHashSet<Var> = FxHashSet::default();
    for statement in &block.statements {
        let var = statement.var;
        if let Op::Call(callee, args) = &statement.op
            && *callee == id
        {
            if way.args.replace(args).is_some() || reads(statement, &after) {
                return None;
            }
            after.insert(var);
            known.insert(var, Tree::Result(vec![]));
            continue;
        }
        let is_node = matches!(statement.op, Op::Box(_)) && vars[var.0 as usize] == Type::Named(name);
        let tree = made(&statement.op, is_node, &known);
        if is_node || reads(statement, &after) {
            after.insert(var);
            known.insert(var, tree?);
            continue;
        }
        if way.args.is_some() && !total(var) {
            return None;
        }
        if let Some(tree) = tree {
            known.insert(var, tree);
        }
        way.before.push(statement);
    }
    way.value = tree_of(end, &known);
    Some(way)
}

fn reads(statement: &Statement, vars: &FxHashSet<Var>) -> bool {
    let mut found = false;
    let mut see = |atom: &Atom| found |= matches!(atom, Atom::Var(var) if vars.contains(var));
    statement.op.atoms(&mut see);
    if has_blocks(&statement.op) {
        deep(|| statement.op.blocks(&mut |_, block| each_atom(block, &mut see)));
    }
    found
}

fn tree_of(atom: &Atom, known: &FxHashMap<Var, Tree>) -> Tree {
    match atom {
        Atom::Var(var) if let Some(tree) = known.get(var) => tree.clone(),
        other => Tree::Atom(other.clone()),
    }
}

/// How an operation that only puts values together or takes them apart makes its value.
fn made(op: &Op, is_node: bool, known: &FxHashMap<Var, Tree>) -> Option<Tree> {
    Some(match op {
        Op::Atom(atom) => tree_of(atom, known),
        Op::Struct(fields) => Tree::Struct(fields.iter().map(|field| tree_of(field, known)).collect()),
        Op::Inject(tag, content) => Tree::Inject(*tag, Box::new(tree_of(content, known))),
        Op::Box(content) if is_node => Tree::Node(Box::new(tree_of(content, known))),
        Op::Field(of, i) => match tree_of(of, known) {
            Tree::Struct(fields) => fields[*i as usize].clone(),
            Tree::Result(mut path) => {
                path.push(*i);
                Tree::Result(path)
            }
            _ => return None,
        },
        _ => return None,
    })
}

struct Look<'a> {
    vars: &'a [Type],
    name: NamedId,
    /// Where the node stands in the result.
    place: &'a [u32],
    content: &'a Type,
}

impl Look<'_> {
    /// Is the value the result of the call as it is, but for a new node that holds the call's?
    fn passes_on(&self, tree: &Tree, of: &Type, path: &mut Vec<u32>) -> bool {
        if path == self.place {
            let Tree::Node(content) = tree else { return false };
            let mut next = 0;
            return self.holds(content, self.content, &mut next) && next == 1;
        }
        match (tree, of) {
            (Tree::Result(from), _) if from == path => !mentions(of, self.name),
            (Tree::Struct(fields), Type::Struct(parts)) => {
                (0..).zip(fields.iter().zip(parts.iter())).all(|(i, (field, part))| {
                    path.push(i);
                    let fits = self.passes_on(field, part, path);
                    path.pop();
                    fits
                })
            }
            (_, Type::Struct(parts)) => parts.is_empty(),
            _ => false,
        }
    }

    /// Are the nodes of this type that the content of a node holds just that of the call?
    fn holds(&self, tree: &Tree, of: &Type, next: &mut usize) -> bool {
        match (tree, of) {
            (Tree::Result(path), Type::Named(other)) if *other == self.name => {
                *next += 1;
                path == self.place
            }
            (Tree::Struct(fields), Type::Struct(parts)) => {
                fields.iter().zip(parts.iter()).all(|(field, part)| self.holds(field, part, next))
            }
            (Tree::Inject(tag, content), Type::Sum(parts)) => self.holds(content, &parts[*tag as usize], next),
            (Tree::Atom(_), _) => !mentions(of, self.name),
            _ => false,
        }
    }

    /// Is there a new node without others at the place?
    fn ends(&self, tree: &Tree, place: &[u32]) -> bool {
        match (tree, place) {
            (Tree::Struct(fields), [first, rest @ ..]) => {
                let mut others = fields.iter().enumerate().filter(|(i, _)| *i != *first as usize);
                others.all(|(_, field)| !self.has_node(field)) && self.ends(&fields[*first as usize], rest)
            }
            (Tree::Node(content), []) => !self.has_node(content),
            _ => false,
        }
    }

    fn has_node(&self, tree: &Tree) -> bool {
        match tree {
            Tree::Atom(Atom::Var(var)) => mentions(&self.vars[var.0 as usize], self.name),
            Tree::Atom(_) => false,
            Tree::Struct(fields) => fields.iter().any(|field| self.has_node(field)),
            Tree::Inject(_, content) => self.has_node(content),
            Tree::Node(_) | Tree::Result(_) => true,
        }
    }
}
