//! Which arrays a function makes by `tabulate`, and what is read of them.

use std::collections::BTreeMap;

use calculus::Prim;
use first_order::{Atom, Block, Function, Op, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::deep;
use crate::rewriting::walk::{end_atoms, has_blocks};

/// A `tabulate` of rank 1.
pub struct Table {
    pub var: Var,
    /// The statements around it that repeat, outermost first.
    pub inside: Vec<Var>,
    pub index: Var,
}

/// What is read of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Need {
    All,
    /// Of a struct, these fields.
    Fields(BTreeMap<u32, Need>),
    /// Of an array its length, and this of its elements, one by one.
    Elements(Box<Need>),
}

impl Need {
    pub fn nothing() -> Need {
        Need::Fields(BTreeMap::new())
    }

    pub fn join(&mut self, other: Need) {
        match (&mut *self, other) {
            (Need::All, _) => {}
            (own, other) if *own == Need::nothing() => *own = other,
            (_, other) if other == Need::nothing() => {}
            (Need::Fields(own), Need::Fields(others)) => {
                for (field, need) in others {
                    own.entry(field).or_insert_with(Need::nothing).join(need);
                }
            }
            (Need::Elements(own), Need::Elements(other)) => own.join(*other),
            _ => *self = Need::All,
        }
    }

    pub fn field(&self, field: usize) -> Need {
        match self {
            Need::All | Need::Elements(_) => Need::All,
            Need::Fields(known) => known.get(&(field as u32)).cloned().unwrap_or_else(Need::nothing),
        }
    }
}

/// A place where an element is read.
pub struct Read {
    pub var: Var,
    pub index: Atom,
    /// The statements around it that repeat, outermost first.
    pub inside: Vec<Var>,
}

/// All that is read of a value, and where.
#[derive(Default)]
pub struct Path<'s> {
    pub vars: Vec<Var>,
    pub reads: Vec<&'s Read>,
}

/// How the variables of a function are used.
pub struct Survey {
    pub tables: Vec<Table>,
    /// For each array, where its elements are read.
    reads: FxHashMap<Var, Vec<Read>>,
    /// The index of each `tabulate` and `sum`.
    indices: FxHashMap<Var, Var>,
    /// Arrays of which the length is asked.
    measured: FxHashSet<Var>,
    /// Arrays that are updated or given away.
    pub consumed: FxHashSet<Var>,
    /// Fields that are read of a variable, each with the variable that holds it.
    fields: FxHashMap<Var, Vec<(u32, Var)>>,
    /// How often a variable is used otherwise than by reading fields, elements or the length.
    whole: FxHashMap<Var, usize>,
}

impl Survey {
    pub fn of(function: &Function) -> Survey {
        let mut survey = Survey {
            tables: vec![],
            reads: FxHashMap::default(),
            indices: FxHashMap::default(),
            measured: FxHashSet::default(),
            consumed: FxHashSet::default(),
            fields: FxHashMap::default(),
            whole: FxHashMap::default(),
        };
        survey.block(&function.body, &function.vars, &mut vec![]);
        survey
    }

    fn block(&mut self, block: &Block, vars: &[Type], inside: &mut Vec<Var>) {
        for Statement { var, op, .. } in &block.statements {
            self.op(*var, op, vars, inside);
            let repeats = matches!(op, Op::Tabulate { .. } | Op::Sum { .. } | Op::Loop { .. });
            if repeats {
                inside.push(*var);
            }
            if has_blocks(op) {
                deep(|| op.blocks(&mut |_, block| self.block(block, vars, inside)));
            }
            if repeats {
                inside.pop();
            }
        }
        end_atoms(&block.end, &mut |atom| self.used(atom));
    }

    /// A use about which nothing particular is known.
    fn used(&mut self, atom: &Atom) {
        if let Atom::Var(var) = atom {
            *self.whole.entry(*var).or_default() += 1;
        }
    }

    fn op(&mut self, var: Var, op: &Op, vars: &[Type], inside: &[Var]) {
        match op {
            Op::Sum { n, index, .. } => {
                self.used(n);
                self.indices.insert(var, *index);
            }
            Op::Tabulate { n, index, .. } => {
                self.used(n);
                self.indices.insert(var, *index);
                if let Type::Array(_, 1) = &vars[var.0 as usize] {
                    self.tables.push(Table { var, inside: inside.to_vec(), index: *index });
                }
            }
            Op::Element(Atom::Var(array), indices) if indices.len() == 1 => {
                let read = Read { var, index: indices[0].clone(), inside: inside.to_vec() };
                self.reads.entry(*array).or_default().push(read);
                self.used(&indices[0]);
            }
            Op::Len(Atom::Var(array)) | Op::Axis(Atom::Var(array), _) => {
                self.measured.insert(*array);
            }
            Op::Field(Atom::Var(whole), field) => self.fields.entry(*whole).or_default().push((*field, var)),
            _ => {
                op.atoms(&mut |atom| self.used(atom));
                if let Op::Replace(..)
                | Op::Append(..)
                | Op::Call(..)
                | Op::Prim { prim: Prim::Update | Prim::ScatterAdd, .. } = op
                {
                    op.atoms(&mut |atom| {
                        if let Atom::Var(var) = atom {
                            self.consumed.insert(*var);
                        }
                    });
                }
            }
        }
    }

    /// The arrays that are only read, at several places.
    pub fn read_at_several(&self) -> FxHashSet<Var> {
        let is_so = |table: &&Table| !self.escapes(table.var) && self.reads(table.var).len() > 1;
        self.tables.iter().filter(is_so).map(|table| table.var).collect()
    }

    pub fn reads(&self, array: Var) -> &[Read] {
        self.reads.get(&array).map_or(&[], Vec::as_slice)
    }

    /// Is the variable used otherwise than by reading fields, elements or the length?
    pub fn escapes(&self, var: Var) -> bool {
        self.whole.contains_key(&var)
    }

    /// Is a variable only put into one struct or yielded once, and perhaps measured?
    pub fn is_only_held(&self, var: Var) -> bool {
        self.whole.get(&var) == Some(&1) && self.reads(var).is_empty() && !self.fields.contains_key(&var)
    }

    /// What is read of a variable; what is read on the way is added to `path`.
    pub fn need<'s>(&'s self, var: Var, path: &mut Path<'s>) -> Need {
        path.vars.push(var);
        if self.escapes(var) {
            return Need::All;
        }
        let mut need = Need::nothing();
        for (field, held) in self.fields.get(&var).into_iter().flatten() {
            let held = deep(|| self.need(*held, path));
            if held != Need::nothing() {
                need.join(Need::Fields([(*field, held)].into()));
            }
        }
        if self.measured.contains(&var) {
            need.join(Need::Elements(Need::nothing().into()));
        }
        for read in self.reads(var) {
            path.reads.push(read);
            let element = deep(|| self.need(read.var, path));
            need.join(Need::Elements(element.into()));
        }
        need
    }

    /// Is each element read once there, and could it be made there as well?
    pub fn is_alike(&self, table: &Table, read: &Read) -> bool {
        let Some((reader, around)) = read.inside.split_last() else { return false };
        around == table.inside
            && matches!((&read.index, self.indices.get(reader)), (Atom::Var(index), Some(of)) if index == of)
    }
}
