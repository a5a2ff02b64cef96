//! What the runtime costs: `cargo run --release -p evert-native --example figures`.
//!
//! Entries are Rust functions that behave as compiled code does, so the figures are those of the runtime alone.
//! SAFETY of all entries: they are run with the tables they were written for, own their arguments, and give each up once.

use std::rc::Rc;
use std::time::Duration;

use base::Span;
use calculus::Prim;
use eval::Value;
use eval::array::Array;
use eval::value::Form;
use first_order::build::FunctionBuilder;
use first_order::{
    Alternative, Definition, End, FunctionId, Head, NamedId, Program, Scalar, Shape, ShapeId, Shapes, Type,
};
use llvm::{Effort, SelfTest};
use native::engine::Engine;
use native::layout::Layouts;
use native::run::{Runner, Tables};
use native::runtime::prim::rt_prim;
use native::runtime::symbols::{rt_alloc, rt_free};
use native::runtime::{Context, Site, object};
use native::stack::Entry;

const REAL: ShapeId = ShapeId(0);
const LIST: ShapeId = ShapeId(1);
const REALS: ShapeId = ShapeId(2);
const HANDLE: ShapeId = ShapeId(3);

fn shapes() -> Shapes {
    let shape = |head, parts: &[ShapeId]| Alternative { head, parts: parts.to_vec() };
    let one = |head, parts: &[ShapeId]| Shape { alternatives: vec![shape(head, parts)], named: None };
    let list = vec![shape(Head::Tuple, &[]), shape(Head::Tuple, &[REAL, LIST])];
    Shapes(
        vec![
            one(Head::Real, &[]),
            Shape { alternatives: list, named: Some(NamedId(0)) },
            one(Head::Array(1), &[REAL]),
            one(Head::Handle(1), &[REAL]),
        ],
        Default::default(),
    )
}

fn tables(sites: &[(Prim, &[ShapeId], ShapeId)], parameters: &[ShapeId], result: ShapeId) -> Tables {
    let shapes = shapes();
    let types = [Definition { name: "List".into(), content: shapes.content_of(LIST) }];
    let site = |(prim, args, result): &(Prim, &[ShapeId], ShapeId)| Site {
        prim: *prim,
        args: args.to_vec(),
        result: *result,
        span: Span::default(),
    };
    Tables {
        layouts: Layouts::new(&shapes, &types, &loops::Grown::default()),
        shapes,
        sites: sites.iter().map(site).collect(),
        texts: vec![],
        parameters: parameters.to_vec(),
        result: Some(result),
    }
}

unsafe extern "C" fn identity(_: *mut Context, args: *const u64, out: *mut u64) {
    // SAFETY: the run gives one word and room for one.
    unsafe { out.write(args.read()) };
}

const TIMES: u32 = 1_000_000;

/// Allocates and frees a node of five words a million times, eight at a time.
unsafe extern "C" fn objects(ctx: *mut Context, args: *const u64, out: *mut u64) {
    let descriptor = object::OwnDescriptor::new(object::NODE, 3, [].into_iter());
    // SAFETY: the context is that of the run; each node has room for five words and is freed once.
    unsafe {
        for _ in 0..TIMES / 8 {
            let nodes = [(); 8].map(|()| rt_alloc(ctx, 5));
            for node in nodes {
                object::begin(node, descriptor.get());
                rt_free(ctx, node);
            }
        }
        out.write(args.read());
    }
}

/// Primitive 0 a million times on scalars.
unsafe extern "C" fn scalars(ctx: *mut Context, args: *const u64, out: *mut u64) {
    for _ in 0..TIMES {
        // SAFETY: primitive 0 takes the words that this function was given.
        unsafe { rt_prim(ctx, 0, args, out) };
    }
}

/// Primitive 0 a million times on the two arguments, which are kept.
unsafe extern "C" fn primitives(ctx: *mut Context, args: *const u64, out: *mut u64) {
    // SAFETY: the arguments are two objects, which `retain` keeps alive for each call.
    unsafe {
        for i in 0..TIMES {
            for at in 0..2 {
                object::retain(args.add(at).read());
            }
            rt_prim(ctx, 0, args, out);
            if i + 1 < TIMES {
                rt_free(ctx, out.read() as *mut u64);
            }
        }
        for at in 0..2 {
            rt_free(ctx, args.add(at).read() as *mut u64);
        }
    }
}

/// The time that this thread has computed, whoever else uses the machine.
fn busy() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock writes into `time`.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn measure(what: &str, per: u32, runner: &mut Runner, entry: Entry, tables: &Tables, args: &[Value], runs: u32) {
    let codes: Vec<Rc<eval::Code>> = vec![];
    let start = busy();
    for _ in 0..runs {
        // SAFETY: the entries here take and give words of their tables' shapes.
        unsafe { runner.run(entry, tables, &codes, args, &mut |_| ()) }.expect("a value");
    }
    println!("{what:40} {:10.1} ns", (busy() - start).as_nanos() as f64 / f64::from(runs) / f64::from(per));
}

/// Compiling, linking and running `x ↦ x + x`.
fn measure_engine() {
    let engine = Engine::new(SelfTest::Skip);
    let Ok(mut engine) = engine else { return println!("no engine") };
    let mut b = FunctionBuilder::new("main", Type::Real);
    let x = b.param(Type::Real);
    let sum = b.scalar(Type::Real, Scalar::Add, [x.clone(), x]);
    let functions = vec![b.finish(End::Yield(sum))];
    let (parameters, result) = (vec![REAL], REAL);
    let types = vec![Definition { name: "List".into(), content: shapes().content_of(LIST) }];
    let program = Program { types, shapes: shapes(), functions, entry: FunctionId(0), parameters, result };
    for effort in Effort::ALL {
        let compiled = engine.compile(&program, effort).expect("code");
        println!("{effort:?}: {:?}", compiled.stats);
        let codes: Vec<Rc<eval::Code>> = vec![];
        let start = busy();
        for _ in 0..1_000_000 {
            engine.run(&compiled, &codes, &[Value::Real(1.5)], &mut |_| ()).expect("a value");
        }
        println!("{:40} {:10.1} ns", "a compiled run", (busy() - start).as_nanos() as f64 / 1e6);
    }
}

fn main() {
    measure_engine();
    let mut runner = Runner::new().expect("a stack");
    let x = Value::Real(1.5);
    let list = (0..TIMES).fold(Value::unit(), |rest, _| Value::data(Form::Tuple, vec![Value::Real(1.0), rest]));
    let vector = |n: usize| Value::array(Array::vector(vec![1.25; n]));
    let plain = tables(&[], &[REAL], REAL);
    measure("a run", 1, &mut runner, identity, &plain, std::slice::from_ref(&x), 1_000_000);
    measure("an object", TIMES, &mut runner, objects, &plain, std::slice::from_ref(&x), 10);
    let lists = tables(&[], &[LIST], LIST);
    measure("a node in and out", TIMES, &mut runner, identity, &lists, &[list], 3);
    let pow = tables(&[(Prim::Pow, &[REAL, REAL], REAL)], &[REAL, REAL], REAL);
    measure("a primitive on scalars", TIMES, &mut runner, scalars, &pow, &[x.clone(), x.clone()], 3);
    for n in [10, 1000] {
        let add = tables(&[(Prim::Add, &[REALS, REALS], REALS)], &[REALS, REALS], REALS);
        let what = format!("a sum of two vectors of {n}");
        measure(&what, TIMES, &mut runner, primitives, &add, &[vector(n), vector(n)], 1);
    }
    let plus = tables(&[(Prim::Plus, &[HANDLE, HANDLE], HANDLE)], &[HANDLE, HANDLE], HANDLE);
    measure("⊕ of handles of 10", TIMES, &mut runner, primitives, &plus, &[vector(10), vector(10)], 1);
}
