//! The search: what is rejected, with its reason, and what is remembered. Nothing that is tried ends this process.

mod common;

use common::{Folder, llvm, test_as_child};
use llvm::{Cache, Effort, Llvm, Search, SelfTest, Unavailable, Why, self_test_child};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The child process of the searches below.
#[test]
fn self_test_entry() {
    self_test_child();
}

/// A child process that ends as LLVM's fatal errors do.
#[test]
fn crashing_entry() {
    if std::env::var_os("EVERT_LLVM_SELF_TEST").is_some() {
        std::process::abort();
    }
}

/// A child process of a program that doesn't know of self-tests.
#[test]
fn silent_entry() {}

fn only(path: impl AsRef<Path>, self_test: SelfTest) -> Result<Llvm, Unavailable> {
    let mut search = Search::nowhere(Cache::none(), self_test);
    search.only = Some(path.as_ref().into());
    Llvm::find(&search)
}

/// The one reason that a search for one file gives.
fn reason(result: Result<Llvm, Unavailable>) -> Why {
    let unavailable = result.expect_err("unusable");
    assert_eq!(unavailable.tried.len(), 1, "{unavailable}");
    unavailable.tried[0].why.clone()
}

fn is_not_a_library(why: &Why, what: &str) -> bool {
    matches!(why, Why::NotALibrary(said) if said.contains(what))
}

#[test]
fn the_environment_can_switch_it_off() {
    let unavailable = only("none", SelfTest::Skip).expect_err("switched off");
    assert_eq!(unavailable.tried[0].why, Why::SwitchedOff);
    assert_eq!(unavailable.to_string(), "LLVM is switched off by EVERT_LLVM=none");
}

#[test]
fn files_that_are_no_libraries_are_rejected_with_their_reason() {
    let folder = Folder::made("no-libraries");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        path
    };
    let reject = |path: PathBuf| reason(only(path, SelfTest::Skip));
    assert_eq!(reject(folder.path().join("missing")), Why::NotFound);
    assert!(is_not_a_library(&reject(folder.path().into()), "isn't a file"));
    assert!(is_not_a_library(&reject(write("libLLVM.so", b"INPUT(libLLVM.so.22.1)")), "linker script"));
    assert!(is_not_a_library(&reject(write("libLLVM-22.so", b"/* GNU ld script */")), "linker script"));
    assert!(is_not_a_library(&reject(write("empty.so", b"")), "empty"));
    assert!(is_not_a_library(&reject(write("text.so", b"hello")), "doesn't start like one"));
    assert!(is_not_a_library(&reject(write("short.so", b"\x7fELF\x02\x01\x01")), "cut short"));
    assert_eq!(reject(write("libLLVM-14.so.1", b"whatever")), Why::TooOld("14".into()));
}

#[test]
fn a_library_that_is_cut_short_is_rejected() {
    let Some(llvm) = llvm() else { return };
    let folder = Folder::made("cut-short");
    let path = folder.path().join("libLLVM.so");
    let mut start = Vec::new();
    let file = fs::File::open(llvm.path()).expect("the library");
    std::io::Read::read_to_end(&mut std::io::Read::take(file, 1 << 20), &mut start).expect("its start");
    fs::write(&path, &start).expect("a file");
    assert!(is_not_a_library(&reason(only(&path, SelfTest::Skip)), "cut short"));
    start.truncate(100);
    fs::write(&path, &start).expect("a file");
    assert!(is_not_a_library(&reason(only(&path, SelfTest::Skip)), "cut short"));
}

/// A C library of this machine that isn't LLVM.
fn another_library() -> Option<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").ok()?;
    let libraries = maps.lines().filter_map(|line| line.split_whitespace().nth(5)).map(PathBuf::from);
    libraries.into_iter().find(|path| path.to_string_lossy().contains("/libc.so"))
}

#[test]
fn a_library_that_is_not_llvm_is_rejected_by_its_symbols() {
    let Some(library) = another_library() else { return eprintln!("skipped: no C library was found") };
    let missing = Why::MissingSymbol("LLVMGetVersion".into());
    assert_eq!(reason(only(&library, SelfTest::Skip)), missing);
    assert_eq!(reason(only(&library, test_as_child("self_test_entry"))), missing);
}

#[test]
fn garbage_inside_a_library_ends_at_most_the_child() {
    let Some(library) = another_library() else { return eprintln!("skipped: no C library was found") };
    let bytes = fs::read(library).expect("the C library");
    let folder = Folder::made("garbage");
    for (index, range) in [1000..9000, 4096..bytes.len(), 64..600].into_iter().enumerate() {
        let mut bytes = bytes.clone();
        bytes[range].fill(0xaa);
        let path = folder.path().join(format!("garbage-{index}.so"));
        fs::write(&path, bytes).expect("a file");
        let why = reason(only(&path, test_as_child("self_test_entry")));
        eprintln!("{why}");
    }
}

#[test]
fn a_self_test_that_fails_is_the_reason() {
    let Some(llvm) = llvm() else { return };
    let why = |self_test| match reason(only(llvm.path(), self_test)) {
        Why::FailedSelfTest(reason) => reason,
        why => panic!("{why}"),
    };
    assert!(why(test_as_child("crashing_entry")).contains("signal"));
    assert!(why(test_as_child("silent_entry")).contains("without a verdict"));
    let missing = SelfTest::Child { program: "/no/such/program".into(), arguments: Vec::new() };
    assert!(why(missing).contains("couldn't be started"));
}

#[test]
fn a_program_that_ends_by_itself_gives_no_verdict() {
    let Some(llvm) = llvm() else { return };
    let folder = Folder::new("no_verdict");
    let failing = SelfTest::Child { program: "/bin/false".into(), arguments: Vec::new() };
    let mut search = Search::nowhere(Cache::at(folder.path()), failing);
    search.system = vec![llvm.path().parent().expect("a folder").to_path_buf()];
    assert!(Llvm::find(&search).is_err());
    // Nothing was remembered: the next one may try.
    search.self_test = test_as_child("self_test_entry");
    assert!(Llvm::find(&search).is_ok());
}

#[test]
fn a_verdict_is_remembered() {
    let Some(llvm) = llvm() else { return };
    let folder = Folder::new("verdict");
    let cache = Cache::at(folder.path());
    let mut search = Search::nowhere(cache, test_as_child("self_test_entry"));
    search.system = vec![llvm.path().parent().expect("a folder").to_path_buf()];
    let found = Llvm::find(&search).expect("usable");
    assert_eq!(found.path(), llvm.path());
    // The second search trusts the first: this child would fail.
    search.self_test = test_as_child("crashing_entry");
    assert!(Llvm::find(&search).is_ok());
    found.compile("define void @f() {\n  ret void\n}", Effort::Quick).expect("it compiles");
    // A bad verdict is remembered as well.
    let other = Folder::new("bad-verdict");
    search.cache = Cache::at(other.path());
    assert!(Llvm::find(&search).is_err());
    search.self_test = test_as_child("self_test_entry");
    assert!(Llvm::find(&search).is_err());
}

#[test]
fn every_candidate_is_listed() {
    let (bundled, toolchains, system) = (Folder::made("bundled"), Folder::made("toolchains"), Folder::made("system"));
    fs::create_dir_all(toolchains.path().join("stable/lib")).expect("a folder");
    let script = toolchains.path().join("stable/lib/libLLVM.so");
    fs::write(&script, "INPUT(x)").expect("a file");
    let mut search = Search::nowhere(Cache::none(), SelfTest::Skip);
    search.bundled = Some(bundled.path().into());
    search.toolchains = Some(toolchains.path().into());
    search.system = vec![system.path().into()];
    search.rustc = Some("/no/such/rustc".into());
    let unavailable = Llvm::find(&search).expect_err("nothing");
    let paths: Vec<_> = unavailable.tried.iter().map(|rejected| rejected.path.as_path()).collect();
    assert_eq!(paths, [bundled.path(), &script, system.path()]);
    let text = unavailable.to_string();
    assert!(text.contains("no LLVM there") && text.contains("linker script"), "{text}");
}

#[test]
fn rustc_is_asked_last() {
    let Ok(output) = std::process::Command::new("rustc").args(["--print", "sysroot"]).output() else {
        return eprintln!("skipped: no rustc");
    };
    let mut search = Search::nowhere(Cache::none(), SelfTest::Skip);
    search.rustc = Some("rustc".into());
    match Llvm::find(&search) {
        Ok(llvm) => assert!(llvm.path().starts_with(String::from_utf8_lossy(&output.stdout).trim())),
        Err(unavailable) => eprintln!("skipped: {unavailable}"),
    }
}

/// The library of this machine, copied where the search will find it.
fn copied(folder: &Folder) -> Option<PathBuf> {
    let found = llvm()?;
    let path = folder.path().join(found.path().file_name()?);
    fs::copy(found.path(), &path).ok()?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).ok()?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).ok()?;
    Some(path)
}

#[test]
fn a_library_that_others_may_write_to_is_found_only_by_name() {
    let folder = Folder::made("writable");
    let Some(path) = copied(&folder) else { return };
    let bundled = || {
        let mut search = Search::nowhere(Cache::none(), SelfTest::Skip);
        search.bundled = Some(folder.path().into());
        Llvm::find(&search)
    };
    assert!(bundled().is_ok(), "nobody else may write to it");
    for (place, mode) in [(path.as_path(), 0o666), (&path, 0o664), (folder.path(), 0o777), (folder.path(), 0o775)] {
        let before = fs::metadata(place).expect("a file").permissions();
        fs::set_permissions(place, fs::Permissions::from_mode(mode)).expect("a mode");
        let why = bundled().expect_err("others may write to it").tried[0].why.clone();
        assert!(matches!(&why, Why::Untrusted(what) if what.contains(&format!("mode {mode:o}"))), "{why}");
        assert!(only(&path, SelfTest::Skip).is_ok(), "whoever names it answers for it");
        fs::set_permissions(place, before).expect("a mode");
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o1777)).expect("a mode");
    assert!(bundled().is_ok(), "in a sticky folder others can't replace it");
}

#[test]
fn a_library_of_another_user_is_not_loaded() {
    let folder = Folder::made("foreign");
    let Some(path) = copied(&folder) else { return };
    if std::os::unix::fs::chown(&path, Some(4321), None).is_err() {
        eprintln!("skipped: only root may give files away");
        return;
    }
    let mut search = Search::nowhere(Cache::none(), SelfTest::Skip);
    search.bundled = Some(folder.path().into());
    let why = Llvm::find(&search).expect_err("another user's").tried[0].why.clone();
    assert!(matches!(&why, Why::Untrusted(what) if what.contains("4321")), "{why}");
}
