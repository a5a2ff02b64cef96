//! A checked build ends a run where something doesn't hold that the compiler relies on: each test breaks L4 code in one place.

use base::Span;
use eval::Value;
use eval::array::Array;
use first_order::build::FunctionBuilder;
use first_order::{Atom, End, Op, Program, Scalar, Type};
use llvm::Effort;
use loops::{Block, Statement};
use native::emit::Checks;
use native::engine::tables;
use native::run::Stop;

use crate::programs::*;

/// What a checked build says of a program whose lowered code was changed.
fn violation(program: &Program, args: &[Value], change: impl FnOnce(&mut loops::Program)) -> Option<String> {
    let mut lowered = loops::lower(program);
    change(&mut lowered);
    let mut said = None;
    with_engine(|engine| {
        let ir = native::emit::emit_with(&lowered, Checks::Memory, native::emit::Progress::Silent);
        // SAFETY: the tables are those of the program; what its code does wrong is found before it does harm.
        let compiled = unsafe { engine.load(&ir, tables(program, &lowered), Effort::Quick) };
        let compiled = compiled.unwrap_or_else(|error| panic!("{error}\n{ir}")).checked();
        let codes: Vec<std::rc::Rc<eval::Code>> = vec![];
        said = Some(match engine.run(&compiled, &codes, args, &mut |_| ()) {
            Err(Stop::Violation { text, span, .. }) => {
                assert_eq!(span.is_none(), text.ends_with("the border"), "{text}");
                text
            }
            other => panic!("the change wasn't found: {other:?}\n{lowered}"),
        });
    });
    said
}

fn finds(expected: &str, program: &Program, args: &[Value], change: impl FnOnce(&mut loops::Program)) {
    if let Some(found) = violation(program, args, change) {
        assert_eq!(found, expected);
    }
}

/// Changes the statements of the entry, those of its blocks included.
fn each_block(block: &mut Block, change: &mut dyn FnMut(&mut Vec<Statement>)) {
    change(&mut block.statements);
    for statement in &mut block.statements {
        match &mut statement.op {
            loops::Op::If(_, yes, no) => [yes, no].into_iter().for_each(|block| each_block(block, change)),
            loops::Op::Switch(_, arms) => arms.iter_mut().for_each(|arm| each_block(&mut arm.block, change)),
            loops::Op::Loop { body, .. } | loops::Op::Sum { body, .. } => each_block(body, change),
            _ => {}
        }
    }
}

fn edit(lowered: &mut loops::Program, mut change: impl FnMut(&mut Vec<Statement>)) {
    let entry = lowered.entry.0 as usize;
    each_block(&mut lowered.functions[entry].body, &mut change);
}

fn reals(values: &[f64]) -> Value {
    Value::array(Array::vector(values.to_vec()))
}

fn vector() -> Type {
    Type::array(Type::Real, 1)
}

/// `(n, a) => a[n]`
fn element() -> Program {
    let mut f = FunctionBuilder::new("main", Type::Real);
    let (n, a) = (f.param(Type::Int), f.param(vector()));
    let value = f.bind(Type::Real, Op::Element(a, vec![n]));
    program(vec![f.finish(End::Yield(value))], &[INT, REALS], REAL)
}

#[test]
fn an_index_that_nobody_checked_is_found() {
    let unchecked = |lowered: &mut loops::Program| {
        edit(lowered, |statements| statements.retain(|s| !matches!(s.op, loops::Op::Require(..))));
    };
    for n in [3, -1, i64::MAX] {
        let said = "an index is out of range: reading an element in main";
        finds(said, &element(), &[Value::Int(n), reals(&[1.0, 2.0, 3.0])], unchecked);
    }
}

#[test]
fn another_rank_or_size_of_elements_is_found() {
    let args = [Value::Int(0), reals(&[1.0, 2.0, 3.0])];
    let said = "an array has another rank: reading an element in main";
    finds(said, &element(), &args, |lowered| {
        edit(lowered, |statements| {
            for statement in statements {
                if let loops::Op::LoadElement { rank, .. } = &mut statement.op {
                    *rank = 2;
                }
            }
        });
    });
    finds("an array has no such axis: reading a length in main", &element(), &args, |lowered| {
        edit(lowered, |statements| {
            for statement in statements {
                if let loops::Op::Axis(_, axis) = &mut statement.op {
                    *axis = 1;
                }
            }
        });
    });
}

#[test]
fn an_object_that_is_released_twice_is_found() {
    let args = [Value::Int(0), reals(&[1.0, 2.0, 3.0])];
    let said = "an object is used after it was freed: releasing in main";
    finds(said, &element(), &args, |lowered| {
        edit(lowered, |statements| {
            if let Some(at) = statements.iter().position(|s| matches!(s.op, loops::Op::Release(_))) {
                statements.insert(at, statements[at].clone());
            }
        });
    });
}

#[test]
fn an_object_that_is_read_after_its_release_is_found() {
    let args = [Value::Int(0), reals(&[1.0, 2.0, 3.0])];
    let said = "an object is used after it was freed: reading an element in main";
    finds(said, &element(), &args, |lowered| {
        edit(lowered, |statements| {
            let release = statements.iter().position(|s| matches!(s.op, loops::Op::Release(_)));
            let load = statements.iter().position(|s| matches!(s.op, loops::Op::LoadElement { .. }));
            if let (Some(release), Some(load)) = (release, load) {
                statements[load..=release].rotate_right(1);
            }
        });
    });
}

#[test]
fn a_write_to_an_array_that_others_see_is_found() {
    let mut f = FunctionBuilder::new("main", Type::Real);
    let a = f.param(vector());
    let b = f.bind(vector(), Op::Replace(a.clone(), vec![Atom::Int(0)], Atom::Real(5.0)));
    let (x, y) = (
        f.bind(Type::Real, Op::Element(a, vec![Atom::Int(0)])),
        f.bind(Type::Real, Op::Element(b, vec![Atom::Int(0)])),
    );
    let value = f.scalar(Type::Real, Scalar::Sub, [x, y]);
    let program = program(vec![f.finish(End::Yield(value))], &[REALS], REAL);
    let said = "an array is written that others see: writing an element in main";
    finds(said, &program, &[reals(&[1.0])], |lowered| {
        // What made the copy becomes the array itself.
        edit(lowered, |statements| {
            let copies = |s: &Statement| match s.op {
                loops::Op::Unshare(array) => Some((s.vars[0], array)),
                _ => None,
            };
            let copied = statements.iter().find_map(copies);
            if let Some((copy, array)) = copied {
                statements.retain(|s| !matches!(s.op, loops::Op::Unshare(_)));
                for statement in statements {
                    rename(&mut statement.op, copy, array);
                }
            }
        });
    });
}

fn rename(op: &mut loops::Op, from: loops::Var, to: loops::Atom) {
    match op {
        loops::Op::StoreElement { array, .. } | loops::Op::LoadElement { array, .. } | loops::Op::Release(array)
            if *array == loops::Atom::Var(from) =>
        {
            *array = to;
        }
        loops::Op::Axis(array, _) if *array == loops::Atom::Var(from) => *array = to,
        _ => {}
    }
}

#[test]
fn index_arithmetic_that_overflows_is_found() {
    let mut f = FunctionBuilder::new("main", Type::Int);
    let n = f.param(Type::Int);
    let value = int(&mut f, Scalar::IntMul, n.clone(), n);
    let program = program(vec![f.finish(End::Yield(value))], &[INT], INT);
    let said = "what the compiler relies on doesn't hold: a product in range in main";
    finds(said, &program, &[Value::Int(1 << 40)], |lowered| {
        edit(lowered, |statements| {
            for statement in statements {
                if let loops::Op::Scalar(Scalar::IntMul, atoms) = &statement.op {
                    statement.op = loops::Op::IndexMul(atoms[0], atoms[1]);
                    statement.span = Span::default();
                }
            }
        });
    });
}
