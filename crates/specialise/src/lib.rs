//! Specialisation: from L1 to L3.
//!
//! In: the code of a step and the values of the globals it mentions. Out: an L3 program in which every function is an
//! *instance*: one L1 function at one shape of its argument and captures. Derived code (J-images, backpropagators) is
//! L1 code like any other, so derivatives are specialised together with everything else.
//!
//! An instance is analysed by running its body on shapes; code is written along the way. A result that grows
//! sends its users back to the list of work, until nothing changes. What can't be settled ends the attempt with a
//! [`Dynamic`]: the step is then left to the reference evaluator.

mod arrays;
mod body;
mod calls;
mod codes;
mod coerce;
mod draft;
mod full;
pub mod graph;
mod instances;
mod lifting;
mod limits;
mod numbers;
mod parts;
mod plus;
mod prims;
mod program;
mod reason;
mod seals;
mod sensitivities;
mod structure;
mod table;
mod tangents;
mod tops;
mod values;

use std::rc::Rc;

use base::Span;
use calculus::{GlobalId, Group, Prim};
use eval::Value;
use first_order::{Program, ShapeId};

pub use codes::Codes;
use instances::{Folding, Specialiser};
pub use reason::{Dynamic, Growth, Reason, Uncomputed};

/// What a program refers to by name.
pub trait World {
    fn global(&self, id: GlobalId) -> Option<Value>;
    /// The in-language reverse of a primitive.
    fn derivative(&self, prim: Prim) -> Option<Value>;
    /// How a primitive carries tangents, in the language.
    fn forward_rule(&self, prim: Prim) -> Option<Value>;
    /// May the number that a global is be written into the code?
    fn is_constant(&self, _: GlobalId) -> bool {
        true
    }
    /// Code of files below this number belongs to whoever calls it ([`Span::OF_CALLER`]).
    fn first_own_file(&self) -> u32 {
        0
    }
    /// Shall places say which part of the computation code is ([`Span::part`])?
    fn marks_parts(&self) -> bool {
        false
    }
    /// May arrays of one rank differ in their lengths where elementwise operations combine them? If not, the code that is made fails
    /// there (E0310), and is faster.
    fn lengths_may_differ(&self) -> bool {
        false
    }
}

/// A specialised step.
pub struct Specialised {
    pub program: Program,
    /// The globals whose values are the program's arguments, in order.
    pub globals: Vec<GlobalId>,
    pub codes: Rc<Codes>,
    /// How many instances there are, for those who count.
    pub instances: usize,
}

/// Specialises a function of `()` without captures, such as the code of a step.
pub fn specialise(world: &dyn World, codes: Rc<Codes>, step: &Rc<Group>, span: Span) -> Result<Specialised, Dynamic> {
    base::budget::begin(base::budget::Stage::Specialisation);
    settled(world, codes, step, span, Specialiser::program)
}

/// The instances that specialisation settles on, as a table for people.
pub fn instances(world: &dyn World, codes: Rc<Codes>, step: &Rc<Group>, span: Span) -> Result<String, Dynamic> {
    settled(world, codes, step, span, Specialiser::table)
}

/// Settles a step, and makes something of it. If folding soon doesn't converge, specialisation restarts with late folding.
fn settled<'a, T>(
    world: &'a dyn World,
    codes: Rc<Codes>,
    step: &Rc<Group>,
    span: Span,
    finish: fn(Specialiser<'a>, usize) -> T,
) -> Result<T, Dynamic> {
    let attempt = |folding| {
        base::budget::deep(|| {
            let (specialiser, entry) = Specialiser::new(world, codes.clone(), folding).step(step, span)?;
            Ok(finish(specialiser, entry))
        })
    };
    attempt(Folding::Soon).or_else(|dynamic: Dynamic| match dynamic.reason.depends_on_folding() {
        true => attempt(Folding::Late).map_err(|_| dynamic),
        false => Err(dynamic),
    })
}

/// Why the code that is being written doesn't go on.
enum Stop {
    /// Whatever follows isn't reached.
    Never,
    Dynamic(Dynamic),
}

type Result1<T> = Result<T, Stop>;

/// A value while code is written: what holds it, and its shape.
#[derive(Clone, Debug, PartialEq)]
struct Val {
    atom: first_order::Atom,
    shape: ShapeId,
}
