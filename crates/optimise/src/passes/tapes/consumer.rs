//! Recursions that go to the last node and work on their way back, as loops.
//!
//! Such a function opens the node it gets; wherever that holds another node it calls itself with it, and with its other parameters as
//! they are. What it does before that call can neither fail nor print, so it may as well be done afterwards.

use base::codes;
use first_order::{Atom, Block, End, Function, FunctionId, NamedId, Op, Scalar, Statement, Type, Var};
use rustc_hash::FxHashSet;

use super::layout::{Layout, Tapes, mentions};
use super::open::{Opening, Parts, Writer};
use crate::analyses::effects::Effects;
use crate::deep;
use crate::passes::tail_duplication;
use crate::rewriting::copy::Copier;
use crate::rewriting::walk::{blocks_mut, count_uses, has_blocks};

/// Which parameter is the node, and what it is opened as.
pub struct Consumer {
    name: NamedId,
    param: usize,
    opened: Var,
}

pub fn find(id: FunctionId, function: &Function, tapes: &Tapes, effects: &[Effects]) -> Option<Consumer> {
    if !tail_duplication::calls(&function.body, id) || !matches!(function.body.end, End::Yield(_)) {
        return None;
    }
    let uses = count_uses(function);
    function.params.iter().enumerate().find_map(|(param, var)| {
        let Type::Named(name) = function.vars[var.0 as usize] else { return None };
        tapes.get(name)?;
        let opening = |statement: &&Statement| statement.op == Op::Unbox(Atom::Var(*var));
        let opened = function.body.statements.iter().find(opening)?.var;
        let mut walk = Walk { id, function, name, param, effects, parts: [opened].into_iter().collect() };
        (uses[var.0 as usize] == 1 && walk.block(&function.body)).then_some(Consumer { name, param, opened })
    })
}

struct Walk<'a> {
    id: FunctionId,
    function: &'a Function,
    name: NamedId,
    param: usize,
    effects: &'a [Effects],
    /// Variables that hold parts of the node.
    parts: FxHashSet<Var>,
}

impl Walk<'_> {
    /// Does the block call the function just where there is another node?
    fn block(&mut self, block: &Block) -> bool {
        let mut called = false;
        for statement in &block.statements {
            let calls = match &statement.op {
                Op::Field(Atom::Var(of), _) if self.parts.contains(of) => {
                    self.parts.insert(statement.var);
                    false
                }
                Op::Call(callee, args) if *callee == self.id => {
                    if !self.goes_on(args) {
                        return false;
                    }
                    true
                }
                op if has_blocks(op) && tail_duplication::calls_inside(op, self.id) => {
                    if called || !self.choice(op) {
                        return false;
                    }
                    true
                }
                _ => false,
            };
            if calls && called {
                return false;
            }
            called |= calls;
            if !called && !self.effects[statement.var.0 as usize].total {
                return false;
            }
        }
        called
    }

    /// With the next node, and everything else as it is?
    fn goes_on(&self, args: &[Atom]) -> bool {
        args.iter().zip(&self.function.params).enumerate().all(|(at, (arg, param))| match arg {
            Atom::Var(var) if at == self.param => self.parts.contains(var),
            arg => at != self.param && *arg == Atom::Var(*param),
        })
    }

    fn choice(&mut self, op: &Op) -> bool {
        let Op::Switch(Atom::Var(on), arms) = op else { return false };
        self.parts.contains(on)
            && arms.iter().all(|(bound, arm)| {
                self.parts.insert(*bound);
                if tail_duplication::calls(arm, self.id) {
                    deep(|| self.block(arm))
                } else {
                    !mentions(&self.function.vars[bound.0 as usize], self.name)
                }
            })
    }
}

/// Makes the function a loop from the last entry to the first: once through its body for the last node, then once for each entry.
pub fn rewrite(id: FunctionId, function: &mut Function, consumer: &Consumer, tapes: &Tapes) {
    let tape = tapes.get(consumer.name).expect("tapes: the type is replaced");
    let node = Atom::Var(function.params[consumer.param]);
    let result = function.result.clone();
    let body = std::mem::replace(&mut function.body, crate::rewriting::walk::empty());
    let mut writer = Writer { vars: &mut function.vars, out: vec![], span: function.span };
    let Parts { array, first, last, shared } = Parts::of(&node, tape, &mut writer);
    let copy = Copy { id, consumer, tapes, body: &body, node: &node };
    let at_last = copy.of((&last, &Atom::Unit), &tape.last, &shared, &Op::Fail(codes::OUT_OF_STEPS), &mut writer);
    let count = writer.bind(Type::Int, Op::Len(array.clone()));
    let (at, known) = (writer.fresh(Type::Int), writer.fresh(result.clone()));
    let (statements, value) = writer.apart(|writer| {
        let again = writer.apart(|writer| {
            let index = writer.bind(Type::Int, Op::Scalar(Scalar::IntSub, vec![Atom::Var(at), Atom::Int(1)]));
            let entry = Op::Element(array.clone(), vec![index.clone()]);
            let entry = writer.bind(tape.entry_type.clone(), entry);
            let call = Op::Atom(Atom::Var(known));
            let value = copy.of((&entry, &index), &tape.entry, &shared, &call, writer);
            End::Again(vec![index, value])
        });
        let again = Block { statements: again.0, end: again.1 };
        let done = Block { statements: vec![], end: End::Yield(Atom::Var(known)) };
        let is_done = writer.bind(Type::Bool, Op::Scalar(Scalar::IntLe, vec![Atom::Var(at), first]));
        writer.bind(result.clone(), Op::If(is_done, Box::new(done), Box::new(again)))
    });
    let body = Box::new(Block { statements, end: End::Yield(value) });
    let params = vec![(at, count), (known, at_last)];
    let value = writer.bind(result, Op::Loop { params, body });
    function.body = Block { statements: writer.out, end: End::Yield(value) };
}

/// Copies the body of a consumer.
struct Copy<'a> {
    id: FunctionId,
    consumer: &'a Consumer,
    tapes: &'a Tapes,
    body: &'a Block,
    /// Stands for the next node, which is only passed to the calls that are gone.
    node: &'a Atom,
}

impl Copy<'_> {
    /// The body for what is laid out so in an entry, which has a number, with `call` in the place of its calls of itself.
    fn of(
        &self,
        (entry, index): (&Atom, &Atom),
        layout: &Layout,
        shared: &[Atom],
        call: &Op,
        writer: &mut Writer,
    ) -> Atom {
        let tape = self.tapes.get(self.consumer.name).expect("tapes: the type is replaced");
        let next = self.node.clone();
        let opening = Opening { tapes: self.tapes, name: self.consumer.name, shared, index: index.clone(), next };
        let mut copier = Copier::within(writer.vars);
        let mut statements = vec![];
        let mut opened = None;
        for statement in &self.body.statements {
            let copy = copier.statement(statement);
            if statement.var == self.consumer.opened {
                opened = Some(statements.len());
            }
            statements.push(copy);
        }
        let end = copier.end(&self.body.end);
        let opened = opened.expect("tapes: the node is opened");
        for (at, mut statement) in statements.into_iter().enumerate() {
            if at == opened {
                writer.span = statement.span;
                statement.op = Op::Atom(opening.content(entry, layout, &tape.content, writer));
            }
            let mut block = Block { statements: vec![statement], end: End::Never };
            self.replace_calls(&mut block, call);
            writer.out.append(&mut block.statements);
        }
        let End::Yield(value) = end else { unreachable!("tapes: the body has a value") };
        value
    }

    fn replace_calls(&self, block: &mut Block, call: &Op) {
        for statement in &mut block.statements {
            if matches!(&statement.op, Op::Call(callee, _) if *callee == self.id) {
                statement.op = call.clone();
            } else if has_blocks(&statement.op) {
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.replace_calls(block, call)));
            }
        }
    }
}
