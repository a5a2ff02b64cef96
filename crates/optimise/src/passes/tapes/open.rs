//! The content of a node, from the entry that stands for it.

use base::Span;
use first_order::{Atom, Block, End, Function, NamedId, Op, Scalar, Statement, Type, Var};
use rustc_hash::FxHashMap;

use super::layout::{Expression, Layout, Shared, Tape, Tapes};
use crate::deep;
use crate::rewriting::walk::{blocks_mut, has_blocks};

/// Writes statements into a block of a function.
pub struct Writer<'a> {
    pub vars: &'a mut Vec<Type>,
    pub out: Vec<Statement>,
    pub span: Span,
}

impl Writer<'_> {
    pub fn fresh(&mut self, of: Type) -> Var {
        self.vars.push(of);
        Var(self.vars.len() as u32 - 1)
    }

    pub fn bind(&mut self, of: Type, op: Op) -> Atom {
        let var = self.fresh(of);
        self.out.push(Statement { var, op, span: self.span });
        Atom::Var(var)
    }

    /// Statements apart from those so far.
    pub fn apart<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (Vec<Statement>, T) {
        let outer = std::mem::take(&mut self.out);
        let value = write(self);
        (std::mem::replace(&mut self.out, outer), value)
    }
}

/// The parts of a value of a replaced type.
pub struct Parts {
    pub array: Atom,
    pub first: Atom,
    pub last: Atom,
    pub shared: Vec<Atom>,
}

impl Parts {
    pub fn of(value: &Atom, tape: &Tape, writer: &mut Writer) -> Parts {
        let array = writer.bind(tape.array(), Op::Field(value.clone(), 0));
        let first = writer.bind(Type::Int, Op::Field(value.clone(), 1));
        let last = writer.bind(tape.last_type.clone(), Op::Field(value.clone(), 2));
        let all = writer.bind(tape.shared_type(), Op::Field(value.clone(), 3));
        let part = |(i, (_, of)): (u32, &(Shared, Type))| writer.bind(of.clone(), Op::Field(all.clone(), i));
        let shared = (0..).zip(&tape.shared).map(part).collect();
        Parts { array, first, last, shared }
    }
}

/// Puts contents together.
pub struct Opening<'a> {
    pub tapes: &'a Tapes,
    pub name: NamedId,
    pub shared: &'a [Atom],
    /// The number of the entry.
    pub index: Atom,
    /// What stands for the next node.
    pub next: Atom,
}

impl Opening<'_> {
    /// The content, of type `of` before types are replaced, that is laid out so in `entry`.
    pub fn content(&self, entry: &Atom, layout: &Layout, of: &Type, writer: &mut Writer) -> Atom {
        let mut known = FxHashMap::default();
        self.numbered(entry, layout, &mut known, writer);
        self.build(entry, layout, of, &mut known, writer)
    }

    /// Finds the parts that others are computed from, but for those inside of alternatives.
    fn numbered(&self, entry: &Atom, layout: &Layout, known: &mut FxHashMap<usize, Atom>, writer: &mut Writer) {
        match layout {
            Layout::Numbered(number, _) => {
                known.insert(*number, entry.clone());
            }
            Layout::Struct(parts) => {
                for (i, part) in (0..).zip(parts) {
                    if has_numbered(part) {
                        let field = writer.bind(kept(part), Op::Field(entry.clone(), i));
                        self.numbered(&field, part, known, writer);
                    }
                }
            }
            Layout::Only(_, content) => self.numbered(entry, content, known, writer),
            _ => {}
        }
    }

    fn build(
        &self,
        entry: &Atom,
        layout: &Layout,
        of: &Type,
        known: &mut FxHashMap<usize, Atom>,
        writer: &mut Writer,
    ) -> Atom {
        match (layout, of) {
            (Layout::Next, _) => self.next.clone(),
            (Layout::Kept(_) | Layout::Numbered(..), _) => entry.clone(),
            (Layout::Constant(atom), _) => atom.clone(),
            (Layout::Shared(at), _) => self.shared[*at].clone(),
            (Layout::Computed(expression), _) => self.computed(expression, of, known, writer),
            (Layout::Struct(parts), Type::Struct(types)) => {
                if parts.is_empty() {
                    return Atom::Unit;
                }
                let mut fields = vec![];
                for (i, (part, of)) in (0..).zip(parts.iter().zip(types.iter())) {
                    let field = writer.bind(kept(part), Op::Field(entry.clone(), i));
                    fields.push(self.build(&field, part, of, known, writer));
                }
                writer.bind(self.tapes.replaced(of), Op::Struct(fields))
            }
            (Layout::Only(tag, content), Type::Sum(types)) => {
                let content = self.build(entry, content, &types[*tag as usize], known, writer);
                writer.bind(self.tapes.replaced(of), Op::Inject(*tag, content))
            }
            (Layout::Sum(parts), Type::Sum(types)) => {
                let mut arms = vec![];
                for (tag, (part, alternative)) in (0..).zip(parts.iter().zip(types.iter())) {
                    let bound = writer.fresh(part.as_ref().map_or_else(Type::unit, kept));
                    let Some(part) = part else {
                        let (statements, _) =
                            writer.apart(|writer| writer.bind(Type::unit(), Op::Fail(base::codes::OUT_OF_STEPS)));
                        arms.push((bound, Block { statements, end: End::Never }));
                        continue;
                    };
                    let (statements, sum) = writer.apart(|writer| {
                        let mut known = known.clone();
                        self.numbered(&Atom::Var(bound), part, &mut known, writer);
                        let content = self.build(&Atom::Var(bound), part, alternative, &mut known, writer);
                        writer.bind(self.tapes.replaced(of), Op::Inject(tag, content))
                    });
                    arms.push((bound, Block { statements, end: End::Yield(sum) }));
                }
                writer.bind(self.tapes.replaced(of), Op::Switch(entry.clone(), arms))
            }
            (layout, of) => unreachable!("tapes: {layout:?} of type {of:?}"),
        }
    }

    fn computed(
        &self,
        expression: &Expression,
        of: &Type,
        known: &mut FxHashMap<usize, Atom>,
        writer: &mut Writer,
    ) -> Atom {
        match expression {
            Expression::Constant(atom) => atom.clone(),
            Expression::Shared(at) => self.shared[*at].clone(),
            Expression::Counted(at, more) => {
                let start = self.shared[*at].clone();
                let first = writer.bind(Type::Int, Op::Scalar(Scalar::IntAdd, vec![start, self.index.clone()]));
                match more {
                    0 => first,
                    more => writer.bind(Type::Int, Op::Scalar(Scalar::IntAdd, vec![first, Atom::Int(*more)])),
                }
            }
            Expression::Part(number) => {
                if let Some(atom) = known.get(number) {
                    return atom.clone();
                }
                let (expression, of) = self.part(*number);
                let atom = self.computed(&expression, &of, known, writer);
                known.insert(*number, atom.clone());
                atom
            }
            Expression::Scalar(scalar, args) => {
                let signature = scalar.signature().expect("tapes: arithmetic has a signature").0;
                let args = args.iter().zip(&signature).map(|(arg, of)| self.computed(arg, of, known, writer)).collect();
                writer.bind(of.clone(), Op::Scalar(*scalar, args))
            }
        }
    }

    /// How the part of this number is computed.
    fn part(&self, number: usize) -> (Expression, Type) {
        let tape = self.tapes.get(self.name).expect("tapes: the type is replaced");
        tape.computed[number].clone().expect("tapes: a part is in the entry or computed")
    }
}

fn kept(layout: &Layout) -> Type {
    layout.kept()
}

fn has_numbered(layout: &Layout) -> bool {
    match layout {
        Layout::Numbered(..) => true,
        Layout::Struct(parts) => parts.iter().any(has_numbered),
        Layout::Only(_, content) => has_numbered(content),
        _ => false,
    }
}

/// Reads an entry wherever a node of a replaced type is opened.
pub fn others(function: &mut Function, tapes: &Tapes) {
    let mut body = std::mem::replace(&mut function.body, crate::rewriting::walk::empty());
    open_in(&mut body, &mut function.vars, tapes);
    function.body = body;
}

fn open_in(block: &mut Block, vars: &mut Vec<Type>, tapes: &Tapes) {
    let mut out = Vec::with_capacity(block.statements.len());
    for mut statement in std::mem::take(&mut block.statements) {
        let opened = match &statement.op {
            Op::Unbox(node @ Atom::Var(var)) => match vars[var.0 as usize] {
                Type::Named(name) => tapes.get(name).map(|tape| (node.clone(), name, tape)),
                _ => None,
            },
            _ => None,
        };
        if let Some((node, name, tape)) = opened {
            let mut writer = Writer { vars, out: std::mem::take(&mut out), span: statement.span };
            statement.op = read(&node, name, tape, tapes, &mut writer);
            out = writer.out;
        } else if has_blocks(&statement.op) {
            deep(|| blocks_mut(&mut statement.op, &mut |block| open_in(block, vars, tapes)));
        }
        out.push(statement);
    }
    block.statements = out;
}

/// The content of a node: of an entry, or the last.
fn read(node: &Atom, name: NamedId, tape: &Tape, tapes: &Tapes, writer: &mut Writer) -> Op {
    let Parts { array, first, last, shared } = Parts::of(node, tape, writer);
    let count = writer.bind(Type::Int, Op::Len(array.clone()));
    let is_entry = writer.bind(Type::Bool, Op::Scalar(Scalar::IntLt, vec![first.clone(), count]));
    let (entry, content) = writer.apart(|writer| {
        let entry = Op::Element(array.clone(), vec![first.clone()]);
        let entry = writer.bind(tape.entry_type.clone(), entry);
        let after = writer.bind(Type::Int, Op::Scalar(Scalar::IntAdd, vec![first.clone(), Atom::Int(1)]));
        let all = writer.bind(tape.shared_type(), Op::Struct(shared.clone()));
        let next = writer.bind(tape.value(), Op::Struct(vec![array.clone(), after, last.clone(), all]));
        Opening { tapes, name, shared: &shared, index: first.clone(), next }.content(
            &entry,
            &tape.entry,
            &tape.content,
            writer,
        )
    });
    let entry = Block { statements: entry, end: End::Yield(content) };
    let (statements, content) = writer.apart(|writer| {
        let opening = Opening { tapes, name, shared: &[], index: Atom::Unit, next: Atom::Unit };
        opening.content(&last, &tape.last, &tape.content, writer)
    });
    let last = Block { statements, end: End::Yield(content) };
    Op::If(is_entry, Box::new(entry), Box::new(last))
}
