//! The checker of L4: variables are bound once and before they are used, leaves fit, and every owned pointer is consumed exactly
//! once on every path that gets to its end; pieces that run at once don't disturb each other. `Err` says what is wrong and where; it is always our bug.

mod names;

use first_order::Scalar;

use crate::parallel;
use crate::term::{
    Arm, Atom, Block, End, Function, FunctionId, Leaf, Matrix, Op, Pieces, Product, Program, Statement, Use, Var,
};

pub fn check(program: &Program) -> Result<(), String> {
    names::check(program)?;
    parallel::check(program)?;
    for function in &program.functions {
        let mut checker = Checker::new(program, function);
        checker.function().map_err(|error| format!("L4, function `{}`: {error}", function.name))?;
    }
    Ok(())
}

/// What is known of a variable on the path that is being walked.
#[derive(Clone, Copy, PartialEq, Debug)]
enum State {
    Unbound,
    /// Bound; how many counts it owns. Scalars own none.
    Owns(u32),
    /// Read out of an object without its count, which must be taken next.
    Borrowed,
    /// A parameter of a function that borrows: its counts are the caller's.
    Lent,
    /// Null: whether it is consumed makes no difference.
    Null,
    /// Bound in a block that has ended.
    Gone,
}

struct Checker<'p> {
    program: &'p Program,
    function: &'p Function,
    states: Vec<State>,
    /// What has changed, to be undone between branches: (variable, state before).
    log: Vec<(Var, State)>,
    /// The lengths of the log where the innermost loop's body begins, and the leaves of its parameters.
    loops: Vec<(usize, Vec<Leaf>)>,
}

type Checked = Result<(), String>;

/// Where control gets: code behind a branch of which no arm yields isn't reached, and owes nothing.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Gets {
    ToTheEnd,
    Elsewhere,
}

impl<'p> Checker<'p> {
    fn new(program: &'p Program, function: &'p Function) -> Checker<'p> {
        let states = vec![State::Unbound; function.vars.len()];
        Checker { program, function, states, log: vec![], loops: vec![] }
    }

    fn function(&mut self) -> Checked {
        let state = if self.function.borrows { State::Lent } else { State::Owns(1) };
        for param in &self.function.params {
            self.bind(*param, state)?;
        }
        if self.block(&self.function.body, Some(&self.function.results))? == Gets::ToTheEnd {
            self.all_consumed(0)?;
        }
        Ok(())
    }

    fn leaf(&self, var: Var) -> Leaf {
        self.function.vars[var.0 as usize]
    }

    fn set(&mut self, var: Var, state: State) {
        let old = std::mem::replace(&mut self.states[var.0 as usize], state);
        self.log.push((var, old));
    }

    fn bind(&mut self, var: Var, state: State) -> Checked {
        if self.states[var.0 as usize] != State::Unbound {
            return Err(format!("v{} is bound twice", var.0));
        }
        self.set(var, if self.leaf(var).is_pointer() { state } else { State::Owns(0) });
        Ok(())
    }

    fn undo(&mut self, to: usize) {
        for (var, old) in self.log.drain(to..).rev() {
            self.states[var.0 as usize] = old;
        }
    }

    /// The pointers touched since a point in the log, and what they are now.
    fn touched(&self, since: usize) -> Vec<(Var, State)> {
        let mut vars: Vec<Var> = self.log[since..].iter().map(|(var, _)| *var).collect();
        vars.retain(|var| self.leaf(*var).is_pointer());
        vars.sort();
        vars.dedup();
        vars.into_iter().map(|var| (var, self.states[var.0 as usize])).collect()
    }

    fn all_consumed(&self, since: usize) -> Checked {
        for (var, state) in self.touched(since) {
            if !matches!(state, State::Owns(0) | State::Borrowed | State::Lent | State::Null | State::Gone) {
                return Err(format!("v{} isn't consumed: {state:?}", var.0));
            }
        }
        Ok(())
    }

    fn use_atom(&mut self, atom: &Atom, how: Use) -> Checked {
        let Atom::Var(var) = atom else { return Ok(()) };
        let state = self.states[var.0 as usize];
        match (state, how) {
            (State::Unbound | State::Gone, _) => Err(format!("v{} is used where it isn't bound", var.0)),
            _ if !self.leaf(*var).is_pointer() => Ok(()),
            (State::Null, _) => Ok(()),
            (State::Owns(0), _) => Err(format!("v{} is used after it was consumed", var.0)),
            (State::Borrowed, _) => Err(format!("v{} is used without its count", var.0)),
            (State::Owns(_) | State::Lent, Use::Borrow) => Ok(()),
            (State::Lent, Use::Consume) => Err(format!("v{} is the caller's, and is consumed", var.0)),
            (State::Owns(n), Use::Consume) => {
                self.set(*var, State::Owns(n - 1));
                Ok(())
            }
        }
    }

    fn fits(&self, atom: &Atom, leaf: Leaf) -> Checked {
        let found = match atom {
            Atom::Var(var) => self.leaf(*var),
            Atom::Bool(_) => Leaf::Bool,
            Atom::Int(_) => Leaf::Int,
            Atom::Real(_) => Leaf::Real,
            Atom::Null | Atom::Tag(_) => Leaf::Ptr,
        };
        // In the arm of a switch a slot of a sum is what the alternative says: L3's types know.
        if found == leaf || (found.is_pointer() && leaf.is_pointer()) {
            return Ok(());
        }
        Err(format!("{atom:?} is {found:?}, expected {leaf:?}"))
    }

    fn product(&self, Product { lengths, left, right, out }: &Product) -> Result<(), String> {
        lengths.iter().try_for_each(|length| self.fits(length, Leaf::Int))?;
        for Matrix { array, at, row, column, .. } in [left, right] {
            self.all_fit(&[*array, *at, *row, *column], &[Leaf::Ptr, Leaf::Int, Leaf::Int, Leaf::Int])?;
        }
        out.map_or(Ok(()), |(array, _, at)| self.all_fit(&[array, at], &[Leaf::Ptr, Leaf::Int]))
    }

    fn pieces(&self, Pieces { function, count, work, captures, values }: &Pieces) -> Checked {
        self.fits(count, Leaf::Int)?;
        work.iter().flat_map(|cost| &cost.lengths).try_for_each(|length| self.fits(length, Leaf::Int))?;
        let callee = &self.program.functions[function.0 as usize];
        if !callee.borrows || !callee.results.is_empty() {
            return Err(format!("`{}` does no pieces", callee.name));
        }
        let start = values.map(|values| [Atom::Int(0), values]);
        let args = [&[Atom::Int(0); 2][..], start.as_ref().map_or(&[], |start| &start[..]), captures].concat();
        let params: Vec<Leaf> = callee.params.iter().map(|param| callee.vars[param.0 as usize]).collect();
        self.all_fit(&args, &params).map_err(|error| format!("pieces of `{}`: {error}", callee.name))
    }

    fn all_fit(&self, atoms: &[Atom], leaves: &[Leaf]) -> Checked {
        if atoms.len() != leaves.len() {
            return Err(format!("{} leaves where {} are expected", atoms.len(), leaves.len()));
        }
        atoms.iter().zip(leaves).try_for_each(|(atom, leaf)| self.fits(atom, *leaf))
    }

    fn block(&mut self, block: &Block, results: Option<&[Leaf]>) -> Result<Gets, String> {
        base::budget::deep(|| {
            for statement in &block.statements {
                if self.statement(statement)? == Gets::Elsewhere {
                    return Ok(Gets::Elsewhere);
                }
            }
            match &block.end {
                End::Yield(atoms) => {
                    if let Some(leaves) = results {
                        self.all_fit(atoms, leaves)?;
                    }
                    atoms.iter().try_for_each(|atom| self.use_atom(atom, Use::Consume))?;
                    Ok(Gets::ToTheEnd)
                }
                End::Again(atoms) => {
                    let (start, leaves) = self.loops.last().cloned().ok_or("again outside a loop")?;
                    self.all_fit(atoms, &leaves)?;
                    atoms.iter().try_for_each(|atom| self.use_atom(atom, Use::Consume))?;
                    self.body_is_even(start)?;
                    Ok(Gets::Elsewhere)
                }
                End::Never => Ok(Gets::Elsewhere),
            }
        })
    }

    /// The body of a loop consumes what it binds and leaves what is outside as it was.
    fn body_is_even(&self, start: usize) -> Checked {
        let mut first = rustc_hash::FxHashMap::default();
        for (var, old) in &self.log[start..] {
            first.entry(*var).or_insert(*old);
        }
        for (var, state) in self.touched(start) {
            let even = match first[&var] {
                State::Unbound => matches!(state, State::Owns(0) | State::Borrowed | State::Null | State::Gone),
                before => before == state || state == State::Null,
            };
            if !even {
                return Err(format!(
                    "a round of the loop changes v{}: {:?} before, {state:?} after",
                    var.0, first[&var]
                ));
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<Gets, String> {
        let Statement { vars, op, .. } = statement;
        self.signature(vars, op)?;
        if let Op::Open { taken, .. } = op {
            for (number, (var, place)) in taken.iter().enumerate() {
                if self.states[var.0 as usize] != State::Borrowed {
                    return Err(format!("{op:?}: v{} isn't borrowed", var.0));
                }
                if taken[..number].iter().any(|(_, other)| other == place) {
                    return Err(format!("{op:?}: place {place} moves twice"));
                }
                self.set(*var, State::Owns(1));
            }
        }
        if let Op::Retain(Atom::Var(var)) = op {
            let state = match self.states[var.0 as usize] {
                State::Borrowed => State::Owns(1),
                State::Owns(n) if n > 0 => State::Owns(n + 1),
                State::Null => State::Null,
                other => return Err(format!("v{} is retained: {other:?}", var.0)),
            };
            self.set(*var, state);
            return Ok(Gets::ToTheEnd);
        }
        let mut result = Ok(());
        op.for_each_use(|atom, how| {
            if result.is_ok() {
                result = self.use_atom(atom, how);
            }
        });
        result.map_err(|error| format!("{op:?}: {error}"))?;
        let results: Vec<Leaf> = vars.iter().map(|var| self.leaf(*var)).collect();
        let gets = match op {
            Op::If(_, yes, no) => self.branches(&[(&[], yes), (&[], no)], &results)?,
            Op::Switch(_, arms) => {
                let arms: Vec<_> = arms.iter().map(|Arm { nulls, block }| (&nulls[..], block)).collect();
                self.branches(&arms, &results)?
            }
            Op::Loop { params, body } => self.looped(params, body, &results)?,
            // Of no rounds there is a sum too.
            Op::Sum { count, index, body } => {
                self.looped(&[(*index, *count)], body, &results)?;
                Gets::ToTheEnd
            }
            Op::Fail(_) => Gets::Elsewhere,
            _ => Gets::ToTheEnd,
        };
        let state = if op.binds_borrowed() { State::Borrowed } else { State::Owns(1) };
        vars.iter().try_for_each(|var| self.bind(*var, state))?;
        Ok(gets)
    }

    fn branches(&mut self, branches: &[(&[Var], &Block)], results: &[Leaf]) -> Result<Gets, String> {
        let mut agreed: Option<Vec<(Var, State)>> = None;
        let mut seen = vec![];
        for (nulls, block) in branches {
            let start = self.log.len();
            for null in *nulls {
                if self.leaf(*null).is_pointer() {
                    self.set(*null, State::Null);
                }
            }
            let gets = self.block(block, Some(results))?;
            let touched = self.touched(start);
            self.undo(start);
            let (inner, outer): (Vec<_>, Vec<_>) =
                touched.into_iter().partition(|(var, _)| self.states[var.0 as usize] == State::Unbound);
            seen.extend(inner.iter().map(|(var, _)| *var));
            if gets == Gets::Elsewhere {
                continue;
            }
            for (var, state) in inner {
                if matches!(state, State::Owns(n) if n > 0) {
                    return Err(format!("v{} isn't consumed at the end of its block", var.0));
                }
            }
            let outer = outer.into_iter().filter(|(var, state)| *state != self.states[var.0 as usize]).collect();
            agreed = Some(self.agree(agreed, outer)?);
        }
        seen.into_iter().for_each(|var| self.set(var, State::Gone));
        let gets = if agreed.is_some() { Gets::ToTheEnd } else { Gets::Elsewhere };
        agreed.into_iter().flatten().for_each(|(var, state)| self.set(var, state));
        Ok(gets)
    }

    /// Two branches do the same to what is outside; to a null either may do anything.
    fn agree(&self, one: Option<Vec<(Var, State)>>, other: Vec<(Var, State)>) -> Result<Vec<(Var, State)>, String> {
        let Some(one) = one else { return Ok(other) };
        let of = |list: &[(Var, State)], var: Var| {
            list.iter().find(|(known, _)| *known == var).map_or(self.states[var.0 as usize], |(_, state)| *state)
        };
        let mut vars: Vec<Var> = one.iter().chain(&other).map(|(var, _)| *var).collect();
        vars.sort();
        vars.dedup();
        let mut all = vec![];
        for var in vars {
            match (of(&one, var), of(&other, var)) {
                (State::Null, state) | (state, State::Null) => all.push((var, state)),
                (a, b) if a == b => all.push((var, a)),
                (a, b) => return Err(format!("branches disagree on v{}: {a:?}, {b:?}", var.0)),
            }
        }
        Ok(all)
    }

    fn looped(&mut self, params: &[(Var, Atom)], body: &Block, results: &[Leaf]) -> Result<Gets, String> {
        let start = self.log.len();
        for (param, _) in params {
            self.bind(*param, State::Owns(1))?;
        }
        self.loops.push((start, params.iter().map(|(param, _)| self.leaf(*param)).collect()));
        let gets = self.block(body, Some(results))?;
        self.loops.pop();
        if gets == Gets::ToTheEnd {
            self.body_is_even(start)?;
        }
        let bound: Vec<Var> = self.log[start..].iter().map(|(var, _)| *var).collect();
        self.undo(start);
        let bound = bound.into_iter().filter(|var| self.states[var.0 as usize] == State::Unbound).collect::<Vec<_>>();
        bound.into_iter().for_each(|var| self.set(var, State::Gone));
        Ok(gets)
    }

    /// Do the leaves of operands and results fit?
    fn signature(&self, vars: &[Var], op: &Op) -> Checked {
        let results: Vec<Leaf> = vars.iter().map(|var| self.leaf(*var)).collect();
        let same = |leaves: &[Leaf]| {
            let fit = results.len() == leaves.len()
                && results.iter().zip(leaves).all(|(a, b)| a == b || (a.is_pointer() && b.is_pointer()));
            if fit { Ok(()) } else { Err(format!("{op:?} binds {results:?}, expected {leaves:?}")) }
        };
        match op {
            Op::Scalar(scalar, atoms) => {
                let (args, result) = scalar_signature(*scalar);
                if let Scalar::Function(_) = scalar {
                    atoms.iter().try_for_each(|atom| self.fits(atom, Leaf::Real))?;
                } else {
                    self.all_fit(atoms, args)?;
                }
                same(&[result])
            }
            Op::IndexAdd(a, b) | Op::IndexMul(a, b) => {
                self.all_fit(&[*a, *b], &[Leaf::Int, Leaf::Int])?;
                same(&[Leaf::Int])
            }
            Op::InRange(a, b) => {
                self.all_fit(&[*a, *b], &[Leaf::Int, Leaf::Int])?;
                same(&[Leaf::Bool])
            }
            Op::Call(FunctionId(id), atoms) => {
                let callee = &self.program.functions[*id as usize];
                if callee.borrows {
                    return Err(format!("`{}` borrows, and is called", callee.name));
                }
                let params: Vec<Leaf> = callee.params.iter().map(|param| callee.vars[param.0 as usize]).collect();
                self.all_fit(atoms, &params).map_err(|error| format!("call of `{}`: {error}", callee.name))?;
                same(&callee.results)
            }
            Op::IsLarge(count, work) => {
                self.fits(count, Leaf::Int)?;
                work.iter().flat_map(|cost| &cost.lengths).try_for_each(|length| self.fits(length, Leaf::Int))?;
                same(&[Leaf::Bool])
            }
            Op::Pieces(pieces) => self.pieces(pieces).and_then(|()| match pieces.values {
                Some(_) => same(&[Leaf::Real]),
                None => same(&[]),
            }),
            Op::If(condition, ..) | Op::Require(condition, _) => self.fits(condition, Leaf::Bool),
            Op::Switch(tag, _) => self.fits(tag, Leaf::Int),
            Op::Sum { count, .. } => {
                self.fits(count, Leaf::Int)?;
                same(&[Leaf::Real])
            }
            Op::Loop { params, .. } => params.iter().try_for_each(|(param, atom)| self.fits(atom, self.leaf(*param))),
            Op::Node(id, atoms) => {
                let words = self.program.descriptors[id.0 as usize].words as usize;
                if atoms.len() != words {
                    return Err(format!("a node of {words} words gets {}", atoms.len()));
                }
                same(&[Leaf::Ptr])
            }
            Op::IsObject(a) | Op::IsUnique(a) => {
                self.fits(a, Leaf::Ptr)?;
                same(&[Leaf::Bool])
            }
            Op::TagOf(a) | Op::Axis(a, _) => {
                self.fits(a, Leaf::Ptr)?;
                same(&[Leaf::Int])
            }
            Op::PointerOf(a) => {
                self.fits(a, Leaf::Int)?;
                same(&[Leaf::Ptr])
            }
            Op::NewArray(..)
            | Op::Unshare(_)
            | Op::Append { .. }
            | Op::Row { .. }
            | Op::ReplaceRow { .. }
            | Op::StoreRow { .. }
            | Op::OneHot { .. }
            | Op::AddAt { .. }
            | Op::Placed(_)
            | Op::AddPlaced { .. }
            | Op::Plus { .. }
            | Op::Dense(..)
            | Op::Text(_) => same(&[Leaf::Ptr]),
            Op::Prim(site, atoms) => {
                let site = &self.program.prims[*site as usize];
                self.all_fit(atoms, &site.arg_leaves.concat()).map_err(|error| format!("`{}`: {error}", site.prim))?;
                same(&site.result_leaves)
            }
            Op::Product(product) => self.product(product).and_then(|()| match product.out {
                Some(_) => same(&[]),
                None => same(&[Leaf::Real]),
            }),
            Op::LoadElement { words, .. } | Op::TakeElement { words, .. } => {
                if results.len() == *words as usize {
                    Ok(())
                } else {
                    Err("an element of other words".to_string())
                }
            }
            Op::Load(..) => {
                if results.len() == 1 {
                    Ok(())
                } else {
                    Err("a load of one leaf".to_string())
                }
            }
            Op::StoreElement { .. }
            | Op::Open { .. }
            | Op::Quiet(_)
            | Op::Site(_)
            | Op::Retain(_)
            | Op::Release(_)
            | Op::Fail(_) => same(&[]),
        }
    }
}

/// What a scalar operation takes and makes; a transcendental takes reals.
pub fn scalar_signature(scalar: Scalar) -> (&'static [Leaf], Leaf) {
    use Leaf::{Bool, Int, Real};
    use Scalar as S;
    match scalar {
        S::Add | S::Sub | S::Mul | S::Div | S::Minimum | S::Maximum | S::Remainder => (&[Real, Real], Real),
        S::Neg | S::Abs | S::Sign | S::Floor | S::Ceil | S::Round | S::Trunc | S::Sqrt => (&[Real], Real),
        S::Function(_) => (&[], Real),
        S::PowerSlope | S::PowerLog => (&[Real, Real, Int], Real),
        S::Eq | S::Ne | S::Lt | S::Le | S::Gt | S::Ge => (&[Real, Real], Bool),
        S::IsNan | S::IsFinite | S::IsHole => (&[Real], Bool),
        S::IntAdd | S::IntSub | S::IntMul | S::IntMinimum | S::IntMaximum | S::IntDiv | S::IntMod | S::IntPow => {
            (&[Int, Int], Int)
        }
        S::IntNeg | S::IntAbs | S::IntSign | S::Length => (&[Int], Int),
        S::IntEq | S::IntNe | S::IntLt | S::IntLe | S::IntGt | S::IntGe => (&[Int, Int], Bool),
        S::ToReal => (&[Int], Real),
        S::ToInt => (&[Real], Int),
        S::BoolToReal => (&[Bool], Real),
        S::Not => (&[Bool], Bool),
        S::BoolEq => (&[Bool, Bool], Bool),
        S::Select => (&[Bool, Real, Real], Real),
    }
}
