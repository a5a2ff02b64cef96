//! Sums in the order that `numerics::summation` defines: value i of a chunk is added to partial sum i mod 8, which are in memory while the sum is
//! made.

use base::codes;
use loops::{Atom, Block, Var};
use wasm_encoder::ValType;

use crate::body::Body;
use crate::module::{DATA, SUM_WORDS, SUMS, word};

const CHUNK: i64 = numerics::summation::CHUNK as i64;
const LANES: u32 = numerics::summation::LANES as u32;

impl Body<'_, '_> {
    /// Leaves the sum on the stack: it may have no terms.
    pub(crate) fn sum(&mut self, count: &Atom, index: Var, body: &Block) {
        let room = self.temporary(ValType::I32);
        let [number, end] = [(); 2].map(|()| self.temporary(ValType::I64));
        let total = self.temporary(ValType::F64);
        let at = self.local(index);
        let after_partials = (8 * LANES) as i32;
        let limit = self.module.sum_room.1 as i32;
        self.i().global_get(SUMS).local_tee(room).i32_const(8 * SUM_WORDS as i32).i32_add().global_set(SUMS);
        self.i().global_get(SUMS).global_get(DATA).i32_const(limit).i32_add().i32_gt_u();
        self.fail_if(codes::RECURSION_TOO_DEEP);
        self.i().i64_const(0).local_set(number).i64_const(0).local_set(at);
        // Left with the total.
        self.open_block();
        // Left where there are no more chunks.
        self.open_block();
        self.open_loop();
        self.i().local_get(at);
        self.get(count);
        self.i().i64_ge_s().br_if(1);
        self.i().local_get(at).i64_const(CHUNK).i64_add().local_tee(end);
        self.get(count);
        self.i().local_get(end);
        self.get(count);
        self.i().i64_lt_s().select().local_set(end);
        for lane in 0..LANES {
            self.i().local_get(room).f64_const(0.0.into()).f64_store(word(lane));
        }
        if self.chunk_in_piece(index, end, room, body).is_none() {
            self.chunk(at, end, room, body);
        }
        self.fold(room);
        self.i().local_set(total);
        // One chunk is all.
        self.i().local_get(number).i64_eqz().local_get(end);
        self.get(count);
        self.i().i64_eq().i32_and().br_if(2);
        self.i().local_get(total).local_get(room).i32_const(after_partials).i32_add().local_get(number);
        self.call_runtime("rt_sum_chunk");
        self.i().local_get(number).i64_const(1).i64_add().local_set(number).br(0);
        self.close();
        self.close();
        self.i().local_get(room).i32_const(after_partials).i32_add().local_get(number);
        self.call_runtime("rt_sum_end");
        self.i().local_set(total);
        self.close();
        self.count_turns(count);
        self.i().local_get(room).global_set(SUMS).local_get(total);
    }

    /// Adds the values from number `at` on to the one before `end` to the partial sums in `room`.
    pub(crate) fn chunk(&mut self, at: u32, end: u32, room: u32, body: &Block) {
        let (place, value) = (self.temporary(ValType::I32), self.temporary(ValType::F64));
        self.open_loop();
        if self.block(body, &[value]) {
            self.i().local_get(room).local_get(at).i32_wrap_i64().i32_const(LANES as i32 - 1).i32_and();
            self.i().i32_const(3).i32_shl().i32_add().local_tee(place);
            self.i().local_get(place).f64_load(word(0)).local_get(value).f64_add().f64_store(word(0));
            self.i().local_get(at).i64_const(1).i64_add().local_tee(at).local_get(end).i64_lt_s().br_if(0);
        }
        self.close();
    }

    /// The partial sums, by halves.
    fn fold(&mut self, room: u32) {
        let pair = |body: &mut Self, lane: u32| {
            body.i().local_get(room).f64_load(word(lane)).local_get(room).f64_load(word(lane + LANES / 2)).f64_add();
        };
        pair(self, 0);
        pair(self, 2);
        self.i().f64_add();
        pair(self, 1);
        pair(self, 3);
        self.i().f64_add().f64_add();
    }
}
