//! Standard input as lines, with a look at whether the next one is there already.

use std::fs::File;
use std::io::Read;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;

pub struct Lines {
    input: ManuallyDrop<File>,
    read: Vec<u8>,
    ended: bool,
}

/// Whoever writes a whole program does so at once; whoever waits for an answer to a line sends no more for so long.
const QUIET_MILLISECONDS: i32 = 40;

impl Lines {
    pub fn of_standard_input() -> Lines {
        // SAFETY: the descriptor is that of standard input, which stays open: the file is never dropped.
        let input = ManuallyDrop::new(unsafe { File::from_raw_fd(libc::STDIN_FILENO) });
        Lines { input, read: vec![], ended: false }
    }

    /// The next line with its end; `None`: there are no more.
    pub fn next(&mut self) -> Option<Vec<u8>> {
        while !self.ended && !self.read.contains(&b'\n') {
            self.read_more();
        }
        let length = self.read.iter().position(|byte| *byte == b'\n').map_or(self.read.len(), |at| at + 1);
        (length > 0).then(|| self.read.drain(..length).collect())
    }

    /// The next line, if it is there already or comes at once.
    pub fn peek(&mut self) -> Option<&[u8]> {
        while !self.ended && !self.read.contains(&b'\n') && has_input() {
            self.read_more();
        }
        let length = match self.read.iter().position(|byte| *byte == b'\n') {
            Some(at) => at + 1,
            None if self.ended && !self.read.is_empty() => self.read.len(),
            None => return None,
        };
        Some(&self.read[..length])
    }

    fn read_more(&mut self) {
        let mut chunk = [0; 1 << 16];
        match self.input.read(&mut chunk) {
            Ok(0) => self.ended = true,
            Ok(length) => self.read.extend(&chunk[..length]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => self.ended = true,
        }
    }
}

/// Is there something to read, or will there be at once? The end of the input is something too.
fn has_input() -> bool {
    let mut poll = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
    // SAFETY: one structure is given, and one is said to be there.
    unsafe { libc::poll(&raw mut poll, 1, QUIET_MILLISECONDS) > 0 }
}
