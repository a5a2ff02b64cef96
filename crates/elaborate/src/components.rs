//! Strongly connected components (Tarjan): which functions need each other.

use crate::deep;

/// Groups the nodes `0..edges.len()`; a group comes after those its nodes have edges to, its nodes in order.
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search { edges, order: vec![None; edges.len()], low: vec![0; edges.len()], ..Search::default() };
    for node in 0..edges.len() {
        if search.order[node].is_none() {
            search.visit(node);
        }
    }
    search.found
}

#[derive(Default)]
struct Search<'a> {
    edges: &'a [Vec<usize>],
    /// When each node was first seen.
    order: Vec<Option<usize>>,
    /// The earliest open node that each node leads back to.
    low: Vec<usize>,
    /// Nodes that have no group yet.
    open: Vec<usize>,
    is_open: Vec<bool>,
    seen: usize,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn visit(&mut self, node: usize) {
        self.is_open.resize(self.edges.len(), false);
        let now = self.seen;
        self.seen += 1;
        (self.order[node], self.low[node], self.is_open[node]) = (Some(now), now, true);
        self.open.push(node);
        for &next in &self.edges[node] {
            match self.order[next] {
                None => {
                    deep(|| self.visit(next));
                    self.low[node] = self.low[node].min(self.low[next]);
                }
                Some(seen) if self.is_open[next] => self.low[node] = self.low[node].min(seen),
                Some(_) => {}
            }
        }
        if self.low[node] == now {
            self.finish(node);
        }
    }

    /// Everything opened since `node` belongs together.
    fn finish(&mut self, node: usize) {
        let start = self.open.iter().rposition(|open| *open == node).expect("elaborate: the node is open");
        let mut group = self.open.split_off(start);
        group.iter().for_each(|member| self.is_open[*member] = false);
        group.sort_unstable();
        self.found.push(group);
    }
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn a_cycle_is_one_group_and_comes_after_what_it_needs() {
        assert_eq!(components(&[vec![1], vec![0, 2], vec![], vec![0]]), [vec![2], vec![0, 1], vec![3]]);
    }
}
