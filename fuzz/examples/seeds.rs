//! Writes the seeds: `cargo run --example seeds -- corpus`, a folder for each target.

use std::path::Path;
use std::{env, fs};

use evert_fuzz::seeds;

fn main() -> std::io::Result<()> {
    let folder = env::args().nth(1).unwrap_or_else(|| "corpus".into());
    let files = seeds::files();
    let mut pieces: Vec<String> = files.iter().flat_map(|text| seeds::pieces(text)).collect();
    pieces.sort();
    pieces.dedup();
    let texts = files.iter().chain(&pieces).cloned().collect();
    for (target, texts) in [("parse", &files), ("format", &texts), ("elaborate", &pieces), ("evaluate", &pieces)] {
        let folder = Path::new(&folder).join(target);
        fs::create_dir_all(&folder)?;
        for (number, text) in texts.iter().enumerate() {
            fs::write(folder.join(format!("seed{number:04}.ev")), text)?;
        }
        println!("{}: {} seeds", folder.display(), texts.len());
    }
    Ok(())
}
