//! What programs of L3 mean.

mod common;

use base::codes;
use calculus::Prim;
use common::*;
use first_order::build::FunctionBuilder;
use first_order::*;

#[test]
fn a_loop_runs_until_it_yields() {
    let sum = evaluate(Type::Real, REAL, |b| {
        count_down(b, int(1_000_000), Type::Real, real(0.0), |b, i, sum| {
            let i = b.scalar(Type::Real, Scalar::ToReal, [i]);
            b.scalar(Type::Real, Scalar::Add, [sum, i])
        })
    });
    assert_eq!(sum, "500000500000.0");
}

#[test]
fn parameters_of_a_loop_change_all_at_once() {
    let swapped = evaluate(Type::fields([Type::Real, Type::Real]), PAIR, |b| {
        let pair = Type::fields([Type::Real, Type::Real]);
        let first = vec![(Type::Int, int(3)), (Type::Real, real(1.0)), (Type::Real, real(2.0))];
        b.repeat(pair.clone(), first, |b, params| {
            let (i, x, y) = (params[0].clone(), params[1].clone(), params[2].clone());
            let done = b.scalar(Type::Bool, Scalar::IntEq, [i.clone(), int(0)]);
            let both = vec![x.clone(), y.clone()];
            let value = b.choose(
                pair.clone(),
                done,
                |b| End::Yield(b.bind(pair.clone(), Op::Struct(both))),
                |b| {
                    let less = b.scalar(Type::Int, Scalar::IntSub, [i, int(1)]);
                    End::Again(vec![less, y, x])
                },
            );
            End::Yield(value)
        })
    });
    assert_eq!(swapped, "(2.0, 1.0)");
}

/// `f(n) = if n <= 0 { 0 } else { 1 + f(n - step) }`
fn deep_calls(step: i64) -> Program {
    let mut b = FunctionBuilder::new("depth", Type::Int);
    let n = b.param(Type::Int);
    let done = b.scalar(Type::Bool, Scalar::IntLe, [n.clone(), int(0)]);
    let value = b.choose(
        Type::Int,
        done,
        |_| End::Yield(int(0)),
        |b| {
            let less = b.scalar(Type::Int, Scalar::IntSub, [n, int(step)]);
            let rest = b.call(Type::Int, FunctionId(0), vec![less]);
            End::Yield(b.scalar(Type::Int, Scalar::IntAdd, [rest, int(1)]))
        },
    );
    program(vec![b.finish(End::Yield(value))], &[INT], INT)
}

#[test]
fn a_million_calls_nest() {
    assert_eq!(shown(run_on(&deep_calls(1), vec![eval::Value::Int(1_000_000)])), "1000000");
}

#[test]
fn endless_recursion_is_an_error() {
    let stopped = run_on(&deep_calls(0), vec![eval::Value::Int(1)]);
    assert!(matches!(stopped, Err(Stop::Error { code: codes::RECURSION_TOO_DEEP, .. })), "{stopped:?}");
}

#[test]
fn tail_calls_take_no_room() {
    let mut functions = vec![];
    for (name, other, last) in [("even", 1, true), ("odd", 0, false)] {
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
    let program = program(functions, &[INT], BOOL);
    assert_eq!(shown(run_on(&program, vec![eval::Value::Int(5_000_001)])), "false");
}

#[test]
fn a_list_of_a_million_is_built_summed_and_dropped() {
    let (list, content) = (Type::Named(NamedId(0)), list_content());
    let sum = evaluate(Type::Real, REAL, |b| {
        let empty = b.bind(content.clone(), Op::Inject(0, Atom::Unit));
        let empty = b.bind(list.clone(), Op::Box(empty));
        let all = count_down(b, int(1_000_000), list.clone(), empty, |b, i, rest| {
            let i = b.scalar(Type::Real, Scalar::ToReal, [i]);
            let cell = b.bind(Type::fields([Type::Real, list.clone()]), Op::Struct(vec![i, rest]));
            let cell = b.bind(content.clone(), Op::Inject(1, cell));
            b.bind(list.clone(), Op::Box(cell))
        });
        b.repeat(Type::Real, vec![(list.clone(), all), (Type::Real, real(0.0))], |b, params| {
            let sum = params[1].clone();
            let open = b.bind(content.clone(), Op::Unbox(params[0].clone()));
            let alternatives = [Type::unit(), Type::fields([Type::Real, list.clone()])];
            let value = b.switch(Type::Real, open, &alternatives, |b, tag, cell| {
                if tag == 0 {
                    return End::Yield(sum.clone());
                }
                let head = b.bind(Type::Real, Op::Field(cell.clone(), 0));
                let rest = b.bind(list.clone(), Op::Field(cell, 1));
                End::Again(vec![rest, b.scalar(Type::Real, Scalar::Add, [sum.clone(), head])])
            });
            End::Yield(value)
        })
    });
    assert_eq!(sum, "500000500000.0");
}

#[test]
fn an_array_that_nobody_else_sees_is_replaced_in_place() {
    // A copy in each round would touch 10^10 elements.
    let first = evaluate(Type::Real, REAL, |b| {
        let zeros = b.tabulate(reals(1), int(100_000), |_, _| End::Yield(real(0.0)));
        let filled = count_down(b, int(100_000), reals(1), zeros, |b, i, a| {
            let at = b.scalar(Type::Int, Scalar::IntSub, [i, int(1)]);
            let old = b.bind(Type::Real, Op::Element(a.clone(), vec![at.clone()]));
            let new = b.scalar(Type::Real, Scalar::Add, [old, real(1.5)]);
            b.bind(reals(1), Op::Replace(a, vec![at], new))
        });
        b.bind(Type::Real, Op::Element(filled, vec![int(7)]))
    });
    assert_eq!(first, "1.5");
}

#[test]
fn an_array_that_is_used_again_stays_as_it_was() {
    let both = evaluate(Type::fields([Type::Real, Type::Real]), PAIR, |b| {
        let old = b.bind(reals(1), Op::Array(vec![real(1.0), real(2.0)]));
        let new = b.bind(reals(1), Op::Replace(old.clone(), vec![int(0)], real(9.0)));
        let old = b.bind(Type::Real, Op::Element(old, vec![int(0)]));
        let new = b.bind(Type::Real, Op::Element(new, vec![int(0)]));
        b.bind(Type::fields([Type::Real, Type::Real]), Op::Struct(vec![old, new]))
    });
    assert_eq!(both, "(1.0, 9.0)");
}

fn matrix(b: &mut FunctionBuilder) -> Atom {
    b.tabulate(reals(2), int(2), |b, i| {
        End::Yield(b.tabulate(reals(1), int(3), |b, j| {
            let tens = b.scalar(Type::Int, Scalar::IntMul, [i, int(10)]);
            let both = b.scalar(Type::Int, Scalar::IntAdd, [tens, j]);
            End::Yield(b.scalar(Type::Real, Scalar::ToReal, [both]))
        }))
    })
}

#[test]
fn a_table_of_rows_is_a_matrix() {
    assert_eq!(evaluate(reals(2), MATRIX, matrix), "[[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]");
}

#[test]
fn rows_are_read_and_replaced() {
    let replaced = evaluate(reals(2), MATRIX, |b| {
        let a = matrix(b);
        let row = b.bind(reals(1), Op::Element(a.clone(), vec![int(1)]));
        b.bind(reals(2), Op::Replace(a, vec![int(0)], row))
    });
    assert_eq!(replaced, "[[10.0, 11.0, 12.0], [10.0, 11.0, 12.0]]");
    let element = evaluate(Type::Real, REAL, |b| {
        let a = matrix(b);
        b.bind(Type::Real, Op::Element(a, vec![int(1), int(2)]))
    });
    assert_eq!(element, "12.0");
}

#[test]
fn a_row_of_another_length_is_an_error() {
    let replaced = evaluate(reals(2), MATRIX, |b| {
        let a = matrix(b);
        let row = b.bind(reals(1), Op::Array(vec![real(1.0)]));
        b.bind(reals(2), Op::Replace(a, vec![int(0)], row))
    });
    assert_eq!(replaced, codes::SHAPE_MISMATCH.to_string());
    let ragged = evaluate(reals(2), MATRIX, |b| {
        b.tabulate(reals(2), int(3), |b, i| End::Yield(b.tabulate(reals(1), i, |_, _| End::Yield(real(1.0)))))
    });
    assert_eq!(ragged, codes::RAGGED_ARRAY.to_string());
}

#[test]
fn rows_that_differ_are_the_tables_mistake() {
    let (table, row) = (base::Span::new(base::FileId(0), 1, 9), base::Span::new(base::FileId(0), 3, 5));
    let function = constant(reals(2), |b| {
        let index = b.fresh(Type::Int);
        b.span = row;
        let body = b.block(|b| End::Yield(b.tabulate(reals(1), Atom::Var(index), |_, _| End::Yield(real(1.0)))));
        b.span = table;
        b.bind(reals(2), Op::Tabulate { n: int(3), index, body: Box::new(body) })
    });
    let stopped = run_on(&program(vec![function], &[], MATRIX), vec![]);
    assert_eq!(stopped.err(), Some(Stop::Error { code: codes::RAGGED_ARRAY, span: table }));
}

#[test]
fn indices_out_of_range_are_errors() {
    for index in [-1, 2, i64::MIN] {
        let found = evaluate(Type::Real, REAL, |b| {
            let a = b.bind(reals(1), Op::Array(vec![real(1.0), real(2.0)]));
            b.bind(Type::Real, Op::Element(a, vec![int(index)]))
        });
        assert_eq!(found, codes::INDEX_OUT_OF_RANGE.to_string());
    }
}

#[test]
fn tables_without_rows_are_empty() {
    for n in [0, -5] {
        let lengths = evaluate(Type::Int, INT, |b| {
            let a = b.tabulate(reals(2), int(n), |b, _| End::Yield(b.bind(reals(1), Op::Array(vec![real(1.0)]))));
            b.bind(Type::Int, Op::Len(a))
        });
        assert_eq!(lengths, "0");
    }
}

#[test]
fn a_table_that_no_memory_holds_is_refused() {
    let found = evaluate(reals(1), VECTOR, |b| b.tabulate(reals(1), int(i64::MAX), |_, _| End::Yield(real(1.0))));
    assert_eq!(found, codes::ARRAY_TOO_LARGE.to_string());
}

#[test]
fn what_fails_says_where() {
    let span = base::Span::new(base::FileId(3), 5, 9);
    let mut b = FunctionBuilder::new("main", Type::Int);
    let never = b.block(|b| {
        b.span = span;
        b.bind(Type::unit(), Op::Fail(codes::USER_ERROR));
        End::Never
    });
    let value = b.bind(Type::Int, Op::If(Atom::Bool(true), Box::new(never), Box::new(b_yield(int(1)))));
    let stopped = run_on(&program(vec![b.finish(End::Yield(value))], &[], INT), vec![]);
    assert_eq!(stopped.err(), Some(Stop::Error { code: codes::USER_ERROR, span }));
}

fn b_yield(atom: Atom) -> Block {
    Block { statements: vec![], end: End::Yield(atom) }
}

#[test]
fn prints_appear_unless_quiet() {
    let print = |b: &mut FunctionBuilder, text: &str| {
        let text = b.bind(Type::Text, Op::Text(text.into()));
        let op = Op::Prim { prim: Prim::Print, args: vec![text], shapes: vec![TEXT], result: UNIT };
        b.bind(Type::unit(), op);
    };
    let function = constant(Type::unit(), |b| {
        print(b, "a");
        b.bind(Type::unit(), Op::Quiet(true));
        b.bind(Type::unit(), Op::Quiet(true));
        print(b, "b");
        b.bind(Type::unit(), Op::Quiet(false));
        print(b, "c");
        b.bind(Type::unit(), Op::Quiet(false));
        print(b, "d");
        Atom::Unit
    });
    let program = program(vec![function], &[], UNIT);
    let mut printed = vec![];
    let result = first_order::run(&program, &no_codes(), vec![], &mut |line| printed.push(line.to_string()));
    assert_eq!((shown(result).as_str(), printed.join(" ").as_str()), ("()", "a d"));
}

#[test]
fn primitives_compute_what_the_evaluator_computes() {
    let apply = |prim, shapes: Vec<ShapeId>, result| {
        evaluate(if result == REAL { Type::Real } else { reals(1) }, result, |b| {
            let a = matrix(b);
            let of = if result == REAL { Type::Real } else { reals(1) };
            let v = b.bind(reals(1), Op::Array(vec![real(1.0), real(2.0), real(3.0)]));
            let args = if shapes.len() == 1 { vec![a] } else { vec![a, v] };
            b.bind(of, Op::Prim { prim, args, shapes, result })
        })
    };
    assert_eq!(apply(Prim::Sum, vec![MATRIX], REAL), "36.0");
    assert_eq!(apply(Prim::MatMul, vec![MATRIX, VECTOR], VECTOR), "[8.0, 68.0]");
    assert_eq!(apply(Prim::Det, vec![MATRIX], REAL), codes::SHAPE_MISMATCH.to_string());
    assert_eq!(apply(Prim::Sum, vec![MATRIX], VECTOR), "expected an array of rank 1, found the real `36.0`");
}

#[test]
fn a_limit_of_steps_ends_endless_loops() {
    let function = constant(Type::Int, |b| {
        b.repeat(Type::Int, vec![(Type::Int, int(0))], |_, params| End::Again(params.to_vec()))
    });
    let program = program(vec![function], &[], INT);
    let mut interpreter = Interpreter::new(&program);
    interpreter.max_steps = Some(1000);
    let stopped = interpreter.run(&no_codes(), vec![], &mut |_| ());
    assert_eq!(shown(stopped), codes::OUT_OF_STEPS.to_string());
}

#[test]
fn arguments_of_another_shape_are_a_mismatch() {
    let stopped = run_on(&deep_calls(1), vec![eval::Value::Real(1.0)]);
    assert_eq!(stopped.err(), Some(Stop::Mismatch("expected an int, found the real `1.0`".into())));
    let stopped = run_on(&deep_calls(1), vec![]);
    assert_eq!(stopped.err(), Some(Stop::Mismatch("0 arguments for 1 parameters".into())));
}
