//! The AD primitives on values: **0**, ⊕, J and J⁻¹.
//!
//! As the paper asks, **0** and ⊕ are computed when somebody looks, and once; **0** of one value is one value. With D18 a zero is
//! symbolic instead, and there is nothing to delay.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::corrections::Correction;
use crate::evaluate::{Machine, Result, Stuck};
use crate::reverse::{depth_of_tags, sensitive};
use crate::term::{Lambda, Origin, Tag};
use crate::value::{Closure, Delayed, Linked, Operation, Value};

impl Machine {
    /// **0** v
    pub fn zero(&mut self, of: &Value) -> Result<Value> {
        if self.has(Correction::D18) {
            return self.zero_now(of);
        }
        let address = match of {
            Value::Pair(both) => Rc::as_ptr(both).addr(),
            Value::Closure(closure) => Rc::as_ptr(closure).addr(),
            _ => return self.zero_now(of),
        };
        // What is remembered holds on to the value, so its address stays its own.
        let delayed =
            || Value::Delayed(Rc::new(Delayed { operation: Operation::Zero(of.clone()), result: OnceCell::new() }));
        Ok(self.zeros.entry(address).or_insert_with(delayed).clone())
    }

    fn zero_now(&mut self, of: &Value) -> Result<Value> {
        self.count.zeros += 1;
        Ok(match of {
            Value::Nil | Value::Primitive(_) => Value::Nil,
            Value::Real(_) => Value::Real(0.0),
            Value::Tagged(value) => Value::Tagged(Rc::new(self.zero(value)?)),
            Value::SymbolicZero => Value::SymbolicZero,
            Value::Pair(both) => Value::pair(self.zero(&both.0)?, self.zero(&both.1)?),
            Value::Attached(both) if self.has(Correction::D11) => {
                let parts = [self.zero(&both.0)?, self.zero(&both.1)?];
                self.list(parts.into())
            }
            Value::Attached(both) => self.zero(&both.0)?,
            Value::Linked(linked) => {
                let zero = self.zero(&linked.primal)?;
                self.j(&zero)?
            }
            Value::Closure(closure) => self.zero_of_closure(closure)?,
            Value::Delayed(_) => {
                let value = self.look(of)?;
                self.zero(&value)?
            }
        })
    }

    /// `[𝟎 (σ x'₁), …, 𝟎 (σ x'ₗ)]ₓ`
    fn zero_of_closure(&mut self, closure: &Closure) -> Result<Value> {
        let tags = depth_of_tags(&closure.code, self.corrections);
        let mut parts = vec![];
        for captured in sensitive(&closure.code, self.corrections).map_err(Stuck)? {
            let value = self.lookup(&closure.env, &captured)?;
            let mut part = self.zero(&value)?;
            for _ in 0..tags {
                part = self.j_inverse(&part)?;
            }
            parts.push(part);
        }
        let mut list = self.list(parts);
        for _ in 0..tags {
            list = self.j(&list)?;
        }
        Ok(list)
    }

    /// v₁ ⊕ v₂
    pub fn plus(&mut self, a: &Value, b: &Value) -> Result<Value> {
        match (a, b) {
            (Value::SymbolicZero, other) | (other, Value::SymbolicZero) => Ok(other.clone()),
            (Value::Real(_), Value::Real(_)) => self.plus_now(a, b),
            _ if self.has(Correction::D18) => self.plus_now(a, b),
            _ => {
                let operation = Operation::Sum(a.clone(), b.clone());
                Ok(Value::Delayed(Rc::new(Delayed { operation, result: OnceCell::new() })))
            }
        }
    }

    fn plus_now(&mut self, a: &Value, b: &Value) -> Result<Value> {
        let (a, b) = (self.look(a)?, self.look(b)?);
        self.count.sums += 1;
        match (&a, &b) {
            (Value::Nil, Value::Nil) => Ok(Value::Nil),
            (Value::Real(a), Value::Real(b)) => Ok(Value::Real(a + b)),
            (Value::Tagged(a), Value::Tagged(b)) => Ok(Value::Tagged(Rc::new(self.plus(a, b)?))),
            (Value::Primitive(t), Value::Primitive(other)) if t == other => Ok(a),
            (Value::Pair(a), Value::Pair(b)) => Ok(Value::pair(self.plus(&a.0, &b.0)?, self.plus(&a.1, &b.1)?)),
            (Value::Attached(both), _) => self.plus(&both.0, &b),
            (_, Value::Attached(both)) => self.plus(&a, &both.0),
            (Value::Closure(f), Value::Closure(g)) if Rc::ptr_eq(&f.code, &g.code) => self.plus_of_closures(f, g),
            _ => {
                let (a, b) = (self.shown(&a)?, self.shown(&b)?);
                Err(Stuck(format!("{a} ⊕ {b}: not conformant")))
            }
        }
    }

    /// `⟨σ₁, e⟩ ⊕ ⟨σ₂, e⟩ ≡ ⟨σ₁ ⊕ σ₂, e⟩`
    fn plus_of_closures(&mut self, f: &Closure, g: &Closure) -> Result<Value> {
        if !self.has(Correction::D20) {
            return Err(Stuck("no rule for (σ₁ ⊕ σ₂) x".to_string()));
        }
        let mut env = f.env.clone();
        for (var, value) in &mut env {
            let other = self.lookup(&g.env, var)?;
            *value = self.plus(value, &other)?;
        }
        Ok(Value::closure(env, f.code.clone()))
    }

    /// The value, computed if it was delayed.
    pub fn look(&mut self, value: &Value) -> Result<Value> {
        let Value::Delayed(delayed) = value else { return Ok(value.clone()) };
        if let Some(known) = delayed.result.get() {
            return Ok(known.clone());
        }
        let result = stacker::maybe_grow(64 << 10, 4 << 20, || match &delayed.operation {
            Operation::Zero(of) => self.zero_now(of),
            Operation::Sum(a, b) => self.plus_now(a, b),
        })?;
        let result = self.look(&result)?;
        Ok(delayed.result.get_or_init(|| result).clone())
    }

    /// The value, with nothing in it delayed.
    pub fn fully(&mut self, value: &Value) -> Result<Value> {
        match self.look(value)? {
            Value::Pair(both) => Ok(Value::pair(self.fully(&both.0)?, self.fully(&both.1)?)),
            Value::Tagged(inner) => Ok(Value::Tagged(Rc::new(self.fully(&inner)?))),
            other => Ok(other),
        }
    }

    /// A sensitivity of `of` in its full shape.
    pub fn fill(&mut self, of: &Value, sensitivity: &Value) -> Result<Value> {
        match (of, sensitivity) {
            (_, Value::SymbolicZero) => self.zero(of),
            (Value::Pair(of), Value::Pair(parts)) => {
                Ok(Value::pair(self.fill(&of.0, &parts.0)?, self.fill(&of.1, &parts.1)?))
            }
            _ => Ok(sensitivity.clone()),
        }
    }

    /// J v
    pub fn j(&mut self, value: &Value) -> Result<Value> {
        let value = self.look(value)?;
        Ok(match &value {
            Value::Nil | Value::Real(_) if self.has(Correction::D9) => value,
            Value::Nil | Value::Real(_) | Value::Tagged(_) => Value::Tagged(Rc::new(value)),
            Value::SymbolicZero => value,
            Value::Pair(both) => Value::pair(self.j(&both.0)?, self.j(&both.1)?),
            Value::Primitive(primitive) => self.reversed_primitive(*primitive)?,
            Value::Closure(closure) => self.j_of_closure(closure)?,
            Value::Attached(both) => self.j_of_attached(&value, &both.0, &both.1)?,
            Value::Linked(linked) => {
                let image = self.j(&linked.image)?;
                Value::Linked(Rc::new(Linked { image, primal: value }))
            }
            Value::Delayed(_) => unreachable!("looked at above"),
        })
    }

    /// `⟨↼σ, ↼e⟩`
    fn j_of_closure(&mut self, closure: &Closure) -> Result<Value> {
        let code = self.reversed(&closure.code)?;
        let mut env = closure.env.clone();
        env.clear();
        for (var, value) in closure.env.iter().filter(|(var, _)| closure.code.free.contains(var)) {
            env.insert(var.tagged(Tag::Reverse), self.j(value)?);
        }
        if !self.has(Correction::D13) {
            self.add_operators(closure, &code, &mut env);
        }
        Ok(Value::closure(env, code))
    }

    /// `↼σ x = σ₀ x for x ∈ F ↼e \ F e`; what must be taken away is not F e but what F e became.
    fn add_operators(&self, closure: &Closure, code: &Lambda, env: &mut crate::value::Env) {
        for var in &code.free {
            let taken = match self.has(Correction::D5) {
                true => env.contains_key(var),
                false => closure.code.free.contains(var),
            };
            if let (false, Some(value)) = (taken, self.globals.get(var)) {
                env.insert(var.clone(), value.clone());
            }
        }
    }

    /// `J (v₁ ⟵ v₂) ≡ v₂`; with D11 this is code over both, with D10 it is linked to what it came from.
    fn j_of_attached(&mut self, attached: &Value, primal: &Value, rev: &Value) -> Result<Value> {
        let image = match self.has(Correction::D11) {
            true => self.derivative_of_attached(primal, rev)?,
            false => rev.clone(),
        };
        Ok(match self.has(Correction::D10) {
            true => Value::Linked(Rc::new(Linked { image, primal: attached.clone() })),
            // Without the link, J⁻¹ has to make do with v₂ itself.
            false => rev.clone(),
        })
    }

    /// J⁻¹ v
    pub fn j_inverse(&mut self, value: &Value) -> Result<Value> {
        let value = self.look(value)?;
        match &value {
            Value::Tagged(inner) => Ok((**inner).clone()),
            Value::Nil | Value::Real(_) if self.has(Correction::D9) => Ok(value),
            Value::SymbolicZero => Ok(value),
            Value::Pair(both) => Ok(Value::pair(self.j_inverse(&both.0)?, self.j_inverse(&both.1)?)),
            Value::Linked(linked) => Ok(linked.primal.clone()),
            // J⁻¹ (v₁ ⟵ v₂) ≡ (J⁻¹ v₁) ⟵ (v₁ ⟵ v₂)
            Value::Attached(both) => Ok(Value::Attached(Rc::new((self.j_inverse(&both.0)?, value.clone())))),
            Value::Closure(closure) => match &closure.code.origin {
                Origin::ReverseOfPrimitive(primitive) => Ok(Value::Primitive(*primitive)),
                Origin::ReverseOf(primal) => self.j_inverse_of_closure(closure, primal),
                Origin::Written => Err(Stuck(format!("J⁻¹ {value}: not the reverse of anything"))),
            },
            _ => Err(Stuck(format!("J⁻¹ {value}: not the reverse of anything"))),
        }
    }

    /// `σ x = J⁻¹ (↼σ ↼x)`
    fn j_inverse_of_closure(&mut self, closure: &Closure, primal: &Rc<Lambda>) -> Result<Value> {
        let mut env = closure.env.clone();
        env.clear();
        for var in &primal.free {
            if let Some(value) = closure.env.get(&var.tagged(Tag::Reverse)) {
                env.insert(var.clone(), self.j_inverse(value)?);
            }
        }
        Ok(Value::closure(env, primal.clone()))
    }
}
