//! The command line: `evert run`, `eval`, `repl`, `plot`, `test`, `check`, `derive`, `weave`, `fmt`, `explain`, `explain-perf`, `profile`, `gradbench`,
//! `ir`, `tape`, `serve`.
//!
//! In: arguments, files and standard input. Out: values on standard output, diagnostics on standard error, and an
//! exit code: 0 fine, 1 the program failed, 2 wrong usage, 101 a bug of ours. All other crates do no I/O.

mod arguments;
mod blocks;
mod check;
mod crash;
mod curves;
mod derive;
mod describe;
mod draw;
mod explain;
mod files;
mod format;
mod given;
mod highlight;
mod interrupt;
mod ir;
mod launch;
mod memory;
mod output;
mod pages;
mod perf;
mod profile;
mod program;
mod progress;
mod repl;
mod report;
mod run;
mod screen;
mod serve;
mod tape;
mod terminal;
mod test;
mod watch;
mod weave;
mod why_zero;
mod words;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Command, ResultFormat};
use crate::draw::Drawing;
use crate::launch::Launcher;
use crate::output::Output;
use crate::program::Program;
use crate::terminal::{Terminal, write_out};
use crate::words::Words;

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
    crash::report_bugs();
    match crash::guarded(|| understand(std::env::args_os().collect())) {
        Some(status) => ExitCode::from(status as u8),
        None => ExitCode::from(crash::EXIT_CODE),
    }
}

/// Of a command that runs a program, the words behind the file are for `main`, and so are options that it has parameters for.
fn understand(words: Vec<OsString>) -> Status {
    let texts: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let Some(place) = words::file_place(&texts) else {
        return execute(Arguments::parse_from(words), None);
    };
    if let Err(wrong) = memory::limit_programs() {
        Terminal::new(arguments::Color::Auto).complain(&wrong);
        return Status::WrongUsage;
    }
    let program = Program::read(&texts[place]);
    match words::sort(&texts[place + 1..], &program.parameters) {
        Ok(sorted) if sorted.help => {
            write_out(&program.help());
            Status::Fine
        }
        Ok(sorted) => {
            let ours = words[..=place].iter().cloned().chain(sorted.ours.into_iter().map(OsString::from));
            let arguments = Arguments::parse_from(ours);
            if let Command::Run { watch: true, file, .. } = &arguments.command {
                return watch::watch(&Terminal::new(arguments.color), &words, file);
            }
            execute(arguments, Some((program, sorted.for_main)))
        }
        Err(wrong) => {
            Terminal::new(arguments::Color::Auto).complain(&wrong);
            Status::WrongUsage
        }
    }
}

fn execute(arguments: Arguments, program: Option<(Program, Words)>) -> Status {
    let terminal = Terminal::new(arguments.color);
    if let Err(wrong) = memory::limit_programs() {
        terminal.complain(&wrong);
        return Status::WrongUsage;
    }
    if let Some(threads) = arguments.threads {
        native::threads::allow(threads as usize);
    }
    eval::show::prints_are_seen(terminal.columns);
    if matches!(arguments.command, Command::Run { .. } | Command::Eval { .. } | Command::Repl) {
        progress::show_on_terminal();
        curves::show_on_terminal(&terminal);
    }
    let launcher = match arguments.engine() {
        Ok(engine) => Launcher::new(&terminal, engine, arguments.checks()),
        Err(wrong) => {
            terminal.complain(&wrong);
            return Status::WrongUsage;
        }
    };
    match arguments.command {
        Command::Run { file, format, output, args, plots, check_nan, watch: _ } => {
            let launcher = if check_nan { launcher.stopping_at_nan() } else { launcher };
            let (program, mut words) = program.unwrap_or_else(|| (Program::read(&file), Words::default()));
            words.file = words.file.or(args);
            let drawing = plots.map_or(Drawing::default(), |folder| Drawing::into_folder(&folder, &file));
            with_output(&terminal, format, output, drawing, |output| run::file(&launcher, &program, &words, output))
        }
        Command::Eval { expression, format, output } => {
            let drawing = Drawing::default();
            with_output(&terminal, format, output, drawing, |output| run::expression(&launcher, &expression, output))
        }
        Command::Plot { expression, output } => draw::expression(&launcher, &expression, output.as_deref()),
        Command::Weave { files, check } => weave::weave(&launcher, &files, check),
        Command::Repl => repl::start(&launcher),
        Command::Serve { folder, port } => serve::serve(&terminal, &folder, port),
        Command::Test { paths, verbose, filter } => test::test(&launcher, &paths, &test::Request { verbose, filter }),
        Command::Check { file, function, all } => check::check(&launcher, &file, &check::Request { function, all }),
        Command::Derive { file, function, wrt, mode, order, latex } => {
            derive::print(&launcher, &file, &derive::Request { function, wrt, mode, order, latex })
        }
        Command::WhyZero { file, function, arguments } => {
            let argument = (!arguments.is_empty()).then(|| arguments.join(", "));
            why_zero::print(&terminal, &file, &function, argument.as_deref())
        }
        Command::Fmt { check: true, files } => format::check(&terminal, &files),
        Command::Fmt { check: false, files } => format::write(&terminal, &files),
        Command::Explain { code } => explain::explain(&terminal, code.as_deref()),
        Command::ExplainPerf { file, count, verbose } => {
            let (program, words) = program.unwrap_or_else(|| (Program::read(&file), Words::default()));
            perf::explain(&terminal, &program, &words, &perf::Request { count, verbose })
        }
        Command::Profile { file } => {
            let (program, words) = program.unwrap_or_else(|| (Program::read(&file), Words::default()));
            profile::profile(&launcher, &program, &words)
        }
        Command::Gradbench => serve_gradbench(&launcher),
        Command::Lsp { worker: false, .. } => serve_editor(&terminal),
        Command::Lsp { worker: true, .. } => match lsp::worker::work() {
            Ok(()) => Status::Fine,
            Err(_) => Status::Failed,
        },
        Command::Ir(request) => ir::print(&launcher, &request),
        Command::Tape { file, name, arguments } => {
            let argument = (!arguments.is_empty()).then(|| arguments.join(", "));
            tape::print(&terminal, &file, &name, argument.as_deref())
        }
    }
}

fn with_output(
    terminal: &Terminal,
    format: Option<ResultFormat>,
    file: Option<String>,
    drawing: Drawing,
    work: impl FnOnce(&Output) -> Status,
) -> Status {
    match Output::new(terminal, format, file, drawing) {
        Ok(output) => work(&output),
        Err(wrong) => {
            terminal.complain(&wrong);
            Status::WrongUsage
        }
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
