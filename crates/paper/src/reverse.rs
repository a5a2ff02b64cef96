//! The reverse-mode transformation of a λ: φ forwards, ρ backwards.
//!
//! In: a λ. Out: `λ↼x₀ let φ{x₁ ≜ e₁} in … (↼xₙ, λ↽xₙ let ↽x ≜ 𝟎 (J⁻¹ ↼x) in … let ρ{xₙ ≜ eₙ} in … ([↽x'₁, …], ↽x₀))`.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::corrections::{Correction, Corrections};
use crate::syntax::Names;
use crate::term::{Expr, Lambda, Origin, Simple, Tag, Var, a_normal, apply, lets, pair, var};

/// B: the free variables that have a sensitivity, in the order ≺. Its definition in the paper covers parameters without a tag and
/// λs that the transformation made.
pub fn sensitive(lambda: &Lambda, corrections: Corrections) -> Result<Vec<Var>, String> {
    match &lambda.origin {
        Origin::ReverseOfPrimitive(_) => Ok(vec![]),
        Origin::ReverseOf(primal) => {
            Ok(sensitive(primal, corrections)?.iter().map(|var| var.tagged(Tag::Reverse)).collect())
        }
        Origin::Written if !lambda.param.tags.is_empty() && !corrections.has(Correction::D4) => {
            Err(format!("B is not defined for the parameter {}", lambda.param))
        }
        Origin::Written => {
            // The symbolic zero is no variable of the paper.
            let constant = |var: &Var| var.is_global() && (corrections.has(Correction::D13) || &*var.name == "∅");
            Ok(lambda.free.iter().filter(|var| !constant(var)).cloned().collect())
        }
    }
}

/// How often the list of a λ's sensitivities is reverse-tagged: the subscript of `[…]ₓ`.
pub fn depth_of_tags(lambda: &Lambda, corrections: Corrections) -> usize {
    if corrections.has(Correction::D9) { 0 } else { lambda.param.reversals() }
}

pub fn reverse(lambda: &Rc<Lambda>, corrections: Corrections, names: &mut Names) -> Result<Rc<Lambda>, String> {
    let cons = (!corrections.has(Correction::D6)).then(|| names.global("Cons"));
    let bindings = a_normal(&lambda.body, cons, &mut |name| names.temporary(name));
    let mut work = Reverse { corrections, names, forward: vec![], backward: vec![], current: BTreeMap::new() };
    let result = bindings.last().map(|(last, _)| last.clone()).expect("an A-normal form has an xₙ");
    for (bound, simple) in &bindings {
        work.phi(bound, simple)?;
    }
    let sensitive = sensitive(lambda, corrections)?;
    work.begin(&sensitive, &lambda.param, &bindings);
    work.current.insert(result.clone(), result.tagged(Tag::Sensitivity));
    for (bound, simple) in bindings.iter().rev() {
        work.rho(bound, simple)?;
    }
    let captures: Vec<Expr> = sensitive.iter().map(|captured| work.sensitivity(captured)).collect();
    let captures = work.list(captures, depth_of_tags(lambda, corrections));
    let answer = pair(captures, work.sensitivity(&lambda.param));
    let back = Lambda::new(result.tagged(Tag::Sensitivity), lets(work.backward, answer), Origin::Written);
    let body = lets(work.forward, pair(var(&result.tagged(Tag::Reverse)), Expr::Lambda(back)));
    Ok(Lambda::new(lambda.param.tagged(Tag::Reverse), body, Origin::ReverseOf(lambda.clone())))
}

struct Reverse<'a> {
    corrections: Corrections,
    names: &'a mut Names,
    forward: Vec<(Var, Expr)>,
    backward: Vec<(Var, Expr)>,
    /// The variable that holds what has been accumulated into ↽x so far; what isn't here isn't accumulated into.
    current: BTreeMap<Var, Var>,
}

impl Reverse<'_> {
    fn phi(&mut self, bound: &Var, simple: &Simple) -> Result<(), String> {
        let reversed = bound.tagged(Tag::Reverse);
        let rev = |of: &Var| var(&of.tagged(Tag::Reverse));
        match simple {
            Simple::Var(of) => self.forward.push((reversed, rev(of))),
            Simple::Pair(first, second) => self.forward.push((reversed, pair(rev(first), rev(second)))),
            Simple::Lambda(lambda) => {
                let lambda = reverse(lambda, self.corrections, self.names)?;
                self.forward.push((reversed, Expr::Lambda(lambda)));
            }
            Simple::Apply(f, x) => self.phi_call(bound, apply(rev(f), rev(x))),
            Simple::Pull(f, x, order) => {
                self.phi_call(bound, Expr::Pull(Rc::new(rev(f)), Rc::new(rev(x)), order + 1));
            }
        }
        Ok(())
    }

    /// `(↼xᵢ, ‾xᵢ) ≜ ↼xⱼ ↼xₖ`
    fn phi_call(&mut self, bound: &Var, call: Expr) {
        let both = self.names.temporary("p");
        self.forward.push((both.clone(), call));
        let (first, second) = (self.operator("Car", var(&both)), self.operator("Cdr", var(&both)));
        self.forward.push((bound.tagged(Tag::Reverse), first));
        self.forward.push((bound.tagged(Tag::Backpropagator), second));
    }

    /// `↽x ≜ 𝟎 (J⁻¹ ↼x)` for everything that is accumulated into.
    fn begin(&mut self, sensitive: &[Var], param: &Var, bindings: &[(Var, Simple)]) {
        let bound = bindings[..bindings.len() - 1].iter().map(|(bound, _)| bound);
        let inner = self.corrections.has(Correction::D3);
        let all: Vec<(Var, bool)> = sensitive
            .iter()
            .chain([param])
            .map(|var| (var.clone(), true))
            .chain(bound.map(|var| (var.clone(), inner)))
            .collect();
        for (of, accumulates) in all {
            let start = of.tagged(Tag::Sensitivity);
            let zero = if self.corrections.has(Correction::D18) {
                var(&self.names.global("∅"))
            } else {
                let primal = self.operator("J⁻¹", var(&of.tagged(Tag::Reverse)));
                self.operator("𝟎", primal)
            };
            self.backward.push((start.clone(), zero));
            if accumulates {
                self.current.insert(of, start);
            }
        }
    }

    fn rho(&mut self, bound: &Var, simple: &Simple) -> Result<(), String> {
        let sensitivity = self.sensitivity(bound);
        match simple {
            Simple::Var(of) => self.accumulate(of, sensitivity),
            Simple::Pair(first, second) => {
                let part = self.operator("Car", sensitivity.clone());
                self.accumulate(first, part);
                let part = self.operator("Cdr", sensitivity);
                self.accumulate(second, part);
            }
            Simple::Lambda(lambda) => self.rho_lambda(lambda, sensitivity)?,
            Simple::Apply(f, x) | Simple::Pull(f, x, _) => {
                let of = if self.corrections.has(Correction::D2) { bound } else { f };
                self.rho_call(of, f, x, sensitivity);
            }
        }
        Ok(())
    }

    /// `(↽xⱼ, ↽xₖ) ⊕≜ ‾xᵢ ↽xᵢ`. Where xⱼ and xₖ are one variable, the printed assignment is read as keeping the last.
    fn rho_call(&mut self, of: &Var, f: &Var, x: &Var, sensitivity: Expr) {
        let back = var(&of.tagged(Tag::Backpropagator));
        let answer = self.names.temporary("q");
        let call = match self.corrections.has(Correction::D18) {
            true => Expr::Pull(Rc::new(back), Rc::new(sensitivity), 0),
            false => apply(back, sensitivity),
        };
        self.backward.push((answer.clone(), call));
        if f != x || self.corrections.has(Correction::D7) {
            let part = self.operator("Car", var(&answer));
            self.accumulate(f, part);
        }
        let part = self.operator("Cdr", var(&answer));
        self.accumulate(x, part);
    }

    /// `[↽x'₁, …, ↽x'ₗ]ₓ ⊕≜ ↽xᵢ`
    fn rho_lambda(&mut self, lambda: &Lambda, sensitivity: Expr) -> Result<(), String> {
        let tags = depth_of_tags(lambda, self.corrections);
        let mut rest = (0..tags).fold(sensitivity, |list, _| self.operator("J⁻¹", list));
        for captured in sensitive(lambda, self.corrections)? {
            let part = self.operator("Car", rest.clone());
            let part = (0..tags).fold(part, |part, _| self.operator("J", part));
            self.accumulate(&captured, part);
            rest = self.operator("Cdr", rest);
        }
        Ok(())
    }

    fn accumulate(&mut self, into: &Var, contribution: Expr) {
        let Some(before) = self.current.get(into).cloned() else { return };
        let after = self.names.again(&before);
        let sum = self.operator("⊕", pair(var(&before), contribution));
        self.backward.push((after.clone(), sum));
        self.current.insert(into.clone(), after);
    }

    /// What is known of ↽x: for a variable that isn't accumulated into, what it began with.
    fn sensitivity(&self, of: &Var) -> Expr {
        match self.current.get(of) {
            Some(current) => var(current),
            None => var(&of.tagged(Tag::Sensitivity)),
        }
    }

    /// `[e₁, …, eₗ]ₓ`
    fn list(&mut self, parts: Vec<Expr>, tags: usize) -> Expr {
        let mut list = var(&self.names.global("[]"));
        for part in parts.into_iter().rev() {
            let part = (0..tags).fold(part, |part, _| self.operator("J⁻¹", part));
            list = pair(part, list);
        }
        (0..tags).fold(list, |list, _| self.operator("J", list))
    }

    fn operator(&mut self, name: &str, argument: Expr) -> Expr {
        apply(var(&self.names.global(name)), argument)
    }
}
