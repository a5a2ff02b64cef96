"""Evert from Python: differentiable programs, called with NumPy arrays.

>>> import evert
>>> m = evert.text("fn root(a) = while_loop(x => abs(x * x - a) > 1e-12, x => (x + a / x) / 2, a)")
>>> m.root(2.0), evert.grad(m.root)(2.0)
(1.414213562373095, 0.35355339059327373)

`load` and `text` give programs, whose functions are attributes; `grad`, `value_and_grad`, `jvp`, `vjp`, `jacobian`, `hessian`, `hvp` and
`vmap` give derivatives and maps of these; `jax` and `torch` make them functions of those. `python -m evert` is not the command line:
that is a program of its own.
"""

from __future__ import annotations

import atexit as _atexit
import os as _os
import sys as _sys
import threading as _threading

from . import _evert
from ._errors import ArgumentError, Bug, Diagnostic, Error, Span
from ._functions import Function, callable, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp, vmap
from ._program import Module, Report, function, load, text
from ._program import Warning_ as Warning

__version__ = _evert.VERSION

__all__ = [
    "ArgumentError", "Bug", "Diagnostic", "Error", "Function", "Module", "Report", "Span", "Warning", "callable", "engine", "function",
    "grad", "hessian", "hvp", "jacobian", "jax", "jvp", "limit", "load", "text", "torch", "value_and_grad", "vjp", "vmap",
]  # fmt: skip


def engine() -> str:
    """What compiles programs in this process, or why nothing does.

    >>> import evert
    >>> evert.engine().split()[0]
    'LLVM'
    """
    found, why = _evert.engine()
    return found or f"none: {why}"


def limit(*, memory: "int | None" = None, threads: "int | None" = None) -> None:
    """How many bytes programs may take in this process, all together, and how many threads one call may use.

    None: a third of the machine's memory, or EVERT_MEMORY_MB; one thread, or EVERT_THREADS.

    >>> import evert
    >>> evert.limit(memory=1 << 30, threads=2)
    >>> evert.limit()
    """
    if memory is not None and memory <= 0:
        raise ArgumentError("the limit of memory is a positive number of bytes")
    if threads is not None and threads <= 0:
        raise ArgumentError("the limit of threads is a positive number")
    _evert.set_memory_limit(memory)
    _evert.set_threads(threads)


def jax(f: Function, **options):
    """The function for JAX: under jit, grad, vmap and the rest. See `evert._jax`."""
    from ._jax import function

    return function(f, **options)


def torch(f: Function, **options):
    """The function for PyTorch: differentiable, compilable. See `evert._torch`."""
    from ._torch import function

    return function(f, **options)


def load_ipython_extension(shell) -> None:
    from ._magic import load_ipython_extension

    load_ipython_extension(shell)


def _find_llvm() -> None:
    try:
        import evert_llvm

        library = evert_llvm.path()
    except ImportError:
        library = None
    _evert.use_llvm(library, _sys.executable or None)


def _ending() -> None:
    if _threading.active_count() > 1:
        _evert.ending()


def _forked() -> None:
    _evert.after_fork_in_child()
    _evert.main_thread(_threading.get_ident())


_find_llvm()
_atexit.register(_ending)
_evert.main_thread(_threading.main_thread().ident)
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(
        before=_evert.before_fork, after_in_parent=_evert.after_fork_in_parent, after_in_child=_forked
    )
