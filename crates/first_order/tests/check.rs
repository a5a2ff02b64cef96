//! A good program broken in every way that the checker knows.

mod common;

use base::codes;
use calculus::Prim;
use common::*;
use first_order::build::FunctionBuilder;
use first_order::check::Rule;
use first_order::*;

/// Breaks a good program and says which rules it breaks then.
fn broken(change: impl FnOnce(&mut Program)) -> Vec<Rule> {
    let mut program = good();
    assert_eq!(check(&program), Ok(()));
    change(&mut program);
    check(&program).expect_err("a violation").into_iter().map(|violation| violation.rule).collect()
}

/// The rules that a function breaks as the entry of a program without parameters.
fn rules(result: Type, shape: ShapeId, body: impl FnOnce(&mut FunctionBuilder) -> Atom) -> Vec<Rule> {
    let program = program(vec![constant(result, body)], &[], shape);
    check(&program).expect_err("a violation").into_iter().map(|violation| violation.rule).collect()
}

fn good() -> Program {
    let mut b = FunctionBuilder::new("main", Type::Int);
    let n = b.param(Type::Int);
    let sum = count_down(&mut b, n, Type::Int, int(0), |b, i, sum| b.scalar(Type::Int, Scalar::IntAdd, [sum, i]));
    program(vec![b.finish(End::Yield(sum))], &[INT], INT)
}

fn mismatch(expected: Type, found: Type) -> Vec<Rule> {
    vec![Rule::Mismatch { expected, found }]
}

#[test]
fn named_types_exist_and_have_a_content() {
    let named = |id| Type::Named(NamedId(id));
    let define = |program: &mut Program, content| program.types.push(Definition { name: "T".into(), content });
    assert_eq!(broken(|p| define(p, named(9))), [Rule::UnknownType(NamedId(9))]);
    assert_eq!(broken(|p| define(p, named(1))), [Rule::EmptyDefinition(NamedId(1))]);
    let var = |p: &mut Program| p.functions[0].vars.push(Type::Named(NamedId(9)));
    assert_eq!(broken(var), [Rule::UnknownType(NamedId(9))]);
}

#[test]
fn arrays_have_axes_and_no_arrays_inside() {
    let declare = |of: Type| broken(|p| p.functions[0].vars.push(of));
    assert_eq!(declare(reals(0)), [Rule::ArrayWithoutAxes]);
    assert_eq!(declare(Type::array(reals(1), 1)), [Rule::ArrayOfArrays]);
    let shape = |head, parts: &[ShapeId]| broken(|p| p.shapes.0.push(plain(head, parts)));
    assert_eq!(shape(Head::Array(1), &[VECTOR]), [Rule::ArrayOfArrays]);
}

#[test]
fn shapes_have_the_parts_of_their_heads() {
    let next = ShapeId(shapes().0.len() as u32);
    let shape = |head, parts: &[ShapeId]| broken(|p| p.shapes.0.push(plain(head, parts)));
    assert_eq!(shape(Head::Real, &[REAL]), [Rule::Parts(next)]);
    assert_eq!(shape(Head::Full, &[REAL]), [Rule::Parts(next)]);
    assert_eq!(shape(Head::Record(["x".into()].into()), &[]), [Rule::Parts(next)]);
    assert_eq!(shape(Head::Tuple, &[ShapeId(99)]), [Rule::UnknownShape(ShapeId(99))]);
    assert_eq!(broken(|p| p.result = ShapeId(99)), [Rule::UnknownShape(ShapeId(99))]);
}

#[test]
fn cycles_of_shapes_are_named_and_names_fit() {
    let next = ShapeId(shapes().0.len() as u32);
    assert_eq!(broken(|p| p.shapes.0.push(plain(Head::Tuple, &[next]))), [Rule::Endless(next)]);
    assert_eq!(broken(|p| p.types[0].content = Type::Real), [Rule::Content(LIST)]);
}

#[test]
fn the_entry_fits_the_border() {
    let unknown = FunctionId(9);
    assert_eq!(broken(|p| p.entry = unknown), [Rule::UnknownFunction(unknown)]);
    assert_eq!(broken(|p| p.parameters.clear()), [Rule::Count { expected: 0, found: 1 }]);
    assert_eq!(broken(|p| p.parameters[0] = REAL), mismatch(Type::Real, Type::Int));
    assert_eq!(broken(|p| p.result = REAL), mismatch(Type::Real, Type::Int));
}

#[test]
fn variables_are_bound_once_and_before_their_use() {
    let state = |var| Statement { var, op: Op::Atom(int(1)), span: Default::default() };
    let add = |var| broken(|p| p.functions[0].body.statements.push(state(Var(var))));
    assert_eq!(add(0), [Rule::BoundTwice(Var(0))]);
    assert_eq!(add(99), [Rule::UnknownVariable(Var(99))]);
    let end = |atom| broken(|p| p.functions[0].body.end = End::Yield(atom));
    assert_eq!(end(Atom::Var(Var(99))), [Rule::UnknownVariable(Var(99))]);
    let twice = broken(|p| p.functions[0].params.push(Var(0)));
    assert!(twice.contains(&Rule::BoundTwice(Var(0))));
    let before = rules(Type::Int, INT, |b| {
        let later = b.fresh(Type::Int);
        let sum = b.scalar(Type::Int, Scalar::IntNeg, [Atom::Var(later)]);
        b.state(later, Op::Atom(int(1)));
        sum
    });
    assert_eq!(before, [Rule::NotBound(Var(0))]);
}

#[test]
fn what_a_block_binds_is_not_seen_outside() {
    let branch = rules(Type::Int, INT, |b| {
        let inner = b.fresh(Type::Int);
        let then = b.block(|b| {
            b.state(inner, Op::Atom(int(1)));
            End::Yield(Atom::Var(inner))
        });
        let otherwise = b.block(|_| End::Yield(Atom::Var(inner)));
        b.bind(Type::Int, Op::If(Atom::Bool(true), Box::new(then), Box::new(otherwise)));
        Atom::Var(inner)
    });
    assert_eq!(branch, [Rule::NotBound(Var(0)), Rule::NotBound(Var(0))]);
    let index = rules(Type::Int, INT, |b| {
        b.tabulate(reals(1), int(2), |_, _| End::Yield(real(1.0)));
        Atom::Var(Var(0))
    });
    assert_eq!(index, [Rule::NotBound(Var(0))]);
    let param = rules(Type::Int, INT, |b| {
        b.repeat(Type::Int, vec![(Type::Int, int(1))], |_, _| End::Yield(int(1)));
        Atom::Var(Var(0))
    });
    assert_eq!(param, [Rule::NotBound(Var(0))]);
}

/// The rules that one operation breaks.
fn op(of: Type, op: Op) -> Vec<Rule> {
    rules(Type::Int, INT, |b| {
        b.bind(of, op);
        int(0)
    })
}

#[test]
fn operands_and_results_have_their_types() {
    assert_eq!(op(Type::Int, Op::Atom(real(1.0))), mismatch(Type::Int, Type::Real));
    assert_eq!(op(Type::Int, Op::Text("".into())), mismatch(Type::Int, Type::Text));
    let add = |args: &[Atom]| Op::Scalar(Scalar::Add, args.to_vec());
    assert_eq!(op(Type::Real, add(&[real(1.0), int(1)])), mismatch(Type::Real, Type::Int));
    assert_eq!(op(Type::Int, add(&[real(1.0), real(1.0)])), mismatch(Type::Real, Type::Int));
    assert_eq!(op(Type::Real, add(&[real(1.0)])), [Rule::Count { expected: 2, found: 1 }]);
    let unknown = Op::Scalar(Scalar::Function(9999), vec![real(1.0)]);
    assert_eq!(op(Type::Real, unknown), [Rule::NoSuchTranscendental(9999)]);
    assert_eq!(op(Type::Int, Op::Quiet(true)), [mismatch(Type::Int, Type::unit()), vec![Rule::Quiet]].concat());
}

#[test]
fn structs_sums_and_names_have_the_parts_that_are_asked_for() {
    let (pair, sum) = (Type::fields([Type::Int, Type::Real]), Type::sum([Type::Int, Type::unit()]));
    assert_eq!(op(pair.clone(), Op::Struct(vec![int(1)])), [Rule::Count { expected: 2, found: 1 }]);
    assert_eq!(op(pair.clone(), Op::Struct(vec![int(1), int(2)])), mismatch(Type::Real, Type::Int));
    assert_eq!(op(Type::Int, Op::Struct(vec![])), [Rule::Kind { expected: "a struct", found: Type::Int }]);
    assert_eq!(op(Type::Int, Op::Field(int(1), 0)), [Rule::Kind { expected: "a struct", found: Type::Int }]);
    assert_eq!(op(Type::Int, Op::Field(Atom::Unit, 0)), [Rule::NoSuchPart(0)]);
    assert_eq!(op(Type::Int, Op::Inject(0, int(1))), [Rule::Kind { expected: "a sum", found: Type::Int }]);
    assert_eq!(op(sum.clone(), Op::Inject(2, int(1))), [Rule::NoSuchPart(2)]);
    assert_eq!(op(sum.clone(), Op::Inject(1, int(1))), mismatch(Type::unit(), Type::Int));
    assert_eq!(op(Type::Int, Op::Switch(int(1), vec![])), [Rule::Kind { expected: "a sum", found: Type::Int }]);
    assert_eq!(op(Type::Int, Op::Box(int(1))), [Rule::Kind { expected: "a named type", found: Type::Int }]);
    assert_eq!(op(Type::Int, Op::Unbox(int(1))), [Rule::Kind { expected: "a named type", found: Type::Int }]);
    assert_eq!(op(Type::Named(NamedId(0)), Op::Box(int(1))), mismatch(list_content(), Type::Int));
    let arms = |alternatives: &'static [Type]| {
        let sum = sum.clone();
        rules(Type::Int, INT, move |b| {
            let sum = b.bind(sum, Op::Inject(0, int(1)));
            b.switch(Type::Int, sum, alternatives, |_, _, _| End::Yield(int(1)))
        })
    };
    assert_eq!(arms(&[Type::Int]), [Rule::Count { expected: 2, found: 1 }]);
    assert_eq!(arms(&[Type::Int, Type::Real]), mismatch(Type::unit(), Type::Real));
    let field = rules(Type::Int, INT, |b| {
        let both = b.bind(pair, Op::Struct(vec![int(1), real(1.0)]));
        b.bind(Type::Int, Op::Field(both, 1))
    });
    assert_eq!(field, mismatch(Type::Real, Type::Int));
}

#[test]
fn views_are_of_types_with_the_same_bits() {
    let (list, other) = (Type::Named(NamedId(0)), Type::Named(NamedId(1)));
    let viewed = |content: Type| {
        let mut b = FunctionBuilder::new("main", Type::Int);
        let empty = b.bind(list_content(), Op::Inject(0, Atom::Unit));
        let boxed = b.bind(list.clone(), Op::Box(empty));
        b.bind(other.clone(), Op::View(boxed));
        let mut program = program(vec![b.finish(End::Yield(int(0)))], &[], INT);
        program.types.push(Definition { name: "Other".into(), content });
        check(&program).map_err(|violations| violations.into_iter().map(|violation| violation.rule).collect::<Vec<_>>())
    };
    let cell = |rest: &Type| Type::sum([Type::unit(), Type::fields([Type::Real, rest.clone()])]);
    assert_eq!(viewed(cell(&other)), Ok(()));
    assert_eq!(viewed(cell(&list)), Ok(()));
    assert_eq!(viewed(Type::Real), Err(vec![Rule::View { from: list.clone(), to: other.clone() }]));
}

#[test]
fn arrays_are_indexed_by_at_most_their_axes() {
    let with_array = |of: Type, make: fn(Atom) -> Op| {
        rules(Type::Int, INT, move |b| {
            let array = b.bind(reals(1), Op::Array(vec![real(1.0)]));
            b.bind(of, make(array));
            int(0)
        })
    };
    assert_eq!(with_array(Type::Real, |a| Op::Element(a, vec![int(0), int(0)])), [Rule::TooManyIndices]);
    assert_eq!(with_array(reals(1), |a| Op::Element(a, vec![])), [Rule::NoIndices]);
    assert_eq!(with_array(Type::Int, |a| Op::Element(a, vec![int(0)])), mismatch(Type::Real, Type::Int));
    assert_eq!(with_array(Type::Real, |a| Op::Element(a, vec![real(0.0)])), mismatch(Type::Int, Type::Real));
    assert_eq!(with_array(reals(1), |a| Op::Replace(a, vec![int(0)], int(1))), mismatch(Type::Real, Type::Int));
    assert_eq!(with_array(reals(2), |a| Op::Replace(a, vec![int(0)], real(1.0))), mismatch(reals(2), reals(1)));
    assert_eq!(with_array(Type::Real, Op::Len), mismatch(Type::Real, Type::Int));
    assert_eq!(op(Type::Int, Op::Len(int(1))), [Rule::Kind { expected: "an array", found: Type::Int }]);
    assert_eq!(op(reals(1), Op::Array(vec![int(1)])), mismatch(Type::Real, Type::Int));
    let body = || Box::new(Block { statements: vec![], end: End::Yield(real(1.0)) });
    let table = |of, n| {
        rules(Type::Int, INT, |b| {
            let index = b.fresh(Type::Int);
            b.bind(of, Op::Tabulate { n, index, body: body() });
            int(0)
        })
    };
    assert_eq!(table(Type::Int, int(1)), [Rule::Kind { expected: "an array", found: Type::Int }]);
    assert_eq!(table(reals(2), int(1)), mismatch(reals(1), Type::Real));
    assert_eq!(table(reals(1), real(1.0)), mismatch(Type::Int, Type::Real));
}

#[test]
fn calls_match_signatures() {
    let main = FunctionId(0);
    assert_eq!(op(Type::Int, Op::Call(FunctionId(7), vec![])), [Rule::UnknownFunction(FunctionId(7))]);
    assert_eq!(op(Type::Int, Op::Call(main, vec![int(1)])), [Rule::Count { expected: 0, found: 1 }]);
    assert_eq!(op(Type::Real, Op::Call(main, vec![])), mismatch(Type::Int, Type::Real));
}

#[test]
fn primitives_match_their_shapes() {
    let sum = |prim, args: &[Atom], shapes: &[ShapeId], result| {
        let (args, shapes) = (args.to_vec(), shapes.to_vec());
        op(Type::Real, Op::Prim { prim, args, shapes, result })
    };
    assert_eq!(sum(Prim::Sin, &[int(1)], &[REAL], REAL), mismatch(Type::Real, Type::Int));
    assert_eq!(sum(Prim::Sin, &[real(1.0)], &[REAL], INT), mismatch(Type::Int, Type::Real));
    assert_eq!(sum(Prim::Sin, &[real(1.0)], &[REAL], ShapeId(99)), [Rule::UnknownShape(ShapeId(99))]);
    assert_eq!(sum(Prim::Add, &[real(1.0)], &[REAL], REAL), [Rule::Count { expected: 2, found: 1 }]);
    assert_eq!(sum(Prim::Sin, &[real(1.0)], &[], REAL), [Rule::Count { expected: 1, found: 0 }]);
    let table = sum(Prim::Tabulate, &[int(1), real(1.0)], &[INT, REAL], REAL);
    assert_eq!(table, [Rule::NotFirstOrder(Prim::Tabulate)]);
}

#[test]
fn quiet_pairs_nest_within_a_block() {
    assert_eq!(op(Type::unit(), Op::Quiet(true)), [Rule::Quiet]);
    assert_eq!(op(Type::unit(), Op::Quiet(false)), [Rule::Quiet]);
}

#[test]
fn ends_stand_where_they_may() {
    let outside = broken(|p| p.functions[0].body.end = End::Again(vec![]));
    assert_eq!(outside, [Rule::AgainOutsideLoop]);
    let again = |more: fn(&mut FunctionBuilder, Atom) -> Atom| {
        rules(Type::Int, INT, move |b| {
            b.repeat(Type::Int, vec![(Type::Int, int(1))], |b, params| {
                let inner =
                    b.choose(Type::Int, Atom::Bool(true), |_| End::Again(params.to_vec()), |_| End::Yield(int(1)));
                End::Yield(more(b, inner))
            })
        })
    };
    assert_eq!(again(|b, inner| b.scalar(Type::Int, Scalar::IntNeg, [inner])), [Rule::AgainNotLast]);
    let of_types = |args: Vec<Atom>| {
        rules(Type::Int, INT, |b| b.repeat(Type::Int, vec![(Type::Int, int(1))], |_, _| End::Again(args)))
    };
    assert_eq!(of_types(vec![real(1.0)]), mismatch(Type::Int, Type::Real));
    assert_eq!(of_types(vec![]), [Rule::Count { expected: 1, found: 0 }]);
    let first = rules(Type::Int, INT, |b| b.repeat(Type::Int, vec![(Type::Int, real(1.0))], |_, _| End::Yield(int(1))));
    assert_eq!(first, mismatch(Type::Int, Type::Real));
    let table = rules(Type::Int, INT, |b| {
        b.repeat(Type::Int, vec![(Type::Int, int(1))], |b, params| {
            b.tabulate(reals(1), int(1), |_, _| End::Again(params.to_vec()));
            End::Yield(int(1))
        })
    });
    assert_eq!(table, [Rule::AgainOutsideLoop]);
    assert_eq!(broken(|p| p.functions[0].body.end = End::Never), [Rule::NeverWithoutFail]);
    let condition =
        rules(Type::Int, INT, |b| b.choose(Type::Int, int(1), |_| End::Yield(int(1)), |_| End::Yield(int(1))));
    assert_eq!(condition, mismatch(Type::Bool, Type::Int));
}

#[test]
fn a_block_that_fails_needs_no_value() {
    let mut b = FunctionBuilder::new("main", Type::Int);
    b.bind(Type::Int, Op::Fail(codes::USER_ERROR));
    let program = program(vec![b.finish(End::Never)], &[], INT);
    assert_eq!(check(&program), Ok(()));
}

/// Pairs of pairs of … reals, each made once: as a tree it has 2^depth leaves.
fn nested(depth: u32) -> Type {
    (0..depth).fold(Type::Real, |part, _| Type::fields([part.clone(), part]))
}

#[test]
fn types_that_share_their_parts_are_checked_in_linear_time() {
    const DEPTH: u32 = 60;
    let mut b = FunctionBuilder::new("main", nested(DEPTH));
    // Equal types that share nothing with each other.
    let mut value = b.bind(Type::Real, Op::Atom(real(1.0)));
    for depth in 1..=DEPTH {
        value = b.bind(nested(depth), Op::Struct(vec![value.clone(), value]));
    }
    let viewed = b.bind(nested(DEPTH), Op::View(value));
    let array = b.bind(Type::array(nested(DEPTH), 1), Op::Array(vec![viewed]));
    let value = b.bind(nested(DEPTH), Op::Element(array, vec![int(0)]));
    let function = b.finish(End::Yield(value));

    let mut program = program(vec![function], &[], REAL);
    for depth in 0..DEPTH {
        let part = if depth == 0 { REAL } else { program.result };
        program.shapes.0.push(plain(Head::Tuple, &[part, part]));
        program.result = ShapeId(program.shapes.0.len() as u32 - 1);
    }
    assert!(check(&program).is_ok());
    program.functions[0].vars[DEPTH as usize] = nested(DEPTH - 1);
    assert!(check(&program).is_err());
}
