//! One function: structured L4 as basic blocks. Variables are SSA values of the same number; what branches and loops bind are
//! phis. Failures go to cold blocks at the end, one for each code and place.

use std::fmt;

use base::{Code, Span, codes};
use loops::memory::{CTX_SITE, HEADER, LAST_TAG, LENGTHS};
use loops::{Arm, Atom, Block, End, Function, Leaf, Matrix, Op, Placed, Product, Program, Statement, Var};
use rustc_hash::FxHashMap;

use super::memory::{COUNT, LENGTH, Lines, Place};
use super::{Checks, Needs, by_value, pieces, prelude, return_type, small, type_of};

/// A function to be written.
pub(super) struct Of<'p> {
    pub(super) program: &'p Program,
    pub(super) number: usize,
    pub(super) function: &'p Function,
    /// Can it be running twice at once?
    pub(super) recursive: bool,
    /// Do its outermost loops say how far they are?
    pub(super) outermost: bool,
    pub(super) checks: Checks,
}

pub(super) fn function(of: Of, needs: &mut Needs, text: &mut String) {
    let Of { program, number, function, recursive, outermost, checks } = of;
    let mut params = vec!["ptr noalias %ctx".to_string()];
    let written = pieces::written(function);
    params.extend(function.params.iter().map(|param| {
        let alone = if written.contains(&param.0) { " noalias" } else { "" };
        format!("{}{alone} %v{}", type_of(function.vars[param.0 as usize]), param.0)
    }));
    if !by_value(&function.results) {
        params.push("ptr noalias %out".to_string());
    }
    let returned = return_type(&function.results);
    let params = params.join(", ");
    let name: String = function.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut lines = Lines::new(text);
    let scope = needs.lines.as_mut().map(|lines| lines.function(number));
    let debug = scope.map_or(String::new(), |scope| format!(" !dbg !{scope}"));
    lines.line(format_args!(
        "; {name}\ndefine internal fastcc {returned} @f{number}({params}) nounwind{debug} {{\nentry:"
    ));
    let start = lines.text.len();
    let mut body = Body {
        program,
        function,
        recursive,
        outermost,
        checks,
        needs,
        lines,
        label: "entry".to_string(),
        labels: 0,
        loops: vec![],
        repeats: 0,
        failures: FxHashMap::default(),
        failure_order: vec![],
        words: 0,
        outs: 0,
        span: function.span,
        scope,
    };
    body.at(function.span);
    if recursive {
        body.check_stack();
    }
    if let Some(atoms) = body.block(&function.body) {
        body.give_back(&atoms);
    }
    body.finish(start);
}

/// A loop that is open: where its body begins, and who goes there with which values.
struct OpenLoop {
    header: String,
    edges: Vec<(String, Vec<Atom>)>,
}

pub(super) struct Body<'p> {
    pub(super) program: &'p Program,
    pub(super) function: &'p Function,
    /// Can the function be running twice at once?
    pub(super) recursive: bool,
    pub(super) outermost: bool,
    pub(super) checks: Checks,
    pub(super) needs: &'p mut Needs,
    pub(super) lines: Lines<'p>,
    /// The basic block that is being written.
    label: String,
    labels: u32,
    loops: Vec<OpenLoop>,
    /// How many loops and sums are open.
    pub(super) repeats: u32,
    failures: FxHashMap<(Code, Span), usize>,
    failure_order: Vec<(Code, Span)>,
    /// Words of scratch memory for the runtime's functions, and for results of our own.
    words: usize,
    outs: usize,
    pub(super) span: Span,
    /// The function in the line table.
    scope: Option<usize>,
}

/// The values of a block that has ended by yielding; `None` if control doesn't get there.
pub(super) type Yielded = Option<Vec<Atom>>;

impl Body<'_> {
    fn leaf(&self, var: Var) -> Leaf {
        self.function.vars[var.0 as usize]
    }

    pub(super) fn leaf_of(&self, atom: &Atom) -> Leaf {
        match atom {
            Atom::Var(var) => self.leaf(*var),
            Atom::Bool(_) => Leaf::Bool,
            Atom::Int(_) => Leaf::Int,
            Atom::Real(_) => Leaf::Real,
            Atom::Null | Atom::Tag(_) => Leaf::Ptr,
        }
    }

    pub(super) fn atom(&self, atom: &Atom) -> String {
        match atom {
            Atom::Var(var) => format!("%v{}", var.0),
            Atom::Bool(b) => b.to_string(),
            Atom::Int(i) => i.to_string(),
            Atom::Real(x) => super::scalars::real(*x),
            Atom::Null | Atom::Tag(0) => "null".to_string(),
            Atom::Tag(tag) => format!("inttoptr (i64 {tag} to ptr)"),
        }
    }

    pub(super) fn typed(&self, atom: &Atom) -> String {
        format!("{} {}", type_of(self.leaf_of(atom)), self.atom(atom))
    }

    pub(super) fn line(&mut self, line: fmt::Arguments<'_>) {
        self.lines.line(format_args!("  {line}"));
    }

    pub(super) fn define(&mut self, name: &str, instruction: fmt::Arguments<'_>) {
        self.lines.line(format_args!("  {name} = {instruction}"));
    }

    pub(super) fn value(&mut self, instruction: fmt::Arguments<'_>) -> String {
        self.lines.value(instruction)
    }

    pub(super) fn new_label(&mut self) -> String {
        self.labels += 1;
        format!("b{}", self.labels)
    }

    /// The basic block that is being written.
    pub(super) fn label(&self) -> &str {
        &self.label
    }

    pub(super) fn begin(&mut self, label: String) {
        self.lines.line(format_args!("{label}:"));
        self.label = label;
    }

    /// What is written next belongs to this place.
    pub(super) fn at(&mut self, span: Span) {
        self.span = span;
        if let (Some(scope), Some(lines)) = (self.scope, &mut self.needs.lines) {
            self.lines.origin = Some(lines.location(scope, span));
        }
    }

    /// The place of the statement, as arguments.
    pub(super) fn span_args(&self) -> String {
        span_args(self.span)
    }

    fn failure(&mut self, code: Code) -> usize {
        let key = (code, self.span);
        let next = self.failure_order.len();
        *self.failures.entry(key).or_insert_with(|| {
            self.failure_order.push(key);
            next
        })
    }

    pub(super) fn fail_if(&mut self, condition: &str, code: Code) {
        let (failure, next) = (self.failure(code), self.new_label());
        self.line(format_args!("br i1 {condition}, label %fail{failure}, label %{next}"));
        self.begin(next);
    }

    pub(super) fn require(&mut self, condition: &str, code: Code) {
        let (failure, next) = (self.failure(code), self.new_label());
        self.line(format_args!("br i1 {condition}, label %{next}, label %fail{failure}"));
        self.begin(next);
    }

    fn check_stack(&mut self) {
        let frame = self.value(format_args!("call ptr @llvm.frameaddress.p0(i32 0)"));
        let limit = self.value(format_args!("load ptr, ptr %ctx, !tbaa !17"));
        let below = self.value(format_args!("icmp ult ptr {frame}, {limit}"));
        self.fail_if(&below, codes::RECURSION_TOO_DEEP);
    }

    /// Returns the function's results.
    fn give_back(&mut self, atoms: &[Atom]) {
        match atoms {
            [] => self.line(format_args!("ret void")),
            [one] => self.line(format_args!("ret {}", self.typed(one))),
            several if by_value(&self.function.results) => {
                let ty = return_type(&self.function.results);
                let mut whole = "poison".to_string();
                for (at, atom) in several.iter().enumerate() {
                    let part = self.typed(atom);
                    whole = self.value(format_args!("insertvalue {ty} {whole}, {part}, {at}"));
                }
                self.line(format_args!("ret {ty} {whole}"));
            }
            many => {
                self.store_words(Place::Scratch, "%out", 0, many);
                self.line(format_args!("ret void"));
            }
        }
    }

    /// The cold blocks, and at the start of the function the scratch memory.
    fn finish(mut self, start: usize) {
        for (number, (code, span)) in std::mem::take(&mut self.failure_order).into_iter().enumerate() {
            let span = span_args(span);
            self.lines.line(format_args!("fail{number}:"));
            self.line(format_args!("call void @rt_fail(ptr %ctx, i64 {}, {span})", code.0));
            self.line(format_args!("unreachable"));
        }
        self.lines.line(format_args!("}}\n"));
        let scratch = |name: &str, words: usize| match words {
            0 => String::new(),
            words => format!("  %{name} = alloca [{words} x i64]\n"),
        };
        let scratch = scratch("words", self.words) + &scratch("outs", self.outs);
        self.lines.text.insert_str(start, &scratch);
    }

    pub(super) fn block(&mut self, block: &Block) -> Yielded {
        base::budget::deep(|| {
            let mut rest = &block.statements[..];
            while let Some((statement, behind)) = rest.split_first() {
                self.at(statement.span);
                if let Some(behind) = self.constants(rest) {
                    rest = behind;
                    continue;
                }
                if !self.statement(statement) {
                    return None;
                }
                rest = behind;
            }
            match &block.end {
                End::Yield(atoms) => Some(atoms.clone()),
                End::Again(atoms) => {
                    let edge = (self.label.clone(), atoms.clone());
                    let open = self.loops.last_mut().expect("L4 is checked: `again` is in a loop");
                    open.edges.push(edge);
                    let header = open.header.clone();
                    self.line(format_args!("br label %{header}"));
                    None
                }
                End::Never => {
                    self.check_never();
                    self.line(format_args!("unreachable"));
                    None
                }
            }
        })
    }

    /// Writes constants into an array at once if the next statements do that one by one, enough of them. What is behind them.
    fn constants<'s>(&mut self, statements: &'s [Statement]) -> Option<&'s [Statement]> {
        const ENOUGH: usize = 16;
        let Op::StoreElement { array, rank, at: Atom::Int(first), .. } = &statements.first()?.op else { return None };
        let words: Vec<String> =
            (*first..).zip(statements).map_while(|(at, next)| constant(&next.op, array, at)).collect();
        if words.len() < ENOUGH || self.checks == Checks::Memory {
            return None;
        }
        let (count, bytes) = (words.len(), 8 * words.len());
        let name = format!("@c{}", self.needs.constants.len());
        let constant = format!("{name} = private unnamed_addr constant [{count} x i64] [{}]\n", words.join(", "));
        self.needs.constants.push(constant);
        let to = self.element(array, *rank, 1, &Atom::Int(*first));
        self.line(format_args!("call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {name}, i64 {bytes}, i1 false)"));
        Some(&statements[count..])
    }

    /// Does control get behind the statement?
    fn statement(&mut self, Statement { vars, op, .. }: &Statement) -> bool {
        let name = vars.first().map_or(String::new(), |var| format!("%v{}", var.0));
        self.check(op);
        match op {
            Op::Scalar(scalar, atoms) => self.scalar(&name, *scalar, atoms),
            Op::IndexAdd(a, b) => self.define(&name, format_args!("add nsw i64 {}, {}", self.atom(a), self.atom(b))),
            Op::IndexMul(a, b) => self.define(&name, format_args!("mul nsw i64 {}, {}", self.atom(a), self.atom(b))),
            Op::InRange(a, b) => self.define(&name, format_args!("icmp ult i64 {}, {}", self.atom(a), self.atom(b))),
            Op::Call(id, atoms) => self.call(vars, id.0, atoms),
            Op::If(condition, yes, no) => return self.branch(vars, condition, yes, no),
            Op::Switch(tag, arms) => return self.switch(vars, tag, arms),
            Op::Loop { params, body } => return self.looped(vars, params, body),
            Op::Sum { count, index, body } => return self.sum(&name, count, *index, body),
            Op::IsLarge(count, work) => self.is_large(&name, count, work),
            Op::Pieces(pieces) => self.pieces(&name, pieces),
            Op::Node(id, atoms) => self.node(&name, id.0, atoms),
            Op::Load(_, node, at) => {
                let from = self.lines.word(&self.atom(node), HEADER + at);
                self.lines.load_word(&name, self.leaf(vars[0]), &from, Place::Node);
            }
            Op::Open { descriptor, node, taken } => self.open(descriptor.0, node, taken),
            Op::IsObject(a) => {
                self.define(&name, format_args!("icmp ugt ptr {}, inttoptr (i64 {LAST_TAG} to ptr)", self.atom(a)));
            }
            Op::TagOf(a) => self.define(&name, format_args!("ptrtoint ptr {} to i64", self.atom(a))),
            Op::PointerOf(a) => self.define(&name, format_args!("inttoptr i64 {} to ptr", self.atom(a))),
            Op::Retain(a) => self.retain(a),
            Op::Release(a) => self.release(a),
            Op::IsUnique(a) => {
                let count = self.value(format_args!("load i64, ptr {}, {COUNT}", self.atom(a)));
                self.define(&name, format_args!("icmp eq i64 {count}, 1"));
            }
            Op::Prim(site, atoms) => self.prim(vars, *site, atoms),
            Op::Product(product) => self.product(&name, product),
            Op::OneHot { .. }
            | Op::AddAt { .. }
            | Op::Placed(_)
            | Op::AddPlaced { .. }
            | Op::Plus { .. }
            | Op::Dense(..) => {
                self.collect(&name, op);
            }
            Op::Text(text) => self.define(&name, format_args!("call ptr @rt_text(ptr %ctx, i64 {text})")),
            Op::Quiet(quiet) => {
                let change = if *quiet { 1 } else { -1 };
                self.line(format_args!("call void @rt_quiet(ptr %ctx, i64 {change})"));
            }
            Op::Site(place) => {
                let word = self.lines.word("%ctx", CTX_SITE);
                self.line(format_args!("store i64 {}, ptr {word}", place + 1));
            }
            Op::Require(condition, code) => self.require(&self.atom(condition), *code),
            Op::Fail(code) => {
                let failure = self.failure(*code);
                self.line(format_args!("br label %fail{failure}"));
                return false;
            }
            Op::NewArray(..)
            | Op::LoadElement { .. }
            | Op::TakeElement { .. }
            | Op::StoreElement { .. }
            | Op::Append { .. }
            | Op::Axis(..)
            | Op::Unshare(_)
            | Op::Row { .. }
            | Op::ReplaceRow { .. }
            | Op::StoreRow { .. } => self.array_op(&name, vars, op),
        }
        true
    }

    fn call(&mut self, vars: &[Var], callee: u32, atoms: &[Atom]) {
        let results = &self.program.functions[callee as usize].results;
        let returned = return_type(results);
        let mut args = vec!["ptr %ctx".to_string()];
        args.extend(atoms.iter().map(|atom| self.typed(atom)));
        if !by_value(results) {
            self.outs = self.outs.max(results.len());
            args.push("ptr %outs".to_string());
        }
        let call = format!("call fastcc {returned} @f{callee}({})", args.join(", "));
        match vars {
            [] => self.line(format_args!("{call}")),
            [one] => self.define(&format!("%v{}", one.0), format_args!("{call}")),
            several if by_value(results) => {
                let whole = self.value(format_args!("{call}"));
                for (at, var) in several.iter().enumerate() {
                    self.define(&format!("%v{}", var.0), format_args!("extractvalue {returned} {whole}, {at}"));
                }
            }
            many => {
                self.line(format_args!("{call}"));
                self.load_words(Place::Scratch, "%outs", 0, many);
            }
        }
    }

    pub(super) fn store_words(&mut self, area: Place, to: &str, start: usize, atoms: &[Atom]) {
        for (at, atom) in (start..).zip(atoms) {
            let place = self.lines.word(to, at as u32);
            self.lines.store_word(&self.atom(atom), self.leaf_of(atom), &place, area);
        }
    }

    fn load_words(&mut self, area: Place, from: &str, start: usize, vars: &[Var]) {
        for (at, var) in (start..).zip(vars) {
            let place = self.lines.word(from, at as u32);
            self.lines.load_word(&format!("%v{}", var.0), self.leaf(*var), &place, area);
        }
    }

    /// Sums of sensitivities of arrays.
    fn collect(&mut self, name: &str, op: &Op) {
        match op {
            Op::OneHot { lengths, at, value } => {
                self.scratch(lengths.len());
                self.store_words(Place::Scratch, "%words", 0, lengths);
                let (rank, at, value) = (lengths.len(), self.atom(at), self.atom(value));
                let args = format!("ptr %ctx, i64 {rank}, ptr %words, i64 {at}, double {value}");
                self.define(name, format_args!("call ptr @rt_one_hot({args})"));
            }
            Op::AddAt { site, sum, lengths, at, value } => {
                let (sum, at, value) = (self.atom(sum), self.atom(at), self.atom(value));
                let rest = format!("i64 {at}, double {value}, i64 {site}");
                let atoms: Vec<String> = lengths.iter().map(|length| format!("i64 {}", self.atom(length))).collect();
                let rank = lengths.len();
                if prelude::ADD_AT.contains(&rank) {
                    let args = format!("ptr %ctx, ptr {sum}, {}, {rest}", atoms.join(", "));
                    self.define(name, format_args!("call fastcc ptr @add_at_{rank}({args})"));
                    return;
                }
                self.scratch(lengths.len());
                self.store_words(Place::Scratch, "%words", 0, lengths);
                let args = format!("ptr %ctx, ptr {sum}, i64 {}, ptr %words, {rest}", lengths.len());
                self.define(name, format_args!("call ptr @rt_add_at({args})"));
            }
            Op::Placed(placed) => {
                let args = self.placed(placed);
                self.define(name, format_args!("call ptr @rt_place(ptr %ctx, {args})"));
            }
            Op::AddPlaced { site, sum, placed } => {
                let (args, sum) = (self.placed(placed), self.atom(sum));
                self.define(name, format_args!("call ptr @rt_add_placed(ptr %ctx, ptr {sum}, {args}, i64 {site})"));
            }
            Op::Plus { site, terms: [a, b], plain } => {
                let plain = u64::from(plain[0]) | u64::from(plain[1]) << 1;
                let args = format!("ptr %ctx, ptr {}, ptr {}, i64 {plain}, i64 {site}", self.atom(a), self.atom(b));
                self.define(name, format_args!("call ptr @rt_plus({args})"));
            }
            Op::Dense(handle, rank) => {
                let handle = self.atom(handle);
                self.define(name, format_args!("call ptr @rt_dense(ptr %ctx, ptr {handle}, i64 {rank})"));
            }
            other => unreachable!("emission: {other:?} collects nothing"),
        }
    }

    /// What the runtime is told of a part of a sensitivity.
    fn placed(&mut self, placed: &Placed) -> String {
        let Placed { site, lengths, index, at, count, part, plain } = placed;
        let words: Vec<Atom> = lengths.iter().chain(index).chain([part]).copied().collect();
        self.scratch(words.len());
        self.store_words(Place::Scratch, "%words", 0, &words);
        let (rank, indices, plain) = (lengths.len(), index.len(), u64::from(*plain));
        let (at, count) = (self.atom(at), self.atom(count));
        format!("ptr %words, i64 {rank}, i64 {indices}, i64 {at}, i64 {count}, i64 {plain}, i64 {site}")
    }

    /// Scratch memory for a function of the runtime.
    pub(super) fn scratch(&mut self, words: usize) {
        self.words = self.words.max(words.max(1));
    }

    fn prim(&mut self, vars: &[Var], site: u32, atoms: &[Atom]) {
        self.scratch(atoms.len() + vars.len());
        self.store_words(Place::Scratch, "%words", 0, atoms);
        let out = self.lines.word("%words", atoms.len() as u32);
        self.line(format_args!("call void @rt_prim(ptr %ctx, i64 {site}, ptr %words, ptr {out})"));
        self.load_words(Place::Scratch, "%words", atoms.len(), vars);
    }

    fn product(&mut self, name: &str, Product { lengths, left, right, out }: &Product) {
        let [left, right] = [left, right].map(|Matrix { array, rank, at, row, column }| {
            let first = self.element(array, *rank, 1, at);
            format!("ptr {first}, i64 {}, i64 {}", self.atom(row), self.atom(column))
        });
        let [m, k, n] = lengths.map(|length| self.atom(&length));
        let Some((out, rank, at)) = out else {
            return self.define(name, format_args!("call double @rt_product({left}, {right}, i64 {k})"));
        };
        let out = self.element(out, *rank, 1, at);
        self.line(format_args!("call void @rt_products(ptr {out}, {left}, {right}, i64 {m}, i64 {k}, i64 {n})"));
    }

    fn new_array(&mut self, name: &str, number: u32, lengths: &[Atom]) {
        let (rank, span) = (lengths.len(), self.span_args());
        let descriptor = &self.program.descriptors[number as usize];
        let watched = self.checks == Checks::Memory || self.program.places.is_some();
        if !watched && small::is_made_here(descriptor, rank) {
            let lengths: Vec<String> = lengths.iter().map(|length| format!("i64 {}", self.atom(length))).collect();
            let args = format!("ptr @d{number}, i64 {}, {}, {span}", descriptor.words, lengths.join(", "));
            return self.define(name, format_args!("call fastcc ptr @array_{rank}(ptr %ctx, {args})"));
        }
        self.scratch(lengths.len());
        self.store_words(Place::Scratch, "%words", 0, lengths);
        let args = format!("ptr %ctx, ptr @d{number}, i64 {rank}, ptr %words, {span}");
        self.define(name, format_args!("call ptr @rt_array({args})"));
    }

    fn array_op(&mut self, name: &str, vars: &[Var], op: &Op) {
        match op {
            Op::NewArray(descriptor, lengths) => self.new_array(name, descriptor.0, lengths),
            Op::LoadElement { array, rank, at, columns: true, .. }
            | Op::TakeElement { array, rank, at, columns: true, .. } => {
                for (var, place) in vars.iter().zip(self.columns(array, *rank, vars.len(), at)) {
                    self.lines.load_word(&format!("%v{}", var.0), self.leaf(*var), &place, Place::Array);
                }
            }
            Op::StoreElement { array, rank, at, leaves, columns: true } => {
                for (leaf, place) in leaves.iter().zip(self.columns(array, *rank, leaves.len(), at)) {
                    self.lines.store_word(&self.atom(leaf), self.leaf_of(leaf), &place, Place::Array);
                }
            }
            Op::LoadElement { array, rank, words, at, .. } | Op::TakeElement { array, rank, words, at, .. } => {
                if *words > 0 {
                    let element = self.element(array, *rank, *words, at);
                    self.load_words(Place::Array, &element, 0, vars);
                }
            }
            Op::StoreElement { array, rank, at, leaves, .. } => {
                if !leaves.is_empty() {
                    let element = self.element(array, *rank, leaves.len() as u32, at);
                    self.store_words(Place::Array, &element, 0, leaves);
                }
            }
            Op::Append { array, leaves } => {
                let (array, span) = (self.atom(array), self.span_args());
                self.define(name, format_args!("call fastcc ptr @grow(ptr %ctx, ptr {array}, {span})"));
                if !leaves.is_empty() {
                    let length = self.lines.word(name, LENGTHS);
                    let length = self.value(format_args!("load i64, ptr {length}, {LENGTH}"));
                    let at = self.value(format_args!("add i64 {length}, -1"));
                    let first = self.lines.word(name, LENGTHS + 1);
                    let words = leaves.len();
                    let element =
                        self.value(format_args!("getelementptr inbounds [{words} x i64], ptr {first}, i64 {at}"));
                    self.store_words(Place::Array, &element, 0, leaves);
                }
            }
            Op::Axis(array, axis) => {
                let place = self.length_word(&self.atom(array), *axis);
                self.define(name, format_args!("load i64, ptr {place}, {LENGTH}"));
            }
            Op::Unshare(array) => {
                self.define(name, format_args!("call fastcc ptr @unshare(ptr %ctx, ptr {})", self.atom(array)));
            }
            Op::Row { array, dropped, at } => {
                let (array, at) = (self.atom(array), self.atom(at));
                self.define(name, format_args!("call ptr @rt_row(ptr %ctx, ptr {array}, i64 {dropped}, i64 {at})"));
            }
            Op::ReplaceRow { array, row, dropped, at } => {
                let (array, row, at, span) = (self.atom(array), self.atom(row), self.atom(at), self.span_args());
                let args = format!("ptr %ctx, ptr {array}, ptr {row}, i64 {dropped}, i64 {at}, {span}");
                self.define(name, format_args!("call ptr @rt_replace_row({args})"));
            }
            Op::StoreRow { array, row, at, count } => {
                let [array, row, at, count] = [array, row, at, count].map(|atom| self.atom(atom));
                let args = format!("ptr %ctx, ptr {array}, ptr {row}, i64 {at}, i64 {count}, {}", self.span_args());
                self.define(name, format_args!("call ptr @rt_store_row({args})"));
            }
            other => unreachable!("emission: {other:?} is no operation on arrays"),
        }
    }

    /// The address of an element.
    fn element(&mut self, array: &Atom, rank: u32, words: u32, at: &Atom) -> String {
        let (array, at) = (self.atom(array), self.atom(at));
        self.element_of(&array, rank, words, &at)
    }

    /// The same by names.
    pub(super) fn element_of(&mut self, array: &str, rank: u32, words: u32, at: &str) -> String {
        let first = self.lines.word(array, LENGTHS + rank);
        self.value(format_args!("getelementptr inbounds [{words} x i64], ptr {first}, i64 {at}"))
    }

    /// The address of the length of an axis.
    pub(super) fn length_word(&mut self, array: &str, axis: u32) -> String {
        self.lines.word(array, LENGTHS + axis)
    }

    /// The addresses of the words of an element in an array of columns.
    fn columns(&mut self, array: &Atom, rank: u32, words: usize, at: &Atom) -> Vec<String> {
        let (array, at) = (self.atom(array), self.atom(at));
        let mut size = String::new();
        for axis in 0..rank {
            let length = self.lines.word(&array, LENGTHS + axis);
            let length = self.value(format_args!("load i64, ptr {length}, {LENGTH}"));
            size = if axis == 0 { length } else { self.value(format_args!("mul nuw nsw i64 {size}, {length}")) };
        }
        let first = self.lines.word(&array, LENGTHS + rank);
        let address = |word: usize| {
            let start = self.value(format_args!("mul nuw nsw i64 {size}, {word}"));
            let column = self.value(format_args!("getelementptr inbounds i64, ptr {first}, i64 {start}"));
            self.value(format_args!("getelementptr inbounds i64, ptr {column}, i64 {at}"))
        };
        (0..words).map(address).collect()
    }

    fn branch(&mut self, vars: &[Var], condition: &Atom, yes: &Block, no: &Block) -> bool {
        let (yes_label, no_label, join) = (self.new_label(), self.new_label(), self.new_label());
        self.line(format_args!("br i1 {}, label %{yes_label}, label %{no_label}", self.atom(condition)));
        let edges = [(yes_label, yes), (no_label, no)];
        let edges = edges.into_iter().filter_map(|(label, block)| self.branch_to(label, block, &join)).collect();
        self.join(vars, join, edges)
    }

    fn switch(&mut self, vars: &[Var], tag: &Atom, arms: &[Arm]) -> bool {
        let join = self.new_label();
        let labels: Vec<String> = arms.iter().map(|_| self.new_label()).collect();
        let Some(last) = labels.last() else {
            self.line(format_args!("unreachable"));
            return false;
        };
        let cases: Vec<String> =
            labels.iter().enumerate().map(|(number, label)| format!("i64 {number}, label %{label}")).collect();
        let cases = cases[..cases.len() - 1].join(" ");
        self.line(format_args!("switch i64 {}, label %{last} [{cases}]", self.atom(tag)));
        let edges = labels.into_iter().zip(arms);
        let edges = edges.filter_map(|(label, arm)| self.branch_to(label, &arm.block, &join)).collect();
        self.join(vars, join, edges)
    }

    /// One branch, and if it gets to its end, from where and with what.
    fn branch_to(&mut self, label: String, block: &Block, join: &str) -> Option<(String, Vec<Atom>)> {
        self.begin(label);
        let atoms = self.block(block)?;
        self.line(format_args!("br label %{join}"));
        Some((self.label.clone(), atoms))
    }

    fn join(&mut self, vars: &[Var], join: String, edges: Vec<(String, Vec<Atom>)>) -> bool {
        if edges.is_empty() {
            return false;
        }
        self.begin(join);
        for (at, var) in vars.iter().enumerate() {
            let phi = self.phi(*var, at, &edges);
            self.lines.line(format_args!("{phi}"));
        }
        true
    }

    fn phi(&self, var: Var, at: usize, edges: &[(String, Vec<Atom>)]) -> String {
        let incoming: Vec<String> =
            edges.iter().map(|(label, atoms)| format!("[ {}, %{label} ]", self.atom(&atoms[at]))).collect();
        format!("  %v{} = phi {} {}", var.0, type_of(self.leaf(var)), incoming.join(", "))
    }

    fn looped(&mut self, vars: &[Var], params: &[(Var, Atom)], body: &Block) -> bool {
        let place = self.span;
        let told = self.tell_of_loop(params, body);
        let header = self.new_label();
        let first = (self.label.clone(), params.iter().map(|(_, atom)| *atom).collect());
        self.line(format_args!("br label %{header}"));
        self.begin(header.clone());
        let phis_at = self.lines.text.len();
        self.loops.push(OpenLoop { header, edges: vec![first] });
        told.iter().for_each(|told| self.tell_turn(told));
        self.repeats += 1;
        let result = self.block(body);
        self.repeats -= 1;
        self.at(place);
        let open = self.loops.pop().expect("the loop that was pushed");
        let phis: Vec<String> =
            params.iter().enumerate().map(|(at, (param, _))| self.phi(*param, at, &open.edges) + "\n").collect();
        self.lines.text.insert_str(phis_at, &phis.concat());
        let Some(atoms) = result else { return false };
        let join = self.new_label();
        self.line(format_args!("br label %{join}"));
        let edge = (self.label.clone(), atoms);
        let ends = self.join(vars, join, vec![edge]);
        told.iter().for_each(|told| self.tell_end(told));
        ends
    }
}

fn span_args(Span { file, start, end }: Span) -> String {
    format!("i64 {}, i64 {start}, i64 {end}", file.0)
}

/// The word that a statement writes, if it writes a constant as this element of this array.
fn constant(op: &Op, to: &Atom, element: i64) -> Option<String> {
    match op {
        Op::StoreElement { array, at: Atom::Int(at), leaves, columns: false, .. } if array == to && *at == element => {
            match leaves[..] {
                [Atom::Real(x)] => Some(format!("i64 {}", x.to_bits() as i64)),
                [Atom::Int(i)] => Some(format!("i64 {i}")),
                _ => None,
            }
        }
        _ => None,
    }
}
