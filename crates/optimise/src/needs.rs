//! What a program needs: from what must be kept (effects, results) backwards through statements, calls, loops, the parts of
//! nodes and the parts of results, all at once.

use first_order::{Atom, Block, End, FunctionId, Op, Program, Statement, Type, Var};

use crate::deep;
use crate::effects::Effects;
use crate::parts::Parts;
use crate::walk::{each_again, has_blocks};

/// What is needed, and what is known of variables.
pub struct Needed {
    /// For each function, which of its variables are needed.
    pub vars: Vec<Vec<bool>>,
    /// Which leaves are needed.
    pub leaves: Vec<bool>,
    /// For each function and variable, the part of a node or result that the variable holds.
    pub places: Vec<Vec<Option<usize>>>,
    /// For each function and variable, how the struct or alternative was made.
    pub made: Vec<Vec<Option<Made>>>,
}

/// How a struct or an alternative was made.
#[derive(Clone)]
pub enum Made {
    Struct(Vec<Atom>),
    Inject(u32, Atom),
}

pub fn needed(program: &Program, effects: &[Vec<Effects>], parts: &Parts) -> Needed {
    let mut base = vec![];
    let mut count = 0;
    for function in &program.functions {
        base.push(count);
        count += function.vars.len();
    }
    let places = program.functions.iter().map(|function| vec![None; function.vars.len()]).collect();
    let made = program.functions.iter().map(|function| vec![None; function.vars.len()]).collect();
    let needs = vec![vec![]; count + parts.nodes.len()];
    let mut needs = Needs { program, effects, parts, base, count, needs, roots: vec![], places, made };
    for (id, function) in program.functions.iter().enumerate() {
        let value = parts.results[id].map_or(Value::For(None), Value::Result);
        needs.block(id, &function.body, value);
    }
    needs.reached()
}

/// Which call gives the value of the block as it is.
pub fn last_call(block: &Block) -> Option<(Var, FunctionId)> {
    match (&block.end, block.statements.last()) {
        (End::Yield(Atom::Var(var)), Some(Statement { var: last, op: Op::Call(callee, _), .. })) if last == var => {
            Some((*var, *callee))
        }
        _ => None,
    }
}

/// The variable of the choice or loop that gives the value of the block.
pub fn last_choice(block: &Block) -> Option<Var> {
    match (&block.end, block.statements.last()) {
        (End::Yield(Atom::Var(var)), Some(last)) if last.var == *var => {
            matches!(last.op, Op::If(..) | Op::Switch(..) | Op::Loop { .. }).then_some(*var)
        }
        _ => None,
    }
}

/// What becomes of the value of a block.
#[derive(Clone, Copy)]
enum Value {
    /// It is the function's result, of these parts.
    Result(usize),
    /// It is the result of a choice or loop, of these parts; the second needs it.
    Join(usize, Option<usize>),
    /// This variable needs it; if none, it is needed anyway.
    For(Option<usize>),
}

/// A variable is known by its number in a table of all variables of all functions, then come the parts.
struct Needs<'a> {
    program: &'a Program,
    effects: &'a [Vec<Effects>],
    parts: &'a Parts,
    /// The number of the first variable of each function.
    base: Vec<usize>,
    /// How many variables there are.
    count: usize,
    /// For each number those that it needs.
    needs: Vec<Vec<u32>>,
    /// What is needed whatever happens.
    roots: Vec<u32>,
    places: Vec<Vec<Option<usize>>>,
    made: Vec<Vec<Option<Made>>>,
}

impl<'a> Needs<'a> {
    fn number(&self, id: usize, var: Var) -> usize {
        self.base[id] + var.0 as usize
    }

    fn edge(&mut self, by: Option<usize>, to: usize) {
        match by {
            Some(by) => self.needs[by].push(to as u32),
            None => self.roots.push(to as u32),
        }
    }

    fn place(&self, id: usize, atom: &Atom) -> Option<usize> {
        match atom {
            Atom::Var(var) => self.places[id][var.0 as usize],
            _ => None,
        }
    }

    /// The atom is needed as a whole.
    fn need(&mut self, id: usize, by: Option<usize>, atom: &Atom) {
        let Atom::Var(var) = atom else { return };
        let number = self.number(id, *var);
        self.edge(by, number);
        if let Some(place) = self.places[id][var.0 as usize] {
            let (parts, count) = (self.parts, self.count);
            parts.leaves(place, &mut |leaf| self.needs[number].push((count + leaf) as u32));
        }
    }

    /// The atom is taken apart.
    fn inspect(&mut self, id: usize, by: Option<usize>, atom: &Atom) {
        if let Atom::Var(var) = atom {
            let number = self.number(id, *var);
            self.edge(by, number);
        }
    }

    /// A variable holds a part of what stands at a place.
    fn holds(&mut self, id: usize, var: Var, part: usize) {
        self.places[id][var.0 as usize] = Some(part);
        if self.parts.nodes[part].parts.is_none() {
            let number = self.number(id, var);
            self.edge(Some(number), self.count + part);
        }
    }

    fn block(&mut self, id: usize, block: &'a Block, value: Value) {
        let choice = match value {
            Value::Result(_) | Value::Join(..) => last_choice(block),
            Value::For(_) => None,
        };
        for statement in &block.statements {
            let number = self.number(id, statement.var);
            let total = self.effects[id][statement.var.0 as usize].total;
            let by = total.then_some(number);
            self.statement(id, statement, number, by);
            if has_blocks(&statement.op) {
                let inner = self.value_inside(id, statement.var, choice, value, by);
                deep(|| statement.op.blocks(&mut |_, block| self.block(id, block, inner)));
            }
            if let Op::Loop { params, body } = &statement.op {
                self.again(id, params, body);
            }
        }
        match (&block.end, value) {
            (End::Yield(_), Value::Result(_) | Value::Join(..)) if choice.is_some() => {}
            (End::Yield(atom), Value::Result(root)) => self.result(id, block, atom, root),
            (End::Yield(atom), Value::Join(root, by)) => self.store(id, by, root, atom),
            (End::Yield(atom), Value::For(by)) => self.need(id, by, atom),
            (End::Again(_) | End::Never, _) => {}
        }
    }

    /// What becomes of the values of the blocks of the statement that binds a variable.
    fn value_inside(&mut self, id: usize, var: Var, choice: Option<Var>, value: Value, by: Option<usize>) -> Value {
        if choice == Some(var) {
            let (root, needed_by) = match value {
                Value::Result(root) => (root, None),
                Value::Join(root, by) => (root, by),
                Value::For(_) => unreachable!("needs: no choice comes last here"),
            };
            let number = self.number(id, var);
            self.edge(needed_by, number);
            self.places[id][var.0 as usize] = Some(root);
            return value;
        }
        match self.parts.joins[id].get(&var) {
            Some(root) => {
                self.places[id][var.0 as usize] = Some(*root);
                Value::Join(*root, by)
            }
            None => Value::For(by),
        }
    }

    fn statement(&mut self, id: usize, statement: &'a Statement, number: usize, by: Option<usize>) {
        let var = statement.var;
        match &statement.op {
            Op::Call(callee, args) => {
                self.call(id, *callee, args);
                self.places[id][var.0 as usize] = self.parts.results[callee.0 as usize];
            }
            Op::Loop { params, .. } => {
                for (param, first) in params {
                    let param = self.number(id, *param);
                    self.need(id, Some(param), first);
                }
            }
            Op::Unbox(node) => {
                self.need(id, by, node);
                if let Some(Type::Named(name)) = self.type_of(id, node) {
                    self.places[id][var.0 as usize] = self.parts.named[name.0 as usize];
                }
            }
            Op::Field(atom, i) => match self.place(id, atom) {
                Some(place) => {
                    self.inspect(id, by, atom);
                    let part = self.part(place, *i as usize);
                    self.holds(id, var, part);
                }
                None => self.need(id, by, atom),
            },
            Op::Switch(on, arms) => match self.place(id, on) {
                Some(place) => {
                    self.inspect(id, by, on);
                    for (tag, (bound, _)) in arms.iter().enumerate() {
                        let part = self.part(place, tag);
                        self.holds(id, *bound, part);
                    }
                }
                None => self.need(id, by, on),
            },
            Op::Box(content) => match &self.program.functions[id].vars[var.0 as usize] {
                Type::Named(name) => match self.parts.named[name.0 as usize] {
                    Some(root) => self.store(id, Some(number), root, content),
                    None => self.need(id, by, content),
                },
                _ => self.need(id, by, content),
            },
            op => {
                match op {
                    Op::Struct(fields) => self.made[id][var.0 as usize] = Some(Made::Struct(fields.clone())),
                    Op::Inject(tag, content) => {
                        self.made[id][var.0 as usize] = Some(Made::Inject(*tag, content.clone()));
                    }
                    _ => {}
                }
                op.atoms(&mut |atom| self.need(id, by, atom));
            }
        }
    }

    /// What a loop passes on is needed by its parameters. Only after the body: there the variables are bound.
    fn again(&mut self, id: usize, params: &[(Var, Atom)], body: &Block) {
        each_again(body, &mut |atoms| {
            for ((param, _), atom) in params.iter().zip(atoms) {
                let param = self.number(id, *param);
                self.need(id, Some(param), atom);
            }
        });
    }

    fn part(&self, place: usize, i: usize) -> usize {
        self.parts.nodes[place].parts.as_ref().expect("needs: a place has parts")[i]
    }

    fn type_of(&self, id: usize, atom: &Atom) -> Option<&'a Type> {
        match atom {
            Atom::Var(var) => Some(&self.program.functions[id].vars[var.0 as usize]),
            _ => None,
        }
    }

    /// The atom becomes what stands at a place; `by` needs what can't be taken apart.
    fn store(&mut self, id: usize, by: Option<usize>, place: usize, atom: &Atom) {
        let parts = self.parts;
        let Some(children) = &parts.nodes[place].parts else {
            return self.need(id, Some(self.count + place), atom);
        };
        let Atom::Var(var) = atom else { return };
        match self.made[id][var.0 as usize].clone() {
            Some(Made::Struct(fields)) => {
                children.iter().zip(&fields).for_each(|(child, field)| self.store(id, by, *child, field));
            }
            Some(Made::Inject(tag, content)) => self.store(id, by, children[tag as usize], &content),
            None => match self.places[id][var.0 as usize] {
                Some(other) => {
                    self.inspect(id, by, atom);
                    self.link(place, other);
                }
                None => self.need(id, by, atom),
            },
        }
    }

    fn call(&mut self, id: usize, callee: FunctionId, args: &[Atom]) {
        let program = self.program;
        for (param, arg) in program.functions[callee.0 as usize].params.iter().zip(args) {
            // The entry keeps its parameters.
            let by = (callee != program.entry).then(|| self.number(callee.0 as usize, *param));
            self.need(id, by, arg);
        }
    }

    /// The atom is the result of the function.
    fn result(&mut self, id: usize, block: &Block, atom: &Atom, root: usize) {
        // A call that comes last stays last: the two results have the same parts.
        if let Some((var, callee)) = last_call(block)
            && let Some(other) = self.parts.results[callee.0 as usize]
        {
            let number = self.number(id, var);
            self.roots.push(number as u32);
            self.link(root, other);
            return self.link(other, root);
        }
        self.store(id, None, root, atom);
    }

    /// The leaves of `a` need those of `b`, which has the same parts.
    fn link(&mut self, a: usize, b: usize) {
        if a == b {
            return;
        }
        let (mut left, mut right) = (vec![], vec![]);
        self.parts.leaves(a, &mut |leaf| left.push(self.count + leaf));
        self.parts.leaves(b, &mut |leaf| right.push(self.count + leaf));
        left.into_iter().zip(right).for_each(|(a, b)| self.edge(Some(a), b));
    }

    fn reached(self) -> Needed {
        let mut live = vec![false; self.needs.len()];
        let mut waiting = self.roots;
        while let Some(number) = waiting.pop() {
            if !std::mem::replace(&mut live[number as usize], true) {
                waiting.extend(&self.needs[number as usize]);
            }
        }
        let of = |(base, function): (&usize, &first_order::Function)| live[*base..base + function.vars.len()].to_vec();
        let vars = self.base.iter().zip(&self.program.functions).map(of).collect();
        let leaves = live[self.count..].to_vec();
        Needed { vars, leaves, places: self.places, made: self.made }
    }
}
