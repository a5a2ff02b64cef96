"""Functions of programs as functions of JAX, under jit, grad, jvp, vmap, scan, shard_map, to any order.

They are one primitive, which is lowered to a call of XLA's FFI; the rules of the primitive are flat functions again (`_flat`). Nothing is a
callback: XLA's threads run compiled code, several at once.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jax.sharding import PartitionSpec

from . import _evert
from ._errors import ArgumentError
from ._flat import Flat, Flattened, Shape, flatten, unflatten
from ._functions import Function

_TARGET = "evert_call"
jax.ffi.register_ffi_target(_TARGET, _evert.xla_handler(), platform="cpu")


def function(f: Function, *, result: Any = None) -> Any:
    """The function for JAX.

    What its results look like is needed while JAX traces. It is found by a run on random numbers of the arguments' shapes, once for each;
    where that fails, or shapes depend on values, `result` says it: arrays or ShapeDtypeStructs, or a function from arguments to these.
    """
    return JaxFunction(f, result)


class JaxFunction:
    """A function of a program as a function of JAX. It pickles."""

    def __init__(self, evert: Function, result: Any) -> None:
        #: The function of the program.
        self.evert = evert
        self._flattened = Flattened(evert, result)
        self.__name__, self.__doc__ = evert._label(), evert.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            args = self.evert._positional(args, kwargs)
        leaves: list = []
        tree = flatten(tuple(args), leaves)
        arrays = [_array(leaf) for leaf in leaves]
        shapes = tuple(Shape(tuple(x.shape), _kind(x.dtype)) for x in arrays)
        concrete = None if any(isinstance(x, jax.core.Tracer) for x in arrays) else [np.asarray(x) for x in arrays]
        flat, out_tree = self._flattened.at(tree, shapes, concrete)
        return unflatten(out_tree, iter(_bind(flat, *arrays)))

    @property
    def __signature__(self) -> Any:
        return self.evert.__signature__

    def __repr__(self) -> str:
        return f"<{self.evert!r} for JAX>"

    def __reduce__(self) -> tuple:
        return (JaxFunction, (self.evert, self._flattened.result))


def _array(leaf: Any) -> Any:
    """A leaf as an array that Evert takes: doubles, floats, ints of 32 and 64 bits, booleans."""
    try:
        x = jnp.asarray(leaf)
    except TypeError as error:
        raise ArgumentError(f"a {type(leaf).__name__} is no array of JAX's") from error
    if jnp.issubdtype(x.dtype, jnp.floating):
        return x if x.dtype in (np.float32, np.float64) else x.astype(np.float32)
    if jnp.issubdtype(x.dtype, jnp.integer):
        return x if x.dtype in (np.int32, np.int64) else x.astype(jax.dtypes.canonicalize_dtype(np.int64))
    if x.dtype == np.bool_:
        return x
    raise ArgumentError(f"arrays of {x.dtype} are nothing that a program could take")


def _kind(dtype: Any) -> str:
    return "f" if jnp.issubdtype(dtype, jnp.floating) else "i" if jnp.issubdtype(dtype, jnp.integer) else "b"


# --- The primitive --------------------------------------------------------------------------------------------------------------------

call_p = Primitive("evert_call")
call_p.multiple_results = True


def _bind(flat: Flat, *xs: Any) -> list:
    return call_p.bind(*_alike(xs), fn=flat)


def _varying(x: Any) -> frozenset:
    """The axes of a mesh along which a value varies, under shard_map."""
    aval = jax.typeof(x)
    if hasattr(aval, "manual_axis_type"):
        return frozenset(aval.manual_axis_type.varying)
    return frozenset(getattr(aval, "vma", frozenset()))


def _alike(xs: tuple) -> list:
    """Under shard_map all arguments vary along the same axes; the transpose of this is the sum over devices."""
    if not xs:
        return list(xs)
    axes = frozenset().union(*map(_varying, xs))
    return [_vary(x, tuple(axes - _varying(x))) if axes - _varying(x) else x for x in xs]


def _vary(x: Any, axes: tuple) -> Any:
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(x, axes, to="varying")
    return jax.lax.pvary(x, axes)


@functools.lru_cache(maxsize=4096)
def _jitted(flat: Flat) -> Any:
    return jax.jit(lambda *xs: call_p.bind(*xs, fn=flat))


call_p.def_impl(lambda *xs, fn: _jitted(fn)(*xs))


def _dtypes(flat: Flat, dtypes: Any) -> list:
    """Reals come back in the type of the arguments, ints and booleans in JAX's."""
    floats = [dtype for dtype in dtypes if jnp.issubdtype(dtype, jnp.floating)]
    real = jnp.result_type(*floats) if floats else jax.dtypes.canonicalize_dtype(np.float64)
    kinds = {"f": real, "i": jax.dtypes.canonicalize_dtype(np.int64), "b": np.dtype(np.bool_)}
    return [kinds[out.kind] for out in flat.outs]


@call_p.def_abstract_eval
def _(*avals: Any, fn: Flat) -> list:
    dtypes = _dtypes(fn, [aval.dtype for aval in avals])
    if not avals:
        return [jax.core.ShapedArray(out.lengths, dtype) for out, dtype in zip(fn.outs, dtypes)]
    like, more = avals[0], {}
    if hasattr(like, "manual_axis_type"):
        varying = frozenset().union(*(aval.manual_axis_type.varying for aval in avals))
        more["manual_axis_type"] = type(like.manual_axis_type)(varying=varying)
    elif hasattr(like, "vma"):
        more["vma"] = frozenset().union(*(aval.vma for aval in avals))

    def out(shape: Shape, dtype: Any) -> Any:
        if getattr(like, "sharding", None) is not None:
            more["sharding"] = like.sharding.update(spec=PartitionSpec(*[None] * len(shape.lengths)))
        return like.update(shape=shape.lengths, dtype=dtype, weak_type=False, **more)

    return [out(shape, dtype) for shape, dtype in zip(fn.outs, dtypes)]


def _lower(ctx: Any, *xs: Any, fn: Flat) -> Any:
    # Compiled now, not on XLA's threads.
    _evert.xla_register(fn.id, fn.function, fn.examples())
    return jax.ffi.ffi_lowering(_TARGET)(ctx, *xs, function=np.int64(fn.id))


mlir.register_lowering(call_p, _lower, platform="cpu")


def _jvp(xs: Any, dxs: Any, *, fn: Flat) -> tuple:
    ys = _bind(fn, *xs)
    has = [not isinstance(d, ad.Zero) and d.dtype != jax.dtypes.float0 for d in dxs]
    wrt = tuple(i for i, some in enumerate(has) if some)
    zeros = [ad.Zero(_tangent_aval(y)) for y in ys]
    reals = fn.reals()
    if not wrt or not reals:
        return ys, zeros
    tangents = iter(_bind(fn.jvp(wrt), *xs, *(dxs[i] for i in wrt)))
    return ys, [next(tangents) if i in reals else zero for i, zero in enumerate(zeros)]


ad.primitive_jvps[call_p] = _jvp


def _tangent_aval(y: Any) -> Any:
    aval = jax.typeof(y) if hasattr(jax, "typeof") else jax.core.get_aval(y)
    return aval.to_tangent_aval() if hasattr(aval, "to_tangent_aval") else aval.at_least_vspace()


def _transpose(cts: Any, *xs: Any, fn: Flat) -> list:
    base, count = fn.base, None if fn.base is None else len(fn.base.ins)
    if base is None or any(ad.is_undefined_primal(x) for x in xs[:count]):
        raise NotImplementedError("only tangents are linear in their directions: jax.linear_transpose of another function of Evert's")
    linear = tuple(i for i, x in zip(fn.wrt, xs[count:]) if ad.is_undefined_primal(x))
    back = iter(_bind(base.vjp(linear), *xs[:count], *(ad.instantiate_zeros(c) for c in cts)))
    found = [next(back) if i in linear else None for i in fn.wrt]
    return [None] * count + found


ad.primitive_transposes[call_p] = _transpose


def _batch(xs: Any, dims: Any, *, fn: Flat) -> tuple:
    mask = tuple(dim is not None for dim in dims)
    size = next(x.shape[dim] for x, dim, mapped in zip(xs, dims, mask) if mapped)
    if size == 0:
        dtypes = _dtypes(fn, [x.dtype for x in xs])
        return [jnp.zeros((0, *out.lengths), dtype) for out, dtype in zip(fn.outs, dtypes)], [0] * len(fn.outs)
    rows = [jnp.moveaxis(x, dim, 0) if mapped else x for x, dim, mapped in zip(xs, dims, mask)]
    ys = _bind(fn.map(mask, size), *rows)
    return ys, [0] * len(ys)


batching.primitive_batchers[call_p] = _batch
