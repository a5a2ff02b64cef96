//! One statement at a time.

use first_order::{Atom, Block, End, Op, Scalar, Statement, Type, Var};

use super::{Flow, Known, Settled, Simplifier};
use crate::analyses::effects::PURE;
use crate::rewriting::constant_folding::{fold, identical};
use crate::rewriting::walk::{self, discard};

impl Simplifier<'_> {
    pub(super) fn statement(&mut self, statement: Statement, out: &mut Vec<Statement>) -> Flow {
        let Statement { var, mut op, span } = statement;
        walk::atoms_mut(&mut op, &mut |atom| self.resolve(atom));
        match op {
            Op::Switch(on, arms) => crate::deep(|| self.switch(var, on, arms, span, out)),
            Op::If(condition, then, otherwise) => {
                crate::deep(|| self.branch(var, condition, [*then, *otherwise], span, out))
            }
            Op::Loop { params, body } => crate::deep(|| self.repeat(var, params, *body, span, out)),
            Op::Tabulate { n, index, body } => {
                let (body, inside) = crate::deep(|| self.within(&[index], *body));
                match &n {
                    Atom::Int(n) => self.know(var, Known::Length(Atom::Int((*n).max(0)))),
                    n if matches!(self.known(n), Known::IsLength) => self.know(var, Known::Length(n.clone())),
                    _ => {}
                }
                let count = n.clone();
                self.push(out, Statement { var, op: Op::Tabulate { n, index, body: Box::new(body) }, span }, inside);
                self.counted(var, &count);
                Flow::Next
            }
            Op::Sum { n, index, body } => {
                let (body, inside) = crate::deep(|| self.within(&[index], *body));
                self.push(out, Statement { var, op: Op::Sum { n, index, body: Box::new(body) }, span }, inside);
                Flow::Next
            }
            Op::Require(condition, code) => self.require(var, condition, code, span, out),
            Op::Fail(_) => {
                self.push(out, Statement { var, op, span }, PURE);
                Flow::Ends(End::Never)
            }
            op => {
                let op = self.rewritten(var, op);
                if self.as_products(var, &op, span, out) {
                    return Flow::Next;
                }
                let agreed = match &op {
                    Op::Field(whole, i) => self.agreed_part(var, whole, *i),
                    _ => None,
                };
                match agreed.or_else(|| self.value(var, &op)) {
                    Some(atom) => self.forward(var, atom),
                    None => {
                        self.learn(var, &op);
                        self.push(out, Statement { var, op, span }, PURE);
                    }
                }
                Flow::Next
            }
        }
    }

    /// From here on an array of so many elements can be made: there is one, and it takes room.
    fn counted(&mut self, array: Var, n: &Atom) {
        let sized = matches!(&self.vars[array.0 as usize], Type::Array(element, _) if **element != Type::unit());
        if let Atom::Var(n) = n
            && sized
            && matches!(self.known[n.0 as usize], Known::Nothing)
        {
            self.know_here(*n, Known::IsCount);
        }
    }

    /// From here on the condition holds.
    fn require(
        &mut self,
        var: Var,
        condition: Atom,
        code: base::Code,
        span: base::Span,
        out: &mut Vec<Statement>,
    ) -> Flow {
        if let Atom::Bool(false) = condition {
            self.push(out, Statement { var, op: Op::Fail(code), span }, PURE);
            return Flow::Ends(End::Never);
        }
        self.forward(var, Atom::Unit);
        let Atom::Var(c) = condition else { return Flow::Next };
        let same = match self.known[c.0 as usize].clone() {
            Known::Same(mut a, mut b) => {
                self.resolve(&mut a);
                self.resolve(&mut b);
                (a != b).then_some((a, b))
            }
            _ => None,
        };
        self.push(out, Statement { var, op: Op::Require(condition, code), span }, PURE);
        self.forward_here(c, Atom::Bool(true));
        // The one that was bound first stands for both.
        let same = same.map(|(a, b)| match (&a, &b) {
            (Atom::Var(x), Atom::Var(y)) if x > y => (b, a),
            (Atom::Var(_), Atom::Var(_)) | (_, Atom::Var(_)) => (a, b),
            _ => (b, a),
        });
        if let Some((other, Atom::Var(one))) = same {
            if let Atom::Var(other) = other {
                self.uses[other.0 as usize] += self.uses[one.0 as usize];
            }
            self.forward_here(one, other);
        }
        Flow::Next
    }

    /// The same by a simpler operation.
    fn rewritten(&mut self, var: Var, op: Op) -> Op {
        match op {
            Op::View(atom) if self.type_of(&atom) == Some(&self.vars[var.0 as usize]) => Op::Atom(atom),
            Op::Scalar(Scalar::BoolEq, args) => match &args[..] {
                [c, Atom::Bool(false)] | [Atom::Bool(false), c] => Op::Scalar(Scalar::Not, vec![c.clone()]),
                _ => Op::Scalar(Scalar::BoolEq, args),
            },
            // x + (-y) = x - y, (-y) + x = x - y, x - (-y) = x + y
            Op::Scalar(scalar @ (Scalar::Add | Scalar::Sub), args) => {
                let [x, y] = &args[..] else { return Op::Scalar(scalar, args) };
                let (other, x, y) = match (scalar, self.known(x), self.known(y)) {
                    (Scalar::Add, _, Known::Neg(y)) => (Scalar::Sub, x.clone(), y.clone()),
                    (Scalar::Add, Known::Neg(x), _) => (Scalar::Sub, y.clone(), x.clone()),
                    (Scalar::Sub, _, Known::Neg(y)) => (Scalar::Add, x.clone(), y.clone()),
                    _ => return Op::Scalar(scalar, args),
                };
                if let Atom::Var(y) = y {
                    self.uses[y.0 as usize] += 1;
                }
                Op::Scalar(other, vec![x, y])
            }
            op => op,
        }
    }

    /// Writes a power with a known exponent by products; says whether that was possible.
    fn as_products(&mut self, var: Var, op: &Op, span: base::Span, out: &mut Vec<Statement>) -> bool {
        let Op::Scalar(scalar, args) = op else { return false };
        // At most three of the operations that are written read the same operand.
        const READS: u32 = 3;
        let mut written = vec![];
        let value = first_order::fold::power(*scalar, args, &mut |op, args| {
            let var = self.fresh(Type::Real, READS);
            written.push(Statement { var, op: Op::Scalar(op, args), span });
            Atom::Var(var)
        });
        let Some(value) = value else { return false };
        if let Atom::Var(x) = args[0] {
            self.uses[x.0 as usize] += READS;
        }
        for statement in written {
            self.statement(statement, out);
        }
        self.forward(var, value);
        true
    }

    /// What the operation gives, if it is known.
    fn value(&self, var: Var, op: &Op) -> Option<Atom> {
        let of = &self.vars[var.0 as usize];
        match op {
            Op::Atom(atom) => Some(atom.clone()),
            Op::Scalar(Scalar::Not, args) => match self.known(&args[0]) {
                Known::Not(c) => Some(c.clone()),
                _ => fold(Scalar::Not, args),
            },
            Op::Scalar(Scalar::Length, args) => match self.known(&args[0]) {
                Known::IsLength => Some(args[0].clone()),
                _ => fold(Scalar::Length, args),
            },
            Op::Scalar(Scalar::IntMaximum, args)
                if args[1] == Atom::Int(0) && matches!(self.known(&args[0]), Known::IsLength) =>
            {
                Some(args[0].clone())
            }
            // x + 0.0 = x, unless x is -0.0
            Op::Scalar(Scalar::Add, args)
                if matches!(self.known(&args[0]), Known::IsNoMinusZero) && identical(&args[1], &Atom::Real(0.0)) =>
            {
                Some(args[0].clone())
            }
            Op::Scalar(scalar, args) => fold(*scalar, args),
            Op::Struct(fields) if fields.is_empty() => Some(Atom::Unit),
            Op::Struct(fields) => self.taken_apart(fields, of),
            Op::Field(atom, i) => match self.known(atom) {
                Known::Struct(fields) => Some(fields[*i as usize].clone()),
                _ => None,
            },
            Op::Box(content) => match self.known(content) {
                Known::Unbox(node) if self.type_of(node) == Some(of) => Some(node.clone()),
                _ => None,
            },
            Op::Unbox(node) => match self.known(node) {
                Known::Box(content) => Some(content.clone()),
                _ => None,
            },
            Op::Len(array) => match self.known(array) {
                Known::Length(n) => Some(n.clone()),
                Known::Array(elements) => Some(Atom::Int(elements.len() as i64)),
                Known::Shaped(_, lengths) => Some(lengths[0].clone()),
                _ => None,
            },
            Op::Axis(array, axis) => match self.known(array) {
                Known::Shaped(_, lengths) => Some(lengths[*axis as usize].clone()),
                _ => None,
            },
            Op::Flat(array) => match self.known(array) {
                Known::Shaped(vector, _) => Some(vector.clone()),
                _ => None,
            },
            Op::Dense(handle) => match self.known(handle) {
                Known::Collected(array) => Some(array.clone()),
                _ => None,
            },
            Op::Collected(array) => match self.known(array) {
                Known::Dense(handle) => Some(handle.clone()),
                _ => None,
            },
            Op::Element(array, indices) => match (self.known(array), &indices[..]) {
                (Known::Array(elements), [Atom::Int(i)]) => elements.get(usize::try_from(*i).ok()?).cloned(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The struct whose fields these all are, in order.
    fn taken_apart(&self, fields: &[Atom], of: &Type) -> Option<Atom> {
        let Known::Field(whole, 0) = self.known(&fields[0]) else { return None };
        let all = fields.iter().enumerate().all(
            |(i, field)| matches!(self.known(field), Known::Field(other, j) if other == whole && *j as usize == i),
        );
        (all && self.type_of(whole) == Some(of)).then(|| whole.clone())
    }

    fn learn(&mut self, var: Var, op: &Op) {
        let known = match op {
            Op::Struct(fields) => Known::Struct(fields.clone()),
            Op::Field(whole, i) => Known::Field(whole.clone(), *i),
            Op::Inject(tag, content) => Known::Inject(*tag, content.clone()),
            Op::Box(content) => Known::Box(content.clone()),
            Op::Unbox(node) => {
                if let Atom::Var(node) = node {
                    self.know_here(*node, Known::Box(Atom::Var(var)));
                }
                Known::Unbox(node.clone())
            }
            Op::Array(elements) if matches!(self.vars[var.0 as usize], Type::Array(_, 1)) => {
                Known::Array(elements.clone())
            }
            Op::Array(elements) => Known::Length(Atom::Int(elements.len() as i64)),
            Op::Scalar(Scalar::Not, args) => Known::Not(args[0].clone()),
            Op::Scalar(Scalar::Neg, args) => Known::Neg(args[0].clone()),
            Op::Scalar(Scalar::Abs, _) => Known::IsNoMinusZero,
            // A sum is -0.0 only if both terms are.
            Op::Scalar(Scalar::Add, args) if args.iter().any(|arg| self.is_no_minus_zero(arg)) => Known::IsNoMinusZero,
            Op::Len(array) => {
                if let Atom::Var(array) = array
                    && matches!(self.known[array.0 as usize], Known::Nothing)
                {
                    self.know_here(*array, Known::Length(Atom::Var(var)));
                }
                Known::IsLength
            }
            Op::Scalar(Scalar::Length, _) | Op::Axis(..) => Known::IsLength,
            Op::Shaped(vector, lengths) => Known::Shaped(vector.clone(), lengths.clone()),
            Op::Collected(array) => Known::Collected(array.clone()),
            Op::Dense(handle) => Known::Dense(handle.clone()),
            Op::Scalar(Scalar::IntEq, args) => Known::Same(args[0].clone(), args[1].clone()),
            _ => return,
        };
        self.know(var, known);
    }

    fn is_no_minus_zero(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Real(_) => !identical(atom, &Atom::Real(-0.0)),
            atom => matches!(self.known(atom), Known::IsNoMinusZero),
        }
    }

    fn switch(
        &mut self,
        var: Var,
        on: Atom,
        mut arms: Vec<(Var, Block)>,
        span: base::Span,
        out: &mut Vec<Statement>,
    ) -> Flow {
        if let Known::Inject(tag, content) = self.known(&on) {
            let (tag, content) = (*tag as usize, content.clone());
            let (bound, block) = arms.swap_remove(tag);
            arms.into_iter().for_each(|(_, block)| discard(block));
            self.forward(bound, content);
            return self.splice(var, block, out);
        }
        let statement = Statement { var, op: Op::Switch(on, arms), span };
        let Statement { op: Op::Switch(on, arms), .. } = (match self.push_into_arms(statement, out) {
            Ok(flow) => return flow,
            Err(statement) => statement,
        }) else {
            unreachable!("simplify: still a switch")
        };
        let mut inside = PURE;
        let mut new = Vec::with_capacity(arms.len());
        for (tag, (bound, block)) in arms.into_iter().enumerate() {
            let mark = self.trail.len();
            if let Atom::Var(on) = on {
                self.know_here(on, Known::Inject(tag as u32, Atom::Var(bound)));
            }
            let (block, effects) = self.within(&[bound], block);
            self.restore(mark);
            inside = inside.and(effects);
            new.push((bound, block));
        }
        self.choose(var, Op::Switch(on, new), inside, out, span)
    }

    fn branch(
        &mut self,
        var: Var,
        condition: Atom,
        blocks: [Block; 2],
        span: base::Span,
        out: &mut Vec<Statement>,
    ) -> Flow {
        let [then, otherwise] = blocks;
        match condition {
            Atom::Bool(chosen) => {
                let (block, other) = if chosen { (then, otherwise) } else { (otherwise, then) };
                discard(other);
                return self.splice(var, block, out);
            }
            Atom::Var(c) => {
                if let Known::Not(c) = &self.known[c.0 as usize] {
                    let c = c.clone();
                    if let Atom::Var(c) = c {
                        self.uses[c.0 as usize] += 1;
                    }
                    return self.branch(var, c, [otherwise, then], span, out);
                }
            }
            _ => {}
        }
        let op = Op::If(condition, Box::new(then), Box::new(otherwise));
        let Statement { op: Op::If(condition, then, otherwise), .. } =
            (match self.push_into_arms(Statement { var, op, span }, out) {
                Ok(flow) => return flow,
                Err(statement) => statement,
            })
        else {
            unreachable!("simplify: still an if")
        };
        let mut inside = PURE;
        let mut sides = [(true, then), (false, otherwise)].into_iter().map(|(side, block)| {
            let mark = self.trail.len();
            if let Atom::Var(c) = condition {
                self.forward_here(c, Atom::Bool(side));
            }
            let (block, effects) = self.block(*block);
            self.restore(mark);
            inside = inside.and(effects);
            Box::new(block)
        });
        let then = sides.next().expect("simplify: two sides");
        let otherwise = sides.next().expect("simplify: two sides");
        drop(sides);
        self.choose(var, Op::If(condition, then, otherwise), inside, out, span)
    }

    /// Is the result of a choice known?
    pub(super) fn settled(&self, var: Var, op: &Op) -> Settled {
        match op {
            Op::If(condition, then, otherwise) => {
                let (End::Yield(a), End::Yield(b)) = (&then.end, &otherwise.end) else { return Settled::Open };
                match (a, b) {
                    (Atom::Bool(true), Atom::Bool(false)) => Settled::Value(condition.clone()),
                    (Atom::Bool(false), Atom::Bool(true)) => Settled::Not(condition.clone()),
                    (a, b) if identical(a, b) => Settled::Value(a.clone()),
                    _ => Settled::Open,
                }
            }
            Op::Switch(on, arms) => self.settled_switch(var, on, arms),
            _ => Settled::Open,
        }
    }

    fn settled_switch(&self, var: Var, on: &Atom, arms: &[(Var, Block)]) -> Settled {
        let yields = || {
            arms.iter().map(|(_, block)| match &block.end {
                End::Yield(atom) => Some(atom),
                _ => None,
            })
        };
        if arms.len() > 1
            && let Some(Some(first)) = yields().next()
            && yields().all(|atom| atom.is_some_and(|atom| identical(atom, first)))
        {
            return Settled::Value(first.clone());
        }
        // Each arm makes the alternative again.
        let same = |(tag, (bound, block)): (usize, &(Var, Block))| {
            let End::Yield(atom) = &block.end else { return false };
            atom == on
                || matches!(self.known(atom), Known::Inject(other, content) if *other as usize == tag
                    && self.is_content(content, *bound))
        };
        if self.type_of(on) == Some(&self.vars[var.0 as usize]) && arms.iter().enumerate().all(same) {
            return Settled::Value(on.clone());
        }
        Settled::Open
    }

    fn is_content(&self, content: &Atom, bound: Var) -> bool {
        match content {
            Atom::Var(var) => *var == bound,
            Atom::Unit => self.vars[bound.0 as usize] == Type::unit(),
            _ => false,
        }
    }
}
