//! Elements that are neither all numbers nor all booleans.
//!
//! Where there are none, what one would be may be known all the same: a sample is kept, of which only the kind matters.

use std::ops::{Deref, DerefMut};

use crate::value::Value;

#[derive(Clone, Debug, Default)]
pub struct Values {
    all: Vec<Value>,
    /// What an element would be. Nothing where there are elements, which say it themselves, and where nobody knows.
    sample: Option<Value>,
}

impl Values {
    /// No elements; one would be like this.
    pub fn none_like(sample: Value) -> Values {
        Values { all: vec![], sample: Some(sample) }
    }

    pub fn sample(&self) -> Option<&Value> {
        self.sample.as_ref()
    }

    /// Some of these elements: if there are none, it stays known what they would be.
    pub fn like_these(&self, some: Vec<Value>) -> Values {
        let sample = if some.is_empty() { self.all.first().or(self.sample.as_ref()).cloned() } else { None };
        Values { all: some, sample }
    }

    /// What becomes of each element, and of what one would be.
    pub fn map(&self, mut f: impl FnMut(&Value) -> Value) -> Values {
        Values { all: self.all.iter().map(&mut f).collect(), sample: self.sample.as_ref().map(f) }
    }

    pub fn into_vec(self) -> Vec<Value> {
        self.all
    }
}

impl From<Vec<Value>> for Values {
    fn from(all: Vec<Value>) -> Values {
        Values { all, sample: None }
    }
}

impl FromIterator<Value> for Values {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Values {
        Vec::from_iter(values).into()
    }
}

impl Deref for Values {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.all
    }
}

impl DerefMut for Values {
    fn deref_mut(&mut self) -> &mut [Value] {
        &mut self.all
    }
}
