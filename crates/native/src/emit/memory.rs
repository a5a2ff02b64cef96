//! Leaves in memory: every leaf is a word, a bool is 0 or 1. Metadata tells LLVM which kinds of word never overlap.

use std::fmt::{self, Write};

use loops::Leaf;

use super::type_of;

/// Lines of IR being written.
pub(crate) struct Lines<'t> {
    pub(crate) text: &'t mut String,
    next: u32,
    /// The node of metadata that says where instructions come from.
    pub(crate) origin: Option<usize>,
}

/// The metadata of accesses; see `prelude::TEXT`.
pub(crate) const LENGTH: &str = "!tbaa !14";
pub(crate) const COUNT: &str = "!tbaa !15";
pub(crate) const DESCRIPTOR: &str = "!tbaa !16";

/// Where a word is. Room on the stack is used for words of any kind, and the room of a node by other nodes without LLVM noticing;
/// the room of an array goes through the runtime before anything else is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Scratch,
    Node,
    Array,
}

fn tag(leaf: Leaf, place: Place) -> &'static str {
    match (place, leaf) {
        (Place::Scratch, _) => "",
        (Place::Node, _) => ", !tbaa !18",
        (Place::Array, Leaf::Bool | Leaf::Int) => ", !tbaa !11",
        (Place::Array, Leaf::Real) => ", !tbaa !12",
        (Place::Array, Leaf::Ptr | Leaf::Object) => ", !tbaa !13",
    }
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t mut String) -> Lines<'t> {
        Lines { text, next: 0, origin: None }
    }

    pub(crate) fn line(&mut self, line: fmt::Arguments<'_>) {
        base::budget::spend(1);
        let start = self.text.len();
        self.text.write_fmt(line).expect("writing to a string");
        if let Some(origin) = self.origin.filter(|_| self.text[start..].starts_with("  ")) {
            let _ = write!(self.text, ", !dbg !{origin}");
        }
        self.text.push('\n');
    }

    /// A name for an intermediate value.
    pub(crate) fn temporary(&mut self) -> String {
        self.next += 1;
        format!("%t{}", self.next)
    }

    /// `%t = …`
    pub(crate) fn value(&mut self, instruction: fmt::Arguments<'_>) -> String {
        let name = self.temporary();
        self.line(format_args!("  {name} = {instruction}"));
        name
    }

    pub(crate) fn load_word(&mut self, name: &str, leaf: Leaf, from: &str, place: Place) {
        let tag = tag(leaf, place);
        if leaf == Leaf::Bool {
            let word = self.value(format_args!("load i64, ptr {from}{tag}"));
            self.line(format_args!("  {name} = icmp ne i64 {word}, 0"));
        } else {
            self.line(format_args!("  {name} = load {}, ptr {from}{tag}", type_of(leaf)));
        }
    }

    pub(crate) fn store_word(&mut self, value: &str, leaf: Leaf, to: &str, place: Place) {
        let tag = tag(leaf, place);
        if leaf == Leaf::Bool {
            let word = self.value(format_args!("zext i1 {value} to i64"));
            self.line(format_args!("  store i64 {word}, ptr {to}{tag}"));
        } else {
            self.line(format_args!("  store {} {value}, ptr {to}{tag}", type_of(leaf)));
        }
    }

    /// The address of a word behind a pointer.
    pub(crate) fn word(&mut self, pointer: &str, at: u32) -> String {
        self.value(format_args!("getelementptr inbounds i64, ptr {pointer}, i64 {at}"))
    }
}
