//! L4 → WebAssembly.
//!
//! In: an L4 program that its checker accepts, and what is known of the [`Host`]. Out: the bytes of one module and the words it keeps in memory, or why there
//! is none. The module shares memory with the runtime (crate `native`, without LLVM) and imports its functions, those of
//! [`loops::symbols::SIGNATURES`], which have 4-byte pointers there; objects have 8-byte words as everywhere. It exports
//! `entry(ctx, args, out)`. The same operations in the same order as LLVM's code: the same bits. No feature beyond WebAssembly 2.0, but
//! for one instruction, if the host says that it has it.
//!
//! | L4 | WebAssembly |
//! |---|---|
//! | a variable | a local: `i32` for bools and pointers, `i64`, `f64` |
//! | `If`, `Switch`, `Loop` | `if`, `block`s with `br_table`, `loop`; what they bind is assigned where their blocks end |
//! | a call | a call, with several results |
//! | an outermost loop of a function that isn't called often | a function of its own, called again and again |
//! | failure | a call of `rt_fail`, which the host ends the run with |
//! | descriptors, tables of constants, room for arguments of the runtime | words in memory from the imported global `data` on |
//!
//! Read `body` (functions and control), `pieces` (outermost loops), `objects`, `scalars`, `sums`, `collected` (sensitivities), `helpers` (functions that every module
//! may need), `transcendentals`, `module` (what all share).
//!
//! The host's stack is small. A function that can call itself takes its frame, by estimate, out of [`STACK`] and fails as a recursion that is too
//! deep where nothing is left: who runs the program then lets an interpreter do it.

mod body;
mod collected;
mod helpers;
mod module;
mod objects;
mod pieces;
mod scalars;
mod sums;
mod transcendentals;

use std::fmt;

pub use module::imported;
pub use pieces::TURNS;

use loops::Program;
use loops::symbols::Offsets;

use crate::pieces::Cutting;

/// What the code relies on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Host {
    /// Of the runtime's context.
    pub offsets: Offsets,
    /// Does `f64x2.relaxed_madd` round once? Without it an fma is some twenty operations.
    pub fused: bool,
    /// After so many turns a loop is entered anew, for engines that use better code from the next call on: [`TURNS`].
    pub turns: u32,
}

/// A module, and what it needs in memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Module {
    pub bytes: Vec<u8>,
    /// The words from the global `data` on; the module writes to some of them.
    pub data: Vec<u64>,
}

/// Why there is no module: engines of browsers have limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// A function has more variables.
    Variables { most: usize },
    /// A function has more bytes.
    Bytes { most: usize },
}

/// Bytes of the host's stack that functions which call themselves may take.
pub const STACK: i32 = 400 << 10;

/// Of one function: engines allow 50,000.
const MOST_VARIABLES: usize = 40_000;
/// Of one function: engines allow 7,654,321.
const MOST_BYTES: usize = 7_000_000;

/// The module of a program.
pub fn emit(program: &Program, host: Host) -> Result<Module, Refused> {
    let recursive = loops::recursive(program);
    let mut module = module::Builder::new(program, host);
    let often = pieces::called_often(program, &recursive);
    for ((function, recursive), often) in program.functions.iter().zip(recursive).zip(often) {
        let cutting = if often { Cutting::None } else { Cutting::Outermost };
        let code = body::function(&mut module, function, recursive, cutting)?;
        module.push(code);
    }
    let entry = body::entry(&mut module);
    module.push(entry);
    helpers::write(&mut module);
    Ok(module.finish())
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refused::Variables { most } => write!(f, "a function has more than {most} variables"),
            Refused::Bytes { most } => write!(f, "the code of a function has more than {most} bytes"),
        }
    }
}
