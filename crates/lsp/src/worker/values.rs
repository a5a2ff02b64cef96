//! The values of a program for hints: those of expressions at top level, the shapes of variables, errors, and expectations that don't hold.

use std::cell::RefCell;
use std::rc::Rc;

use base::Span;
use calculus::StepKind;
use eval::watch::Shapes;
use evert::expectation::{agrees, mentions};
use evert::{Finding, Session, Value};
use serde_json::{Value as Json, json};
use syntax::ast::{Expectation, ExpectationKind};

/// How many steps of the evaluator one statement may take: seconds.
const MAX_STEPS: u64 = 20_000_000;
/// How many characters of a value a hint shows, and the whole of it elsewhere.
const HINT_WIDTH: usize = 60;
const MOST_SHOWN: usize = 10_000;

/// Runs the programs of a text one after the other.
pub fn values(mut session: Session, path: &str, texts: &[String], tell: &mut dyn FnMut(Json)) {
    session.machine.max_steps = Some(MAX_STEPS);
    let shapes = Rc::new(RefCell::new(Shapes::default()));
    session.machine.watch = Some(Box::new(shapes.clone()));
    for text in texts {
        program(&mut session, path, text, &shapes, tell);
    }
    tell(json!({"done": true}));
}

fn program(session: &mut Session, path: &str, text: &str, shapes: &RefCell<Shapes>, tell: &mut dyn FnMut(Json)) {
    let Ok((tree, module)) = session.load(path, text) else { return };
    let statements = evert::testing::steps_of(&tree);
    for (step, statement) in module.steps.iter().zip(statements) {
        if matches!(step.kind, StepKind::Test(_)) {
            continue;
        }
        tell(json!({"running": place(step.span)}));
        let outcome = session.run_step(step);
        let problem = match (&outcome, tree.expectation(statement)) {
            (Ok(value), Some(Expectation { kind: ExpectationKind::Equals(expected), span })) => {
                let differs = agrees(session, value, &expected).err();
                differs.map(|words| Finding::wrong_claim(span, "this isn't the value", words))
            }
            (Ok(_), Some(Expectation { kind: ExpectationKind::Fails(words), span })) => {
                Some(Finding::wrong_claim(span, "there is no such error", words))
            }
            (Err(error), Some(Expectation { kind: ExpectationKind::Fails(words), .. })) if mentions(error, &words) => {
                None
            }
            (Err(error), _) => Some(Finding::of(error, step.span)),
            (Ok(_), None) => None,
        };
        if let Some(problem) = problem {
            let mut told = place(problem.span);
            told["code"] = problem.code.to_string().into();
            told["message"] = problem.text().into();
            tell(json!({"problem": told}));
        }
        if let (Ok(value), StepKind::Show) = (&outcome, &step.kind) {
            tell(json!({"value": shown(session, value, step.span)}));
        }
        if let (Ok(_), StepKind::Define(ids)) = (&outcome, &step.kind) {
            for id in ids {
                if let Some(value) = session.machine.global(*id).cloned() {
                    let info = session.globals.get(*id);
                    shapes.borrow_mut().see_value(info.name, info.span, &value);
                }
            }
        }
        let news = shapes.borrow_mut().news();
        for ((name, span), seen) in news {
            if session.sources.get(span.file).name == path {
                let mut told = place(span);
                told["name"] = name.as_str().into();
                told["shape"] = seen.shapes.join(" | ").into();
                told["example"] = seen.example.as_str().into();
                told["parameter"] = seen.is_parameter.into();
                tell(json!({"shape": told}));
            }
        }
        if outcome.is_err() && matches!(step.kind, StepKind::Define(_)) {
            // What follows would fail for this reason alone.
            return;
        }
    }
}

fn place(span: Span) -> Json {
    json!({"start": span.start, "end": span.end})
}

fn shown(session: &mut Session, value: &Value, span: Span) -> Json {
    let mut told = place(span);
    if eval::plot::is_plot(value) {
        told["short"] = "a plot".into();
        told["plot"] = true.into();
        // A plot whose functions fail says so where it stands.
        let watch = session.machine.watch.take();
        told["text"] = match session.plot(value, span) {
            Some(Err(error)) => format!("a plot that can't be drawn: {}", error.message).into(),
            _ => "a plot".into(),
        };
        session.machine.watch = watch;
        return told;
    }
    let text = eval::show::screen(value);
    told["short"] = cut(&text, HINT_WIDTH).into();
    told["text"] = cut(&text, MOST_SHOWN).into();
    // Only the whole value can be written behind an expression.
    told["whole"] = (text.chars().count() <= MOST_SHOWN && !text.contains('…')).into();
    told
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
