//! What the passes do with arrays, on small programs.

#[path = "../../first_order/tests/common/mod.rs"]
mod common;
mod looking;

use calculus::Prim;
use common::*;
use first_order::build::FunctionBuilder;
use first_order::*;
use looking::*;
use optimise::optimise;

/// A function of a vector and an int that gives a real.
fn of_vector(body: impl FnOnce(&mut FunctionBuilder, Atom, Atom) -> Atom) -> Program {
    let mut b = FunctionBuilder::new("main", Type::Real);
    let (xs, n) = (b.param(reals(1)), b.param(Type::Int));
    let value = body(&mut b, xs, n);
    program(vec![b.finish(End::Yield(value))], &[VECTOR, INT], REAL)
}

fn on_vector(xs: &[f64], n: i64) -> Vec<eval::Value> {
    vec![eval::Value::array(eval::array::Array::vector(xs.to_vec())), eval::Value::Int(n)]
}

/// `tabulate(len xs)` of pairs of an element's square and of something expensive, both read once.
fn pairs(read: impl Fn(&mut FunctionBuilder, Atom) -> Atom) -> Program {
    let pair = Type::fields([Type::Real, Type::Real, Type::Int]);
    of_vector(|b, xs, n| {
        let length = b.bind(Type::Int, Op::Len(xs.clone()));
        let table = b.tabulate(Type::array(pair.clone(), 1), length, |b, i| {
            let x = b.bind(Type::Real, Op::Element(xs.clone(), vec![i.clone()]));
            let square = b.scalar(Type::Real, Scalar::Mul, [x.clone(), x.clone()]);
            let exp = b.scalar(Type::Real, Scalar::Function(0), [x]);
            End::Yield(b.bind(pair.clone(), Op::Struct(vec![square, exp, i])))
        });
        let element = b.bind(pair.clone(), Op::Element(table, vec![n]));
        read(b, element)
    })
}

fn table_types(program: &Program) -> Vec<Type> {
    let function = &program.functions[program.entry.0 as usize];
    let tables = function.body.statements.iter().filter(|statement| matches!(statement.op, Op::Tabulate { .. }));
    tables.map(|statement| function.vars[statement.var.0 as usize].clone()).collect()
}

#[test]
fn parts_of_elements_that_are_cheap_are_computed_again_and_not_stored() {
    let program = pairs(|b, element| b.bind(Type::Real, Op::Field(element, 0)));
    let args = [on_vector(&[1.0, 2.0, 3.0], 2), on_vector(&[1.0], 1), on_vector(&[], 0), on_vector(&[1.0], -1)];
    let program = same_after(program, "fusion", &args);
    assert_eq!(table_types(&program), [Type::array(Type::unit(), 1)], "{}", text(&program));
}

#[test]
fn parts_of_elements_that_are_dear_are_stored_and_the_others_are_not() {
    let program = pairs(|b, element| {
        let exp = b.bind(Type::Real, Op::Field(element.clone(), 1));
        let at = b.bind(Type::Int, Op::Field(element, 2));
        let at = b.scalar(Type::Real, Scalar::ToReal, [at]);
        b.scalar(Type::Real, Scalar::Add, [exp, at])
    });
    let program = same_after(program, "fusion", &[on_vector(&[1.0, 2.0, 3.0], 2), on_vector(&[1.0], 1)]);
    assert_eq!(table_types(&program), [Type::array(Type::Real, 1)], "{}", text(&program));
}

#[test]
fn an_element_that_fails_still_fails_where_the_array_is_made() {
    let program = of_vector(|b, xs, n| {
        let table = b.tabulate(reals(1), n, |b, i| End::Yield(b.bind(Type::Real, Op::Element(xs.clone(), vec![i]))));
        b.bind(Type::Real, Op::Element(table, vec![int(0)]))
    });
    let args = [on_vector(&[1.0, 2.0], 2), on_vector(&[1.0, 2.0], 3), on_vector(&[1.0], 0)];
    let mut program = same_after(program, "fusion", &args);
    let before: Vec<String> = args.iter().map(|args| shown(run_on(&program, args.clone()))).collect();
    optimise(&mut program);
    let after: Vec<String> = args.iter().map(|args| shown(run_on(&program, args.clone()))).collect();
    assert_eq!(before, after);
}

#[test]
fn an_array_that_is_updated_is_not_read_instead_of_what_was_stored() {
    let program = of_vector(|b, xs, n| {
        let length = b.bind(Type::Int, Op::Len(xs.clone()));
        let table = b.tabulate(reals(1), length, |b, i| {
            let x = b.bind(Type::Real, Op::Element(xs.clone(), vec![i]));
            End::Yield(b.scalar(Type::Real, Scalar::Add, [x, real(1.0)]))
        });
        let updated = b.bind(reals(1), Op::Replace(xs, vec![n.clone()], real(7.0)));
        let new = b.bind(Type::Real, Op::Element(updated, vec![n.clone()]));
        let old = b.bind(Type::Real, Op::Element(table, vec![n]));
        b.scalar(Type::Real, Scalar::Add, [new, old])
    });
    let program = same_after(program, "fusion", &[on_vector(&[1.0, 2.0], 1)]);
    assert_eq!(table_types(&program), [reals(1)], "{}", text(&program));
}

#[test]
fn parts_of_elements_that_are_cheap_given_others_are_computed_from_those() {
    let pair = Type::fields([Type::Real, Type::Real]);
    let program = of_vector(|b, xs, n| {
        let length = b.bind(Type::Int, Op::Len(xs.clone()));
        let table = b.tabulate(Type::array(pair.clone(), 1), length, |b, i| {
            let x = b.bind(Type::Real, Op::Element(xs.clone(), vec![i]));
            let exp = b.scalar(Type::Real, Scalar::Function(0), [x.clone()]);
            let product = b.scalar(Type::Real, Scalar::Mul, [x, exp.clone()]);
            End::Yield(b.bind(pair.clone(), Op::Struct(vec![product, exp])))
        });
        let element = b.bind(pair.clone(), Op::Element(table, vec![n]));
        let product = b.bind(Type::Real, Op::Field(element.clone(), 0));
        let exp = b.bind(Type::Real, Op::Field(element, 1));
        b.scalar(Type::Real, Scalar::Add, [product, exp])
    });
    let program = same_after(program, "fusion", &[on_vector(&[1.0, 2.0, 3.0], 2), on_vector(&[1.0], 0)]);
    assert_eq!(table_types(&program), [reals(1)], "{}", text(&program));
}

#[test]
fn an_array_of_all_elements_of_another_is_that_other() {
    let copies = |longer: i64| {
        of_vector(move |b, xs, n| {
            let length = b.bind(Type::Int, Op::Len(xs.clone()));
            let length = if longer == 0 { length } else { b.scalar(Type::Int, Scalar::IntSub, [length, int(longer)]) };
            let copy =
                b.tabulate(reals(1), length, |b, i| End::Yield(b.bind(Type::Real, Op::Element(xs.clone(), vec![i]))));
            let copy = b.bind(reals(1), Op::Replace(copy, vec![n.clone()], real(7.0)));
            let (new, old) = (Op::Element(copy, vec![n.clone()]), Op::Element(xs, vec![n]));
            let (new, old) = (b.bind(Type::Real, new), b.bind(Type::Real, old));
            b.scalar(Type::Real, Scalar::Add, [new, old])
        })
    };
    let args = [on_vector(&[1.0, 2.0], 1), on_vector(&[1.0, 2.0], 0), on_vector(&[], 0)];
    assert_eq!(table_types(&same_after(copies(0), "fusion", &args)), []);
    assert_eq!(table_types(&same_after(copies(1), "fusion", &args)), [reals(1)]);
}

#[test]
fn readings_in_range_that_nobody_needs_are_dropped_and_others_are_not() {
    let read = |start: i64, less: Scalar| {
        of_vector(move |b, xs, _| {
            let length = b.bind(Type::Int, Op::Len(xs.clone()));
            let table = b.tabulate(Type::array(Type::unit(), 1), length.clone(), |b, i| {
                b.bind(Type::Real, Op::Element(xs.clone(), vec![i]));
                End::Yield(Atom::Unit)
            });
            let (i, sum) = (b.fresh(Type::Int), b.fresh(Type::Real));
            let body = b.block(|b| {
                let more = b.scalar(Type::Bool, less, [Atom::Var(i), length.clone()]);
                let value = b.choose(
                    Type::Real,
                    more,
                    |b| {
                        b.bind(Type::unit(), Op::Element(table.clone(), vec![Atom::Var(i)]));
                        let next = b.scalar(Type::Int, Scalar::IntAdd, [Atom::Var(i), int(1)]);
                        let more = b.scalar(Type::Real, Scalar::Add, [Atom::Var(sum), real(1.0)]);
                        End::Again(vec![next, more])
                    },
                    |_| End::Yield(Atom::Var(sum)),
                );
                End::Yield(value)
            });
            let params = vec![(i, int(start)), (sum, real(0.0))];
            b.bind(Type::Real, Op::Loop { params, body: Box::new(body) })
        })
    };
    let elements = |program: &Program| ops(program).iter().filter(|op| matches!(op, Op::Element(..))).count();
    let args = [on_vector(&[1.0, 2.0], 0), on_vector(&[], 0)];
    assert_eq!(elements(&same_after(read(0, Scalar::IntLt), "bounds", &args)), 0);
    assert_eq!(elements(&same_after(read(-1, Scalar::IntLt), "bounds", &args)), 1);
    assert_eq!(elements(&same_after(read(0, Scalar::IntLe), "bounds", &args)), 1);
}

#[test]
fn numbers_that_are_counted_and_added_need_no_array() {
    let program = of_vector(|b, _, n| {
        let counted = b.bind(
            Type::array(Type::Int, 1),
            Op::Prim { prim: Prim::Iota, args: vec![n], shapes: vec![INT], result: INTS },
        );
        let sum = Op::Prim { prim: Prim::Sum, args: vec![counted], shapes: vec![INTS], result: INT };
        let sum = b.bind(Type::Int, sum);
        b.scalar(Type::Real, Scalar::ToReal, [sum])
    });
    let args = [on_vector(&[], 5), on_vector(&[], 0), on_vector(&[], -1)];
    let mut program = same_after(program, "elementwise", &args);
    assert!(ops(&program).iter().all(|op| !matches!(op, Op::Prim { .. })), "{}", text(&program));
    optimise(&mut program);
    assert!(table_types(&program).iter().all(|ty| *ty == Type::array(Type::unit(), 1)), "{}", text(&program));
}

/// So long that looking at all that is known of lengths at each element would take minutes.
#[test]
fn long_chains_of_arrays_take_linear_time() {
    let program = of_vector(|b, xs, n| {
        let mut last = xs.clone();
        for _ in 0..2000 {
            let prim = Prim::Mul;
            let args = vec![last, xs.clone()];
            last = b.bind(reals(1), Op::Prim { prim, args, shapes: vec![VECTOR, VECTOR], result: VECTOR });
        }
        b.bind(Type::Real, Op::Element(last, vec![n]))
    });
    let args = [on_vector(&[1.0, 0.5], 1), on_vector(&[], 0)];
    let mut program = same_after(program, "elementwise", &args);
    optimise(&mut program);
    assert!(ops(&program).iter().all(|op| !matches!(op, Op::Prim { .. })));
}

/// Where all elements fail, nothing inside says what they would be.
#[test]
fn arrays_of_different_types_whose_elements_fail_alike_are_two() {
    let program = of_vector(|b, _, n| {
        let failing = |b: &mut FunctionBuilder, _| {
            b.bind(Type::unit(), Op::Fail(base::codes::BAD_INDEX));
            End::Never
        };
        let pair = Type::fields([Type::Real, Type::Int]);
        let pairs = b.tabulate(Type::array(pair.clone(), 1), n.clone(), failing);
        let numbers = b.tabulate(reals(1), n.clone(), failing);
        let element = b.bind(pair, Op::Element(pairs, vec![n.clone()]));
        let x = b.bind(Type::Real, Op::Field(element, 0));
        let y = b.bind(Type::Real, Op::Element(numbers, vec![n]));
        b.scalar(Type::Real, Scalar::Add, [x, y])
    });
    let program = same_after(program, "common_subexpressions", &[on_vector(&[], 0), on_vector(&[], 2)]);
    check(&program).unwrap_or_else(|violations| panic!("{violations:?}\n{}", text(&program)));
}
