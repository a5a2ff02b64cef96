//! The bodies of functions: every binding of L1 becomes statements of L3.

use std::rc::Rc;

use base::{Part, Span, budget, codes};
use calculus::{Atom as L1Atom, Binding, Block as L1Block, Const, Expr, Failure, Role, Root, Var as L1Var};
use first_order::{Alternative, Atom, Block, CodeId, End, Head, Op, ShapeId, Statement, Type, Var};

use crate::draft::{Made, ended};
use crate::graph::{BOOL, INT, NEVER, REAL, TEXT, UNIT, ZERO};
use crate::instances::Specialiser;
use crate::{Result1, Stop, Val};

/// The variables of the function whose body is being written.
pub struct Frame {
    vars: Vec<Option<Val>>,
    code: CodeId,
    captures: Vec<Val>,
    first_member: u32,
    members: u32,
}

/// One alternative of a value: its head and content.
#[derive(Clone)]
pub struct Alt {
    pub head: Head,
    pub parts: Vec<ShapeId>,
    pub content: Atom,
    /// The value itself, if this is all that it may be.
    pub whole: Option<Val>,
}

/// A block that was written and doesn't know yet in which shape its value is wanted.
pub struct Arm {
    statements: Vec<Statement>,
    value: Option<Val>,
}

impl Arm {
    pub fn shape(&self) -> ShapeId {
        self.value.as_ref().map_or(NEVER, |value| value.shape)
    }
}

/// The constant that all arms give which give anything. What is decided by it needn't be left open.
fn agreed(arms: &[&Arm]) -> Option<Val> {
    let mut values = arms.iter().filter_map(|arm| arm.value.as_ref());
    let first = values.next()?;
    let is_known = matches!(first.atom, Atom::Bool(_) | Atom::Int(_));
    let is_same = |value: &Val| value.shape == first.shape && value.atom == first.atom;
    (is_known && values.all(is_same)).then(|| first.clone())
}

impl Specialiser<'_> {
    /// The body of a member of a group at these captures and argument (the last).
    pub fn body(&mut self, code: CodeId, member: u32, mut args: Vec<Val>) -> Result1<Val> {
        let (group, index) = self.lambda(code, member);
        let lambda = &group.members[index];
        let x = args.pop().expect("body: an argument");
        let mut frame = Frame {
            vars: vec![None; lambda.vars.len()],
            code,
            captures: args.clone(),
            first_member: group.member_var(0).0,
            members: group.members.len() as u32,
        };
        frame.vars[0] = Some(x);
        for (i, capture) in args.into_iter().enumerate() {
            frame.vars[1 + i] = Some(capture);
        }
        let outer = self.draft.part;
        self.draft.part = match lambda.role {
            Role::Backpropagator => Part::Back,
            Role::Forward => Part::Tangent,
            // The library is a part of what calls it.
            Role::Source | Role::Reverse if lambda.span.file.0 < self.draft.first_own_file => outer,
            Role::Source | Role::Reverse => Part::Primal,
        };
        let value = self.block(&lambda.body, &mut frame);
        self.draft.part = outer;
        value
    }

    fn block(&mut self, block: &L1Block, frame: &mut Frame) -> Result1<Val> {
        budget::deep(|| {
            for binding in &block.bindings {
                budget::spend(1);
                match binding {
                    Binding::Let { var, expr, span } => {
                        let value = self.expr(expr, frame, *span)?;
                        frame.vars[var.0 as usize] = Some(value);
                    }
                    Binding::Functions { vars, group, lifted, captured, span } => {
                        let mut code = self.codes.of_group(group);
                        for _ in 0..*lifted {
                            code = self.codes.reversed(code);
                        }
                        let captured = self.atoms(captured, frame, *span)?;
                        for (member, var) in vars.iter().enumerate() {
                            let head = Head::Closure { code, member: member as u32 };
                            let closure = self.construct(head, captured.clone(), *span)?;
                            frame.vars[var.0 as usize] = Some(closure);
                        }
                    }
                }
            }
            self.atom(&block.result, frame, block.span)
        })
    }

    fn atoms(&mut self, atoms: &[L1Atom], frame: &mut Frame, span: Span) -> Result1<Vec<Val>> {
        atoms.iter().map(|atom| self.atom(atom, frame, span)).collect()
    }

    fn atom(&mut self, atom: &L1Atom, frame: &mut Frame, span: Span) -> Result1<Val> {
        match atom {
            L1Atom::Var(var) => self.variable(*var, frame, span),
            L1Atom::Const(constant) => Ok(self.constant(constant, span)),
            L1Atom::Root(Root::Prim(prim), order) => {
                let shape = self.graph.single(Head::Prim { prim: *prim, order: *order }, vec![]);
                Ok(Val { atom: Atom::Unit, shape })
            }
            L1Atom::Root(Root::Global(id), order) => self.global(*id, *order, span),
            L1Atom::Root(Root::Reverse(prim), order) => {
                let rule = self.world.derivative(*prim);
                self.rule(rule, *prim, *order, span)
            }
            L1Atom::Root(Root::Forward(prim), order) => {
                let rule = self.world.forward_rule(*prim);
                self.rule(rule, *prim, *order, span)
            }
        }
    }

    fn variable(&mut self, var: L1Var, frame: &mut Frame, span: Span) -> Result1<Val> {
        if let Some(value) = &frame.vars[var.0 as usize] {
            return Ok(value.clone());
        }
        let member = var.0 - frame.first_member;
        assert!(member < frame.members, "body: a variable is used after its binding");
        let head = Head::Closure { code: frame.code, member };
        let captures = frame.captures.clone();
        self.construct(head, captures, span)
    }

    pub fn constant(&mut self, constant: &Const, span: Span) -> Val {
        match constant {
            Const::Unit => Val { atom: Atom::Unit, shape: UNIT },
            Const::Bool(b) => Val { atom: Atom::Bool(*b), shape: BOOL },
            Const::Int(i) => Val { atom: Atom::Int(*i), shape: INT },
            Const::Real(x) => Val { atom: Atom::Real(*x), shape: REAL },
            Const::Text(text) => self.text(text, span),
            Const::Zero => self.zero(),
        }
    }

    pub fn text(&mut self, text: &Rc<str>, span: Span) -> Val {
        let atom = self.draft.write(Type::Text, Op::Text(text.clone()), span);
        Val { atom, shape: TEXT }
    }

    pub fn zero(&self) -> Val {
        Val { atom: Atom::Unit, shape: ZERO }
    }

    pub fn unit(&self) -> Val {
        Val { atom: Atom::Unit, shape: UNIT }
    }

    fn expr(&mut self, expr: &Expr, frame: &mut Frame, span: Span) -> Result1<Val> {
        match expr {
            Expr::Atom(a) => self.atom(a, frame, span),
            Expr::Apply { f, x, order } => {
                let (f, x) = (self.atom(f, frame, span)?, self.atom(x, frame, span)?);
                self.apply(&f, x, *order, span)
            }
            Expr::Pull { b, d, order } => {
                let (b, d) = (self.atom(b, frame, span)?, self.atom(d, frame, span)?);
                self.pull(&b, d, *order, span)
            }
            Expr::Tangent { f, d, order } => {
                let (f, d) = (self.atom(f, frame, span)?, self.atom(d, frame, span)?);
                self.tangent(&f, &d, *order, span)
            }
            Expr::Tuple(atoms) => {
                let parts = self.atoms(atoms, frame, span)?;
                self.construct(Head::Tuple, parts, span)
            }
            Expr::Record(fields) => {
                let labels = fields.iter().map(|(label, _)| *label).collect();
                let mut parts = vec![];
                for (_, atom) in fields {
                    parts.push(self.atom(atom, frame, span)?);
                }
                self.construct(Head::Record(labels), parts, span)
            }
            Expr::Variant(constructor, atoms) => {
                let parts = self.atoms(atoms, frame, span)?;
                self.construct(Head::Variant(constructor.clone()), parts, span)
            }
            Expr::Array(atoms) => {
                let elements = self.atoms(atoms, frame, span)?;
                self.array_literal(elements, span)
            }
            Expr::Get(a, field) => {
                let a = self.atom(a, frame, span)?;
                self.get(&a, field, span)
            }
            Expr::Inject(field, a) => {
                let a = self.atom(a, frame, span)?;
                self.inject(field, a, span)
            }
            Expr::With(a, label, b) => {
                let (a, b) = (self.atom(a, frame, span)?, self.atom(b, frame, span)?);
                self.with(&a, *label, &b, span)
            }
            Expr::Omit(a, label) => {
                let a = self.atom(a, frame, span)?;
                self.omit(&a, *label, span)
            }
            Expr::Plus(a, b) => {
                let (a, b) = (self.atom(a, frame, span)?, self.atom(b, frame, span)?);
                self.plus(&a, &b, span)
            }
            Expr::Is(a, form) => {
                let a = self.atom(a, frame, span)?;
                self.is(&a, form, span)
            }
            Expr::Check(a, form) => {
                let a = self.atom(a, frame, span)?;
                self.check(&a, form, span)
            }
            Expr::If(condition, then, otherwise) => {
                let condition = self.atom(condition, frame, span)?;
                let condition = self.boolean(&condition, span)?;
                match condition {
                    Atom::Bool(true) => self.block(then, frame),
                    Atom::Bool(false) => self.block(otherwise, frame),
                    condition => {
                        let then = self.arm(|this| this.block(then, frame))?;
                        let otherwise = self.arm(|this| this.block(otherwise, frame))?;
                        self.branch(condition, then, otherwise, span)
                    }
                }
            }
            Expr::Fail(failure, atoms) => {
                self.atoms(atoms, frame, span)?;
                let code = match failure {
                    Failure::NoMatch => codes::NO_MATCH,
                    Failure::Pattern => codes::PATTERN_MISMATCH,
                    Failure::Assertion => codes::ASSERTION_FAILED,
                };
                self.fail(code, span)
            }
        }
    }

    /// The boolean that a condition is.
    pub fn boolean(&mut self, condition: &Val, span: Span) -> Result1<Atom> {
        if condition.shape == BOOL {
            return Ok(condition.atom.clone());
        }
        let condition = self.split(condition, span, &mut |this, alt| match alt.head {
            Head::Bool => Ok(Val { atom: alt.content, shape: BOOL }),
            Head::Full => {
                let value = this.unfold_alternative(&alt, span)?;
                Ok(Val { atom: this.boolean(&value, span)?, shape: BOOL })
            }
            _ => this.fail(codes::NOT_A_BOOLEAN, span),
        })?;
        Ok(condition.atom)
    }

    /// Writes a block of its own.
    pub fn arm(&mut self, write: impl FnOnce(&mut Self) -> Result1<Val>) -> Result1<Arm> {
        self.draft.open(vec![]);
        let result = write(self);
        let statements = self.draft.close();
        match result {
            Ok(value) => Ok(Arm { statements, value: Some(value) }),
            Err(Stop::Never) => Ok(Arm { statements, value: None }),
            Err(dynamic) => Err(dynamic),
        }
    }

    /// The block of an arm, its value converted to the shape.
    pub fn arm_block(&mut self, arm: Arm, shape: ShapeId, span: Span) -> Result1<Block> {
        let Some(value) = arm.value else { return Ok(ended(arm.statements, End::Never)) };
        self.draft.open(arm.statements);
        let value = self.coerce(&value, shape, span);
        let statements = self.draft.close();
        match value {
            Ok(value) => Ok(ended(statements, End::Yield(value.atom))),
            Err(Stop::Never) => Ok(ended(statements, End::Never)),
            Err(dynamic) => Err(dynamic),
        }
    }

    /// The arm with more written after its value.
    pub fn extended(&mut self, arm: Arm, more: impl FnOnce(&mut Self, Val) -> Result1<Val>) -> Result1<Arm> {
        let Some(value) = arm.value else { return Ok(arm) };
        self.draft.open(arm.statements);
        let result = more(self, value);
        let statements = self.draft.close();
        match result {
            Ok(value) => Ok(Arm { statements, value: Some(value) }),
            Err(Stop::Never) => Ok(Arm { statements, value: None }),
            Err(dynamic) => Err(dynamic),
        }
    }

    pub fn branch(&mut self, condition: Atom, then: Arm, otherwise: Arm, span: Span) -> Result1<Val> {
        let shape = self.graph.join(then.shape(), otherwise.shape());
        let agreed = agreed(&[&then, &otherwise]);
        let then = Box::new(self.arm_block(then, shape, span)?);
        let otherwise = Box::new(self.arm_block(otherwise, shape, span)?);
        let ty = self.type_of(shape);
        let atom = self.draft.write(ty, Op::If(condition, then, otherwise), span);
        if shape == NEVER { self.unreached(span) } else { Ok(agreed.unwrap_or(Val { atom, shape })) }
    }

    /// What a value of a named shape holds.
    pub fn opened(&mut self, value: &Val, span: Span) -> Atom {
        if self.graph.get(value.shape).named.is_none() {
            return value.atom.clone();
        }
        if let Some(Made::Box(content)) = self.draft.made(&value.atom) {
            return content.clone();
        }
        let content = self.graph.shapes.content_of(value.shape);
        self.draft.write(content, Op::Unbox(value.atom.clone()), span)
    }

    /// Goes on for each alternative that a value may be.
    pub fn split(
        &mut self,
        value: &Val,
        span: Span,
        each: &mut dyn FnMut(&mut Self, Alt) -> Result1<Val>,
    ) -> Result1<Val> {
        budget::deep(|| self.split_here(value, span, each))
    }

    fn split_here(
        &mut self,
        value: &Val,
        span: Span,
        each: &mut dyn FnMut(&mut Self, Alt) -> Result1<Val>,
    ) -> Result1<Val> {
        let alternatives = self.graph.alternatives(value.shape).to_vec();
        budget::spend(alternatives.len());
        let content = self.opened(value, span);
        match &alternatives[..] {
            [] => self.unreached(span),
            [Alternative { head, parts }] => {
                let whole = Some(value.clone());
                each(self, Alt { head: head.clone(), parts: parts.clone(), content, whole })
            }
            _ if let Some(Made::Inject(at, content)) = self.draft.made(&content) => {
                let Alternative { head, parts } = alternatives[*at as usize].clone();
                let content = content.clone();
                each(self, Alt { head, parts, content, whole: None })
            }
            _ => {
                let mut arms: Vec<(Var, Arm)> = vec![];
                let mut shape = NEVER;
                for alternative in &alternatives {
                    let ty = self.graph.shapes.alternative_type(alternative);
                    let var = self.draft.fresh(ty);
                    let Alternative { head, parts } = alternative.clone();
                    let arm = self.arm(|this| each(this, Alt { head, parts, content: Atom::Var(var), whole: None }))?;
                    shape = self.graph.join(shape, arm.shape());
                    arms.push((var, arm));
                }
                self.switch(content, arms, shape, span)
            }
        }
    }

    fn switch(&mut self, content: Atom, arms: Vec<(Var, Arm)>, shape: ShapeId, span: Span) -> Result1<Val> {
        let agreed = agreed(&arms.iter().map(|(_, arm)| arm).collect::<Vec<_>>());
        let mut blocks = vec![];
        for (var, arm) in arms {
            blocks.push((var, self.arm_block(arm, shape, span)?));
        }
        let ty = self.type_of(shape);
        let atom = self.draft.write(ty, Op::Switch(content, blocks), span);
        if shape == NEVER { self.unreached(span) } else { Ok(agreed.unwrap_or(Val { atom, shape })) }
    }

    /// A part of an alternative.
    pub fn part(&mut self, alt: &Alt, i: usize, span: Span) -> Val {
        let shape = alt.parts[i];
        let ty = self.type_of(shape);
        let atom = if ty == Type::Struct(Rc::from([])) {
            Atom::Unit
        } else if let Some(Made::Struct(atoms)) = self.draft.made(&alt.content) {
            atoms[i].clone()
        } else {
            self.draft.write(ty, Op::Field(alt.content.clone(), i as u32), span)
        };
        Val { atom, shape }
    }

    pub fn all_parts(&mut self, alt: &Alt, span: Span) -> Vec<Val> {
        (0..alt.parts.len()).map(|i| self.part(alt, i, span)).collect()
    }

    /// The value that is known to be this alternative.
    pub fn narrowed(&mut self, alt: &Alt) -> Val {
        if let Some(whole) = &alt.whole {
            return whole.clone();
        }
        let shape = self.graph.exact(alt.head.clone(), alt.parts.clone());
        if self.graph.get(shape).named.is_none() {
            return Val { atom: alt.content.clone(), shape };
        }
        let ty = self.type_of(shape);
        let atom = self.draft.write(ty, Op::Box(alt.content.clone()), Span::default());
        Val { atom, shape }
    }
}
