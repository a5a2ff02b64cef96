//! Inputs to try a function at: those that its file calls it with, others near them, or, where there are none, some of every shape.

use std::cell::RefCell;
use std::rc::Rc;

use eval::Value;
use eval::array::{Array, Elements};
use eval::value::Form;
use syntax::ast::Statement;

use super::kinds::{Collected, Collector};
use super::run_definitions;
use crate::session::{Failure, Session};
use crate::testing;

/// Looking for uses may take so many steps in each statement of a file.
const STEPS: u64 = 300_000;
/// A try at a drawn input may take so many steps.
const DRAWN_STEPS: u64 = 50_000;
/// So many drawn inputs are tried.
const TRIES: usize = 400;

pub fn of(session: &mut Session, file: &str, text: &str, function: &str) -> Result<Vec<Value>, Failure> {
    let (tree, module) = session.load(file, text)?;
    run_definitions(session, &module)?;
    let collected = Rc::new(RefCell::new(Collected::of(tree.file())));
    collected.borrow_mut().wanted = Some(function.to_string());
    session.machine.watch = Some(Box::new(Collector(collected.clone())));
    for (step, statement) in module.steps.iter().zip(testing::steps_of(&tree)) {
        let shows = !matches!(tree.statement(statement), Statement::Let { .. });
        if shows && collected.borrow().arguments.len() < 6 {
            let outer = session.machine.max_steps.replace(STEPS);
            let _ = session.quietly(|session| session.observe(step));
            session.machine.max_steps = outer;
        }
    }
    session.machine.watch = None;
    let uses = collected.borrow().arguments.clone();
    let params = tree.statements().into_iter().find_map(|node| match tree.statement(node) {
        Statement::Fn(found) if found.name.name.as_str() == function => Some(found.params.len()),
        _ => None,
    });
    let mut samples: Vec<Value> = vec![];
    if uses.is_empty() {
        let f = session.get(function);
        samples.extend(f.map_or(vec![], |f| drawn(session, &f, params.unwrap_or(1), |_, _| true)));
    }
    for sample in uses {
        if !samples.iter().any(|known| eval::show::show(known) == eval::show::show(&sample)) {
            samples.push(sample);
        }
    }
    Ok(with_neighbours(samples))
}

/// Inputs, and others near the first of them.
pub(crate) fn with_neighbours(mut samples: Vec<Value>) -> Vec<Value> {
    let near: Vec<Value> = samples.iter().take(3).flat_map(|x| [moved(x, 0.83, 0.21), moved(x, -1.07, 0.4)]).collect();
    samples.extend(near);
    samples
}

/// The same with other reals.
fn moved(x: &Value, factor: f64, shift: f64) -> Value {
    let Ok(x) = eval::force(x) else { return x.clone() };
    match &x {
        Value::Real(r) => Value::Real(short(r * factor + shift)),
        Value::Array(array) => match &array.elements {
            Elements::Real(reals) => {
                let changed = reals.iter().map(|r| short(r * factor + shift)).collect();
                Value::array(Array::new(array.shape.clone(), Elements::Real(changed)))
            }
            _ => x.clone(),
        },
        Value::Data(data) => match &data.form {
            Form::Tuple | Form::Record(_) | Form::Variant(_) if !data.fields.is_empty() => {
                Value::data(data.form.clone(), data.fields.iter().map(|field| moved(field, factor, shift)).collect())
            }
            _ => x.clone(),
        },
        _ => x.clone(),
    }
}

/// To four digits, as people write numbers.
fn short(r: f64) -> f64 {
    format!("{r:.3e}").parse().unwrap_or(r)
}

/// Inputs of every shape until the function has a value there that suits, one with a number for a value first.
pub(crate) fn drawn(
    session: &mut Session,
    f: &Value,
    params: usize,
    mut suits: impl FnMut(&mut Session, &Value) -> bool,
) -> Vec<Value> {
    let reals = |shape: Vec<usize>, reals: Vec<f64>| Value::array(Array::new(shape, Elements::Real(reals)));
    let shapes = [
        Value::Real(0.7),
        reals(vec![3], vec![0.6, 1.3, 0.9]),
        reals(vec![2, 2], vec![1.9, 0.3, 0.2, 1.4]),
        Value::Int(3),
        Value::pair(Value::Real(0.8), Value::Real(1.1)),
        reals(vec![2], vec![0.4, 1.2]),
    ];
    let mut other = None;
    let combinations = shapes.len().pow(params.min(6) as u32);
    for number in 0..combinations.min(TRIES) {
        let mut rest = number;
        let mut arguments = vec![];
        for at in 0..params {
            // No two alike: exchanged arguments must show.
            arguments.push(moved(&shapes[rest % shapes.len()], 1.0, 0.17 * at as f64));
            rest /= shapes.len();
        }
        let x = if params == 1 { arguments.swap_remove(0) } else { Value::tuple(arguments) };
        let outer = session.machine.max_steps.replace(DRAWN_STEPS);
        let value = session.quietly(|session| session.call(f, x.clone()));
        session.machine.max_steps = outer;
        match value {
            Ok(Value::Real(_)) if suits(session, &x) => return vec![x],
            Ok(Value::Real(_)) => {}
            Ok(_) if other.is_none() && suits(session, &x) => other = Some(x),
            _ => {}
        }
    }
    other.into_iter().collect()
}
