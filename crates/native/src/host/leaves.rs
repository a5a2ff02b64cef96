//! Arguments as a host has them: numbers, and arrays that lie anywhere in its memory with any strides.

use std::marker::PhantomData;

use first_order::{Head, ShapeId, Shapes};

use crate::layout::{ElementKind, Layouts};
use crate::run::Runner;
use crate::runtime::Failure;
use crate::runtime::object::ArrayView;

/// A number or an array of the argument.
#[derive(Clone, Copy, Debug)]
pub enum Leaf<'a> {
    Bool(bool),
    Int(i64),
    Real(f64),
    Array(View<'a>),
}

/// What the elements of a host's array are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    F64,
    F32,
    I64,
    I32,
    /// A byte that is 0 or 1.
    Bool,
}

/// An array in a host's memory.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    data: *const u8,
    pub lengths: &'a [usize],
    /// From element to element along each axis, in bytes.
    strides: &'a [isize],
    pub number: Number,
    _memory: PhantomData<&'a u8>,
}

impl<'a> View<'a> {
    /// # Safety
    /// At `data` and these strides there are elements of this kind, as many as the lengths say; they stay there, and nobody changes
    /// them, while the view is used.
    pub unsafe fn new(data: *const u8, lengths: &'a [usize], strides: &'a [isize], number: Number) -> View<'a> {
        assert_eq!(lengths.len(), strides.len(), "host: a stride for each axis");
        View { data, lengths, strides, number, _memory: PhantomData }
    }

    fn kind(&self) -> ElementKind {
        match self.number {
            Number::F64 | Number::F32 => ElementKind::Real,
            Number::I64 | Number::I32 => ElementKind::Int,
            Number::Bool => ElementKind::Bool,
        }
    }

    /// Calls `each` with every element, in row-major order.
    ///
    /// # Safety
    /// `T` is what the elements are.
    unsafe fn each<T: Copy>(&self, mut each: impl FnMut(T)) {
        let Some((&inner, outer)) = self.lengths.split_last() else {
            // SAFETY: an array without axes has one element.
            return each(unsafe { self.data.cast::<T>().read_unaligned() });
        };
        let stride = self.strides[outer.len()];
        self.rows(|row| {
            for at in 0..inner as isize {
                // SAFETY: the element is one of the array's.
                each(unsafe { row.offset(at * stride).cast::<T>().read_unaligned() });
            }
        });
    }

    /// Calls `each` with the address of the first element of every row along the last axis.
    fn rows(&self, mut each: impl FnMut(*const u8)) {
        let outer = &self.lengths[..self.lengths.len() - 1];
        if self.lengths.contains(&0) {
            return;
        }
        let mut at = vec![0; outer.len()];
        let mut row = self.data;
        loop {
            each(row);
            // The next index, the last axis first.
            let mut axis = outer.len();
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                at[axis] += 1;
                row = row.wrapping_offset(self.strides[axis]);
                if at[axis] < outer[axis] {
                    break;
                }
                row = row.wrapping_offset(-(outer[axis] as isize) * self.strides[axis]);
                at[axis] = 0;
            }
        }
    }

    /// Do the elements lie one after the other, as ours do?
    fn is_contiguous(&self, size: isize) -> bool {
        let mut next = size;
        for (&length, &stride) in self.lengths.iter().zip(self.strides).rev() {
            if length != 1 && stride != next {
                return false;
            }
            next *= length as isize;
        }
        true
    }

    /// The elements in row-major order, as the words that ours are.
    pub fn words(&self) -> Vec<u64> {
        let mut words = vec![0; self.lengths.iter().product()];
        // SAFETY: there is room for all elements.
        unsafe { self.copy(words.as_mut_ptr()) };
        words
    }

    /// Copies the elements, as the words that ours are.
    ///
    /// # Safety
    /// There is room for as many words.
    unsafe fn copy(&self, out: *mut u64) {
        let size = self.lengths.iter().product::<usize>();
        if matches!(self.number, Number::F64 | Number::I64) && self.is_contiguous(8) {
            // SAFETY: by this function's contract and that of `new`. The host's array may be unaligned: bytes are copied.
            unsafe { out.cast::<u8>().copy_from_nonoverlapping(self.data, 8 * size) };
            return;
        }
        let mut next = out;
        let mut put = |word: u64| {
            // SAFETY: there are as many elements as there is room for.
            unsafe {
                next.write(word);
                next = next.add(1);
            }
        };
        // SAFETY: the number says what the elements are.
        unsafe {
            match self.number {
                Number::F64 | Number::I64 => self.each(put),
                Number::F32 => self.each(|x: f32| put(f64::from(x).to_bits())),
                Number::I32 => self.each(|x: i32| put(i64::from(x) as u64)),
                Number::Bool => self.each(|x: u8| put(u64::from(x != 0))),
            }
        }
    }
}

/// Where the leaves of an argument go among its words.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    places: Vec<Place>,
    words: usize,
}

#[derive(Clone, Debug)]
struct Place {
    word: usize,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Scalar(ElementKind),
    /// The shape whose only alternative the array is.
    Array {
        elements: ElementKind,
        rank: usize,
        shape: ShapeId,
    },
}

impl Plan {
    /// `None` if the argument isn't made of numbers, arrays of numbers, and data of these whose form is known.
    pub fn new(shapes: &Shapes, layouts: &Layouts, shape: ShapeId) -> Option<Plan> {
        let mut plan = Plan { places: vec![], words: layouts.get(shape).words };
        plan.add(shapes, layouts, shape, 0)?;
        Some(plan)
    }

    fn add(&mut self, shapes: &Shapes, layouts: &Layouts, shape: ShapeId, word: usize) -> Option<()> {
        let layout = layouts.get(shape);
        let ([one], [own]) = (&shapes.get(shape).alternatives[..], &layout.alternatives[..]) else { return None };
        if layout.is_named() {
            return None;
        }
        let what = match one.head {
            Head::Bool => What::Scalar(ElementKind::Bool),
            Head::Int => What::Scalar(ElementKind::Int),
            Head::Real => What::Scalar(ElementKind::Real),
            Head::Array(rank) if own.elements != ElementKind::Other => {
                What::Array { elements: own.elements, rank: rank as usize, shape }
            }
            Head::Tuple | Head::Record(_) | Head::Variant(_) => {
                for (&part, &start) in one.parts.iter().zip(&own.starts) {
                    self.add(shapes, layouts, part, word + start)?;
                }
                return Some(());
            }
            _ => return None,
        };
        self.places.push(Place { word, what });
        Some(())
    }
}

impl Runner {
    /// Appends the words of an argument that is given as leaves.
    pub(super) fn write_leaves(&mut self, plan: &Plan, layouts: &Layouts, leaves: &[Leaf]) -> Result<(), Failure> {
        if leaves.len() != plan.places.len() {
            let (given, wanted) = (leaves.len(), plan.places.len());
            return Err(Failure::Mismatch(format!("{given} numbers and arrays where there should be {wanted}")));
        }
        let start = self.add_words(plan.words);
        for (leaf, place) in leaves.iter().zip(&plan.places) {
            let word = match (leaf, place.what) {
                (Leaf::Bool(b), What::Scalar(ElementKind::Bool)) => u64::from(*b),
                (Leaf::Int(i), What::Scalar(ElementKind::Int)) => *i as u64,
                (Leaf::Real(x), What::Scalar(ElementKind::Real)) => x.to_bits(),
                (Leaf::Array(view), What::Array { elements, rank, shape })
                    if view.kind() == elements && view.lengths.len() == rank =>
                {
                    self.copy_view(layouts, shape, view)?
                }
                (leaf, what) => return Err(Failure::Mismatch(format!("{leaf:?} where there should be {what:?}"))),
            };
            self.set_word(start + place.word, word);
        }
        Ok(())
    }

    /// A copy of a host's array on the heap.
    fn copy_view(&mut self, layouts: &Layouts, shape: ShapeId, view: &View) -> Result<u64, Failure> {
        let mut lengths = [0; 8];
        let few = view.lengths.len() <= lengths.len();
        let many: Vec<u64> = if few { vec![] } else { view.lengths.iter().map(|&n| n as u64).collect() };
        lengths.iter_mut().zip(view.lengths).for_each(|(own, &n)| *own = n as u64);
        let lengths = if few { &lengths[..view.lengths.len()] } else { &many };
        // SAFETY: the layouts outlive the run, and the descriptor is that of such arrays; the object has room for its elements.
        unsafe {
            let object = self.array(layouts.get(shape).alternatives[0].array(), lengths);
            let object = object.map_err(|code| Failure::Error { code, span: None })?;
            view.copy(ArrayView::new(object).elements());
            Ok(object as u64)
        }
    }
}
