//! `evert check`: the custom rules of a program, compared with the functions themselves.
//!
//! In: a program, and the name of a function if only its rule matters. Out: for each rule a table of what was compared, the verdict, and
//! what the mistake is likely to be. Right and unclear comparisons of one kind share a line, unless all are asked for.

use evert::rule_checks::findings::{self, Finding, RuleReport, Verdict};

use crate::Status;
use crate::files::{self, Recording};
use crate::launch::Launcher;
use crate::report;

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
        terminal.complain(&format!("{path} uses {which} (of the library's they are none): differentiate what has one"));
        return Status::Failed;
    }
    for rule in &reports {
        terminal.text(&described(rule, request.all));
    }
    let wrong = reports.iter().filter(|rule| rule.verdict() == Verdict::Wrong).count();
    terminal.line(&format!("{} right, {wrong} wrong", reports.len() - wrong));
    if wrong == 0 { Status::Fine } else { Status::Failed }
}

fn described(rule: &RuleReport, all: bool) -> String {
    let times = if rule.uses == 1 { "once".to_string() } else { format!("{} times", rule.uses) };
    let mut text = format!("the rule of `{}`, used {times}", rule.name);
    if let Some(reason) = &rule.approximate {
        return format!("{text}: approximate, \"{reason}\"\n\n");
    }
    text += &format!(", compared at {} input{}\n", rule.inputs, if rule.inputs == 1 { "" } else { "s" });
    let lines: Vec<[String; 7]> = lines(&rule.findings, all);
    let head = ["order", "mode", "what", "the rule says", "differences say", "input", ""].map(str::to_string);
    text += &table(&[&[head], &lines[..]].concat());
    rule.left_out.iter().for_each(|words| text += &format!("  left out: {words}\n"));
    text += &match rule.verdict() {
        Verdict::Wrong => {
            let place = rule.findings.iter().find(|finding| finding.verdict == Verdict::Wrong);
            place.map_or(String::new(), |finding| format!("  wrong in {}\n", finding.what))
        }
        Verdict::Right => "  right\n".to_string(),
        Verdict::Unclear => "  unclear: differences don't tell at these inputs\n".to_string(),
    };
    rule.suggestion().iter().for_each(|words| text += &format!("  {words}\n"));
    text + "\n"
}

/// A line for each comparison that is wrong, and one for all others of a kind, with the largest difference.
fn lines(findings: &[Finding], all: bool) -> Vec<[String; 7]> {
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

fn line(finding: Finding, times: usize) -> [String; 7] {
    let input = match times {
        1 => finding.input,
        more => format!("{} and {} more", finding.input, more - 1),
    };
    let numbers = [finding.claimed, finding.found];
    let [claimed, found] = numbers.map(|text| shortened(&text));
    [finding.order.to_string(), finding.mode, finding.what, claimed, found, input, finding.verdict.to_string()]
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

fn table(lines: &[[String; 7]]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let row = |line: &[String; 7]| {
        let cells = line.iter().zip(&widths).map(|(cell, width)| {
            let padding = " ".repeat(width - cell.chars().count());
            format!("{cell}{padding}")
        });
        format!("  {}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    lines.iter().map(row).collect()
}
