//! Programs as text.

use differentiate::Mode;
use std::fmt::{self, Write};

use base::{Name, Span};
use calculus::Constructor;

use super::is_word;
use crate::shape::{Alternative, Head, Shape, ShapeId};
use crate::term::{Atom, Block, Definition, End, Function, FunctionId, NamedId, Op, Program, Scalar, Type, Var};

/// The whole program; it parses back to the same.
pub fn print(program: &Program) -> String {
    let mut printer = Printer { types: &program.types, out: String::new(), indent: 0 };
    printer.program(program).expect("text: a string takes all");
    printer.out
}

/// One function, for human eyes.
pub fn print_function(program: &Program, id: FunctionId) -> String {
    let mut printer = Printer { types: &program.types, out: String::new(), indent: 0 };
    printer.function(id, &program.functions[id.0 as usize]).expect("text: a string takes all");
    printer.out
}

/// A type, by the names of those definitions.
pub fn print_type(types: &[Definition], of: &Type) -> String {
    let mut printer = Printer { types, out: String::new(), indent: 0 };
    printer.of(of).expect("text: a string takes all");
    printer.out
}

/// A name as it stands in text: in quotes, if it is no word.
pub fn name(name: &str) -> String {
    if is_word(name) { name.to_string() } else { quoted(name) }
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A real, to the bit.
pub fn real(x: f64) -> String {
    if x.to_bits() == f64::NAN.to_bits() {
        "nan".into()
    } else if x.is_nan() {
        format!("nan_{:016x}", x.to_bits())
    } else {
        format!("{x:?}")
    }
}

/// A space and a span; nothing for the default one.
pub fn span(span: Span) -> String {
    if span == Span::default() {
        return String::new();
    }
    format!(" @{}:{}..{}", span.file.0, span.start, span.end)
}

struct Printer<'a> {
    types: &'a [Definition],
    out: String,
    indent: usize,
}

impl Printer<'_> {
    fn program(&mut self, program: &Program) -> fmt::Result {
        let Program { types, shapes, functions, entry, parameters, result } = program;
        write!(self.out, "entry f{}(", entry.0)?;
        self.list(parameters, Printer::shape_id)?;
        writeln!(self.out, "): s{}", result.0)?;
        for (id, definition) in types.iter().enumerate() {
            self.out.push_str("type ");
            self.named(NamedId(id as u32))?;
            self.out.push_str(" = ");
            self.of(&definition.content)?;
            self.out.push('\n');
        }
        for (id, function) in functions.iter().enumerate() {
            self.function(FunctionId(id as u32), function)?;
        }
        for (id, shape) in shapes.0.iter().enumerate() {
            write!(self.out, "shape s{id}")?;
            self.shape(shape)?;
        }
        Ok(())
    }

    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T) -> fmt::Result) -> fmt::Result {
        for (i, one) in items.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            item(self, one)?;
        }
        Ok(())
    }

    fn name(&mut self, text: &str) -> fmt::Result {
        self.out.write_str(&name(text))
    }

    fn names(&mut self, names: &[Name]) -> fmt::Result {
        self.list(names, |printer, name| printer.name(name.as_str()))
    }

    /// The name is a help for the eye where the number says enough; it is exact where the type is defined.
    fn named(&mut self, id: NamedId) -> fmt::Result {
        let name = self.types.get(id.0 as usize).map_or("unknown", |definition| &*definition.name);
        self.name(name)?;
        write!(self.out, "#{}", id.0)
    }

    fn shape_id(&mut self, id: &ShapeId) -> fmt::Result {
        write!(self.out, "s{}", id.0)
    }

    fn of(&mut self, of: &Type) -> fmt::Result {
        match of {
            Type::Bool => self.out.write_str("bool"),
            Type::Int => self.out.write_str("int"),
            Type::Real => self.out.write_str("real"),
            Type::Text => self.out.write_str("text"),
            Type::Handle => self.out.write_str("handle"),
            Type::Struct(fields) if fields.is_empty() => self.out.write_str("()"),
            Type::Struct(fields) => {
                self.out.push('{');
                self.list(fields, |printer, field| crate::deep(|| printer.of(field)))?;
                self.out.write_char('}')
            }
            Type::Sum(alternatives) => {
                self.out.push('(');
                for (i, alternative) in alternatives.iter().enumerate() {
                    self.out.push_str(if i == 0 { "| " } else { " | " });
                    crate::deep(|| self.of(alternative))?;
                }
                self.out.write_str(if alternatives.is_empty() { "|)" } else { ")" })
            }
            Type::Array(element, rank) => {
                self.out.push('[');
                self.of(element)?;
                write!(self.out, "; {rank}]")
            }
            Type::Named(id) => self.named(*id),
        }
    }

    fn function(&mut self, id: FunctionId, function: &Function) -> fmt::Result {
        write!(self.out, "fn f{} ", id.0)?;
        self.name(&function.name)?;
        self.out.push('(');
        self.list(&function.params, |printer, var| printer.binder(function, *var))?;
        self.out.push_str("): ");
        self.of(&function.result)?;
        self.span(function.span)?;
        self.out.push_str(" {");
        self.indent += 1;
        for var in unbound(function) {
            self.line()?;
            self.out.push_str("var ");
            self.binder(function, var)?;
        }
        self.statements(function, &function.body)?;
        self.indent -= 1;
        self.out.write_str("\n}\n")
    }

    fn binder(&mut self, function: &Function, var: Var) -> fmt::Result {
        write!(self.out, "v{}", var.0)?;
        if let Some(of) = function.vars.get(var.0 as usize) {
            self.out.push_str(": ");
            self.of(of)?;
        }
        Ok(())
    }

    fn line(&mut self) -> fmt::Result {
        write!(self.out, "\n{:width$}", "", width = 2 * self.indent)
    }

    fn span(&mut self, place: Span) -> fmt::Result {
        self.out.write_str(&span(place))
    }

    /// ` {`, the block, and `}` on a line of its own.
    fn block(&mut self, function: &Function, block: &Block) -> fmt::Result {
        self.out.push_str(" {");
        self.indent += 1;
        crate::deep(|| self.statements(function, block))?;
        self.indent -= 1;
        self.line()?;
        self.out.write_char('}')
    }

    fn statements(&mut self, function: &Function, block: &Block) -> fmt::Result {
        for statement in &block.statements {
            self.line()?;
            self.binder(function, statement.var)?;
            self.out.push_str(" = ");
            self.op(function, &statement.op)?;
            self.span(statement.span)?;
        }
        self.line()?;
        match &block.end {
            End::Yield(atom) => {
                self.out.push_str("yield ");
                self.atom(atom)
            }
            End::Again(atoms) => {
                self.out.push_str("again ");
                self.atoms('(', atoms, ')')
            }
            End::Never => self.out.write_str("never"),
        }
    }

    fn atom(&mut self, atom: &Atom) -> fmt::Result {
        match atom {
            Atom::Var(var) => write!(self.out, "v{}", var.0),
            Atom::Unit => self.out.write_str("()"),
            Atom::Bool(b) => write!(self.out, "{b}"),
            Atom::Int(i) => write!(self.out, "{i}"),
            Atom::Real(x) => self.out.write_str(&real(*x)),
        }
    }

    fn atoms(&mut self, open: char, atoms: &[Atom], close: char) -> fmt::Result {
        self.out.push(open);
        self.list(atoms, Printer::atom)?;
        self.out.write_char(close)
    }

    /// A word and an atom.
    fn unary(&mut self, word: &str, atom: &Atom) -> fmt::Result {
        write!(self.out, "{word} ")?;
        self.atom(atom)
    }

    fn op(&mut self, function: &Function, op: &Op) -> fmt::Result {
        match op {
            Op::Atom(atom) => self.atom(atom),
            Op::Text(text) => self.out.write_str(&quoted(text)),
            Op::Scalar(scalar, args) => self.scalar(*scalar, args),
            Op::Struct(fields) => self.atoms('{', fields, '}'),
            Op::Field(atom, i) => {
                self.unary("field", atom)?;
                write!(self.out, " {i}")
            }
            Op::Inject(tag, content) => {
                write!(self.out, "inject {tag} ")?;
                self.atom(content)
            }
            Op::Switch(on, arms) => self.switch(function, on, arms),
            Op::If(condition, then, otherwise) => {
                self.unary("if", condition)?;
                self.block(function, then)?;
                self.out.push_str(" else");
                self.block(function, otherwise)
            }
            Op::Box(content) => self.unary("box", content),
            Op::Unbox(atom) => self.unary("unbox", atom),
            Op::View(atom) => self.unary("view", atom),
            Op::Call(callee, args) => {
                write!(self.out, "call f{}", callee.0)?;
                self.atoms('(', args, ')')
            }
            Op::Loop { params, body } => {
                self.out.push_str("loop (");
                self.list(params, |printer, (var, first)| {
                    printer.binder(function, *var)?;
                    printer.out.push_str(" = ");
                    printer.atom(first)
                })?;
                self.out.push(')');
                self.block(function, body)
            }
            Op::Tabulate { n, index, body } | Op::Sum { n, index, body } => {
                self.unary(if matches!(op, Op::Sum { .. }) { "sum" } else { "tabulate" }, n)?;
                self.out.push_str(" (");
                self.binder(function, *index)?;
                self.out.push(')');
                self.block(function, body)
            }
            Op::Array(elements) => self.atoms('[', elements, ']'),
            Op::Len(array) => self.unary("len", array),
            Op::Axis(array, axis) => {
                self.unary("axis", array)?;
                write!(self.out, " {axis}")
            }
            Op::Flat(array) => self.unary("flat", array),
            Op::Dense(handle) => self.unary("dense", handle),
            Op::Collected(array) => self.unary("collected", array),
            Op::Shaped(array, lengths) => {
                self.unary("shaped", array)?;
                self.out.push(' ');
                self.atoms('[', lengths, ']')
            }
            Op::Element(array, indices) => {
                self.unary("element", array)?;
                self.out.push(' ');
                self.atoms('[', indices, ']')
            }
            Op::Replace(array, indices, new) => {
                self.unary("replace", array)?;
                self.out.push(' ');
                self.atoms('[', indices, ']')?;
                self.unary(" with", new)
            }
            Op::Append(array, element) => {
                self.unary("append", array)?;
                self.unary(" with", element)
            }
            Op::Prim { prim, args, shapes, result } => {
                write!(self.out, "prim {prim}")?;
                self.atoms('(', args, ')')?;
                self.out.push_str(" of (");
                self.list(shapes, Printer::shape_id)?;
                write!(self.out, ") to s{}", result.0)
            }
            Op::Quiet(on) => write!(self.out, "quiet {}", if *on { "on" } else { "off" }),
            Op::Require(condition, code) => {
                self.unary("require", condition)?;
                write!(self.out, " else {code}")
            }
            Op::Fail(code) => write!(self.out, "fail {code}"),
        }
    }

    fn scalar(&mut self, scalar: Scalar, args: &[Atom]) -> fmt::Result {
        match (scalar.name(), scalar) {
            (Some(name), _) => self.out.push_str(name),
            (None, Scalar::Function(place)) => write!(self.out, "transcendental {place}")?,
            (None, other) => unreachable!("text: {other:?} has no name"),
        }
        for arg in args {
            self.out.push(' ');
            self.atom(arg)?;
        }
        Ok(())
    }

    fn switch(&mut self, function: &Function, on: &Atom, arms: &[(Var, Block)]) -> fmt::Result {
        self.unary("switch", on)?;
        self.out.push_str(" {");
        self.indent += 1;
        for (var, block) in arms {
            self.line()?;
            self.out.push_str("case ");
            self.binder(function, *var)?;
            self.block(function, block)?;
        }
        self.indent -= 1;
        self.line()?;
        self.out.write_char('}')
    }

    fn shape(&mut self, shape: &Shape) -> fmt::Result {
        if let Some(name) = shape.named {
            self.out.push_str(" named ");
            self.named(name)?;
        }
        self.out.push_str(" =");
        for (i, Alternative { head, parts }) in shape.alternatives.iter().enumerate() {
            self.out.push_str(if i == 0 { " " } else { " | " });
            self.head(head)?;
            if !parts.is_empty() {
                self.out.push('(');
                self.list(parts, Printer::shape_id)?;
                self.out.push(')');
            }
        }
        self.out.write_char('\n')
    }

    fn head(&mut self, head: &Head) -> fmt::Result {
        match head {
            Head::Zero => self.out.write_str("zero"),
            Head::Bool => self.out.write_str("bool"),
            Head::Int => self.out.write_str("int"),
            Head::Real => self.out.write_str("real"),
            Head::Text => self.out.write_str("text"),
            Head::Tuple => self.out.write_str("tuple"),
            Head::Record(labels) => {
                self.out.push_str("record [");
                self.names(labels)?;
                self.out.write_char(']')
            }
            Head::Variant(constructor) => {
                self.out.push_str("variant ");
                self.constructor(constructor)
            }
            Head::Part(constructor, positions) => {
                self.out.push_str("part ");
                if let Some(constructor) = constructor {
                    self.out.push_str("of ");
                    self.constructor(constructor)?;
                    self.out.push(' ');
                }
                self.out.push('[');
                self.list(positions, |printer, at| write!(printer.out, "{at}"))?;
                self.out.write_char(']')
            }
            Head::Array(rank) => write!(self.out, "array {rank}"),
            Head::Handle(rank) => write!(self.out, "handle {rank}"),
            Head::Frame(rank) => write!(self.out, "frame {rank}"),
            Head::Closure { code, member } => write!(self.out, "closure c{} {member}", code.0),
            Head::Prim { prim, order } => write!(self.out, "prim {prim} {order}"),
            Head::Sealed { modes } => write!(self.out, "sealed {}", modes_number(modes)),
            Head::Full => self.out.write_str("full"),
        }
    }

    fn constructor(&mut self, constructor: &Constructor) -> fmt::Result {
        self.name(constructor.type_name.as_str())?;
        self.out.push('.');
        self.name(constructor.name.as_str())?;
        write!(self.out, "#{}[", constructor.tag)?;
        self.names(&constructor.fields)?;
        self.out.write_char(']')
    }
}

/// The variables that nothing binds.
fn unbound(function: &Function) -> Vec<Var> {
    let mut bound = vec![false; function.vars.len()];
    let mut mark = |var: Var| {
        if let Some(bound) = bound.get_mut(var.0 as usize) {
            *bound = true;
        }
    };
    function.params.iter().for_each(|var| mark(*var));
    let mut waiting = vec![&function.body];
    while let Some(block) = waiting.pop() {
        for statement in &block.statements {
            mark(statement.var);
            statement.op.blocks(&mut |vars, block| {
                vars.iter().for_each(|var| mark(*var));
                waiting.push(block);
            });
        }
    }
    (0..function.vars.len() as u32).map(Var).filter(|var| !bound[var.0 as usize]).collect()
}

/// The modes as the binary digits behind a leading one: 0 for J, 1 for T.
fn modes_number(modes: &[Mode]) -> u32 {
    modes.iter().fold(1, |number, mode| number << 1 | u32::from(*mode == Mode::Forward))
}
