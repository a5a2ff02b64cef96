"""Values of the types that programs declare: a class for each constructor.

>>> import evert
>>> m = evert.text("type Shape = Box(width, height) | Dot")
>>> m.Box(2.0, 3.0)
Box(width=2.0, height=3.0)
>>> match m.Box(2.0, 3.0):
...     case m.Box(w, h): print(w * h)
6.0
>>> m.Dot is m.Dot
True
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ._evert import Variant

_classes: dict = {}
_lock = threading.Lock()


def constructor(description: tuple) -> Any:
    """The class of a constructor `(type, name, number, fields)`; of one without fields its only value."""
    made = _classes.get(description)
    if made is None:
        with _lock:
            made = _classes.setdefault(description, _class(description))
    return made


def make(description: tuple, parts: tuple) -> Any:
    made = constructor(description)
    return made if not parts else Variant.__new__(made, description, parts)


def _class(description: tuple) -> Any:
    type_name, name, _, fields = description
    space = {
        "__slots__": (),
        "__match_args__": fields,
        "__doc__": f"`{name}` of the type {type_name}.",
        "__module__": "evert",
        "__qualname__": name,
        "_description": description,
    }
    for at, field in enumerate(fields):
        space[field] = property(lambda self, at=at: self._parts[at])
    made = type(name, (_Constructed,), space)
    return made if fields else Variant.__new__(made, description, ())


class _Constructed(Variant):
    __slots__ = ()
    _description: tuple = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        _, name, _, fields = cls._description
        if kwargs:
            unknown = [key for key in kwargs if key not in fields[len(args) :]]
            if unknown:
                raise TypeError(f"{name} has no field {unknown[0]!r} left; its fields are {', '.join(fields)}")
            args = args + tuple(kwargs[field] for field in fields[len(args) :] if field in kwargs)
        if len(args) != len(fields):
            raise TypeError(f"{name} has {len(fields)} fields ({', '.join(fields)}), found {len(args)}")
        return Variant.__new__(cls, cls._description, args)

    def __repr__(self) -> str:
        _, name, _, fields = self._constructor
        if not fields:
            return name
        return f"{name}({', '.join(f'{field}={part!r}' for field, part in zip(fields, self._parts))})"

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, _Constructed):
            return NotImplemented
        return self._constructor == other._constructor and all(map(_equal, self._parts, other._parts))

    def __hash__(self) -> int:
        return hash((self._constructor, self._parts))

    def __reduce__(self) -> tuple:
        return (make, (self._constructor, self._parts))


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)) and type(a) is type(b):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a == b)
