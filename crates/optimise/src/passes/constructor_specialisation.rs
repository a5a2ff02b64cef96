//! Constructor specialisation: functions are written anew for the alternatives that they are called with.
//!
//! `f(inject 1 x)` becomes `f1(x)`, where `f1` knows the alternative; in its body the calls of `f` itself are seen to have that
//! alternative again, and it calls itself. Loops take part: one whose parameters begin as known alternatives is a function first.
//! The sensitivity that a reverse loop carries is zero before its first step and a number after it: this is how the loop comes to
//! carry just the number.
//!
//! In: any program. Out: the same values and effects. Growth is bounded; what isn't written anew is called as before.

use first_order::{Atom, Block, End, Function, FunctionId, Op, Program, Statement, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::deep;
use crate::passes::dead_functions;
use crate::passes::simplify;
use crate::passes::tail_calls;
use crate::rewriting::copy::Copier;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, each_atom, each_op, has_blocks, size};

/// How often new functions are looked over for further calls.
const ROUNDS: usize = 5;
/// Alternatives inside of alternatives are looked at this deep.
const DEPTH: usize = 6;
/// So many versions of one function.
const VERSIONS: usize = 12;
/// The program may grow by this factor and so many statements.
const GROWTH: usize = 3;
const SLACK: usize = 4_000;

pub fn run(program: &mut Program) {
    let outlined = outline(program);
    let before: usize = program.functions.iter().map(|function| size(&function.body)).sum();
    let mut versions = Versions { left: before * (GROWTH - 1) + SLACK, ..Versions::default() };
    let mut rounds = 0;
    while rounds < ROUNDS && versions.round(program) {
        rounds += 1;
        simplify::run(program);
    }
    if outlined || rounds > 0 {
        dead_functions::run(program);
        tail_calls::run(program);
        simplify::run(program);
    }
}

/// What is known about an argument.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Pattern {
    Any,
    Struct(Vec<Pattern>),
    Inject(u32, Box<Pattern>),
}

impl Pattern {
    fn is_known(&self) -> bool {
        match self {
            Pattern::Any => false,
            Pattern::Struct(parts) => parts.iter().any(Pattern::is_known),
            Pattern::Inject(..) => true,
        }
    }
}

#[derive(Default)]
struct Versions {
    known: FxHashMap<(FunctionId, Vec<Pattern>), FunctionId>,
    /// How many versions there are of each function, and what a version is a version of.
    count: FxHashMap<FunctionId, usize>,
    original: FxHashMap<FunctionId, FunctionId>,
    /// How many more statements the program may have.
    left: usize,
}

/// How the variables of a function were put together.
type Made = FxHashMap<Var, Op>;

fn made_in(body: &Block) -> Made {
    let mut made = Made::default();
    each_op(body, &mut |var, op| {
        if matches!(op, Op::Struct(_) | Op::Inject(..)) {
            made.insert(var, op.clone());
        }
    });
    made
}

fn pattern(atom: &Atom, made: &Made, depth: usize) -> Pattern {
    let Atom::Var(var) = atom else { return Pattern::Any };
    match made.get(var) {
        Some(Op::Inject(tag, content)) if depth < DEPTH => {
            Pattern::Inject(*tag, Box::new(pattern(content, made, depth + 1)))
        }
        Some(Op::Struct(fields)) if depth < DEPTH => {
            let parts: Vec<Pattern> = fields.iter().map(|field| pattern(field, made, depth + 1)).collect();
            if parts.iter().any(Pattern::is_known) { Pattern::Struct(parts) } else { Pattern::Any }
        }
        _ => Pattern::Any,
    }
}

/// The parts of an argument that a pattern doesn't say.
fn holes(atom: &Atom, pattern: &Pattern, made: &Made, found: &mut Vec<Atom>) {
    match (pattern, atom) {
        (Pattern::Any, atom) => found.push(atom.clone()),
        (Pattern::Struct(parts), Atom::Var(var)) => {
            let Some(Op::Struct(fields)) = made.get(var) else { unreachable!("constructor_specialisation: a struct") };
            fields.iter().zip(parts).for_each(|(field, part)| holes(field, part, made, found));
        }
        (Pattern::Inject(_, part), Atom::Var(var)) => {
            let Some(Op::Inject(_, content)) = made.get(var) else {
                unreachable!("constructor_specialisation: an alternative")
            };
            holes(content, part, made, found);
        }
        (pattern, atom) => unreachable!("constructor_specialisation: {atom:?} is no {pattern:?}"),
    }
}

impl Versions {
    /// Calls versions wherever arguments are known alternatives; are there new ones?
    fn round(&mut self, program: &mut Program) -> bool {
        let mut changed = false;
        let reached = dead_functions::reached(program);
        for id in (0..program.functions.len()).filter(|id| reached[*id]) {
            let made = made_in(&program.functions[id].body);
            if made.values().all(|op| !matches!(op, Op::Inject(..))) {
                continue;
            }
            // Versions of the function itself are made of the body as it is.
            let mut body = program.functions[id].body.clone();
            changed |= self.block(&mut body, &made, program);
            program.functions[id].body = body;
        }
        changed
    }

    fn block(&mut self, block: &mut Block, made: &Made, program: &mut Program) -> bool {
        let mut changed = false;
        for statement in &mut block.statements {
            if has_blocks(&statement.op) {
                deep(|| {
                    blocks_mut(&mut statement.op, &mut |block| changed |= self.block(block, made, program));
                });
            }
            let Op::Call(callee, args) = &mut statement.op else { continue };
            if *callee == program.entry {
                continue;
            }
            let patterns: Vec<Pattern> = args.iter().map(|arg| pattern(arg, made, 0)).collect();
            if !patterns.iter().any(Pattern::is_known) {
                continue;
            }
            let Some(version) = self.version(*callee, &patterns, program) else { continue };
            let mut parts = vec![];
            args.iter().zip(&patterns).for_each(|(arg, pattern)| holes(arg, pattern, made, &mut parts));
            (*callee, *args) = (version, parts);
            changed = true;
        }
        changed
    }

    fn version(&mut self, id: FunctionId, patterns: &[Pattern], program: &mut Program) -> Option<FunctionId> {
        let key = (id, patterns.to_vec());
        if let Some(version) = self.known.get(&key) {
            return Some(*version);
        }
        let original = self.original.get(&id).copied().unwrap_or(id);
        let count = self.count.entry(original).or_default();
        let function = &program.functions[id.0 as usize];
        let statements = size(&function.body);
        if *count >= VERSIONS || statements > self.left {
            return None;
        }
        *count += 1;
        self.left -= statements;
        let version = FunctionId(program.functions.len() as u32);
        self.known.insert(key, version);
        self.original.insert(version, original);
        let function = written(function, patterns);
        program.functions.push(function);
        Some(version)
    }
}

/// The function with parameters for what the patterns don't say.
fn written(function: &Function, patterns: &[Pattern]) -> Function {
    let mut new = Function { params: vec![], body: crate::rewriting::walk::empty(), ..function.clone() };
    let mut statements = vec![];
    for (param, pattern) in function.params.iter().zip(patterns) {
        if *pattern == Pattern::Any {
            new.params.push(*param);
            continue;
        }
        let of = new.vars[param.0 as usize].clone();
        let op = put_together(pattern, &of, &mut new, &mut statements);
        statements.push(Statement { var: *param, op, span: function.span });
    }
    statements.extend(function.body.statements.iter().cloned());
    new.body = Block { statements, end: function.body.end.clone() };
    renumber(&mut new);
    new
}

fn put_together(pattern: &Pattern, of: &Type, new: &mut Function, out: &mut Vec<Statement>) -> Op {
    let mut part = |pattern: &Pattern, of: &Type| {
        new.vars.push(of.clone());
        let var = Var(new.vars.len() as u32 - 1);
        if *pattern == Pattern::Any {
            new.params.push(var);
        } else {
            let op = put_together(pattern, of, new, out);
            out.push(Statement { var, op, span: new.span });
        }
        Atom::Var(var)
    };
    match (pattern, of) {
        (Pattern::Struct(parts), Type::Struct(types)) => {
            Op::Struct(parts.iter().zip(types.iter()).map(|(pattern, of)| part(pattern, of)).collect())
        }
        (Pattern::Inject(tag, content), Type::Sum(types)) => Op::Inject(*tag, part(content, &types[*tag as usize])),
        (pattern, of) => unreachable!("constructor_specialisation: {pattern:?} of type {of:?}"),
    }
}

/// Loops whose parameters begin as known alternatives become functions. Are there any?
fn outline(program: &mut Program) -> bool {
    let mut new = vec![];
    for function in &mut program.functions {
        let made = made_in(&function.body);
        let mut body = std::mem::replace(&mut function.body, crate::rewriting::walk::empty());
        let mut outliner = Outliner { made: &made, vars: &function.vars, new: &mut new };
        outliner.block(&mut body);
        function.body = body;
    }
    let first = program.functions.len() as u32;
    let any = !new.is_empty();
    program.functions.append(&mut new);
    // New functions were numbered from 0, above all others.
    for function in &mut program.functions {
        crate::rewriting::walk::each_op_mut(&mut function.body, &mut |_, op| {
            if let Op::Call(callee, _) = op
                && callee.0 >= OUTLINED
            {
                callee.0 = callee.0 - OUTLINED + first;
            }
        });
    }
    any
}

/// Numbers from here on are those of new functions, until they have their own.
const OUTLINED: u32 = 1 << 31;

struct Outliner<'a> {
    made: &'a Made,
    vars: &'a [Type],
    new: &'a mut Vec<Function>,
}

impl Outliner<'_> {
    fn block(&mut self, block: &mut Block) {
        for statement in &mut block.statements {
            if has_blocks(&statement.op) {
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block)));
            }
            if let Op::Loop { params, .. } = &statement.op
                && params.iter().any(|(_, first)| pattern(first, self.made, 0).is_known())
            {
                self.outline(statement);
            }
        }
    }

    fn outline(&mut self, statement: &mut Statement) {
        let Op::Loop { params, body } = &mut statement.op else { unreachable!("constructor_specialisation: a loop") };
        let id = FunctionId(OUTLINED + self.new.len() as u32);
        let free = free(body, params);
        let result = self.vars[statement.var.0 as usize].clone();
        let mut vars = vec![];
        let mut copier = Copier { vars: &mut vars, from: Some(self.vars), map: FxHashMap::default() };
        let mut own: Vec<Var> = params.iter().map(|(param, _)| copier.bind(*param)).collect();
        let given: Vec<Var> = free.iter().map(|var| copier.bind(*var)).collect();
        let mut copy = copier.block(body);
        own.extend(&given);
        call_again(&mut copy, id, &given, &result, &mut vars, statement.span);
        let mut args: Vec<Atom> = params.iter().map(|(_, first)| first.clone()).collect();
        args.extend(free.into_iter().map(Atom::Var));
        let name = "loop".into();
        self.new.push(Function { name, params: own, result, body: copy, vars, span: statement.span });
        statement.op = Op::Call(id, args);
    }
}

/// The variables that a loop reads and doesn't bind.
fn free(body: &Block, params: &[(Var, Atom)]) -> Vec<Var> {
    let mut bound: FxHashSet<Var> = params.iter().map(|(param, _)| *param).collect();
    each_op(body, &mut |var, op| {
        bound.insert(var);
        op.blocks(&mut |vars, _| bound.extend(vars));
    });
    let mut found = vec![];
    each_atom(body, &mut |atom| {
        if let Atom::Var(var) = atom
            && bound.insert(*var)
        {
            found.push(*var);
        }
    });
    found
}

/// Where the body of the loop would run again, the function calls itself.
fn call_again(block: &mut Block, id: FunctionId, given: &[Var], result: &Type, vars: &mut Vec<Type>, span: base::Span) {
    if let End::Again(args) = &mut block.end {
        let mut args = std::mem::take(args);
        args.extend(given.iter().copied().map(Atom::Var));
        vars.push(result.clone());
        let var = Var(vars.len() as u32 - 1);
        block.statements.push(Statement { var, op: Op::Call(id, args), span });
        block.end = End::Yield(Atom::Var(var));
        return;
    }
    if let (End::Yield(Atom::Var(var)), Some(last)) = (&block.end, block.statements.last_mut())
        && last.var == *var
        && matches!(last.op, Op::If(..) | Op::Switch(..))
    {
        deep(|| blocks_mut(&mut last.op, &mut |block| call_again(block, id, given, result, vars, span)));
    }
}
