//! Expressions e, and the A-normal form that the transformation starts from.
//!
//! Every binder has its own number, so no pass ever renames. What the paper writes as `let` is `(λx e) e₁`; it is kept as a
//! node of its own, and so is the pair, because its meaning is one of the things that are switched.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::primitives::Primitive;

/// A variable with its tags, the outermost last. The order ≺ is that in which names first appear in a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Var {
    pub rank: u32,
    pub name: Rc<str>,
    /// 0 for what the text doesn't bind: primitives, numbers, definitions.
    pub binder: u32,
    pub tags: Vec<Tag>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tag {
    Reverse,
    Sensitivity,
    Backpropagator,
}

impl Var {
    pub fn tagged(&self, tag: Tag) -> Var {
        let mut tags = self.tags.clone();
        tags.push(tag);
        Var { tags, ..self.clone() }
    }

    pub fn is_global(&self) -> bool {
        self.binder == 0
    }

    /// The variable that this one is the reverse of.
    pub fn unreversed(&self) -> Option<Var> {
        let (last, rest) = self.tags.split_last()?;
        (*last == Tag::Reverse).then(|| Var { tags: rest.to_vec(), ..self.clone() })
    }

    /// How many of its tags, from the outside, are of reverse mode.
    pub fn reversals(&self) -> usize {
        self.tags.iter().rev().take_while(|tag| **tag == Tag::Reverse).count()
    }
}

impl std::fmt::Display for Var {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mark = |tag: &Tag| match tag {
            Tag::Reverse => '↼',
            Tag::Sensitivity => '↽',
            Tag::Backpropagator => '‾',
        };
        let marks: String = self.tags.iter().rev().map(mark).collect();
        write!(f, "{marks}{}", self.name.trim_end_matches('·'))
    }
}

#[derive(Clone, Debug)]
pub enum Expr {
    Var(Var),
    Apply(Rc<Expr>, Rc<Expr>),
    /// In derived code: a backpropagator at a sensitivity, under so many Js. It isn't run at a symbolic zero (D18).
    Pull(Rc<Expr>, Rc<Expr>, usize),
    Pair(Rc<Expr>, Rc<Expr>),
    Lambda(Rc<Lambda>),
    Let(Var, Rc<Expr>, Rc<Expr>),
}

#[derive(Debug)]
pub struct Lambda {
    pub param: Var,
    pub body: Expr,
    pub origin: Origin,
    /// F, in the order ≺.
    pub free: BTreeSet<Var>,
}

/// Where the code of a λ comes from: J⁻¹ and B need to know.
#[derive(Clone, Debug)]
pub enum Origin {
    Written,
    ReverseOf(Rc<Lambda>),
    ReverseOfPrimitive(Primitive),
}

impl Lambda {
    pub fn new(param: Var, body: Expr, origin: Origin) -> Rc<Lambda> {
        let mut free = BTreeSet::new();
        collect_free(&body, &mut free);
        free.remove(&param);
        Rc::new(Lambda { param, body, origin, free })
    }
}

/// F, for expressions whose binders all differ: a name that is bound inside is taken out after its scope was read.
fn collect_free(expr: &Expr, free: &mut BTreeSet<Var>) {
    match expr {
        Expr::Var(var) => drop(free.insert(var.clone())),
        Expr::Apply(f, x) | Expr::Pull(f, x, _) | Expr::Pair(f, x) => {
            collect_free(f, free);
            collect_free(x, free);
        }
        Expr::Lambda(lambda) => free.extend(lambda.free.iter().cloned()),
        Expr::Let(var, value, body) => {
            collect_free(body, free);
            free.remove(var);
            collect_free(value, free);
        }
    }
}

pub fn var(var: &Var) -> Expr {
    Expr::Var(var.clone())
}

pub fn apply(f: Expr, x: Expr) -> Expr {
    Expr::Apply(Rc::new(f), Rc::new(x))
}

pub fn pair(first: Expr, second: Expr) -> Expr {
    Expr::Pair(Rc::new(first), Rc::new(second))
}

/// `let x₁ ≜ e₁ in … e`
pub fn lets(bindings: Vec<(Var, Expr)>, body: Expr) -> Expr {
    bindings.into_iter().rev().fold(body, |body, (var, value)| Expr::Let(var, Rc::new(value), Rc::new(body)))
}

/// One binding of an A-normal form.
pub enum Simple {
    Var(Var),
    Apply(Var, Var),
    Pull(Var, Var, usize),
    Pair(Var, Var),
    Lambda(Rc<Lambda>),
}

/// `let x₁ ≜ e₁ in … let xₙ ≜ eₙ in xₙ`; there is always an xₙ.
///
/// `cons` is there where a pair (e₁, e₂) is an encoded one, Cons e₁ e₂.
pub fn a_normal(body: &Expr, cons: Option<Var>, fresh: &mut dyn FnMut(&str) -> Var) -> Vec<(Var, Simple)> {
    let mut flat = Flat { bindings: vec![], cons, fresh };
    let result = flat.name(body);
    if flat.bindings.last().is_none_or(|(last, _)| *last != result) {
        let last = (flat.fresh)("t");
        flat.bindings.push((last, Simple::Var(result)));
    }
    flat.bindings
}

struct Flat<'a> {
    bindings: Vec<(Var, Simple)>,
    cons: Option<Var>,
    fresh: &'a mut dyn FnMut(&str) -> Var,
}

impl Flat<'_> {
    /// A variable that has the value of `expr`.
    fn name(&mut self, expr: &Expr) -> Var {
        match expr {
            Expr::Var(var) => var.clone(),
            Expr::Let(var, value, body) => {
                self.bind(var, value);
                self.name(body)
            }
            _ => {
                let simple = self.simple(expr);
                let var = (self.fresh)("t");
                self.bindings.push((var.clone(), simple));
                var
            }
        }
    }

    fn bind(&mut self, var: &Var, expr: &Expr) {
        let simple = match expr {
            Expr::Var(value) => Simple::Var(value.clone()),
            Expr::Let(..) => Simple::Var(self.name(expr)),
            _ => self.simple(expr),
        };
        self.bindings.push((var.clone(), simple));
    }

    fn simple(&mut self, expr: &Expr) -> Simple {
        match expr {
            Expr::Apply(f, x) => Simple::Apply(self.name(f), self.name(x)),
            Expr::Pull(f, x, order) => Simple::Pull(self.name(f), self.name(x), *order),
            Expr::Pair(first, second) => match self.cons.clone() {
                Some(cons) => Simple::Apply(self.name(&apply(Expr::Var(cons), (**first).clone())), self.name(second)),
                None => Simple::Pair(self.name(first), self.name(second)),
            },
            Expr::Lambda(lambda) => Simple::Lambda(lambda.clone()),
            Expr::Var(_) | Expr::Let(..) => Simple::Var(self.name(expr)),
        }
    }
}
