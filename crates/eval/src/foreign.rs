//! Functions of the program around us, as a notebook's: values in, values out.
//!
//! A host says once how its functions are called, by number. They are called on data, and are no part of the language: purity is up to
//! them. Where they have no derivative, differentiating them is an error (`library/derivatives.ev`).

use std::sync::OnceLock;

use base::codes;

use crate::Value;
use crate::fault::{Fault, Result};
use crate::prims::settle;

/// Calls the function of a number; an error is in words.
pub type Host = fn(i64, &Value) -> std::result::Result<Value, String>;

static HOST: OnceLock<Host> = OnceLock::new();

/// From now on functions of the host can be called; whoever comes first decides.
pub fn set_host(host: Host) {
    let _ = HOST.set(host);
}

pub(crate) fn apply([number, x, _]: [Value; 3]) -> Result<Value> {
    let (Value::Int(number), Some(host)) = (&number, HOST.get()) else {
        return Fault::new(codes::USER_ERROR, "there is no host whose functions could be called").err();
    };
    settle(&x)?;
    host(*number, &x).map_err(|words| Box::new(Fault::new(codes::USER_ERROR, words)))
}
