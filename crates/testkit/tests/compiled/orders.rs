//! The programs that the design was walked with, at orders 0 to 3: what is compiled agrees with the reference evaluator, and
//! the sizes are those that `docs/dev/native.md` shows, which also says what isn't compiled. Set `EVERT_WRITE_TABLES` to write the table anew.

use std::path::Path;

use evert::Engine;
use evert_testkit::differential::same;

use crate::Test;
use crate::steps::{Steps, has_native, none};

pub const TESTS: &[Test] = &[
    ("third derivatives of the programs of the design are as the documentation says", orders),
    ("alternatives that appear one after the other don't keep a second derivative from being compiled", one_by_one),
];

struct Walked {
    name: &'static str,
    /// Ends in a function `f` of a real.
    definitions: &'static str,
    at: &'static str,
}

const WALKED: &[Walked] = &[
    Walked {
        name: "(a) `fix`",
        definitions: "let m = 0.8
fn near(a, b) = abs(a - b) < 1e-13
fn f(a) = fix(near, x => m + a * sin(x))(m)",
        at: "0.2",
    },
    Walked {
        name: "(b) list and closure",
        definitions: "fn total(f, xs) = match xs { Nil => 0.0, Cons(x, rest) => f(x) + total(f, rest) }
fn f(c) = total(x => sin(c * x), Cons(c, Cons(2.0 * c, Nil)))",
        at: "0.7",
    },
    Walked {
        name: "(c) backpropagators in a list",
        definitions: "fn total(xs) = match xs { Nil => 0.0, Cons(x, rest) => x + total(rest) }
fn f(x) = {
  let pulls = map(y => vjp(z => sin(y * z), x).1, Cons(0.5, Cons(x, Nil)))
  total(map(pull => pull(1.0) + pull(x), pulls))
}",
        at: "0.7",
    },
    Walked {
        name: "(d) `<~`, both chosen",
        definitions: "fn f(x) = ((if x > 0.5 { sin } else { cos }) <~ (if x > 0.5 { J(sin) } else { J(cos) }))(x * x)",
        at: "0.9",
    },
    Walked {
        name: "(e) reads in a map",
        definitions: "let idx = [2, 0, 1, 1]
fn f(w) = { let a = [w, w^2, 3.0]; sum(map(i => a[idx[i]] * w, iota(4))) }",
        at: "0.7",
    },
    Walked {
        name: "(f) while loop over arrays",
        definitions: "fn f(x) = sum(while_loop(v => sum(v) < 100.0, v => [x * e for e in v], [x, 1.0]))",
        at: "1.7",
    },
    Walked {
        name: "(g) Y combinator",
        definitions: "fn y(f) = (x => f(z => x(x)(z)))(x => f(z => x(x)(z)))
fn f(x) = y(self => n => if n == 0 { x } else { x * sin(self(n - 1)) })(4)",
        at: "0.7",
    },
    Walked {
        name: "(g) Church numerals",
        definitions: "fn church(n) = if n == 0 { f => x => x } else { f => x => f(church(n - 1)(f)(x)) }
fn f(x) = church(3)(y => sin(x * y))(x)",
        at: "0.7",
    },
];

/// What a step gives is only known from what steps gave: one alternative after the other.
const ONE_BY_ONE: Walked = Walked {
    name: "one by one",
    definitions: "type State = A(x) | B(x) | C(x) | D(x) | F(x) | G(x) | H(x) | K(x) | Both(a, b) | Next(a)
fn step(s) = match s {
  A(x) => B(x * x),
  Both(a, b) => Both(step(a), step(b)),
  Next(a) => match step(a) {
    B(x) => C(sin(x)), C(x) => D(x + x * x), D(x) => F(cos(x)), F(x) => G(x * 3.0), G(x) => H(exp(x)), H(x) => K(x / 2.0),
    K(x) => A(x * x), r => Next(r),
  },
  r => r,
}
fn worth(s) = match s {
  A(x) => x, B(x) => 2.0 * x, C(x) => x * x, D(x) => sin(x), F(x) => x, G(x) => x, H(x) => x, K(x) => x * x,
  Both(a, b) => worth(a) * worth(b),
  Next(a) => worth(a),
}
fn f(x) = worth(step(step(Both(Next(Next(Next(A(x)))), Both(Next(B(x)), Next(Next(Next(Next(B(x * 0.5))))))))))",
    at: "[0.7][0]",
};

fn one_by_one() {
    let Walked { definitions, at, .. } = ONE_BY_ONE;
    // The third is too large for the specialiser since `()` absorbs in derived sums.
    let text = format!("grad(grad(f))({at})");
    let expected = evert::Session::offline().evaluate(&format!("{definitions}\n{text}")).expect("the program runs");
    let found = Steps::new(Engine::FirstOrder, definitions).run(&text).unwrap_or_else(|error| panic!("{error}"));
    assert!(same(&found.value, &expected), "{} instead of {}", evert::show(&found.value), evert::show(&expected));
}

const MOST: usize = 3;

fn orders() {
    let (mut problems, mut rows) = (vec![], String::new());
    for walked in WALKED {
        let mut cells = vec![];
        for order in 0..=MOST {
            match measured(walked, order) {
                Ok(cell) => cells.push(cell),
                Err(words) => problems.push(format!("{} of order {order}: {words}", walked.name)),
            }
        }
        rows += &format!("| {} | {} |\n", walked.name, cells.join(" | "));
    }
    println!("{rows}");
    none(&problems);
    if has_native() {
        compare_with_page(&rows);
    }
}

/// Instances and kilobytes of IR of a derivative that is compiled and right.
fn measured(walked: &Walked, order: usize) -> Result<String, String> {
    let derivative = format!("{}f{}({})", "grad(".repeat(order), ")".repeat(order), walked.at);
    let mut reference = evert::Session::offline();
    let text = format!("{}\n{derivative}", walked.definitions);
    let expected = reference.evaluate(&text).map_err(|errors| errors[0].message.clone())?;
    let engine = if has_native() { Engine::Native } else { Engine::FirstOrder };
    let cost = match Steps::new(engine, walked.definitions).run(&derivative) {
        Err(why) if why.starts_with("Dynamic") => return Ok(DYNAMIC.into()),
        cost => cost?,
    };
    if !same(&cost.value, &expected) {
        return Err(format!("{} instead of {}", evert::show(&cost.value), evert::show(&expected)));
    }
    Ok(format!("{}, {:.1} kB", cost.compiled.instances, cost.compiled.stats.ir_bytes as f64 / 1e3))
}

/// The cell of a derivative that is left to the reference evaluator.
const DYNAMIC: &str = "dynamic";

const START: &str = "| program | value | first | second | third |\n|---|---|---|---|---|\n";

/// Figures of the page may be off by this much before somebody has to write them anew.
const SLACK: f64 = 0.25;

fn compare_with_page(rows: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dev/native.md");
    let page = std::fs::read_to_string(&path).expect("the page of the native engine");
    let (before, rest) = page.split_once(START).expect("the page has the table of orders");
    let end = rest.find("\n\n").map_or(rest.len(), |at| at + 1);
    if std::env::var_os("EVERT_WRITE_TABLES").is_some() {
        std::fs::write(&path, format!("{before}{START}{rows}{}", &rest[end..])).expect("the page is written");
        return;
    }
    let (shown, found) = (numbers(&rest[..end]), numbers(rows));
    let agree = |(a, b): (&f64, &f64)| (a - b).abs() <= SLACK * a.max(*b) + 1.0;
    let dynamic = |rows: &str| -> Vec<bool> { rows.split('|').map(|cell| cell.trim() == DYNAMIC).collect() };
    let fits = dynamic(&rest[..end]) == dynamic(rows) && shown.len() == found.len();
    let fits = fits && shown.iter().zip(&found).all(agree);
    assert!(fits, "docs/dev/native.md shows\n{}\nbut it is (EVERT_WRITE_TABLES=1 writes it)\n{rows}", &rest[..end]);
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.')).filter_map(|word| word.parse().ok()).collect()
}
