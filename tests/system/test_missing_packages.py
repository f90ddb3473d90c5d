"""A package that an extra brings and that is not there: the error names the extra, and is an ImportError too."""

import inspect
import sys

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import mercer.cli
import mercer.plot
from mercer import SVC, MissingPackageError
from mercer.lectures import coordinate_descent

BLOBS = make_blobs(40, centers=[[-1, -1], [1, 1]], random_state=0)


@pytest.fixture
def hidden(monkeypatch):
    """Hides a package and its modules."""

    def hide(package):
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, package, None)

    return hide


def bowl(x):
    return float(x @ x)


DRAWINGS = {
    "DecisionBoundaryDisplay": lambda: mercer.plot.DecisionBoundaryDisplay.from_estimator(SVC().fit(*BLOBS), *BLOBS),
    "CoordinatePathDisplay": lambda: mercer.plot.CoordinatePathDisplay.from_path(
        coordinate_descent(bowl, np.ones(2)), bowl
    ),
    "InfluenceDisplay": lambda: mercer.plot.InfluenceDisplay.from_estimator(SVC().fit(*BLOBS), BLOBS[0][0]),
    "KernelMatrixDisplay": lambda: mercer.plot.KernelMatrixDisplay.from_kernel(mercer.RBF(1.0), *BLOBS),
    "BinaryLossesDisplay": lambda: mercer.plot.BinaryLossesDisplay.from_losses(),
}


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_pictures_without_matplotlib_name_the_extra(drawing, hidden):
    hidden("matplotlib")
    with pytest.raises(MissingPackageError, match=r"matplotlib.*pip install mercer\[app\]") as raised:
        DRAWINGS[drawing]()
    assert isinstance(raised.value, ImportError)
    assert raised.value.name == "matplotlib"


def test_command_without_click_names_the_extra(hidden, capsys):
    for name in [name for name in sys.modules if name.startswith("mercer.cli.")]:
        sys.modules.pop(name)
    hidden("click")
    assert mercer.cli.main() == 2
    assert "click is not installed. Install it: pip install mercer[app]" in capsys.readouterr().err


@pytest.mark.parametrize("solver", ["qp-primal", "qp-dual", "qp-bidual"])
def test_quadratic_programs_without_clarabel_name_the_extra(solver, hidden):
    hidden("clarabel")
    with pytest.raises(MissingPackageError, match=r"clarabel.*pip install mercer\[qp\]") as raised:
        SVC(kernel="linear", solver=solver).fit(*BLOBS)
    assert isinstance(raised.value, ImportError)


def test_matplotlib_is_imported_in_one_place_before_all_others():
    """Whatever a display imports of it comes after its axes, which ask for it with that error."""
    importers = [
        name
        for name, module in inspect.getmembers(mercer.plot, inspect.ismodule)
        if "import matplotlib" in inspect.getsource(module)
    ]
    assert importers == ["canvas"]
