"""Functions of programs inside JAX: every transformation against JAX's own answers."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import evert

jax.config.update("jax_enable_x64", True)

m = evert.text(
    """
fn sumsin(x) = sum(sin(x))
fn quad(a, x) = sum((a @ x) * sin(x))
fn both(x, y) = (sum(x * y), x + sin(y))
fn logistic(p, x, y) = { let z = x @ p.w; {loss: mean((sigmoid(z + p.b) - y)^2), z: z} }
fn newton(a) = while_loop(x => abs(x * x - a) > 1e-12, x => (x + a / x) / 2, a)
fn counted(x, n) = (iterate(n, y => y * x, 1.0), n + 1, x > 0.5)
fn element(x, i) = x[i]
fn positive(x) = { assert x > 10.0; x }
fn near(x, y) = abs(x - y) < 1e-13
fn ruled(a, b) = fix(near, x => (x + a / x) / 2 + b - b)(a)
fn said(x) = { print("never"); x }
type Tree = Leaf(v) | Node(l, r)
fn grown(n, x) = if n == 0 { Leaf(x) } else { Node(grown(n - 1, sin(x)), grown(n - 1, cos(x))) }
fn total(t) = match t { Leaf(v) => v, Node(l, r) => total(l) * total(r) }
fn fractal(x) = total(grown(4, x))
""",
    name="jax.ev",
)
x = jnp.linspace(0.1, 1.0, 4)
a = jnp.asarray(np.random.default_rng(1).normal(size=(4, 4)))

FUNCTIONS = {
    "sumsin": (evert.jax(m.sumsin), lambda x: jnp.sin(x).sum(), (x,)),
    "quad": (evert.jax(m.quad), lambda a, x: ((a @ x) * jnp.sin(x)).sum(), (a, x)),
    "both": (evert.jax(m.both), lambda x, y: ((x * y).sum(), x + jnp.sin(y)), (x, x + 1)),
}
TRANSFORMATIONS = {
    "eager": lambda f, *z: f(*z),
    "jit": lambda f, *z: jax.jit(f)(*z),
    "jvp": lambda f, *z: jax.jvp(f, z, z),
    "vjp": lambda f, *z: jax.vjp(f, *z)[1](jax.tree.map(jnp.ones_like, f(*z))),
    "jacrev": lambda f, *z: jax.jacrev(f, 0)(*z),
    "jacfwd": lambda f, *z: jax.jacfwd(f, len(z) - 1)(*z),
    "linearize": lambda f, *z: jax.linearize(f, *z)[1](*z),
    "checkpoint": lambda f, *z: jax.jacrev(jax.checkpoint(f))(*z),
    "jit vmap jacrev": lambda f, *z: jax.jit(jax.vmap(jax.jacrev(f)))(*(jnp.stack([v, 2 * v, 3 * v]) for v in z)),
    "vmap of the last axis": lambda f, *z: jax.vmap(f, -1)(*(jnp.stack([v, 2 * v], -1) for v in z)),
    "vmap vmap": lambda f, *z: jax.vmap(jax.vmap(f))(*(jnp.stack([jnp.stack([v, 2 * v])] * 3) for v in z)),
    "hessian": lambda f, *z: jax.hessian(f, len(z) - 1)(*z),
    "jacrev of jacrev": lambda f, *z: jax.jacrev(jax.jacrev(f, len(z) - 1), 0)(*z),
    "jacrev of jacfwd": lambda f, *z: jax.jacrev(jax.jacfwd(f, 0), 0)(*z),
    "third": lambda f, *z: jax.jacfwd(jax.jacrev(jax.jacfwd(lambda t: f(*(t * v for v in z)))))(0.7),
    "scan": lambda f, *z: jax.jit(jax.grad(lambda s: jax.lax.scan(lambda c, _: (c + 0.1 * jax.tree.leaves(f(*(c * s * v for v in z)))[0], None), 1.0, None, 4)[0]))(1.0),
}  # fmt: skip


def close(got, expected):
    leaves = zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True)
    assert jax.tree.structure(got) == jax.tree.structure(expected)
    for g, e in leaves:
        assert jnp.shape(g) == jnp.shape(e)
        np.testing.assert_allclose(g, e, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_transformations(name, transformation):
    ours, theirs, arguments = FUNCTIONS[name]
    close(TRANSFORMATIONS[transformation](ours, *arguments), TRANSFORMATIONS[transformation](theirs, *arguments))


def test_check_grads():
    from jax.test_util import check_grads

    check_grads(FUNCTIONS["quad"][0], (a, x), order=3)


def test_what_jax_cannot_do_alone():
    newton = evert.jax(m.newton)
    xs = jnp.array([2.0, 9.0])
    close(jax.jit(jax.vmap(jax.grad(newton)))(xs), 0.5 / jnp.sqrt(xs))
    close(jax.grad(jax.grad(newton))(2.0), -0.25 * 2.0**-1.5)
    fractal = evert.jax(m.fractal)

    def theirs(x, n=4):
        return x if n == 0 else theirs(jnp.sin(x), n - 1) * theirs(jnp.cos(x), n - 1)

    close(jax.jit(jax.value_and_grad(fractal))(0.4), jax.value_and_grad(theirs)(0.4))
    ruled = evert.jax(m.ruled)
    close(jax.jit(jax.grad(ruled, (0, 1)))(2.0, 1.0), (0.5 / np.sqrt(2.0), 0.0))


def test_trees():
    ours = evert.jax(m.logistic)
    p, y = {"w": x, "b": jnp.float64(0.3)}, jnp.ones(4)

    def theirs(p, x, y):
        return {"loss": jnp.mean((jax.nn.sigmoid(x @ p["w"] + p["b"]) - y) ** 2), "z": x @ p["w"]}

    for T in (lambda f: f(p, a, y), lambda f: jax.jit(jax.grad(lambda p: f(p, a, y)["loss"]))(p), lambda f: jax.hessian(lambda p: f(p, a, y)["loss"])(p)):
        close(T(ours), T(theirs))
    close(ours(x=a, y=y, p=p), theirs(p, a, y))


def test_ints_booleans_and_types():
    counted = evert.jax(m.counted)
    power, after, large = jax.jit(counted)(1.5, 3)
    assert power == 1.5**3 and after == 4 and after.dtype == jnp.int64 and bool(large) and large.dtype == jnp.bool_
    close(jax.grad(lambda x: counted(x, 3)[0])(1.5), 3 * 1.5**2)
    close(jax.vmap(jax.grad(lambda x, n: counted(x, n)[0]))(jnp.array([1.5, 2.0]), jnp.array([3, 2])), jnp.array([6.75, 4.0]))
    y, dy = jax.jvp(lambda x: counted(x, 3), (1.5,), (1.0,))
    assert dy[1].dtype == jax.dtypes.float0
    sumsin = evert.jax(m.sumsin)
    for dtype in (jnp.float32, jnp.float64):
        g = jax.jit(jax.grad(sumsin))(x.astype(dtype))
        assert g.dtype == dtype
        np.testing.assert_allclose(g, jnp.cos(x.astype(dtype)), rtol=1e-6)
    assert sumsin(x.astype(jnp.bfloat16)).dtype == jnp.float32
    assert jax.vmap(sumsin)(jnp.zeros((0, 3))).shape == (0,)
    with pytest.raises(evert.ArgumentError):
        sumsin(jnp.ones(2) * 1j)


def test_denormals_are_kept_on_xlas_threads():
    assert float(jax.jit(evert.jax(m("x => x * 0.25")))(4e-308)) == 1e-308
    assert float(jax.jit(evert.jax(m("a => sum(a) * 0.25")))(jnp.full(100, 4e-310))) == pytest.approx(1e-308, rel=1e-12)


def test_errors_reach_the_caller():
    element = evert.jax(m.element)
    assert float(jax.jit(element)(x, 2)) == x[2]
    with pytest.raises(Exception, match=r"E0307.*index 7 is out of range"):
        jax.block_until_ready(jax.jit(element)(x, 7))
    assert float(jax.jit(element)(x, 1)) == x[1]
    positive = evert.jax(m.positive)
    with pytest.raises(Exception, match="result="):
        jax.jit(positive)(11.0)
    assert float(jax.jit(evert.jax(m.positive, result=1.0))(11.0)) == 11.0
    assert float(jax.jit(evert.jax(m.positive, result=lambda x: jax.ShapeDtypeStruct((), jnp.float64)))(12.0)) == 12.0
    wrong = evert.jax(m.positive, result=jnp.zeros(3))
    with pytest.raises(Exception, match="shape"):
        jax.block_until_ready(jax.jit(wrong)(11.0))
    with pytest.raises(evert.ArgumentError):
        evert.jax(jnp.sin)


def test_without_double_precision():
    script = """
    import jax, jax.numpy as jnp, evert
    m = evert.text("fn f(x, n) = (sum(x * x), n + 1)")
    f = evert.jax(m.f)
    y, n = jax.jit(f)(jnp.ones(3), 2)
    assert y.dtype == jnp.float32 and n.dtype == jnp.int32 and float(y) == 3.0 and int(n) == 3
    g = jax.grad(lambda x: f(x, 2)[0])(jnp.ones(3))
    assert g.dtype == jnp.float32 and g.tolist() == [2.0, 2.0, 2.0]
    """
    environment = {**os.environ, "JAX_ENABLE_X64": "0"}
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True, env=environment)


def test_interrupts_inside_jit():
    script = """
    import faulthandler, os, signal, threading, time
    import jax, jax.numpy as jnp, evert
    faulthandler.dump_traceback_later(60, exit=True)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    m = evert.text("fn forever(x) = while_loop(y => y < inf, y => y + 0.0 * x, x)\\nfn square(x) = x * x")
    forever, square = jax.jit(evert.jax(m.forever, result=1.0)), jax.jit(evert.jax(m.square))
    assert square(3.0) == 9.0
    for many in (False, True):
        x = jnp.ones(1000) if many else 1.0
        f = jax.jit(lambda x: jax.lax.map(evert.jax(m.forever, result=1.0), x)) if many else forever
        timer = threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        try:
            jax.block_until_ready(f(x))
            time.sleep(1)
        except KeyboardInterrupt:
            print("stopped")
        timer.join()
        assert square(3.0) == 9.0
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=120)
    assert done.stdout == "stopped\nstopped\n", done.stderr


def test_programs_and_jax_call_each_other():
    apply = evert.text("fn apply(f, x) = f(x)\nfn element(x, i) = x[i]\nfn norm(x) = sum(x^2)")
    element, norm = jax.jit(evert.jax(apply.element)), jax.jit(evert.jax(apply.norm))
    assert apply.apply(lambda y: float(norm(jnp.ones(3) * y)), 2.0) == 12.0
    element(x, 1)
    with pytest.raises(Exception, match="E0307"):
        apply.apply(lambda y: float(element(x, 9)), 2.0)
    assert apply.norm(np.ones(2)) == 2.0


def test_functions_for_jax_pickle():
    import pickle

    both = evert.jax(m.both)
    close(pickle.loads(pickle.dumps(both))(x, y=x), both(x, x))


def test_broadcasting_inside_jit():
    outer = jax.jit(evert.jax(evert.text("fn outer(x, y) = x * y").outer))
    for _ in range(3):
        close(outer(x[:, None], x[None]), jnp.outer(x, x))


def test_four_devices():
    count = len(jax.devices())
    if count < 4:
        pytest.skip("there are fewer devices: JAX was started before us")
    mesh = jax.make_mesh((count,), ("d",))
    xs = jax.device_put(jnp.linspace(0, 9, count * 1000).reshape(count, 1000), NamedSharding(mesh, P("d")))

    def loss(f):
        def total(w, x):
            return jax.lax.psum(jax.vmap(f)(w * x).sum(), "d")

        return jax.shard_map(total, mesh=mesh, in_specs=(P(), P("d")), out_specs=P())

    got = jax.jit(jax.grad(loss(evert.jax(m.sumsin)), (0, 1)))(1.5, xs)
    expected = jax.grad(lambda w, x: jnp.sin(w * x).sum(), (0, 1))(1.5, jnp.asarray(np.asarray(xs)))
    close(got, expected)


def test_devices_run_at_the_same_time():
    """Four calls that wait for each other: each sees that all have begun."""
    if len(jax.devices()) < 4:
        pytest.skip("there are fewer devices: JAX was started before us")
    slow = evert.text("fn slow(x) = iterate(2000000, y => sin(y) + 1.0, x)").slow
    f = evert.jax(slow)
    mesh = jax.make_mesh((4,), ("d",))
    g = jax.jit(jax.shard_map(jax.vmap(f), mesh=mesh, in_specs=P("d"), out_specs=P("d")))
    xs = jax.device_put(jnp.arange(4.0), NamedSharding(mesh, P("d")))
    close(g(xs), jnp.array([slow(float(i)) for i in range(4)]))


@pytest.mark.long
def test_two_processes(tmp_path):
    script = tmp_path / "worker.py"
    script.write_text(
        textwrap.dedent(
            """
            import os, sys
            os.environ.update(JAX_PLATFORMS="cpu", XLA_FLAGS="--xla_force_host_platform_device_count=2")
            import jax
            me, port = int(sys.argv[1]), sys.argv[2]
            jax.distributed.initialize(f"127.0.0.1:{port}", num_processes=2, process_id=me)
            jax.config.update("jax_enable_x64", True)
            import jax.numpy as jnp, numpy as np, evert
            from jax.sharding import PartitionSpec as P, NamedSharding
            loss = evert.jax(evert.text("fn loss(w, x) = sum((w * sin(x) - x)^2)").loss)
            mesh = jax.make_mesh((4,), ("d",))
            data = np.linspace(0, 3, 4 * 500).reshape(4, 500)
            x = jax.make_array_from_callback(data.shape, NamedSharding(mesh, P("d")), lambda i: data[i])
            def total(w, x):
                inner = lambda w, x: jax.lax.psum(jax.vmap(loss, (None, 0))(w, x).sum(), "d")
                return jax.shard_map(inner, mesh=mesh, in_specs=(P(), P("d")), out_specs=P())(w, x)
            step = jax.jit(lambda w, x: w - 1e-4 * jax.grad(total)(w, x))
            w = jax.device_put(jnp.float64(0.1), NamedSharding(mesh, P()))
            v = 0.1
            for _ in range(10):
                w = step(w, x)
                v -= 1e-4 * (2 * (v * np.sin(data) - data) * np.sin(data)).sum()
            assert len(jax.devices()) == 4 and len(jax.local_devices()) == 2
            assert abs(float(w.addressable_data(0)) - v) < 1e-12, (w, v)
            print("fine")
            """
        )
    )
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    environment = {key: value for key, value in os.environ.items() if key not in ("XLA_FLAGS", "JAX_PLATFORMS")}
    workers = [subprocess.Popen([sys.executable, script, str(i), port], stdout=subprocess.PIPE, env=environment) for i in range(2)]
    assert [worker.communicate(timeout=300)[0].endswith(b"fine\n") for worker in workers] == [True] * 2
