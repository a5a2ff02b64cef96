"""What calls cost, beside NumPy, numba, JAX and PyTorch where they are installed, in one run: `python calls.py [PAGE]`.

Prints tables in Markdown, or writes them as a page. The competitors take turns; each number is the least of many: the machine may be busy
with other things. Where one of them can't do something its cell is empty.
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


def turns(*calls, seconds=0.25):
    """Microseconds of one call of each of several functions, which take turns. `None` has none."""
    present = [call for call in calls if call is not None]
    least = {id(call): float("inf") for call in present}
    counts = {id(call): 1 for call in present}
    for call in present:
        call()
    end = time.perf_counter() + seconds * len(present)
    while time.perf_counter() < end:
        for call in present:
            count = counts[id(call)]
            start = time.perf_counter()
            for _ in range(count):
                call()
            took = (time.perf_counter() - start) / count
            least[id(call)] = min(least[id(call)], took)
            counts[id(call)] = max(1, min(2000, int(0.005 / max(took, 1e-9))))
    return ["" if call is None else least[id(call)] * 1e6 for call in calls]


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
    m = evert.text(f"{ROSENBROCK}\n{NEWTON}\nfn g(x) = x * x + 1.0\nfn twice(x) = 2 * x\nfn roots(v) = sum([root(a) for a in v])")
    small, large, many = np.linspace(0, 1, 16), np.linspace(0, 1, 1_000_000), np.linspace(1, 9, 10_000)
    slope, slopes, other = evert.grad(m.f), evert.grad(m.roots), np.empty_like(large)
    f, g, twice, roots = m.f, m.g, m.twice, m.roots
    rosen = lambda v: np.sum(100 * (v[1:] - v[:-1] ** 2) ** 2 + (1 - v[:-1]) ** 2)
    rows = {
        "x² + 1, a number": [lambda: g(2.0), lambda: 2.0 * 2.0 + 1.0],
        "Rosenbrock, 16 numbers": [lambda: f(small), lambda: rosen(small)],
        "its gradient, 16": [lambda: slope(small), None],
        "2 x, 10⁶ numbers": [lambda: twice(large), lambda: 2 * large],
        "Rosenbrock, 10⁶": [lambda: f(large), lambda: rosen(large)],
        "its gradient, 10⁶": [lambda: slope(large), None],
        "roots by Newton's method, 10⁴": [lambda: roots(many), None],
        "their gradient, 10⁴": [lambda: slopes(many), None],
    }
    for row, more in zip(rows.values(), numba(small, large, many) or [None] * len(rows)):
        row.append(more)
    for row, more in zip(rows.values(), jax(small, large, many) or [None] * len(rows)):
        row.append(more)
    copy = lambda: np.copyto(other, large)
    whole = turns(rows["2 x, 10⁶ numbers"][0], copy, lambda: np.copy(large))
    lines = [["µs a call", "Evert", "NumPy", "numba", "JAX"]]
    lines += [[name, *turns(*row)] for name, row in rows.items()]
    beyond = whole[0] - 2 * whole[1]
    return lines, f"10⁶ numbers in and out take {whole[0]:.0f} µs, {beyond:.0f} more than two copies of NumPy's into memory that is there ({whole[1]:.0f} each; {whole[2]:.0f} into new memory)."


def numba(small, large, many):
    if not importlib.util.find_spec("numba"):
        return None
    import numba as nb

    g, twice = nb.njit(lambda x: x * x + 1.0), nb.njit(lambda x: 2 * x)

    @nb.njit
    def rosenbrock(v):
        total = 0.0
        for i in range(len(v) - 1):
            total += 100 * (v[i + 1] - v[i] ** 2) ** 2 + (1 - v[i]) ** 2
        return total

    @nb.njit
    def roots(v):
        total = 0.0
        for a in v:
            x = a
            while abs(x * x - a) > 1e-12:
                x = (x + a / x) / 2
            total += x
        return total

    return [lambda: g(2.0), lambda: rosenbrock(small), None, lambda: twice(large), lambda: rosenbrock(large), None, lambda: roots(many), None]


def jax(small, large, many):
    if not importlib.util.find_spec("jax"):
        return None
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax as J
    import jax.numpy as jnp

    J.config.update("jax_enable_x64", True)
    rosenbrock = lambda v: jnp.sum(100 * (v[1:] - v[:-1] ** 2) ** 2 + (1 - v[:-1]) ** 2)
    root = lambda a: J.lax.while_loop(lambda x: abs(x * x - a) > 1e-12, lambda x: (x + a / x) / 2, a)
    s, l, v = jnp.asarray(small), jnp.asarray(large), jnp.asarray(many)

    def done(f, x):
        f = J.jit(f)
        return lambda: f(x).block_until_ready()

    return [done(lambda x: x * x + 1.0, 2.0), done(rosenbrock, s), done(J.grad(rosenbrock), s), done(lambda x: 2 * x, l), done(rosenbrock, l),
            done(J.grad(rosenbrock), l), done(lambda v: J.vmap(root)(v).sum(), v), None]  # fmt: skip


def inside_jax():
    import jax as J
    import jax.numpy as jnp

    J.config.update("jax_enable_x64", True)
    m = evert.text("fn sumsin(x) = sum(sin(x))")
    ours, theirs = evert.jax(m.sumsin), lambda x: jnp.sin(x).sum()
    x = jnp.linspace(0, 3, 16)

    def done(f):
        f = J.jit(f)
        return lambda: f(x).block_until_ready()

    loop = lambda f: done(lambda x: J.lax.fori_loop(0, 1000, lambda i, c: c + f(x + c * 1e-9), 0.0))
    rows = [["16 numbers, µs a call", "Evert by FFI", "XLA's own"]]
    rows.append(["from Python", *turns(done(ours), done(theirs))])
    rows.append(["gradient", *turns(done(J.grad(ours)), done(J.grad(theirs)))])
    rows.append(["in a loop of XLA", *(took / 1000 for took in turns(loop(ours), loop(theirs)))])
    return rows


def inside_torch():
    import torch

    m = evert.text("fn sumsin(x) = sum(sin(x))")
    ours, theirs = evert.torch(m.sumsin), lambda x: x.sin().sum()
    x = torch.linspace(0, 3, 16, dtype=torch.float64)
    g = x.clone().requires_grad_()

    def backward(f):
        def step():
            g.grad = None
            f(g).backward()

        return step

    rows = [["16 numbers, µs a call", "Evert", "torch's own"]]
    with torch.no_grad():
        rows.append(["forwards", *turns(lambda: ours(x), lambda: theirs(x))])
    rows.append(["and backwards", *turns(backward(ours), backward(theirs))])
    return rows


def table(rows):
    def cell(x):
        return x if isinstance(x, str) else f"{x:.2f}" if x < 10 else f"{x:.0f}" if x < 10_000 else f"{x:,.0f}"

    head, *body = rows
    lines = ["| " + " | ".join(map(cell, row)) + " |" for row in [head, ["---"] * len(head), *body]]
    return "\n".join(lines) + "\n"


def versions():
    from importlib.metadata import version

    packages = ["evert", "evert-llvm", "numpy", "numba", "jax", "torch"]
    present = [name for name in packages if importlib.util.find_spec(name.replace("-", "_"))]
    return ", ".join(f"{name} {version(name)}" for name in present)


def processor():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else "an unknown processor"


def page():
    parts = [table(starts())]
    rows, copies = calls()
    parts += [table(rows), copies + "\n"]
    if importlib.util.find_spec("jax"):
        parts.append(table(inside_jax()))
    if importlib.util.find_spec("torch"):
        parts.append(table(inside_torch()))
    return "\n".join(parts)


HEAD = """# Benchmarks of the Python package

Made by `cargo xtask python bench`, in one run, on {processor}, Python {python}: {date}. {versions}. Competitors take turns; each number is the
least of many. What is compiled is compiled before the time begins, but in the first table. An empty cell: it can't be done there (numba and NumPy have no
derivatives, JAX none in reverse mode of a loop whose end depends on data).

"""

if __name__ == "__main__":
    text = page()
    if len(sys.argv) > 1:
        head = HEAD.format(processor=processor(), python=sys.version.split()[0], date=time.strftime("%Y-%m-%d"), versions=versions())
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            file.write(head + text)
    print(text)
