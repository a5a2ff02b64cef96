//! `//=>` and `//!`: does a result agree with what the file expects?
//!
//! In: a value or a diagnostic, and the text of the expectation. Numbers with a `~` agree within one unit of the
//! last digit written, other reals to a relative 1e-9 or an absolute 1e-12.

use base::{Diagnostic, Sources};
use eval::prims::{Tolerance, close};
use eval::value::{Form, Value};
use eval::{force, plot, show};
use syntax::ast::{Expr, UnaryOp};
use syntax::{NodeId, Tree};

use crate::engine::Engine;
use crate::session::{Failure, Session};

/// How the answer of [`agrees`] begins if the expectation itself is at fault.
pub const UNREADABLE: &str = "the expectation can't be";

/// Compares a value with the text of a `//=>` comment. `Err` says why they differ.
pub fn agrees(session: &mut Session, value: &Value, text: &str) -> Result<(), String> {
    let (plain, marks) = without_marks(text);
    let read = syntax::parse_expression(base::FileId::default(), &plain);
    if let Some(second) = read.tokens().iter().map(|token| read.token_text(token)).find(|text| is_expectation(text)) {
        return Err(format!("{UNREADABLE} read: a second expectation on the line, {}", second.trim()));
    }
    if marks.is_empty() {
        let expected = evaluate(session, &plain)?;
        return agrees_exactly(value, &expected);
    }
    let file = session.sources.add("<expected>", plain.as_str());
    let tree = syntax::parse_expression(file, &plain);
    if let Some(error) = tree.errors().first() {
        return Err(format!("{UNREADABLE} read: {}", error.message));
    }
    let root = tree.root_expr();
    Matcher { session, tree: &tree, text: &plain, marks: &marks }.agrees(root, value)
}

fn is_expectation(token: &str) -> bool {
    token.starts_with("//=>") || token.starts_with("//!")
}

/// Compares a diagnostic with the text of a `//!` comment.
pub fn mentions(diagnostic: &Diagnostic, text: &str) -> bool {
    let code = diagnostic.code.to_string();
    let labels = diagnostic.labels.iter().map(|label| &label.text);
    let mut texts =
        [&code, &diagnostic.message].into_iter().chain(labels).chain(&diagnostic.notes).chain(&diagnostic.help);
    let text = text.trim();
    texts.any(|words| words.contains(text))
}

/// The text without `~`, and where in the result a marked number begins.
fn without_marks(text: &str) -> (String, Vec<usize>) {
    let (mut plain, mut marks, mut quoted) = (String::new(), vec![], false);
    for c in text.chars() {
        if c == '"' && !plain.ends_with('\\') {
            quoted = !quoted;
        }
        match c {
            '~' if !quoted && !plain.ends_with('<') => marks.push(plain.len()),
            c => plain.push(c),
        }
    }
    (plain, marks)
}

fn evaluate(session: &mut Session, text: &str) -> Result<Value, String> {
    let messages = |failure: Failure| failure.first().map_or(String::new(), |error| error.message.clone());
    // What is expected is what the reference evaluator says, whatever engine is tried.
    let engine = std::mem::replace(&mut session.engines.engine, Engine::Reference);
    let value = session.evaluate(text);
    session.engines.engine = engine;
    value.map_err(|failure| format!("{UNREADABLE} computed: {}", messages(failure)))
}

fn agrees_exactly(value: &Value, expected: &Value) -> Result<(), String> {
    if plot::is_plot(value) && (plot::has_functions(value) || plot::has_functions(expected)) {
        return Err(
            "functions never agree, and this plot has some\ncompare its data: `plots.sampled(p, 24)`".to_string()
        );
    }
    match close(value, expected, Tolerance::DEFAULT) {
        Ok(true) => Ok(()),
        _ => {
            let (expected, found) = (show::screen(expected), show::screen(value));
            // Plots are shown in one line, whatever they hold.
            let inside = if expected == found { "\nthey differ in what they hold" } else { "" };
            Err(format!("expected {expected}\n   found {found}{inside}"))
        }
    }
}

struct Matcher<'a> {
    session: &'a mut Session,
    tree: &'a Tree,
    text: &'a str,
    marks: &'a [usize],
}

impl Matcher<'_> {
    fn agrees(&mut self, node: NodeId, value: &Value) -> Result<(), String> {
        let span = self.tree.span(node);
        let (start, end) = (span.start as usize, span.end as usize);
        if !self.marks.iter().any(|mark| (start..end).contains(mark)) {
            let expected = evaluate(self.session, &self.text[start..end])?;
            return agrees_exactly(value, &expected);
        }
        let value = force(value).map_err(|fault| fault.message)?;
        match (self.tree.expr(node), &value) {
            (Expr::Paren(inner), _) => self.agrees(inner, &value),
            (Expr::Real(_) | Expr::Int(_) | Expr::Unary { op: UnaryOp::Negate, .. }, _) => {
                agrees_roughly(&self.text[start..end], &value)
            }
            (Expr::Tuple(nodes) | Expr::Call { args: nodes, .. }, Value::Data(data))
                if nodes.len() == data.fields.len() && self.same_constructor(node, &data.form) =>
            {
                nodes.iter().zip(&data.fields).try_for_each(|(node, field)| self.agrees(*node, field))
            }
            (Expr::Record(fields), Value::Data(data)) => self.record(&fields, data, &value),
            (Expr::Array(nodes), Value::Array(array)) if nodes.len() == array.len() => {
                nodes.iter().enumerate().try_for_each(|(i, node)| self.agrees(*node, &array.row(i)))
            }
            _ => Err(format!("expected {}\n   found {}", &self.text[start..end], show::screen(&value))),
        }
    }

    fn same_constructor(&self, node: NodeId, form: &Form) -> bool {
        match (self.tree.expr(node), form) {
            (Expr::Call { callee, .. }, Form::Variant(constructor)) => match self.tree.expr(callee) {
                Expr::Name(name) => name == constructor.name,
                // `plots.Line`
                Expr::Field { field, .. } => field.name == constructor.name,
                _ => false,
            },
            (Expr::Tuple(_), Form::Tuple) => true,
            _ => false,
        }
    }

    fn record(
        &mut self,
        fields: &[(syntax::ast::Ident, NodeId)],
        data: &eval::value::Data,
        value: &Value,
    ) -> Result<(), String> {
        let Form::Record(labels) = &data.form else {
            return Err(format!("expected a record, found {}", show::screen(value)));
        };
        for (ident, node) in fields {
            match labels.iter().position(|label| *label == ident.name) {
                Some(at) => self.agrees(*node, &data.fields[at])?,
                None => return Err(format!("no field `{}` in {}", ident.name, show::screen(value))),
            }
        }
        Ok(())
    }
}

/// Within one unit of the last digit written.
fn agrees_roughly(written: &str, value: &Value) -> Result<(), String> {
    let number: f64 = written.replace(' ', "").parse().map_err(|_| format!("`{written}` is no number"))?;
    let found = match value {
        Value::Real(x) => *x,
        Value::Int(i) => *i as f64,
        other => return Err(format!("expected ~{written}\n   found {}", show::screen(other))),
    };
    if (found - number).abs() <= last_unit(written) * (1.0 + 1e-9) {
        return Ok(());
    }
    Err(format!("expected ~{written}\n   found {}", show::real(found)))
}

fn last_unit(written: &str) -> f64 {
    let (digits, exponent) = written.split_once(['e', 'E']).unwrap_or((written, "0"));
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
    10f64.powi(exponent.parse::<i32>().unwrap_or(0) - decimals)
}

/// The name of the file and the line of a place, for reports.
pub fn place(sources: &Sources, span: base::Span) -> String {
    let (line, _) = sources.line_column(span.file, span.start);
    format!("{}:{line}", sources.get(span.file).name)
}
