//! The cache: what goes in comes out or nothing does, whatever happens to the files.

mod common;

use common::{Folder, test_as_child};
use llvm::{Cache, Key, SelfTest};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

fn key(text: &str) -> Key {
    Key::of(&[text.as_bytes()])
}

/// The one entry of a cache.
fn entry(folder: &Folder) -> PathBuf {
    let mut entries = fs::read_dir(folder.path()).expect("the folder").flatten();
    let path = entries.next().expect("an entry").path();
    assert!(entries.next().is_none());
    path
}

#[test]
fn what_goes_in_comes_out() {
    let folder = Folder::new("roundtrip");
    let cache = Cache::at(folder.path());
    assert_eq!(fs::metadata(folder.path()).expect("the folder").permissions().mode() & 0o777, 0o700);
    for bytes in [vec![], vec![7], vec![1; 1_000_000]] {
        let key = key(&bytes.len().to_string());
        assert_eq!(cache.get(&key), None);
        cache.put(&key, &bytes);
        assert_eq!(cache.get(&key), Some(bytes.clone()));
        assert_eq!(Cache::at(folder.path()).get(&key), Some(bytes));
    }
    cache.put(&key("0"), b"new");
    assert_eq!(cache.get(&key("0")), Some(b"new".to_vec()));
}

#[test]
fn keys_know_where_a_part_ends() {
    assert_ne!(Key::of(&[b"ab", b"c"]), Key::of(&[b"a", b"bc"]));
    assert_ne!(Key::of(&[b"", b""]), Key::of(&[b""]));
    assert_eq!(Key::of(&[b"ab", b"c"]), Key::of(&[b"ab", b"c"]));
}

#[test]
fn damage_is_noticed_and_the_entry_removed() {
    let folder = Folder::new("damage");
    let cache = Cache::at(folder.path());
    let key = key("x");
    cache.put(&key, b"some bytes of an object");
    let path = entry(&folder);
    let good = fs::read(&path).expect("the entry");
    let damaged = |bytes: &[u8], how: String| {
        fs::write(&path, bytes).expect("damage");
        assert_eq!(cache.get(&key), None, "{how}");
        assert!(!path.exists(), "{how}");
    };
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        damaged(&bytes, format!("byte {at} changed"));
    }
    for length in 0..good.len() {
        damaged(&good[..length], format!("cut to {length}"));
    }
    damaged(&[good.clone(), vec![0]].concat(), "longer".into());
    fs::write(&path, &good).expect("the entry again");
    assert!(cache.get(&key).is_some());
    // An entry under another's name is no entry.
    let other = Key::of(&[b"other"]);
    cache.put(&other, b"other");
    fs::copy(&path, other_path(&folder, &path)).expect("a copy");
    assert_eq!(cache.get(&other), None);
}

fn other_path(folder: &Folder, path: &PathBuf) -> PathBuf {
    let entries = fs::read_dir(folder.path()).expect("the folder").flatten();
    entries.map(|entry| entry.path()).find(|other| other != path).expect("another entry")
}

#[test]
fn folders_that_others_can_write_to_are_refused() {
    for mode in [0o777, 0o770, 0o720, 0o702] {
        let folder = Folder::made("shared");
        fs::set_permissions(folder.path(), Permissions::from_mode(mode)).expect("permissions");
        let cache = Cache::at(folder.path());
        assert_eq!(cache.folder(), None, "{mode:o}");
        cache.put(&key("x"), b"x");
        assert_eq!(cache.get(&key("x")), None);
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 0);
    }
}

#[test]
fn a_place_that_cannot_be_written_to_is_no_error() {
    // A read-only file system of the kernel, a file in the way, nothing at all.
    let folder = Folder::made("in-the-way");
    let file = folder.path().join("file");
    fs::write(&file, "x").expect("a file");
    let places =
        [PathBuf::from("/proc/evert"), PathBuf::from("/proc/self/fdinfo"), file.join("below"), file, "".into()];
    for place in places {
        let cache = Cache::at(&place);
        cache.put(&key("x"), b"x");
        assert_eq!(cache.get(&key("x")), None, "{}", place.display());
    }
    let none = Cache::none();
    none.put(&key("x"), b"x");
    assert_eq!(none.get(&key("x")), None);
}

#[test]
fn a_read_only_folder_is_still_read() {
    let folder = Folder::new("read-only");
    Cache::at(folder.path()).put(&key("x"), b"x");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o500)).expect("permissions");
    let cache = Cache::at(folder.path());
    cache.put(&key("y"), b"y"); // root may, others may not
    assert_eq!(cache.get(&key("x")), Some(b"x".to_vec()));
    fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).expect("permissions");
}

#[test]
fn a_folder_that_disappears_is_no_error() {
    let folder = Folder::new("gone");
    let cache = Cache::at(folder.path());
    cache.put(&key("x"), b"x");
    fs::remove_dir_all(folder.path()).expect("removed");
    assert_eq!(cache.get(&key("x")), None);
    cache.put(&key("x"), b"x");
    cache.tidy();
    assert_eq!(cache.get(&key("x")), None);
}

#[test]
fn stale_temporary_files_go_and_others_stay() {
    let folder = Folder::new("stale");
    let cache = Cache::at(folder.path());
    cache.put(&key("x"), b"x");
    let old = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
    let make = |name: &str, time: SystemTime| {
        let path = folder.path().join(name);
        File::create(&path).and_then(|file| file.set_modified(time)).expect("a file");
        path
    };
    let stale = make("temporary-1-0-1", old);
    let fresh = make("temporary-2-0-1", SystemTime::now());
    let foreign = make("notes.txt", old);
    cache.tidy();
    assert!(!stale.exists() && fresh.exists() && foreign.exists());
    assert!(cache.get(&key("x")).is_some());
}

#[test]
fn the_oldest_entries_go_when_there_are_too_many() {
    let folder = Folder::new("limit");
    let cache = Cache::at(folder.path()).with_limit(100_000);
    for index in 0..1000 {
        cache.put(&key(&index.to_string()), &[0; 1000]);
    }
    let size: u64 = fs::read_dir(folder.path())
        .expect("the folder")
        .flatten()
        .map(|entry| entry.metadata().map_or(0, |metadata| metadata.len()))
        .sum();
    assert!(size <= 110_000, "{size} bytes");
    assert_eq!(cache.get(&key("0")), None);
    assert!(cache.get(&key("999")).is_some());
    cache.put(&key("huge"), &[0; 200_000]);
    assert_eq!(cache.get(&key("huge")), None);
}

/// The bytes of an entry, long enough to be written in several pieces.
fn long_bytes(index: usize) -> Vec<u8> {
    (0..300_000).map(|at: usize| (at * 31 + index) as u8).collect()
}

/// A process that writes until it is killed or done; started by the test below.
#[test]
fn writer_entry() {
    let Some(folder) = std::env::var_os("EVERT_TEST_CACHE_WRITER") else { return };
    let cache = Cache::at(folder);
    for _ in 0..20 {
        for index in 0..8 {
            cache.put(&key(&index.to_string()), &long_bytes(index));
            let read = cache.get(&key(&index.to_string()));
            assert!(read.is_none_or(|read| read == long_bytes(index)));
        }
    }
}

#[test]
fn processes_and_threads_share_a_folder_and_may_be_killed() {
    let folder = Folder::new("writers");
    let cache = Cache::at(folder.path());
    let SelfTest::Child { program, arguments } = test_as_child("writer_entry") else { unreachable!("a child") };
    let spawn = || {
        let mut command = Command::new(&program);
        command.args(&arguments).env("EVERT_TEST_CACHE_WRITER", folder.path()).stdout(Stdio::null());
        command.spawn().expect("a child")
    };
    let mut finish: Vec<_> = (0..2).map(|_| spawn()).collect();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for index in 0..40 {
                    cache.put(&key(&(index % 8).to_string()), &long_bytes(index % 8));
                    let read = cache.get(&key(&(index % 8).to_string()));
                    assert!(read.is_none_or(|read| read == long_bytes(index % 8)));
                }
            });
        }
        for delay in 0..12 {
            let mut killed = spawn();
            std::thread::sleep(Duration::from_millis(10 + delay * 3));
            killed.kill().and_then(|()| killed.wait()).expect("killed");
        }
    });
    for child in &mut finish {
        assert!(child.wait().expect("its end").success());
    }
    for index in 0..8 {
        assert_eq!(cache.get(&key(&index.to_string())), Some(long_bytes(index)));
    }
}

#[test]
fn an_entry_that_is_a_pipe_is_no_entry_and_nobody_waits_for_it() {
    let folder = Folder::new("pipe");
    let cache = Cache::at(folder.path());
    let key = Key::of(&[b"code"]);
    cache.put(&key, b"bytes");
    let entry =
        std::fs::read_dir(folder.path()).expect("the folder").next().expect("an entry").expect("an entry").path();
    std::fs::remove_file(&entry).expect("removed");
    let made = std::process::Command::new("mkfifo").arg(&entry).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no mkfifo");
        return;
    }
    assert_eq!(cache.get(&key), None);
    assert!(!entry.exists(), "it was removed");
    cache.put(&key, b"bytes");
    assert_eq!(cache.get(&key).as_deref(), Some(&b"bytes"[..]));
}

#[test]
fn an_entry_that_is_larger_than_any_may_be_is_not_read() {
    let folder = Folder::new("huge");
    let cache = Cache::at(folder.path()).with_limit(1 << 16);
    let key = Key::of(&[b"code"]);
    cache.put(&key, b"bytes");
    let entry =
        std::fs::read_dir(folder.path()).expect("the folder").next().expect("an entry").expect("an entry").path();
    let file = std::fs::OpenOptions::new().write(true).open(&entry).expect("an entry");
    file.set_len(1 << 40).expect("a file with holes");
    assert_eq!(cache.get(&key), None);
}
