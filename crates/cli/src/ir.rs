//! `evert ir`: what a program is at each level on its way to being run.
//!
//! L1 and L3 are printed in a form that parses back. The levels that the compiler makes ([`compiled`]) are made step by step.

mod compiled;
pub mod pipeline;

use std::rc::Rc;

use base::suggest::nearest;
use calculus::text::{Style, print_module_in};
use calculus::{GlobalId, Module};
use differentiate::reverse;
use evert::{Failure, Session};
use syntax::ast::Statement;
use syntax::{Tree, sexpr};

use crate::Status;
use crate::arguments::{Ir, Level};
use crate::files::{self, Recording};
use crate::launch::Launcher;
use crate::report;
use crate::terminal::Tone;

pub fn print(launcher: &Launcher, request: &Ir) -> Status {
    let terminal = launcher.terminal;
    if request.passes {
        terminal.text(&pipeline::listing());
        return Status::Fine;
    }
    let limit = match pipeline::Limit::read(request.after.as_deref(), request.level) {
        Ok(limit) => limit,
        Err(wrong) => {
            terminal.complain(&wrong);
            return Status::WrongUsage;
        }
    };
    let mut session = launcher.session(Recording::of(request.file.as_deref().unwrap_or("")));
    let (tree, module) = match load(&mut session, request) {
        Ok(loaded) => loaded,
        Err(failure) => {
            report::report(terminal, &session.sources, &failure);
            return Status::Failed;
        }
    };
    if request.check
        && let Err(violations) = calculus::check::check_module(&module)
    {
        terminal.complain(&format!("L1 breaks its rules: {violations:?}"));
        return Status::Failed;
    }
    if let Some(level @ (Level::Shapes | Level::L3 | Level::L4 | Level::Llvm)) = request.level {
        return compiled::print(terminal, &mut session, &module, level, limit, request);
    }
    if request.check {
        let status = compiled::check(terminal, &mut session, &module, request);
        if request.level.is_none() || status != Status::Fine {
            return status;
        }
    }
    let printer = Printer { session: &session, tree: &tree, module: &module, request };
    if let Some(name) = &request.function
        && !printer.names().any(|known| known == name)
    {
        terminal.complain(&printer.unknown(name));
        return Status::WrongUsage;
    }
    match request.level {
        Some(level) => terminal.text(&printer.level(level)),
        None => {
            for (level, title) in [(Level::Syntax, "syntax"), (Level::L1, "l1"), (Level::L1Reverse, "l1-reverse")] {
                terminal.line(&terminal.out.paint(Tone::Comment, &format!("// {title}")));
                terminal.text(&printer.level(level));
            }
        }
    }
    Status::Fine
}

/// The program that is asked about, from a file or from the command line.
fn load(session: &mut Session, request: &Ir) -> Result<(Tree, Module), Failure> {
    match (&request.file, &request.expression) {
        (Some(path), _) => {
            let name = files::name(path);
            let text = session.read(&name)?;
            session.load(&name, &text)
        }
        (None, text) => session.load("<text>", text.as_deref().unwrap_or("")),
    }
}

struct Printer<'a> {
    session: &'a Session,
    tree: &'a Tree,
    module: &'a Module,
    request: &'a Ir,
}

impl Printer<'_> {
    fn level(&self, level: Level) -> String {
        match level {
            Level::Syntax => self.syntax(),
            Level::L1 => self.l1(),
            Level::L1Reverse => self.l1_reverse(),
            Level::Shapes | Level::L3 | Level::L4 | Level::Llvm => unreachable!("cli: these are made step by step"),
        }
    }

    fn syntax(&self) -> String {
        let statements = self.tree.statements().into_iter().map(|id| self.tree.statement(id));
        let all = sexpr::file(self.tree);
        let lines = all.lines().zip(statements).filter(|(_, statement)| match (&self.request.function, statement) {
            (Some(wanted), Statement::Fn(function)) => function.name.name.as_str() == wanted,
            (Some(_), _) => false,
            (None, _) => true,
        });
        lines.map(|(line, _)| format!("{line}\n")).collect()
    }

    fn l1(&self) -> String {
        let functions = self.functions().cloned().collect();
        let steps = if self.request.function.is_some() { vec![] } else { self.module.steps.clone() };
        self.module_text(&Module { functions, steps })
    }

    fn l1_reverse(&self) -> String {
        let functions = self.functions().map(|(id, group)| (*id, Rc::new(reverse(group)))).collect();
        self.module_text(&Module { functions, steps: vec![] })
    }

    fn module_text(&self, module: &Module) -> String {
        let text = print_module_in(Style { spans: self.request.spans, globals: Some(&self.session.globals) }, module);
        if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" }
    }

    fn functions(&self) -> impl Iterator<Item = &(GlobalId, Rc<calculus::Group>)> {
        let wanted = self.request.function.as_deref();
        self.module.functions.iter().filter(move |(id, _)| wanted.is_none_or(|wanted| self.name(*id) == wanted))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.module.functions.iter().map(|(id, _)| self.name(*id))
    }

    fn name(&self, id: GlobalId) -> &str {
        self.session.globals.get(id).name.as_str()
    }

    fn unknown(&self, name: &str) -> String {
        let what = format!("there is no function `{name}` in {}", self.request.file.as_deref().unwrap_or("the text"));
        match nearest(name, self.names()) {
            Some(near) => format!("{what}: did you mean `{near}`?"),
            None => what,
        }
    }
}
