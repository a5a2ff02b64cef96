//! Sensitivities of arrays of reals that are spread out anyway become arrays in which −0.0 is the symbolic zero.
//!
//! In: primitives on handles whose shapes say that elements are reals or symbolic zeros. Out: `dense`, arithmetic on elements, `collected`. A
//! `collected` array that is made `dense` again is itself, so a chain of them is one loop like other arithmetic.
//!
//! A sensitivity that nobody spreads out yet may be a few numbers of a large array: it stays a handle. Spread out are the operands of
//! those primitives that look at all elements, in the same block or one around it, and what is made here; a sum becomes
//! arithmetic if both of its operands are.
//!
//! What is made of elements one by one, and the other way round: see [`elements`].
//!
//! A hole times anything is a hole, a product is none even where it is zero; −0.0 + x = x is what ⊕ does, so a sum is an addition.

mod elements;

use base::codes;
use calculus::Prim;
use first_order::{Alternative, Atom, Block, Head, Op, Scalar, Shape, ShapeId, Type, Var};

use rustc_hash::FxHashSet;

use super::{ElementType, Operand, Writer};
use crate::rewriting::walk::each_op;

/// Sensitivities of arrays with more axes are the evaluator's.
const MOST_AXES: u32 = 8;
/// The symbolic zero as an element.
const HOLE: f64 = -0.0;

impl Writer<'_> {
    /// Notes the sensitivities that the primitives of a block spread out; those that weren't noted before.
    pub(super) fn spread_out(&mut self, block: &Block) -> Vec<Var> {
        let mut new = vec![];
        for statement in &block.statements {
            let Op::Prim { prim, args, shapes, .. } = &statement.op else { continue };
            let looks = match prim {
                Prim::Scale
                | Prim::Keep
                | Prim::Unbroadcast
                | Prim::Reshape
                | Prim::Transpose
                | Prim::Reversed
                | Prim::Concat
                | Prim::MatMul
                | Prim::Sum => &args[..],
                Prim::Index => &args[..1],
                // A part that is placed is spread out by itself.
                Prim::Place => &args[2..],
                _ => &[],
            };
            for (arg, shape) in args.iter().zip(shapes) {
                if let Atom::Var(var) = arg
                    && looks.contains(arg)
                    && self.collected(*shape).is_some()
                    && self.dense.insert(*var)
                {
                    new.push(*var);
                }
            }
        }
        new
    }

    /// The rank of a sensitivity of an array of reals that is being collected.
    fn collected(&self, shape: ShapeId) -> Option<u32> {
        self.collected_as(self.only(shape)?)
    }

    fn collected_as(&self, one: &Alternative) -> Option<u32> {
        let Alternative { head: Head::Handle(rank @ 1..=MOST_AXES), parts } = one else { return None };
        let element = self.shapes.get(parts[0]);
        let is = |head: &Head| element.alternatives.iter().any(|one| one.head == *head);
        let reals = element.named.is_none() && is(&Head::Real);
        let count = 1 + usize::from(is(&Head::Zero));
        (reals && element.alternatives.len() == count).then_some(*rank)
    }

    fn is_dense(&self, arg: &Atom, shape: ShapeId) -> bool {
        match arg {
            Atom::Var(var) if self.collected(shape).is_some() => self.dense.contains(var) || self.made.contains(var),
            _ => self.operand(shape).is_some(),
        }
    }

    /// Is it an array that nothing is added to while a part of it is still read?
    fn is_looked_at(&self, arg: &Atom) -> bool {
        matches!(arg, Atom::Var(var) if self.made.contains(var) || !self.added.contains(var))
    }

    fn is_made(&self, arg: &Atom) -> bool {
        matches!(arg, Atom::Var(var) if self.made.contains(var))
    }

    /// The operation instead of a primitive on sensitivities; what it needs before is written.
    pub(super) fn sensitivity(&mut self, prim: Prim, args: &[Atom], shapes: &[ShapeId], result: ShapeId) -> Option<Op> {
        let holes: Vec<bool> = shapes.iter().map(|shape| self.collected(*shape).is_some()).collect();
        match prim {
            Prim::Materialise if self.only(shapes[0]).is_some_and(|one| one.head == Head::Zero) => {
                return self.numbers(&args[1], shapes[1], result);
            }
            Prim::Unspread if let Some(made) = self.numbers(&args[0], shapes[0], result) => return Some(made),
            Prim::Unspread if let Some(made) = self.stacked(&args[0], shapes[0], result) => return Some(made),
            Prim::Unspread if let Some(made) = self.together(&args[0], shapes[0], result) => return Some(made),
            Prim::Unspread => return self.stacked_with_zeros(&args[0], shapes[0], result),
            Prim::Spread => return self.one_by_one(args, shapes, result),
            _ => {}
        }
        if !holes.contains(&true) {
            return None;
        }
        match prim {
            Prim::Scale => self.scaled(args, shapes, &holes, result),
            Prim::Keep => self.kept(args, shapes, &holes, result),
            Prim::Plus => self.added(args, shapes, &holes, result),
            Prim::Index | Prim::Part if self.is_looked_at(&args[0]) => {
                self.rearranged(prim, args, shapes, result).or_else(|| self.element_of(prim, args, shapes, result))
            }
            Prim::Materialise if self.is_made(&args[1]) => self.full(args, shapes, result),
            Prim::MatMul | Prim::Sum => self.plain(prim, args, shapes, result),
            Prim::Unbroadcast if self.operand(shapes[0]) == Some(Operand::reals(0)) => {
                self.plain(Prim::Sum, &args[1..], &shapes[1..], result)
            }
            Prim::Reshape | Prim::Transpose | Prim::Reversed if self.is_made(&args[0]) => {
                self.rearranged(prim, args, shapes, result)
            }
            _ => None,
        }
    }

    /// The operands as arrays and scalars; nothing if they are of different ranks.
    fn operands(&self, shapes: &[ShapeId], result: ShapeId) -> Option<(Vec<Operand>, u32)> {
        let of = |shape: ShapeId| match self.collected(shape) {
            Some(rank) => Some(Operand::reals(rank)),
            None => self.operand(shape).filter(|operand| operand.of != ElementType::Bool),
        };
        let operands = shapes.iter().map(|shape| of(*shape)).collect::<Option<Vec<Operand>>>()?;
        let rank = of(result)?.rank;
        operands.iter().all(|operand| operand.rank == 0 || operand.rank == rank).then_some((operands, rank))
    }

    /// The operands with sensitivities as arrays.
    fn spread(&mut self, args: &[Atom], shapes: &[ShapeId]) -> Vec<Atom> {
        let mut spread = vec![];
        for (arg, shape) in args.iter().zip(shapes) {
            spread.push(match self.collected(*shape) {
                Some(rank) => self.bind(reals(rank), Op::Dense(arg.clone())),
                None => arg.clone(),
            });
        }
        spread
    }

    /// An operation on sensitivities, element by element.
    fn by_element(
        &mut self,
        args: &[Atom],
        shapes: &[ShapeId],
        result: ShapeId,
        make: impl FnOnce(&mut Self, Vec<Atom>) -> Atom,
    ) -> Option<Op> {
        let (operands, rank) = self.operands(shapes, result)?;
        let args = self.spread(args, shapes);
        let made = self.over(&args, &operands, ElementType::Real, ElementType::Real, codes::NOT_CONFORMING, make);
        Some(self.given(made, rank, result))
    }

    /// An array as the result: a handle, if that is what it is to be.
    fn given(&mut self, made: Op, rank: u32, result: ShapeId) -> Op {
        if self.collected(result).is_none() {
            return made;
        }
        Op::Collected(self.bind(reals(rank), made))
    }

    /// A number, and no −0.0.
    fn number(&mut self, x: Atom) -> Atom {
        self.scalar(Scalar::Add, vec![x, Atom::Real(0.0)])
    }

    /// d·g; a hole stays one, and a factor that is one makes one.
    fn scaled(&mut self, args: &[Atom], shapes: &[ShapeId], holes: &[bool], result: ShapeId) -> Option<Op> {
        if holes.contains(&true) != self.collected(result).is_some() {
            return None;
        }
        let holes = holes.to_vec();
        self.by_element(args, shapes, result, |this, elements| {
            let product = this.scalar(Scalar::Mul, elements.clone());
            let mut product = this.number(product);
            for (factor, holed) in elements.into_iter().zip(holes) {
                if holed {
                    let hole = this.scalar(Scalar::IsHole, vec![factor.clone()]);
                    product = this.scalar(Scalar::Select, vec![hole, factor, product]);
                }
            }
            product
        })
    }

    /// d where the mask isn't 0, and a hole elsewhere.
    fn kept(&mut self, args: &[Atom], shapes: &[ShapeId], holes: &[bool], result: ShapeId) -> Option<Op> {
        self.collected(result)?;
        let holed = holes[1];
        self.by_element(args, shapes, result, |this, elements| {
            let [mask, d] = [0, 1].map(|at| elements[at].clone());
            let d = if holed { d } else { this.number(d) };
            let vanishes = this.scalar(Scalar::Eq, vec![mask, Atom::Real(0.0)]);
            this.scalar(Scalar::Select, vec![vanishes, Atom::Real(HOLE), d])
        })
    }

    /// a ⊕ b
    fn added(&mut self, args: &[Atom], shapes: &[ShapeId], holes: &[bool], result: ShapeId) -> Option<Op> {
        self.collected(result)?;
        if !args.iter().zip(shapes).all(|(arg, shape)| self.is_dense(arg, *shape)) {
            return None;
        }
        let holes = holes.to_vec();
        self.by_element(args, shapes, result, |this, elements| {
            let terms = elements.into_iter().zip(holes);
            let terms = terms.map(|(x, holed)| if holed { x } else { this.number(x) }).collect();
            this.scalar(Scalar::Add, terms)
        })
    }

    /// An array of numbers as a sensitivity.
    fn numbers(&mut self, array: &Atom, shape: ShapeId, result: ShapeId) -> Option<Op> {
        let rank = self.collected(result)?;
        if self.operand(shape)? != Operand::reals(rank) {
            return None;
        }
        self.by_element(std::slice::from_ref(array), &[shape], result, |this, elements| {
            this.number(elements[0].clone())
        })
    }

    /// A sensitivity in the full shape of an array: holes are zeros.
    fn full(&mut self, args: &[Atom], shapes: &[ShapeId], result: ShapeId) -> Option<Op> {
        let rank = self.collected(shapes[1])?;
        if self.operand(result)? != Operand::reals(rank) || self.operand(shapes[0])? != Operand::reals(rank) {
            return None;
        }
        self.by_element(args, shapes, result, |this, elements| this.number(elements[1].clone()))
    }

    /// A primitive whose result has no holes, on arrays.
    fn plain(&mut self, prim: Prim, args: &[Atom], shapes: &[ShapeId], result: ShapeId) -> Option<Op> {
        self.operand(result).filter(|operand| operand.of == ElementType::Real)?;
        let args = self.spread(args, shapes);
        let shapes: Vec<ShapeId> = shapes.iter().map(|shape| self.as_array(*shape)).collect();
        let written = self.primitive(prim, &args, &shapes, result);
        Some(written.unwrap_or(Op::Prim { prim, args, shapes, result }))
    }

    /// The shape of an array, if it is that of a sensitivity.
    fn as_array(&mut self, shape: ShapeId) -> ShapeId {
        match self.collected(shape) {
            Some(rank) => self.shape_of_reals(rank),
            None => shape,
        }
    }

    /// The primitive on an array: it only moves elements.
    fn rearranged(&mut self, prim: Prim, args: &[Atom], shapes: &[ShapeId], result: ShapeId) -> Option<Op> {
        let (from, to) = (self.collected(shapes[0])?, self.collected(result)?);
        if shapes[1..].iter().any(|shape| self.collected(*shape).is_some()) {
            return None;
        }
        let args = self.spread(args, shapes);
        let shapes = [self.shape_of_reals(from)].into_iter().chain(shapes[1..].iter().copied()).collect();
        let made = Op::Prim { prim, args, shapes, result: self.shape_of_reals(to) };
        Some(self.given(made, to, result))
    }

    /// The shape of arrays of reals of this rank.
    fn shape_of_reals(&mut self, rank: u32) -> ShapeId {
        let real = self.shape(Alternative { head: Head::Real, parts: vec![] });
        self.shape(Alternative { head: Head::Array(rank), parts: vec![real] })
    }

    /// The shape with this one alternative.
    fn shape(&mut self, one: Alternative) -> ShapeId {
        let shape = Shape { alternatives: vec![one], named: None };
        let at = self.shapes.0.iter().position(|known| *known == shape).unwrap_or_else(|| {
            self.shapes.0.push(shape);
            self.shapes.0.len() - 1
        });
        ShapeId(at as u32)
    }
}

fn reals(rank: u32) -> Type {
    Type::Array(Type::Real.into(), rank)
}

/// Sensitivities that something is added to, or that are erased in part.
pub(super) fn added(body: &Block) -> FxHashSet<Var> {
    let mut added = FxHashSet::default();
    each_op(body, &mut |_, op| {
        if let Op::Prim { prim: Prim::Plus | Prim::Erase, args, .. } = op {
            added.extend(args.iter().filter_map(|arg| if let Atom::Var(var) = arg { Some(*var) } else { None }));
        }
    });
    added
}
