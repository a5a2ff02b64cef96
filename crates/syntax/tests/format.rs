//! The standard layout: what it looks like, and that it changes neither meaning nor comments.

mod common;
use common::{Random, WORDS, parse};
use syntax::TokenKind;

/// Formats without loss, to the same meaning, once and for all.
#[track_caller]
fn format(text: &str) -> String {
    let tree = parse(text);
    assert_eq!(common::messages(&tree), Vec::<String>::new(), "in {text:?}");
    let once = syntax::format(&tree).expect("a tree without errors");
    let again = parse(&once);
    assert_eq!(common::messages(&again), Vec::<String>::new(), "in the layout of {text:?}:\n{once}");
    assert_eq!(syntax::sexpr::file(&again), syntax::sexpr::file(&tree), "in {text:?}:\n{once}");
    assert_eq!(comments(&again), comments(&tree), "in {text:?}:\n{once}");
    assert_eq!(syntax::format(&again).as_deref(), Some(once.as_str()), "twice: {text:?}");
    once
}

fn comments(tree: &syntax::Tree) -> Vec<&str> {
    let kinds = [TokenKind::Comment, TokenKind::DocComment, TokenKind::Expectation];
    let comments = tree.tokens().iter().filter(|token| kinds.contains(&token.kind));
    let mut texts: Vec<&str> = comments.map(|token| tree.token_text(token).trim_end()).collect();
    texts.sort();
    texts
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(format(text), expected);
}

/// It is as it should be already.
#[track_caller]
fn check_same(text: &str) {
    check(text, text);
}

#[test]
fn the_tour_is_in_standard_layout() {
    check_same(include_str!("samples/paper.ev"));
}

#[test]
fn a_text_with_errors_has_no_layout() {
    assert_eq!(syntax::format(&parse("f(")), None);
}

#[test]
fn spaces_follow_from_the_tokens() {
    check(
        "let  x=1+2*y^ 2 ;f( a,b )\n[ 1 ,2 ][ 0 .. 1 , .. ]\n{ x:1 }.x\n-  x\n! a==b\nλ  x=>x\nλ _ => 1\n1 .0\n(x)=>{}",
        "let x = 1 + 2 * y^2\nf(a, b)\n[1, 2][0..1, ..]\n{x: 1}.x\n-x\n!a == b\nλx => x\nλ _ => 1\n1 .0\n(x) => {}\n",
    );
    check(
        "fn f( x,y ){x}\ntype  T=|A|B( x )\nimport  \"a\"  as  b",
        "fn f(x, y) { x }\ntype T = A | B(x)\nimport \"a\" as b\n",
    );
    check("assert(a)==b\nassert( c )", "assert (a) == b\nassert(c)\n");
}

#[test]
fn one_blank_line_stays() {
    check("\n\na\n\n\n\nb\nc\n\n// d\n\n\n// e\nf\n\n", "a\n\nb\nc\n\n// d\n\n// e\nf\n");
    check("{\n\n  a\n\n  b\n\n}", "{\n  a\n\n  b\n}\n");
    check("", "");
    check("// only\n", "// only\n");
}

#[test]
fn blocks_stay_on_their_line_if_they_were() {
    check("x => { let y = x;  y }", "x => { let y = x; y }\n");
    check("x => {\nlet y = x; y }", "x => {\n  let y = x\n  y\n}\n");
    check("x => { let y = x\ny }", "x => {\n  let y = x\n  y\n}\n");
    check("if a { b } else {\nc }", "if a {\n  b\n} else {\n  c\n}\n");
    check("if a {} else if b { c }", "if a {} else if b { c }\n");
    check("match v {\nA => 1\nB => 2 }", "match v {\n  A => 1,\n  B => 2,\n}\n");
    check("match v { A => 1\nB => 2 }", "match v { A => 1, B => 2 }\n");
}

#[test]
fn an_empty_block_does_not_become_a_record() {
    check("f({;})", "f({ ; })\n");
    check("x => {\n; // c\n;\n}", "x => {\n  // c\n  ;\n}\n");
    check_same("fn f(x) {}\n");
}

#[test]
fn arrays_and_records_stay_broken_if_they_were() {
    check("[\n[1, 2], [3, 4]]", "[\n  [1, 2],\n  [3, 4],\n]\n");
    check("[[1, 2],\n[3, 4]]", "[[1, 2], [3, 4]]\n");
    check("{\nx: 1, y: 2}", "{\n  x: 1,\n  y: 2,\n}\n");
    check("{r with\nx: 1}", "{r with\n  x: 1,\n}\n");
    check("f(\n  a,\n  b,\n)", "f(a, b)\n");
}

const LONG: &str = "a_name_that_is_rather_long";

#[test]
fn long_lists_break_after_each_comma() {
    let args = [LONG; 4].join(", ");
    check(&format!("f({args})"), &format!("f(\n  {},\n)\n", [LONG; 4].join(",\n  ")));
    check(&format!("fn f({args}) = 1"), &format!("fn f(\n  {},\n) = 1\n", [LONG; 4].join(",\n  ")));
    check(&format!("let ({args}) = p"), &format!("let (\n  {},\n) = p\n", [LONG; 4].join(",\n  ")));
    check(&format!("x[{args}]"), &format!("x[\n  {}\n]\n", [LONG; 4].join(",\n  ")));
    check(
        &format!("[{LONG} + {LONG} for {LONG} in {LONG}, x in xs if {LONG}]"),
        &format!("[\n  {LONG} + {LONG}\n  for {LONG} in {LONG}, x in xs\n  if {LONG}\n]\n"),
    );
}

#[test]
fn long_lists_of_numbers_fill_their_lines() {
    let numbers = vec!["-1.25"; 40].join(", ");
    let formatted = format(&format!("let xs = [{numbers}]"));
    let lines: Vec<&str> = formatted.lines().collect();
    assert_eq!(lines.len(), 5, "{formatted}");
    assert!(lines.iter().all(|line| line.len() <= 100), "{formatted}");
}

#[test]
fn the_last_argument_keeps_its_brackets_on_the_line() {
    check_same("map(xs, x => {\n  let y = x\n  y\n})\n");
    check_same("(xs, dxs => {\n  let y = xs\n  y\n})\n");
    check_same("grad(map(x => {\n  x\n}))\n");
    check_same("let g = f <~ x => {\n  x\n}\n");
    check_same("fold((a, b) => a, match v {\n  A => 1,\n})\n");
    check("map(x => {\n  x\n}, xs)", "map(\n  x => {\n    x\n  },\n  xs,\n)\n");
}

#[test]
fn the_last_argument_keeps_its_brackets_on_the_line_at_once() {
    let (a, b) = ("a".repeat(45), "b".repeat(19));
    check(
        &format!("g((t => {a} * {{ let f = {b}; grad(f <~ J(f))(t) * f + t }}))"),
        &format!("g((t => {a} * {{\n  let f = {b}\n  grad(f <~ J(f))(t) * f + t\n}}))\n"),
    );
}

#[test]
fn long_chains_break_at_operators_that_cannot_start_a_statement() {
    check(
        &format!("let x = {LONG} - {LONG} + {LONG} * {LONG}"),
        &format!("let x =\n  {LONG} -\n  {LONG} +\n  {LONG} * {LONG}\n"),
    );
    check(&[LONG; 4].join(" - "), &format!("{}\n", [LONG; 4].join(" -\n  ")));
    check(&[LONG; 4].join(" |> "), &format!("{}\n", [LONG; 4].join("\n  |> ")));
    check(&[LONG; 4].join(" && "), &format!("{}\n", [LONG; 4].join("\n  && ")));
    check_same("xs\n  |> f\n  |> g\n");
    check(&format!("f(({}))", [LONG; 4].join(" + ")), &format!("f((\n  {}\n))\n", [LONG; 4].join(" +\n  ")));
}

#[test]
fn rules_stand_on_lines_of_their_own() {
    check(
        "fn f(x) = x reverse x => (x, d => d) approximate \"why\" forward (x, d) => d",
        "fn f(x) = x\n  reverse x => (x, d => d) approximate \"why\"\n  forward (x, d) => d\n",
    );
    check("fn f(x) { x } transpose d => d", "fn f(x) { x }\n  transpose d => d\n");
    check("let f = x => x reverse x => x", "let f = x => x\n  reverse x => x\n");
}

#[test]
fn functions_with_rules_get_parentheses_where_the_owner_is_unclear() {
    check("fn fix(p) = x => x\n  reverse x => x", "fn fix(p) = (x => x)\n  reverse x => x\n");
    check("let f = p => x => x\n  reverse x => x", "let f = p => (x => x)\n  reverse x => x\n");
    check("f(x => x reverse x => x, y)", "f(\n  (x => x)\n    reverse x => x,\n  y,\n)\n");
    check("g <~ x => x reverse x => x", "g\n  <~ (x => x)\n    reverse x => x\n");
    check_same("fn fix(p) = (x => x)\n  reverse x => x\n");
    check("(x => x reverse x => x)(1)", "(x => x\n  reverse x => x)(1)\n");
}

#[test]
fn comments_keep_their_place() {
    check_same("f(a)  // behind\n// above\ng(b)\n");
    check_same("[\n  1,  // one\n  2,  // two\n  // end\n]\n");
    check_same("f(\n  a,  // one\n  // above b\n  b,\n)\n");
    check_same("{  // open\n  // above\n  a  // behind\n\n  // end\n}\n");
    check_same("match v {\n  // first\n  A => 1,  // one\n  // last\n}\n");
    check_same("type T =\n  // first\n  | A  // one\n  | B\n");
    check_same("if a {\n  // nothing\n}\n");
    check("let x = // why\n 1", "let x =  // why\n  1\n");
    check("let f = // why\n x => x", "let f =  // why\n  x => x\n");
    check_same("fn f(x) =\n  // why\n  g(x)\n");
    check("a; // behind\nb", "a  // behind\nb\n");
    check("[1, 2 // two\n, 3]", "[\n  1,\n  2,  // two\n  3,\n]\n");
    check_same("fn f(x) = x  // body\n  // above the rule\n  reverse x => x  // rule\n");
}

#[test]
fn comments_behind_lines_that_follow_each_other_align() {
    check("a //=> 1\nlonger //=> 2\n\nb // c\n", "a       //=> 1\nlonger  //=> 2\n\nb  // c\n");
    let long = [LONG; 3].join(" + ");
    check(&format!("a // 1\n{long} // 2\nbc // 3"), &format!("a   // 1\n{long}  // 2\nbc  // 3\n"));
    check_same("f(\n  a,   // 1\n  bc,  // 2\n)  // 3\n");
}

#[test]
fn expectations_stay_on_their_line() {
    check("f(x)   //=>  1.0\ng(y)\n//=> 2\n//=> 3\n", "f(x)  //=>  1.0\ng(y)\n//=> 2\n//=> 3\n");
    let args = [LONG; 4].join(", ");
    check(&format!("f({args}) //=> 1"), &format!("f(\n  {},\n)  //=> 1\n", [LONG; 4].join(",\n  ")));
}

#[test]
fn carriage_returns_go() {
    check("a // c\r\nb\r\n", "a  // c\nb\n");
}

#[test]
fn long_chains_and_deep_nests_are_formatted() {
    format(&vec!["x"; 20_000].join(" + "));
    format(&("f".to_string() + &"(x)".repeat(20_000)));
    format(&("x => ".repeat(3_000) + "x"));
    format(&("f(".repeat(900) + "x" + &")".repeat(900)));
    format(&("if a { b } else ".repeat(5_000) + "{ c }"));
}

/// Random programs in random layouts.
#[test]
fn random_programs_keep_their_meaning_and_settle_at_once() {
    let mut random = Random(4);
    for _ in 0..1_500 {
        let mut program = Program { random: Random(random.next()), out: String::new() };
        for _ in 0..1 + program.random.below(3) {
            program.statement(4);
            program.out.push('\n');
        }
        let text = program.out;
        if parse(&text).errors().is_empty() {
            format(&text);
        }
        for _ in 0..3 {
            let text = shake(&text, &mut random);
            if parse(&text).errors().is_empty() {
                format(&text);
            }
        }
    }
}

#[test]
fn token_soup_that_means_something_keeps_its_meaning() {
    let mut random = Random(5);
    let mut meaningful = 0;
    for _ in 0..60_000 {
        let len = random.below(9);
        let text: String = (0..len).map(|_| random.pick(WORDS)).collect();
        if parse(&text).errors().is_empty() {
            meaningful += 1;
            format(&text);
        }
    }
    assert!(meaningful > 5_000, "{meaningful}");
}

/// Line breaks and comments in place of some spaces.
fn shake(text: &str, random: &mut Random) -> String {
    let one_in = 2 + random.below(20);
    let mut out = String::new();
    for c in text.chars() {
        match c {
            ' ' if random.below(one_in) == 0 => {
                out.push_str(random.pick(&[
                    "\n",
                    "\n\n",
                    " // c\n",
                    "\n// d\n",
                    "  ",
                    "\n  // e\n\n// f\n",
                    " //=> 1\n",
                ]));
            }
            c => out.push(c),
        }
    }
    out
}

struct Program {
    random: Random,
    out: String,
}

impl Program {
    fn word(&mut self, words: &[&str]) {
        let word = self.random.pick(words);
        self.out.push_str(word);
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(8) {
            0 => {
                self.put("let ");
                self.pattern(1);
                self.put(" = ");
                self.expr(depth);
            }
            1 => {
                self.word(&["fn f", "fn longer_name"]);
                self.list("(", ")", 0, |p| p.pattern(1));
                self.put(" = ");
                self.expr(depth);
                self.rules(depth);
            }
            2 => {
                self.put("fn g ( x ) ");
                self.block(depth);
                self.rules(depth);
            }
            3 => self.put("type T = A | B(x , y) | C"),
            4 => {
                self.put("assert ");
                self.expr(depth - 1);
            }
            _ => self.expr(depth),
        }
    }

    fn rules(&mut self, depth: usize) {
        for _ in 0..self.random.below(3).saturating_sub(1) {
            self.put(" ");
            self.word(&["reverse ", "forward ", "transpose "]);
            self.word(&["x", "(x , y)", "{ a : b }", "_"]);
            self.put(" => ");
            self.expr(depth.saturating_sub(1));
            if self.random.below(4) == 0 {
                self.put(" approximate \"reason {\"".trim_end_matches("{\""));
                self.put("\"");
            }
        }
    }

    fn block(&mut self, depth: usize) {
        self.put("{ ");
        for _ in 0..self.random.below(3) {
            self.word(&["let y = ", ""]);
            self.expr(depth.saturating_sub(1));
            self.word(&["; ", "\n", " ;\n"]);
        }
        self.expr(depth.saturating_sub(1));
        self.put(" }");
    }

    fn list(&mut self, open: &str, close: &str, least: usize, item: impl Fn(&mut Self)) {
        self.put(open);
        self.put(" ");
        let count = least + self.random.below(4);
        for at in 0..count {
            if at > 0 {
                self.word(&[", ", " , "]);
            }
            item(self);
        }
        self.put(" ");
        self.put(close);
    }

    fn pattern(&mut self, depth: usize) {
        match if depth == 0 { 0 } else { self.random.below(6) } {
            1 => self.list("(", ")", 2, |p| p.pattern(depth - 1)),
            2 => self.put("{ x : (a) , y }"),
            3 => self.list("Cons(", ")", 1, |p| p.pattern(depth - 1)),
            4 => self.put("m . Nil"),
            _ => self.word(&["x", "y'", "_", "a_longer_name"]),
        }
    }

    fn atom(&mut self) {
        self.word(&[
            "x",
            "f",
            "1",
            "2.5",
            "()",
            "true",
            "\"text {x} \\n\"",
            "a_longer_name",
            "{}",
            "θ'",
            "[]",
            "1 .0",
            "reverse",
        ]);
    }

    fn expr(&mut self, depth: usize) {
        if depth == 0 {
            return self.atom();
        }
        match self.random.below(19) {
            0..=2 => {
                self.operand(depth);
                self.word(&[
                    " + ", " - ", " * ", " @ ", " ⊕ ", " ^ ", " < ", " == ", " && ", " || ", " |> ", " <~ ", " .. ",
                ]);
                self.operand(depth);
            }
            3 => {
                self.word(&["- ", "! "]);
                self.operand(depth);
            }
            4 | 5 => {
                self.operand(depth);
                self.list("(", ")", 0, |p| p.expr(depth - 1));
            }
            6 => {
                self.operand(depth);
                self.word(&[" . x", " .0", "[i , ..]", "[ 1 .. x ]", "[.. y]"]);
            }
            7 | 8 => {
                self.word(&["x => ", "( x , y ) => ", "() => ", "λ x => ", "_ => ", "λ _ => ", "Cons(h , t) => "]);
                self.expr(depth - 1);
                self.rules(depth - 1);
            }
            9 => {
                self.put("( x => ");
                self.expr(depth - 1);
                self.put(" )");
                self.rules(depth - 1);
            }
            10 => self.block(depth),
            11 => {
                self.put("if ");
                self.operand(depth);
                self.put(" ");
                self.block(depth - 1);
                if self.random.below(2) == 0 {
                    self.put(" else ");
                    self.block(depth - 1);
                }
            }
            12 => {
                self.put("match ");
                self.operand(depth);
                self.put(" { ");
                for _ in 0..self.random.below(4) {
                    self.pattern(1);
                    self.word(&[" => ", " if x => "]);
                    self.expr(depth - 1);
                    self.word(&[" , ", "\n"]);
                }
                self.put(" }");
            }
            13 => self.list("[", "]", 0, |p| p.expr(depth - 1)),
            14 => self.list("{", "}", 1, |p| {
                p.put("a : ");
                p.expr(depth - 1);
            }),
            15 => {
                self.put("{ r with ");
                self.word(&["x : ", "[i , ..] : "]);
                self.expr(depth - 1);
                self.put(" }");
            }
            16 => {
                self.word(&["[ ", "sum([ "]);
                let call = self.out.ends_with("sum([ ");
                self.expr(depth - 1);
                self.word(&[" for i in 0 .. n", " for x in xs , y in ys if x"]);
                self.put(if call { " ])" } else { " ]" });
            }
            17 => {
                self.put("sum( ");
                self.expr(depth - 1);
                self.put(" for x in xs )");
            }
            _ => self.list("(", ")", 2, |p| p.expr(depth - 1)),
        }
    }

    /// In parentheses, mostly.
    fn operand(&mut self, depth: usize) {
        if self.random.below(4) == 0 {
            return self.expr(depth - 1);
        }
        if depth < 2 || self.random.below(2) == 0 {
            return self.atom();
        }
        self.put("( ");
        self.expr(depth - 1);
        self.put(" )");
    }
}
