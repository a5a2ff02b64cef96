"""The tests run against the package that is installed (or on PYTHONPATH), and use what else there is: JAX, torch, scipy, …"""

import os

# Before JAX is imported: four devices on the CPU.
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")

import pytest

import evert


def pytest_report_header(config):
    return f"evert {evert.__version__} in {os.path.dirname(evert.__file__)}; {evert.engine()}"


@pytest.fixture(scope="session")
def model():
    return evert.text(
        """
/// The square of a number.
fn square(x) = x * x
fn root(a) = while_loop(x => abs(x * x - a) > 1e-12, x => (x + a / x) / 2, a)
fn loss(p, x, y) = mean((sigmoid(x @ p.w + p.b) - y)^2)
fn rosenbrock(v) = (1 - v[0])^2 + 100 * (v[1] - v[0]^2)^2
fn same(x) = x
fn third(a) = a[3]
fn forever(x) = while_loop(y => y < inf, y => y + 0.0 * x, x)
type Tree = Leaf(value) | Node(left, right)
fn total(t) = match t { Leaf(v) => v, Node(l, r) => total(l) + total(r) }
type Shape = Box(width, height) | Dot
fn area(s) = match s { Box(w, h) => w * h, Dot => 0.0 }
fn scaled(a) = x => a * x
fn twice(f, x) = f(f(x))
fn talk(x) = { print("x is {x}"); x }
let table = [1.0, 2.0, 3.0]
fn weighted(x) = sum(table * x)
""",
        name="model.ev",
    )
