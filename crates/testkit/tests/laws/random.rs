//! The laws over random programs.

use std::collections::BTreeMap;

use crate::law::{Doubt, LAWS, prepare};
use crate::testkit::generate::{Program, generate, is_tie};
use crate::testkit::{Lab, Random, reals::reals};

/// Seeds `from..from + count`; for a longer run set `EVERT_SEEDS=from,count`.
fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("EVERT_SEEDS").ok();
    let parsed =
        given.as_deref().and_then(|text| text.split_once(',')).map(|(a, b)| (a.parse::<u64>(), b.parse::<u64>()));
    match parsed {
        Some((Ok(from), Ok(count))) => from..from + count,
        _ => 0..100,
    }
}

#[derive(Default)]
struct Tally {
    held: BTreeMap<usize, usize>,
    discarded: usize,
    /// Programs whose gradient is zero: they say little.
    flat: usize,
    problems: Vec<String>,
}

#[test]
fn all_laws_hold_for_random_programs() {
    let mut tally = Tally::default();
    for seed in seeds() {
        try_program(&generate(seed), &mut tally);
    }
    println!("held, by law: {:?}; discarded: {}; flat: {}", tally.held, tally.discarded, tally.flat);
    let few = &tally.problems[..tally.problems.len().min(6)];
    assert!(tally.problems.is_empty(), "{} problems:\n{}", tally.problems.len(), few.join("\n"));
    let held: usize = tally.held.values().sum();
    assert!(tally.discarded < held / 5, "{} discarded, {held} held", tally.discarded);
}

fn try_program(program: &Program, tally: &mut Tally) {
    let mut lab = Lab::open();
    lab.value(&program.source());
    let mut random = Random::new(program.seed);
    for point in &program.points {
        let at = lab.value(point);
        let gradient = prepare(&mut lab, at, &mut random).and_then(|()| lab.evaluate("grad(main)(at)"));
        match gradient {
            Ok(gradient) if reals(&gradient).iter().all(|g| g.abs() < 1e6) => {
                tally.flat += usize::from(reals(&gradient).iter().all(|&g| g == 0.0));
            }
            Ok(_) => {
                tally.discarded += 1;
                continue;
            }
            Err(error) if is_tie(&error) => {
                tally.discarded += 1;
                continue;
            }
            Err(error) => {
                tally
                    .problems
                    .push(format!("seed {} at {point}: grad: {error}\n{}", program.seed, program.definitions));
                continue;
            }
        }
        for law in LAWS {
            match (law.check)(&mut lab).and_then(|()| moved_to_a_block(&mut lab, program, law.number)) {
                Ok(()) => *tally.held.entry(law.number).or_default() += 1,
                Err(Doubt::Discarded) => tally.discarded += 1,
                Err(Doubt::Broken(words)) => tally.problems.push(format!(
                    "law {} of seed {} at {point}: {words}\n{}",
                    law.number, program.seed, program.definitions
                )),
            }
        }
    }
}

/// Law 14: definitions may stand at top level or in a block. Checked once, with the first law.
fn moved_to_a_block(lab: &mut Lab, program: &Program, law: usize) -> Result<(), Doubt> {
    if law != 1 {
        return Ok(());
    }
    lab.evaluate(&format!("let boxed = {}", program.as_block()))?;
    let (top, block) = (lab.evaluate("grad(main)(at)")?, lab.evaluate("grad(boxed)(at)")?);
    if crate::testkit::reals::agree(&reals(&top), &reals(&block), 1e-12) {
        return Ok(());
    }
    Err(Doubt::Broken(format!("law 14: {} at top level, {} in a block", evert::show(&top), evert::show(&block))))
}
