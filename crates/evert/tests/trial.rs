//! Short steps run on the reference evaluator, long ones are compiled: nobody can tell by what they give or print.

use std::cell::RefCell;
use std::rc::Rc;

use evert::{Engine, Ran, Session, World};

/// Remembers what is printed.
#[derive(Default)]
struct Listening(RefCell<Vec<String>>);

impl World for Listening {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(path.to_string())
    }

    fn print(&self, line: &str) {
        self.0.borrow_mut().push(line.to_string());
    }
}

/// What a text gives, what it prints, and how its steps were run.
type Done = (Result<String, String>, Vec<String>, Vec<Ran>);

/// What becomes of a text if steps may take so long on the reference evaluator. Nothing where there is no LLVM.
fn run(text: &str, steps: u64) -> Option<Done> {
    let world = Rc::new(Listening::default());
    let mut session = Session::new(world.clone());
    session.engines.engine = Engine::Native;
    session.engines.trial_steps = steps;
    session.engines.log = Some(vec![]);
    if !session.engines.has_native() {
        println!("skipped: there is no LLVM");
        return None;
    }
    let value = session.evaluate(text);
    let value = value.map(|value| evert::show(&value)).map_err(|failure| failure[0].message.clone());
    let ran = session.engines.log.take().into_iter().flatten().map(|(_, ran)| ran).collect();
    let printed = world.0.borrow().clone();
    Some((value, printed, ran))
}

const SUM: &str =
    "fn total(n) = fold((s, i) => { print(\"{i}\"); s + grad(x => x^2)(real(i)) }, 0.0, [i for i in 0..n])\n";

#[test]
fn what_is_short_is_not_compiled() {
    let Some((value, printed, ran)) = run(&format!("{SUM}total(3)"), evert::TRIAL_STEPS) else { return };
    assert_eq!((value.as_deref(), printed.len(), &ran[..]), (Ok("6.0"), 3, &[Ran::Brief][..]));
}

#[test]
fn what_takes_longer_is_compiled_and_prints_each_line_once() {
    let Some((value, printed, ran)) = run(&format!("{SUM}total(50)"), 2_000) else { return };
    assert_eq!((value.as_deref(), &ran[..]), (Ok("2450.0"), &[Ran::Compiled][..]));
    assert_eq!(printed, (0..50).map(|i| i.to_string()).collect::<Vec<_>>());
}

#[test]
fn errors_are_the_same_before_and_after_the_trial() {
    let text = format!("{SUM}total(50) + [1.0, 2.0][7]");
    let Some((short, printed_short, _)) = run(&text, 1_000_000) else { return };
    let (long, printed_long, ran) = run(&text, 2_000).expect("there is an LLVM");
    assert_eq!((&short, printed_short.len()), (&long, printed_long.len()));
    assert!(short.is_err() && printed_long.len() == 50, "{short:?} {printed_long:?}");
    assert!(matches!(ran[..], [Ran::Failed { .. }]), "{ran:?}");
}

#[test]
fn a_large_product_is_not_computed_twice() {
    let text = "let a = tabulate(60, i => tabulate(60, j => real(i + j)))\nsum(a @ a)";
    let Some((value, _, ran)) = run(text, 100_000) else { return };
    assert_eq!(value.as_deref(), Ok("816678000.0"));
    assert!(matches!(ran[..], [Ran::Brief, Ran::Compiled]), "{ran:?}");
}
