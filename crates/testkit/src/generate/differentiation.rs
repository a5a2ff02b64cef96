//! Differentiation inside programs.

use super::Generator;
use super::scope::Scope;

impl Generator {
    /// Uses up one level of nested differentiation around what `make` generates; without one left, plain code.
    pub(super) fn differentiated(
        &mut self,
        scope: &Scope,
        depth: usize,
        make: impl FnOnce(&mut Generator) -> String,
    ) -> String {
        if self.orders == 0 {
            return self.arithmetic(scope, depth);
        }
        self.orders -= 1;
        let text = make(self);
        self.orders += 1;
        text
    }

    pub(super) fn gradient(&mut self, scope: &Scope, depth: usize) -> String {
        self.differentiated(scope, depth, |this| {
            let (f, x) = (this.function(scope, depth), this.leaf(scope));
            let parameter = this.fresh("q");
            match this.random.below(3) {
                0 => format!("grad({f})({x})"),
                1 => format!("value_and_grad({f})({x}).1"),
                _ => format!("grad({parameter} => {parameter}.0 * {f}({parameter}.1))({x}, 0.4).1"),
            }
        })
    }

    pub(super) fn backpropagator(&mut self, scope: &Scope, depth: usize) -> String {
        self.differentiated(scope, depth, |this| {
            let (f, g) = (this.function(scope, depth), this.function(scope, depth));
            let (x, d) = (this.leaf(scope), this.leaf(scope));
            let (t, pull) = (this.fresh("t"), this.fresh("pull"));
            match this.random.below(3) {
                0 => format!("J({f})({x}).1({d}).1"),
                1 => format!("vjp({t} => ({f}({t}), {g}({t})), {x}).1(({d}, 0.5))"),
                // A backpropagator may run twice.
                _ => format!("{{ let (y, {pull}) = J({f})({x}); {pull}(y).1 + {pull}({d}).1 }}"),
            }
        })
    }

    /// The sensitivity of a captured variable is data like any other.
    pub(super) fn captured_sensitivity(&mut self, scope: &Scope, depth: usize) -> String {
        self.differentiated(scope, depth, |this| {
            let a = this.fresh("a");
            let (value, x) = (this.real(scope, depth), this.leaf(scope));
            let inner = scope.with(&a, super::Kind::Real);
            let (t, body) = this.lambda(&inner, depth);
            format!("{{ let {a} = {value}; J({t} => {a} * {body})({x}).1(1.0).0.{a} }}")
        })
    }

    pub(super) fn attached(&mut self, scope: &Scope, depth: usize) -> String {
        self.differentiated(scope, depth, |this| {
            let (f, function, x) = (this.fresh("f"), this.function(scope, depth), this.leaf(scope));
            match this.random.below(2) {
                0 => format!("{{ let {f} = {function}; ({f} <~ J({f}))({x}) }}"),
                _ => format!("{{ let {f} = {function}; grad({f} <~ J({f}))({x}) }}"),
            }
        })
    }

    pub(super) fn inverse(&mut self, scope: &Scope, depth: usize) -> String {
        self.differentiated(scope, depth, |this| {
            let (f, x) = (this.function(scope, depth), this.leaf(scope));
            match this.random.below(3) {
                0 => format!("J_inv(J({f}))({x})"),
                1 => format!("grad(J_inv(J({f})))({x})"),
                _ => format!("J(J_inv(J({f})))({x}).0"),
            }
        })
    }

    pub(super) fn forward_derivative(&mut self, scope: &Scope, depth: usize) -> String {
        if self.orders < 2 {
            return self.elementary(scope, depth);
        }
        self.orders -= 2;
        let (f, x, dx) = (self.function(scope, depth), self.leaf(scope), self.leaf(scope));
        self.orders += 2;
        format!("jvp({f}, {x}, {dx}).1")
    }

    pub(super) fn checkpointed(&mut self, scope: &Scope, depth: usize) -> String {
        let (f, x) = (self.function(scope, depth), self.real(scope, depth));
        format!("checkpoint({f})({x})")
    }
}
