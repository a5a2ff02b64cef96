//! In a page nobody reads the comments of the library: they stay out of the module. Lines keep their numbers.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_WASM").is_none() {
        return Ok(());
    }
    println!("cargo::rerun-if-changed=../../library");
    let to = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    for entry in fs::read_dir(Path::new("../../library"))? {
        let file = entry?;
        let text = fs::read_to_string(file.path())?;
        fs::write(to.join(file.file_name()), text.lines().map(|line| without_words(line) + "\n").collect::<String>())?;
    }
    Ok(())
}

/// The line without what a comment says. That there is documentation makes a name public: its slashes stay.
fn without_words(line: &str) -> String {
    match line.trim_start() {
        comment if comment.starts_with("///") => line[..line.len() - comment.len() + 3].to_string(),
        comment if comment.starts_with("//") => String::new(),
        _ => line.to_string(),
    }
}
