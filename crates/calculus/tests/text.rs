//! The text form: what is printed parses back to the same code, and any text at all parses without a panic.

mod generate;

use std::collections::BTreeSet;

use base::Span;
use calculus::same::{same_groups, same_modules};
use calculus::text::*;
use calculus::*;
use generate::Random;

#[test]
fn printed_groups_parse_back_to_the_same_code() {
    for seed in 0..2000 {
        let group = generate::group(seed);
        let text = print_group(&group);
        let parsed = parse_group(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert!(same_groups(&group, &parsed), "seed {seed}:\n{text}\n{}", print_group(&parsed));
    }
}

#[test]
fn printed_modules_parse_back_to_the_same_code() {
    for seed in 0..500 {
        let module = generate::module(seed);
        let text = print_module(&module);
        let parsed = parse_module(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert!(same_modules(&module, &parsed), "seed {seed}:\n{text}\n{}", print_module(&parsed));
    }
}

#[test]
fn code_without_spans_parses_to_default_spans() {
    for seed in 0..200 {
        let group = generate::group(seed);
        let plain = print_group_in(Style::PLAIN, &group);
        let parsed = parse_group(&plain).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{plain}"));
        assert_eq!(plain, print_group_in(Style::PLAIN, &parsed));
        assert!(parsed.members.iter().all(|lambda| lambda.span == Span::default()));
    }
}

#[test]
fn names_of_globals_are_comments() {
    let mut globals = Globals::default();
    let (doc, signature) = (None, None);
    globals.add(GlobalInfo {
        name: "softplus".into(),
        kind: GlobalKind::Function,
        span: Span::default(),
        doc,
        signature,
    });
    let group = parse_group("group { fn f(x_0) members [f_1] { y_2 = g0^1(x_0) order 0 return g7 } }").unwrap();
    let text = print_group_in(Style { spans: false, globals: Some(&globals) }, &group);
    assert!(text.contains("y_2 = g0^1(x_0)  // g0 is \"softplus\"\n"), "{text}");
    assert!(same_groups(&group, &parse_group(&text).unwrap()));
}

#[test]
fn the_plain_style_is_what_a_person_would_write() {
    let text = r#"group captures [a] order 1 {
  reverse fn softplus(x_0) captures [a_1] members [softplus_2] mentions [scale] {
    t_3 = exp^1(x_0) order 1
    y_4 = t_3.0
    c_5 = check y_4: tuple 2
    q_6 = if c_5 {
      z_7 = make List.Cons#1(head, tail)(y_4, -0.0)
      yield z_7
    } else {
      e_8 = fail no_match(y_4)
      yield nan
    }
    even_9, odd_10 = group captures [x] from [x_0] lifted 1 {
      fn even(n_0) captures [x_1] members [even_2, odd_3] {
        return odd_3
      }
      fn odd(n_0) captures [x_1] members [even_2, odd_3] {
        return ()
      }
    }
    _11 = pull q_6(y_4)
    p_12 = (y_4, _11)
    return p_12
  }
  rule reverse approximate "a \"straight-through\" estimate" = group captures [a, softplus] {
    fn (x_0) captures [a_1, softplus_2] members [rule_3] {
      r_4 = {a: 1.0, `two words`: #zero}
      return r_4
    }
  }
}
"#;
    let group = parse_group(text).unwrap();
    assert_eq!(print_group_in(Style::PLAIN, &group), text);
    check::check_group(&group).unwrap();
}

#[test]
fn the_example_in_the_documentation_is_exact() {
    let lines = include_str!("../src/text.rs").lines().skip_while(|line| *line != "//! ```text").skip(1);
    let lines = lines.take_while(|line| *line != "//! ```").map(|line| line.trim_start_matches("//! "));
    let example: String = lines.flat_map(|line| [line, "\n"]).collect();
    assert_eq!(print_group(&parse_group(&example).unwrap()), example);
}

#[test]
fn every_primitive_has_a_spelling() {
    for prim in Prim::ALL {
        for order in 0..3 {
            let group = returning(Atom::Root(Root::Prim(*prim), order));
            assert!(same_groups(&group, &parse_group(&print_group(&group)).unwrap()), "{prim}");
        }
    }
}

#[test]
fn reals_keep_their_bits() {
    let mut random = Random(7);
    for _ in 0..10_000 {
        let group = returning(Atom::Const(Const::Real(f64::from_bits(random.next()))));
        assert!(same_groups(&group, &parse_group(&print_group(&group)).unwrap()));
    }
}

#[test]
fn same_code_tells_zeros_and_nans_apart() {
    let real = |bits| returning(Atom::Const(Const::Real(f64::from_bits(bits))));
    let nan = f64::NAN.to_bits();
    assert!(same_groups(&real(nan), &real(nan)));
    assert!(!same_groups(&real(nan), &real(nan + 1)));
    assert!(!same_groups(&real(0), &real(1 << 63)));
}

#[test]
fn the_generator_reaches_every_form_of_expression() {
    let mut forms = BTreeSet::new();
    (0..200).for_each(|seed| collect_forms(&generate::group(seed).members[0].body, &mut forms));
    assert_eq!(forms.len(), 18, "{forms:?}");
}

#[test]
fn broken_text_is_an_error_never_a_panic() {
    let mut random = Random(1);
    let pieces =
        ["{", "}", "(", ")", "[", "]", "_", "_99999999999", "@1:", "\"", "`", "\\u{", "#", "-", "^", "é", "1e999"];
    for seed in 0..300 {
        let text = print_module(&generate::module(seed));
        let chars: Vec<char> = text.chars().collect();
        for _ in 0..20 {
            let at = random.below(chars.len() + 1);
            let cut = (at + random.below(4)).min(chars.len());
            let end = if random.below(5) == 0 { at.max(cut) } else { chars.len() };
            let piece = random.pick(&pieces);
            let broken: String =
                chars[..at].iter().copied().chain(piece.chars()).chain(chars[cut..end].iter().copied()).collect();
            let _ = (parse_module(&broken), parse_group(&broken));
        }
    }
}

#[test]
fn endless_nesting_is_an_error() {
    let branch = "y_2 = if true { ";
    let error = parse_group(&format!("group {{ fn f(x_0) {{ {}", branch.repeat(1_000_000))).unwrap_err();
    assert!(error.message.contains("nested more than"), "{error}");
    let error = parse_group(&"group { fn f(x_0) { y_1 = ".repeat(100_000)).unwrap_err();
    assert!(error.message.contains("nested more than"), "{error}");
}

#[test]
fn nesting_up_to_the_limit_parses_prints_and_checks() {
    let deep = DEEPEST - 2;
    let mut text = String::from("group { fn f(x_0) members [f_1] { ");
    (0..deep).for_each(|level| text += &format!("y_{} = if true {{ ", level + 2));
    text += "yield () } else { yield () } ";
    (3..deep + 2).rev().for_each(|level| text += &format!("yield y_{level} }} else {{ yield () }} "));
    text += "return y_2 } }";
    let group = parse_group(&text).unwrap();
    check::check_group(&group).unwrap();
    assert!(same_groups(&group, &parse_group(&print_group(&group)).unwrap()));
}

#[test]
fn errors_say_where_and_what() {
    let error = |text: &str| parse_group(text).unwrap_err().to_string();
    assert_eq!(
        error("group {\n  fn f(x_0) members [f_1] { return exq }\n}").as_str(),
        "2:36: expected a variable, constant, global or primitive, found `exq`"
    );
    assert_eq!(error("group { fn f(x_0) members [f_1] { return y_0 } }"), "1:42: variable 0 is called \"x\" and \"y\"");
    assert_eq!(
        error("group { fn f(x_0) members [f_1] { return y_2 } }"),
        "1:42: variable 2 is bound nowhere in the function"
    );
    assert_eq!(
        error("group { fn f(x_0) members [f_1] { y_3 = 1 return y_3 } }"),
        "1:13: the function lacks variable 2"
    );
    assert_eq!(
        error("group { fn f(x_0) members [f_2] { return () } }"),
        "1:13: the parameter is 0, captures and members follow in order"
    );
    assert_eq!(
        error("group captures [a] { fn f(x_0) members [f_1] { return () } }"),
        "1:22: the group has Layout { captures: 1, members: 1 }, its function Layout { captures: 0, members: 1 }"
    );
    assert_eq!(error("group from [1] { }"), "1:1: only a group in a block captures values, is lifted and has a span");
}

/// A function that only returns the atom.
fn returning(result: Atom) -> Group {
    let mut group = parse_group("group { fn f(x_0) members [f_1] { return () } }").unwrap();
    group.members[0].body.result = result;
    group
}

fn collect_forms(block: &Block, forms: &mut BTreeSet<&'static str>) {
    for binding in &block.bindings {
        match binding {
            Binding::Let { expr, .. } => {
                forms.insert(form(expr));
                if let Expr::If(_, then, otherwise) = expr {
                    collect_forms(then, forms);
                    collect_forms(otherwise, forms);
                }
            }
            Binding::Functions { .. } => {
                forms.insert("functions");
            }
        }
    }
}

/// A new form of expression must be added here, and to the generator.
fn form(expr: &Expr) -> &'static str {
    match expr {
        Expr::Atom(_) => "atom",
        Expr::Apply { .. } => "apply",
        Expr::Pull { .. } => "pull",
        Expr::Tangent { .. } => "tangent",
        Expr::Tuple(_) => "tuple",
        Expr::Record(_) => "record",
        Expr::Variant(..) => "variant",
        Expr::Array(_) => "array",
        Expr::Get(..) => "get",
        Expr::Inject(..) => "inject",
        Expr::With(..) => "with",
        Expr::Omit(..) => "omit",
        Expr::Plus(..) => "plus",
        Expr::Is(..) => "is",
        Expr::Check(..) => "check",
        Expr::If(..) => "if",
        Expr::Fail(..) => "fail",
    }
}
