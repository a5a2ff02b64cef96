//! Connected components: which functions have to do with each other.

/// Groups the nodes `0..edges.len()` that are connected, in whatever direction; nodes and groups in order.
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut leader: Vec<usize> = (0..edges.len()).collect();
    for (node, targets) in edges.iter().enumerate() {
        for &target in targets {
            let (a, b) = (find(&mut leader, node), find(&mut leader, target));
            leader[a.max(b)] = a.min(b);
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![vec![]; edges.len()];
    for node in 0..edges.len() {
        groups[find(&mut leader, node)].push(node);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

/// The first node of the group so far; paths are halved on the way.
fn find(leader: &mut [usize], mut node: usize) -> usize {
    while leader[node] != node {
        leader[node] = leader[leader[node]];
        node = leader[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn whoever_mentions_or_is_mentioned_belongs_together() {
        assert_eq!(components(&[vec![2], vec![], vec![], vec![0], vec![1]]), [vec![0, 2, 3], vec![1, 4]]);
    }
}
