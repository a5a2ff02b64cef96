//! The server, spoken to as an editor does: each request on a small text, and texts cut off anywhere.

use lsp::{Runner, serve_on};
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value as Json, json};

const URI: &str = "file:///folder/a.ev";

/// An editor with one open file.
struct Editor {
    connection: Connection,
    server: Option<std::thread::JoinHandle<()>>,
    requests: i32,
    uri: String,
}

impl Editor {
    fn open(uri: &str, text: &str) -> Editor {
        let (server, connection) = Connection::memory();
        let thread = std::thread::Builder::new().stack_size(16 << 20).spawn(move || {
            serve_on(&server, Runner::Nowhere).expect("the server ends in peace");
        });
        let server = Some(thread.expect("a thread"));
        let mut editor = Editor { connection, server, requests: 0, uri: uri.to_string() };
        editor.ask("initialize", json!({"capabilities": {}}));
        editor.tell("initialized", json!({}));
        editor.tell(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "version": 1, "languageId": "evert", "text": text}}),
        );
        editor
    }

    fn tell(&self, method: &str, params: Json) {
        let note = Notification::new(method.into(), params);
        self.connection.sender.send(Message::Notification(note)).expect("the server listens");
    }

    /// The result of a request, or its error.
    fn request(&mut self, method: &str, params: Json) -> Result<Json, String> {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        let request = Request::new(id.clone(), method.into(), params);
        self.connection.sender.send(Message::Request(request)).expect("the server listens");
        loop {
            match self.connection.receiver.recv().expect("the server answers") {
                Message::Response(response) if response.id == id => {
                    return response.response_result.map_err(|error| error.message);
                }
                _ => {}
            }
        }
    }

    fn ask(&mut self, method: &str, params: Json) -> Json {
        self.request(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// A request about a place, given as line and column.
    fn at(&mut self, method: &str, (line, character): (u32, u32)) -> Json {
        let position = json!({"line": line, "character": character});
        let params =
            json!({"textDocument": {"uri": self.uri}, "position": position, "context": {"includeDeclaration": true}});
        self.ask(&format!("textDocument/{method}"), params)
    }

    fn about(&mut self, method: &str) -> Json {
        let params = json!({"textDocument": {"uri": self.uri}, "positions": [{"line": 0, "character": 0}]});
        self.ask(&format!("textDocument/{method}"), params)
    }

    /// The next diagnostics of the file.
    fn diagnostics(&self) -> Json {
        loop {
            if let Message::Notification(note) = self.connection.receiver.recv().expect("the server speaks")
                && note.method == "textDocument/publishDiagnostics"
            {
                return note.params["diagnostics"].clone();
            }
        }
    }

    fn change(&self, text: &str) {
        let document = json!({"uri": self.uri, "version": 2});
        self.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [{"text": text}]}));
    }

    fn rename(&mut self, (line, character): (u32, u32), name: &str) -> Result<Json, String> {
        let position = json!({"line": line, "character": character});
        let params = json!({"textDocument": {"uri": self.uri}, "position": position, "newName": name});
        self.request("textDocument/rename", params)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.ask("shutdown", Json::Null);
        self.tell("exit", Json::Null);
        if let Some(server) = self.server.take() {
            server.join().expect("the server ends in peace");
        }
    }
}

/// Start and end of a range, on one line.
fn place(range: &Json) -> (u64, u64, u64) {
    let number = |json: &Json| json.as_u64().expect("a number");
    (number(&range["start"]["line"]), number(&range["start"]["character"]), number(&range["end"]["character"]))
}

fn places(found: &Json) -> Vec<(u64, u64, u64)> {
    found.as_array().expect("a list").iter().map(|one| place(&one["range"])).collect()
}

#[test]
fn a_misspelt_name_is_underlined_where_it_stands_and_can_be_repaired() {
    let mut editor = Editor::open(URI, "fn double(θ) = 2.0 * θ\nlet θθ = duble(3.0)\n");
    let found = editor.diagnostics();
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(place(&found[0]["range"]), (1, 9, 14));
    assert_eq!(found[0]["code"], "E0201");
    let range = found[0]["range"].clone();
    let params = json!({"textDocument": {"uri": URI}, "range": range, "context": {"diagnostics": []}});
    let actions = editor.ask("textDocument/codeAction", params);
    assert_eq!(actions[0]["edit"]["changes"][URI][0]["newText"], "double", "{actions}");
    editor.change("fn double(θ) = 2.0 * θ\nlet θθ = double(3.0)\n");
    assert_eq!(editor.diagnostics(), json!([]));
}

#[test]
fn mistakes_beyond_a_syntax_error_are_found() {
    let editor = Editor::open(URI, "let a = (1 + \nfn f(x) = y\nlet b = a\n");
    let found = editor.diagnostics();
    let codes: Vec<&str> = found.as_array().expect("a list").iter().filter_map(|one| one["code"].as_str()).collect();
    assert!(codes.contains(&"E0201"), "{found}");
    assert!(codes.iter().any(|code| code.starts_with("E01")), "{found}");
}

#[test]
fn definitions_references_and_highlights_know_locals_and_globals() {
    let text = "fn f(x) = x + c\nlet c = 2.0\nfn g(x) = { let x = f(x); x * c }\n";
    let mut editor = Editor::open(URI, text);
    assert_eq!(place(&editor.at("definition", (0, 10))["range"]), (0, 5, 6));
    assert_eq!(place(&editor.at("definition", (0, 14))["range"]), (1, 4, 5));
    // The `x` of the body is the inner one, that of the call the parameter.
    assert_eq!(place(&editor.at("definition", (2, 26))["range"]), (2, 16, 17));
    assert_eq!(place(&editor.at("definition", (2, 22))["range"]), (2, 5, 6));
    assert_eq!(places(&editor.at("references", (1, 4))), [(0, 14, 15), (1, 4, 5), (2, 30, 31)]);
    assert_eq!(places(&editor.at("documentHighlight", (2, 16))), [(2, 16, 17), (2, 26, 27)]);
}

#[test]
fn hover_tells_what_a_name_is() {
    let mut editor =
        Editor::open(URI, "/// Twice.\n///\n///     f(1.0)\nfn f(x) = 2.0 * sin(x)\nlet y = grad(f)(1.0)\n");
    let text = |hover: Json| hover["contents"]["value"].as_str().unwrap_or_default().to_string();
    assert!(text(editor.at("hover", (4, 13))).contains("fn f(x)\n```\nTwice.\n\n```evert\nf(1.0)\n```"));
    assert!(text(editor.at("hover", (3, 17))).contains("a primitive"));
    assert!(text(editor.at("hover", (4, 9))).contains("fn grad(f)"));
    assert!(text(editor.at("hover", (3, 20))).contains("bound in line 4"));
}

#[test]
fn completion_knows_locals_modules_and_fields() {
    let text = "import linalg\nfn f(alpha) = { let beta = 1.0; be }\nlet r = {length: 1.0}\nlinalg.e\nr.l\n";
    let mut editor = Editor::open(URI, text);
    let labels = |items: Json| -> Vec<String> {
        let items = items.as_array().cloned().unwrap_or_default();
        items.iter().filter_map(|item| Some(item["label"].as_str()?.to_string())).collect()
    };
    let inside = labels(editor.at("completion", (1, 34)));
    for name in ["alpha", "beta", "f", "grad", "sin", "match"] {
        assert!(inside.iter().any(|label| label == name), "{name}");
    }
    let outside = labels(editor.at("completion", (2, 0)));
    assert!(!outside.contains(&"beta".to_string()) && outside.contains(&"r".to_string()));
    assert!(labels(editor.at("completion", (3, 8))).contains(&"eigh".to_string()));
    assert_eq!(labels(editor.at("completion", (4, 3))), ["length", "l"]);
}

#[test]
fn renaming_changes_labels_of_rules_and_refuses_what_it_cannot_follow() {
    let text = "fn line(a) = (x => a * x)\n  reverse x => (a * x, d => ({a: d * x}, d * a))\n";
    let mut editor = Editor::open(URI, text);
    let edits = editor.rename((0, 8), "slope").expect("it can be renamed");
    assert_eq!(edits["changes"][URI].as_array().map(Vec::len), Some(5), "{edits}");
    assert!(editor.rename((0, 8), "not a name").is_err());
    assert!(editor.rename((0, 8), "x").is_err());
    editor.change("let r = { let a = 2.0; grad(f => f(3.0))(x => a * x) }\nr.a\n");
    let refused = editor.rename((0, 14), "b").expect_err("the label is read elsewhere");
    assert!(refused.contains("label"), "{refused}");
    editor.change("fn f({width}) = width\n");
    let edits = editor.rename((0, 6), "w").expect("it can be renamed");
    assert_eq!(edits["changes"][URI][0]["newText"], "width: w");
}

#[test]
fn symbols_folds_selections_tokens_and_lenses_are_there() {
    let text = "type T = A | B(x)\nfn f(x) = {\n  sin(x)\n}\n  reverse x => (f(x), d => ({}, d * cos(x)))\ntest \"one\" { assert 1 == 1 }\n";
    let mut editor = Editor::open(URI, text);
    let symbols = editor.about("documentSymbol");
    let names: Vec<&str> = symbols.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["T", "f", "one"]);
    assert_eq!(symbols[0]["children"][1]["name"], "B");
    assert_eq!(editor.about("foldingRange")[0]["startLine"], 1);
    assert!(editor.about("selectionRange")[0]["parent"].is_object());
    let data = editor.about("semanticTokens/full")["data"].as_array().map(Vec::len);
    assert!(data.is_some_and(|length| length > 50 && length % 5 == 0));
    let lenses = editor.about("codeLens");
    let titles: Vec<&str> =
        lenses.as_array().expect("a list").iter().filter_map(|one| one["command"]["title"].as_str()).collect();
    assert_eq!(titles, ["check rule", "show derivative", "run test"]);
}

#[test]
fn formatting_writes_the_standard_layout() {
    let mut editor = Editor::open(URI, "fn double( x )=2.0*x\n");
    let edits = editor.about("formatting");
    assert_eq!(edits[0]["newText"], "fn double(x) = 2.0 * x\n");
}

#[test]
fn blocks_of_a_document_are_programs_that_see_each_other() {
    let text = "# θ\n\n```evert\nlet a = 1.0\n```\n\n```text\nnot evert\n```\n\n```evert\na + b\n```\n";
    let mut editor = Editor::open("file:///folder/page.md", text);
    let found = editor.diagnostics();
    assert_eq!(places(&found), [(11, 4, 5)], "{found}");
    assert_eq!(place(&editor.at("definition", (11, 0))["range"]), (3, 4, 5));
}

#[test]
fn an_import_is_read_from_the_editor() {
    let mut editor = Editor::open("file:///nowhere/lib.ev", "fn twice(x) = 2.0 * x\n");
    let main = json!({"uri": "file:///nowhere/main.ev", "version": 1, "text": "import \"lib.ev\"\nlib.twice(3.0)\n"});
    editor.tell("textDocument/didOpen", json!({"textDocument": main}));
    editor.uri = "file:///nowhere/main.ev".into();
    let definition = editor.at("definition", (1, 6));
    assert_eq!(definition["uri"], "file:///nowhere/lib.ev");
    assert_eq!(place(&definition["range"]), (0, 3, 8));
}

/// Every prefix of a text with all kinds of things in it is read, and every request about it answered.
#[test]
fn a_text_cut_off_anywhere_is_answered() {
    let text = "import linalg\ntype T = A | B(x)\nfn f({a, b: (c, _)}) = match a { B(θ) if θ > 1 => \"t {θ}\", _ => [i for i in 0..3 if i > 1] }\n  reverse x => (f(x), d => ({}, d))\nlet (p, q) = {r with x: 1.0, [0]: 2}\nf(p)(q).x[1..2, ..] |> x => -x^2 //=> 3\n";
    let mut editor = Editor::open(URI, "");
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    for end in ends {
        editor.change(&text[..end]);
        let (line, column) = (text[..end].matches('\n').count() as u32, 3);
        for method in ["hover", "completion", "definition", "references", "signatureHelp"] {
            editor.at(method, (line, column));
        }
        for method in ["documentSymbol", "foldingRange", "semanticTokens/full", "formatting", "codeLens"] {
            editor.about(method);
        }
    }
}
