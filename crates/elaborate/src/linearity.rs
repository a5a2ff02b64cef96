//! Rules whose linear part visibly isn't linear: a warning before the program runs.
//!
//! In: an elaborated module. Out: warnings. A backpropagator and the linear part of a forward rule must be linear in what they are given;
//! J transposes them on that assumption, and of others it makes something arbitrary. What is certain is said here (a product of two
//! changes, a sine of one, a constant added to one); what isn't, `evert test` finds out with numbers. Rules marked `approximate` are left alone.

use std::rc::Rc;

use base::{Diagnostic, Name, Span, codes};
use calculus::{Atom, Binding, Block, Const, Expr, Field, Group, Lambda, Module, Prim, Root, Rule, RuleKind, Var};
use rustc_hash::FxHashMap;

/// Functions inside functions are followed so far.
const MAX_DEPTH: usize = 12;

pub(crate) fn warnings(module: &Module) -> Vec<Diagnostic> {
    let mut found = vec![];
    let functions = module.functions.iter().map(|(_, group)| group);
    functions.chain(module.steps.iter().map(|step| &step.code)).for_each(|group| in_group(group, &mut found));
    found
}

fn in_group(group: &Group, found: &mut Vec<Diagnostic>) {
    for lambda in &group.members {
        in_block(&lambda.body, found);
        for rule in lambda.rules.iter().filter(|rule| rule.approximate.is_none()) {
            found.extend(rule_warning(lambda, rule));
            in_group(&rule.code, found);
        }
    }
}

fn in_block(block: &Block, found: &mut Vec<Diagnostic>) {
    crate::deep(|| {
        for binding in &block.bindings {
            match binding {
                Binding::Functions { group, .. } => in_group(group, found),
                Binding::Let { expr: Expr::If(_, then, otherwise), .. } => {
                    in_block(then, found);
                    in_block(otherwise, found);
                }
                Binding::Let { .. } => {}
            }
        }
    })
}

fn rule_warning(lambda: &Lambda, rule: &Rule) -> Option<Diagnostic> {
    let (span, how) = bent(rule)?;
    let name = lambda.name.map_or("this function".to_string(), |name| format!("`{name}`"));
    let (part, given) = match rule.kind {
        RuleKind::Reverse => ("the backpropagator", "the sensitivity that it is given"),
        RuleKind::Forward => ("the linear part", "the changes that it is given"),
        RuleKind::Transpose => ("the transpose", "the sensitivity that it is given"),
    };
    Some(
        Diagnostic::new(codes::NOT_LINEAR, span, format!("{part} of {name}'s rule isn't linear"))
            .here(how)
            .note(format!("it must be linear in {given}; derivatives that use it are arbitrary otherwise"))
            .help("correct the rule; if it differs on purpose, add `approximate \"reason\"` after it"),
    )
}

/// Where a rule's linear part is certainly not linear, and what is done there.
fn bent(rule: &Rule) -> Option<(Span, &'static str)> {
    let mut walk = Walk { depth: 0 };
    let constants = vec![Class::Constant; rule.code.captures.len()];
    let result = match rule.kind {
        RuleKind::Transpose => walk.call(&rule.code, 0, &constants, Class::Linear),
        RuleKind::Reverse | RuleKind::Forward => {
            let answer = walk.call(&rule.code, 0, &constants, Class::Constant);
            let Class::Tuple(parts) = answer else { return None };
            let [_, Class::Function { group, member, captured }] = &parts[..] else { return None };
            let given = match rule.kind {
                RuleKind::Forward => Class::Tuple(vec![Class::Linear, Class::Linear]),
                _ => Class::Linear,
            };
            walk.call(group, *member, captured, given)
        }
    };
    result.bent()
}

/// How a value depends on what the linear function is given.
#[derive(Clone)]
enum Class {
    Constant,
    /// A constant that is written down.
    Literal(f64),
    Linear,
    Unknown,
    /// Certainly neither: where, and what is done there.
    Bent(Span, &'static str),
    Tuple(Vec<Class>),
    Record(Vec<(Name, Class)>),
    Function {
        group: Rc<Group>,
        member: usize,
        captured: Vec<Class>,
    },
}

impl Class {
    fn bent(&self) -> Option<(Span, &'static str)> {
        match self {
            Class::Bent(span, how) => Some((*span, how)),
            Class::Tuple(parts) => parts.iter().find_map(Class::bent),
            Class::Record(fields) => fields.iter().find_map(|(_, class)| class.bent()),
            Class::Constant | Class::Literal(_) | Class::Linear | Class::Unknown | Class::Function { .. } => None,
        }
    }

    fn is_constant(&self) -> bool {
        match self {
            Class::Constant | Class::Literal(_) => true,
            Class::Tuple(parts) => parts.iter().all(Class::is_constant),
            Class::Record(fields) => fields.iter().all(|(_, class)| class.is_constant()),
            Class::Function { captured, .. } => captured.iter().all(Class::is_constant),
            Class::Linear | Class::Unknown | Class::Bent(..) => false,
        }
    }

    fn either(self, other: Class) -> Class {
        match (self, other) {
            (bent @ Class::Bent(..), _) | (_, bent @ Class::Bent(..)) => bent,
            (Class::Linear, Class::Linear) => Class::Linear,
            (a, b) if a.is_constant() && b.is_constant() => Class::Constant,
            (Class::Tuple(a), Class::Tuple(b)) if a.len() == b.len() => {
                Class::Tuple(a.into_iter().zip(b).map(|(a, b)| a.either(b)).collect())
            }
            _ => Class::Unknown,
        }
    }

    /// All parts together, of what has no parts to look at.
    fn together(parts: &[Class]) -> Class {
        match parts.iter().find_map(Class::bent) {
            Some((span, how)) => Class::Bent(span, how),
            None if parts.iter().all(Class::is_constant) => Class::Constant,
            None if parts.iter().all(|part| matches!(part, Class::Linear)) => Class::Linear,
            None => Class::Unknown,
        }
    }

    fn part(&self, field: &Field) -> Class {
        match (self, field) {
            (Class::Tuple(parts), Field::Position(at)) => parts.get(*at as usize).cloned().unwrap_or(Class::Unknown),
            (Class::Record(fields), Field::Name(name) | Field::Label(name)) => {
                fields.iter().find(|(label, _)| label == name).map_or(Class::Unknown, |(_, class)| class.clone())
            }
            (Class::Constant | Class::Literal(_) | Class::Linear | Class::Unknown | Class::Bent(..), _) => self.clone(),
            _ => Class::Unknown,
        }
    }
}

struct Walk {
    depth: usize,
}

type Known = FxHashMap<Var, Class>;

impl Walk {
    /// A member of a group applied to an argument.
    fn call(&mut self, group: &Rc<Group>, member: usize, captured: &[Class], x: Class) -> Class {
        if self.depth == MAX_DEPTH {
            return Class::Unknown;
        }
        let lambda = &group.members[member];
        let mut known = Known::from_iter([(Var(0), x)]);
        for (i, class) in captured.iter().enumerate() {
            known.insert(group.capture_var(i), class.clone());
        }
        self.depth += 1;
        let result = self.block(&lambda.body, &mut known);
        self.depth -= 1;
        result
    }

    fn block(&mut self, block: &Block, known: &mut Known) -> Class {
        for binding in &block.bindings {
            match binding {
                Binding::Let { var, expr, span } => {
                    let class = self.expr(expr, known, *span);
                    known.insert(*var, class);
                }
                Binding::Functions { vars, group, captured, .. } => {
                    let captured: Vec<Class> = captured.iter().map(|atom| atom_class(atom, known)).collect();
                    for (member, var) in vars.iter().enumerate() {
                        let function = Class::Function { group: group.clone(), member, captured: captured.clone() };
                        known.insert(*var, function);
                    }
                }
            }
        }
        atom_class(&block.result, known)
    }

    fn expr(&mut self, expr: &Expr, known: &Known, span: Span) -> Class {
        let class = |atom: &Atom| atom_class(atom, known);
        let all = |atoms: &[Atom]| atoms.iter().map(class).collect::<Vec<_>>();
        match expr {
            Expr::Atom(a) | Expr::Check(a, _) => class(a),
            Expr::Tuple(atoms) => Class::Tuple(all(atoms)),
            Expr::Record(fields) => Class::Record(fields.iter().map(|(name, a)| (*name, class(a))).collect()),
            Expr::Variant(_, atoms) | Expr::Array(atoms) => Class::together(&all(atoms)),
            Expr::Get(a, field) => class(a).part(field),
            Expr::If(_, then, otherwise) => {
                let then = self.block(then, &mut known.clone());
                then.either(self.block(otherwise, &mut known.clone()))
            }
            Expr::Apply { f: Atom::Root(Root::Prim(prim), 0), x, .. } => primitive(*prim, &class(x), span),
            Expr::Apply { f, x, .. } => match (class(f), class(x)) {
                (Class::Function { group, member, captured }, x) if group.members.len() == 1 => {
                    self.call(&group, member, &captured, x)
                }
                (f, x) if f.is_constant() && x.is_constant() => Class::Constant,
                (_, x) => x.bent().map_or(Class::Unknown, |(span, how)| Class::Bent(span, how)),
            },
            Expr::Is(a, _) if class(a).is_constant() => Class::Constant,
            _ => Class::Unknown,
        }
    }
}

fn atom_class(atom: &Atom, known: &Known) -> Class {
    match atom {
        Atom::Var(var) => known.get(var).cloned().unwrap_or(Class::Unknown),
        Atom::Const(Const::Int(n)) => Class::Literal(*n as f64),
        Atom::Const(Const::Real(x)) => Class::Literal(*x),
        Atom::Const(_) | Atom::Root(..) => Class::Constant,
    }
}

/// What a primitive makes of an argument of this class.
fn primitive(prim: Prim, x: &Class, span: Span) -> Class {
    use Prim::*;
    if x.is_constant() {
        return Class::Constant;
    }
    if let Some((span, how)) = x.bent() {
        return Class::Bent(span, how);
    }
    match (prim, x) {
        (Neg | Transpose | Reversed | Sum | Real, Class::Linear) => Class::Linear,
        (
            Sqrt | Cbrt | Exp | Expm1 | Log | Log1p | Log2 | Log10 | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh
            | Tanh | Asinh | Acosh | Atanh | Erf | Erfc | Lgamma | Digamma | Abs | Sign | Floor | Ceil | Round | Trunc,
            Class::Linear,
        ) => Class::Bent(span, "a function of it that isn't linear"),
        (_, Class::Tuple(parts)) => match &parts[..] {
            [a, b] => binary(prim, a, b, span),
            _ => Class::Unknown,
        },
        _ => Class::Unknown,
    }
}

fn binary(prim: Prim, a: &Class, b: &Class, span: Span) -> Class {
    use Class::{Linear, Literal};
    use Prim::*;
    match (prim, a, b) {
        (Add | Sub | Concat | Plus, Linear, Linear) => Linear,
        (Add | Sub, Linear, Literal(k)) | (Add | Sub, Literal(k), Linear) => {
            if *k == 0.0 {
                Linear
            } else {
                Class::Bent(span, "a constant is added")
            }
        }
        (Mul | MatMul, Linear, Linear) => Class::Bent(span, "a product of two such values"),
        (Mul | MatMul, Linear, other) | (Mul | MatMul, other, Linear) if other.is_constant() => Linear,
        (Div | Index | Reshape, Linear, other) if other.is_constant() => Linear,
        (Div, _, Linear) => Class::Bent(span, "a division by such a value"),
        (Pow, Linear, Literal(1.0)) => Linear,
        (Pow, Linear, Literal(_)) => Class::Bent(span, "a power of such a value"),
        (Minimum | Maximum, Linear, Linear | Literal(_)) | (Minimum | Maximum, Literal(_), Linear) => {
            Class::Bent(span, "a function of it that isn't linear")
        }
        _ => Class::Unknown,
    }
}
