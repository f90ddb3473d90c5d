"""Models of tables as files: they predict the same, and loading one imports no estimator and no scikit-learn."""

import json
import subprocess
import sys

import numpy as np
import pytest

from mercer.errors import ModelFileError
from mercer.io import describe, load, save
from tests.fuzz.model_file_inputs import put_together, taken_apart

pytest.importorskip("mercer.tabular.table_model")
FIELDS = ("labels", "values", "decision", "probabilities", "sets", "intervals")


@pytest.fixture(scope="module")
def models():
    from tests.tabular.test_model_arrays import MODELS

    return MODELS


def predicted(model):
    from tests.tabular.test_model_arrays import TABLE

    found = model.predict(TABLE, confidence_level=None if model.conformal is None else 0.6)
    return {field: getattr(found, field) for field in FIELDS}


def names():
    from tests.tabular.test_model_arrays import MODELS

    return list(MODELS)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("mapped", [False, True])
def test_file_predicts_the_same(models, name, mapped, tmp_path):
    model = models[name]
    other = load(save(model, tmp_path / "model.mercer"), mapped=mapped)
    before, after = predicted(model), predicted(other)
    for field in FIELDS:
        np.testing.assert_array_equal(before[field], after[field])
    assert (other.classes, other.target, other.task, other.record) == (
        *(model.classes, model.target, model.task),
        model.record,
    )
    told = describe(tmp_path / "model.mercer")
    assert told["kind"] == "table model"
    assert told["model"]["target"] == "y"
    json.dumps(told)


LIGHT = """
import sys
known = set(sys.modules)
import mercer.io
from mercer.io import describe, load
known = set(sys.modules)
describe(sys.argv[1])
model = load(sys.argv[1], mapped=True)
more = {name.split(".")[0] for name in set(sys.modules) - known} & {"sklearn", "pandas", "joblib"}
print(type(model).__name__, sorted(more), [name for name in set(sys.modules) - known if name.startswith("mercer.est")])
"""


def test_loading_imports_no_estimator(models, tmp_path):
    path = save(models["several"], tmp_path / "model.mercer")
    told = subprocess.run([sys.executable, "-c", LIGHT, str(path)], capture_output=True, text=True, check=True).stdout
    assert told == "TableModel [] []\n"


def test_forged_table_models_are_refused(models, tmp_path):
    path = save(models["several"], tmp_path / "model.mercer")
    whole = taken_apart(path.read_bytes())
    for name in list(whole.tensors):
        parts = taken_apart(path.read_bytes())
        del parts.tensors[name]
        forged = tmp_path / "forged.mercer"
        forged.write_bytes(put_together(parts))
        with pytest.raises(ModelFileError):
            load(forged)
    for name in list(whole.tree["model"]):
        parts = taken_apart(path.read_bytes())
        parts.tree["model"][name] = [1]
        forged.write_bytes(put_together(parts))
        if name != "target":
            with pytest.raises(ModelFileError):
                load(forged)
