use eval::show::show;

use super::*;

fn value(text: &str) -> String {
    show(&read(text.as_bytes()).unwrap_or_else(|problem| panic!("{problem:?}")))
}

#[track_caller]
fn wrong(text: &str, message: &str) {
    let problem = read(text.as_bytes()).expect_err(text);
    assert!(problem.message.contains(message), "{problem:?}");
}

#[test]
fn objects_are_records_and_lists_are_arrays() {
    assert_eq!(
        value(r#" {"w": [[1, 2.5], [3, 4]], "n": 3, "ok": true, "name": "a\u00e9\ud83d\ude00"} "#),
        "{w: [[1.0, 2.5], [3.0, 4.0]], n: 3, ok: true, name: \"aé😀\"}"
    );
    assert_eq!(value("[1, 2, 3]"), "[1, 2, 3]");
    assert_eq!(value("[1, null, 2]"), "[1.0, nan, 2.0]");
    assert_eq!(value("[null, 0.5]"), "[nan, 0.5]");
    assert_eq!(value("[null, \"a\"]"), "[(), \"a\"]");
    assert_eq!(value("[]"), "[]");
    assert_eq!(value("[{\"a\": 1}, {\"a\": 2}]"), "[{a: 1}, {a: 2}]");
    assert_eq!(value("null"), "()");
    assert_eq!(value("{\"learning rate\": 1e-3}"), "{learning_rate: 0.001}");
}

#[test]
fn numbers_keep_their_kind_and_every_digit() {
    assert_eq!(value("[0.1, -0.0, 1e400, 5e-324]"), "[0.1, -0.0, inf, 5e-324]");
    assert_eq!(value("[NaN, Infinity, -Infinity]"), "[nan, inf, -inf]");
    assert_eq!(value("9223372036854775807"), "9223372036854775807");
    assert_eq!(value("9223372036854775808"), "9.223372036854776e18");
    assert_eq!(value("1e2"), "100.0");
}

#[test]
fn mistakes_are_found() {
    wrong("", "empty");
    wrong("[1, 2", "breaks off");
    wrong("[1, ]", "a value after the comma");
    wrong("[1 2]", "expected `,` or `]`, found `2`");
    wrong("{\"a\" 1}", "expected `:`");
    wrong("{a: 1}", "a name in double quotes");
    wrong("{\"a\": 1, \"a\": 2}", "occurs twice");
    wrong("[[1, 2], [3]]", "differ in shape");
    wrong("[01]", "isn't a number");
    wrong("[1.]", "isn't a number");
    wrong("[+1]", "expected a value");
    wrong("\"a\nb\"", "doesn't end");
    wrong("\"\\q\"", "escape");
    wrong("\"\\ud800\"", "escape");
    wrong("1 2", "the end of the file");
    wrong(&"[".repeat(100_000), "deep");
}

#[test]
fn what_is_written_reads_back() {
    for text in [
        r#"{"a": [1.0, NaN, -Infinity, 0.1], "b": [[1, 2], [3, 4]], "c": "q\"\\\n", "d": [], "e": null, "f": [true, false]}"#,
        "[[[1.5]]]",
        "-0.0",
    ] {
        let written = write(&read(text.as_bytes()).expect("JSON")).expect("JSON");
        assert_eq!(written, text);
    }
}
