//! Derivatives as source, compared with `grad` before anybody sees them: what `evert derive` prints.
//!
//! In: a file's text and what is asked for. Out: the text of a derivative that gave what `grad` gives at every sample input, or a diagnostic.
//! Sample inputs are those that the file calls the function with, and others near them; where there are none they are drawn by shape.

mod kinds;
pub(crate) mod samples;

use std::cell::RefCell;
use std::rc::Rc;

use base::{Diagnostic, Name, Span, codes};
use calculus::{Prim, Root};
use derive::{Derived, Mode, Repetition, Request, Shape};
use elaborate::Binding;
use eval::array::Elements;
use eval::prims::{Tolerance, close};
use eval::value::{Form, Holds};
use eval::{Value, show};

use crate::session::{Failure, Session};
use kinds::{Collected, Collector};

pub use derive::{Mode as DerivativeMode, Shape as DerivativeShape};

/// How far a derived function may be off: rounding, as sums are added up in another order.
const TOLERANCE: Tolerance = Tolerance { relative: 1e-7, absolute: 1e-10 };
/// One run at a sample may take so many steps.
const STEPS: u64 = 1_000_000;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Wish {
    pub function: String,
    pub wrt: Vec<String>,
    pub mode: Mode,
    pub order: u32,
}

/// A derivative that was compared.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Source in the standard layout. With the definitions of the file it is a program.
    pub text: String,
    pub name: String,
    pub shape: Shape,
    pub latex: Option<String>,
    /// Lines of the file whose derivative is left to `vjp`.
    pub left: Vec<u32>,
    /// At how many inputs it was compared with `grad`.
    pub compared: usize,
}

/// Derives a function of a file.
pub fn derive(session: &mut Session, file: &str, text: &str, wish: &Wish) -> Result<Answer, Failure> {
    let (mut function, mut text) = (wish.function.clone(), text.to_string());
    let mut earlier: Vec<(String, String)> = vec![];
    let samples = samples::of(session, file, &text, &function)?;
    for order in 1.. {
        let request = request(session, &function, wish.wrt.clone(), wish.mode);
        let (derived, compared) = for_some(session, file, &text, &request, &samples)?;
        if order >= wish.order.max(1) {
            return Ok(answer(derived, &earlier, compared));
        }
        text = format!("{}\n\n{}", text.trim_end(), derived.text);
        function = derived.name.clone();
        earlier.push((derived.name, derived.text));
    }
    unreachable!("deriving: orders end")
}

/// The text, with what it needs of earlier orders below it.
fn answer(derived: Derived, earlier: &[(String, String)], compared: usize) -> Answer {
    let Derived { mut text, name, shape, left, latex, .. } = derived;
    for (_, below) in earlier.iter().rev() {
        for part in functions_of(below) {
            if text.contains(&format!("{}(", part.0)) && !text.contains(&format!("fn {}(", part.0)) {
                text = format!("{}\n\n{}\n", text.trim_end(), part.1.trim_end());
            }
        }
    }
    let tree = syntax::parse(base::FileId(0), &text);
    let text = syntax::format(&tree).unwrap_or(text);
    Answer { text, name, shape, latex, left, compared }
}

/// The functions of a derived text by name.
fn functions_of(text: &str) -> Vec<(String, String)> {
    let parts = text.split("\n\n").map(|part| {
        let name = part.split("fn ").nth(1).and_then(|rest| rest.split('(').next()).unwrap_or_default();
        (name.to_string(), part.to_string())
    });
    parts.filter(|(name, _)| !name.is_empty()).collect()
}

fn request(session: &Session, function: &str, wrt: Vec<String>, mode: Mode) -> Request {
    let (mut reserved, mut constructors) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    for (name, binding) in session.prelude().iter() {
        reserved.insert(name.to_string());
        if let Binding::Constructor(_) = binding {
            constructors.insert(name.to_string());
        }
    }
    let repetition = Repetition::No;
    Request { function: function.to_string(), wrt, mode, reserved, constructors, repetition }
}

/// One order, for all samples; if that can't be, for those of the kind of the first, and then with operations on arrays that may be repeated left to
/// `vjp`. What the text is for is said in its first line.
fn for_some(
    session: &mut Session,
    file: &str,
    text: &str,
    request: &Request,
    samples: &[Value],
) -> Result<(Derived, usize), Failure> {
    let failure = match one(session, file, text, request, samples) {
        Ok(found) => return Ok(found),
        Err(failure) => failure,
    };
    let Some(first) = samples.first() else { return Err(failure) };
    let alike: Vec<Value> = samples.iter().filter(|sample| kinds::alike(sample, first)).cloned().collect();
    for repetition in [Repetition::No, Repetition::Possible] {
        let request = Request { repetition, ..request.clone() };
        if let Ok(found) = one(session, file, text, &request, &alike) {
            return Ok(found);
        }
    }
    Err(failure)
}

/// One order: derived and compared.
fn one(
    session: &mut Session,
    file: &str,
    text: &str,
    request: &Request,
    samples: &[Value],
) -> Result<(Derived, usize), Failure> {
    let (tree, module) = session.load(file, text)?;
    run_definitions(session, &module)?;
    let collected = Rc::new(RefCell::new(Collected::of(tree.file())));
    session.machine.watch = Some(Box::new(Collector(collected.clone())));
    let function = defined(session, &request.function, tree.file())?;
    for sample in samples {
        let _ = limited(session, |session| session.call(&function, sample.clone()));
    }
    session.machine.watch = None;
    let facts = collected.borrow().facts();
    let derived = derive::derive(&tree, &facts, request).map_err(|refusal| {
        vec![refused(&format!("the derivative of {} can't be written as source", refusal.what), refusal.span)]
    })?;
    let compared = compare(session, &derived, &function, samples, tree.file())?;
    Ok((derived, compared))
}

/// A value of the kind that a function of a text takes: one that the text calls it with, or, where it doesn't, one at which it has a value.
pub fn sample(session: &mut Session, file: &str, text: &str, function: &str) -> Option<Value> {
    samples::of(session, file, text, function).ok()?.into_iter().next()
}

pub(crate) fn run_definitions(session: &mut Session, module: &calculus::Module) -> Result<(), Failure> {
    for step in module.steps.iter().filter(|step| matches!(step.kind, calculus::StepKind::Define(_))) {
        session.run_step(step).map_err(|error| vec![*error])?;
    }
    Ok(())
}

/// A function of the library, whatever the file defines.
fn of_library(session: &Session, name: &str) -> Value {
    let value = match session.prelude().get(Name::new(name)) {
        Some(Binding::Root(Root::Global(id))) => session.machine.global(*id).cloned(),
        _ => None,
    };
    value.expect("the library has it")
}

/// A function of the file.
fn defined(session: &Session, name: &str, file: base::FileId) -> Result<Value, Failure> {
    match session.get(name) {
        Some(value @ Value::Function(_)) => Ok(value),
        _ => {
            let span = Span::new(file, 0, 0);
            Err(vec![refused(&format!("there is no function `{name}` in the file"), span)])
        }
    }
}

fn refused(message: &str, span: Span) -> Diagnostic {
    Diagnostic::new(codes::NOT_DERIVED, span, message)
}

/// Runs something that shows nothing and ends.
fn limited<T>(session: &mut Session, run: impl FnOnce(&mut Session) -> T) -> T {
    let outer = session.machine.max_steps.replace(STEPS);
    let result = session.quietly(run);
    session.machine.max_steps = outer;
    result
}

/// At how many samples the derived function gives what `grad` gives. A difference is an error.
fn compare(
    session: &mut Session,
    derived: &Derived,
    function: &Value,
    samples: &[Value],
    file: base::FileId,
) -> Result<usize, Failure> {
    let loaded = session.load("<derived>", &derived.text);
    let (tree, module) = loaded.map_err(|errors| {
        let words = errors.first().map_or(String::new(), |error| error.message.clone());
        vec![refused(&format!("the derivative that was found isn't a program: {words}"), Span::new(file, 0, 0))]
    })?;
    run_definitions(session, &module)?;
    let own = defined(session, &derived.name, tree.file())?;
    let mut compared = 0;
    for sample in samples {
        // Outside its domain a function has no derivative to compare with.
        let value = limited(session, |session| session.call(function, sample.clone()));
        if !value.is_ok_and(|value| is_finite(&value)) {
            continue;
        }
        let Ok(expected) = limited(session, |session| expected(session, derived, function, sample)) else { continue };
        if !is_finite(&expected) {
            continue;
        }
        let found = limited(session, |session| found(session, derived, &own, sample));
        let agree = match &found {
            Ok(found) => close(&reals_only(&expected), &reals_only(found), TOLERANCE).unwrap_or(false),
            Err(_) => false,
        };
        if !agree {
            let words = match found {
                Ok(found) => show::short(&found),
                Err(error) => error.message.clone(),
            };
            let message = format!("the derivative that was found isn't right at {}", show::short(sample));
            let error = refused(&message, Span::new(file, 0, 0))
                .note(format!("`grad` gives {}, the text {words}", show::short(&expected)))
                .note("nothing is printed that isn't right; please report it together with the program");
            return Err(vec![error]);
        }
        compared += 1;
    }
    if compared == 0 {
        let error =
            refused("the derivative can't be compared with `grad`: there is no input to try", Span::new(file, 0, 0))
                .help("call the function in the file, at an argument where it is differentiable");
        return Err(vec![error]);
    }
    Ok(compared)
}

/// What the language itself says.
fn expected(session: &mut Session, derived: &Derived, f: &Value, x: &Value) -> base::Result<Value> {
    let whole = match derived.shape {
        Shape::Gradient => {
            let grad = of_library(session, "grad");
            let gradient = session.call(&grad, f.clone())?;
            session.call(&gradient, x.clone())?
        }
        Shape::Backpropagator => {
            let vjp = of_library(session, "vjp");
            let pair = session.call(&vjp, Value::pair(f.clone(), x.clone()))?;
            let (y, pull) = (part(&pair, 0)?, part(&pair, 1)?);
            session.call(&pull, y)?
        }
        Shape::Forward => {
            let jvp = of_library(session, "jvp");
            let dx = direction(session, derived, x)?;
            return session.call(&jvp, Value::tuple(vec![f.clone(), x.clone(), dx]));
        }
    };
    let wanted: Vec<usize> = (0..derived.wanted.len()).filter(|at| derived.wanted[*at]).collect();
    match (derived.wanted.len(), wanted.len()) {
        (1, _) => Ok(whole),
        (n, m) if n == m => Ok(whole),
        (_, 1) => part(&whole, wanted[0]),
        _ => Ok(Value::tuple(wanted.iter().map(|at| part(&whole, *at)).collect::<base::Result<_>>()?)),
    }
}

fn found(session: &mut Session, derived: &Derived, own: &Value, x: &Value) -> base::Result<Value> {
    match derived.shape {
        Shape::Gradient => session.call(own, x.clone()),
        Shape::Backpropagator => {
            let pair = session.call(own, x.clone())?;
            let (y, pull) = (part(&pair, 0)?, part(&pair, 1)?);
            session.call(&pull, y)
        }
        Shape::Forward => {
            let dx = direction(session, derived, x)?;
            let mut fields = tuple_fields(x, derived.wanted.len());
            let changes = tuple_fields(&dx, derived.wanted.len());
            fields.extend(changes.into_iter().zip(&derived.wanted).filter(|(_, wanted)| **wanted).map(|(dx, _)| dx));
            session.call(own, Value::tuple(fields))
        }
    }
}

/// The arguments of a function with so many parameters.
fn tuple_fields(x: &Value, params: usize) -> Vec<Value> {
    match x {
        Value::Data(data) if matches!(data.form, Form::Tuple) && params > 1 => data.fields.clone(),
        x => vec![x.clone()],
    }
}

/// A change of a sample, in the arguments that are wanted.
fn direction(session: &mut Session, derived: &Derived, x: &Value) -> base::Result<Value> {
    let zero = Value::prim(Prim::Zero);
    let map_reals = of_library(session, "map_reals");
    let moved = session.evaluate("r => r + 0.75").map_err(|mut errors| Box::new(errors.swap_remove(0)))?;
    let mut changes = vec![];
    for (part, wanted) in tuple_fields(x, derived.wanted.len()).iter().zip(&derived.wanted) {
        let nothing = session.call(&zero, part.clone())?;
        changes.push(match wanted {
            true => session.call(&map_reals, Value::pair(moved.clone(), nothing))?,
            false => nothing,
        });
    }
    Ok(if changes.len() == 1 { changes.swap_remove(0) } else { Value::tuple(changes) })
}

/// With unit in place of what holds no real: of an array of ints `grad` gives an array of units.
fn reals_only(value: &Value) -> Value {
    let Ok(value) = eval::force(value) else { return value.clone() };
    match &value {
        value if !value.holds().has(Holds::REAL) => Value::unit(),
        Value::Data(data) => Value::data(data.form.clone(), data.fields.iter().map(reals_only).collect()),
        _ => value,
    }
}

/// Are all reals in it finite?
fn is_finite(value: &Value) -> bool {
    let Ok(value) = eval::force(value) else { return false };
    match &value {
        Value::Real(x) => x.is_finite(),
        Value::Array(array) => match &array.elements {
            Elements::Real(reals) => reals.iter().all(|x| x.is_finite()),
            _ => array.values().iter().all(is_finite),
        },
        Value::Data(data) => data.fields.iter().all(is_finite),
        _ => true,
    }
}

fn part(value: &Value, at: usize) -> base::Result<Value> {
    let value = eval::force(value).map_err(|fault| Box::new(fault.at(Span::default())))?;
    match &value {
        Value::Data(data) if at < data.fields.len() => Ok(data.fields[at].clone()),
        _ => Err(Box::new(refused("a tuple was expected", Span::default()))),
    }
}
