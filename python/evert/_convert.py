"""What Python has, as what a program takes: numbers, arrays, tuples, dicts, lists of data.

The extension takes the plain types itself and asks here about the others.
"""

from __future__ import annotations

import array
import dataclasses
from typing import Any

import numpy as np

from ._errors import ArgumentError
from ._evert import Callable, Function, Variant

_DATA = (tuple, dict, str, Variant, Function)


def simplify(value: Any) -> Any:
    """The same in plainer types: a number, a native array, a tuple, a dict; a list if it is an array of data."""
    if isinstance(value, list):
        return _list(value)
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return _scalar(value)
    if isinstance(value, bool):
        return bool(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        if hasattr(value, "_fields"):
            return dict(zip(value._fields, value))
        return tuple(value)
    if isinstance(value, dict):
        return dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "__array__"):
        return _foreign_array(value, lambda: np.asarray(value))
    if hasattr(value, "__dlpack__"):
        return _foreign_array(value, lambda: np.from_dlpack(value))
    if hasattr(value, "__array_interface__") or hasattr(value, "__array_struct__") or isinstance(value, (memoryview, array.array)):
        return _foreign_array(value, lambda: np.asarray(value))
    if hasattr(value, "__float__") and not hasattr(value, "__iter__"):
        return float(value)  # Decimal, Fraction
    if callable(value):
        return Callable(value)
    if isinstance(value, (set, frozenset, bytes, bytearray, complex)):
        raise ArgumentError(f"a {type(value).__name__} is nothing that a program could take")
    if hasattr(value, "__iter__"):
        return _list(list(value))
    raise ArgumentError(f"a {type(value).__name__} is nothing that a program could take: give numbers, arrays, tuples, dicts, texts")


def _array(array: np.ndarray) -> Any:
    if isinstance(array, np.ma.MaskedArray):
        if np.ma.is_masked(array):
            raise ArgumentError("an array with masked elements: fill them, or choose what is to be computed with")
        return _array(array.data)
    if type(array) is not np.ndarray:
        array = array.view(np.ndarray)
    kind, dtype = array.dtype.kind, array.dtype
    if kind == "b":
        return array.astype(np.bool_)
    if kind == "i":
        return array.astype(np.int64)
    if kind == "u":
        if array.size and int(array.max()) > np.iinfo(np.int64).max:
            raise ArgumentError("an array of unsigned ints that don't fit in 64 bits with a sign")
        return array.astype(np.int64)
    if kind == "f" and dtype.itemsize <= 8:
        return array.astype(np.float64)
    if kind == "f":
        raise ArgumentError(f"an array of {dtype}: reals have double precision; write x.astype(float)")
    if kind == "V" and dtype.names is None and dtype.itemsize <= 4:
        return array.astype(np.float32).astype(np.float64)  # bfloat16 and the like, of other packages
    if kind == "V" and dtype.names is not None:
        raise ArgumentError("a structured array: give a dict of its columns, {name: x[name] for name in x.dtype.names}")
    if kind == "U":
        return array.tolist() if array.ndim else str(array)
    if kind == "c":
        raise ArgumentError("an array of complex numbers: give the real and the imaginary parts")
    if kind == "O":
        raise ArgumentError(f"an array of objects{_of_what(array)}: give an array of numbers, or a list of tuples or dicts")
    raise ArgumentError(f"an array of {dtype}, which no program could take")


def _of_what(array: np.ndarray) -> str:
    kinds = sorted({type(element).__name__ for element in array.flat[:100]})
    return f" ({', '.join(kinds)})" if kinds else ""


def _scalar(value: np.generic) -> Any:
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.str_):
        return str(value)
    if isinstance(value, np.floating) and value.dtype.itemsize > 8:
        raise ArgumentError(f"a number of type {value.dtype}: reals have double precision; write float(x)")
    if isinstance(value, np.complexfloating):
        raise ArgumentError("a complex number: give the real and the imaginary part")
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ArgumentError(f"a {type(value).__name__}, which no program could take") from None


def _foreign_array(value: Any, convert: Any) -> Any:
    try:
        array = convert()
    except Exception as error:
        module = type(value).__module__.split(".")[0]
        hint = {"jax": "; inside jax.jit and its like use evert.jax(f)", "jaxlib": "; inside jax.jit and its like use evert.jax(f)"}
        hint["torch"] = "; for tensors with gradients use evert.torch(f)"
        raise ArgumentError(f"a {type(value).__name__} that gives no array{hint.get(module, '')}") from error
    return _array(array) if array.dtype.kind not in "fib" or array.dtype.itemsize < 4 else np.ascontiguousarray(array) if array.ndim else array[()].item()


def _list(values: list) -> Any:
    """An array of numbers, or the list itself if its elements are data."""
    if _holds_data(values, 0):
        return values
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise ArgumentError(f"a list that is no array: {_ragged(values) or error}") from None
    if array.dtype.kind == "O":
        raise ArgumentError(f"a list that is no array of numbers{_of_what(array)}")
    return array if array.dtype.kind in "fib" and array.dtype.itemsize in (4, 8, 1) and array.dtype != np.int8 else _array(array)


def _holds_data(values: Any, depth: int) -> bool:
    if depth > 64:  # the axes that an array may have
        raise ArgumentError("lists are nested too deep, or contain themselves")
    for value in values:
        if isinstance(value, list):
            if _holds_data(value, depth + 1):
                return True
        elif isinstance(value, _DATA) or dataclasses.is_dataclass(value):
            return True
        elif isinstance(value, (float, int)):
            return False  # the others must be numbers too
    return False


def _ragged(values: list) -> str:
    """Which rows of a list, at whatever depth, aren't alike."""
    rows = [value for value in values if isinstance(value, (list, tuple, np.ndarray))]
    if rows and len(rows) < len(values):
        return "some of its elements are rows and some aren't"
    lengths = {len(row) for row in rows if not isinstance(row, np.ndarray) or row.ndim}
    if len(lengths) > 1:
        return f"its rows have lengths {', '.join(map(str, sorted(lengths)))}; rows are alike"
    inner = [part for row in rows if isinstance(row, list) for part in row]
    return _ragged(inner) if inner else ""
