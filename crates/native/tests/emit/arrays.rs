//! Arrays: tabulate, elements, rows, replacing, and what goes wrong with them.

use base::codes;
use eval::Value;
use eval::array::Array;
use first_order::build::FunctionBuilder;
use first_order::{Atom, End, Op, Scalar, Type};

use crate::programs::*;

fn reals(values: &[f64]) -> Value {
    Value::array(Array::vector(values.to_vec()))
}

fn ints(values: &[i64]) -> Vec<Vec<Value>> {
    values.iter().map(|n| vec![Value::Int(*n)]).collect()
}

fn vector() -> Type {
    Type::array(Type::Real, 1)
}

fn matrix() -> Type {
    Type::array(Type::Real, 2)
}

#[test]
fn tabulate_makes_elements() {
    let mut f = FunctionBuilder::new("main", vector());
    let n = f.param(Type::Int);
    let value = f.tabulate(vector(), n, |f, i| {
        let x = f.scalar(Type::Real, Scalar::ToReal, [i]);
        End::Yield(f.scalar(Type::Real, Scalar::Sqrt, [x]))
    });
    check_all(&program(vec![f.finish(End::Yield(value))], &[INT], REALS), &ints(&[-3, 0, 1, 10]));
}

#[test]
fn rows_make_a_matrix_if_they_have_one_shape() {
    for ragged in [false, true] {
        let mut f = FunctionBuilder::new("main", matrix());
        let n = f.param(Type::Int);
        let value = f.tabulate(matrix(), n.clone(), |f, i| {
            let columns = if ragged { i.clone() } else { Atom::Int(3) };
            let row = f.tabulate(vector(), columns, |f, j| {
                let k = int(f, Scalar::IntMul, i, Atom::Int(10));
                let k = int(f, Scalar::IntAdd, k, j);
                End::Yield(f.scalar(Type::Real, Scalar::ToReal, [k]))
            });
            End::Yield(row)
        });
        let inputs = if ragged { ints(&[1, 2]) } else { ints(&[1, 4]) };
        let results = check_all(&program(vec![f.finish(End::Yield(value))], &[INT], MATRIX), &inputs);
        assert_eq!(results[1].is_err(), ragged);
    }
}

/// Reads an element, a row, and an element of that row.
#[test]
fn elements_and_rows_are_checked() {
    let mut f = FunctionBuilder::new("main", Type::Real);
    let (m, i, j) = (f.param(matrix()), f.param(Type::Int), f.param(Type::Int));
    let x = f.bind(Type::Real, Op::Element(m.clone(), vec![i.clone(), j.clone()]));
    let row = f.bind(vector(), Op::Element(m.clone(), vec![i]));
    let m = f.bind(matrix(), Op::Replace(m, vec![j.clone()], row.clone()));
    let y = f.bind(Type::Real, Op::Element(row, vec![j.clone()]));
    let z = f.bind(Type::Real, Op::Element(m, vec![j, Atom::Int(0)]));
    let sum = f.scalar(Type::Real, Scalar::Sub, [x, y]);
    let sum = f.scalar(Type::Real, Scalar::Add, [sum, z]);
    let m = Value::array(Array::reals(vec![2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let inputs = [(0, 0), (1, 1), (1, 2), (0, -1), (2, 0), (0, 3), (i64::MIN, 0)];
    let inputs: Vec<_> = inputs.map(|(i, j)| vec![m.clone(), Value::Int(i), Value::Int(j)]).to_vec();
    let results = check_all(&program(vec![f.finish(End::Yield(sum))], &[MATRIX, INT, INT], REAL), &inputs);
    assert_eq!(*results[3].as_ref().unwrap_err(), codes::INDEX_OUT_OF_RANGE);
    assert!(results[0].is_ok());
}

/// A loop that replaces: once on the only reference, once on one that is used afterwards.
#[test]
fn replacing_is_seen_by_nobody_else() {
    let mut f = FunctionBuilder::new("main", Type::Real);
    let (a, n) = (f.param(vector()), f.param(Type::Int));
    let changed = f.repeat(vector(), vec![(Type::Int, Atom::Int(0)), (vector(), a.clone())], |f, params| {
        let [i, now] = [params[0].clone(), params[1].clone()];
        let more = f.scalar(Type::Bool, Scalar::IntLt, [i.clone(), n]);
        let same = now.clone();
        let value = f.choose(
            vector(),
            more,
            |f| {
                let x = f.bind(Type::Real, Op::Element(now.clone(), vec![i.clone()]));
                let x = f.scalar(Type::Real, Scalar::Mul, [x, Atom::Real(2.0)]);
                let now = f.bind(vector(), Op::Replace(now, vec![i.clone()], x));
                let i = int(f, Scalar::IntAdd, i, Atom::Int(1));
                End::Again(vec![i, now])
            },
            |_| End::Yield(same),
        );
        End::Yield(value)
    });
    let old = f.bind(Type::Real, Op::Element(a, vec![Atom::Int(0)]));
    let new = f.bind(Type::Real, Op::Element(changed, vec![Atom::Int(0)]));
    let both = f.scalar(Type::Real, Scalar::Sub, [new, old]);
    let program = program(vec![f.finish(End::Yield(both))], &[REALS, INT], REAL);
    let inputs = [0, 2, 3].map(|n| vec![reals(&[1.5, 2.0]), Value::Int(n)]);
    check_all(&program, &inputs);
}

#[test]
fn arrays_own_their_elements() {
    let lists = Type::array(list_type(), 1);
    let mut f = FunctionBuilder::new("main", lists.clone());
    let (all, i, one) = (f.param(lists.clone()), f.param(Type::Int), f.param(list_type()));
    let old = f.bind(list_type(), Op::Element(all.clone(), vec![i.clone()]));
    let longer = put_before(&mut f, Atom::Int(7), old);
    let changed = f.bind(lists.clone(), Op::Replace(all.clone(), vec![i], longer));
    let first = f.bind(list_type(), Op::Element(changed.clone(), vec![Atom::Int(0)]));
    let length = f.bind(Type::Int, Op::Len(changed));
    let table = f.tabulate(lists.clone(), length, |f, i| {
        let other = f.bind(list_type(), Op::Element(all, vec![i]));
        End::Yield(other)
    });
    let literal = f.bind(lists.clone(), Op::Array(vec![first.clone(), one.clone(), one, first]));
    let other = f.bind(list_type(), Op::Element(table, vec![Atom::Int(0)]));
    let result = f.bind(lists, Op::Replace(literal, vec![Atom::Int(1)], other));
    let program = program(vec![f.finish(End::Yield(result))], &[LISTS, INT, LIST], LISTS);
    let all = Value::array(Array::from_values(vec![list(2), list(0), list(1)]).unwrap());
    let inputs: Vec<_> = (0..4).map(|i| vec![all.clone(), Value::Int(i), list(1)]).collect();
    check_all(&program, &inputs);
}

#[test]
fn literal_rows_make_a_matrix() {
    let mut f = FunctionBuilder::new("main", matrix());
    let (a, b) = (f.param(vector()), f.param(vector()));
    let rows = f.bind(matrix(), Op::Array(vec![a.clone(), b, a]));
    let program = program(vec![f.finish(End::Yield(rows))], &[REALS, REALS], MATRIX);
    let inputs = [vec![reals(&[1.0, 2.0]), reals(&[3.0, 4.0])], vec![reals(&[1.0]), reals(&[3.0, 4.0])]];
    check_all(&program, &inputs);
}
