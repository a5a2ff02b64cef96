//! Which forms of L1 occur in code: every kind of expression, binding, field, constant, check and failure.

use std::collections::BTreeMap;

use calculus::{Atom, Binding, Block, Const, Expr, Failure, Field, Form, Group, Lambda, Module, Root, RuleKind};

/// All that can occur, in programs or in what J makes of them.
pub const FORMS: &[&str] = &[
    "atom",
    "apply",
    "pull",
    "tuple",
    "record",
    "variant",
    "array",
    "get",
    "inject",
    "with",
    "omit",
    "plus",
    "tangent",
    "is",
    "check",
    "if",
    "fail",
    "field position",
    "field name",
    "field label",
    "field payload",
    "field element",
    "field capture",
    "field member",
    "form arguments",
    "form tuple",
    "form array",
    "form record",
    "form constructor",
    "failure no match",
    "failure pattern",
    "failure assertion",
    "const unit",
    "const bool",
    "const int",
    "const real",
    "const text",
    "const zero",
    "variable",
    "global",
    "primitive",
    "rule of a primitive",
    "lifted root",
    "function",
    "function with captures",
    "group of several",
    "lifted function",
    "reverse rule",
    "forward rule",
    "transpose rule",
    "rule in a group of several",
];

#[derive(Default)]
pub struct Coverage(BTreeMap<&'static str, usize>);

impl Coverage {
    pub fn count(&self, form: &str) -> usize {
        self.0.get(form).copied().unwrap_or(0)
    }

    pub fn missing(&self) -> Vec<&'static str> {
        FORMS.iter().copied().filter(|form| self.count(form) == 0).collect()
    }

    pub fn table(&self) -> String {
        FORMS.iter().map(|form| format!("{form:28} {}\n", self.count(form))).collect()
    }

    fn see(&mut self, form: &'static str) {
        debug_assert!(FORMS.contains(&form), "coverage: {form} is in the list");
        *self.0.entry(form).or_default() += 1;
    }

    /// A module, and J, J² and T of everything in it.
    pub fn module(&mut self, module: &Module) {
        let functions = module.functions.iter().map(|(_, group)| group);
        for group in functions.chain(module.steps.iter().map(|step| &step.code)) {
            let once = std::rc::Rc::new(differentiate::reverse(group));
            self.group(group);
            self.group(&differentiate::reverse(&once));
            self.group(&once);
            self.pushed(group);
        }
    }

    /// T of a group and of the groups inside, which T leaves as they are.
    fn pushed(&mut self, group: &std::rc::Rc<Group>) {
        self.group(&differentiate::forward(group));
        let mut inner = vec![];
        group.members.iter().for_each(|lambda| groups_in(&lambda.body, &mut inner));
        inner.iter().for_each(|group| self.pushed(group));
    }

    pub fn group(&mut self, group: &Group) {
        self.see("function");
        if !group.captures.is_empty() {
            self.see("function with captures");
        }
        if group.members.len() > 1 {
            self.see("group of several");
        }
        group.members.iter().for_each(|lambda| self.lambda(lambda, group.members.len()));
    }

    fn lambda(&mut self, lambda: &Lambda, members: usize) {
        self.block(&lambda.body);
        for rule in &lambda.rules {
            self.see(match rule.kind {
                RuleKind::Reverse => "reverse rule",
                RuleKind::Forward => "forward rule",
                RuleKind::Transpose => "transpose rule",
            });
            if members > 1 {
                self.see("rule in a group of several");
            }
            self.group(&rule.code);
        }
    }

    fn block(&mut self, block: &Block) {
        for binding in &block.bindings {
            match binding {
                Binding::Let { expr, .. } => self.expr(expr),
                Binding::Functions { group, lifted, captured, .. } => {
                    if *lifted > 0 {
                        self.see("lifted function");
                    }
                    captured.iter().for_each(|atom| self.atom(atom));
                    self.group(group);
                }
            }
        }
        self.atom(&block.result);
    }

    fn expr(&mut self, expr: &Expr) {
        self.see(match expr {
            Expr::Atom(_) => "atom",
            Expr::Apply { .. } => "apply",
            Expr::Pull { .. } => "pull",
            Expr::Tuple(_) => "tuple",
            Expr::Record(_) => "record",
            Expr::Variant(..) => "variant",
            Expr::Array(_) => "array",
            Expr::Get(..) => "get",
            Expr::Inject(..) => "inject",
            Expr::With(..) => "with",
            Expr::Omit(..) => "omit",
            Expr::Plus(..) => "plus",
            Expr::Tangent { .. } => "tangent",
            Expr::Is(..) => "is",
            Expr::Check(..) => "check",
            Expr::If(..) => "if",
            Expr::Fail(..) => "fail",
        });
        match expr {
            Expr::Get(_, field) | Expr::Inject(field, _) => self.field(field),
            Expr::Check(_, form) | Expr::Is(_, form) => self.form(form),
            Expr::Fail(failure, _) => self.see(match failure {
                Failure::NoMatch => "failure no match",
                Failure::Pattern => "failure pattern",
                Failure::Assertion => "failure assertion",
            }),
            Expr::If(condition, then, otherwise) => {
                self.atom(condition);
                self.block(then);
                return self.block(otherwise);
            }
            _ => {}
        }
        expr.each_atom(&mut |atom| self.atom(atom));
    }

    fn field(&mut self, field: &Field) {
        self.see(match field {
            Field::Position(_) => "field position",
            Field::Name(_) => "field name",
            Field::Label(_) => "field label",
            Field::Payload(..) => "field payload",
            Field::Element(..) => "field element",
            Field::Capture(_) => "field capture",
            Field::Member(_) => "field member",
        });
    }

    fn form(&mut self, form: &Form) {
        self.see(match form {
            Form::Arguments(_) => "form arguments",
            Form::Tuple(_) => "form tuple",
            Form::Array(_) => "form array",
            Form::Record(_) => "form record",
            Form::Constructor(_) => "form constructor",
        });
    }

    fn atom(&mut self, atom: &Atom) {
        self.see(match atom {
            Atom::Var(_) => "variable",
            Atom::Root(_, order) if *order > 0 => "lifted root",
            Atom::Root(Root::Global(_), _) => "global",
            Atom::Root(Root::Prim(_), _) => "primitive",
            Atom::Root(Root::Reverse(_) | Root::Forward(_), _) => "rule of a primitive",
            Atom::Const(Const::Unit) => "const unit",
            Atom::Const(Const::Bool(_)) => "const bool",
            Atom::Const(Const::Int(_)) => "const int",
            Atom::Const(Const::Real(_)) => "const real",
            Atom::Const(Const::Text(_)) => "const text",
            Atom::Const(Const::Zero) => "const zero",
        });
    }
}

fn groups_in(block: &Block, found: &mut Vec<std::rc::Rc<Group>>) {
    for binding in &block.bindings {
        match binding {
            Binding::Let { expr: Expr::If(_, then, otherwise), .. } => {
                groups_in(then, found);
                groups_in(otherwise, found);
            }
            Binding::Let { .. } => {}
            Binding::Functions { group, .. } => found.push(group.clone()),
        }
    }
}
