//! Evaluation 𝓔 and application 𝓐.
//!
//! In: expressions. Out: values, or [`Stuck`] where no printed rule applies. Every program ends: there is a limit of steps.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::corrections::{Correction, Corrections};
use crate::primitives::{self, Primitive};
use crate::reverse::reverse;
use crate::syntax::{self, Names};
use crate::term::{Expr, Lambda, Origin, Var};
use crate::value::{Env, Value};

/// No rule applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck(pub String);

pub type Result<T> = std::result::Result<T, Stuck>;

/// How often **0** and ⊕ were applied to one node of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub zeros: usize,
    pub sums: usize,
}

pub struct Machine {
    pub corrections: Corrections,
    pub count: Count,
    pub names: Names,
    /// σ₀
    pub(crate) globals: Env,
    pub(crate) zeros: HashMap<usize, Value>,
    /// ↼e for each e, by the address of e, which ↼e holds on to.
    reversed: HashMap<*const Lambda, Rc<Lambda>>,
    reversed_primitives: HashMap<Primitive, Value>,
    attached: Option<Rc<Lambda>>,
    steps: usize,
    depth: usize,
}

/// Of applications, in all and within each other: more than any program of the paper needs.
const MOST_STEPS: usize = 2_000_000;
const DEEPEST: usize = 10_000;

impl Machine {
    pub fn new(corrections: Corrections) -> Machine {
        let mut machine = Machine {
            corrections,
            count: Count::default(),
            names: Names::default(),
            globals: BTreeMap::new(),
            zeros: HashMap::new(),
            reversed: HashMap::new(),
            reversed_primitives: HashMap::new(),
            attached: None,
            steps: 0,
            depth: 0,
        };
        machine.names.internal = true;
        for primitive in Primitive::all(corrections) {
            let name = machine.names.global(primitive.name());
            machine.globals.insert(name, Value::Primitive(primitive));
        }
        for (name, value) in [("[]", Value::Nil), ("∅", Value::SymbolicZero)] {
            let name = machine.names.global(name);
            machine.globals.insert(name, value);
        }
        machine.run_prelude();
        machine.names.internal = false;
        machine
    }

    /// The prelude holds only λs, so evaluating it needs no rule that may be left out.
    fn run_prelude(&mut self) {
        let text = primitives::prelude(self.corrections);
        for statement in syntax::program(&text, &mut self.names).expect("the prelude parses") {
            if let syntax::StatementKind::Define(name, expr) = statement.kind {
                let value = self.eval(&self.initial(), &expr).expect("a λ has a value");
                self.globals.insert(name, value);
            }
        }
    }

    /// The environment of a program. With D13 definitions are no part of it.
    pub fn initial(&self) -> Env {
        if self.has(Correction::D13) { Env::new() } else { self.globals.clone() }
    }

    pub fn has(&self, correction: Correction) -> bool {
        self.corrections.has(correction)
    }

    /// 𝓔 σ e
    pub fn eval(&mut self, env: &Env, expr: &Expr) -> Result<Value> {
        stacker::maybe_grow(64 << 10, 4 << 20, || self.eval_here(env, expr))
    }

    fn eval_here(&mut self, env: &Env, expr: &Expr) -> Result<Value> {
        let mut env = std::borrow::Cow::Borrowed(env);
        let mut expr = expr;
        while let Expr::Let(var, value, body) = expr {
            let value = self.eval(&env, value)?;
            env.to_mut().insert(var.clone(), value);
            expr = body;
        }
        match expr {
            Expr::Var(var) => self.lookup(&env, var),
            Expr::Lambda(lambda) => self.close(&env, lambda),
            Expr::Apply(f, x) => {
                if !self.has(Correction::D1) {
                    return Err(Stuck("no rule for 𝓔 σ (e₁ e₂)".to_string()));
                }
                let (f, x) = (self.eval(&env, f)?, self.eval(&env, x)?);
                self.apply(&f, &x)
            }
            Expr::Pull(f, x, order) => {
                let (f, x) = (self.eval(&env, f)?, self.eval(&env, x)?);
                self.pull(&f, &x, *order)
            }
            Expr::Pair(first, second) => {
                let (first, second) = (self.eval(&env, first)?, self.eval(&env, second)?);
                // As printed: 𝓔 σ (e₁, e₂) ≡ 𝓐 (𝓔 σ e₁) (𝓔 σ e₂)
                if self.has(Correction::D1) { self.pair(first, second) } else { self.apply(&first, &second) }
            }
            Expr::Let(..) => unreachable!("bound above"),
        }
    }

    /// `𝓔 σ (λx e) ≡ ⟨σ, λx e⟩`
    fn close(&mut self, env: &Env, lambda: &Rc<Lambda>) -> Result<Value> {
        if !self.has(Correction::D8) {
            return Ok(Value::closure(env.clone(), lambda.clone()));
        }
        let mut kept = Env::new();
        for var in &lambda.free {
            if !(self.has(Correction::D13) && var.is_global()) {
                kept.insert(var.clone(), self.lookup(env, var)?);
            }
        }
        Ok(Value::closure(kept, lambda.clone()))
    }

    /// σ x. With D13 a name that isn't bound is a constant, and its reverse is J of that constant.
    pub fn lookup(&mut self, env: &Env, var: &Var) -> Result<Value> {
        if let Some(value) = env.get(var) {
            return Ok(value.clone());
        }
        let number = var.name.parse::<f64>();
        if let (Ok(number), true, []) = (number, var.is_global(), &var.tags[..]) {
            return Ok(Value::Real(number));
        }
        if !var.is_global() || !self.has(Correction::D13) {
            return Err(Stuck(format!("{var} is not bound")));
        }
        self.constant(var)
    }

    /// A definition, or J of one.
    fn constant(&mut self, var: &Var) -> Result<Value> {
        match (self.globals.get(var), var.unreversed()) {
            (Some(value), _) => Ok(value.clone()),
            (None, Some(unreversed)) => {
                let value = self.lookup(&Env::new(), &unreversed)?;
                self.j(&value)
            }
            (None, None) => Err(Stuck(format!("{var} is not bound"))),
        }
    }

    /// 𝓐 v₁ v₂
    pub fn apply(&mut self, f: &Value, x: &Value) -> Result<Value> {
        self.steps += 1;
        if self.steps > MOST_STEPS || self.depth > DEEPEST {
            return Err(Stuck("no end in sight".to_string()));
        }
        self.depth += 1;
        let result = self.apply_here(f, x);
        self.depth -= 1;
        result
    }

    fn apply_here(&mut self, f: &Value, x: &Value) -> Result<Value> {
        match self.look(f)? {
            Value::Primitive(primitive) => self.apply_primitive(primitive, x),
            Value::Attached(both) => self.apply(&both.0, x),
            Value::Linked(linked) => self.apply(&linked.image, x),
            Value::SymbolicZero => Ok(Value::SymbolicZero),
            Value::Closure(closure) => {
                let mut env = closure.env.clone();
                env.insert(closure.code.param.clone(), x.clone());
                self.eval(&env, &closure.code.body)
            }
            other => Err(Stuck(format!("{other} is applied, but is no function"))),
        }
    }

    /// A backpropagator at a symbolic zero gives zeros without being run; under a J, a pair of them.
    fn pull(&mut self, back: &Value, sensitivity: &Value, order: usize) -> Result<Value> {
        match (back, sensitivity) {
            (Value::SymbolicZero, _) | (_, Value::SymbolicZero) => {
                let nothing = Value::SymbolicZero;
                Ok((0..order).fold(nothing, |inner, _| Value::pair(inner, Value::SymbolicZero)))
            }
            _ => self.apply(back, sensitivity),
        }
    }

    fn apply_primitive(&mut self, primitive: Primitive, x: &Value) -> Result<Value> {
        let x = self.look(x)?;
        match primitive {
            Primitive::Unary(name) => {
                let number = self.real(primitive, &x)?;
                Ok(Value::Real(primitives::unary(name, number).expect("a unary primitive has a row")))
            }
            Primitive::Binary(name) => {
                let (a, b) = self.two_reals(primitive, &x)?;
                Ok(Value::Real(primitives::binary(name, a, b).expect("a binary primitive has a row")))
            }
            Primitive::Less => {
                let (a, b) = self.two_reals(primitive, &x)?;
                self.boolean(a < b)
            }
            Primitive::IsEmpty => match x {
                Value::Nil | Value::SymbolicZero => self.boolean(true),
                Value::Pair(_) => self.boolean(false),
                Value::Closure(_) if self.parts(&x).is_some() => self.boolean(false),
                other => Err(Stuck(format!("EMPTY? {other}: not a list"))),
            },
            Primitive::Zero => self.zero(&x),
            Primitive::J => self.j(&x),
            Primitive::JInverse => self.j_inverse(&x),
            Primitive::Plus => self.two(primitive, &x).and_then(|(a, b)| self.plus(&a, &b)),
            Primitive::Attach => self.two(primitive, &x).map(|both| Value::Attached(Rc::new(both))),
            Primitive::Car if matches!(x, Value::SymbolicZero) => Ok(x),
            Primitive::Cdr if matches!(x, Value::SymbolicZero) => Ok(x),
            Primitive::Car => self.two(primitive, &x).map(|both| both.0),
            Primitive::Cdr => self.two(primitive, &x).map(|both| both.1),
            Primitive::Fill => {
                let (of, sensitivity) = self.two(primitive, &x)?;
                let of = self.j_inverse(&of)?;
                self.fill(&of, &sensitivity)
            }
        }
    }

    fn real(&mut self, primitive: Primitive, x: &Value) -> Result<f64> {
        match self.look(x)? {
            Value::Real(number) => Ok(number),
            Value::SymbolicZero => Ok(0.0),
            other => Err(Stuck(format!("{primitive} {other}: not a number"))),
        }
    }

    fn two_reals(&mut self, primitive: Primitive, x: &Value) -> Result<(f64, f64)> {
        let (a, b) = self.two(primitive, x)?;
        Ok((self.real(primitive, &a)?, self.real(primitive, &b)?))
    }

    fn two(&mut self, primitive: Primitive, x: &Value) -> Result<(Value, Value)> {
        match self.parts(x) {
            Some(both) => Ok(both),
            None => Err(Stuck(format!("{primitive} {x}: not a pair"))),
        }
    }

    /// `(v₁, v₂) ≡ ⟨{x₁ ↦ v₁, x₂ ↦ v₂}, λx₃ x₃ x₁ x₂⟩`, where pairs are encoded: no more and no less in the environment.
    pub fn parts(&self, x: &Value) -> Option<(Value, Value)> {
        match x {
            Value::Pair(both) => Some((both.0.clone(), both.1.clone())),
            Value::Closure(closure) if !self.has(Correction::D6) && closure.code.param.name.as_ref() == "x₃·" => {
                let values: Vec<_> = closure.env.values().cloned().collect();
                <[Value; 2]>::try_from(values).ok().map(|[first, second]| (first, second))
            }
            _ => None,
        }
    }

    fn pair(&mut self, first: Value, second: Value) -> Result<Value> {
        if self.has(Correction::D6) {
            return Ok(Value::pair(first, second));
        }
        let cons = self.global("Cons")?;
        let one = self.apply(&cons, &first)?;
        self.apply(&one, &second)
    }

    /// `[v₁, …, vₗ]`
    pub fn list(&mut self, parts: Vec<Value>) -> Value {
        parts.into_iter().rev().fold(Value::Nil, |rest, part| self.pair(part, rest).unwrap_or(Value::Nil))
    }

    /// What `if` takes apart: true is Car, false is Cdr.
    fn boolean(&mut self, truth: bool) -> Result<Value> {
        self.global(if truth { "Car" } else { "Cdr" })
    }

    fn global(&mut self, name: &str) -> Result<Value> {
        let name = self.names.global(name);
        self.constant(&name)
    }

    pub(crate) fn reversed(&mut self, lambda: &Rc<Lambda>) -> Result<Rc<Lambda>> {
        let address = Rc::as_ptr(lambda);
        if let Some(known) = self.reversed.get(&address) {
            return Ok(known.clone());
        }
        let reversed = reverse(lambda, self.corrections, &mut self.names).map_err(Stuck)?;
        self.reversed.insert(address, reversed.clone());
        Ok(reversed)
    }

    pub(crate) fn reversed_primitive(&mut self, primitive: Primitive) -> Result<Value> {
        if let Some(known) = self.reversed_primitives.get(&primitive) {
            return Ok(known.clone());
        }
        let text = primitives::reversed(primitive, self.corrections);
        let written = self.internal_lambda(&text);
        let code = Lambda::new(written.param.clone(), written.body.clone(), Origin::ReverseOfPrimitive(primitive));
        let value = self.close(&self.initial(), &code)?;
        self.reversed_primitives.insert(primitive, value.clone());
        Ok(value)
    }

    /// With D11: the derivative of `primal ⟵ rev` as a closure over both.
    pub(crate) fn derivative_of_attached(&mut self, primal: &Value, rev: &Value) -> Result<Value> {
        let code = match self.attached.clone() {
            Some(code) => code,
            None => {
                let text = format!("λprimal λrev {}", primitives::attached(self.corrections));
                let code = self.internal_lambda(&text);
                self.attached.insert(code).clone()
            }
        };
        let outer = self.close(&self.initial(), &code)?;
        let inner = self.apply(&outer, primal)?;
        self.apply(&inner, rev)
    }

    fn internal_lambda(&mut self, text: &str) -> Rc<Lambda> {
        let before = std::mem::replace(&mut self.names.internal, true);
        let expr = syntax::expression(text, &mut self.names).expect("the text of primitives parses");
        self.names.internal = before;
        match expr {
            Expr::Lambda(lambda) => lambda,
            _ => unreachable!("the text of a primitive is a λ"),
        }
    }
}
