//! A function of a program, and its calls.
//!
//! A call: the arguments' key finds what was made ready for arguments like these. If that is portable code it runs on this thread with
//! the GIL released, and no lock is held. If it stops, or there is none, the session takes over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use eval::value::Holds;
use evert::host::{Argument, Item, Leaf, Portable};
use evert::{Ran, Value, pool};
use native::run::Stop;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rustc_hash::FxHashMap;

use crate::interrupts::{Call, Guest};
use crate::program::{Carried, Program, Shared, lock};
use crate::tree::{Flat, Holds as Contents};
use crate::values::{self, Functions, Reader};
use crate::{allocator, error, exits, foreign, output, results};

/// A function of a program: a text whose value it is, or a value that a session holds.
#[pyclass(subclass, frozen, module = "evert._evert")]
pub struct Function {
    pub shared: Arc<Shared>,
    what: What,
}

enum What {
    Text {
        /// Tells functions of a program apart.
        identity: String,
        /// `None`: it depends on the arguments, and Python's side knows it.
        text: Option<String>,
        entries: Arc<Mutex<Entries>>,
    },
    Value(u64),
}

/// What is ready for arguments of each kind.
#[derive(Default)]
pub struct Entries {
    all: FxHashMap<Box<[u8]>, Arc<Entry>>,
    last: Option<(Box<[u8]>, Arc<Entry>)>,
}

/// How calls at arguments of one key run.
struct Entry {
    text: String,
    way: Way,
}

enum Way {
    /// At leaves.
    Leaves(Box<Portable>),
    /// At values, which code may refuse: then the next is tried.
    Values(Mutex<Vec<Arc<Portable>>>),
    /// In the session.
    Session(String),
}

/// More codes for arguments of one key aren't made.
const MOST_CODES: usize = 16;

impl Entries {
    fn get(&mut self, key: &[u8]) -> Option<Arc<Entry>> {
        if let Some((last, entry)) = &self.last
            && **last == *key
        {
            return Some(entry.clone());
        }
        let entry = self.all.get(key)?.clone();
        self.last = Some((key.into(), entry.clone()));
        Some(entry)
    }

    fn forget(&mut self, key: &[u8]) {
        self.all.remove(key);
        self.last = None;
    }

    fn insert(&mut self, key: &[u8], entry: &Arc<Entry>) {
        self.all.insert(key.into(), entry.clone());
    }

    pub fn clear(&mut self) {
        *self = Entries::default();
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        if let What::Value(id) = self.what {
            self.shared.release(id);
        }
    }
}

#[pymethods]
impl Function {
    /// Functions of one identity are the same. Without a text the method `_expand` gives one for the arguments.
    #[new]
    #[pyo3(signature = (program, identity, text=None))]
    fn new(program: &Program, identity: String, text: Option<String>) -> Function {
        let entries = program.0.entries(&identity);
        Function { shared: program.0.clone(), what: What::Text { identity, text, entries } }
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if kwargs.is_some_and(|kwargs| !kwargs.is_empty()) {
            let args = slf.call_method1("_positional", (args, kwargs))?;
            return call(slf, args.cast::<PyTuple>()?);
        }
        call(slf, args)
    }

    /// How a call at these arguments runs: the engine, why, and what compiling took. The call isn't made.
    #[pyo3(signature = (*args))]
    fn _how<'py>(slf: &Bound<'py, Self>, args: &Bound<'py, PyTuple>) -> PyResult<(String, String)> {
        let flat = Flat::new(args)?;
        let entry = entry(slf, args, &flat)?;
        let compiled = |code: &Portable| {
            let stats = code.stats();
            let from = if stats.cache_hit { "from the cache" } else { "compiled" };
            let milliseconds = stats.compiling.as_secs_f64() * 1e3;
            ("native".to_string(), format!("{} bytes of code, {from} in {milliseconds:.1} ms", stats.object_bytes))
        };
        let in_session = || ("native".to_string(), "in the session: functions cross the border".to_string());
        Ok(match &entry.way {
            Way::Leaves(code) => compiled(code),
            Way::Values(codes) => lock(codes).last().map_or_else(in_session, |code| compiled(code)),
            Way::Session(why) if why.is_empty() => in_session(),
            Way::Session(why) => ("reference".into(), why.clone()),
        })
    }

    #[getter]
    fn _identity(&self) -> Option<&str> {
        match &self.what {
            What::Text { identity, .. } => Some(identity),
            What::Value(_) => None,
        }
    }

    #[getter]
    fn _text(&self) -> Option<&str> {
        match &self.what {
            What::Text { text, .. } => text.as_deref(),
            What::Value(_) => None,
        }
    }

    #[getter]
    fn _core(&self) -> Program {
        Program(self.shared.clone())
    }
}

impl Function {
    pub fn of_value(shared: &Arc<Shared>, id: u64) -> Function {
        Function { shared: shared.clone(), what: What::Value(id) }
    }

    pub fn handle(&self) -> Option<u64> {
        if let What::Value(id) = self.what { Some(id) } else { None }
    }

    /// The text of the function, for these arguments if it depends on them.
    pub fn text_for(&self, slf: &Bound<'_, Self>, args: &Bound<'_, PyTuple>) -> PyResult<String> {
        match &self.what {
            What::Text { text: Some(text), .. } => Ok(text.clone()),
            _ => slf.call_method1("_expand", args.clone())?.extract(),
        }
    }
}

/// A function at arguments of one kind, for callers without Python.
pub struct Ready {
    shared: Arc<Shared>,
    /// Of the program, when this was made.
    version: u64,
    entry: RwLock<Arc<Entry>>,
}

impl Function {
    pub fn ready(slf: &Bound<'_, Function>, args: &Bound<'_, PyTuple>) -> PyResult<Ready> {
        let shared = slf.get().shared.clone();
        let version = shared.version.load(Ordering::Relaxed);
        let entry = RwLock::new(entry(slf, args, &Flat::new(args)?)?);
        Ok(Ready { shared, version, entry })
    }
}

impl Ready {
    /// Calls the function; `each` takes the parts of its result.
    pub fn call(&self, leaves: &[Leaf], each: &mut dyn FnMut(Item) -> Result<(), String>) -> Result<(), String> {
        let _guest = Guest::begin();
        allocator::limit_this_thread();
        let entry = self.entry.read().unwrap_or_else(PoisonError::into_inner).clone();
        let stop = match &entry.way {
            Way::Leaves(code) => {
                let mut runner = pool::take().ok_or("the system has no room for a stack")?;
                let outcome = match code.call(&mut runner, Argument::Leaves(leaves), &mut output::print_line) {
                    Ok(done) => Ok(done.items(&mut *each)),
                    Err(stop) => Err(stop),
                };
                pool::give_back(runner);
                match outcome {
                    Ok(result) => return result,
                    Err(stop) => Some(stop),
                }
            }
            Way::Values(_) | Way::Session(_) => None,
        };
        self.shared.locked(self.version, |home| {
            let mut values: Vec<Value> = leaves.iter().map(values::of_leaf).collect();
            let value = if values.len() == 1 { values.remove(0) } else { Value::tuple(values) };
            let (callable, session) = home.callable_for_xla(&entry.text)?;
            let outcome = match &stop {
                None => callable.run(session, value.clone()),
                Some(stop) => callable.describe(session, value.clone(), stop),
            };
            if outcome.is_ok()
                && stop.as_ref().is_some_and(is_of_shapes)
                && let Ok(code) = callable.portable(session, &value)
                && code.takes_leaves()
            {
                let entry = Arc::new(Entry { text: entry.text.clone(), way: Way::Leaves(Box::new(code)) });
                *self.entry.write().unwrap_or_else(PoisonError::into_inner) = entry;
            }
            let render = |error: Box<base::Diagnostic>| {
                evert::report::render(&session.sources, &error, evert::report::Paint::Plain)
            };
            outcome.map_err(render).and_then(|value| each(Item::Value(&value)))
        })
    }
}

/// Did the code stop because arrays have different shapes? It was made for arrays of one shape, which is the usual case; where shapes are
/// broadcast the session makes other code from then on.
fn is_of_shapes(stop: &Stop) -> bool {
    matches!(stop, Stop::Error { code: base::codes::SHAPE_MISMATCH, .. })
}

fn call<'py>(slf: &Bound<'py, Function>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    let call = Call::begin(slf.py())?;
    loop {
        let outcome = attempt(slf, args);
        if !call.is_to_repeat(slf.py(), &outcome)? {
            return outcome;
        }
    }
}

fn attempt<'py>(slf: &Bound<'py, Function>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    let flat = Flat::new(args)?;
    let entry = entry(slf, args, &flat)?;
    match &entry.way {
        Way::Leaves(code) => {
            let leaves: Vec<Leaf> = flat.leaves.iter().map(|held| held.leaf()).collect();
            match run(slf.py(), code, Argument::Leaves(&leaves))? {
                Ok(object) => Ok(object),
                Err(stop) if is_of_shapes(&stop) => {
                    let object = describe(slf, args, &entry.text, stop)?;
                    if let What::Text { entries, .. } = &slf.get().what {
                        lock(entries).forget(&flat.key);
                    }
                    Ok(object)
                }
                Err(stop) => describe(slf, args, &entry.text, stop),
            }
        }
        Way::Values(codes) => call_with_value(slf, args, &flat, &entry.text, codes),
        Way::Session(_) => in_session(slf, args, &entry.text),
    }
}

/// What runs calls at arguments like these; it is made if nobody has.
fn entry<'py>(slf: &Bound<'py, Function>, args: &Bound<'py, PyTuple>, flat: &Flat<'py>) -> PyResult<Arc<Entry>> {
    let function = slf.get();
    let What::Text { entries, .. } = &function.what else {
        return Err(error::argument(slf.py(), "this function is called through its wrapper"));
    };
    if let Some(entry) = lock(entries).get(&flat.key) {
        return Ok(entry);
    }
    let version = function.shared.version.load(Ordering::Relaxed);
    let text = function.text_for(slf, args)?;
    let way = if flat.holds == Contents::Functions {
        Way::Session(String::new())
    } else if let Err(why) = Reader::new(None).arguments(args) {
        if flat.holds == Contents::Numbers {
            return Err(why);
        }
        // Functions deeper inside, where the key doesn't look: of these arguments alone.
        Way::Values(Mutex::default())
    } else {
        match prepare(slf, args, &text)? {
            Ok(code) if flat.holds == Contents::Numbers && code.takes_leaves() => Way::Leaves(Box::new(code)),
            Ok(code) => Way::Values(Mutex::new(vec![Arc::new(code)])),
            Err(why) => Way::Session(why),
        }
    };
    let entry = Arc::new(Entry { text, way });
    // Another thread may have changed the program meanwhile, and who is interrupted hasn't tried hard.
    if function.shared.version.load(Ordering::Relaxed) == version && !base::interrupt::is_requested() {
        lock(entries).insert(&flat.key, &entry);
    }
    Ok(entry)
}

/// Portable code for these arguments, or why the session runs them.
fn prepare(slf: &Bound<'_, Function>, args: &Bound<'_, PyTuple>, text: &str) -> PyResult<Result<Portable, String>> {
    let value = Reader::new(None).arguments(args)?;
    slf.get().shared.with(slf.py(), |py, home| {
        let (callable, session) = home.callable(py, text)?;
        let ported = crate::program::detached(py, || callable.portable(session, &value));
        Ok(ported.map_err(|why| match why {
            Ran::Compiled | Ran::Brief => String::new(),
            Ran::Dynamic(dynamic) => {
                format!("{}: {}", evert::report::place(&home.session.sources, dynamic.span), dynamic.reason)
            }
            Ran::Failed { code, .. } => format!("the compiler met {code}"),
            Ran::Interpreted(why) | Ran::TooLarge(why) => why.to_string(),
            Ran::Fallback(why) => why,
        }))
    })
}

/// Runs code on this thread, with the GIL released; a result, or why it stopped.
fn run<'py>(py: Python<'py>, code: &Portable, argument: Argument<'_>) -> PyResult<Result<Bound<'py, PyAny>, Stop>> {
    allocator::limit_this_thread();
    let Some(mut runner) = pool::take() else {
        return Err(pyo3::exceptions::PyMemoryError::new_err("the system has no room for a stack"));
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the argument is read on this thread; arrays that are Python's are kept by whoever called us.
        let work = unsafe { Carried::new((&mut *runner, argument)) };
        let done = py.detach(|| {
            let (runner, argument) = work.take();
            let done = code.call(runner, argument, &mut output::print_line);
            exits::before_python();
            // SAFETY: the result is used on this thread.
            unsafe { Carried::new(done) }
        });
        match done.take() {
            Ok(done) => results::object(py, &done).map(Ok),
            Err(stop) => Ok(Err(stop)),
        }
    }));
    match outcome {
        Ok(result) => {
            pool::give_back(runner);
            result
        }
        // The runner is in an unknown state and isn't used again.
        Err(panic) => Err(error::bug(py, &*panic)),
    }
}

/// Tries the codes that there are, then makes another.
fn call_with_value<'py>(
    slf: &Bound<'py, Function>,
    args: &Bound<'py, PyTuple>,
    flat: &Flat<'py>,
    text: &str,
    codes: &Mutex<Vec<Arc<Portable>>>,
) -> PyResult<Bound<'py, PyAny>> {
    if flat.holds == Contents::Functions {
        return in_session(slf, args, text);
    }
    // Functions may be deeper inside, where the key doesn't look.
    let Ok(value) = Reader::new(None).arguments(args) else { return in_session(slf, args, text) };
    let value = evert::argument(value);
    let known = lock(codes).clone();
    for code in &known {
        match run(slf.py(), code, Argument::Value(&value))? {
            Ok(object) => return Ok(object),
            Err(Stop::Mismatch { printed: 0, .. }) => {}
            Err(stop) => return describe(slf, args, text, stop),
        }
    }
    if known.len() >= MOST_CODES {
        return in_session(slf, args, text);
    }
    let Ok(code) = prepare(slf, args, text)? else { return in_session(slf, args, text) };
    let code = Arc::new(code);
    lock(codes).push(code.clone());
    match run(slf.py(), &code, Argument::Value(&value))? {
        Ok(object) => Ok(object),
        Err(stop) => describe(slf, args, text, stop),
    }
}

/// Runs a call in the session.
fn in_session<'py>(slf: &Bound<'py, Function>, args: &Bound<'py, PyTuple>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    session_call(slf, args, text, None)
}

/// Lets the session describe why code has stopped.
fn describe<'py>(
    slf: &Bound<'py, Function>,
    args: &Bound<'py, PyTuple>,
    text: &str,
    stop: Stop,
) -> PyResult<Bound<'py, PyAny>> {
    session_call(slf, args, text, Some(stop))
}

fn session_call<'py>(
    slf: &Bound<'py, Function>,
    args: &Bound<'py, PyTuple>,
    text: &str,
    stop: Option<Stop>,
) -> PyResult<Bound<'py, PyAny>> {
    let object = slf.get().shared.with(slf.py(), |py, home| {
        let value: Value = Reader::new(Some(home)).arguments(args)?;
        let (callable, session) = home.callable(py, text)?;
        let outcome = crate::program::detached(py, || match &stop {
            None => callable.run(session, value),
            Some(stop) => callable.describe(session, value, stop),
        });
        home.end_call(outcome.as_ref().ok());
        match outcome {
            Ok(value) => {
                let object = values::object(py, &value, &mut Some(home as &mut dyn Functions))?;
                if value.holds().has(Holds::FUNCTION) {
                    py.import("evert._functions")?.call_method1("remember", (&object, slf, args))?;
                }
                Ok(object.unbind())
            }
            Err(diagnostic) => Err(match foreign::raised(&diagnostic.message) {
                Some(error) => error,
                None => error::of_call(py, &home.session.sources, *diagnostic),
            }),
        }
    });
    Ok(object?.into_bound(slf.py()))
}
