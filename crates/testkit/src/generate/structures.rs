//! Recursive data, continuations, backpropagators as data, matrices, and modes inside modes.

use super::Generator;
use super::scope::{Kind, Scope};

impl Generator {
    /// Continuation-passing style: the closures of a recursion.
    pub(super) fn continuation(&mut self, scope: &Scope, depth: usize) -> String {
        let (go, r, start) = (self.fresh("go"), self.fresh("r"), self.leaf(scope));
        let body = self.real(&scope.with(&r, Kind::Real), depth.min(1));
        let n = 1 + self.random.below(3);
        match self.random.below(3) {
            0 => format!(
                "{{ fn {go}(n, x, k) = if n == 0 {{ k(x) }} else {{ {go}(n - 1, sin(x), {r} => k(0.5 * {body} + {r})) }}; {go}({n}, {start}, y => y) }}"
            ),
            1 => format!(
                "{{ fn {go}(xs, k) = match xs {{ Nil => k(0.5), Cons({r}, rest) => {go}(rest, s => k(s + {body})) }}; {go}({}, s => tanh(s)) }}",
                self.list(scope, depth)
            ),
            _ => format!(
                "{{ fn {go}(n, f) = if n == 0 {{ f }} else {{ {go}(n - 1, {r} => f({r}) + 0.3 * {body}) }}; {go}({n}, sin)({start}) }}"
            ),
        }
    }

    /// A tree of reals, walked and mapped.
    pub(super) fn tree(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, b, c, h) = (self.real(scope, depth), self.leaf(scope), self.leaf(scope), self.fresh("h"));
        let body = self.real(&scope.with(&h, Kind::Real), depth.min(1));
        let tree = match self.random.below(3) {
            0 => format!("Node(Leaf({a}), Node(Leaf({b}), Leaf({c})))"),
            1 => format!("Node(Node(Leaf({a}), Leaf({b})), Leaf({c}))"),
            _ => format!("(if {} {{ Leaf({a}) }} else {{ Node(Leaf({b}), Leaf({c})) }})", self.condition(scope, depth)),
        };
        match self.random.below(3) {
            0 => format!("leaves({h} => {body}, {tree})"),
            1 => format!("leaves({h} => {h}, grown({h} => {body}, {tree}))"),
            _ => self.differentiated(scope, depth, |_| {
                format!("leaves(sin, grad(t => leaves({h} => {body} * {h}, t))({tree}))")
            }),
        }
    }

    /// A tree whose nodes have arrays of children.
    pub(super) fn children_in_arrays(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, b, h) = (self.real(scope, depth), self.leaf(scope), self.fresh("h"));
        let body = self.real(&scope.with(&h, Kind::Real), depth.min(1));
        let tree = match self.random.below(4) {
            0 => format!("Rose({a}, [])"),
            1 => format!("Rose({a}, [Rose({b}, []), rose({b}, 1)])"),
            2 => format!("(if {} {{ rose({a}, 2) }} else {{ Rose({b}, []) }})", self.condition(scope, depth)),
            _ => format!("rose({a}, 2)"),
        };
        match self.random.below(3) {
            0 | 1 => format!("petals({h} => {body}, {tree})"),
            _ => self.differentiated(scope, depth, |_| {
                format!("petals(sin, grad(t => petals({h} => {body} * {h}, t))({tree}))")
            }),
        }
    }

    /// An endless list whose rest is a function.
    pub(super) fn stream(&mut self, scope: &Scope, depth: usize) -> String {
        let (x, h) = (self.leaf(scope), self.fresh("h"));
        let body = self.real(&scope.with(&h, Kind::Real), depth.min(1));
        let n = 1 + self.random.below(3);
        match self.random.below(2) {
            0 => format!("first({n}, stream({h} => 0.5 * sin({body}), {x}))"),
            _ => format!("first({n}, each({h} => {body}, stream(sin, {x})))"),
        }
    }

    /// A list that is a function of what to do with it.
    pub(super) fn data_as_functions(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, b, h, walk) = (self.real(scope, depth), self.leaf(scope), self.fresh("h"), self.fresh("walk"));
        let body = self.real(&scope.with(&h, Kind::Real), depth.min(1));
        format!(
            "{{ fn {walk}(l) = l(() => 0.5, ({h}, t) => {body} + 0.5 * {walk}(t)); {walk}((n, c) => c({a}, (n, c) => c({b}, (n, c) => n()))) }}"
        )
    }

    /// Backpropagators and linear maps kept in data, called later.
    pub(super) fn pulls_in_data(&mut self, scope: &Scope, depth: usize) -> String {
        self.differentiated(scope, depth, |this| {
            let (x, list, u, d) = (this.leaf(scope), this.list(scope, depth), this.fresh("u"), this.leaf(scope));
            let (t, body) = this.lambda(&scope.with(&u, Kind::Real), depth);
            match this.random.below(3) {
                0 => {
                    format!("total(map(pull => pull({d}) + pull(0.5), map({u} => vjp({t} => {body}, {x}).1, {list})))")
                }
                1 => format!(
                    "{{ let {u} = {x}; let ps = [vjp({t} => {body}, {u}).1, vjp(sin, {u}).1]; ps[1](ps[0]({d})) }}"
                ),
                _ => format!("{{ let {u} = {x}; let r = {{pull: vjp({t} => {body}, {u}).1, at: {d}}}; r.pull(r.at) }}"),
            }
        })
    }

    /// One mode inside the other, and derived operators.
    pub(super) fn mixed_modes(&mut self, scope: &Scope, depth: usize) -> String {
        if !self.has_orders(2) {
            return self.elementary(scope, depth);
        }
        self.orders -= 2;
        let (f, x, d) = (self.function(scope, depth), self.leaf(scope), self.leaf(scope));
        self.orders += 2;
        match self.random.below(5) {
            0 => format!("jvp(grad({f}), {x}, {d}).1"),
            1 => format!("grad(t => jvp({f}, t, 0.5).1)({x})"),
            2 => format!("hvp({f}, {x}, {d})"),
            3 => format!("{{ let (y, push) = linearize({f})({x}); y + push({d}, {{}}) * push(0.5, {{}}) }}"),
            _ => format!("jvp(t => vjp({f}, t).1({d}), {x}, 0.5).1"),
        }
    }

    pub(super) fn fixed_point(&mut self, scope: &Scope, depth: usize) -> String {
        let (v, c) = (self.fresh("v"), self.real(scope, depth));
        let near = "(a, b) => abs(a - b) < 1e-13";
        format!("{{ let {v} = {c}; fix({near}, t => 0.3 * sin(t) + {v})(0.5) }}")
    }

    pub(super) fn matrices(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, b, c) = (self.real(scope, depth), self.leaf(scope), self.leaf(scope));
        let m = format!("[[{a}, {b}], [{c}, 0.5]]");
        match self.random.below(6) {
            0 => format!("sum({m} @ transpose({m}))"),
            1 => format!("det([[3.0 + sin({a}), {b} / 9.0], [0.1, 3.0 + cos({c})]])"),
            2 => format!("sum(solve([[5.0 + sin({a}), 0.5], [0.25, 4.0 + cos({b})]], [{b}, {c}]))"),
            3 => format!("sum(outer([{a}, {b}], [{c}, 0.5])[1])"),
            4 => format!("{{ let m = {m}; sum(tabulate(2, i => sum(m[i]) * m[1 - i, i])) }}"),
            _ => format!("{{ let m = {m}; let w = {{m with [1]: [{b}, {a}]}}; sum(w * m) + w[1, 1] }}"),
        }
    }

    pub(super) fn rearrangement(&mut self, scope: &Scope, depth: usize) -> String {
        let (array, v) = (self.array(scope, depth), self.fresh("v"));
        let body = self.real(&scope.with(&v, Kind::Real), depth.min(1));
        match self.random.below(6) {
            0 => format!("dot(gather({array}, [2, 0, 0]), [0.5, 0.25, 2.0])"),
            1 => format!("sum(scatter_add([0.5, 0.0, 1.0], [1, 1, 2], {array})^2)"),
            2 => format!("{{ let r = [{{x: {v}, n: 2}} for {v} in {array}]; sum(p.x * p.n for p in r) }}"),
            3 => format!("{{ let f = [({v} => {body}), sin, cos]; sum(tabulate(3, i => f[i]({array}[i]))) }}"),
            4 => format!("sum(while_loop(a => less(sum(a), 2.0), a => a + 0.6 + 0.1 * sin(a), {array}))"),
            _ => format!("fold((s, p) => s * p.0 + p.1, 0.5, zip({array}, map({v} => {body}, {array})))"),
        }
    }

    /// An interpreter: what is run is data.
    pub(super) fn interpreted(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, b, x) = (self.real(scope, depth), self.leaf(scope), self.leaf(scope));
        let program = match self.random.below(3) {
            0 => format!("Sum(Constant({a}), Product(Unknown, Constant({b})))"),
            1 => format!("Product(Sum(Unknown, Constant({a})), Sum(Unknown, Unknown))"),
            _ => format!("Product(Unknown, Product(Unknown, Constant({a})))"),
        };
        match self.random.below(2) {
            0 => format!("meaning({program}, {x})"),
            _ => self.differentiated(scope, depth, |_| format!("grad(v => meaning({program}, v))({x})")),
        }
    }
}
