//! A program and the session that runs it.
//!
//! A program is texts: a file or a string, what was added to it since, and the files that these import. Its session is made from them when
//! it is needed. Sessions belong to no thread: whoever needs one takes the lock (with the GIL released, and takes the GIL again afterwards),
//! and no counted reference of a session is ever used without it. Code that is compiled doesn't need it.
//!
//! Two things make another session from the same texts: a Python function that a program calls may call the program again, on the thread
//! that has the lock or on another that it waits for; and a process that was forked while another thread had the lock.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use base::Name;
use calculus::{GlobalId, Root, StepKind};
use elaborate::{Binding, Scope};
use eval::value::Holds;
use evert::report::{self, Paint};
use evert::{Callable, Folders, Session, Value, World, survey};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use rustc_hash::FxHashMap;

use crate::foreign::Lent;
use crate::function::{Entries, Function};
use crate::interrupts::Call;
use crate::values::{self, Functions, Reader};
use crate::{allocator, engine, error, exits, forks, output};

/// A program, as Python holds it.
#[pyclass(frozen, weakref, module = "evert._evert")]
pub struct Program(pub Arc<Shared>);

pub struct Shared {
    source: Mutex<Source>,
    files: Arc<Files>,
    /// Never freed: a thread that doesn't exist any more may hold the lock.
    home: AtomicPtr<Mutex<Option<Home>>>,
    forks: AtomicU64,
    /// The thread that has the lock.
    owner: AtomicU64,
    /// How many threads have called Python from within the session: who waits for the lock may be who they wait for.
    abroad: Arc<AtomicU64>,
    /// Sessions for calls from within a session.
    nested: Mutex<Vec<Home>>,
    /// Changes with every text that is added.
    pub version: AtomicU64,
    /// What is known of the functions, by their names.
    pub functions: Mutex<FxHashMap<String, Arc<Mutex<Entries>>>>,
    /// Values that nobody needs any more.
    released: Mutex<Vec<u64>>,
    reference: bool,
}

/// The texts, in the order in which they were given.
#[derive(Clone, Default)]
struct Source {
    inputs: Vec<Input>,
}

#[derive(Clone)]
struct Input {
    name: String,
    text: String,
    all: bool,
}

/// A session and what belongs to it.
pub struct Home {
    pub session: Session,
    /// So many inputs have been run.
    applied: usize,
    callables: FxHashMap<String, Callable>,
    /// Functions that Python holds.
    values: FxHashMap<u64, Value>,
    shared: std::sync::Weak<Shared>,
    expressions: usize,
    /// Functions of Python's that the call under way may use.
    lent: Lent,
    /// Functions that are arguments, and functions that make them, by their texts.
    makers: FxHashMap<String, Value>,
}

// SAFETY: a session has references to itself alone (its values, its code), so that it may move between threads; whoever has a `Home` has
// the only one. Values that Python's side makes for a call are handed over or dropped before the lock is.
unsafe impl Send for Home {}

/// The files that a program imports: read once, and kept, so that the program can travel without them.
pub struct Files {
    known: Mutex<BTreeMap<String, Vec<u8>>>,
    /// Are there no others?
    sealed: bool,
    /// Where imports may lie.
    folders: Folders,
    /// While texts run a second time nothing is printed.
    quiet: AtomicU64,
}

struct Outside(Arc<Files>);

impl World for Outside {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let mut known = lock(&self.0.known);
        if let Some(bytes) = known.get(path) {
            return Ok(bytes.clone());
        }
        if self.0.sealed {
            return Err("it isn't among the files that the program came with".into());
        }
        let file = self.0.folders.find(path)?;
        if !file.is_file() {
            return Err("it isn't a regular file".into());
        }
        let bytes = std::fs::read(file).map_err(|error| evert::reason(&error))?;
        known.insert(path.to_string(), bytes.clone());
        Ok(bytes)
    }

    fn print(&self, line: &str) {
        if self.0.quiet.load(Ordering::Relaxed) == 0 {
            output::print_line(line);
        }
    }
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Something that goes along while the GIL is released, and isn't touched meanwhile.
pub struct Carried<T>(T);

// SAFETY: whoever makes one uses what is inside only on the thread it came from, attached to Python if it is Python's.
unsafe impl<T> Send for Carried<T> {}

impl<T> Carried<T> {
    /// # Safety
    /// What is inside is used on this thread only, and where it is Python's only while the thread is attached.
    pub unsafe fn new(inside: T) -> Carried<T> {
        Carried(inside)
    }

    pub fn take(self) -> T {
        self.0
    }
}

thread_local! {
    /// For each session that this thread has: how many threads have called Python from it.
    static OWNED: RefCell<Vec<Arc<AtomicU64>>> = const { RefCell::new(vec![]) };
}

/// While this is alive Python runs on this thread, on behalf of a program whose session the thread has.
pub struct Abroad(Vec<Arc<AtomicU64>>);

impl Abroad {
    pub fn enter() -> Abroad {
        let owned = OWNED.with_borrow(Clone::clone);
        owned.iter().for_each(|abroad| {
            abroad.fetch_add(1, Ordering::AcqRel);
        });
        Abroad(owned)
    }
}

impl Drop for Abroad {
    fn drop(&mut self) {
        for abroad in &self.0 {
            // A fork begins to count anew.
            let _ = abroad.fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| count.checked_sub(1));
        }
    }
}

/// Tells threads apart.
fn this_thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed));
    NUMBER.with(|number| *number)
}

impl Shared {
    fn new(inputs: Vec<Input>, files: BTreeMap<String, Vec<u8>>, sealed: bool, reference: bool) -> Arc<Shared> {
        // The last text is the program, those before are what it is given.
        let folders = Folders::around(inputs.last().map(|input| input.name.as_str()));
        Arc::new(Shared {
            source: Mutex::new(Source { inputs }),
            files: Arc::new(Files { known: Mutex::new(files), sealed, folders, quiet: AtomicU64::new(0) }),
            home: AtomicPtr::new(Box::into_raw(Box::default())),
            forks: AtomicU64::new(forks::count()),
            owner: AtomicU64::new(0),
            abroad: Arc::default(),
            nested: Mutex::default(),
            version: AtomicU64::new(0),
            functions: Mutex::default(),
            released: Mutex::default(),
            reference,
        })
    }

    /// What is known of a function.
    pub fn entries(&self, identity: &str) -> Arc<Mutex<Entries>> {
        lock(&self.functions).entry(identity.to_string()).or_default().clone()
    }

    pub fn release(&self, value: u64) {
        lock(&self.released).push(value);
    }

    fn home(&self) -> &Mutex<Option<Home>> {
        let now = forks::count();
        // SAFETY: it is never freed while the program is.
        let home = unsafe { &*self.home.load(Ordering::Acquire) };
        if self.forks.swap(now, Ordering::AcqRel) == now {
            return home;
        }
        if let Err(TryLockError::WouldBlock) = home.try_lock() {
            // In the process that this one was forked from another thread had the lock, and takes it with it.
            self.home.store(Box::into_raw(Box::default()), Ordering::Release);
            self.owner.store(0, Ordering::Release);
            self.abroad.store(0, Ordering::Release);
            return self.home();
        }
        home
    }

    /// The session, when it is this thread's turn; none if that may never come, because whoever has it waits for us.
    fn turn(&self) -> Option<MutexGuard<'_, Option<Home>>> {
        const SOON: u32 = 64;
        let home = self.home();
        let mut tries = 0;
        loop {
            match home.try_lock() {
                Ok(home) => return Some(home),
                Err(TryLockError::Poisoned(home)) => return Some(home.into_inner()),
                Err(TryLockError::WouldBlock) if self.abroad.load(Ordering::Acquire) > 0 => return None,
                Err(TryLockError::WouldBlock) if tries < SOON => std::thread::yield_now(),
                Err(TryLockError::WouldBlock) => {
                    if base::interrupt::is_requested() {
                        return None;
                    }
                    std::thread::sleep(Duration::from_micros(300));
                }
            }
            tries += 1;
        }
    }

    /// Calls `body` with the session, or with another of the program if nobody knows when that is free.
    fn in_turn<R>(self: &Arc<Shared>, body: impl FnOnce(&mut Option<Home>) -> R) -> R {
        let me = this_thread();
        let turn = if self.owner.load(Ordering::Acquire) == me { None } else { self.turn() };
        match turn {
            Some(mut home) => {
                self.owner.store(me, Ordering::Release);
                OWNED.with_borrow_mut(|owned| owned.push(self.abroad.clone()));
                let result = body(&mut home);
                OWNED.with_borrow_mut(|owned| owned.pop());
                self.owner.store(0, Ordering::Release);
                result
            }
            None => {
                let mut home = lock(&self.nested).pop();
                let result = body(&mut home);
                lock(&self.nested).extend(home);
                result
            }
        }
    }

    /// Calls `body` with the session, on a thread that isn't Python's or isn't attached. The texts have been run before, by Python. Fails if the
    /// program isn't of this version any more.
    pub fn locked<R>(
        self: &Arc<Shared>,
        version: u64,
        body: impl FnOnce(&mut Home) -> Result<R, String>,
    ) -> Result<R, String> {
        let _standard = evert::control::Standard::enter();
        self.in_turn(|home| {
            if self.version.load(Ordering::Relaxed) != version {
                return Err("the program has changed since the function was traced".into());
            }
            let home = home.get_or_insert_with(|| Home::new(self));
            home.follow(self);
            body(home)
        })
    }

    /// Calls `body` with the session. The GIL is released while we wait for it.
    pub fn with<R>(
        self: &Arc<Shared>,
        py: Python<'_>,
        body: impl FnOnce(Python<'_>, &mut Home) -> PyResult<R>,
    ) -> PyResult<R> {
        allocator::limit_this_thread();
        let _standard = evert::control::Standard::enter();
        let call = Call::begin(py)?;
        // SAFETY: `body` runs on this thread, attached; its result is used here.
        let body = unsafe { Carried::new(body) };
        let result: Carried<PyResult<R>> = py.detach(|| {
            let body = body.take();
            let result = self.in_turn(|home| self.attached(home, body));
            exits::before_python();
            // SAFETY: as above.
            unsafe { Carried::new(result) }
        });
        let result = result.take();
        call.is_to_repeat(py, &result)?;
        result
    }

    fn attached<R>(
        self: &Arc<Shared>,
        home: &mut Option<Home>,
        body: impl FnOnce(Python<'_>, &mut Home) -> PyResult<R>,
    ) -> PyResult<R> {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            exits::before_python();
            Python::attach(|py| {
                let home = home.get_or_insert_with(|| Home::new(self));
                for value in lock(&self.released).drain(..) {
                    home.values.remove(&value);
                }
                home.catch_up(py, self)?;
                let result = body(py, home);
                home.session.engines.rest();
                result
            })
        }));
        outcome.unwrap_or_else(|panic| {
            // Nobody knows what state it is in.
            *home = None;
            Python::attach(|py| Err(error::bug(py, &*panic)))
        })
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let home = *self.home.get_mut();
        // SAFETY: it was made from a box, and nobody uses it: whoever has the lock has a reference to us.
        drop(unsafe { Box::from_raw(home) });
    }
}

impl Home {
    fn new(shared: &Arc<Shared>) -> Home {
        let mut session = Session::new(Rc::new(Outside(shared.files.clone())));
        if !shared.reference {
            session.engines.engine = evert::Engine::Native;
            match engine::llvm() {
                Ok(llvm) => session.engines.use_llvm(llvm.clone(), engine::cache()),
                Err(why) => session.engines.without_llvm(why.clone()),
            }
        }
        session.engines.describing_steps = Some(DESCRIBING_STEPS);
        Home {
            session,
            applied: 0,
            callables: FxHashMap::default(),
            values: FxHashMap::default(),
            shared: Arc::downgrade(shared),
            expressions: 0,
            lent: Lent::default(),
            makers: FxHashMap::default(),
        }
    }

    /// Runs the texts that other sessions of the program have run.
    fn catch_up(&mut self, py: Python<'_>, shared: &Arc<Shared>) -> PyResult<()> {
        let inputs = lock(&shared.source).inputs[self.applied..].to_vec();
        if inputs.is_empty() {
            return Ok(());
        }
        self.applied += inputs.len();
        // The first session of a program runs its texts for the first time; whoever comes later has heard what they print.
        let first = shared.version.load(Ordering::Relaxed) == 0;
        shared.files.quiet.fetch_add(u64::from(!first), Ordering::Relaxed);
        let outcome = inputs.iter().try_for_each(|input| match self.run(py, input) {
            // What went wrong then goes wrong again.
            Err(_) if !first => Ok(()),
            result => result.map(|_| ()),
        });
        shared.files.quiet.fetch_sub(u64::from(!first), Ordering::Relaxed);
        outcome
    }

    /// The same for texts that have been run before: what they say then is known.
    fn follow(&mut self, shared: &Arc<Shared>) {
        let inputs = lock(&shared.source).inputs[self.applied..].to_vec();
        self.applied += inputs.len();
        shared.files.quiet.fetch_add(1, Ordering::Relaxed);
        for input in &inputs {
            // What went wrong then goes wrong again.
            let _ = self.load(input);
        }
        shared.files.quiet.fetch_sub(1, Ordering::Relaxed);
    }

    /// Runs a text: its definitions, or all of it. The value of the last expression.
    fn run(&mut self, py: Python<'_>, input: &Input) -> PyResult<Value> {
        let outcome = detached(py, || self.load(input));
        outcome.map_err(|failure| error::failure(py, &self.session.sources, &failure))
    }

    fn load(&mut self, input: &Input) -> Result<Value, evert::Failure> {
        self.callables.clear();
        self.makers.clear();
        let (_, module) = self.session.load(&input.name, &input.text)?;
        let mut last = Value::unit();
        for step in &module.steps {
            let is_definition = matches!(step.kind, StepKind::Define(_));
            if is_definition || input.all {
                let value = self.session.run_step(step).map_err(|error| vec![*error])?;
                last = if is_definition { Value::unit() } else { value };
            }
        }
        Ok(last)
    }

    /// The function that a text is.
    pub fn callable(&mut self, py: Python<'_>, text: &str) -> PyResult<(&mut Callable, &mut Session)> {
        if !self.callables.contains_key(text) {
            let callable = match self.session.callable(text) {
                Some(callable) => callable,
                None => {
                    let value = self.evaluate(py, text)?;
                    let found = eval::show::described(&value);
                    self.session
                        .callable_of(text, value)
                        .ok_or_else(|| error::argument(py, format!("`{text}` is no function: it is {found}")))?
                }
            };
            self.callables.insert(text.to_string(), callable);
        }
        let callable = self.callables.get_mut(text).expect("it is there");
        Ok((callable, &mut self.session))
    }

    /// The function that a text is, without Python; what is wrong is described in words.
    pub fn callable_for_xla(&mut self, text: &str) -> Result<(&mut Callable, &mut Session), String> {
        if !self.callables.contains_key(text) {
            let callable = match self.session.callable(text) {
                Some(callable) => Some(callable),
                None => {
                    let value = self.value(text);
                    let value = value.map_err(|failure| report::all(&self.session.sources, &failure, Paint::Plain))?;
                    self.session.callable_of(text, value)
                }
            };
            self.callables.insert(text.to_string(), callable.ok_or_else(|| format!("`{text}` is no function"))?);
        }
        let callable = self.callables.get_mut(text).expect("it is there");
        Ok((callable, &mut self.session))
    }

    /// The value of an expression.
    pub fn evaluate(&mut self, py: Python<'_>, text: &str) -> PyResult<Value> {
        let outcome = detached(py, || self.value(text));
        outcome.map_err(|failure| error::failure(py, &self.session.sources, &failure))
    }

    fn value(&mut self, text: &str) -> Result<Value, evert::Failure> {
        self.expressions += 1;
        let mut last = Value::unit();
        self.session.run(&format!("<expression {}>", self.expressions), text, |outcome| last = outcome.value)?;
        Ok(last)
    }

    /// A call is over: what it was lent goes back, unless its result may still call it.
    pub fn end_call(&mut self, result: Option<&Value>) {
        let lent = std::mem::take(&mut self.lent);
        if result.is_some_and(|value| value.holds().has(Holds::FUNCTION)) {
            lent.keep();
        }
    }

    /// A function of the library that programs don't see.
    fn internal(&self, name: &str) -> Value {
        let name = Name::new(name);
        // The library's come first.
        let id =
            (0..self.session.globals.len() as u32).map(GlobalId).find(|id| self.session.globals.get(*id).name == name);
        id.and_then(|id| self.session.machine.global(id)).cloned().expect("program: the library defines it")
    }

    fn binding(&self, path: &str) -> Option<Binding> {
        let mut names = path.split('.');
        let mut binding = self.session.scope.get(Name::new(names.next()?))?.clone();
        for name in names {
            let (Binding::Module(scope) | Binding::Data { fields: scope, .. }) = &binding else { return None };
            binding = scope.get(Name::new(name))?.clone();
        }
        Some(binding)
    }
}

/// How far the reference evaluator goes to describe an error: about two seconds.
const DESCRIBING_STEPS: u64 = 20_000_000;

/// Does something that needs no Python, with the GIL released.
pub fn detached<T>(py: Python<'_>, body: impl FnOnce() -> T) -> T {
    // SAFETY: the body runs on this thread and has nothing of Python's.
    let body = unsafe { Carried::new(body) };
    let result = py.detach(|| {
        let result = body.take()();
        exits::before_python();
        // SAFETY: the result comes back to this thread.
        unsafe { Carried::new(result) }
    });
    result.take()
}

impl Functions for Home {
    fn value(&mut self, function: &Bound<'_, Function>) -> PyResult<Value> {
        let py = function.py();
        let inside = function.get();
        if !std::sync::Weak::ptr_eq(&self.shared, &Arc::downgrade(&inside.shared)) {
            let what = "this function belongs to another program: define it in this one, or import it";
            return Err(error::argument(py, what));
        }
        match inside.handle() {
            Some(id) => self.values.get(&id).cloned().ok_or_else(|| {
                error::argument(py, "this function was made by a session that is gone, as after a fork: make it again")
            }),
            None => {
                let (text, captures): (String, Bound<'_, PyTuple>) = function.call_method0("_as_value")?.extract()?;
                let value = match self.makers.get(&text) {
                    Some(value) => value.clone(),
                    None => {
                        let value = self.evaluate(py, &text)?;
                        self.makers.insert(text, value.clone());
                        value
                    }
                };
                if captures.is_empty() {
                    return Ok(value);
                }
                let captured = Reader::new(Some(self)).arguments(&captures)?;
                let made = self.session.call(&value, captured);
                made.map_err(|diagnostic| error::failure(py, &self.session.sources, &[*diagnostic]))
            }
        }
    }

    fn foreign(&mut self, callable: &Bound<'_, values::Callable>) -> PyResult<Value> {
        let py = callable.py();
        let (function, vjp, jvp) = callable.get().parts(py);
        let name = match (&vjp, &jvp) {
            (None, None) => "host_function",
            (Some(_), None) => "host_function_with_vjp",
            (None, Some(_)) => "host_function_with_jvp",
            (Some(_), Some(_)) => "host_function_with_both",
        };
        let mut numbers: Vec<Value> =
            [Some(function), vjp, jvp].into_iter().flatten().map(|one| Value::Int(self.lent.lend(one))).collect();
        let maker = match self.makers.get(name) {
            Some(maker) => maker.clone(),
            None => {
                let maker = self.internal(name);
                self.makers.insert(name.into(), maker.clone());
                maker
            }
        };
        let argument = if numbers.len() == 1 { numbers.remove(0) } else { Value::tuple(numbers) };
        let made = self.session.call(&maker, argument);
        made.map_err(|diagnostic| error::failure(py, &self.session.sources, &[*diagnostic]))
    }

    fn object<'py>(&mut self, py: Python<'py>, function: &Value) -> PyResult<Bound<'py, PyAny>> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        self.values.insert(id, function.clone());
        let Some(shared) = self.shared.upgrade() else {
            unreachable!("program: whoever has the session has the program")
        };
        let name = eval::show::function_name(function);
        let function = Function::of_value(&shared, id);
        py.import("evert._functions")?.call_method1("closure", (Program(shared), function, name))
    }
}

impl Program {
    /// Adds a text and runs it. It stays also if it fails: what it defined before that is there.
    fn add<R>(
        &self,
        py: Python<'_>,
        input: Input,
        take: impl FnOnce(Python<'_>, &mut Home, Value) -> PyResult<R>,
    ) -> PyResult<R> {
        self.0.with(py, |py, home| {
            let outcome = home.run(py, &input);
            lock(&self.0.source).inputs.push(input);
            home.applied += 1;
            self.0.version.fetch_add(1, Ordering::Relaxed);
            lock(&self.0.functions).values().for_each(|entries| lock(entries).clear());
            take(py, home, outcome?)
        })
    }
}

#[pymethods]
impl Program {
    /// `inputs` are `(name, text)`; `files` what they import, by path, if there are no others.
    #[new]
    #[pyo3(signature = (inputs, files=None, reference=false))]
    fn new(
        py: Python<'_>,
        inputs: Vec<(String, String, bool)>,
        files: Option<BTreeMap<String, Vec<u8>>>,
        reference: bool,
    ) -> PyResult<Program> {
        let inputs = inputs.into_iter().map(|(name, text, all)| Input { name, text, all }).collect();
        let sealed = files.is_some();
        let program = Program(Shared::new(inputs, files.unwrap_or_default(), sealed, reference));
        program.0.with(py, |_, _| Ok(()))?;
        program.0.version.fetch_add(1, Ordering::Relaxed);
        Ok(program)
    }

    /// The texts and the imported files, from which the same program can be made again.
    fn source<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyDict>)> {
        let inputs = PyList::empty(py);
        for input in &lock(&self.0.source).inputs {
            inputs.append((&input.name, &input.text, input.all))?;
        }
        let files = PyDict::new(py);
        for (path, bytes) in &*lock(&self.0.files.known) {
            files.set_item(path, pyo3::types::PyBytes::new(py, bytes))?;
        }
        Ok((inputs, files))
    }

    /// Adds a text and runs it; the value of its last expression.
    fn run<'py>(&self, py: Python<'py>, name: String, text: String) -> PyResult<Bound<'py, PyAny>> {
        let object = self.add(py, Input { name, text, all: true }, |py, home, value| {
            Ok(values::object(py, &value, &mut Some(home as &mut dyn Functions))?.unbind())
        });
        Ok(object?.into_bound(py))
    }

    /// The same; the value as the language writes it, unless it is `()`, and what it says if it is a text.
    fn run_shown(&self, py: Python<'_>, name: String, text: String) -> PyResult<(Option<String>, Option<String>)> {
        self.add(py, Input { name, text, all: true }, |_, _, value| {
            let text = if let Value::Text(text) = &value { Some(text.to_string()) } else { None };
            Ok(((!value.is_unit()).then(|| evert::show(&value)), text))
        })
    }

    /// What is known of a name: the program's, the library's, a primitive.
    fn documentation(&self, py: Python<'_>, name: &str) -> PyResult<Option<String>> {
        self.0.with(py, |_, home| {
            let known =
                home.session.names().find(|(known, _)| known.as_str() == name).map(|(_, binding)| binding.clone());
            let known = home.binding(name).or(known);
            Ok(match known {
                Some(Binding::Root(Root::Global(id))) => {
                    let info = home.session.globals.get(id);
                    let parts = [info.signature.as_deref().unwrap_or(name), info.doc.as_deref().unwrap_or_default()];
                    Some(parts.join("\n\n").trim().to_string())
                }
                Some(Binding::Root(Root::Prim(prim))) => Some(format!("{}: {}", prim.name(), prim.doc())),
                Some(Binding::Constructor(constructor)) => {
                    let fields: Vec<&str> = constructor.fields.iter().map(|field| field.as_str()).collect();
                    Some(format!("{}({}) of the type {}", constructor.name, fields.join(", "), constructor.type_name))
                }
                Some(Binding::Module(scope)) => Some(format!("a module: {}", names(&scope).join(", "))),
                Some(Binding::Data { fields, .. }) => Some(format!("imported data: {}", names(&fields).join(", "))),
                // What a library's module names in its own scope alone.
                Some(Binding::Root(Root::Reverse(_) | Root::Forward(_))) => None,
                None => calculus::Prim::by_name(name)
                    .filter(|prim| prim.is_public())
                    .map(|prim| format!("{}: {}", prim.name(), prim.doc())),
            })
        })
    }

    /// The value of an expression.
    fn evaluate<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        let object = self.0.with(py, |py, home| {
            let value = home.evaluate(py, text)?;
            Ok(values::object(py, &value, &mut Some(home as &mut dyn Functions))?.unbind())
        });
        Ok(object?.into_bound(py))
    }

    /// Is the value of an expression a function?
    fn is_function(&self, py: Python<'_>, text: &str) -> PyResult<bool> {
        self.0.with(py, |py, home| Ok(matches!(home.evaluate(py, text)?, Value::Function(_))))
    }

    /// What a name of the program is: `("function", signature, doc)`, `("value",)`, `("constructor", description)`, `("module", names)`,
    /// or nothing.
    fn describe<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let found = self.0.with(py, |py, home| {
            let Some(binding) = home.binding(path) else { return Ok(None) };
            let tuple = match binding {
                Binding::Root(Root::Global(id)) => {
                    let info = home.session.globals.get(id);
                    let (signature, doc) = (info.signature.as_deref(), info.doc.as_deref());
                    match home.session.machine.global(id) {
                        Some(Value::Function(_)) => ("function", signature, doc).into_pyobject(py)?,
                        _ => PyTuple::new(py, ["value"])?,
                    }
                }
                Binding::Root(_) => ("function", None::<&str>, None::<&str>).into_pyobject(py)?,
                Binding::Constructor(constructor) => {
                    let fields = PyTuple::new(py, constructor.fields.iter().map(|field| field.as_str()))?;
                    let names = (constructor.type_name.as_str(), constructor.name.as_str());
                    ("constructor", (names.0, names.1, constructor.tag, fields)).into_pyobject(py)?
                }
                Binding::Module(scope) => ("module", names(&scope)).into_pyobject(py)?,
                Binding::Data { .. } => PyTuple::new(py, ["value"])?,
            };
            Ok(Some(tuple.unbind()))
        });
        Ok(found?.map(|tuple| tuple.into_bound(py)))
    }

    /// The value that a name has.
    fn get<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
        let object = self.0.with(py, |py, home| {
            let value = match home.binding(path) {
                Some(Binding::Root(Root::Global(id))) => home.session.machine.global(id).cloned(),
                _ => None,
            };
            let value = value.map_or_else(|| home.evaluate(py, path), Ok)?;
            Ok(values::object(py, &value, &mut Some(home as &mut dyn Functions))?.unbind())
        });
        Ok(object?.into_bound(py))
    }

    /// The names that the program defines.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.0.with(py, |_, home| Ok(names(&home.session.scope)))
    }

    /// The names of the library.
    fn library(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.0.with(py, |_, home| Ok(home.session.names().map(|(name, _)| name.to_string()).collect()))
    }

    /// Runs what the program claims in a session of its own: how many claims hold, and what is wrong with the others.
    fn check(&self, py: Python<'_>) -> PyResult<(usize, Vec<String>)> {
        let inputs = lock(&self.0.source).inputs.clone();
        let call = Call::begin(py)?;
        let _standard = evert::control::Standard::enter();
        allocator::limit_this_thread();
        let report = detached(py, || {
            let mut home = Home::new(&self.0);
            let (mut passed, mut failures) = (0, vec![]);
            for input in inputs {
                match evert::testing::run(&mut home.session, &input.name, &input.text) {
                    Ok(report) => {
                        for case in report.cases {
                            match failed(&home.session, &case) {
                                None => passed += 1,
                                Some(words) => failures.push(words),
                            }
                        }
                    }
                    Err(failure) => failures.push(report::all(&home.session.sources, &failure, Paint::Plain)),
                }
            }
            (passed, failures)
        });
        call.end(py)?;
        Ok(report)
    }

    /// What the reverse pass of a function remembers at these arguments, as a text; `label` is what the function is called there.
    fn tape(&self, py: Python<'_>, text: &str, label: &str, args: &Bound<'_, PyTuple>) -> PyResult<String> {
        self.0.with(py, |py, home| {
            let value = Reader::new(Some(home)).arguments(args)?;
            let session = &mut home.session;
            let surveyed = detached(py, || session.survey_at(text, value));
            home.end_call(None);
            let call = format!("{label} at these arguments");
            match surveyed {
                Ok(surveyed) => Ok(survey::listing(&home.session, &call, &surveyed)),
                Err(survey::Unsurveyed::Failed(failure)) => Err(error::failure(py, &home.session.sources, &failure)),
                Err(why) => Ok(survey::left(&call, &why).unwrap_or_default()),
            }
        })
    }

    /// Warnings about what was loaded, as texts; each once.
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.0.with(py, |_, home| {
            let warnings = std::mem::take(&mut home.session.warnings);
            let render = |warning| report::render(&home.session.sources, warning, Paint::Plain);
            Ok(warnings.iter().map(render).collect())
        })
    }
}

/// Is a text complete, or does it go on, as after an open bracket?
#[pyfunction]
pub fn is_complete(text: &str) -> bool {
    syntax::is_complete(text)
}

/// What is wrong with a claim, in words.
fn failed(session: &Session, case: &evert::testing::Case) -> Option<String> {
    let problem = case.result.as_ref().err()?;
    let name = if case.name.is_empty() { String::new() } else { format!(": {}", case.name) };
    let words = match problem {
        evert::testing::Problem::Differs(words) => format!("  {words}"),
        evert::testing::Problem::Failed(error) => report::render(&session.sources, error, Paint::Plain),
    };
    Some(format!("{}{name}\n{}", report::place(&session.sources, case.span), words.trim_end()))
}

/// The names of a scope that a program could write.
fn names(scope: &Scope) -> Vec<String> {
    let written = |name: &str| !name.contains(' ') && !name.starts_with("__");
    scope.iter().map(|(name, _)| name.as_str()).filter(|name| written(name)).map(String::from).collect()
}
