//! The graph of shapes: interned, so that equal shapes have equal ids.
//!
//! A shape without cycles is found by its alternatives. A cyclic one is minimised first and then found by its
//! canonical numbering. Joining two shapes gives the least shape that holds the values of both; folding makes shapes
//! that nest without end recursive.

mod cycles;
mod draft;
mod fold;

use std::collections::BTreeMap;
use std::rc::Rc;

use base::{Name, budget};
use calculus::{Constructor, Prim};
use first_order::{Alternative, CodeId, Head, NamedId, Shape, ShapeId, Shapes};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes::Codes;
use draft::{Draft, Ref, aligned};
pub use fold::Fold;

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
    /// How many types its type is made of.
    sizes: Vec<u64>,
    /// In which shapes there is what [`Graph::fold`] looks for: usually, and otherwise.
    nesting: Vec<[bool; 2]>,
    joined: FxHashMap<(ShapeId, ShapeId), ShapeId>,
    folded: FxHashMap<(ShapeId, Fold), ShapeId>,
    named: u32,
    /// How many nodes were looked at to make shapes: what time that took, but the same on every machine.
    pub work: usize,
}

/// Arrays of more axes than this are a sign of a state that grows by an axis in each step.
const MOST_AXES: u32 = 24;
/// Values of more scalars than this are nodes on the heap,
const LARGE: u64 = 96;
/// and so are values of types made of more types than this, though most of them hold nothing: types are compared and copied by plain recursion.
const LARGE_TYPE: u64 = 2_000;

pub const NEVER: ShapeId = ShapeId(0);
pub const ZERO: ShapeId = ShapeId(1);
pub const BOOL: ShapeId = ShapeId(2);
pub const INT: ShapeId = ShapeId(3);
pub const REAL: ShapeId = ShapeId(4);
pub const TEXT: ShapeId = ShapeId(5);
pub const UNIT: ShapeId = ShapeId(6);

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
            sizes: vec![],
            nesting: vec![],
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
        budget::spend(1);
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
        budget::spend(1);
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
        if alternatives.iter().any(|one| matches!(one.head, Head::Array(rank) | Head::Handle(rank) if rank > MOST_AXES))
        {
            budget::refuse(budget::Limit::Depth);
        }
        let (leaves, size) = (self.leaves_of(&alternatives), self.size_of(&alternatives));
        let id = self.add(alternatives.clone(), false);
        self.sizes[id.0 as usize] = size;
        // What is large is a node on the heap, so that copies of it are pointers.
        if leaves > LARGE || size > LARGE_TYPE {
            self.shapes.0[id.0 as usize].named = Some(NamedId(self.named));
            self.named += 1;
        }
        self.leaves[id.0 as usize] = leaves;
        self.nesting[id.0 as usize] = self.nesting_of(&alternatives);
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

    /// How many types the type of these alternatives is made of.
    fn size_of(&self, alternatives: &[Alternative]) -> u64 {
        let part = |id: &ShapeId| match self.get(*id).named {
            Some(_) => 1,
            None => self.sizes[id.0 as usize],
        };
        let sizes = alternatives.iter().map(|one| 1 + one.parts.iter().map(part).sum::<u64>());
        sizes.sum()
    }

    fn add(&mut self, alternatives: Vec<Alternative>, cyclic: bool) -> ShapeId {
        budget::spend(1);
        let id = ShapeId(self.shapes.0.len() as u32);
        self.shapes.0.push(Shape { alternatives, named: None });
        self.leaves.push(0);
        self.sizes.push(1);
        self.nesting.push([false; 2]);
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

    /// Are the values of a shape one function?
    pub fn is_function(&self, id: ShapeId) -> bool {
        matches!(self.only(id), Some(Alternative { head: Head::Closure { .. }, .. }))
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

    /// Are there functions, constructors or labels in a shape that aren't in another?
    pub fn brings_new(&self, old: ShapeId, new: ShapeId) -> bool {
        let known = self.reachable(old);
        let heads = |id: &ShapeId| self.alternatives(*id).iter().map(|one| &one.head);
        let mut words: FxHashSet<Word> = FxHashSet::default();
        known.iter().flat_map(heads).for_each(|head| each_word(head, &mut |word| _ = words.insert(word)));
        let mut new_word = false;
        let added = self.reachable(new).into_iter().filter(|id| !known.contains(id));
        added.flat_map(|id| self.alternatives(id)).for_each(|one| {
            each_word(&one.head, &mut |word| new_word |= !words.contains(&word));
        });
        new_word
    }

    pub fn depth(&self, id: ShapeId) -> usize {
        self.reachable(id).len()
    }
}

/// What heads are told apart by, where there are finitely many in a program.
#[derive(PartialEq, Eq, Hash)]
enum Word {
    Code(CodeId, u32),
    Prim(Prim, u32),
    Constructor(Rc<Constructor>, bool),
    Label(Name),
}

fn each_word(head: &Head, see: &mut dyn FnMut(Word)) {
    match head {
        Head::Closure { code, member } => see(Word::Code(*code, *member)),
        Head::Prim { prim, order } => see(Word::Prim(*prim, *order)),
        Head::Variant(constructor) => see(Word::Constructor(constructor.clone(), false)),
        Head::Part(Some(constructor), _) => see(Word::Constructor(constructor.clone(), true)),
        Head::Record(labels) => labels.iter().for_each(|label| see(Word::Label(*label))),
        Head::Zero | Head::Bool | Head::Int | Head::Real | Head::Text | Head::Tuple | Head::Part(None, _) => {}
        Head::Array(_) | Head::Handle(_) | Head::Frame(_) | Head::Sealed { .. } | Head::Full => {}
    }
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
