//! Checks the custom rules that a program used, at inputs from its own run.
//!
//! In: the uses that the machine observed ([`eval::observe`]), plain calls of functions whose rules no derivative used, and, where there are neither, inputs drawn by
//! shape (`drawn`). Out: for each rule one case, and what was left out, in words. The checks
//! themselves are written in the language, in `library/checking.ev`; here are the choice of inputs (the first and last use, and some for
//! every set of branches that the function takes) and the budget, which counts the evaluator's steps, so that it doesn't depend on the machine.
//! [`findings`] has all that there is to say about the rules of a file, for `evert check`.

mod drawn;
pub mod findings;

pub use drawn::Excused;

use base::clock::Stopwatch;
use base::{Diagnostic, Span, codes};
use calculus::{Module, Step};
use eval::observe::{Branches, Occasion, RuleUses, Use, Uses, attached_rule};
use eval::value::Function;
use eval::{Value, work};
use syntax::Tree;

use crate::session::Session;
use crate::testing::{Case, Problem};

/// A file's steps may be run again on the reference evaluator for so many of its steps, to see which rules they use.
pub const OBSERVED_STEPS: u64 = 5_000_000;
/// The checks of a file's rules may take so many steps.
pub const CHECKED_STEPS: u64 = 20_000_000;
/// A rule is checked at so many inputs, and at so many of them at the second order too.
const INPUTS: usize = 8;
const INPUTS_OF_SECOND_ORDER: usize = 4;

/// What the runs of a file told about its rules.
pub struct Observed {
    pub uses: Uses,
    /// Steps that weren't run to the end for lack of budget.
    cut: Vec<Span>,
    /// Rules that no run used and that no input was drawn for.
    unmet: Vec<Span>,
    /// How many steps of the evaluator are left.
    left: u64,
}

impl Default for Observed {
    fn default() -> Observed {
        Observed::within(OBSERVED_STEPS)
    }
}

impl Observed {
    fn within(left: u64) -> Observed {
        Observed { uses: Uses::default(), cut: vec![], unmet: vec![], left }
    }

    /// Draws inputs for the rules of a file that its runs didn't use, and for the function of a name.
    pub fn complete(
        &mut self,
        session: &mut Session,
        tree: &Tree,
        module: &Module,
        only: Option<&str>,
        excused: Excused,
    ) {
        self.unmet = drawn::complete(session, tree, module, &mut self.uses, only, excused);
    }

    /// Compiled code doesn't say which rules it used; the reference evaluator does.
    pub fn run_again(&mut self, session: &mut Session, step: &Step) {
        session.machine.observed = Some(std::mem::take(&mut self.uses));
        let (ended, steps) = limited(session, self.left, |session| session.observe(step));
        self.uses = session.machine.observed.take().unwrap_or_default();
        self.left = self.left.saturating_sub(steps);
        if !ended {
            self.cut.push(step.span);
        }
    }
}

/// Checks every rule.
pub fn check(session: &mut Session, observed: &Observed) -> (Vec<Case>, Vec<String>) {
    let mut cases = vec![];
    let mut left_out = vec![];
    if let Some(first) = observed.cut.first() {
        left_out.push(format!(
            "uses of rules in {} step{}, the first at {}, were only looked at until the budget of {} million steps was spent",
            observed.cut.len(),
            if observed.cut.len() == 1 { "" } else { "s" },
            session.place(*first),
            OBSERVED_STEPS / 1_000_000,
        ));
    }
    for span in &observed.unmet {
        left_out.push(format!("the rule at {} isn't used, and no input could be drawn for it", session.place(*span)));
    }
    let mut budget = CHECKED_STEPS;
    let rules = observed.uses.rules();
    for (index, uses) in rules.iter().enumerate() {
        let share = budget / (rules.len() - index) as u64;
        let check = Check { session, left: share, uses };
        let (result, steps) = check.run(&mut left_out);
        budget = budget.saturating_sub(steps);
        cases.push(result);
    }
    (cases, left_out)
}

/// The check of one rule.
struct Check<'s> {
    session: &'s mut Session,
    left: u64,
    uses: &'s RuleUses,
}

/// How one comparison ended.
enum Ended {
    Fine,
    Wrong(Box<Diagnostic>),
    /// The rule can't be used in this way, or differences can't be taken.
    Failed(Box<Diagnostic>),
    OutOfSteps,
}

impl Check<'_> {
    /// The case, and how many steps it took.
    fn run(mut self, left_out: &mut Vec<String>) -> (Case, u64) {
        let share = self.left;
        let any = &self.uses.sample()[0].f;
        let (name, span) = (format!("the rule of `{}`", eval::show::function_name(any)), rule_span(any));
        let mut notes = vec![];
        let start = Stopwatch::start();
        let result = self.orders(&mut notes);
        left_out.extend(notes.into_iter().map(|note| format!("{name} {note}")));
        let steps = share - self.left;
        (Case { span, name, result: result.map_err(Problem::Failed), took: start.elapsed() }, steps)
    }

    fn orders(&mut self, notes: &mut Vec<String>) -> Result<(), Box<Diagnostic>> {
        let inputs = self.inputs();
        for (order, most) in [(1, INPUTS), (2, INPUTS_OF_SECOND_ORDER)] {
            let planned = inputs.len().min(most);
            for (done, input) in inputs[..planned].iter().enumerate() {
                match self.compare(input, order) {
                    Ended::Fine => {}
                    Ended::Wrong(error) => return Err(Box::new(self.located(*error, input))),
                    Ended::Failed(error) if order == 1 => return Err(Box::new(self.located(*error, input))),
                    Ended::Failed(error) => {
                        notes.push(format!("can't be checked at order {order}: {}: {}", error.code, error.message));
                        break;
                    }
                    Ended::OutOfSteps => {
                        notes.push(format!(
                            "was checked at {done} of {planned} inputs at order {order}: the budget of {} million steps for all rules is spent",
                            CHECKED_STEPS / 1_000_000
                        ));
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Uses of all kinds: of each set of branches one after the other until there are enough; first and last come first.
    fn inputs(&mut self) -> Vec<Use> {
        let mut groups: Vec<(Option<u64>, Vec<&Use>)> = vec![];
        // Most of the budget is for the comparisons.
        let reserved = self.left / 4 * 3;
        for one in self.uses.sample() {
            if self.left < reserved && !self.uses.is_outermost(one) {
                continue;
            }
            let signature = self.signature(one);
            match groups.iter_mut().find(|(other, _)| *other == signature) {
                Some((_, group)) => group.push(one),
                None => groups.push((signature, vec![one])),
            }
        }
        let mut inputs: Vec<Use> = vec![];
        let depth = groups.iter().map(|(_, group)| group.len()).max().unwrap_or(0);
        for at in 0..depth {
            // From both ends of each group in turn: early and late uses.
            let pick = |group: &[&Use]| {
                let place = if at % 2 == 0 { at / 2 } else { group.len().checked_sub(at / 2 + 1)? };
                (at < group.len()).then(|| group[place].clone())
            };
            inputs.extend(groups.iter().filter_map(|(_, group)| pick(group)));
        }
        inputs.sort_by_key(|one| !self.uses.is_outermost(one));
        inputs.truncate(INPUTS);
        inputs
    }

    /// Which branches the function and its rule take there; `None` if they don't end well.
    fn signature(&mut self, one: &Use) -> Option<u64> {
        self.session.machine.branches = Some(Branches::default());
        let claim = self.answer("rule_claim", one, 1);
        let branches = self.session.machine.branches.take();
        claim.ok().and(branches).map(|branches| branches.signature())
    }

    /// The claims of the rule by themselves, then against differences.
    fn compare(&mut self, input: &Use, order: i64) -> Ended {
        match self.ask("rule_claim", input, order) {
            Ended::Fine => {}
            other => return other,
        }
        match self.ask("check_rule_at", input, order) {
            // A difference may leave the function's domain; the rule has nothing to do with that.
            Ended::Failed(_) => Ended::Fine,
            other => other,
        }
    }

    fn ask(&mut self, function: &str, input: &Use, order: i64) -> Ended {
        match self.answer(function, input, order) {
            Ok(_) => Ended::Fine,
            Err(ended) => ended,
        }
    }

    /// What a function of `library/checking.ev` says about a rule at an input.
    fn answer(&mut self, function: &str, input: &Use, order: i64) -> Result<Value, Ended> {
        let function = self.session.get(function).expect("the library has it");
        let arguments = Value::tuple(vec![input.f.clone(), input.x.clone(), Value::Int(order)]);
        let span = rule_span(&input.f);
        let (result, ended) = self.limited(|session| session.machine.call(&function, arguments, span));
        result.map_err(|error| match error.code {
            _ if !ended => Ended::OutOfSteps,
            codes::RULE_CHECK_FAILED => Ended::Wrong(error),
            _ => Ended::Failed(error),
        })
    }

    /// Also says whether it came to its end within the budget.
    fn limited<T>(&mut self, run: impl FnOnce(&mut Session) -> base::Result<T>) -> (base::Result<T>, bool) {
        let mut result = None;
        let (ended, steps) = limited(self.session, self.left, |session| {
            let outcome = run(session);
            let error = outcome.as_ref().err().map(|error| error.code);
            result = Some(outcome);
            error
        });
        self.left = self.left.saturating_sub(steps);
        (result.expect("it ran"), ended)
    }

    fn located(&self, error: Diagnostic, input: &Use) -> Diagnostic {
        let which = match (self.uses.occasion, self.uses.total) {
            (Occasion::Drawn, _) => "an input that was drawn, as nothing uses it".to_string(),
            (Occasion::Called, 1) => "its only call".to_string(),
            (Occasion::Called, total) => format!("call {} of {total}", input.at + 1),
            (Occasion::Differentiated, 1) => "its only use".to_string(),
            (Occasion::Differentiated, total) => format!("use {} of {total}", input.at + 1),
        };
        error.note(format!("at {which}, with the argument {}", eval::show::short(&input.x)))
    }
}

/// Runs something on the evaluator for at most so many steps: whether it came to its end, and how many steps it took.
fn limited(session: &mut Session, most: u64, run: impl FnOnce(&mut Session) -> Option<base::Code>) -> (bool, u64) {
    let before = work::done();
    let outer = session.machine.max_steps.replace(most);
    let quiet = std::mem::replace(&mut session.machine.output, Box::new(|_| ()));
    let error = run(session);
    session.machine.output = quiet;
    session.machine.max_steps = outer;
    (error != Some(codes::OUT_OF_STEPS), work::done().wrapping_sub(before))
}

/// Where the function with the rule stands; of `f <~ g`, where g does.
pub(crate) fn rule_span(f: &Value) -> Span {
    match f {
        Value::Function(function) => match &**function {
            Function::Closure(closure) => {
                let closure = attached_rule(closure).unwrap_or(closure);
                closure.code.lambda(closure.member).span
            }
            _ => Span::default(),
        },
        _ => Span::default(),
    }
}
