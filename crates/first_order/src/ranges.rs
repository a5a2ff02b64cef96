//! What surely succeeds in a function: readings whose indices are in range, operations on ints that stay within the ints, loops that end.
//!
//! Ints are followed as sums (`linear`): `i + p` is the sum of i and p, the length of an array that was tabulated is the number that it was tabulated
//! over. Facts are sums that aren't negative: an index isn't, and is less than its number; what was compared, required or read
//! successfully says more. An index is in range if it and what is left behind it follow from facts.
//!
//! In: a function. Out: [`Sure`]. Where a statement stands matters: it may succeed because of the comparison around it.

mod linear;

use calculus::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::deep;
use crate::term::{Atom, Block, End, Function, Op, Scalar, Type, Var};

use linear::{Facts, Linear};

/// No array has more elements on an axis.
const MOST_ELEMENTS: i128 = 1 << 60;
/// Places that are looked at to find out which array another one has the lengths of.
const MOST_STEPS: u32 = 200;
/// Facts that a `tabulate` leaves behind.
const MOST_PENDING: usize = 32;
/// Facts about a variable that are looked at for ints near it.
const MOST_NEAR: usize = 8;

/// The statements that surely succeed, by the variables that they bind.
#[derive(Default)]
pub struct Sure {
    /// Readings and replacements of elements, operations on ints.
    pub succeed: FxHashSet<Var>,
    /// Of readings and replacements, the axes on which the index is in range.
    pub inside: FxHashSet<(Var, u32)>,
    /// Loops.
    pub end: FxHashSet<Var>,
}

pub fn sure(function: &Function) -> Sure {
    let mut walk = Walk {
        vars: &function.vars,
        made: FxHashMap::default(),
        carried: FxHashMap::default(),
        sure: Sure::default(),
        values: FxHashMap::default(),
        facts: Facts::default(),
        lengths: FxHashMap::default(),
        maxima: FxHashMap::default(),
        products: FxHashMap::default(),
        conditions: FxHashMap::default(),
        depths: FxHashMap::default(),
        loops: vec![],
        next: function.vars.len() as u32,
        pending: vec![],
        order: FxHashMap::default(),
        met: 0,
    };
    function.params.iter().for_each(|param| walk.meet(*param));
    walk.survey(&function.body);
    walk.depths.extend(function.params.iter().map(|param| (*param, 0)));
    walk.block(&function.body);
    walk.sure
}

/// A part of a variable: the fields on the way to it.
type Part = (Var, Vec<u32>);

#[derive(Clone)]
enum Condition {
    Compared(Scalar, Linear, Linear),
    Not(Var),
    /// `if .0 { .1 } else { .2 }`
    Choice(Var, Atom, Atom),
}

/// A fact that holds if a `tabulate` has elements: then what each of them needed was so.
#[derive(Clone)]
struct Pending {
    conditions: Vec<Linear>,
    fact: Linear,
}

/// A loop that is open.
struct Open {
    params: Vec<Var>,
    /// Which parameters count towards something that stays, wherever the loop goes on.
    counting: Vec<bool>,
}

struct Walk<'a> {
    vars: &'a [Type],
    made: FxHashMap<Var, &'a Op>,
    /// Parameters of loops.
    carried: FxHashMap<Var, (&'a Op, usize)>,
    sure: Sure,
    /// Ints that are sums of others.
    values: FxHashMap<Var, Linear>,
    facts: Facts,
    pending: Vec<Pending>,
    lengths: FxHashMap<(Part, u32), Linear>,
    /// Variables that are the larger of a sum and 0.
    maxima: FxHashMap<Var, Linear>,
    products: FxHashMap<(Linear, Linear), Var>,
    conditions: FxHashMap<Var, Condition>,
    /// In how many loops a variable is bound.
    depths: FxHashMap<Var, usize>,
    loops: Vec<Open>,
    /// The next variable that stands for a length.
    next: u32,
    /// When each variable was met.
    order: FxHashMap<Var, u32>,
    met: u32,
}

impl<'a> Walk<'a> {
    fn survey(&mut self, block: &'a Block) {
        for statement in &block.statements {
            self.made.insert(statement.var, &statement.op);
            if let Op::Loop { params, .. } = &statement.op {
                for (at, (param, _)) in params.iter().enumerate() {
                    self.carried.insert(*param, (&statement.op, at));
                }
            }
            deep(|| statement.op.blocks(&mut |_, block| self.survey(block)));
        }
    }

    fn meet(&mut self, var: Var) {
        self.order.insert(var, self.met);
        self.met += 1;
    }

    fn block(&mut self, block: &'a Block) {
        let (mark, pending) = (self.facts.mark(), self.pending.len());
        self.statements(block);
        self.facts.forget(mark);
        self.pending.truncate(pending);
    }

    fn statements(&mut self, block: &'a Block) {
        for statement in &block.statements {
            self.meet(statement.var);
            match &statement.op {
                Op::If(..) | Op::Switch(..) | Op::Loop { .. } | Op::Tabulate { .. } | Op::Sum { .. } => {
                    self.inside(statement.var, &statement.op);
                }
                op => self.statement(statement.var, op),
            }
            self.depths.insert(statement.var, self.loops.len());
        }
        if let End::Again(atoms) = &block.end {
            self.again(atoms);
        }
    }

    fn value(&self, atom: &Atom) -> Option<Linear> {
        match atom {
            Atom::Int(n) => Some(Linear::constant(i128::from(*n))),
            Atom::Var(var) if self.vars[var.0 as usize] == Type::Int => {
                Some(self.values.get(var).cloned().unwrap_or_else(|| Linear::var(*var)))
            }
            _ => None,
        }
    }

    /// A variable for a length of an array.
    fn fresh(&mut self, of: Var) -> Var {
        self.next += 1;
        let var = Var(self.next - 1);
        let met = self.order.get(&of).copied().unwrap_or(self.met);
        self.order.insert(var, met);
        var
    }

    /// A sum isn't negative: whatever follows from that.
    fn learn(&mut self, fact: Linear) {
        // What is less than the larger of n and 0, and not negative, is less than n.
        for at in 0..fact.terms.len() {
            let (var, by) = fact.terms[at];
            if by != 1 {
                continue;
            }
            let (Some(n), Some(rest)) = (self.maxima.get(&var), fact.plus(&Linear::var(var), -1)) else { continue };
            let is_below = Linear::constant(-1).plus(&rest, -1).is_some_and(|index| self.facts.prove(&index));
            if is_below && let Some(more) = rest.plus(n, 1) {
                self.facts.add(more);
            }
        }
        self.facts.add(fact);
    }

    fn is_at_least(&self, a: &Linear, b: &Linear, by: i128) -> bool {
        a.plus(b, -1).is_some_and(|difference| self.facts.prove(&difference.plus_constant(-by)))
    }

    fn learn_at_least(&mut self, a: &Linear, b: &Linear, by: i128) {
        if let Some(difference) = a.plus(b, -1) {
            self.learn(difference.plus_constant(-by));
        }
    }

    fn statement(&mut self, var: Var, op: &'a Op) {
        match op {
            Op::Len(array) => self.is_length(var, array, 0),
            Op::Axis(array, axis) => self.is_length(var, array, *axis),
            Op::Atom(_) | Op::Field(..) if self.vars[var.0 as usize] == Type::Int => self.is_part(var),
            Op::Atom(Atom::Var(other)) => {
                if let Some(condition) = self.conditions.get(other) {
                    self.conditions.insert(var, condition.clone());
                }
            }
            Op::Scalar(scalar, args) => self.scalar(var, *scalar, args),
            Op::Require(condition, _) => self.decided(condition, true),
            Op::Element(array, indices) | Op::Replace(array, indices, _) => {
                self.indexed(var, array, indices);
                if let Op::Replace(..) = op
                    && !matches!(&self.vars[var.0 as usize], Type::Array(_, rank) if *rank as usize == indices.len())
                {
                    self.sure.succeed.remove(&var);
                }
            }
            _ => {}
        }
    }

    fn is_length(&mut self, var: Var, array: &Atom, axis: u32) {
        if let Atom::Var(array) = array {
            let length = self.length(*array, axis);
            self.values.insert(var, length);
        }
    }

    /// A number out of a struct that was put together in sight, or a length out of a frame.
    fn is_part(&mut self, var: Var) {
        if let Some(Op::Field(Atom::Var(frame), axis)) = self.made.get(&var)
            && let (whole, path) = self.origin(*frame, &[])
            && path.is_empty()
            && let Some(Op::Prim { prim: Prim::Frame, args, .. }) = self.made.get(&whole)
        {
            return self.is_length(var, &args[0], *axis);
        }
        let (of, path) = self.origin(var, &[]);
        if of != var && path.is_empty() {
            let value = self.value(&Atom::Var(of)).unwrap_or_else(|| Linear::var(of));
            self.values.insert(var, value);
        }
    }

    fn scalar(&mut self, var: Var, scalar: Scalar, args: &[Atom]) {
        if scalar == Scalar::Not {
            if let Atom::Var(other) = &args[0] {
                self.conditions.insert(var, Condition::Not(*other));
            }
            return;
        }
        let Some(a) = self.value(&args[0]) else { return };
        let b = args.get(1).and_then(|b| self.value(b));
        let own = Linear::var(var);
        match (scalar, b) {
            (Scalar::Length, _) => {
                self.facts.add_always(a.clone());
                self.values.insert(var, a);
            }
            (Scalar::IntAdd, Some(b)) => self.is_sum(var, &a, &b, 1),
            (Scalar::IntSub, Some(b)) => self.is_sum(var, &a, &b, -1),
            (Scalar::IntMul, Some(b)) => self.is_product(var, a, b),
            (Scalar::IntMaximum, Some(b)) => {
                if self.is_at_least(&a, &b, 0) {
                    self.values.insert(var, a);
                } else if self.is_at_least(&b, &a, 0) {
                    self.values.insert(var, b);
                } else {
                    if b == Linear::default() {
                        self.maxima.insert(var, a.clone());
                    }
                    self.learn_at_least(&own, &a, 0);
                    self.learn_at_least(&own, &b, 0);
                }
            }
            (Scalar::IntMinimum, Some(b)) => {
                let natural = self.facts.prove(&a) && self.facts.prove(&b);
                self.learn_at_least(&a, &own, 0);
                self.learn_at_least(&b, &own, 0);
                if natural {
                    self.learn(own);
                }
            }
            (Scalar::IntMod, Some(b)) if self.facts.prove(&b.plus_constant(-1)) => {
                self.learn(own.clone());
                self.learn_at_least(&b, &own, 1);
                self.sure.succeed.insert(var);
            }
            (Scalar::IntDiv, Some(Linear { constant: by @ 1.., terms })) if terms.is_empty() => {
                let times = own.plus(&own, by - 1);
                if let Some(times) = times {
                    self.learn_at_least(&a, &times, 0);
                    self.learn_at_least(&times, &a, 1 - by);
                }
                self.sure.succeed.insert(var);
            }
            (scalar, Some(b)) if is_comparison(scalar) => {
                self.conditions.insert(var, Condition::Compared(scalar, a, b));
            }
            _ => {}
        }
    }

    fn is_sum(&mut self, var: Var, a: &Linear, b: &Linear, sign: i128) {
        let Some(sum) = a.plus(b, sign) else { return };
        let step = if b.terms.is_empty() { b.constant * sign } else { 0 };
        // One more than an int is no less than any int.
        if (step > 0 || self.is_above_an_int(&sum)) && (step < 0 || self.is_below_an_int(&sum)) {
            self.sure.succeed.insert(var);
        }
        self.values.insert(var, sum);
    }

    fn is_below_an_int(&self, sum: &Linear) -> bool {
        let room = Linear::constant(4 * MOST_ELEMENTS);
        self.is_at_least(&room, sum, 0) || self.near(sum, 1).any(|int| self.is_at_least(&int, sum, 0))
    }

    fn is_above_an_int(&self, sum: &Linear) -> bool {
        let room = Linear::constant(-4 * MOST_ELEMENTS);
        self.is_at_least(sum, &room, 0) || self.near(sum, -1).any(|int| self.is_at_least(sum, &int, 0))
    }

    /// Variables that a term of a sum is less than (1), or that are less than it (-1).
    fn near(&self, sum: &Linear, side: i128) -> impl Iterator<Item = Linear> {
        let facts = sum.terms.iter().flat_map(move |(var, by)| {
            let helps = move |fact: &&Linear| fact.factor(*var) * side * by.signum() < 0;
            self.facts.about(*var).filter(helps).take(MOST_NEAR)
        });
        facts.flat_map(move |fact| {
            fact.terms.iter().filter(move |(_, by)| *by == side).map(|(var, _)| Linear::var(*var))
        })
    }

    /// Is it far from the largest int and the smallest?
    fn fits(&self, sum: &Linear) -> bool {
        self.is_above_an_int(sum) && self.is_below_an_int(sum)
    }

    fn is_product(&mut self, var: Var, a: Linear, b: Linear) {
        let product = match (&a.terms[..], &b.terms[..]) {
            ([], _) => Linear::default().plus(&b, a.constant),
            (_, []) => Linear::default().plus(&a, b.constant),
            _ => None,
        };
        if let Some(product) = product {
            if self.fits(&product) {
                self.sure.succeed.insert(var);
            }
            self.values.insert(var, product);
            return;
        }
        if self.facts.prove(&a) && self.facts.prove(&b) {
            self.learn(Linear::var(var));
        }
        let key = if (a.constant, &a.terms) <= (b.constant, &b.terms) { (a, b) } else { (b, a) };
        if let Some(same) = self.products.get(&key) {
            let same = Linear::var(*same);
            let own = Linear::var(var);
            self.learn_at_least(&own, &same, 0);
            self.learn_at_least(&same, &own, 0);
        } else {
            self.products.insert(key, var);
        }
    }

    fn indexed(&mut self, var: Var, array: &Atom, indices: &[Atom]) {
        let Atom::Var(array) = array else { return };
        let mut all = true;
        let mut learnt = vec![];
        for (axis, index) in (0..).zip(indices) {
            let Some(index) = self.value(index) else { return };
            let length = self.length(*array, axis);
            if self.facts.prove(&index) && self.is_at_least(&length, &index, 1) {
                self.sure.inside.insert((var, axis));
            } else {
                all = false;
                learnt.push((index, length));
            }
        }
        if all {
            self.sure.succeed.insert(var);
        }
        // From here on it was.
        for (index, length) in learnt {
            self.learn(index.clone());
            self.learn_at_least(&length, &index, 1);
        }
    }

    /// The length of an array, or of a sensitivity that is collected as one.
    fn length(&mut self, array: Var, axis: u32) -> Linear {
        let part = self.origin(array, &[]);
        let key = (part, axis);
        if let Some(known) = self.lengths.get(&key) {
            return known.clone();
        }
        let ((of, path), axis) = key.clone();
        let made = if path.is_empty() { self.made.get(&of).copied() } else { None };
        let found = match made {
            Some(Op::Tabulate { n, .. }) if axis == 0 => self.value(n).map(|n| self.larger_than_zero(of, n)),
            Some(Op::Array(elements)) if axis == 0 => Some(Linear::constant(elements.len() as i128)),
            Some(Op::Shaped(_, lengths)) => self.value(&lengths[axis as usize]),
            Some(Op::Append(Atom::Var(shorter), _)) => Some(self.length(*shorter, 0).plus_constant(1)),
            Some(Op::Element(Atom::Var(whole), indices)) => Some(self.length(*whole, axis + indices.len() as u32)),
            // A sensitivity has as many parts as its array has elements.
            Some(Op::Prim { prim: Prim::Spread, args, .. }) if axis == 0 => self.value(&args[0]),
            _ => None,
        };
        let found = found.unwrap_or_else(|| {
            let length = self.fresh(of);
            self.natural(length);
            Linear::var(length)
        });
        self.lengths.insert(key, found.clone());
        found
    }

    fn natural(&mut self, var: Var) {
        self.facts.add_always(Linear::var(var));
        let most = Linear::constant(MOST_ELEMENTS).plus(&Linear::var(var), -1);
        self.facts.add_always(most.expect("ranges: a simple sum"));
    }

    fn larger_than_zero(&mut self, of: Var, n: Linear) -> Linear {
        if n.terms.is_empty() {
            return Linear::constant(n.constant.max(0));
        }
        let larger = self.fresh(of);
        self.natural(larger);
        if let Some(difference) = Linear::var(larger).plus(&n, -1) {
            self.facts.add_always(difference);
        }
        self.maxima.insert(larger, n);
        Linear::var(larger)
    }

    /// What a part of a variable is, or has the lengths of: where it was made.
    fn origin(&self, var: Var, path: &[u32]) -> Part {
        self.trace(var, path, &mut vec![], &mut MOST_STEPS.clone())
    }

    fn trace(&self, var: Var, path: &[u32], assumed: &mut Vec<(Part, Part)>, steps: &mut u32) -> Part {
        let own = (var, path.to_vec());
        if let Some((_, origin)) = assumed.iter().find(|(part, _)| *part == own) {
            return origin.clone();
        }
        if *steps == 0 {
            return own;
        }
        *steps -= 1;
        base::budget::spend(1);
        let go_on =
            |this: &Self, atom: &Atom, path: &[u32], assumed: &mut Vec<(Part, Part)>, steps: &mut u32| match atom {
                Atom::Var(var) => deep(|| this.trace(*var, path, assumed, steps)),
                _ => own.clone(),
            };
        if let Some((Op::Loop { params, body }, at)) = self.carried.get(&var) {
            let first = go_on(self, &params[*at].1, path, assumed, steps);
            if first == own {
                return own;
            }
            let mut next = vec![];
            each_end(body, &mut |end| next.extend(if let End::Again(atoms) = end { Some(&atoms[*at]) } else { None }));
            assumed.push((own.clone(), first.clone()));
            let same = next.into_iter().all(|atom| go_on(self, atom, path, assumed, steps) == first);
            assumed.pop();
            return if same { first } else { own };
        }
        match (self.made.get(&var), path) {
            (Some(Op::Atom(atom)), _) => go_on(self, atom, path, assumed, steps),
            (Some(Op::Field(atom, at)), _) => go_on(self, atom, &[&[*at], path].concat(), assumed, steps),
            (Some(Op::Struct(fields)), [first, rest @ ..]) => {
                go_on(self, &fields[*first as usize], rest, assumed, steps)
            }
            (Some(Op::Replace(atom, ..) | Op::Collected(atom) | Op::Dense(atom)), []) => {
                go_on(self, atom, path, assumed, steps)
            }
            // A sum of sensitivities of one array.
            (Some(Op::Prim { prim: Prim::Plus, args, .. }), []) if self.vars[var.0 as usize] == Type::Handle => {
                go_on(self, &args[0], path, assumed, steps)
            }
            (Some(op @ (Op::Loop { .. } | Op::If(..) | Op::Switch(..))), _) => {
                let mut values = vec![];
                op.blocks(&mut |_, block| {
                    each_end(block, &mut |end| {
                        values.extend(if let End::Yield(atom) = end { Some(atom) } else { None })
                    });
                });
                let mut origins = values.into_iter().map(|atom| go_on(self, atom, path, assumed, steps));
                match origins.next() {
                    Some(first) if first != own && origins.all(|other| other == first) => first,
                    _ => own,
                }
            }
            _ => own,
        }
    }

    fn decided(&mut self, condition: &Atom, holds: bool) {
        let Atom::Var(condition) = condition else { return };
        match self.conditions.get(condition).cloned() {
            Some(Condition::Compared(scalar, a, b)) => self.compared(scalar, holds, &a, &b),
            Some(Condition::Not(other)) => deep(|| self.decided(&Atom::Var(other), !holds)),
            Some(Condition::Choice(on, then, otherwise)) => {
                // The way that gives the other constant wasn't taken.
                let there = Atom::Bool(!holds);
                if then == there {
                    self.decided(&Atom::Var(on), false);
                    deep(|| self.decided(&otherwise, holds));
                } else if otherwise == there {
                    self.decided(&Atom::Var(on), true);
                    deep(|| self.decided(&then, holds));
                }
            }
            None => {}
        }
    }

    fn compared(&mut self, scalar: Scalar, holds: bool, a: &Linear, b: &Linear) {
        match (scalar, holds) {
            (Scalar::IntLt, true) | (Scalar::IntGe, false) => self.learn_at_least(b, a, 1),
            (Scalar::IntGt, true) | (Scalar::IntLe, false) => self.learn_at_least(a, b, 1),
            (Scalar::IntLe, true) | (Scalar::IntGt, false) => self.learn_at_least(b, a, 0),
            (Scalar::IntGe, true) | (Scalar::IntLt, false) => self.learn_at_least(a, b, 0),
            (Scalar::IntEq, true) | (Scalar::IntNe, false) => {
                self.learn_at_least(a, b, 0);
                self.learn_at_least(b, a, 0);
            }
            (Scalar::IntEq, false) | (Scalar::IntNe, true) => {
                if self.is_at_least(a, b, 0) {
                    self.learn_at_least(a, b, 1);
                } else if self.is_at_least(b, a, 0) {
                    self.learn_at_least(b, a, 1);
                }
            }
            _ => {}
        }
    }

    fn inside(&mut self, var: Var, op: &'a Op) {
        let mark = self.facts.mark();
        match op {
            Op::Tabulate { n, index, body } | Op::Sum { n, index, body } => {
                self.facts.add_always(Linear::var(*index));
                if let Some(n) = self.value(n) {
                    self.learn_at_least(&n, &Linear::var(*index), 1);
                }
                self.depths.insert(*index, self.loops.len());
                self.tabulated(n, *index, body);
                self.facts.forget(mark);
            }
            Op::If(condition, yes, no) => {
                for (block, holds) in [(yes, true), (no, false)] {
                    self.decided(condition, holds);
                    self.use_pending();
                    deep(|| self.block(block));
                    self.facts.forget(mark);
                }
                if let (Atom::Var(on), End::Yield(then), End::Yield(otherwise)) = (condition, &yes.end, &no.end)
                    && self.vars[var.0 as usize] == Type::Bool
                {
                    self.conditions.insert(var, Condition::Choice(*on, then.clone(), otherwise.clone()));
                }
            }
            Op::Loop { params, body } => self.repeat(var, params, body),
            _ => deep(|| op.blocks(&mut |_, block| self.block(block))),
        }
        if self.vars[var.0 as usize] == Type::Int {
            self.is_part(var);
        }
    }

    /// The body for each index. What every element needed holds afterwards, if there are elements.
    fn tabulated(&mut self, n: &Atom, index: Var, body: &'a Block) {
        let (start, pending) = (self.met, self.pending.len());
        let mark = self.facts.mark();
        self.meet(index);
        self.use_pending();
        deep(|| self.statements(body));
        let inside: Vec<Pending> = self
            .facts
            .since(mark)
            .take(MOST_PENDING)
            .map(|fact| Pending { conditions: vec![], fact: fact.clone() })
            .chain(self.pending.drain(pending..))
            .collect();
        self.facts.forget(mark);
        let Some(last) = self.value(n).map(|n| n.plus_constant(-1)) else { return };
        let is_outside = |this: &Self, sum: &Linear| {
            sum.terms.iter().all(|(var, _)| this.order.get(var).is_some_and(|met| *met < start))
        };
        for Pending { mut conditions, fact } in inside {
            // It holds for each index: most is said by the last, or by the first.
            let end = if fact.factor(index) < 0 { last.clone() } else { Linear::default() };
            let Some(fact) = fact.with(index, &end) else { continue };
            if !conditions.contains(&last) {
                conditions.push(last.clone());
            }
            let room = self.pending.len() < pending + MOST_PENDING;
            if room && is_outside(self, &fact) && conditions.iter().all(|condition| is_outside(self, condition)) {
                self.pending.push(Pending { conditions, fact });
            }
        }
    }

    /// Learns what was pending if it is known by now that there were elements.
    fn use_pending(&mut self) {
        let from = self.pending.len().saturating_sub(2 * MOST_PENDING);
        for at in from..self.pending.len() {
            let Pending { conditions, fact } = &self.pending[at];
            if conditions.iter().all(|condition| self.facts.prove(condition)) && !self.facts.prove(fact) {
                let fact = fact.clone();
                self.learn(fact);
            }
        }
    }

    fn repeat(&mut self, var: Var, params: &[(Var, Atom)], body: &'a Block) {
        let mark = self.facts.mark();
        for (at, (param, first)) in params.iter().enumerate() {
            let (Some(first), Some(steps)) = (self.value(first), self.steps(*param, at, body)) else { continue };
            if steps.iter().all(|step| *step >= 0) {
                self.learn_at_least(&Linear::var(*param), &first, 0);
            }
            if steps.iter().all(|step| *step <= 0) {
                self.learn_at_least(&first, &Linear::var(*param), 0);
            }
        }
        let vars: Vec<Var> = params.iter().map(|(param, _)| *param).collect();
        self.loops.push(Open { counting: vec![true; vars.len()], params: vars });
        for (param, _) in params {
            self.depths.insert(*param, self.loops.len());
            self.meet(*param);
        }
        deep(|| self.block(body));
        let open = self.loops.pop().expect("ranges: the loop is open");
        if open.counting.contains(&true) {
            self.sure.end.insert(var);
        }
        self.facts.forget(mark);
    }

    /// By what constants a parameter of a loop changes; nothing if it does otherwise.
    fn steps(&self, param: Var, at: usize, body: &'a Block) -> Option<Vec<i128>> {
        if self.vars[param.0 as usize] != Type::Int {
            return None;
        }
        let mut steps = Some(vec![]);
        each_end(body, &mut |end| {
            if let End::Again(atoms) = end {
                match (self.step(param, &atoms[at]), &mut steps) {
                    (Some(step), Some(all)) => all.push(step),
                    _ => steps = None,
                }
            }
        });
        steps
    }

    /// By what constant the next value of a parameter differs from it.
    fn step(&self, param: Var, next: &Atom) -> Option<i128> {
        let Atom::Var(next) = next else { return None };
        if *next == param {
            return Some(0);
        }
        match self.made.get(next) {
            Some(Op::Scalar(Scalar::IntAdd, args)) => match &args[..] {
                [Atom::Var(from), Atom::Int(step)] | [Atom::Int(step), Atom::Var(from)] if *from == param => {
                    Some(i128::from(*step))
                }
                _ => None,
            },
            Some(Op::Scalar(Scalar::IntSub, args)) => match &args[..] {
                [Atom::Var(from), Atom::Int(step)] if *from == param => Some(-i128::from(*step)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The innermost loop goes on.
    fn again(&mut self, atoms: &[Atom]) {
        let Some(open) = self.loops.last() else { return };
        let counting: Vec<bool> = (0..atoms.len()).map(|at| self.counts(open.params[at], &atoms[at])).collect();
        let open = self.loops.last_mut().expect("ranges: a loop is open");
        open.counting.iter_mut().zip(counting).for_each(|(all, here)| *all &= here);
    }

    /// Does the parameter step towards a number that stays, and hasn't reached it?
    fn counts(&self, param: Var, next: &Atom) -> bool {
        let Some(step) = self.step(param, next) else { return false };
        let stays = |var: Var| self.depths.get(&var).is_none_or(|depth| *depth < self.loops.len());
        step != 0
            && self.facts.about(param).any(|fact| {
                fact.factor(param).signum() == -step.signum()
                    && fact.terms.iter().all(|(var, _)| *var == param || stays(*var))
            })
    }
}

fn is_comparison(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::IntLt | Scalar::IntLe | Scalar::IntGt | Scalar::IntGe | Scalar::IntEq | Scalar::IntNe)
}

/// Visits the ends of a block, those of the choice that it ends with instead of its own.
fn each_end<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a End)) {
    if let (End::Yield(Atom::Var(var)), Some(last)) = (&block.end, block.statements.last())
        && last.var == *var
        && matches!(last.op, Op::If(..) | Op::Switch(..))
    {
        return deep(|| last.op.blocks(&mut |_, block| each_end(block, visit)));
    }
    visit(&block.end);
}
