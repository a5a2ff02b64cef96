//! Lowering and counts on small programs, and what the checker refuses.

use first_order::build::FunctionBuilder;
use first_order::{self as l3, Atom, Definition, End, FunctionId, NamedId, Op, Scalar, Shapes, Type};
use loops::{Program, Statement, check, lower};

fn list() -> Type {
    Type::Named(NamedId(0))
}

fn pair() -> Type {
    Type::fields([Type::Int, list()])
}

fn program(function: l3::Function) -> l3::Program {
    let types = vec![Definition { name: "List".into(), content: Type::sum([Type::unit(), pair()]) }];
    let shapes = Shapes::from(vec![]);
    let (entry, parameters, result) = (FunctionId(0), vec![], first_order::ShapeId(0));
    l3::Program { types, shapes, functions: vec![function], entry, parameters, result }
}

/// The sum of a list, by recursion.
fn sum() -> Program {
    let mut f = FunctionBuilder::new("sum", Type::Int);
    let all = f.param(list());
    let content = f.bind(Type::sum([Type::unit(), pair()]), Op::Unbox(all));
    let value = f.switch(Type::Int, content, &[Type::unit(), pair()], |f, tag, content| {
        if tag == 0 {
            return End::Yield(Atom::Int(0));
        }
        let head = f.bind(Type::Int, Op::Field(content.clone(), 0));
        let tail = f.bind(list(), Op::Field(content, 1));
        let rest = f.call(Type::Int, FunctionId(0), vec![tail]);
        End::Yield(f.scalar(Type::Int, Scalar::IntAdd, [head, rest]))
    });
    lower(&program(f.finish(End::Yield(value))))
}

#[test]
fn a_list_is_opened_where_it_is_read() {
    let expected = "\
f0 sum(v0: ptr) -> (int) {
  v5: bool = is_object v0
  v6: int = if v5 {
    v1: int = v0.1 of d0
    v2: ptr = v0.2 of d0
    open v0 of d0 for v2.2
    v3: int = f0(v2)
    v4: int = int_add(v1, v3)
    yield v4
  } else {
    release v0
    yield 0
  }
  yield v6
}
";
    let found = sum();
    check::check(&found).unwrap();
    assert!(found.to_string().contains(expected), "{found}");
}

#[test]
fn what_a_loop_uses_from_outside_is_released_after_it() {
    let reals = Type::array(Type::Real, 1);
    let mut f = FunctionBuilder::new("f", reals.clone());
    let (a, n) = (f.param(reals.clone()), f.param(Type::Int));
    let value = f.tabulate(reals, n, |f, i| End::Yield(f.bind(Type::Real, Op::Element(a, vec![i]))));
    let found = lower(&program(f.finish(End::Yield(value))));
    check::check(&found).unwrap();
    let expected = "
        v3[v4] <- v7
        v8: int = v4 + 1
        again v8
      } else {
        yield 
      }
    yield 
  }
  release v0
  yield v3
";
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(squeezed(&found.to_string()).contains(&squeezed(expected)), "{found}");
}

#[test]
fn the_checker_refuses_wrong_counts() {
    let right = sum();
    let release = |var| Statement {
        vars: vec![],
        op: loops::Op::Release(loops::Atom::Var(loops::Var(var))),
        span: base::Span::default(),
    };
    let mut twice = right.clone();
    twice.functions[0].body.statements.push(release(0));
    assert!(check::check(&twice).unwrap_err().contains("after it was consumed"));

    let mut lost = right.clone();
    let loops::Op::If(_, _, no) = &mut lost.functions[0].body.statements[1].op else { panic!("{lost}") };
    no.statements.clear();
    assert!(check::check(&lost).unwrap_err().contains("disagree"));

    let mut early = right;
    early.functions[0].body.statements.insert(0, release(0));
    assert!(check::check(&early).is_err());
}

#[test]
fn long_functions_are_lowered_in_linear_time() {
    let mut f = FunctionBuilder::new("f", Type::Real);
    let mut x = f.param(Type::Real);
    let all = f.param(Type::array(Type::Real, 1));
    for _ in 0..100_000 {
        let element = f.bind(Type::Real, Op::Element(all.clone(), vec![Atom::Int(0)]));
        x = f.scalar(Type::Real, Scalar::Mul, [x, element]);
    }
    let wide = Type::fields(vec![Type::Real; 20_000]);
    let whole = f.bind(wide, Op::Struct(vec![x; 20_000]));
    let mut sum = Atom::Real(0.0);
    for field in 0..20_000 {
        let part = f.bind(Type::Real, Op::Field(whole.clone(), field));
        sum = f.scalar(Type::Real, Scalar::Sub, [sum, part]);
    }
    check::check(&lower(&program(f.finish(End::Yield(sum))))).unwrap();
}

fn content() -> Type {
    Type::sum([Type::unit(), pair()])
}

/// `loop (i = n, all = the list) { if i <= 0 { yield all } else { … } }`, and how the body goes on.
fn rounds(go_on: impl FnOnce(&mut FunctionBuilder, Atom, Atom) -> End) -> Program {
    let mut f = FunctionBuilder::new("rounds", list());
    let (n, all) = (f.param(Type::Int), f.param(list()));
    let value = f.repeat(list(), vec![(Type::Int, n), (list(), all)], |f, params| {
        let [i, all] = params else { unreachable!() };
        let done = f.scalar(Type::Bool, Scalar::IntLe, [i.clone(), Atom::Int(0)]);
        let less = f.scalar(Type::Int, Scalar::IntSub, [i.clone(), Atom::Int(1)]);
        let yielded = all.clone();
        End::Yield(f.choose(list(), done, |_| End::Yield(yielded), |f| go_on(f, less, all.clone())))
    });
    let lowered = lower(&program(f.finish(End::Yield(value))));
    check::check(&lowered).unwrap();
    lowered
}

/// A known alternative whose arm goes on with these.
fn known_again(f: &mut FunctionBuilder, next: Vec<Atom>) -> End {
    let chosen = f.bind(content(), Op::Inject(0, Atom::Unit));
    End::Yield(f.switch(list(), chosen, &[Type::unit(), pair()], |_, _, _| End::Again(next.clone())))
}

#[test]
fn behind_a_branch_without_a_value_nothing_is_owed() {
    // What was owned before the branch goes to the next round in its arms only.
    rounds(|f, less, all| known_again(f, vec![less, all]));
    // And so does what was made in the block of the branch.
    rounds(|f, less, all| {
        let cell = f.bind(pair(), Op::Struct(vec![less.clone(), all]));
        let cell = f.bind(content(), Op::Inject(1, cell));
        let longer = f.bind(list(), Op::Box(cell));
        known_again(f, vec![less, longer])
    });
    // Arms that fail, or go on from branches of their own.
    rounds(|f, less, all| {
        let opened = f.bind(content(), Op::Unbox(all.clone()));
        let value = f.switch(list(), opened, &[Type::unit(), pair()], |f, tag, content| {
            if tag == 0 {
                f.bind(list(), Op::Fail(base::codes::INDEX_OUT_OF_RANGE));
                return End::Never;
            }
            let tail = f.bind(list(), Op::Field(content, 1));
            let odd = f.scalar(Type::Bool, Scalar::IntEq, [less.clone(), Atom::Int(3)]);
            let (less, all) = (less.clone(), all.clone());
            let (other, short) = (less.clone(), tail.clone());
            End::Yield(f.choose(list(), odd, |_| End::Again(vec![less, all]), |_| End::Again(vec![other, short])))
        });
        End::Yield(value)
    });
}

#[test]
fn what_is_lost_in_a_branch_without_a_value_is_refused() {
    let mut lost = rounds(|f, less, all| known_again(f, vec![less, all]));
    let loops::Op::Loop { body, .. } = &mut lost.functions[0].body.statements[0].op else { panic!("{lost}") };
    let branch = body.statements.iter_mut().find_map(|statement| match &mut statement.op {
        loops::Op::If(_, _, no) => Some(no),
        _ => None,
    });
    let Some(loops::Op::If(_, again, _)) = branch.map(|no| &mut no.statements[0].op) else { panic!("no branch") };
    let loops::End::Again(atoms) = &mut again.end else { panic!("no again") };
    atoms[1] = loops::Atom::Null;
    assert!(check::check(&lost).unwrap_err().contains("round"), "{lost}");
}

#[test]
fn a_pointer_that_is_read_twice_moves_once() {
    let reals = Type::array(Type::Real, 1);
    let both = Type::fields([reals.clone(), reals.clone()]);
    let mut f = FunctionBuilder::new("f", both.clone());
    let node = f.param(list());
    let mut read = || {
        let content = f.bind(Type::fields([Type::Int, reals.clone()]), Op::Unbox(node.clone()));
        f.bind(reals.clone(), Op::Field(content, 1))
    };
    let (a, b) = (read(), read());
    let value = f.bind(both, Op::Struct(vec![a, b]));
    let mut program = program(f.finish(End::Yield(value)));
    program.types[0].content = Type::fields([Type::Int, reals]);
    let found = lower(&program);
    check::check(&found).unwrap();
    let text = found.to_string();
    assert!(!text.contains("open") && text.matches("retain").count() == 2 && text.contains("release v0"), "{text}");

    // The checker refuses what would move it to both.
    let mut wrong = found;
    let body = &mut wrong.functions[0].body.statements;
    body.retain(|statement| !matches!(statement.op, loops::Op::Retain(_) | loops::Op::Release(_)));
    let loads = body.iter().filter_map(|statement| match statement.op {
        loops::Op::Load(descriptor, node, 1) => Some((descriptor, node, (statement.vars[0], 1))),
        _ => None,
    });
    let loads: Vec<_> = loads.collect();
    let (descriptor, node, _) = loads[0];
    let op = loops::Op::Open { descriptor, node, taken: loads.iter().map(|(_, _, taken)| *taken).collect() };
    body.push(Statement { vars: vec![], op, span: base::Span::default() });
    assert!(check::check(&wrong).unwrap_err().contains("twice"), "{wrong}");
}

/// `sum(term, term)` of what `terms` makes of the parameters x, y, z.
fn lowered_sum(sum: Scalar, terms: impl FnOnce(&mut FunctionBuilder, [Atom; 3]) -> [Atom; 2]) -> String {
    let mut f = FunctionBuilder::new("f", Type::Real);
    let params = [(); 3].map(|()| f.param(Type::Real));
    let terms = terms(&mut f, params);
    let value = f.scalar(Type::Real, sum, terms);
    lower(&program(f.finish(End::Yield(value)))).to_string()
}

fn times(f: &mut FunctionBuilder, a: &Atom, b: &Atom) -> Atom {
    f.scalar(Type::Real, Scalar::Mul, [a.clone(), b.clone()])
}

#[test]
fn a_product_and_a_sum_are_rounded_each() {
    let plus = lowered_sum(Scalar::Add, |f, [x, y, z]| [times(f, &x, &y), z]);
    assert!(plus.contains("v3: real = mul(v0, v1)\n  v4: real = add(v3, v2)\n"), "{plus}");
}

#[test]
fn arrays_of_structs_lie_in_columns_unless_they_grow() {
    let point = Type::fields([Type::Real, Type::Int]);
    let lowered = |grows: bool| {
        let mut f = FunctionBuilder::new("f", Type::Real);
        let array = f.tabulate(Type::array(point.clone(), 1), Atom::Int(3), |f, i| {
            End::Yield(f.bind(point.clone(), Op::Struct(vec![Atom::Real(1.5), i])))
        });
        let element = f.bind(point.clone(), Op::Element(array.clone(), vec![Atom::Int(2)]));
        if grows {
            f.bind(Type::array(point.clone(), 1), Op::Append(array, element.clone()));
        }
        let first = f.bind(Type::Real, Op::Field(element, 0));
        lower(&program(f.finish(End::Yield(first)))).to_string()
    };
    let columns = lowered(false);
    assert!(columns.contains("= columns of 2 words") && columns.contains("[v1] columns <- 1.5, v1"), "{columns}");
    let grown = lowered(true);
    assert!(grown.contains("= array of 2 words") && !grown.contains("columns"), "{grown}");
}

/// `down(n, stop) = if n == stop { 0 } else { 1 + down(n - 1, stop) }`, called with these.
fn counting_down(first: i64, stop: i64) -> String {
    let mut main = FunctionBuilder::new("main", Type::Int);
    let steps = main.call(Type::Int, FunctionId(1), vec![Atom::Int(first)]);
    let main = main.finish(End::Yield(steps));
    let mut down = FunctionBuilder::new("down", Type::Int);
    let n = down.param(Type::Int);
    let done = down.scalar(Type::Bool, Scalar::IntEq, [n.clone(), Atom::Int(stop)]);
    let go_on = |f: &mut FunctionBuilder| {
        let next = f.scalar(Type::Int, Scalar::IntSub, [n, Atom::Int(1)]);
        let rest = f.call(Type::Int, FunctionId(1), vec![next]);
        End::Yield(f.scalar(Type::Int, Scalar::IntAdd, [rest, Atom::Int(1)]))
    };
    let steps = down.choose(Type::Int, done, |_| End::Yield(Atom::Int(0)), go_on);
    let mut program = program(main);
    program.functions.push(down.finish(End::Yield(steps)));
    lower(&program).to_string()
}

#[test]
fn a_natural_number_is_made_less_without_a_check() {
    let natural = counting_down(9, 0);
    assert!(natural.contains("+ -1") && !natural.contains("int_sub"), "{natural}");
    assert!(natural.contains("int_add"), "there is no largest natural number known here: {natural}");
    for (first, stop) in [(-1, 0), (9, 3), (9, -3)] {
        let other = counting_down(first, stop);
        assert!(other.contains("int_sub"), "from {first} to {stop} it may get below zero: {other}");
    }
}
