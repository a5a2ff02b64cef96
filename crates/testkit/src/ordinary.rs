//! Random programs of the kinds that people write: tables that start discrete and receive reals, states whose type, rank or
//! alternative changes from step to step, every function of the library, right rules on random functions, and whole programs
//! (dynamic programming, memo tables, interpreters, graphs, filters, solvers) with random parts.
//!
//! In: a seed. Out: a program to a real, smooth at its points unless it hits a tie (which the oracle notices); always the same for
//! the seed. The grammar is data: `$R` is an expression of kind R, `$R{@x:R @i:J}` one that may use these names, and `@x` is a name
//! that is new in each use of the template.

mod expressions;
mod tables;
mod whole;

use std::collections::BTreeSet;

use crate::Random;
use crate::generate::Program;

/// Templates of one kind of expression, and what stands for it where the budget is spent.
struct Productions {
    kind: char,
    templates: &'static [&'static [&'static str]],
    leaves: &'static [&'static str],
}

/// R is a real, V a vector of three, L a list of reals, D three discrete elements, M a matrix of 3×3, S one that is positive definite, F a
/// function of a real, B a condition. J is an int that is only bound, never made.
const GRAMMAR: &[Productions] = &[
    Productions {
        kind: 'R',
        templates: &[expressions::REALS, tables::REALS, expressions::RULES, whole::PROGRAMS],
        leaves: &["0.5", "1.25", "-0.75"],
    },
    Productions {
        kind: 'V',
        templates: &[expressions::VECTORS, tables::VECTORS],
        leaves: &["[0.5, -1.25, 2.0]", "linspace(0.2, 1.1, 3)", "[1, 2, 3] * 0.3"],
    },
    Productions { kind: 'L', templates: &[tables::LISTS], leaves: &["Cons(0.5, Cons(-0.25, Nil))", "Nil"] },
    Productions { kind: 'D', templates: &[tables::DISCRETE], leaves: &["[0, 0, 0]", "iota(3)"] },
    Productions {
        kind: 'M',
        templates: &[expressions::MATRICES],
        leaves: &["eye(3)", "reshape(iota(9), [3, 3]) * 0.1"],
    },
    Productions { kind: 'S', templates: &[expressions::POSITIVE], leaves: &["eye(3) * 2.5"] },
    Productions { kind: 'F', templates: &[expressions::FUNCTIONS], leaves: &["sin", "tanh"] },
    Productions { kind: 'B', templates: &[expressions::CONDITIONS], leaves: &["true"] },
];

const PRELUDE: &str = "\
type Option = None | Some(value)
type State = Start | Going(value) | Split(left, right) | Done(values)
type Code = Push(value) | Load | Add2 | Mul2 | Sin1
fn get(o, otherwise) = match o { None => otherwise, Some(v) => v }
fn worth(s) = match s { Start => 0.25, Going(v) => v, Split(a, b) => a - 0.5 * b, Done(vs) => sum(vs) }
fn lookup(key, entries, otherwise) = match entries {
  Nil => otherwise,
  Cons((k, v), rest) => if k == key { v } else { lookup(key, rest, otherwise) },
}
";

/// What programs are functions of: parameters, their kinds, and points.
const DOMAINS: &[(&str, &[(&str, char)])] = &[
    ("x", &[("x", 'R')]),
    ("x, y", &[("x", 'R'), ("y", 'R')]),
    ("v", &[("v", 'V')]),
    ("x, v", &[("x", 'R'), ("v", 'V')]),
    ("n, x", &[("n", 'J'), ("x", 'R')]),
    ("xs", &[("xs", 'L')]),
    ("m", &[("m", 'M')]),
];

pub fn generate(seed: u64) -> Program {
    let mut random = Random::new(seed ^ 0x0d1a_a4e5);
    let budget = 3 + random.below(9);
    let mut generator = Generator { random, names: 0, budget, orders: 1, productions: BTreeSet::new() };
    let (parameters, kinds) = *generator.random.pick(DOMAINS);
    let scope: Scope = kinds.iter().map(|(name, kind)| (name.to_string(), *kind)).collect();
    let body = generator.expression('R', &scope);
    let points = (0..2).map(|_| generator.point(kinds)).collect();
    // Every argument matters, and no program is linear.
    let anchor: Vec<String> = kinds.iter().filter_map(|(name, kind)| anchor(name, *kind)).collect();
    Program {
        seed,
        prelude: PRELUDE,
        definitions: format!("fn main({parameters}) = {body} + 0.1 * sin({})\n", anchor.join(" + ")),
        entry: "main",
        points,
        productions: generator.productions,
    }
}

fn anchor(name: &str, kind: char) -> Option<String> {
    match kind {
        'R' => Some(name.into()),
        'V' | 'M' => Some(format!("sum({name})")),
        'L' => Some(format!("fold(add, 0.0, {name})")),
        _ => None,
    }
}

type Scope = Vec<(String, char)>;

struct Generator {
    random: Random,
    names: usize,
    /// How many templates may still be used.
    budget: usize,
    /// How many differentiations may still be nested.
    orders: usize,
    productions: BTreeSet<&'static str>,
}

impl Generator {
    fn expression(&mut self, kind: char, scope: &Scope) -> String {
        let productions = GRAMMAR.iter().find(|productions| productions.kind == kind);
        let productions = productions.unwrap_or_else(|| panic!("ordinary: no kind is called {kind}"));
        if self.budget == 0 || (self.names > 1 && self.random.chance(15)) {
            return self.leaf(productions, scope);
        }
        self.budget -= 1;
        let template = loop {
            // A list first, so that short lists aren't lost among long ones.
            let list = *self.random.pick(productions.templates);
            let template = *self.random.pick(list);
            if self.orders > 0 || !differentiates(template) {
                break template;
            }
        };
        self.productions.insert(template);
        let cost = usize::from(differentiates(template));
        self.orders -= cost;
        let text = self.instance(template, scope);
        self.orders += cost;
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
                    let kind = rest.chars().next().expect("ordinary: a template says which kind");
                    rest = &rest[kind.len_utf8()..];
                    let scope = with_names(&mut rest, scope, number);
                    text += &self.expression(kind, &scope);
                }
                c => text.push(c),
            }
        }
        text
    }

    /// Something short: a name, or a constant.
    fn leaf(&mut self, productions: &Productions, scope: &Scope) -> String {
        let names: Vec<String> = scope.iter().filter_map(|(name, of)| as_kind(name, *of, productions.kind)).collect();
        if !names.is_empty() && self.random.chance(85) {
            // What was bound last is the most likely.
            let mut at = names.len() - 1;
            while at > 0 && self.random.chance(45) {
                at -= 1;
            }
            return names[at].clone();
        }
        (*self.random.pick(productions.leaves)).into()
    }

    fn point(&mut self, kinds: &[(&str, char)]) -> String {
        let parts: Vec<String> = kinds.iter().map(|(_, kind)| self.point_of(*kind)).collect();
        if let [one] = &parts[..] { one.clone() } else { format!("({})", parts.join(", ")) }
    }

    fn point_of(&mut self, kind: char) -> String {
        let mut number = || format!("{:.3}", self.random.between(-1.5, 1.5));
        match kind {
            'R' => number(),
            'V' => format!("[{}, {}, {}]", number(), number(), number()),
            'L' => format!("Cons({}, Cons({}, Nil))", number(), number()),
            'M' => {
                let mut row = || format!("[{}, {}, {}]", number(), number(), number());
                format!("[{}, {}, {}]", row(), row(), row())
            }
            'J' => (*self.random.pick(&["1", "2"])).into(),
            other => panic!("ordinary: no points of kind {other}"),
        }
    }
}

fn differentiates(template: &str) -> bool {
    ["grad(", "jvp(", "vjp(", "hvp(", "jacobian(", "linearize("].iter().any(|word| template.contains(word))
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
        let (name, kind) = name.trim_start_matches('@').split_once(':').expect("ordinary: names have kinds");
        scope.push((format!("{name}{number}"), kind.chars().next().expect("ordinary: a kind")));
    }
    scope
}

/// An expression of this kind that a name makes at once.
fn as_kind(name: &str, of: char, wanted: char) -> Option<String> {
    match (of, wanted) {
        _ if of == wanted => Some(name.into()),
        ('V', 'R') => Some(format!("{name}[1]")),
        ('M', 'R') => Some(format!("{name}[0, 1]")),
        ('M', 'V') => Some(format!("{name}[2]")),
        ('L', 'R') => Some(format!("fold((a, b) => a * 0.5 + b, 0.0, {name})")),
        ('J', 'R') => Some(format!("({name} + 0.5)")),
        ('F', 'R') => Some(format!("{name}(0.4)")),
        ('R', 'V') => Some(format!("[{name}, 0.5, {name}^2]")),
        ('R', 'L') => Some(format!("Cons({name}, Cons(1, Nil))")),
        _ => None,
    }
}
