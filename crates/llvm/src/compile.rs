//! IR in, object code out, with three efforts; through the cache if asked.
//!
//! Always: an error carries LLVM's message and, where LLVM names it, the line of the IR; the passes never change the meaning of
//! floating point operations. No I/O here except the cache's.

use crate::busy;
use crate::ffi::{EmitError, Library, Recipe};
use crate::{Cache, Key, Llvm};
use std::fmt;

/// How much work goes into code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effort {
    /// For code that runs once: little optimisation, the quick code generator, time linear in the size of a function.
    Quick,
    /// For most code: the passes that matter, the usual code generator.
    Standard,
    /// For code that runs long: everything LLVM has.
    Full,
}

impl Effort {
    /// All efforts, by increasing work.
    pub const ALL: [Effort; 3] = [Effort::Quick, Effort::Standard, Effort::Full];

    /// Its name in `EVERT_TIER`.
    pub fn name(self) -> &'static str {
        match self {
            Effort::Quick => "quick",
            Effort::Standard => "standard",
            Effort::Full => "full",
        }
    }

    /// The passes were chosen by measuring; see the example `times`.
    pub(crate) fn recipe(self) -> Recipe {
        match self {
            Effort::Quick => {
                Recipe { passes: "always-inline,function(sroa,early-cse,simplifycfg,tailcallelim)", level: 0 }
            }
            Effort::Standard => Recipe {
                passes: "always-inline,\
                    cgscc(inline,function(sroa,early-cse,simplifycfg)),\
                    function(tailcallelim,simplifycfg,instcombine<no-verify-fixpoint>,\
                    jump-threading,correlated-propagation,loop-mssa(loop-rotate,licm),loop(indvars),\
                    early-cse<memssa>,simplifycfg,\
                    instcombine<no-verify-fixpoint>,adce,\
                    loop-vectorize,instcombine<no-verify-fixpoint>,simplifycfg),globaldce",
                level: 2,
            },
            Effort::Full => Recipe { passes: "default<O3>", level: 3 },
        }
    }
}

/// IR that LLVM doesn't accept: a bug of whoever wrote the IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// Where it was found.
    pub stage: Stage,
    /// What LLVM says.
    pub message: String,
    /// The line of the IR, where it is known.
    pub line: Option<Line>,
}

/// A step on the way from IR to object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reading the text.
    Parse,
    /// Checking types and dominance.
    Verify,
    /// Running the passes.
    Optimise,
    /// Making machine code.
    Generate,
}

/// A line of the IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// Its text, without the space around it.
    pub text: String,
}

impl Llvm {
    /// Makes an object from textual IR, for this machine.
    ///
    /// Functions outside the module are declared without `dso_local`, so that they may be anywhere in the address space.
    pub fn compile(&self, ir: &str, effort: Effort) -> Result<Vec<u8>, CompileError> {
        let _inside = busy::enter();
        compile(&self.library, ir, effort)
    }

    /// As [`Llvm::compile`], unless the cache has the object already. Also says whether it had.
    ///
    /// `interface` says all that the code expects of the runtime it is linked to.
    pub fn compile_cached(
        &self,
        cache: &Cache,
        ir: &str,
        effort: Effort,
        interface: &str,
    ) -> Result<(Vec<u8>, bool), CompileError> {
        if cache.folder().is_none() {
            return Ok((self.compile(ir, effort)?, false));
        }
        let key = self.object_key(ir, effort, interface);
        if let Some(object) = cache.get(&key) {
            return Ok((object, true));
        }
        let object = self.compile(ir, effort)?;
        cache.put(&key, &object);
        Ok((object, false))
    }

    /// Everything that an object depends on.
    fn object_key(&self, ir: &str, effort: Effort, interface: &str) -> Key {
        let (host, recipe) = (self.library.host(), effort.recipe());
        Key::of(&[
            b"object",
            self.version().as_bytes(),
            &self.identity.build(),
            host.triple.as_bytes(),
            host.cpu.as_bytes(),
            host.features.as_bytes(),
            recipe.passes.as_bytes(),
            &recipe.level.to_le_bytes(),
            interface.as_bytes(),
            ir.as_bytes(),
        ])
    }
}

pub(crate) fn compile(library: &Library, ir: &str, effort: Effort) -> Result<Vec<u8>, CompileError> {
    library.emit(ir, &effort.recipe()).map_err(|error| match error {
        EmitError::Parse(message) => parse_error(&message, ir),
        EmitError::Verify(message) => CompileError { line: quoted_line(&message, ir), message, stage: Stage::Verify },
        EmitError::Optimise(message) => CompileError { stage: Stage::Optimise, message, line: None },
        EmitError::Generate(message) => CompileError { stage: Stage::Generate, message, line: None },
    })
}

/// The parser says `evert:3:9: error: expected …`, then shows the line.
fn parse_error(said: &str, ir: &str) -> CompileError {
    let first = said.lines().next().unwrap_or(said);
    let message = first.split_once(" error: ").map_or(first, |(_, message)| message).to_string();
    let number = first.split(':').nth(1).and_then(|number| number.parse().ok());
    CompileError { stage: Stage::Parse, message, line: number.and_then(|number| line(ir, number)) }
}

/// The verifier quotes the instructions it dislikes; the first line of the IR that holds one is shown.
fn quoted_line(said: &str, ir: &str) -> Option<Line> {
    let quoted: Vec<_> = said.lines().skip(1).map(instruction).filter(|words| !words.is_empty()).collect();
    let number = ir.lines().position(|line| quoted.contains(&instruction(line)))? + 1;
    line(ir, number)
}

/// What a line and its printed form have in common: `%name = operation`, or all words when there is no result. The printer has its
/// own spacing and its own way to write constants.
fn instruction(line: &str) -> String {
    let code = line.split(';').next().unwrap_or("");
    let count = if code.trim_start().starts_with('%') { 3 } else { usize::MAX };
    code.split_whitespace().take(count).collect::<Vec<_>>().join(" ")
}

fn line(ir: &str, number: usize) -> Option<Line> {
    let text = ir.lines().nth(number.checked_sub(1)?)?.trim().to_string();
    Some(Line { number, text })
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let doing = match self.stage {
            Stage::Parse => "reading",
            Stage::Verify => "checking",
            Stage::Optimise => "optimising",
            Stage::Generate => "making machine code from",
        };
        write!(f, "LLVM failed while {doing} its input: {}", self.message)?;
        match &self.line {
            Some(Line { number, text }) => write!(f, "\n  line {number}: {text}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for CompileError {}
