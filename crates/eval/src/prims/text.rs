//! Texts, and ends of the program.

use base::codes;
use calculus::Prim;

use super::structure::settle;
use crate::fault::{Fault, Result, expected};
use crate::lazy::forced;

use crate::value::Value;
use crate::{memory, probe, show};

/// Two texts, one after the other.
pub(super) fn joined(a: &str, b: &str) -> Result<Value> {
    let bytes = a.len().saturating_add(b.len());
    if !memory::has_room_for(bytes) {
        return Fault::new(codes::OUT_OF_MEMORY, format!("a text of {bytes} bytes needs too much memory")).err();
    }
    Ok(Value::text([a, b].concat()))
}

pub(super) fn apply(prim: Prim, [a, b, _]: [Value; 3]) -> Result<Value> {
    match prim {
        Prim::Show => {
            settle(&a)?;
            Ok(Value::text(show::show(&a)))
        }
        Prim::Join => {
            settle(&b)?;
            joined(&show::display(&a), &show::display(&b))
        }
        Prim::Error => Fault::new(codes::USER_ERROR, show::display(&a)).err(),
        Prim::Assert => match forced(a)? {
            Value::Bool(_) if probe::is_active() => Ok(Value::unit()),
            Value::Bool(true) => Ok(Value::unit()),
            Value::Bool(false) => Fault::new(codes::ASSERTION_FAILED, "the assertion doesn't hold").err(),
            other => expected(codes::NOT_A_BOOLEAN, "a boolean for `assert`", &other),
        },
        other => unreachable!("text: {other}"),
    }
}
