//! Random programs that are well-formed, end, and use every operation: recursion, sums, tapes and sensitivities of arrays among them.
//! They may fail.

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

/// What a function takes and gives.
struct Signature {
    params: Vec<Type>,
    result: Type,
    /// It calls itself with its first parameter, an int, less by one until that is 0.
    recursive: bool,
    /// It is made of scalars and choices alone, and has no other parameter.
    simple: bool,
}

/// A program of a few functions; each calls only those after it, or itself. Last come two recursions over a tape: one makes its nodes, the
/// other takes them apart.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let count = 1 + random.below(4);
    let pool = types();
    let mut signatures = vec![Signature {
        params: vec![Type::Int, Type::Real, reals(1)],
        result: Type::Real,
        recursive: false,
        simple: false,
    }];
    for _ in 1..count {
        if random.below(4) == 0 {
            let result = random.pick(&[Type::Real, Type::Int]);
            signatures.push(Signature { params: vec![Type::Int], result, recursive: true, simple: true });
            continue;
        }
        let recursive = random.below(2) == 0;
        let params = (0..random.below(3)).map(|_| random.pick(&pool));
        let params = recursive.then_some(Type::Int).into_iter().chain(params).collect();
        signatures.push(Signature { params, result: random.pick(&pool), recursive, simple: false });
    }
    let mut functions: Vec<Function> =
        (0..count).map(|id| Generator::new(&mut random, &signatures, id).function()).collect();
    functions.push(Generator::new(&mut random, &signatures, count).forward());
    functions.push(Generator::new(&mut random, &signatures, count).back());
    let mut program = crate::common::program(functions, &[INT, REAL, VECTOR], REAL);
    program.types.push(Definition { name: "Tape".into(), content: tape_content() });
    add_shapes(&mut program.shapes);
    program
}

/// Shapes that only these programs mention, behind the common ones.
const FRAME: ShapeId = ShapeId(10);
const NUMBER: ShapeId = ShapeId(11);
const HANDLE: ShapeId = ShapeId(12);
const MAYBE: ShapeId = ShapeId(13);

fn add_shapes(shapes: &mut Shapes) {
    assert_eq!(shapes.0.len(), FRAME.0 as usize, "behind the common shapes");
    let number = vec![alternative(Head::Zero, &[]), alternative(Head::Real, &[])];
    let maybe = vec![alternative(Head::Zero, &[]), alternative(Head::Handle(1), &[NUMBER])];
    shapes.0.extend([
        plain(Head::Frame(1), &[INT]),
        Shape { alternatives: number, named: None },
        plain(Head::Handle(1), &[NUMBER]),
        Shape { alternatives: maybe, named: None },
    ]);
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
        Type::Handle,
    ]
}

fn pair() -> Type {
    Type::fields([Type::Real, Type::Real])
}

fn tape() -> Type {
    Type::Named(NamedId(1))
}

/// A node of the tape: what a step remembers, and the next node.
fn entry() -> Type {
    Type::fields([Type::Real, Type::Int, Type::Real, tape()])
}

fn tape_content() -> Type {
    Type::sum([Type::unit(), entry()])
}

struct Generator<'a> {
    random: &'a mut Random,
    signatures: &'a [Signature],
    id: usize,
    /// The variables that can be used here.
    scope: Vec<(Atom, Type)>,
    /// How much more may be generated.
    fuel: usize,
    /// In a function that calls itself, where it may: how often it still goes on, and how many calls may be written.
    goes_on: Option<(Atom, usize)>,
    /// Only scalars and choices are made.
    simple: bool,
}

type Builder = FunctionBuilder;

impl<'a> Generator<'a> {
    fn new(random: &'a mut Random, signatures: &'a [Signature], id: usize) -> Generator<'a> {
        let fuel = 10 + random.below(60);
        Generator { random, signatures, id, scope: vec![], fuel, goes_on: None, simple: false }
    }

    fn function(mut self) -> Function {
        let Signature { params, result, recursive, simple } = &self.signatures[self.id];
        self.simple = *simple;
        let (params, result) = (params.clone(), result.clone());
        let names = ["sum", "<~", "", "my f\n\"x\"", "if"];
        let mut b = Builder::new(names[self.random.below(names.len())], result.clone());
        for of in params {
            let atom = b.param(of.clone());
            self.scope.push((atom, of));
        }
        b.fresh(Type::Text);
        for _ in 0..if *simple { 0 } else { self.random.below(6) } {
            let of = self.random.pick(&types());
            self.value(&mut b, &of);
        }
        let end = if *recursive { self.recursion(&mut b, &result) } else { self.value(&mut b, &result) };
        let end = if self.id == 0 { self.with_all(&mut b, end) } else { end };
        b.finish(End::Yield(end))
    }

    /// The sum of a number and the others that the program has made: somebody needs them.
    fn with_all(&mut self, b: &mut Builder, end: Atom) -> Atom {
        let mut total = end;
        for (atom, of) in self.scope.clone() {
            let number = match of {
                Type::Real => atom,
                Type::Array(element, 1) if *element == Type::Real => {
                    let n = b.bind(Type::Int, Op::Len(atom.clone()));
                    b.sum(n, |b, i| End::Yield(b.bind(Type::Real, Op::Element(atom, vec![i]))))
                }
                Type::Handle => {
                    let whole = b.bind(reals(1), Op::Array(vec![real(0.0), real(0.0)]));
                    let (args, shapes) = (vec![whole, atom], vec![VECTOR, HANDLE]);
                    let whole = b.bind(reals(1), Op::Prim { prim: Prim::Materialise, args, shapes, result: VECTOR });
                    b.bind(Type::Real, Op::Element(whole, vec![int(1)]))
                }
                _ => continue,
            };
            total = b.scalar(Type::Real, Scalar::Add, [total, number]);
        }
        total
    }

    /// A body that goes on while the first parameter is positive; half of them call themselves last.
    fn recursion(&mut self, b: &mut Builder, of: &Type) -> Atom {
        let left = Atom::Var(Var(0));
        let done = b.scalar(Type::Bool, Scalar::IntLe, [left.clone(), int(0)]);
        let then = self.block(b, |own, b| own.end(b, of));
        let otherwise = self.block(b, |own, b| {
            let less = b.scalar(Type::Int, Scalar::IntSub, [left, int(1)]);
            own.goes_on = Some((less, 2));
            let end = if own.random.below(2) == 0 { own.itself(b, of) } else { own.value(b, of) };
            own.goes_on = None;
            End::Yield(end)
        });
        b.bind(of.clone(), Op::If(done, Box::new(then), Box::new(otherwise)))
    }

    fn itself(&mut self, b: &mut Builder, of: &Type) -> Atom {
        let Some((less, calls @ 1..)) = self.goes_on.clone() else { return self.fresh(b, of) };
        self.goes_on = Some((less.clone(), calls - 1));
        let params = self.signatures[self.id].params.clone();
        let rest: Vec<Atom> = params[1..].iter().map(|param| self.value(b, param)).collect();
        b.call(of.clone(), FunctionId(self.id as u32), [less].into_iter().chain(rest).collect())
    }

    /// `forward(n, x)`: the last of the numbers that n steps make of x, and the tape of the steps.
    fn forward(mut self) -> Function {
        let id = FunctionId(self.signatures.len() as u32);
        let result = Type::fields([Type::Real, tape()]);
        let mut b = Builder::new("forward", result.clone());
        let (n, x) = (b.param(Type::Int), b.param(Type::Real));
        self.scope = vec![(n.clone(), Type::Int), (x.clone(), Type::Real)];
        self.fuel = 6;
        let done = b.scalar(Type::Bool, Scalar::IntLe, [n.clone(), int(0)]);
        // Half of them make the node behind the choice.
        let behind = self.random.below(2) == 0;
        let held = if behind { tape_content() } else { tape() };
        let chosen = Type::fields([Type::Real, held]);
        let node = |b: &mut Builder, tag, content| {
            let content = b.bind(tape_content(), Op::Inject(tag, content));
            if behind { content } else { b.bind(tape(), Op::Box(content)) }
        };
        let last = b.block(|b| {
            let end = node(b, 0, Atom::Unit);
            End::Yield(b.bind(chosen.clone(), Op::Struct(vec![x.clone(), end])))
        });
        let step = self.block(&mut b, |own, b| {
            let remembered = own.value(b, &Type::Real);
            let next = own.value(b, &Type::Real);
            let less = b.scalar(Type::Int, Scalar::IntSub, [n.clone(), int(1)]);
            let rest = b.call(result.clone(), id, vec![less, next]);
            let value = b.bind(Type::Real, Op::Field(rest.clone(), 0));
            let tail = b.bind(tape(), Op::Field(rest, 1));
            let content = b.bind(entry(), Op::Struct(vec![x.clone(), n.clone(), remembered, tail]));
            let made = node(b, 1, content);
            End::Yield(b.bind(chosen.clone(), Op::Struct(vec![value, made])))
        });
        let mut value = b.bind(chosen, Op::If(done, Box::new(last), Box::new(step)));
        if behind {
            let number = b.bind(Type::Real, Op::Field(value.clone(), 0));
            let content = b.bind(tape_content(), Op::Field(value, 1));
            let made = b.bind(tape(), Op::Box(content));
            value = b.bind(result, Op::Struct(vec![number, made]));
        }
        b.finish(End::Yield(value))
    }

    /// `back(tape, d)`: works from the last step to the first on what the steps have remembered.
    fn back(mut self) -> Function {
        let id = FunctionId(self.signatures.len() as u32 + 1);
        let mut b = Builder::new("back", Type::Real);
        let (nodes, d) = (b.param(tape()), b.param(Type::Real));
        let content = b.bind(tape_content(), Op::Unbox(nodes));
        let value = b.switch(Type::Real, content, &[Type::unit(), entry()], |b, tag, content| {
            if tag == 0 {
                return End::Yield(d.clone());
            }
            let of = [Type::Real, Type::Int, Type::Real, tape()];
            let parts: Vec<Atom> =
                (0..).zip(&of).map(|(at, of)| b.bind(of.clone(), Op::Field(content.clone(), at))).collect();
            let rest = b.call(Type::Real, id, vec![parts[3].clone(), d.clone()]);
            self.scope = parts.into_iter().zip(of).take(3).collect();
            self.scope.push((rest.clone(), Type::Real));
            self.fuel = 6;
            let slope = self.value(b, &Type::Real);
            End::Yield(b.scalar(Type::Real, Scalar::Mul, [rest, slope]))
        });
        b.finish(End::Yield(value))
    }

    /// A number that comes back along a tape of a few steps.
    fn along_a_tape(&mut self, b: &mut Builder) -> Atom {
        let (forward, back) = (self.signatures.len() as u32, self.signatures.len() as u32 + 1);
        let n = int(self.random.below(4) as i64);
        let (x, d) = (self.value(b, &Type::Real), self.value(b, &Type::Real));
        let made = b.call(Type::fields([Type::Real, tape()]), FunctionId(forward), vec![n, x]);
        let nodes = b.bind(tape(), Op::Field(made, 1));
        b.call(Type::Real, FunctionId(back), vec![nodes, d])
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
            1 | 2 if self.simple => self.fresh(b, of),
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
        if self.simple && self.goes_on.is_none() {
            return self.fresh(b, of);
        }
        if self.goes_on.is_some() && self.signatures[self.id].result == *of {
            return self.itself(b, of);
        }
        if *of == Type::Real && !self.simple && self.id < self.signatures.len() && self.random.below(3) == 0 {
            return self.along_a_tape(b);
        }
        let fitting: Vec<usize> =
            (self.id + 1..self.signatures.len()).filter(|id| self.signatures[*id].result == *of).collect();
        if fitting.is_empty() || self.simple {
            return self.fresh(b, of);
        }
        let callee = self.random.pick(&fitting);
        let Signature { params, recursive, .. } = &self.signatures[callee];
        let times = recursive.then(|| int(self.random.below(4) as i64));
        let rest: Vec<Atom> = params[usize::from(*recursive)..].iter().map(|param| self.value(b, param)).collect();
        b.call(of.clone(), FunctionId(callee as u32), times.into_iter().chain(rest).collect())
    }

    /// A new variable of this type by an operation that makes such values.
    fn fresh(&mut self, b: &mut Builder, of: &Type) -> Atom {
        let op = match of {
            Type::Bool | Type::Int => self.scalar(b, of),
            Type::Real if self.simple => self.scalar(b, of),
            Type::Real => match self.random.below(10) {
                0 => {
                    let array = self.value(b, &reals(1));
                    Op::Element(array, vec![int(self.random.below(2) as i64)])
                }
                1 => {
                    let args = vec![self.value(b, &reals(2))];
                    Op::Prim { prim: Prim::Sum, args, shapes: vec![MATRIX], result: REAL }
                }
                2 => self.sum(b),
                3 => Op::Field(self.value(b, &pair()), 0),
                4 => Op::Atom(self.value(b, &Type::Real)),
                5 => self.part_of_element(b),
                _ => self.scalar(b, of),
            },
            Type::Text => Op::Text(self.random.pick(&["", "a\n", "\"\\", "é\u{7}"]).into()),
            Type::Handle => self.sensitivity(b),
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
        match self.random.below(4) {
            0 => {
                b.bind(Type::unit(), Op::Quiet(true));
                self.value(b, &Type::Int);
                Op::Quiet(false)
            }
            1 => {
                let args = vec![self.value(b, &Type::Real)];
                Op::Prim { prim: Prim::Print, args, shapes: vec![REAL], result: UNIT }
            }
            2 => {
                let condition = self.value(b, &Type::Bool);
                Op::Require(condition, codes::USER_ERROR)
            }
            _ => Op::Struct(vec![]),
        }
    }

    /// A part of an element of an array of structs, which hold what is there outside.
    fn part_of_element(&mut self, b: &mut Builder) -> Op {
        let (outside, n) = (self.value(b, &Type::Real), int(1 + self.random.below(3) as i64));
        let element = Type::fields([Type::Real, Type::Int]);
        let array = b.tabulate(Type::array(element.clone(), 1), n, |b, i| {
            End::Yield(b.bind(element.clone(), Op::Struct(vec![outside, i])))
        });
        let read = b.bind(element, Op::Element(array, vec![int(self.random.below(2) as i64)]));
        Op::Field(read, 0)
    }

    /// The sum of what a body makes of a few indices.
    fn sum(&mut self, b: &mut Builder) -> Op {
        let n = int(self.random.below(4) as i64);
        let index = b.fresh(Type::Int);
        let outer = self.scope.len();
        self.scope.push((Atom::Var(index), Type::Int));
        let body = Box::new(self.block(b, |own, b| own.end(b, &Type::Real)));
        self.scope.truncate(outer);
        Op::Sum { n, index, body }
    }

    /// A sensitivity of an array of two reals. Its numbers are small whole ones, so that they may be added in any order.
    fn sensitivity(&mut self, b: &mut Builder) -> Op {
        match self.random.below(5) {
            0 => {
                let whole = b.bind(reals(1), Op::Array(vec![self.whole(), real(-0.0)]));
                Op::Collected(whole)
            }
            1 => {
                let (handle, factor) = (self.value(b, &Type::Handle), self.whole());
                Op::Prim { prim: Prim::Scale, args: vec![handle, factor], shapes: vec![HANDLE, REAL], result: HANDLE }
            }
            2 | 3 => {
                let args = vec![self.value(b, &Type::Handle), self.value(b, &Type::Handle)];
                Op::Prim { prim: Prim::Plus, args, shapes: vec![HANDLE, HANDLE], result: HANDLE }
            }
            _ => self.one_hot(b),
        }
    }

    fn one_hot(&mut self, b: &mut Builder) -> Op {
        let frame = b.bind(Type::fields([Type::Int]), Op::Struct(vec![int(2)]));
        let args = vec![frame, int(self.random.below(2) as i64), self.whole()];
        Op::Prim { prim: Prim::Place, args, shapes: vec![FRAME, INT, REAL], result: HANDLE }
    }

    fn whole(&mut self) -> Atom {
        real([1.0, 2.0, 3.0, 5.0][self.random.below(4)])
    }

    /// A sensitivity as an array: spread out, or given its full shape, where it may be missing altogether.
    fn spread_out(&mut self, b: &mut Builder) -> Op {
        let handle = self.value(b, &Type::Handle);
        if self.random.below(3) == 0 {
            return Op::Dense(handle);
        }
        let of = b.bind(reals(1), Op::Array(vec![real(0.0), real(0.0)]));
        if self.random.below(2) == 0 {
            return Op::Prim {
                prim: Prim::Materialise,
                args: vec![of, handle],
                shapes: vec![VECTOR, HANDLE],
                result: VECTOR,
            };
        }
        let maybe = Type::sum([Type::unit(), Type::Handle]);
        let tag = self.random.below(2) as u32;
        let content = if tag == 0 { Atom::Unit } else { handle };
        let args = vec![of, b.bind(maybe, Op::Inject(tag, content))];
        Op::Prim { prim: Prim::Materialise, args, shapes: vec![VECTOR, MAYBE], result: VECTOR }
    }

    fn scalar(&mut self, b: &mut Builder, of: &Type) -> Op {
        let fitting: Vec<Scalar> =
            Scalar::all().filter(|scalar| scalar.signature().is_some_and(|(_, result)| result == *of)).collect();
        if *of == Type::Int && !self.simple && self.random.below(5) == 0 {
            return Op::Len(self.value(b, &reals(1)));
        }
        if *of == Type::Int && !self.simple && self.random.below(8) == 0 {
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
        match self.random.below(6) {
            3 => self.reshaped(b, of),
            4 if *of == reals(1) => self.spread_out(b),
            5 if matches!(of, Type::Array(_, 1)) => Op::Append(self.value(b, of), self.value(b, row)),
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
            Type::Handle => self.one_hot(b),
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
