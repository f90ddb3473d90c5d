"""Sample findings, each made once."""

import pytest

from mercer.report import write_report
from tests.report import samples


@pytest.fixture(scope="session")
def two_classes():
    return samples.two_classes()


@pytest.fixture(scope="session")
def regression():
    return samples.regression()


@pytest.fixture(scope="session")
def hard_report(tmp_path_factory):
    """The files of the report on all that is hard to show."""
    return write_report(samples.hard_to_show(), tmp_path_factory.mktemp("hard") / "report")


@pytest.fixture(
    scope="session",
    params=[samples.two_classes, samples.five_classes, samples.regression, lambda: samples.of_classes(10)],
    ids=["two classes", "five classes", "regression", "ten classes"],
)
def findings(request):
    return request.param()
