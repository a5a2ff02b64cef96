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

/// Reads the first part of an alternative, some calls down.
const DOWN: &str = "\
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
";
    let program = after("dead_parts", &format!("{text}{DOWN}{SHAPES}"));
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
";
    let program = after("dead_parts", &format!("{text}{DOWN}{SHAPES}"));
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

/// An array of arrays of pairs of a row and numbers: made in one place, read in another.
const ROWS: &str = "
entry f0(s0, s1): s0
fn f0 main(v0: real, v1: int): real {
  v2: [real; 1] = [v0, 2.0, 3.0, 4.0]
  v3: real = sin v0
  v4: [{[{real, real, int, real}; 1], real}; 1] = tabulate 2 (v5: int) {
    v6: [{real, real, int, real}; 1] = tabulate 3 (v7: int) {
      v8: real = element v2 [v7]
      v9: real = to_real v5
      v10: real = cos v9
      v11: {real, real, int, real} = {v8, v3, v7, v10}
      yield v11
    }
    v12: {[{real, real, int, real}; 1], real} = {v6, v0}
    yield v12
  }
  v13: bool = int_ge v1 2
  v14: int = if v13 {
    yield 0
  } else {
    yield v1
  }
  v15: {[{real, real, int, real}; 1], real} = element v4 [v14]
  v16: [{real, real, int, real}; 1] = field v15 0
  v17: {real, real, int, real} = element v16 [2]
  v18: real = field v17 0
  v19: real = field v17 1
  v20: int = field v17 2
  v21: real = field v17 3
  v22: real = to_real v20
  v23: real = mul v18 v19
  v24: real = mul v22 v21
  v25: real = add v23 v24
  yield v25
}
";

#[test]
fn parts_of_elements_are_read_from_where_they_come_from() {
    let program = after("same_elements", &format!("{ROWS}{SHAPES}"));
    let text = print(&program);
    for read in ["v18: real = element v2 [2]", "v19: real = v3", "v20: int = 2", "v21: real = field v17 3"] {
        assert!(text.contains(read), "{read}\n{text}");
    }
}

#[test]
fn parts_of_elements_that_several_places_make_stay_where_they_are() {
    // The array may also be another one.
    let text = ROWS.replace(
        "  v17: {real, real, int, real} = element v16 [2]",
        "  v26: {real, real, int, real} = {1.0, 1.0, 1, 1.0}
  v27: [{real, real, int, real}; 1] = [v26, v26, v26]
  v28: [{real, real, int, real}; 1] = if v13 {
    yield v16
  } else {
    yield v27
  }
  v17: {real, real, int, real} = element v28 [2]",
    );
    let program = after("same_elements", &format!("{text}{SHAPES}"));
    assert!(!print(&program).contains("element v2 [2]"), "{}", print(&program));
}

#[test]
fn a_choice_whose_ways_agree_is_that_value() {
    let text = "
entry f0(s0, s1): s0
fn f0 main(v0: real, v1: int): real {
  v2: bool = int_le v1 1
  v7: (| () | {real, real}) = if v2 {
    v3: {real, real} = {v0, 2.0}
    v4: (| () | {real, real}) = inject 1 v3
    yield v4
  } else {
    v5: {real, real} = {v0, 2.0}
    v6: (| () | {real, real}) = inject 1 v5
    yield v6
  }
  v13: real = switch v7 {
    case v8: () {
      yield 0.0
    }
    case v9: {real, real} {
      v10: real = field v9 0
      v11: real = field v9 1
      v12: real = mul v10 v11
      yield v12
    }
  }
  v21: {real, real} = loop (v14: int = 0, v15: real = v13) {
    v16: bool = int_ge v14 v1
    v20: {real, real} = if v16 {
      v17: {real, real} = {v15, v0}
      yield v17
    } else {
      v18: real = mul v15 v0
      v19: int = int_add v14 1
      again (v19, v18)
    }
    yield v20
  }
  v22: real = field v21 0
  v23: real = field v21 1
  v24: real = add v22 v23
  yield v24
}
";
    let program = after("simplify", &format!("{text}{SHAPES}"));
    let text = print(&program);
    assert!(!text.contains("switch") && !text.contains("inject"), "{text}");
    // The second part of the loop's result is v0.
    assert_eq!(text.matches("= field").count(), 1, "{text}");
}

#[test]
fn a_loop_that_surely_ends_and_that_nobody_needs_is_dropped() {
    // Counts up, and down over what it made.
    let text = "
entry f0(s0, s1): s0
fn f0 main(v0: real, v1: int): real {
  v2: [real; 1] = [v0, 2.0, 3.0]
  v3: int = len v2
  v10: real = loop (v4: int = 0, v5: real = 0.0) {
    v6: bool = int_ge v4 v3
    v9: real = if v6 {
      yield v5
    } else {
      v7: real = element v2 [v4]
      v8: int = int_add v4 1
      again (v8, v7)
    }
    yield v9
  }
  v17: real = loop (v11: int = v3, v12: real = 0.0) {
    v13: bool = int_le v11 0
    v16: real = if v13 {
      yield v12
    } else {
      v14: int = int_sub v11 1
      v15: real = element v2 [v14]
      again (v14, v15)
    }
    yield v16
  }
  yield v0
}
";
    let program = after("dead_parts", &format!("{text}{SHAPES}"));
    assert!(!print(&program).contains("loop"), "{}", print(&program));
    // It may not end, or read too much.
    for (from, to) in
        [("int_add v4 1", "int_add v4 0"), ("element v2 [v4]", "element v2 [v1]"), ("int_sub v11 1", "int_sub v11 0")]
    {
        let mut program = parse(&format!("{}{SHAPES}", text.replace(from, to))).expect("it parses");
        PASSES.iter().find(|one| one.name == "dead_parts").expect("it is a pass").apply(&mut program);
        assert!(print(&program).contains("loop"), "{to}\n{}", print(&program));
    }
}
