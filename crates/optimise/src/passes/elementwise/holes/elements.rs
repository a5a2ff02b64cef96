//! The elements of a sensitivity of an array as sensitivities of their own, and back.
//!
//! In: `.part`, `.spread` and `.unspread` of reals, symbolic zeros and rows of them. Out: readings of an array in which −0.0 is the symbolic
//! zero, and such an array made of elements. That all elements are the symbolic zero is the symbolic zero.

use calculus::Prim;
use first_order::{Alternative, Atom, Block, End, Head, Op, Scalar, ShapeId, Type, Var};

use super::{HOLE, MOST_AXES, reals};
use crate::passes::elementwise::{ElementType, Operand, Writer};

/// Which alternative of a shape is the symbolic zero, and which the other thing it may be.
#[derive(Clone, Copy)]
struct Choice {
    zero: u32,
    other: u32,
}

impl Writer<'_> {
    /// Of a shape that is the symbolic zero or something of this kind.
    fn choice(&self, shape: ShapeId, is: impl Fn(&Alternative) -> bool) -> Option<Choice> {
        let shape = self.shapes.get(shape);
        let at = |is: &dyn Fn(&Alternative) -> bool| shape.alternatives.iter().position(is).map(|at| at as u32);
        if shape.alternatives.len() != 2 || shape.named.is_some() {
            return None;
        }
        Some(Choice { zero: at(&|one| one.head == Head::Zero)?, other: at(&|one| is(one))? })
    }

    fn or_real(&self, shape: ShapeId) -> Option<Choice> {
        self.choice(shape, |one| one.head == Head::Real)
    }

    /// One element of a sensitivity, in range: a hole is the symbolic zero.
    pub(super) fn element_of(&mut self, prim: Prim, args: &[Atom], shapes: &[ShapeId], result: ShapeId) -> Option<Op> {
        let rank = self.collected(shapes[0])?;
        let choice = self.or_real(result).filter(|_| prim == Prim::Part)?;
        let spec = self.only(shapes[1])?;
        let ints = spec.head == Head::Tuple
            && spec.parts.len() == rank as usize
            && spec.parts.iter().all(|part| self.only(*part).is_some_and(|one| one.head == Head::Int));
        if !ints && (spec.head != Head::Int || rank != 1) {
            return None;
        }
        let array = self.spread(&args[..1], &shapes[..1]).swap_remove(0);
        if ints {
            let indices = (0..rank).map(|axis| self.bind(Type::Int, Op::Field(args[1].clone(), axis))).collect();
            let x = self.bind(Type::Real, Op::Element(array, indices));
            return Some(self.chosen(x, choice, result));
        }
        let real = self.shape(Alternative { head: Head::Real, parts: vec![] });
        let (vector, args) = (self.shape_of_reals(1), vec![array, args[1].clone()]);
        let x = self.bind(Type::Real, Op::Prim { prim, args, shapes: vec![vector, shapes[1]], result: real });
        Some(self.chosen(x, choice, result))
    }

    /// An element as a sensitivity.
    fn chosen(&mut self, x: Atom, choice: Choice, result: ShapeId) -> Op {
        let ty = self.shapes.type_of(result);
        let hole = self.scalar(Scalar::IsHole, vec![x.clone()]);
        let zero = self.block_of(|this| this.bind(ty.clone(), Op::Inject(choice.zero, Atom::Unit)));
        let number = self.block_of(|this| this.bind(ty.clone(), Op::Inject(choice.other, x)));
        Op::If(hole, Box::new(zero), Box::new(number))
    }

    /// The sensitivities of the elements along the first axis.
    pub(super) fn one_by_one(&mut self, args: &[Atom], shapes: &[ShapeId], result: ShapeId) -> Option<Op> {
        let plain = self.operand(shapes[1]).filter(|operand| *operand == Operand::reals(operand.rank));
        let rank = self.collected(shapes[1]).or(plain.map(|operand| operand.rank))?;
        let Alternative { head: Head::Array(1), parts } = self.only(result)?.clone() else { return None };
        if self.only(shapes[0])?.head != Head::Int {
            return None;
        }
        let (element, choice) = (parts[0], self.or_real(parts[0]));
        let is_number = self.operand(element) == Some(Operand::reals(0));
        let fits = match rank {
            0 => false,
            1 => choice.is_some() || is_number,
            _ => self.collected(element) == Some(rank - 1),
        };
        if !fits {
            return None;
        }
        let array = match plain {
            Some(operand) => self.without_holes(&args[1], operand),
            None => self.spread(&args[1..], &shapes[1..]).swap_remove(0),
        };
        // If n is negative there are no elements.
        let n = args[0].clone();
        let count = self.scalar(Scalar::IntMaximum, vec![n.clone(), Atom::Int(0)]);
        let length = self.bind(Type::Int, Op::Len(array.clone()));
        self.require_same(&[count], &[length], base::codes::NOT_CONFORMING);
        if is_number {
            return Some(Op::Atom(array));
        }
        let ty = self.shapes.type_of(element);
        let (index, body) = self.body(|this, index| match choice {
            Some(choice) => {
                let x = this.element(&array, index, ElementType::Real);
                let chosen = this.chosen(x, choice, element);
                this.bind(ty, chosen)
            }
            None => {
                let row = this.bind(reals(rank - 1), Op::Element(array, vec![Atom::Var(index)]));
                this.bind(ty, Op::Collected(row))
            }
        });
        Some(Op::Tabulate { n, index, body })
    }

    /// An array of numbers as a sensitivity: none of them is −0.0.
    fn without_holes(&mut self, array: &Atom, operand: Operand) -> Atom {
        let lengths = self.lengths(array, operand.rank);
        let flat = self.flat(array, operand);
        let n = self.bind(Type::Int, Op::Len(flat.clone()));
        let (index, body) = self.body(|this, index| {
            let x = this.element(&flat, index, ElementType::Real);
            this.number(x)
        });
        let numbers = self.bind(reals(1), Op::Tabulate { n, index, body });
        if operand.rank == 1 { numbers } else { self.bind(reals(operand.rank), Op::Shaped(numbers, lengths)) }
    }

    /// Rows without symbolic zeros among them together, and what is together already.
    pub(super) fn stacked(&mut self, array: &Atom, shape: ShapeId, result: ShapeId) -> Option<Op> {
        let given = |this: &Self, rank: u32| match this.collected(result) {
            Some(own) => (own == rank).then_some(None),
            None => this.choice(result, |one| one.head == Head::Handle(rank)).map(|choice| Some(choice.other)),
        };
        let wrap = |handle: Atom, tag: Option<u32>| tag.map_or(Op::Atom(handle.clone()), |tag| Op::Inject(tag, handle));
        if let Some(rank @ 2..) = self.collected(shape) {
            return Some(wrap(array.clone(), given(self, rank)?));
        }
        let Alternative { head: Head::Array(1), parts } = self.only(shape)?.clone() else { return None };
        let rank = self.collected(parts[0]).filter(|rank| *rank < MOST_AXES)?;
        let tag = given(self, rank + 1)?;
        let n = self.bind(Type::Int, Op::Len(array.clone()));
        let (index, body) = self.body(|this, index| {
            let row = this.bind(Type::Handle, Op::Element(array.clone(), vec![Atom::Var(index)]));
            this.bind(reals(rank), Op::Dense(row))
        });
        let rows = self.bind(reals(rank + 1), Op::Tabulate { n, index, body });
        if tag.is_none() {
            return Some(Op::Collected(rows));
        }
        let handle = self.bind(Type::Handle, Op::Collected(rows));
        Some(wrap(handle, tag))
    }

    /// Rows and symbolic zeros together.
    pub(super) fn stacked_with_zeros(&mut self, array: &Atom, shape: ShapeId, result: ShapeId) -> Option<Op> {
        let Alternative { head: Head::Array(1), parts } = self.only(shape)?.clone() else { return None };
        let all_zero = self.only(parts[0]).is_some_and(|one| one.head == Head::Zero);
        let rows = self.choice(parts[0], |one| self.collected_as(one).is_some());
        let rank = match (all_zero, rows) {
            (true, _) => 0,
            (false, Some(rows)) => {
                let rank = self.collected_as(&self.shapes.get(parts[0]).alternatives[rows.other as usize])?;
                if rank == MOST_AXES {
                    return None;
                }
                rank
            }
            (false, None) => return None,
        };
        let given = self.choice(result, |one| matches!(one.head, Head::Handle(own) if all_zero || own == rank + 1))?;
        let (Type::Array(ty, 1), sum) = (self.shapes.type_of(shape), self.shapes.type_of(result)) else { return None };
        let n = self.bind(Type::Int, Op::Len(array.clone()));
        // Without elements it is an array, of whatever the evaluator says.
        let empty = self.scalar(Scalar::IntEq, vec![n.clone(), Atom::Int(0)]);
        let asked = Op::Prim { prim: Prim::Unspread, args: vec![array.clone()], shapes: vec![shape], result };
        let asked = self.block_of(|this| this.bind(sum.clone(), asked));
        let zero = self.block_of(|this| this.bind(sum.clone(), Op::Inject(given.zero, Atom::Unit)));
        let Some(choice) = rows else { return Some(Op::If(empty, Box::new(asked), Box::new(zero))) };
        let none = self.block_of(|this| this.bind(sum.clone(), Op::If(empty, Box::new(asked), Box::new(zero))));
        let some = self.some_is(array, &n, &ty, choice);
        let stacked = self.block_of(|this| {
            let first = this.first_row(array, &ty, choice, rank);
            let (index, body) = this.body(|this, index| {
                let row = this.bind((*ty).clone(), Op::Element(array.clone(), vec![Atom::Var(index)]));
                this.bind_switch(reals(rank), &row, &ty, choice, |this, row| match row {
                    Some(row) => this.bind(reals(rank), Op::Dense(row)),
                    None => this.holes_like(&first, rank),
                })
            });
            let rows = this.bind(reals(rank + 1), Op::Tabulate { n, index, body });
            let handle = this.bind(Type::Handle, Op::Collected(rows));
            this.bind(sum.clone(), Op::Inject(given.other, handle))
        });
        Some(Op::If(some, Box::new(stacked), Box::new(none)))
    }

    /// Is any of these `n` elements something else than the symbolic zero?
    fn some_is(&mut self, array: &Atom, n: &Atom, ty: &Type, choice: Choice) -> Atom {
        let (index, body) = self.body(|this, index| {
            let x = this.bind(ty.clone(), Op::Element(array.clone(), vec![Atom::Var(index)]));
            let flag = |_: &mut Self, x: Option<Atom>| Atom::Real(if x.is_some() { 1.0 } else { 0.0 });
            this.bind_switch(Type::Real, &x, ty, choice, flag)
        });
        let count = self.bind(Type::Real, Op::Sum { n: n.clone(), index, body });
        self.scalar(Scalar::Gt, vec![count, Atom::Real(0.0)])
    }

    /// The first of the elements, of which there is one, that isn't the symbolic zero.
    fn first_row(&mut self, array: &Atom, ty: &Type, choice: Choice, rank: u32) -> Atom {
        let at = self.fresh(Type::Int);
        let body = self.block_of(|this| {
            let x = this.bind(ty.clone(), Op::Element(array.clone(), vec![Atom::Var(at)]));
            let Type::Sum(contents) = ty else { unreachable!("elementwise: a choice is a sum") };
            let mut arms: Vec<(Var, Block)> = vec![];
            for (tag, content) in contents.iter().enumerate() {
                let var = this.fresh(content.clone());
                let is_row = tag as u32 == choice.other;
                let mut block = this.block_of(|this| match is_row {
                    true => this.bind(reals(rank), Op::Dense(Atom::Var(var))),
                    false => this.scalar(Scalar::IntAdd, vec![Atom::Var(at), Atom::Int(1)]),
                });
                if let (false, End::Yield(next)) = (is_row, block.end.clone()) {
                    block.end = End::Again(vec![next]);
                }
                arms.push((var, block));
            }
            this.bind(reals(rank), Op::Switch(x, arms))
        });
        self.bind(reals(rank), Op::Loop { params: vec![(at, Atom::Int(0))], body: Box::new(body) })
    }

    /// An array of the same lengths in which nothing is.
    fn holes_like(&mut self, array: &Atom, rank: u32) -> Atom {
        let lengths = self.lengths(array, rank);
        let flat = self.flat(array, Operand::reals(rank));
        let n = self.bind(Type::Int, Op::Len(flat));
        let (index, body) = self.body(|_, _| Atom::Real(HOLE));
        let holes = self.bind(reals(1), Op::Tabulate { n, index, body });
        if rank == 1 { holes } else { self.bind(reals(rank), Op::Shaped(holes, lengths)) }
    }

    /// Reals and symbolic zeros together.
    pub(super) fn together(&mut self, array: &Atom, shape: ShapeId, result: ShapeId) -> Option<Op> {
        let Alternative { head: Head::Array(1), parts } = self.only(shape)?.clone() else { return None };
        let element = self.or_real(parts[0])?;
        let given = self.choice(result, |one| one.head == Head::Handle(1))?;
        let (Atom::Var(var), Type::Array(ty, 1)) = (array, self.shapes.type_of(shape)) else { return None };
        let ty = (*ty).clone();
        let written = self.literals.get(var).filter(|elements| (1..=MOST_WRITTEN).contains(&elements.len())).cloned();
        let numbers = written.map(|elements| self.numbers_of(&elements, &ty, element));
        let n = self.bind(Type::Int, Op::Len(array.clone()));
        let some = match &numbers {
            Some((some, _)) => some.clone(),
            None => {
                let some = self.some_is(array, &n, &ty, element);
                let empty = self.scalar(Scalar::IntEq, vec![n.clone(), Atom::Int(0)]);
                self.either(empty, some)
            }
        };
        let sum = self.shapes.type_of(result);
        let yes = self.block_of(|this| {
            let made = match numbers {
                Some((_, numbers)) => Op::Array(numbers),
                None => this.all_numbers(array, n, &ty, element),
            };
            let array = this.bind(reals(1), made);
            let handle = this.bind(Type::Handle, Op::Collected(array));
            this.bind(sum.clone(), Op::Inject(given.other, handle))
        });
        let no = self.block_of(|this| this.bind(sum.clone(), Op::Inject(given.zero, Atom::Unit)));
        Some(Op::If(some, Box::new(yes), Box::new(no)))
    }

    /// Is any of the elements that are written out a real, and all of them as elements of an array.
    fn numbers_of(&mut self, elements: &[Atom], ty: &Type, choice: Choice) -> (Atom, Vec<Atom>) {
        let (mut some, mut numbers) = (Atom::Bool(false), vec![]);
        for x in elements {
            numbers.push(self.bind_switch(Type::Real, x, ty, choice, |this, x| this.holed(x)));
            let is_some = self.bind_switch(Type::Bool, x, ty, choice, |_, x| Atom::Bool(x.is_some()));
            some = self.either(some, is_some);
        }
        (some, numbers)
    }

    fn all_numbers(&mut self, array: &Atom, n: Atom, ty: &Type, choice: Choice) -> Op {
        let (index, body) = self.body(|this, index| {
            let x = this.bind(ty.clone(), Op::Element(array.clone(), vec![Atom::Var(index)]));
            this.bind_switch(Type::Real, &x, ty, choice, |this, x| this.holed(x))
        });
        Op::Tabulate { n, index, body }
    }

    /// A real, or the symbolic zero, as an element.
    fn holed(&mut self, x: Option<Atom>) -> Atom {
        x.map_or(Atom::Real(HOLE), |x| self.number(x))
    }

    fn either(&mut self, a: Atom, b: Atom) -> Atom {
        if a == Atom::Bool(false) {
            return b;
        }
        let yes = Block { statements: vec![], end: End::Yield(Atom::Bool(true)) };
        let no = Block { statements: vec![], end: End::Yield(b) };
        self.bind(Type::Bool, Op::If(a, Box::new(yes), Box::new(no)))
    }

    /// What `make` makes of a real, or of nothing if it is the symbolic zero.
    fn bind_switch(
        &mut self,
        of: Type,
        x: &Atom,
        ty: &Type,
        choice: Choice,
        make: impl Fn(&mut Self, Option<Atom>) -> Atom,
    ) -> Atom {
        let Type::Sum(contents) = ty else { unreachable!("elementwise: a choice is a sum") };
        let mut arms: Vec<(Var, Block)> = vec![];
        for (at, content) in contents.iter().enumerate() {
            let var = self.fresh(content.clone());
            let real = (at as u32 == choice.other).then_some(Atom::Var(var));
            arms.push((var, self.block_of(|this| make(this, real))));
        }
        self.bind(of, Op::Switch(x.clone(), arms))
    }
}

/// Arrays of more elements, even if they are written out, are looked at in a loop.
const MOST_WRITTEN: usize = 8;
