//! The top level of a file: first everything is declared, then functions, definitions, expressions and tests
//! are elaborated in order.

use std::rc::Rc;

use base::{Diagnostic, Name, Span, codes};
use calculus::{Constructor, GlobalId, GlobalInfo, GlobalKind, Module, Step, StepKind};
use rustc_hash::FxHashMap;
use syntax::{NodeId, ast};

use crate::blocks::defined_twice;
use crate::context::{Elaborator, Timing, UNNAMED};
use crate::functions::{Function, Parts};
use crate::index::{Index, Target, TargetKind, UseRole};
use crate::matching::Fit;
use crate::patterns::{Pattern, Site};
use crate::scope::{Binding, Definitions};
use crate::{Input, Reading, linearity, traps};

type Modules<'a> = &'a dyn Fn(&ast::Import) -> base::Result<Binding>;

/// Elaborates a file without changing anything around it.
pub(crate) fn file(input: &Input) -> File {
    let mut elaborator = Elaborator::new(input);
    let items = elaborator.declare_all(input.modules);
    let mut module = Module::default();
    for item in items {
        elaborator.names_may_come = input.reading == Reading::Typed && matches!(item, Item::Function { .. });
        elaborator.item(item, &mut module);
    }
    let Elaborator { mut errors, mut warnings, mut index, names, .. } = elaborator;
    if errors.is_empty() {
        warnings.extend(linearity::warnings(&module));
        if !input.internal {
            let sum = match input.prelude.get(Name::new("sum")) {
                Some(Binding::Root(root)) => Some(*root),
                _ => None,
            };
            warnings.extend(traps::warnings(&module, sum));
        }
    }
    // Code that is written twice is elaborated twice.
    warnings.sort_by_key(Diagnostic::span);
    warnings.dedup();
    errors.sort_by_key(Diagnostic::span);
    index.finish();
    File { module, definitions: names.file, errors, warnings, index }
}

/// All that elaboration finds out about a file. If there are errors, the module is of no use.
pub(crate) struct File {
    pub module: Module,
    pub definitions: Definitions,
    pub errors: Vec<Diagnostic>,
    pub warnings: Vec<Diagnostic>,
    pub index: Index,
}

/// What is left to do for a statement when everything is declared.
enum Item {
    /// With its defaults, each a function of `()`.
    Function {
        function: ast::Function,
        id: GlobalId,
        defaults: Vec<(GlobalId, NodeId)>,
        span: Span,
    },
    Let {
        pattern: Pattern,
        ids: Vec<GlobalId>,
        value: NodeId,
        span: Span,
    },
    Show {
        value: NodeId,
        span: Span,
    },
    Test {
        name: String,
        body: NodeId,
        span: Span,
    },
}

impl Elaborator<'_> {
    /// Constructors and modules first, because they decide what the patterns of `let`s mean.
    fn declare_all(&mut self, modules: Modules) -> Vec<Item> {
        let statements = self.tree.statements();
        let mut types = FxHashMap::default();
        for node in &statements {
            match self.tree.statement(*node) {
                ast::Statement::Type { name, constructors } => {
                    if let Some(first) = types.insert(name.name, name.span) {
                        self.error(defined_twice(name, first));
                    }
                    self.note_definition(name, TargetKind::Type);
                    self.declare_constructors(name.name, &constructors);
                }
                ast::Statement::Import(import) => self.declare_import(&import, modules),
                _ => {}
            }
        }
        statements.iter().filter_map(|node| self.declare_item(*node)).collect()
    }

    fn declare_constructors(&mut self, type_name: Name, constructors: &[ast::Constructor]) {
        let type_name = self.names.type_name(type_name);
        for (tag, declared) in (0..).zip(constructors) {
            self.check_fields(declared.fields.iter().copied());
            self.note_definition(declared.name, TargetKind::Constructor);
            declared.fields.iter().for_each(|field| self.note_field(*field));
            let fields = declared.fields.iter().map(|field| field.name).collect();
            let constructor = Constructor { name: declared.name.name, type_name, tag, fields };
            if self.is_new(declared.name) {
                self.names.define_constructor(constructor, declared.name.span);
            }
        }
    }

    fn declare_import(&mut self, import: &ast::Import, modules: Modules) {
        let name = ast::Ident { name: module_name(import), span: import.alias.map_or(import.span, |alias| alias.span) };
        self.note_definition(name, TargetKind::Module);
        let found = modules(import).map_err(|diagnostic| self.error(*diagnostic));
        if self.is_new(name) {
            match found {
                Ok(binding) => self.names.define(name.name, binding, name.span),
                Err(()) => self.names.define_broken(name.name, name.span),
            }
        }
    }

    fn declare_item(&mut self, node: NodeId) -> Option<Item> {
        let span = self.tree.span(node);
        match self.tree.statement(node) {
            ast::Statement::Fn(function) => {
                let id = self.declare_function(&function);
                let defaults = self.declare_defaults(&function);
                Some(Item::Function { function, id, defaults, span })
            }
            ast::Statement::Let { pattern, value } => {
                let mistakes = self.errors.len();
                let pattern = self.pattern(pattern, Site::Binding);
                if self.errors.len() > mistakes {
                    // What is wrong with the pattern has been said; its names are no further mistakes.
                    for (name, span) in pattern.names() {
                        self.names.define_broken(name, span);
                    }
                    return None;
                }
                let doc: Option<Rc<str>> = self.tree.doc(node).map(Rc::from);
                let names = pattern.names().into_iter();
                let ids = names.map(|(name, span)| self.declare_value(name, span, doc.clone())).collect();
                Some(Item::Let { pattern, ids, value, span })
            }
            ast::Statement::Expr(value) => Some(Item::Show { value, span }),
            ast::Statement::Test { name, body } => Some(Item::Test { name, body, span }),
            ast::Statement::Type { .. } | ast::Statement::Import(_) | ast::Statement::Error => None,
        }
    }

    fn declare_function(&mut self, function: &ast::Function) -> GlobalId {
        let ast::Ident { name, span } = function.name;
        self.note_definition(function.name, TargetKind::Function);
        let doc = function.doc.as_deref().map(Rc::from);
        let signature = Some(self.signature(function).into());
        self.declare_global(GlobalInfo { name, kind: GlobalKind::Function, span, doc, signature })
    }

    /// The defaults of `main` are functions under names that no program can write: whoever calls it with the command line asks for them.
    fn declare_defaults(&mut self, function: &ast::Function) -> Vec<(GlobalId, NodeId)> {
        let mut declared = vec![];
        for (param, default) in function.params.iter().zip(&function.defaults) {
            let (Some(default), span) = (default, self.tree.span(*param)) else { continue };
            let ast::Pattern::Name(name) = self.tree.pattern(*param) else {
                let message = "a parameter with a default is a name";
                self.error(Diagnostic::new(codes::UNEXPECTED_TOKEN, span, message));
                continue;
            };
            let info = GlobalInfo {
                name: Name::new(&format!("the default of {name}")),
                kind: GlobalKind::Function,
                span: self.tree.span(*default),
                doc: None,
                signature: None,
            };
            declared.push((self.declare_global(info), *default));
        }
        declared
    }

    fn declare_value(&mut self, name: Name, span: Span, doc: Option<Rc<str>>) -> GlobalId {
        self.note_definition(ast::Ident { name, span }, TargetKind::Value);
        self.declare_global(GlobalInfo { name, kind: GlobalKind::Value, span, doc, signature: None })
    }

    fn declare_global(&mut self, info: GlobalInfo) -> GlobalId {
        match self.is_new(ast::Ident { name: info.name, span: info.span }) {
            true => self.names.define_global(info),
            // The file is wrong and will not be used: any number does.
            false => GlobalId(0),
        }
    }

    fn note_definition(&mut self, name: ast::Ident, kind: TargetKind) {
        let target = Target { kind, name: name.name, definition: Some(name.span) };
        let role = if self.shorthands.contains(&name.span) { UseRole::Shorthand } else { UseRole::Definition };
        self.index.note(name.span, target, role);
    }

    /// Reports a name that the file has already defined, at the later of the two places.
    fn is_new(&mut self, name: ast::Ident) -> bool {
        let Some(known) = self.names.file.get(name.name) else { return true };
        let (first, again) = (known.span.min(name.span), known.span.max(name.span));
        self.error(defined_twice(ast::Ident { name: name.name, span: again }, first));
        false
    }

    /// How a function is called, for instance `vjp(f, x)`.
    fn signature(&self, function: &ast::Function) -> String {
        let parameter = |node: &NodeId| match self.tree.pattern(*node) {
            ast::Pattern::Name(name) => name.as_str().to_string(),
            _ => self.source_text(self.tree.span(*node)),
        };
        let with_default = |(param, default): (&NodeId, &Option<NodeId>)| match default {
            Some(default) => format!("{} = {}", parameter(param), self.source_text(self.tree.span(*default))),
            None => parameter(param),
        };
        let parameters: Vec<String> = function.params.iter().zip(&function.defaults).map(with_default).collect();
        format!("{}({})", function.name.name, parameters.join(", "))
    }

    /// The text of a place, on one line.
    fn source_text(&self, span: Span) -> String {
        let text = self.tree.text().get(span.start as usize..span.end as usize).unwrap_or("_");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn item(&mut self, item: Item, module: &mut Module) {
        match item {
            Item::Function { function, id, defaults, span } => {
                let ast::Function { name, params, body, rules, .. } = &function;
                let function = self.function(Parts { name: Some(name.name), span, params, body: *body }, rules);
                module.functions.push((id, self.closed_group(function)));
                for (id, default) in defaults {
                    let code = self.step_code(default, self.tree.span(default), Timing::Later);
                    module.functions.push((id, self.closed_group(code)));
                }
            }
            Item::Let { pattern, ids, value, span } => {
                let code = self.definition(&pattern, value, span);
                pattern.names().into_iter().for_each(|(name, _)| self.names.file.has_run(name));
                module.steps.push(self.step(StepKind::Define(ids), code, span));
            }
            Item::Show { value, span } => {
                let code = self.step_code(value, span, Timing::AtOnce);
                module.steps.push(self.step(StepKind::Show, code, span));
            }
            Item::Test { name, body, span } => {
                let code = self.step_code(body, span, Timing::Later);
                module.steps.push(self.step(StepKind::Test(name.into()), code, span));
            }
        }
    }

    /// The code of a `let`: the tuple of the values of its names, of length one too.
    fn definition(&mut self, pattern: &Pattern, value: NodeId, span: Span) -> Function {
        let spans = (span, self.tree.span(value));
        let code = self.open_function(None, spans, *UNNAMED, Timing::AtOnce, |this, _| {
            let value = this.bound_value(pattern, value);
            this.take_apart(pattern, value, Fit::Demanded);
            let names = pattern.names().into_iter();
            let ids: Vec<_> = names.filter_map(|(name, _)| this.locals.find(name)).collect();
            let values = ids.into_iter().map(|id| this.reference(id)).collect();
            this.tuple(values, span)
        });
        Function::plain(code)
    }

    fn step_code(&mut self, value: NodeId, span: Span, timing: Timing) -> Function {
        let spans = (span, self.tree.span(value));
        let code = self.open_function(None, spans, *UNNAMED, timing, |this, _| this.expression(value));
        Function::plain(code)
    }

    fn step(&mut self, kind: StepKind, code: Function, span: Span) -> Step {
        Step { kind, code: self.closed_group(code), span }
    }
}

/// The name that an imported module has here: its alias, its library name, or the stem of its file.
pub fn module_name(import: &ast::Import) -> Name {
    match (&import.alias, &import.source) {
        (Some(alias), _) => alias.name,
        (None, ast::ImportSource::Library(name)) => *name,
        (None, ast::ImportSource::Path(path)) => {
            let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
            Name::new(file.split_once('.').map_or(file, |(stem, _)| stem))
        }
    }
}
