//! Files as the command line sees them: the world of a session, standard input, folders to search.

use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use evert::World;

use crate::terminal::write_out;

/// The name that diagnostics show for standard input.
pub const STDIN: &str = "<stdin>";

/// The name under which a session reads a file given on the command line.
pub fn name(argument: &str) -> String {
    match argument {
        "-" => STDIN.to_string(),
        path => path.strip_prefix("./").unwrap_or(path).to_string(),
    }
}

/// The real files; what a program prints goes to standard output.
pub struct Files;

impl World for Files {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        read(path)
    }

    fn read_import(&self, path: &str) -> Result<Vec<u8>, String> {
        read_regular(path)
    }

    fn print(&self, line: &str) {
        write_out(&format!("{line}\n"));
    }
}

/// The real files; what a program prints is kept.
#[derive(Default)]
pub struct Recording {
    pub lines: RefCell<Vec<String>>,
}

impl Recording {
    pub fn new() -> Rc<Recording> {
        Rc::default()
    }
}

impl World for Recording {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        read(path)
    }

    fn read_import(&self, path: &str) -> Result<Vec<u8>, String> {
        read_regular(path)
    }

    fn print(&self, line: &str) {
        self.lines.borrow_mut().push(line.to_string());
    }
}

/// All bytes of a file, but of an endless one only so many that it is too large (E0113).
pub fn read(path: &str) -> Result<Vec<u8>, String> {
    let most = syntax::MAX_BYTES as u64 + 1;
    let mut bytes = vec![];
    let read = match path {
        STDIN => io::stdin().lock().take(most).read_to_end(&mut bytes),
        path if Path::new(path).is_dir() => return Err("it is a folder".to_string()),
        path => std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes)),
    };
    read.map_err(|error| reason(&error))?;
    Ok(bytes)
}

/// The same for a file that the user didn't name: only a regular one. A pipe or a device might never end, or never begin, so it is
/// opened without waiting and looked at before it is read.
pub fn read_regular(path: &str) -> Result<Vec<u8>, String> {
    let most = syntax::MAX_BYTES as u64 + 1;
    let file =
        OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path).map_err(|error| reason(&error))?;
    let kind = file.metadata().map_err(|error| reason(&error))?.file_type();
    if kind.is_dir() {
        return Err("it is a folder".to_string());
    }
    if !kind.is_file() {
        return Err("it is no regular file, but a pipe, a socket or a device".to_string());
    }
    let mut bytes = vec![];
    file.take(most).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
    Ok(bytes)
}

/// Why a file can't be read or written, without the number that the system gives the error.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_string(),
        io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => error.to_string(),
    }
}

/// The files with one of these extensions in a folder and in those inside it, in alphabetical order; hidden
/// folders, links to folders and what is no regular file are left out.
pub fn search(folder: &Path, extensions: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut found = vec![];
    let mut entries = std::fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if entry.file_type()?.is_dir() {
            if !hidden {
                found.extend(search(&path, extensions)?);
            }
        } else if extensions.iter().any(|extension| path.extension().is_some_and(|found| found == *extension))
            && path.metadata().is_ok_and(|metadata| metadata.is_file())
        {
            found.push(path);
        }
    }
    Ok(found)
}
