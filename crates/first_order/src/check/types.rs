//! Types by number: equal types have the same one. Types share their parts, and a part that is shared is looked at once, so that
//! numbering takes time proportional to the parts and not to the type written out.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::violation::Rule;
use crate::term::{NamedId, Type};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct TypeNumber(u32);

/// A type whose parts are numbered.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Flat {
    Bool,
    Int,
    Real,
    Text,
    Handle,
    Struct(Vec<TypeNumber>),
    Sum(Vec<TypeNumber>),
    Array(TypeNumber, u32),
    Named(NamedId),
}

pub(super) struct Types {
    /// How many named types there are.
    named: usize,
    known: RefCell<Known>,
}

#[derive(Default)]
struct Known {
    numbers: FxHashMap<Flat, TypeNumber>,
    /// What is wrong with each type by itself.
    broken: Vec<Option<Rule>>,
    /// The numbers of the types behind pointers, which are kept alive: structs, sums, elements.
    structs: FxHashMap<*const Type, (Rc<[Type]>, TypeNumber)>,
    sums: FxHashMap<*const Type, (Rc<[Type]>, TypeNumber)>,
    elements: FxHashMap<*const Type, (Rc<Type>, TypeNumber)>,
}

impl Types {
    pub fn new(named: usize) -> Types {
        Types { named, known: RefCell::default() }
    }

    pub fn same(&self, a: &Type, b: &Type) -> bool {
        let mut known = self.known.borrow_mut();
        known.number(a, self.named) == known.number(b, self.named)
    }

    /// What is wrong with a type by itself.
    pub fn broken(&self, of: &Type) -> Option<Rule> {
        let mut known = self.known.borrow_mut();
        let number = known.number(of, self.named);
        known.broken[number.0 as usize].clone()
    }
}

impl Known {
    fn number(&mut self, of: &Type, named: usize) -> TypeNumber {
        let flat = match of {
            Type::Bool => Flat::Bool,
            Type::Int => Flat::Int,
            Type::Real => Flat::Real,
            Type::Text => Flat::Text,
            Type::Handle => Flat::Handle,
            Type::Struct(parts) => {
                if let Some((_, number)) = self.structs.get(&parts.as_ptr()) {
                    return *number;
                }
                let flat = Flat::Struct(self.list(parts, named));
                let number = self.flat(flat, of, named);
                // Lists without parts may all be at one place.
                if !parts.is_empty() {
                    self.structs.insert(parts.as_ptr(), (parts.clone(), number));
                }
                return number;
            }
            Type::Sum(parts) => {
                if let Some((_, number)) = self.sums.get(&parts.as_ptr()) {
                    return *number;
                }
                let flat = Flat::Sum(self.list(parts, named));
                let number = self.flat(flat, of, named);
                if !parts.is_empty() {
                    self.sums.insert(parts.as_ptr(), (parts.clone(), number));
                }
                return number;
            }
            Type::Array(element, rank) => Flat::Array(self.element(element, named), *rank),
            Type::Named(id) => Flat::Named(*id),
        };
        self.flat(flat, of, named)
    }

    fn flat(&mut self, flat: Flat, of: &Type, named: usize) -> TypeNumber {
        if let Some(number) = self.numbers.get(&flat) {
            return *number;
        }
        let number = TypeNumber(self.broken.len() as u32);
        self.broken.push(self.what_is_wrong(&flat, of, named));
        self.numbers.insert(flat, number);
        number
    }

    fn list(&mut self, parts: &Rc<[Type]>, named: usize) -> Vec<TypeNumber> {
        parts.iter().map(|part| crate::deep(|| self.number(part, named))).collect()
    }

    fn element(&mut self, element: &Rc<Type>, named: usize) -> TypeNumber {
        if let Some((_, number)) = self.elements.get(&Rc::as_ptr(element)) {
            return *number;
        }
        let number = crate::deep(|| self.number(element, named));
        self.elements.insert(Rc::as_ptr(element), (element.clone(), number));
        number
    }

    fn what_is_wrong(&self, flat: &Flat, of: &Type, named: usize) -> Option<Rule> {
        let wrong_in = |part: &TypeNumber| self.broken[part.0 as usize].clone();
        match (flat, of) {
            (Flat::Struct(parts) | Flat::Sum(parts), _) => parts.iter().find_map(wrong_in),
            (Flat::Array(_, 0), _) => Some(Rule::ArrayWithoutAxes),
            (Flat::Array(..), Type::Array(element, _)) if matches!(**element, Type::Array(..)) => {
                Some(Rule::ArrayOfArrays)
            }
            (Flat::Array(element, _), _) => wrong_in(element),
            (Flat::Named(id), _) if id.0 as usize >= named => Some(Rule::UnknownType(*id)),
            _ => None,
        }
    }
}
