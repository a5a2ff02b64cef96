//! Compiled functions called from several threads, at numbers and arrays of the caller's.

use std::sync::Arc;

use evert::host::{Argument, Item, Leaf, Number, Portable, View};
use evert::{Session, Value, argument, pool};
use llvm::{Cache, Llvm, Search, SelfTest};

/// A session with a native engine; `None`, and a word, where there is none.
fn session(text: &str) -> Option<Session> {
    let search = Search::from_environment(Cache::none(), SelfTest::Skip);
    let Ok(llvm) = Llvm::find(&search) else {
        eprintln!("skipped: there is no LLVM");
        return None;
    };
    let mut session = Session::offline();
    session.engines.use_llvm(llvm, Cache::none());
    session.evaluate(text).expect("a program");
    Some(session)
}

fn portable(session: &mut Session, name: &str, x: &Value) -> Portable {
    let mut f = session.callable(name).expect("it is defined");
    f.portable(session, x).unwrap_or_else(|why| panic!("{name} isn't portable: {why:?}"))
}

fn vector(reals: &[f64]) -> Value {
    Value::array(eval::array::Array::vector(reals.to_vec()))
}

/// A call on a runner of the pool; the numbers of its result.
fn numbers(f: &Portable, leaves: &[Leaf]) -> Vec<f64> {
    let mut runner = pool::take().expect("a stack");
    let mut found = vec![];
    {
        let done = f.call(&mut runner, Argument::Leaves(leaves), &mut |_| ());
        let taken = done.unwrap_or_else(|stop| panic!("{stop:?}")).items(|item| {
            match item {
                Item::Real(x) => found.push(x),
                Item::Int(i) => found.push(i as f64),
                Item::Reals(_, reals) => found.extend(reals),
                Item::Tuple(_) | Item::Record(_) => {}
                Item::Bool(_) | Item::Ints(..) | Item::Bools(..) | Item::Value(_) => return Err("something else"),
            }
            Ok(())
        });
        taken.expect("numbers");
    }
    pool::give_back(runner);
    found
}

#[test]
fn leaves_with_any_strides_are_read_as_they_lie() {
    let Some(mut session) = session("fn f(a, n, m) = (sum(a) + real(n), m @ a)") else { return };
    let matrix = Value::array(eval::array::Array::reals(vec![2, 3], vec![0.0; 6]));
    let f = portable(&mut session, "f", &Value::tuple(vec![vector(&[0.0]), Value::Int(0), matrix]));
    assert!(f.takes_leaves());
    let (a, m) = ([1.0_f32, 9.0, 2.0, 9.0, 3.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0_f64]);
    // SAFETY: every second number of `a`, and `m` as a transposed matrix of 3 rows.
    let (every_second, transposed) = unsafe {
        (
            View::new(a.as_ptr().cast(), &[3], &[8], Number::F32),
            View::new(m.as_ptr().cast(), &[2, 3], &[8, 16], Number::F64),
        )
    };
    let leaves = [Leaf::Array(every_second), Leaf::Int(10), Leaf::Array(transposed)];
    assert_eq!(numbers(&f, &leaves), [16.0, 1.0 + 6.0 + 15.0, 2.0 + 8.0 + 18.0]);
}

#[test]
fn eight_threads_run_the_same_code_at_once() {
    let text = "
        let offsets = [1.0, 2.0, 3.0]
        fn root(a) = while_loop(x => abs(x * x - a) > 1e-12, x => (x + a / x) / 2, a)
        fn f(r) = {loss: sum(r.x * offsets) + root(r.a), slope: grad(root)(r.a), parts: [x for x in r.x if x > 1.5]}";
    let Some(mut session) = session(text) else { return };
    let labels = ["a", "x"].map(base::Name::new);
    let x = Value::record(labels[..].into(), vec![Value::Real(1.0), vector(&[1.0])]);
    let f = Arc::new(portable(&mut session, "f", &x));
    drop(session);
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let f = f.clone();
            std::thread::spawn(move || {
                for round in 0..500 {
                    let (a, x) = (f64::from(2 + number + round), [1.0, 2.0, f64::from(round)]);
                    // SAFETY: the array itself.
                    let view = unsafe { View::new(x.as_ptr().cast(), &[3], &[8], Number::F64) };
                    let found = numbers(&f, &[Leaf::Real(a), Leaf::Array(view)]);
                    let close = |x: f64, y: f64| (x - y).abs() < 1e-9 * y.abs();
                    assert!(close(found[0], 5.0 + 3.0 * x[2] + a.sqrt()), "{found:?}");
                    assert!(close(found[1], 0.5 / a.sqrt()), "{found:?}");
                    assert_eq!(found.len() - 2, x.iter().filter(|x| **x > 1.5).count());
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().expect("no thread fails"));
}

#[test]
fn an_error_is_described_by_the_session() {
    let Some(mut session) = session("fn f(a, i) = a[i]") else { return };
    let x = |i| Value::tuple(vec![vector(&[1.0, 2.0]), Value::Int(i)]);
    let mut f = session.callable("f").expect("it is defined");
    let code = f.portable(&mut session, &x(0)).unwrap_or_else(|why| panic!("{why:?}"));
    let mut runner = pool::take().expect("a stack");
    let stop =
        code.call(&mut runner, Argument::Value(&argument(x(2))), &mut |_| ()).err().expect("there is no such element");
    let error = f.describe(&mut session, x(2), &stop).expect_err("there is no such element");
    assert_eq!(error.code, base::codes::INDEX_OUT_OF_RANGE);
    assert!(code.call(&mut runner, Argument::Value(&argument(x(1))), &mut |_| ()).is_ok());
}

#[test]
fn code_that_gives_functions_stays_with_its_session() {
    let Some(mut session) = session("fn f(a) = x => a * x") else { return };
    let mut f = session.callable("f").expect("it is defined");
    assert!(f.portable(&mut session, &Value::Real(2.0)).is_err());
    assert!(f.run(&mut session, Value::Real(2.0)).is_ok());
}

#[test]
fn lengths_that_differ_are_repeated_in_every_call() {
    let Some(mut session) = session("fn f(a, b) = sum(a * b)") else { return };
    let matrix =
        |lengths: [usize; 2], reals: &[f64]| Value::array(eval::array::Array::reals(lengths.to_vec(), reals.to_vec()));
    let x = Value::tuple(vec![matrix([2, 1], &[1.0, 2.0]), matrix([2, 2], &[1.0, 2.0, 3.0, 4.0])]);
    let mut f = session.callable("f").expect("it is defined");
    for _ in 0..3 {
        let y = f.call(&mut session, x.clone()).expect("a value");
        assert_eq!(evert::show(&y), "17.0");
        assert!(f.prepare(&mut session, &x).is_ok());
    }
    let code = portable(&mut session, "f", &x);
    let mut runner = pool::take().expect("a stack");
    let stop = code.call(&mut runner, Argument::Value(&argument(x.clone())), &mut |_| ()).err().expect("other lengths");
    pool::give_back(runner);
    let y = f.describe(&mut session, x, &stop).expect("a value");
    assert_eq!(evert::show(&y), "17.0");
}
