//! J, J⁻¹, zero, ⊕ as primitives, and the checks at the boundary between a program and derived code.

use base::{Span, codes};
use calculus::Prim;
use differentiate::sensitivities::fit::{self, Fit, Giver, Part};
use first_order::{Alternative, Atom, Head, Op, Scalar, ShapeId, Type};

use crate::body::Alt;
use crate::graph::{BOOL, INT, NEVER, REAL, UNIT, ZERO};
use crate::instances::Specialiser;
use crate::{Reason, Result1, Stop, Val, limits};

/// What it is if a sensitivity doesn't fit.
fn mismatch(giver: Giver) -> base::Code {
    match giver {
        Giver::Rule => codes::RULE_NOT_CONFORMING,
        Giver::Seed | Giver::Tangent => codes::COTANGENT_MISMATCH,
    }
}

impl Specialiser<'_> {
    pub fn sensitivity_prim(&mut self, prim: Prim, args: &[Val], span: Span) -> Result1<Val> {
        match prim {
            Prim::J => self.lifted(&args[0], 1, span),
            Prim::JInv => self.lifted(&args[0], -1, span),
            Prim::Zero => {
                let zero = self.zero();
                self.full(&args[0], &zero, span)
            }
            Prim::Plus => self.plus_given(&args[0], &args[1], span),
            Prim::Perturbed => {
                let value = args[0].clone();
                self.test(&value, span, &mut |this, alt| {
                    let shape = this.graph.exact(alt.head.clone(), alt.parts.clone());
                    Ok(Atom::Bool(this.holds_real(shape)))
                })
            }
            Prim::Materialise => self.full(&args[0], &args[1], span),
            Prim::Bare => self.raw_of(&args[0], &args[1], limits::BARED_DEPTH, span),
            Prim::Answer => self.answer(&args[0], span),
            Prim::Accept => {
                self.conform(&args[0], &args[1], Giver::Tangent, limits::COMPARED_DEPTH, span)?;
                self.raw_of(&args[0], &args[1], limits::BARED_DEPTH, span)
            }
            Prim::RulePair => self.rule_pair(&args[1], span),
            Prim::RuleResult => self.rule_result(&args[0], &args[1], &args[2], span),
            Prim::Differentiable => self.differentiable(&args[0], span),
            Prim::Seed => {
                let y = self.forced(&args[0], span)?;
                self.split(&y, span, &mut |this, alt| match alt.head {
                    Head::Real | Head::Int => Ok(Val { atom: Atom::Real(1.0), shape: REAL }),
                    _ => this.fail(codes::NOT_A_SCALAR, span),
                })
            }
            other => unreachable!("sensitivities: {other}"),
        }
    }

    /// Is there a real in values of this shape? (An array counts by the kind of its elements.)
    pub fn holds_real(&self, shape: ShapeId) -> bool {
        self.graph.reachable(shape).into_iter().any(|id| {
            let alternatives = self.graph.alternatives(id).iter();
            alternatives
                .into_iter()
                .any(|one| matches!(one.head, Head::Real | Head::Sealed { .. } | Head::Handle(_) | Head::Frame(_)))
        })
    }

    pub fn holds_discrete(&self, shape: ShapeId) -> bool {
        self.graph.reachable(shape).into_iter().any(|id| {
            self.graph.alternatives(id).iter().any(|one| match one.head {
                Head::Int | Head::Bool | Head::Text => true,
                Head::Tuple => one.parts.is_empty(),
                _ => false,
            })
        })
    }

    fn differentiable(&mut self, x: &Val, span: Span) -> Result1<Val> {
        let x = self.forced(x, span)?;
        let (real, function) = (self.holds_real(x.shape), self.holds_function(x.shape));
        let recursive = self.graph.reachable(x.shape).iter().any(|id| self.graph.get(*id).named.is_some());
        let alternatives = self.graph.alternatives(x.shape).len();
        if (real || function) && alternatives == 1 && !recursive {
            return Ok(x);
        }
        if !self.holds_discrete(x.shape) {
            return Ok(x);
        }
        if !real && !function {
            return self.fail(codes::NOTHING_TO_DIFFERENTIATE, span);
        }
        if recursive {
            // Lists: an empty list of anything is fine, others hold what their elements hold.
            return Ok(x);
        }
        self.split(&x, span, &mut |this, alt| {
            let one = this.narrowed(&alt);
            this.differentiable(&one, span)
        })
    }

    /// A sensitivity that a program gives for the result `y`: it must fit.
    pub fn accept(&mut self, y: &Val, d: &Val, span: Span) -> Result1<Val> {
        self.conform(y, d, Giver::Seed, limits::COMPARED_DEPTH, span)?;
        self.raw_of(y, d, limits::BARED_DEPTH, span)
    }

    /// Compares a sensitivity with the value it should belong to; code is written only where shapes leave it open.
    pub fn conform(&mut self, of: &Val, d: &Val, giver: Giver, depth: usize, span: Span) -> Result1<()> {
        if depth == 0 || d.shape == ZERO || self.surely_conforms(of.shape, d.shape, giver, depth) {
            return Ok(());
        }
        // A sensitivity that is full for some value: the two values are compared, as far as shapes tell.
        let alike = |one: &Alternative| one.head == Head::Full && self.is_alike(of.shape, one.parts[0], giver, depth);
        if self.graph.alternatives(d.shape).iter().all(alike) {
            return Ok(());
        }
        let of = self.forced(of, span)?;
        self.split(&of, span, &mut |this, of| {
            this.split(d, span, &mut |this, d| {
                match fit::fits(&this.top(&of), &this.top(&d), giver) {
                    Fit::Fits => {}
                    Fit::ByValue => {
                        let (of, other) = (this.narrowed(&of), this.part(&d, 0, span));
                        this.compare_kinds(&of, &other, giver, depth, span)?;
                    }
                    Fit::Vanishes => this.vanishing(&d, giver, span),
                    Fit::Fields(parts) => {
                        for part in parts {
                            this.conform_part(part, &of, &d, giver, depth, span)?;
                        }
                    }
                    Fit::Arrays => {
                        let (a, b) = (this.narrowed(&of), this.narrowed(&d));
                        this.conform_arrays(a, b, giver, depth, span)?;
                    }
                    Fit::Function | Fit::Differs => return this.fail(mismatch(giver), span),
                }
                Ok(this.unit())
            })
        })?;
        Ok(())
    }

    fn conform_part(&mut self, part: Part, of: &Alt, d: &Alt, giver: Giver, depth: usize, span: Span) -> Result1<()> {
        match part {
            Part::Of { of: at, d: given } => {
                let (a, b) = (self.part(of, at, span), self.part(d, given, span));
                self.conform(&a, &b, giver, depth - 1, span)
            }
            Part::Unknown(given) => {
                let given = self.part(d, given, span);
                self.absent(&given, mismatch(giver), span)
            }
        }
    }

    /// Arrays fit if their shapes are equal, and their elements fit where a number may not be given.
    fn conform_arrays(&mut self, of: Val, d: Val, giver: Giver, depth: usize, span: Span) -> Result1<()> {
        self.conform_lengths(of.clone(), d.clone(), mismatch(giver), span)?;
        let parts = |this: &Self, array: &Val| this.graph.only(array.shape).map(|one| (one.head.clone(), one.parts[0]));
        let (Some((head, element)), Some((given, part))) = (parts(self, &of), parts(self, &d)) else { return Ok(()) };
        if self.surely_conforms(element, part, giver, depth) || !self.holds_discrete(element) {
            return Ok(());
        }
        if part == REAL || part == INT {
            return self.vanishing_elements(d, giver, span);
        }
        if head != Head::Array(1) || given != Head::Array(1) {
            return Ok(());
        }
        let n = self.draft.write(Type::Int, Op::Len(of.atom.clone()), span);
        let index = self.draft.fresh(Type::Int);
        let arm = self.arm(|this| {
            let at = [Atom::Var(index)];
            let (of, d) = (this.element(&of, &at, span)?, this.element(&d, &at, span)?);
            this.conform(&of, &d, giver, depth - 1, span)?;
            Ok(this.unit())
        })?;
        let body = Box::new(self.arm_block(arm, UNIT, span)?);
        let shape = self.array_shape(1, UNIT);
        let ty = self.type_of(shape);
        self.draft.write(ty, Op::Tabulate { n, index, body }, span);
        Ok(())
    }

    /// A number that is given where its value has no derivative must be 0.
    fn vanishing(&mut self, d: &crate::body::Alt, giver: Giver, span: Span) {
        let Some(d) = self.as_real(d, span) else { unreachable!("conformance: a number") };
        let zero = self.scalar(Scalar::Eq, vec![d, Atom::Real(0.0)], BOOL, span);
        self.draft.write(Type::unit(), Op::Require(zero.atom, mismatch(giver)), span);
    }

    /// The same for an array of them: each is 0 times itself.
    fn vanishing_elements(&mut self, d: Val, giver: Giver, span: Span) -> Result1<()> {
        let zero = Val { atom: Atom::Real(0.0), shape: REAL };
        let nothing = self.bridge(Prim::Times, vec![d.clone(), zero], d.shape, span)?;
        let same = self.bridge(Prim::Eq, vec![nothing, d], BOOL, span)?;
        self.draft.write(Type::unit(), Op::Require(same.atom, mismatch(giver)), span);
        Ok(())
    }

    fn conform_lengths(&mut self, of: Val, d: Val, code: base::Code, span: Span) -> Result1<()> {
        let vector = |this: &Self, of: &Val| this.graph.only(of.shape).is_some_and(|one| one.head == Head::Array(1));
        if vector(self, &of) && vector(self, &d) {
            let known = self.draft.write(Type::Int, Op::Len(of.atom), span);
            let given = self.draft.write(Type::Int, Op::Len(d.atom), span);
            let equal = self.scalar(Scalar::IntEq, vec![known, given], BOOL, span);
            self.draft.write(Type::unit(), Op::Require(equal.atom, code), span);
            return Ok(());
        }
        let lengths = self.graph.single(Head::Array(1), vec![crate::graph::INT]);
        let known = self.bridge(Prim::Shape, vec![of], lengths, span)?;
        let given = self.bridge(Prim::Shape, vec![d], lengths, span)?;
        let equal = self.bridge(Prim::Eq, vec![known, given], BOOL, span)?;
        let good = self.arm(|this| Ok(this.unit()))?;
        let bad = self.arm(|this| this.fail(code, span))?;
        self.branch(equal.atom, good, bad, span)?;
        Ok(())
    }

    /// Compares the kinds of two values; code is written only where shapes leave it open.
    fn compare_kinds(&mut self, of: &Val, other: &Val, giver: Giver, depth: usize, span: Span) -> Result1<()> {
        if self.is_alike(of.shape, other.shape, giver, depth) {
            return Ok(());
        }
        let (of, other) = (self.forced(of, span)?, self.forced(other, span)?);
        self.split(&of, span, &mut |this, ours| {
            this.split(&other, span, &mut |this, theirs| {
                match fit::alike(&this.top(&ours), &this.top(&theirs), giver) {
                    Fit::Fields(parts) => {
                        for part in parts {
                            this.compare_part(part, &ours, &theirs, giver, depth, span)?;
                        }
                    }
                    // Lengths are compared when the sensitivity unfolds.
                    Fit::Fits | Fit::Arrays => {}
                    _ => return this.fail(mismatch(giver), span),
                }
                Ok(this.unit())
            })
        })?;
        Ok(())
    }

    fn compare_part(
        &mut self,
        part: Part,
        of: &Alt,
        other: &Alt,
        giver: Giver,
        depth: usize,
        span: Span,
    ) -> Result1<()> {
        match part {
            Part::Of { of: at, d: given } => {
                let (a, b) = (self.part(of, at, span), self.part(other, given, span));
                self.compare_kinds(&a, &b, giver, depth - 1, span)
            }
            Part::Unknown(given) => {
                let given = self.part(other, given, span);
                self.absent(&given, mismatch(giver), span)
            }
        }
    }

    /// Do the kinds of two values agree, as far as their shapes tell?
    fn is_alike(&self, of: ShapeId, other: ShapeId, giver: Giver, depth: usize) -> bool {
        if of == other || depth == 0 {
            return true;
        }
        let alike = |ours: &Alternative, theirs: &Alternative| match fit::alike(
            &self.top_of(ours),
            &self.top_of(theirs),
            giver,
        ) {
            Fit::Fits | Fit::Arrays => true,
            Fit::Fields(parts) => parts.into_iter().all(|part| match part {
                Part::Of { of, d } => self.is_alike(ours.parts[of], theirs.parts[d], giver, depth - 1),
                Part::Unknown(given) => theirs.parts[given] == ZERO,
            }),
            _ => false,
        };
        let ours = self.graph.alternatives(of);
        self.graph.alternatives(other).iter().all(|theirs| ours.iter().any(|ours| alike(ours, theirs)))
    }

    /// Is it clear from the shapes alone that every such sensitivity fits every such value?
    fn surely_conforms(&self, of: ShapeId, d: ShapeId, giver: Giver, depth: usize) -> bool {
        if depth == 0 || d == ZERO {
            return true;
        }
        let conforms = |of: &Alternative, d: &Alternative| match fit::fits(&self.top_of(of), &self.top_of(d), giver) {
            Fit::Fits => true,
            Fit::Fields(parts) => parts.into_iter().all(|part| match part {
                Part::Of { of: at, d: given } => self.surely_conforms(of.parts[at], d.parts[given], giver, depth - 1),
                Part::Unknown(given) => d.parts[given] == ZERO,
            }),
            _ => false,
        };
        let (values, sensitivities) = (self.graph.alternatives(of), self.graph.alternatives(d));
        values.iter().all(|of| sensitivities.iter().all(|d| conforms(of, d)))
    }

    /// What a reverse rule returned must be a value and a backpropagator.
    fn rule_pair(&mut self, answer: &Val, span: Span) -> Result1<Val> {
        let answer = self.forced(answer, span)?;
        self.split(&answer, span, &mut |this, alt| {
            if alt.head != Head::Tuple || alt.parts.len() != 2 {
                return this.fail(codes::RULE_NOT_A_PAIR, span);
            }
            let back = this.part(&alt, 1, span);
            let back = this.forced(&back, span)?;
            let is_function = this.test(&back, span, &mut |_, alt| {
                let function = matches!(alt.head, Head::Closure { .. } | Head::Prim { .. } | Head::Sealed { .. });
                Ok(Atom::Bool(function))
            })?;
            match is_function.atom {
                Atom::Bool(true) => Ok(this.narrowed(&alt)),
                Atom::Bool(false) => this.fail(codes::RULE_NOT_A_PAIR, span),
                _ => this.dynamic(span, Reason::MaybeFunction),
            }
        })
    }

    /// Checks C2 and C3 on what a rule's backpropagator returned.
    fn rule_result(&mut self, f: &Val, x: &Val, answer: &Val, span: Span) -> Result1<Val> {
        let answer = self.forced(answer, span)?;
        self.split(&answer, span, &mut |this, alt| {
            if alt.head != Head::Tuple || alt.parts.len() != 2 {
                return this.fail(codes::RULE_NOT_A_PAIR, span);
            }
            let captures = this.part(&alt, 0, span);
            let captures = this.forced(&captures, span)?;
            let captures = this.rule_captures(f, &captures, span)?;
            let dx = this.part(&alt, 1, span);
            this.conform(x, &dx, Giver::Rule, limits::COMPARED_DEPTH, span)?;
            this.construct(Head::Tuple, vec![captures, dx], span)
        })
    }

    /// The labels must be captures of the function; one that only names a top-level definition is dropped.
    fn rule_captures(&mut self, f: &Val, captures: &Val, span: Span) -> Result1<Val> {
        self.split(captures, span, &mut |this, alt| {
            let labels = match &alt.head {
                Head::Zero => return Ok(this.zero()),
                Head::Record(labels) => labels.clone(),
                _ => return this.fail(codes::RULE_NOT_A_PAIR, span),
            };
            this.split(f, span, &mut |this, function| {
                let Head::Closure { code, member } = function.head else { return Ok(this.narrowed(&alt)) };
                let (group, index) = this.lambda(code, member);
                let known = this.codes.get(code).labels();
                let (mut kept, mut parts) = (vec![], vec![]);
                for (i, label) in labels.iter().enumerate() {
                    if let Some(at) = known.iter().position(|name| name == label) {
                        let (of, d) = (this.part(&function, at, span), this.part(&alt, i, span));
                        this.conform(&of, &d, Giver::Rule, limits::COMPARED_DEPTH, span)?;
                        kept.push(*label);
                        parts.push(d);
                    } else if !group.members[index].mentions.contains(label)
                        && group.members.iter().all(|other| other.name != Some(*label))
                    {
                        let part = this.part(&alt, i, span);
                        this.absent(&part, codes::UNKNOWN_LABEL, span)?;
                    }
                }
                this.construct(Head::Record(kept.into()), parts, span)
            })
        })
    }

    /// The shape that some code would give, without writing it.
    pub fn scratch(&mut self, write: impl FnOnce(&mut Self) -> Result1<Val>) -> Result1<ShapeId> {
        self.draft.open(vec![]);
        let result = write(self);
        self.draft.close();
        match result {
            Ok(value) => Ok(value.shape),
            Err(Stop::Never) => Ok(NEVER),
            Err(dynamic) => Err(dynamic),
        }
    }

    pub fn scratch_atom(&mut self, write: impl FnOnce(&mut Self) -> Result1<Atom>) -> Result1<Option<Atom>> {
        self.draft.open(vec![]);
        let result = write(self);
        self.draft.close();
        match result {
            Ok(atom) => Ok(Some(atom)),
            Err(Stop::Never) => Ok(None),
            Err(dynamic) => Err(dynamic),
        }
    }

    /// Some value of the shape, for code that is thrown away.
    pub fn invented(&mut self, shape: ShapeId) -> Val {
        let ty = self.type_of(shape);
        Val { atom: Atom::Var(self.draft.fresh(ty)), shape }
    }

    /// A primitive on values, by way of the reference evaluator's representation.
    pub fn bridge(&mut self, prim: Prim, args: Vec<Val>, result: ShapeId, span: Span) -> Result1<Val> {
        let shapes = args.iter().map(|arg| arg.shape).collect();
        let args = args.into_iter().map(|arg| arg.atom).collect();
        let ty = self.type_of(result);
        let atom = self.draft.write(ty, first_order::Op::Prim { prim, args, shapes, result }, span);
        Ok(Val { atom, shape: result })
    }

    pub fn truth(&self, b: bool) -> Val {
        Val { atom: Atom::Bool(b), shape: BOOL }
    }
}
