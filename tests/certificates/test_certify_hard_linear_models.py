"""certify finds the dual variables of linear machines anew; where these are hard to find, it condemns nobody for it."""

from dataclasses import replace

import numpy as np
import pytest

import mercer
from mercer import LinearSVC, LinearSVR, Status, certify

# A machine whose own certificate holds at tol is not said to be farther off than this many times as much.
FOUND_ANEW = 2.0


def _rows(seed, offset):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 5)) * 10.0 ** rng.uniform(-1, 2, size=5) + offset
    y = np.digitize(X @ rng.normal(size=5) / X.std() + rng.normal(size=60), [-0.7, 0.7])
    y[:3] = 0, 1, 2
    return X, y


MODELS = {
    "all classes": LinearSVC(multi_class="crammer_singer", C=1e4),
    "all classes, huge C": LinearSVC(multi_class="crammer_singer", C=1e7),
    "hinge, huge C": LinearSVC(loss="hinge", C=1e7),
    "hinge, free intercept": LinearSVC(loss="hinge", C=1e5, regularize_intercept=False),
    "absolute weights": LinearSVC(penalty="l1", C=1e5),
    "tube": LinearSVR(C=1e5, epsilon=0.1),
    "large offset column": LinearSVC(loss="hinge", C=100.0, intercept_scaling=1e4),
}


@pytest.mark.parametrize("offset", [0.0, 100.0])
@pytest.mark.parametrize("name", MODELS)
def test_certify_does_not_condemn_solved_linear_machines(name, offset):
    for seed in range(3):
        X, y = _rows(seed, offset)
        model = MODELS[name].fit(X, y)
        assert model.status_ is Status.SOLVED
        certificate = certify(model, X, y)
        assert certificate.primal == pytest.approx(model.certificate_.primal, rel=1e-6)
        assert certificate.relative_gap <= FOUND_ANEW * model.tol or not certificate.is_proven


def test_machine_that_is_far_from_the_optimum_is_still_condemned():
    X, y = _rows(0, 0.0)
    model = LinearSVC(C=1.0).fit(X, y)
    model.coef_ = 1.5 * model.coef_
    certificate = certify(model, X, y)
    assert certificate.is_proven
    assert certificate.relative_gap > 0.01


def test_text_says_that_nothing_is_proven_where_no_dual_variables_tell():
    X, y = _rows(0, 0.0)
    certificate = certify(LinearSVC().fit(X, y), X, y)
    assert "not proven" not in str(certificate)
    assert "not proven" in str(replace(certificate, is_proven=False))


def test_certificate_of_several_problems_is_proven_only_where_all_are():
    X, y = _rows(0, 0.0)
    parts = certify(LinearSVC().fit(X, y), X, y).parts
    assert mercer.Certificate.of_several(parts).is_proven
    assert not mercer.Certificate.of_several([*parts[:-1], replace(parts[-1], is_proven=False)]).is_proven
