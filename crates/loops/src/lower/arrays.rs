//! Array operations: tabulate as a loop that stores, reading and replacing with their checks.

use first_order::{self as l3, Scalar, Type};

use super::flatten::{Flatten, Known};
use super::views::View;
use crate::term::{Atom, Block, End, Kind, Leaf, Op, Place};

impl Flatten<'_> {
    /// The leaves of the result of an operation on arrays.
    pub(super) fn array_op(&mut self, result: &Type, op: &l3::Op) -> Vec<Atom> {
        match op {
            l3::Op::Tabulate { n, index, body } => {
                let Type::Array(element, rank) = result else { panic!("lowering: tabulate makes arrays") };
                vec![if *rank == 1 {
                    self.tabulate_elements(element, n, *index, body)
                } else {
                    self.tabulate_rows(element, *rank, n, *index, body)
                }]
            }
            l3::Op::Array(elements) => vec![self.array(result, elements)],
            l3::Op::Len(array) => {
                let view = self.view_of(array);
                vec![self.length(&view, 0)]
            }
            l3::Op::Axis(array, axis) => {
                let view = self.view_of(array);
                vec![self.length(&view, *axis as usize)]
            }
            l3::Op::Shaped(vector, lengths) => vec![self.shaped(result, vector, lengths)],
            l3::Op::Element(array, indices) => self.element(array, indices),
            l3::Op::Replace(array, indices, value) => vec![self.replace(array, indices, value)],
            l3::Op::Append(array, element) => {
                let (array, leaves) = (self.leaf(array), self.leaves(element));
                vec![self.let_one(Leaf::Object, Op::Append { array, leaves })]
            }
            other => unreachable!("lowering: {other:?} is no operation on arrays"),
        }
    }

    pub(super) fn new_array(&mut self, element: &Type, lengths: Vec<Atom>) -> Atom {
        let tables = &mut *self.tables;
        let descriptor = tables.layouts.array(element, &tables.grown, &mut tables.descriptors);
        self.let_one(Leaf::Object, Op::NewArray(descriptor, lengths))
    }

    /// Do elements with these leaves lie in columns?
    pub(super) fn has_columns(&self, element: &[Leaf]) -> bool {
        self.tables.grown.kind(element) == Kind::Columns
    }

    /// n, or 0 if it is negative.
    pub(super) fn count(&mut self, n: &l3::Atom) -> Atom {
        match self.leaf(n) {
            Atom::Int(n) => Atom::Int(n.max(0)),
            n => self.let_one(Leaf::Int, Op::Scalar(Scalar::IntMaximum, vec![n, Atom::Int(0)])),
        }
    }

    fn tabulate_elements(&mut self, element: &Type, n: &l3::Atom, index: l3::Var, body: &l3::Block) -> Atom {
        let count = self.count(n);
        let array = self.new_array(element, vec![count]);
        let columns = self.has_columns(&self.leaves_of(element));
        self.fill_elements((array, columns), (1, Atom::Int(0)), count, index, body);
        array
    }

    /// Is nobody interested in the array, but in whether its elements can be made?
    pub(super) fn is_made_for_its_checks(&self, var: l3::Var) -> bool {
        let Type::Array(element, rank) = self.type_of_var(var) else { return false };
        // Rows are compared with each other, and pointers given up, where the array is.
        *rank == 1 && self.unused[var.0 as usize] && !self.leaves_of(element).iter().any(|leaf| leaf.is_pointer())
    }

    /// Runs the body as often as there would be elements.
    pub(super) fn repeated(&mut self, n: &l3::Atom, index: l3::Var, body: &l3::Block) {
        let count = self.count(n);
        self.count_up(count, index, body, |_, _, _| {});
    }

    /// Stores the elements of an array of this rank, one after the other from the flat number `first` on.
    pub(super) fn fill_elements(
        &mut self,
        (array, columns): (Atom, bool),
        (rank, first): (u32, Atom),
        count: Atom,
        index: l3::Var,
        body: &l3::Block,
    ) {
        self.count_up(count, index, body, |this, i, leaves| {
            let at = this.added(first, i);
            this.push(vec![], Op::StoreElement { array, rank, at, leaves, columns });
        });
    }

    /// Runs the body for 0 … count - 1, each time with `then` after it.
    fn count_up(
        &mut self,
        count: Atom,
        index: l3::Var,
        body: &l3::Block,
        mut then: impl FnMut(&mut Self, Atom, Vec<Atom>),
    ) {
        let i = Atom::Var(self.bind(index)[0]);
        self.count_turns(count, i, |this| match this.inline(body) {
            End::Yield(leaves) => {
                then(this, i, leaves);
                None
            }
            other => Some(other),
        });
    }

    /// Runs a turn for each i in 0 … count - 1, unless it ends elsewhere.
    pub(super) fn count_turns(&mut self, count: Atom, i: Atom, turn: impl FnOnce(&mut Self) -> Option<End>) {
        let Atom::Var(counter) = i else { panic!("lowering: a variable counts") };
        let step = self.block_of(|this| {
            let next = |this: &mut Self| End::Again(vec![this.let_one(Leaf::Int, Op::IndexAdd(i, Atom::Int(1)))]);
            turn(this).unwrap_or_else(|| next(this))
        });
        let done = Block { statements: vec![], end: End::Yield(vec![]) };
        let body = self.block_of(|this| {
            let more = this.let_one(Leaf::Bool, Op::Scalar(Scalar::IntLt, vec![i, count]));
            this.push(vec![], Op::If(more, Box::new(step), Box::new(done)));
            End::Yield(vec![])
        });
        self.push(vec![], Op::Loop { params: vec![(counter, Atom::Int(0))], body: Box::new(body) });
    }

    /// Is a vector only measured, read and given other lengths, which are known already?
    pub(super) fn is_shaped_later(&self, vector: l3::Var) -> bool {
        let known = |length: &l3::Atom| self.is_known(length);
        self.viewed[vector.0 as usize]
            && self.lengths.given_later(vector).is_some_and(|lengths| lengths.iter().all(known))
    }

    /// Has the operand a value here?
    pub(super) fn is_known(&self, atom: &l3::Atom) -> bool {
        !matches!(atom, l3::Atom::Var(var) if self.known[var.0 as usize].is_none())
    }

    /// A vector that gets other lengths later, made as what it will be.
    pub(super) fn tabulate_shaped(&mut self, vector: l3::Var, n: &l3::Atom, index: l3::Var, body: &l3::Block) -> View {
        let Type::Array(element, _) = self.type_of_var(vector) else { panic!("lowering: tabulate makes arrays") };
        let lengths = self.lengths.given_later(vector).expect("lowering: as was asked").to_vec();
        let lengths = self.all_leaves(&lengths);
        let rank = lengths.len() as u32;
        let count = self.count(n);
        // It is made by the statement that has its type.
        let own = self.place_of_statement();
        let var = self.lengths.shaped_as(vector).expect("lowering: as was asked");
        self.end_statement(Place { var, ..own });
        let array = self.new_array(element, lengths);
        self.end_statement(own);
        let columns = self.has_columns(&self.leaves_of(element));
        self.fill_elements((array, columns), (rank, Atom::Int(0)), count, index, body);
        self.shaped.insert(vector);
        View::in_order(array, rank, Atom::Int(0), count)
    }

    /// A vector under other lengths.
    fn shaped(&mut self, result: &Type, vector: &l3::Atom, lengths: &[l3::Atom]) -> Atom {
        let Type::Array(element, _) = result else { panic!("lowering: lengths of no array") };
        if let l3::Atom::Var(var) = vector
            && self.shaped.contains(var)
            && self.lengths.given_later(*var) == Some(lengths)
            && let Known::View(view) = self.known(vector)
        {
            return view.array;
        }
        let (made, lengths) = (self.view_of(vector), self.all_leaves(lengths));
        let view = self.reshaped_view(&made, &lengths);
        self.copied(&view, element)
    }

    fn array(&mut self, result: &Type, elements: &[l3::Atom]) -> Atom {
        let Type::Array(element, rank) = result else { panic!("lowering: an array of another type") };
        let count = Atom::Int(elements.len() as i64);
        if elements.is_empty() {
            return self.new_array(element, vec![Atom::Int(0); *rank as usize]);
        }
        if *rank > 1 {
            let mut array = Atom::Null;
            for (at, row) in (0..).zip(elements) {
                let row = self.leaf(row);
                array = self.let_one(Leaf::Object, Op::StoreRow { array, row, at: Atom::Int(at), count });
            }
            return array;
        }
        let array = self.new_array(element, vec![count]);
        let columns = self.has_columns(&self.leaves_of(element));
        for (at, element) in (0..).zip(elements) {
            let leaves = self.leaves(element);
            self.push(vec![], Op::StoreElement { array, rank: 1, at: Atom::Int(at), leaves, columns });
        }
        array
    }

    /// The sum of the values of a body.
    pub(super) fn sum(&mut self, n: &l3::Atom, index: l3::Var, body: &l3::Block) -> Op {
        let count = self.count(n);
        let i = self.bind(index)[0];
        let body = Box::new(self.block(body));
        Op::Sum { count, index: i, body }
    }

    /// Is this a part of an array that needn't be copied?
    pub(super) fn is_view(&self, var: l3::Var, array: &l3::Atom, indices: &[l3::Atom]) -> bool {
        let Type::Array(_, rank) = self.type_of(array) else { return false };
        self.viewed[var.0 as usize] && (indices.len() as u32) < rank
    }

    pub(super) fn multiplied(&mut self, a: Atom, b: Atom) -> Atom {
        match (a, b) {
            (Atom::Int(0), _) | (_, Atom::Int(1)) => a,
            _ => self.let_one(Leaf::Int, Op::IndexMul(a, b)),
        }
    }

    pub(super) fn added(&mut self, a: Atom, b: Atom) -> Atom {
        match (a, b) {
            (Atom::Int(0), other) | (other, Atom::Int(0)) => other,
            _ => self.let_one(Leaf::Int, Op::IndexAdd(a, b)),
        }
    }

    fn element(&mut self, array: &l3::Atom, indices: &[l3::Atom]) -> Vec<Atom> {
        let Type::Array(element, _) = self.type_of(array) else { panic!("lowering: an element of no array") };
        let row = self.row_view(array, indices);
        if !row.axes.is_empty() {
            return vec![self.copied(&row, &element)];
        }
        let leaves = self.leaves_of(&element);
        let (words, columns) = (leaves.len() as u32, self.has_columns(&leaves));
        self.let_all(&leaves, Op::LoadElement { array: row.array, rank: row.rank, words, at: row.at, columns })
    }

    fn replace(&mut self, array: &l3::Atom, indices: &[l3::Atom], value: &l3::Atom) -> Atom {
        let Type::Array(element, rank) = self.type_of(array) else { panic!("lowering: replacing in no array") };
        let whole = self.view_of(array);
        let at = self.place(&whole, indices);
        let array = whole.array;
        let dropped = indices.len() as u32;
        if dropped < rank {
            let row = self.leaf(value);
            return self.let_one(Leaf::Object, Op::ReplaceRow { array, row, dropped, at });
        }
        let leaves = self.leaves(value);
        let kinds = self.leaves_of(&element);
        let columns = self.has_columns(&kinds);
        let array = self.let_one(Leaf::Object, Op::Unshare(array));
        if kinds.iter().any(|leaf| leaf.is_pointer()) {
            self.let_all(&kinds, Op::TakeElement { array, rank, words: kinds.len() as u32, at, columns });
        }
        self.push(vec![], Op::StoreElement { array, rank, at, leaves, columns });
        array
    }
}
