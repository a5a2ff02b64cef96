//! Each law as a check of one function, the global `main` of a laboratory, at one point, the global `at`.

use crate::testkit::generate::is_tie;
use crate::testkit::reals::{agree, inner, reals, with_reals};
use crate::testkit::{Lab, Random, differences};

/// Why a law was not confirmed.
#[derive(Debug)]
pub enum Doubt {
    /// It doesn't hold.
    Broken(String),
    /// The point is near a tie, or differences are too rough to judge.
    Discarded,
}

pub type Outcome = Result<(), Doubt>;

impl From<String> for Doubt {
    fn from(words: String) -> Doubt {
        if is_tie(&words) { Doubt::Discarded } else { Doubt::Broken(words) }
    }
}

pub struct Law {
    pub number: usize,
    pub check: fn(&mut Lab) -> Outcome,
}

pub const LAWS: &[Law] = &[
    Law { number: 1, check: primal_is_kept },
    Law { number: 2, check: gradient_is_a_difference },
    Law { number: 3, check: backpropagators_are_linear },
    Law { number: 4, check: inverse_undoes },
    Law { number: 5, check: eta },
    Law { number: 6, check: attaching_the_derivative_changes_nothing },
    Law { number: 7, check: captures_are_arguments },
    Law { number: 8, check: forward_is_the_transpose },
    Law { number: 9, check: second_derivative_is_a_difference },
    Law { number: 10, check: chain_rule },
    Law { number: 11, check: hessians_are_symmetric },
    Law { number: 12, check: zeros },
    Law { number: 13, check: sums },
    // Beyond the list of the semantics
    Law { number: 108, check: second_derivatives_agree_in_all_modes },
    Law { number: 109, check: third_derivatives_agree_in_mixed_modes },
    Law { number: 103, check: linearize_is_linear },
    Law { number: 107, check: tangents_of_captures_are_tangents_of_arguments },
];

/// Makes the point and two random directions known.
pub fn prepare(lab: &mut Lab, at: eval::Value, random: &mut Random) -> Result<(), String> {
    lab.session.set("at", at);
    let zero = lab.evaluate("zero(at)")?;
    for name in ["u", "w"] {
        let direction: Vec<f64> = reals(&zero).iter().map(|_| random.between(-1.0, 1.0)).collect();
        lab.session.set(name, with_reals(&zero, &direction));
    }
    lab.evaluate("fn slope(f, u) = x => product(u, grad(f)(x))").map(drop)
}

/// Two expressions have the same reals, up to rounding.
fn same(lab: &mut Lab, a: &str, b: &str) -> Outcome {
    let (x, y) = (reals(&lab.evaluate(a)?), reals(&lab.evaluate(b)?));
    if agree(&x, &y, 1e-9) || x.iter().chain(&y).any(|x| x.abs() > 1e8) {
        return Ok(());
    }
    Err(Doubt::Broken(format!("{a} is {x:?}\nbut {b} is {y:?}")))
}

/// 1: fst((J f)(J x)) = J(f x)
fn primal_is_kept(lab: &mut Lab) -> Outcome {
    same(lab, "J(main)(J(at)).0", "main(at)")?;
    same(lab, "value_and_grad(main)(at).0", "main(at)")
}

/// 2: grad ≈ central difference
fn gradient_is_a_difference(lab: &mut Lab) -> Outcome {
    is_a_difference(lab, "main")
}

/// 9: second derivative ≈ difference of gradients
fn second_derivative_is_a_difference(lab: &mut Lab) -> Outcome {
    is_a_difference(lab, "slope(main, u)")
}

/// The derivative of f in the direction w is that of `t ↦ f(at + t w)`.
fn is_a_difference(lab: &mut Lab, name: &str) -> Outcome {
    let gradient = reals(&lab.evaluate(&format!("grad({name})(at)"))?);
    let direction = reals(&lab.evaluate("w")?);
    let (f, at) = (lab.evaluate(name)?, lab.evaluate("at")?);
    let start = reals(&at);
    let mut failed = None;
    let along = |t: f64| {
        let moved: Vec<f64> = start.iter().zip(&direction).map(|(x, w)| x + t * w).collect();
        lab.reals_at(&f, &at, &moved).map(|values| values[0]).unwrap_or_else(|error| {
            failed = Some(error);
            f64::NAN
        })
    };
    let (slope, error) = differences::derivative(along, 0.004);
    if let Some(words) = failed {
        return Err(words.into());
    }
    let found = inner(&gradient, &direction);
    if !error.is_finite() || error > 1e-5 * slope.abs().max(1.0) {
        return Err(Doubt::Discarded);
    }
    if agree(&[found], &[slope], 1e-6 + 10.0 * error) {
        return Ok(());
    }
    Err(Doubt::Broken(format!("the derivative of {name} is {found}, the difference {slope} (error {error:e})")))
}

/// 3
fn backpropagators_are_linear(lab: &mut Lab) -> Outcome {
    lab.evaluate("let pull = J(main)(J(at)).1")?;
    same(lab, "pull(0.7 + 1.6).1", "plus(pull(0.7).1, pull(1.6).1)")?;
    same(lab, "pull(-3.0).1", "times(pull(1.0).1, -3.0)")?;
    same(lab, "pull(0.0).1", "zero(at)")
}

/// 4: J⁻¹(J f) ≡ f, J(J⁻¹ w) ≡ w
fn inverse_undoes(lab: &mut Lab) -> Outcome {
    same(lab, "J_inv(J(main))(at)", "main(at)")?;
    same(lab, "grad(J_inv(J(main)))(at)", "grad(main)(at)")?;
    same(lab, "J(J_inv(J(main)))(J(at)).1(1.0).1", "grad(main)(at)")?;
    same(lab, "J_inv(J_inv(J(J(main))))(at)", "main(at)")
}

/// 5: grad(x => f(x)) = grad(f)
fn eta(lab: &mut Lab) -> Outcome {
    same(lab, "grad(x => main(x))(at)", "grad(main)(at)")?;
    same(lab, "grad(slope(x => main(x), u))(at)", "grad(slope(main, u))(at)")
}

/// 6: f <~ J(f) ≡ f, to second order
fn attaching_the_derivative_changes_nothing(lab: &mut Lab) -> Outcome {
    same(lab, "(main <~ J(main))(at)", "main(at)")?;
    same(lab, "grad(main <~ J(main))(at)", "grad(main)(at)")?;
    same(lab, "grad(slope(main <~ J(main), u))(at)", "grad(slope(main, u))(at)")
}

/// 7: capture sensitivity = argument sensitivity of the uncurried function
fn captures_are_arguments(lab: &mut Lab) -> Outcome {
    same(lab, "{ let z = at; J(t => main(z))(0.0).1(1.0).0.z }", "grad(main)(at)")?;
    same(lab, "{ let z = at; grad(f => f())(() => main(z)).z }", "grad(main)(at)")?;
    same(lab, "grad(z => (t => main(z) * t)(2.0))(at)", "times(grad(main)(at), 2.0)")
}

/// 8: ⟨jvp f x v, u⟩ = ⟨v, vjp f x u⟩
fn forward_is_the_transpose(lab: &mut Lab) -> Outcome {
    same(lab, "jvp(main, at, u).1", "product(u, grad(main)(at))")?;
    same(lab, "jvp(main, at, u).0", "main(at)")
}

/// Forward over forward, forward over reverse, reverse over forward: all like reverse over reverse.
fn second_derivatives_agree_in_all_modes(lab: &mut Lab) -> Outcome {
    lab.evaluate("fn along(f, u) = x => jvp(f, x, u).1")?;
    let reverse = "product(w, grad(slope(main, u))(at))";
    same(lab, "jvp(along(main, u), at, w).1", reverse)?;
    same(lab, "jvp(slope(main, u), at, w).1", reverse)?;
    same(lab, "product(w, grad(along(main, u))(at))", reverse)?;
    same(lab, "product(u, hvp(main, at, w))", reverse)
}

/// 8 at order 3, for four of the eight combinations.
fn third_derivatives_agree_in_mixed_modes(lab: &mut Lab) -> Outcome {
    lab.evaluate("fn along(f, u) = x => jvp(f, x, u).1")?;
    let forward = "jvp(along(along(main, u), w), at, u).1";
    let mixed = [
        "jvp(along(slope(main, u), w), at, u).1",
        "product(u, grad(along(slope(main, u), w))(at))",
        "jvp(slope(along(main, u), w), at, u).1",
    ];
    // A fixed point of a fixed point of a fixed point may take too many steps.
    let too_long = |doubt: &Doubt| matches!(doubt, Doubt::Broken(words) if words.contains("too many steps"));
    let outcome = mixed.into_iter().try_for_each(|text| same(lab, text, forward));
    outcome.map_err(|doubt| if too_long(&doubt) { Doubt::Discarded } else { doubt })
}

/// 3 for forward mode
fn linearize_is_linear(lab: &mut Lab) -> Outcome {
    lab.evaluate("let push = linearize(main)(at).1")?;
    same(lab, "linearize(main)(at).0", "main(at)")?;
    same(lab, "push(plus(u, w), {})", "push(u, {}) + push(w, {})")?;
    same(lab, "push(times(u, -3.0), {})", "-3 * push(u, {})")?;
    same(lab, "push(zero(at), {})", "0.0")?;
    same(lab, "grad(d => push(d, {}))(u)", "grad(main)(at)")
}

/// 7 for forward mode
fn tangents_of_captures_are_tangents_of_arguments(lab: &mut Lab) -> Outcome {
    let expected = "jvp(main, at, u).1";
    same(lab, "{ let z = at; linearize(t => main(z))(0.0).1(0.0, {z: u}) }", expected)?;
    same(lab, "jvp(f => f(), { let z = at; () => main(z) }, {z: u}).1", expected)?;
    same(lab, "jvp(z => (t => main(z) * t)(2.0), at, u).1", "2 * jvp(main, at, u).1")?;
    same(lab, "product(u, J(main)(at).1(1.0).1)", expected)?;
    same(lab, "jvp(d => J(main)(at).1(d).1, 1.0, 1.0).1", "grad(main)(at)")
}

/// 10
fn chain_rule(lab: &mut Lab) -> Outcome {
    same(lab, "grad(x => sin(main(x)))(at)", "times(grad(main)(at), cos(main(at)))")?;
    same(lab, "grad(x => main(x)^2 + main(x))(at)", "times(grad(main)(at), 2 * main(at) + 1)")
}

/// 11
fn hessians_are_symmetric(lab: &mut Lab) -> Outcome {
    same(lab, "product(w, grad(slope(main, u))(at))", "product(u, grad(slope(main, w))(at))")
}

/// 12: zero v ⊕ zero v = zero v, S(J v) = S(v)
fn zeros(lab: &mut Lab) -> Outcome {
    same(lab, "plus(zero(at), zero(at))", "zero(at)")?;
    same(lab, "plus(zero(at), u)", "u")?;
    same(lab, "zero(J(at))", "zero(at)")?;
    same(lab, "{ let z = at; zero(J(t => main(z))) }", "{ let z = at; zero(t => main(z)) }")?;
    same(lab, "{ let z = at; zero(J(t => main(z))).z }", "zero(at)")
}

/// 13: ⊕ is commutative and associative up to rounding
fn sums(lab: &mut Lab) -> Outcome {
    lab.evaluate("let g = grad(main)(at)")?;
    same(lab, "plus(g, u)", "plus(u, g)")?;
    same(lab, "plus(plus(g, u), w)", "plus(g, plus(u, w))")?;
    same(lab, "plus(g, g)", "times(g, 2.0)")
}
