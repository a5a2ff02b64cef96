//! All that there is to say about the rules of a file: every comparison that was made, and what is likely to be wrong.
//!
//! In: a file's text. Out: a [`RuleReport`] for each rule that the file uses, in the order of use. Nothing is printed here.

use std::fmt;

use base::{Name, Span};
use calculus::RuleKind;
use eval::Value;
use eval::array::Array;
pub use eval::observe::Occasion;
use eval::observe::{Use, attached_rule};
use eval::value::{Form, Function};

use super::{Check, Ended, Excused, Observed, rule_span};
use crate::deriving::samples::with_neighbours;
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
    /// How often the file uses it, and how.
    pub uses: u64,
    pub occasion: Occasion,
    /// Has the function a rule, or is it its derivative as it stands that is compared?
    pub has_rule: bool,
    /// Why it isn't compared, if it is marked approximate.
    pub approximate: Option<String>,
    pub inputs: usize,
    pub findings: Vec<Finding>,
    /// Why the rule can't be used at all, in words.
    pub failed: Option<String>,
    /// The kinds of its rules: `reverse`, `forward`, `transpose`.
    kinds: Vec<RuleKind>,
    /// Comparisons near the only input that is wrong: they say whether a factor explains it.
    nearby: Vec<Finding>,
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
            () if any(Verdict::Wrong) || self.failed.is_some() => Verdict::Wrong,
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
            "the function's linearity" => {
                return Some(
                    "a function with a `transpose` rule must be linear in its argument; use `reverse` for others"
                        .into(),
                );
            }
            "the dot test" => {
                let slopes: Vec<&Finding> = wrong.iter().filter(|finding| finding.mode != "both").copied().collect();
                let one = self.only_mode(&slopes);
                return one.or(Some("one of the two rules isn't the transpose of the other".into()));
            }
            _ => {}
        }
        if lowest > 1 {
            return Some(format!(
                "the rule is right at order {}, but not its derivative: it hides a dependence, as `stop_gradient`, a J-image without `J_inv` or a rule of \
                 another function does",
                lowest - 1
            ));
        }
        let kind = self.only_mode(&wrong).or_else(|| factor(&wrong, &self.nearby, &first.what));
        match (kind, self.right_elsewhere(&wrong)) {
            (Some(kind), Some(branch)) => Some(format!("{kind}; {branch}")),
            (kind, branch) => kind.or(branch),
        }
    }

    /// Is the same part right at other inputs? Then the rule branches, and one way is wrong.
    fn right_elsewhere(&self, wrong: &[&Finding]) -> Option<String> {
        let first = wrong.first()?;
        let part = |what: &str| what.split(" at ").next().unwrap_or_default().to_string();
        let same_part = |finding: &&Finding| {
            finding.order == first.order && finding.mode == first.mode && part(&finding.what) == part(&first.what)
        };
        let right = self.findings.iter().filter(same_part).find(|finding| finding.verdict == Verdict::Right)?;
        let is_wrong_too = wrong.iter().any(|finding| finding.input == right.input);
        (!is_wrong_too).then(|| format!("only in some cases: wrong at {}, right at {}", first.input, right.input))
    }

    /// Are only the slopes of one mode wrong, and those of the other right?
    fn only_mode(&self, wrong: &[&Finding]) -> Option<String> {
        let modes = modes(wrong);
        let [mode] = &modes[..] else { return None };
        let other = |finding: &&Finding| finding.mode != *mode && finding.mode != "both";
        self.findings.iter().find(other)?;
        let rule = if mode == "reverse" && self.kinds.contains(&RuleKind::Transpose) { "transpose" } else { mode };
        Some(format!("the other mode agrees with differences: it is the {rule} rule that is wrong"))
    }
}

/// The modes of some findings, each once.
fn modes(findings: &[&Finding]) -> Vec<String> {
    let mut modes: Vec<String> = findings.iter().map(|finding| finding.mode.clone()).collect();
    modes.sort();
    modes.dedup();
    modes
}

/// One factor, or no slope at all, explains all wrong slopes. A single one is explained by a sign or by a simple fraction only, or if slopes nearby are
/// others and have the same factor.
fn factor(wrong: &[&Finding], nearby: &[Finding], what: &str) -> Option<String> {
    let mut slopes: Vec<(f64, f64)> = wrong.iter().filter_map(|finding| finding.numbers()).collect();
    let (claimed, found) = *slopes.first()?;
    let ratio = claimed / found;
    let of_part = nearby.iter().filter(|finding| finding.what == what).filter_map(Finding::numbers);
    slopes.extend(of_part.filter(|(_, other)| (other - found).abs() > 1e-3 * found.abs()));
    if slopes.iter().all(|(claimed, _)| *claimed == 0.0) {
        return Some(format!("the rule says 0 for {what}: it is missing from what the rule returns"));
    }
    let same = slopes.iter().all(|(claimed, found)| (claimed / found - ratio).abs() <= 1e-4 * ratio.abs().max(1e-3));
    let close = |to: f64| (ratio - to).abs() <= 1e-5 * to.abs();
    let simple = (1..=12).any(|below| (1..=12).any(|above| close(f64::from(above) / f64::from(below))));
    match () {
        () if !same || !ratio.is_finite() => None,
        () if close(-1.0) => Some("the sign is wrong".into()),
        () if slopes.len() > 1 || simple => {
            Some(format!("it is {} times as large as it should be", eval::show::real(rounded(ratio))))
        }
        () => None,
    }
}

impl Finding {
    fn numbers(&self) -> Option<(f64, f64)> {
        Some((self.claimed.parse().ok()?, self.found.parse().ok()?))
    }
}

/// To four digits; to more where it is almost 1.
fn rounded(x: f64) -> f64 {
    let text = if (x - 1.0).abs() < 0.01 { format!("{x:.6}") } else { format!("{x:.3e}") };
    text.parse().unwrap_or(x)
}

/// Runs a file and compares the rules that it uses; only those of functions of this name, if there is one.
pub fn of_file(session: &mut Session, name: &str, text: &str, only: Option<&str>) -> Result<Vec<RuleReport>, Failure> {
    let (tree, module) = session.load(name, text)?;
    let mut observed = Observed::within(STEPS);
    observed.uses.wanted = only.map(Name::new);
    observed.uses.attached = true;
    for (step, statement) in module.steps.iter().zip(testing::steps_of(&tree)) {
        // What a step ends in is the business of others.
        let _ = session.run_step(step);
        if !testing::expects_failure(&tree, statement) && (only.is_some() || session.ruled.reaches(step)) {
            observed.run_again(session, step);
        }
    }
    observed.complete(session, &tree, &module, only, Excused::Nothing);
    let mut reports = vec![];
    for uses in observed.uses.rules() {
        let mut check = Check { session, left: STEPS, uses };
        let attached = attached(&check.uses.sample()[0].f).is_some();
        let of_name = |only: &str| match check.session.get(only) {
            Some(value) if attached => rule_span(&value) == rule_span(&check.uses.sample()[0].f),
            _ => only == eval::show::function_name(&check.uses.sample()[0].f),
        };
        if only.is_none_or(of_name) {
            reports.push(check.report());
        }
    }
    Ok(reports)
}

impl Check<'_> {
    fn report(&mut self) -> RuleReport {
        let any = &self.uses.sample()[0].f;
        let mut report = RuleReport {
            name: attached(any).unwrap_or_else(|| eval::show::function_name(any)),
            span: rule_span(any),
            uses: self.uses.total,
            occasion: self.uses.occasion,
            has_rule: has_rule(any),
            approximate: approximate(any),
            inputs: 0,
            findings: vec![],
            failed: None,
            kinds: rules(any).iter().map(|rule| rule.kind).collect(),
            nearby: vec![],
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
                        // Differences may leave the domain of the function; the rule itself must say something.
                        let claims = order > 1 || matches!(self.ask("rule_claim", input, 1), Ended::Fine);
                        if !claims {
                            report.failed = Some(format!("{words}, at {}", eval::show::short(&input.x)));
                            return report;
                        }
                        report.left_out.push(format!("order {order} at use {}: {words}", input.at + 1));
                    }
                    Err(Ended::Fine) => {}
                }
            }
            // What is wrong is wrong at higher orders too.
            if report.verdict() == Verdict::Wrong {
                self.look_nearby(&mut report, &inputs, order);
                break;
            }
        }
        report
    }

    /// Where a single input is wrong, others near it tell whether that is by a factor.
    fn look_nearby(&mut self, report: &mut RuleReport, inputs: &[Use], order: i64) {
        let [input] = inputs else { return };
        for x in with_neighbours(vec![input.x.clone()]).into_iter().skip(1) {
            let near = Use { f: input.f.clone(), x, at: input.at };
            if let Ok(findings) = self.answer("rule_findings", &near, order) {
                report.nearby.extend(read(&findings, &near));
            }
        }
    }
}

fn rules(f: &Value) -> &[calculus::Rule] {
    match f {
        Value::Function(function) => match &**function {
            Function::Closure(closure) => &closure.code.lambda(closure.member).rules,
            Function::Prim { .. } | Function::Sealed { .. } => &[],
        },
        _ => &[],
    }
}

/// What `f <~ g` is called.
fn attached(f: &Value) -> Option<String> {
    match f {
        Value::Function(function) => match &**function {
            Function::Closure(closure) => {
                attached_rule(closure)?;
                Some(format!("{} <~ …", eval::show::function_name(&closure.env.0[0])))
            }
            Function::Prim { .. } | Function::Sealed { .. } => None,
        },
        _ => None,
    }
}

fn has_rule(f: &Value) -> bool {
    !rules(f).is_empty()
}

/// The reason of the first rule that is marked approximate.
fn approximate(f: &Value) -> Option<String> {
    rules(f).iter().find_map(|rule| rule.approximate.as_deref()).map(str::to_string)
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
