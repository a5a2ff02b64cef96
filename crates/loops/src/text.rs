//! The text form of L4: printed for people, parsed back exactly ([`parse()`]).
//!
//! In: a program. Out: text, one statement per line; and back. `parse(&p.to_string())` is `p` again, reals bit for bit. Names, types,
//! spans and numbers look as in the text of L3 (`first_order::text`); a span that is left out is the default one. Parsing never panics; a
//! parsed program need not be well-formed: [`crate::check::check`] says.
//!
//! ```text
//! descriptor d0 = node of 2 words, pointers [1]
//! type List#0 = (| () | {real, List#0}) in d0
//! elements real in d1
//! prim p0 = matmul(s1 [object], s2 [object]) to s3 [object] @0:2..9
//! text t0 = "sum"
//! surveyed
//! maker m0 = f0 v3
//! entry f0
//!
//! f0 sum(v0: ptr, v1: int) -> (int) @0:0..40 {
//!   v2: int = int_add(v1, 1) @0:9..14
//!   …
//! ```
//!
//! Tables stand in this order, their rows in the order of their numbers. A variable's leaf stands where it is bound; variables that
//! nothing binds are listed first (`var v7: int`). What each operation looks like is said by `head` here and `op` in `parse.rs`, side by
//! side in the order of [`Op`].

mod parse;

use std::fmt::{self, Display, Formatter, Write};

use first_order::text::{name, print_type, quoted, real, span};

use crate::term::{
    Atom, Block, Cost, Descriptor, End, Function, Kind, Leaf, Matrix, Op, Pieces, Placed, PrimSite, Product, Program,
    Statement, Var,
};

pub use parse::parse;

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (number, descriptor) in self.descriptors.iter().enumerate() {
            writeln!(f, "descriptor d{number} = {descriptor}")?;
        }
        let types = self.layouts.definitions();
        for (number, (definition, node)) in self.layouts.named().enumerate() {
            let content = print_type(types, &definition.content);
            writeln!(f, "type {}#{number} = {content} in d{}", name(&definition.name), node.0)?;
        }
        let element = |(element, id): (_, crate::DescriptorId)| (id, print_type(types, element));
        let mut arrays: Vec<_> = self.layouts.arrays().map(element).collect();
        arrays.sort();
        for (id, element) in arrays {
            writeln!(f, "elements {element} in d{}", id.0)?;
        }
        for (number, site) in self.prims.iter().enumerate() {
            writeln!(f, "prim p{number} = {site}")?;
        }
        for (number, text) in self.texts.iter().enumerate() {
            writeln!(f, "text t{number} = {}", quoted(text))?;
        }
        if let Some(places) = &self.places {
            writeln!(f, "surveyed")?;
            for (number, place) in places.iter().enumerate() {
                writeln!(f, "maker m{number} = f{} v{}", place.function.0, place.var.0)?;
            }
        }
        writeln!(f, "entry f{}", self.entry.0)?;
        for (number, function) in self.functions.iter().enumerate() {
            write!(f, "\nf{number} {function}")?;
        }
        Ok(())
    }
}

impl Display for Descriptor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Node => "node",
            Kind::Array => "array",
            Kind::Columns => "columns",
        };
        write!(f, "{kind} of {} words, pointers {:?}", self.words, self.pointers)
    }
}

impl Display for PrimSite {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let args = self.args.iter().zip(&self.arg_leaves);
        let args = list(args.map(|(shape, leaves)| format!("s{} [{}]", shape.0, list(leaves))));
        let results = list(&self.result_leaves);
        write!(f, "{}({args}) to s{} [{results}]{}", self.prim, self.result.0, span(self.span))
    }
}

impl Display for Leaf {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Leaf::Bool => "bool",
            Leaf::Int => "int",
            Leaf::Real => "real",
            Leaf::Ptr => "ptr",
            Leaf::Object => "object",
        })
    }
}

impl Display for Var {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl Display for Atom {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Var(var) => write!(f, "{var}"),
            Atom::Bool(b) => write!(f, "{b}"),
            Atom::Int(i) => write!(f, "{i}"),
            Atom::Real(x) => f.write_str(&real(*x)),
            Atom::Null => f.write_str("null"),
            Atom::Tag(tag) => write!(f, "tag{tag}"),
        }
    }
}

impl Display for Placed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Placed { site, lengths, index, at, count, part, plain } = self;
        let plain = if *plain { "plain " } else { "" };
        write!(f, "place [{}] at [{}] {count} from {at} <- {plain}{part} by p{site}", list(lengths), list(index))
    }
}

impl Display for Pieces {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Pieces { function, count, work, captures, values } = self;
        write!(f, "pieces f{}({}) of {count} work [{}]", function.0, list(captures), list(work))?;
        match values {
            Some(values) => write!(f, " into {values}"),
            None => Ok(()),
        }
    }
}

impl Display for Cost {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.units)?;
        self.lengths.iter().try_for_each(|length| write!(f, " * {length}"))
    }
}

impl Display for Product {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Product { lengths, left, right, out } = self;
        write!(f, "product [{}] {left} {right}", list(lengths))?;
        match out {
            Some((out, rank, at)) => write!(f, " to {out}[{at}]{}", of_layout(*rank, false)),
            None => Ok(()),
        }
    }
}

impl Display for Matrix {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Matrix { array, rank, at, row, column } = self;
        write!(f, "{array}[{at}]{} by [{row}, {column}]", of_layout(*rank, false))
    }
}

fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut bound = vec![false; self.vars.len()];
        let mut bind = |var: &Var| {
            if let Some(bound) = bound.get_mut(var.0 as usize) {
                *bound = true;
            }
        };
        self.params.iter().for_each(&mut bind);
        each_bound(&self.body, &mut bind);
        let params = list(self.params.iter().map(|param| self.binder(*param)));
        let borrows = if self.borrows { " borrows" } else { "" };
        let results = list(&self.results);
        let mut text = format!("{}({params}) -> ({results}){borrows}{}", name(&self.name), span(self.span));
        text.push_str(" {");
        for (number, _) in bound.iter().enumerate().filter(|(_, bound)| !**bound) {
            text.push_str(&format!("\n  var {}", self.binder(Var(number as u32))));
        }
        Printer { function: self, text: &mut text, depth: 0 }.rest_of_block(&self.body);
        writeln!(f, "{text}")
    }
}

/// Visits the variables that a block binds.
fn each_bound(block: &Block, visit: &mut dyn FnMut(&Var)) {
    for statement in &block.statements {
        statement.vars.iter().for_each(&mut *visit);
        match &statement.op {
            Op::Loop { params, .. } => params.iter().for_each(|(param, _)| visit(param)),
            Op::Sum { index, .. } => visit(index),
            _ => {}
        }
        statement.op.for_each_block(|block| base::budget::deep(|| each_bound(block, visit)));
    }
}

impl Function {
    /// A variable with its leaf.
    fn binder(&self, var: Var) -> String {
        match self.vars.get(var.0 as usize) {
            Some(leaf) => format!("{var}: {leaf}"),
            None => var.to_string(),
        }
    }
}

struct Printer<'a> {
    function: &'a Function,
    text: &'a mut String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, line: fmt::Arguments<'_>) {
        self.text.push('\n');
        (0..self.depth).for_each(|_| self.text.push_str("  "));
        self.text.write_fmt(line).expect("writing to a string");
    }

    fn block(&mut self, block: &Block) {
        self.text.push_str(" {");
        self.rest_of_block(block);
    }

    fn rest_of_block(&mut self, block: &Block) {
        self.depth += 1;
        for statement in &block.statements {
            base::budget::deep(|| self.statement(statement));
        }
        match &block.end {
            End::Yield(atoms) => self.line(format_args!("yield {}", list(atoms))),
            End::Again(atoms) => self.line(format_args!("again {}", list(atoms))),
            End::Never => self.line(format_args!("never")),
        }
        self.depth -= 1;
        self.line(format_args!("}}"));
    }

    fn statement(&mut self, Statement { vars, op, span: place }: &Statement) {
        let bound = list(vars.iter().map(|var| self.function.binder(*var)));
        let equals = if vars.is_empty() { "" } else { " = " };
        self.line(format_args!("{bound}{equals}{}", self.head(op, vars.len())));
        match op {
            Op::If(_, yes, no) => {
                self.block(yes);
                self.text.push_str(" else");
                self.block(no);
            }
            Op::Switch(_, arms) => {
                for arm in arms {
                    let nulls =
                        if arm.nulls.is_empty() { String::new() } else { format!(" null {}", list(&arm.nulls)) };
                    self.line(format_args!("case{nulls}"));
                    self.block(&arm.block);
                }
            }
            Op::Loop { body, .. } | Op::Sum { body, .. } => self.block(body),
            _ => {}
        }
        self.text.push_str(&span(*place));
    }

    /// An operation without its blocks, that binds so many variables.
    fn head(&self, op: &Op, bound: usize) -> String {
        match op {
            Op::Scalar(scalar, atoms) => match scalar.name() {
                Some(name) => format!("{name}({})", list(atoms)),
                None => format!("{scalar:?}({})", list(atoms)),
            },
            Op::IndexAdd(a, b) => format!("{a} + {b}"),
            Op::IndexMul(a, b) => format!("{a} * {b}"),
            Op::InRange(a, b) => format!("{a} in 0..{b}"),
            Op::Call(id, atoms) => format!("f{}({})", id.0, list(atoms)),
            Op::If(condition, ..) => format!("if {condition}"),
            Op::Switch(tag, _) => format!("switch {tag}"),
            Op::Loop { params, .. } if params.is_empty() => "loop".into(),
            Op::Loop { params, .. } => {
                let first = |(param, atom): &(Var, Atom)| format!("{} = {atom}", self.function.binder(*param));
                format!("loop {}", list(params.iter().map(first)))
            }
            Op::Sum { count, index, .. } => format!("sum {} in 0..{count}", self.function.binder(*index)),
            Op::Node(id, atoms) => format!("new d{}({})", id.0, list(atoms)),
            Op::Load(id, node, at) => format!("{node}.{at} of d{}", id.0),
            Op::Open { descriptor, node, taken } if taken.is_empty() => format!("open {node} of d{}", descriptor.0),
            Op::Open { descriptor, node, taken } => {
                let taken = list(taken.iter().map(|(var, at)| format!("{var}.{at}")));
                format!("open {node} of d{} for {taken}", descriptor.0)
            }
            Op::IsObject(a) => format!("is_object {a}"),
            Op::TagOf(a) => format!("tag_of {a}"),
            Op::PointerOf(a) => format!("pointer_of {a}"),
            Op::NewArray(id, lengths) => format!("array d{}[{}]", id.0, list(lengths)),
            Op::LoadElement { array, rank, words, at, columns } => {
                element(*array, *at, of_layout(*rank, *columns), *words, bound)
            }
            Op::TakeElement { array, rank, words, at, columns } => {
                format!("take {}", element(*array, *at, of_layout(*rank, *columns), *words, bound))
            }
            Op::StoreElement { array, rank, at, leaves, columns } => {
                format!("{array}[{at}]{} <- {}", of_layout(*rank, *columns), some(leaves))
            }
            Op::Append { array, leaves } => format!("append {array} <- {}", some(leaves)),
            Op::Axis(array, axis) => format!("length {array} {axis}"),
            Op::Unshare(array) => format!("unshare {array}"),
            Op::Row { array, dropped, at } => format!("row {array} behind {dropped} from {at}"),
            Op::ReplaceRow { array, row, dropped, at } => {
                format!("replace {array} behind {dropped} from {at} <- {row}")
            }
            Op::StoreRow { array, row, at, count } => format!("store {array} row {at} of {count} <- {row}"),
            Op::Prim(site, atoms) => format!("p{site}({})", list(atoms)),
            Op::IsLarge(count, work) => format!("is_large {count} work [{}]", list(work)),
            Op::Pieces(pieces) => pieces.to_string(),
            Op::Product(product) => product.to_string(),
            Op::OneHot { lengths, at, value } => format!("one_hot [{}] {at} <- {value}", list(lengths)),
            Op::AddAt { site, sum, lengths, at, value } => {
                format!("add_at {sum} [{}] {at} <- {value} by p{site}", list(lengths))
            }
            Op::Placed(placed) => placed.to_string(),
            Op::Dense(handle, rank) => format!("dense {handle} {rank}"),
            Op::AddPlaced { site, sum, placed } => format!("add {sum} by p{site} {placed}"),
            Op::Plus { site, terms: [a, b], plain } => {
                let [p, q] = plain.map(|plain| if plain { "plain " } else { "" });
                format!("plus {p}{a}, {q}{b} by p{site}")
            }
            Op::Text(text) => format!("t{text}"),
            Op::Quiet(quiet) => format!("quiet {}", if *quiet { "on" } else { "off" }),
            Op::Site(maker) => format!("made_by m{maker}"),
            Op::Retain(a) => format!("retain {a}"),
            Op::Release(a) => format!("release {a}"),
            Op::IsUnique(a) => format!("is_unique {a}"),
            Op::Require(a, code) => format!("require {a} else {code}"),
            Op::Fail(code) => format!("fail {code}"),
        }
    }
}

/// Element `at` of an array; its words are said where they aren't the variables that are bound.
fn element(array: Atom, at: Atom, layout: String, words: u32, bound: usize) -> String {
    let words = if words as usize == bound { String::new() } else { format!(" words {words}") };
    format!("{array}[{at}]{layout}{words}")
}

fn of_layout(rank: u32, columns: bool) -> String {
    let rank = if rank == 1 { String::new() } else { format!(" rank {rank}") };
    rank + if columns { " columns" } else { "" }
}

/// Leaves, of which there may be none.
fn some(leaves: &[Atom]) -> String {
    if leaves.is_empty() { "()".into() } else { list(leaves) }
}
