//! work(gradient) ÷ work(function) and work(jvp) ÷ work(function) are flat as n grows.

use crate::testkit::Lab;
use crate::testkit::growth::{CLAIMS, Claim, SIZES};

#[test]
fn gradients_cost_a_bounded_multiple_for_the_first_half() {
    stay_flat(&CLAIMS[..CLAIMS.len() / 2]);
}

#[test]
fn gradients_cost_a_bounded_multiple_for_the_second_half() {
    stay_flat(&CLAIMS[CLAIMS.len() / 2..]);
}

#[test]
fn tangents_cost_a_bounded_multiple_for_the_first_half() {
    stay_flat_at(&CLAIMS[..CLAIMS.len() / 2], JVP);
}

#[test]
fn tangents_cost_a_bounded_multiple_for_the_second_half() {
    stay_flat_at(&CLAIMS[CLAIMS.len() / 2..], JVP);
}

const GRAD: &str = "grad(f)(input)";
const JVP: &str = "jvp(f, input, direction)";

fn stay_flat(claims: &[Claim]) {
    stay_flat_at(claims, GRAD);
}

fn stay_flat_at(claims: &[Claim], derivative: &str) {
    let mut problems = vec![];
    for claim in claims {
        let start = std::time::Instant::now();
        let ratios = ratios(claim, derivative);
        match ratios {
            Err(words) => problems.push(format!("{}: {words}", claim.name)),
            Ok(ratios) => {
                println!(
                    "{:55} {:6.2} {:6.2} {:6.2} {:?}",
                    claim.name,
                    ratios[0],
                    ratios[1],
                    ratios[2],
                    start.elapsed()
                );
                if ratios[2] > 1.3 * ratios[1] {
                    problems.push(format!("{}: {ratios:.2?} at {:?}", claim.name, SIZES));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

fn ratios(claim: &Claim, derivative: &str) -> Result<Vec<f64>, String> {
    SIZES.iter().map(|&n| ratio(claim, n, derivative)).collect()
}

fn ratio(claim: &Claim, n: usize, derivative: &str) -> Result<f64, String> {
    let mut lab = Lab::open();
    lab.session.machine.max_steps = Some(20_000 * n as u64 + 100_000);
    lab.evaluate(claim.definitions)?;
    lab.evaluate(&format!("let n = {n}\nlet f = {}\nlet input = {}", claim.f, claim.input))?;
    lab.evaluate("let direction = random_like(input, 1)")?;
    let mut work = |text: &str| -> Result<f64, String> {
        let before = evert::work::done();
        lab.evaluate(text).map_err(|error| format!("{text} at {n}: {error}"))?;
        Ok((evert::work::done() - before) as f64)
    };
    let primal = work("f(input)")?;
    Ok(work(derivative)? / primal)
}

/// Revolve as user code: log n checkpoints, so log n times the work, not n times.
#[test]
fn a_fold_checkpointed_by_halves_costs_a_logarithmic_factor() {
    let definitions = "
fn halves(step, n) = x =>
  if n == 1 { step(x) } else { let m = div(n, 2); checkpoint(halves(step, n - m))(checkpoint(halves(step, m))(x)) }";
    let ratio = |n: usize| {
        let mut lab = Lab::with(definitions);
        lab.session.machine.max_steps = None;
        let primal = lab.work(&format!("halves(x => sin(1.1 * x), {n})(0.5)"));
        lab.work(&format!("grad(halves(x => sin(1.1 * x), {n}))(0.5)")) as f64 / primal as f64
    };
    let (small, middle, large) = (ratio(64), ratio(512), ratio(4096));
    println!("checkpointed fold: {small:.2} {middle:.2} {large:.2}");
    // log2: 6, 9, 12
    assert!(large / middle < 1.3 * 12.0 / 9.0, "{small} {middle} {large}");
}
