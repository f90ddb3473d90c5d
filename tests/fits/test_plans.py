"""Plans are plain data, do what they are told, and share a budget."""

import json

import numpy as np
import pytest

from mercer import (
    RBF,
    SVC,
    Linear,
    ParameterError,
    Precomputed,
)
from mercer.fits import plan_fit
from mercer.rows import Budget
from mercer.solvers import SmoSketch
from tests.fits.by_hand import (
    BUDGET,
    classification,
    iris,
)


@pytest.mark.parametrize(
    ("X", "kernel", "method"),
    [
        (iris()[0], RBF(0.4), None),
        (iris()[0], Linear(), None),
        (iris()[0] @ iris()[0].T, Precomputed(), None),
        (iris()[0], RBF(0.4), SmoSketch(20)),
    ],
    ids=["computed", "through weights", "stored", "lectures"],
)
def test_plan_is_plain_data_and_its_sentence_that_of_the_estimator(X, kernel, method):
    y = iris()[1]
    task = classification(X, y, kernel)
    plan = plan_fit(task, BUDGET, method=method)
    content = plan.to_dict()
    assert json.loads(json.dumps(content)) == content
    assert content["sentence"] == str(plan)
    assert content["sentence"] == SVC(kernel=kernel, solver=method or "auto").fit(X, y).plan_
    assert content["method"] == (None if method is None else "smo-sketch")
    assert (content["formulation"] is None) == (method is not None)
    assert content["source"] == ("stored" if kernel == Precomputed() else "computed")
    assert content["threads"] >= 1
    assert plan.threads >= max(content["threads"], content["problems_at_once"])


def test_plan_asks_for_what_it_is_told():
    X, y = iris()
    task = classification(X, y, Linear())
    assert plan_fit(task, BUDGET, formulation="primal").to_dict()["formulation"]["is_primal"]
    assert not plan_fit(task, BUDGET, formulation="dual").to_dict()["formulation"]["is_primal"]
    assert plan_fit(task, BUDGET, shrinking=False).to_dict()["shrinking"] is False
    less = plan_fit(task, Budget(1_000_000))
    assert less.gram.cache_bytes < plan_fit(task, BUDGET).gram.cache_bytes
    twice = np.tile(X, (2, 1)), np.tile(y, 2)
    hard, soft = classification(*twice, RBF(0.4), C=np.inf), classification(*twice, RBF(0.4))
    assert list(plan_fit(hard, BUDGET).to_dict()["block_rows"]) == ["float64"]
    assert list(plan_fit(soft, BUDGET).to_dict()["block_rows"]) == ["float32", "float64"]


def test_budget_is_shared_by_fits_side_by_side():
    whole = Budget(1_000_000, 4)
    assert whole.shared(2) == Budget(500_000, 2)
    assert whole.shared(8) == Budget(125_000, 1)
    task = classification(*iris(), RBF(0.4))
    each = plan_fit(task, whole.shared(4)).gram
    assert each.cache_bytes < plan_fit(task, whole).gram.cache_bytes
    assert each.all_threads == 1


def test_plan_refuses_what_it_does_not_know():
    task = classification(*iris(), RBF(0.4))
    with pytest.raises(ParameterError, match=r"formulation: expected one of 'auto', 'primal', 'dual', got 'primel'"):
        plan_fit(task, formulation="primel")
    for budget in (Budget(0), Budget(-1), Budget(threads=0)):
        with pytest.raises(ParameterError, match=r"budget: expected bytes > 0 and threads ≥ 1"):
            plan_fit(task, budget)
