//! Loops in pieces. Engines of browsers run new code in a version that was made fast; a better one, which they make meanwhile, is used from the next call of
//! its function on, and a loop that is under way stays in the code that it began in. So an outermost loop of a function that isn't called often is a
//! function of its own, a piece: it does some turns, gives what the loop carries, and is called again. For a sum a piece is a chunk.
//!
//! Turns of loops inside count too, so that few turns with much inside them are several pieces.

use loops::{Atom, Block, End, Function, Op, Program, Var};
use wasm_encoder::ValType;

use crate::body::{Body, OpenLoop};
use crate::helpers::Helper;
use crate::module::{Code, type_of};

/// Turns of a piece, those inside it counted: long enough that calls don't matter, short enough that an engine can change the code soon.
pub const TURNS: u32 = 20_000;

/// What a piece is given, or gives: engines allow 1,000.
const MOST_WORDS: usize = 300;

/// Where code is: which of its loops are cut, and who counts their turns.
#[derive(Clone, Copy)]
pub(crate) enum Cutting {
    /// In a function that is called a few times: its outermost loops are.
    Outermost,
    /// In a function that is called often, or in a chunk of a sum: none.
    None,
    /// In a piece: none; this local has the turns that are left.
    Counted(u32),
}

/// Which functions are called often: those that are called in loops, that call themselves, and that such functions call.
pub(crate) fn called_often(program: &Program, recursive: &[bool]) -> Vec<bool> {
    let mut often = vec![false; program.functions.len()];
    let mut todo: Vec<usize> = vec![];
    for (number, function) in program.functions.iter().enumerate() {
        todo.extend(recursive[number].then_some(number));
        calls(&function.body, Calls::InLoops, &mut todo);
    }
    while let Some(number) = todo.pop() {
        if !std::mem::replace(&mut often[number], true) {
            calls(&program.functions[number].body, Calls::All, &mut todo);
        }
    }
    often
}

#[derive(Clone, Copy, PartialEq)]
enum Calls {
    All,
    InLoops,
}

fn calls(block: &Block, which: Calls, found: &mut Vec<usize>) {
    for statement in &block.statements {
        if let (Op::Call(id, _), Calls::All) = (&statement.op, which) {
            found.push(id.0 as usize);
        }
        let is_loop = matches!(statement.op, Op::Loop { .. } | Op::Sum { .. });
        let inside = if is_loop { Calls::All } else { which };
        statement.op.for_each_block(|block| base::budget::deep(|| calls(block, inside, found)));
    }
}

/// The variables of a piece: those that it is given, and those that it binds.
struct Variables {
    given: Vec<Var>,
    bound: Vec<Var>,
}

impl Variables {
    /// Of a loop's body; the loop itself binds `carried`, which come last among the given.
    fn of(body: &Block, carried: &[Var]) -> Variables {
        let (mut used, mut bound) = (vec![], vec![]);
        collect(body, &mut used, &mut bound);
        for vars in [&mut used, &mut bound] {
            vars.sort_unstable();
            vars.dedup();
        }
        let is_free = |var: &Var| bound.binary_search(var).is_err() && !carried.contains(var);
        let given = used.into_iter().filter(is_free).chain(carried.iter().copied()).collect();
        Variables { given, bound }
    }
}

fn collect(block: &Block, used: &mut Vec<Var>, bound: &mut Vec<Var>) {
    let mut uses = |atom: &Atom| {
        if let Atom::Var(var) = atom {
            used.push(*var);
        }
    };
    if let End::Yield(atoms) | End::Again(atoms) = &block.end {
        atoms.iter().for_each(&mut uses);
    }
    for statement in &block.statements {
        bound.extend(&statement.vars);
        statement.op.for_each_use(|atom, _| uses(atom));
        match &statement.op {
            Op::Loop { params, .. } => bound.extend(params.iter().map(|(var, _)| *var)),
            Op::Sum { index, .. } => bound.push(*index),
            _ => {}
        }
    }
    for statement in &block.statements {
        statement.op.for_each_block(|block| base::budget::deep(|| collect(block, used, bound)));
    }
}

impl Body<'_, '_> {
    /// A loop whose carried variables have their first values, in pieces. Does control get behind it? `None`: it can't be cut.
    pub(crate) fn loop_in_pieces(&mut self, vars: &[Var], carried: &[Var], body: &Block) -> Option<bool> {
        let variables = Variables::of(body, carried);
        if !matches!(self.cutting, Cutting::Outermost)
            || variables.given.len() + carried.len() + vars.len() >= MOST_WORDS
        {
            return None;
        }
        let turns = self.module.host.turns;
        let (code, after) = self.piece(&variables, &[], |piece| {
            let carried = piece.all_locals(carried);
            let results: Vec<u32> = vars.iter().map(|var| piece.temporary(type_of(piece.leaf(*var)))).collect();
            let left = piece.temporary(ValType::I64);
            piece.cutting = Cutting::Counted(left);
            piece.i().i64_const(i64::from(turns)).local_set(left);
            // Left where there are no turns left.
            piece.open_block();
            piece.open_loop();
            piece.i().local_get(left).i64_const(0).i64_le_s().br_if(1);
            piece.loops.push(OpenLoop { depth: piece.depth, params: carried.clone() });
            let after = piece.block(body, &results);
            piece.loops.pop();
            let give = |piece: &mut Body, again: i32| {
                carried.iter().chain(&results).for_each(|local| _ = piece.i().local_get(*local));
                piece.i().i32_const(again);
            };
            if after {
                give(piece, 0);
                piece.i().return_();
            }
            piece.close();
            if after {
                piece.i().unreachable();
            }
            piece.close();
            give(piece, 1);
            let types = carried.iter().chain(&results).map(|local| piece.type_of_local(*local));
            (types.chain([ValType::I32]).collect(), after)
        });
        let number = self.module.helper(Helper::Piece(code));
        let again = self.temporary(ValType::I32);
        self.open_loop();
        variables.given.iter().for_each(|var| self.get(&Atom::Var(*var)));
        self.i().call(number).local_set(again);
        vars.iter().rev().chain(carried.iter().rev()).for_each(|var| self.set(*var));
        self.i().local_get(again).br_if(0);
        self.close();
        Some(after)
    }

    /// A chunk of a sum as a piece: values from that of `index` on to the one before `end` are added to the partial sums in `room`. `None`: it can't be one.
    pub(crate) fn chunk_in_piece(&mut self, index: Var, end: u32, room: u32, body: &Block) -> Option<()> {
        let variables = Variables::of(body, &[index]);
        if !matches!(self.cutting, Cutting::Outermost) || variables.given.len() >= MOST_WORDS {
            return None;
        }
        let first = variables.given.len() as u32;
        let (code, ()) = self.piece(&variables, &[ValType::I64, ValType::I32], |piece| {
            piece.cutting = Cutting::None;
            piece.chunk(piece.local(index), first, first + 1, body);
            (vec![], ())
        });
        let number = self.module.helper(Helper::Piece(code));
        variables.given.iter().for_each(|var| self.get(&Atom::Var(*var)));
        let at = self.local(index);
        self.i().local_get(end).local_get(room).call(number).local_get(end).local_set(at);
        Some(())
    }

    /// The number of a new piece, whose parameters are what it is given and some more. `write` writes its code, which leaves its results on the stack, and says of what types they are.
    fn piece<T>(
        &mut self,
        Variables { given, bound }: &Variables,
        more: &[ValType],
        write: impl FnOnce(&mut Body) -> (Vec<ValType>, T),
    ) -> (u32, T) {
        let function: &Function = self.function;
        let given_types = given.iter().map(|var| type_of(function.vars[var.0 as usize]));
        let params: Vec<ValType> = given_types.chain(more.iter().copied()).collect();
        let mut piece = Body::new(self.module, function, &params, given.iter().copied(), bound);
        piece.span = self.span;
        let (results, told) = write(&mut piece);
        piece.i().end();
        let code = Code { signature: (params, results), locals: piece.types, bytes: piece.bytes };
        (self.module.add_piece(code), told)
    }

    /// A turn of a loop inside a piece is over.
    pub(crate) fn count_turn(&mut self) {
        if let Cutting::Counted(left) = self.cutting {
            self.i().local_get(left).i64_const(1).i64_sub().local_set(left);
        }
    }

    /// So many turns of a sum inside a piece are over.
    pub(crate) fn count_turns(&mut self, count: &Atom) {
        if let Cutting::Counted(left) = self.cutting {
            self.i().local_get(left);
            self.get(count);
            self.i().i64_sub().local_set(left);
        }
    }
}
