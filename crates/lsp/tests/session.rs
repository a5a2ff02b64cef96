//! An hour of editing: thousands of random changes of a text, with mistakes in it, in the units that editors count. Whatever the server then
//! says of the text is what a server says that was given the whole text at once.

mod support;

use serde_json::{Value as Json, json};
use support::{Editor, URI};

const START: &str = "import linalg\n\n/// Twice.\nfn double(θ) = {\n  let 𝛉 = θ * 2.0\n  𝛉\n}\n\ntype Tree = Leaf | Node(left, right)\n\nfn size(t) = match t {\n  Leaf => 1\n  Node(l, r) => size(l) + size(r)\n}\n\nfn line(a) = (x => a * x)\n  reverse x => (a * x, d => ({a: d * x}, d * a))\n\ntest \"double → 4\" { assert double(2.0) == 4.0 }\nlet {p, q} = {p: 1, q: [i * i for i in 0..3]}\ndouble(3.0) //=> 6.0\n\"value {p:.3} and {q[0]}\"\n";

/// What people type and paste, halves of it, and what they hit by accident.
const SNIPPETS: [&str; 32] = [
    "x",
    "θ",
    "𝛉",
    "é",
    "e\u{301}",
    "👩‍🚀",
    "\n",
    "\r\n",
    "\t",
    " ",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "//",
    "///",
    "//=> 3",
    "let ",
    "fn f(a, b) = a + b\n",
    "import \"nowhere.ev\"\n",
    "match ",
    " => ",
    "reverse x => (x, d => ({}, d))\n",
    "|> ",
    "1e",
    "..",
    "test \"t\" {",
    "\\u{3b8}",
    "\u{0}",
];

/// xorshift: the same session each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// A text as editors have it: lines of UTF-16 units.
fn position(text: &[u16], at: usize) -> Json {
    let before = &text[..at];
    let line = before.iter().filter(|unit| **unit == u16::from(b'\n')).count();
    let column = before.iter().rev().take_while(|unit| **unit != u16::from(b'\n')).count();
    json!({"line": line, "character": column})
}

/// A place between two characters: never within a surrogate pair, nor between the halves of a line break of Windows.
fn place(random: &mut Random, text: &[u16]) -> usize {
    let mut at = random.below(text.len() + 1);
    let splits = |at: usize| {
        let (Some(&before), Some(&after)) = (text.get(at.wrapping_sub(1)), text.get(at)) else { return false };
        (0xdc00..0xe000).contains(&after) || (before == u16::from(b'\r') && after == u16::from(b'\n'))
    };
    while splits(at) {
        at += 1;
    }
    at
}

fn session(seed: u64, edits: usize) {
    let mut random = Random(seed);
    let mut editor = Editor::open(URI, START);
    let mut fresh = Editor::open(URI, "");
    let mut text: Vec<u16> = START.encode_utf16().collect();
    let mut earlier = vec![text.clone()];
    let (mut version, mut made) = (1, 0);
    while made < edits {
        // Some keystrokes at once, as fast fingers, paste and multiple cursors make them.
        let mut changes = vec![];
        for _ in 0..=random.below(3) {
            made += 1;
            let start = place(&mut random, &text);
            let end = match random.below(4) {
                0 => (start + random.below(30)).min(text.len()),
                _ => start,
            };
            let mut end = end.max(start);
            while text.get(end).is_some_and(|unit| (0xdc00..0xe000).contains(unit) || *unit == u16::from(b'\n'))
                && end > start
            {
                end += 1;
            }
            let new = if random.below(3) == 0 { "" } else { SNIPPETS[random.below(SNIPPETS.len())] };
            changes.push(json!({"range": {"start": position(&text, start), "end": position(&text, end)}, "text": new}));
            text.splice(start..end, new.encode_utf16());
        }
        // Undone again, or all of it is pasted anew, so that the text stays a program with mistakes and not noise.
        if random.below(12) == 0 || text.len() > 6000 {
            text = earlier.remove(random.below(earlier.len()));
            changes = vec![json!({"text": String::from_utf16_lossy(&text)})];
            earlier.truncate(3);
            earlier.push(START.encode_utf16().collect());
        } else {
            earlier.push(text.clone());
        }
        version += 1;
        let document = json!({"uri": URI, "version": version});
        editor.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
        if random.below(6) != 0 {
            continue;
        }
        let whole = String::from_utf16(&text).expect("no pair is split");
        let all = json!([{"text": whole}]);
        fresh.tell(
            "textDocument/didChange",
            json!({"textDocument": {"uri": URI, "version": version}, "contentChanges": all}),
        );
        assert_eq!(
            editor.diagnostics_of(version),
            fresh.diagnostics_of(version),
            "seed {seed}, version {version}: {whole}"
        );
        let at = place(&mut random, &text);
        for method in ["hover", "completion", "definition", "references", "documentHighlight", "signatureHelp"] {
            let place = position(&text, at);
            let place = |name: &str| place[name].as_u64().unwrap_or(0) as u32;
            let (line, character) = (place("line"), place("character"));
            let (known, anew) = (editor.at(method, (line, character)), fresh.at(method, (line, character)));
            assert_eq!(known, anew, "seed {seed}, version {version}, {method}: {whole}");
        }
        for method in
            ["documentSymbol", "foldingRange", "semanticTokens/full", "formatting", "codeLens", "selectionRange"]
        {
            assert_eq!(editor.about(method), fresh.about(method), "seed {seed}, version {version}, {method}: {whole}");
        }
    }
}

#[test]
fn a_session_of_thousands_of_edits_ends_where_a_fresh_reading_begins() {
    // More of them, or others: EVERT_EDITS=100000 EVERT_SEED=7.
    let number = |name: &str, or: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(or);
    session(number("EVERT_SEED", 0x9e37_79b9_7f4a_7c15), number("EVERT_EDITS", 4_000) as usize);
}
