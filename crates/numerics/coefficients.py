"""Computes every constant of src/coefficients.rs: run `python3 coefficients.py > src/coefficients.rs`, then `cargo fmt`.

Polynomials interpolate at Chebyshev nodes in 300-bit arithmetic (near-minimax), then each coefficient is rounded to a double.
The error of the rounded polynomial goes to stderr, as log2 of the largest weighted absolute error.
"""

import math
import struct
import sys
from mpmath import mp, mpf, cos, pi, sin, exp, log, asin, atan, atanh, erf, erfc, sqrt, loggamma, digamma, findroot, floor, cbrt, euler

mp.prec = 300
SMALLEST = mpf(10) ** -18  # where a formula divides by its argument


def to_double(value):
    return float(mp.nstr(value, 40)) if value != 0 else 0.0


def pair(value):
    hi = to_double(value)
    return hi, to_double(value - mpf(hi))


def interpolate(f, low, high, degree):
    """Monomial coefficients of the interpolant of f at the Chebyshev nodes of [low, high]."""
    n = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    table = [f(x) for x in nodes]
    for step in range(1, n):  # divided differences
        for i in range(n - 1, step - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (nodes[i] - nodes[i - step])
    result = [table[-1]]
    for i in range(n - 2, -1, -1):  # result = result * (x - nodes[i]) + table[i]
        shifted = [mpf(0)] + result
        for j, c in enumerate(result):
            shifted[j] -= nodes[i] * c
        shifted[0] += table[i]
        result = shifted
    return result


def error(f, coefficients, low, high, weight):
    worst = mpf(0)
    for i in range(401):
        x = low + (high - low) * i / 400
        value = mpf(0)
        for c in reversed(coefficients):
            value = value * x + c
        worst = max(worst, abs((value - f(x)) * weight(x)))
    return mp.nstr(log(worst, 2), 5)


def show(c):
    return repr(c)


def polynomial(name, doc, f, low, high, degree, weight=lambda x: 1):
    low, high = mpf(low), mpf(high)
    safe = lambda x: f(x if abs(x) > SMALLEST else SMALLEST)
    exact = interpolate(safe, low, high, degree)
    coefficients = [to_double(c) for c in exact]
    errors = [error(safe, cs, low, high, weight) for cs in (exact, list(map(mpf, coefficients)))]
    print(f"{name}: 2^{errors[0]}, rounded 2^{errors[1]}", file=sys.stderr)
    print(f"\n/// {doc}")
    print(f"pub const {name}: [f64; {degree + 1}] = [{', '.join(map(show, coefficients))}];")


def constant(name, doc, value):
    print(f"\n/// {doc}")
    print(f"pub const {name}: f64 = {show(to_double(value))};")


def pair_constant(name, doc, value):
    hi, lo = pair(value)
    print(f"\n/// {doc}")
    print(f"pub const {name}: (f64, f64) = ({show(hi)}, {show(lo)});")


def triple_constant(name, doc, value):
    hi = to_double(value)
    mid, lo = pair(value - mpf(hi))
    print(f"\n/// {doc}")
    print(f"pub const {name}: (f64, f64, f64) = ({show(hi)}, {show(mid)}, {show(lo)});")


def two_over_pi_words(count):
    with mp.workprec(64 * count + 100):
        bits = int(floor(2 / pi * mpf(2) ** (64 * count)))
    return [(bits >> (64 * (count - 1 - i))) & (2**64 - 1) for i in range(count)]


print(
    "//! Constants and polynomial coefficients. Written by coefficients.py; do not edit. A pair or triple is an unevaluated sum.\n"
)
print("#![allow(clippy::approx_constant, reason = \"these are the definitions\")]")

ln2 = log(mpf(2))
constant("LOG2_E", "1/ln 2.", 1 / ln2)
pair_constant("LN_2", "ln 2.", ln2)
pair_constant("LOG2_E_PAIR", "1/ln 2.", 1 / ln2)
pair_constant("LOG10_E", "1/ln 10.", 1 / log(mpf(10)))
pair_constant("LOG10_2", "ln 2/ln 10.", ln2 / log(mpf(10)))
constant("TWO_OVER_PI", "2/π.", 2 / pi)
triple_constant("HALF_PI", "π/2.", pi / 2)
pair_constant("PI", "π.", pi)
pair_constant("QUARTER_PI", "π/4.", pi / 4)
pair_constant("MINUS_SIXTH", "−1/6.", -mpf(1) / 6)
pair_constant("TWELFTH", "1/12.", mpf(1) / 12)
constant("TAN_PI_8", "tan(π/8) = √2 − 1.", sqrt(mpf(2)) - 1)
constant("CBRT_2", "2^(1/3).", cbrt(mpf(2)))
constant("CBRT_4", "2^(2/3).", cbrt(mpf(4)))
pair_constant("TWO_OVER_SQRT_PI", "2/√π.", 2 / sqrt(pi))
pair_constant("LN_PI", "ln π.", log(pi))
pair_constant("STIRLING", "(ln 2π − 1)/2.", (log(2 * pi) - 1) / 2)
pair_constant("EULER", "Euler's γ.", +euler)
pair_constant("ONE_MINUS_EULER", "1 − γ.", 1 - euler)

half_ln2 = ln2 / 2 * mpf("1.001")
polynomial(
    "EXP_TAIL",
    "e^r = 1 + r + r²/2 + r³·p(r), |r| ≤ ln 2/2.",
    lambda r: (exp(r) - 1 - r - r * r / 2) / r**3,
    -half_ln2, half_ln2, 9, lambda r: r * r,
)

s_max = (sqrt(mpf(2)) - 1) ** 2 * mpf("1.0001")
atanh_tail = lambda w, k: (2 * atanh(sqrt(w)) - sum(2 * sqrt(w) ** i / i for i in range(1, k, 2))) / sqrt(w) ** k
polynomial(
    "LOG_TAIL",
    "2 atanh(s) = 2s + s³·p(s²), |s| ≤ (√2−1)².",
    lambda w: atanh_tail(w, 3), 0, s_max**2, 7, lambda w: w,
)

quarter = pi / 4 * mpf("1.0001")
polynomial(
    "SIN_TAIL",
    "sin r = r − r³/6 + r⁵·p(r²), |r| ≤ π/4.",
    lambda w: (sin(sqrt(w)) - sqrt(w) + sqrt(w) ** 3 / 6) / sqrt(w) ** 5, 0, quarter**2, 5, lambda w: w**2,
)
polynomial(
    "COS_TAIL",
    "cos r = 1 − r²/2 + r⁴·p(r²), |r| ≤ π/4.",
    lambda w: (cos(sqrt(w)) - 1 + w / 2) / w**2, 0, quarter**2, 5, lambda w: w**2,
)
polynomial(
    "ASIN_TAIL",
    "asin s = s + s³·p(s²), 0 ≤ s ≤ 1/2.",
    lambda w: (asin(sqrt(w)) - sqrt(w)) / sqrt(w) ** 3, 0, mpf(1) / 4, 12, lambda w: w,
)
polynomial(
    "ATAN_TAIL",
    "atan t = t + t³·p(t²), |t| ≤ √2 − 1.",
    lambda w: (atan(sqrt(w)) - sqrt(w)) / sqrt(w) ** 3, 0, mpf("0.41422") ** 2, 11, lambda w: w,
)
polynomial("CBRT_START", "x^(1/3), 1 ≤ x < 2; a start.", lambda x: cbrt(x), 1, 2, 4)

polynomial(
    "ERF_TAIL",
    "erf x = x·(2/√π + x²·p(x²)), |x| ≤ 1/2.",
    lambda w: (erf(sqrt(w)) / sqrt(w) - 2 / sqrt(pi)) / w, 0, mpf("0.2501"), 8, lambda w: w,
)
ERFC_CENTRE = mpf(3)


def scaled_erfc(t):
    x = ERFC_CENTRE * (1 + t) / (1 - t)
    return (1 + 2 * x) * exp(x * x) * erfc(x)


def erfc_t(x):
    return (mpf(x) - ERFC_CENTRE) / (mpf(x) + ERFC_CENTRE)


erfc_middle = scaled_erfc(mpf(0))
pair_constant("ERFC_MIDDLE", "7·e^9·erfc 3.", erfc_middle)
polynomial(
    "ERFC_TAIL",
    "(1+2x)·e^(x²)·erfc x = ERFC_MIDDLE + t·p(t), t = (x−3)/(x+3), 1/2 ≤ x ≤ 28.",
    lambda t: (scaled_erfc(t) - erfc_middle) / t,
    erfc_t("0.499"), erfc_t(28), 22, lambda t: t,
)

ln_gamma = lambda x: loggamma(x)
NEAR = mpf("0.0626")
polynomial(
    "LGAMMA_NEAR_1",
    "ln Γ(1+t) = t·(−γ + t·p(t)), |t| ≤ 1/16.",
    lambda t: (ln_gamma(1 + t) / t + euler) / t, -NEAR, NEAR, 10, lambda t: t,
)
polynomial(
    "LGAMMA_NEAR_2",
    "ln Γ(2+t) = t·(1 − γ + t·p(t)), |t| ≤ 1/16.",
    lambda t: (ln_gamma(2 + t) / t - 1 + euler) / t, -NEAR, NEAR, 8, lambda t: t,
)


def stirling_rest(w):
    z = 1 / sqrt(w)
    return (ln_gamma(z) - (z - mpf(1) / 2) * log(z) + z - log(2 * pi) / 2 - 1 / (12 * z)) * z**3


def digamma_rest(w):
    z = 1 / sqrt(w)
    return (digamma(z) - log(z) + 1 / (2 * z) + w / 12) / w**2


polynomial(
    "STIRLING_TAIL",
    "ln Γ(z) = (z − 1/2)(ln z − 1) + STIRLING + 1/(12z) + p(1/z²)/z³, z ≥ 8.",
    stirling_rest, 0, mpf(1) / 64, 7, lambda w: w ** mpf(1.5),
)
polynomial(
    "DIGAMMA_TAIL",
    "ψ(z) = ln z − 1/(2z) − 1/(12z²) + p(1/z²)/z⁴, z ≥ 8.",
    digamma_rest, 0, mpf(1) / 64, 7, lambda w: w**2,
)
root = findroot(digamma, mpf("1.4616321449683623"))
triple_constant("DIGAMMA_ROOT", "The positive zero of ψ.", root)
slope = mp.polygamma(1, root)
pair_constant("DIGAMMA_SLOPE", "ψ′ at that zero.", slope)
polynomial(
    "DIGAMMA_NEAR",
    "ψ(root+t) = t·(DIGAMMA_SLOPE + t·p(t)), |t| ≤ 1/16.",
    lambda t: (digamma(root + t) / t - slope) / t, -NEAR, NEAR, 9, lambda t: t,
)

assert abs(digamma(root)) < mpf(2) ** -200
words = [0] + two_over_pi_words(20)
print("\n/// 64 zero bits, then the first bits of 2/π after the point.")
print(f"pub static TWO_OVER_PI_BITS: [i64; {len(words)}] = [")
for w in words:
    print(f"    0x{w:016x}_u64 as i64,")
print("];")


def table(name, doc, reals):
    words = [f"{struct.unpack('>q', struct.pack('>d', x))[0]}," for x in reals]
    print(f"\n/// The bits of reals: {doc}\n#[rustfmt::skip]")
    print(f"pub static {name}: [i64; {len(reals)}] = [")
    for at in range(0, len(words), 5):
        print("    " + " ".join(words[at : at + 5]))
    print("];")


def logarithm_tables():
    """For each of 128 parts of [√½, √2], whose bits are equally far apart: a short number near the reciprocal of the part's
    middle, so that (part · reciprocal − 1) is exact, and minus its logarithm as a multiple of 2^-42 and a rest."""
    first = struct.unpack(">q", struct.pack(">d", math.sqrt(0.5)))[0]
    real = lambda bits: struct.unpack(">d", struct.pack(">q", bits))[0]
    reciprocals, heads, tails = [], [], []
    for part in range(128):
        start, end = first + (part << 45), first + ((part + 1) << 45) - 1
        low, high = real(start), real(end)
        steps = 128 if high < 1 else 256
        reciprocal = round(steps / ((low + high) / 2)) / steps
        if low <= 1 <= high or abs(low - 1) < 1e-15 or high > 1 - 2**-8 and high < 1 or low < 1 + 2**-8 and low >= 1:
            reciprocal = 1.0
        for m in (low, high):
            r = mpf(m) * mpf(reciprocal) - 1
            assert mpf(float(r)) == r and abs(r) < mpf(2) ** -6.8, (part, r)
        exact = -log(mpf(reciprocal))
        head = float(floor(exact * 2**42 + mpf(1) / 2) / 2**42)
        reciprocals.append(reciprocal)
        heads.append(head)
        tails.append(to_double(exact - mpf(head)))
    return reciprocals, heads, tails


reciprocals, heads, tails = logarithm_tables()
table("LOG_RECIPROCALS", "short numbers near the reciprocals of 128 parts of [√½, √2].", reciprocals)
table("LOG_HEADS", "minus the logarithms of LOG_RECIPROCALS, as multiples of 2^-42.", heads)
table("LOG_TAILS", "what LOG_HEADS lacks.", tails)
head = float(floor(log(mpf(2)) * 2**42 + mpf(1) / 2) / 2**42)
print("\n/// ln 2, as a multiple of 2^-42 and a rest.")
print(f"pub const LN_2_SHORT: (f64, f64) = ({head!r}, {to_double(log(mpf(2)) - mpf(head))!r});")
steps = [mpf(2) ** (mpf(j) / 64) for j in range(64)]
table("EXP_STEPS", "2^(j/64).", [to_double(x) for x in steps])
table("EXP_STEP_TAILS", "what EXP_STEPS lacks.", [to_double(x - mpf(to_double(x))) for x in steps])
print("\n/// 64/ln 2.")
print(f"pub const STEPS_PER_E: f64 = {to_double(64 / log(mpf(2)))!r};")
step = log(mpf(2)) / 64
head = to_double(step)
print("\n/// ln 2/64.")
print(f"pub const LN_2_STEP: (f64, f64) = ({head!r}, {to_double(step - mpf(head))!r});")
