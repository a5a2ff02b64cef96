//! When two types have the same bits.

use rustc_hash::FxHashSet;

use crate::term::{NamedId, Program, Type};

/// Do the types differ only in which named types they mention, and the contents of those in the same way?
pub(super) fn agree(program: &Program, a: &Type, b: &Type) -> bool {
    let mut assumed: FxHashSet<(NamedId, NamedId)> = FxHashSet::default();
    // Types share their parts: each pair of lists is compared once.
    let mut compared: FxHashSet<(*const Type, *const Type)> = FxHashSet::default();
    let mut waiting = vec![(a, b)];
    while let Some(pair) = waiting.pop() {
        match pair {
            (Type::Named(a), Type::Named(b)) => {
                let content = |id: &NamedId| program.types.get(id.0 as usize).map(|definition| &definition.content);
                if a != b && assumed.insert((*a, *b)) {
                    let (Some(a), Some(b)) = (content(a), content(b)) else { return false };
                    waiting.push((a, b));
                }
            }
            (Type::Struct(a), Type::Struct(b)) | (Type::Sum(a), Type::Sum(b)) if a.len() == b.len() => {
                if a.as_ptr() != b.as_ptr() && compared.insert((a.as_ptr(), b.as_ptr())) {
                    waiting.extend(a.iter().zip(b.iter()));
                }
            }
            (Type::Array(a, rank), Type::Array(b, other)) if rank == other => waiting.push((a, b)),
            (a, b) if a == b => {}
            _ => return false,
        }
    }
    true
}
