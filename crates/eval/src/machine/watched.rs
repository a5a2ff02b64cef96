//! What the machine tells its watch: see [`crate::watch`].

use base::{Name, Span};
use calculus::{Prim, Role};

use super::{Frame, Machine};
use crate::code::{Op, Operand};
use crate::fault::Result;
use crate::probe;
use crate::value::{Function, Value};
use crate::watch::{Operation, Waiting, What};

/// So many calls that stand in each other's place are remembered.
const MOST_IN_PLACE: usize = 8;

impl Machine {
    /// Is the code that runs the program's, and does anybody want to see it?
    fn sees(&self) -> bool {
        let of_program = |frame: &Frame| match frame {
            Frame::Call(call) => call.code.lambda(call.member).span.file.0 >= self.first_user_file,
            _ => false,
        };
        self.watch.is_some() && !probe::is_active() && self.frames.last().is_some_and(of_program)
    }

    fn wants_operands(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.wants_operands())
    }

    fn tell(&mut self, operation: &Operation, value: &Value) -> Result<()> {
        match &mut self.watch {
            Some(watch) => watch.made(operation, value),
            None => Ok(()),
        }
    }

    /// What `⊕` adds; `None` if nobody looks.
    pub(super) fn summands(&mut self, op: &Op, base: usize) -> Option<Vec<Value>> {
        match op {
            Op::Plus(a, b) if self.sees() && self.wants_operands() => {
                Some([a, b].map(|operand| self.peek(operand, base)).to_vec())
            }
            _ => None,
        }
    }

    fn peek(&self, operand: &Operand, base: usize) -> Value {
        match operand {
            Operand::Const(value) => value.clone(),
            Operand::Slot(slot) | Operand::Last(slot) => self.slots[base + *slot as usize].clone(),
            Operand::Root(..) => Value::Zero,
        }
    }

    /// The variable of a slot of the call on top.
    fn variable(&self, slot: u32) -> Option<(Name, Role)> {
        let Some(Frame::Call(call)) = self.frames.last() else { return None };
        let lambda = call.code.lambda(call.member);
        lambda.vars.get(slot as usize).map(|name| (*name, lambda.role))
    }

    /// Data was put together or taken apart, or sensitivities were added.
    pub(super) fn bound(&mut self, summands: Option<Vec<Value>>, value: &Value, dest: u32, span: Span) -> Result<()> {
        if !self.sees() {
            return Ok(());
        }
        let bound = self.variable(dest);
        let operation = match summands {
            Some(operands) => Operation { span, what: What::Prim(Prim::Plus), operands, bound },
            None => Operation { span, what: What::Data, operands: vec![], bound },
        };
        self.tell(&operation, value)
    }

    /// A primitive is about to be applied.
    pub(super) fn primitive(&self, prim: Prim, operands: &[Value], dest: u32, span: Span) -> Option<Operation> {
        let operands = || if self.wants_operands() { operands[..prim.arity()].to_vec() } else { vec![] };
        self.sees().then(|| Operation {
            span,
            what: What::Prim(prim),
            operands: operands(),
            bound: self.variable(dest),
        })
    }

    /// A function is about to be called; its value goes to a slot, unless the call is the last thing that happens.
    pub(super) fn calling(&self, f: &Value, x: &Value, dest: Option<u32>, span: Span) -> Option<Operation> {
        if !self.sees() {
            return None;
        }
        let Value::Function(function) = f else { return None };
        let wants_operands = self.wants_operands();
        let mut operands = if wants_operands { vec![x.clone()] } else { vec![] };
        let what = match &**function {
            Function::Prim { prim, order: 0 } => What::Prim(*prim),
            Function::Prim { .. } => What::Backpropagator,
            Function::Sealed { .. } => What::Function,
            Function::Closure(closure) => {
                let lambda = closure.code.lambda(closure.member);
                let of_library = lambda.span.file.0 < self.first_user_file;
                if wants_operands {
                    operands.extend(closure.env.0.iter().cloned());
                }
                match lambda.name {
                    _ if !of_library => What::Function,
                    Some(name) if closure.code.group.order == 0 => What::Library(name.to_string()),
                    _ => What::Backpropagator,
                }
            }
        };
        Some(Operation { span, what, operands, bound: dest.and_then(|dest| self.variable(dest)) })
    }

    /// The value of an operation is there at once.
    pub(super) fn there(&mut self, operation: Option<Operation>, value: &Value) -> Result<()> {
        match operation {
            Some(operation) => self.tell(&operation, value),
            None => Ok(()),
        }
    }

    /// The value of an operation will come, with so many frames below it.
    pub(super) fn will_come(&mut self, operation: Option<Operation>, depth: usize) {
        let Some(operation) = operation else { return };
        self.waiting.truncate(self.waiting.partition_point(|waiting| waiting.depth <= depth));
        let in_place = self.waiting.iter().rev().take_while(|waiting| waiting.depth == depth).count();
        if in_place >= MOST_IN_PLACE {
            self.waiting.pop();
        }
        self.waiting.push(Waiting { depth, operation });
    }

    /// A value has come to the frame on top.
    pub(super) fn has_come(&mut self, value: &Value) -> Result<()> {
        let depth = self.frames.len();
        while self.waiting.last().is_some_and(|waiting| waiting.depth >= depth) {
            if let Some(Waiting { depth: expected, operation }) = self.waiting.pop()
                && expected == depth
                && !probe::is_active()
            {
                self.tell(&operation, value)?;
            }
        }
        Ok(())
    }

    /// A function begins to run.
    pub(super) fn begins(&mut self, x: &Value) {
        if self.sees()
            && let Some(Frame::Call(call)) = self.frames.last()
            && let Some(watch) = &mut self.watch
        {
            watch.entered(call.code.lambda(call.member), x);
        }
    }
}
