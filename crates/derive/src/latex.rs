//! Formulas of straight-line code, for LaTeX.

use crate::term::{Op, Pattern, Statement, Term};

/// The derivative as a formula, with a line for each name; `None` if there are loops, choices or arrays in it.
pub fn formula(f: &str, params: &[Pattern], body: &Term) -> Option<String> {
    let mut lines = vec![];
    let result = match body {
        Term::Block(block) => {
            for statement in &block.statements {
                match statement {
                    Statement::Let(Pattern::Name(name), term) => lines.push((symbol(name), written(term, 0)?)),
                    Statement::Comment(_) => {}
                    _ => return None,
                }
            }
            &block.result
        }
        other => other,
    };
    let params: Vec<String> =
        params.iter().map(|param| param.names().first().map(|name| symbol(name))).collect::<Option<_>>()?;
    let slopes: Vec<&Term> = match (result, params.len()) {
        (Term::Tuple(parts), n) if parts.len() == n && n > 1 => parts.iter().collect(),
        (other, 1) => vec![other],
        _ => return None,
    };
    for (param, slope) in params.iter().zip(slopes) {
        lines.push((format!("\\frac{{\\partial {}}}{{\\partial {param}}}", symbol(f)), written(slope, 0)?));
    }
    let lines: Vec<String> = lines.iter().map(|(left, right)| format!("  {left} &= {right}")).collect();
    Some(format!("\\begin{{align*}}\n{}\n\\end{{align*}}\n", lines.join(" \\\\\n")))
}

const GREEK: &[(&str, &str)] = &[
    ("alpha", "\\alpha"),
    ("beta", "\\beta"),
    ("gamma", "\\gamma"),
    ("theta", "\\theta"),
    ("lambda", "\\lambda"),
    ("mu", "\\mu"),
    ("sigma", "\\sigma"),
    ("pi", "\\pi"),
    ("inf", "\\infty"),
    ("phi", "\\varphi"),
    ("omega", "\\omega"),
    ("θ", "\\theta"),
    ("α", "\\alpha"),
    ("β", "\\beta"),
    ("σ", "\\sigma"),
    ("μ", "\\mu"),
];

fn symbol(name: &str) -> String {
    if let Some((_, greek)) = GREEK.iter().find(|(word, _)| *word == name) {
        return greek.to_string();
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = &name[stem.len()..];
    match (stem.chars().count(), number) {
        (1, "") => stem.to_string(),
        (1, number) => format!("{stem}_{{{number}}}"),
        _ => format!("\\mathit{{{}}}", name.replace('_', "\\_")),
    }
}

/// Levels: 0 sums, 1 products, 2 signs, 3 powers and above.
fn written(term: &Term, level: u8) -> Option<String> {
    let (own, text) = match term {
        Term::Int(i) => (if *i < 0 { 2 } else { 4 }, i.to_string()),
        Term::Real(x) if *x == x.trunc() && x.abs() < 1e9 => (if *x < 0.0 { 2 } else { 4 }, format!("{}", *x as i64)),
        Term::Real(x) => (if *x < 0.0 { 2 } else { 4 }, x.to_string()),
        Term::Name(name) => (4, symbol(name)),
        Term::Neg(a) => (2, format!("-{}", written(a, 2)?)),
        Term::Op(op, a, b) => match op {
            Op::Add => (0, format!("{} + {}", written(a, 0)?, written(b, 1)?)),
            Op::Subtract => (0, format!("{} - {}", written(a, 0)?, written(b, 1)?)),
            Op::Multiply => (1, format!("{} \\, {}", written(a, 1)?, written(b, 2)?)),
            Op::Divide => (1, format!("\\frac{{{}}}{{{}}}", written(a, 0)?, written(b, 0)?)),
            Op::Power => (3, format!("{{{}}}^{{{}}}", written(a, 4)?, written(b, 0)?)),
            _ => return None,
        },
        Term::Call(f, args) => {
            let args: Vec<String> = args.iter().map(|arg| written(arg, 0)).collect::<Option<_>>()?;
            (4, called(f.as_name()?, &args))
        }
        _ => return None,
    };
    Some(if own < level { format!("\\left({text}\\right)") } else { text })
}

fn called(f: &str, args: &[String]) -> String {
    match (f, args) {
        ("exp", [x]) => format!("e^{{{x}}}"),
        ("sqrt", [x]) => format!("\\sqrt{{{x}}}"),
        ("abs", [x]) => format!("\\left|{x}\\right|"),
        ("log" | "sin" | "cos" | "tan" | "sinh" | "cosh" | "tanh", [x]) => format!("\\{f}\\left({x}\\right)"),
        ("asin" | "acos" | "atan", [x]) => format!("\\arc{}\\left({x}\\right)", &f[1..]),
        (f, args) => format!("\\operatorname{{{}}}\\left({}\\right)", f.replace('_', "\\_"), args.join(", ")),
    }
}
