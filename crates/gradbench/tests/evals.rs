//! Every function of every eval gives the right numbers, on compiled code and on the reference evaluator.
//!
//! `golden.jsonl` has small inputs, made at random, and what GradBench's own reference implementation (its tool `manual`, hand-written
//! C++ derivatives) answers to them. Three outputs are from elsewhere: those of particle and saddle are the numbers in GradBench's
//! evals; ode's gradient was computed by complex steps, since `manual` differentiates the equation instead of its
//! discretisation; and a mirrored hand is compared with differences below, since `manual` forgets to mirror derivatives.
//!
//! Where there is no LLVM only the reference evaluator is tested.

use evert::{Engine, Session};
use evert_gradbench::Tool;
use evert_gradbench::evals::EVALS;
use serde_json::{Value as Json, json};

const GOLDEN: &str = include_str!("golden.jsonl");

/// `Err` says where they differ.
fn compare(expected: &Json, found: &Json, tolerance: f64, place: &str) -> Result<(), String> {
    match (expected, found) {
        (Json::Object(a), Json::Object(b)) => {
            if !a.keys().eq(b.keys()) {
                return Err(format!("{place}: fields {:?} and {:?}", a.keys(), b.keys()));
            }
            a.iter().try_for_each(|(key, x)| compare(x, &b[key], tolerance, &format!("{place}.{key}")))
        }
        (Json::Array(a), Json::Array(b)) => {
            if a.len() != b.len() {
                return Err(format!("{place}: lengths {} and {}", a.len(), b.len()));
            }
            let mut pairs = a.iter().zip(b).enumerate();
            pairs.try_for_each(|(i, (x, y))| compare(x, y, tolerance, &format!("{place}[{i}]")))
        }
        (Json::Number(a), Json::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            let close = (a - b).abs() <= tolerance * (a.abs() + b.abs()).max(1.0);
            if close { Ok(()) } else { Err(format!("{place}: {a} and {b}")) }
        }
        _ => Err(format!("{place}: {expected} and {found}")),
    }
}

fn define(tool: &mut Tool, module: &str) {
    let answer = tool.answer(&json!({"id": 0, "kind": "define", "module": module}).to_string());
    assert_eq!(answer, r#"{"id":0,"success":true}"#);
}

/// The output of an evaluation, which is to succeed with one timing for its run.
fn evaluate(tool: &mut Tool, module: &str, function: &str, input: &Json) -> Json {
    let message = json!({"id": 1, "kind": "evaluate", "module": module, "function": function, "input": input});
    let answer: Json = serde_json::from_str(&tool.answer(&message.to_string())).expect("JSON");
    assert_eq!(answer["success"], json!(true), "{module} {function}: {answer}");
    let names: Vec<&Json> = answer["timings"].as_array().expect("timings").iter().map(|t| &t["name"]).collect();
    assert_eq!(names, ["prepare", "evaluate"], "{module} {function}");
    answer["output"].clone()
}

/// Checks the golden cases of these modules; the tool that answered them.
fn check(engine: Engine, modules: &[&str]) -> Tool {
    let mut tool = Tool::new(engine);
    let mut wrong = vec![];
    for line in GOLDEN.lines() {
        let case: Json = serde_json::from_str(line).expect("JSON");
        let (module, function) = (case["module"].as_str().expect("a name"), case["function"].as_str().expect("a name"));
        if modules.contains(&module) {
            define(&mut tool, module);
            let output = evaluate(&mut tool, module, function, &case["input"]);
            wrong.extend(compare(&case["output"], &output, 1e-9, &format!("{module} {function}: ")).err());
        }
    }
    assert_eq!(wrong, [""; 0]);
    tool
}

fn names() -> Vec<&'static str> {
    EVALS.iter().map(|eval| eval.name).collect()
}

fn main() {
    llvm::self_test_child();
    every_function_of_every_eval_is_checked();
    the_reference_evaluator_agrees_with_gradbench();
    let mut session = Session::offline();
    if session.engines.has_native() {
        every_function_is_compiled_and_agrees_with_gradbench();
        the_derivatives_of_a_mirrored_hand_agree_with_differences();
    } else {
        println!("skipped: there is no LLVM");
    }
    println!("{} answers checked", GOLDEN.lines().count());
}

fn every_function_is_compiled_and_agrees_with_gradbench() {
    let tool = check(Engine::Native, &names());
    assert_eq!(tool.uncompiled(), [""; 0]);
    println!("calls of the reference evaluator: {:?}", tool.evaluated());
}

fn the_reference_evaluator_agrees_with_gradbench() {
    // The two with loops of many thousand steps take it minutes.
    let quick: Vec<&str> = names().into_iter().filter(|name| !["particle", "saddle"].contains(name)).collect();
    check(Engine::Reference, &quick);
}

fn every_function_of_every_eval_is_checked() {
    let cases: Vec<Json> = GOLDEN.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for eval in EVALS {
        for function in eval.functions {
            let is_checked = cases.iter().any(|case| case["module"] == eval.name && case["function"] == *function);
            assert!(is_checked, "{} {function}", eval.name);
        }
    }
}

fn the_derivatives_of_a_mirrored_hand_agree_with_differences() {
    let mut tool = Tool::new(Engine::Native);
    define(&mut tool, "ht");
    let cases = GOLDEN.lines().map(|line| serde_json::from_str::<Json>(line).expect("JSON"));
    let mirrored = |case: &Json| case["input"]["data"]["model"]["is_mirrored"] == json!(true);
    let case = cases.into_iter().find(mirrored).expect("a mirrored hand");
    let jacobian = evaluate(&mut tool, "ht", "jacobian", &case["input"]);
    for k in 0..26 {
        let mut moved = |by: f64| {
            let mut input = case["input"].clone();
            input["theta"][k] = json!(input["theta"][k].as_f64().expect("a number") + by);
            evaluate(&mut tool, "ht", "objective", &input)
        };
        let (above, below) = (moved(1e-6), moved(-1e-6));
        let slope = |i: usize| (above[i].as_f64().unwrap() - below[i].as_f64().unwrap()) / 2e-6;
        let column: Json = (0..above.as_array().expect("residuals").len()).map(|i| json!(slope(i))).collect();
        let found: Json = jacobian.as_array().expect("rows").iter().map(|row| row[k].clone()).collect();
        assert_eq!(compare(&column, &found, 1e-7, &format!("column {k}")), Ok(()));
    }
}
