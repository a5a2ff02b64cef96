//! What `evert tape` says: each kind of claim about what a reverse pass remembers, and that the sum is what the heap counts.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};

use support::{Folder, evert};

/// What was said about a function, and the bytes it remembers.
struct Tape {
    out: String,
    bytes: usize,
}

impl Tape {
    fn says(&self, part: &str) -> &Tape {
        assert!(self.out.contains(part), "{part}: {}", self.out);
        self
    }
}

/// The tape of `f`; what is predicted is what is measured.
fn tape(program: &str, argument: &[&str]) -> Tape {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new(&format!("tape-{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
    folder.write("a.ev", program);
    let ran = evert(&[&["tape", &folder.path("a.ev"), "f"], argument].concat());
    ran.fails_with(0);
    let number = |before: &str| -> usize {
        let rest = ran.out.split(before).nth(1).unwrap_or_else(|| panic!("no {before}: {}", ran.out));
        rest.split(' ').next().and_then(|word| word.parse().ok()).expect("a number")
    };
    let (bytes, measured) = (number("predicted by the types: "), number("measured after the forward half: "));
    assert_eq!(bytes, measured, "{}", ran.out);
    Tape { bytes, out: ran.out }
}

const THOUSAND: &str = "tabulate(1000, i => 0.001 * i)";

#[test]
fn a_map_of_a_linear_function_remembers_nothing() {
    assert_eq!(tape("fn f(xs) = map(x => 3.0 * x, xs)", &[THOUSAND]).bytes, 0);
}

#[test]
fn a_map_that_only_feeds_a_sum_remembers_nothing() {
    let said = tape("fn f(xs) = sum(map(x => x * x * 3.0, xs))", &[THOUSAND]);
    assert_eq!(said.bytes, 0);
    said.says("remembers nothing on the heap").says("8032 of the argument, which the caller has");
}

const BLUR: &str = "
fn blur(a, k) = [sum(a[i + p, j + q] * k[p, q] for p in 0..3, q in 0..3) for i in 0..len(a) - 2, j in 0..len(a) - 2]
fn f(k) = sum(blur([sin(i + 2.0 * j) for i in 0..22, j in 0..22], k)^2)
";

#[test]
fn a_comprehension_in_a_comprehension_remembers_nothing_for_the_inner_one() {
    // The 400 sums, their 20 rows as arrays and once more together, the lengths, and the picture: not the 3600 products.
    let said = tape(BLUR, &["[[0.1, 0.2, 0.1], [0.2, 0.4, 0.2], [0.1, 0.2, 0.1]]"]);
    assert!(said.bytes < 16 * 1024, "{} bytes", said.bytes);
}

#[test]
fn a_branch_in_a_comprehension_remembers_which_side_and_its_numbers() {
    // Neither lengths nor indices.
    let program = "fn f(a) = sum(if i == 0 { a[i] } else { sin(a[i]) * a[i - 1] } for i in 0..len(a))";
    assert_eq!(tape(program, &[THOUSAND]).bytes, 32 + 1000 * (8 + 3 * 8));
}

#[test]
fn a_map_of_another_function_remembers_only_what_it_needs() {
    let said = tape("fn f(xs) = map(x => x * sin(x), xs)", &[THOUSAND]);
    assert_eq!(said.bytes, 8032);
    said.says("the value of `sin(x)`: needed by `x * sin(x)` at a.ev:1:");
    assert_eq!(tape("fn f(xs) = sum(map(x => x * x * exp(x), xs))", &[THOUSAND]).bytes, 8032);
    // The result is needed, and the caller has it.
    assert_eq!(tape("fn f(xs) = map(exp, xs)", &[THOUSAND]).bytes, 0);
}

#[test]
fn a_fixed_point_remembers_as_much_after_many_steps_as_after_few() {
    let program = "fn f(a, h) = fix((p, q) => abs(p - q) < 1e-12, x => x + h * (2.0 * sin(a) - x))(0.0)";
    assert_eq!(tape(program, &["0.7, 0.5"]).bytes, 0);
    assert_eq!(tape(program, &["0.7, 0.001"]).bytes, 0);
}

const LOOP: &str = "\
fn f(x, n) = {
  fn go(i, s) = if i == n { s } else { go(i + 1, sin(s) * x + s) }
  go(0, x)
}
grad(f)(0.5, 100)
";

#[test]
fn a_loop_remembers_an_entry_for_each_step() {
    let said = tape(LOOP, &[]);
    said.says("f at 0.5, 100").says("go, a.ev:2:").says("array of (real, real): 32 bytes and 16 for each element");
    said.says("8 bytes, real: needed by `sin(s)` at a.ev:2:50");
    said.says("the value of `sin(s)`: needed by `sin(s) * x` at a.ev:2:50");
    let (once, twice) = (tape(LOOP, &["0.5, 4000"]).bytes, tape(LOOP, &["0.5, 8000"]).bytes);
    assert!(twice - once >= 4000 * 16, "{once}, then {twice}");
}

#[test]
fn an_entry_holds_neither_the_number_of_its_step_nor_the_length_of_an_array() {
    let said = tape("fn f(a) = fold((y, c) => sin(y) * c, 1.0, a)", &[THOUSAND]);
    said.says("array of (real, real, real): 32 bytes and 24 for each element");
}

#[test]
fn what_only_a_constant_would_get_is_not_remembered() {
    // Each y would be needed for the sensitivity of t, and nobody needs that.
    let program = "\
fn f(x) = {
  let t = linspace(-1.0, 1.0, 500)
  sum(fold((y, c) => y * t + c, 0.0 * t, x)^2)
}
";
    let (few, many) = (tape(program, &["[1.0, 2.0, 3.0]"]).bytes, tape(program, &[THOUSAND]).bytes);
    assert!(few == many && few < 3 * 4032, "{few}, then {many}");
}

#[test]
fn a_number_of_the_argument_is_not_known_to_the_code() {
    let said = tape("fn f(x) = iterate(3, y => y * sin(y), x)", &["0.5"]);
    assert!(said.out.contains("result: 0.0"), "{}", said.out);
}

const RECURSION: &str = "\
fn f(xs) = match xs { Nil => 1.0, Cons(x, rest) => sin(x) * f(rest) }
let data = to_list([0.5, 1.0, 1.5])
print(\"not shown\")
grad(f)(data)
";

#[test]
fn a_recursion_over_a_list_remembers_a_node_or_an_entry_for_each_call() {
    let said = tape(RECURSION, &[]);
    assert!(said.bytes > 0 && !said.out.contains("not shown"), "{}", said.out);
    said.says("f at data").says("f, a.ev:1:").says("needed by `sin(x)` at a.ev:1:").says("result: Cons(");
    let per_call = |n: usize| tape(RECURSION, &[&format!("to_list(tabulate({n}, i => 0.1 + i))")]).bytes / n;
    assert!(per_call(500) <= 64 && per_call(2000) <= 64);
}

#[test]
fn rows_and_lists_of_arrays_are_counted_too() {
    assert!(tape("fn f(m) = sum(m[0] * exp(m[1]))", &["[[1.0, 2.0], [3.0, 4.0]]"]).bytes > 0);
    tape("fn f(x) = sum(while_loop(v => sum(v) < 100.0, v => [x * e for e in v], [x, 1.0]))", &["2.0"]);
    tape("fn f(m) = sum(m * transpose(m)) + m[0][1]", &["[[1.0, 2.0], [3.0, 4.0]]"]);
}

#[test]
fn a_tape_without_nodes_and_mistakes_are_said() {
    let said = tape("fn f(x) = sin(x)^2", &["-2.0"]);
    assert_eq!(said.bytes, 0);
    said.says("remembers nothing on the heap");
    let folder = Folder::new("no-tape");
    folder.write("a.ev", "fn f(x) = x\n");
    let ran = evert(&["tape", &folder.path("a.ev"), "g"]);
    ran.fails_with(1);
    assert!(ran.err.contains("E0201") && !ran.err.contains("say where"), "{}", ran.err);
}
