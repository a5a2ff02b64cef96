//! Compiled transcendentals give the bits of `numerics`.

use eval::Value;
use eval::array::Array;
use first_order::build::FunctionBuilder;
use first_order::{End, Op, Scalar, Type};
use llvm::Effort;
use native::engine::tables;
use numerics::random;

use crate::programs::{REALS, program, with_engine};

const POINTS: usize = 100_000;
const EDGES: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    -2.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    709.78,
    -745.2,
    1e22,
    170.6,
];

/// Edge cases in all pairs, then random reals: some of moderate size, some of any bits.
fn points(seed: u64) -> Vec<(f64, f64)> {
    let edges = EDGES.iter().flat_map(|x| EDGES.iter().map(|y| (*x, *y)));
    let key = random::key(seed);
    let uniform = |i: u64| random::uniform(key, i);
    let any = |i: u64| {
        let high = (uniform(i) * 4_294_967_296.0) as u64;
        f64::from_bits(high << 32 | (uniform(i + 1) * 4_294_967_296.0) as u64)
    };
    let random = (0..POINTS as u64).map(|i| match i % 4 {
        0 => (any(8 * i), any(8 * i + 2)),
        1 => (20.0 * uniform(8 * i) - 10.0, 20.0 * uniform(8 * i + 1) - 10.0),
        2 => (uniform(8 * i), 4.0 * uniform(8 * i + 1) - 2.0),
        _ => (1500.0 * uniform(8 * i) - 750.0, 100.0 * uniform(8 * i + 1)),
    });
    edges.chain(random).collect()
}

#[test]
fn compiled_functions_give_the_same_bits() {
    with_engine(|engine| {
        for (number, function) in numerics::FUNCTIONS.iter().enumerate() {
            let vector = Type::array(Type::Real, 1);
            let mut f = FunctionBuilder::new(function.name, vector.clone());
            let (xs, ys) = (f.param(vector.clone()), f.param(vector.clone()));
            let n = f.bind(Type::Int, Op::Len(xs.clone()));
            let result = f.tabulate(vector, n, |f, i| {
                let x = f.bind(Type::Real, Op::Element(xs, vec![i.clone()]));
                let y = f.bind(Type::Real, Op::Element(ys, vec![i]));
                let args = if function.arity == 1 { vec![x] } else { vec![x, y] };
                End::Yield(f.bind(Type::Real, Op::Scalar(Scalar::Function(number as u16), args)))
            });
            let program = program(vec![f.finish(End::Yield(result))], &[REALS, REALS], REALS);
            let points = points(number as u64);
            let column = |of: fn(&(f64, f64)) -> f64| Value::array(Array::vector(points.iter().map(of).collect()));
            let args = [column(|point| point.0), column(|point| point.1)];
            let lowered = loops::lower(&program);
            let ir = native::emit::emit(&lowered);
            for effort in [Effort::Quick, Effort::Standard, Effort::Full] {
                // SAFETY: the IR was emitted for these tables.
                let compiled = unsafe { engine.load(&ir, tables(&program, &lowered), effort) };
                let compiled = compiled.unwrap_or_else(|error| panic!("{error}\n{ir}"));
                let codes: Vec<std::rc::Rc<eval::Code>> = vec![];
                let Ok(Value::Array(found)) = engine.run(&compiled, &codes, &args, &mut |_| {}) else {
                    panic!("an array")
                };
                let eval::array::Elements::Real(found) = &found.elements else { panic!("reals") };
                for ((x, y), found) in points.iter().zip(found) {
                    let inputs = [*x, *y];
                    let expected = (function.direct)(&inputs[..function.arity]);
                    let same = expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan();
                    assert!(same, "{}({x:e}, {y:e}): {expected:e}, compiled {found:e}, {effort:?}", function.name);
                }
            }
        }
    });
}
