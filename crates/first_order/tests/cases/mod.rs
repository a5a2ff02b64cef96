//! Programs before and after a stage, as files: what the tests of passes and of lowering share.
//!
//! A file holds comments that say what it shows, a program of L3, a line that begins with `====`, and what the stage makes of the
//! program. `EVERT_BLESS=1` writes what comes after the line anew. A program that a stage leaves as it is says `unchanged` there.
#![allow(dead_code)] // each test file uses some of it

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use first_order::{Block, Op, Program, Scalar, check, parse};

/// What stands after the line where the stage has nothing to do.
pub const UNCHANGED: &str = "unchanged\n";

pub struct Case {
    pub path: PathBuf,
    pub before: Program,
    /// The text up to the line, and after it.
    head: String,
    pub after: String,
}

impl Case {
    /// # Panics
    /// If the file is no program, or one that the checker refuses.
    fn read(path: &Path) -> Case {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let line = text.starts_with("====").then_some(0).or_else(|| Some(text.find("\n====")? + 1));
        let (head, rest) = text.split_at(line.unwrap_or(text.len()));
        let after = rest.split_once('\n').map_or("", |(_, after)| after).to_string();
        let before = parse(head).unwrap_or_else(|error| panic!("{}:{error}", path.display()));
        if let Err(violations) = check(&before) {
            panic!("{}: {violations:#?}", path.display());
        }
        Case { path: path.to_path_buf(), before, head: head.trim_end().to_string() + "\n", after }
    }

    pub fn name(&self) -> String {
        let parts: Vec<_> = self.path.iter().rev().take(2).map(|part| part.to_string_lossy()).collect();
        format!("{}/{}", parts[1], parts[0])
    }

    /// Is this what the stage should make? With `EVERT_BLESS` set, the file is written.
    pub fn expect(&self, stage: &str, found: &str) -> Result<(), String> {
        if std::env::var_os("EVERT_BLESS").is_some() {
            let text = format!("{}\n==== after {stage}\n{found}", self.head);
            fs::write(&self.path, text).map_err(|error| format!("{}: {error}", self.path.display()))?;
            return Ok(());
        }
        if self.after == found {
            return Ok(());
        }
        Err(format!("EVERT_BLESS=1 writes it anew\nexpected:\n{}\nfound:\n{found}", self.after))
    }
}

/// The cases in a folder, by their names.
pub fn in_folder(folder: &Path, extension: &str) -> Vec<Case> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a file of the folder").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    paths.sort();
    paths.iter().map(|path| Case::read(path)).collect()
}

/// How often something occurs, by its name.
pub type Counts = BTreeMap<String, usize>;

/// Counts the operations of L3 in a program; those on scalars by their names.
pub fn count_ops(program: &Program, counts: &mut Counts) {
    fn block(of: &Block, counts: &mut Counts) {
        for statement in &of.statements {
            *counts.entry(op_name(&statement.op).to_string()).or_default() += 1;
            statement.op.blocks(&mut |_, inside| block(inside, counts));
        }
    }
    program.functions.iter().for_each(|function| block(&function.body, counts));
}

/// The names of all operations.
pub fn all_ops() -> Vec<&'static str> {
    const OTHERS: [&str; 29] = [
        "atom",
        "text",
        "struct",
        "field",
        "inject",
        "switch",
        "if",
        "box",
        "unbox",
        "view",
        "call",
        "loop",
        "tabulate",
        "sum",
        "array",
        "len",
        "axis",
        "flat",
        "shaped",
        "dense",
        "collected",
        "element",
        "replace",
        "append",
        "prim",
        "quiet on",
        "quiet off",
        "require",
        "fail",
    ];
    Scalar::all().filter_map(Scalar::name).chain(OTHERS).collect()
}

fn op_name(op: &Op) -> &'static str {
    match op {
        Op::Atom(_) => "atom",
        Op::Text(_) => "text",
        Op::Scalar(scalar, _) => scalar.name().expect("a scalar that exists"),
        Op::Struct(_) => "struct",
        Op::Field(..) => "field",
        Op::Inject(..) => "inject",
        Op::Switch(..) => "switch",
        Op::If(..) => "if",
        Op::Box(_) => "box",
        Op::Unbox(_) => "unbox",
        Op::View(_) => "view",
        Op::Call(..) => "call",
        Op::Loop { .. } => "loop",
        Op::Tabulate { .. } => "tabulate",
        Op::Sum { .. } => "sum",
        Op::Array(_) => "array",
        Op::Len(_) => "len",
        Op::Axis(..) => "axis",
        Op::Flat(_) => "flat",
        Op::Shaped(..) => "shaped",
        Op::Dense(_) => "dense",
        Op::Collected(_) => "collected",
        Op::Element(..) => "element",
        Op::Replace(..) => "replace",
        Op::Append(..) => "append",
        Op::Prim { .. } => "prim",
        Op::Quiet(true) => "quiet on",
        Op::Quiet(false) => "quiet off",
        Op::Require(..) => "require",
        Op::Fail(_) => "fail",
    }
}

/// What occurs nowhere; prints how often the others do.
pub fn missing(what: &str, all: &[&str], counts: &Counts) -> Vec<String> {
    let seen: Vec<String> = all.iter().filter_map(|name| Some(format!("{name} {}", counts.get(*name)?))).collect();
    println!("{what}: {} of {}: {}", seen.len(), all.len(), seen.join(", "));
    all.iter().filter(|name| !counts.contains_key(**name)).map(ToString::to_string).collect()
}
