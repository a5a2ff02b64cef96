//! What the page is told about programs.

use serde_json::{Value as Json, json};

fn ask(question: &Json) -> Json {
    serde_json::from_str(&web::answer(&question.to_string())).expect("an answer is JSON")
}

fn run(text: &str) -> Json {
    let answers = ["reference", "first-order"].map(|engine| {
        let mut answer = ask(&json!({"task": "run", "text": text, "engine": engine}));
        // Who ran which step is another matter.
        assert!(answer["steps"].take().is_array());
        answer
    });
    assert_eq!(answers[0], answers[1], "both engines say the same");
    answers[0].clone()
}

#[test]
fn values_stand_at_their_places_in_utf_16() {
    let answer = run("let 𝜃 = 2.0\n𝜃 * 𝜃\nprint(\"θ\")\n");
    assert_eq!(answer["values"], json!([{"start": 13, "end": 20, "text": "4.0"}]));
    assert_eq!(answer["prints"], json!([{"at": 21, "text": "θ"}]));
    assert_eq!(answer["problems"], json!([]));
}

#[test]
fn plots_are_pictures() {
    let answer = run("plots.curves([sin, grad(sin)], 0.0, 3.0)");
    let svg = answer["plots"][0]["svg"].as_str().expect("a picture");
    assert!(svg.starts_with("<svg") && answer["values"] == json!([]), "{answer}");
}

#[test]
fn mistakes_have_places_codes_and_help() {
    let texts = [
        ("let 𝜃 = 1.0\n𝜃𝜃 + 1", "E0201", 13, 17),
        ("1 +", "E0105", 3, 3),
        ("let a = [1.0]\na[3]\n2.0", "E0307", 14, 18),
        ("import \"a.ev\"", "E0206", 7, 13),
    ];
    for (text, code, start, end) in texts {
        let problem = &run(text)["problems"][0];
        let found = (problem["code"].as_str(), problem["start"].as_u64(), problem["end"].as_u64());
        assert_eq!(found, (Some(code), Some(start), Some(end)), "{text}: {problem}");
        assert!(problem["message"].as_str().is_some_and(|words| !words.is_empty()));
    }
}

#[test]
fn what_follows_a_failed_definition_is_not_blamed() {
    let answer = run("let a = [1.0][3]\na + 1\na + 2");
    assert_eq!(answer["problems"].as_array().map(Vec::len), Some(1), "{answer}");
}

#[test]
fn claims_and_rules_are_checked() {
    let answer =
        run("1 + 1  //=> 2\n1 + 1  //=> 3\nfn f(x) = x^2\n  reverse x => (x^2, d => ({}, 3 * x * d))\ngrad(f)(2.0)");
    assert_eq!(answer["claims"][0], json!({"at": 0, "name": "", "ok": true}));
    let codes: Vec<&str> =
        answer["problems"].as_array().into_iter().flatten().filter_map(|problem| problem["code"].as_str()).collect();
    assert!(codes.contains(&"E0501") && codes.len() == 2, "{answer}");
    let rule = answer["claims"].as_array().into_iter().flatten().find(|claim| claim["name"] == "the rule of `f`");
    assert_eq!(rule.map(|rule| &rule["ok"]), Some(&json!(false)), "{answer}");
}

#[test]
fn functions_are_shown_on_every_level() {
    let answer =
        ask(&json!({"task": "levels", "text": "let a = 3.0\nfn f(x) = a * x\nfn g(x) = x\nf(2.0)", "function": "f"}));
    for level in ["l1", "j"] {
        let text = answer[level].as_str().expect("a text");
        assert!(text.contains("fn f(") && !text.contains("fn g("), "{text}");
    }
    assert!(answer["steps"][0]["l3"].as_str().is_some_and(|text| text.contains("yield 6.0")), "{answer}");
    assert_eq!(answer["functions"], json!(["f", "g"]));
    assert!(answer["derived"]["text"].as_str().is_some_and(|text| text.contains("fn f_grad(x) = a")), "{answer}");
    let answer = ask(&json!({"task": "levels", "text": "fn f(x) = x", "function": "g"}));
    assert!(answer["derived"]["wrong"].is_string(), "{answer}");
    assert!(ask(&json!({"task": "levels", "text": "1 +"}))["wrong"].is_string());
}

#[test]
fn programs_are_formatted() {
    let format = |text: &str| ask(&json!({"task": "format", "text": text}))["text"].clone();
    assert_eq!(format("fn f(x)=x^3"), json!("fn f(x) = x^3\n"));
    assert_eq!(format("fn f(x)="), json!(null));
}

#[test]
fn blocks_of_a_document_know_what_came_before_and_have_files() {
    let texts = ["import \"data/a.csv\" as table\nlet a = table.x\na", "let a = sum(a)\na + 1", "a["];
    let answer = ask(&json!({"task": "run", "texts": texts, "files": {"data/a.csv": "x\n1.5\n2.5\n"}}));
    let answers = answer["answers"].as_array().expect("one for each");
    assert_eq!(answers[0]["values"][0]["text"], "[1.5, 2.5]", "{answer}");
    assert_eq!(answers[1]["values"], json!([{"start": 15, "end": 20, "text": "5.0"}]), "{answer}");
    assert_eq!(answers[2]["problems"][0]["start"], 1, "{answer}");
}

/// Texts that are cut off anywhere, as they are while they are typed.
#[test]
fn every_beginning_of_a_program_has_an_answer() {
    let text =
        "type T = A(x) | B\nfn f(t) = match t { A(θ) => sin(θ), B => 0.0 }\ngrad(x => f(A(x)))(1.0) //=> ~0.54030231\n";
    for (end, _) in text.char_indices() {
        let answer = ask(&json!({"task": "run", "text": &text[..end]}));
        assert!(answer["problems"].is_array(), "{answer}");
    }
}
