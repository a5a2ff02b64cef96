//! Random well-formed code: every form of expression, every constant, nested groups, rules and branches.
//!
//! In: a seed. Out: the same code for the same seed, on every machine; the checker accepts it.

// Each test file uses its own part of the generator.
#![allow(dead_code)]

use std::rc::Rc;

use base::{FileId, Name, Span};
use calculus::*;

pub fn group(seed: u64) -> Group {
    let mut random = Random(seed);
    let captures = random.labels(3);
    let order = random.below(3) as u32;
    Generator { random, depth: 0 }.group(captures, order)
}

pub fn module(seed: u64) -> Module {
    let mut generator = Generator { random: Random(seed), depth: 1 };
    let functions = (0..generator.random.below(3) as u32).map(|id| (GlobalId(id), Rc::new(generator.top_level())));
    let functions = functions.collect();
    let steps = (0..generator.random.below(4)).map(|_| generator.step()).collect();
    Module { functions, steps }
}

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    fn name(&mut self) -> Name {
        let ordinary = ["x", "y", "dx", "acc", "t", "x_1", "_", "x_", "größe", "step2"];
        let odd =
            ["", "fn", "return", "yield", "with", "nan", "of", "group", "a b", "it's", "`", "\\", "0x", "\u{7}\n"];
        if self.below(4) == 0 { self.pick(&odd).into() } else { self.pick(&ordinary).into() }
    }

    fn names(&mut self, bound: usize) -> Vec<Name> {
        (0..self.below(bound)).map(|_| self.name()).collect()
    }

    /// Names that differ.
    fn labels(&mut self, bound: usize) -> Vec<Name> {
        let mut labels = self.names(bound);
        labels.sort();
        labels.dedup();
        labels
    }

    fn text(&mut self) -> Rc<str> {
        self.pick(&["", "plain", "\"quoted\" \\ `back`", "two\nlines\r\t", "\0\u{1b}\u{85}", "// ünï⊕ {}", "'"]).into()
    }

    fn real(&mut self) -> f64 {
        let special = [0.0, -0.0, 1.0, -2.5, 1e300, 5e-324, 0.1, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let nans = [0x7ff8_0000_0000_0001, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001];
        match self.below(4) {
            0 => f64::from_bits(self.next()),
            1 => f64::from_bits(self.pick(&nans)),
            _ => self.pick(&special),
        }
    }

    fn span(&mut self) -> Span {
        let start = self.below(1000);
        Span::new(FileId(self.below(3) as u32), start, start + self.below(50))
    }

    fn constant(&mut self) -> Const {
        match self.below(6) {
            0 => Const::Unit,
            1 => Const::Bool(self.below(2) == 0),
            2 => Const::Int(self.pick(&[0, 1, -1, i64::MAX, i64::MIN])),
            3 => Const::Real(self.real()),
            4 => Const::Text(self.text()),
            _ => Const::Zero,
        }
    }

    fn constructor(&mut self) -> Rc<Constructor> {
        let (name, type_name, fields) = (self.name(), self.name(), self.names(4));
        Rc::new(Constructor { name, type_name, tag: self.below(5) as u32, fields })
    }

    fn root(&mut self) -> Root {
        if self.below(2) == 0 {
            let prim = self.pick(Prim::ALL);
            self.pick(&[Root::Prim(prim), Root::Reverse(prim), Root::Forward(prim)])
        } else {
            Root::Global(GlobalId(self.below(20) as u32))
        }
    }
}

struct Generator {
    random: Random,
    depth: usize,
}

/// The function being made: its variables' names, those in scope, its order.
struct Function {
    vars: Vec<Name>,
    scope: Vec<Var>,
    order: u32,
}

impl Function {
    fn fresh(&mut self, name: Name) -> Var {
        self.vars.push(name);
        Var(self.vars.len() as u32 - 1)
    }
}

impl Generator {
    fn top_level(&mut self) -> Group {
        loop {
            let group = self.group(vec![], 0);
            if group.members.len() == 1 {
                return group;
            }
        }
    }

    fn step(&mut self) -> Step {
        let mut code = self.top_level();
        let kind = match self.random.below(3) {
            0 => self.define(&mut code.members[0]),
            1 => StepKind::Show,
            _ => StepKind::Test(self.random.text()),
        };
        Step { kind, code: Rc::new(code), span: self.random.span() }
    }

    /// Makes the function end in a tuple of the values of globals.
    fn define(&mut self, lambda: &mut Lambda) -> StepKind {
        let globals: Vec<_> = (0..self.random.below(4) as u32).map(GlobalId).collect();
        let values = globals.iter().map(|_| Atom::Const(self.random.constant())).collect();
        lambda.vars.push("defined".into());
        let var = Var(lambda.vars.len() as u32 - 1);
        lambda.body.bindings.push(Binding::Let { var, expr: Expr::Tuple(values), span: self.random.span() });
        lambda.body.result = Atom::Var(var);
        StepKind::Define(globals)
    }

    fn group(&mut self, captures: Vec<Name>, order: u32) -> Group {
        let count = 1 + self.random.below(4).saturating_sub(2);
        let names: Vec<_> = self.member_names(count, &captures);
        let members = names.iter().map(|name| self.lambda(&captures, &names, *name, order)).collect();
        Group { captures, members, order }
    }

    /// Names that can stand beside the captures as labels of a rule.
    fn member_names(&mut self, count: usize, captures: &[Name]) -> Vec<Option<Name>> {
        let mut names: Vec<Option<Name>> = vec![];
        while names.len() < count {
            let name = (self.random.below(4) > 0).then(|| self.random.name());
            if name.is_none_or(|name| !captures.contains(&name) && !names.contains(&Some(name))) {
                names.push(name);
            }
        }
        names
    }

    fn lambda(&mut self, captures: &[Name], members: &[Option<Name>], name: Option<Name>, order: u32) -> Lambda {
        let random = &mut self.random;
        let (role, span) =
            (random.pick(&[Role::Source, Role::Reverse, Role::Backpropagator, Role::Forward]), random.span());
        let vars: Vec<_> = (0..1 + captures.len() + members.len()).map(|_| random.name()).collect();
        let scope = (0..vars.len() as u32).map(Var).collect();
        let mut function = Function { vars, scope, order };
        let body = self.block(&mut function);
        if self.random.below(4) == 0 {
            function.fresh(self.random.name()); // a variable that nothing binds
        }
        let (rules, mentions) = (self.rules(captures, members), self.random.names(3));
        Lambda { name, role, span, vars: function.vars, body, rules, mentions }
    }

    fn rules(&mut self, captures: &[Name], members: &[Option<Name>]) -> Vec<Rule> {
        let kinds = [RuleKind::Forward, RuleKind::Reverse, RuleKind::Transpose];
        let skip = if self.depth > 2 { 3 } else { self.random.below(8).min(3) };
        kinds[skip..].iter().map(|kind| self.rule(*kind, captures, members)).collect()
    }

    fn rule(&mut self, kind: RuleKind, captures: &[Name], members: &[Option<Name>]) -> Rule {
        self.depth += 1;
        let nameless = |number| Name::new(&format!("nameless {}", captures.len() + number));
        let labels = members.iter().enumerate().map(|(number, name)| name.unwrap_or_else(|| nameless(number)));
        let captures: Vec<_> = captures.iter().copied().chain(labels).collect();
        let lambda = self.lambda(&captures, &[None], None, 0);
        self.depth -= 1;
        let approximate = (self.random.below(3) == 0).then(|| self.random.text());
        let code = Rc::new(Group { captures, members: vec![lambda], order: 0 });
        Rule { kind, code, approximate, span: self.random.span() }
    }

    fn block(&mut self, function: &mut Function) -> Block {
        self.depth += 1;
        let outside = function.scope.len();
        let bindings = (0..self.random.below(7)).map(|_| self.binding(function)).collect();
        let (result, span) = (self.atom(function), self.random.span());
        function.scope.truncate(outside);
        self.depth -= 1;
        Block { bindings, result, span }
    }

    fn binding(&mut self, function: &mut Function) -> Binding {
        if self.depth < 4 && self.random.below(8) == 0 {
            return self.functions(function);
        }
        let (expr, span) = (self.expr(function), self.random.span());
        let var = function.fresh(self.random.name());
        function.scope.push(var);
        Binding::Let { var, expr, span }
    }

    fn functions(&mut self, function: &mut Function) -> Binding {
        let (captures, order) = (self.random.labels(4), self.random.below(3) as u32);
        let captured = captures.iter().map(|_| self.atom(function)).collect();
        let group = Rc::new(self.group(captures, order));
        let vars: Vec<_> = group.members.iter().map(|_| function.fresh(self.random.name())).collect();
        function.scope.extend(&vars);
        let lifted = self.random.below(function.order as usize + 1) as u32;
        Binding::Functions { vars, group, lifted, captured, span: self.random.span() }
    }

    fn atom(&mut self, function: &Function) -> Atom {
        match self.random.below(6) {
            0 => Atom::Const(self.random.constant()),
            1 => Atom::Root(self.random.root(), self.random.below(3) as u32),
            _ => Atom::Var(self.random.pick(&function.scope)),
        }
    }

    fn atoms(&mut self, function: &Function, count: usize) -> Vec<Atom> {
        (0..count).map(|_| self.atom(function)).collect()
    }

    fn expr(&mut self, function: &mut Function) -> Expr {
        let order = self.random.below(function.order as usize + 1) as u32;
        let count = self.random.below(4);
        let a = self.atom(function);
        let form = self.random.below(18);
        let mut atom = || self.atom(function);
        match form {
            0 => Expr::Atom(a),
            1 => Expr::Apply { f: a, x: atom(), order },
            2 => Expr::Pull { b: a, d: atom(), order },
            3 => Expr::Tangent { f: a, d: atom(), order },
            4 => Expr::Tuple(self.atoms(function, [0, 2, 3, 4][count])),
            5 => self.record(function),
            6 => self.variant(function),
            7 => Expr::Array(self.atoms(function, count)),
            8 => Expr::Get(a, self.field()),
            9 => Expr::Inject(self.field(), a),
            10 => Expr::With(a, self.random.name(), self.atom(function)),
            11 => Expr::Omit(a, self.random.name()),
            12 => Expr::Plus(a, atom()),
            13 => Expr::Is(a, self.form()),
            14 => Expr::Check(a, self.form()),
            15 | 16 if self.depth < 5 => Expr::If(a, Box::new(self.block(function)), Box::new(self.block(function))),
            _ => {
                let failure = self.random.pick(&[Failure::NoMatch, Failure::Pattern, Failure::Assertion]);
                Expr::Fail(failure, self.atoms(function, count))
            }
        }
    }

    fn record(&mut self, function: &Function) -> Expr {
        let labels = self.random.labels(4);
        Expr::Record(labels.into_iter().map(|label| (label, self.atom(function))).collect())
    }

    fn variant(&mut self, function: &Function) -> Expr {
        let constructor = self.random.constructor();
        let atoms = self.atoms(function, constructor.fields.len());
        Expr::Variant(constructor, atoms)
    }

    fn field(&mut self) -> Field {
        match self.random.below(5) {
            0 => Field::Position(self.random.below(4) as u32),
            1 => Field::Name(self.random.name()),
            2 => match self.random.below(3) {
                0 => Field::Capture(self.random.name()),
                1 => Field::Member(self.random.below(4) as u32),
                _ => Field::Label(self.random.name()),
            },
            3 => {
                let length = 1 + self.random.below(4) as u32;
                Field::Element(self.random.below(length as usize) as u32, length)
            }
            _ => match self.random.constructor() {
                constructor if constructor.fields.is_empty() => Field::Position(7),
                constructor => {
                    let index = self.random.below(constructor.fields.len()) as u32;
                    Field::Payload(constructor, index)
                }
            },
        }
    }

    fn form(&mut self) -> Form {
        let count = [0, 2, 3, 4][self.random.below(4)];
        match self.random.below(5) {
            0 => Form::Arguments(count),
            1 => Form::Tuple(count),
            2 => Form::Array(self.random.below(4) as u32),
            3 => Form::Record(vec!["a".into(), "b".into()]),
            _ => Form::Constructor(self.random.constructor()),
        }
    }
}
