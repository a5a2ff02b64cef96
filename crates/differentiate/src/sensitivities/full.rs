//! Sensitivities in the full shape of the value they belong to: what programs see. They unfold one level when somebody looks.

use std::rc::Rc;

use base::Name;

use super::Top;

/// What a sensitivity in full shape is before anybody looks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unopened {
    /// The raw sensitivity itself
    Given,
    /// The real that an int is
    AsReal,
    Unit,
    /// Value and sensitivity wait together.
    Waits,
}

/// The sensitivity `d` in the full shape of `of`
pub fn full(of: &Top, d: &Top) -> Unopened {
    match (of, d) {
        (Top::Zero, _) | (Top::Real, Top::Real) => Unopened::Given,
        (Top::Real, Top::Int) => Unopened::AsReal,
        (Top::Int | Top::Discrete, _) => Unopened::Unit,
        (_, Top::Full) => Unopened::Given,
        _ => Unopened::Waits,
    }
}

/// One level of it.
#[derive(PartialEq, Eq, Debug)]
pub enum Unfolded {
    /// A real: 0 if nothing is known of it, otherwise the number that was given
    Number,
    Unit,
    /// The value is a raw sensitivity itself, so nobody knows a shape.
    Given,
    /// Data of the same form, each field with its part of the sensitivity
    Fields,
    /// The record over a function's captures with these labels
    Captures(Rc<[Name]>),
    /// An array of the same shape
    Array,
    /// The value is a sensitivity that is collected: the array that it comes to.
    Collected,
    /// The sensitivity of what is under the seal
    UnderSeal,
}

/// What a sensitivity of `of` is at its top. (What is full itself is unfolded before.)
pub fn unfolded(of: &Top) -> Unfolded {
    match of {
        Top::Real => Unfolded::Number,
        Top::Int | Top::Discrete | Top::Tuple(0) => Unfolded::Unit,
        Top::Zero | Top::Part(..) | Top::Full => Unfolded::Given,
        Top::Tuple(_) | Top::Record(_) | Top::Variant(..) => Unfolded::Fields,
        Top::Closure(labels) => Unfolded::Captures(labels.clone()),
        Top::Prim => Unfolded::Captures(Rc::from([])),
        Top::Array => Unfolded::Array,
        Top::Collected | Top::Frame => Unfolded::Collected,
        Top::Sealed => Unfolded::UnderSeal,
    }
}

/// A label of the sensitivity that its value doesn't have: a mistake. (A missing one is zero.)
pub fn unknown_label(known: &[Name], d: &Top) -> Option<Name> {
    let Top::Record(given) = d else { return None };
    given.iter().find(|label| !known.contains(label)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_carries_no_derivative_is_unit_at_once_and_data_wait() {
        assert_eq!(full(&Top::Int, &Top::Real), Unopened::Unit);
        assert_eq!(full(&Top::Real, &Top::Int), Unopened::AsReal);
        assert_eq!(full(&Top::Real, &Top::Zero), Unopened::Waits);
        assert_eq!(full(&Top::Tuple(2), &Top::Zero), Unopened::Waits);
        assert_eq!(full(&Top::Tuple(2), &Top::Full), Unopened::Given);
    }

    #[test]
    fn the_sensitivity_of_a_function_is_the_record_of_its_captures() {
        let labels: Rc<[Name]> = [Name::new("w")].into();
        assert_eq!(unfolded(&Top::Closure(labels.clone())), Unfolded::Captures(labels));
        assert_eq!(unfolded(&Top::Prim), Unfolded::Captures([].into()));
        assert_eq!(unknown_label(&[Name::new("w")], &Top::Record(&[Name::new("v")])), Some(Name::new("v")));
    }
}
