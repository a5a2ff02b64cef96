//! Tokens into the tree, by recursive descent with precedences. Never fails: what is missing becomes an `Error` node.
//!
//! Three things keep it total and linear. Brackets are matched beforehand, so the parser sees each bracket's inside as
//! a text of its own that ends in `End`, and skips a bracket in one step. Recursion is counted and grows the stack on
//! the heap. Every loop consumes a token or stops.

mod arrays;
mod braces;
mod control;
mod expressions;
mod functions;
mod habits;
mod items;
mod lists;
mod literals;
mod lookahead;
mod patterns;
mod report;
mod statements;

use base::FileId;

use crate::brackets::{Significant, match_brackets};
use crate::lexer::{Token, TokenKind, lex};
use crate::tree::{NodeId, NodeKind, Nodes, Tree};
pub(crate) use expressions::precedence;
use report::Reports;

/// Brackets in brackets; more are E0106.
const MAX_BRACKETS: u32 = 1_000;
/// Expressions in expressions without brackets, such as `x => y => …`; more are E0106.
const MAX_DEPTH: u32 = 10_000;

pub(crate) fn parse_file(file: FileId, text: &str) -> Tree {
    parse_with(file, text, |parser| {
        let statements = parser.statements(statements::Level::File);
        parser.node(NodeKind::Root, 0, &statements)
    })
}

/// Line breaks mean nothing, as in parentheses.
pub(crate) fn parse_single(file: FileId, text: &str) -> Tree {
    parse_with(file, text, |parser| {
        parser.context.newlines = Newlines::Ignored;
        let expr = parser.expr();
        if !parser.at_end() {
            parser.expected("the end of the expression");
        }
        parser.node(NodeKind::Root, 0, &[expr])
    })
}

fn parse_with(file: FileId, text: &str, grammar: impl FnOnce(&mut Parser) -> NodeId) -> Tree {
    let (tokens, mut errors) = lex(file, text);
    let (significant, stray) = match_brackets(file, text, &tokens);
    errors.extend(stray);
    let mut parser = Parser::new(file, text, &tokens, significant);
    let root = grammar(&mut parser);
    let nodes = parser.nodes;
    let errors = parser.reports.finish(errors);
    Tree { file, text: text.into(), tokens, nodes, root, errors }
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: &'a [Token],
    significant: Vec<Significant>,
    /// The next significant token.
    at: usize,
    context: Context,
    /// Brackets we are in.
    brackets: u32,
    /// Expressions we are in.
    depth: u32,
    nodes: Nodes,
    reports: Reports,
}

/// What the surroundings mean for the parse. A bracket starts a fresh one.
#[derive(Clone, Copy)]
struct Context {
    /// The significant token that ends the innermost bracket.
    end: usize,
    closed: Closed,
    newlines: Newlines,
    braces: Braces,
    arrows: Arrows,
    rules: Rules,
    errors: Errors,
}

/// Is the innermost bracket's closing bracket there? If not, that is the one error to report about its inside.
#[derive(Clone, Copy, PartialEq)]
enum Closed {
    Really,
    Missing,
}

/// What a line break does to an expression.
#[derive(Clone, Copy, PartialEq)]
enum Newlines {
    /// Nothing: in `(`, `[` and record braces.
    Ignored,
    /// Ends it, unless the next line starts with what can't start an expression: in files and blocks.
    EndStatement,
    /// Ends it if a pattern and `=>` or `if` follow: in match braces.
    EndArm,
}

/// Whose brace is the next one?
#[derive(Clone, Copy, PartialEq)]
enum Braces {
    Expression,
    /// It opens the block of an `if` or the arms of a `match`.
    Outer,
}

/// What does `x =>` mean?
#[derive(Clone, Copy, PartialEq)]
enum Arrows {
    Function,
    /// The `=>` ends a guard.
    EndGuard,
}

/// Whose is a rule clause after a function?
#[derive(Clone, Copy, PartialEq)]
enum Rules {
    OfFunction,
    /// We are in the body of a clause; the next clause has the same owner as this one.
    OfOwner,
}

#[derive(Clone, Copy, PartialEq)]
enum Errors {
    Reported,
    /// We are in a string that doesn't end; that has been reported.
    Silent,
}

impl<'a> Parser<'a> {
    fn new(file: FileId, text: &'a str, tokens: &'a [Token], significant: Vec<Significant>) -> Parser<'a> {
        let end = significant.len() - 1;
        let context = Context::inside(end, Closed::Really, Newlines::EndStatement, Errors::Reported);
        Parser {
            file,
            text,
            tokens,
            significant,
            at: 0,
            context,
            brackets: 0,
            depth: 0,
            nodes: Nodes::default(),
            reports: Reports::default(),
        }
    }

    fn peek(&self) -> TokenKind {
        self.peek_at(self.at)
    }

    fn peek_at(&self, at: usize) -> TokenKind {
        if at < self.context.end { self.significant[at].kind } else { TokenKind::End }
    }

    fn peek_text(&self) -> &'a str {
        self.text_at(self.at)
    }

    /// The text of a significant token; empty beyond the innermost bracket.
    fn text_at(&self, at: usize) -> &'a str {
        if at >= self.context.end {
            return "";
        }
        let token = &self.tokens[self.significant[at].token as usize];
        &self.text[token.start as usize..token.end as usize]
    }

    fn at_end(&self) -> bool {
        self.at >= self.context.end
    }

    /// A line break stands before the next token.
    fn at_newline(&self) -> bool {
        self.significant[self.at].newline
    }

    fn bump(&mut self) {
        if !self.at_end() {
            self.at += 1;
        }
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.peek() == kind;
        if found {
            self.bump();
        }
        found
    }

    /// Where the bracket at `at` ends, and the place after it.
    fn after_bracket(&self, at: usize) -> usize {
        let open = &self.significant[at];
        open.end as usize + usize::from(open.closed)
    }

    /// One token, or a whole bracket.
    fn skip(&mut self) {
        self.at = if self.peek().closer().is_some() { self.after_bracket(self.at) } else { self.at + 1 };
        self.at = self.at.min(self.context.end);
    }

    /// A node from the significant token `start` up to here.
    fn node(&mut self, kind: NodeKind, start: usize, children: &[NodeId]) -> NodeId {
        let main = self.significant[start].token;
        self.node_with(kind, start, main, children)
    }

    fn node_with(&mut self, kind: NodeKind, start: usize, main: u32, children: &[NodeId]) -> NodeId {
        let first = self.significant[start].token;
        let end = if self.at > start { self.significant[self.at - 1].token + 1 } else { first };
        self.nodes.add(kind, main, (first, end), children)
    }

    /// The index of the next token among all tokens.
    fn token(&self) -> u32 {
        self.significant[self.at].token
    }

    fn missing(&mut self) -> NodeId {
        self.node(NodeKind::Error, self.at, &[])
    }

    /// At an opening bracket: parses its inside, then closes it. None if it is nested too deeply; it is skipped then.
    fn inside<T>(&mut self, newlines: Newlines, parse: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let open = self.at;
        if self.brackets >= MAX_BRACKETS {
            self.too_deep();
            self.skip();
            return None;
        }
        let outer = self.context;
        let end = self.significant[open].end as usize;
        let closed = if self.significant[open].closed { Closed::Really } else { Closed::Missing };
        self.context = Context::inside(end, closed, newlines, self.errors_inside(end));
        self.at += 1;
        self.brackets += 1;
        let parsed = parse(self);
        self.close(open);
        self.brackets -= 1;
        self.context = outer;
        Some(parsed)
    }

    /// An empty closing token ends a string that the lexer has complained about.
    fn errors_inside(&self, end: usize) -> Errors {
        match self.tokens.get(self.significant[end].token as usize) {
            Some(token) if token.is_empty() => Errors::Silent,
            _ => self.context.errors,
        }
    }

    fn close(&mut self, open: usize) {
        if self.context.closed == Closed::Missing {
            self.unclosed(open);
        } else if !self.at_end() {
            let closer = self.closer_text(open);
            self.expected(&format!("`{closer}`"));
        }
        self.at = self.after_bracket(open);
    }

    /// Runs `parse` in a changed context.
    fn within<T>(&mut self, change: impl FnOnce(&mut Context), parse: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.context;
        change(&mut self.context);
        let parsed = parse(self);
        self.context = outer;
        parsed
    }

    /// Recursion of expressions goes through here: counted, and on a stack that grows.
    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> NodeId) -> NodeId {
        if self.depth >= MAX_DEPTH {
            self.too_deep();
            let start = self.at;
            self.skip_statement();
            return self.node(NodeKind::Error, start, &[]);
        }
        self.depth += 1;
        let node = self.growing(parse);
        self.depth -= 1;
        node
    }

    /// Recursion that brackets limit.
    fn growing(&mut self, parse: impl FnOnce(&mut Self) -> NodeId) -> NodeId {
        stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || parse(self))
    }
}

impl Context {
    fn inside(end: usize, closed: Closed, newlines: Newlines, errors: Errors) -> Context {
        Context {
            end,
            closed,
            newlines,
            braces: Braces::Expression,
            arrows: Arrows::Function,
            rules: Rules::OfFunction,
            errors,
        }
    }
}
