//! Random programs that are well-formed, end, and use every operation. They may fail.

use base::{FileId, Span, codes};
use calculus::Prim;
use first_order::build::FunctionBuilder;
use first_order::*;

use crate::common::*;

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}

/// A program of a few functions; each calls only those after it.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let count = 1 + random.below(4);
    let pool = types();
    let signatures: Vec<(Vec<Type>, Type)> = (0..count)
        .map(|i| {
            let params = (0..random.below(3)).map(|_| random.pick(&pool)).collect();
            if i == 0 { (vec![Type::Int, Type::Real, reals(1)], Type::Real) } else { (params, random.pick(&pool)) }
        })
        .collect();
    let functions = (0..count).map(|id| Generator::new(&mut random, &signatures, id).function()).collect();
    common_program(functions)
}

fn common_program(functions: Vec<Function>) -> Program {
    crate::common::program(functions, &[INT, REAL, VECTOR], REAL)
}

fn list() -> Type {
    Type::Named(NamedId(0))
}

fn types() -> Vec<Type> {
    vec![
        Type::Bool,
        Type::Int,
        Type::Real,
        Type::Text,
        Type::unit(),
        reals(1),
        reals(2),
        list(),
        Type::fields([Type::Int, reals(1)]),
        Type::sum([Type::Real, Type::unit(), Type::fields([Type::Bool, list()])]),
        Type::array(Type::fields([Type::Real, Type::Int]), 1),
        list_content(),
    ]
}

struct Generator<'a> {
    random: &'a mut Random,
    signatures: &'a [(Vec<Type>, Type)],
    id: usize,
    /// The variables that can be used here.
    scope: Vec<(Atom, Type)>,
    /// How much more may be generated.
    fuel: usize,
}

type Builder = FunctionBuilder;

impl<'a> Generator<'a> {
    fn new(random: &'a mut Random, signatures: &'a [(Vec<Type>, Type)], id: usize) -> Generator<'a> {
        let fuel = 10 + random.below(60);
        Generator { random, signatures, id, scope: vec![], fuel }
    }

    fn function(mut self) -> Function {
        let (params, result) = self.signatures[self.id].clone();
        let names = ["sum", "<~", "", "my f\n\"x\"", "if"];
        let mut b = Builder::new(names[self.random.below(names.len())], result.clone());
        for of in params {
            let atom = b.param(of.clone());
            self.scope.push((atom, of));
        }
        b.fresh(Type::Text);
        for _ in 0..self.random.below(6) {
            let of = self.random.pick(&types());
            self.value(&mut b, &of);
        }
        let end = self.value(&mut b, &result);
        b.finish(End::Yield(end))
    }

    /// An atom of this type: a variable in scope, a constant, or something new.
    fn value(&mut self, b: &mut Builder, of: &Type) -> Atom {
        let known: Vec<Atom> =
            self.scope.iter().filter(|(_, known)| known == of).map(|(atom, _)| atom.clone()).collect();
        if !known.is_empty() && (self.fuel == 0 || self.random.below(2) == 0) {
            return self.random.pick(&known);
        }
        if self.fuel == 0 || self.random.below(4) == 0 {
            return self.simplest(b, of);
        }
        self.fuel -= 1;
        b.span = match self.random.below(3) {
            0 => Span::default(),
            _ => Span::new(FileId(self.random.below(3) as u32), self.random.below(50), 50 + self.random.below(50)),
        };
        let atom = match self.random.below(8) {
            0 => {
                let condition = self.value(b, &Type::Bool);
                let then = self.block(b, |own, b| own.end(b, of));
                let otherwise = self.block(b, |own, b| own.end(b, of));
                b.bind(of.clone(), Op::If(condition, Box::new(then), Box::new(otherwise)))
            }
            1 => self.switch(b, of),
            2 => self.repeat(b, of),
            3 => self.call(b, of),
            _ => self.fresh(b, of),
        };
        self.scope.push((atom.clone(), of.clone()));
        atom
    }

    fn block(&mut self, b: &mut Builder, body: impl FnOnce(&mut Self, &mut Builder) -> End) -> Block {
        let outer = self.scope.len();
        let block = b.block(|b| body(self, b));
        self.scope.truncate(outer);
        block
    }

    fn end(&mut self, b: &mut Builder, of: &Type) -> End {
        if self.random.below(30) == 0 {
            b.bind(Type::unit(), Op::Fail(codes::USER_ERROR));
            return End::Never;
        }
        End::Yield(self.value(b, of))
    }

    fn switch(&mut self, b: &mut Builder, of: &Type) -> Atom {
        let sum = self.random.pick(&[types()[9].clone(), list_content()]);
        let Type::Sum(alternatives) = &sum else { unreachable!() };
        let on = self.value(b, &sum);
        let mut arms = vec![];
        for alternative in alternatives.iter() {
            let var = b.fresh(alternative.clone());
            let outer = self.scope.len();
            self.scope.push((Atom::Var(var), alternative.clone()));
            arms.push((var, self.block(b, |own, b| own.end(b, of))));
            self.scope.truncate(outer);
        }
        b.bind(of.clone(), Op::Switch(on, arms))
    }

    /// A few rounds with a state of some type beside the value.
    fn repeat(&mut self, b: &mut Builder, of: &Type) -> Atom {
        let state = self.random.pick(&types());
        let first = vec![
            (b.fresh(Type::Int), int(self.random.below(4) as i64)),
            (b.fresh(of.clone()), self.value(b, of)),
            (b.fresh(state.clone()), self.value(b, &state)),
        ];
        let vars: Vec<Var> = first.iter().map(|(var, _)| *var).collect();
        let outer = self.scope.len();
        self.scope.push((Atom::Var(vars[1]), of.clone()));
        self.scope.push((Atom::Var(vars[2]), state.clone()));
        let body = self.block(b, |own, b| {
            let done = b.scalar(Type::Bool, Scalar::IntLe, [Atom::Var(vars[0]), int(0)]);
            let then = own.block(b, |own, b| own.end(b, of));
            let otherwise = own.block(b, |own, b| {
                let less = b.scalar(Type::Int, Scalar::IntSub, [Atom::Var(vars[0]), int(1)]);
                let next = own.value(b, of);
                End::Again(vec![less, next, own.value(b, &state)])
            });
            End::Yield(b.bind(of.clone(), Op::If(done, Box::new(then), Box::new(otherwise))))
        });
        self.scope.truncate(outer);
        b.bind(of.clone(), Op::Loop { params: first, body: Box::new(body) })
    }

    fn call(&mut self, b: &mut Builder, of: &Type) -> Atom {
        let fitting: Vec<usize> =
            (self.id + 1..self.signatures.len()).filter(|id| self.signatures[*id].1 == *of).collect();
        if fitting.is_empty() {
            return self.fresh(b, of);
        }
        let callee = self.random.pick(&fitting);
        let params = self.signatures[callee].0.clone();
        let args = params.iter().map(|param| self.value(b, param)).collect();
        b.call(of.clone(), FunctionId(callee as u32), args)
    }

    /// A new variable of this type by an operation that makes such values.
    fn fresh(&mut self, b: &mut Builder, of: &Type) -> Atom {
        let op = match of {
            Type::Bool | Type::Int => self.scalar(b, of),
            Type::Real => match self.random.below(6) {
                0 => {
                    let array = self.value(b, &reals(1));
                    Op::Element(array, vec![int(self.random.below(2) as i64)])
                }
                1 => {
                    let args = vec![self.value(b, &reals(2))];
                    Op::Prim { prim: Prim::Sum, args, shapes: vec![MATRIX], result: REAL }
                }
                _ => self.scalar(b, of),
            },
            Type::Text => Op::Text(self.random.pick(&["", "a\n", "\"\\", "é\u{7}"]).into()),
            Type::Handle => unreachable!("no handles here"),
            Type::Struct(fields) if fields.is_empty() => self.effect(b),
            Type::Struct(fields) => Op::Struct(fields.iter().map(|field| self.value(b, field)).collect()),
            Type::Sum(alternatives) => match self.random.below(3) {
                0 if *of == list_content() => Op::Unbox(self.value(b, &list())),
                _ => {
                    let tag = self.random.below(alternatives.len());
                    Op::Inject(tag as u32, self.value(b, &alternatives[tag]))
                }
            },
            Type::Array(element, rank) => {
                let row = if *rank == 1 { (**element).clone() } else { Type::Array(element.clone(), rank - 1) };
                self.array(b, of, &row)
            }
            Type::Named(_) if self.random.below(4) == 0 => Op::View(self.value(b, of)),
            Type::Named(_) => Op::Box(self.value(b, &list_content())),
        };
        b.bind(of.clone(), op)
    }

    /// A statement without a value.
    fn effect(&mut self, b: &mut Builder) -> Op {
        match self.random.below(3) {
            0 => {
                b.bind(Type::unit(), Op::Quiet(true));
                self.value(b, &Type::Int);
                Op::Quiet(false)
            }
            1 => {
                let args = vec![self.value(b, &Type::Real)];
                Op::Prim { prim: Prim::Print, args, shapes: vec![REAL], result: UNIT }
            }
            _ => Op::Struct(vec![]),
        }
    }

    fn scalar(&mut self, b: &mut Builder, of: &Type) -> Op {
        let fitting: Vec<Scalar> =
            Scalar::all().filter(|scalar| scalar.signature().is_some_and(|(_, result)| result == *of)).collect();
        if *of == Type::Int && self.random.below(5) == 0 {
            return Op::Len(self.value(b, &reals(1)));
        }
        if *of == Type::Int && self.random.below(8) == 0 {
            return Op::Axis(self.value(b, &reals(2)), 1);
        }
        let scalar = self.random.pick(&fitting);
        let (params, _) = scalar.signature().expect("a scalar that exists");
        // These count up to their last operand.
        if let Scalar::PowerSlope | Scalar::PowerLog = scalar {
            let (a, b, k) = (self.value(b, &Type::Real), self.value(b, &Type::Real), self.random.below(4));
            return Op::Scalar(scalar, vec![a, b, int(k as i64)]);
        }
        Op::Scalar(scalar, params.iter().map(|param| self.value(b, param)).collect())
    }

    fn array(&mut self, b: &mut Builder, of: &Type, row: &Type) -> Op {
        match self.random.below(4) {
            3 => self.reshaped(b, of),
            0 => {
                let n = int(self.random.below(4) as i64 - 1);
                let index = b.fresh(Type::Int);
                let outer = self.scope.len();
                self.scope.push((Atom::Var(index), Type::Int));
                let body = Box::new(self.block(b, |own, b| own.end(b, row)));
                self.scope.truncate(outer);
                Op::Tabulate { n, index, body }
            }
            1 => {
                let array = self.value(b, of);
                let new = self.value(b, row);
                Op::Replace(array, vec![int(0)], new)
            }
            _ => Op::Array((0..1 + self.random.below(2)).map(|_| self.value(b, row)).collect()),
        }
    }

    /// All elements of an array of two axes, or those of an array as it was before.
    fn reshaped(&mut self, b: &mut Builder, of: &Type) -> Op {
        let Type::Array(element, rank) = of else { unreachable!("{of:?} is no array") };
        let vector = Type::Array(element.clone(), 1);
        if *rank == 1 {
            return Op::Flat(self.value(b, &Type::Array(element.clone(), 2)));
        }
        let array = self.value(b, of);
        let axis = |axis| if axis == 0 { Op::Len(array.clone()) } else { Op::Axis(array.clone(), axis) };
        let lengths = (0..*rank).map(|at| b.bind(Type::Int, axis(at))).collect();
        Op::Shaped(b.bind(vector, Op::Flat(array)), lengths)
    }

    /// A value that needs nothing.
    fn simplest(&mut self, b: &mut Builder, of: &Type) -> Atom {
        let op = match of {
            Type::Bool => return Atom::Bool(self.random.below(2) == 0),
            Type::Int => return int(self.random.pick(&[0, 1, -1, 7, i64::MAX, i64::MIN])),
            Type::Real => return real(self.random.pick(&REALS)),
            Type::Struct(fields) if fields.is_empty() => return Atom::Unit,
            Type::Text => Op::Text("x".into()),
            Type::Handle => unreachable!("no handles here"),
            Type::Struct(fields) => Op::Struct(fields.iter().map(|field| self.simplest(b, field)).collect()),
            Type::Sum(alternatives) => {
                let tag = usize::from(alternatives[0] == Type::Real && self.random.below(2) == 0);
                Op::Inject(tag as u32, self.simplest(b, &alternatives[tag]))
            }
            Type::Array(..) => Op::Array(vec![]),
            Type::Named(_) => Op::Box(self.simplest(b, &list_content())),
        };
        b.bind(of.clone(), op)
    }
}

const REALS: [f64; 8] = [0.0, -0.0, 1.5, -1e300, 5e-324, f64::INFINITY, f64::NEG_INFINITY, 0.1];
