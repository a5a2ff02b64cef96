//! Which functions can be running twice at once: those on a cycle of calls.

use crate::term::{Block, Op, Program};

/// For each function of a program, by number.
pub fn recursive(program: &Program) -> Vec<bool> {
    let calls: Vec<Vec<usize>> = program.functions.iter().map(|function| callees(&function.body)).collect();
    let mut search =
        Search { calls: &calls, number: vec![0; calls.len()], low: vec![0; calls.len()], ..Search::default() };
    search.on_stack = vec![false; calls.len()];
    search.recursive = vec![false; calls.len()];
    for start in 0..calls.len() {
        if search.number[start] == 0 {
            search.visit(start);
        }
    }
    search.recursive
}

fn callees(body: &Block) -> Vec<usize> {
    let (mut all, mut todo) = (vec![], vec![body]);
    while let Some(block) = todo.pop() {
        for statement in &block.statements {
            match &statement.op {
                Op::Call(id, _) => all.push(id.0 as usize),
                Op::Pieces(pieces) => all.push(pieces.function.0 as usize),
                Op::If(_, yes, no) => todo.extend([&**yes, &**no]),
                Op::Switch(_, arms) => todo.extend(arms.iter().map(|arm| &arm.block)),
                Op::Loop { body, .. } | Op::Sum { body, .. } => todo.push(body),
                _ => {}
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Tarjan's algorithm with a stack of its own.
#[derive(Default)]
struct Search<'c> {
    calls: &'c [Vec<usize>],
    /// In the order of visits, from 1; 0 is not visited.
    number: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    count: usize,
    recursive: Vec<bool>,
}

impl Search<'_> {
    fn visit(&mut self, start: usize) {
        let mut path = vec![(start, 0)];
        self.enter(start);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if let Some(&callee) = self.calls[node].get(*next) {
                *next += 1;
                if self.number[callee] == 0 {
                    self.enter(callee);
                    path.push((callee, 0));
                } else if self.on_stack[callee] {
                    self.low[node] = self.low[node].min(self.number[callee]);
                }
                continue;
            }
            path.pop();
            if let Some((caller, _)) = path.last() {
                self.low[*caller] = self.low[*caller].min(self.low[node]);
            }
            if self.low[node] == self.number[node] {
                self.close(node);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.count += 1;
        self.number[node] = self.count;
        self.low[node] = self.count;
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    fn close(&mut self, root: usize) {
        let at = self.stack.iter().rposition(|node| *node == root).expect("the root is on the stack");
        let members = self.stack.split_off(at);
        let cyclic = members.len() > 1 || self.calls[root].contains(&root);
        for member in members {
            self.on_stack[member] = false;
            self.recursive[member] = cyclic;
        }
    }
}
