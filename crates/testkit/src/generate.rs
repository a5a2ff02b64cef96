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

use crate::Random;
use scope::{Kind, Scope};

/// What every program begins with. The margin of `less` is wide, so that small steps don't cross a branch.
pub const PRELUDE: &str = "\
type Shape = Dot | Disc(radius) | Box(width, height)
fn less(a, b) = if abs(a - b) < 0.01 { error(\"tie\") } else { a < b }
fn total(xs) = match xs { Nil => 0.0, Cons(x, rest) => x + total(rest) }
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
    let mut generator = Generator { random: Random::new(seed), names: 0, tops: vec![], orders: 2 };
    let domain = *generator.random.pick(&Domain::ALL);
    let body = generator.main(domain);
    let points = (0..2).map(|_| generator.point(domain)).collect();
    let mut definitions: String = generator.tops.iter().map(|top| format!("{top}\n")).collect();
    definitions += &format!("fn main({}) = {body}\n", domain.pattern());
    Program { seed, prelude: PRELUDE, definitions, entry: "main", points }
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

pub(crate) struct Generator {
    random: Random,
    names: usize,
    /// Top-level functions so far.
    tops: Vec<String>,
    /// How many differentiations may still be nested around what is generated.
    orders: usize,
}

impl Generator {
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
        let production = *self.random.pick(PRODUCTIONS);
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

type Production = fn(&mut Generator, &Scope, usize) -> String;

/// How to make a real of smaller parts. What stands twice is twice as likely.
const PRODUCTIONS: &[Production] = &[
    Generator::arithmetic,
    Generator::arithmetic,
    Generator::arithmetic,
    Generator::elementary,
    Generator::elementary,
    Generator::definition,
    Generator::choice,
    Generator::application,
    Generator::chosen_closure,
    Generator::closures_in_data,
    Generator::curried,
    Generator::local_recursion,
    Generator::mutual_recursion,
    Generator::top_level_recursion,
    Generator::loops,
    Generator::gradient,
    Generator::backpropagator,
    Generator::captured_sensitivity,
    Generator::attached,
    Generator::inverse,
    Generator::forward_derivative,
    Generator::checkpointed,
    Generator::rule_by_helper,
    Generator::rule_by_formula,
    Generator::rule_in_a_group,
    Generator::top_level_rule,
    Generator::rules_of_other_kinds,
    Generator::array_element,
    Generator::array_reduction,
    Generator::array_update,
    Generator::array_fold,
    Generator::array_pattern,
    Generator::matrix,
    Generator::record,
    Generator::record_update,
    Generator::tuple,
    Generator::variant,
    Generator::list_recursion,
    Generator::assertion,
];
