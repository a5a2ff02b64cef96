//! A definition written down computes what the definition computes.

use numerics::listing::{Op, run};
use numerics::{FUNCTIONS, Function};

#[test]
fn a_listing_computes_the_same_bits_as_direct_execution() {
    let points = interesting_reals();
    for function in FUNCTIONS {
        let listing = (function.listing)();
        assert_eq!(listing.inputs, function.arity);
        for inputs in inputs_of(function, &points) {
            let (direct, listed) = ((function.direct)(&inputs), run(&listing, &inputs));
            assert!(same(direct, listed), "{}{inputs:?}: direct {direct:e}, listing {listed:e}", function.name);
        }
    }
}

#[test]
fn a_listing_is_short_and_every_operand_precedes_its_use() {
    for function in FUNCTIONS {
        let listing = (function.listing)();
        println!("{:8} {} operations", function.name, listing.ops.iter().filter(|op| !is_constant(op)).count());
        assert!(listing.ops.len() < 2000, "{} has {} operations", function.name, listing.ops.len());
        for (index, op) in listing.ops.iter().enumerate() {
            assert!(op.operands().all(|id| (id.0 as usize) < index), "{}: {op:?} at {index}", function.name);
        }
    }
}

#[test]
fn what_a_branch_computes_is_used_inside_it_and_by_the_selections_behind_it() {
    let mut branches = 0;
    for function in FUNCTIONS {
        let listing = (function.listing)();
        for branch in &listing.branches {
            branches += 1;
            assert_eq!(branch.yes.end, branch.no.start, "{}: {branch:?}", function.name);
            let selection = |op: &Op| match op {
                Op::Select(c, ..) | Op::SelectInt(c, ..) => *c == branch.condition,
                _ => false,
            };
            let behind = listing.ops[branch.no.end..].iter().take_while(|op| selection(op)).count();
            assert!(behind > 0, "{}: {branch:?}", function.name);
            for (place, op) in listing.ops.iter().enumerate() {
                for side in [&branch.yes, &branch.no] {
                    let reads = op.operands().any(|id| side.contains(&(id.0 as usize)));
                    let after = branch.no.end..branch.no.end + behind;
                    assert!(!reads || side.contains(&place) || after.contains(&place), "{}: {op:?}", function.name);
                }
            }
        }
    }
    assert!(branches >= 8, "large angles, subnormal numbers and others are apart");
}

#[test]
fn names_are_distinct() {
    let mut names: Vec<_> = FUNCTIONS.iter().map(|function| function.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FUNCTIONS.len());
}

fn is_constant(op: &Op) -> bool {
    matches!(op, Op::Real(_) | Op::Int(_) | Op::Input(_))
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn inputs_of(function: &Function, points: &[f64]) -> Vec<Vec<f64>> {
    match function.arity {
        1 => points.iter().map(|x| vec![*x]).collect(),
        _ => points.iter().step_by(7).flat_map(|x| points.iter().step_by(5).map(|y| vec![*x, *y])).collect(),
    }
}

/// Edges, then numbers of every exponent, then numbers of ordinary size.
fn interesting_reals() -> Vec<f64> {
    let edges = [
        0.0,
        5e-324,
        f64::MIN_POSITIVE,
        0.5,
        1.0,
        1.5,
        2.0,
        3.0,
        709.78,
        745.2,
        1e22,
        1e300,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    let random = |n: u64| numerics::random::bits(numerics::random::key(1), n);
    let any = (0..400).map(|n| f64::from_bits(random(n)));
    let ordinary = (400..800).map(|n| (random(n) >> 11) as f64 / (1u64 << 49) as f64);
    edges.into_iter().chain(any).chain(ordinary).flat_map(|x| [x, -x]).collect()
}
