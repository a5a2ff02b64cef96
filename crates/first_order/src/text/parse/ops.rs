//! Operations and atoms.

use base::Code;
use calculus::Prim;

use super::{Parser, Result};
use crate::term::{Atom, FunctionId, Op, Scalar, Var};
use crate::text::lex::Token;

impl Parser<'_> {
    pub fn atom(&mut self) -> Result<Atom> {
        match self.some_atom()? {
            Some(atom) => Ok(atom),
            None => self.error("expected a variable or a constant"),
        }
    }

    /// Does a word stand here that is an atom?
    pub fn is_at_atom(&self) -> bool {
        matches!(self.peek(), Token::Word(word) if constant(word).is_some())
    }

    /// An atom, if one stands here.
    fn some_atom(&mut self) -> Result<Option<Atom>> {
        let atom = match self.peek().clone() {
            Token::Number(digits) if digits.contains(['.', 'e']) => return self.number().map(|x| Some(Atom::Real(x))),
            Token::Number(_) => return self.number().map(|i| Some(Atom::Int(i))),
            Token::Symbol('(') if *self.second() == Token::Symbol(')') => {
                self.advance();
                Atom::Unit
            }
            Token::Symbol('-') if *self.second() == Token::Word("inf") => {
                self.advance();
                Atom::Real(f64::NEG_INFINITY)
            }
            Token::Word(word) => match constant(word) {
                Some(atom) => atom,
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.advance();
        Ok(Some(atom))
    }

    /// Atoms until something else comes; a variable that is being bound belongs to the next statement.
    fn operands(&mut self) -> Result<Vec<Atom>> {
        let mut atoms = vec![];
        while !matches!(self.second(), Token::Symbol(':' | '=')) {
            match self.some_atom()? {
                Some(atom) => atoms.push(atom),
                None => break,
            }
        }
        Ok(atoms)
    }

    fn atoms(&mut self, open: char, close: char) -> Result<Vec<Atom>> {
        self.list(open, close, Parser::atom)
    }

    pub(super) fn op(&mut self) -> Result<Op> {
        match self.peek().clone() {
            Token::Quoted(text) => {
                self.advance();
                Ok(Op::Text(text.into()))
            }
            Token::Symbol('{') => Ok(Op::Struct(self.atoms('{', '}')?)),
            Token::Symbol('[') => Ok(Op::Array(self.atoms('[', ']')?)),
            Token::Word(word) if constant(word).is_none() => {
                self.advance();
                self.operation(word)
            }
            _ => Ok(Op::Atom(self.atom()?)),
        }
    }

    fn operation(&mut self, word: &str) -> Result<Op> {
        match word {
            "field" => Ok(Op::Field(self.atom()?, self.number()?)),
            "inject" => Ok(Op::Inject(self.number()?, self.atom()?)),
            "switch" => self.switch(),
            "if" => {
                let condition = self.atom()?;
                let then = self.block()?;
                self.word("else")?;
                Ok(Op::If(condition, Box::new(then), Box::new(self.block()?)))
            }
            "box" => Ok(Op::Box(self.atom()?)),
            "unbox" => Ok(Op::Unbox(self.atom()?)),
            "view" => Ok(Op::View(self.atom()?)),
            "call" => Ok(Op::Call(FunctionId(self.numbered("f")?), self.atoms('(', ')')?)),
            "loop" => {
                let params = self.list('(', ')', |parser| {
                    let var = parser.binder()?;
                    parser.symbol('=')?;
                    Ok((var, parser.atom()?))
                })?;
                Ok(Op::Loop { params, body: Box::new(self.block()?) })
            }
            "tabulate" | "sum" => {
                let n = self.atom()?;
                self.symbol('(')?;
                let index = self.binder()?;
                self.symbol(')')?;
                let body = Box::new(self.block()?);
                Ok(if word == "sum" { Op::Sum { n, index, body } } else { Op::Tabulate { n, index, body } })
            }
            "len" => Ok(Op::Len(self.atom()?)),
            "axis" => Ok(Op::Axis(self.atom()?, self.number()?)),
            "flat" => Ok(Op::Flat(self.atom()?)),
            "dense" => Ok(Op::Dense(self.atom()?)),
            "collected" => Ok(Op::Collected(self.atom()?)),
            "shaped" => Ok(Op::Shaped(self.atom()?, self.atoms('[', ']')?)),
            "element" => Ok(Op::Element(self.atom()?, self.atoms('[', ']')?)),
            "replace" => {
                let (array, indices) = (self.atom()?, self.atoms('[', ']')?);
                self.word("with")?;
                Ok(Op::Replace(array, indices, self.atom()?))
            }
            "append" => {
                let array = self.atom()?;
                self.word("with")?;
                Ok(Op::Append(array, self.atom()?))
            }
            "prim" => self.application(),
            "quiet" if self.takes_word("on") => Ok(Op::Quiet(true)),
            "quiet" => self.word("off").map(|()| Op::Quiet(false)),
            "require" => {
                let condition = self.atom()?;
                self.word("else")?;
                Ok(Op::Require(condition, self.code()?))
            }
            "fail" => Ok(Op::Fail(self.code()?)),
            "transcendental" => Ok(Op::Scalar(Scalar::Function(self.number()?), self.operands()?)),
            scalar => match Scalar::by_name(scalar) {
                Some(scalar) => Ok(Op::Scalar(scalar, self.operands()?)),
                None => self.error(format!("`{scalar}` is no operation")),
            },
        }
    }

    fn switch(&mut self) -> Result<Op> {
        let on = self.atom()?;
        self.symbol('{')?;
        let mut arms = vec![];
        while self.takes_word("case") {
            let var = self.binder()?;
            arms.push((var, self.block()?));
        }
        self.symbol('}')?;
        Ok(Op::Switch(on, arms))
    }

    fn application(&mut self) -> Result<Op> {
        let prim = self.prim()?;
        let args = self.atoms('(', ')')?;
        self.word("of")?;
        let shapes = self.list('(', ')', Parser::shape_id)?;
        self.word("to")?;
        Ok(Op::Prim { prim, args, shapes, result: self.shape_id()? })
    }

    /// A primitive, by its name.
    pub fn prim(&mut self) -> Result<Prim> {
        let Token::Word(word) = *self.peek() else { return self.error("expected a primitive") };
        let Some(prim) = Prim::by_name(word) else { return self.error(format!("`{word}` is no primitive")) };
        self.advance();
        Ok(prim)
    }

    /// The code of an error.
    pub fn code(&mut self) -> Result<Code> {
        if let Token::Word(word) = *self.peek()
            && let Some(Ok(number)) = word.strip_prefix('E').map(str::parse)
        {
            self.advance();
            return Ok(Code(number));
        }
        self.error("expected a code such as `E0321`")
    }
}

/// The atom that a word is.
fn constant(word: &str) -> Option<Atom> {
    match word {
        "true" => Some(Atom::Bool(true)),
        "false" => Some(Atom::Bool(false)),
        "inf" => Some(Atom::Real(f64::INFINITY)),
        "nan" => Some(Atom::Real(f64::NAN)),
        _ => {
            if let Some(bits) = word.strip_prefix("nan_") {
                return u64::from_str_radix(bits, 16).ok().map(|bits| Atom::Real(f64::from_bits(bits)));
            }
            word.strip_prefix('v')?.parse().ok().map(|number| Atom::Var(Var(number)))
        }
    }
}
