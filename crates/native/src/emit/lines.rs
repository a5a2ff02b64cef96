//! Line tables for a profile: which instruction belongs to which place of the program.
//!
//! In: the places of statements. Out: LLVM's debug information, in which the "line" of an instruction is the number of its place in a table, from 1. So the places survive whatever LLVM moves,
//! copies and inlines, and the code itself is the same as without them.

use std::fmt::Write;

use base::Span;
use rustc_hash::FxHashMap;

/// Whether instructions say where they come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Origins {
    #[default]
    Unknown,
    Told,
}

/// The number of the first node of metadata: those before are the prelude's.
const FIRST: usize = 100;

/// The nodes of metadata, and the places that they name.
#[derive(Default)]
pub(crate) struct Table {
    pub(super) places: Vec<Span>,
    numbers: FxHashMap<Span, usize>,
    nodes: String,
    count: usize,
    locations: FxHashMap<(usize, usize), usize>,
}

impl Table {
    pub(super) fn new() -> Table {
        let mut table = Table::default();
        // The numbers of these three are known to `end`.
        table.node("!DIFile(filename: \"evert\", directory: \"\")");
        table.node(&format!(
            "distinct !DICompileUnit(language: DW_LANG_C, file: !{FIRST}, producer: \"evert\", isOptimized: true, runtimeVersion: 0, emissionKind: LineTablesOnly)"
        ));
        table.node("!DISubroutineType(types: !{})");
        table
    }

    fn node(&mut self, text: &str) -> usize {
        let number = FIRST + self.count;
        self.count += 1;
        let _ = writeln!(self.nodes, "!{number} = {text}");
        number
    }

    /// A function, which its instructions name.
    pub(super) fn function(&mut self, number: usize) -> usize {
        let (file, unit, ty) = (FIRST, FIRST + 1, FIRST + 2);
        self.node(&format!(
            "distinct !DISubprogram(name: \"f{number}\", scope: !{file}, file: !{file}, line: 0, type: !{ty}, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{unit})"
        ))
    }

    /// A place in a function.
    pub(super) fn location(&mut self, function: usize, span: Span) -> usize {
        let next = self.places.len() + 1;
        let line = *self.numbers.entry(span).or_insert(next);
        if line == next {
            self.places.push(span);
        }
        if let Some(known) = self.locations.get(&(function, line)) {
            return *known;
        }
        let number = self.node(&format!("!DILocation(line: {line}, column: 0, scope: !{function})"));
        self.locations.insert((function, line), number);
        number
    }

    /// What stands at the end of the module.
    pub(super) fn end(self, text: &mut String) -> Vec<Span> {
        let unit = FIRST + 1;
        let (dwarf, version) = (FIRST + self.count, FIRST + self.count + 1);
        text.push_str(&self.nodes);
        let _ = writeln!(text, "!llvm.dbg.cu = !{{!{unit}}}\n!llvm.module.flags = !{{!{dwarf}, !{version}}}");
        let _ = writeln!(text, "!{dwarf} = !{{i32 7, !\"Dwarf Version\", i32 4}}");
        let _ = writeln!(text, "!{version} = !{{i32 2, !\"Debug Info Version\", i32 3}}");
        self.places
    }
}
