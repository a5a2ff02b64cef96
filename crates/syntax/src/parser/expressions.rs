//! Expressions by precedence, loosest first:
//! `=>`, `<~`, `|>`, `||`, `&&`, `!`, comparisons, `..`, `+ - ⊕`, `* / % @`, unary `-`, `^`, postfix.

use base::{Diagnostic, codes};

use super::{Braces, Parser};
use crate::lexer::TokenKind;
use crate::tree::{NodeId, NodeKind};

const ATTACHMENT: u8 = 1;
const PIPE: u8 = 2;
const DISJUNCTION: u8 = 3;
const CONJUNCTION: u8 = 4;
const COMPARISON: u8 = 6;
const RANGE: u8 = 7;
pub(super) const ADDITION: u8 = 8;
const MULTIPLICATION: u8 = 9;
const POWER: u8 = 11;

/// How tightly an operator binds that stands between two operands.
pub(crate) fn precedence(operator: TokenKind, text: &str) -> Option<u8> {
    use TokenKind::*;
    Some(match operator {
        Attach => ATTACHMENT,
        Pipe => PIPE,
        OrOr => DISJUNCTION,
        AndAnd => CONJUNCTION,
        EqualEqual | NotEqual | Less | LessEqual | Greater | GreaterEqual => COMPARISON,
        DotDot => RANGE,
        Plus | Minus | CirclePlus => ADDITION,
        Star | Slash | Percent | At => MULTIPLICATION,
        Caret => POWER,
        Foreign if text == "**" => POWER,
        _ => return None,
    })
}

impl Parser<'_> {
    /// A whole expression. Rule clauses after it that no function in it takes are an error.
    pub(super) fn expr(&mut self) -> NodeId {
        let expr = self.binary(0);
        self.rules_without_function();
        expr
    }

    /// Operands and operators that bind at least as tightly as `least`.
    pub(super) fn binary(&mut self, least: u8) -> NodeId {
        self.nested(|parser| parser.operators(least))
    }

    fn operators(&mut self, least: u8) -> NodeId {
        let start = self.at;
        let mut left = self.operand(least);
        let mut before = None;
        while let Some(level) = self.operator().filter(|level| *level >= least) {
            if before == Some(level) {
                self.check_chain(level);
            }
            before = Some(level);
            let operator = self.token();
            self.check_foreign();
            self.bump();
            let right = self.binary(if level == POWER { POWER } else { level + 1 });
            left = self.node_with(NodeKind::Binary, start, operator, &[left, right]);
        }
        left
    }

    /// The precedence of the operator here, if there is one that continues the expression.
    fn operator(&self) -> Option<u8> {
        let level = precedence(self.peek(), self.peek_text())?;
        let open_end = level == RANGE && matches!(self.peek_at(self.at + 1), TokenKind::Comma | TokenKind::End);
        (self.continues() && !open_end).then_some(level)
    }

    /// E0109 for comparisons; ranges don't chain either.
    fn check_chain(&mut self, level: u8) {
        let here = self.span_at(self.at);
        if level == COMPARISON {
            let error = Diagnostic::new(codes::CHAINED_COMPARISON, here, "comparisons don't chain");
            self.report(error.help("write `a < b && b < c`"));
        } else if level == RANGE {
            self.report(Diagnostic::new(codes::UNEXPECTED_TOKEN, here, "expected one range, found another `..`"));
        }
    }

    /// Python's `**` is read as `^`.
    fn check_foreign(&mut self) {
        if self.peek() == TokenKind::Foreign {
            self.expected_with("an operator", |error| error.help("a power is written `x ^ y`"));
        }
    }

    fn operand(&mut self, least: u8) -> NodeId {
        match self.peek() {
            TokenKind::Minus if self.at_least_int() => self.least_int(),
            TokenKind::Minus if !self.at_function() => self.unary(POWER),
            TokenKind::Bang => self.unary(COMPARISON),
            _ if self.at_function() => self.function_operand(least),
            _ => self.postfix(),
        }
    }

    fn unary(&mut self, operand_level: u8) -> NodeId {
        let start = self.at;
        self.bump();
        let operand = self.binary(operand_level);
        self.node(NodeKind::Unary, start, &[operand])
    }

    fn least_int(&mut self) -> NodeId {
        let start = self.at;
        self.bump();
        self.bump();
        self.node(NodeKind::Int, start, &[])
    }

    /// A function may be a whole expression or the right operand of `|>` and `<~`.
    fn function_operand(&mut self, least: u8) -> NodeId {
        if least > DISJUNCTION {
            self.expected_with("an operand", |error| error.help("a function as an operand needs parentheses"));
        }
        self.function()
    }

    /// `f(x)`, `a[i]`, `r.x`, `p.0`, any number of them
    fn postfix(&mut self) -> NodeId {
        let start = self.at;
        let mut base = self.primary();
        loop {
            let next = self.peek();
            if !matches!(next, TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::Dot) || !self.continues() {
                return base;
            }
            base = match next {
                TokenKind::LeftParen => self.call(start, base),
                TokenKind::LeftBracket => self.index(start, base),
                _ => self.field(start, base),
            };
        }
    }

    /// `.x`, `.0`
    fn field(&mut self, start: usize, base: NodeId) -> NodeId {
        self.bump();
        let kind = match self.peek() {
            TokenKind::Name | TokenKind::Lambda => NodeKind::Field,
            TokenKind::Int if self.position_is_readable() => NodeKind::Position,
            TokenKind::Int => NodeKind::Error,
            _ => {
                self.expected("a field or a position");
                return self.node(NodeKind::Error, start, &[base]);
            }
        };
        let main = self.token();
        self.bump();
        self.node_with(kind, start, main, &[base])
    }

    fn position_is_readable(&mut self) -> bool {
        let readable = self.peek_text().parse::<u32>().is_ok();
        if !readable {
            let message = format!("`{}` is no position in a tuple", self.peek_text());
            self.report(Diagnostic::new(codes::BAD_NUMBER, self.span_at(self.at), message));
        }
        readable
    }

    fn primary(&mut self) -> NodeId {
        match self.peek() {
            TokenKind::Int | TokenKind::Real | TokenKind::BadNumber => self.number(),
            TokenKind::True | TokenKind::False => self.one_token(NodeKind::Bool),
            TokenKind::StringStart => self.text_literal(),
            TokenKind::Name if self.at_clause() => self.clause_without_function(),
            TokenKind::Name | TokenKind::Lambda => self.name(),
            TokenKind::LeftParen => self.parens(),
            TokenKind::LeftBracket => self.array(),
            TokenKind::LeftBrace if self.context.braces == Braces::Expression => self.braces(),
            TokenKind::If => self.if_expr(),
            TokenKind::Match => self.match_expr(),
            TokenKind::Let | TokenKind::Fn => self.misplaced_definition(),
            _ => self.no_expression(),
        }
    }

    fn clause_without_function(&mut self) -> NodeId {
        let start = self.at;
        self.rules_without_function();
        if self.at == start {
            return self.name();
        }
        self.node(NodeKind::Error, start, &[])
    }

    /// E0114: `x => let y = 1`
    fn misplaced_definition(&mut self) -> NodeId {
        let start = self.at;
        let word = self.peek_text();
        let message = format!("expected an expression, found `{word}`");
        let error = Diagnostic::new(codes::MISPLACED_STATEMENT, self.span_at(start), message);
        let anonymous = self.peek() == TokenKind::Fn && self.peek_at(self.at + 1) == TokenKind::LeftParen;
        self.report(error.help(match anonymous {
            true => "a function value is written `x => e`",
            false => "definitions stand in a block: `{ let y = e1; e2 }`",
        }));
        let definition = if self.peek() == TokenKind::Let { self.let_statement() } else { self.fn_statement() };
        self.node(NodeKind::Error, start, &[definition])
    }

    fn no_expression(&mut self) -> NodeId {
        match self.peek() {
            TokenKind::Dot if self.peek_at(self.at + 1) == TokenKind::Int => {
                let help = format!("a real has digits on both sides of its point: `0.{}`", self.text_at(self.at + 1));
                self.expected_with("an expression", |error| error.help(help));
            }
            TokenKind::Underscore => {
                self.expected_with("an expression", |error| error.help("`_` only stands in patterns"));
                self.bump();
            }
            TokenKind::Plus => self.expected_with("an expression", |error| error.help("there is no unary `+`")),
            TokenKind::Else => {
                self.expected_with("an expression", |error| error.help("`else` follows the `}` of an `if`"))
            }
            _ => self.expected("an expression"),
        }
        self.missing()
    }
}
