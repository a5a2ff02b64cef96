//! Choices in the bodies of `tabulate`s give less: what an alternative holds though it is next to nothing to compute from outside of the choice is put into it
//! behind the choice.
//!
//! `v = if c { … inject 0 {n, i, x} } else { … inject 1 {} }`, where `n` and `i` are known around it, becomes `w = if c { … inject 0 {x} } else { … inject 1
//! {} }` and `v = switch w { {x} => inject 0 {n, i, x}, {} => inject 1 {} }`. Each alternative is made by one arm, so what is computed again in
//! its place has succeeded once. A plan may then store `w` in place of `v`; where none does, `simplify` would undo it.
//!
//! (A branch in a comprehension makes a backpropagator for each of its sides: lengths and indices in every element.)

use base::Span;
use first_order::{Atom, Block, End, Function, Op, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analyses::cost;
use crate::deep;
use crate::rewriting::copy::Copier;
use crate::rewriting::walk::{blocks_mut, each_op};

/// What computing the parts of one choice again may cost, and one of them.
const ALL: u32 = cost::CHEAP - 2;
const ONE: u32 = 2;

/// Makes the choices of a function narrower; the variables that are put together from narrower ones.
pub fn narrow(function: &mut Function) -> FxHashSet<Var> {
    let Function { vars, body, .. } = function;
    let mut narrow = Narrow { vars, rebuilt: FxHashSet::default() };
    narrow.block(body);
    narrow.rebuilt
}

/// Is there a choice that could be?
pub fn applies(function: &Function) -> bool {
    let mut found = false;
    each_op(&function.body, &mut |_, op| {
        if let Op::Tabulate { body, .. } = op {
            found |= body
                .statements
                .iter()
                .any(|statement| arms(&statement.op).is_some() && has_sum(&function.vars[statement.var.0 as usize]));
        }
    });
    found
}

struct Narrow<'a> {
    vars: &'a mut Vec<Type>,
    rebuilt: FxHashSet<Var>,
}

/// How an arm puts its value together.
#[derive(Clone)]
struct Tree {
    atom: Atom,
    kind: Form,
}

#[derive(Clone)]
enum Form {
    Leaf,
    Struct(Vec<Tree>),
    Inject(u32, Box<Tree>),
}

/// What becomes of a part of what a choice gives.
enum Shape {
    /// It stays.
    Same,
    Struct(Vec<Shape>),
    /// A sum: what each alternative still holds. One arm makes it.
    Narrower(Vec<Alternative>),
}

struct Alternative {
    kept: Vec<(Atom, Type)>,
    /// The statements of the arm that compute the rest.
    slice: Vec<Statement>,
    /// What it held.
    content: Tree,
}

/// What is known around the arms of a choice.
struct Around<'b> {
    /// All that is bound in the body.
    bound: &'b FxHashSet<Var>,
    /// The statements of the body before the choice.
    ops: FxHashMap<Var, &'b Op>,
}

impl Narrow<'_> {
    fn block(&mut self, block: &mut Block) {
        for statement in &mut block.statements {
            deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block)));
            if let Op::Tabulate { index, body, .. } = &mut statement.op {
                self.body(*index, body);
            }
        }
    }

    fn body(&mut self, index: Var, body: &mut Block) {
        let mut bound = FxHashSet::default();
        each_op(body, &mut |var, op| {
            bound.insert(var);
            op.blocks(&mut |vars, _| bound.extend(vars.iter().copied()));
        });
        bound.remove(&index);
        let mut out: Vec<Statement> = vec![];
        for statement in std::mem::take(&mut body.statements) {
            let shape = {
                let ops = out.iter().map(|statement| (statement.var, &statement.op)).collect();
                self.shape_of(&statement, &Around { bound: &bound, ops })
            };
            match shape {
                Some(shape) => self.split(statement, &shape, &mut out),
                None => out.push(statement),
            }
        }
        body.statements = out;
    }

    /// What a choice gives that is less than it did, if it is one.
    fn shape_of(&self, statement: &Statement, around: &Around) -> Option<Shape> {
        let of = &self.vars[statement.var.0 as usize];
        let arms = arms(&statement.op)?;
        if !has_sum(of) {
            return None;
        }
        let trees = arms.iter().copied().map(tree_of).collect::<Option<Vec<Tree>>>()?;
        let shape = self.shape(of, &trees.iter().collect::<Vec<_>>(), &arms, around);
        is_narrower(&shape).then_some(shape)
    }

    fn shape(&self, of: &Type, trees: &[&Tree], arms: &[&Block], around: &Around) -> Shape {
        match of {
            Type::Struct(types) => {
                let mut fields = vec![];
                for tree in trees {
                    let Form::Struct(parts) = &tree.kind else { return Shape::Same };
                    fields.push(parts);
                }
                let each = types.iter().enumerate().map(|(at, of)| {
                    let parts: Vec<&Tree> = fields.iter().map(|parts| &parts[at]).collect();
                    deep(|| self.shape(of, &parts, arms, around))
                });
                Shape::Struct(each.collect())
            }
            Type::Sum(types) if types.len() == trees.len() => self.sum(trees, arms, around).unwrap_or(Shape::Same),
            _ => Shape::Same,
        }
    }

    /// A sum each of whose alternatives is made by one arm.
    fn sum(&self, trees: &[&Tree], arms: &[&Block], around: &Around) -> Option<Shape> {
        let mut found: Vec<Option<Alternative>> = trees.iter().map(|_| None).collect();
        let (mut left, mut saves) = (ALL, false);
        for (arm, tree) in trees.iter().enumerate() {
            let Form::Inject(alternative, content) = &tree.kind else { return None };
            let place = &mut found[*alternative as usize];
            if place.is_some() {
                return None;
            }
            let mut leaves = vec![];
            content.leaves(&mut leaves);
            let ops: FxHashMap<Var, &Op> = arms[arm].statements.iter().map(|of| (of.var, &of.op)).collect();
            let mut again = FxHashSet::default();
            let mut kept: Vec<(Atom, Type)> = vec![];
            for atom in &leaves {
                let Some(cost) = cost_of(atom, &ops, around, &again).filter(|(cost, _)| *cost <= ONE.min(left)) else {
                    if kept.iter().all(|(known, _)| known != *atom) {
                        kept.push(((*atom).clone(), self.type_of(atom)));
                    }
                    continue;
                };
                left -= cost.0;
                again.extend(cost.1);
            }
            saves |= kept.len() < leaves.len();
            let slice = arms[arm].statements.iter().filter(|of| again.contains(&of.var)).cloned().collect();
            *place = Some(Alternative { kept, slice, content: (**content).clone() });
        }
        let found = found.into_iter().collect::<Option<Vec<Alternative>>>()?;
        saves.then_some(Shape::Narrower(found))
    }

    fn type_of(&self, atom: &Atom) -> Type {
        match atom {
            Atom::Var(var) => self.vars[var.0 as usize].clone(),
            Atom::Unit => Type::unit(),
            Atom::Bool(_) => Type::Bool,
            Atom::Int(_) => Type::Int,
            Atom::Real(_) => Type::Real,
        }
    }

    fn bind(&mut self, of: Type, op: Op, span: Span, out: &mut Vec<Statement>) -> Atom {
        self.vars.push(of);
        let var = Var(self.vars.len() as u32 - 1);
        out.push(Statement { var, op, span });
        Atom::Var(var)
    }

    /// The choice, which gives less now, and behind it what it gave.
    fn split(&mut self, statement: Statement, shape: &Shape, out: &mut Vec<Statement>) {
        let Statement { var, mut op, span } = statement;
        let of = self.vars[var.0 as usize].clone();
        blocks_mut(&mut op, &mut |block| {
            if let Some(tree) = tree_of(block) {
                block.end = End::Yield(self.given(shape, &of, &tree, span, &mut block.statements));
            }
        });
        let choice = self.bind(narrower(shape, &of), op, span, out);
        let op = self.rebuilt(shape, &of, choice, span, out);
        if matches!(op, Op::Switch(..)) {
            self.rebuilt.insert(var);
        }
        out.push(Statement { var, op, span });
    }

    /// What an arm gives now.
    fn given(&mut self, shape: &Shape, of: &Type, tree: &Tree, span: Span, out: &mut Vec<Statement>) -> Atom {
        match (shape, of, &tree.kind) {
            (Shape::Struct(shapes), Type::Struct(types), Form::Struct(parts)) => {
                let each = shapes.iter().zip(types.iter()).zip(parts);
                let parts = each.map(|((shape, of), part)| deep(|| self.given(shape, of, part, span, out))).collect();
                self.bind(narrower(shape, of), Op::Struct(parts), span, out)
            }
            (Shape::Narrower(alternatives), _, Form::Inject(alternative, _)) => {
                let kept = &alternatives[*alternative as usize].kept;
                let parts = kept.iter().map(|(atom, _)| atom.clone()).collect();
                let content = self.bind(held(kept), Op::Struct(parts), span, out);
                self.bind(narrower(shape, of), Op::Inject(*alternative, content), span, out)
            }
            _ => tree.atom.clone(),
        }
    }

    /// What the choice gave, out of what it gives now.
    fn rebuilt(&mut self, shape: &Shape, of: &Type, less: Atom, span: Span, out: &mut Vec<Statement>) -> Op {
        match (shape, of) {
            (Shape::Struct(shapes), Type::Struct(types)) => {
                let mut parts = vec![];
                for (at, (shape, of)) in shapes.iter().zip(types.iter()).enumerate() {
                    let part = self.bind(narrower(shape, of), Op::Field(less.clone(), at as u32), span, out);
                    let op = deep(|| self.rebuilt(shape, of, part, span, out));
                    let is_rebuilt = matches!(op, Op::Switch(..));
                    let part = self.bind(of.clone(), op, span, out);
                    if let (true, Atom::Var(var)) = (is_rebuilt, &part) {
                        self.rebuilt.insert(*var);
                    }
                    parts.push(part);
                }
                Op::Struct(parts)
            }
            (Shape::Narrower(alternatives), Type::Sum(types)) => {
                let arms = alternatives.iter().zip(types.iter()).enumerate();
                let arms = arms.map(|(at, (alternative, content))| self.arm(at as u32, alternative, content, of, span));
                Op::Switch(less, arms.collect())
            }
            _ => Op::Atom(less),
        }
    }

    /// Puts an alternative together.
    fn arm(&mut self, at: u32, alternative: &Alternative, content: &Type, of: &Type, span: Span) -> (Var, Block) {
        self.vars.push(held(&alternative.kept));
        let given = Var(self.vars.len() as u32 - 1);
        let mut statements = vec![];
        let mut map = FxHashMap::default();
        for (field, (atom, ty)) in alternative.kept.iter().enumerate() {
            let part = self.bind(ty.clone(), Op::Field(Atom::Var(given), field as u32), span, &mut statements);
            if let Atom::Var(var) = atom {
                map.insert(*var, part);
            }
        }
        let mut copier = Copier::within(self.vars);
        copier.map = map;
        statements.extend(alternative.slice.iter().map(|statement| copier.statement(statement)));
        let map = std::mem::take(&mut copier.map);
        let content = self.whole(&alternative.content, content, &map, span, &mut statements);
        let value = self.bind(of.clone(), Op::Inject(at, content), span, &mut statements);
        (given, Block { statements, end: End::Yield(value) })
    }

    fn whole(
        &mut self,
        tree: &Tree,
        of: &Type,
        map: &FxHashMap<Var, Atom>,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Atom {
        match (&tree.kind, of) {
            (Form::Struct(parts), Type::Struct(types)) => {
                let each = parts.iter().zip(types.iter());
                let parts = each.map(|(part, of)| deep(|| self.whole(part, of, map, span, out))).collect();
                self.bind(of.clone(), Op::Struct(parts), span, out)
            }
            (Form::Inject(at, content), Type::Sum(types)) => {
                let content = deep(|| self.whole(content, &types[*at as usize], map, span, out));
                self.bind(of.clone(), Op::Inject(*at, content), span, out)
            }
            _ => match &tree.atom {
                Atom::Var(var) => map.get(var).unwrap_or(&tree.atom).clone(),
                constant => constant.clone(),
            },
        }
    }
}

/// The arms of a choice that all give a value.
fn arms(op: &Op) -> Option<Vec<&Block>> {
    let arms: Vec<&Block> = match op {
        Op::If(_, then, otherwise) => vec![then, otherwise],
        Op::Switch(_, arms) => arms.iter().map(|(_, arm)| arm).collect(),
        _ => return None,
    };
    arms.iter().all(|arm| matches!(arm.end, End::Yield(_))).then_some(arms)
}

fn tree_of(arm: &Block) -> Option<Tree> {
    let End::Yield(atom) = &arm.end else { return None };
    let ops = arm.statements.iter().map(|statement| (statement.var, &statement.op)).collect();
    Some(tree(atom, &ops))
}

fn tree(atom: &Atom, ops: &FxHashMap<Var, &Op>) -> Tree {
    let op = if let Atom::Var(var) = atom { ops.get(var) } else { None };
    let kind = match op {
        Some(Op::Struct(parts)) => Form::Struct(parts.iter().map(|part| deep(|| tree(part, ops))).collect()),
        Some(Op::Inject(at, content)) => Form::Inject(*at, Box::new(deep(|| tree(content, ops)))),
        _ => Form::Leaf,
    };
    Tree { atom: atom.clone(), kind }
}

impl Tree {
    fn leaves<'t>(&'t self, leaves: &mut Vec<&'t Atom>) {
        match &self.kind {
            Form::Leaf => leaves.push(&self.atom),
            Form::Struct(parts) => parts.iter().for_each(|part| deep(|| part.leaves(leaves))),
            Form::Inject(_, content) => deep(|| content.leaves(leaves)),
        }
    }
}

/// What computing an atom of an arm from outside of the body costs, and the statements of the arm for it that aren't done `already`.
fn cost_of(
    atom: &Atom,
    arm: &FxHashMap<Var, &Op>,
    around: &Around,
    already: &FxHashSet<Var>,
) -> Option<(u32, FxHashSet<Var>)> {
    let (mut total, mut needed, mut seen) = (0, FxHashSet::default(), FxHashSet::default());
    let mut waiting = vec![atom.clone()];
    while let Some(atom) = waiting.pop() {
        let Atom::Var(var) = atom else { continue };
        if !around.bound.contains(&var) || already.contains(&var) || !seen.insert(var) {
            continue;
        }
        let op = match arm.get(&var) {
            Some(op) => {
                needed.insert(var);
                *op
            }
            None => around.ops.get(&var)?,
        };
        total += match op {
            Op::Atom(_) | Op::Field(..) | Op::Struct(_) | Op::Len(_) | Op::Axis(..) => 0,
            Op::Scalar(scalar, _) => cost::price(*scalar)?,
            _ => return None,
        };
        op.atoms(&mut |atom| waiting.push(atom.clone()));
    }
    Some((total, needed))
}

fn has_sum(of: &Type) -> bool {
    match of {
        Type::Sum(_) => true,
        Type::Struct(parts) => parts.iter().any(|part| deep(|| has_sum(part))),
        _ => false,
    }
}

fn is_narrower(shape: &Shape) -> bool {
    match shape {
        Shape::Same => false,
        Shape::Struct(parts) => parts.iter().any(is_narrower),
        Shape::Narrower(_) => true,
    }
}

/// The type of what a choice gives now.
fn narrower(shape: &Shape, of: &Type) -> Type {
    match (shape, of) {
        (Shape::Struct(shapes), Type::Struct(types)) => {
            Type::Struct(shapes.iter().zip(types.iter()).map(|(shape, of)| deep(|| narrower(shape, of))).collect())
        }
        (Shape::Narrower(alternatives), _) => {
            Type::Sum(alternatives.iter().map(|alternative| held(&alternative.kept)).collect())
        }
        _ => of.clone(),
    }
}

fn held(kept: &[(Atom, Type)]) -> Type {
    Type::Struct(kept.iter().map(|(_, of)| of.clone()).collect())
}
