//! The outside, as a session sees it.

/// What a session may ask of the outside.
pub trait World {
    /// The bytes of a file that the user names.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;
    /// The bytes of a file that a program names in an import. It must not wait: what isn't a regular file is refused.
    fn read_import(&self, path: &str) -> Result<Vec<u8>, String> {
        self.read(path)
    }
    /// The bytes of a file of data that a program imports. A world may allow fewer of them than of programs, and larger ones.
    fn read_data(&self, path: &str) -> Result<Vec<u8>, String> {
        self.read(path)
    }
    /// Changes when the file does. Where nobody says so, files don't change.
    fn stamp(&self, _path: &str) -> Option<u128> {
        None
    }
    /// Writes a line for the program.
    fn print(&self, line: &str);
    /// Writes a line for whoever watches the program, as `spy` does. It is no part of what the program prints.
    fn aside(&self, _line: &str) {}
    /// The next value of a curve, for whoever watches the program, as `plots.watch` gives it.
    fn watched(&self, name: &str, value: &str) {
        self.aside(&format!("{name} = {value}"));
    }
}

/// A world without files; what is printed is lost.
pub struct Offline;

impl World for Offline {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("there are no files here: {path}"))
    }

    fn print(&self, _line: &str) {}
}
