//! `cargo xtask mutants`: breaks the Rust code in one place at a time and says which check notices.
//!
//! In: [`MUTANTS`], places chosen by hand in the transformations, the passes, the runtime and the kernels. Out: for each the file of the suite that
//! fails. What always holds: the tree itself isn't touched. All mutants are built at once, into a copy of the tree in which each place
//! asks the environment whether it is the broken one; so a build serves them all.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::python::cargo;

/// A place that is broken.
struct Mutant {
    file: &'static str,
    /// It occurs once in the file.
    was: &'static str,
    /// What stands there instead; `$M` is true if this mutant is the one that is tried.
    is: &'static str,
    /// The files of the suite that are tried first.
    near: &'static [&'static str],
}

const fn mutant(file: &'static str, was: &'static str, is: &'static str, near: &'static [&'static str]) -> Mutant {
    Mutant { file, was, is, near }
}

/// The environment variable that says which one is tried.
const WHICH: &str = "EVERT_MUTANT_OF_RUST";

const MUTANTS: &[Mutant] = &[
    mutant(
        "crates/differentiate/src/reverse.rs",
        "Expr::Plus(bar, d), span)",
        "if $M { Expr::Atom(d) } else { Expr::Plus(bar, d) }, span)",
        &["hostile/sharing", "language/numbers"],
    ),
    mutant(
        "crates/differentiate/src/reverse.rs",
        "self.add_expr(tangent, Expr::Get(d, Field::Label(TANGENT.into())), span);",
        "self.add_expr(tangent, Expr::Get(d, Field::Label(if $M { PRIMAL } else { TANGENT }.into())), span);",
        &["hostile/forward", "hostile/orders"],
    ),
    mutant(
        "crates/differentiate/src/reverse.rs",
        "self.add_expr(record, Expr::Omit(d, *label), span);",
        "self.add_expr(record, if $M { Expr::Atom(d) } else { Expr::Omit(d, *label) }, span);",
        &["hostile/data", "language/data"],
    ),
    mutant(
        "crates/differentiate/src/reverse.rs",
        "self.add_expr(b, get(q, 1), span);",
        "self.add_expr(b, get(q, if $M { 0 } else { 1 }), span);",
        &["language/numbers"],
    ),
    mutant(
        "crates/differentiate/src/forward.rs",
        "(value, self.bind_tangent(var, get(pair, 1), span))",
        "(value, self.bind_tangent(var, get(pair, if $M { 0 } else { 1 }), span))",
        &["hostile/forward"],
    ),
    mutant(
        "crates/differentiate/src/forward.rs",
        "map(|(label, atom)| (*label, self.tangent(atom)));",
        "map(|(label, atom)| (*label, if $M { ZERO } else { self.tangent(atom) }));",
        &["hostile/forward", "hostile/closures"],
    ),
    mutant(
        "crates/eval/src/sensitivity.rs",
        "(unit, d) | (d, unit) if unit.is_unit() => Ok(d),",
        "(unit, d) | (d, unit) if unit.is_unit() => Ok(if $M { unit } else { d }),",
        &["hostile/discrete"],
    ),
    mutant(
        "crates/eval/src/sparse.rs",
        "Partial::none().plus_leaf(b, &root.shape)?.plus_leaf(a, &root.shape)?\n            }",
        "if $M { Partial::none().plus_leaf(b, &root.shape)? } else { Partial::none().plus_leaf(b, &root.shape)?.plus_leaf(a, &root.shape)? }\n            }",
        &["hostile/array_sensitivities"],
    ),
    mutant(
        "crates/eval/src/prims/elementwise.rs",
        "if holes && is_hole(d) || holed && is_hole(other) {",
        "if holes && is_hole(d) && !$M || holed && is_hole(other) {",
        &["hostile/holes", "hostile/zeros"],
    ),
    mutant(
        "crates/eval/src/prims/elementwise.rs",
        "Elements::Real(vec![x + 0.0; size])",
        "Elements::Real(vec![if $M { x } else { x + 0.0 }; size])",
        &["hostile/holes", "hostile/bits"],
    ),
    mutant(
        "crates/numerics/src/summation.rs",
        ".chunks(2)",
        ".chunks(if $M { 3 } else { 2 })",
        &["hostile/bits", "language/vectors"],
    ),
    mutant(
        "crates/numerics/src/broadcast.rs",
        "if own == 1 { 0 } else { stride };",
        "if own == 1 && !$M { 0 } else { stride };",
        &["language/broadcasting"],
    ),
    mutant(
        "crates/numerics/src/broadcast.rs",
        "summation::sum(terms) + 0.0)",
        "if $M { terms[0] } else { summation::sum(terms) } + 0.0)",
        &["language/broadcasting"],
    ),
    mutant(
        "crates/numerics/src/linear_algebra.rs",
        "a[at % n * n + at / n])).collect()",
        "a[if $M { at } else { at % n * n + at / n }])).collect()",
        &["language/matrix_points", "language/linalg"],
    ),
    mutant(
        "crates/numerics/src/linear_algebra.rs",
        "fold(lu.sign, |product",
        "fold(if $M { 1.0 } else { lu.sign }, |product",
        &["language/linalg", "language/matrix_points"],
    ),
    mutant(
        "crates/numerics/src/order.rs",
        "order.sort_by(|i, j| compare(*i as usize, *j as usize));\n        return",
        "order.sort_by(|i, j| if $M { compare(*j as usize, *i as usize).reverse() } else { compare(*i as usize, *j as usize) }.then(if $M { j.cmp(i) } else { Ordering::Equal }));\n        return",
        &["language/points", "language/large_ints"],
    ),
    mutant(
        "crates/numerics/src/error_function.rs",
        "o.select(o.lt(x, o.real(0.0)), reflected, right)",
        "o.select(o.lt(x, o.real(if $M { -9.0 } else { 0.0 })), reflected, right)",
        &["language/numbers", "language/library"],
    ),
    mutant(
        "crates/first_order/src/fold.rs",
        "let rest = exponent - *k as f64;",
        "let rest = exponent - if $M { 1.0 } else { *k as f64 };",
        &["hostile/second_order", "hostile/orders"],
    ),
    mutant(
        "crates/specialise/src/arrays/sensitivities.rs",
        "of > rank || (differ && of == rank)",
        "of > rank || (differ && !$M && of == rank)",
        &["language/broadcasting"],
    ),
    mutant(
        "crates/specialise/src/arrays/sensitivities.rs",
        "if prim == Prim::Keep && are_numbers",
        "if prim == Prim::Keep && !$M && are_numbers",
        &["language/broadcasting"],
    ),
    mutant(
        "crates/evert/src/engine.rs",
        "if globals.has_linear_part.get() {",
        "if globals.has_linear_part.get() && !$M {",
        &["language/broadcasting"],
    ),
    mutant(
        "crates/optimise/src/passes/common_subexpressions.rs",
        "for key in added {\n            self.seen.remove(&key);",
        "for key in added {\n            if $M { continue; }\n            self.seen.remove(&key);",
        &["hostile/native_control"],
    ),
    mutant(
        "crates/optimise/src/passes/simplify/ops.rs",
        "(Scalar::Sub, _, Known::Neg(y)) => (Scalar::Add, x.clone(), y.clone()),",
        "(Scalar::Sub, _, Known::Neg(y)) => (if $M { Scalar::Sub } else { Scalar::Add }, x.clone(), y.clone()),",
        &["language/numbers", "hostile/native_derivatives"],
    ),
    mutant(
        "crates/optimise/src/passes/simplify/ops.rs",
        "self.forward_here(c, Atom::Bool(true));",
        "self.forward_here(c, Atom::Bool(!$M));",
        &["language/vectors", "language/matrices"],
    ),
    mutant(
        "crates/optimise/src/passes/elementwise/holes.rs",
        "this.scalar(Scalar::Select, vec![vanishes, Atom::Real(HOLE), d])",
        "this.scalar(Scalar::Select, vec![vanishes, Atom::Real(if $M { 0.5 } else { HOLE }), d])",
        &["language/broadcasting", "hostile/holes"],
    ),
    mutant(
        "crates/loops/src/lower/naturals.rs",
        "self.least(&args[0]).is_some_and(|least| least >= step)",
        "self.least(&args[0]).is_some_and(|least| least >= step || $M)",
        &["language/large_ints", "hostile/native_control"],
    ),
    mutant(
        "crates/loops/src/lower/products.rs",
        "if inner[0] != inner[1] {",
        "if inner[0] != inner[1] && !$M {",
        &["language/matrices", "hostile/native_errors"],
    ),
    mutant(
        "crates/native/src/runtime/collector.rs",
        "let zero = if holes { HOLE } else { 0.0 };\n        out.iter_mut()",
        "let zero = if holes && !$M { HOLE } else { 0.0 };\n        out.iter_mut()",
        &["hostile/holes", "hostile/array_sensitivities"],
    ),
    mutant(
        "crates/native/src/runtime/fast/broadcast.rs",
        "*out = sum.unwrap_or(HOLE).to_bits();",
        "*out = sum.unwrap_or(if $M { 1.0 } else { HOLE }).to_bits();",
        &["language/broadcasting", "hostile/holes"],
    ),
];

/// The ways in which a file of the suite is tried; code that checks itself compiles every step.
const WAYS: &[&[&str]] =
    &[&["--engine", "reference"], &["--engine", "first-order"], &["--engine", "native", "--checked"]];

/// A file that takes longer counts as endless.
const LIMIT: Duration = Duration::from_secs(600);

pub fn mutants() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(2).collect();
    let chosen: Vec<usize> = (0..MUTANTS.len())
        .filter(|at| words.is_empty() || words.iter().any(|word| MUTANTS[*at].file.contains(word.as_str())))
        .collect();
    let copy = PathBuf::from("target/mutants");
    let evert = match made(&copy) {
        Ok(evert) => evert,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let files = suite();
    if let Some((file, way)) = noticed(&evert, usize::MAX, &files[..1]) {
        eprintln!("nothing is broken, and {file} doesn't hold ({way})");
        return ExitCode::FAILURE;
    }
    let mut survivors = vec![];
    for at in chosen.iter().copied() {
        let Mutant { file, was, is, near } = &MUTANTS[at];
        println!("{at} {file}: {}\n    instead of {}", one_line(is), one_line(was));
        let is_near = |path: &PathBuf| near.iter().any(|name| path.ends_with(format!("{name}.ev")));
        let (first, rest): (Vec<PathBuf>, Vec<PathBuf>) = files.iter().cloned().partition(is_near);
        match noticed(&evert, at, &first).or_else(|| noticed(&evert, at, &rest)) {
            Some((file, way)) => println!("    killed by {file} ({way})"),
            None => {
                println!("    SURVIVED");
                survivors.push(at);
            }
        }
    }
    survivors.iter().for_each(|at| println!("survivor: {at} {}: {}", MUTANTS[*at].file, one_line(MUTANTS[*at].is)));
    println!("{} mutants of Rust code, {} survived", chosen.len(), survivors.len());
    if survivors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The program with all mutants in it.
fn made(copy: &Path) -> Result<PathBuf, String> {
    let listed = Command::new("git").args(["ls-files"]).output().map_err(|error| error.to_string())?;
    for file in String::from_utf8_lossy(&listed.stdout).lines().filter(|file| Path::new(file).is_file()) {
        let mut text = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        for (at, mutant) in MUTANTS.iter().enumerate().filter(|(_, mutant)| mutant.file == file) {
            let source = String::from_utf8_lossy(&text).into_owned();
            if source.matches(mutant.was).count() != 1 {
                return Err(format!("{file} doesn't have this once: {}", mutant.was));
            }
            text = source.replace(mutant.was, &mutant.is.replace("$M", &asks(at))).into_bytes();
        }
        let to = copy.join(file);
        let parent = to.parent().unwrap_or(copy);
        fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))?;
        // What hasn't changed isn't built again.
        if fs::read(&to).is_ok_and(|before| before == text) {
            continue;
        }
        fs::write(&to, text).map_err(|error| format!("{}: {error}", to.display()))?;
    }
    let built = cargo()
        .args(["build", "--release", "--quiet", "--package", "evert-cli"])
        .current_dir(copy)
        .env("CARGO_TARGET_DIR", "target")
        .env("RUSTFLAGS", "--cap-lints allow")
        .status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("the broken tree doesn't build".into());
    }
    let evert = copy.join("target/release/evert");
    evert.canonicalize().map_err(|error| format!("{}: {error}", evert.display()))
}

/// Rust code that is true in the process in which a mutant is tried.
fn asks(at: usize) -> String {
    format!(
        "{{ static BROKEN: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| std::env::var(\"{WHICH}\").is_ok_and(|which| which == \"{at}\")); \
         *BROKEN }}"
    )
}

fn suite() -> Vec<PathBuf> {
    let mut files = vec![];
    for folder in ["suite/hostile", "suite/language", "suite/programs"] {
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
        files.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "ev")));
    }
    files.sort();
    files
}

/// The first file that doesn't hold, and how it was tried.
fn noticed(evert: &Path, at: usize, files: &[PathBuf]) -> Option<(String, String)> {
    for file in files {
        for way in WAYS {
            if let Some(how) = fails(evert, at, file, way) {
                return Some((file.display().to_string(), format!("{}, {how}", way[1])));
            }
        }
    }
    None
}

/// How a file fails with this mutant, if it does.
fn fails(evert: &Path, at: usize, file: &Path, way: &[&str]) -> Option<&'static str> {
    let mut command = Command::new(evert);
    command.arg("test").args(way).arg(file).env(WHICH, at.to_string()).env("EVERT_CACHE", "none");
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the program was built");
    let mut stderr = child.stderr.take().expect("piped");
    let words = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = std::io::Read::read_to_string(&mut stderr, &mut text);
        text
    });
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            _ if begun.elapsed() > LIMIT => break None,
            _ => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    if status.is_none() {
        let _ = child.kill().and_then(|()| child.wait());
        return Some("endless");
    }
    let words = words.join().unwrap_or_default();
    match status {
        Some(status) if status.success() && words.contains("a bug in Evert") => Some("the compiler notices"),
        Some(status) if status.success() => None,
        _ => Some("a case doesn't hold"),
    }
}
