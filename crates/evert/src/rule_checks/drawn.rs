//! Inputs for rules that no run of the file used: drawn by shape.
//!
//! In: a file's tree and module, and the uses that were observed. Out: more uses, of [`Occasion::Drawn`], and the rules for which none was found.
//! A rule at top level is tried at arguments of several shapes; one of a function that another returns at what both can be called with.

use base::Span;
use calculus::{Atom, Binding, Block, Expr, GlobalId, Group, Module, Root};
use eval::Value;
use eval::observe::{Occasion, Uses};
use eval::value::{Closure, Function};
use syntax::Tree;
use syntax::ast::Statement;

use super::{limited, rule_span};
use crate::deriving::samples;
use crate::session::Session;
use crate::testing;

/// A try at a drawn input may take so many steps.
const DRAWN_STEPS: u64 = 200_000;

/// Draws uses of the rules that weren't met, or of the function that is named; says for which rules there are none. What the steps mention that
/// expect an error may be wrong on purpose: it is left alone if `Excused` says so.
pub(super) fn complete(
    session: &mut Session,
    tree: &Tree,
    module: &Module,
    uses: &mut Uses,
    only: Option<&str>,
    excused: Excused,
) -> Vec<Span> {
    let excused = match excused {
        Excused::Nothing => vec![],
        Excused::ExpectedErrors => expected_errors(tree, module),
    };
    uses.forget(|rule| rule.occasion == Occasion::Called && excused.contains(&rule_span(&rule.sample()[0].f)));
    for statement in tree.statements() {
        let Statement::Fn(function) = tree.statement(statement) else { continue };
        let name = function.name.name.as_str();
        let Some(value) = session.get(name) else { continue };
        if excused.iter().any(|span| within(*span, tree.span(statement))) {
            continue;
        }
        if !function.rules.is_empty() || only == Some(name) {
            at_drawn(session, &value, function.params.len(), uses);
            continue;
        }
        // What it returns may have a rule.
        let inner = unmet(module, uses).into_iter().any(|span| within(span, tree.span(function.body)));
        if inner && let Some(made) = result_with_rule(session, &value, function.params.len()) {
            at_drawn(session, &made, 1, uses);
        }
    }
    let mut unmet = unmet(module, uses);
    unmet.retain(|span| !excused.contains(span));
    unmet
}

/// Which rules needn't be right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excused {
    Nothing,
    ExpectedErrors,
}

/// The functions that are reached from steps that expect an error.
fn expected_errors(tree: &Tree, module: &Module) -> Vec<Span> {
    let mut spans = vec![];
    let mut seen: Vec<GlobalId> = vec![];
    let steps = module.steps.iter().zip(testing::steps_of(tree));
    let mut groups: Vec<&Group> = steps
        .filter(|(_, statement)| testing::expects_failure(tree, *statement))
        .map(|(step, _)| &*step.code)
        .collect();
    while let Some(group) = groups.pop() {
        in_group(group, &mut spans);
        let mut mentioned = vec![];
        group.members.iter().for_each(|lambda| globals_of(&lambda.body, &mut mentioned));
        for id in mentioned {
            if !seen.contains(&id) {
                seen.push(id);
                groups.extend(module.functions.iter().filter(|(own, _)| *own == id).map(|(_, group)| &**group));
            }
        }
    }
    spans
}

fn globals_of(block: &Block, globals: &mut Vec<GlobalId>) {
    block.each_atom(&mut |atom| {
        if let Atom::Root(Root::Global(id), _) = atom {
            globals.push(*id);
        }
    });
    stacker::maybe_grow(64 << 10, 1 << 20, || {
        for binding in &block.bindings {
            match binding {
                Binding::Functions { group, .. } => {
                    group.members.iter().for_each(|lambda| globals_of(&lambda.body, globals));
                }
                Binding::Let { expr: Expr::If(_, then, otherwise), .. } => {
                    globals_of(then, globals);
                    globals_of(otherwise, globals);
                }
                Binding::Let { .. } => {}
            }
        }
    });
}

fn at_drawn(session: &mut Session, f: &Value, params: usize, uses: &mut Uses) {
    let Some(closure) = closure(f).filter(|closure| !uses.knows(closure)) else { return };
    // Where the rule can be used, if there is such a place: it may be meant for some shapes only.
    let claim = session.get("rule_claim").expect("the library has it");
    let works = |session: &mut Session, x: &Value| {
        let arguments = Value::tuple(vec![f.clone(), x.clone(), Value::Int(1)]);
        let mut worked = false;
        limited(session, DRAWN_STEPS, |session| {
            let outcome = session.call(&claim, arguments);
            worked = outcome.is_ok();
            outcome.err().map(|error| error.code)
        });
        worked
    };
    let mut drawn = samples::drawn(session, f, params, works);
    if drawn.is_empty() {
        drawn = samples::drawn(session, f, params, |_, _| true);
    }
    for x in samples::with_neighbours(drawn) {
        uses.add(closure, f.clone(), x, Occasion::Drawn);
    }
}

/// A function with a rule that f gives for drawn arguments.
fn result_with_rule(session: &mut Session, f: &Value, params: usize) -> Option<Value> {
    let inputs = samples::drawn(session, f, params, |_, _| true);
    let values = inputs.into_iter().filter_map(|x| session.quietly(|session| session.call(f, x)).ok());
    let mut functions = values.filter(|value| closure(value).is_some_and(|it| !lambda_of(it).rules.is_empty()));
    functions.next()
}

fn closure(value: &Value) -> Option<&Closure> {
    let Value::Function(function) = value else { return None };
    match &**function {
        Function::Closure(closure) => Some(closure),
        Function::Prim { .. } | Function::Sealed { .. } => None,
    }
}

fn lambda_of(closure: &Closure) -> &calculus::Lambda {
    closure.code.lambda(closure.member)
}

fn within(inner: Span, outer: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}

/// The functions with rules that weren't met, by their places.
fn unmet(module: &Module, uses: &Uses) -> Vec<Span> {
    let met: Vec<Span> = uses.rules().iter().map(|rule| rule_span(&rule.sample()[0].f)).collect();
    let mut ruled = vec![];
    module.functions.iter().for_each(|(_, group)| in_group(group, &mut ruled));
    module.steps.iter().for_each(|step| in_group(&step.code, &mut ruled));
    ruled.retain(|span| !met.contains(span));
    ruled
}

fn in_group(group: &Group, ruled: &mut Vec<Span>) {
    for lambda in &group.members {
        if !lambda.rules.is_empty() && !ruled.contains(&lambda.span) {
            ruled.push(lambda.span);
        }
        in_block(&lambda.body, ruled);
    }
}

fn in_block(block: &Block, ruled: &mut Vec<Span>) {
    stacker::maybe_grow(64 << 10, 1 << 20, || {
        for binding in &block.bindings {
            match binding {
                Binding::Functions { group, .. } => in_group(group, ruled),
                Binding::Let { expr: Expr::If(_, then, otherwise), .. } => {
                    in_block(then, ruled);
                    in_block(otherwise, ruled);
                }
                Binding::Let { .. } => {}
            }
        }
    });
}
