"""The square root by a fixed point, in JAX: the same program four times, and what JAX answers.

Run with `pip install jax` and `python sqrt_by_fix.py`; the page beside it shows its output."""

import re
from functools import partial

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


def iterate(f, x):
    """Applies f until the value stays."""
    def go_on(state):
        old, new = state
        return jnp.abs(old - new) >= 1e-13
    return jax.lax.while_loop(go_on, lambda state: (state[1], f(state[1])), (x, f(x)))[1]


# 1. As it stands: f captures a.
def root_plain(a):
    return iterate(lambda x: (x + a / x) / 2, a)


# 2. With the rule of the paper's FIX'. The function argument can't be differentiated, so it is a static argument.
@partial(jax.custom_vjp, nondiff_argnums=(0,))
def fix(f, x):
    return iterate(f, x)


def fix_forward(f, x):
    y = fix(f, x)
    return y, y


def fix_backward(f, y, d):
    _, pull = jax.vjp(f, y)
    iterate(lambda u: d + pull(u)[0], d)
    return (jnp.zeros_like(y),)


fix.defvjp(fix_forward, fix_backward)


def root_ruled(a):
    return fix(lambda x: (x + a / x) / 2, a)


# 3. Rewritten so that a is an argument of the iterated function and of the solver.
@partial(jax.custom_vjp, nondiff_argnums=(0,))
def fix_with(f, a, x):
    return iterate(lambda x: f(a, x), x)


def fix_with_forward(f, a, x):
    y = fix_with(f, a, x)
    return y, (a, y)


def fix_with_backward(f, saved, d):
    a, y = saved
    _, pull = jax.vjp(f, a, y)
    u = iterate(lambda u: d + pull(u)[1], d)
    return pull(u)[0], jnp.zeros_like(y)


fix_with.defvjp(fix_with_forward, fix_with_backward)


def root_rewritten(a):
    return fix_with(lambda a, x: (x + a / x) / 2, a, a)


# 4. The rule of 3 calls a loop that can't be differentiated again. With the solver itself in the rule, everything that the
# adjoint's function captures must be passed by hand too.
@partial(jax.custom_vjp, nondiff_argnums=(0,))
def fix_again(f, a, x):
    return iterate(lambda x: f(a, x), x)


def fix_again_forward(f, a, x):
    y = fix_again(f, a, x)
    return y, (a, y)


def fix_again_backward(f, saved, d):
    a, y = saved

    def adjoint(captured, u):
        a, y, d = captured
        return d + jax.vjp(f, a, y)[1](u)[1]

    u = fix_again(adjoint, (a, y, d), d)
    return jax.vjp(f, a, y)[1](u)[0], jnp.zeros_like(y)


fix_again.defvjp(fix_again_forward, fix_again_backward)


def root_rewritten_again(a):
    return fix_again(lambda a, x: (x + a / x) / 2, a, a)


print("jax", jax.__version__)
attempt("grad through lax.while_loop", lambda: jax.grad(root_plain)(2.0))
attempt("grad with a rule, f capturing a", lambda: jax.grad(root_ruled)(2.0))
attempt("grad with a rule, a passed by hand", lambda: jax.grad(root_rewritten)(2.0))
attempt("its second derivative", lambda: jax.grad(jax.grad(root_rewritten))(2.0))
attempt("the same, the rule calling itself: the second derivative", lambda: jax.grad(jax.grad(root_rewritten_again))(2.0))
attempt("and the third", lambda: jax.grad(jax.grad(jax.grad(root_rewritten_again)))(2.0))
attempt("and forward mode", lambda: jax.jvp(root_rewritten_again, (2.0,), (1.0,)))
