//! Random programs that are hard to compile: states whose rank, nesting or type changes from step to step, closures and derivatives nested deeply,
//! literals, chains, records and matches that are wide, values that share their parts.
//!
//! In: a seed. Out: a program, always the same for the seed, that the reference evaluator runs in no time. What is claimed of them: whatever the compiler
//! makes of them, it stays within its budget ([`base::budget`]), and the answer is right.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::Random;
use crate::generate::Program;

/// The program of a seed.
pub fn generate(seed: u64) -> Program {
    // Another sequence than those of the other generators.
    let mut random = Random::new(seed ^ 0x000b_e5e0);
    let (name, make) = *random.pick(KINDS);
    let mut maker = Maker { random, names: 0, definitions: String::new() };
    let mut body = make(&mut maker);
    let mut productions: BTreeSet<&'static str> = [name].into();
    if maker.random.chance(35) {
        let (derivative, text) = *maker.random.pick(DERIVATIVES);
        let inner = maker.name("inner");
        let _ = writeln!(maker.definitions, "fn {inner}(x) = {body}");
        body = text.replace('f', &inner);
        productions.insert(derivative);
    }
    let _ = writeln!(maker.definitions, "fn main(x) = {body}");
    let point = *maker.random.pick(&["0.7", "1.0", "-0.3", "0.0"]);
    Program {
        seed,
        prelude: PRELUDE,
        definitions: maker.definitions,
        entry: "main",
        points: vec![point.into()],
        productions,
    }
}

const PRELUDE: &str = "\
type Maybe = None_ | Some_(value)
type Nest = End(value) | In(nest)
type Both = Both(left, right)
fn inmost(t) = match t { End(v) => v, In(n) => inmost(n) }
";

type Make = fn(&mut Maker) -> String;

const KINDS: &[(&str, Make)] = &[
    ("states that change", Maker::changing_state),
    ("states that change", Maker::changing_state),
    ("states that change", Maker::changing_state),
    ("states that change, by recursion", Maker::changing_recursion),
    ("states that change, by recursion", Maker::changing_recursion),
    ("closures around closures", Maker::closures),
    ("towers of derivatives", Maker::tower),
    ("wide literals", Maker::wide_literal),
    ("long chains", Maker::chain),
    ("nested blocks", Maker::nested),
    ("many functions", Maker::many_functions),
    ("large matches", Maker::large_match),
    ("large records", Maker::large_record),
    ("parts that are shared", Maker::shared),
    ("comprehensions in comprehensions", Maker::comprehensions),
    ("one function at many types", Maker::many_types),
    ("texts", Maker::texts),
];

/// Of `f` at `x`, a real.
const DERIVATIVES: &[(&str, &str)] = &[
    ("grad", "grad(f)(x)"),
    ("jvp", "jvp(f, x, 1.0).1"),
    ("hvp", "hvp(f, x, 1.0)"),
    ("grad of grad", "grad(grad(f))(x)"),
    ("J", "J(f)(J(x)).1(1.0).1"),
    ("grad of jvp", "grad(y => jvp(f, y, 0.5).1)(x)"),
    ("jvp of grad of jvp", "jvp(grad(y => jvp(f, y, 0.5).1), x, 1.0).1"),
];

struct Maker {
    random: Random,
    names: usize,
    definitions: String,
}

/// How a state changes in a step (`t` is the state, `i` the step, `x` a real), and a real of the state in the end.
const CHANGES: &[(&str, &str)] = &[
    ("(t, x)", "(t.1)"),
    ("(x, t)", "(t.0)"),
    ("[t, t]", "sum(t)"),
    ("[t, t * x]", "sum(t)"),
    ("[[t], [t]]", "sum(t)"),
    ("{a: t, b: x}", "(t.b)"),
    ("{a: x, b: {c: t}}", "(t.a)"),
    ("In(t)", "inmost(t)"),
    ("Some_(t)", "(match t { Some_(v) => x, None_ => 0.0 })"),
    ("Both(t, x)", "(match t { Both(a, b) => b })"),
    ("(y => y * x)", "t(0.5)"),
    ("((y) => { let s = t; y * x })", "t(0.5)"),
    ("((y) => (t, y * x))", "t(0.5).1"),
    ("if i % 2 == 0 { (t, x) } else { [x, x] }", "(match t { [a, b] => a, (a, b) => b })"),
    ("if i > 1 { x } else { (t, t) }", "(match t { (a, b) => x, r => x })"),
    ("Cons(t, Nil)", "(match t { Cons(v, r) => x, Nil => 0.0 })"),
    ("{let u = t; (u, u)}", "x"),
    ("(t, [x for j in 0..i + 1])", "sum(t.1)"),
    ("[x * real(j) for j in 0..i + 1]", "sum(t)"),
    ("[[x for j in 0..i + 1] for k in 0..2]", "sum(t)"),
    ("(grad(y => y * x)(x), t)", "(t.0)"),
    ("(jvp(y => y * x, x, 1.0), t)", "(t.0.1)"),
    ("(y => grad(z => z * y * x)(y))", "t(0.5)"),
];

impl Maker {
    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn size(&mut self, sizes: &[usize]) -> usize {
        let size = *self.random.pick(sizes);
        1 + size / 2 + self.random.below(size)
    }

    fn changing_state(&mut self) -> String {
        let (step, read) = *self.random.pick(CHANGES);
        let start = *self.random.pick(&["x", "0", "()", "[x]", "(x, x)", "End(x)", "(y => x)"]);
        let n = self.random.below(6);
        let state = match self.random.below(4) {
            0 => format!("iterate({n}, t => {{ let i = 2; {step} }}, {start})"),
            1 => format!("fold((t, i) => {step}, {start}, iota({n}))"),
            2 => format!("fold((t, i) => {step}, {start}, Cons(0, Cons(1, Cons(2, Nil))))"),
            _ => format!("while_loop(((i, t)) => i < {n}, ((i, t)) => (i + 1, {step}), (0, {start})).1"),
        };
        format!("{{ let t = {state}; {read} }}")
    }

    fn changing_recursion(&mut self) -> String {
        let (step, read) = *self.random.pick(CHANGES);
        let (go, n) = (self.name("go"), self.random.below(6));
        let start = *self.random.pick(&["x", "0", "()", "[x, x]", "(x, x)", "(y => x)"]);
        let recursion = match self.random.below(3) {
            0 => format!("fn {go}(i, t, x) = if i <= 0 {{ t }} else {{ {go}(i - 1, {step}, x) }}"),
            1 => format!("fn {go}(i, t, x) = if i <= 0 {{ t }} else {{ let t = {go}(i - 1, t, x); {step} }}"),
            _ => format!(
                "fn {go}(i, t, x) = if i <= 0 {{ t }} else {{ {go}_other(i - 1, {step}, x) }}\n\
                 fn {go}_other(i, t, x) = if i <= 0 {{ t }} else {{ {go}(i - 1, (t, t), x).0 }}"
            ),
        };
        let _ = writeln!(self.definitions, "{recursion}");
        format!("{{ let t = {go}({n}, {start}, x); {read} }}")
    }

    fn closures(&mut self) -> String {
        let depth = self.size(&[4, 10, 30, 60]);
        match self.random.below(3) {
            // Each captures the one before.
            0 => {
                let mut lets = String::from("let f0 = y => y * x\n");
                for i in 1..depth {
                    let _ = writeln!(lets, "let f{i} = y => f{}(y) + 0.5 * y", i - 1);
                }
                format!("{{ {lets}; f{}(0.5) }}", depth - 1)
            }
            // Each is in the one before.
            1 => {
                let open: String = (0..depth).map(|i| format!("a{i} => ")).collect();
                let all: Vec<String> = (0..depth).map(|i| format!("a{i}")).collect();
                let calls: String = (0..depth).map(|i| format!("({}.5)", i % 3)).collect();
                format!("({open}{} * x){calls}", all.join(" + "))
            }
            // A list of them, each chosen at run time.
            _ => {
                let list: String = (0..depth).map(|i| format!("Cons(y => y * {i}.5 + x, ")).collect();
                format!("fold((s, f) => f(s) * 0.1, x, {list}Nil{})", ")".repeat(depth))
            }
        }
    }

    fn tower(&mut self) -> String {
        let depth = 1 + self.random.below(6);
        let inner = *self.random.pick(&[
            "y * y * x",
            "sin(y * x)",
            "iterate(3, z => z * y, x)",
            "fold((s, k) => s * y + x, y, [1.0, 2.0])",
            "sum([y * real(k) for k in 0..3])",
            "(y, x).0 * y",
        ]);
        let mut text = format!("(y => {inner})");
        for _ in 0..depth {
            text = match self.random.below(4) {
                0 => format!("grad({text})"),
                1 => format!("(y => jvp({text}, y, 1.0).1)"),
                2 => format!("(y => J({text})(J(y)).1(1.0).1)"),
                _ => format!("(y => hvp({text}, y, 0.5))"),
            };
        }
        format!("{text}(x)")
    }

    fn wide_literal(&mut self) -> String {
        let n = self.size(&[100, 1_000, 3_000, 8_000]);
        let items = |item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<Vec<_>>().join(", ");
        match self.random.below(5) {
            0 => format!("x * sum([{}])", items(&|i| format!("{i}.5"))),
            1 => format!("sum([{}])", items(&|i| format!("x * {i}.5"))),
            2 => format!("real(max([{}])) * x", items(&|i| format!("{i}"))),
            3 => {
                let n = n.min(400);
                let fields: Vec<String> = (0..n).map(|i| format!("x * {i}.0")).collect();
                format!("({}).{}", fields.join(", "), n / 2)
            }
            _ => {
                let rows: Vec<String> = (0..n / 8).map(|i| format!("[x, {i}.0, x * x, 1.0]")).collect();
                format!("sum([{}, [x, x, x, x]])", rows.join(", "))
            }
        }
    }

    fn chain(&mut self) -> String {
        let n = self.size(&[50, 300, 1_000, 2_500]);
        match self.random.below(5) {
            0 => format!("x{}", " + x * 0.5".repeat(n)),
            1 => {
                // A program may have a thousand brackets in brackets.
                let n = n.min(900);
                format!("{}x{}", "sin(".repeat(n), ")".repeat(n))
            }
            2 => {
                let lets: String = (1..n).map(|i| format!("let a{i} = a{} * 0.5 + x\n", i - 1)).collect();
                format!("{{ let a0 = x\n{lets}; a{} }}", n - 1)
            }
            3 => {
                let n = n.min(300);
                let lets: String = (1..n).map(|i| format!("let a{i} = {{a{} with [0]: x * {i}.0}}\n", i - 1)).collect();
                format!("{{ let a0 = [x, 1.0, 2.0]\n{lets}; sum(a{}) }}", n - 1)
            }
            _ => {
                let n = n.min(400);
                let lets: String = (1..n).map(|i| format!("let a{i} = map(y => y * 0.9 + x, a{})\n", i - 1)).collect();
                format!("{{ let a0 = [x, 1.0, 2.0]\n{lets}; sum(a{}) }}", n - 1)
            }
        }
    }

    fn nested(&mut self) -> String {
        // At most 450: a program may have a thousand brackets in brackets.
        let n = self.size(&[20, 100, 300]);
        match self.random.below(4) {
            0 => format!("{}x{}", "(if x > 0.5 { x * ".repeat(n), " } else { x })".repeat(n)),
            1 => format!("{}x{}", "{ let y = x; y + ".repeat(n), " }".repeat(n)),
            2 => format!("{}x{}", "(match Some_(x) { Some_(v) => v + ".repeat(n), ", None_ => x })".repeat(n)),
            _ => (0..n.min(60)).fold("x".to_string(), |inner, _| format!("(y => y * x + {inner})(0.5)")),
        }
    }

    fn many_functions(&mut self) -> String {
        let n = self.size(&[20, 100, 300]);
        let stem = self.name("f");
        for i in 0..n {
            let next = match self.random.below(3) {
                0 if i > 0 => format!("{stem}_{}(x * 0.9)", self.random.below(i)),
                1 => format!("{stem}_{}(x * 0.9, k - 1)", (i + 1) % n),
                _ => "sin(x)".into(),
            };
            let next = if next.contains("k - 1") { format!("if k <= 0 {{ x }} else {{ {next} }}") } else { next };
            let next = next.replace("(x * 0.9)", "(x * 0.9, k)");
            let _ = writeln!(self.definitions, "fn {stem}_{i}(x, k) = x * {i}.5 + {next}");
        }
        format!("{stem}_{}(x, {}) * 1e-9", n - 1, 1 + self.random.below(8))
    }

    fn large_match(&mut self) -> String {
        let n = self.size(&[10, 60, 150]);
        let stem = self.name("K");
        let type_ = self.name("Type");
        let alternatives: Vec<String> = (0..n).map(|i| format!("{stem}_{i}(a{i})")).collect();
        let arms: Vec<String> = (0..n).map(|i| format!("{stem}_{i}(v) => v * {i}.0 + x")).collect();
        let _ = writeln!(self.definitions, "type {type_} = {}", alternatives.join(" | "));
        let of = self.name("of");
        let _ = writeln!(self.definitions, "fn {of}(t, x) = match t {{ {} }}", arms.join(", "));
        let k = self.random.below(n);
        match self.random.below(3) {
            0 => format!("{of}({stem}_{k}(x), x)"),
            1 => {
                let picks: Vec<String> = (0..n).map(|i| format!("if k == {i} {{ {stem}_{i}(x) }} else ")).collect();
                let pick = self.name("pick");
                let _ = writeln!(self.definitions, "fn {pick}(k, x) = {}{{ {stem}_0(x) }}", picks.join(""));
                format!("sum([{of}({pick}(k, x), x) for k in 0..{n}]) * 1e-3")
            }
            _ => {
                let all: Vec<String> = (0..n.min(40)).map(|i| format!("Cons({stem}_{i}(x), ")).collect();
                let n = all.len();
                format!("fold((s, t) => s + {of}(t, x), 0.0, {}Nil{}) * 1e-3", all.join(""), ")".repeat(n))
            }
        }
    }

    fn large_record(&mut self) -> String {
        let n = self.size(&[20, 100, 250]);
        let fields: Vec<String> = (0..n).map(|i| format!("a{i}: x * {i}.0")).collect();
        let record = format!("{{{}}}", fields.join(", "));
        let k = self.random.below(n);
        match self.random.below(4) {
            0 => format!("{record}.a{k}"),
            1 => format!("fold((r, i) => {{r with a{k}: r.a0 + x}}, {record}, iota(5)).a{k}"),
            2 => format!("iterate(4, r => {{old: r, a{k}: x}}, {record}).a{k}"),
            _ => format!("sum([r.a{k} * r.a0 for r in [{record}, {record}]])"),
        }
    }

    /// Values that would be exponentially large if nothing were shared.
    fn shared(&mut self) -> String {
        let n = self.size(&[8, 20, 40]);
        let (start, double, read) = *self.random.pick(&[
            ("(x, x)", "(a, a)", "(fn_first)"),
            ("()", "(a, a)", "x"),
            ("{v: x}", "{v: a, w: a}", "x"),
            ("(y => y)", "(y => (a, a, y).2)", "x"),
            ("Some_(x)", "Both(a, a)", "x"),
            ("[x]", "(a, a)", "x"),
        ]);
        let lets: String =
            (1..n).map(|i| format!("let a{i} = {}\n", double.replace('a', &format!("a{}", i - 1)))).collect();
        let read = if read == "(fn_first)" { format!("a{}{} * 1.0", n - 1, ".0".repeat(n)) } else { read.into() };
        // `a0.0.0` reads as a number: one part at a time.
        let read = if read.contains(".0.0") {
            let firsts: String = (0..n).map(|i| format!("let b{} = b{i}.0\n", i + 1)).collect();
            format!("{{ let b0 = a{}\n{firsts}; b{n} * 1.0 }}", n - 1)
        } else {
            read
        };
        format!("{{ let a0 = {start}\n{lets}; {read} }}")
    }

    fn comprehensions(&mut self) -> String {
        let depth = 2 + self.random.below(4);
        let mut text = String::from("x * 0.5");
        for i in 0..depth {
            text = match self.random.below(4) {
                0 => format!("sum([{text} for i{i} in 0..2])"),
                1 => format!("sum(map(v{i} => {text} + v{i}, [x, 1.0]))"),
                2 => format!("fold((s{i}, v{i}) => s{i} * 0.5 + {text}, x, [1.0, 2.0])"),
                _ => format!("scan((s{i}, v{i}) => s{i} * 0.5 + {text}, x, [1.0, 2.0])[1]"),
            };
        }
        text
    }

    fn many_types(&mut self) -> String {
        let (id, n) = (self.name("id"), self.size(&[10, 40, 100]));
        let _ = writeln!(self.definitions, "fn {id}(f, v) = {{ let w = f(v); (w, v).0 }}");
        let mut lets = String::from("let a0 = x\n");
        for i in 1..n {
            let change = *self.random.pick(&["(v, 1)", "[v]", "{v: v}", "Some_(v)", "(u => v)", "(v, x)"]);
            let _ = writeln!(lets, "let a{i} = {id}(v => {change}, a{})", if change == "[v]" { 0 } else { i - 1 });
        }
        format!("{{ {lets}; {id}(v => x, a{}) }}", n - 1)
    }

    fn texts(&mut self) -> String {
        let n = self.size(&[4, 8, 12]);
        match self.random.below(2) {
            0 => format!("real(len(iterate({n}, s => \"{{s}}{{s}}\", \"ab\"))) * x"),
            _ => {
                let lets: String = (1..n).map(|i| format!("let a{i} = \"{{a{}}}, {{x}}\"\n", i - 1)).collect();
                format!("{{ let a0 = \"b\"\n{lets}; if a{} == \"b\" {{ x }} else {{ 2 * x }} }}", n - 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_accepted_and_the_same_for_their_seeds() {
        for seed in 0..300 {
            let program = generate(seed);
            assert_eq!(program.source(), generate(seed).source());
            let mut session = evert::Session::offline();
            if let Err(errors) = session.evaluate(&program.source()) {
                panic!("seed {seed}: {}\n{}", errors[0].message, program.source());
            }
        }
    }
}
