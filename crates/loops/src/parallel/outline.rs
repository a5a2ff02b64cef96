//! The body of a loop as a function that does a range of its turns.

use base::Span;
use first_order::Scalar;
use rustc_hash::FxHashMap;

use super::independent::{Turns, counting};
use super::{ROUND, fresh};
use crate::term::{Atom, Block, Cost, DescriptorId, End, Function, FunctionId, Leaf, Op, Pieces, Statement, Var};

/// How the function of pieces is called.
pub(super) struct Call {
    pub id: FunctionId,
    pub count: Atom,
    pub work: Vec<Cost>,
    pub captures: Vec<Atom>,
}

impl Call {
    pub(super) fn pieces(self, values: Option<Atom>) -> Pieces {
        Pieces { function: self.id, count: self.count, work: self.work, captures: self.captures, values }
    }
}

/// The loop of a function that does pieces.
pub(super) fn turns(function: &Function) -> Option<Turns<'_>> {
    let (last, before) = function.body.statements.split_last()?;
    let Op::Loop { params, body } = &last.op else { return None };
    let is_simple = before.iter().all(|statement| matches!(statement.op, Op::IndexMul(..)));
    let [(index, _)] = params[..] else { return None };
    let (_, step) = counting(index, body)?;
    is_simple.then_some(Turns { index, body: step })
}

/// The function that does turns of a loop, and what it captures. The turns of a sum write their values.
pub(super) fn piece(function: &Function, statement: &Statement, turns: Turns) -> (Function, Vec<Atom>) {
    let vars = vec![];
    let mut piece = Piece { from: function, span: statement.span, vars, names: FxHashMap::default(), captures: vec![] };
    let (from, to) = (piece.fresh(Leaf::Int), piece.fresh(Leaf::Int));
    let index = piece.bind(turns.index);
    let mut step = piece.block(turns.body);
    let (mut params, mut before) = (vec![from, to], vec![]);
    if let Op::Sum { .. } = &statement.op {
        let (start, values, minus) = (piece.fresh(Leaf::Int), piece.fresh(Leaf::Object), piece.fresh(Leaf::Int));
        params.extend([start, values]);
        before.push(piece.statement(vec![minus], Op::IndexMul(Atom::Var(start), Atom::Int(-1))));
        piece.write_value(&mut step, index, minus, values);
    }
    before.push(piece.counting(index, [from, to], step));
    piece.finish(params, before)
}

/// The sum as it was if it is small, else by pieces.
pub(super) fn sum(function: &mut Function, statement: Statement, reals: DescriptorId, call: Call) -> [Statement; 2] {
    let Statement { vars, op, span } = statement;
    let is = |vars: Vec<Var>, op: Op| Statement { vars, op, span };
    let [large, room, values] = [Leaf::Bool, Leaf::Int, Leaf::Object].map(|leaf| fresh(function, leaf));
    let [whole, small] = [(); 2].map(|()| fresh(function, Leaf::Real));
    let (count, work) = (call.count, call.work.clone());
    let pieces = Op::Pieces(Box::new(call.pieces(Some(Atom::Var(values)))));
    let by_pieces = Block {
        statements: vec![
            is(vec![room], Op::Scalar(Scalar::IntMinimum, vec![count, Atom::Int(ROUND)])),
            is(vec![values], Op::NewArray(reals, vec![Atom::Var(room)])),
            is(vec![whole], pieces),
            is(vec![], Op::Release(Atom::Var(values))),
        ],
        end: End::Yield(vec![Atom::Var(whole)]),
    };
    let alone = Block { statements: vec![is(vec![small], op)], end: End::Yield(vec![Atom::Var(small)]) };
    let choice = Op::If(Atom::Var(large), Box::new(by_pieces), Box::new(alone));
    [is(vec![large], Op::IsLarge(count, work)), is(vars, choice)]
}

/// A function in the making, from the body of a loop in another one.
struct Piece<'a> {
    from: &'a Function,
    span: Span,
    vars: Vec<Leaf>,
    /// By variables of the other function.
    names: FxHashMap<Var, Var>,
    /// Variables of the other function that the loop doesn't bind.
    captures: Vec<Var>,
}

impl Piece<'_> {
    fn fresh(&mut self, leaf: Leaf) -> Var {
        self.vars.push(leaf);
        Var(self.vars.len() as u32 - 1)
    }

    fn statement(&self, vars: Vec<Var>, op: Op) -> Statement {
        Statement { vars, op, span: self.span }
    }

    fn bind(&mut self, var: Var) -> Var {
        let new = self.fresh(self.from.vars[var.0 as usize]);
        self.names.insert(var, new);
        new
    }

    fn atom(&mut self, atom: &mut Atom) {
        let Atom::Var(var) = atom else { return };
        *var = match self.names.get(var) {
            Some(known) => *known,
            None => {
                self.captures.push(*var);
                self.bind(*var)
            }
        };
    }

    fn block(&mut self, block: &Block) -> Block {
        base::budget::deep(|| {
            let statements = block.statements.iter().map(|statement| self.copied(statement)).collect();
            let mut end = block.end.clone();
            if let End::Yield(atoms) | End::Again(atoms) = &mut end {
                atoms.iter_mut().for_each(|atom| self.atom(atom));
            }
            Block { statements, end }
        })
    }

    fn copied(&mut self, Statement { vars, op, span }: &Statement) -> Statement {
        base::budget::spend(1);
        let mut op = op.clone();
        op.atoms_mut(&mut |atom| self.atom(atom));
        match &mut op {
            Op::Loop { params, .. } => params.iter_mut().for_each(|(param, _)| *param = self.bind(*param)),
            Op::Sum { index, .. } => *index = self.bind(*index),
            Op::Open { taken, .. } => taken.iter_mut().for_each(|(var, _)| *var = self.names[var]),
            Op::Switch(_, arms) => {
                arms.iter_mut().for_each(|arm| arm.nulls.iter_mut().for_each(|null| self.null(null)));
            }
            _ => {}
        }
        op.blocks_mut(|block| *block = self.block(block));
        Statement { vars: vars.iter().map(|var| self.bind(*var)).collect(), op, span: *span }
    }

    fn null(&mut self, null: &mut Var) {
        let mut atom = Atom::Var(*null);
        self.atom(&mut atom);
        if let Atom::Var(var) = atom {
            *null = var;
        }
    }

    /// At the end of a turn of a sum: its value goes to where the index says, from `-minus` on.
    fn write_value(&mut self, step: &mut Block, index: Var, minus: Var, values: Var) {
        let End::Yield(leaves) = &step.end else { return };
        let (leaves, at, next) = (leaves.clone(), self.fresh(Leaf::Int), self.fresh(Leaf::Int));
        let store = Op::StoreElement { array: Atom::Var(values), rank: 1, at: Atom::Var(at), leaves, columns: false };
        step.statements.extend([
            self.statement(vec![at], Op::IndexAdd(Atom::Var(minus), Atom::Var(index))),
            self.statement(vec![], store),
            self.statement(vec![next], Op::IndexAdd(Atom::Var(index), Atom::Int(1))),
        ]);
        step.end = End::Again(vec![Atom::Var(next)]);
    }

    /// The loop of these turns over a range.
    fn counting(&mut self, index: Var, [from, to]: [Var; 2], step: Block) -> Statement {
        let more = self.fresh(Leaf::Bool);
        let ends = || End::Yield(vec![]);
        let compare = Op::Scalar(Scalar::IntLt, vec![Atom::Var(index), Atom::Var(to)]);
        let done = Block { statements: vec![], end: ends() };
        let choice = Op::If(Atom::Var(more), Box::new(step), Box::new(done));
        let statements = vec![self.statement(vec![more], compare), self.statement(vec![], choice)];
        let body = Box::new(Block { statements, end: ends() });
        self.statement(vec![], Op::Loop { params: vec![(index, Atom::Var(from))], body })
    }

    fn finish(self, mut params: Vec<Var>, statements: Vec<Statement>) -> (Function, Vec<Atom>) {
        params.extend(self.captures.iter().map(|var| self.names[var]));
        let function = Function {
            name: self.from.name.clone(),
            params,
            results: vec![],
            vars: self.vars,
            body: Block { statements, end: End::Yield(vec![]) },
            span: self.span,
            borrows: true,
        };
        (function, self.captures.into_iter().map(Atom::Var).collect())
    }
}
