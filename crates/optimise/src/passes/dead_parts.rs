//! Dead code elimination across functions and inside values. What nothing needs is dropped: parameters of functions and loops (also where they are only passed along), parts of results, of what
//! choices give, of what loops carry along, of alternatives, of the nodes of named types and of the elements of arrays.
//!
//! A part that isn't needed is replaced by the empty struct, which has no size. Types that primitives, the border of the program
//! or changes of view look into stay as they are. Readings that surely succeed (`.part` of an array) are ordinary ones from then on.

use base::Span;
use first_order::{Atom, Block, End, NamedId, Op, Program, Shape, Statement, Type, Var};

use crate::analyses::effects::{self, Effects, World};
use crate::analyses::liveness::{Made, Needed, needed};
use crate::analyses::parts::{reading, used_shapes};
use crate::analyses::places::Place;
use crate::deep;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, discard, has_blocks};

pub fn run(program: &mut Program) {
    let functions = effects::of_functions(program);
    let world = World { functions: &functions, shapes: &program.shapes };
    let effects: Vec<Vec<Effects>> =
        program.functions.iter().map(|function| effects::of_statements(function, world)).collect();
    let needed = needed(program, &effects);
    let params: Vec<Vec<Parameter>> =
        program.functions.iter().enumerate().map(|(id, function)| parameters(&needed, id, &function.params)).collect();
    for (id, function) in program.functions.iter_mut().enumerate() {
        retain(&mut function.params, &params[id].iter().map(|param| param.stays).collect::<Vec<_>>());
        let mut vars = std::mem::take(&mut function.vars);
        for (of, place) in vars.iter_mut().zip(&needed.places[id]) {
            if let Some(place) = place {
                *of = needed.reached.type_of(*place).clone();
            }
        }
        function.result = needed.reached.type_of(needed.results[id]).clone();
        let mut remover =
            Remover { id, needed: &needed, effects: &effects[id], params: &params, vars: &mut vars, again: vec![] };
        remover.block(&mut function.body, Some(needed.results[id]), function.span);
        function.vars = vars;
        renumber(function);
    }
    narrow_types(program, &needed);
}

/// What becomes of a parameter.
#[derive(Clone, Copy)]
struct Parameter {
    stays: bool,
    /// Where it has parts.
    place: Option<Place>,
}

fn parameters(needed: &Needed, id: usize, params: &[Var]) -> Vec<Parameter> {
    let of = |var: &Var| Parameter { stays: needed.var(id, *var), place: needed.places[id][var.0 as usize] };
    params.iter().map(of).collect()
}

fn narrow_types(program: &mut Program, needed: &Needed) {
    let mut changed = false;
    for (definition, place) in program.types.iter_mut().zip(&needed.named) {
        let of = needed.reached.type_of(*place);
        if definition.content != *of {
            changed = true;
            definition.content = of.clone();
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

struct Remover<'a> {
    id: usize,
    needed: &'a Needed,
    effects: &'a [Effects],
    /// What becomes of the parameters of functions.
    params: &'a [Vec<Parameter>],
    vars: &'a mut Vec<Type>,
    /// What becomes of the parameters of the loops around, the innermost last.
    again: Vec<Vec<Parameter>>,
}

impl Remover<'_> {
    /// `value`: the place that the block's value becomes; none if it stays as it is.
    fn block(&mut self, block: &mut Block, value: Option<Place>, mut span: Span) {
        let statements = std::mem::take(&mut block.statements);
        for mut statement in statements {
            span = statement.span;
            if !self.needed.var(self.id, statement.var) && self.effects[statement.var.0 as usize].total {
                discard(Block { statements: vec![statement], end: End::Never });
                continue;
            }
            if let Some((array, index)) = reading(&statement.op, self.vars) {
                statement.op = Op::Element(array.clone(), vec![index.clone()]);
            }
            if has_blocks(&statement.op) {
                self.nested(&mut statement, &mut block.statements);
            } else {
                self.statement(&mut statement, &mut block.statements);
            }
            block.statements.push(statement);
        }
        let last = block.statements.last().map(|last| (last.var, is_tail(&last.op)));
        match (&mut block.end, value) {
            // Choices, loops and calls that come last stay last: their value has the type already.
            (End::Yield(Atom::Var(var)), Some(place))
                if last == Some((*var, true)) && self.vars[var.0 as usize] == *self.needed.reached.type_of(place) => {}
            (End::Yield(atom), Some(place)) => *atom = self.build(place, atom, None, span, &mut block.statements),
            (End::Again(atoms), _) => {
                let params = self.again.last().expect("dead_parts: a loop runs again").clone();
                self.pass(&params, atoms, span, &mut block.statements);
            }
            (End::Yield(_) | End::Never, _) => {}
        }
    }

    fn nested(&mut self, statement: &mut Statement, out: &mut Vec<Statement>) {
        let (var, span) = (statement.var, statement.span);
        let held = self.needed.places[self.id][var.0 as usize];
        let value = match &statement.op {
            Op::Tabulate { .. } => held.and_then(|array| self.elements(array, var)),
            Op::Sum { .. } => None,
            _ => held,
        };
        if let Op::Loop { params, .. } = &mut statement.op {
            let vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
            let becomes = parameters(self.needed, self.id, &vars);
            let mut firsts: Vec<Atom> = params.iter().map(|(_, first)| first.clone()).collect();
            self.pass(&becomes, &mut firsts, span, out);
            retain(params, &becomes.iter().map(|param| param.stays).collect::<Vec<_>>());
            params.iter_mut().zip(firsts).for_each(|((_, first), new)| *first = new);
            self.again.push(becomes);
        }
        deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block, value, span)));
        if let Op::Loop { .. } = statement.op {
            self.again.pop();
        }
    }

    /// The place of the elements of an array that a statement makes; none if it is made of arrays.
    fn elements(&self, array: Place, var: Var) -> Option<Place> {
        match &self.vars[var.0 as usize] {
            Type::Array(_, 1) => self.needed.reached.parts(array).map(|parts| parts[0]),
            _ => None,
        }
    }

    /// The arguments for the parameters that stay.
    fn pass(&mut self, params: &[Parameter], args: &mut Vec<Atom>, span: Span, out: &mut Vec<Statement>) {
        let old = std::mem::take(args);
        for (param, arg) in params.iter().zip(old).filter(|(param, _)| param.stays) {
            args.push(match param.place {
                Some(place) => self.build(place, &arg, None, span, out),
                None => arg,
            });
        }
    }

    fn statement(&mut self, statement: &mut Statement, out: &mut Vec<Statement>) {
        let (var, span) = (statement.var, statement.span);
        let needed = self.needed;
        let held = needed.places[self.id][var.0 as usize];
        let parts = held.and_then(|place| needed.reached.parts(place));
        match &mut statement.op {
            Op::Call(callee, args) => {
                let params = self.params;
                self.pass(&params[callee.0 as usize], args, span, out);
            }
            Op::Box(content) => {
                let Type::Named(NamedId(name)) = self.vars[var.0 as usize] else {
                    unreachable!("dead_parts: a node is of a named type")
                };
                *content = self.build(needed.named[name as usize], content, None, span, out);
            }
            Op::Struct(fields) => {
                for (field, part) in fields.iter_mut().zip(parts.unwrap_or_default()) {
                    *field = self.build(*part, field, None, span, out);
                }
            }
            Op::Inject(tag, content) => {
                let part = parts.expect("dead_parts: a sum has parts")[*tag as usize];
                *content = self.build(part, content, None, span, out);
            }
            Op::Array(elements) => {
                let place = held.and_then(|array| self.elements(array, var));
                for element in elements {
                    if let Some(place) = place {
                        *element = self.build(place, element, None, span, out);
                    }
                }
            }
            Op::Append(_, new) | Op::Replace(_, _, new) => {
                let element = parts.expect("dead_parts: an array has elements")[0];
                let row = matches!(new, Atom::Var(row) if matches!(self.vars[row.0 as usize], Type::Array(..)));
                if !row {
                    *new = self.build(element, new, None, span, out);
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

    /// What stands at a place, from the atom that stood there. `from`: the place that the atom is from, if it is new.
    fn build(&mut self, place: Place, atom: &Atom, from: Option<Place>, span: Span, out: &mut Vec<Statement>) -> Atom {
        let needed = self.needed;
        let of = needed.reached.type_of(place);
        if !needed.reached.is_alive(place) {
            return Atom::Unit;
        }
        let Atom::Var(var) = atom else { return atom.clone() };
        let is_there = from.is_some() || needed.var(self.id, *var);
        if is_there && self.vars[var.0 as usize] == *of {
            return atom.clone();
        }
        let made = if from.is_some() { None } else { needed.made[self.id][var.0 as usize].as_ref() };
        let parts = needed.reached.parts(place);
        match (made, parts) {
            (Some(Made::Struct(fields)), Some(parts)) if !needed.reached.is_opaque(place) => {
                let pairs = parts.iter().zip(fields);
                let fields = pairs.map(|(part, field)| deep(|| self.build(*part, field, None, span, out))).collect();
                self.bind(of.clone(), Op::Struct(fields), span, out)
            }
            (Some(Made::Inject(tag, content)), Some(parts)) if !needed.reached.is_opaque(place) => {
                let content = deep(|| self.build(parts[*tag as usize], content, None, span, out));
                self.bind(of.clone(), Op::Inject(*tag, content), span, out)
            }
            _ => {
                let from = from.or(needed.places[self.id].get(var.0 as usize).copied().flatten());
                deep(|| self.convert(place, *var, from, span, out))
            }
        }
    }

    /// The same by taking the atom apart.
    fn convert(&mut self, place: Place, var: Var, from: Option<Place>, span: Span, out: &mut Vec<Statement>) -> Atom {
        let reached = &self.needed.reached;
        let of = reached.type_of(place);
        let parts = reached.parts(place);
        let sources = from.and_then(|from| reached.parts(from));
        // What becomes a part, from what was one.
        let part = |remover: &mut Self, i: usize, part_of: Var, out: &mut Vec<Statement>| match (parts, sources) {
            (Some(parts), Some(sources)) => remover.build(parts[i], &Atom::Var(part_of), Some(sources[i]), span, out),
            _ => Atom::Unit,
        };
        match (of, self.vars[var.0 as usize].clone()) {
            (Type::Struct(_), Type::Struct(types)) => {
                let mut fields = vec![];
                for (i, of) in types.iter().enumerate() {
                    if !parts.is_some_and(|parts| reached.is_alive(parts[i])) {
                        fields.push(Atom::Unit);
                        continue;
                    }
                    let field = self.fresh(of.clone());
                    out.push(Statement { var: field, op: Op::Field(Atom::Var(var), i as u32), span });
                    fields.push(part(self, i, field, out));
                }
                self.bind(of.clone(), Op::Struct(fields), span, out)
            }
            (Type::Sum(_), Type::Sum(types)) => {
                let mut arms = vec![];
                for (tag, content) in types.iter().enumerate() {
                    let (bound, mut statements) = (self.fresh(content.clone()), vec![]);
                    let content = part(self, tag, bound, &mut statements);
                    let sum = self.bind(of.clone(), Op::Inject(tag as u32, content), span, &mut statements);
                    arms.push((bound, Block { statements, end: End::Yield(sum) }));
                }
                self.bind(of.clone(), Op::Switch(Atom::Var(var), arms), span, out)
            }
            (to, from) => unreachable!("dead_parts: {from:?} doesn't become {to:?}"),
        }
    }
}

fn is_tail(op: &Op) -> bool {
    matches!(op, Op::If(..) | Op::Switch(..) | Op::Loop { .. } | Op::Call(..))
}
