//! Scalar operations, as `eval::prims::{arithmetic, real}` define them.

use base::codes;
use first_order::Scalar;
use loops::{Atom, Var};
use wasm_encoder::ValType;

use crate::body::Body;
use crate::helpers::Helper;

/// The largest power of two that is no int, and the smallest int.
const LIMIT: f64 = 9_223_372_036_854_775_808.0;

impl Body<'_, '_> {
    /// Binds the result.
    pub(crate) fn scalar(&mut self, scalar: Scalar, atoms: &[Atom], out: Var) {
        use Scalar as S;
        let out = self.local(out);
        match scalar {
            S::IntAdd | S::IntSub => self.add_or_subtract(scalar, &atoms[0], &atoms[1], out),
            S::IntMul => self.multiply(&atoms[0], &atoms[1]),
            S::IntNeg => self.subtract(&Atom::Int(0), &atoms[0], out),
            S::IntAbs => self.int_abs(&atoms[0]),
            S::IntDiv | S::IntMod => self.divide(scalar, &atoms[0], &atoms[1]),
            S::IntMinimum | S::IntMaximum => {
                let (a, b) = (&atoms[0], &atoms[1]);
                [a, b, a, b].into_iter().for_each(|atom| self.get(atom));
                let mut i = self.i();
                if scalar == S::IntMinimum {
                    i.i64_lt_s()
                } else {
                    i.i64_gt_s()
                };
                i.select();
            }
            S::IntSign => {
                self.get(&Atom::Int(1));
                self.get(&atoms[0]);
                self.i().i64_const(63).i64_shr_s();
                self.get(&atoms[0]);
                self.i().i64_const(0).i64_gt_s().select();
            }
            S::IntPow => {
                self.context();
                self.get_all(atoms);
                self.span_words();
                self.call_runtime("rt_int_pow");
            }
            S::Sign => self.sign(&atoms[0]),
            S::Minimum | S::Maximum => self.extreme(scalar, &atoms[0], &atoms[1]),
            S::Remainder => {
                self.get_all(atoms);
                self.call_helper(Helper::Remainder);
            }
            S::Select => {
                [1, 2, 0].into_iter().for_each(|at| self.get(&atoms[at]));
                self.i().select();
            }
            S::ToInt => self.whole_part(&atoms[0]),
            S::IsNan => {
                self.get(&atoms[0]);
                self.get(&atoms[0]);
                self.i().f64_ne();
            }
            S::Function(number) => {
                self.get_all(atoms);
                self.call_helper(Helper::Function(number));
            }
            S::PowerSlope | S::PowerLog => {
                self.get_all(atoms);
                self.call_runtime(if scalar == S::PowerSlope { "rt_power_slope" } else { "rt_power_log" });
            }
            simple => {
                self.get_all(atoms);
                self.simple(simple);
            }
        }
        self.i().local_set(out);
    }

    fn get_all(&mut self, atoms: &[Atom]) {
        atoms.iter().for_each(|atom| self.get(atom));
    }

    /// What the operands on the stack are enough for.
    fn simple(&mut self, scalar: Scalar) {
        use Scalar as S;
        let mut i = self.i();
        match scalar {
            S::Add => i.f64_add(),
            S::Sub => i.f64_sub(),
            S::Mul => i.f64_mul(),
            S::Div => i.f64_div(),
            S::Neg => i.f64_neg(),
            S::Abs => i.f64_abs(),
            S::Floor => i.f64_floor(),
            S::Ceil => i.f64_ceil(),
            S::Round => i.f64_nearest(),
            S::Trunc => i.f64_trunc(),
            S::Sqrt => i.f64_sqrt(),
            S::Eq => i.f64_eq(),
            S::Ne => i.f64_ne(),
            S::Lt => i.f64_lt(),
            S::Le => i.f64_le(),
            S::Gt => i.f64_gt(),
            S::Ge => i.f64_ge(),
            S::IsFinite => i.f64_abs().f64_const(f64::INFINITY.into()).f64_lt(),
            S::IsHole => i.i64_reinterpret_f64().i64_const(i64::MIN).i64_eq(),
            S::IntEq => i.i64_eq(),
            S::IntNe => i.i64_ne(),
            S::IntLt => i.i64_lt_s(),
            S::IntLe => i.i64_le_s(),
            S::IntGt => i.i64_gt_s(),
            S::IntGe => i.i64_ge_s(),
            S::Length => &mut i,
            S::ToReal => i.f64_convert_i64_s(),
            S::BoolToReal => i.f64_convert_i32_u(),
            S::Not => i.i32_eqz(),
            S::BoolEq => i.i32_eq(),
            other => unreachable!("wasm: {other:?} isn't one instruction"),
        };
    }

    fn sign(&mut self, a: &Atom) {
        self.i().f64_const(1.0.into()).f64_const((-1.0).into());
        self.get(a);
        self.get(a);
        self.i().f64_const(0.0.into()).f64_lt().select();
        self.get(a);
        self.i().f64_const(0.0.into()).f64_gt().select();
    }

    /// b if it is beyond a or NaN, else a.
    fn extreme(&mut self, scalar: Scalar, a: &Atom, b: &Atom) {
        [b, a, b, a].into_iter().for_each(|atom| self.get(atom));
        let mut i = self.i();
        if scalar == Scalar::Minimum {
            i.f64_lt()
        } else {
            i.f64_gt()
        };
        self.get(b);
        self.get(b);
        self.i().f64_ne().i32_or().select();
    }

    fn add_or_subtract(&mut self, scalar: Scalar, a: &Atom, b: &Atom, out: u32) {
        match (scalar, a, b) {
            (Scalar::IntAdd, _, Atom::Int(step)) => self.step(a, *step),
            (Scalar::IntAdd, Atom::Int(step), _) => self.step(b, *step),
            (Scalar::IntSub, _, Atom::Int(step)) if *step != i64::MIN => self.step(a, -*step),
            (Scalar::IntAdd, ..) => {
                // It overflowed if the sign of the sum is that of neither.
                self.get_all(&[*a, *b]);
                self.i().i64_add().local_set(out);
                self.get(a);
                self.i().local_get(out).i64_xor();
                self.get(b);
                self.i().local_get(out).i64_xor();
                self.fail_if_both_negative(out);
            }
            _ => self.subtract(a, b, out),
        }
    }

    fn subtract(&mut self, a: &Atom, b: &Atom, out: u32) {
        // It overflowed if the signs differ, and that of the difference isn't a's.
        self.get_all(&[*a, *b]);
        self.i().i64_sub().local_set(out);
        self.get_all(&[*a, *b]);
        self.i().i64_xor();
        self.get(a);
        self.i().local_get(out).i64_xor();
        self.fail_if_both_negative(out);
    }

    fn fail_if_both_negative(&mut self, out: u32) {
        self.i().i64_and().i64_const(0).i64_lt_s();
        self.fail_if(codes::INT_OVERFLOW);
        self.i().local_get(out);
    }

    /// The sum with a constant.
    fn step(&mut self, a: &Atom, step: i64) {
        self.get(a);
        let mut i = self.i();
        if step >= 0 {
            i.i64_const(i64::MAX - step).i64_gt_s()
        } else {
            i.i64_const(i64::MIN - step).i64_lt_s()
        };
        self.fail_if(codes::INT_OVERFLOW);
        self.get(a);
        self.i().i64_const(step).i64_add();
    }

    fn multiply(&mut self, a: &Atom, b: &Atom) {
        self.get_all(&[*a, *b]);
        self.call_helper(Helper::ProductOverflows);
        self.fail_if(codes::INT_OVERFLOW);
        self.get_all(&[*a, *b]);
        self.i().i64_mul();
    }

    fn int_abs(&mut self, a: &Atom) {
        self.get(a);
        self.i().i64_const(i64::MIN).i64_eq();
        self.fail_if(codes::INT_OVERFLOW);
        self.i().i64_const(0);
        self.get(a);
        self.i().i64_sub();
        self.get_all(&[*a, *a]);
        self.i().i64_const(0).i64_lt_s().select();
    }

    /// Rounded towards minus infinity, and the remainder that belongs to it.
    fn divide(&mut self, scalar: Scalar, a: &Atom, b: &Atom) {
        self.get(b);
        self.i().i64_eqz();
        self.fail_if(codes::INT_DIVISION_BY_ZERO);
        let [r, q] = [(); 2].map(|()| self.temporary(ValType::I64));
        if scalar == Scalar::IntMod {
            self.get_all(&[*a, *b]);
            self.i().i64_rem_s().local_tee(r);
            self.get(b);
            self.i().i64_const(0).local_get(r);
            self.get(b);
            self.signs_differ(r);
            self.i().select().i64_add();
            return;
        }
        self.get(a);
        self.i().i64_const(i64::MIN).i64_eq();
        self.get(b);
        self.i().i64_const(-1).i64_eq().i32_and();
        self.fail_if(codes::INT_OVERFLOW);
        self.get_all(&[*a, *b]);
        self.i().i64_rem_s().local_set(r);
        self.get_all(&[*a, *b]);
        self.i().i64_div_s().local_set(q).local_get(q);
        self.get_all(&[*a, *b]);
        self.signs_differ(r);
        self.i().i64_extend_i32_u().i64_sub();
    }

    /// Is r, in a local, not 0, and have the two ints on the stack different signs?
    fn signs_differ(&mut self, r: u32) {
        self.i().i64_xor().i64_const(0).i64_lt_s().local_get(r).i64_const(0).i64_ne().i32_and();
    }

    fn whole_part(&mut self, a: &Atom) {
        let whole = self.temporary(ValType::F64);
        self.get(a);
        self.i().f64_trunc().local_tee(whole).f64_const((-LIMIT).into()).f64_ge();
        self.i().local_get(whole).f64_const(LIMIT.into()).f64_lt().i32_and().i32_eqz();
        self.fail_if(codes::INT_OVERFLOW);
        self.i().local_get(whole).i64_trunc_sat_f64_s();
    }
}
