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
        let is_code = |line: &&str| !line.trim_start().starts_with("//");
        let lines = text.lines().map(|line| Some(line).filter(is_code).unwrap_or_default());
        fs::write(to.join(file.file_name()), lines.map(|line| format!("{line}\n")).collect::<String>())?;
    }
    Ok(())
}
