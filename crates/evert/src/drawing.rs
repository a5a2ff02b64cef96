//! Values that are plots, ready to be drawn: curves get the names of their functions, sliders a position, functions are
//! sampled.
//!
//! In: a value that a step showed. Out: a plot without functions, or the error in which sampling ended. Sampling is library code
//! (`plots.sampled`). It runs on the reference evaluator, which begins at once: with slopes, then without them. If both take long it
//! runs on the session's engine.

mod sliders;

use std::rc::Rc;

use base::{Diagnostic, Name, Span, codes};
use calculus::{Atom, Const, GlobalId, GlobalInfo, GlobalKind, Root};
use elaborate::Binding;
use eval::array::Array;
use eval::plot::{constructor, has_functions, is_plot, read};
use eval::value::{Data, Form, Function};
use eval::{Value, force};
use plots::Plot;

use crate::session::{Session, application, constant};

pub use sliders::Slider;

/// The module of the library.
const MODULE: &str = "plots";

/// A curve begins with so many pieces.
const PIECES: i64 = 24;

/// The reference evaluator samples for so many steps, about a third of a second, before it gives up.
const BRIEF: u64 = 5_000_000;

impl Session {
    /// What is drawn of a value; `None` if it is no plot. The span is that of the step that showed it.
    pub fn plot(&mut self, value: &Value, span: Span) -> Option<base::Result<Plot>> {
        if !is_plot(value) {
            return None;
        }
        // Rules are checked where the program uses them, not where it is drawn.
        let observed = self.machine.observed.take();
        let drawn = self.without_functions(value, span);
        self.machine.observed = observed;
        let plot = drawn.and_then(|value| {
            read(&value).map_err(|words| {
                let help = "`plots` has functions that make plots of every kind";
                Box::new(Diagnostic::new(codes::NOT_A_PLOT, span, words).here("this can't be drawn").help(help))
            })
        });
        Some(plot)
    }

    /// The same where sliders can be moved: their positions are chosen by their names, and the answer says which there are.
    pub fn plot_at(
        &mut self,
        value: &Value,
        span: Span,
        chosen: &dyn Fn(&str) -> Option<f64>,
    ) -> Option<base::Result<(Plot, Vec<Slider>)>> {
        if !is_plot(value) {
            return None;
        }
        let observed = self.machine.observed.take();
        let put = self.put(value, span, chosen);
        self.machine.observed = observed;
        Some(put.and_then(|(put, sliders)| match self.plot(&put, span) {
            Some(plot) => Ok((plot?, sliders)),
            None => {
                let words = format!("the function of a slider gives {}, which is no plot", eval::show::short(&put));
                Diagnostic::new(codes::NOT_A_PLOT, span, words).err()
            }
        }))
    }

    fn without_functions(&mut self, value: &Value, span: Span) -> base::Result<Value> {
        if !has_functions(value) {
            return Ok(value.clone());
        }
        let settled = match self.evaluate_briefly("settle", value.clone(), span)? {
            Some(settled) => settled,
            None => self.run_on_engine("settle", value.clone(), span)?,
        };
        let argument = Value::pair(self.named(&settled, Company::Alone), Value::Int(PIECES));
        match self.evaluate_briefly("sampled", argument.clone(), span) {
            Ok(Some(sampled)) => return Ok(sampled),
            // The functions may have values where they have no slopes, or where slopes take long.
            Ok(None) => {}
            Err(error) if is_about_slopes(&error) => {}
            Err(error) => return Err(error),
        }
        match self.evaluate_briefly("traced", argument.clone(), span)? {
            Some(traced) => Ok(traced),
            None => match self.run_on_engine("sampled", argument.clone(), span) {
                Err(error) if is_about_slopes(&error) => self.run_on_engine("traced", argument, span),
                sampled => sampled,
            },
        }
    }

    fn library_function(&self, name: &str) -> GlobalId {
        match self.in_library(MODULE, name) {
            Some(Binding::Root(Root::Global(id))) => *id,
            _ => panic!("drawing: the library has plots.{name}"),
        }
    }

    /// Calls a function of the module on the reference evaluator; `None` if that takes long.
    fn evaluate_briefly(&mut self, name: &str, argument: Value, span: Span) -> base::Result<Option<Value>> {
        let id = self.library_function(name);
        let Some(function) = self.machine.global(id).cloned() else { return Ok(None) };
        let limit = self.machine.max_steps;
        self.machine.max_steps = Some(limit.map_or(BRIEF, |steps| steps.min(BRIEF)));
        let result = self.machine.call(&function, argument, span);
        self.machine.max_steps = limit;
        match result {
            Err(error) if error.code == codes::OUT_OF_STEPS => Ok(None),
            result => result.map(Some),
        }
    }

    /// Calls a function of the module on the session's engine, however long it takes.
    fn run_on_engine(&mut self, name: &str, argument: Value, span: Span) -> base::Result<Value> {
        let id = self.library_function(name);
        let x = self.argument(argument);
        let code = Rc::new(application(Atom::Root(Root::Global(id), 0), x, span));
        let value = self.engines.run(&mut self.machine, &constant(code.clone()), &code, span);
        self.argument(Value::unit());
        value
    }

    /// A global that holds the argument, under a name that no program can write.
    fn argument(&mut self, value: Value) -> Atom {
        if value.is_unit() && self.plot_argument.is_none() {
            return Atom::Const(Const::Unit);
        }
        let id = match self.plot_argument {
            Some(id) => id,
            None => self.new_argument(),
        };
        self.machine.define(id, value);
        Atom::Root(Root::Global(id), 0)
    }

    fn new_argument(&mut self) -> GlobalId {
        let name = Name::new("the plot that is drawn");
        let info = GlobalInfo { name, kind: GlobalKind::Value, span: Span::default(), doc: None, signature: None };
        let id = self.globals.add(info);
        self.machine.declare(id, name);
        self.plot_argument = Some(id);
        id
    }

    /// The plot with names for curves that lie over something else, as far as their functions have names.
    fn named(&self, value: &Value, company: Company) -> Value {
        stacker::maybe_grow(64 * 1024, 4 << 20, || {
            let Ok(Value::Data(data)) = force(value) else { return value.clone() };
            let Some(kind) = constructor(&data) else { return value.clone() };
            match (kind.name.as_str(), &data.fields[..]) {
                ("Curve", [f, ..]) if company == Company::Several => self.labelled(value, self.name_of(f)),
                ("Styled", [style, _]) if has_label(style) => value.clone(),
                ("Styled", [style, inner]) => rebuilt(&data, vec![style.clone(), self.named(inner, company)]),
                ("Over", [plots]) => rebuilt(&data, vec![self.all_named(plots, Company::Several)]),
                ("Beside", [plots]) => rebuilt(&data, vec![self.all_named(plots, Company::Alone)]),
                _ => value.clone(),
            }
        })
    }

    fn all_named(&self, plots: &Value, company: Company) -> Value {
        let Ok(Value::Array(array)) = force(plots) else { return plots.clone() };
        let rows: Vec<Value> = (0..array.len()).map(|i| array.row(i)).collect();
        // One alone needs no name.
        let company = if rows.len() > 1 { company } else { Company::Alone };
        let named = rows.iter().map(|plot| self.named(plot, company)).collect();
        Array::from_values(named).map_or_else(|_| plots.clone(), Value::array)
    }

    /// A style with this label around a plot.
    fn labelled(&self, plot: &Value, label: Option<String>) -> Value {
        let Some(Binding::Constructor(styled)) = self.in_library(MODULE, "Styled") else { return plot.clone() };
        let Some(label) = label else { return plot.clone() };
        let Some(style) = self.plain_style(&label) else { return plot.clone() };
        Value::data(Form::Variant(styled.clone()), vec![style, plot.clone()])
    }

    /// The library's style that says nothing but this label.
    fn plain_style(&self, label: &str) -> Option<Value> {
        let Some(Binding::Root(Root::Global(plain))) = self.in_library(MODULE, "plain") else { return None };
        let Value::Data(data) = self.machine.global(*plain)? else { return None };
        let Form::Record(labels) = &data.form else { return None };
        let mut fields = data.fields.clone();
        fields[labels.iter().position(|field| field.as_str() == "label")?] = Value::text(label);
        Some(Value::record(labels.clone(), fields))
    }

    /// What a function is called: `f`, `grad(f)`, or the text of its body if that is short.
    fn name_of(&self, f: &Value) -> Option<String> {
        let Ok(Value::Function(function)) = force(f) else { return None };
        let closure = match &*function {
            Function::Prim { prim, order: 0 } => return Some(prim.name().to_string()),
            Function::Closure(closure) if closure.code.group.order == 0 => closure,
            _ => return None,
        };
        let lambda = closure.code.lambda(closure.member);
        let Some(name) = lambda.name else { return self.short_body(lambda.span) };
        let labels: Vec<String> = closure.code.labels().iter().map(ToString::to_string).collect();
        // What a function returns bears its name and captures its parameters.
        let made_by = format!("{name}({})", labels.join(", "));
        if labels.is_empty() || self.signature(name).as_deref() != Some(made_by.as_str()) {
            return Some(name.to_string());
        }
        let argument = |value: &Value| match force(value) {
            Ok(Value::Function(_)) => self.name_of(value),
            Ok(number @ (Value::Int(_) | Value::Real(_))) => Some(eval::show::show(&number)),
            _ => None,
        };
        let arguments: Option<Vec<String>> = closure.env.0.iter().map(argument).collect();
        let called = arguments.map(|arguments| format!("{name}({})", arguments.join(", ")));
        Some(called.filter(|name| name.chars().count() <= LONGEST_NAME).unwrap_or(name.to_string()))
    }

    fn signature(&self, name: Name) -> Option<String> {
        let (_, binding) = self.names().find(|(known, _)| *known == name)?;
        let Binding::Root(Root::Global(id)) = binding else { return None };
        self.globals.get(*id).signature.as_deref().map(String::from)
    }

    /// `x^2` for `x => x^2`.
    fn short_body(&self, span: Span) -> Option<String> {
        if span == Span::default() {
            return None;
        }
        let (_, body) = self.sources.text(span).split_once("=>")?;
        let body = body.trim();
        let short = !body.is_empty() && body.chars().count() <= LONGEST_NAME && !body.contains(['\n', '{']);
        short.then(|| body.to_string())
    }
}

/// Longer names would fill the legend.
const LONGEST_NAME: usize = 24;

/// Does a plot share its frame?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Company {
    Alone,
    Several,
}

/// Errors of differentiation have codes of their own.
fn is_about_slopes(error: &Diagnostic) -> bool {
    (400..500).contains(&error.code.0)
}

fn rebuilt(data: &Data, fields: Vec<Value>) -> Value {
    Value::data(data.form.clone(), fields)
}

fn has_label(style: &Value) -> bool {
    let Ok(Value::Data(data)) = force(style) else { return false };
    let Form::Record(labels) = &data.form else { return false };
    let label = labels.iter().position(|label| label.as_str() == "label").and_then(|at| data.fields.get(at));
    label.is_some_and(|label| matches!(force(label), Ok(Value::Text(text)) if !text.is_empty()))
}
