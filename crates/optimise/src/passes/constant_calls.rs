//! Constant folding of calls: calls of functions on constants give way to their values: derivatives call small recursions on the order of the derivative, and
//! what nobody needs of them couldn't be dropped otherwise, since a recursion may not end.
//!
//! Only functions of scalars are called, by the interpreter of L3, and only for a while; a call that fails or takes longer stays.

use first_order::{Atom, FunctionId, Interpreter, Op, Program, Scalar};
use rustc_hash::FxHashMap;

use crate::analyses::call_graph::Calls;
use crate::rewriting::walk::{each_op, each_op_mut};

/// How many steps one call may take …
const EACH: u64 = 2_000;
/// … and all calls of a program together.
const ALL: u64 = 50_000;

pub fn run(program: &mut Program) {
    let sites = constant_calls(program);
    if sites.is_empty() {
        return;
    }
    let simple = simple(program);
    let mut interpreter = Interpreter::new(program);
    interpreter.max_steps = Some(EACH);
    let mut left = ALL;
    let mut values: FxHashMap<Site, Atom> = FxHashMap::default();
    for site in sites {
        if !simple[site.callee.0 as usize] || left < EACH || values.contains_key(&site) {
            continue;
        }
        let (value, steps) = interpreter.call(site.callee, &site.args());
        left -= steps.min(left);
        // The bits of NaN are the processor's business.
        if let Some(value) = value.filter(|value| !matches!(value, Atom::Real(x) if x.is_nan())) {
            values.insert(site, value);
        }
    }
    for function in &mut program.functions {
        each_op_mut(&mut function.body, &mut |_, op| {
            if let Some(value) = Site::of(op).and_then(|site| values.get(&site)) {
                *op = Op::Atom(value.clone());
            }
        });
    }
}

/// A call on constants.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Site {
    callee: FunctionId,
    args: Vec<Constant>,
}

/// A scalar, to the bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Constant {
    Unit,
    Bool(bool),
    Int(i64),
    Real(u64),
}

impl Site {
    fn of(op: &Op) -> Option<Site> {
        let Op::Call(callee, args) = op else { return None };
        let constant = |atom: &Atom| match atom {
            Atom::Var(_) => None,
            Atom::Unit => Some(Constant::Unit),
            Atom::Bool(b) => Some(Constant::Bool(*b)),
            Atom::Int(i) => Some(Constant::Int(*i)),
            Atom::Real(x) => Some(Constant::Real(x.to_bits())),
        };
        Some(Site { callee: *callee, args: args.iter().map(constant).collect::<Option<_>>()? })
    }

    fn args(&self) -> Vec<Atom> {
        let atom = |constant: &Constant| match constant {
            Constant::Unit => Atom::Unit,
            Constant::Bool(b) => Atom::Bool(*b),
            Constant::Int(i) => Atom::Int(*i),
            Constant::Real(bits) => Atom::Real(f64::from_bits(*bits)),
        };
        self.args.iter().map(atom).collect()
    }
}

fn constant_calls(program: &Program) -> Vec<Site> {
    let mut sites = vec![];
    for function in &program.functions {
        each_op(&function.body, &mut |_, op| sites.extend(Site::of(op)));
    }
    sites
}

/// Of each function, whether it and all it calls are made of nothing but scalars, data and control.
fn simple(program: &Program) -> Vec<bool> {
    let calls = Calls::of(program);
    let mut simple = vec![false; program.functions.len()];
    for group in &calls.groups {
        let callee_is = |id: &FunctionId| group.contains(id) || simple[id.0 as usize];
        let all = group.iter().all(|id| {
            let mut own = calls.callees[id.0 as usize].iter().all(callee_is);
            each_op(&program.functions[id.0 as usize].body, &mut |_, op| own &= is_simple(op));
            own
        });
        group.iter().for_each(|id| simple[id.0 as usize] = all);
    }
    simple
}

fn is_simple(op: &Op) -> bool {
    match op {
        // The derivatives of powers take as long as their order is high.
        Op::Scalar(scalar, _) => !matches!(scalar, Scalar::PowerSlope | Scalar::PowerLog),
        Op::Atom(_)
        | Op::Struct(_)
        | Op::Field(..)
        | Op::Inject(..)
        | Op::Switch(..)
        | Op::If(..)
        | Op::Box(_)
        | Op::Unbox(_)
        | Op::View(_)
        | Op::Call(..)
        | Op::Loop { .. }
        | Op::Require(..)
        | Op::Fail(_) => true,
        Op::Text(_)
        | Op::Tabulate { .. }
        | Op::Sum { .. }
        | Op::Array(_)
        | Op::Len(_)
        | Op::Axis(..)
        | Op::Flat(_)
        | Op::Dense(_)
        | Op::Collected(_)
        | Op::Shaped(..)
        | Op::Element(..)
        | Op::Replace(..)
        | Op::Append(..)
        | Op::Prim { .. }
        | Op::Quiet(_) => false,
    }
}
