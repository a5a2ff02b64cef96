//! One claim for each target: a panic is a find.

use std::cell::RefCell;
use std::rc::Rc;

use base::{Diagnostic, FileId, Sources, Span};
use calculus::Module;
use calculus::check::{check_group, check_module};
use calculus::same::same_modules;
use calculus::text::{parse_module, print_module};
use elaborate::Scope;
use eval::Value;
use eval::reverse::reverse;
use evert::Session;
use syntax::ast::Statement;
use syntax::{Tree, sexpr};

use crate::memory;

const MAX_STEPS: u64 = 200_000;
/// More statements than this are left alone, so that one input stays quick.
const MAX_STATEMENTS: usize = 24;
const MAX_FUNCTIONS: usize = 6;

/// Any bytes have a tree: lossless, and its errors point into the text.
pub fn parse(bytes: &[u8]) {
    let text = match syntax::decode(FileId(0), bytes) {
        Ok(text) => text.to_string(),
        Err(error) => {
            let text = String::from_utf8_lossy(bytes).into_owned();
            assert!(error.span().start as usize <= bytes.len());
            text
        }
    };
    for tree in [syntax::parse(FileId(0), &text), syntax::parse_expression(FileId(0), &text)] {
        lossless(&tree, &text);
        for error in tree.errors() {
            for label in &error.labels {
                assert!(covers(&text, label.span), "{error:?}");
            }
        }
        for id in tree.statements() {
            assert!(covers(&text, tree.span(id)));
        }
        tree.unclaimed_expectations();
    }
    let tree = syntax::parse(FileId(0), &text);
    sexpr::file(&tree);
    syntax::is_complete(&text);
    assert_eq!(syntax::format(&tree).is_some(), tree.errors().is_empty());
}

fn lossless(tree: &Tree, text: &str) {
    let mut at = 0;
    for token in tree.tokens() {
        assert_eq!(token.start, at, "tokens follow one another");
        assert!(token.end >= token.start);
        at = token.end;
    }
    assert_eq!(at as usize, text.len(), "tokens reach the end");
    assert_eq!(tree.text(), text);
}

fn covers(text: &str, span: Span) -> bool {
    text.get(span.start as usize..span.end as usize).is_some()
}

/// The standard layout of a text is a fixed point and means the same.
pub fn format(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let tree = syntax::parse(FileId(0), text);
    if !tree.errors().is_empty() {
        return;
    }
    let once = syntax::format(&tree).expect("a tree without errors is formatted");
    let again = syntax::parse(FileId(0), &once);
    assert!(again.errors().is_empty(), "the formatted text has errors: {:?}\n{once}", again.errors()[0]);
    assert_eq!(sexpr::file(&tree), sexpr::file(&again), "the formatted text means something else:\n{once}");
    let twice = syntax::format(&again).expect("the formatted text is formatted");
    assert_eq!(once, twice, "formatting twice");
    let comments = |tree: &Tree| tree.tokens().iter().filter(|token| token.kind.is_comment()).count();
    assert_eq!(comments(&tree), comments(&again), "comments got lost:\n{once}");
}

thread_local!(static SESSION: RefCell<Option<(Session, usize)>> = const { RefCell::new(None) });

/// Runs `f` with a session that knows nothing but the library. Sessions are used many times: loading the library
/// costs more than an input.
pub(crate) fn with_session<R>(f: impl FnOnce(&mut Session) -> R) -> R {
    const EACH: usize = 300;
    SESSION.with_borrow_mut(|slot| {
        let fresh = slot.take().filter(|(_, uses)| *uses < EACH);
        let (session, uses) = slot.insert(fresh.unwrap_or_else(|| (Session::offline(), 0)));
        *uses += 1;
        session.scope = Scope::default();
        session.machine.max_steps = Some(MAX_STEPS);
        memory::limit_program();
        f(session)
    })
}

/// Elaborated code is well-formed, so is its reverse, and it survives being printed.
pub fn elaborate(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    with_session(|session| match session.load("fuzz.ev", text) {
        Ok((_, module)) => well_formed(&module),
        Err(failure) => points_into(&session.sources, &failure),
    });
}

fn well_formed(module: &Module) {
    check_module(module).unwrap_or_else(|broken| panic!("elaborated code is broken: {broken:#?}"));
    let printed = print_module(module);
    match parse_module(&printed) {
        Ok(parsed) => assert!(same_modules(module, &parsed), "printed code means something else:\n{printed}"),
        Err(error) if error.message.contains("nested") => {}
        Err(error) => panic!("printed code isn't read: {error}\n{printed}"),
    }
    let steps = module.steps.iter().map(|step| &step.code);
    for group in module.functions.iter().map(|(_, group)| group).chain(steps) {
        let reversed = Rc::new(reverse(group));
        check_group(&reversed).unwrap_or_else(|broken| panic!("reversed code is broken: {broken:#?}"));
        let twice = reverse(&reversed);
        check_group(&twice).unwrap_or_else(|broken| panic!("twice reversed code is broken: {broken:#?}"));
    }
}

fn points_into(sources: &Sources, failure: &[Diagnostic]) {
    assert!(!failure.is_empty(), "a failure without a reason");
    for error in failure {
        let spans = error.labels.iter().map(|label| label.span).chain(error.trace.iter().map(|trace| trace.span));
        for span in spans {
            assert!(covers(&sources.get(span.file).text, span), "{error:?}");
        }
    }
}

/// Programs and their gradients end in values or in diagnostics.
pub fn evaluate(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    with_session(|session| {
        let Ok((tree, module)) = session.load("fuzz.ev", text) else { return };
        for step in module.steps.iter().take(MAX_STATEMENTS) {
            match session.run_step(step) {
                Ok(value) => drop(evert::show(&value)),
                Err(error) => points_into(&session.sources, &[*error]),
            }
        }
        let names: Vec<&str> = functions(&tree).take(MAX_FUNCTIONS).collect();
        for name in names {
            gradient(session, name);
        }
    });
}

/// The top-level functions of one argument.
fn functions(tree: &Tree) -> impl Iterator<Item = &'static str> + '_ {
    tree.statements().into_iter().filter_map(|id| match tree.statement(id) {
        Statement::Fn(function) if function.params.len() == 1 => Some(function.name.name.as_str()),
        _ => None,
    })
}

fn gradient(session: &mut Session, name: &str) {
    let Some(f) = session.get(name) else { return };
    let result = session.call(&f, Value::Real(0.7)).and_then(|_| {
        let grad = session.get("grad").expect("the library has grad");
        let derivative = session.call(&grad, f.clone())?;
        session.call(&derivative, Value::Real(0.7))
    });
    match result {
        Ok(value) => drop(evert::show(&value)),
        Err(error) => points_into(&session.sources, &[*error]),
    }
}
