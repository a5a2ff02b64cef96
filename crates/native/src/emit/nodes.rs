//! Nodes: making them, and opening them when their last owner reads them.

use loops::memory::{self, HEADER, SMALL_WORDS};
use loops::{Atom, Leaf, Var};

use super::body::Body;
use super::memory::{COUNT, DESCRIPTOR, Place};

impl Body<'_> {
    pub(super) fn node(&mut self, name: &str, descriptor: u32, atoms: &[Atom]) {
        let words = HEADER + atoms.len() as u32;
        self.needs.nodes.insert(words);
        self.define(name, format_args!("call fastcc ptr @new_{words}(ptr %ctx)"));
        self.line(format_args!("store i64 1, ptr {name}, {COUNT}"));
        let place = self.lines.word(name, memory::DESCRIPTOR);
        self.line(format_args!("store ptr @d{descriptor}, ptr {place}, {DESCRIPTOR}"));
        self.store_words(Place::Node, name, HEADER as usize, atoms);
    }

    /// If nobody else sees the node, its room is free, and what wasn't taken of it is released; otherwise what was taken is
    /// retained.
    pub(super) fn open(&mut self, descriptor: u32, node: &Atom, taken: &[(Var, u32)]) {
        let node = self.atom(node);
        let (alone, shared, join) = (self.new_label(), self.new_label(), self.new_label());
        let count = self.value(format_args!("load i64, ptr {node}, {COUNT}"));
        let unique = self.value(format_args!("icmp eq i64 {count}, 1"));
        self.line(format_args!("br i1 {unique}, label %{alone}, label %{shared}"));
        self.begin(alone);
        self.free_node(descriptor, &node, taken);
        self.line(format_args!("br label %{join}"));
        self.begin(shared);
        let less = self.value(format_args!("add i64 {count}, -1"));
        self.line(format_args!("store i64 {less}, ptr {node}, {COUNT}"));
        taken.iter().for_each(|(var, _)| self.retain(&Atom::Var(*var)));
        self.line(format_args!("br label %{join}"));
        self.begin(join);
    }

    fn free_node(&mut self, descriptor: u32, node: &str, taken: &[(Var, u32)]) {
        let program = self.program;
        let descriptor = &program.descriptors[descriptor as usize];
        let words = HEADER + descriptor.words;
        if words >= SMALL_WORDS {
            // The runtime releases the pointers with the node.
            taken.iter().for_each(|(var, _)| self.retain(&Atom::Var(*var)));
            self.line(format_args!("call void @rt_free(ptr %ctx, ptr {node})"));
            return;
        }
        let rest = descriptor.pointers.iter().filter(|at| taken.iter().all(|(_, place)| place != *at));
        for at in rest {
            let (from, pointer) = (self.lines.word(node, HEADER + at), self.lines.temporary());
            self.lines.load_word(&pointer, Leaf::Ptr, &from, Place::Node);
            self.line(format_args!("call fastcc void @release(ptr %ctx, ptr {pointer})"));
        }
        self.needs.freed.insert(words);
        self.line(format_args!("call fastcc void @free_{words}(ptr %ctx, ptr {node})"));
    }

    pub(super) fn retain(&mut self, atom: &Atom) {
        let object = if self.leaf_of(atom) == Leaf::Object { "_object" } else { "" };
        self.line(format_args!("call fastcc void @retain{object}(ptr {})", self.atom(atom)));
    }

    pub(super) fn release(&mut self, atom: &Atom) {
        let object = if self.leaf_of(atom) == Leaf::Object { "_object" } else { "" };
        self.line(format_args!("call fastcc void @release{object}(ptr %ctx, ptr {})", self.atom(atom)));
    }
}
