//! Sensitivities of arrays as sums of contributions to parts.
//!
//! Reading `a[i]` contributes to one element; n reads of an n-array must cost O(n) in all, so contributions
//! are linked, not added up, until somebody looks at the sum. Sums share parts (a sensitivity may be used
//! twice), so the sum is a graph: each node is visited once, with the number of paths that lead to it.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::array::{Array, Elements, HOLE, is_hole};
use crate::fault::Result;
use crate::region::Region;
use crate::sensitivity::plus;
use crate::value::{Value, release};
use crate::work;

#[derive(Debug)]
pub struct Sparse {
    pub shape: Vec<usize>,
    node: RefCell<Node>,
}

#[derive(Debug)]
enum Node {
    /// `value` in a region, zero elsewhere
    Place(Region, Value),
    /// Both are arrays or sparse sensitivities of this shape.
    Sum(Value, Value),
    /// The sum, once somebody looked.
    Dense(Rc<Array>),
}

impl Sparse {
    pub fn place(shape: Vec<usize>, region: Region, value: Value) -> Value {
        Value::Sparse(Rc::new(Sparse { shape, node: RefCell::new(Node::Place(region, value)) }))
    }

    /// Zero everywhere.
    pub fn zero(shape: Vec<usize>) -> Value {
        Sparse::sum(shape, Value::Zero, Value::Zero)
    }

    /// Is it the frame of an array, to which nothing was added?
    pub fn is_zero(&self) -> bool {
        matches!(&*self.node.borrow(), Node::Sum(Value::Zero, Value::Zero))
    }

    pub fn sum(shape: Vec<usize>, a: Value, b: Value) -> Value {
        Value::Sparse(Rc::new(Sparse { shape, node: RefCell::new(Node::Sum(a, b)) }))
    }
}

impl Drop for Sparse {
    fn drop(&mut self) {
        match std::mem::replace(&mut *self.node.borrow_mut(), Node::Sum(Value::Zero, Value::Zero)) {
            Node::Place(_, value) => release([value]),
            Node::Sum(a, b) => release([a, b]),
            Node::Dense(_) => {}
        }
    }
}

/// The sum as an array; holes are symbolic zeros.
pub fn dense(sparse: &Rc<Sparse>) -> Result<Rc<Array>> {
    if let Node::Dense(array) = &*sparse.node.borrow() {
        return Ok(array.clone());
    }
    let mut sum = Sum::new(&sparse.shape);
    for (node, paths) in in_topological_order(sparse) {
        sum.add_node(&node, paths)?;
    }
    let array = Rc::new(Array::new(sparse.shape.clone(), sum.elements).with_holes(true));
    let old = sparse.node.replace(Node::Dense(array.clone()));
    if let Node::Place(_, value) = old {
        release([value]);
    } else if let Node::Sum(a, b) = old {
        release([a, b]);
    }
    Ok(array)
}

/// Like [`dense`], but gives the array itself away when nobody else can see it.
pub fn into_dense(sparse: Rc<Sparse>) -> Result<Rc<Array>> {
    let array = dense(&sparse)?;
    if Rc::strong_count(&sparse) == 1 {
        sparse.node.replace(Node::Sum(Value::Zero, Value::Zero));
    }
    Ok(array)
}

/// A value that contributes to a sum: each with how often it is reached.
enum Part {
    Sparse(Rc<Sparse>),
    Array(Rc<Array>),
}

/// The nodes of the sum, each once, with the number of paths from the root.
fn in_topological_order(root: &Rc<Sparse>) -> Vec<(Part, f64)> {
    let mut order: Vec<Rc<Sparse>> = vec![];
    let mut index: FxHashMap<*const Sparse, usize> = FxHashMap::default();
    let mut stack = vec![(root.clone(), false)];
    while let Some((node, finished)) = stack.pop() {
        if finished {
            index.insert(Rc::as_ptr(&node), order.len());
            order.push(node);
        } else if let Entry::Vacant(unseen) = index.entry(Rc::as_ptr(&node)) {
            unseen.insert(usize::MAX);
            let inner = node.node.borrow();
            stack.push((node.clone(), true));
            if let Node::Sum(a, b) = &*inner {
                stack.extend([b, a].into_iter().filter_map(|value| match value {
                    Value::Sparse(part) if !index.contains_key(&Rc::as_ptr(part)) => Some((part.clone(), false)),
                    _ => None,
                }));
            }
        }
    }
    count_paths(order, &index)
}

fn count_paths(order: Vec<Rc<Sparse>>, index: &FxHashMap<*const Sparse, usize>) -> Vec<(Part, f64)> {
    let mut paths = vec![0.0; order.len()];
    let mut parts = vec![];
    if let Some(root) = paths.last_mut() {
        *root = 1.0;
    }
    for at in (0..order.len()).rev() {
        let count = paths[at];
        match &*order[at].node.borrow() {
            Node::Sum(a, b) => {
                for value in [a, b] {
                    match value {
                        Value::Sparse(part) => paths[index[&Rc::as_ptr(part)]] += count,
                        Value::Array(array) => parts.push((Part::Array(array.clone()), count)),
                        _ => {}
                    }
                }
            }
            Node::Place(..) | Node::Dense(_) => parts.push((Part::Sparse(order[at].clone()), count)),
        }
    }
    work::add(order.len());
    parts
}

/// A dense accumulator that begins with holes everywhere.
struct Sum<'a> {
    shape: &'a [usize],
    elements: Elements,
}

impl Sum<'_> {
    fn new(shape: &[usize]) -> Sum<'_> {
        let size = shape.iter().product();
        work::add(size);
        Sum { shape, elements: Elements::Real(vec![HOLE; size]) }
    }

    fn add_node(&mut self, part: &Part, paths: f64) -> Result<()> {
        match part {
            Part::Array(array) => add_elements(&mut self.elements, 0..array.size(), array, paths),
            Part::Sparse(sparse) => match &*sparse.node.borrow() {
                Node::Dense(array) => add_elements(&mut self.elements, 0..array.size(), array, paths),
                Node::Place(region, value) => add_region(&mut self.elements, self.shape, region, value, paths),
                Node::Sum(..) => Ok(()),
            },
        }
    }
}

/// `elements[region] ⊕= value`
pub fn add_region(elements: &mut Elements, shape: &[usize], region: &Region, value: &Value, times: f64) -> Result<()> {
    let offsets = region.offsets(shape);
    if region.is_element(shape) {
        return offsets.into_iter().try_for_each(|at| add_element(elements, at, value, times));
    }
    match crate::lazy::force(value)? {
        Value::Zero => Ok(()),
        Value::Array(array) => add_elements(elements, offsets, &array, times),
        Value::Sparse(sparse) => add_elements(elements, offsets, &*dense(&sparse)?, times),
        // Elements of structure: a region of one row that is itself an element
        other => offsets.into_iter().try_for_each(|at| add_element(elements, at, &other, times)),
    }
}

fn add_elements(
    elements: &mut Elements,
    offsets: impl IntoIterator<Item = usize>,
    array: &Array,
    times: f64,
) -> Result<()> {
    work::add(array.size());
    if let (Elements::Real(sums), Elements::Real(reals)) = (&mut *elements, &array.elements) {
        // `+ 0.0` keeps a numeric zero apart from a hole; `+ HOLE` changes nothing
        let numeric = if array.holes { HOLE } else { 0.0 };
        for (at, x) in offsets.into_iter().zip(reals) {
            sums[at] += times * x + numeric;
        }
        return Ok(());
    }
    let values: Vec<Value> = (0..array.size()).map(|at| array.sensitivity_at(at)).collect();
    offsets.into_iter().zip(&values).try_for_each(|(at, value)| add_element(elements, at, value, times))
}

fn add_element(elements: &mut Elements, at: usize, value: &Value, times: f64) -> Result<()> {
    if let (Elements::Real(sums), Value::Real(x)) = (&mut *elements, value) {
        sums[at] += times * x + 0.0;
        return Ok(());
    }
    let values = to_values(elements);
    let repeated = times_value(value, times)?;
    let old = std::mem::replace(&mut values[at], Value::Zero);
    values[at] = plus(old, repeated)?;
    Ok(())
}

/// `value ⊕ value ⊕ …`, a whole number of times.
fn times_value(value: &Value, times: f64) -> Result<Value> {
    let (mut result, mut power, mut left) = (Value::Zero, value.clone(), times as u64);
    while left > 0 {
        if left & 1 == 1 {
            result = plus(result, power.clone())?;
        }
        left >>= 1;
        if left > 0 {
            power = plus(power.clone(), power)?;
        }
    }
    Ok(result)
}

/// The elements as values of any kind; holes become symbolic zeros.
fn to_values(elements: &mut Elements) -> &mut [Value] {
    if let Elements::Real(reals) = elements {
        let value = |&x: &f64| if is_hole(x) { Value::Zero } else { Value::Real(x) };
        *elements = Elements::Values(reals.iter().map(value).collect());
    }
    match elements {
        Elements::Values(values) => values,
        Elements::Real(_) | Elements::Int(_) | Elements::Bool(_) => unreachable!("sums have reals or values"),
    }
}

impl Sparse {
    /// The region and its value, if this is a single contribution.
    pub fn as_place(&self) -> Option<(Region, Value)> {
        match &*self.node.borrow() {
            Node::Place(region, value) => Some((region.clone(), value.clone())),
            Node::Sum(..) | Node::Dense(_) => None,
        }
    }
}
