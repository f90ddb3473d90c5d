"""Pipelines of Mercer's machines and scikit-learn's plain transformers, and searches, as files."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import preprocessing as pre
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_selection import VarianceThreshold
from sklearn.gaussian_process import kernels as theirs
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import FeatureUnion, make_pipeline

from mercer import (
    RBF,
    SVC,
    SVR,
    GaussianProcessClassifier,
    GaussianProcessRegressor,
    GridSearchCV,
    KernelRidge,
    KNeighborsClassifier,
    KNNImputer,
    LinearSVC,
    Nystroem,
    Polynomial,
    TunedSVC,
    TunedSVR,
)
from mercer.errors import ModelFileError
from mercer.io import describe, load, save
from tests.reference.sameness import answers_of, difference, difference_of_models

X, Y = load_iris(return_X_y=True)


def check_file(model, X, path):
    save(model, path)
    others = load(path), load(path, mapped=True)
    for other in others:
        assert difference_of_models(model, other) is None
    for other in others:
        assert difference(answers_of(model, X), answers_of(other, X)) is None


TRANSFORMERS = [
    pre.StandardScaler(),
    pre.StandardScaler(with_mean=False, with_std=False),
    pre.MinMaxScaler((-1, 1), clip=True),
    pre.MaxAbsScaler(),
    pre.RobustScaler(),
    pre.RobustScaler(with_centering=False, with_scaling=False),
    pre.Normalizer(),
    pre.PowerTransformer(),
    pre.QuantileTransformer(n_quantiles=20),
    pre.PolynomialFeatures(2),
    pre.FunctionTransformer(),
    pre.OneHotEncoder(handle_unknown="ignore"),
    pre.OneHotEncoder(drop="if_binary", sparse_output=False, dtype=np.float32),
    pre.OneHotEncoder(min_frequency=0.1, handle_unknown="infrequent_if_exist"),
    pre.OrdinalEncoder(),
    SimpleImputer(),
    SimpleImputer(strategy="most_frequent", add_indicator=True),
    SimpleImputer(strategy="constant", fill_value=-1.5),
    MissingIndicator(features="all"),
    PCA(2),
    PCA(0.9, whiten=True),
    TruncatedSVD(2, random_state=0),
    VarianceThreshold(0.1),
    KNNImputer(add_indicator=True),
    Nystroem(RBF(0.5), n_components=5, random_state=0),
]


@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=repr)
def test_plain_transformers(transformer, tmp_path):
    given = X.copy()
    if "Imputer" in repr(transformer) or "Missing" in repr(transformer):
        given[::7, 1] = np.nan
    check_file(transformer.fit(given), given, tmp_path / "model.mercer")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pipeline_of_scaler_and_machine(dtype, tmp_path):
    model = make_pipeline(pre.StandardScaler(), Nystroem(n_components=9, random_state=0), LinearSVC()).fit(
        X.astype(dtype), Y
    )
    check_file(model, X.astype(dtype), tmp_path / "model.mercer")
    told = describe(tmp_path / "model.mercer")
    assert [step["estimator"] for step in told["steps"]] == ["StandardScaler", "Nystroem", "LinearSVC"]
    assert told["steps"][1]["parameters"]["n_components"] == 9


def people(rows=60):
    random = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": random.normal(40, 9, rows),
            "town": random.choice(["Oslo", "Łódź", "東京", None], rows),
            "size": random.choice([1, 2, 3], rows),
            "left": random.normal(size=rows),
        }
    )
    frame.loc[::9, "age"] = np.nan
    return frame, np.where(random.random(rows) < 0.5, "yes", "no")


COLUMNS = [
    ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(add_indicator=True), pre.StandardScaler()), ["age", "size"]),
            ("words", pre.OneHotEncoder(handle_unknown="ignore"), ["town"]),
            ("gone", "drop", ["left"]),
        ]
    ),
    ColumnTransformer(
        [
            ("numbers", SimpleImputer(strategy="median"), make_column_selector(dtype_include=np.number)),
            ("words", pre.OrdinalEncoder(encoded_missing_value=-1), make_column_selector(dtype_exclude="number")),
        ]
    ),
    ColumnTransformer([("numbers", SimpleImputer(), [0, 2])], remainder="drop"),
    ColumnTransformer([("numbers", SimpleImputer(), slice(2, 4))], remainder="passthrough"),
    ColumnTransformer(
        [("words", pre.OneHotEncoder(), ["town"]), ("age", SimpleImputer(), ["age"])], remainder=pre.MinMaxScaler()
    ),
]


@pytest.mark.parametrize("columns", COLUMNS, ids=range(len(COLUMNS)))
def test_pipeline_of_a_frame(columns, tmp_path):
    frame, y = people()
    given = (
        frame.drop(columns=["town"]).join(frame["size"].rename("again"))
        if columns.remainder == "passthrough"
        else frame
    )
    if columns.remainder == "passthrough":
        given = given.fillna(0.0)
    model = make_pipeline(columns, KNeighborsClassifier(3)).fit(given, y)
    check_file(model, given, tmp_path / "model.mercer")
    np.testing.assert_array_equal(load(tmp_path / "model.mercer").predict(given.iloc[::-1]), model.predict(given)[::-1])


def test_output_as_a_frame_is_kept(tmp_path):
    frame, _ = people()
    scaler = pre.StandardScaler().set_output(transform="pandas").fit(frame[["age", "size"]])
    save(scaler, tmp_path / "scaler.mercer")
    pd.testing.assert_frame_equal(
        load(tmp_path / "scaler.mercer").transform(frame[["age", "size"]]), scaler.transform(frame[["age", "size"]])
    )


def test_targets_that_are_transformed(tmp_path):
    model = TransformedTargetRegressor(SVR(), transformer=pre.StandardScaler()).fit(X[:, :3], X[:, 3])
    check_file(model, X[:, :3], tmp_path / "model.mercer")


SEARCHES = [
    GridSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=3),
    GridSearchCV(
        make_pipeline(pre.StandardScaler(), SVC()),
        {"svc__C": [1, 10], "svc__gamma": ["scale", 0.1]},
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
        scoring="balanced_accuracy",
    ),
    GridSearchCV(
        SVC(), {"kernel": [RBF(0.1), Polynomial(2)]}, cv=3, scoring=["accuracy", "f1_macro"], refit="accuracy"
    ),
    GridSearchCV(SVC(), [{"kernel": ["linear"], "C": [1]}, {"kernel": ["rbf"], "gamma": [0.1, 1]}], cv=3, refit=False),
    GridSearchCV(LinearSVC(), {"C": [0.1, 1.0]}, cv=3),
    GridSearchCV(SVR(), {"C": [0.1, 1.0]}, cv=KFold(3), refit="one_se"),
    TunedSVC(C=[0.1, 1.0], gamma=[0.1], cv=3),
    TunedSVC(C=[1.0], gamma=[0.1, 1.0], cv=3, conformal="cv+", probability=True),
    TunedSVC(C=[1.0], gamma=[0.1, 1.0], cv=3, conformal="cv", multi_class="ovr"),
    TunedSVC(C=[1.0], gamma=[0.1, 1.0], cv=3, conformal="split", scale=False),
    TunedSVR(C=[1.0], gamma=[0.1], epsilon=[0.1, 0.2], cv=3, conformal="cv+"),
    TunedSVR(C=[1.0], gamma=[0.1], epsilon=[0.1, 0.2], cv=3, conformal="split"),
]


@pytest.mark.parametrize("search", SEARCHES, ids=range(len(SEARCHES)))
@pytest.mark.filterwarnings("ignore")
def test_searches(search, tmp_path):
    check_file(search.fit(X, Y), X, tmp_path / "model.mercer")


@pytest.mark.filterwarnings("ignore")
def test_search_of_sparse_rows(tmp_path):
    given = sp.csr_matrix(np.where(X > 2, X, 0))
    check_file(TunedSVC(C=[1.0], gamma=[0.1], cv=3).fit(given, Y), given, tmp_path / "model.mercer")


PROCESSES = [
    GaussianProcessRegressor(theirs.RBF(1.0) + theirs.WhiteKernel(0.1), random_state=0),
    GaussianProcessRegressor(theirs.ConstantKernel(2.0) * theirs.Matern([1.0] * 4, nu=2.5), alpha=0.1, optimizer=None),
    GaussianProcessClassifier(theirs.RBF(1.0), optimizer=None),
]


@pytest.mark.parametrize("model", PROCESSES, ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_kernels_of_scikit_learn(model, tmp_path):
    check_file(model.fit(X[::3], Y[::3]), X, tmp_path / "model.mercer")


def test_pairwise_kernels_of_scikit_learn(tmp_path):
    check_file(KernelRidge(kernel="chi2", gamma=0.3).fit(X, Y), X, tmp_path / "model.mercer")


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (make_pipeline(pre.FunctionTransformer(np.log1p), SVC()), "steps.0.1.func"),
        (FeatureUnion([("pca", PCA())]), "FeatureUnion"),
        (GridSearchCV(SVC(), {"C": [1.0]}, cv=3, scoring=lambda model, X, y: 1.0), "scoring.*by its name"),
    ],
)
def test_code_is_refused(model, told, tmp_path):
    with pytest.raises(ModelFileError, match=told):
        save(model.fit(X, Y), tmp_path / "model.mercer")
    assert not list(tmp_path.iterdir())
