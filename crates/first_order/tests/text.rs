//! The text form is exact, and random programs mean the same before and after.

mod common;
mod generate;

use common::*;
use first_order::*;

/// What a program prints and gives, or how it ends.
fn outcome(program: &Program) -> (Vec<String>, String) {
    let args = vec![
        eval::Value::Int(3),
        eval::Value::Real(0.5),
        eval::Value::array(eval::array::Array::vector(vec![1.0, 2.0, -0.0])),
    ];
    let mut printed = vec![];
    let mut interpreter = Interpreter::new(program);
    interpreter.max_steps = Some(200_000);
    let result = interpreter.run(&no_codes(), args, &mut |line| printed.push(line.to_string()));
    (printed, shown(result))
}

#[test]
fn random_programs_are_well_formed_print_and_parse_back_and_mean_the_same() {
    let (mut values, mut errors) = (0, 0);
    for seed in 0..3000 {
        let program = generate::program(seed);
        if let Err(violations) = check(&program) {
            panic!("seed {seed}: {violations:#?}\n{}", print(&program));
        }
        let text = print(&program);
        let parsed = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(parsed, program, "seed {seed}\n{text}");
        assert_eq!(print(&parsed), text, "seed {seed}");
        let first = outcome(&program);
        assert_eq!(first, outcome(&program), "seed {seed}\n{text}");
        assert_eq!(first, outcome(&parsed), "seed {seed}\n{text}");
        if first.1.starts_with('E') { errors += 1 } else { values += 1 }
    }
    assert!(values > 1000 && errors > 100, "{values} values, {errors} errors");
}

#[test]
fn all_bits_of_reals_survive() {
    let bits = [f64::NAN.to_bits(), 0x7ff8_0000_0000_0001, 0xfff0_0000_0000_0001, (-0.0f64).to_bits(), 1, u64::MAX];
    for bits in bits {
        let program = program(vec![constant(Type::Real, |_| real(f64::from_bits(bits)))], &[], REAL);
        let parsed = parse(&print(&program)).expect("it parses");
        let End::Yield(Atom::Real(x)) = parsed.functions[0].body.end else { panic!("a real") };
        assert_eq!(x.to_bits(), bits);
    }
}

#[test]
fn all_shapes_survive() {
    use std::rc::Rc;
    let constructor = |fields: &[&str]| {
        let fields = fields.iter().map(|field| base::Name::new(field)).collect();
        Rc::new(calculus::Constructor { name: "Cons".into(), type_name: "my list".into(), tag: 1, fields })
    };
    let mut program = program(vec![constant(Type::Int, |_| int(1))], &[], INT);
    let named = |name: &str| -> Rc<[base::Name]> { [base::Name::new(name), base::Name::new("y")].into() };
    let heads = [
        (Head::Zero, vec![]),
        (Head::Record(named("x")), vec![REAL, INT]),
        (Head::Record(named("no word")), vec![REAL, INT]),
        (Head::Variant(constructor(&["head", "tail"])), vec![REAL, LIST]),
        (Head::Part(Some(constructor(&["head"])), [0].into()), vec![REAL]),
        (Head::Part(None, [2, 0].into()), vec![REAL, REAL]),
        (Head::Handle(2), vec![REAL]),
        (Head::Closure { code: CodeId(3), member: 1 }, vec![INT]),
        (Head::Prim { prim: calculus::Prim::Place, order: 2 }, vec![]),
        (Head::Sealed { modes: [differentiate::Mode::Reverse].into() }, vec![REAL, REAL, REAL, REAL]),
        (Head::Full, vec![VECTOR, REAL]),
    ];
    let alternatives = heads.into_iter().map(|(head, parts)| Alternative { head, parts }).collect();
    program.shapes.0.push(Shape { alternatives, named: None });
    program.shapes.0.push(Shape { alternatives: vec![], named: None });
    let text = print(&program);
    assert_eq!(parse(&text).as_ref(), Ok(&program), "{text}");
}

#[test]
fn what_is_printed_reads_well() {
    let text = "\
entry f0(s0, s2): s1
type List#0 = (| () | {real, List#0})
fn f0 total(v0: int, v1: List#0): real @0:5..40 {
  v2: bool = int_le v0 0 @0:9..15
  v3: real = if v2 {
    yield -0.0
  } else {
    v4: (| () | {real, List#0}) = unbox v1
    v5: real = switch v4 {
      case v6: () {
        v7: () = fail E0321 @0:20..30
        never
      }
      case v8: {real, List#0} {
        v9: real = field v8 0
        v10: int = int_sub v0 1
        v11: List#0 = field v8 1
        v12: real = call f0(v10, v11)
        v13: real = add v9 v12
        yield v13
      }
    }
    yield v5
  } @1:18..38
  yield v3
}
shape s0 = int
shape s1 = real
shape s2 named List#0 = tuple | tuple(s1, s2)
";
    let program = parse(text).expect("it parses");
    assert_eq!(check(&program), Ok(()));
    assert_eq!(print(&program), text);
}

#[test]
fn errors_say_where() {
    let message = |text: &str| parse(text).expect_err("an error").to_string();
    assert_eq!(message("entry g0"), "1:7: expected `f` and a number");
    assert_eq!(message("entry f0(): s0\nfn f1 x(): int { yield 1 }"), "2:7: this should be function 0");
    assert_eq!(
        message("entry f0(): s0\nfn f0 x(): int { v1: int = 1 yield 1 }"),
        "2:39: v0 has no type: nothing binds it"
    );
    assert_eq!(message("entry f0(): s0\nfn f0 x(): int { v0: int = frob 1 yield 1 }"), "2:33: `frob` is no operation");
}

#[test]
fn any_cut_of_a_program_is_an_error_and_no_panic() {
    let text = print(&generate::program(7));
    let cuts = text.char_indices().map(|(at, _)| at).step_by(3);
    cuts.for_each(|at| _ = parse(&text[..at]));
    cuts_out(&text);
}

fn cuts_out(text: &str) {
    for (at, c) in text.char_indices().step_by(5) {
        let without = format!("{}{}", &text[..at], &text[at + c.len_utf8()..]);
        _ = parse(&without);
    }
}

#[test]
fn what_is_nested_too_deeply_is_refused() {
    let deep = format!("entry f0(): s0\ntype A#0 = {}", "{".repeat(5000));
    assert!(parse(&deep).expect_err("an error").message.contains("deep"));
}
