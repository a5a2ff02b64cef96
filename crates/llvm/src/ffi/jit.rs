//! Object bytes in, addresses in this process out: LLVM's ORC linker.
//!
//! Always: an object is linked into a dylib of its own that sees no other dylib and no symbol of the process, so objects don't
//! clash and nothing is resolved by accident. LLVM can't remove a dylib, so a cleared one is used again.

use super::Library;
use super::api::{Api, EXPORTED_CALLABLE, LookFor, SymbolPair};
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::null_mut;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The linker of a library.
pub(super) struct Jit {
    lljit: *mut c_void,
    session: *mut c_void,
    /// Held while linking and unlinking.
    dylibs: Mutex<Dylibs>,
    /// What the session reported, behind a box because LLVM keeps its address.
    reports: Box<Reports>,
}

/// The dylibs that nothing is linked into, and how many there are in all.
struct Dylibs {
    idle: Vec<Dylib>,
    made: usize,
}

struct Reports {
    get_error_message: unsafe extern "C" fn(*mut c_void) -> *mut c_char,
    dispose_error_message: unsafe extern "C" fn(*mut c_char),
    texts: Mutex<Vec<String>>,
}

/// A dylib with an object linked into it.
pub(crate) struct Dylib(*mut c_void);

// SAFETY: a dylib is only used under the lock of its `Jit`.
unsafe impl Send for Dylib {}
// SAFETY: as above.
unsafe impl Sync for Dylib {}

/// Names and addresses that a lookup found.
type Found = Result<Vec<(String, usize)>, String>;

/// Idle strings of the session are swept after this many unlinks.
const SWEEP: usize = 64;

impl Jit {
    pub(super) fn new(library: &Library) -> Result<Jit, String> {
        library.initialize_target();
        let api = &library.api;
        let mut lljit = null_mut();
        // SAFETY: no builder means the defaults; the error is ours.
        unsafe { library.take_error((api.lljit_create)(&mut lljit, null_mut()))? };
        let (get_error_message, dispose_error_message) = (api.get_error_message, api.dispose_error_message);
        let reports = Box::new(Reports { get_error_message, dispose_error_message, texts: Mutex::default() });
        // SAFETY: the box outlives the session: `dispose` ends the session first.
        let session = unsafe {
            let session = (api.lljit_session)(lljit);
            (api.session_set_error_reporter)(session, report, (&raw const *reports).cast_mut().cast());
            session
        };
        Ok(Jit { lljit, session, dylibs: Mutex::new(Dylibs { idle: Vec::new(), made: 0 }), reports })
    }

    pub(super) fn dispose(self, api: &Api) {
        // SAFETY: every `Code` keeps its library alive, so nothing linked is in use. An error here has no one to tell.
        unsafe {
            let error = (api.lljit_dispose)(self.lljit);
            if !error.is_null() {
                (api.dispose_error_message)((api.get_error_message)(error));
            }
        }
    }
}

impl Library {
    /// Links an object. `given` are the addresses of the symbols it needs, `wanted` the symbols to look up.
    pub(crate) fn link_object(
        &self,
        object: &[u8],
        given: &[(&CStr, usize)],
        wanted: &[CString],
    ) -> Result<(Dylib, Vec<(String, usize)>), String> {
        let jit = self.jit()?;
        let mut dylibs = lock(&jit.dylibs);
        let dylib = match dylibs.idle.pop() {
            Some(dylib) => dylib,
            None => self.new_dylib(jit, &mut dylibs),
        };
        let linked = self.define(jit, &dylib, given).and_then(|()| self.add(jit, &dylib, object));
        let found = linked.and_then(|()| self.look_up(jit, &dylib, wanted));
        let reports = std::mem::take(&mut *lock(&jit.reports.texts));
        match found {
            Ok(found) => Ok((dylib, found)),
            Err(error) => {
                self.clear(jit, &mut dylibs, dylib);
                Err(if reports.is_empty() { error } else { reports.join("; ") })
            }
        }
    }

    /// Frees what was linked.
    pub(crate) fn unlink(&self, dylib: Dylib) {
        if let Ok(jit) = self.jit() {
            self.clear(jit, &mut lock(&jit.dylibs), dylib);
        }
    }

    fn new_dylib(&self, jit: &Jit, dylibs: &mut Dylibs) -> Dylib {
        dylibs.made += 1;
        let name = CString::new(format!("code {}", dylibs.made)).expect("no zero byte");
        // SAFETY: the session is alive and the name is new.
        Dylib(unsafe { (self.api.session_new_dylib)(jit.session, name.as_ptr()) })
    }

    /// Empties a dylib and keeps it for the next object; one that can't be emptied is never used again.
    fn clear(&self, jit: &Jit, dylibs: &mut Dylibs, dylib: Dylib) {
        // SAFETY: the dylib belongs to the session and the lock is held; the error is ours.
        let cleared = unsafe { self.take_error((self.api.dylib_clear)(dylib.0)) };
        if cleared.is_ok() {
            dylibs.idle.push(dylib);
        }
        if dylibs.idle.len() % SWEEP == 1 {
            // SAFETY: the pool belongs to the session.
            unsafe { (self.api.string_pool_clear)((self.api.session_string_pool)(jit.session)) };
        }
    }

    /// Gives a dylib the addresses of symbols.
    fn define(&self, jit: &Jit, dylib: &Dylib, given: &[(&CStr, usize)]) -> Result<(), String> {
        if given.is_empty() {
            return Ok(());
        }
        let api = &self.api;
        let pair = |&(name, address): &(&CStr, usize)| SymbolPair {
            // SAFETY: the session is alive; the reference goes to `absolute_symbols`.
            name: unsafe { (api.session_intern)(jit.session, name.as_ptr()) },
            address: address as u64,
            generic_flags: EXPORTED_CALLABLE,
            target_flags: 0,
        };
        let pairs: Vec<_> = given.iter().map(pair).collect();
        // SAFETY: the unit takes the names; the dylib takes the unit unless it refuses it.
        unsafe {
            let unit = (api.absolute_symbols)(pairs.as_ptr(), pairs.len());
            let defined = self.take_error((api.dylib_define)(dylib.0, unit));
            if defined.is_err() {
                (api.unit_dispose)(unit);
            }
            defined
        }
    }

    fn add(&self, jit: &Jit, dylib: &Dylib, object: &[u8]) -> Result<(), String> {
        // SAFETY: the buffer is a copy of `object`, and the linker takes it in any case.
        unsafe {
            let buffer = (self.api.buffer_copy)(object.as_ptr().cast(), object.len(), c"object".as_ptr());
            self.take_error((self.api.lljit_add_object)(jit.lljit, dylib.0, buffer))
        }
    }

    /// Looks symbols up, which makes the linker do its work.
    fn look_up(&self, jit: &Jit, dylib: &Dylib, wanted: &[CString]) -> Found {
        const STATIC_LOOKUP: i32 = 0;
        const ALL_SYMBOLS: i32 = 1;
        const REQUIRED: i32 = 0;
        let order = [LookFor { what: dylib.0, flags: ALL_SYMBOLS }];
        let look_for = |name: &CString| LookFor {
            // SAFETY: the session is alive; the reference goes to the lookup.
            what: unsafe { (self.api.session_intern)(jit.session, name.as_ptr()) },
            flags: REQUIRED,
        };
        let symbols: Vec<_> = wanted.iter().map(look_for).collect();
        let (sender, receiver) = channel();
        let answer = Box::into_raw(Box::new(Answer { library: self, sender }));
        // SAFETY: the handler is called exactly once, perhaps on another thread, and takes the box; this call waits for it.
        unsafe {
            let (order, count) = (order.as_ptr(), order.len());
            let (symbols, symbol_count) = (symbols.as_ptr(), symbols.len());
            let session = jit.session;
            (self.api.session_lookup)(
                session,
                STATIC_LOOKUP,
                order,
                count,
                symbols,
                symbol_count,
                answer_lookup,
                answer.cast(),
            );
        }
        receiver.recv().unwrap_or_else(|_| Err("the linker gave no answer".into()))
    }
}

/// Whom a lookup answers.
struct Answer<'a> {
    library: &'a Library,
    sender: Sender<Found>,
}

unsafe extern "C" fn answer_lookup(error: *mut c_void, pairs: *const SymbolPair, count: usize, context: *mut c_void) {
    // SAFETY: `context` is the box made in `look_up`, whose library is alive because `look_up` waits; the error is ours; the pairs
    // are LLVM's and live through this call.
    unsafe {
        let Answer { library, sender } = *Box::from_raw(context.cast::<Answer>());
        let found = library.take_error(error).map(|()| {
            let pairs = if count == 0 { &[] } else { std::slice::from_raw_parts(pairs, count) };
            let name = |pair: &SymbolPair| CStr::from_ptr((library.api.string_text)(pair.name));
            pairs.iter().map(|pair| (name(pair).to_string_lossy().into_owned(), pair.address as usize)).collect()
        });
        // The receiver waits for this; if it is gone nobody cares.
        let _ = sender.send(found);
    }
}

/// What the session says besides the error that a lookup returns: it names the cause.
unsafe extern "C" fn report(context: *mut c_void, error: *mut c_void) {
    // SAFETY: `context` is the box in `Jit`; the error is ours and the message is copied before it is freed.
    unsafe {
        let reports = &*context.cast::<Reports>();
        let message = (reports.get_error_message)(error);
        lock(&reports.texts).push(CStr::from_ptr(message).to_string_lossy().into_owned());
        (reports.dispose_error_message)(message);
    }
}

/// A lock whose holder panicked still guards consistent data: every update here is one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
