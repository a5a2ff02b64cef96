//! Random numbers from explicit keys: the same key gives the same numbers, everywhere.

use base::codes;
use calculus::Prim;
use numerics::random::{self, Key};

use super::{collected, length};
use crate::array::Array;
use crate::fault::{Result, expected};
use crate::lazy::forced;
use crate::value::Value;
use crate::work;

pub(super) fn apply(prim: Prim, [a, b, _]: [Value; 3]) -> Result<Value> {
    let first = match forced(a)? {
        Value::Int(i) => i as u64,
        other => return expected(codes::WRONG_KIND, &format!("an int for `{prim}`"), &other),
    };
    let value = |key: Key| Value::Int(key.0 as i64);
    match prim {
        Prim::Key => Ok(value(random::key(first))),
        Prim::Split => {
            let (left, right) = random::split(Key(first));
            Ok(Value::pair(value(left), value(right)))
        }
        Prim::FoldIn => match forced(b)? {
            Value::Int(n) => Ok(value(random::fold_in(Key(first), n as u64))),
            other => expected(codes::WRONG_KIND, "an int for `fold_in`", &other),
        },
        Prim::Uniform | Prim::Normal => {
            let draw = if prim == Prim::Uniform { random::uniform } else { random::normal };
            let n = length(prim, &b)?;
            work::add(n);
            Ok(Value::array(Array::vector(collected((0..n as u64).map(|i| draw(Key(first), i)))?)))
        }
        other => unreachable!("random: {other}"),
    }
}
