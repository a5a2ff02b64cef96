//! What nothing needs is dropped: parameters of functions and loops (also where they are only passed along), parts of results,
//! parts of the nodes of named types.
//!
//! A part that isn't needed is replaced by the empty struct, which has no size. Types that primitives, the border of the
//! program or changes of view look into stay as they are.

use base::Span;
use first_order::{Atom, Block, End, NamedId, Op, Program, Shape, Statement, Type, Var};

use crate::deep;
use crate::effects::{self, Effects, World};
use crate::needs::{Made, Needed, last_call, last_choice, needed};
use crate::parts::{Parts, used_shapes};
use crate::rename::renumber;
use crate::walk::{blocks_mut, discard, each_again_mut, has_blocks};

pub fn run(program: &mut Program) {
    let functions = effects::of_functions(program);
    let world = World { functions: &functions, shapes: &program.shapes };
    let effects: Vec<Vec<Effects>> =
        program.functions.iter().map(|function| effects::of_statements(function, world)).collect();
    let parts = Parts::of(program);
    let needed = needed(program, &effects, &parts);
    let types = parts.narrowed(&needed.leaves);
    let params: Vec<Vec<bool>> = program
        .functions
        .iter()
        .enumerate()
        .map(|(id, function)| {
            let entry = id == program.entry.0 as usize;
            function.params.iter().map(|var| entry || needed.vars[id][var.0 as usize]).collect()
        })
        .collect();
    for (id, function) in program.functions.iter_mut().enumerate() {
        retain(&mut function.params, &params[id]);
        let mut vars = std::mem::take(&mut function.vars);
        for (of, place) in vars.iter_mut().zip(&needed.places[id]) {
            if let Some(place) = place {
                *of = types[*place].clone();
            }
        }
        let value = parts.results[id].map_or(Value::Stays, Value::Result);
        if let Some(root) = parts.results[id] {
            function.result = types[root].clone();
        }
        let effects = &effects[id];
        let mut remover =
            Remover { id, needed: &needed, parts: &parts, types: &types, effects, params: &params, vars: &mut vars };
        remover.block(&mut function.body, value, function.span);
        function.vars = vars;
        renumber(function);
    }
    narrow_types(program, &parts, &types);
}

fn narrow_types(program: &mut Program, parts: &Parts, types: &[Type]) {
    let mut changed = false;
    for (definition, root) in program.types.iter_mut().zip(&parts.named) {
        if let Some(root) = root {
            changed |= definition.content != types[*root];
            definition.content = types[*root].clone();
        }
    }
    if changed {
        // Shapes that nothing mentions no longer say what these types mean.
        let used = used_shapes(program);
        for (shape, used) in program.shapes.0.iter_mut().zip(used) {
            if !used {
                *shape = Shape { alternatives: vec![], named: None };
            }
        }
    }
}

/// Keeps the items whose flag is set.
pub fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut flags = keep.iter();
    items.retain(|_| *flags.next().expect("dead_parts: as many flags as items"));
}

/// What becomes of the value of a block.
#[derive(Clone, Copy)]
enum Value {
    Stays,
    /// It is the function's result and becomes what stands at this place.
    Result(usize),
    /// It is the result of a choice or loop and becomes what stands at this place.
    Join(usize),
}

struct Remover<'a> {
    id: usize,
    needed: &'a Needed,
    parts: &'a Parts,
    /// The types of all parts.
    types: &'a [Type],
    effects: &'a [Effects],
    /// Which parameters functions keep.
    params: &'a [Vec<bool>],
    vars: &'a mut Vec<Type>,
}

impl Remover<'_> {
    fn is_needed(&self, var: Var) -> bool {
        self.needed.vars[self.id][var.0 as usize]
    }

    fn block(&mut self, block: &mut Block, value: Value, mut span: Span) {
        let choice = last_choice(block);
        let call = last_call(block);
        let statements = std::mem::take(&mut block.statements);
        for mut statement in statements {
            span = statement.span;
            if !self.is_needed(statement.var) && self.effects[statement.var.0 as usize].total {
                discard(Block { statements: vec![statement], end: End::Never });
                continue;
            }
            self.statement(&mut statement, &mut block.statements);
            if has_blocks(&statement.op) {
                let inner = match self.parts.joins[self.id].get(&statement.var) {
                    _ if choice == Some(statement.var) && !matches!(value, Value::Stays) => value,
                    Some(root) => Value::Join(*root),
                    None => Value::Stays,
                };
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block, inner, span)));
            }
            block.statements.push(statement);
        }
        let called = call.is_some_and(|(_, callee)| self.parts.results[callee.0 as usize].is_some());
        if let End::Yield(atom) = &mut block.end {
            match value {
                Value::Result(root) if choice.is_none() && !called => {
                    *atom = self.build(root, atom, None, span, &mut block.statements);
                }
                Value::Join(root) if choice.is_none() => {
                    *atom = self.build(root, atom, None, span, &mut block.statements);
                }
                Value::Result(_) | Value::Join(_) | Value::Stays => {}
            }
        }
    }

    fn statement(&mut self, statement: &mut Statement, out: &mut Vec<Statement>) {
        let (var, span) = (statement.var, statement.span);
        match &mut statement.op {
            Op::Call(callee, args) => retain(args, &self.params[callee.0 as usize]),
            Op::Loop { params, body } => {
                let keep: Vec<bool> = params.iter().map(|(var, _)| self.is_needed(*var)).collect();
                retain(params, &keep);
                each_again_mut(body, &mut |atoms| retain(atoms, &keep));
            }
            Op::Box(content) => {
                if let Type::Named(NamedId(name)) = self.vars[var.0 as usize]
                    && let Some(root) = self.parts.named[name as usize]
                {
                    *content = self.build(root, content, None, span, out);
                }
            }
            _ => {}
        }
    }

    fn bind(&mut self, of: Type, op: Op, span: Span, out: &mut Vec<Statement>) -> Atom {
        let var = self.fresh(of);
        out.push(Statement { var, op, span });
        Atom::Var(var)
    }

    fn fresh(&mut self, of: Type) -> Var {
        self.vars.push(of);
        Var(self.vars.len() as u32 - 1)
    }

    /// What stands at a place, from the atom that stood there. `from`: the place that the atom is from, if it has one.
    fn build(&mut self, place: usize, atom: &Atom, from: Option<usize>, span: Span, out: &mut Vec<Statement>) -> Atom {
        let (parts, needed, types) = (self.parts, self.needed, self.types);
        let Some(children) = &parts.nodes[place].parts else {
            return if needed.leaves[place] { atom.clone() } else { Atom::Unit };
        };
        let Atom::Var(var) = atom else { return atom.clone() };
        match needed.made[self.id].get(var.0 as usize).and_then(Option::as_ref) {
            Some(Made::Struct(fields)) => {
                let parts = children.iter().zip(fields);
                let fields = parts.map(|(child, field)| self.build(*child, field, None, span, out)).collect();
                return self.bind(types[place].clone(), Op::Struct(fields), span, out);
            }
            Some(Made::Inject(tag, content)) => {
                let content = self.build(children[*tag as usize], content, None, span, out);
                return self.bind(types[place].clone(), Op::Inject(*tag, content), span, out);
            }
            None => {}
        }
        let from = from.or_else(|| needed.places[self.id].get(var.0 as usize).copied().flatten());
        let same = match from {
            Some(from) => types[from] == types[place],
            None => parts.all_live(place, &needed.leaves),
        };
        if same { atom.clone() } else { self.convert(place, atom, from, span, out) }
    }

    /// The same by taking the atom apart.
    fn convert(
        &mut self,
        place: usize,
        atom: &Atom,
        from: Option<usize>,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Atom {
        let (nodes, types) = (&self.parts.nodes, self.types);
        let children = nodes[place].parts.as_deref().unwrap_or_default();
        let sources = from.and_then(|from| nodes[from].parts.as_deref());
        // The part of the atom that becomes a child: where it is from, and its type.
        let part = |i: usize| match sources {
            Some(sources) => (Some(sources[i]), types[sources[i]].clone()),
            None => (None, nodes[children[i]].of.clone()),
        };
        match &nodes[place].of {
            Type::Struct(_) => {
                let mut fields = vec![];
                for (i, child) in children.iter().enumerate() {
                    let (from, of) = part(i);
                    let part = self.bind(of, Op::Field(atom.clone(), i as u32), span, out);
                    fields.push(self.build(*child, &part, from, span, out));
                }
                self.bind(types[place].clone(), Op::Struct(fields), span, out)
            }
            Type::Sum(_) => {
                let mut arms = vec![];
                for (tag, child) in children.iter().enumerate() {
                    let (from, of) = part(tag);
                    let (bound, mut statements) = (self.fresh(of), vec![]);
                    let content = self.build(*child, &Atom::Var(bound), from, span, &mut statements);
                    let op = Op::Inject(tag as u32, content);
                    let sum = self.bind(types[place].clone(), op, span, &mut statements);
                    arms.push((bound, Block { statements, end: End::Yield(sum) }));
                }
                self.bind(types[place].clone(), Op::Switch(atom.clone(), arms), span, out)
            }
            _ => unreachable!("dead_parts: a leaf isn't taken apart"),
        }
    }
}
