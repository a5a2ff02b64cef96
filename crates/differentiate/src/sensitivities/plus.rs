//! `a ⊕ b`, and which sensitivities may be added at all.

use base::Name;

use super::Top;

/// What `a ⊕ b` is.
#[derive(PartialEq, Eq, Debug)]
pub enum Plus {
    /// Just `a`: `b` says nothing.
    Left,
    /// Just `b`
    Right,
    /// The sum of two numbers, of which one may be an int
    Numbers,
    /// `a` stays full; `b` is added to its raw part.
    IntoLeft,
    /// The same for `b`
    IntoRight,
    /// The sum of the elements
    Arrays,
    /// Both have the same fields.
    Fields,
    /// Fields of both, put together
    Aligned(Sum),
    /// They aren't sensitivities of one value.
    Conflict,
}

/// How data is made of the fields of two operands.
#[derive(PartialEq, Eq, Debug)]
pub struct Sum {
    pub of: Of,
    pub fields: Vec<Addend>,
}

/// What is made.
#[derive(PartialEq, Eq, Debug)]
pub enum Of {
    /// The same as the left operand
    Left,
    /// The same as the right operand
    Right,
    Record(Vec<Name>),
    /// These positions of what both operands are parts of
    Part(Vec<u32>),
}

/// A field of a sum, by its places in the operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addend {
    Left(usize),
    Right(usize),
    Both(usize, usize),
}

/// `a ⊕ b`
pub fn plus(a: &Top, b: &Top) -> Plus {
    match (a, b) {
        (Top::Zero, _) => Plus::Right,
        (_, Top::Zero) => Plus::Left,
        // The sensitivity of what has no derivative is `()`. Derived code may also give it a number, which counts for nothing: an int that
        // became an element of an array of reals gets its share of the array's sensitivity.
        (Top::Tuple(0), _) => Plus::Right,
        (_, Top::Tuple(0)) => Plus::Left,
        (Top::Real, Top::Real | Top::Int) | (Top::Int, Top::Real) => Plus::Numbers,
        (Top::Full, _) => Plus::IntoLeft,
        (_, Top::Full) => Plus::IntoRight,
        (Top::Array | Top::Collected, Top::Array | Top::Collected) => Plus::Arrays,
        (Top::Tuple(m), Top::Tuple(n)) if m == n => Plus::Fields,
        (Top::Variant(a, _), Top::Variant(b, _)) if a == b => Plus::Fields,
        (Top::Record(a), Top::Record(b)) if a == b => Plus::Fields,
        (Top::Record(a), Top::Record(b)) => records(a, b),
        (Top::Tuple(n), Top::Part(None, at)) => whole(Of::Left, *n, at),
        (Top::Part(None, at), Top::Tuple(n)) => whole(Of::Right, *n, at),
        (Top::Variant(a, n), Top::Part(Some(b), at)) if a == b => whole(Of::Left, *n, at),
        (Top::Part(Some(a), at), Top::Variant(b, n)) if a == b => whole(Of::Right, *n, at),
        (Top::Part(a, left), Top::Part(b, right)) if a == b => parts(left, right),
        _ => Plus::Conflict,
    }
}

/// May a program add these? `()` and a number belong to different values, though derived code may add them.
pub fn belong_together(a: &Top, b: &Top) -> bool {
    let says_nothing = |d: &Top| match d {
        Top::Zero | Top::Full | Top::Tuple(0) | Top::Variant(_, 0) => true,
        Top::Record(labels) => labels.is_empty(),
        Top::Part(_, at) => at.is_empty(),
        _ => false,
    };
    (!a.is_unit() || says_nothing(b)) && (!b.is_unit() || says_nothing(a))
}

/// All labels of both: a missing field is zero.
fn records(left: &[Name], right: &[Name]) -> Plus {
    let more = right.iter().filter(|label| !left.contains(label));
    let labels: Vec<Name> = left.iter().chain(more).copied().collect();
    let fields = aligned(&labels, left, right);
    Plus::Aligned(Sum { of: Of::Record(labels), fields })
}

/// All positions of both: a missing one is zero.
fn parts(left: &[u32], right: &[u32]) -> Plus {
    let mut at: Vec<u32> = left.iter().chain(right).copied().collect();
    at.sort_unstable();
    at.dedup();
    let fields = aligned(&at, left, right);
    Plus::Aligned(Sum { of: Of::Part(at), fields })
}

/// All `count` fields on the side of `of`, some on the other.
fn whole(of: Of, count: usize, at: &[u32]) -> Plus {
    if at.iter().any(|at| *at as usize >= count) {
        return Plus::Conflict;
    }
    let place = |i: usize| at.iter().position(|at| *at as usize == i);
    let fields = (0..count).map(|i| match (place(i), &of) {
        (Some(part), Of::Right) => Addend::Both(part, i),
        (Some(part), _) => Addend::Both(i, part),
        (None, Of::Right) => Addend::Right(i),
        (None, _) => Addend::Left(i),
    });
    let fields = fields.collect();
    Plus::Aligned(Sum { of, fields })
}

/// Where each name of a field is on either side; it is on one of them.
fn aligned<T: PartialEq>(all: &[T], left: &[T], right: &[T]) -> Vec<Addend> {
    let find = |side: &[T], wanted: &T| side.iter().position(|known| known == wanted);
    let addend = |wanted| match (find(left, wanted), find(right, wanted)) {
        (Some(a), Some(b)) => Addend::Both(a, b),
        (Some(a), None) => Addend::Left(a),
        (None, Some(b)) => Addend::Right(b),
        (None, None) => unreachable!("plus: a field of neither"),
    };
    all.iter().map(addend).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_joined_by_their_labels() {
        let [a, b, c] = ["a", "b", "c"].map(Name::new);
        let sum = plus(&Top::Record(&[a, b]), &Top::Record(&[b, c]));
        let fields = vec![Addend::Left(0), Addend::Both(1, 0), Addend::Right(1)];
        assert_eq!(sum, Plus::Aligned(Sum { of: Of::Record(vec![a, b, c]), fields }));
    }

    #[test]
    fn a_part_goes_into_its_tuple_from_either_side() {
        let fields = vec![Addend::Left(0), Addend::Both(1, 0)];
        let sum = Plus::Aligned(Sum { of: Of::Left, fields });
        assert_eq!(plus(&Top::Tuple(2), &Top::Part(None, &[1])), sum);
        let fields = vec![Addend::Right(0), Addend::Both(0, 1)];
        let sum = Plus::Aligned(Sum { of: Of::Right, fields });
        assert_eq!(plus(&Top::Part(None, &[1]), &Top::Tuple(2)), sum);
        assert_eq!(plus(&Top::Tuple(1), &Top::Part(None, &[1])), Plus::Conflict);
    }

    #[test]
    fn derived_code_may_add_unit_and_a_number_but_no_program() {
        assert_eq!(plus(&Top::Tuple(0), &Top::Real), Plus::Right);
        assert!(!belong_together(&Top::Tuple(0), &Top::Real));
        assert!(belong_together(&Top::Tuple(0), &Top::Full));
    }
}
