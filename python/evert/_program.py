"""Programs: files and strings, and what they define as attributes."""

from __future__ import annotations

import inspect
import os
import textwrap
import threading
import warnings
import weakref
from typing import Any, Iterable, Optional

from . import _evert
from ._digest import blake2b
from ._errors import ArgumentError
from ._functions import Expression, Function, Named, Plain
from ._variants import constructor

#: What texts that are made here refer to, whatever the program defines.
_PRELUDE = (
    "<evert>",
    """import core as __core
import checking as __checking
fn __len(a) = len(a)
fn __first(a, axis) = if axis == 0 { a } else { transpose(tabulate(len(a), i => __first(a[i], axis - 1))) }
fn __agree(n, m) = if n != m { error("vmap: the axes that are mapped over have lengths {n} and {m}, which differ") }
""",
    False,
)

_known: "weakref.WeakValueDictionary[str, Module]" = weakref.WeakValueDictionary()
_lock = threading.Lock()


class Module:
    """A program. Its definitions are attributes; called with a text, it gives the value of an expression.

    >>> import evert
    >>> m = evert.text('''
    ... let scale = 2.0
    ... fn f(x) = scale * x^2''')
    >>> m.f(3.0), m.scale, m("f(1.0) + scale")
    (18.0, 2.0, 4.0)
    >>> m("x => grad(f)(x)")(3.0)
    12.0
    >>> sorted(name for name in dir(m) if not name.startswith("_"))[:2]
    ['check', 'f']
    """

    def __init__(self, inputs: Iterable[tuple], files: Optional[dict] = None, reference: bool = False, path: str = "") -> None:
        inputs = [tuple(input) for input in inputs]
        self.__name__ = os.path.basename(inputs[-1][0]) if inputs else "evert"
        self._core = _evert.Program([_PRELUDE, *inputs], files, reference)
        self._reference = reference
        self._prefix = path
        self._digest: Optional[str] = None
        with _lock:
            _known[self._hash()] = self
        for words in self._core.warnings():
            warnings.warn(words, Warning_, stacklevel=3)

    @classmethod
    def _of(cls, core: Any) -> "Module":
        """The module of a program that the extension knows."""
        inputs, files = core.source()
        return _restored([tuple(input) for input in inputs[1:]], dict(files), False)

    def _hash(self) -> str:
        """Tells programs apart, in every process: all their texts."""
        if self._digest is None:
            inputs, files = self._core.source()
            hasher = blake2b(_evert.VERSION.encode(), digest_size=16)
            for part in [*(text for input in inputs for text in map(str, input)), *sorted(files)]:
                hasher.update(len(part.encode()).to_bytes(8, "little") + part.encode())
            for path in sorted(files):
                hasher.update(len(files[path]).to_bytes(8, "little") + files[path])
            hasher.update(bytes([self._reference]))
            self._digest = hasher.hexdigest()
        return self._digest

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        core = self.__dict__.get("_core")
        if core is None:
            raise AttributeError(name)
        found = _member(self, name)
        if found is None:
            raise AttributeError(f"{self.__name__} defines no {name!r}")
        return found

    def __dir__(self) -> list:
        return sorted({*super().__dir__(), *self._core.names()})

    def __call__(self, text: str) -> Any:
        """The value of an expression; a function stays a text, so that it can be compiled, derived and pickled."""
        if not isinstance(text, str):
            raise ArgumentError("a program is called with the text of an expression; its functions are its attributes")
        return Expression(self, text) if self._core.is_function(text) else self._core.evaluate(text)

    def run(self, text: str, name: str = "<input>") -> Any:
        """Adds a text to the program and runs it: definitions, expressions. Gives the value of the last one.

        >>> import evert
        >>> m = evert.text("let a = 1.0")
        >>> m.run("fn f(x) = a + x\\nf(2.0)")
        3.0
        >>> m.f(3.0)
        4.0
        """
        with _lock:
            _known.pop(self._hash(), None)
        try:
            return self._core.run(name, text)
        finally:
            self._digest = None
            with _lock:
                _known[self._hash()] = self

    def check(self) -> "Report":
        """Runs what the program claims: its expectations, its `test` blocks, and the custom rules that they use.

        >>> import evert
        >>> print(evert.text("fn f(x) = x^2\\nf(3.0)  //=> 9.0\\nf(2.0)  //=> 5.0", name="model.ev").check())
        1 passed, 1 failed
        model.ev:3:1
          expected 5.0
             found 4.0
        """
        return Report(*self._core.check())

    def __repr__(self) -> str:
        return f"<evert module {self.__name__}>"

    def __reduce__(self) -> tuple:
        inputs, files = self._core.source()
        return (_restored, ([tuple(input) for input in inputs[1:]], dict(files), self._reference))


class Report:
    """What a check found."""

    def __init__(self, passed: int, failures: list) -> None:
        self.passed, self.failures = passed, failures

    def __bool__(self) -> bool:
        return not self.failures

    def __str__(self) -> str:
        return "\n".join([f"{self.passed} passed, {len(self.failures)} failed", *self.failures])

    __repr__ = __str__


class Warning_(UserWarning):
    """What is likely to be meant otherwise in a program, as a value that isn't used."""


Warning_.__name__ = Warning_.__qualname__ = "Warning"
Warning_.__module__ = "evert"


class Namespace:
    """A module that the program imports."""

    def __init__(self, module: Module, path: str, names: list) -> None:
        self._module, self._path, self._names = module, path, names

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = _member(self._module, f"{self._path}.{name}")
        if found is None:
            raise AttributeError(f"{self._path} defines no {name!r}")
        return found

    def __dir__(self) -> list:
        return self._names

    def __repr__(self) -> str:
        return f"<evert import {self._path} of {self._module.__name__}>"

    def __reduce__(self) -> tuple:
        return (getattr, (self._module, self._path))


def _member(module: Module, path: str) -> Any:
    found = module._core.describe(path)
    if found is None:
        return None
    kind, *rest = found
    if kind == "function":
        return Named(module, path, *rest)
    if kind == "constructor":
        return constructor(rest[0])
    if kind == "module":
        return Namespace(module, path, rest[0])
    return module._core.get(path)


def _restored(inputs: list, files: dict, reference: bool) -> Module:
    """The module of these texts: the one that there is, if there is one."""
    probe = object.__new__(Module)
    probe._core = _Texts([_PRELUDE, *inputs], files)  # type: ignore[assignment]
    probe._reference, probe._digest = reference, None
    with _lock:
        known = _known.get(probe._hash())
    return known if known is not None else Module(inputs, files, reference)


class _Texts:
    """Stands for a program where only its texts are needed."""

    def __init__(self, inputs: list, files: dict) -> None:
        self._source = (inputs, files)

    def source(self) -> tuple:
        return self._source


def load(path: "str | os.PathLike[str]", *, engine: str = "native") -> Module:
    """The program in a file. Its definitions run; its expressions and tests don't.

    >>> import evert, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "model.ev")
    >>> _ = path.write_text("fn f(x) = 2 * x")
    >>> evert.load(path).f(3.0)
    6.0
    """
    path = os.fspath(path)
    with open(path, encoding="utf-8") as file:
        try:
            text = file.read()
        except UnicodeDecodeError as error:
            raise ArgumentError(f"{path} isn't UTF-8 text: {error.reason} at byte {error.start}") from None
    return Module([(path, text, False)], None, _is_reference(engine))


def text(source: str, *, name: Optional[str] = None, engine: str = "native") -> Module:
    """The program in a text; `name` is what diagnostics call it. Imports are relative to it, or to the working folder.

    >>> import evert
    >>> evert.text("fn f(x) = 2 * x").f([1.0, 2.0])
    array([2., 4.])
    """
    if not isinstance(source, str):
        raise ArgumentError(f"a program is a text, not a {type(source).__name__}")
    return Module([(name or _numbered(), source, False)], None, _is_reference(engine))


def empty(name: str) -> Module:
    """A program without definitions, to be added to."""
    return Module([(name, "", False)])


_count = 0


def _numbered() -> str:
    """Tracebacks find sources by name, so that texts without one need different ones."""
    global _count
    with _lock:
        _count += 1
        return f"<evert {_count}>"


def _is_reference(engine: str) -> bool:
    if engine not in ("native", "reference"):
        raise ArgumentError(f"engine is 'native' or 'reference', not {engine!r}")
    return engine == "reference"


def function(f: Any) -> Function:
    """Makes a function whose docstring is its body, in Evert.

    >>> import evert
    >>> @evert.function
    ... def huber(r, delta):
    ...     "if abs(r) <= delta { r^2 / 2 } else { delta * (abs(r) - delta / 2) }"
    >>> huber(3.0, 1.0), evert.grad(huber)(3.0, 1.0)
    (2.5, 1.0)
    """
    body = inspect.getdoc(f)
    if not body:
        raise ArgumentError(f"the docstring of {f.__name__} is its body, and there is none")
    parameters = inspect.signature(f).parameters.values()
    if any(p.kind is not p.POSITIONAL_OR_KEYWORD or p.default is not p.empty for p in parameters):
        raise ArgumentError(f"{f.__name__}: the parameters of a function in Evert are names without defaults")
    names = ", ".join(p.name for p in parameters)
    source = f"fn {f.__name__}({names}) = {{\n{textwrap.indent(body, '  ')}\n}}\n"
    module = Module([(f"<{f.__module__}.{f.__qualname__}>", source, False)])
    return getattr(module, f.__name__)
