"""Programs, their functions, and what is derived from them."""

import copy
import inspect
import math
import pickle

import numpy as np
import pytest

import evert


def test_calls(model):
    assert model.square(3.0) == 9.0 and model.square(3) == 9 and isinstance(model.square(3), int)
    assert np.array_equal(model.square(np.arange(3.0)), [0, 1, 4])
    assert model.root(2.0) == pytest.approx(math.sqrt(2), rel=1e-12)
    assert model.weighted([1.0, 1.0, 1.0]) == 6.0 and np.array_equal(model.table, [1, 2, 3])


def test_arguments_by_name(model):
    p, x, y = {"w": np.ones(2), "b": 0.0}, np.ones((3, 2)), np.ones(3)
    assert model.loss(p, y=y, x=x) == model.loss(p, x, y)
    for wrong in ({"z": 1.0}, {"x": x}, {"p": p, "x": x, "y": y}):
        with pytest.raises(TypeError):
            model.loss(p, **wrong)
    assert list(inspect.signature(model.loss).parameters) == ["p", "x", "y"]
    assert "The square of a number." in model.square.__doc__ and model.square.__name__ == "square"


def test_expressions(model):
    assert model("square(2.0) + 1") == 5.0
    assert model("x => grad(square)(x)")(3.0) == 6.0
    assert model("(x, v) => hvp(rosenbrock, x, v)")([1.0, 1.0], [1.0, 0.0]) == pytest.approx([802.0, -400.0])
    with pytest.raises(evert.Error) as caught:
        model("square(")
    assert caught.value.code.startswith("E01")
    with pytest.raises(AttributeError):
        model.nothing
    assert {"square", "Box", "table"} <= set(dir(model)) and "__len" not in dir(model)


def test_gradients(model):
    assert evert.grad(model.square)(3.0) == 6.0
    assert evert.grad(model.root)(2.0) == pytest.approx(0.5 / math.sqrt(2), rel=1e-10)
    p, x, y = {"w": np.array([0.1, 0.2]), "b": 0.3}, np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.0, 1.0])
    z = 1 / (1 + np.exp(-(x @ p["w"] + p["b"])))
    d = 2 * (z - y) * z * (1 - z) / 2
    g = evert.grad(model.loss)(p, x, y)
    assert g["w"] == pytest.approx(d @ x, rel=1e-12) and g["b"] == pytest.approx(d.sum(), rel=1e-12)
    value, both = evert.value_and_grad(model.loss, (0, 2))(p, x, y)
    assert value == pytest.approx(np.mean((z - y) ** 2)) and both[0]["w"] == pytest.approx(g["w"])
    assert both[1] == pytest.approx(-2 * (z - y) / 2)
    assert evert.grad(model.loss, -1)(p, x, y) == pytest.approx(both[1])
    everything = evert.grad(model.loss, None)(p, x, y)
    assert len(everything) == 3 and everything[2] == pytest.approx(both[1])
    assert evert.grad(model.square, (0,))(3.0) == (6.0,)
    assert evert.value_and_grad(model.square, [0])(3.0) == (9.0, (6.0,))


def test_ints_have_no_derivative():
    m = evert.text("fn f(n, x) = n * x^2\nfn g(a, x) = sum(a * x)")
    assert evert.grad(m.f, None)(3, 2.0) == (None, 12.0)
    assert evert.grad(m.g, None)(np.arange(3), np.ones(3))[0] is None
    with pytest.raises(evert.Error) as caught:
        evert.grad(m.f)(3, 2.0)
    assert caught.value.code == "E0403"


def test_wrong_argnums(model):
    for argnums in (1, -2, (0, 3)):
        with pytest.raises(evert.ArgumentError, match="argument"):
            evert.grad(model.square, argnums)(1.0)
    for argnums in ((0, 0), ()):
        with pytest.raises(evert.ArgumentError):
            evert.grad(model.square, argnums)
    with pytest.raises(evert.ArgumentError, match="evert.jax"):
        evert.grad(lambda x: x)


def test_other_derivatives(model):
    x = np.array([1.2, 0.7])
    h = np.array([[1200 * x[0] ** 2 - 400 * x[1] + 2, -400 * x[0]], [-400 * x[0], 200.0]])
    assert evert.hessian(model.rosenbrock)(x) == pytest.approx(h)
    assert evert.hvp(model.rosenbrock, x, [1.0, 2.0]) == pytest.approx(h @ [1.0, 2.0])
    assert evert.jacobian(evert.grad(model.rosenbrock))(x) == pytest.approx(h)
    assert evert.jvp(model.square, 3.0, 2.0) == (9.0, 12.0)
    assert evert.vjp(model.square, 3.0, 2.0) == (9.0, 12.0)
    m = evert.text("fn f(a, x) = a * sin(x)")
    y, dy = evert.jvp(m.f, (2.0, 0.5), (1.0, 1.0))
    assert dy == pytest.approx(math.sin(0.5) + 2 * math.cos(0.5))
    y, (da, dx) = evert.vjp(m.f, (2.0, 0.5), 1.0)
    assert (da, dx) == pytest.approx((math.sin(0.5), 2 * math.cos(0.5)))
    third = evert.grad(evert.grad(evert.grad(evert.text("fn f(x) = x^5").f)))
    assert third(2.0) == pytest.approx(60 * 4)


def test_vmap(model):
    a = np.array([2.0, 9.0])
    assert evert.vmap(model.root)(a) == pytest.approx(np.sqrt(a))
    assert evert.vmap(evert.grad(model.root))(a) == pytest.approx(0.5 / np.sqrt(a))
    p = {"w": np.ones((5, 2)), "b": np.arange(5.0)}
    x, y = np.ones((3, 2)), np.zeros(3)
    got = evert.vmap(model.loss, (0, None, None))(p, x, y)
    assert got == pytest.approx([model.loss({"w": np.ones(2), "b": float(i)}, x, y) for i in range(5)])
    g = evert.vmap(evert.grad(model.loss), (0, None, None))(p, x, y)
    assert g["w"].shape == (5, 2) and g["b"].shape == (5,)
    m = evert.text("fn f(x, y) = (x + y, [x, y])")
    s, rows = evert.vmap(m.f)([1.0, 2.0], [3.0, 4.0])
    assert np.array_equal(s, [4, 6]) and np.array_equal(rows, [[1, 3], [2, 4]])
    columns = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert evert.vmap(model("v => sum(v)"), 1)(columns) == pytest.approx([5, 7, 9])
    nested = evert.vmap(evert.vmap(model.square))(columns)
    assert np.array_equal(nested, columns**2)
    with pytest.raises(evert.Error):
        evert.vmap(m.f)([1.0, 2.0], [3.0])
    with pytest.raises(evert.ArgumentError):
        evert.vmap(m.f)(1.0, [3.0])


def test_names_of_the_program_may_be_those_of_the_library():
    m = evert.text("fn grad(x) = 1.0\nfn len(x) = 2\nfn f(x) = x^2\nlet __x = 3")
    assert evert.grad(m.f)(3.0) == 6.0 and np.array_equal(evert.vmap(m.f)([1.0, 2.0, 3.0]), [1, 4, 9])


def test_variants(model):
    box = model.Box(2.0, height=3.0)
    assert repr(box) == "Box(width=2.0, height=3.0)" and box.width == 2.0 and model.area(box) == 6.0
    assert model.area(model.Dot) == 0.0 and model.Dot is model.Dot
    match box:
        case model.Box(w, h):
            assert (w, h) == (2.0, 3.0)
        case _:
            pytest.fail("it is a box")
    match model.Dot:
        case model.Dot:
            pass
        case _:
            pytest.fail("it is a dot")
    assert evert.grad(model.area)(box) == model.Box(3.0, 2.0)
    assert box == model.Box(2.0, 3.0) and box != model.Dot and hash(box) == hash(model.Box(2.0, 3.0))
    for wrong in (lambda: model.Box(1.0), lambda: model.Box(1.0, 2.0, 3.0), lambda: model.Box(1.0, depth=2.0)):
        with pytest.raises(TypeError):
            wrong()
    assert pickle.loads(pickle.dumps(box)) == box and pickle.loads(pickle.dumps(model.Dot)) is model.Dot


def test_one_code_serves_trees_of_different_sizes(model):
    def tree(n):
        return model.Leaf(float(n)) if n == 0 else model.Node(tree(n - 1), model.Leaf(float(n)))

    for n in range(12):
        assert model.total(tree(n)) == n * (n + 1) / 2
    assert model.total.explain(tree(5)).startswith("native")
    g = evert.grad(model.total)(tree(3))
    assert g == model.Node(model.Node(model.Node(model.Leaf(1.0), model.Leaf(1.0)), model.Leaf(1.0)), model.Leaf(1.0))


def test_functions_as_values(model):
    double = model.scaled(2.0)
    assert double(3.0) == 6.0 and evert.grad(double)(3.0) == 2.0 and np.array_equal(double(np.ones(2)), [2, 2])
    assert model.twice(double, 1.0) == 4.0 and model.twice(model.square, 3.0) == 81.0
    assert evert.grad(model.twice, 1)(model.square, 3.0) == pytest.approx(4 * 27.0)
    at_three = model("f => f(3.0)")
    assert evert.grad(at_three)(double) == {"a": 3.0}
    other = evert.text("fn f(x) = x")
    with pytest.raises(evert.ArgumentError, match="another program"):
        model.twice(other.f, 1.0)


def test_functions_of_python(model):
    calls = []

    def py(x):
        calls.append(x)
        return math.cos(x)

    assert model.twice(py, 1.0) == math.cos(math.cos(1.0)) and calls == [1.0, math.cos(1.0)]
    with pytest.raises(evert.Error, match="no derivative"):
        evert.grad(model.twice, 1)(py, 1.0)
    cos = evert.callable(math.cos, vjp=lambda x, dy: -math.sin(x) * dy, jvp=lambda x, dx: -math.sin(x) * dx)
    slope = math.sin(math.cos(1.0)) * math.sin(1.0)
    assert evert.grad(model.twice, 1)(cos, 1.0) == pytest.approx(slope)
    f = model("(f, x, d) => jvp(y => f(f(y)), x, d).1")
    assert f(cos, 1.0, 1.0) == pytest.approx(slope)
    m = evert.text("fn apply(f, x, y) = f(x, y).a + 1\nfn outside(w, f, data) = w * sum(f(data))")
    assert m.apply(lambda x, y: {"a": x * y}, 2.0, 3.0) == 7.0
    assert m.outside(2.0, lambda data: data[::2], np.arange(4.0)) == 4.0

    class Wrong(Exception):
        pass

    def fails(x):
        raise Wrong("it was I")

    with pytest.raises(Wrong, match="it was I"):
        model.twice(fails, 1.0)
    with pytest.raises(evert.ArgumentError):
        model.twice(lambda x: object(), 1.0)
    assert model.twice(lambda x: model.square(x), 3.0) == 81.0, "a program may be called from within itself"
    assert model.twice(lambda x: model.twice(lambda y: y + 1.0, x), 3.0) == 7.0


def test_a_function_from_a_docstring():
    @evert.function
    def huber(r, delta):
        """
        let a = abs(r)
        if a <= delta { r^2 / 2 } else { delta * (a - delta / 2) }
        """

    assert huber(3.0, 1.0) == 2.5 and evert.grad(huber)(0.5, 1.0) == 0.5
    with pytest.raises(evert.ArgumentError):
        evert.function(lambda x: x)


def test_files(tmp_path):
    (tmp_path / "shapes.ev").write_text("type Shape = Box(w, h)\nfn area(s) = match s { Box(w, h) => w * h }\nlet unit = 1.0")
    (tmp_path / "main.ev").write_text('import "shapes.ev"\nfn f(w) = shapes.area(shapes.Box(w, 2.0))\nf(1.0) //=> 2.0')
    m = evert.load(tmp_path / "main.ev")
    assert m.f(3.0) == 6.0 and m.shapes.area(m.shapes.Box(2.0, 5.0)) == 10.0 and m.shapes.unit == 1.0
    assert "area" in dir(m.shapes)
    assert m.check().passed == 1
    with pytest.raises(FileNotFoundError):
        evert.load(tmp_path / "nothing.ev")
    (tmp_path / "bad.ev").write_bytes(b"fn f(x) = \xff")
    with pytest.raises(evert.ArgumentError, match="UTF-8"):
        evert.load(tmp_path / "bad.ev")
    (tmp_path / "missing.ev").write_text('import "nowhere.ev"')
    with pytest.raises(evert.Error, match="nowhere.ev"):
        evert.load(tmp_path / "missing.ev")


def test_pickles(tmp_path, model):
    (tmp_path / "a.ev").write_text("fn g(x) = x^2")
    (tmp_path / "b.ev").write_text('import "a.ev"\nfn f(x) = a.g(x) + 1\nfn make(k) = x => k * a.g(x)')
    m = evert.load(tmp_path / "b.ev")
    functions = [m.f, evert.grad(m.f), m("x => f(x) * 2"), evert.vmap(m.f), m.a.g, evert.value_and_grad(m.f, (0,)), m.make(3.0)]
    arguments = [2.0, 2.0, 2.0, np.arange(3.0), 2.0, 2.0, 2.0]
    texts = [pickle.dumps(f) for f in functions]
    expected = [f(x) for f, x in zip(functions, arguments)]
    for text, x, y in zip(texts, arguments, expected):
        again = pickle.loads(text)
        assert again.module is m
        assert np.all(again(x) == y) or again(x) == y
    assert copy.deepcopy(m.f)(2.0) == 5.0
    assert len(texts[0]) < 1000
    assert m.f == m.f and hash(m.f) == hash(m.f) and m.f != m.make
    # In another process, where the files are gone.
    (tmp_path / "a.ev").unlink()
    (tmp_path / "b.ev").unlink()
    import subprocess
    import sys

    script = "import sys, pickle; f = pickle.load(sys.stdin.buffer); print(f(2.0))"
    run = subprocess.run([sys.executable, "-c", script], input=texts[1], capture_output=True, check=True)
    assert run.stdout.decode().strip() == "4.0" and run.stderr == b""


def test_adding_to_a_program():
    m = evert.text("fn f(x) = x")
    g = evert.grad(m.f)
    assert g(2.0) == 1.0
    assert m.run("fn f(x) = x^2\nf(3.0)") == 9.0
    assert g(2.0) == 4.0 and m.f(2.0) == 4.0
    with pytest.raises(evert.Error):
        m.run("let a = 1.0\nlet b = a[0]")
    assert m.a == 1.0 and m.f(2.0) == 4.0
    again = pickle.loads(pickle.dumps(m.f))
    assert again.module is m


def test_prints_go_where_python_prints(model, capsys):
    assert model.talk(3.0) == 3.0
    assert capsys.readouterr().out == "x is 3.0\n"
    evert.grad(model.talk)(3.0)
    assert capsys.readouterr().out == "x is 3.0\n"
    evert.text("let a = { print(\"loading\"); 1.0 }")
    assert capsys.readouterr().out == "loading\n"


def test_explain_and_check(model):
    assert model.square.explain(2.0).startswith("native: ")
    assert model.twice.explain(model.square, 1.0).startswith("native")
    assert evert.text("fn f(x) = x", engine="reference").f.explain(1.0).startswith("reference")
    m = evert.text("fn cube(x) = x^3\n  reverse x => (cube(x), dy => ({}, 3 * x^2 * dy))")
    m.cube.check(2.0)


def test_both_engines_agree(model):
    inputs, files = model._core.source()
    reference = evert.text(inputs[1][1], name="model.ev", engine="reference")
    assert reference.root(2.0) == pytest.approx(model.root(2.0), rel=1e-12)
    assert evert.grad(reference.rosenbrock)([1.0, 2.0]) == pytest.approx(evert.grad(model.rosenbrock)([1.0, 2.0]))


def test_texts_that_are_none():
    for wrong in (3, None, b"fn f(x) = x"):
        with pytest.raises(evert.ArgumentError):
            evert.text(wrong)
    with pytest.raises(evert.ArgumentError):
        evert.text("fn f(x) = x", engine="fast")
    with pytest.warns(evert.Warning):
        evert.text("fn f(x) = { x + 1\n -x }")


def test_maps_over_any_axis_compose(model):
    x = np.arange(24.0).reshape(2, 3, 4)
    norm = evert.text("fn norm(v) = sum(v^2)").norm
    assert np.allclose(evert.vmap(norm, -1)(x[0]), (x[0] ** 2).sum(0))
    assert np.allclose(evert.vmap(evert.vmap(norm, 1))(x), (x**2).sum(1))
    assert np.allclose(evert.vmap(evert.vmap(norm, 1), 1)(x), (x**2).sum(0))
    jacobian = evert.jacobian(evert.vmap(norm, 1))(x[0])
    assert jacobian.shape == (4, 3, 4) and np.allclose(jacobian, 2 * x[0] * np.eye(4)[:, None, :])
    assert evert.vmap(norm, 1)(np.zeros((3, 0))).shape == (0,)
    with pytest.raises(evert.ArgumentError, match="no axis 2"):
        evert.vmap(norm, 2)(x[0])
    with pytest.raises(evert.Error, match="lengths 3 and 4"):
        evert.vmap(evert.text("fn f(a, b) = a + b").f)(np.ones(3), np.ones(4))


def test_maps_over_parts_of_arguments():
    scaled = evert.text("fn scaled(p, x) = sum(p.w) * p.b + x.0").scaled
    p = {"w": np.arange(8.0).reshape(2, 4), "b": 3.0}
    mapped = evert.vmap(scaled, ({"w": 1, "b": None}, (0, None)))
    assert np.allclose(mapped(p, (np.arange(4.0), "kept")), p["w"].sum(0) * 3 + np.arange(4))
    with pytest.raises(evert.ArgumentError, match="lacks 'b'"):
        evert.vmap(scaled, ({"w": 1}, None))(p, (1.0, 2.0))
    with pytest.raises(evert.ArgumentError, match="in_axes"):
        evert.vmap(scaled, "w")


def test_an_argument_named_in_a_tuple_gives_a_tuple_in_maps_too():
    square = evert.text("fn square(x) = x^2").square
    (slopes,) = evert.vmap(evert.grad(square, (0,)))(np.arange(3.0))
    values, (again,) = evert.vmap(evert.value_and_grad(square, (0,)))(np.arange(3.0))
    assert np.allclose(slopes, [0, 2, 4]) and np.allclose(again, slopes) and np.allclose(values, [0, 1, 4])
    with pytest.raises(evert.ArgumentError, match="argnums"):
        evert.grad(square, "x")


def test_functions_inside_data():
    m = evert.text("type Rule = Rule(f, scale)\nfn used(r, x) = match r { Rule(f, scale) => f(x) * scale }\nfn all(rs, x) = sum([r.f(x) for r in rs])")
    assert m.used(m.Rule(m("x => x^2"), 2.0), 3.0) == 18.0
    assert m.used(m.Rule(lambda x: x + 1, 2.0), 3.0) == 8.0
    assert m.all([{"f": m("x => x^2")}, {"f": abs}], -3.0) == 12.0
    assert "session" in m.used.explain(m.Rule(abs, 2.0), 3.0)


def test_the_tape():
    m = evert.text("fn f(v) = sum([sin(x) for x in v])\nfn scaled(a) = x => a * x")
    assert "measured after the forward half" in m.f.tape([1.0, 2.0, 3.0]) and "nothing" in m.scaled(2.0).tape(3.0)
    with pytest.raises(evert.Error):
        m.f.tape("a text")
    assert m.f([0.0]) == 0.0


def test_broadcasting_is_compiled_for_the_calls_that_follow():
    m = evert.text("fn outer(x, y) = x + y")
    x, y = np.arange(3.0)[:, None], np.arange(2.0)[None]
    for _ in range(3):
        assert np.array_equal(m.outer(x, y), x + y) and np.array_equal(m.outer(x, x), 2 * x)
    with pytest.raises(evert.Error, match="E0310"):
        m.outer(np.ones((3, 2)), np.ones((2, 3)))
