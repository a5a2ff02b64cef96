//! The generator's programs are well-formed, run, and cover the calculus.

use evert_testkit as testkit;
use testkit::coverage::Coverage;
use testkit::generate::{generate, is_tie};
use testkit::{Lab, reals::reals};

const PROGRAMS: u64 = 400;

#[test]
fn a_seed_always_gives_the_same_program() {
    assert_eq!(generate(11).source(), generate(11).source());
    assert_ne!(generate(11).source(), generate(12).source());
}

#[test]
fn random_programs_are_well_formed_and_cover_the_calculus() {
    let mut coverage = Coverage::default();
    let mut lab = Lab::new();
    for seed in 0..PROGRAMS {
        let program = generate(seed);
        match lab.session.load("<generated>", &program.source()) {
            Ok((_, module)) => coverage.module(&module),
            Err(errors) => panic!("seed {seed}: {:?}\n{}", errors[0], program.source()),
        }
    }
    println!("{}", coverage.table());
    assert_eq!(coverage.missing(), Vec::<&str>::new(), "forms that no program has");
}

#[test]
fn random_programs_have_values_unless_they_are_near_a_tie() {
    let (mut fine, mut ties, mut wild, mut problems) = (0, 0, 0, vec![]);
    for seed in 0..PROGRAMS {
        let program = generate(seed);
        let mut lab = Lab::with(&program.source());
        for point in &program.points {
            match lab.evaluate(&format!("{}({point})", program.entry)) {
                Ok(value) if reals(&value).iter().all(|y| y.abs() < 1e6) => fine += 1,
                Ok(_) => wild += 1,
                Err(error) if is_tie(&error) => ties += 1,
                Err(error) => problems.push(format!("seed {seed} at {point}: {error}")),
            }
        }
    }
    println!("{fine} fine, {ties} near ties, {wild} wild");
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems[..problems.len().min(8)].join("\n"));
    assert!(fine > 20 * (ties + wild) / 10, "{fine} fine, {ties} near ties, {wild} wild");
}
