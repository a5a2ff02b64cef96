//! L4 → LLVM IR text (LLVM 19 and later).
//!
//! In: an L4 program that its checker accepts. Out: one module that defines `entry` and needs only [`RUNTIME_SYMBOLS`]. No address of this process is in the text, so equal programs give equal text. No fast-math: every
//! operation on reals is IEEE's.

mod body;
mod checks;
mod lanes;
mod lines;
mod memory;
mod nodes;
mod pieces;
mod prelude;
mod progress;
mod scalars;
mod small;
mod sums;
mod transcendentals;

pub use checks::Checks;
pub use lines::Origins;
pub use loops::symbols::{RUNTIME_SYMBOLS, SIGNATURES};
pub use progress::Progress;

use std::collections::BTreeSet;
use std::fmt::Write;

use loops::{Descriptor, Leaf, Program};

/// The module's text.
pub fn emit(program: &Program) -> String {
    emit_with(program, Checks::Language, Progress::Silent)
}

/// The same, with a line table; and the places that it names, from 1.
pub fn emit_with_origins(program: &Program, checks: Checks, progress: Progress) -> (String, Vec<base::Span>) {
    write(program, checks, progress, Origins::Told)
}

/// The same, with checks, or for somebody who watches.
pub fn emit_with(program: &Program, checks: Checks, progress: Progress) -> String {
    write(program, checks, progress, Origins::Unknown).0
}

fn write(program: &Program, checks: Checks, progress: Progress, origins: Origins) -> (String, Vec<base::Span>) {
    let mut text = String::from("source_filename = \"evert\"\n\n");
    let mut needs = Needs { lines: (origins == Origins::Told).then(lines::Table::new), ..Needs::default() };
    let recursive = loops::recursive(program);
    let outermost = match progress {
        Progress::Silent => vec![false; program.functions.len()],
        Progress::Told => progress::outermost(program, &recursive),
    };
    descriptors(program, &mut text);
    for (number, function) in program.functions.iter().enumerate() {
        let function =
            body::Of { program, number, function, recursive: recursive[number], outermost: outermost[number], checks };
        body::function(function, &mut needs, &mut text);
    }
    entry(program, needs.lines.as_mut(), &mut text);
    let (checked, surveyed) = (checks == Checks::Memory, program.places.is_some());
    // The runtime writes down who makes what, or what is alive.
    let allocation = if checked || surveyed { prelude::allocation_by_runtime } else { prelude::allocation };
    needs.nodes.iter().for_each(|words| allocation(*words, &mut text));
    let freeing = if checked { prelude::freeing_by_runtime } else { prelude::freeing };
    needs.freed.iter().for_each(|words| freeing(*words, &mut text));
    let small = if checked || surveyed { small::define_by_runtime } else { small::define };
    small(&mut text);
    pieces::define(program, &needs.pieces, &mut text);
    transcendentals::define(&needs.transcendentals, &mut text);
    prelude::ADD_AT.for_each(|rank| prelude::add_at(rank, &mut text));
    if needs.sums {
        text.push_str(sums::TEXT);
    }
    if needs.lanes {
        text.push_str(lanes::TEXT);
    }
    prelude::definitions(&mut text);
    prelude::declarations(checks, &mut text);
    text.push_str(prelude::METADATA);
    text.extend(needs.constants);
    if checked {
        text.extend(needs.places);
    }
    let places = needs.lines.map_or(vec![], |lines| lines.end(&mut text));
    (text, places)
}

/// What the functions use and the module therefore defines.
#[derive(Default)]
pub(crate) struct Needs {
    /// Total sizes of nodes, in words.
    pub(crate) nodes: BTreeSet<u32>,
    /// Of those that are freed where they are opened.
    pub(crate) freed: BTreeSet<u32>,
    pub(crate) transcendentals: BTreeSet<u16>,
    /// How many of their operations are written into loops.
    pub(crate) inlined: usize,
    /// Are there sums?
    pub(crate) sums: bool,
    /// Are there some whose bodies are vectors?
    pub(crate) lanes: bool,
    /// The functions that do pieces of loops.
    pub(crate) pieces: BTreeSet<u32>,
    /// What is written into arrays at once.
    pub(crate) constants: Vec<String>,
    /// Constants that say where code is, in a checked build.
    pub(crate) places: Vec<String>,
    /// Where instructions come from, if somebody wants to know.
    pub(crate) lines: Option<lines::Table>,
}

/// LLVM's type of a leaf in a register.
pub(crate) fn type_of(leaf: Leaf) -> &'static str {
    match leaf {
        Leaf::Bool => "i1",
        Leaf::Int => "i64",
        Leaf::Real => "double",
        Leaf::Ptr | Leaf::Object => "ptr",
    }
}

/// Are results returned by value? Others go through memory: as many as an x86-64 machine has registers for, so that LLVM never has to move results to
/// memory by itself. (What its quick code generator made of four reals ended in an illegal instruction on machines with AVX-512.)
pub(crate) fn by_value(results: &[Leaf]) -> bool {
    const REALS: usize = 2;
    const OTHERS: usize = 3;
    let reals = results.iter().filter(|leaf| **leaf == Leaf::Real).count();
    reals <= REALS && results.len() - reals <= OTHERS
}

/// How a function returns its leaves.
pub(crate) fn return_type(results: &[Leaf]) -> String {
    match results {
        [] => "void".to_string(),
        [one] => type_of(*one).to_string(),
        several if by_value(several) => {
            let types: Vec<_> = several.iter().map(|leaf| type_of(*leaf)).collect();
            format!("{{ {} }}", types.join(", "))
        }
        _ => "void".to_string(),
    }
}

fn descriptors(program: &Program, text: &mut String) {
    for (number, Descriptor { kind, words, pointers }) in program.descriptors.iter().enumerate() {
        let kind = kind.number();
        let offsets: Vec<String> = pointers.iter().map(|at| format!("i64 {at}")).collect();
        let count = pointers.len();
        let _ = writeln!(
            text,
            "@d{number} = internal constant {{ i64, i64, i64, [{count} x i64] }} {{ i64 {kind}, i64 {words}, i64 {count}, [{count} x i64] [{}] }}",
            offsets.join(", ")
        );
    }
}

/// The function that the runtime calls: leaf words in memory.
fn entry(program: &Program, lines: Option<&mut lines::Table>, text: &mut String) {
    let function = &program.functions[program.entry.0 as usize];
    let mut body = memory::Lines::new(text);
    // What is inlined here keeps its places only if this function has one, too.
    let (debug, origin) = match lines {
        Some(lines) => {
            let scope = lines.function(program.functions.len());
            (format!(" !dbg !{scope}"), Some(lines.location(scope, base::Span::OF_CALLER)))
        }
        None => (String::new(), None),
    };
    body.line(format_args!("define void @entry(ptr noalias %ctx, ptr %args, ptr %out) nounwind{debug} {{"));
    body.origin = origin;
    let mut args = vec!["ptr %ctx".to_string()];
    for (at, param) in function.params.iter().enumerate() {
        let leaf = function.vars[param.0 as usize];
        body.line(format_args!("  %a{at}.p = getelementptr i64, ptr %args, i64 {at}"));
        body.load_word(&format!("%a{at}"), leaf, &format!("%a{at}.p"), memory::Place::Scratch);
        args.push(format!("{} %a{at}", type_of(leaf)));
    }
    let by_value = by_value(&function.results);
    if !by_value {
        args.push("ptr %out".to_string());
    }
    let (number, returned) = (program.entry.0, return_type(&function.results));
    let result = if returned == "void" { "" } else { "%r = " };
    body.line(format_args!("  {result}call fastcc {returned} @f{number}({})", args.join(", ")));
    for (at, leaf) in function.results.iter().enumerate().filter(|_| by_value) {
        let value = if function.results.len() == 1 {
            "%r".to_string()
        } else {
            body.line(format_args!("  %r{at} = extractvalue {returned} %r, {at}"));
            format!("%r{at}")
        };
        body.line(format_args!("  %o{at}.p = getelementptr i64, ptr %out, i64 {at}"));
        body.store_word(&value, *leaf, &format!("%o{at}.p"), memory::Place::Scratch);
    }
    body.origin = None;
    body.line(format_args!("  ret void\n}}\n"));
}
