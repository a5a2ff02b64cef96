//! What a value is, as far as its derivative is concerned: whether it carries one, and in which form.
//!
//! Programs have no types. Kinds are observed: the function runs at sample inputs, and whoever runs it says what each expression was.

/// The kind of a variable or expression.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Kind {
    /// Nobody knows; it is taken for a real, and the result is compared with `grad` anyway.
    #[default]
    Unknown,
    /// Ints, booleans, texts, unit, and arrays of such: no derivative.
    Discrete,
    Real,
    /// An array of reals with so many axes.
    Reals(usize),
    Tuple(Vec<Kind>),
    Record(Vec<(String, Kind)>),
    /// Another array, or a value of a declared type.
    Data {
        carries: bool,
    },
    Function,
    /// Different from one use to the other.
    Mixed,
}

impl Kind {
    /// The kind of what was once this and once that.
    pub fn join(&self, other: &Kind) -> Kind {
        match (self, other) {
            (Kind::Unknown, kind) | (kind, Kind::Unknown) => kind.clone(),
            (a, b) if a == b => a.clone(),
            // The 0 of a sum that goes on with reals.
            (Kind::Discrete, Kind::Real) | (Kind::Real, Kind::Discrete) => Kind::Real,
            (Kind::Tuple(a), Kind::Tuple(b)) if a.len() == b.len() => {
                Kind::Tuple(a.iter().zip(b).map(|(a, b)| a.join(b)).collect())
            }
            (Kind::Record(a), Kind::Record(b)) if a.iter().map(|(l, _)| l).eq(b.iter().map(|(l, _)| l)) => {
                Kind::Record(a.iter().zip(b).map(|((l, a), (_, b))| (l.clone(), a.join(b))).collect())
            }
            (Kind::Data { carries: a }, Kind::Data { carries: b }) => Kind::Data { carries: *a || *b },
            _ => Kind::Mixed,
        }
    }

    /// Can it have a sensitivity?
    pub fn carries(&self) -> bool {
        match self {
            Kind::Discrete => false,
            Kind::Tuple(parts) => parts.iter().any(Kind::carries),
            Kind::Record(fields) => fields.iter().any(|(_, kind)| kind.carries()),
            Kind::Data { carries } => *carries,
            Kind::Unknown | Kind::Real | Kind::Reals(_) | Kind::Function | Kind::Mixed => true,
        }
    }

    pub fn is_number(&self) -> bool {
        matches!(self, Kind::Real | Kind::Unknown)
    }

    /// Of how many axes it is an array; 0 if it is none.
    pub fn axes(&self) -> usize {
        if let Kind::Reals(axes) = self { *axes } else { 0 }
    }

    pub fn is_array(&self) -> bool {
        matches!(self, Kind::Reals(_))
    }

    /// The kind of `a + b` and its like.
    pub fn elementwise(&self, other: &Kind) -> Kind {
        match (self, other) {
            (Kind::Reals(n), other) | (other, Kind::Reals(n)) => Kind::Reals(*n.max(&other.axes())),
            (Kind::Discrete, Kind::Discrete) => Kind::Discrete,
            (Kind::Mixed, _) | (_, Kind::Mixed) => Kind::Mixed,
            _ => Kind::Real,
        }
    }

    /// In words, for a comment.
    pub fn words(&self) -> String {
        match self {
            Kind::Unknown | Kind::Mixed => "any value".to_string(),
            Kind::Discrete => "no real".to_string(),
            Kind::Real => "a real".to_string(),
            Kind::Reals(1) => "an array of reals".to_string(),
            Kind::Reals(2) => "a matrix".to_string(),
            Kind::Reals(n) => format!("an array of reals with {n} axes"),
            Kind::Tuple(parts) => format!("({})", parts.iter().map(Kind::words).collect::<Vec<_>>().join(", ")),
            Kind::Record(_) => "a record".to_string(),
            Kind::Data { .. } => "data".to_string(),
            Kind::Function => "a function".to_string(),
        }
    }
}
