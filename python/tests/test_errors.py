"""What is wrong with a program is said as the program's own tools say it, and nothing breaks."""

import pickle
import sys
import traceback

import numpy as np
import pytest

import evert


def test_an_error_has_a_code_a_place_and_facts(model):
    with pytest.raises(evert.Error) as caught:
        model.third([1.0, 2.0])
    error = caught.value
    assert error.code == "E0307" and str(error).startswith("E0307: index 3 is out of range")
    assert (error.filename, error.span.line, error.span.column) == ("model.ev", 8, 15)
    assert error.notes == ("the array has shape [2]; indices go from 0 to 1",)
    assert "8 | fn third(a) = a[3]\n  |               ^^^^" in error.rendered
    assert model.third(np.arange(4.0)) == 3.0


def test_the_traceback_goes_on_into_the_program(model):
    m = evert.text("fn outer(a) = 1 + inner(a)\nfn inner(a) =\n  a[3]\n", name="deep.ev")
    try:
        m.outer([1.0])
    except evert.Error:
        text = traceback.format_exc()
    lines = text.splitlines()
    at = lines.index('  File "deep.ev", line 1, in outer')
    assert lines[at + 1] == "    fn outer(a) = 1 + inner(a)"
    inner = lines.index('  File "deep.ev", line 3, in inner')
    assert inner > at and lines[inner + 1].strip() == "a[3]"
    if sys.version_info >= (3, 11):
        assert set(lines[inner + 2].strip()) <= {"^", "~"} and len(lines[inner + 2].strip()) == 4
        assert any("the array has shape [1]" in line for line in lines)
    assert any(line.startswith("evert.Error: E0307") for line in lines)
    assert "evert/_errors.py" not in text


def test_errors_pickle(model):
    with pytest.raises(evert.Error) as caught:
        model.third([1.0])
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is evert.Error and again.code == "E0307" and again.span == caught.value.span
    assert again.rendered == caught.value.rendered and str(again) == str(caught.value)


@pytest.mark.parametrize(
    "text, code",
    [("fn f(x = x", "E01"), ("fn f(x) = y", "E0201"), ("let a = [1.0][2]", "E0307"), ('import "nowhere.ev"', "E0206"), ("\x00", "E01")],
)
def test_a_program_that_is_wrong(text, code):
    with pytest.raises(evert.Error) as caught:
        evert.text(text)
    assert caught.value.code.startswith(code) and caught.value.span is not None


def test_several_mistakes():
    with pytest.raises(evert.Error) as caught:
        evert.text("fn f(x) = y\nfn g(x) = z")
    assert len(caught.value.diagnostics) == 2 and caught.value.rendered.count("error[E0201]") == 2


def test_errors_while_differentiating(model):
    with pytest.raises(evert.Error) as caught:
        evert.grad(model.third)([1.0])
    assert caught.value.code == "E0307" and caught.value.filename == "model.ev"
    with pytest.raises(evert.Error) as caught:
        evert.grad(model.square)(np.ones(2))
    assert caught.value.code == "E0402"


def test_wrong_shapes_and_types(model):
    for call in (lambda: model.loss(1.0, 2.0, 3.0), lambda: model.square("a"), lambda: model.square(), lambda: model.area(3.0),
                 lambda: model.loss({"w": np.ones(3), "b": 0.0}, np.ones((2, 2)), np.ones(2)), lambda: model.square(None)):  # fmt: skip
        with pytest.raises(evert.Error):
            call()
    assert model.square(2.0) == 4.0


def test_recursion_without_end_and_too_much_memory():
    m = evert.text("fn down(n) = 1 + down(n + 1)\nfn large(n) = sum(tabulate(n, i => real(i)))\nfn table(n) = sum([[real(i * j) for i in 0..n] for j in 0..n])")
    evert.limit(memory=300 << 20)
    try:
        with pytest.raises(evert.Error) as caught:
            m.down(0)
        assert caught.value.code in ("E0314", "E0324")
        for call in (lambda: m.large(10**12), lambda: m.table(100_000)):
            with pytest.raises(evert.Error):
                call()
    finally:
        evert.limit()
    assert m.large(10) == 45.0
    with pytest.raises(evert.ArgumentError):
        evert.limit(memory=0)


def test_nan_and_infinity_pass_through(model):
    assert np.isnan(model.square(float("nan"))) and model.square(float("inf")) == float("inf")
    assert np.array_equal(model.square(np.array([np.nan, -np.inf, -0.0])), [np.nan, np.inf, 0.0], equal_nan=True)
