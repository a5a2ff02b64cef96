//! Texts, and ends of the program.

use base::codes;
use calculus::Prim;

use super::structure::settle;
use crate::fault::{Fault, Result, expected};
use crate::lazy::forced;

use crate::value::Value;
use crate::{probe, show};

pub(super) fn apply(prim: Prim, [a, b, _]: [Value; 3]) -> Result<Value> {
    match prim {
        Prim::Show => {
            settle(&a)?;
            Ok(Value::text(show::show(&a)))
        }
        Prim::Join => {
            settle(&b)?;
            Ok(Value::text(show::display(&a) + &show::display(&b)))
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
