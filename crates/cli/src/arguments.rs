//! What can be written after `evert`.

use clap::{Parser, Subcommand, ValueEnum};

/// Evert, a differentiable programming language
#[derive(Parser, Debug)]
#[command(name = "evert", version = evert::VERSION, arg_required_else_help = true, subcommand_required = true)]
#[command(after_help = "Exit codes: 0 fine, 1 the program failed, 2 wrong usage.")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// What runs the program
    #[arg(long, global = true, value_enum, default_value = "reference")]
    pub engine: Engine,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub color: Color,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a program: print the value of each expression at top level, then run main() if there is one
    Run {
        /// The program; `-` reads standard input
        file: String,
        /// What main(args) gets, as an array of texts
        #[arg(last = true)]
        args: Vec<String>,
    },
    /// Evaluate an expression, or several statements
    Eval {
        #[arg(value_name = "EXPR", allow_hyphen_values = true)]
        expression: String,
    },
    /// Read, evaluate and print, line by line
    Repl,
    /// Check the expectations and `test` blocks of programs and of Markdown files
    Test {
        /// Files, or folders to search for *.ev and *.md
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<String>,
    },
    /// Write programs in the standard layout
    Fmt {
        /// Change nothing, but fail if a file isn't in the standard layout
        #[arg(long)]
        check: bool,
        /// Files, or folders to search for *.ev; `-` reads standard input and writes standard output
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
    },
    /// Explain an error by its code
    Explain {
        /// For instance E0201; without it, all codes are listed
        code: Option<String>,
    },
    /// Print what a program becomes on its way to being run
    Ir {
        /// The program; `-` reads standard input
        file: String,
        /// Only this level; otherwise all of them
        #[arg(long, value_enum)]
        level: Option<Level>,
        /// Only the function of this name
        #[arg(long, value_name = "NAME")]
        function: Option<String>,
        /// Show the place in the source of each binding
        #[arg(long)]
        spans: bool,
    },
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    Reference,
    Native,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// The parsed text, as s-expressions
    Syntax,
    /// The A-normal calculus
    L1,
    /// J of each function
    L1Reverse,
}

impl Command {
    pub fn runs_programs(&self) -> bool {
        match self {
            Command::Run { .. } | Command::Eval { .. } | Command::Repl | Command::Test { .. } => true,
            Command::Fmt { .. } | Command::Explain { .. } | Command::Ir { .. } => false,
        }
    }
}
