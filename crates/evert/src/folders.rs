//! The folders that imports may lie in.
//!
//! In: a program's path, and that of a file it imports. Out: where the file really lies. That is always below the folder of the program, below the current one,
//! or below one that whoever runs the program has opened: neither `..` nor an absolute path nor a link leads out.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

const OUTSIDE: &str = "it is outside of the folder of the program and of the current folder; run the program from a folder that holds both";

/// Where a program may import from.
pub struct Folders(Vec<PathBuf>);

impl Folders {
    /// The folder of a program, if it is a file, and the current one.
    pub fn around(program: Option<&str>) -> Folders {
        Folders::and(program, &[])
    }

    /// The same, and others that are open.
    pub fn and(program: Option<&str>, open: &[PathBuf]) -> Folders {
        let own = program.map(|program| Path::new(program).parent().unwrap_or(Path::new("")));
        let all = own.into_iter().chain([Path::new("")]).chain(open.iter().map(PathBuf::as_path));
        Folders(all.filter_map(existing).collect())
    }

    /// The file itself, behind all links. Whether there is a file outside isn't told.
    pub fn find(&self, path: &str) -> Result<PathBuf, String> {
        let found = std::fs::canonicalize(path);
        let nearest = match &found {
            Ok(real) => Some(real.clone()),
            Err(_) => Path::new(path).ancestors().skip(1).find_map(existing),
        };
        match nearest.is_some_and(|real| self.0.iter().any(|folder| real.starts_with(folder))) {
            true => found.map_err(|error| reason(&error)),
            false => Err(OUTSIDE.to_string()),
        }
    }
}

/// Where a folder lies, if there is one.
fn existing(folder: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::fs::canonicalize(folder).ok()
}

/// Why a file can't be read or written, without the number that the system gives the error.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_string(),
        ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => error.to_string(),
    }
}
