"""The blocks of the documentation and the examples of docstrings are run."""

import ast
import doctest
import importlib
import importlib.util
import pathlib
import pkgutil
import re

import pytest

import evert

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs/python.md"


def blocks():
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.M | re.S)


def packages(block):
    tree = ast.parse(block)
    names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return {name.split(".")[0] for name in names}


def test_the_page():
    space, lacking = {}, set()
    for block in blocks():
        lacking |= {name for name in packages(block) if importlib.util.find_spec(name) is None}
        try:
            exec(compile(block, str(PAGE), "exec"), space)
        except ModuleNotFoundError as error:
            assert error.name.split(".")[0] in lacking, error
        except NameError as error:
            assert lacking, f"{error} in\n{block}"
    assert blocks() and (lacking or "Saturating" in space)
    if lacking:
        pytest.skip(f"blocks that need {', '.join(sorted(lacking))} weren't run")


def test_docstrings():
    found = 0
    for info in pkgutil.iter_modules(evert.__path__):
        if info.name in ("_evert", "_jax", "_torch", "_magic", "kernel"):
            continue
        result = doctest.testmod(importlib.import_module(f"evert.{info.name}"), optionflags=doctest.NORMALIZE_WHITESPACE)
        assert result.failed == 0
        found += result.attempted
    assert doctest.testmod(evert).failed == 0 and found > 30
