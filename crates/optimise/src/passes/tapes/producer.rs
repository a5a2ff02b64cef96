//! The recursion that makes the nodes as a loop that appends entries.

use first_order::{Atom, Block, End, Function, FunctionId, NamedId, Op, Type, Var};

use super::layout::{Layout, Shared, Tape, Tapes};
use super::open::Writer;
use super::ways::{self, Tree};
use crate::deep;
use crate::rewriting::walk::blocks_mut;

pub fn rewrite(id: FunctionId, function: &mut Function, name: NamedId, tapes: &Tapes, total: &dyn Fn(Var) -> bool) {
    let tape = tapes.get(name).expect("tapes: the type is replaced");
    let span = function.span;
    let inner = std::mem::take(&mut function.params);
    let mut params = vec![];
    for inner in inner.clone() {
        function.vars.push(function.vars[inner.0 as usize].clone());
        let outer = Var(function.vars.len() as u32 - 1);
        function.params.push(outer);
        params.push((inner, Atom::Var(outer)));
    }
    let mut body = std::mem::replace(&mut function.body, crate::rewriting::walk::empty());
    let mut writer = Writer { vars: &mut function.vars, out: vec![], span };
    let none = writer.bind(tape.array(), Op::Array(vec![]));
    let array = writer.fresh(tape.array());
    params.push((array, none));
    let appender = Appender {
        id,
        name,
        tapes,
        tape,
        array,
        first: &function.params,
        params: &inner,
        result: &function.result,
        total,
    };
    appender.block(&mut body, writer.vars);
    let value = writer.bind(function.result.clone(), Op::Loop { params, body: Box::new(body) });
    function.body = Block { statements: writer.out, end: End::Yield(value) };
}

struct Appender<'a> {
    id: FunctionId,
    name: NamedId,
    tapes: &'a Tapes,
    tape: &'a Tape,
    /// The entries so far.
    array: Var,
    /// The parameters as the function was called, and at each step.
    first: &'a [Var],
    params: &'a [Var],
    result: &'a Type,
    total: &'a dyn Fn(Var) -> bool,
}

impl Appender<'_> {
    fn block(&self, block: &mut Block, vars: &mut Vec<Type>) {
        if let (End::Yield(Atom::Var(var)), Some(last)) = (&block.end, block.statements.last_mut())
            && last.var == *var
            && matches!(last.op, Op::If(..) | Op::Switch(..))
        {
            return deep(|| blocks_mut(&mut last.op, &mut |block| self.block(block, vars)));
        }
        if block.end != End::Never {
            self.end(block, vars);
        }
    }

    fn end(&self, block: &mut Block, vars: &mut Vec<Type>) {
        let way = ways::way(block, self.id, vars, self.name, self.total).expect("tapes: the way was looked at before");
        let span = block.statements.last().map_or_else(Default::default, |last| last.span);
        let (args, content) = (way.args.map(<[Atom]>::to_vec), way.node());
        let mut writer = Writer { vars, out: way.before.iter().copied().cloned().collect(), span };
        block.end = match args {
            Some(mut args) => {
                let entry = self.entry(content, &self.tape.entry, &mut writer);
                args.push(writer.bind(self.tape.array(), Op::Append(Atom::Var(self.array), entry)));
                End::Again(args)
            }
            None => {
                let last = self.entry(content, &self.tape.last, &mut writer);
                let shared = self.tape.shared.iter().map(|(shared, _)| self.shared(*shared, &mut writer)).collect();
                let shared = writer.bind(self.tape.shared_type(), Op::Struct(shared));
                let first = Op::Struct(vec![Atom::Var(self.array), Atom::Int(0), last, shared]);
                let first = writer.bind(self.tape.value(), first);
                End::Yield(self.value(&way.value, self.result, &first, &mut writer))
            }
        };
        block.statements = writer.out;
    }

    /// What all entries share.
    fn shared(&self, shared: Shared, writer: &mut Writer) -> Atom {
        match shared {
            Shared::Param(at) => Atom::Var(self.params[at]),
            Shared::Length(at) => writer.bind(Type::Int, Op::Len(Atom::Var(self.params[at]))),
            Shared::Start(at) => Atom::Var(self.first[at]),
        }
    }

    /// What is kept of a node with this content.
    fn entry(&self, tree: &Tree, layout: &Layout, writer: &mut Writer) -> Atom {
        match (tree, layout) {
            (tree, Layout::Kept(of) | Layout::Numbered(_, of)) => self.made(tree, of, writer),
            (Tree::Struct(fields), Layout::Struct(parts)) if !parts.is_empty() => {
                let pairs = fields.iter().zip(parts);
                let fields = pairs.map(|(field, part)| self.entry(field, part, writer)).collect();
                writer.bind(layout.kept(), Op::Struct(fields))
            }
            (Tree::Inject(_, content), Layout::Only(_, part)) => self.entry(content, part, writer),
            (Tree::Inject(tag, content), Layout::Sum(parts)) => {
                let part = parts[*tag as usize].as_ref().expect("tapes: an alternative that is made");
                let content = self.entry(content, part, writer);
                writer.bind(layout.kept(), Op::Inject(*tag, content))
            }
            _ => Atom::Unit,
        }
    }

    /// The value that a tree describes, of a type in which types are replaced.
    fn made(&self, tree: &Tree, of: &Type, writer: &mut Writer) -> Atom {
        match (tree, of) {
            (Tree::Atom(atom), _) => atom.clone(),
            (Tree::Struct(fields), Type::Struct(parts)) if !parts.is_empty() => {
                let pairs = fields.iter().zip(parts.iter());
                let fields = pairs.map(|(field, part)| self.made(field, part, writer)).collect();
                writer.bind(of.clone(), Op::Struct(fields))
            }
            (Tree::Struct(_), _) => Atom::Unit,
            (Tree::Inject(tag, content), Type::Sum(parts)) => {
                let content = self.made(content, &parts[*tag as usize], writer);
                writer.bind(of.clone(), Op::Inject(*tag, content))
            }
            (tree, of) => unreachable!("tapes: {tree:?} of type {of:?}"),
        }
    }

    /// The function's result, with `first` for the node.
    fn value(&self, tree: &Tree, of: &Type, first: &Atom, writer: &mut Writer) -> Atom {
        match (tree, of) {
            (Tree::Node(_), _) => first.clone(),
            (Tree::Struct(fields), Type::Struct(parts)) if !parts.is_empty() => {
                let pairs = fields.iter().zip(parts.iter());
                let fields = pairs.map(|(field, part)| self.value(field, part, first, writer)).collect();
                writer.bind(self.tapes.replaced(of), Op::Struct(fields))
            }
            (tree, of) => self.made(tree, &self.tapes.replaced(of), writer),
        }
    }
}
