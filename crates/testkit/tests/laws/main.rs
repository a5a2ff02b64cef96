//! The laws of the semantics, section 4, over a list of functions and over random programs. Law 16 is in `growth`;
//! law 17 waits for a second engine.

mod functions;
mod law;
mod random;
mod variants;

use evert_testkit as testkit;
