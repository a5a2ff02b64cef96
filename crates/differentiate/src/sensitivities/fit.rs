//! Does a sensitivity fit the value it should belong to?

use base::Name;

use super::Top;

/// Who gives a sensitivity: it decides whether a number may stand where its value has no derivative, for which `()` is
/// right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Giver {
    /// A rule: it is written for reals and may be used at ints. The number counts for nothing.
    Rule,
    /// A program, for the result of a function: one that happens to be an int is constant, and the derivative is zero.
    Seed,
    /// A program, for an argument: an int doesn't change, and a number other than 0 is a mistake.
    Tangent,
}

impl Giver {
    /// May any number be given for such a value without a derivative?
    fn may_give_any(self, of: &Top) -> bool {
        match self {
            Giver::Rule => true,
            Giver::Seed => *of == Top::Int,
            Giver::Tangent => false,
        }
    }
}

/// What a comparison comes to at the top.
#[derive(PartialEq, Eq, Debug)]
pub enum Fit {
    Fits,
    /// The sensitivity is full for some value: that is compared by [`alike`].
    ByValue,
    /// It is a number, which must be 0.
    Vanishes,
    /// It fits if its fields do, in this order.
    Fields(Vec<Part>),
    /// It fits if it is an array of the same shape and its elements fit.
    Arrays,
    /// It is a function, and no sensitivity at all.
    Function,
    Differs,
}

/// A field of the sensitivity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Field `of` of the value has the sensitivity that is field `d`.
    Of { of: usize, d: usize },
    /// The value has no such field.
    Unknown(usize),
}

/// Does the sensitivity `d` fit the value `of`?
pub fn fits(of: &Top, d: &Top, giver: Giver) -> Fit {
    match (of, d) {
        (_, Top::Zero) => Fit::Fits,
        // What is itself a raw sensitivity has no shape of its own.
        (Top::Zero | Top::Collected | Top::Frame | Top::Part(..), _) => Fit::Fits,
        (_, Top::Full) => Fit::ByValue,
        (_, Top::Closure(_) | Top::Prim | Top::Sealed) => Fit::Function,
        (Top::Real, Top::Real | Top::Int) => Fit::Fits,
        (Top::Int | Top::Discrete, Top::Real | Top::Int) if giver.may_give_any(of) => Fit::Fits,
        (Top::Int | Top::Discrete, Top::Real | Top::Int) => Fit::Vanishes,
        // The sensitivity of what has no derivative; it stands for the record of a function without captures, too.
        (Top::Int | Top::Discrete | Top::Closure(_) | Top::Prim, Top::Tuple(0)) => Fit::Fits,
        (Top::Tuple(0) | Top::Prim, Top::Record([])) => Fit::Fits,
        (Top::Tuple(m), Top::Tuple(n)) if m == n => fields(*n),
        (Top::Variant(a, _), Top::Variant(b, n)) if a == b => fields(*n),
        (Top::Record(known), Top::Record(given)) => labels(known, given),
        (Top::Closure(known), Top::Record(given)) => labels(known, given),
        // Parts are compared when they unfold.
        (Top::Tuple(_), Top::Part(None, _)) => Fit::Fits,
        (Top::Variant(a, _), Top::Part(Some(b), _)) if a == b => Fit::Fits,
        // So is what goes through a seal.
        (Top::Sealed, Top::Tuple(_) | Top::Record(_) | Top::Variant(..) | Top::Part(..)) => Fit::Fits,
        (Top::Array, Top::Array | Top::Collected) => Fit::Arrays,
        _ => Fit::Differs,
    }
}

/// Do sensitivities of the value `other` fit the value `of`? What is full on either side is known when it unfolds.
pub fn alike(of: &Top, other: &Top, giver: Giver) -> Fit {
    let is_raw = |top: &Top| matches!(top, Top::Zero | Top::Collected | Top::Frame | Top::Part(..) | Top::Full);
    match (of, other) {
        (of, other) if is_raw(of) || is_raw(other) => Fit::Fits,
        (Top::Real, Top::Real) => Fit::Fits,
        (Top::Array, Top::Array) => Fit::Arrays,
        (Top::Sealed, _) | (Top::Closure(_) | Top::Prim | Top::Record(_), Top::Sealed) => Fit::Fits,
        // A sensitivity of a function, as what another sensitivity is full for, is a record of its captures.
        (Top::Closure(known), Top::Closure(given)) => labels(known, given),
        (Top::Closure(known), Top::Record(given)) => labels(known, given),
        (Top::Record(known), Top::Closure(given)) => labels(known, given),
        (Top::Record(known), Top::Record(given)) => labels(known, given),
        (Top::Closure(_) | Top::Prim | Top::Record(_), Top::Prim) => Fit::Fits,
        (Top::Prim, Top::Closure(given)) => labels(&[], given),
        (Top::Prim, Top::Record(given)) => labels(&[], given),
        (Top::Closure(_) | Top::Prim, Top::Tuple(0)) => Fit::Fits,
        (Top::Tuple(m), Top::Tuple(n)) if m == n => fields(*n),
        (Top::Variant(a, _), Top::Variant(b, n)) if a == b => fields(*n),
        // What carries no derivative has the sensitivity (), and so has () itself.
        (Top::Int | Top::Discrete, Top::Real) if giver != Giver::Tangent => Fit::Fits,
        (Top::Int | Top::Discrete | Top::Tuple(0), Top::Int | Top::Discrete | Top::Tuple(0)) => Fit::Fits,
        _ => Fit::Differs,
    }
}

fn fields(count: usize) -> Fit {
    Fit::Fields((0..count).map(|i| Part::Of { of: i, d: i }).collect())
}

/// A missing field is zero; an unknown one is a mistake.
fn labels(known: &[Name], given: &[Name]) -> Fit {
    let part = |(d, label)| match known.iter().position(|known| known == label) {
        Some(of) => Part::Of { of, d },
        None => Part::Unknown(d),
    };
    Fit::Fields(given.iter().enumerate().map(part).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_for_an_int_counts_for_nothing_where_a_rule_gives_it() {
        assert_eq!(fits(&Top::Int, &Top::Real, Giver::Rule), Fit::Fits);
        assert_eq!(fits(&Top::Int, &Top::Real, Giver::Seed), Fit::Fits);
        assert_eq!(fits(&Top::Discrete, &Top::Real, Giver::Seed), Fit::Vanishes);
        assert_eq!(fits(&Top::Int, &Top::Real, Giver::Tangent), Fit::Vanishes);
    }

    #[test]
    fn fields_are_compared_by_their_labels_and_unknown_ones_are_told() {
        let [a, b, c] = ["a", "b", "c"].map(Name::new);
        let fit = fits(&Top::Closure([a, b].into()), &Top::Record(&[b, c]), Giver::Seed);
        assert_eq!(fit, Fit::Fields(vec![Part::Of { of: 1, d: 0 }, Part::Unknown(1)]));
    }

    #[test]
    fn tuples_of_different_lengths_have_different_sensitivities() {
        assert_eq!(fits(&Top::Tuple(2), &Top::Tuple(3), Giver::Rule), Fit::Differs);
        assert_eq!(alike(&Top::Tuple(2), &Top::Tuple(3), Giver::Rule), Fit::Differs);
    }
}
