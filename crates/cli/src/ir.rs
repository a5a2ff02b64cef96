//! `evert ir`: what a program is at each level on its way to being run.

use std::rc::Rc;

use base::suggest::nearest;
use calculus::text::{Style, print_module_in};
use calculus::{GlobalId, Module};
use eval::reverse::reverse;
use evert::{Failure, Session};
use syntax::ast::Statement;
use syntax::{Tree, sexpr};

use crate::Status;
use crate::arguments::Level;
use crate::files::{self, Files};
use crate::report;
use crate::terminal::{Terminal, Tone};

pub struct Request {
    pub file: String,
    pub level: Option<Level>,
    pub function: Option<String>,
    pub spans: bool,
}

pub fn print(terminal: &Terminal, request: &Request) -> Status {
    let mut session = Session::new(Rc::new(Files));
    let (tree, module) = match load(&mut session, &request.file) {
        Ok(loaded) => loaded,
        Err(failure) => {
            report::report(terminal, &session.sources, &failure);
            return Status::Failed;
        }
    };
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

fn load(session: &mut Session, path: &str) -> Result<(Tree, Module), Failure> {
    let name = files::name(path);
    let text = session.read(&name)?;
    session.load(&name, &text)
}

struct Printer<'a> {
    session: &'a Session,
    tree: &'a Tree,
    module: &'a Module,
    request: &'a Request,
}

impl Printer<'_> {
    fn level(&self, level: Level) -> String {
        match level {
            Level::Syntax => self.syntax(),
            Level::L1 => self.l1(),
            Level::L1Reverse => self.l1_reverse(),
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
        let what = format!("there is no function `{name}` in {}", self.request.file);
        match nearest(name, self.names()) {
            Some(near) => format!("{what}: did you mean `{near}`?"),
            None => what,
        }
    }
}
