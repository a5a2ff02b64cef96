//! The instances that a step has settled on, as a table for people: each function at its shapes, what it returns, how it settled.
//!
//! In: instances that have settled. Out: text, in the order in which the program has its functions. Recursive shapes and large ones have
//! names, `#1`, `#2`, …, which are explained below the table.

use std::fmt::Write;

use calculus::Prim;
use first_order::{Alternative, Head, ShapeId};
use rustc_hash::FxHashMap;

use crate::graph::NEVER;
use crate::instances::Specialiser;

impl Specialiser<'_> {
    /// A line for each instance that the entry needs.
    pub fn table(self, entry: usize) -> String {
        let mut shapes = Shapes { specialiser: &self, names: FxHashMap::default(), waiting: vec![] };
        let mut text = String::new();
        for (number, id) in self.needed(entry).into_iter().enumerate() {
            let instance = &self.instances[id];
            let name = self.described(instance.kind()).0;
            let params: Vec<String> = instance.params().iter().map(|shape| shapes.shape(*shape)).collect();
            let result = shapes.shape(instance.result);
            let (analyses, nestings) = instance.effort();
            let _ = writeln!(text, "{number}: {name}({}) -> {result}", params.join("; "));
            if analyses > 1 {
                let folded = if nestings > 0 { format!(", its result nested {nestings} times") } else { String::new() };
                let _ = writeln!(text, "    analysed {analyses} times{folded}");
            }
        }
        shapes.definitions(&mut text);
        text
    }
}

/// Writes shapes, and remembers those that have names.
struct Shapes<'a> {
    specialiser: &'a Specialiser<'a>,
    names: FxHashMap<ShapeId, usize>,
    /// Named ones that are still to be explained
    waiting: Vec<ShapeId>,
}

impl Shapes<'_> {
    fn shape(&mut self, id: ShapeId) -> String {
        if self.specialiser.graph.get(id).named.is_none() {
            return self.alternatives(id);
        }
        let next = self.names.len() + 1;
        let number = *self.names.entry(id).or_insert_with(|| {
            self.waiting.push(id);
            next
        });
        format!("#{number}")
    }

    fn alternatives(&mut self, id: ShapeId) -> String {
        if id == NEVER {
            return "never".to_string();
        }
        let alternatives = self.specialiser.graph.alternatives(id).to_vec();
        let all: Vec<String> = alternatives.iter().map(|one| base::budget::deep(|| self.alternative(one))).collect();
        all.join(" | ")
    }

    fn alternative(&mut self, Alternative { head, parts }: &Alternative) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.shape(*part)).collect();
        let all = parts.join(", ");
        match head {
            Head::Zero => "0".to_string(),
            Head::Bool => "bool".to_string(),
            Head::Int => "int".to_string(),
            Head::Real => "real".to_string(),
            Head::Text => "text".to_string(),
            Head::Tuple => format!("({all})"),
            Head::Record(labels) => fields(labels, &parts),
            Head::Variant(constructor) => format!("{}({all})", constructor.name),
            Head::Part(None, at) => format!("part{}", fields(at, &parts)),
            Head::Part(Some(constructor), at) => format!("part of {}{}", constructor.name, fields(at, &parts)),
            Head::Array(rank) => format!("[{all}; {rank}]"),
            Head::Handle(rank) => format!("sum [{all}; {rank}]"),
            Head::Frame(_) => format!("lengths ({all})"),
            Head::Closure { code, member } => self.closure(*code, *member, &parts),
            Head::Prim { prim, order } => primitive(*prim, *order),
            Head::Sealed { .. } => format!("sealed({all})"),
            Head::Full => format!("full({all})"),
        }
    }

    fn closure(&self, code: first_order::CodeId, member: u32, parts: &[String]) -> String {
        let labels = self.specialiser.codes.get(code).labels();
        let name = self.specialiser.described(&crate::instances::Kind::Call { code, member }).0;
        let captures = if parts.is_empty() { String::new() } else { fields(&labels, parts) };
        format!("fn {name}{captures}")
    }

    /// What the names mean; an explanation may bring more of them.
    fn definitions(&mut self, text: &mut String) {
        while !self.waiting.is_empty() {
            for id in std::mem::take(&mut self.waiting) {
                let (number, meaning) = (self.names[&id], self.alternatives(id));
                let _ = writeln!(text, "#{number} = {meaning}");
            }
        }
    }
}

fn fields<T: std::fmt::Display>(labels: &[T], parts: &[String]) -> String {
    let all: Vec<String> = labels.iter().zip(parts).map(|(label, part)| format!("{label}: {part}")).collect();
    format!("{{{}}}", all.join(", "))
}

/// A J-image has as many primes as Js.
fn primitive(prim: Prim, order: u32) -> String {
    format!("{}{}", prim.name(), "'".repeat(order as usize))
}
