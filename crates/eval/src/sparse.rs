//! Sensitivities of arrays as sums of contributions to parts.
//!
//! Reading `a[i]` contributes to one element; n reads of an n-array must cost O(n) in all, so contributions
//! are linked, not added up, until somebody looks at the sum. Sums share parts (a sensitivity may be used
//! twice), so the sum is a graph.
//!
//! Numbers are added as the language says: element i of `a ⊕ b` is element i of a plus element i of b, rounded, whatever the graph looks
//! like in memory. So each node is added up by itself, once, and the smaller sum of two is added to the larger.

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
    let array = Rc::new(Array::new(sparse.shape.clone(), added_up(sparse)?).with_holes(true));
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

/// The elements of a graph of sums.
fn added_up(root: &Rc<Sparse>) -> Result<Elements> {
    let Graph { order, index, mut uses } = Graph::below(root);
    work::add(order.len());
    let mut sums: Vec<Option<Partial>> = order.iter().map(|_| None).collect();
    for (at, sparse) in order.iter().enumerate() {
        let node = sparse.node.borrow();
        let Node::Sum(a, b) = &*node else { continue };
        let mut known = |value: &Value| {
            let part = if let Value::Sparse(part) = value { index[&Rc::as_ptr(part)] } else { return None };
            uses[part] -= 1;
            if uses[part] == 0 { sums[part].take() } else { sums[part].clone() }
        };
        let (left, right) = (known(a), known(b));
        let mut sum = match (left, right) {
            (Some(left), Some(right)) => left.plus(right, &root.shape)?,
            (Some(sum), None) => sum.plus_leaf(b, &root.shape)?,
            (None, Some(sum)) => sum.plus_leaf(a, &root.shape)?,
            (None, None) if matches!(b, Value::Array(_)) => {
                Partial::none().plus_leaf(b, &root.shape)?.plus_leaf(a, &root.shape)?
            }
            (None, None) => Partial::none().plus_leaf(a, &root.shape)?.plus_leaf(b, &root.shape)?,
        };
        sum.spread_if_many(&root.shape);
        sums[at] = Some(sum);
    }
    let sum = match sums.pop().flatten() {
        Some(sum) => sum,
        None => Partial::none().plus_leaf(&Value::Sparse(root.clone()), &root.shape)?,
    };
    Ok(sum.spread(&root.shape))
}

/// The nodes of a sum, parts before what they are parts of, and how often each is a part.
struct Graph {
    order: Vec<Rc<Sparse>>,
    index: FxHashMap<*const Sparse, usize>,
    uses: Vec<usize>,
}

impl Graph {
    fn below(root: &Rc<Sparse>) -> Graph {
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
                stack.extend(
                    inner.parts().filter(|part| !index.contains_key(&Rc::as_ptr(part))).map(|part| (part, false)),
                );
            }
        }
        let mut uses = vec![0; order.len()];
        for node in &order {
            node.node.borrow().parts().for_each(|part| uses[index[&Rc::as_ptr(&part)]] += 1);
        }
        Graph { order, index, uses }
    }
}

impl Node {
    /// The sums that this one is made of.
    fn parts(&self) -> impl Iterator<Item = Rc<Sparse>> {
        let both = if let Node::Sum(a, b) = self { [Some(b), Some(a)] } else { [None, None] };
        both.into_iter().flatten().filter_map(|value| match value {
            Value::Sparse(part) => Some(part.clone()),
            _ => None,
        })
    }
}

/// A part of a sum, added up.
#[derive(Clone)]
enum Partial {
    /// Elements that something was added to, by their places.
    Few(FxHashMap<usize, Value>),
    /// All elements; those that nothing was added to are holes.
    All(Elements),
}

impl Partial {
    fn none() -> Partial {
        Partial::Few(FxHashMap::default())
    }

    fn count(&self) -> usize {
        match self {
            Partial::Few(few) => few.len(),
            Partial::All(elements) => elements.len(),
        }
    }

    /// The smaller is added to the larger.
    fn plus(self, other: Partial, shape: &[usize]) -> Result<Partial> {
        let (mut sum, other) = if self.count() < other.count() { (other, self) } else { (self, other) };
        match other {
            Partial::Few(few) => {
                work::add(few.len());
                few.into_iter().try_for_each(|(at, value)| sum.add(at, &value))?;
            }
            Partial::All(elements) => {
                let array = Array::new(shape.to_vec(), elements).with_holes(true);
                add_elements(sum.all(shape), 0..array.size(), &array)?;
            }
        }
        Ok(sum)
    }

    /// Together with an array, or with a node that isn't a sum of others.
    fn plus_leaf(mut self, leaf: &Value, shape: &[usize]) -> Result<Partial> {
        let sparse = match leaf {
            Value::Array(array) => return self.plus_array(array, shape),
            Value::Sparse(sparse) => sparse,
            _ => return Ok(self),
        };
        match &*sparse.node.borrow() {
            Node::Dense(array) => self.plus_array(array, shape),
            Node::Place(region, value) => {
                match &mut self {
                    Partial::Few(_) if region.is_element(shape) => {
                        region.offsets(shape).try_for_each(|at| self.add(at, value))?;
                    }
                    Partial::Few(few) if 4 * (few.len() + region.size(shape)) < shape.iter().product() => {
                        let mut part = Elements::Real(vec![HOLE; region.size(shape)]);
                        let all: Vec<usize> = region.offsets(shape).collect();
                        add_region(&mut part, &region.shape(shape), &Region::whole(), value)?;
                        let part = Array::new(vec![part.len()], part).with_holes(true);
                        all.into_iter().enumerate().try_for_each(|(at, to)| self.add(to, &part.sensitivity_at(at)))?;
                    }
                    _ => add_region(self.all(shape), shape, region, value)?,
                }
                Ok(self)
            }
            Node::Sum(..) => Ok(self),
        }
    }

    fn plus_array(mut self, array: &Array, shape: &[usize]) -> Result<Partial> {
        add_elements(self.all(shape), 0..array.size(), array)?;
        Ok(self)
    }

    fn add(&mut self, at: usize, value: &Value) -> Result<()> {
        match self {
            Partial::All(elements) => add_element(elements, at, value),
            Partial::Few(few) => {
                let old = few.remove(&at).unwrap_or(Value::Zero);
                let sum = match (old, value) {
                    (Value::Zero, Value::Real(x)) => Value::Real(x + 0.0),
                    (Value::Real(sum), Value::Real(x)) => Value::Real(sum + (x + 0.0)),
                    (old, value) => plus(old, value.clone())?,
                };
                if !matches!(sum, Value::Zero) {
                    few.insert(at, sum);
                }
                Ok(())
            }
        }
    }

    fn spread_if_many(&mut self, shape: &[usize]) {
        if matches!(self, Partial::Few(few) if 4 * few.len() >= shape.iter().product()) {
            self.all(shape);
        }
    }

    /// The elements, all of them from now on.
    fn all(&mut self, shape: &[usize]) -> &mut Elements {
        if let Partial::Few(few) = self {
            *self = Partial::All(spread(std::mem::take(few), shape));
        }
        match self {
            Partial::All(elements) => elements,
            Partial::Few(_) => unreachable!("sparse: all elements, just now"),
        }
    }

    fn spread(self, shape: &[usize]) -> Elements {
        match self {
            Partial::Few(few) => spread(few, shape),
            Partial::All(elements) => elements,
        }
    }
}

fn spread(few: FxHashMap<usize, Value>, shape: &[usize]) -> Elements {
    let size = shape.iter().product();
    work::add(size);
    let mut elements = Elements::Real(vec![HOLE; size]);
    for (at, value) in few {
        match (&mut elements, value) {
            (Elements::Real(reals), Value::Real(x)) => reals[at] = x,
            (elements, value) => to_values(elements)[at] = value,
        }
    }
    elements
}

/// `elements[region] ⊕= value`
pub fn add_region(elements: &mut Elements, shape: &[usize], region: &Region, value: &Value) -> Result<()> {
    let offsets = region.offsets(shape);
    if region.is_element(shape) {
        return offsets.into_iter().try_for_each(|at| add_element(elements, at, value));
    }
    match crate::lazy::force(value)? {
        Value::Zero => Ok(()),
        Value::Array(array) => add_elements(elements, offsets, &array),
        Value::Sparse(sparse) => add_elements(elements, offsets, &*dense(&sparse)?),
        // Elements of structure: a region of one row that is itself an element
        other => offsets.into_iter().try_for_each(|at| add_element(elements, at, &other)),
    }
}

fn add_elements(elements: &mut Elements, offsets: impl IntoIterator<Item = usize>, array: &Array) -> Result<()> {
    work::add(array.size());
    if let (Elements::Real(sums), Elements::Real(reals)) = (&mut *elements, &array.elements) {
        // `+ 0.0` keeps a numeric zero apart from a hole; `+ HOLE` changes nothing
        let numeric = if array.holes { HOLE } else { 0.0 };
        for (at, x) in offsets.into_iter().zip(reals) {
            sums[at] += x + numeric;
        }
        return Ok(());
    }
    let values: Vec<Value> = (0..array.size()).map(|at| array.sensitivity_at(at)).collect();
    offsets.into_iter().zip(&values).try_for_each(|(at, value)| add_element(elements, at, value))
}

fn add_element(elements: &mut Elements, at: usize, value: &Value) -> Result<()> {
    if let (Elements::Real(sums), Value::Real(x)) = (&mut *elements, value) {
        sums[at] += x + 0.0;
        return Ok(());
    }
    let values = to_values(elements);
    let old = std::mem::replace(&mut values[at], Value::Zero);
    values[at] = plus(old, value.clone())?;
    Ok(())
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
