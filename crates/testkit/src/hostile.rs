//! Random programs about arrays that try to break them: empty ones and those of one element, ragged rows, NaN and infinities, sizes that no machine
//! has, indices that are negative, too large or no ints, up to three axes, arrays of structs, loops that change and grow arrays, and
//! derivatives of all that.
//!
//! In: a seed. Out: a program, always the same for the seed. Most programs end in a value and a good part in an error; engines must agree on both.
//! The grammar is in `templates`: `$V` is an expression of kind V, `$V{@a:R}` one that may use the name `@a` of kind R, and `@a` is a
//! name that is new in each use of the template.

mod templates;

use std::collections::BTreeSet;

use crate::Random;
use crate::generate::Program;
use templates::Template;

/// What an expression is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Real,
    Int,
    Bool,
    /// Reals on one, two and three axes
    Vector,
    Matrix,
    Cube,
    /// Ints on one axis
    Ints,
    /// On one axis, structs of a real `x` and an int `n`
    Structs,
    /// On one axis, structs of a vector `a` and a real `x`
    Vectors,
    /// One of the structs, one of those with a vector
    Struct,
    VectorStruct,
    /// An int that is a length: mostly small
    Size,
    /// A number, written out
    Number,
}

impl Kind {
    fn of(letter: char) -> Kind {
        match letter {
            'R' => Kind::Real,
            'I' => Kind::Int,
            'B' => Kind::Bool,
            'V' => Kind::Vector,
            'M' => Kind::Matrix,
            'C' => Kind::Cube,
            'N' => Kind::Ints,
            'S' => Kind::Structs,
            'W' => Kind::Vectors,
            'P' => Kind::Struct,
            'Q' => Kind::VectorStruct,
            'Z' => Kind::Size,
            'L' => Kind::Number,
            other => panic!("hostile: no kind is called {other}"),
        }
    }
}

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    // Another sequence than that of `generate::generate`.
    let mut random = Random::new(seed ^ 0x5eed_a44a);
    let budget = 5 + random.below(12);
    let mut generator = Generator { random, names: 0, budget, orders: 1, productions: BTreeSet::new() };
    let (parameters, kinds): (&str, &[(&str, Kind)]) = *generator.random.pick(DOMAINS);
    let scope: Scope = kinds.iter().map(|(name, kind)| (name.to_string(), *kind)).collect();
    let body = generator.expression(Kind::Real, &scope);
    let points = (0..3).map(|_| generator.point(kinds)).collect();
    Program {
        seed,
        prelude: "",
        definitions: format!("fn main({parameters}) = {body}\n"),
        entry: "main",
        points,
        productions: generator.productions,
    }
}

/// What programs are functions of.
const DOMAINS: &[(&str, &[(&str, Kind)])] = &[
    ("a", &[("a", Kind::Vector)]),
    ("a", &[("a", Kind::Vector)]),
    ("m", &[("m", Kind::Matrix)]),
    ("m", &[("m", Kind::Matrix)]),
    ("c", &[("c", Kind::Cube)]),
    ("x, a", &[("x", Kind::Real), ("a", Kind::Vector)]),
    ("a, m", &[("a", Kind::Vector), ("m", Kind::Matrix)]),
    ("s, a", &[("s", Kind::Structs), ("a", Kind::Vector)]),
];

type Scope = Vec<(String, Kind)>;

struct Generator {
    random: Random,
    names: usize,
    /// How many templates may still be used.
    budget: usize,
    /// How many differentiations may still be nested around what is generated.
    orders: usize,
    productions: BTreeSet<&'static str>,
}

impl Generator {
    fn expression(&mut self, kind: Kind, scope: &Scope) -> String {
        if kind == Kind::Number {
            return self.number();
        }
        if self.budget == 0 || (self.names > 1 && self.random.chance(12)) {
            return self.leaf(kind, scope);
        }
        self.budget -= 1;
        let template = loop {
            let template: &Template = self.random.pick(templates::of(kind));
            let wanted = !template.is_rare || self.random.chance(25);
            if wanted && (self.orders > 0 || !template.differentiates) {
                break template;
            }
        };
        self.productions.insert(template.text);
        self.orders -= usize::from(template.differentiates);
        let text = self.instance(template.text, scope);
        self.orders += usize::from(template.differentiates);
        text
    }

    /// A template with its parts filled in.
    fn instance(&mut self, template: &str, scope: &Scope) -> String {
        self.names += 1;
        let number = self.names;
        let (mut text, mut rest) = (String::new(), template);
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '@' if rest.starts_with(|c: char| c.is_ascii_alphabetic()) => text += &fresh(&mut rest, number),
                '$' => {
                    let letter = rest.chars().next().expect("hostile: a template says which kind");
                    rest = &rest[letter.len_utf8()..];
                    let scope = with_names(&mut rest, scope, number);
                    text += &self.expression(Kind::of(letter), &scope);
                }
                c => text.push(c),
            }
        }
        text
    }

    /// Something short: a name, or a constant.
    fn leaf(&mut self, kind: Kind, scope: &Scope) -> String {
        let names: Vec<String> = scope.iter().filter_map(|(name, of)| as_kind(name, *of, kind)).collect();
        if !names.is_empty() && self.random.chance(85) {
            // What was bound last is the most likely.
            let mut at = names.len() - 1;
            while at > 0 && self.random.chance(50) {
                at -= 1;
            }
            return names[at].clone();
        }
        match kind {
            Kind::Real => self.number(),
            kind if self.random.chance(6) => (*self.random.pick(templates::odd(kind))).into(),
            kind => (*self.random.pick(templates::constants(kind))).into(),
        }
    }

    fn number(&mut self) -> String {
        if self.random.chance(4) {
            return (*self.random.pick(&["nan", "inf", "(-inf)", "0.0", "(-0.0)", "1e-300"])).into();
        }
        format!("{:.2}", self.random.between(0.1, 2.5))
    }

    /// Arguments, as source text.
    fn point(&mut self, kinds: &[(&str, Kind)]) -> String {
        let parts: Vec<String> = kinds.iter().map(|(_, kind)| self.point_of(*kind)).collect();
        if let [one] = &parts[..] { one.clone() } else { format!("({})", parts.join(", ")) }
    }

    fn point_of(&mut self, kind: Kind) -> String {
        match kind {
            Kind::Vector => {
                let length = *self.random.pick(&[0, 1, 2, 3, 3, 5, 40]);
                self.reals(&[length])
            }
            Kind::Matrix => {
                let lengths = *self.random.pick(&[[0, 3], [3, 0], [1, 1], [2, 2], [2, 3], [3, 2], [3, 3], [7, 6]]);
                self.reals(&lengths)
            }
            Kind::Cube => {
                let lengths = *self.random.pick(&[[1, 2, 3], [2, 2, 2], [0, 2, 2], [2, 0, 3], [2, 3, 2], [3, 4, 3]]);
                self.reals(&lengths)
            }
            Kind::Structs => {
                let length = *self.random.pick(&[0, 1, 3]);
                let all: Vec<String> = (0..length).map(|n| format!("{{x: {}, n: {n}}}", self.some_real())).collect();
                format!("[{}]", all.join(", "))
            }
            _ => self.some_real(),
        }
    }

    fn reals(&mut self, lengths: &[usize]) -> String {
        let all: Vec<String> = (0..lengths.iter().product()).map(|_| self.some_real()).collect();
        let all = format!("[{}]", all.join(", "));
        if let [_] = lengths { all } else { format!("reshape({all}, {lengths:?})") }
    }

    fn some_real(&mut self) -> String {
        match self.random.below(60) {
            0 => (*self.random.pick(&["nan", "inf", "(-inf)", "(-0.0)"])).into(),
            1 => "0.0".into(),
            _ => format!("({:.3})", self.random.between(-2.0, 2.0)),
        }
    }
}

/// The name behind an `@`, made new.
fn fresh(rest: &mut &str, number: usize) -> String {
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (name, behind) = rest.split_at(end);
    *rest = behind;
    format!("{name}{number}")
}

/// The scope that `{@a:R @b:V}` makes.
fn with_names(rest: &mut &str, scope: &Scope, number: usize) -> Scope {
    let mut scope = scope.clone();
    let Some((names, behind)) = rest.strip_prefix("{@").and_then(|rest| rest.split_once('}')) else { return scope };
    *rest = behind;
    for name in names.split(' ') {
        let (name, kind) = name.trim_start_matches('@').split_once(':').expect("hostile: names have kinds");
        scope.push((format!("{name}{number}"), Kind::of(kind.chars().next().expect("hostile: a kind"))));
    }
    scope
}

/// An expression of this kind that a name makes at once.
fn as_kind(name: &str, of: Kind, wanted: Kind) -> Option<String> {
    match (of, wanted) {
        _ if of == wanted => Some(name.into()),
        (Kind::Struct, Kind::Real) | (Kind::VectorStruct, Kind::Real) => Some(format!("{name}.x")),
        (Kind::Struct, Kind::Int) => Some(format!("{name}.n")),
        (Kind::VectorStruct, Kind::Vector) => Some(format!("{name}.a")),
        (Kind::Vector | Kind::Matrix | Kind::Cube, Kind::Real) => Some(format!("sum({name})")),
        (Kind::Vector, Kind::Size) => Some(format!("len({name})")),
        (Kind::Matrix, Kind::Vector) => Some(format!("{name}[0]")),
        _ => None,
    }
}
