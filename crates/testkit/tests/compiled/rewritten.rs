//! How a program is written doesn't decide how fast it is: each eval of GradBench with other names, sums in another order and one `let` more
//! does the same work, within a tenth.
//!
//! Work is counted: statements that the optimised program runs on L3 (with the elements that primitives touch), and bytes that compiled code
//! allocates. Each rewriting is a list of edits that must apply to the program as it is, then names to replace.

use evert::Engine;

use crate::Test;
use crate::steps::{Cost, Steps, has_native};

pub const TESTS: &[Test] =
    &[("rewritten evals run as many statements", statements), ("rewritten evals allocate as many bytes", bytes)];

/// The most by which rewritten programs may differ.
const TENTH: f64 = 0.1;

struct Rewriting {
    eval: &'static str,
    functions: &'static [&'static str],
    size: usize,
    /// Each stands once in the program.
    edits: &'static [(&'static str, &'static str)],
    names: &'static [(&'static str, &'static str)],
}

const REWRITINGS: &[Rewriting] = &[
    Rewriting {
        eval: "hello",
        functions: &["square", "double"],
        size: 3,
        edits: &[("fn square(x) = x * x", "fn square(x) = {\n  let same = x\n  x * same\n}")],
        names: &[("x", "number")],
    },
    Rewriting {
        eval: "llsq",
        functions: &["primal", "gradient"],
        size: 64,
        edits: &[
            (
                "0.5 * sum((sign(t) - polynomial(x, t))^2)",
                "let error = -polynomial(x, t) + sign(t)\n  sum(error^2) * 0.5",
            ),
            ("y * t + c", "c + y * t"),
        ],
        names: &[("t", "times"), ("c", "coefficient")],
    },
    Rewriting {
        eval: "lse",
        functions: &["primal", "gradient"],
        size: 500,
        edits: &[("a + log(sum(exp(x - a)))", "let shifted = -a + x\n  log(sum(exp(shifted))) + a")],
        names: &[("a", "largest")],
    },
    Rewriting {
        eval: "det",
        functions: &["primal", "gradient"],
        size: 5,
        edits: &[
            (
                "term + expand(a, row, Cons(c, before), rest, -sign)",
                "let others = expand(a, row, Cons(c, before), rest, -sign)\n    others + term",
            ),
            ("sign * a[row, c] * minor", "a[row, c] * sign * minor"),
        ],
        names: &[("c", "column"), ("before", "left"), ("rest", "right")],
    },
    Rewriting {
        eval: "ode",
        functions: &["primal", "gradient"],
        size: 5,
        edits: &[(
            "y + h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)",
            "let slope = k4 + 2.0 * k3 + 2.0 * k2 + k1\n    h / 6 * slope + y",
        )],
        names: &[("k1", "first"), ("k2", "second"), ("k3", "third"), ("k4", "fourth"), ("h", "dt")],
    },
    Rewriting {
        eval: "gmm",
        functions: &["objective", "jacobian"],
        size: 20,
        edits: &[
            ("alpha[c] + sum(q[c]) - 0.5 *", "sum(q[c]) + alpha[c] - 0.5 *"),
            ("  data + prior", "  let both = prior + data\n  both"),
        ],
        names: &[("factors", "lower"), ("nu", "freedom"), ("likelihood", "of_point"), ("c", "component")],
    },
    Rewriting {
        eval: "kmeans",
        functions: &["cost", "dir"],
        size: 40,
        edits: &[(
            "fn distance(c, p) = sum((c - p)^2)",
            "fn distance(c, p) = {\n  let apart = -p + c\n  sum(apart^2)\n}",
        )],
        names: &[("p", "point"), ("c", "centre"), ("label", "which")],
    },
    Rewriting {
        eval: "lstm",
        functions: &["objective", "jacobian"],
        size: 12,
        edits: &[
            (
                "x * weight[k * b..(k + 1) * b] + bias[k * b..(k + 1) * b]",
                "bias[k * b..(k + 1) * b] + x * weight[k * b..(k + 1) * b]",
            ),
            (
                "let next = cell * forget + ingate * change",
                "let kept = cell * forget\n  let next = ingate * change + kept",
            ),
            ("(total + dot(sequence[t + 1], normalised), next)", "(dot(sequence[t + 1], normalised) + total, next)"),
        ],
        names: &[("forget", "keep"), ("ingate", "open"), ("hidden", "shown"), ("y", "output_bits")],
    },
    Rewriting {
        eval: "ba",
        functions: &["objective", "jacobian"],
        size: 30,
        edits: &[
            ("rx * rx + ry * ry + rz * rz", "rz * rz + ry * ry + rx * rx"),
            ("qx * qx + qy * qy", "qy * qy + qx * qx"),
            (
                "(qx * distortion * f + u, qy * distortion * f + v)",
                "let scale = distortion * f\n  (u + qx * scale, v + qy * scale)",
            ),
        ],
        names: &[("qx", "flat_x"), ("qy", "flat_y"), ("along", "share"), ("angle", "turn")],
    },
    Rewriting {
        eval: "ht",
        functions: &["objective", "jacobian"],
        size: 12,
        edits: &[
            (
                "us[i, 0] * vertices[a] + us[i, 1] * vertices[b] + (1.0 - us[i, 0] - us[i, 1]) * vertices[c]",
                "let last = (1.0 - us[i, 0] - us[i, 1]) * vertices[c]\n      last + us[i, 1] * vertices[b] + us[i, 0] * vertices[a]",
            ),
            ("c * eye(3) + (1.0 - c) * outer(a, a) + s * turn", "s * turn + (1.0 - c) * outer(a, a) + c * eye(3)"),
        ],
        names: &[("blend", "mixed"), ("moved", "there"), ("relatives", "steps")],
    },
    Rewriting {
        eval: "particle",
        functions: &["ff", "rr"],
        size: 1,
        edits: &[
            ("square(ax - bx) + square(ay - by)", "square(-by + ay) + square(-bx + ax)"),
            (
                "let next = (x + dt * vx, y + dt * vy)",
                "let (dx, dy) = (dt * vx, dt * vy)\n    let next = (dx + x, dy + y)",
            ),
        ],
        names: &[("gx", "slope_x"), ("gy", "slope_y"), ("successes", "good")],
    },
    Rewriting {
        eval: "saddle",
        functions: &["ff", "rr"],
        size: 1,
        edits: &[(
            "fn f((a, b), (c, d)) = (a * a + b * b) - (c * c + d * d)",
            "fn f((a, b), (c, d)) = {\n  let first = b * b + a * a\n  first - (d * d + c * c)\n}",
        )],
        names: &[("fnext", "value"), ("fp", "before"), ("successes", "good")],
    },
];

fn statements() {
    each(Engine::FirstOrder, "statements", |cost| cost.work as f64);
}

fn bytes() {
    if has_native() {
        // What is in the first KiB differs by the few words of a node.
        each(Engine::Native, "bytes", |cost| 1024.0 + cost.bytes() as f64);
    }
}

fn each(engine: Engine, what: &str, measure: impl Fn(&Cost) -> f64) {
    let mut problems = vec![];
    for rewriting in REWRITINGS {
        let program = read(&format!("gradbench/{}.ev", rewriting.eval));
        let other = rewritten(&program, rewriting);
        for function in rewriting.functions {
            let [as_is, rewritten] = [&program, &other].map(|text| run(engine, text, rewriting, function));
            let [before, after] = [measure(&as_is), measure(&rewritten)];
            println!("  {:8} {function:10} {before:10} {what}, {after:10} rewritten", rewriting.eval);
            if (after - before).abs() > TENTH * before {
                problems.push(format!("{} {function}: {before} {what}, rewritten {after}", rewriting.eval));
            }
            if !close(&evert::show(&as_is.value), &evert::show(&rewritten.value)) {
                problems.push(format!("{} {function}: another value", rewriting.eval));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn run(engine: Engine, program: &str, rewriting: &Rewriting, function: &str) -> Cost {
    let Rewriting { eval, size, .. } = rewriting;
    let prepare = if program.contains("fn prepare(") { "prepare" } else { "" };
    let inputs = read("benches/evals/inputs.ev");
    let definitions = format!("{program}\n{inputs}\nlet the_input = {prepare}(input_{eval}({size}))\n");
    let mut steps = Steps::new(engine, &definitions);
    steps.run(&format!("{function}(the_input)")).unwrap_or_else(|error| panic!("{eval} {function}: {error}\n{program}"))
}

fn read(path: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rewritten(program: &str, rewriting: &Rewriting) -> String {
    let mut text = program.to_string();
    for (old, new) in rewriting.edits {
        assert_eq!(text.matches(old).count(), 1, "{}: {old}", rewriting.eval);
        text = text.replace(old, new);
    }
    for (old, new) in rewriting.names {
        let renamed = renamed(&text, old, new);
        assert_ne!(renamed, text, "{}: no {old}", rewriting.eval);
        text = renamed;
    }
    text
}

/// The text with every word `old` replaced.
fn renamed(text: &str, old: &str, new: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        out += if word == old { new } else { &word };
        word.clear();
        out.push(c);
    }
    out
}

/// The same but for rounding, which another order of sums changes.
fn close(a: &str, b: &str) -> bool {
    let numbers = |text: &str| -> Vec<f64> {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || ".+-".contains(c)));
        words.filter_map(|word| word.parse().ok()).collect()
    };
    let (a, b) = (numbers(a), numbers(b));
    a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| (x - y).abs() <= 1e-6 * (1.0 + x.abs() + y.abs()))
}
