//! The boundary between a program and derived code, the same for values and for shapes.
//!
//! Derived code hands raw sensitivities around: parts may be missing or the symbolic zero. A program that calls a J-image gets a
//! *sealed* backpropagator instead: when it calls that, the sensitivity it gives is checked, and the answer has the full shape of the
//! function and the argument. Derived code pulls through a seal as if it weren't there.
//!
//! J and T may have been applied to the program itself. A result under J is a pair with the backpropagator of the call, under T a pair
//! with the tangent, the last one outermost. The seal goes to the backpropagators that the program asked for. Tangents stay raw.

use crate::Mode;

/// What an engine's values offer for it.
pub trait Boundary {
    type Value: Clone;
    type Error;

    /// One half of a pair
    fn half(&mut self, pair: &Self::Value, at: u32) -> Result<Self::Value, Self::Error>;
    fn pair(&mut self, first: Self::Value, second: Self::Value) -> Result<Self::Value, Self::Error>;
    /// The function that a T-image was made of, which may have seals around it
    fn primal(&mut self, image: &Self::Value) -> Result<Self::Value, Self::Error>;
    /// The backpropagator `raw` of a call with the result `y`, sealed; `modes` were applied to it since.
    fn sealed(
        &mut self,
        raw: Self::Value,
        call: Application<Self::Value>,
        y: Self::Value,
        modes: Vec<Mode>,
    ) -> Result<Self::Value, Self::Error>;
    /// `d` in the full shape of `of`
    fn full(&mut self, of: &Self::Value, d: Self::Value) -> Result<Self::Value, Self::Error>;
    /// `d`, which a program gives for the result `y`, as derived code computes with it; an error if it doesn't fit
    fn accept(&mut self, y: &Self::Value, d: Self::Value) -> Result<Self::Value, Self::Error>;
}

/// A function and its argument
#[derive(Clone)]
pub struct Application<V> {
    pub f: V,
    pub x: V,
}

/// A call beneath the T-images that were peeled off, and how many Js were.
#[derive(Clone)]
struct Beneath<V> {
    call: Application<V>,
    depth: u32,
}

impl<V: Clone> Beneath<V> {
    fn new(call: Application<V>) -> Beneath<V> {
        Beneath { call, depth: 0 }
    }

    /// A T-image captures the function it was made of; its argument is a pair with the tangent.
    fn under_tangent<B: Boundary<Value = V>>(self, on: &mut B) -> Result<Beneath<V>, B::Error> {
        let call = Application { f: on.primal(&self.call.f)?, x: on.half(&self.call.x, 0)? };
        Ok(Beneath { call, depth: self.depth })
    }

    fn under_reverse(&self) -> Beneath<V> {
        Beneath { call: self.call.clone(), depth: self.depth + 1 }
    }

    fn sealed<B: Boundary<Value = V>>(self, raw: V, y: V, on: &mut B) -> Result<V, B::Error> {
        on.sealed(raw, self.call, y, vec![Mode::Reverse; self.depth as usize])
    }
}

/// The result of a call of a J-image, derived by `modes` (the last step first), from code of order `from`: the backpropagators of those
/// Js are sealed that the calling program wrote itself, the first ones.
pub fn seal_result<B: Boundary>(
    on: &mut B,
    modes: &[Mode],
    result: &B::Value,
    call: Application<B::Value>,
    from: u32,
) -> Result<B::Value, B::Error> {
    seal_beneath(on, modes, result, Beneath::new(call), from)
}

fn seal_beneath<B: Boundary>(
    on: &mut B,
    modes: &[Mode],
    result: &B::Value,
    beneath: Beneath<B::Value>,
    from: u32,
) -> Result<B::Value, B::Error> {
    let Some((mode, modes)) = modes.split_first() else { return Ok(result.clone()) };
    let (inner, outer) = (on.half(result, 0)?, on.half(result, 1)?);
    match mode {
        Mode::Forward => {
            let beneath = beneath.under_tangent(on)?;
            let inner = seal_beneath(on, modes, &inner, beneath, from)?;
            on.pair(inner, outer)
        }
        Mode::Reverse => {
            let y = seal_beneath(on, modes, &inner, beneath.under_reverse(), from)?;
            let back = if beneath.depth < from { outer } else { beneath.sealed(outer, y.clone(), on)? };
            on.pair(y, back)
        }
    }
}

/// The sensitivity that a program gives to a sealed backpropagator, checked; under T it comes with its tangent.
pub fn accept<B: Boundary>(on: &mut B, modes: &[Mode], y: &B::Value, d: B::Value) -> Result<B::Value, B::Error> {
    let tangents = modes.iter().filter(|mode| **mode == Mode::Forward).count();
    accept_under(on, tangents, y, d)
}

fn accept_under<B: Boundary>(on: &mut B, tangents: usize, y: &B::Value, d: B::Value) -> Result<B::Value, B::Error> {
    if tangents == 0 {
        return on.accept(y, d);
    }
    let (inner, outer) = (on.half(&d, 0)?, on.half(&d, 1)?);
    let inner = accept_under(on, tangents - 1, y, inner)?;
    on.pair(inner, outer)
}

/// The answer of a sealed backpropagator, of which `pull` is the call, in the full shape of the function and the argument of `of`. Under J
/// it is a pair: the answer proper and its backpropagator, which is sealed in turn.
pub fn full_answer<B: Boundary>(
    on: &mut B,
    modes: &[Mode],
    answer: &B::Value,
    pull: Application<B::Value>,
    of: &Application<B::Value>,
) -> Result<B::Value, B::Error> {
    full_beneath(on, modes, answer, Beneath::new(pull), of)
}

fn full_beneath<B: Boundary>(
    on: &mut B,
    modes: &[Mode],
    answer: &B::Value,
    beneath: Beneath<B::Value>,
    of: &Application<B::Value>,
) -> Result<B::Value, B::Error> {
    let (inner, outer) = (on.half(answer, 0)?, on.half(answer, 1)?);
    let Some((mode, modes)) = modes.split_last() else {
        let (df, dx) = (on.full(&of.f, inner)?, on.full(&of.x, outer)?);
        return on.pair(df, dx);
    };
    match mode {
        Mode::Forward => {
            let beneath = beneath.under_tangent(on)?;
            let inner = full_beneath(on, modes, &inner, beneath, of)?;
            on.pair(inner, outer)
        }
        Mode::Reverse => {
            let answer = full_beneath(on, modes, &inner, beneath.under_reverse(), of)?;
            let back = beneath.sealed(outer, answer.clone(), on)?;
            on.pair(answer, back)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Values are the texts of how they are made.
    struct Texts;

    impl Boundary for Texts {
        type Value = String;
        type Error = Infallible;

        fn half(&mut self, pair: &String, at: u32) -> Result<String, Infallible> {
            Ok(format!("{pair}.{at}"))
        }

        fn pair(&mut self, first: String, second: String) -> Result<String, Infallible> {
            Ok(format!("({first}, {second})"))
        }

        fn primal(&mut self, image: &String) -> Result<String, Infallible> {
            Ok(format!("primal {image}"))
        }

        fn sealed(
            &mut self,
            raw: String,
            Application { f, x }: Application<String>,
            y: String,
            modes: Vec<Mode>,
        ) -> Result<String, Infallible> {
            Ok(format!("seal{}[{raw} of {f}({x}) = {y}]", modes.len()))
        }

        fn full(&mut self, of: &String, d: String) -> Result<String, Infallible> {
            Ok(format!("full({of}, {d})"))
        }

        fn accept(&mut self, y: &String, d: String) -> Result<String, Infallible> {
            Ok(format!("accept({y}, {d})"))
        }
    }

    fn call() -> Application<String> {
        Application { f: "f".to_string(), x: "x".to_string() }
    }

    fn sealed(modes: &[Mode], from: u32) -> String {
        let Ok(result) = seal_result(&mut Texts, modes, &"r".to_string(), call(), from);
        result
    }

    #[test]
    fn a_program_gets_a_sealed_backpropagator_and_derived_code_a_raw_one() {
        assert_eq!(sealed(&[Mode::Reverse], 0), "(r.0, seal0[r.1 of f(x) = r.0])");
        assert_eq!(sealed(&[Mode::Reverse], 1), "(r.0, r.1)");
    }

    #[test]
    fn a_seal_knows_how_many_js_lie_above_it() {
        let outer = "seal0[r.1 of f(x) = (r.0.0, seal1[r.0.1 of f(x) = r.0.0])]";
        let twice = format!("((r.0.0, seal1[r.0.1 of f(x) = r.0.0]), {outer})");
        assert_eq!(sealed(&[Mode::Reverse, Mode::Reverse], 0), twice);
    }

    #[test]
    fn tangents_stay_raw_and_the_call_beneath_them_is_that_of_the_primal() {
        let beneath = "(r.0.0, seal0[r.0.1 of primal f(x.0) = r.0.0])";
        assert_eq!(sealed(&[Mode::Forward, Mode::Reverse], 0), format!("({beneath}, r.1)"));
    }

    #[test]
    fn what_a_program_gives_is_checked_and_what_it_gets_is_full() {
        let Ok(d) = accept(&mut Texts, &[Mode::Forward], &"y".to_string(), "d".to_string());
        assert_eq!(d, "(accept(y, d.0), d.1)");
        let pull = Application { f: "raw".to_string(), x: "d".to_string() };
        let Ok(answer) = full_answer(&mut Texts, &[Mode::Reverse], &"a".to_string(), pull, &call());
        let full = "(full(f, a.0.0), full(x, a.0.1))";
        assert_eq!(answer, format!("({full}, seal0[a.1 of raw(d) = {full}])"));
    }
}
