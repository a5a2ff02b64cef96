//! Which statements take the accumulator and give it back, and what is added where blocks end.
//!
//! A statement with blocks, or a call, whose value has a leaf that only ends up in one sum can *take* the accumulator of that sum: what its
//! leaf is the sum of is added inside, and the leaf itself is zero from then on. What a block yields, or hands to the next
//! iteration of its loop, is then looked at in the same way. A parameter of a loop that is part of the sum begins as zero: what it began with is added before the loop.
//!
//! A statement takes an accumulator only if each way through the block around it counts its leaf exactly once; what doesn't is added as the
//! sensitivity that it is.

use calculus::Prim;
use first_order::{Atom, Block, End, FunctionId, Op, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::{BlockId, Definition, Flow, Source, as_var, is_additive, is_empty, leaves, maybe};
use crate::deep;

/// A leaf of one of several values, by the number of the value.
pub type Part = (usize, Vec<u32>);

/// What happens at the end of a block.
#[derive(Clone, Debug)]
pub struct Exit {
    pub block: BlockId,
    /// What is added to the accumulator, in this order.
    pub added: Vec<Source>,
    /// The leaves that are zero from now on: of which atom of the end, and where in it.
    pub emptied: Vec<Part>,
}

/// A statement that takes the accumulator.
#[derive(Clone, Debug)]
pub struct Taking {
    /// Its leaf.
    pub path: Vec<u32>,
    /// The leaves of a loop's first values that are zero from now on.
    pub emptied: Vec<Part>,
    pub exits: Vec<Exit>,
    /// The function that is called instead.
    pub callee: Option<FunctionId>,
}

/// Of one function, for one accumulator.
#[derive(Clone, Default)]
pub struct Plan {
    pub takes: FxHashMap<Var, Taking>,
    /// Choices at the end of a block of which each way is an end of its own.
    pub ways: FxHashSet<Var>,
}

/// A function that takes an accumulator: which it is, and what of its parameters is added before it is called.
#[derive(Clone)]
pub struct Version {
    pub id: FunctionId,
    pub before: Vec<Part>,
}

/// The ends of a region: a loop's body, the ways of a choice, a function, or a block up to a statement.
struct Region<'a, 'r> {
    blocks: Vec<&'a Block>,
    /// The loop whose body it is.
    repeated: Option<&'a Statement>,
    path: &'r [u32],
}

/// An end with what it counts.
struct CountedEnd<'a> {
    block: BlockId,
    end: &'a End,
    counted: Vec<Source>,
}

/// Is a block one of a region's, or inside of one?
fn is_inside(flow: &Flow, region: &Region, block: BlockId) -> bool {
    region.blocks.iter().any(|outer| flow.is_within(block, flow.id(outer)))
}

/// A region, planned.
struct Ends {
    exits: Vec<Exit>,
    /// What all its values have in common from outside, which is added before it.
    hoisted: Vec<Source>,
    /// The parameters of its loop that are part of the sum.
    carried: Vec<Part>,
}

/// Where the sum is seen once it is complete.
#[derive(Clone, Copy, PartialEq)]
enum Seen {
    /// By this statement alone.
    At(Var),
    /// By anybody, as a leaf of this statement.
    After(Var),
    /// In the caller.
    Nowhere,
}

/// A statement that can't take the accumulator after all.
struct Refused(Var);

pub struct Planner<'a, 'p> {
    pub flow: &'a Flow<'a>,
    pub plan: Plan,
    /// What doesn't take the accumulator.
    refused: FxHashSet<Var>,
    /// Gives the version of a function that takes an accumulator for a leaf of its result.
    version: &'p mut dyn FnMut(FunctionId, &[u32]) -> Option<Version>,
    order: Vec<Var>,
    /// Of what the leaf of a statement that takes the accumulator is the sum besides.
    besides: FxHashMap<Var, Vec<Source>>,
}

/// How often a plan is begun anew.
const ATTEMPTS: usize = 24;

/// The plan for a sum in one block: the leaves in `sum` that are added at the statement `root`. With the plan, what isn't taken.
pub fn of_root(
    flow: &Flow,
    root: Var,
    sum: &Atom,
    version: &mut dyn FnMut(FunctionId, &[u32]) -> Option<Version>,
) -> Option<(Plan, Vec<Source>)> {
    let mut refused = FxHashSet::default();
    for _ in 0..ATTEMPTS {
        let mut planner = Planner::new(flow, std::mem::take(&mut refused), version);
        let mut all = flow.sources(sum, &[]).to_vec();
        let block = flow.block_of(root);
        let at_root = |source: &Source| flow.block_of(source.var) == block;
        planner.expand(&mut all, &at_root);
        let rest = all.iter().filter(|source| !planner.is_taken(source)).cloned().collect();
        match planner.leak(Seen::At(root), &[]) {
            None => return (!planner.plan.takes.is_empty()).then_some((planner.plan, rest)),
            Some(var) => {
                refused = planner.refused;
                if !refused.insert(var) {
                    return None;
                }
            }
        }
    }
    None
}

/// The plan for a loop in which a leaf of its own is added up that anybody may see afterwards. With the plan, what is added before.
pub fn of_loop(
    flow: &Flow,
    statement: &Statement,
    path: &[u32],
    version: &mut dyn FnMut(FunctionId, &[u32]) -> Option<Version>,
) -> Option<(Plan, Vec<Source>)> {
    let mut refused = FxHashSet::default();
    for _ in 0..ATTEMPTS {
        let mut planner = Planner::new(flow, std::mem::take(&mut refused), version);
        let (taking, besides) = planner.take(statement, path)?;
        planner.plan.takes.insert(statement.var, taking);
        let rest = besides.iter().filter(|source| !planner.is_taken(source)).cloned().collect();
        match planner.leak(Seen::After(statement.var), &[]) {
            None => return Some((planner.plan, rest)),
            Some(var) => {
                refused = planner.refused;
                if var == statement.var || !refused.insert(var) {
                    return None;
                }
            }
        }
    }
    None
}

/// The plan for a function: what happens at its ends, and what of its parameters is added before it is called.
pub struct OfFunction {
    pub plan: Plan,
    pub exits: Vec<Exit>,
    pub before: Vec<Part>,
}

/// The plan for a function whose result has the leaf, and what of its parameters is added before.
pub fn of_function(
    flow: &Flow,
    path: &[u32],
    version: &mut dyn FnMut(FunctionId, &[u32]) -> Option<Version>,
) -> Option<OfFunction> {
    let mut refused = FxHashSet::default();
    for _ in 0..ATTEMPTS {
        let mut planner = Planner::new(flow, std::mem::take(&mut refused), version);
        let region = Region { blocks: vec![&flow.function.body], repeated: None, path };
        let Ends { exits, hoisted, .. } = planner.region(&region)?;
        let mut before = vec![];
        for source in hoisted {
            let Some(Definition::Parameter(at)) = flow.definition(source.var) else { return None };
            before.push((at, source.path));
        }
        match planner.leak(Seen::Nowhere, &exits) {
            None => return Some(OfFunction { plan: planner.plan, exits, before }),
            Some(var) => {
                refused = planner.refused;
                if !refused.insert(var) {
                    return None;
                }
            }
        }
    }
    None
}

impl<'a, 'p> Planner<'a, 'p> {
    fn new(
        flow: &'a Flow<'a>,
        refused: FxHashSet<Var>,
        version: &'p mut dyn FnMut(FunctionId, &[u32]) -> Option<Version>,
    ) -> Planner<'a, 'p> {
        Planner { flow, plan: Plan::default(), refused, version, order: vec![], besides: FxHashMap::default() }
    }

    fn is_taken(&self, source: &Source) -> bool {
        self.plan.takes.get(&source.var).is_some_and(|taking| taking.path == source.path)
    }

    /// Lets the statements among these sources take the accumulator where that goes; what they are the sum of besides follows them.
    fn expand(&mut self, sources: &mut Vec<Source>, may_take: &dyn Fn(&Source) -> bool) {
        let flow = self.flow;
        sources.retain(|source| !flow.is_zero(&Atom::Var(source.var), &source.path, &|_| false));
        let mut at = 0;
        while at < sources.len() {
            let source = sources[at].clone();
            at += 1;
            let Some(Definition::Made(statement)) = self.flow.definition(source.var) else { continue };
            if !may_take(&source) || self.refused.contains(&source.var) || self.is_leaf_of_many(&source) {
                continue;
            }
            if self.is_taken(&source) {
                for (i, other) in self.besides[&source.var].clone().into_iter().enumerate() {
                    sources.insert(at + i, other);
                }
                continue;
            }
            if self.plan.takes.contains_key(&source.var) {
                continue;
            }
            if sources.iter().filter(|other| other.var == source.var).count() > 1 {
                continue;
            }
            let mark = self.order.len();
            match deep(|| self.take(statement, &source.path)) {
                Some((taking, besides)) => {
                    self.plan.takes.insert(source.var, taking);
                    self.order.push(source.var);
                    self.besides.insert(source.var, besides.clone());
                    for (i, other) in besides.into_iter().enumerate() {
                        sources.insert(at + i, other);
                    }
                }
                None => self.forget(mark),
            }
        }
    }

    /// A leaf of a value with more leaves than are looked at: who else sees it isn't known.
    fn is_leaf_of_many(&self, source: &Source) -> bool {
        !source.path.is_empty() && leaves(self.flow.type_of(source.var)).is_empty()
    }

    fn forget(&mut self, mark: usize) {
        for var in self.order.drain(mark..) {
            self.plan.takes.remove(&var);
        }
    }

    /// How a statement takes the accumulator for one of its leaves, and of what the leaf is the sum besides.
    fn take(&mut self, statement: &'a Statement, path: &[u32]) -> Option<(Taking, Vec<Source>)> {
        let path = path.to_vec();
        let (blocks, repeated): (Vec<&Block>, _) = match &statement.op {
            Op::Loop { body, .. } => (vec![body], Some(statement)),
            Op::If(_, then, otherwise) => (vec![then, otherwise], None),
            Op::Switch(_, arms) => (arms.iter().map(|(_, arm)| arm).collect(), None),
            Op::Call(function, args) => {
                let Version { id, before } = (self.version)(*function, &path)?;
                let besides =
                    before.iter().flat_map(|(at, path)| self.flow.sources(&args[*at], path).to_vec()).collect();
                return Some((Taking { path, emptied: before, exits: vec![], callee: Some(id) }, besides));
            }
            _ => return None,
        };
        let region = Region { blocks, repeated, path: &path };
        let Ends { exits, hoisted: mut besides, carried } = self.region(&region)?;
        if let Op::Loop { params, .. } = &statement.op {
            for (at, path) in &carried {
                besides.extend(self.flow.sources(&params[*at].1, path).iter().cloned());
            }
        }
        Some((Taking { path: path.clone(), emptied: carried, exits, callee: None }, besides))
    }

    /// The ends of a region with what is added there, what is added before the region instead, and which parameters of the loop count.
    fn region(&mut self, region: &Region<'a, '_>) -> Option<Ends> {
        let mark = self.order.len();
        for _ in 0..ATTEMPTS {
            match self.attempt(region) {
                Ok(done) => {
                    if done.is_none() {
                        self.forget(mark);
                    }
                    return done;
                }
                Err(Refused(var)) => {
                    self.forget(mark);
                    if !self.refused.insert(var) {
                        return None;
                    }
                }
            }
        }
        self.forget(mark);
        None
    }

    fn attempt(&mut self, region: &Region<'a, '_>) -> Result<Option<Ends>, Refused> {
        let (ways, carried) = self.ways(region);
        if ways.is_empty() || !self.counts_parameters_once(region, &ways, &carried) {
            return Ok(None);
        }
        self.count_taken_once(&ways)?;
        let hoisted = self.hoisted(region, &ways);
        let mut exits = vec![];
        for way in &ways {
            let is_added = |source: &&Source| {
                !self.is_taken(source) && self.is_carried(region, source).is_none() && !hoisted.contains(source)
            };
            let added: Vec<Source> = way.counted.iter().filter(is_added).cloned().collect();
            // Whatever else is added may take as long as the array is.
            if !added.iter().all(|source: &Source| addition(self.flow, source).is_some()) {
                return Ok(None);
            }
            let emptied = match way.end {
                End::Yield(_) => vec![(0, region.path.to_vec())],
                _ => carried.clone(),
            };
            exits.push(Exit { block: way.block, added, emptied });
        }
        Ok(Some(Ends { exits, hoisted, carried }))
    }

    /// The ways out of a region with what each counts, and the parts of the loop's parameters that count: what is yielded counts, and what it says
    /// of the parameters says which parts of the next values count.
    fn ways(&mut self, region: &Region<'a, '_>) -> (Vec<CountedEnd<'a>>, Vec<Part>) {
        let mut ends = vec![];
        for block in &region.blocks {
            self.ends(block, region, &mut ends);
        }
        let mut ways: Vec<CountedEnd> =
            ends.into_iter().map(|(block, end)| CountedEnd { block, end, counted: vec![] }).collect();
        let mut carried: Vec<Part> = vec![];
        for way in &mut ways {
            if let End::Yield(atom) = way.end {
                way.counted = self.counted(region, way.block, atom, region.path, &mut carried);
            }
        }
        let mut next = 0;
        while next < carried.len() {
            let (at, path) = carried[next].clone();
            next += 1;
            for way in &mut ways {
                if let End::Again(atoms) = way.end {
                    let more = self.counted(region, way.block, &atoms[at], &path, &mut carried);
                    way.counted.extend(more);
                }
            }
        }
        (ways, carried)
    }

    /// Of what the part of an atom at the end of a block is the sum; `carried` grows by the parameters among that.
    fn counted(
        &mut self,
        region: &Region<'a, '_>,
        block: BlockId,
        atom: &'a Atom,
        path: &[u32],
        carried: &mut Vec<Part>,
    ) -> Vec<Source> {
        let flow = self.flow;
        let may_take = |source: &Source| {
            let own = flow.block_of(source.var);
            is_inside(flow, region, own) && flow.is_within(block, own)
        };
        let mut counted = flow.sources(atom, path).to_vec();
        self.expand(&mut counted, &may_take);
        self.carried(region, &counted, carried);
        counted
    }

    /// Does every way count each parameter once, and what takes the accumulator before it?
    fn counts_parameters_once(&self, region: &Region<'a, '_>, ways: &[CountedEnd], carried: &[Part]) -> bool {
        let count = |way: &CountedEnd, at: usize, path: &Vec<u32>| {
            way.counted.iter().filter(|source| self.is_carried(region, source) == Some((at, path))).count()
        };
        ways.iter().all(|way| carried.iter().all(|(at, path)| count(way, *at, path) == 1))
    }

    /// Is what takes the accumulator counted once on each way through it, and on no other?
    fn count_taken_once(&self, ways: &[CountedEnd]) -> Result<(), Refused> {
        let counts = |way: &CountedEnd, var: Var| way.counted.iter().filter(|source| source.var == var).count();
        let is_taken =
            |way: &CountedEnd, var: Var| way.counted.iter().any(|source| source.var == var && self.is_taken(source));
        for var in self.order.iter().copied().filter(|var| ways.iter().any(|way| is_taken(way, *var))) {
            let own = self.flow.block_of(var);
            let wanted = |way: &CountedEnd| usize::from(self.flow.is_within(way.block, own));
            if ways.iter().any(|way| counts(way, var) != wanted(way)) {
                return Err(Refused(var));
            }
        }
        Ok(())
    }

    /// What all values that are yielded have in common, from outside: it is added before.
    fn hoisted(&self, region: &Region<'a, '_>, ways: &[CountedEnd]) -> Vec<Source> {
        let yields = || ways.iter().filter(|way| matches!(way.end, End::Yield(_)));
        let agains = || ways.iter().filter(|way| matches!(way.end, End::Again(_)));
        let is_hoisted = |source: &&Source| {
            let own = self.flow.block_of(source.var);
            let from_outside = !is_inside(self.flow, region, own) || self.is_parameter(source);
            let once = |way: &CountedEnd| way.counted.iter().filter(|other| other == source).count() == 1;
            from_outside
                && yields().all(once)
                && !agains().any(|way| way.counted.contains(source))
                && self.is_worth_hoisting(source)
        };
        let Some(first) = yields().next() else { return vec![] };
        first.counted.iter().filter(is_hoisted).cloned().collect()
    }

    fn is_parameter(&self, source: &Source) -> bool {
        matches!(self.flow.definition(source.var), Some(Definition::Parameter(_)))
    }

    /// A single element is added where it is counted; what may be large, or takes the accumulator itself, once.
    fn is_worth_hoisting(&self, source: &Source) -> bool {
        match self.flow.definition(source.var) {
            Some(Definition::Made(statement)) => {
                matches!(statement.op, Op::Loop { .. } | Op::If(..) | Op::Switch(..) | Op::Call(..))
            }
            Some(_) => true,
            None => false,
        }
    }

    /// Is it a parameter of the region's loop?
    fn is_carried<'s>(&self, region: &Region, source: &'s Source) -> Option<(usize, &'s Vec<u32>)> {
        match (self.flow.definition(source.var), region.repeated) {
            (Some(Definition::Carried(statement, at)), Some(this))
                if statement.var == this.var && !self.is_leaf_of_many(source) =>
            {
                Some((at, &source.path))
            }
            _ => None,
        }
    }

    fn carried(&self, region: &Region, sources: &[Source], carried: &mut Vec<Part>) {
        for source in sources {
            if let Some((at, path)) = self.is_carried(region, source)
                && !carried.iter().any(|(other, of)| *other == at && of == path)
            {
                carried.push((at, path.clone()));
            }
        }
    }

    /// The ends of a block, those of the choice it ends with if that isn't looked through.
    fn ends(&mut self, block: &'a Block, region: &Region<'a, '_>, found: &mut Vec<(BlockId, &'a End)>) {
        if let (End::Yield(Atom::Var(var)), Some(last)) = (&block.end, block.statements.last())
            && last.var == *var
            && matches!(last.op, Op::If(..) | Op::Switch(..))
        {
            let own = Source { var: *var, path: region.path.to_vec() };
            let repeats = region.repeated.is_some() && repeats(&last.op);
            if repeats || *self.flow.sources(&Atom::Var(*var), region.path) == [own] {
                self.plan.ways.insert(*var);
                let mut blocks = vec![];
                last.op.blocks(&mut |_, block| blocks.push(block));
                for block in blocks {
                    deep(|| self.ends(block, region, found));
                }
                return;
            }
        }
        if !matches!(block.end, End::Never) {
            found.push((self.flow.id(block), &block.end));
        }
    }

    /// A statement that takes the accumulator though its leaf is seen elsewhere.
    fn leak(&self, seen: Seen, result: &[Exit]) -> Option<Var> {
        let mut handled: FxHashSet<(BlockId, usize, &[u32])> = FxHashSet::default();
        let exits = self.plan.takes.values().flat_map(|taking| &taking.exits).chain(result);
        for exit in exits {
            handled.extend(exit.emptied.iter().map(|(at, path)| (exit.block, *at, &path[..])));
        }
        let mut taken: FxHashMap<Source, Var> = FxHashMap::default();
        for (var, taking) in &self.plan.takes {
            if seen != Seen::After(*var) {
                taken.insert(Source { var: *var, path: taking.path.clone() }, *var);
            }
            if let Some(Definition::Made(Statement { op: Op::Loop { params, .. }, .. })) = self.flow.definition(*var) {
                for (at, path) in &taking.emptied {
                    taken.insert(Source { var: params[*at].0, path: path.clone() }, *var);
                }
            }
        }
        if taken.is_empty() {
            return None;
        }
        let root = if let Seen::At(root) = seen { Some(root) } else { None };
        let mut leaks = Leaks { flow: self.flow, plan: &self.plan, handled, taken, root, found: None };
        leaks.block(&self.flow.function.body);
        leaks.found
    }
}

/// What is added to an accumulator in place: the sensitivity of an element, or of a part that is an array of numbers, or of all.
pub struct Addition<'a> {
    /// The lengths of the whole.
    pub frame: Option<&'a Atom>,
    pub indices: Indices<'a>,
    pub value: &'a Atom,
    /// How many axes the part has.
    pub rank: u32,
}

pub enum Indices<'a> {
    Single(Option<&'a Atom>),
    /// So many in a struct.
    Packed(&'a Atom, u32),
}

/// A source that is added in place. That takes as long as making what is added took.
pub fn addition<'a>(flow: &Flow<'a>, source: &Source) -> Option<Addition<'a>> {
    let Some(Definition::Made(Statement { op, .. })) = flow.definition(source.var) else { return None };
    let (args, value) = match op {
        Op::Prim { prim: Prim::Place, args, .. } => (args, args.get(2)?),
        Op::Collected(value) => {
            let Type::Array(_, rank) = flow.type_of_atom(value) else { return None };
            return Some(Addition { frame: None, indices: Indices::Single(None), value, rank });
        }
        _ => return None,
    };
    let [frame, index, _] = &args[..] else { return None };
    let rank = match flow.type_of_atom(value) {
        Type::Real => 0,
        Type::Array(element, rank) if *element == Type::Real => rank,
        _ => return None,
    };
    let ints = |atom: &Atom| match flow.type_of_atom(atom) {
        Type::Int => Some(1),
        Type::Struct(parts) if parts.iter().all(|of| *of == Type::Int) => Some(parts.len() as u32),
        _ => None,
    };
    let count = ints(index)?;
    let indices = match flow.type_of_atom(index) {
        Type::Int => Indices::Single(Some(index)),
        _ => Indices::Packed(index, count),
    };
    (ints(frame)? == count + rank).then_some(Addition { frame: Some(frame), indices, value, rank })
}

fn repeats(op: &Op) -> bool {
    let mut found = false;
    op.blocks(&mut |_, block| found |= has_again(block));
    found
}

/// Does the innermost loop around the block begin anew at its end?
fn has_again(block: &Block) -> bool {
    match (&block.end, block.statements.last()) {
        (End::Again(_), _) => true,
        (End::Yield(Atom::Var(var)), Some(last)) if last.var == *var => match &last.op {
            Op::If(..) | Op::Switch(..) => deep(|| repeats(&last.op)),
            _ => false,
        },
        _ => false,
    }
}

struct Leaks<'a, 'p> {
    flow: &'p Flow<'a>,
    plan: &'p Plan,
    handled: FxHashSet<(BlockId, usize, &'p [u32])>,
    taken: FxHashMap<Source, Var>,
    root: Option<Var>,
    found: Option<Var>,
}

impl Leaks<'_, '_> {
    /// An atom is used so that its leaves are seen, but for those that `is_handled`.
    fn seen(&mut self, atom: &Atom, is_handled: impl Fn(&[u32]) -> bool) {
        let Some(var) = as_var(atom) else { return };
        for path in leaves(self.flow.type_of(var)) {
            if is_handled(&path) {
                continue;
            }
            for source in self.flow.sources(atom, &path).iter() {
                if let Some(var) = self.taken.get(source) {
                    self.found = Some(*var);
                }
            }
        }
    }

    fn block(&mut self, block: &Block) {
        let id = self.flow.id(block);
        for statement in &block.statements {
            if self.found.is_some() {
                return;
            }
            self.statement(statement);
        }
        match &block.end {
            End::Yield(atom) => {
                let handled = self.handled.clone();
                self.seen(atom, |path| handled.contains(&(id, 0, path)));
            }
            End::Again(atoms) => {
                let handled = self.handled.clone();
                for (at, atom) in atoms.iter().enumerate() {
                    self.seen(atom, |path| handled.contains(&(id, at, path)));
                }
            }
            End::Never => {}
        }
    }

    fn statement(&mut self, statement: &Statement) {
        if Some(statement.var) == self.root {
            return;
        }
        let of = self.flow.type_of(statement.var);
        let own = |path: &[u32]| Source { var: statement.var, path: path.to_vec() };
        let is_opaque =
            |flow: &Flow| leaves(of).iter().any(|path| *flow.sources(&Atom::Var(statement.var), path) == [own(path)]);
        match &statement.op {
            Op::Atom(_) | Op::Field(..) => {}
            Op::Struct(fields) => {
                // Too many leaves to be looked through.
                if leaves(of).is_empty() {
                    fields.iter().for_each(|field| self.seen(field, |_| false));
                }
            }
            Op::Inject(_, content) => {
                if maybe(of).is_none() {
                    self.seen(content, |_| false);
                }
            }
            Op::Prim { prim: Prim::Plus, args, .. } if *of == Type::Handle => {
                if is_opaque(self.flow) {
                    args.iter().for_each(|arg| self.seen(arg, |_| false));
                }
            }
            Op::Switch(on, arms) => {
                let is_planned =
                    self.plan.takes.contains_key(&statement.var) || self.plan.ways.contains(&statement.var);
                // Does whether it is zero decide over more than what comes from it? (What holds more than leaves isn't made zero.)
                let decides = || match is_empty(of) {
                    true => self.flow.flags_matter,
                    false => is_planned || !is_additive(of) || is_opaque(self.flow),
                };
                let is_asked = match as_var(on).map(|on| self.flow.type_of(on)) {
                    Some(on) if maybe(on).is_none() => true,
                    Some(on) => is_additive(on) && decides(),
                    None => false,
                };
                if is_asked {
                    self.seen(on, |_| false);
                }
                for (_, arm) in arms {
                    if is_planned {
                        deep(|| self.block(arm));
                        continue;
                    }
                    deep(|| arm.statements.iter().for_each(|statement| self.statement(statement)));
                    // What is looked through is counted where it is used.
                    if let End::Yield(atom) = &arm.end {
                        let flow = self.flow;
                        self.seen(atom, |path| *flow.sources(&Atom::Var(statement.var), path) != [own(path)]);
                    }
                }
            }
            Op::Loop { params, body } => {
                let emptied =
                    self.plan.takes.get(&statement.var).map(|taking| taking.emptied.clone()).unwrap_or_default();
                for (at, (_, first)) in params.iter().enumerate() {
                    self.seen(first, |path| emptied.iter().any(|(other, of)| *other == at && of == path));
                }
                deep(|| self.block(body));
            }
            Op::Call(_, args) => {
                let emptied =
                    self.plan.takes.get(&statement.var).map(|taking| taking.emptied.clone()).unwrap_or_default();
                for (at, arg) in args.iter().enumerate() {
                    self.seen(arg, |path| emptied.iter().any(|(other, of)| *other == at && of == path));
                }
            }
            op => {
                op.atoms(&mut |atom| self.seen(atom, |_| false));
                op.blocks(&mut |_, block| deep(|| self.block(block)));
            }
        }
    }
}
