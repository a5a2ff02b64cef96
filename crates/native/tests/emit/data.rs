//! Structs, sums, lists, calls, loops, texts and primitives.

use base::codes;
use calculus::Prim;
use eval::Value;
use first_order::build::FunctionBuilder;
use first_order::{Atom, End, Function, FunctionId, Op, Scalar, Type};

use crate::programs::*;

/// `range(n)`: the list 0 … n-1, by a loop from the end.
fn range(f: &mut FunctionBuilder, n: Atom) -> Atom {
    let nil = empty_list(f);
    f.repeat(list_type(), vec![(Type::Int, n), (list_type(), nil)], |f, params| {
        let [i, rest] = [params[0].clone(), params[1].clone()];
        let more = f.scalar(Type::Bool, Scalar::IntGt, [i.clone(), Atom::Int(0)]);
        let rest_too = rest.clone();
        let value = f.choose(
            list_type(),
            more,
            |f| {
                let i = int(f, Scalar::IntSub, i, Atom::Int(1));
                let longer = put_before(f, i.clone(), rest);
                End::Again(vec![i, longer])
            },
            |_| End::Yield(rest_too),
        );
        End::Yield(value)
    })
}

/// `sum(list)`, not in tail position; function number `own`.
fn sum(own: u32) -> Function {
    let mut f = FunctionBuilder::new("sum", Type::Int);
    let all = f.param(list_type());
    let content = f.bind(content_type(), Op::Unbox(all));
    let value = f.switch(Type::Int, content, &[Type::unit(), pair_type()], |f, tag, content| {
        if tag == 0 {
            return End::Yield(Atom::Int(0));
        }
        let head = f.bind(Type::Int, Op::Field(content.clone(), 0));
        let tail = f.bind(list_type(), Op::Field(content, 1));
        let rest = f.call(Type::Int, FunctionId(own), vec![tail]);
        End::Yield(int(f, Scalar::IntAdd, head, rest))
    });
    f.finish(End::Yield(value))
}

#[test]
fn lists_are_built_by_loops_and_summed_by_recursion() {
    let mut f = FunctionBuilder::new("main", Type::Int);
    let n = f.param(Type::Int);
    let all = range(&mut f, n);
    let once = f.call(Type::Int, FunctionId(1), vec![all.clone()]);
    let twice = f.call(Type::Int, FunctionId(1), vec![all]);
    let value = int(&mut f, Scalar::IntAdd, once, twice);
    let program = program(vec![f.finish(End::Yield(value)), sum(1)], &[INT], INT);
    for n in [0, 1, 10, 1000] {
        let Ok(Value::Int(found)) = check(&program, &[Value::Int(n)]) else { panic!("an int") };
        assert_eq!(found, n * (n - 1));
    }
}

#[test]
fn lists_come_in_and_go_out() {
    let mut f = FunctionBuilder::new("main", list_type());
    let (all, n) = (f.param(list_type()), f.param(Type::Int));
    let longer = put_before(&mut f, n, all);
    let program = program(vec![f.finish(End::Yield(longer))], &[LIST, INT], LIST);
    check_all(&program, &[vec![list(0), Value::Int(5)], vec![list(3), Value::Int(5)]]);
}

#[test]
fn parameters_that_nobody_uses_are_released() {
    let mut f = FunctionBuilder::new("main", Type::Int);
    let (_, n) = (f.param(list_type()), f.param(Type::Int));
    let zero = f.scalar(Type::Bool, Scalar::IntEq, [n.clone(), Atom::Int(0)]);
    let unused = f.param(list_type());
    let value = f.choose(
        Type::Int,
        zero,
        |f| End::Yield(f.call(Type::Int, FunctionId(1), vec![unused])),
        |_| End::Yield(Atom::Int(7)),
    );
    let program = program(vec![f.finish(End::Yield(value)), sum(1)], &[LIST, INT, LIST], INT);
    check_all(&program, &[vec![list(3), Value::Int(0), list(4)], vec![list(3), Value::Int(1), list(4)]]);
}

#[test]
fn more_than_four_leaves_are_returned_through_memory() {
    let six = Type::fields([Type::Int, Type::Real, Type::Bool, list_type(), Type::array(Type::Real, 1), Type::Int]);
    let mut g = FunctionBuilder::new("swap", six.clone());
    let whole = g.param(six.clone());
    let parts = [Type::Int, Type::Real, Type::Bool, list_type(), Type::array(Type::Real, 1), Type::Int];
    let mut fields: Vec<Atom> = (0..).zip(parts).map(|(at, part)| g.bind(part, Op::Field(whole.clone(), at))).collect();
    fields.swap(0, 5);
    let swapped = g.bind(six.clone(), Op::Struct(fields));
    let mut f = FunctionBuilder::new("main", six.clone());
    let whole = f.param(six.clone());
    let value = f.call(six, FunctionId(1), vec![whole]);
    let program = program(vec![f.finish(End::Yield(value)), g.finish(End::Yield(swapped))], &[SIX], SIX);
    let reals = Value::array(eval::array::Array::vector(vec![1.0, 2.5]));
    let value = Value::tuple(vec![Value::Int(1), Value::Real(2.5), Value::Bool(true), list(3), reals, Value::Int(9)]);
    check(&program, &[value]).unwrap();
}

/// A sum of an int, an array, a pair of lists, nothing; chosen by n, then switched on twice.
#[test]
fn sums_share_their_leaves() {
    let reals = Type::array(Type::Real, 1);
    let lists = Type::fields([list_type(), list_type()]);
    let alternatives = [Type::Int, reals.clone(), lists.clone(), Type::unit()];
    let sum_type = Type::sum(alternatives.clone());
    let mut f = FunctionBuilder::new("main", Type::Int);
    let (n, some, many) = (f.param(Type::Int), f.param(reals.clone()), f.param(list_type()));
    let is = |f: &mut FunctionBuilder, k| f.scalar(Type::Bool, Scalar::IntEq, [n.clone(), Atom::Int(k)]);
    let (zero, one, two) = (is(&mut f, 0), is(&mut f, 1), is(&mut f, 2));
    let (sums, t) = (sum_type.clone(), sum_type.clone());
    let chosen = f.choose(
        sum_type.clone(),
        zero,
        |f| End::Yield(f.bind(sums.clone(), Op::Inject(0, n.clone()))),
        |f| {
            let inner = f.choose(
                t.clone(),
                one,
                |f| End::Yield(f.bind(t.clone(), Op::Inject(1, some.clone()))),
                |f| {
                    let last = f.choose(
                        t.clone(),
                        two,
                        |f| {
                            let pair = f.bind(lists.clone(), Op::Struct(vec![many.clone(), many.clone()]));
                            End::Yield(f.bind(t.clone(), Op::Inject(2, pair)))
                        },
                        |f| End::Yield(f.bind(t.clone(), Op::Inject(3, Atom::Unit))),
                    );
                    End::Yield(last)
                },
            );
            End::Yield(inner)
        },
    );
    let size = |f: &mut FunctionBuilder, sum: Atom| {
        f.switch(Type::Int, sum, &alternatives, |f, tag, content| match tag {
            0 => End::Yield(content),
            1 => End::Yield(f.bind(Type::Int, Op::Len(content))),
            2 => {
                let second = f.bind(list_type(), Op::Field(content, 1));
                End::Yield(f.call(Type::Int, FunctionId(1), vec![second]))
            }
            _ => End::Yield(Atom::Int(-1)),
        })
    };
    let (first, second) = (size(&mut f, chosen.clone()), size(&mut f, chosen));
    let value = int(&mut f, Scalar::IntAdd, first, second);
    let program = program(vec![f.finish(End::Yield(value)), sum(1)], &[INT, REALS, LIST], INT);
    let reals = Value::array(eval::array::Array::vector(vec![1.0, 2.5]));
    let inputs: Vec<_> = (0..4).map(|n| vec![Value::Int(n), reals.clone(), list(4)]).collect();
    check_all(&program, &inputs);
}

#[test]
fn boxing_a_sum_whose_tag_is_not_known() {
    let mut f = FunctionBuilder::new("main", list_type());
    let (n, many) = (f.param(Type::Int), f.param(list_type()));
    let zero = f.scalar(Type::Bool, Scalar::IntEq, [n.clone(), Atom::Int(0)]);
    let content = f.choose(
        content_type(),
        zero,
        |f| End::Yield(f.bind(content_type(), Op::Inject(0, Atom::Unit))),
        |f| {
            let pair = f.bind(pair_type(), Op::Struct(vec![n, many]));
            End::Yield(f.bind(content_type(), Op::Inject(1, pair)))
        },
    );
    let boxed = f.bind(list_type(), Op::Box(content));
    // Not only switched on: the whole content is read.
    let again = f.bind(content_type(), Op::Unbox(boxed.clone()));
    let again = f.bind(list_type(), Op::Box(again));
    let longer = put_before(&mut f, Atom::Int(3), again);
    let program = program(vec![f.finish(End::Yield(longer))], &[INT, LIST], LIST);
    check_all(&program, &[vec![Value::Int(0), list(2)], vec![Value::Int(1), list(2)], vec![Value::Int(1), list(0)]]);
}

#[test]
fn texts_and_primitives_go_through_the_runtime() {
    let mut f = FunctionBuilder::new("main", Type::Text);
    let (n, many) = (f.param(Type::Int), f.param(list_type()));
    let prim = |prim, args, shapes: &[_], result| Op::Prim { prim, args, shapes: shapes.to_vec(), result };
    f.bind(Type::unit(), prim(Prim::Print, vec![many], &[LIST], UNIT));
    f.bind(Type::unit(), Op::Quiet(true));
    f.bind(Type::unit(), prim(Prim::Print, vec![n.clone()], &[INT], UNIT));
    f.bind(Type::unit(), Op::Quiet(false));
    let text = f.bind(Type::Text, Op::Text("n is ".into()));
    let shown = f.bind(Type::Text, prim(Prim::Show, vec![n], &[INT], TEXT));
    let both = f.bind(Type::Text, prim(Prim::Add, vec![text, shown], &[TEXT, TEXT], TEXT));
    let program = program(vec![f.finish(End::Yield(both))], &[INT, LIST], TEXT);
    check(&program, &[Value::Int(5), list(3)]).unwrap();
}

#[test]
fn endless_recursion_is_an_error() {
    let mut f = FunctionBuilder::new("main", Type::Int);
    let n = f.param(Type::Int);
    let value = f.call(Type::Int, FunctionId(0), vec![n]);
    let value = int(&mut f, Scalar::IntAdd, value, Atom::Int(1));
    let program = program(vec![f.finish(End::Yield(value))], &[INT], INT);
    // Once: it touches all of the stack.
    let results = check_at(&[llvm::Effort::Standard], &program, &[vec![Value::Int(0)]]);
    assert_eq!(*results[0].as_ref().unwrap_err(), codes::RECURSION_TOO_DEEP);
}

#[test]
fn a_branch_may_fail() {
    let mut f = FunctionBuilder::new("main", Type::Int);
    let (n, many) = (f.param(Type::Int), f.param(list_type()));
    let fine = f.scalar(Type::Bool, Scalar::IntGt, [n, Atom::Int(0)]);
    let value = f.choose(
        Type::Int,
        fine,
        |f| End::Yield(f.call(Type::Int, FunctionId(1), vec![many])),
        |f| {
            f.bind(Type::Int, Op::Fail(codes::NO_MATCH));
            End::Never
        },
    );
    let program = program(vec![f.finish(End::Yield(value)), sum(1)], &[INT, LIST], INT);
    check_all(&program, &[vec![Value::Int(0), list(2)], vec![Value::Int(1), list(2)]]);
}

#[test]
fn the_runtime_has_every_symbol_that_code_may_need_with_its_types() {
    let given = native::runtime::symbols::symbols();
    let names: Vec<&str> = given.iter().map(|symbol| symbol.name).collect();
    assert_eq!(names, native::emit::RUNTIME_SYMBOLS);
    for (symbol, (name, signature)) in given.iter().zip(native::emit::SIGNATURES) {
        assert_eq!(symbol.types, loops::symbols::types_of(signature), "the types of {name}");
    }
}
