"""Every machine of the registry: its values are sums, its arrays make it again, and what does not fit is refused."""

import pickle
from dataclasses import fields

import joblib
import numpy as np
import pytest
import scipy.sparse as sp

import mercer.machines
from mercer import InputError, KernelError
from mercer.machines import MACHINES, KernelMachine, LinearMachine, Machine, machine_from_arrays
from tests.contracts.machine_registry import ENTRIES, named

# Of sums over about a hundred numbers, as a share of their sizes.
ROUNDING = 1e-12
# Of kernel values in float32, and of sums over about a hundred of them.
FLOAT32 = 1e-5

ENTRY = pytest.mark.parametrize("entry", ENTRIES, ids=named)
PLAIN_ENTRY = pytest.mark.parametrize("entry", [one for one in ENTRIES if one.has_arrays], ids=named)
# What a file of plain arrays can hold.
PLAIN = (np.ndarray, str, int, float, dict, tuple, type(None))


def sums(entry):
    """Σ c k + b of every function at every new row, and the size of what is summed."""
    machine, _, gram = entry.make()
    coef = entry.coefficients(machine)
    return (gram @ coef.T + machine.intercept).astype(float), (np.abs(gram) @ np.abs(coef.T)).astype(float)


def assert_same_values(machine, other, queries):
    np.testing.assert_array_equal(machine.values(queries, 1), other.values(queries, 1))


# ---------------------------------------------------------------- values


@pytest.mark.parametrize("threads", [None, 1, 2])
@ENTRY
def test_values_are_the_sums_of_the_definition(entry, threads):
    machine, queries, _ = entry.make()
    expected, size = sums(entry)
    found = machine.values(queries, threads)
    assert found.dtype == np.float64
    assert found.shape == expected.shape == (queries.shape[0], len(machine.intercept))
    assert np.all(np.abs(found - expected) <= ROUNDING * (1 + size))


@pytest.mark.parametrize(
    ("entry", "form"),
    [pytest.param(one, form, id=f"{one.name}-{form.__name__}") for one in ENTRIES for form in one.forms],
)
def test_values_do_not_depend_on_the_form_of_the_rows(entry, form):
    machine, queries, _ = entry.make()
    expected, size = sums(entry)
    found = machine.values(form(queries.toarray() if sp.issparse(queries) else queries), 1)
    assert np.all(np.abs(found - expected) <= ROUNDING * (1 + size))


@ENTRY
def test_values_in_float32_are_near_those_in_float64(entry):
    machine, queries, _ = entry.make()
    _, size = sums(entry)
    exact = machine.values(queries, 1)
    # A precise machine never makes do with less.
    most = FLOAT32 * (1 + size) if not getattr(machine, "is_precise", False) else np.zeros_like(size)
    assert np.all(np.abs(machine.values(queries, 1, np.float32) - exact) <= most)


@ENTRY
def test_values_of_float32_rows_are_those_of_the_same_numbers(entry):
    machine, queries, _ = entry.make()
    rounded = queries.astype(np.float32)
    _, size = sums(entry)
    found, expected = machine.values(rounded, 1), machine.values(rounded.astype(np.float64), 1)
    assert np.all(np.abs(found - expected) <= ROUNDING * (1 + size))


@ENTRY
def test_no_rows_have_no_values(entry):
    machine, queries, _ = entry.make()
    assert machine.values(queries[:0], 1).shape == (0, len(machine.intercept))


@ENTRY
def test_rows_of_other_features_are_refused(entry):
    machine, queries, _ = entry.make()
    features = machine.n_features
    with pytest.raises(InputError, match=f"Expected rows of {features} features, .* got {features - 1}"):
        machine.values(queries[:, :-1], 1)


# ---------------------------------------------------------------- copies


def fields_of(machine):
    return {one.name: getattr(machine, one.name) for one in fields(machine)}


@PLAIN_ENTRY
def test_machine_comes_back_from_its_arrays(entry):
    machine, queries, _ = entry.make()
    arrays = machine.arrays()
    assert all(isinstance(value, PLAIN) for value in arrays.values())
    for again in (type(machine).from_arrays(arrays), machine_from_arrays(arrays)):
        assert type(again) is type(machine)
        assert set(again.arrays()) == set(arrays)
        assert_same_values(again, machine, queries)
        if isinstance(machine, KernelMachine):
            assert again.is_precise == machine.is_precise
            count = 1 + int(machine.support.max())
            for function in range(len(machine.intercept)):
                for at_rows in (KernelMachine.coef_at_rows, KernelMachine.low_at_rows):
                    np.testing.assert_array_equal(at_rows(again, function, count), at_rows(machine, function, count))


@PLAIN_ENTRY
def test_copies_of_the_arrays_make_the_same_machine(entry):
    """What a file brings back is writable and not shared; what a machine of vectors holds is neither."""
    machine, queries, _ = entry.make()
    copies = {name: value.copy() if hasattr(value, "copy") else value for name, value in machine.arrays().items()}
    again = type(machine).from_arrays(copies)
    assert_same_values(again, machine, queries)
    if isinstance(machine, KernelMachine):
        for name in ("support", "n_support", "dual_coef", "intercept"):
            assert not getattr(again, name).flags.writeable


@pytest.mark.parametrize("entry", [one for one in ENTRIES if not one.has_arrays], ids=named)
def test_function_of_python_has_no_plain_arrays(entry):
    machine, queries, _ = entry.make()
    with pytest.raises(KernelError, match="has no plain form: expected"):
        machine.arrays()
    # Its fields make it again all the same.
    assert_same_values(type(machine).from_arrays(fields_of(machine)), machine, queries)


@ENTRY
def test_pickled_machine_is_the_same(entry):
    machine, queries, _ = entry.make()
    again = pickle.loads(pickle.dumps(machine))
    assert type(again) is type(machine)
    assert_same_values(again, machine, queries)


@ENTRY
def test_prediction_changes_neither_the_pickle_nor_the_hash(entry):
    # A new one of the same arrays: nobody has asked it for values yet.
    machine, queries, _ = entry.make()
    machine = type(machine).from_arrays(fields_of(machine))
    before = pickle.dumps(machine), joblib.hash(machine)
    machine.values(queries, 1)
    machine.values(queries, 1, np.float32)
    assert (pickle.dumps(machine), joblib.hash(machine)) == before


# ---------------------------------------------------------------- what does not fit


REFUSED = r"do not fit together: expected|: expected \d* ?finite numbers"
WITH_VECTORS = [one for one in ENTRIES if "linear" not in one.name and "precomputed" not in one.name]


def with_first(array, value):
    """A copy with another first number."""
    other = array.copy()
    (other.data if sp.issparse(other) else other.reshape(-1))[0] = value
    return other


def wrong_values(name, good):
    """What does not fit in the place of a field, given what fits."""
    yield "text"
    if name != "low":
        yield None
    match name:
        case "classes":
            yield from (good[:-1], good[None])
        case "support" | "n_support":
            yield from (good[:-1], good[None], good.astype(np.float64), good.astype(str))
        case "n_features":
            yield good + 0.5
        case "support_vectors":
            yield from (good[:-1], good[:, :-1], good.astype(np.int64), good.astype(np.complex128))
        case "weights":
            yield from (good[0], good[None])
        case "dual_coef" | "intercept" | "low":
            yield from (good[..., :-1], good[None])
    if name in ("weights", "dual_coef", "intercept", "low"):
        yield from (with_first(good, np.nan), with_first(good, np.inf), np.full(good.shape, "a"))
    if name in ("dual_coef", "low"):
        yield from (good.astype(np.float32), good.astype(np.complex128))
    if name == "n_support":
        yield with_first(good, -1)


@ENTRY
def test_array_that_does_not_fit_is_refused(entry):
    machine = entry.make().machine
    own = fields_of(machine)
    # A precomputed kernel has no vectors; `is_precise` is no array, and `low` only a precise machine's.
    names = [name for name, good in own.items() if name != "is_precise" and np.size(good) and good is not None]
    for name in names:
        wrongs = list(wrong_values(name, own[name]))
        if isinstance(machine, LinearMachine):
            message = REFUSED
        else:
            # Where there are fewer classes, it is all others that are too many.
            message = "do not fit together" if name == "classes" else f"machine's .*{name}.* do not fit together"
            wrongs += [own[name].astype(np.float32)] if name == "intercept" else []
        for wrong in wrongs:
            with pytest.raises(InputError, match=message):
                type(machine).from_arrays({**own, name: wrong})


@pytest.mark.parametrize("entry", WITH_VECTORS, ids=named)
def test_vectors_that_are_not_finite_are_refused(entry):
    machine = entry.make().machine
    for value in (np.nan, np.inf):
        wrong = with_first(machine.support_vectors, value)
        with pytest.raises(InputError, match=REFUSED):
            type(machine).from_arrays({**fields_of(machine), "support_vectors": wrong})


@pytest.mark.parametrize("wrong", [None, "text"])
@pytest.mark.parametrize("entry", [one for one in ENTRIES if "precomputed" in one.name], ids=named)
def test_vectors_of_a_precomputed_kernel_that_are_no_array_are_refused(entry, wrong):
    machine = entry.make().machine
    with pytest.raises(InputError, match=REFUSED):
        type(machine).from_arrays({**fields_of(machine), "support_vectors": wrong})


@pytest.mark.parametrize("name", ["weights", "intercept"])
@pytest.mark.parametrize("entry", [one for one in ENTRIES if "linear" in one.name], ids=named)
def test_complex_numbers_are_refused(entry, name):
    own = fields_of(entry.make().machine)
    with pytest.raises(InputError, match=REFUSED):
        LinearMachine.from_arrays({**own, name: own[name] + 1j})


@PLAIN_ENTRY
def test_arrays_that_are_missing_or_too_many_are_refused(entry):
    machine = entry.make().machine
    kind, arrays = type(machine), machine.arrays()
    with pytest.raises(InputError, match=rf"{kind.kind}: expected arrays among .* got \['other'\] as well"):
        kind.from_arrays({**arrays, "other": 1})
    for missing in set(arrays) - {"kind", "is_precise", "low"}:
        rest = {name: value for name, value in arrays.items() if name != missing}
        with pytest.raises(InputError, match=r"expected (arrays named|the arrays of a sparse matrix)"):
            kind.from_arrays(rest)


@PLAIN_ENTRY
def test_arrays_of_another_kind_are_refused(entry):
    machine = entry.make().machine
    for kind in set(MACHINES.values()) - {type(machine)}:
        with pytest.raises(InputError, match=f"Expected the arrays of a machine of the kind '{kind.kind}', got"):
            kind.from_arrays(machine.arrays())
    for wrong in ({**machine.arrays(), "kind": "no"}, {**machine.arrays(), "kind": None}, {}):
        with pytest.raises(InputError, match="Expected the arrays of a machine, of a kind among"):
            machine_from_arrays(wrong)


# ---------------------------------------------------------------- kinds


@ENTRY
def test_machine_is_one_and_says_its_kind(entry):
    machine = entry.make().machine
    assert isinstance(machine, Machine)
    assert isinstance(machine, (KernelMachine, LinearMachine))
    assert type(machine).kind


def test_registry_holds_every_kind_of_machine_and_their_names_differ():
    public = [getattr(mercer.machines, name) for name in mercer.machines.__all__]
    kinds = {kind for kind in public if isinstance(kind, type) and issubclass(kind, Machine)}
    kinds -= {Machine, KernelMachine}
    assert kinds == set(MACHINES.values())
    assert kinds == {type(entry.make().machine) for entry in ENTRIES}
    assert len({kind.kind for kind in kinds}) == len(kinds)
