//! Files on the disk, as an editor's server reads them: only regular ones, none that never ends; and what changed while nobody typed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

/// When a file was changed, and how long it is; nothing for one that isn't there.
type Stamp = Option<(Option<SystemTime>, u64)>;

/// A file as it was when somebody asked for it.
type Asked = (Stamp, Rc<Result<Vec<u8>, String>>);

/// The imported files that open texts have asked for, as they were then. A file is read again only if it has changed: at a keystroke an
/// import of a hundred megabytes costs a look at its stamp.
#[derive(Default)]
pub struct Disk {
    files: RefCell<HashMap<PathBuf, Asked>>,
}

impl Disk {
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, String> {
        let now = stamp(path);
        if let Some((before, bytes)) = self.files.borrow().get(path)
            && *before == now
        {
            return (**bytes).clone();
        }
        let bytes = Rc::new(read(path));
        self.files.borrow_mut().insert(path.to_path_buf(), (now, bytes.clone()));
        (*bytes).clone()
    }

    /// Has a file changed, come or gone since it was asked for?
    pub fn has_changed(&self) -> bool {
        self.files.borrow().iter().any(|(path, (before, _))| stamp(path) != *before)
    }

    /// Forgets files that nobody has asked for since.
    pub fn forget(&self) {
        self.files.borrow_mut().clear();
    }

    pub fn is_empty(&self) -> bool {
        self.files.borrow().is_empty()
    }
}

fn stamp(path: &Path) -> Stamp {
    let about = std::fs::metadata(path).ok()?;
    Some((about.modified().ok(), about.len()))
}

/// All bytes of a regular file. It is opened without waiting: a pipe might never begin.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    const O_NONBLOCK: i32 = libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(O_NONBLOCK).open(path).map_err(|error| error.to_string())?;
    let about = file.metadata().map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it isn't a file".into());
    }
    if about.len() > syntax::MAX_BYTES as u64 {
        return Err("it is too large".into());
    }
    let mut bytes = vec![];
    file.take(syntax::MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}
