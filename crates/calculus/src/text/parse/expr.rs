//! What a binding computes: expressions, their atoms, fields and constructors.

use std::rc::Rc;

use base::Name;

use super::super::lex::Token;
use super::{Parsed, Parser, split_variable};
use crate::*;

/// Expressions.
impl Parser<'_> {
    pub fn expr(&mut self) -> Parsed<Expr> {
        match (self.peek(), self.peek_after(1)) {
            (Token::Word(word), _) => match word.as_str() {
                "pull" => self.after_word(Self::pull),
                "tangent" => self.after_word(Self::tangent),
                "make" => self.after_word(Self::make),
                "inject" => self.after_word(Self::inject),
                "check" => self.after_word(Self::check),
                "if" => self.after_word(Self::branches),
                "fail" => self.after_word(Self::fail),
                _ => self.led_by_atom(),
            },
            (Token::Mark('('), Token::Mark(')')) => self.led_by_atom(),
            (Token::Mark('('), _) => self.tuple(),
            (Token::Mark('['), _) => Ok(Expr::Array(self.atoms('[', ']')?)),
            (Token::Mark('{'), _) => self.braces(),
            _ => self.led_by_atom(),
        }
    }

    fn after_word(&mut self, read: impl FnOnce(&mut Self) -> Parsed<Expr>) -> Parsed<Expr> {
        self.at += 1;
        read(self)
    }

    /// An expression that starts with an atom.
    fn led_by_atom(&mut self) -> Parsed<Expr> {
        let a = self.atom()?;
        if *self.peek() == Token::Mark('(') {
            let x = self.argument()?;
            return Ok(Expr::Apply { f: a, x, order: self.order()? });
        }
        if matches!(self.peek(), Token::Mark('.' | '[')) {
            return Ok(Expr::Get(a, self.field()?));
        }
        if self.eat('⊕') {
            return Ok(Expr::Plus(a, self.atom()?));
        }
        if self.eat_word("without") {
            return Ok(Expr::Omit(a, self.name()?));
        }
        if self.eat_word("is") {
            return Ok(Expr::Is(a, self.form()?));
        }
        Ok(Expr::Atom(a))
    }

    fn argument(&mut self) -> Parsed<Atom> {
        self.expect('(')?;
        let atom = self.atom()?;
        self.expect(')')?;
        Ok(atom)
    }

    fn pull(&mut self) -> Parsed<Expr> {
        let (b, d) = (self.atom()?, self.argument()?);
        Ok(Expr::Pull { b, d, order: self.order()? })
    }

    fn tangent(&mut self) -> Parsed<Expr> {
        let (f, d) = (self.atom()?, self.argument()?);
        Ok(Expr::Tangent { f, d, order: self.order()? })
    }

    fn make(&mut self) -> Parsed<Expr> {
        Ok(Expr::Variant(self.constructor()?, self.atoms('(', ')')?))
    }

    fn inject(&mut self) -> Parsed<Expr> {
        let d = self.atom()?;
        self.expect_word("at")?;
        Ok(Expr::Inject(self.field()?, d))
    }

    fn check(&mut self) -> Parsed<Expr> {
        let a = self.atom()?;
        self.expect(':')?;
        Ok(Expr::Check(a, self.form()?))
    }

    fn branches(&mut self) -> Parsed<Expr> {
        let condition = self.atom()?;
        let then = self.block("yield")?;
        self.expect_word("else")?;
        Ok(Expr::If(condition, Box::new(then), Box::new(self.block("yield")?)))
    }

    fn fail(&mut self) -> Parsed<Expr> {
        let failure = if self.eat_word("no_match") {
            Failure::NoMatch
        } else if self.eat_word("pattern") {
            Failure::Pattern
        } else if self.eat_word("assertion") {
            Failure::Assertion
        } else {
            return self.expected("`no_match`, `pattern` or `assertion`");
        };
        Ok(Expr::Fail(failure, self.atoms('(', ')')?))
    }

    /// `(a, b)`, `(a,)` or `(,)`
    fn tuple(&mut self) -> Parsed<Expr> {
        self.expect('(')?;
        if self.eat(',') {
            self.expect(')')?;
            return Ok(Expr::Tuple(vec![]));
        }
        let mut atoms = vec![self.atom()?];
        self.expect(',')?;
        atoms.extend(self.list_until(')', Self::atom)?);
        Ok(Expr::Tuple(atoms))
    }

    /// `{label: a, …}` or `{r with label: v}`
    fn braces(&mut self) -> Parsed<Expr> {
        self.expect('{')?;
        if *self.peek() == Token::Mark('}') || *self.peek_after(1) == Token::Mark(':') {
            return Ok(Expr::Record(self.list_until('}', Self::labelled)?));
        }
        let record = self.atom()?;
        self.expect_word("with")?;
        let (label, value) = self.labelled()?;
        self.expect('}')?;
        Ok(Expr::With(record, label, value))
    }

    fn labelled(&mut self) -> Parsed<(Name, Atom)> {
        let label = self.name()?;
        self.expect(':')?;
        Ok((label, self.atom()?))
    }
}

/// Fields, forms, constructors.
impl Parser<'_> {
    fn field(&mut self) -> Parsed<Field> {
        if self.eat('[') {
            let index = self.number()?;
            self.expect_word("of")?;
            let length = self.number()?;
            self.expect(']')?;
            return Ok(Field::Element(index, length));
        }
        self.expect('.')?;
        if !matches!(self.peek(), Token::Int(_)) {
            let name = self.name()?;
            return Ok(if self.eat('?') {
                Field::Label(name)
            } else if self.eat_word("captured") {
                Field::Capture(name)
            } else {
                Field::Name(name)
            });
        }
        let number = self.number()?;
        Ok(if self.eat_word("of") {
            Field::Payload(self.constructor()?, number)
        } else if self.eat_word("member") {
            Field::Member(number)
        } else {
            Field::Position(number)
        })
    }

    fn form(&mut self) -> Parsed<Form> {
        if self.eat_word("arguments") {
            Ok(Form::Arguments(self.number()?))
        } else if self.eat_word("tuple") {
            Ok(Form::Tuple(self.number()?))
        } else if self.eat_word("array") {
            Ok(Form::Array(self.number()?))
        } else if self.eat_word("record") {
            Ok(Form::Record(self.list('[', ']', Self::name)?))
        } else if self.eat_word("constructor") {
            Ok(Form::Constructor(self.constructor()?))
        } else {
            self.expected("`arguments`, `tuple`, `array`, `record` or `constructor`")
        }
    }

    fn constructor(&mut self) -> Parsed<Rc<Constructor>> {
        let type_name = self.name()?;
        self.expect('.')?;
        let name = self.name()?;
        self.expect('#')?;
        let tag = self.number()?;
        let fields = self.list('(', ')', Self::name)?;
        Ok(Rc::new(Constructor { name, type_name, tag, fields }))
    }
}

/// Atoms.
impl Parser<'_> {
    fn atoms(&mut self, open: char, close: char) -> Parsed<Vec<Atom>> {
        self.list(open, close, Self::atom)
    }

    pub fn atom(&mut self) -> Parsed<Atom> {
        let constant = match self.peek().clone() {
            Token::Real(real) => Const::Real(real),
            Token::Text(text) => Const::Text(text.into()),
            Token::Zero => Const::Zero,
            Token::Int(digits) => match digits.parse() {
                Ok(int) => Const::Int(int),
                Err(_) => return self.expected("an integer of 64 bits"),
            },
            Token::Mark('(') => {
                self.at += 1;
                if *self.peek() != Token::Mark(')') {
                    return self.expected("`)`");
                }
                Const::Unit
            }
            Token::Mark('.') => return self.root(),
            Token::Quoted(..) => return self.use_variable(),
            Token::Word(word) if split_variable(&word).is_some() => return self.use_variable(),
            Token::Word(word) => match word_constant(&word) {
                Some(constant) => constant,
                None => return self.root(),
            },
            _ => return self.expected("an atom"),
        };
        self.at += 1;
        Ok(Atom::Const(constant))
    }

    fn use_variable(&mut self) -> Parsed<Atom> {
        let offset = self.offset();
        let (var, name) = self.variable()?;
        self.frame.uses.push((var, name, offset));
        Ok(Atom::Var(var))
    }

    /// A global, a primitive or one of its derivatives, under its number of Js.
    fn root(&mut self) -> Parsed<Atom> {
        let rule: Option<fn(Prim) -> Root> = match self.peek() {
            Token::Word(word) if word == "reverse" => Some(Root::Reverse),
            Token::Word(word) if word == "forward" => Some(Root::Forward),
            _ => None,
        };
        self.at += usize::from(rule.is_some());
        let root = match (self.peek(), self.peek_after(1)) {
            (Token::Mark('.'), Token::Word(word)) => Prim::by_name(&format!(".{word}")).map(Root::Prim),
            (Token::Word(word), _) => Prim::by_name(word).map(Root::Prim).or(global(word).map(Root::Global)),
            _ => None,
        };
        let root = match (root, rule) {
            (Some(Root::Prim(prim)), Some(rule)) => Some(rule(prim)),
            (Some(_), Some(_)) => None,
            (root, _) => root,
        };
        let Some(root) = root else { return self.expected("a variable, constant, global or primitive") };
        self.at += 1 + usize::from(*self.peek() == Token::Mark('.'));
        let order = if self.eat('^') { self.number()? } else { 0 };
        Ok(Atom::Root(root, order))
    }

    pub fn global(&mut self) -> Parsed<GlobalId> {
        let Token::Word(word) = self.peek() else { return self.expected("a global") };
        let Some(id) = global(word) else { return self.expected("a global, such as `g12`") };
        self.at += 1;
        Ok(id)
    }
}

fn word_constant(word: &str) -> Option<Const> {
    match word {
        "true" => Some(Const::Bool(true)),
        "false" => Some(Const::Bool(false)),
        "inf" => Some(Const::Real(f64::INFINITY)),
        "nan" => Some(Const::Real(f64::NAN)),
        _ => None,
    }
}

/// `g12`
fn global(word: &str) -> Option<GlobalId> {
    let digits = word.strip_prefix('g').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()))?;
    digits.parse().ok().map(GlobalId)
}
