//! Sums in the order that `numerics::summation` defines: the values of a chunk are stored one after the other, which LLVM can do several at a
//! time, and the runtime adds them. The room for them is on the stack while the sum is made.

use loops::{Atom, Block, Var};

use super::body::Body;

/// Words for the sums of chunks, as `rt_sum_chunk` says.
const ROOM: usize = 64;
/// The length of a chunk: `numerics::summation::CHUNK`.
const CHUNK: usize = numerics::summation::CHUNK;

impl Body<'_> {
    /// Control always gets behind a sum: it may have no terms.
    pub(super) fn sum(&mut self, name: &str, count: &Atom, index: Var, body: &Block) -> bool {
        let [chunk, values, after, end] = [(); 4].map(|()| self.new_label());
        let count = self.atom(count);
        let saved = self.value(format_args!("call ptr @llvm.stacksave.p0()"));
        let most = self.value(format_args!("call i64 @llvm.smin.i64(i64 {count}, i64 {CHUNK})"));
        let size = self.value(format_args!("add nuw nsw i64 {most}, {ROOM}"));
        let room = self.value(format_args!("alloca double, i64 {size}, align 16"));
        let buffer = self.value(format_args!("getelementptr inbounds double, ptr {room}, i64 {ROOM}"));
        let before = self.label().to_string();
        self.line(format_args!("br label %{chunk}"));
        self.begin(chunk.clone());
        let [number, start, next_number, next_start, i, next] = [(); 6].map(|()| self.lines.temporary());
        self.define(&number, format_args!("phi i64 [ 0, %{before} ], [ {next_number}, %{after} ]"));
        self.define(&start, format_args!("phi i64 [ 0, %{before} ], [ {next_start}, %{after} ]"));
        let left = self.value(format_args!("sub nuw nsw i64 {count}, {start}"));
        let length = self.value(format_args!("call i64 @llvm.smin.i64(i64 {left}, i64 {CHUNK})"));
        let any = self.value(format_args!("icmp sgt i64 {length}, 0"));
        self.line(format_args!("br i1 {any}, label %{values}, label %{end}"));
        self.begin(values.clone());
        let phi_at = self.lines.text.len();
        self.define(&format!("%v{}", index.0), format_args!("add nuw nsw i64 {start}, {i}"));
        let yielded = self.block(body);
        let last = self.label().to_string();
        let again = if let Some(atoms) = &yielded {
            let value = self.atom(&atoms[0]);
            let place = self.value(format_args!("getelementptr inbounds double, ptr {buffer}, i64 {i}"));
            self.line(format_args!("store double {value}, ptr {place}"));
            self.define(&next, format_args!("add nuw nsw i64 {i}, 1"));
            let more = self.value(format_args!("icmp slt i64 {next}, {length}"));
            self.line(format_args!("br i1 {more}, label %{values}, label %{after}"));
            format!(", [ {next}, %{last} ]")
        } else {
            String::new()
        };
        self.lines.text.insert_str(phi_at, &format!("  {i} = phi i64 [ 0, %{chunk} ]{again}\n"));
        self.begin(after);
        self.line(format_args!("call void @rt_sum_chunk(ptr {buffer}, i64 {length}, ptr {room}, i64 {number})"));
        self.define(&next_number, format_args!("add nuw nsw i64 {number}, 1"));
        self.define(&next_start, format_args!("add nuw nsw i64 {start}, {length}"));
        self.line(format_args!("br label %{chunk}"));
        self.begin(end);
        self.define(name, format_args!("call double @rt_sum_end(ptr {room}, i64 {number})"));
        self.line(format_args!("call void @llvm.stackrestore.p0(ptr {saved})"));
        true
    }
}
