//! The views as s-expressions, for tests and for looking at a parse: `1 + 2 * x` is `(+ 1 (* 2 x))`.
//!
//! Parentheses and trivia don't show: two texts that mean the same print the same.

use std::fmt::Write;

use crate::ast::*;
use crate::tree::{NodeId, Tree};

/// All statements, one per line.
pub fn file(tree: &Tree) -> String {
    tree.statements().into_iter().map(|statement| print(tree, |printer| printer.statement(statement)) + "\n").collect()
}

pub fn expr(tree: &Tree, id: NodeId) -> String {
    print(tree, |printer| printer.expr(id))
}

pub fn pattern(tree: &Tree, id: NodeId) -> String {
    print(tree, |printer| printer.pattern(id))
}

fn print(tree: &Tree, run: impl FnOnce(&mut Printer)) -> String {
    let mut printer = Printer { tree, out: String::new() };
    run(&mut printer);
    printer.out
}

struct Printer<'a> {
    tree: &'a Tree,
    out: String,
}

impl Printer<'_> {
    /// `(head …)`
    fn list(&mut self, head: &str, rest: impl FnOnce(&mut Self)) {
        let _ = write!(self.out, "({head}");
        rest(self);
        self.out.push(')');
    }

    fn word(&mut self, word: impl std::fmt::Display) {
        let _ = write!(self.out, " {word}");
    }

    fn exprs(&mut self, ids: &[NodeId]) {
        for &id in ids {
            self.spaced(id);
        }
    }

    fn spaced(&mut self, id: NodeId) {
        self.out.push(' ');
        self.expr(id);
    }

    fn patterns(&mut self, ids: &[NodeId]) {
        for (at, &id) in ids.iter().enumerate() {
            if at > 0 {
                self.out.push(' ');
            }
            self.pattern(id);
        }
    }

    /// ` (x y)`
    fn params(&mut self, params: &[NodeId]) {
        self.out.push_str(" (");
        self.patterns(params);
        self.out.push(')');
    }

    /// ` (default 0.1)` for each parameter that has one
    fn defaults(&mut self, defaults: &[Option<NodeId>]) {
        for default in defaults.iter().flatten() {
            self.out.push(' ');
            self.list("default", |p| p.spaced(*default));
        }
    }

    fn statement(&mut self, id: NodeId) {
        match self.tree.statement(id) {
            Statement::Let { pattern, value } => self.list("let ", |p| {
                p.pattern(pattern);
                p.spaced(value);
            }),
            Statement::Fn(function) => self.list("fn", |p| {
                p.word(function.name.name);
                p.params(&function.params);
                p.defaults(&function.defaults);
                p.spaced(function.body);
                p.rules(&function.rules);
            }),
            Statement::Expr(id) => self.expr(id),
            Statement::Type { name, constructors } => self.list("type", |p| {
                p.word(name.name);
                for constructor in &constructors {
                    p.out.push(' ');
                    p.list(constructor.name.name.as_str(), |p| constructor.fields.iter().for_each(|f| p.word(f.name)));
                }
            }),
            Statement::Import(import) => self.list("import", |p| {
                match import.source {
                    ImportSource::Path(path) => p.word(format!("{path:?}")),
                    ImportSource::Library(name) => p.word(name),
                }
                import.alias.iter().for_each(|alias| p.word(alias.name));
            }),
            Statement::Test { name, body } => self.list("test", |p| {
                p.word(format!("{name:?}"));
                p.spaced(body);
            }),
            Statement::Error => self.out.push_str("<error>"),
        }
        if let Some(expectation) = self.tree.expectation(id) {
            let _ = write!(self.out, " {:?}", expectation.kind);
        }
    }

    fn rules(&mut self, rules: &[Rule]) {
        for rule in rules {
            self.out.push(' ');
            self.list(rule_word(rule.kind), |p| {
                p.params(&rule.params);
                p.spaced(rule.body);
                rule.approximate.iter().for_each(|reason| p.word(format!("{reason:?}")));
            });
        }
    }

    fn expr(&mut self, id: NodeId) {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.one_expr(id));
    }

    fn one_expr(&mut self, id: NodeId) {
        match self.tree.expr(id) {
            Expr::Error => self.out.push_str("<error>"),
            Expr::Int(value) => self.atom(value),
            Expr::Real(value) => self.atom(format!("{value:?}")),
            Expr::Bool(value) => self.atom(value),
            Expr::Text(parts) => self.text(&parts),
            Expr::Name(name) => self.atom(name),
            Expr::Paren(inner) => self.expr(inner),
            Expr::Tuple(items) => self.list("tuple", |p| p.exprs(&items)),
            Expr::Record(fields) => self.list("record", |p| fields.iter().for_each(|(name, e)| p.field(name, *e))),
            Expr::With { base, updates } => self.list("with", |p| {
                p.spaced(base);
                updates.iter().for_each(|update| p.update(update));
            }),
            Expr::Array(items) => self.list("array", |p| p.exprs(&items)),
            Expr::Comprehension(parts) => self.list("comprehension", |p| p.comprehension(&parts)),
            Expr::Call { callee, args } => self.list("call", |p| {
                p.spaced(callee);
                p.exprs(&args);
            }),
            Expr::Generator(parts) => self.list("generator", |p| p.comprehension(&parts)),
            Expr::Field { base, field } => self.list(&format!(".{}", field.name), |p| p.spaced(base)),
            Expr::Position { base, index, .. } => self.list(&format!(".{index}"), |p| p.spaced(base)),
            Expr::Index { base, indices } => self.list("index", |p| {
                p.spaced(base);
                p.indices(&indices);
            }),
            Expr::Lambda { params, body, rules } => self.list("lambda", |p| {
                p.params(&params);
                p.spaced(body);
                p.rules(&rules);
            }),
            Expr::Unary { op, operand } => self.list(unary_text(op), |p| p.spaced(operand)),
            Expr::Binary { op, left, right, .. } => self.list(binary_text(op), |p| p.exprs(&[left, right])),
            Expr::If { condition, then, otherwise } => self.list("if", |p| {
                p.exprs(&[condition, then]);
                otherwise.iter().for_each(|&otherwise| p.spaced(otherwise));
            }),
            Expr::Match { scrutinee, arms } => self.list("match", |p| {
                p.spaced(scrutinee);
                arms.iter().for_each(|arm| p.arm(arm));
            }),
            Expr::Block(statements) => self.list("block", |p| {
                for &statement in &statements {
                    p.out.push(' ');
                    p.statement(statement);
                }
            }),
        }
    }

    fn atom(&mut self, value: impl std::fmt::Display) {
        let _ = write!(self.out, "{value}");
    }

    fn text(&mut self, parts: &[TextPart]) {
        self.list("text", |p| {
            for part in parts {
                match part {
                    TextPart::Literal(text) => p.word(format!("{text:?}")),
                    TextPart::Expr { value, format: None } => p.spaced(*value),
                    TextPart::Expr { value, format: Some(format) } => {
                        p.out.push(' ');
                        p.list("format", |p| {
                            p.spaced(*value);
                            p.word(format!("{:?}", format.text));
                        });
                    }
                }
            }
        });
    }

    fn field(&mut self, name: &Ident, value: NodeId) {
        self.word(format!("{}:", name.name));
        self.spaced(value);
    }

    fn update(&mut self, update: &Update) {
        match update {
            Update::Field(name, value) => self.field(name, *value),
            Update::Index { indices, value, .. } => {
                self.out.push_str(" [");
                self.indices(indices);
                self.out.push_str(" ]:");
                self.spaced(*value);
            }
        }
    }

    fn indices(&mut self, indices: &[IndexArg]) {
        for index in indices {
            match index {
                IndexArg::At(id) => self.spaced(*id),
                IndexArg::Range(from, to) => {
                    self.out.push(' ');
                    self.list("slice", |p| [from, to].into_iter().for_each(|bound| p.bound(*bound)));
                }
            }
        }
    }

    fn bound(&mut self, bound: Option<NodeId>) {
        match bound {
            Some(id) => self.spaced(id),
            None => self.word("_"),
        }
    }

    fn comprehension(&mut self, parts: &Comprehension) {
        self.spaced(parts.body);
        for clause in &parts.clauses {
            self.out.push(' ');
            self.list("in ", |p| {
                p.pattern(clause.pattern);
                p.spaced(clause.source);
            });
        }
        if let Some(filter) = parts.filter {
            self.out.push(' ');
            self.list("if", |p| p.spaced(filter));
        }
    }

    fn arm(&mut self, arm: &Arm) {
        self.out.push(' ');
        self.list("arm ", |p| {
            p.pattern(arm.pattern);
            if let Some(guard) = arm.guard {
                p.out.push(' ');
                p.list("if", |p| p.spaced(guard));
            }
            p.spaced(arm.body);
        });
    }

    fn pattern(&mut self, id: NodeId) {
        match self.tree.pattern(id) {
            Pattern::Error => self.out.push_str("<error>"),
            Pattern::Wild => self.out.push('_'),
            Pattern::Name(name) => self.atom(name),
            Pattern::Int(value) => self.atom(value),
            Pattern::Real(value) => self.atom(format!("{value:?}")),
            Pattern::Bool(value) => self.atom(value),
            Pattern::Text(text) => self.atom(format!("{text:?}")),
            Pattern::Paren(inner) => self.pattern(inner),
            Pattern::Tuple(items) => self.list("tuple ", |p| p.patterns(&items)),
            Pattern::Record(fields) => self.list("record", |p| {
                for (name, inner) in &fields {
                    p.word(name.name);
                    if let Some(inner) = inner {
                        p.out.push_str(": ");
                        p.pattern(*inner);
                    }
                }
            }),
            Pattern::Constructor { module, name, args } => {
                let module = module.map_or(String::new(), |module| format!("{}.", module.name));
                self.list(&format!("{module}{} ", name.name), |p| p.patterns(&args));
            }
            Pattern::Array(items) => self.list("array ", |p| p.patterns(&items)),
        }
    }
}

fn rule_word(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Reverse => "reverse",
        RuleKind::Forward => "forward",
        RuleKind::Transpose => "transpose",
    }
}

fn unary_text(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Negate => "-",
        UnaryOp::Not => "!",
    }
}

fn binary_text(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::MatMul => "@",
        BinaryOp::Power => "^",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Plus => "⊕",
        BinaryOp::Attach => "<~",
        BinaryOp::Pipe => "|>",
        BinaryOp::Range => "..",
    }
}
