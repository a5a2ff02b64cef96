//! Redundant fields of elements: parts of elements of arrays that needn't be read from there: what is the same in all elements, lengths of arrays, the index of the element, and
//! what was itself read from another array by that index.
//!
//! A `tabulate` gives elements of known parts; whoever reads such a part of an array that only this `tabulate` makes reads what
//! the part was made from, where that is still at hand. [`dead_parts`](crate::passes::dead_parts) then drops what nobody reads. Arrays of
//! backpropagators hold lengths, captured arrays and copies of rows in every element.
//!
//! Only in the function that is the program: what it binds outside of loops is there once.

use calculus::Prim;
use first_order::{Atom, Block, End, Op, Program, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analyses::points_to::PointsTo;
use crate::deep;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, has_blocks};

pub fn run(program: &mut Program) {
    let function = &mut program.functions[program.entry.0 as usize];
    let mut tables = Tables::default();
    tables.scope.extend(&function.params);
    tables.collect(&function.body, In::Program);
    if tables.parts.is_empty() {
        return;
    }
    let mut origins = PointsTo::of(function);
    let mut body = std::mem::replace(&mut function.body, crate::rewriting::walk::empty());
    let mut reader = Reader {
        tables: &tables,
        origins: &mut origins,
        vars: &function.vars,
        in_scope: function.params.iter().copied().collect(),
        read: FxHashMap::default(),
    };
    reader.block(&mut body);
    function.body = body;
    renumber(function);
}

/// What a part of the element at some index is.
#[derive(Clone, Debug)]
enum Part {
    Same(Atom),
    Index,
    /// The element or row of this array at the index.
    ElementOf(Var),
    /// Lengths of this array, by an operation that costs next to nothing.
    LengthsOf(Var, Op),
    Struct(Vec<Part>),
    Unknown,
}

/// Where a block stands.
#[derive(Clone, Copy, PartialEq)]
enum In {
    Program,
    Loop,
}

/// What elements are made of, by the `tabulate` that makes them.
#[derive(Default)]
struct Tables {
    parts: FxHashMap<Var, Part>,
    /// What is bound outside of loops.
    scope: FxHashSet<Var>,
}

impl Tables {
    fn collect(&mut self, block: &Block, place: In) {
        for statement in &block.statements {
            if place == In::Program {
                self.scope.insert(statement.var);
            }
            match &statement.op {
                Op::Tabulate { index, body, .. } => {
                    deep(|| self.collect(body, In::Loop));
                    self.table(statement.var, *index, body);
                }
                Op::Loop { body, .. } | Op::Sum { body, .. } => deep(|| self.collect(body, In::Loop)),
                op if has_blocks(op) => deep(|| op.blocks(&mut |_, block| self.collect(block, place))),
                _ => {}
            }
        }
    }

    fn table(&mut self, var: Var, index: Var, body: &Block) {
        let End::Yield(atom @ Atom::Var(_)) = &body.end else { return };
        let made: FxHashMap<Var, &Op> =
            body.statements.iter().map(|statement| (statement.var, &statement.op)).collect();
        let part = self.part(atom, index, &made);
        if !matches!(part, Part::Unknown) {
            self.parts.insert(var, part);
        }
    }

    fn part(&self, atom: &Atom, index: Var, made: &FxHashMap<Var, &Op>) -> Part {
        let Atom::Var(var) = atom else { return Part::Same(atom.clone()) };
        if *var == index {
            return Part::Index;
        }
        if self.scope.contains(var) {
            return Part::Same(atom.clone());
        }
        match made.get(var) {
            Some(Op::Struct(fields)) => {
                Part::Struct(fields.iter().map(|field| deep(|| self.part(field, index, made))).collect())
            }
            Some(Op::Element(Atom::Var(array), indices)) if self.scope.contains(array) => match indices[..] {
                [Atom::Var(at)] if at == index => Part::ElementOf(*array),
                _ => Part::Unknown,
            },
            Some(op @ Op::Len(Atom::Var(array))) if self.scope.contains(array) => {
                Part::LengthsOf(*array, (*op).clone())
            }
            Some(op @ Op::Prim { prim: Prim::Frame, args, .. }) => match args[..] {
                [Atom::Var(array)] if self.scope.contains(&array) => Part::LengthsOf(array, (*op).clone()),
                _ => Part::Unknown,
            },
            _ => Part::Unknown,
        }
    }
}

/// Reads parts from where they come from.
struct Reader<'a> {
    tables: &'a Tables,
    origins: &'a mut PointsTo,
    vars: &'a [Type],
    in_scope: FxHashSet<Var>,
    /// Variables that hold a part of an element at an index.
    read: FxHashMap<Var, (Part, Atom)>,
}

impl Reader<'_> {
    fn block(&mut self, block: &mut Block) {
        for Statement { var, op, .. } in &mut block.statements {
            if has_blocks(op) {
                deep(|| blocks_mut(op, &mut |block| self.block(block)));
            } else if let Some(other) = self.instead(*var, op) {
                *op = other;
            }
            self.in_scope.insert(*var);
        }
        for statement in &block.statements {
            self.in_scope.remove(&statement.var);
        }
    }

    fn instead(&mut self, var: Var, op: &Op) -> Option<Op> {
        let (part, index) = match op {
            Op::Element(Atom::Var(array), indices) => {
                let [index] = &indices[..] else { return None };
                let table = self.origins.only(*array)?;
                (self.tables.parts.get(&table)?.clone(), index.clone())
            }
            Op::Field(Atom::Var(of), i) => match self.read.get(of)? {
                (Part::Struct(parts), index) => (parts[*i as usize].clone(), index.clone()),
                _ => return None,
            },
            _ => return None,
        };
        let of = &self.vars[var.0 as usize];
        // Reading the element itself may fail.
        let instead = match (&part, matches!(op, Op::Field(..))) {
            (Part::Same(Atom::Var(other)), true) => {
                let fits = self.in_scope.contains(other) && self.vars[other.0 as usize] == *of;
                fits.then_some(Op::Atom(Atom::Var(*other)))
            }
            (Part::Same(constant), true) => Some(Op::Atom(constant.clone())),
            (Part::Index, true) => Some(Op::Atom(index.clone())),
            (Part::ElementOf(array), true) if self.in_scope.contains(array) => {
                Some(Op::Element(Atom::Var(*array), vec![index.clone()]))
            }
            (Part::LengthsOf(array, lengths), true) if self.in_scope.contains(array) => Some(lengths.clone()),
            _ => None,
        };
        self.read.insert(var, (part, index));
        instead
    }
}
