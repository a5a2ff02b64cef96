//! The binary as people meet it: what it writes where, and its exit code.

mod support;

use support::{Folder, evert, with_input};

#[test]
fn run_shows_the_value_of_each_expression_and_then_of_main() {
    let folder = Folder::new("run");
    folder.write(
        "a.ev",
        "let x = 2.0\nx + 1\nprint(x)\n()\ntest \"no\" { assert false }\nfn main() = grad(y => y^3)(x)\n",
    );
    evert(&["run", &folder.path("a.ev")]).succeeds_with("3.0\n2.0\n12.0\n");
}

#[test]
fn main_gets_the_arguments_if_it_takes_one() {
    let folder = Folder::new("arguments");
    folder.write("a.ev", "fn main(args) = (len(args), args)\n");
    evert(&["run", &folder.path("a.ev"), "--", "--color", "b"]).succeeds_with("(2, [\"--color\", \"b\"])\n");
    evert(&["run", &folder.path("a.ev")]).succeeds_with("(0, [])\n");
    folder.write("b.ev", "fn main() { print(\"done\") }\n");
    evert(&["run", &folder.path("b.ev"), "--", "ignored"]).succeeds_with("done\n");
    folder.write("c.ev", "let main = 3\n");
    evert(&["run", &folder.path("c.ev")]).succeeds_with("");
}

#[test]
fn run_reads_standard_input_and_modules_beside_the_file() {
    with_input(&["run", "-"], b"1 + 1\n").succeeds_with("2\n");
    let folder = Folder::new("modules");
    folder.write("a.ev", "import \"b.ev\"\nb.twice(4)\n");
    folder.write("b.ev", "fn twice(x) = 2 * x\n");
    evert(&["run", &folder.path("a.ev")]).succeeds_with("8\n");
}

#[test]
fn a_mistake_goes_to_standard_error_with_its_place_and_the_calls() {
    let folder = Folder::new("mistake");
    folder.write("a.ev", "1\nfn f(x) = 1 + x[3]\nfn g(x) = 1 + f(x)\n1 + g([1.0])\n");
    let path = folder.path("a.ev");
    let ran = evert(&["run", &path]);
    ran.fails_with(1);
    assert_eq!(ran.out, "1\n");
    let expected = format!(
        "error[E0307]: index 3 is out of range
  --> {path}:2:15
  |
2 | fn f(x) = 1 + x[3]
  |               ^^^^
  = the array has shape [1]; indices go from 0 to 0
  = in `f`, called from {path}:3:15
  = in `g`, called from {path}:4:5

`evert explain E0307` says more about this error.
"
    );
    assert_eq!(ran.err, expected);
}

#[test]
fn eval_takes_expressions_and_statements() {
    evert(&["eval", "grad(x => x^3)(2.0)"]).succeeds_with("12.0\n");
    evert(&["eval", "-1 + 2"]).succeeds_with("1\n");
    evert(&["eval", "let x = 3; x + 1; x"]).succeeds_with("4\n3\n");
    evert(&["eval", ""]).succeeds_with("");
    evert(&["eval", "x +"]).fails_with(1);
}

#[test]
fn wrong_usage_is_exit_code_2() {
    for arguments in [&["juggle"][..], &["run"], &[], &["explain", "E9999"], &["eval", "1", "2"], &["test"], &["fmt"]] {
        let ran = evert(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        assert_eq!(ran.out, "", "{arguments:?}");
    }
}

#[test]
fn the_version_is_the_version_of_the_language() {
    evert(&["--version"]).succeeds_with(&format!("evert {}\n", evert::VERSION));
}

#[test]
fn tests_are_counted_in_the_last_line() {
    let folder = Folder::new("test");
    folder.write("good.ev", "1 + 1  //=> 2\ntest \"t\" { assert true }\n[1][1]  //! out of range\nprint(\"unseen\")\n");
    folder.write("sub/doc.md", "# Title\n\n```evert\nlet x = 2\nx  //=> 2\n```\n\n```evert\nx + 1  //=> 3\n```\n\n```evert E0201\nunknown\n```\n");
    evert(&["test", &folder.root()]).succeeds_with("6 passed, 0 failed\n");
}

#[test]
fn a_failed_expectation_says_what_was_expected_and_what_was_found() {
    let folder = Folder::new("expected");
    folder.write("a.ev", "print(\"seen\")\n1 + 1  //=> 3\n2  //=> [\n");
    folder.write("b.md", "text\n\n```evert\ntest \"name\" { assert 1 == 2 }\n```\n\n```evert E0202\n1\n```\n");
    let ran = evert(&["test", &folder.path("a.ev"), &folder.path("b.md"), &folder.path("missing.ev")]);
    ran.fails_with(1);
    for part in [
        "seen\n",
        "a.ev:2:1",
        "= expected 3",
        "= found 2",
        "error[E0502]",
        "b.md:4:15",
        "in the test \"name\"",
        "b.md:8:1",
        "= expected E0202",
        "= found no error",
        "can't read",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(ran.out.ends_with("\n0 passed, 5 failed\n"), "{}", ran.out);
}

#[test]
fn a_custom_rule_is_checked_where_it_is_used() {
    let folder = Folder::new("rule");
    let rule = |factor: &str| {
        format!("fn square(x) = x^2\n  reverse x => (x^2, dy => ({{}}, dy * {factor} * x))\ngrad(square)(3.0)\n")
    };
    folder.write("right.ev", rule("2"));
    folder.write("wrong.ev", rule("3"));
    evert(&["test", &folder.path("right.ev")]).succeeds_with("1 passed, 0 failed\n");
    let ran = evert(&["test", &folder.path("wrong.ev")]);
    ran.fails_with(1);
    assert!(ran.out.contains("error[E0410]: the rule of `square` is wrong"), "{}", ran.out);
    assert!(ran.out.ends_with("\n0 passed, 1 failed\n"), "{}", ran.out);
}

#[test]
fn a_folder_without_files_is_no_success() {
    let folder = Folder::new("nothing");
    let ran = evert(&["test", &folder.root()]);
    ran.fails_with(1);
    assert_eq!(ran.out, "0 passed, 0 failed\n");
}

#[test]
fn the_pages_of_all_errors_hold() {
    let ran = evert(&["test", concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors")]);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
}

#[test]
fn explain_shows_the_page_of_a_code() {
    for word in ["E0201", "e201", "201"] {
        let ran = evert(&["explain", word]);
        assert!(ran.out.starts_with("# E0201: a name that isn't defined\n"));
    }
    let ran = evert(&["explain", "E0213"]);
    assert!(ran.err.contains("E0212"), "{}", ran.err);
    assert!(evert(&["explain"]).out.lines().count() > 50);
}

#[test]
fn fmt_changes_files_in_place_and_check_changes_nothing() {
    let folder = Folder::new("fmt");
    folder.write("a.ev", "let   x=1\n");
    let path = folder.path("a.ev");
    let checked = evert(&["fmt", "--check", &path]);
    checked.fails_with(1);
    assert!(checked.out.contains(&path));
    assert_eq!(folder.read("a.ev"), "let   x=1\n");
    evert(&["fmt", &path]).succeeds_with("");
    assert_eq!(folder.read("a.ev"), "let x = 1\n");
    evert(&["fmt", "--check", &folder.root()]).succeeds_with("");
    with_input(&["fmt", "-"], b"let   y=1").succeeds_with("let y = 1\n");
}

#[test]
fn fmt_leaves_markdown_alone() {
    let folder = Folder::new("fmt-markdown");
    folder.write("a.md", "# A\n");
    let ran = evert(&["fmt", &folder.path("a.md")]);
    ran.fails_with(1);
    assert!(ran.err.contains("is Markdown"), "{}", ran.err);
}

#[test]
fn fmt_leaves_a_file_with_mistakes_alone() {
    let folder = Folder::new("fmt-mistake");
    folder.write("a.ev", "let   x=(\n");
    let ran = evert(&["fmt", &folder.path("a.ev")]);
    ran.fails_with(1);
    assert!(ran.err.contains("E0103"));
    assert_eq!(folder.read("a.ev"), "let   x=(\n");
}

#[test]
fn ir_prints_each_level() {
    let folder = Folder::new("ir");
    folder.write("a.ev", "fn square(x) = x * x\nfn other(x) = x\nsquare(2)\n");
    let path = folder.path("a.ev");
    let all = evert(&["ir", &path]).out;
    for part in
        ["// syntax", "(fn square (x) (* x x))", "// l1\n", "step show", "// l1-reverse", "backpropagator fn square"]
    {
        assert!(all.contains(part), "{part}: {all}");
    }
    evert(&["ir", &path, "--level", "syntax", "--function", "other"]).succeeds_with("(fn other (x) x)\n");
    let one = evert(&["ir", &path, "--level", "l1", "--function", "square", "--spans"]).out;
    assert!(one.contains("mul(") && one.contains(":15-20") && !one.contains("other"), "{one}");
    let unknown = evert(&["ir", &path, "--function", "sqare"]);
    unknown.fails_with(2);
    assert!(unknown.err.contains("did you mean `square`?"));
}

#[test]
fn a_program_piped_into_the_repl_runs_without_a_prompt() {
    let program = "let x = 2\nx + 1\nans * 10\nfn even(n) = if n == 0 { true } else { odd(n - 1) }\n\
                   fn odd(n) = if n == 0 { false } else { even(n - 1) }\neven(10)\nlet x = 5\nx\n";
    with_input(&["repl"], program.as_bytes()).succeeds_with("3\n30\ntrue\n5\n");
}

#[test]
fn errors_do_not_end_the_repl() {
    let ran = with_input(&["repl"], b"nothing\n1 + 1\n[1][7]\nlet = 3\n2 + 2\n:nonsense\n:quit\n3 + 3\n");
    ran.fails_with(1);
    assert_eq!(ran.out, "2\n4\n");
    for part in ["<stdin>:1:1", "<stdin>:3:1", "<stdin>:4:5", ":nonsense"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    assert_eq!(ran.err.matches("evert explain").count(), 1);
}

#[test]
fn the_repl_describes_names() {
    let input = "/// Twice.\nfn twice(x) = 2 * x\n?twice\n?vjp\n?sqrt\n?Cons\n?pi\nimport linalg\n?linalg.trace\n?nothing_like_it\n";
    let ran = with_input(&["repl"], input.as_bytes());
    for part in [
        "twice(x)\n  Twice.\n  defined at <stdin>:2",
        "vjp(f, x)\n  The value of f at x",
        "defined at library/core.ev:",
        "sqrt(x)\n  the square root",
        "Cons(head, tail)\n  a constructor of List",
        "defined at library/linalg.ev:",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    assert!(ran.err.contains("`nothing_like_it` isn't defined"));
}

#[test]
fn repl_commands_load_time_and_reset() {
    let folder = Folder::new("load");
    folder.write("a.ev", "let loaded = 7\n");
    let input = format!(":load {}\nloaded\n:time loaded\n:type loaded\n:reset\nloaded\n:help\n", folder.path("a.ev"));
    let ran = with_input(&["repl"], input.as_bytes());
    assert!(ran.out.starts_with("7\n7\n"), "{}", ran.out);
    assert!(ran.out.contains(" s, ") && ran.out.contains("the int `7`") && ran.out.contains(":reset"), "{}", ran.out);
    assert!(ran.err.contains("`loaded` isn't defined"));
}

#[test]
fn gradbench_answers_every_line_until_the_input_ends() {
    let input = br#"{"id": 0, "kind": "start", "eval": "hello"}
nonsense
{"id": 1, "kind": "define", "module": "hello"}
{"id": 2, "kind": "evaluate", "module": "hello", "function": "double", "input": 3.0}
"#;
    let ran = with_input(&["gradbench"], input);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        (lines[0], lines[2], lines.len(), ran.code),
        (r#"{"id":0,"tool":"evert"}"#, r#"{"id":1,"success":true}"#, 4, Some(0))
    );
    assert!(lines[1].contains(r#""success":false"#) && lines[3].ends_with(r#""output":6.0}"#), "{}", ran.out);
    with_input(&["gradbench"], b"").succeeds_with("");
    assert!(evert(&["gradbench", "--help"]).out.contains("gradben.ch"));
}

#[test]
fn colour_is_for_terminals_unless_it_is_asked_for() {
    assert!(!evert(&["eval", "x"]).err.contains('\x1b'));
    assert!(evert(&["--color", "always", "eval", "x"]).err.contains('\x1b'));
    assert!(evert(&["explain", "201", "--color", "always"]).out.contains('\x1b'));
}

#[test]
fn nobody_reading_is_no_reason_to_panic() {
    let ran = support::with_closed_output(&["eval", "print(iota(900)); [print(iota(900)) for i in 0..1000]"]);
    assert_eq!(ran.err, "");
    assert_eq!(ran.code, Some(0));
}

#[test]
fn a_warning_goes_to_standard_error_and_the_program_runs() {
    let folder = Folder::new("warning");
    folder.write("a.ev", "fn f(a, b) = {\n  a\n  - b\n}\nf(3, 1)   //=> -1\n");
    let ran = evert(&["run", &folder.path("a.ev")]);
    ran.succeeds_with("-1\n");
    let parts = [
        "warning[W0601]: this value isn't used",
        "a.ev:2:3",
        "end the first line with `-`",
        "let _ = ",
        "explain W0601",
    ];
    parts.iter().for_each(|part| assert!(ran.err.contains(part), "{part}: {}", ran.err));
    let tested = evert(&["test", &folder.path("a.ev")]);
    tested.succeeds_with("1 passed, 0 failed\n");
    assert_eq!(tested.err.matches("warning[W0601]").count(), 1, "{}", tested.err);
    assert_eq!(evert(&["eval", "{ let a = 1; let _ = a; a }"]).err, "");
    // Mistakes are said alone: the warning would be about a program that isn't there.
    folder.write("b.ev", "fn f(a) = {\n  a\n  - b\n}\n");
    let wrong = evert(&["run", &folder.path("b.ev")]);
    assert!(wrong.code == Some(1) && wrong.err.contains("E0201") && !wrong.err.contains("W0601"), "{}", wrong.err);
}

#[test]
fn on_a_pipe_a_function_is_defined_anew_and_a_rule_follows_its_function() {
    let program =
        "fn f(x) = 1\nfn f(x) = 2\nf(0)\n\nfn g(x) = x^2\n\nreverse x => (g(x), d => ({}, 7.0 * d))\ngrad(g)(1.0)\n";
    with_input(&["repl"], program.as_bytes()).succeeds_with("2\n7.0\n");
    let ran = with_input(&["repl"], b"fn even(n) = if n == 0 { true } else { odd(n - 1) }\n1\neven(2)\nfn odd(n) = if n == 0 { false } else { even(n - 1) }\neven(2)\n");
    assert_eq!(ran.out, "1\ntrue\n");
    assert!(ran.err.contains("warning[W0602]: `odd` isn't defined yet") && ran.err.contains("E0210"), "{}", ran.err);
}

#[test]
fn on_a_pipe_each_statement_is_answered_as_it_comes() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let mut command = Command::new(env!("CARGO_BIN_EXE_evert"));
    command.arg("repl").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    let (mut input, output) = (child.stdin.take().expect("an input"), child.stdout.take().expect("an output"));
    let mut answers = BufReader::new(output).lines();
    for (line, answer) in [("1 + 1\n", "2"), ("let x = [1,\n2]\nx\n", "[1, 2]"), ("ans[0]\n", "1")] {
        input.write_all(line.as_bytes()).expect("it reads");
        assert_eq!(answers.next().expect("an answer").expect("text"), answer);
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn an_edited_import_is_read_again() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};
    let folder = Folder::new("edited");
    folder.write("m.ev", "fn f(x) = x + 1\n");
    folder.write("t.csv", "a\n1\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_evert"));
    command.arg("repl").current_dir(folder.root()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the binary runs");
    let (mut input, output) = (child.stdin.take().expect("an input"), child.stdout.take().expect("an output"));
    let mut answers = BufReader::new(output).lines();
    let mut ask = |line: &str| {
        input.write_all(line.as_bytes()).expect("it reads");
        answers.next().expect("an answer").expect("text")
    };
    assert_eq!(ask("import \"m.ev\"\nimport \"t.csv\"\nfn g(x) = m.f(x) * sum(t.a)\ng(1)\n"), "2");
    folder.write("m.ev", "fn f(x) = x + 10\nfn more(x) = x\n");
    assert_eq!(ask("g(1)\n"), "11");
    assert_eq!(ask("m.more(3)\n"), "3");
    folder.write("t.csv", "a,b\n2,5\n");
    assert_eq!(ask("(g(1), t.b)\n"), "(22, [5])");
    folder.write("m.ev", "fn f(x) = (\n");
    assert_eq!(ask("nothing\n1\ng(1)\n"), "1");
    drop(input);
    child.wait().expect("it ends");
}

#[test]
fn claims_are_listed_and_filtered() {
    let folder = Folder::new("claims");
    folder.write("a.ev", "let x = 2\nx + 1  //=> 3\nx * 5  //=> 11\ntest \"a product\" { assert x * x == 4 }\n");
    let path = folder.path("a.ev");
    let ran = evert(&["test", "--verbose", &path]);
    ran.fails_with(1);
    for part in ["ok     ", " s  ", "a.ev:2:1  x + 1\n", "FAILED ", "\"a product\"\n", "2 passed, 1 failed"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    evert(&["test", "--filter", "product", &path]).succeeds_with("1 passed, 0 failed\n");
    evert(&["test", "--filter", "x + 1", &path]).succeeds_with("1 passed, 0 failed\n");
    evert(&["test", "--filter", "nowhere", &path]).fails_with(1);
    folder.write("b.ev", "1  //=> 1  //=> 2\n\"a //=> b\"  //=> \"a //=> b\"\n");
    let ran = evert(&["test", &folder.path("b.ev")]);
    assert!(
        ran.out.contains("a second expectation on the line, //=> 2") && ran.out.ends_with("1 passed, 1 failed\n"),
        "{}",
        ran.out
    );
    folder.write("c.md", "> ```evert\n> 1  //=> 2\n> ```\n");
    let ran = evert(&["test", &folder.path("c.md")]);
    assert!(ran.out.contains("c.md:2:3") && ran.out.ends_with("0 passed, 1 failed\n"), "{}", ran.out);
}

#[test]
fn the_tape_of_what_is_not_there_is_said_to_be_none() {
    let folder = Folder::new("tape-none");
    folder.write("a.ev", "fn product(x, y) = x * y\n");
    let ran = evert(&["tape", &folder.path("a.ev"), "prodct"]);
    ran.fails_with(1);
    assert!(ran.err.contains("`prodct` isn't defined") && ran.err.contains("did you mean `product`?"), "{}", ran.err);
    assert!(!ran.err.contains("tried at"), "{}", ran.err);
    let ran = evert(&["tape", &folder.path("a.ev"), "product", "2.0", "3.0"]);
    assert!(ran.code == Some(0) && ran.out.starts_with("product at 2.0, 3.0:"), "{}{}", ran.out, ran.err);
}
