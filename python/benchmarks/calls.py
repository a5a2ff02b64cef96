"""What calls cost, beside NumPy, numba and JAX where they are installed, in one run. Prints a table in Markdown.

Each number is the least of several repetitions: the machine may be busy with other things.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import evert

ROSENBROCK = "fn f(v) = sum(100 * (v[1..] - v[..len(v) - 1]^2)^2 + (1 - v[..len(v) - 1])^2)"
NEWTON = "fn root(a) = while_loop(x => abs(x * x - a) > 1e-12, x => (x + a / x) / 2, a)"


def best(f, *args, seconds=0.3):
    """Microseconds of one call."""
    f(*args)
    count, least, end = 1, float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(count):
            f(*args)
        took = (time.perf_counter() - start) / count
        least = min(least, took)
        count = max(1, min(1000, int(0.01 / max(took, 1e-9))))
    return least * 1e6


def fresh(code, cache=None, runs=3):
    """The least of what a script prints, in processes of their own, after numpy is imported."""
    script = f"import numpy, time; t = time.perf_counter(); {code}"
    environment = {**os.environ, **({"EVERT_CACHE": cache} if cache else {})}
    run = lambda: float(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment).stdout)
    return min(run() for _ in range(runs))


def starts():
    rows = [["", "ms"]]
    rows.append(["`import evert`, beside numpy", fresh("import evert; print((time.perf_counter() - t) * 1e3)", runs=5)])
    load = f"import evert; t = time.perf_counter(); m = evert.text({NEWTON!r});"
    rows.append(["`evert.text`, the first in a process", fresh(load + "print((time.perf_counter() - t) * 1e3)", runs=5)])
    again = f"import evert; evert.text('fn f(x) = x'); t = time.perf_counter(); m = evert.text({NEWTON!r});"
    rows.append(["`evert.text`, the next", fresh(again + "print((time.perf_counter() - t) * 1e3)", runs=5)])
    call = load + "t = time.perf_counter(); evert.grad(m.root)(2.0); print((time.perf_counter() - t) * 1e3)"
    rows.append(["first call of a gradient, compiled", min(fresh(call, tempfile.mkdtemp(), 1) for _ in range(4))])
    folder = tempfile.mkdtemp()
    rows.append(["first call of a gradient, from the cache", min(fresh(call, folder, 1) for _ in range(6))])
    if importlib.util.find_spec("numba"):
        numba = "import numba; t = time.perf_counter(); f = numba.njit(lambda x: x * x + 1.0); f(2.0); print((time.perf_counter() - t) * 1e3)"
        rows.append(["numba: first call of `x * x + 1`", fresh(numba, runs=2)])
    if importlib.util.find_spec("jax"):
        jax = "import jax; t = time.perf_counter(); jax.jit(lambda x: x * x + 1.0)(2.0).block_until_ready(); print((time.perf_counter() - t) * 1e3)"
        rows.append(["JAX: first call of `x * x + 1` under jit", fresh(jax, runs=2)])
    return rows


def calls():
    m = evert.text(f"{ROSENBROCK}\n{NEWTON}\nfn g(x) = x * x + 1.0\nfn twice(x) = 2 * x")
    small, large = np.linspace(0, 1, 16), np.linspace(0, 1, 1_000_000)
    columns = ["", "Evert", "NumPy", "numba", "JAX"]
    value = {"x * x + 1, a number": (m.g, 2.0), "Rosenbrock, 16 numbers": (m.f, small), "its gradient, 16": (evert.grad(m.f), small),
             "2 x, 10⁶ numbers": (m.twice, large), "Rosenbrock, 10⁶": (m.f, large), "its gradient, 10⁶": (evert.grad(m.f), large)}  # fmt: skip
    rosen = lambda v: np.sum(100 * (v[1:] - v[:-1] ** 2) ** 2 + (1 - v[:-1]) ** 2)
    numpy = {"x * x + 1, a number": (lambda x: x * x + 1.0, 2.0), "Rosenbrock, 16 numbers": (rosen, small), "2 x, 10⁶ numbers": (lambda x: 2 * x, large),
             "Rosenbrock, 10⁶": (rosen, large)}  # fmt: skip
    numba, jax = {}, {}
    if importlib.util.find_spec("numba"):
        import numba as nb

        @nb.njit
        def compiled(v):
            total = 0.0
            for i in range(len(v) - 1):
                total += 100 * (v[i + 1] - v[i] ** 2) ** 2 + (1 - v[i]) ** 2
            return total

        numba = {"x * x + 1, a number": (nb.njit(lambda x: x * x + 1.0), 2.0), "Rosenbrock, 16 numbers": (compiled, small),
                 "2 x, 10⁶ numbers": (nb.njit(lambda x: 2 * x), large), "Rosenbrock, 10⁶": (compiled, large)}  # fmt: skip
    if importlib.util.find_spec("jax"):
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        import jax as J
        import jax.numpy as jnp

        J.config.update("jax_enable_x64", True)
        theirs = lambda v: jnp.sum(100 * (v[1:] - v[:-1] ** 2) ** 2 + (1 - v[:-1]) ** 2)
        done = lambda f: lambda x: f(x).block_until_ready()
        s, l = jnp.asarray(small), jnp.asarray(large)
        jax = {"x * x + 1, a number": (done(J.jit(lambda x: x * x + 1.0)), 2.0), "Rosenbrock, 16 numbers": (done(J.jit(theirs)), s),
               "its gradient, 16": (done(J.jit(J.grad(theirs))), s), "2 x, 10⁶ numbers": (done(J.jit(lambda x: 2 * x)), l),
               "Rosenbrock, 10⁶": (done(J.jit(theirs)), l), "its gradient, 10⁶": (done(J.jit(J.grad(theirs))), l)}  # fmt: skip
    rows = [columns]
    for name in value:
        row = [name]
        for table in (value, numpy, numba, jax):
            row.append(best(*table[name]) if name in table else "")
        rows.append(row)
    rows.append(["a copy of 10⁶ numbers", "", best(np.copy, large), "", ""])
    return rows


def inside_jax():
    import jax as J
    import jax.numpy as jnp

    J.config.update("jax_enable_x64", True)
    m = evert.text("fn sumsin(x) = sum(sin(x))")
    ours, theirs = evert.jax(m.sumsin), lambda x: jnp.sin(x).sum()
    x = jnp.linspace(0, 3, 16)
    done = lambda f: lambda x: f(x).block_until_ready()
    loop = lambda f: done(J.jit(lambda x: J.lax.fori_loop(0, 1000, lambda i, c: c + f(x + c * 1e-9), 0.0)))
    rows = [["16 numbers, µs a call", "Evert by FFI", "XLA's own"]]
    rows.append(["from Python", best(done(J.jit(ours)), x), best(done(J.jit(theirs)), x)])
    rows.append(["gradient", best(done(J.jit(J.grad(ours))), x), best(done(J.jit(J.grad(theirs))), x)])
    rows.append(["in a loop of XLA", best(loop(ours), x) / 1000, best(loop(theirs), x) / 1000])
    return rows


def inside_torch():
    import torch

    m = evert.text("fn sumsin(x) = sum(sin(x))")
    ours, theirs = evert.torch(m.sumsin), lambda x: x.sin().sum()
    x = torch.linspace(0, 3, 16, dtype=torch.float64)
    g = x.clone().requires_grad_()

    def backward(f):
        def step(x):
            x.grad = None
            f(x).backward()

        return step

    rows = [["16 numbers, µs a call", "Evert", "torch's own"]]
    with torch.no_grad():
        rows.append(["forwards", best(ours, x), best(theirs, x)])
    rows.append(["and backwards", best(backward(ours), g), best(backward(theirs), g)])
    return rows


def table(rows):
    def cell(x):
        return x if isinstance(x, str) else f"{x:.2f}" if x < 10 else f"{x:.0f}" if x < 10_000 else f"{x:,.0f}"

    head, *body = rows
    lines = ["| " + " | ".join(map(cell, row)) + " |" for row in [head, ["---"] * len(head), *body]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(starts()))
    print(table(calls()))
    if importlib.util.find_spec("jax"):
        print(table(inside_jax()))
    if importlib.util.find_spec("torch"):
        print(table(inside_torch()))
