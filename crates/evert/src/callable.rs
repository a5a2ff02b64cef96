//! Functions of a session, called from outside with values.
//!
//! In: a function's name, then arguments. Out: results. A function is compiled once for each shape of argument, and runs from then on
//! without looking at its source; what can't be compiled runs on the reference evaluator, once more for each call.

use std::fmt::Write;
use std::rc::Rc;
use std::time::Duration;

use base::{Name, Span, codes};
use calculus::build::Builder;
use calculus::{Atom, Expr, Field, Group, Lambda, Role, Root};
use elaborate::Binding;
use eval::array::{Array, Elements};
use eval::value::{Form, Function, Holds, Value};
use rustc_hash::FxHashMap;

use crate::engine::{Lengths, Ran, Ready};
use crate::native::host::Portable;
use crate::native::run::{Again, Stop};
use crate::session::{Session, constant};

/// A function of a session.
///
/// ```
/// let mut session = evert::Session::offline();
/// session.evaluate("fn f(x) = x * x").unwrap();
/// let mut slope = session.callable("f").unwrap();
/// let y = slope.call(&mut session, evert::Value::Real(3.0)).unwrap();
/// assert_eq!(evert::show(&y), "9.0");
/// ```
pub struct Callable {
    /// A function of `()` that calls the function with what the global `argument` holds.
    step: Rc<Group>,
    span: Span,
    argument: String,
    /// By the shape of the argument; `Err` says why the reference evaluator runs it.
    ready: FxHashMap<String, Result<Ready, Ran>>,
    /// What code is made for: other lengths once they were met.
    lengths: Lengths,
    /// Functions that were arguments: their code is known by its address, which stays theirs.
    kept: Vec<Value>,
}

/// The only field of the record that holds an argument: a record is never made part of the code, as a number would be.
const FIELD: &str = "value";

/// An argument as portable code takes it, where it is given as a value and not as leaves.
pub fn argument(x: Value) -> Value {
    Value::record(Rc::from([Name::new(FIELD)]), vec![x])
}

impl Session {
    /// The function of this name among the session's own definitions.
    pub fn callable(&mut self, name: &str) -> Option<Callable> {
        let Some(Binding::Root(f @ Root::Global(id))) = self.scope.get(Name::new(name)).cloned() else { return None };
        let Some(Value::Function(_)) = self.get(name) else { return None };
        let span = self.globals.get(id).span;
        // No program can write this name.
        let argument = format!("the argument of {name}");
        self.set(&argument, Value::unit());
        let Some(Binding::Root(x)) = self.scope.get(Name::new(&argument)).cloned() else { return None };
        let step = Rc::new(call(Atom::Root(f, 0), Atom::Root(x, 0), span));
        Some(Callable { step, span, argument, ready: FxHashMap::default(), lengths: Lengths::default(), kept: vec![] })
    }

    /// A function that some expression in the session gave; `name` tells it from others.
    pub fn callable_of(&mut self, name: &str, f: Value) -> Option<Callable> {
        // No program can write this name.
        let name = format!("the function {name}");
        let span = function_span(&f);
        self.set(&name, f);
        Some(Callable { span, ..self.callable(&name)? })
    }
}

/// Where a function was written, if it was.
fn function_span(f: &Value) -> Span {
    match f {
        Value::Function(function) => match &**function {
            Function::Closure(closure) => closure.code.lambda(closure.member).span,
            _ => Span::default(),
        },
        _ => Span::default(),
    }
}

impl Callable {
    /// Compiles the function for arguments of this one's shape, unless that is done. Tells why it isn't compiled, if so.
    pub fn prepare(&mut self, session: &mut Session, x: &Value) -> Result<(), &Ran> {
        self.set(session, x.clone());
        self.find(session, x);
        self.set(session, Value::unit());
        match self.ready.get(&shape_of(x)) {
            Some(Err(ran)) => Err(ran),
            _ => Ok(()),
        }
    }

    pub fn call(&mut self, session: &mut Session, x: Value) -> base::Result<Value> {
        self.repeat(session, x, &mut |_| Again::No)
    }

    /// Calls the function once; what it prints goes where the session prints.
    pub fn run(&mut self, session: &mut Session, x: Value) -> base::Result<Value> {
        self.set(session, x.clone());
        let (step, span) = (constant(self.step.clone()), self.span);
        let ready = self.find(session, &x);
        let result = session.engines.run_once(&mut session.machine, ready, &step, span);
        self.finish(session, result)
    }

    /// Code that any thread may run at arguments of this one's shape; or why there is none, and [`Callable::run`] is to be used.
    pub fn portable(&mut self, session: &mut Session, x: &Value) -> Result<Portable, Ran> {
        if session.engines.is_reference() {
            let why = session.engines.missing().unwrap_or("the reference evaluator was asked for");
            return Err(Ran::Fallback(why.to_string()));
        }
        let Some(argument) = session.global(&self.argument) else { unreachable!("callable: it has an argument") };
        self.set(session, x.clone());
        let Session { engines, machine, .. } = session;
        let ready = engines.prepare(machine, &self.step, self.span, self.lengths);
        let ported = ready.and_then(|ready| {
            engines.port(machine, ready, argument).map_err(|ready| {
                self.ready.insert(shape_of(x), Ok(*ready));
                Ran::Compiled
            })
        });
        self.set(session, Value::unit());
        if let Err(ran @ (Ran::Dynamic(_) | Ran::TooLarge(_) | Ran::Fallback(_))) = &ported
            && !base::interrupt::is_requested()
        {
            self.ready.insert(shape_of(x), Err(ran.clone()));
        }
        ported
    }

    /// What the reference evaluator says where portable code has stopped.
    pub fn describe(&mut self, session: &mut Session, x: Value, stop: &Stop) -> base::Result<Value> {
        if let (Stop::Error { code: codes::SHAPE_MISMATCH, printed: 0, .. }, Lengths::Any) = (stop, self.lengths) {
            return self.run(session, x);
        }
        self.set(session, x);
        let (ran, printed) = match stop {
            Stop::Error { code, span, printed } => (Ran::Failed { code: *code, span: *span }, *printed),
            Stop::Memory { code, printed } => (Ran::Failed { code: *code, span: Span::default() }, *printed),
            Stop::Mismatch { text, printed } | Stop::Violation { text, printed, .. } => {
                (Ran::Fallback(text.clone()), *printed)
            }
        };
        let step = constant(self.step.clone());
        let result = session.engines.explain_failure(&mut session.machine, &step, self.span, &ran, printed);
        self.finish(session, result)
    }

    fn finish(&mut self, session: &mut Session, result: base::Result<Value>) -> base::Result<Value> {
        self.set(session, Value::unit());
        self.met_other_lengths(session);
        let value = result?;
        eval::prims::settle(&value).map_err(|fault| Box::new(fault.at(self.span)))?;
        Ok(value)
    }

    /// Calls the function with the same argument until `again`, which is told how long the function itself ran, says no. The argument
    /// is converted once, the last result too. Prints are lost.
    pub fn repeat(
        &mut self,
        session: &mut Session,
        x: Value,
        again: &mut dyn FnMut(Duration) -> Again,
    ) -> base::Result<Value> {
        self.set(session, x.clone());
        let mut result = self.repeat_as_made(session, &x, again);
        if self.met_other_lengths(session) {
            result = self.repeat_as_made(session, &x, again);
        }
        self.finish(session, result)
    }

    fn repeat_as_made(
        &mut self,
        session: &mut Session,
        x: &Value,
        again: &mut dyn FnMut(Duration) -> Again,
    ) -> base::Result<Value> {
        let (step, span) = (constant(self.step.clone()), self.span);
        let ready = self.find(session, x);
        session.engines.repeat(&mut session.machine, ready, &step, span, again)
    }

    /// Has the function met arrays of one rank and different lengths, which its code was made without? It is made anew then.
    fn met_other_lengths(&mut self, session: &mut Session) -> bool {
        let met = std::mem::take(&mut session.engines.lengths_differed);
        if met {
            self.lengths = Lengths::Any;
            self.ready.clear();
        }
        met
    }

    fn set(&self, session: &mut Session, x: Value) {
        session.set(&self.argument, argument(x));
    }

    /// What runs at an argument, which is set; `None`: the reference evaluator.
    fn find(&mut self, session: &mut Session, x: &Value) -> Option<&Ready> {
        if session.engines.is_reference() {
            return None;
        }
        let Session { engines, machine, .. } = session;
        let (step, kept) = (&self.step, &mut self.kept);
        let prepare = || {
            if x.holds().has(Holds::FUNCTION) {
                kept.push(x.clone());
            }
            engines.prepare(machine, step, self.span, self.lengths)
        };
        if base::interrupt::is_requested() {
            // Whatever would come of it is of no use later.
            return None;
        }
        self.ready.entry(shape_of(x)).or_insert_with(prepare).as_ref().ok()
    }
}

/// A function of `()` that calls `f` with the field of the record `x`.
fn call(f: Atom, x: Atom, span: Span) -> Group {
    let unnamed = Name::new("_");
    let mut body = Builder::new(vec![unnamed, unnamed]);
    let x = body.bind(unnamed, Expr::Get(x, Field::Name(Name::new(FIELD))), span);
    let result = body.bind(unnamed, Expr::Apply { f, x, order: 0 }, span);
    let block = body.close(result, span);
    let (name, rules, mentions) = (None, vec![], vec![]);
    let lambda = Lambda { name, role: Role::Source, span, vars: body.vars, body: block, rules, mentions };
    Group { captures: vec![], members: vec![lambda], order: 0 }
}

/// A text that is the same only for values that the same code can take.
fn shape_of(value: &Value) -> String {
    let mut shape = String::new();
    write_shape(value, &mut shape);
    shape
}

fn write_shape(value: &Value, out: &mut String) {
    stacker::maybe_grow(64 * 1024, 4 << 20, || match value {
        Value::Bool(_) => out.push('b'),
        Value::Int(_) => out.push('i'),
        Value::Real(_) => out.push('r'),
        Value::Text(_) => out.push('t'),
        Value::Array(array) => write_array(array, out),
        Value::Data(data) => {
            let _ = match &data.form {
                Form::Tuple => write!(out, "("),
                Form::Record(labels) => write!(out, "{{{labels:?}"),
                Form::Variant(constructor) => write!(out, "{constructor:?}("),
                Form::Part(constructor, at) => write!(out, "{constructor:?}{at:?}("),
            };
            for field in &data.fields {
                write_shape(field, out);
                out.push(',');
            }
            out.push(')');
        }
        Value::Function(function) => write_function(function, out),
        // The symbolic zero and unfinished values aren't arguments.
        Value::Zero | Value::Sparse(_) | Value::Lazy(_) => out.push('?'),
    });
}

/// Functions of one code are alike if what they capture is; whoever keeps the shape keeps the code.
fn write_function(function: &Function, out: &mut String) {
    let _ = match function {
        Function::Prim { prim, order } => write!(out, "p{prim:?}{order}("),
        Function::Closure(closure) => write!(out, "f{:p}:{}(", Rc::as_ptr(&closure.code.group), closure.member),
        Function::Sealed { modes, .. } => write!(out, "s{modes:?}("),
    };
    let mut part = |part: &Value| {
        write_shape(part, out);
        out.push(',');
    };
    match function {
        Function::Prim { .. } => {}
        Function::Closure(closure) => closure.env.0.iter().for_each(part),
        Function::Sealed { raw, f, x, y, .. } => [raw, f, x, y].into_iter().for_each(&mut part),
    }
    out.push(')');
}

fn write_array(array: &Array, out: &mut String) {
    let _ = write!(out, "[{}", array.shape.len());
    match &array.elements {
        Elements::Real(_) => out.push('r'),
        Elements::Int(_) => out.push('i'),
        Elements::Bool(_) => out.push('b'),
        Elements::Values(values) => {
            // Elements have one shape together, which is made of those that occur, or would.
            let shapes: std::collections::BTreeSet<String> =
                values.iter().chain(values.sample()).map(shape_of).collect();
            shapes.iter().for_each(|shape| out.push_str(shape));
        }
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, show};

    fn session(text: &str) -> Session {
        let mut session = Session::offline();
        // It goes the way of compiled code down to L3, and needs no LLVM.
        session.engines.engine = Engine::FirstOrder;
        session.evaluate(text).expect("a program");
        session
    }

    fn reals(reals: &[f64]) -> Value {
        Value::array(Array::vector(reals.to_vec()))
    }

    #[test]
    fn a_function_is_made_ready_once_for_each_shape() {
        let mut session = session("fn f(x) = x + x");
        let mut f = session.callable("f").expect("it is defined");
        let shapes = |f: &Callable| f.ready.len();
        let mut call = |f: &mut Callable, x: Value| show(&f.call(&mut session, x).expect("a value"));
        assert_eq!((call(&mut f, Value::Int(3)), shapes(&f)), ("6".into(), 1));
        assert_eq!((call(&mut f, Value::Int(4)), shapes(&f)), ("8".into(), 1));
        assert_eq!((call(&mut f, Value::Real(0.5)), shapes(&f)), ("1.0".into(), 2));
        assert_eq!((call(&mut f, reals(&[1.0, 2.0])), shapes(&f)), ("[2.0, 4.0]".into(), 3));
        assert_eq!((call(&mut f, reals(&[3.0])), shapes(&f)), ("[6.0]".into(), 3));
    }

    #[test]
    fn functions_of_one_code_share_what_was_made_ready() {
        let mut session = session("fn at_two(f) = f(2.0)\nfn times(a) = x => a * x");
        let mut f = session.callable("at_two").expect("it is defined");
        for (text, expected, shapes) in [("times(3.0)", "6.0", 1), ("times(4.0)", "8.0", 1), ("times(5)", "10.0", 2)] {
            let g = session.evaluate(text).expect("a function");
            assert_eq!(show(&f.call(&mut session, g).expect("a value")), expected);
            assert_eq!(f.ready.len(), shapes);
        }
    }

    #[test]
    fn a_repeated_call_sees_its_argument_unchanged_each_time() {
        let mut session = session("fn f(a) = sum({a with [0]: a[0] + 1.0})");
        let mut f = session.callable("f").expect("it is defined");
        let mut runs = 0;
        let mut again = |_| {
            runs += 1;
            if runs < 3 { Again::Yes } else { Again::No }
        };
        let result = f.repeat(&mut session, reals(&[1.0, 2.0]), &mut again).expect("a value");
        assert_eq!((show(&result), runs), ("4.0".into(), 3));
    }

    #[test]
    fn an_error_is_described_by_the_evaluator() {
        let mut session = session("fn f(a) = a[5]");
        let mut f = session.callable("f").expect("it is defined");
        let error = f.call(&mut session, reals(&[1.0])).expect_err("there is no such element");
        assert_eq!(error.code, base::codes::INDEX_OUT_OF_RANGE);
    }

    #[test]
    fn only_functions_of_the_session_itself_can_be_called() {
        let mut session = session("let n = 3");
        assert!(["n", "grad", "nothing"].iter().all(|name| session.callable(name).is_none()));
    }
}
