//! Recursions over nodes that become loops over entries, and functions written anew for alternatives.

#[path = "../../first_order/tests/common/mod.rs"]
mod common;
mod looking;

use common::no_codes;
use first_order::{Interpreter, Op, Program, parse, print};
use looking::ops;
use optimise::optimise;

fn run(program: &Program, x: f64, n: i64) -> String {
    let args = vec![eval::Value::Real(x), eval::Value::Int(n)];
    let result = Interpreter::new(program).run(&no_codes(), args, &mut |_| ());
    result.map_or_else(|stop| format!("{stop:?}"), |value| eval::show::show(&value))
}

/// x to the power 2^n by squaring: `forward` remembers each x, `back` is its derivative from the last step to the first.
const SQUARES: &str = "
entry f0(s0, s1): s0
type node#0 = (| () | {real, node#0})
fn f0 main(v0: real, v1: int): real {
  v2: {real, node#0} = call f1(v1, v0)
  v3: node#0 = field v2 1
  v4: real = call f2(v3, 1.0)
  yield v4
}
fn f1 forward(v0: int, v1: real): {real, node#0} {
  v2: bool = int_le v0 0
  v13: {real, (| () | {real, node#0})} = if v2 {
    v3: (| () | {real, node#0}) = inject 0 ()
    v4: {real, (| () | {real, node#0})} = {v1, v3}
    yield v4
  } else {
    v5: int = int_sub v0 1
    v6: real = mul v1 v1
    v7: {real, node#0} = call f1(v5, v6)
    v8: real = field v7 0
    v9: node#0 = field v7 1
    v10: {real, node#0} = {v1, v9}
    v11: (| () | {real, node#0}) = inject 1 v10
    v12: {real, (| () | {real, node#0})} = {v8, v11}
    yield v12
  }
  v14: real = field v13 0
  v15: (| () | {real, node#0}) = field v13 1
  v16: node#0 = box v15
  v17: {real, node#0} = {v14, v16}
  yield v17
}
fn f2 back(v0: node#0, v1: real): real {
  v2: (| () | {real, node#0}) = unbox v0
  v10: real = switch v2 {
    case v3: () {
      yield v1
    }
    case v4: {real, node#0} {
      v5: real = field v4 0
      v6: node#0 = field v4 1
      v7: real = call f2(v6, v1)
      v8: real = mul v7 2.0
      v9: real = mul v8 v5
      yield v9
    }
  }
  yield v10
}
shape s0 = real
shape s1 = int
";

#[test]
fn two_recursions_over_nodes_become_two_loops_over_entries() {
    let mut program = parse(SQUARES).expect("it parses");
    let before: Vec<String> = (0..4).map(|n| run(&program, 1.5, n)).collect();
    assert_eq!(before, ["1.0", "3.0", "13.5", "136.6875"]);
    optimise(&mut program);
    let after: Vec<String> = (0..4).map(|n| run(&program, 1.5, n)).collect();
    assert_eq!(before, after, "{}", print(&program));
    let ops = ops(&program);
    let count = |is: fn(&Op) -> bool| ops.iter().filter(|op| is(op)).count();
    assert_eq!(count(|op| matches!(op, Op::Box(_) | Op::Unbox(_) | Op::Call(..))), 0, "{}", print(&program));
    assert_eq!(count(|op| matches!(op, Op::Append(..))), 1);
    assert_eq!(count(|op| matches!(op, Op::Loop { .. })), 2);
}

#[test]
fn an_entry_holds_no_number_that_is_cheap_to_compute_from_others() {
    // Both x and x² + 1 are remembered.
    let text = SQUARES
        .replace("{real, node#0})", "{real, real, node#0})")
        .replace(
            "v10: {real, node#0} = {v1, v9}",
            "v18: real = add v6 1.0\n    v10: {real, real, node#0} = {v1, v18, v9}",
        )
        .replace("case v4: {real, node#0}", "case v4: {real, real, node#0}")
        .replace("v6: node#0 = field v4 1", "v6: node#0 = field v4 2\n      v11: real = field v4 1")
        .replace("v9: real = mul v8 v5", "v12: real = mul v8 v5\n      v9: real = mul v12 v11");
    let mut program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let before: Vec<String> = (0..4).map(|n| run(&program, 1.5, n)).collect();
    optimise(&mut program);
    let after: Vec<String> = (0..4).map(|n| run(&program, 1.5, n)).collect();
    assert_eq!(before, after);
    let printed = print(&program);
    assert!(printed.contains("[{real, (), ()}; 1] = append"), "{printed}");
}

#[test]
fn nodes_that_are_shared_stay_what_they_were() {
    // The same list taken apart twice, from its beginning and from its second node.
    let text = SQUARES.replace(
        "  v4: real = call f2(v3, 1.0)\n  yield v4",
        "  v4: real = call f2(v3, 1.0)
  v5: (| () | {real, node#0}) = unbox v3
  v9: real = switch v5 {
    case v6: () {
      yield 0.0
    }
    case v7: {real, node#0} {
      v8: node#0 = field v7 1
      v10: real = call f2(v8, 1.0)
      yield v10
    }
  }
  v11: real = add v4 v9
  yield v11",
    );
    let mut program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let before: Vec<String> = (0..4).map(|n| run(&program, 1.5, n)).collect();
    optimise(&mut program);
    let after: Vec<String> = (0..4).map(|n| run(&program, 1.5, n)).collect();
    assert_eq!(before, after, "{}", print(&program));
    assert!(!ops(&program).iter().any(|op| matches!(op, Op::Box(_))), "{}", print(&program));
}

#[test]
fn a_loop_that_begins_with_nothing_and_goes_on_with_a_number_carries_the_number() {
    let text = "
entry f0(s0, s1): s0
fn f0 main(v0: real, v1: int): real {
  v2: (| () | real) = inject 0 ()
  v13: (| () | real) = loop (v3: int = v1, v4: (| () | real) = v2) {
    v5: bool = int_le v3 0
    v12: (| () | real) = if v5 {
      yield v4
    } else {
      v6: int = int_sub v3 1
      v10: real = switch v4 {
        case v7: () {
          yield v0
        }
        case v8: real {
          v9: real = mul v8 v0
          yield v9
        }
      }
      v11: (| () | real) = inject 1 v10
      again (v6, v11)
    }
    yield v12
  }
  v16: real = switch v13 {
    case v14: () {
      yield 1.0
    }
    case v15: real {
      yield v15
    }
  }
  yield v16
}
shape s0 = real
shape s1 = int
";
    let mut program = parse(text).expect("it parses");
    let before: Vec<String> = (0..4).map(|n| run(&program, 3.0, n)).collect();
    assert_eq!(before, ["1.0", "3.0", "9.0", "27.0"]);
    optimise(&mut program);
    let after: Vec<String> = (0..4).map(|n| run(&program, 3.0, n)).collect();
    assert_eq!(before, after, "{}", print(&program));
    let carried = ops(&program).into_iter().find_map(|op| match op {
        Op::Loop { params, .. } => Some(params.len()),
        _ => None,
    });
    assert_eq!(carried, Some(2), "{}", print(&program));
    let loops = print(&program);
    let line = loops.lines().find(|line| line.contains("loop (")).expect("a loop");
    assert!(line.contains("real = ") && !line.contains("(| () | real) = v"), "{loops}");
}
