//! Seeds: the programs of suite/, library/ and examples/, cut into pieces that each stand alone.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use base::FileId;
use syntax::ast::{Pattern, Statement};
use syntax::{NodeId, TokenKind, Tree};

/// Larger files are hostile on purpose and make poor seeds.
const LARGEST: u64 = 50_000;

/// The texts of all files.
pub fn files() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = vec![];
    for folder in ["suite", "library", "examples"] {
        collect(&root.join(folder), &mut paths);
    }
    paths.sort();
    paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "ev")
            && entry.metadata().is_ok_and(|data| data.len() <= LARGEST)
        {
            paths.push(path);
        }
    }
}

/// Each expression and test of a text with the definitions that it needs; each function with those that it needs.
pub fn pieces(text: &str) -> Vec<String> {
    let tree = syntax::parse(FileId(0), text);
    if !tree.errors().is_empty() {
        return vec![text.to_string()];
    }
    let statements: Vec<Piece> = tree.statements().into_iter().map(|id| Piece::of(&tree, id)).collect();
    (0..statements.len()).map(|wanted| with_definitions(&statements, wanted)).collect()
}

struct Piece {
    text: String,
    defines: Vec<String>,
    mentions: HashSet<String>,
}

impl Piece {
    fn of(tree: &Tree, id: NodeId) -> Piece {
        let (span, mut defines) = (tree.span(id), vec![]);
        match tree.statement(id) {
            Statement::Fn(function) => defines.push(function.name.name.to_string()),
            Statement::Let { pattern, .. } => names_of(tree, pattern, &mut defines),
            Statement::Type { constructors, .. } => {
                defines.extend(constructors.iter().map(|constructor| constructor.name.name.to_string()));
            }
            Statement::Import(import) => {
                let words = tree.text()[span.start as usize..span.end as usize].split(|c: char| !c.is_alphanumeric());
                defines.extend(words.map(str::to_string));
                defines.extend(import.alias.map(|alias| alias.name.to_string()));
            }
            _ => {}
        }
        let inside = tree.tokens().iter().filter(|token| token.start >= span.start && token.end <= span.end);
        let names = inside.filter(|token| token.kind == TokenKind::Name);
        Piece {
            text: tree.text()[span.start as usize..span.end as usize].to_string(),
            defines,
            mentions: names.map(|token| tree.token_text(token).to_string()).collect(),
        }
    }
}

fn names_of(tree: &Tree, id: NodeId, names: &mut Vec<String>) {
    match tree.pattern(id) {
        Pattern::Name(name) => names.push(name.to_string()),
        Pattern::Paren(id) => names_of(tree, id, names),
        Pattern::Tuple(ids) | Pattern::Array(ids) => ids.into_iter().for_each(|id| names_of(tree, id, names)),
        _ => {}
    }
}

fn with_definitions(pieces: &[Piece], wanted: usize) -> String {
    let (mut needed, mut open) = (HashSet::from([wanted]), vec![wanted]);
    while let Some(at) = open.pop() {
        for (other, piece) in pieces.iter().enumerate() {
            if piece.defines.iter().any(|name| pieces[at].mentions.contains(name)) && needed.insert(other) {
                open.push(other);
            }
        }
    }
    let mut needed: Vec<usize> = needed.into_iter().collect();
    needed.sort();
    needed.iter().map(|&at| format!("{}\n", pieces[at].text)).collect()
}
