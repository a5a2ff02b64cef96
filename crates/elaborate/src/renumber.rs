//! From provisional to final variables of one function.

use calculus::{Atom, Binding, Block, Expr, Var};

use crate::context::OUTSIDE;
use crate::deep;

/// Variables from outside become `outside[k]`; what the body binds moves up by `shift` to make room for them.
pub(crate) fn renumber(block: &mut Block, outside: &[Var], shift: u32) {
    Numbers { outside, shift }.block(block);
}

struct Numbers<'a> {
    outside: &'a [Var],
    shift: u32,
}

impl Numbers<'_> {
    fn var(&self, var: &mut Var) {
        *var = match var.0 {
            0 => Var(0),
            number if number >= OUTSIDE => self.outside[(number - OUTSIDE) as usize],
            number => Var(number + self.shift),
        }
    }

    fn atom(&self, atom: &mut Atom) {
        if let Atom::Var(var) = atom {
            self.var(var);
        }
    }

    fn atoms<'b>(&self, atoms: impl IntoIterator<Item = &'b mut Atom>) {
        atoms.into_iter().for_each(|atom| self.atom(atom));
    }

    fn block(&self, block: &mut Block) {
        deep(|| {
            block.bindings.iter_mut().for_each(|binding| self.binding(binding));
            self.atom(&mut block.result);
        })
    }

    fn binding(&self, binding: &mut Binding) {
        match binding {
            Binding::Let { var, expr, .. } => {
                self.var(var);
                self.expr(expr);
            }
            Binding::Functions { vars, captured, .. } => {
                vars.iter_mut().for_each(|var| self.var(var));
                self.atoms(captured);
            }
        }
    }

    fn expr(&self, expr: &mut Expr) {
        match expr {
            Expr::Atom(a) | Expr::Get(a, _) | Expr::Inject(_, a) | Expr::Omit(a, _) => self.atom(a),
            Expr::Is(a, _) | Expr::Check(a, _) => self.atom(a),
            Expr::Apply { f: a, x: b, .. } | Expr::Pull { b: a, d: b, .. } | Expr::Tangent { f: a, d: b, .. } => {
                self.atoms([a, b])
            }
            Expr::With(a, _, b) | Expr::Plus(a, b) => self.atoms([a, b]),
            Expr::Tuple(atoms) | Expr::Variant(_, atoms) | Expr::Array(atoms) | Expr::Fail(_, atoms) => {
                self.atoms(atoms)
            }
            Expr::Record(fields) => self.atoms(fields.iter_mut().map(|(_, atom)| atom)),
            Expr::If(condition, then, otherwise) => {
                self.atom(condition);
                self.block(then);
                self.block(otherwise);
            }
        }
    }
}
