"""Run by `cargo xtask wheel test` in an environment that has nothing but the wheels and NumPy, without a PATH to anything else: no Rust, no LLVM.

Prints one line; every claim is checked before. Not a test of pytest, which isn't there.
"""

import os
import sys
import time

import numpy

started = time.perf_counter()
import evert

imported = time.perf_counter() - started
assert not any(os.access(os.path.join(folder, "rustc"), os.X_OK) for folder in os.environ["PATH"].split(os.pathsep))

import evert_llvm

assert evert_llvm.path() in evert.engine(), evert.engine()
assert evert.__file__.startswith(sys.prefix) and evert_llvm.__file__.startswith(sys.prefix)

m = evert.text(
    """
fn root(a) = while_loop(x => abs(x * x - a) > 1e-12, x => (x + a / x) / 2, a)
type Tree = Leaf(value) | Node(left, right)
fn total(t) = match t { Leaf(v) => v^2, Node(l, r) => total(l) + total(r) }
fn loss(p, x, y) = mean((sigmoid(x @ p.w + p.b) - y)^2)
fn rosenbrock(v) = (1 - v[0])^2 + 100 * (v[1] - v[0]^2)^2
fn third(a) = a[3]
"""
)
started = time.perf_counter()
slope = evert.grad(m.root)(2.0)
first = time.perf_counter() - started
assert abs(slope - 0.5 / 2**0.5) < 1e-12
assert m.root.explain(2.0).startswith("native:"), m.root.explain(2.0)
assert evert.grad(m.total)(m.Node(m.Leaf(1.0), m.Leaf(3.0))) == m.Node(m.Leaf(2.0), m.Leaf(6.0))
x, y = numpy.array([[0.0, 1.0], [1.0, 0.0]]), numpy.array([0.0, 1.0])
value, gradient = evert.value_and_grad(m.loss)({"w": numpy.zeros(2), "b": 0.0}, x, y)
assert value == 0.25 and gradient["w"].shape == (2,)
assert numpy.allclose(evert.hessian(m.rosenbrock)([1.0, 1.0]), [[802, -400], [-400, 200]])
try:
    m.third([1.0])
except evert.Error as error:
    assert error.code == "E0307"
else:
    raise AssertionError("no error")
version = ".".join(map(str, sys.version_info[:3]))
print(f"Python {version}, NumPy {numpy.__version__}: native, import {imported * 1e3:.1f} ms, first gradient {first * 1e3:.0f} ms")
