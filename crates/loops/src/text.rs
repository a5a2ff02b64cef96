//! L4 as text, for people and tests.

use std::fmt::{self, Display, Formatter, Write};

use crate::term::{Atom, Block, Descriptor, End, Function, Kind, Leaf, Op, Program, Statement, Var};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (number, descriptor) in self.descriptors.iter().enumerate() {
            writeln!(f, "descriptor d{number} = {descriptor}")?;
        }
        for (number, site) in self.prims.iter().enumerate() {
            writeln!(f, "prim p{number} = {}", site.prim)?;
        }
        for (number, text) in self.texts.iter().enumerate() {
            writeln!(f, "text t{number} = {text:?}")?;
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
        };
        write!(f, "{kind} of {} words, pointers {:?}", self.words, self.pointers)
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
            Atom::Real(x) => write!(f, "{x:?}"),
            Atom::Null => f.write_str("null"),
            Atom::Tag(tag) => write!(f, "tag {tag}"),
        }
    }
}

fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let params = self.params.iter().map(|param| format!("{param}: {}", self.vars[param.0 as usize]));
        let mut text = format!("{}({}) -> ({})", self.name, list(params), list(&self.results));
        Printer { function: self, text: &mut text, depth: 0 }.block(&self.body);
        writeln!(f, "{text}")
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
        self.depth += 1;
        for statement in &block.statements {
            stacker::maybe_grow(64 << 10, 1 << 20, || self.statement(statement));
        }
        match &block.end {
            End::Yield(atoms) => self.line(format_args!("yield {}", list(atoms))),
            End::Again(atoms) => self.line(format_args!("again {}", list(atoms))),
            End::Never => self.line(format_args!("never")),
        }
        self.depth -= 1;
        self.line(format_args!("}}"));
    }

    fn statement(&mut self, Statement { vars, op, .. }: &Statement) {
        let bound = list(vars.iter().map(|var| format!("{var}: {}", self.function.vars[var.0 as usize])));
        let equals = if vars.is_empty() { "" } else { " = " };
        self.line(format_args!("{bound}{equals}{}", head(op)));
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
            Op::Loop { body, .. } => self.block(body),
            _ => {}
        }
    }
}

/// An operation without its blocks.
fn head(op: &Op) -> String {
    match op {
        Op::Scalar(scalar, atoms) => format!("{scalar:?}({})", list(atoms)),
        Op::IndexAdd(a, b) => format!("{a} + {b}"),
        Op::IndexMul(a, b) => format!("{a} * {b}"),
        Op::InRange(a, b) => format!("{a} in 0..{b}"),
        Op::Call(id, atoms) => format!("f{}({})", id.0, list(atoms)),
        Op::If(condition, ..) => format!("if {condition}"),
        Op::Switch(tag, _) => format!("switch {tag}"),
        Op::Loop { params, .. } => {
            format!("loop {}", list(params.iter().map(|(param, atom)| format!("{param} = {atom}"))))
        }
        Op::Node(id, atoms) => format!("new d{}({})", id.0, list(atoms)),
        Op::Load(_, node, at) => format!("{node}.{at}"),
        Op::Open { node, taken, .. } => format!("open {node} for {}", list(taken.iter().map(|(var, _)| var))),
        Op::IsObject(a) => format!("is_object {a}"),
        Op::TagOf(a) => format!("tag_of {a}"),
        Op::PointerOf(a) => format!("pointer_of {a}"),
        Op::NewArray(id, lengths) => format!("array d{}[{}]", id.0, list(lengths)),
        Op::LoadElement { array, at, .. } => format!("{array}[{at}]"),
        Op::TakeElement { array, at, .. } => format!("take {array}[{at}]"),
        Op::StoreElement { array, at, leaves, .. } => format!("{array}[{at}] <- {}", list(leaves)),
        Op::Append { array, leaves } => format!("append {array} <- {}", list(leaves)),
        Op::Axis(array, axis) => format!("length {array} {axis}"),
        Op::Unshare(array) => format!("unshare {array}"),
        Op::Row { array, dropped, at } => format!("row {array} behind {dropped} from {at}"),
        Op::ReplaceRow { array, row, dropped, at } => format!("replace {array} behind {dropped} from {at} <- {row}"),
        Op::StoreRow { array, row, at, count } => format!("store {array} row {at} of {count} <- {row}"),
        Op::Prim(site, atoms) => format!("p{site}({})", list(atoms)),
        Op::OneHot { lengths, at, value } => format!("one_hot [{}] {at} <- {value}", list(lengths)),
        Op::AddAt { sum, lengths, at, value, .. } => format!("add {sum} [{}] {at} <- {value}", list(lengths)),
        Op::Plus { terms: [a, b], .. } => format!("plus {a} {b}"),
        Op::Text(text) => format!("t{text}"),
        Op::Quiet(quiet) => format!("quiet {quiet}"),
        Op::Site(place) => format!("site {place}"),
        Op::Retain(a) => format!("retain {a}"),
        Op::Release(a) => format!("release {a}"),
        Op::IsUnique(a) => format!("is_unique {a}"),
        Op::Require(a, code) => format!("require {a} else {code}"),
        Op::Fail(code) => format!("fail {code}"),
    }
}
