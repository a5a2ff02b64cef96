//! Functions of a program that are called again and again.

use eval::array::Array;
use evert::{Again, Engine, Session, Value};

#[test]
fn repeated_calls_that_meet_other_lengths_are_compiled_and_counted() {
    let mut session = Session::offline();
    session.engines.engine = Engine::FirstOrder;
    session.evaluate("fn f(a, b) = sum(a + b)").expect("a program");
    let column = Value::array(Array::reals(vec![2, 1], vec![10.0, 20.0]));
    let matrix = Value::array(Array::reals(vec![2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let mut f = session.callable("f").expect("it is defined");
    let mut runs = 0;
    let value = f.repeat(&mut session, Value::tuple(vec![column, matrix]), &mut |_| {
        runs += 1;
        if runs < 3 { Again::Yes } else { Again::No }
    });
    assert_eq!(evert::show(&value.expect("a number")), "111.0");
    assert_eq!(runs, 3);
}
