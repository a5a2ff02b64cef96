//! Halves and doubles that undo each other are not computed.
//!
//! Derivatives are full of them: that of `sqrt(x*x + y*y)` takes half of something and adds the product with x to itself. To multiply by a
//! power of two is exact, so where everything that reads a value doubles it in the end, the value may as well be computed doubled from
//! the start, if that costs nothing: somewhere before it is multiplied by a constant. The bits of results stay the same, except where
//! a value in between lies so near to the largest or smallest numbers that the power of two decides whether it is one.
//!
//! A plan says for each variable by which power of two it is computed larger (0: as before). In it, always: what reads such a
//! variable is a product by a constant, which takes the power away again, or is itself computed larger by the same power.

use first_order::{Atom, Block, Function, Op, Program, Scalar, Var};

use crate::walk::{each_op, each_op_mut, end_atoms, has_blocks};

/// No value is computed larger or smaller by more than two to this.
const MOST: i32 = 4;
/// Plans that haven't settled after so many rounds are given up.
const ROUNDS: usize = 16;

pub fn run(program: &mut Program) {
    program.functions.iter_mut().for_each(function);
}

fn function(function: &mut Function) {
    let plan = Plan::new(function);
    if plan.is_empty() {
        return;
    }
    each_op_mut(&mut function.body, &mut |var, op| {
        if let Some(scaled) = plan.scaled(var, op) {
            *op = scaled;
        }
    });
}

/// What an operation has to do with powers of two.
enum Role<'a> {
    /// The constant times the variable.
    Times(f64, Var),
    /// The constant divided by something else.
    Over(f64, &'a Atom),
    Product(&'a Atom, &'a Atom),
    Quotient(&'a Atom, &'a Atom),
    /// Both must be scaled for it to be.
    Sum(&'a Atom, &'a Atom),
    Neg(&'a Atom),
    Other,
}

fn role<'a>(op: &'a Op) -> Role<'a> {
    let Op::Scalar(scalar, args) = op else { return Role::Other };
    match (scalar, &args[..]) {
        (Scalar::Add, [Atom::Var(x), Atom::Var(y)]) if x == y => Role::Times(2.0, *x),
        (Scalar::Mul, [Atom::Real(c), Atom::Var(x)] | [Atom::Var(x), Atom::Real(c)]) => Role::Times(*c, *x),
        (Scalar::Div, [Atom::Var(x), Atom::Real(c)]) if exponent(*c).is_some() => Role::Times(1.0 / c, *x),
        (Scalar::Div, [Atom::Real(c), x]) => Role::Over(*c, x),
        (Scalar::Mul, [x, y]) if x != y => Role::Product(x, y),
        (Scalar::Div, [x, y]) => Role::Quotient(x, y),
        (Scalar::Add | Scalar::Sub, [x, y]) => Role::Sum(x, y),
        (Scalar::Neg, [x]) => Role::Neg(x),
        _ => Role::Other,
    }
}

/// What those who read a variable would like it to be multiplied by.
#[derive(Clone, Copy, PartialEq)]
enum Wish {
    /// By anything.
    Any,
    /// By two to this.
    Power(i32),
    Nothing,
}

impl Wish {
    fn and(self, other: Wish) -> Wish {
        match (self, other) {
            (Wish::Any, wish) | (wish, Wish::Any) => wish,
            (one, other) if one == other => one,
            _ => Wish::Nothing,
        }
    }
}

struct Plan {
    powers: Vec<i32>,
}

impl Plan {
    fn new(function: &Function) -> Plan {
        let mut operations = vec![];
        each_op(&function.body, &mut |var, op| {
            if let Op::Scalar(..) = op {
                operations.push((var, role(op)));
            }
        });
        let doubles = operations.iter().any(|(_, role)| matches!(role, Role::Times(c, _) if exponent(*c).is_some()));
        let mut plan = Plan { powers: vec![0; if doubles { function.vars.len() } else { 0 }] };
        if doubles {
            plan.wish(function, &operations);
            plan.settle(&operations);
        }
        plan
    }

    fn is_empty(&self) -> bool {
        self.powers.iter().all(|power| *power == 0)
    }

    fn of(&self, atom: &Atom) -> i32 {
        match atom {
            Atom::Var(var) => self.powers[var.0 as usize],
            _ => 0,
        }
    }

    /// Each variable gets the power that all its readers wish.
    fn wish(&mut self, function: &Function, operations: &[(Var, Role)]) {
        let mut wishes = vec![Wish::Any; function.vars.len()];
        refuse(&function.body, &mut wishes);
        for (var, role) in operations.iter().rev() {
            let wished = wishes[var.0 as usize];
            let mut add = |atom: &Atom, wish: Wish| {
                if let Atom::Var(var) = atom {
                    let of = &mut wishes[var.0 as usize];
                    *of = of.and(wish);
                }
            };
            // Where any power will do, none is better.
            let passed = if wished == Wish::Any { Wish::Nothing } else { wished };
            match role {
                Role::Times(c, x) => add(&Atom::Var(*x), exponent(*c).map_or(Wish::Any, Wish::Power)),
                Role::Quotient(x, y) => {
                    add(x, passed);
                    add(y, if let Wish::Power(power) = passed { Wish::Power(-power) } else { Wish::Nothing });
                }
                Role::Product(x, y) | Role::Sum(x, y) => {
                    add(x, passed);
                    add(y, passed);
                }
                Role::Neg(x) => add(x, passed),
                Role::Over(..) | Role::Other => {}
            }
        }
        for (power, wish) in self.powers.iter_mut().zip(wishes) {
            if let Wish::Power(wished) = wish
                && wished.abs() <= MOST
            {
                *power = wished;
            }
        }
        // What no operation here computes can't be computed otherwise.
        let mut computed = vec![false; self.powers.len()];
        operations.iter().for_each(|(var, _)| computed[var.0 as usize] = true);
        self.powers.iter_mut().zip(computed).filter(|(_, computed)| !computed).for_each(|(power, _)| *power = 0);
    }

    /// Takes away what breaks the rule, until nothing does.
    fn settle(&mut self, operations: &[(Var, Role)]) {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for (var, role) in operations {
                changed |= self.agree(*var, role);
            }
            for (var, role) in operations.iter().rev() {
                changed |= self.agree(*var, role);
            }
            if !changed {
                return;
            }
        }
        self.powers.fill(0);
    }

    /// Makes the powers of an operation and what it reads agree by taking some away; says whether it did.
    fn agree(&mut self, var: Var, role: &Role) -> bool {
        let power = self.powers[var.0 as usize];
        let mut dropped = vec![];
        match role {
            Role::Times(c, x) if !exact(*c, power - self.powers[x.0 as usize]) => {
                dropped.extend([Atom::Var(var), Atom::Var(*x)]);
            }
            Role::Over(c, _) if !exact(*c, power) => dropped.push(Atom::Var(var)),
            Role::Times(..) | Role::Over(..) => {}
            Role::Product(x, y) | Role::Quotient(x, y) => {
                let sign = if matches!(role, Role::Quotient(..)) { -1 } else { 1 };
                match (self.of(x), sign * self.of(y)) {
                    (0, 0) => dropped.extend((power != 0).then_some(Atom::Var(var))),
                    (_, 0) if self.of(x) != power => dropped.push((*x).clone()),
                    (0, of) if of != power => dropped.push((*y).clone()),
                    (0, _) | (_, 0) => {}
                    _ => dropped.push((*y).clone()),
                }
            }
            Role::Sum(x, y) if self.of(x) != power || self.of(y) != power => {
                dropped.extend([Atom::Var(var), (*x).clone(), (*y).clone()]);
            }
            Role::Neg(x) if self.of(x) != power => dropped.extend([Atom::Var(var), (*x).clone()]),
            Role::Sum(..) | Role::Neg(_) => {}
            Role::Other if power != 0 => dropped.push(Atom::Var(var)),
            Role::Other => {}
        }
        let mut changed = false;
        for atom in dropped {
            if let Atom::Var(var) = atom {
                changed |= std::mem::take(&mut self.powers[var.0 as usize]) != 0;
            }
        }
        changed
    }

    /// The operation by the plan, if it is another.
    fn scaled(&self, var: Var, op: &Op) -> Option<Op> {
        let power = self.powers[var.0 as usize];
        match role(op) {
            Role::Times(c, x) => {
                let by = power - self.powers[x.0 as usize];
                let x = Atom::Var(x);
                (by != 0).then(|| match c * two_to(by) {
                    1.0 => Op::Atom(x),
                    -1.0 => Op::Scalar(Scalar::Neg, vec![x]),
                    c => Op::Scalar(Scalar::Mul, vec![Atom::Real(c), x]),
                })
            }
            Role::Over(c, x) if power != 0 => {
                Some(Op::Scalar(Scalar::Div, vec![Atom::Real(c * two_to(power)), x.clone()]))
            }
            _ => None,
        }
    }
}

/// What is read by anything but arithmetic stays as it is.
fn refuse(block: &Block, wishes: &mut [Wish]) {
    let mut refused = |atom: &Atom| {
        if let Atom::Var(var) = atom {
            wishes[var.0 as usize] = Wish::Nothing;
        }
    };
    end_atoms(&block.end, &mut refused);
    for statement in &block.statements {
        match role(&statement.op) {
            Role::Other => statement.op.atoms(&mut refused),
            Role::Over(_, x) => refused(x),
            _ => {}
        }
    }
    for statement in block.statements.iter().filter(|statement| has_blocks(&statement.op)) {
        crate::deep(|| statement.op.blocks(&mut |_, inner| refuse(inner, wishes)));
    }
}

/// The k of ±2ᵏ, other than 0.
fn exponent(c: f64) -> Option<i32> {
    let power = (c.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    (c.is_normal() && c.to_bits().trailing_zeros() >= 52 && power != 0).then_some(power)
}

/// Is the constant times two to this exact?
fn exact(c: f64, power: i32) -> bool {
    power == 0 || c == 0.0 || (c.is_normal() && (c * two_to(power)).is_normal())
}

fn two_to(power: i32) -> f64 {
    f64::from(power).exp2()
}
