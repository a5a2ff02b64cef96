//! The command line: `evert run`, `eval`, `repl`, `test`, `fmt`, `explain`, `ir`.
//!
//! In: arguments, files and standard input. Out: values on standard output, diagnostics on standard error, and an
//! exit code: 0 fine, 1 the program failed, 2 wrong usage, 101 a bug of ours. All other crates do no I/O.

mod arguments;
mod blocks;
mod crash;
mod describe;
mod explain;
mod files;
mod format;
mod highlight;
mod ir;
mod memory;
mod pages;
mod repl;
mod report;
mod run;
mod terminal;
mod test;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command, Engine};
use crate::terminal::Terminal;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Fine = 0,
    Failed = 1,
    WrongUsage = 2,
}

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    crash::report_bugs();
    match crash::guarded(|| execute(arguments)) {
        Some(status) => ExitCode::from(status as u8),
        None => ExitCode::from(crash::EXIT_CODE),
    }
}

fn execute(arguments: Arguments) -> Status {
    memory::limit_programs();
    let terminal = Terminal::new(arguments.color);
    if arguments.engine == Engine::Native && arguments.command.runs_programs() {
        terminal.complain("the native engine isn't there yet: running on the reference evaluator");
    }
    match arguments.command {
        Command::Run { file, args } => run::file(&terminal, &file, args),
        Command::Eval { expression } => run::expression(&terminal, &expression),
        Command::Repl => repl::start(&terminal),
        Command::Test { paths } => test::test(&terminal, &paths),
        Command::Fmt { check: true, files } => format::check(&terminal, &files),
        Command::Fmt { check: false, files } => format::write(&terminal, &files),
        Command::Explain { code } => explain::explain(&terminal, code.as_deref()),
        Command::Ir { file, level, function, spans } => {
            ir::print(&terminal, &ir::Request { file, level, function, spans })
        }
    }
}
