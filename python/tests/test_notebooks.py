"""Notebooks, through a real client of a real kernel."""

import json
import os
import sys

import pytest

jupyter_client = pytest.importorskip("jupyter_client")
pytest.importorskip("ipykernel")

from jupyter_client.manager import start_new_kernel


class Session:
    def __init__(self, name):
        self.manager, self.client = start_new_kernel(kernel_name=name, startup_timeout=120)

    def run(self, code):
        """What a cell led to: output by kind, texts printed, the error."""
        messages = []
        reply = self.client.execute_interactive(code, timeout=120, output_hook=messages.append)
        found = {"status": reply["content"]["status"], "printed": ""}
        for message in messages:
            content = message["content"]
            if message["msg_type"] == "stream":
                found["printed"] += content["text"]
            elif message["msg_type"] in ("execute_result", "display_data"):
                found["data"] = content["data"]
            elif message["msg_type"] == "error":
                found["error"] = content
        return found

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def python():
    session = Session("python3")
    yield session
    session.close()


def test_the_magic(python):
    assert python.run("%load_ext evert")["status"] == "ok"
    assert python.run("%%evert\nfn f(x) = x^2\nfn g(a) = a[3]\nf(3.0)")["data"]["text/plain"] == "9.0"
    assert python.run("import evert\nev.f(2.0), evert.grad(ev.f)(2.0)")["data"]["text/plain"] == "(4.0, 4.0)"
    assert python.run("%%evert\nlet a = 1.0")["status"] == "ok"
    assert python.run("%%evert\nprint(f(a) + 1.0)")["printed"] == "2.0\n"
    picture = python.run("%%evert\n\"<svg xmlns='http://www.w3.org/2000/svg'></svg>\"")["data"]
    assert picture["image/svg+xml"].startswith("<svg")
    failed = python.run("%%evert\ng([1.0])")
    assert failed["status"] == "error" and failed["error"]["ename"] == "Error" and "E0307" in failed["error"]["evalue"]
    assert "a[3]" in "".join(failed["error"]["traceback"])
    assert python.run("%%evert other\nlet b = 2.0")["status"] == "ok"
    assert python.run("other.b, hasattr(ev, 'b')")["data"]["text/plain"] == "(2.0, False)"
    assert python.run("%evert_reset\n")["status"] == "ok"
    assert python.run("%%evert\nf(1.0)")["status"] == "error"


@pytest.fixture(scope="module")
def evert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jupyter")
    kernels = folder / "kernels/evert"
    kernels.mkdir(parents=True)
    spec = {"argv": [sys.executable, "-m", "evert.kernel", "-f", "{connection_file}"], "display_name": "Evert", "language": "evert"}
    (kernels / "kernel.json").write_text(json.dumps(spec))
    before = os.environ.get("JUPYTER_PATH")
    os.environ["JUPYTER_PATH"] = str(folder)
    session = Session("evert")
    yield session
    session.close()
    os.environ.pop("JUPYTER_PATH") if before is None else os.environ.update(JUPYTER_PATH=before)


def test_the_kernel(evert):
    assert evert.run("fn cube(x) = x^3\ngrad(cube)(2.0)")["data"]["text/plain"] == "12.0"
    assert evert.run("let v = [1.0, 2.0]") == {"status": "ok", "printed": ""}
    assert evert.run("print(v)\ncube(v)") == {"status": "ok", "printed": "[1.0, 2.0]\n", "data": {"text/plain": "[1.0, 8.0]"}}
    failed = evert.run("v[7]")
    assert failed["error"]["ename"] == "E0307" and any("^^^^" in line for line in failed["error"]["traceback"])
    assert evert.run("\"<svg></svg>\"")["data"]["image/svg+xml"] == "<svg></svg>"
    client = evert.client

    def reply(message):
        return client._async_get_shell_msg and client.get_shell_msg(timeout=60)["content"] if message else None

    matches = reply(client.complete("1.0 + cu"))
    assert {"cube", "cumsum"} <= set(matches["matches"]) and matches["cursor_start"] == 6
    assert "x" in reply(client.inspect("cube", 2))["data"]["text/plain"]
    assert reply(client.is_complete("fn f(x) = {"))["status"] == "incomplete"
    assert reply(client.is_complete("1 + 1"))["status"] == "complete"
