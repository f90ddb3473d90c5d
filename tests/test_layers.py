"""The folders of the library import only those above them in the flow of the data."""

import ast
from pathlib import Path

import pytest

import mercer

SOURCE = Path(mercer.__file__).parent

# The order of the flow: a folder may import those before it.
FLOW = [
    "data",
    "tables",
    "kernels",
    "rows",
    "neighbours",
    "windows",
    "local",
    "problems",
    "machines",
    "solvers",
    "certificates",
    "fits",
    "calibration",
    "tabular",
    "processes",
    "scales",
    "estimators",
]
# Modules beside the folders that everybody may import; they import no folder.
FOUNDATION = {
    "_runtime",
    "atomic_file",
    "checks",
    "config",
    "costs",
    "deadline",
    "errors",
    "plain_state",
    "typing",
    "unsolved",
}
LEAVES = {"tune", "io", "plot", "inspection", "lectures"}
# They stand on the search for parameters.
UPPER_LEAVES = {"training", "report"}
APPLICATIONS = {"cli", "studio", "dask", "__main__"}
# What `import mercer` or `from mercer import SVC` takes: the public face, which stands on everything.
FACE = "mercer"

FILES = sorted(SOURCE.rglob("*.py"))


def layer_of(path):
    """The folder of a file within the library, or the name of a module beside the folders."""
    inside = path.relative_to(SOURCE)
    return inside.parts[0] if len(inside.parts) > 1 else inside.stem


def imports_of(path, text=None):
    """Every module that a file imports, as absolute dotted names; those for type checking only are left out."""
    package = ["mercer", *path.relative_to(SOURCE).parent.parts]
    names = []
    for node in _nodes(ast.parse(path.read_text() if text is None else text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names += [f"{module}.{alias.name}" for alias in node.names]
    return names


def _nodes(tree):
    """All nodes but the bodies of `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        yield child
        yield from _nodes(child)


def allowed(layer):
    """The layers that a layer may import."""
    if layer in FOUNDATION:
        return FOUNDATION
    if layer in FLOW:
        return FOUNDATION | set(FLOW[: FLOW.index(layer) + 1])
    if layer in LEAVES:
        return FOUNDATION | set(FLOW) | {layer}
    if layer in UPPER_LEAVES:
        return FOUNDATION | set(FLOW) | {"tune", "inspection", "training", layer}
    return FOUNDATION | set(FLOW) | LEAVES | UPPER_LEAVES | APPLICATIONS | {FACE}


def wrong_imports(layer, names):
    """Imports of the library itself that go against the flow."""
    layers = {imported_layer(name) for name in names if name.split(".")[0] == "mercer"}
    return layers - allowed(layer) - ({"_core"} if layer == "_runtime" else set())


def imported_layer(name):
    """The layer that a dotted name of the library belongs to; names of `mercer/__init__.py` belong to its face."""
    inside = name.split(".")[1:2]
    layers = (
        FOUNDATION | set(FLOW) | LEAVES | UPPER_LEAVES | APPLICATIONS | {"_core"} | {layer_of(path) for path in FILES}
    )
    return inside[0] if inside and inside[0] in layers else FACE


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_file_imports_only_what_is_above_it(path):
    layer = layer_of(path)
    if layer == "__init__":
        return
    assert not wrong_imports(layer, imports_of(path))


def test_only_the_runtime_imports_the_core():
    importers = {str(path.relative_to(SOURCE)) for path in FILES if "mercer._core" in imports_of(path)}
    assert importers == {"_runtime.py"}


def test_every_folder_has_its_place():
    layers = {layer_of(path) for path in FILES} - {"__init__"}
    assert layers <= FOUNDATION | set(FLOW) | LEAVES | UPPER_LEAVES | APPLICATIONS
    assert set(FLOW) <= layers


@pytest.mark.parametrize(
    ("file", "line", "wrong"),
    [
        ("data/arrays.py", "from mercer.kernels import RBF", {"kernels"}),
        ("kernels/dot.py", "import mercer.solvers", {"solvers"}),
        ("rows/plan.py", "from mercer import certificates", {"certificates"}),
        ("certificates/certificate.py", "from ..fits import judged", {"fits"}),
        ("machines/kernel.py", "from ..certificates import Certificate", {"certificates"}),
        ("fits/fitting.py", "from mercer.estimators import SVC", {"estimators"}),
        ("problems/svc.py", "def f():\n    from mercer.estimators import SVC", {"estimators"}),
        ("io/model.py", "from mercer.plot import draw", {"plot"}),
        ("errors.py", "from mercer.data import arrays", {"data"}),
        ("solvers/protocol.py", "from mercer import _core", {"_core"}),
        ("machines/machine.py", "import mercer", {FACE}),
        ("tune/search.py", "from mercer import SVC", {FACE}),
        ("estimators/svc.py", "from mercer.data import core_ready\nfrom mercer.fits import fit", set()),
        ("cli/main.py", "from mercer import SVC\nfrom mercer.plot import draw", set()),
        ("_runtime.py", "from mercer import _core as core", set()),
        ("errors.py", "if TYPE_CHECKING:\n    from mercer.certificates import Certificate", set()),
    ],
)
def test_wrong_direction_is_noticed(file, line, wrong):
    path = SOURCE / file
    assert wrong_imports(layer_of(path), imports_of(path, line)) == wrong
