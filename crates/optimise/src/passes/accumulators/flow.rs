//! Of what the sensitivities of arrays in a function are sums.
//!
//! A value may hold sensitivities of arrays as *leaves*: a handle, or a choice between the symbolic zero and one, inside of structs and
//! of choices between nothing and something. A leaf has a path of field numbers; choices don't count. Derived code moves leaves around: it puts them into
//! structs, takes them out, asks whether they are zero, and adds them up. [`Flow::sources`] looks through all this and says of
//! which leaves of other statements a leaf is the sum.

use std::cell::RefCell;
use std::rc::Rc;

use base::budget;
use calculus::Prim;
use first_order::{Atom, Block, End, Function, Op, Scalar, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::deep;
use crate::rewriting::walk::each_op;

/// A leaf: of which variable, and where in it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Source {
    pub var: Var,
    pub path: Vec<u32>,
}

/// Sums of more sources than this aren't looked through.
const MOST_SOURCES: usize = 200;
/// Types with more leaves than this are left alone.
pub const MOST_LEAVES: usize = 64;

/// A block of a function, by the order in which they are met.
pub type BlockId = u32;

#[derive(Clone, Copy)]
pub enum Definition<'a> {
    /// A parameter of the function.
    Parameter(usize),
    /// A parameter of a loop, which this statement is.
    Carried(&'a Statement, usize),
    /// The content of an alternative of what is switched on.
    Content(&'a Atom, usize),
    Index,
    Made(&'a Statement),
}

pub struct Flow<'a> {
    pub function: &'a Function,
    /// Does anything but sensitivities depend on choices between nothing and nothing? See [`flags_matter`].
    pub flags_matter: bool,
    definitions: Vec<Option<Definition<'a>>>,
    blocks: Vec<BlockId>,
    /// The block around each; the outermost is its own.
    parents: Vec<BlockId>,
    ids: FxHashMap<*const Block, BlockId>,
    known: RefCell<FxHashMap<Source, Rc<Vec<Source>>>>,
    /// Vectors that are seen as arrays of more axes.
    shaped: FxHashMap<Var, Vec<Var>>,
    /// Numbers that are required to be the same, and the block where they are.
    same: Vec<(Var, Var, BlockId)>,
}

/// A choice between nothing and something: which alternative is something, and its type.
pub fn maybe(of: &Type) -> Option<(u32, &Type)> {
    let Type::Sum(alternatives) = of else { return None };
    match &alternatives[..] {
        [a, b] if *a == Type::unit() && *b != Type::unit() => Some((1, b)),
        [a, b] if *b == Type::unit() && *a != Type::unit() => Some((0, a)),
        _ => None,
    }
}

/// The paths of the leaves of a type; none if they are too many.
pub fn leaves(of: &Type) -> Vec<Vec<u32>> {
    fn visit(of: &Type, path: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
        if found.len() > MOST_LEAVES {
            return;
        }
        match of {
            Type::Handle => found.push(path.clone()),
            Type::Struct(fields) => {
                for (i, field) in (0..).zip(fields.iter()) {
                    path.push(i);
                    visit(field, path, found);
                    path.pop();
                }
            }
            of => {
                if let Some((_, content)) = maybe(of) {
                    visit(content, path, found);
                }
            }
        }
    }
    let mut found = vec![];
    visit(of, &mut vec![], &mut found);
    if found.len() > MOST_LEAVES { vec![] } else { found }
}

/// Is there a leaf at this path, in types with many leaves, too?
fn has_leaf(of: &Type, path: &[u32]) -> bool {
    match (of, path) {
        (Type::Handle, []) => true,
        (Type::Struct(fields), [first, rest @ ..]) => {
            fields.get(*first as usize).is_some_and(|field| has_leaf(field, rest))
        }
        (of, _) => maybe(of).is_some_and(|(_, content)| has_leaf(content, path)),
    }
}

/// Is nothing in it, whatever the value?
pub fn is_empty(of: &Type) -> bool {
    match of {
        Type::Struct(parts) | Type::Sum(parts) => parts.iter().all(is_empty),
        _ => false,
    }
}

/// Is there nothing in it but leaves?
pub fn is_additive(of: &Type) -> bool {
    match of {
        Type::Handle => true,
        Type::Struct(fields) => fields.iter().all(is_additive),
        of if is_empty(of) => true,
        of => maybe(of).is_some_and(|(_, content)| is_additive(content)),
    }
}

/// Is there a choice between nothing and nothing, as "zero or the sensitivity of what has none" is, of which numbers or other data depend? In first
/// derivatives there is none; in derivatives of derivatives it may say which way was gone.
pub fn flags_matter(function: &Function) -> bool {
    let mut found = false;
    each_op(&function.body, &mut |var, op| {
        if let Op::Switch(Atom::Var(on), _) = op {
            let of = &function.vars[var.0 as usize];
            found |= is_empty(&function.vars[on.0 as usize]) && !is_additive(of);
        }
    });
    found
}

impl<'a> Flow<'a> {
    pub fn of(function: &'a Function, flags_matter: bool) -> Flow<'a> {
        let count = function.vars.len();
        let mut flow = Flow {
            function,
            flags_matter,
            definitions: vec![None; count],
            blocks: vec![0; count],
            parents: vec![],
            ids: FxHashMap::default(),
            known: RefCell::default(),
            shaped: FxHashMap::default(),
            same: vec![],
        };
        for (i, param) in function.params.iter().enumerate() {
            flow.definitions[param.0 as usize] = Some(Definition::Parameter(i));
        }
        flow.enter(&function.body, 0);
        flow
    }

    fn define(&mut self, var: Var, block: BlockId, definition: Definition<'a>) {
        self.definitions[var.0 as usize] = Some(definition);
        self.blocks[var.0 as usize] = block;
    }

    fn enter(&mut self, block: &'a Block, parent: BlockId) -> BlockId {
        budget::spend(block.statements.len());
        let id = self.parents.len() as BlockId;
        self.parents.push(parent);
        self.ids.insert(block, id);
        for statement in &block.statements {
            self.define(statement.var, id, Definition::Made(statement));
            match &statement.op {
                Op::Shaped(Atom::Var(vector), _) => self.shaped.entry(*vector).or_default().push(statement.var),
                Op::Require(Atom::Var(condition), _) => {
                    if let Some(Definition::Made(Statement { op: Op::Scalar(Scalar::IntEq, args), .. })) =
                        self.definition(*condition)
                        && let [Atom::Var(a), Atom::Var(b)] = args[..]
                    {
                        self.same.push((a, b, id));
                    }
                }
                Op::If(_, then, otherwise) => {
                    deep(|| self.enter(then, id));
                    deep(|| self.enter(otherwise, id));
                }
                Op::Switch(on, arms) => {
                    for (which, (var, arm)) in arms.iter().enumerate() {
                        let inner = deep(|| self.enter(arm, id));
                        self.define(*var, inner, Definition::Content(on, which));
                    }
                }
                Op::Loop { params, body } => {
                    let inner = deep(|| self.enter(body, id));
                    for (i, (var, _)) in params.iter().enumerate() {
                        self.define(*var, inner, Definition::Carried(statement, i));
                    }
                }
                Op::Tabulate { index, body, .. } | Op::Sum { index, body, .. } => {
                    let inner = deep(|| self.enter(body, id));
                    self.define(*index, inner, Definition::Index);
                }
                _ => {}
            }
        }
        id
    }

    pub fn id(&self, block: &Block) -> BlockId {
        self.ids[&std::ptr::from_ref(block)]
    }

    pub fn block_of(&self, var: Var) -> BlockId {
        self.blocks[var.0 as usize]
    }

    /// Is a block the other one, or inside of it?
    pub fn is_within(&self, mut block: BlockId, outer: BlockId) -> bool {
        while block > outer {
            block = self.parents[block as usize];
        }
        block == outer
    }

    pub fn definition(&self, var: Var) -> Option<Definition<'a>> {
        self.definitions[var.0 as usize]
    }

    pub fn type_of(&self, var: Var) -> &'a Type {
        &self.function.vars[var.0 as usize]
    }

    pub fn type_of_atom(&self, atom: &Atom) -> Type {
        match atom {
            Atom::Var(var) => self.type_of(*var).clone(),
            Atom::Unit => Type::unit(),
            Atom::Bool(_) => Type::Bool,
            Atom::Int(_) => Type::Int,
            Atom::Real(_) => Type::Real,
        }
    }

    /// The leaves of which a leaf of an atom is the sum.
    pub fn sources(&self, atom: &Atom, path: &[u32]) -> Rc<Vec<Source>> {
        let Atom::Var(var) = atom else { return Rc::default() };
        let source = Source { var: *var, path: path.to_vec() };
        if let Some(known) = self.known.borrow().get(&source) {
            return known.clone();
        }
        budget::spend(1);
        let found = Rc::new(deep(|| self.find(&source)).unwrap_or_else(|| vec![source.clone()]));
        self.known.borrow_mut().insert(source, found.clone());
        found
    }

    /// Nothing if the leaf is its own source.
    fn find(&self, Source { var, path }: &Source) -> Option<Vec<Source>> {
        let of = self.type_of(*var);
        let looked_through = |atom: &Atom, path: &[u32]| Some(self.sources(atom, path).to_vec());
        // An array of numbers is a source where all of it is collected, and no leaf of what it was taken out of.
        if matches!(of, Type::Array(..)) {
            return match self.definition(*var)? {
                Definition::Made(Statement { op: Op::Atom(atom), .. }) => looked_through(atom, path),
                _ => None,
            };
        }
        if !has_leaf(of, path) {
            return Some(vec![]);
        }
        if leaves(of).is_empty() {
            return None;
        }
        match self.definition(*var)? {
            Definition::Content(on, which) => {
                let (something, _) = maybe(self.type_of(as_var(on)?))?;
                if which as u32 == something { looked_through(on, path) } else { Some(vec![]) }
            }
            Definition::Made(statement) => match &statement.op {
                Op::Atom(atom) => looked_through(atom, path),
                Op::Field(atom, i) => looked_through(atom, &[&[*i], &path[..]].concat()),
                Op::Struct(fields) => {
                    let (first, rest) = path.split_first()?;
                    looked_through(&fields[*first as usize], rest)
                }
                Op::Inject(which, content) => {
                    let (something, _) = maybe(of)?;
                    if *which == something { looked_through(content, path) } else { Some(vec![]) }
                }
                Op::Prim { prim: Prim::Plus, args, .. } if *of == Type::Handle => {
                    let mut all = self.sources(&args[0], &[]).to_vec();
                    all.extend(self.sources(&args[1], &[]).iter().cloned());
                    (all.len() <= MOST_SOURCES).then_some(all)
                }
                // Without elements; what was emptied is this.
                Op::Collected(Atom::Var(array)) => match self.definition(*array)? {
                    Definition::Made(Statement { op: Op::Array(elements), .. }) if elements.is_empty() => Some(vec![]),
                    _ => Some(vec![Source { var: self.copied(*array)?, path: vec![] }]),
                },
                Op::Switch(on, arms) => self.joined(on, arms, path),
                _ => None,
            },
            _ => None,
        }
    }

    /// The array that an array has the elements of, all of them, but for the sign of zeros.
    fn copied(&self, array: Var) -> Option<Var> {
        let Some(Definition::Made(Statement { op, .. })) = self.definition(array) else { return None };
        match op {
            Op::Shaped(Atom::Var(vector), lengths) => {
                let of = self.copied(*vector)?;
                let has_lengths = |var: &&Var| match self.definition(**var) {
                    Some(Definition::Made(Statement { op: Op::Shaped(_, others), .. })) => others == lengths,
                    _ => false,
                };
                self.shaped.get(&of)?.iter().find(has_lengths).copied()
            }
            Op::Tabulate { n, index, body } => {
                let End::Yield(value) = &body.end else { return None };
                let (read, last) = match &body.statements[..] {
                    [read] => (read, read),
                    [read, sum] if sum.op == Op::Scalar(Scalar::Add, vec![Atom::Var(read.var), Atom::Real(0.0)]) => {
                        (read, sum)
                    }
                    _ => return None,
                };
                let Op::Element(Atom::Var(of), indices) = &read.op else { return None };
                let all = *value == Atom::Var(last.var) && indices[..] == [Atom::Var(*index)];
                (all && self.is_length(n, *of, self.block_of(array))).then_some(*of)
            }
            _ => None,
        }
    }

    /// Is this the length of a vector, as seen in a block?
    fn is_length(&self, n: &Atom, of: Var, block: BlockId) -> bool {
        let known = match self.definition(of) {
            Some(Definition::Made(Statement { op: Op::Tabulate { n, .. }, .. })) => Some(n),
            _ => None,
        };
        let measured = |var: Var| matches!(self.definition(var), Some(Definition::Made(Statement { op: Op::Len(Atom::Var(array)), .. })) if *array == of);
        let is_it = |n: &Atom| known == Some(n) || as_var(n).is_some_and(measured);
        is_it(n)
            || self.same.iter().any(|(a, b, at)| {
                let (a, b) = (Atom::Var(*a), Atom::Var(*b));
                self.is_within(block, *at) && (a == *n && is_it(&b) || b == *n && is_it(&a))
            })
    }

    /// Is a leaf zero whatever happens, given that these sources are?
    pub fn is_zero(&self, atom: &Atom, path: &[u32], given: &dyn Fn(&Source) -> bool) -> bool {
        self.vanishes(atom, path, given, &mut FxHashSet::default())
    }

    /// A leaf of a parameter of a loop is zero if the first one is and the next one is if this one is; `assumed` are those asked about.
    fn vanishes(
        &self,
        atom: &Atom,
        path: &[u32],
        given: &dyn Fn(&Source) -> bool,
        assumed: &mut FxHashSet<Source>,
    ) -> bool {
        self.sources(atom, path).iter().all(|source| {
            if given(source) || assumed.contains(source) {
                return true;
            }
            let (values, first) = match self.definition(source.var) {
                Some(Definition::Carried(statement, at)) => {
                    let Op::Loop { params, body } = &statement.op else { return false };
                    let mut values = vec![];
                    each_end(body, &mut |end| {
                        values.extend(if let End::Again(next) = end { Some(&next[at]) } else { None })
                    });
                    (values, Some(&params[at].1))
                }
                Some(Definition::Made(Statement { op: Op::Loop { body, .. }, .. })) => {
                    let mut values = vec![];
                    each_end(body, &mut |end| {
                        values.extend(if let End::Yield(value) = end { Some(value) } else { None })
                    });
                    (values, None)
                }
                _ => return false,
            };
            assumed.insert(source.clone());
            deep(|| values.into_iter().chain(first).all(|value| self.vanishes(value, &source.path, given, assumed)))
        })
    }

    /// A switch that only asks whether something is zero: what it gives if it isn't is what it gives if it is, and what comes from
    /// it. Nothing if it is another one.
    fn joined(&self, on: &Atom, arms: &'a [(Var, Block)], path: &[u32]) -> Option<Vec<Source>> {
        let of = self.type_of(as_var(on)?);
        let (something, content) = maybe(of)?;
        let value = |which: u32| match &arms[which as usize].1 {
            Block { end: End::Yield(atom), .. } => Some(self.sources(atom, path)),
            _ => None,
        };
        let (with, without) = (value(something)?, value(1 - something)?);
        for (_, arm) in arms {
            let arm = self.id(arm);
            let is_inside = |source: &Source| self.is_within(self.block_of(source.var), arm);
            if with.iter().chain(without.iter()).any(is_inside) {
                return None;
            }
        }
        let mut more: Vec<Source> = with.to_vec();
        for source in without.iter() {
            let at = more.iter().position(|other| other == source)?;
            more.remove(at);
        }
        let from = leaves(content).into_iter().flat_map(|path| self.sources(on, &path).to_vec()).collect::<Vec<_>>();
        more.iter().all(|source| from.contains(source)).then(|| with.to_vec())
    }
}

pub fn as_var(atom: &Atom) -> Option<Var> {
    match atom {
        Atom::Var(var) => Some(*var),
        _ => None,
    }
}

/// Visits the ends of a block, those of the choice that it ends with instead of its own.
pub fn each_end<'a>(block: &'a Block, visit: &mut dyn FnMut(&'a End)) {
    if let (End::Yield(Atom::Var(var)), Some(last)) = (&block.end, block.statements.last())
        && last.var == *var
        && matches!(last.op, Op::If(..) | Op::Switch(..))
    {
        return deep(|| last.op.blocks(&mut |_, block| each_end(block, visit)));
    }
    visit(&block.end);
}
