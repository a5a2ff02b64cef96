//! The graph of shapes: interned, so that equal shapes have equal ids.
//!
//! A shape without cycles is found by its alternatives. A cyclic one is minimised first and then found by its
//! canonical numbering. Joining two shapes gives the least shape that holds the values of both; folding makes shapes
//! that nest without end recursive.

use std::collections::BTreeMap;
use std::rc::Rc;

use base::Name;
use calculus::Constructor;
use first_order::{Alternative, CodeId, Head, NamedId, Shape, ShapeId, Shapes};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes::Codes;

/// How the alternatives of one shape are told apart: two alternatives with the same key become one.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Key {
    Part(Option<Rc<Constructor>>),
    /// A tuple of this length.
    Tuple(usize),
    /// Records with different labels become one: where a label is missing its part is the symbolic zero.
    Record,
    /// Arrays of bools, ints and reals stay apart from each other and from arrays of other things.
    Array(u32, u8),
    /// The function that the code was derived from, which member, how often J was applied: an order that J preserves.
    Closure(CodeId, u32, u32),
    Other(Head),
}

pub struct Graph {
    codes: Rc<Codes>,
    pub shapes: Shapes,
    known: FxHashMap<Vec<Alternative>, ShapeId>,
    /// Canonical texts of cyclic shapes.
    cyclic: FxHashMap<Vec<u64>, ShapeId>,
    heads: FxHashMap<Head, u32>,
    is_cyclic: Vec<bool>,
    /// How many scalars and pointers a value is made of that isn't a node itself.
    leaves: Vec<u64>,
    joined: FxHashMap<(ShapeId, ShapeId), ShapeId>,
    folded: FxHashMap<(ShapeId, Fold), ShapeId>,
    named: u32,
    /// How many nodes were looked at to make shapes: what time that took, but the same on every machine.
    pub work: usize,
}

/// A shape under construction refers to finished shapes and to others under construction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Ref {
    Done(ShapeId),
    Draft(usize),
}

/// What tells nodes of a cycle apart: heads, and for each part whether it is finished and which.
type Signature = Vec<(Head, Vec<(bool, usize)>)>;

#[derive(Default)]
struct Draft {
    nodes: Vec<BTreeMap<Key, (Head, Vec<Ref>)>>,
    /// Which draft a draft was merged into.
    merged: Vec<usize>,
    /// Which nodes of a cycle shall be named, if that is given.
    named: Vec<bool>,
}

/// So many functions of a cycle are tried as its only node.
const MOST_TRIED: usize = 20;

/// Values of more scalars than this are nodes on the heap.
const LARGE: u64 = 96;

pub const NEVER: ShapeId = ShapeId(0);
pub const ZERO: ShapeId = ShapeId(1);
pub const BOOL: ShapeId = ShapeId(2);
pub const INT: ShapeId = ShapeId(3);
pub const REAL: ShapeId = ShapeId(4);
pub const TEXT: ShapeId = ShapeId(5);
pub const UNIT: ShapeId = ShapeId(6);

/// How eagerly nesting is made recursive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fold {
    /// Data types at once, closures that nest in themselves five times.
    Usual,
    /// Also closures at once.
    Closures,
    /// Also everything else that nests in itself.
    Wide,
}

impl Graph {
    pub fn new(codes: Rc<Codes>) -> Graph {
        let mut graph = Graph {
            codes,
            shapes: Shapes::default(),
            known: FxHashMap::default(),
            cyclic: FxHashMap::default(),
            heads: FxHashMap::default(),
            is_cyclic: vec![],
            leaves: vec![],
            joined: FxHashMap::default(),
            folded: FxHashMap::default(),
            named: 0,
            work: 0,
        };
        graph.intern(vec![]);
        for head in [Head::Zero, Head::Bool, Head::Int, Head::Real, Head::Text, Head::Tuple] {
            graph.single(head, vec![]);
        }
        graph
    }

    pub fn get(&self, id: ShapeId) -> &Shape {
        self.shapes.get(id)
    }

    pub fn alternatives(&self, id: ShapeId) -> &[Alternative] {
        &self.get(id).alternatives
    }

    /// The only alternative, if there is just one.
    pub fn only(&self, id: ShapeId) -> Option<&Alternative> {
        match self.alternatives(id) {
            [one] => Some(one),
            _ => None,
        }
    }

    /// How many heads were named so far: the number of named types.
    pub fn named_count(&self) -> u32 {
        self.named
    }

    /// Is a shape part of itself?
    pub fn is_recursive(&self, id: ShapeId) -> bool {
        self.is_cyclic[id.0 as usize]
    }

    pub fn key(&self, head: &Head, parts: &[ShapeId]) -> Key {
        match head {
            Head::Part(constructor, _) => Key::Part(constructor.clone()),
            Head::Record(_) => Key::Record,
            Head::Tuple => Key::Tuple(parts.len()),
            Head::Array(rank) => Key::Array(*rank, array_kind(parts[0])),
            Head::Closure { code, member } => {
                let (root, order) = self.codes.root(*code);
                Key::Closure(root, *member, order)
            }
            other => Key::Other(other.clone()),
        }
    }

    /// The shape of just this alternative, made recursive where a data type nests in itself.
    pub fn single(&mut self, head: Head, parts: Vec<ShapeId>) -> ShapeId {
        let nests = match &head {
            Head::Variant(_) | Head::Part(Some(_), _) | Head::Closure { .. } => !parts.is_empty(),
            _ => false,
        };
        let id = self.intern(vec![Alternative { head, parts }]);
        if nests { self.fold(id, Fold::Usual) } else { id }
    }

    /// The shape of just this alternative as it is: values that are known to be it.
    pub fn exact(&mut self, head: Head, parts: Vec<ShapeId>) -> ShapeId {
        self.intern(vec![Alternative { head, parts }])
    }

    /// The shape of these alternatives, which are in order.
    pub fn union(&mut self, alternatives: Vec<Alternative>) -> ShapeId {
        self.intern(alternatives)
    }

    fn intern(&mut self, alternatives: Vec<Alternative>) -> ShapeId {
        if let Some(id) = self.known.get(&alternatives) {
            return *id;
        }
        let leaves = self.leaves_of(&alternatives);
        let id = self.add(alternatives.clone(), false);
        // What is large is a node on the heap, so that copies of it are pointers.
        if leaves > LARGE {
            self.shapes.0[id.0 as usize].named = Some(NamedId(self.named));
            self.named += 1;
        }
        self.leaves[id.0 as usize] = leaves;
        self.known.insert(alternatives, id);
        id
    }

    /// How many scalars and pointers a value of these alternatives is made of.
    fn leaves_of(&self, alternatives: &[Alternative]) -> u64 {
        let part = |id: &ShapeId| match self.get(*id).named {
            Some(_) => 1,
            None => self.leaves[id.0 as usize],
        };
        let leaves = alternatives.iter().map(|one| match one.head {
            Head::Array(_) | Head::Handle(_) => 1,
            Head::Bool | Head::Int | Head::Real | Head::Text => 1,
            _ => one.parts.iter().map(part).sum(),
        });
        leaves.sum()
    }

    fn add(&mut self, alternatives: Vec<Alternative>, cyclic: bool) -> ShapeId {
        let id = ShapeId(self.shapes.0.len() as u32);
        self.shapes.0.push(Shape { alternatives, named: None });
        self.leaves.push(0);
        self.is_cyclic.push(cyclic);
        id
    }

    /// The least shape that holds the values of both.
    pub fn join(&mut self, a: ShapeId, b: ShapeId) -> ShapeId {
        if a == b || b == NEVER {
            return a;
        }
        if a == NEVER {
            return b;
        }
        let pair = (a.min(b), a.max(b));
        if let Some(id) = self.joined.get(&pair) {
            return *id;
        }
        let mut draft = Draft::default();
        let root = self.draft_join(&mut draft, Ref::Done(a), Ref::Done(b), &mut FxHashMap::default());
        let joined = self.finish(draft, root);
        let joined = self.fold(joined, Fold::Usual);
        self.joined.insert(pair, joined);
        joined
    }

    fn draft_join(&self, draft: &mut Draft, a: Ref, b: Ref, seen: &mut FxHashMap<(ShapeId, ShapeId), usize>) -> Ref {
        let (Ref::Done(x), Ref::Done(y)) = (a, b) else { unreachable!("graph: joins are of finished shapes") };
        if x == y || y == NEVER {
            return a;
        }
        if x == NEVER {
            return b;
        }
        if let Some(at) = seen.get(&(x, y)) {
            return Ref::Draft(*at);
        }
        let at = draft.add();
        seen.insert((x, y), at);
        let mut node: BTreeMap<Key, (Head, Vec<Ref>)> = BTreeMap::new();
        for Alternative { head, parts } in self.alternatives(x) {
            node.insert(self.key(head, parts), (head.clone(), done(parts)));
        }
        for Alternative { head, parts } in self.alternatives(y) {
            let key = self.key(head, parts);
            let merged = match node.remove(&key) {
                None => (head.clone(), done(parts)),
                Some((other, others)) => self.draft_merge(draft, (other, others), (head.clone(), done(parts)), seen),
            };
            node.insert(key, merged);
        }
        draft.nodes[at] = node;
        Ref::Draft(at)
    }

    fn draft_merge(
        &self,
        draft: &mut Draft,
        (head, parts): (Head, Vec<Ref>),
        (other, others): (Head, Vec<Ref>),
        seen: &mut FxHashMap<(ShapeId, ShapeId), usize>,
    ) -> (Head, Vec<Ref>) {
        let (head, parts, others) = aligned(head, parts, other, others);
        let joined = parts.into_iter().zip(others).map(|(a, b)| self.draft_join(draft, a, b, seen)).collect();
        (head, joined)
    }

    /// Makes a draft of what may nest in a shape; the rest stays as it is.
    fn draft_nesting(&self, draft: &mut Draft, id: ShapeId, fold: Fold, copies: &mut FxHashMap<ShapeId, Ref>) -> Ref {
        if let Some(known) = copies.get(&id) {
            return *known;
        }
        let nests = |id: &ShapeId| {
            self.alternatives(*id).iter().any(|one| class_of(&one.head, one.parts.len(), fold).is_some())
        };
        if !self.reachable(id).iter().any(nests) {
            copies.insert(id, Ref::Done(id));
            return Ref::Done(id);
        }
        let at = draft.add();
        copies.insert(id, Ref::Draft(at));
        let mut node = BTreeMap::new();
        for Alternative { head, parts } in self.alternatives(id) {
            let refs = parts.iter().map(|part| self.draft_nesting(draft, *part, fold, copies)).collect();
            node.insert(self.key(head, parts), (head.clone(), refs));
        }
        draft.nodes[at] = node;
        Ref::Draft(at)
    }

    /// Makes a draft out of everything that can be reached from a shape.
    fn draft_copy(&self, draft: &mut Draft, id: ShapeId, copies: &mut FxHashMap<ShapeId, usize>) -> usize {
        if let Some(at) = copies.get(&id) {
            return *at;
        }
        let at = draft.add();
        copies.insert(id, at);
        let mut node = BTreeMap::new();
        for Alternative { head, parts } in self.alternatives(id) {
            let refs = parts.iter().map(|part| Ref::Draft(self.draft_copy(draft, *part, copies))).collect();
            node.insert(self.key(head, parts), (head.clone(), refs));
        }
        draft.nodes[at] = node;
        at
    }

    /// The same shape with every head replaced; parts follow.
    pub fn map_heads(&mut self, id: ShapeId, change: &mut dyn FnMut(&Head) -> Option<Head>) -> Option<ShapeId> {
        let mut draft = Draft::default();
        let mut copies = FxHashMap::default();
        let root = self.draft_copy(&mut draft, id, &mut copies);
        draft.named = vec![false; draft.nodes.len()];
        for (id, at) in copies {
            draft.named[at] = self.get(id).named.is_some();
        }
        for node in &mut draft.nodes {
            let old = std::mem::take(node);
            for (key, (head, parts)) in old {
                let head = change(&head)?;
                let key = match key {
                    // Only these heads change.
                    Key::Other(_) | Key::Closure(..) => self.key(&head, &[]),
                    key => key,
                };
                node.insert(key, (head, parts));
            }
        }
        Some(self.finish(draft, Ref::Draft(root)))
    }

    /// Makes shapes that nest in themselves recursive.
    pub fn fold(&mut self, id: ShapeId, fold: Fold) -> ShapeId {
        if let Some(folded) = self.folded.get(&(id, fold)) {
            return *folded;
        }
        let mut draft = Draft::default();
        let Ref::Draft(root) = self.draft_nesting(&mut draft, id, fold, &mut FxHashMap::default()) else {
            return id;
        };
        let mut changed = false;
        while let Some(nested) = draft.nested(root, fold) {
            changed = true;
            for pair in nested.windows(2) {
                draft.unify(self, pair[0], pair[1]);
            }
        }
        let folded = if changed { self.finish(draft, Ref::Draft(root)) } else { id };
        self.folded.insert((id, fold), folded);
        folded
    }

    /// Interns what a draft describes.
    fn finish(&mut self, mut draft: Draft, root: Ref) -> ShapeId {
        let Ref::Draft(root) = root else {
            let Ref::Done(id) = root else { unreachable!() };
            return id;
        };
        let root = draft.find(root);
        self.work += draft.nodes.len();
        // Cyclic shapes that are mentioned take part in the minimisation.
        self.import_cyclic(&mut draft, root);
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
        let given = |class: &&usize| draft.named.get(representative[**class]).copied().unwrap_or(false);
        let given: FxHashSet<ShapeId> = order.iter().filter(given).map(|class| ids[class]).collect();
        self.name_cycle(&members, given);
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

    /// Are the values of a shape one function?
    pub fn is_function(&self, id: ShapeId) -> bool {
        matches!(self.only(id), Some(Alternative { head: Head::Closure { .. }, .. }))
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

    /// The shapes that can be reached from one, itself included.
    pub fn reachable(&self, id: ShapeId) -> FxHashSet<ShapeId> {
        let mut seen = FxHashSet::default();
        let mut waiting = vec![id];
        while let Some(id) = waiting.pop() {
            if seen.insert(id) {
                waiting.extend(self.alternatives(id).iter().flat_map(|alternative| alternative.parts.iter().copied()));
            }
        }
        seen
    }

    pub fn depth(&self, id: ShapeId) -> usize {
        self.reachable(id).len()
    }
}

/// Two versions of one head over the same parts: positions and labels that one doesn't have are zero there.
fn aligned(head: Head, parts: Vec<Ref>, other: Head, others: Vec<Ref>) -> (Head, Vec<Ref>, Vec<Ref>) {
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

fn done(parts: &[ShapeId]) -> Vec<Ref> {
    parts.iter().map(|part| Ref::Done(*part)).collect()
}

fn array_kind(element: ShapeId) -> u8 {
    match element {
        BOOL => 1,
        INT => 2,
        REAL => 3,
        _ => 0,
    }
}

/// What must not nest in itself, and how often it may.
#[derive(PartialEq, Eq, Hash, Clone)]
enum Class {
    Data(Name, bool),
    Code(CodeId, u32),
    Head(Head, usize),
}

fn class_of(head: &Head, parts: usize, fold: Fold) -> Option<(Class, usize)> {
    match head {
        Head::Variant(constructor) => Some((Class::Data(constructor.type_name, false), 1)),
        Head::Part(Some(constructor), _) => Some((Class::Data(constructor.type_name, true), 1)),
        Head::Closure { code, member } => Some((Class::Code(*code, *member), if fold == Fold::Usual { 5 } else { 1 })),
        Head::Tuple | Head::Record(_) | Head::Sealed { .. } | Head::Full if fold == Fold::Wide => {
            Some((Class::Head(head.clone(), parts), 3))
        }
        _ => None,
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

impl Draft {
    fn add(&mut self) -> usize {
        self.nodes.push(BTreeMap::new());
        self.merged.push(self.merged.len());
        self.merged.len() - 1
    }

    fn find(&self, mut at: usize) -> usize {
        while self.merged[at] != at {
            at = self.merged[at];
        }
        at
    }

    fn class_of(&self, part: Ref, classes: &FxHashMap<usize, usize>) -> Option<usize> {
        match part {
            Ref::Done(_) => None,
            Ref::Draft(at) => classes.get(&self.find(at)).copied(),
        }
    }

    fn done_id(&self, part: Ref, done: &FxHashMap<usize, ShapeId>) -> ShapeId {
        match part {
            Ref::Done(id) => id,
            Ref::Draft(at) => done[&self.find(at)],
        }
    }

    /// The alternatives of a node whose parts are all done.
    fn resolved(&self, node: usize, done: &FxHashMap<usize, ShapeId>) -> Vec<Alternative> {
        let alternative = |(head, refs): &(Head, Vec<Ref>)| Alternative {
            head: head.clone(),
            parts: refs.iter().map(|part| self.done_id(*part, done)).collect(),
        };
        self.nodes[node].values().map(alternative).collect()
    }

    fn mentions(&self, node: usize, other: usize) -> bool {
        let mut refs = self.nodes[node].values().flat_map(|(_, refs)| refs);
        refs.any(|part| matches!(part, Ref::Draft(at) if self.find(*at) == other))
    }

    /// Nodes of one class that nest more often than allowed.
    fn nested(&self, root: usize, fold: Fold) -> Option<Vec<usize>> {
        let mut classes: Vec<(Class, usize, Vec<usize>)> = vec![];
        let mut place: FxHashMap<Class, usize> = FxHashMap::default();
        for node in self.below(self.find(root), |_| true) {
            for (head, refs) in self.nodes[node].values() {
                let Some((class, most)) = class_of(head, refs.len(), fold) else { continue };
                let at = *place.entry(class.clone()).or_insert_with(|| {
                    classes.push((class, most, vec![]));
                    classes.len() - 1
                });
                if classes[at].2.last() != Some(&node) {
                    classes[at].2.push(node);
                }
            }
        }
        classes.into_iter().find_map(|(class, most, members)| {
            // What a function captures, or a sensitivity belongs to, is data of its own.
            let through: fn(&Head) -> bool = match class {
                Class::Data(..) => {
                    |head| matches!(head, Head::Variant(_) | Head::Part(..) | Head::Tuple | Head::Record(_))
                }
                Class::Code(..) | Class::Head(..) => |_| true,
            };
            self.chain(&members, most, through)
        })
    }

    /// More than `most` of these nodes that nest in each other.
    fn chain(&self, members: &[usize], most: usize, through: fn(&Head) -> bool) -> Option<Vec<usize>> {
        if members.len() <= most {
            return None;
        }
        let inside: FxHashSet<usize> = members.iter().copied().collect();
        let mut reached: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for node in members {
            let below = self.below(*node, through).into_iter().filter(|other| other != node && inside.contains(other));
            reached.insert(*node, below.collect());
        }
        for (node, below) in members.iter().map(|node| (node, &reached[node])) {
            if let Some(other) = below.iter().find(|other| reached[other].contains(node)) {
                return Some(vec![*node, *other]);
            }
        }
        // No two nest in each other: the longest chain from each, the deepest first.
        let mut longest: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut order = members.to_vec();
        order.sort_by_key(|node| reached[node].len());
        for node in order {
            let best = reached[&node].iter().filter_map(|below| longest.get(below)).max_by_key(|chain| chain.len());
            let mut chain = vec![node];
            chain.extend(best.into_iter().flatten());
            if chain.len() > most {
                return Some(chain);
            }
            longest.insert(node, chain);
        }
        None
    }

    /// The nodes that can be reached from one through such heads, itself first.
    fn below(&self, node: usize, through: fn(&Head) -> bool) -> Vec<usize> {
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
    fn unify(&mut self, graph: &mut Graph, a: usize, b: usize) {
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
    fn components(&self, root: usize) -> Vec<Vec<usize>> {
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
    fn classes(&self, component: &[usize], done: &FxHashMap<usize, ShapeId>) -> FxHashMap<usize, usize> {
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
