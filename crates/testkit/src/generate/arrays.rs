//! Arrays: comprehensions, reads, updates, reductions.

use super::Generator;
use super::scope::{Kind, Scope};

impl Generator {
    /// An array of three reals.
    pub(super) fn array(&mut self, scope: &Scope, depth: usize) -> String {
        let depth = depth.saturating_sub(1);
        let v = self.fresh("v");
        let inner = scope.with(&v, Kind::Real);
        let (a, b, c) = (self.real(scope, depth), self.leaf(scope), self.leaf(scope));
        match self.random.below(6) {
            0 | 1 => format!("[{a}, {b}, {c}]"),
            2 => {
                let element = self.real(&inner, depth);
                format!("[{{ let {v} = {b} + i; {element} }} for i in 0..3]")
            }
            3 => {
                let element = self.real(&inner, depth);
                format!("map({v} => {element}, [{a}, {b}, {c}])")
            }
            4 => match scope.some(Kind::Array, &mut self.random) {
                Some(name) => format!("({name} * {a} + 0.5)"),
                None => format!("tabulate(3, i => sin({a} * (i + 1)))"),
            },
            _ => format!("sin([{a}, {b}, {c}] * {b})"),
        }
    }

    pub(super) fn array_element(&mut self, scope: &Scope, depth: usize) -> String {
        let array = self.array(scope, depth);
        match self.random.below(3) {
            0 => format!("{array}[{}]", self.random.below(3)),
            1 => format!("sum({array}[1..3])"),
            _ => format!("{array}[if {} {{ 0 }} else {{ 2 }}]", self.condition(scope, depth)),
        }
    }

    pub(super) fn array_reduction(&mut self, scope: &Scope, depth: usize) -> String {
        let (array, v) = (self.array(scope, depth), self.fresh("v"));
        let body = self.real(&scope.with(&v, Kind::Real), depth.min(1));
        match self.random.below(6) {
            0 => format!("sum({array})"),
            1 => format!("sum({body} for {v} in {array})"),
            2 => format!("dot({array}, tabulate(3, i => {{ let {v} = 0.1 * i; {body} }}))"),
            3 => format!("sum([{body} for {v} in {array} if less({v}, 0.3)])"),
            4 => format!("logsumexp({array})"),
            _ => format!("mean(sin({array}) * {array})"),
        }
    }

    pub(super) fn array_update(&mut self, scope: &Scope, depth: usize) -> String {
        let (name, array) = (self.fresh("u"), self.array(scope, depth));
        let inner = scope.with(&name, Kind::Array);
        let (value, body) = (self.real(&inner, depth), self.real(&inner, depth));
        let i = self.random.below(3);
        match self.random.below(2) {
            0 => format!(
                "{{ let {name} = {array}; let {name}' = {{{name} with [{i}]: {value}}}; sum({name}' * {name}) + {body} }}"
            ),
            _ => format!(
                "{{ let {name} = {array}; fn go(i, a) = if i == 3 {{ sum(a) }} else {{ go(i + 1, {{a with [i]: a[i - 1] * a[i]}}) }}; go(1, {name}) + {body} }}"
            ),
        }
    }

    pub(super) fn array_fold(&mut self, scope: &Scope, depth: usize) -> String {
        let (s, v, array, start) = (self.fresh("s"), self.fresh("v"), self.array(scope, depth), self.leaf(scope));
        let body = self.real(&scope.with(&s, Kind::Real).with(&v, Kind::Real), depth.min(1));
        match self.random.below(3) {
            0 => format!("fold(({s}, {v}) => tanh({body}), {start}, {array})"),
            1 => format!("scan(({s}, {v}) => tanh({body}), {start}, {array})[2]"),
            _ => format!("reduce((a, b) => a + b, 0.0, concat({array}, reversed({array}) * {start}))"),
        }
    }

    pub(super) fn array_pattern(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, b, c, array) = (self.fresh("a"), self.fresh("b"), self.fresh("c"), self.array(scope, depth));
        let inner = scope.with(&a, Kind::Real).with(&b, Kind::Real).with(&c, Kind::Real);
        let body = self.real(&inner, depth);
        format!("{{ let [{a}, {b}, {c}] = {array}; {body} }}")
    }

    pub(super) fn matrix(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, b) = (self.array(scope, depth), self.array(scope, depth));
        match self.random.below(4) {
            0 => format!("sum([{a}, {b}] @ [0.1, 0.2, 0.3])"),
            1 => format!("[{a}, {b}][1, 2] * [{a}, {b}][0, 1]"),
            2 => format!("sum(transpose([{a}, {b}])[1])"),
            _ => format!("sum([i * {a}[j] for i in 0..2, j in 0..3][1, ..])"),
        }
    }
}
