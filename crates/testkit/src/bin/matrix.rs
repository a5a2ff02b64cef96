//! The matrix of derivatives, printed with its counts: `matrix --help`.

use std::time::Instant;

use evert::Engine;
use evert_testkit::matrix::{self, Mode, Row, Trial};

const USAGE: &str = "\
usage: matrix [--engine NAME] [--modes r,ff,…] [--unknown] [NAME…]
  --engine NAME   reference (otherwise), first-order or native
  --modes LIST    only these modes
  --unknown       lists what the oracle can't answer
  NAME…           only these functions";

fn main() {
    llvm::self_test_child();
    let arguments = read_arguments();
    let mut trial = Trial::new(arguments.engine);
    let gaps = matrix::gaps(&trial.lab.session);
    let begun = Instant::now();
    let is_asked = |row: &&Row| arguments.names.is_empty() || arguments.names.iter().any(|name| name == row.name());
    let report = matrix::ask(&mut trial, matrix::table().filter(is_asked), &arguments.modes);
    gaps.iter().for_each(|gap| println!("{gap}"));
    report.wrong.iter().for_each(|wrong| println!("{}\n    {}", wrong.place, wrong.words));
    if arguments.unknown {
        report.unknown.iter().for_each(|unknown| println!("{unknown}"));
    }
    print!("{}", report.table());
    println!("{} in {} s, {} gaps", report.summary(), begun.elapsed().as_secs(), gaps.len());
    std::process::exit(i32::from(!report.wrong.is_empty() || !gaps.is_empty()));
}

struct Arguments {
    engine: Engine,
    modes: Vec<Mode>,
    unknown: bool,
    names: Vec<String>,
}

fn misused(what: &str) -> ! {
    eprintln!("{what}\n{USAGE}");
    std::process::exit(2)
}

fn read_arguments() -> Arguments {
    let mut found = Arguments { engine: Engine::Reference, modes: Mode::ALL.to_vec(), unknown: false, names: vec![] };
    let mut rest = std::env::args().skip(1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--engine" => {
                found.engine = match rest.next().as_deref() {
                    Some("reference") => Engine::Reference,
                    Some("first-order") => Engine::FirstOrder,
                    Some("native") => Engine::Native,
                    _ => misused("--engine needs a name"),
                }
            }
            "--modes" => {
                let list = rest.next().unwrap_or_else(|| misused("--modes needs a list"));
                found.modes.retain(|mode| list.split(',').any(|name| name == mode.name()));
            }
            "--unknown" => found.unknown = true,
            "--help" => {
                println!("{USAGE}");
                std::process::exit(0);
            }
            word if word.starts_with('-') => misused(&format!("{word} isn't known")),
            name => found.names.push(name.into()),
        }
    }
    found
}
