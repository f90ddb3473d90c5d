"""LIBSVM model files: what LIBSVM's own programs wrote is read, predicted by as they do, and written back."""

import subprocess

import numpy as np
import pytest
from sklearn import svm
from sklearn.datasets import load_diabetes, load_svmlight_file, load_wine
from sklearn.linear_model import LogisticRegression

import mercer
from mercer.errors import InputError, NumericsWarning, ParameterError
from mercer.io.libsvm_models import LibsvmModel, LibsvmProblem, load_libsvm_model, save_libsvm_model
from mercer.kernels import RBF, Laplacian, Linear
from tests.io.libsvm_files import FOLDER, HAS_LIBSVM, NAMES, data_of, has_probabilities, read_values

# svm-predict writes probabilities with six digits.
SIX_DIGITS = 1e-6
# Sums in another order than LIBSVM's.
ROUNDING = 1e-12
# LIBSVM solves to its tolerance of 1e-3, which leaves less than this of the objective.
LIBSVM_GAP = 5e-3

needs_libsvm = pytest.mark.skipif(not HAS_LIBSVM, reason="libsvm-tools are not installed")


def read_rows(name, features=None):
    """The rows of a data file, a column for each index from one on; of kernel values without their serial numbers."""
    X, y = load_svmlight_file(str(FOLDER / name), n_features=features, zero_based="kernel" in name)
    return (X[:, 1:] if "kernel" in name else X), y


def naive_decisions(path, X):
    """Decision values of a model file, number by number: LIBSVM's definition, and a reader that trusts its input."""
    head, _, tail = path.read_text().partition("SV\n")
    header = {line.split()[0]: line.split()[1:] for line in head.splitlines()}
    counts = [int(word) for word in header.get("nr_sv", [header["total_sv"][0]])]
    rho = [float(word) for word in header["rho"]]
    classes = int(header["nr_class"][0])
    lines = [line.split() for line in tail.splitlines()]
    coefs = [[float(word) for word in line[: classes - 1]] for line in lines]
    vectors = [dict(pair.split(":") for pair in line[classes - 1 :]) for line in lines]
    gamma, coef0 = (float(header.get(key, ["0"])[0]) for key in ("gamma", "coef0"))

    def kernel(x, vector):
        if header["kernel_type"] == ["precomputed"]:
            return x[int(vector["0"]) - 1]
        z = np.zeros(len(x))
        for index, value in vector.items():
            z[int(index) - 1] = float(value)
        return {
            "linear": lambda: x @ z,
            "polynomial": lambda: (gamma * (x @ z) + coef0) ** int(header["degree"][0]),
            "rbf": lambda: np.exp(-gamma * ((x - z) ** 2).sum()),
            "sigmoid": lambda: np.tanh(gamma * (x @ z) + coef0),
        }[header["kernel_type"][0]]()

    rows = []
    for x in X.toarray():
        k = [kernel(x, vector) for vector in vectors]
        if "nr_sv" not in header:
            rows.append([sum(c[0] * v for c, v in zip(coefs, k, strict=True)) - rho[0]])
            continue
        starts = np.concatenate([[0], np.cumsum(counts)])
        row = []
        for i in range(classes):
            for j in range(i + 1, classes):
                own = sum(coefs[n][j - 1] * k[n] for n in range(starts[i], starts[i + 1]))
                other = sum(coefs[n][i] * k[n] for n in range(starts[j], starts[j + 1]))
                row.append(own + other - rho[len(row)])
        rows.append(row)
    return np.array(rows)


# ---------------------------------------------------------------- reading


@pytest.mark.parametrize("name", NAMES)
def test_model_decides_as_libsvm_defines_it(name):
    X, _ = read_rows(data_of(name)[1])
    model = load_libsvm_model(FOLDER / f"{name}.model")
    np.testing.assert_allclose(
        model.decision_values(X), naive_decisions(FOLDER / f"{name}.model", X), rtol=0, atol=ROUNDING
    )


@pytest.mark.parametrize("name", NAMES)
def test_model_predicts_what_svm_predict_wrote(name):
    X, _ = read_rows(data_of(name)[1])
    predicted = load_libsvm_model(FOLDER / f"{name}.model").predict(X)
    np.testing.assert_allclose(predicted, read_values(FOLDER / f"{name}.out")[:, 0], rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("name", [*filter(has_probabilities, NAMES), "one_class-marks"])
def test_model_has_the_probabilities_that_svm_predict_wrote(name):
    X, _ = read_rows("classes.test" if name == "one_class-marks" else data_of(name)[1])
    model = load_libsvm_model(FOLDER / f"{name}.model")
    written = read_values(FOLDER / f"{name}.prob")
    np.testing.assert_allclose(model.probabilities(X), written[:, 1:], rtol=0, atol=SIX_DIGITS)


@pytest.mark.parametrize("name", [*NAMES, "one_class-marks"])
def test_model_is_written_back_byte_by_byte(name, tmp_path):
    written = FOLDER / f"{name}.model"
    save_libsvm_model(load_libsvm_model(written), tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == written.read_bytes()


def test_labels_keep_their_order():
    labels = {name: load_libsvm_model(FOLDER / f"{name}.model").labels for name in NAMES if name.startswith("order")}
    assert labels == {"order-ascending": (2, 5), "order-descending": (5, 2), "order-signs": (1, -1)}
    assert load_libsvm_model(FOLDER / "c_svc-rbf.model").machine.classes.tolist() == [-3, 2, 7]


def test_regression_tells_the_size_of_its_errors():
    model = load_libsvm_model(FOLDER / "epsilon_svr-rbf.model")
    assert model.noise.scale == model.prob_a[0] > 0
    with pytest.raises(InputError, match="expected a classification or one class"):
        model.probabilities(np.zeros((1, 4)))


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf", "sigmoid"])
def test_features_beyond_those_of_the_support_vectors_count_as_in_libsvm(kernel):
    path = FOLDER / f"c_svc-{kernel}.model"
    X, _ = read_rows("classes.test")
    assert X.shape[1] > load_libsvm_model(path).machine.n_features
    found = load_libsvm_model(path).decision_values(X)
    np.testing.assert_allclose(found, load_libsvm_model(path).decision_values(X.toarray()), rtol=0, atol=ROUNDING)
    fewer = X[:, :2]
    padded = np.hstack([fewer.toarray(), np.zeros((X.shape[0], 2))])
    np.testing.assert_allclose(
        load_libsvm_model(path).decision_values(fewer), naive_decisions(path, _sparse(padded)), rtol=0, atol=ROUNDING
    )


def _sparse(X):
    from scipy.sparse import csr_matrix

    return csr_matrix(X)


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "rbf", "sigmoid"])
def test_largest_index_takes_no_memory(kernel, tmp_path):
    path = tmp_path / "wide"
    text = (FOLDER / f"c_svc-{kernel}.model").read_text()
    lines = text.splitlines()
    lines[-1] += "2147483647:0.5 "
    path.write_text("\n".join(lines) + "\n")
    wide, plain = load_libsvm_model(path), load_libsvm_model(FOLDER / f"c_svc-{kernel}.model")
    X, _ = read_rows("classes.test")
    assert wide.machine.n_features == 2**31 - 1
    difference = wide.decision_values(X) - plain.decision_values(X)
    if kernel == "rbf":
        assert 0 < np.abs(difference).max() < 1
    else:
        np.testing.assert_allclose(difference, 0, atol=ROUNDING)


def test_features_with_index_zero_are_kept(tmp_path):
    path = tmp_path / "zero"
    path.write_text("svm_type epsilon_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0.5\nSV\n2 0:3 1:4 \n")
    model = load_libsvm_model(path)
    assert model.first_index == 0
    assert model.predict([[1.0, 1.0]]).tolist() == [13.5]
    save_libsvm_model(model, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    later = load_libsvm_model(FOLDER / "c_svc-rbf.model")
    X = np.random.RandomState(0).randn(5, 4)
    moved = np.hstack([np.zeros((5, 1)), X])
    np.testing.assert_array_equal(later.from_index_zero().decision_values(moved), later.decision_values(X))


def test_single_class_is_always_predicted(tmp_path):
    path = tmp_path / "one"
    path.write_text("svm_type c_svc\nkernel_type linear\nnr_class 1\ntotal_sv 0\nrho\nlabel 5\nnr_sv 0\nSV\n")
    model = load_libsvm_model(path)
    assert model.predict(np.zeros((3, 2))).tolist() == [5, 5, 5]
    with pytest.raises(InputError, match="two classes or more"):
        model.to_estimator()
    save_libsvm_model(model, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


# ---------------------------------------------------------------- estimators of models

TOLD = {"c_svc": {"C": 2.0}, "nu_svc": {"nu": 0.4}, "one_class": {"nu": 0.4}}
TOLD |= {"epsilon_svr": {"C": 2.0, "epsilon": 0.1}, "nu_svr": {"C": 2.0, "nu": 0.4}}
# How Debian's svm-train, which wrote the files, keeps what it is told.
KEPT = {problem: {name: float(np.float32(value)) for name, value in told.items()} for problem, told in TOLD.items()}


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("order")])
def test_model_as_an_estimator_predicts_and_is_certified(name):
    X, y = read_rows(data_of(name)[0])
    X = X.toarray()
    model = load_libsvm_model(FOLDER / f"{name}.model")
    problem = name.split("-")[0]
    estimator = model.to_estimator(X, y, **KEPT[problem])
    np.testing.assert_allclose(np.ravel(estimator.predict(X)), model.predict(X), rtol=0, atol=ROUNDING)
    if model.problem.is_classification:
        exact = estimator.predict_proba(X)
        theirs = model.probabilities(X)[:, np.argsort(model.labels)]
        np.testing.assert_allclose(exact, theirs, rtol=0, atol=0.01)  # where LIBSVM's iteration stops
    certificate = mercer.certify(estimator, X, None if name.startswith("one") else y)
    assert certificate.violation < 2e-3
    if certificate.convex is not False:
        # Objectives of a linear one-class machine are next to zero: a violation of `tol` costs no more than this.
        assert certificate.relative_gap < LIBSVM_GAP or certificate.gap < 1e-3 * np.abs(model.machine.dual_coef).sum()
    as_told = model.certify(X, y, **TOLD[problem])
    assert as_told.violation == pytest.approx(certificate.violation, abs=1e-6)
    assert max(as_told.feasibility_residuals.values()) < 1e-7


def test_certificate_needs_what_the_file_does_not_hold():
    X, y = read_rows("classes.train")
    model = load_libsvm_model(FOLDER / "c_svc-rbf.model")
    with pytest.raises(ParameterError, match=r"expected C, which c_svc was trained with.*largest coefficient is 2"):
        model.certify(X, y)
    with pytest.raises(InputError, match="expected the rows that the model was trained on"):
        model.certify(X[::-1] * 2, y, C=2.0)
    assert model.certify(X, y, C=1.0).feasibility_residuals["box"] > 0.4


def test_training_rows_with_more_digits_than_libsvm_writes_are_found(random):
    X, y = random.normal(size=(60, 3)), np.repeat([1, -1], 30)
    X[y == 1] += 1
    text = save_and_read(mercer.SVC(C=3.0, gamma=0.5).fit(X, y))
    lines = [" ".join(_eight_digits(word) for word in line.split()) for line in text.splitlines()]
    model = LibsvmModel.of_text(_text_of("\n".join(lines)))
    written = model.machine.support_vectors.toarray()
    assert not np.isin(written, X).any()
    assert model.certify(X, y, C=3.0).relative_gap < LIBSVM_GAP
    assert model.to_estimator(X, y, C=3.0).support_.tolist() == mercer.SVC(C=3.0, gamma=0.5).fit(X, y).support_.tolist()


def _eight_digits(word):
    index, colon, value = word.partition(":")
    return f"{index}:{float(value):.8g}" if colon else word


def _text_of(text):
    from mercer.io.libsvm_vectors import read_model_text

    return read_model_text(text.encode(), "model")


def save_and_read(model, **options):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        return save_libsvm_model(model, Path(folder) / "model", **options).read_text()


def test_equal_training_rows_are_taken_once_each():
    X = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    y = np.array([1, 1, 1, 2, 2, 2])
    fitted = svm.SVC(C=0.1, kernel="linear").fit(X, y)
    model = LibsvmModel.of_text(_text_of(save_and_read(fitted)))
    support = model.to_estimator(X, y, C=0.1).support_
    assert len(set(support.tolist())) == len(support) == 6
    assert model.certify(X, y, C=0.1).relative_gap < LIBSVM_GAP


# ---------------------------------------------------------------- models of estimators


def _wine(labels=(7, -3, 2)):
    X, y = load_wine(return_X_y=True)
    order = np.random.RandomState(0).permutation(len(y))
    return ((X - X.mean(axis=0)) / X.std(axis=0))[order], np.array(labels)[y][order]


def _fitted(library):
    X, y = _wine()
    two = y != 7
    Xr, yr = load_diabetes(return_X_y=True)
    kernels = [
        *({"kernel": "linear"}, {"kernel": "poly", "degree": 2, "coef0": 1.0}),
        *({"kernel": "rbf"}, {"kernel": "sigmoid", "gamma": 0.02}),
    ]
    yield from ((library.SVC(**kernel).fit(X, y), X, y) for kernel in kernels)
    yield library.SVC(gamma=0.1).fit(X[two], y[two]), X[two], y[two]
    yield library.SVC(kernel="precomputed").fit(X @ X.T, y), X @ X.T, y
    yield library.NuSVC(nu=0.2).fit(X, y), X, y
    yield library.OneClassSVM(nu=0.3).fit(X), X, y
    yield library.SVR(C=50.0).fit(Xr, yr), Xr, yr
    yield library.NuSVR(C=50.0).fit(Xr, yr), Xr, yr


@pytest.mark.parametrize("library", [mercer, svm], ids=["mercer", "sklearn"])
def test_saved_estimator_predicts_the_same_after_loading(library, tmp_path):
    for fitted, X, _ in _fitted(library):
        model = load_libsvm_model(save_libsvm_model(fitted, tmp_path / "model"))
        scale = max(1.0, float(np.abs(fitted.predict(X)).max()))
        np.testing.assert_allclose(model.predict(X), fitted.predict(X), rtol=0, atol=1e-10 * scale)


@needs_libsvm
@pytest.mark.parametrize("library", [mercer, svm], ids=["mercer", "sklearn"])
def test_svm_predict_reads_saved_estimators_and_predicts_the_same(library, tmp_path):
    for fitted, X, y in _fitted(library):
        rows = tmp_path / "rows"
        _write_rows(rows, X, y, is_kernel=fitted.kernel == "precomputed")
        model = save_libsvm_model(fitted, tmp_path / "model")
        subprocess.run(["svm-predict", rows, model, tmp_path / "out"], check=True, capture_output=True)
        scale = max(1.0, float(np.abs(fitted.predict(X)).max()))
        found = read_values(tmp_path / "out")[:, 0]
        np.testing.assert_allclose(found, fitted.predict(X), rtol=0, atol=1e-10 * scale)


def _write_rows(path, X, y, is_kernel=False):
    lines = []
    for serial, (row, target) in enumerate(zip(X, y, strict=True), start=1):
        first = [f"0:{serial}"] if is_kernel else []
        lines.append(
            " ".join([repr(float(target)), *first, *(f"{j + 1}:{value!r}" for j, value in enumerate(row.tolist()))])
        )
    path.write_text("\n".join(lines) + "\n")


@needs_libsvm
@pytest.mark.parametrize("labels", [(7, -3, 2), (1, 1, -1), (2, 5, 5)])
def test_svm_predict_has_the_probabilities_of_saved_classifiers(labels, tmp_path):
    X, y = _wine(labels)
    fitted = mercer.SVC(probability=True, predict_by="probability", gamma=0.05).fit(X, y)
    model = save_libsvm_model(fitted, tmp_path / "model")
    _write_rows(tmp_path / "rows", X, y)
    words = ["svm-predict", "-b", "1", tmp_path / "rows", model, tmp_path / "out"]
    subprocess.run(words, check=True, capture_output=True)
    found = read_values(tmp_path / "out")
    loaded = load_libsvm_model(model)
    np.testing.assert_allclose(loaded.probabilities(X), found[:, 1:], rtol=0, atol=SIX_DIGITS)
    exact = fitted.predict_proba(X)[:, np.searchsorted(fitted.classes_, loaded.labels)]
    np.testing.assert_allclose(exact, found[:, 1:], rtol=0, atol=0.005 if len(set(labels)) == 3 else SIX_DIGITS)
    assert (found[:, 0] == fitted.predict(X)).mean() > 0.99


@pytest.mark.filterwarnings("ignore:.*probability.*:FutureWarning")
@pytest.mark.parametrize("labels", [(7, -3, 2), (2, 5, 5), (-1, 1, 1), ("10", "9", "-1")])
def test_probabilities_of_sklearn_are_kept(labels, tmp_path):
    X, y = _wine(labels)
    fitted = svm.SVC(probability=True, random_state=0).fit(X, y)
    loaded = load_libsvm_model(save_libsvm_model(fitted, tmp_path / "model"))
    places = [fitted.classes_.tolist().index(type(labels[0])(label)) for label in loaded.labels]
    # scikit-learn's LIBSVM iterates for two classes too, and stops at 0.005 of an even share.
    stop = 0.0025 if len(places) == 2 else SIX_DIGITS
    np.testing.assert_allclose(loaded.probabilities(X), fitted.predict_proba(X)[:, places], rtol=0, atol=stop)


def test_temperature_is_a_sigmoid(tmp_path):
    X, y = _wine()
    fitted = mercer.SVC(probability="temperature").fit(X, y)
    loaded = load_libsvm_model(save_libsvm_model(fitted, tmp_path / "model"))
    np.testing.assert_allclose(loaded.calibration(fitted.decision_function(X) * 0 + 1.0).sum(axis=1), 1.0)
    np.testing.assert_allclose(-loaded.prob_a, fitted.calibration_.inverse)


def test_probabilities_of_one_class_are_written_where_asked(tmp_path):
    X, _ = _wine()
    fitted = mercer.OneClassSVM(nu=0.3).fit(X)
    assert not load_libsvm_model(save_libsvm_model(fitted, tmp_path / "model")).has_probabilities
    loaded = load_libsvm_model(save_libsvm_model(fitted, tmp_path / "model", probabilities=True))
    np.testing.assert_array_equal(loaded.probabilities(X)[:, 0], fitted.inlier_probability(X))


@pytest.mark.parametrize("labels", [("10", "9", "-1"), ("2", "10", "2")])
def test_words_that_are_numbers_become_numbers(labels, tmp_path):
    X, y = _wine(labels)
    fitted = mercer.SVC(probability=True).fit(X, y)
    loaded = load_libsvm_model(save_libsvm_model(fitted, tmp_path / "model"))
    assert loaded.predict(X).tolist() == [float(word) for word in fitted.predict(X)]
    places = [fitted.classes_.tolist().index(str(label)) for label in loaded.labels]
    np.testing.assert_allclose(loaded.probabilities(X), fitted.predict_proba(X)[:, places], rtol=0, atol=0.01)


def test_machine_is_saved_for_the_problem_that_is_told(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    machine = mercer.SVR().fit(X, y)._machine
    with pytest.raises(ParameterError, match="expected 'epsilon_svr', 'nu_svr' or 'one_class'"):
        save_libsvm_model(machine, tmp_path / "model")
    assert not (tmp_path / "model").exists()
    saved = save_libsvm_model(machine, tmp_path / "model", problem="nu_svr")
    assert load_libsvm_model(saved).problem is LibsvmProblem.NU_SVR
    classifier = mercer.SVC().fit(*_wine())._machine
    assert load_libsvm_model(save_libsvm_model(classifier, tmp_path / "model")).problem is LibsvmProblem.C_SVC
    with pytest.raises(ParameterError, match="expected c_svc or nu_svc"):
        save_libsvm_model(classifier, tmp_path / "model", problem="nu_svr")


@pytest.mark.parametrize(
    ("model", "labels", "message"),
    [
        (mercer.SVC(kernel="laplacian"), (7, -3, 2), "LIBSVM has no kernel Laplacian"),
        (mercer.SVC(kernel=RBF(0.1) + Linear()), (7, -3, 2), "LIBSVM has no kernel"),
        (mercer.SVC(kernel=RBF(gamma=[0.1] * 13)), (7, -3, 2), "one gamma for all features"),
        (mercer.SVC(kernel=lambda X, Z: X @ Z.T), (7, -3, 2), "Precomputed"),
        (mercer.SVC(), ("red", "rosé", "white"), "whole numbers of 32 bits.*got 'red'"),
        (mercer.SVC(), ("1", "01", "2"), "different whole numbers"),
        (mercer.SVC(), (1, 2**40, 3), "of 32 bits"),
        (mercer.SVC(multi_class="ovr"), (7, -3, 2), "multi_class='ovo'"),
        (mercer.SVC(probability="isotonic"), (7, -3, 2), "expected sigmoids"),
        (mercer.LinearSVC(), (7, -3, 2), "kernel='linear'"),
        (LogisticRegression(), (7, -3, 2), "got LogisticRegression"),
    ],
)
def test_what_libsvm_cannot_express_is_refused(model, labels, message, tmp_path):
    X, y = _wine(labels)
    with pytest.raises((InputError, ParameterError), match=message):
        save_libsvm_model(model.fit(X, y), tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_fractions_are_no_labels(tmp_path):
    machine = mercer.SVC().fit(*_wine())._machine
    from dataclasses import replace

    with pytest.raises(InputError, match=r"got 0\.5"):
        save_libsvm_model(replace(machine, classes=np.array([0.5, 1.0, 2.0])), tmp_path / "model")


def test_machine_that_needs_more_than_float64_warns(tmp_path):
    from dataclasses import replace

    machine = replace(mercer.SVC().fit(*_wine())._machine, is_precise=True)
    with pytest.warns(NumericsWarning, match="LIBSVM will predict other values"):
        save_libsvm_model(machine, tmp_path / "model")


def test_file_is_replaced_whole_or_not_at_all(tmp_path):
    path = tmp_path / "model"
    path.write_text("before")
    with pytest.raises(ParameterError):
        save_libsvm_model(mercer.SVC(kernel=Laplacian(0.1)).fit(*_wine()), path)
    assert path.read_text() == "before"
    save_libsvm_model(mercer.SVC().fit(*_wine()), path)
    assert load_libsvm_model(path).labels == (-3, 2, 7)
    assert [one.name for one in tmp_path.iterdir()] == ["model"]
