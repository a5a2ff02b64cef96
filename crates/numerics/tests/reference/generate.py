"""Writes one table per function, NAME.txt, beside this file: `python3 generate.py [--scale N] [--seed S] [--out FOLDER] [NAME…]`.

A line holds the bits of each input, the bits of the correctly rounded result, and (exact − rounded) in ulps of the rounded result,
so that an error can be measured to 0.001 ulp. Needs mpmath (gmpy2 makes it faster). The committed tables: scale 1, seed 1.
"""

import argparse
import math
import os
import random
import struct

from mpmath import mp, mpf
import mpmath

LARGEST = 1.7976931348623157e308
SMALLEST_NORMAL = 2.2250738585072014e-308


def bits(x):
    return struct.pack(">d", x).hex()


def from_bits(n):
    return struct.unpack(">d", struct.pack(">Q", n))[0]


def to_bits(x):
    return struct.unpack(">Q", struct.pack(">d", x))[0]


def round_to_double(value):
    """The nearest double and the residue in its ulps; None where that is not finite."""
    if value == 0:
        return 0.0, 0.0
    exponent = max(int(mpmath.floor(mpmath.log(abs(value), 2))), -1022)
    if abs(value) >= mpf(2) ** (exponent + 1):
        exponent += 1
    if exponent > -1022 and abs(value) < mpf(2) ** exponent:
        exponent -= 1
    unit = mpf(2) ** (exponent - 52)
    count = int(mpmath.nint(value / unit))
    if abs(count) == 2**53 and exponent == 1023:
        return None
    if exponent > 1023:
        return None
    rounded = math.ldexp(count, exponent - 52)
    own_exponent = max(math.frexp(rounded)[1] - 1, -1022) if rounded else -1022
    return rounded, float((value - mpf(rounded)) / mpf(2) ** (own_exponent - 52))


# Samples: each is a function of a random generator.


def uniform(low, high):
    return lambda r: r.uniform(low, high)


def log_uniform(low, high):
    """Magnitudes from low to high, evenly in the exponent."""
    return lambda r: math.exp(r.uniform(math.log(low), math.log(high)))


def both(sample):
    return lambda r: sample(r) * r.choice((-1, 1))


def around(centre, least=-52, most=-1):
    """centre ± 2^least … 2^most."""
    return lambda r: centre + r.choice((-1, 1)) * 2.0 ** r.uniform(least, most)


def neighbours(centre, ulps=4):
    return lambda r: from_bits(to_bits(centre) + r.randint(-ulps, ulps)) if centre > 0 else -neighbours(-centre, ulps)(r)


def neighbours_of_multiples(step, largest):
    """Doubles beside k·step, where a zero makes cancellation worst."""
    return lambda r: neighbours(float(step * r.randint(1, largest)), 1)(r)


def subnormal(r):
    return from_bits(r.randint(1, 2**52 - 1) >> r.randint(0, 50))


def negative(sample):
    return lambda r: -sample(r)


def one_of(*samples):
    return lambda r: r.choice(samples)(r)


TINY = log_uniform(1e-305, 1e-8)
WIDE = log_uniform(1e-300, 1e300)
MODERATE = log_uniform(1e-8, 30.0)
POSITIVE = [(80, WIDE), (20, subnormal), (60, uniform(0.3, 3.0)), (80, around(1.0)), (30, neighbours(1.0))]
ODD = [(60, both(TINY)), (20, both(subnormal)), (120, both(MODERATE))]
PI = mpf("3.14159265358979323846264338327950288419716939937510")
ANGLES = [
    (60, both(log_uniform(1e-20, 1.0))),
    (10, both(subnormal)),
    (120, both(uniform(0.0, 10.0))),
    (60, both(uniform(0.0, 1e6))),
    (60, both(log_uniform(1.0, 1e12))),
    (80, both(log_uniform(1e9, 1.7e308))),
    (60, neighbours_of_multiples(PI / 4, 16)),
    (60, neighbours_of_multiples(PI / 2, 10**6)),
    (40, neighbours_of_multiples(PI / 2, 10**15)),
    # The double closest to a multiple of π/2, and others hard in the same way.
    (8, lambda r: r.choice((6381956970095103.0 * 2.0**797, 5.319372648326541e255, 1.6e308, 1e300, 2.0**31, 1e22))),
]
UNIT = [(150, both(uniform(0.0, 1.0))), (60, both(TINY)), (10, both(subnormal)), (80, both(lambda r: 1 - 2.0 ** r.uniform(-53, -1)))]

SAMPLES = {
    "exp": [(60, both(TINY)), (200, uniform(-40.0, 40.0)), (120, uniform(-708.0, 709.7)), (80, uniform(-745.1, -708.0)), (30, around(0.0, -60, -1))],
    "expm1": [(60, both(TINY)), (20, both(subnormal)), (200, uniform(-3.0, 3.0)), (80, uniform(-40.0, 40.0)), (60, uniform(40.0, 709.7)), (80, both(MODERATE))],
    "log": POSITIVE + [(60, log_uniform(1e-10, 1e10))],
    "log2": POSITIVE + [(60, log_uniform(1e-10, 1e10)), (20, lambda r: 2.0 ** r.randint(-1074, 1023))],
    "log10": POSITIVE + [(60, log_uniform(1e-10, 1e10)), (23, lambda r: 10.0 ** r.randint(0, 22))],
    "log1p": [(60, both(TINY)), (20, both(subnormal)), (120, uniform(-0.9999, 3.0)), (80, WIDE), (60, lambda r: 2.0 ** r.uniform(-53, -1) - 1), (80, both(log_uniform(1e-8, 0.9)))],
    "sin": ANGLES,
    "cos": ANGLES,
    "tan": ANGLES,
    "asin": UNIT,
    "acos": UNIT,
    "atan": ODD + [(80, both(WIDE)), (60, both(uniform(0.0, 4.0))), (40, around(0.41421356237309503, -52, -5)), (40, around(1.0))],
    "sinh": ODD + [(100, both(uniform(0.0, 3.0))), (80, both(uniform(0.0, 710.4))), (30, around(22.0, -10, 1)), (30, uniform(709.0, 710.47))],
    "cosh": ODD + [(100, both(uniform(0.0, 3.0))), (80, both(uniform(0.0, 710.4))), (30, around(22.0, -10, 1)), (30, uniform(709.0, 710.47))],
    "tanh": ODD + [(150, both(uniform(0.0, 3.0))), (80, both(uniform(0.0, 25.0)))],
    "asinh": ODD + [(100, both(WIDE)), (100, both(uniform(0.0, 3.0))), (30, around(2.0**30, 1, 29))],
    "acosh": [(150, lambda r: 1 + 2.0 ** r.uniform(-52, 2)), (100, log_uniform(1.0, 1e4)), (80, log_uniform(1.0, 1e300)), (60, uniform(1.0, 3.0)), (30, around(2.0**30, 1, 29))],
    "atanh": UNIT + [(60, both(uniform(0.0, 0.5)))],
    "cbrt": ODD + [(120, both(WIDE)), (100, uniform(1.0, 8.0)), (30, lambda r: float(r.randint(1, 100000)) ** 3)],
    "erf": ODD + [(200, both(uniform(0.0, 6.0))), (60, around(0.5)), (40, both(uniform(0.3, 0.8)))],
    "erfc": [(60, both(TINY)), (120, uniform(-6.0, 6.0)), (150, uniform(0.3, 27.2)), (60, uniform(26.0, 27.22)), (60, around(0.5)), (60, uniform(0.3, 3.0)), (40, uniform(-1.0, 1.0))],
    "lgamma": [(60, TINY), (20, subnormal), (150, uniform(0.0, 10.0)), (80, around(1.0)), (80, around(2.0)), (60, log_uniform(10.0, 2.5599e305)), (40, uniform(0.9, 2.1)), (40, uniform(7.0, 9.0))],
    "lgamma_negative": [(40, negative(TINY)), (150, uniform(-10.0, 0.0)), (60, uniform(-200.0, -10.0)), (40, negative(log_uniform(1.0, 1e15))), (60, lambda r: around(-float(r.randint(1, 10)), -48, -3)(r))],
    "digamma": [(60, log_uniform(1e-300, 1e-8)), (150, uniform(0.0, 10.0)), (100, around(1.4616321449683622)), (60, log_uniform(10.0, 1e300)), (60, uniform(1.0, 2.0)), (40, uniform(7.0, 9.0))],
    "digamma_negative": [(40, negative(log_uniform(1e-300, 1e-8))), (150, uniform(-10.0, 0.0)), (60, uniform(-200.0, -10.0)), (40, negative(log_uniform(1.0, 1e15))), (60, lambda r: around(-float(r.randint(1, 10)), -48, -3)(r))],
}


def pairs(first, second):
    return lambda r: (first(r), second(r))


def power_near(exponent_low, exponent_high):
    """x^y near e^exponent, so that overflow and underflow are close."""

    def sample(r):
        x = one_of(log_uniform(1e-300, 1e300), uniform(0.5, 2.0), around(1.0, -40, -1))(r)
        return x, r.uniform(exponent_low, exponent_high) / math.log(x) if x != 1 else 1.0

    return sample


def quotient_near(exponent):
    """Points whose coordinates differ by up to 2^exponent, of any magnitude."""

    def sample(r):
        y, gap = r.uniform(-1000, 1000), r.uniform(-exponent, exponent)
        x = min(max(y + gap, -1070), 1023)
        return r.choice((-1, 1)) * 2.0**y * r.uniform(1, 2), r.choice((-1, 1)) * 2.0**x

    return sample


PAIR_SAMPLES = {
    "pow": [
        (100, pairs(log_uniform(1e-3, 1e3), uniform(-20.0, 20.0))),
        (60, pairs(negative(log_uniform(1e-3, 1e3)), lambda r: float(r.randint(-30, 30)))),
        (100, power_near(700.0, 709.78)),
        (80, power_near(-745.0, -708.0)),
        (80, power_near(-700.0, 700.0)),
        (60, pairs(around(1.0, -52, -20), both(log_uniform(1e3, 1e18)))),
        (30, pairs(subnormal, uniform(-0.9, 0.9))),
        (30, pairs(WIDE, both(log_uniform(1e-20, 1e-3)))),
        (30, pairs(uniform(0.0, 100.0), lambda r: r.choice((0.5, -0.5, 2.0, 3.0, -1.0, 1.0, 1 / 3)))),
    ],
    "atan2": [
        (150, pairs(both(uniform(0.0, 1.0)), both(uniform(0.0, 1.0)))),
        (150, quotient_near(20)),
        (100, quotient_near(1060)),
        (60, pairs(both(subnormal), both(subnormal))),
        (60, pairs(both(TINY), both(uniform(0.5, 2.0)))),
    ],
}

# Enough bits for the widest cancellation of each: |sin| near a multiple of π needs the whole exponent range.
ELEMENTARY, SPECIAL = 2400, 500
EXACT = {
    "exp": (mpmath.exp, 300),
    "expm1": (mpmath.expm1, ELEMENTARY),
    "log": (mpmath.log, 300),
    "log2": (lambda x: mpmath.log(x) / mpmath.log(2), 300),
    "log10": (lambda x: mpmath.log(x) / mpmath.log(10), 300),
    "log1p": (mpmath.log1p, ELEMENTARY),
    "sin": (mpmath.sin, ELEMENTARY),
    "cos": (mpmath.cos, ELEMENTARY),
    "tan": (mpmath.tan, ELEMENTARY),
    "asin": (mpmath.asin, ELEMENTARY),
    "acos": (mpmath.acos, ELEMENTARY),
    "atan": (mpmath.atan, ELEMENTARY),
    "sinh": (mpmath.sinh, ELEMENTARY),
    "cosh": (mpmath.cosh, ELEMENTARY),
    "tanh": (mpmath.tanh, ELEMENTARY),
    "asinh": (mpmath.asinh, ELEMENTARY),
    "acosh": (mpmath.acosh, ELEMENTARY),
    "atanh": (mpmath.atanh, ELEMENTARY),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), 300),
    "erf": (mpmath.erf, SPECIAL),
    "erfc": (mpmath.erfc, SPECIAL),
    "lgamma": (lambda x: mpmath.re(mpmath.loggamma(x)), SPECIAL),
    "lgamma_negative": (lambda x: mpmath.re(mpmath.loggamma(x)), SPECIAL),
    "digamma": (mpmath.digamma, SPECIAL),
    "digamma_negative": (mpmath.digamma, SPECIAL),
    "pow": (mpmath.power, 400),
    "atan2": (mpmath.atan2, ELEMENTARY),
}


def inputs_of(name, scale, seed):
    r = random.Random(f"{name} {seed}")
    if name in PAIR_SAMPLES:
        return [sample(r) for count, sample in PAIR_SAMPLES[name] for _ in range(count * scale)]
    return [(sample(r),) for count, sample in SAMPLES[name] for _ in range(count * scale)]


def line(name, inputs):
    """One line of a table, or None where the function has no finite value."""
    if not all(math.isfinite(x) for x in inputs):
        return None
    exact, precision = EXACT[name]
    with mp.workprec(precision):
        try:
            value = exact(*map(mpf, inputs))
        except (ValueError, ZeroDivisionError):
            return None
        if isinstance(value, mpmath.mpc) or not mpmath.isfinite(value):
            return None
        rounded = round_to_double(value)
    if rounded is None or inputs[0] == 0 or (rounded[0] == 0 and rounded[1] == 0 and name == "pow"):
        return None
    return " ".join([*map(bits, inputs), bits(rounded[0]), f"{rounded[1]:+.4f}"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default=os.path.dirname(os.path.abspath(__file__)))
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    for name in arguments.names or EXACT:
        lines = [line(name, inputs) for inputs in inputs_of(name, arguments.scale, arguments.seed)]
        with open(os.path.join(arguments.out, f"{name}.txt"), "w") as table:
            table.writelines(f"{text}\n" for text in lines if text)


if __name__ == "__main__":
    main()
