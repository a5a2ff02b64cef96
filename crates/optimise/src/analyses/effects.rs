//! What operations do besides giving a value: may they fail or not end, do they print?
//!
//! Running out of memory or of stack is no effect: what needs less of them may end where the original doesn't. But an array
//! whose size the program computes may be too large by itself, so making one counts as something that may fail.

use calculus::Prim;
use first_order::{
    Alternative, Atom, Block, End, Function, Head, Op, Program, Scalar, ShapeId, Shapes, Statement, Type, Var,
};
use rustc_hash::FxHashSet;

use crate::analyses::call_graph::Calls;
use crate::deep;
use crate::rewriting::walk::has_blocks;
use first_order::ranges::{Sure, sure};

/// Arrays up to this length can always be made.
const SMALL: i64 = 1 << 16;

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Effects {
    /// It cannot fail, surely ends and prints nothing: it can be left out if its value isn't needed.
    pub total: bool,
    pub prints: bool,
}

pub const PURE: Effects = Effects { total: true, prints: false };
pub const PARTIAL: Effects = Effects { total: false, prints: false };

impl Effects {
    pub fn and(self, other: Effects) -> Effects {
        Effects { total: self.total && other.total, prints: self.prints || other.prints }
    }
}

/// The effects of calling each function.
pub fn of_functions(program: &Program) -> Vec<Effects> {
    let calls = Calls::of(program);
    let mut effects = vec![PURE; program.functions.len()];
    for group in &calls.groups {
        let mut all = if calls.is_recursive(group[0]) { PARTIAL } else { PURE };
        for id in group {
            let function = &program.functions[id.0 as usize];
            let world = World { functions: &effects, shapes: &program.shapes };
            let sure = &sure(function);
            all = all.and(Walk { world, sure, vars: &function.vars, record: &mut |_, _| () }.all(&function.body));
        }
        group.iter().for_each(|id| effects[id.0 as usize] = all);
    }
    effects
}

/// The effects of each statement of a function, by the variable that it binds.
pub fn of_statements(function: &Function, world: World) -> Vec<Effects> {
    let mut effects = vec![PURE; function.vars.len()];
    let mut record = |var: Var, of| effects[var.0 as usize] = of;
    Walk { world, sure: &sure(function), vars: &function.vars, record: &mut record }.all(&function.body);
    effects
}

/// What operations refer to.
#[derive(Clone, Copy)]
pub struct World<'a> {
    pub functions: &'a [Effects],
    pub shapes: &'a Shapes,
}

struct Walk<'a> {
    world: World<'a>,
    sure: &'a Sure,
    vars: &'a [Type],
    record: &'a mut dyn FnMut(Var, Effects),
}

impl Walk<'_> {
    fn all(&mut self, body: &Block) -> Effects {
        self.block(body, &mut FxHashSet::default()).0
    }

    /// The effects of a block but for where the loop around it goes on, and whether it does. `lengths`: the variables that hold the
    /// length of an array.
    fn block(&mut self, block: &Block, lengths: &mut FxHashSet<Var>) -> (Effects, bool) {
        let (mut all, mut again) = match block.end {
            End::Again(_) => (PURE, true),
            End::Yield(_) | End::Never => (of_end(&block.end), false),
        };
        for statement in &block.statements {
            let (mut inside, mut goes_on) = (PURE, false);
            if has_blocks(&statement.op) {
                deep(|| {
                    statement.op.blocks(&mut |_, block| {
                        let (effects, again) = self.block(block, lengths);
                        inside = inside.and(effects);
                        goes_on |= again;
                    });
                });
            }
            if matches!(statement.op, Op::Len(_) | Op::Axis(..)) {
                lengths.insert(statement.var);
            }
            let effects = self.statement(statement, inside, lengths);
            if let Op::Loop { .. } = statement.op {
                goes_on = false;
            }
            // Where a loop goes on nothing may be left out.
            (self.record)(statement.var, if goes_on { effects.and(PARTIAL) } else { effects });
            all = all.and(effects);
            again |= goes_on;
        }
        (all, again)
    }

    fn statement(&self, statement: &Statement, inside: Effects, lengths: &FxHashSet<Var>) -> Effects {
        let var = statement.var;
        match statement.op {
            Op::Element(..) | Op::Replace(..) | Op::Scalar(..) if self.sure.succeed.contains(&var) => PURE,
            Op::Loop { .. } if self.sure.end.contains(&var) => inside,
            _ => {
                let of = &self.vars[var.0 as usize];
                self.world.op(&statement.op, inside, of, &|var| lengths.contains(&var))
            }
        }
    }
}

pub fn of_end(end: &End) -> Effects {
    match end {
        End::Yield(_) => PURE,
        End::Again(_) | End::Never => PARTIAL,
    }
}

impl World<'_> {
    /// The effects of an operation that gives a value of type `of`, given those of the blocks inside it.
    pub fn op(self, op: &Op, inside: Effects, of: &Type, is_length: &dyn Fn(Var) -> bool) -> Effects {
        let total = match op {
            Op::Atom(_)
            | Op::Text(_)
            | Op::Struct(_)
            | Op::Field(..)
            | Op::Inject(..)
            | Op::Box(_)
            | Op::Unbox(_)
            | Op::View(_)
            | Op::If(..)
            | Op::Switch(..)
            | Op::Len(_)
            | Op::Axis(..)
            | Op::Flat(_)
            | Op::Dense(_)
            | Op::Collected(_)
            | Op::Shaped(..)
            | Op::Append(..) => true,
            Op::Scalar(scalar, _) => !is_partial(*scalar),
            Op::Call(callee, _) => return self.functions[callee.0 as usize],
            Op::Loop { .. } | Op::Element(..) | Op::Replace(..) | Op::Quiet(_) | Op::Require(..) | Op::Fail(_) => false,
            Op::Sum { .. } => true,
            // Rows of arrays may differ in shape.
            Op::Array(elements) => elements.len() < 2 || matches!(of, Type::Array(_, 1)),
            Op::Tabulate { n, .. } => {
                let small = match n {
                    Atom::Int(n) => *n <= SMALL,
                    Atom::Var(n) => is_length(*n),
                    _ => false,
                };
                small && matches!(of, Type::Array(_, 1))
            }
            Op::Prim { prim, shapes, result, .. } => is_total(*prim, shapes, *result, self.shapes),
        };
        let prints = matches!(op, Op::Prim { prim: Prim::Print, .. });
        Effects { total, prints }.and(inside)
    }
}

pub fn is_partial(scalar: Scalar) -> bool {
    match scalar {
        Scalar::IntAdd
        | Scalar::IntSub
        | Scalar::IntMul
        | Scalar::IntNeg
        | Scalar::IntAbs
        | Scalar::IntDiv
        | Scalar::IntMod
        | Scalar::IntPow
        | Scalar::ToInt => true,
        Scalar::Add
        | Scalar::Sub
        | Scalar::Mul
        | Scalar::Div
        | Scalar::Neg
        | Scalar::Abs
        | Scalar::Sign
        | Scalar::Minimum
        | Scalar::Maximum
        | Scalar::Remainder
        | Scalar::Floor
        | Scalar::Ceil
        | Scalar::Round
        | Scalar::Trunc
        | Scalar::Sqrt
        | Scalar::Function(_)
        | Scalar::PowerSlope
        | Scalar::PowerLog
        | Scalar::Eq
        | Scalar::Ne
        | Scalar::Lt
        | Scalar::Le
        | Scalar::Gt
        | Scalar::Ge
        | Scalar::IsNan
        | Scalar::IsFinite
        | Scalar::IsHole
        | Scalar::IntSign
        | Scalar::IntMinimum
        | Scalar::IntMaximum
        | Scalar::IntEq
        | Scalar::IntNe
        | Scalar::IntLt
        | Scalar::IntLe
        | Scalar::IntGt
        | Scalar::IntGe
        | Scalar::Length
        | Scalar::ToReal
        | Scalar::BoolToReal
        | Scalar::Not
        | Scalar::BoolEq
        | Scalar::Select => false,
    }
}

/// Primitives that always give a value, and no larger one than there is: of one array of reals, and of sensitivities of arrays. These conform
/// by construction: what a program gives and what a rule gives is checked where it enters derived code. Rows that a program puts together
/// may differ in shape; they make an array, sensitivities a handle.
fn is_total(prim: Prim, args: &[ShapeId], result: ShapeId, shapes: &Shapes) -> bool {
    if prim == Prim::Unspread {
        return !shapes.get(result).alternatives.iter().any(|one| matches!(one.head, Head::Array(_)));
    }
    if let Prim::Place | Prim::Part | Prim::Plus | Prim::Spread | Prim::Fill | Prim::Scale | Prim::Keep = prim {
        return true;
    }
    if let Prim::Frame | Prim::Broadcast | Prim::Unbroadcast = prim {
        return true;
    }
    let [arg] = args else { return false };
    let [Alternative { head: Head::Array(_), parts }] = &shapes.get(*arg).alternatives[..] else { return false };
    let elements = shapes.get(parts[0]);
    let reals =
        matches!(&elements.alternatives[..], [Alternative { head: Head::Real, .. }]) && elements.named.is_none();
    let on_reals = matches!(
        prim,
        Prim::Neg
            | Prim::Abs
            | Prim::Sqrt
            | Prim::Exp
            | Prim::Log
            | Prim::Sin
            | Prim::Cos
            | Prim::Tanh
            | Prim::Sum
            | Prim::Len
            | Prim::Shape
            | Prim::Reversed
    );
    reals && on_reals
}
