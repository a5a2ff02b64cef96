//! An oracle that isn't ours: an interpreter of L1 whose reals have 512 bits, and differences of what it computes.
//!
//! In: functions of a session. Out: their values, and their derivatives of orders 1 to 3 as central differences, good to more
//! digits than a double has. It evaluates primals only. It knows nothing of J and T, of derivative rules and of
//! `crates/numerics`; what it shares with the engines is the path from text to L1. Functions that differentiate (`grad`, `jvp`, …)
//! are differences too, so programs that use them are covered.
//!
//! Not covered: code that calls J-images by hand beyond one level, and internal primitives.

use std::collections::HashMap;

use calculus::GlobalId;
use evert::Session;

mod arrays;
mod border;
mod differences;
mod interpret;
mod intrinsics;
mod matrices;
mod prims;
pub mod real;
mod ties;
mod value;

pub use border::{exported, imported, rounded};
pub use differences::{Direction, dimension, unit_direction};
pub use value::Val;

/// Why there is no value.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// The program ends in an error.
    Program(String),
    /// The interpreter doesn't know this.
    Uncovered(String),
    /// Too many steps.
    Limit,
    /// The point is at a tie: nearby the program decides otherwise.
    Tie,
}

impl Failure {
    pub(crate) fn program(words: &str) -> Failure {
        Failure::Program(words.into())
    }
}

/// What `stop_gradient` was given at the point around which differences are taken.
struct Frozen {
    values: std::rc::Rc<std::cell::RefCell<Vec<Val>>>,
    /// `None`: values are recorded; otherwise the next one to give out.
    next: Option<usize>,
}

impl Frozen {
    fn recording() -> Frozen {
        Frozen { values: Default::default(), next: None }
    }

    fn replayed(&self) -> Frozen {
        Frozen { values: self.values.clone(), next: Some(0) }
    }
}

pub struct Oracle<'a> {
    session: &'a Session,
    globals: HashMap<GlobalId, Val>,
    frozen: Vec<Frozen>,
    steps: u64,
    pub max_steps: u64,
}

impl<'a> Oracle<'a> {
    pub fn new(session: &'a Session) -> Oracle<'a> {
        const MAX_STEPS: u64 = 2_000_000;
        Oracle { session, globals: HashMap::new(), frozen: vec![], steps: 0, max_steps: MAX_STEPS }
    }

    /// The value of a name of the session.
    pub fn named(&mut self, name: &str) -> Result<Val, Failure> {
        let value = self.session.get(name).ok_or_else(|| Failure::program("an unknown name"))?;
        imported(&value)
    }

    fn global(&mut self, id: GlobalId) -> Result<Val, Failure> {
        if let Some(value) = self.globals.get(&id) {
            return Ok(value.clone());
        }
        let info = self.session.globals.get(id);
        let is_library = info.span.file.0 < self.session.machine.first_user_file;
        let value = match intrinsics::by_name(info.name.as_str()).filter(|_| is_library) {
            Some(intrinsic) => Val::intrinsic(intrinsic, vec![]),
            None => {
                let value = self.session.machine.global(id);
                imported(value.ok_or_else(|| Failure::program("a name that isn't defined yet"))?)?
            }
        };
        self.globals.insert(id, value.clone());
        Ok(value)
    }

    /// `stop_gradient`: while differences are taken, the value that it had at their centre.
    fn freeze(&mut self, x: &Val) -> Val {
        let mut value = x.clone();
        let mut recorded = 0;
        for level in self.frozen.iter_mut().rev() {
            match &mut level.next {
                Some(next) => {
                    let known = level.values.borrow().get(*next).cloned();
                    *next += 1;
                    value = known.unwrap_or(value);
                    break;
                }
                None => recorded += 1,
            }
        }
        for level in self.frozen.iter().rev().take(recorded) {
            level.values.borrow_mut().push(value.clone());
        }
        value
    }
}
