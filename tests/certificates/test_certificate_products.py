"""The products behind a certificate: in float32 only where nothing depends on it."""

import numpy as np
import pytest
from sklearn.datasets import make_classification

import mercer.certificates.products as products
from mercer import SVC, certify
from mercer.certificates.optimality import certify_machines
from mercer.data import one_vs_one, read_class_targets
from mercer.problems import SupportVectorClassification
from mercer.rows import rows_of
from mercer.rows.features import FeatureRows

TOL = 1e-3


class Case:
    """A fitted machine for three classes, as the certificate sees it."""

    def __init__(self):
        X, y = make_classification(360, 6, n_informative=4, n_classes=3, flip_y=0.1, random_state=3)
        model = SVC(C=5.0, gamma=0.2, tol=TOL).fit(X, y)
        pairs = one_vs_one(read_class_targets(y, None, None))
        self.rows = [pair.rows for pair in pairs]
        machine = model._machine
        self.coef = np.concatenate([machine.coef_at_rows(k, len(X))[own] for k, own in enumerate(self.rows)])
        self.data = rows_of(model._machine.kernel, X)
        self.problem = SupportVectorClassification.several([pair.signs for pair in pairs], np.full(len(self.coef), 5.0))
        self.exact = self.products(None)

    def products(self, tol):
        return products.evaluate_products(self.problem, self.data, self.rows, self.coef, 1, tol).values

    def certificates(self, values):
        """Of the machine with the same intercepts, whatever the values."""
        offsets = self.problem.offsets(self.problem.sides(self.coef, self.exact)).best
        nothing = np.zeros(len(self.rows))
        diagonal = np.ones(len(self.coef))
        return certify_machines(self.problem, self.coef, offsets, values, 0.0, True, diagonal, nothing)

    def resting_row(self):
        """A row, not among the probes, whose multiplier is zero and that is far from violating."""
        scores = self.problem.slope * self.exact
        resting = (self.coef == 0) & (scores > 1.5) & ~products._probes(self.problem.groups, np.zeros(len(self.coef)))
        return int(np.flatnonzero(resting)[0])


@pytest.fixture(scope="module")
def case():
    return Case()


@pytest.fixture
def single(case, monkeypatch):
    """Asks for float32 where it is allowed; `single.error` is added to what it gives, row by row."""
    assert case.data.prepared32 is not None
    assert case.data.is_prepared32
    monkeypatch.setattr(products, "_WORTH_FLOAT32", 0)
    real = FeatureRows.expand

    class Single:
        error = 0.0
        exact_rows = 0

    def disturbed(rows, targets, sources, coefs, threads, dtype=np.float64):
        values = real(rows, targets, sources, coefs, threads, dtype)
        if dtype is not np.float32:
            Single.exact_rows += sum(map(len, targets))
            return values
        error = np.broadcast_to(Single.error, sum(map(len, values)))
        return [value + part for value, part in zip(values, case.problem.groups.split(error), strict=True)]

    monkeypatch.setattr(FeatureRows, "expand", disturbed)
    return Single


def judgement(case, values):
    return [
        (certificate.violation, certificate.kkt_residuals, certificate.intercept_interval, certificate.counts)
        for certificate in case.certificates(values)
    ]


def test_float32_products_judge_like_float64_ones(case, single):
    values = case.products(TOL)
    # Most rows were spared, so this is not float64 all over.
    assert 0 < single.exact_rows < 0.7 * len(values)
    assert (values != case.exact).any()
    for found, expected in zip(judgement(case, values), judgement(case, case.exact), strict=True):
        assert found[:3] == expected[:3]


def test_all_is_in_float64_without_a_tolerance(case, single):
    single.error = 1.0
    np.testing.assert_array_equal(case.products(None), case.exact)


@pytest.mark.parametrize("error", [1e-5, 3e-4, -3e-4])
def test_an_error_of_all_rows_is_measured_and_allowed_for(case, single, error):
    single.error = error
    values = case.products(TOL)
    for found, expected in zip(judgement(case, values), judgement(case, case.exact), strict=True):
        assert found[:3] == expected[:3]


def test_a_row_that_seems_to_violate_is_evaluated_again(case, single):
    row = case.resting_row()
    single.error = np.zeros(len(case.coef))
    single.error[row] = -3.0 * case.problem.slope[row]
    values = case.products(TOL)
    assert values[row] == case.exact[row]
    for found, expected in zip(judgement(case, values), judgement(case, case.exact), strict=True):
        assert found[:3] == expected[:3]


def test_a_deciding_row_is_in_float64_whatever_float32_says(case, single):
    sides, first = case.problem.sides(case.coef, case.exact), case.problem.groups.runs[0]
    worst = int(np.argmax(np.where(sides.up[0][first], sides.gain_up[first], -np.inf)))
    single.error = np.zeros(len(case.coef))
    single.error[worst] = 1e-6 * case.problem.slope[worst]
    assert case.products(TOL)[worst] == case.exact[worst]


def test_errors_beyond_the_tolerance_end_in_float64(case, single):
    single.error = 10 * TOL * np.random.default_rng(0).standard_normal(len(case.coef))
    np.testing.assert_array_equal(case.products(TOL), case.exact)


def test_float32_is_not_asked_for_where_nobody_prepared_it(case, single):
    fresh = rows_of(case.data.kernel, case.data.X)
    single.error = 1.0
    found = products.evaluate_products(case.problem, fresh, case.rows, case.coef, 1, TOL)
    np.testing.assert_array_equal(found.values, case.exact)
    assert found.error == 0


def test_objectives_of_float32_products_enclose_the_true_ones():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((4000, 20))
    y = X[:, 0] + 0.1 * rng.standard_normal(4000) > 0
    model = SVC().fit(X, y)
    exact = certify(model, X, y)
    assert model.certificate_.dual <= exact.dual
    assert model.certificate_.primal >= exact.primal


def test_a_few_rows_that_round_far_more_than_others_are_not_missed():
    """They lie out where float32 holds squared distances badly, and no strided sample meets them."""
    rng = np.random.default_rng(14)
    X = 0.25 * rng.standard_normal((5000, 20))
    y = (X[:, 0] + 0.75 * rng.standard_normal(5000) > 0).astype(int)
    X[2497:2505] = 0.05 * rng.standard_normal((8, 20))
    X[2497:2505, 0] += 15.3
    y[2497:2505] = np.arange(8) % 2
    model = SVC(C=300.0, gamma=1.0, tol=1e-2).fit(X, y)
    certificate = certify(model, X, y)
    assert certificate.violation <= 1e-2
    assert model.certificate_.violation == pytest.approx(certificate.violation, rel=1e-6)
