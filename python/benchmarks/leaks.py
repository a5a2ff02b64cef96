"""A million calls of each kind, and how the process grows: it doesn't."""

import gc
import os
import sys

import numpy as np

import evert

m = evert.text("fn f(x) = x^2\nfn g(p) = {s: sum(p.w) + p.b, w: p.w}\nfn h(v) = sum(v^2)\nfn bad(a) = a[3]\nfn make(a) = x => a * x\ntype T = A(x) | B\nfn t(v) = match v { A(x) => x, B => 0.0 }\nfn apply(f, x) = f(x)")
slope, batched = evert.grad(m.h), evert.vmap(m.f)
p, v = {"w": np.arange(10.0), "b": 1.0}, np.arange(20.0)


def error():
    try:
        m.bad([1.0])
    except evert.Error:
        pass


KINDS = {
    "numbers": (lambda: m.f(2.0), 1_000_000),
    "records": (lambda: m.g(p), 1_000_000),
    "gradients": (lambda: slope(v), 1_000_000),
    "maps": (lambda: batched(v), 1_000_000),
    "variants": (lambda: m.t(m.A(2.0)), 300_000),
    "errors": (error, 10_000),
    "closures": (lambda: m.make(2.0)(3.0), 30_000),
    "functions of Python": (lambda: m.apply(lambda x: x, 2.0), 30_000),
}


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024


if __name__ == "__main__":
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    for name, (call, count) in KINDS.items():
        count = int(count * scale)
        for _ in range(max(1000, count // 10)):
            call()
        gc.collect()
        before = resident()
        for _ in range(count):
            call()
        gc.collect()
        print(f"{name}: {count} calls, {resident() - before:+.0f} KiB", flush=True)
