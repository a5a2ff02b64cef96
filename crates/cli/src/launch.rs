//! Sessions on the engine that was asked for.
//!
//! Where there is no native engine programs run on the reference evaluator, and one line on standard error says so; the same where the
//! compiler breaks on a step.

use std::cell::Cell;
use std::rc::Rc;

use evert::{Checks, Engine, Session, World};

use crate::terminal::Terminal;

pub struct Launcher<'a> {
    pub terminal: &'a Terminal,
    engine: Engine,
    checks: Checks,
    /// That there is no native engine has been said.
    told: Cell<bool>,
    /// Does a program end where it makes a NaN?
    stops_at_nan: bool,
}

impl<'a> Launcher<'a> {
    pub fn new(terminal: &'a Terminal, engine: Engine, checks: Checks) -> Launcher<'a> {
        Launcher { terminal, engine, checks, told: Cell::new(false), stops_at_nan: false }
    }

    /// Programs end at the first operation that makes a NaN or an infinity of finite numbers: the reference evaluator sees it.
    pub fn stopping_at_nan(self) -> Launcher<'a> {
        Launcher { engine: Engine::Reference, stops_at_nan: true, ..self }
    }

    /// The engine that was asked for, for sessions that somebody else makes; where there is none, that is said here.
    pub fn available_engine(&self) -> Engine {
        self.session(Rc::new(evert::Offline));
        self.engine
    }

    pub fn session(&self, world: Rc<dyn World>) -> Session {
        let looking = (self.engine == Engine::Native).then(evert::engine::look_for_native).flatten();
        let mut session = Session::new(world);
        session.engines.engine = self.engine;
        if self.stops_at_nan {
            session.machine.watch = Some(Box::new(eval::watch::Finite));
        }
        session.engines.checks = self.checks;
        session.engines.trial_steps = evert::TRIAL_STEPS;
        session.engines.on_fallback = Some(Rc::new(report_fallback));
        session.engines.expect_native(looking);
        if self.engine == Engine::Native
            && !session.engines.has_native()
            && let Some(why) = session.engines.missing()
            && !self.told.replace(true)
        {
            self.terminal.complain(&format!("programs run on the reference evaluator: {}", in_one_line(why)));
        }
        session
    }
}

/// A step that isn't compiled by a mistake of ours still runs, but not in silence.
fn report_fallback(why: &str) {
    let why = why.lines().next().unwrap_or_default();
    eprintln!(
        "evert: a step is left to the reference evaluator by a bug in Evert ({why}). `evert explain-perf` says which step; please report it together with the program."
    );
}

/// The first line says what is wrong, the others where we looked.
fn in_one_line(why: &str) -> String {
    const SHOWN: usize = 3;
    let mut lines = why.lines().map(str::trim);
    let what = lines.next().unwrap_or("there is no native engine");
    let tried: Vec<&str> = lines.collect();
    let shown = tried.iter().take(SHOWN).copied().collect::<Vec<_>>().join("; ");
    match tried.len() {
        0 => what.to_string(),
        1..=SHOWN => format!("{what} ({shown})"),
        more => format!("{what} ({shown}; and {} more)", more - SHOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_of_many_lines_is_said_in_one() {
        assert_eq!(in_one_line("LLVM is switched off"), "LLVM is switched off");
        assert_eq!(in_one_line("none\n  a: x\n  b: y"), "none (a: x; b: y)");
        assert_eq!(in_one_line("none\n  a\n  b\n  c\n  d\n  e"), "none (a; b; c; and 2 more)");
    }
}
