//! Interning: what a draft describes becomes shapes that have one id for equal graphs, and every cycle of it gets names.

use first_order::{NamedId, ShapeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Graph;
use super::draft::{Draft, Ref};

/// So many functions of a cycle are tried as its only node.
const MOST_TRIED: usize = 20;

impl Graph {
    /// Interns what a draft describes.
    pub(super) fn finish(&mut self, mut draft: Draft, root: Ref) -> ShapeId {
        let Ref::Draft(root) = root else {
            let Ref::Done(id) = root else { unreachable!() };
            return id;
        };
        let root = draft.find(root);
        self.work += draft.nodes.len();
        // Cyclic shapes that are mentioned take part in the minimisation.
        self.import_cyclic(&mut draft, root);
        draft.collect_numbers(self);
        let mut done: FxHashMap<usize, ShapeId> = FxHashMap::default();
        for component in draft.components(root) {
            let cyclic = component.len() > 1 || draft.mentions(component[0], component[0]);
            if cyclic {
                self.finish_cycle(&draft, &component, &mut done);
            } else {
                let alternatives = draft.resolved(component[0], &done);
                let id = self.intern(alternatives);
                done.insert(component[0], id);
            }
        }
        let id = done[&root];
        debug_assert!(
            self.is_finite(id),
            "graph: a cycle without a name: {:?}",
            self.reachable(id).into_iter().map(|id| (id, self.get(id).clone())).collect::<Vec<_>>()
        );
        id
    }

    /// Does every cycle below a shape pass through a name?
    fn is_finite(&self, id: ShapeId) -> bool {
        let below: Vec<ShapeId> = self.reachable(id).into_iter().collect();
        let inside: FxHashSet<ShapeId> = below.iter().copied().collect();
        let cut = below.iter().copied().filter(|id| self.get(*id).named.is_some()).collect();
        self.breaks_cycles(&below, &inside, &cut)
    }

    fn import_cyclic(&self, draft: &mut Draft, root: usize) {
        if draft.components(root).iter().all(|c| c.len() == 1 && !draft.mentions(c[0], c[0])) {
            return;
        }
        let mut copies = FxHashMap::default();
        let mut at = 0;
        while at < draft.nodes.len() {
            let mut node = std::mem::take(&mut draft.nodes[at]);
            for (_, refs) in node.values_mut() {
                for part in refs {
                    if let Ref::Done(id) = *part
                        && self.is_cyclic[id.0 as usize]
                    {
                        *part = Ref::Draft(self.draft_copy(draft, id, &mut copies));
                    }
                }
            }
            draft.nodes[at] = node;
            at += 1;
        }
    }

    fn finish_cycle(&mut self, draft: &Draft, component: &[usize], done: &mut FxHashMap<usize, ShapeId>) {
        if let Some(known) = self.equal_below(draft, component, done) {
            done.extend(known);
            return;
        }
        let classes = draft.classes(component, done);
        let count = classes.values().copied().max().map_or(0, |most| most + 1);
        let mut representative = vec![0; count];
        for (node, class) in &classes {
            representative[*class] = *node;
        }
        // The least member of a class represents it, so that the outcome doesn't depend on hashing.
        for node in component {
            let class = classes[node];
            representative[class] = representative[class].min(*node);
        }
        let first = classes[&component[0]];
        let text = self.canonical(draft, &representative, &classes, done, first);
        let order = order_of(draft, &representative, &classes, first);
        if let Some(start) = self.cyclic.get(&text) {
            // The whole cycle is known: walk both in step.
            let ids = self.walk(*start, draft, &representative, &classes, first);
            for node in component {
                done.insert(*node, ids[&classes[node]]);
            }
            return;
        }
        let ids: FxHashMap<usize, ShapeId> = order.iter().map(|class| (*class, self.add(vec![], true))).collect();
        for node in component {
            done.insert(*node, ids[&classes[node]]);
        }
        for class in &order {
            let alternatives = draft.resolved(representative[*class], done);
            let id = ids[class];
            self.shapes.0[id.0 as usize].alternatives = alternatives.clone();
            self.known.insert(alternatives, id);
        }
        for class in &order {
            let text = self.canonical(draft, &representative, &classes, done, *class);
            self.cyclic.insert(text, ids[class]);
        }
        let members: Vec<ShapeId> = order.iter().map(|class| ids[class]).collect();
        // Each of them is below all others.
        let mut nesting = [false; 2];
        for id in &members {
            let own = self.nesting_of(self.alternatives(*id));
            nesting = [nesting[0] || own[0], nesting[1] || own[1]];
        }
        members.iter().for_each(|id| self.nesting[id.0 as usize] = nesting);
        let given = |class: &&usize| draft.named.get(representative[**class]).copied().unwrap_or(false);
        let given: FxHashSet<ShapeId> = order.iter().filter(given).map(|class| ids[class]).collect();
        self.name_cycle(&members, given);
    }

    /// A cycle may describe the same values as one that it mentions: what it is one turn later.
    fn equal_below(
        &self,
        draft: &Draft,
        component: &[usize],
        done: &FxHashMap<usize, ShapeId>,
    ) -> Option<FxHashMap<usize, ShapeId>> {
        let inside: FxHashSet<usize> = component.iter().copied().collect();
        let refs = component.iter().flat_map(|node| draft.nodes[*node].values().flat_map(|(_, refs)| refs));
        let mut mentioned: Vec<ShapeId> = refs
            .filter(|part| !matches!(part, Ref::Draft(at) if inside.contains(&draft.find(*at))))
            .map(|part| draft.done_id(*part, done))
            .filter(|id| self.is_cyclic[id.0 as usize])
            .collect();
        mentioned.sort_unstable();
        mentioned.dedup();
        mentioned.into_iter().find_map(|id| self.equal_to(draft, component, &inside, id, done))
    }

    /// The ids of the nodes of a cycle if some node of it is equal to a finished shape.
    fn equal_to(
        &self,
        draft: &Draft,
        component: &[usize],
        inside: &FxHashSet<usize>,
        id: ShapeId,
        done: &FxHashMap<usize, ShapeId>,
    ) -> Option<FxHashMap<usize, ShapeId>> {
        component.iter().find_map(|first| {
            let mut equal: FxHashMap<usize, ShapeId> = FxHashMap::default();
            let mut waiting = vec![(*first, id)];
            while let Some((node, id)) = waiting.pop() {
                if let Some(known) = equal.insert(node, id) {
                    if known != id {
                        return None;
                    }
                    continue;
                }
                let alternatives = self.alternatives(id);
                if draft.nodes[node].len() != alternatives.len() {
                    return None;
                }
                for ((head, refs), one) in draft.nodes[node].values().zip(alternatives) {
                    if *head != one.head || refs.len() != one.parts.len() {
                        return None;
                    }
                    for (part, other) in refs.iter().zip(&one.parts) {
                        match part {
                            Ref::Draft(at) if inside.contains(&draft.find(*at)) => {
                                waiting.push((draft.find(*at), *other))
                            }
                            part if draft.done_id(*part, done) == *other => {}
                            _ => return None,
                        }
                    }
                }
            }
            Some(equal)
        })
    }

    /// The ids of all classes of a cycle that is known to begin at `start`.
    fn walk(
        &self,
        start: ShapeId,
        draft: &Draft,
        representative: &[usize],
        classes: &FxHashMap<usize, usize>,
        first: usize,
    ) -> FxHashMap<usize, ShapeId> {
        let mut ids = FxHashMap::default();
        let mut waiting = vec![(first, start)];
        while let Some((class, id)) = waiting.pop() {
            if ids.insert(class, id).is_some() {
                continue;
            }
            let node = &draft.nodes[representative[class]];
            for ((_, refs), alternative) in node.values().zip(self.alternatives(id)) {
                for (part, id) in refs.iter().zip(&alternative.parts) {
                    if let Some(class) = draft.class_of(*part, classes) {
                        waiting.push((class, *id));
                    }
                }
            }
        }
        ids
    }

    /// A text that two cyclic shapes share just if they are equal.
    fn canonical(
        &mut self,
        draft: &Draft,
        representative: &[usize],
        classes: &FxHashMap<usize, usize>,
        done: &FxHashMap<usize, ShapeId>,
        first: usize,
    ) -> Vec<u64> {
        let order = order_of(draft, representative, classes, first);
        let number: FxHashMap<usize, usize> = order.iter().enumerate().map(|(i, class)| (*class, i)).collect();
        let mut text = vec![];
        for class in &order {
            for (head, refs) in draft.nodes[representative[*class]].values() {
                let next = self.heads.len() as u32;
                text.push(u64::from(*self.heads.entry(head.clone()).or_insert(next)) << 2);
                for part in refs {
                    match draft.class_of(*part, classes) {
                        Some(class) => text.push((number[&class] as u64) << 2 | 1),
                        None => text.push(u64::from(draft.done_id(*part, done).0) << 2 | 2),
                    }
                }
            }
            text.push(3);
        }
        text
    }

    /// Chooses which shapes of a new cycle are nodes on the heap: enough to break every cycle. One function, if that is enough: what
    /// a recursion returns is then a node itself, and a list of such nodes can become an array. Else unions first.
    fn name_cycle(&mut self, members: &[ShapeId], given: FxHashSet<ShapeId>) {
        let inside: FxHashSet<ShapeId> = members.iter().copied().collect();
        let breaks = |cut: &FxHashSet<ShapeId>| self.breaks_cycles(members, &inside, cut);
        let alone = |id: &ShapeId| breaks(&[*id].into_iter().collect());
        let function = || members.iter().copied().filter(|id| self.is_function(*id)).take(MOST_TRIED).find(alone);
        let chosen = if !given.is_empty() && breaks(&given) {
            given
        } else if let Some(id) = function() {
            [id].into_iter().collect()
        } else {
            let mut chosen: FxHashSet<ShapeId> =
                members.iter().copied().filter(|id| self.alternatives(*id).len() > 1).collect();
            for id in members {
                if breaks(&chosen) {
                    break;
                }
                chosen.insert(*id);
            }
            for id in members {
                if chosen.remove(id) && !breaks(&chosen) {
                    chosen.insert(*id);
                }
            }
            chosen
        };
        debug_assert!(self.breaks_cycles(members, &inside, &chosen), "graph: a cycle without a name");
        for id in members {
            if chosen.contains(id) {
                self.shapes.0[id.0 as usize].named = Some(NamedId(self.named));
                self.named += 1;
            }
        }
        // Parts before wholes: without the names there is no cycle.
        let mut counted: FxHashSet<ShapeId> = chosen.clone();
        while counted.len() < members.len() {
            for id in members {
                let ready = |part: &ShapeId| !inside.contains(part) || counted.contains(part);
                let mut parts = self.alternatives(*id).iter().flat_map(|one| &one.parts);
                if !counted.contains(id) && parts.all(ready) {
                    self.leaves[id.0 as usize] = self.leaves_of(self.alternatives(*id));
                    counted.insert(*id);
                }
            }
        }
    }

    /// Is there no cycle among the members but through the cut?
    fn breaks_cycles(&self, members: &[ShapeId], inside: &FxHashSet<ShapeId>, cut: &FxHashSet<ShapeId>) -> bool {
        // Takes away shapes all of whose parts are gone, and then those they were parts of.
        let mut waits: FxHashMap<ShapeId, usize> = FxHashMap::default();
        let mut wholes: FxHashMap<ShapeId, Vec<ShapeId>> = FxHashMap::default();
        let mut free = vec![];
        for id in members.iter().filter(|id| !cut.contains(id)) {
            let parts = self.alternatives(*id).iter().flat_map(|alternative| &alternative.parts);
            let mut count = 0;
            for part in parts.filter(|part| inside.contains(part) && !cut.contains(part)) {
                count += 1;
                wholes.entry(*part).or_default().push(*id);
            }
            if count == 0 {
                free.push(*id);
            }
            waits.insert(*id, count);
        }
        let mut left = waits.len();
        while let Some(id) = free.pop() {
            left -= 1;
            for whole in wholes.remove(&id).unwrap_or_default() {
                let count = waits.get_mut(&whole).expect("graph: a member");
                *count -= 1;
                if *count == 0 {
                    free.push(whole);
                }
            }
        }
        left == 0
    }
}

fn order_of(draft: &Draft, representative: &[usize], classes: &FxHashMap<usize, usize>, first: usize) -> Vec<usize> {
    let mut order = vec![first];
    let mut seen: FxHashSet<usize> = [first].into_iter().collect();
    let mut at = 0;
    while at < order.len() {
        for (_, refs) in draft.nodes[representative[order[at]]].values() {
            for part in refs {
                if let Some(class) = draft.class_of(*part, classes)
                    && seen.insert(class)
                {
                    order.push(class);
                }
            }
        }
        at += 1;
    }
    order
}
