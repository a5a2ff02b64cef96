//! A session: everything that lives from one input to the next.

use std::rc::Rc;

use base::{Diagnostic, FileId, Name, Sources, Span, codes};
use calculus::build::Builder;
use calculus::{
    Atom, Binding as L1, Expr, GlobalId, GlobalInfo, GlobalKind, Globals, Group, Lambda, Module, Prim, Role, Root,
    Step, StepKind,
};
use data::Format;
use elaborate::{Binding, Elaborated, Input, Reading, Scope};
use eval::code::ATTACH;
use eval::prims::settle;
use eval::value::{Env, Form};
use eval::{Code, Machine, Value};
use rustc_hash::FxHashMap;
use syntax::Tree;
use syntax::ast::{Import, ImportSource, Statement};

use crate::engine::Engines;
use crate::library;
use crate::modules::{self, Loaded, Modules};
use crate::problem;
use crate::rules::Ruled;
use crate::world::{Offline, World};

pub struct Session {
    pub sources: Sources,
    pub globals: Globals,
    pub machine: Machine,
    pub engines: Engines,
    prelude: Scope,
    /// The names of the program or of the REPL.
    pub scope: Scope,
    modules: Modules,
    world: Rc<dyn World>,
    /// What is likely to be meant otherwise in the files so far. Whoever shows them takes them away.
    pub warnings: Vec<Diagnostic>,
    /// How many of the globals are the library's.
    library_globals: usize,
    /// How the inputs of the session come: from the prompt, functions may mention what a later one defines.
    pub reading: Reading,
    /// The definitions, the library's excepted, that may lead to a custom rule.
    pub(crate) ruled: Ruled,
    /// What a plot is given to the library in.
    pub(crate) plot_argument: Option<GlobalId>,
}

/// Functions of the library that have no documentation are its own.
fn is_public(globals: &Globals, binding: &Binding) -> bool {
    match binding {
        Binding::Root(Root::Global(id)) => globals.get(*id).doc.is_some(),
        _ => true,
    }
}

/// Where a text is from.
#[derive(Clone, Copy)]
enum Origin<'a> {
    /// It may mention internal primitives. The module that its types are of, if programs know them only by its name.
    Library(Option<&'a str>),
    /// What the session was given to run.
    Program,
    /// A file under this path.
    Import(&'a str),
}

/// All that is wrong with an input.
pub type Failure = Vec<Diagnostic>;

/// What one statement of an input led to.
#[derive(Debug)]
pub struct Outcome {
    pub span: Span,
    pub kind: StepKind,
    /// The value of an expression at top level.
    pub value: Value,
}

impl Session {
    pub fn new(world: Rc<dyn World>) -> Session {
        Session::with_library(world, library::FILES)
            .unwrap_or_else(|errors| panic!("the library that is compiled in: {errors:#?}"))
    }

    /// A session with another library, for those who test the tests: its files by name, in the order of `library::FILES`.
    pub fn with_library(world: Rc<dyn World>, files: &[(&'static str, &str)]) -> Result<Session, Failure> {
        let mut session = Session {
            sources: Sources::default(),
            globals: Globals::default(),
            machine: Machine::new(),
            engines: Engines::default(),
            prelude: Scope::default(),
            scope: Scope::default(),
            modules: Modules::default(),
            world: world.clone(),
            warnings: vec![],
            library_globals: 0,
            reading: Reading::Whole,
            ruled: Ruled::default(),
            plot_argument: None,
        };
        session.machine.output = Box::new(move |line| tell(&*world, line));
        session.load_library(files)?;
        Ok(session)
    }

    /// A session without files and printing.
    pub fn offline() -> Session {
        Session::new(Rc::new(Offline))
    }

    fn load_library(&mut self, files: &[(&'static str, &str)]) -> Result<(), Failure> {
        let mut rules = Scope::default();
        for (name, text) in files {
            let file = self.sources.add(format!("library/{name}.ev"), *text);
            let tree = syntax::parse(file, text);
            // The two files of rules share their helpers.
            let mut scope = if *name == library::TANGENTS { std::mem::take(&mut rules) } else { Scope::default() };
            let exported = library::MODULES.iter().find(|(module, _)| module == name).map(|(_, names)| *names);
            let module = self.elaborate(&tree, &mut scope, Origin::Library(exported.map(|_| *name)))?;
            self.define(&module);
            for step in &module.steps {
                self.run_step(step).map_err(|error| vec![*error])?;
            }
            if *name == library::DERIVATIVES {
                self.set_rules(&scope, "reverse", Machine::set_derivative);
                rules = scope;
                continue;
            }
            if *name == library::TANGENTS {
                self.set_rules(&scope, "forward", Machine::set_forward_rule);
                continue;
            }
            self.prelude.extend(&scope, |name| exported.is_none_or(|names| names.contains(&name.as_str())));
            let qualified =
                library::QUALIFIED.iter().filter(|(module, _)| module == name).flat_map(|(_, prims)| *prims);
            for prim in qualified {
                scope.insert(Name::new(prim.name()), Binding::Root(Root::Prim(*prim)));
            }
            let globals = &self.globals;
            scope.retain(|binding| is_public(globals, binding));
            let scope = Rc::new(scope);
            if exported.is_some() {
                self.prelude.insert(Name::new(name), Binding::Module(scope.clone()));
            }
            self.modules.library.insert(name, scope);
        }
        let globals = &self.globals;
        self.prelude.retain(|binding| is_public(globals, binding));
        self.machine.first_user_file = files.len() as u32;
        self.library_globals = self.globals.len();
        Ok(())
    }

    /// `reverse_p` of derivatives.ev is the derivative of the primitive `p`, `forward_p` of tangents.ev its forward rule.
    fn set_rules(&mut self, scope: &Scope, mode: &str, set: fn(&mut Machine, Prim, Value)) {
        for &prim in Prim::ALL {
            let name = Name::new(&format!("{mode}_{}", prim.name().trim_start_matches('.')));
            if let Some(Binding::Root(Root::Global(id))) = scope.get(name)
                && let Some(value) = self.machine.global(*id)
            {
                let value = value.clone();
                set(&mut self.machine, prim, value);
            }
        }
    }

    /// Reads, elaborates and runs a text in the scope of the session; each statement's outcome in order. After an
    /// error what came before it stays.
    pub fn run(&mut self, name: &str, text: &str, mut each: impl FnMut(Outcome)) -> Result<(), Failure> {
        let (_, module) = self.load(name, text)?;
        for step in &module.steps {
            let value = self.run_step(step).map_err(|error| vec![*error])?;
            each(Outcome { span: step.span, kind: step.kind.clone(), value });
        }
        Ok(())
    }

    /// The value of an expression (or of the last statement of a text) in the scope of the session.
    pub fn evaluate(&mut self, text: &str) -> Result<Value, Failure> {
        let mut last = Value::unit();
        self.run("<input>", text, |outcome| last = outcome.value)?;
        Ok(last)
    }

    /// Reads and elaborates a text in the scope of the session and makes its functions known. Nothing runs but
    /// what it imports.
    pub fn load(&mut self, name: &str, text: &str) -> Result<(Tree, Module), Failure> {
        let file = self.sources.add(name, text);
        let tree = syntax::parse(file, text);
        let mut scope = std::mem::take(&mut self.scope);
        let module = self.elaborate(&tree, &mut scope, Origin::Program);
        self.scope = scope;
        let module = module?;
        self.define(&module);
        Ok((tree, module))
    }

    /// The text of a file, or what is wrong with it.
    pub fn read(&mut self, path: &str) -> Result<String, Failure> {
        let bytes = self.world.read(path);
        self.text_of(path, bytes)
    }

    /// The text of a file that somebody has read, or what is wrong with it.
    pub fn text_of(&mut self, path: &str, bytes: Result<Vec<u8>, String>) -> Result<String, Failure> {
        match bytes {
            Ok(bytes) => self.decode(path, bytes).map_err(|error| vec![*error]),
            Err(reason) => Err(vec![self.unreadable(path, &reason)]),
        }
    }

    fn unreadable(&mut self, path: &str, reason: &str) -> Diagnostic {
        let file = self.sources.add(path, "");
        Diagnostic::new(codes::IMPORT_NOT_FOUND, Span::new(file, 0, 0), format!("can't read {path}: {reason}"))
    }

    fn decode(&mut self, path: &str, bytes: Vec<u8>) -> base::Result<String> {
        String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let file = self.sources.add(path, text);
            let span = Span::new(file, valid, valid + '\u{fffd}'.len_utf8());
            Box::new(
                Diagnostic::new(codes::NOT_UTF8, span, format!("{path} is not UTF-8 text"))
                    .here(format!("byte {valid} is not valid here"))
                    .help("save the file with UTF-8 encoding"),
            )
        })
    }

    fn elaborate(&mut self, tree: &Tree, scope: &mut Scope, origin: Origin) -> Result<Module, Failure> {
        if !tree.errors().is_empty() {
            return Err(tree.errors().to_vec());
        }
        let mut imports: FxHashMap<String, base::Result<Binding>> = FxHashMap::default();
        for id in tree.statements() {
            if let Statement::Import(import) = tree.statement(id) {
                let found = self.import(&import);
                imports.insert(modules::key(&import.source), found);
            }
        }
        let modules = |import: &Import| imports[&modules::key(&import.source)].clone();
        let known = self.globals.len();
        let (globals, prelude) = (&mut self.globals, &self.prelude);
        let (internal, path) = match origin {
            Origin::Library(module) => (true, module),
            Origin::Program => (false, None),
            Origin::Import(path) => (false, Some(path)),
        };
        let reading = if let Origin::Program = origin { self.reading } else { Reading::Whole };
        let input = Input { tree, globals, prelude, scope, modules: &modules, internal, path, reading };
        let elaborated = elaborate::elaborate(input)?;
        // Also those that nothing defines yet.
        for id in (known..self.globals.len()).map(|id| GlobalId(id as u32)) {
            self.machine.declare(id, self.globals.get(id).name);
        }
        let Elaborated { module, warnings } = elaborated;
        self.warnings.extend(warnings);
        debug_assert_eq!(calculus::check::check_module(&module), Ok(()), "elaborate broke an invariant of L1");
        Ok(module)
    }

    fn import(&mut self, import: &Import) -> base::Result<Binding> {
        let path = match &import.source {
            ImportSource::Library(name) => {
                return self.modules.library_module(import, name.as_str()).map(Binding::Module);
            }
            ImportSource::Path(path) => modules::resolve(&self.sources.get(import.span.file).name, path),
        };
        let importing = self.sources.get(import.span.file).name.clone();
        self.modules.imported.entry(importing.clone()).or_default().push(path.clone());
        if let Some(loaded) = self.modules.loaded.get(&path) {
            return Ok(loaded.binding.clone());
        }
        if path == importing || self.modules.loading.contains(&path) {
            return modules::circular(&self.modules.loading, import, &importing, &path).err();
        }
        self.modules.loading.push(importing);
        let loaded = self.import_path(import, &path, None);
        self.modules.loading.pop();
        loaded
    }

    /// Reads a file, for the first time or again: then its definitions keep their places, so that whoever knows them sees the new ones.
    fn import_path(&mut self, import: &Import, path: &str, before: Option<&Binding>) -> base::Result<Binding> {
        let stamp = self.world.stamp(path);
        self.modules.imported.remove(path);
        let binding = match Format::of(path) {
            Some(format) => self.import_data(import, path, format, before)?,
            None => {
                let known = match before {
                    Some(Binding::Module(scope)) => (**scope).clone(),
                    _ => Scope::default(),
                };
                Binding::Module(Rc::new(self.import_file(import, path, known)?))
            }
        };
        let import = import.clone();
        self.modules.insert(path, Loaded { binding: binding.clone(), stamp, import });
        Ok(binding)
    }

    /// Reads imported files again that have changed, and those that import them; their paths. After an error in one the old definitions
    /// stay, and it isn't tried again before it changes once more.
    pub fn refresh(&mut self) -> Result<Vec<String>, Failure> {
        let mut again: Vec<String> = vec![];
        for path in self.modules.order.clone() {
            let stamp = self.world.stamp(&path);
            let Some(loaded) = self.modules.loaded.get_mut(&path) else { continue };
            let imports = self.modules.imported.get(&path);
            let affected = imports.is_some_and(|imports| imports.iter().any(|path| again.contains(path)));
            if loaded.stamp == stamp && !affected {
                continue;
            }
            loaded.stamp = stamp;
            let (import, before) = (loaded.import.clone(), loaded.binding.clone());
            let binding = self.import_path(&import, &path, Some(&before)).map_err(|error| vec![*error])?;
            self.rebind(&before, &binding);
            again.push(path);
        }
        Ok(again)
    }

    /// Gives names of the session that stand for an import what it has become.
    fn rebind(&mut self, before: &Binding, after: &Binding) {
        let same = |binding: &Binding| match (binding, before) {
            (Binding::Module(a), Binding::Module(b)) => Rc::ptr_eq(a, b),
            (Binding::Data { fields: a, .. }, Binding::Data { fields: b, .. }) => Rc::ptr_eq(a, b),
            _ => false,
        };
        let names: Vec<Name> = self.scope.iter().filter(|(_, binding)| same(binding)).map(|(name, _)| name).collect();
        names.into_iter().for_each(|name| self.scope.insert(name, after.clone()));
    }

    /// Reads data: a value under a name of its own, and so is each field of a record.
    fn import_data(
        &mut self,
        import: &Import,
        path: &str,
        format: Format,
        before: Option<&Binding>,
    ) -> base::Result<Binding> {
        let bytes = self.world.read_data(path).map_err(|reason| {
            let message = format!("the data {path} can't be read");
            let missing = Diagnostic::new(codes::IMPORT_NOT_FOUND, import.span, message).note(reason);
            Box::new(missing.help("the path is relative to the file that imports it"))
        })?;
        let value = data::read(format, &bytes)
            .map_err(|found| Box::new(problem::describe(&mut self.sources, path, &bytes, found, Some(import.span))))?;
        let (known_whole, known_fields) = match before {
            Some(Binding::Data { whole, fields }) => (Some(*whole), (**fields).clone()),
            _ => (None, Scope::default()),
        };
        let mut fields = Scope::default();
        if let Value::Data(data) = &value
            && let Form::Record(labels) = &data.form
        {
            for (label, field) in labels.iter().zip(&data.fields) {
                let known = known_fields.get(*label).and_then(|binding| match binding {
                    Binding::Root(root) => Some(*root),
                    _ => None,
                });
                let root = self.data_global(known, *label, import.span, field.clone());
                fields.insert(*label, Binding::Root(root));
            }
        }
        let stem = path.rsplit('/').next().unwrap_or(path);
        let whole = self.data_global(known_whole, Name::new(stem), import.span, value);
        Ok(Binding::Data { whole, fields: Rc::new(fields) })
    }

    /// A global for data: the one that it had before, or a new one.
    fn data_global(&mut self, known: Option<Root>, name: Name, span: Span, value: Value) -> Root {
        match known {
            Some(Root::Global(id)) => {
                self.machine.define(id, value);
                Root::Global(id)
            }
            _ => self.constant_global(name, span, value),
        }
    }

    /// A global that no scope knows yet.
    fn constant_global(&mut self, name: Name, span: Span, value: Value) -> Root {
        let info = GlobalInfo { name, kind: GlobalKind::Value, span, doc: None, signature: None };
        let id = self.globals.add(info);
        self.machine.declare(id, name);
        self.machine.define(id, value);
        Root::Global(id)
    }

    /// Reads a file of data that isn't imported, as one that the command line names. Of a file without a kind, the beginning says
    /// what it is.
    pub fn read_data(&mut self, path: &str, bytes: &[u8]) -> Result<Value, Failure> {
        let format = Format::of(path).unwrap_or_else(|| Format::guess(bytes));
        data::read(format, bytes).map_err(|found| vec![problem::describe(&mut self.sources, path, bytes, found, None)])
    }

    fn import_file(&mut self, import: &Import, path: &str, mut scope: Scope) -> base::Result<Scope> {
        let bytes =
            self.world.read_import(path).map_err(|reason| Box::new(modules::unreadable(import, path, reason)))?;
        let text = self.decode(path, bytes)?;
        let file = self.sources.add(path, text.as_str());
        let tree = syntax::parse(file, &text);
        let module = self.elaborate(&tree, &mut scope, Origin::Import(path)).map_err(first)?;
        self.define(&module);
        for step in module.steps.iter().filter(|step| matches!(step.kind, StepKind::Define(_))) {
            self.run_step(step)?;
        }
        Ok(scope)
    }

    fn define(&mut self, module: &Module) {
        if self.machine.first_user_file > 0 {
            self.ruled.learn(module, self.prelude.get(Name::new("attach")));
        }
        for step in &module.steps {
            if let StepKind::Define(ids) = &step.kind {
                ids.iter().for_each(|id| self.machine.declare(*id, self.globals.get(*id).name));
            }
        }
        for (id, group) in &module.functions {
            self.machine.declare(*id, self.globals.get(*id).name);
            let group = if self.globals.get(*id).name.as_str() == "attach" && self.machine.first_user_file == 0 {
                Rc::new(marked_as_attach(group))
            } else {
                group.clone()
            };
            self.machine.define(*id, constant(group));
        }
    }

    /// Runs one step of a module.
    pub fn run_step(&mut self, step: &Step) -> base::Result<Value> {
        let function = constant(step.code.clone());
        let value = self.engines.run(&mut self.machine, &function, &step.code, step.span);
        if let Some((what, span)) = self.engines.violation.take() {
            panic!("native: {what}, at {}", self.place(span.unwrap_or(step.span)));
        }
        let value = value?;
        match &step.kind {
            StepKind::Define(ids) => self.bind(ids, &value),
            StepKind::Show => settle(&value).map_err(|fault| Box::new(fault.at(step.span)))?,
            StepKind::Test(_) => {}
        }
        Ok(value)
    }

    /// Runs something without what it prints.
    pub(crate) fn quietly<T>(&mut self, run: impl FnOnce(&mut Session) -> T) -> T {
        let output = std::mem::replace(&mut self.machine.output, Box::new(|_| ()));
        let result = run(self);
        self.machine.output = output;
        result
    }

    /// A place as file, line and column.
    pub(crate) fn place(&self, span: Span) -> String {
        if self.sources.ids().all(|file| file != span.file) {
            return "an unknown place".to_string();
        }
        let (line, column) = self.sources.line_column(span.file, span.start);
        format!("{}:{line}:{column}", self.sources.get(span.file).name)
    }

    /// Runs a step once more on the reference evaluator, for what `machine.observed` sees: nothing is defined.
    /// The code of the error that it ends in.
    pub(crate) fn observe(&mut self, step: &Step) -> Option<base::Code> {
        let ended = self.machine.call(&constant(step.code.clone()), Value::unit(), step.span);
        ended.err().map(|error| error.code)
    }

    fn bind(&mut self, ids: &[GlobalId], value: &Value) {
        if let Value::Data(data) = value {
            for (id, value) in ids.iter().zip(&data.fields) {
                self.machine.define(*id, value.clone());
            }
        }
    }

    /// Gives a name of the session's scope a value, as `ans` in the REPL.
    pub fn set(&mut self, name: &str, value: Value) {
        let name = Name::new(name);
        let id = match self.scope.get(name) {
            Some(Binding::Root(Root::Global(id))) => *id,
            _ => {
                let span = Span { file: FileId(0), start: 0, end: 0 };
                let root = self.constant_global(name, span, value);
                self.scope.insert(name, Binding::Root(root));
                return;
            }
        };
        self.machine.define(id, value);
    }

    /// The names of the library.
    pub fn prelude(&self) -> &Scope {
        &self.prelude
    }

    pub(crate) fn modules(&self) -> &Modules {
        &self.modules
    }

    /// What is known of the library's definitions.
    pub(crate) fn library_globals(&self) -> Globals {
        self.globals.first(self.library_globals)
    }

    /// What a name of a module of the library means.
    pub(crate) fn in_library(&self, module: &str, name: &str) -> Option<&Binding> {
        self.modules.library.get(module)?.get(Name::new(name))
    }

    /// The number of a name of the session's scope that is a global.
    pub(crate) fn global(&self, name: &str) -> Option<GlobalId> {
        match self.scope.get(Name::new(name)) {
            Some(Binding::Root(Root::Global(id))) => Some(*id),
            _ => None,
        }
    }

    /// The value that a name of the session's scope or of the library has.
    pub fn get(&self, name: &str) -> Option<Value> {
        let name = Name::new(name);
        match self.scope.get(name).or_else(|| self.prelude.get(name)) {
            Some(Binding::Root(Root::Global(id)) | Binding::Data { whole: Root::Global(id), .. }) => {
                self.machine.global(*id).cloned()
            }
            Some(Binding::Root(Root::Prim(prim))) => Some(Value::prim(*prim)),
            _ => None,
        }
    }

    /// Calls a function with an argument.
    pub fn call(&mut self, f: &Value, x: Value) -> base::Result<Value> {
        self.machine.call(f, x, Span::default())
    }

    /// The names that a program can use without defining them, and the session's own.
    pub fn names(&self) -> impl Iterator<Item = (Name, &Binding)> {
        self.scope.iter().chain(self.prelude.iter())
    }
}

/// A function without captures.
pub(crate) fn constant(group: Rc<Group>) -> Value {
    Value::closure(Code::new(group), 0, Rc::new(Env(vec![])))
}

/// A function of `()` that calls `f` with `x`.
pub fn application(f: Atom, x: Atom, span: Span) -> Group {
    let unnamed = Name::new("_");
    let mut body = Builder::new(vec![unnamed, unnamed]);
    let result = body.bind(unnamed, Expr::Apply { f, x, order: 0 }, span);
    let block = body.close(result, span);
    let (name, rules, mentions) = (None, vec![], vec![]);
    let lambda = Lambda { name, role: Role::Source, span, vars: body.vars, body: block, rules, mentions };
    Group { captures: vec![], members: vec![lambda], order: 0 }
}

/// The function that `attach` returns gets the name of the operator, by which J_inv knows it.
fn marked_as_attach(group: &Group) -> Group {
    let mut group = group.clone();
    for binding in &mut group.members[0].body.bindings {
        if let L1::Functions { group: inner, .. } = binding {
            let lambda = &mut Rc::make_mut(inner).members[0];
            lambda.name = Some(Name::new(ATTACH));
            // A rule knows the function under its name.
            for rule in &mut lambda.rules {
                if let Some(label) = Rc::make_mut(&mut rule.code).captures.last_mut() {
                    *label = Name::new(ATTACH);
                }
            }
        }
    }
    group
}

fn first(mut failure: Failure) -> Box<Diagnostic> {
    Box::new(failure.swap_remove(0))
}

/// Hands a line that a program has printed to the world.
fn tell(world: &dyn World, line: &str) {
    let Some(line) = line.strip_prefix(library::ASIDE) else { return world.print(line) };
    match line.strip_prefix(library::WATCHED).and_then(|rest| rest.rsplit_once(library::WATCHED)) {
        Some((name, value)) => world.watched(name, value),
        None => world.aside(line),
    }
}
