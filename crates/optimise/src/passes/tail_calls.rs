//! Tail call elimination: a function that calls itself last is a loop.
//!
//! First functions that call each other only last are inlined into each other, so that calls of themselves arise; then
//! `f(x) = … f(y)` becomes `f(x) = loop p = x { … again(y) }`.

use first_order::{Atom, Block, End, Function, FunctionId, Op, Program, Statement, Type, Var};

use crate::analyses::call_graph::Calls;
use crate::deep;
use crate::passes::inline::nothing;
use crate::rewriting::copy::Copier;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, each_op, size};

/// Functions that call each other are inlined into each other while the group has so few statements.
const MAX_GROUP: usize = 400;

pub fn run(program: &mut Program) {
    let calls = Calls::of(program);
    for group in calls.groups.iter().filter(|group| group.len() > 1) {
        merge(program, group);
    }
    for (id, function) in program.functions.iter_mut().enumerate() {
        repeat(FunctionId(id as u32), function);
    }
}

/// The call whose value is the block's, and nothing follows it.
fn last_call(block: &Block) -> Option<(FunctionId, &[Atom])> {
    match (&block.end, block.statements.last()) {
        (End::Yield(Atom::Var(var)), Some(Statement { var: last, op: Op::Call(callee, args), .. })) if last == var => {
            Some((*callee, args))
        }
        _ => None,
    }
}

/// Visits the blocks that give the value of a block: itself, or those of the choice it ends with.
fn each_tail(block: &mut Block, visit: &mut dyn FnMut(&mut Block)) {
    if let (End::Yield(Atom::Var(var)), Some(last)) = (&block.end, block.statements.last_mut())
        && last.var == *var
        && matches!(last.op, Op::If(..) | Op::Switch(..))
    {
        return deep(|| blocks_mut(&mut last.op, &mut |block| each_tail(block, visit)));
    }
    visit(block);
}

/// Calls of the function itself in tail position become `again`.
fn repeat(id: FunctionId, function: &mut Function) {
    let mut again = 0;
    each_tail(&mut function.body, &mut |block| {
        if let Some((callee, args)) = last_call(block)
            && callee == id
        {
            again += 1;
            block.end = End::Again(args.to_vec());
            block.statements.pop();
        }
    });
    if again == 0 {
        return;
    }
    let inner = std::mem::take(&mut function.params);
    let types: Vec<Type> = inner.iter().map(|var| function.vars[var.0 as usize].clone()).collect();
    let mut params = vec![];
    for (inner, of) in inner.into_iter().zip(types) {
        function.vars.push(of);
        let outer = Var(function.vars.len() as u32 - 1);
        function.params.push(outer);
        params.push((inner, Atom::Var(outer)));
    }
    function.vars.push(function.result.clone());
    let var = Var(function.vars.len() as u32 - 1);
    let body = Box::new(std::mem::replace(&mut function.body, crate::rewriting::walk::empty()));
    let statement = Statement { var, op: Op::Loop { params, body }, span: function.span };
    function.body = Block { statements: vec![statement], end: End::Yield(Atom::Var(var)) };
    renumber(function);
}

/// Inlines members of a group into the others until one is left, if all their calls of each other come last.
fn merge(program: &mut Program, group: &[FunctionId]) {
    let sizes = group.iter().map(|id| size(&program.functions[id.0 as usize].body)).sum::<usize>();
    if sizes > MAX_GROUP || !group.iter().all(|id| only_last(&mut program.functions[id.0 as usize], group)) {
        return;
    }
    let mut left: Vec<FunctionId> = group.to_vec();
    while left.len() > 1 {
        // Without calls of itself, and so that little is copied.
        let cost = |id: &FunctionId| (own_calls(program, *id) == 0).then(|| copied(program, *id, &left));
        let best = left.iter().copied().filter_map(|id| Some((cost(&id)?, id))).min();
        let Some((_, member)) = best.filter(|(cost, _)| *cost <= MAX_GROUP) else { return };
        left.retain(|id| *id != member);
        let body = std::mem::replace(&mut program.functions[member.0 as usize], nothing());
        for id in &left {
            inline_last(&mut program.functions[id.0 as usize], member, &body);
        }
        program.functions[member.0 as usize] = body;
    }
}

/// Are all calls of the group's members in tail position?
fn only_last(function: &mut Function, group: &[FunctionId]) -> bool {
    let mut all = 0;
    each_op(&function.body, &mut |_, op| {
        all += usize::from(matches!(op, Op::Call(callee, _) if group.contains(callee)));
    });
    let mut last = 0;
    each_tail(&mut function.body, &mut |block| {
        last += usize::from(last_call(block).is_some_and(|(callee, _)| group.contains(&callee)));
    });
    all == last
}

fn own_calls(program: &Program, id: FunctionId) -> usize {
    calls_of(&program.functions[id.0 as usize], id)
}

fn calls_of(function: &Function, id: FunctionId) -> usize {
    let mut count = 0;
    each_op(&function.body, &mut |_, op| count += usize::from(matches!(op, Op::Call(callee, _) if *callee == id)));
    count
}

/// How many statements inlining this member adds to the others.
fn copied(program: &Program, id: FunctionId, others: &[FunctionId]) -> usize {
    let sites: usize = others.iter().map(|other| calls_of(&program.functions[other.0 as usize], id)).sum();
    sites * size(&program.functions[id.0 as usize].body)
}

fn inline_last(function: &mut Function, member: FunctionId, body: &Function) {
    let vars = &mut function.vars;
    each_tail(&mut function.body, &mut |block| {
        let args = match last_call(block) {
            Some((callee, args)) if callee == member => args.to_vec(),
            _ => return,
        };
        block.statements.pop();
        // A choice at the end of the body stays at the end of the block.
        let map = body.params.iter().copied().zip(args).collect();
        let mut copier = Copier { vars: &mut *vars, from: Some(&body.vars), map };
        let copy = copier.block(&body.body);
        block.statements.extend(copy.statements);
        block.end = copy.end;
    });
}
