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
    v1: int = v0.1
    v2: ptr = v0.2
    open v0 for v2
    v3: int = f0(v2)
    v4: int = IntAdd(v1, v3)
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
    check::check(&lower(&program(f.finish(End::Yield(x))))).unwrap();
}
