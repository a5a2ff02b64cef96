//! What the entries of a tape hold.
//!
//! A node's content is described by a [`Layout`], which says for each part where it is found: in the entry, in what all nodes share,
//! or nowhere, because it is a constant or computed again: if that is cheap ([`cost`]) from other parts of the same node, shared parts,
//! constants and the number of the entry, and cannot fail.

use first_order::{Atom, Function, FunctionId, NamedId, Op, Program, Scalar, Type, Var};
use rustc_hash::FxHashMap;

use super::ways::{self, PathEnd, Tree};
use crate::analyses::cost;
use crate::analyses::effects::is_partial;
use crate::rewriting::retype::Retyping;
use crate::rewriting::walk::each_op;

/// Does a type hold values of the named type directly?
pub fn mentions(of: &Type, name: NamedId) -> bool {
    match of {
        Type::Struct(parts) | Type::Sum(parts) => parts.iter().any(|part| mentions(part, name)),
        Type::Named(other) => *other == name,
        Type::Array(element, _) => mentions(element, name),
        _ => false,
    }
}

/// Where a part of a node is found.
#[derive(Clone, PartialEq, Debug)]
pub enum Layout {
    /// The next node.
    Next,
    /// In the entry, as a value of this type.
    Kept(Type),
    Constant(Atom),
    /// Among what all nodes share, at this place.
    Shared(usize),
    /// Computed: this expression.
    Computed(Expression),
    /// In the entry; others may be computed from it by this number.
    Numbered(usize, Type),
    Struct(Vec<Layout>),
    /// All nodes hold this alternative.
    Only(u32, Box<Layout>),
    /// Alternatives, as far as there are nodes with them.
    Sum(Vec<Option<Layout>>),
}

/// How to compute a part.
#[derive(Clone, PartialEq, Debug)]
pub enum Expression {
    /// The part of this number.
    Part(usize),
    Shared(usize),
    Constant(Atom),
    /// What is shared at this place, and the number of the entry, and this number.
    Counted(usize, i64),
    Scalar(Scalar, Vec<Expression>),
}

/// What all nodes of a tape share, by the place of a parameter of the maker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shared {
    /// The parameter, which is the same at every step.
    Param(usize),
    /// The length of the array that such a parameter is.
    Length(usize),
    /// A parameter that is one more at each step, as it was at the first.
    Start(usize),
}

impl Layout {
    /// What of it an entry holds.
    pub fn kept(&self) -> Type {
        match self {
            Layout::Kept(of) | Layout::Numbered(_, of) => of.clone(),
            Layout::Struct(parts) => Type::Struct(parts.iter().map(Layout::kept).collect()),
            Layout::Only(_, content) => content.kept(),
            Layout::Sum(parts) => {
                Type::Sum(parts.iter().map(|part| part.as_ref().map_or_else(Type::unit, Layout::kept)).collect())
            }
            Layout::Next | Layout::Constant(_) | Layout::Shared(_) | Layout::Computed(_) => Type::unit(),
        }
    }

    fn leaves_mut(&mut self, visit: &mut dyn FnMut(&mut Layout)) {
        match self {
            Layout::Struct(parts) => parts.iter_mut().for_each(|part| part.leaves_mut(visit)),
            Layout::Only(_, content) => content.leaves_mut(visit),
            Layout::Sum(parts) => parts.iter_mut().flatten().for_each(|part| part.leaves_mut(visit)),
            leaf => visit(leaf),
        }
    }
}

/// A named type whose nodes become entries.
pub struct Tape {
    pub maker: FunctionId,
    pub content: Type,
    /// Nodes that hold another.
    pub entry: Layout,
    /// Nodes that don't.
    pub last: Layout,
    /// How parts of an entry are computed, by their numbers.
    pub computed: Vec<Option<(Expression, Type)>>,
    /// What is shared, and the type.
    pub shared: Vec<(Shared, Type)>,
    pub entry_type: Type,
    pub last_type: Type,
}

impl Tape {
    pub fn array(&self) -> Type {
        Type::Array(self.entry_type.clone().into(), 1)
    }

    pub fn shared_type(&self) -> Type {
        Type::Struct(self.shared.iter().map(|(_, of)| of.clone()).collect())
    }

    /// What a value of the named type becomes.
    pub fn value(&self) -> Type {
        Type::Struct([self.array(), Type::Int, self.last_type.clone(), self.shared_type()].into())
    }
}

/// The types that are replaced.
#[derive(Default)]
pub struct Tapes(FxHashMap<NamedId, Tape>);

impl Tapes {
    pub fn of(program: &Program, chosen: &[(NamedId, FunctionId)]) -> Tapes {
        let mut tapes = Tapes::default();
        let mut left = chosen.to_vec();
        // A type whose nodes hold only types that are settled is settled. Those that hold each other stay as they are.
        loop {
            let ready = left.iter().position(|(name, _)| {
                let content = &program.types[name.0 as usize].content;
                left.iter().all(|(other, _)| other == name || !mentions(content, *other))
            });
            let Some(at) = ready else { return tapes };
            let (name, maker) = left.remove(at);
            let content = program.types[name.0 as usize].content.clone();
            let tape = tapes.tape(&program.functions[maker.0 as usize], maker, name, content);
            tapes.0.insert(name, tape);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, name: NamedId) -> Option<&Tape> {
        self.0.get(&name)
    }

    /// The type whose nodes a function makes.
    pub fn made_by(&self, id: FunctionId) -> Option<NamedId> {
        self.0.iter().find(|(_, tape)| tape.maker == id).map(|(name, _)| *name)
    }

    /// The type in which all these types are replaced.
    pub fn replaced(&self, of: &Type) -> Type {
        Retyping::new(&|name| self.get(name).map(Tape::value)).of(of)
    }

    fn tape(&self, function: &Function, maker: FunctionId, name: NamedId, content: Type) -> Tape {
        let mut found: Vec<PathEnd> = vec![];
        ways::each(&function.body, maker, &mut |block| {
            // Whatever isn't total was found before the call.
            found.extend(ways::way(block, maker, &function.vars, name, &|_| true));
            true
        });
        let (entries, lasts): (Vec<&PathEnd>, Vec<&PathEnd>) = found.iter().partition(|way| way.args.is_some());
        let invariant = |at: usize| {
            let param = Atom::Var(function.params[at]);
            entries.iter().all(|way| way.args.is_some_and(|args| args[at] == param))
        };
        let shared: Vec<usize> = (0..function.params.len()).filter(|at| invariant(*at)).collect();
        let steps = Steps::of(function);
        let counts = |at: usize| {
            let counted = |args: &[Atom]| matches!(&args[at], Atom::Var(next) if steps.after.get(next) == Some(&function.params[at]));
            entries.iter().all(|way| way.args.is_some_and(counted))
        };
        let counters: Vec<usize> = (0..function.params.len()).filter(|at| counts(*at)).collect();
        let mut maker_of = Maker { tapes: self, name, function, shared, counters, steps, used: vec![] };
        let trees: Vec<&Tree> = entries.iter().map(|way| way.node()).collect();
        let mut entry = maker_of.layout(&trees, &content);
        let computed = maker_of.compute(&mut entry, &trees);
        let shared = std::mem::take(&mut maker_of.used);
        maker_of.shared = vec![];
        let last = maker_of.layout(&lasts.iter().map(|way| way.node()).collect::<Vec<_>>(), &content);
        let of = |shared: Shared| match shared {
            Shared::Param(at) => self.replaced(&function.vars[function.params[at].0 as usize]),
            Shared::Length(_) | Shared::Start(_) => Type::Int,
        };
        let shared = shared.into_iter().map(|shared| (shared, of(shared))).collect();
        let (entry_type, last_type) = (entry.kept(), last.kept());
        Tape { maker, content, entry, last, computed, shared, entry_type, last_type }
    }
}

/// Statements of the maker that say how steps differ.
struct Steps {
    /// Variables that are one more than another.
    after: FxHashMap<Var, Var>,
    /// The lengths of arrays.
    lengths: FxHashMap<Var, Var>,
}

impl Steps {
    fn of(function: &Function) -> Steps {
        let (mut after, mut lengths) = (FxHashMap::default(), FxHashMap::default());
        each_op(&function.body, &mut |var, op| match op {
            Op::Scalar(Scalar::IntAdd, args) => {
                if let [Atom::Var(from), Atom::Int(1)] = args[..] {
                    after.insert(var, from);
                }
            }
            Op::Len(Atom::Var(array)) => {
                lengths.insert(var, *array);
            }
            _ => {}
        });
        Steps { after, lengths }
    }
}

/// Makes the layouts of one tape.
struct Maker<'a> {
    tapes: &'a Tapes,
    name: NamedId,
    function: &'a Function,
    /// Parameters that stay the same in all steps.
    shared: Vec<usize>,
    /// Parameters that are one more at each step.
    counters: Vec<usize>,
    steps: Steps,
    /// What nodes need of these.
    used: Vec<Shared>,
}

impl Maker<'_> {
    /// Where a part is found that is one of these, depending on the way.
    fn layout(&mut self, trees: &[&Tree], of: &Type) -> Layout {
        match of {
            Type::Named(other) if *other == self.name => Layout::Next,
            Type::Struct(parts) if trees.iter().all(|tree| matches!(tree, Tree::Struct(_))) => {
                let part = |(i, of): (usize, &Type)| {
                    let fields: Vec<&Tree> = trees.iter().map(|tree| field(tree, i)).collect();
                    self.layout(&fields, of)
                };
                Layout::Struct(parts.iter().enumerate().map(part).collect())
            }
            Type::Struct(parts) if parts.is_empty() => Layout::Struct(vec![]),
            Type::Sum(parts) if trees.iter().all(|tree| matches!(tree, Tree::Inject(..))) => {
                let mut alternatives = vec![];
                for (tag, of) in (0..).zip(parts.iter()) {
                    let contents: Vec<&Tree> = trees.iter().filter_map(|tree| injected(tree, tag)).collect();
                    alternatives.push((!contents.is_empty()).then(|| self.layout(&contents, of)));
                }
                let mut made = (0..).zip(&mut alternatives).filter(|(_, one)| one.is_some());
                match (made.next(), made.next()) {
                    (Some((tag, content)), None) => {
                        Layout::Only(tag, Box::new(content.take().expect("tapes: an alternative")))
                    }
                    _ => Layout::Sum(alternatives),
                }
            }
            _ => self.leaf(trees, of),
        }
    }

    fn leaf(&mut self, trees: &[&Tree], of: &Type) -> Layout {
        if let [Tree::Atom(first), rest @ ..] = trees
            && rest.iter().all(|tree| **tree == Tree::Atom(first.clone()))
        {
            match first {
                Atom::Var(var) => {
                    if let Some(at) = self.shared_place(*var) {
                        return Layout::Shared(at);
                    }
                }
                constant => return Layout::Constant(constant.clone()),
            }
        }
        Layout::Kept(self.tapes.replaced(of))
    }

    /// The place among what is shared of a parameter that always stays the same, or of its length.
    fn shared_place(&mut self, var: Var) -> Option<usize> {
        if let Some(at) = self.invariant(var) {
            return Some(self.place_of(Shared::Param(at)));
        }
        let array = *self.steps.lengths.get(&var)?;
        let at = self.invariant(array)?;
        Some(self.place_of(Shared::Length(at)))
    }

    fn invariant(&self, var: Var) -> Option<usize> {
        let at = self.function.params.iter().position(|param| *param == var)?;
        self.shared.contains(&at).then_some(at)
    }

    fn place_of(&mut self, shared: Shared) -> usize {
        let known = self.used.iter().position(|other| *other == shared);
        known.unwrap_or_else(|| {
            self.used.push(shared);
            self.used.len() - 1
        })
    }

    /// What the number of the entry tells.
    fn counted(&mut self, var: Var) -> Option<Expression> {
        let is_counter = |var: Var| self.counters.iter().copied().find(|at| self.function.params[*at] == var);
        let (at, more) = match is_counter(var) {
            Some(at) => (at, 0),
            None => (is_counter(*self.steps.after.get(&var)?)?, 1),
        };
        Some(Expression::Counted(self.place_of(Shared::Start(at)), more))
    }

    /// Numbers the scalars that are kept, and says how to compute those that needn't be.
    fn compute(&mut self, layout: &mut Layout, trees: &[&Tree]) -> Vec<Option<(Expression, Type)>> {
        let mut parts = vec![];
        collect(layout, trees, &mut vec![], &mut parts);
        let mut definitions: FxHashMap<Var, (Scalar, &[Atom])> = FxHashMap::default();
        each_op(&self.function.body, &mut |var, op| {
            if let Op::Scalar(scalar, args) = op {
                definitions.insert(var, (*scalar, args));
            }
        });
        let mut computed: Vec<Option<Expression>> = vec![];
        for number in 0..parts.len() {
            computed.push(self.expression(number, &parts, &definitions));
        }
        let mut all = vec![];
        layout.leaves_mut(&mut |leaf| {
            if let Layout::Kept(of) = leaf
                && is_scalar(of)
            {
                let of = of.clone();
                let number = all.len();
                all.push(computed[number].clone().map(|expression| (expression, of.clone())));
                *leaf = match computed[number].take() {
                    Some(expression) => Layout::Computed(expression),
                    None => Layout::Numbered(number, of),
                };
            }
        });
        all
    }

    fn expression(
        &mut self,
        number: usize,
        parts: &[Part],
        definitions: &FxHashMap<Var, (Scalar, &[Atom])>,
    ) -> Option<Expression> {
        let part = &parts[number];
        let mut found: Option<Expression> = None;
        for (way, atom) in &part.atoms {
            let Atom::Var(var) = atom else { return None };
            // The same value is kept already.
            let same = parts[..number].iter().position(|other| other.serves(part) && other.in_way(*way) == Some(atom));
            let expression = match (self.counted(*var), same) {
                (Some(counted), _) => counted,
                (None, Some(other)) => Expression::Part(other),
                (None, None) => {
                    let mut finder = Finder { maker: self, parts, part, way: *way, definitions, cost: 0 };
                    finder.defined(*var)?
                }
            };
            if found.as_ref().is_some_and(|other| *other != expression) {
                return None;
            }
            found = Some(expression);
        }
        found
    }
}

/// A scalar of an entry: the atom that it is on each way that has it.
struct Part {
    /// The alternatives that it is inside of.
    inside: Vec<(Vec<u32>, u32)>,
    atoms: Vec<(usize, Atom)>,
}

impl Part {
    /// Is it there whenever the other is?
    fn serves(&self, other: &Part) -> bool {
        other.inside.starts_with(&self.inside)
    }

    fn in_way(&self, way: usize) -> Option<&Atom> {
        self.atoms.iter().find(|(other, _)| *other == way).map(|(_, atom)| atom)
    }
}

/// The scalars that a layout keeps, in the order of its leaves.
fn collect(layout: &Layout, trees: &[&Tree], inside: &mut Vec<(Vec<u32>, u32)>, parts: &mut Vec<Part>) {
    let numbered: Vec<(usize, &Tree)> = trees.iter().copied().enumerate().collect();
    collect_in(layout, &numbered, &mut vec![], inside, parts);
}

fn collect_in(
    layout: &Layout,
    trees: &[(usize, &Tree)],
    path: &mut Vec<u32>,
    inside: &mut Vec<(Vec<u32>, u32)>,
    parts: &mut Vec<Part>,
) {
    match layout {
        Layout::Struct(fields) => {
            for (i, layout) in fields.iter().enumerate() {
                let of: Vec<(usize, &Tree)> = trees
                    .iter()
                    .filter(|(_, tree)| matches!(tree, Tree::Struct(_)))
                    .map(|(way, tree)| (*way, field(tree, i)))
                    .collect();
                path.push(i as u32);
                collect_in(layout, &of, path, inside, parts);
                path.pop();
            }
        }
        Layout::Only(tag, content) => {
            let of: Vec<(usize, &Tree)> =
                trees.iter().filter_map(|(way, tree)| Some((*way, injected(tree, *tag)?))).collect();
            collect_in(content, &of, path, inside, parts);
        }
        Layout::Sum(alternatives) => {
            for (tag, layout) in (0..).zip(alternatives) {
                let Some(layout) = layout else { continue };
                let of: Vec<(usize, &Tree)> =
                    trees.iter().filter_map(|(way, tree)| Some((*way, injected(tree, tag)?))).collect();
                inside.push((path.clone(), tag));
                collect_in(layout, &of, path, inside, parts);
                inside.pop();
            }
        }
        Layout::Kept(of) if is_scalar(of) => {
            let atom = |(way, tree): &(usize, &Tree)| match tree {
                Tree::Atom(atom) => (*way, atom.clone()),
                other => unreachable!("tapes: {other:?} is no scalar"),
            };
            parts.push(Part { inside: inside.clone(), atoms: trees.iter().map(atom).collect() });
        }
        _ => {}
    }
}

fn is_scalar(of: &Type) -> bool {
    matches!(of, Type::Real | Type::Int | Type::Bool)
}

fn field(tree: &Tree, i: usize) -> &Tree {
    match tree {
        Tree::Struct(fields) => &fields[i],
        other => unreachable!("tapes: field {i} of {other:?}"),
    }
}

fn injected(tree: &Tree, tag: u32) -> Option<&Tree> {
    match tree {
        Tree::Inject(other, content) if *other == tag => Some(content),
        _ => None,
    }
}

/// Looks for a cheap way to compute a part.
struct Finder<'a, 'm> {
    maker: &'a mut Maker<'m>,
    parts: &'a [Part],
    part: &'a Part,
    way: usize,
    definitions: &'a FxHashMap<Var, (Scalar, &'a [Atom])>,
    cost: u32,
}

impl Finder<'_, '_> {
    fn defined(&mut self, var: Var) -> Option<Expression> {
        let (scalar, args) = *self.definitions.get(&var)?;
        if is_partial(scalar) {
            return None;
        }
        self.cost += cost::price(scalar)?;
        if self.cost > cost::CHEAP {
            return None;
        }
        let args: Option<Vec<Expression>> = args.iter().map(|arg| self.operand(arg)).collect();
        Some(Expression::Scalar(scalar, args?))
    }

    fn operand(&mut self, atom: &Atom) -> Option<Expression> {
        let Atom::Var(var) = atom else { return Some(Expression::Constant(atom.clone())) };
        if let Some(at) = self.maker.shared_place(*var) {
            return Some(Expression::Shared(at));
        }
        if let Some(counted) = self.maker.counted(*var) {
            return Some(counted);
        }
        let known = self.parts.iter().position(|other| other.serves(self.part) && other.in_way(self.way) == Some(atom));
        match known {
            Some(number) => Some(Expression::Part(number)),
            None => self.defined(*var),
        }
    }
}
