//! Functions with rules that are right: the rule is generated together with its function.

use super::Generator;
use super::scope::{Kind, Scope};

impl Generator {
    /// The rule differentiates a helper; what flows to the helper's captures is the helper's sensitivity.
    pub(super) fn rule_by_helper(&mut self, scope: &Scope, depth: usize) -> String {
        let (h, g) = (self.fresh("h"), self.fresh("g"));
        let (t, body) = self.lambda(scope, depth);
        let x = self.real(scope, depth);
        format!(
            "{{
    let {h} = {t} => {body}
    let {g} = ({t} => {h}({t})) reverse {t} => {{
      let (y, pull) = J({h})({t})
      (y, d => {{ let (dh, dt) = pull(d); ({{{h}: dh}}, dt) }})
    }}
    {g}({x}) }}"
        )
    }

    /// a sin(v): da = sin(v), dv = a cos(v)
    pub(super) fn rule_by_formula(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, g, v) = (self.fresh("a"), self.fresh("g"), self.fresh("v"));
        let (value, x) = (self.real(scope, depth), self.real(scope, depth));
        let rule = match self.random.below(3) {
            // It calls itself, so that it serves every order.
            0 => format!(
                "fn {g}({v}) = {a} * sin({v}) reverse {v} => ({g}({v}), d => ({{{a}: d * sin({v})}}, d * {a} * cos({v})))"
            ),
            // It keeps a value for later, and the record is computed.
            1 => format!(
                "fn {g}({v}) = {a} * sin({v}) reverse {v} => {{
      let (s, c) = (sin({v}), cos({v}))
      ({a} * s, d => {{ let back = {{{a}: d * s}}; (back, d * ({a} * c)) }})
    }}"
            ),
            // A missing label is zero: here nothing captured matters.
            _ => format!(
                "let {g} = {a} => ((({v}) => sin({v})) reverse {v} => (sin({v}), d => ({{}}, d * cos({v}))))({a})"
            ),
        };
        let argument = if rule.starts_with("let") { format!("{a} + {x}") } else { x };
        format!("{{\n    let {a} = {value}\n    {rule}\n    {g}({argument}) }}")
    }

    /// A member of a recursive group with a rule: the sibling's sensitivity is that of the shared captures.
    pub(super) fn rule_in_a_group(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, p, q) = (self.fresh("a"), self.fresh("p"), self.fresh("q"));
        let (value, x) = (self.real(scope, depth), self.leaf(scope));
        let n = 1 + self.random.below(3);
        format!(
            "{{
    let {a} = {value}
    fn {p}(n, v) = if n == 0 {{ {a} * v }} else {{ {q}(n - 1, sin(v)) }}
    fn {q}(n, v) = if n == 0 {{ v }} else {{ 0.5 * {p}(n - 1, {a} + v) }}
      reverse (n, v) => if n == 0 {{ (v, d => ({{}}, ((), d))) }} else {{
        let (y, pull) = J({p})(n - 1, {a} + v)
        (0.5 * y, d => {{
          let (captured, (_, dv)) = pull(0.5 * d)
          (plus(captured, {{{a}: dv}}), ((), dv))
        }})
      }}
    {p}({n}, {x}) }}"
        )
    }

    pub(super) fn top_level_rule(&mut self, scope: &Scope, depth: usize) -> String {
        let f = self.fresh("ruled");
        let (x, y) = (self.real(scope, depth), self.leaf(scope));
        self.tops.push(match self.random.below(3) {
            0 => format!("fn {f}(u, v) = u * tanh(v)\n  reverse (u, v) => ({f}(u, v), d => ({{}}, (d * tanh(v), d * u / cosh(v)^2)))"),
            // Its argument holds a function.
            1 => format!(
                "fn {f}(u, v) = {f}_at(t => u * sin(t), v)
fn {f}_at(f, v) = f(v)
  reverse (f, v) => {{ let (y, pull) = J(f)(v); (y, d => ({{}}, pull(d))) }}"
            ),
            // It returns a closure.
            _ => format!(
                "fn {f}(u, v) = {f}_make(u)(v)
fn {f}_make(u) = (t => u * cos(t))
fn {f}_made(u) = {f}_make(u)
  reverse u => (t => u * cos(t), d => ({{}}, d.u))"
            ),
        });
        format!("{f}({x}, {y})")
    }

    /// `forward` and `transpose` clauses, which reverse mode may ignore.
    pub(super) fn rules_of_other_kinds(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, value, x) = (self.fresh("a"), self.real(scope, depth), self.real(scope, depth));
        let inner = scope.with(&a, Kind::Real);
        let after = self.leaf(&inner);
        match self.random.below(2) {
            0 => format!(
                "{{
    let {a} = {value}
    ((v => {a} * sin(v)) forward v => ({a} * sin(v), (dv, captured) => {a} * cos(v) * dv + captured.{a} * sin(v)))({x}) + {after} }}"
            ),
            _ => format!("{{ let {a} = {value}; ((v => {a} * v) transpose d => {a} * d)({x}) + {after} }}"),
        }
    }
}
