//! Compiled code that other programs call: their arrays and numbers in, results straight into their memory, on any thread.
//!
//! A [`Portable`] is compiled code and what the runtime must know of it, free of everything that belongs to a session or a thread. It is
//! called at [`Leaf`]s, the numbers and arrays in the order of the argument's tree, or at a [`Value`]. A call borrows a [`Runner`]; its
//! result is a [`Done`], which is looked at through [`Item`]s and lives in the runner's memory until it is dropped.
//!
//! Counted references can't be shared between threads. So a runner has copies of its own of the tables of the programs that it runs
//! ([`Local`]), and no value that a call makes outlives the call.

mod items;
mod leaves;

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use eval::Value;
use eval::array::{Array, Elements};
use eval::value::Form;
use first_order::{Alternative, CodeId, Codes, Head, Shape, ShapeId, Shapes};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::Compiled;
use crate::run::{Failed, Runner, Stop, Tables};
use crate::runtime::Environment;
use crate::values::Border;

pub use items::Item;
use leaves::Plan;
pub use leaves::{Leaf, Number, View};

/// Compiled code that any thread may run.
pub struct Portable {
    code: Compiled,
    /// Whose tables and values nobody else has; they are copied under the lock, for each runner once.
    original: Mutex<Local>,
    id: u64,
    /// While this is alive the runners' copies are needed.
    alive: Arc<()>,
    takes_leaves: bool,
}

// SAFETY: what is not `Send` are the counted references in `original` and in the tables of `code`. Those of `original` are used by nobody
// else and only under its lock; the tables of `code` are empty.
unsafe impl Send for Portable {}
// SAFETY: as above; the rest of `code` is constant.
unsafe impl Sync for Portable {}

/// A program's tables and constants, with references that nobody else has.
pub struct Local {
    tables: Tables,
    /// The values of the parameters, but for the argument.
    constants: Vec<Option<Value>>,
    /// Where the leaves of the argument go, if it has no other parts.
    plan: Option<Plan>,
}

/// Copies that a runner has, by the number of the program.
#[derive(Default)]
pub struct Locals(FxHashMap<u64, (Weak<()>, Rc<Local>)>);

impl Portable {
    /// `argument` is the parameter that a call gives, if the code needs it; the others have these values. Gives the code back if
    /// functions may cross the border: their code belongs to a session.
    pub fn new(mut code: Compiled, argument: Option<usize>, constants: &[Value]) -> Result<Portable, Box<Compiled>> {
        let mut others = constants.iter().enumerate().filter(|(at, _)| Some(*at) != argument);
        if others.any(|(_, value)| own_value(value).is_none()) || meets_functions(&code.tables) {
            return Err(Box::new(code));
        }
        let own = |(at, value)| if Some(at) == argument { None } else { own_value(value) };
        let constants = constants.iter().enumerate().map(own).collect();
        let local = Local::new(&std::mem::take(&mut code.tables), constants);
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let takes_leaves = argument.is_none() || local.plan.is_some();
        Ok(Portable { code, original: Mutex::new(local), id, alive: Arc::new(()), takes_leaves })
    }

    /// Can it be called at leaves?
    pub fn takes_leaves(&self) -> bool {
        self.takes_leaves
    }

    /// What compiling took.
    pub fn stats(&self) -> &crate::engine::Stats {
        &self.code.stats
    }

    /// Runs the code.
    pub fn call<'r>(
        &self,
        runner: &'r mut Runner,
        argument: Argument,
        output: &mut dyn FnMut(&str),
    ) -> Result<Done<'r>, Stop> {
        let local = runner.locals.get(self);
        runner.watch(crate::runtime::survey::Watched::No);
        runner.check_memory(crate::runtime::ledger::Checked::No);
        let environment = Environment {
            border: local.border(),
            sites: &local.tables.sites,
            texts: &local.tables.texts,
            output: RefCell::new(output),
            printed: Cell::new(0),
            quiet: Cell::new(0),
        };
        let write = |runner: &mut Runner| {
            for (value, &shape) in local.constants.iter().zip(&local.tables.parameters) {
                match (value, &argument) {
                    (Some(value), _) => runner.write(local.border(), shape, value)?,
                    (None, Argument::Value(value)) => runner.write(local.border(), shape, value)?,
                    (None, Argument::Leaves(leaves)) => {
                        let plan = local.plan.as_ref().expect("host: who gives leaves has asked");
                        runner.write_leaves(plan, &local.tables.layouts, leaves)?;
                    }
                }
            }
            Ok(())
        };
        runner.will_run(&self.code.text);
        // SAFETY: the entry was made for these tables, and the code is alive.
        let out = unsafe { runner.start(self.code.entry, &environment, &local.tables, write) };
        let printed = environment.printed.get();
        let out = match out {
            Ok(out) => out,
            Err(failure) => {
                runner.finish();
                if let Some(payload) = runner.take_panic() {
                    resume_unwind(payload);
                }
                return Err(Failed { failure, printed }.into());
            }
        };
        Ok(Done { runner, local, out, printed })
    }
}

/// What code is called at.
pub enum Argument<'a> {
    Leaves(&'a [Leaf<'a>]),
    Value(&'a Value),
}

/// A result, in the memory of the runner that it was computed on.
pub struct Done<'r> {
    runner: &'r mut Runner,
    local: Rc<Local>,
    /// Where the words of the result begin among those of the runner.
    out: usize,
    pub printed: usize,
}

impl Done<'_> {
    /// Calls `each` with the parts of the result: a tuple or record, then its parts one after the other.
    pub fn items<E>(&self, mut each: impl FnMut(Item) -> Result<(), E>) -> Result<(), E> {
        let border = self.local.border();
        // SAFETY: the words are those of the result, which is alive as long as this is.
        unsafe { items::walk(border, self.shape(), &self.runner.words()[self.out..], &mut each) }
    }

    fn shape(&self) -> ShapeId {
        self.local.tables.result.expect("host: the tables are those of a program")
    }
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        let shape = self.shape();
        // SAFETY: the result is ours, and nobody looks at it any more.
        unsafe { self.runner.release_result(&self.local.tables.layouts, shape, self.out) };
        self.runner.finish();
    }
}

impl Locals {
    /// So many copies may be there before those that nobody needs are looked for.
    const MANY: usize = 64;

    fn get(&mut self, program: &Portable) -> Rc<Local> {
        if let Some((_, local)) = self.0.get(&program.id) {
            return local.clone();
        }
        if self.0.len().is_power_of_two() && self.0.len() >= Self::MANY {
            self.0.retain(|_, (alive, _)| alive.strong_count() > 0);
        }
        let original = program.original.lock().unwrap_or_else(PoisonError::into_inner);
        let local = Rc::new(original.copied());
        self.0.insert(program.id, (Arc::downgrade(&program.alive), local.clone()));
        local
    }
}

impl Local {
    fn new(tables: &Tables, constants: Vec<Option<Value>>) -> Local {
        let tables = own_tables(tables);
        let argument = constants.iter().position(Option::is_none);
        let plan = argument.and_then(|at| Plan::new(&tables.shapes, &tables.layouts, tables.parameters[at]));
        Local { tables, constants, plan }
    }

    fn copied(&self) -> Local {
        let own = |value: &Option<Value>| value.as_ref().and_then(own_value);
        Local::new(&self.tables, self.constants.iter().map(own).collect())
    }

    fn border(&self) -> Border<'_> {
        Border { shapes: &self.tables.shapes, layouts: &self.tables.layouts, codes: &NoCodes }
    }
}

/// No function crosses the border of a [`Portable`].
struct NoCodes;

impl Codes for NoCodes {
    fn code(&self, _: CodeId) -> Rc<eval::Code> {
        unreachable!("host: {}", "a function crosses the border of code that any thread runs")
    }
}

/// May the border, or a primitive, see a function?
fn meets_functions(tables: &Tables) -> bool {
    let mut waiting: Vec<ShapeId> = tables.parameters.iter().copied().chain(tables.result).collect();
    waiting.extend(tables.sites.iter().flat_map(|site| site.args.iter().copied().chain([site.result])));
    let mut seen = FxHashSet::default();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        for Alternative { head, parts } in &tables.shapes.get(id).alternatives {
            if matches!(head, Head::Closure { .. } | Head::Sealed { .. } | Head::Prim { .. }) {
                return true;
            }
            waiting.extend(parts);
        }
    }
    false
}

/// The same tables with references of their own.
fn own_tables(tables: &Tables) -> Tables {
    let head = |head: &Head| match head {
        Head::Record(labels) => Head::Record(Rc::from(&labels[..])),
        Head::Variant(constructor) => Head::Variant(Rc::new((**constructor).clone())),
        Head::Part(constructor, at) => {
            Head::Part(constructor.as_ref().map(|one| Rc::new((**one).clone())), Rc::from(&at[..]))
        }
        Head::Sealed { modes } => Head::Sealed { modes: Rc::from(&modes[..]) },
        head => head.clone(),
    };
    let alternative = |one: &Alternative| Alternative { head: head(&one.head), parts: one.parts.clone() };
    let shape = |shape: &Shape| Shape {
        alternatives: shape.alternatives.iter().map(alternative).collect(),
        named: shape.named,
    };
    Tables {
        shapes: Shapes::from(tables.shapes.0.iter().map(shape).collect::<Vec<_>>()),
        layouts: tables.layouts.clone(),
        sites: tables.sites.clone(),
        texts: tables.texts.iter().map(|text| Rc::from(&**text)).collect(),
        parameters: tables.parameters.clone(),
        result: tables.result,
    }
}

/// The same data with references of its own; `None` if there is anything else in it.
fn own_value(value: &Value) -> Option<Value> {
    stacker::maybe_grow(64 << 10, 4 << 20, || {
        Some(match value {
            Value::Bool(_) | Value::Int(_) | Value::Real(_) => value.clone(),
            Value::Text(text) => Value::text(text.as_str()),
            Value::Array(array) => {
                let elements = match &array.elements {
                    Elements::Values(values) => {
                        Elements::Values(values.iter().map(own_value).collect::<Option<Vec<_>>>()?.into())
                    }
                    elements => elements.clone(),
                };
                Value::array(Array::new(array.shape.clone(), elements).with_holes(array.holes))
            }
            Value::Data(data) => {
                let form = match &data.form {
                    Form::Tuple => Form::Tuple,
                    Form::Record(labels) => Form::Record(Rc::from(&labels[..])),
                    Form::Variant(constructor) => Form::Variant(Rc::new((**constructor).clone())),
                    Form::Part(..) => return None,
                };
                Value::data(form, data.fields.iter().map(own_value).collect::<Option<Vec<_>>>()?)
            }
            Value::Function(_) | Value::Zero | Value::Sparse(_) | Value::Lazy(_) => return None,
        })
    })
}
