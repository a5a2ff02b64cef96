//! What patterns and `match` become.

use crate::support::check_code;

#[test]
fn several_parameters_take_the_tuple_apart() {
    check_code("fn f(a, _, c) = c", "__2 = check __0: arguments 3\na_3 = __2.0\nc_4 = __2.2\nreturn c_4");
}

#[test]
fn no_parameter_means_unit() {
    check_code("fn f() = 1", "__2 = check __0: arguments 0\nreturn 1");
}

#[test]
fn a_pattern_in_a_let_demands_its_form() {
    check_code(
        "type P = P(x, y)\nfn f(v) { let (P(a, b), [c], {d: 0, e}) = v; c }",
        "__2 = check v_0: tuple 3
         __3 = __2.0
         __4 = check __3: constructor P.P#0(x, y)
         a_5 = __4.0 of P.P#0(x, y)
         b_6 = __4.1 of P.P#0(x, y)
         __7 = __2.1
         __8 = check __7: array 1
         c_9 = __8[0 of 1]
         __10 = __2.2
         __11 = __10.d
         __12 = (__11, 0)
         __13 = eq(__12)
         __15 = if __13 {
           yield ()
         } else {
           __14 = fail pattern(__11)
           yield __14
         }
         e_16 = __10.e
         return c_9",
    );
}

#[test]
fn a_tuple_made_on_the_spot_needs_no_check() {
    check_code("fn f(v) { let (a, b) = (v, v); a }", "__2 = (v_0, v_0)\na_3 = __2.0\nb_4 = __2.1\nreturn a_3");
}

#[test]
fn arms_test_then_bind_and_end_in_failure() {
    check_code(
        "type List = Nil | Cons(head, tail)\nfn f(v) = match v { Nil => 0, Cons(h, _) => h }",
        "__2 = v_0 is List.Nil#0()
         __7 = if __2 {
           yield 0
         } else {
           __3 = v_0 is List.Cons#1(head, tail)
           __6 = if __3 {
             h_4 = v_0.0 of List.Cons#1(head, tail)
             yield h_4
           } else {
             __5 = fail no_match(v_0)
             yield __5
           }
           yield __6
         }
         return __7",
    );
}

#[test]
fn a_guard_is_part_of_the_test() {
    check_code(
        "fn f(v) = match v { 0 => 1, x if x > 5 => x, y => y }",
        "__2 = (v_0, 0)
         __3 = eq(__2)
         __10 = if __3 {
           yield 1
         } else {
           x_4 = v_0
           __5 = (x_4, 5)
           __6 = gt(__5)
           __9 = if __6 {
             x_7 = v_0
             yield x_7
           } else {
             y_8 = v_0
             yield y_8
           }
           yield __9
         }
         return __10",
    );
}

#[test]
fn nested_patterns_test_part_after_part() {
    check_code(
        "type T = A | B(x)\nfn f(v) = match v { (B(0), A) => 1, _ => 2 }",
        "__2 = is_tuple(v_0)
         __13 = if __2 {
           __3 = check v_0: tuple 2
           __4 = __3.0
           __5 = __4 is T.B#1(x)
           __9 = if __5 {
             __6 = __4.0 of T.B#1(x)
             __7 = (__6, 0)
             __8 = eq(__7)
             yield __8
           } else {
             yield false
           }
           __12 = if __9 {
             __10 = __3.1
             __11 = __10 is T.A#0()
             yield __11
           } else {
             yield false
           }
           yield __12
         } else {
           yield false
         }
         __14 = if __13 {
           yield 1
         } else {
           yield 2
         }
         return __14",
    );
}

#[test]
fn an_array_pattern_tests_the_length() {
    check_code(
        "fn f(v) = match v { [x] => x, _ => 0 }",
        "__2 = is_array(v_0)
         __6 = if __2 {
           __3 = len(v_0)
           __4 = (__3, 1)
           __5 = eq(__4)
           yield __5
         } else {
           yield false
         }
         __8 = if __6 {
           x_7 = v_0[0 of 1]
           yield x_7
         } else {
           yield 0
         }
         return __8",
    );
}
