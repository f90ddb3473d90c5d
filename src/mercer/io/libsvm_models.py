"""LIBSVM model files both ways: all five problems, all kernels, probabilities.

`libsvm_header` and `libsvm_vectors` read a file's text, strictly; `libsvm_writing` writes it; `libsvm_order` leads from
LIBSVM's order of classes to Mercer's and back. `libsvm_model` is the model as a machine, `libsvm_queries` evaluates it
at rows of any number of features, `libsvm_coupling` combines probabilities as LIBSVM does. `libsvm_export` makes models
of fitted estimators, `libsvm_estimators` estimators of models, and `libsvm_training_rows` looks for their rows.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mercer.io.libsvm_header import LibsvmProblem, ModelFileError
from mercer.io.libsvm_model import LibsvmModel
from mercer.io.libsvm_vectors import read_model_text
from mercer.io.libsvm_writing import write_model_text

__all__ = ["LibsvmModel", "LibsvmProblem", "ModelFileError", "load_libsvm_model", "save_libsvm_model"]


def load_libsvm_model(path: str | os.PathLike[str]) -> LibsvmModel:
    """Reads a model file of LIBSVM's `svm-train`, or of anybody who writes its format.

    Every count, label, index and number is checked: a file that is cut off or was changed is refused with its line, and
    nothing is made as large as a count says.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    LibsvmModel
        Its `predict`, `decision_values` and `probabilities` are those of `svm-predict`; `to_estimator` makes an
        estimator of it, and `certify` proves how far from the optimum it is.

    Examples
    --------
    >>> import mercer, tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from mercer.io.libsvm_models import load_libsvm_model, save_libsvm_model
    >>> X, y = load_iris(return_X_y=True)
    >>> path = save_libsvm_model(mercer.SVC(C=10.0).fit(X, y), Path(tempfile.mkdtemp()) / "iris.model")
    >>> model = load_libsvm_model(path)
    >>> model.problem.value, model.labels, model.predict(X[:3]).tolist()
    ('c_svc', (0, 1, 2), [0.0, 0.0, 0.0])
    """
    return LibsvmModel.of_text(read_model_text(Path(path).read_bytes(), str(path)))


def save_libsvm_model(
    model: Any,
    path: str | os.PathLike[str],
    *,
    problem: str | LibsvmProblem | None = None,
    probabilities: bool | None = None,
) -> Path:
    """Writes a model file that LIBSVM's `svm-predict` reads, and predicts the same by.

    Parameters
    ----------
    model : estimator, machine or LibsvmModel
        A fitted `SVC`, `NuSVC`, `SVR`, `NuSVR` or `OneClassSVM` of mercer or of sklearn.svm, or its machine. Kernels
        that LIBSVM does not have, and labels that are no whole numbers, are refused.
    path : str or path
        The file, which is replaced where there is one.
    problem : str, optional
        What a machine is for, as LIBSVM calls it: of a machine of one function 'epsilon_svr', 'nu_svr' or 'one_class'
        has to be told.
    probabilities : bool, optional
        Whether to write the sigmoids of classes; as a default, where there are some. True also writes the marks of one
        class, which LIBSVM reads since its release 3.3; older ones refuse a file that has them.

    Returns
    -------
    Path
        That of the file.
    """
    from mercer.io.libsvm_export import libsvm_model_of

    asked = None if problem is None else LibsvmProblem(problem)
    return write_model_text(libsvm_model_of(model, asked, probabilities).text(), path)
