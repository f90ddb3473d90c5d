"""Every estimator as a file: what is loaded answers as what was saved, bit by bit, and looks the same."""

import pytest
from sklearn.base import clone

import mercer
from mercer import LinearSVC
from mercer.io import describe, load, save
from mercer.io.states import STATES
from tests.estimators.test_pickles import MODEL_AND_LAYOUT, MODELS, fitted, iris_for
from tests.reference.sameness import answers_of, difference, difference_of_models


def check_file(model, X, path):
    """Saves, loads in both ways, and compares."""
    save(model, path)
    others = load(path), load(path, mapped=True)
    for other in others:
        assert difference_of_models(model, other) is None
    for other in others:
        assert difference(answers_of(model, X), answers_of(other, X)) is None
    assert describe(path)["estimator"] == type(model).__name__


@MODEL_AND_LAYOUT
def test_file_holds_the_model(model, layout, tmp_path):
    model = fitted(model, layout)
    check_file(model, iris_for(model, layout)[0], tmp_path / "model.mercer")


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_file_holds_a_model_before_fit(model, tmp_path):
    other = load(save(clone(model), tmp_path / "model.mercer"))
    assert difference(model.get_params(), other.get_params()) is None
    assert set(vars(other)) == set(vars(model))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_file_of_a_loaded_model_is_the_same(model, tmp_path):
    first = save(fitted(model), tmp_path / "first.mercer")
    second = save(load(first), tmp_path / "second.mercer")
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_loaded_model_can_be_fitted_again(model, tmp_path):
    X, y = iris_for(model)
    model = fitted(model)
    other = load(save(model, tmp_path / "model.mercer"), mapped=True).fit(X, y)
    if not isinstance(model, LinearSVC):  # of which a warm start begins anew
        assert difference(answers_of(other, X), answers_of(model.fit(X, y), X)) is None


def test_every_estimator_has_a_state():
    named = {*mercer.__all__, "FeatureMap"}
    public = {
        name for name in named if isinstance(getattr(mercer, name), type) and hasattr(getattr(mercer, name), "fit")
    }
    assert public <= set(STATES)
