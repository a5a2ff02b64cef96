//! Small arrays without pointers: made from and given back to the free lists by compiled code, as nodes are.
//!
//! Out: functions that do what `rt_array` and `rt_free` do, and call them where the array isn't small, has pointers, or no list has room. They stay calls: what one of
//! them returns is nobody else's, which LLVM knows of a function's result only.

use std::fmt::Write;

use loops::Descriptor;
use loops::memory::filled;

/// The ranks for which there is such a function.
const RANKS: std::ops::RangeInclusive<usize> = 1..=2;

/// Is an array of this descriptor and rank made by the function of its rank?
pub(super) fn is_made_here(descriptor: &Descriptor, rank: usize) -> bool {
    descriptor.pointers.is_empty() && RANKS.contains(&rank)
}

/// The functions, as compiled code calls them.
pub(super) fn define(text: &mut String) {
    RANKS.for_each(|rank| making(rank, text));
    text.push_str(&filled(FREEING));
}

/// Everything by the runtime, which writes down who makes and frees what.
pub(super) fn define_by_runtime(text: &mut String) {
    text.push_str(
        "define internal fastcc void @free_object(ptr noalias %ctx, ptr %p) nounwind {
  call void @rt_free(ptr %ctx, ptr %p)
  ret void
}

",
    );
}

fn making(rank: usize, text: &mut String) {
    let (mut params, mut small, mut fits, mut elements) = (String::new(), String::new(), "true", "%words");
    let (mut stores, mut scratch) = (String::new(), String::new());
    let names = ["%elements0", "%elements1"];
    let lasts = ["%small0", "%small1"];
    for axis in 0..rank {
        let (product, both) = (names[axis], lasts[axis]);
        let _ = write!(params, "i64 %n{axis}, ");
        let _ = write!(
            small,
            "  %is{axis} = icmp ult i64 %n{axis}, $SMALL_WORDS
  {both} = and i1 {fits}, %is{axis}
  {product} = mul i64 {elements}, %n{axis}
"
        );
        let _ = write!(
            stores,
            "  %length{axis} = getelementptr inbounds i64, ptr %p, i64 {}
  store i64 %n{axis}, ptr %length{axis}, !tbaa !14
",
            loops::memory::LENGTHS as usize + axis
        );
        let _ = write!(
            scratch,
            "  %scratch{axis} = getelementptr inbounds i64, ptr %lengths, i64 {axis}
  store i64 %n{axis}, ptr %scratch{axis}
"
        );
        (fits, elements) = (both, product);
    }
    let header = loops::memory::LENGTHS as usize + rank;
    let template = format!(
        "define internal fastcc noalias nonnull ptr @array_{rank}(ptr noalias %ctx, ptr %descriptor, i64 %words, {params}i64 %file, i64 %start, i64 %end) nounwind noinline {{
  %lengths = alloca [{rank} x i64]
{small}  %size = add i64 {elements}, {header}
  %fits = icmp ult i64 %size, $SMALL_WORDS
  %small = and i1 {fits}, %fits
  br i1 %small, label %look, label %call
look:
  %lists = getelementptr inbounds i64, ptr %ctx, i64 $CTX_FREE
  %list = getelementptr inbounds i64, ptr %lists, i64 %size
  %p = load ptr, ptr %list, !tbaa !17
  %none = icmp eq ptr %p, null
  br i1 %none, label %call, label %pop, !prof !20
pop:
  %next = load ptr, ptr %p
  store ptr %next, ptr %list, !tbaa !17
  %live.p = getelementptr inbounds i64, ptr %ctx, i64 $CTX_LIVE
  %live = load i64, ptr %live.p, !tbaa !17
  %more = add i64 %live, 1
  store i64 %more, ptr %live.p, !tbaa !17
  store i64 1, ptr %p, !tbaa !15
  %descriptor.p = getelementptr inbounds i64, ptr %p, i64 $DESCRIPTOR
  store ptr %descriptor, ptr %descriptor.p, !tbaa !16
  %rank.p = getelementptr inbounds i64, ptr %p, i64 $RANK
  store i64 {rank}, ptr %rank.p, !tbaa !14
{stores}  ret ptr %p
call:
{scratch}  %q = call ptr @rt_array(ptr %ctx, ptr %descriptor, i64 {rank}, ptr %lengths, i64 %file, i64 %start, i64 %end)
  ret ptr %q
}}

"
    );
    text.push_str(&filled(&template));
}

/// Frees an object without owners.
const FREEING: &str = "\
define internal fastcc void @free_object(ptr noalias %ctx, ptr %p) nounwind noinline {
  %descriptor.p = getelementptr inbounds i64, ptr %p, i64 $DESCRIPTOR
  %descriptor = load ptr, ptr %descriptor.p, !tbaa !16
  %kind.p = getelementptr inbounds i64, ptr %descriptor, i64 $DESCRIPTOR_KIND
  %kind = load i64, ptr %kind.p
  %array = icmp eq i64 %kind, $KIND_ARRAY
  %pointers.p = getelementptr inbounds i64, ptr %descriptor, i64 $DESCRIPTOR_POINTERS
  %pointers = load i64, ptr %pointers.p
  %plain = icmp eq i64 %pointers, 0
  %looked = and i1 %array, %plain
  br i1 %looked, label %look, label %call
look:
  %words.p = getelementptr inbounds i64, ptr %descriptor, i64 $DESCRIPTOR_WORDS
  %words = load i64, ptr %words.p
  %rank.p = getelementptr inbounds i64, ptr %p, i64 $RANK
  %rank = load i64, ptr %rank.p, !tbaa !14
  %n0.p = getelementptr inbounds i64, ptr %p, i64 $LENGTHS
  %n0 = load i64, ptr %n0.p, !tbaa !14
  %row = mul i64 %words, %n0
  switch i64 %rank, label %call [ i64 1, label %sized i64 2, label %two ]
two:
  %n1.p = getelementptr inbounds i64, ptr %n0.p, i64 1
  %n1 = load i64, ptr %n1.p, !tbaa !14
  %all = mul i64 %row, %n1
  br label %sized
sized:
  %elements = phi i64 [ %row, %look ], [ %all, %two ]
  %header = add i64 %rank, $LENGTHS
  %size = add i64 %elements, %header
  %small = icmp ult i64 %size, $SMALL_WORDS
  br i1 %small, label %push, label %call
push:
  %lists = getelementptr inbounds i64, ptr %ctx, i64 $CTX_FREE
  %list = getelementptr inbounds i64, ptr %lists, i64 %size
  %head = load ptr, ptr %list, !tbaa !17
  store ptr %head, ptr %p
  store ptr %p, ptr %list, !tbaa !17
  %live.p = getelementptr inbounds i64, ptr %ctx, i64 $CTX_LIVE
  %live = load i64, ptr %live.p, !tbaa !17
  %less = add i64 %live, -1
  store i64 %less, ptr %live.p, !tbaa !17
  ret void
call:
  call void @rt_free(ptr %ctx, ptr %p)
  ret void
}

";
