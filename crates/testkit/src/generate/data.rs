//! Tuples, records, variants and lists.

use super::Generator;
use super::scope::{Kind, Scope};

impl Generator {
    pub(super) fn record(&mut self, scope: &Scope, depth: usize) -> String {
        let (r, a, b) = (self.fresh("r"), self.real(scope, depth), self.real(scope, depth));
        let (x, y) = (self.fresh("x"), self.fresh("y"));
        match self.random.below(4) {
            0 => format!("{{ let {r} = {{x: {a}, y: {b}}}; {r}.x * {r}.y + {r}.x }}"),
            2 => format!(
                "match ({{x: {a}, y: {b}}}) {{ {{x: {x}, y: {y}}} if less({x}, {y}) => {x} * {y}, {{x: {y}}} => {y} }}"
            ),
            1 => {
                let body = self.real(&scope.with(&x, Kind::Real).with(&y, Kind::Real), depth);
                format!("{{ let {{x: {x}, y: {y}}} = {{y: {b}, x: {a}}}; {body} }}")
            }
            _ => format!("{{ let {r} = {{x: {a}, inner: {{y: {b}, n: 3}}}}; {r}.inner.n * {r}.inner.y + sin({r}.x) }}"),
        }
    }

    pub(super) fn record_update(&mut self, scope: &Scope, depth: usize) -> String {
        let (r, q) = (self.fresh("r"), self.fresh("q"));
        let (a, b, c) = (self.real(scope, depth), self.real(scope, depth), self.leaf(scope));
        format!("{{ let {r} = {{x: {a}, y: {c}}}; let {q} = {{{r} with x: {b} + {r}.x}}; {q}.x * {q}.y + {r}.x }}")
    }

    pub(super) fn tuple(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, b) = (self.fresh("a"), self.fresh("b"));
        let (left, right) = (self.real(scope, depth), self.real(scope, depth));
        let inner = scope.with(&a, Kind::Real).with(&b, Kind::Real);
        let body = self.real(&inner, depth);
        match self.random.below(4) {
            0 => format!("{{ let ({a}, ({b}, _)) = ({left}, ({right}, true)); {body} }}"),
            2 => format!("{{ let ({a}, 0, {b}) = ({left}, 0, {right}); {body} }}"),
            1 => format!("(({a}, {b}) => {body})({left}, {right})"),
            _ => format!("match ({left}, {right}) {{ ({a}, {b}) if less({a}, {b}) => {body}, ({b}, {a}) => {body} }}"),
        }
    }

    pub(super) fn variant(&mut self, scope: &Scope, depth: usize) -> String {
        let condition = self.condition(scope, depth);
        let (a, b) = (self.real(scope, depth), self.real(scope, depth));
        let (r, w, h) = (self.fresh("r"), self.fresh("w"), self.fresh("h"));
        let disc = self.real(&scope.with(&r, Kind::Real), depth);
        let rectangle = self.real(&scope.with(&w, Kind::Real).with(&h, Kind::Real), depth);
        let value = format!("(if {condition} {{ Disc({a}) }} else {{ Box({a}, {b}) }})");
        match self.random.below(3) {
            0 => format!("match {value} {{ Disc({r}) => {disc}, Box({w}, {h}) => {rectangle}, Dot => 0.0 }}"),
            // No case for Dot: the match could fail.
            1 => format!(
                "match {value} {{ Box({w}, {h}) => {rectangle}, Disc({r}) if less({r}, 0.5) => {disc}, Disc({r}) => {r} }}"
            ),
            _ => format!("match ({value}, {b}) {{ (Disc({r}), {w}) => {disc} * {w}, (_, {r}) => {r} }}"),
        }
    }

    /// A list of two or three reals.
    pub(super) fn list(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, b) = (self.real(scope, depth.saturating_sub(1)), self.leaf(scope));
        match scope.some(Kind::List, &mut self.random) {
            Some(list) if self.random.chance(50) => format!("Cons({a}, {list})"),
            _ if self.random.chance(30) => format!("map(sin, to_list([{a}, {b}]))"),
            _ => format!("Cons({a}, Cons({b}, Nil))"),
        }
    }

    pub(super) fn list_recursion(&mut self, scope: &Scope, depth: usize) -> String {
        let (list, walk, h) = (self.list(scope, depth), self.fresh("walk"), self.fresh("h"));
        let body = self.real(&scope.with(&h, Kind::Real), depth.min(1));
        match self.random.below(4) {
            0 => format!(
                "{{ fn {walk}(xs) = match xs {{ Nil => 0.5, Cons({h}, rest) => {body} + 0.5 * {walk}(rest) }}; {walk}({list}) }}"
            ),
            1 => format!("fold((s, {h}) => s + {body}, 0.0, {list})"),
            2 => format!("total(map({h} => {body}, {list}))"),
            _ => format!("match {list} {{ Cons(_, Cons({h}, _)) => {body}, Cons({h}, Nil) => {h}, Nil => 0.0 }}"),
        }
    }

    pub(super) fn assertion(&mut self, scope: &Scope, depth: usize) -> String {
        let (v, a) = (self.fresh("v"), self.real(scope, depth));
        let body = self.real(&scope.with(&v, Kind::Real), depth);
        format!("{{ let {v} = {a}; assert({v} == {v}); {body} }}")
    }
}
