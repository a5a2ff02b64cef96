"""A Jupyter kernel: notebooks in Evert.

`python -m evert.kernel install` makes it known to Jupyter; `--user`, `--prefix DIR` and `--sys-prefix` say where.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import time
from typing import Any

from ipykernel.kernelbase import Kernel

from . import __version__, _evert
from ._errors import Error
from ._pictures import is_picture
from ._program import empty

_NAME = re.compile(r"[^\W\d][\w.]*'*$")
KEYWORDS = "fn let if else match for in with true false type import test as assert reverse forward transpose approximate".split()


class EvertKernel(Kernel):
    implementation = "evert"
    implementation_version = __version__
    language_info = {
        "name": "evert",
        "version": __version__,
        "mimetype": "text/x-evert",
        "file_extension": ".ev",
        "codemirror_mode": "rust",
        "pygments_lexer": "rust",
    }
    banner = f"Evert {__version__}: a language in which differentiation is an operator"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.module = empty("notebook")

    def do_execute(self, code: str, silent: bool, store_history: bool = True, user_expressions: Any = None, allow_stdin: bool = False, **_: Any) -> dict:
        try:
            with contextlib.redirect_stdout(_Printed(self, silent)) as printed:
                try:
                    shown, text = self.module._core.run_shown(f"<cell {self.execution_count}>", code)
                finally:
                    printed.flush()
        except Error as error:
            content = {"ename": error.code or "Error", "evalue": error.message, "traceback": error.rendered.splitlines()}
            return self._failed(content, silent)
        except KeyboardInterrupt:
            return self._failed({"ename": "KeyboardInterrupt", "evalue": "", "traceback": ["interrupted"]}, silent)
        if shown is not None and not silent:
            data = {"text/plain": shown}
            if is_picture(text):
                data["image/svg+xml"] = text
            result = {"execution_count": self.execution_count, "data": data, "metadata": {}}
            self.send_response(self.iopub_socket, "execute_result", result)
        return {"status": "ok", "execution_count": self.execution_count, "payload": [], "user_expressions": {}}

    def _failed(self, content: dict, silent: bool) -> dict:
        if not silent:
            self.send_response(self.iopub_socket, "error", content)
        return {"status": "error", "execution_count": self.execution_count, **content}

    def do_complete(self, code: str, cursor_pos: int) -> dict:
        begun = _NAME.search(code[:cursor_pos])
        prefix = begun.group() if begun else ""
        names = {*self.module._core.names(), *self.module._core.library(), *KEYWORDS}
        if "." in prefix:
            path = prefix.rpartition(".")[0]
            found = self.module._core.describe(path)
            names = {f"{path}.{name}" for name in found[1]} if found and found[0] == "module" else set()
        matches = sorted(name for name in names if name.startswith(prefix) and " " not in name)
        return {"status": "ok", "matches": matches, "cursor_start": cursor_pos - len(prefix), "cursor_end": cursor_pos, "metadata": {}}

    def do_inspect(self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()) -> dict:
        end = cursor_pos + len(re.match(r"[\w.]*'*", code[cursor_pos:]).group())  # type: ignore[union-attr]
        found = _NAME.search(code[:end])
        said = self.module._core.documentation(found.group()) if found else None
        return {"status": "ok", "found": said is not None, "data": {"text/plain": said} if said else {}, "metadata": {}}

    def do_is_complete(self, code: str) -> dict:
        return {"status": "complete" if _evert.is_complete(code) else "incomplete", "indent": "  "}


class _Printed(io.TextIOBase):
    """What a cell prints, sent to the notebook: at once, or together with what comes soon after."""

    def __init__(self, kernel: EvertKernel, silent: bool) -> None:
        self.kernel, self.silent = kernel, silent
        self.held: list[str] = []
        self.sent = 0.0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.held.append(text)
        if time.monotonic() - self.sent > 0.1:
            self.flush()
        return len(text)

    def flush(self) -> None:
        text, self.held, self.sent = "".join(self.held), [], time.monotonic()
        if text and not self.silent:
            self.kernel.send_response(self.kernel.iopub_socket, "stream", {"name": "stdout", "text": text})


def install(arguments: Any) -> str:
    """Tells Jupyter of the kernel; the folder that says so."""
    from jupyter_client.kernelspec import KernelSpecManager

    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        spec = {"argv": [sys.executable, "-m", "evert.kernel", "-f", "{connection_file}"], "display_name": "Evert", "language": "evert"}
        with open(os.path.join(folder, "kernel.json"), "w") as file:
            json.dump({**spec, "interrupt_mode": "signal"}, file, indent=1)
        prefix = sys.prefix if arguments.sys_prefix else arguments.prefix
        return KernelSpecManager().install_kernel_spec(folder, "evert", user=arguments.user, prefix=prefix)


def main() -> None:
    if sys.argv[1:2] == ["install"]:
        parser = argparse.ArgumentParser(prog="python -m evert.kernel install")
        parser.add_argument("--user", action="store_true", help="for this user")
        parser.add_argument("--prefix", help="in this folder")
        parser.add_argument("--sys-prefix", action="store_true", help="in the environment of this Python")
        print(install(parser.parse_args(sys.argv[2:])))
        return
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(kernel_class=EvertKernel)


if __name__ == "__main__":
    main()
