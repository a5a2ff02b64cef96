"""What crosses the border comes back as it was."""

import dataclasses
import decimal
import fractions
from collections import OrderedDict, namedtuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import evert

m = evert.text("fn same(x) = x\nfn negate(x) = if is_array(x) { -x } else { x }\ntype T = Empty | One(a) | Two(a, b)")


def equal(a, b):
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if np.shape(a) == (0,):  # the empty array of rank 1 counts for every rank
            return np.size(b) == 0
        return np.asarray(a).shape == np.asarray(b).shape and np.array_equal(a, b, equal_nan=True)
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, evert._evert.Variant):
        return type(a) is type(b) and equal(a._parts, b._parts)
    if isinstance(a, float):
        return isinstance(b, float) and (a == b or (a != a and b != b))
    return type(a) is type(b) and a == b


labels = st.sampled_from(["a", "b", "w", "bias", "x1"])
reals = st.floats(allow_nan=True, allow_infinity=True)
arrays = st.one_of(
    hnp.arrays(np.float64, hnp.array_shapes(max_dims=3, max_side=4)),
    hnp.arrays(np.int64, hnp.array_shapes(max_dims=2, max_side=4)),
    hnp.arrays(np.bool_, hnp.array_shapes(max_dims=2, max_side=4)),
    hnp.arrays(np.float64, st.sampled_from([(0,), (3, 0), (0, 2)])),
)
ints = st.integers(-(2**63), 2**63 - 1)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
leaves = st.one_of(reals, ints, st.booleans(), arrays, st.none(), texts)


def grown(inner):
    tuples = st.lists(inner, min_size=2, max_size=3).map(tuple)
    records = st.dictionaries(labels, inner, min_size=1, max_size=3)
    variants = st.one_of(st.just(m.Empty), inner.map(m.One), st.tuples(inner, inner).map(lambda p: m.Two(*p)))
    return st.one_of(tuples, records, variants)


@settings(max_examples=150, deadline=None)
@given(st.recursive(leaves, grown, max_leaves=6))
def test_random_trees_come_back(value):
    assert equal(value, m.same(value))


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(np.float64, (4, 5, 6), elements=st.floats(-1e6, 1e6)), st.data())
def test_any_strides(array, data):
    axes = data.draw(st.permutations(range(3)))
    slices = tuple(slice(None, None, data.draw(st.sampled_from([1, 2, -1, -2]))) for _ in range(3))
    view = array.transpose(axes)[slices]
    assert np.array_equal(m.same(view), view)
    assert np.array_equal(m.negate(view), -view)


def test_broadcast_and_unaligned_arrays():
    assert np.array_equal(m.same(np.broadcast_to(2.0, (3, 4))), np.full((3, 4), 2.0))
    raw = np.zeros(8 * 5 + 1, dtype=np.uint8)
    unaligned = raw[1:].view(np.float64)
    unaligned[:] = range(5)
    assert not unaligned.flags.aligned and np.array_equal(m.same(unaligned), np.arange(5.0))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f8", "<f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", "?"])
def test_kinds_of_numbers(dtype):
    array = np.array([0, 1, 1], dtype=dtype)
    result = m.same(array)
    kinds = {"f": np.float64, "i": np.int64, "u": np.int64, "b": np.bool_}
    assert result.dtype == kinds[array.dtype.kind] and np.array_equal(result, array)
    scalar = m.same(array[1])
    assert scalar == array[1] and type(scalar) in (float, int, bool)


def test_results_are_arrays_of_their_own():
    x = np.arange(3.0)
    y = m.same(x)
    y[0] = 9.0
    assert x[0] == 0.0 and y.flags.writeable and y.flags.owndata


def test_arrays_without_axes_are_numbers():
    assert m.same(np.array(2.5)) == 2.5 and m.same(np.array(3)) == 3 and m.same(np.array(True)) is True


def test_lists():
    assert np.array_equal(m.same([1.0, 2.0]), [1.0, 2.0])
    assert m.same([1, 2]).dtype == np.int64 and m.same([[1, 2.5]]).shape == (1, 2)
    assert m.same([(1.0, 2), (3.0, 4)]) == [(1.0, 2), (3.0, 4)]
    assert m.same([{"a": 1.0}, {"a": 2.0}]) == [{"a": 1.0}, {"a": 2.0}]
    assert m.same(["a", "b"]) == ["a", "b"] and m.same(np.array(["a", "b"])) == ["a", "b"]
    assert m.same([m.One(1.0), m.Empty]) == [m.One(1.0), m.Empty]
    assert m.same([]).shape == (0,)
    assert np.array_equal(m.same([np.ones(2), np.zeros(2)]), [[1, 1], [0, 0]])
    assert np.array_equal(m.same(range(3)), [0, 1, 2])


def test_records():
    Point = namedtuple("Point", "x y")

    @dataclasses.dataclass
    class Parameters:
        w: np.ndarray
        b: float

    assert m.same(Point(1.0, 2)) == {"x": 1.0, "y": 2}
    assert equal(m.same(Parameters(np.ones(2), 0.5)), {"b": 0.5, "w": np.ones(2)})
    assert m.same(OrderedDict(b=1, a=2)) == {"a": 2, "b": 1}
    assert m.same({"b": 1.0, "a": 2.0}) == m.same({"a": 2.0, "b": 1.0})


def test_other_numbers():
    assert m.same(fractions.Fraction(1, 2)) == 0.5 and m.same(decimal.Decimal("0.25")) == 0.25

    class Logical:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3.0)

    assert np.array_equal(m.same(Logical()), [0, 1, 2])

    class Packed:
        def __dlpack__(self, **options):
            return np.arange(4.0).__dlpack__()

        def __dlpack_device__(self):
            return np.arange(4.0).__dlpack_device__()

    assert np.array_equal(m.same(Packed()), [0, 1, 2, 3])


def test_deep_data():
    t = m.Empty
    for i in range(20_000):
        t = m.Two(float(i), t)
    result = m.same(t)
    assert result.a == 19_999.0 and result.b.b.a == 19_997.0


@pytest.mark.parametrize(
    "value, words",
    [
        (np.array([1, "a"], dtype=object), "objects"),
        ([[1.0, 2.0], [3.0]], "lengths 1, 2"),
        (1 + 2j, "complex"),
        (np.array([1j]), "complex"),
        ({1: 2.0}, "labels are texts"),
        (2**70, "64 bits"),
        (np.array([2**64 - 1], dtype=np.uint64), "64 bits"),
        (np.zeros(2, dtype=[("a", float), ("b", int)]), "structured"),
        (np.longdouble(1), "double precision"),
        (np.ones(2, dtype=np.longdouble), "double precision"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "datetime64"),
        (np.ma.masked_array([1.0, 2.0], [False, True]), "masked"),
        (object(), "object"),
        ({1.0}, "set"),
        (b"bytes", "bytes"),
        ([1.0, None], "no array"),
        ([(1.0, 2.0), 3.0], ""),
    ],
)
def test_what_is_no_argument(value, words):
    if words == "":
        m.same(value)  # an array of data may be mixed
        return
    with pytest.raises(evert.ArgumentError, match=words):
        m.same(value)
    assert m.same(1.0) == 1.0


def test_data_that_contains_itself():
    for value in ({}, []):
        if isinstance(value, dict):
            value["self"] = value
        else:
            value.append(value)
        with pytest.raises(evert.Error):
            m.same(value)
    assert m.same(1.0) == 1.0


def test_ragged_lists_are_refused_at_any_depth(model):
    for ragged in ([[1.0, 2.0], [3.0]], [[[1.0], [2.0]], [[1.0], [2.0, 3.0]]], [[1.0], 2.0], [np.ones(2), np.ones(3)]):
        with pytest.raises(evert.ArgumentError, match="rows"):
            model.same(ragged)


def test_what_describes_its_memory(model):
    class Described:
        __array_interface__ = np.arange(3.0).__array_interface__

    import array

    assert np.array_equal(model.same(Described()), np.arange(3.0))
    assert np.array_equal(model.same(array.array("d", [1.0, 2.0])), [1.0, 2.0])
    assert np.array_equal(model.same(memoryview(np.arange(4).reshape(2, 2))), [[0, 1], [2, 3]])
