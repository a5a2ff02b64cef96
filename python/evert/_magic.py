"""`%%evert` for IPython: cells in Evert beside cells in Python.

    %load_ext evert

    %%evert
    fn f(x) = x^2

    ev.f(3.0)      # in a cell of Python

The definitions of all cells make one program, `ev` (or what stands behind `%%evert`); the last value is shown, texts that are SVG as pictures.
`%evert_reset` begins anew.
"""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from ._pictures import pictured
from ._program import Module, empty


@magics_class
class EvertMagics(Magics):
    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.modules: dict[str, Module] = {}
        self.cells = 0

    @magic_arguments()
    @argument("name", nargs="?", default="ev", help="what the program is called in Python")
    @cell_magic
    def evert(self, line: str, cell: str) -> Any:
        """Runs a cell in Evert."""
        name = parse_argstring(self.evert, line).name
        if not name.isidentifier():
            raise ValueError(f"{name!r} is no name in Python")
        module = self.modules.get(name)
        if module is None:
            module = self.modules[name] = empty(name)
        self.cells += 1
        self.shell.user_ns[name] = module
        return pictured(module.run(cell, name=f"<evert cell {self.cells}>"))

    @line_magic
    def evert_reset(self, line: str) -> None:
        """Forgets the programs of cells, or the one of this name."""
        for name in [line.strip()] if line.strip() else list(self.modules):
            self.modules.pop(name, None)


def load_ipython_extension(shell: Any) -> None:
    shell.register_magics(EvertMagics)
