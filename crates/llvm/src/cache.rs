//! Bytes by key, in a folder that only its owner can write to.
//!
//! In: a key made of everything that the bytes depend on. Out: the bytes that were put under it, or nothing. Always: what comes
//! out is what went in (a checksum covers key, length and bytes; a bad entry is deleted); no failure of the file system is an
//! error, it only means that nothing is kept; several processes may share a folder, because an entry appears by renaming; a
//! process that is killed leaves at worst a temporary file, which a later one removes.

use crate::ffi;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

/// The name of an entry: a hash of what its bytes depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key([u8; 32]);

/// A folder of entries, or none. Clones share it.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
    limit: u64,
    /// Why writing failed, once it has: the disk is full or read-only, and trying again costs time.
    trouble: Arc<OnceLock<String>>,
}

/// The entries' total size that [`Cache::tidy`] aims for.
const LIMIT: u64 = 256 << 20;
const MAGIC: &[u8; 8] = b"evert\0c1";
/// Magic, key, length, checksum.
const HEADER: usize = 8 + 32 + 8 + 32;
/// A temporary file this old belongs to nobody.
const STALE: Duration = Duration::from_secs(60 * 60);
/// An entry that is used is marked as new, but not more often than this.
const TOUCH: Duration = Duration::from_secs(60 * 60);
const TEMPORARY: &str = "temporary-";

impl Cache {
    /// The folder that the environment names: `EVERT_CACHE` (`none` for no cache), else the user's cache folder.
    pub fn from_environment() -> Cache {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        match set("EVERT_CACHE") {
            Some(value) if value == OsStr::new("none") => Cache::none(),
            Some(value) => Cache::at(value),
            None => match set("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute()) {
                Some(folder) => Cache::at(folder.join("evert")),
                None => set("HOME").map_or_else(Cache::none, |home| Cache::at(Path::new(&home).join(".cache/evert"))),
            },
        }
    }

    /// A cache that keeps nothing.
    pub fn none() -> Cache {
        Cache { folder: None, limit: LIMIT, trouble: Arc::default() }
    }

    /// The cache in a folder, which is made if need be. One that others can write to is refused: no cache then.
    pub fn at(folder: impl Into<PathBuf>) -> Cache {
        // Absolute, because the working folder may change.
        let folder = std::path::absolute(folder.into()).ok().filter(|folder| prepare(folder));
        Cache { folder, ..Cache::none() }
    }

    /// The same folder with another limit, in bytes.
    pub fn with_limit(self, limit: u64) -> Cache {
        Cache { limit, ..self }
    }

    /// Where entries are kept, if they are.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Why nothing more is kept, if an entry couldn't be written. For who asks: results don't depend on it.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.get().map(String::as_str)
    }

    /// What was put under a key.
    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let path = self.folder.as_ref()?.join(key.name());
        // Without waiting: what stands there may be a pipe that nobody writes to.
        let mut file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path).ok()?;
        let bytes = read_entry(&mut file, key, self.limit);
        if bytes.is_none() {
            let _ = fs::remove_file(&path);
        } else {
            mark_used(&file);
        }
        bytes
    }

    /// Keeps bytes under a key, if it can.
    pub fn put(&self, key: &Key, bytes: &[u8]) {
        let Some(folder) = &self.folder else { return };
        if self.trouble.get().is_some() || bytes.len() as u64 > self.limit {
            return;
        }
        if let Err(error) = write_entry(folder, key, bytes, create) {
            let _ = self.trouble.set(error.to_string());
            return;
        }
        // Looking through the folder on each put would be slow. Keys are random, so this is one put of 32, and every big one.
        if key.0[0].is_multiple_of(32) || bytes.len() as u64 > self.limit / 256 {
            self.tidy();
        }
    }

    /// Removes temporary files that nobody owns, and the oldest entries when all together are too big.
    pub fn tidy(&self) {
        let Some(listing) = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok()) else { return };
        let mut entries = Vec::new();
        for entry in listing.flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(TEMPORARY) {
                if age(modified) > STALE {
                    let _ = fs::remove_file(entry.path());
                }
            } else if is_entry(&name) {
                entries.push((modified, metadata.len(), entry.path()));
            }
        }
        let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
        if total <= self.limit {
            return;
        }
        entries.sort();
        // Down to three quarters, so that the next put doesn't start over.
        for (_, size, path) in entries {
            if total <= self.limit / 4 * 3 {
                break;
            }
            let _ = fs::remove_file(path);
            total -= size;
        }
    }
}

impl Key {
    /// The key of a list of parts. Lists that differ, also in where one part ends and the next begins, have different keys.
    pub fn of(parts: &[&[u8]]) -> Key {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Key(hasher.finalize().into())
    }

    /// The name of the entry's file.
    fn name(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn is_entry(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Makes the folder, for its owner only, and says whether it can be trusted: ours, and writable by nobody else.
fn prepare(folder: &Path) -> bool {
    // A folder that is there already is no error; one that can't be made has no metadata.
    let _ = DirBuilder::new().mode(0o700).recursive(true).create(folder);
    let trusted =
        |metadata: fs::Metadata| metadata.is_dir() && metadata.uid() == ffi::user() && metadata.mode() & 0o022 == 0;
    fs::metadata(folder).is_ok_and(trusted)
}

/// What a file holds, if it is an entry: regular, not larger than an entry may be, and whole.
fn read_entry(file: &mut File, key: &Key, limit: u64) -> Option<Vec<u8>> {
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.len() > limit.saturating_add(HEADER as u64) {
        return None;
    }
    let mut header = [0; HEADER];
    file.read_exact(&mut header).ok()?;
    let length = u64::from_le_bytes(header[40..48].try_into().ok()?);
    let expected = length.checked_add(HEADER as u64)?;
    if header[..8] != *MAGIC || header[8..40] != key.0 || metadata.len() != expected {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).ok()?);
    file.read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == length && header[48..] == checksum(key, &bytes)).then_some(bytes)
}

/// Writes an entry beside its place and moves it there when it is complete. `create` makes a new file.
fn write_entry<W: Write>(
    folder: &Path,
    key: &Key,
    bytes: &[u8],
    create: impl FnOnce(&Path, u64) -> io::Result<W>,
) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let nanoseconds = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_nanos());
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!("{TEMPORARY}{}-{number}-{nanoseconds}", std::process::id()));
    let mut header = Vec::with_capacity(HEADER);
    header.extend_from_slice(MAGIC);
    header.extend_from_slice(&key.0);
    header.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    header.extend_from_slice(&checksum(key, bytes));
    let mut file = create(&temporary, (HEADER + bytes.len()) as u64)?;
    let written = file.write_all(&header).and_then(|()| file.write_all(bytes)).and_then(|()| file.flush());
    let kept = written.and_then(|()| fs::rename(&temporary, folder.join(key.name())));
    if kept.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    kept
}

/// A new file for so many bytes. Where the process may write no file of that size none is made: trying to would end the process by a
/// signal.
fn create(path: &Path, size: u64) -> io::Result<File> {
    if size > ffi::largest_file() {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

fn checksum(key: &Key, bytes: &[u8]) -> [u8; 32] {
    Key::of(&[MAGIC, &key.0, bytes]).0
}

/// Entries that are used stay: the oldest go first.
fn mark_used(file: &File) {
    let modified = file.metadata().and_then(|metadata| metadata.modified());
    if modified.is_ok_and(|modified| age(modified) > TOUCH) {
        let _ = file.set_modified(SystemTime::now());
    }
}

fn age(time: SystemTime) -> Duration {
    time.elapsed().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with room for so many bytes.
    struct Disk {
        file: File,
        room: usize,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.room == 0 && !bytes.is_empty() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let fits = &bytes[..bytes.len().min(self.room)];
            self.room -= fits.len();
            self.file.write(fits)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.file.flush()
        }
    }

    #[test]
    fn on_a_full_disk_an_entry_is_complete_or_absent() {
        let folder = std::env::temp_dir().join(format!("evert-full-disk-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let cache = Cache::at(&folder);
        let (key, old, new) = (Key::of(&[b"code"]), b"what was there before", b"what is written now");
        cache.put(&key, old);
        for room in 0..HEADER + new.len() {
            let disk = |path: &Path, size| create(path, size).map(|file| Disk { file, room });
            let error = write_entry(&folder, &key, new, disk).expect_err("a full disk");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            assert_eq!(cache.get(&key).as_deref(), Some(&old[..]), "with room for {room}");
            assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1, "with room for {room}");
        }
        let disk = |path: &Path, size| create(path, size).map(|file| Disk { file, room: HEADER + new.len() });
        write_entry(&folder, &key, new, disk).expect("just enough room");
        assert_eq!(cache.get(&key).as_deref(), Some(&new[..]));
        let _ = fs::remove_dir_all(&folder);
    }
}
