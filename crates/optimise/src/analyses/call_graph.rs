//! The call graph: which functions call which, and in which order callees come before callers.

use first_order::{FunctionId, Op, Program};

use crate::rewriting::walk::each_op;

/// The call graph of a program.
pub struct Calls {
    /// For each function those it calls, once for each call, in order.
    pub callees: Vec<Vec<FunctionId>>,
    /// Groups of functions that call each other; callees come before callers.
    pub groups: Vec<Vec<FunctionId>>,
    /// The group of each function.
    pub group_of: Vec<usize>,
}

impl Calls {
    pub fn of(program: &Program) -> Calls {
        let callees: Vec<Vec<FunctionId>> = program
            .functions
            .iter()
            .map(|function| {
                let mut called = vec![];
                each_op(&function.body, &mut |_, op| {
                    if let Op::Call(callee, _) = op {
                        called.push(*callee);
                    }
                });
                called
            })
            .collect();
        let groups = groups(&callees);
        let mut group_of = vec![0; callees.len()];
        for (place, group) in groups.iter().enumerate() {
            group.iter().for_each(|member| group_of[member.0 as usize] = place);
        }
        Calls { callees, groups, group_of }
    }

    /// May the function call itself, directly or through others?
    pub fn is_recursive(&self, id: FunctionId) -> bool {
        let group = &self.groups[self.group_of[id.0 as usize]];
        group.len() > 1 || self.callees[id.0 as usize].contains(&id)
    }

    /// How many calls of each function there are.
    pub fn sites(&self) -> Vec<usize> {
        let mut sites = vec![0; self.callees.len()];
        self.callees.iter().flatten().for_each(|callee| sites[callee.0 as usize] += 1);
        sites
    }
}

/// Strongly connected components, by Tarjan's algorithm without recursion.
fn groups(callees: &[Vec<FunctionId>]) -> Vec<Vec<FunctionId>> {
    const NEW: usize = usize::MAX;
    let n = callees.len();
    let (mut order, mut low, mut open) = (vec![NEW; n], vec![0; n], vec![false; n]);
    let (mut stack, mut found, mut next) = (vec![], vec![], 0);
    for start in 0..n {
        if order[start] != NEW {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((at, child)) = path.pop() {
            if child == 0 {
                (order[at], low[at], open[at]) = (next, next, true);
                next += 1;
                stack.push(at);
            }
            match callees[at].get(child) {
                Some(callee) => {
                    path.push((at, child + 1));
                    let callee = callee.0 as usize;
                    if order[callee] == NEW {
                        path.push((callee, 0));
                    } else if open[callee] {
                        low[at] = low[at].min(order[callee]);
                    }
                }
                None => {
                    if low[at] == order[at] {
                        let first = stack.iter().rposition(|member| *member == at).expect("call_graph: on the stack");
                        let mut group: Vec<usize> = stack.drain(first..).collect();
                        group.sort_unstable();
                        group.iter().for_each(|member| open[*member] = false);
                        found.push(group.into_iter().map(|member| FunctionId(member as u32)).collect());
                    }
                    if let Some((parent, _)) = path.last() {
                        low[*parent] = low[*parent].min(low[at]);
                    }
                }
            }
        }
    }
    found
}
