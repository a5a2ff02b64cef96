//! Functions: parameters, bodies, and what a body uses from outside.
//!
//! A function comes out as [`Code`] over provisional variables; `groups.rs` gives it its captures and its numbers.

use std::rc::Rc;

use base::{Name, Span};
use calculus::{Atom, Block, Constructor, Expr, Field, Form, Var};
use syntax::{NodeId, ast};

use crate::context::{Elaborator, Frame, Timing, UNNAMED};
use crate::locals::LocalId;
use crate::matching::{Fit, positions};
use crate::patterns::{Pattern, Shape};
use crate::rules::RuleCode;

/// A function whose captures aren't decided yet.
pub(crate) struct Function {
    pub code: Code,
    pub rules: Vec<RuleCode>,
}

pub(crate) struct Code {
    pub name: Option<Name>,
    pub span: Span,
    /// The parameter and what the body binds.
    pub vars: Vec<Name>,
    pub body: Block,
    pub outside: Vec<LocalId>,
    pub mentions: Vec<Name>,
}

/// What a function or rule clause consists of.
pub(crate) struct Parts<'s> {
    pub name: Option<Name>,
    pub span: Span,
    pub params: &'s [NodeId],
    pub body: NodeId,
}

impl Function {
    pub fn plain(code: Code) -> Function {
        Function { code, rules: vec![] }
    }

    /// The code of the function and of its rules.
    pub fn codes(&self) -> impl Iterator<Item = &Code> {
        std::iter::once(&self.code).chain(self.rules.iter().map(|rule| &rule.code))
    }
}

impl Elaborator<'_> {
    pub fn function(&mut self, parts: Parts, rules: &[ast::Rule]) -> Function {
        let name = parts.name;
        let code = self.code(parts);
        Function { code, rules: self.rules(name, rules) }
    }

    pub fn code(&mut self, parts: Parts) -> Code {
        let Parts { name, span, params, body } = parts;
        let patterns = self.parameters(params);
        let parameter = match &patterns[..] {
            [Pattern { shape: Shape::Bind(name), .. }] => *name,
            _ => *UNNAMED,
        };
        let body_span = self.tree.span(body);
        self.open_function(name, (span, body_span), parameter, Timing::Later, |this, argument| {
            this.take_arguments(&patterns, argument, span);
            // A function that is the whole body goes by the same name: `fn scaled(k) = x => k * x`.
            this.named_expression(body, name)
        })
    }

    /// Elaborates a function body in a frame of its own. The spans are those of the function and of its result.
    pub fn open_function(
        &mut self,
        name: Option<Name>,
        (span, body_span): (Span, Span),
        parameter: Name,
        timing: Timing,
        body: impl FnOnce(&mut Self, Atom) -> Atom,
    ) -> Code {
        self.frames.push(Frame::new(parameter, timing));
        let result = self.scoped(span, |this| body(this, Atom::Var(Var(0))));
        let mut frame = self.frames.pop().expect("elaborate: the frame pushed above");
        let body = frame.builder.close(result, body_span);
        let (outside, mentions) = (frame.outside, frame.mentions);
        Code { name, span, vars: frame.builder.vars, body, outside, mentions }
    }

    fn take_arguments(&mut self, patterns: &[Pattern], argument: Atom, span: Span) {
        match patterns {
            [Pattern { shape: Shape::Bind(name), span }] => {
                self.declare(*name, Var(0), *span);
            }
            [pattern] => self.take_apart(pattern, argument, Fit::Demanded),
            _ => {
                let span = patterns.iter().map(|pattern| pattern.span).reduce(Span::to).unwrap_or(span);
                let argument = self.bind(Expr::Check(argument, Form::Arguments(patterns.len() as u32)), span);
                self.take_parts(positions(patterns), argument, Fit::Demanded);
            }
        }
    }

    /// `x => e`, under the name of the `let` whose value it is or of the function whose body it is, if there is one.
    pub fn lambda(&mut self, parts: Parts, rules: &[ast::Rule]) -> Atom {
        let function = self.function(parts, rules);
        self.close_lambda(function)
    }

    /// A constructor as a value: the function that makes one from its fields.
    pub fn constructor_function(&mut self, constructor: &Rc<Constructor>, span: Span) -> Atom {
        let fields = constructor.fields.len() as u32;
        let name = Some(constructor.name);
        let code = self.open_function(name, (span, span), *UNNAMED, Timing::Later, |this, argument| {
            let parts = match fields {
                1 => vec![argument],
                _ => this.arguments(argument, fields, span),
            };
            this.bind(Expr::Variant(constructor.clone(), parts), span)
        });
        self.close_lambda(Function::plain(code))
    }

    /// The arguments of a function that elaboration makes.
    pub fn arguments(&mut self, argument: Atom, number: u32, span: Span) -> Vec<Atom> {
        let checked = self.bind(Expr::Check(argument, Form::Arguments(number)), span);
        (0..number).map(|index| self.get(checked.clone(), Field::Position(index), span)).collect()
    }
}
