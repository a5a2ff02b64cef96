//! `evert lsp` as an editor starts it: values of programs, commands of lenses, and programs that don't end.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value as Json, json};

struct Editor {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u64,
}

const URI: &str = "file:///nowhere/a.ev";

impl Editor {
    fn open(text: &str) -> Editor {
        Editor::open_with(json!({"workspace": {"inlayHint": {"refreshSupport": true}}}), text)
    }

    /// An editor that can do these things.
    fn open_with(capabilities: Json, text: &str) -> Editor {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evert"));
        // The second word is what VS Code and others add.
        command.args(["lsp", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().expect("the server starts");
        let (input, output) = (server.stdin.take().expect("piped"), server.stdout.take().expect("piped"));
        let mut editor = Editor { server, input, output: BufReader::new(output), requests: 0 };
        editor.ask("initialize", json!({"capabilities": capabilities}));
        editor.tell("initialized", json!({}));
        editor.tell("textDocument/didOpen", json!({"textDocument": {"uri": URI, "version": 1, "text": text}}));
        editor
    }

    fn send(&mut self, mut message: Json) {
        message["jsonrpc"] = "2.0".into();
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server listens");
        self.input.flush().expect("the server listens");
    }

    fn tell(&mut self, method: &str, params: Json) {
        self.send(json!({"method": method, "params": params}));
    }

    fn next(&mut self) -> Json {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).expect("the server speaks");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().expect("a number"),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).expect("the server speaks");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    /// Sends a request without waiting for its answer.
    fn request(&mut self, method: &str, params: Json) -> u64 {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({"id": id, "method": method, "params": params}));
        id
    }

    fn ask(&mut self, method: &str, params: Json) -> Json {
        let id = self.request(method, params);
        self.answer(id)["result"].clone()
    }

    fn answer(&mut self, id: u64) -> Json {
        loop {
            let message = self.next();
            if message["id"] == id && message["method"].is_null() {
                return message;
            }
        }
    }

    /// The next message of this method.
    fn message(&mut self, method: &str) -> Json {
        loop {
            let message = self.next();
            if message["method"] == method {
                return message["params"].clone();
            }
        }
    }

    /// The next diagnostics that aren't none.
    fn problems(&mut self) -> Json {
        loop {
            let found = self.message("textDocument/publishDiagnostics")["diagnostics"].clone();
            if found.as_array().is_some_and(|all| !all.is_empty()) {
                return found;
            }
        }
    }

    fn hover(&mut self, line: u32, character: u32) -> String {
        let place = json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": character}});
        self.ask("textDocument/hover", place)["contents"]["value"].as_str().unwrap_or_default().to_string()
    }

    /// Waits until a program has run: the server then asks for its hints to be shown anew.
    fn wait_for_a_run(&mut self) {
        while self.next()["method"] != "workspace/inlayHint/refresh" {}
    }

    fn hints(&mut self) -> Vec<String> {
        let hints = self.ask("textDocument/inlayHint", json!({"textDocument": {"uri": URI}}));
        let hints = hints.as_array().cloned().unwrap_or_default();
        hints.iter().map(|hint| hint["label"].as_str().unwrap_or_default().to_string()).collect()
    }

    fn change(&mut self, text: &str) {
        let document = json!({"uri": URI, "version": 2});
        self.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [{"text": text}]}));
    }

    fn command(&mut self, command: &str, name: &str) -> Json {
        self.ask("workspace/executeCommand", json!({"command": command, "arguments": [URI, name]}))
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        // Whatever the test has found, no server stays behind.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn values_stand_beside_their_expressions_and_wrong_expectations_are_marked() {
    let mut editor = Editor::open("print(\"unseen\")\ngrad(x => x^3)(2.0)\n1 + 1 //=> 3\n");
    editor.wait_for_a_run();
    assert_eq!(editor.hints(), ["= ()", "= 12.0"]);
    editor.change("1 + 1 //=> 3\n[1.0][4]\n");
    let problems = editor.problems();
    let codes: Vec<&str> = problems.as_array().expect("a list").iter().filter_map(|one| one["code"].as_str()).collect();
    assert_eq!(codes, ["E0501", "E0307"], "{problems}");
}

#[test]
fn a_program_without_end_is_stopped_when_the_text_changes() {
    let mut editor = Editor::open("while_loop(x => true, x => x + 1.0, 0.0)\n");
    editor.change("2 + 3\n");
    editor.wait_for_a_run();
    assert_eq!(editor.hints(), ["= 5"]);
}

#[test]
fn lenses_run_tests_check_rules_and_show_derivatives() {
    let mut editor = Editor::open(
        "fn cube(x) = x^3\n  reverse x => (cube(x), dy => ({}, 2 * x * dy))\ntest \"sum\" { assert 1 + 1 == 2 }\ntest \"grad\" { grad(cube)(2.0) }\n",
    );
    let passed = editor.command("evert.runTest", "sum");
    assert_eq!(passed["ok"], true, "{passed}");
    let wrong = editor.command("evert.checkRule", "cube");
    assert_eq!(wrong["ok"], false, "{wrong}");
    assert!(wrong["text"].as_str().is_some_and(|text| text.contains("is wrong")), "{wrong}");
    let derivative = editor.command("evert.showDerivative", "cube");
    assert!(derivative["text"].as_str().is_some_and(|text| text.contains("cube")), "{derivative}");
}

#[test]
fn shapes_seen_in_a_run_stand_beside_parameters_and_in_hovers() {
    let text = "fn weigh(a, table) = {\n  let total = sum(table)\n  a * total\n}\nfn loss(w) = sum(w * w)\n\
                let data = [[1.0, 2.0], [3.0, 4.0]]\nweigh(2, data)\nweigh(2, [1.0])\ngrad(loss)(data)\n\
                sum(x * k for (x, k) in [(1.0, 2), (3.0, 4)])\n";
    let mut editor = Editor::open(text);
    editor.wait_for_a_run();
    let hints = editor.hints();
    for hint in [": real[2, 2] | real[1]", ": real[2, 2]", "= 20.0"] {
        assert!(hints.iter().any(|one| one == hint), "{hint}: {hints:?}");
    }
    assert!(editor.hover(0, 9).contains("a: int"));
    assert!(editor.hover(0, 14).contains("table: real[2, 2] | real[1]"));
    // Also where it is used, and what is only ever called by a derivative.
    assert!(editor.hover(2, 7).contains("total: real"));
    assert!(editor.hover(4, 18).contains("w: real[2, 2]"));
    assert!(editor.hover(5, 5).contains("data: real[2, 2]"));
    assert!(editor.hover(9, 15).contains("x: real"), "{}", editor.hover(9, 15));
    assert!(editor.hover(9, 18).contains("k: int"));
    // A text that has changed has no shapes yet.
    editor.change("fn weigh(a, table) = 1.0\n");
    assert!(!editor.hover(0, 14).contains("real"));
}

#[test]
fn what_a_program_has_shown_before_it_is_stopped_stays() {
    let mut editor = Editor::open("1 + 1\nfn f(x) = f(x + 1)\nlet y = f(0)\n2 + 2\n");
    editor.wait_for_a_run();
    assert_eq!(editor.hints(), ["= 2"]);
    let problems = editor.problems();
    assert_eq!(problems[0]["range"]["start"]["line"], 2, "{problems}");
    // A command of such a program can be stopped; the server goes on.
    let id = editor.request("workspace/executeCommand", json!({"command": "evert.runFile", "arguments": [URI, ""]}));
    editor.tell("$/cancelRequest", json!({"id": id}));
    assert_eq!(editor.answer(id)["error"]["message"], "stopped");
    editor.change("3 + 4\n");
    editor.wait_for_a_run();
    assert_eq!(editor.hints(), ["= 7"]);
}

#[test]
fn plots_and_derivatives_are_shown_by_editors_that_open_files() {
    let text = "import plots\nfn cube(x) = x^3\nplots.curve(cube, 0.0, 1.0)\n";
    let mut editor = Editor::open_with(
        json!({"workspace": {"inlayHint": {"refreshSupport": true}}, "window": {"showDocument": {"support": true}}}),
        text,
    );
    editor.wait_for_a_run();
    assert_eq!(editor.hints(), ["= a plot"]);
    let lenses = editor.ask("textDocument/codeLens", json!({"textDocument": {"uri": URI}}));
    let show =
        lenses.as_array().expect("a list").iter().find(|one| one["command"]["title"] == "show plot").expect("a plot");
    let (command, arguments) = (show["command"]["command"].clone(), show["command"]["arguments"].clone());
    let id = editor.request("workspace/executeCommand", json!({"command": command, "arguments": arguments}));
    let asked = editor.message("window/showDocument");
    let path = asked["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file").to_string();
    assert!(std::fs::read_to_string(&path).expect("it is there").starts_with("<svg"));
    assert!(editor.answer(id)["result"]["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg")));
    editor.request("workspace/executeCommand", json!({"command": "evert.showDerivative", "arguments": [URI, "cube"]}));
    let asked = editor.message("window/showDocument");
    let path = asked["uri"].as_str().and_then(|uri| uri.strip_prefix("file://")).expect("a file").to_string();
    let text = std::fs::read_to_string(&path).expect("it is there");
    assert!(text.contains("fn cube_grad(x) = 3 * x^2"), "{text}");
    editor.ask("shutdown", Json::Null);
    editor.tell("exit", Json::Null);
    let _ = editor.server.wait();
    assert!(!std::path::Path::new(&path).exists(), "nothing is left behind");
}

#[test]
fn editors_that_show_no_answers_are_sent_messages() {
    let mut editor = Editor::open("test \"sum\" { assert 1 + 1 == 3 }\n");
    editor.request("workspace/executeCommand", json!({"command": "evert.runTest", "arguments": [URI, "sum"]}));
    let message = editor.message("window/showMessage");
    assert!(message["message"].as_str().is_some_and(|text| text.contains("0 passed, 1 failed")), "{message}");
}

#[test]
fn a_worker_ends_with_its_server() {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_evert"))
        .args(["lsp", "--worker"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = worker.stdin.take().expect("piped");
    let text = "while_loop(x => true, x => x + 1.0, 0.0)\n";
    let job = json!({"task": "runFile", "path": "a.ev", "text": text});
    writeln!(input, "{job}").expect("it reads");
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(worker.try_wait().expect("a state").is_none(), "it works");
    drop(input);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while worker.try_wait().expect("a state").is_none() {
        assert!(std::time::Instant::now() < deadline, "it goes on without a server");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
