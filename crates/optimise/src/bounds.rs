//! Readings of elements that nobody needs and that surely succeed are dropped.
//!
//! Reading may fail, so elsewhere it stays even if its value isn't used. Here it is known that an index is in range: it is the index of a
//! `tabulate` or `sum` over the array's length, or it counts up from a constant and was compared with the length. Two lengths are the same
//! if they are the same variable: the one an array was made with, or `len` of it.

use first_order::{Atom, Block, Function, Op, Program, Scalar, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::deep;
use crate::rename::renumber;
use crate::walk::{blocks_mut, count_uses, each_again, has_blocks};

pub fn run(program: &mut Program) {
    program.functions.iter_mut().for_each(function);
}

fn function(function: &mut Function) {
    let uses = count_uses(function);
    let mut facts = Facts { vars: &function.vars, uses, ..Facts::new(&function.vars) };
    facts.block(&mut function.body);
    renumber(function);
}

struct Facts<'a> {
    vars: &'a [Type],
    uses: Vec<u32>,
    /// The lengths that an array is known to have.
    lengths: FxHashMap<Var, Vec<Atom>>,
    /// Variables that aren't negative.
    natural: FxHashSet<Var>,
    /// Numbers that are the same, in the blocks that are open.
    same: Vec<(Atom, Atom)>,
    /// Of a number, which others it is less than, in the blocks that are open.
    less: Vec<(Atom, Atom)>,
    /// Comparisons, by the variable that holds their outcome.
    compared: FxHashMap<Var, (Scalar, Atom, Atom)>,
}

impl<'a> Facts<'a> {
    fn new(vars: &'a [Type]) -> Facts<'a> {
        Facts {
            vars,
            uses: vec![],
            lengths: FxHashMap::default(),
            natural: FxHashSet::default(),
            same: vec![],
            less: vec![],
            compared: FxHashMap::default(),
        }
    }

    fn block(&mut self, block: &mut Block) {
        let (mark, same) = (self.less.len(), self.same.len());
        block.statements.retain_mut(|statement| self.statement(statement.var, &mut statement.op));
        self.less.truncate(mark);
        self.same.truncate(same);
    }

    /// Does the statement stay?
    fn statement(&mut self, var: Var, op: &mut Op) -> bool {
        match op {
            Op::Len(Atom::Var(array)) => {
                self.lengths.entry(*array).or_default().push(Atom::Var(var));
                self.natural.insert(var);
            }
            Op::Scalar(Scalar::Length, _) => {
                self.natural.insert(var);
            }
            Op::Scalar(scalar, atoms) if is_comparison(*scalar) => {
                self.compared.insert(var, (*scalar, atoms[0].clone(), atoms[1].clone()));
            }
            Op::Require(Atom::Var(condition), _) => {
                if let Some((Scalar::IntEq, a, b)) = self.compared.get(condition) {
                    self.same.push((a.clone(), b.clone()));
                }
            }
            Op::Element(Atom::Var(array), indices) if indices.len() == 1 => {
                let unit = matches!(&self.vars[var.0 as usize], Type::Struct(parts) if parts.is_empty());
                if self.is_in_range(*array, &indices[0]) {
                    if self.uses[var.0 as usize] == 0 {
                        return false;
                    }
                    if unit {
                        *op = Op::Atom(Atom::Unit);
                    }
                }
            }
            _ if has_blocks(op) => self.inside(var, op),
            _ => {}
        }
        true
    }

    fn inside(&mut self, var: Var, op: &mut Op) {
        let mark = self.less.len();
        match op {
            Op::Tabulate { n, index, body } => {
                let n = n.clone();
                self.natural.insert(*index);
                self.less.push((Atom::Var(*index), n.clone()));
                deep(|| self.block(body));
                self.less.truncate(mark);
                // If n is negative there are no elements; but then no index is in range and less than n.
                self.lengths.entry(var).or_default().push(n);
            }
            Op::Sum { n, index, body } => {
                self.natural.insert(*index);
                self.less.push((Atom::Var(*index), n.clone()));
                deep(|| self.block(body));
                self.less.truncate(mark);
            }
            Op::If(condition, yes, no) => {
                let known = match condition {
                    Atom::Var(condition) => self.compared.get(condition).cloned(),
                    _ => None,
                };
                for (block, holds) in [(yes, true), (no, false)] {
                    if let Some((scalar, a, b)) = &known
                        && let Some(less) = less(*scalar, holds, a, b)
                    {
                        self.less.push(less);
                    }
                    deep(|| self.block(block));
                    self.less.truncate(mark);
                }
            }
            Op::Loop { params, body } => {
                for at in counters(params, body) {
                    self.natural.insert(params[at].0);
                }
                deep(|| self.block(body));
            }
            _ => deep(|| blocks_mut(op, &mut |block| self.block(block))),
        }
    }

    fn is_natural(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Int(n) => *n >= 0,
            Atom::Var(var) => self.natural.contains(var),
            _ => false,
        }
    }

    fn is_in_range(&self, array: Var, index: &Atom) -> bool {
        let Some(lengths) = self.lengths.get(&array) else { return false };
        self.is_natural(index) && lengths.iter().any(|length| self.is_below(index, length))
    }

    /// Is it less than a number, or than one that is the same?
    fn is_below(&self, a: &Atom, b: &Atom) -> bool {
        let mut all = vec![b];
        let mut next = 0;
        while let Some(&one) = all.get(next) {
            if self.is_less(a, one) {
                return true;
            }
            for (x, y) in &self.same {
                let other = if x == one { y } else { x };
                if (x == one || y == one) && !all.contains(&other) {
                    all.push(other);
                }
            }
            next += 1;
        }
        false
    }

    fn is_less(&self, a: &Atom, b: &Atom) -> bool {
        match (a, b) {
            (Atom::Int(a), Atom::Int(b)) => a < b,
            _ => self
                .less
                .iter()
                .any(|(x, y)| y == b && (x == a || matches!((a, x), (Atom::Int(a), Atom::Int(x)) if a <= x))),
        }
    }
}

fn is_comparison(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::IntLt | Scalar::IntLe | Scalar::IntGt | Scalar::IntGe | Scalar::IntEq)
}

/// What is less than what if a comparison holds, or doesn't.
fn less(scalar: Scalar, holds: bool, a: &Atom, b: &Atom) -> Option<(Atom, Atom)> {
    match (scalar, holds) {
        (Scalar::IntLt, true) | (Scalar::IntGe, false) => Some((a.clone(), b.clone())),
        (Scalar::IntGt, true) | (Scalar::IntLe, false) => Some((b.clone(), a.clone())),
        _ => None,
    }
}

/// The parameters of a loop that count up from a number that isn't negative.
fn counters(params: &[(Var, Atom)], body: &Block) -> Vec<usize> {
    let mut next: FxHashMap<Var, Var> = FxHashMap::default();
    crate::walk::each_op(body, &mut |var, op| {
        if let Op::Scalar(Scalar::IntAdd, atoms) = op
            && let [Atom::Var(from), Atom::Int(1..)] = &atoms[..]
        {
            next.insert(var, *from);
        }
    });
    let starts = |(_, first): &(Var, Atom)| matches!(first, Atom::Int(0..));
    let mut counting: Vec<bool> = params.iter().map(starts).collect();
    each_again(body, &mut |atoms| {
        for (at, atom) in atoms.iter().enumerate() {
            let (param, _) = &params[at];
            let counts = match atom {
                Atom::Var(var) => var == param || next.get(var) == Some(param),
                _ => false,
            };
            counting[at] &= counts;
        }
    });
    (0..params.len()).filter(|at| counting[*at]).collect()
}
