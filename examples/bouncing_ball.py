"""The bouncing ball with drag, in JAX: the time of each impact is a root of an integral, the number of bounces depends on it.

Run with `pip install jax` and `python bouncing_ball.py`; the page beside it shows its output.
"""

import re

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)

G = 9.81


def attempt(title, program):
    print(f"{title}:")
    try:
        print(f"  {program()}")
    except Exception as error:
        message = re.sub(r" at 0x[0-9a-f]+", "", str(error).splitlines()[0])
        print(f"  {type(error).__name__}: {message}")


def falling(drag, s):
    return jnp.array([s[1], -G - drag * s[1] * jnp.abs(s[1])])


def flight(drag, t, s):
    """Where the ball is after the time t: twenty steps of Runge and Kutta."""
    h = t / 20

    def step(_, s):
        k1 = falling(drag, s)
        k2 = falling(drag, s + h / 2 * k1)
        k3 = falling(drag, s + h / 2 * k2)
        k4 = falling(drag, s + h * k3)
        return s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return jax.lax.fori_loop(0, 20, step, s)


def newton(f, t):
    """Newton's method in Python: as many steps as it takes."""
    while True:
        after = t - f(t) / jax.grad(f)(t)
        if abs(after - t) < 1e-13 * (1 + abs(t)):
            return after
        t = after


def newton_in_a_loop(f, t):
    """Newton's method as JAX would have it compiled."""
    def step(state):
        t = state[1]
        return t, t - f(t) / jax.grad(f)(t)
    return jax.lax.while_loop(lambda s: jnp.abs(s[1] - s[0]) >= 1e-13, step, step((t + 1, t)))[1]


def impact(root, drag, s):
    start = (s[1] + jnp.sqrt(s[1] ** 2 + 2 * G * s[0])) / G + 0.1
    return root(lambda t: flight(drag, t, s)[0], start)


def ball(root, drag, bounce, time, s):
    t = impact(root, drag, s)
    if t > time:
        return flight(drag, time, s)[0]
    hit = flight(drag, t, s)
    return ball(root, drag, bounce, time - t, jnp.array([0.0, -bounce * hit[1]]))


def height(root):
    return lambda drag, bounce: ball(root, drag, bounce, 1.6, jnp.array([1.0, 0.0]))


print("jax", jax.__version__)
attempt("the height after 1.6 s", lambda: height(newton)(0.02, 0.8))
attempt("its gradient, one operation at a time", lambda: jax.grad(height(newton), argnums=(0, 1))(0.02, 0.8))
attempt("its gradient, compiled", lambda: jax.jit(jax.grad(height(newton), argnums=(0, 1)))(0.02, 0.8))
attempt("its gradient, Newton's method in lax.while_loop", lambda: jax.grad(height(newton_in_a_loop), argnums=(0, 1))(0.02, 0.8))
