//! What lowering makes of small programs: the files in `lowering/`, in folders by topic. Those in `surveyed/` are lowered for a survey of
//! their memory, those in `pieces/` for several threads.
//!
//! `EVERT_BLESS=1 cargo test -p evert-loops --test lowered` writes what is expected anew; read what changed before you keep it.

#[path = "../../first_order/tests/cases/mod.rs"]
mod cases;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use cases::{Case, Counts, all_ops, count_ops, in_folder, missing};
use loops::{Block, Op, Program, check, lower, lower_in_pieces, lower_surveyed};

const TOPICS: [&str; 6] = ["values", "arrays", "sensitivities", "counts", "surveyed", "pieces"];

/// The cases of all topics, with what lowering makes of them.
fn all() -> Vec<(&'static str, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lowering");
    let of_topic =
        |topic: &'static str| in_folder(&folder.join(topic), "l3").into_iter().map(move |case| (topic, case));
    TOPICS.into_iter().flat_map(of_topic).collect()
}

fn lowered(topic: &str, case: &Case) -> Program {
    match topic {
        "surveyed" => lower_surveyed(&case.before),
        "pieces" => lower_in_pieces(&case.before, 0.0).0,
        _ => lower(&case.before),
    }
}

#[test]
fn lowering_makes_of_programs_what_the_files_say() {
    let mut wrong = vec![];
    for (topic, case) in all() {
        let judged = || {
            let program = lowered(topic, &case);
            check::check(&program)?;
            case.expect("lowering", &program.to_string())
        };
        let verdict = catch_unwind(AssertUnwindSafe(judged)).unwrap_or_else(|_| Err("lowering panics".to_string()));
        if let Err(text) = verdict {
            wrong.push(format!("{}: {text}", case.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_operation_occurs_in_the_programs_of_lowering() {
    let (mut taken, mut made) = (Counts::new(), Counts::new());
    for (topic, case) in all() {
        count_ops(&case.before, &mut taken);
        lowered(topic, &case).functions.iter().for_each(|function| count(&function.body, &mut made));
    }
    let mut absent = missing("operations of L3 in the tests of lowering", &all_ops(), &taken);
    absent.extend(missing("operations of L4 in the tests of lowering", &NAMES, &made));
    assert!(absent.is_empty(), "in no file of tests/lowering: {}", absent.join(", "));
    let unknown: BTreeSet<&String> = made.keys().filter(|name| !NAMES.contains(&name.as_str())).collect();
    assert!(unknown.is_empty(), "not in the list of names: {unknown:?}");
}

/// The operations of L4, by the names that `Debug` gives them.
const NAMES: [&str; 42] = [
    "Scalar",
    "IndexAdd",
    "IndexMul",
    "InRange",
    "Call",
    "If",
    "Switch",
    "Loop",
    "Sum",
    "Node",
    "Load",
    "Open",
    "IsObject",
    "TagOf",
    "PointerOf",
    "NewArray",
    "LoadElement",
    "TakeElement",
    "StoreElement",
    "Append",
    "Axis",
    "Unshare",
    "Row",
    "ReplaceRow",
    "StoreRow",
    "Prim",
    "Product",
    "IsLarge",
    "Pieces",
    "OneHot",
    "AddAt",
    "Placed",
    "AddPlaced",
    "Dense",
    "Plus",
    "Text",
    "Quiet",
    "Site",
    "Retain",
    "Release",
    "Require",
    "Fail",
];

fn count(block: &Block, counts: &mut Counts) {
    for statement in &block.statements {
        *counts.entry(variant(&statement.op)).or_default() += 1;
        statement.op.for_each_block(|inside| count(inside, counts));
    }
}

fn variant(op: &Op) -> String {
    let text = format!("{op:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_string()
}
