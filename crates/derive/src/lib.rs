//! Derivatives as source: what `evert derive` prints.
//!
//! In: a file's tree, the name of a function, and what runs of the file told about kinds ([`Facts`]). Out: the text of the function's
//! derivative, in the standard layout, as a person would have written it; or a [`Refusal`] that names a construct. No I/O, nothing is run.
//!
//! # From which level
//!
//! From the tree, not from L1: names, `match`, comprehensions and loops of the library are there, and so is everything that makes a derivative
//! readable. L1 knows more (captures, groups), but a text made from it reads like L1. The way of a function:
//!
//! 1. [`read`]: the tree becomes terms whose operands are names. Programs have no types, so whether `a * b` multiplies arrays is taken
//!    from runs at sample inputs. What no run came by is inferred, or taken for a real.
//! 2. [`reverse`]: reverse mode on these terms, construct by construct. [`forward`]: forward mode.
//! 3. [`tidy`]: nothing unused, no name for what is used once, a name for what is computed twice; [`simplify`]: arithmetic.
//! 4. [`mod@print`] and `syntax::format`: text. [`latex`]: formulas of straight-line code.
//!
//! Functions of the program that it calls become `f_reverse`, which gives the value and the backpropagator; small ones are put in place. A rule
//! is used as it stands. What has no template is left to `vjp` of the expression itself. So the text may be less explicit than
//! one would like, but not wrong; all the same, whoever prints it compares it with `grad` at the samples first.

mod expand;
pub mod forward;
mod infer;
mod kind;
pub mod latex;
pub mod print;
pub mod read;
mod refusal;
pub mod reverse;
mod rules;
mod sens;
pub mod simplify;
pub mod term;
pub mod tidy;

use std::collections::BTreeSet;

use syntax::Tree;

pub use kind::Kind;
pub use read::Facts;
pub use refusal::Refusal;

use read::{Names, Read};
use reverse::Deriver;
use term::{Pattern, Term};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Reverse,
    Forward,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    pub function: String,
    /// By which parameters; by all if there are none.
    pub wrt: Vec<String>,
    pub mode: Mode,
    /// Names that mean something in every program.
    pub reserved: BTreeSet<String>,
    /// Constructors of the library.
    pub constructors: BTreeSet<String>,
    pub repetition: Repetition,
}

/// What is known of arrays of as many axes in one operation. Kinds don't say how long axes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repetition {
    /// They have the same shape.
    No,
    /// One may be repeated along an axis of length 1: such operations are left to `vjp`.
    Possible,
}

/// What the derived function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// `f_grad(x)` is the gradient.
    Gradient,
    /// `f_vjp(x)` is the value and the backpropagator.
    Backpropagator,
    /// `f_forward(x, dx)` is the value and its change.
    Forward,
}

/// A derivative as source.
#[derive(Clone, Debug)]
pub struct Derived {
    /// In the standard layout, without the functions of the file.
    pub text: String,
    pub name: String,
    pub shape: Shape,
    /// Which parameters it is by.
    pub wanted: Vec<bool>,
    /// The lines whose derivative is left to `vjp` or `jvp`.
    pub left: Vec<u32>,
    /// The formula, if it is straight-line code.
    pub latex: Option<String>,
}

/// Derives a function of a file.
pub fn derive(tree: &Tree, facts: &Facts, request: &Request) -> Result<Derived, Refusal> {
    let mut constructors = request.constructors.clone();
    let mut names = Names::default();
    names.used = request.reserved.clone();
    for statement in tree.statements() {
        match tree.statement(statement) {
            syntax::ast::Statement::Type { constructors: declared, .. } => {
                constructors.extend(declared.iter().map(|one| one.name.name.to_string()));
            }
            syntax::ast::Statement::Fn(function) => {
                names.used.insert(function.name.name.to_string());
            }
            syntax::ast::Statement::Let { pattern, .. } => {
                if let syntax::ast::Pattern::Name(name) = tree.pattern(pattern) {
                    names.used.insert(name.to_string());
                }
            }
            _ => {}
        }
    }
    let mut deriver = Deriver::new(tree, facts, names, constructors);
    deriver.repetition = request.repetition;
    let Some((node, function)) = deriver.functions.get(&request.function).cloned() else {
        let what = format!("`{}`, which is no function of the file", request.function);
        return Err(Refusal { what, span: base::Span::default() });
    };
    let at_function = |refusal: Refusal| match refusal.span == base::Span::default() {
        true => Refusal { what: refusal.what, span: tree.span(node) },
        false => refusal,
    };
    let mut read = deriver.read(&request.function).map_err(at_function)?;
    let wanted = wanted(&read, request, tree.span(node))?;
    if !function.rules.is_empty() {
        deriver.by_itself(&mut read);
    } else {
        deriver.expand(&mut read.body);
    }
    if request.mode == Mode::Forward {
        return forward::derive(deriver, &read, wanted).map_err(at_function);
    }
    let stem = read.name.trim_end_matches('\'').to_string();
    let is_number = deriver.names.kind(&read.body.result).is_number();
    let (name, shape) = match is_number {
        true => (format!("{stem}_grad"), Shape::Gradient),
        false => (format!("{stem}_vjp"), Shape::Backpropagator),
    };
    let body = match is_number {
        true => deriver.gradient(&read, &wanted),
        false => deriver.reverse_of(&read, &wanted),
    };
    let body = body.map_err(at_function)?;
    Ok(written(deriver, &read, (name, read.params.clone(), body), shape, wanted))
}

fn wanted(read: &Read, request: &Request, span: base::Span) -> Result<Vec<bool>, Refusal> {
    if request.wrt.is_empty() {
        return Ok(vec![true; read.params.len()]);
    }
    let name_of = |param: &Pattern| if let Pattern::Name(name) = param { name.clone() } else { String::new() };
    let params: Vec<String> = read.params.iter().map(name_of).collect();
    if let Some(unknown) = request.wrt.iter().find(|name| !params.contains(name)) {
        return Err(Refusal { what: format!("the parameter `{unknown}`, which `{}` doesn't have", read.name), span });
    }
    Ok(params.iter().map(|name| request.wrt.contains(name)).collect())
}

/// Text in the standard layout.
fn written(
    mut deriver: Deriver,
    read: &Read,
    (name, params, body): (String, Vec<Pattern>, Term),
    shape: Shape,
    wanted: Vec<bool>,
) -> Derived {
    let mut text = format!("// {} of `{}`, line {}{}\n", title(shape), read.name, read.line, kinds(&deriver, read));
    let mut latex = None;
    let functions = std::mem::take(&mut deriver.derived);
    let all = std::iter::once((name.clone(), params, body)).chain(functions);
    for (at, (name, params, body)) in all.enumerate() {
        let tidied = tidy::tidied(&body, &deriver.names);
        let shared = tidy::share(&params, &tidied, &mut deriver.names);
        let (params, shared) = tidy::called_as_wished(&params, &shared, &deriver.names);
        let shared = real_result(shared, shape, at == 0);
        if at == 0 {
            latex = latex::formula(&read.name, &params, &shared);
        }
        text += &format!("{}{}\n", if at == 0 { "" } else { "\n" }, print::function(&name, &params, &shared));
    }
    let tree = syntax::parse(base::FileId(0), &text);
    let text = syntax::format(&tree).unwrap_or(text);
    Derived { text, name, shape, wanted, left: deriver.left, latex }
}

fn title(shape: Shape) -> &'static str {
    match shape {
        Shape::Gradient => "The gradient",
        Shape::Backpropagator => "The value and the backpropagator",
        Shape::Forward => "The value and its change",
    }
}

/// What the text is for, as far as that was seen.
fn kinds(deriver: &Deriver, read: &Read) -> String {
    let one = |param: &Pattern| match param {
        Pattern::Name(name) => match deriver.names.kind(&term::name(&**name)) {
            Kind::Unknown | Kind::Mixed => None,
            kind => Some(format!("{name}: {}", kind.words())),
        },
        _ => None,
    };
    let kinds: Vec<String> = read.params.iter().filter_map(one).collect();
    if kinds.is_empty() { String::new() } else { format!(", for {}", kinds.join(", ")) }
}

/// Sensitivities that are whole numbers are reals: those of a gradient, and those that a backpropagator gives.
fn real_result(body: Term, shape: Shape, is_main: bool) -> Term {
    let body = real_pulls(&body);
    if shape == Shape::Gradient && is_main { as_reals(body) } else { body }
}

/// With reals in what backpropagators give: the functions that stand second in a pair.
fn real_pulls(term: &Term) -> Term {
    match term.map_children(&mut real_pulls) {
        Term::Tuple(mut pair) if pair.len() == 2 && matches!(pair[1], Term::Lambda(..)) => {
            if let Some(Term::Lambda(params, body)) = pair.pop() {
                pair.push(Term::Lambda(params, Box::new(as_reals(*body))));
            }
            Term::Tuple(pair)
        }
        other => other,
    }
}

/// The same sensitivity, with reals for whole numbers wherever it is put together.
fn as_reals(term: Term) -> Term {
    let all = |terms: Vec<Term>| terms.into_iter().map(as_reals).collect();
    let boxed = |term: Box<Term>| Box::new(as_reals(*term));
    match term {
        Term::Int(i) => Term::Real(i as f64),
        Term::Tuple(parts) => Term::Tuple(all(parts)),
        Term::Array(parts) => Term::Array(all(parts)),
        Term::Record(fields) => {
            Term::Record(fields.into_iter().map(|(label, field)| (label, as_reals(field))).collect())
        }
        Term::Each(mut each) => {
            each.body = as_reals(each.body);
            Term::Each(each)
        }
        Term::Call(f, mut args) if f.as_name() == Some("full") && args.len() == 2 => {
            args[1] = as_reals(args[1].clone());
            Term::Call(f, args)
        }
        Term::If(condition, then, otherwise) => Term::If(condition, boxed(then), boxed(otherwise)),
        Term::Match(of, arms) => {
            let arms = arms.into_iter().map(|arm| term::Arm { body: as_reals(arm.body), ..arm });
            Term::Match(of, arms.collect())
        }
        Term::Block(mut block) => {
            block.result = boxed(block.result);
            Term::Block(block)
        }
        other => other,
    }
}
