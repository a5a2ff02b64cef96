//! The transcendentals of `numerics`, printed from their listings: the same operations in the same order, so the same bits.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

use numerics::listing::{Branch, Compare, CompareInt, Id, Int2, Listing, Op, Real1, Real2};
use rustc_hash::FxHashMap;

/// The function for a place in `numerics::FUNCTIONS`.
pub(super) fn symbol(number: u16) -> String {
    format!("ev_{}", numerics::FUNCTIONS[usize::from(number)].name)
}

/// How many instructions it has: constants are none.
pub(super) fn size(number: u16) -> usize {
    let is_constant = |op: &&Op| matches!(op, Op::Input(_) | Op::Real(_) | Op::Int(_));
    let listing = (numerics::FUNCTIONS[usize::from(number)].listing)();
    listing.ops.iter().filter(|op| !is_constant(op)).count()
}

pub(super) fn define(numbers: &BTreeSet<u16>, text: &mut String) {
    let mut tables = Tables::default();
    for number in numbers {
        let listing = (numerics::FUNCTIONS[usize::from(*number)].listing)();
        let params: Vec<String> = (0..listing.inputs).map(|input| format!("double %x{input}")).collect();
        let attributes = "nounwind willreturn memory(none)";
        let _ =
            writeln!(text, "define internal fastcc double @{}({}) {attributes} {{", symbol(*number), params.join(", "));
        text.push_str("entry:\n");
        let values = values(&listing, &mut tables);
        let result = &values[listing.result.0 as usize];
        let mut printer = Printer { listing: &listing, values: &values, tables: &mut tables, next_branch: 0, text };
        printer.range(0..listing.ops.len(), "entry".to_string());
        let _ = writeln!(text, "  ret double {result}\n}}\n");
    }
    text.push_str(&tables.text);
}

/// The constant tables of all functions, each once.
#[derive(Default)]
struct Tables {
    numbers: FxHashMap<Vec<i64>, usize>,
    text: String,
}

impl Tables {
    fn number(&mut self, table: &[i64]) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(table.to_vec()).or_insert_with(|| {
            let entries: Vec<String> = table.iter().map(|entry| format!("i64 {entry}")).collect();
            let _ = writeln!(
                self.text,
                "@ev_table_{next} = private unnamed_addr constant [{} x i64] [{}]",
                table.len(),
                entries.join(", ")
            );
            next
        })
    }
}

/// How each value of a listing is written where it is used.
fn values(listing: &Listing, tables: &mut Tables) -> Vec<String> {
    let value = |(at, op): (usize, &Op)| match op {
        Op::Input(input) => format!("%x{input}"),
        Op::Real(x) => super::scalars::real(*x),
        Op::Int(i) => i.to_string(),
        Op::Lookup(table, _) => {
            tables.number(table);
            format!("%n{at}")
        }
        _ => format!("%n{at}"),
    };
    listing.ops.iter().enumerate().map(value).collect()
}

struct Printer<'a> {
    listing: &'a Listing,
    values: &'a [String],
    tables: &'a mut Tables,
    /// The first branch that isn't printed yet.
    next_branch: usize,
    text: &'a mut String,
}

impl Printer<'_> {
    /// Prints operations, beginning in the block of this label; gives the label of the block they end in.
    fn range(&mut self, range: Range<usize>, mut label: String) -> String {
        let (mut at, listing) = (range.start, self.listing);
        while at < range.end {
            match listing.branches.get(self.next_branch) {
                Some(branch) if branch.yes.start == at => (label, at) = self.branch(branch),
                _ => {
                    instruction(at, &listing.ops[at], self.values, self.tables, self.text);
                    at += 1;
                }
            }
        }
        label
    }

    /// The two sides as blocks; the selections between them become phis. Gives the label behind them, and the operation.
    fn branch(&mut self, branch: &Branch) -> (String, usize) {
        let number = self.next_branch;
        self.next_branch += 1;
        let condition = &self.values[branch.condition.0 as usize];
        let _ = writeln!(self.text, "  br i1 {condition}, label %yes{number}, label %no{number}");
        let sides = [("yes", &branch.yes), ("no", &branch.no)].map(|(side, range)| {
            let label = format!("{side}{number}");
            let _ = writeln!(self.text, "{label}:");
            let end = self.range(range.clone(), label);
            let _ = writeln!(self.text, "  br label %join{number}");
            end
        });
        let _ = writeln!(self.text, "join{number}:");
        let mut at = branch.no.end;
        while let Some(Op::Select(c, yes, no) | Op::SelectInt(c, yes, no)) = self.listing.ops.get(at)
            && *c == branch.condition
        {
            let ty = if matches!(self.listing.ops[at], Op::Select(..)) { "double" } else { "i64" };
            let [yes, no] = [yes, no].map(|id| &self.values[id.0 as usize]);
            let _ = writeln!(self.text, "  %n{at} = phi {ty} [ {yes}, %{} ], [ {no}, %{} ]", sides[0], sides[1]);
            at += 1;
        }
        (format!("join{number}"), at)
    }
}

fn instruction(at: usize, op: &Op, values: &[String], tables: &mut Tables, text: &mut String) {
    let v = |id: Id| &values[id.0 as usize];
    let right = match *op {
        Op::Input(_) | Op::Real(_) | Op::Int(_) => return,
        Op::Real1(Real1::Neg, a) => format!("fneg double {}", v(a)),
        Op::Real1(Real1::Abs, a) => format!("call double @llvm.fabs.f64(double {})", v(a)),
        Op::Real1(Real1::Sqrt, a) => format!("call double @llvm.sqrt.f64(double {})", v(a)),
        Op::Real2(Real2::CopySign, a, b) => {
            format!("call double @llvm.copysign.f64(double {}, double {})", v(a), v(b))
        }
        Op::Real2(op, a, b) => format!("{} double {}, {}", real2(op), v(a), v(b)),
        Op::Fma(a, b, c) => format!("call double @llvm.fma.f64(double {}, double {}, double {})", v(a), v(b), v(c)),
        Op::Compare(op, a, b) => format!("fcmp {} double {}, {}", compare(op), v(a), v(b)),
        Op::Int2(Int2::UMulH, a, b) => {
            let _ = writeln!(text, "  %n{at}.a = zext i64 {} to i128\n  %n{at}.b = zext i64 {} to i128", v(a), v(b));
            let _ = writeln!(text, "  %n{at}.c = mul nuw i128 %n{at}.a, %n{at}.b\n  %n{at}.d = lshr i128 %n{at}.c, 64");
            format!("trunc i128 %n{at}.d to i64")
        }
        Op::Int2(op, a, b) => format!("{} i64 {}, {}", int2(op), v(a), v(b)),
        Op::CompareInt(op, a, b) => format!("icmp {} i64 {}, {}", compare_int(op), v(a), v(b)),
        Op::Both(a, b) => format!("and i1 {}, {}", v(a), v(b)),
        Op::Either(a, b) => format!("or i1 {}, {}", v(a), v(b)),
        Op::Not(a) => format!("xor i1 {}, true", v(a)),
        Op::Select(c, a, b) => format!("select i1 {}, double {}, double {}", v(c), v(a), v(b)),
        Op::SelectInt(c, a, b) => format!("select i1 {}, i64 {}, i64 {}", v(c), v(a), v(b)),
        Op::Bits(a) => format!("bitcast double {} to i64", v(a)),
        Op::OfBits(a) => format!("bitcast i64 {} to double", v(a)),
        Op::Lookup(table, index) => {
            let (number, length) = (tables.number(table), table.len());
            let index = v(index);
            let _ = writeln!(
                text,
                "  %n{at}.p = getelementptr inbounds [{length} x i64], ptr @ev_table_{number}, i64 0, i64 {index}"
            );
            format!("load i64, ptr %n{at}.p")
        }
    };
    let _ = writeln!(text, "  %n{at} = {right}");
}

fn real2(op: Real2) -> &'static str {
    match op {
        Real2::Add => "fadd",
        Real2::Sub => "fsub",
        Real2::Mul => "fmul",
        Real2::Div => "fdiv",
        Real2::CopySign => unreachable!("an intrinsic"),
    }
}

fn compare(op: Compare) -> &'static str {
    match op {
        Compare::Lt => "olt",
        Compare::Le => "ole",
        Compare::Eq => "oeq",
    }
}

fn compare_int(op: CompareInt) -> &'static str {
    match op {
        CompareInt::Lt => "slt",
        CompareInt::Eq => "eq",
        CompareInt::Below => "ult",
    }
}

fn int2(op: Int2) -> &'static str {
    match op {
        Int2::Add => "add",
        Int2::Sub => "sub",
        Int2::Mul => "mul",
        Int2::UMulH => unreachable!("several instructions"),
        Int2::And => "and",
        Int2::Or => "or",
        Int2::Xor => "xor",
        Int2::Shl => "shl",
        Int2::LShr => "lshr",
        Int2::AShr => "ashr",
    }
}
