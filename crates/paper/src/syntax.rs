//! The paper's notation as text, to expressions. No meaning here.
//!
//! ```text
//! program   = statements, each starting at the beginning of a line; lines that are indented continue it; `//` starts a comment
//! statement = name ≜ e | let rec names ≜ e | e ⇒ words
//! e         = λx e | λ(J x) e | let p ≜ e in e | let rec f ≜ e in e | if e then e else e | e ⟵ e | e < e
//!           | e ⊕ e | e + e | e - e | e × e | e ÷ e | -e | e e | (e, …, e) | [e, …, e] | |e| | name | number
//! ```

use std::collections::HashMap;
use std::rc::Rc;

use crate::term::{Expr, Lambda, Origin, Tag, Var, apply, pair, var};

pub struct Statement {
    pub kind: StatementKind,
    /// What stands behind `⇒`.
    pub expected: Option<String>,
    pub text: String,
}

pub enum StatementKind {
    Show(Expr),
    Define(Var, Expr),
    /// `let rec (f, g) ≜ e`
    DefineRecursive(Recursive),
}

pub struct Recursive {
    pub names: Vec<Var>,
    /// e, in which the names are those of definitions
    pub value: Expr,
    /// `λf e`, or `λz let (f, g) ≜ z in e`: what Y is applied to
    pub function: Expr,
}

/// Names get their place in the order ≺ when they first appear.
#[derive(Default)]
pub struct Names {
    ranks: HashMap<Rc<str>, u32>,
    binders: u32,
    /// The text isn't the program's: what it binds has names that no program can write, and so no influence on ≺.
    pub internal: bool,
}

impl Names {
    pub fn global(&mut self, name: &str) -> Var {
        let next = self.ranks.len() as u32;
        let rank = *self.ranks.entry(name.into()).or_insert(next);
        Var { rank, name: name.into(), binder: 0, tags: vec![] }
    }

    /// A variable that the text binds.
    pub fn bound(&mut self, name: &str) -> Var {
        if self.internal { self.temporary(name) } else { Var { binder: self.binder(), ..self.global(name) } }
    }

    /// A variable that no text mentions.
    pub fn temporary(&mut self, name: &str) -> Var {
        Var { binder: self.binder(), ..self.global(&format!("{name}·")) }
    }

    /// The same name and tags, but another variable.
    pub fn again(&mut self, var: &Var) -> Var {
        Var { binder: self.binder(), ..var.clone() }
    }

    fn binder(&mut self) -> u32 {
        self.binders += 1;
        self.binders
    }
}

/// The statements of a program, or what is wrong with its text.
pub fn program(text: &str, names: &mut Names) -> Result<Vec<Statement>, String> {
    let mut statements: Vec<String> = vec![];
    for line in text.lines().map(|line| line.split("//").next().unwrap_or("")) {
        match statements.last_mut() {
            _ if line.trim().is_empty() => {}
            Some(last) if line.starts_with(' ') => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => statements.push(line.trim().to_string()),
        }
    }
    statements.iter().map(|text| statement(text, names)).collect()
}

pub fn expression(text: &str, names: &mut Names) -> Result<Expr, String> {
    let mut parser = Parser::new(text, names)?;
    let expr = parser.expr()?;
    parser.end()?;
    Ok(expr)
}

fn statement(text: &str, names: &mut Names) -> Result<Statement, String> {
    let (program, expected) = match text.split_once('⇒') {
        Some((program, expected)) => (program, Some(expected.trim().to_string())),
        None => (text, None),
    };
    let mut parser = Parser::new(program, names)?;
    let kind = parser.statement()?;
    parser.end()?;
    Ok(Statement { kind, expected, text: program.split_whitespace().collect::<Vec<_>>().join(" ") })
}

struct Parser<'a> {
    tokens: Vec<String>,
    at: usize,
    names: &'a mut Names,
    scope: Vec<(String, Var)>,
}

const KEYWORDS: &[&str] = &["let", "rec", "in", "if", "then", "else", "λ", "≜"];

impl<'a> Parser<'a> {
    fn new(text: &str, names: &'a mut Names) -> Result<Parser<'a>, String> {
        Ok(Parser { tokens: tokens(text)?, at: 0, names, scope: vec![] })
    }

    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned().unwrap_or_default()
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        match self.eat(token) {
            true => Ok(()),
            false => Err(format!("expected `{token}`, found `{}`", self.peek())),
        }
    }

    fn end(&self) -> Result<(), String> {
        match self.peek() {
            "" => Ok(()),
            token => Err(format!("expected the end, found `{token}`")),
        }
    }

    fn statement(&mut self) -> Result<StatementKind, String> {
        if self.tokens.get(1).is_some_and(|token| token == "≜") {
            let name = self.next();
            let name = self.names.global(&name);
            self.expect("≜")?;
            return Ok(StatementKind::Define(name, self.expr()?));
        }
        let start = self.at;
        if self.eat("let") && self.eat("rec") {
            let names = if self.eat("(") { self.names_until(")")? } else { vec![self.next()] };
            self.expect("≜")?;
            let definition = self.at;
            let value = self.expr()?;
            if self.peek().is_empty() {
                self.at = definition;
                let param = self.names.temporary("z");
                let function = lambda(param.clone(), self.bind_pattern(&names, var(&param), Parser::expr)?);
                let names = names.iter().map(|name| self.names.global(name)).collect();
                return Ok(StatementKind::DefineRecursive(Recursive { names, value, function }));
            }
        }
        self.at = start;
        Ok(StatementKind::Show(self.expr()?))
    }

    fn names_until(&mut self, close: &str) -> Result<Vec<String>, String> {
        let mut names = vec![self.next()];
        while self.eat(",") {
            names.push(self.next());
        }
        self.expect(close)?;
        Ok(names)
    }

    /// `↽y` binds a variable that is tagged as a sensitivity.
    fn bind(&mut self, name: &str) -> Var {
        let var = match name.strip_prefix('↽') {
            Some(plain) => self.names.bound(plain).tagged(Tag::Sensitivity),
            None => self.names.bound(name),
        };
        self.scope.push((name.to_string(), var.clone()));
        var
    }

    fn expr(&mut self) -> Result<Expr, String> {
        let depth = self.scope.len();
        let result = match self.peek() {
            "λ" => self.lambda(),
            "let" => self.binding(),
            "if" => self.choice(),
            _ => self.operators(0),
        };
        self.scope.truncate(depth);
        result
    }

    fn lambda(&mut self) -> Result<Expr, String> {
        self.expect("λ")?;
        if !self.eat("(") {
            let name = self.next();
            let param = self.bind(&name);
            return Ok(lambda(param, self.expr()?));
        }
        // λ(J x) e is λ↼x let x ≜ J⁻¹ ↼x in e
        self.expect("J")?;
        let names = if self.eat("(") { self.names_until(")")? } else { vec![self.next()] };
        self.expect(")")?;
        let param = self.names.temporary("x").tagged(Tag::Reverse);
        let argument = apply(self.global("J⁻¹"), var(&param));
        let body = self.bind_pattern(&names, argument, Parser::expr)?;
        Ok(lambda(param, body))
    }

    fn binding(&mut self) -> Result<Expr, String> {
        self.expect("let")?;
        if self.eat("rec") {
            return self.recursive_binding();
        }
        let names = if self.eat("(") { self.names_until(")")? } else { vec![self.next()] };
        self.expect("≜")?;
        let value = self.expr()?;
        self.expect("in")?;
        self.bind_pattern(&names, value, Parser::expr)
    }

    /// `let rec f ≜ e₁ in e` is `let f ≜ Y (λf e₁) in e`.
    fn recursive_binding(&mut self) -> Result<Expr, String> {
        let name = self.next();
        self.expect("≜")?;
        let depth = self.scope.len();
        let inner = self.bind(&name);
        let value = self.expr()?;
        self.scope.truncate(depth);
        self.expect("in")?;
        let value = apply(self.global("Y"), lambda(inner, value));
        self.bind_pattern(&[name], value, Parser::expr)
    }

    /// `let x ≜ e₁ in e`, or `let (x, y) ≜ e₁ in e` by Car and Cdr.
    fn bind_pattern(
        &mut self,
        names: &[String],
        value: Expr,
        body: fn(&mut Parser<'a>) -> Result<Expr, String>,
    ) -> Result<Expr, String> {
        if let [name] = names {
            let bound = self.bind(name);
            return Ok(Expr::Let(bound, Rc::new(value), Rc::new(body(self)?)));
        }
        let mut bindings = vec![];
        let mut rest = self.names.temporary("z");
        bindings.push((rest.clone(), value));
        for (i, name) in names.iter().enumerate() {
            let last = i + 1 == names.len();
            let part = if last { var(&rest) } else { apply(self.global("Car"), var(&rest)) };
            bindings.push((self.bind(name), part));
            if !last {
                let next = self.names.temporary("z");
                bindings.push((next.clone(), apply(self.global("Cdr"), var(&rest))));
                rest = next;
            }
        }
        let body = body(self)?;
        Ok(crate::term::lets(bindings, body))
    }

    /// `if e₁ then e₂ else e₃` is `(e₁ (λx e₂, λx e₃)) []`.
    fn choice(&mut self) -> Result<Expr, String> {
        self.expect("if")?;
        let condition = self.expr()?;
        self.expect("then")?;
        let then = self.delayed()?;
        self.expect("else")?;
        let otherwise = self.delayed()?;
        Ok(apply(apply(condition, pair(then, otherwise)), self.global("[]")))
    }

    fn delayed(&mut self) -> Result<Expr, String> {
        let unused = self.names.temporary("x");
        Ok(lambda(unused, self.expr()?))
    }

    /// Operators from the loosest to the tightest; all but ⟵ and < lean to the left.
    fn operators(&mut self, level: usize) -> Result<Expr, String> {
        const LEVELS: &[&[&str]] = &[&["⟵"], &["<"], &["⊕", "+", "-"], &["×", "÷"]];
        let Some(operators) = LEVELS.get(level) else { return self.prefix() };
        let mut left = self.operators(level + 1)?;
        while operators.contains(&self.peek()) {
            let operator = self.next();
            let right = match self.peek() {
                "λ" | "let" | "if" => self.expr()?,
                _ => self.operators(level + 1)?,
            };
            left = apply(self.global(&operator), pair(left, right));
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Result<Expr, String> {
        if !self.eat("-") {
            return self.application();
        }
        let number = self.peek().starts_with(|c: char| c.is_ascii_digit());
        let operand = self.application()?;
        match (&operand, number) {
            (Expr::Var(number), true) => Ok(self.global(&format!("-{}", number.name))),
            _ => Ok(apply(self.global("neg"), operand)),
        }
    }

    fn application(&mut self) -> Result<Expr, String> {
        let mut f = self.atom()?;
        loop {
            match self.peek() {
                "λ" => return Ok(apply(f, self.expr()?)),
                token if starts_atom(token) => f = apply(f, self.atom()?),
                _ => return Ok(f),
            }
        }
    }

    fn atom(&mut self) -> Result<Expr, String> {
        let token = self.next();
        match token.as_str() {
            "(" => {
                let parts = self.parts(")")?;
                let joined = parts.into_iter().rev().reduce(|rest, part| pair(part, rest));
                joined.ok_or("expected an expression between the parentheses".to_string())
            }
            "[" => {
                let parts = self.parts("]")?;
                Ok(parts.into_iter().rev().fold(self.global("[]"), |rest, part| pair(part, rest)))
            }
            "|" => {
                let inside = self.expr()?;
                self.expect("|")?;
                Ok(apply(self.global("abs"), inside))
            }
            name if starts_atom(name) => Ok(match self.scope.iter().rev().find(|(bound, _)| bound == name) {
                Some((_, bound)) => var(bound),
                None => self.global(name),
            }),
            other => Err(format!("expected an expression, found `{other}`")),
        }
    }

    fn parts(&mut self, close: &str) -> Result<Vec<Expr>, String> {
        let mut parts = vec![];
        while !self.eat(close) {
            if !parts.is_empty() {
                self.expect(",")?;
            }
            parts.push(self.expr()?);
        }
        Ok(parts)
    }

    fn global(&mut self, name: &str) -> Expr {
        Expr::Var(self.names.global(name))
    }
}

fn lambda(param: Var, body: Expr) -> Expr {
    Expr::Lambda(Lambda::new(param, body, Origin::Written))
}

/// Characters that are tokens by themselves.
const SINGLE: &str = "λ()[],≜+-−×÷<⊕⟵|√∇∅𝟎";

fn starts_atom(token: &str) -> bool {
    let name = token.starts_with(|c: char| in_name(c) || "√∇∅𝟎↽".contains(c));
    (name && !KEYWORDS.contains(&token)) || ["(", "["].contains(&token)
}

/// Letters, digits, primes, combining dots, superscripts and subscripts.
fn in_name(c: char) -> bool {
    let mark = ('\u{300}'..='\u{36f}').contains(&c);
    !SINGLE.contains(c) && (c.is_alphanumeric() || mark || "_'?⁻*".contains(c))
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut tokens = vec![];
    let mut rest = text.trim_start();
    while let Some(c) = rest.chars().next() {
        let length = match c {
            _ if SINGLE.contains(c) => c.len_utf8(),
            _ if c.is_ascii_digit() => number_length(rest),
            _ if in_name(c) || c == '↽' => c.len_utf8() + name_length(&rest[c.len_utf8()..]),
            _ => return Err(format!("`{c}` means nothing here")),
        };
        tokens.push(rest[..length].replace('−', "-"));
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

fn name_length(text: &str) -> usize {
    text.find(|c| !in_name(c)).unwrap_or(text.len())
}

/// Digits, a point, and an exponent with its sign.
fn number_length(text: &str) -> usize {
    let mut before = ' ';
    text.find(|c: char| {
        let sign = before == 'e' && c == '-';
        before = c;
        !(c.is_ascii_digit() || c == '.' || c == 'e' || sign)
    })
    .unwrap_or(text.len())
}
