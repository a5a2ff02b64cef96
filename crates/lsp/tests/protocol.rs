//! The server, spoken to as an editor does: each request on a small text, and texts cut off anywhere.

mod support;

use serde_json::{Value as Json, json};
use support::{Editor, URI};

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

/// Files in a folder of their own, which is removed in the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = std::env::temp_dir().join(format!("evert-lsp-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in files {
            std::fs::write(folder.join(name), text).expect("a file");
        }
        Folder(folder)
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.0.join(name).display())
    }

    fn open(&self, name: &str, text: &str) -> Editor {
        let params = json!({"capabilities": {}, "rootUri": format!("file://{}", self.0.display())});
        Editor::open_in(params, &self.uri(name), text)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It is in a folder for what is temporary.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn references_and_renames_reach_the_files_that_import() {
    let (lib, main) = ("fn twice(x) = 2.0 * x\n", "import \"lib.ev\"\nlib.twice(3.0)\nlet y = lib.twice(4.0)\n");
    let folder =
        Folder::new("rename", &[("lib.ev", lib), ("main.ev", main), ("other.ev", "fn twice(x) = x\ntwice(1.0)\n")]);
    // Asked about where it is defined, and where it is used.
    for (name, text, place) in [("lib.ev", lib, (0, 4)), ("main.ev", main, (2, 13))] {
        let mut editor = folder.open(name, text);
        let found = editor.at("references", place);
        let mut files: Vec<&str> =
            found.as_array().expect("a list").iter().filter_map(|one| one["uri"].as_str()).collect();
        files.sort_unstable();
        assert_eq!(files, [folder.uri("lib.ev"), folder.uri("main.ev"), folder.uri("main.ev")]);
        let edits = editor.rename(place, "double").expect("it can be renamed");
        assert_eq!(edits["changes"][folder.uri("lib.ev")].as_array().map(Vec::len), Some(1), "{edits}");
        assert_eq!(edits["changes"][folder.uri("main.ev")].as_array().map(Vec::len), Some(2), "{edits}");
        assert_eq!(edits["changes"].as_object().map(serde_json::Map::len), Some(2), "{edits}");
    }
    let mut editor = folder.open("lib.ev", lib);
    assert!(editor.rename((0, 4), "y").expect_err("main.ev has a `y`").contains("main.ev"));
}

#[test]
fn files_that_change_on_the_disk_are_read_again() {
    let folder = Folder::new("disk", &[("lib.ev", "fn twice(x) = 2.0 * x\n")]);
    let editor = folder.open("main.ev", "import \"lib.ev\"\nlib.twice(3.0)\n");
    assert_eq!(editor.diagnostics(), json!([]));
    std::fs::write(folder.0.join("lib.ev"), "fn thrice(x) = 3.0 * x\n").expect("a file");
    assert_eq!(editor.diagnostics()[0]["code"], "E0208");
    // It goes away, and comes back while somebody types.
    std::fs::remove_file(folder.0.join("lib.ev")).expect("it was there");
    assert_eq!(editor.diagnostics()[0]["range"]["start"]["line"], 0);
    std::fs::write(folder.0.join("lib.ev"), "fn twice(x) = x\n").expect("a file");
    editor.change("import \"lib.ev\"\nlib.twice(4.0)\n");
    assert_eq!(editor.diagnostics_of(2), json!([]));
    // A file that is opened counts instead of the one on the disk.
    let lib = json!({"uri": folder.uri("lib.ev"), "version": 1, "text": "fn once(x) = x\n"});
    editor.tell("textDocument/didOpen", json!({"textDocument": lib}));
    assert_eq!(editor.diagnostics(), json!([]));
    assert_eq!(editor.diagnostics()[0]["code"], "E0208");
    editor.tell("textDocument/didClose", json!({"textDocument": {"uri": folder.uri("lib.ev")}}));
    assert_eq!(editor.diagnostics(), json!([]));
    assert_eq!(editor.diagnostics(), json!([]));
}

#[test]
fn blocks_of_a_document_are_formatted_where_they_stand() {
    let text = "# Text\n\n```evert\nlet   a=1\n\n\n\na+1\n```\n\n- item\n\n  ```evert\n  let  b=2\n  ```\n\n```evert\nlet c = 3\n```\n";
    let mut editor = Editor::open("file:///folder/page.md", text);
    let edits = editor.about("formatting");
    assert_eq!(edits.as_array().map(Vec::len), Some(1), "{edits}");
    assert_eq!(edits[0]["newText"], "let a = 1\n\na + 1");
    assert_eq!(edits[0]["range"], json!({"start": {"line": 3, "character": 0}, "end": {"line": 7, "character": 3}}));
}

#[test]
fn keystrokes_that_come_at_once_are_read_at_once() {
    let editor = Editor::open(URI, "let a = 1\n");
    assert_eq!(editor.diagnostics(), json!([]));
    for version in 2..100 {
        let range = json!({"start": {"line": 0, "character": 8}, "end": {"line": 0, "character": 9}});
        let changes = json!([{"range": range, "text": if version == 99 { "b" } else { "2" }}]);
        let document = json!({"uri": URI, "version": version});
        editor.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }
    assert_eq!(editor.diagnostics_of(99)[0]["code"], "E0201");
}

/// Texts that no person writes are answered too, and soon: one line of a megabyte, deep nesting, many mistakes.
#[test]
fn huge_texts_are_answered() {
    let line = format!("let a = [{}]\n", "1.25, ".repeat(60_000));
    let deep = format!("let a = {}1{}\n", "(".repeat(50_000), ")".repeat(50_000));
    let wrong = "let = (\n".repeat(5_000);
    let binary: String = (0..200_000u32).filter_map(|k| char::from_u32(k * 7919 % 0x11000)).collect();
    for text in [line, deep, wrong, binary] {
        let start = std::time::Instant::now();
        let mut editor = Editor::open(URI, &text);
        for method in
            ["documentSymbol", "foldingRange", "semanticTokens/full", "formatting", "codeLens", "selectionRange"]
        {
            editor.about(method);
        }
        for method in ["hover", "completion", "definition", "references", "signatureHelp"] {
            editor.at(method, (0, 40_000));
        }
        let took = start.elapsed().as_secs();
        assert!(took < 20, "{took} s for {}…", text.chars().take(20).collect::<String>());
    }
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
