//! Simplification of functions, each by itself.
//!
//! One walk forwards: copies are forwarded, what is known of a variable (the struct it is, the alternative, the constant)
//! settles the operations on it, and a choice whose outcome is known gives way to what it chooses. Then one walk
//! backwards: what nobody needs is dropped, if it can neither fail nor print and surely ends.

mod agreed;
mod joins;
mod loops;
mod ops;
mod prune;

use first_order::{Atom, Block, End, Function, Op, Program, Scalar, Statement, Type, Var};

use self::agreed::Agreed;
use crate::analyses::effects::{self, Effects, PURE, World};
use crate::rewriting::rename::renumber;
use crate::rewriting::walk::{self, discard};

pub fn run(program: &mut Program) {
    let effects = effects::of_functions(program);
    let Program { functions, shapes, .. } = program;
    let world = World { functions: &effects, shapes };
    functions.iter_mut().for_each(|function| self::function(function, world));
}

pub fn function(function: &mut Function, world: World) {
    let uses = walk::count_uses(function);
    let vars = std::mem::take(&mut function.vars);
    let count = vars.len();
    let body = std::mem::replace(&mut function.body, walk::empty());
    let budget = 200 + walk::size(&body);
    let mut simplifier = Simplifier {
        world,
        vars,
        uses,
        forwarded: vec![None; count],
        known: vec![Known::Nothing; count],
        agreed: vec![None; count],
        in_scope: vec![false; count],
        effects: vec![PURE; count],
        trail: vec![],
        budget,
    };
    function.params.iter().for_each(|param| simplifier.in_scope[param.0 as usize] = true);
    let (mut body, _) = simplifier.block(body);
    prune::prune(&mut body, &simplifier.effects);
    function.body = body;
    function.vars = simplifier.vars;
    renumber(function);
}

struct Simplifier<'a> {
    world: World<'a>,
    vars: Vec<Type>,
    /// How often each variable is read, at most.
    uses: Vec<u32>,
    /// What stands for a variable from now on.
    forwarded: Vec<Option<Atom>>,
    known: Vec<Known>,
    /// What is known of results of choices and loops.
    agreed: Vec<Option<Agreed>>,
    /// Which variables are bound in the blocks that are open.
    in_scope: Vec<bool>,
    /// The effects of the statement that binds each variable.
    effects: Vec<Effects>,
    /// What was known before of variables of which more is known in the blocks that are open.
    trail: Vec<(Var, Fact)>,
    /// How many more statements may be copied.
    budget: usize,
}

/// What is known of a variable besides its type.
#[derive(Clone, Debug)]
enum Known {
    Nothing,
    Struct(Vec<Atom>),
    Field(Atom, u32),
    Inject(u32, Atom),
    Box(Atom),
    Unbox(Atom),
    /// The elements of an array of rank 1.
    Array(Vec<Atom>),
    /// An array of which the length is known.
    Length(Atom),
    /// The elements of a vector under other lengths.
    Shaped(Atom, Vec<Atom>),
    /// The handle of this array, in which −0.0 is the symbolic zero.
    Collected(Atom),
    /// The array of this handle.
    Dense(Atom),
    Not(Atom),
    /// A real with the other sign.
    Neg(Atom),
    /// A real that is never −0.0.
    IsNoMinusZero,
    /// The length of some array.
    IsLength,
    /// An array of so many elements was made.
    IsCount,
    /// Two ints are the same.
    Same(Atom, Atom),
}

/// What held before.
enum Fact {
    Known(Known),
    Forwarded(Option<Atom>),
}

/// What follows a statement.
enum Flow {
    Next,
    /// The block ends here.
    Ends(End),
}

impl Simplifier<'_> {
    fn block(&mut self, block: Block) -> (Block, Effects) {
        let mark = self.trail.len();
        let Block { statements, end } = block;
        let mut out = Vec::with_capacity(statements.len());
        let end = self.statements(statements, end, &mut out);
        self.restore(mark);
        self.close(&out);
        let all = out.iter().fold(effects::of_end(&end), |all, statement| all.and(self.effects_of(statement.var)));
        (Block { statements: out, end }, all)
    }

    /// A block in which these variables are bound.
    fn within(&mut self, vars: &[Var], block: Block) -> (Block, Effects) {
        vars.iter().for_each(|var| self.in_scope[var.0 as usize] = true);
        let result = self.block(block);
        vars.iter().for_each(|var| self.in_scope[var.0 as usize] = false);
        result
    }

    /// Simplifies statements onto the end of others.
    fn statements(&mut self, statements: Vec<Statement>, end: End, out: &mut Vec<Statement>) -> End {
        let mut statements = statements.into_iter();
        while let Some(statement) = statements.next() {
            if let Flow::Ends(end) = self.statement(statement, out) {
                discard(Block { statements: statements.collect(), end: End::Never });
                return end;
            }
        }
        self.end(end)
    }

    fn end(&self, mut end: End) -> End {
        walk::end_atoms_mut(&mut end, &mut |atom| self.resolve(atom));
        end
    }

    /// Puts the statements of a block here; its value stands for the variable.
    fn splice(&mut self, var: Var, block: Block, out: &mut Vec<Statement>) -> Flow {
        match crate::deep(|| self.statements(block.statements, block.end, out)) {
            End::Yield(atom) => {
                self.forward(var, atom);
                Flow::Next
            }
            end => Flow::Ends(end),
        }
    }

    fn push(&mut self, out: &mut Vec<Statement>, statement: Statement, inside: Effects) {
        let known = &self.known;
        let is_length = |var: Var| matches!(known[var.0 as usize], Known::IsLength | Known::IsCount);
        let of = &self.vars[statement.var.0 as usize];
        self.effects[statement.var.0 as usize] = self.world.op(&statement.op, inside, of, &is_length);
        self.in_scope[statement.var.0 as usize] = true;
        out.push(statement);
    }

    /// The variables of these statements are no longer in scope.
    fn close(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.in_scope[statement.var.0 as usize] = false);
    }

    fn effects_of(&self, var: Var) -> Effects {
        self.effects[var.0 as usize]
    }

    fn known(&self, atom: &Atom) -> &Known {
        match atom {
            Atom::Var(var) => &self.known[var.0 as usize],
            _ => &Known::Nothing,
        }
    }

    fn resolve(&self, atom: &mut Atom) {
        while let Atom::Var(var) = atom
            && let Some(to) = &self.forwarded[var.0 as usize]
        {
            *atom = to.clone();
        }
    }

    /// From now on the atom stands for the variable.
    fn forward(&mut self, var: Var, mut to: Atom) {
        self.resolve(&mut to);
        if let Atom::Var(other) = to {
            self.uses[other.0 as usize] += self.uses[var.0 as usize];
        }
        self.forwarded[var.0 as usize] = Some(to);
    }

    fn know(&mut self, var: Var, known: Known) {
        self.known[var.0 as usize] = known;
    }

    /// Something that holds until the block ends.
    fn know_here(&mut self, var: Var, known: Known) {
        let before = std::mem::replace(&mut self.known[var.0 as usize], known);
        self.trail.push((var, Fact::Known(before)));
    }

    fn forward_here(&mut self, var: Var, to: Atom) {
        let before = self.forwarded[var.0 as usize].replace(to);
        self.trail.push((var, Fact::Forwarded(before)));
    }

    fn restore(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some((var, Fact::Known(before))) => self.known[var.0 as usize] = before,
                Some((var, Fact::Forwarded(before))) => self.forwarded[var.0 as usize] = before,
                None => {}
            }
        }
    }

    fn type_of(&self, atom: &Atom) -> Option<&Type> {
        match atom {
            Atom::Var(var) => Some(&self.vars[var.0 as usize]),
            _ => None,
        }
    }

    fn fresh(&mut self, of: Type, uses: u32) -> Var {
        self.vars.push(of);
        self.grow();
        let var = Var(self.vars.len() as u32 - 1);
        self.uses[var.0 as usize] = uses;
        var
    }

    /// Makes room in the tables for variables that are new.
    fn grow(&mut self) {
        let count = self.vars.len();
        self.uses.resize(count, 0);
        self.forwarded.resize(count, None);
        self.known.resize(count, Known::Nothing);
        self.agreed.resize(count, None);
        self.in_scope.resize(count, false);
        self.effects.resize(count, PURE);
    }

    /// A choice between blocks whose result may be known after all.
    fn choose(&mut self, var: Var, op: Op, inside: Effects, out: &mut Vec<Statement>, span: base::Span) -> Flow {
        let op = match self.settled(var, &op) {
            Settled::Open => op,
            Settled::Value(atom) => {
                self.push(out, Statement { var, op, span }, inside);
                self.forward(var, atom);
                return Flow::Next;
            }
            Settled::Not(condition) if inside.total => {
                self.know(var, Known::Not(condition.clone()));
                Op::Scalar(Scalar::Not, vec![condition])
            }
            Settled::Not(_) => op,
        };
        let agreed = self.agree(var, &op);
        self.push(out, Statement { var, op, span }, inside);
        agreed.into_iter().for_each(|agreed| self.settle(var, agreed, span, out));
        Flow::Next
    }
}

/// The result of a choice, as far as it is known.
enum Settled {
    Open,
    Value(Atom),
    /// The opposite of the condition.
    Not(Atom),
}
