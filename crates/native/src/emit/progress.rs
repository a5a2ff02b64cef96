//! Loops that say how far they are ([`base::progress`]), for whoever watches.
//!
//! In: the outermost loops of a program, where somebody watches. Out: stores to the words that `ctx` points to. They are volatile, so they stay where they are, and
//! nothing that is computed depends on them: results have the same bits. A loop that only fills an array, element by element, says nothing: it would no longer
//! work on several elements at a time.

use base::progress::{state, word};
use first_order::Scalar;
use loops::{Atom, Block, End, Op, Program, Statement, Var};

use super::body::Body;
use loops::memory::CTX_PROGRESS;

/// Whether code says how far it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Progress {
    #[default]
    Silent,
    Told,
}

/// Which functions run outside all loops, at most once at a time: their outermost loops are those of the program.
pub(super) fn outermost(program: &Program, recursive: &[bool]) -> Vec<bool> {
    let mut outside = vec![false; program.functions.len()];
    let mut todo = vec![program.entry.0 as usize];
    while let Some(number) = todo.pop() {
        if !recursive[number] && !std::mem::replace(&mut outside[number], true) {
            calls_outside_loops(&program.functions[number].body, &mut todo);
        }
    }
    outside
}

fn calls_outside_loops(body: &Block, found: &mut Vec<usize>) {
    for statement in &body.statements {
        match &statement.op {
            Op::Call(id, _) => found.push(id.0 as usize),
            Op::If(_, yes, no) => [yes, no].into_iter().for_each(|block| calls_outside_loops(block, found)),
            Op::Switch(_, arms) => arms.iter().for_each(|arm| calls_outside_loops(&arm.block, found)),
            _ => {}
        }
    }
}

/// A loop that says how far it is.
pub(super) struct Told {
    /// The words, as a name of LLVM's.
    words: String,
    /// Which variable counts; none: turns are counted.
    counter: Option<Var>,
}

impl Body<'_> {
    /// Written before a loop: what is known of it.
    pub(super) fn tell_of_loop(&mut self, params: &[(Var, Atom)], body: &Block) -> Option<Told> {
        if !self.tells_progress() || is_filling(body) {
            return None;
        }
        let counted =
            params.iter().enumerate().find_map(|(at, &(param, first))| Some((param, first, end_of(at, param, body)?)));
        let (first, last) = match counted {
            Some((_, first, last)) => (first, Some(last)),
            None => (Atom::Int(0), None),
        };
        let words = self.begin_telling(&first, last.as_ref());
        Some(Told { words, counter: counted.map(|(param, ..)| param) })
    }

    /// Written at the beginning of each turn.
    pub(super) fn tell_turn(&mut self, told: &Told) {
        let now = match told.counter {
            Some(counter) => format!("%v{}", counter.0),
            None => {
                let turns = self.lines.word(&told.words, word::NOW as u32);
                let turns = self.value(format_args!("load volatile i64, ptr {turns}"));
                self.value(format_args!("add i64 {turns}, 1"))
            }
        };
        self.tell(&told.words, word::NOW, &now);
    }

    /// Written behind a loop.
    pub(super) fn tell_end(&mut self, told: &Told) {
        self.tell(&told.words, word::STATE, &state::NONE.to_string());
    }

    /// The same for a sum, which has a number of terms.
    pub(super) fn tell_of_sum(&mut self, count: &Atom, index: Var, body: &Block) -> Option<Told> {
        let tells = self.tells_progress() && has_work(body);
        tells.then(|| Told { words: self.begin_telling(&Atom::Int(0), Some(count)), counter: Some(index) })
    }

    fn tells_progress(&self) -> bool {
        self.outermost && self.repeats == 0
    }

    fn begin_telling(&mut self, first: &Atom, last: Option<&Atom>) -> String {
        let place = self.lines.word("%ctx", CTX_PROGRESS);
        let words = self.value(format_args!("load ptr, ptr {place}"));
        let known = if last.is_some() { state::COUNTED } else { state::OPEN };
        self.tell(&words, word::STATE, &state::NONE.to_string());
        let number = self.lines.word(&words, word::LOOP as u32);
        let before = self.value(format_args!("load volatile i64, ptr {number}"));
        let number = self.value(format_args!("add i64 {before}, 1"));
        self.tell(&words, word::LOOP, &number);
        let (first, last) = (self.atom(first), last.map_or("0".to_string(), |last| self.atom(last)));
        self.tell(&words, word::NOW, &first);
        self.tell(&words, word::FIRST, &first);
        self.tell(&words, word::LAST, &last);
        self.tell(&words, word::STATE, &known.to_string());
        words
    }

    fn tell(&mut self, words: &str, word: usize, value: &str) {
        let place = self.lines.word(words, word as u32);
        self.line(format_args!("store volatile i64 {value}, ptr {place}"));
    }
}

/// The value of a counter at which its loop ends: it goes on by one in each turn, and is compared with what doesn't change.
fn end_of(at: usize, param: Var, body: &Block) -> Option<Atom> {
    let mut inside = Inside::default();
    inside.visit(body);
    let steps = |next: &Atom| match next {
        Atom::Var(next) => inside.steps.iter().any(|(var, from)| var == next && *from == param),
        _ => false,
    };
    let goes_on = !inside.agains.is_empty() && inside.agains.iter().all(|atoms| atoms.get(at).is_some_and(steps));
    let (_, bound) = inside.compared.iter().find(|(var, _)| *var == param)?;
    let stays = match bound {
        Atom::Int(_) => true,
        Atom::Var(bound) => !inside.bound.contains(bound),
        _ => false,
    };
    (goes_on && stays).then_some(*bound)
}

/// What happens in a loop's body, inner loops left out.
#[derive(Default)]
struct Inside {
    agains: Vec<Vec<Atom>>,
    /// Variables that are one more or less than others.
    steps: Vec<(Var, Var)>,
    /// Variables and what they are compared with.
    compared: Vec<(Var, Atom)>,
    bound: Vec<Var>,
}

impl Inside {
    fn visit(&mut self, block: &Block) {
        for Statement { vars, op, .. } in &block.statements {
            self.bound.extend(vars);
            match op {
                Op::IndexAdd(Atom::Var(from), Atom::Int(1 | -1)) => self.steps.push((vars[0], *from)),
                Op::Scalar(Scalar::IntAdd | Scalar::IntSub, atoms) => {
                    if let [Atom::Var(from), Atom::Int(1 | -1)] = atoms[..] {
                        self.steps.push((vars[0], from));
                    }
                }
                Op::Scalar(scalar, atoms) if is_comparison(*scalar) => match atoms[..] {
                    [Atom::Var(a), b] => self.compared.push((a, b)),
                    [a, Atom::Var(b)] => self.compared.push((b, a)),
                    _ => {}
                },
                Op::If(_, yes, no) => [yes, no].into_iter().for_each(|block| self.visit(block)),
                Op::Switch(_, arms) => arms.iter().for_each(|arm| self.visit(&arm.block)),
                _ => {}
            }
        }
        if let End::Again(atoms) = &block.end {
            self.agains.push(atoms.clone());
        }
    }
}

fn is_comparison(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::IntEq | Scalar::IntLt | Scalar::IntLe | Scalar::IntGt | Scalar::IntGe | Scalar::IntNe)
}

/// Does a loop only write an array, element by element?
fn is_filling(body: &Block) -> bool {
    any(body, &|op| matches!(op, Op::StoreElement { .. })) && !has_work(body)
}

/// Does each turn do more than arithmetic?
fn has_work(body: &Block) -> bool {
    any(body, &|op| {
        matches!(
            op,
            Op::Loop { .. }
                | Op::Sum { .. }
                | Op::Call(..)
                | Op::Prim(..)
                | Op::Product(_)
                | Op::Pieces(_)
                | Op::Append { .. }
                | Op::Plus { .. }
        )
    })
}

fn any(block: &Block, is: &impl Fn(&Op) -> bool) -> bool {
    block.statements.iter().any(|statement| {
        is(&statement.op)
            || match &statement.op {
                Op::If(_, yes, no) => any(yes, is) || any(no, is),
                Op::Switch(_, arms) => arms.iter().any(|arm| any(&arm.block, is)),
                Op::Loop { body, .. } | Op::Sum { body, .. } => any(body, is),
                _ => false,
            }
    })
}
