//! Folding: shapes that nest without end become recursive.
//!
//! What may nest is told by classes of heads: a data type, the code of a function, records of sensitivities, …. Nodes of one
//! class that nest deeper than allowed become one node. How deep, and which classes count, says [`Fold`]: whoever sees a
//! shape grow asks for more and more. Tuples come last: they nest in each other everywhere, and folding them mixes
//! functions with sensitivities, which makes shapes of everything.

use std::collections::BTreeMap;

use base::Name;
use first_order::{Alternative, CodeId, Head, ShapeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Graph;
use super::draft::{Draft, Ref};

/// How eagerly nesting is made recursive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fold {
    /// Data types at once, closures that nest in themselves five times.
    Usual,
    /// Also closures at once, if the same functions are in them; records with the same labels in each other, likewise.
    Alike,
    /// Also closures whatever is in them, records with the same labels, collected arrays in each other.
    Closures,
    /// Also records in each other whatever their labels, parts of sensitivities, seals, and what is full.
    Wide,
    /// Also tuples in each other.
    All,
}

impl Fold {
    /// The place of what [`Graph::nesting_of`] says for it.
    fn place(self) -> usize {
        usize::from(self != Fold::Usual)
    }
}

impl Graph {
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
            self.work += draft.nodes.len();
            for pair in nested.windows(2) {
                draft.unify(self, pair[0], pair[1]);
            }
        }
        let folded = if changed { self.finish(draft, Ref::Draft(root)) } else { id };
        self.folded.insert((id, fold), folded);
        folded
    }

    /// Does [`Graph::fold`] find something in a shape of these alternatives: usually, and otherwise?
    pub(super) fn nesting_of(&self, alternatives: &[Alternative]) -> [bool; 2] {
        [Fold::Usual, Fold::All].map(|fold| {
            alternatives.iter().any(|one| {
                class_of(&one.head, one.parts.len(), fold).is_some()
                    || one.parts.iter().any(|part| self.nesting[part.0 as usize][fold.place()])
            })
        })
    }

    /// Makes a draft of what may nest in a shape; the rest stays as it is.
    fn draft_nesting(&self, draft: &mut Draft, id: ShapeId, fold: Fold, copies: &mut FxHashMap<ShapeId, Ref>) -> Ref {
        if let Some(known) = copies.get(&id) {
            return *known;
        }
        if !self.nesting[id.0 as usize][fold.place()] {
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
}

impl Draft {
    /// Nodes of one class that nest more often than allowed.
    fn nested(&self, root: usize, fold: Fold) -> Option<Vec<usize>> {
        let mut classes: Vec<(Class, usize, Vec<usize>)> = vec![];
        let mut place: FxHashMap<Class, usize> = FxHashMap::default();
        for node in self.below(self.find(root), |_| true) {
            for (head, refs) in self.nodes[node].values() {
                let Some((class, most)) = class_of(head, refs.len(), fold) else { continue };
                let class = if fold == Fold::Alike { self.with_held(class, node) } else { class };
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
            let through = class.nests_through();
            let nested = self.chain(&members, most, through)?;
            if fold != Fold::Usual || !matches!(class, Class::Code(..)) {
                return Some(nested);
            }
            // Only those in which the same functions are, also here; most often it doesn't come to this question.
            let mut alike: BTreeMap<Vec<Head>, Vec<usize>> = BTreeMap::new();
            members.iter().for_each(|node| alike.entry(self.held(*node)).or_default().push(*node));
            alike.values().find_map(|members| self.chain(members, most, through))
        })
    }

    /// The class of functions, or of their sensitivities, in which the same functions are. Those in which others are needn't nest without end:
    /// `map` in `map`, with other functions, is just that. What nests without end comes to hold the same.
    fn with_held(&self, class: Class, node: usize) -> Class {
        if !matches!(class, Class::Code(..) | Class::Head(Head::Record(_), _)) {
            return class;
        }
        let held = self.held(node);
        Class::Holding(Box::new(class), held)
    }

    /// The functions and records below a node.
    fn held(&self, node: usize) -> Vec<Head> {
        let mut held: FxHashSet<&Head> = FxHashSet::default();
        for below in self.below(node, |_| true).into_iter().filter(|below| *below != node) {
            let heads = self.nodes[below].values().map(|(head, _)| head);
            held.extend(heads.filter(|head| matches!(head, Head::Closure { .. } | Head::Record(_))));
        }
        let mut held: Vec<Head> = held.into_iter().cloned().collect();
        held.sort();
        held
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
}

/// What must not nest in itself.
#[derive(PartialEq, Eq, Hash, Clone)]
enum Class {
    /// A data type, or sensitivities of it.
    Data(Name, bool),
    Code(CodeId, u32),
    Head(Head, usize),
    /// Sensitivities of tuples.
    Parts,
    /// Records whatever their labels: sensitivities of functions.
    Records,
    /// Sensitivities of arrays whose elements are arrays.
    Handles,
    /// Such that hold these.
    Holding(Box<Class>, Vec<Head>),
}

impl Class {
    /// Does it nest through a head? What a function captures, or a sensitivity belongs to, is data of its own.
    fn nests_through(&self) -> fn(&Head) -> bool {
        match self {
            // Also where nodes have arrays of children.
            Class::Data(..) => |head| is_data(head) || matches!(head, Head::Array(_) | Head::Handle(_)),
            Class::Parts | Class::Records | Class::Head(Head::Tuple | Head::Record(_), _) => is_data,
            Class::Handles => |head| matches!(head, Head::Handle(_)),
            Class::Code(..) | Class::Head(..) => |_| true,
            Class::Holding(class, _) => class.nests_through(),
        }
    }
}

fn is_data(head: &Head) -> bool {
    matches!(head, Head::Variant(_) | Head::Part(..) | Head::Tuple | Head::Record(_))
}

/// What a head counts as, and how often that may nest.
fn class_of(head: &Head, parts: usize, fold: Fold) -> Option<(Class, usize)> {
    let own = || Class::Head(head.clone(), parts);
    match (head, fold) {
        (Head::Variant(constructor), _) => Some((Class::Data(constructor.type_name, false), 1)),
        (Head::Part(Some(constructor), _), _) => Some((Class::Data(constructor.type_name, true), 1)),
        (Head::Closure { code, member }, Fold::Usual) => Some((Class::Code(*code, *member), 5)),
        (Head::Closure { code, member }, _) => Some((Class::Code(*code, *member), 1)),
        (_, Fold::Usual) => None,
        (Head::Record(_), Fold::Alike | Fold::Closures) => Some((own(), 2)),
        (_, Fold::Alike) => None,
        (Head::Handle(_), _) => Some((Class::Handles, 2)),
        (_, Fold::Closures) => None,
        (Head::Record(_), _) => Some((Class::Records, 2)),
        (Head::Part(None, _), _) => Some((Class::Parts, 3)),
        (Head::Sealed { .. } | Head::Full, _) => Some((own(), 3)),
        (Head::Tuple, Fold::All) => Some((own(), 3)),
        _ => None,
    }
}
