//! Arithmetic, choice, closures, recursion and loops.

use super::Generator;
use super::scope::{Kind, Scope};

impl Generator {
    pub(super) fn arithmetic(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, b) = (self.real(scope, depth), self.real(scope, depth));
        match self.random.below(7) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - 0.5 * {b})"),
            3 | 4 => format!("({a} * {b})"),
            5 => format!("({a} / (1.5 + ({b})^2))"),
            _ => format!("(2 * {a} - {b} / 3)"),
        }
    }

    pub(super) fn elementary(&mut self, scope: &Scope, depth: usize) -> String {
        let a = self.real(scope, depth);
        let forms = [
            "sin(@)",
            "cos(@)",
            "tanh(@)",
            "atan(@)",
            "exp(-(@)^2)",
            "sqrt(1.5 + (@)^2)",
            "log(1.5 + (@)^2)",
            "-(@)",
            "sigmoid(@)",
            "log1pexp(@)",
            "0.5 * (@)^2",
            "atan2(@, 2.5)",
            "(1.5 + sin(@))^1.5",
            "erf(@)",
        ];
        self.random.pick(&forms).replace('@', &a)
    }

    pub(super) fn definition(&mut self, scope: &Scope, depth: usize) -> String {
        let name = self.fresh("v");
        let kind = *self.random.pick(&Kind::ALL);
        let value = self.value(kind, scope, depth);
        let body = self.real(&scope.with(&name, kind), depth);
        format!("{{ let {name} = {value}; {body} }}")
    }

    pub(super) fn choice(&mut self, scope: &Scope, depth: usize) -> String {
        let condition = self.condition(scope, depth);
        let (a, b) = (self.real(scope, depth), self.real(scope, depth));
        if self.random.chance(30) {
            let (other, c) = (self.condition(scope, depth), self.real(scope, depth));
            return format!("(if {condition} {{ {a} }} else if {other} {{ {b} }} else {{ {c} }})");
        }
        format!("(if {condition} {{ {a} }} else {{ {b} }})")
    }

    /// A function from a real to a real.
    pub(super) fn function(&mut self, scope: &Scope, depth: usize) -> String {
        if self.random.chance(15) {
            return (*self.random.pick(&["sin", "cos", "tanh", "sigmoid"])).into();
        }
        let (parameter, body) = self.lambda(scope, depth.saturating_sub(1));
        format!("({parameter} => {body})")
    }

    /// A parameter, and a body that uses it.
    pub(super) fn lambda(&mut self, scope: &Scope, depth: usize) -> (String, String) {
        let parameter = self.fresh("t");
        let body = self.real(&scope.with(&parameter, Kind::Real), depth.max(1));
        (parameter, body)
    }

    pub(super) fn application(&mut self, scope: &Scope, depth: usize) -> String {
        let (f, x) = (self.function(scope, depth), self.real(scope, depth));
        if self.random.chance(30) { format!("({x} |> {f})") } else { format!("{f}({x})") }
    }

    pub(super) fn chosen_closure(&mut self, scope: &Scope, depth: usize) -> String {
        let (name, condition) = (self.fresh("f"), self.condition(scope, depth));
        let (f, g) = (self.function(scope, depth), self.function(scope, depth));
        let body = self.real(&scope.with(&name, Kind::Function), depth);
        let x = self.leaf(scope);
        format!("{{ let {name} = if {condition} {{ {f} }} else {{ {g} }}; {name}({x}) + {body} }}")
    }

    pub(super) fn closures_in_data(&mut self, scope: &Scope, depth: usize) -> String {
        let (f, g, x) = (self.function(scope, depth), self.function(scope, depth), self.real(scope, depth));
        let p = self.fresh("d");
        match self.random.below(5) {
            0 => format!("{{ let {p} = ({f}, {g}); {p}.0({p}.1({x})) }}"),
            1 => format!("{{ let {p} = {{f: {f}, at: {x}, g: {g}}}; {p}.g({p}.f({p}.at)) }}"),
            2 => format!("{{ let {p} = [{f}, {g}]; {p}[1]({p}[0]({x})) }}"),
            3 => format!("fold((s, f) => f(s), {x}, Cons({f}, Cons({g}, Nil)))"),
            _ => format!(
                "{{ let {p} = Box({f}, {g}); match {p} {{ Box(f, g) => f(g({x})), Disc(f) => f({x}), Dot => 0.0 }} }}"
            ),
        }
    }

    pub(super) fn curried(&mut self, scope: &Scope, depth: usize) -> String {
        let (f, t) = (self.fresh("f"), self.fresh("t"));
        let (parameter, body) = self.lambda(&scope.with(&t, Kind::Real), depth);
        let (x, y) = (self.leaf(scope), self.leaf(scope));
        match self.random.below(3) {
            0 => format!("{{ let {f} = {t} => {parameter} => {body}; {f}({x})({y}) }}"),
            // The closure is used twice, and on itself.
            1 => format!("{{ let {f} = {t} => {parameter} => {body}; let g = {f}({x}); g(g({y})) }}"),
            _ => format!("{{ fn {f}({t}, {parameter}) = {body}; {f}({x}, {y}) }}"),
        }
    }

    pub(super) fn local_recursion(&mut self, scope: &Scope, depth: usize) -> String {
        let (go, v) = (self.fresh("go"), self.fresh("v"));
        let inner = scope.with(&v, Kind::Real);
        let (next, part, start) = (self.real(&inner, depth.min(1)), self.leaf(&inner), self.leaf(scope));
        let n = 1 + self.random.below(4);
        if self.random.chance(50) {
            format!(
                "{{ fn {go}(n, {v}) = if n == 0 {{ {v} }} else {{ {go}(n - 1, sin({next})) }}; {go}({n}, {start}) }}"
            )
        } else {
            format!(
                "{{ fn {go}(n, {v}) = if n == 0 {{ {part} }} else {{ 0.5 * {next} + {go}(n - 1, cos({v})) }}; {go}({n}, {start}) }}"
            )
        }
    }

    pub(super) fn mutual_recursion(&mut self, scope: &Scope, depth: usize) -> String {
        let (ping, pong, v) = (self.fresh("ping"), self.fresh("pong"), self.fresh("v"));
        let inner = scope.with(&v, Kind::Real);
        let (a, b, start) = (self.real(&inner, depth.min(1)), self.real(&inner, depth.min(1)), self.leaf(scope));
        let n = 1 + self.random.below(4);
        format!(
            "{{
    fn {ping}(n, {v}) = if n == 0 {{ {v} }} else {{ {pong}(n - 1, tanh({a})) }}
    fn {pong}(n, {v}) = if n == 0 {{ -{v} }} else {{ 0.7 * {ping}(n - 1, {b}) }}
    {ping}({n}, {start}) }}"
        )
    }

    pub(super) fn top_level_recursion(&mut self, scope: &Scope, depth: usize) -> String {
        let (f, v) = (self.fresh("top"), self.fresh("v"));
        let inner = Scope::default().with("c", Kind::Real).with(&v, Kind::Real);
        let next = self.real(&inner, depth.min(1));
        self.tops
            .push(format!("fn {f}(n, c, {v}) = if n == 0 {{ c * {v} }} else {{ 0.1 + {f}(n - 1, c, sin({next})) }}"));
        let (x, y) = (self.leaf(scope), self.leaf(scope));
        format!("{f}({}, {x}, {y})", 1 + self.random.below(3))
    }

    pub(super) fn loops(&mut self, scope: &Scope, depth: usize) -> String {
        let (v, start) = (self.fresh("v"), self.leaf(scope));
        let next = self.real(&scope.with(&v, Kind::Real), depth.min(1));
        match self.random.below(4) {
            0 => format!("iterate(3, {v} => sin({next}), {start})"),
            1 => format!("while_loop(s => s.0 < 3, s => {{ let {v} = s.1; (s.0 + 1, cos({next})) }}, (0, {start})).1"),
            // The number of rounds depends on values.
            2 => format!("while_loop({v} => less({v}, 1.2), {v} => {v} + 0.6 + 0.2 * sin({next}), 0.1 * sin({start}))"),
            _ => format!("sum(scan((s, {v}) => 0.5 * s + {next}, {start}, [0.3, 0.6, {start}]))"),
        }
    }
}
