//! `evert check`: the custom rules of a program, compared with the functions themselves.
//!
//! In: a program, and the name of a function if only its rule matters. Out: for each rule a table of what was compared, the verdict, and
//! what the mistake is likely to be. Right and unclear comparisons of one kind share a line, unless all are asked for.

use evert::rule_checks::findings::{self, Finding, Occasion, RuleReport, Verdict};

use crate::Status;
use crate::files::{self, Recording};
use crate::launch::Launcher;
use crate::report;

/// The columns of the table.
const COLUMNS: usize = 8;

pub struct Request {
    /// Only rules of functions of this name.
    pub function: Option<String>,
    /// Every comparison in a line of its own.
    pub all: bool,
}

pub fn check(launcher: &Launcher, path: &str, request: &Request) -> Status {
    let terminal = launcher.terminal;
    let mut session = launcher.session(Recording::of(path));
    let name = files::name(path);
    let reports =
        session.read(&name).and_then(|text| findings::of_file(&mut session, &name, &text, request.function.as_deref()));
    let reports = match reports {
        Ok(reports) => reports,
        Err(failure) => {
            report::report(terminal, &session.sources, &failure);
            return Status::Failed;
        }
    };
    if reports.is_empty() {
        let which = request.function.as_ref().map_or("no rule".to_string(), |name| format!("no rule of `{name}`"));
        terminal.complain(&format!("{path} has {which}, or no input for it could be found: call what has one"));
        return Status::Failed;
    }
    for rule in &reports {
        terminal.text(&described(rule, request.all));
    }
    let count = |verdict| reports.iter().filter(|rule| rule.approximate.is_none() && rule.verdict() == verdict).count();
    let exempt = reports.iter().filter(|rule| rule.approximate.is_some()).count();
    let (wrong, unclear) = (count(Verdict::Wrong), count(Verdict::Unclear));
    let mut summary = format!("{} right, {wrong} wrong", count(Verdict::Right));
    for (number, words) in [(unclear, "unclear"), (exempt, "approximate on purpose")] {
        if number > 0 {
            summary += &format!(", {number} {words}");
        }
    }
    terminal.line(&summary);
    if wrong == 0 { Status::Fine } else { Status::Failed }
}

fn described(rule: &RuleReport, all: bool) -> String {
    let times = if rule.uses == 1 { "once".to_string() } else { format!("{} times", rule.uses) };
    let whose = if rule.has_rule { "the rule of" } else { "the derivative of" };
    let mut text = match rule.occasion {
        Occasion::Differentiated => format!("{whose} `{}`, used {times}", rule.name),
        Occasion::Called => format!("{whose} `{}`, called {times}", rule.name),
        Occasion::Drawn => format!("{whose} `{}`, which nothing uses, at inputs that were drawn", rule.name),
    };
    if let Some(reason) = &rule.approximate {
        return format!("{text}: approximate, \"{reason}\"\n\n");
    }
    text += &format!(", compared at {} input{}\n", rule.inputs, if rule.inputs == 1 { "" } else { "s" });
    if let Some(words) = &rule.failed {
        return text + &format!("  wrong: it can't be used: {words}\n\n");
    }
    let lines: Vec<[String; COLUMNS]> = lines(&rule.findings, all);
    let head = ["order", "mode", "what", "the rule says", "differences say", "error", "input", ""].map(str::to_string);
    text += &table(&[&[head], &lines[..]].concat());
    rule.left_out.iter().for_each(|words| text += &format!("  left out: {words}\n"));
    text += &match rule.verdict() {
        Verdict::Wrong => {
            let place = rule.findings.iter().find(|finding| finding.verdict == Verdict::Wrong);
            place.map_or(String::new(), |finding| format!("  wrong in {}{}\n", finding.what, at_order(finding.order)))
        }
        Verdict::Right => "  right\n".to_string(),
        Verdict::Unclear => "  unclear: differences don't tell at these inputs\n".to_string(),
    };
    if rule.has_rule {
        rule.suggestion().iter().for_each(|words| text += &format!("  {words}\n"));
    }
    text + "\n"
}

fn at_order(order: i64) -> String {
    if order == 1 { String::new() } else { format!(" at order {order}") }
}

/// A line for each comparison that is wrong, and one for all others of a kind, with the largest difference.
fn lines(findings: &[Finding], all: bool) -> Vec<[String; COLUMNS]> {
    let mut shown: Vec<(Finding, usize)> = vec![];
    for finding in findings {
        let kind = |other: &Finding| {
            (other.order, &other.mode, &other.what, other.verdict)
                == (finding.order, &finding.mode, &finding.what, finding.verdict)
        };
        let known = shown.iter_mut().find(|(other, _)| !all && finding.verdict != Verdict::Wrong && kind(other));
        match known {
            Some((_, times)) => *times += 1,
            None => shown.push((finding.clone(), 1)),
        }
    }
    shown.into_iter().map(|(finding, times)| line(finding, times)).collect()
}

fn line(finding: Finding, times: usize) -> [String; COLUMNS] {
    let input = match times {
        1 => finding.input,
        more => format!("{} and {} more", finding.input, more - 1),
    };
    let numbers = [finding.claimed, finding.found];
    let error = difference(&numbers);
    let [claimed, found] = numbers.map(|text| shortened(&text));
    [finding.order.to_string(), finding.mode, finding.what, claimed, found, error, input, finding.verdict.to_string()]
}

/// By how much two numbers differ, to two digits; nothing for other things.
fn difference([claimed, found]: &[String; 2]) -> String {
    match (claimed.parse::<f64>(), found.parse::<f64>()) {
        (Ok(claimed), Ok(found)) => format!("{:.1e}", (claimed - found).abs()),
        _ => String::new(),
    }
}

/// Numbers to six digits; other texts to forty characters.
fn shortened(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => {
            let short: f64 = format!("{number:.5e}").parse().unwrap_or(number);
            format!("{short:?}")
        }
        _ if text.chars().count() > 40 => text.chars().take(39).chain(['…']).collect(),
        _ => text.to_string(),
    }
}

fn table(lines: &[[String; COLUMNS]]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..COLUMNS).map(width).collect();
    let row = |line: &[String; COLUMNS]| {
        let cells = line.iter().zip(&widths).map(|(cell, width)| {
            let padding = " ".repeat(width - cell.chars().count());
            format!("{cell}{padding}")
        });
        format!("  {}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    lines.iter().map(row).collect()
}
