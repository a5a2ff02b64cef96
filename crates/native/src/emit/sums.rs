//! Sums in the order that `numerics::summation` defines. Where the body can be written for eight turns at once ([`Plan`]), its values are added to the eight partial sums in
//! registers. Elsewhere the values of a chunk are stored one after the other, which LLVM can do several at a time, then added eight at a time. The room for them is on the
//! stack while the sum is made.

use loops::{Atom, Block, Var};

use super::body::Body;
use super::checks::Checks;
use super::lanes::{LANES, Lanes, NUMBERS, Plan, Turns};
use super::progress::Told;

/// Of the room for values, in bytes: eight of them are read at once, and a read that crosses what was written together waits for memory.
const ALIGNED: usize = 64;
/// Words for the sums of chunks, as `rt_sum_chunk` says.
const ROOM: usize = 64;
/// The length of a chunk, and the partial sums in it.
const CHUNK: usize = numerics::summation::CHUNK;

/// The sum of one chunk, and that of its partial sums. Behind the values there is room for eight more: −0.0 there changes no partial sum.
pub(super) const TEXT: &str = "
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
  %sum = call fastcc double @sum_partials(<8 x double> %more)
  ret double %sum
}

define internal fastcc double @sum_partials(<8 x double> %partials) nounwind alwaysinline {
  %low = shufflevector <8 x double> %partials, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %high = shufflevector <8 x double> %partials, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
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

/// What a sum is of.
struct Terms<'a> {
    count: &'a str,
    index: Var,
    body: &'a Block,
}

/// Where a chunk starts and how long it is.
struct Chunk<'a> {
    start: &'a str,
    length: &'a str,
}

impl Body<'_> {
    /// Control always gets behind a sum: it may have no terms.
    pub(super) fn sum(&mut self, name: &str, count: &Atom, index: Var, body: &Block) -> bool {
        self.needs.sums = true;
        let told = self.tell_of_sum(count, index, body);
        let plan =
            Plan::of(index, body, &self.function.vars).filter(|_| self.checks == Checks::Language && told.is_none());
        let count = self.atom(count);
        let terms = Terms { count: &count, index, body };
        match plan {
            Some(plan) => {
                self.needs.lanes = true;
                self.chunks(name, &terms, 0, |this, chunk, _| this.sum_in_lanes(&terms, &plan, chunk));
            }
            None => {
                self.chunks(name, &terms, CHUNK + LANES, |this, chunk, buffer| {
                    this.sum_of_stored(&terms, told.as_ref(), chunk, buffer)
                });
            }
        }
        told.iter().for_each(|told| self.tell_end(told));
        true
    }

    /// Chunk after chunk, each summed up by `sum`, which is given room for at most so many values.
    fn chunks(
        &mut self,
        name: &str,
        Terms { count, .. }: &Terms,
        values: usize,
        sum: impl FnOnce(&mut Self, &Chunk, &str) -> String,
    ) {
        let [chunk, some, more, finish, end] = [(); 5].map(|()| self.new_label());
        let saved = self.value(format_args!("call ptr @llvm.stacksave.p0()"));
        let most = self.value(format_args!("call i64 @llvm.smin.i64(i64 {count}, i64 {values})"));
        let size = self.value(format_args!("add nuw nsw i64 {most}, {}", ROOM + LANES));
        let room = self.value(format_args!("alloca double, i64 {size}, align {ALIGNED}"));
        let buffer = self.value(format_args!("getelementptr inbounds double, ptr {room}, i64 {ROOM}"));
        let before = self.label().to_string();
        self.line(format_args!("br label %{chunk}"));
        self.begin(chunk.clone());
        let [number, start, next_number, next_start] = [(); 4].map(|()| self.lines.temporary());
        self.define(&number, format_args!("phi i64 [ 0, %{before} ], [ {next_number}, %{more} ]"));
        self.define(&start, format_args!("phi i64 [ 0, %{before} ], [ {next_start}, %{more} ]"));
        let left = self.value(format_args!("sub nuw nsw i64 {count}, {start}"));
        let length = self.value(format_args!("call i64 @llvm.smin.i64(i64 {left}, i64 {CHUNK})"));
        let any = self.value(format_args!("icmp sgt i64 {length}, 0"));
        self.line(format_args!("br i1 {any}, label %{some}, label %{finish}"));
        self.begin(some);
        let sum = sum(self, &Chunk { start: &start, length: &length }, &buffer);
        let summed = self.label().to_string();
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
        self.define(name, format_args!("phi double [ {sum}, %{summed} ], [ {total}, %{finish} ]"));
        self.line(format_args!("call void @llvm.stackrestore.p0(ptr {saved})"));
    }

    /// The sum of a chunk whose values are stored first.
    fn sum_of_stored(
        &mut self,
        Terms { index, body, .. }: &Terms,
        told: Option<&Told>,
        Chunk { start, length }: &Chunk,
        buffer: &str,
    ) -> String {
        let [values, after] = [(); 2].map(|()| self.new_label());
        let (place, before) = (self.span, self.label().to_string());
        self.line(format_args!("br label %{values}"));
        self.begin(values.clone());
        let [i, next] = [(); 2].map(|()| self.lines.temporary());
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
        self.lines.text.insert_str(phi_at, &format!("  {i} = phi i64 [ 0, %{before} ]{again}\n"));
        self.begin(after);
        self.value(format_args!("call fastcc double @sum_values(ptr {buffer}, i64 {length})"))
    }

    /// The sum of a chunk, eight values at a time: whole rows of eight, then the rest, in whose other lanes −0.0 changes no partial sum.
    fn sum_in_lanes(
        &mut self,
        Terms { index, body, .. }: &Terms,
        plan: &Plan,
        Chunk { start, length }: &Chunk,
    ) -> String {
        let [row, rest, part, after] = [(); 4].map(|()| self.new_label());
        let (place, before) = (self.span, self.label().to_string());
        let rows = self.value(format_args!("and i64 {length}, -{LANES}"));
        let any = self.value(format_args!("icmp ne i64 {rows}, 0"));
        self.line(format_args!("br i1 {any}, label %{row}, label %{rest}"));
        self.begin(row.clone());
        let [at, next, partials, more] = [(); 4].map(|()| self.lines.temporary());
        self.define(&at, format_args!("phi i64 [ 0, %{before} ], [ {next}, %{row} ]"));
        self.define(&partials, format_args!("phi <8 x double> [ zeroinitializer, %{before} ], [ {more}, %{row} ]"));
        let first = self.value(format_args!("add nuw nsw i64 {start}, {at}"));
        let values = Lanes::new(self, plan, *index, &first, Turns::All).values(body);
        self.at(place);
        self.define(&more, format_args!("fadd <8 x double> {partials}, {values}"));
        self.define(&next, format_args!("add nuw nsw i64 {at}, {LANES}"));
        let again = self.value(format_args!("icmp ult i64 {next}, {rows}"));
        self.line(format_args!("br i1 {again}, label %{row}, label %{rest}"));
        self.begin(rest.clone());
        let sums = self.value(format_args!("phi <8 x double> [ zeroinitializer, %{before} ], [ {more}, %{row} ]"));
        let left = self.value(format_args!("and i64 {length}, {}", LANES - 1));
        let none = self.value(format_args!("icmp eq i64 {left}, 0"));
        self.line(format_args!("br i1 {none}, label %{after}, label %{part}"));
        self.begin(part.clone());
        let first = self.value(format_args!("add nuw nsw i64 {start}, {rows}"));
        let mask = self.first_lanes(&left);
        let values = Lanes::new(self, plan, *index, &first, Turns::Some(&mask)).values(body);
        self.at(place);
        let values =
            self.value(format_args!("select <8 x i1> {mask}, <8 x double> {values}, <8 x double> splat (double -0.0)"));
        let all = self.value(format_args!("fadd <8 x double> {sums}, {values}"));
        self.line(format_args!("br label %{after}"));
        self.begin(after);
        let sums = self.value(format_args!("phi <8 x double> [ {sums}, %{rest} ], [ {all}, %{part} ]"));
        self.value(format_args!("call fastcc double @sum_partials(<8 x double> {sums})"))
    }

    /// The mask of so many lanes, fewer than all.
    fn first_lanes(&mut self, count: &str) -> String {
        let one = self.value(format_args!("insertelement <8 x i64> poison, i64 {count}, i64 0"));
        let all =
            self.value(format_args!("shufflevector <8 x i64> {one}, <8 x i64> poison, <8 x i32> zeroinitializer"));
        self.value(format_args!("icmp ult <8 x i64> {NUMBERS}, {all}"))
    }
}
