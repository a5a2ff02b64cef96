//! The command line: `evert run`, `eval`, `repl`, `test`, `check`, `fmt`, `explain`, `explain-perf`, `gradbench`, `ir`, `tape`.
//!
//! In: arguments, files and standard input. Out: values on standard output, diagnostics on standard error, and an
//! exit code: 0 fine, 1 the program failed, 2 wrong usage, 101 a bug of ours. All other crates do no I/O.

mod arguments;
mod blocks;
mod check;
mod crash;
mod describe;
mod explain;
mod files;
mod format;
mod highlight;
mod ir;
mod launch;
mod memory;
mod pages;
mod perf;
mod repl;
mod report;
mod run;
mod tape;
mod terminal;
mod test;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command};
use crate::launch::Launcher;
use crate::terminal::Terminal;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Fine = 0,
    Failed = 1,
    WrongUsage = 2,
}

#[global_allocator]
static ALLOCATOR: base::memory::Counting = base::memory::Counting;

fn main() -> ExitCode {
    llvm::self_test_child();
    let arguments = Arguments::parse();
    crash::report_bugs();
    match crash::guarded(|| execute(arguments)) {
        Some(status) => ExitCode::from(status as u8),
        None => ExitCode::from(crash::EXIT_CODE),
    }
}

fn execute(arguments: Arguments) -> Status {
    let terminal = Terminal::new(arguments.color);
    if let Err(wrong) = memory::limit_programs() {
        terminal.complain(&wrong);
        return Status::WrongUsage;
    }
    let launcher = match arguments.engine() {
        Ok(engine) => Launcher::new(&terminal, engine, arguments.checks()),
        Err(wrong) => {
            terminal.complain(&wrong);
            return Status::WrongUsage;
        }
    };
    match arguments.command {
        Command::Run { file, args } => run::file(&launcher, &file, args),
        Command::Eval { expression } => run::expression(&launcher, &expression),
        Command::Repl => repl::start(&launcher),
        Command::Test { paths } => test::test(&launcher, &paths),
        Command::Check { file, function, all } => check::check(&launcher, &file, &check::Request { function, all }),
        Command::Fmt { check: true, files } => format::check(&terminal, &files),
        Command::Fmt { check: false, files } => format::write(&terminal, &files),
        Command::Explain { code } => explain::explain(&terminal, code.as_deref()),
        Command::ExplainPerf { file, count, verbose } => {
            perf::explain(&terminal, &file, &perf::Request { count, verbose })
        }
        Command::Gradbench => serve_gradbench(&launcher),
        Command::Lsp { worker: false } => serve_editor(&terminal),
        Command::Lsp { worker: true } => match lsp::worker::work() {
            Ok(()) => Status::Fine,
            Err(_) => Status::Failed,
        },
        Command::Ir(request) => ir::print(&launcher, &request),
        Command::Tape { file, name, argument } => tape::print(&terminal, &file, &name, argument.as_deref()),
    }
}

fn serve_editor(terminal: &Terminal) -> Status {
    let served = std::env::current_exe()
        .map_err(lsp::Error::from)
        .and_then(|program| lsp::serve(program, vec!["lsp".to_string(), "--worker".to_string()]));
    match served {
        Ok(()) => Status::Fine,
        Err(error) => {
            terminal.complain(&format!("the connection to the editor broke: {error}"));
            Status::Failed
        }
    }
}

fn serve_gradbench(launcher: &Launcher) -> Status {
    let served = gradbench::serve(std::io::stdin().lock(), std::io::stdout().lock(), launcher.available_engine());
    match served {
        Ok(()) => Status::Fine,
        Err(error) => {
            launcher.terminal.complain(&format!("the messages can't be read or answered: {error}"));
            Status::Failed
        }
    }
}
