//! Files as the command line sees them: the world of a session, standard input, folders to search.

use std::cell::RefCell;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub use evert::reason;
use evert::{Folders, World};

use crate::curves;
use crate::progress;
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

/// The real files; what a program prints goes out.
pub struct Files {
    prints: Prints,
    /// The program that runs, if it is a file.
    program: Option<String>,
}

/// Where what a program prints goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prints {
    Output,
    /// Standard output is for data.
    Errors,
}

impl Files {
    /// The files around a program.
    pub fn of(program: &str, prints: Prints) -> Files {
        Files { prints, program: Some(program.to_string()) }
    }

    /// The files in the current folder.
    pub fn here(prints: Prints) -> Files {
        Files { prints, program: None }
    }
}

impl World for Files {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        read(path)
    }

    fn read_import(&self, path: &str) -> Result<Vec<u8>, String> {
        read_regular(&imports(self.program.as_deref(), path)?)
    }

    fn read_data(&self, path: &str) -> Result<Vec<u8>, String> {
        read_whole(&imports(self.program.as_deref(), path)?)
    }

    fn stamp(&self, path: &str) -> Option<u128> {
        stamp(path)
    }

    fn print(&self, line: &str) {
        match self.prints {
            Prints::Output => write_out(&format!("{line}\n")),
            Prints::Errors => write_error(line),
        }
    }

    fn aside(&self, line: &str) {
        write_error(line);
    }

    fn watched(&self, name: &str, value: &str) {
        if !curves::add(name, value) {
            write_error(&format!("{name} = {value}"));
        }
    }
}

fn write_error(line: &str) {
    progress::clear();
    eprintln!("{line}");
}

/// The real files; what a program prints is kept.
pub struct Recording {
    pub lines: RefCell<Vec<String>>,
    program: String,
}

impl Recording {
    /// The files around a program.
    pub fn of(program: &str) -> Rc<Recording> {
        Rc::new(Recording { lines: RefCell::default(), program: program.to_string() })
    }
}

impl World for Recording {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        read(path)
    }

    fn read_import(&self, path: &str) -> Result<Vec<u8>, String> {
        read_regular(&imports(Some(&self.program), path)?)
    }

    fn read_data(&self, path: &str) -> Result<Vec<u8>, String> {
        read_whole(&imports(Some(&self.program), path)?)
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

/// Where the file of an import lies, which has to be near the program.
fn imports(program: Option<&str>, path: &str) -> Result<PathBuf, String> {
    Folders::around(program).find(path)
}

/// The same as [`read`] for a file that the user didn't name: only a regular one. A pipe or a device might never end, or never begin, so it is
/// opened without waiting and looked at before it is read.
fn read_regular(path: &Path) -> Result<Vec<u8>, String> {
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

/// When a file was changed, and how long it is.
pub fn stamp(path: &str) -> Option<u128> {
    let about = std::fs::metadata(path).ok()?;
    let time = about.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(time.as_nanos() << 32 ^ u128::from(about.len()))
}

/// All bytes of a file of data that the command line names.
pub fn read_given(path: &str) -> Result<Vec<u8>, String> {
    if path != STDIN {
        return read_whole(Path::new(path));
    }
    let mut bytes = vec![];
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| reason(&error))?;
    Ok(bytes)
}

/// Nothing else has an end that can be relied on.
fn read_whole(path: &Path) -> Result<Vec<u8>, String> {
    let about = std::fs::metadata(path).map_err(|error| reason(&error))?;
    if about.is_dir() {
        return Err("it is a folder".to_string());
    }
    if !about.is_file() {
        return Err("it isn't a regular file".to_string());
    }
    if !eval::memory::has_room_for(usize::try_from(about.len()).unwrap_or(usize::MAX)) {
        return Err(format!("its {} bytes need too much memory", about.len()));
    }
    std::fs::read(path).map_err(|error| reason(&error))
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
