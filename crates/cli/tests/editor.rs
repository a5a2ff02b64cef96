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
        let mut command = Command::new(env!("CARGO_BIN_EXE_evert"));
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().expect("the server starts");
        let (input, output) = (server.stdin.take().expect("piped"), server.stdout.take().expect("piped"));
        let mut editor = Editor { server, input, output: BufReader::new(output), requests: 0 };
        let refreshes = json!({"workspace": {"inlayHint": {"refreshSupport": true}}});
        editor.ask("initialize", json!({"capabilities": refreshes}));
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

    fn ask(&mut self, method: &str, params: Json) -> Json {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({"id": id, "method": method, "params": params}));
        loop {
            let message = self.next();
            if message["id"] == id && message["method"].is_null() {
                return message["result"].clone();
            }
        }
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
    let problems = loop {
        let message = editor.next();
        let found = &message["params"]["diagnostics"];
        if message["method"] == "textDocument/publishDiagnostics" && found.as_array().is_some_and(|all| !all.is_empty())
        {
            break found.clone();
        }
    };
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
