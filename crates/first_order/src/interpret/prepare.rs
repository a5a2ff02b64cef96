//! From a function of L3 to instructions.

use base::Span;

use super::code::{Action, Application, Code, Instruction, Kind, Operand, Simple};
use super::liveness::Liveness;
use crate::term::{Atom, Block, End, Function, Op, Statement, Type, Var};
use crate::value::Value;

pub(super) fn prepare(function: &Function) -> Code {
    let mut preparer = Preparer { function, live: Liveness::of(function), instructions: vec![], joins: vec![] };
    preparer.block(&function.body, Target::Return, None, function.span);
    Code {
        instructions: preparer.instructions,
        slots: function.vars.len(),
        params: function.params.iter().map(|var| var.0).collect(),
    }
}

struct Preparer<'a> {
    function: &'a Function,
    live: Liveness,
    instructions: Vec<Instruction>,
    /// For each place where branches meet, the jumps that lead there.
    joins: Vec<Vec<usize>>,
}

/// Where the value of a block goes.
#[derive(Clone, Copy)]
enum Target {
    Return,
    /// To a slot; then on at a join.
    Slot(u32, usize),
    /// Into the innermost table, which stands at `span`; when that is full, on at a join.
    Row {
        dest: u32,
        index: u32,
        kind: Kind,
        body: usize,
        join: usize,
        span: Span,
    },
}

/// The loop that `Again` runs anew.
#[derive(Clone, Copy)]
struct Again<'a> {
    start: usize,
    params: &'a [(Var, Atom)],
}

const OPEN: usize = usize::MAX;

impl<'a> Preparer<'a> {
    fn block(&mut self, block: &'a Block, target: Target, again: Option<Again<'a>>, span: Span) {
        let tail = block.statements.len().wrapping_sub(1);
        for (i, statement) in block.statements.iter().enumerate() {
            let yields = matches!(&block.end, End::Yield(Atom::Var(var)) if *var == statement.var);
            if i == tail && yields && self.tail(statement, target, again) {
                return;
            }
            self.statement(statement);
        }
        let span = block.statements.last().map_or(span, |statement| statement.span);
        match &block.end {
            End::Yield(atom) => self.deliver(atom, target, span),
            End::Again(atoms) => {
                let Again { start, params } = again.expect("prepare: `again` stands in a loop");
                let values = params.iter().zip(atoms).map(|((var, _), atom)| (var.0, self.operand(atom))).collect();
                self.emit(Action::Assign(values), span);
                self.emit(Action::Jump(start), span);
            }
            End::Never => {}
        }
    }

    /// An operation with blocks, or a call, whose value is that of the block it ends.
    fn tail(&mut self, statement: &'a Statement, target: Target, again: Option<Again<'a>>) -> bool {
        match (&statement.op, target) {
            (Op::If(..) | Op::Switch(..) | Op::Loop { .. }, _) => {
                crate::deep(|| self.control(statement, target, again));
                true
            }
            (Op::Call(function, args), Target::Return) => {
                let args = self.operands(args);
                self.emit(Action::TailCall { function: function.0, args }, statement.span);
                true
            }
            _ => false,
        }
    }

    fn statement(&mut self, statement: &'a Statement) {
        let (dest, span) = (statement.var.0, statement.span);
        match &statement.op {
            Op::If(..) | Op::Switch(..) | Op::Loop { .. } => {
                let join = self.join();
                crate::deep(|| self.control(statement, Target::Slot(dest, join), None));
                self.arrive(join);
            }
            Op::Tabulate { n, index, body } | Op::Sum { n, index, body } => {
                crate::deep(|| self.table(statement, n, *index, body))
            }
            Op::Call(function, args) => {
                let args = self.operands(args);
                self.emit(Action::Call { dest, function: function.0, args }, span);
            }
            op => {
                let simple = self.simple(op, self.kind(statement.var));
                self.emit(Action::Bind(dest, simple), span);
            }
        }
    }

    fn control(&mut self, statement: &'a Statement, target: Target, again: Option<Again<'a>>) {
        let span = statement.span;
        match &statement.op {
            Op::If(condition, then, otherwise) => {
                let condition = self.operand(condition);
                let branch = self.emit(Action::Branch { condition, otherwise: OPEN }, span);
                self.branch(then, target, again, span);
                self.patch(branch, 0);
                self.branch(otherwise, target, again, span);
            }
            Op::Switch(on, arms) => {
                let on = self.operand(on);
                let places = arms.iter().map(|(var, _)| (var.0, OPEN)).collect();
                let switch = self.emit(Action::Switch { on, arms: places }, span);
                for (tag, (_, block)) in arms.iter().enumerate() {
                    self.patch(switch, tag);
                    self.branch(block, target, again, span);
                }
            }
            Op::Loop { params, body } => {
                let first = params.iter().map(|(var, first)| (var.0, self.operand(first))).collect();
                self.emit(Action::Assign(first), span);
                let again = Again { start: self.instructions.len(), params };
                self.block(body, target, Some(again), span);
            }
            _ => unreachable!("prepare: control"),
        }
    }

    fn branch(&mut self, block: &'a Block, target: Target, again: Option<Again<'a>>, span: Span) {
        self.forget(block, span);
        self.block(block, target, again, span);
    }

    fn table(&mut self, statement: &'a Statement, n: &Atom, index: Var, body: &'a Block) {
        let (dest, index, span) = (statement.var.0, index.0, statement.span);
        let kind = match &statement.op {
            Op::Sum { .. } => Kind { real: true, rank: 1, summed: true },
            _ => self.kind(statement.var),
        };
        let n = self.operand(n);
        let table = self.emit(Action::Table { dest, n, index, kind, exit: OPEN }, span);
        let join = self.join();
        let start = self.instructions.len();
        self.block(body, Target::Row { dest, index, kind, body: start, join, span }, None, span);
        self.patch(table, 0);
        self.arrive(join);
        self.forget(body, span);
    }

    fn forget(&mut self, block: &Block, span: Span) {
        let dead: Vec<u32> = self.live.dead(block).iter().map(|var| var.0).collect();
        if !dead.is_empty() {
            self.emit(Action::Forget(dead), span);
        }
    }

    fn deliver(&mut self, atom: &Atom, target: Target, span: Span) {
        let value = self.operand(atom);
        let join = match target {
            Target::Return => {
                self.emit(Action::Return(value), span);
                return;
            }
            Target::Slot(dest, join) => {
                self.emit(Action::Bind(dest, Simple::Move(value)), span);
                join
            }
            Target::Row { dest, index, kind, body, join, span } => {
                self.emit(Action::Row { dest, value, index, kind, body }, span);
                join
            }
        };
        let jump = self.emit(Action::Jump(OPEN), span);
        self.joins[join].push(jump);
    }

    fn simple(&self, op: &Op, kind: Kind) -> Simple {
        match op {
            Op::Atom(atom) | Op::View(atom) => Simple::Move(self.operand(atom)),
            Op::Text(text) => Simple::Text(text.clone()),
            Op::Scalar(op, args) => Simple::Scalar(*op, self.operands(args)),
            Op::Struct(fields) => Simple::Struct(self.operands(fields)),
            Op::Field(of, i) => Simple::Field(self.operand(of), *i),
            Op::Inject(tag, content) => Simple::Inject(*tag, self.operand(content)),
            Op::Box(content) => Simple::Box(self.operand(content)),
            Op::Unbox(of) => Simple::Unbox(self.operand(of)),
            Op::Array(elements) => Simple::Array(kind, self.operands(elements)),
            Op::Len(array) => Simple::Len(self.operand(array)),
            Op::Axis(array, axis) => Simple::Axis(self.operand(array), *axis),
            Op::Flat(array) => Simple::Flat(self.operand(array)),
            Op::Dense(handle) => Simple::Dense(kind.rank, self.operand(handle)),
            Op::Collected(array) => Simple::Collected(self.operand(array)),
            Op::Shaped(array, lengths) => Simple::Shaped(self.operand(array), self.operands(lengths)),
            Op::Element(array, indices) => Simple::Element(self.operand(array), self.operands(indices)),
            Op::Replace(array, indices, new) => {
                Simple::Replace(self.operand(array), self.operands(indices), self.operand(new))
            }
            Op::Append(array, element) => Simple::Append(self.operand(array), self.operand(element)),
            Op::Prim { prim, args, shapes, result } => Simple::Prim(Box::new(Application {
                prim: *prim,
                args: self.operands(args),
                shapes: shapes.clone(),
                result: *result,
            })),
            Op::Quiet(on) => Simple::Quiet(*on),
            Op::Require(condition, code) => Simple::Require(self.operand(condition), *code),
            Op::Fail(code) => Simple::Fail(*code),
            Op::If(..) | Op::Switch(..) | Op::Loop { .. } | Op::Tabulate { .. } | Op::Sum { .. } | Op::Call(..) => {
                unreachable!("prepare: not simple")
            }
        }
    }

    /// The kind of array that a variable holds, if it does.
    fn kind(&self, var: Var) -> Kind {
        match &self.function.vars[var.0 as usize] {
            Type::Array(element, rank) => Kind { real: **element == Type::Real, rank: *rank as usize, summed: false },
            _ => Kind { real: false, rank: 0, summed: false },
        }
    }

    fn operands(&self, atoms: &[Atom]) -> Vec<Operand> {
        atoms.iter().map(|atom| self.operand(atom)).collect()
    }

    fn operand(&self, atom: &Atom) -> Operand {
        match atom {
            Atom::Var(var) if self.live.is_last(atom) => Operand::Last(var.0),
            Atom::Var(var) => Operand::Slot(var.0),
            Atom::Unit => Operand::Const(Value::Unit),
            Atom::Bool(b) => Operand::Const(Value::Bool(*b)),
            Atom::Int(i) => Operand::Const(Value::Int(*i)),
            Atom::Real(x) => Operand::Const(Value::Real(*x)),
        }
    }

    fn emit(&mut self, action: Action, span: Span) -> usize {
        self.instructions.push(Instruction { action, span });
        self.instructions.len() - 1
    }

    fn join(&mut self) -> usize {
        self.joins.push(vec![]);
        self.joins.len() - 1
    }

    /// The jumps to a join lead here.
    fn arrive(&mut self, join: usize) {
        for jump in std::mem::take(&mut self.joins[join]) {
            self.patch(jump, 0);
        }
    }

    /// The target number `which` of a jump is the next instruction.
    fn patch(&mut self, jump: usize, which: usize) {
        let here = self.instructions.len();
        match &mut self.instructions[jump].action {
            Action::Jump(target) | Action::Branch { otherwise: target, .. } | Action::Table { exit: target, .. } => {
                *target = here;
            }
            Action::Switch { arms, .. } => arms[which].1 = here,
            _ => unreachable!("prepare: a jump"),
        }
    }
}
