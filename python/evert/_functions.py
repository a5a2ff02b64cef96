"""Functions of programs, and functions derived from them.

A function that crosses the border is a text: an expression of its program. So is what is derived from it (`grad(f)`, `vmap(f)`): nothing is
differentiated in Python. Where the text depends on the arguments (their number, their tree), `_expression` gives it for these.

Names that begin with two underscores are ours: no program can define them.
"""

from __future__ import annotations

import inspect
import operator
import re
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _evert
from ._errors import ArgumentError

Argnums = Union[int, Sequence[int], None]


class Function(_evert.Function):
    """A function of a program: called with numbers, NumPy arrays, tuples, dicts, or anything that can be seen as these.

    >>> import evert
    >>> m = evert.text("fn area(w, h) = w * h")
    >>> m.area(2.0, 3.0)
    6.0
    >>> m.area(h=3.0, w=2.0)
    6.0
    """

    #: What a closure has captured: given to the text as its first arguments.
    _captures: tuple = ()
    module: Any
    __name__: str

    def __new__(cls, module: Any, identity: str, text: Optional[str] = None, **_: Any) -> Any:
        self = super().__new__(cls, module._core, identity, text)
        self.module = module
        return self

    def _expression(self, *args: Any) -> str:
        """The text of the function, for these arguments."""
        return self._text  # type: ignore[return-value]

    def _expand(self, *args: Any) -> str:
        return self._expression(*args)

    def _as_value(self) -> tuple:
        """The text of the function where it is an argument itself, and what that captures. How it will be called isn't known."""
        count = len(self._parameters() or (0,))
        text = self._expression(*[np.zeros(1)] * count)
        captured = [f"__c{i}" for i in range(len(self._captures))]
        return (f"({', '.join(captured)}) => {text}" if captured else text), self._captures

    # --- what Python wants to know ---

    def __repr__(self) -> str:
        return f"<evert function {self._label()} of {self.module.__name__}>"

    def _label(self) -> str:
        return self._identity

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, Function):
            return NotImplemented
        return self is other or (self._captures is other._captures and self._key() == other._key())

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple:
        return (self.module, self._identity, id(self._captures) if self._captures else 0)

    def __reduce__(self) -> tuple:
        return (_textual, (self.module, self._text))

    @property
    def __signature__(self) -> inspect.Signature:
        names = self._parameters()
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        if names is None:
            return inspect.Signature([inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL)])
        return inspect.Signature([inspect.Parameter(name, kind) for name in names])

    def _parameters(self) -> Optional[list]:
        """The names of the parameters, if they are plain names."""
        return None

    def _positional(self, args: tuple, kwargs: dict) -> tuple:
        names = self._parameters()
        if names is None:
            raise TypeError(f"{self._label()} takes no arguments by name")
        given = dict(zip(names, args))
        for name, value in kwargs.items():
            if name not in names:
                raise TypeError(f"{self._label()} has no parameter {name!r}; its parameters are {', '.join(names)}")
            if name in given:
                raise TypeError(f"{self._label()} got {name!r} twice")
            given[name] = value
        if len(args) > len(names) or len(given) != len(names):
            missing = [name for name in names if name not in given]
            raise TypeError(f"{self._label()} needs {', '.join(map(repr, missing)) or f'{len(names)} arguments'}")
        return tuple(given[name] for name in names)

    # --- what users ask ---

    def explain(self, *args: Any) -> str:
        """Which engine runs the function at arguments like these, and why.

        >>> import evert
        >>> m = evert.text("fn f(x) = x * x")
        >>> m.f.explain(2.0).split(":")[0]
        'native'
        """
        engine, why = self._how(*args)
        return f"{engine}: {why}"

    def tape(self, *args: Any) -> str:
        """What the reverse pass of the function remembers at these arguments: how much, from where, and what needs it.

        >>> import evert
        >>> m = evert.text("fn f(v) = sum([sin(x) for x in v])")
        >>> print(m.f.tape([1.0, 2.0]).split(",")[0])
        f at these arguments: the reverse pass remembers nothing on the heap
        """
        args = (*self._captures, *args)
        return self.module._core.tape(self._expand(*args), self._label(), args)

    def check(self, *args: Any) -> None:
        """Compares the custom rules of the function with the function itself, at these arguments; an `Error` says what is wrong.

        >>> import evert
        >>> m = evert.text('''
        ... fn cube(x) = x^3
        ...   reverse x => (cube(x), dy => ({}, 2 * x * dy))''')
        >>> try:
        ...     m.cube.check(2.0)
        ... except evert.Error as error:
        ...     print(":".join(error.message.split(":")[:2]))
        E0410: the rule of `cube` is wrong in its argument
        """
        Derived(self.module, "check", self, ())(*args)


class Named(Function):
    """A function that the program defines under a name."""

    def __new__(cls, module: Any, path: str, signature: Optional[str], doc: Optional[str]) -> Any:
        self = super().__new__(cls, module, path, path)
        self.__name__ = path.rsplit(".", 1)[-1]
        self.__qualname__ = path
        self.__module__ = module.__name__
        self._written = signature
        self.__doc__ = "\n\n".join(filter(None, [signature, doc])) or None
        return self

    def _parameters(self) -> Optional[list]:
        match = re.fullmatch(r"\w+'*\((.*)\)", self._written or "")
        names = [name.strip() for name in match[1].split(",")] if match and match[1].strip() else []
        return names if match and all(re.fullmatch(r"[^\W\d]\w*'*", name) for name in names) else None

    def __reduce__(self) -> tuple:
        return (getattr, (self.module, self._identity)) if "." not in self._identity else (_path, (self.module, self._identity))


class Expression(Function):
    """A function that an expression of the program gives."""

    def __new__(cls, module: Any, text: str) -> Any:
        self = super().__new__(cls, module, text, f"({text})")
        self.__name__ = text if len(text) < 40 else text[:37] + "…"
        return self

    def __reduce__(self) -> tuple:
        return (_textual, (self.module, self._identity))


def _textual(module: Any, text: str) -> Function:
    return Expression(module, text)


def _path(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name)
    return module


class Derived(Function):
    """A function made of another one by `grad`, `vmap` and the like."""

    def __new__(cls, module: Any, kind: str, base: Function, options: tuple) -> Any:
        said = f"[{','.join(map(str, options))}]" if options else ""
        identity = f"{kind}{said}({base._identity})"
        self = super().__new__(cls, module, identity)
        self._kind, self._base, self._options = kind, base, options
        self._captures = base._captures
        self.__name__ = identity
        self.__doc__ = base.__doc__
        return self

    def _expression(self, *args: Any) -> str:
        return _KINDS[self._kind](self._base, self._options, args)

    def _expand(self, *args: Any) -> str:
        if not self._captures:
            return self._expression(*args)
        captures = len(self._captures)
        captured, xs = [f"__c{i}" for i in range(captures)], _xs(len(args) - captures)
        return f"({', '.join(captured + xs)}) => ({self._expression(*args[captures:])})({', '.join(xs)})"

    def _parameters(self) -> Optional[list]:
        return self._base._parameters() if self._kind in ("grad", "value_and_grad", "jacobian", "hessian", "vmap") else None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            args = self._positional(args, kwargs)
        if self._captures:
            args = self._captures + args
        return _evert.Function.__call__(self, *args)

    def __reduce__(self) -> tuple:
        return (type(self), (self.module, self._kind, self._base, self._options))


class Plain(Derived):
    """A derived function without captures: calls go straight to the extension."""

    __call__ = _evert.Function.__call__  # type: ignore[assignment]


class Closure(Derived):
    """A function that a program has made, with what it captured."""

    def __new__(cls, module: Any, value: _evert.Function, name: str, origin: Any = None) -> Any:
        self = _evert.Function.__new__(cls, module._core, "closure")
        self.module, self._kind, self._options = module, "closure", ()
        self._captures = (value,)
        self._name, self._origin = name, origin
        self.__name__ = name
        return self

    def _expression(self, *args: Any) -> str:
        return "__c0"

    def _label(self) -> str:
        return self._name

    def _parameters(self) -> Optional[list]:
        return None

    def __reduce__(self) -> tuple:
        if self._origin is None:
            raise TypeError(f"the function {self._name} can't be pickled: nobody knows which call made it")
        return (_remade, self._origin)


def closure(core: Any, value: _evert.Function, name: str) -> Closure:
    """For the extension: a function value that a session holds."""
    from ._program import Module

    return Closure(Module._of(core), value, name)


def _remade(function: Function, args: tuple, number: int) -> Any:
    """The closure of this number in the result of a call: programs are pure, so that it is the same."""
    return _closures(function(*args))[number]


def _closures(value: Any) -> list:
    if isinstance(value, Closure):
        return [value]
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, _evert.Variant):
        value = value._parts
    return [found for part in value for found in _closures(part)] if isinstance(value, (tuple, list)) else []


def remember(result: Any, function: Function, args: tuple) -> Any:
    """For the extension: closures in a result can be made again by the same call."""
    for number, found in enumerate(_closures(result)):
        found._origin = (function, args, number)
    return result


# --- The texts of derived functions ---------------------------------------------------------------------------------------------------


def _xs(count: int) -> list:
    return [f"__x{i}" for i in range(count)]


def _tuple(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"({', '.join(names)})"


def _by(base: Function, argnums: tuple, args: tuple) -> tuple:
    """`base` as a function of some of its arguments, the others being those around: the function, its argument, all parameters."""
    text, count = f"({base._expression(*args)})", len(args)
    if not argnums or (count == 1 and argnums == (0,)):
        return text, _tuple(_xs(count)) if count else "()", _xs(count)
    wrong = [n for n in argnums if not -count <= n < count]
    if wrong:
        raise ArgumentError(f"argnums names argument {wrong[0]}, but there are {count}")
    chosen = [n % count for n in argnums]
    inner = [f"__y{i}" if i in chosen else f"__x{i}" for i in range(count)]
    ys, xs = [f"__y{i}" for i in chosen], [f"__x{i}" for i in chosen]
    return f"({_tuple(ys)} => {text}({', '.join(inner)}))", _tuple(xs), _xs(count)


def _derivative(name: str) -> Any:
    def text(base: Function, argnums: tuple, args: tuple) -> str:
        f, x, xs = _by(base, argnums, args)
        return f"({', '.join(xs)}) => __core.{name}({f})({x})"

    return text


def _split(value: Any) -> tuple:
    return value if isinstance(value, tuple) and type(value) is tuple else (value,)


def _jvp(base: Function, _: tuple, args: tuple) -> str:
    return f"(__x, __d) => __core.jvp({base._expression(*_split(args[0]))}, __x, __d)"


def _vjp(base: Function, _: tuple, args: tuple) -> str:
    f = base._expression(*_split(args[0]))
    return f"(__x, __d) => {{ let (__y, __pull) = __core.vjp({f}, __x); (__y, __pull(__d)) }}"


def _hvp(base: Function, _: tuple, args: tuple) -> str:
    return f"(__x, __v) => __core.hvp({base._expression(*_split(args[0]))}, __x, __v)"


def _check(base: Function, _: tuple, args: tuple) -> str:
    xs = _xs(len(args))
    return f"({', '.join(xs)}) => __checking.check_rule({base._expression(*args)}, {_tuple(xs) if xs else '()'})"


def _vmap(base: Function, axes: tuple, args: tuple) -> str:
    if len(axes) == 1 and len(args) != 1:
        axes = axes * len(args)
    if len(axes) != len(args):
        raise ArgumentError(f"in_axes is for {len(axes)} arguments, but there are {len(args)}")
    xs = _xs(len(args))
    moved: list = []
    inner = [_at(arg, x, axis, moved) for arg, x, axis in zip(args, xs, axes)]
    if not moved:
        raise ArgumentError("vmap: no argument is mapped over")
    rows = [_row(arg, axis) for arg, axis in zip(args, axes)]
    lets = "".join(f"let __m{i} = {path if axis == 0 else f'__first({path}, {axis})'}; " for i, (path, axis) in enumerate(moved))
    checks = "".join(f"__agree(__n, __len(__m{i})); " for i in range(1, len(moved)))
    call = f"({base._expression(*rows)})({', '.join(inner)})"
    return f"({', '.join(xs)}) => {{ {lets}let __n = __len(__m0); {checks}__core.stack_parts([{call} for __i in 0..__n]) }}"


def _at(arg: Any, path: str, axis: Any, moved: list) -> str:
    """The text of a row of an argument; the arrays with rows are noted, with the axis that they are in."""
    if arg is None or axis is None:
        return path
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{key}: {_at(arg[key], f'{path}.{key}', _part(axis, key, i), moved)}" for i, key in enumerate(sorted(arg))) + "}"
    if isinstance(arg, tuple):
        return "(" + ", ".join(_at(part, f"{path}.{i}", _part(axis, i, i), moved) for i, part in enumerate(arg)) + ")"
    if not isinstance(axis, int):
        raise ArgumentError(f"in_axes has {_said(axis)} where the argument has a {type(arg).__name__}")
    rank = np.ndim(arg) if not isinstance(arg, list) else max(1, np.ndim(np.asarray(arg))) if axis else 1
    if rank == 0:
        raise ArgumentError("vmap: a number can't be mapped over; give in_axes=None for it")
    if not -rank <= axis < rank:
        raise ArgumentError(f"vmap: an array of {rank} axes has no axis {axis}")
    moved.append((path, axis % rank))
    return f"__m{len(moved) - 1}[__i]"


def _part(axis: Any, key: Any, at: int) -> Any:
    """What in_axes says about a part of an argument: axes are a tree like the argument, or stand for a whole part of it."""
    if axis is None or isinstance(axis, int):
        return axis
    parts = dict(axis[1]) if axis[0] == "dict" else dict(enumerate(axis[1]))
    if key not in parts:
        raise ArgumentError(f"in_axes has {_said(axis)}, which lacks {key!r}")
    return parts[key]


def _axes(axis: Any) -> Any:
    """A tree of axes as something that can be compared and hashed."""
    if axis is None or isinstance(axis, (int, np.integer)) and not isinstance(axis, bool):
        return axis if axis is None else int(axis)
    if isinstance(axis, dict):
        return ("dict", tuple((key, _axes(axis[key])) for key in sorted(axis)))
    if isinstance(axis, (tuple, list)):
        return ("tuple", tuple(map(_axes, axis)))
    raise ArgumentError(f"in_axes is of ints and None, for each argument or each part of it; found {axis!r}")


def _said(axis: Any) -> str:
    if not isinstance(axis, tuple):
        return str(axis)
    if axis[0] == "dict":
        return "{" + ", ".join(f"{key!r}: {_said(part)}" for key, part in axis[1]) + "}"
    return "(" + ", ".join(map(_said, axis[1])) + ")"


def _row(arg: Any, axis: Any) -> Any:
    """What a row looks like, for texts that depend on it."""
    if arg is None or axis is None:
        return arg
    if isinstance(arg, dict):
        return {key: _row(arg[key], _part(axis, key, i)) for i, key in enumerate(sorted(arg))}
    if isinstance(arg, tuple):
        return tuple(_row(part, _part(axis, i, i)) for i, part in enumerate(arg))
    if axis == 0 and len(arg) > 0:
        return arg[0]
    array = np.asarray(arg)
    return np.zeros(np.delete(array.shape, axis), array.dtype)


_KINDS = {
    "grad": _derivative("grad"),
    "value_and_grad": _derivative("value_and_grad"),
    "jacobian": _derivative("jacobian"),
    "hessian": _derivative("hessian"),
    "jvp": _jvp,
    "vjp": _vjp,
    "hvp": _hvp,
    "check": _check,
    "vmap": _vmap,
}


# --- What users call ------------------------------------------------------------------------------------------------------------------


def _derived(kind: str, f: Any, options: tuple = ()) -> Derived:
    if not isinstance(f, Function):
        raise ArgumentError(f"{kind} is of functions of programs; {type(f).__name__} is none. For JAX and PyTorch use theirs on evert.jax(f), evert.torch(f)")
    return (Derived if f._captures else Plain)(f.module, kind, f, options)


def _argnums(argnums: Argnums) -> tuple:
    if argnums is None:
        return ()
    try:
        chosen = (argnums,) if isinstance(argnums, (int, np.integer)) else tuple(map(operator.index, argnums))
    except TypeError:
        raise ArgumentError(f"argnums is an int, a tuple of ints, or None; found {argnums!r}") from None
    if len(set(chosen)) != len(chosen):
        raise ArgumentError(f"argnums names an argument twice: {chosen}")
    if not chosen and argnums is not None:
        raise ArgumentError("argnums is empty: nothing to differentiate by")
    return tuple(map(int, chosen))


class _Singled(Derived):
    """By one argument that was named in a tuple: the derivative is in a tuple too, which no program has. So it is of maps of that."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result, innermost = super().__call__(*args, **kwargs), self
        while innermost._kind == "vmap":
            innermost = innermost._base
        return (result[0], (result[1],)) if innermost._kind == "value_and_grad" else (result,)


def _by_arguments(kind: str, f: Any, argnums: Argnums) -> Derived:
    chosen = _argnums(argnums)
    made = _derived(kind, f, chosen)
    if len(chosen) == 1 and not isinstance(argnums, (int, np.integer)):
        return _Singled(made.module, kind, f, chosen)
    return made


def grad(f: Function, argnums: Argnums = 0) -> Function:
    """The gradient of a function whose result is a number, by the first argument; or by others, or (None) by all.

    >>> import evert
    >>> m = evert.text("fn f(a, x) = a * x^2")
    >>> evert.grad(m.f)(5.0, 3.0), evert.grad(m.f, 1)(5.0, 3.0), evert.grad(m.f, (0, 1))(5.0, 3.0)
    (9.0, 30.0, (9.0, 30.0))
    """
    return _by_arguments("grad", f, argnums)


def value_and_grad(f: Function, argnums: Argnums = 0) -> Function:
    """The value and the gradient at once.

    >>> import evert
    >>> evert.value_and_grad(evert.text("fn f(x) = x^2").f)(3.0)
    (9.0, 6.0)
    """
    return _by_arguments("value_and_grad", f, argnums)


def jacobian(f: Function, argnums: Argnums = 0) -> Function:
    """All first derivatives: arrays give arrays of higher rank, nested as the result and then as the argument.

    >>> import evert
    >>> evert.jacobian(evert.text("fn f(v) = [v[0] * v[1], v[0]]").f)([2.0, 3.0])
    array([[3., 2.],
           [1., 0.]])
    """
    return _by_arguments("jacobian", f, argnums)


def hessian(f: Function, argnums: Argnums = 0) -> Function:
    """All second derivatives of a function whose result is a number.

    >>> import evert
    >>> evert.hessian(evert.text("fn f(v) = v[0]^2 * v[1]").f)([3.0, 4.0])
    array([[8., 6.],
           [6., 0.]])
    """
    return _by_arguments("hessian", f, argnums)


def jvp(f: Function, x: Any, dx: Any) -> tuple:
    """The value of f at x and its derivative in the direction dx. Several arguments are a tuple.

    >>> import evert
    >>> evert.jvp(evert.text("fn f(x) = x^2").f, 3.0, 1.0)
    (9.0, 6.0)
    """
    return _derived("jvp", f)(x, dx)


def vjp(f: Function, x: Any, dy: Any) -> tuple:
    """The value of f at x and what the sensitivity dy of the value becomes for x. Several arguments are a tuple.

    >>> import evert
    >>> evert.vjp(evert.text("fn f(x) = (x^2, 3 * x)").f, 2.0, (1.0, 10.0))
    ((4.0, 6.0), 34.0)
    """
    return _derived("vjp", f)(x, dy)


def hvp(f: Function, x: Any, v: Any) -> Any:
    """The product of the Hessian of f at x with v: as cheap as a gradient.

    >>> import evert
    >>> evert.hvp(evert.text("fn f(v) = v[0]^2 * v[1]").f, [3.0, 4.0], [1.0, 0.0])
    array([8., 6.])
    """
    return _derived("hvp", f)(x, v)


def vmap(f: Function, in_axes: Any = 0) -> Function:
    """The function at every row of its arguments; `in_axes` says which axis of each, None: the argument as it is.

    Where an argument is a dict or tuple, its entry of `in_axes` may be one too, with an axis for each part.

    >>> import evert
    >>> m = evert.text("fn f(a, x) = a * sum(x)")
    >>> evert.vmap(m.f, (None, 0))(2.0, [[1.0, 2.0], [3.0, 4.0]])
    array([ 6., 14.])
    """
    axes = tuple(map(_axes, in_axes)) if isinstance(in_axes, (tuple, list)) else (_axes(in_axes),)
    made = _derived("vmap", f, axes)
    return _Singled(made.module, "vmap", f, axes) if isinstance(f, _Singled) else made


def callable(function: Any, vjp: Any = None, jvp: Any = None) -> _evert.Callable:
    """A function of Python's that a program may call, with its derivatives if they are known.

    `vjp(x, dy)` gives the sensitivity of the argument, `jvp(x, dx)` the derivative in a direction. Several arguments are a tuple.

    >>> import evert, math
    >>> m = evert.text("fn twice(f, x) = f(f(x))")
    >>> m.twice(math.cos, 1.0) == math.cos(math.cos(1.0))
    True
    >>> cos = evert.callable(math.cos, vjp=lambda x, dy: -math.sin(x) * dy)
    >>> evert.grad(m.twice, 1)(cos, 1.0) == math.sin(math.cos(1.0)) * math.sin(1.0)
    True
    """
    return _evert.Callable(function, vjp, jvp)
