//! Shapes.

use differentiate::Mode;
use std::rc::Rc;

use base::Name;
use calculus::Constructor;

use super::{Parser, Result};
use crate::shape::{Alternative, CodeId, Head, Shape};
use crate::text::lex::Token;

impl Parser<'_> {
    /// A shape after the word `shape`.
    pub(super) fn shape(&mut self, place: usize) -> Result<Shape> {
        if self.numbered("s")? as usize != place {
            return self.error(format!("this should be shape {place}"));
        }
        let named = if self.takes_word("named") { Some(self.named()?) } else { None };
        self.symbol('=')?;
        let mut alternatives = vec![];
        if *self.peek() != Token::End && *self.peek() != Token::Word("shape") {
            alternatives.push(self.alternative()?);
            while self.takes_symbol('|') {
                alternatives.push(self.alternative()?);
            }
        }
        Ok(Shape { alternatives, named })
    }

    fn alternative(&mut self) -> Result<Alternative> {
        let head = self.head()?;
        let has_parts = *self.peek() == Token::Symbol('(');
        let parts = if has_parts { self.list('(', ')', Parser::shape_id)? } else { vec![] };
        Ok(Alternative { head, parts })
    }

    fn head(&mut self) -> Result<Head> {
        let Token::Word(word) = *self.peek() else { return self.error("expected an alternative of a shape") };
        let start = self.at;
        self.advance();
        Ok(match word {
            "zero" => Head::Zero,
            "bool" => Head::Bool,
            "int" => Head::Int,
            "real" => Head::Real,
            "text" => Head::Text,
            "tuple" => Head::Tuple,
            "record" => Head::Record(self.list('[', ']', Parser::label)?.into()),
            "variant" => Head::Variant(self.constructor()?),
            "part" => {
                let of = if self.takes_word("of") { Some(self.constructor()?) } else { None };
                Head::Part(of, self.list('[', ']', Parser::number)?.into())
            }
            "array" => Head::Array(self.number()?),
            "handle" => Head::Handle(self.number()?),
            "frame" => Head::Frame(self.number()?),
            "closure" => Head::Closure { code: CodeId(self.numbered("c")?), member: self.number()? },
            "prim" => Head::Prim { prim: self.prim()?, order: self.number()? },
            "sealed" => Head::Sealed { modes: modes(self.number()?) },
            "full" => Head::Full,
            _ => {
                self.at = start;
                return self.error(format!("`{word}` is no alternative of a shape"));
            }
        })
    }

    fn label(&mut self) -> Result<Name> {
        Ok(Name::new(&self.name()?))
    }

    fn constructor(&mut self) -> Result<Rc<Constructor>> {
        let type_name = self.label()?;
        let name = match *self.peek() {
            Token::Word(word) if word.starts_with('.') => {
                self.advance();
                Name::new(&word[1..])
            }
            _ => {
                self.symbol('.')?;
                self.label()?
            }
        };
        self.symbol('#')?;
        let tag = self.number()?;
        let fields = self.list('[', ']', Parser::label)?;
        Ok(Rc::new(Constructor { name, type_name, tag, fields }))
    }
}

/// Undoes the numbering of modes: binary digits behind a leading one.
fn modes(number: u32) -> Rc<[Mode]> {
    let digits = number.checked_ilog2().unwrap_or(0);
    let mode = |at| if number >> at & 1 == 1 { Mode::Forward } else { Mode::Reverse };
    (0..digits).rev().map(mode).collect()
}
