//! The list of work: which instances there are, what they return, who uses whom.

use std::collections::BTreeSet;
use std::rc::Rc;

use base::{Name, Span, budget, codes};
use calculus::{GlobalId, Group, Lambda};
use first_order::{Atom, CodeId, End, FunctionId, Op, ShapeId, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::codes::Codes;
use crate::draft::{Draft, Written, ended};
use crate::graph::{Fold, Graph, NEVER, UNIT};
use crate::program::each_call;
use crate::{Dynamic, Growth, Reason, Result1, Stop, Val, World, limits};

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
    /// J⁻¹ of data in which not all functions are J-images.
    Lower,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    kind: Kind,
    params: Vec<ShapeId>,
}

pub struct Instance {
    key: Key,
    pub result: ShapeId,
    pub written: Option<Written>,
    users: FxHashSet<usize>,
    /// Who asked for it first.
    parent: Option<usize>,
    analyses: u32,
    /// How often it seemed to grow by nesting ever deeper: what it is folded by.
    nestings: u32,
    in_progress: bool,
    dirty: bool,
}

impl Instance {
    pub fn kind(&self) -> &Kind {
        &self.key.kind
    }

    pub fn params(&self) -> &[ShapeId] {
        &self.key.params
    }

    /// How often it was analysed, and how often its result seemed to nest ever deeper.
    pub fn effort(&self) -> (u32, u32) {
        (self.analyses, self.nestings)
    }
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
    pub instances: Vec<Instance>,
    by_key: FxHashMap<Key, usize>,
    /// The shapes of sensitivities that backpropagators are run on.
    run_on: FxHashMap<ShapeId, Vec<ShapeId>>,
    /// Those to be written anew.
    dirty: BTreeSet<usize>,
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
    /// How many instances were asked for, conversions aside.
    requested: usize,
    folding: Folding,
}

/// When a result that keeps growing is folded.
#[derive(Clone, Copy, PartialEq)]
pub enum Folding {
    /// After a few times.
    Soon,
    /// Only if what it grew by last brings nothing new: where alternatives appear one after the other, each looks like nesting. Where
    /// functions hold arrays of arrays of functions, it is nesting, and this takes too long to see it.
    Late,
}

impl<'a> Specialiser<'a> {
    pub fn new(world: &'a dyn World, codes: Rc<Codes>, folding: Folding) -> Specialiser<'a> {
        Specialiser {
            graph: Graph::new(codes.clone()),
            codes,
            world,
            instances: vec![],
            by_key: FxHashMap::default(),
            run_on: FxHashMap::default(),
            dirty: BTreeSet::new(),
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
            requested: 0,
            folding,
        }
    }

    /// Settles the instances of a step and writes those that it needs: also says which one is the step itself.
    pub fn step(mut self, step: &Rc<Group>, span: Span) -> Result<(Specialiser<'a>, usize), Dynamic> {
        let code = self.codes.of_group(step);
        let key = Key { kind: Kind::Call { code, member: 0 }, params: vec![UNIT] };
        let entry = match self.request(key, span) {
            Ok(entry) => entry,
            Err(Stop::Dynamic(dynamic)) => return Err(dynamic),
            Err(Stop::Never) => unreachable!("specialise: a request always has an answer"),
        };
        loop {
            self.settle(0, span)?;
            self.write_conversions(entry, span)?;
            if self.dirty.is_empty() {
                return Ok((self, entry));
            }
        }
    }

    /// Writes anew what depends on results that grew, the innermost first, from the instance with this number on. Those before it wait
    /// for whoever asked for them: all ways through a recursion then bring their parts of its result before it is gone through again.
    fn settle(&mut self, first: usize, span: Span) -> Result<(), Dynamic> {
        while let Some(next) = self.dirty.last().copied().filter(|next| *next >= first) {
            self.dirty.remove(&next);
            if self.instances[next].dirty {
                self.analyse(next, span)?;
            }
        }
        Ok(())
    }

    /// Writes the conversions that the entry needs. What they give is known without that, and most of those that were asked
    /// for along the way are between shapes that nobody has any more.
    fn write_conversions(&mut self, entry: usize, span: Span) -> Result<(), Dynamic> {
        let mut seen: FxHashSet<usize> = [entry].into_iter().collect();
        let mut waiting = vec![entry];
        while let Some(id) = waiting.pop() {
            if self.instances[id].written.is_none() {
                self.analyse(id, span)?;
            }
            let written = self.instances[id].written.as_ref().expect("specialise: the instance was just written");
            each_call(&written.body, &mut |callee| {
                if seen.insert(callee.0 as usize) {
                    waiting.push(callee.0 as usize);
                }
            });
        }
        Ok(())
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
        if let Some(size) = self.sizes.get(&shape) {
            return *size > limits::LARGE_SHAPE;
        }
        let size = self.graph.depth(shape);
        self.sizes.insert(shape, size);
        size > limits::LARGE_SHAPE
    }

    /// Something that isn't compiled.
    pub fn dynamic<T>(&self, span: Span, reason: Reason) -> Result1<T> {
        Err(Stop::Dynamic(Dynamic { reason, span }))
    }

    /// The lambda of a code's member.
    pub fn lambda(&self, code: CodeId, member: u32) -> (Rc<Group>, usize) {
        (self.codes.get(code).group.clone(), member as usize)
    }

    /// Calls an instance and gives its result; params are converted if the instance is wider.
    pub fn call(&mut self, kind: Kind, args: Vec<Val>, span: Span) -> Result1<Val> {
        if self.written + self.draft.written > limits::WRITTEN || self.graph.shapes.0.len() > limits::SHAPES {
            return self.dynamic(span, Reason::TooLarge);
        }
        if self.graph.work > limits::WORK {
            return self.dynamic(span, Reason::Unsettled(Growth::Shapes));
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
        while let Some(id) = at {
            if is_same(&self.instances[id].key) {
                above.push(id);
            }
            at = self.instances[id].parent;
        }
        above
    }

    /// An instance of the same function that is under way and wide enough.
    fn widened(&mut self, key: &Key) -> Option<usize> {
        if !matches!(key.kind, Kind::Call { .. } | Kind::RunRaw) {
            return None;
        }
        let above = self.nested(key);
        if above.len() < limits::NESTED {
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
        if above.len() < limits::NESTED {
            return self.with_other_sensitivities(key);
        }
        let above_count = above.len();
        let mut params = key.params.clone();
        for id in above {
            let known = self.instances[id].key.params.clone();
            for (param, other) in params.iter_mut().zip(known) {
                *param = self.graph.join(*param, other);
            }
        }
        let fold = match above_count / limits::NESTED {
            1 => Fold::Closures,
            2 => Fold::Wide,
            _ => Fold::All,
        };
        params.into_iter().map(|param| self.graph.fold(param, fold)).collect()
    }

    /// The parameters; if a large backpropagator that nests in itself is run on yet another sensitivity, joined with the others. They differ in
    /// what is zero: of derivatives of higher order any part of any level may be, and each combination would be an instance.
    fn with_other_sensitivities(&mut self, key: &Key) -> Vec<ShapeId> {
        let (Kind::RunRaw, &[back, d]) = (&key.kind, &key.params[..]) else { return key.params.clone() };
        let others = self.run_on.get(&back).cloned().unwrap_or_default();
        if others.len() < limits::SENSITIVITIES || !self.graph.is_recursive(back) || !self.is_large(back) {
            return key.params.clone();
        }
        let joined = others.into_iter().fold(d, |joined, other| self.graph.join(joined, other));
        vec![back, joined]
    }

    fn request(&mut self, key: Key, span: Span) -> Result1<usize> {
        if let Some(id) = self.by_key.get(&key) {
            return Ok(*id);
        }
        let convert = matches!(key.kind, Kind::Convert { .. });
        if !convert {
            self.requested += 1;
        }
        if self.requested > limits::INSTANCES {
            return self.dynamic(span, Reason::Unsettled(Growth::Instances));
        }
        let id = self.instances.len();
        let result = if let Kind::Convert { to } = key.kind { to } else { NEVER };
        self.by_key.insert(key.clone(), id);
        if let (Kind::RunRaw, [back, d]) = (&key.kind, &key.params[..]) {
            self.run_on.entry(*back).or_default().push(*d);
        }
        self.instances.push(Instance {
            key,
            result,
            written: None,
            users: FxHashSet::default(),
            parent: self.current,
            analyses: 0,
            nestings: 0,
            in_progress: false,
            dirty: false,
        });
        if !convert {
            budget::deep(|| self.analyse(id, span)).map_err(Stop::Dynamic)?;
        }
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
            if instance.analyses > limits::ANALYSES {
                return Err(Dynamic { reason: Reason::Unsettled(Growth::Result), span });
            }
            let outer = std::mem::take(&mut self.draft);
            self.draft.first_own_file = self.world.first_own_file();
            self.draft.marks_parts = self.world.marks_parts();
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
            if self.written > limits::WRITTEN {
                return Err(Dynamic { reason: Reason::TooLarge, span });
            }
            // What it leads to settles before anybody looks at it.
            if !self.instances[id].dirty {
                self.settle(id, span)?;
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
            Kind::Lower => self.lower_alternatives(&args[0], span),
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

    pub fn described(&self, kind: &Kind) -> (Rc<str>, Span) {
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
            Kind::Lower => (Rc::from("lower"), Span::default()),
        }
    }

    /// A result takes in another shape; whoever used the smaller one is written anew.
    fn grow(&mut self, id: usize, shape: ShapeId) {
        let old = self.instances[id].result;
        let mut new = self.graph.join(old, shape);
        if new == old {
            return;
        }
        // Each way through a recursion brings what is its own, one after the other. That isn't nesting: it ends.
        let brings_new = self.graph.brings_new(old, new);
        let mut nestings = self.instances[id].nestings;
        if brings_new && self.folding == Folding::Late {
            nestings = nestings.min(limits::NESTINGS_UNFOLDED);
        }
        if let Some(fold) = fold_after(nestings + 1) {
            new = self.graph.fold(new, fold);
        }
        // What is no larger after folding has another alternative somewhere. That ends as well, and to fold more would only blur it.
        if brings_new || nestings < limits::NESTINGS_BY_FUNCTIONS || self.graph.depth(new) > self.graph.depth(old) {
            nestings += 1;
        }
        self.instances[id].nestings = nestings;
        // Folding may give back what was there.
        if new == old {
            return;
        }
        self.instances[id].result = new;
        let users: Vec<usize> = self.instances[id].users.iter().copied().collect();
        for user in users {
            if !self.instances[user].dirty {
                self.instances[user].dirty = true;
                self.dirty.insert(user);
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
}

/// How a result is folded that has nested deeper so often.
fn fold_after(nestings: u32) -> Option<Fold> {
    match nestings {
        0..=limits::NESTINGS_UNFOLDED => None,
        3..=limits::NESTINGS_BY_FUNCTIONS => Some(Fold::Alike),
        5..=6 => Some(Fold::Closures),
        7..=9 => Some(Fold::Wide),
        _ => Some(Fold::All),
    }
}
