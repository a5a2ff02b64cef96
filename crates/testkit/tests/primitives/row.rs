//! What a row of the table says about a primitive.

use calculus::Prim;

pub struct Row {
    pub prim: Prim,
    pub shape: Shape,
    /// Functions that use the primitive, with points around which they are smooth.
    pub smooth: &'static [Smooth],
    /// Expressions and their values: edges, empty arrays, what is discrete.
    pub values: &'static [(&'static str, &'static str)],
    /// The first step of the differences.
    pub step: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Elementwise in one number
    Unary,
    /// Elementwise in two numbers
    Binary,
    Other,
}

pub struct Smooth {
    /// A function to a real, as source text.
    pub f: &'static str,
    pub points: &'static [&'static str],
}

pub type Values = &'static [(&'static str, &'static str)];

const STEP: f64 = 0.05;

impl Row {
    /// An elementwise function of a real.
    pub const fn unary(prim: Prim, smooth: &'static [Smooth], values: Values) -> Row {
        Row { prim, shape: Shape::Unary, smooth, values, step: STEP }
    }

    pub const fn binary(prim: Prim, smooth: &'static [Smooth], values: Values) -> Row {
        Row { prim, shape: Shape::Binary, smooth, values, step: STEP }
    }

    pub const fn other(prim: Prim, smooth: &'static [Smooth], values: Values) -> Row {
        Row { prim, shape: Shape::Other, smooth, values, step: STEP }
    }

    pub fn name(&self) -> &'static str {
        self.prim.name().trim_start_matches('.')
    }

    /// Pairs of expressions: the primitive on arrays, and on their elements.
    pub fn array_claims(&self) -> Vec<(String, String)> {
        let p = self.name();
        let (x, y) = ("[0.25, 0.5, 0.75]", "[0.5, 0.25, 2.0]");
        let gradient = |f: String, at: &str| format!("grad(v => weigh({f}))({at})");
        let pushed = |f: String, at: &str| format!("jvp(v => {f}, {at}, random_like({at}, 1)).1");
        match self.shape {
            Shape::Unary => vec![
                (format!("{p}({x})"), format!("map({p}, {x})")),
                (gradient(format!("{p}(v)"), x), gradient(format!("map({p}, v)"), x)),
                (pushed(format!("{p}(v)"), x), pushed(format!("map({p}, v)"), x)),
                (format!("shape({p}([{x}, {y}]))"), "[2, 3]".into()),
            ],
            Shape::Binary => vec![
                (format!("{p}({x}, {y})"), format!("tabulate(3, i => {p}({x}[i], {y}[i]))")),
                (format!("{p}({x}, 0.4)"), format!("map(x => {p}(x, 0.4), {x})")),
                (format!("{p}(0.4, {x})"), format!("map(x => {p}(0.4, x), {x})")),
                (
                    gradient(format!("{p}(v)"), &format!("({x}, {y})")),
                    gradient(format!("tabulate(3, i => {p}(v.0[i], v.1[i]))"), &format!("({x}, {y})")),
                ),
                (
                    pushed(format!("{p}(v)"), &format!("({x}, {y})")),
                    pushed(format!("tabulate(3, i => {p}(v.0[i], v.1[i]))"), &format!("({x}, {y})")),
                ),
                (
                    gradient(format!("{p}(v)"), &format!("({x}, 0.4)")),
                    gradient(format!("tabulate(3, i => {p}(v.0[i], v.1))"), &format!("({x}, 0.4)")),
                ),
                (
                    pushed(format!("{p}(v)"), &format!("({x}, 0.4)")),
                    pushed(format!("tabulate(3, i => {p}(v.0[i], v.1))"), &format!("({x}, 0.4)")),
                ),
                (
                    gradient(format!("{p}(v)"), &format!("(0.4, {x})")),
                    gradient(format!("tabulate(3, i => {p}(v.0, v.1[i]))"), &format!("(0.4, {x})")),
                ),
                (
                    pushed(format!("{p}(v)"), &format!("(0.4, {x})")),
                    pushed(format!("tabulate(3, i => {p}(v.0, v.1[i]))"), &format!("(0.4, {x})")),
                ),
                (format!("shape({p}([{x}, {y}], [{y}, {x}]))"), "[2, 3]".into()),
                (format!("shape({p}([{x}, {y}], 0.4))"), "[2, 3]".into()),
            ],
            Shape::Other => vec![],
        }
    }

    pub fn empty_claims(&self) -> Vec<(String, String)> {
        let p = self.name();
        let claim = |text: String, expected: &str| (text, expected.to_string());
        match self.shape {
            Shape::Unary => vec![
                claim(format!("{p}([])"), "[]"),
                claim(format!("grad(x => sum({p}([])) + x)(2.0)"), "1.0"),
                claim(format!("vjp(p => {p}(p.0), ([], 1.0)).1([])"), "([], 0.0)"),
                claim(format!("jvp({p}, [], []).1"), "[]"),
            ],
            Shape::Binary => vec![
                claim(format!("{p}([], [])"), "[]"),
                claim(format!("{p}([], 1.0)"), "[]"),
                claim(format!("{p}(1.0, [])"), "[]"),
                claim(format!("vjp({p}, ([], 1.0)).1([])"), "([], 0.0)"),
                claim(format!("vjp({p}, (1.0, [])).1([])"), "(0.0, [])"),
                claim(format!("jvp({p}, (1.0, []), (1.0, [])).1"), "[]"),
            ],
            Shape::Other => vec![],
        }
    }
}

/// A function with derivatives to all orders around these points.
pub const fn smooth(f: &'static str, points: &'static [&'static str]) -> Smooth {
    Smooth { f, points }
}
