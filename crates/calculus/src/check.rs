//! Does code keep the promises of [`crate`] and [`crate::term`]? Every stage that makes code is followed by this
//! check in tests and debug builds.
//!
//! In: a group or a module. Out: every broken invariant, outermost function first; never a panic. What it can't
//! know, it lets pass: an order may be below that of the group (derived code calls plain code), a variable may
//! have a name and no binding.

mod violation;

use std::collections::BTreeSet;

use base::Name;

use crate::*;

pub use violation::{Broken, Violation};

pub fn check_group(group: &Group) -> Result<(), Vec<Violation>> {
    let mut checker = Checker::default();
    checker.group(group);
    checker.finish()
}

pub fn check_module(module: &Module) -> Result<(), Vec<Violation>> {
    let mut checker = Checker::default();
    for (id, group) in &module.functions {
        checker.within(format!("g{}", id.0), |checker| {
            checker.top_level(group);
            checker.group(group);
        });
    }
    for (number, step) in module.steps.iter().enumerate() {
        checker.within(format!("step {number}"), |checker| checker.step(step));
    }
    checker.finish()
}

#[derive(Default)]
struct Checker {
    violations: Vec<Violation>,
    /// Where we are, outermost first.
    path: Vec<String>,
    function: Function,
}

/// The function being checked.
#[derive(Default)]
struct Function {
    names: Vec<Name>,
    states: Vec<State>,
    first_local: usize,
    order: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Unbound,
    InScope,
    /// Bound in a branch that has ended.
    Left,
}

/// Saying what is broken.
impl Checker {
    fn finish(self) -> Result<(), Vec<Violation>> {
        if self.violations.is_empty() { Ok(()) } else { Err(self.violations) }
    }

    fn within(&mut self, place: String, check: impl FnOnce(&mut Checker)) {
        self.path.push(place);
        check(self);
        self.path.pop();
    }

    fn report(&mut self, var: Option<Var>, broken: Broken) {
        let function = if self.path.is_empty() { "the group".into() } else { self.path.join(", ") };
        let variable = var.map(|var| match self.function.names.get(var.0 as usize) {
            Some(name) => format!("{name}_{}", var.0),
            None => format!("_{}", var.0),
        });
        self.violations.push(Violation { function, variable, broken });
    }

    fn require(&mut self, holds: bool, var: Option<Var>, broken: impl FnOnce() -> Broken) {
        if !holds {
            self.report(var, broken());
        }
    }
}

/// Modules, groups, functions.
impl Checker {
    fn top_level(&mut self, group: &Group) {
        let (members, captures) = (group.members.len(), &group.captures);
        self.require(members == 1, None, || Broken::TopLevelMembers(members));
        self.require(captures.is_empty(), None, || Broken::TopLevelCaptures(captures.clone()));
    }

    fn step(&mut self, step: &Step) {
        self.top_level(&step.code);
        if let StepKind::Define(globals) = &step.kind {
            step.code.members.iter().for_each(|lambda| self.define_count(globals.len(), &lambda.body));
        }
        self.group(&step.code);
    }

    /// Where the tuple of definitions is made in plain sight, it has a value for each.
    fn define_count(&mut self, globals: usize, body: &Block) {
        for binding in &body.bindings {
            match binding {
                Binding::Let { var, expr: Expr::Tuple(values), .. } if body.result == Atom::Var(*var) => {
                    let values = values.len();
                    self.require(values == globals, None, || Broken::DefineCount { globals, values });
                }
                Binding::Let { .. } | Binding::Functions { .. } => {}
            }
        }
    }

    fn group(&mut self, group: &Group) {
        if let Some(label) = repeated(group.captures.iter().copied()) {
            self.report(None, Broken::CaptureTwice(label));
        }
        for (number, lambda) in group.members.iter().enumerate() {
            self.within(describe(number, lambda), |checker| checker.lambda(group, lambda));
        }
    }

    fn lambda(&mut self, group: &Group, lambda: &Lambda) {
        let least = group.first_local().0 as usize;
        let outside = std::mem::replace(&mut self.function, Function::new(group, lambda));
        let length = lambda.vars.len();
        self.require(length >= least, None, || Broken::TableTooShort { length, least });
        self.block(&lambda.body);
        self.rules(group, lambda);
        self.function = outside;
    }

    fn rules(&mut self, group: &Group, lambda: &Lambda) {
        for (number, rule) in lambda.rules.iter().enumerate() {
            let known = lambda.rules[..number].iter().any(|earlier| earlier.kind == rule.kind);
            self.require(!known, None, || Broken::RuleTwice(rule.kind));
            self.within(format!("its rule {:?}", rule.kind), |checker| checker.rule(group, &rule.code));
        }
    }

    fn rule(&mut self, ruled: &Group, code: &Group) {
        let members = code.members.len();
        self.require(members == 1, None, || Broken::RuleMembers(members));
        let captures = ruled.captures.iter().copied().map(Some);
        let expected: Vec<_> = captures.chain(ruled.members.iter().map(|member| member.name)).collect();
        let found = &code.captures;
        let agree = |(expected, found): (&Option<Name>, &Name)| expected.is_none_or(|name| is_label_of(*found, name));
        let holds = expected.len() == found.len()
            && found.starts_with(&ruled.captures)
            && expected.iter().zip(found).all(agree);
        self.require(holds, None, || Broken::RuleCaptures { expected, found: found.clone() });
        self.group(code);
    }
}

/// A label is the name it stands for, with primes where another label had that name already.
fn is_label_of(label: Name, name: Name) -> bool {
    label.as_str().strip_prefix(name.as_str()).is_some_and(|primes| primes.chars().all(|c| c == '\''))
}

impl Function {
    fn new(group: &Group, lambda: &Lambda) -> Function {
        let first_local = group.first_local().0 as usize;
        let states = (0..lambda.vars.len()).map(|number| match number < first_local {
            true => State::InScope,
            false => State::Unbound,
        });
        Function { names: lambda.vars.clone(), states: states.collect(), first_local, order: group.order }
    }
}

/// Blocks and their variables.
impl Checker {
    /// Checks a block; what it binds stays in scope.
    fn block(&mut self, block: &Block) {
        base::budget::deep(|| {
            block.bindings.iter().for_each(|binding| self.binding(binding));
            self.use_atom(&block.result);
        })
    }

    /// Checks a block whose variables end with it.
    fn branch(&mut self, block: &Block) {
        self.block(block);
        for binding in &block.bindings {
            match binding {
                Binding::Let { var, .. } => self.leave(*var),
                Binding::Functions { vars, .. } => vars.iter().for_each(|var| self.leave(*var)),
            }
        }
    }

    fn leave(&mut self, var: Var) {
        let reserved = (var.0 as usize) < self.function.first_local;
        if let Some(state) = self.function.states.get_mut(var.0 as usize).filter(|_| !reserved) {
            *state = State::Left;
        }
    }

    fn binding(&mut self, binding: &Binding) {
        match binding {
            Binding::Let { var, expr, .. } => {
                self.expr(*var, expr);
                self.bind(*var);
            }
            Binding::Functions { vars, group, lifted, captured, .. } => {
                captured.iter().for_each(|atom| self.use_atom(atom));
                self.counts(vars, group, captured);
                let (lifted, order) = (*lifted, self.function.order);
                self.require(lifted <= order, vars.first().copied(), || Broken::LiftedAboveGroup { lifted, order });
                vars.iter().for_each(|var| self.bind(*var));
                self.group(group);
            }
        }
    }

    fn counts(&mut self, vars: &[Var], group: &Group, captured: &[Atom]) {
        let var = vars.first().copied();
        let (captures, captured) = (group.captures.len(), captured.len());
        self.require(captures == captured, var, || Broken::CapturedCount { captures, captured });
        let (members, vars) = (group.members.len(), vars.len());
        self.require(members == vars, var, || Broken::MemberCount { members, vars });
    }

    fn bind(&mut self, var: Var) {
        let number = var.0 as usize;
        if number < self.function.first_local {
            return self.report(Some(var), Broken::BindsReserved);
        }
        match self.function.states.get_mut(number) {
            None => self.not_in_table(var),
            Some(state @ State::Unbound) => *state = State::InScope,
            Some(State::InScope | State::Left) => self.report(Some(var), Broken::BoundTwice),
        }
    }

    fn use_atom(&mut self, atom: &Atom) {
        let Atom::Var(var) = atom else { return };
        match self.function.states.get(var.0 as usize) {
            Some(State::InScope) => {}
            Some(State::Unbound) => self.report(Some(*var), Broken::UsedBeforeBound),
            Some(State::Left) => self.report(Some(*var), Broken::UsedOutsideBranch),
            None => self.not_in_table(*var),
        }
    }

    fn not_in_table(&mut self, var: Var) {
        let length = self.function.names.len();
        self.report(Some(var), Broken::NotInTable { length });
    }
}

/// Expressions: what `var` is bound to.
impl Checker {
    fn expr(&mut self, var: Var, expr: &Expr) {
        match expr {
            Expr::If(condition, then, otherwise) => {
                self.use_atom(condition);
                self.branch(then);
                self.branch(otherwise);
            }
            _ => expr.each_atom(&mut |atom| self.use_atom(atom)),
        }
        self.shape(Some(var), expr);
    }

    fn shape(&mut self, var: Option<Var>, expr: &Expr) {
        match expr {
            Expr::Apply { order, .. } | Expr::Pull { order, .. } | Expr::Tangent { order, .. } => {
                let (node, group) = (*order, self.function.order);
                self.require(node <= group, var, || Broken::OrderAboveGroup { node, group });
            }
            Expr::Record(fields) => {
                if let Some(label) = repeated(fields.iter().map(|(label, _)| *label)) {
                    self.report(var, Broken::FieldTwice(label));
                }
            }
            Expr::Variant(constructor, values) => self.arity(var, constructor, values.len()),
            Expr::Get(_, field) | Expr::Inject(field, _) => self.field(var, field),
            Expr::Check(_, form) | Expr::Is(_, form) => self.form(var, form),
            Expr::Atom(_) | Expr::Tuple(_) | Expr::Array(_) | Expr::With(..) | Expr::Omit(..) => {}
            Expr::Plus(..) | Expr::If(..) | Expr::Fail(..) => {}
        }
    }

    fn arity(&mut self, var: Option<Var>, constructor: &Constructor, given: usize) {
        let (constructor, fields) = (constructor.name, constructor.fields.len());
        self.require(fields == given, var, || Broken::ConstructorArity { constructor, fields, given });
    }

    fn field(&mut self, var: Option<Var>, field: &Field) {
        match field {
            Field::Position(_) | Field::Name(_) | Field::Label(_) | Field::Capture(_) | Field::Member(_) => {}
            Field::Payload(constructor, index) => {
                let (index, constructor, fields) = (*index, constructor.name, constructor.fields.len());
                let holds = (index as usize) < fields;
                self.require(holds, var, || Broken::PayloadOutside { constructor, index, fields });
            }
            Field::Element(index, length) => {
                let (index, length) = (*index, *length);
                self.require(index < length, var, || Broken::ElementOutside { index, length });
            }
        }
    }

    fn form(&mut self, var: Option<Var>, form: &Form) {
        match form {
            Form::Arguments(count) => self.require(*count != 1, var, || Broken::ArgumentsOfOne),
            Form::Tuple(length) => self.require(*length != 1, var, || Broken::TupleOfOne),
            Form::Array(_) | Form::Record(_) | Form::Constructor(_) => {}
        }
    }
}

fn repeated(mut labels: impl Iterator<Item = Name>) -> Option<Name> {
    let mut seen = BTreeSet::new();
    labels.find(|label| !seen.insert(*label))
}

fn describe(number: usize, lambda: &Lambda) -> String {
    let name = lambda.name.map_or(format!("function {number}"), |name| format!("`{name}`"));
    match lambda.role {
        Role::Source => name,
        Role::Reverse => format!("the reverse of {name}"),
        Role::Backpropagator => format!("the backpropagator of {name}"),
        Role::Forward => format!("the forward derivative of {name}"),
    }
}
