//! Loops in pieces: is there enough work for other threads, and the functions that these call.
//!
//! The runtime gets what a piece captures as words in a frame, and calls `@piece…`, which takes them out and calls the function of the program. A
//! loop that isn't large calls that function itself, for all turns.

use std::collections::BTreeSet;
use std::fmt::Write;

use loops::{Atom, Cost, Function, Op, Pieces, Program};

use super::body::Body;
use super::memory::{Lines, Place};
use super::type_of;
use loops::memory::CTX_HELPED;

impl Body<'_> {
    /// The units of one turn, as a real.
    fn work(&mut self, work: &[Cost]) -> String {
        let mut sum = "0.0".to_string();
        for cost in work {
            let mut term = format!("{}.0", cost.units);
            for length in &cost.lengths {
                let length = self.atom(length);
                let length = self.value(format_args!("sitofp i64 {length} to double"));
                term = self.value(format_args!("fmul double {term}, {length}"));
            }
            sum = self.value(format_args!("fadd double {sum}, {term}"));
        }
        sum
    }

    /// Is it large, and may others help; and the units of one turn.
    fn asks(&mut self, count: &Atom, work: &[Cost]) -> (String, String) {
        let (turn, count) = (self.work(work), self.atom(count));
        let count = self.value(format_args!("sitofp i64 {count} to double"));
        let all = self.value(format_args!("fmul double {turn}, {count}"));
        let least = self.lines.word("%ctx", CTX_HELPED);
        let least = self.value(format_args!("load double, ptr {least}, !tbaa !17"));
        (self.value(format_args!("fcmp oge double {all}, {least}")), turn)
    }

    pub(super) fn is_large(&mut self, name: &str, count: &Atom, work: &[Cost]) {
        let (large, _) = self.asks(count, work);
        self.define(name, format_args!("and i1 {large}, true"));
    }

    pub(super) fn pieces(&mut self, name: &str, pieces: &Pieces) {
        let Pieces { function, count, work, captures, values } = pieces;
        self.needs.pieces.insert(function.0);
        let (number, total) = (function.0, self.atom(count));
        if let Some(values) = values {
            // The runtime writes where the values of a round begin.
            let words: Vec<Atom> = [Atom::Int(0), *values].iter().chain(captures).copied().collect();
            self.store_frame(&words);
            let (turn, values) = (self.work(work), self.atom(values));
            let args = format!("ptr %ctx, ptr @piece{number}, ptr %words, i64 {total}, double {turn}, ptr {values}");
            return self.define(name, format_args!("call double @rt_sum_pieces({args})"));
        }
        let (large, turn) = self.asks(count, work);
        let [several, alone, join] = [(); 3].map(|()| self.new_label());
        self.line(format_args!("br i1 {large}, label %{several}, label %{alone}"));
        self.begin(several);
        self.store_frame(captures);
        let args = format!("ptr %ctx, ptr @piece{number}, ptr %words, i64 {total}, double {turn}");
        self.line(format_args!("call void @rt_pieces({args})"));
        self.line(format_args!("br label %{join}"));
        self.begin(alone);
        let mut args = format!("ptr %ctx, i64 0, i64 {total}");
        captures.iter().for_each(|atom| args = format!("{args}, {}", self.typed(atom)));
        self.line(format_args!("call fastcc void @f{number}({args})"));
        self.line(format_args!("br label %{join}"));
        self.begin(join);
    }

    fn store_frame(&mut self, words: &[Atom]) {
        self.scratch(words.len());
        self.store_words(Place::Scratch, "%words", 0, words);
    }
}

/// What the runtime calls, for each function that does pieces of a loop.
pub(super) fn define(program: &Program, pieces: &BTreeSet<u32>, text: &mut String) {
    for number in pieces {
        let function = &program.functions[*number as usize];
        let mut lines = Lines::new(text);
        lines.line(format_args!(
            "define internal void @piece{number}(ptr noalias %ctx, ptr %frame, i64 %from, i64 %to) nounwind {{"
        ));
        let mut args = "ptr %ctx, i64 %from, i64 %to".to_string();
        for (at, param) in function.params[2..].iter().enumerate() {
            let leaf = function.vars[param.0 as usize];
            let from = lines.word("%frame", at as u32);
            lines.load_word(&format!("%a{at}"), leaf, &from, Place::Scratch);
            write!(args, ", {} %a{at}", type_of(leaf)).expect("writing to a string");
        }
        lines.line(format_args!("  call fastcc void @f{number}({args})\n  ret void\n}}\n"));
    }
}

/// Of a function that does pieces: the arrays that it writes to, by the numbers of its parameters. Their elements are touched by these names alone.
pub(super) fn written(function: &Function) -> BTreeSet<u32> {
    fn visit(block: &loops::Block, all: &mut BTreeSet<u32>) {
        for statement in &block.statements {
            match &statement.op {
                Op::StoreElement { array: Atom::Var(array), .. } => {
                    all.insert(array.0);
                }
                Op::Product(product) => {
                    if let Some((Atom::Var(out), ..)) = product.out {
                        all.insert(out.0);
                    }
                }
                _ => {}
            }
            statement.op.for_each_block(|block| base::budget::deep(|| visit(block, all)));
        }
    }
    let mut all = BTreeSet::new();
    if function.borrows {
        visit(&function.body, &mut all);
    }
    all
}
