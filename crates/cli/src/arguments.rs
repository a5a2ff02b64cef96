//! What can be written after `evert`.

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Evert, a differentiable programming language
#[derive(Parser, Debug)]
#[command(name = "evert", version = evert::VERSION, arg_required_else_help = true, subcommand_required = true)]
#[command(after_help = "\
Environment:
  EVERT_ENGINE     the engine, where --engine doesn't say: native, reference or first-order
  EVERT_LLVM       the LLVM library to use and no other; `none` for no native engine
  EVERT_CACHE      the folder for compiled code; `none` for no cache
  EVERT_CHECK      1: check programs of every level, after every pass of the compiler
  EVERT_MEMORY_MB  how much memory a program may take
  EVERT_THREADS    how many threads work at once, where --threads doesn't say
  EVERT_PLOTS      `characters`: plots on a terminal are never made of pixels

Exit codes: 0 fine, 1 the program failed, 2 wrong usage.")]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// What runs programs; without it what EVERT_ENGINE says, or else native
    #[arg(long, global = true, value_enum)]
    engine: Option<Engine>,
    /// Have compiled code verify what the compiler relies on, and stop where it doesn't hold: slow, for those who work on the compiler
    #[arg(long, global = true)]
    checked: bool,
    /// How many threads work at once on large loops; without it what EVERT_THREADS says, or else as many as the machine has cores. Results have the same bits
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub threads: Option<u32>,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub color: Color,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a program: print the value of each expression at top level, then run main() if there is one
    ///
    /// What stands behind the file are arguments of main, by the names of its parameters: `evert run fit.ev --rate 0.1 --data other.csv`.
    /// `evert run FILE --help` lists them.
    Run {
        /// The program; `-` reads standard input
        file: String,
        /// How results are written; pretty on a terminal, text otherwise
        #[arg(long, value_enum)]
        format: Option<ResultFormat>,
        /// Write the value of main, or of the last expression, into this file: .json, .csv, .tsv, .npy or .npz
        #[arg(long, value_name = "FILE")]
        output: Option<String>,
        /// Take arguments of main from a JSON file
        #[arg(long, value_name = "FILE")]
        args: Option<String>,
        /// Write the plots that the program shows as SVG files into this folder
        #[arg(long, value_name = "FOLDER")]
        plots: Option<String>,
        /// Run again whenever the program or a file that it imports changes
        #[arg(long)]
        watch: bool,
        /// Stop at the first operation, of the program or of a derivative, that makes a NaN or an infinity of finite numbers. Runs on
        /// the reference evaluator
        #[arg(long)]
        check_nan: bool,
    },
    /// Evaluate an expression, or several statements
    Eval {
        #[arg(value_name = "EXPR", allow_hyphen_values = true)]
        expression: String,
        /// How results are written; pretty on a terminal, text otherwise
        #[arg(long, value_enum)]
        format: Option<ResultFormat>,
        /// Write the value of the last expression into this file: .json, .csv, .tsv, .npy or .npz
        #[arg(long, value_name = "FILE")]
        output: Option<String>,
    },
    /// Serve the playground and the manual to the browsers of this machine; `cargo xtask page` makes them
    Serve {
        /// The folder that they are in
        #[arg(default_value = crate::serve::FOLDER)]
        folder: String,
        /// The port to listen on; 0 is any that is free
        #[arg(long, default_value_t = 8000)]
        port: u16,
    },
    /// Draw a plot, the value of an expression: on the terminal, or as an SVG file
    Plot {
        #[arg(value_name = "EXPR", allow_hyphen_values = true)]
        expression: String,
        /// The file, which ends in .svg; `-` is standard output
        #[arg(long, short, value_name = "FILE")]
        output: Option<String>,
    },
    /// Put pictures behind those blocks of Markdown files whose values are plots
    Weave {
        /// Change nothing, but fail if a picture isn't current
        #[arg(long)]
        check: bool,
        #[arg(required = true, value_name = "FILE.md")]
        files: Vec<String>,
    },
    /// Read, evaluate and print, line by line
    Repl,
    /// Check the expectations and `test` blocks of programs and of Markdown files
    Test {
        /// Files, or folders to search for *.ev and *.md
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<String>,
        /// List every claim, and how long it took
        #[arg(long, short)]
        verbose: bool,
        /// Only claims that contain this: in the name of a `test`, or in the expression
        #[arg(long, value_name = "TEXT")]
        filter: Option<String>,
    },
    /// Compare the custom rules that a program uses with the functions themselves
    ///
    /// Values, linearity, transposes and slopes by differences, in the argument and each capture, at orders 1 to 3, at inputs chosen from all
    /// uses: the first, the last, and some for every set of branches. Says what is wrong, where, and what the mistake is likely to be.
    Check {
        /// The program
        file: String,
        /// Only the rule of this function
        function: Option<String>,
        /// Show every comparison
        #[arg(long)]
        all: bool,
    },
    /// Print the derivative of a function as source
    ///
    /// Reverse mode gives the gradient of a function whose result is a number, otherwise the value and the backpropagator; forward mode the
    /// value and its change. The text is compared with `grad` before it is printed, at inputs from the file or drawn by shape.
    Derive {
        /// The program
        file: String,
        /// The function
        function: String,
        /// By these parameters only
        #[arg(long, value_name = "NAMES", value_delimiter = ',')]
        wrt: Vec<String>,
        #[arg(long, value_enum, default_value = "reverse")]
        mode: DeriveMode,
        /// How often it is differentiated
        #[arg(long, default_value = "1", value_parser = clap::value_parser!(u32).range(1..=8))]
        order: u32,
        /// A formula for LaTeX instead, of straight-line code
        #[arg(long)]
        latex: bool,
    },
    /// Say why a part of a gradient is 0: where its influence ends
    WhyZero {
        /// The program; `-` reads standard input
        file: String,
        /// The function
        function: String,
        /// Where, an expression for each argument; otherwise what the program calls it with, or drawn
        #[arg(allow_hyphen_values = true)]
        arguments: Vec<String>,
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
    /// Say which parts of a program don't run as compiled code, why, and what to try
    ExplainPerf {
        /// The program; `-` reads standard input
        file: String,
        /// Print only how many such places there are
        #[arg(long)]
        count: bool,
        /// Also say for each step what compiling it took
        #[arg(long, short)]
        verbose: bool,
    },
    /// Run a program and say where its time goes, by functions and lines, the program itself and its derivatives apart
    ///
    /// What stands behind the file are the arguments of `main`, as for `run`.
    Profile {
        /// The program; `-` reads standard input
        file: String,
    },
    /// Be a tool of GradBench: read its messages from standard input, answer on standard output
    ///
    /// GradBench (gradben.ch) compares tools for automatic differentiation. Messages and answers are lines of JSON; each is
    /// answered, also those that can't be understood. docs/gradbench.md says how to run GradBench with this command, and which
    /// evals it has. With --engine reference no compiler is used.
    Gradbench,
    /// Be a language server: an editor starts this and talks over standard input and output
    ///
    /// docs/editors.md says how to set up VS Code, Neovim and Helix.
    Lsp {
        /// Run one program for a server, given on standard input
        #[arg(long, hide = true)]
        worker: bool,
        /// What it does anyway; many editors say so
        #[arg(long, hide = true)]
        stdio: bool,
    },
    /// Print what a program becomes on its way to being run
    Ir(Ir),
    /// Say what the reverse pass of a function remembers: how many bytes, from where, and why
    ///
    /// Runs both halves of the derivative, and lists what is on the heap between them.
    Tape {
        /// The program that defines the function; `-` reads standard input
        file: String,
        /// The function, or an expression for one
        name: String,
        /// What it is differentiated at, an expression for each argument; otherwise what the program calls it with, or 1.0
        #[arg(allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

#[derive(Args, Debug)]
pub struct Ir {
    /// The program; `-` reads standard input
    #[arg(required_unless_present_any = ["expression", "passes"])]
    pub file: Option<String>,
    /// The program itself instead of a file
    #[arg(long, short, value_name = "TEXT", conflicts_with = "file", allow_hyphen_values = true)]
    pub expression: Option<String>,
    /// Only this level; otherwise syntax, l1 and l1-reverse
    #[arg(long, value_enum)]
    pub level: Option<Level>,
    /// l3, l4 and llvm: stop optimising after this pass, by its name (the first time it runs) or number; `none`, `all`
    #[arg(long, value_name = "PASS")]
    pub after: Option<String>,
    /// l3, l4 and llvm: only this step (definition, expression or test), counted from 1
    #[arg(long, value_name = "N")]
    pub step: Option<usize>,
    /// syntax, l1 and l1-reverse: only the function of this name
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
    /// l1: show the place in the source of each binding
    #[arg(long)]
    pub spans: bool,
    /// Run the checkers of all levels, after every pass
    #[arg(long)]
    pub check: bool,
    /// List the stages and passes instead
    #[arg(long)]
    pub passes: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// Compiled code; the reference evaluator where there is no LLVM
    Native,
    /// The reference evaluator
    Reference,
    /// The interpreter of L3, for those who work on the compiler
    FirstOrder,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DeriveMode {
    /// From the result to the arguments
    Reverse,
    /// From the arguments to the result
    Forward,
}

/// How results are written on standard output.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultFormat {
    /// Each on a line, as source, with nothing left out
    Text,
    /// Laid out over lines, large arrays without their middle
    Pretty,
    /// Each on a line, as JSON; what the program prints goes to standard error
    Json,
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
    /// The instances of functions, each at its shapes
    Shapes,
    /// First-order code
    L3,
    /// Leaves, memory and reference counts
    L4,
    /// What LLVM gets
    Llvm,
}

impl Arguments {
    /// What compiled code verifies.
    pub fn checks(&self) -> evert::Checks {
        if self.checked { evert::Checks::Memory } else { evert::Checks::Language }
    }

    /// What runs programs. `Err` says what is wrong with the environment.
    pub fn engine(&self) -> Result<evert::Engine, String> {
        let from_environment = || match std::env::var("EVERT_ENGINE") {
            Ok(name) if !name.is_empty() => Engine::from_str(&name, true)
                .map_err(|_| format!("EVERT_ENGINE is `{name}`; it can be native, reference or first-order")),
            _ => Ok(Engine::Native),
        };
        Ok(match self.engine.map_or_else(from_environment, Ok)? {
            Engine::Native => evert::Engine::Native,
            Engine::Reference => evert::Engine::Reference,
            Engine::FirstOrder => evert::Engine::FirstOrder,
        })
    }
}
