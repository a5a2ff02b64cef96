//! Liveness, through functions and inside values. What a program needs: from what must be kept (effects, the entry's result) backwards through statements, calls, loops and
//! the parts of values, all at once.

use first_order::{Atom, Block, End, FunctionId, Op, Program, Statement, Type, Var};

use crate::analyses::effects::Effects;
use crate::analyses::parts::{fixed, reading};
use crate::analyses::places::{Need, Place, Places, Reached, is_leaf};
use crate::deep;
use crate::rewriting::walk::{each_again, has_blocks};

/// What is needed, and what is known of variables.
pub struct Needed {
    /// The number of the first variable of each function.
    base: Vec<usize>,
    pub reached: Reached,
    /// The content of each named type.
    pub named: Vec<Place>,
    /// The result of each function.
    pub results: Vec<Place>,
    /// For each function and variable, what it holds; none for scalars of which nothing else is known.
    pub places: Vec<Vec<Option<Place>>>,
    /// For each function and variable, how the struct or alternative was made.
    pub made: Vec<Vec<Option<Made>>>,
}

impl Needed {
    pub fn var(&self, id: usize, var: Var) -> bool {
        self.reached.is_needed((self.base[id] + var.0 as usize) as u32)
    }
}

/// How a struct or an alternative was made.
#[derive(Clone)]
pub enum Made {
    Struct(Vec<Atom>),
    Inject(u32, Atom),
}

pub fn needed(program: &Program, effects: &[Vec<Effects>]) -> Needed {
    let mut base = vec![];
    let mut count = 0;
    for function in &program.functions {
        base.push(count);
        count += function.vars.len();
    }
    let mut places = Places::new(count);
    let mut roots = vec![];
    let mut named = vec![];
    for (definition, fixed) in program.types.iter().zip(fixed(program)) {
        let place = places.fresh(&definition.content);
        if fixed {
            roots.push(places.whole(place));
        }
        named.push(place);
    }
    let results = program.functions.iter().map(|function| places.fresh(&function.result)).collect();
    let held = program.functions.iter().map(|function| vec![None; function.vars.len()]).collect();
    let made = program.functions.iter().map(|function| vec![None; function.vars.len()]).collect();
    let mut needs = Needs { program, effects, base, roots, places, named, results, held, made };
    for (id, function) in program.functions.iter().enumerate() {
        function.params.iter().for_each(|param| needs.binds(id, *param));
    }
    needs.entry();
    for (id, function) in program.functions.iter().enumerate() {
        needs.block(id, &function.body, needs.results[id]);
    }
    let Needs { base, roots, places, named, results, held, made, .. } = needs;
    Needed { base, reached: places.reached(roots), named, results, places: held, made }
}

/// Which call gives the value of the block as it is.
fn last_call(block: &Block) -> Option<(Var, FunctionId)> {
    match (&block.end, block.statements.last()) {
        (End::Yield(Atom::Var(var)), Some(Statement { var: last, op: Op::Call(callee, _), .. })) if last == var => {
            Some((*var, *callee))
        }
        _ => None,
    }
}

/// The variable of the choice or loop that gives the value of the block.
fn last_choice(block: &Block) -> Option<Var> {
    match (&block.end, block.statements.last()) {
        (End::Yield(Atom::Var(var)), Some(last)) if last.var == *var => {
            matches!(last.op, Op::If(..) | Op::Switch(..) | Op::Loop { .. }).then_some(*var)
        }
        _ => None,
    }
}

/// A variable is known by its number in a table of all variables of all functions.
struct Needs<'a> {
    program: &'a Program,
    effects: &'a [Vec<Effects>],
    base: Vec<usize>,
    /// What is needed whatever happens.
    roots: Vec<Need>,
    places: Places,
    named: Vec<Place>,
    results: Vec<Place>,
    held: Vec<Vec<Option<Place>>>,
    made: Vec<Vec<Option<Made>>>,
}

impl<'a> Needs<'a> {
    /// The border of the program stays as it is.
    fn entry(&mut self) {
        let entry = self.program.entry.0 as usize;
        self.roots.push(self.places.whole(self.results[entry]));
        for param in &self.program.functions[entry].params {
            self.roots.push(self.number(entry, *param));
            self.roots.extend(self.held[entry][param.0 as usize].map(|place| self.places.whole(place)));
        }
    }

    fn number(&self, id: usize, var: Var) -> Need {
        (self.base[id] + var.0 as usize) as u32
    }

    fn edge(&mut self, by: Option<Need>, to: Need) {
        match by {
            Some(by) => self.places.edge(by, to),
            None => self.roots.push(to),
        }
    }

    fn type_of(&self, id: usize, var: Var) -> &'a Type {
        let program = self.program;
        &program.functions[id].vars[var.0 as usize]
    }

    /// A variable holds something new.
    fn binds(&mut self, id: usize, var: Var) {
        let of = self.type_of(id, var);
        if !is_leaf(of) {
            self.held[id][var.0 as usize] = Some(self.places.fresh(of));
        }
    }

    /// What the variable holds, which has parts.
    fn place(&self, id: usize, var: Var) -> Place {
        self.held[id][var.0 as usize].expect("liveness: a variable with parts has a place")
    }

    /// A variable holds what is at a place.
    fn holds(&mut self, id: usize, var: Var, place: Place) {
        self.held[id][var.0 as usize] = Some(place);
        if self.places.is_leaf(place) {
            self.places.edge(self.number(id, var), self.places.whole(place));
        }
    }

    /// The atom is needed as a whole.
    fn need(&mut self, id: usize, by: Option<Need>, atom: &Atom) {
        let Atom::Var(var) = atom else { return };
        self.edge(by, self.number(id, *var));
        if let Some(place) = self.held[id][var.0 as usize] {
            self.edge(by, self.places.whole(place));
        }
    }

    /// The atom is taken apart, or asked for its length. What it holds.
    fn inspect(&mut self, id: usize, by: Option<Need>, atom: &Atom) -> Option<Place> {
        let Atom::Var(var) = atom else { return None };
        self.edge(by, self.number(id, *var));
        let place = self.held[id][var.0 as usize]?;
        self.edge(by, self.places.alive(place));
        Some(place)
    }

    /// The atom becomes what stands at a place.
    fn flow(&mut self, id: usize, place: Place, atom: &Atom) {
        let Atom::Var(var) = atom else { return };
        if !self.places.is_opaque(place) {
            match self.made[id][var.0 as usize].clone() {
                Some(Made::Struct(fields)) => {
                    for (i, field) in fields.iter().enumerate() {
                        let part = self.places.part(place, i);
                        deep(|| self.flow(id, part, field));
                    }
                    return;
                }
                Some(Made::Inject(tag, content)) => {
                    let part = self.places.part(place, tag as usize);
                    return deep(|| self.flow(id, part, &content));
                }
                None => {}
            }
        }
        self.places.edge(self.places.alive(place), self.number(id, *var));
        if let Some(from) = self.held[id][var.0 as usize] {
            self.places.link(place, from);
        }
    }

    /// The atom becomes the value of a parameter of a function or loop.
    fn pass(&mut self, id: usize, (of, param): (usize, Var), atom: &Atom) {
        match self.held[of][param.0 as usize] {
            Some(place) => self.flow(id, place, atom),
            None => self.need(id, Some(self.number(of, param)), atom),
        }
    }

    fn block(&mut self, id: usize, block: &'a Block, value: Place) {
        let choice = last_choice(block);
        for statement in &block.statements {
            let number = self.number(id, statement.var);
            let total = self.effects[id][statement.var.0 as usize].total;
            let by = total.then_some(number);
            if has_blocks(&statement.op) {
                self.nested(id, statement, by, (choice == Some(statement.var)).then_some(value));
            } else {
                self.statement(id, statement, by);
            }
        }
        match (&block.end, last_call(block)) {
            // A call that comes last stays last: the two results have the same parts.
            (End::Yield(_), Some((var, callee))) if value == self.results[id] => {
                let total = self.effects[id][var.0 as usize].total;
                self.edge(total.then_some(self.places.alive(value)), self.number(id, var));
                self.places.same(value, self.results[callee.0 as usize]);
            }
            (End::Yield(atom), _) => self.flow(id, value, atom),
            (End::Again(_) | End::Never, _) => {}
        }
    }

    /// A statement that has blocks. `value`: the place that its value becomes, if it is the value of its block.
    fn nested(&mut self, id: usize, statement: &'a Statement, by: Option<Need>, value: Option<Place>) {
        let var = statement.var;
        let of = self.type_of(id, var);
        let inner = match &statement.op {
            Op::Tabulate { n, .. } => {
                self.need(id, by, n);
                self.binds(id, var);
                self.element(id, by, var)
            }
            Op::Sum { n, .. } => {
                self.need(id, by, n);
                let place = self.places.fresh(&Type::Real);
                self.edge(by, self.places.whole(place));
                place
            }
            _ => value.unwrap_or_else(|| self.places.fresh(of)),
        };
        match &statement.op {
            Op::If(condition, ..) => self.need(id, by, condition),
            Op::Switch(on, arms) => {
                let place = self.inspect(id, by, on).expect("liveness: a sum has a place");
                for (tag, (bound, _)) in arms.iter().enumerate() {
                    let part = self.places.part(place, tag);
                    self.holds(id, *bound, part);
                }
            }
            Op::Loop { params, .. } => {
                for (param, first) in params {
                    self.binds(id, *param);
                    self.pass(id, (id, *param), first);
                }
            }
            _ => {}
        }
        deep(|| statement.op.blocks(&mut |_, block| self.block(id, block, inner)));
        match &statement.op {
            // Only after the body: there the variables are bound.
            Op::Loop { params, body } => {
                each_again(body, &mut |atoms| {
                    params.iter().zip(atoms).for_each(|((param, _), atom)| self.pass(id, (id, *param), atom));
                });
                self.holds(id, var, inner);
            }
            Op::If(..) | Op::Switch(..) => self.holds(id, var, inner),
            _ => {}
        }
    }

    /// The place of what fills the array that a statement makes: its elements, or rows.
    fn element(&mut self, id: usize, by: Option<Need>, var: Var) -> Place {
        let array = self.place(id, var);
        if by.is_none() {
            self.roots.push(self.places.alive(array));
        }
        match self.type_of(id, var) {
            Type::Array(element, rank) if *rank > 1 => {
                let row = self.places.row(array, &Type::Array(element.clone(), rank - 1));
                // The shapes of rows are compared.
                self.places.edge(self.places.alive(array), self.places.alive(row));
                row
            }
            _ => self.places.part(array, 0),
        }
    }

    fn statement(&mut self, id: usize, statement: &'a Statement, by: Option<Need>) {
        let var = statement.var;
        let number = self.number(id, var);
        match &statement.op {
            Op::Atom(atom) => {
                let place = if let Atom::Var(from) = atom {
                    self.places.edge(number, self.number(id, *from));
                    self.held[id][from.0 as usize]
                } else {
                    None
                };
                match place {
                    Some(place) => self.holds(id, var, place),
                    None => self.binds(id, var),
                }
            }
            Op::Call(callee, args) => {
                let of = callee.0 as usize;
                let params = &self.program.functions[of].params;
                params.iter().zip(args).for_each(|(param, arg)| self.pass(id, (of, *param), arg));
                self.holds(id, var, self.results[of]);
            }
            Op::Unbox(node) => {
                self.need(id, by, node);
                let Atom::Var(from) = node else { unreachable!("liveness: a node is a variable") };
                let Type::Named(name) = self.type_of(id, *from) else {
                    unreachable!("liveness: a node is of a named type")
                };
                self.holds(id, var, self.named[name.0 as usize]);
            }
            Op::Box(content) => {
                let Type::Named(name) = self.type_of(id, var) else {
                    unreachable!("liveness: a node is of a named type")
                };
                self.flow(id, self.named[name.0 as usize], content);
            }
            Op::Field(atom, i) => {
                let place = self.inspect(id, by, atom).expect("liveness: a struct has a place");
                let part = self.places.part(place, *i as usize);
                self.holds(id, var, part);
            }
            Op::Struct(fields) => {
                self.binds(id, var);
                for (i, field) in fields.iter().enumerate() {
                    let part = self.places.part(self.place(id, var), i);
                    self.flow(id, part, field);
                }
                self.made[id][var.0 as usize] = Some(Made::Struct(fields.clone()));
            }
            Op::Inject(tag, content) => {
                self.binds(id, var);
                let part = self.places.part(self.place(id, var), *tag as usize);
                self.flow(id, part, content);
                self.made[id][var.0 as usize] = Some(Made::Inject(*tag, content.clone()));
            }
            Op::Array(elements) => {
                self.binds(id, var);
                let place = self.element(id, by, var);
                elements.iter().for_each(|element| self.flow(id, place, element));
            }
            Op::Len(array) | Op::Axis(array, _) => {
                self.inspect(id, by, array);
            }
            Op::Element(array, indices) => self.reading(id, by, var, array, indices),
            Op::Replace(array, indices, new) => {
                let place = self.inspect(id, by, array).expect("liveness: an array has a place");
                indices.iter().for_each(|index| self.need(id, by, index));
                self.replaced(id, by, place, new);
                self.holds(id, var, place);
            }
            Op::Append(array, element) => {
                let place = self.inspect(id, by, array).expect("liveness: an array has a place");
                let part = self.places.part(place, 0);
                self.flow(id, part, element);
                self.holds(id, var, place);
            }
            op if let Some((array, index)) = reading(op, &self.program.functions[id].vars) => {
                self.reading(id, by, var, array, std::slice::from_ref(index));
            }
            Op::Prim { .. } | Op::View(_) | Op::Flat(_) | Op::Dense(_) | Op::Collected(_) | Op::Shaped(..) => {
                statement.op.atoms(&mut |atom| self.need(id, by, atom));
                self.binds(id, var);
                if let Some(place) = self.held[id][var.0 as usize] {
                    self.edge(by, self.places.whole(place));
                }
            }
            Op::Text(_) | Op::Scalar(..) | Op::Require(..) | Op::Quiet(_) | Op::Fail(_) => {
                statement.op.atoms(&mut |atom| self.need(id, by, atom));
                self.binds(id, var);
            }
            Op::If(..) | Op::Switch(..) | Op::Loop { .. } | Op::Tabulate { .. } | Op::Sum { .. } => {
                unreachable!("liveness: it has blocks")
            }
        }
    }

    /// An element or row is read.
    fn reading(&mut self, id: usize, by: Option<Need>, var: Var, array: &Atom, indices: &[Atom]) {
        let place = self.inspect(id, by, array).expect("liveness: an array has a place");
        indices.iter().for_each(|index| self.need(id, by, index));
        let of = self.type_of(id, var);
        if matches!(of, Type::Array(..)) {
            let row = self.places.row(place, of);
            self.holds(id, var, row);
            if by.is_none() {
                self.roots.push(self.places.alive(row));
            }
        } else {
            let element = self.places.part(place, 0);
            self.holds(id, var, element);
        }
    }

    /// What stands in an array instead of an element or row.
    fn replaced(&mut self, id: usize, by: Option<Need>, array: Place, new: &Atom) {
        let row = match new {
            Atom::Var(var) => self.type_of(id, *var),
            _ => &Type::Real,
        };
        if matches!(row, Type::Array(..)) {
            let place = self.places.row(array, row);
            self.edge(by, self.places.alive(place));
            self.flow(id, place, new);
        } else {
            let element = self.places.part(array, 0);
            self.flow(id, element, new);
        }
    }
}
