//! Choices on the result of choices.
//!
//! `v = if c { … Inject(0, a) } else { … Inject(1, b) }; w = switch v { … }`, where nothing else reads `v`: the switch is
//! moved to where the alternative is made, where it gives way to one of its arms. In the same way for `if` on the
//! result of an `if`. Arms that would be needed in several places are copied while they are small.

use first_order::{Atom, Block, End, Op, Statement, Var};

use super::{Flow, Known, Simplifier};
use crate::analyses::effects::{self, Effects, PURE};
use crate::deep;
use crate::rewriting::copy::Copier;
use crate::rewriting::walk::{blocks_mut, each_atom, size_up_to};

/// How many places a choice may be moved to.
const MAX_LEAVES: usize = 16;
/// How many statements may be copied for one choice.
const MAX_COPIED: usize = 30;
/// How far before the choice the one it depends on may stand.
const MAX_BETWEEN: usize = 16;

/// The arms of a choice while it is moved: each is given away as often as it is needed.
struct Arms {
    arms: Vec<Option<(Option<Var>, Block)>>,
    needed: Vec<usize>,
}

impl Simplifier<'_> {
    /// Moves a choice into the one that its outcome depends on; gives it back if that isn't good.
    pub(super) fn push_into_arms(&mut self, statement: Statement, out: &mut Vec<Statement>) -> Result<Flow, Statement> {
        let (Op::Switch(Atom::Var(on), _) | Op::If(Atom::Var(on), _, _)) = statement.op else { return Err(statement) };
        let Some(place) = self.place(on, out) else { return Err(statement) };
        let Some(mut arms) = self.worth_moving(&out[place].op, &statement.op) else { return Err(statement) };
        // What stands between has no effects and doesn't read `on`.
        out[place..].rotate_left(1);
        let mut choice = out.pop().expect("joins: the first choice");
        let Statement { var, op, span } = statement;
        match op {
            Op::Switch(_, all) => arms.arms = all.into_iter().map(|(var, block)| Some((Some(var), block))).collect(),
            Op::If(_, then, otherwise) => arms.arms = vec![Some((None, *then)), Some((None, *otherwise))],
            _ => unreachable!("joins: a choice"),
        }
        let before = self.effects_of(choice.var);
        let mut inside = before;
        blocks_mut(&mut choice.op, &mut |block| {
            let effects = self.moved_into(block, var, span, &mut arms);
            inside = inside.and(effects);
        });
        Ok(self.choose(var, choice.op, inside, out, choice.span))
    }

    /// Where in the block the choice stands that gives this variable, if the one that reads it can follow at once.
    fn place(&self, on: Var, out: &[Statement]) -> Option<usize> {
        if self.uses[on.0 as usize] != 1 {
            return None;
        }
        for (place, statement) in out.iter().enumerate().rev().take(MAX_BETWEEN) {
            if statement.var == on {
                return matches!(statement.op, Op::If(..) | Op::Switch(..)).then_some(place);
            }
            if !self.effects_of(statement.var).total {
                return None;
            }
        }
        None
    }

    /// Counts how often each arm would be needed; none if too much would be copied.
    fn worth_moving(&mut self, choice: &Op, moved: &Op) -> Option<Arms> {
        let mut leaves = vec![];
        let mut few = true;
        choice.blocks(&mut |_, block| few = few && self.leaves(block, &mut leaves));
        if !few || leaves.iter().all(Option::is_none) {
            return None;
        }
        let mut needed = vec![];
        let mut copied = 0;
        moved.blocks(&mut |_, block| {
            let times = leaves.iter().filter(|leaf| leaf.is_none_or(|tag| tag == needed.len())).count();
            needed.push(times);
            if times > 1 {
                copied += (times - 1) * (1 + size_up_to(block, MAX_COPIED));
            }
        });
        if copied > MAX_COPIED || copied > self.budget {
            return None;
        }
        self.budget -= copied;
        Some(Arms { arms: vec![], needed })
    }

    /// Which arm each place that gives the block's value would take, where that is known.
    fn leaves(&self, block: &Block, leaves: &mut Vec<Option<usize>>) -> bool {
        let End::Yield(atom) = &block.end else { return true };
        if let Some(op) = nested(block) {
            let mut few = true;
            deep(|| op.blocks(&mut |_, block| few = few && self.leaves(block, leaves)));
            return few;
        }
        let mut atom = atom.clone();
        self.resolve(&mut atom);
        leaves.push(match (&atom, self.known(&atom)) {
            (Atom::Bool(c), _) => Some(usize::from(!c)),
            (_, Known::Inject(tag, _)) => Some(*tag as usize),
            _ => None,
        });
        leaves.len() <= MAX_LEAVES
    }

    fn moved_into(&mut self, block: &mut Block, var: Var, span: base::Span, arms: &mut Arms) -> Effects {
        let End::Yield(atom) = &block.end else { return PURE };
        if nested(block).is_some() {
            let fresh = self.fresh(self.vars[var.0 as usize].clone(), 1);
            let last = block.statements.last_mut().expect("joins: a nested choice");
            let mut inside = self.effects_of(last.var);
            deep(|| {
                blocks_mut(&mut last.op, &mut |block| inside = inside.and(self.moved_into(block, var, span, arms)));
            });
            last.var = fresh;
            self.effects[fresh.0 as usize] = inside;
            let mut value = Atom::Var(fresh);
            if let Some(agreed) = self.agree(fresh, &last.op) {
                let old = block.statements.len();
                self.settle(fresh, agreed, span, &mut block.statements);
                self.close(&block.statements[old..]);
                self.resolve(&mut value);
            }
            block.end = End::Yield(value);
            return inside;
        }
        let mut atom = atom.clone();
        self.resolve(&mut atom);
        let mut out = std::mem::take(&mut block.statements);
        let (old, mark) = (out.len(), self.trail.len());
        let known = match (&atom, self.known(&atom)) {
            (Atom::Bool(c), _) => Some((usize::from(!c), Atom::Unit)),
            (_, Known::Inject(tag, content)) => Some((*tag as usize, content.clone())),
            _ => None,
        };
        let end = match known {
            Some((tag, content)) => {
                let (bound, arm) = self.take(arms, tag);
                bound.into_iter().for_each(|bound| self.forward(bound, content.clone()));
                deep(|| self.statements(arm.statements, arm.end, &mut out))
            }
            None => self.unknown(atom, var, span, arms, &mut out),
        };
        self.restore(mark);
        self.close(&out[old..]);
        let new = out[old..].iter().fold(effects::of_end(&end), |all, new| all.and(self.effects_of(new.var)));
        *block = Block { statements: out, end };
        new
    }

    /// The whole choice, at a place where its outcome isn't known.
    fn unknown(&mut self, on: Atom, var: Var, span: base::Span, arms: &mut Arms, out: &mut Vec<Statement>) -> End {
        let mut all: Vec<(Option<Var>, Block)> = (0..arms.arms.len()).map(|tag| self.take(arms, tag)).collect();
        let result = self.fresh(self.vars[var.0 as usize].clone(), 1);
        let op = if let (Some((None, otherwise)), true) = (all.pop_if(|(var, _)| var.is_none()), all.len() == 1) {
            let (_, then) = all.pop().expect("joins: two sides");
            Op::If(on, Box::new(then), Box::new(otherwise))
        } else {
            let bound = |(var, block): (Option<Var>, Block)| (var.expect("joins: an arm binds its content"), block);
            Op::Switch(on, all.into_iter().map(bound).collect())
        };
        match self.statement(Statement { var: result, op, span }, out) {
            Flow::Next => self.end(End::Yield(Atom::Var(result))),
            Flow::Ends(end) => end,
        }
    }

    /// An arm, as a copy if it is needed again.
    fn take(&mut self, arms: &mut Arms, tag: usize) -> (Option<Var>, Block) {
        arms.needed[tag] -= 1;
        if arms.needed[tag] == 0 {
            return arms.arms[tag].take().expect("joins: an arm for its last use");
        }
        let (bound, block) = arms.arms[tag].as_ref().expect("joins: an arm that is needed again");
        let mut copier = Copier::within(&mut self.vars);
        let bound = bound.map(|bound| copier.bind(bound));
        let copy = copier.block(block);
        self.grow();
        let uses = &mut self.uses;
        each_atom(&copy, &mut |atom| {
            if let Atom::Var(var) = atom {
                uses[var.0 as usize] += 1;
            }
        });
        (bound, copy)
    }
}

/// The choice whose result is the block's.
fn nested(block: &Block) -> Option<&Op> {
    match (&block.end, block.statements.last()) {
        (End::Yield(Atom::Var(var)), Some(last)) if last.var == *var => {
            matches!(last.op, Op::If(..) | Op::Switch(..)).then_some(&last.op)
        }
        _ => None,
    }
}
