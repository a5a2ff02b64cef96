//! Calls give way to the bodies they run: of functions that are called once, and of small ones.
//!
//! Callees come before callers, so that what is inlined has its own calls inlined already. Functions that call themselves stay; of
//! those that call each other, one that is called once becomes part of its caller.

use first_order::{Atom, Block, End, Function, FunctionId, Op, Program, Statement, Type};

use crate::calls::Calls;
use crate::copy::Copier;
use crate::deep;
use crate::rename::renumber;
use crate::walk::{blocks_mut, discard, each_op, has_blocks, size};

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
    let mut inliner =
        Inliner { sizes, left: total * (GROWTH - 1) + SLACK, ways: vec![Way::Called; calls.callees.len()] };
    // Of functions that call each other, those that are called once come before their callers.
    let mut order: Vec<FunctionId> = vec![];
    for group in &calls.groups {
        let (once, others): (Vec<FunctionId>, Vec<FunctionId>) =
            group.iter().copied().partition(|id| sites[id.0 as usize] == 1);
        order.extend(once.iter().chain(&others));
    }
    for id in &order {
        let at = id.0 as usize;
        if calls.callees[at].iter().any(|callee| inliner.ways[callee.0 as usize] != Way::Called) {
            let mut function = std::mem::replace(&mut program.functions[at], nothing());
            inliner.function(*id, &mut function, &program.functions);
            program.functions[at] = function;
        }
        let (once, few) = (sites[at] == 1, sites[at] <= FEW);
        let circular = if once { calls_itself(&program.functions[at], *id) } else { calls.is_recursive(*id) };
        inliner.ways[at] = if *id == program.entry || circular {
            Way::Called
        } else if once {
            Way::Moved
        } else if inliner.sizes[at] <= SMALL || (few && inliner.sizes[at] <= MEDIUM) {
            Way::Copied
        } else {
            Way::Called
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
enum Way {
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
    ways: Vec<Way>,
}

impl Inliner {
    fn function(&mut self, id: FunctionId, function: &mut Function, others: &[Function]) {
        let mut body = std::mem::replace(&mut function.body, crate::walk::empty());
        let mut chosen = |callee: FunctionId| self.fits(id, callee).then(|| &others[callee.0 as usize]);
        replace_calls(&mut body, &mut function.vars, &mut chosen);
        function.body = body;
        renumber(function);
    }

    fn fits(&mut self, id: FunctionId, callee: FunctionId) -> bool {
        let (at, size) = (id.0 as usize, self.sizes[callee.0 as usize]);
        let grows = match self.ways[callee.0 as usize] {
            Way::Called => return false,
            Way::Copied => size,
            Way::Moved => 0,
        };
        let fits = grows == 0 || (grows <= self.left && self.sizes[at] + size <= MAX_FUNCTION);
        if fits {
            self.left -= grows;
            self.sizes[at] += size;
        }
        fits
    }
}

/// Calls of the functions that are chosen give way to their bodies; not the calls inside those.
pub fn replace_calls<'f>(
    block: &mut Block,
    vars: &mut Vec<Type>,
    chosen: &mut dyn FnMut(FunctionId) -> Option<&'f Function>,
) {
    let mut out = Vec::with_capacity(block.statements.len());
    let mut statements = std::mem::take(&mut block.statements).into_iter();
    while let Some(mut statement) = statements.next() {
        if has_blocks(&statement.op) {
            deep(|| blocks_mut(&mut statement.op, &mut |block| replace_calls(block, vars, chosen)));
        }
        let callee = match &statement.op {
            Op::Call(callee, args) => chosen(*callee).map(|function| (function, args)),
            _ => None,
        };
        match callee {
            Some((function, args)) => {
                if !inline(function, args, &statement, vars, &mut out) {
                    discard(Block { statements: statements.collect(), end: End::Never });
                    block.end = End::Never;
                    break;
                }
            }
            None => out.push(statement),
        }
    }
    block.statements = out;
}

/// Puts the body of a function here. Gives false if the body never gives a value.
pub fn inline(
    callee: &Function,
    args: &[Atom],
    call: &Statement,
    vars: &mut Vec<Type>,
    out: &mut Vec<Statement>,
) -> bool {
    let map = callee.params.iter().copied().zip(args.iter().cloned()).collect();
    let mut copier = Copier { vars, from: Some(&callee.vars), map };
    for statement in &callee.body.statements {
        let mut copy = copier.statement(statement);
        attribute(&mut copy, call.span);
        out.push(copy);
    }
    match copier.end(&callee.body.end) {
        End::Yield(value) => {
            out.push(Statement { var: call.var, op: Op::Atom(value), span: call.span });
            true
        }
        End::Again(_) => unreachable!("inline: `again` stands in a loop"),
        End::Never => false,
    }
}

/// What belongs to whoever calls it gets the place of the call.
fn attribute(statement: &mut Statement, call: base::Span) {
    if statement.span == base::Span::OF_CALLER {
        statement.span = call;
    }
    let each = &mut |statement: &mut Statement| attribute(statement, call);
    deep(|| blocks_mut(&mut statement.op, &mut |block| block.statements.iter_mut().for_each(&mut *each)));
}

/// Stands in a function's place while it is changed.
pub fn nothing() -> Function {
    Function {
        name: "".into(),
        params: vec![],
        result: Type::unit(),
        body: crate::walk::empty(),
        vars: vec![],
        span: base::Span::default(),
    }
}
