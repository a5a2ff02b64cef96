//! What every module holds: counts and allocation inline, declarations, metadata.

use std::fmt::Write;

use loops::memory::{CTX_FREE, CTX_LIVE, DESCRIPTOR, DESCRIPTOR_KIND, KIND_ARRAY, LENGTHS, RANK, SMALL_WORDS, filled};
use loops::symbols::{SIGNATURES, types_of};

use super::Checks;

/// The function that makes room for a node of so many words, header included: from the free list, else from the bump space,
/// else by the runtime.
pub(super) fn allocation(words: u32, text: &mut String) {
    if words >= SMALL_WORDS {
        return allocation_by_runtime(words, text);
    }
    let (list, bytes) = (CTX_FREE + words, 8 * words);
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
  %live.p = getelementptr inbounds i64, ptr %ctx, i64 {CTX_LIVE}
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
    let list = CTX_FREE + words;
    let _ = writeln!(
        text,
        "define internal fastcc void @free_{words}(ptr noalias %ctx, ptr %p) nounwind inlinehint {{
  %list = getelementptr inbounds i64, ptr %ctx, i64 {list}
  %head = load ptr, ptr %list, !tbaa !17
  store ptr %head, ptr %p
  store ptr %p, ptr %list, !tbaa !17
  %live.p = getelementptr inbounds i64, ptr %ctx, i64 {CTX_LIVE}
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
            place = LENGTHS as usize + axis
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
    let first = LENGTHS as usize + rank;
    let _ = write!(
        text,
        "define internal fastcc ptr @add_at_{rank}(ptr noalias %ctx, ptr %sum, {params}i64 %at, double %x, i64 %site) nounwind inlinehint {{
  %words = alloca [{rank} x i64]
  %count = load i64, ptr %sum, !tbaa !15
  %alone = icmp eq i64 %count, 1
  %descriptor.p = getelementptr inbounds i64, ptr %sum, i64 {DESCRIPTOR}
  %descriptor = load ptr, ptr %descriptor.p, !tbaa !16
  %kind.p = getelementptr inbounds i64, ptr %descriptor, i64 {DESCRIPTOR_KIND}
  %kind = load i64, ptr %kind.p
  %array = icmp eq i64 %kind, {KIND_ARRAY}
  %dense = and i1 %alone, %array
  br i1 %dense, label %look, label %call, !prof !21
look:
  %rank.p = getelementptr inbounds i64, ptr %sum, i64 {RANK}
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

/// The functions of every module.
pub(super) fn definitions(text: &mut String) {
    text.push_str(&filled(DEFINITIONS));
}

/// What the runtime defines, as [`SIGNATURES`] has it, and LLVM's own.
pub(super) fn declarations(checks: Checks, text: &mut String) {
    let declared = |name: &str| name.starts_with("rt_") && (checks == Checks::Memory || !is_check(name));
    for (name, signature) in SIGNATURES.iter().filter(|(name, _)| declared(name)) {
        let known = ATTRIBUTES.iter().find(|(of, ..)| of == name);
        let (_, result, function) = known.copied().unwrap_or((name, "", "nounwind"));
        let (ty, params) = types_of(signature);
        let mut params = params.join(", ");
        if NOT_CAPTURING.contains(name) {
            params = params.replace("ptr", "ptr nocapture");
        }
        let _ = writeln!(text, "declare {result}{ty} @{name}({params}) {function}");
    }
    text.push_str(INTRINSICS);
}

/// The functions that only checked builds call.
fn is_check(name: &str) -> bool {
    name.starts_with("rt_check") || name == "rt_give_back"
}

/// Those that keep no pointer they are given.
const NOT_CAPTURING: [&str; 2] = ["rt_sum_chunk", "rt_sum_end"];

/// What LLVM may take for granted of functions of the runtime: of the result, of the call. Others are `nounwind`.
const ATTRIBUTES: &[(&str, &str, &str)] = &[
    ("rt_fail", "", "cold noreturn nounwind"),
    ("rt_refill", "noalias nonnull ", "cold nounwind"),
    ("rt_alloc", "noalias nonnull ", "nounwind"),
    ("rt_array", "noalias nonnull ", "nounwind"),
    ("rt_row", "noalias nonnull ", "nounwind"),
    ("rt_copy_array", "noalias nonnull ", "nounwind"),
    ("rt_replace_row", "nonnull ", "nounwind"),
    ("rt_store_row", "nonnull ", "nounwind"),
    ("rt_grow", "nonnull ", "cold nounwind"),
    ("rt_products", "", "nounwind willreturn"),
    ("rt_product", "", "nounwind willreturn"),
    ("rt_one_hot", "nonnull ", "nounwind"),
    ("rt_add_at", "nonnull ", "nounwind"),
    ("rt_place", "nonnull ", "nounwind"),
    ("rt_add_placed", "nonnull ", "nounwind"),
    ("rt_plus", "nonnull ", "nounwind"),
    ("rt_dense", "nonnull ", "nounwind"),
    ("rt_text", "nonnull ", "nounwind"),
    ("rt_sum_chunk", "", "nounwind willreturn"),
    ("rt_sum_end", "", "nounwind willreturn"),
    ("rt_power_slope", "", "nounwind willreturn memory(none)"),
    ("rt_power_log", "", "nounwind willreturn memory(none)"),
];

const DEFINITIONS: &str = "\
define internal fastcc ptr @fresh(ptr noalias %ctx, i64 %bytes, i64 %words) nounwind noinline {
  %bump.p = getelementptr inbounds i64, ptr %ctx, i64 $CTX_BUMP
  %bump = load ptr, ptr %bump.p, !tbaa !17
  %end.p = getelementptr inbounds i64, ptr %ctx, i64 $CTX_BUMP_END
  %end = load ptr, ptr %end.p, !tbaa !17
  %next = getelementptr i8, ptr %bump, i64 %bytes
  %room = icmp ule ptr %next, %end
  br i1 %room, label %take, label %refill
take:
  store ptr %next, ptr %bump.p, !tbaa !17
  %live.p = getelementptr inbounds i64, ptr %ctx, i64 $CTX_LIVE
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
  %is = icmp ugt ptr %p, inttoptr (i64 $LAST_TAG to ptr)
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
  call fastcc void @free_object(ptr %ctx, ptr %p)
  br label %done
done:
  ret void
}

define internal fastcc void @release(ptr noalias %ctx, ptr %p) nounwind inlinehint {
  %is = icmp ugt ptr %p, inttoptr (i64 $LAST_TAG to ptr)
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
  %rank.p = getelementptr inbounds i64, ptr %p, i64 $RANK
  %rank = load i64, ptr %rank.p, !tbaa !14
  %capacity = lshr i64 %rank, $ROOM_SHIFT
  %length.p = getelementptr inbounds i64, ptr %p, i64 $LENGTHS
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

";

const INTRINSICS: &str = "
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

";

/// What kinds of words never overlap, and which branches are rare.
pub(super) const METADATA: &str = "\
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
