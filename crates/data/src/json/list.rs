//! The elements of a list, as narrow as they allow.

use eval::Value;
use eval::array::{Array, Ragged};

pub enum List {
    /// So many times `null`, or nothing at all.
    Nulls(usize),
    Ints(Vec<i64>),
    Reals(Vec<f64>),
    Values(Vec<Value>),
}

impl Default for List {
    fn default() -> List {
        List::Nulls(0)
    }
}

impl List {
    pub fn push(&mut self, element: Value) {
        match (&mut *self, &element) {
            (List::Reals(reals), Value::Real(x)) => reals.push(*x),
            (List::Reals(reals), Value::Int(i)) => reals.push(*i as f64),
            (List::Reals(reals), null) if null.is_unit() => reals.push(f64::NAN),
            (List::Ints(ints), Value::Int(i)) => ints.push(*i),
            (List::Nulls(n), null) if null.is_unit() => *n += 1,
            (List::Values(values), _) => values.push(element),
            _ => self.widen(element),
        }
    }

    /// Takes an element of another kind than those before it.
    fn widen(&mut self, element: Value) {
        let before = std::mem::take(self);
        *self = match (before, &element) {
            (List::Nulls(0), Value::Int(i)) => List::Ints(vec![*i]),
            (List::Nulls(n), Value::Int(_) | Value::Real(_)) => List::Reals(vec![f64::NAN; n]),
            (List::Ints(ints), other) if matches!(other, Value::Real(_)) || other.is_unit() => {
                List::Reals(ints.into_iter().map(|i| i as f64).collect())
            }
            (before, _) => List::Values(before.values()),
        };
        if !matches!((&*self, &element), (List::Ints(_), Value::Int(_))) {
            self.push(element);
        }
    }

    fn values(self) -> Vec<Value> {
        match self {
            List::Nulls(n) => vec![Value::unit(); n],
            List::Ints(ints) => ints.into_iter().map(Value::Int).collect(),
            List::Reals(reals) => reals.into_iter().map(Value::Real).collect(),
            List::Values(values) => values,
        }
    }

    pub fn array(self) -> Result<Value, Ragged> {
        Ok(Value::array(match self {
            List::Nulls(0) => Array::unknown(),
            List::Ints(ints) => Array::ints(ints),
            List::Reals(reals) => Array::vector(reals),
            others => Array::from_values(others.values())?,
        }))
    }
}
