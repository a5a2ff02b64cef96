//! What every module holds: counts and allocation inline, declarations, metadata.

use std::fmt::Write;

/// Objects of this many words and more are not on the free lists.
pub(super) const LARGE: u32 = 64;

/// The function that makes room for a node of so many words, header included: from the free list, else from the bump space,
/// else by the runtime.
pub(super) fn allocation(words: u32, text: &mut String) {
    if words >= LARGE {
        return allocation_by_runtime(words, text);
    }
    let (list, bytes) = (8 + words, 8 * words);
    let _ = writeln!(
        text,
        "define internal fastcc ptr @new_{words}(ptr noalias %ctx) nounwind inlinehint {{
  %list = getelementptr inbounds i64, ptr %ctx, i64 {list}
  %head = load ptr, ptr %list, !tbaa !17
  %none = icmp eq ptr %head, null
  br i1 %none, label %fresh, label %pop, !prof !20
pop:
  %next = load ptr, ptr %head
  store ptr %next, ptr %list, !tbaa !17
  %live.p = getelementptr inbounds i64, ptr %ctx, i64 3
  %live = load i64, ptr %live.p, !tbaa !17
  %more = add i64 %live, 1
  store i64 %more, ptr %live.p, !tbaa !17
  ret ptr %head
fresh:
  %p = call fastcc ptr @fresh(ptr %ctx, i64 {bytes}, i64 {words})
  ret ptr %p
}}
"
    );
}

/// The same, always by the runtime.
pub(super) fn allocation_by_runtime(words: u32, text: &mut String) {
    let _ = writeln!(
        text,
        "define internal fastcc ptr @new_{words}(ptr noalias %ctx) nounwind {{\n  %p = call ptr @rt_alloc(ptr %ctx, i64 {words})\n  ret ptr %p\n}}\n"
    );
}

/// The function that takes back the room of a node of so many words that nobody sees; what it holds is cared for.
pub(super) fn freeing(words: u32, text: &mut String) {
    let list = 8 + words;
    let _ = writeln!(
        text,
        "define internal fastcc void @free_{words}(ptr noalias %ctx, ptr %p) nounwind inlinehint {{
  %list = getelementptr inbounds i64, ptr %ctx, i64 {list}
  %head = load ptr, ptr %list, !tbaa !17
  store ptr %head, ptr %p
  store ptr %p, ptr %list, !tbaa !17
  %live.p = getelementptr inbounds i64, ptr %ctx, i64 3
  %live = load i64, ptr %live.p, !tbaa !17
  %less = add i64 %live, -1
  store i64 %less, ptr %live.p, !tbaa !17
  ret void
}}
"
    );
}

/// The same, by the runtime.
pub(super) fn freeing_by_runtime(words: u32, text: &mut String) {
    let _ = writeln!(
        text,
        "define internal fastcc void @free_{words}(ptr noalias %ctx, ptr %p) nounwind {{\n  call void @rt_give_back(ptr %ctx, ptr %p)\n  ret void\n}}\n"
    );
}

/// The ranks for which there is an `add_at`.
pub(super) const ADD_AT: std::ops::RangeInclusive<usize> = 1..=2;

/// The function that adds a number to one element of the sensitivity of an array of this rank: in place if that is an array that nobody else
/// sees, else by the runtime.
pub(super) fn add_at(rank: usize, text: &mut String) {
    let (mut params, mut compare, mut words, mut fits) = (String::new(), String::new(), String::new(), String::new());
    for axis in 0..rank {
        let _ = write!(params, "i64 %n{axis}, ");
        let _ = write!(
            compare,
            "  %length{axis}.p = getelementptr inbounds i64, ptr %sum, i64 {place}
  %length{axis} = load i64, ptr %length{axis}.p, !tbaa !14
  %same{axis} = icmp eq i64 %length{axis}, %n{axis}
",
            place = 3 + axis
        );
        let _ = write!(
            words,
            "  %word{axis} = getelementptr inbounds i64, ptr %words, i64 {axis}
  store i64 %n{axis}, ptr %word{axis}
"
        );
        if axis > 0 {
            let _ = writeln!(compare, "  %fits{axis} = and i1 {fits}, %same{axis}");
        }
        fits = if axis == 0 { "%same0".into() } else { format!("%fits{axis}") };
    }
    let first = 3 + rank;
    let _ = write!(
        text,
        "define internal fastcc ptr @add_at_{rank}(ptr noalias %ctx, ptr %sum, {params}i64 %at, double %x, i64 %site) nounwind inlinehint {{
  %words = alloca [{rank} x i64]
  %count = load i64, ptr %sum, !tbaa !15
  %alone = icmp eq i64 %count, 1
  %descriptor.p = getelementptr inbounds i64, ptr %sum, i64 1
  %descriptor = load ptr, ptr %descriptor.p, !tbaa !16
  %kind = load i64, ptr %descriptor
  %array = icmp eq i64 %kind, 1
  %dense = and i1 %alone, %array
  br i1 %dense, label %look, label %call, !prof !21
look:
  %rank.p = getelementptr inbounds i64, ptr %sum, i64 2
  %rank = load i64, ptr %rank.p, !tbaa !14
  %fits.r = icmp eq i64 %rank, {rank}
  br i1 %fits.r, label %compare, label %call, !prof !21
compare:
{compare}  br i1 {fits}, label %add, label %call, !prof !21
add:
  %first = getelementptr inbounds i64, ptr %sum, i64 {first}
  %element = getelementptr inbounds i64, ptr %first, i64 %at
  %old = load double, ptr %element, !tbaa !12
  %number = fadd double %x, 0.0
  %new = fadd double %old, %number
  store double %new, ptr %element, !tbaa !12
  ret ptr %sum
call:
{words}  %p = call ptr @rt_add_at(ptr %ctx, ptr %sum, i64 {rank}, ptr %words, i64 %at, double %x, i64 %site)
  ret ptr %p
}}

"
    );
}

/// Definitions and declarations that don't depend on the program.
pub(super) const TEXT: &str = "\
define internal fastcc ptr @fresh(ptr noalias %ctx, i64 %bytes, i64 %words) nounwind noinline {
  %bump.p = getelementptr inbounds i64, ptr %ctx, i64 1
  %bump = load ptr, ptr %bump.p, !tbaa !17
  %end.p = getelementptr inbounds i64, ptr %ctx, i64 2
  %end = load ptr, ptr %end.p, !tbaa !17
  %next = getelementptr i8, ptr %bump, i64 %bytes
  %room = icmp ule ptr %next, %end
  br i1 %room, label %take, label %refill
take:
  store ptr %next, ptr %bump.p, !tbaa !17
  %live.p = getelementptr inbounds i64, ptr %ctx, i64 3
  %live = load i64, ptr %live.p, !tbaa !17
  %more = add i64 %live, 1
  store i64 %more, ptr %live.p, !tbaa !17
  ret ptr %bump
refill:
  %p = call ptr @rt_refill(ptr %ctx, i64 %words)
  ret ptr %p
}

define internal fastcc void @retain_object(ptr %p) nounwind alwaysinline {
  %count = load i64, ptr %p, !tbaa !15
  %more = add i64 %count, 1
  store i64 %more, ptr %p, !tbaa !15
  ret void
}

define internal fastcc void @retain(ptr %p) nounwind inlinehint {
  %is = icmp ugt ptr %p, inttoptr (i64 4095 to ptr)
  br i1 %is, label %object, label %done
object:
  %count = load i64, ptr %p, !tbaa !15
  %more = add i64 %count, 1
  store i64 %more, ptr %p, !tbaa !15
  br label %done
done:
  ret void
}

define internal fastcc void @release_object(ptr noalias %ctx, ptr %p) nounwind inlinehint {
  %count = load i64, ptr %p, !tbaa !15
  %less = add i64 %count, -1
  store i64 %less, ptr %p, !tbaa !15
  %last = icmp eq i64 %less, 0
  br i1 %last, label %free, label %done
free:
  call void @rt_free(ptr %ctx, ptr %p)
  br label %done
done:
  ret void
}

define internal fastcc void @release(ptr noalias %ctx, ptr %p) nounwind inlinehint {
  %is = icmp ugt ptr %p, inttoptr (i64 4095 to ptr)
  br i1 %is, label %object, label %done
object:
  call fastcc void @release_object(ptr %ctx, ptr %p)
  br label %done
done:
  ret void
}

define internal fastcc ptr @unshare(ptr noalias %ctx, ptr %p) nounwind inlinehint {
  %count = load i64, ptr %p, !tbaa !15
  %alone = icmp eq i64 %count, 1
  br i1 %alone, label %done, label %shared, !prof !21
shared:
  %copy = call ptr @rt_copy_array(ptr %ctx, ptr %p)
  ret ptr %copy
done:
  ret ptr %p
}

define internal fastcc ptr @grow(ptr noalias %ctx, ptr %p, i64 %file, i64 %start, i64 %end) nounwind inlinehint {
  %count = load i64, ptr %p, !tbaa !15
  %alone = icmp eq i64 %count, 1
  %rank.p = getelementptr inbounds i64, ptr %p, i64 2
  %rank = load i64, ptr %rank.p, !tbaa !14
  %capacity = lshr i64 %rank, 16
  %length.p = getelementptr inbounds i64, ptr %p, i64 3
  %length = load i64, ptr %length.p, !tbaa !14
  %more = icmp ult i64 %length, %capacity
  %room = and i1 %alone, %more
  br i1 %room, label %take, label %full, !prof !21
take:
  %longer = add i64 %length, 1
  store i64 %longer, ptr %length.p, !tbaa !14
  ret ptr %p
full:
  %q = call ptr @rt_grow(ptr %ctx, ptr %p, i64 %file, i64 %start, i64 %end)
  ret ptr %q
}

declare void @rt_fail(ptr, i64, i64, i64, i64) cold noreturn nounwind
declare void @rt_free(ptr, ptr) nounwind
declare noalias nonnull ptr @rt_refill(ptr, i64) cold nounwind
declare noalias nonnull ptr @rt_alloc(ptr, i64) nounwind
declare noalias nonnull ptr @rt_array(ptr, ptr, i64, ptr, i64, i64, i64) nounwind
declare noalias nonnull ptr @rt_row(ptr, ptr, i64, i64) nounwind
declare noalias nonnull ptr @rt_copy_array(ptr, ptr) nounwind
declare nonnull ptr @rt_replace_row(ptr, ptr, ptr, i64, i64, i64, i64, i64) nounwind
declare nonnull ptr @rt_store_row(ptr, ptr, ptr, i64, i64, i64, i64, i64) nounwind
declare nonnull ptr @rt_grow(ptr, ptr, i64, i64, i64) cold nounwind
declare void @rt_prim(ptr, i64, ptr, ptr) nounwind
declare void @rt_products(ptr, ptr, i64, i64, ptr, i64, i64, i64, i64, i64) nounwind willreturn
declare double @rt_product(ptr, i64, i64, ptr, i64, i64, i64) nounwind willreturn
declare nonnull ptr @rt_one_hot(ptr, i64, ptr, i64, double) nounwind
declare nonnull ptr @rt_add_at(ptr, ptr, i64, ptr, i64, double, i64) nounwind
declare nonnull ptr @rt_place(ptr, ptr, i64, i64, i64, i64, i64, i64) nounwind
declare nonnull ptr @rt_add_placed(ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64) nounwind
declare nonnull ptr @rt_plus(ptr, ptr, ptr, i64, i64) nounwind
declare nonnull ptr @rt_dense(ptr, ptr, i64) nounwind
declare nonnull ptr @rt_text(ptr, i64) nounwind
declare void @rt_quiet(ptr, i64) nounwind
declare i64 @rt_int_pow(ptr, i64, i64, i64, i64, i64) nounwind
declare void @rt_pieces(ptr, ptr, ptr, i64, double) nounwind
declare double @rt_sum_pieces(ptr, ptr, ptr, i64, double, ptr) nounwind
declare void @rt_sum_chunk(double, ptr nocapture, i64) nounwind willreturn
declare double @rt_sum_end(ptr nocapture, i64) nounwind willreturn
declare double @rt_power_slope(double, double, i64) nounwind willreturn memory(none)
declare double @rt_power_log(double, double, i64) nounwind willreturn memory(none)

declare { i64, i1 } @llvm.sadd.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.ssub.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.abs.i64(i64, i1)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.roundeven.f64(double)
declare double @llvm.trunc.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly, ptr noalias readonly, i64, i1 immarg)
declare double @llvm.copysign.f64(double, double)
declare ptr @llvm.frameaddress.p0(i32)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

!0 = !{!\"evert\"}
!1 = !{!\"int\", !0, i64 0}
!2 = !{!\"real\", !0, i64 0}
!3 = !{!\"pointer\", !0, i64 0}
!4 = !{!\"length\", !0, i64 0}
!5 = !{!\"count\", !0, i64 0}
!6 = !{!\"descriptor\", !0, i64 0}
!7 = !{!\"context\", !0, i64 0}
!8 = !{!\"leaf\", !0, i64 0}
!11 = !{!1, !1, i64 0}
!12 = !{!2, !2, i64 0}
!13 = !{!3, !3, i64 0}
!14 = !{!4, !4, i64 0}
!15 = !{!5, !5, i64 0}
!16 = !{!6, !6, i64 0}
!17 = !{!7, !7, i64 0}
!18 = !{!8, !8, i64 0}
!20 = !{!\"branch_weights\", i32 1, i32 1000}
!21 = !{!\"branch_weights\", i32 1000, i32 1}
";
