//! Whatever comes in, one answer goes out, under the same id.

use evert::Engine;
use evert_gradbench::{Tool, serve};
use serde_json::{Value as Json, json};

fn served(input: &[u8]) -> Vec<Json> {
    let mut output = vec![];
    serve(input, &mut output, Engine::Reference, |_| ()).expect("streams in memory");
    let output = String::from_utf8(output).expect("UTF-8");
    output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The answer to the last of these messages.
fn answer(messages: &[&str]) -> Json {
    let mut tool = Tool::new(Engine::Reference);
    let answers: Vec<String> = messages.iter().map(|message| tool.answer(message)).collect();
    serde_json::from_str(answers.last().expect("a message")).expect("JSON")
}

const DEFINE: &str = r#"{"id": 1, "kind": "define", "module": "lse"}"#;

/// The error that is answered to an evaluation of lse.
fn error(fields: &str) -> String {
    let answer = answer(&[DEFINE, &format!(r#"{{"id": 2, "kind": "evaluate", "module": "lse", {fields}}}"#)]);
    assert_eq!((&answer["id"], &answer["success"]), (&json!(2), &json!(false)), "{answer}");
    assert_eq!(answer.get("output"), None);
    answer["error"].as_str().expect("a reason").to_string()
}

#[test]
fn a_conversation_of_all_kinds_of_messages() {
    let answers = served(
        br#"{"id": 0, "kind": "start", "eval": "hello", "config": {"a": [1, {"b": null}]}}
{"id": 1, "kind": "define", "module": "hello"}
{"id": 2, "kind": "evaluate", "module": "hello", "function": "square", "input": 4, "description": "four"}
{"id": 3, "kind": "analysis", "of": 2, "valid": true}
{"id": 4, "kind": "end"}
"#,
    );
    assert_eq!(answers[0], json!({"id": 0, "tool": "evert"}));
    assert_eq!(answers[1], json!({"id": 1, "success": true}));
    assert_eq!((&answers[2]["id"], &answers[2]["output"]), (&json!(2), &json!(16)));
    assert_eq!(answers[3..], [json!({"id": 3}), json!({"id": 4})]);
}

#[test]
fn nothing_in_nothing_out() {
    assert_eq!(served(b"").len(), 0);
    assert_eq!(served(b"\n  \n\r\n").len(), 0);
}

#[test]
fn what_is_no_message_is_answered_with_the_reason() {
    for line in ["garbage", "[1, 2]", "3", "{", "{\"id\"", "\u{0}", "{\"kind\": \"define\",}", "\"\\ud800\""] {
        let answer = answer(&[line]);
        assert_eq!((&answer["id"], &answer["success"]), (&Json::Null, &json!(false)), "{line}: {answer}");
        assert!(answer["error"].is_string(), "{line}: {answer}");
    }
    assert_eq!(served(b"\xff\xfe\n")[0]["success"], json!(false));
    assert_eq!(served("[".repeat(100_000).as_bytes())[0]["success"], json!(false));
}

#[test]
fn a_message_that_breaks_off_is_answered_under_its_id() {
    let answer = answer(&[r#"{"id": 7, "kind": "evaluate", "module": "lse", "input": {"x": [1.0, 2."#]);
    assert_eq!((&answer["id"], &answer["success"]), (&json!(7), &json!(false)));
}

#[test]
fn messages_without_a_known_kind_get_their_id_back() {
    assert_eq!(answer(&[r#"{"id": "seven", "kind": "dance"}"#]), json!({"id": "seven"}));
    assert_eq!(answer(&[r#"{"id": 7, "kind": 3}"#]), json!({"id": 7}));
    assert_eq!(answer(&["{}"]), json!({"id": null}));
}

#[test]
fn unknown_modules_are_refused() {
    let answer = answer(&[r#"{"id": 1, "kind": "define", "module": "weather"}"#]);
    assert_eq!(answer["success"], json!(false));
    assert!(answer["error"].as_str().expect("a reason").contains("there are ba, det, gmm,"), "{answer}");
}

#[test]
fn a_definition_names_its_module() {
    assert_eq!(answer(&[r#"{"id": 1, "kind": "define"}"#])["success"], json!(false));
    assert_eq!(answer(&[r#"{"id": 1, "kind": "define", "module": 3}"#])["success"], json!(false));
}

#[test]
fn a_module_is_evaluated_only_when_it_is_defined() {
    let answer =
        answer(&[r#"{"id": 1, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [1.0]}}"#]);
    assert_eq!(answer["error"], json!("the module \"lse\" isn't defined"));
}

#[test]
fn unknown_functions_are_refused_and_so_are_helpers_of_the_program() {
    for function in ["Primal", "lse", "grad", "", "prepare"] {
        assert!(
            error(&format!(r#""function": "{function}", "input": {{"x": [1.0]}}"#)).contains("it has primal, gradient")
        );
    }
}

#[test]
fn inputs_that_do_not_fit_are_refused_with_what_is_wrong() {
    let cases = [
        (r#""input": {"x": [1.0]}"#, "names a function"),
        (r#""function": "primal""#, "has an input"),
        (r#""function": "primal", "input": {"y": [1.0]}"#, "the record has no field `x`"),
        (r#""function": "primal", "input": 3"#, "E0"),
        (r#""function": "primal", "input": null"#, "E0"),
        (r#""function": "primal", "input": {"x": "text"}"#, "E0"),
        (r#""function": "primal", "input": {"x": []}"#, "E0"),
        (r#""function": "primal", "input": {"x": [1.0, [2.0]]}"#, "in \"x\": element"),
        (r#""function": "primal", "input": {"x": [[1.0], [1.0, 2.0]]}"#, "in \"x\": element"),
        (r#""function": "primal", "input": {"x": [1.0], "x": [2.0]}"#, "occurs twice"),
        (r#""function": "primal", "input": {"x": [1.0, 18446744073709551615]}"#, "outside the range of ints"),
        (r#""function": "primal", "input": {"x": [1.0], "min_runs": "many"}"#, "min_runs is"),
        (r#""function": "primal", "input": {"x": [1.0], "min_seconds": -1}"#, "min_seconds is -1"),
    ];
    for (fields, words) in cases {
        let error = error(fields);
        assert!(error.contains(words), "{fields}: {error}");
    }
}

#[test]
fn after_an_error_the_module_still_works() {
    let bad = r#"{"id": 2, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": []}}"#;
    let good = r#"{"id": 3, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [2.0]}}"#;
    assert_eq!(answer(&[DEFINE, bad, good])["output"], json!(2.0));
}

#[test]
fn a_function_runs_as_often_and_as_long_as_the_input_asks() {
    let ask = |runs: &str| {
        let message = format!(
            r#"{{"id": 2, "kind": "evaluate", "module": "lse", "function": "gradient", "input": {{"x": [2.0, 1.5], {runs}}}}}"#
        );
        let answer = answer(&[DEFINE, &message]);
        let timings = answer["timings"].as_array().expect("timings").clone();
        assert_eq!(timings[0]["name"], json!("prepare"));
        let runs = timings[1..].iter().inspect(|timing| assert_eq!(timing["name"], json!("evaluate")));
        runs.map(|timing| timing["nanoseconds"].as_u64().expect("whole nanoseconds")).collect::<Vec<u64>>()
    };
    assert_eq!(ask(r#""min_runs": 5, "min_seconds": 0"#).len(), 5);
    assert_eq!(ask(r#""min_runs": 0, "min_seconds": 0.0"#).len(), 1);
    let long = ask(r#""min_runs": 1, "min_seconds": 0.05"#);
    assert!(long.iter().sum::<u64>() >= 50_000_000 && long[1..].iter().sum::<u64>() < 50_000_000 * 20);
}

#[test]
fn numbers_go_in_and_out_with_all_their_digits() {
    for x in [0.123_456_789_012_345_68, 1.0 / 3.0, 2.0 / 7e200, -123_456_789.125, 5e-324, f64::MAX] {
        // The only one is the largest, and the logarithm of 1 is 0.
        let message = json!({"id": 2, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [x]}});
        assert_eq!(answer(&[DEFINE, &message.to_string()])["output"].as_f64(), Some(x));
    }
}
