//! L3 programs run natively give what the interpreter of L3 gives: values, errors, prints.

#[path = "../../first_order/tests/common/mod.rs"]
mod common;

use std::cell::RefCell;

use base::{Span, codes};
use calculus::Prim;
use common::*;
use eval::Value;
use eval::array::Array;
use first_order::build::FunctionBuilder;
use first_order::*;
use llvm::{Cache, Effort, Llvm, Search, SelfTest};
use native::engine::Engine;
use native::run;

thread_local!(static ENGINE: RefCell<Option<Engine>> = RefCell::new(engine()));

fn engine() -> Option<Engine> {
    let search = Search::from_environment(Cache::none(), SelfTest::Skip);
    match Llvm::find(&search) {
        Ok(llvm) => Some(Engine::with(llvm, Cache::none()).expect("a stack")),
        Err(unavailable) => {
            eprintln!("skipped: there is no LLVM: {unavailable}");
            None
        }
    }
}

/// What a run gave and printed, as text.
fn natively(program: &Program, args: &[Value], effort: Effort) -> Option<(String, Vec<String>)> {
    ENGINE.with_borrow_mut(|engine| {
        let engine = engine.as_mut()?;
        let compiled = engine.compile(program, effort).unwrap_or_else(|broken| panic!("{broken}"));
        let mut printed = vec![];
        let result = engine.run(&compiled, &no_codes(), args, &mut |line| printed.push(line.to_string()));
        let result = match result {
            Ok(value) => {
                assert_eq!(engine.usage().live_after, 0);
                let text = format!("{} {value:?}", eval::show::show(&value));
                assert_eq!(repeated(engine, &compiled, args), text, "the third run on the same arguments differs");
                text
            }
            Err(run::Stop::Error { code, span, printed: made }) => {
                assert_eq!(made, printed.len());
                format!("{code} {span:?}")
            }
            Err(run::Stop::Mismatch { .. }) => "mismatch".into(),
            Err(run::Stop::Memory { code, .. }) => format!("{code}"),
            Err(run::Stop::Violation { text, .. }) => text,
        };
        Some((result, printed))
    })
}

/// What the third run on the same arguments gives.
fn repeated(engine: &mut Engine, compiled: &native::engine::Compiled, args: &[Value]) -> String {
    let mut runs = 0;
    let mut again = |_| {
        runs += 1;
        if runs < 3 { run::Again::Yes } else { run::Again::No }
    };
    let value = engine.repeat(compiled, &no_codes(), args, &mut |_| (), &mut again).expect("a value");
    assert_eq!((runs, engine.usage().live_after), (3, 0));
    format!("{} {value:?}", eval::show::show(&value))
}

fn interpreted(program: &Program, args: &[Value]) -> (String, Vec<String>) {
    let mut printed = vec![];
    let result = first_order::run(program, &no_codes(), args.to_vec(), &mut |line| printed.push(line.to_string()));
    let result = match result {
        Ok(value) => format!("{} {value:?}", eval::show::show(&value)),
        Err(Stop::Error { code, span }) => format!("{code} {span:?}"),
        Err(Stop::Mismatch(_)) => "mismatch".into(),
    };
    (result, printed)
}

/// Both engines, all efforts.
fn agree(program: &Program, args: &[Value]) -> String {
    if let Err(violations) = first_order::check(program) {
        panic!("{violations:#?}");
    }
    let expected = interpreted(program, args);
    for effort in Effort::ALL {
        if let Some(found) = natively(program, args, effort) {
            assert_eq!(found, expected, "{effort:?}");
        }
    }
    expected.0
}

fn agree_on(result: Type, shape: ShapeId, body: impl FnOnce(&mut FunctionBuilder) -> Atom) -> String {
    agree(&program(vec![constant(result, body)], &[], shape), &[])
}

#[test]
fn loops_and_scalars() {
    let sum = agree_on(Type::Real, REAL, |b| {
        count_down(b, int(1000), Type::Real, real(0.0), |b, i, sum| {
            let i = b.scalar(Type::Real, Scalar::ToReal, [i]);
            b.scalar(Type::Real, Scalar::Add, [sum, i])
        })
    });
    assert!(sum.starts_with("500500.0"), "{sum}");
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
    assert!(agree(&deep_calls(1), &[Value::Int(1_000_000)]).starts_with("1000000 "));
    assert_eq!(agree(&deep_calls(1), &[Value::Real(1.0)]), "mismatch");
    assert_eq!(agree(&deep_calls(1), &[]), "mismatch");
}

/// A list of reals, counted down from n.
fn counted(b: &mut FunctionBuilder, n: Atom) -> Atom {
    let (list, content) = (Type::Named(NamedId(0)), list_content());
    let empty = b.bind(content.clone(), Op::Inject(0, Atom::Unit));
    let empty = b.bind(list.clone(), Op::Box(empty));
    count_down(b, n, list.clone(), empty, |b, i, rest| {
        let i = b.scalar(Type::Real, Scalar::ToReal, [i]);
        let cell = b.bind(Type::fields([Type::Real, list.clone()]), Op::Struct(vec![i, rest]));
        let cell = b.bind(content.clone(), Op::Inject(1, cell));
        b.bind(list.clone(), Op::Box(cell))
    })
}

#[test]
fn lists_are_made_returned_and_dropped() {
    let list = agree_on(Type::Named(NamedId(0)), LIST, |b| counted(b, int(4)));
    assert!(list.starts_with("(1.0, (2.0, (3.0, (4.0, ()))))"), "{list}");
    agree_on(Type::Real, REAL, |b| {
        let _dropped = counted(b, int(1_000_000));
        real(1.0)
    });
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
fn arrays_and_their_rows() {
    agree_on(reals(2), MATRIX, matrix);
    agree_on(reals(2), MATRIX, |b| {
        let a = matrix(b);
        let row = b.bind(reals(1), Op::Element(a.clone(), vec![int(1)]));
        b.bind(reals(2), Op::Replace(a, vec![int(0)], row))
    });
    let short = agree_on(reals(2), MATRIX, |b| {
        let a = matrix(b);
        let row = b.bind(reals(1), Op::Array(vec![real(1.0)]));
        b.bind(reals(2), Op::Replace(a, vec![int(0)], row))
    });
    assert!(short.starts_with(&codes::SHAPE_MISMATCH.to_string()), "{short}");
    agree_on(reals(2), MATRIX, |b| {
        b.tabulate(reals(2), int(3), |b, i| End::Yield(b.tabulate(reals(1), i, |_, _| End::Yield(real(1.0)))))
    });
    for n in [0, -5, 1] {
        agree_on(reals(2), MATRIX, |b| {
            b.tabulate(reals(2), int(n), |b, _| End::Yield(b.bind(reals(1), Op::Array(vec![real(1.0)]))))
        });
    }
    for index in [-1, 0, 1, 2, i64::MIN] {
        agree_on(Type::Real, REAL, |b| {
            let a = b.bind(reals(1), Op::Array(vec![real(1.0), real(2.0)]));
            b.bind(Type::Real, Op::Element(a, vec![int(index)]))
        });
    }
    let pair = Type::fields([Type::Real, Type::Real]);
    agree_on(pair.clone(), PAIR, |b| {
        let old = b.bind(reals(1), Op::Array(vec![real(1.0), real(2.0)]));
        let new = b.bind(reals(1), Op::Replace(old.clone(), vec![int(0)], real(9.0)));
        let old = b.bind(Type::Real, Op::Element(old, vec![int(0)]));
        let new = b.bind(Type::Real, Op::Element(new, vec![int(0)]));
        b.bind(pair, Op::Struct(vec![old, new]))
    });
}

#[test]
fn an_array_that_no_memory_holds_is_refused() {
    let found = agree_on(reals(1), VECTOR, |b| b.tabulate(reals(1), int(i64::MAX), |_, _| End::Yield(real(1.0))));
    assert!(found.starts_with(&codes::ARRAY_TOO_LARGE.to_string()), "{found}");
}

#[test]
fn prints_and_errors() {
    let print = |b: &mut FunctionBuilder, text: &str| {
        let text = b.bind(Type::Text, Op::Text(text.into()));
        let op = Op::Prim { prim: Prim::Print, args: vec![text], shapes: vec![TEXT], result: UNIT };
        b.bind(Type::unit(), op);
    };
    let mut b = FunctionBuilder::new("main", Type::Int);
    print(&mut b, "a");
    b.bind(Type::unit(), Op::Quiet(true));
    print(&mut b, "b");
    b.bind(Type::unit(), Op::Quiet(false));
    print(&mut b, "c");
    b.span = Span::new(base::FileId(3), 5, 9);
    b.bind(Type::unit(), Op::Fail(codes::USER_ERROR));
    let failing = program(vec![b.finish(End::Never)], &[], INT);
    assert!(agree(&failing, &[]).starts_with(&codes::USER_ERROR.to_string()));
    assert_eq!(interpreted(&failing, &[]).1, ["a", "c"]);
}

#[test]
fn primitives_on_arrays() {
    let apply = |prim, shapes: Vec<ShapeId>, result: ShapeId| {
        let of = || match result {
            REAL => Type::Real,
            MATRIX => reals(2),
            _ => reals(1),
        };
        agree_on(of(), result, |b| {
            let a = matrix(b);
            let v = b.bind(reals(1), Op::Array(vec![real(1.0), real(2.0), real(3.0)]));
            let args = shapes.iter().map(|&shape| if shape == MATRIX { a.clone() } else { v.clone() }).collect();
            b.bind(of(), Op::Prim { prim, args, shapes, result })
        })
    };
    apply(Prim::Sum, vec![MATRIX], REAL);
    apply(Prim::Sum, vec![VECTOR], REAL);
    apply(Prim::MatMul, vec![MATRIX, VECTOR], VECTOR);
    apply(Prim::MatMul, vec![VECTOR, VECTOR], REAL);
    apply(Prim::MatMul, vec![VECTOR, MATRIX], VECTOR);
    apply(Prim::Add, vec![VECTOR, VECTOR], VECTOR);
    apply(Prim::Add, vec![MATRIX, VECTOR], VECTOR);
    apply(Prim::Concat, vec![VECTOR, VECTOR], VECTOR);
    apply(Prim::Transpose, vec![MATRIX], MATRIX);
    apply(Prim::Exp, vec![MATRIX], MATRIX);
    assert!(apply(Prim::Det, vec![MATRIX], REAL).starts_with(&codes::SHAPE_MISMATCH.to_string()));
    assert_eq!(apply(Prim::Sum, vec![MATRIX], VECTOR), "mismatch");
}

#[test]
fn sensitivities_of_arrays_are_collected_in_handles() {
    // Σ over i of the sensitivity that is i at place i mod n
    let handle = ShapeId(shapes().0.len() as u32);
    let mut b = FunctionBuilder::new("main", Type::Real);
    let (a, n) = (b.param(reals(1)), b.param(Type::Int));
    let place = |b: &mut FunctionBuilder, a: &Atom, i: Atom, d: Atom| {
        let args = vec![a.clone(), i, d];
        let shapes = vec![VECTOR, INT, REAL];
        b.bind(Type::Handle, Op::Prim { prim: Prim::Place, args, shapes, result: handle })
    };
    let first = place(&mut b, &a, int(0), real(0.5));
    let all = count_down(&mut b, n, Type::Handle, first, |b, i, sum| {
        let length = b.bind(Type::Int, Op::Len(a.clone()));
        let at = b.scalar(Type::Int, Scalar::IntMod, [i.clone(), length]);
        let d = b.scalar(Type::Real, Scalar::ToReal, [i]);
        let d = place(b, &a, at, d);
        let shapes = vec![handle, handle];
        b.bind(Type::Handle, Op::Prim { prim: Prim::Plus, args: vec![sum, d], shapes, result: handle })
    });
    let twice = |b: &mut FunctionBuilder| {
        let op = Op::Prim { prim: Prim::Sum, args: vec![all.clone()], shapes: vec![handle], result: REAL };
        b.bind(Type::Real, op)
    };
    let (once, again) = (twice(&mut b), twice(&mut b));
    let total = b.scalar(Type::Real, Scalar::Add, [once, again]);
    let mut program = program(vec![b.finish(End::Yield(total))], &[VECTOR, INT], REAL);
    program.shapes.0.push(plain(Head::Handle(1), &[REAL]));
    let vector = |n| Value::array(Array::vector(vec![1.0; n]));
    assert!(agree(&program, &[vector(7), Value::Int(10_000)]).starts_with("100010001.0"));
    assert!(agree(&program, &[vector(0), Value::Int(3)]).starts_with(&codes::INDEX_OUT_OF_RANGE.to_string()));
}

#[test]
fn what_a_node_holds_may_be_read_twice() {
    let (list, content) = (Type::Named(NamedId(0)), list_content());
    let cell = Type::fields([Type::Real, list.clone()]);
    let mut b = FunctionBuilder::new("main", list.clone());
    let n = b.param(Type::Int);
    let all = counted(&mut b, n);
    // Both tails are the node's own; the longer list is made of one, the sum of the other.
    let first = b.bind(content.clone(), Op::Unbox(all.clone()));
    let second = b.bind(content.clone(), Op::Unbox(all.clone()));
    let alternatives = [Type::unit(), cell.clone()];
    let value = b.switch(list.clone(), first, &alternatives, |b, tag, one| {
        if tag == 0 {
            return End::Yield(all.clone());
        }
        let inner = b.switch(list.clone(), second.clone(), &alternatives, |b, tag, two| {
            if tag == 0 {
                return End::Yield(all.clone());
            }
            let tail = b.bind(list.clone(), Op::Field(one.clone(), 1));
            let head = b.bind(Type::Real, Op::Field(two.clone(), 0));
            let other = b.bind(list.clone(), Op::Field(two, 1));
            let other = b.bind(content.clone(), Op::Unbox(other));
            let more = b.switch(Type::Real, other, &alternatives, |b, tag, three| {
                End::Yield(if tag == 0 { real(0.5) } else { b.bind(Type::Real, Op::Field(three, 0)) })
            });
            let sum = b.scalar(Type::Real, Scalar::Add, [head, more]);
            let made = b.bind(cell.clone(), Op::Struct(vec![sum, tail]));
            let made = b.bind(content.clone(), Op::Inject(1, made));
            End::Yield(b.bind(list.clone(), Op::Box(made)))
        });
        End::Yield(inner)
    });
    let program = program(vec![b.finish(End::Yield(value))], &[INT], LIST);
    for n in 0..4 {
        agree(&program, &[Value::Int(n)]);
    }
}

#[test]
fn a_loop_goes_on_from_known_alternatives() {
    let (list, content) = (Type::Named(NamedId(0)), list_content());
    let cell = Type::fields([Type::Real, list.clone()]);
    let mut b = FunctionBuilder::new("main", list.clone());
    let n = b.param(Type::Int);
    let all = counted(&mut b, n.clone());
    let value = b.repeat(list.clone(), vec![(Type::Int, n), (list.clone(), all)], |b, params| {
        let [i, all] = params else { unreachable!() };
        let done = b.scalar(Type::Bool, Scalar::IntLe, [i.clone(), int(0)]);
        let less = b.scalar(Type::Int, Scalar::IntSub, [i.clone(), int(1)]);
        let (yielded, all) = (all.clone(), all.clone());
        let go_on = |b: &mut FunctionBuilder| {
            let head = b.scalar(Type::Real, Scalar::ToReal, [less.clone()]);
            let longer = b.bind(cell.clone(), Op::Struct(vec![head, all]));
            let longer = b.bind(content.clone(), Op::Inject(1, longer));
            let longer = b.bind(list.clone(), Op::Box(longer));
            let known = b.bind(content.clone(), Op::Inject(0, Atom::Unit));
            let next = vec![less, longer];
            End::Yield(b.switch(list.clone(), known, &[Type::unit(), cell.clone()], |_, _, _| End::Again(next.clone())))
        };
        End::Yield(b.choose(list.clone(), done, |_| End::Yield(yielded), go_on))
    });
    let program = program(vec![b.finish(End::Yield(value))], &[INT], LIST);
    for n in [0, 1, 1000] {
        agree(&program, &[Value::Int(n)]);
    }
}

#[test]
fn texts_are_joined_and_shown() {
    let shown = agree_on(Type::Text, TEXT, |b| {
        let a = b.bind(Type::Text, Op::Text("a ".into()));
        let op = Op::Prim { prim: Prim::Show, args: vec![real(1.5)], shapes: vec![REAL], result: TEXT };
        let number = b.bind(Type::Text, op);
        let join = |args| Op::Prim { prim: Prim::Join, args, shapes: vec![TEXT, TEXT], result: TEXT };
        let both = b.bind(Type::Text, join(vec![a.clone(), number]));
        b.bind(Type::Text, join(vec![a, both]))
    });
    assert!(shown.starts_with("\"a a 1.5\""), "{shown}");
}

#[test]
fn a_compiled_program_runs_many_times() {
    let mut b = FunctionBuilder::new("main", reals(1));
    let a = b.param(reals(1));
    let n = b.bind(Type::Int, Op::Len(a.clone()));
    let doubled = b.tabulate(reals(1), n, |b, i| {
        let x = b.bind(Type::Real, Op::Element(a, vec![i]));
        End::Yield(b.scalar(Type::Real, Scalar::Add, [x.clone(), x]))
    });
    let program = program(vec![b.finish(End::Yield(doubled))], &[VECTOR], VECTOR);
    ENGINE.with_borrow_mut(|engine| {
        let Some(engine) = engine else { return };
        let compiled = engine.compile(&program, Effort::Quick).unwrap_or_else(|broken| panic!("{broken}"));
        for n in 0..1000 {
            let value = Value::array(Array::vector(vec![1.5; n]));
            let result = engine.run(&compiled, &no_codes(), &[value], &mut |_| ()).expect("an array");
            assert_eq!(eval::show::show(&result), eval::show::show(&Value::array(Array::vector(vec![3.0; n]))));
            assert_eq!(engine.usage().live_after, 0);
        }
    });
}
