//! A checked build: before every operation that touches memory or relies on what an earlier stage has proved, code verifies it.
//!
//! In: an operation that is about to be written. Out: calls of `rt_check_…`, and none in a build that isn't checked. The word [`CTX_PLACE`] of the
//! context says which function and operation runs and where it stands in the source, for whoever finds something wrong.

use std::fmt::Write;

use loops::{Atom, Leaf, Matrix, Op};

use super::body::Body;
use loops::memory::{CTX_PLACE, KIND_ARRAY, KIND_COLUMNS};

/// What code verifies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Checks {
    /// What the language asks for.
    #[default]
    Language,
    /// Also what the compiler relies on: objects are alive and of the kind that they are used as, elements are in range, ints that can't overflow don't.
    Memory,
}

impl Body<'_> {
    /// Verifies what the operation relies on: that the objects it is given are alive, and what is its own.
    pub(super) fn check(&mut self, op: &Op) {
        let Some(name) = name(op).filter(|_| self.checks == Checks::Memory) else { return };
        self.say_place(name);
        let mut operands = vec![];
        op.for_each_use(|atom, _| operands.push(*atom));
        operands.iter().for_each(|atom| self.check_operand(atom));
        match op {
            Op::IndexAdd(a, b) => self.check_range("add", a, b),
            Op::IndexMul(a, b) => self.check_range("mul", a, b),
            Op::Switch(tag, arms) => {
                let tag = self.atom(tag);
                let inside = self.value(format_args!("icmp ult i64 {tag}, {}", arms.len()));
                self.check_holds(&inside);
            }
            Op::Sum { count, .. } => {
                let count = self.atom(count);
                let counts = self.value(format_args!("icmp sge i64 {count}, 0"));
                self.check_holds(&counts);
            }
            Op::Load(descriptor, node, _) | Op::Open { descriptor, node, .. } => {
                let node = self.atom(node);
                self.line(format_args!("call void @rt_check_node(ptr %ctx, ptr {node}, ptr @d{})", descriptor.0));
            }
            Op::Axis(array, axis) => {
                let array = self.atom(array);
                self.line(format_args!("call void @rt_check_axis(ptr %ctx, ptr {array}, i64 {axis})"));
            }
            Op::LoadElement { array, rank, words, at, columns }
            | Op::TakeElement { array, rank, words, at, columns } => {
                self.check_element(array, *columns, *rank, *words as usize, at);
            }
            Op::StoreElement { array, rank, at, leaves, columns } => {
                self.check_element(array, *columns, *rank, leaves.len(), at);
                self.line(format_args!("call void @rt_check_alone(ptr %ctx, ptr {})", self.atom(array)));
            }
            Op::Append { array, leaves } => {
                let (array, words) = (self.atom(array), leaves.len());
                let args = format!("ptr %ctx, ptr {array}, i64 {KIND_ARRAY}, i64 1, i64 {words}");
                self.line(format_args!("call void @rt_check_array({args})"));
            }
            Op::Product(product) => {
                let [m, k, n] = product.lengths;
                self.check_matrix(&product.left, &m, &k);
                self.check_matrix(&product.right, &k, &n);
                if let Some((array, rank, at)) = product.out {
                    self.check_matrix(&Matrix { array, rank, at, row: n, column: Atom::Int(1) }, &m, &n);
                    self.line(format_args!("call void @rt_check_alone(ptr %ctx, ptr {})", self.atom(&array)));
                }
            }
            Op::OneHot { lengths, at, .. } | Op::AddAt { lengths, at, .. } => {
                self.check_part(lengths, at, &Atom::Int(1))
            }
            Op::Placed(placed) | Op::AddPlaced { placed, .. } => {
                self.check_part(&placed.lengths, &placed.at, &placed.count);
            }
            _ => {}
        }
    }

    /// Where control never gets.
    pub(super) fn check_never(&mut self) {
        if self.checks == Checks::Memory {
            self.say_place("an end that is never reached");
            self.check_holds("false");
        }
    }

    fn say_place(&mut self, op: &str) {
        let number = self.needs.places.len();
        self.needs.places.push(place(number, &self.function.name, op, self.span));
        let word = self.lines.word("%ctx", CTX_PLACE);
        self.line(format_args!("store ptr @place{number}, ptr {word}"));
    }

    fn check_operand(&mut self, atom: &Atom) {
        let what = match (atom, self.leaf_of(atom)) {
            (Atom::Var(_), Leaf::Object) => "object",
            (Atom::Var(_), Leaf::Ptr) => "pointer",
            _ => return,
        };
        self.line(format_args!("call void @rt_check_{what}(ptr %ctx, ptr {})", self.atom(atom)));
    }

    fn check_holds(&mut self, condition: &str) {
        let word = self.value(format_args!("zext i1 {condition} to i64"));
        self.line(format_args!("call void @rt_check_holds(ptr %ctx, i64 {word})"));
    }

    /// The result is an int.
    fn check_range(&mut self, op: &str, a: &Atom, b: &Atom) {
        let (a, b) = (self.atom(a), self.atom(b));
        let both = self.value(format_args!("call {{ i64, i1 }} @llvm.s{op}.with.overflow.i64(i64 {a}, i64 {b})"));
        let over = self.value(format_args!("extractvalue {{ i64, i1 }} {both}, 1"));
        let fits = self.value(format_args!("xor i1 {over}, true"));
        self.check_holds(&fits);
    }

    fn check_element(&mut self, array: &Atom, columns: bool, rank: u32, words: usize, at: &Atom) {
        let (array, at) = (self.atom(array), self.atom(at));
        let kind = if columns { KIND_COLUMNS } else { KIND_ARRAY };
        let args = format!("ptr %ctx, ptr {array}, i64 {kind}, i64 {rank}, i64 {words}, i64 {at}");
        self.line(format_args!("call void @rt_check_element({args})"));
    }

    /// So many rows and columns are among the elements of the array.
    fn check_matrix(&mut self, matrix: &Matrix, rows: &Atom, columns: &Atom) {
        let Matrix { array, rank, at, row, column } = matrix;
        let mut args = format!("ptr %ctx, ptr {}, i64 {rank}", self.atom(array));
        for int in [at, rows, columns, row, column] {
            write!(args, ", i64 {}", self.atom(int)).expect("writing to a string");
        }
        self.line(format_args!("call void @rt_check_matrix({args})"));
    }

    /// `count` elements from `at` on are among those of an array of these lengths.
    fn check_part(&mut self, lengths: &[Atom], at: &Atom, count: &Atom) {
        let mut size = "1".to_string();
        for length in lengths {
            let length = self.atom(length);
            size = self.value(format_args!("mul i64 {size}, {length}"));
        }
        let (at, count) = (self.atom(at), self.atom(count));
        let rest = self.value(format_args!("sub i64 {size}, {at}"));
        for fact in [format!("icmp ule i64 {at}, {size}"), format!("icmp ule i64 {count}, {rest}")] {
            let fact = self.value(format_args!("{fact}"));
            self.check_holds(&fact);
        }
    }
}

/// What an operation is called in a report; those without a name rely on nothing.
fn name(op: &Op) -> Option<&'static str> {
    Some(match op {
        Op::Scalar(..) | Op::InRange(..) | Op::If(..) | Op::Loop { .. } | Op::Text(_) | Op::Quiet(_) => return None,
        Op::Site(_) | Op::Require(..) | Op::Fail(_) => return None,
        Op::IndexAdd(..) => "a sum in range",
        Op::IndexMul(..) => "a product in range",
        Op::Call(..) => "a call",
        Op::Switch(..) => "a choice",
        Op::Sum { .. } => "a sum",
        Op::Node(..) => "a new node",
        Op::Load(..) => "reading a node",
        Op::Open { .. } => "opening a node",
        Op::IsObject(_) | Op::TagOf(_) | Op::PointerOf(_) => "a tag",
        Op::NewArray(..) => "a new array",
        Op::LoadElement { .. } => "reading an element",
        Op::TakeElement { .. } => "taking an element",
        Op::StoreElement { .. } => "writing an element",
        Op::Append { .. } => "appending",
        Op::Axis(..) => "reading a length",
        Op::Unshare(_) => "unsharing an array",
        Op::Row { .. } => "reading a row",
        Op::ReplaceRow { .. } => "replacing a row",
        Op::StoreRow { .. } => "writing a row",
        Op::Prim(..) => "a primitive",
        Op::Product(_) => "a product of matrices",
        Op::IsLarge(..) | Op::Pieces(_) => return None,
        Op::OneHot { .. } | Op::Placed(_) => "placing a sensitivity",
        Op::AddAt { .. } | Op::AddPlaced { .. } | Op::Plus { .. } => "adding sensitivities",
        Op::Dense(..) => "a sensitivity as an array",
        Op::Retain(_) => "retaining",
        Op::Release(_) => "releasing",
        Op::IsUnique(_) => "counting owners",
    })
}

/// The constant that says where code is: the span, then function and operation as a text that ends in 0.
fn place(number: usize, function: &str, op: &str, span: base::Span) -> String {
    let text = format!("{op} in {function}");
    let mut bytes = String::new();
    text.bytes().chain([0]).for_each(|byte| write!(bytes, "\\{byte:02X}").expect("writing to a string"));
    let (length, base::Span { file, start, end }) = (text.len() + 1, span);
    format!(
        "@place{number} = internal constant {{ i64, i64, i64, [{length} x i8] }} \
         {{ i64 {}, i64 {start}, i64 {end}, [{length} x i8] c\"{bytes}\" }}\n",
        file.0
    )
}
