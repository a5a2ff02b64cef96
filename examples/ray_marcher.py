"""A tree of distance functions, in JAX: what it answers when the tree itself is differentiated.

Run with `pip install jax` and `python ray_marcher.py`; the page beside it shows its output.
"""

import re
from typing import Any, Callable, NamedTuple

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


def attempt(title, program):
    print(f"{title}:")
    try:
        print(f"  {program()}")
    except Exception as error:
        message = re.sub(r" at 0x[0-9a-f]+", "", str(error).splitlines()[0])
        print(f"  {type(error).__name__}: {message}")


def sphere(radius):
    return lambda p: jnp.linalg.norm(p) - radius


def moved(offset, f):
    return lambda p: f(p - offset)


def floor_at(h):
    return lambda p: p[1] - h


class Shape(NamedTuple):
    distance: Callable


class Both(NamedTuple):
    left: Any
    right: Any


class Moved(NamedTuple):
    offset: Any
    scene: Any


# As in Evert: the leaves of the scene are functions.
scene = Both(Moved(jnp.array([0.3, 0.1, 0.0]), Shape(sphere(1.1))), Shape(floor_at(-1.0)))


def distance(scene):
    match scene:
        case Shape(f):
            return f
        case Moved(offset, inner):
            return moved(offset, distance(inner))
        case Both(left, right):
            f, g = distance(left), distance(right)
            return lambda p: jnp.minimum(f(p), g(p))


eye = jnp.array([0.0, 0.5, -4.0])
direction = jnp.array([0.0, 0.0, 1.0])


def march(f):
    """Steps along the ray until the surface is near."""
    return jax.lax.while_loop(lambda t: f(t) > 1e-6, lambda t: t + f(t), 0.0)


def ray(scene):
    f = distance(scene)
    return march(lambda t: f(eye + t * direction))


# A tree of numbers instead, which JAX can differentiate, with the scene's form fixed in the code.
def ray_of_numbers(numbers):
    f, g = moved(numbers["offset"], sphere(numbers["radius"])), floor_at(numbers["h"])
    return march(lambda t: jnp.minimum(f(eye + t * direction), g(eye + t * direction)))


# And with a rule, which may not capture: everything the distance depends on is an argument.
@jax.custom_vjp
def hit(numbers):
    return ray_of_numbers(numbers)


def along(numbers, t):
    f, g = moved(numbers["offset"], sphere(numbers["radius"])), floor_at(numbers["h"])
    return jnp.minimum(f(eye + t * direction), g(eye + t * direction))


def hit_forward(numbers):
    t = hit(numbers)
    return t, (numbers, t)


def hit_backward(saved, d):
    numbers, t = saved
    by_numbers, by_t = jax.grad(along, argnums=(0, 1))(numbers, t)
    return (jax.tree.map(lambda slope: -d / by_t * slope, by_numbers),)


hit.defvjp(hit_forward, hit_backward)
numbers = {"offset": jnp.array([0.3, 0.1, 0.0]), "radius": 1.1, "h": -1.0}

print("jax", jax.__version__)
attempt("the distance along the middle ray", lambda: ray(scene))
attempt("grad with respect to the scene", lambda: jax.grad(ray)(scene))
attempt("grad with respect to its numbers", lambda: jax.grad(ray_of_numbers)(numbers))
attempt("grad with respect to its numbers, with a rule", lambda: jax.grad(hit)(numbers))
