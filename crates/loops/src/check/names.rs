//! Every variable, function, descriptor, primitive and text that a program mentions is in its tables. The rest of the checker looks
//! them up.

use crate::term::{Atom, Block, DescriptorId, End, Function, FunctionId, Op, Program, Var};

pub(super) fn check(program: &Program) -> Result<(), String> {
    let names = Names { program, vars: 0 };
    names.function(program.entry)?;
    for (definition, node) in program.layouts.named() {
        names.descriptor(node).map_err(|error| format!("type `{}`: {error}", definition.name))?;
    }
    program.layouts.arrays().try_for_each(|(_, id)| names.descriptor(id))?;
    for site in &program.prims {
        if site.args.len() != site.arg_leaves.len() {
            return Err(format!("`{}` with other leaves than arguments", site.prim));
        }
    }
    for descriptor in &program.descriptors {
        if let Some(word) = descriptor.pointers.iter().find(|word| **word >= descriptor.words) {
            return Err(format!("word {word} is a pointer in {descriptor}"));
        }
    }
    for function in &program.functions {
        let names = Names { program, vars: function.vars.len() };
        names.all(function).map_err(|error| format!("L4, function `{}`: {error}", function.name))?;
    }
    Ok(())
}

struct Names<'p> {
    program: &'p Program,
    /// How many variables the function has.
    vars: usize,
}

impl Names<'_> {
    fn all(&self, function: &Function) -> Result<(), String> {
        function.params.iter().try_for_each(|param| self.var(*param))?;
        self.block(&function.body)
    }

    fn block(&self, block: &Block) -> Result<(), String> {
        for statement in &block.statements {
            statement.vars.iter().try_for_each(|var| self.var(*var))?;
            self.op(&statement.op)?;
            let mut inside = Ok(());
            statement.op.for_each_block(|block| {
                if inside.is_ok() {
                    inside = base::budget::deep(|| self.block(block));
                }
            });
            inside?;
        }
        match &block.end {
            End::Yield(atoms) | End::Again(atoms) => atoms.iter().try_for_each(|atom| self.atom(atom)),
            End::Never => Ok(()),
        }
    }

    fn op(&self, op: &Op) -> Result<(), String> {
        let mut operands = Ok(());
        op.for_each_use(|atom, _| {
            if operands.is_ok() {
                operands = self.atom(atom);
            }
        });
        operands?;
        match op {
            Op::Call(id, _) => self.function(*id),
            Op::Pieces(pieces) => self.function(pieces.function),
            Op::Switch(_, arms) => arms.iter().flat_map(|arm| &arm.nulls).try_for_each(|null| self.var(*null)),
            Op::Loop { params, .. } => params.iter().try_for_each(|(param, _)| self.var(*param)),
            Op::Sum { index, .. } => self.var(*index),
            Op::Node(id, _) | Op::NewArray(id, _) => self.descriptor(*id),
            Op::Load(id, _, at) => self.word(*id, *at),
            Op::Open { descriptor, taken, .. } => taken.iter().try_for_each(|(var, at)| {
                self.var(*var)?;
                self.word(*descriptor, *at)
            }),
            Op::Prim(site, _) | Op::AddAt { site, .. } | Op::Plus { site, .. } => self.site(*site),
            Op::Placed(placed) => self.site(placed.site),
            Op::AddPlaced { site, placed, .. } => self.site(*site).and_then(|()| self.site(placed.site)),
            Op::Text(text) => known("t", *text, self.program.texts.len()),
            _ => Ok(()),
        }
    }

    fn atom(&self, atom: &Atom) -> Result<(), String> {
        if let Atom::Var(var) = atom { self.var(*var) } else { Ok(()) }
    }

    fn var(&self, var: Var) -> Result<(), String> {
        known("v", var.0, self.vars)
    }

    fn function(&self, id: FunctionId) -> Result<(), String> {
        known("f", id.0, self.program.functions.len())
    }

    fn site(&self, site: u32) -> Result<(), String> {
        known("p", site, self.program.prims.len())
    }

    fn descriptor(&self, id: DescriptorId) -> Result<(), String> {
        known("d", id.0, self.program.descriptors.len())
    }

    fn word(&self, id: DescriptorId, at: u32) -> Result<(), String> {
        self.descriptor(id)?;
        let descriptor = &self.program.descriptors[id.0 as usize];
        if at < descriptor.words { Ok(()) } else { Err(format!("word {at} of {descriptor}")) }
    }
}

fn known(letter: &str, number: u32, count: usize) -> Result<(), String> {
    if (number as usize) < count { Ok(()) } else { Err(format!("there is no {letter}{number}")) }
}
