//! Which part of an array an index expression means: `a[i]`, `a[i, j]`, `a[i..j, ..]`.

use crate::array::Array;
use crate::value::{Form, Value};

/// What is asked of one axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    At(usize),
    Range(usize, usize),
}

/// A part of an array of known shape; axes that aren't mentioned are taken whole.
#[derive(Clone, PartialEq, Debug)]
pub struct Region {
    axes: Vec<Axis>,
}

/// Why an index expression means nothing for an array.
#[derive(Debug)]
pub enum BadIndex {
    /// Axis, index, length
    OutOfRange(usize, i64, usize),
    /// What was found instead of an int
    NotAnInt(Value),
    /// More indices than axes
    TooMany(usize),
}

impl Region {
    /// Reads the index operand of `Prim::Index`: an int, or a tuple of ints, ranges `(from, to)` and `()`.
    pub fn read(spec: &Value, shape: &[usize]) -> Result<Region, BadIndex> {
        let items = match spec {
            Value::Data(data) if matches!(data.form, Form::Tuple) => data.fields.clone(),
            item => vec![item.clone()],
        };
        if items.len() > shape.len() {
            return Err(BadIndex::TooMany(items.len()));
        }
        let axes = items.iter().zip(shape).enumerate();
        let axes = axes.map(|(axis, (item, &length))| read_axis(axis, item, length)).collect::<Result<_, _>>()?;
        Ok(Region { axes })
    }

    /// The part that is nearest to what is asked for, of an array that has elements.
    pub fn clamped(spec: &Value, shape: &[usize]) -> Option<Region> {
        let end = |value: &Value, length: usize| match value {
            Value::Int(i) => Value::Int((*i).clamp(0, length as i64)),
            other => other.clone(),
        };
        let clamp = |item: &Value, length: usize| match item {
            Value::Int(i) => Value::Int((*i).clamp(0, length as i64 - 1)),
            Value::Data(data) if data.fields.len() == 2 => {
                Value::tuple(data.fields.iter().map(|field| end(field, length)).collect())
            }
            other => other.clone(),
        };
        let spec = match spec {
            Value::Data(data) if matches!(data.form, Form::Tuple) && data.fields.len() > shape.len() => return None,
            Value::Data(data) if matches!(data.form, Form::Tuple) => {
                Value::tuple(data.fields.iter().zip(shape).map(|(item, length)| clamp(item, *length)).collect())
            }
            item => clamp(item, *shape.first()?),
        };
        Region::read(&spec, shape).ok()
    }

    /// Position `i` of the first axis.
    pub fn row(i: usize) -> Region {
        Region { axes: vec![Axis::At(i)] }
    }

    /// All of an array.
    pub fn whole() -> Region {
        Region { axes: vec![] }
    }

    /// How many elements the part has.
    pub fn size(&self, shape: &[usize]) -> usize {
        self.shape(shape).iter().product()
    }

    /// The shape of the part.
    pub fn shape(&self, shape: &[usize]) -> Vec<usize> {
        let ranges = self.axes.iter().filter_map(|axis| match axis {
            Axis::At(_) => None,
            Axis::Range(from, to) => Some(to - from),
        });
        ranges.chain(shape[self.axes.len()..].iter().copied()).collect()
    }

    /// The shape of the part where the array isn't as long as the part says.
    pub fn unseen_shape(&self, shape: &[usize]) -> Vec<usize> {
        let ranges = self.axes.iter().filter(|axis| matches!(axis, Axis::Range(..))).map(|_| 0);
        ranges.chain(shape[self.axes.len()..].iter().copied()).collect()
    }

    /// Where the part's elements are: runs of `length` elements that start at the given offsets.
    pub fn runs(&self, shape: &[usize]) -> (Vec<usize>, usize) {
        let length: usize = shape[self.axes.len()..].iter().product();
        let mut starts = vec![0];
        for (axis, &size) in self.axes.iter().zip(shape) {
            let (from, to) = match *axis {
                Axis::At(i) => (i, i + 1),
                Axis::Range(from, to) => (from, to),
            };
            starts = starts.iter().flat_map(|start| (from..to).map(move |i| start * size + i)).collect();
        }
        starts.iter_mut().for_each(|start| *start *= length);
        (starts, length)
    }

    pub fn offsets(&self, shape: &[usize]) -> impl Iterator<Item = usize> + use<> {
        let (starts, length) = self.runs(shape);
        starts.into_iter().flat_map(move |start| start..start + length)
    }

    /// Does the part keep no axis, so that it is an element and not an array?
    pub fn is_element(&self, shape: &[usize]) -> bool {
        self.axes.len() == shape.len() && self.axes.iter().all(|axis| matches!(axis, Axis::At(_)))
    }

    /// The part of an array.
    pub fn of(&self, array: &Array) -> Value {
        if let [Axis::At(i)] = self.axes[..] {
            return array.row(i);
        }
        if self.is_element(&array.shape) {
            return array.at(self.offsets(&array.shape).next().unwrap_or(0));
        }
        let elements = array.elements.pick(self.offsets(&array.shape));
        Value::array(Array::new(self.shape(&array.shape), elements).with_holes(array.holes))
    }
}

fn read_axis(axis: usize, item: &Value, length: usize) -> Result<Axis, BadIndex> {
    match item {
        Value::Int(i) if *i >= 0 && (*i as usize) < length => Ok(Axis::At(*i as usize)),
        Value::Int(i) => Err(BadIndex::OutOfRange(axis, *i, length)),
        whole if whole.is_unit() => Ok(Axis::Range(0, length)),
        Value::Data(data) if matches!(data.form, Form::Tuple) && data.fields.len() == 2 => {
            let from = read_end(axis, &data.fields[0], 0, length)?;
            let to = read_end(axis, &data.fields[1], length, length)?;
            if from > to { Err(BadIndex::OutOfRange(axis, to as i64, length)) } else { Ok(Axis::Range(from, to)) }
        }
        other => Err(BadIndex::NotAnInt(other.clone())),
    }
}

fn read_end(axis: usize, end: &Value, absent: usize, length: usize) -> Result<usize, BadIndex> {
    match end {
        Value::Int(i) if *i >= 0 && *i as usize <= length => Ok(*i as usize),
        Value::Int(i) => Err(BadIndex::OutOfRange(axis, *i, length)),
        unit if unit.is_unit() => Ok(absent),
        other => Err(BadIndex::NotAnInt(other.clone())),
    }
}
