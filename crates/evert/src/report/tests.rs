use super::*;
use base::codes::UNBOUND_NAME;

fn shown(text: &str, start: usize, end: usize) -> String {
    let mut sources = Sources::default();
    let file = sources.add("a.ev", text);
    let diagnostic = Diagnostic::new(UNBOUND_NAME, Span::new(file, start, end), "`x` isn't defined");
    render(&sources, &diagnostic, Paint::Plain)
}

#[test]
fn a_label_stands_under_its_text() {
    let text = shown("let y = 1\ny + x\n", 14, 15);
    assert_eq!(text, "error[E0201]: `x` isn't defined\n  --> a.ev:2:5\n  |\n2 | y + x\n  |     ^\n");
}

#[test]
fn wide_characters_and_tabs_move_the_label() {
    assert!(shown("\t日本 x", 8, 9).ends_with("1 |     日本 x\n  |          ^\n"));
}

#[test]
fn an_empty_file_has_no_lines_to_show() {
    assert_eq!(shown("", 0, 0), "error[E0201]: `x` isn't defined\n  --> a.ev\n");
}

#[test]
fn the_end_of_the_file_is_after_its_last_word() {
    assert!(shown("f(\n\n\n", 5, 5).ends_with("--> a.ev:1:3\n  |\n1 | f(\n  |   ^\n"));
}

#[test]
fn a_span_outside_the_text_is_its_end() {
    assert!(shown("é", 1, 900).ends_with("1 | é\n  | ^\n"));
    assert!(shown("é", 700, 900).ends_with("1 | é\n  |  ^\n"));
}

#[test]
fn a_long_line_is_shown_in_part() {
    let text = "a ".repeat(1 << 20);
    let shown = shown(&text, 1 << 20, (1 << 20) + 1);
    assert!(shown.len() < 1000, "{}", shown.len());
    assert!(shown.contains("…"));
}

#[test]
fn a_span_of_several_lines_ends_with_the_first() {
    assert!(shown("f(1,\n2)", 0, 7).ends_with("1 | f(1,\n  | ^^^^\n"));
}

#[test]
fn nothing_in_a_file_steers_the_terminal() {
    assert!(!shown("x \u{1b}[31m \u{202e}", 0, 1).contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn labels_of_other_files_have_their_own_place() {
    let mut sources = Sources::default();
    let (a, b) = (sources.add("a.ev", "x\ny\nz\n"), sources.add("b.ev", "x"));
    let diagnostic = Diagnostic::new(UNBOUND_NAME, Span::new(a, 0, 1), "message")
        .here("here")
        .label(Span::new(a, 4, 5), "there")
        .label(Span::new(b, 0, 1), "elsewhere")
        .note("a note\nof two lines")
        .help("try");
    let expected = "error[E0201]: message
  --> a.ev:1:1
  |
1 | x
  | ^ here
...
3 | z
  | - there
  ::: b.ev:1:1
  |
1 | x
  | - elsewhere
  = a note
    of two lines
  = help: try
";
    assert_eq!(render(&sources, &diagnostic, Paint::Plain), expected);
}

#[test]
fn the_statement_at_top_level_is_no_call() {
    let mut sources = Sources::default();
    let file = sources.add("a.ev", "fn f(x) = x.a\n1 + f(2)");
    let mut diagnostic = Diagnostic::new(UNBOUND_NAME, Span::new(file, 10, 13), "message");
    let trace = |start, end, text: &str| Trace { span: Span::new(file, start, end), text: text.into() };
    diagnostic.trace = vec![trace(18, 22, "in `f`"), trace(14, 22, "in an unnamed function")];
    let text = render(&sources, &diagnostic, Paint::Plain);
    assert!(text.ends_with("= in `f`, called from a.ev:2:5\n"), "{text}");
}
