//! Scalar operations, as `eval::prims::{arithmetic, real}` define them.

use base::codes;
use first_order::Scalar;
use loops::Atom;

use super::body::Body;
use super::transcendentals;

/// A real as LLVM reads it back: its bits.
pub(super) fn real(x: f64) -> String {
    format!("0x{:016X}", x.to_bits())
}

/// The largest power of two that is no int, and the smallest int.
const LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// How many operations of transcendentals the loops of a program may get, and of one at one place. A sum that may be cut in pieces is written twice, and
/// the second time is the one that counts.
const MOST_INLINED: usize = 2000;
const INLINED: usize = 250;

impl Body<'_> {
    /// Does a transcendental become part of a loop here? LLVM makes calls of functions that are used twice, and a loop with a call in it works on one
    /// element at a time.
    fn is_inlined(&mut self, number: u16) -> bool {
        if self.repeats == 0 {
            return false;
        }
        let operations = transcendentals::size(number);
        let fits = operations <= INLINED && self.needs.inlined + operations <= MOST_INLINED;
        self.needs.inlined += if fits { operations } else { 0 };
        fits
    }

    pub(super) fn scalar(&mut self, name: &str, scalar: Scalar, atoms: &[Atom]) {
        let args: Vec<String> = atoms.iter().map(|atom| self.atom(atom)).collect();
        let arg = |at: usize| args.get(at).map_or("", String::as_str);
        let (a, b) = (arg(0), arg(1));
        use Scalar as S;
        match scalar {
            S::Add => self.define(name, format_args!("fadd double {a}, {b}")),
            S::Sub => self.define(name, format_args!("fsub double {a}, {b}")),
            S::Mul => self.define(name, format_args!("fmul double {a}, {b}")),
            S::Div => self.define(name, format_args!("fdiv double {a}, {b}")),
            S::Neg => self.define(name, format_args!("fneg double {a}")),
            S::Abs => self.intrinsic(name, "fabs", a),
            S::Floor => self.intrinsic(name, "floor", a),
            S::Ceil => self.intrinsic(name, "ceil", a),
            S::Round => self.intrinsic(name, "roundeven", a),
            S::Trunc => self.intrinsic(name, "trunc", a),
            S::Sqrt => self.intrinsic(name, "sqrt", a),
            S::Sign => self.sign(name, a),
            S::Minimum => self.extreme(name, "olt", a, b),
            S::Maximum => self.extreme(name, "ogt", a, b),
            S::Remainder => self.remainder(name, a, b),
            S::Function(number) => {
                self.needs.transcendentals.insert(number);
                let args: Vec<String> = args.iter().map(|arg| format!("double {arg}")).collect();
                let symbol = transcendentals::symbol(number);
                let inlined = if self.is_inlined(number) { " alwaysinline" } else { "" };
                self.define(name, format_args!("call fastcc double @{symbol}({}){inlined}", args.join(", ")));
            }
            S::PowerSlope | S::PowerLog => {
                let symbol = if scalar == S::PowerSlope { "rt_power_slope" } else { "rt_power_log" };
                self.define(name, format_args!("call double @{symbol}(double {a}, double {b}, i64 {})", arg(2)));
            }
            S::Eq => self.compare(name, "oeq", a, b),
            S::Ne => self.compare(name, "une", a, b),
            S::Lt => self.compare(name, "olt", a, b),
            S::Le => self.compare(name, "ole", a, b),
            S::Gt => self.compare(name, "ogt", a, b),
            S::Ge => self.compare(name, "oge", a, b),
            S::IsNan => self.compare(name, "uno", a, a),
            S::IsFinite => {
                let size = self.value(format_args!("call double @llvm.fabs.f64(double {a})"));
                self.compare(name, "one", &size, &real(f64::INFINITY));
            }
            S::IsHole => {
                let bits = self.value(format_args!("bitcast double {a} to i64"));
                self.define(name, format_args!("icmp eq i64 {bits}, {}", i64::MIN));
            }
            S::IntAdd | S::IntSub => match (scalar, &atoms[0], &atoms[1]) {
                (S::IntAdd, _, Atom::Int(step)) => self.step(name, a, *step),
                (S::IntAdd, Atom::Int(step), _) => self.step(name, b, *step),
                (S::IntSub, _, Atom::Int(step)) if *step != i64::MIN => self.step(name, a, -*step),
                (S::IntAdd, ..) => self.checked(name, "add", a, b),
                _ => self.checked(name, "sub", a, b),
            },
            S::IntMul => self.checked(name, "mul", a, b),
            S::IntNeg => self.checked(name, "sub", "0", a),
            S::IntAbs => {
                let smallest = self.value(format_args!("icmp eq i64 {a}, {}", i64::MIN));
                self.fail_if(&smallest, codes::INT_OVERFLOW);
                self.define(name, format_args!("call i64 @llvm.abs.i64(i64 {a}, i1 true)"));
            }
            S::IntSign => {
                let above = self.value(format_args!("icmp sgt i64 {a}, 0"));
                let below = self.value(format_args!("ashr i64 {a}, 63"));
                self.define(name, format_args!("select i1 {above}, i64 1, i64 {below}"));
            }
            S::IntMinimum => self.define(name, format_args!("call i64 @llvm.smin.i64(i64 {a}, i64 {b})")),
            S::IntMaximum => self.define(name, format_args!("call i64 @llvm.smax.i64(i64 {a}, i64 {b})")),
            S::IntDiv => self.int_div(name, a, b),
            S::IntMod => self.int_mod(name, a, b),
            S::IntPow => {
                let span = self.span_args();
                self.define(name, format_args!("call i64 @rt_int_pow(ptr %ctx, i64 {a}, i64 {b}, {span})"));
            }
            S::IntEq => self.compare_ints(name, "eq", a, b),
            S::IntNe => self.compare_ints(name, "ne", a, b),
            S::IntLt => self.compare_ints(name, "slt", a, b),
            S::IntLe => self.compare_ints(name, "sle", a, b),
            S::IntGt => self.compare_ints(name, "sgt", a, b),
            S::IntGe => self.compare_ints(name, "sge", a, b),
            S::Length => self.define(name, format_args!("add i64 {a}, 0")),
            S::ToReal => self.define(name, format_args!("sitofp i64 {a} to double")),
            S::ToInt => self.whole_part(name, a),
            S::BoolToReal => self.define(name, format_args!("uitofp i1 {a} to double")),
            S::Not => self.define(name, format_args!("xor i1 {a}, true")),
            S::BoolEq => self.define(name, format_args!("icmp eq i1 {a}, {b}")),
            S::Select => self.define(name, format_args!("select i1 {a}, double {b}, double {}", arg(2))),
        }
    }

    fn intrinsic(&mut self, name: &str, intrinsic: &str, a: &str) {
        self.define(name, format_args!("call double @llvm.{intrinsic}.f64(double {a})"));
    }

    fn compare(&mut self, name: &str, how: &str, a: &str, b: &str) {
        self.define(name, format_args!("fcmp {how} double {a}, {b}"));
    }

    fn compare_ints(&mut self, name: &str, how: &str, a: &str, b: &str) {
        self.define(name, format_args!("icmp {how} i64 {a}, {b}"));
    }

    fn sign(&mut self, name: &str, a: &str) {
        let above = self.value(format_args!("fcmp ogt double {a}, 0.0"));
        let below = self.value(format_args!("fcmp olt double {a}, 0.0"));
        let rest = self.value(format_args!("select i1 {below}, double -1.0, double {a}"));
        self.define(name, format_args!("select i1 {above}, double 1.0, double {rest}"));
    }

    /// b if it is beyond a or NaN, else a.
    fn extreme(&mut self, name: &str, beyond: &str, a: &str, b: &str) {
        let beyond = self.value(format_args!("fcmp {beyond} double {b}, {a}"));
        let nan = self.value(format_args!("fcmp uno double {b}, {b}"));
        let second = self.value(format_args!("or i1 {beyond}, {nan}"));
        self.define(name, format_args!("select i1 {second}, double {b}, double {a}"));
    }

    fn remainder(&mut self, name: &str, a: &str, b: &str) {
        let r = self.value(format_args!("frem double {a}, {b}"));
        let some = self.value(format_args!("fcmp une double {r}, 0.0"));
        let r_below = self.value(format_args!("fcmp olt double {r}, 0.0"));
        let b_below = self.value(format_args!("fcmp olt double {b}, 0.0"));
        let apart = self.value(format_args!("xor i1 {r_below}, {b_below}"));
        let wrong = self.value(format_args!("and i1 {some}, {apart}"));
        let right = self.value(format_args!("fadd double {r}, {b}"));
        self.define(name, format_args!("select i1 {wrong}, double {right}, double {r}"));
    }

    fn checked(&mut self, name: &str, op: &str, a: &str, b: &str) {
        let both = self.value(format_args!("call {{ i64, i1 }} @llvm.s{op}.with.overflow.i64(i64 {a}, i64 {b})"));
        let over = self.value(format_args!("extractvalue {{ i64, i1 }} {both}, 1"));
        self.fail_if(&over, codes::INT_OVERFLOW);
        self.define(name, format_args!("extractvalue {{ i64, i1 }} {both}, 0"));
    }

    /// The sum with a constant. Checked by a comparison, which LLVM removes where a loop's condition implies it; then it also
    /// sees that the index doesn't wrap, and removes checks of indices. A function that calls itself counts by its parameters, where
    /// the processor's flag costs less.
    fn step(&mut self, name: &str, a: &str, step: i64) {
        if self.recursive {
            return self.checked(name, "add", a, &step.to_string());
        }
        let over = if step >= 0 {
            self.value(format_args!("icmp sgt i64 {a}, {}", i64::MAX - step))
        } else {
            self.value(format_args!("icmp slt i64 {a}, {}", i64::MIN - step))
        };
        self.fail_if(&over, codes::INT_OVERFLOW);
        self.define(name, format_args!("add nsw i64 {a}, {step}"));
    }

    fn fail_if_zero(&mut self, b: &str) {
        let zero = self.value(format_args!("icmp eq i64 {b}, 0"));
        self.fail_if(&zero, codes::INT_DIVISION_BY_ZERO);
    }

    fn int_div(&mut self, name: &str, a: &str, b: &str) {
        self.fail_if_zero(b);
        let smallest = self.value(format_args!("icmp eq i64 {a}, {}", i64::MIN));
        let minus_one = self.value(format_args!("icmp eq i64 {b}, -1"));
        let over = self.value(format_args!("and i1 {smallest}, {minus_one}"));
        self.fail_if(&over, codes::INT_OVERFLOW);
        let q = self.value(format_args!("sdiv i64 {a}, {b}"));
        let r = self.value(format_args!("srem i64 {a}, {b}"));
        let wrong = self.signs_differ(&r, a, b);
        let one = self.value(format_args!("zext i1 {wrong} to i64"));
        self.define(name, format_args!("sub i64 {q}, {one}"));
    }

    fn int_mod(&mut self, name: &str, a: &str, b: &str) {
        self.fail_if_zero(b);
        // The remainder by -1 is that by 1; LLVM's isn't defined for the smallest int.
        let minus_one = self.value(format_args!("icmp eq i64 {b}, -1"));
        let safe = self.value(format_args!("select i1 {minus_one}, i64 1, i64 {b}"));
        let r = self.value(format_args!("srem i64 {a}, {safe}"));
        let wrong = self.signs_differ(&r, &r, b);
        let right = self.value(format_args!("add i64 {r}, {b}"));
        self.define(name, format_args!("select i1 {wrong}, i64 {right}, i64 {r}"));
    }

    /// r ≠ 0, and a and b have different signs.
    fn signs_differ(&mut self, r: &str, a: &str, b: &str) -> String {
        let some = self.value(format_args!("icmp ne i64 {r}, 0"));
        let signs = self.value(format_args!("xor i64 {a}, {b}"));
        let apart = self.value(format_args!("icmp slt i64 {signs}, 0"));
        self.value(format_args!("and i1 {some}, {apart}"))
    }

    fn whole_part(&mut self, name: &str, a: &str) {
        let whole = self.value(format_args!("call double @llvm.trunc.f64(double {a})"));
        let low = self.value(format_args!("fcmp oge double {whole}, {}", real(-LIMIT)));
        let high = self.value(format_args!("fcmp olt double {whole}, {}", real(LIMIT)));
        let inside = self.value(format_args!("and i1 {low}, {high}"));
        self.require(&inside, codes::INT_OVERFLOW);
        self.define(name, format_args!("fptosi double {whole} to i64"));
    }
}
