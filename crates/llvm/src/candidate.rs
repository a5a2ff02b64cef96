//! Files that may be an LLVM: which are in a folder, whether one is a shared library at all.
//!
//! In: paths. Out: candidates, best first; or what is wrong with a file. Nothing is loaded here: a truncated library would end
//! the process with a bus error when it is loaded, so its size is compared with its own table of contents first.

use crate::Why;
use crate::ffi::{self, OLDEST};
use std::cmp::Reverse;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Which file a library is. The same path, size and time of change mean the same library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// With all symbolic links resolved.
    pub(crate) path: PathBuf,
    size: u64,
    modified: (i64, i64),
}

impl Identity {
    pub(crate) fn of(path: &Path) -> Result<Identity, Why> {
        let path = fs::canonicalize(path).map_err(|_| Why::NotFound)?;
        let metadata = fs::metadata(&path).map_err(|_| Why::NotFound)?;
        if !metadata.is_file() {
            return Err(Why::NotALibrary("it isn't a file".into()));
        }
        Ok(Identity { path, size: metadata.len(), modified: (metadata.mtime(), metadata.mtime_nsec()) })
    }

    /// What tells apart two builds of one version.
    pub(crate) fn build(&self) -> Vec<u8> {
        let mut bytes = self.size.to_le_bytes().to_vec();
        bytes.extend(self.modified.0.to_le_bytes());
        bytes.extend(self.modified.1.to_le_bytes());
        bytes
    }

    /// The path as bytes, for keys.
    pub(crate) fn path_bytes(&self) -> &[u8] {
        self.path.as_os_str().as_bytes()
    }
}

/// Could somebody else than the user and the administrator have put the library there, or replace it? The file and its folder
/// must belong to one of the two, and nobody else may write to them (in a folder with the sticky bit only owners replace files).
pub(crate) fn check_owner(identity: &Identity) -> Result<(), Why> {
    let folder = identity.path.parent().unwrap_or(Path::new("/"));
    for (place, is_folder) in [(identity.path.as_path(), false), (folder, true)] {
        let metadata = fs::metadata(place).map_err(|_| Why::NotFound)?;
        let owner = metadata.uid();
        if owner != 0 && owner != ffi::user() {
            return Err(Why::Untrusted(format!("{} belongs to another user ({owner})", place.display())));
        }
        let is_sticky = is_folder && metadata.mode() & 0o1000 != 0;
        if metadata.mode() & 0o022 != 0 && !is_sticky {
            let mode = metadata.mode() & 0o7777;
            return Err(Why::Untrusted(format!("others may write to {} (mode {mode:o})", place.display())));
        }
    }
    Ok(())
}

/// The files in a folder that are named like LLVM's library, newest version first.
pub(crate) fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let named_so = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("libLLVM") && (name.contains(".so") || name.contains(".dylib"))
    };
    let listing = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = listing.map(|entry| entry.path()).filter(named_so).collect();
    files.sort_by_cached_key(|path| (Reverse(version_in_name(path)), path.clone()));
    let mut seen = Vec::new();
    files.retain(|path| {
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let new = !seen.contains(&real);
        seen.push(real);
        new
    });
    files
}

/// The first number in the name of LLVM's library, its major version: `libLLVM-14.so.1`, `libLLVM.so.22.1-rust-…`.
fn version_in_name(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let rest = name.strip_prefix("libLLVM")?;
    let digits = rest.split(|character: char| !character.is_ascii_digit()).find(|part| !part.is_empty())?;
    digits.parse().ok()
}

/// Whether a file is a whole shared library for this machine, of a version that its name doesn't rule out.
pub(crate) fn check(identity: &Identity) -> Result<(), Why> {
    match version_in_name(&identity.path) {
        Some(version) if version < OLDEST => return Err(Why::TooOld(version.to_string())),
        _ => {}
    }
    let unreadable = |error: std::io::Error| Why::CannotLoad(error.to_string());
    let file = File::open(&identity.path).map_err(unreadable)?;
    let mut start = Vec::new();
    (&file).take(64).read_to_end(&mut start).map_err(unreadable)?;
    match start.get(..4) {
        Some(b"\x7fELF") => check_elf(&file, identity.size).map_err(|what| Why::NotALibrary(what.into())),
        // The loader checks these itself.
        Some(b"\xcf\xfa\xed\xfe" | b"\xca\xfe\xba\xbe") if cfg!(target_os = "macos") => Ok(()),
        _ => Err(Why::NotALibrary(what_is(&start).into())),
    }
}

/// A guess at what a file is that isn't a library.
fn what_is(start: &[u8]) -> &'static str {
    let text = String::from_utf8_lossy(start);
    if start.is_empty() {
        "the file is empty"
    } else if ["INPUT", "GROUP", "OUTPUT_FORMAT", "/*"].iter().any(|word| text.trim_start().starts_with(word)) {
        "it is a linker script, which only names the library"
    } else {
        "it doesn't start like one"
    }
}

const CUT_SHORT: &str = "the file is cut short";

/// The header of a 64-bit little-endian ELF file says what it is, and its segments must lie inside the file.
fn check_elf(file: &File, size: u64) -> Result<(), &'static str> {
    const SIXTY_FOUR_BIT_LITTLE_ENDIAN: u64 = 0x0102;
    const SHARED: u64 = 3;
    const MACHINE: u64 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    let mut header = [0; 64];
    file.read_exact_at(&mut header, 0).map_err(|_| CUT_SHORT)?;
    if number(&header[4..6]) != SIXTY_FOUR_BIT_LITTLE_ENDIAN || number(&header[18..20]) != MACHINE {
        return Err("it is for another kind of machine");
    }
    if number(&header[16..18]) != SHARED {
        return Err("it is an ELF file of another kind");
    }
    let (offset, entry, count) = (number(&header[32..40]), number(&header[54..56]), number(&header[56..58]));
    if count == 0 || entry != 56 {
        return Err("its header is damaged");
    }
    let mut table = vec![0; 56 * count as usize];
    file.read_exact_at(&mut table, offset).map_err(|_| CUT_SHORT)?;
    let inside = |segment: &[u8]| {
        let end = number(&segment[8..16]).checked_add(number(&segment[32..40]));
        end.is_some_and(|end| end <= size)
    };
    if table.chunks_exact(56).all(inside) { Ok(()) } else { Err(CUT_SHORT) }
}

/// A little-endian number.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| (number << 8) | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_version() {
        let version = |name: &str| version_in_name(Path::new(name));
        assert_eq!(version("a/libLLVM-14.so.1"), Some(14));
        assert_eq!(version("a9/libLLVM.so.22.1-rust-1.95.0-stable"), Some(22));
        assert_eq!(version("libLLVM.dylib"), None);
        assert_eq!(version("libc.so.6"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn files_that_are_cut_short_are_refused() {
        // This program is position independent, so its header is that of a shared library.
        let own = File::open(std::env::current_exe().expect("a path")).expect("this program");
        let size = own.metadata().expect("metadata").len();
        assert_eq!(check_elf(&own, size), Ok(()));
        assert_eq!(check_elf(&own, 4096), Err(CUT_SHORT));
    }
}
