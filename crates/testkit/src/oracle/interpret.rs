//! L1, evaluated: what a function means, without J and T.
//!
//! In: a function value and its argument. Out: its value, or why there is none. Tail calls take no stack.

use std::rc::Rc;

use base::Name;
use calculus::{Atom, Binding, Block, Const, Expr, Failure as Fail, Field, Form as Demand, Group, Root};

use super::value::{Form, Fun, Val};
use super::{Failure, Oracle};

/// What running a block in tail position led to.
pub(super) enum Flow {
    Value(Val),
    Call(Val, Val),
}

type Result<T> = std::result::Result<T, Failure>;

/// The variables of a function that runs.
type Slots = Vec<Option<Val>>;

impl Oracle<'_> {
    /// f(x)
    pub fn apply(&mut self, f: &Val, x: &Val) -> Result<Val> {
        let (mut f, mut x) = (f.clone(), x.clone());
        loop {
            self.steps += 1;
            if self.steps > self.max_steps {
                return Err(Failure::Limit);
            }
            let Val::Function(function) = &f else { return Err(Failure::program("no function")) };
            let flow = match &**function {
                Fun::Prim(prim) => return self.prim(*prim, &x),
                Fun::Intrinsic(intrinsic, known) => return self.intrinsic(*intrinsic, known, &x),
                Fun::Closure { group, member, captured } => {
                    let (group, member) = (group.clone(), *member);
                    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.run(&group, member, captured, &x))?
                }
            };
            match flow {
                Flow::Value(value) => return Ok(value),
                Flow::Call(next, argument) => (f, x) = (next, argument),
            }
        }
    }

    /// f(a, b)
    pub fn apply2(&mut self, f: &Val, a: Val, b: Val) -> Result<Val> {
        self.apply(f, &Val::tuple(vec![a, b]))
    }

    fn run(&mut self, group: &Rc<Group>, member: usize, captured: &[Val], x: &Val) -> Result<Flow> {
        let lambda = &group.members[member];
        let mut slots: Slots = vec![None; lambda.vars.len()];
        slots[0] = Some(x.clone());
        for (capture, value) in captured.iter().enumerate() {
            slots[group.capture_var(capture).0 as usize] = Some(value.clone());
        }
        for sibling in 0..group.members.len() {
            let function = Fun::Closure { group: group.clone(), member: sibling, captured: captured.to_vec() };
            slots[group.member_var(sibling).0 as usize] = Some(Val::Function(Rc::new(function)));
        }
        self.block(&lambda.body, &mut slots)
    }

    fn block(&mut self, block: &Block, slots: &mut Slots) -> Result<Flow> {
        for (at, binding) in block.bindings.iter().enumerate() {
            match binding {
                Binding::Let { var, expr, .. } => {
                    let is_tail = at + 1 == block.bindings.len() && block.result == Atom::Var(*var);
                    let flow = self.expr(expr, slots)?;
                    match flow {
                        Flow::Call(..) if is_tail => return Ok(flow),
                        Flow::Call(f, x) => slots[var.0 as usize] = Some(self.apply(&f, &x)?),
                        Flow::Value(value) => slots[var.0 as usize] = Some(value),
                    }
                }
                Binding::Functions { vars, group, lifted, captured, .. } => {
                    if *lifted > 0 {
                        return Err(Failure::Uncovered("derived code".into()));
                    }
                    let captured: Vec<Val> =
                        captured.iter().map(|atom| self.atom(atom, slots)).collect::<Result<_>>()?;
                    for (member, var) in vars.iter().enumerate() {
                        let function = Fun::Closure { group: group.clone(), member, captured: captured.clone() };
                        slots[var.0 as usize] = Some(Val::Function(Rc::new(function)));
                    }
                }
            }
        }
        Ok(Flow::Value(self.atom(&block.result, slots)?))
    }

    fn atom(&mut self, atom: &Atom, slots: &Slots) -> Result<Val> {
        Ok(match atom {
            Atom::Var(var) => slots[var.0 as usize].clone().expect("L1 is checked: a variable is bound before its use"),
            Atom::Const(constant) => match constant {
                Const::Unit => Val::unit(),
                Const::Bool(b) => Val::Bool(*b),
                Const::Int(i) => Val::Int(*i),
                Const::Real(x) => Val::f64(*x),
                Const::Text(text) => Val::Text(text.clone()),
                Const::Zero => return Err(Failure::Uncovered("a symbolic zero".into())),
            },
            Atom::Root(Root::Prim(prim), 0) => Val::Function(Rc::new(Fun::Prim(*prim))),
            Atom::Root(Root::Global(id), 0) => self.global(*id)?,
            Atom::Root(..) => return Err(Failure::Uncovered("derived code".into())),
        })
    }

    fn atoms<'a>(&mut self, atoms: impl IntoIterator<Item = &'a Atom>, slots: &Slots) -> Result<Vec<Val>> {
        atoms.into_iter().map(|atom| self.atom(atom, slots)).collect()
    }

    fn expr(&mut self, expr: &Expr, slots: &mut Slots) -> Result<Flow> {
        let value = match expr {
            Expr::Atom(atom) => self.atom(atom, slots)?,
            Expr::Apply { f, x, order: 0 } => {
                return Ok(Flow::Call(self.atom(f, slots)?, self.atom(x, slots)?));
            }
            Expr::Tuple(atoms) => Val::tuple(self.atoms(atoms, slots)?),
            Expr::Record(fields) => {
                let labels = fields.iter().map(|(label, _)| *label).collect();
                Val::data(Form::Record(labels), self.atoms(fields.iter().map(|(_, atom)| atom), slots)?)
            }
            Expr::Variant(constructor, atoms) => {
                Val::data(Form::Variant(constructor.clone()), self.atoms(atoms, slots)?)
            }
            Expr::Array(atoms) => Val::array(self.atoms(atoms, slots)?)?,
            Expr::Get(atom, field) => get(&self.atom(atom, slots)?, field)?,
            Expr::With(record, label, value) => with(&self.atom(record, slots)?, *label, self.atom(value, slots)?)?,
            Expr::Is(atom, demand) => Val::Bool(has_form(&self.atom(atom, slots)?, demand)),
            Expr::Check(atom, demand) => {
                let value = self.atom(atom, slots)?;
                if !has_form(&value, demand) {
                    return Err(Failure::program("a pattern doesn't fit"));
                }
                value
            }
            Expr::If(condition, then, otherwise) => {
                let chosen = match self.atom(condition, slots)? {
                    Val::Bool(true) => then,
                    Val::Bool(false) => otherwise,
                    _ => return Err(Failure::program("a condition is no boolean")),
                };
                return stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.block(chosen, slots));
            }
            Expr::Fail(failure, _) => {
                return Err(Failure::program(match failure {
                    Fail::NoMatch => "no arm fits",
                    Fail::Pattern => "a pattern doesn't fit",
                    Fail::Assertion => "an assertion doesn't hold",
                }));
            }
            Expr::Apply { .. } | Expr::Pull { .. } | Expr::Inject(..) | Expr::Omit(..) | Expr::Plus(..) => {
                return Err(Failure::Uncovered("derived code".into()));
            }
            Expr::Tangent { .. } => return Err(Failure::Uncovered("T of a function".into())),
        };
        Ok(Flow::Value(value))
    }
}

fn get(value: &Val, field: &Field) -> Result<Val> {
    let missing = || Failure::program("a part that isn't there");
    match (value, field) {
        (Val::Data(data), Field::Position(i)) if data.form == Form::Tuple => {
            data.fields.get(*i as usize).cloned().ok_or_else(missing)
        }
        (Val::Data(data), Field::Payload(constructor, i)) => match &data.form {
            Form::Variant(made) if made == constructor => Ok(data.fields[*i as usize].clone()),
            _ => Err(missing()),
        },
        (Val::Data(data), Field::Name(name)) => match &data.form {
            Form::Record(labels) => {
                labels.iter().position(|label| label == name).map(|at| data.fields[at].clone()).ok_or_else(missing)
            }
            _ => Err(missing()),
        },
        (Val::Array(array), Field::Element(i, _)) if (*i as usize) < array.len() => Ok(array.row(*i as usize)),
        _ => Err(missing()),
    }
}

fn with(record: &Val, label: Name, value: Val) -> Result<Val> {
    if let Val::Data(data) = record
        && let Form::Record(labels) = &data.form
        && let Some(at) = labels.iter().position(|known| *known == label)
    {
        let mut fields = data.fields.clone();
        fields[at] = value;
        return Ok(Val::data(data.form.clone(), fields));
    }
    Err(Failure::program("a field that isn't there"))
}

fn has_form(value: &Val, demand: &Demand) -> bool {
    match (value, demand) {
        (Val::Data(data), Demand::Arguments(n) | Demand::Tuple(n)) => {
            data.form == Form::Tuple && data.fields.len() == *n as usize
        }
        (Val::Data(data), Demand::Constructor(constructor)) => {
            matches!(&data.form, Form::Variant(made) if made == constructor)
        }
        (Val::Data(data), Demand::Record(wanted)) => {
            matches!(&data.form, Form::Record(labels) if wanted.iter().all(|label| labels.contains(label)))
        }
        (Val::Array(array), Demand::Array(n)) => array.len() == *n as usize,
        _ => false,
    }
}
