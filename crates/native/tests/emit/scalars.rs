//! Every scalar operation at its edges.

use eval::Value;
use first_order::build::FunctionBuilder;
use first_order::{Atom, End, Op, Scalar, ShapeId, Type};
use loops::Leaf;
use loops::check::scalar_signature;

use crate::programs::{BOOL, INT, REAL, check, program};

const ALL: &[Scalar] = {
    use Scalar::*;
    &[
        Add, Sub, Mul, Div, Neg, Abs, Sign, Minimum, Maximum, Remainder, Floor, Ceil, Round, Trunc, Sqrt, PowerSlope,
        PowerLog, Eq, Ne, Lt, Le, Gt, Ge, IsNan, IsFinite, IsHole, IntAdd, IntSub, IntMul, IntNeg, IntAbs, IntSign,
        IntMinimum, IntMaximum, IntDiv, IntMod, IntPow, IntEq, IntNe, IntLt, IntLe, IntGt, IntGe, Length, ToReal,
        ToInt, BoolToReal, Not, BoolEq, Select,
    ]
};

const REALS: &[f64] =
    &[0.0, -0.0, 1.0, -1.5, 2.5, 0.5, -7.25, 3.0, 1e19, -9.3e18, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324];
const INTS: &[i64] = &[0, 1, -1, 2, -3, 7, 62, i64::MAX, i64::MIN, i64::MIN + 1];
/// Exponents and orders stay small.
const SMALL: &[i64] = &[0, 1, 2, 3];

fn inputs(leaf: Leaf) -> Vec<Value> {
    match leaf {
        Leaf::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Leaf::Int => INTS.iter().copied().map(Value::Int).collect(),
        Leaf::Real => REALS.iter().copied().map(Value::Real).collect(),
        Leaf::Ptr | Leaf::Object => unreachable!("a scalar"),
    }
}

fn shape(leaf: Leaf) -> (ShapeId, Type) {
    match leaf {
        Leaf::Bool => (BOOL, Type::Bool),
        Leaf::Int => (INT, Type::Int),
        Leaf::Real => (REAL, Type::Real),
        Leaf::Ptr | Leaf::Object => unreachable!("a scalar"),
    }
}

/// All combinations of inputs.
fn combinations(leaves: &[Leaf]) -> Vec<Vec<Value>> {
    leaves.iter().enumerate().fold(vec![vec![]], |all, (at, leaf)| {
        let choices =
            if at == 2 && *leaf == Leaf::Int { SMALL.iter().copied().map(Value::Int).collect() } else { inputs(*leaf) };
        all.iter()
            .flat_map(|some| choices.iter().map(|value| [&some[..], std::slice::from_ref(value)].concat()))
            .collect()
    })
}

#[test]
fn scalar_operations_agree_with_the_interpreter() {
    for scalar in ALL {
        let (leaves, result) = scalar_signature(*scalar);
        let mut f = FunctionBuilder::new("f", shape(result).1);
        let args: Vec<Atom> = leaves.iter().map(|leaf| f.param(shape(*leaf).1)).collect();
        let value = f.bind(shape(result).1, Op::Scalar(*scalar, args));
        let shapes: Vec<ShapeId> = leaves.iter().map(|leaf| shape(*leaf).0).collect();
        let program = program(vec![f.finish(End::Yield(value))], &shapes, shape(result).0);
        crate::programs::check_all(&program, &combinations(leaves));
    }
}

#[test]
fn an_error_has_the_code_of_its_primitive() {
    let mut f = FunctionBuilder::new("f", Type::Int);
    let (a, b) = (f.param(Type::Int), f.param(Type::Int));
    let value = f.scalar(Type::Int, Scalar::IntDiv, [a, b]);
    let program = program(vec![f.finish(End::Yield(value))], &[INT, INT], INT);
    assert_eq!(check(&program, &[Value::Int(1), Value::Int(0)]).unwrap_err(), base::codes::INT_DIVISION_BY_ZERO);
}
