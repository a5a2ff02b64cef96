//! The cube of the reciprocal of a root takes one division: `u·u·u` with `u = 1/√d` is `1/(d·√d)`.
//!
//! The gradient of an inverse distance, so every force between two bodies, is such a cube. This way it has one operation less, a shorter
//! way from d to the result and fewer roundings, so its last bits may differ. Only where nothing else reads u or its square, in one
//! block. Zeros, infinities and numbers that are too large or small give what they gave; of d = −0.0 the sign of the infinity
//! would change, so d must be something that is never −0.0, such as a sum of squares.

use first_order::{Atom, Block, Function, Op, Program, Scalar, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::rename::renumber;
use crate::walk::{blocks_mut, count_uses, each_op, has_blocks};

pub fn run(program: &mut Program) {
    program.functions.iter_mut().for_each(function);
}

fn function(function: &mut Function) {
    let mut roots = false;
    each_op(&function.body, &mut |_, op| roots |= matches!(op, Op::Scalar(Scalar::Sqrt, _)));
    if !roots {
        return;
    }
    let (uses, mut known) = (count_uses(function), FxHashMap::default());
    each_op(&function.body, &mut |var, op| {
        if let Op::Scalar(scalar, args) = op {
            known.insert(var, (*scalar, args.clone()));
        }
    });
    let mut cubes = Cubes { known, uses, vars: &mut function.vars };
    cubes.block(&mut function.body);
    renumber(function);
}

struct Cubes<'a> {
    known: FxHashMap<Var, (Scalar, Vec<Atom>)>,
    uses: Vec<u32>,
    vars: &'a mut Vec<Type>,
}

/// `sign / (d·√d)`
struct Cube {
    d: Atom,
    root: Atom,
    sign: f64,
}

impl Cubes<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.statements.len());
        let mut here = FxHashSet::default();
        for mut statement in std::mem::take(&mut block.statements) {
            if has_blocks(&statement.op) {
                crate::deep(|| blocks_mut(&mut statement.op, &mut |inner| self.block(inner)));
            }
            here.insert(statement.var);
            if let Some(Cube { d, root, sign }) = self.cube(&statement.op, &here) {
                let volume = Var(self.vars.len() as u32);
                self.vars.push(Type::Real);
                let product = Op::Scalar(Scalar::Mul, vec![d, root]);
                out.push(Statement { var: volume, op: product, span: statement.span });
                statement.op = Op::Scalar(Scalar::Div, vec![Atom::Real(sign), Atom::Var(volume)]);
            }
            out.push(statement);
        }
        block.statements = out;
    }

    fn op(&self, atom: &Atom) -> Option<(Scalar, &[Atom])> {
        let Atom::Var(var) = atom else { return None };
        self.known.get(var).map(|(scalar, args)| (*scalar, &args[..]))
    }

    fn read_once(&self, atom: &Atom) -> bool {
        matches!(atom, Atom::Var(var) if self.uses[var.0 as usize] == 1)
    }

    /// The operation as the cube of a reciprocal root that it alone reads.
    fn cube(&self, op: &Op, here: &FxHashSet<Var>) -> Option<Cube> {
        let Op::Scalar(Scalar::Mul, args) = op else { return None };
        let [(x, x_sign), (y, y_sign)] = [self.signed(&args[0]), self.signed(&args[1])];
        let (square, u) = [(x, y), (y, x)]
            .into_iter()
            .find(|(square, _)| self.read_once(square) && matches!(self.op(square), Some((Scalar::Mul, _))))?;
        let (_, factors) = self.op(square)?;
        let [(a, a_sign), (b, b_sign)] = [self.signed(&factors[0]), self.signed(&factors[1])];
        let (Some((Scalar::Div, [Atom::Real(one), root])), Atom::Var(var)) = (self.op(u), u) else { return None };
        let Some((Scalar::Sqrt, [d])) = self.op(root) else { return None };
        let alone = a == u && b == u && self.uses[var.0 as usize] == 3 && here.contains(var);
        let sign = x_sign * y_sign * a_sign * b_sign * one;
        (alone && one.abs() == 1.0 && self.is_never_minus_zero(d, 8)).then(|| Cube {
            d: d.clone(),
            root: root.clone(),
            sign,
        })
    }

    /// What is below a negation that nothing else reads, and the sign.
    fn signed<'b>(&'b self, atom: &'b Atom) -> (&'b Atom, f64) {
        match self.op(atom) {
            Some((Scalar::Neg, [x])) if self.read_once(atom) => (x, -1.0),
            _ => (atom, 1.0),
        }
    }

    fn is_never_minus_zero(&self, atom: &Atom, depth: u32) -> bool {
        match (self.op(atom), atom) {
            (_, Atom::Real(x)) => x.to_bits() != (-0.0f64).to_bits(),
            (Some((Scalar::Mul, [x, y])), _) => x == y,
            (Some((Scalar::Abs, _)), _) => true,
            (Some((Scalar::Add, [x, y])), _) if depth > 0 => {
                self.is_never_minus_zero(x, depth - 1) || self.is_never_minus_zero(y, depth - 1)
            }
            _ => false,
        }
    }
}
