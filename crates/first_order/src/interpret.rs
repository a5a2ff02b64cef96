//! The interpreter of L3: says what a program means, slowly and safely. Passes and the native engine are judged against it.
//!
//! In: a program that [`crate::check()`] accepts, values of the reference evaluator for the entry's parameters. Out: a value, or
//! how the program ended. Statements that were run count as work (`eval::work`), and so do elements of arrays that were copied.
//! Calls nest on a stack of its own; loops take constant memory. A broken invariant of L3 panics.

mod arrays;
mod code;
mod liveness;
mod prepare;
mod scalar;

use std::cell::OnceCell;
use std::rc::Rc;

use base::{Span, codes};
use calculus::Prim;

use crate::convert::{Codes, from_value, to_value};
use crate::term::{Atom, FunctionId, Program, Type};
use crate::value::Value;
use arrays::Table;
use code::{Action, Application, Code, Operand, Simple};

/// How many variables all nested calls together may have.
const MAX_SLOTS: usize = 1 << 28;
/// Memory is measured once in so many jumps and calls.
const MEASURE_EACH: u32 = 1 << 10;

/// Why a program gave no value.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// The program is in error.
    Error { code: base::Code, span: Span },
    /// A value isn't of the shape it was said to have: the program doesn't fit what it is run on.
    Mismatch(String),
}

type Result<T> = std::result::Result<T, Stop>;

/// Runs the entry of a program.
pub fn run(
    program: &Program,
    codes: &dyn Codes,
    args: Vec<eval::Value>,
    output: &mut dyn FnMut(&str),
) -> Result<eval::Value> {
    Interpreter::new(program).run(codes, args, output)
}

/// A program made ready to run, also many times.
pub struct Interpreter<'a> {
    program: &'a Program,
    /// Functions are made ready at their first call.
    functions: Vec<OnceCell<Rc<Code>>>,
    /// Ends the computation after so many instructions, with the code `OUT_OF_STEPS`.
    pub max_steps: Option<u64>,
}

impl<'a> Interpreter<'a> {
    pub fn new(program: &'a Program) -> Interpreter<'a> {
        let functions = program.functions.iter().map(|_| OnceCell::new()).collect();
        Interpreter { program, functions, max_steps: None }
    }

    /// Runs the entry of the program.
    pub fn run(&self, codes: &dyn Codes, args: Vec<eval::Value>, output: &mut dyn FnMut(&str)) -> Result<eval::Value> {
        let Program { shapes, parameters, entry, result, .. } = self.program;
        if args.len() != parameters.len() {
            return Err(Stop::Mismatch(format!("{} arguments for {} parameters", args.len(), parameters.len())));
        }
        let args = args.iter().zip(parameters).map(|(arg, shape)| from_value(shapes, codes, *shape, arg));
        let args = args.collect::<std::result::Result<Vec<_>, _>>()?;
        let mut machine = self.machine(codes, output);
        let value = machine.run(entry.0, args);
        let steps = self.max_steps.unwrap_or(u64::MAX) - machine.steps_left;
        eval::work::add(steps as usize);
        let value = value?;
        Ok(to_value(shapes, codes, *result, &value))
    }

    /// Calls a function that makes no arrays, prints nothing and applies no primitive, on constants. Gives its value, if that is a scalar
    /// and the function neither fails nor takes too many steps, and how many steps were taken.
    pub fn call(&self, function: FunctionId, args: &[Atom]) -> (Option<Atom>, u64) {
        let constant = |atom: &Atom| match atom {
            Atom::Var(_) => None,
            Atom::Unit => Some(Value::Unit),
            Atom::Bool(b) => Some(Value::Bool(*b)),
            Atom::Int(i) => Some(Value::Int(*i)),
            Atom::Real(x) => Some(Value::Real(*x)),
        };
        let Some(args) = args.iter().map(constant).collect::<Option<Vec<_>>>() else { return (None, 0) };
        let mut output = |_: &str| {};
        let no_codes: Vec<Rc<eval::Code>> = vec![];
        let mut machine = self.machine(&no_codes, &mut output);
        let value = match machine.run(function.0, args) {
            Ok(Value::Bool(b)) => Some(Atom::Bool(b)),
            Ok(Value::Int(i)) => Some(Atom::Int(i)),
            Ok(Value::Real(x)) => Some(Atom::Real(x)),
            _ => None,
        };
        (value, self.max_steps.unwrap_or(u64::MAX) - machine.steps_left)
    }

    fn machine<'m>(&'m self, codes: &'m dyn Codes, output: &'m mut dyn FnMut(&str)) -> Machine<'m> {
        Machine {
            interpreter: self,
            codes,
            output,
            slots: vec![],
            frames: vec![],
            tables: vec![],
            quiet: 0,
            steps_left: self.max_steps.unwrap_or(u64::MAX),
            until_measured: MEASURE_EACH,
        }
    }

    fn code(&self, function: u32) -> &Rc<Code> {
        let prepare = || Rc::new(prepare::prepare(&self.program.functions[function as usize]));
        self.functions[function as usize].get_or_init(prepare)
    }
}

struct Machine<'a> {
    interpreter: &'a Interpreter<'a>,
    codes: &'a dyn Codes,
    output: &'a mut dyn FnMut(&str),
    slots: Vec<Value>,
    /// The callers of the function that runs.
    frames: Vec<Frame>,
    tables: Vec<Table>,
    /// Prints are dropped while this is positive.
    quiet: u32,
    steps_left: u64,
    until_measured: u32,
}

struct Frame {
    code: Rc<Code>,
    pc: usize,
    base: usize,
    /// The slot that waits for the result.
    dest: u32,
}

impl Machine<'_> {
    fn run(&mut self, entry: u32, args: Vec<Value>) -> Result<Value> {
        let mut code = self.interpreter.code(entry).clone();
        let (mut base, mut pc) = (0, 0);
        self.enter(&code, base, args);
        loop {
            let instruction = &code.instructions[pc];
            let span = instruction.span;
            pc += 1;
            self.step(span)?;
            match &instruction.action {
                Action::Bind(dest, op) => {
                    let value = self.simple(op, base, span)?;
                    self.slots[base + *dest as usize] = value;
                }
                Action::Jump(target) => {
                    self.measure(span)?;
                    pc = *target;
                }
                Action::Branch { condition, otherwise } => match self.read(condition, base) {
                    Value::Bool(true) => {}
                    Value::Bool(false) => pc = *otherwise,
                    other => unreachable!("interpret: {other:?} is no bool"),
                },
                Action::Switch { on, arms } => {
                    let Value::Sum(tag, content) = self.read(on, base) else { unreachable!("interpret: no sum") };
                    let (slot, target) = arms[tag as usize];
                    self.slots[base + slot as usize] = Rc::unwrap_or_clone(content);
                    pc = target;
                }
                Action::Assign(pairs) => {
                    let values: Vec<Value> = pairs.iter().map(|(_, value)| self.read(value, base)).collect();
                    for ((slot, _), value) in pairs.iter().zip(values) {
                        self.slots[base + *slot as usize] = value;
                    }
                }
                Action::Forget(slots) => {
                    slots.iter().for_each(|slot| self.slots[base + *slot as usize] = Value::Unit);
                }
                Action::Table { dest, n, index, kind, exit } => {
                    let n = int(&self.read(n, base));
                    if n <= 0 {
                        self.slots[base + *dest as usize] = at(span, arrays::of_values(*kind, vec![]))?;
                        pc = *exit;
                    } else {
                        self.tables.push(at(span, Table::new(n, *kind))?);
                        self.slots[base + *index as usize] = Value::Int(0);
                    }
                }
                Action::Row { dest, value, index, kind, body } => {
                    let value = self.read(value, base);
                    let table = self.tables.last_mut().expect("interpret: a table is open");
                    table.push(value);
                    if table.next < table.n {
                        self.slots[base + *index as usize] = Value::Int(table.next);
                        pc = *body;
                        self.measure(span)?;
                    } else {
                        let table = self.tables.pop().expect("interpret: a table is open");
                        self.slots[base + *dest as usize] = at(span, table.finish(*kind))?;
                    }
                }
                Action::Call { dest, function, args } => {
                    self.measure(span)?;
                    let args = self.read_all(args, base);
                    let callee = self.interpreter.code(*function).clone();
                    let caller = Frame { dest: *dest, pc, base, code: std::mem::replace(&mut code, callee) };
                    base += caller.code.slots;
                    self.frames.push(caller);
                    if self.frames.len() >= eval::MAX_CALLS || base + code.slots > MAX_SLOTS {
                        return Err(Stop::Error { code: codes::RECURSION_TOO_DEEP, span });
                    }
                    self.enter(&code, base, args);
                    pc = 0;
                }
                Action::TailCall { function, args } => {
                    self.measure(span)?;
                    let args = self.read_all(args, base);
                    code = self.interpreter.code(*function).clone();
                    self.slots.truncate(base);
                    self.enter(&code, base, args);
                    pc = 0;
                }
                Action::Return(value) => {
                    let value = self.read(value, base);
                    self.slots.truncate(base);
                    let Some(caller) = self.frames.pop() else { return Ok(value) };
                    self.slots[caller.base + caller.dest as usize] = value;
                    Frame { code, pc, base, .. } = caller;
                }
            }
        }
    }

    fn enter(&mut self, code: &Code, base: usize, args: Vec<Value>) {
        self.slots.resize(base + code.slots, Value::Unit);
        for (slot, arg) in code.params.iter().zip(args) {
            self.slots[base + *slot as usize] = arg;
        }
    }

    fn step(&mut self, span: Span) -> Result<()> {
        self.steps_left = match self.steps_left.checked_sub(1) {
            Some(left) => left,
            None => return Err(Stop::Error { code: codes::OUT_OF_STEPS, span }),
        };
        Ok(())
    }

    fn measure(&mut self, span: Span) -> Result<()> {
        self.until_measured -= 1;
        if self.until_measured > 0 {
            return Ok(());
        }
        self.until_measured = MEASURE_EACH;
        if base::interrupt::is_requested() {
            return Err(Stop::Error { code: codes::OUT_OF_STEPS, span });
        }
        if eval::memory::has_room_for(0) { Ok(()) } else { Err(Stop::Error { code: codes::OUT_OF_MEMORY, span }) }
    }

    fn read(&mut self, operand: &Operand, base: usize) -> Value {
        match operand {
            Operand::Const(value) => value.clone(),
            Operand::Slot(slot) => self.slots[base + *slot as usize].clone(),
            Operand::Last(slot) => std::mem::replace(&mut self.slots[base + *slot as usize], Value::Unit),
        }
    }

    fn read_all(&mut self, operands: &[Operand], base: usize) -> Vec<Value> {
        operands.iter().map(|operand| self.read(operand, base)).collect()
    }

    fn simple(&mut self, op: &Simple, base: usize, span: Span) -> Result<Value> {
        Ok(match op {
            Simple::Move(value) => self.read(value, base),
            Simple::Text(text) => Value::Text(text.clone()),
            Simple::Scalar(op, args) => {
                let mut values = [const { Value::Unit }; 3];
                for (value, arg) in values.iter_mut().zip(args) {
                    *value = self.read(arg, base);
                }
                at(span, scalar::apply(*op, &values[..args.len()]))?
            }
            Simple::Struct(fields) => Value::fields(self.read_all(fields, base)),
            Simple::Field(of, i) => match self.read(of, base) {
                Value::Struct(fields) => fields[*i as usize].clone(),
                other => unreachable!("interpret: field {i} of {other:?}"),
            },
            Simple::Inject(tag, content) => Value::sum(*tag, self.read(content, base)),
            Simple::Box(content) => Value::named(self.read(content, base)),
            Simple::Unbox(of) => match self.read(of, base) {
                Value::Named(node) => node.content().clone(),
                other => unreachable!("interpret: {other:?} is not named"),
            },
            Simple::Array(kind, elements) => at(span, arrays::of_values(*kind, self.read_all(elements, base)))?,
            Simple::Len(of) => Value::Int(array(self.read(of, base)).shape[0] as i64),
            Simple::Axis(of, axis) => Value::Int(array(self.read(of, base)).shape[*axis as usize] as i64),
            Simple::Flat(of) => {
                let of = array(self.read(of, base));
                let size = of.shape.iter().product();
                arrays::reshaped(of, vec![size])
            }
            Simple::Dense(rank, of) => match self.read(of, base) {
                Value::Handle(sensitivity) => at(span, arrays::dense(sensitivity))?
                    .with_rank(*rank)
                    .ok_or_else(|| Stop::Mismatch(format!("a sensitivity hasn't {rank} axes")))?,
                other => unreachable!("interpret: {other:?} is no handle"),
            },
            Simple::Collected(of) => arrays::collected(array(self.read(of, base))),
            Simple::Shaped(of, lengths) => {
                let of = array(self.read(of, base));
                arrays::reshaped(of, arrays::lengths(&self.read_all(lengths, base)))
            }
            Simple::Element(of, indices) => {
                let of = array(self.read(of, base));
                at(span, arrays::element(&of, &self.read_all(indices, base)))?
            }
            Simple::Replace(of, indices, new) => {
                let of = array(self.read(of, base));
                let indices = self.read_all(indices, base);
                at(span, arrays::replace(of, &indices, self.read(new, base)))?
            }
            Simple::Append(of, element) => {
                let of = array(self.read(of, base));
                at(span, arrays::append(of, self.read(element, base)))?
            }
            Simple::Prim(application) => self.primitive(application, base, span)?,
            Simple::Quiet(true) => {
                self.quiet += 1;
                Value::Unit
            }
            Simple::Quiet(false) => {
                self.quiet = self.quiet.checked_sub(1).expect("interpret: `quiet` ends where it began");
                Value::Unit
            }
            Simple::Require(condition, code) => match self.read(condition, base) {
                Value::Bool(true) => Value::Unit,
                _ => return Err(Stop::Error { code: *code, span }),
            },
            Simple::Fail(code) => return Err(Stop::Error { code: *code, span }),
        })
    }

    fn primitive(&mut self, application: &Application, base: usize, span: Span) -> Result<Value> {
        let Application { prim, args, shapes, result } = application;
        let table = &self.interpreter.program.shapes;
        let mut values = [const { eval::Value::Zero }; 3];
        for ((value, arg), shape) in values.iter_mut().zip(args).zip(shapes) {
            let arg = self.read(arg, base);
            // Every read of an element in a gradient asks for this: the elements aren't looked at.
            if let (Prim::Frame, Value::Array(array)) = (*prim, &arg) {
                let lengths = || array.shape.iter().map(|n| Value::Int(*n as i64)).collect();
                return Ok(match table.type_of(*result) {
                    Type::Handle => Value::Handle(eval::prims::frame_of(array.shape.clone())),
                    _ => Value::fields(lengths()),
                });
            }
            *value = to_value(table, self.codes, *shape, &arg);
        }
        let failed = |fault: Box<eval::Fault>| Stop::Error { code: fault.code, span };
        let value = if *prim == Prim::Print {
            eval::prims::settle(&values[0]).map_err(failed)?;
            if self.quiet == 0 {
                let line = eval::show::printed(&values[0]).map_err(failed)?;
                (self.output)(&line);
            }
            eval::Value::unit()
        } else {
            eval::prims::compute_values(*prim, values).map_err(failed)?
        };
        Ok(from_value(table, self.codes, *result, &value)?)
    }
}

fn at<T>(span: Span, result: std::result::Result<T, base::Code>) -> Result<T> {
    result.map_err(|code| Stop::Error { code, span })
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Int(i) => *i,
        other => unreachable!("interpret: {other:?} is no int"),
    }
}

fn array(value: Value) -> Rc<crate::value::Array> {
    match value {
        Value::Array(array) => array,
        other => unreachable!("interpret: {other:?} is no array"),
    }
}
