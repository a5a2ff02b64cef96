//! Text as a program.

mod ops;
mod shapes;

use std::rc::Rc;

use base::{FileId, Span};

use super::lex::{Token, lex};
use super::{DEEPEST, ParseError};
use crate::shape::{ShapeId, Shapes};
use crate::term::{Block, Definition, End, Function, FunctionId, NamedId, Program, Statement, Type, Var};

/// The program that a text is.
pub fn parse(text: &str) -> Result<Program> {
    Parser::new(text)?.program()
}

pub(super) type Result<T> = std::result::Result<T, ParseError>;

/// A text and how much of it was read. The text of L4 is read by it too: tokens, names, types, atoms and spans look the same there.
pub struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(usize, Token<'a>)>,
    at: usize,
    /// How many blocks and types are open.
    depth: usize,
    /// The types of the variables of the function that is being read.
    vars: Vec<Option<Type>>,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str) -> Result<Parser<'a>> {
        Ok(Parser { text, tokens: lex(text)?, at: 0, depth: 0, vars: vec![] })
    }

    fn program(mut self) -> Result<Program> {
        self.word("entry")?;
        let entry = FunctionId(self.numbered("f")?);
        let parameters = self.list('(', ')', Parser::shape_id)?;
        self.symbol(':')?;
        let result = self.shape_id()?;
        let (mut types, mut functions, mut shapes) = (vec![], vec![], vec![]);
        while self.takes_word("type") {
            types.push(self.definition(types.len())?);
        }
        while self.takes_word("fn") {
            functions.push(self.function(functions.len())?);
        }
        while self.takes_word("shape") {
            shapes.push(self.shape(shapes.len())?);
        }
        if *self.peek() != Token::End {
            return self.error("expected a type, a function, a shape or the end, in this order");
        }
        Ok(Program { types, shapes: Shapes::from(shapes), functions, entry, parameters, result })
    }

    // Tokens

    pub fn peek(&self) -> &Token<'a> {
        &self.tokens[self.at].1
    }

    pub fn second(&self) -> &Token<'a> {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].1
    }

    /// The next token, which is read by that.
    pub fn advance(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(ParseError::at(self.text, self.tokens[self.at].0, message))
    }

    pub fn takes(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    pub fn takes_symbol(&mut self, symbol: char) -> bool {
        self.takes(&Token::Symbol(symbol))
    }

    pub fn takes_word(&mut self, word: &str) -> bool {
        self.takes(&Token::Word(word))
    }

    pub fn symbol(&mut self, symbol: char) -> Result<()> {
        if self.takes_symbol(symbol) { Ok(()) } else { self.error(format!("expected `{symbol}`")) }
    }

    pub fn word(&mut self, word: &str) -> Result<()> {
        if self.takes_word(word) { Ok(()) } else { self.error(format!("expected `{word}`")) }
    }

    pub fn name(&mut self) -> Result<Rc<str>> {
        let name = match self.peek() {
            Token::Word(word) => Rc::from(*word),
            Token::Quoted(text) => Rc::from(text.as_str()),
            _ => return self.error("expected a name"),
        };
        self.advance();
        Ok(name)
    }

    pub fn number<T: std::str::FromStr>(&mut self) -> Result<T> {
        if let Token::Number(digits) = self.peek()
            && let Ok(number) = digits.parse()
        {
            self.advance();
            return Ok(number);
        }
        self.error("expected a number")
    }

    /// A letter and a number, as in `v3`.
    pub fn numbered(&mut self, letter: &str) -> Result<u32> {
        if let Token::Word(word) = self.peek()
            && let Some(Ok(number)) = word.strip_prefix(letter).map(str::parse)
        {
            self.advance();
            return Ok(number);
        }
        self.error(format!("expected `{letter}` and a number"))
    }

    pub fn list<T>(&mut self, open: char, close: char, item: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.symbol(open)?;
        let mut items = vec![];
        if self.takes_symbol(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.takes_symbol(close) {
                return Ok(items);
            }
            self.symbol(',')?;
        }
    }

    pub fn shape_id(&mut self) -> Result<ShapeId> {
        Ok(ShapeId(self.numbered("s")?))
    }

    /// Reads something that may nest.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.enter()?;
        let result = crate::deep(|| read(self));
        self.leave();
        result
    }

    /// One level deeper, unless that is too deep; `leave` goes back.
    pub fn enter(&mut self) -> Result<()> {
        if self.depth == DEEPEST {
            return self.error(format!("nested more than {DEEPEST} deep"));
        }
        self.depth += 1;
        Ok(())
    }

    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    // Types

    /// A named type after the word `type`; it has the number `place`.
    pub fn definition(&mut self, place: usize) -> Result<Definition> {
        let name = self.name()?;
        self.symbol('#')?;
        let number: usize = self.number()?;
        if number != place {
            return self.error(format!("this should be type {place}"));
        }
        self.symbol('=')?;
        Ok(Definition { name, content: self.of()? })
    }

    fn named(&mut self) -> Result<NamedId> {
        self.name()?;
        self.symbol('#')?;
        Ok(NamedId(self.number()?))
    }

    /// A type.
    pub fn of(&mut self) -> Result<Type> {
        self.nested(|parser| match (parser.peek(), parser.second()) {
            (Token::Symbol('{'), _) => Ok(Type::Struct(parser.list('{', '}', Parser::of)?.into())),
            (Token::Symbol('('), Token::Symbol(')')) => {
                parser.advance();
                parser.advance();
                Ok(Type::unit())
            }
            (Token::Symbol('('), _) => parser.sum(),
            (Token::Symbol('['), _) => {
                parser.advance();
                let element = parser.of()?;
                parser.symbol(';')?;
                let rank = parser.number()?;
                parser.symbol(']')?;
                Ok(Type::Array(Rc::new(element), rank))
            }
            (_, Token::Symbol('#')) => Ok(Type::Named(parser.named()?)),
            (Token::Word(word), _) => {
                let of = match *word {
                    "bool" => Type::Bool,
                    "int" => Type::Int,
                    "real" => Type::Real,
                    "text" => Type::Text,
                    "handle" => Type::Handle,
                    _ => return parser.error("expected a type"),
                };
                parser.advance();
                Ok(of)
            }
            _ => parser.error("expected a type"),
        })
    }

    /// How long the text is: it holds no more variables than this.
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    fn sum(&mut self) -> Result<Type> {
        self.symbol('(')?;
        self.symbol('|')?;
        let mut alternatives = vec![];
        if self.takes_symbol(')') {
            return Ok(Type::Sum(alternatives.into()));
        }
        loop {
            alternatives.push(self.of()?);
            if self.takes_symbol(')') {
                return Ok(Type::Sum(alternatives.into()));
            }
            self.symbol('|')?;
        }
    }

    // Functions

    fn function(&mut self, place: usize) -> Result<Function> {
        if self.numbered("f")? as usize != place {
            return self.error(format!("this should be function {place}"));
        }
        let name = self.name()?;
        self.vars.clear();
        self.symbol('(')?;
        let mut params = vec![];
        while !self.takes_symbol(')') {
            if !params.is_empty() {
                self.symbol(',')?;
            }
            params.push(self.binder()?);
        }
        self.symbol(':')?;
        let result = self.of()?;
        let span = self.span()?;
        self.symbol('{')?;
        while self.takes_word("var") {
            self.binder()?;
        }
        let body = self.statements()?;
        let missing = self.vars.iter().position(Option::is_none);
        if let Some(missing) = missing {
            return self.error(format!("v{missing} has no type: nothing binds it"));
        }
        let vars = self.vars.drain(..).flatten().collect();
        Ok(Function { name, params, result, body, vars, span })
    }

    /// A variable where it is bound, with its type.
    fn binder(&mut self) -> Result<Var> {
        let var = Var(self.numbered("v")?);
        if !self.takes_symbol(':') {
            return Ok(var);
        }
        let at = var.0 as usize;
        // Every variable takes some of the text: a larger number can't be one of them.
        if at > self.text.len() {
            return self.error("a variable with too large a number");
        }
        let of = self.of()?;
        if self.vars.len() <= at {
            self.vars.resize(at + 1, None);
        }
        self.vars[at] = Some(of);
        Ok(var)
    }

    /// A span, if one stands here.
    pub fn span(&mut self) -> Result<Span> {
        if !self.takes_symbol('@') {
            return Ok(Span::default());
        }
        let file = FileId(self.number()?);
        self.symbol(':')?;
        let start = self.number()?;
        if !self.takes(&Token::Range) {
            return self.error("expected `..`");
        }
        Ok(Span { file, start, end: self.number()? })
    }

    /// `{`, a block, `}`
    fn block(&mut self) -> Result<Block> {
        self.symbol('{')?;
        self.nested(Parser::statements)
    }

    /// A block after its opening brace.
    fn statements(&mut self) -> Result<Block> {
        let mut statements = vec![];
        let end = loop {
            if self.takes_word("yield") {
                break End::Yield(self.atom()?);
            }
            if self.takes_word("again") {
                break End::Again(self.list('(', ')', Parser::atom)?);
            }
            if self.takes_word("never") {
                break End::Never;
            }
            let var = self.binder()?;
            self.symbol('=')?;
            let op = self.op()?;
            statements.push(Statement { var, op, span: self.span()? });
        };
        self.symbol('}')?;
        Ok(Block { statements, end })
    }
}
