//! Sums of sensitivities of arrays. The sum is left on the stack.

use loops::{Op, Placed};

use crate::body::Body;
use crate::helpers::{ADD_AT, Helper};
use crate::module::DATA;

impl Body<'_, '_> {
    pub(crate) fn collect(&mut self, op: &Op) {
        match op {
            Op::OneHot { lengths, at, value } => {
                self.store_scratch(lengths);
                self.context();
                self.i().i64_const(lengths.len() as i64).global_get(DATA);
                self.get(at);
                self.get(value);
                self.call_runtime("rt_one_hot");
            }
            Op::AddAt { site, sum, lengths, at, value } if ADD_AT.contains(&lengths.len()) => {
                self.get(sum);
                lengths.iter().for_each(|length| self.get(length));
                self.get(at);
                self.get(value);
                self.i().i64_const(i64::from(*site));
                self.call_helper(Helper::AddAt(lengths.len()));
            }
            Op::AddAt { site, sum, lengths, at, value } => {
                self.store_scratch(lengths);
                self.context();
                self.get(sum);
                self.i().i64_const(lengths.len() as i64).global_get(DATA);
                self.get(at);
                self.get(value);
                self.i().i64_const(i64::from(*site));
                self.call_runtime("rt_add_at");
            }
            Op::Placed(placed) => {
                self.store_placed(placed);
                self.context();
                self.placed(placed);
                self.call_runtime("rt_place");
            }
            Op::AddPlaced { site, sum, placed } => {
                self.store_placed(placed);
                self.context();
                self.get(sum);
                self.placed(placed);
                self.i().i64_const(i64::from(*site));
                self.call_runtime("rt_add_placed");
            }
            Op::Plus { site, terms: [a, b], plain } => {
                self.context();
                self.get(a);
                self.get(b);
                let plain = i64::from(plain[0]) | i64::from(plain[1]) << 1;
                self.i().i64_const(plain).i64_const(i64::from(*site));
                self.call_runtime("rt_plus");
            }
            Op::Dense(handle, rank) => {
                self.context();
                self.get(handle);
                self.i().i64_const(i64::from(*rank));
                self.call_runtime("rt_dense");
            }
            other => unreachable!("wasm: {other:?} collects nothing"),
        }
    }

    fn store_placed(&mut self, Placed { lengths, index, part, .. }: &Placed) {
        let words: Vec<_> = lengths.iter().chain(index).chain([part]).copied().collect();
        self.store_scratch(&words);
    }

    /// What the runtime is told of a part of a sensitivity.
    fn placed(&mut self, Placed { site, lengths, index, at, count, plain, .. }: &Placed) {
        self.i().global_get(DATA).i64_const(lengths.len() as i64).i64_const(index.len() as i64);
        self.get(at);
        self.get(count);
        self.i().i64_const(i64::from(*plain)).i64_const(i64::from(*site));
    }
}
