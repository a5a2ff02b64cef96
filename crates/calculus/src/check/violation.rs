//! What can be wrong with code, in words for us: a violation is a bug of the stage that made the code.

use std::fmt;

use base::Name;

use crate::RuleKind;

/// One broken invariant: in which function, about which variable, what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// From the outermost function inwards, for instance "`f`, `g`, its reverse rule".
    pub function: String,
    /// As the text form writes it, for instance `x_3`.
    pub variable: Option<String>,
    pub broken: Broken,
}

/// What is broken; `Display` says it in a sentence about the variable. (A label that a rule's capture is expected
/// to have is `None` for a member without a name: it may have any.)
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Broken {
    UsedBeforeBound,
    UsedOutsideBranch,
    BoundTwice,
    /// A body binds the number of the parameter, a capture or a member.
    BindsReserved,
    NotInTable {
        length: usize,
    },
    TableTooShort {
        length: usize,
        least: usize,
    },
    CapturedCount {
        captures: usize,
        captured: usize,
    },
    MemberCount {
        members: usize,
        vars: usize,
    },
    CaptureTwice(Name),
    FieldTwice(Name),
    OrderAboveGroup {
        node: u32,
        group: u32,
    },
    LiftedAboveGroup {
        lifted: u32,
        order: u32,
    },
    ElementOutside {
        index: u32,
        length: u32,
    },
    PayloadOutside {
        constructor: Name,
        index: u32,
        fields: usize,
    },
    ConstructorArity {
        constructor: Name,
        fields: usize,
        given: usize,
    },
    TupleOfOne,
    ArgumentsOfOne,
    RuleTwice(RuleKind),
    RuleMembers(usize),
    RuleCaptures {
        expected: Vec<Option<Name>>,
        found: Vec<Name>,
    },
    /// Top-level code that isn't one function.
    TopLevelMembers(usize),
    TopLevelCaptures(Vec<Name>),
    DefineCount {
        globals: usize,
        values: usize,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in {}: ", self.function)?;
        match &self.variable {
            Some(variable) => write!(f, "{variable} {}", self.broken),
            None => write!(f, "{}", self.broken),
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::UsedBeforeBound => write!(f, "is used before it is bound"),
            Broken::UsedOutsideBranch => write!(f, "is used outside the branch that binds it"),
            Broken::BoundTwice => write!(f, "is bound twice"),
            Broken::BindsReserved => write!(f, "is bound by the body, but is the parameter, a capture or a member"),
            Broken::NotInTable { length } => write!(f, "is not among the {length} variables of the function"),
            Broken::TableTooShort { length, least } => {
                write!(f, "the function has {length} variables, its parameter, captures and members are {least}")
            }
            Broken::CapturedCount { captures, captured } => {
                write!(f, "binds a group with {captures} captures to {captured} captured values")
            }
            Broken::MemberCount { members, vars } => {
                write!(f, "binds a group with {members} members to {vars} variables")
            }
            Broken::CaptureTwice(label) => write!(f, "the label `{label}` names two captures"),
            Broken::FieldTwice(label) => write!(f, "has two fields `{label}`"),
            Broken::OrderAboveGroup { node, group } => {
                write!(f, "has order {node} in code to which J was applied {group} times")
            }
            Broken::LiftedAboveGroup { lifted, order } => {
                write!(f, "is lifted {lifted} times in code to which J was applied {order} times")
            }
            Broken::ElementOutside { index, length } => write!(f, "takes element {index} of {length}"),
            Broken::PayloadOutside { constructor, index, fields } => {
                write!(f, "takes field {index} of `{constructor}`, which has {fields}")
            }
            Broken::ConstructorArity { constructor, fields, given } => {
                write!(f, "makes `{constructor}`, which has {fields} fields, from {given} values")
            }
            Broken::TupleOfOne => write!(f, "demands a tuple of one value"),
            Broken::ArgumentsOfOne => write!(f, "checks for one argument, which needs no tuple"),
            Broken::RuleTwice(kind) => write!(f, "has two rules {kind:?}"),
            Broken::RuleMembers(count) => write!(f, "the code of a rule is one function, not {count}"),
            Broken::RuleCaptures { expected, found } => write!(f, "captures {found:?}, the rule needs {expected:?}"),
            Broken::TopLevelMembers(count) => write!(f, "top-level code is one function, not {count}"),
            Broken::TopLevelCaptures(labels) => write!(f, "top-level code captures {labels:?}"),
            Broken::DefineCount { globals, values } => {
                write!(f, "defines {globals} globals from a tuple of {values}")
            }
        }
    }
}
