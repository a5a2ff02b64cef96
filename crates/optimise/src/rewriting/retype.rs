//! Types in which named types are replaced by others.
//!
//! Types share their parts: a part that is shared is looked at once and stays shared, and a type in which nothing is replaced
//! stays as it is. Written out, the types of a function can be much larger than its code.

use std::rc::Rc;

use first_order::{NamedId, Type};
use rustc_hash::FxHashMap;

pub struct Retyping<'a> {
    by: &'a dyn Fn(NamedId) -> Option<Type>,
    lists: Known<[Type]>,
    elements: Known<Type>,
}

/// What becomes of the types behind pointers, which are kept alive; nothing if they stay.
type Known<T> = FxHashMap<*const Type, (Rc<T>, Option<Rc<T>>)>;

impl<'a> Retyping<'a> {
    pub fn new(by: &'a dyn Fn(NamedId) -> Option<Type>) -> Retyping<'a> {
        Retyping { by, lists: FxHashMap::default(), elements: FxHashMap::default() }
    }

    pub fn of(&mut self, of: &Type) -> Type {
        self.changed(of).unwrap_or_else(|| of.clone())
    }

    fn changed(&mut self, of: &Type) -> Option<Type> {
        match of {
            Type::Struct(parts) => self.list(parts).map(Type::Struct),
            Type::Sum(parts) => self.list(parts).map(Type::Sum),
            Type::Array(element, rank) => self.element(element).map(|element| Type::Array(element, *rank)),
            Type::Named(name) => (self.by)(*name),
            Type::Bool | Type::Int | Type::Real | Type::Text | Type::Handle => None,
        }
    }

    fn list(&mut self, parts: &Rc<[Type]>) -> Option<Rc<[Type]>> {
        // Lists without parts may all be at one place.
        if parts.is_empty() {
            return None;
        }
        if let Some((_, known)) = self.lists.get(&parts.as_ptr()) {
            return known.clone();
        }
        let changed: Vec<Option<Type>> = parts.iter().map(|part| crate::deep(|| self.changed(part))).collect();
        let new = changed.iter().any(Option::is_some).then(|| {
            let pairs = changed.into_iter().zip(parts.iter());
            pairs.map(|(changed, part)| changed.unwrap_or_else(|| part.clone())).collect()
        });
        self.lists.insert(parts.as_ptr(), (parts.clone(), new.clone()));
        new
    }

    fn element(&mut self, element: &Rc<Type>) -> Option<Rc<Type>> {
        if let Some((_, known)) = self.elements.get(&Rc::as_ptr(element)) {
            return known.clone();
        }
        let new = crate::deep(|| self.changed(element)).map(Rc::new);
        self.elements.insert(Rc::as_ptr(element), (element.clone(), new.clone()));
        new
    }
}
