//! Names in expressions: locals first, then the file, the module's scope, the library, the primitives.

use std::rc::Rc;

use base::{Diagnostic, Name, Span, codes};
use calculus::{Atom, Constructor, Expr, GlobalInfo, GlobalKind, Root};
use syntax::{NodeId, ast};

use crate::context::{Elaborator, Timing, root};
use crate::emit::UNIT;
use crate::foreign;
use crate::index::UseRole;
use crate::scope::{Binding, Meaning, Scope};

/// A module, or data with fields, and the name it is known by here.
pub(crate) struct NamedModule {
    pub name: Name,
    /// Where it is mentioned.
    pub span: Span,
    /// Nothing if it couldn't be imported.
    pub scope: Option<Rc<Scope>>,
}

impl Elaborator<'_> {
    pub fn name(&mut self, name: Name, span: Span) -> Atom {
        if let Some(local) = self.locals.find(name) {
            self.note_local(local, span, UseRole::Reference);
            return self.reference(local);
        }
        match self.names.find(name) {
            Some(meaning) => {
                self.note_meaning(name, &meaning, span);
                self.check_has_run(name, span);
                self.meaning(name, meaning, span)
            }
            None if self.names_may_come && !self.coming.contains(&name) => self.coming_name(name, span),
            None => self.unbound(name, span),
        }
    }

    /// Notes for the index that a name outside of functions is mentioned.
    fn note_meaning(&mut self, name: Name, meaning: &Meaning, span: Span) {
        if let Some(target) = self.names.target(name, meaning) {
            self.index.note(span, target, UseRole::Reference);
        }
    }

    /// Notes for the index that a constructor is mentioned, as `Cons` or `module.Cons`.
    pub fn note_constructor(&mut self, module: Option<ast::Ident>, name: ast::Ident) {
        if let Some(module) = module {
            self.note_member(module, name);
        } else if let Some(meaning) = self.names.find(name.name) {
            self.note_meaning(name.name, &meaning, name.span);
        }
    }

    /// Notes for the index that a module and a name in it are mentioned.
    fn note_member(&mut self, module: ast::Ident, member: ast::Ident) {
        let Some(meaning) = self.names.find(module.name) else { return };
        self.note_meaning(module.name, &meaning, module.span);
        if let Meaning::Bound(Binding::Module(scope) | Binding::Data { fields: scope, .. }) = &meaning
            && let Some(target) = self.names.member_target(scope, member.name)
        {
            self.index.note(member.span, target, UseRole::Reference);
        }
    }

    /// A name that a later input is expected to define: until then reading it is an error.
    fn coming_name(&mut self, name: Name, span: Span) -> Atom {
        let warning = Diagnostic::new(codes::NOT_YET_DEFINED, span, format!("`{name}` isn't defined yet"));
        let warning = match (self.advice(name), self.nearest_name(name)) {
            (Some(help), _) => warning.help(help),
            (None, Some(near)) => warning.did_you_mean(&near),
            (None, None) => warning.help("the function can be called once it is"),
        };
        self.warnings.push(warning);
        let info = GlobalInfo { name, kind: GlobalKind::Value, span, doc: None, signature: None };
        let id = self.names.define_global(info);
        self.frame().mention(name);
        root(Root::Global(id))
    }

    /// The value that a name outside of functions stands for.
    fn meaning(&mut self, name: Name, meaning: Meaning, span: Span) -> Atom {
        match meaning {
            Meaning::Broken => UNIT,
            Meaning::Const(constant) => Atom::Const(constant),
            Meaning::Bound(Binding::Root(found)) => {
                if let Root::Global(_) = found {
                    self.frame().mention(name);
                }
                root(found)
            }
            Meaning::Bound(Binding::Constructor(constructor)) if constructor.fields.is_empty() => {
                self.bind(Expr::Variant(constructor, vec![]), span)
            }
            Meaning::Bound(Binding::Constructor(constructor)) => self.constructor_function(&constructor, span),
            Meaning::Bound(Binding::Data { whole, .. }) => {
                self.frame().mention(name);
                root(whole)
            }
            Meaning::Bound(Binding::Module(_)) => self.mistake(
                Diagnostic::new(codes::UNBOUND_NAME, span, format!("`{name}` is a module, not a value"))
                    .help(format!("write `{name}.something` for a name in it")),
            ),
        }
    }

    /// Top-level `let`s run in order: a step reads only what earlier steps define.
    fn check_has_run(&mut self, name: Name, span: Span) {
        let timing = self.frame().timing;
        let Some(definition) = self.names.file.get(name) else { return };
        if !definition.pending || timing == Timing::Later {
            return;
        }
        let diagnostic =
            Diagnostic::new(codes::READ_BEFORE_DEFINED, span, format!("`{name}` is read before it is defined"))
                .label(definition.span, "defined here")
                .help("top-level `let`s run in order: move the definition up, or make it a `fn`");
        self.error(diagnostic);
    }

    /// The module that an expression names, unless a local variable shadows it.
    pub fn module_named_by(&self, node: NodeId) -> Option<NamedModule> {
        match self.tree.expr(node) {
            ast::Expr::Name(name) => self.module_called(name, self.tree.span(node)),
            _ => None,
        }
    }

    fn module_called(&self, name: Name, span: Span) -> Option<NamedModule> {
        if self.locals.find(name).is_some() {
            return None;
        }
        match self.names.find(name)? {
            Meaning::Bound(Binding::Module(scope)) => Some(NamedModule { name, span, scope: Some(scope) }),
            // A field that isn't there, or of what has none, is a mistake of the program that runs.
            Meaning::Bound(Binding::Data { fields, .. }) if !fields.is_empty() => {
                Some(NamedModule { name, span, scope: Some(fields) })
            }
            Meaning::Broken => Some(NamedModule { name, span, scope: None }),
            Meaning::Bound(_) | Meaning::Const(_) => None,
        }
    }

    /// `module.name`
    pub fn module_member(&mut self, module: &NamedModule, member: ast::Ident, span: Span) -> Atom {
        self.note_member(ast::Ident { name: module.name, span: module.span }, member);
        let Some(scope) = &module.scope else { return UNIT };
        match scope.get(member.name) {
            Some(binding) => self.meaning(member.name, Meaning::Bound(binding.clone()), span),
            None => self.mistake(not_in_module(module.name, scope, member)),
        }
    }

    /// The constructor that a callee names, as `Cons` or `module.Cons`.
    pub fn constructor_named_by(&self, node: NodeId) -> Option<Rc<Constructor>> {
        match self.tree.expr(node) {
            ast::Expr::Name(name) if self.locals.find(name).is_none() => self.names.constructor(name),
            ast::Expr::Field { base, field } => match self.module_named_by(base)?.scope?.get(field.name)? {
                Binding::Constructor(constructor) => Some(constructor.clone()),
                Binding::Root(_) | Binding::Module(_) | Binding::Data { .. } => None,
            },
            _ => None,
        }
    }

    /// The constructor `module.name` in a pattern, if it is one; `Err` if a mistake has been reported.
    pub fn module_constructor(&mut self, module: ast::Ident, name: ast::Ident) -> Result<Option<Rc<Constructor>>, ()> {
        let Some(found) = self.module_called(module.name, module.span) else {
            self.unbound(module.name, module.span);
            return Err(());
        };
        let scope = found.scope.ok_or(())?;
        match scope.get(name.name) {
            Some(Binding::Constructor(constructor)) => Ok(Some(constructor.clone())),
            Some(Binding::Root(_) | Binding::Module(_) | Binding::Data { .. }) => Ok(None),
            None => {
                self.error(not_in_module(module.name, &scope, name));
                Err(())
            }
        }
    }

    fn unbound(&mut self, name: Name, span: Span) -> Atom {
        let diagnostic = Diagnostic::new(codes::UNBOUND_NAME, span, format!("`{name}` isn't defined"));
        let diagnostic = match (self.advice(name), self.nearest_name(name)) {
            (Some(help), _) => diagnostic.help(help),
            (None, Some(near)) => diagnostic.did_you_mean(&near),
            (None, None) => diagnostic,
        };
        self.mistake(diagnostic)
    }

    /// What to write instead of a name that other languages have, or that isn't visible yet.
    fn advice(&self, name: Name) -> Option<String> {
        if self.coming.contains(&name) {
            return Some(format!("a local `let` doesn't see its own name: write `fn {name}(…) = …`"));
        }
        foreign::advice(name.as_str()).map(str::to_string)
    }

    /// The name itself where a module defines it, or one that it may be a misspelling of.
    fn nearest_name(&self, name: Name) -> Option<String> {
        if let Some(qualified) = self.in_a_module(name, |_| true) {
            return Some(qualified);
        }
        nearest(name, self.locals.names().chain(self.names.visible())).map(String::from)
    }

    /// `module.name`, if an imported module defines such a name.
    pub fn in_a_module(&self, name: Name, fits: impl Fn(&Binding) -> bool) -> Option<String> {
        let imported = self.names.imported();
        let found = imported.iter().find(|(_, scope)| scope.get(name).is_some_and(&fits));
        found.map(|(module, _)| format!("{module}.{name}"))
    }
}

/// The candidate that the name is likely a misspelling of. Single letters are no misspellings of each other, and
/// very long names are slow to compare.
pub(crate) fn nearest(name: Name, candidates: impl IntoIterator<Item = Name>) -> Option<&'static str> {
    let comparable = |word: &&str| word.chars().nth(1).is_some() && word.len() <= 100;
    let word = Some(name.as_str()).filter(comparable)?;
    base::suggest::nearest(word, candidates.into_iter().map(Name::as_str))
}

fn not_in_module(module: Name, scope: &Scope, member: ast::Ident) -> Diagnostic {
    const SHOWN: usize = 12;
    let message = format!("`{module}` doesn't define `{}`", member.name);
    let diagnostic = Diagnostic::new(codes::NOT_IN_MODULE, member.span, message);
    match nearest(member.name, scope.iter().map(|(name, _)| name)) {
        Some(near) => diagnostic.help(format!("did you mean `{module}.{near}`?")).fix(
            format!("write `{near}`"),
            member.span,
            near,
        ),
        None if scope.len() <= SHOWN => {
            let names: Vec<&str> = scope.iter().map(|(name, _)| name.as_str()).collect();
            diagnostic.note(format!("it defines {}", names.join(", ")))
        }
        None => diagnostic,
    }
}
