//! Places: the parts of values, as far as somebody looks into them, and which of them are needed.
//!
//! A place is a value or a part of one: a field of a struct, the content of an alternative, the elements of an array. It is *alive*
//! if something of it is needed, and *whole* if everything is. Who fills a place from another is linked to it: what the one needs
//! of its parts, the other needs too. Arrays are never copied for the sake of their elements' type, so the elements of arrays
//! that are linked have the same parts. What named types hold is a place of its own, the same for all nodes.
//!
//! Places are opened as their parts are asked for; what nobody looks into costs nothing, however large it is.

use std::rc::Rc;

use first_order::Type;
use rustc_hash::FxHashMap;

use crate::deep;

/// A type of more parts than this stays whole.
const MAX_PARTS: usize = 10_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place(u32);

/// What may be needed: numbers below a limit are the caller's, the others mean places.
pub type Need = u32;

struct Node {
    of: Type,
    /// Its type has too many parts: it stays whole.
    opaque: bool,
    parts: Option<Rc<[Place]>>,
    /// The places that it is filled from.
    links: Vec<Place>,
}

/// All places of a program, and what needs what.
pub struct Places {
    nodes: Vec<Node>,
    /// How many needs are the caller's.
    others: usize,
    /// The first needs the second.
    edges: Vec<(Need, Need)>,
    sizes: FxHashMap<*const Type, (Type, usize)>,
}

impl Places {
    pub fn new(others: usize) -> Places {
        Places { nodes: vec![], others, edges: vec![], sizes: FxHashMap::default() }
    }

    pub fn fresh(&mut self, of: &Type) -> Place {
        let opaque = self.size(of) > MAX_PARTS;
        let place = self.node(Node { of: of.clone(), opaque, parts: None, links: vec![] });
        if opaque {
            self.edge(self.alive(place), self.whole(place));
        }
        place
    }

    /// Rows of an array: of this type, with the array's elements.
    pub fn row(&mut self, array: Place, of: &Type) -> Place {
        let element = self.part(array, 0);
        let place = self.node(Node { of: of.clone(), opaque: false, parts: Some([element].into()), links: vec![] });
        self.edge(self.whole(place), self.whole(element));
        place
    }

    fn node(&mut self, node: Node) -> Place {
        let place = Place(self.nodes.len() as u32);
        self.nodes.push(node);
        self.edge(self.whole(place), self.alive(place));
        place
    }

    pub fn alive(&self, place: Place) -> Need {
        self.others as u32 + 2 * place.0
    }

    pub fn whole(&self, place: Place) -> Need {
        self.alive(place) + 1
    }

    pub fn edge(&mut self, by: Need, to: Need) {
        self.edges.push((by, to));
    }

    /// Does it stay as it is, whatever is needed of it?
    pub fn is_opaque(&self, place: Place) -> bool {
        self.nodes[place.0 as usize].opaque
    }

    pub fn is_leaf(&self, place: Place) -> bool {
        is_leaf(&self.nodes[place.0 as usize].of)
    }

    pub fn part(&mut self, place: Place, i: usize) -> Place {
        self.open(place);
        self.nodes[place.0 as usize].parts.as_ref().expect("places: it is open")[i]
    }

    /// What is known of the parts.
    pub fn parts(&self, place: Place) -> Option<&[Place]> {
        self.nodes[place.0 as usize].parts.as_deref()
    }

    fn open(&mut self, place: Place) {
        if self.nodes[place.0 as usize].parts.is_some() {
            return;
        }
        let parts: Rc<[Place]> = match self.nodes[place.0 as usize].of.clone() {
            Type::Struct(parts) | Type::Sum(parts) => parts.iter().map(|part| self.fresh(part)).collect(),
            Type::Array(element, _) => [self.fresh(&element)].into(),
            leaf => unreachable!("places: {leaf:?} has no parts"),
        };
        for part in parts.iter() {
            self.edge(self.whole(place), self.whole(*part));
        }
        let node = &mut self.nodes[place.0 as usize];
        node.parts = Some(parts);
        // The links of arrays have opened them.
        if !node.opaque && !matches!(node.of, Type::Array(..)) {
            for from in node.links.clone() {
                deep(|| self.link_parts(place, from));
            }
        }
    }

    /// A place is filled from another of the same type.
    pub fn link(&mut self, place: Place, from: Place) {
        if place == from {
            return;
        }
        self.edge(self.alive(place), self.alive(from));
        self.edge(self.whole(place), self.whole(from));
        let node = &mut self.nodes[place.0 as usize];
        node.links.push(from);
        if node.opaque {
            return;
        }
        if matches!(node.of, Type::Array(..)) {
            let (to, from) = (self.part(place, 0), self.part(from, 0));
            deep(|| self.same(to, from));
        } else if node.parts.is_some() {
            deep(|| self.link_parts(place, from));
        }
    }

    /// Two places have the same parts.
    pub fn same(&mut self, a: Place, b: Place) {
        self.link(a, b);
        self.link(b, a);
    }

    fn link_parts(&mut self, place: Place, from: Place) {
        self.open(from);
        let parts = |place: Place| self.nodes[place.0 as usize].parts.clone().expect("places: it is open");
        let (to, from) = (parts(place), parts(from));
        for (to, from) in to.iter().zip(from.iter()) {
            self.link(*to, *from);
        }
    }

    /// How many parts a type has, up to about a limit.
    fn size(&mut self, of: &Type) -> usize {
        let (at, parts): (*const Type, &[Type]) = match of {
            Type::Struct(parts) | Type::Sum(parts) if !parts.is_empty() => (parts.as_ptr(), parts),
            Type::Array(element, _) => (Rc::as_ptr(element), std::slice::from_ref(&**element)),
            _ => return 1,
        };
        if let Some((_, known)) = self.sizes.get(&at) {
            return *known;
        }
        let size = parts.iter().fold(1, |sum: usize, part| (sum + deep(|| self.size(part))).min(MAX_PARTS + 1));
        // With the type itself, so that the address stays its own.
        self.sizes.insert(at, (of.clone(), size));
        size
    }

    /// What is reached from what is needed whatever happens.
    pub fn reached(self, roots: Vec<Need>) -> Reached {
        let count = self.others + 2 * self.nodes.len();
        let mut first = vec![0u32; count + 1];
        self.edges.iter().for_each(|(by, _)| first[*by as usize + 1] += 1);
        for at in 0..count {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut to = vec![0; self.edges.len()];
        for (by, needed) in &self.edges {
            let at = &mut next[*by as usize];
            to[*at as usize] = *needed;
            *at += 1;
        }
        let mut needed = vec![false; count];
        let mut waiting = roots;
        while let Some(number) = waiting.pop() {
            let number = number as usize;
            if !std::mem::replace(&mut needed[number], true) {
                waiting.extend(&to[first[number] as usize..first[number + 1] as usize]);
            }
        }
        let mut types = Types { nodes: &self.nodes, needed: &needed[self.others..], made: FxHashMap::default() };
        let mut narrowed = vec![None; self.nodes.len()];
        (0..self.nodes.len() as u32).for_each(|place| drop(types.of(Place(place), &mut narrowed)));
        let types = narrowed.into_iter().map(|of| of.expect("places: every place has a type")).collect();
        Reached { places: self, needed, types }
    }
}

pub fn is_leaf(of: &Type) -> bool {
    !matches!(of, Type::Struct(_) | Type::Sum(_) | Type::Array(..))
}

/// What is needed of places.
pub struct Reached {
    places: Places,
    needed: Vec<bool>,
    types: Vec<Type>,
}

impl Reached {
    pub fn is_needed(&self, need: Need) -> bool {
        self.needed[need as usize]
    }

    pub fn is_alive(&self, place: Place) -> bool {
        self.is_needed(self.places.alive(place))
    }

    /// The type of a place in which parts that nobody needs are the empty struct.
    pub fn type_of(&self, place: Place) -> &Type {
        &self.types[place.0 as usize]
    }

    /// The parts, if what is needed of them decides what the place is.
    pub fn parts(&self, place: Place) -> Option<&[Place]> {
        self.places.parts(place)
    }

    pub fn is_opaque(&self, place: Place) -> bool {
        self.places.is_opaque(place)
    }
}

/// Makes the types of places. Equal types are shared.
struct Types<'a> {
    nodes: &'a [Node],
    needed: &'a [bool],
    made: FxHashMap<(TypeForm, Vec<Identity>), Type>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum TypeForm {
    Struct,
    Sum,
    Array(u32),
}

/// Equal for types that are the same and share their parts.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Leaf(Type),
    Parts(*const Type, usize, TypeForm),
}

fn identity(of: &Type) -> Identity {
    match of {
        Type::Struct(parts) if !parts.is_empty() => Identity::Parts(parts.as_ptr(), parts.len(), TypeForm::Struct),
        Type::Sum(parts) if !parts.is_empty() => Identity::Parts(parts.as_ptr(), parts.len(), TypeForm::Sum),
        Type::Array(element, rank) => Identity::Parts(Rc::as_ptr(element), 1, TypeForm::Array(*rank)),
        leaf => Identity::Leaf(leaf.clone()),
    }
}

impl Types<'_> {
    fn of(&mut self, place: Place, done: &mut [Option<Type>]) -> Type {
        if let Some(known) = &done[place.0 as usize] {
            return known.clone();
        }
        let node = &self.nodes[place.0 as usize];
        let [alive, whole] = [0, 1].map(|bit| self.needed[2 * place.0 as usize + bit]);
        let of = match &node.of {
            _ if !alive => Type::unit(),
            of if whole || is_leaf(of) => of.clone(),
            Type::Struct(parts) => self.narrowed(node, TypeForm::Struct, parts, done),
            Type::Sum(parts) => self.narrowed(node, TypeForm::Sum, parts, done),
            Type::Array(element, rank) => {
                self.narrowed(node, TypeForm::Array(*rank), std::slice::from_ref(element), done)
            }
            leaf => unreachable!("places: {leaf:?} is a leaf"),
        };
        done[place.0 as usize] = Some(of.clone());
        of
    }

    fn narrowed(&mut self, node: &Node, kind: TypeForm, parts: &[Type], done: &mut [Option<Type>]) -> Type {
        let new: Vec<Type> = match &node.parts {
            Some(places) => places.iter().map(|part| deep(|| self.of(*part, done))).collect(),
            None => vec![Type::unit(); parts.len()],
        };
        if new.iter().zip(parts).all(|(new, old)| identity(new) == identity(old)) {
            return node.of.clone();
        }
        let key = (kind, new.iter().map(identity).collect());
        let make = || match kind {
            TypeForm::Struct => Type::Struct(new.into()),
            TypeForm::Sum => Type::Sum(new.into()),
            TypeForm::Array(rank) => {
                Type::Array(Rc::new(new.into_iter().next().expect("places: an array has elements")), rank)
            }
        };
        self.made.entry(key).or_insert_with(make).clone()
    }
}
