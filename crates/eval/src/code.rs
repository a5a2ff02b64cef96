//! Code made ready to run: a group's functions as flat instruction lists.
//!
//! In: an L1 group. Out: for each member a list of instructions with forward jumps, in which the last use of
//! every variable is marked, so that running moves values instead of copying them (and arrays are updated in
//! place when nobody else sees them). A tail call is marked as such. Members are made ready at their first call.
//!
//! Derived code is linked to what it was derived from: `reversed` is J, `pushed` is T, both memoised; `primal` undoes J.

use std::cell::OnceCell;
use std::rc::{Rc, Weak};

use base::{Name, Span};
use calculus::{Atom, Binding, Block, Const, Constructor, Expr, Failure, Field, Form, Group, Lambda, Prim, Root, Var};
use differentiate::links::Links;
use differentiate::{Mode, forward, reverse};
use rustc_hash::FxHashSet;

use crate::value::Value;

pub struct Code {
    pub group: Rc<Group>,
    bodies: Vec<OnceCell<Rc<Body>>>,
    labels: Rc<[Name]>,
    origin: Option<Rc<Origin>>,
    reversed: OnceCell<Rc<Code>>,
    pushed: OnceCell<Rc<Code>>,
    attach: bool,
    /// The primitive whose forward rule this is.
    pub forward_of: OnceCell<Prim>,
}

/// One function, ready to run. Slots 0… hold the parameter, the captures, the members, then locals.
#[derive(Debug)]
pub struct Body {
    pub instructions: Vec<Instruction>,
    pub slots: usize,
    /// The members of the group that the body mentions.
    pub members: Vec<u32>,
}

#[derive(Debug)]
pub enum Operand {
    Const(Value),
    Slot(u32),
    /// The last use of a slot: its value is moved out.
    Last(u32),
    Root(Root, u32),
}

#[derive(Debug)]
pub struct Instruction {
    pub action: Action,
    pub span: Span,
}

#[derive(Debug)]
pub enum Action {
    Bind(u32, Op),
    Apply {
        dest: u32,
        f: Operand,
        x: Operand,
        order: u32,
    },
    Pull {
        dest: u32,
        b: Operand,
        d: Operand,
        order: u32,
    },
    TailApply {
        f: Operand,
        x: Operand,
        order: u32,
    },
    /// A primitive applied to arguments that nobody else sees as a tuple.
    Prim {
        dest: u32,
        prim: Prim,
        args: Vec<Operand>,
    },
    Functions {
        dests: Vec<u32>,
        code: Rc<Code>,
        lifted: u32,
        captured: Vec<Operand>,
    },
    /// Goes on at the next instruction if the condition holds, else at `otherwise`.
    Branch {
        condition: Operand,
        otherwise: usize,
    },
    Jump(usize),
    Return(Operand),
}

/// What is computed at once, without a call.
#[derive(Debug)]
pub enum Op {
    Move(Operand),
    Tuple(Vec<Operand>),
    Record(Rc<[Name]>, Vec<Operand>),
    Variant(Rc<Constructor>, Vec<Operand>),
    Array(Vec<Operand>),
    Get(Operand, Field),
    Inject(Field, Operand),
    With(Operand, Name, Operand),
    Omit(Operand, Name),
    Plus(Operand, Operand),
    Tangent { f: Operand, d: Operand, order: u32 },
    Is(Operand, Form),
    Check(Operand, Form),
    Fail(Failure, Vec<Operand>),
}

/// What code was derived from. It doesn't keep that alive, but can make it anew.
struct Origin {
    mode: Mode,
    code: Weak<Code>,
    group: Rc<Group>,
    origin: Option<Rc<Origin>>,
}

impl Code {
    pub fn new(group: Rc<Group>) -> Rc<Code> {
        Code::linked(group, None)
    }

    fn linked(group: Rc<Group>, origin: Option<Rc<Origin>>) -> Rc<Code> {
        let bodies = group.members.iter().map(|_| OnceCell::new()).collect();
        let labels = group.captures.iter().copied().collect();
        let source = origin.as_ref().is_none_or(|origin| origin.mode == Mode::Reverse);
        let attach = source && group.members.len() == 1 && group.members[0].name == Some(Name::new(ATTACH));
        let (reversed, pushed, forward_of) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Rc::new(Code { group, bodies, labels, origin, reversed, pushed, attach, forward_of })
    }

    /// J of this code.
    pub fn reversed(self: &Rc<Code>) -> Rc<Code> {
        self.reversed.get_or_init(|| self.derived(Mode::Reverse, reverse(&self.group))).clone()
    }

    /// T of this code.
    pub fn pushed(self: &Rc<Code>) -> Rc<Code> {
        self.pushed.get_or_init(|| self.derived(Mode::Forward, forward(&self.group))).clone()
    }

    fn derived(self: &Rc<Code>, mode: Mode, derived: Group) -> Rc<Code> {
        if base::checks::are_on() {
            assert_eq!(calculus::check::check_group(&derived), Ok(()), "{mode:?} broke an invariant of L1");
        }
        let (code, group, origin) = (Rc::downgrade(self), self.group.clone(), self.origin.clone());
        Code::linked(Rc::new(derived), Some(Rc::new(Origin { mode, code, group, origin })))
    }

    /// What this code is J of.
    pub fn primal(&self) -> Option<Rc<Code>> {
        let Origin { mode, code, group, origin } = &**self.origin.as_ref()?;
        match mode {
            Mode::Reverse => Some(code.upgrade().unwrap_or_else(|| Code::linked(group.clone(), origin.clone()))),
            Mode::Forward => None,
        }
    }

    /// Was T the last thing applied to this code?
    pub fn is_pushed(&self) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.mode == Mode::Forward)
    }

    /// How this code was derived from what a programmer wrote, the last step first.
    pub fn modes(&self) -> impl Iterator<Item = Mode> {
        std::iter::successors(self.origin.as_ref(), |origin| origin.origin.as_ref()).map(|origin| origin.mode)
    }

    /// Is this the function that `f <~ g` makes?
    pub fn is_attach(&self) -> bool {
        self.attach
    }

    pub fn labels(&self) -> Rc<[Name]> {
        self.labels.clone()
    }

    pub fn lambda(&self, member: u32) -> &Lambda {
        &self.group.members[member as usize]
    }

    pub fn body(&self, member: u32) -> &Rc<Body> {
        self.bodies[member as usize].get_or_init(|| Rc::new(flatten(&self.group, self.lambda(member))))
    }
}

/// Code remembers what was derived from it.
pub struct Remembered;

impl Links for Remembered {
    type Code = Rc<Code>;

    fn reversed(&self, code: &Rc<Code>) -> Rc<Code> {
        code.reversed()
    }

    fn pushed(&self, code: &Rc<Code>) -> Rc<Code> {
        code.pushed()
    }

    fn primal(&self, code: &Rc<Code>) -> Option<Rc<Code>> {
        code.primal()
    }

    fn is_attach(&self, code: &Rc<Code>) -> bool {
        code.is_attach()
    }
}

/// The name of the functions that `<~` makes; no program can write it.
pub const ATTACH: &str = "<~";

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Code({:?})", self.group.members.first().and_then(|member| member.name))
    }
}

fn flatten(group: &Group, lambda: &Lambda) -> Body {
    let mut last = LastUses::default();
    last.block(&lambda.body);
    let members = 0..group.members.len() as u32;
    let members = members.filter(|&member| last.live.contains(&group.member_var(member as usize))).collect();
    let mut flattener = Flattener { last: last.atoms, instructions: vec![], jump_target: usize::MAX };
    flattener.block(&lambda.body, Target::Return);
    Body { instructions: flattener.instructions, slots: lambda.vars.len(), members }
}

/// Which atoms are the last use of their variable on their path. Walks backwards.
#[derive(Default)]
struct LastUses {
    live: FxHashSet<Var>,
    atoms: FxHashSet<*const Atom>,
    /// Variables that became live, so that a branch can be undone.
    log: Vec<Var>,
}

impl LastUses {
    fn see(&mut self, atom: &Atom) {
        if let Atom::Var(var) = atom
            && self.live.insert(*var)
        {
            self.log.push(*var);
            self.atoms.insert(atom);
        }
    }

    fn see_all(&mut self, expr: &Expr) {
        let mut atoms = vec![];
        expr.each_atom(&mut |atom| atoms.push(atom));
        atoms.into_iter().rev().for_each(|atom| self.see(atom));
    }

    fn block(&mut self, block: &Block) {
        self.see(&block.result);
        for binding in block.bindings.iter().rev() {
            match binding {
                Binding::Functions { captured, .. } => captured.iter().rev().for_each(|atom| self.see(atom)),
                Binding::Let { expr: Expr::If(condition, then, otherwise), .. } => {
                    self.branches(then, otherwise);
                    self.see(condition);
                }
                Binding::Let { expr, .. } => self.see_all(expr),
            }
        }
    }

    /// Both branches begin with what is live after them.
    fn branches(&mut self, then: &Block, otherwise: &Block) {
        base::budget::deep(|| {
            let mark = self.log.len();
            self.block(then);
            let added = self.log.split_off(mark);
            added.iter().for_each(|var| {
                self.live.remove(var);
            });
            self.block(otherwise);
            for var in added {
                if self.live.insert(var) {
                    self.log.push(var);
                }
            }
        })
    }
}

#[derive(Clone, Copy)]
enum Target {
    Return,
    Slot(u32),
}

struct Flattener {
    last: FxHashSet<*const Atom>,
    instructions: Vec<Instruction>,
    /// The last place that a jump leads to: what stands before it must stay where it is.
    jump_target: usize,
}

impl Flattener {
    fn emit(&mut self, action: Action, span: Span) {
        self.instructions.push(Instruction { action, span });
    }

    fn block(&mut self, block: &Block, target: Target) {
        let (last, before) = match block.bindings.split_last() {
            Some((Binding::Let { var, expr, span }, before)) if block.result == Atom::Var(*var) => {
                (Some((*var, expr, *span)), before)
            }
            _ => (None, &block.bindings[..]),
        };
        before.iter().for_each(|binding| self.binding(binding));
        match (last, target) {
            // The value of the block is the value of its last binding: branches and calls in tail position
            (Some((_, Expr::If(c, then, otherwise), span)), _) => self.branches(c, then, otherwise, target, span),
            (Some((_, Expr::Apply { f, x, order }, span)), Target::Return) => {
                let (f, x) = (self.operand(f), self.operand(x));
                self.emit(Action::TailApply { f, x, order: *order }, span);
            }
            (Some((var, expr, span)), target) => {
                self.expression(var, expr, span);
                self.finish(&block.result, target, block.span);
            }
            (None, target) => self.finish(&block.result, target, block.span),
        }
    }

    fn finish(&mut self, result: &Atom, target: Target, span: Span) {
        let result = self.operand(result);
        match target {
            Target::Return => self.emit(Action::Return(result), span),
            Target::Slot(slot) => self.emit(Action::Bind(slot, Op::Move(result)), span),
        }
    }

    fn binding(&mut self, binding: &Binding) {
        match binding {
            Binding::Let { var, expr, span } => self.expression(*var, expr, *span),
            Binding::Functions { vars, group, lifted, captured, span } => {
                let dests = vars.iter().map(|var| var.0).collect();
                let captured = self.operands(captured);
                let code = Code::new(group.clone());
                self.emit(Action::Functions { dests, code, lifted: *lifted, captured }, *span);
            }
        }
    }

    fn expression(&mut self, var: Var, expr: &Expr, span: Span) {
        let dest = var.0;
        let action = match expr {
            Expr::Apply { f: Atom::Root(Root::Prim(prim), 0), x, .. } => self.primitive(dest, *prim, x),
            Expr::Apply { f, x, order } => {
                Action::Apply { dest, f: self.operand(f), x: self.operand(x), order: *order }
            }
            Expr::Pull { b, d, order } => Action::Pull { dest, b: self.operand(b), d: self.operand(d), order: *order },
            Expr::If(c, then, otherwise) => return self.branches(c, then, otherwise, Target::Slot(dest), span),
            other => Action::Bind(dest, self.op(other)),
        };
        self.emit(action, span);
    }

    /// The tuple of arguments that was built just before for this call alone need not be built.
    fn primitive(&mut self, dest: u32, prim: Prim, x: &Atom) -> Action {
        let x = self.operand(x);
        if let Operand::Last(slot) = x
            && let Some(Instruction { action: Action::Bind(bound, Op::Tuple(args)), .. }) = self.instructions.last_mut()
            && *bound == slot
            && args.len() == prim.arity()
            && self.jump_target != self.instructions.len()
        {
            let Some(Instruction { action: Action::Bind(_, Op::Tuple(args)), .. }) = self.instructions.pop() else {
                unreachable!("flatten: the tuple")
            };
            return Action::Prim { dest, prim, args };
        }
        if prim.arity() == 1 {
            return Action::Prim { dest, prim, args: vec![x] };
        }
        Action::Apply { dest, f: Operand::Root(Root::Prim(prim), 0), x, order: 0 }
    }

    fn branches(&mut self, condition: &Atom, then: &Block, otherwise: &Block, target: Target, span: Span) {
        base::budget::deep(|| {
            let condition = self.operand(condition);
            let branch = self.instructions.len();
            self.emit(Action::Branch { condition, otherwise: 0 }, span);
            self.block(then, target);
            let jump = self.instructions.len();
            if let Target::Slot(_) = target {
                self.emit(Action::Jump(0), span);
            }
            let start = self.instructions.len();
            self.block(otherwise, target);
            let end = self.instructions.len();
            if let Action::Branch { otherwise, .. } = &mut self.instructions[branch].action {
                *otherwise = start;
            }
            if let Target::Slot(_) = target {
                self.instructions[jump].action = Action::Jump(end);
            }
            self.jump_target = end;
        })
    }

    fn op(&self, expr: &Expr) -> Op {
        match expr {
            Expr::Atom(a) => Op::Move(self.operand(a)),
            Expr::Tuple(atoms) => Op::Tuple(self.operands(atoms)),
            Expr::Record(fields) => {
                let labels = fields.iter().map(|(label, _)| *label).collect();
                Op::Record(labels, fields.iter().map(|(_, atom)| self.operand(atom)).collect())
            }
            Expr::Variant(constructor, atoms) => Op::Variant(constructor.clone(), self.operands(atoms)),
            Expr::Array(atoms) => Op::Array(self.operands(atoms)),
            Expr::Get(a, field) => Op::Get(self.operand(a), field.clone()),
            Expr::Inject(field, a) => Op::Inject(field.clone(), self.operand(a)),
            Expr::With(a, label, b) => Op::With(self.operand(a), *label, self.operand(b)),
            Expr::Omit(a, label) => Op::Omit(self.operand(a), *label),
            Expr::Plus(a, b) => Op::Plus(self.operand(a), self.operand(b)),
            Expr::Tangent { f, d, order } => Op::Tangent { f: self.operand(f), d: self.operand(d), order: *order },
            Expr::Is(a, form) => Op::Is(self.operand(a), form.clone()),
            Expr::Check(a, form) => Op::Check(self.operand(a), form.clone()),
            Expr::Fail(failure, atoms) => Op::Fail(failure.clone(), self.operands(atoms)),
            Expr::Apply { .. } | Expr::Pull { .. } | Expr::If(..) => unreachable!("flatten: calls and branches"),
        }
    }

    fn operands(&self, atoms: &[Atom]) -> Vec<Operand> {
        atoms.iter().map(|atom| self.operand(atom)).collect()
    }

    fn operand(&self, atom: &Atom) -> Operand {
        match atom {
            Atom::Var(var) if self.last.contains(&std::ptr::from_ref(atom)) => Operand::Last(var.0),
            Atom::Var(var) => Operand::Slot(var.0),
            Atom::Root(root, order) => Operand::Root(*root, *order),
            Atom::Const(constant) => Operand::Const(constant_value(constant)),
        }
    }
}

fn constant_value(constant: &Const) -> Value {
    match constant {
        Const::Unit => Value::unit(),
        Const::Bool(b) => Value::Bool(*b),
        Const::Int(i) => Value::Int(*i),
        Const::Real(x) => Value::Real(*x),
        Const::Text(text) => Value::text(&**text),
        Const::Zero => Value::Zero,
    }
}
