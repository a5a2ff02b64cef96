//! What the page asks.
//!
//! | task | in | out |
//! |---|---|---|
//! | `run` | `text`, `engine` (`reference`, `first-order` or `compiled`; `always`: also what is short is compiled), `files` (texts by path) | `values`, `prints`, `plots`, `problems`, `claims` |
//! | | | `steps`: on what the steps of the program ran (`compiled`, `brief`, …), and why not compiled |
//! | | `sliders`: positions by places of plots and names | `plots` have their `sliders` |
//! | | `texts` instead of `text`: the blocks of a document, one after the other | `answers`: one for each |
//! | `levels` | `text`, `function` | the function, and its derivative, as source and on the levels of the compiler |
//! | `format` | `text` | `text`, formatted, or nothing if it isn't a program |

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use base::{FileId, Span};
use calculus::text::{Style, print_module_in};
use calculus::{Module, Root, StepKind};
use elaborate::Binding;
use evert::deriving::{self, DerivativeMode, Wish};
use evert::testing::{self, Case, Event, Problem};
use evert::{Engine, Finding, Ran, Session, Slider, Value, World};
use plots::Page;
use serde_json::{Value as Json, json};
use syntax::ast::Statement;

use crate::places::Places;

/// More characters of a value aren't shown.
const MOST_SHOWN: usize = 20_000;

/// What a program is called in messages.
const NAME: &str = "program";

pub fn answer(question: &Json) -> Json {
    let text = question["text"].as_str().unwrap_or_default();
    match question["task"].as_str() {
        Some("run") => run(question, text),
        Some("levels") => levels(text, question["function"].as_str().unwrap_or_default()),
        Some("format") => json!({"text": syntax::format(&syntax::parse(FileId::default(), text))}),
        other => json!({"wrong": format!("there is no task {}", other.unwrap_or("without a name"))}),
    }
}

fn engine(question: &Json) -> Engine {
    match question["engine"].as_str() {
        Some("first-order") => Engine::FirstOrder,
        Some("compiled") => Engine::Native,
        _ => Engine::Reference,
    }
}

/// The files that came with the question, and a printer that keeps the lines.
#[derive(Default)]
struct Outside {
    files: RefCell<HashMap<String, String>>,
    lines: RefCell<Vec<String>>,
}

impl World for Outside {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let files = self.files.borrow();
        files.get(path).map(|text| text.clone().into_bytes()).ok_or_else(|| "a page has no files".into())
    }

    fn print(&self, line: &str) {
        self.lines.borrow_mut().push(line.to_string());
    }
}

thread_local! {
    /// A session that nobody has used yet.
    static READY: RefCell<Option<(Rc<Outside>, Session)>> = const { RefCell::new(None) };
}

/// Has a session at hand for the next question.
pub fn make_ready() {
    READY.with_borrow_mut(|ready| _ = ready.get_or_insert_with(new_session));
}

fn session() -> (Rc<Outside>, Session) {
    READY.take().unwrap_or_else(new_session)
}

fn new_session() -> (Rc<Outside>, Session) {
    let outside = Rc::new(Outside::default());
    (outside.clone(), Session::new(outside))
}

/// Runs a program, or the blocks of a document, which know of each other in their order.
fn run(question: &Json, text: &str) -> Json {
    let (outside, mut session) = session();
    session.engines.engine = engine(question);
    session.engines.trial_steps = evert::TRIAL_STEPS;
    session.engines.always_compile = question["always"].as_bool().unwrap_or(false);
    session.engines.log = Some(vec![]);
    let files = question["files"].as_object().into_iter().flatten();
    let files = files.filter_map(|(path, text)| Some((path.clone(), text.as_str()?.to_string())));
    outside.files.borrow_mut().extend(files);
    match question["texts"].as_array() {
        Some(texts) => {
            let texts = texts.iter().filter_map(Json::as_str);
            let positions = |at: usize| &question["sliders"][at];
            let answer = |(at, text)| run_in(&mut session, &outside, text, positions(at));
            json!({"answers": texts.enumerate().map(answer).collect::<Vec<_>>()})
        }
        None => run_in(&mut session, &outside, text, &question["sliders"]),
    }
}

/// Runs a text as `evert run` does, and looks at all that it claims as `evert test` does. `positions` are those of sliders, by the place of the
/// plot and their names.
fn run_in(session: &mut Session, outside: &Outside, text: &str, positions: &Json) -> Json {
    let (mut shown, mut prints): (Vec<(Span, Value)>, Vec<Json>) = (vec![], vec![]);
    let shows = shows(text);
    let report = testing::run_telling(session, NAME, text, None, &mut |_, span, event| {
        let Event::Ends(outcome) = event else { return };
        prints.extend(outside.lines.take().into_iter().map(|line| json!({"at": span.start, "text": line})));
        if let Ok(value) = outcome
            && shows.contains(&span.start)
            && !value.is_unit()
        {
            shown.push((span, value.clone()));
        }
    });
    let places = Places::of(text);
    let (mut values, mut drawn, mut problems) = (vec![], vec![], vec![]);
    for (span, value) in &shown {
        let at = places.unit(span.start);
        let chosen = |name: &str| positions[at.to_string()][name].as_f64();
        match session.plot_at(value, *span, &chosen) {
            Some(Ok((plot, sliders))) => {
                let sliders: Vec<Json> = sliders.iter().map(slider).collect();
                drawn.push(json!({"at": at, "svg": plots::svg(&plot, Page::Inline), "sliders": sliders}))
            }
            Some(Err(error)) => problems.push(problem(&places, &Finding::of(&error, *span))),
            None => values.push(shown_value(&places, value, *span)),
        }
    }
    let mut claims = vec![];
    match report {
        Ok(report) => {
            // Where a definition has failed, what uses it fails for that reason alone.
            let last = report.cases.iter().find(|case| is_failed_definition(text, case)).map(|case| case.span.end);
            let cases = report.cases.iter().filter(|case| last.is_none_or(|last| case.span.end <= last));
            for case in cases {
                claims.extend(claim(&places, case));
                problems.extend(Finding::of_case(case).map(|wrong| problem(&places, &wrong)));
            }
            claims.extend(report.left_out.iter().map(|words| json!({"name": words, "left_out": true})));
        }
        Err(errors) => problems.extend(errors.iter().map(|error| problem(&places, &Finding::of(error, error.span())))),
    }
    for print in &mut prints {
        print["at"] = json!(places.unit(print["at"].as_u64().unwrap_or(0) as u32));
    }
    let log = session.engines.log.as_mut().map(std::mem::take).unwrap_or_default();
    let steps: Vec<Json> = log.iter().map(|(span, ran)| step_ran(&places, *span, ran)).collect();
    json!({"values": values, "prints": prints, "plots": drawn, "problems": problems, "claims": claims, "steps": steps})
}

/// On what a step ran.
fn step_ran(places: &Places, span: Span, ran: &Ran) -> Json {
    let (how, why) = match ran {
        Ran::Compiled => ("compiled", None),
        Ran::Brief => ("brief", None),
        Ran::Failed { .. } => ("failed", None),
        Ran::Interpreted(why) | Ran::TooLarge(why) => ("interpreted", Some(why.to_string())),
        Ran::Dynamic(why) => ("interpreted", Some(why.reason.to_string())),
        Ran::Fallback(why) => ("interpreted", Some(why.clone())),
    };
    json!({"at": places.unit(span.start), "how": how, "why": why})
}

fn slider(Slider { name, from, to, position }: &Slider) -> Json {
    json!({"name": name, "from": from, "to": to, "position": position})
}

/// Where the expressions at top level begin.
fn shows(text: &str) -> Vec<u32> {
    let tree = syntax::parse(FileId::default(), text);
    let is_shown = |id: &syntax::NodeId| matches!(tree.statement(*id), Statement::Expr(_));
    tree.statements().into_iter().filter(is_shown).map(|id| tree.span(id).start).collect()
}

fn is_failed_definition(text: &str, case: &Case) -> bool {
    let source = text.get(case.span.start as usize..case.span.end as usize).unwrap_or_default();
    matches!(case.result, Err(Problem::Failed(_))) && source.trim_start().starts_with("let ")
}

fn shown_value(places: &Places, value: &Value, span: Span) -> Json {
    let text = evert::show(value);
    let text = match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    json!({"start": places.unit(span.start), "end": places.unit(span.end), "text": text})
}

/// Something that a program claims: an expectation, a test, a rule.
fn claim(places: &Places, case: &Case) -> Option<Json> {
    let ok = case.result.is_ok();
    let has_name = !case.name.is_empty();
    (has_name || ok).then(|| json!({"at": places.unit(case.span.start), "name": case.name, "ok": ok}))
}

/// What is wrong, at its place.
fn problem(places: &Places, found: &Finding) -> Json {
    let Finding { span, code, message, notes, help } = found;
    json!({
        "start": places.unit(span.start), "end": places.unit(span.end.max(span.start + 1)), "code": code.to_string(),
        "warning": code.is_warning(), "message": message, "notes": notes, "help": help,
    })
}

/// A function of a program, or all of it, on the levels of the compiler.
fn levels(text: &str, function: &str) -> Json {
    let (_, mut session) = session();
    let Ok((tree, module)) = session.load(NAME, text) else {
        return json!({"wrong": "the program has mistakes"});
    };
    let is_wanted = |name: &str| function.is_empty() || name == function;
    let functions: Vec<_> =
        module.functions.iter().filter(|(id, _)| is_wanted(session.globals.get(*id).name.as_str())).cloned().collect();
    let reversed = functions.iter().map(|(id, group)| (*id, Rc::new(differentiate::reverse(group)))).collect();
    let reversed = Module { functions: reversed, steps: vec![] };
    let plain = Module { functions, steps: vec![] };
    let style = || Style { spans: false, globals: Some(&session.globals) };
    let (l1, j) = (print_module_in(style(), &plain), print_module_in(style(), &reversed));
    let mut l3 = vec![];
    for step in &module.steps {
        match step.kind {
            StepKind::Show => l3.push(step_on_l3(&session, step)),
            // A step is specialised to the values of what it reads.
            StepKind::Define(_) if session.run_step(step).is_err() => break,
            _ => {}
        }
    }
    let names: Vec<String> = tree
        .statements()
        .into_iter()
        .filter_map(|id| match tree.statement(id) {
            Statement::Fn(function) => Some(function.name.name.to_string()),
            _ => None,
        })
        .collect();
    let compiled = if function.is_empty() { json!([]) } else { compiled_function(text, function) };
    json!({
        "l1": l1, "j": j, "steps": l3, "compiled": compiled, "functions": names, "derived": derived(text, function),
    })
}

/// The gradient of a function as source, or why there is none.
fn derived(text: &str, function: &str) -> Json {
    let wish = Wish { function: function.into(), wrt: vec![], mode: DerivativeMode::Reverse, order: 1 };
    match deriving::derive(&mut new_session().1, NAME, text, &wish) {
        Ok(answer) => json!({"text": answer.text}),
        Err(failure) => json!({"wrong": failure.first().map(|error| error.message.clone())}),
    }
}

/// A step of a program on L3 and L4.
fn step_on_l3(session: &Session, step: &calculus::Step) -> Json {
    lowered(session.engines.specialise(&session.machine, &step.code, step.span))
}

/// A program as the compiler has it, or why it has none.
fn lowered(specialised: Result<specialise::Specialised, specialise::Dynamic>) -> Json {
    match specialised {
        Ok(mut specialised) => {
            optimise::optimise(&mut specialised.program);
            let l4 = loops::lower(&specialised.program);
            json!({"l3": first_order::print(&specialised.program), "l4": l4.to_string()})
        }
        Err(why) => json!({"l3": format!("// the reference evaluator runs it: {}\n", why.reason), "l4": ""}),
    }
}

/// The argument at which a function is looked at, under a name that programs hardly have.
const ARGUMENT: &str = "argument_at_the_cursor";

/// A function at an argument such as the program gives it, and its gradient there, on L3 and L4: of the argument the shape counts.
fn compiled_function(text: &str, function: &str) -> Json {
    let mut session = new_session().1;
    let Some(argument) = deriving::sample(&mut session, NAME, text, function) else {
        return json!([]);
    };
    session.set(ARGUMENT, argument);
    let unknown = session.names().find_map(|(name, binding)| match binding {
        Binding::Root(Root::Global(id)) if name.as_str() == ARGUMENT => Some(*id),
        _ => None,
    });
    let parts = [format!("{function}({ARGUMENT})"), format!("grad({function})({ARGUMENT})")];
    let of = |source: String| {
        let (_, module) = session.load("levels", &source).ok()?;
        let step = module.steps.first()?;
        let unknown = unknown.as_slice();
        let mut levels = lowered(session.engines.specialise_for(&session.machine, &step.code, step.span, unknown));
        levels["title"] = json!(source.replace(ARGUMENT, "x"));
        Some(levels)
    };
    json!(parts.into_iter().filter_map(of).collect::<Vec<_>>())
}
