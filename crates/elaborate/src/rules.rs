//! Custom derivatives: rule clauses, and the static half of check C2 (labels that a rule returns are captures).

use std::rc::Rc;

use base::{Diagnostic, Name, Span, codes};
use calculus::RuleKind;
use syntax::{NodeId, ast};

use crate::captures::Captures;
use crate::context::{Elaborator, is_unnamed};
use crate::deep;
use crate::functions::{Code, Parts};
use crate::index::UseRole;
use crate::names::nearest;

/// A rule clause whose captures aren't decided yet.
pub(crate) struct RuleCode {
    pub kind: RuleKind,
    pub code: Code,
    pub approximate: Option<Rc<str>>,
    pub span: Span,
    /// The labels that its backpropagator visibly returns.
    pub labels: Vec<ast::Ident>,
}

impl Elaborator<'_> {
    /// The rule clauses of one function, at most one of a kind.
    pub fn rules(&mut self, name: Option<Name>, rules: &[ast::Rule]) -> Vec<RuleCode> {
        let mut codes: Vec<RuleCode> = vec![];
        for rule in rules {
            let code = self.rule(name, rule);
            match codes.iter().find(|earlier| earlier.kind == code.kind) {
                Some(earlier) => self.error(duplicate_rule(rule.kind, rule.span, earlier.span)),
                None => codes.push(code),
            }
        }
        codes
    }

    fn rule(&mut self, name: Option<Name>, rule: &ast::Rule) -> RuleCode {
        let code = self.code(Parts { name, span: rule.span, params: &rule.params, body: rule.body });
        let (kind, labels) = match rule.kind {
            ast::RuleKind::Reverse => (RuleKind::Reverse, self.returned_labels(rule.body)),
            ast::RuleKind::Forward => (RuleKind::Forward, vec![]),
            ast::RuleKind::Transpose => (RuleKind::Transpose, vec![]),
        };
        let approximate = rule.approximate.as_deref().map(Rc::from);
        RuleCode { kind, code, approximate, span: rule.span, labels }
    }

    /// The labels in literal records of `(_, d => ({label: …}, _))`, wherever the body returns one.
    fn returned_labels(&self, body: NodeId) -> Vec<ast::Ident> {
        let mut labels = vec![];
        for pair in self.returned(body) {
            let Some((_, backpropagator)) = self.pair(pair) else { continue };
            let ast::Expr::Lambda { body, .. } = self.tree.expr(self.bare(backpropagator)) else { continue };
            let results = self.returned(body).into_iter().filter_map(|pair| self.pair(pair));
            for record in results.flat_map(|(captures, _)| self.returned(captures)) {
                if let ast::Expr::Record(fields) = self.tree.expr(record) {
                    labels.extend(fields.into_iter().map(|(label, _)| label));
                }
            }
        }
        labels
    }

    fn pair(&self, node: NodeId) -> Option<(NodeId, NodeId)> {
        match self.tree.expr(node) {
            ast::Expr::Tuple(parts) => <[NodeId; 2]>::try_from(parts).ok().map(|[first, second]| (first, second)),
            _ => None,
        }
    }

    /// The expressions that give an expression its value: through parentheses, blocks and choices.
    fn returned(&self, node: NodeId) -> Vec<NodeId> {
        let mut found = vec![];
        self.collect_returned(node, &mut found);
        found
    }

    fn collect_returned(&self, node: NodeId, found: &mut Vec<NodeId>) {
        deep(|| match self.tree.expr(node) {
            ast::Expr::Paren(inner) => self.collect_returned(inner, found),
            ast::Expr::Block(statements) => {
                if let Some(ast::Statement::Expr(value)) = statements.last().map(|last| self.tree.statement(*last)) {
                    self.collect_returned(value, found);
                }
            }
            ast::Expr::If { then, otherwise, .. } => {
                self.collect_returned(then, found);
                otherwise.into_iter().for_each(|otherwise| self.collect_returned(otherwise, found));
            }
            ast::Expr::Match { arms, .. } => arms.iter().for_each(|arm| self.collect_returned(arm.body, found)),
            _ => found.push(node),
        })
    }

    /// The expression inside parentheses.
    pub fn bare(&self, mut node: NodeId) -> NodeId {
        while let ast::Expr::Paren(inner) = self.tree.expr(node) {
            node = inner;
        }
        node
    }

    /// C2: a label is a capture, or a top-level name that the function mentions, or a member of its group.
    pub fn check_labels(&mut self, rule: &RuleCode, captures: &Captures, mentions: &[Name], members: &[Name]) {
        for label in &rule.labels {
            let known = [&captures.labels[..], mentions, members];
            if let Some(at) = captures.labels.iter().position(|capture| *capture == label.name) {
                self.note_local(captures.ids[at], label.span, UseRole::Label);
            }
            if !known.iter().any(|names| names.contains(&label.name)) {
                self.error(not_captured(*label, rule.code.name, &captures.labels));
            }
        }
    }
}

fn not_captured(label: ast::Ident, function: Option<Name>, captures: &[Name]) -> Diagnostic {
    let function = function.map_or("this function".to_string(), |name| format!("`{name}`"));
    let message = format!("{function} doesn't capture `{}`", label.name);
    let written: Vec<&str> = captures.iter().filter(|name| !is_unnamed(**name)).map(|name| name.as_str()).collect();
    let diagnostic = Diagnostic::new(codes::NOT_CAPTURED, label.span, message).here("a sensitivity for nothing");
    let diagnostic = match written.is_empty() {
        true => diagnostic.note("it captures nothing: its rule returns `{}` for the captures"),
        false => diagnostic.note(format!("it captures `{}`", written.join("`, `"))),
    };
    match nearest(label.name, captures.iter().copied()) {
        Some(near) => diagnostic.did_you_mean(near),
        None => diagnostic.help("leave it out: a missing label means zero"),
    }
}

fn duplicate_rule(kind: ast::RuleKind, again: Span, first: Span) -> Diagnostic {
    let kind = match kind {
        ast::RuleKind::Reverse => "reverse",
        ast::RuleKind::Forward => "forward",
        ast::RuleKind::Transpose => "transpose",
    };
    Diagnostic::new(codes::DUPLICATE_RULE, again, format!("a function has at most one `{kind}` rule"))
        .here("the second")
        .label(first, "the first")
        .help("if it belongs to another function, put that function in parentheses and the rule right after it")
}
