"""Models as files: safetensors with a JSON header. Loading one runs no code of the file's, and checks all that it says.

The header's metadata has, under "mercer", the version of the format, that of Mercer, the kind of model, and the model
as nodes (`nodes`), whose arrays are the tensors of the file.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from mercer.errors import ModelFileError, NumericsWarning, warn_user
from mercer.io.strict_json import parse_json
from mercer.io.table_models import is_table_model, read_table_model, write_table_model
from mercer.io.tensor_file import TensorFile, write_tensors

__all__ = ["FORMAT", "describe", "load", "save"]

#: The version of the format: that of a file that this version of Mercer cannot read is larger.
FORMAT = 1
_KEY = "mercer"
_ESTIMATOR, _TABLE_MODEL = "estimator", "table model"


def save(model: Any, path: str | os.PathLike[str]) -> Path:
    """Writes a model to a file, which `load` reads.

    The file is written beside its place and takes its name at the end, so that it is there as a whole or not at all.

    Parameters
    ----------
    model : estimator, Pipeline or TableModel
        Any estimator of Mercer's, fitted or not; pipelines of these and scikit-learn's plain transformers (scalers,
        imputers, encoders, ColumnTransformer, PCA …); a table's model. A certificate that was put off is worked out.
    path : str or path
        Where; the usual ending is `.mercer`.

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    ModelFileError
        For what a file cannot hold, which is code: kernels, metrics and scores that are functions, states of random
        numbers; and where the file cannot be written. A `callback` is left out, with a warning.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC
    >>> from mercer.io import load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save(SVC().fit(X, y), Path(folder) / "iris.mercer")
    ...     model = load(path)
    >>> model.score(X, y) > 0.9
    True
    """
    place = os.fsdecode(path)
    if is_table_model(model):
        told: dict[str, Any] = {"kind": _TABLE_MODEL}
        told["model"], tensors = write_table_model(model)
    else:
        from mercer.io.nodes import Writer
        from mercer.io.objects import write_object
        from mercer.io.versions import scikit_learn_version

        writer = Writer(write_object)
        told = {"kind": _ESTIMATOR, "scikit-learn": scikit_learn_version(), "model": writer.node(model, "")}
        if not isinstance(told["model"], dict) or "estimator" not in told["model"]:
            raise ModelFileError(f"Expected an estimator, a pipeline or a table's model, got {type(model).__name__}.")
        tensors = writer.tensors
        for sentence in writer.dropped:
            warn_user(NumericsWarning(sentence))
    text = json.dumps({"format": FORMAT, "mercer": _version(), **told}, allow_nan=False)
    write_tensors(place, tensors, {_KEY: text})
    return Path(place)


def load(path: str | os.PathLike[str], *, mapped: bool = False) -> Any:
    """Reads a model that `save` wrote.

    Every count, index, shape, dtype and version is checked before it is used, and nothing that a file says is run.

    Parameters
    ----------
    path : str or path
        Where it is.
    mapped : bool, default=False
        Whether arrays of numbers stay in the file: they are read-only and come into memory as they are used, shared by
        all processes that load the file. Support vectors are then looked through when they first predict. The file
        must stay as it is for as long as the model is used.

    Returns
    -------
    estimator, Pipeline or TableModel
        It predicts what the model that was saved did, bit by bit.

    Raises
    ------
    ModelFileError
        For a file that is no model, is damaged, forged or cut short, or comes from a newer version of Mercer.
    """
    place = os.fsdecode(path)
    file, tensors = TensorFile.open_and_read(place, bool(mapped))
    told = _told(file)
    try:
        return _read(place, told, tensors)
    except ModelFileError as error:
        raise _damaged(place, told, str(error)) from error
    except Exception as error:  # whatever it is comes of what the file says
        raise _damaged(place, told, f"{type(error).__name__}: {error}") from error


def _damaged(place: str, told: dict[str, Any], reason: str) -> ModelFileError:
    from mercer.io.versions import other_version

    return ModelFileError(f"{place} is damaged, or no model that Mercer wrote: {reason}{other_version(told)}")


def _read(place: str, told: dict[str, Any], tensors: dict[str, Any]) -> Any:
    if told["kind"] == _TABLE_MODEL:
        return read_table_model(told["model"], tensors)
    from mercer.io.nodes import Reader
    from mercer.io.objects import read_object
    from mercer.io.versions import check_scikit_learn

    reader = Reader(tensors, read_object)
    node = told["model"]
    if not isinstance(node, dict) or "estimator" not in node:
        raise ModelFileError("expected an estimator.")
    model = reader.value(node)
    if reader.unused():
        raise ModelFileError(f"expected no arrays but its own, got {sorted(reader.unused())[:5]} as well.")
    if reader.has_foreign:
        check_scikit_learn(place, told.get("scikit-learn"))
    return model


def describe(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a model file holds, from its header alone.

    Parameters
    ----------
    path : str or path
        Where it is.

    Returns
    -------
    dict
        "kind" ("estimator" or "table model"), "format" and "mercer" (versions), "bytes", "arrays" (dtype and shape by
        name), and, of estimators, "estimator", "parameters" and "attributes", with "steps" of a pipeline; of a table's
        model, "model", the dict that it is made of.
    """
    place = os.fsdecode(path)
    file = TensorFile.open(place)
    told = _told(file)
    found: dict[str, Any] = {name: told[name] for name in ("kind", "format", "mercer", "scikit-learn") if name in told}
    found["bytes"] = file.size
    if told["kind"] == _ESTIMATOR:
        from mercer.io.descriptions import described

        found |= described(told["model"])
    else:
        found["model"] = told["model"]
    found["arrays"] = {
        name: {"dtype": tensor.dtype_name, "shape": list(tensor.shape)} for name, tensor in file.tensors.items()
    }
    return found


def _told(file: TensorFile) -> dict[str, Any]:
    """What the metadata says, its version and kind checked."""
    if _KEY not in file.metadata:
        raise ModelFileError(f"{file.path}: expected a model that mercer.save wrote, got other tensors of safetensors.")
    told = parse_json(file.metadata[_KEY], f"The header of {file.path}")
    if not isinstance(told, dict) or not {"format", "mercer", "kind", "model"} <= set(told):
        raise ModelFileError(f"{file.path} is damaged: expected the format, version, kind and model in its header.")
    version, writer = told["format"], told["mercer"]
    if type(version) is not int or version < 1 or not isinstance(writer, str):
        raise ModelFileError(f"{file.path} is damaged: expected the number of its format, got {version!r}.")
    if version > FORMAT:
        raise ModelFileError(
            f"{file.path} was written by Mercer {writer[:40]} in format {version}; this is Mercer {_version()}, which "
            f"reads formats up to {FORMAT}. Upgrade it: pip install --upgrade mercer"
        )
    if told["kind"] not in (_ESTIMATOR, _TABLE_MODEL):
        raise ModelFileError(f"{file.path} is damaged: expected the kind of its model, got {told['kind']!r}.")
    return told


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mercer")
    except PackageNotFoundError:
        return "unknown"
