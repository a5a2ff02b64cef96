//! Emitting bindings into the function at hand.

use base::{Name, Span};
use calculus::{Atom, Block, Const, Expr, Field, Prim, Root};

use crate::context::{Elaborator, UNNAMED, root};

impl Elaborator<'_> {
    /// Binds a temporary to the expression.
    pub fn bind(&mut self, expr: Expr, span: Span) -> Atom {
        self.frame().builder.bind(*UNNAMED, expr, span)
    }

    pub fn apply(&mut self, f: Atom, x: Atom, span: Span) -> Atom {
        self.bind(Expr::Apply { f, x, order: 0 }, span)
    }

    /// A primitive at its arguments.
    pub fn primitive(&mut self, prim: Prim, arguments: impl Into<Vec<Atom>>, span: Span) -> Atom {
        let argument = self.argument(arguments.into(), span);
        self.apply(root(Root::Prim(prim)), argument, span)
    }

    /// What a function is applied to: the argument itself, or the tuple of several or none.
    pub fn argument(&mut self, mut arguments: Vec<Atom>, span: Span) -> Atom {
        match arguments.len() {
            1 => arguments.remove(0),
            _ => self.tuple(arguments, span),
        }
    }

    pub fn tuple(&mut self, parts: Vec<Atom>, span: Span) -> Atom {
        let length = parts.len();
        if length == 0 {
            return UNIT;
        }
        let tuple = self.bind(Expr::Tuple(parts), span);
        if let Atom::Var(var) = tuple {
            self.frame().tuples.insert(var, length);
        }
        tuple
    }

    /// The length of a tuple that this very function has made.
    pub fn tuple_length(&mut self, value: &Atom) -> Option<usize> {
        match value {
            Atom::Var(var) => self.frame().tuples.get(var).copied(),
            Atom::Const(_) | Atom::Root(..) => None,
        }
    }

    /// One part of a value that a pattern takes apart.
    pub fn get(&mut self, value: Atom, field: Field, span: Span) -> Atom {
        match field {
            Field::Element(index, _) => self.primitive(Prim::Index, [value, int(index as i64)], span),
            field => self.bind(Expr::Get(value, field), span),
        }
    }

    /// `if condition { then } else { otherwise }`
    pub fn choose(
        &mut self,
        condition: Atom,
        span: Span,
        then: impl FnOnce(&mut Self) -> Atom,
        otherwise: impl FnOnce(&mut Self) -> Atom,
    ) -> Atom {
        let then = self.branch(span, then);
        let otherwise = self.branch(span, otherwise);
        self.bind(Expr::If(condition, Box::new(then), Box::new(otherwise)), span)
    }

    pub fn branch(&mut self, span: Span, code: impl FnOnce(&mut Self) -> Atom) -> Block {
        self.frame().builder.open();
        let result = self.scoped(span, code);
        self.frame().builder.close(result, span)
    }

    /// Calls a value by a name of the source: a fresh temporary takes the name, anything else gets a binding.
    pub fn name_value(&mut self, name: Name, value: Atom, span: Span) {
        let builder = &mut self.frame().builder;
        let var = match value {
            Atom::Var(var) if builder.vars.get(var.0 as usize) == Some(&*UNNAMED) => var,
            value => {
                let var = builder.fresh(name);
                builder.bind_to(var, Expr::Atom(value), span);
                var
            }
        };
        self.frame().builder.vars[var.0 as usize] = name;
        self.declare(name, var, span);
    }
}

pub(crate) fn int(value: i64) -> Atom {
    Atom::Const(Const::Int(value))
}

pub(crate) fn boolean(value: bool) -> Atom {
    Atom::Const(Const::Bool(value))
}

pub(crate) const UNIT: Atom = Atom::Const(Const::Unit);
