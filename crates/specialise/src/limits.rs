//! How far specialisation goes: its limits, what each counts, and what happens there.
//!
//! Three things make it end. Joins only widen shapes; folding makes what nests recursive, so that a shape can't widen for ever
//! ([`crate::graph::Fold`]); and where both take too long, the limits here, which are counts and so the same on every machine. The first
//! five end the attempt with a [`crate::Reason`]. The others only choose: they widen or stop writing in place. Independent of all that,
//! a step has a budget of work and memory (`base::budget`).

/// Statements that are written for a step in all, those that are written anew included: [`crate::Reason::TooLarge`]
pub const WRITTEN: usize = 1_200_000;
/// Shapes of a step: [`crate::Reason::TooLarge`]
pub const SHAPES: usize = 45_000;
/// Nodes that are looked at to make shapes, some seconds of work: [`crate::Growth::Shapes`]
pub const WORK: usize = 400_000;
/// Instances of a step, conversions aside (of those there are at most as many as statements): [`crate::Growth::Instances`]
pub const INSTANCES: usize = 4_000;
/// How often one instance is analysed: [`crate::Growth::Result`]. A result grows at most once in each analysis.
pub const ANALYSES: u32 = 600;

/// How often J may be applied to one function: [`crate::Reason::Order`]. A tower of Js that grows in a recursion has no end.
pub const ORDER: u32 = 8;

/// Instances of one function that are nested before their parameters are joined
pub const NESTED: usize = 8;
/// Kinds of sensitivities that a large backpropagator is run on before they are joined
pub const SENSITIVITIES: usize = 2;
/// Nodes of a shape from which on code about its parts is a function of its own, written once
pub const LARGE_SHAPE: usize = 14;

/// How often a result may nest deeper before it is folded,
pub const NESTINGS_UNFOLDED: u32 = 2;
/// and before functions are folded whatever is in them
pub const NESTINGS_BY_FUNCTIONS: u32 = 4;

/// Bindings of a body that is written in place of a call,
pub const INLINED: usize = 24;
/// and how deep such bodies nest
pub const INLINED_DEPTH: usize = 12;

/// How deep a sensitivity given by a program is compared with its value at the call; deeper parts are compared when they unfold.
pub const COMPARED_DEPTH: usize = 4;
/// How deep the units of discrete parts are replaced by the symbolic zero
pub const BARED_DEPTH: usize = 6;
