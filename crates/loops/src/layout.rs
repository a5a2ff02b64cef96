//! How values of L3 types lie in leaves and in memory: docs/dev/memory.md.

use std::collections::BTreeMap;
use std::rc::Rc;

use first_order::{Block, Definition, NamedId, Op, Program, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::{Descriptor, DescriptorId, Kind, Leaf};

/// The leaves of the elements of arrays that grow somewhere in a program. What grows (tapes do) is written and read element by element,
/// each in one piece; all other arrays of structs lie in columns. Changes of view change no leaves, so both sides of one agree.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Grown(FxHashSet<Vec<Leaf>>);

impl Grown {
    pub fn new(program: &Program) -> Grown {
        let mut grown = Grown::default();
        for function in &program.functions {
            grown.block(&function.body, &function.vars, &program.types);
        }
        grown
    }

    fn block(&mut self, block: &Block, vars: &[Type], types: &[Definition]) {
        for statement in &block.statements {
            if let (Op::Append(..), Type::Array(element, _)) = (&statement.op, &vars[statement.var.0 as usize]) {
                self.0.insert(leaves(element, types));
            }
            let inside = &mut |_: &[_], inner: &_| self.block(inner, vars, types);
            base::budget::deep(|| statement.op.blocks(inside));
        }
    }

    /// How arrays of elements with these leaves lie in memory.
    pub fn kind(&self, element: &[Leaf]) -> Kind {
        if element.len() > 1 && !self.0.contains(element) { Kind::Columns } else { Kind::Array }
    }
}

/// Types and their descriptors.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layouts {
    definitions: Vec<Definition>,
    /// By `NamedId`.
    nodes: Vec<DescriptorId>,
    /// By the type of the elements.
    arrays: FxHashMap<Type, DescriptorId>,
    numbers: FxHashMap<Descriptor, DescriptorId>,
}

impl Layouts {
    /// Descriptors for all named types; `descriptors` grows.
    pub fn new(definitions: &[Definition], descriptors: &mut Vec<Descriptor>) -> Layouts {
        let mut layouts = Layouts { definitions: definitions.to_vec(), ..Layouts::default() };
        for definition in definitions {
            let node = layouts.number(Kind::Node, &layouts.leaves(&definition.content), descriptors);
            layouts.nodes.push(node);
        }
        layouts
    }

    /// Layouts that were read from text: the named types with the descriptors of their nodes, the types of elements with those of their
    /// arrays, and all descriptors.
    pub(crate) fn of_parts(
        named: Vec<(Definition, DescriptorId)>,
        arrays: Vec<(Type, DescriptorId)>,
        descriptors: &[Descriptor],
    ) -> Layouts {
        let (definitions, nodes) = named.into_iter().unzip();
        let numbers = (0..).zip(descriptors).map(|(number, of)| (of.clone(), DescriptorId(number))).collect();
        Layouts { definitions, nodes, arrays: arrays.into_iter().collect(), numbers }
    }

    /// The named types, with the descriptors of their nodes.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&Definition, DescriptorId)> {
        self.definitions.iter().zip(self.nodes.iter().copied())
    }

    pub(crate) fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// The types of elements, with the descriptors of their arrays, in no order.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = (&Type, DescriptorId)> {
        self.arrays.iter().map(|(element, id)| (element, *id))
    }

    /// The descriptor of arrays with such elements, made if need be.
    pub fn array(&mut self, element: &Type, grown: &Grown, descriptors: &mut Vec<Descriptor>) -> DescriptorId {
        if let Some(known) = self.arrays.get(element) {
            return *known;
        }
        let leaves = self.leaves(element);
        let id = self.number(grown.kind(&leaves), &leaves, descriptors);
        self.arrays.insert(element.clone(), id);
        id
    }

    /// The descriptor of arrays of reals.
    pub(crate) fn reals(&mut self, descriptors: &mut Vec<Descriptor>) -> DescriptorId {
        self.number(Kind::Array, &[Leaf::Real], descriptors)
    }

    fn number(&mut self, kind: Kind, leaves: &[Leaf], descriptors: &mut Vec<Descriptor>) -> DescriptorId {
        let pointers = (0..).zip(leaves).filter(|(_, leaf)| leaf.is_pointer()).map(|(at, _)| at).collect();
        let descriptor = Descriptor { kind, words: leaves.len() as u32, pointers };
        *self.numbers.entry(descriptor).or_insert_with_key(|descriptor| {
            descriptors.push(descriptor.clone());
            DescriptorId(descriptors.len() as u32 - 1)
        })
    }

    pub fn node_of(&self, name: NamedId) -> DescriptorId {
        self.nodes[name.0 as usize]
    }

    pub fn content(&self, name: NamedId) -> &Type {
        &self.definitions[name.0 as usize].content
    }

    pub fn leaves(&self, ty: &Type) -> Vec<Leaf> {
        leaves(ty, &self.definitions)
    }
}

/// The leaves of a type.
pub fn leaves(ty: &Type, definitions: &[Definition]) -> Vec<Leaf> {
    let mut all = vec![];
    add_leaves(ty, definitions, &mut all);
    all
}

fn add_leaves(ty: &Type, definitions: &[Definition], all: &mut Vec<Leaf>) {
    match ty {
        Type::Bool => all.push(Leaf::Bool),
        Type::Int => all.push(Leaf::Int),
        Type::Real => all.push(Leaf::Real),
        Type::Text | Type::Handle | Type::Array(..) => all.push(Leaf::Object),
        Type::Named(name) => {
            let is_sum = matches!(definitions[name.0 as usize].content, Type::Sum(_));
            all.push(if is_sum { Leaf::Ptr } else { Leaf::Object });
        }
        Type::Struct(fields) => fields.iter().for_each(|field| add_leaves(field, definitions, all)),
        Type::Sum(alternatives) => all.extend(sum_leaves(alternatives, definitions)),
    }
}

/// The tag, then the bools, ints, reals and pointers that the alternatives share.
fn sum_leaves(alternatives: &Rc<[Type]>, definitions: &[Definition]) -> Vec<Leaf> {
    let mut most: BTreeMap<Leaf, usize> = BTreeMap::new();
    for alternative in alternatives.iter() {
        let mut counts: BTreeMap<Leaf, usize> = BTreeMap::new();
        leaves(alternative, definitions).into_iter().for_each(|leaf| *counts.entry(slot_kind(leaf)).or_default() += 1);
        for (leaf, count) in counts {
            let most = most.entry(leaf).or_default();
            *most = (*most).max(count);
        }
    }
    let slots = most.into_iter().flat_map(|(leaf, count)| std::iter::repeat_n(leaf, count));
    std::iter::once(Leaf::Int).chain(slots).collect()
}

fn slot_kind(leaf: Leaf) -> Leaf {
    if leaf == Leaf::Object { Leaf::Ptr } else { leaf }
}

/// Where each leaf of an alternative lies among the leaves of its sum.
pub fn places(alternative: &[Leaf], sum: &[Leaf]) -> Vec<usize> {
    let start = |kind: Leaf| 1 + sum[1..].iter().take_while(|leaf| **leaf < kind).count();
    let mut next: BTreeMap<Leaf, usize> =
        [Leaf::Bool, Leaf::Int, Leaf::Real, Leaf::Ptr].into_iter().map(|kind| (kind, start(kind))).collect();
    let mut place = |leaf: &Leaf| {
        let next = next.get_mut(&slot_kind(*leaf)).expect("every kind");
        *next += 1;
        *next - 1
    };
    alternative.iter().map(&mut place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(alternatives: &[Type]) -> Type {
        Type::Sum(Rc::from(alternatives))
    }

    #[test]
    fn a_sum_shares_slots_between_its_alternatives() {
        let pair = Type::Struct(Rc::from([Type::Real, Type::Text, Type::Int]));
        let inner = sum(&[Type::Bool, Type::Real]);
        let all = leaves(&sum(&[pair.clone(), inner.clone(), Type::Real]), &[]);
        assert_eq!(all, [Leaf::Int, Leaf::Bool, Leaf::Int, Leaf::Real, Leaf::Ptr]);
        assert_eq!(places(&leaves(&pair, &[]), &all), [3, 4, 2]);
        assert_eq!(places(&leaves(&inner, &[]), &all), [2, 1, 3]);
    }
}
