"""Functions of programs as functions of PyTorch: autograd in both modes, `torch.func`, `torch.compile`, to any order.

There is one operator, `torch.ops.evert.call(tensors, key)`; the key says which function, and which of its rules: the backward of f is the
operator again, with the key of the vjp of f. So is its jvp, and its vmap (`_flat`). Tensors are on the CPU and share their memory with NumPy.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch

from ._errors import ArgumentError
from ._flat import LEAF, Flat, Flattened, Shape, flatten
from ._functions import Function

_functions: list = []
#: Those whose results nobody has said.
_numbers: dict = {}


def function(f: Function, *, result: Any = None) -> "TorchFunction":
    """The function for PyTorch: tensors, or tuples and dicts of them, in and out.

    `result` is as for `evert.jax`: what results look like, where it can't be found by a run on random numbers.
    """
    return TorchFunction(f, result)


class TorchFunction:
    """A function of a program as a function of tensors. It pickles, as part of a module too."""

    def __init__(self, evert: Function, result: Any) -> None:
        #: The function of the program.
        self.evert = evert
        self._result = result
        # The same function isn't kept twice; if its program has been added to it is another one.
        which = (evert, evert.module._hash()) if isinstance(evert, Function) and result is None else None
        self._number = _numbers.get(which, len(_functions))
        if self._number == len(_functions):
            _functions.append(Flattened(evert, result))
        if which is not None:
            _numbers[which] = self._number
        self.__name__, self.__doc__ = evert._label(), evert.__doc__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            args = self.evert._positional(args, kwargs)
        leaves: list = []
        tree = flatten(tuple(args), leaves)
        key = f"f {self._number} {_encoded(tree)}"
        xs = _tensors(leaves)
        if torch.compiler.is_compiling():
            ys = torch.ops.evert.call(xs, key)
        elif not torch.is_grad_enabled() and _is_plain(xs):
            ys = _run(xs, key)
        else:
            ys = _Call.apply(key, *xs)
        return _rebuilt(_out_tree(key, _shapes(xs)), list(ys), [0])

    def op(self, *args: Any) -> tuple:
        """The operator and its arguments, as `torch.library.opcheck` takes them."""
        leaves: list = []
        tree = flatten(tuple(args), leaves)
        return torch.ops.evert.call.default, (_tensors(leaves), f"f {self._number} {_encoded(tree)}")

    def __repr__(self) -> str:
        return f"<{self.evert!r} for torch>"

    def __reduce__(self) -> tuple:
        return (function_of, (self.evert, self._result))

    def __deepcopy__(self, memo: Any) -> "TorchFunction":
        return self


def function_of(f: Function, result: Any) -> TorchFunction:
    return TorchFunction(f, result)


def _tensors(leaves: list) -> list:
    """Leaves as tensors that Evert takes. Numbers get the type of the other arguments."""
    floats = [leaf.dtype for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.dtype.is_floating_point]
    real = functools.reduce(torch.promote_types, floats) if floats else None
    return [_tensor(leaf, real) for leaf in leaves]


def _tensor(leaf: Any, real: Any) -> torch.Tensor:
    if isinstance(leaf, torch.Tensor):
        if leaf.device.type != "cpu":
            raise ArgumentError(f"a tensor on {leaf.device}: functions of Evert run on the CPU; write x.cpu()")
        if leaf.dtype in (torch.float64, torch.float32, torch.int64, torch.int32, torch.bool):
            return leaf
        if leaf.dtype in (torch.float16, torch.bfloat16):
            return leaf.float()
        if leaf.dtype in (torch.int16, torch.int8, torch.uint8):
            return leaf.long()
        raise ArgumentError(f"a tensor of {leaf.dtype} is nothing that a program could take")
    if isinstance(leaf, bool):
        return torch.tensor(leaf)
    if isinstance(leaf, int):
        return torch.tensor(leaf, dtype=torch.int64)
    if isinstance(leaf, float):
        return torch.tensor(leaf, dtype=real or torch.get_default_dtype())
    try:
        return _tensor(torch.as_tensor(leaf), real)
    except (TypeError, RuntimeError, ValueError):
        raise ArgumentError(f"a {type(leaf).__name__} is no tensor") from None


# --- Keys -----------------------------------------------------------------------------------------------------------------------------
# `f NUMBER TREE`, or a rule: `jvp COUNT WRT KEY`, `vjp COUNT WRT KEY`, `map MASK KEY`. COUNT is how many arguments the function has.


def _encoded(tree: Any) -> str:
    """A tree as a text: `*` leaves, `(…)` tuples, `{a:…}` dicts, `-` None."""
    if tree is LEAF:
        return "*"
    if tree is None:
        return "-"
    if isinstance(tree, dict):
        return "{" + "".join([f"{key}:{_encoded(part)}" for key, part in tree.items()]) + "}"
    return "(" + "".join([_encoded(part) for part in tree]) + ")"


@functools.lru_cache(maxsize=4096)
def _decoded(text: str) -> Any:
    return _read(text, 0)[0]


def _read(text: str, at: int) -> tuple:
    if text[at] == "*":
        return LEAF, at + 1
    if text[at] == "-":
        return None, at + 1
    if text[at] == "(":
        parts, at = [], at + 1
        while text[at] != ")":
            part, at = _read(text, at)
            parts.append(part)
        return tuple(parts), at + 1
    fields, at = {}, at + 1
    while text[at] != "}":
        end = text.index(":", at)
        fields[text[at:end]], at = _read(text, end + 1)[0], _read(text, end + 1)[1]
    return fields, at + 1


def _plain(tree: Any) -> Any:
    """A tree of tuples alone, which `torch.compile` takes as a constant."""
    if tree is LEAF:
        return "*"
    if tree is None:
        return "-"
    if isinstance(tree, dict):
        return ("dict", *((key, _plain(part)) for key, part in tree.items()))
    return ("tuple", *map(_plain, tree))


def _rebuilt(plain: Any, leaves: list, at: list) -> Any:
    if plain == "*":
        at[0] += 1
        return leaves[at[0] - 1]
    if plain == "-":
        return None
    if plain[0] == "dict":
        return {key: _rebuilt(part, leaves, at) for key, part in plain[1:]}
    return tuple([_rebuilt(part, leaves, at) for part in plain[1:]])


def _is_plain(xs: Any) -> bool:
    """Are these tensors as they are, without any transformation under way?"""
    if torch._C._are_functorch_transforms_active() or torch._C._len_torch_dispatch_stack():
        return False
    return all(type(x) in (torch.Tensor, torch.nn.Parameter) and not _is_legacy(x) for x in xs)


def _is_legacy(x: torch.Tensor) -> bool:
    """Is it a batch of torch's older vmap, which `torch.autograd.grad(is_grads_batched=True)` and `jacobian(vectorize=True)` use?"""
    return torch._C._functorch.is_legacy_batchedtensor(x)


def _run_legacy(xs: Any, key: str) -> list:
    """The function at batches of torch's older vmap, which has no rules for operators of others."""
    level = torch._C._vmapmode_increment_nesting() - 1
    torch._C._vmapmode_decrement_nesting()
    dims = [0 if _is_legacy(x) else None for x in xs]
    rows = [x if dim is None else torch._remove_batch_dim(x, level, 1, 0) for x, dim in zip(xs, dims)]
    size = next(len(x) for x, dim in zip(rows, dims) if dim == 0)
    return [torch._add_batch_dim(y, 0, level) for y in _mapped(key, rows, dims, size, _Call.apply)]


def _shapes(xs: Any) -> tuple:
    return tuple((tuple([int(n) for n in x.shape]), _letter(x.dtype)) for x in xs)


def _letter(dtype: torch.dtype) -> str:
    return "f" if dtype.is_floating_point else "b" if dtype == torch.bool else "i"


@torch._dynamo.assume_constant_result
def _out_tree(key: str, shapes: tuple) -> Any:
    """The tree of the results."""
    found = _out_trees.get((key, shapes))
    if found is None:
        _, number, tree = key.split(" ", 2)
        found = _plain(_functions[int(number)].at(_decoded(tree), _as_shapes(shapes))[1])
        _out_trees[key, shapes] = found
    return found


_out_trees: dict = {}


def _as_shapes(shapes: tuple) -> tuple:
    return tuple(Shape(*shape) for shape in shapes)


@functools.lru_cache(maxsize=4096)
def _flat(key: str, shapes: tuple) -> Flat:
    """The function of a key, at arguments of these shapes."""
    kind, first, rest = key.split(" ", 2)
    if kind == "f":
        return _functions[int(first)].at(_decoded(rest), _as_shapes(shapes))[0]
    if kind == "map":
        mask = tuple(bit == "1" for bit in first)
        inner = tuple((lengths[1:], letter) if mapped else (lengths, letter) for (lengths, letter), mapped in zip(shapes, mask))
        size = next(lengths[0] for (lengths, _), mapped in zip(shapes, mask) if mapped)
        return _flat(rest, inner).map(mask, size)
    count = int(first)
    chosen, parent = rest.split(" ", 1)
    wrt = tuple(map(int, chosen.split(",")))
    base = _flat(parent, shapes[:count])
    return base.jvp(wrt) if kind == "jvp" else base.vjp(wrt)


def _rule(kind: str, key: str, count: int, wrt: tuple) -> str:
    return f"{kind} {count} {','.join(map(str, wrt))} {key}"


# --- The operator ---------------------------------------------------------------------------------------------------------------------

_library = torch.library.Library("evert", "DEF")
_library.define("call(Tensor[] xs, str key) -> Tensor[]", tags=(torch.Tag.needs_fixed_stride_order,))


def _dtypes(flat: Flat, xs: Any) -> list:
    floats = [x.dtype for x in xs if x.dtype.is_floating_point]
    real = functools.reduce(torch.promote_types, floats) if floats else torch.get_default_dtype()
    kinds = {"f": real, "i": torch.int64, "b": torch.bool}
    return [kinds[out.kind] for out in flat.outs]


def _run(xs: list, key: str) -> list:
    flat = _flat(key, _shapes(xs))
    result = flat.function(*(x.detach().resolve_neg().numpy() for x in xs))
    results = result if len(flat.outs) > 1 else (result,)
    return [_from(y, out, dtype) for y, out, dtype in zip(results, flat.outs, _dtypes(flat, xs))]


def _from(y: Any, out: Shape, dtype: torch.dtype) -> torch.Tensor:
    array = np.asarray(y)
    if array.shape != out.lengths:
        if array.size or 0 not in out.lengths:
            raise ArgumentError(f"the result has shape {list(array.shape)} where it had {list(out.lengths)} before: shapes can't depend on values")
        array = np.zeros(out.lengths)
    return torch.from_numpy(np.ascontiguousarray(array)).to(dtype) if array.ndim else torch.tensor(array.item(), dtype=dtype)


def _fake(xs: list, key: str) -> list:
    flat = _flat(key, _shapes(xs))
    return [torch.empty(out.lengths, dtype=dtype) for out, dtype in zip(flat.outs, _dtypes(flat, xs))]


_library.impl("call", _run, "CPU")
torch.library.register_fake("evert::call", _fake, lib=_library)


def _backward_of(key: str, xs: Any, needed: tuple, dys: Any, call: Any) -> list:
    """The sensitivities of the arguments that need some."""
    flat = _flat(key, _shapes(xs))
    wrt = tuple(i for i, x in enumerate(xs) if needed[i] and x.dtype.is_floating_point)
    found: list = [None] * len(xs)
    if not wrt:
        return found
    real = next(x.dtype for x in xs if x.dtype.is_floating_point)
    cotangents = [
        dys[i].to(real) if dys[i] is not None else torch.zeros(flat.outs[i].lengths, dtype=real) for i in flat.reals()
    ]
    for i, dx in zip(wrt, call(_rule("vjp", key, len(xs), wrt), *xs, *cotangents)):
        found[i] = dx.to(xs[i].dtype)
    return found


def _setup(ctx: Any, inputs: tuple, output: Any) -> None:
    xs, ctx.key = inputs
    ctx.save_for_backward(*xs)


def _backward(ctx: Any, dys: list) -> tuple:
    xs = ctx.saved_tensors
    needed = ctx.needs_input_grad[0]
    needed = tuple(needed) if isinstance(needed, (tuple, list)) else (needed,) * len(xs)
    return _backward_of(ctx.key, xs, needed, dys, lambda key, *all: torch.ops.evert.call(list(all), key)), None


torch.library.register_autograd("evert::call", _backward, setup_context=_setup, lib=_library)


def _map(info: Any, in_dims: Any, xs: list, key: str) -> tuple:
    dims = in_dims[0] if isinstance(in_dims[0], (tuple, list)) else [in_dims[0]] * len(xs)
    ys = _mapped(key, xs, dims, info.batch_size, lambda key, *all: torch.ops.evert.call(list(all), key))
    return ys, [0] * len(ys)


def _mapped(key: str, xs: Any, dims: Any, size: int, call: Any) -> list:
    mask = "".join("0" if dim is None else "1" for dim in dims)
    rows = [x if dim is None else x.movedim(dim, 0) for x, dim in zip(xs, dims)]
    if size == 0:
        inner = tuple((s[0] if dim is None else s[0][1:], s[1]) for s, dim in zip(_shapes(rows), dims))
        flat = _flat(key, inner)
        return [torch.zeros((0, *out.lengths), dtype=dtype) for out, dtype in zip(flat.outs, _dtypes(flat, xs))]
    return list(call(f"map {mask} {key}", *rows))


torch.library.register_vmap("evert::call", _map, lib=_library)


class _Call(torch.autograd.Function):
    """The operator with forward mode too, which operators of libraries don't have. `torch.compile` takes the operator itself."""

    @staticmethod
    def forward(key: str, *xs: torch.Tensor) -> Any:
        if any(map(_is_legacy, xs)):
            return tuple(_run_legacy(xs, key))
        return tuple(_run(list(xs), key) if _is_plain(xs) else torch.ops.evert.call(list(xs), key))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        ctx.key, *xs = inputs
        ctx.save_for_backward(*xs)
        ctx.save_for_forward(*xs)
        discrete = [y for y in output if not y.dtype.is_floating_point]
        if discrete:
            ctx.mark_non_differentiable(*discrete)

    @staticmethod
    def backward(ctx: Any, *dys: Any) -> tuple:
        found = _backward_of(ctx.key, ctx.saved_tensors, ctx.needs_input_grad[1:], dys, _Call.apply)
        return (None, *found)

    @staticmethod
    def jvp(ctx: Any, _: None, *dxs: Any) -> Any:
        xs = ctx.saved_tensors
        flat = _flat(ctx.key, _shapes(xs))
        wrt = tuple(i for i, dx in enumerate(dxs) if dx is not None and xs[i].dtype.is_floating_point)
        tangents = iter(_Call.apply(_rule("jvp", ctx.key, len(xs), wrt), *xs, *(dxs[i] for i in wrt)) if wrt else ())
        return tuple(next(tangents) if wrt and i in flat.reals() else None for i in range(len(flat.outs)))

    @staticmethod
    def vmap(info: Any, in_dims: Any, key: str, *xs: torch.Tensor) -> tuple:
        ys = _mapped(key, xs, in_dims[1:], info.batch_size, _Call.apply)
        return tuple(ys), (0,) * len(ys)
