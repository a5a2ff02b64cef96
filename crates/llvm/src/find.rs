//! The search for an LLVM.
//!
//! In: where to look. Out: a loaded library, or every candidate and what speaks against it. Always: a library is loaded into
//! this process only after its file and who may write to it were checked and, unless that was skipped, it passed its self-test; verdicts and the place of the
//! library are remembered in the cache, so that the next search is two small reads.

use crate::candidate::{self, Identity};
use crate::self_test::{SelfTest, examine_in_child};
use crate::unavailable::{verdict_of_line, verdict_to_line};
use crate::{Cache, Key, Llvm, Rejected, Settings, Unavailable, Why, ffi};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Where to look for an LLVM, in this order.
#[derive(Clone, Debug)]
pub struct Search {
    /// The library to use and no other, or `none`: the value of `EVERT_LLVM`.
    pub only: Option<OsString>,
    /// The folder of a copy that came with the program.
    pub bundled: Option<PathBuf>,
    /// The folder of Rust's toolchains, each with a library in `lib`.
    pub toolchains: Option<PathBuf>,
    /// The toolchain to try first.
    pub toolchain: Option<OsString>,
    /// Folders of the system's libraries.
    pub system: Vec<PathBuf>,
    /// The Rust compiler to ask for its folder when all else fails.
    pub rustc: Option<OsString>,
    /// Remembers verdicts and places.
    pub cache: Cache,
    /// How to try a library that was never seen before.
    pub self_test: SelfTest,
}

impl Search {
    /// What the environment says: `EVERT_LLVM`, beside this program, rustup's folder, the usual folders, `RUSTC`.
    pub fn from_environment(cache: Cache, self_test: SelfTest) -> Search {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let program = std::env::current_exe().ok();
        let rustup = set("RUSTUP_HOME").map(PathBuf::from);
        let rustup = rustup.or_else(|| set("HOME").map(|home| Path::new(&home).join(".rustup")));
        Search {
            only: set("EVERT_LLVM"),
            bundled: program.and_then(|program| Some(program.parent()?.parent()?.join("lib"))),
            toolchains: rustup.map(|rustup| rustup.join("toolchains")),
            toolchain: set("RUSTUP_TOOLCHAIN"),
            system: system_folders(),
            rustc: Some(set("RUSTC").unwrap_or_else(|| "rustc".into())),
            cache,
            self_test,
        }
    }

    /// Nowhere: to be filled in.
    pub fn nowhere(cache: Cache, self_test: SelfTest) -> Search {
        let (only, bundled, toolchains, toolchain, system, rustc) = (None, None, None, None, Vec::new(), None);
        Search { only, bundled, toolchains, toolchain, system, rustc, cache, self_test }
    }
}

impl Llvm {
    /// Finds a usable LLVM and loads it.
    pub fn find(search: &Search) -> Result<Llvm, Unavailable> {
        if let Err(wrong) = Settings::from_environment() {
            let why = Why::BadSetting(wrong);
            return Err(Unavailable { tried: vec![Rejected { path: "the environment".into(), why }] });
        }
        let mut tried = Vec::new();
        if let Some(only) = &search.only {
            let found = if only == OsStr::new("none") {
                Err(Why::SwitchedOff)
            } else {
                admit(Path::new(only), Named::ByUser, search)
            };
            return found.map_err(|why| Unavailable { tried: vec![Rejected { path: only.into(), why }] });
        }
        if let Some(found) = search.bundled.as_ref().and_then(|folder| first_in(folder, search, &mut tried)) {
            return Ok(found);
        }
        if let Some(found) = remembered(search).and_then(|path| admit(&path, Named::Found, search).ok()) {
            return Ok(found);
        }
        let folders = toolchain_folders(search).into_iter().chain(search.system.iter().cloned());
        for folder in folders.map(Some).chain([None]) {
            // Asking rustc costs a process, so it is done when the folders before had nothing.
            let Some(folder) = folder.or_else(|| ask_rustc(search)) else { break };
            if let Some(found) = first_in(&folder, search, &mut tried) {
                search.cache.put(&place_key(search), found.identity.path_bytes());
                return Ok(found);
            }
        }
        Err(Unavailable { tried })
    }
}

/// The first usable library in a folder.
fn first_in(folder: &Path, search: &Search, tried: &mut Vec<Rejected>) -> Option<Llvm> {
    let files = candidate::in_folder(folder);
    if files.is_empty() && !tried.iter().any(|rejected| rejected.path == folder) {
        tried.push(Rejected { path: folder.to_path_buf(), why: Why::NotFound });
    }
    for path in files {
        if tried.iter().any(|rejected| rejected.path == path) {
            continue;
        }
        match admit(&path, Named::Found, search) {
            Ok(found) => return Some(found),
            Err(why) => tried.push(Rejected { path, why }),
        }
    }
    None
}

/// Who says that a library is there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// `EVERT_LLVM`: whoever sets it answers for the file.
    ByUser,
    /// The search: it must be such that nobody else could have put it there.
    Found,
}

/// Loads a library if the verdict on it is good.
fn admit(path: &Path, named: Named, search: &Search) -> Result<Llvm, Why> {
    let identity = Identity::of(path)?;
    if named == Named::Found {
        candidate::check_owner(&identity)?;
    }
    let key = verdict_key(&identity);
    let known = search.cache.get(&key).and_then(|line| verdict_of_line(&String::from_utf8(line).ok()?));
    match known {
        Some(verdict) => verdict?,
        None => {
            candidate::check(&identity)?;
            if let SelfTest::Child { program, arguments } = &search.self_test {
                let verdict = examine_in_child(program, arguments, &identity.path).map_err(Why::FailedSelfTest)?;
                search.cache.put(&key, verdict_to_line(&verdict).as_bytes());
                verdict?;
            }
        }
    }
    let library = Arc::new(ffi::Library::open(&identity.path)?);
    Ok(Llvm { library, identity })
}

/// A verdict holds for one file and one version of this crate.
fn verdict_key(identity: &Identity) -> Key {
    let version = env!("CARGO_PKG_VERSION").as_bytes();
    Key::of(&[b"verdict", version, identity.path_bytes(), &identity.build()])
}

/// The place that the same search found last time.
fn remembered(search: &Search) -> Option<PathBuf> {
    search.cache.get(&place_key(search)).map(|path| OsString::from_vec(path).into())
}

fn place_key(search: &Search) -> Key {
    let bytes = |part: Option<&OsStr>| part.unwrap_or_default().as_bytes().to_vec();
    let mut parts = vec![
        b"place".to_vec(),
        bytes(search.toolchains.as_ref().map(|path| path.as_os_str())),
        bytes(search.toolchain.as_deref()),
        bytes(search.rustc.as_deref()),
    ];
    parts.extend(search.system.iter().map(|path| path.as_os_str().as_bytes().to_vec()));
    Key::of(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// The toolchains' folders of libraries: the chosen one first, then stable ones, then the rest, newest names first.
fn toolchain_folders(search: &Search) -> Vec<PathBuf> {
    let Some(toolchains) = &search.toolchains else { return Vec::new() };
    let listing = std::fs::read_dir(toolchains).into_iter().flatten().flatten();
    let mut names: Vec<_> = listing.map(|entry| entry.file_name()).collect();
    names.sort();
    names.reverse();
    let chosen = search.toolchain.as_ref().map(|name| name.as_bytes());
    names.sort_by_key(|name| {
        let name = name.as_bytes();
        (!chosen.is_some_and(|chosen| name.starts_with(chosen)), !name.starts_with(b"stable"))
    });
    if names.is_empty() {
        return vec![toolchains.clone()];
    }
    names.into_iter().map(|name| toolchains.join(name).join("lib")).collect()
}

/// Where the system's packages put LLVM.
fn system_folders() -> Vec<PathBuf> {
    let versions = (ffi::OLDEST..=22).rev();
    let versioned = versions.flat_map(|version| {
        [
            format!("/usr/lib/llvm-{version}/lib"),
            format!("/usr/lib/llvm{version}/lib"),
            format!("/usr/lib64/llvm{version}/lib64"),
        ]
    });
    let architecture = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let rest = ["/usr/lib64", "/usr/lib", "/usr/local/lib", "/opt/homebrew/opt/llvm/lib", "/usr/local/opt/llvm/lib"];
    let all = versioned.chain([architecture]).chain(rest.map(String::from));
    all.map(PathBuf::from).filter(|folder| folder.is_dir()).collect()
}

/// The folder of libraries that the Rust compiler names. The answer is remembered.
fn ask_rustc(search: &Search) -> Option<PathBuf> {
    let rustc = search.rustc.as_ref()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let key = Key::of(&[b"sysroot", rustc.as_bytes(), path.as_bytes()]);
    let sysroot = search.cache.get(&key).unwrap_or_else(|| {
        let output = Command::new(rustc).args(["--print", "sysroot"]).stdin(Stdio::null()).output();
        let sysroot = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
        let sysroot = sysroot.unwrap_or_default().trim_ascii().to_vec();
        if !sysroot.is_empty() {
            search.cache.put(&key, &sysroot);
        }
        sysroot
    });
    (!sysroot.is_empty()).then(|| Path::new(OsStr::from_bytes(&sysroot)).join("lib"))
}
