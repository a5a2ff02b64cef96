//! Random programs: well-formed Evert source text that defines a function to a real, smooth at its sample points.
//!
//! In: a seed. Out: a program, always the same for the seed. Every form of the language that differentiates occurs:
//! closures in data, rules with captures, recursion, nested differentiation, loops, arrays, records, variants, lists.
//! Branches depend on values; near a tie the program ends with the error `tie` (see [`PRELUDE`]), so that whoever
//! compares derivatives can discard the case. Any engine can be tried on these programs.

mod arrays;
mod data;
mod differentiation;
mod functions;
mod rules;
mod scope;
mod structures;

use std::collections::BTreeSet;

use crate::Random;
use scope::{Kind, Scope};

/// What every program begins with. The margin of `less` is wide, so that small steps don't cross a branch.
pub const PRELUDE: &str = "\
type Shape = Dot | Disc(radius) | Box(width, height)
fn less(a, b) = if abs(a - b) < 0.01 { error(\"tie\") } else { a < b }
fn total(xs) = match xs { Nil => 0.0, Cons(x, rest) => x + total(rest) }
type Tree = Leaf(value) | Node(left, right)
fn leaves(f, t) = match t { Leaf(v) => f(v), Node(l, r) => leaves(f, l) + 0.5 * leaves(f, r) }
fn grown(f, t) = match t { Leaf(v) => Node(Leaf(f(v)), Leaf(v)), Node(l, r) => Node(grown(f, r), grown(f, l)) }
type Formula = Unknown | Constant(value) | Sum(a, b) | Product(a, b)
fn meaning(e, x) = match e {
  Unknown => x, Constant(v) => v, Sum(a, b) => meaning(a, x) + meaning(b, x), Product(a, b) => meaning(a, x) * meaning(b, x)
}
type Rose = Rose(value, kids)
fn petals(f, Rose(v, ks)) = f(v) + 0.5 * sum(petals(f, k) for k in ks)
fn rose(x, n) = Rose(x, [rose(0.5 * x + 0.1 * real(i), n - 1) for i in 0..n])
type Stream = Stream(head, tail)
fn stream(f, x) = Stream(x, () => stream(f, f(x)))
fn each(f, Stream(x, rest)) = Stream(f(x), () => each(f, rest()))
fn first(n, Stream(x, rest)) = if n == 0 { 0.0 } else { x + 0.5 * first(n - 1, rest()) }
";

/// Is this the error of a program that is near a tie?
pub fn is_tie(error: &str) -> bool {
    error.starts_with("E0321: tie")
}

#[derive(Clone, Debug)]
pub struct Program {
    pub seed: u64,
    /// Types and helpers, the same for every program.
    pub prelude: &'static str,
    /// Function definitions: they mean the same at top level and in a block.
    pub definitions: String,
    /// The name of the function, from a value that holds reals to a real.
    pub entry: &'static str,
    /// Arguments, as source text.
    pub points: Vec<String>,
    /// Which productions made it, by their names.
    pub productions: BTreeSet<&'static str>,
}

impl Program {
    pub fn source(&self) -> String {
        format!("{}{}", self.prelude, self.definitions)
    }

    /// The same function, with all its definitions in a block.
    pub fn as_block(&self) -> String {
        format!("{{\n{}{}\n}}", self.definitions, self.entry)
    }
}

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    let mut generator =
        Generator { random: Random::new(seed), names: 0, tops: vec![], orders: 2, productions: BTreeSet::new() };
    let domain = *generator.random.pick(&Domain::ALL);
    let body = generator.main(domain);
    let points = (0..2).map(|_| generator.point(domain)).collect();
    let mut definitions: String = generator.tops.iter().map(|top| format!("{top}\n")).collect();
    definitions += &format!("fn main({}) = {body}\n", domain.pattern());
    Program { seed, prelude: PRELUDE, definitions, entry: "main", points, productions: generator.productions }
}

/// What the function is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Domain {
    Real,
    Pair,
    Array,
    List,
    Record,
}

impl Domain {
    const ALL: [Domain; 5] = [Domain::Real, Domain::Pair, Domain::Array, Domain::List, Domain::Record];

    fn pattern(self) -> &'static str {
        match self {
            Domain::Real => "x",
            Domain::Pair => "x, y",
            Domain::Array | Domain::List | Domain::Record => "p",
        }
    }

    /// A real of the argument, so that no program is constant.
    fn some_real(self) -> &'static str {
        match self {
            Domain::Real | Domain::Pair | Domain::Record => "x",
            Domain::Array => "p[1]",
            Domain::List => "total(p)",
        }
    }
}

pub struct Generator {
    random: Random,
    names: usize,
    /// Top-level functions so far.
    tops: Vec<String>,
    /// How many differentiations may still be nested around what is generated.
    orders: usize,
    productions: BTreeSet<&'static str>,
}

impl Generator {
    /// May so many differentiations still be nested?
    fn has_orders(&self, orders: usize) -> bool {
        self.orders >= orders
    }

    fn main(&mut self, domain: Domain) -> String {
        let mut scope = Scope::default();
        let mut lets = String::new();
        match domain {
            Domain::Real => scope = scope.with("x", Kind::Real),
            Domain::Pair => scope = scope.with("x", Kind::Real).with("y", Kind::Real),
            Domain::Array => scope = scope.with("p", Kind::Array),
            Domain::List => scope = scope.with("p", Kind::List),
            Domain::Record => {
                scope = scope.with("x", Kind::Real).with("y", Kind::Real);
                lets += "let {x, y: (y, _)} = p\n  ";
            }
        }
        for _ in 0..1 + self.random.below(2) {
            let name = self.fresh("k");
            let kind = *self.random.pick(&Kind::ALL);
            let value = self.value(kind, &scope, 2);
            lets += &format!("let {name} = {value}\n  ");
            scope = scope.with(&name, kind);
        }
        let (result, argument) = (self.real(&scope, 3), domain.some_real());
        format!("{{\n  {lets}{result} + 0.1 * sin({argument})\n}}")
    }

    fn point(&mut self, domain: Domain) -> String {
        let mut number = || format!("{:.3}", self.random.between(-1.5, 1.5));
        match domain {
            Domain::Real => number(),
            Domain::Pair => format!("({}, {})", number(), number()),
            Domain::Array => format!("[{}, {}, {}]", number(), number(), number()),
            Domain::List => format!("Cons({}, Cons({}, Nil))", number(), number()),
            Domain::Record => format!("{{x: {}, y: ({}, 7)}}", number(), number()),
        }
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn literal(&mut self) -> String {
        format!("{:.2}", self.random.between(0.1, 1.5))
    }

    /// An expression for a value of a kind.
    fn value(&mut self, kind: Kind, scope: &Scope, depth: usize) -> String {
        match kind {
            Kind::Real => self.real(scope, depth),
            Kind::Function => self.function(scope, depth),
            Kind::Array => self.array(scope, depth),
            Kind::List => self.list(scope, depth),
        }
    }

    /// An expression for a real.
    fn real(&mut self, scope: &Scope, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(scope);
        }
        let (name, production) = *self.random.pick(PRODUCTIONS);
        self.productions.insert(name);
        production(self, scope, depth - 1)
    }

    /// A real from what is in scope.
    fn leaf(&mut self, scope: &Scope) -> String {
        if scope.is_empty() || self.random.chance(6) {
            return self.literal();
        }
        let (name, kind) = scope.recent(&mut self.random);
        match kind {
            Kind::Real => name,
            Kind::Function => format!("{name}({})", self.real_name(scope)),
            Kind::Array => format!("{name}[{}]", self.random.below(3)),
            Kind::List => format!("total({name})"),
        }
    }

    /// The name of a real, or a number.
    fn real_name(&mut self, scope: &Scope) -> String {
        match scope.some(Kind::Real, &mut self.random) {
            Some(name) => name,
            None => self.literal(),
        }
    }

    /// A condition that depends on values.
    fn condition(&mut self, scope: &Scope, depth: usize) -> String {
        let (a, b) = (self.real(scope, depth.min(1)), self.literal());
        match self.random.below(4) {
            0 => format!("less({a}, {b}) && less(-3.0, {a})"),
            1 => format!("!less({a}, {b})"),
            _ => format!("less({a}, {b})"),
        }
    }
}

pub type Production = fn(&mut Generator, &Scope, usize) -> String;

/// How to make a real of smaller parts. What stands twice is twice as likely.
pub const PRODUCTIONS: &[(&str, Production)] = &[
    ("arithmetic", Generator::arithmetic),
    ("arithmetic", Generator::arithmetic),
    ("arithmetic", Generator::arithmetic),
    ("elementary", Generator::elementary),
    ("elementary", Generator::elementary),
    ("definition", Generator::definition),
    ("choice", Generator::choice),
    ("application", Generator::application),
    ("chosen closure", Generator::chosen_closure),
    ("closures in data", Generator::closures_in_data),
    ("curried", Generator::curried),
    ("local recursion", Generator::local_recursion),
    ("mutual recursion", Generator::mutual_recursion),
    ("top level recursion", Generator::top_level_recursion),
    ("loops", Generator::loops),
    ("gradient", Generator::gradient),
    ("backpropagator", Generator::backpropagator),
    ("captured sensitivity", Generator::captured_sensitivity),
    ("attached", Generator::attached),
    ("inverse", Generator::inverse),
    ("forward derivative", Generator::forward_derivative),
    ("checkpointed", Generator::checkpointed),
    ("rule by helper", Generator::rule_by_helper),
    ("rule by formula", Generator::rule_by_formula),
    ("rule in a group", Generator::rule_in_a_group),
    ("top level rule", Generator::top_level_rule),
    ("rules of other kinds", Generator::rules_of_other_kinds),
    ("array element", Generator::array_element),
    ("array reduction", Generator::array_reduction),
    ("array update", Generator::array_update),
    ("array fold", Generator::array_fold),
    ("array pattern", Generator::array_pattern),
    ("matrix", Generator::matrix),
    ("record", Generator::record),
    ("record update", Generator::record_update),
    ("tuple", Generator::tuple),
    ("variant", Generator::variant),
    ("list recursion", Generator::list_recursion),
    ("assertion", Generator::assertion),
    ("continuation", Generator::continuation),
    ("tree", Generator::tree),
    ("pulls in data", Generator::pulls_in_data),
    ("mixed modes", Generator::mixed_modes),
    ("fixed point", Generator::fixed_point),
    ("matrices", Generator::matrices),
    ("rearrangement", Generator::rearrangement),
    ("interpreted", Generator::interpreted),
    ("children in arrays", Generator::children_in_arrays),
    ("stream", Generator::stream),
    ("data as functions", Generator::data_as_functions),
];
