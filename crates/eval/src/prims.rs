//! What the primitives compute, by family. How they differentiate is written in `library/derivatives.ev`.

use std::rc::Rc;

use base::{Span, codes};
use calculus::Prim;

use crate::array::Array;
use crate::fault::{Fault, Result, expected, interrupted};
use crate::lazy::forced;
use crate::machine::{Flow, Frame, Machine};
use crate::observe::Occasion;
use crate::value::{Form, Value};
use crate::{memory, probe, show, sparse};

/// So many items are made between two looks at whether the program has to stop.
const BETWEEN_LOOKS: usize = 1 << 14;

mod arithmetic;
mod arrays;
mod checking;
mod compare;
mod differentiation;
mod elementwise;
mod indexing;
mod linear_algebra;
mod random;
mod real;
mod structure;
mod text;

pub use differentiation::accept;
pub use structure::{Tolerance, close, settle};

/// Applies a primitive to its argument; several arguments come as one tuple.
pub(crate) fn apply(machine: &mut Machine, prim: Prim, x: Value, span: Span) -> Result<Flow> {
    let args = arguments(prim, x)?;
    apply_to(machine, prim, args, span)
}

/// Applies a primitive to its arguments; unused places are zero.
pub(crate) fn apply_to(machine: &mut Machine, prim: Prim, args: [Value; 3], span: Span) -> Result<Flow> {
    if probe::is_active() && !READERS.contains(&prim) && args.iter().any(probe::is_too_large) {
        return Fault::new(codes::ARRAY_TOO_LARGE, "an array is too large to find out a kind").err();
    }
    match prim {
        Prim::Tabulate => {
            let [n, f, _] = args;
            let n = length(prim, &n)?;
            machine.tabulate(n, f, None, span)
        }
        Prim::Accumulate => {
            let [n, f, _] = args;
            let n = length(prim, &n)?;
            machine.tabulate(n, f, Some(Value::Zero), span)
        }
        Prim::Quietly => {
            let [f, x, _] = args;
            machine.quiet += 1;
            machine.frames.push(Frame::Quiet);
            let flow = machine.apply(&f, x, 0, span)?;
            if let Flow::Value(_) = flow {
                machine.frames.pop();
                machine.quiet -= 1;
            }
            Ok(flow)
        }
        Prim::Print => {
            settle(&args[0])?;
            if machine.quiet == 0 && machine.skipped_prints > 0 {
                machine.skipped_prints -= 1;
            } else if machine.quiet == 0 {
                (machine.output)(&crate::show::printed(&args[0])?);
            }
            Ok(Flow::Value(Value::unit()))
        }
        Prim::RuleResult | Prim::RuleTangent => {
            machine.observe(&args[0], &args[1], Occasion::Differentiated);
            Ok(Flow::Value(compute(prim, args)?))
        }
        prim => Ok(Flow::Value(compute(prim, args)?)),
    }
}

/// Primitives whose cost doesn't depend on how large their first argument is.
const READERS: [Prim; 5] = [Prim::Len, Prim::Shape, Prim::Index, Prim::Part, Prim::Frame];

/// What a primitive that calls no functions and prints nothing computes; unused places of the arguments are zero.
pub fn compute_values(prim: Prim, args: [Value; 3]) -> std::result::Result<Value, Box<Fault>> {
    compute(prim, args)
}

/// The frame of an array of this shape whose elements carry derivatives: what `.frame` gives, without the array.
pub fn frame_of(shape: Vec<usize>) -> Value {
    crate::sparse::Sparse::zero(shape)
}

fn compute(prim: Prim, args: [Value; 3]) -> Result<Value> {
    use Prim::*;
    match prim {
        Add | Sub | Mul | Div | Rem | Pow | IntDiv | IntMod | Minimum | Maximum | Atan2 | AtMost | PowerSlope
        | PowerLog => arithmetic::binary(prim, args),
        Neg | Abs | Sign => arithmetic::unary(prim, args),
        Sqrt | Cbrt | Exp | Expm1 | Log | Log1p | Log2 | Log10 | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh
        | Tanh | Asinh | Acosh | Atanh | Erf | Erfc | Lgamma | Digamma | Floor | Ceil | Round | Trunc | Real | Int
        | IsNan | IsFinite => real::apply(prim, args),
        Eq | Ne | Lt | Le | Gt | Ge | Not | IsInt | IsReal | IsArray | IsTuple | IsFunction => {
            compare::apply(prim, args)
        }
        Len | Shape | Iota | Reshape | Transpose | Concat | Reversed | Sum | ArgMin | ArgMax | ArgSort | Where => {
            arrays::apply(prim, args)
        }
        Index | Update | ScatterAdd | Frame | Place | Part | Erase | Spread | Unspread => indexing::apply(prim, args),
        Fill | Scale | Keep | Broadcast | Unbroadcast => elementwise::apply(prim, args),
        MatMul | Cholesky | Solve | SolveLower | Det | Inv | Eigh | DetSlope | TallQr | ThinSvd | Fourier => {
            linear_algebra::apply(prim, args)
        }
        Split if text::is_split(&args[0])? => text::apply(prim, args),
        Show | Join | Trim | Find | Replace | ToUpper | ToLower | ParseReal | ParseInt | Format | Expected | Error
        | Assert => text::apply(prim, args),
        Key | Split | FoldIn | Uniform | Normal => random::apply(prim, args),
        Moved | RandomLike | RelativeLike | Directions | Inner | Difference | IsApproximate | HasRule
        | FunctionName | RuleError => checking::apply(prim, args),
        HoldsFunction | IsData | Children | Rebuild | Parts | OfParts | Aligned | Largest | Times | Close => {
            structure::apply(prim, args)
        }
        J | JInv | Zero | Plus | Perturbed | Materialise | Bare | Answer | Accept | RulePair | RuleResult
        | RuleTangent | Differentiable | Seed => differentiation::apply(prim, args),
        Foreign => crate::foreign::apply(args),
        Tabulate | Accumulate | Quietly | Print => unreachable!("prims: handled by the machine"),
    }
}

/// Up to three arguments, moved out of their tuple where nobody else sees it.
fn arguments(prim: Prim, x: Value) -> Result<[Value; 3]> {
    let mut args = [Value::Zero, Value::Zero, Value::Zero];
    let arity = prim.arity();
    if arity == 1 {
        args[0] = x;
        return Ok(args);
    }
    let mut x = forced(x)?;
    match &mut x {
        Value::Zero => return Ok(args),
        Value::Data(data) if matches!(data.form, Form::Tuple) && data.fields.len() == arity => {
            match Rc::get_mut(data) {
                Some(data) => data.fields.iter_mut().zip(&mut args).for_each(|(from, to)| std::mem::swap(from, to)),
                None => data.fields.iter().zip(&mut args).for_each(|(from, to)| *to = from.clone()),
            }
        }
        _ => return wrong_arity(prim, &x),
    }
    Ok(args)
}

fn wrong_arity<T>(prim: Prim, x: &Value) -> Result<T> {
    let given = match x {
        Value::Data(data) if matches!(data.form, Form::Tuple) => data.fields.len(),
        _ => 1,
    };
    let expects = if prim.arity() == 1 { "1 argument".to_string() } else { format!("{} arguments", prim.arity()) };
    let fault = Fault::new(codes::WRONG_ARITY, format!("`{prim}` expects {expects}, found {given}"));
    fault.note(format!("`{prim}`: {}", prim.doc())).err()
}

/// A number of elements; negative counts as none.
fn length(prim: Prim, n: &Value) -> Result<usize> {
    match forced(n.clone())? {
        Value::Int(n) if n <= 0 => Ok(0),
        Value::Int(n) if probe::is_active() => Ok((n as usize).min(probe::MAX_LENGTH)),
        Value::Int(n) if memory::has_room_for((n as usize).saturating_mul(size_of::<Value>())) => Ok(n as usize),
        Value::Int(n) => Fault::new(codes::ARRAY_TOO_LARGE, format!("an array of {n} elements is too large")).err(),
        Value::Real(x) => {
            let text =
                format!("expected an int as the length for `{prim}`, found {}", show::described(&Value::Real(x)));
            Fault::new(codes::BAD_INDEX, text)
                .help("`div(a, b)` divides ints; `int(x)` is the whole part of a real")
                .err()
        }
        other => expected(codes::BAD_INDEX, &format!("an int as the length for `{prim}`"), &other),
    }
}

/// Refuses shapes that are too large, also those that are empty only because one of their lengths is zero: their
/// transposes and products aren't.
fn has_room_for_shape(shape: &[usize]) -> Result<()> {
    let size = shape.iter().fold(1usize, |size, &n| size.saturating_mul(n.max(1)));
    if memory::has_room_for(size.saturating_mul(size_of::<f64>())) {
        return Ok(());
    }
    let shape = Array::describe_shape(shape);
    Fault::new(codes::ARRAY_TOO_LARGE, format!("an array of shape {shape} is too large")).err()
}

/// The items in a vector, unless the program has to stop: because somebody asks for it, or because memory is short.
fn collected<T>(items: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut all = Vec::with_capacity(items.size_hint().0);
    for (i, item) in items.enumerate() {
        if i % BETWEEN_LOOKS == 0 {
            go_on()?;
        }
        all.push(item);
    }
    Ok(all)
}

/// An error where the program has to stop.
fn go_on() -> Result<()> {
    if base::interrupt::is_requested() {
        return interrupted().err();
    }
    match memory::has_room_for(0) {
        true => Ok(()),
        false => Fault::new(codes::OUT_OF_MEMORY, "the value needs too much memory").err(),
    }
}

/// The array that an operand is; sparse sensitivities are added up.
fn array_of(prim: Prim, value: Value) -> Result<Rc<Array>> {
    match forced(value)? {
        Value::Array(array) => Ok(array),
        Value::Sparse(sparse) => sparse::into_dense(sparse),
        other => expected(codes::WRONG_KIND, &format!("an array for `{}`", arithmetic::symbol(prim)), &other),
    }
}

/// The elements of an array of numbers; symbolic zeros are holes.
fn reals_of(prim: Prim, array: &Array) -> Result<Vec<f64>> {
    if let Some(reals) = array.to_reals() {
        return Ok(reals);
    }
    let name = prim.name().trim_start_matches('.');
    array
        .values()
        .into_iter()
        .map(|value| match forced(value)? {
            Value::Real(x) => Ok(x),
            Value::Int(i) => Ok(i as f64),
            Value::Zero => Ok(crate::array::HOLE),
            other => expected(codes::WRONG_KIND, &format!("an array of numbers for `{name}`"), &other),
        })
        .collect()
}
