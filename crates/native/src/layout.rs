//! How values of a shape lie in leaf words.
//!
//! In: the shapes of a program. Out: for each shape how many words its values have, for each alternative where its parts stand,
//! and descriptors for what the border allocates. The rules are those of `docs/dev/memory.md`.

use first_order::{Alternative, Definition, Head, Shape, ShapeId, Shapes, Type};
use loops::{Grown, Leaf, layout};

use crate::runtime::object::{Descriptor, NODE, OwnDescriptor};

/// The layout of every shape, by its number.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layouts(Vec<Layout>);

#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// The leaf words of a value: one if the shape is named.
    pub words: usize,
    /// The leaf words of the content.
    pub content: usize,
    pub alternatives: Vec<AlternativeLayout>,
    /// Of the nodes that hold the content, if the shape is named.
    node: Option<OwnDescriptor>,
    /// Is a value of a named shape inside, without going through another?
    pub has_named: bool,
    /// Which words of a value are pointers.
    pointers: Vec<usize>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct AlternativeLayout {
    pub words: usize,
    /// Where its words stand among those of the sum; in a shape with one alternative they are the content.
    pub places: Vec<usize>,
    /// Where each part begins among its words.
    pub starts: Vec<usize>,
    /// Of the array that the alternative is.
    array: Option<OwnDescriptor>,
    pub elements: ElementKind,
}

/// What an array's elements are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementKind {
    Real,
    Int,
    Bool,
    Other,
}

impl Layouts {
    pub fn new(shapes: &Shapes, types: &[Definition], grown: &Grown) -> Layouts {
        let types = Types { shapes, types, grown };
        Layouts((0..shapes.0.len() as u32).map(|id| types.layout(ShapeId(id))).collect())
    }

    pub fn get(&self, id: ShapeId) -> &Layout {
        &self.0[id.0 as usize]
    }

    /// The leaf words of several values, one after the other.
    pub fn words(&self, shapes: &[ShapeId]) -> usize {
        shapes.iter().map(|&shape| self.get(shape).words).sum()
    }
}

/// What layouts are made from.
struct Types<'a> {
    shapes: &'a Shapes,
    types: &'a [Definition],
    grown: &'a Grown,
}

impl Types<'_> {
    fn layout(&self, id: ShapeId) -> Layout {
        let shape = self.shapes.get(id);
        let content = self.leaves(&self.shapes.content_of(id));
        let own = self.shapes.type_of(id);
        let alternative = |one| self.alternative(one, is_sum(shape).then_some(&content[..]));
        Layout {
            words: if shape.named.is_some() { 1 } else { content.len() },
            content: content.len(),
            alternatives: shape.alternatives.iter().map(alternative).collect(),
            node: shape.named.map(|_| OwnDescriptor::new(NODE, content.len(), pointers(&content))),
            has_named: has_named(&own),
            pointers: pointers(&self.leaves(&own)).collect(),
        }
    }

    fn alternative(&self, alternative: &Alternative, sum: Option<&[Leaf]>) -> AlternativeLayout {
        let own = self.leaves(&self.shapes.alternative_type(alternative));
        let mut next = 0;
        let starts = alternative.parts.iter().map(|part| {
            let start = next;
            next += self.leaves(&self.shapes.type_of(*part)).len();
            start
        });
        let element = matches!(alternative.head, Head::Array(_)).then(|| self.shapes.type_of(alternative.parts[0]));
        let elements = match &element {
            Some(Type::Real) => ElementKind::Real,
            Some(Type::Int) => ElementKind::Int,
            Some(Type::Bool) => ElementKind::Bool,
            _ => ElementKind::Other,
        };
        let element = element.map(|ty| self.leaves(&ty));
        AlternativeLayout {
            words: own.len(),
            places: sum.map_or(vec![], |sum| layout::places(&own, sum)),
            starts: starts.collect(),
            array: element.map(|element| {
                let kind = self.grown.kind(&element).number();
                OwnDescriptor::new(u64::from(kind), element.len(), pointers(&element))
            }),
            elements,
        }
    }

    fn leaves(&self, ty: &Type) -> Vec<Leaf> {
        layout::leaves(ty, self.types)
    }
}

impl Layout {
    /// The descriptor of the nodes of a named shape.
    pub fn node(&self) -> *const Descriptor {
        self.node.as_ref().expect("layout: only named shapes have nodes").get()
    }

    pub fn pointers(&self) -> &[usize] {
        &self.pointers
    }

    pub fn is_named(&self) -> bool {
        self.node.is_some()
    }
}

impl AlternativeLayout {
    /// The descriptor of arrays.
    pub fn array(&self) -> *const Descriptor {
        self.array.as_ref().expect("layout: only arrays have elements").get()
    }
}

pub fn is_sum(shape: &Shape) -> bool {
    shape.alternatives.len() > 1
}

fn pointers(leaves: &[Leaf]) -> impl Iterator<Item = usize> {
    leaves.iter().enumerate().filter(|(_, leaf)| leaf.is_pointer()).map(|(at, _)| at)
}

fn has_named(ty: &Type) -> bool {
    match ty {
        Type::Named(_) => true,
        Type::Array(element, _) => has_named(element),
        Type::Struct(parts) | Type::Sum(parts) => parts.iter().any(has_named),
        Type::Bool | Type::Int | Type::Real | Type::Text | Type::Handle => false,
    }
}
