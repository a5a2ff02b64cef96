//! From text to terms: modules, groups, functions and blocks. What stands on one line is read in [`expr`].

mod expr;

use std::collections::BTreeMap;
use std::rc::Rc;

use base::{Name, Span};

use super::lex::{Token, tokens};
use super::{DEEPEST, ParseError};
use crate::*;

type Parsed<T> = Result<T, ParseError>;

pub fn group(text: &str) -> Parsed<Group> {
    let mut parser = Parser::new(text)?;
    let group = parser.plain_group()?;
    parser.expect_end()?;
    Ok(group)
}

pub fn module(text: &str) -> Parsed<Module> {
    let mut parser = Parser::new(text)?;
    let mut module = Module::default();
    loop {
        if parser.eat_word("function") {
            module.functions.push(parser.function_item()?);
        } else if parser.eat_word("step") {
            module.steps.push(parser.step()?);
        } else {
            parser.expect_end()?;
            return Ok(module);
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, usize)>,
    at: usize,
    depth: usize,
    frame: Frame,
}

/// The variables of the function being read.
#[derive(Default)]
struct Frame {
    names: BTreeMap<u32, Name>,
    uses: Vec<(Var, Name, usize)>,
}

/// Tokens.
impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parsed<Parser<'a>> {
        Ok(Parser { text, tokens: tokens(text)?, at: 0, depth: 0, frame: Frame::default() })
    }

    fn peek(&self) -> &Token {
        self.peek_after(0)
    }

    /// The token so many after the next; `End` follows itself.
    fn peek_after(&self, count: usize) -> &Token {
        self.tokens.get(self.at + count).map_or(&Token::End, |(token, _)| token)
    }

    fn offset(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.len(), |(_, offset)| *offset)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn eat(&mut self, mark: char) -> bool {
        let found = *self.peek() == Token::Mark(mark);
        self.at += usize::from(found);
        found
    }

    fn peek_word(&self, keyword: &str) -> bool {
        matches!(self.peek(), Token::Word(word) if word == keyword)
    }

    fn eat_word(&mut self, keyword: &str) -> bool {
        let found = self.peek_word(keyword);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    fn expect_word(&mut self, keyword: &str) -> Parsed<()> {
        if self.eat_word(keyword) { Ok(()) } else { self.expected(&format!("`{keyword}`")) }
    }

    fn expect_end(&self) -> Parsed<()> {
        if *self.peek() == Token::End { Ok(()) } else { self.expected("the end") }
    }

    fn expected<T>(&self, what: &str) -> Parsed<T> {
        Err(ParseError::at(self.text, self.offset(), format!("expected {what}, found {}", self.peek())))
    }

    fn error_at<T>(&self, offset: usize, message: String) -> Parsed<T> {
        Err(ParseError::at(self.text, offset, message))
    }

    fn name(&mut self) -> Parsed<Name> {
        let (Token::Word(text) | Token::Quoted(text, None)) = self.peek() else { return self.expected("a name") };
        let name = Name::new(text);
        self.at += 1;
        Ok(name)
    }

    fn number(&mut self) -> Parsed<u32> {
        let Token::Int(digits) = self.peek() else { return self.expected("a number") };
        let Ok(number) = digits.parse() else { return self.expected("a number below 2^32") };
        self.at += 1;
        Ok(number)
    }

    fn text(&mut self) -> Parsed<Rc<str>> {
        let Token::Text(text) = self.peek() else { return self.expected("a text") };
        let text = text.as_str().into();
        self.at += 1;
        Ok(text)
    }

    /// The span, or the default one where there is none.
    fn span(&mut self) -> Span {
        let Token::Span(span) = *self.peek() else { return Span::default() };
        self.at += 1;
        span
    }

    /// `open item, item … close`
    fn list<T>(&mut self, open: char, close: char, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect(open)?;
        self.list_until(close, item)
    }

    /// The rest of a list after its opening bracket.
    fn list_until<T>(&mut self, close: char, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![];
        while !self.eat(close) {
            if !items.is_empty() {
                self.expect(',')?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// `keyword [item, …]`; without the keyword, nothing.
    fn optional_list<T>(&mut self, keyword: &str, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        if self.eat_word(keyword) { self.list('[', ']', item) } else { Ok(vec![]) }
    }

    fn order(&mut self) -> Parsed<u32> {
        if self.eat_word("order") { self.number() } else { Ok(0) }
    }

    /// Reads something that may hold its own kind, not without end.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST {
            return self.error_at(self.offset(), format!("nested more than {DEEPEST} deep"));
        }
        self.depth += 1;
        let result = stacker::maybe_grow(64 * 1024, 1024 * 1024, || read(self));
        self.depth -= 1;
        result
    }
}

/// Modules and groups.
impl Parser<'_> {
    fn function_item(&mut self) -> Parsed<(GlobalId, Rc<Group>)> {
        let id = self.global()?;
        self.expect('=')?;
        Ok((id, Rc::new(self.plain_group()?)))
    }

    fn step(&mut self) -> Parsed<Step> {
        let kind = match self.next() {
            Token::Word(word) if word == "define" => StepKind::Define(self.list('[', ']', Self::global)?),
            Token::Word(word) if word == "show" => StepKind::Show,
            Token::Word(word) if word == "test" => StepKind::Test(self.text()?),
            _ => {
                self.at -= 1;
                return self.expected("`define`, `show` or `test`");
            }
        };
        let span = self.span();
        self.expect('=')?;
        Ok(Step { kind, code: Rc::new(self.plain_group()?), span })
    }

    /// A group that isn't bound in a block.
    fn plain_group(&mut self) -> Parsed<Group> {
        let offset = self.offset();
        match self.group()? {
            (group, bound) if bound == Bound::default() => Ok(group),
            _ => self.error_at(offset, "only a group in a block captures values, is lifted and has a span".into()),
        }
    }

    fn group(&mut self) -> Parsed<(Group, Bound)> {
        self.expect_word("group")?;
        let captures = self.optional_list("captures", Self::name)?;
        let captured = self.optional_list("from", Self::atom)?;
        let lifted = if self.eat_word("lifted") { self.number()? } else { 0 };
        let order = self.order()?;
        let span = self.span();
        self.expect('{')?;
        let members = self.nested(|parser| parser.members(captures.len()))?;
        Ok((Group { captures, members, order }, Bound { captured, lifted, span }))
    }

    fn members(&mut self, captures: usize) -> Parsed<Vec<Lambda>> {
        let (mut lambdas, mut headers) = (vec![], vec![]);
        while !self.eat('}') {
            let offset = self.offset();
            let outside = std::mem::take(&mut self.frame);
            let (lambda, layout) = self.lambda()?;
            self.frame = outside;
            lambdas.push(lambda);
            headers.push((layout, offset));
        }
        let layout = Layout { captures, members: lambdas.len() };
        match headers.into_iter().find(|(found, _)| *found != layout) {
            None => Ok(lambdas),
            Some((found, offset)) => self.error_at(offset, format!("the group has {layout:?}, its function {found:?}")),
        }
    }

    fn lambda(&mut self) -> Parsed<(Lambda, Layout)> {
        let role = self.role();
        self.expect_word("fn")?;
        let name = if *self.peek() == Token::Mark('(') { None } else { Some(self.name()?) };
        let start = self.offset();
        let layout = self.header()?;
        let mentions = self.optional_list("mentions", Self::name)?;
        let span = self.span();
        let body = self.block("return")?;
        let vars = self.finish_frame(start)?;
        let rules = self.rules()?;
        Ok((Lambda { name, role, span, vars, body, rules, mentions }, layout))
    }

    fn role(&mut self) -> Role {
        if self.eat_word("reverse") {
            Role::Reverse
        } else if self.eat_word("backpropagator") {
            Role::Backpropagator
        } else if self.eat_word("forward") {
            Role::Forward
        } else {
            Role::Source
        }
    }

    /// The variables that exist before the body, which are numbered in order.
    fn header(&mut self) -> Parsed<Layout> {
        let offset = self.offset();
        let mut vars = self.list('(', ')', Self::declare)?;
        let parameters = vars.len();
        let captures = self.optional_list("captures", Self::declare)?;
        let members = self.optional_list("members", Self::declare)?;
        self.optional_list("unbound", Self::declare)?;
        let layout = Layout { captures: captures.len(), members: members.len() };
        vars.extend(captures.into_iter().chain(members));
        if parameters != 1 || vars.iter().enumerate().any(|(number, var)| var.0 as usize != number) {
            return self.error_at(offset, "the parameter is 0, captures and members follow in order".into());
        }
        Ok(layout)
    }

    fn rules(&mut self) -> Parsed<Vec<Rule>> {
        let mut rules = vec![];
        while self.eat_word("rule") {
            let kind = self.rule_kind()?;
            let approximate = if self.eat_word("approximate") { Some(self.text()?) } else { None };
            let span = self.span();
            self.expect('=')?;
            rules.push(Rule { kind, code: Rc::new(self.plain_group()?), approximate, span });
        }
        Ok(rules)
    }

    fn rule_kind(&mut self) -> Parsed<RuleKind> {
        for (word, kind) in
            [("reverse", RuleKind::Reverse), ("forward", RuleKind::Forward), ("transpose", RuleKind::Transpose)]
        {
            if self.eat_word(word) {
                return Ok(kind);
            }
        }
        self.expected("`reverse`, `forward` or `transpose`")
    }
}

/// What stands beside a group that is bound in a block.
#[derive(Default, PartialEq)]
struct Bound {
    captured: Vec<Atom>,
    lifted: u32,
    span: Span,
}

/// How many captures and members the variables of a function stand for.
#[derive(PartialEq, Debug)]
struct Layout {
    captures: usize,
    members: usize,
}

/// Blocks and their variables.
impl Parser<'_> {
    /// A block in braces whose result stands after the word.
    fn block(&mut self, ending: &str) -> Parsed<Block> {
        self.expect('{')?;
        self.nested(|parser| {
            let mut bindings = vec![];
            while !parser.eat_word(ending) {
                bindings.push(parser.binding()?);
            }
            let result = parser.atom()?;
            let span = parser.span();
            parser.expect('}')?;
            Ok(Block { bindings, result, span })
        })
    }

    fn binding(&mut self) -> Parsed<Binding> {
        let vars = self.bound_variables()?;
        if self.peek_word("group") {
            let (group, Bound { captured, lifted, span }) = self.group()?;
            return Ok(Binding::Functions { vars, group: Rc::new(group), lifted, captured, span });
        }
        let [var] = vars[..] else { return self.expected("`group`") };
        let expr = self.expr()?;
        Ok(Binding::Let { var, expr, span: self.span() })
    }

    /// `x_1, y_2 =`, or `_ =` for none
    fn bound_variables(&mut self) -> Parsed<Vec<Var>> {
        if self.peek_word("_") {
            self.at += 1;
            self.expect('=')?;
            return Ok(vec![]);
        }
        let mut vars = vec![self.declare()?];
        while self.eat(',') {
            vars.push(self.declare()?);
        }
        self.expect('=')?;
        Ok(vars)
    }

    /// A variable where it is bound: its name goes into the function's table.
    fn declare(&mut self) -> Parsed<Var> {
        let offset = self.offset();
        let (var, name) = self.variable()?;
        let known = *self.frame.names.entry(var.0).or_insert(name);
        if known == name { Ok(var) } else { self.two_names(offset, var, known, name) }
    }

    fn two_names<T>(&self, offset: usize, var: Var, known: Name, name: Name) -> Parsed<T> {
        self.error_at(offset, format!("variable {} is called {known:?} and {name:?}", var.0))
    }

    fn variable(&mut self) -> Parsed<(Var, Name)> {
        let variable = match self.peek() {
            Token::Word(word) => split_variable(word),
            Token::Quoted(text, Some(number)) => Some((Var(*number), Name::new(text))),
            _ => None,
        };
        let Some(variable) = variable else { return self.expected("a variable") };
        self.at += 1;
        Ok(variable)
    }

    /// The names of all variables, once every use is known to agree with them.
    fn finish_frame(&mut self, start: usize) -> Parsed<Vec<Name>> {
        let Frame { names, uses } = std::mem::take(&mut self.frame);
        for (var, name, offset) in uses {
            match names.get(&var.0) {
                Some(known) if *known != name => return self.two_names(offset, var, *known, name),
                None if name != Name::new("") => {
                    return self.error_at(offset, format!("variable {} is bound nowhere in the function", var.0));
                }
                Some(_) | None => {}
            }
        }
        match names.keys().zip(0..).find(|(number, expected)| **number != *expected) {
            Some((_, missing)) => self.error_at(start, format!("the function lacks variable {missing}")),
            None => Ok(names.into_values().collect()),
        }
    }
}

/// `x_3` as the variable 3 called `x`
fn split_variable(word: &str) -> Option<(Var, Name)> {
    let (name, number) = word.rsplit_once('_')?;
    let number = number.starts_with(|c: char| c.is_ascii_digit()).then(|| number.parse().ok())??;
    Some((Var(number), Name::new(name)))
}
