//! docs/paper.md shows what the interpreter gives: its programs in the paper's notation, and the table of faults.

use paper::faults::FAULTS;
use paper::{Correction, Corrections, run};

fn document() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/paper.md")).expect("docs/paper.md")
}

/// Blocks fenced by three backquotes and `paper`; `without D3 D9` behind it leaves corrections out. Each is a program of its own.
#[test]
fn the_programs_in_the_papers_notation_hold() {
    let document = document();
    let mut shown = 0;
    for block in document.split("\n```paper").skip(1) {
        let (info, text) = block.split_once('\n').expect("a block has lines");
        let text = text.split("```").next().unwrap_or(text);
        let names = info.split_whitespace().filter(|word| *word != "without");
        let left_out: Vec<Correction> = names.map(|name| Correction::named(name).expect("a correction")).collect();
        for outcome in run(text, Corrections::ALL.without(&left_out)).expect("a program") {
            assert!(outcome.holds() && outcome.expected.is_some(), "{outcome:?}");
            shown += 1;
        }
    }
    assert!(shown > 30, "{shown}");
}

#[test]
fn the_table_of_faults_is_the_interpreters() {
    let document = document();
    for fault in FAULTS {
        assert!(document.contains(&fault.row()), "docs/paper.md lacks the row\n{}", fault.row());
    }
}
