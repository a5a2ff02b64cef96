//! Forward mode: T on code, the mirror of [`crate::reverse()`].
//!
//! In: a group of functions. Out: the group of their T-images, with the same members. A function `x => e` becomes
//! `(x, dx) => (y, dy)`: every variable v gets a companion dv, its tangent, which has the form of a sensitivity of v.
//! Values themselves stay as they are. That makes T different from J: there are no T-images of data, and a
//! function is transformed where it is called, by `Tangent`. So perturbations can't be confused, and T nests with J and
//! with itself in any order.
//!
//! - A T-image captures two things: the function it was made of and the tangent of that function's captures. It takes
//!   the captures and the other members of the group from the former, their tangents from the latter.
//! - A tangent that is known to be zero is not computed; a call whose function and argument have none stays as it is.
//! - A call in tail position stays one: the pair that it returns is the result.
//! - A function with a forward rule uses it; one with a reverse rule alone transposes its backpropagator. A function that
//!   declares its transpose is linear: its own code says how it carries tangents.
//!
//! The order of the code stays the same. Every derived binding has the span of its source.

use std::collections::BTreeSet;
use std::rc::Rc;

use base::{Name, Span};
use calculus::{
    Atom, Binding, Block, Builder, Const, Expr, Field, Group, Lambda, PRIMAL, Prim, Push, Role, Root, Rule, RuleKind,
    TANGENT, Var,
};
use rustc_hash::FxHashMap;

use crate::reverse::{call, get, in_sensitivity};

/// T on code.
pub fn forward(group: &Rc<Group>) -> Group {
    let members = (0..group.members.len()).map(|index| forward_member(group, index)).collect();
    Group { captures: vec![PRIMAL.into(), TANGENT.into()], members, order: group.order }
}

fn forward_member(group: &Group, index: usize) -> Lambda {
    let lambda = &group.members[index];
    let (vars, body) = match (lambda.rule(RuleKind::Forward), lambda.rule(RuleKind::Reverse)) {
        (Some(rule), _) => forward_ruled(group, index, rule),
        (None, Some(rule)) => forward_transposed(group, index, rule),
        (None, None) => forward_plain(group, index),
    };
    let (name, span, mentions) = (lambda.name, lambda.span, lambda.mentions.clone());
    Lambda { name, role: Role::Forward, span, vars, body, rules: vec![], mentions }
}

/// `x => let x1 = e1 … in xn` becomes `(x, dx) => let x1 = e1, dx1 = de1 … in (xn, dxn)`.
fn forward_plain(group: &Group, index: usize) -> (Vec<Name>, Block) {
    let lambda = &group.members[index];
    let mut forward = Forward::new(group, index);
    forward.bind_outside(&used_in(&lambda.body));
    let body = forward.block(&lambda.body);
    (forward.out.vars, body)
}

/// The T-image's own variables: what it captures.
const OWN_FUNCTION: Atom = Atom::Var(Var(1));
const OWN_TANGENT: Atom = Atom::Var(Var(2));
const ZERO: Atom = Atom::Const(Const::Zero);

fn is_zero(atom: &Atom) -> bool {
    matches!(atom, Atom::Const(Const::Zero))
}

/// The variables of outside that a body uses.
fn used_in(body: &Block) -> BTreeSet<Var> {
    let mut used = BTreeSet::new();
    body.each_atom(&mut |atom| {
        if let Atom::Var(var) = atom {
            used.insert(*var);
        }
    });
    used
}

/// What an expression becomes.
enum Image {
    /// The value and its tangent
    Parts(Atom, Atom),
    /// One variable for the pair of them
    Pair(Atom),
}

struct Forward<'a> {
    group: &'a Group,
    names: &'a [Name],
    out: Builder,
    /// The variable and the tangent of each variable of the source.
    images: FxHashMap<Var, (Atom, Atom)>,
}

impl<'a> Forward<'a> {
    fn new(group: &'a Group, index: usize) -> Forward<'a> {
        let mut vars: Vec<Name> = vec!["pair".into(), PRIMAL.into(), TANGENT.into()];
        vars.extend(group.members.iter().map(|member| member.name.unwrap_or("f".into())));
        let names = &group.members[index].vars;
        Forward { group, names, out: Builder::new(vars), images: FxHashMap::default() }
    }

    /// Takes apart what comes from outside, as far as it is used: the argument, the captures, the members.
    fn bind_outside(&mut self, used: &BTreeSet<Var>) {
        let span = self.group.members[0].span;
        for &var in used.range(..self.group.first_local()) {
            let (name, at) = (self.names[var.0 as usize], var.0 as usize);
            let captures = self.group.captures.len();
            let image = if at == 0 {
                self.pair_parts(var, Atom::Var(Var(0)), span)
            } else if at <= captures {
                let label = self.group.captures[at - 1];
                let value = self.out.bind(name, Expr::Get(OWN_FUNCTION, Field::Capture(label)), span);
                (value, self.bind_tangent(var, Expr::Get(OWN_TANGENT, Field::Label(label)), span))
            } else {
                let member = (at - 1 - captures) as u32;
                (self.out.bind(name, Expr::Get(OWN_FUNCTION, Field::Member(member)), span), OWN_TANGENT)
            };
            self.images.insert(var, image);
        }
    }

    fn bind_tangent(&mut self, var: Var, expr: Expr, span: Span) -> Atom {
        let name = Name::new(&format!("d{}", self.names[var.0 as usize]));
        self.out.bind(name, expr, span)
    }

    fn pair_parts(&mut self, var: Var, pair: Atom, span: Span) -> (Atom, Atom) {
        let value = self.out.bind(self.names[var.0 as usize], get(pair.clone(), 0), span);
        (value, self.bind_tangent(var, get(pair, 1), span))
    }

    fn value(&self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.images[var].0.clone(),
            Atom::Const(_) | Atom::Root(..) => atom.clone(),
        }
    }

    /// Constants and roots have no tangent (D13).
    fn tangent(&self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(var) => self.images[var].1.clone(),
            Atom::Const(_) | Atom::Root(..) => ZERO,
        }
    }

    fn values(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|atom| self.value(atom)).collect()
    }

    /// Closes the block that is open: it yields the pair of the source block's result and its tangent.
    fn block(&mut self, block: &Block) -> Block {
        let (last, before) = match block.bindings.split_last() {
            Some((Binding::Let { var, expr, span }, before)) if block.result == Atom::Var(*var) => {
                (Some((*var, expr, *span)), before)
            }
            _ => (None, &block.bindings[..]),
        };
        before.iter().for_each(|binding| self.binding(binding));
        let image = match last {
            Some((var, expr, span)) => self.expression(var, expr, span),
            None => Image::Parts(self.value(&block.result), self.tangent(&block.result)),
        };
        let pair = match image {
            Image::Pair(pair) => pair,
            Image::Parts(value, tangent) => self.out.bind("pair".into(), Expr::Tuple(vec![value, tangent]), block.span),
        };
        self.out.close(pair, block.span)
    }

    fn binding(&mut self, binding: &Binding) {
        match binding {
            Binding::Let { var, expr, span } => {
                let image = match self.expression(*var, expr, *span) {
                    Image::Parts(value, tangent) => (value, tangent),
                    Image::Pair(pair) => self.pair_parts(*var, pair, *span),
                };
                self.images.insert(*var, image);
            }
            // Functions stay what they are; their tangent is the record of their captures' tangents.
            Binding::Functions { vars, group, lifted, captured, span } => {
                let (lifted, span) = (*lifted, *span);
                let new: Vec<Var> = vars.iter().map(|var| self.out.fresh(self.names[var.0 as usize])).collect();
                let values = self.values(captured);
                let binding =
                    Binding::Functions { vars: new.clone(), group: group.clone(), lifted, captured: values, span };
                self.out.push(binding);
                let tangents = group.captures.iter().zip(captured).map(|(label, atom)| (*label, self.tangent(atom)));
                let tangent = self.record(tangents.collect(), span);
                for (var, new) in vars.iter().zip(new) {
                    self.images.insert(*var, (Atom::Var(new), tangent.clone()));
                }
            }
        }
    }

    /// The record of these tangents; zeros are left out.
    fn record(&mut self, fields: Vec<(Name, Atom)>, span: Span) -> Atom {
        let fields: Vec<_> = fields.into_iter().filter(|(_, tangent)| !is_zero(tangent)).collect();
        if fields.is_empty() { ZERO } else { self.out.bind("tangents".into(), Expr::Record(fields), span) }
    }

    fn expression(&mut self, var: Var, expr: &Expr, span: Span) -> Image {
        match expr {
            Expr::Apply { f, x, order } => return self.application(var, f, x, *order, span),
            Expr::Pull { b, d, order } => return self.pull(var, b, d, *order, span),
            Expr::If(condition, then, otherwise) => {
                let condition = self.value(condition);
                let [then, otherwise] = [then, otherwise].map(|branch| self.branch(branch));
                return Image::Pair(self.out.bind("pair".into(), Expr::If(condition, then, otherwise), span));
            }
            _ => {}
        }
        let value = self.data(expr);
        let value = self.out.bind(self.names[var.0 as usize], value, span);
        Image::Parts(value, self.tangent_of_data(var, expr, span))
    }

    fn branch(&mut self, block: &Block) -> Box<Block> {
        base::budget::deep(|| {
            self.out.open();
            Box::new(self.block(block))
        })
    }

    /// The expression itself, over the variables of the T-image.
    fn data(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Atom(a) => Expr::Atom(self.value(a)),
            Expr::Tuple(atoms) => Expr::Tuple(self.values(atoms)),
            Expr::Record(fields) => Expr::Record(fields.iter().map(|(label, a)| (*label, self.value(a))).collect()),
            Expr::Variant(constructor, atoms) => Expr::Variant(constructor.clone(), self.values(atoms)),
            Expr::Array(atoms) => Expr::Array(self.values(atoms)),
            Expr::Get(a, field) => Expr::Get(self.value(a), field.clone()),
            Expr::Inject(field, a) => Expr::Inject(field.clone(), self.value(a)),
            Expr::With(record, label, value) => Expr::With(self.value(record), *label, self.value(value)),
            Expr::Omit(a, label) => Expr::Omit(self.value(a), *label),
            Expr::Plus(a, b) => Expr::Plus(self.value(a), self.value(b)),
            Expr::Is(a, form) => Expr::Is(self.value(a), form.clone()),
            Expr::Check(a, form) => Expr::Check(self.value(a), form.clone()),
            Expr::Fail(failure, atoms) => Expr::Fail(failure.clone(), self.values(atoms)),
            Expr::Tangent { f, d, order } => Expr::Tangent { f: self.value(f), d: self.value(d), order: *order },
            Expr::Apply { .. } | Expr::Pull { .. } | Expr::If(..) => unreachable!("forward: calls and branches"),
        }
    }

    /// Data carries tangents in its own form; what works on sensitivities is linear.
    fn tangent_of_data(&mut self, var: Var, expr: &Expr, span: Span) -> Atom {
        let mut atoms = vec![];
        expr.each_atom(&mut |atom| atoms.push(self.tangent(atom)));
        if atoms.iter().all(is_zero) {
            return ZERO;
        }
        let d = |i: usize| atoms[i].clone();
        let tangent = match expr {
            Expr::Atom(_) | Expr::Check(..) | Expr::Get(_, Field::Member(_)) => return d(0),
            // Booleans carry no tangent; a failure has no result.
            Expr::Is(..) | Expr::Fail(..) => return ZERO,
            Expr::Record(fields) => {
                let tangents = fields.iter().map(|(label, _)| *label).zip(atoms.iter().cloned());
                return self.record(tangents.collect(), span);
            }
            Expr::Tangent { .. } => return self.record(vec![(PRIMAL.into(), d(0)), (TANGENT.into(), d(1))], span),
            // Elements without a tangent are symbolic zeros.
            Expr::Array(_) => {
                let tangents = self.bind_tangent(var, Expr::Array(atoms), span);
                return call(&mut self.out, Prim::Unspread, vec![tangents], span);
            }
            Expr::With(_, label, _) => return self.with(d(0), *label, d(1), span),
            Expr::Plus(..) => return self.plus(d(0), d(1), span),
            Expr::Tuple(_) => Expr::Tuple(atoms),
            Expr::Variant(constructor, _) => Expr::Variant(constructor.clone(), atoms),
            Expr::Get(_, field) => Expr::Get(d(0), in_sensitivity(field)),
            Expr::Inject(field, _) => Expr::Inject(field.clone(), d(0)),
            Expr::Omit(_, label) => Expr::Omit(d(0), *label),
            Expr::Apply { .. } | Expr::Pull { .. } | Expr::If(..) => unreachable!("forward: calls and branches"),
        };
        self.bind_tangent(var, tangent, span)
    }

    fn plus(&mut self, a: Atom, b: Atom, span: Span) -> Atom {
        match (is_zero(&a), is_zero(&b)) {
            (true, _) => b,
            (_, true) => a,
            _ => self.out.bind("sum".into(), Expr::Plus(a, b), span),
        }
    }

    /// d{r with label: v} = dr without label ⊕ dv at label
    fn with(&mut self, record: Atom, label: Name, value: Atom, span: Span) -> Atom {
        let mut bind =
            |atom: Atom, expr: Expr| if is_zero(&atom) { ZERO } else { self.out.bind("d".into(), expr, span) };
        let rest = bind(record.clone(), Expr::Omit(record, label));
        let part = bind(value.clone(), Expr::Inject(Field::Label(label), value));
        self.plus(rest, part, span)
    }

    /// `y = f(x)` becomes `(y, dy) = (T f)(x, dx)`.
    fn application(&mut self, var: Var, f: &Atom, x: &Atom, order: u32, span: Span) -> Image {
        let (df, dx) = (self.tangent(f), self.tangent(x));
        let (value, x) = (self.value(f), self.value(x));
        let name = self.names[var.0 as usize];
        if is_zero(&df) && is_zero(&dx) {
            return Image::Parts(self.out.bind(name, Expr::Apply { f: value, x, order }, span), ZERO);
        }
        let (t, order) = match *f {
            Atom::Root(Root::Prim(prim), root) if root == order => match (prim.push(), root) {
                (Push::Nothing, _) => {
                    return Image::Parts(self.out.bind(name, Expr::Apply { f: value, x, order }, span), ZERO);
                }
                (_, 0) => return self.primitive(name, prim, x, dx, span),
                // J of a primitive is its reverse rule: code like any other.
                _ => {
                    let f = Atom::Root(Root::Reverse(prim), root - 1);
                    (self.out.bind("t".into(), Expr::Tangent { f, d: ZERO, order: 0 }, span), order - 1)
                }
            },
            Atom::Var(var) if self.is_member(var) => {
                let member = var.0 as usize - 1 - self.group.captures.len();
                (Atom::Var(Var(3 + member as u32)), order)
            }
            _ => (self.out.bind("t".into(), Expr::Tangent { f: value, d: df, order: 0 }, span), order),
        };
        let x = self.out.bind("args".into(), Expr::Tuple(vec![x, dx]), span);
        Image::Pair(self.out.bind("pair".into(), Expr::Apply { f: t, x, order }, span))
    }

    fn is_member(&self, var: Var) -> bool {
        (self.group.member_var(0)..self.group.first_local()).contains(&var)
    }

    fn primitive(&mut self, name: Name, prim: Prim, x: Atom, dx: Atom, span: Span) -> Image {
        let apply = |root: Root, x: Atom| Expr::Apply { f: Atom::Root(root, 0), x, order: 0 };
        match prim.push() {
            Push::Nothing => Image::Parts(self.out.bind(name, apply(Root::Prim(prim), x), span), ZERO),
            Push::Same => Image::Parts(self.out.bind(name, apply(Root::Prim(prim), x), span), dx),
            Push::Linear => {
                let y = self.out.bind(name, apply(Root::Prim(prim), x), span);
                let b = Atom::Root(Root::Prim(prim), 0);
                Image::Parts(y, self.out.bind("d".into(), Expr::Pull { b, d: dx, order: 0 }, span))
            }
            Push::Diagonal => {
                let pair = self.out.bind("pair".into(), apply(Root::Reverse(prim), x), span);
                let y = self.out.bind(name, get(pair.clone(), 0), span);
                let b = self.out.bind("b".into(), get(pair, 1), span);
                let q = self.out.bind("q".into(), Expr::Pull { b, d: dx, order: 0 }, span);
                Image::Parts(y, self.out.bind("d".into(), get(q, 1), span))
            }
            Push::Rule => {
                let x = self.out.bind("args".into(), Expr::Tuple(vec![x, dx]), span);
                Image::Pair(self.out.bind("pair".into(), apply(Root::Forward(prim), x), span))
            }
        }
    }

    /// A backpropagator is a function like any other; that it is linear is known of its value alone.
    fn pull(&mut self, var: Var, b: &Atom, d: &Atom, order: u32, span: Span) -> Image {
        let (db, dd) = (self.tangent(b), self.tangent(d));
        let (b, d) = (self.value(b), self.value(d));
        let name = self.names[var.0 as usize];
        if is_zero(&db) && is_zero(&dd) {
            return Image::Parts(self.out.bind(name, Expr::Pull { b, d, order }, span), ZERO);
        }
        if matches!(b, Atom::Root(Root::Prim(prim), 0) if prim.push() == Push::Linear) {
            let value = self.out.bind(name, Expr::Pull { b: b.clone(), d, order }, span);
            return Image::Parts(value, self.bind_tangent(var, Expr::Pull { b, d: dd, order }, span));
        }
        let b = self.out.bind("t".into(), Expr::Tangent { f: b, d: db, order: 0 }, span);
        let d = self.out.bind("args".into(), Expr::Tuple(vec![d, dd]), span);
        Image::Pair(self.out.bind("pair".into(), Expr::Pull { b, d, order }, span))
    }
}

/// The argument, its tangent and the function itself, in the T-image of a function with a rule.
struct Ruled {
    x: Atom,
    dx: Atom,
    f: Atom,
}

fn ruled(out: &mut Builder, index: usize, span: Span) -> Ruled {
    let x = out.bind("x".into(), get(Atom::Var(Var(0)), 0), span);
    let dx = out.bind("dx".into(), get(Atom::Var(Var(0)), 1), span);
    let f = out.bind("f".into(), Expr::Get(OWN_FUNCTION, Field::Member(index as u32)), span);
    Ruled { x, dx, f }
}

/// T of a function with a forward rule: `(x, dx) => let (y, push) = rule(x) in (y, push(dx, df))`. Rules see plain values,
/// and tangents in full shape.
fn forward_ruled(group: &Group, index: usize, rule: &Rule) -> (Vec<Name>, Block) {
    let span = rule.span;
    let mut forward = Forward::new(group, index);
    let out = &mut forward.out;
    let Ruled { x, dx, f } = ruled(out, index, span);
    let captures = group.captures.iter().map(|label| (*label, Field::Capture(*label)));
    let members = group.members.iter().zip(0..).map(|(m, i)| (m.name.unwrap_or("f".into()), Field::Member(i)));
    let captured = captures.chain(members).map(|(name, part)| out.bind(name, Expr::Get(OWN_FUNCTION, part), span));
    let captured = captured.collect();
    let function = out.fresh("rule".into());
    out.push(Binding::Functions { vars: vec![function], group: rule.code.clone(), lifted: 0, captured, span });
    let answer = Expr::Apply { f: Atom::Var(function), x: x.clone(), order: 0 };
    let answer = out.bind("answer".into(), answer, span);
    let answer = call(out, Prim::RulePair, vec![f.clone(), answer], span);
    let y = out.bind("y".into(), get(answer.clone(), 0), span);
    let push = out.bind("push".into(), get(answer, 1), span);
    let code = pushing(group.members[index].name, span, |out, push, dx, df| {
        let args = out.bind("args".into(), Expr::Tuple(vec![dx, df]), span);
        out.bind("dy".into(), Expr::Apply { f: push, x: args, order: 0 }, span)
    });
    finish_ruled(forward, code, [push, f, x, y], dx, span)
}

/// T of a function with a reverse rule alone: the backpropagator is linear, so its derivative is the same
/// everywhere, and the transpose of a backpropagator carries tangents. (Not at zero: a rule may treat a zero
/// sensitivity as a special case.)
fn forward_transposed(group: &Group, index: usize, rule: &Rule) -> (Vec<Name>, Block) {
    let span = rule.span;
    let mut forward = Forward::new(group, index);
    let out = &mut forward.out;
    let Ruled { x, dx, f } = ruled(out, index, span);
    let [lifted_f, lifted_x] = [&f, &x].map(|part| call(out, Prim::J, vec![part.clone()], span));
    let pair = out.bind("pair".into(), Expr::Apply { f: lifted_f, x: lifted_x, order: 0 }, span);
    let y = out.bind("y".into(), get(pair.clone(), 0), span);
    let y = call(out, Prim::JInv, vec![y], span);
    let pull = out.bind("pull".into(), get(pair, 1), span);
    let code = pushing(group.members[index].name, span, |out, pull, dx, df| {
        let pull = call(out, Prim::J, vec![pull], span);
        let y = Atom::Var(Var(4));
        let point = call(out, Prim::RandomLike, vec![y, Atom::Const(Const::Int(0))], span);
        let pair = out.bind("pair".into(), Expr::Apply { f: pull, x: point, order: 0 }, span);
        let transpose = out.bind("transpose".into(), get(pair, 1), span);
        let args = out.bind("args".into(), Expr::Tuple(vec![df, dx]), span);
        let q = out.bind("q".into(), Expr::Apply { f: transpose, x: args, order: 0 }, span);
        out.bind("dy".into(), get(q, 1), span)
    });
    finish_ruled(forward, code, [pull, f, x, y], dx, span)
}

/// Applies the linear part of a rule: not at all where neither the argument nor a capture has a tangent.
fn finish_ruled(forward: Forward, code: Group, captured: [Atom; 4], dx: Atom, span: Span) -> (Vec<Name>, Block) {
    let mut out = forward.out;
    let y = captured[3].clone();
    let push = out.fresh("push".into());
    let captured = captured.to_vec();
    out.push(Binding::Functions { vars: vec![push], group: Rc::new(code), lifted: 0, captured, span });
    let [dx, df] =
        [(0, dx), (1, OWN_TANGENT)].map(|(at, d)| out.bind("d".into(), Expr::Inject(Field::Position(at), d), span));
    let d = out.bind("d".into(), Expr::Plus(dx, df), span);
    let dy = out.bind("dy".into(), Expr::Pull { b: Atom::Var(push), d, order: 0 }, span);
    let pair = out.bind("pair".into(), Expr::Tuple(vec![y, dy]), span);
    let body = out.close(pair, span);
    (out.vars, body)
}

/// `(dx, df) => rule_tangent(f, x, (y, linear(materialise(x, dx), materialise(f, df))))`, where `linear` is made of what
/// the rule returned, the function's first capture.
fn pushing(name: Option<Name>, span: Span, linear: impl FnOnce(&mut Builder, Atom, Atom, Atom) -> Atom) -> Group {
    let captures: Vec<Name> = ["linear", "f", "x", "y"].map(Name::new).to_vec();
    let names = [Name::new("d")].into_iter().chain(captures.iter().copied()).chain([Name::new("push")]);
    let mut out = Builder::new(names.collect());
    let [given, f, x, y] = [1, 2, 3, 4].map(|var| Atom::Var(Var(var)));
    let [dx, df] = [(0, &x), (1, &f)].map(|(at, of)| {
        let d = out.bind("d".into(), get(Atom::Var(Var(0)), at), span);
        call(&mut out, Prim::Materialise, vec![of.clone(), d], span)
    });
    let dy = linear(&mut out, given, dx, df);
    let pair = out.bind("pair".into(), Expr::Tuple(vec![y, dy]), span);
    let dy = call(&mut out, Prim::RuleTangent, vec![f, x, pair], span);
    let body = out.close(dy, span);
    let lambda = Lambda { name, role: Role::Forward, span, vars: out.vars, body, rules: vec![], mentions: vec![] };
    Group { captures, members: vec![lambda], order: 0 }
}
