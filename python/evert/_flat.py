"""Functions of arrays that give arrays: what JAX and PyTorch call.

`Flat` is a function of a program as a function of leaves, and its rules are such functions again, because each is a text:

    jvp by some arguments   (x…, d…) => jvp((y…) => f(…), (x…), (d…)).1      linear in d
    vjp by some arguments   (x…, c…) => vjp((y…) => f(…), (x…)).1(c…)        its transpose
    vmap                    (x…) => [f(x0[i], x1) for i in …]

A wrapper in Evert takes the leaves and builds the tree: `(x0, x1) => { let y = f({b: x0, w: x1}); (y.loss, y.z) }`.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple, Optional

import numpy as np

from ._digest import blake2b
from ._errors import ArgumentError, Error
from ._functions import Expression, Function

_lock = threading.RLock()


class Shape(NamedTuple):
    """What a leaf looks like: its lengths and its kind: 'f' reals, 'i' ints, 'b' booleans."""

    lengths: tuple
    kind: str


class Flat:
    """A function of leaves with leaves as results, `outs` at arguments that look like `ins`."""

    def __init__(self, module: Any, text: str, ins: tuple, outs: tuple, base: Optional["Flat"] = None, wrt: tuple = ()) -> None:
        self.module, self.text, self.ins, self.outs, self.base, self.wrt = module, text, ins, outs, base, wrt
        self.function = Expression(module, text)
        self._made: dict = {}

    def __repr__(self) -> str:
        return f"Flat({self.text})"

    @property
    def id(self) -> int:
        """Names the function in every process: it depends on texts and on what it is called with."""
        key = f"{self.module._hash()}\n{self.text}\n{self.ins}"
        return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "little") >> 1

    def examples(self) -> tuple:
        """Arguments that look like those."""
        return tuple(example(shape, None) for shape in self.ins)

    def _of(self, key: tuple, text: Any, ins: tuple, outs: tuple, **more: Any) -> "Flat":
        with _lock:
            if key not in self._made:
                self._made[key] = Flat(self.module, text(), ins, outs, **more)
            return self._made[key]

    def _names(self) -> list:
        return [f"__x{i}" for i in range(len(self.ins))]

    def _by(self, wrt: tuple) -> str:
        """The function of the arguments `wrt`, the others being those around; and its argument."""
        inner = ", ".join(f"__y{i}" if i in wrt else f"__x{i}" for i in range(len(self.ins)))
        return f"({_tuple([f'__y{i}' for i in wrt])} => ({self.text})({inner})), {_tuple([f'__x{i}' for i in wrt])}"

    def reals(self) -> tuple:
        """Which results have derivatives."""
        return tuple(i for i, out in enumerate(self.outs) if out.kind == "f")

    def jvp(self, wrt: tuple) -> "Flat":
        """The tangents of the results that have some, for tangents of the arguments `wrt`, which come behind the arguments."""

        def text() -> str:
            ds = [f"__d{i}" for i in wrt]
            tangents = f"__core.jvp({self._by(wrt)}, {_tuple(ds)}).1"
            return f"({', '.join(self._names() + ds)}) => {self._chosen(tangents, self.reals())}"

        outs = tuple(self.outs[i] for i in self.reals())
        return self._of(("jvp", wrt), text, self.ins + tuple(self.ins[i] for i in wrt), outs, base=self, wrt=wrt)

    def vjp(self, wrt: tuple) -> "Flat":
        """The sensitivities of the arguments `wrt`, for those of the results that have some, which come behind the arguments."""

        def text() -> str:
            cs = [f"__c{i}" for i in self.reals()]
            full = [f"__c{i}" if i in self.reals() else "()" for i in range(len(self.outs))]
            pulled = f"__core.vjp({self._by(wrt)}).1({_tuple(full)})"
            return f"({', '.join(self._names() + cs)}) => {pulled}"

        cotangents = tuple(self.outs[i] for i in self.reals())
        return self._of(("vjp", wrt), text, self.ins + cotangents, tuple(self.ins[i] for i in wrt))

    def value_and_vjp(self, wrt: tuple) -> "Flat":
        """For one result that is a number: the value and its gradient."""

        def text() -> str:
            f, x = self._by(wrt).rsplit(", (", 1) if len(wrt) > 1 else self._by(wrt).rsplit(", ", 1)
            x = f"({x}" if len(wrt) > 1 else x
            grads = ", ".join(f"__g.{i}" for i in range(len(wrt))) if len(wrt) > 1 else "__g"
            return f"({', '.join(self._names())}) => {{ let (__v, __g) = __core.value_and_grad({f})({x}); (__v, {grads}) }}"

        return self._of(("value_and_vjp", wrt), text, self.ins, self.outs + tuple(self.ins[i] for i in wrt))

    def map(self, mask: tuple, size: int) -> "Flat":
        """The function at every row of the arguments of the mask."""

        def text() -> str:
            inner = ", ".join(f"__x{i}[__i]" if mapped else f"__x{i}" for i, mapped in enumerate(mask))
            rows = f"[({self.text})({inner}) for __i in 0..__len(__x{mask.index(True)})]"
            return f"({', '.join(self._names())}) => __core.stack_parts({rows})"

        ins = tuple(Shape((size, *s.lengths), s.kind) if mapped else s for s, mapped in zip(self.ins, mask))
        outs = tuple(Shape((size, *s.lengths), s.kind) for s in self.outs)
        return self._of(("map", mask, size), text, ins, outs)

    def _chosen(self, value: str, which: tuple) -> str:
        """Some results of several."""
        if len(which) == len(self.outs):
            return value
        if len(self.outs) == 1:
            return "()"
        return f"{{ let __t = {value}; {_tuple([f'__t.{i}' for i in which]) if which else '()'} }}"


def _tuple(names: list) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def example(shape: Shape, random: Optional[np.random.Generator]) -> Any:
    """A leaf that looks like this: of random numbers, or of none in particular."""
    if shape.kind == "f":
        array = random.uniform(0.1, 1.0, shape.lengths) if random is not None else np.zeros(shape.lengths)
        return np.asarray(array, dtype=np.float64)
    return np.ones(shape.lengths, dtype=np.int64 if shape.kind == "i" else np.bool_)


def shape_of(leaf: Any) -> Shape:
    if isinstance(leaf, (bool, np.bool_)):
        return Shape((), "b")
    if isinstance(leaf, (int, np.integer)):
        return Shape((), "i")
    if isinstance(leaf, (float, np.floating)):
        return Shape((), "f")
    return Shape(tuple(int(n) for n in leaf.shape), leaf.dtype.kind)


# --- Trees ----------------------------------------------------------------------------------------------------------------------------
# Our own: JAX's and torch's differ, and both must agree with the program's records and tuples. A tree is a leaf (`LEAF`), None (unit), a
# tuple of trees, or a dict.

LEAF = object()


def flatten(value: Any, leaves: list) -> Any:
    """The tree of a value; its leaves are appended."""
    if value is None:
        return None
    if isinstance(value, dict):
        return {key: flatten(value[key], leaves) for key in sorted(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return flatten(value._asdict(), leaves)
    if isinstance(value, (tuple, list)):
        return tuple(flatten(part, leaves) for part in value)
    fields = getattr(type(value), "__dataclass_fields__", None)
    if fields is not None and not hasattr(value, "shape"):
        return flatten({name: getattr(value, name) for name in fields}, leaves)
    leaves.append(value)
    return LEAF


def unflatten(tree: Any, leaves: Any) -> Any:
    if tree is LEAF:
        return next(leaves)
    if isinstance(tree, dict):
        return {key: unflatten(part, leaves) for key, part in tree.items()}
    if isinstance(tree, tuple):
        return tuple(unflatten(part, leaves) for part in tree)
    return None


def tree_key(tree: Any) -> Any:
    """Something that can be compared and hashed."""
    if tree is LEAF:
        return "*"
    if isinstance(tree, dict):
        return ("dict", tuple((key, tree_key(part)) for key, part in tree.items()))
    if isinstance(tree, tuple):
        return ("tuple", tuple(map(tree_key, tree)))
    return None


def built(tree: Any, names: Any) -> str:
    """The text of a tree whose leaves have these names."""
    if tree is LEAF:
        return next(names)
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{key}: {built(part, names)}" for key, part in tree.items()) + "}"
    if isinstance(tree, tuple):
        return "(" + ", ".join(built(part, names) for part in tree) + ")"
    return "()"


def paths(tree: Any, at: str) -> list:
    """The texts of the leaves of a tree that is at a place."""
    if tree is LEAF:
        return [at]
    if isinstance(tree, dict):
        return [path for key, part in tree.items() for path in paths(part, f"{at}.{key}")]
    if isinstance(tree, tuple):
        return [path for i, part in enumerate(tree) for path in paths(part, f"{at}.{i}")]
    return []


class Unknown(Exception):
    """What results look like couldn't be found out."""


class Flattened:
    """A function of a program with its flat versions, one for each tree and shapes of arguments."""

    def __init__(self, f: Function, result: Any = None) -> None:
        if not isinstance(f, Function):
            raise ArgumentError(f"evert.jax and evert.torch are for functions of programs, not for a {type(f).__name__}")
        if f._captures:
            raise ArgumentError("a closure can't be a function of JAX or torch: write it as a function of what it captures")
        self.f, self.result, self._made = f, result, {}

    def at(self, tree: tuple, shapes: tuple, concrete: Optional[list] = None) -> tuple:
        """The flat function at arguments of this tree and these shapes, and the tree of its results."""
        key = (tree_key(tree), shapes)
        with _lock:
            found = self._made.get(key)
        if found is None:
            made = self._make(tree, shapes, concrete)
            with _lock:
                found = self._made.setdefault(key, made)
        return found

    def _make(self, tree: tuple, shapes: tuple, concrete: Optional[list]) -> tuple:
        y = self._looks(tree, shapes, concrete)
        leaves: list = []
        out_tree = _result_tree(y, leaves)
        outs = tuple(map(shape_of, leaves))
        if not outs:
            raise ArgumentError(f"{self.f._label()} gives no numbers, which is nothing for JAX or torch")
        xs = [f"__x{i}" for i in range(len(shapes))]
        arguments = ", ".join(built(part, names) for names in [iter(xs)] for part in tree)
        examples = unflatten(tree, iter([example(shape, None) for shape in shapes]))
        call = f"({self.f._expression(*examples)})({arguments})"
        body = f"{{ let __r = {call}; {_tuple(paths(out_tree, '__r'))} }}" if out_tree is not LEAF else call
        return Flat(self.f.module, f"({', '.join(xs)}) => {body}", shapes, outs), out_tree

    def _looks(self, tree: tuple, shapes: tuple, concrete: Optional[list]) -> Any:
        """A result, or something that looks like one."""
        if self.result is not None:
            examples = unflatten(tree, iter([example(shape, None) for shape in shapes]))
            return self.result(*examples) if callable(self.result) else self.result
        random = np.random.default_rng(0)
        leaves = concrete if concrete is not None else [example(shape, random) for shape in shapes]
        try:
            return self.f(*unflatten(tree, iter(leaves)))
        except Error as error:
            if concrete is not None:
                raise
            raise Unknown(
                f"what {self.f._label()} gives at {_words(shapes)} couldn't be found out by a run on random numbers: {error}. "
                "Say it: evert.jax(f, result=...), with arrays or jax.ShapeDtypeStructs of the right shapes, or a function from "
                "arguments to these"
            ) from error


def _words(shapes: tuple) -> str:
    kinds = {"f": "reals", "i": "ints", "b": "booleans"}
    return ", ".join(f"{list(shape.lengths)} {kinds[shape.kind]}" if shape.lengths else kinds[shape.kind][:-1] for shape in shapes)


def _result_tree(value: Any, leaves: list) -> Any:
    """The tree of a result: numbers, arrays (or what looks like them), tuples, dicts."""
    if isinstance(value, list):
        raise ArgumentError("the result is an array of data, which JAX and torch don't have: give a tuple or record of arrays")
    if isinstance(value, (tuple, dict)) or value is None:
        if isinstance(value, dict):
            return {key: _result_tree(value[key], leaves) for key in value}
        return None if value is None else tuple(_result_tree(part, leaves) for part in value)
    if not isinstance(value, (bool, int, float)) and not (hasattr(value, "shape") and hasattr(value, "dtype")):
        raise ArgumentError(f"the result holds a {type(value).__name__}, which is nothing for JAX or torch")
    leaves.append(value)
    return LEAF
