//! Arrays that are only measured and read: rows, slices, columns and transposes of another array need no copy. A view says where the elements
//! are; reading one is arithmetic on indices.

use base::codes;
use calculus::Prim;
use first_order::{self as l3, Scalar, ShapeId, Type};
use rustc_hash::FxHashMap;

use super::flatten::{Flatten, Known};
use super::regions::{Asked, array_rank, asked_of_axes, is_slice};
use crate::term::{Atom, Block, End, Leaf, Op};

/// Elements of an array of rank `rank`, from flat number `at` on.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) array: Atom,
    pub(super) rank: u32,
    pub(super) at: Atom,
    pub(super) axes: Vec<Axis>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    length: Length,
    step: Step,
}

#[derive(Clone, Copy, Debug)]
enum Length {
    /// That of an axis of the array.
    Of(u32),
    Is(Atom),
}

/// How far it is from one position on an axis to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// As on this axis of the array.
    Of(u32),
    Is(Atom),
}

impl View {
    fn whole(array: Atom, rank: u32) -> View {
        let axes = (0..rank).map(|axis| Axis { length: Length::Of(axis), step: Step::Of(axis) }).collect();
        View { array, rank, at: Atom::Int(0), axes }
    }

    /// So many elements one after the other, as a vector.
    pub(super) fn in_order(array: Atom, rank: u32, at: Atom, count: Atom) -> View {
        View { array, rank, at, axes: vec![Axis { length: Length::Is(count), step: Step::Is(Atom::Int(1)) }] }
    }

    /// The elements behind some leading indices of the array, perhaps only some rows of them: the number of those indices.
    fn rows_behind(&self) -> Option<u32> {
        let dropped = self.rank.checked_sub(self.axes.len() as u32)?;
        let in_order = (dropped..).zip(&self.axes).all(|(axis, own)| own.step == Step::Of(axis));
        let uncut =
            (dropped..).zip(&self.axes).skip(1).all(|(axis, own)| matches!(own.length, Length::Of(a) if a == axis));
        (in_order && uncut).then_some(dropped)
    }
}

impl Flatten<'_> {
    /// Is what a primitive makes only read, and can be read where it is?
    pub(super) fn viewing(&self, var: l3::Var, prim: Prim, args: &[l3::Atom], shapes: &[ShapeId]) -> Option<Viewing> {
        let viewing = Viewing::of(&self.program.shapes, &self.lengths, prim, args, shapes);
        viewing.filter(|_| self.viewed[var.0 as usize])
    }

    pub(super) fn primitive_view(&mut self, viewing: Viewing, args: &[l3::Atom], shapes: &[ShapeId]) -> View {
        match viewing {
            Viewing::Slice => self.slice_view(&args[0], &args[1], shapes[1]),
            Viewing::Transposed => self.transposed_view(&args[0]),
            Viewing::SpreadOut => {
                let (rank, long) = self.lengths.spread_out(args).expect("lowering: as was asked");
                self.spread_out_view(&args[0], rank, long)
            }
        }
    }

    /// What is read where an array, or a view of one, is read.
    pub(super) fn view_of(&mut self, array: &l3::Atom) -> View {
        let Type::Array(_, rank) = self.type_of(array) else { panic!("lowering: a view of no array") };
        match self.known(array) {
            Known::View(view) => view,
            _ => View::whole(self.leaf(array), rank),
        }
    }

    pub(super) fn length(&mut self, view: &View, axis: usize) -> Atom {
        match view.axes[axis].length {
            Length::Of(own) => self.let_one(Leaf::Int, Op::Axis(view.array, own)),
            Length::Is(length) => length,
        }
    }

    pub(super) fn step(&mut self, view: &View, axis: usize) -> Atom {
        match view.axes[axis].step {
            Step::Is(step) => step,
            Step::Of(own) => {
                let mut step = Atom::Int(1);
                for behind in own + 1..view.rank {
                    let length = self.let_one(Leaf::Int, Op::Axis(view.array, behind));
                    step = if step == Atom::Int(1) { length } else { self.multiplied(step, length) };
                }
                step
            }
        }
    }

    /// The flat number of the first element behind these indices, each checked.
    pub(super) fn place(&mut self, view: &View, indices: &[l3::Atom]) -> Atom {
        if view.rows_behind().is_some() {
            return self.place_in_rows(view, indices);
        }
        let mut at = view.at;
        for (axis, index) in indices.iter().enumerate() {
            let position = self.position(view, axis, index);
            let step = self.step(view, axis);
            let far = self.multiplied(position, step);
            at = self.added(at, far);
        }
        at
    }

    /// The same where the elements lie in their order: one multiplication for each axis but the first.
    fn place_in_rows(&mut self, view: &View, indices: &[l3::Atom]) -> Atom {
        let mut at = Atom::Int(0);
        for axis in 0..view.axes.len() {
            if axis > 0 && at != Atom::Int(0) {
                let length = self.length(view, axis);
                at = self.multiplied(at, length);
            }
            if let Some(index) = indices.get(axis) {
                let position = self.position(view, axis, index);
                at = self.added(at, position);
            }
        }
        self.added(view.at, at)
    }

    /// An index of the statement, checked if it may be out of range.
    fn position(&mut self, view: &View, axis: usize, index: &l3::Atom) -> Atom {
        let position = self.leaf(index);
        if !self.sure.inside.contains(&(self.place_of_statement().var, axis as u32)) {
            let length = self.length(view, axis);
            let inside = self.let_one(Leaf::Bool, Op::InRange(position, length));
            self.push(vec![], Op::Require(inside, codes::INDEX_OUT_OF_RANGE));
        }
        position
    }

    /// The row at these indices.
    pub(super) fn row_view(&mut self, array: &l3::Atom, indices: &[l3::Atom]) -> View {
        let view = self.view_of(array);
        let at = self.place(&view, indices);
        View { at, axes: view.axes[indices.len()..].to_vec(), ..view }
    }

    /// A slice: on each axis a position, a range or everything.
    fn slice_view(&mut self, array: &l3::Atom, index: &l3::Atom, shape: ShapeId) -> View {
        let view = self.view_of(array);
        let asked = asked_of_axes(&self.program.shapes, shape).expect("lowering: a slice that can be read in place");
        let mut leaves = self.leaves(index).into_iter();
        let (mut at, mut axes) = (view.at, vec![]);
        for (axis, asked) in asked.iter().enumerate() {
            let length = self.length(&view, axis);
            let first = match asked {
                Asked::Range(false, false) => {
                    axes.push(view.axes[axis]);
                    continue;
                }
                Asked::Position => {
                    let position = leaves.next().expect("lowering: an index has a leaf");
                    let inside = self.let_one(Leaf::Bool, Op::InRange(position, length));
                    self.push(vec![], Op::Require(inside, codes::INDEX_OUT_OF_RANGE));
                    position
                }
                Asked::Range(from, to) => {
                    let from = if *from { leaves.next() } else { None };
                    let to = if *to { leaves.next() } else { None };
                    let (from, cut) = self.range(from, to, length);
                    axes.push(Axis { length: Length::Is(cut), step: view.axes[axis].step });
                    from
                }
            };
            let step = self.step(&view, axis);
            let far = self.multiplied(first, step);
            at = self.added(at, far);
        }
        axes.extend(&view.axes[asked.len()..]);
        View { at, axes, ..view }
    }

    /// The first two axes exchanged.
    fn transposed_view(&mut self, array: &l3::Atom) -> View {
        let mut view = self.view_of(array);
        view.axes.swap(0, 1);
        view
    }

    /// A vector of n elements as an array of which one axis has length n, and the others 1.
    fn spread_out_view(&mut self, vector: &l3::Atom, rank: usize, long: usize) -> View {
        let view = self.view_of(vector);
        let one = Axis { length: Length::Is(Atom::Int(1)), step: Step::Is(Atom::Int(0)) };
        let mut axes = vec![one; rank];
        // The step said in numbers: its axis has another place now.
        axes[long] = Axis { length: Length::Is(self.length(&view, 0)), step: Step::Is(self.step(&view, 0)) };
        View { axes, ..view }
    }

    /// All elements of an array, in their order.
    pub(super) fn flat(&mut self, var: l3::Var, array: &l3::Atom) -> Known {
        let Type::Array(element, _) = self.type_of(array) else { panic!("lowering: a view of no array") };
        let view = self.view_of(array);
        let mut count = self.length(&view, 0);
        for axis in 1..view.axes.len() {
            let length = self.length(&view, axis);
            count = self.multiplied(count, length);
        }
        if view.rows_behind().is_some() && self.viewed[var.0 as usize] {
            return Known::View(View::in_order(view.array, view.rank, view.at, count));
        }
        let made = self.new_array(&element, vec![count]);
        self.copy_elements(&view, &element, made, 1);
        Known::Leaves(vec![made])
    }

    /// A vector under these lengths.
    pub(super) fn reshaped_view(&mut self, vector: &View, lengths: &[Atom]) -> View {
        let mut step = self.step(vector, 0);
        let mut axes = vec![];
        for length in lengths.iter().rev() {
            axes.push(Axis { length: Length::Is(*length), step: Step::Is(step) });
            step = self.multiplied(step, *length);
        }
        axes.reverse();
        View { axes, ..*vector }
    }

    /// A new array of the elements of a view.
    pub(super) fn copied(&mut self, view: &View, element: &Type) -> Atom {
        if let Some(dropped) = view.rows_behind()
            && matches!(view.axes[0].length, Length::Of(_))
            && dropped > 0
        {
            return self.let_one(Leaf::Object, Op::Row { array: view.array, dropped, at: view.at });
        }
        let lengths: Vec<Atom> = (0..view.axes.len()).map(|axis| self.length(view, axis)).collect();
        let rank = lengths.len() as u32;
        let made = self.new_array(element, lengths);
        self.copy_elements(view, element, made, rank);
        made
    }

    /// Writes the elements of a view, in their order, into a new array of this rank.
    fn copy_elements(&mut self, view: &View, element: &Type, made: Atom, rank: u32) {
        let lengths: Vec<Atom> = (0..view.axes.len()).map(|axis| self.length(view, axis)).collect();
        let steps: Vec<Atom> = (0..view.axes.len()).map(|axis| self.step(view, axis)).collect();
        let leaves = self.leaves_of(element);
        let columns = self.has_columns(&leaves);
        self.counted(&lengths, Atom::Int(0), &mut |this, indices, to| {
            let mut at = view.at;
            for (index, step) in indices.iter().zip(&steps) {
                let far = this.multiplied(*index, *step);
                at = this.added(at, far);
            }
            let words = leaves.len() as u32;
            let read =
                this.let_all(&leaves, Op::LoadElement { array: view.array, rank: view.rank, words, at, columns });
            this.push(vec![], Op::StoreElement { array: made, rank, at: to, leaves: read, columns });
            true
        });
    }

    /// Loops over all positions of axes of these lengths, in their order; `each` gets them and the flat number, from `first` on, and says
    /// whether control gets behind it.
    pub(super) fn counted(
        &mut self,
        lengths: &[Atom],
        first: Atom,
        each: &mut dyn FnMut(&mut Self, &[Atom], Atom) -> bool,
    ) {
        self.counted_axes(lengths, &mut vec![], first, each);
    }

    fn counted_axes(
        &mut self,
        lengths: &[Atom],
        indices: &mut Vec<Atom>,
        first: Atom,
        each: &mut dyn FnMut(&mut Self, &[Atom], Atom) -> bool,
    ) -> bool {
        let Some((length, behind)) = lengths.split_first() else { return each(self, indices, first) };
        let i = self.fresh(Leaf::Int);
        indices.push(Atom::Var(i));
        let step = self.block_of(|this| {
            let mut row = Atom::Var(i);
            for length in behind {
                row = this.multiplied(row, *length);
            }
            let start = this.added(first, row);
            if !this.counted_axes(behind, indices, start, each) {
                return End::Never;
            }
            End::Again(vec![this.let_one(Leaf::Int, Op::IndexAdd(Atom::Var(i), Atom::Int(1)))])
        });
        indices.pop();
        let done = Block { statements: vec![], end: End::Yield(vec![]) };
        let body = self.block_of(|this| {
            let more = this.let_one(Leaf::Bool, Op::Scalar(Scalar::IntLt, vec![Atom::Var(i), *length]));
            this.push(vec![], Op::If(more, Box::new(step), Box::new(done)));
            End::Yield(vec![])
        });
        self.push(vec![], Op::Loop { params: vec![(i, Atom::Int(0))], body: Box::new(body) });
        // Without elements it isn't run.
        true
    }
}

/// What is known before a function is lowered about lengths: those that vectors were made with or measured to have, arrays that were written
/// element by element, and the lengths that vectors get later.
#[derive(Default)]
pub(super) struct Lengths {
    of_vectors: FxHashMap<l3::Var, Vec<l3::Atom>>,
    written: FxHashMap<l3::Var, Vec<l3::Atom>>,
    given: FxHashMap<l3::Var, (l3::Var, Vec<l3::Atom>)>,
}

impl Lengths {
    pub(super) fn learn(&mut self, var: l3::Var, op: &l3::Op) {
        match op {
            l3::Op::Len(l3::Atom::Var(array)) => self.of_vectors.entry(*array).or_default().push(l3::Atom::Var(var)),
            l3::Op::Tabulate { n, .. } => self.of_vectors.entry(var).or_default().push(n.clone()),
            l3::Op::Array(elements) => {
                self.written.insert(var, elements.clone());
            }
            l3::Op::Shaped(l3::Atom::Var(vector), lengths) => {
                self.given.entry(*vector).or_insert_with(|| (var, lengths.clone()));
            }
            _ => {}
        }
    }

    pub(super) fn given_later(&self, vector: l3::Var) -> Option<&[l3::Atom]> {
        self.given.get(&vector).map(|(_, lengths)| lengths.as_slice())
    }

    /// What has the lengths that a vector gets later.
    pub(super) fn shaped_as(&self, vector: l3::Var) -> Option<l3::Var> {
        self.given.get(&vector).map(|(shaped, _)| *shaped)
    }

    /// If a vector is reshaped to an array of which one axis is as long as the vector, and the others have length 1: the rank, and that axis.
    pub(super) fn spread_out(&self, args: &[l3::Atom]) -> Option<(usize, usize)> {
        let [l3::Atom::Var(vector), l3::Atom::Var(shape)] = args else { return None };
        let (known, written) = (self.of_vectors.get(vector)?, self.written.get(shape)?);
        let long = written.iter().position(|length| known.contains(length) && matches!(length, l3::Atom::Var(_)))?;
        let others = written.iter().enumerate().all(|(axis, length)| axis == long || *length == l3::Atom::Int(1));
        others.then_some((written.len(), long))
    }
}

/// How a primitive is a view of its first argument, if all uses of it are readings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Viewing {
    Slice,
    Transposed,
    /// As [`Lengths::spread_out`] says.
    SpreadOut,
}

impl Viewing {
    pub(super) fn of(
        shapes: &l3::Shapes,
        lengths: &Lengths,
        prim: Prim,
        args: &[l3::Atom],
        of: &[ShapeId],
    ) -> Option<Viewing> {
        match prim {
            Prim::Index | Prim::Part => is_slice(shapes, of[0], of[1]).then_some(Viewing::Slice),
            Prim::Transpose => (array_rank(shapes, of[0])? >= 2).then_some(Viewing::Transposed),
            Prim::Reshape if array_rank(shapes, of[0])? == 1 => lengths.spread_out(args).map(|_| Viewing::SpreadOut),
            _ => None,
        }
    }
}
