//! What nobody needs is dropped wherever it is a part: in alternatives, in elements of arrays, in what loops and functions pass along.

#[path = "../../first_order/tests/common/mod.rs"]
mod common;

use common::no_codes;
use first_order::{Interpreter, Program, Type, check, parse, print};
use optimise::PASSES;

/// The program after a pass, which keeps what it computes of (1.5, n) for small n.
fn after(pass: &str, text: &str) -> Program {
    let mut program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let before: Vec<String> = (0..4).map(|n| run(&program, n)).collect();
    PASSES.iter().find(|one| one.name == pass).expect("it is a pass").apply(&mut program);
    check(&program).unwrap_or_else(|violations| panic!("{violations:?}\n{}", print(&program)));
    let after: Vec<String> = (0..4).map(|n| run(&program, n)).collect();
    assert_eq!(before, after, "{}", print(&program));
    program
}

fn run(program: &Program, n: i64) -> String {
    let args = vec![eval::Value::Real(1.5), eval::Value::Int(n)];
    let result = Interpreter::new(program).run(&no_codes(), args, &mut |_| ());
    result.map_or_else(|stop| format!("{stop:?}"), |value| eval::show::show(&value))
}

/// Is there a variable of this type?
fn has(program: &Program, of: &str) -> bool {
    print(program).contains(&format!(": {of} ="))
}

const SHAPES: &str = "shape s0 = real\nshape s1 = int\n";

/// Entries of an array that grows in a loop: the first and the last part of an entry are read, in another loop.
const ENTRIES: &str = "
entry f0(s0, s1): s0
fn f0 main(v0: real, v1: int): real {
  v2: [{real, real, (| () | {real, real})}; 1] = []
  v15: [{real, real, (| () | {real, real})}; 1] = loop (v3: int = 0, v4: real = v0, v5: [{real, real, (| () | {real, real})}; 1] = v2) {
    v6: bool = int_ge v3 v1
    v14: [{real, real, (| () | {real, real})}; 1] = if v6 {
      yield v5
    } else {
      v7: real = sin v4
      v8: real = cos v4
      v9: {real, real} = {v7, v8}
      v10: (| () | {real, real}) = inject 1 v9
      v11: {real, real, (| () | {real, real})} = {v4, v8, v10}
      v12: [{real, real, (| () | {real, real})}; 1] = append v5 with v11
      v13: int = int_add v3 1
      again (v13, v7, v12)
    }
    yield v14
  }
  v16: real = loop (v17: int = 0, v18: real = 0.0) {
    v19: bool = int_ge v17 v1
    v30: real = if v19 {
      yield v18
    } else {
      v20: {real, real, (| () | {real, real})} = element v15 [v17]
      v21: real = field v20 0
      v22: (| () | {real, real}) = field v20 2
      v27: real = switch v22 {
        case v23: () {
          yield 1.0
        }
        case v24: {real, real} {
          v25: real = field v24 0
          v26: real = mul v25 v21
          yield v26
        }
      }
      v28: real = add v18 v27
      v29: int = int_add v17 1
      again (v29, v28)
    }
    yield v30
  }
  yield v16
}
";

#[test]
fn parts_of_entries_that_nobody_reads_are_neither_kept_nor_computed() {
    let program = after("dead_parts", &format!("{ENTRIES}{SHAPES}"));
    let text = print(&program);
    assert!(!text.contains("cos"), "{text}");
    assert!(has(&program, "[{real, (), (| () | {real, ()})}; 1]"), "{text}");
}

#[test]
fn entries_that_a_primitive_looks_at_stay_whole() {
    let text = ENTRIES.replace(
        "  yield v16\n",
        "  v31: text = prim show(v15) of (s2) to s5\n  v32: () = prim print(v31) of (s5) to s6\n  yield v16\n",
    );
    let shapes = "shape s2 = array 1(s3)\nshape s3 = tuple(s0, s0, s4)\nshape s4 = zero | tuple(s0, s0)\nshape s5 = text\nshape s6 = tuple()\n";
    let program = after("dead_parts", &format!("{text}{SHAPES}{shapes}"));
    assert!(print(&program).contains("cos"), "{}", print(&program));
}

#[test]
fn a_part_of_an_alternative_that_is_only_passed_along_is_dropped() {
    // f1 counts down and gives the first part of what it was called with.
    let text = "
entry f0(s0, s1): s0
fn f0 main(v0: real, v1: int): real {
  v2: real = sin v0
  v3: {real, real} = {v0, v2}
  v4: (| () | {real, real}) = inject 1 v3
  v5: real = call f1(v1, v4)
  yield v5
}
fn f1 down(v0: int, v1: (| () | {real, real})): real {
  v2: bool = int_le v0 0
  v9: real = if v2 {
    v6: real = switch v1 {
      case v3: () {
        yield 0.0
      }
      case v4: {real, real} {
        v5: real = field v4 0
        yield v5
      }
    }
    yield v6
  } else {
    v7: int = int_sub v0 1
    v8: real = call f1(v7, v1)
    yield v8
  }
  yield v9
}
";
    let program = after("dead_parts", &format!("{text}{SHAPES}"));
    assert!(!print(&program).contains("sin"), "{}", print(&program));
    let [_, down] = &program.functions[..] else { panic!("two functions") };
    let content = Type::fields([Type::Real, Type::unit()]);
    assert_eq!(down.vars[down.params[1].0 as usize], Type::Sum([Type::unit(), content].into()));
}

#[test]
fn an_alternative_is_narrowed_where_it_goes_and_whole_where_it_is_needed() {
    // The second part is needed of what is switched on here, not of what f1 gets.
    let text = "
entry f0(s0, s1): s0
fn f0 main(v0: real, v1: int): real {
  v2: bool = int_le v1 1
  v7: (| () | {real, real}) = if v2 {
    v3: (| () | {real, real}) = inject 0 ()
    yield v3
  } else {
    v4: real = cos v0
    v5: {real, real} = {v0, v4}
    v6: (| () | {real, real}) = inject 1 v5
    yield v6
  }
  v8: real = call f1(v1, v7)
  v13: real = switch v7 {
    case v9: () {
      yield 2.0
    }
    case v10: {real, real} {
      v11: real = field v10 1
      v12: real = mul v11 v8
      yield v12
    }
  }
  yield v13
}
fn f1 down(v0: int, v1: (| () | {real, real})): real {
  v2: bool = int_le v0 0
  v9: real = if v2 {
    v6: real = switch v1 {
      case v3: () {
        yield 0.0
      }
      case v4: {real, real} {
        v5: real = field v4 0
        yield v5
      }
    }
    yield v6
  } else {
    v7: int = int_sub v0 1
    v8: real = call f1(v7, v1)
    yield v8
  }
  yield v9
}
";
    let program = after("dead_parts", &format!("{text}{SHAPES}"));
    assert!(has(&program, "(| () | {real, real})"), "{}", print(&program));
    assert!(has(&program, "(| () | {real, ()})"), "{}", print(&program));
}

#[test]
fn equal_types_are_shared_afterwards() {
    let program = after("dead_parts", &format!("{ENTRIES}{SHAPES}"));
    let arrays: Vec<*const Type> = program.functions[0]
        .vars
        .iter()
        .filter_map(|of| match of {
            Type::Array(element, _) => Some(std::rc::Rc::as_ptr(element)),
            _ => None,
        })
        .collect();
    assert!(arrays.len() > 3 && arrays.iter().all(|one| *one == arrays[0]), "{}", print(&program));
}
