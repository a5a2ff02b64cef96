//! Which definitions may lead to a derivative of the programmer's own, by clauses or by `<~`? What can't isn't run again to see its rules.

use calculus::{Atom, Binding as L1, Block, Expr, GlobalId, Group, Module, Root, Step, StepKind};
use elaborate::Binding;
use rustc_hash::FxHashSet;

/// The globals whose functions or values may hold a rule.
#[derive(Default)]
pub struct Ruled(FxHashSet<GlobalId>);

impl Ruled {
    /// Adds the globals of a module; `attach` is what `<~` stands for.
    pub fn learn(&mut self, module: &Module, attach: Option<&Binding>) {
        if let Some(Binding::Root(Root::Global(attach))) = attach {
            self.0.insert(*attach);
        }
        let mut before = usize::MAX;
        while before != self.0.len() {
            before = self.0.len();
            for (id, group) in &module.functions {
                if self.in_group(group) {
                    self.0.insert(*id);
                }
            }
            for step in &module.steps {
                if let StepKind::Define(ids) = &step.kind
                    && self.in_group(&step.code)
                {
                    self.0.extend(ids);
                }
            }
        }
    }

    /// May the step use a rule?
    pub fn reaches(&self, step: &Step) -> bool {
        self.in_group(&step.code)
    }

    fn in_group(&self, group: &Group) -> bool {
        group.members.iter().any(|lambda| !lambda.rules.is_empty() || self.in_body(&lambda.body))
    }

    fn in_body(&self, body: &Block) -> bool {
        let mut mentioned = false;
        body.each_atom(&mut |atom| {
            mentioned |= matches!(atom, Atom::Root(Root::Global(id), _) if self.0.contains(id));
        });
        mentioned || self.in_nested(body)
    }

    fn in_nested(&self, block: &Block) -> bool {
        let in_binding = |binding: &L1| match binding {
            L1::Functions { group, .. } => self.in_group(group),
            L1::Let { expr: Expr::If(_, then, otherwise), .. } => self.in_nested(then) || self.in_nested(otherwise),
            L1::Let { .. } => false,
        };
        stacker::maybe_grow(64 << 10, 1 << 20, || block.bindings.iter().any(in_binding))
    }
}
