//! Arrays: parts, rearrangement, sums and orders.

use std::cmp::Ordering;
use std::rc::Rc;

use calculus::Prim;

use super::prims::elementwise;
use super::real::Real;
use super::value::{Array, Form, Val};
use super::{Failure, Oracle, ties};

type Result<T> = std::result::Result<T, Failure>;

impl Oracle<'_> {
    pub(super) fn array_prim(&mut self, prim: Prim, x: &Val) -> Result<Val> {
        match prim {
            Prim::Len => match x {
                Val::Text(text) => Ok(Val::Int(text.chars().count() as i64)),
                _ => Ok(Val::Int(array(x)?.len() as i64)),
            },
            Prim::Shape => Ok(Val::ints(array(x)?.shape.iter().map(|n| *n as i64))),
            Prim::Iota => Ok(Val::ints(0..int(x)?.max(0))),
            Prim::Tabulate => {
                let [n, f] = x.parts()?;
                self.tabulate(int(&n)?, &f)
            }
            Prim::Index => {
                let [a, i] = x.parts()?;
                let a = array(&a)?;
                Ok(Part::read(&i, &a.shape)?.of(&a))
            }
            Prim::Update => {
                let [a, i, v] = x.parts()?;
                update(&*array(&a)?, &i, &v)
            }
            Prim::ScatterAdd => {
                let [a, indices, values] = x.parts()?;
                scatter_add(a, &*array(&indices)?, &*array(&values)?)
            }
            Prim::Reshape => {
                let [a, shape] = x.parts()?;
                reshape(&*array(&a)?, &shape)
            }
            Prim::Concat => {
                let [a, b] = x.parts()?;
                concat(array(&a)?, array(&b)?)
            }
            Prim::Transpose => transpose(&*array(x)?),
            Prim::Reversed => {
                let a = array(x)?;
                let rows: Vec<Val> = a.rows().into_iter().rev().collect();
                if rows.is_empty() { Ok(x.clone()) } else { Val::array(rows) }
            }
            Prim::Sum => sum(&*array(x)?),
            Prim::ArgMin => extreme(&*array(x)?, Ordering::Less),
            Prim::ArgMax => extreme(&*array(x)?, Ordering::Greater),
            Prim::ArgSort => argsort(&*array(x)?),
            Prim::Where => {
                let a = array(x)?;
                let held = a.elements.iter().enumerate().filter(|(_, element)| matches!(element, Val::Bool(true)));
                Ok(Val::ints(held.map(|(i, _)| i as i64)))
            }
            other => Err(Failure::Uncovered(format!("`{other}`"))),
        }
    }

    fn tabulate(&mut self, n: i64, f: &Val) -> Result<Val> {
        let rows = (0..n.max(0)).map(|i| self.apply(f, &Val::Int(i))).collect::<Result<Vec<_>>>()?;
        if !rows.is_empty() {
            return Val::array(rows);
        }
        // What an element would be; that there is none is no error.
        let before = self.steps;
        let sample = self.apply(f, &Val::Int(0)).ok();
        self.steps = before;
        Ok(Val::Array(Rc::new(match sample {
            Some(Val::Array(row)) => Array::new(vec![0; row.shape.len() + 1], vec![], row.sample.clone()),
            sample => Array::new(vec![0], vec![], sample),
        })))
    }
}

fn array(x: &Val) -> Result<Rc<Array>> {
    match x {
        Val::Array(array) => Ok(array.clone()),
        _ => Err(Failure::program("no array")),
    }
}

fn int(x: &Val) -> Result<i64> {
    match x {
        Val::Int(i) => Ok(*i),
        _ => Err(Failure::program("no int")),
    }
}

/// A part of an array: for each axis that is mentioned, which positions, and whether the axis stays.
struct Part(Vec<(usize, usize, bool)>);

impl Part {
    fn read(spec: &Val, shape: &[usize]) -> Result<Part> {
        let items = match spec {
            Val::Data(data) if data.form == Form::Tuple => data.fields.clone(),
            item => vec![item.clone()],
        };
        if items.len() > shape.len() {
            return Err(Failure::program("more indices than axes"));
        }
        items.iter().zip(shape).map(|(item, n)| Part::axis(item, *n)).collect::<Result<_>>().map(Part)
    }

    fn axis(item: &Val, length: usize) -> Result<(usize, usize, bool)> {
        let end = |value: &Val, absent: usize| match value {
            Val::Int(i) if *i >= 0 && *i as usize <= length => Ok(*i as usize),
            unit if unit.is_unit() => Ok(absent),
            _ => Err(Failure::program("a range out of range")),
        };
        match item {
            Val::Int(i) if *i >= 0 && (*i as usize) < length => Ok((*i as usize, *i as usize + 1, false)),
            unit if unit.is_unit() => Ok((0, length, true)),
            Val::Data(data) if data.fields.len() == 2 => {
                let (from, to) = (end(&data.fields[0], 0)?, end(&data.fields[1], length)?);
                if from > to { Err(Failure::program("a range out of range")) } else { Ok((from, to, true)) }
            }
            _ => Err(Failure::program("an index out of range")),
        }
    }

    fn offsets(&self, shape: &[usize]) -> Vec<usize> {
        let mut offsets = vec![0];
        for (axis, length) in shape.iter().enumerate() {
            let (from, to, _) = self.0.get(axis).copied().unwrap_or((0, *length, true));
            offsets = offsets.iter().flat_map(|start| (from..to).map(move |i| start * length + i)).collect();
        }
        offsets
    }

    fn shape(&self, shape: &[usize]) -> Vec<usize> {
        let kept = self.0.iter().filter(|(_, _, stays)| *stays).map(|(from, to, _)| to - from);
        kept.chain(shape[self.0.len()..].iter().copied()).collect()
    }

    fn of(&self, array: &Array) -> Val {
        let offsets = self.offsets(&array.shape);
        let shape = self.shape(&array.shape);
        if shape.is_empty() {
            return array.elements[offsets[0]].clone();
        }
        let elements = offsets.iter().map(|at| array.elements[*at].clone()).collect();
        Val::Array(Rc::new(Array::new(shape, elements, array.sample.clone())))
    }
}

fn update(a: &Array, spec: &Val, value: &Val) -> Result<Val> {
    let part = Part::read(spec, &a.shape)?;
    let offsets = part.offsets(&a.shape);
    let shape = part.shape(&a.shape);
    let new = match value {
        Val::Array(new) if !shape.is_empty() && new.shape == shape => new.elements.clone(),
        Val::Array(_) => return Err(Failure::program("a new part of another shape")),
        scalar if shape.is_empty() => vec![scalar.clone()],
        _ => return Err(Failure::program("a new part of another shape")),
    };
    let mut elements = a.elements.clone();
    offsets.iter().zip(new).for_each(|(at, value)| elements[*at] = value);
    Ok(Val::Array(Rc::new(Array::new(a.shape.clone(), elements, a.sample.clone()))))
}

fn scatter_add(mut total: Val, indices: &Array, values: &Array) -> Result<Val> {
    if indices.len() != values.len() {
        return Err(Failure::program("as many values as indices are needed"));
    }
    for k in 0..indices.len() {
        let here = array(&total)?;
        let index = indices.row(k);
        let old = Part::read(&index, &here.shape)?.of(&here);
        total = update(&here, &index, &elementwise(Prim::Add, &old, &values.row(k))?)?;
    }
    Ok(total)
}

fn reshape(a: &Array, shape: &Val) -> Result<Val> {
    let lengths = match shape {
        Val::Int(n) => vec![*n],
        Val::Array(lengths) => lengths.elements.iter().map(int).collect::<Result<_>>()?,
        _ => return Err(Failure::program("no shape")),
    };
    let lengths: Vec<usize> = lengths.into_iter().map(|n| usize::try_from(n).unwrap_or(usize::MAX)).collect();
    let size = lengths.iter().try_fold(1usize, |size, n| size.checked_mul(*n));
    if lengths.is_empty() || size != Some(a.elements.len()) {
        return Err(Failure::program("a shape that doesn't fit"));
    }
    Ok(Val::Array(Rc::new(Array::new(lengths, a.elements.clone(), a.sample.clone()))))
}

fn concat(a: Rc<Array>, b: Rc<Array>) -> Result<Val> {
    if a.is_empty() && a.shape[1..] != b.shape[1..] || a.is_empty() && b.is_empty() {
        return Ok(Val::Array(b));
    }
    if b.is_empty() && a.shape[1..] != b.shape[1..] {
        return Ok(Val::Array(a));
    }
    if a.shape[1..] != b.shape[1..] {
        return Err(Failure::program("rows of different shapes"));
    }
    let mut shape = a.shape.clone();
    shape[0] += b.shape[0];
    let elements = a.elements.iter().chain(&b.elements).cloned().collect();
    Ok(Val::Array(Rc::new(Array::new(shape, elements, a.sample.clone()))))
}

fn transpose(a: &Array) -> Result<Val> {
    let [rows, columns, inner @ ..] = &a.shape[..] else {
        return if a.is_empty() { Ok(Val::Array(Rc::new(a.clone()))) } else { Err(Failure::program("one axis")) };
    };
    let block: usize = inner.iter().product();
    let mut elements = vec![];
    for j in 0..*columns {
        for i in 0..*rows {
            let start = (i * columns + j) * block;
            elements.extend(a.elements[start..start + block].iter().cloned());
        }
    }
    let shape = [*columns, *rows].into_iter().chain(inner.iter().copied()).collect();
    Ok(Val::Array(Rc::new(Array::new(shape, elements, a.sample.clone()))))
}

fn sum(a: &Array) -> Result<Val> {
    if a.is_ints() {
        let total = a.elements.iter().try_fold(0i64, |total, element| total.checked_add(int(element).ok()?));
        return total.map(Val::Int).ok_or_else(|| Failure::program("an int out of range"));
    }
    Ok(Val::Real(a.numbers()?.iter().fold(Real::zero(), |total, x| &total + x)))
}

fn extreme(a: &Array, wanted: Ordering) -> Result<Val> {
    let numbers = a.numbers()?;
    if numbers.is_empty() {
        return Err(Failure::program("an empty array"));
    }
    let best = (1..numbers.len()).fold(0, |best, i| {
        let beats = numbers[i].compare(&numbers[best]) == Some(wanted) || numbers[i].is_nan();
        if beats && !numbers[best].is_nan() { i } else { best }
    });
    ties::note(best as i64);
    let equal = numbers.iter().filter(|x| x.compare(&numbers[best]) == Some(Ordering::Equal)).count();
    ties::note(equal as i64);
    Ok(Val::Int(best as i64))
}

fn argsort(a: &Array) -> Result<Val> {
    let numbers = a.numbers()?;
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&i, &j| {
        let (x, y) = (&numbers[i], &numbers[j]);
        x.compare(y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()))
    });
    for pair in order.windows(2) {
        let order = numbers[pair[0]].compare(&numbers[pair[1]]);
        ties::note(2 * pair[0] as i64 + i64::from(order == Some(Ordering::Equal)));
    }
    Ok(Val::ints(order.into_iter().map(|i| i as i64)))
}
