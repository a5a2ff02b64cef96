//! Arrays of rows: `tabulate` whose body yields arrays. A row that the body makes last is written where it belongs; any other is made and then
//! copied there.

use base::codes;
use first_order::{self as l3, Scalar, Type};

use super::flatten::Flatten;
use crate::term::{Atom, Block, End, Leaf, Op, Product};

/// No machine has room for more rows.
const MOST_ROWS: i64 = 1 << 45;

/// A row that can be written anywhere.
enum Row<'a> {
    Tabulated { count: Atom, index: l3::Var, body: &'a l3::Block },
    Written(&'a [l3::Atom]),
    Product(Box<Product>),
}

/// Whose rows they are: element type and rank.
#[derive(Clone, Copy)]
struct Rows<'a> {
    element: &'a Type,
    rank: u32,
    /// The number of rows.
    count: Atom,
    /// The number of this one.
    at: Atom,
    /// Null before the first row.
    array: Atom,
}

impl Flatten<'_> {
    /// The first row decides the lengths of the others; without rows they are 0.
    pub(super) fn tabulate_rows(
        &mut self,
        element: &Type,
        rank: u32,
        n: &l3::Atom,
        index: l3::Var,
        body: &l3::Block,
    ) -> Atom {
        let (count, span) = (self.count(n), self.span);
        self.refuse_endless(count);
        let known = self.known_lengths(rank, body);
        let i = self.bind(index)[0];
        if let Some(lengths) = known {
            return self.tabulate_known_rows((element, rank), (count, Atom::Var(i)), &lengths, body);
        }
        let array = self.fresh(Leaf::Ptr);
        let rows = Rows { element, rank, count, at: Atom::Var(i), array: Atom::Var(array) };
        let step = self.block_of(|this| {
            let grown = match this.row_in_place(rows, body) {
                Some(grown) => grown,
                None => match this.inline(body) {
                    End::Yield(row) => {
                        this.span = span;
                        let store = Op::StoreRow { array: rows.array, row: row[0], at: rows.at, count };
                        this.let_one(Leaf::Object, store)
                    }
                    other => return other,
                },
            };
            End::Again(vec![this.let_one(Leaf::Int, Op::IndexAdd(rows.at, Atom::Int(1))), grown])
        });
        self.span = span;
        let done = Block { statements: vec![], end: End::Yield(vec![rows.array]) };
        let body = self.block_of(|this| {
            let more = this.let_one(Leaf::Bool, Op::Scalar(Scalar::IntLt, vec![rows.at, count]));
            End::Yield(vec![this.let_one(Leaf::Object, Op::If(more, Box::new(step), Box::new(done)))])
        });
        let made = self.block_of(|this| {
            let params = vec![(i, Atom::Int(0)), (array, Atom::Null)];
            End::Yield(vec![this.let_one(Leaf::Object, Op::Loop { params, body: Box::new(body) })])
        });
        let empty = self.block_of(|this| End::Yield(vec![this.new_array(element, vec![Atom::Int(0); rank as usize])]));
        let any = self.let_one(Leaf::Bool, Op::Scalar(Scalar::IntGt, vec![count, Atom::Int(0)]));
        self.let_one(Leaf::Object, Op::If(any, Box::new(made), Box::new(empty)))
    }

    /// The lengths of the rows, if they are known before there is one, and rows can be written anywhere.
    fn known_lengths(&mut self, rank: u32, body: &l3::Block) -> Option<Vec<Atom>> {
        let last = body.statements.last()?;
        if body.end != l3::End::Yield(l3::Atom::Var(last.var)) || !self.can_be_anywhere(last, rank) {
            return None;
        }
        match &last.op {
            l3::Op::Tabulate { n, .. } if self.is_known(n) => Some(vec![self.count(n)]),
            l3::Op::Array(elements) => Some(vec![Atom::Int(elements.len() as i64)]),
            _ => None,
        }
    }

    /// The array is made first, and then each row is written; without rows all lengths are 0.
    fn tabulate_known_rows(
        &mut self,
        (element, rank): (&Type, u32),
        (count, i): (Atom, Atom),
        lengths: &[Atom],
        body: &l3::Block,
    ) -> Atom {
        let (last, before) = body.statements.split_last().expect("lowering: what makes the row");
        let made = self.block_of(|this| {
            let array = this.new_array(element, [&[count], lengths].concat());
            this.count_turns(count, i, |this| {
                let outer = this.place_of_statement();
                before.iter().for_each(|statement| this.lower_statement(statement));
                this.begin_statement(last);
                let row = this.row_of_known_length(&last.op, lengths);
                let first = lengths.iter().fold(i, |first, length| this.multiplied(first, *length));
                let columns = this.has_columns(&this.leaves_of(element));
                this.write_row((array, columns), rank, first, row);
                this.end_statement(outer);
                None
            });
            End::Yield(vec![array])
        });
        let empty = self.block_of(|this| End::Yield(vec![this.new_array(element, vec![Atom::Int(0); rank as usize])]));
        let any = self.let_one(Leaf::Bool, Op::Scalar(Scalar::IntGt, vec![count, Atom::Int(0)]));
        self.let_one(Leaf::Object, Op::If(any, Box::new(made), Box::new(empty)))
    }

    fn row_of_known_length<'a>(&mut self, op: &'a l3::Op, lengths: &[Atom]) -> Row<'a> {
        match op {
            l3::Op::Tabulate { index, body, .. } => Row::Tabulated { count: lengths[0], index: *index, body },
            _ => self.row(op).1,
        }
    }

    /// The array is made when its first row is there; that there are too many is an error before any of the rows'.
    fn refuse_endless(&mut self, count: Atom) {
        if !matches!(count, Atom::Int(..=MOST_ROWS)) {
            let fits = self.let_one(Leaf::Bool, Op::Scalar(Scalar::IntLe, vec![count, Atom::Int(MOST_ROWS)]));
            self.push(vec![], Op::Require(fits, codes::ARRAY_TOO_LARGE));
        }
    }

    /// The array with one more row, if the body makes that row by its last statement; else nothing is written.
    fn row_in_place(&mut self, rows: Rows, body: &l3::Block) -> Option<Atom> {
        let (last, before) = body.statements.split_last()?;
        let yields_it = body.end == l3::End::Yield(l3::Atom::Var(last.var));
        if !yields_it || !self.can_be_anywhere(last, rows.rank) {
            return None;
        }
        let outer = self.place_of_statement();
        let span = self.span;
        before.iter().for_each(|statement| self.lower_statement(statement));
        self.begin_statement(last);
        let (lengths, row) = self.row(&last.op);
        self.span = span;
        self.end_statement(outer);
        let array = self.array_for_row(rows, &lengths);
        self.begin_statement(last);
        let mut first = rows.at;
        for length in &lengths {
            first = self.multiplied(first, *length);
        }
        let columns = self.has_columns(&self.leaves_of(rows.element));
        self.write_row((array, columns), rows.rank, first, row);
        self.end_statement(outer);
        Some(array)
    }

    fn can_be_anywhere(&self, last: &l3::Statement, rank: u32) -> bool {
        match &last.op {
            l3::Op::Tabulate { .. } => rank == 2 && !self.is_shaped_later(last.var),
            l3::Op::Array(_) => rank == 2,
            l3::Op::Prim { .. } => self.is_matrix_product(&last.op),
            _ => false,
        }
    }

    /// The lengths of a row, and how it is made.
    fn row<'a>(&mut self, op: &'a l3::Op) -> (Vec<Atom>, Row<'a>) {
        match op {
            l3::Op::Tabulate { n, index, body } => {
                let count = self.count(n);
                (vec![count], Row::Tabulated { count, index: *index, body })
            }
            l3::Op::Array(elements) => (vec![Atom::Int(elements.len() as i64)], Row::Written(elements)),
            l3::Op::Prim { args, .. } => {
                let (lengths, product) = self.operands(&args[0], &args[1]);
                (lengths, Row::Product(Box::new(product)))
            }
            other => unreachable!("lowering: {other:?} makes no row"),
        }
    }

    /// The array of the rows, made with the first; the others are as long.
    fn array_for_row(&mut self, rows: Rows, lengths: &[Atom]) -> Atom {
        let there = self.block_of(|this| {
            for (axis, length) in (1..).zip(lengths) {
                let known = this.let_one(Leaf::Int, Op::Axis(rows.array, axis));
                let same = this.let_one(Leaf::Bool, Op::Scalar(Scalar::IntEq, vec![known, *length]));
                this.push(vec![], Op::Require(same, codes::RAGGED_ARRAY));
            }
            End::Yield(vec![rows.array])
        });
        let new = self.block_of(|this| {
            let all = [rows.count].iter().chain(lengths).copied().collect();
            End::Yield(vec![this.new_array(rows.element, all)])
        });
        let exists = self.let_one(Leaf::Bool, Op::IsObject(rows.array));
        self.let_one(Leaf::Object, Op::If(exists, Box::new(there), Box::new(new)))
    }

    fn write_row(&mut self, (array, columns): (Atom, bool), rank: u32, first: Atom, row: Row) {
        match row {
            Row::Tabulated { count, index, body } => {
                self.fill_elements((array, columns), (rank, first), count, index, body);
            }
            Row::Written(elements) => {
                for (at, element) in (0..).zip(elements) {
                    let leaves = self.leaves(element);
                    let at = self.added(first, Atom::Int(at));
                    self.push(vec![], Op::StoreElement { array, rank, at, leaves, columns });
                }
            }
            Row::Product(product) => {
                self.push(vec![], Op::Product(Box::new(Product { out: Some((array, rank, first)), ..*product })));
            }
        }
    }
}
