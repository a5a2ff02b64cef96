//! The body of a sum on eight turns at once, as vectors of LLVM's: the eight partial sums that `numerics::summation` defines then stay in registers.
//!
//! In: a body in which every turn does the same and nothing can fail, and the number of the first of eight turns. Out: their eight values, or nothing if the body isn't
//! so. Always: each lane does the operations of its turn in their order, so it has the bits of one turn.

use first_order::Scalar;
use loops::{Atom, Block, End, Leaf, Op, Statement, Var};
use rustc_hash::FxHashMap;

use super::body::Body;
use super::memory::LENGTH;
use super::scalars::real;

pub(super) const LANES: usize = numerics::summation::LANES;
/// Bodies of more statements are written once, not for whole rows and for the rest: the chain of additions isn't what they wait for.
const MOST_STATEMENTS: usize = 40;
/// The number of each lane.
pub(super) const NUMBERS: &str = "<i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>";

/// What a module with such sums declares.
pub(super) const TEXT: &str = "
declare <8 x double> @llvm.masked.load.v8f64.p0(ptr, i32, <8 x i1>, <8 x double>)
declare <8 x double> @llvm.fabs.v8f64(<8 x double>)
declare <8 x double> @llvm.floor.v8f64(<8 x double>)
declare <8 x double> @llvm.ceil.v8f64(<8 x double>)
declare <8 x double> @llvm.roundeven.v8f64(<8 x double>)
declare <8 x double> @llvm.trunc.v8f64(<8 x double>)
declare <8 x double> @llvm.sqrt.v8f64(<8 x double>)
";

/// Which of the eight turns there are.
#[derive(Clone, Copy)]
pub(super) enum Turns<'a> {
    All,
    /// Those of this mask.
    Some(&'a str),
}

/// How a variable of the body differs between turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// An int or a pointer that is the same in all turns.
    Same,
    /// An int that is one more in each turn; the name is that of the first.
    Counting,
    /// A real or a bool: eight of them.
    Lanes,
}

/// The kinds of the variables of a body, where it can be done so.
pub(super) struct Plan {
    kinds: FxHashMap<Var, Kind>,
}

impl Plan {
    /// The leaves are those of the function's variables.
    pub(super) fn of(index: Var, body: &Block, leaves: &[Leaf]) -> Option<Plan> {
        let End::Yield(_) = body.end else { return None };
        if body.statements.len() > MOST_STATEMENTS {
            return None;
        }
        let mut plan = Plan { kinds: FxHashMap::from_iter([(index, Kind::Counting)]) };
        for statement in &body.statements {
            let kind = plan.kind_of(&statement.op, &statement.vars, leaves)?;
            plan.kinds.extend(statement.vars.iter().map(|var| (*var, kind)));
        }
        Some(plan)
    }

    fn kind(&self, atom: &Atom) -> Kind {
        match atom {
            Atom::Var(var) => self.kinds.get(var).copied().unwrap_or(Kind::Same),
            _ => Kind::Same,
        }
    }

    fn kind_of(&self, op: &Op, vars: &[Var], leaves: &[Leaf]) -> Option<Kind> {
        let of_leaf = |leaf: Leaf| if matches!(leaf, Leaf::Real | Leaf::Bool) { Kind::Lanes } else { Kind::Same };
        match op {
            Op::Scalar(scalar, atoms) => self.has_lanes(*scalar, atoms).then_some(Kind::Lanes),
            Op::IndexAdd(a, b) => match (self.kind(a), self.kind(b)) {
                (Kind::Same, Kind::Same) => Some(Kind::Same),
                (Kind::Same, Kind::Counting) | (Kind::Counting, Kind::Same) => Some(Kind::Counting),
                _ => None,
            },
            Op::IndexMul(a, b) => (self.kind(a) == Kind::Same && self.kind(b) == Kind::Same).then_some(Kind::Same),
            Op::Axis(array, _) => (self.kind(array) == Kind::Same).then_some(Kind::Same),
            Op::LoadElement { array, at, words, columns, .. } if self.kind(array) == Kind::Same => {
                let [var] = vars else { return None };
                let leaf = leaves[var.0 as usize];
                match self.kind(at) {
                    Kind::Same if leaf.is_pointer() || leaf == Leaf::Bool || *columns => None,
                    Kind::Same => Some(of_leaf(leaf)),
                    Kind::Counting => (leaf == Leaf::Real && *words == 1 && !columns).then_some(Kind::Lanes),
                    Kind::Lanes => None,
                }
            }
            _ => None,
        }
    }

    /// Is there an instruction for eight of this operation?
    fn has_lanes(&self, scalar: Scalar, atoms: &[Atom]) -> bool {
        use Scalar as S;
        match scalar {
            S::ToReal => self.kind(&atoms[0]) != Kind::Lanes,
            S::Add | S::Sub | S::Mul | S::Div | S::Neg | S::Abs | S::Floor | S::Ceil | S::Round | S::Trunc => true,
            S::Sqrt | S::Minimum | S::Maximum | S::Eq | S::Ne | S::Lt | S::Le | S::Gt | S::Ge => true,
            S::IsNan | S::BoolToReal | S::Not | S::Select => true,
            _ => false,
        }
    }
}

/// A body as it is written once: the names of its variables, which differ from one time to the next.
pub(super) struct Lanes<'b, 'p> {
    body: &'b mut Body<'p>,
    plan: &'b Plan,
    names: FxHashMap<Var, String>,
    turns: Turns<'b>,
}

impl<'b, 'p> Lanes<'b, 'p> {
    /// `first`: the number of the first turn.
    pub(super) fn new(body: &'b mut Body<'p>, plan: &'b Plan, index: Var, first: &str, turns: Turns<'b>) -> Self {
        Lanes { body, plan, names: FxHashMap::from_iter([(index, first.to_string())]), turns }
    }

    /// Writes the body; gives its eight values.
    pub(super) fn values(mut self, block: &Block) -> String {
        for Statement { vars, op, span } in &block.statements {
            self.body.at(*span);
            let name = self.statement(op, vars);
            self.names.extend(vars.iter().map(|var| (*var, name.clone())));
        }
        match &block.end {
            End::Yield(atoms) => self.vector(&atoms[0]),
            _ => unreachable!("emission: a body with a plan yields"),
        }
    }

    fn statement(&mut self, op: &Op, vars: &[Var]) -> String {
        match op {
            Op::Scalar(scalar, atoms) => self.scalar(*scalar, atoms),
            Op::IndexAdd(a, b) => self.value("add nsw i64", a, b),
            Op::IndexMul(a, b) => self.value("mul nsw i64", a, b),
            Op::Axis(array, axis) => {
                let array = self.name(array);
                let place = self.body.length_word(&array, *axis);
                self.body.value(format_args!("load i64, ptr {place}, {LENGTH}"))
            }
            Op::LoadElement { array, rank, words, at, .. } => {
                let (array, counting) = (self.name(array), self.plan.kind(at) == Kind::Counting);
                let at = self.name(at);
                let place = self.body.element_of(&array, *rank, *words, &at);
                match (counting, self.body.leaf_of(&Atom::Var(vars[0]))) {
                    (true, _) => self.load_lanes(&place),
                    (false, Leaf::Real) => {
                        let one = self.body.value(format_args!("load double, ptr {place}, !tbaa !12"));
                        self.splat("double", &one)
                    }
                    (false, _) => self.body.value(format_args!("load i64, ptr {place}, !tbaa !11")),
                }
            }
            other => unreachable!("emission: {other:?} has no plan"),
        }
    }

    fn load_lanes(&mut self, place: &str) -> String {
        match self.turns {
            Turns::All => self.body.value(format_args!("load <8 x double>, ptr {place}, align 8, !tbaa !12")),
            Turns::Some(mask) => {
                let args = format!("ptr {place}, i32 8, <8 x i1> {mask}, <8 x double> zeroinitializer");
                self.body.value(format_args!("call <8 x double> @llvm.masked.load.v8f64.p0({args}), !tbaa !12"))
            }
        }
    }

    /// What is the same in all turns or counts, as of the first.
    fn name(&self, atom: &Atom) -> String {
        match atom {
            Atom::Var(var) => self.names.get(var).cloned().unwrap_or_else(|| self.body.atom(atom)),
            constant => self.body.atom(constant),
        }
    }

    fn value(&mut self, op: &str, a: &Atom, b: &Atom) -> String {
        let (a, b) = (self.name(a), self.name(b));
        self.body.value(format_args!("{op} {a}, {b}"))
    }

    fn splat(&mut self, ty: &str, one: &str) -> String {
        let first = self.body.value(format_args!("insertelement <8 x {ty}> poison, {ty} {one}, i64 0"));
        self.body.value(format_args!("shufflevector <8 x {ty}> {first}, <8 x {ty}> poison, <8 x i32> zeroinitializer"))
    }

    /// A real or a bool in all lanes.
    fn vector(&mut self, atom: &Atom) -> String {
        match atom {
            Atom::Real(x) => format!("splat (double {})", real(*x)),
            Atom::Bool(b) => format!("splat (i1 {b})"),
            _ if self.plan.kind(atom) == Kind::Lanes => self.name(atom),
            _ => {
                let (ty, one) = (super::type_of(self.body.leaf_of(atom)), self.name(atom));
                self.splat(ty, &one)
            }
        }
    }

    fn scalar(&mut self, scalar: Scalar, atoms: &[Atom]) -> String {
        use Scalar as S;
        if scalar == S::ToReal {
            return self.numbers(&atoms[0]);
        }
        let args: Vec<String> = atoms.iter().map(|atom| self.vector(atom)).collect();
        let arg = |at: usize| args.get(at).map_or("", String::as_str);
        let (a, b) = (arg(0), arg(1));
        let body = &mut *self.body;
        let intrinsic = |name: &str| format!("call <8 x double> @llvm.{name}.v8f64(<8 x double> {a})");
        let compare = |how: &str, a: &str, b: &str| format!("fcmp {how} <8 x double> {a}, {b}");
        let instruction = match scalar {
            S::Add => format!("fadd <8 x double> {a}, {b}"),
            S::Sub => format!("fsub <8 x double> {a}, {b}"),
            S::Mul => format!("fmul <8 x double> {a}, {b}"),
            S::Div => format!("fdiv <8 x double> {a}, {b}"),
            S::Neg => format!("fneg <8 x double> {a}"),
            S::Abs => intrinsic("fabs"),
            S::Floor => intrinsic("floor"),
            S::Ceil => intrinsic("ceil"),
            S::Round => intrinsic("roundeven"),
            S::Trunc => intrinsic("trunc"),
            S::Sqrt => intrinsic("sqrt"),
            S::Minimum | S::Maximum => {
                let how = if scalar == S::Minimum { "olt" } else { "ogt" };
                let beyond = body.value(format_args!("{}", compare(how, b, a)));
                let nan = body.value(format_args!("{}", compare("uno", b, b)));
                let second = body.value(format_args!("or <8 x i1> {beyond}, {nan}"));
                format!("select <8 x i1> {second}, <8 x double> {b}, <8 x double> {a}")
            }
            S::Eq => compare("oeq", a, b),
            S::Ne => compare("une", a, b),
            S::Lt => compare("olt", a, b),
            S::Le => compare("ole", a, b),
            S::Gt => compare("ogt", a, b),
            S::Ge => compare("oge", a, b),
            S::IsNan => compare("uno", a, a),
            S::BoolToReal => format!("uitofp <8 x i1> {a} to <8 x double>"),
            S::Not => format!("xor <8 x i1> {a}, splat (i1 true)"),
            S::Select => format!("select <8 x i1> {a}, <8 x double> {b}, <8 x double> {}", arg(2)),
            other => unreachable!("emission: {other:?} has no lanes"),
        };
        body.value(format_args!("{instruction}"))
    }

    /// An int as reals.
    fn numbers(&mut self, int: &Atom) -> String {
        let one = self.name(int);
        let mut all = self.splat("i64", &one);
        if self.plan.kind(int) == Kind::Counting {
            all = self.body.value(format_args!("add nsw <8 x i64> {all}, {NUMBERS}"));
        }
        self.body.value(format_args!("sitofp <8 x i64> {all} to <8 x double>"))
    }
}
