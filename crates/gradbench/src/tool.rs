//! The tool: messages in, answers out.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use evert::Engine;
use serde_json::{Map, Value as Json, json};

use crate::evals::{self, EVALS};
use crate::message::{self, Message};
use crate::module::{Evaluated, Module};
use crate::values::Output;

/// Answers every line of the input, until it ends or nobody reads the answers any more. What was timed though it wasn't compiled code alone is
/// said to `notes`.
pub fn serve(
    mut input: impl BufRead,
    mut output: impl Write,
    engine: Engine,
    mut notes: impl FnMut(&str),
) -> io::Result<()> {
    let mut tool = Tool::new(engine);
    let mut line = vec![];
    while input.read_until(b'\n', &mut line)? > 0 {
        if !line.trim_ascii().is_empty() {
            let answer = tool.answer(&String::from_utf8_lossy(&line));
            match writeln!(output, "{answer}").and_then(|()| output.flush()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
                written => written?,
            }
        }
        line.clear();
    }
    if engine != Engine::Reference {
        tool.uncompiled().iter().for_each(|one| notes(&format!("not timed as compiled code: {one}")));
        tool.evaluated().iter().for_each(|one| notes(&format!("timed with calls of the reference evaluator: {one}")));
    }
    Ok(())
}

/// What is known from message to message: the modules that were defined.
pub struct Tool {
    engine: Engine,
    modules: BTreeMap<&'static str, Module>,
}

impl Tool {
    pub fn new(engine: Engine) -> Tool {
        Tool { engine, modules: BTreeMap::new() }
    }

    /// Which functions didn't run as compiled code though that was asked for, each with the reason.
    pub fn uncompiled(&self) -> Vec<String> {
        let described = |(name, module): (&&str, &Module)| {
            let described = |(function, why): (&String, &String)| format!("{name} {function}: {why}");
            module.uncompiled.iter().map(described).collect::<Vec<String>>()
        };
        self.modules.iter().flat_map(described).collect()
    }

    /// Which primitives compiled code left to the reference evaluator, and how often in all runs of a function.
    pub fn evaluated(&self) -> Vec<String> {
        let described = |(name, module): (&&str, &Module)| {
            let some = module.evaluated.iter().filter(|(_, all)| !all.is_empty());
            some.map(|(function, all)| format!("{name} {function}: {}", all.join(", "))).collect::<Vec<String>>()
        };
        self.modules.iter().flat_map(described).collect()
    }

    /// The answer to a line, in one line.
    pub fn answer(&mut self, line: &str) -> String {
        let (message, read) = message::read(line);
        let mut answer = Map::new();
        answer.insert("id".into(), message.id.clone());
        let kind = message.kind.clone().unwrap_or_default();
        let told = match (read, kind.as_str()) {
            (Err(why), _) => Err(format!("this is no message: {why}")),
            (Ok(()), "start") => {
                answer.insert("tool".into(), "evert".into());
                return Json::Object(answer).to_string();
            }
            (Ok(()), "define") => self.define(message.module.as_deref()).map(|()| None),
            (Ok(()), "evaluate") => self.evaluate(&message).map(Some),
            // Whatever else there is needs no more than its id.
            _ => return Json::Object(answer).to_string(),
        };
        answer.insert("success".into(), told.is_ok().into());
        match told {
            Err(why) => drop(answer.insert("error".into(), why.into())),
            Ok(None) => {}
            Ok(Some((output, timings))) => {
                answer.insert("timings".into(), timings);
                return with_output(&Json::Object(answer).to_string(), &output);
            }
        }
        Json::Object(answer).to_string()
    }

    fn define(&mut self, module: Option<&str>) -> Result<(), String> {
        let name = module.ok_or("a define message names a module")?;
        let known = || EVALS.iter().map(|eval| eval.name).collect::<Vec<_>>().join(", ");
        let eval =
            evals::find(name).ok_or_else(|| format!("there is no module {name:?} here; there are {}", known()))?;
        if !self.modules.contains_key(eval.name) {
            let module = caught(|| Module::new(eval, self.engine))??;
            self.modules.insert(eval.name, module);
        }
        Ok(())
    }

    /// The output as JSON, and the timings.
    fn evaluate(&mut self, message: &Message) -> Result<(String, Json), String> {
        let name = message.module.as_deref().ok_or("an evaluate message names a module")?;
        let function = message.function.as_deref().ok_or("an evaluate message names a function")?;
        let input = message.input.as_ref().ok_or("an evaluate message has an input")?;
        let input = input.0.as_ref().map_err(|why| format!("the input can't be used: {why}"))?;
        let module = self.modules.get_mut(name).ok_or_else(|| format!("the module {name:?} isn't defined"))?;
        let work = || {
            let evaluated = module.evaluate(function, input)?;
            let output = serde_json::to_string(&Output(&evaluated.output)).map_err(|why| why.to_string())?;
            Ok((output, timings(&evaluated)))
        };
        caught(work).unwrap_or_else(|bug| {
            // Whatever state it left behind, the next evaluation starts from the program again.
            self.modules.remove(name);
            self.define(Some(name)).and(Err(bug))
        })
    }
}

fn timings(evaluated: &Evaluated) -> Json {
    let timing = |name: &str, took: &Duration| json!({"name": name, "nanoseconds": took.as_nanos() as u64});
    let prepare = std::iter::once(timing("prepare", &evaluated.prepare));
    prepare.chain(evaluated.runs.iter().map(|took| timing("evaluate", took))).collect()
}

/// The answer with its output, which is JSON already.
fn with_output(answer: &str, output: &str) -> String {
    let open = answer.strip_suffix('}').unwrap_or(answer);
    format!("{open},\"output\":{output}}}")
}

/// A panic is a bug of ours, and answered like any other failure: `Err` has its words.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        format!("a bug in Evert: {}", words.unwrap_or("a panic without words"))
    })
}
