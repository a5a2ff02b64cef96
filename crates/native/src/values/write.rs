//! Values as leaf words.
//!
//! A node is allocated when its pointer is written, and filled later from a list. Nodes that the value shares are shared here too.

use std::rc::Rc;

use base::{Code, memory};
use eval::Value;
use eval::array::{Array, Elements};
use eval::value::{Data, Form, Function, Suspended};
use first_order::shape::{Alternative, Head, ShapeId};
use rustc_hash::FxHashMap;

use super::{Border, with_words};
use crate::layout::{AlternativeLayout, ElementKind, is_sum};
use crate::runtime::object::{self, ArrayView, HEADER};
use crate::runtime::{Context, collector};

/// Why a value wasn't written. What was allocated by then stays with the context.
#[derive(Clone, PartialEq, Debug)]
pub enum Unwritten {
    /// It doesn't fit the shape.
    Mismatch(String),
    /// There is no room for it.
    Memory(Code),
}

type Result<T> = std::result::Result<T, Unwritten>;

/// Appends the leaf words of a value to `words`; the pointers among them are owned by the caller.
pub fn write(ctx: &mut Context, border: Border, shape: ShapeId, value: &Value, words: &mut Vec<u64>) -> Result<()> {
    write_as(ctx, border, shape, value, words, Large::Copied)
}

/// The same for arguments of a run: large arrays of numbers stay where they are, and the context keeps them until it is reset.
pub fn write_argument(
    ctx: &mut Context,
    border: Border,
    shape: ShapeId,
    value: &Value,
    words: &mut Vec<u64>,
) -> Result<()> {
    write_as(ctx, border, shape, value, words, Large::Lent)
}

/// What becomes of large arrays of numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Large {
    Copied,
    Lent,
}

fn write_as(
    ctx: &mut Context,
    border: Border,
    shape: ShapeId,
    value: &Value,
    words: &mut Vec<u64>,
    large: Large,
) -> Result<()> {
    let start = words.len();
    words.resize(start + border.layouts.get(shape).words, 0);
    fill(ctx, border, shape, value, &mut words[start..], large)
}

/// Writes the leaf words of a value, as many as there are in `out`.
pub fn write_words(ctx: &mut Context, border: Border, shape: ShapeId, value: &Value, out: &mut [u64]) -> Result<()> {
    fill(ctx, border, shape, value, out, Large::Copied)
}

fn fill(ctx: &mut Context, border: Border, shape: ShapeId, value: &Value, out: &mut [u64], large: Large) -> Result<()> {
    let mut writer =
        Writer { ctx, border, large, unfilled: vec![], shared: FxHashMap::default(), arrays: FxHashMap::default() };
    writer.value(shape, value, out)?;
    while let Some(node) = writer.unfilled.pop() {
        let words = border.layouts.get(node.shape).content;
        // SAFETY: the node was allocated with as many leaf words and is seen by nobody else now.
        let out = unsafe { std::slice::from_raw_parts_mut(node.object.add(HEADER), words) };
        writer.content(node.shape, node.alternative, &node.value, out)?;
    }
    Ok(())
}

struct Writer<'a> {
    ctx: &'a mut Context,
    border: Border<'a>,
    large: Large,
    unfilled: Vec<Unfilled>,
    /// Nodes by the address of the value they were made of, which is kept alive.
    shared: FxHashMap<(*const u8, ShapeId), (u64, Value)>,
    /// Likewise arrays, by the shape of their elements and their rank.
    arrays: FxHashMap<(*const u8, ShapeId, usize), (u64, Value)>,
}

/// A node whose content is still to be written.
struct Unfilled {
    object: *mut u64,
    shape: ShapeId,
    alternative: usize,
    value: Value,
}

impl Writer<'_> {
    fn value(&mut self, shape: ShapeId, value: &Value, out: &mut [u64]) -> Result<()> {
        let layout = self.border.layouts.get(shape);
        match scalar(value) {
            Some((head, word)) if !layout.is_named() && layout.alternatives.len() == 1 => {
                if self.border.shapes.get(shape).alternatives[0].head != head {
                    return self.mismatch(shape, value);
                }
                out[0] = word;
                Ok(())
            }
            _ => {
                let (alternative, value) = self.choose(shape, value)?;
                if layout.is_named() {
                    out[0] = self.named(shape, alternative, value)?;
                    return Ok(());
                }
                self.content(shape, alternative, &value, out)
            }
        }
    }

    /// The pointer to a node, whose content is written later.
    fn named(&mut self, shape: ShapeId, alternative: usize, value: Value) -> Result<u64> {
        let layout = self.border.layouts.get(shape);
        if layout.alternatives.len() > 1 && layout.alternatives[alternative].words == 0 {
            // Nothing is written, but its parts must fit too.
            let chosen = &self.border.shapes.get(shape).alternatives[alternative];
            self.alternative(chosen, &layout.alternatives[alternative], &value, &mut [])?;
            return Ok(alternative as u64);
        }
        let key = shared_address(&value).map(|address| (address, shape));
        if let Some((word, _)) = key.and_then(|key| self.shared.get(&key)) {
            // SAFETY: the word is a node that this writer made.
            unsafe { object::retain(*word) };
            return Ok(*word);
        }
        // SAFETY: the layouts outlive the run, and the descriptor is that of the shape's nodes.
        let object = unsafe { self.ctx.node(layout.node()) }.map_err(Unwritten::Memory)?;
        if let Some(key) = key {
            self.shared.insert(key, (object as u64, value.clone()));
        }
        self.unfilled.push(Unfilled { object, shape, alternative, value });
        Ok(object as u64)
    }

    /// The words of one alternative, in a sum at their places behind the tag.
    fn content(&mut self, shape: ShapeId, index: usize, value: &Value, out: &mut [u64]) -> Result<()> {
        let layout = &self.border.layouts.get(shape).alternatives[index];
        let shape = self.border.shapes.get(shape);
        if !is_sum(shape) {
            return self.alternative(&shape.alternatives[index], layout, value, out);
        }
        with_words(layout.words, |words| {
            self.alternative(&shape.alternatives[index], layout, value, words)?;
            out.fill(0);
            out[0] = index as u64;
            words.iter().zip(&layout.places).for_each(|(word, &place)| out[place] = *word);
            Ok(())
        })
    }

    fn alternative(
        &mut self,
        alternative: &Alternative,
        layout: &AlternativeLayout,
        value: &Value,
        out: &mut [u64],
    ) -> Result<()> {
        match (&alternative.head, value) {
            (Head::Handle(rank), value) if let Some(object) = self.collected(*rank, alternative.parts[0], value)? => {
                out[0] = object as u64;
                Ok(())
            }
            (Head::Text | Head::Handle(_), value) => {
                out[0] = self.ctx.handle(value.clone()).map_err(Unwritten::Memory)? as u64;
                Ok(())
            }
            (Head::Frame(_), Value::Sparse(sparse)) => {
                out.iter_mut().zip(&sparse.shape).for_each(|(out, n)| *out = *n as u64);
                Ok(())
            }
            (Head::Array(rank), Value::Array(array)) => {
                let (element, rank) = (alternative.parts[0], *rank as usize);
                let key = shared_address(value).map(|address| (address, element, rank));
                if let Some((word, _)) = key.and_then(|key| self.arrays.get(&key)) {
                    // SAFETY: the word is an array that this writer made.
                    unsafe { object::retain(*word) };
                    out[0] = *word;
                    return Ok(());
                }
                if let Some(object) = self.lent(rank, layout, array) {
                    self.ctx.keep(value.clone());
                    out[0] = object as u64;
                    return Ok(());
                }
                out[0] = self.array(element, rank, layout, array)?;
                if let Some(key) = key {
                    self.arrays.insert(key, (out[0], value.clone()));
                }
                Ok(())
            }
            (head, Value::Data(data)) => match (head, &data.form) {
                (Head::Record(wanted), Form::Record(found)) if wanted != found => {
                    self.parts(alternative, layout, reordered(wanted, found, &data.fields), out)
                }
                (Head::Part(_, wanted), Form::Part(_, found)) if wanted != found => {
                    self.parts(alternative, layout, reordered(wanted, found, &data.fields), out)
                }
                _ => self.parts(alternative, layout, data.fields.iter(), out),
            },
            (_, Value::Function(function)) => match &**function {
                Function::Prim { .. } => Ok(()),
                Function::Closure(closure) => self.parts(alternative, layout, closure.env.0.iter(), out),
                Function::Sealed { raw, f, x, y, .. } => {
                    self.parts(alternative, layout, [raw, f, x, y].into_iter(), out)
                }
            },
            (_, Value::Lazy(lazy)) => match &lazy.kind {
                Suspended::Full { of, sensitivity } => {
                    self.parts(alternative, layout, [of, sensitivity].into_iter(), out)
                }
                Suspended::Lifted { .. } | Suspended::Numbers { .. } => {
                    unreachable!("write: a chosen value is unfolded")
                }
            },
            (_, value) => {
                if let Some((_, word)) = scalar(value) {
                    out[0] = word;
                }
                Ok(())
            }
        }
    }

    /// A sensitivity of an array of reals, as it is collected here; nothing if it is another one.
    fn collected(&mut self, rank: u32, element: ShapeId, value: &Value) -> Result<Option<*mut u64>> {
        let element = self.border.shapes.get(element);
        let reals = element.alternatives.iter().all(|one| matches!(one.head, Head::Zero | Head::Real));
        if !reals || element.named.is_some() || rank as usize > collector::MOST_AXES {
            return Ok(None);
        }
        let made = match value {
            Value::Sparse(sparse) if sparse.is_zero() && sparse.shape.len() == rank as usize => {
                self.ctx.collector_zero(&lengths(&sparse.shape))
            }
            Value::Array(array) if array.shape.len() == rank as usize => {
                let Elements::Real(reals) = &array.elements else { return Ok(None) };
                self.ctx.collector_dense(&lengths(&array.shape), reals, array.holes)
            }
            _ => return Ok(None),
        };
        made.map(Some).map_err(Unwritten::Memory)
    }

    fn parts<'v>(
        &mut self,
        alternative: &Alternative,
        layout: &AlternativeLayout,
        values: impl Iterator<Item = &'v Value>,
        out: &mut [u64],
    ) -> Result<()> {
        for ((&part, &start), value) in alternative.parts.iter().zip(&layout.starts).zip(values) {
            let words = self.border.layouts.get(part).words;
            self.value(part, value, &mut out[start..start + words])?;
        }
        Ok(())
    }

    fn array(&mut self, element: ShapeId, rank: usize, layout: &AlternativeLayout, array: &Array) -> Result<u64> {
        if array.shape.iter().product::<usize>() != array.size() {
            return Err(Unwritten::Mismatch("an array has fewer elements than its shape says".into()));
        }
        let mut lengths: Vec<u64> = array.shape.iter().map(|&n| n as u64).collect();
        lengths.resize(rank, 0);
        // SAFETY: the layouts outlive the run, and the descriptor is that of such arrays.
        let object = unsafe { self.ctx.array(layout.array(), &lengths) }.map_err(Unwritten::Memory)?;
        // SAFETY: the array was just made.
        let view = unsafe { ArrayView::new(object) };
        if array.is_empty() {
            return Ok(object as u64);
        }
        let words = view.element_words();
        // SAFETY: the object has so many words of elements, seen by nobody else; they are set to 0 before they are a slice.
        let out = unsafe {
            view.elements().write_bytes(0, words);
            std::slice::from_raw_parts_mut(view.elements(), words)
        };
        match (layout.elements, &array.elements) {
            (ElementKind::Real, Elements::Real(xs)) => xs.iter().zip(out).for_each(|(x, out)| *out = x.to_bits()),
            (ElementKind::Int, Elements::Int(xs)) => xs.iter().zip(out).for_each(|(x, out)| *out = *x as u64),
            (ElementKind::Bool, Elements::Bool(xs)) => xs.iter().zip(out).for_each(|(x, out)| *out = u64::from(*x)),
            _ => {
                let mut words = vec![0; self.border.layouts.get(element).words];
                for at in 0..array.size() {
                    words.fill(0);
                    self.value(element, &array.at(at), &mut words)?;
                    // SAFETY: the element is in the array, which nobody else sees.
                    unsafe { view.set_element(at, &words) };
                }
            }
        }
        Ok(object as u64)
    }

    /// A large array of numbers where it is: its header is written in front of its elements, with a count that never becomes one, so
    /// that nobody changes or frees it. The value outlives the run.
    fn lent(&mut self, rank: usize, layout: &AlternativeLayout, array: &Array) -> Option<*mut u64> {
        let header = HEADER + 1 + rank;
        let (elements, room) = match (layout.elements, &array.elements) {
            (ElementKind::Real, Elements::Real(xs)) => (xs.as_ptr().cast::<u64>(), memory::front_room(xs)),
            (ElementKind::Int, Elements::Int(xs)) => (xs.as_ptr().cast::<u64>(), memory::front_room(xs)),
            _ => return None,
        };
        if self.large == Large::Copied
            || array.holes
            || array.is_empty()
            || array.shape.len() != rank
            || room < header
            || self.ctx.is_checked()
        {
            return None;
        }
        // SAFETY: there are so many free words in front of the elements, and compiled code reads the elements alone: one that is seen by others is never written to.
        unsafe {
            let object = elements.cast_mut().sub(header);
            object.write(object::LENT);
            object.add(1).write(layout.array() as u64);
            object.add(HEADER).write(rank as u64);
            for (axis, length) in array.shape.iter().enumerate() {
                object.add(HEADER + 1 + axis).write(*length as u64);
            }
            Some(object)
        }
    }

    /// The alternative that a value is, and the value as it is to be written: unfolded, unless it is suspended and may stay so.
    fn choose(&self, shape: ShapeId, value: &Value) -> Result<(usize, Value)> {
        let alternatives = &self.border.shapes.get(shape).alternatives;
        let mut value = value.clone();
        while let Value::Lazy(lazy) = &value {
            let full = alternatives.iter().position(|alternative| alternative.head == Head::Full);
            if let (Suspended::Full { .. }, Some(full)) = (&lazy.kind, full) {
                return Ok((full, value));
            }
            value = match eval::force(&value) {
                Ok(value) => value,
                Err(fault) => return Err(Unwritten::Mismatch(format!("it doesn't unfold: {}", fault.message))),
            };
        }
        let arrays = alternatives.iter().filter(|alternative| matches!(alternative.head, Head::Array(_))).count();
        let fits = |alternative: &Alternative, how| {
            let empty = matches!(&value, Value::Array(array) if array.is_empty());
            self.fits(alternative, &value, how) && (arrays < 2 || empty || self.elements_fit(alternative, &value))
        };
        let fitting = |how| alternatives.iter().position(|alternative| fits(alternative, how));
        // An array without elements fits many; its own kind comes first, then its own rank.
        if let Value::Array(array) = &value
            && array.is_empty()
            && !array.holes
            && arrays > 1
        {
            let of_rank = |one: &Alternative| one.head == Head::Array(array.shape.len() as u32);
            let own = alternatives.iter().position(|one| of_rank(one) && self.elements_fit(one, &value));
            if let Some(index) = own.or_else(|| alternatives.iter().position(of_rank)) {
                return Ok((index, value));
            }
        }
        match FITS.into_iter().find_map(fitting) {
            Some(index) => Ok((index, value)),
            None => self.mismatch(shape, &value),
        }
    }

    fn fits(&self, alternative: &Alternative, value: &Value, how: Fit) -> bool {
        match (&alternative.head, value) {
            (Head::Array(rank), Value::Array(array)) => {
                has_rank(&array.shape, *rank)
                    && match how {
                        Fit::Itself => !array.holes,
                        Fit::Sensitivity | Fit::Stacked => false,
                        Fit::WithoutHoles => !array.has_hole(),
                    }
            }
            (Head::Handle(rank), Value::Array(array)) => match how {
                Fit::Sensitivity => array.shape.len() == *rank as usize,
                Fit::Stacked => is_sensitivity(&array.shape, *rank),
                Fit::Itself | Fit::WithoutHoles => false,
            },
            (Head::Handle(rank), Value::Sparse(sparse)) => match how {
                Fit::Stacked => is_sensitivity(&sparse.shape, *rank),
                _ => sparse.shape.len() == *rank as usize,
            },
            (Head::Frame(rank), Value::Sparse(sparse)) => sparse.is_zero() && sparse.shape.len() == *rank as usize,
            (Head::Zero, Value::Zero)
            | (Head::Bool, Value::Bool(_))
            | (Head::Int, Value::Int(_))
            | (Head::Real, Value::Real(_))
            | (Head::Text, Value::Text(_)) => true,
            (_, Value::Data(data)) => fits_data(alternative, data),
            (head, Value::Function(function)) => self.fits_function(head, alternative.parts.len(), function),
            _ => false,
        }
    }

    /// Of several alternatives that are arrays, the elements say which it is.
    fn elements_fit(&self, alternative: &Alternative, value: &Value) -> bool {
        let (Head::Array(_), Value::Array(array)) = (&alternative.head, value) else { return true };
        let alternatives = &self.border.shapes.get(alternative.parts[0]).alternatives;
        let has = |head| alternatives.iter().any(|one| one.head == head);
        let one_fits = |element: &Value| {
            matches!(element, Value::Lazy(_))
                || alternatives.iter().any(|one| FITS.into_iter().any(|how| self.fits(one, element, how)))
        };
        match &array.elements {
            elements if array.is_empty() => elements.sample().is_none_or(|sample| one_fits(&sample)),
            Elements::Real(_) => has(Head::Real),
            Elements::Int(_) => has(Head::Int),
            Elements::Bool(_) => has(Head::Bool),
            Elements::Values(values) => values.iter().all(one_fits),
        }
    }

    fn fits_function(&self, head: &Head, parts: usize, function: &Function) -> bool {
        match (head, function) {
            (Head::Prim { prim, order }, Function::Prim { prim: other, order: times }) => {
                prim == other && order == times
            }
            (Head::Sealed { modes }, Function::Sealed { modes: found, .. }) => **modes == **found,
            (Head::Closure { code, member }, Function::Closure(closure)) => {
                *member == closure.member && parts == closure.env.0.len() && self.border.codes.is(*code, &closure.code)
            }
            _ => false,
        }
    }

    fn mismatch<T>(&self, shape: ShapeId, value: &Value) -> Result<T> {
        let heads: Vec<String> =
            self.border.shapes.get(shape).alternatives.iter().map(|one| format!("{:?}", one.head)).collect();
        let expected = if heads.is_empty() { "nothing".into() } else { heads.join(" or ") };
        Err(Unwritten::Mismatch(format!("expected {expected}, found {}", eval::show::described(value))))
    }
}

fn lengths(shape: &[usize]) -> Vec<u64> {
    shape.iter().map(|&n| n as u64).collect()
}

/// How well an array must fit.
#[derive(Clone, Copy)]
enum Fit {
    /// Arrays are arrays.
    Itself,
    /// Whatever an array's sensitivity may be is a handle, of the same rank.
    Sensitivity,
    /// The sensitivity of an array of arrays is a handle to their sensitivities stacked.
    Stacked,
    /// A sensitivity without symbolic zeros is an array.
    WithoutHoles,
}

/// What is tried first comes first.
const FITS: [Fit; 4] = [Fit::Itself, Fit::Sensitivity, Fit::Stacked, Fit::WithoutHoles];

/// The empty array of rank 1 counts for every rank.
fn has_rank(shape: &[usize], rank: u32) -> bool {
    shape.len() == rank as usize || shape == [0]
}

/// A handle to an array of sensitivities that are arrays themselves may find them stacked.
fn is_sensitivity(shape: &[usize], rank: u32) -> bool {
    has_rank(shape, rank) || shape.len() > rank as usize
}

fn fits_data(alternative: &Alternative, data: &Data) -> bool {
    let form = match (&alternative.head, &data.form) {
        (Head::Tuple, Form::Tuple) => true,
        (Head::Record(labels), Form::Record(others)) => Rc::ptr_eq(labels, others) || has_keys(labels, others),
        (Head::Variant(constructor), Form::Variant(other)) => Rc::ptr_eq(constructor, other) || constructor == other,
        (Head::Part(constructor, at), Form::Part(other, places)) => constructor == other && has_keys(at, places),
        _ => false,
    };
    let keyed = matches!(alternative.head, Head::Record(_) | Head::Part(..));
    form && (keyed || alternative.parts.len() == data.fields.len())
}

/// Is everything that was found wanted? What is wanted and missing is zero.
fn has_keys<T: PartialEq>(wanted: &[T], found: &[T]) -> bool {
    found.iter().all(|key| wanted.contains(key))
}

/// What stands for a field that isn't there.
const MISSING: &Value = &Value::Zero;

/// The fields in the order of the wanted keys.
fn reordered<'v, T: PartialEq>(
    wanted: &'v [T],
    found: &'v [T],
    fields: &'v [Value],
) -> impl Iterator<Item = &'v Value> {
    let place = |key: &T| found.iter().position(|other| other == key);
    wanted.iter().map(move |key| place(key).map_or(MISSING, |at| &fields[at]))
}

fn scalar(value: &Value) -> Option<(Head, u64)> {
    match value {
        Value::Bool(b) => Some((Head::Bool, u64::from(*b))),
        Value::Int(i) => Some((Head::Int, *i as u64)),
        Value::Real(x) => Some((Head::Real, x.to_bits())),
        _ => None,
    }
}

/// The address of a value that others see too.
fn shared_address(value: &Value) -> Option<*const u8> {
    fn of<T>(shared: &Rc<T>) -> Option<*const u8> {
        (Rc::strong_count(shared) > 2).then(|| Rc::as_ptr(shared).cast())
    }
    match value {
        Value::Data(data) => of(data),
        Value::Array(array) => of(array),
        Value::Function(function) => of(function),
        Value::Lazy(lazy) => of(lazy),
        _ => None,
    }
}
