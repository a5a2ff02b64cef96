//! Why a part of a gradient is zero: what `evert why-zero` explains.
//!
//! In: a file's text, the name of a function, an argument if one is given. Out: for each number of the argument whose gradient is exactly 0, where
//! its influence ends. The function runs at the argument, and twice more with that number moved a little; a watch notes every operation of
//! the program. An operation that sees the move in its operands but not in its value, or that makes a truth value, an int or a text of
//! them, is an end (`ends`). So branches, loops, recursion and closures are what they were in that run. Nothing is printed here.

mod ends;
mod traces;

use base::{Diagnostic, Span, codes};
use calculus::Root;
use elaborate::Binding;
use eval::array::{Array, Elements};
use eval::value::Form;
use eval::{Value, show};
use syntax::Tree;
use syntax::ast::{Pattern, Statement};

use crate::deriving::{run_definitions, samples};
use crate::session::{Failure, Session};

pub use ends::End;

/// So many numbers of an argument are explained.
const MOST: usize = 12;
/// One run may take so many steps of the evaluator.
const STEPS: u64 = 5_000_000;

/// What was found out about a function at an argument.
#[derive(Debug)]
pub struct Report {
    pub function: String,
    pub input: String,
    pub gradient: String,
    pub zeros: Vec<Zero>,
    /// How many more numbers have the gradient 0.
    pub left_out: usize,
}

/// A number of the argument, and why its gradient is 0.
#[derive(Debug)]
pub struct Zero {
    /// The number as the program would write it: `x`, `p.a`, `v[2]`.
    pub name: String,
    pub cause: Cause,
    /// Where its influence ends, in the order of the run.
    pub ends: Vec<End>,
    /// Another argument at which its gradient isn't 0, and that gradient.
    pub elsewhere: Option<(String, f64)>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It is an int, and ints carry no derivative.
    Int,
    /// The function doesn't mention its parameter.
    NotMentioned,
    /// It is mentioned only where this run didn't come by.
    NotReached(Vec<Span>),
    /// All that it influences ends somewhere.
    Ends,
    /// The result depends on it, but something on the way says that the slope is 0: `stop_gradient`, or a rule.
    Said,
    /// The result depends on it; the slope happens to be 0 at this argument.
    Flat,
    /// The function's result is no number.
    NoNumber,
}

/// Explains the zeros of the gradient of a function of a file, at an argument as text, or at one that the file uses or that is drawn.
pub fn explain(
    session: &mut Session,
    file: &str,
    text: &str,
    function: &str,
    argument: Option<&str>,
) -> Result<Report, Failure> {
    let (tree, module) = session.load(file, text)?;
    run_definitions(session, &module)?;
    let Some(f @ Value::Function(_)) = session.get(function) else {
        let error = Diagnostic::new(
            codes::NOT_DERIVED,
            Span::new(tree.file(), 0, 0),
            format!("there is no function `{function}` in the file"),
        );
        return Err(vec![error.help("name a function that is defined at top level")]);
    };
    let inputs = match argument {
        Some(given) => vec![session.evaluate(&format!("({given})"))?],
        None => samples::of(session, file, text, function)?,
    };
    let names = parameters(&tree, function);
    let mut first_error = None;
    let mut reports = vec![];
    for (at, x) in inputs.iter().enumerate() {
        match gradient(session, &f, x) {
            Ok(gradient) => {
                let others: Vec<&Value> = inputs.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, x)| x).collect();
                let asked = Asked { session, tree: &tree, function, f: &f, names: &names };
                reports.push(asked.report(x, &gradient, &others));
            }
            Err(error) => first_error = first_error.or(Some(error)),
        }
        if reports.last().is_some_and(|report| !report.zeros.is_empty()) {
            break;
        }
    }
    match (reports.pop(), first_error) {
        (Some(report), _) => Ok(report),
        (None, Some(error)) => Err(vec![*error]),
        (None, None) => {
            let error = Diagnostic::new(
                codes::NOT_DERIVED,
                Span::new(tree.file(), 0, 0),
                format!("there is no argument at which `{function}` could be tried"),
            );
            Err(vec![error.help(format!("say where: evert why-zero FILE {function} ARGUMENT"))])
        }
    }
}

/// The names of a function's parameters; patterns have none.
fn parameters(tree: &Tree, function: &str) -> Vec<String> {
    let found = tree.statements().into_iter().find_map(|node| match tree.statement(node) {
        Statement::Fn(found) if found.name.name.as_str() == function => Some(found),
        _ => None,
    });
    let params = found.map_or(vec![], |found| found.params);
    let name = |(at, node): (usize, &syntax::NodeId)| match tree.pattern(*node) {
        Pattern::Name(name) => name.to_string(),
        _ => format!("argument {}", at + 1),
    };
    params.iter().enumerate().map(name).collect()
}

/// The gradient of f at x; of what isn't a number, of its product with random numbers.
fn gradient(session: &mut Session, f: &Value, x: &Value) -> base::Result<Value> {
    let outer = session.machine.max_steps.replace(STEPS);
    let result = session.quietly(|session| {
        let vjp = of_library(session, "vjp");
        let pair = session.call(&vjp, Value::pair(f.clone(), x.clone()))?;
        let (y, pull) = (field(&pair, 0), field(&pair, 1));
        let seed = match y {
            Value::Real(_) => Value::Real(1.0),
            y => reals_only(&y, &mut 0),
        };
        session.call(&pull, seed)
    });
    session.machine.max_steps = outer;
    result
}

/// A sensitivity of a value without structure in it: different numbers for its reals.
fn reals_only(y: &Value, count: &mut u32) -> Value {
    let mut next = || {
        *count += 1;
        1.0 + 0.37 * f64::from(*count % 11)
    };
    match y {
        Value::Real(_) => Value::Real(next()),
        Value::Array(array) => match &array.elements {
            Elements::Real(reals) => {
                let seeds = reals.iter().map(|_| next()).collect();
                Value::array(Array::new(array.shape.clone(), Elements::Real(seeds)))
            }
            _ => y.clone(),
        },
        Value::Data(data) if !data.fields.is_empty() => {
            let fields = data.fields.iter().map(|part| reals_only(part, count)).collect();
            Value::data(data.form.clone(), fields)
        }
        Value::Bool(_) | Value::Int(_) | Value::Text(_) => Value::unit(),
        other => other.clone(),
    }
}

fn of_library(session: &Session, name: &str) -> Value {
    let value = match session.prelude().get(base::Name::new(name)) {
        Some(Binding::Root(Root::Global(id))) => session.machine.global(*id).cloned(),
        _ => None,
    };
    value.expect("the library has it")
}

fn field(value: &Value, at: usize) -> Value {
    match eval::force(value) {
        Ok(Value::Data(data)) if at < data.fields.len() => eval::force(&data.fields[at]).unwrap_or(Value::Zero),
        _ => Value::Zero,
    }
}

/// A number inside a value: its name, the way to it, and what is there.
#[derive(Clone)]
struct Leaf {
    name: String,
    way: Vec<usize>,
    is_int: bool,
}

/// The numbers of an argument in order.
fn leaves(x: &Value, names: &[String]) -> Vec<Leaf> {
    let mut found = vec![];
    match (names, x) {
        ([_, _, ..], Value::Data(data)) if matches!(data.form, Form::Tuple) && data.fields.len() == names.len() => {
            for (at, (part, name)) in data.fields.iter().zip(names).enumerate() {
                walk(part, name, &mut vec![at], &mut found);
            }
        }
        _ => walk(x, names.first().map_or("the argument", String::as_str), &mut vec![], &mut found),
    }
    found
}

fn walk(x: &Value, name: &str, way: &mut Vec<usize>, found: &mut Vec<Leaf>) {
    let leaf = |name: String, way: &[usize], is_int| Leaf { name, way: way.to_vec(), is_int };
    let Ok(x) = eval::force(x) else { return };
    match &x {
        Value::Real(_) => found.push(leaf(name.to_string(), way, false)),
        Value::Int(_) => found.push(leaf(name.to_string(), way, true)),
        Value::Array(array) => match &array.elements {
            Elements::Real(reals) => {
                for at in 0..reals.len() {
                    way.push(at);
                    found.push(leaf(format!("{name}[{}]", index_text(at, &array.shape)), way, false));
                    way.pop();
                }
            }
            // An array of ints is there to index with, as a rule: one line for all.
            Elements::Int(_) => found.push(leaf(name.to_string(), way, true)),
            Elements::Bool(_) => {}
            Elements::Values(_) => {
                for (at, part) in array.values().iter().enumerate() {
                    way.push(at);
                    walk(part, &format!("{name}[{}]", index_text(at, &array.shape)), way, found);
                    way.pop();
                }
            }
        },
        Value::Data(data) => {
            for (at, part) in data.fields.iter().enumerate() {
                let name = match &data.form {
                    Form::Record(labels) => format!("{name}.{}", labels[at]),
                    Form::Variant(constructor) => match constructor.fields.get(at) {
                        Some(label) => format!("{name}.{label}"),
                        None => format!("{name}.{at}"),
                    },
                    Form::Tuple | Form::Part(..) => format!("{name}.{at}"),
                };
                way.push(at);
                walk(part, &name, way, found);
                way.pop();
            }
        }
        _ => {}
    }
}

/// Where the n-th element of an array is.
fn index_text(mut at: usize, shape: &[usize]) -> String {
    let mut places = vec![];
    for length in shape.iter().rev() {
        places.push((at % length.max(&1)).to_string());
        at /= length.max(&1);
    }
    places.reverse();
    places.join(", ")
}

/// The real at a place; `None` if there is none.
fn real_at(x: &Value, way: &[usize]) -> Option<f64> {
    let x = eval::force(x).ok()?;
    match (&x, way) {
        (Value::Real(r), []) => Some(*r),
        (Value::Zero, _) => Some(0.0),
        (Value::Array(array), [at, rest @ ..]) => match (&array.elements, rest) {
            (Elements::Real(reals), []) => reals.get(*at).copied(),
            _ => real_at(array.values().get(*at)?, rest),
        },
        (Value::Data(data), [at, rest @ ..]) => real_at(data.fields.get(*at)?, rest),
        _ => None,
    }
}

/// The same value with another real at a place.
fn with_real(x: &Value, way: &[usize], to: f64) -> Value {
    let Ok(x) = eval::force(x) else { return x.clone() };
    match (&x, way) {
        (Value::Real(_), []) => Value::Real(to),
        (Value::Array(array), [at, rest @ ..]) => {
            let elements = match (&array.elements, rest) {
                (Elements::Real(reals), []) => {
                    let mut reals = reals.clone();
                    reals[*at] = to;
                    Elements::Real(reals)
                }
                _ => {
                    let mut values: Vec<Value> = array.values().to_vec();
                    values[*at] = with_real(&values[*at], rest, to);
                    Elements::Values(values.into())
                }
            };
            Value::array(Array::new(array.shape.clone(), elements))
        }
        (Value::Data(data), [at, rest @ ..]) => {
            let mut fields = data.fields.clone();
            fields[*at] = with_real(&fields[*at], rest, to);
            Value::data(data.form.clone(), fields)
        }
        _ => x,
    }
}

/// One function at one argument.
struct Asked<'a> {
    session: &'a mut Session,
    tree: &'a Tree,
    function: &'a str,
    f: &'a Value,
    names: &'a [String],
}

impl Asked<'_> {
    fn report(mut self, x: &Value, gradient: &Value, others: &[&Value]) -> Report {
        let leaves = leaves(x, self.names);
        let is_zero = |leaf: &&Leaf| leaf.is_int || real_at(gradient, &leaf.way) == Some(0.0);
        let zero: Vec<Leaf> = leaves.iter().filter(is_zero).cloned().collect();
        let left_out = zero.len().saturating_sub(MOST);
        let zeros = zero.into_iter().take(MOST).map(|leaf| self.zero(x, &leaf, others)).collect();
        Report {
            function: self.function.to_string(),
            input: show::short(x),
            gradient: show::short(gradient),
            zeros,
            left_out,
        }
    }

    fn zero(&mut self, x: &Value, leaf: &Leaf, others: &[&Value]) -> Zero {
        let name = leaf.name.clone();
        if leaf.is_int {
            return Zero { name, cause: Cause::Int, ends: vec![], elsewhere: None };
        }
        let (cause, ends) = self.cause(x, leaf);
        let elsewhere = others.iter().find_map(|other| {
            let slope = real_at(&gradient(self.session, self.f, other).ok()?, &leaf.way)?;
            (slope != 0.0 && slope.is_finite()).then(|| (show::short(other), slope))
        });
        Zero { name, cause, ends, elsewhere }
    }

    fn cause(&mut self, x: &Value, leaf: &Leaf) -> (Cause, Vec<End>) {
        let here = traces::run(self.session, self.f, x, STEPS);
        if here.value.as_ref().is_some_and(|y| !y.holds().has(eval::value::Holds::REAL)) {
            let ends = self.ends(x, leaf, &here);
            return (Cause::NoNumber, ends.0);
        }
        let (ends, arrives) = self.ends(x, leaf, &here);
        let stops = ends.iter().any(|end| end.says_zero);
        let cause = match () {
            () if arrives && stops => Cause::Said,
            () if arrives => Cause::Flat,
            () if !ends.is_empty() => Cause::Ends,
            () => self.unused(leaf, &here),
        };
        let ends = match cause {
            // The others don't matter: the result depends on it by another way.
            Cause::Said => ends.into_iter().filter(|end| end.says_zero).collect(),
            Cause::Flat => vec![],
            _ => ends,
        };
        (cause, ends)
    }

    /// Where the influence of a number ends, and whether it arrives at the result.
    fn ends(&mut self, x: &Value, leaf: &Leaf, here: &traces::Trace) -> (Vec<End>, bool) {
        let Some(r) = real_at(x, &leaf.way) else { return (vec![], false) };
        // As large as the run stays the same one: small moves are lost in sums.
        let mut best: Option<traces::Trace> = None;
        for step in [1e-3, -1e-3, 1e-6, -1e-6] {
            let moved = with_real(x, &leaf.way, r + step * r.abs().max(0.5));
            let trace = traces::run(self.session, self.f, &moved, STEPS);
            if best.as_ref().is_none_or(|best| here.common(&trace) > here.common(best)) {
                best = Some(trace);
            }
            if best.as_ref().is_some_and(|best| here.common(best) == here.operations.len()) {
                break;
            }
        }
        let Some(best) = best else { return (vec![], false) };
        let arrives = here.common(&best) == here.operations.len() && !here.same_value(&best);
        let mut ends = ends::of(here, &best);
        ends.retain(|end| end.rule.as_ref().is_none_or(|rule| self.rule_says_zero(rule)));
        (ends, arrives)
    }

    /// Does the rule of a function say that its slope is 0 there? Of a local function nobody knows.
    fn rule_says_zero(&mut self, rule: &ends::Ruled) -> bool {
        let Some(f @ Value::Function(_)) = rule.name.as_ref().and_then(|name| self.session.get(name)) else {
            return true;
        };
        let Ok(slope) = gradient(self.session, &f, &rule.x) else { return true };
        let numbers = leaves(&rule.x, &[]);
        numbers.iter().all(|leaf| leaf.is_int || real_at(&slope, &leaf.way) == Some(0.0))
    }

    /// Nothing sees it.
    fn unused(&self, leaf: &Leaf, here: &traces::Trace) -> Cause {
        let root = leaf.name.split(['.', '[']).next().unwrap_or_default();
        let mentions = self.mentions(root);
        let ran = |span: &Span| {
            here.operations.iter().any(|operation| {
                let at = operation.span;
                at.file == span.file && at.start <= span.start && span.end <= at.end
            })
        };
        let inner: Vec<Span> = mentions.iter().filter(|span| !ran(span)).copied().collect();
        match () {
            () if mentions.is_empty() => Cause::NotMentioned,
            () if !inner.is_empty() => Cause::NotReached(inner),
            () => Cause::NotReached(mentions),
        }
    }

    /// Where the function's body mentions a name.
    fn mentions(&self, name: &str) -> Vec<Span> {
        let function = self.tree.statements().into_iter().find_map(|node| match self.tree.statement(node) {
            Statement::Fn(found) if found.name.name.as_str() == self.function => Some(found.body),
            _ => None,
        });
        let Some(body) = function else { return vec![] };
        let within = self.tree.span(body);
        let tokens = self.tree.tokens().iter();
        let named = tokens.filter(|token| {
            token.start >= within.start && token.end <= within.end && self.tree.token_text(token) == name
        });
        named.map(|token| Span::new(within.file, token.start as usize, token.end as usize)).collect()
    }
}
