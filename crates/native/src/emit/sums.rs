//! Sums in the order that `numerics::summation` defines: the values of a chunk are stored one after the other, which LLVM can do several at a
//! time, then added eight at a time. The room for them is on the stack while the sum is made.

use loops::{Atom, Block, Var};

use super::body::Body;

/// Of the room for values, in bytes: eight of them are read at once, and a read that crosses what was written together waits for memory.
const ALIGNED: usize = 64;
/// Words for the sums of chunks, as `rt_sum_chunk` says.
const ROOM: usize = 64;
/// The length of a chunk, and the partial sums in it.
const CHUNK: usize = numerics::summation::CHUNK;
const LANES: usize = numerics::summation::LANES;

/// The sum of one chunk. Behind the values there is room for eight more: −0.0 there changes no partial sum.
pub(super) const SUM_VALUES: &str = "
define internal fastcc double @sum_values(ptr %values, i64 %count) nounwind inlinehint {
entry:
  %behind = getelementptr inbounds double, ptr %values, i64 %count
  store <8 x double> splat (double -0.0), ptr %behind, align 8
  %most = add nuw nsw i64 %count, 7
  %rows = lshr i64 %most, 3
  br label %row
row:
  %i = phi i64 [ 0, %entry ], [ %next, %row ]
  %partials = phi <8 x double> [ zeroinitializer, %entry ], [ %more, %row ]
  %place = getelementptr inbounds <8 x double>, ptr %values, i64 %i
  %eight = load <8 x double>, ptr %place, align 64
  %more = fadd <8 x double> %partials, %eight
  %next = add nuw nsw i64 %i, 1
  %again = icmp ult i64 %next, %rows
  br i1 %again, label %row, label %fold
fold:
  %low = shufflevector <8 x double> %more, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %high = shufflevector <8 x double> %more, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %four = fadd <4 x double> %low, %high
  %first = shufflevector <4 x double> %four, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %second = shufflevector <4 x double> %four, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %two = fadd <2 x double> %first, %second
  %x = extractelement <2 x double> %two, i64 0
  %y = extractelement <2 x double> %two, i64 1
  %sum = fadd double %x, %y
  ret double %sum
}
";

impl Body<'_> {
    /// Control always gets behind a sum: it may have no terms.
    pub(super) fn sum(&mut self, name: &str, count: &Atom, index: Var, body: &Block) -> bool {
        self.needs.sums = true;
        let place = self.span;
        let told = self.tell_of_sum(count, index, body);
        let [chunk, values, after, more, finish, end] = [(); 6].map(|()| self.new_label());
        let count = self.atom(count);
        let saved = self.value(format_args!("call ptr @llvm.stacksave.p0()"));
        let most = self.value(format_args!("call i64 @llvm.smin.i64(i64 {count}, i64 {CHUNK})"));
        let size = self.value(format_args!("add nuw nsw i64 {most}, {}", ROOM + LANES));
        let room = self.value(format_args!("alloca double, i64 {size}, align {ALIGNED}"));
        let buffer = self.value(format_args!("getelementptr inbounds double, ptr {room}, i64 {ROOM}"));
        let before = self.label().to_string();
        self.line(format_args!("br label %{chunk}"));
        self.begin(chunk.clone());
        let [number, start, next_number, next_start, i, next] = [(); 6].map(|()| self.lines.temporary());
        self.define(&number, format_args!("phi i64 [ 0, %{before} ], [ {next_number}, %{more} ]"));
        self.define(&start, format_args!("phi i64 [ 0, %{before} ], [ {next_start}, %{more} ]"));
        let left = self.value(format_args!("sub nuw nsw i64 {count}, {start}"));
        let length = self.value(format_args!("call i64 @llvm.smin.i64(i64 {left}, i64 {CHUNK})"));
        let any = self.value(format_args!("icmp sgt i64 {length}, 0"));
        self.line(format_args!("br i1 {any}, label %{values}, label %{finish}"));
        self.begin(values.clone());
        let phi_at = self.lines.text.len();
        self.define(&format!("%v{}", index.0), format_args!("add nuw nsw i64 {start}, {i}"));
        told.iter().for_each(|told| self.tell_turn(told));
        self.repeats += 1;
        let yielded = self.block(body);
        self.repeats -= 1;
        self.at(place);
        let last = self.label().to_string();
        let again = if let Some(atoms) = &yielded {
            let value = self.atom(&atoms[0]);
            let place = self.value(format_args!("getelementptr inbounds double, ptr {buffer}, i64 {i}"));
            self.line(format_args!("store double {value}, ptr {place}"));
            self.define(&next, format_args!("add nuw nsw i64 {i}, 1"));
            let again = self.value(format_args!("icmp slt i64 {next}, {length}"));
            self.line(format_args!("br i1 {again}, label %{values}, label %{after}"));
            format!(", [ {next}, %{last} ]")
        } else {
            String::new()
        };
        self.lines.text.insert_str(phi_at, &format!("  {i} = phi i64 [ 0, %{chunk} ]{again}\n"));
        self.begin(after.clone());
        let sum = self.value(format_args!("call fastcc double @sum_values(ptr {buffer}, i64 {length})"));
        let whole = self.value(format_args!("icmp eq i64 {length}, {count}"));
        self.line(format_args!("br i1 {whole}, label %{end}, label %{more}"));
        self.begin(more);
        self.line(format_args!("call void @rt_sum_chunk(double {sum}, ptr {room}, i64 {number})"));
        self.define(&next_number, format_args!("add nuw nsw i64 {number}, 1"));
        self.define(&next_start, format_args!("add nuw nsw i64 {start}, {length}"));
        self.line(format_args!("br label %{chunk}"));
        self.begin(finish.clone());
        let total = self.value(format_args!("call double @rt_sum_end(ptr {room}, i64 {number})"));
        self.line(format_args!("br label %{end}"));
        self.begin(end);
        self.define(name, format_args!("phi double [ {sum}, %{after} ], [ {total}, %{finish} ]"));
        self.line(format_args!("call void @llvm.stackrestore.p0(ptr {saved})"));
        told.iter().for_each(|told| self.tell_end(told));
        true
    }
}
