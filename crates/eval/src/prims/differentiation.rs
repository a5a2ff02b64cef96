//! J, J⁻¹, zero, ⊕, and the checks at the boundary between a program and derived code.

use base::{Name, codes, suggest};
use calculus::{Prim, RuleKind};
use differentiate::sensitivities::fit::Giver;

use crate::array::{Array, Elements};
use crate::conformance::{Mismatch, conforms};
use crate::fault::{Fault, Result};
use crate::lazy::{deep, force, forced};
use crate::lift::lift;
use crate::sensitivity::{answer, full, plus_given, zero};
use crate::show;
use crate::value::{Form, Function, Holds, Value};

pub(super) fn apply(prim: Prim, [a, b, c]: [Value; 3]) -> Result<Value> {
    match prim {
        Prim::J => Ok(lift(&a, 1)),
        Prim::JInv => match a {
            // A function is converted at once, so that the error comes where J_inv is written.
            Value::Function(_) => force(&lift(&a, -1)),
            a => Ok(lift(&a, -1)),
        },
        Prim::Zero => Ok(zero(&a)),
        Prim::Plus => plus_given(a, b),
        Prim::Perturbed => Ok(Value::Bool(a.holds().has(Holds::REAL))),
        Prim::Materialise => Ok(full(&a, b)),
        Prim::Bare => raw_of(&a, b),
        Prim::Answer => answer(a),
        Prim::Accept => accept_tangent(&a, b),
        Prim::RulePair => rule_pair(&a, b),
        Prim::RuleResult => rule_result(&a, &b, c),
        Prim::RuleTangent => rule_tangent(&a, c),
        Prim::Differentiable => differentiable(a),
        Prim::Seed => seed(a),
        other => unreachable!("differentiation: {other}"),
    }
}

/// A sensitivity that a program gives for the result `y` of `f`, as derived code computes with it.
pub fn accept(f: &Value, y: &Value, d: Value) -> Result<Value> {
    if let Err(mismatch) = conforms(y, &d, Giver::Seed)? {
        let name = show::function_name(f);
        let message = format!("this sensitivity doesn't fit the result of {name}{}", at(&mismatch.path));
        return Fault::new(codes::COTANGENT_MISMATCH, message)
            .note(format!("expected {}", mismatch.expected))
            .note(format!("found {}", mismatch.found))
            .help(mismatch.help("a backpropagator takes a sensitivity in the shape of the function's result"))
            .err();
    }
    raw_of(y, d)
}

fn at(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(", at `{path}`") }
}

/// What a rule returned: a value and a backpropagator, or how tangents are pushed.
fn rule_pair(f: &Value, answer: Value) -> Result<Value> {
    let answer = forced(answer)?;
    if let Value::Data(data) = &answer
        && let (Form::Tuple, [_, back]) = (&data.form, &data.fields[..])
        && matches!(force(back)?, Value::Function(_))
    {
        return Ok(answer);
    }
    let name = show::function_name(f);
    let (reverse, forward) = rule_kinds(f)?;
    let which = match (reverse, forward) {
        (false, true) => "the forward rule",
        (true, true) => "a rule",
        _ => "the reverse rule",
    };
    let mut fault = Fault::new(codes::RULE_NOT_A_PAIR, format!("{which} of `{name}` doesn't return a pair"));
    if reverse || !forward {
        fault = fault.note("expected `(y, dy => (captures, dx))`: the value and its backpropagator");
    }
    if forward {
        fault = fault.note("expected `(y, (dx, dcaptures) => dy)`: the value and how tangents are pushed");
    }
    fault.note(format!("found {}", show::described(&answer))).err()
}

/// Does the function have a reverse rule, a forward rule?
fn rule_kinds(f: &Value) -> Result<(bool, bool)> {
    let Value::Function(function) = force(f)? else { return Ok((false, false)) };
    let Function::Closure(closure) = &*function else { return Ok((false, false)) };
    let has = |kind| closure.code.lambda(closure.member).rule(kind).is_some();
    Ok((has(RuleKind::Reverse), has(RuleKind::Forward)))
}

/// The tangent that a forward rule gave for its value y: `q` is `(y, dy)`.
fn rule_tangent(f: &Value, q: Value) -> Result<Value> {
    let Some((y, dy)) = pair(&forced(q)?) else { return Ok(Value::Zero) };
    if let Err(mismatch) = conforms(&y, &dy, Giver::Rule)? {
        let name = show::function_name(f);
        let message =
            format!("the forward rule of `{name}` returns a tangent that doesn't fit its value{}", at(&mismatch.path));
        return Fault::new(codes::RULE_NOT_CONFORMING, message)
            .note(format!("expected {}", mismatch.expected))
            .note(format!("found {}", mismatch.found))
            .help("a tangent has the shape of its value; `zero(y)` is the one that says nothing")
            .err();
    }
    raw_of(&y, dy)
}

/// A tangent that a program gives for a value.
fn accept_tangent(x: &Value, d: Value) -> Result<Value> {
    if let Err(mismatch) = conforms(x, &d, Giver::Tangent)? {
        let of = if matches!(x, Value::Function(_)) { "the function's captures" } else { "the value" };
        let message = format!("this tangent doesn't fit {of}{}", at(&mismatch.path));
        return Fault::new(codes::COTANGENT_MISMATCH, message)
            .note(format!("expected {}", mismatch.expected))
            .note(format!("found {}", mismatch.found))
            .help(mismatch.help("a tangent has the shape of what changes; `zero(x)` is the one that says nothing"))
            .err();
    }
    raw_of(x, d)
}

/// A sensitivity or a tangent as derived code computes with it: what carries no derivative has the symbolic zero, never `()`.
fn raw_of(of: &Value, d: Value) -> Result<Value> {
    if matches!(d, Value::Zero) || !of.holds().has(Holds::DISCRETE) {
        return Ok(if matches!(d, Value::Zero) { d } else { full(of, d) });
    }
    // What a sensitivity holds is known when it unfolds.
    let of = &force(of)?;
    if !of.holds().has(Holds::REAL.and(Holds::FUNCTION)) {
        return Ok(Value::Zero);
    }
    deep(|| {
        let all = |values: &[Value], ds: &[Value]| {
            values.iter().zip(ds).map(|(of, d)| raw_of(of, d.clone())).collect::<Result<Vec<_>>>()
        };
        let given = force(&full(of, d))?;
        Ok(match (of, &given) {
            (Value::Data(of), Value::Data(d)) => Value::data(d.form.clone(), all(&of.fields, &d.fields)?),
            (Value::Function(function), Value::Data(d)) => match &**function {
                Function::Closure(closure) => Value::data(d.form.clone(), all(&closure.env.0, &d.fields)?),
                _ => given,
            },
            (Value::Array(of), Value::Array(d)) => match (&of.elements, &d.elements) {
                (Elements::Values(of), Elements::Values(ds)) => {
                    Value::array(Array::new(d.shape.clone(), Elements::Values(ds.like_these(all(of, ds)?))))
                }
                _ => given,
            },
            _ => given,
        })
    })
}

/// Checks C2 and C3 on what a rule's backpropagator returned: the captures' record and the argument's sensitivity.
fn rule_result(f: &Value, x: &Value, answer: Value) -> Result<Value> {
    let answer = forced(answer)?;
    let name = show::function_name(f);
    let Some((captures, dx)) = pair(&answer) else {
        return Fault::new(
            codes::RULE_NOT_A_PAIR,
            format!("the backpropagator of `{name}`'s rule doesn't return a pair"),
        )
        .note("expected `(captures, dx)`: a record of captures' sensitivities (`{}` for none) and that of the argument")
        .note(format!("found {}", show::described(&answer)))
        .err();
    };
    let captures = rule_captures(f, &name, forced(captures)?)?;
    if let Err(mismatch) = conforms(x, &dx, Giver::Rule)? {
        let message =
            format!("the rule of `{name}` returns a sensitivity that doesn't fit the argument{}", at(&mismatch.path));
        return not_conforming(message, &mismatch);
    }
    Ok(Value::pair(captures, dx))
}

fn pair(value: &Value) -> Option<(Value, Value)> {
    match value {
        Value::Data(data) if matches!(data.form, Form::Tuple) => match &data.fields[..] {
            [first, second] => Some((first.clone(), second.clone())),
            _ => None,
        },
        _ => None,
    }
}

fn not_conforming<T>(message: String, mismatch: &Mismatch) -> Result<T> {
    Fault::new(codes::RULE_NOT_CONFORMING, message)
        .note(format!("expected {}", mismatch.expected))
        .note(format!("found {}", mismatch.found))
        .help(mismatch.help("a sensitivity has the shape of its value; `zero(x)` is the one that says nothing"))
        .err()
}

/// The labels must be captures of the function; one that only names a top-level definition is dropped.
fn rule_captures(f: &Value, name: &str, captures: Value) -> Result<Value> {
    let (labels, fields) = match &captures {
        Value::Zero => return Ok(captures),
        Value::Data(data) => match &data.form {
            Form::Record(labels) => (labels.clone(), &data.fields),
            _ => return no_captures_record(name, &captures),
        },
        _ => return no_captures_record(name, &captures),
    };
    let Value::Function(function) = force(f)? else { return Ok(captures) };
    let Function::Closure(closure) = &*function else { return Ok(captures) };
    let known = closure.code.labels();
    let mentions = &closure.code.lambda(closure.member).mentions;
    let members = || closure.code.group.members.iter().filter_map(|member| member.name);
    let (mut kept, mut values) = (vec![], vec![]);
    for (label, value) in labels.iter().zip(fields) {
        if let Some(at) = known.iter().position(|name| name == label) {
            if let Err(mismatch) = conforms(&closure.env.0[at], value, Giver::Rule)? {
                let message = format!(
                    "the rule of `{name}` returns a sensitivity that doesn't fit `{label}`{}",
                    self::at(&mismatch.path)
                );
                return not_conforming(message, &mismatch);
            }
            kept.push(*label);
            values.push(value.clone());
        } else if !mentions.contains(label) && members().all(|member| member != *label) {
            return unknown_label(name, *label, &known);
        }
    }
    Ok(Value::record(kept.into(), values))
}

fn no_captures_record<T>(name: &str, found: &Value) -> Result<T> {
    Fault::new(codes::RULE_NOT_A_PAIR, format!("the rule of `{name}` doesn't return a record for its captures"))
        .note("expected a record such as `{a: da}`, or `{}` if no captured variable matters")
        .note(format!("found {}", show::described(found)))
        .err()
}

fn unknown_label<T>(name: &str, label: Name, known: &[Name]) -> Result<T> {
    let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    let fault = Fault::new(
        codes::UNKNOWN_LABEL,
        format!("the rule of `{name}` returns a sensitivity for `{label}`, which it doesn't capture"),
    );
    let fault = if names.is_empty() {
        fault.note("the function captures nothing")
    } else {
        fault.note(format!("it captures {}", names.join(", ")))
    };
    match suggest::nearest(label.as_str(), known.iter().map(|name| name.as_str())) {
        Some(near) => fault.help(format!("did you mean `{near}`?")).err(),
        None => fault.err(),
    }
}

/// The value itself, if there is something in it to differentiate with respect to.
fn differentiable(x: Value) -> Result<Value> {
    let x = forced(x)?;
    let holds = x.holds();
    if holds.has(Holds::REAL.and(Holds::FUNCTION)) || !holds.has(Holds::DISCRETE) {
        return Ok(x);
    }
    let found = show::described(&x);
    let fault =
        Fault::new(codes::NOTHING_TO_DIFFERENTIATE, format!("{found} holds no real to differentiate with respect to"));
    match x {
        Value::Int(i) => fault.note("ints carry no derivative").help(format!("write {i}.0")).err(),
        Value::Array(_) => fault.note("ints carry no derivative").help("write reals, as in `[1.0, 2.0]`").err(),
        _ => fault.help("write reals, as in 3.0").err(),
    }
}

/// The sensitivity 1 of a scalar.
fn seed(y: Value) -> Result<Value> {
    match forced(y)? {
        Value::Real(_) | Value::Int(_) => Ok(Value::Real(1.0)),
        other => {
            let found = show::described(&other);
            Fault::new(
                codes::NOT_A_SCALAR,
                format!("`grad` needs a function whose result is a number, but it returned {found}"),
            )
            .help("use `vjp(f, x)` and give the sensitivity of the result yourself")
            .help("or `jacobian(f)(x)` for all derivatives, or make it a number first, as in `sum(f(x))`")
            .err()
        }
    }
}
