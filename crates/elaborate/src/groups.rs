//! Groups of functions: their captures, their final numbering, and the split of adjacent functions into groups.
//!
//! All functions of a group share one record of captures: what any of them, or any of their rules, uses from
//! outside, except the group itself.

use std::rc::Rc;

use base::{Name, Span};
use calculus::{Atom, Binding, Group, Lambda, Role, Rule, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast;

use crate::captures::Captures;
use crate::components::components;
use crate::context::{Elaborator, UNNAMED};
use crate::functions::{Code, Function, Parts};
use crate::locals::LocalId;
use crate::renumber::renumber;
use crate::rules::RuleCode;

/// A function together with the local variable that it defines, if it can refer to itself.
pub(crate) struct Member {
    pub function: Function,
    pub id: Option<LocalId>,
}

impl Elaborator<'_> {
    /// Makes a closure of a function without a name of its own.
    pub fn close_lambda(&mut self, function: Function) -> Atom {
        let var = self.frame().builder.fresh(*UNNAMED);
        self.close_group(vec![Member { function, id: None }], vec![var]);
        Atom::Var(var)
    }

    /// Adjacent local functions, which see each other: a function and those that it uses are in one group.
    pub fn local_functions(&mut self, functions: &[ast::Function], spans: &[Span]) {
        let vars: Vec<Var> = functions.iter().map(|f| self.frame().builder.fresh(f.name.name)).collect();
        let declare = |(f, var): (&ast::Function, &Var)| self.declare_function_locally(f.name, *var);
        let ids: Vec<LocalId> = functions.iter().zip(&vars).map(declare).collect();
        let mut members: Vec<Option<Member>> = vec![];
        for ((f, span), id) in functions.iter().zip(spans).zip(&ids) {
            let parts = Parts { name: Some(f.name.name), span: *span, params: &f.params, body: f.body };
            members.push(Some(Member { function: self.function(parts, &f.rules), id: Some(*id) }));
        }
        self.use_outside(members.iter().flatten());
        for component in split(members.iter().flatten(), &ids) {
            let part = component.iter().filter_map(|index| members[*index].take()).collect();
            self.close_group(part, component.iter().map(|index| vars[*index]).collect());
        }
    }

    fn declare_function_locally(&mut self, name: ast::Ident, var: Var) -> LocalId {
        let id = self.declare(name.name, var, name.span);
        self.functions.insert(id);
        id
    }

    /// Notes what the functions use of the enclosing ones, in the order of the text.
    fn use_outside<'m>(&mut self, members: impl Iterator<Item = &'m Member>) {
        for id in members.flat_map(|member| member.function.codes()).flat_map(|code| &code.outside) {
            self.reference(*id);
        }
    }

    /// Binds the functions of one group to `vars`.
    pub fn close_group(&mut self, members: Vec<Member>, vars: Vec<Var>) {
        let span = members[0].function.code.span;
        let captures = Captures::of(&members, &self.locals);
        self.captured.extend(&captures.ids);
        let captured = captures.ids.iter().map(|id| self.reference(*id)).collect();
        for name in members.iter().flat_map(|member| member.function.codes()).flat_map(|code| &code.mentions) {
            self.frame().mention(*name);
        }
        let group = Rc::new(self.group(members.into_iter().map(|member| member.function).collect(), &captures));
        self.frame().builder.push(Binding::Functions { vars, group, lifted: 0, captured, span });
    }

    /// A function without captures: a top-level one, or a step.
    pub fn closed_group(&mut self, function: Function) -> Rc<Group> {
        let members = [Member { function, id: None }];
        let captures = Captures::of(&members, &self.locals);
        debug_assert!(captures.ids.is_empty(), "elaborate: a top-level function has no captures");
        Rc::new(self.group(members.into_iter().map(|member| member.function).collect(), &captures))
    }

    fn group(&mut self, functions: Vec<Function>, captures: &Captures) -> Group {
        let names: Vec<Name> = functions.iter().map(|f| f.code.name.unwrap_or(*UNNAMED)).collect();
        let members = functions.into_iter().map(|function| self.member(function, captures, &names)).collect();
        Group { captures: captures.labels.clone(), members, order: 0 }
    }

    fn member(&mut self, function: Function, captures: &Captures, names: &[Name]) -> Lambda {
        let mut seen = FxHashSet::default();
        let mentions = function.codes().flat_map(|code| &code.mentions).copied();
        let mentions: Vec<Name> = mentions.filter(|name| seen.insert(*name)).collect();
        for rule in &function.rules {
            self.check_labels(rule, captures, &mentions, names);
        }
        let rules = function.rules.into_iter().map(|rule| finish_rule(rule, captures, names)).collect();
        let mut lambda = finish(function.code, captures, &captures.labels, names);
        (lambda.rules, lambda.mentions) = (rules, mentions);
        lambda
    }
}

/// Gives a function its final numbers: parameter, captures, members, then what the body binds.
fn finish(code: Code, captures: &Captures, labels: &[Name], members: &[Name]) -> Lambda {
    let Code { name, span, mut vars, mut body, outside, mentions } = code;
    let outside: Vec<Var> = outside.iter().map(|id| captures.var(*id)).collect();
    renumber(&mut body, &outside, (labels.len() + members.len()) as u32);
    vars.splice(1..1, labels.iter().chain(members).copied());
    Lambda { name, role: Role::Source, span, vars, body, rules: vec![], mentions }
}

/// A rule's code is a group of one that captures what the function's group captures, then the group's members.
fn finish_rule(rule: RuleCode, captures: &Captures, members: &[Name]) -> Rule {
    let RuleCode { kind, code, approximate, span, labels: _ } = rule;
    let labels = captures.with_members(members);
    let lambda = finish(code, captures, &labels, &[*UNNAMED]);
    let code = Rc::new(Group { captures: labels, members: vec![lambda], order: 0 });
    Rule { kind, code, approximate, span }
}

/// Which functions have to do with each other, as lists of indices: those that use one another, in either direction
/// or through others, in their code or in that of their rules. No list uses another; all are in the order of the text.
fn split<'m>(members: impl Iterator<Item = &'m Member>, ids: &[LocalId]) -> Vec<Vec<usize>> {
    let index: FxHashMap<LocalId, usize> = ids.iter().copied().zip(0..).collect();
    let uses = |member: &Member| -> Vec<usize> {
        let outside = member.function.codes().flat_map(|code| &code.outside);
        outside.filter_map(|id| index.get(id).copied()).collect()
    };
    components(&members.map(uses).collect::<Vec<_>>())
}
