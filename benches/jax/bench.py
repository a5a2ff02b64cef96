"""The benchmarks in JAX. A line `NAME LABEL` in, a line `COMPILE_SECONDS SECONDS VALUE` out, or `- WHY`.

Seconds are of the processor, all threads, once per line; compiling happens on a kernel's first line.
"""

import sys
import time

import jax
import jax.numpy as jnp
from jax import grad, jvp, lax

jax.config.update("jax_enable_x64", True)

KERNELS = {}
IMPOSSIBLE = {}


def kernel(name, label, *args):
    def add(f):
        KERNELS[name, label] = (jax.jit(f), args)
        return f

    return add


def impossible(name, labels, why):
    for label in labels:
        IMPOSSIBLE[name, label] = why


REVERSE_WHILE = "impossible: no reverse mode through a while loop"
RECURSION = "impossible: no recursion"


def logistic(n, r):
    return lax.fori_loop(0, n, lambda i, x: r * x * (1.0 - x), 0.5)


kernel("logistic", "primal", 3.7)(lambda r: logistic(10_000_000, r))
kernel("logistic_gradient", "primal", 3.0)(lambda r: logistic(2_000_000, r))
kernel("logistic_gradient", "gradient", 3.0)(grad(lambda r: logistic(2_000_000, r)))
kernel("logistic_gradient", "forward", 3.0)(lambda r: jvp(lambda r: logistic(2_000_000, r), (r,), (1.0,))[1])


def roots(c):
    def root(c):
        def step(s):
            x = s[0]
            following = x - (x * x * x - c) / (3.0 * x * x)
            return following, abs(following - x) > 1e-15 * abs(following)

        return lax.while_loop(lambda s: s[1], step, (c, True))[0]

    return lax.fori_loop(0, 200_000, lambda i, s: (s[0] + 0.001, s[1] + root(s[0])), (c, 0.0))[1]


kernel("newton", "primal", 2.0)(roots)
impossible("newton", ["gradient"], REVERSE_WHILE)


def sines(h):
    return lax.fori_loop(0, 3_000_000, lambda i, acc: acc + jnp.sin(h * (3_000_000 - i)), 0.0)


kernel("sines", "primal", 0.001)(sines)
kernel("sines", "gradient", 0.001)(grad(sines))

for name in ["fib", "ackermann", "tree", "lists"]:
    impossible(name, ["primal", "gradient"], RECURSION)


def grid(n):
    def escape(cx, cy):
        def step(s):
            x, y, k = s
            return x * x - y * y + cx, 2.0 * x * y + cy, k - 1

        return lax.while_loop(lambda s: (s[2] > 0) & (s[0] ** 2 + s[1] ** 2 <= 4.0), step, (0.0, 0.0, 200))[2]

    def row(i, acc):
        return lax.fori_loop(
            0, n, lambda j, acc: acc + escape(3.0 * j / n - 2.0, 2.0 * i / n - 1.0), acc
        )

    return lax.fori_loop(0, n, row, 0)


kernel("mandelbrot", "primal", 300)(grid)


def inner_f(f):
    return lambda x, y: (jvp(f, (x, y), (1.0, 0.0))[1], jvp(f, (x, y), (0.0, 1.0))[1])


def inner_r(f):
    return grad(f, (0, 1))


def outer_f(f):
    return lambda w: jvp(f, (w,), (1.0,))[1]


def impact(inner, w):
    def distance(ax, ay, bx, by):
        return jnp.sqrt((ax - bx) ** 2 + (ay - by) ** 2)

    def potential(x, y):
        return 1.0 / distance(x, y, 10.0, 10.0 - w) + 1.0 / distance(x, y, 10.0, 0.0)

    force = inner(potential)
    dt = 0.1

    def step(s):
        x, y, vx, vy = s
        gx, gy = force(x, y)
        return x + dt * vx, y + dt * vy, vx - dt * gx, vy - dt * gy

    x, y, vx, vy = lax.while_loop(lambda s: s[1] + dt * s[3] > 0.0, step, (0.0, 8.0, 0.75, 0.0))
    at = x - y / vy * vx
    return at * at


def argmin(slope, f, x0, size):
    """Gradient descent; `x` is an array."""

    def more(s):
        return ~s[5]

    def step(s):
        x, fx, gx, eta, i, _ = s
        small = size(gx) <= 1e-5

        def doubled(_):
            return x, fx, gx, 2.0 * eta, 0, False

        def tried(_):
            following = x - eta * gx
            value = f(following)
            stop = size(following - x) <= 1e-5
            better = value < fx
            return lax.cond(
                stop,
                lambda _: (x, fx, gx, eta, i, True),
                lambda _: lax.cond(
                    better,
                    lambda _: (following, value, slope(following), eta, i + 1, False),
                    lambda _: (x, fx, gx, eta / 2.0, 0, False),
                    None,
                ),
                None,
            )

        return lax.cond(
            small,
            lambda _: (x, fx, gx, eta, i, True),
            lambda _: lax.cond(i == 10, doubled, tried, None),
            None,
        )

    return lax.while_loop(more, step, (x0, f(x0), slope(x0), 1e-5, 0, False))[0]


def sum_many(n, f, w):
    return lax.fori_loop(0, n, lambda i, s: (s[0] + 1e-6, s[1] + f(s[0])), (w, 0.0))[1]


kernel("particle", "primal", 0.0)(lambda w: sum_many(5000, lambda w: impact(inner_r, w), w))
kernel("particle", "forward", 0.0)(lambda w: sum_many(5000, outer_f(lambda w: impact(inner_r, w)), w))
impossible("particle", ["gradient", "rf", "rr"], REVERSE_WHILE)
for label, inner in [("ff", inner_f), ("fr", inner_r)]:
    f = lambda w, inner=inner: impact(inner, w)
    kernel("particle", label, 0.0)(
        lambda w, f=f: sum_many(20, lambda w: argmin(outer_f(f), f, w, abs), w)
    )


def norm(p):
    return jnp.sqrt(p[0] ** 2 + p[1] ** 2)


def forward(f):
    unit = [jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0])]
    return lambda p: jnp.stack([jvp(f, (p,), (d,))[1] for d in unit])


def saddle(outer, inner, start):
    def f(a, b):
        return (a[0] ** 2 + a[1] ** 2) - (b[0] ** 2 + b[1] ** 2)

    def highest(a):
        g = lambda b: -f(a, b)
        return argmin(inner(g), g, start, norm)

    def value(a):
        return f(a, highest(a))

    lowest = argmin(outer(value), value, start, norm)
    return jnp.sum(lowest) + jnp.sum(highest(lowest))


def settle(x):
    f = lambda p: p[0] ** 2 + p[1] ** 2 + x
    return jnp.sum(argmin(grad(f), f, jnp.array([x, x]), norm))


kernel("saddle", "primal", 1.0)(lambda x: sum_many(2500, settle, x))
kernel("saddle", "ff", 1.0)(lambda x: sum_many(50, lambda x: saddle(forward, forward, jnp.array([x, 1.0])), x))
kernel("saddle", "fr", 1.0)(lambda x: sum_many(50, lambda x: saddle(forward, grad, jnp.array([x, 1.0])), x))
kernel("saddle", "forward", 1.0)(lambda x: sum_many(2500, lambda x: jvp(settle, (x,), (1.0,))[1], x))
impossible("saddle", ["gradient", "rf", "rr"], REVERSE_WHILE)


def end(p):
    h = 0.0001

    def field(s):
        (a, b, c, d), (x, y) = p, s
        return x * (a - b * y), y * (c * x - d)

    def moved(s, h, k):
        return s[0] + h * k[0], s[1] + h * k[1]

    def step(s, _):
        k1 = field(s)
        k2 = field(moved(s, h / 2, k1))
        k3 = field(moved(s, h / 2, k2))
        k4 = field(moved(s, h, k3))
        slope = tuple(a + 2 * b + 2 * c + d for a, b, c, d in zip(k1, k2, k3, k4))
        return moved(s, h / 6, slope), None

    (x, y), _ = lax.scan(step, (10.0, 5.0), None, length=500_000)
    return x + y


RATES = (1.1, 0.4, 0.1, 0.4)
kernel("ode", "primal", RATES)(end)
kernel("ode", "gradient", RATES)(grad(end))
kernel("ode", "forward", RATES)(lambda p: jvp(end, (p,), ((1.0, 0.0, 0.0, 0.0),))[1])

COMPILED = {}


def total(value):
    return float(sum(jax.tree.leaves(value)))


def answer(name, label):
    if (name, label) in IMPOSSIBLE:
        return "- " + IMPOSSIBLE[name, label]
    if (name, label) not in KERNELS:
        return "- not written"
    f, args = KERNELS[name, label]
    if (name, label) not in COMPILED:
        start = time.perf_counter()
        compiled = f.lower(*args).compile()
        COMPILED[name, label] = (time.perf_counter() - start, compiled)
        jax.block_until_ready(compiled(*args))
    compiling, compiled = COMPILED[name, label]
    start = time.process_time()
    value = jax.block_until_ready(compiled(*args))
    return f"{compiling:.4f} {time.process_time() - start:.9f} {total(value)!r}"


for line in sys.stdin:
    print(answer(*line.split()), flush=True)
