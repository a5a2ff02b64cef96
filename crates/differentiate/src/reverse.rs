//! Reverse mode as the paper's appendix defines it: the transformation of A-normal code.
//!
//! In: a group of functions. Out: the group of their J-images, over the same captures and with the same
//! variable numbers; a function `x => e` becomes `x⃖ => (e⃖, backpropagator)`.
//!
//! - φ rewrites each binding to compute J-images (`Forward`): an application also yields the backpropagator
//!   of the call.
//! - ρ runs over the bindings backwards and accumulates sensitivities (`sweep`); what received none is never
//!   mentioned (symbolic zero), contributions are added one after the other (D7).
//! - A function with a rule uses the rule instead (`reverse_ruled`), over captures that aren't J-images (D8, D9).
//!   A forward rule is transposed by differentiating its linear part.
//!
//! Where the paper as printed is wrong, the corrections D1–D18 of the semantics are followed; the interesting
//! ones are marked. Every derived binding has the span of its source.

use std::collections::BTreeSet;
use std::rc::Rc;

use base::{Name, Span};
use calculus::{
    Atom, Binding, Block, Builder, Const, Expr, Field, Group, Lambda, PRIMAL, Prim, Role, Root, Rule, RuleKind,
    TANGENT, Var,
};
use rustc_hash::FxHashMap;

use crate::free::Free;

/// J on code.
pub fn reverse(group: &Rc<Group>) -> Group {
    let members = (0..group.members.len()).map(|index| reverse_member(group, index)).collect();
    Group { captures: group.captures.clone(), members, order: group.order + 1 }
}

fn reverse_member(group: &Rc<Group>, index: usize) -> Lambda {
    let lambda = &group.members[index];
    let rule = |kind| lambda.rule(kind);
    let (vars, body) = match (rule(RuleKind::Reverse).or(rule(RuleKind::Forward)), rule(RuleKind::Transpose)) {
        (Some(rule), _) => reverse_ruled(group, index, rule),
        (None, Some(rule)) => reverse_transposed(group, index, rule),
        (None, None) => reverse_plain(group, index),
    };
    let (name, span, mentions) = (lambda.name, lambda.span, lambda.mentions.clone());
    Lambda { name, role: Role::Reverse, span, vars, body, rules: vec![], mentions }
}

/// `x => let x1 = e1 … in xn` becomes `x⃖ => let φ{x1 = e1} … in (xn⃖, dxn => let ρ{xn = en} … in (captures, dx))`.
fn reverse_plain(group: &Rc<Group>, index: usize) -> (Vec<Name>, Block) {
    let lambda = &group.members[index];
    let mut forward = Forward::new(lambda);
    forward.bindings(&lambda.body);
    let y = lift(&lambda.body.result);
    let span = lambda.body.span;
    let raw = forward.backpropagator(&lambda.body, &Outputs::Function(group));
    let pair = forward.out.bind("pair".into(), Expr::Tuple(vec![y, raw]), span);
    let body = forward.out.close(pair, span);
    (forward.out.vars, body)
}

/// J of an atom: constants are differentiated, not sensitive (D13); J is the identity on ground data.
fn lift(atom: &Atom) -> Atom {
    match atom {
        Atom::Var(_) | Atom::Const(_) => atom.clone(),
        Atom::Root(root, order) => Atom::Root(*root, order + 1),
    }
}

fn lift_all(atoms: &[Atom]) -> Vec<Atom> {
    atoms.iter().map(lift).collect()
}

/// The same part of a sensitivity or a tangent, where a missing field is zero.
pub fn in_sensitivity(field: &Field) -> Field {
    match field {
        Field::Name(name) | Field::Capture(name) => Field::Label(*name),
        other => other.clone(),
    }
}

pub fn get(base: Atom, position: u32) -> Expr {
    Expr::Get(base, Field::Position(position))
}

/// φ: the forward half of a derived function.
struct Forward {
    free: Rc<Free>,
    out: Builder,
    name: Option<Name>,
    /// The variable that holds the backpropagator of each application and branch.
    backs: FxHashMap<Var, Var>,
}

impl Forward {
    fn new(lambda: &Lambda) -> Forward {
        let free = Rc::new(Free::of(&lambda.body));
        Forward { free, out: Builder::new(lambda.vars.clone()), name: lambda.name, backs: FxHashMap::default() }
    }

    fn bindings(&mut self, block: &Block) {
        for binding in &block.bindings {
            match binding {
                Binding::Let { var, expr, span } => self.binding(*var, expr, *span),
                // φ{f = λ}: f⃖ = λ⃖ over the J-images of the captures
                Binding::Functions { vars, group, lifted, captured, span } => self.out.push(Binding::Functions {
                    vars: vars.clone(),
                    group: group.clone(),
                    lifted: lifted + 1,
                    captured: lift_all(captured),
                    span: *span,
                }),
            }
        }
    }

    fn binding(&mut self, var: Var, expr: &Expr, span: Span) {
        let lifted = match expr {
            // φ{x = f(y)}: (x⃖, x̄) = f⃖(y⃖)
            Expr::Apply { f, x, order } => {
                return self.pair(var, Expr::Apply { f: lift(f), x: lift(x), order: order + 1 }, span);
            }
            Expr::Pull { b, d, order } => {
                return self.pair(var, Expr::Pull { b: lift(b), d: lift(d), order: order + 1 }, span);
            }
            // The paper's `if` applies one of two thunks; here the thunks are blocks of the same function.
            Expr::If(condition, then, otherwise) => {
                let free = self.free.clone();
                let then = self.branch(then, free.of_branches(var));
                let otherwise = self.branch(otherwise, free.of_branches(var));
                return self.pair(var, Expr::If(lift(condition), then, otherwise), span);
            }
            Expr::Tangent { f, d, order } => Expr::Tangent { f: lift(f), d: lift(d), order: order + 1 },
            // J is homomorphic on data.
            Expr::Atom(a) => Expr::Atom(lift(a)),
            Expr::Tuple(atoms) => Expr::Tuple(lift_all(atoms)),
            Expr::Record(fields) => Expr::Record(fields.iter().map(|(label, a)| (*label, lift(a))).collect()),
            Expr::Variant(constructor, atoms) => Expr::Variant(constructor.clone(), lift_all(atoms)),
            Expr::Array(atoms) => Expr::Array(lift_all(atoms)),
            Expr::Get(a, field) => Expr::Get(lift(a), field.clone()),
            Expr::Inject(field, a) => Expr::Inject(field.clone(), lift(a)),
            Expr::With(record, label, value) => Expr::With(lift(record), *label, lift(value)),
            Expr::Omit(a, label) => Expr::Omit(lift(a), *label),
            Expr::Plus(a, b) => Expr::Plus(lift(a), lift(b)),
            Expr::Is(a, form) => Expr::Is(lift(a), form.clone()),
            Expr::Check(a, form) => Expr::Check(lift(a), form.clone()),
            Expr::Fail(failure, atoms) => Expr::Fail(failure.clone(), lift_all(atoms)),
        };
        self.out.bind_to(var, lifted, span);
    }

    /// Binds `var` and its backpropagator to the two halves of a pair.
    fn pair(&mut self, var: Var, expr: Expr, span: Span) {
        let name = self.out.name(var);
        let pair = self.out.bind("pair".into(), expr, span);
        self.out.bind_to(var, get(pair.clone(), 0), span);
        let back = self.out.fresh(Name::new(&format!("{name}_back")));
        self.out.bind_to(back, get(pair, 1), span);
        self.backs.insert(var, back);
    }

    /// A branch yields its result and the backpropagator to its free variables.
    fn branch(&mut self, block: &Block, free: &[Var]) -> Box<Block> {
        base::budget::deep(|| {
            self.out.open();
            self.bindings(block);
            let raw = self.backpropagator(block, &Outputs::Branch(free));
            let pair = self.out.bind("pair".into(), Expr::Tuple(vec![lift(&block.result), raw]), block.span);
            Box::new(self.out.close(pair, block.span))
        })
    }

    /// The function that runs ρ over a block, bound where φ of the block has been bound.
    fn backpropagator(&mut self, block: &Block, outputs: &Outputs) -> Atom {
        let every_back: Vec<Var> = own_variables(block).filter_map(|var| self.backs.get(&var).copied()).collect();
        let (_, used) = sweep(block, outputs, self, &every_back);
        let (mut lambda, _) = sweep(block, outputs, self, &used);
        lambda.name = self.name;
        let captures = used.iter().map(|back| Name::new(&format!("b{}", back.0))).collect();
        let group = Rc::new(Group { captures, members: vec![lambda], order: 0 });
        let captured = used.into_iter().map(Atom::Var).collect();
        let var = self.out.fresh("raw".into());
        self.out.push(Binding::Functions { vars: vec![var], group, lifted: 0, captured, span: block.span });
        Atom::Var(var)
    }
}

/// What the backpropagator of a block returns.
enum Outputs<'a> {
    /// The captures' record and the argument's sensitivity.
    Function(&'a Group),
    /// A tuple over these free variables.
    Branch(&'a [Var]),
}

/// ρ: the backpropagator of a block, as a function that captures `captures`; also says which of them it used.
fn sweep(block: &Block, outputs: &Outputs, forward: &Forward, captures: &[Var]) -> (Lambda, Vec<Var>) {
    let mut vars: Vec<Name> = vec!["d".into()];
    vars.extend(captures.iter().map(|back| Name::new(&format!("b{}", back.0))));
    vars.push("raw".into());
    let captures = captures.iter().enumerate().map(|(i, back)| (*back, Var(1 + i as u32))).collect();
    let used = BTreeSet::new();
    let mut reverse = Reverse { out: Builder::new(vars), forward, captures, used, bars: FxHashMap::default() };
    reverse.add(&block.result, Atom::Var(Var(0)), block.span);
    for binding in block.bindings.iter().rev() {
        reverse.binding(binding);
    }
    let result = reverse.outputs(outputs, block.span);
    let body = reverse.out.close(result, block.span);
    let used = reverse.used.into_iter().collect();
    let role = Role::Backpropagator;
    let vars = reverse.out.vars;
    let lambda = Lambda { name: None, role, span: block.span, vars, body, rules: vec![], mentions: vec![] };
    (lambda, used)
}

struct Reverse<'a> {
    out: Builder,
    forward: &'a Forward,
    /// The captured backpropagators and the variables that hold them here.
    captures: FxHashMap<Var, Var>,
    used: BTreeSet<Var>,
    /// The sensitivity accumulated so far for each variable; absent means the symbolic zero.
    bars: FxHashMap<Var, Atom>,
}

impl Reverse<'_> {
    /// `x_bar ⊕= d`
    fn add(&mut self, atom: &Atom, d: Atom, span: Span) {
        let Atom::Var(var) = *atom else { return };
        let bar = match self.bars.remove(&var) {
            None => d,
            Some(bar) => self.out.bind("bar".into(), Expr::Plus(bar, d), span),
        };
        self.bars.insert(var, bar);
    }

    fn add_expr(&mut self, atom: &Atom, expr: Expr, span: Span) {
        if let Atom::Var(_) = atom {
            let d = self.out.bind("d".into(), expr, span);
            self.add(atom, d, span);
        }
    }

    fn binding(&mut self, binding: &Binding) {
        match binding {
            Binding::Let { var, expr, span } => {
                if let Some(d) = self.bars.remove(var) {
                    self.expression(*var, expr, d, *span);
                }
            }
            // ρ{f = λ}: each capture receives its part of f's record
            Binding::Functions { vars, group, captured, span, .. } => {
                for var in vars {
                    let Some(d) = self.bars.remove(var) else { continue };
                    for (label, atom) in group.captures.iter().zip(captured) {
                        self.add_expr(atom, Expr::Get(d.clone(), Field::Label(*label)), *span);
                    }
                }
            }
        }
    }

    fn expression(&mut self, var: Var, expr: &Expr, d: Atom, span: Span) {
        match expr {
            // ρ{x = y}: dy ⊕= dx
            Expr::Atom(a) | Expr::Check(a, _) => self.add(a, d, span),
            // ρ{x = f(y)}: (df, dy) ⊕= x̄(dx), the backpropagator of x (D2)
            Expr::Apply { f: a, x: b, .. } | Expr::Pull { b: a, d: b, .. } => self.application(var, a, b, d, span),
            // A T-image captures the function and the tangent of its captures.
            Expr::Tangent { f, d: tangent, .. } => {
                self.add_expr(f, Expr::Get(d.clone(), Field::Label(PRIMAL.into())), span);
                self.add_expr(tangent, Expr::Get(d, Field::Label(TANGENT.into())), span);
            }
            // The members of a group have the same captures.
            Expr::Get(a, Field::Member(_)) => self.add(a, d, span),
            Expr::Tuple(atoms) => self.parts(atoms, Field::Position, d, span),
            Expr::Variant(constructor, atoms) => self.parts(atoms, |i| Field::Payload(constructor.clone(), i), d, span),
            Expr::Array(atoms) => self.parts(atoms, |i| Field::Element(i, atoms.len() as u32), d, span),
            Expr::Record(fields) => {
                for (label, atom) in fields {
                    self.add_expr(atom, Expr::Get(d.clone(), Field::Label(*label)), span);
                }
            }
            Expr::Get(a, field) => self.add_expr(a, Expr::Inject(in_sensitivity(field), d), span),
            Expr::Inject(field, a) => self.add_expr(a, Expr::Get(d, field.clone()), span),
            Expr::With(record, label, value) => {
                self.add_expr(value, Expr::Get(d.clone(), Field::Label(*label)), span);
                self.add_expr(record, Expr::Omit(d, *label), span);
            }
            Expr::Omit(a, label) => self.add_expr(a, Expr::Omit(d, *label), span),
            Expr::Plus(a, b) => {
                self.add(a, d.clone(), span);
                self.add(b, d, span);
            }
            Expr::If(..) => {
                let back = self.back(var);
                let q = self.out.bind("q".into(), Expr::Pull { b: back, d, order: 0 }, span);
                for (i, free) in self.forward.free.of_branches(var).iter().enumerate() {
                    self.add_expr(&Atom::Var(*free), get(q.clone(), i as u32), span);
                }
            }
            // Booleans carry no sensitivity; a failure has no result.
            Expr::Is(..) | Expr::Fail(..) => {}
        }
    }

    fn application(&mut self, var: Var, a: &Atom, b: &Atom, d: Atom, span: Span) {
        if !matches!(a, Atom::Var(_)) && !matches!(b, Atom::Var(_)) {
            return;
        }
        let back = self.back(var);
        let q = self.out.bind("q".into(), Expr::Pull { b: back, d, order: 0 }, span);
        self.add_expr(a, get(q.clone(), 0), span);
        self.add_expr(b, get(q, 1), span);
    }

    fn parts(&mut self, atoms: &[Atom], field: impl Fn(u32) -> Field, d: Atom, span: Span) {
        for (i, atom) in atoms.iter().enumerate() {
            self.add_expr(atom, Expr::Get(d.clone(), field(i as u32)), span);
        }
    }

    /// The backpropagator of an application, captured from the forward half.
    fn back(&mut self, var: Var) -> Atom {
        let back = self.forward.backs[&var];
        self.used.insert(back);
        Atom::Var(self.captures[&back])
    }

    fn bar(&self, var: Var) -> Atom {
        self.bars.get(&var).cloned().unwrap_or(Atom::Const(Const::Zero))
    }

    fn outputs(&mut self, outputs: &Outputs, span: Span) -> Atom {
        let parts = match outputs {
            Outputs::Branch(free) => free.iter().map(|var| self.bar(*var)).collect(),
            Outputs::Function(group) => vec![self.captures_record(group, span), self.bar(Var(0))],
        };
        self.out.bind("result".into(), Expr::Tuple(parts), span)
    }

    /// The record over the captures; a use of a group member contributes a record over the same captures.
    fn captures_record(&mut self, group: &Group, span: Span) -> Atom {
        let fields = group.captures.iter().enumerate();
        let fields = fields.filter_map(|(i, label)| Some((*label, self.bars.get(&group.capture_var(i))?.clone())));
        let record = Expr::Record(fields.collect());
        let mut record = self.out.bind("captures".into(), record, span);
        for member in 0..group.members.len() {
            if let Some(bar) = self.bars.get(&group.member_var(member)).cloned() {
                record = self.out.bind("captures".into(), Expr::Plus(record, bar), span);
            }
        }
        record
    }
}

/// J of a function with a reverse rule: `x⃖ => let (y, b) = rule(J⁻¹ x⃖) in (J y, d => b(materialise(y, d)))`.
fn reverse_ruled(group: &Rc<Group>, index: usize, rule: &Rule) -> (Vec<Name>, Block) {
    let lambda = &group.members[index];
    let span = rule.span;
    let first_local = group.first_local().0 as usize;
    let mut out = Builder::new(lambda.vars[..first_local].to_vec());
    let Ruled { f, rule: rule_function } = ruled(&mut out, group, index, rule);
    let x = call(&mut out, Prim::JInv, vec![Atom::Var(Var(0))], span);
    let answer = out.bind("answer".into(), Expr::Apply { f: rule_function, x: x.clone(), order: 0 }, span);
    let answer = call(&mut out, Prim::RulePair, vec![f.clone(), answer], span);
    let y = out.bind("y".into(), get(answer.clone(), 0), span);
    let b = out.bind("b".into(), get(answer, 1), span);
    let lifted_y = call(&mut out, Prim::J, vec![y.clone()], span);

    let raw = out.fresh("raw".into());
    let code = Rc::new(match rule.kind {
        RuleKind::Forward => transposed_pushforward(lambda.name, span),
        RuleKind::Reverse | RuleKind::Transpose => ruled_backpropagator(lambda.name, span),
    });
    out.push(Binding::Functions { vars: vec![raw], group: code, lifted: 0, captured: vec![y, b, f, x], span });
    let pair = out.bind("pair".into(), Expr::Tuple(vec![lifted_y, Atom::Var(raw)]), span);
    let body = out.close(pair, span);
    (out.vars, body)
}

/// The function and its rule as plain values inside a J-image.
struct Ruled {
    f: Atom,
    rule: Atom,
}

/// The rule and everything it captures see plain values: J⁻¹ follows the links back to the primals.
fn ruled(out: &mut Builder, group: &Rc<Group>, index: usize, rule: &Rule) -> Ruled {
    let span = rule.span;
    let captures = (0..group.captures.len()).map(|i| Atom::Var(group.capture_var(i)));
    let plain: Vec<Atom> = captures.map(|capture| call(out, Prim::JInv, vec![capture], span)).collect();
    let members: Vec<Var> = group.members.iter().map(|m| out.fresh(m.name.unwrap_or("f".into()))).collect();
    let (vars, captured) = (members.clone(), plain.clone());
    out.push(Binding::Functions { vars, group: group.clone(), lifted: 0, captured, span });
    let f = Atom::Var(members[index]);
    let rule_var = out.fresh("rule".into());
    let captured = plain.into_iter().chain(members.into_iter().map(Atom::Var)).collect();
    out.push(Binding::Functions { vars: vec![rule_var], group: rule.code.clone(), lifted: 0, captured, span });
    Ruled { f, rule: Atom::Var(rule_var) }
}

/// J of a function that is linear in its argument and says how it transposes: captures are differentiated through
/// the primal, the argument's sensitivity is the rule's.
fn reverse_transposed(group: &Rc<Group>, index: usize, rule: &Rule) -> (Vec<Name>, Block) {
    let lambda = &group.members[index];
    let span = rule.span;
    let mut forward = Forward::new(lambda);
    forward.bindings(&lambda.body);
    let y = lift(&lambda.body.result);
    let through_primal = forward.backpropagator(&lambda.body, &Outputs::Function(group));
    let mut out = forward.out;
    let Ruled { f, rule } = ruled(&mut out, group, index, rule);
    let x = call(&mut out, Prim::JInv, vec![Atom::Var(Var(0))], span);
    let raw = out.fresh("raw".into());
    let code = Rc::new(transposing_backpropagator(lambda.name, span));
    let captured = vec![y.clone(), rule, f, x, through_primal];
    out.push(Binding::Functions { vars: vec![raw], group: code, lifted: 0, captured, span });
    let pair = out.bind("pair".into(), Expr::Tuple(vec![y, Atom::Var(raw)]), span);
    let body = out.close(pair, span);
    (out.vars, body)
}

/// `d => rule_result(f, x, b(materialise(y, d)))`
fn ruled_backpropagator(name: Option<Name>, span: Span) -> Group {
    backpropagator_of(name, &["y", "b", "f", "x"], span, |out, d, captures| {
        let [y, b, f, x] = captures else { unreachable!("reverse: four captures") };
        let d = call(out, Prim::Materialise, vec![y.clone(), d], span);
        let q = out.bind("q".into(), Expr::Apply { f: b.clone(), x: d, order: 0 }, span);
        call(out, Prim::RuleResult, vec![f.clone(), x.clone(), q], span)
    })
}

/// The transpose of a forward rule's linear part `push`, by its own derivative, which is the same everywhere:
/// `d => let (dx, df) = J(push)(any dx, any df).1(materialise(y, d)).1 in rule_result(f, x, (df, dx))`
fn transposed_pushforward(name: Option<Name>, span: Span) -> Group {
    backpropagator_of(name, &["y", "push", "f", "x"], span, |out, d, captures| {
        let [y, push, f, x] = captures else { unreachable!("reverse: four captures") };
        let d = call(out, Prim::Materialise, vec![y.clone(), d], span);
        let push = call(out, Prim::J, vec![push.clone()], span);
        let point = [x, f].map(|of| call(out, Prim::RandomLike, vec![of.clone(), Atom::Const(Const::Int(0))], span));
        let point = out.bind("point".into(), Expr::Tuple(point.to_vec()), span);
        let pair = out.bind("pair".into(), Expr::Apply { f: push, x: point, order: 0 }, span);
        let pull = out.bind("pull".into(), get(pair, 1), span);
        let q = out.bind("q".into(), Expr::Apply { f: pull, x: d, order: 0 }, span);
        let parts = out.bind("parts".into(), get(q, 1), span);
        let [dx, df] = [0, 1].map(|i| out.bind("d".into(), get(parts.clone(), i), span));
        let q = out.bind("q".into(), Expr::Tuple(vec![df, dx]), span);
        call(out, Prim::RuleResult, vec![f.clone(), x.clone(), q], span)
    })
}

/// `d => rule_result(f, x, (through_primal(d).0, transpose(materialise(y, d))))`
fn transposing_backpropagator(name: Option<Name>, span: Span) -> Group {
    backpropagator_of(name, &["y", "transpose", "f", "x", "through_primal"], span, |out, d, captures| {
        let [y, transpose, f, x, through_primal] = captures else { unreachable!("reverse: five captures") };
        let q = Expr::Pull { b: through_primal.clone(), d: d.clone(), order: 0 };
        let q = out.bind("q".into(), q, span);
        let df = out.bind("df".into(), get(q, 0), span);
        let d = call(out, Prim::Materialise, vec![y.clone(), d], span);
        let dx = out.bind("dx".into(), Expr::Apply { f: transpose.clone(), x: d, order: 0 }, span);
        let q = out.bind("q".into(), Expr::Tuple(vec![df, dx]), span);
        call(out, Prim::RuleResult, vec![f.clone(), x.clone(), q], span)
    })
}

/// A group of one backpropagator with these captures.
fn backpropagator_of(
    name: Option<Name>,
    captures: &[&str],
    span: Span,
    body: impl FnOnce(&mut Builder, Atom, &[Atom]) -> Atom,
) -> Group {
    let captures: Vec<Name> = captures.iter().copied().map(Name::new).collect();
    let names = [Name::new("d")].into_iter().chain(captures.iter().copied()).chain([Name::new("raw")]);
    let mut out = Builder::new(names.collect());
    let atoms: Vec<Atom> = (1..=captures.len() as u32).map(|i| Atom::Var(Var(i))).collect();
    let result = body(&mut out, Atom::Var(Var(0)), &atoms);
    let body = out.close(result, span);
    let role = Role::Backpropagator;
    let lambda = Lambda { name, role, span, vars: out.vars, body, rules: vec![], mentions: vec![] };
    Group { captures, members: vec![lambda], order: 0 }
}

pub fn call(out: &mut Builder, prim: Prim, mut args: Vec<Atom>, span: Span) -> Atom {
    let x = match args.len() {
        1 => args.remove(0),
        _ => out.bind("args".into(), Expr::Tuple(args), span),
    };
    let f = Atom::Root(Root::Prim(prim), 0);
    out.bind(Name::new(prim.name()), Expr::Apply { f, x, order: 0 }, span)
}

/// The variables that a block binds itself, in order, those of nested blocks excluded.
fn own_variables(block: &Block) -> impl Iterator<Item = Var> {
    block.bindings.iter().filter_map(|binding| match binding {
        Binding::Let { var, .. } => Some(*var),
        Binding::Functions { .. } => None,
    })
}
