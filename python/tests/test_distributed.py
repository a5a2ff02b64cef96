"""The same training program in five places gives the same parameters."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

TRAIN = pathlib.Path(__file__).parents[1] / "examples/distributed/train.py"
NEEDS = {"one": None, "devices": "jax", "jax": "jax", "torch": "torch", "dask": "distributed"}


def trained(how):
    environment = {key: value for key, value in os.environ.items() if key not in ("XLA_FLAGS", "JAX_PLATFORMS")}
    done = subprocess.run([sys.executable, TRAIN, how], capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.strip().splitlines()[-1])


@pytest.fixture(scope="module")
def alone():
    found = trained("one")
    assert found[0] > 0.1  # it has learned something
    return found


@pytest.mark.long
@pytest.mark.parametrize("how", [how for how in NEEDS if how != "one"])
def test_same_result(how, alone):
    if importlib.util.find_spec(NEEDS[how]) is None:
        pytest.skip(f"{NEEDS[how]} isn't installed")
    assert trained(how) == pytest.approx(alone, rel=1e-10)
