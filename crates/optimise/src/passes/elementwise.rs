//! Array operations as loops: arithmetic on arrays becomes `tabulate`, sums of them `sum`: then the passes that see elements see them too.
//!
//! In: primitives that work element by element on arrays (of reals, ints or bools), with scalars among the operands or not, sums of
//! such arrays (of ints: a loop), and `iota`. Out: the lengths, a `require` that they are the same, and a body for one element. What `fusion` does next
//! makes one loop of a chain of them. Arrays of more axes are worked on as vectors (`flat`) that get their lengths at the end (`shaped`);
//! in a chain the two meet and vanish. What measures an array gives its lengths one by one. Sensitivities that are being collected: see
//! [`holes`].

mod holes;
mod outer;

use base::{Span, codes};
use calculus::Prim;
use first_order::{
    Alternative, Atom, Block, End, Function, Head, Op, Program, Scalar, ShapeId, Shapes, Statement, Type, Var,
};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::deep;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, has_blocks};

pub fn run(program: &mut Program) {
    let Program { functions, shapes, .. } = program;
    for Function { vars, body, .. } in functions.iter_mut() {
        let dense = FxHashSet::default();
        let (made, added, literals) = (FxHashSet::default(), holes::added(body), FxHashMap::default());
        let sides = outer::Sides::default();
        Writer { vars, shapes, out: vec![], span: Span::default(), dense, made, added, literals, sides }.block(body);
    }
    functions.iter_mut().for_each(renumber);
}

/// An array of scalars; of rank 0, a scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Operand {
    rank: u32,
    of: ElementType,
}

impl Operand {
    const fn reals(rank: u32) -> Operand {
        Operand { rank, of: ElementType::Real }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ElementType {
    Bool,
    Int,
    Real,
}

impl ElementType {
    fn ty(self) -> Type {
        match self {
            ElementType::Bool => Type::Bool,
            ElementType::Int => Type::Int,
            ElementType::Real => Type::Real,
        }
    }
}

struct Writer<'a> {
    vars: &'a mut Vec<Type>,
    shapes: &'a mut Shapes,
    /// Of the block that is being written.
    out: Vec<Statement>,
    span: Span,
    /// Sensitivities that are spread out anyway in the block that is being written, or in one around it.
    dense: FxHashSet<Var>,
    /// Sensitivities that are arrays made here.
    made: FxHashSet<Var>,
    /// Sensitivities that something is added to, or that are erased in part: in place if nobody else sees them.
    added: FxHashSet<Var>,
    /// Arrays that are written out.
    literals: FxHashMap<Var, Vec<Atom>>,
    /// Vectors as matrices of one row or column.
    sides: outer::Sides,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        let outer = std::mem::take(&mut self.out);
        let spread_out = self.spread_out(block);
        for mut statement in std::mem::take(&mut block.statements) {
            if has_blocks(&statement.op) {
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block)));
            }
            self.span = statement.span;
            let written = match &statement.op {
                Op::Prim { prim, args, shapes, result } => self
                    .sensitivity(*prim, args, shapes, *result)
                    .or_else(|| self.primitive(*prim, args, shapes, *result)),
                _ => None,
            };
            if let Some(op) = written {
                statement.op = op;
            }
            self.sides.made(&statement);
            match &statement.op {
                Op::Collected(_) => {
                    self.made.insert(statement.var);
                }
                Op::Array(elements) => {
                    self.literals.insert(statement.var, elements.clone());
                }
                Op::Len(Atom::Var(array)) => self.sides.measured(statement.var, *array),
                _ => {}
            }
            self.out.push(statement);
        }
        spread_out.iter().for_each(|var| {
            self.dense.remove(var);
        });
        block.statements = std::mem::replace(&mut self.out, outer);
    }

    /// The operation instead of a primitive; what it needs before is written.
    fn primitive(&mut self, prim: Prim, args: &[Atom], shapes: &[ShapeId], result: ShapeId) -> Option<Op> {
        match prim {
            Prim::Frame => return self.measured(&args[0], shapes[0]).map(Op::Struct),
            Prim::Shape => return self.measured(&args[0], shapes[0]).map(Op::Array),
            Prim::Fill => return self.filled(args, shapes, result),
            Prim::Iota => return self.counted(&args[0], shapes[0]),
            Prim::Reshape => return self.side(args, shapes),
            Prim::MatMul => return self.outer(args),
            _ => {}
        }
        let operands = shapes.iter().map(|shape| self.operand(*shape)).collect::<Option<Vec<Operand>>>()?;
        let result = self.operand(result)?;
        let rank = operands.iter().map(|operand| operand.rank).max().filter(|rank| *rank > 0)?;
        if operands.iter().any(|operand| operand.rank != 0 && operand.rank != rank) {
            return None;
        }
        match (prim, &operands[..]) {
            (Prim::Sum, [Operand { of: ElementType::Real, .. }]) => Some(self.total(&args[0], rank)),
            (Prim::Sum, [Operand { of: ElementType::Int, .. }]) => Some(self.total_of_ints(&args[0], rank)),
            (Prim::Unbroadcast, [Operand { rank: 0, .. }, Operand { of: ElementType::Real, .. }]) => {
                Some(self.total(&args[1], rank))
            }
            _ => {
                let recipe = Recipe::of(prim, &operands)?;
                let mismatch = if prim == Prim::Plus { codes::NOT_CONFORMING } else { codes::SHAPE_MISMATCH };
                (result == Operand { rank, of: recipe.gives }).then(|| self.each(&recipe, args, &operands, mismatch))
            }
        }
    }

    /// The numbers from 0 on.
    fn counted(&mut self, n: &Atom, shape: ShapeId) -> Option<Op> {
        if self.operand(shape) != Some(Operand { rank: 0, of: ElementType::Int }) {
            return None;
        }
        let (index, body) = self.body(|_, index| Atom::Var(index));
        Some(Op::Tabulate { n: n.clone(), index, body })
    }

    /// The lengths of what surely is an array.
    fn measured(&mut self, array: &Atom, shape: ShapeId) -> Option<Vec<Atom>> {
        let Head::Array(rank) = self.only(shape)?.head else { return None };
        Some(self.lengths(array, rank))
    }

    fn lengths(&mut self, array: &Atom, rank: u32) -> Vec<Atom> {
        let axis = |axis| if axis == 0 { Op::Len(array.clone()) } else { Op::Axis(array.clone(), axis) };
        (0..rank).map(|at| self.bind(Type::Int, axis(at))).collect()
    }

    /// An array of the lengths that a frame says, every element the same number, and no −0.0, which would be taken for the symbolic zero.
    fn filled(&mut self, args: &[Atom], shapes: &[ShapeId], result: ShapeId) -> Option<Op> {
        let Head::Frame(rank @ 2..) = self.only(shapes[0])?.head else { return None };
        let real = |rank: u32| Some(Operand { rank, of: ElementType::Real });
        if self.operand(shapes[1]) != real(0) || self.operand(result) != real(rank) {
            return None;
        }
        let mut lengths = vec![];
        for axis in 0..rank {
            let length = self.bind(Type::Int, Op::Field(args[0].clone(), axis));
            lengths.push(self.scalar(Scalar::Length, vec![length]));
        }
        // They are those of an array that there was, so the product is in range.
        let mut size = lengths[0].clone();
        for length in &lengths[1..] {
            size = self.scalar(Scalar::IntMul, vec![size, length.clone()]);
        }
        let n = self.scalar(Scalar::Length, vec![size]);
        let number = self.scalar(Scalar::Add, vec![args[1].clone(), Atom::Real(0.0)]);
        let (index, body) = self.body(|_, _| number);
        let elements = self.bind(vector(ElementType::Real), Op::Tabulate { n, index, body });
        Some(Op::Shaped(elements, lengths))
    }

    fn operand(&self, shape: ShapeId) -> Option<Operand> {
        let scalar = |shape: ShapeId| match self.only(shape)?.head {
            Head::Bool => Some(ElementType::Bool),
            Head::Int => Some(ElementType::Int),
            Head::Real => Some(ElementType::Real),
            _ => None,
        };
        match self.only(shape)? {
            Alternative { head: Head::Array(rank), parts } => Some(Operand { rank: *rank, of: scalar(parts[0])? }),
            _ => Some(Operand { rank: 0, of: scalar(shape)? }),
        }
    }

    fn only(&self, shape: ShapeId) -> Option<&Alternative> {
        let shape = self.shapes.get(shape);
        match &shape.alternatives[..] {
            [one] if shape.named.is_none() => Some(one),
            _ => None,
        }
    }

    fn fresh(&mut self, ty: Type) -> Var {
        self.vars.push(ty);
        Var(self.vars.len() as u32 - 1)
    }

    fn bind(&mut self, ty: Type, op: Op) -> Atom {
        let var = self.fresh(ty);
        self.out.push(Statement { var, op, span: self.span });
        Atom::Var(var)
    }

    fn scalar(&mut self, op: Scalar, args: Vec<Atom>) -> Atom {
        let (_, ty) = op.signature().expect("elementwise: a scalar operation");
        self.bind(ty, Op::Scalar(op, args))
    }

    fn total(&mut self, array: &Atom, rank: u32) -> Op {
        let array = self.flat(array, Operand { rank, of: ElementType::Real });
        let n = self.bind(Type::Int, Op::Len(array.clone()));
        let (index, body) = self.body(|this, index| this.element(&array, index, ElementType::Real));
        Op::Sum { n, index, body }
    }

    /// Ints are added one after the other: every sum on the way is an int, or it fails.
    fn total_of_ints(&mut self, array: &Atom, rank: u32) -> Op {
        let array = self.flat(array, Operand { rank, of: ElementType::Int });
        let n = self.bind(Type::Int, Op::Len(array.clone()));
        let (index, total) = (self.fresh(Type::Int), self.fresh(Type::Int));
        let body = self.block_of(|this| {
            let more = this.scalar(Scalar::IntLt, vec![Atom::Var(index), n]);
            let add = this.block_with(|this| {
                let element = this.element(&array, index, ElementType::Int);
                let sum = this.scalar(Scalar::IntAdd, vec![Atom::Var(total), element]);
                let next = this.scalar(Scalar::IntAdd, vec![Atom::Var(index), Atom::Int(1)]);
                End::Again(vec![next, sum])
            });
            let done = Block { statements: vec![], end: End::Yield(Atom::Var(total)) };
            this.bind(Type::Int, Op::If(more, Box::new(add), Box::new(done)))
        });
        Op::Loop { params: vec![(index, Atom::Int(0)), (total, Atom::Int(0))], body: Box::new(body) }
    }

    /// An array as a vector.
    fn flat(&mut self, array: &Atom, Operand { rank, of }: Operand) -> Atom {
        if rank < 2 { array.clone() } else { self.bind(vector(of), Op::Flat(array.clone())) }
    }

    fn element(&mut self, array: &Atom, index: Var, of: ElementType) -> Atom {
        self.bind(of.ty(), Op::Element(array.clone(), vec![Atom::Var(index)]))
    }

    /// A block for one index.
    fn body(&mut self, make: impl FnOnce(&mut Self, Var) -> Atom) -> (Var, Box<Block>) {
        let index = self.fresh(Type::Int);
        (index, Box::new(self.block_of(|this| make(this, index))))
    }

    fn block_of(&mut self, make: impl FnOnce(&mut Self) -> Atom) -> Block {
        self.block_with(|this| End::Yield(make(this)))
    }

    fn block_with(&mut self, make: impl FnOnce(&mut Self) -> End) -> Block {
        let outer = std::mem::take(&mut self.out);
        let end = make(self);
        let statements = std::mem::replace(&mut self.out, outer);
        Block { statements, end }
    }

    /// `mismatch` is the error of operands that differ in length.
    fn each(&mut self, recipe: &Recipe, args: &[Atom], operands: &[Operand], mismatch: base::Code) -> Op {
        self.over(args, operands, recipe.takes, recipe.gives, mismatch, |this, elements| {
            let made = recipe.steps.iter().fold(elements, |args, op| vec![this.scalar(*op, args)]).swap_remove(0);
            match recipe.zeros {
                Zeros::Signed => made,
                Zeros::Plain => this.scalar(Scalar::Add, vec![made, Atom::Real(0.0)]),
            }
        })
    }

    /// The array of what `make` makes of the elements of the operands, or of themselves if they are scalars.
    fn over(
        &mut self,
        args: &[Atom],
        operands: &[Operand],
        takes: ElementType,
        gives: ElementType,
        mismatch: base::Code,
        make: impl FnOnce(&mut Self, Vec<Atom>) -> Atom,
    ) -> Op {
        // The lengths of the first array, and last the number of its elements.
        let mut known: Option<Vec<Atom>> = None;
        // Scalars as they are taken, arrays as vectors.
        let mut taken = vec![];
        for (at, (arg, operand)) in args.iter().zip(operands).enumerate() {
            if operand.rank == 0 {
                // The order of a power stays an int.
                let takes = if at < 2 { takes } else { operand.of };
                taken.push(self.converted(arg.clone(), operand.of, takes));
                continue;
            }
            let mut lengths = self.lengths(arg, operand.rank);
            let flat = self.flat(arg, *operand);
            if operand.rank > 1 {
                lengths.push(self.bind(Type::Int, Op::Len(flat.clone())));
            }
            taken.push(flat);
            match &known {
                None => known = Some(lengths),
                Some(known) => {
                    let known = known.clone();
                    self.require_same(&known, &lengths, mismatch);
                }
            }
        }
        let mut lengths = known.expect("elementwise: one of the operands is an array");
        let n = lengths.pop().expect("elementwise: an array has a length");
        let (index, body) = self.body(|this, index| {
            let mut elements = vec![];
            for (taken, operand) in taken.iter().zip(operands) {
                elements.push(if operand.rank > 0 {
                    let element = this.element(taken, index, operand.of);
                    this.converted(element, operand.of, takes)
                } else {
                    taken.clone()
                });
            }
            make(this, elements)
        });
        if lengths.is_empty() {
            return Op::Tabulate { n, index, body };
        }
        let elements = self.bind(vector(gives), Op::Tabulate { n, index, body });
        Op::Shaped(elements, lengths)
    }

    /// Two arrays have the same lengths, or both no elements; the last of the numbers say how many they have.
    fn require_same(&mut self, a: &[Atom], b: &[Atom], mismatch: base::Code) {
        let size = &a[a.len() - 1];
        let same = self.scalar(Scalar::IntEq, vec![size.clone(), b[b.len() - 1].clone()]);
        self.bind(Type::unit(), Op::Require(same, mismatch));
        // If there are as many elements, and some, all lengths are the same if all but one are.
        for axis in 1..a.len() - 1 {
            let none = self.scalar(Scalar::IntEq, vec![size.clone(), Atom::Int(0)]);
            let yes = Block { statements: vec![], end: End::Yield(Atom::Bool(true)) };
            let no = self.block_of(|this| this.scalar(Scalar::IntEq, vec![a[axis].clone(), b[axis].clone()]));
            let same = self.bind(Type::Bool, Op::If(none, Box::new(yes), Box::new(no)));
            self.bind(Type::unit(), Op::Require(same, mismatch));
        }
    }

    /// A scalar as what the operation takes.
    fn converted(&mut self, atom: Atom, from: ElementType, to: ElementType) -> Atom {
        match (atom, from, to) {
            (Atom::Int(i), ElementType::Int, ElementType::Real) => Atom::Real(i as f64),
            (atom, ElementType::Int, ElementType::Real) => self.scalar(Scalar::ToReal, vec![atom]),
            (atom, ..) => atom,
        }
    }
}

fn vector(of: ElementType) -> Type {
    Type::Array(of.ty().into(), 1)
}

/// How a primitive works on scalars.
struct Recipe {
    takes: ElementType,
    gives: ElementType,
    /// One after the other; the first takes the operands.
    steps: Vec<Scalar>,
    zeros: Zeros,
}

/// What becomes of −0.0 at the end.
enum Zeros {
    Signed,
    /// It is 0.0: in sensitivities of arrays −0.0 may stand for the symbolic zero, so numbers never are −0.0.
    Plain,
}

impl Recipe {
    fn of(prim: Prim, operands: &[Operand]) -> Option<Recipe> {
        use ElementType::{Bool, Int, Real};
        let all = |kind: ElementType| operands.iter().all(|operand| operand.of == kind);
        let one = |takes: ElementType, gives: ElementType, op: Scalar| {
            Some(Recipe { takes, gives, steps: vec![op], zeros: Zeros::Signed })
        };
        if all(Bool) {
            return match prim {
                Prim::Not => one(Bool, Bool, Scalar::Not),
                Prim::Real => one(Bool, Real, Scalar::BoolToReal),
                Prim::Int => {
                    let steps = vec![Scalar::BoolToReal, Scalar::ToInt];
                    Some(Recipe { takes: Bool, gives: Int, steps, zeros: Zeros::Signed })
                }
                _ => None,
            };
        }
        if operands.iter().any(|operand| operand.of == Bool) {
            return None;
        }
        if all(Int)
            && let Some(op) = Scalar::on_ints(prim)
        {
            return one(Int, Int, op);
        }
        if all(Int)
            && let Some((_, op)) = Scalar::comparison(prim)
        {
            return one(Int, Bool, op);
        }
        if let Some((op, _)) = Scalar::comparison(prim) {
            return one(Real, Bool, op);
        }
        match prim {
            // Sensitivities that have no holes.
            Prim::Scale => Some(Recipe { takes: Real, gives: Real, steps: vec![Scalar::Mul], zeros: Zeros::Plain }),
            Prim::Plus => one(Real, Real, Scalar::Add),
            Prim::AtMost => {
                let steps = vec![Scalar::Le, Scalar::BoolToReal];
                Some(Recipe { takes: Real, gives: Real, steps, zeros: Zeros::Signed })
            }
            Prim::IsNan => one(Real, Bool, Scalar::IsNan),
            Prim::IsFinite => one(Real, Bool, Scalar::IsFinite),
            Prim::Real => Some(Recipe { takes: Real, gives: Real, steps: vec![], zeros: Zeros::Signed }),
            Prim::PowerSlope if is_order(operands) => one(Real, Real, Scalar::PowerSlope),
            Prim::PowerLog if is_order(operands) => one(Real, Real, Scalar::PowerLog),
            Prim::Int if !all(Int) => one(Real, Int, Scalar::ToInt),
            _ => one(Real, Real, Scalar::on_reals(prim)?),
        }
    }
}

/// Is the third operand the order of a power, an int?
fn is_order(operands: &[Operand]) -> bool {
    operands[2] == Operand { rank: 0, of: ElementType::Int }
}
