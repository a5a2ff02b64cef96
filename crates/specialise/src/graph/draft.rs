//! A shape under construction: nodes that refer to each other and to finished shapes.

use std::collections::BTreeMap;

use base::budget;
use first_order::{Alternative, Head, ShapeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Graph, Key, NEVER, REAL, ZERO, array_kind};

/// A shape under construction refers to finished shapes and to others under construction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Ref {
    Done(ShapeId),
    Draft(usize),
}

#[derive(Default)]
pub(super) struct Draft {
    pub(super) nodes: Vec<BTreeMap<Key, (Head, Vec<Ref>)>>,
    /// Which draft a draft was merged into.
    pub(super) merged: Vec<usize>,
    /// Which nodes of a cycle shall be named, if that is given.
    pub(super) named: Vec<bool>,
}

/// What tells nodes of a cycle apart: heads, and for each part whether it is finished and which.
type Signature = Vec<(Head, Vec<(bool, usize)>)>;

impl Draft {
    pub(super) fn add(&mut self) -> usize {
        budget::spend(1);
        self.nodes.push(BTreeMap::new());
        self.merged.push(self.merged.len());
        self.merged.len() - 1
    }

    pub(super) fn find(&self, mut at: usize) -> usize {
        budget::spend(1);
        while self.merged[at] != at {
            at = self.merged[at];
        }
        at
    }

    pub(super) fn class_of(&self, part: Ref, classes: &FxHashMap<usize, usize>) -> Option<usize> {
        match part {
            Ref::Done(_) => None,
            Ref::Draft(at) => classes.get(&self.find(at)).copied(),
        }
    }

    pub(super) fn done_id(&self, part: Ref, done: &FxHashMap<usize, ShapeId>) -> ShapeId {
        match part {
            Ref::Done(id) => id,
            Ref::Draft(at) => done[&self.find(at)],
        }
    }

    /// The alternatives of a node whose parts are all done.
    pub(super) fn resolved(&self, node: usize, done: &FxHashMap<usize, ShapeId>) -> Vec<Alternative> {
        let alternative = |(head, refs): &(Head, Vec<Ref>)| Alternative {
            head: head.clone(),
            parts: refs.iter().map(|part| self.done_id(*part, done)).collect(),
        };
        self.nodes[node].values().map(alternative).collect()
    }

    pub(super) fn mentions(&self, node: usize, other: usize) -> bool {
        let mut refs = self.nodes[node].values().flat_map(|(_, refs)| refs);
        refs.any(|part| matches!(part, Ref::Draft(at) if self.find(*at) == other))
    }

    /// The nodes that can be reached from one through such heads, itself first.
    pub(super) fn below(&self, node: usize, through: fn(&Head) -> bool) -> Vec<usize> {
        let mut order = vec![node];
        let mut seen: FxHashSet<usize> = [node].into_iter().collect();
        let mut at = 0;
        while at < order.len() {
            for (_, refs) in self.nodes[order[at]].values().filter(|(head, _)| through(head)) {
                for part in refs {
                    if let Ref::Draft(part) = part
                        && seen.insert(self.find(*part))
                    {
                        order.push(self.find(*part));
                    }
                }
            }
            at += 1;
        }
        order
    }

    /// Makes two nodes one, and their parts with them.
    pub(super) fn unify(&mut self, graph: &mut Graph, a: usize, b: usize) {
        let mut waiting = vec![(a, b)];
        while let Some((a, b)) = waiting.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            self.merged[b] = a;
            let other = std::mem::take(&mut self.nodes[b]);
            for (key, (head, refs)) in other {
                let Some((mine, mine_refs)) = self.nodes[a].remove(&key) else {
                    self.nodes[a].insert(key, (head, refs));
                    continue;
                };
                let (head, left, right) = aligned(mine, mine_refs, head, refs);
                let pairs = left.into_iter().zip(right);
                let refs = pairs.map(|(x, y)| self.unified(graph, x, y, &mut waiting)).collect();
                self.nodes[a].insert(key, (head, refs));
            }
        }
    }

    /// An array of numbers that may be a sensitivity with holes as well is one: what uses it needn't be written twice.
    pub(super) fn collect_numbers(&mut self, graph: &Graph) {
        for at in 0..self.nodes.len() {
            let collected = self.nodes[at].values().filter_map(|(head, parts)| match (head, &parts[..]) {
                (Head::Handle(rank), [element]) if self.is_real_or_zero(graph, *element) => Some(*rank),
                _ => None,
            });
            for rank in collected.collect::<Vec<u32>>() {
                self.nodes[at].remove(&Key::Array(rank, array_kind(REAL)));
            }
        }
    }

    fn is_real_or_zero(&self, graph: &Graph, element: Ref) -> bool {
        let heads: Vec<&Head> = match element {
            Ref::Done(id) => graph.alternatives(id).iter().map(|one| &one.head).collect(),
            Ref::Draft(at) => self.nodes[self.find(at)].values().map(|(head, _)| head).collect(),
        };
        heads.contains(&&Head::Real) && heads.iter().all(|head| matches!(head, Head::Zero | Head::Real))
    }

    /// One part for two: finished shapes are joined, drafts will be unified.
    fn unified(&mut self, graph: &mut Graph, x: Ref, y: Ref, waiting: &mut Vec<(usize, usize)>) -> Ref {
        match (x, y) {
            (Ref::Done(x), Ref::Done(y)) => Ref::Done(graph.join(x, y)),
            (Ref::Draft(x), Ref::Draft(y)) => {
                waiting.push((x, y));
                Ref::Draft(x)
            }
            (Ref::Draft(x), Ref::Done(y)) | (Ref::Done(y), Ref::Draft(x)) => {
                if y != NEVER {
                    let copy = graph.draft_copy(self, y, &mut FxHashMap::default());
                    waiting.push((x, copy));
                }
                Ref::Draft(x)
            }
        }
    }

    /// Strongly connected components, parts before wholes (Tarjan, on an explicit stack).
    pub(super) fn components(&self, root: usize) -> Vec<Vec<usize>> {
        struct Frame {
            node: usize,
            children: Vec<usize>,
            next: usize,
        }
        let children = |node: usize| -> Vec<usize> {
            let refs = self.nodes[node].values().flat_map(|(_, refs)| refs);
            refs.filter_map(|part| if let Ref::Draft(at) = part { Some(self.find(*at)) } else { None }).collect()
        };
        let mut index: FxHashMap<usize, usize> = FxHashMap::default();
        let mut low: FxHashMap<usize, usize> = FxHashMap::default();
        let mut stack = vec![];
        let mut on_stack = FxHashSet::default();
        let mut components = vec![];
        let mut frames = vec![Frame { node: root, children: children(root), next: 0 }];
        index.insert(root, 0);
        low.insert(root, 0);
        stack.push(root);
        on_stack.insert(root);
        while let Some(frame) = frames.last_mut() {
            let node = frame.node;
            if let Some(child) = frame.children.get(frame.next).copied() {
                frame.next += 1;
                if !index.contains_key(&child) {
                    let at = index.len();
                    index.insert(child, at);
                    low.insert(child, at);
                    stack.push(child);
                    on_stack.insert(child);
                    frames.push(Frame { node: child, children: children(child), next: 0 });
                } else if on_stack.contains(&child) {
                    let least = low[&node].min(index[&child]);
                    low.insert(node, least);
                }
                continue;
            }
            frames.pop();
            if let Some(parent) = frames.last() {
                let least = low[&parent.node].min(low[&node]);
                low.insert(parent.node, least);
            }
            if low[&node] == index[&node] {
                let mut component = vec![];
                while let Some(member) = stack.pop() {
                    on_stack.remove(&member);
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                component.sort_unstable();
                components.push(component);
            }
        }
        components
    }

    /// The coarsest partition of a cycle in which equal nodes are in one class.
    pub(super) fn classes(&self, component: &[usize], done: &FxHashMap<usize, ShapeId>) -> FxHashMap<usize, usize> {
        let inside: FxHashSet<usize> = component.iter().copied().collect();
        let mut classes: FxHashMap<usize, usize> = component.iter().map(|node| (*node, 0)).collect();
        let mut count = 0;
        loop {
            let mut signatures: FxHashMap<Signature, usize> = FxHashMap::default();
            let mut next = FxHashMap::default();
            for node in component {
                let part = |part: &Ref| match part {
                    Ref::Done(id) => (true, id.0 as usize),
                    Ref::Draft(at) => {
                        let at = self.find(*at);
                        if inside.contains(&at) { (false, classes[&at]) } else { (true, done[&at].0 as usize) }
                    }
                };
                let signature =
                    self.nodes[*node].values().map(|(head, refs)| (head.clone(), refs.iter().map(part).collect()));
                let fresh = signatures.len();
                let class = *signatures.entry(signature.collect()).or_insert(fresh);
                next.insert(*node, class);
            }
            let settled = signatures.len() == count;
            count = signatures.len();
            classes = next;
            if settled {
                return classes;
            }
        }
    }
}

/// Two versions of one head over the same parts: positions and labels that one doesn't have are zero there.
pub(super) fn aligned(head: Head, parts: Vec<Ref>, other: Head, others: Vec<Ref>) -> (Head, Vec<Ref>, Vec<Ref>) {
    match (&head, &other) {
        (Head::Part(constructor, left), Head::Part(_, right)) => {
            let (positions, a, b) = merged(left, &parts, right, &others);
            (Head::Part(constructor.clone(), positions.into()), a, b)
        }
        (Head::Record(left), Head::Record(right)) if left != right => {
            let (labels, a, b) = merged(left, &parts, right, &others);
            (Head::Record(labels.into()), a, b)
        }
        _ => (head, parts, others),
    }
}

/// The names of both sides in order, and the parts of each side under them.
fn merged<T: Copy + Ord>(left: &[T], parts: &[Ref], right: &[T], others: &[Ref]) -> (Vec<T>, Vec<Ref>, Vec<Ref>) {
    let mut names: Vec<T> = left.iter().chain(right).copied().collect();
    names.sort_unstable();
    names.dedup();
    let pick = |known: &[T], refs: &[Ref]| -> Vec<Ref> {
        let found = |name: &T| known.iter().position(|other| other == name).map_or(Ref::Done(ZERO), |k| refs[k]);
        names.iter().map(found).collect()
    };
    let (a, b) = (pick(left, parts), pick(right, others));
    (names, a, b)
}
