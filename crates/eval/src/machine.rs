//! The abstract machine: runs prepared code with its own stack, so that recursion is limited by a stated
//! number of calls and never by the stack of the process. Tail calls replace their frame.
//!
//! In: a function and its argument. Out: a value, or a diagnostic with the chain of calls that led to it.

mod apply;
mod probe;
mod profiled;
mod turns;
mod watched;

use std::rc::Rc;

use base::{Diagnostic, Name, Span, codes};
use calculus::{Failure, GlobalId, Lambda, Prim, Root};
use differentiate::Mode;
use rustc_hash::FxHashMap;

use crate::code::{Action, Body, Code, Instruction, Op, Operand};
use crate::fault::{Fault, Result, expected, interrupted};
use crate::lazy::{force, forced};
use crate::observe::{Branches, Occasion, Uses};
use crate::seal::{Lifted, Seal};
use crate::sensitivity::plus;
use crate::value::{Closure, Env, Function, Value};
use crate::watch::{Operation, Waiting, Watch};
use crate::{lift, memory, parts, prims, show, trace, work};
use turns::counter;

/// How deep calls may nest before they count as endless recursion.
pub const MAX_CALLS: usize = 4_000_000;
/// How many variables all nested calls together may have.
const MAX_SLOTS: usize = 1 << 28;

pub struct Machine {
    globals: Vec<Global>,
    /// The in-language reverse of each primitive, and its forward rule.
    derivatives: Vec<Option<Value>>,
    forward_rules: Vec<Option<Value>>,
    /// `x => p(x)` for each primitive whose T-image was needed.
    pub(crate) etas: FxHashMap<Prim, Rc<Code>>,
    /// Where `print` writes.
    pub output: Box<dyn FnMut(&str)>,
    /// Prints are dropped while this is positive.
    pub(crate) quiet: u32,
    /// So many prints were already made, by another engine that began the same computation.
    pub skipped_prints: usize,
    pub(crate) frames: Vec<Frame>,
    /// Where among the frames the probes are.
    probes: Vec<usize>,
    slots: Vec<Value>,
    calls: usize,
    /// Files before this one are the library's: errors are shown at the user's line.
    pub first_user_file: u32,
    /// The functions whose rules were used and the arguments; `None`: nobody wants to know.
    pub observed: Option<Uses>,
    /// Which way branches go; `None`: nobody wants to know.
    pub branches: Option<Branches>,
    /// Sees what the program's functions compute; `None`: nobody wants to know.
    pub watch: Option<Box<dyn Watch>>,
    /// The operations whose values the watch is to see.
    waiting: Vec<Waiting>,
    /// Ends the computation after so many steps.
    pub max_steps: Option<u64>,
    /// Where the computation was started.
    root: Span,
    /// The work at which the computation ends.
    limit: u64,
    /// The number of frames at which the outermost loop runs, if somebody watches how far it is.
    loop_depth: usize,
}

/// A top-level definition and its J-images.
#[derive(Default)]
struct Global {
    name: Option<Name>,
    /// `lifted[k]` is J^k of the value.
    lifted: Vec<Value>,
}

pub(crate) enum Frame {
    Call(Call),
    /// `tabulate(n, f)` (or, with `sum`, `⊕` of the values) with the values so far
    Tabulate {
        f: Value,
        n: usize,
        values: Vec<Value>,
        sum: Option<Value>,
        span: Span,
    },
    /// A program called the J-image `f` at `x`: the backpropagators it gets are sealed.
    Lifted(Lifted),
    /// The result of a sealed backpropagator gets its full shape.
    Seal(Seal),
    Quiet,
    /// Waits for what an element of an array without elements would be.
    Probe(probe::Probe),
    /// A function was called in place of its T-image: the result has no tangent.
    Still,
}

pub(crate) struct Call {
    pub code: Rc<Code>,
    pub member: u32,
    body: Rc<Body>,
    pc: usize,
    /// The slot that waits for the result of a call.
    dest: u32,
    base: usize,
    /// Where it was called. A call at the end of a function of the library stands in that function's place.
    pub from: Span,
    /// The function in whose place it stands.
    instead_of: Option<(Rc<Code>, u32)>,
    /// How many times it has called itself in its own place.
    turns: u64,
}

impl Call {
    /// The function that was called at `from`.
    pub fn called(&self) -> &Lambda {
        let (code, member) =
            self.instead_of.as_ref().map_or((&self.code, self.member), |(code, member)| (code, *member));
        code.lambda(member)
    }
}

/// What an application leads to.
pub(crate) enum Flow {
    Value(Value),
    /// A frame was pushed that will deliver the value.
    Entered,
}

/// What runs after an instruction.
enum Next {
    Instruction,
    At(usize),
    /// Whatever frame is on top now.
    Frame,
    /// The value of the whole computation.
    Done(Value),
}

impl Default for Machine {
    fn default() -> Machine {
        Machine::new()
    }
}

impl Machine {
    pub fn new() -> Machine {
        Machine {
            globals: vec![],
            derivatives: vec![None; Prim::ALL.len()],
            forward_rules: vec![None; Prim::ALL.len()],
            etas: FxHashMap::default(),
            output: Box::new(|_| ()),
            quiet: 0,
            skipped_prints: 0,
            frames: vec![],
            probes: vec![],
            slots: vec![],
            calls: 0,
            first_user_file: 0,
            observed: None,
            branches: None,
            watch: None,
            waiting: vec![],
            max_steps: None,
            root: Span::default(),
            limit: u64::MAX,
            loop_depth: usize::MAX,
        }
    }

    /// Makes a global known before it has a value.
    pub fn declare(&mut self, id: GlobalId, name: Name) {
        let index = id.0 as usize;
        if self.globals.len() <= index {
            self.globals.resize_with(index + 1, Global::default);
        }
        self.globals[index].name = Some(name);
    }

    /// Gives a global its value; J-images of an earlier value are forgotten.
    pub fn define(&mut self, id: GlobalId, value: Value) {
        self.globals[id.0 as usize].lifted = vec![value];
    }

    pub fn global(&self, id: GlobalId) -> Option<&Value> {
        self.globals.get(id.0 as usize)?.lifted.first()
    }

    /// Tells how a primitive differentiates: `x⃖ => (y⃖, dy => ({}, dx))`.
    pub fn set_derivative(&mut self, prim: Prim, value: Value) {
        self.derivatives[prim as usize] = Some(value);
    }

    pub fn derivative_of(&self, prim: Prim) -> Option<&Value> {
        self.derivatives[prim as usize].as_ref()
    }

    pub fn has_derivative(&self, prim: Prim) -> bool {
        self.derivatives[prim as usize].is_some()
    }

    /// Tells how a primitive carries tangents: `(x, dx) => (y, dy)`.
    pub fn set_forward_rule(&mut self, prim: Prim, value: Value) {
        if let Value::Function(function) = &value
            && let Function::Closure(closure) = &**function
        {
            let _ = closure.code.forward_of.set(prim);
        }
        self.forward_rules[prim as usize] = Some(value);
    }

    pub fn forward_rule_of(&self, prim: Prim) -> Option<&Value> {
        self.forward_rules[prim as usize].as_ref()
    }

    pub fn has_forward_rule(&self, prim: Prim) -> bool {
        self.forward_rules[prim as usize].is_some()
    }

    /// Remembers that the rule of `f` was used at `x`, or that it was called there, if somebody wants to know.
    pub(crate) fn observe(&mut self, f: &Value, x: &Value, occasion: Occasion) {
        let first_user_file = self.first_user_file;
        let Some(observed) = &mut self.observed else { return };
        if crate::probe::is_active() {
            return;
        }
        // Under J the function and its argument are J-images: what the programmer wrote is beneath.
        let Value::Function(function) = f else { return };
        let order = function_order(function) as i32;
        let Ok(f) = force(&lift::lift(f, -order)) else { return };
        let Some(closure) = source_closure(&f) else { return };
        let of_program = |closure: &Closure| closure.code.lambda(closure.member).span.file.0 >= first_user_file;
        let attached = observed.attached && crate::observe::attached_rule(closure).is_some_and(of_program);
        if attached || of_program(closure) {
            observed.add(closure, f.clone(), lift::lift(x, -order), occasion);
        }
    }

    /// Applies a function to an argument and runs to the end.
    pub fn call(&mut self, f: &Value, x: Value, span: Span) -> base::Result<Value> {
        self.limit = self.max_steps.map_or(u64::MAX, |steps| work::done() + steps);
        self.loop_depth = usize::MAX;
        let outer = work::limit(self.limit);
        let evaluated = base::profile::is_on() && base::profile::evaluates(true);
        let result = self.start(f, x, span);
        if base::profile::is_on() {
            base::profile::evaluates(evaluated);
        }
        work::limit(outer);
        crate::probe::set_active(false);
        self.frames.clear();
        self.probes.clear();
        self.waiting.clear();
        self.slots.clear();
        self.slots.shrink_to(1 << 16);
        self.calls = 0;
        self.quiet = 0;
        result
    }

    fn start(&mut self, f: &Value, x: Value, span: Span) -> base::Result<Value> {
        self.root = span;
        match self.apply(f, x, 0, span) {
            Ok(Flow::Value(value)) => return Ok(value),
            Ok(Flow::Entered) => {}
            Err(fault) => return self.fail(*fault, span),
        }
        let run_frame = match base::profile::is_on() {
            true => Machine::run_frame::<true>,
            false => Machine::run_frame::<false>,
        };
        loop {
            let mut outcome = run_frame(self);
            while let Err((fault, span)) = outcome {
                outcome = match self.failed_in_probe() {
                    None => return self.fail(*fault, span),
                    Some(Flow::Entered) => Ok(None),
                    Some(Flow::Value(value)) => match self.deliver(value) {
                        Ok(Next::Done(value)) => Ok(Some(value)),
                        Ok(_) => Ok(None),
                        Err(fault) => Err((fault, span)),
                    },
                };
            }
            if let Ok(Some(value)) = outcome {
                return Ok(value);
            }
        }
    }

    fn fail(&self, fault: Fault, span: Span) -> base::Result<Value> {
        let mut diagnostic: Diagnostic = fault.at(span);
        trace::add(&mut diagnostic, &self.frames, self.root, self.first_user_file);
        diagnostic.err()
    }

    /// Runs the call on top until another frame is on top. `Some` is the value of the whole computation.
    fn run_frame<const PROFILED: bool>(&mut self) -> std::result::Result<Option<Value>, (Box<Fault>, Span)> {
        let Some(Frame::Call(call)) = self.frames.last() else { unreachable!("machine: a call is on top") };
        let (body, start, base) = (call.body.clone(), call.pc, call.base);
        let mut pc = start;
        loop {
            let Instruction { action, span } = &body.instructions[pc];
            pc += 1;
            let next = match action {
                Action::Bind(dest, op) => self.bind(*dest, op, base, *span),
                Action::Jump(target) => Ok(Next::At(*target)),
                Action::Branch { condition, otherwise } => self.branch(condition, *otherwise, base),
                action => {
                    self.suspend(pc);
                    self.transfer(action, base, *span)
                }
            };
            if PROFILED {
                self.charge(*span);
            }
            match next {
                Ok(Next::Instruction) => {}
                Ok(Next::At(target)) => pc = target,
                Ok(Next::Frame) => {
                    work::add(pc.abs_diff(start) + 1);
                    return self.within_limit(*span);
                }
                Ok(Next::Done(value)) => return Ok(Some(value)),
                Err(fault) => return Err((fault, *span)),
            }
        }
    }

    fn within_limit(&self, span: Span) -> std::result::Result<Option<Value>, (Box<Fault>, Span)> {
        if work::done() > self.limit {
            return Err((Box::new(work::exhausted()), span));
        }
        if base::interrupt::is_requested() {
            return Err((Box::new(interrupted()), span));
        }
        if !memory::has_room_for(0) {
            let fault = Fault::new(codes::OUT_OF_MEMORY, "the computation needs too much memory")
                .help("check that loops and recursion end and don't keep what they no longer need");
            return Err((Box::new(fault), span));
        }
        Ok(None)
    }

    /// Remembers where the call on top goes on.
    fn suspend(&mut self, pc: usize) {
        if let Some(Frame::Call(call)) = self.frames.last_mut() {
            call.pc = pc;
        }
    }

    fn bind(&mut self, dest: u32, op: &Op, base: usize, span: Span) -> Result<Next> {
        let summands = self.summands(op, base);
        let value = self.op(op, base)?;
        self.bound(summands, &value, dest, span)?;
        self.slots[base + dest as usize] = value;
        Ok(Next::Instruction)
    }

    fn branch(&mut self, condition: &Operand, otherwise: usize, base: usize) -> Result<Next> {
        let value = forced(self.read(condition, base)?)?;
        if let (Some(branches), &Value::Bool(truth)) = (&mut self.branches, &value) {
            branches.add(std::ptr::from_ref(condition) as usize, truth);
        }
        match value {
            Value::Bool(truth) if self.way(truth) => Ok(Next::Instruction),
            Value::Bool(_) => Ok(Next::At(otherwise)),
            other => expected(codes::NOT_A_BOOLEAN, "a boolean as condition", &other),
        }
    }

    /// Runs an instruction that may lead to another frame.
    fn transfer(&mut self, action: &Action, base: usize, span: Span) -> Result<Next> {
        match action {
            Action::Prim { dest, prim, args } => {
                let mut values = [Value::Zero, Value::Zero, Value::Zero];
                for (value, operand) in values.iter_mut().zip(args) {
                    *value = self.read(operand, base)?;
                }
                self.wait(*dest);
                let (operation, depth) = (self.primitive(*prim, &values, *dest, span), self.frames.len());
                let flow = prims::apply_to(self, *prim, values, span)?;
                self.arrive(flow, base, *dest, operation, depth)
            }
            Action::Apply { dest, f, x, order } => {
                let (f, x) = (self.read(f, base)?, self.read(x, base)?);
                self.wait(*dest);
                let (operation, depth) = (self.calling(&f, &x, Some(*dest), span), self.frames.len());
                let flow = self.apply(&f, x, *order, span)?;
                self.arrive(flow, base, *dest, operation, depth)
            }
            Action::Pull { dest, b, d, order } => {
                let (b, d) = (self.read(b, base)?, self.read(d, base)?);
                self.wait(*dest);
                let (operation, depth) = (self.calling(&b, &d, Some(*dest), span), self.frames.len());
                let flow = self.pull(&b, d, *order, span)?;
                self.arrive(flow, base, *dest, operation, depth)
            }
            Action::TailApply { f, x, order } => {
                let (f, x) = (self.read(f, base)?, self.read(x, base)?);
                let operation = self.calling(&f, &x, None, span);
                let left = self.leave();
                let depth = self.frames.len();
                let counter = base::progress::is_watched().then(|| counter(&x));
                match self.apply(&f, x, *order, span) {
                    Ok(Flow::Entered) => {
                        if let Some(counter) = counter {
                            self.turn(left.as_ref(), counter);
                        }
                        self.will_come(operation, depth);
                        self.stand_in_for(left, span);
                        Ok(Next::Frame)
                    }
                    Ok(Flow::Value(value)) => {
                        self.there(operation, &value)?;
                        self.deliver(value)
                    }
                    Err(fault) => {
                        // The trace wants to know where it was called.
                        self.frames.extend(left.map(Frame::Call));
                        Err(fault)
                    }
                }
            }
            Action::Functions { dests, code, lifted, captured } => {
                self.functions(dests, code, *lifted, captured, base)?;
                Ok(Next::Instruction)
            }
            Action::Return(operand) => {
                let value = self.read(operand, base)?;
                self.leave();
                if self.frames.len() < self.loop_depth {
                    self.loop_depth = usize::MAX;
                }
                self.deliver(value)
            }
            Action::Bind(..) | Action::Branch { .. } | Action::Jump(_) => unreachable!("machine: within a frame"),
        }
    }

    fn wait(&mut self, slot: u32) {
        if let Some(Frame::Call(call)) = self.frames.last_mut() {
            call.dest = slot;
        }
    }

    /// The value of an operation goes to its slot, now or later.
    fn arrive(
        &mut self,
        flow: Flow,
        base: usize,
        dest: u32,
        operation: Option<Operation>,
        depth: usize,
    ) -> Result<Next> {
        match flow {
            Flow::Entered => {
                self.will_come(operation, depth);
                Ok(Next::Frame)
            }
            Flow::Value(value) => {
                self.there(operation, &value)?;
                self.slots[base + dest as usize] = value;
                Ok(Next::Instruction)
            }
        }
    }

    fn leave(&mut self) -> Option<Call> {
        let Some(Frame::Call(call)) = self.frames.pop() else { return None };
        self.slots.truncate(call.base);
        self.calls -= 1;
        Some(call)
    }

    /// The call on top was the last thing that a call did, at `span`. If that is in the library and the call itself was in the program,
    /// the program is what errors speak of.
    fn stand_in_for(&mut self, left: Option<Call>, span: Span) {
        let in_library = |span: Span| span.file.0 < self.first_user_file;
        if let (Some(Frame::Call(call)), Some(left)) = (self.frames.last_mut(), left)
            && in_library(span)
            && !in_library(left.from)
        {
            call.from = left.from;
            call.instead_of = left.instead_of.or(Some((left.code, left.member)));
        }
    }

    fn read(&mut self, operand: &Operand, base: usize) -> Result<Value> {
        match operand {
            Operand::Const(value) => Ok(value.clone()),
            Operand::Slot(slot) => Ok(self.slots[base + *slot as usize].clone()),
            Operand::Last(slot) => Ok(std::mem::replace(&mut self.slots[base + *slot as usize], Value::Zero)),
            Operand::Root(Root::Global(id), order) => self.lifted_global(*id, *order as usize),
            Operand::Root(Root::Prim(prim), order) => {
                Ok(Value::Function(Rc::new(Function::Prim { prim: *prim, order: *order })))
            }
            Operand::Root(Root::Reverse(prim), order) => self.rule(&self.derivatives, *prim, *order),
            Operand::Root(Root::Forward(prim), order) => self.rule(&self.forward_rules, *prim, *order),
        }
    }

    /// `J^order` of a global, remembered.
    fn lifted_global(&mut self, id: GlobalId, order: usize) -> Result<Value> {
        let global = &mut self.globals[id.0 as usize];
        if global.lifted.is_empty() {
            let name = global.name.map_or("a definition".into(), |name| format!("`{name}`"));
            return Fault::new(codes::READ_BEFORE_DEFINED, format!("{name} is read before its definition has run"))
                .help("top-level `let`s run in order: move the definition up, or make it a function")
                .err();
        }
        while global.lifted.len() <= order {
            let last = &global.lifted[global.lifted.len() - 1];
            global.lifted.push(forced(lift::lift(last, 1))?);
        }
        Ok(global.lifted[order].clone())
    }

    fn read_all(&mut self, operands: &[Operand], base: usize) -> Result<Vec<Value>> {
        operands.iter().map(|operand| self.read(operand, base)).collect()
    }

    fn op(&mut self, op: &Op, base: usize) -> Result<Value> {
        match op {
            Op::Move(a) => self.read(a, base),
            Op::Tuple(operands) => Ok(Value::tuple(self.read_all(operands, base)?)),
            Op::Record(labels, operands) => Ok(Value::record(labels.clone(), self.read_all(operands, base)?)),
            Op::Variant(constructor, operands) => {
                let form = crate::value::Form::Variant(constructor.clone());
                Ok(Value::data(form, self.read_all(operands, base)?))
            }
            Op::Array(operands) => parts::array(self.read_all(operands, base)?),
            Op::Get(a, field) => parts::get(&self.read(a, base)?, field),
            Op::Inject(field, a) => parts::inject(field, self.read(a, base)?),
            Op::With(a, label, b) => parts::with(self.read(a, base)?, *label, self.read(b, base)?),
            Op::Omit(a, label) => parts::omit(&self.read(a, base)?, *label),
            Op::Plus(a, b) => plus(self.read(a, base)?, self.read(b, base)?),
            Op::Tangent { f, d, order } => {
                let (f, d) = (self.read(f, base)?, self.read(d, base)?);
                self.tangent(&f, d, *order)
            }
            Op::Is(a, form) => Ok(Value::Bool(parts::is(&self.read(a, base)?, form)?)),
            Op::Check(a, form) => {
                let value = self.read(a, base)?;
                parts::check(value, form, || self.running())
            }
            Op::Fail(failure, operands) => fail(failure, &self.read_all(operands, base)?),
        }
    }

    /// The name of the function that runs, for messages.
    fn running(&self) -> String {
        let running = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Call(call) => Some(call.code.lambda(call.member).name),
            _ => None,
        });
        running.flatten().map_or("the function".into(), |name| format!("`{name}`"))
    }

    fn functions(
        &mut self,
        dests: &[u32],
        code: &Rc<Code>,
        lifted: u32,
        captured: &[Operand],
        base: usize,
    ) -> Result<()> {
        let env = Rc::new(Env(self.read_all(captured, base)?));
        let mut code = code.clone();
        for _ in 0..lifted {
            code = code.reversed();
        }
        for (member, dest) in dests.iter().enumerate() {
            let closure = Value::closure(code.clone(), member as u32, env.clone());
            self.slots[base + *dest as usize] = closure;
        }
        Ok(())
    }
}

/// The closure that a value is, if its code was written by the programmer.
fn source_closure(value: &Value) -> Option<&Closure> {
    let Value::Function(function) = value else { return None };
    match &**function {
        Function::Closure(closure) if closure.code.group.order == 0 => Some(closure),
        _ => None,
    }
}

/// How often J was applied to a function.
pub(crate) fn function_order(function: &Function) -> u32 {
    match function {
        Function::Prim { order, .. } => *order,
        Function::Sealed { modes, .. } => modes.iter().filter(|mode| **mode == Mode::Reverse).count() as u32,
        Function::Closure(closure) => closure.code.group.order,
    }
}

fn fail<T>(failure: &Failure, values: &[Value]) -> Result<T> {
    match failure {
        Failure::NoMatch => Fault::new(codes::NO_MATCH, format!("no case matches {}", show::described(&values[0])))
            .help("add a case for it, or a last case `_ => …`")
            .err(),
        Failure::Pattern => {
            Fault::new(codes::PATTERN_MISMATCH, format!("the pattern doesn't fit {}", show::described(&values[0])))
                .err()
        }
        Failure::Assertion => {
            let fault = Fault::new(codes::ASSERTION_FAILED, "the assertion doesn't hold");
            match values {
                [left, right] => fault
                    .note(format!("the left side is {}", show::short(left)))
                    .note(format!("the right side is {}", show::short(right)))
                    .err(),
                _ => fault.err(),
            }
        }
    }
}

pub(crate) fn not_a_function<T>(f: &Value, x: &Value) -> Result<T> {
    let fault = Fault::new(codes::NOT_A_FUNCTION, format!("{} is not a function", show::described(f)));
    match (f, x) {
        (Value::Int(_) | Value::Real(_), _) => fault.help("for a product write `*`").err(),
        (Value::Array(_), Value::Int(_)) => fault.help("for an element write `a[i]`").err(),
        _ => fault.err(),
    }
}

/// Check C1.
pub(crate) fn not_lifted<T>(f: &Value) -> Result<T> {
    let shown = show::short(f);
    Fault::new(codes::NOT_LIFTED, format!("{shown} is called in differentiated code, but it is no J-image"))
        .note("a function under J expects functions in its argument to be J-images too")
        .help("write `J(f)(J(x))` where x holds functions; in a rule, its value is then `J_inv` of the first part")
        .err()
}
