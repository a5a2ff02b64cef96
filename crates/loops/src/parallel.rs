//! Loops whose turns may run at once.
//!
//! In: an L4 program as it was lowered. Out: the same program, in which outermost loops and sums whose turns are independent (`independent`) are [`Op::Pieces`]:
//! a function of their own does a range of turns, and borrows what it needs. The runtime decides by the cost of a turn whether other threads are asked.
//!
//! A sum keeps its loop for when it is small. When it is large, its values are written to an array, from where they are added in the order of sums.

mod independent;
mod outline;
mod work;

use base::Span;

use crate::term::{Atom, Block, Cost, End, Function, FunctionId, Leaf, Op, Program, Statement, Var};
use independent::Turns;
use outline::Call;

/// So many values of a sum are held at once.
pub const ROUND: i64 = 1 << 18;

/// Why the turns of a loop run one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// A turn needs what the one before has made.
    Carries,
    /// A turn counts the owners of an object that others see.
    Counts,
    /// A turn may write an element that another one writes.
    Writes,
    /// A turn may read an element that another one writes.
    Reads,
    /// A sensitivity is collected at run time.
    Collected,
    /// A primitive of the runtime, a text or a print.
    Primitive,
}

/// A loop of a program, and what became of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    pub span: Span,
    pub outcome: Result<(), Why>,
}

/// Writes loops as pieces where that is right, unless they surely are less than `least` units of work. What became of the outermost loops, in their order.
pub fn run(program: &mut Program, least: f64) -> Vec<Found> {
    let calm = independent::calm(program);
    let mut pass = Pass { calm, least, found: vec![], made: vec![], next: program.functions.len() as u32 };
    for at in 0..program.functions.len() {
        let mut function = program.functions[at].clone();
        let body = std::mem::replace(&mut function.body, Block { statements: vec![], end: End::Never });
        function.body = pass.block(program, &mut function, body);
        program.functions[at] = function;
    }
    program.functions.append(&mut pass.made);
    if base::checks::are_on()
        && let Err(error) = crate::check::check(program)
    {
        panic!("pieces make a wrong program: {error}\n{program}");
    }
    pass.found
}

/// Every function that does pieces is a loop whose turns are independent.
pub(crate) fn check(program: &Program) -> Result<(), String> {
    if program.functions.iter().all(|function| !function.borrows) {
        return Ok(());
    }
    let calm = independent::calm(program);
    for function in program.functions.iter().filter(|function| function.borrows) {
        let error = |text: &str| format!("L4, function `{}`: {text}", function.name);
        let turns = outline::turns(function).ok_or_else(|| error("it borrows, and isn't one loop"))?;
        independent::check(program, &function.vars, &calm, turns)
            .map_err(|why| error(&format!("its turns disturb each other: {why:?}")))?;
    }
    Ok(())
}

struct Pass {
    calm: Vec<bool>,
    least: f64,
    found: Vec<Found>,
    /// The functions that do pieces.
    made: Vec<Function>,
    /// The number of the next one.
    next: u32,
}

impl Pass {
    fn block(&mut self, program: &mut Program, function: &mut Function, block: Block) -> Block {
        base::budget::deep(|| {
            let mut statements = vec![];
            for statement in block.statements {
                self.statement(program, function, statement, &mut statements);
            }
            Block { statements, end: block.end }
        })
    }

    fn statement(
        &mut self,
        program: &mut Program,
        function: &mut Function,
        mut statement: Statement,
        written: &mut Vec<Statement>,
    ) {
        base::budget::spend(1);
        if let Op::Loop { .. } | Op::Sum { .. } = &statement.op {
            let plan = self.plan(program, function, &statement);
            if !matches!(plan, Ok(None)) {
                self.found.push(Found { span: statement.span, outcome: plan.as_ref().map(|_| ()).map_err(|why| *why) });
            }
            if let Ok(plan) = plan {
                match plan {
                    Some((piece, call)) => self.write(program, function, statement, (piece, call), written),
                    None => written.push(statement),
                }
                return;
            }
        }
        statement.op.blocks_mut(|block| {
            let inner = std::mem::replace(block, Block { statements: vec![], end: End::Never });
            *block = self.block(program, function, inner);
        });
        written.push(statement);
    }

    /// The loop as pieces, or why it isn't; nothing if it is surely small.
    fn plan(
        &self,
        program: &Program,
        function: &Function,
        statement: &Statement,
    ) -> Result<Option<(Function, Call)>, Why> {
        let (index, count, body) = independent::counted(&statement.op).ok_or(Why::Carries)?;
        let turns = Turns { index, body };
        independent::check(program, &function.vars, &self.calm, turns)?;
        let work = work::of_turn(turns, count, &independent::bound_by(turns));
        if is_small(count, &work, self.least) {
            return Ok(None);
        }
        let (piece, captures) = outline::piece(function, statement, turns);
        Ok(Some((piece, Call { id: FunctionId(self.next + self.made.len() as u32), count, work, captures })))
    }

    fn write(
        &mut self,
        program: &mut Program,
        function: &mut Function,
        statement: Statement,
        (piece, call): (Function, Call),
        written: &mut Vec<Statement>,
    ) {
        self.made.push(piece);
        if let Op::Sum { .. } = &statement.op {
            let reals = program.layouts.reals(&mut program.descriptors);
            written.extend(outline::sum(function, statement, reals, call));
        } else {
            written.push(Statement { op: Op::Pieces(Box::new(call.pieces(None))), ..statement });
        }
    }
}

/// Are all sizes known, and too small?
fn is_small(count: Atom, work: &[Cost], least: f64) -> bool {
    let Atom::Int(count) = count else { return false };
    let cost = |cost: &Cost| {
        cost.lengths.iter().try_fold(f64::from(cost.units), |all, length| match length {
            Atom::Int(length) => Some(all * *length as f64),
            _ => None,
        })
    };
    let turn: Option<f64> = work.iter().map(cost).sum();
    turn.is_some_and(|turn| turn * (count as f64) < least)
}

/// A new variable of a function.
fn fresh(function: &mut Function, leaf: Leaf) -> Var {
    function.vars.push(leaf);
    Var(function.vars.len() as u32 - 1)
}
