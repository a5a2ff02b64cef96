//! Operations on scalars are the evaluator's primitives, bit for bit and error for error.

mod common;

use calculus::Prim;
use common::*;
use eval::Value;
use first_order::*;

/// What the evaluator calls the operation; `None`: it has no primitive for it.
fn primitive(scalar: Scalar) -> Option<Prim> {
    Some(match scalar {
        Scalar::Add | Scalar::IntAdd => Prim::Add,
        Scalar::Sub | Scalar::IntSub => Prim::Sub,
        Scalar::Mul | Scalar::IntMul => Prim::Mul,
        Scalar::Div => Prim::Div,
        Scalar::Neg | Scalar::IntNeg => Prim::Neg,
        Scalar::Abs | Scalar::IntAbs => Prim::Abs,
        Scalar::Sign | Scalar::IntSign => Prim::Sign,
        Scalar::Minimum | Scalar::IntMinimum => Prim::Minimum,
        Scalar::Maximum | Scalar::IntMaximum => Prim::Maximum,
        Scalar::Remainder => Prim::Rem,
        Scalar::Floor => Prim::Floor,
        Scalar::Ceil => Prim::Ceil,
        Scalar::Round => Prim::Round,
        Scalar::Trunc => Prim::Trunc,
        Scalar::Sqrt => Prim::Sqrt,
        Scalar::Function(place) => Prim::by_name(numerics::FUNCTIONS[place as usize].name)?,
        Scalar::PowerSlope => Prim::PowerSlope,
        Scalar::PowerLog => Prim::PowerLog,
        Scalar::Eq | Scalar::IntEq | Scalar::BoolEq => Prim::Eq,
        Scalar::Ne | Scalar::IntNe => Prim::Ne,
        Scalar::Lt | Scalar::IntLt => Prim::Lt,
        Scalar::Le | Scalar::IntLe => Prim::Le,
        Scalar::Gt | Scalar::IntGt => Prim::Gt,
        Scalar::Ge | Scalar::IntGe => Prim::Ge,
        Scalar::IsNan => Prim::IsNan,
        Scalar::IsFinite => Prim::IsFinite,
        Scalar::IntDiv => Prim::IntDiv,
        Scalar::IntMod => Prim::IntMod,
        Scalar::IntPow => Prim::Pow,
        Scalar::ToReal => Prim::Real,
        Scalar::ToInt => Prim::Int,
        Scalar::Not => Prim::Not,
        Scalar::BoolToReal | Scalar::Select | Scalar::Length | Scalar::IsHole => return None,
    })
}

const REALS: [f64; 12] =
    [0.0, -0.0, 1.0, -1.5, 2.5, 0.3, 1e300, -1e19, 5e-324, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
const INTS: [i64; 9] = [0, 1, -1, 2, 7, -7, 64, i64::MAX, i64::MIN];

fn samples(of: &Type) -> (ShapeId, Vec<Value>) {
    match of {
        Type::Bool => (BOOL, vec![Value::Bool(false), Value::Bool(true)]),
        Type::Int => (INT, INTS.map(Value::Int).to_vec()),
        _ => (REAL, REALS.map(Value::Real).to_vec()),
    }
}

/// All tuples of samples of these types.
fn arguments(params: &[Type]) -> Vec<Vec<Value>> {
    params.iter().fold(vec![vec![]], |all, of| {
        let longer = |args: &Vec<Value>| {
            samples(of).1.into_iter().map(|value| [&args[..], &[value]].concat()).collect::<Vec<_>>()
        };
        all.iter().flat_map(longer).collect()
    })
}

fn bits(value: &Value) -> String {
    match value {
        Value::Real(x) if x.is_nan() => "NaN".into(),
        Value::Real(x) => format!("{:x}", x.to_bits()),
        other => format!("{other:?}"),
    }
}

#[test]
fn every_scalar_is_the_evaluators_primitive() {
    for scalar in Scalar::all() {
        let (params, result) = scalar.signature().expect("a scalar that exists");
        let mut b = build::FunctionBuilder::new("main", result.clone());
        let atoms = params.iter().map(|of| b.param(of.clone())).collect();
        let value = b.bind(result.clone(), Op::Scalar(scalar, atoms));
        let shapes: Vec<ShapeId> = params.iter().map(|of| samples(of).0).collect();
        let program = program(vec![b.finish(End::Yield(value))], &shapes, samples(&result).0);
        let Some(prim) = primitive(scalar) else { continue };
        for args in arguments(&params) {
            // The evaluator counts to the exponent's derivative one by one.
            if matches!(scalar, Scalar::PowerSlope | Scalar::PowerLog) && !matches!(args[2], Value::Int(0..100)) {
                continue;
            }
            let mut places = [Value::Zero, Value::Zero, Value::Zero];
            args.iter().zip(&mut places).for_each(|(arg, place)| *place = arg.clone());
            let expected =
                eval::prims::compute_values(prim, places).map_or_else(|fault| fault.code.to_string(), |v| bits(&v));
            let found = match run_on(&program, args.clone()) {
                Err(Stop::Error { code, .. }) => code.to_string(),
                other => bits(&other.expect("no mismatch")),
            };
            assert_eq!(found, expected, "{scalar:?} of {args:?}");
        }
    }
}

/// What is written for a power with a known exponent gives the bits of the power.
#[test]
fn powers_are_written_to_the_bit() {
    const EXPONENTS: [f64; 13] = [0.0, -0.0, 1.0, 2.0, 3.0, 4.0, 5.0, -1.0, -2.0, 0.5, 1e300, f64::INFINITY, f64::NAN];
    let pow = Scalar::by_name("pow").expect("a scalar that exists");
    let mut written = 0;
    for exponent in EXPONENTS {
        for (scalar, orders) in
            [(pow, vec![]), (Scalar::PowerSlope, (-1..6).collect()), (Scalar::PowerLog, vec![-1, 0, 1])]
        {
            for order in if orders.is_empty() { vec![None] } else { orders.into_iter().map(Some).collect() } {
                let op = |x: Atom| [vec![x, real(exponent)], order.map(int).into_iter().collect()].concat();
                let compute = |powers: bool| {
                    let mut b = build::FunctionBuilder::new("main", Type::Real);
                    let x = b.param(Type::Real);
                    let args = op(x);
                    let mut write = |op, args| b.bind(Type::Real, Op::Scalar(op, args));
                    let value = match powers {
                        true => fold::power(scalar, &args, &mut write)?,
                        false => write(scalar, args),
                    };
                    Some(program(vec![b.finish(End::Yield(value))], &[REAL], REAL))
                };
                let Some(folded) = compute(true) else { continue };
                let plain = compute(false).expect("the operation itself");
                written += 1;
                for x in REALS {
                    let result = |program| bits(&run_on(program, vec![Value::Real(x)]).expect("a real"));
                    assert_eq!(result(&folded), result(&plain), "{scalar:?} of {x}, {exponent}, {order:?}");
                }
            }
        }
    }
    assert!(written > 90, "{written}");
}

#[test]
fn select_and_bool_to_real_choose() {
    let select = |c| {
        let choose = |b: &mut build::FunctionBuilder| {
            b.scalar(Type::Real, Scalar::Select, [Atom::Bool(c), real(1.0), real(2.0)])
        };
        evaluate(Type::Real, REAL, choose)
    };
    assert_eq!((select(true), select(false)), ("1.0".into(), "2.0".into()));
    let number = |c| evaluate(Type::Real, REAL, |b| b.scalar(Type::Real, Scalar::BoolToReal, [Atom::Bool(c)]));
    assert_eq!((number(true), number(false)), ("1.0".into(), "0.0".into()));
}

#[test]
fn every_scalar_has_a_name_of_its_own() {
    for scalar in Scalar::all() {
        assert_eq!(scalar.name().and_then(Scalar::by_name), Some(scalar));
    }
}
