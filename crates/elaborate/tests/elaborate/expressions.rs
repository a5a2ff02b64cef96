//! What expressions become.

use calculus::{Atom, Binding, Const, Expr, Root};

use crate::support::{Session, check_code, function, global};

#[test]
fn operators_are_primitives_at_a_pair() {
    check_code(
        "fn f(a) = -a + a @ a ^ 2 ⊕ a % 3",
        "__2 = neg(a_0)
         __3 = (a_0, 2)
         __4 = pow(__3)
         __5 = (a_0, __4)
         __6 = matmul(__5)
         __7 = (__2, __6)
         __8 = add(__7)
         __9 = (a_0, 3)
         __10 = rem(__9)
         __11 = (__8, __10)
         __12 = plus(__11)
         return __12",
    );
}

#[test]
fn negative_literals_are_literals() {
    check_code("fn f(x) = (-1, -2.5, -9223372036854775808)", "__2 = (-1, -2.5, -9223372036854775808)\nreturn __2");
}

#[test]
fn both_operands_of_and_must_be_booleans() {
    check_code(
        "fn f(a) = a && !a",
        "__4 = if a_0 {
           __2 = not(a_0)
           __3 = if __2 {
             yield true
           } else {
             yield false
           }
           yield __3
         } else {
           yield false
         }
         return __4",
    );
}

#[test]
fn several_arguments_are_a_tuple_and_none_is_unit() {
    check_code(
        "fn f(g) = g(1, 2)(g())(3) |> g",
        "__2 = (1, 2)
         __3 = g_0(__2)
         __4 = g_0(())
         __5 = __3(__4)
         __6 = __5(3)
         __7 = g_0(__6)
         return __7",
    );
}

#[test]
fn records_tuples_and_their_parts() {
    check_code(
        "fn f(r) = {{r with x: r.y} with z: ({a: 1}, r).0}",
        "__2 = r_0.y
         __3 = {r_0 with x: __2}
         __4 = {a: 1}
         __5 = (__4, r_0)
         __6 = __5.0
         __7 = {__3 with z: __6}
         return __7",
    );
}

#[test]
fn an_if_without_else_is_unit() {
    check_code("fn f(c) = if c { c }", "__2 = if c_0 {\nyield c_0\n} else {\nyield ()\n}\nreturn __2");
}

#[test]
fn one_plain_index_stands_alone_and_others_in_a_tuple() {
    check_code(
        "fn f(a) = [a[0], a[0, 1], a[0, ..], a[1..2], a[1..], a[..2]]",
        "__2 = (a_0, 0)
         __3 = index(__2)
         __4 = (0, 1)
         __5 = (a_0, __4)
         __6 = index(__5)
         __7 = (0, ())
         __8 = (a_0, __7)
         __9 = index(__8)
         __10 = (1, 2)
         __11 = (__10,)
         __12 = (a_0, __11)
         __13 = index(__12)
         __14 = (1, ())
         __15 = (__14,)
         __16 = (a_0, __15)
         __17 = index(__16)
         __18 = ((), 2)
         __19 = (__18,)
         __20 = (a_0, __19)
         __21 = index(__20)
         __22 = [__3, __6, __9, __13, __17, __21]
         return __22",
    );
}

#[test]
fn an_array_update_is_a_primitive() {
    check_code("fn f(a) = {a with [0]: 1.0}", "__2 = (a_0, 0, 1.0)\n__3 = update(__2)\nreturn __3");
}

#[test]
fn a_range_is_an_array_of_ints() {
    check_code(
        "fn f(n) = 1..n",
        "__2 = (n_0, 1)\n__3 = sub(__2)\n__4 = iota(__3)\n__5 = (1, __4)\n__6 = add(__5)\nreturn __6",
    );
}

#[test]
fn texts_join_from_the_first_literal_on() {
    check_code(
        r#"fn f(x) = ("a {x} b", "{x}", "c")"#,
        r#"__2 = ("a ", x_0)
         __3 = join(__2)
         __4 = (__3, " b")
         __5 = join(__4)
         __6 = ("", x_0)
         __7 = join(__6)
         __8 = (__5, __7, "c")
         return __8"#,
    );
}

#[test]
fn a_failed_comparison_reports_both_sides() {
    check_code(
        "fn f(a) { assert a < 1; assert(a) }",
        "__2 = (a_0, 1)
         __3 = lt(__2)
         __5 = if __3 {
           yield ()
         } else {
           __4 = fail assertion(a_0, 1)
           yield __4
         }
         __7 = if a_0 {
           yield ()
         } else {
           __6 = fail assertion()
           yield __6
         }
         return __7",
    );
}

#[test]
fn an_assert_of_the_program_is_an_ordinary_function() {
    check_code("fn f(assert) = assert(1 == 2)", "__2 = (1, 2)\n__3 = eq(__2)\n__4 = assert_0(__3)\nreturn __4");
}

#[test]
fn constructors_make_values_and_are_functions() {
    check_code(
        "type T = A | B(x) | C(x, y)\nfn f(v) = (A, B(v), C(v, v), B, C)",
        "__2 = make T.A#0()()
         __3 = make T.B#1(x)(v_0)
         __4 = make T.C#2(x, y)(v_0, v_0)
         __5 = group {
           fn B(__0) members [B_1] {
             __2 = make T.B#1(x)(__0)
             return __2
           }
         }
         __6 = group {
           fn C(__0) members [C_1] {
             __2 = check __0: arguments 2
             __3 = __2.0
             __4 = __2.1
             __5 = make T.C#2(x, y)(__3, __4)
             return __5
           }
         }
         __7 = (__2, __3, __4, __5, __6)
         return __7",
    );
}

#[test]
fn a_shadowed_constant_is_the_variable() {
    check_code("fn f(pi) = (pi, inf)", "__2 = (pi_0, inf)\nreturn __2");
}

#[test]
fn attaching_calls_the_library() {
    let mut session = Session::with_library("fn attach(f, g) = f");
    let attach = Atom::Root(Root::Global(global(&session.prelude, "attach")), 0);
    let module = session.run("fn f(a, b, attach) = a <~ b");
    let Binding::Let { expr: Expr::Apply { f, .. }, .. } =
        module.functions[0].1.members[0].body.bindings.last().unwrap()
    else {
        panic!("an application")
    };
    assert_eq!(*f, attach);
}

#[test]
fn internal_names_are_for_the_library_only() {
    let mut session = Session { internal: true, ..Session::default() };
    let module = session.run("fn f(b, d) = __pull(b, __place(d, 0, __nothing))");
    let body = &module.functions[0].1.members[0].body;
    let pulls = |binding: &&Binding| matches!(binding, Binding::Let { expr: Expr::Pull { order: 0, .. }, .. });
    assert_eq!(body.bindings.iter().filter(pulls).count(), 1);
    let mut zero = false;
    body.each_atom(&mut |atom| zero |= *atom == Atom::Const(Const::Zero));
    assert!(zero);
    assert!(Session::default().try_run("fn f(d) = __place(d, 0, d)").is_err());
}

#[test]
fn the_place_of_a_binding_is_its_expression() {
    let source = "fn f(x) = x * (x + 1)";
    let body = function(source).members[0].body.clone();
    let place = |binding: &Binding| match binding {
        Binding::Let { span, .. } | Binding::Functions { span, .. } => {
            source[span.start as usize..span.end as usize].to_string()
        }
    };
    let places: Vec<String> = body.bindings.iter().map(place).collect();
    assert_eq!(places, ["x + 1", "x + 1", "x * (x + 1)", "x * (x + 1)"]);
}
