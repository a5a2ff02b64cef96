//! The transcendentals of `numerics`, from their listings: the same operations in the same order, so the same bits.

use std::ops::Range;

use numerics::listing::{Compare, CompareInt, Id, Int2, Listing, Op, Real1, Real2};
use wasm_encoder::{BlockType, InstructionSink, ValType};

use crate::helpers::Helper;
use crate::module::{self, Builder, Code, DATA, word};

/// The function at a place in `numerics::FUNCTIONS`.
pub(crate) fn function(module: &mut Builder, number: u16) -> Code {
    let listing = (numerics::FUNCTIONS[usize::from(number)].listing)();
    let locals: Vec<ValType> = listing.ops.iter().map(type_of).collect();
    let mut writer = Writer { module, listing: &listing, next_branch: 0, bytes: vec![] };
    writer.range(0..listing.ops.len());
    writer.get(listing.result);
    writer.i().end();
    let bytes = writer.bytes;
    Code { signature: (vec![ValType::F64; listing.inputs], vec![ValType::F64]), locals, bytes }
}

/// The type of an operation's value.
fn type_of(op: &Op) -> ValType {
    match op {
        Op::Input(_) | Op::Real(_) | Op::Real1(..) | Op::Real2(..) | Op::Fma(..) => ValType::F64,
        Op::Select(..) | Op::OfBits(_) => ValType::F64,
        Op::Int(_) | Op::Int2(..) | Op::SelectInt(..) | Op::Bits(_) | Op::Lookup(..) => ValType::I64,
        Op::Compare(..) | Op::CompareInt(..) | Op::Both(..) | Op::Either(..) | Op::Not(_) => ValType::I32,
    }
}

struct Writer<'w, 'p> {
    module: &'w mut Builder<'p>,
    listing: &'w Listing,
    /// The first branch that isn't written yet.
    next_branch: usize,
    bytes: Vec<u8>,
}

impl Writer<'_, '_> {
    fn i(&mut self) -> InstructionSink<'_> {
        module::sink(&mut self.bytes)
    }

    fn range(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            match self.listing.branches.get(self.next_branch).cloned() {
                // What the side that isn't taken would have computed is 0; the selections behind don't take it.
                Some(branch) if branch.yes.start == at => {
                    self.next_branch += 1;
                    self.get(branch.condition);
                    self.i().if_(BlockType::Empty);
                    self.range(branch.yes);
                    self.i().else_();
                    self.range(branch.no.clone());
                    self.i().end();
                    at = branch.no.end;
                }
                _ => {
                    self.operation(at);
                    at += 1;
                }
            }
        }
    }

    fn get(&mut self, id: Id) {
        let inputs = self.listing.inputs as u32;
        match self.listing.ops[id.0 as usize] {
            Op::Input(input) => self.i().local_get(input as u32),
            Op::Real(x) => self.i().f64_const(x.into()),
            Op::Int(n) => self.i().i64_const(n),
            _ => self.i().local_get(inputs + id.0),
        };
    }

    fn operation(&mut self, at: usize) {
        let op = self.listing.ops[at];
        if matches!(op, Op::Input(_) | Op::Real(_) | Op::Int(_)) {
            return;
        }
        match op {
            // A selection's condition comes last.
            Op::Select(condition, a, b) | Op::SelectInt(condition, a, b) => {
                [a, b, condition].into_iter().for_each(|id| self.get(id));
            }
            Op::Fma(a, b, c) if self.module.host.fused => [a, b, c].into_iter().for_each(|id| {
                self.get(id);
                self.i().f64x2_splat();
            }),
            _ => op.operands().for_each(|id| self.get(id)),
        }
        match op {
            Op::Fma(..) if self.module.host.fused => _ = self.i().f64x2_relaxed_madd().f64x2_extract_lane(0),
            Op::Fma(..) => {
                let fma = self.module.helper(Helper::Fma);
                self.i().call(fma);
            }
            Op::Int2(Int2::UMulH, ..) => {
                let product = self.module.helper(Helper::UpperProduct);
                self.i().call(product);
            }
            Op::Lookup(table, _) => {
                let from = self.module.table(table) as i32;
                self.i().i32_wrap_i64().i32_const(3).i32_shl().global_get(DATA).i32_add();
                self.i().i32_const(from).i32_add().i64_load(word(0));
            }
            simple => instruction(&mut self.i(), simple),
        }
        let local = self.listing.inputs as u32 + at as u32;
        self.i().local_set(local);
    }
}

/// What is one instruction.
fn instruction(i: &mut InstructionSink, op: Op) {
    match op {
        Op::Real1(Real1::Neg, _) => i.f64_neg(),
        Op::Real1(Real1::Abs, _) => i.f64_abs(),
        Op::Real1(Real1::Sqrt, _) => i.f64_sqrt(),
        Op::Real2(Real2::Add, ..) => i.f64_add(),
        Op::Real2(Real2::Sub, ..) => i.f64_sub(),
        Op::Real2(Real2::Mul, ..) => i.f64_mul(),
        Op::Real2(Real2::Div, ..) => i.f64_div(),
        Op::Real2(Real2::CopySign, ..) => i.f64_copysign(),
        Op::Compare(Compare::Lt, ..) => i.f64_lt(),
        Op::Compare(Compare::Le, ..) => i.f64_le(),
        Op::Compare(Compare::Eq, ..) => i.f64_eq(),
        Op::Int2(Int2::Add, ..) => i.i64_add(),
        Op::Int2(Int2::Sub, ..) => i.i64_sub(),
        Op::Int2(Int2::Mul, ..) => i.i64_mul(),
        Op::Int2(Int2::And, ..) => i.i64_and(),
        Op::Int2(Int2::Or, ..) => i.i64_or(),
        Op::Int2(Int2::Xor, ..) => i.i64_xor(),
        Op::Int2(Int2::Shl, ..) => i.i64_shl(),
        Op::Int2(Int2::LShr, ..) => i.i64_shr_u(),
        Op::Int2(Int2::AShr, ..) => i.i64_shr_s(),
        Op::CompareInt(CompareInt::Lt, ..) => i.i64_lt_s(),
        Op::CompareInt(CompareInt::Eq, ..) => i.i64_eq(),
        Op::CompareInt(CompareInt::Below, ..) => i.i64_lt_u(),
        Op::Both(..) => i.i32_and(),
        Op::Either(..) => i.i32_or(),
        Op::Not(_) => i.i32_eqz(),
        Op::Select(..) | Op::SelectInt(..) => i.select(),
        Op::Bits(_) => i.i64_reinterpret_f64(),
        Op::OfBits(_) => i.f64_reinterpret_i64(),
        Op::Input(_) | Op::Real(_) | Op::Int(_) | Op::Fma(..) | Op::Lookup(..) | Op::Int2(Int2::UMulH, ..) => {
            unreachable!("wasm: {op:?} isn't one instruction")
        }
    };
}
