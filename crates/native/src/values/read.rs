//! Leaf words as values.
//!
//! Nodes are read from the leaves up: a node waits until the nodes it points to are read. Nodes that are
//! shared are read once, and so are arrays that point to no nodes.

use std::rc::Rc;

use eval::Value;
use eval::array::{Array, Elements, is_hole};
use eval::sensitivity;
use eval::value::{Env, Form, Function};
use first_order::shape::{Alternative, Head, ShapeId};
use rustc_hash::FxHashMap;

use super::{Border, with_words};
use crate::layout::{AlternativeLayout, ElementKind};
use crate::runtime::object::{self, ArrayView, HEADER, is_object};
use crate::runtime::{collector, handle};

/// What happens to handles that only the words read own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Take {
    Nothing,
    /// Their values are moved out: the caller releases the words next.
    Unshared,
}

/// The value that leaf words of a shape are.
///
/// # Safety
/// The words are those of a live value of the shape, and nobody changes what they point to meanwhile.
pub unsafe fn read(border: Border, shape: ShapeId, words: &[u64], take: Take) -> Value {
    let mut reader =
        Reader { border, read: vec![], shared: FxHashMap::default(), arrays: FxHashMap::default(), steps: vec![] };
    let unique = take == Take::Unshared;
    if !border.layouts.get(shape).has_named {
        return reader.value(shape, words, unique, &mut vec![].drain(..));
    }
    reader.enter_parts(shape, words, unique);
    while let Some(step) = reader.steps.pop() {
        reader.step(step);
    }
    let mut parts = std::mem::take(&mut reader.read);
    reader.value(shape, words, unique, &mut parts.drain(..))
}

struct Reader<'a> {
    border: Border<'a>,
    steps: Vec<Step>,
    /// The values of nodes whose owners wait.
    read: Vec<Value>,
    /// What shared nodes are; one node may be seen under several shapes.
    shared: FxHashMap<(*mut u64, ShapeId), Value>,
    /// What shared arrays are, by the shape of their elements.
    arrays: FxHashMap<(*mut u64, ShapeId), Value>,
}

enum Step {
    /// Reads a node, after what it points to.
    Enter { node: *mut u64, shape: ShapeId, unique: bool },
    /// What the node points to is read, from place `start` on.
    Finish { node: *mut u64, shape: ShapeId, unique: bool, start: usize },
}

/// The nodes that a value points to, in the order of its words.
type Parts<'v> = std::vec::Drain<'v, Value>;

impl Reader<'_> {
    fn step(&mut self, step: Step) {
        match step {
            Step::Enter { node, shape, unique } => {
                if let Some(value) = self.shared.get(&(node, shape)) {
                    self.read.push(value.clone());
                    return;
                }
                // SAFETY: `node` is a live node, by the contract of `read`.
                let unique = unique && unsafe { object::count(node) } == 1;
                self.steps.push(Step::Finish { node, shape, unique, start: self.read.len() });
                self.enter_content(shape, self.words_of(node, shape), unique);
            }
            Step::Finish { node, shape, unique, start } => {
                let words = self.words_of(node, shape);
                let mut parts = self.read.split_off(start);
                let value = self.content(shape, words, unique, &mut parts.drain(..));
                // SAFETY: as above.
                if unsafe { object::count(node) } > 1 {
                    self.shared.insert((node, shape), value.clone());
                }
                self.read.push(value);
            }
        }
    }

    fn words_of<'w>(&self, node: *mut u64, shape: ShapeId) -> &'w [u64] {
        // SAFETY: a node of the shape has as many leaf words, and is alive and unchanged while we read.
        unsafe { std::slice::from_raw_parts(node.add(HEADER), self.border.layouts.get(shape).content) }
    }

    /// Plans to read the nodes that a value points to: the first one next.
    fn enter_parts(&mut self, shape: ShapeId, words: &[u64], unique: bool) {
        let start = self.steps.len();
        self.nodes(shape, words, unique);
        self.steps[start..].reverse();
    }

    fn enter_content(&mut self, shape: ShapeId, words: &[u64], unique: bool) {
        let start = self.steps.len();
        self.nodes_of_content(shape, words, unique);
        self.steps[start..].reverse();
    }

    fn nodes(&mut self, shape: ShapeId, words: &[u64], unique: bool) {
        let layout = self.border.layouts.get(shape);
        if layout.is_named() {
            if is_object(words[0]) {
                self.steps.push(Step::Enter { node: words[0] as *mut u64, shape, unique });
            }
        } else if layout.has_named {
            self.nodes_of_content(shape, words, unique);
        }
    }

    fn nodes_of_content(&mut self, shape: ShapeId, words: &[u64], unique: bool) {
        let border = self.border;
        with_alternative(border, shape, words, |alternative, layout, words| match alternative.head {
            Head::Array(_) => {
                let element = alternative.parts[0];
                if border.layouts.get(element).has_named {
                    let (array, unique) = array_at(words[0], unique);
                    for at in 0..array.size() {
                        with_element(array, at, |words| self.nodes(element, words, unique));
                    }
                }
            }
            Head::Handle(_) => {}
            _ => {
                for (part, words) in parts(border, alternative, layout, words) {
                    self.nodes(part, words, unique);
                }
            }
        });
    }

    fn value(&mut self, shape: ShapeId, words: &[u64], unique: bool, nodes: &mut Parts) -> Value {
        let layout = self.border.layouts.get(shape);
        if !layout.is_named() {
            return self.content(shape, words, unique, nodes);
        }
        if is_object(words[0]) {
            return nodes.next().expect("read: a node for each pointer");
        }
        // The pointer is the tag of an alternative without words.
        let alternative = &self.border.shapes.get(shape).alternatives[words[0] as usize];
        self.alternative(alternative, &layout.alternatives[words[0] as usize], &[], unique, nodes)
    }

    fn content(&mut self, shape: ShapeId, words: &[u64], unique: bool, nodes: &mut Parts) -> Value {
        with_alternative(self.border, shape, words, |alternative, layout, words| {
            self.alternative(alternative, layout, words, unique, nodes)
        })
    }

    fn alternative(
        &mut self,
        alternative: &Alternative,
        layout: &AlternativeLayout,
        words: &[u64],
        unique: bool,
        nodes: &mut Parts,
    ) -> Value {
        match &alternative.head {
            Head::Zero => Value::Zero,
            Head::Bool => Value::Bool(words[0] != 0),
            Head::Int => Value::Int(words[0] as i64),
            Head::Real => Value::Real(f64::from_bits(words[0])),
            Head::Text | Head::Handle(_) => handle_value(words[0], unique),
            Head::Array(_) => self.array(alternative.parts[0], layout, words[0], unique, nodes),
            Head::Prim { prim, order } => Value::Function(Rc::new(Function::Prim { prim: *prim, order: *order })),
            Head::Tuple => Value::tuple(self.parts(alternative, layout, words, unique, nodes)),
            Head::Record(labels) => {
                first_order::convert::record(labels, self.parts(alternative, layout, words, unique, nodes))
            }
            Head::Variant(constructor) => {
                let form = Form::Variant(constructor.clone());
                Value::data(form, self.parts(alternative, layout, words, unique, nodes))
            }
            Head::Part(constructor, at) => {
                let form = Form::Part(constructor.clone(), at.clone());
                Value::data(form, self.parts(alternative, layout, words, unique, nodes))
            }
            Head::Frame(_) => eval::prims::frame_of(words.iter().map(|&n| n as usize).collect()),
            Head::Closure { code, member } => {
                let env = Rc::new(Env(self.parts(alternative, layout, words, unique, nodes)));
                Value::closure(self.border.codes.code(*code), *member, env)
            }
            Head::Sealed { modes } => {
                let parts = self.parts(alternative, layout, words, unique, nodes);
                let [raw, f, x, y] = <[Value; 4]>::try_from(parts).expect("a seal has four parts");
                Value::Function(Rc::new(Function::Sealed { raw, f, x, y, modes: modes.to_vec() }))
            }
            Head::Full => {
                let parts = self.parts(alternative, layout, words, unique, nodes);
                let [of, d] = <[Value; 2]>::try_from(parts).expect("a full sensitivity has two parts");
                sensitivity::full(&of, d)
            }
        }
    }

    fn parts(
        &mut self,
        alternative: &Alternative,
        layout: &AlternativeLayout,
        words: &[u64],
        unique: bool,
        nodes: &mut Parts,
    ) -> Vec<Value> {
        let border = self.border;
        parts(border, alternative, layout, words).map(|(part, words)| self.value(part, words, unique, nodes)).collect()
    }

    fn array(
        &mut self,
        element: ShapeId,
        layout: &AlternativeLayout,
        word: u64,
        unique: bool,
        nodes: &mut Parts,
    ) -> Value {
        let (array, unique) = array_at(word, unique);
        // SAFETY: the array is alive, by the contract of `read`.
        let shared = unsafe { object::count(array.object) } > 1 && !self.border.layouts.get(element).has_named;
        let key = shared.then_some((array.object, element));
        if let Some(known) = key.and_then(|key| self.arrays.get(&key)) {
            return known.clone();
        }
        let shape: Vec<usize> = array.lengths().iter().map(|&n| n as usize).collect();
        let words = array.words();
        let elements = match layout.elements {
            ElementKind::Real => Elements::Real(words.iter().map(|&word| f64::from_bits(word)).collect()),
            ElementKind::Int => Elements::Int(words.iter().map(|&word| word as i64).collect()),
            ElementKind::Bool => Elements::Bool(words.iter().map(|&word| word != 0).collect()),
            ElementKind::Other if array.size() == 0 => {
                first_order::convert::no_elements(self.border.shapes, self.border.codes, element)
            }
            ElementKind::Other => {
                let value = |at| with_element(array, at, |words| unfolded(self.value(element, words, unique, nodes)));
                normalised((0..array.size()).map(value).collect())
            }
        };
        let value = Value::array(Array::new(shape, elements));
        if let Some(key) = key {
            self.arrays.insert(key, value.clone());
        }
        value
    }
}

/// Elements of an array stand unfolded there, unless they are arrays of their own.
fn unfolded(value: Value) -> Value {
    match eval::force(&value) {
        Ok(Value::Array(_)) | Err(_) => value,
        Ok(unfolded) => unfolded,
    }
}

/// Elements in the form that the evaluator gives them.
fn normalised(values: Vec<Value>) -> Elements {
    if values.iter().any(|value| matches!(value, Value::Array(_))) {
        return Elements::Values(values.into());
    }
    Array::from_values(values).expect("scalars and data are never ragged").elements
}

/// Calls `body` with the alternative that words of a shape's content are, and its own words.
fn with_alternative<'e, T>(
    border: Border<'e>,
    shape: ShapeId,
    words: &[u64],
    body: impl FnOnce(&'e Alternative, &'e AlternativeLayout, &[u64]) -> T,
) -> T {
    let layouts = &border.layouts.get(shape).alternatives;
    let alternatives = &border.shapes.get(shape).alternatives;
    if let ([alternative], [layout]) = (&alternatives[..], &layouts[..]) {
        return body(alternative, layout, words);
    }
    let (alternative, layout) = (&alternatives[words[0] as usize], &layouts[words[0] as usize]);
    with_words(layout.words, |own| {
        own.iter_mut().zip(&layout.places).for_each(|(own, &place)| *own = words[place]);
        body(alternative, layout, own)
    })
}

fn parts<'w>(
    border: Border<'w>,
    alternative: &'w Alternative,
    layout: &'w AlternativeLayout,
    words: &'w [u64],
) -> impl Iterator<Item = (ShapeId, &'w [u64])> {
    let part = move |(&part, &start): (&ShapeId, &usize)| (part, &words[start..start + border.layouts.get(part).words]);
    alternative.parts.iter().zip(&layout.starts).map(part)
}

/// Calls `body` with the words of an element.
fn with_element<T>(array: ArrayView, at: usize, body: impl FnOnce(&[u64]) -> T) -> T {
    with_words(array.descriptor().words as usize, |own| {
        own.iter_mut().zip(array.element(at)).for_each(|(own, word)| *own = word);
        body(own)
    })
}

fn array_at(word: u64, unique: bool) -> (ArrayView, bool) {
    // SAFETY: the word is a pointer to a live array, by the contract of `read`.
    unsafe { (ArrayView::new(word as *mut u64), unique && object::count(word as *mut u64) == 1) }
}

fn handle_value(word: u64, unique: bool) -> Value {
    let object = word as *mut u64;
    // SAFETY: the word is a pointer to a live handle, by the contract of `read`.
    if unsafe { collector::is_native(object) } {
        // SAFETY: as above.
        return unsafe { collected(object) };
    }
    // SAFETY: the word is a pointer to a live handle, by the contract of `read`; the reference ends here.
    unsafe {
        let value = handle::value(object);
        if unique && object::count(object) == 1 { std::mem::replace(value, Value::Zero) } else { value.clone() }
    }
}

/// A sensitivity that is being collected, as the evaluator has it.
///
/// # Safety
/// It is a live native handle.
unsafe fn collected(object: *mut u64) -> Value {
    // SAFETY: by this function's contract.
    unsafe {
        let shape: Vec<usize> = collector::lengths(object).iter().map(|&n| n as usize).collect();
        if collector::is_zero(object) {
            return eval::prims::frame_of(shape);
        }
        let reals = collector::summed(object);
        let holes = reals.iter().any(|x| is_hole(*x));
        Value::array(Array::reals(shape, reals).with_holes(holes))
    }
}
