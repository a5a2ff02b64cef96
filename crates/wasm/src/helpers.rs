//! Functions that every module may need: those that it does are written behind its own.

use base::{Code as ErrorCode, Span};
use loops::memory::{COUNT, DESCRIPTOR, DESCRIPTOR_KIND, KIND_ARRAY, LAST_TAG, LENGTHS, RANK, ROOM_SHIFT, SMALL_WORDS};
use wasm_encoder::{BlockType, InstructionSink, ValType};

use crate::module::{self, Builder, CTX, Code, DATA, half, word};
use crate::transcendentals;

/// The ranks for which there is an `AddAt`.
pub(crate) const ADD_AT: std::ops::RangeInclusive<usize> = 1..=2;

/// A function of every module.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Helper {
    /// Ends the run with this error.
    Fail(ErrorCode, Span),
    /// Room for a node of so many words.
    New(u32),
    /// Takes it back; what the node held is cared for.
    Free(u32),
    /// One more owner of a pointer.
    Retain,
    /// Gives up a pointer, that may be none to an object; one to an object.
    Release,
    ReleaseObject,
    /// The array itself if nobody else sees it, else a copy.
    Unshare,
    /// An array with room for one more element, and three ints that say where it is asked for.
    Grow,
    /// Adds a number to an element of the sensitivity of an array of this rank.
    AddAt(usize),
    /// Would the product of two ints overflow?
    ProductOverflows,
    /// The upper half of the product of two ints without signs.
    UpperProduct,
    /// The remainder of reals with the sign of the divisor.
    Remainder,
    /// a·b + c, rounded once.
    Fma,
    /// A transcendental.
    Function(u16),
    /// Some turns of a loop.
    Piece(u32),
}

/// Writes all helpers that something asked for. Some ask for others.
pub(crate) fn write(module: &mut Builder) {
    let mut next = 0;
    while let Some(helper) = module.helper_order.get(next).cloned() {
        let code = helper.code(module);
        module.push(code);
        next += 1;
    }
}

const I32: ValType = ValType::I32;
const I64: ValType = ValType::I64;
const F64: ValType = ValType::F64;

/// A function of these parameters and results, and these locals.
fn code(params: &[ValType], results: &[ValType], locals: &[ValType], write: impl FnOnce(&mut InstructionSink)) -> Code {
    let mut bytes = vec![];
    let mut i = module::sink(&mut bytes);
    write(&mut i);
    i.end();
    Code { signature: (params.to_vec(), results.to_vec()), locals: locals.to_vec(), bytes }
}

impl Helper {
    fn code(&self, module: &mut Builder) -> Code {
        match *self {
            Helper::Fail(error, span) => fail(module, error, span),
            Helper::New(words) => new(module, words),
            Helper::Free(words) => free(module, words),
            Helper::Retain => code(&[I32], &[], &[], |i| {
                i.local_get(0).i32_const(LAST_TAG as i32).i32_gt_u().if_(BlockType::Empty);
                i.local_get(0).local_get(0).i64_load(word(COUNT)).i64_const(1).i64_add().i64_store(word(COUNT));
                i.end();
            }),
            Helper::Release => {
                let release = module.helper(Helper::ReleaseObject);
                code(&[I32], &[], &[], |i| {
                    i.local_get(0).i32_const(LAST_TAG as i32).i32_gt_u().if_(BlockType::Empty);
                    i.local_get(0).call(release).end();
                })
            }
            Helper::ReleaseObject => {
                let free = module.runtime("rt_free");
                let count = 1;
                code(&[I32], &[], &[I64], |i| {
                    i.local_get(0).local_get(0).i64_load(word(COUNT)).i64_const(1).i64_sub().local_tee(count);
                    i.i64_store(word(COUNT)).local_get(count).i64_eqz().if_(BlockType::Empty);
                    i.global_get(CTX).local_get(0).call(free).end();
                })
            }
            Helper::Unshare => {
                let copy = module.runtime("rt_copy_array");
                code(&[I32], &[I32], &[], |i| {
                    i.local_get(0).i64_load(word(COUNT)).i64_const(1).i64_eq().if_(BlockType::Result(I32)).local_get(0);
                    i.else_().global_get(CTX).local_get(0).call(copy).end();
                })
            }
            Helper::Grow => grow(module),
            Helper::AddAt(rank) => add_at(module, rank as u32),
            Helper::ProductOverflows => product_overflows(),
            Helper::UpperProduct => upper_product(),
            Helper::Remainder => remainder(module),
            Helper::Fma => fma(module),
            Helper::Function(number) => transcendentals::function(module, number),
            Helper::Piece(number) => module.take_piece(number),
        }
    }
}

fn fail(module: &Builder, error: ErrorCode, span: Span) -> Code {
    let fail = module.runtime("rt_fail");
    code(&[], &[], &[], |i| {
        i.global_get(CTX).i64_const(i64::from(error.0)).i64_const(i64::from(span.file.0));
        i.i64_const(i64::from(span.start)).i64_const(i64::from(span.end)).call(fail).unreachable();
    })
}

/// Adds to the number of live objects.
fn count_live(i: &mut InstructionSink, live: usize, change: i64) {
    let live = wasm_encoder::MemArg { offset: live as u64, align: 3, memory_index: 0 };
    i.global_get(CTX).global_get(CTX).i64_load(live).i64_const(change).i64_add().i64_store(live);
}

/// From the free list, else from the bump space, else by the runtime.
fn new(module: &Builder, words: u32) -> Code {
    let offsets = module.host.offsets;
    let [object, next] = [0, 1];
    if words >= SMALL_WORDS {
        let alloc = module.runtime("rt_alloc");
        return code(&[], &[I32], &[], |i| _ = i.global_get(CTX).i64_const(i64::from(words)).call(alloc));
    }
    let refill = module.runtime("rt_refill");
    let list = half(offsets.free + 4 * words as usize);
    code(&[], &[I32], &[I32, I32], |i| {
        i.global_get(CTX).i32_load(list).local_tee(object).if_(BlockType::Empty);
        i.global_get(CTX).local_get(object).i32_load(half(0)).i32_store(list);
        i.else_();
        i.global_get(CTX).i32_load(half(offsets.bump)).local_tee(object).i32_const(8 * words as i32).i32_add();
        i.local_tee(next).global_get(CTX).i32_load(half(offsets.bump_end)).i32_gt_u().if_(BlockType::Empty);
        i.global_get(CTX).i64_const(i64::from(words)).call(refill).return_();
        i.end();
        i.global_get(CTX).local_get(next).i32_store(half(offsets.bump));
        i.end();
        count_live(i, offsets.live, 1);
        i.local_get(object);
    })
}

fn free(module: &Builder, words: u32) -> Code {
    let offsets = module.host.offsets;
    let list = half(offsets.free + 4 * words as usize);
    code(&[I32], &[], &[], |i| {
        i.local_get(0).global_get(CTX).i32_load(list).i64_extend_i32_u().i64_store(word(0));
        i.global_get(CTX).local_get(0).i32_store(list);
        count_live(i, offsets.live, -1);
    })
}

/// In place if nobody else sees the array and there is room.
fn grow(module: &Builder) -> Code {
    let grow = module.runtime("rt_grow");
    let [array, length] = [0, 4];
    code(&[I32, I64, I64, I64], &[I32], &[I64], |i| {
        i.local_get(array).i64_load(word(COUNT)).i64_const(1).i64_eq();
        i.local_get(array).i64_load(word(LENGTHS)).local_tee(length);
        i.local_get(array).i64_load(word(RANK)).i64_const(i64::from(ROOM_SHIFT)).i64_shr_u().i64_lt_u().i32_and();
        i.if_(BlockType::Result(I32));
        i.local_get(array).local_get(length).i64_const(1).i64_add().i64_store(word(LENGTHS)).local_get(array);
        i.else_().global_get(CTX);
        (0..4).for_each(|param| _ = i.local_get(param));
        i.call(grow).end();
    })
}

/// In place if the sensitivity is an array that nobody else sees, of these lengths; else by the runtime.
fn add_at(module: &Builder, rank: u32) -> Code {
    let call = module.runtime("rt_add_at");
    let (sum, lengths) = (0, 1..=rank);
    let [at, x, site, place] = [1, 2, 3, 4].map(|behind| rank + behind);
    let params: Vec<ValType> = [I32].into_iter().chain(lengths.clone().map(|_| I64)).chain([I64, F64, I64]).collect();
    code(&params, &[I32], &[I32], |i| {
        i.block(BlockType::Empty);
        let wanted = |i: &mut InstructionSink, at: u32, value: &dyn Fn(&mut InstructionSink)| {
            i.local_get(sum).i64_load(word(at));
            value(i);
            i.i64_ne().br_if(0);
        };
        wanted(i, COUNT, &|i| _ = i.i64_const(1));
        // The kind of an array, in its descriptor.
        i.local_get(sum).i32_load(half(8 * DESCRIPTOR as usize)).i64_load(word(DESCRIPTOR_KIND));
        i.i64_const(i64::from(KIND_ARRAY)).i64_ne().br_if(0);
        wanted(i, RANK, &|i| _ = i.i64_const(i64::from(rank)));
        for length in lengths.clone() {
            wanted(i, LENGTHS - 1 + length, &|i| _ = i.local_get(length));
        }
        i.local_get(sum).local_get(at).i32_wrap_i64().i32_const(3).i32_shl().i32_add().local_tee(place);
        let element = word(LENGTHS + rank);
        i.local_get(place).f64_load(element).local_get(x).f64_const(0.0.into()).f64_add().f64_add().f64_store(element);
        i.local_get(sum).return_();
        i.end();
        for (number, length) in (0..).zip(lengths) {
            i.global_get(DATA).local_get(length).i64_store(word(number));
        }
        i.global_get(CTX).local_get(sum).i64_const(i64::from(rank)).global_get(DATA);
        i.local_get(at).local_get(x).local_get(site).call(call);
    })
}

fn product_overflows() -> Code {
    let (a, b, product) = (0, 1, 2);
    code(&[I64, I64], &[I32], &[I64], |i| {
        // Both fit into 32 bits.
        i.local_get(a).local_get(a).i32_wrap_i64().i64_extend_i32_s().i64_eq();
        i.local_get(b).local_get(b).i32_wrap_i64().i64_extend_i32_s().i64_eq().i32_and();
        i.if_(BlockType::Result(I32)).i32_const(0).else_();
        i.local_get(b).i64_eqz().if_(BlockType::Result(I32)).i32_const(0).else_();
        // Division by −1 is a negation, which only the smallest int hasn't.
        i.local_get(b).i64_const(-1).i64_eq().if_(BlockType::Result(I32));
        i.local_get(a).i64_const(i64::MIN).i64_eq().else_();
        i.local_get(a).local_get(b).i64_mul().local_tee(product).local_get(b).i64_div_s().local_get(a).i64_ne();
        i.end().end().end();
    })
}

fn upper_product() -> Code {
    let (a, b, middle, low) = (0, 1, 2, 3);
    const LOW: i64 = 0xffff_ffff;
    code(&[I64, I64], &[I64], &[I64, I64], |i| {
        let lower = |i: &mut InstructionSink, local: u32| _ = i.local_get(local).i64_const(LOW).i64_and();
        let upper = |i: &mut InstructionSink, local: u32| _ = i.local_get(local).i64_const(32).i64_shr_u();
        // middle = upper(a) · lower(b) + upper(lower(a) · lower(b))
        lower(i, a);
        lower(i, b);
        i.i64_mul().i64_const(32).i64_shr_u();
        upper(i, a);
        lower(i, b);
        i.i64_mul().i64_add().local_set(middle);
        // low = lower(a) · upper(b) + lower(middle)
        lower(i, a);
        upper(i, b);
        i.i64_mul();
        lower(i, middle);
        i.i64_add().local_set(low);
        upper(i, a);
        upper(i, b);
        i.i64_mul();
        upper(i, middle);
        i.i64_add();
        upper(i, low);
        i.i64_add();
    })
}

fn remainder(module: &Builder) -> Code {
    let fmod = module.runtime("fmod");
    let (a, b, r) = (0, 1, 2);
    code(&[F64, F64], &[F64], &[F64], |i| {
        i.local_get(a).local_get(b).call(fmod).local_set(r);
        i.local_get(r).local_get(b).f64_add().local_get(r);
        i.local_get(r).f64_const(0.0.into()).f64_ne();
        i.local_get(r).f64_const(0.0.into()).f64_lt().local_get(b).f64_const(0.0.into()).f64_lt().i32_ne();
        i.i32_and().select();
    })
}

/// The host's instruction if it has one, else error-free transformations whose parts are added with rounding to odd (Boldo and Melquiond, 2008);
/// what could over- or underflow on the way is left to the runtime.
fn fma(module: &Builder) -> Code {
    let slow = module.runtime("fma");
    if module.host.fused {
        return code(&[F64, F64, F64], &[F64], &[], |i| {
            (0..3).for_each(|x| _ = i.local_get(x).f64x2_splat());
            i.f64x2_relaxed_madd().f64x2_extract_lane(0);
        });
    }
    let [a, b, c, uh, ul, th, tl, vh, vl, z, e, ah, al, bh, bl, bits, factors] =
        std::array::from_fn(|local| local as u32);
    let mut locals = [F64; 14];
    locals[12..].copy_from_slice(&[I64, I32]);
    code(&[F64, F64, F64], &[F64], &locals, |i| {
        let outside = |i: &mut InstructionSink, x: u32, least: i64, count: i64| {
            i.local_get(x).i64_reinterpret_f64().i64_const(52).i64_shr_u().i64_const(0x7ff).i64_and();
            i.i64_const(least).i64_sub().i64_const(count).i64_ge_u();
        };
        let is_zero = |i: &mut InstructionSink, x: u32| _ = i.local_get(x).f64_const(0.0.into()).f64_eq();
        outside(i, a, 623, 800);
        outside(i, b, 623, 800);
        i.i32_or().local_tee(factors);
        outside(i, c, 223, 1700);
        i.i32_or().if_(BlockType::Empty);
        // One rounding at most, of the sum or of the product, if one of the three is zero.
        is_zero(i, a);
        is_zero(i, b);
        is_zero(i, c);
        i.local_get(factors).i32_eqz().i32_and().i32_or().i32_or().if_(BlockType::Empty);
        i.local_get(a).local_get(b).f64_mul().local_get(c).f64_add().return_().end();
        i.local_get(a).local_get(b).local_get(c).call(slow).return_().end();
        for (x, high, low) in [(a, ah, al), (b, bh, bl)] {
            // The upper and the lower half of the digits.
            i.local_get(x).f64_const(134_217_729.0.into()).f64_mul().local_tee(high);
            i.local_get(high).local_get(x).f64_sub().f64_sub().local_set(high);
            i.local_get(x).local_get(high).f64_sub().local_set(low);
        }
        // uh + ul = a·b
        i.local_get(al).local_get(bl).f64_mul();
        i.local_get(a).local_get(b).f64_mul().local_tee(uh).local_get(ah).local_get(bh).f64_mul().f64_sub();
        i.local_get(al).local_get(bh).f64_mul().f64_sub().local_get(ah).local_get(bl).f64_mul().f64_sub();
        i.f64_sub().local_set(ul);
        two_sum(i, c, ul, th, tl);
        two_sum(i, uh, th, vh, vl);
        two_sum(i, tl, vl, z, e);
        // z + e to odd: where e isn't 0 and z is even, its neighbour in e's direction.
        i.local_get(z).i64_reinterpret_f64().local_tee(bits).i32_wrap_i64().i32_const(1).i32_and().i32_eqz();
        i.local_get(e).f64_const(0.0.into()).f64_ne().i32_and().if_(BlockType::Empty);
        i.local_get(bits).i64_const(1).i64_const(-1);
        i.local_get(e).f64_const(0.0.into()).f64_gt().local_get(z).f64_const(0.0.into()).f64_gt().i32_eq().select();
        i.i64_add().f64_reinterpret_i64().local_set(z).end();
        i.local_get(vh).local_get(z).f64_add();
    })
}

/// `high + low = a + b`, exactly.
fn two_sum(i: &mut InstructionSink, a: u32, b: u32, high: u32, low: u32) {
    // t = high − a; low = (a − (high − t)) + (b − t)
    i.local_get(a).local_get(b).f64_add().local_tee(high).local_get(a).f64_sub().local_set(low);
    i.local_get(a).local_get(high).local_get(low).f64_sub().f64_sub();
    i.local_get(b).local_get(low).f64_sub().f64_add().local_set(low);
}
