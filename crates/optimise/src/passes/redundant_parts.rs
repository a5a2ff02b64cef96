//! Redundant fields: parts of nodes that are always equal are kept once.
//!
//! If wherever a node of a named type is made two of its parts are the same atom, or a part is the same constant, then who
//! reads the one may read the other, or the constant. [`dead_parts`](crate::passes::dead_parts) then drops what nobody reads. The
//! captures of derived code hold the same variable many times.

use first_order::{Atom, Block, Function, Op, Program, Type, Var};
use rustc_hash::FxHashMap;

use crate::analyses::parts::Parts;
use crate::deep;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, each_op, has_blocks};

/// The first part that holds these values, by its type and what it holds at every place.
type First<'a> = FxHashMap<(&'a Type, &'a [(usize, Value)]), usize>;

pub fn run(program: &mut Program) {
    let parts = Parts::of(program);
    let mut sites = Sites { parts: &parts, values: vec![vec![]; parts.nodes.len()], number: 0 };
    program.functions.iter().for_each(|function| sites.function(function));
    let instead = sites.instead();
    if instead.iter().all(Option::is_none) {
        return;
    }
    let parents = Parents::of(&parts);
    for function in &mut program.functions {
        let mut reader = Reader {
            parts: &parts,
            parents: &parents,
            instead: &instead,
            vars: &mut function.vars,
            held: FxHashMap::default(),
        };
        reader.block(&mut function.body);
        renumber(function);
    }
}

/// What a part is where a node is made: a variable of a function, or a constant, or something that equals nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Value {
    Var(usize, u32),
    Bool(bool),
    Int(i64),
    Real(u64),
    Unknown(usize),
}

/// What to read instead of a part.
#[derive(Clone, Debug)]
enum Instead {
    Part(usize),
    Constant(Atom),
}

/// The places where nodes are made.
struct Sites<'a> {
    parts: &'a Parts,
    /// For each leaf, what it is at each place, by the number of the place.
    values: Vec<Vec<(usize, Value)>>,
    number: usize,
}

impl Sites<'_> {
    fn function(&mut self, function: &Function) {
        let mut made: FxHashMap<Var, &Op> = FxHashMap::default();
        let base = self.number;
        each_op(&function.body, &mut |var, op| match op {
            Op::Struct(_) | Op::Inject(..) => {
                made.insert(var, op);
            }
            Op::Box(content) => {
                if let Type::Named(name) = function.vars[var.0 as usize]
                    && let Some(root) = self.parts.named[name.0 as usize]
                {
                    self.number += 1;
                    self.site(base, root, content, &made);
                }
            }
            _ => {}
        });
        self.number += 1;
    }

    /// Notes what the parts of an atom are. `function` tells functions apart.
    fn site(&mut self, function: usize, place: usize, atom: &Atom, made: &FxHashMap<Var, &Op>) {
        let known = if let Atom::Var(var) = atom { made.get(var) } else { None };
        let parts = self.parts;
        match (&parts.nodes[place].parts, known) {
            (None, _) => {
                let value = match atom {
                    Atom::Var(var) => Value::Var(function, var.0),
                    Atom::Bool(b) => Value::Bool(*b),
                    Atom::Int(n) => Value::Int(*n),
                    Atom::Real(x) => Value::Real(x.to_bits()),
                    Atom::Unit => Value::Unknown(place),
                };
                self.values[place].push((self.number, value));
            }
            (Some(children), Some(Op::Struct(fields))) => {
                children.iter().zip(fields).for_each(|(child, field)| self.site(function, *child, field, made));
            }
            (Some(children), Some(Op::Inject(tag, content))) => {
                self.site(function, children[*tag as usize], content, made);
            }
            (Some(_), _) => {
                let number = self.number;
                parts.leaves(place, &mut |leaf| self.values[leaf].push((number, Value::Unknown(leaf))));
            }
        }
    }

    /// For each leaf, what may be read instead.
    fn instead(&self) -> Vec<Option<Instead>> {
        let mut instead = vec![None; self.parts.nodes.len()];
        for root in self.parts.named.iter().flatten() {
            self.classes(*root, &mut FxHashMap::default(), &mut instead);
        }
        instead
    }

    /// Leaves below a place that are there whenever the others are: `first` has the first of each class.
    fn classes<'a>(&'a self, place: usize, first: &mut First<'a>, instead: &mut [Option<Instead>]) {
        let node = &self.parts.nodes[place];
        match (&node.parts, &node.of) {
            (Some(parts), Type::Struct(_)) => {
                parts.iter().for_each(|part| self.classes(*part, first, instead));
            }
            // In an alternative there may be other parts than in the next.
            (Some(parts), _) => {
                parts.iter().for_each(|part| self.classes(*part, &mut FxHashMap::default(), instead));
            }
            (None, of) => {
                let values = self.values[place].as_slice();
                if let Some(constant) = constant(values) {
                    instead[place] = Some(Instead::Constant(constant));
                } else if values.iter().any(|(_, value)| !matches!(value, Value::Unknown(_))) {
                    let other = *first.entry((of, values)).or_insert(place);
                    instead[place] = (other != place).then_some(Instead::Part(other));
                }
            }
        }
    }
}

/// The constant that all places agree on.
fn constant(values: &[(usize, Value)]) -> Option<Atom> {
    let (_, first) = values.first()?;
    let atom = match first {
        Value::Bool(b) => Atom::Bool(*b),
        Value::Int(n) => Atom::Int(*n),
        Value::Real(bits) => Atom::Real(f64::from_bits(*bits)),
        Value::Var(..) | Value::Unknown(_) => return None,
    };
    values.iter().all(|(_, value)| value == first).then_some(atom)
}

/// For each part, what it is a part of and at which index.
struct Parents(Vec<Option<(usize, u32)>>);

impl Parents {
    fn of(parts: &Parts) -> Parents {
        let mut parents = vec![None; parts.nodes.len()];
        for (parent, node) in parts.nodes.iter().enumerate() {
            for (i, part) in node.parts.iter().flatten().enumerate() {
                parents[*part] = Some((parent, i as u32));
            }
        }
        Parents(parents)
    }
}

/// Reads other parts.
struct Reader<'a> {
    parts: &'a Parts,
    parents: &'a Parents,
    instead: &'a [Option<Instead>],
    vars: &'a mut Vec<Type>,
    /// The part of a node that a variable holds, and the variable that it is a field of.
    held: FxHashMap<Var, (usize, Option<Var>)>,
}

impl Reader<'_> {
    fn block(&mut self, block: &mut Block) {
        let statements = std::mem::take(&mut block.statements);
        for mut statement in statements {
            match &mut statement.op {
                Op::Unbox(Atom::Var(node)) => {
                    if let Type::Named(name) = self.vars[node.0 as usize]
                        && let Some(root) = self.parts.named[name.0 as usize]
                    {
                        self.held.insert(statement.var, (root, None));
                    }
                }
                Op::Field(Atom::Var(whole), at) => {
                    if let Some(&(place, _)) = self.held.get(whole)
                        && let Some(children) = &self.parts.nodes[place].parts
                    {
                        let (part, whole) = (children[*at as usize], *whole);
                        self.held.insert(statement.var, (part, Some(whole)));
                        match &self.instead[part] {
                            Some(Instead::Constant(atom)) => statement.op = Op::Atom(atom.clone()),
                            Some(Instead::Part(other)) => {
                                statement.op = self.read(whole, *other, &statement, &mut block.statements);
                            }
                            None => {}
                        }
                    }
                }
                Op::Switch(Atom::Var(on), arms) => {
                    if let Some(&(place, _)) = self.held.get(on)
                        && let Some(children) = &self.parts.nodes[place].parts
                    {
                        for ((bound, _), part) in arms.iter().zip(children) {
                            self.held.insert(*bound, (*part, None));
                        }
                    }
                }
                _ => {}
            }
            if has_blocks(&statement.op) {
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block)));
            }
            block.statements.push(statement);
        }
    }

    /// The operation that reads a part of what `whole` or something around it holds.
    fn read(
        &mut self,
        whole: Var,
        part: usize,
        like: &first_order::Statement,
        out: &mut Vec<first_order::Statement>,
    ) -> Op {
        let mut around = vec![];
        let mut above = Some(whole);
        while let Some(var) = above {
            let (place, next) = self.held[&var];
            around.push((var, place));
            above = next;
        }
        // The way down from the first of these that the part is inside of.
        let mut way = vec![];
        let mut place = part;
        let from = loop {
            if let Some((var, _)) = around.iter().find(|(_, at)| *at == place) {
                break *var;
            }
            let (parent, i) = self.parents.0[place].expect("redundant_parts: the parts are of one node");
            way.push((place, i));
            place = parent;
        };
        let mut from = from;
        while way.len() > 1 {
            let (place, i) = way.pop().expect("a step");
            self.vars.push(self.parts.nodes[place].of.clone());
            let var = Var(self.vars.len() as u32 - 1);
            self.held.insert(var, (place, Some(from)));
            out.push(first_order::Statement { var, op: Op::Field(Atom::Var(from), i), span: like.span });
            from = var;
        }
        let (_, i) = way.pop().expect("redundant_parts: another part is read");
        Op::Field(Atom::Var(from), i)
    }
}
