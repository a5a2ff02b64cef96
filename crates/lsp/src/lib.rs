//! A language server for Evert.
//!
//! In: messages of the Language Server Protocol. Out: answers, diagnostics as the text changes. [`serve`] talks over standard input and
//! output; [`serve_on`] over any connection, for tests.
//!
//! Everything about a text is computed anew at each change: reading 2,000 lines takes a few milliseconds. Programs don't run here
//! but in a process of their own ([`worker`]), which is killed when the text changes: a program may be endless.
//!
//! | module | what |
//! |---|---|
//! | `server` | the loop: messages in, answers out |
//! | `document` | an open text: its programs, offsets and positions |
//! | `disk` | files that open texts import, and whether they have changed |
//! | `workspace` | where a name stands in other files |
//! | `diagnostics`, `hover`, `navigation`, `rename`, `completion`, `symbols`, `tokens`, `hints`, `actions` | one group of requests each: a document in, JSON out |
//! | `runs`, `process` | the processes that run programs, from outside |
//! | `worker` | the same from inside |
//! | `observed` | what a run has seen, brought together with the text |
//! | `answers` | what a command has found, for editors that don't show it themselves |

mod actions;
mod answers;
mod completion;
mod diagnostics;
mod disk;
mod document;
mod hints;
mod hover;
mod navigation;
mod observed;
mod process;
mod protocol;
mod rename;
mod runs;
mod server;
mod symbols;
mod tokens;
pub mod worker;
mod workspace;

use std::path::PathBuf;

use lsp_server::Connection;

pub use runs::Runner;

/// What can go wrong with the connection.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// Serves an editor over standard input and output, until it says goodbye. `program` is the command that [`worker::work`] answers under.
pub fn serve(program: PathBuf, arguments: Vec<String>) -> Result<(), Error> {
    let (connection, threads) = Connection::stdio();
    serve_on(&connection, Runner::Process { program, arguments })?;
    drop(connection);
    threads.join()?;
    Ok(())
}

/// Serves whoever is at the other end of a connection.
pub fn serve_on(connection: &Connection, runner: Runner) -> Result<(), Error> {
    let (id, params) = connection.initialize_start()?;
    connection.initialize_finish(id, server::capabilities(&params))?;
    server::Server::new(connection, runner, &params).run()
}
