//! The derived program is as large as its source, up to a constant factor.

use std::rc::Rc;

use calculus::{Binding, Block, Expr, Group, StepKind};

use crate::testkit::{Lab, Random};

/// All bindings of a group, inner functions and rules included.
fn bindings(group: &Group) -> usize {
    let rules = |lambda: &calculus::Lambda| lambda.rules.iter().map(|rule| bindings(&rule.code)).sum::<usize>();
    group.members.iter().map(|lambda| in_block(&lambda.body) + rules(lambda)).sum()
}

fn in_block(block: &Block) -> usize {
    let count = |binding: &Binding| match binding {
        Binding::Let { expr: Expr::If(_, then, otherwise), .. } => 1 + in_block(then) + in_block(otherwise),
        Binding::Let { .. } => 1,
        // The J-image of an inner function is derived from the same code when it is called.
        Binding::Functions { group, lifted, .. } => {
            1 + if *lifted == 0 { bindings(group) } else { derived(group, *lifted) }
        }
    };
    block.bindings.iter().map(count).sum()
}

/// The bindings of J^order of a group.
fn derived(group: &Rc<Group>, order: u32) -> usize {
    let mut group = group.clone();
    for _ in 0..order {
        group = Rc::new(differentiate::reverse(&group));
    }
    bindings(&group)
}

fn group_of(source: &str) -> Rc<Group> {
    let mut lab = Lab::new();
    let (_, module) = lab.session.load("<size>", source).expect("a program");
    let step = module.steps.iter().find(|step| matches!(step.kind, StepKind::Define(_) | StepKind::Show));
    match module.functions.first() {
        Some((_, group)) => group.clone(),
        None => step.expect("a definition").code.clone(),
    }
}

/// Bindings of T of one function over its own, functions inside counted once.
fn forward_ratio(source: &str) -> f64 {
    let group = group_of(source);
    let own = |group: &Rc<Group>| bindings(group) as f64;
    own(&Rc::new(differentiate::forward(&group))) / own(&group)
}

/// Bindings of J, J², J³ of a program over its own.
fn ratios(source: &str) -> [f64; 3] {
    let group = group_of(source);
    let size = bindings(&group) as f64;
    [1, 2, 3].map(|order| derived(&group, order) as f64 / size)
}

fn straight_line(n: usize, random: &mut Random) -> String {
    let mut text = String::from("fn f(x0) {\n");
    for i in 1..=n {
        let (a, b) = (random.below(i), random.below(i));
        text += &match random.below(4) {
            0 => format!("let x{i} = sin(x{a})\n"),
            1 => format!("let x{i} = x{a} * x{b}\n"),
            2 => format!("let x{i} = (x{a}, x{b}).0\n"),
            _ => format!("let x{i} = x{a} + x{b}\n"),
        };
    }
    text + &format!("x{n}\n}}")
}

/// Branches one after the other, each on what came before.
fn branching(n: usize, random: &mut Random) -> String {
    let mut text = String::from("fn f(x0) {\n");
    for i in 1..=n {
        let (a, b) = (random.below(i), random.below(i));
        text += &format!("let x{i} = if x{a} < {b}.5 {{ let y = sin(x{b}); y * x{a} }} else {{ x{a} + x{b} }}\n");
    }
    text + &format!("x{n}\n}}")
}

/// Branches inside branches.
fn nested(n: usize) -> String {
    let mut text = String::from("fn f(x) = ");
    (0..n).for_each(|i| text += &format!("if x < {i}.5 {{ sin(x) * {i} }} else {{ "));
    text + "x" + &"}".repeat(n)
}

/// Functions inside functions.
fn closures(n: usize) -> String {
    let mut text = String::from("fn f(x0) = ");
    (0..n).for_each(|i| text += &format!("(x{} => x{i} * x{} + ", i + 1, i + 1));
    text += &format!("x{n}");
    (0..n).rev().for_each(|i| text += &format!(")(x{i})"));
    text
}

fn stays_linear(name: &str, make: impl Fn(usize) -> String) {
    let [small, large] = [20, 160].map(|n| ratios(&make(n)));
    println!("{name}: {small:.2?} {large:.2?}");
    let [small_t, large_t] = [20, 160].map(|n| forward_ratio(&make(n)));
    println!("{name}, T: {small_t:.2} {large_t:.2}");
    assert!(large_t <= 1.2 * small_t, "{name}, T: {small_t:.2} then {large_t:.2}");
    for order in 0..3 {
        assert!(large[order] <= 1.2 * small[order], "{name}, J^{}: {small:.2?} then {large:.2?}", order + 1);
    }
}

#[test]
fn straight_line_code_derives_to_a_constant_multiple() {
    stays_linear("straight line", |n| straight_line(n, &mut Random::new(7)));
}

#[test]
fn branches_one_after_the_other_derive_to_a_constant_multiple() {
    stays_linear("branches", |n| branching(n, &mut Random::new(7)));
}

#[test]
fn branches_inside_branches_derive_to_a_constant_multiple() {
    stays_linear("nested branches", nested);
}

#[test]
fn functions_inside_functions_derive_to_a_constant_multiple() {
    stays_linear("closures", closures);
}
