//! An object in, callable addresses out.
//!
//! Always: an object sees the symbols it was given and the [builtins](crate::builtins), nothing else; a symbol that is missing is
//! named before LLVM is asked; dropping a [`Code`] frees its memory.

use crate::Llvm;
use crate::builtins::builtin;
use crate::busy;
use crate::ffi::{Dylib, Library};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind};
use std::collections::{BTreeSet, HashMap};
use std::ffi::CString;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Machine code in memory. Its addresses are valid until it is dropped; whoever calls them sees to that.
pub struct Code {
    library: Arc<Library>,
    dylib: Option<Dylib>,
    addresses: HashMap<String, usize>,
    /// Where the instructions are.
    text: Range<usize>,
}

/// An object that can't be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// The object needs symbols that nobody gave.
    Undefined(Vec<String>),
    /// The bytes aren't an object file for this machine.
    NotAnObject(String),
    /// LLVM's linker refused, in its words.
    Refused(String),
}

impl Llvm {
    /// Links an object into this process, with the addresses of the symbols it may use.
    ///
    /// Functions that LLVM calls on its own (`memcpy`, `fmod`, …) are there already. The code isn't run.
    pub fn link(&self, object: &[u8], symbols: &[(&str, *const ())]) -> Result<Code, LinkError> {
        Code::link(&self.library, object, symbols)
    }
}

impl Code {
    pub(crate) fn link(
        library: &Arc<Library>,
        object: &[u8],
        symbols: &[(&str, *const ())],
    ) -> Result<Code, LinkError> {
        let Symbols { needed, defined, prefix, text } = Symbols::of(object)?;
        let symbols: HashMap<&str, usize> = symbols.iter().map(|&(name, address)| (name, address as usize)).collect();
        let resolve = |name: &CString| {
            let plain = name.to_str().ok()?.strip_prefix(prefix)?;
            symbols.get(plain).copied().or_else(|| builtin(plain))
        };
        let (mut given, mut undefined) = (Vec::new(), Vec::new());
        for name in &needed {
            match resolve(name) {
                Some(address) => given.push((name.as_c_str(), address)),
                None => undefined.push(name.to_string_lossy().into_owned()),
            }
        }
        if !undefined.is_empty() {
            return Err(LinkError::Undefined(undefined));
        }
        let _inside = busy::enter();
        unlink_waiting();
        let (dylib, found) = library.link_object(object, &given, &defined).map_err(LinkError::Refused)?;
        let plain =
            |(name, address): (String, usize)| (name.strip_prefix(prefix).unwrap_or(&name).to_string(), address);
        let addresses: HashMap<String, usize> = found.into_iter().map(plain).collect();
        let text = text.and_then(|text| text.linked(&addresses)).unwrap_or_default();
        Ok(Code { library: library.clone(), dylib: Some(dylib), addresses, text })
    }

    /// Where the instructions are; empty if that isn't known.
    pub fn text(&self) -> Range<usize> {
        self.text.clone()
    }

    /// The address of a function or constant that the object defines.
    pub fn address(&self, name: &str) -> Option<*const ()> {
        self.addresses.get(name).map(|&address| address as *const ())
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let Some(dylib) = self.dylib.take() else { return };
        // Whoever drops code may hold locks of a host's, and mustn't wait.
        match busy::try_enter() {
            Some(_inside) => self.library.unlink(dylib),
            None => waiting().push((self.library.clone(), dylib)),
        }
    }
}

/// Code that was dropped when nobody could enter LLVM.
fn waiting() -> MutexGuard<'static, Vec<(Arc<Library>, Dylib)>> {
    static WAITING: Mutex<Vec<(Arc<Library>, Dylib)>> = Mutex::new(Vec::new());
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlink_waiting() {
    std::mem::take(&mut *waiting()).into_iter().for_each(|(library, dylib)| library.unlink(dylib));
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut names: Vec<_> = self.addresses.keys().collect();
        names.sort();
        f.debug_struct("Code").field("defines", &names).finish()
    }
}

/// The names in an object's symbol table, as they are written there.
struct Symbols {
    needed: Vec<CString>,
    defined: Vec<CString>,
    /// What the object format puts before a name.
    prefix: &'static str,
    text: Option<Text>,
}

/// The section with the instructions: a function in it, how far from the start, and the section's length.
struct Text {
    function: String,
    offset: usize,
    length: usize,
}

impl Text {
    fn linked(&self, addresses: &HashMap<String, usize>) -> Option<Range<usize>> {
        let start = addresses.get(&self.function)?.checked_sub(self.offset)?;
        Some(start..start + self.length)
    }
}

impl Symbols {
    fn of(bytes: &[u8]) -> Result<Symbols, LinkError> {
        let not_an_object = |error: object::Error| LinkError::NotAnObject(error.to_string());
        let file = object::File::parse(bytes).map_err(not_an_object)?;
        let prefix = if file.format() == object::BinaryFormat::MachO { "_" } else { "" };
        let (mut needed, mut defined, mut text) = (BTreeSet::new(), Vec::new(), None);
        for symbol in file.symbols() {
            let name = CString::new(symbol.name_bytes().map_err(not_an_object)?)
                .map_err(|error| LinkError::NotAnObject(error.to_string()))?;
            if symbol.is_undefined() && !name.is_empty() {
                needed.insert(name);
            } else if symbol.is_global() && symbol.is_definition() {
                let section = symbol.section_index().and_then(|index| file.section_by_index(index).ok());
                if let (None, Some(section)) = (&text, section.filter(|section| section.kind() == SectionKind::Text)) {
                    let function = name.to_string_lossy().trim_start_matches(prefix).to_string();
                    let offset = symbol.address().saturating_sub(section.address()) as usize;
                    text = Some(Text { function, offset, length: section.size() as usize });
                }
                defined.push(name);
            }
        }
        // The linker makes this one.
        needed.remove(c"_GLOBAL_OFFSET_TABLE_");
        Ok(Symbols { needed: needed.into_iter().collect(), defined, prefix, text })
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            LinkError::Undefined(names) => write!(f, "the code needs `{}`, which nobody gave", names.join("`, `")),
            LinkError::NotAnObject(reason) => write!(f, "these bytes are not an object file: {reason}"),
            LinkError::Refused(reason) => write!(f, "LLVM's linker refused the code: {reason}"),
        }
    }
}

impl std::error::Error for LinkError {}
