//! Which types of an L3 program are made on the heap, and where.

use base::Span;
use first_order::{Block, Function, Op, Program, Statement, Type};

pub struct Allocation {
    pub what: Type,
    /// The places in the source that make it, each once.
    pub places: Vec<Span>,
}

/// Named types first, then arrays, then what primitives make; each in the order of the program.
pub fn allocations(program: &Program) -> Vec<Allocation> {
    let mut found: Vec<Allocation> = vec![];
    for function in &program.functions {
        each_statement(&function.body, &mut |statement| {
            if let Some(what) = made(function, statement) {
                note(&mut found, what, function, statement.span);
            }
        });
    }
    found.sort_by_key(|allocation| match allocation.what {
        Type::Named(_) => 0,
        Type::Array(..) => 1,
        _ => 2,
    });
    found
}

fn note(found: &mut Vec<Allocation>, what: &Type, function: &Function, span: Span) {
    let at = found.iter().position(|allocation| allocation.what == *what).unwrap_or_else(|| {
        found.push(Allocation { what: what.clone(), places: vec![] });
        found.len() - 1
    });
    let place = if span == Span::default() { function.span } else { span };
    if place != Span::default() && !found[at].places.contains(&place) {
        found[at].places.push(place);
    }
}

/// The type of the object that a statement makes, if it makes one.
fn made<'a>(function: &'a Function, statement: &Statement) -> Option<&'a Type> {
    let ty = &function.vars[statement.var.0 as usize];
    let makes = match &statement.op {
        Op::Box(_) | Op::Tabulate { .. } | Op::Array(_) | Op::Replace(..) | Op::Append(..) | Op::Text(_) => true,
        Op::Prim { .. } => matches!(ty, Type::Array(..) | Type::Handle | Type::Text),
        // A row is an array of its own.
        Op::Element(..) => matches!(ty, Type::Array(..)),
        Op::Atom(_) | Op::Scalar(..) | Op::Struct(_) | Op::Field(..) | Op::Inject(..) | Op::Switch(..) => false,
        Op::If(..) | Op::Unbox(_) | Op::View(_) | Op::Call(..) | Op::Loop { .. } | Op::Len(_) => false,
        Op::Quiet(_) | Op::Sum { .. } | Op::Require(..) | Op::Fail(_) => false,
    };
    makes.then_some(ty)
}

fn each_statement(block: &Block, see: &mut dyn FnMut(&Statement)) {
    for statement in &block.statements {
        see(statement);
        match &statement.op {
            Op::If(_, then, otherwise) => {
                each_statement(then, see);
                each_statement(otherwise, see);
            }
            Op::Switch(_, arms) => arms.iter().for_each(|(_, arm)| each_statement(arm, see)),
            Op::Loop { body, .. } | Op::Tabulate { body, .. } | Op::Sum { body, .. } => each_statement(body, see),
            _ => {}
        }
    }
}
