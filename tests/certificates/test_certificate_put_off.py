"""Small fits put their certificate off: it is the same later, whatever happens meanwhile, and "solved" still means that
it holds."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

import mercer
from mercer.certificates import evidence_of
from mercer.data import one_vs_one, read_class_targets
from mercer.problems import SupportVectorClassification
from mercer.rows import rows_of

TOL = 1e-3


@pytest.fixture
def data():
    return make_moons(80, noise=0.3, random_state=4)


def evidence(X, y, model, change):
    """What is known of the machines of a model whose coefficients and intercepts were changed."""
    pairs = one_vs_one(read_class_targets(y, None, None))
    rows = [pair.rows for pair in pairs]
    coefs = [model._machine.coef_at_rows(number, len(X))[chosen] for number, chosen in enumerate(rows)]
    coef, intercept = change(np.concatenate(coefs), model.intercept_.copy())
    problem = SupportVectorClassification.several([pair.signs for pair in pairs], np.full(len(coef), model.C))
    return evidence_of(problem, rows_of(model._machine.kernel, X), rows, coef, intercept[None], 1)


def nothing(coef, intercept):
    return coef, intercept


def later_pair(coef, intercept):
    intercept[-1] += 3 * TOL
    return coef, intercept


def one_coefficient(coef, intercept):
    coef[np.argmax(np.abs(coef))] *= 1 + 1e-6
    return coef, intercept


def beyond_the_box(coef, intercept):
    return (1 + 1e-6) * coef, intercept


def no_number(coef, intercept):
    coef[0] = np.nan
    return coef, intercept


@pytest.mark.parametrize("change", [later_pair, one_coefficient, beyond_the_box, no_number])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_changed_machine_is_never_sure_to_hold(kernel, change):
    X, y = load_iris(return_X_y=True)
    model = mercer.SVC(kernel=kernel, tol=TOL).fit(X, y)
    assert evidence(X, y, model, nothing).certainly_hold(TOL)
    with np.errstate(invalid="ignore"):
        assert not evidence(X, y, model, change).certainly_hold(TOL)


@pytest.mark.parametrize("share", [0.3, 0.9, 0.9995, 1.0, 1.0005, 1.5])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "sigmoid"])
def test_what_is_sure_to_hold_holds(kernel, share, data):
    """Near the violation of the machine the quick answer may be no where the certificate says yes, not the reverse."""
    X, y = data
    known = evidence(X, y, mercer.SVC(kernel=kernel).fit(X, y), nothing)
    (certificate,) = known.certificates
    tol = share * max(certificate.violation, *certificate.kkt_residuals.values())
    assert certificate.holds(tol) or not known.certainly_hold(tol)


def test_fit_that_is_not_solved_is_not_called_so(data):
    with pytest.warns(mercer.UnsolvedWarning, match="violation"):
        model = mercer.SVC(max_iter=5).fit(*data)
    assert not model.certificate_.holds(model.tol)


def test_later_changes_to_the_data_do_not_reach_the_certificate(data):
    X, y = data
    expected = mercer.SVC().fit(X, y).certificate_
    model = mercer.SVC().fit(X, y)
    X[:] = 1e6
    y[:] = 1
    assert model.certificate_ == expected


def test_certificate_stays_what_it_was_when_read(data):
    model = mercer.SVC().fit(*data)
    assert model.certificate_ is model.certificate_


# Some numbers a row for the problem and its solution, and the parameters.
BESIDE_THE_ROWS = 100


@pytest.mark.parametrize(("n", "copies"), [(400, 1), (600, 0)])
def test_pickle_carries_the_data_only_where_the_certificate_is_worked_out_from_them(n, copies):
    """600 rows of 500 features are more than the 2 MB up to which a certificate is put off."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 500))
    model = mercer.SVC(kernel="linear").fit(X, X[:, 0] > 0)
    pickled = pickle.dumps(model)
    assert len(pickled) < model.support_vectors_.nbytes + copies * X.nbytes + 10_000 + BESIDE_THE_ROWS * n
    assert pickle.loads(pickled).certificate_ == model.certificate_


def test_model_has_no_certificate_before_fit():
    assert not hasattr(mercer.SVC(), "certificate_")
