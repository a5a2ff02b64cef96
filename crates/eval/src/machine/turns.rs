//! How far the outermost loop is ([`base::progress`]), where somebody watches: loops are functions that call themselves in their own place.

use std::rc::Rc;

use super::{Call, Frame, Machine};
use crate::value::Value;

/// What a loop may count by: an int, or the first of several arguments.
pub(super) fn counter(x: &Value) -> Option<i64> {
    match x {
        Value::Int(i) => Some(*i),
        Value::Data(data) => match data.fields.first() {
            Some(Value::Int(i)) => Some(*i),
            _ => None,
        },
        _ => None,
    }
}

impl Machine {
    /// The call on top stands where `left` stood, and was called with a counter.
    pub(super) fn turn(&mut self, left: Option<&Call>, counter: Option<i64>) {
        let depth = self.frames.len();
        let last = self.last_of(counter);
        let (Some(Frame::Call(call)), Some(left)) = (self.frames.last_mut(), left) else { return };
        if !Rc::ptr_eq(&call.code, &left.code) || call.member != left.member || depth > self.loop_depth {
            return;
        }
        call.turns = left.turns + 1;
        if call.turns == 1 {
            self.loop_depth = depth;
            match (counter, last) {
                (Some(now), Some(last)) => {
                    base::progress::begin(if now < last { now - 1 } else { now + 1 }, Some(last))
                }
                _ => base::progress::begin(0, None),
            }
        }
        let turns = call.turns as i64;
        base::progress::advance(counter.filter(|_| last.is_some()).unwrap_or(turns));
    }

    /// The value of the counter at which the call on top ends, if it is a loop of the library that has one: `iterate` counts down, and what
    /// goes through an array counts up to a captured length.
    fn last_of(&self, counter: Option<i64>) -> Option<i64> {
        let Some(Frame::Call(call)) = self.frames.last() else { return None };
        let lambda = call.code.lambda(call.member);
        let name = lambda.name.filter(|_| lambda.span.file.0 < self.first_user_file)?;
        counter?;
        match name.as_str() {
            "iterate" => Some(0),
            "go" => {
                let at = call.code.labels().iter().position(|label| label.as_str() == "n")?;
                match self.slots.get(call.base + 1 + at) {
                    Some(Value::Int(n)) => Some(*n),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
