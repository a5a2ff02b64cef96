//! **The rule of cost**: what is computed again instead of being kept.
//!
//! A number that is kept is written once, read at least once, and takes memory that may not be in the cache. It is computed again where that
//! takes at most [`CHEAP`] units from what is at hand anyway: an addition is one unit, reading an element of an array two, a division or a
//! root four; remainders, powers of ints and functions are always kept. Arrays that are only read (`fusion`) and the entries of
//! tapes (`tapes`) follow this rule.

use first_order::{Atom, Block, End, Op, Scalar, Statement};

use crate::deep;

/// What computing a number again may cost.
pub const CHEAP: u32 = 10;

/// What reading an element of an array costs.
pub const ELEMENT: u32 = 2;

/// What an operation costs by itself, if it may be done again.
pub fn price(scalar: Scalar) -> Option<u32> {
    use Scalar as S;
    match scalar {
        S::Add | S::Sub | S::Mul | S::Neg | S::Abs | S::Sign | S::Minimum | S::Maximum => Some(1),
        S::Floor | S::Ceil | S::Round | S::Trunc | S::IsNan | S::IsFinite | S::IsHole => Some(1),
        S::Eq | S::Ne | S::Lt | S::Le | S::Gt | S::Ge | S::Not | S::BoolEq | S::Select => Some(1),
        S::IntAdd | S::IntSub | S::IntMul | S::IntNeg | S::IntAbs | S::IntSign | S::IntMinimum | S::IntMaximum => {
            Some(1)
        }
        S::IntEq | S::IntNe | S::IntLt | S::IntLe | S::IntGt | S::IntGe => Some(1),
        S::ToReal | S::ToInt | S::BoolToReal => Some(1),
        S::Length => Some(0),
        S::Div | S::Sqrt => Some(4),
        S::Remainder | S::Function(_) | S::PowerSlope | S::PowerLog | S::IntDiv | S::IntMod | S::IntPow => None,
    }
}

/// What statements cost that compute on numbers and read elements of arrays, if they may be done again.
pub fn of_statements<'a>(statements: impl IntoIterator<Item = &'a Statement>) -> Option<u32> {
    let price = |op: &Op| if let Op::Element(..) = op { Some(ELEMENT) } else { of(op) };
    statements.into_iter().try_fold(0u32, |total, Statement { op, .. }| Some(total.saturating_add(price(op)?)))
}

/// What an operation on numbers costs, choices between such included, if it may be done again.
pub fn of(op: &Op) -> Option<u32> {
    let of_block = |block: &Block| -> Option<u32> {
        let End::Yield(_) = block.end else { return None };
        let each = |total: u32, statement: &Statement| Some(total.saturating_add(deep(|| of(&statement.op))?));
        block.statements.iter().try_fold(0, each)
    };
    match op {
        Op::Atom(_) | Op::Field(..) | Op::Struct(_) | Op::Inject(..) | Op::Len(_) | Op::Axis(..) => Some(0),
        Op::Scalar(scalar, _) => price(*scalar),
        Op::If(_, then, otherwise) => {
            let own = u32::from(![then, otherwise].iter().all(|block| is_condition(block)));
            Some(of_block(then)?.saturating_add(of_block(otherwise)?).saturating_add(own))
        }
        Op::Switch(_, arms) => arms.iter().try_fold(1u32, |total, (_, arm)| Some(total.saturating_add(of_block(arm)?))),
        _ => None,
    }
}

/// Does a way of a choice yield a condition known by then? A choice of such, as of `a && b`, costs no more than what is computed for it.
pub fn is_condition(block: &Block) -> bool {
    let End::Yield(value) = &block.end else { return false };
    match (value, block.statements.last()) {
        (Atom::Bool(_), _) => true,
        (Atom::Var(var), Some(last)) if last.var == *var => match &last.op {
            Op::Struct(fields) => matches!(fields.first(), Some(Atom::Bool(_))),
            _ => false,
        },
        _ => false,
    }
}
