//! Arithmetic on vectors becomes `tabulate`, sums of them `sum`: then the passes that see elements see them too.
//!
//! In: primitives that work element by element on arrays of one axis (of reals, ints or bools), with scalars among the operands or not, and
//! sums of such arrays. Out: the lengths, a `require` that they are the same, and a body for one element. What `tables` does next
//! makes one loop of a chain of them. Arrays of more axes and sensitivities that are being collected stay with their primitives.

use base::{Span, codes};
use calculus::Prim;
use first_order::{
    Alternative, Atom, Block, End, Function, Head, Op, Program, Scalar, ShapeId, Shapes, Statement, Type, Var,
};

use crate::deep;
use crate::rename::renumber;
use crate::walk::{blocks_mut, has_blocks};

pub fn run(program: &mut Program) {
    let Program { functions, shapes, .. } = program;
    for Function { vars, body, .. } in functions.iter_mut() {
        Writer { vars, shapes, out: vec![], span: Span::default() }.block(body);
    }
    functions.iter_mut().for_each(renumber);
}

/// A scalar, or a vector of scalars.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Operand {
    vector: bool,
    of: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Real,
}

impl Kind {
    fn ty(self) -> Type {
        match self {
            Kind::Bool => Type::Bool,
            Kind::Int => Type::Int,
            Kind::Real => Type::Real,
        }
    }
}

struct Writer<'a> {
    vars: &'a mut Vec<Type>,
    shapes: &'a Shapes,
    /// Of the block that is being written.
    out: Vec<Statement>,
    span: Span,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        let outer = std::mem::take(&mut self.out);
        for mut statement in std::mem::take(&mut block.statements) {
            if has_blocks(&statement.op) {
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block)));
            }
            self.span = statement.span;
            let written = match &statement.op {
                Op::Prim { prim, args, shapes, result } => self.primitive(*prim, args, shapes, *result),
                _ => None,
            };
            if let Some(op) = written {
                statement.op = op;
            }
            self.out.push(statement);
        }
        block.statements = std::mem::replace(&mut self.out, outer);
    }

    /// The operation instead of a primitive; what it needs before is written.
    fn primitive(&mut self, prim: Prim, args: &[Atom], shapes: &[ShapeId], result: ShapeId) -> Option<Op> {
        let operands = shapes.iter().map(|shape| self.operand(*shape)).collect::<Option<Vec<Operand>>>()?;
        let result = self.operand(result)?;
        if !operands.iter().any(|operand| operand.vector) {
            return None;
        }
        match (prim, &operands[..]) {
            (Prim::Sum, [Operand { of: Kind::Real, .. }]) => Some(self.total(&args[0])),
            (Prim::Unbroadcast, [Operand { vector: false, .. }, Operand { vector: true, of: Kind::Real }]) => {
                Some(self.total(&args[1]))
            }
            _ => {
                let recipe = Recipe::of(prim, &operands)?;
                let mismatch = if prim == Prim::Plus { codes::NOT_CONFORMING } else { codes::SHAPE_MISMATCH };
                (result == Operand { vector: true, of: recipe.gives })
                    .then(|| self.each(&recipe, args, &operands, mismatch))
            }
        }
    }

    fn operand(&self, shape: ShapeId) -> Option<Operand> {
        let scalar = |shape: ShapeId| match self.only(shape)?.head {
            Head::Bool => Some(Kind::Bool),
            Head::Int => Some(Kind::Int),
            Head::Real => Some(Kind::Real),
            _ => None,
        };
        match self.only(shape)? {
            Alternative { head: Head::Array(1), parts } => Some(Operand { vector: true, of: scalar(parts[0])? }),
            _ => Some(Operand { vector: false, of: scalar(shape)? }),
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
        let (_, ty) = op.signature().expect("vectors: a scalar operation");
        self.bind(ty, Op::Scalar(op, args))
    }

    fn total(&mut self, array: &Atom) -> Op {
        let n = self.bind(Type::Int, Op::Len(array.clone()));
        let (index, body) = self.body(|this, index| this.element(array, index, Kind::Real));
        Op::Sum { n, index, body }
    }

    fn element(&mut self, array: &Atom, index: Var, of: Kind) -> Atom {
        self.bind(of.ty(), Op::Element(array.clone(), vec![Atom::Var(index)]))
    }

    /// A block for one index.
    fn body(&mut self, make: impl FnOnce(&mut Self, Var) -> Atom) -> (Var, Box<Block>) {
        let index = self.fresh(Type::Int);
        let outer = std::mem::take(&mut self.out);
        let value = make(self, index);
        let statements = std::mem::replace(&mut self.out, outer);
        (index, Box::new(Block { statements, end: End::Yield(value) }))
    }

    /// `mismatch` is the error of operands that differ in length.
    fn each(&mut self, recipe: &Recipe, args: &[Atom], operands: &[Operand], mismatch: base::Code) -> Op {
        let mut n = None;
        let mut scalars = vec![];
        for (at, (arg, operand)) in args.iter().zip(operands).enumerate() {
            if !operand.vector {
                // The order of a power stays an int.
                let takes = if at < 2 { recipe.takes } else { operand.of };
                scalars.push(self.converted(arg.clone(), operand.of, takes));
                continue;
            }
            scalars.push(Atom::Unit);
            let length = self.bind(Type::Int, Op::Len(arg.clone()));
            match &n {
                None => n = Some(length),
                Some(n) => {
                    let same = self.scalar(Scalar::IntEq, vec![n.clone(), length]);
                    self.bind(Type::unit(), Op::Require(same, mismatch));
                }
            }
        }
        let n = n.expect("vectors: one of the operands is one");
        let (index, body) = self.body(|this, index| {
            let mut elements = vec![];
            for ((arg, operand), scalar) in args.iter().zip(operands).zip(scalars) {
                elements.push(if operand.vector {
                    let element = this.element(arg, index, operand.of);
                    this.converted(element, operand.of, recipe.takes)
                } else {
                    scalar
                });
            }
            recipe.steps.iter().fold(elements, |args, op| vec![this.scalar(*op, args)]).swap_remove(0)
        });
        Op::Tabulate { n, index, body }
    }

    /// A scalar as what the operation takes.
    fn converted(&mut self, atom: Atom, from: Kind, to: Kind) -> Atom {
        match (atom, from, to) {
            (Atom::Int(i), Kind::Int, Kind::Real) => Atom::Real(i as f64),
            (atom, Kind::Int, Kind::Real) => self.scalar(Scalar::ToReal, vec![atom]),
            (atom, ..) => atom,
        }
    }
}

/// How a primitive works on scalars.
struct Recipe {
    takes: Kind,
    gives: Kind,
    /// One after the other; the first takes the operands.
    steps: Vec<Scalar>,
}

impl Recipe {
    fn of(prim: Prim, operands: &[Operand]) -> Option<Recipe> {
        use Kind::{Bool, Int, Real};
        let all = |kind: Kind| operands.iter().all(|operand| operand.of == kind);
        let one = |takes: Kind, gives: Kind, op: Scalar| Some(Recipe { takes, gives, steps: vec![op] });
        if all(Bool) {
            return if prim == Prim::Not { one(Bool, Bool, Scalar::Not) } else { None };
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
            Prim::Scale => one(Real, Real, Scalar::Mul),
            Prim::Plus => one(Real, Real, Scalar::Add),
            Prim::AtMost => Some(Recipe { takes: Real, gives: Real, steps: vec![Scalar::Le, Scalar::BoolToReal] }),
            Prim::IsNan => one(Real, Bool, Scalar::IsNan),
            Prim::IsFinite => one(Real, Bool, Scalar::IsFinite),
            Prim::Real => Some(Recipe { takes: Real, gives: Real, steps: vec![] }),
            Prim::PowerSlope if is_order(operands) => one(Real, Real, Scalar::PowerSlope),
            Prim::PowerLog if is_order(operands) => one(Real, Real, Scalar::PowerLog),
            Prim::Int if !all(Int) => one(Real, Int, Scalar::ToInt),
            _ => one(Real, Real, Scalar::on_reals(prim)?),
        }
    }
}

/// Is the third operand the order of a power, an int?
fn is_order(operands: &[Operand]) -> bool {
    operands[2] == Operand { vector: false, of: Kind::Int }
}
