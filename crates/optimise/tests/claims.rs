//! What the passes do, on small programs.

#[path = "../../first_order/tests/common/mod.rs"]
mod common;
mod looking;

use base::codes;
use calculus::Prim;
use common::*;
use first_order::build::FunctionBuilder;
use first_order::*;
use looking::*;
use optimise::{optimise, optimise_until};

/// A program of one function of a real and an int.
fn of_real(body: impl FnOnce(&mut FunctionBuilder, Atom, Atom) -> Atom) -> Program {
    let mut b = FunctionBuilder::new("main", Type::Real);
    let (x, n) = (b.param(Type::Real), b.param(Type::Int));
    let value = body(&mut b, x, n);
    program(vec![b.finish(End::Yield(value))], &[REAL, INT], REAL)
}

fn body(program: &Program) -> &Block {
    &program.functions[program.entry.0 as usize].body
}

fn on(x: f64, n: i64) -> Vec<eval::Value> {
    vec![eval::Value::Real(x), eval::Value::Int(n)]
}

#[test]
fn constants_fold() {
    let mut program = of_real(|b, _, _| {
        let two = b.scalar(Type::Real, Scalar::Add, [real(1.5), real(0.5)]);
        let minus = b.scalar(Type::Real, Scalar::Mul, [two, real(-0.0)]);
        b.scalar(Type::Real, Scalar::Div, [real(1.0), minus])
    });
    optimise(&mut program);
    assert_eq!(body(&program).end, End::Yield(real(f64::NEG_INFINITY)));
    assert!(ops(&program).is_empty());
}

#[test]
fn powers_with_known_exponents_become_products() {
    let pow = Scalar::by_name("pow").expect("a scalar that exists");
    let mut program = of_real(|b, x, _| {
        let two = b.scalar(Type::Real, Scalar::ToReal, [int(2)]);
        let square = b.scalar(Type::Real, pow, [x.clone(), two.clone()]);
        let slope = b.scalar(Type::Real, Scalar::PowerSlope, [x.clone(), two.clone(), int(1)]);
        let third = b.scalar(Type::Real, Scalar::PowerSlope, [x, two, int(3)]);
        let sum = b.scalar(Type::Real, Scalar::Add, [square, slope]);
        b.scalar(Type::Real, Scalar::Add, [sum, third])
    });
    let before = shown(run_on(&program, on(1.7, 0)));
    optimise(&mut program);
    let simple = |op: &&Op| matches!(op, Op::Scalar(Scalar::Mul | Scalar::Add, _));
    assert!(ops(&program).iter().all(simple), "{}", text(&program));
    assert_eq!(shown(run_on(&program, on(1.7, 0))), before);
}

/// The factorial of an int, by recursion; below 0 it doesn't end.
fn factorial(arg: Atom) -> Program {
    let mut b = FunctionBuilder::new("main", Type::Real);
    let (x, _) = (b.param(Type::Real), b.param(Type::Int));
    b.call(Type::Int, FunctionId(1), vec![arg]);
    let main = b.finish(End::Yield(x));
    let mut b = FunctionBuilder::new("factorial", Type::Int);
    let n = b.param(Type::Int);
    let ends = b.scalar(Type::Bool, Scalar::IntEq, [n.clone(), int(0)]);
    let value = b.choose(
        Type::Int,
        ends,
        |_| End::Yield(int(1)),
        |b| {
            let less = b.scalar(Type::Int, Scalar::IntSub, [n.clone(), int(1)]);
            let rest = b.call(Type::Int, FunctionId(1), vec![less]);
            End::Yield(b.scalar(Type::Int, Scalar::IntMul, [n.clone(), rest]))
        },
    );
    program(vec![main, b.finish(End::Yield(value))], &[REAL, INT], REAL)
}

#[test]
fn a_call_on_constants_is_its_value_unless_it_fails_or_takes_long() {
    let mut small = factorial(int(10));
    pass(&mut small, "constant_calls");
    assert!(text(&small).contains("3628800"), "{}", text(&small));
    optimise(&mut small);
    assert!(ops(&small).is_empty(), "{}", text(&small));
    // One overflows, the other would do so after a long time.
    for stays in [int(30), int(-1)] {
        let mut program = factorial(stays);
        pass(&mut program, "constant_calls");
        assert_eq!(calls(&program), 2);
    }
}

#[test]
fn an_operation_that_may_fail_is_never_removed() {
    let fails = |op: fn(&mut FunctionBuilder, Atom)| {
        let mut program = of_real(|b, x, n| {
            op(b, n);
            x
        });
        let before = run_on(&program, on(2.0, i64::MAX)).err();
        assert!(before.is_some());
        optimise(&mut program);
        assert_eq!(before, run_on(&program, on(2.0, i64::MAX)).err());
    };
    fails(|b, n| _ = b.scalar(Type::Int, Scalar::IntAdd, [n, int(1)]));
    fails(|b, _| _ = b.scalar(Type::Int, Scalar::IntAdd, [int(1), int(i64::MAX)]));
    fails(|b, _| _ = b.scalar(Type::Int, Scalar::IntDiv, [int(1), int(0)]));
    fails(|b, n| {
        let array = b.bind(reals(1), Op::Array(vec![real(1.0)]));
        b.bind(Type::Real, Op::Element(array, vec![n]));
    });
    fails(|b, _| {
        let array = b.bind(reals(1), Op::Array(vec![real(1.0)]));
        b.bind(Type::Real, Op::Element(array, vec![int(1)]));
    });
    fails(|b, n| _ = b.tabulate(reals(1), n, |_, _| End::Yield(real(0.0))));
    fails(|b, n| {
        let large = b.scalar(Type::Bool, Scalar::IntGt, [n, int(0)]);
        b.choose(
            Type::unit(),
            large,
            |b| {
                b.bind(Type::unit(), Op::Fail(codes::USER_ERROR));
                End::Never
            },
            |_| End::Yield(Atom::Unit),
        );
    });
}

#[test]
fn a_call_that_may_fail_or_not_end_is_never_removed() {
    for endless in [false, true] {
        let mut b = FunctionBuilder::new("main", Type::Real);
        let (x, n) = (b.param(Type::Real), b.param(Type::Int));
        b.call(Type::Int, FunctionId(1), vec![n]);
        let main = b.finish(End::Yield(x));
        let mut b = FunctionBuilder::new("callee", Type::Int);
        let n = b.param(Type::Int);
        let value = match endless {
            true => b.call(Type::Int, FunctionId(1), vec![n]),
            false => b.scalar(Type::Int, Scalar::IntNeg, [n]),
        };
        let mut program = program(vec![main, b.finish(End::Yield(value))], &[REAL, INT], REAL);
        optimise(&mut program);
        assert!(ops(&program).iter().any(|op| matches!(op, Op::Loop { .. } | Op::Scalar(Scalar::IntNeg, _))));
    }
}

#[test]
fn what_cannot_fail_and_isnt_needed_is_removed() {
    let mut program = of_real(|b, x, _| {
        let pair = b.bind(Type::fields([Type::Real, Type::Real]), Op::Struct(vec![x.clone(), x.clone()]));
        let first = b.bind(Type::Real, Op::Field(pair, 0));
        b.scalar(Type::Real, Scalar::Function(0), [x.clone()]);
        let array = b.bind(reals(1), Op::Array(vec![x]));
        let n = b.bind(Type::Int, Op::Len(array));
        b.tabulate(reals(1), n, |_, _| End::Yield(real(0.0)));
        first
    });
    optimise_until(&mut program, "simplify");
    assert!(ops(&program).is_empty(), "{}", text(&program));
}

#[test]
fn identities_are_exact() {
    let left = |op, x: Option<f64>, y: Option<f64>| {
        let mut program = of_real(|b, v, _| {
            let atom = |c: Option<f64>| c.map_or(v.clone(), real);
            let (x, y) = (atom(x), atom(y));
            b.scalar(Type::Real, op, [x, y])
        });
        optimise(&mut program);
        ops(&program).len()
    };
    assert_eq!(left(Scalar::Mul, None, Some(1.0)), 0);
    assert_eq!(left(Scalar::Mul, Some(1.0), None), 0);
    assert_eq!(left(Scalar::Add, None, Some(-0.0)), 0);
    assert_eq!(left(Scalar::Sub, None, Some(0.0)), 0);
    assert_eq!(left(Scalar::Add, None, Some(0.0)), 1);
    assert_eq!(left(Scalar::Sub, None, Some(-0.0)), 1);
    assert_eq!(left(Scalar::Mul, None, Some(0.0)), 1);
    assert_eq!(left(Scalar::Div, Some(0.0), Some(0.0)), 1);
}

#[test]
fn adding_what_was_negated_is_a_difference_and_the_other_way_round() {
    for (scalar, negated, left) in [
        (Scalar::Add, [false, true], Scalar::Sub),
        (Scalar::Add, [true, false], Scalar::Sub),
        (Scalar::Sub, [false, true], Scalar::Add),
    ] {
        let program = of_real(|b, x, _| {
            let square = b.scalar(Type::Real, Scalar::Mul, [x.clone(), x.clone()]);
            let [x, y] = [(x, negated[0]), (square, negated[1])]
                .map(|(x, negated)| if negated { b.scalar(Type::Real, Scalar::Neg, [x]) } else { x });
            b.scalar(Type::Real, scalar, [x, y])
        });
        let args = [0.0, -0.0, 1.5, f64::INFINITY].map(|x| on(x, 0));
        let mut program = same_after(program, "simplify", &args);
        optimise(&mut program);
        assert!(matches!(ops(&program)[..], [_, Op::Scalar(last, _)] if *last == left), "{}", text(&program));
    }
}

fn maybe() -> Type {
    Type::sum([Type::unit(), Type::Real])
}

#[test]
fn a_switch_on_what_both_sides_make_goes_into_the_sides() {
    let mut program = of_real(|b, x, n| {
        let c = b.scalar(Type::Bool, Scalar::IntLt, [n, int(0)]);
        let y = x.clone();
        let zero_or_real = b.choose(
            maybe(),
            c,
            |b| End::Yield(b.bind(maybe(), Op::Inject(0, Atom::Unit))),
            |b| {
                let twice = b.scalar(Type::Real, Scalar::Add, [y.clone(), y]);
                End::Yield(b.bind(maybe(), Op::Inject(1, twice)))
            },
        );
        let unneeded = b.scalar(Type::Real, Scalar::Neg, [x.clone()]);
        b.switch(Type::Real, zero_or_real, &[Type::unit(), Type::Real], |b, tag, content| {
            let args = if tag == 0 { [unneeded.clone(), x.clone()] } else { [content, x.clone()] };
            End::Yield(b.scalar(Type::Real, Scalar::Mul, args))
        })
    });
    let before: Vec<String> = [-1, 1].map(|n| shown(run_on(&program, on(3.0, n)))).into();
    optimise(&mut program);
    assert!(!ops(&program).iter().any(|op| matches!(op, Op::Switch(..) | Op::Inject(..))), "{}", text(&program));
    assert_eq!(before, [-1, 1].map(|n| shown(run_on(&program, on(3.0, n)))));
}

#[test]
fn choosing_between_true_and_false_is_the_condition() {
    let mut program = of_real(|b, x, n| {
        let c = b.scalar(Type::Bool, Scalar::IntLt, [n, int(0)]);
        let c = b.choose(Type::Bool, c, |_| End::Yield(Atom::Bool(true)), |_| End::Yield(Atom::Bool(false)));
        let c = b.choose(Type::Bool, c, |_| End::Yield(Atom::Bool(false)), |_| End::Yield(Atom::Bool(true)));
        b.choose(Type::Real, c, |_| End::Yield(x), |_| End::Yield(real(0.0)))
    });
    optimise(&mut program);
    assert_eq!(ops(&program).len(), 2, "{}", text(&program));
}

/// `sum(n, acc) = if n <= 0 { acc } else { sum(n - 1, acc + step) }`
fn summing() -> Program {
    let mut b = FunctionBuilder::new("main", Type::Real);
    let (x, n) = (b.param(Type::Real), b.param(Type::Int));
    let value = b.call(Type::Real, FunctionId(1), vec![n, real(0.0), x]);
    let main = b.finish(End::Yield(value));
    let mut b = FunctionBuilder::new("sum", Type::Real);
    let (n, acc, step) = (b.param(Type::Int), b.param(Type::Real), b.param(Type::Real));
    let done = b.scalar(Type::Bool, Scalar::IntLe, [n.clone(), int(0)]);
    let value = b.choose(
        Type::Real,
        done,
        |_| End::Yield(acc.clone()),
        |b| {
            let n = b.scalar(Type::Int, Scalar::IntSub, [n, int(1)]);
            let acc = b.scalar(Type::Real, Scalar::Add, [acc.clone(), step.clone()]);
            End::Yield(b.call(Type::Real, FunctionId(1), vec![n, acc, step]))
        },
    );
    program(vec![main, b.finish(End::Yield(value))], &[REAL, INT], REAL)
}

#[test]
fn a_tail_call_becomes_a_loop() {
    let mut program = summing();
    optimise(&mut program);
    assert!(!ops(&program).iter().any(|op| matches!(op, Op::Call(..))), "{}", text(&program));
    assert_eq!(shown(run_on(&program, on(0.5, 10))), "5.0");
}

#[test]
fn what_a_loop_never_changes_is_no_parameter() {
    let mut program = summing();
    optimise(&mut program);
    let params = ops(&program).into_iter().find_map(|op| match op {
        Op::Loop { params, .. } => Some(params.len()),
        _ => None,
    });
    assert_eq!(params, Some(2), "{}", text(&program));
}

#[test]
fn functions_that_call_each_other_last_become_a_loop() {
    let mut b = FunctionBuilder::new("main", Type::Real);
    let (_, n) = (b.param(Type::Real), b.param(Type::Int));
    let even = b.call(Type::Bool, FunctionId(1), vec![n]);
    let value = b.scalar(Type::Real, Scalar::BoolToReal, [even]);
    let mut functions = vec![b.finish(End::Yield(value))];
    for (name, other, last) in [("even", 2, true), ("odd", 1, false)] {
        let mut b = FunctionBuilder::new(name, Type::Bool);
        let n = b.param(Type::Int);
        let done = b.scalar(Type::Bool, Scalar::IntEq, [n.clone(), int(0)]);
        let value = b.choose(
            Type::Bool,
            done,
            |_| End::Yield(Atom::Bool(last)),
            |b| {
                let less = b.scalar(Type::Int, Scalar::IntSub, [n, int(1)]);
                End::Yield(b.call(Type::Bool, FunctionId(other), vec![less]))
            },
        );
        functions.push(b.finish(End::Yield(value)));
    }
    let mut program = program(functions, &[REAL, INT], REAL);
    optimise(&mut program);
    assert!(!ops(&program).iter().any(|op| matches!(op, Op::Call(..))), "{}", text(&program));
    assert_eq!(shown(run_on(&program, on(0.0, 100_001))), "0.0");
}

#[test]
fn functions_that_nothing_reaches_are_dropped() {
    let mut program = summing();
    program.functions.push(program.functions[1].clone());
    program.functions.swap(0, 2);
    program.entry = FunctionId(2);
    pass(&mut program, "dead_functions");
    assert_eq!((program.functions.len(), program.entry), (2, FunctionId(1)));
    assert_eq!(shown(run_on(&program, on(0.5, 10))), "5.0");
}

#[test]
fn a_parameter_that_is_only_passed_along_is_dropped() {
    // f(n, pair) = if n <= 0 { 0 } else { f(n - 1, (pair.1, pair.0)) + 1 }
    let pair = Type::fields([Type::Real, Type::Real]);
    let mut b = FunctionBuilder::new("main", Type::Real);
    let (x, n) = (b.param(Type::Real), b.param(Type::Int));
    let both = b.bind(pair.clone(), Op::Struct(vec![x.clone(), x]));
    let value = b.call(Type::Real, FunctionId(1), vec![n, both]);
    let main = b.finish(End::Yield(value));
    let mut b = FunctionBuilder::new("f", Type::Real);
    let (n, both) = (b.param(Type::Int), b.param(pair.clone()));
    let done = b.scalar(Type::Bool, Scalar::IntLe, [n.clone(), int(0)]);
    let value = b.choose(
        Type::Real,
        done,
        |_| End::Yield(real(0.0)),
        |b| {
            let n = b.scalar(Type::Int, Scalar::IntSub, [n, int(1)]);
            let fields = [1, 0].map(|i| b.bind(Type::Real, Op::Field(both.clone(), i)));
            let both = b.bind(pair.clone(), Op::Struct(fields.to_vec()));
            let rest = b.call(Type::Real, FunctionId(1), vec![n, both]);
            End::Yield(b.scalar(Type::Real, Scalar::Add, [rest, real(1.0)]))
        },
    );
    let mut program = program(vec![main, b.finish(End::Yield(value))], &[REAL, INT], REAL);
    optimise(&mut program);
    assert_eq!(program.functions[1].params.len(), 1, "{}", text(&program));
    assert_eq!(shown(run_on(&program, on(0.5, 7))), "7.0");
}

#[test]
fn quiet_around_nothing_that_prints_is_dropped_and_prints_stay() {
    for prints in [false, true] {
        let mut program = of_real(|b, x, n| {
            b.bind(Type::unit(), Op::Quiet(true));
            b.scalar(Type::Int, Scalar::IntNeg, [n]);
            if prints {
                let args = vec![x.clone()];
                b.bind(Type::unit(), Op::Prim { prim: Prim::Print, args, shapes: vec![REAL], result: UNIT });
            }
            b.bind(Type::unit(), Op::Quiet(false));
            x
        });
        optimise(&mut program);
        assert_eq!(ops(&program).len(), if prints { 4 } else { 1 }, "{}", text(&program));
    }
}

/// A chain of statements, each on the one before.
fn chain(length: usize) -> Program {
    of_real(|b, x, _| (0..length).fold(x, |x, _| b.scalar(Type::Real, Scalar::Add, [x, real(0.5)])))
}

/// So long that anything quadratic would take minutes.
#[test]
fn long_chains_take_linear_time() {
    let mut program = chain(50_000);
    optimise(&mut program);
    assert_eq!(ops(&program).len(), 50_000);
}

#[test]
fn deep_nesting_needs_no_stack() {
    fn nested(b: &mut FunctionBuilder, x: Atom, c: &[Atom]) -> Atom {
        let Some((first, rest)) = c.split_first() else { return x };
        let (then, first) = (x.clone(), first.clone());
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || {
            b.choose(Type::Real, first, |b| End::Yield(nested(b, then, rest)), |_| End::Yield(real(1.0)))
        })
    }
    let program = of_real(|b, x, n| {
        let all: Vec<Atom> = (0..2000).map(|i| b.scalar(Type::Bool, Scalar::IntLt, [n.clone(), int(i)])).collect();
        nested(b, x, &all)
    });
    let mut optimised = program.clone();
    optimise(&mut optimised);
    assert_eq!(shown(run_on(&optimised, on(3.5, -1))), "3.5");
}

/// A list of pairs is built and its first parts summed; a function gives the sum and the last element.
fn list_of_pairs() -> Program {
    let tape = Type::Named(NamedId(1));
    let cell = Type::fields([Type::Real, Type::Real, tape.clone()]);
    let content = Type::sum([Type::unit(), cell.clone()]);
    let mut b = FunctionBuilder::new("main", Type::Real);
    let (x, n) = (b.param(Type::Real), b.param(Type::Int));
    let empty = b.bind(content.clone(), Op::Inject(0, Atom::Unit));
    let empty = b.bind(tape.clone(), Op::Box(empty));
    let all = count_down(&mut b, n, tape.clone(), empty, |b, i, rest| {
        let i = b.scalar(Type::Real, Scalar::ToReal, [i]);
        let squared = b.scalar(Type::Real, Scalar::Mul, [i.clone(), i.clone()]);
        let cell = b.bind(cell.clone(), Op::Struct(vec![i, squared, rest]));
        let cell = b.bind(content.clone(), Op::Inject(1, cell));
        b.bind(tape.clone(), Op::Box(cell))
    });
    let result = Type::fields([Type::Real, Type::Real]);
    let both = b.call(result.clone(), FunctionId(1), vec![all]);
    let sum = b.bind(Type::Real, Op::Field(both, 0));
    let value = b.scalar(Type::Real, Scalar::Mul, [sum, x]);
    let main = b.finish(End::Yield(value));

    let mut b = FunctionBuilder::new("sum", result.clone());
    let list = b.param(tape.clone());
    let open = b.bind(content.clone(), Op::Unbox(list));
    let value = b.switch(result.clone(), open, &[Type::unit(), cell], |b, tag, cell| {
        if tag == 0 {
            return End::Yield(b.bind(result.clone(), Op::Struct(vec![real(0.0), real(0.0)])));
        }
        let head = b.bind(Type::Real, Op::Field(cell.clone(), 0));
        let rest = b.bind(tape.clone(), Op::Field(cell, 2));
        let both = b.call(result.clone(), FunctionId(1), vec![rest]);
        let sum = b.bind(Type::Real, Op::Field(both, 0));
        let sum = b.scalar(Type::Real, Scalar::Add, [sum, head.clone()]);
        End::Yield(b.bind(result.clone(), Op::Struct(vec![sum, head])))
    });
    let mut program = program(vec![main, b.finish(End::Yield(value))], &[REAL, INT], REAL);
    program.types.push(Definition { name: "Tape".into(), content });
    program
}

#[test]
fn parts_of_nodes_that_nothing_reads_are_dropped() {
    let mut program = list_of_pairs();
    let before = shown(run_on(&program, on(2.0, 5)));
    optimise(&mut program);
    let cell = Type::fields([Type::Real, Type::unit(), Type::Named(NamedId(1))]);
    assert_eq!(program.types[1].content, Type::sum([Type::unit(), cell]), "{}", text(&program));
    assert!(!ops(&program).iter().any(|op| matches!(op, Op::Scalar(Scalar::Mul, args) if args[0] == args[1])));
    assert_eq!(before, shown(run_on(&program, on(2.0, 5))));
}

#[test]
fn parts_of_results_that_nobody_takes_are_dropped() {
    let mut program = list_of_pairs();
    optimise(&mut program);
    let sum = program.functions.iter().find(|function| &*function.name == "sum").expect("it is recursive");
    assert_eq!(sum.result, Type::fields([Type::Real, Type::unit()]), "{}", text(&program));
}

#[test]
fn a_type_that_primitives_look_into_stays() {
    // Shown as text, a list keeps all its parts.
    let (list, content) = (Type::Named(NamedId(0)), list_content());
    let mut b = FunctionBuilder::new("main", Type::Text);
    let empty = b.bind(content.clone(), Op::Inject(0, Atom::Unit));
    let empty = b.bind(list.clone(), Op::Box(empty));
    let cell = b.bind(Type::fields([Type::Real, list.clone()]), Op::Struct(vec![real(1.5), empty]));
    let cell = b.bind(content, Op::Inject(1, cell));
    let all = b.bind(list, Op::Box(cell));
    let shown_as = b.bind(Type::Text, Op::Prim { prim: Prim::Show, args: vec![all], shapes: vec![LIST], result: TEXT });
    let mut program = program(vec![b.finish(End::Yield(shown_as))], &[], TEXT);
    let before = shown(run_on(&program, vec![]));
    optimise(&mut program);
    assert_eq!(program.types[0].content, list_content());
    assert_eq!(before, shown(run_on(&program, vec![])));
}

/// `f(x, n) = if n < 1 { x } else { f(x, n - 1) + f(x, n - 1) }`, with the heap on the way if that is asked for.
fn doubling(on_the_way: impl Fn(&mut FunctionBuilder, Atom) -> Atom) -> Program {
    let mut main = FunctionBuilder::new("main", Type::Real);
    let (x, n) = (main.param(Type::Real), main.param(Type::Int));
    let value = main.call(Type::Real, FunctionId(1), vec![x, n]);
    let main = main.finish(End::Yield(value));
    let mut f = FunctionBuilder::new("f", Type::Real);
    let (x, n) = (f.param(Type::Real), f.param(Type::Int));
    let ends = f.scalar(Type::Bool, Scalar::IntLt, [n.clone(), int(1)]);
    let base = x.clone();
    let value = f.choose(
        Type::Real,
        ends,
        |_| End::Yield(base),
        |b| {
            let x = on_the_way(b, x);
            let less = b.scalar(Type::Int, Scalar::IntSub, [n, int(1)]);
            let one = b.call(Type::Real, FunctionId(1), vec![x.clone(), less.clone()]);
            let two = b.call(Type::Real, FunctionId(1), vec![x, less]);
            End::Yield(b.scalar(Type::Real, Scalar::Add, [one, two]))
        },
    );
    program(vec![main, f.finish(End::Yield(value))], &[REAL, INT], REAL)
}

fn calls(program: &Program) -> usize {
    ops(program).into_iter().filter(|op| matches!(op, Op::Call(..))).count()
}

#[test]
fn several_levels_of_a_small_recursion_run_in_one_call() {
    let mut program = doubling(|_, x| x);
    pass(&mut program, "unroll_recursion");
    let calls = calls(&program);
    assert!((9..=65).contains(&calls), "{calls} calls\n{}", text(&program));
    assert!(ops(&program).len() < 300);
    for depth in [0, 1, 2, 3, 7, 10] {
        assert_eq!(shown(run_on(&program, on(0.5, depth))), format!("{:.1}", 0.5 * 2f64.powi(depth as i32)));
    }
}

#[test]
fn a_recursion_on_the_heap_is_not_unrolled() {
    let in_an_array = |b: &mut FunctionBuilder, x: Atom| {
        let array = b.bind(Type::array(Type::Real, 1), Op::Array(vec![x]));
        b.bind(Type::Real, Op::Element(array, vec![int(0)]))
    };
    let mut program = doubling(in_an_array);
    pass(&mut program, "unroll_recursion");
    assert_eq!(calls(&program), 3, "{}", text(&program));
}
