//! Fused products: `a·b + c` rounded once. In: an L3 function. Out: which products become part of the one sum or difference of their
//! block that uses them.
//!
//! The rule looks at the program alone, so the bits of a result don't depend on lanes, tiers or what LLVM thinks of it. A sum of two
//! products is left as it is unless both are squares, or one is exact (by a power of two, `x + x` included): of `a·b - c·d` exactly zero
//! remains where the products are equal, which one rounding less would undo. So are products that anything else also reads, and those
//! of an outer block, which a loop would repeat.

use first_order::{Atom, Block, End, Function, Op, Scalar, Var};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(super) struct Fused {
    sums: FxHashMap<Var, Sum>,
    /// The products that are no statements any more.
    products: FxHashSet<Var>,
}

/// `a·b + c`, `a·b - c` or `c - a·b`.
#[derive(Clone)]
pub(super) struct Sum {
    pub(super) factors: [Atom; 2],
    pub(super) other: Atom,
    pub(super) minus_product: bool,
    pub(super) minus_other: bool,
}

impl Fused {
    pub(super) fn new(function: &Function) -> Fused {
        let mut uses = vec![0; function.vars.len()];
        count(&function.body, &mut uses);
        let mut fused = Fused::default();
        fused.block(&function.body, &uses);
        fused
    }

    /// Is it computed by the sum that uses it?
    pub(super) fn is_absorbed(&self, product: Var) -> bool {
        self.products.contains(&product)
    }

    pub(super) fn sum(&self, var: Var) -> Option<&Sum> {
        self.sums.get(&var)
    }

    fn block(&mut self, block: &Block, uses: &[u32]) {
        let mut here: FxHashMap<Var, [Atom; 2]> = FxHashMap::default();
        for statement in &block.statements {
            match &statement.op {
                Op::Scalar(Scalar::Mul, factors) => {
                    here.insert(statement.var, [factors[0].clone(), factors[1].clone()]);
                }
                Op::Scalar(Scalar::Add, terms) if terms[0] == terms[1] => {
                    here.insert(statement.var, [Atom::Real(2.0), terms[0].clone()]);
                }
                Op::Scalar(sum @ (Scalar::Add | Scalar::Sub), terms) => {
                    self.add(statement.var, *sum, terms, &here, uses)
                }
                op => stacker::maybe_grow(64 << 10, 1 << 20, || op.blocks(&mut |_, inner| self.block(inner, uses))),
            }
        }
    }

    fn add(&mut self, var: Var, sum: Scalar, terms: &[Atom], here: &FxHashMap<Var, [Atom; 2]>, uses: &[u32]) {
        let product = |term: &Atom| match term {
            Atom::Var(var) => here.get_key_value(var),
            _ => None,
        };
        // To add 0.0 makes 0.0 of −0.0: a product that is too small for a real must be rounded before.
        if terms.contains(&Atom::Real(0.0)) {
            return;
        }
        let products = [product(&terms[0]), product(&terms[1])];
        let may_cancel = match products {
            [Some((_, [a, b])), Some((_, [c, d]))] => !(sum == Scalar::Add && a == b && c == d),
            _ => false,
        };
        let fits = |at: &usize| {
            let factors = products[*at].filter(|(var, _)| uses[var.0 as usize] == 1);
            factors.is_some_and(|(_, factors)| !may_cancel || factors.iter().any(is_power_of_two))
        };
        let Some(at) = [1, 0].into_iter().find(fits) else { return };
        let Some((product, factors)) = products[at] else { return };
        let (other, difference) = (terms[1 - at].clone(), sum == Scalar::Sub);
        let (minus_product, minus_other) = (difference && at == 1, difference && at == 0);
        self.products.insert(*product);
        self.sums.insert(var, Sum { factors: factors.clone(), other, minus_product, minus_other });
    }
}

/// Is a product by it exact?
fn is_power_of_two(atom: &Atom) -> bool {
    matches!(atom, Atom::Real(x) if x.is_normal() && x.to_bits().trailing_zeros() >= 52)
}

/// How often each variable is read.
fn count(block: &Block, uses: &mut [u32]) {
    let mut read = |atom: &Atom| {
        if let Atom::Var(var) = atom {
            uses[var.0 as usize] += 1;
        }
    };
    match &block.end {
        End::Yield(atom) => read(atom),
        End::Again(atoms) => atoms.iter().for_each(&mut read),
        End::Never => {}
    }
    for statement in &block.statements {
        statement.op.atoms(&mut |atom| read(atom));
    }
    for statement in &block.statements {
        stacker::maybe_grow(64 << 10, 1 << 20, || statement.op.blocks(&mut |_, inner| count(inner, uses)));
    }
}
