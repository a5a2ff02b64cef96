//! Formulas that are right on paper and lose digits, overflow or have no derivative in floating point: a warning names the function of the
//! library that does it well.
//!
//! In: an elaborated module. Out: warnings. Only primitives are looked at, so a program's own `log` is none; a function with a rule is left alone,
//! as its author has thought of it; so is `exp` of a difference under a sum, which is shifted already.

use base::{Code, Diagnostic, Span, codes};
use calculus::{Atom, Binding, Block, Const, Expr, Group, Module, Prim, Root, Var};
use rustc_hash::FxHashMap;

/// `sum` is what the name means in the library.
pub(crate) fn warnings(module: &Module, sum: Option<Root>) -> Vec<Diagnostic> {
    let mut found = vec![];
    let functions = module.functions.iter().map(|(_, group)| group);
    functions.chain(module.steps.iter().map(|step| &step.code)).for_each(|group| in_group(group, sum, &mut found));
    found
}

fn in_group(group: &Group, sum: Option<Root>, found: &mut Vec<Diagnostic>) {
    for lambda in group.members.iter().filter(|lambda| lambda.rules.is_empty()) {
        let mut seen = Seen { sum, values: FxHashMap::default(), results: FxHashMap::default(), found };
        seen.block(&lambda.body);
    }
}

/// What the variables of a function are.
struct Seen<'a> {
    sum: Option<Root>,
    values: FxHashMap<Var, &'a Expr>,
    /// What local functions give.
    results: FxHashMap<Var, &'a Block>,
    found: &'a mut Vec<Diagnostic>,
}

impl<'a> Seen<'a> {
    fn block(&mut self, block: &'a Block) {
        crate::deep(|| {
            for binding in &block.bindings {
                match binding {
                    Binding::Let { var, expr, span } => {
                        if let Expr::If(_, then, otherwise) = expr {
                            self.block(then);
                            self.block(otherwise);
                        }
                        self.values.insert(*var, expr);
                        self.found.extend(self.trap(expr, *span));
                    }
                    Binding::Functions { group, vars, .. } => {
                        in_group(group, self.sum, self.found);
                        let results = vars.iter().zip(&group.members).map(|(var, member)| (*var, &member.body));
                        self.results.extend(results);
                    }
                }
            }
        })
    }

    /// The arguments of a primitive.
    fn of(&self, expr: &'a Expr, prim: Prim) -> Option<Vec<&'a Atom>> {
        let Expr::Apply { f: Atom::Root(Root::Prim(called), 0), x, .. } = expr else { return None };
        if *called != prim {
            return None;
        }
        match (prim.arity(), x) {
            (1, x) => Some(vec![x]),
            (_, Atom::Var(var)) => match self.values.get(var)? {
                Expr::Tuple(atoms) => Some(atoms.iter().collect()),
                _ => None,
            },
            _ => None,
        }
    }

    fn argument(&self, atom: &Atom, prim: Prim) -> Option<Vec<&'a Atom>> {
        let Atom::Var(var) = atom else { return None };
        self.of(self.values.get(var).copied()?, prim)
    }

    /// The array of which it is the sum.
    fn summed(&self, atom: &Atom) -> Option<&'a Atom> {
        let Atom::Var(var) = atom else { return None };
        match self.values.get(var)? {
            Expr::Apply { f: Atom::Root(f, 0), x, .. } if *f == Root::Prim(Prim::Sum) || Some(*f) == self.sum => {
                Some(x)
            }
            _ => None,
        }
    }

    fn trap(&self, expr: &'a Expr, span: Span) -> Option<Diagnostic> {
        self.logarithm(expr, span)
            .or_else(|| self.difference(expr, span))
            .or_else(|| self.root(expr, span))
            .or_else(|| self.quotient(expr, span))
    }

    /// `log(1 + x)`, `log(1 + exp(x))`, `log(sum(exp(xs)))`
    fn logarithm(&self, expr: &'a Expr, span: Span) -> Option<Diagnostic> {
        let [x] = self.of(expr, Prim::Log)?[..] else { return None };
        if let Some(terms) = self.argument(x, Prim::Add) {
            let [a, b] = terms[..] else { return None };
            let other = if is_one(a) {
                b
            } else if is_one(b) {
                a
            } else {
                return None;
            };
            if self.argument(other, Prim::Exp).is_some_and(|x| matches!(x[0], Atom::Var(_))) {
                let why = "for large x it overflows, for small x it loses all digits";
                return Some(warning(codes::UNSTABLE_FORMULA, span, "this is `log1pexp(x)`", why, "log1pexp(x)"));
            }
            if self.is_plain(other) {
                let why = "near 0 the sum loses the digits of x";
                return Some(warning(codes::UNSTABLE_FORMULA, span, "this is `log1p(x)`", why, "log1p(x)"));
            }
            return None;
        }
        let summed = self.summed(x)?;
        if self.is_unshifted_exp(summed) {
            let why = "for large elements it overflows, and its derivative is nan";
            return Some(warning(codes::UNSTABLE_FORMULA, span, "this is `logsumexp(xs)`", why, "logsumexp(xs)"));
        }
        None
    }

    /// A variable, or a power, product or negative: likely to be small at times. What a call gives may count something.
    fn is_plain(&self, atom: &Atom) -> bool {
        let Atom::Var(var) = atom else { return false };
        let small = [Prim::Mul, Prim::Pow, Prim::Neg];
        match self.values.get(var) {
            None => true,
            Some(expr) => small.into_iter().any(|prim| self.of(expr, prim).is_some()),
        }
    }

    /// `exp(xs)`, or the array of `exp(x)`, where nothing was taken away from x before.
    fn is_unshifted_exp(&self, atom: &Atom) -> bool {
        let Atom::Var(var) = atom else { return false };
        let Some(expr) = self.values.get(var) else { return false };
        if let Some(x) = self.of(expr, Prim::Exp) {
            return self.argument(x[0], Prim::Sub).is_none();
        }
        let Some(made) = self.of(expr, Prim::Tabulate) else { return false };
        let [_, Atom::Var(f)] = made[..] else { return false };
        let Some(body) = self.results.get(f) else { return false };
        let mut inner =
            Seen { sum: self.sum, values: FxHashMap::default(), results: FxHashMap::default(), found: &mut vec![] };
        for binding in &body.bindings {
            if let Binding::Let { var, expr, .. } = binding {
                inner.values.insert(*var, expr);
            }
        }
        inner.is_unshifted_exp(&body.result)
    }

    /// `exp(x) - 1`
    fn difference(&self, expr: &'a Expr, span: Span) -> Option<Diagnostic> {
        let [a, b] = self.of(expr, Prim::Sub)?[..] else { return None };
        (is_one(b) && self.argument(a, Prim::Exp).is_some_and(|x| matches!(x[0], Atom::Var(_)))).then(|| {
            let why = "near 0 the difference loses the digits of x";
            warning(codes::UNSTABLE_FORMULA, span, "this is `expm1(x)`", why, "expm1(x)")
        })
    }

    /// `sqrt(sum(x^2))`, `sqrt(sum(x * x))`, `sqrt(x @ x)`
    fn root(&self, expr: &'a Expr, span: Span) -> Option<Diagnostic> {
        let [x] = self.of(expr, Prim::Sqrt)?[..] else { return None };
        let squares = self.summed(x).is_some_and(|summed| {
            let power = self.argument(summed, Prim::Pow).is_some_and(|power| is_number(power[1], 2.0));
            let product = self.argument(summed, Prim::Mul).is_some_and(|product| product[0] == product[1]);
            power || product
        });
        let product = self.argument(x, Prim::MatMul).is_some_and(|product| product[0] == product[1]);
        (squares || product).then(|| {
            let why = "where all are 0 its derivative is nan; that of `norm` is 0 there";
            warning(codes::SINGULAR_SLOPE, span, "this is `norm(xs)`", why, "norm(xs)")
        })
    }

    /// `x / x`
    fn quotient(&self, expr: &'a Expr, span: Span) -> Option<Diagnostic> {
        let [a, b] = self.of(expr, Prim::Div)?[..] else { return None };
        (a == b && matches!(a, Atom::Var(_))).then(|| {
            let why = "where it is 0, the value and the derivative are nan";
            warning(codes::SINGULAR_SLOPE, span, "a value divided by itself", why, "1.0")
        })
    }
}

fn is_one(atom: &Atom) -> bool {
    is_number(atom, 1.0)
}

fn is_number(atom: &Atom, number: f64) -> bool {
    match atom {
        Atom::Const(Const::Int(i)) => *i as f64 == number,
        Atom::Const(Const::Real(x)) => *x == number,
        _ => false,
    }
}

fn warning(code: Code, span: Span, what: &str, why: &str, instead: &str) -> Diagnostic {
    Diagnostic::new(code, span, what).note(why).help(format!("write `{instead}`"))
}
