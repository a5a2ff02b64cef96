//! From terms to text. Total: broken code is printed too, so that a violation can be looked at.

use std::collections::BTreeSet;
use std::fmt::Write;

use base::{Name, Span};

use super::{Style, is_word};
use crate::*;

pub fn group(style: Style, group: &Group) -> String {
    let mut printer = Printer::new(style);
    printer.group(group, None);
    printer.out
}

pub fn module(style: Style, module: &Module) -> String {
    let mut printer = Printer::new(style);
    for (id, group) in &module.functions {
        let id = printer.global(*id);
        printer.put(format!("function {id} = "));
        printer.group(group, None);
    }
    for step in &module.steps {
        printer.step(step);
    }
    printer.out
}

/// Spans stand in this column where the line leaves room.
const SPAN_COLUMN: usize = 56;

/// Deeper lines stand no further right: a long chain of branches would be mostly spaces.
const WIDEST_MARGIN: usize = 80;

struct Printer<'a> {
    style: Style<'a>,
    out: String,
    line: String,
    indent: usize,
    /// The names of the variables of the function being printed.
    names: &'a [Name],
    /// The globals of the line.
    mentioned: BTreeSet<GlobalId>,
}

/// What stands beside a group that is bound in a block.
#[derive(Clone, Copy)]
struct Bound<'a> {
    captured: &'a [Atom],
    lifted: u32,
    span: Span,
}

/// Lines, their spans and comments.
impl<'a> Printer<'a> {
    fn new(style: Style<'a>) -> Printer<'a> {
        let (out, line) = Default::default();
        Printer { style, out, line, indent: 0, names: &[], mentioned: BTreeSet::new() }
    }

    fn put(&mut self, text: impl AsRef<str>) {
        self.line.push_str(text.as_ref());
    }

    fn put_span(&mut self, span: Span) {
        if self.style.spans {
            let Span { file, start, end } = span;
            self.put(format!(" @{}:{start}-{end}", file.0));
        }
    }

    fn end_line(&mut self) {
        if let Some(globals) = self.style.globals {
            let known = self.mentioned.iter().filter(|id| (id.0 as usize) < globals.len());
            let notes: Vec<_> = known.map(|id| format!("g{} is {:?}", id.0, globals.get(*id).name)).collect();
            let mark = if notes.is_empty() { "" } else { "  // " };
            self.line.push_str(&format!("{mark}{}", notes.join(", ")));
        }
        self.mentioned.clear();
        let line = std::mem::take(&mut self.line);
        let _ = writeln!(self.out, "{:width$}{line}", "", width = self.margin());
    }

    /// Ends a line about one place; spans of neighbouring lines stand below each other.
    fn end_line_at(&mut self, span: Span) {
        if self.style.spans {
            let width = SPAN_COLUMN.saturating_sub(self.margin());
            self.line = format!("{:width$}", self.line);
            self.put_span(span);
        }
        self.end_line();
    }

    fn margin(&self) -> usize {
        (2 * self.indent).min(WIDEST_MARGIN)
    }

    fn open(&mut self) {
        self.put(" {");
        self.end_line();
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.put("}");
    }
}

/// Steps, groups, functions, blocks.
impl<'a> Printer<'a> {
    fn step(&mut self, step: &'a Step) {
        self.put("step ");
        match &step.kind {
            StepKind::Define(ids) => {
                let ids = ids.iter().map(|id| self.global(*id)).collect();
                self.put(format!("define [{}]", join(ids)));
            }
            StepKind::Show => self.put("show"),
            StepKind::Test(name) => self.put(format!("test {}", quote(name, '"'))),
        }
        self.put_span(step.span);
        self.put(" = ");
        self.group(&step.code, None);
    }

    fn group(&mut self, group: &'a Group, bound: Option<Bound>) {
        self.put("group");
        self.put_list("captures", group.captures.iter().map(|label| name(*label)).collect());
        if let Some(Bound { captured, lifted, .. }) = bound {
            let captured = captured.iter().map(|atom| self.atom(atom)).collect();
            self.put_list("from", captured);
            self.put(if lifted == 0 { String::new() } else { format!(" lifted {lifted}") });
        }
        self.put(postfix(group.order));
        if let Some(Bound { span, .. }) = bound {
            self.put_span(span);
        }
        self.open();
        let outside = std::mem::take(&mut self.names);
        group.members.iter().for_each(|lambda| self.lambda(group, lambda));
        self.names = outside;
        self.close();
        self.end_line();
    }

    fn put_list(&mut self, keyword: &str, items: Vec<String>) {
        if !items.is_empty() {
            self.put(format!(" {keyword} [{}]", join(items)));
        }
    }

    fn lambda(&mut self, group: &'a Group, lambda: &'a Lambda) {
        self.names = &lambda.vars;
        self.header(group, lambda);
        self.open();
        self.block(&lambda.body, "return");
        self.close();
        self.end_line();
        lambda.rules.iter().for_each(|rule| self.rule(rule));
    }

    fn header(&mut self, group: &'a Group, lambda: &'a Lambda) {
        self.put(match lambda.role {
            Role::Source => "",
            Role::Reverse => "reverse ",
            Role::Backpropagator => "backpropagator ",
            Role::Forward => "forward ",
        });
        let layout = [0, 1, 1 + group.captures.len(), 1 + group.captures.len() + group.members.len()];
        let layout = layout.map(|at| at.min(lambda.vars.len()) as u32);
        let unbound = unbound(lambda, layout[3]);
        let parameter = join(self.variables(layout[0]..layout[1]));
        self.put(format!("fn {}({parameter})", lambda.name.map(name).unwrap_or_default()));
        self.put_list("captures", self.variables(layout[1]..layout[2]));
        self.put_list("members", self.variables(layout[2]..layout[3]));
        self.put_list("unbound", self.variables(unbound));
        self.put_list("mentions", lambda.mentions.iter().map(|label| name(*label)).collect());
        self.put_span(lambda.span);
    }

    fn rule(&mut self, rule: &'a Rule) {
        self.put(match rule.kind {
            RuleKind::Reverse => "rule reverse",
            RuleKind::Forward => "rule forward",
            RuleKind::Transpose => "rule transpose",
        });
        if let Some(reason) = &rule.approximate {
            self.put(format!(" approximate {}", quote(reason, '"')));
        }
        self.put_span(rule.span);
        self.put(" = ");
        self.group(&rule.code, None);
    }

    fn block(&mut self, block: &'a Block, ending: &str) {
        stacker::maybe_grow(32 * 1024, 1024 * 1024, || {
            block.bindings.iter().for_each(|binding| self.binding(binding));
            let result = self.atom(&block.result);
            self.put(format!("{ending} {result}"));
            self.end_line_at(block.span);
        })
    }

    fn binding(&mut self, binding: &'a Binding) {
        match binding {
            Binding::Let { var, expr: Expr::If(condition, then, otherwise), span } => {
                let head = format!("{} = if {}", self.variable(*var), self.atom(condition));
                self.put(head);
                self.branches(then, otherwise);
                self.put_span(*span);
                self.end_line();
            }
            Binding::Let { var, expr, span } => {
                let line = format!("{} = {}", self.variable(*var), self.expr(expr));
                self.put(line);
                self.end_line_at(*span);
            }
            Binding::Functions { vars, group, lifted, captured, span } => {
                let vars = join(self.variables(vars.iter().map(|var| var.0)));
                self.put(format!("{} = ", if vars.is_empty() { "_" } else { &vars }));
                self.group(group, Some(Bound { captured, lifted: *lifted, span: *span }));
            }
        }
    }

    fn branches(&mut self, then: &'a Block, otherwise: &'a Block) {
        self.open();
        self.block(then, "yield");
        self.close();
        self.put(" else");
        self.open();
        self.block(otherwise, "yield");
        self.close();
    }
}

/// What fits on a line.
impl Printer<'_> {
    fn expr(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::Atom(a) => self.atom(a),
            Expr::Apply { f, x, order } => format!("{}({}){}", self.atom(f), self.atom(x), postfix(*order)),
            Expr::Pull { b, d, order } => format!("pull {}({}){}", self.atom(b), self.atom(d), postfix(*order)),
            Expr::Tangent { f, d, order } => format!("tangent {}({}){}", self.atom(f), self.atom(d), postfix(*order)),
            Expr::Tuple(atoms) if atoms.len() < 2 => format!("({},)", self.atoms(atoms)),
            Expr::Tuple(atoms) => format!("({})", self.atoms(atoms)),
            Expr::Record(fields) => self.record(fields),
            Expr::Variant(constructor, atoms) => format!("make {}({})", spell(constructor), self.atoms(atoms)),
            Expr::Array(atoms) => format!("[{}]", self.atoms(atoms)),
            // A space keeps the field of a number apart from its digits.
            Expr::Get(a @ Atom::Var(_), part) => format!("{}{}", self.atom(a), field(part)),
            Expr::Get(a, part) => format!("{} {}", self.atom(a), field(part)),
            Expr::Inject(part, d) => format!("inject {} at {}", self.atom(d), field(part)),
            Expr::With(r, label, v) => format!("{{{} with {}: {}}}", self.atom(r), name(*label), self.atom(v)),
            Expr::Omit(d, label) => format!("{} without {}", self.atom(d), name(*label)),
            Expr::Plus(a, b) => format!("{} ⊕ {}", self.atom(a), self.atom(b)),
            Expr::Is(a, wanted) => format!("{} is {}", self.atom(a), form(wanted)),
            Expr::Check(a, demanded) => format!("check {}: {}", self.atom(a), form(demanded)),
            Expr::If(..) => unreachable!("text: a branch takes several lines"),
            Expr::Fail(failure, atoms) => format!("fail {}({})", failure_name(failure), self.atoms(atoms)),
        }
    }

    fn record(&mut self, fields: &[(Name, Atom)]) -> String {
        let fields = fields.iter().map(|(label, atom)| format!("{}: {}", name(*label), self.atom(atom)));
        format!("{{{}}}", join(fields.collect()))
    }

    fn atoms(&mut self, atoms: &[Atom]) -> String {
        join(atoms.iter().map(|atom| self.atom(atom)).collect())
    }

    fn atom(&mut self, atom: &Atom) -> String {
        match atom {
            Atom::Var(var) => self.variable(*var),
            Atom::Const(constant) => spell_const(constant),
            Atom::Root(root, order) => {
                let root = match root {
                    Root::Global(id) => self.global(*id),
                    Root::Prim(prim) => prim.name().into(),
                    Root::Reverse(prim) => format!("reverse {prim}"),
                    Root::Forward(prim) => format!("forward {prim}"),
                };
                if *order == 0 { root } else { format!("{root}^{order}") }
            }
        }
    }

    fn global(&mut self, id: GlobalId) -> String {
        self.mentioned.insert(id);
        format!("g{}", id.0)
    }

    fn variables(&self, numbers: impl IntoIterator<Item = u32>) -> Vec<String> {
        numbers.into_iter().map(|number| self.variable(Var(number))).collect()
    }

    /// A variable that the function's table doesn't know has no name.
    fn variable(&self, var: Var) -> String {
        match self.names.get(var.0 as usize) {
            Some(known) if !known.as_str().is_empty() => format!("{}_{}", name(*known), var.0),
            _ => format!("_{}", var.0),
        }
    }
}

/// Variables that have a name but no place in the text that binds them.
fn unbound(lambda: &Lambda, first_local: u32) -> Vec<u32> {
    let mut bound = BTreeSet::new();
    collect_bound(&lambda.body, &mut bound);
    (first_local..lambda.vars.len() as u32).filter(|number| !bound.contains(number)).collect()
}

fn collect_bound(block: &Block, bound: &mut BTreeSet<u32>) {
    stacker::maybe_grow(32 * 1024, 1024 * 1024, || {
        for binding in &block.bindings {
            match binding {
                Binding::Let { var, expr, .. } => {
                    bound.insert(var.0);
                    if let Expr::If(_, then, otherwise) = expr {
                        collect_bound(then, bound);
                        collect_bound(otherwise, bound);
                    }
                }
                Binding::Functions { vars, .. } => bound.extend(vars.iter().map(|var| var.0)),
            }
        }
    })
}

fn join(items: Vec<String>) -> String {
    items.join(", ")
}

fn name(name: Name) -> String {
    if is_word(name.as_str()) { name.to_string() } else { quote(name.as_str(), '`') }
}

fn names(list: &[Name]) -> String {
    join(list.iter().map(|label| name(*label)).collect())
}

fn quote(text: &str, delimiter: char) -> String {
    let mut quoted = String::from(delimiter);
    for c in text.chars() {
        match c {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\\' => quoted.push_str("\\\\"),
            c if c == delimiter => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push(delimiter);
    quoted
}

fn postfix(order: u32) -> String {
    if order == 0 { String::new() } else { format!(" order {order}") }
}

fn spell(constructor: &Constructor) -> String {
    let Constructor { name: own, type_name, tag, fields } = constructor;
    format!("{}.{}#{tag}({})", name(*type_name), name(*own), names(fields))
}

fn spell_const(constant: &Const) -> String {
    match constant {
        Const::Unit => "()".into(),
        Const::Bool(truth) => truth.to_string(),
        Const::Int(int) => int.to_string(),
        Const::Real(real) => spell_real(*real),
        Const::Text(text) => quote(text, '"'),
        Const::Zero => "#zero".into(),
    }
}

fn spell_real(real: f64) -> String {
    match real {
        _ if real.to_bits() == f64::NAN.to_bits() => "nan".into(),
        _ if real.is_nan() => format!("#nan:{:016x}", real.to_bits()),
        // The shortest digits that read back as the same real, always with a point or an exponent.
        _ => format!("{real:?}"),
    }
}

fn field(field: &Field) -> String {
    match field {
        Field::Position(position) => format!(".{position}"),
        Field::Name(label) => format!(".{}", name(*label)),
        Field::Label(label) => format!(".{}?", name(*label)),
        Field::Payload(constructor, number) => format!(".{number} of {}", spell(constructor)),
        Field::Element(index, length) => format!("[{index} of {length}]"),
        Field::Capture(label) => format!(".{} captured", name(*label)),
        Field::Member(member) => format!(".{member} member"),
    }
}

fn form(form: &Form) -> String {
    match form {
        Form::Arguments(count) => format!("arguments {count}"),
        Form::Tuple(length) => format!("tuple {length}"),
        Form::Array(length) => format!("array {length}"),
        Form::Record(labels) => {
            let labels: Vec<String> = labels.iter().map(|label| name(*label)).collect();
            format!("record [{}]", labels.join(", "))
        }
        Form::Constructor(constructor) => format!("constructor {}", spell(constructor)),
    }
}

fn failure_name(failure: &Failure) -> &'static str {
    match failure {
        Failure::NoMatch => "no_match",
        Failure::Pattern => "pattern",
        Failure::Assertion => "assertion",
    }
}
