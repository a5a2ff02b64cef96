//! Calls: of closures, of primitives and their J-images, of backpropagators raw and sealed. What the reference
//! evaluator's machine decides when a call happens is decided here from shapes.

use base::{Span, codes};
use calculus::Prim;
use differentiate::Mode;
use differentiate::boundary::Application;
use eval::Value;
use first_order::{Atom, CodeId, Head, ShapeId};

use crate::body::Alt;
use crate::draft::Made;
use crate::graph::{UNIT, ZERO};
use crate::instances::{Inlined, Kind, Specialiser};
use crate::{Reason, Result1, Val, limits};

impl Specialiser<'_> {
    /// Applies a function. In code that J made (`order` > 0) it must be a J-image (C1).
    pub fn apply(&mut self, f: &Val, x: Val, order: u32, span: Span) -> Result1<Val> {
        self.split(f, span, &mut |this, alt| this.apply_alternative(&alt, x.clone(), order, span))
    }

    fn apply_alternative(&mut self, alt: &Alt, x: Val, order: u32, span: Span) -> Result1<Val> {
        match alt.head {
            Head::Zero => Ok(self.zero()),
            Head::Closure { code, member } => {
                let lifted = self.order(code);
                if order > lifted {
                    return self.fail(codes::NOT_LIFTED, span);
                }
                if lifted > limits::ORDER {
                    return self.dynamic(span, Reason::Order);
                }
                if let Some(value) = self.still(alt, &x, order, span)? {
                    return Ok(value);
                }
                let mut args = self.all_parts(alt, span);
                args.push(x.clone());
                let value = self.enter(code, member, args, span)?;
                if order < lifted {
                    let f = self.narrowed(alt);
                    return self.sealed(&value, Application { f, x }, order, span);
                }
                Ok(value)
            }
            Head::Prim { prim, order: lifted } => {
                if order > lifted {
                    return self.fail(codes::NOT_LIFTED, span);
                }
                if lifted == 0 {
                    return self.apply_prim(prim, x, span);
                }
                if lifted > limits::ORDER {
                    return self.dynamic(span, Reason::Order);
                }
                let derivative = self.derivative(prim, lifted - 1, span)?;
                let value = self.apply(&derivative, x.clone(), lifted - 1, span)?;
                if order < lifted {
                    let f = self.narrowed(alt);
                    return self.sealed(&value, Application { f, x }, order, span);
                }
                Ok(value)
            }
            Head::Sealed { ref modes } => {
                if order > count(modes, Mode::Reverse) {
                    return self.fail(codes::NOT_LIFTED, span);
                }
                self.apply_sealed(alt, &modes.clone(), &x, span)
            }
            Head::Full => {
                let value = self.unfold_alternative(alt, span)?;
                self.apply(&value, x, order, span)
            }
            _ => self.fail(codes::NOT_A_FUNCTION, span),
        }
    }

    /// How often J was applied to code.
    pub fn order(&self, code: CodeId) -> u32 {
        self.codes.get(code).group.order
    }

    /// The in-language reverse of a primitive under further Js.
    fn derivative(&mut self, prim: Prim, by: u32, span: Span) -> Result1<Val> {
        let rule = self.world.derivative(prim);
        self.rule(rule, prim, by, span)
    }

    /// A function of the library that says how a primitive differentiates, under further Js.
    pub fn rule(&mut self, rule: Option<Value>, prim: Prim, by: u32, span: Span) -> Result1<Val> {
        let Some(value) = rule else { return self.dynamic(span, Reason::NoDerivative(prim)) };
        let shape = self.shape_of(&value, span)?;
        let shape = self.lift(shape, by as i32, span)?;
        Ok(Val { atom: Atom::Unit, shape })
    }

    /// Runs the body of a function: in place if it is short, else as an instance.
    pub fn enter(&mut self, code: CodeId, member: u32, args: Vec<Val>, span: Span) -> Result1<Val> {
        let (group, index) = self.lambda(code, member);
        let x = args.last().expect("calls: an argument");
        let inlined = Inlined { code, member, x: x.shape };
        let nested = self.inlined.iter().filter(|other| (other.code, other.member) == (code, member));
        let fresh = nested.clone().all(|other| other.x != x.shape);
        let nested = nested.count();
        let short = group.members.len() == 1 && is_short(&group.members[index].body, group.member_var(0));
        let in_place = if short && self.is_recursive(code, &group.members[index].body) {
            // A recursion that counts down from a constant while the functions it is given change.
            fresh && nested < limits::INLINED_DEPTH && self.counts_down(x)
        } else {
            short && nested == 0 && self.inlined.len() < limits::INLINED_DEPTH
        };
        if in_place {
            self.inlined.push(inlined);
            let outer = self.draft.enter(span);
            let value = self.body(code, member, args);
            self.draft.leave(outer);
            self.inlined.pop();
            return value;
        }
        self.call(Kind::Call { code, member }, args, span)
    }

    /// Does the body of a top-level function mention the function itself?
    fn is_recursive(&mut self, code: CodeId, body: &calculus::Block) -> bool {
        if let Some(known) = self.recursive.get(&code) {
            return *known;
        }
        let root = self.codes.root(code).0;
        let mut recursive = false;
        body.each_atom(&mut |atom| {
            if let calculus::Atom::Root(calculus::Root::Global(id), _) = atom
                && let Some(Value::Function(function)) = self.world.global(*id)
                && let eval::value::Function::Closure(closure) = &*function
            {
                recursive |= self.codes.root(self.codes.of_code(&closure.code)).0 == root;
            }
        });
        self.recursive.insert(code, recursive);
        recursive
    }

    /// Are a constant int and a function among the arguments?
    fn counts_down(&self, x: &Val) -> bool {
        let constant = match (&x.atom, self.draft.made(&x.atom)) {
            (Atom::Int(_), _) => true,
            (_, Some(Made::Struct(atoms))) => atoms.iter().any(|atom| matches!(atom, Atom::Int(_))),
            _ => false,
        };
        constant && (self.holds_function(x.shape) || matches!(x.atom, Atom::Int(0..=16)))
    }

    /// Applies a backpropagator in derived code: to zero, it gives zero without being run.
    pub fn pull(&mut self, b: &Val, d: Val, order: u32, span: Span) -> Result1<Val> {
        let d = if order == 0 { self.raw(&d, span)? } else { d };
        if d.shape == ZERO || d.shape == UNIT {
            return Ok(self.zero());
        }
        if self.pushes(b) > 0 {
            return self.pull_pushed(b, &d, order, span);
        }
        let may_vanish = self.graph.alternatives(d.shape).iter().any(|alternative| {
            alternative.head == Head::Zero || (alternative.head == Head::Tuple && alternative.parts.is_empty())
        });
        if !may_vanish {
            return self.run_raw(b, d, span);
        }
        self.split_nonzero(&d, span, &mut |this, d| this.run_raw(b, d, span))
    }

    /// Goes on with what is not zero; zero gives zero.
    pub fn split_nonzero(
        &mut self,
        d: &Val,
        span: Span,
        each: &mut dyn FnMut(&mut Self, Val) -> Result1<Val>,
    ) -> Result1<Val> {
        let alternatives = self.graph.alternatives(d.shape).to_vec();
        let vanishes =
            |head: &Head, parts: &[ShapeId]| *head == Head::Zero || (*head == Head::Tuple && parts.is_empty());
        let rest: Vec<_> = alternatives.iter().filter(|one| !vanishes(&one.head, &one.parts)).cloned().collect();
        if rest.len() == alternatives.len() {
            return each(self, d.clone());
        }
        if rest.len() <= 1 {
            return self.split(d, span, &mut |this, alt| {
                if vanishes(&alt.head, &alt.parts) {
                    return Ok(this.zero());
                }
                let value = this.narrowed(&alt);
                each(this, value)
            });
        }
        // Several that don't vanish stay one union, so that what follows is written once.
        let kept = self.graph.union(rest);
        let widened = self.split(d, span, &mut |this, alt| {
            if vanishes(&alt.head, &alt.parts) {
                return Ok(this.zero());
            }
            let value = this.narrowed(&alt);
            let value = this.coerce(&value, kept, span)?;
            this.construct(Head::Tuple, vec![value], span)
        })?;
        self.split(&widened, span, &mut |this, alt| {
            if alt.head == Head::Zero {
                return Ok(this.zero());
            }
            let value = this.part(&alt, 0, span);
            each(this, value)
        })
    }

    /// Applies what is under the seals of a backpropagator.
    pub fn run_raw(&mut self, b: &Val, d: Val, span: Span) -> Result1<Val> {
        let may_nest = |head: &Head| matches!(head, Head::Sealed { .. } | Head::Full);
        let nests = self.graph.alternatives(b.shape).iter().any(|one| may_nest(&one.head));
        let recursive = nests || (self.graph.is_recursive(b.shape) && self.graph.is_function(b.shape));
        if recursive && self.graph.get(b.shape).named.is_some() {
            return self.call(Kind::RunRaw, vec![b.clone(), d], span);
        }
        self.run_raw_alternatives(b, d, span)
    }

    /// One level of [`Specialiser::run_raw`].
    pub fn run_raw_alternatives(&mut self, b: &Val, d: Val, span: Span) -> Result1<Val> {
        self.split(b, span, &mut |this, alt| match alt.head {
            Head::Sealed { .. } => {
                let raw = this.part(&alt, 0, span);
                this.run_raw(&raw, d.clone(), span)
            }
            Head::Closure { .. } | Head::Prim { .. } => this.apply_alternative(&alt, d.clone(), 0, span),
            Head::Full => {
                let value = this.unfold_alternative(&alt, span)?;
                this.run_raw(&value, d.clone(), span)
            }
            Head::Zero => Ok(this.zero()),
            _ => this.fail(codes::NOT_A_FUNCTION, span),
        })
    }
}

pub fn count(modes: &[Mode], mode: Mode) -> u32 {
    modes.iter().filter(|other| **other == mode).count() as u32
}

/// Is a body short enough to be written in place of a call, and doesn't it mention its own group?
fn is_short(body: &calculus::Block, own: calculus::Var) -> bool {
    let mut count = 0;
    let mut recursive = false;
    count_bindings(body, &mut count);
    body.each_atom(&mut |atom| recursive |= *atom == calculus::Atom::Var(own));
    count <= limits::INLINED && !recursive
}

fn count_bindings(block: &calculus::Block, count: &mut usize) {
    for binding in &block.bindings {
        *count += 1;
        if *count > limits::INLINED {
            return;
        }
        if let calculus::Binding::Let { expr: calculus::Expr::If(_, then, otherwise), .. } = binding {
            count_bindings(then, count);
            count_bindings(otherwise, count);
        }
    }
}
