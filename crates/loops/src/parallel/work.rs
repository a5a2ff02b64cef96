//! What a turn of a loop costs, as far as sizes say.
//!
//! In: the body of a loop. Out: units of about a nanosecond, some of them as often as inner loops have turns. What isn't known before the loop is guessed: this decides
//! only whether other threads are asked, never what is computed.

use first_order::Scalar;
use rustc_hash::FxHashSet;

use super::independent::{Turns, counted};
use crate::term::{Atom, Block, Cost, Op, Var};

/// An inner loop of a length that isn't known before has so many turns.
const UNKNOWN_TURNS: u32 = 8;
/// More inner loops than this are guessed.
const MOST_TERMS: usize = 6;

/// The cost of one turn of a loop up to `count`.
pub(super) fn of_turn(turns: Turns, count: Atom, inside: &FxHashSet<Var>) -> Vec<Cost> {
    let mut known = Known { inside, index: turns.index, count, made: vec![] };
    let mut all = vec![];
    let mut units = known.block(turns.body, &mut vec![], &mut all);
    while all.len() > MOST_TERMS {
        units = units.saturating_add(all.pop().map_or(0, |cost: Cost| cost.units.saturating_mul(UNKNOWN_TURNS)));
    }
    all.push(Cost { units: units.max(1), lengths: vec![] });
    all
}

struct Known<'a> {
    /// What the turn binds: unknown before.
    inside: &'a FxHashSet<Var>,
    index: Var,
    count: Atom,
    /// Ints of the turn that are the larger of 0 and something known.
    made: Vec<(Var, Atom)>,
}

impl Known<'_> {
    /// The units of a block itself; `lengths` are those of the loops around it, and what loops in it cost is added to `all`.
    fn block(&mut self, block: &Block, lengths: &mut Vec<Atom>, all: &mut Vec<Cost>) -> u32 {
        let mut units = 0_u32;
        for statement in &block.statements {
            base::budget::spend(1);
            if let (Op::Scalar(Scalar::IntMaximum, operands), [var]) = (&statement.op, &statement.vars[..])
                && let [of, Atom::Int(0)] = operands[..]
            {
                self.made.push((*var, of));
            }
            units = units.saturating_add(base::budget::deep(|| self.op(&statement.op, lengths, all)));
        }
        units
    }

    fn op(&mut self, op: &Op, lengths: &mut Vec<Atom>, all: &mut Vec<Cost>) -> u32 {
        if let Some((_, count, body)) = counted(op) {
            let Some(count) = self.length(count) else {
                return 2 + UNKNOWN_TURNS.saturating_mul(self.block(body, lengths, all));
            };
            lengths.push(count);
            let units = self.block(body, lengths, all).max(1);
            all.push(Cost { units, lengths: lengths.clone() });
            lengths.pop();
            return 2;
        }
        match op {
            Op::Loop { body, .. } => UNKNOWN_TURNS.saturating_mul(self.block(body, lengths, all)),
            Op::If(_, yes, no) => self.block(yes, lengths, all).max(self.block(no, lengths, all)),
            Op::Switch(_, arms) => {
                arms.iter().map(|arm| self.block(&arm.block, lengths, all)).max().unwrap_or_default()
            }
            Op::Product(product) => match product.lengths.map(|length| self.length(length)) {
                // Some thirty multiplications are a unit: so long is the inner index taken to be.
                [Some(m), _, Some(n)] => {
                    all.push(Cost { units: 1, lengths: [&lengths[..], &[m, n]].concat() });
                    30
                }
                _ => 100,
            },
            other => units(other),
        }
    }

    /// A length, if it is known before the loop.
    fn length(&self, length: Atom) -> Option<Atom> {
        match length {
            // A loop up to the index, in a triangle.
            Atom::Var(var) if var == self.index => Some(self.count),
            Atom::Var(var) if self.inside.contains(&var) => {
                let (_, of) = self.made.iter().find(|(made, _)| *made == var)?;
                self.length(*of)
            }
            known => Some(known),
        }
    }
}

/// What an operation without blocks costs.
fn units(op: &Op) -> u32 {
    match op {
        Op::Scalar(Scalar::Function(_) | Scalar::PowerSlope | Scalar::PowerLog, _) => 10,
        Op::Scalar(Scalar::Div | Scalar::Sqrt | Scalar::IntDiv | Scalar::IntMod | Scalar::IntPow, _) => 3,
        Op::Scalar(Scalar::Remainder, _) => 10,
        Op::Call(..) => 50,
        Op::NewArray(..) | Op::Row { .. } | Op::ReplaceRow { .. } | Op::StoreRow { .. } | Op::Unshare(_) => 30,
        Op::Node(..) | Op::Append { .. } | Op::Open { .. } | Op::Release(_) => 5,
        Op::Axis(..) | Op::Require(..) | Op::InRange(..) | Op::IndexAdd(..) | Op::IndexMul(..) => 0,
        _ => 1,
    }
}
