"""The array programs of this folder in JAX: `arrays.py PROGRAM FUNCTION SIZE SECONDS`, answered as by evals.py, whose inputs and clock it uses."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "evals"))

import evals
import jax
import jax.numpy as jnp
import numpy as np
from evals import matrix, weyl
from jax import grad, lax, vmap


def both(f, argument):
    return {"primal": f, "gradient": grad(f)}, argument


def nbody(n):
    m = weyl(n, 9000)

    def potential(p):
        d = p[:, None, :] - p[None, :, :]
        distance = jnp.sqrt(jnp.sum(d * d, 2) + 0.01)
        return -0.5 * jnp.sum(jnp.where(np.eye(n, dtype=bool), 0.0, m[:, None] * m[None, :] / distance))

    return both(potential, matrix(n, 3, 0))


def kalman(n):
    h = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0]])
    observations = matrix(n, 2, 0)

    def filtered(v):
        f, q, r = v["f"], v["q"], v["r"]

        def step(state, z):
            x, p, total = state
            x, p = f @ x, f @ p @ f.T + q
            y, s = z - h @ x, h @ p @ h.T + r
            gain = jnp.linalg.solve(s, h @ p).T
            total = total - 0.5 * (y @ jnp.linalg.solve(s, y) + jnp.log(jnp.linalg.det(s)))
            return (x + gain @ y, p - gain @ h @ p, total), None

        return lax.scan(step, (jnp.zeros(4), jnp.eye(4), 0.0), observations)[0][2]

    f = np.eye(4) + 0.1 * np.eye(4, k=2)
    return both(filtered, {"f": f, "q": 0.01 * np.eye(4), "r": 0.1 * np.eye(2)})


def logistic(n):
    x, y = matrix(n, 50, 100) - 0.5, 2.0 * np.floor(weyl(n, 77) + 0.5) - 1.0
    return both(lambda w: jnp.sum(jax.nn.softplus(-(y * (x @ w)))) + 0.5 * jnp.sum(w**2), weyl(50, 0) - 0.5)


def convolution(n):
    def loss(v):
        image, kernel = v["x"][None, None], v["w"][None, None]
        return jnp.sum(lax.conv_general_dilated(image, kernel, (1, 1), "VALID") ** 2)

    return both(loss, {"w": matrix(5, 5, 0) - 0.5, "x": matrix(n, n, 100)})


def dtw(n):
    def warped(v):
        a, b = v["a"], v["b"]

        def soft_min(a, b, c):
            m = jnp.minimum(a, jnp.minimum(b, c))
            return m - jnp.log(jnp.exp(m - a) + jnp.exp(m - b) + jnp.exp(m - c))

        def next(row, x):
            def cell(left, given):
                y, diagonal, above = given
                value = (x - y) ** 2 + soft_min(left, diagonal, above)
                return value, value

            values = lax.scan(cell, 1e10, (b, row[:-1], row[1:]))[1]
            return jnp.concatenate([jnp.array([1e10]), values]), None

        first = jnp.full(n + 1, 1e10).at[0].set(0.0)
        return lax.scan(next, first, a)[0][n]

    return both(warped, {"a": weyl(n, 0), "b": weyl(n, 5000)})


def mlp(n):
    images, labels = matrix(n, 784, 500000), np.array([7 * i % 10 for i in range(n)])

    def loss(v):
        hidden = jax.nn.relu(images @ v["w1"] + v["b1"])
        scores = hidden @ v["w2"] + v["b2"]
        return jnp.sum(jax.scipy.special.logsumexp(scores, axis=1) - scores[np.arange(n), labels]) / n

    w1, b1 = 0.1 * (matrix(784, 128, 0) - 0.5), weyl(128, 200000) - 0.5
    return both(loss, {"w1": w1, "b1": b1, "w2": matrix(128, 10, 300000) - 0.5, "b2": weyl(10, 400000) - 0.5})


def black_scholes(n):
    normal = lambda x: 0.5 * jax.scipy.special.erfc(-x / np.sqrt(2.0))

    def value(v):
        s, k, t = v["s"], v["k"], v["t"]
        rate, volatility = 0.02, 0.3
        spread = volatility * jnp.sqrt(t)
        d = (jnp.log(s / k) + (rate + 0.5 * volatility**2) * t) / spread
        return jnp.sum(s * normal(d) - k * jnp.exp(-rate * t) * normal(d - spread))

    return both(value, {"s": 50.0 + 100.0 * weyl(n, 0), "k": 50.0 + 100.0 * weyl(n, 500), "t": 0.1 + weyl(n, 900)})


def heat(n):
    def step(u, _):
        inner = u[1:-1, 1:-1]
        moved = inner + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * inner)
        return u.at[1:-1, 1:-1].set(moved), None

    return both(lambda u: jnp.sum(lax.scan(step, u, None, length=200)[0] ** 2), matrix(n, n, 0))


if __name__ == "__main__":
    evals.EVALS = [nbody, kalman, logistic, convolution, dtw, mlp, black_scholes, heat]
    name, function, size, seconds = sys.argv[1:]
    print(evals.measured(name, function, size, float(seconds)))
