//! Loop-invariant code motion for what is dear: an array, sum or loop that is the same in each iteration is computed before the loop.
//!
//! ```text
//!                                          h = if n > 0 { tabulate m (j) { … } } else { [] }
//! t = tabulate n (i) {              →      t = tabulate n (i) {
//!   a = tabulate m (j) { … }                 … h[i] …
//!   … a[i] …                               }
//! }
//! ```
//!
//! It is computed only if the loop has an iteration, so the work never becomes more. An array whose elements are cheap to compute again (`analyses::cost`), and which no primitive reads, isn't dear: only what `fusion` leaves
//! of such is computed before the loop, and of that nothing whose elements are `()`. What may fail moves only out of sums and loops, and if nothing before it in the iteration can; what prints stays, and so does an array that is used otherwise than by reading it: it may
//! be changed in place where it is. (Forward mode brings a tangent into full shape where it is read; the columns of a Jacobian have their primal in common.) Arithmetic on numbers is
//! left to LLVM unless something that is hoisted needs it.

use calculus::Prim;
use first_order::{Atom, Block, End, Function, Op, Program, Scalar, Statement, Type, Var};
use rustc_hash::FxHashSet;

use crate::analyses::cost;
use crate::analyses::effects::{self, Effects, World};
use crate::deep;
use crate::passes::fusion::free_atoms;
use crate::rewriting::copy::Copier;
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{blocks_mut, each_atom, each_op, end_atoms, has_blocks};

/// Cheap arrays stay: `fusion` may do without them.
pub fn dear(program: &mut Program) {
    run(program, false);
}

/// Cheap arrays are computed before the loop, too.
pub fn all(program: &mut Program) {
    run(program, true);
}

fn run(program: &mut Program, cheap: bool) {
    let effects = effects::of_functions(program);
    let Program { functions, shapes, .. } = program;
    let world = World { functions: &effects, shapes };
    for function in functions.iter_mut().filter(|function| repeats_something(&function.body, false)) {
        let effects = effects::of_statements(function, world);
        let (kept, whole) = (kept(function), read_whole(function));
        let Function { vars, body, .. } = function;
        let mut hoist = Hoist { vars, effects: &effects, kept: &kept, whole: &whole, cheap, moved: false };
        hoist.block(body);
        if hoist.moved {
            renumber(function);
        }
    }
}

struct Hoist<'a> {
    vars: &'a mut Vec<Type>,
    effects: &'a [Effects],
    /// Arrays that aren't only read.
    kept: &'a FxHashSet<Var>,
    /// Arrays that primitives read.
    whole: &'a FxHashSet<Var>,
    /// Do cheap arrays move, too?
    cheap: bool,
    moved: bool,
}

/// Is something dear inside a loop?
fn repeats_something(block: &Block, inside: bool) -> bool {
    block.statements.iter().any(|Statement { op, .. }| {
        let repeats = matches!(op, Op::Tabulate { .. } | Op::Sum { .. } | Op::Loop { .. });
        if inside && (repeats || matches!(op, Op::Call(..) | Op::Prim { .. })) {
            return true;
        }
        let mut found = false;
        if has_blocks(op) {
            deep(|| op.blocks(&mut |_, block| found = found || repeats_something(block, inside || repeats)));
        }
        found
    })
}

/// The arrays of a function that are used otherwise than by reading elements or rows and asking for lengths.
fn kept(function: &Function) -> FxHashSet<Var> {
    fn visit(block: &Block, keep: &mut dyn FnMut(&Atom)) {
        for Statement { op, .. } in &block.statements {
            match op {
                Op::Element(_, indices) => indices.iter().for_each(&mut *keep),
                Op::Len(_) | Op::Axis(..) | Op::Flat(_) | Op::Shaped(..) => {}
                Op::Prim { prim, .. } if only_reads(*prim) => {}
                op => op.atoms(&mut |atom| keep(atom)),
            }
            if has_blocks(op) {
                deep(|| op.blocks(&mut |_, block| visit(block, keep)));
            }
        }
        end_atoms(&block.end, &mut |atom| keep(atom));
    }
    let mut found = FxHashSet::default();
    visit(&function.body, &mut |atom| {
        if let Atom::Var(var) = atom {
            found.insert(*var);
        }
    });
    // Of a view that isn't only read, neither is what it shows.
    loop {
        let count = found.len();
        each_op(&function.body, &mut |var, op| {
            let of = match op {
                Op::Flat(of) | Op::Shaped(of, _) => of,
                Op::Prim { prim: Prim::Reshape, args, .. } => &args[0],
                _ => return,
            };
            if let (Atom::Var(of), true) = (of, found.contains(&var)) {
                found.insert(*of);
            }
        });
        if found.len() == count {
            return found;
        }
    }
}

/// The variables that primitives read.
fn read_whole(function: &Function) -> FxHashSet<Var> {
    let mut found = FxHashSet::default();
    each_op(&function.body, &mut |_, op| {
        if let Op::Prim { .. } = op {
            op.atoms(&mut |atom| found.extend(if let Atom::Var(var) = atom { Some(*var) } else { None }));
        }
    });
    found
}

/// Primitives that neither change nor keep their operands; a reshaped array may be the same in memory.
fn only_reads(prim: Prim) -> bool {
    matches!(prim, Prim::Reshape | Prim::Transpose | Prim::MatMul | Prim::Shape | Prim::Sum | Prim::Eq)
}

impl Hoist<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut statement in std::mem::take(&mut block.statements) {
            if has_blocks(&statement.op) {
                // Inner loops first: what leaves them may leave this one too.
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block)));
            }
            self.of_loop(&mut statement, &mut block.statements);
            block.statements.push(statement);
        }
    }

    /// Moves what doesn't change out of a loop.
    fn of_loop(&mut self, statement: &mut Statement, out: &mut Vec<Statement>) {
        let span = statement.span;
        let mut bound = FxHashSet::default();
        statement.op.blocks(&mut |vars, block| {
            bound.extend(vars.iter().copied());
            each_op(block, &mut |var, op| {
                bound.insert(var);
                op.blocks(&mut |vars, _| bound.extend(vars.iter().copied()));
            });
        });
        // An array that is too large fails before any of its elements.
        let may_fail_first = !matches!(statement.op, Op::Tabulate { .. });
        let (repeated, guard) = match &mut statement.op {
            Op::Tabulate { n, body, .. } | Op::Sum { n, body, .. } => (&mut **body, Guard::Positive(n.clone())),
            Op::Loop { params, body } => {
                let Some(guard) = first_test(params, body) else { return };
                let Some(repeated) = repeated(body) else { return };
                (repeated, guard)
            }
            _ => return,
        };
        let moved = self.invariant(repeated, &bound, may_fail_first);
        if moved.is_empty() {
            return;
        }
        let mut left = vec![];
        let mut taken = vec![];
        for inner in std::mem::take(&mut repeated.statements) {
            if moved.contains(&inner.var) { taken.push(inner) } else { left.push(inner) }
        }
        repeated.statements = left;
        let seen = used(repeated);
        let results: Vec<Var> = taken.iter().map(|inner| inner.var).filter(|var| seen.contains(var)).collect();
        self.write(taken, &results, guard, span, out);
        self.moved = true;
    }

    /// The statements of a block that don't depend on `bound`, are dear, or are needed by such.
    fn invariant(&self, block: &Block, bound: &FxHashSet<Var>, may_fail_first: bool) -> FxHashSet<Var> {
        let mut same = FxHashSet::default();
        let mut wanted = FxHashSet::default();
        // Those that may fail: nothing before them can, but others of them.
        let mut partial = vec![];
        let mut is_first = may_fail_first;
        for (at, Statement { var, op, .. }) in block.statements.iter().enumerate() {
            let Effects { total, prints } = self.effects.get(var.0 as usize).copied().unwrap_or(effects::PARTIAL);
            let is_bound = |atom: &Atom| matches!(atom, Atom::Var(var) if bound.contains(var) && !same.contains(var));
            let mut depends = false;
            free_atoms(op, &mut |atom| depends |= is_bound(atom));
            let of = &self.vars[var.0 as usize];
            let is_kept = matches!(of, Type::Array(..)) && self.kept.contains(var);
            let is_dear = match op {
                Op::Tabulate { .. } if total && holds_nothing(of) => false,
                Op::Tabulate { body, .. } if !self.cheap && !self.whole.contains(var) => !is_cheap(body),
                Op::Tabulate { .. } | Op::Sum { .. } | Op::Loop { .. } | Op::Call(..) | Op::Prim { .. } => true,
                Op::Scalar(..)
                | Op::Len(_)
                | Op::Axis(..)
                | Op::Flat(_)
                | Op::Shaped(..)
                | Op::Atom(_)
                | Op::Array(_) => false,
                Op::Require(..) | Op::Element(..) if !total => false,
                _ => {
                    is_first &= total && !prints;
                    continue;
                }
            };
            let may_move = (total || is_first) && !prints && !depends && !is_kept && has_default(of);
            if !may_move {
                is_first &= total && !prints;
                continue;
            }
            same.insert(*var);
            if !total {
                partial.push((at, *var));
            }
            if is_dear {
                wanted.insert(*var);
            }
        }
        let last = block.statements.iter().rposition(|statement| wanted.contains(&statement.var));
        wanted.extend(partial.into_iter().filter(|(at, _)| Some(*at) < last).map(|(_, var)| var));
        // With what they are made of, and views of them.
        for statement in block.statements.iter().rev().filter(|statement| same.contains(&statement.var)) {
            if wanted.contains(&statement.var) {
                free_atoms(&statement.op, &mut |atom| {
                    wanted.extend(if let Atom::Var(var) = atom { Some(*var) } else { None })
                });
            }
        }
        wanted.retain(|var| same.contains(var));
        for Statement { var, op, .. } in &block.statements {
            if let Op::Flat(Atom::Var(of)) | Op::Shaped(Atom::Var(of), _) = op
                && same.contains(var)
                && wanted.contains(of)
            {
                let mut all = true;
                op.atoms(&mut |atom| {
                    all &= !matches!(atom, Atom::Var(var) if bound.contains(var) && !wanted.contains(var))
                });
                if all {
                    wanted.insert(*var);
                }
            }
        }
        wanted
    }

    /// Computes what was taken out, if the loop has an iteration.
    fn write(
        &mut self,
        taken: Vec<Statement>,
        results: &[Var],
        guard: Guard,
        span: base::Span,
        out: &mut Vec<Statement>,
    ) {
        let runs = match guard {
            Guard::Positive(Atom::Int(n)) if n > 0 => None,
            Guard::Positive(n) => {
                Some((self.bind(Type::Bool, Op::Scalar(Scalar::IntGt, vec![n, Atom::Int(0)]), span, out), true))
            }
            Guard::Test { statement, first, when } => {
                let map = first.into_iter().collect();
                let mut copier = Copier { map, ..Copier::within(self.vars) };
                let copy = copier.statement(&statement);
                let condition = Atom::Var(copy.var);
                out.push(copy);
                Some((condition, when))
            }
        };
        let Some((condition, when)) = runs else {
            out.extend(taken);
            return;
        };
        let types: Vec<Type> = results.iter().map(|var| self.vars[var.0 as usize].clone()).collect();
        let of = Type::Struct(types.clone().into());
        // The names stay those of what comes out.
        let mut copier = Copier::within(self.vars);
        let mut computed: Vec<Statement> = taken.iter().map(|statement| copier.statement(statement)).collect();
        let parts = results.iter().map(|var| copier.atom(&Atom::Var(*var))).collect();
        let value = self.bind(of.clone(), Op::Struct(parts), span, &mut computed);
        let computed = Block { statements: computed, end: End::Yield(value) };
        let mut nothing = vec![];
        let parts = types.iter().map(|of| self.default(of, span, &mut nothing)).collect();
        let value = self.bind(of.clone(), Op::Struct(parts), span, &mut nothing);
        let nothing = Block { statements: nothing, end: End::Yield(value) };
        let (then, otherwise) = if when { (computed, nothing) } else { (nothing, computed) };
        let all = self.bind(of, Op::If(condition, Box::new(then), Box::new(otherwise)), span, out);
        for (at, var) in (0..).zip(results) {
            out.push(Statement { var: *var, op: Op::Field(all.clone(), at), span });
        }
    }

    fn bind(&mut self, of: Type, op: Op, span: base::Span, out: &mut Vec<Statement>) -> Atom {
        self.vars.push(of);
        let var = Var(self.vars.len() as u32 - 1);
        out.push(Statement { var, op, span });
        Atom::Var(var)
    }

    fn default(&mut self, of: &Type, span: base::Span, out: &mut Vec<Statement>) -> Atom {
        match of {
            Type::Bool => Atom::Bool(false),
            Type::Int => Atom::Int(0),
            Type::Real => Atom::Real(0.0),
            of if *of == Type::unit() => Atom::Unit,
            of => self.bind(of.clone(), Op::Array(vec![]), span, out),
        }
    }
}

/// Is an element computed again as easily as it is kept?
fn is_cheap(body: &Block) -> bool {
    matches!(body.end, End::Yield(_)) && cost::of_statements(&body.statements).is_some_and(|price| price <= cost::CHEAP)
}

/// Is it an array whose elements are `()`? It is there for its readers' checks, which `bounds` drops where it stands.
fn holds_nothing(of: &Type) -> bool {
    matches!(of, Type::Array(element, _) if **element == Type::unit())
}

fn has_default(of: &Type) -> bool {
    *of == Type::unit() || matches!(of, Type::Bool | Type::Int | Type::Real | Type::Array(..))
}

/// When a loop has an iteration.
enum Guard {
    /// If this number is positive.
    Positive(Atom),
    /// If what this statement computes of the first values of the parameters is so.
    Test { statement: Box<Statement>, first: Vec<(Var, Atom)>, when: bool },
}

/// The test that a loop begins with, if one way of it goes on and the other ends the loop.
fn first_test(params: &[(Var, Atom)], body: &Block) -> Option<Guard> {
    let [test, choice] = &body.statements[..] else { return None };
    let (Op::Scalar(..), Op::If(condition, then, otherwise)) = (&test.op, &choice.op) else { return None };
    let goes_on = |block: &Block| matches!(block.end, End::Again(_));
    let ends = |block: &Block| {
        matches!(block.end, End::Yield(_)) && !block.statements.iter().any(|inner| has_blocks(&inner.op))
    };
    let when = match (goes_on(then), goes_on(otherwise)) {
        (true, false) if ends(otherwise) => true,
        (false, true) if ends(then) => false,
        _ => return None,
    };
    let is_its = *condition == Atom::Var(test.var) && body.end == End::Yield(Atom::Var(choice.var));
    is_its.then(|| Guard::Test { statement: Box::new(test.clone()), first: params.to_vec(), when })
}

/// The way that goes on.
fn repeated(body: &mut Block) -> Option<&mut Block> {
    match &mut body.statements.last_mut()?.op {
        Op::If(_, then, otherwise) => Some(if matches!(then.end, End::Again(_)) { then } else { otherwise }),
        _ => None,
    }
}

/// The variables that a block reads.
fn used(block: &Block) -> FxHashSet<Var> {
    let mut found = FxHashSet::default();
    each_atom(block, &mut |atom| {
        if let Atom::Var(var) = atom {
            found.insert(*var);
        }
    });
    found
}
