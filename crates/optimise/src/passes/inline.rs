//! Inlining: calls give way to the bodies they run: of functions that are called once, and of small ones.
//!
//! Callees come before callers, so that what is copied has its own calls inlined already. Functions that call themselves stay; of
//! those that call each other, one that is called once becomes part of its caller.

use first_order::{Atom, Block, End, Function, FunctionId, Op, Program, Statement, Type};

use crate::analyses::call_graph::Calls;
use crate::deep;
use crate::rewriting::copy::Copier;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, discard, each_op, has_blocks, size};

/// A body of so few statements is inlined wherever it is called.
const SMALL: usize = 30;
/// A body of so few statements is inlined if it is called at few places: what it computes twice, and what nobody needs of its
/// result, is then seen.
const MEDIUM: usize = 300;
const FEW: usize = 4;
/// The program may grow by this factor …
const GROWTH: usize = 4;
/// … and this many statements.
const SLACK: usize = 20_000;
/// A function doesn't grow by copies beyond so many statements.
const MAX_FUNCTION: usize = 20_000;

pub fn run(program: &mut Program) {
    let calls = Calls::of(program);
    let sizes: Vec<usize> = program.functions.iter().map(|function| size(&function.body)).collect();
    let total: usize = sizes.iter().sum();
    let sites = calls.sites();
    let ways = vec![Fate::Called; calls.callees.len()];
    let mut inliner = Inliner { sizes, left: total * (GROWTH - 1) + SLACK, ways, moved: vec![] };
    // Of functions that call each other, those that are called once come before their callers.
    let mut order: Vec<FunctionId> = vec![];
    for group in &calls.groups {
        let (once, others): (Vec<FunctionId>, Vec<FunctionId>) =
            group.iter().copied().partition(|id| sites[id.0 as usize] == 1);
        order.extend(once.iter().chain(&others));
    }
    for id in &order {
        let at = id.0 as usize;
        // It is taken apart where it is called. Of a long chain of functions each would hold all that follow before.
        if sites[at] == 1 && *id != program.entry && !calls.is_recursive(*id) {
            inliner.ways[at] = Fate::Moved;
            continue;
        }
        if calls.callees[at].iter().any(|callee| inliner.ways[callee.0 as usize] != Fate::Called) {
            let mut function = std::mem::replace(&mut program.functions[at], nothing());
            inliner.function(*id, &mut function, &program.functions);
            program.functions[at] = function;
            for callee in inliner.moved.drain(..) {
                let gone = std::mem::replace(&mut program.functions[callee.0 as usize], nothing());
                discard(gone.body);
            }
        }
        let (once, few) = (sites[at] == 1, sites[at] <= FEW);
        let circular = if once { calls_itself(&program.functions[at], *id) } else { calls.is_recursive(*id) };
        inliner.ways[at] = if *id == program.entry || circular {
            Fate::Called
        } else if once {
            Fate::Moved
        } else if inliner.sizes[at] <= SMALL || (few && inliner.sizes[at] <= MEDIUM) {
            Fate::Copied
        } else {
            Fate::Called
        };
    }
}

fn calls_itself(function: &Function, id: FunctionId) -> bool {
    let mut found = false;
    each_op(&function.body, &mut |_, op| found |= matches!(op, Op::Call(callee, _) if *callee == id));
    found
}

/// What becomes of the body of a function.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Called,
    /// It replaces its calls.
    Copied,
    /// It replaces its only call.
    Moved,
}

struct Inliner {
    sizes: Vec<usize>,
    /// How many more statements the program may have.
    left: usize,
    ways: Vec<Fate>,
    /// The functions whose bodies have replaced their only calls, and are nowhere else needed.
    moved: Vec<FunctionId>,
}

impl Inliner {
    fn function(&mut self, id: FunctionId, function: &mut Function, others: &[Function]) {
        let mut body = std::mem::replace(&mut function.body, crate::rewriting::walk::empty());
        let mut chosen = |callee: FunctionId| {
            let inside = self.ways[callee.0 as usize] == Fate::Moved;
            self.fits(id, callee).then(|| Chosen { function: &others[callee.0 as usize], inside })
        };
        replace_calls(&mut body, &mut function.vars, &mut chosen);
        function.body = body;
        renumber(function);
    }

    fn fits(&mut self, id: FunctionId, callee: FunctionId) -> bool {
        let (at, size) = (id.0 as usize, self.sizes[callee.0 as usize]);
        let grows = match self.ways[callee.0 as usize] {
            Fate::Called => return false,
            Fate::Copied => size,
            Fate::Moved => 0,
        };
        let fits = grows == 0 || (grows <= self.left && self.sizes[at] + size <= MAX_FUNCTION);
        if fits {
            self.left -= grows;
            self.sizes[at] += size;
            if self.ways[callee.0 as usize] == Fate::Moved {
                self.moved.push(callee);
            }
        }
        fits
    }
}

/// A body that takes the place of a call.
pub struct Chosen<'f> {
    pub function: &'f Function,
    /// Are the calls inside it looked at as well?
    pub inside: bool,
}

/// Calls of the functions that are chosen give way to their bodies.
pub fn replace_calls<'f>(
    block: &mut Block,
    vars: &mut Vec<Type>,
    chosen: &mut dyn FnMut(FunctionId) -> Option<Chosen<'f>>,
) {
    let mut out = Vec::with_capacity(block.statements.len());
    let mut statements = std::mem::take(&mut block.statements).into_iter();
    while let Some(mut statement) = statements.next() {
        if has_blocks(&statement.op) {
            deep(|| blocks_mut(&mut statement.op, &mut |block| replace_calls(block, vars, chosen)));
        }
        let callee = match &statement.op {
            Op::Call(callee, args) => chosen(*callee).map(|chosen| (chosen, args)),
            _ => None,
        };
        let Some((Chosen { function, inside }, args)) = callee else {
            out.push(statement);
            continue;
        };
        let mut body = copied(function, args, &statement, vars);
        if inside {
            deep(|| replace_calls(&mut body, vars, chosen));
        }
        out.append(&mut body.statements);
        let End::Yield(value) = body.end else {
            discard(Block { statements: statements.collect(), end: End::Never });
            block.end = End::Never;
            break;
        };
        out.push(Statement { var: statement.var, op: Op::Atom(value), span: statement.span });
    }
    block.statements = out;
}

/// The body of a function where it is called.
fn copied(callee: &Function, args: &[Atom], call: &Statement, vars: &mut Vec<Type>) -> Block {
    let map = callee.params.iter().copied().zip(args.iter().cloned()).collect();
    let mut copier = Copier { vars, from: Some(&callee.vars), map };
    let copy = |statement| {
        let mut copy = copier.statement(statement);
        attribute(&mut copy, call.span);
        copy
    };
    let statements = callee.body.statements.iter().map(copy).collect();
    Block { statements, end: copier.end(&callee.body.end) }
}

/// What belongs to whoever calls it gets the place of the call.
fn attribute(statement: &mut Statement, call: base::Span) {
    if statement.span.is_of_caller() {
        statement.span = call.in_part(statement.span.part());
    }
    let each = &mut |statement: &mut Statement| attribute(statement, call);
    deep(|| blocks_mut(&mut statement.op, &mut |block| block.statements.iter_mut().for_each(&mut *each)));
}

/// Stands in a function's place while it is changed, and once nobody calls it.
pub fn nothing() -> Function {
    Function {
        name: "".into(),
        params: vec![],
        result: Type::unit(),
        body: Block { statements: vec![], end: End::Yield(Atom::Unit) },
        vars: vec![],
        span: base::Span::default(),
    }
}
