//! Optimisation: from L3 to L3.
//!
//! In: a program of L3. Out: one that gives the same values, prints the same and ends with the same errors at the same
//! places, with less work: values are the same to the bit. A pass is a function on programs with a name; the order of passes is [`PASSES`], a list. The checker
//! of L3 runs after every pass where `base::checks` are on; no input and no output here.
//!
//! `passes` change programs, `analyses` know something of them, `rewriting` has what both are written with.

mod analyses;
mod passes;
mod rewriting;

use base::budget;
use first_order::Program;

/// One step of optimisation.
#[derive(Clone, Copy)]
pub struct Pass {
    pub name: &'static str,
    pub run: fn(&mut Program),
}

const SIMPLIFY: Pass = Pass { name: "simplify", run: passes::simplify::run };
const COMMON_SUBEXPRESSIONS: Pass = Pass { name: "common_subexpressions", run: passes::common_subexpressions::run };
const CONSTANT_CALLS: Pass = Pass { name: "constant_calls", run: passes::constant_calls::run };
const INLINE: Pass = Pass { name: "inline", run: passes::inline::run };
const TAIL_CALLS: Pass = Pass { name: "tail_calls", run: passes::tail_calls::run };
const DEAD_FUNCTIONS: Pass = Pass { name: "dead_functions", run: passes::dead_functions::run };
const SCALAR_REPLACEMENT: Pass = Pass { name: "scalar_replacement", run: passes::scalar_replacement::run };
const REDUNDANT_PARTS: Pass = Pass { name: "redundant_parts", run: passes::redundant_parts::run };
const REDUNDANT_ELEMENTS: Pass = Pass { name: "redundant_elements", run: passes::redundant_elements::run };
const REMATERIALISATION: Pass = Pass { name: "rematerialisation", run: passes::rematerialisation::run };
const CODE_SINKING: Pass = Pass { name: "code_sinking", run: passes::code_sinking::run };
const HOIST: Pass = Pass { name: "hoist", run: passes::hoist::dear };
const HOIST_CHEAP: Pass = Pass { name: "hoist_cheap", run: passes::hoist::all };
const ACCUMULATORS: Pass = Pass { name: "accumulators", run: passes::accumulators::run };
const BOUNDS: Pass = Pass { name: "bounds", run: passes::bounds::run };
const ELEMENTWISE: Pass = Pass { name: "elementwise", run: passes::elementwise::run };
const FUSION: Pass = Pass { name: "fusion", run: passes::fusion::run };
const DEAD_PARTS: Pass = Pass { name: "dead_parts", run: passes::dead_parts::run };
const TAIL_DUPLICATION: Pass = Pass { name: "tail_duplication", run: passes::tail_duplication::run };
const CONSTRUCTOR_SPECIALISATION: Pass =
    Pass { name: "constructor_specialisation", run: passes::constructor_specialisation::run };
const UNBOXING: Pass = Pass { name: "unboxing", run: passes::unboxing::run };
const TAPES: Pass = Pass { name: "tapes", run: passes::tapes::run };
const UNROLL_RECURSION: Pass = Pass { name: "unroll_recursion", run: passes::unroll_recursion::run };

/// Calls become bodies, structs that are passed become their parts, and what follows from that.
const INLINING: &[Pass] = &[INLINE, DEAD_FUNCTIONS, SCALAR_REPLACEMENT, SIMPLIFY];
/// Nothing is computed twice, and no array is made that can be done without.
const SHARING: &[Pass] = &[COMMON_SUBEXPRESSIONS, HOIST, FUSION, HOIST_CHEAP, SIMPLIFY, COMMON_SUBEXPRESSIONS, BOUNDS];
/// Nodes and elements hold each value once, and only what is read.
const NARROWING: &[Pass] = &[REDUNDANT_PARTS, REDUNDANT_ELEMENTS, DEAD_PARTS, SIMPLIFY];

/// All passes in groups, in the order they run.
const GROUPS: &[&[Pass]] = &[
    &[DEAD_FUNCTIONS, SIMPLIFY, TAIL_CALLS, INLINE, DEAD_FUNCTIONS, SCALAR_REPLACEMENT, SIMPLIFY],
    // What nobody needs of derivatives, before anything is made of it.
    &[SIMPLIFY, DEAD_PARTS, ELEMENTWISE, SIMPLIFY],
    SHARING,
    NARROWING,
    // What has become small or simple by now.
    &[CONSTANT_CALLS],
    INLINING,
    SHARING,
    NARROWING,
    // By now nodes hold only what is needed.
    &[UNBOXING, TAIL_DUPLICATION, SIMPLIFY, TAPES],
    INLINING,
    &[
        CONSTANT_CALLS,
        REMATERIALISATION,
        CODE_SINKING,
        SIMPLIFY,
        ACCUMULATORS,
        SIMPLIFY,
        DEAD_PARTS,
        SIMPLIFY,
        CONSTRUCTOR_SPECIALISATION,
    ],
    INLINING,
    SHARING,
    &[DEAD_PARTS, SIMPLIFY],
    // Last: before, every level would be optimised again.
    &[UNROLL_RECURSION],
];

/// All passes, in the order they run.
pub const PASSES: &[Pass] = &chained();

const COUNT: usize = {
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

/// The groups one after the other.
const fn chained() -> [Pass; COUNT] {
    let mut all = [DEAD_FUNCTIONS; COUNT];
    let (mut place, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut pass = 0;
        while pass < GROUPS[group].len() {
            all[place] = GROUPS[group][pass];
            (place, pass) = (place + 1, pass + 1);
        }
        group += 1;
    }
    all
}

/// Programs of more statements than this get only the first groups of passes. They are derivatives of higher order of functions that choose
/// between many functions; the other passes would take longer than such programs run, and find little.
const LARGE: usize = 150_000;
const FIRST: usize = GROUPS[0].len() + GROUPS[1].len();

/// Are the passes from this place on left out?
pub fn ends_at(place: usize, program: &Program) -> bool {
    place == FIRST
        && program.functions.iter().map(|function| rewriting::walk::size(&function.body)).sum::<usize>() > LARGE
}

/// In which order contributions to one element of the sensitivity of an array are added: the only thing in which passes may change bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Additions {
    /// As they are made, in one array.
    #[default]
    AsMade,
    /// What each call gives first, as on the reference evaluator: for comparisons to the bit.
    ByCall,
}

/// Runs all passes, or the first ones if the program stays large.
pub fn optimise(program: &mut Program) {
    optimise_adding(program, Additions::AsMade);
}

/// The same with additions in this order.
pub fn optimise_adding(program: &mut Program, additions: Additions) {
    for (place, pass) in PASSES.iter().enumerate() {
        if ends_at(place, program) {
            return;
        }
        if additions == Additions::AsMade || pass.name != ACCUMULATORS.name {
            pass.apply(program);
        }
    }
}

/// Runs the passes up to and including the first of this name; all if there is none.
pub fn optimise_until(program: &mut Program, after: &str) {
    for pass in PASSES {
        pass.apply(program);
        if pass.name == after {
            return;
        }
    }
}

impl Pass {
    /// Runs the pass, and the checker after it where that is asked for.
    ///
    /// # Panics
    /// If the program breaks a rule of L3 afterwards.
    pub fn apply(&self, program: &mut Program) {
        budget::begin(budget::Stage::Optimisation(self.name));
        (self.run)(program);
        if base::checks::are_on()
            && let Err(violations) = first_order::check(program)
        {
            let all: Vec<String> = violations.iter().map(ToString::to_string).collect();
            panic!("optimise: after `{}` the program breaks rules of L3:\n{}", self.name, all.join("\n"));
        }
    }
}

/// Runs a step of a recursion over terms, however deep.
fn deep<T>(step: impl FnOnce() -> T) -> T {
    budget::deep(step)
}
