//! Derivatives as source: what is printed for well-known functions, and that of the suite's functions most can be derived. What is derived was
//! compared with `grad` on the way, so here a text that comes back is a right one; it must also be in the standard layout.

use evert::deriving::{Answer, DerivativeMode, Wish, derive};
use evert::{Engine, Failure, Session};

fn session() -> Session {
    let mut session = Session::offline();
    session.engines.engine = Engine::Reference;
    session
}

fn ask(text: &str, function: &str, mode: DerivativeMode, order: u32) -> Result<Answer, Failure> {
    let wish = Wish { function: function.to_string(), wrt: vec![], mode, order };
    derive(&mut session(), "test.ev", text, &wish)
}

/// The text without its first line, which says what it is of.
fn derived(text: &str, function: &str) -> String {
    let answer = ask(text, function, DerivativeMode::Reverse, 1).unwrap_or_else(|failure| panic!("{failure:#?}"));
    in_standard_layout(&answer.text);
    let (_, code) = answer.text.split_once('\n').expect("a line of words");
    code.to_string()
}

fn in_standard_layout(text: &str) {
    let tree = syntax::parse(base::FileId(0), text);
    assert_eq!(syntax::format(&tree).as_deref(), Some(text));
}

#[test]
fn the_gradient_of_log1pexp_is_what_the_paper_prints() {
    let plain = derived("fn soft(x) = log(1 + exp(x))", "soft");
    assert_eq!(plain, "fn soft_grad(x) = {\n  let y = exp(x)\n  1 / (1 + y) * y\n}\n");
}

#[test]
fn a_rule_is_used_as_it_stands() {
    let text = "fn soft(x) = log(1 + exp(x))\n  reverse x => (soft(x), dy => ({}, dy * (1 - 1 / (1 + exp(x)))))";
    assert_eq!(derived(text, "soft"), "fn soft_grad(x) = 1 - 1 / (1 + exp(x))\n");
}

#[test]
fn arithmetic_is_simplified_and_names_stay() {
    assert_eq!(derived("fn f(a, b, x) = a * x^2 + b * x + 3", "f"), "fn f_grad(a, b, x) = (x^2, x, b + 2 * a * x)\n");
    assert_eq!(derived("fn f(v) = sum(v * v)", "f"), "fn f_grad(v) = 2 * v\n");
    assert_eq!(
        derived("fn f(x) = if x > 1 { x^2 } else { sin(x) }", "f"),
        "fn f_grad(x) = if x > 1 { 2 * x } else { cos(x) }\n"
    );
}

/// Two elements are read after a call that gives a sensitivity of the whole array: what it gave isn't lost.
#[test]
fn elements_add_to_what_the_whole_received() {
    let text = "fn inner(v) = v[0] * v[1] * exp(v[1])\nfn f(v) = inner(v) + v[0] * sqrt(v[1])\nf([1.5, 2.0])";
    let code = derived(text, "f");
    assert!(code.contains("[0]: ") && code.contains("[1]: "), "{code}");
    let text = "fn f(s) = root(t => t^2 - s[0] - s[1])(s[0] + sqrt(s[1]^2 + 2 * s[0]))\n
fn root(g) = (t => { let u = t - g(t) / grad(g)(t); if abs(u - t) < 1e-13 { u } else { root(g)(u) } })
  reverse t => { let r = root(g)(t); (r, d => ({g: J(g)(r).1(-d / grad(g)(r)).0}, 0.0)) }
f([1.5, 2.0])";
    assert!(derived(text, "f").contains("sqrt"));
}

#[test]
fn loops_stay_loops() {
    let text = "fn f(ws, xs) = sum(w * sin(x) for (w, x) in zip(ws, xs))\nf([1.0, 2.0], [0.3, 0.4])";
    assert_eq!(
        derived(text, "f"),
        "fn f_grad(ws, xs) = ([sin(x) for x in xs], [w * cos(x) for (w, x) in zip(ws, xs)])\n"
    );
    let text = "fn f(u) = sum((u[i + 1] - u[i])^2 for i in 0..len(u) - 1)\nf([1.0, 2.0, 4.0])";
    assert!(derived(text, "f").contains("(du, i) =>"), "{}", derived(text, "f"));
}

#[test]
fn recursion_stays_recursion() {
    let text = "fn power(x, n) = if n == 0 { 1.0 } else { x * power(x, n - 1) }\npower(1.5, 4)";
    let code = derived(text, "power");
    assert!(code.contains("fn power_reverse(x, n)") && code.contains("power_reverse(x, n - 1)"), "{code}");
}

#[test]
fn orders_follow_each_other() {
    let answer = ask("fn f(x) = x^4", "f", DerivativeMode::Reverse, 3).expect("a derivative");
    assert!(answer.text.ends_with("= 24 * x\n"), "{}", answer.text);
}

#[test]
fn what_cannot_be_written_is_an_error_with_its_place() {
    let failure = ask("fn f(x) = (y => y * x) <~ J(sin)", "f", DerivativeMode::Reverse, 1).expect_err("no derivative");
    assert_eq!(failure[0].code.to_string(), "E0411");
    let failure = ask("fn f(x) = x", "g", DerivativeMode::Reverse, 1).expect_err("no function");
    assert_eq!(failure[0].code.to_string(), "E0411");
}

/// How many of the suite's functions are tried, how many have a derivative as source, and how many of these without leaving anything to `vjp`.
#[test]
fn most_functions_of_the_suite_have_a_derivative_as_source() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let (mut tried, mut derived, mut complete) = (0, 0, 0);
    let mut refused = vec![];
    for folder in ["suite/language", "suite/programs", "examples"] {
        let mut files: Vec<_> = std::fs::read_dir(format!("{root}{folder}"))
            .expect("the folder")
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "ev"))
            .collect();
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a file");
            if text.contains("import \"") {
                continue;
            }
            let mut session = session();
            for function in functions(&text).into_iter().take(PER_FILE) {
                let wish = Wish { function: function.clone(), wrt: vec![], mode: DerivativeMode::Reverse, order: 1 };
                let outcome = derive(&mut session, "test.ev", &text, &wish);
                let place = format!("{} {function}", file.file_name().unwrap_or_default().to_string_lossy());
                match outcome {
                    Ok(answer) => {
                        tried += 1;
                        derived += 1;
                        complete += usize::from(answer.left.is_empty());
                        in_standard_layout(&answer.text);
                    }
                    // What has no derivative at all, or no input to try, doesn't count.
                    Err(failure) if failure[0].message.contains("no input to try") => {}
                    Err(failure) if failure[0].code.to_string() != "E0411" => {
                        tried += 1;
                        refused.push(format!("{place}: {} {}", failure[0].code, failure[0].message));
                    }
                    Err(failure) => {
                        tried += 1;
                        refused.push(format!("{place}: {} {:?}", failure[0].message, failure[0].notes));
                    }
                }
            }
        }
    }
    println!("{derived} of {tried} functions have a derivative as source, {complete} without `vjp`");
    refused.iter().for_each(|line| println!("{line}"));
    assert!(tried > 30 && derived * 10 >= tried * FLOOR, "{derived} of {tried}");
}

/// So many functions of each file are tried: each takes a second.
const PER_FILE: usize = 3;
/// So many of ten functions must have a derivative as source. Those that give a local function with a rule have none.
const FLOOR: usize = 7;

/// The names of a file's functions at top level.
fn functions(text: &str) -> Vec<String> {
    let tree = syntax::parse(base::FileId(0), text);
    let statements = tree.statements().into_iter();
    statements
        .filter_map(|node| match tree.statement(node) {
            syntax::ast::Statement::Fn(function) if function.name.name.as_str() != "main" => {
                Some(function.name.name.to_string())
            }
            _ => None,
        })
        .collect()
}
