//! Where a name stands in all files of a workspace: what is open, and what lies in its folders and imports where the name is defined.
//!
//! In: a name in a document. Out: the documents that mention it, each with its places. Folders are searched to a bound, without following
//! links, hidden folders and what tools build; only files that mention an import and the name are read.

use std::fs;
use std::path::{Path, PathBuf};

use base::Span;
use elaborate::index::{Target, TargetKind, UseRole};
use serde_json::Value as Json;

use crate::document::Document;
use crate::protocol;

/// So many files are looked at, so deep below the folders of the workspace.
const MOST_FILES: usize = 5_000;
const MOST_DEEP: usize = 12;
/// A program is shorter than this.
const MOST_BYTES: u64 = 4 << 20;

/// Where a definition is, independent of who has read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Home {
    pub path: String,
    pub start: u32,
    pub end: u32,
}

/// The home of what a target means; nothing for what the language defines.
pub fn home(document: &Document, target: &Target) -> Option<Home> {
    let span = target.definition?;
    let path = document.analysed.sources.get(span.file).name.clone();
    Some(Home { path, start: span.start, end: span.end })
}

/// Can another file mention it?
pub fn is_visible_elsewhere(target: &Target) -> bool {
    use TargetKind::*;
    matches!(target.kind, Function | Value | Constructor | Type)
}

/// The places in a document of what is at home somewhere.
pub fn places(document: &Document, name: base::Name, at: &Home) -> Vec<(Span, UseRole)> {
    let uses = document.analysed.parts.iter().flat_map(|part| &part.index.uses);
    let is_it = |target: &Target| target.name == name && home(document, target).as_ref() == Some(at);
    uses.filter(|one| is_it(&one.target)).map(|one| (one.span, one.role)).collect()
}

/// The folders that an editor has open.
pub fn folders(params: &Json) -> Vec<PathBuf> {
    let several = params["workspaceFolders"].as_array().into_iter().flatten().filter_map(|one| one["uri"].as_str());
    let one = params["rootUri"].as_str();
    let mut folders: Vec<PathBuf> =
        several.chain(one).filter(|uri| uri.starts_with("file://")).map(|uri| protocol::path_of(uri).into()).collect();
    folders.dedup();
    folders
}

/// The programs in folders that import something and mention a name.
pub fn files_that_mention(folders: &[PathBuf], name: &str) -> Vec<String> {
    let (mut found, mut left) = (vec![], MOST_FILES);
    for folder in folders {
        search(folder, name, MOST_DEEP, &mut left, &mut found);
    }
    found.sort();
    found.dedup();
    found
}

fn search(folder: &Path, name: &str, deep: usize, left: &mut usize, found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let (path, called) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && deep > 0 && !called.starts_with('.') && !["target", "node_modules"].contains(&&*called) {
            search(&path, name, deep - 1, left, found);
        }
        let is_program = kind.is_file() && (called.ends_with(".ev") || called.ends_with(".md"));
        if is_program && entry.metadata().is_ok_and(|about| about.len() <= MOST_BYTES) {
            let mentions = fs::read_to_string(&path).is_ok_and(|text| text.contains("import") && text.contains(name));
            found.extend(path.to_str().filter(|_| mentions).map(String::from));
        }
    }
}
