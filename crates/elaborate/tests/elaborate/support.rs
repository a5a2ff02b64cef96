//! Elaborating a source text with a tiny library around it, and looking at what comes out.

use std::rc::Rc;

use base::{Diagnostic, FileId, Name, codes};
use calculus::check::check_module;
use calculus::text::{Style, print_group_in};
use calculus::{Binding as Bound, Block, Expr, Globals, Group, Lambda, Module};
use elaborate::{Binding, Elaborated, Input, Scope, elaborate};
use syntax::ast::{Import, ImportSource};

/// What a REPL keeps between inputs.
#[derive(Default)]
pub struct Session {
    pub globals: Globals,
    pub prelude: Scope,
    pub scope: Scope,
    pub internal: bool,
}

impl Session {
    /// A session whose library defines these.
    pub fn with_library(source: &str) -> Session {
        let mut session = Session::default();
        session.run(source);
        session.prelude = std::mem::take(&mut session.scope);
        session
    }

    pub fn try_run(&mut self, source: &str) -> Result<Module, Vec<Diagnostic>> {
        self.elaborated(source).map(|elaborated| elaborated.module)
    }

    pub fn elaborated(&mut self, source: &str) -> Result<Elaborated, Vec<Diagnostic>> {
        let tree = syntax::parse(FileId(0), source);
        assert!(tree.errors().is_empty(), "{:?}", tree.errors());
        let Session { globals, prelude, scope, internal } = self;
        let library = prelude.clone();
        let modules = |import: &Import| find_module(import, &library);
        let input =
            Input { tree: &tree, globals, prelude, scope, modules: &modules, internal: *internal, types_of: None };
        let elaborated = elaborate(input)?;
        check(&elaborated.module);
        Ok(elaborated)
    }

    #[track_caller]
    pub fn run(&mut self, source: &str) -> Module {
        self.try_run(source).unwrap_or_else(|errors| panic!("{errors:#?}"))
    }
}

/// The library is also the module `library`; no other module is there.
fn find_module(import: &Import, library: &Scope) -> base::Result<Rc<Scope>> {
    match &import.source {
        ImportSource::Library(name) if name.as_str() == "library" => Ok(Rc::new(library.clone())),
        ImportSource::Path(path) if path == "lib/library.ev" => Ok(Rc::new(library.clone())),
        _ => Diagnostic::new(codes::IMPORT_NOT_FOUND, import.span, "not there").err(),
    }
}

/// The calculus' own checker.
fn check(module: &Module) {
    let violations = check_module(module).err().unwrap_or_default();
    assert!(violations.is_empty(), "{violations:#?}");
    let functions = module.functions.iter().map(|(_, group)| group);
    functions.chain(module.steps.iter().map(|step| &step.code)).for_each(|group| check_numbers(group));
}

/// Parameter, captures, members, locals: the names of the table follow that order, and every binding has a place.
fn check_numbers(group: &Group) {
    for lambda in &group.members {
        let captures = &lambda.vars[1..1 + group.captures.len()];
        assert_eq!(captures, group.captures);
        each_binding(&lambda.body, &mut |binding| match binding {
            Bound::Let { var, span, .. } => {
                assert!(*var >= group.first_local());
                assert!(span.start < span.end, "a binding without a place: {binding:?}");
            }
            Bound::Functions { group, .. } => check_numbers(group),
        });
        lambda.rules.iter().for_each(|rule| check_numbers(&rule.code));
    }
}

pub fn each_binding<'b>(block: &'b Block, see: &mut dyn FnMut(&'b Bound)) {
    for binding in &block.bindings {
        see(binding);
        if let Bound::Let { expr: Expr::If(_, then, otherwise), .. } = binding {
            each_binding(then, see);
            each_binding(otherwise, see);
        }
    }
}

#[track_caller]
pub fn module(source: &str) -> Module {
    Session::default().run(source)
}

/// The code of the last top-level function.
#[track_caller]
pub fn function(source: &str) -> Rc<Group> {
    module(source).functions.pop().expect("a function").1
}

/// All groups of local functions inside a function, in order, those in inner functions and rules too.
pub fn inner_groups(group: &Group) -> Vec<Rc<Group>> {
    let mut found = vec![];
    for lambda in &group.members {
        each_binding(&lambda.body, &mut |binding| {
            if let Bound::Functions { group, .. } = binding {
                found.push(group.clone());
                found.extend(inner_groups(group));
            }
        });
        lambda.rules.iter().for_each(|rule| found.extend(inner_groups(&rule.code)));
    }
    found
}

/// The names (`""`: none) of the local functions inside the last top-level function, group by group.
#[track_caller]
pub fn inner_names(source: &str) -> Vec<Vec<&'static str>> {
    let names = |group: Rc<Group>| group.members.iter().map(|lambda| lambda.name.map_or("", Name::as_str)).collect();
    inner_groups(&function(source)).into_iter().map(names).collect()
}

/// The function of this name (`""`: the first without a name) and its group, inside `group`.
#[track_caller]
pub fn inner(group: &Group, name: &str) -> (Rc<Group>, usize) {
    let is_it = |lambda: &Lambda| lambda.name.map_or("", Name::as_str) == name;
    let groups = inner_groups(group);
    let found = groups.iter().find_map(|group| Some((group.clone(), group.members.iter().position(is_it)?)));
    found.expect("an inner function of this name")
}

/// The labels that the inner function of this name captures.
#[track_caller]
pub fn captures(source: &str, name: &str) -> Vec<&'static str> {
    texts(&inner(&function(source), name).0.captures)
}

pub fn texts(names: &[Name]) -> Vec<&'static str> {
    names.iter().map(|name| name.as_str()).collect()
}

/// Compares the printed code of the last top-level function, line by line, without indentation and the outermost
/// lines.
#[track_caller]
pub fn check_code(source: &str, expected: &str) {
    let printed = print_group_in(Style::PLAIN, &function(source));
    let lines: Vec<&str> = printed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let body = lines[2..lines.len() - 2].join("\n");
    let expected = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    assert_eq!(body, expected, "\nthe code is\n{body}\n");
}

pub fn errors(source: &str) -> Vec<Diagnostic> {
    Session::default().try_run(source).err().unwrap_or_default()
}

/// One mistake, with this code, at this text, with this help.
#[track_caller]
pub fn check_error(source: &str, code: &str, place: &str, help: &str) {
    check_error_in(&mut Session::default(), source, code, place, help);
}

#[track_caller]
pub fn check_error_in(session: &mut Session, source: &str, code: &str, place: &str, help: &str) {
    let errors = session.try_run(source).expect_err("a mistake");
    assert_eq!(errors.len(), 1, "{errors:#?}");
    let span = errors[0].span();
    assert_eq!(errors[0].code.to_string(), code);
    assert_eq!(&source[span.start as usize..span.end as usize], place);
    assert!(errors[0].help.join("\n").contains(help), "{:?}", errors[0].help);
}

/// The names that a scope defines, alphabetically.
pub fn defined(scope: &Scope) -> Vec<&'static str> {
    scope.iter().map(|(name, _)| name.as_str()).collect()
}

/// The number behind a name.
#[track_caller]
pub fn global(scope: &Scope, name: &str) -> calculus::GlobalId {
    match scope.get(name.into()) {
        Some(Binding::Root(calculus::Root::Global(id))) => *id,
        other => panic!("{name} is {other:?}"),
    }
}
