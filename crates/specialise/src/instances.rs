//! The list of work: which instances there are, what they return, who uses whom.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use base::{Name, Span, codes};
use calculus::{GlobalId, Group, Lambda};
use first_order::{
    Atom, Block, CodeId, Definition, End, Function, FunctionId, Head, Op, Program, Shape, ShapeId, Statement, Type, Var,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes::Codes;
use crate::draft::{Draft, Written, ended};
use crate::graph::{Fold, Graph, NEVER, UNIT};
use crate::{Dynamic, Result1, Specialised, Stop, Val, World};

/// What an instance is an instance of. Together with the shapes of its parameters this names it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A member of a group; the parameters are the captures and the argument.
    Call { code: CodeId, member: u32 },
    /// The sum of two sensitivities.
    Plus,
    /// The same value in a wider shape.
    Convert { to: ShapeId },
    /// A sensitivity with its head unfolded.
    Force,
    /// A sensitivity next to its value, unfolded one level.
    Unfold,
    /// A value with all its reals multiplied.
    Times,
    /// A backpropagator applied to a sensitivity, without its seals.
    RunRaw,
    /// `J^order` of T of a function that is J^order of it, under its seals.
    Tangent { order: u32 },
    /// The function that T-images were made of, under their seals.
    Primal,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    kind: Kind,
    params: Vec<ShapeId>,
}

pub struct Instance {
    key: Key,
    result: ShapeId,
    written: Option<Written>,
    users: FxHashSet<usize>,
    /// Who asked for it first.
    parent: Option<usize>,
    analyses: u32,
    in_progress: bool,
    dirty: bool,
}

/// A function whose body is written in place of a call, at an argument of this shape.
pub struct Inlined {
    pub code: CodeId,
    pub member: u32,
    pub x: ShapeId,
}

pub struct Specialiser<'a> {
    pub graph: Graph,
    pub codes: Rc<Codes>,
    pub world: &'a dyn World,
    instances: Vec<Instance>,
    by_key: FxHashMap<Key, usize>,
    dirty: VecDeque<usize>,
    /// The function that is being written, and for which instance.
    pub draft: Draft,
    current: Option<usize>,
    types: FxHashMap<ShapeId, Type>,
    sizes: FxHashMap<ShapeId, usize>,
    pub globals: Vec<GlobalId>,
    pub global_shapes: FxHashMap<GlobalId, ShapeId>,
    /// The shapes of sums of elements of arrays.
    pub sums: FxHashMap<(ShapeId, ShapeId), ShapeId>,
    /// The functions whose bodies are being written in place of a call.
    pub inlined: Vec<Inlined>,
    /// Which functions mention themselves.
    pub recursive: FxHashMap<CodeId, bool>,
    written: usize,
}

/// How many instances a step may have, how often one may be analysed, and how much may be written in all.
const MAX_INSTANCES: usize = 4_000;
const MAX_ANALYSES: u32 = 60;
const MAX_WRITTEN: usize = 2_000_000;
const MAX_SHAPES: usize = 60_000;
/// How many nodes of shapes may be looked at: seconds.
const MAX_WORK: usize = 1_000_000;
/// How many instances of one function may be nested before their parameters are joined.
const MAX_NESTED: usize = 8;

impl<'a> Specialiser<'a> {
    pub fn new(world: &'a dyn World, codes: Rc<Codes>) -> Specialiser<'a> {
        Specialiser {
            graph: Graph::new(codes.clone()),
            codes,
            world,
            instances: vec![],
            by_key: FxHashMap::default(),
            dirty: VecDeque::new(),
            draft: Draft::default(),
            current: None,
            types: FxHashMap::default(),
            sizes: FxHashMap::default(),
            globals: vec![],
            global_shapes: FxHashMap::default(),
            sums: FxHashMap::default(),
            inlined: vec![],
            recursive: FxHashMap::default(),
            written: 0,
        }
    }

    pub fn step(mut self, step: &Rc<Group>, span: Span) -> Result<Specialised, Dynamic> {
        let code = self.codes.of_group(step);
        let key = Key { kind: Kind::Call { code, member: 0 }, params: vec![UNIT] };
        let entry = match self.request(key, span) {
            Ok(entry) => entry,
            Err(Stop::Dynamic(dynamic)) => return Err(dynamic),
            Err(Stop::Never) => unreachable!("specialise: a request always has an answer"),
        };
        while let Some(next) = self.dirty.pop_front() {
            if self.instances[next].dirty {
                self.analyse(next, span)?;
            }
        }
        Ok(self.program(entry))
    }

    pub fn type_of(&mut self, shape: ShapeId) -> Type {
        if let Some(ty) = self.types.get(&shape) {
            return ty.clone();
        }
        let ty = self.graph.shapes.type_of(shape);
        self.types.insert(shape, ty.clone());
        ty
    }

    /// Is a shape so large that code about its parts is better written once?
    pub fn is_large(&mut self, shape: ShapeId) -> bool {
        const LARGE: usize = 14;
        if let Some(size) = self.sizes.get(&shape) {
            return *size > LARGE;
        }
        let size = self.graph.depth(shape);
        self.sizes.insert(shape, size);
        size > LARGE
    }

    pub fn dynamic<T>(&self, span: Span, reason: impl Into<String>) -> Result1<T> {
        Err(Stop::Dynamic(Dynamic { reason: reason.into(), span }))
    }

    /// The lambda of a code's member.
    pub fn lambda(&self, code: CodeId, member: u32) -> (Rc<Group>, usize) {
        (self.codes.get(code).group.clone(), member as usize)
    }

    /// Calls an instance and gives its result; params are converted if the instance is wider.
    pub fn call(&mut self, kind: Kind, args: Vec<Val>, span: Span) -> Result1<Val> {
        if self.written + self.draft.written > MAX_WRITTEN || self.graph.shapes.0.len() > MAX_SHAPES {
            return self.dynamic(span, "the specialised program is too large");
        }
        if self.graph.work > MAX_WORK {
            return self.dynamic(span, "the shapes grow without settling");
        }
        let mut params: Vec<ShapeId> = args.iter().map(|arg| arg.shape).collect();
        let key = Key { kind: kind.clone(), params: params.clone() };
        let id = match self.by_key.get(&key) {
            Some(id) => *id,
            None => match self.widened(&key) {
                Some(id) => id,
                None => {
                    params = self.settled(&key);
                    self.request(Key { kind, params: params.clone() }, span)?
                }
            },
        };
        let wanted = self.instances[id].key.params.clone();
        let mut atoms = Vec::with_capacity(args.len());
        for (arg, shape) in args.iter().zip(wanted) {
            atoms.push(self.coerce(arg, shape, span)?.atom);
        }
        if let Some(current) = self.current {
            self.instances[id].users.insert(current);
        }
        let result = self.instances[id].result;
        let ty = self.type_of(result);
        let atom = self.draft.write(ty, Op::Call(FunctionId(id as u32), atoms), span);
        if result == NEVER {
            return self.unreached(span);
        }
        Ok(Val { atom, shape: result })
    }

    /// The instances of the same function among those that led here, the innermost first.
    fn nested(&self, key: &Key) -> Vec<usize> {
        let is_same = |other: &Key| match key.kind {
            // Other backpropagators are other functions.
            Kind::RunRaw => other.kind == Kind::RunRaw && other.params[0] == key.params[0],
            _ => other.kind == key.kind,
        };
        let mut above = vec![];
        let mut at = self.current;
        let mut seen = 0;
        while let Some(id) = at {
            if is_same(&self.instances[id].key) {
                above.push(id);
            }
            at = self.instances[id].parent;
            seen += 1;
            if seen > 100_000 {
                break;
            }
        }
        above
    }

    /// An instance of the same function that is under way and wide enough.
    fn widened(&mut self, key: &Key) -> Option<usize> {
        if !matches!(key.kind, Kind::Call { .. } | Kind::RunRaw) {
            return None;
        }
        let above = self.nested(key);
        if above.len() < MAX_NESTED {
            return None;
        }
        above.into_iter().find(|id| {
            let known = self.instances[*id].key.params.clone();
            known.len() == key.params.len()
                && known.iter().zip(&key.params).all(|(known, new)| self.graph.join(*known, *new) == *known)
        })
    }

    /// The parameters, joined with those of nested instances if there are many.
    fn settled(&mut self, key: &Key) -> Vec<ShapeId> {
        // The others only ever meet parts of shapes that exist.
        if !matches!(key.kind, Kind::Call { .. } | Kind::RunRaw) {
            return key.params.clone();
        }
        let above = self.nested(key);
        if above.len() < MAX_NESTED {
            return key.params.clone();
        }
        let above_count = above.len();
        let mut params = key.params.clone();
        for id in above {
            let known = self.instances[id].key.params.clone();
            for (param, other) in params.iter_mut().zip(known) {
                *param = self.graph.join(*param, other);
            }
        }
        let fold = if above_count < 2 * MAX_NESTED { Fold::Closures } else { Fold::Wide };
        params.into_iter().map(|param| self.graph.fold(param, fold)).collect()
    }

    fn request(&mut self, key: Key, span: Span) -> Result1<usize> {
        if let Some(id) = self.by_key.get(&key) {
            return Ok(*id);
        }
        if self.instances.len() >= MAX_INSTANCES {
            return self.dynamic(span, format!("more than {MAX_INSTANCES} instances: the shapes don't settle"));
        }
        let id = self.instances.len();
        let result = if let Kind::Convert { to } = key.kind { to } else { NEVER };
        self.by_key.insert(key.clone(), id);
        self.instances.push(Instance {
            key,
            result,
            written: None,
            users: FxHashSet::default(),
            parent: self.current,
            analyses: 0,
            in_progress: false,
            dirty: false,
        });
        stacker::maybe_grow(256 * 1024, 4 << 20, || self.analyse(id, span)).map_err(Stop::Dynamic)?;
        Ok(id)
    }

    /// Writes the body of an instance anew, until its own result no longer changes what it uses.
    fn analyse(&mut self, id: usize, span: Span) -> Result<(), Dynamic> {
        if self.instances[id].in_progress {
            return Ok(());
        }
        loop {
            let instance = &mut self.instances[id];
            instance.dirty = false;
            instance.in_progress = true;
            instance.analyses += 1;
            if instance.analyses > MAX_ANALYSES {
                let reason = "the shape of a result doesn't settle".to_string();
                return Err(Dynamic { reason, span });
            }
            let outer = std::mem::take(&mut self.draft);
            self.draft.first_own_file = self.world.first_own_file();
            let current = self.current.replace(id);
            let inlined = std::mem::take(&mut self.inlined);
            let written = self.write(id);
            self.written += self.draft.written;
            self.draft = outer;
            self.current = current;
            self.inlined = inlined;
            self.instances[id].in_progress = false;
            let written = written?;
            self.instances[id].written = Some(written);
            if self.written > MAX_WRITTEN {
                return Err(Dynamic { reason: "the specialised program is too large".into(), span });
            }
            if !self.instances[id].dirty {
                return Ok(());
            }
        }
    }

    fn write(&mut self, id: usize) -> Result<Written, Dynamic> {
        let key = self.instances[id].key.clone();
        let mut params = vec![];
        let mut args = vec![];
        for shape in &key.params {
            let ty = self.type_of(*shape);
            let var = self.draft.fresh(ty);
            params.push(var);
            args.push(Val { atom: Atom::Var(var), shape: *shape });
        }
        let (name, span) = self.described(&key.kind);
        self.draft.open(vec![]);
        let result = match key.kind {
            Kind::Call { code, member } => self.body(code, member, args),
            Kind::Plus => self.plus_alternatives(&args[0], &args[1], span),
            Kind::Convert { to } => self.convert_alternatives(&args[0], to, span),
            Kind::Force => self.force_alternatives(&args[0], span),
            Kind::Unfold => self.unfold(&args[0], &args[1], span),
            Kind::Times => self.times_alternatives(&args[0], &args[1], span),
            Kind::RunRaw => self.run_raw_alternatives(&args[0], args[1].clone(), span),
            Kind::Tangent { order } => self.tangent_alternatives(&args[0], &args[1], order, span),
            Kind::Primal => self.primal_alternatives(&args[0], span),
        };
        let statements = self.draft.close();
        let body = match result {
            Err(Stop::Dynamic(dynamic)) => return Err(dynamic),
            Err(Stop::Never) => ended(statements, End::Never),
            Ok(value) => {
                self.grow(id, value.shape);
                let result = self.instances[id].result;
                self.draft.open(statements);
                let value = match self.coerce(&value, result, span) {
                    Ok(value) => value,
                    Err(Stop::Dynamic(dynamic)) => return Err(dynamic),
                    Err(Stop::Never) => Val { atom: Atom::Unit, shape: NEVER },
                };
                ended(self.draft.close(), End::Yield(value.atom))
            }
        };
        let result = self.instances[id].result;
        let result = self.type_of(result);
        let vars = std::mem::take(&mut self.draft.vars);
        let globals = std::mem::take(&mut self.draft.globals);
        Ok(Written { name, params, vars, globals, result, body, span })
    }

    fn described(&self, kind: &Kind) -> (Rc<str>, Span) {
        match kind {
            Kind::Call { code, member } => {
                let (group, member) = self.lambda(*code, *member);
                let lambda: &Lambda = &group.members[member];
                let name = lambda.name.unwrap_or(Name::new("lambda"));
                let primes = "'".repeat(group.order as usize);
                let role = match lambda.role {
                    calculus::Role::Backpropagator => "_back",
                    _ => "",
                };
                (Rc::from(format!("{name}{primes}{role}")), lambda.span)
            }
            Kind::Plus => (Rc::from("plus"), Span::default()),
            Kind::Convert { .. } => (Rc::from("convert"), Span::default()),
            Kind::Force => (Rc::from("unfold"), Span::default()),
            Kind::Unfold => (Rc::from("unfold"), Span::default()),
            Kind::Times => (Rc::from("times"), Span::default()),
            Kind::RunRaw => (Rc::from("pull"), Span::default()),
            Kind::Tangent { .. } => (Rc::from("push"), Span::default()),
            Kind::Primal => (Rc::from("primal"), Span::default()),
        }
    }

    /// A result takes in another shape; whoever used the smaller one is written anew.
    fn grow(&mut self, id: usize, shape: ShapeId) {
        let old = self.instances[id].result;
        let mut new = self.graph.join(old, shape);
        if new == old {
            return;
        }
        match self.instances[id].analyses {
            0..=2 => {}
            3..=12 => new = self.graph.fold(new, Fold::Closures),
            _ => new = self.graph.fold(new, Fold::Wide),
        }
        self.instances[id].result = new;
        let users: Vec<usize> = self.instances[id].users.iter().copied().collect();
        for user in users {
            if !self.instances[user].dirty {
                self.instances[user].dirty = true;
                self.dirty.push_back(user);
            }
        }
    }

    /// Ends the block: nothing after this is reached.
    pub fn unreached<T>(&mut self, span: Span) -> Result1<T> {
        self.draft.write(Type::Struct(Rc::from([])), Op::Fail(codes::OUT_OF_STEPS), span);
        Err(Stop::Never)
    }

    /// Ends the program with an error.
    pub fn fail<T>(&mut self, code: base::Code, span: Span) -> Result1<T> {
        self.draft.write(Type::Struct(Rc::from([])), Op::Fail(code), span);
        Err(Stop::Never)
    }

    /// Puts together the instances that the entry needs.
    fn program(mut self, entry: usize) -> Specialised {
        let mut order = vec![];
        let mut place: FxHashMap<usize, u32> = FxHashMap::default();
        let mut waiting = vec![entry];
        while let Some(id) = waiting.pop() {
            if place.contains_key(&id) {
                continue;
            }
            place.insert(id, order.len() as u32);
            order.push(id);
            let written = self.instances[id].written.as_ref().expect("specialise: every instance is written");
            each_call(&written.body, &mut |callee| waiting.push(callee.0 as usize));
        }
        let needs = self.thread_globals(&order);
        let used: Vec<usize> = {
            let entry = self.instances[entry].written.as_ref().expect("specialise: the entry is written");
            entry.globals.keys().copied().collect()
        };
        let globals: Vec<GlobalId> = used.iter().map(|slot| self.globals[*slot]).collect();
        let parameters = globals.iter().map(|id| self.global_shapes[id]).collect();
        let mut functions = vec![];
        for id in &order {
            let mut written = self.instances[*id].written.take().expect("specialise: every instance is written");
            let globals = written.globals.clone();
            each_call_mut(&mut written.body, &mut |callee, args| {
                let needed = needs[&(callee.0 as usize)].iter().map(|slot| Atom::Var(globals[slot]));
                *args = needed.chain(args.drain(..)).collect();
                *callee = FunctionId(place[&(callee.0 as usize)]);
            });
            let mut params: Vec<Var> = written.globals.values().copied().collect();
            // The argument of the entry is the unit that every step is applied to.
            if *id != entry {
                params.extend(written.params);
            } else {
                let unit = Statement { var: written.params[0], op: Op::Atom(Atom::Unit), span: written.span };
                written.body.statements.insert(0, unit);
            }
            let Written { name, vars, result, body, span, .. } = written;
            functions.push(Function { name, params, result, body, vars, span });
        }
        let types = (0..self.graph.named_count()).map(|_| None).collect();
        let types = self.definitions(types);
        let result = self.instances[entry].result;
        let instances = functions.len();
        let shapes = self.graph.shapes;
        let mut program = Program { types, shapes, functions, entry: FunctionId(0), parameters, result };
        keep_used_shapes(&mut program);
        Specialised { program, globals, codes: self.codes, instances }
    }

    fn definitions(&self, mut types: Vec<Option<Definition>>) -> Vec<Definition> {
        for (i, shape) in self.graph.shapes.0.iter().enumerate() {
            if let Some(named) = shape.named {
                let content = self.graph.shapes.content_of(ShapeId(i as u32));
                types[named.0 as usize] = Some(Definition { name: Rc::from(self.name_of(shape, named.0)), content });
            }
        }
        types.into_iter().map(|definition| definition.expect("specialise: every name is defined")).collect()
    }

    /// Hands every function the globals that it or what it calls reads.
    fn thread_globals(&mut self, order: &[usize]) -> FxHashMap<usize, BTreeSet<usize>> {
        let mut needs: FxHashMap<usize, BTreeSet<usize>> = FxHashMap::default();
        let mut calls: FxHashMap<usize, BTreeSet<usize>> = FxHashMap::default();
        for id in order {
            let written = self.instances[*id].written.as_ref().expect("specialise: every instance is written");
            needs.insert(*id, written.globals.keys().copied().collect());
            let callees = calls.entry(*id).or_default();
            each_call(&written.body, &mut |callee| {
                callees.insert(callee.0 as usize);
            });
        }
        let mut changed = true;
        while changed {
            changed = false;
            for id in order.iter().rev() {
                let more: BTreeSet<usize> = calls[id].iter().flat_map(|callee| needs[callee].iter().copied()).collect();
                let own = needs.entry(*id).or_default();
                let before = own.len();
                own.extend(more);
                changed |= own.len() != before;
            }
        }
        for id in order {
            for slot in &needs[id] {
                let shape = self.global_shapes[&self.globals[*slot]];
                let ty = self.type_of(shape);
                let written = self.instances[*id].written.as_mut().expect("specialise: every instance is written");
                written.globals.entry(*slot).or_insert_with(|| {
                    written.vars.push(ty);
                    Var(written.vars.len() as u32 - 1)
                });
            }
        }
        needs
    }

    /// A name for people, from what the shape may be.
    fn name_of(&self, shape: &Shape, number: u32) -> String {
        let name = shape.alternatives.iter().find_map(|alternative| match &alternative.head {
            Head::Variant(constructor) => Some(constructor.type_name.to_string()),
            Head::Part(Some(constructor), _) => Some(format!("d{}", constructor.type_name)),
            Head::Closure { code, member } => {
                Some(self.described(&Kind::Call { code: *code, member: *member }).0.replace('\'', "_j"))
            }
            _ => None,
        });
        let name: String =
            name.unwrap_or("node".into()).chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        format!("{name}_{number}")
    }
}

/// Drops the shapes that only the analysis needed.
fn keep_used_shapes(program: &mut Program) {
    let mut kept: Vec<Shape> = vec![];
    let mut place: FxHashMap<ShapeId, ShapeId> = FxHashMap::default();
    let all = std::mem::take(&mut program.shapes.0);
    let mut keep = |id: &mut ShapeId| {
        let mut waiting = vec![*id];
        while let Some(id) = waiting.pop() {
            if let std::collections::hash_map::Entry::Vacant(entry) = place.entry(id) {
                entry.insert(ShapeId(kept.len() as u32));
                let shape = &all[id.0 as usize];
                waiting.extend(shape.alternatives.iter().flat_map(|one| one.parts.iter().copied()));
                kept.push(shape.clone());
            }
        }
        *id = place[id];
    };
    program.parameters.iter_mut().for_each(&mut keep);
    keep(&mut program.result);
    for function in &mut program.functions {
        each_shape(&mut function.body, &mut keep);
    }
    for shape in &mut kept {
        for part in shape.alternatives.iter_mut().flat_map(|one| &mut one.parts) {
            *part = place[part];
        }
    }
    program.shapes = kept.into();
}

fn each_shape(block: &mut Block, see: &mut dyn FnMut(&mut ShapeId)) {
    stacker::maybe_grow(32 * 1024, 1 << 20, || {
        for statement in &mut block.statements {
            match &mut statement.op {
                Op::Prim { shapes, result, .. } => {
                    shapes.iter_mut().for_each(&mut *see);
                    see(result);
                }
                Op::If(_, then, otherwise) => {
                    each_shape(then, see);
                    each_shape(otherwise, see);
                }
                Op::Switch(_, arms) => arms.iter_mut().for_each(|(_, arm)| each_shape(arm, see)),
                Op::Loop { body, .. } | Op::Tabulate { body, .. } => each_shape(body, see),
                _ => {}
            }
        }
    });
}

/// Calls `see` on every call in a block.
fn each_call(block: &Block, see: &mut dyn FnMut(FunctionId)) {
    stacker::maybe_grow(32 * 1024, 1 << 20, || {
        for statement in &block.statements {
            match &statement.op {
                Op::Call(callee, _) => see(*callee),
                Op::If(_, then, otherwise) => {
                    each_call(then, see);
                    each_call(otherwise, see);
                }
                Op::Switch(_, arms) => arms.iter().for_each(|(_, arm)| each_call(arm, see)),
                Op::Loop { body, .. } | Op::Tabulate { body, .. } => each_call(body, see),
                _ => {}
            }
        }
    });
}

fn each_call_mut(block: &mut Block, change: &mut dyn FnMut(&mut FunctionId, &mut Vec<Atom>)) {
    stacker::maybe_grow(32 * 1024, 1 << 20, || {
        for statement in &mut block.statements {
            match &mut statement.op {
                Op::Call(callee, args) => change(callee, args),
                Op::If(_, then, otherwise) => {
                    each_call_mut(then, change);
                    each_call_mut(otherwise, change);
                }
                Op::Switch(_, arms) => arms.iter_mut().for_each(|(_, arm)| each_call_mut(arm, change)),
                Op::Loop { body, .. } | Op::Tabulate { body, .. } => each_call_mut(body, change),
                _ => {}
            }
        }
    });
}
