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
         __9 = (__8, 0)
         c_10 = index(__9)
         __11 = __2.2
         __12 = __11.d
         __13 = (__12, 0)
         __14 = eq(__13)
         __16 = if __14 {
           yield ()
         } else {
           __15 = fail pattern(__12)
           yield __15
         }
         e_17 = __11.e
         return c_10",
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
        "__2 = v_0 is constructor List.Nil#0()
         __7 = if __2 {
           yield 0
         } else {
           __3 = v_0 is constructor List.Cons#1(head, tail)
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
        "__2 = v_0 is tuple 2
         __9 = if __2 {
           __3 = v_0.0
           __4 = __3 is constructor T.B#1(x)
           __8 = if __4 {
             __5 = __3.0 of T.B#1(x)
             __6 = (__5, 0)
             __7 = eq(__6)
             yield __7
           } else {
             yield false
           }
           yield __8
         } else {
           yield false
         }
         __12 = if __9 {
           __10 = v_0.1
           __11 = __10 is constructor T.A#0()
           yield __11
         } else {
           yield false
         }
         __13 = if __12 {
           yield 1
         } else {
           yield 2
         }
         return __13",
    );
}

#[test]
fn an_array_pattern_tests_the_length() {
    check_code(
        "fn f(v) = match v { [x] => x, _ => 0 }",
        "__2 = v_0 is array 1
         __5 = if __2 {
           __3 = (v_0, 0)
           x_4 = index(__3)
           yield x_4
         } else {
           yield 0
         }
         return __5",
    );
}

#[test]
fn a_tuple_of_another_length_falls_through() {
    check_code(
        "fn f(v) = match v { (a, b) => b, (a, b, c) => c, _ => 0 }",
        "__2 = v_0 is tuple 2
         __10 = if __2 {
           a_3 = v_0.0
           b_4 = v_0.1
           yield b_4
         } else {
           __5 = v_0 is tuple 3
           __9 = if __5 {
             a_6 = v_0.0
             b_7 = v_0.1
             c_8 = v_0.2
             yield c_8
           } else {
             yield 0
           }
           yield __9
         }
         return __10",
    );
}

/// The length is known, so nothing is tested: the first arm never fits, the second always does.
#[test]
fn a_tuple_made_on_the_spot_falls_through_to_the_arm_of_its_length() {
    check_code(
        "fn f() = match (1, 2, 3) { (a, b) => b, (a, b, c) => c }",
        "__2 = check __0: arguments 0
         __3 = (1, 2, 3)
         __9 = if false {
           a_4 = __3.0
           b_5 = __3.1
           yield b_5
         } else {
           a_6 = __3.0
           b_7 = __3.1
           c_8 = __3.2
           yield c_8
         }
         return __9",
    );
}

#[test]
fn a_record_without_the_field_falls_through() {
    check_code(
        "fn f(v) = match v { {x, y: _} => x, {z: 0} => 1, _ => 2 }",
        "__2 = v_0 is record [x, y]
         __10 = if __2 {
           x_3 = v_0.x
           yield x_3
         } else {
           __4 = v_0 is record [z]
           __8 = if __4 {
             __5 = v_0.z
             __6 = (__5, 0)
             __7 = eq(__6)
             yield __7
           } else {
             yield false
           }
           __9 = if __8 {
             yield 1
           } else {
             yield 2
           }
           yield __9
         }
         return __10",
    );
}

/// Even in the last arm, and inside another pattern.
#[test]
fn a_record_pattern_does_not_fit_everything() {
    check_code(
        "fn f(v) = match v { [{x}] => x }",
        "__2 = v_0 is array 1
         __6 = if __2 {
           __3 = (v_0, 0)
           __4 = index(__3)
           __5 = __4 is record [x]
           yield __5
         } else {
           yield false
         }
         __11 = if __6 {
           __7 = (v_0, 0)
           __8 = index(__7)
           x_9 = __8.x
           yield x_9
         } else {
           __10 = fail no_match(v_0)
           yield __10
         }
         return __11",
    );
}

#[test]
fn a_guard_runs_only_if_the_form_fits() {
    check_code(
        "fn f(v) = match v { {x} if x > 0 => x, _ => 0 }",
        "__2 = v_0 is record [x]
         __6 = if __2 {
           x_3 = v_0.x
           __4 = (x_3, 0)
           __5 = gt(__4)
           yield __5
         } else {
           yield false
         }
         __8 = if __6 {
           x_7 = v_0.x
           yield x_7
         } else {
           yield 0
         }
         return __8",
    );
}
