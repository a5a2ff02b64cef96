//! Why an object is kept: which parts of it the reverse half reads, and for what.
//!
//! In: an L3 program that marks where its forward half ends, a statement that makes objects. Out: the parts of these objects that
//! are read after the mark, each with the places in the source whose derivative reads them.

use std::collections::{BTreeMap, BTreeSet};

use super::Place;
use base::Span;
use calculus::Prim;
use first_order::{Atom, Block, End, FunctionId, Op, Program, Statement, Type, Var, deep};

use super::flow::holders;

/// A part of an object: fields, and alternatives of sums.
pub type Path = Vec<u32>;

/// The places that need each part.
pub type Needs = BTreeMap<Path, Readers>;

#[derive(Default)]
pub struct Readers {
    /// What is computed with the part as it is read,
    direct: BTreeSet<Span>,
    /// and what is computed with it after a loop has carried it.
    carried: BTreeSet<Span>,
}

impl Readers {
    /// Those that say most.
    pub fn places(&self) -> &BTreeSet<Span> {
        if self.direct.is_empty() { &self.carried } else { &self.direct }
    }
}

/// The statements that run after the mark, by function and variable.
pub type After = BTreeSet<(FunctionId, Var)>;

pub fn needs(program: &Program, after: &After, place: Place) -> Needs {
    let what = &program.functions[place.function.0 as usize].vars[place.var.0 as usize];
    let held = holders(program, place);
    let mut needs = Needs::new();
    for (id, function) in (0..).zip(&program.functions) {
        let id = FunctionId(id);
        let is = |atom: &Atom| matches!(atom, Atom::Var(var) if held.contains(&(id, *var)) && function.vars[var.0 as usize] == *what);
        let mut reader = Reader { body: &function.body, needs: &mut needs, seen: BTreeSet::new() };
        each_statement(&function.body, &mut |statement| {
            if !after.contains(&(id, statement.var)) {
                return;
            }
            match &statement.op {
                Op::Element(array, _) if is(array) => match &function.vars[statement.var.0 as usize] {
                    Type::Array(..) => reader.note(&vec![], statement.span, Way::Direct),
                    _ => reader.follow(statement.var, &vec![], Way::Direct),
                },
                Op::Unbox(node) if is(node) => reader.follow(statement.var, &vec![], Way::Direct),
                Op::Prim { args, .. } if args.iter().any(is) => reader.note(&vec![], statement.span, Way::Direct),
                _ => {}
            }
        });
    }
    needs
}

/// Follows a part that was read to what is computed with it.
struct Reader<'a> {
    body: &'a Block,
    needs: &'a mut Needs,
    seen: BTreeSet<Var>,
}

impl Reader<'_> {
    fn note(&mut self, path: &Path, span: Span, way: Way) {
        let readers = self.needs.entry(path.clone()).or_default();
        let places = if way == Way::Direct { &mut readers.direct } else { &mut readers.carried };
        places.insert(span);
    }

    fn follow(&mut self, var: Var, path: &Path, way: Way) {
        if !self.seen.insert(var) {
            return;
        }
        let mut next = vec![];
        let mut found = vec![];
        uses(self.body, None, &mut |user| match user {
            User::Statement(statement) => {
                let mut mentioned = false;
                statement.op.atoms(&mut |atom| mentioned |= *atom == Atom::Var(var));
                if !mentioned {
                    return;
                }
                match &statement.op {
                    Op::Field(_, field) => next.push((statement.var, with(path, *field), way)),
                    Op::Atom(_) | Op::View(_) | Op::Unbox(_) => next.push((statement.var, path.clone(), way)),
                    Op::Switch(_, arms) => {
                        next.extend((0..).zip(arms).map(|(tag, (content, _))| (*content, with(path, tag), way)));
                    }
                    Op::Loop { params, .. } => {
                        let taken = params.iter().filter(|(_, first)| *first == Atom::Var(var));
                        next.extend(taken.map(|(param, _)| (*param, path.clone(), Way::Carried)));
                    }
                    _ => found.push(statement.span),
                }
            }
            User::Value(atom, to) if *atom == Atom::Var(var) => next.push((to, path.clone(), Way::Carried)),
            User::Value(..) => {}
        });
        found.into_iter().for_each(|span| self.note(path, span, way));
        next.into_iter().for_each(|(var, path, way)| self.follow(var, &path, way));
    }
}

fn with(path: &Path, part: u32) -> Path {
    path.iter().copied().chain([part]).collect()
}

/// How a part came to where it is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Direct,
    Carried,
}

/// Who may use a variable.
enum User<'a> {
    Statement(&'a Statement),
    /// The value of a block, and the variable that gets it.
    Value(&'a Atom, Var),
}

fn uses<'a>(block: &'a Block, value: Option<Var>, see: &mut dyn FnMut(User<'a>)) {
    for statement in &block.statements {
        see(User::Statement(statement));
        let value = if let Op::Tabulate { .. } = statement.op { None } else { Some(statement.var) };
        deep(|| statement.op.blocks(&mut |_, block| uses(block, value, see)));
    }
    if let (End::Yield(atom), Some(var)) = (&block.end, value) {
        see(User::Value(atom, var));
    }
}

pub fn each_statement<'a>(block: &'a Block, see: &mut dyn FnMut(&'a Statement)) {
    for statement in &block.statements {
        see(statement);
        deep(|| statement.op.blocks(&mut |_, block| each_statement(block, see)));
    }
}

/// What runs after the program has printed its mark: the only thing it prints outside the function that is differentiated.
pub fn after(program: &Program) -> After {
    let mut walk = Walk { program, after: After::new(), whole: BTreeSet::new(), marked: false };
    walk.function(program.entry, &mut vec![]);
    walk.after
}

struct Walk<'p> {
    program: &'p Program,
    after: After,
    /// Functions that were called after the mark.
    whole: BTreeSet<FunctionId>,
    marked: bool,
}

impl Walk<'_> {
    fn function(&mut self, id: FunctionId, open: &mut Vec<FunctionId>) {
        if open.contains(&id) || (self.marked && !self.whole.insert(id)) {
            return;
        }
        open.push(id);
        let program = self.program;
        self.block(id, &program.functions[id.0 as usize].body, open);
        open.pop();
    }

    fn block(&mut self, id: FunctionId, block: &Block, open: &mut Vec<FunctionId>) {
        for statement in &block.statements {
            if self.marked {
                self.after.insert((id, statement.var));
            }
            if let Op::Call(callee, _) = &statement.op {
                self.function(*callee, open);
            }
            // One way of several may hold the mark; the others end there too.
            let before = self.marked;
            let mut marked = before;
            deep(|| {
                statement.op.blocks(&mut |_, block| {
                    self.marked = before;
                    self.block(id, block, open);
                    marked |= self.marked;
                });
            });
            self.marked = marked || matches!(statement.op, Op::Prim { prim: Prim::Print, .. });
        }
    }
}

/// The type of a part.
pub fn part_type<'a>(ty: &'a Type, path: &[u32]) -> Option<&'a Type> {
    let Some((first, rest)) = path.split_first() else { return Some(ty) };
    match ty {
        Type::Struct(parts) | Type::Sum(parts) => part_type(parts.get(*first as usize)?, rest),
        _ => None,
    }
}

/// Where a part of what a statement makes was computed.
pub fn origin(program: &Program, place: Place, path: &[u32]) -> Option<Span> {
    let function = &program.functions[place.function.0 as usize];
    let mut made = BTreeMap::new();
    each_statement(&function.body, &mut |statement| {
        made.insert(statement.var, statement);
    });
    let mut atom = match &made.get(&place.var)?.op {
        Op::Append(_, content) | Op::Box(content) => content,
        Op::Tabulate { body, .. } => match &body.end {
            End::Yield(content) => content,
            End::Again(_) | End::Never => return None,
        },
        _ => return None,
    };
    let mut path = path;
    loop {
        let Atom::Var(var) = atom else { return None };
        let statement = made.get(var)?;
        atom = match (&statement.op, path.split_first()) {
            (Op::Atom(other) | Op::View(other), _) => other,
            (Op::Struct(fields), Some((first, rest))) => {
                path = rest;
                fields.get(*first as usize)?
            }
            (Op::Inject(tag, content), Some((first, rest))) if tag == first => {
                path = rest;
                content
            }
            (Op::Field(..) | Op::Unbox(_), _) => return None,
            (_, None) => return Some(statement.span),
            (_, Some(_)) => return None,
        };
    }
}
