//! `evert-paper`: the table of the printed faults, each run with the fault and without.
//! `evert-paper --rows`: the same as rows of docs/paper.md.
//! `evert-paper FILE [D3,D9]`: a program in the paper's notation, without these corrections.

use std::process::ExitCode;

use paper::{Correction, Corrections};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => table(),
        [flag] if flag == "--rows" => {
            paper::faults::FAULTS.iter().for_each(|fault| println!("{}", fault.row()));
            Ok(())
        }
        [file] => program(file, ""),
        [file, left_out] => program(file, left_out),
        _ => Err("usage: evert-paper [--rows | FILE [CORRECTIONS]]".to_string()),
    }
    .map_or_else(
        |problem| {
            eprintln!("{problem}");
            ExitCode::FAILURE
        },
        |()| ExitCode::SUCCESS,
    )
}

fn table() -> Result<(), String> {
    for fault in paper::faults::FAULTS {
        let [as_printed, corrected] = fault.run();
        println!("{:4} {}", fault.number, fault.expression);
        println!("     as printed  {}", as_printed?);
        println!("     corrected   {}", corrected?);
    }
    Ok(())
}

fn program(file: &str, left_out: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let left_out: Option<Vec<_>> = left_out.split(',').filter(|name| !name.is_empty()).map(Correction::named).collect();
    let left_out = left_out.ok_or("corrections are named D1 to D20")?;
    for outcome in paper::run(&text, Corrections::ALL.without(&left_out))? {
        println!("{}  ⇒  {}", outcome.text, outcome.result);
    }
    Ok(())
}
