"""GradBench's evals in JAX: `evals.py EVAL FUNCTION SIZE SECONDS`. An input that has several sizes gets them with commas between them.

Prints `SECONDS - BYTES VALUE COMPILING`: the least time of a run, of the processor, what the runs add to the memory of the process, the sum of the result, the
seconds that compiling took; or `- WHY`. The inputs are those of inputs.ev. The evals are written as one writes JAX: whole arrays, jitted.
"""

import ctypes
import math
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import grad, jit, jvp, lax, vmap

jax.config.update("jax_enable_x64", True)

REVERSE_WHILE = "impossible: no reverse mode through a while loop"


def weyl(n, start):
    x = 0.6180339887498949 * (start + np.arange(n) + 1)
    return x - np.floor(x)


def matrix(n, m, start):
    return weyl(n * m, start).reshape(n, m)


# hello


def hello(n):
    square = lambda x: x * x
    return {"square": square, "double": grad(square)}, float(n)


# llsq


def llsq(n):
    def loss(x):
        t = jnp.linspace(-1.0, 1.0, n)
        y, _ = lax.scan(lambda y, c: (y * t + c, None), 0.0 * t, x[::-1])
        return 0.5 * jnp.sum((jnp.sign(t) - y) ** 2)

    return {"primal": loss, "gradient": grad(loss)}, weyl(128, 0)


# lse


def lse(n):
    def f(x):
        a = jnp.max(x)
        return a + jnp.log(jnp.sum(jnp.exp(x - a)))

    return {"primal": f, "gradient": grad(f)}, 200.0 * weyl(n, 0) - 100.0


# det


def det(ell):
    def determinants(a):
        """Of a batch of matrices, by expansion along the first row: all minors of a level at once."""
        n = a.shape[-1]
        if n == 1:
            return a[:, 0, 0]
        others = np.array([[c for c in range(n) if c != j] for j in range(n)])
        minors = a[:, 1:, :][:, :, others].transpose(0, 2, 1, 3).reshape(-1, n - 1, n - 1)
        signs = np.array([(-1.0) ** j for j in range(n)])
        return jnp.sum(signs * a[:, 0, :] * determinants(minors).reshape(-1, n), axis=1)

    f = lambda a: determinants(a.reshape(1, ell, ell))[0]
    return {"primal": f, "gradient": grad(f)}, weyl(ell * ell, 0)


# ode


def ode(s, n=1000):
    def solution(x):
        h = 2.0 / s
        f = lambda y: x * jnp.concatenate([jnp.ones(1), y[:-1]])

        def step(y, _):
            k1 = f(y)
            k2 = f(y + h / 2 * k1)
            k3 = f(y + h / 2 * k2)
            k4 = f(y + h * k3)
            return y + h / 6 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), None

        return lax.scan(step, jnp.zeros_like(x), None, length=s)[0]

    return {"primal": solution, "gradient": grad(lambda x: solution(x)[-1])}, weyl(n, 0)


# gmm


def gmm(n, d=10, k=10):
    m, gamma = 0, 1.0
    x = matrix(n, d, 5000)
    rows, columns = np.tril_indices(d, -1)
    place = columns * (d - 1) - columns * (columns - 1) // 2 + rows - columns - 1

    def factor(q, l):
        return jnp.diag(jnp.exp(q)).at[rows, columns].set(l[place])

    def lgamma_of_dimension(a):
        return d * (d - 1) / 4 * math.log(math.pi) + sum(math.lgamma(a - j / 2) for j in range(d))

    def log_posterior(v):
        factors = vmap(factor)(v["q"], v["l"])
        moved = jnp.einsum("kij,nkj->nki", factors, x[:, None, :] - v["mu"][None])
        terms = v["alpha"] + jnp.sum(v["q"], 1) - 0.5 * jnp.sum(moved**2, 2)
        nu = d + m + 1
        constant = nu * d * math.log(gamma / math.sqrt(2.0)) - lgamma_of_dimension(nu / 2)
        likelihood = jnp.sum(jax.scipy.special.logsumexp(terms, axis=1))
        likelihood -= n * (d / 2 * math.log(2.0 * math.pi) + jax.scipy.special.logsumexp(v["alpha"]))
        return likelihood + m * jnp.sum(v["q"]) - 0.5 * gamma**2 * jnp.sum(factors**2) + k * constant

    v = {"alpha": weyl(k, 0), "mu": matrix(k, d, 100), "q": matrix(k, d, 1000), "l": matrix(k, d * (d - 1) // 2, 2000)}
    return {"objective": log_posterior, "jacobian": grad(log_posterior)}, v


# kmeans


def kmeans(n, d=8, k=10):
    def nearest(points, centroids):
        return jnp.argmin(jnp.sum((points[:, None] - centroids[None]) ** 2, 2), 1)

    def spread(points, labels, centroids):
        return jnp.sum((centroids[labels] - points) ** 2)

    def cost(v):
        return spread(v["points"], nearest(v["points"], v["centroids"]), v["centroids"])

    def direction(v):
        labels = nearest(v["points"], v["centroids"])
        slope = grad(lambda c: spread(v["points"], labels, c))
        gradient, diagonal = jvp(slope, (v["centroids"],), (jnp.ones_like(v["centroids"]),))
        return gradient / diagonal

    points = matrix(n, d, 0)
    return {"cost": cost, "dir": direction}, {"points": points, "centroids": points[n - k :]}


# lstm


def lstm(c, layers=2, bits=8):
    state, sequence = matrix(2 * layers, bits, 2000), np.floor(matrix(c, bits, 3000) + 0.5)

    def layer(weight, bias, hidden, cell, x):
        gate = lambda k, x: x * weight[k * bits : (k + 1) * bits] + bias[k * bits : (k + 1) * bits]
        forget, ingate = jax.nn.sigmoid(gate(0, x)), jax.nn.sigmoid(gate(1, hidden))
        outgate, change = jax.nn.sigmoid(gate(2, x)), jnp.tanh(gate(3, hidden))
        following = cell * forget + ingate * change
        return outgate * jnp.tanh(following), following

    def loss(parameters):
        main, extra = parameters

        def step(state, pair):
            x, target = pair
            x, rows = x * extra[0], []
            for i in range(layers):
                x, cell = layer(main[2 * i], main[2 * i + 1], state[2 * i], state[2 * i + 1], x)
                rows += [x, cell]
            y = x * extra[1] + extra[2]
            y = y - jnp.log(2.0 + jnp.sum(jnp.exp(y)))
            return jnp.stack(rows), jnp.dot(target, y)

        _, terms = lax.scan(step, state, (sequence[:-1], sequence[1:]))
        return -jnp.sum(terms) / ((c - 1) * bits)

    return {"objective": loss, "jacobian": grad(loss)}, (matrix(2 * layers, 4 * bits, 0), matrix(3, bits, 1000))


# ba


def ba(p, n=20, m=500):
    cam = [0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 1.5, 0.1, 0.2, 0.01, 0.02]
    v = {
        "cameras": np.tile(cam, (n, 1)),
        "points": np.tile([1.0, 2.0, 5.0], (m, 1)),
        "weights": np.full(p, 0.5),
        "features": np.tile([0.3, 0.4], (p, 1)),
    }
    of_camera, of_point = np.arange(p) % n, np.arange(p) % m

    def rotate(r, x):
        square = jnp.dot(r, r)
        angle = jnp.sqrt(square)
        s, c, axis = jnp.sin(angle), jnp.cos(angle), r / angle
        return x * c + jnp.cross(axis, x) * s + axis * jnp.dot(axis, x) * (1.0 - c)

    def error(camera, point, w, feature):
        x, y, z = rotate(camera[:3], point - camera[3:6])
        q = jnp.stack([x / z, y / z])
        square = jnp.dot(q, q)
        distortion = 1.0 + camera[9] * square + camera[10] * square * square
        return w * (q * distortion * camera[6] + camera[7:9] - feature)

    def of_observations(f, v):
        return vmap(f)(v["cameras"][of_camera], v["points"][of_point], v["weights"], v["features"])

    def objective(v):
        errors = of_observations(error, v)
        return errors, 1.0 - v["weights"] ** 2

    def jacobian(v):
        def block(camera, point, w, feature):
            by = jax.jacrev(error, (0, 1, 2))(camera, point, w, feature)
            return jnp.concatenate([by[0], by[1], by[2][:, None]], 1)

        return of_observations(block, v).reshape(-1), vmap(grad(lambda w: 1.0 - w * w))(v["weights"])

    return {"objective": objective, "jacobian": jacobian}, v


def ba_value(function, result):
    """GradBench looks at a part of the answers."""
    if function == "objective":
        return float(np.sum(result[0][0]) + result[1][0])
    return float(np.sum(result[0][:30]) + result[1][-1])


# ht


def ht(n):
    bones = 22
    parents = [-1 if b == 0 else 0 if (b - 1) % 4 == 0 else b - 1 for b in range(bones)]
    moved = lambda x, y, z: np.array([[1.0, 0, 0, x], [0, 1, 0, y], [0, 0, 1, z], [0, 0, 0, 1]])
    base = np.stack([moved(0.1, 0.2, 0.3)] * bones)
    inverse = np.stack([moved(-0.1, 0.1, -0.3)] * bones)
    vertex = np.arange(n)
    positions = np.stack([0.01 * 1 * (vertex % 97), 0.01 * 2 * (vertex % 97), 0.01 * 3 * (vertex % 97), np.ones(n)], 1)
    weights, points = matrix(n, bones, 100) / 11.0, matrix(n, 3, 9000)
    triangles = (vertex[:, None] + np.arange(3)) % n

    def turn_x(a):
        s, c = jnp.sin(a), jnp.cos(a)
        return jnp.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])

    def turn_y(a):
        s, c = jnp.sin(a), jnp.cos(a)
        return jnp.array([[c, 0, s], [0, 1.0, 0], [-s, 0, c]])

    def turn_z(a):
        s, c = jnp.sin(a), jnp.cos(a)
        return jnp.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])

    def rotation(axis):
        angle = jnp.sqrt(jnp.dot(axis, axis))
        a, s, c = axis / angle, jnp.sin(angle), jnp.cos(angle)
        turn = jnp.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
        return c * jnp.eye(3) + (1.0 - c) * jnp.outer(a, a) + s * turn

    def angles(theta, b):
        finger, joint = (b - 1) // 4, (b - 1) % 4
        first = 6 + 4 * finger
        if b == 0 or finger >= 5 or joint == 0:
            return 0.0, 0.0, 0.0
        if joint == 1:
            return theta[first], theta[first + 1], 0.0
        return theta[first + joint], 0.0, 0.0

    def vertices(theta):
        absolutes = []
        for b in range(bones):
            x, z, y = angles(theta, b)
            relative = base[b] @ jnp.eye(4).at[:3, :3].set(turn_z(z) @ turn_y(y) @ turn_x(x))
            absolutes.append(relative if parents[b] < 0 else absolutes[parents[b]] @ relative)
        moves = jnp.stack(absolutes) @ inverse
        moved = jnp.einsum("vb,bij,vj->vi", weights, moves[:, :3], positions)
        return moved @ rotation(theta[:3]).T + theta[3:6]

    def residuals(vertices, us):
        a, b, c = (vertices[triangles[:, k]] for k in range(3))
        place = us[:, :1] * a + us[:, 1:] * b + (1.0 - us[:, :1] - us[:, 1:]) * c
        return (points - place).reshape(-1)

    def objective(v):
        return residuals(vertices(v["theta"]), v["us"])

    def jacobian(v):
        theta, us = v["theta"], v["us"]
        pose = lambda theta: residuals(vertices(theta), us)
        by_theta = vmap(lambda d: jvp(pose, (theta,), (d,))[1])(jnp.eye(len(theta)))
        fixed = vertices(theta)
        direction = lambda k: jnp.zeros_like(us).at[:, k].set(1.0)
        by_us = jnp.stack([jvp(lambda us: residuals(fixed, us), (us,), (direction(k),))[1] for k in range(2)])
        return jnp.concatenate([by_us, by_theta]).T

    return {"objective": objective, "jacobian": jacobian}, {"theta": weyl(26, 0), "us": matrix(n, 2, 50)}


# particle, saddle: descent in loops that end when they end


def descend(slope, f, start):
    size = lambda x: jnp.sqrt(jnp.sum(x * x))

    def step(s):
        x, fx, gx, eta, successes, _ = s
        following = x - eta * gx
        value = f(following)

        def tried(_):
            better = (following, value, slope(following), eta, successes + 1, False)
            return jax.tree.map(lambda a, b: jnp.where(value < fx, a, b), better, (x, fx, gx, eta / 2.0, 0, False))

        done = (size(gx) <= 1e-5) | ((successes != 10) & (size(x - following) <= 1e-5))
        return lax.cond(
            done,
            lambda _: (x, fx, gx, eta, successes, True),
            lambda _: lax.cond(successes == 10, lambda _: (x, fx, gx, 2.0 * eta, 0, False), tried, None),
            None,
        )

    return lax.while_loop(lambda s: ~s[5], step, (start, f(start), slope(start), 1e-5, 0, False))[0]


def forward(f):
    return lambda x: vmap(lambda d: jvp(f, (x,), (d,))[1])(jnp.eye(len(x)))


def particle(_):
    def miss(w):
        distance = lambda p, x, y: jnp.sqrt((p[0] - x) ** 2 + (p[1] - y) ** 2)
        potential = lambda p: 1.0 / distance(p, 10.0, 10.0 - w[0]) + 1.0 / distance(p, 10.0, 0.0)
        slope, dt = forward(potential), 0.1
        fall = lambda s: (s[0] + dt * s[1], s[1] - dt * slope(s[0]))
        start = (jnp.array([0.0, 8.0]), jnp.array([0.75, 0.0]))
        p, v = lax.while_loop(lambda s: s[0][1] + dt * s[1][1] > 0.0, fall, start)
        return (p[0] - p[1] / v[1] * v[0]) ** 2

    return {"ff": lambda w: descend(forward(miss), miss, w), "rr": REVERSE_WHILE}, np.zeros(1)


def saddle(_):
    f = lambda x, y: jnp.sum(x * x) - jnp.sum(y * y)
    start = np.ones(2)

    def both(start):
        highest = lambda x: descend(forward(lambda y: -f(x, y)), lambda y: -f(x, y), start)
        value = lambda x: f(x, highest(x))
        x = descend(forward(value), value, start)
        return x, highest(x)

    return {"ff": both, "rr": REVERSE_WHILE}, start


EVALS = [hello, llsq, lse, det, ode, gmm, kmeans, lstm, ba, ht, particle, saddle]


def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(name))


def settled():
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass
    return status("VmRSS:")


def measured(name, function, size, seconds):
    make = next(make for make in EVALS if make.__name__ == name)
    functions, argument = make(*map(int, size.split(",")))
    f = functions[function]
    if isinstance(f, str):
        return "- " + f
    argument = jax.device_put(jax.tree.map(lambda x: jnp.asarray(x, dtype=float), argument))
    jax.block_until_ready(argument)
    compiling = time.process_time()
    compiled = jit(f).lower(argument).compile()
    compiling = time.process_time() - compiling
    before = settled()
    times = []
    while len(times) < 3 or sum(times) < seconds:
        start = time.process_time()
        result = jax.block_until_ready(compiled(argument))
        times.append(time.process_time() - start)
    added = max(status("VmHWM:") - before, 0)
    result = jax.tree.map(np.asarray, result)
    value = ba_value(function, result) if name == "ba" else sum(float(np.sum(x)) for x in jax.tree.leaves(result))
    return f"{min(times)} - {added} {value} {compiling}"


if __name__ == "__main__":
    name, function, size, seconds = sys.argv[1:]
    print(measured(name, function, size, float(seconds)))
