//! What a row of the table says about a function.

use std::fmt;

use calculus::Prim;

use super::generated;
use crate::lab;

pub struct Row {
    pub subject: Subject,
    pub shape: Shape,
    /// Functions that use the subject, with points around which they are smooth (unless the case says otherwise).
    pub cases: &'static [Case],
    /// More cases, for other kinds of input.
    pub more: &'static [Case],
    /// Kinds of input that make no sense here, and why.
    pub absent: &'static [(Class, &'static str)],
    /// Expressions and their values: edges, empty arrays, what is discrete.
    pub values: Values,
    /// An int in the domain of an elementwise function.
    pub int: &'static str,
    /// The first step of differences in doubles.
    pub step: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Subject {
    Prim(Prim),
    /// A function of the library.
    Library(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Elementwise in one number
    Unary,
    /// Elementwise in two numbers
    Binary,
    Other,
}

/// Kinds of input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    Real,
    /// The function is given ints, inside a function of a real.
    Int,
    /// Ints and reals together.
    Mixed,
    Empty,
    /// Scalars with arrays, or arrays where a scalar is usual.
    ScalarArray,
    /// Tuples, records, lists, arrays of records.
    Structured,
    /// Ties, zeros, singular and repeated values.
    Degenerate,
}

impl Class {
    pub const ALL: [Class; 7] =
        [Class::Real, Class::Int, Class::Mixed, Class::Empty, Class::ScalarArray, Class::Structured, Class::Degenerate];

    pub fn name(self) -> &'static str {
        match self {
            Class::Real => "real",
            Class::Int => "int",
            Class::Mixed => "mixed",
            Class::Empty => "empty",
            Class::ScalarArray => "scalar-array",
            Class::Structured => "structured",
            Class::Degenerate => "degenerate",
        }
    }
}

/// What a derivative must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// What the oracle finds for the function itself.
    Itself,
    /// What the oracle finds for this function: the documented choice where there are several, or a closed form.
    As(&'static str),
    /// Nobody can say: infinite, NaN or an error, but no number.
    NoNumber,
    /// NaN, infinite, an error, or what the oracle finds for this function.
    AtMost(&'static str),
}

/// A function to a real or an array of reals, as source text, and points.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub class: Class,
    pub f: &'static str,
    pub points: &'static [&'static str],
    pub truth: Truth,
}

/// A case at one of its points.
#[derive(Clone, Debug)]
pub struct Cell {
    pub class: Class,
    pub f: String,
    pub point: String,
    pub truth: Truth,
}

pub type Values = &'static [(&'static str, &'static str)];

const STEP: f64 = 0.05;

impl Row {
    /// An elementwise function of a real.
    pub const fn unary(prim: Prim, cases: &'static [Case], values: Values) -> Row {
        Row::new(Subject::Prim(prim), Shape::Unary, cases, values)
    }

    pub const fn binary(prim: Prim, cases: &'static [Case], values: Values) -> Row {
        Row::new(Subject::Prim(prim), Shape::Binary, cases, values)
    }

    pub const fn other(prim: Prim, cases: &'static [Case], values: Values) -> Row {
        Row::new(Subject::Prim(prim), Shape::Other, cases, values)
    }

    /// A function of the library.
    pub const fn library(name: &'static str, cases: &'static [Case]) -> Row {
        Row::new(Subject::Library(name), Shape::Other, cases, &[])
    }

    /// A function of the library that works elementwise in one real.
    pub const fn elementwise(name: &'static str, cases: &'static [Case]) -> Row {
        Row::new(Subject::Library(name), Shape::Unary, cases, &[])
    }

    const fn new(subject: Subject, shape: Shape, cases: &'static [Case], values: Values) -> Row {
        Row { subject, shape, cases, more: &[], absent: &[], values, int: "2", step: STEP }
    }

    pub const fn with(mut self, more: &'static [Case]) -> Row {
        self.more = more;
        self
    }

    pub const fn without(mut self, absent: &'static [(Class, &'static str)]) -> Row {
        self.absent = absent;
        self
    }

    pub const fn at_int(mut self, int: &'static str) -> Row {
        self.int = int;
        self
    }

    pub fn is_public(&self) -> bool {
        match self.subject {
            Subject::Prim(prim) => prim.is_public(),
            Subject::Library(_) => true,
        }
    }

    pub fn name(&self) -> &'static str {
        match self.subject {
            Subject::Prim(prim) => lab::name_of(prim),
            Subject::Library(name) => name,
        }
    }

    /// All cells of the row: those written down, and those that follow from its shape.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = vec![];
        for case in self.cases.iter().chain(self.more) {
            cells.extend(case.points.iter().map(|point| Cell {
                class: case.class,
                f: case.f.into(),
                point: point.to_string(),
                truth: case.truth,
            }));
        }
        cells.extend(generated::cells(self));
        cells
    }

    /// Functions with derivatives to all orders around these points.
    pub fn smooth(&self) -> impl Iterator<Item = &'static Case> + use<> {
        self.cases.iter().filter(|case| case.truth == Truth::Itself)
    }
}

/// A function with derivatives to all orders around these points.
pub const fn smooth(f: &'static str, points: &'static [&'static str]) -> Case {
    Case { class: Class::Real, f, points, truth: Truth::Itself }
}

macro_rules! classes {
    ($($name:ident $class:ident)*) => {$(
        pub const fn $name(f: &'static str, points: &'static [&'static str]) -> Case {
            Case { class: Class::$class, f, points, truth: Truth::Itself }
        }
    )*};
}

classes! { int Int mixed Mixed empty Empty scalar_array ScalarArray structured Structured degenerate Degenerate }

impl Case {
    /// The derivatives are those of another function.
    pub const fn like(mut self, f: &'static str) -> Case {
        self.truth = Truth::As(f);
        self
    }

    pub const fn no_number(mut self) -> Case {
        self.truth = Truth::NoNumber;
        self
    }

    pub const fn at_most(mut self, f: &'static str) -> Case {
        self.truth = Truth::AtMost(f);
        self
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::Prim(prim) => f.write_str(prim.name()),
            Subject::Library(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
