//! A definition written down: in goes a function generic over [`Ops`], out comes the list of its operations, in an order in which
//! every operand precedes its use and every value is used. A compiler prints the list; [`run`] interprets it, so that tests can compare the two.
//! Types are implied: each operation says which of real, integer, truth it takes and makes. No memory but constant tables. No control
//! flow either: all operations can be executed in order. [`Listing::branches`] says which of them needn't be.

use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Range, Sub};

use crate::ops::{Direct, Ops, Real, Several};

/// The operations of one function of `inputs` reals; the value of `result` is what it returns.
#[derive(Clone, Debug)]
pub struct Listing {
    pub inputs: usize,
    pub ops: Vec<Op>,
    pub result: Id,
    /// In the order of their starts; one lies within a side of another, or outside it.
    pub branches: Vec<Branch>,
}

/// Operations that matter only if a condition is true, then some that matter only if it is false. Outside, their values are used by
/// the selections on the condition that follow at once, and by nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    pub condition: Id,
    pub yes: Range<usize>,
    pub no: Range<usize>,
}

/// The position in [`Listing::ops`] of the operation that makes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Id(pub u32);

/// One operation; see [`Ops`] for what each means exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    Input(usize),
    Real(f64),
    Int(i64),
    Real1(Real1, Id),
    Real2(Real2, Id, Id),
    Fma(Id, Id, Id),
    Compare(Compare, Id, Id),
    Int2(Int2, Id, Id),
    CompareInt(CompareInt, Id, Id),
    Both(Id, Id),
    Either(Id, Id),
    Not(Id),
    Select(Id, Id, Id),
    SelectInt(Id, Id, Id),
    Bits(Id),
    OfBits(Id),
    Lookup(&'static [i64], Id),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Real1 {
    Neg,
    Abs,
    Sqrt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Real2 {
    Add,
    Sub,
    Mul,
    Div,
    CopySign,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Lt,
    Le,
    Eq,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int2 {
    Add,
    Sub,
    Mul,
    UMulH,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareInt {
    Lt,
    Eq,
    Below,
}

/// Records a function of `N` reals.
pub fn record<const N: usize>(define: impl for<'l> FnOnce(&Recorder<'l>, [Node<'l>; N]) -> Node<'l>) -> Listing {
    let (ops, branches) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
    let recorder = Recorder { ops: &ops, branches: &branches };
    let inputs = std::array::from_fn(|index| recorder.push(Op::Input(index)));
    let result = define(&recorder, inputs).id;
    let mut branches: Vec<Branch> = branches.into_inner();
    branches.sort_by_key(|branch| (branch.yes.start, std::cmp::Reverse(branch.no.end)));
    without_unused(Listing { inputs: N, ops: ops.into_inner(), result, branches })
}

/// The listing less the operations whose value nothing uses.
fn without_unused(listing: Listing) -> Listing {
    let mut used = vec![false; listing.ops.len()];
    used[listing.result.0 as usize] = true;
    for (index, op) in listing.ops.iter().enumerate().rev() {
        if used[index] {
            op.operands().for_each(|id| used[id.0 as usize] = true);
        }
    }
    let mut ops = Vec::new();
    let mut place = Vec::new(); // of each old operation, where the next kept one goes
    for (op, used) in listing.ops.iter().zip(&used) {
        place.push(index_id(ops.len()));
        if *used {
            ops.push(op.with_operands(|id| place[id.0 as usize]));
        }
    }
    place.push(index_id(ops.len()));
    let moved = |range: Range<usize>| place[range.start].0 as usize..place[range.end].0 as usize;
    let branches = listing.branches.into_iter().filter(|branch| used[branch.condition.0 as usize]).map(|branch| {
        Branch { condition: place[branch.condition.0 as usize], yes: moved(branch.yes), no: moved(branch.no) }
    });
    Listing { inputs: listing.inputs, result: place[listing.result.0 as usize], branches: branches.collect(), ops }
}

fn index_id(index: usize) -> Id {
    Id(u32::try_from(index).expect("a listing is short"))
}

impl Op {
    /// The values the operation uses.
    pub fn operands(&self) -> impl Iterator<Item = Id> {
        let mut found = [None; 3];
        let mut slots = found.iter_mut();
        self.with_operands(|id| {
            *slots.next().expect("at most three operands") = Some(id);
            id
        });
        found.into_iter().flatten()
    }

    /// The same operation on other values.
    pub fn with_operands(&self, mut f: impl FnMut(Id) -> Id) -> Op {
        match *self {
            Op::Input(_) | Op::Real(_) | Op::Int(_) => *self,
            Op::Real1(op, a) => Op::Real1(op, f(a)),
            Op::Real2(op, a, b) => Op::Real2(op, f(a), f(b)),
            Op::Fma(a, b, c) => Op::Fma(f(a), f(b), f(c)),
            Op::Compare(op, a, b) => Op::Compare(op, f(a), f(b)),
            Op::Int2(op, a, b) => Op::Int2(op, f(a), f(b)),
            Op::CompareInt(op, a, b) => Op::CompareInt(op, f(a), f(b)),
            Op::Both(a, b) => Op::Both(f(a), f(b)),
            Op::Either(a, b) => Op::Either(f(a), f(b)),
            Op::Not(a) => Op::Not(f(a)),
            Op::Select(c, a, b) => Op::Select(f(c), f(a), f(b)),
            Op::SelectInt(c, a, b) => Op::SelectInt(f(c), f(a), f(b)),
            Op::Bits(a) => Op::Bits(f(a)),
            Op::OfBits(a) => Op::OfBits(f(a)),
            Op::Lookup(table, index) => Op::Lookup(table, f(index)),
        }
    }
}

/// The [`Ops`] that writes each operation down.
#[derive(Clone, Copy, Debug)]
pub struct Recorder<'l> {
    ops: &'l RefCell<Vec<Op>>,
    branches: &'l RefCell<Vec<Branch>>,
}

/// A value in a listing under construction.
#[derive(Clone, Copy, Debug)]
pub struct Node<'l> {
    recorder: Recorder<'l>,
    id: Id,
}

impl<'l> Recorder<'l> {
    fn push(&self, op: Op) -> Node<'l> {
        let mut ops = self.ops.borrow_mut();
        ops.push(op);
        Node { recorder: *self, id: index_id(ops.len() - 1) }
    }
}

impl<'l> Node<'l> {
    fn real2(self, op: Real2, other: Self) -> Self {
        self.recorder.push(Op::Real2(op, self.id, other.id))
    }
}

impl Add for Node<'_> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.real2(Real2::Add, other)
    }
}

impl Sub for Node<'_> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.real2(Real2::Sub, other)
    }
}

impl Mul for Node<'_> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.real2(Real2::Mul, other)
    }
}

impl Div for Node<'_> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.real2(Real2::Div, other)
    }
}

impl Neg for Node<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.recorder.push(Op::Real1(Real1::Neg, self.id))
    }
}

impl Real for Node<'_> {}

impl<'l> Ops for Recorder<'l> {
    type F = Node<'l>;
    type I = Node<'l>;
    type B = Node<'l>;

    fn real(&self, value: f64) -> Node<'l> {
        self.push(Op::Real(value))
    }
    fn int(&self, value: i64) -> Node<'l> {
        self.push(Op::Int(value))
    }
    fn fma(&self, a: Node<'l>, b: Node<'l>, c: Node<'l>) -> Node<'l> {
        self.push(Op::Fma(a.id, b.id, c.id))
    }
    fn sqrt(&self, a: Node<'l>) -> Node<'l> {
        self.push(Op::Real1(Real1::Sqrt, a.id))
    }
    fn abs(&self, a: Node<'l>) -> Node<'l> {
        self.push(Op::Real1(Real1::Abs, a.id))
    }
    fn copysign(&self, magnitude: Node<'l>, sign: Node<'l>) -> Node<'l> {
        magnitude.real2(Real2::CopySign, sign)
    }
    fn lt(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::Compare(Compare::Lt, a.id, b.id))
    }
    fn le(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::Compare(Compare::Le, a.id, b.id))
    }
    fn eq(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::Compare(Compare::Eq, a.id, b.id))
    }
    fn lt_i(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::CompareInt(CompareInt::Lt, a.id, b.id))
    }
    fn eq_i(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::CompareInt(CompareInt::Eq, a.id, b.id))
    }
    fn below(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::CompareInt(CompareInt::Below, a.id, b.id))
    }
    fn both(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::Both(a.id, b.id))
    }
    fn either(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::Either(a.id, b.id))
    }
    fn not(&self, a: Node<'l>) -> Node<'l> {
        self.push(Op::Not(a.id))
    }
    fn select(&self, condition: Node<'l>, yes: Node<'l>, no: Node<'l>) -> Node<'l> {
        self.push(Op::Select(condition.id, yes.id, no.id))
    }
    fn select_i(&self, condition: Node<'l>, yes: Node<'l>, no: Node<'l>) -> Node<'l> {
        self.push(Op::SelectInt(condition.id, yes.id, no.id))
    }
    fn choose<const REALS: usize, const INTS: usize>(
        &self,
        condition: Node<'l>,
        yes: impl FnOnce() -> Several<Node<'l>, Node<'l>, REALS, INTS>,
        no: impl FnOnce() -> Several<Node<'l>, Node<'l>, REALS, INTS>,
    ) -> Several<Node<'l>, Node<'l>, REALS, INTS> {
        let place = || self.ops.borrow().len();
        let start = place();
        let yes = yes();
        let middle = place();
        let no = no();
        let branch = Branch { condition: condition.id, yes: start..middle, no: middle..place() };
        self.branches.borrow_mut().push(branch);
        (
            std::array::from_fn(|at| self.select(condition, yes.0[at], no.0[at])),
            std::array::from_fn(|at| self.select_i(condition, yes.1[at], no.1[at])),
        )
    }
    fn bits(&self, a: Node<'l>) -> Node<'l> {
        self.push(Op::Bits(a.id))
    }
    fn of_bits(&self, a: Node<'l>) -> Node<'l> {
        self.push(Op::OfBits(a.id))
    }
    fn add_i(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::Int2(Int2::Add, a.id, b.id))
    }
    fn sub_i(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::Int2(Int2::Sub, a.id, b.id))
    }
    fn mul_i(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::Int2(Int2::Mul, a.id, b.id))
    }
    fn umulh(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::Int2(Int2::UMulH, a.id, b.id))
    }
    fn and_i(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::Int2(Int2::And, a.id, b.id))
    }
    fn or_i(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::Int2(Int2::Or, a.id, b.id))
    }
    fn xor_i(&self, a: Node<'l>, b: Node<'l>) -> Node<'l> {
        self.push(Op::Int2(Int2::Xor, a.id, b.id))
    }
    fn shl(&self, a: Node<'l>, by: Node<'l>) -> Node<'l> {
        self.push(Op::Int2(Int2::Shl, a.id, by.id))
    }
    fn lshr(&self, a: Node<'l>, by: Node<'l>) -> Node<'l> {
        self.push(Op::Int2(Int2::LShr, a.id, by.id))
    }
    fn ashr(&self, a: Node<'l>, by: Node<'l>) -> Node<'l> {
        self.push(Op::Int2(Int2::AShr, a.id, by.id))
    }
    fn lookup(&self, table: &'static [i64], index: Node<'l>) -> Node<'l> {
        self.push(Op::Lookup(table, index.id))
    }
}

/// Interprets a listing. Panics when the listing is ill-typed: that would be our bug.
pub fn run(listing: &Listing, inputs: &[f64]) -> f64 {
    assert_eq!(inputs.len(), listing.inputs, "inputs of a listing");
    let mut values = Values { inputs, made: Vec::with_capacity(listing.ops.len()) };
    for op in &listing.ops {
        let value = values.execute(*op);
        values.made.push(value);
    }
    values.real(listing.result)
}

#[derive(Clone, Copy, Debug)]
enum Value {
    Real(f64),
    Int(i64),
    Truth(bool),
}

struct Values<'i> {
    inputs: &'i [f64],
    made: Vec<Value>,
}

impl Values<'_> {
    fn real(&self, id: Id) -> f64 {
        match self.made[id.0 as usize] {
            Value::Real(value) => value,
            other => panic!("listing: expected a real, found {other:?}"),
        }
    }

    fn int(&self, id: Id) -> i64 {
        match self.made[id.0 as usize] {
            Value::Int(value) => value,
            other => panic!("listing: expected an integer, found {other:?}"),
        }
    }

    fn truth(&self, id: Id) -> bool {
        match self.made[id.0 as usize] {
            Value::Truth(value) => value,
            other => panic!("listing: expected a truth value, found {other:?}"),
        }
    }

    fn execute(&self, op: Op) -> Value {
        let o = &Direct;
        match op {
            Op::Input(index) => Value::Real(self.inputs[index]),
            Op::Real(value) => Value::Real(value),
            Op::Int(value) => Value::Int(value),
            Op::Real1(op, a) => Value::Real(real1(op, self.real(a))),
            Op::Real2(op, a, b) => Value::Real(real2(op, self.real(a), self.real(b))),
            Op::Fma(a, b, c) => Value::Real(o.fma(self.real(a), self.real(b), self.real(c))),
            Op::Compare(op, a, b) => Value::Truth(compare(op, self.real(a), self.real(b))),
            Op::Int2(op, a, b) => Value::Int(int2(op, self.int(a), self.int(b))),
            Op::CompareInt(op, a, b) => Value::Truth(compare_int(op, self.int(a), self.int(b))),
            Op::Both(a, b) => Value::Truth(o.both(self.truth(a), self.truth(b))),
            Op::Either(a, b) => Value::Truth(o.either(self.truth(a), self.truth(b))),
            Op::Not(a) => Value::Truth(o.not(self.truth(a))),
            Op::Select(c, a, b) => Value::Real(o.select(self.truth(c), self.real(a), self.real(b))),
            Op::SelectInt(c, a, b) => Value::Int(o.select_i(self.truth(c), self.int(a), self.int(b))),
            Op::Bits(a) => Value::Int(o.bits(self.real(a))),
            Op::OfBits(a) => Value::Real(o.of_bits(self.int(a))),
            Op::Lookup(table, index) => Value::Int(o.lookup(table, self.int(index))),
        }
    }
}

fn real1(op: Real1, a: f64) -> f64 {
    match op {
        Real1::Neg => -a,
        Real1::Abs => Direct.abs(a),
        Real1::Sqrt => Direct.sqrt(a),
    }
}

fn real2(op: Real2, a: f64, b: f64) -> f64 {
    match op {
        Real2::Add => a + b,
        Real2::Sub => a - b,
        Real2::Mul => a * b,
        Real2::Div => a / b,
        Real2::CopySign => Direct.copysign(a, b),
    }
}

fn compare(op: Compare, a: f64, b: f64) -> bool {
    match op {
        Compare::Lt => Direct.lt(a, b),
        Compare::Le => Direct.le(a, b),
        Compare::Eq => Direct.eq(a, b),
    }
}

fn int2(op: Int2, a: i64, b: i64) -> i64 {
    match op {
        Int2::Add => Direct.add_i(a, b),
        Int2::Sub => Direct.sub_i(a, b),
        Int2::Mul => Direct.mul_i(a, b),
        Int2::UMulH => Direct.umulh(a, b),
        Int2::And => Direct.and_i(a, b),
        Int2::Or => Direct.or_i(a, b),
        Int2::Xor => Direct.xor_i(a, b),
        Int2::Shl => Direct.shl(a, b),
        Int2::LShr => Direct.lshr(a, b),
        Int2::AShr => Direct.ashr(a, b),
    }
}

fn compare_int(op: CompareInt, a: i64, b: i64) -> bool {
    match op {
        CompareInt::Lt => Direct.lt_i(a, b),
        CompareInt::Eq => Direct.eq_i(a, b),
        CompareInt::Below => Direct.below(a, b),
    }
}
