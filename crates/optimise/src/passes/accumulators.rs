//! Sensitivities of arrays are added up in one array, in place.
//!
//! The sensitivity of an array is derived as a sum of contributions that loops, choices and functions return and others add up: each is a data structure
//! of its own, made, merged and given up at run time. Where a sum is spread out in the end anyway (`materialise`, which takes as long as the array is),
//! it begins as an array of zeros, the *accumulator*, and who returned a contribution takes the accumulator instead and gives it back with the contribution added: loops
//! carry it, choices and calls pass it on, and the sensitivity of one element is `a with [i]: a[i] + d`. Nobody else sees it, so all this happens in place.
//!
//! [`loops`] has the sums that others go on with: sensitivities of states.
//!
//! - [`flow`] finds of what a sensitivity is the sum, through all the structs and choices that derived code puts it in;
//! - [`plan`] decides which statements take the accumulator;
//! - [`thread`] writes them anew. What they returned is zero from then on; other passes drop it.
//!
//! In: any program. Out: the same values but for the order in which contributions to one element are added: they are added as they are made. Nothing is
//! computed twice; work is that of before, since the array of zeros is made where one of the same lengths is made anyway.

mod add;
mod flow;
mod loops;
mod plan;
mod thread;

use base::budget;
use calculus::Prim;
use first_order::{
    Alternative, Atom, Block, Function, FunctionId, Head, Op, Program, Shape, ShapeId, Statement, Type, Var,
};
use rustc_hash::FxHashMap;

use crate::deep;
use crate::passes::dead_functions;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, each_op, has_blocks, size_up_to};

use flow::{Flow, Source, leaves, maybe};
use plan::Version;
use thread::{Sum, Threader, Written};

/// Functions with more statements are left as they are.
const LARGE: usize = 20_000;
/// So many sums of one function.
const MOST_SUMS: usize = 64;

pub fn run(program: &mut Program) {
    let reached = dead_functions::reached(program);
    let matters = |at: &usize| reached[*at] && flow::flags_matter(&program.functions[*at]);
    let flags_matter = (0..program.functions.len()).any(|at| matters(&at));
    let mut versions = Versions { flags_matter, ..Versions::default() };
    for at in (0..program.functions.len()).filter(|at| reached[*at]) {
        if size_up_to(&program.functions[at].body, LARGE) > LARGE {
            continue;
        }
        let roots = roots(&program.functions[at]);
        for root in roots.into_iter().take(MOST_SUMS) {
            let function = program.functions[at].clone();
            if let Some(written) = versions.with_sum(program, &function, root) {
                program.functions[at] = written;
            }
        }
        for (var, path) in loops::candidates(&program.functions[at]).into_iter().take(MOST_SUMS) {
            let function = program.functions[at].clone();
            if let Some(written) = with_loop(program, &function, var, &path, flags_matter) {
                program.functions[at] = written;
            }
        }
        renumber(&mut program.functions[at]);
    }
}

/// The function with an accumulator for what this loop adds up in a leaf of its value.
fn with_loop(
    program: &mut Program,
    function: &Function,
    var: Var,
    path: &[u32],
    flags_matter: bool,
) -> Option<Function> {
    let flow = Flow::of(function, flags_matter);
    let flow::Definition::Made(statement @ Statement { op: Op::Loop { .. }, .. }) = flow.definition(var)? else {
        return None;
    };
    let (plan, rest) = plan::of_loop(&flow, statement, path, &mut |_, _| None)?;
    let lengths = loops::lengths(&flow, &plan, var)?;
    let rank = lengths.len() as u32;
    let sum = Sum { rank, shape: shape_of_sensitivities(program, rank), keeps_zeros: true };
    let mut written = function.clone();
    rewrite(&mut written.body, &mut |block| {
        let Some(at) = block.statements.iter().position(|statement| statement.var == var) else { return false };
        let mut threader = Threader { flow: &flow, plan: &plan, vars: &mut written.vars, sum: &sum };
        let mut out = Written::new(statement.span);
        let mut accumulator = threader.blank_array(&lengths, &mut out);
        for source in &rest {
            accumulator = threader.add(source, accumulator, &mut out);
        }
        threader.looped(statement, path, accumulator, &mut out);
        block.statements.splice(at..=at, out.statements);
        true
    });
    Some(written)
}

/// What an accumulator begins as.
enum Begins {
    /// Zeros, as many as this array has elements.
    LengthsOf(Var),
    /// Symbolic zeros.
    Blank(Vec<loops::Length>),
}

impl Begins {
    /// What has to be known before.
    fn needs(&self) -> Box<dyn Iterator<Item = Var> + '_> {
        match self {
            Begins::LengthsOf(array) => Box::new(std::iter::once(*array)),
            Begins::Blank(lengths) => Box::new(lengths.iter().filter_map(|length| match length {
                loops::Length::Part(var, _) => Some(*var),
                loops::Length::Constant(_) => None,
            })),
        }
    }
}

/// The statements that spread out a sum of sensitivities of an array of reals, last ones first.
fn roots(function: &Function) -> Vec<Var> {
    let mut found = vec![];
    each_op(&function.body, &mut |var, op| {
        if let Op::Prim { prim: Prim::Materialise, args, .. } = op
            && let Type::Array(element, _) = &function.vars[var.0 as usize]
            && **element == Type::Real
            && let [Atom::Var(of), Atom::Var(sum)] = &args[..]
            && function.vars[of.0 as usize] == function.vars[var.0 as usize]
            && is_leaf(&function.vars[sum.0 as usize])
        {
            found.push(var);
        }
        if let Op::Dense(Atom::Var(_)) = op {
            found.push(var);
        }
    });
    found.reverse();
    found
}

fn is_leaf(of: &Type) -> bool {
    *of == Type::Handle || maybe(of).is_some_and(|(_, content)| *content == Type::Handle)
}

/// A function, a leaf of its result and the rank of the array.
type TakenLeaf = (FunctionId, Vec<u32>, u32);

/// Functions that take an accumulator.
#[derive(Default)]
struct Versions {
    flags_matter: bool,
    /// Those made, and those that can't be.
    known: FxHashMap<TakenLeaf, Option<Version>>,
    /// Those being made, and whether they were asked for meanwhile.
    open: Vec<(TakenLeaf, FunctionId, bool)>,
    order: Vec<TakenLeaf>,
}

impl Versions {
    /// The function with an accumulator for the sum at this statement.
    fn with_sum(&mut self, program: &mut Program, function: &Function, root: Var) -> Option<Function> {
        let Type::Array(_, rank) = function.vars[root.0 as usize] else { return None };
        let flow = Flow::of(function, self.flags_matter);
        let flow::Definition::Made(Statement { op, .. }) = flow.definition(root)? else { return None };
        let shape = shape_of_sensitivities(program, rank);
        let (plan, rest, begins, sum) = match op {
            Op::Prim { args, .. } => {
                let sum = Sum { rank, shape, keeps_zeros: false };
                let mut version = |callee, path: &[u32]| self.version(program, callee, path, &sum);
                let (plan, rest) = plan::of_root(&flow, root, &args[1], &mut version)?;
                (plan, rest, Begins::LengthsOf(flow::as_var(&args[0])?), sum)
            }
            Op::Dense(total) => {
                let (plan, rest) = plan::of_root(&flow, root, total, &mut |_, _| None)?;
                let lengths = loops::lengths(&flow, &plan, root)?;
                (plan, rest, Begins::Blank(lengths), Sum { rank, shape, keeps_zeros: true })
            }
            _ => return None,
        };
        let mut written = function.clone();
        let mut done = false;
        rewrite(&mut written.body, &mut |block| {
            let Some(end) = block.statements.iter().position(|statement| statement.var == root) else { return false };
            let Some(begin) = block.statements.iter().position(|statement| plan.takes.contains_key(&statement.var))
            else {
                return true;
            };
            let own = flow.block_of(root);
            let is_known = |var: Var| {
                flow.block_of(var) != own
                    || matches!(flow.definition(var), Some(flow::Definition::Parameter(_)))
                    || block.statements[..begin].iter().any(|statement| statement.var == var)
            };
            if begins.needs().all(is_known) {
                let mut threader = Threader { flow: &flow, plan: &plan, vars: &mut written.vars, sum: &sum };
                threaded(&mut threader, block, (begin, end), &begins, &rest);
                done = true;
            }
            true
        });
        done.then_some(written)
    }

    /// The version of a function that takes an accumulator for this leaf of its result.
    fn version(&mut self, program: &mut Program, callee: FunctionId, path: &[u32], sum: &Sum) -> Option<Version> {
        let key = (callee, path.to_vec(), sum.rank);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        if let Some((_, id, asked)) = self.open.iter_mut().find(|(open, ..)| *open == key) {
            *asked = true;
            return Some(Version { id: *id, before: vec![] });
        }
        let function = program.functions[callee.0 as usize].clone();
        if !leaves(&function.result).iter().any(|leaf| leaf == path) || size_up_to(&function.body, LARGE) > LARGE {
            return None;
        }
        budget::spend(100);
        let id = FunctionId(program.functions.len() as u32);
        program.functions.push(function.clone());
        self.open.push((key.clone(), id, false));
        let mark = self.order.len();
        let version = deep(|| self.make(program, &function, path, sum, id));
        let (_, _, asked) = self.open.pop().expect("accumulators: it was opened");
        let version = version.filter(|version| !asked || version.before.is_empty());
        if version.is_none() {
            // What was made meanwhile may call what isn't there: nobody calls it, and it is again what it was made of.
            for other in self.order.drain(mark..) {
                let callee = other.0;
                if let Some(Version { id, .. }) = self.known.insert(other, None).flatten() {
                    program.functions[id.0 as usize] = program.functions[callee.0 as usize].clone();
                }
            }
        }
        self.order.push(key.clone());
        self.known.insert(key, version.clone());
        version
    }

    fn make(
        &mut self,
        program: &mut Program,
        function: &Function,
        path: &[u32],
        sum: &Sum,
        id: FunctionId,
    ) -> Option<Version> {
        let flow = Flow::of(function, self.flags_matter);
        let plan::OfFunction { plan, exits, before } =
            plan::of_function(&flow, path, &mut |callee, path| self.version(program, callee, path, sum))?;
        let mut vars = function.vars.clone();
        let threader = Threader { flow: &flow, plan: &plan, vars: &mut vars, sum };
        let mut written = threader.function(&exits);
        renumber(&mut written);
        program.functions[id.0 as usize] = written;
        Some(Version { id, before })
    }
}

/// Lets the accumulator go from statement `begin` to the sum at `end`.
fn threaded(
    threader: &mut Threader,
    block: &mut Block,
    (begin, end): (usize, usize),
    begins: &Begins,
    rest: &[Source],
) {
    let mut old = std::mem::take(&mut block.statements).into_iter();
    let mut statements: Vec<Statement> = old.by_ref().take(begin).collect();
    let taking: Vec<Statement> = old.by_ref().take(end - begin).collect();
    let root = old.next().expect("accumulators: the sum is in the block");
    let mut out = Written::new(root.span);
    let mut accumulator = match begins {
        Begins::LengthsOf(array) => zeros(threader, &Atom::Var(*array), &mut out),
        Begins::Blank(lengths) => threader.blank_array(lengths, &mut out),
    };
    for statement in &taking {
        accumulator = threader.statement(statement, accumulator, &mut out);
    }
    out.span = root.span;
    for source in rest {
        accumulator = threader.add(source, accumulator, &mut out);
    }
    out.statements.push(Statement { var: root.var, op: Op::Atom(accumulator), span: root.span });
    statements.append(&mut out.statements);
    statements.extend(old);
    block.statements = statements;
}

/// An array of zeros with the lengths of another one.
fn zeros(threader: &mut Threader, array: &Atom, out: &mut Written) -> Atom {
    let mut lengths = vec![threader.write(out, Type::Int, Op::Len(array.clone()))];
    for axis in 1..threader.sum.rank {
        lengths.push(threader.write(out, Type::Int, Op::Axis(array.clone(), axis)));
    }
    threader.array_of(0.0, lengths, out)
}

/// Visits blocks until one was what was looked for.
fn rewrite(block: &mut Block, visit: &mut dyn FnMut(&mut Block) -> bool) -> bool {
    if visit(block) {
        return true;
    }
    for statement in &mut block.statements {
        let mut found = false;
        if has_blocks(&statement.op) {
            deep(|| blocks_mut(&mut statement.op, &mut |inner| found = found || rewrite(inner, visit)));
        }
        if found {
            return true;
        }
    }
    false
}

/// The shape of sensitivities of arrays of reals of this rank while they are collected.
fn shape_of_sensitivities(program: &mut Program, rank: u32) -> ShapeId {
    let one = |head: Head, parts: Vec<ShapeId>| Alternative { head, parts };
    let element = Shape { alternatives: vec![one(Head::Zero, vec![]), one(Head::Real, vec![])], named: None };
    let element = shape(program, element);
    shape(program, Shape { alternatives: vec![one(Head::Handle(rank), vec![element])], named: None })
}

fn shape(program: &mut Program, shape: Shape) -> ShapeId {
    let shapes = &mut program.shapes.0;
    let at = shapes.iter().position(|known| *known == shape).unwrap_or_else(|| {
        shapes.push(shape);
        shapes.len() - 1
    });
    ShapeId(at as u32)
}
