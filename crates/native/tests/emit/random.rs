//! Random programs over lists, arrays, sums and structs: whatever is shared, dropped, updated or looped over, the counts are right.

use eval::Value;
use eval::array::Array;
use first_order::build::FunctionBuilder;
use first_order::{Atom, End, Function, FunctionId, Op, Scalar, Type};
use llvm::Effort;

use crate::programs::*;

const PROGRAMS: u64 = 150;
/// Functions of a program; each calls only later ones.
const FUNCTIONS: u32 = 3;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

fn vector() -> Type {
    Type::array(Type::Real, 1)
}

fn lists() -> Type {
    Type::array(list_type(), 1)
}

fn alternatives() -> [Type; 4] {
    [Type::Int, pair_type(), Type::fields([vector(), list_type()]), Type::unit()]
}

fn types() -> [Type; 7] {
    [Type::Int, list_type(), vector(), lists(), pair_type(), Type::sum(alternatives()), content_type()]
}

fn result_type() -> Type {
    Type::fields([Type::Int, Type::Real, Type::Bool, list_type(), vector(), Type::Int])
}

/// The parameters of every function.
fn params() -> [Type; 3] {
    [Type::Int, list_type(), vector()]
}

struct Maker {
    random: Random,
    /// The function being made.
    number: u32,
    scope: Vec<(Type, Atom)>,
}

impl Maker {
    fn function(&mut self, number: u32) -> Function {
        self.number = number;
        let mut f = FunctionBuilder::new("f", result_type());
        self.scope = params().into_iter().map(|ty| (ty.clone(), f.param(ty))).collect();
        self.statements(&mut f, 3, 8);
        let (n, list, v, m) = (
            self.atom(&mut f, &Type::Int),
            self.atom(&mut f, &list_type()),
            self.atom(&mut f, &vector()),
            self.atom(&mut f, &Type::Int),
        );
        let value = f.bind(result_type(), Op::Struct(vec![n, Atom::Real(0.5), Atom::Bool(true), list, v, m]));
        f.finish(End::Yield(value))
    }

    /// Some value of a type that is in scope, or a new one.
    fn atom(&mut self, f: &mut FunctionBuilder, ty: &Type) -> Atom {
        let known: Vec<Atom> = self.scope.iter().filter(|(of, _)| of == ty).map(|(_, atom)| atom.clone()).collect();
        if known.is_empty() || self.random.below(8) == 0 {
            return self.new_atom(f, ty);
        }
        known[self.random.below(known.len())].clone()
    }

    fn new_atom(&mut self, f: &mut FunctionBuilder, ty: &Type) -> Atom {
        match ty {
            Type::Int => Atom::Int(self.random.below(4) as i64),
            Type::Real => Atom::Real(self.random.below(4) as f64),
            Type::Named(_) => match self.random.below(3) {
                0 => empty_list(f),
                1 => {
                    let content = self.atom(f, &content_type());
                    f.bind(ty.clone(), Op::Box(content))
                }
                _ => {
                    let (head, tail) = (self.atom(f, &Type::Int), self.atom(f, &list_type()));
                    put_before(f, head, tail)
                }
            },
            Type::Array(element, _) => {
                let elements = (0..=self.random.below(3)).map(|_| self.atom(f, element)).collect();
                f.bind(ty.clone(), Op::Array(elements))
            }
            Type::Struct(fields) => {
                let fields = fields.iter().map(|field| self.atom(f, field)).collect();
                f.bind(ty.clone(), Op::Struct(fields))
            }
            Type::Sum(alternatives) => {
                let tag = self.random.below(alternatives.len());
                let content = self.atom(f, &alternatives[tag]);
                f.bind(ty.clone(), Op::Inject(tag as u32, content))
            }
            other => unreachable!("no values of {other:?} are made"),
        }
    }

    fn statements(&mut self, f: &mut FunctionBuilder, depth: usize, count: usize) {
        for _ in 0..self.random.below(count) + 1 {
            let ty = types()[self.random.below(types().len())].clone();
            let atom = self.statement(f, &ty, depth);
            self.scope.push((ty, atom));
        }
    }

    /// A block that makes a value of a type, in a scope of its own.
    fn inner(&mut self, f: &mut FunctionBuilder, ty: &Type, depth: usize, bound: &[(Type, Atom)]) -> Atom {
        let outer = self.scope.len();
        self.scope.extend_from_slice(bound);
        self.statements(f, depth - 1, 3);
        let atom = self.atom(f, ty);
        self.scope.truncate(outer);
        atom
    }

    fn statement(&mut self, f: &mut FunctionBuilder, ty: &Type, depth: usize) -> Atom {
        if depth == 0 {
            return self.new_atom(f, ty);
        }
        match self.random.below(9) {
            0 => self.choose(f, ty, depth),
            1 => self.switch(f, ty, depth, &Type::sum(alternatives())),
            2 => self.switch(f, ty, depth, &content_type()),
            3 => {
                let list = self.atom(f, &list_type());
                let content = f.bind(content_type(), Op::Unbox(list));
                if self.random.below(3) == 0 {
                    self.scope.push((content_type(), content.clone()));
                }
                self.switch_on(f, ty, depth, content, &[Type::unit(), pair_type()])
            }
            4 => self.repeat(f, ty, depth),
            5 if self.number + 1 < FUNCTIONS => {
                let args = params().iter().map(|ty| self.atom(f, ty)).collect();
                let callee = self.number + 1 + self.random.below((FUNCTIONS - self.number - 1) as usize) as u32;
                let whole = f.call(result_type(), FunctionId(callee), args);
                let list = f.bind(list_type(), Op::Field(whole.clone(), 3));
                let array = f.bind(vector(), Op::Field(whole, 4));
                self.scope.extend([(list_type(), list), (vector(), array)]);
                self.new_atom(f, ty)
            }
            6 => self.array(f, ty, depth),
            7 => {
                let pair = self.atom(f, &pair_type());
                let field = f.bind(list_type(), Op::Field(pair, 1));
                self.scope.push((list_type(), field));
                self.new_atom(f, ty)
            }
            _ => self.new_atom(f, ty),
        }
    }

    fn choose(&mut self, f: &mut FunctionBuilder, ty: &Type, depth: usize) -> Atom {
        let n = self.atom(f, &Type::Int);
        let condition = f.scalar(Type::Bool, Scalar::IntGt, [n, Atom::Int(1)]);
        let yes = Box::new(f.block(|f| End::Yield(self.inner(f, ty, depth, &[]))));
        let no = Box::new(f.block(|f| End::Yield(self.inner(f, ty, depth, &[]))));
        f.bind(ty.clone(), Op::If(condition, yes, no))
    }

    fn switch(&mut self, f: &mut FunctionBuilder, ty: &Type, depth: usize, sum: &Type) -> Atom {
        let value = self.atom(f, sum);
        let Type::Sum(alternatives) = sum else { unreachable!("a sum") };
        self.switch_on(f, ty, depth, value, alternatives)
    }

    fn switch_on(&mut self, f: &mut FunctionBuilder, ty: &Type, depth: usize, value: Atom, parts: &[Type]) -> Atom {
        f.switch(ty.clone(), value, parts, |f, tag, content| {
            End::Yield(self.inner(f, ty, depth, &[(parts[tag].clone(), content)]))
        })
    }

    /// A loop of a few rounds that carries a value.
    fn repeat(&mut self, f: &mut FunctionBuilder, ty: &Type, depth: usize) -> Atom {
        let (rounds, first) = (self.random.below(4) as i64, self.atom(f, ty));
        f.repeat(ty.clone(), vec![(Type::Int, Atom::Int(rounds)), (ty.clone(), first)], |f, params| {
            let bound = [(Type::Int, params[0].clone()), (ty.clone(), params[1].clone())];
            let outer = self.scope.len();
            self.scope.extend_from_slice(&bound);
            self.statements(f, depth - 1, 3);
            let more = f.scalar(Type::Bool, Scalar::IntGt, [params[0].clone(), Atom::Int(0)]);
            let step = Box::new(f.block(|f| {
                let next = self.inner(f, ty, depth, &[]);
                let less = f.scalar(Type::Int, Scalar::IntSub, [params[0].clone(), Atom::Int(1)]);
                End::Again(vec![less, next])
            }));
            let done = Box::new(f.block(|f| End::Yield(self.inner(f, ty, depth, &[]))));
            self.scope.truncate(outer);
            End::Yield(f.bind(ty.clone(), Op::If(more, step, done)))
        })
    }

    /// Arrays are never empty: index 0 is in range.
    fn array(&mut self, f: &mut FunctionBuilder, ty: &Type, depth: usize) -> Atom {
        let (of, element) = if self.random.below(2) == 0 { (lists(), list_type()) } else { (vector(), Type::Real) };
        let array = self.atom(f, &of);
        let made = match self.random.below(3) {
            0 => {
                let value = self.atom(f, &element);
                f.bind(of.clone(), Op::Replace(array, vec![Atom::Int(0)], value))
            }
            1 => {
                let n = Atom::Int(1 + self.random.below(3) as i64);
                let inner = element.clone();
                f.tabulate(of.clone(), n, |f, i| End::Yield(self.inner(f, &inner, depth, &[(Type::Int, i)])))
            }
            _ => array,
        };
        let length = f.bind(Type::Int, Op::Len(made.clone()));
        let first = f.bind(element.clone(), Op::Element(made.clone(), vec![Atom::Int(0)]));
        self.scope.extend([(of, made), (Type::Int, length), (element, first)]);
        self.new_atom(f, ty)
    }
}

#[test]
fn random_programs_agree_and_lose_nothing() {
    for seed in 0..PROGRAMS {
        let mut maker = Maker { random: Random(seed * 7919 + 13), number: 0, scope: vec![] };
        let functions = (0..FUNCTIONS).map(|number| maker.function(number)).collect();
        let program = program(functions, &[INT, LIST, REALS], SIX);
        let reals = Value::array(Array::vector(vec![1.0, 2.5]));
        let inputs: Vec<_> = (0..4).map(|n| vec![Value::Int(n), list(n), reals.clone()]).collect();
        let effort = if seed % 10 == 0 { Effort::Full } else { Effort::Quick };
        check_at(&[effort], &program, &inputs);
    }
}
