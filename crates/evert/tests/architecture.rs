//! ARCHITECTURE.md is the map: its table of crates is the real graph.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

type Graph = BTreeMap<String, BTreeSet<String>>;

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The dependencies between the crates of the workspace, by folder, from their manifests.
fn real_graph() -> Graph {
    let mut graph = Graph::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("crates/") {
        let folder = entry.expect("an entry").path();
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or("");
        let dependencies = dependencies.split("\n[").next().unwrap_or("");
        let names = dependencies.lines().filter_map(|line| line.split("path = \"../").nth(1)?.split('"').next());
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        graph.insert(name, names.map(str::to_string).collect());
    }
    graph
}

/// The rows `| crate | depends on | … |` of ARCHITECTURE.md.
fn drawn_graph() -> Graph {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let table = text.lines().skip_while(|line| !line.starts_with("| crate | depends on")).skip(2);
    let rows = table.take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').map(|cell| cell.trim().replace('`', "")).collect::<Vec<_>>());
    cells
        .map(|cells| {
            let dependencies = cells[2].split(',').map(str::trim).filter(|name| !name.is_empty() && *name != "–");
            (cells[1].clone(), dependencies.map(str::to_string).collect())
        })
        .collect()
}

#[test]
fn the_map_shows_the_real_dependencies() {
    assert_eq!(drawn_graph(), real_graph());
}
