//! Functions with names and without, and the rule clauses after them.

use base::{Diagnostic, codes};

use super::{Newlines, Parser, Rules};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

impl Parser<'_> {
    /// `fn f(x, y) = e`, `fn f(x) { … }`, then rule clauses
    pub(super) fn fn_statement(&mut self) -> NodeId {
        let start = self.at;
        self.bump();
        if !self.at_name() {
            self.expected_with("the function's name", |error| error.help("a function value is written `x => e`"));
            self.skip_statement();
            return self.node(NodeKind::Error, start, &[]);
        }
        let name = self.token();
        let is_main = self.peek_text() == "main";
        self.bump();
        let params = self.fn_params(is_main);
        let body = self.fn_body();
        let mut children = vec![params, body];
        children.extend(self.rules());
        self.node_with(NodeKind::Fn, start, name, &children)
    }

    fn fn_params(&mut self, is_main: bool) -> NodeId {
        if self.peek() == TokenKind::LeftParen && is_main {
            return self.params_with_defaults();
        }
        if self.peek() == TokenKind::LeftParen {
            return self.params_in_parens();
        }
        self.expected_with("`(`", |error| error.help("write `fn f(x) = e`, without arguments `fn f() = e`"));
        self.node(NodeKind::Params, self.at, &[])
    }

    fn fn_body(&mut self) -> NodeId {
        match self.peek() {
            TokenKind::Equals => {
                self.bump();
                self.body()
            }
            TokenKind::LeftBrace => self.block(),
            TokenKind::Arrow => {
                self.expected_with("`=` or `{`", |error| error.help("write `fn f(x) = e`"));
                self.bump();
                self.body()
            }
            _ => {
                self.expected("`=` or `{`");
                self.skip_statement();
                self.missing()
            }
        }
    }

    /// The body of a function: an expression whose rule clauses are its owner's.
    fn body(&mut self) -> NodeId {
        self.binary(0)
    }

    /// `x => e`, `(x, y) => e`, `λx => e`, then rule clauses
    pub(super) fn function(&mut self) -> NodeId {
        let start = self.at;
        if self.peek() == TokenKind::Lambda && self.peek_at(self.at + 1) != TokenKind::Arrow {
            self.bump();
        }
        let params = self.params();
        self.expect_arrow();
        let mut children = vec![params, self.body()];
        if self.context.rules == Rules::OfFunction {
            children.extend(self.rules());
        }
        self.node(NodeKind::Lambda, start, &children)
    }

    /// Before `=>`: a list in parentheses, or one pattern.
    fn params(&mut self) -> NodeId {
        if self.peek() == TokenKind::LeftParen {
            return self.params_in_parens();
        }
        let start = self.at;
        let param = self.pattern();
        self.node(NodeKind::Params, start, &[param])
    }

    fn params_in_parens(&mut self) -> NodeId {
        let start = self.at;
        let params = self.inside(Newlines::Ignored, |parser| parser.list(")", |parser| parser.pattern()));
        self.node(NodeKind::Params, start, &params.unwrap_or_default())
    }

    /// `(rate = 0.1, data)`: what the command line says is the argument of `main`, and it may say nothing.
    fn params_with_defaults(&mut self) -> NodeId {
        let start = self.at;
        let params = self.inside(Newlines::Ignored, |parser| parser.list(")", |parser| parser.param()));
        self.node(NodeKind::Params, start, &params.unwrap_or_default())
    }

    fn param(&mut self) -> NodeId {
        let start = self.at;
        let pattern = self.pattern();
        if !self.eat(TokenKind::Equals) {
            return pattern;
        }
        let default = self.expr();
        self.node(NodeKind::Param, start, &[pattern, default])
    }

    pub(super) fn expect_arrow(&mut self) {
        if !self.eat(TokenKind::Arrow) {
            self.expected("`=>`");
        }
    }

    /// The clauses that stand here: all have one owner.
    pub(super) fn rules(&mut self) -> Vec<NodeId> {
        let mut rules = vec![];
        while self.at_clause() {
            rules.push(self.rule());
        }
        rules
    }

    /// `reverse p => e`, perhaps `approximate "reason"`
    fn rule(&mut self) -> NodeId {
        let start = self.at;
        self.bump();
        let params = self.params();
        self.expect_arrow();
        let body = self.within(|context| context.rules = Rules::OfOwner, |parser| parser.body());
        let mut children = vec![params, body];
        if self.at_reason() {
            self.bump();
            children.push(self.plain_text("a reason"));
        }
        self.node(NodeKind::Rule, start, &children)
    }

    /// Directly after a parenthesised function: its rules.
    pub(super) fn ruled(&mut self, start: usize, function: NodeId) -> NodeId {
        let ours = self.context.rules == Rules::OfFunction && self.at_clause() && self.is_function(function);
        if !ours {
            return function;
        }
        let mut children = vec![function];
        children.extend(self.rules());
        self.node(NodeKind::Ruled, start, &children)
    }

    /// E0108: clauses after an expression that isn't a function.
    pub(super) fn rules_without_function(&mut self) {
        if self.context.rules == Rules::OfOwner || !self.at_clause() {
            return;
        }
        let start = self.at;
        let word = self.peek_text();
        self.rules();
        let message = format!("expected a function before `{word}`, found another expression");
        let error = Diagnostic::new(codes::RULE_WITHOUT_FUNCTION, self.span_from(start), message);
        self.report(
            error.help("a rule follows `fn f(x) = e` or `x => e`; attach a derivative to a value with `f <~ g`"),
        );
    }
}
