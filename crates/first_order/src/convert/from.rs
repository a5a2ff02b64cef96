//! Values of the evaluator as typed values.

use std::rc::Rc;

use eval::array::{Array, Elements as EvalElements};
use eval::value::{Data, Form, Function, Lazy, Suspended};
use rustc_hash::FxHashMap;

use super::{Codes, Mismatch};
use crate::shape::{Alternative, Head, Shape, ShapeId, Shapes};
use crate::term::Type;
use crate::value::{Elements, Value};

pub(super) struct Conversion<'a> {
    shapes: &'a Shapes,
    codes: &'a dyn Codes,
    /// What shared values became, by their address; they are kept alive, since some are made only while others are unfolded.
    shared: FxHashMap<(*const (), ShapeId), (eval::Value, Value)>,
}

type Result<T> = std::result::Result<T, Mismatch>;

impl<'a> Conversion<'a> {
    pub fn new(shapes: &'a Shapes, codes: &'a dyn Codes) -> Conversion<'a> {
        Conversion { shapes, codes, shared: FxHashMap::default() }
    }

    pub fn value(&mut self, id: ShapeId, value: &eval::Value) -> Result<Value> {
        let shared = shared_address(value).map(|address| (address, id));
        if let Some((_, known)) = shared.and_then(|key| self.shared.get(&key)) {
            return Ok(known.clone());
        }
        let made = crate::deep(|| self.choose(self.shapes.get(id), value))?;
        if let Some(key) = shared {
            self.shared.insert(key, (value.clone(), made.clone()));
        }
        Ok(made)
    }

    fn choose(&mut self, shape: &Shape, value: &eval::Value) -> Result<Value> {
        if let eval::Value::Lazy(lazy) = value
            && let Some(made) = self.suspended(shape, lazy)
        {
            return Ok(made);
        }
        let value = eval::force(value).map_err(|fault| Mismatch(format!("unfolding: {}", fault.message)))?;
        if let eval::Value::Array(array) = &value
            && array.is_empty()
            && let Some(made) = self.without_elements(shape, array)
        {
            return Ok(made);
        }
        let mut reason = None;
        // A handle holds any array, so it comes last: first one of the array's rank.
        for turn in [Turn::Others, Turn::Handles, Turn::Stacked] {
            for (tag, alternative) in shape.alternatives.iter().enumerate() {
                if !turn.is_that_of(&alternative.head, &value) {
                    continue;
                }
                match self.alternative(alternative, &value) {
                    Ok(Some(content)) => return Ok(wrapped(shape, tag, content)),
                    Ok(None) => {}
                    Err(mismatch) => reason = Some(mismatch),
                }
            }
        }
        Err(reason.unwrap_or_else(|| none_fits(shape, &value)))
    }

    /// An array without elements fits many alternatives: its own kind comes first, then its own rank.
    fn without_elements(&mut self, shape: &Shape, array: &Array) -> Option<Value> {
        let of_rank = |one: &Alternative| one.head == Head::Array(array.shape.len() as u32);
        let tags: Vec<usize> = (0..shape.alternatives.len()).filter(|tag| of_rank(&shape.alternatives[*tag])).collect();
        let sample = array.elements.sample();
        let mut is_own = |tag: &usize| {
            let element = shape.alternatives[*tag].parts[0];
            sample.as_ref().is_none_or(|sample| self.value(element, sample).is_ok())
        };
        let tag = if tags.len() > 1 { tags.iter().copied().find(|tag| is_own(tag)) } else { None };
        let tag = tag.or(tags.first().copied())?;
        let element = shape.alternatives[tag].parts[0];
        let content = self.array(array.shape.len(), element, array).ok()??;
        Some(wrapped(shape, tag, content))
    }

    /// A sensitivity that isn't unfolded yet, where the shape has a place for it.
    fn suspended(&mut self, shape: &Shape, lazy: &Lazy) -> Option<Value> {
        let Suspended::Full { of, sensitivity } = &lazy.kind else { return None };
        let fulls = shape.alternatives.iter().enumerate().filter(|(_, one)| one.head == Head::Full);
        for (tag, alternative) in fulls {
            if let Ok(parts) = self.parts(&alternative.parts, [of, sensitivity]) {
                return Some(wrapped(shape, tag, parts));
            }
        }
        None
    }

    /// The content of an alternative; nothing if the head is another one.
    fn alternative(&mut self, Alternative { head, parts }: &Alternative, value: &eval::Value) -> Result<Option<Value>> {
        match (head, value) {
            (Head::Zero, eval::Value::Zero) => Ok(Some(Value::Unit)),
            (Head::Bool, eval::Value::Bool(b)) => Ok(Some(Value::Bool(*b))),
            (Head::Int, eval::Value::Int(i)) => Ok(Some(Value::Int(*i))),
            (Head::Real, eval::Value::Real(x)) => Ok(Some(Value::Real(*x))),
            (Head::Text, eval::Value::Text(text)) => Ok(Some(Value::Text(text.as_str().into()))),
            (Head::Handle(rank), eval::Value::Array(array)) => Ok(handle(value, *rank, &array.shape)),
            (Head::Handle(rank), eval::Value::Sparse(sparse)) => Ok(handle(value, *rank, &sparse.shape)),
            (Head::Frame(rank), eval::Value::Sparse(sparse)) => {
                let fits = sparse.is_zero() && sparse.shape.len() == *rank as usize;
                Ok(fits.then(|| Value::fields(sparse.shape.iter().map(|n| Value::Int(*n as i64)).collect())))
            }
            (Head::Array(rank), eval::Value::Array(array)) => self.array(*rank as usize, parts[0], array),
            (head, eval::Value::Data(data)) => self.data(head, parts, data),
            (head, eval::Value::Function(function)) => self.function(head, parts, function),
            _ => Ok(None),
        }
    }

    fn data(&mut self, head: &Head, parts: &[ShapeId], data: &Data) -> Result<Option<Value>> {
        let in_order = || (0..data.fields.len()).map(Some).collect();
        let order: Option<Vec<Option<usize>>> = match (head, &data.form) {
            (Head::Tuple, Form::Tuple) => Some(in_order()),
            (Head::Variant(wanted), Form::Variant(made)) if wanted == made => Some(in_order()),
            (Head::Record(wanted), Form::Record(labels)) => reordered(wanted, labels),
            (Head::Part(wanted, at), Form::Part(made, positions)) if wanted == made => reordered(at, positions),
            _ => None,
        };
        let Some(order) = order.filter(|order| order.len() == parts.len()) else { return Ok(None) };
        // What isn't there is the symbolic zero, where that may be.
        let may_be_zero =
            |shape: &ShapeId| self.shapes.get(*shape).alternatives.iter().any(|one| one.head == Head::Zero);
        if order.iter().zip(parts).any(|(at, part)| at.is_none() && !may_be_zero(part)) {
            return Ok(None);
        }
        let missing = eval::Value::Zero;
        self.parts(parts, order.iter().map(|at| at.map_or(&missing, |at| &data.fields[at]))).map(Some)
    }

    fn function(&mut self, head: &Head, parts: &[ShapeId], function: &Function) -> Result<Option<Value>> {
        match (head, function) {
            (Head::Prim { prim, order }, Function::Prim { prim: found, order: found_order }) => {
                Ok((prim == found && order == found_order).then_some(Value::Unit))
            }
            (Head::Sealed { modes }, Function::Sealed { raw, f, x, y, modes: found }) if **modes == **found => {
                self.parts(parts, [raw, f, x, y]).map(Some)
            }
            (Head::Closure { code, member }, Function::Closure(closure))
                if *member == closure.member
                    && parts.len() == closure.env.0.len()
                    && self.codes.is(*code, &closure.code) =>
            {
                self.parts(parts, &closure.env.0).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn parts<'v>(&mut self, shapes: &[ShapeId], values: impl IntoIterator<Item = &'v eval::Value>) -> Result<Value> {
        let parts = shapes.iter().zip(values).map(|(shape, value)| self.value(*shape, value));
        Ok(Value::fields(parts.collect::<Result<_>>()?))
    }

    fn array(&mut self, rank: usize, element: ShapeId, array: &Array) -> Result<Option<Value>> {
        let real = self.shapes.type_of(element) == Type::Real;
        if array.is_empty() && fits(rank, &array.shape) {
            let shape = if array.shape.len() == rank { array.shape.clone() } else { vec![0; rank] };
            let elements = if real { Elements::Real(vec![]) } else { Elements::Values(vec![]) };
            return Ok(Some(Value::array(shape, elements)));
        }
        if array.shape.len() != rank {
            return Ok(None);
        }
        let elements = match &array.elements {
            _ if array.has_hole() => {
                return Err(Mismatch("an array of numbers, found one in which zeros are symbolic".into()));
            }
            EvalElements::Real(reals) if real => Elements::Real(reals.clone()),
            _ => {
                let values = (0..array.size()).map(|at| self.value(element, &array.at(at)));
                let values = values.collect::<Result<Vec<_>>>()?;
                if real { Elements::Real(values.iter().map(number).collect()) } else { Elements::Values(values) }
            }
        };
        Ok(Some(Value::array(array.shape.clone(), elements)))
    }
}

/// Is it the shape of an array of this rank? The empty array of rank 1 counts for every rank.
fn fits(rank: usize, shape: &[usize]) -> bool {
    shape.len() == rank || shape == [0]
}

/// In which order alternatives are tried.
#[derive(PartialEq)]
enum Turn {
    Others,
    /// Handles of the rank that the array has.
    Handles,
    Stacked,
}

impl Turn {
    fn is_that_of(&self, head: &Head, value: &eval::Value) -> bool {
        let own = match (head, value) {
            (Head::Handle(rank), eval::Value::Array(array)) if array.shape.len() == *rank as usize => Turn::Handles,
            (Head::Handle(rank), eval::Value::Sparse(sparse)) if sparse.shape.len() == *rank as usize => Turn::Handles,
            (Head::Handle(_), _) => Turn::Stacked,
            _ => Turn::Others,
        };
        *self == own
    }
}

/// A handle to an array of sensitivities that are arrays themselves may find them stacked.
fn handle(value: &eval::Value, rank: u32, shape: &[usize]) -> Option<Value> {
    (fits(rank as usize, shape) || shape.len() > rank as usize).then(|| Value::Handle(value.clone()))
}

/// The address of what others may see too.
fn shared_address(value: &eval::Value) -> Option<*const ()> {
    fn of<T>(shared: &Rc<T>) -> Option<*const ()> {
        (Rc::strong_count(shared) > 1).then(|| Rc::as_ptr(shared).cast())
    }
    match value {
        eval::Value::Data(data) => of(data),
        eval::Value::Array(array) => of(array),
        eval::Value::Function(function) => of(function),
        eval::Value::Lazy(lazy) => of(lazy),
        _ => None,
    }
}

/// For each of the wanted keys where it is found, if all that is found is wanted.
fn reordered<T: PartialEq>(wanted: &[T], found: &[T]) -> Option<Vec<Option<usize>>> {
    let known = found.iter().all(|key| wanted.contains(key));
    known.then(|| wanted.iter().map(|key| found.iter().position(|other| other == key)).collect())
}

fn wrapped(shape: &Shape, tag: usize, content: Value) -> Value {
    let content = if shape.alternatives.len() > 1 { Value::sum(tag as u32, content) } else { content };
    if shape.named.is_some() { Value::named(content) } else { content }
}

fn number(value: &Value) -> f64 {
    match value {
        Value::Real(x) => *x,
        other => unreachable!("convert: {other:?} is no real"),
    }
}

fn none_fits(shape: &Shape, value: &eval::Value) -> Mismatch {
    let wanted: Vec<String> = shape.alternatives.iter().map(|alternative| describe(&alternative.head)).collect();
    let wanted = if wanted.is_empty() { "no value".into() } else { wanted.join(" or ") };
    Mismatch(format!("expected {wanted}, found {}", eval::show::described(value)))
}

fn describe(head: &Head) -> String {
    match head {
        Head::Zero => "the symbolic zero".into(),
        Head::Bool => "a boolean".into(),
        Head::Int => "an int".into(),
        Head::Real => "a real".into(),
        Head::Text => "a text".into(),
        Head::Tuple => "a tuple".into(),
        Head::Record(labels) => {
            let labels: Vec<&str> = labels.iter().map(|label| label.as_str()).collect();
            format!("a record of {}", labels.join(", "))
        }
        Head::Variant(constructor) => format!("a value made by `{}`", constructor.name),
        Head::Part(..) => "a part of a sensitivity".into(),
        Head::Array(rank) => format!("an array of rank {rank}"),
        Head::Handle(rank) => format!("a sensitivity of an array of rank {rank}"),
        Head::Frame(rank) => format!("the frame of an array of rank {rank}"),
        Head::Closure { code, member } => format!("function {member} of code {}", code.0),
        Head::Prim { prim, order: 0 } => format!("`{prim}`"),
        Head::Prim { prim, order } => format!("J^{order} of `{prim}`"),
        Head::Sealed { .. } => "a backpropagator".into(),
        Head::Full => "a sensitivity to be unfolded".into(),
    }
}
