//! All that there is to say about the rules of a file: every comparison that was made, and what is likely to be wrong.
//!
//! In: a file's text. Out: a [`RuleReport`] for each rule that the file uses, in the order of use. Nothing is printed here.

use std::fmt;

use base::Span;
use eval::Value;
use eval::array::Array;
use eval::observe::Use;
use eval::value::{Form, Function};

use super::{Check, Ended, Observed, rule_span};
use crate::session::{Failure, Session};
use crate::testing;

/// Rules are checked at these orders.
const ORDERS: [i64; 3] = [1, 2, 3];
/// The steps of the evaluator for looking at uses, and for the checks of each rule.
const STEPS: u64 = 500_000_000;

/// What the comparisons of one rule say.
#[derive(Debug)]
pub struct RuleReport {
    pub name: String,
    pub span: Span,
    /// How often the file uses it.
    pub uses: u64,
    /// Why it isn't compared, if it is marked approximate.
    pub approximate: Option<String>,
    pub inputs: usize,
    pub findings: Vec<Finding>,
    /// Comparisons that couldn't be made, in words.
    pub left_out: Vec<String>,
}

/// One comparison.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The argument, and which use of the rule it is from, counted from 1.
    pub input: String,
    pub at: u64,
    pub order: i64,
    /// `reverse`, `forward` or `both`.
    pub mode: String,
    /// What was compared: `its argument`, ``the captured `k` ``, `its value`, `linearity`, `the dot test`.
    pub what: String,
    /// What the rule says, and what it was compared with.
    pub claimed: String,
    pub found: String,
    /// How far a difference may be off.
    pub error: f64,
    pub verdict: Verdict,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Right,
    Wrong,
    /// Differences don't tell.
    Unclear,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Right => "right",
            Verdict::Wrong => "wrong",
            Verdict::Unclear => "unclear",
        })
    }
}

impl RuleReport {
    pub fn verdict(&self) -> Verdict {
        let any = |verdict| self.findings.iter().any(|finding| finding.verdict == verdict);
        match () {
            () if any(Verdict::Wrong) => Verdict::Wrong,
            () if any(Verdict::Right) => Verdict::Right,
            () => Verdict::Unclear,
        }
    }

    /// What the mistake is likely to be, if it is of a known kind.
    pub fn suggestion(&self) -> Option<String> {
        let wrong: Vec<&Finding> = self.findings.iter().filter(|finding| finding.verdict == Verdict::Wrong).collect();
        let first = wrong.first()?;
        let lowest = wrong.iter().map(|finding| finding.order).min()?;
        match first.what.as_str() {
            "its value" => {
                return Some("the rule computes another function; call the function itself for the value".into());
            }
            "linearity" => {
                return Some("what the rule returns beside the value must be linear in what it is given".into());
            }
            "the dot test" => return Some("one of the two rules isn't the transpose of the other".into()),
            _ => {}
        }
        if lowest > 1 {
            return Some(format!(
                "the rule is right at order {}, but not its derivative: it hides a dependence, as `stop_gradient`, a J-image without `J_inv` or a rule of \
                 another function does",
                lowest - 1
            ));
        }
        let slopes: Vec<(f64, f64)> = wrong.iter().filter_map(|finding| finding.numbers()).collect();
        let ratio = slopes.first().map(|(claimed, found)| claimed / found)?;
        let same =
            slopes.iter().all(|(claimed, found)| (claimed / found - ratio).abs() <= 1e-4 * ratio.abs().max(1e-3));
        match ratio {
            _ if slopes.iter().all(|(claimed, _)| *claimed == 0.0) => {
                Some(format!("the rule says 0 for {}: it is missing from what the rule returns", first.what))
            }
            _ if same && (ratio + 1.0).abs() < 1e-4 => Some("the sign is wrong".into()),
            _ if same => {
                Some(format!("it is {} times as large as it should be, everywhere", eval::show::real(rounded(ratio))))
            }
            _ => None,
        }
    }
}

impl Finding {
    fn numbers(&self) -> Option<(f64, f64)> {
        Some((self.claimed.parse().ok()?, self.found.parse().ok()?))
    }
}

/// To four digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.3e}").parse().unwrap_or(x)
}

/// Runs a file and compares the rules that it uses; only those of functions of this name, if there is one.
pub fn of_file(session: &mut Session, name: &str, text: &str, only: Option<&str>) -> Result<Vec<RuleReport>, Failure> {
    let (tree, module) = session.load(name, text)?;
    let mut observed = Observed::within(STEPS);
    for (step, statement) in module.steps.iter().zip(testing::steps_of(&tree)) {
        // What a step ends in is the business of others.
        let _ = session.run_step(step);
        if !testing::expects_failure(&tree, statement) && session.ruled.reaches(step) {
            observed.run_again(session, step);
        }
    }
    let mut reports = vec![];
    for uses in observed.uses.rules() {
        let mut check = Check { session, left: STEPS, uses };
        let report = check.report();
        if only.is_none_or(|only| only == report.name) {
            reports.push(report);
        }
    }
    Ok(reports)
}

impl Check<'_> {
    fn report(&mut self) -> RuleReport {
        let any = &self.uses.sample()[0].f;
        let mut report = RuleReport {
            name: eval::show::function_name(any),
            span: rule_span(any),
            uses: self.uses.total,
            approximate: approximate(any),
            inputs: 0,
            findings: vec![],
            left_out: vec![],
        };
        if report.approximate.is_some() {
            return report;
        }
        let inputs = self.inputs();
        report.inputs = inputs.len();
        for order in ORDERS {
            for input in &inputs {
                match self.answer("rule_findings", input, order) {
                    Ok(findings) => report.findings.extend(read(&findings, input)),
                    Err(Ended::OutOfSteps) => {
                        report.left_out.push(format!("order {order} at use {}: it takes too many steps", input.at + 1));
                    }
                    Err(Ended::Failed(error) | Ended::Wrong(error)) => {
                        let words = format!("{}: {}", error.code, error.message);
                        report.left_out.push(format!("order {order} at use {}: {words}", input.at + 1));
                    }
                    Err(Ended::Fine) => {}
                }
            }
            // What is wrong is wrong at higher orders too.
            if report.verdict() == Verdict::Wrong {
                break;
            }
        }
        report
    }
}

/// The reason of the first rule that is marked approximate.
fn approximate(f: &Value) -> Option<String> {
    let Value::Function(function) = f else { return None };
    let Function::Closure(closure) = &**function else { return None };
    closure.code.lambda(closure.member).rules.iter().find_map(|rule| rule.approximate.as_deref()).map(str::to_string)
}

/// The records of `rule_findings`.
fn read(findings: &Value, input: &Use) -> Vec<Finding> {
    let Value::Array(array) = findings else { return vec![] };
    Array::values(array).iter().filter_map(|record| finding(record, input)).collect()
}

fn finding(record: &Value, input: &Use) -> Option<Finding> {
    let Value::Data(data) = record else { return None };
    let Form::Record(labels) = &data.form else { return None };
    let field = |name: &str| {
        labels.iter().position(|label| label.as_str() == name).map(|at| eval::force(&data.fields[at]))?.ok()
    };
    let text = |name: &str| match field(name)? {
        Value::Text(text) => Some(text.to_string()),
        _ => None,
    };
    Some(Finding {
        input: eval::show::short(&input.x),
        at: input.at + 1,
        order: match field("order")? {
            Value::Int(order) => order,
            _ => return None,
        },
        mode: text("mode")?,
        what: text("what")?,
        claimed: text("claimed")?,
        found: text("found")?,
        error: match field("error")? {
            Value::Real(error) => error,
            _ => return None,
        },
        verdict: match text("verdict")?.as_str() {
            "right" => Verdict::Right,
            "wrong" => Verdict::Wrong,
            _ => Verdict::Unclear,
        },
    })
}
