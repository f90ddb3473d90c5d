"""Files: models in safetensors, LIBSVM's data and models, ONNX.

`model_files` saves, loads and describes models, checked and without code. A model is a tree of plain values (`nodes`),
in which kernels, machines, records and estimators (`objects`, `records`, `states`) are of closed lists; each has facts
(`facts`) that are checked when it is written and when it is read. `tensor_file` is the container. LIBSVM's data are
read and written by the core (`mercer.data.libsvm_data`), its models by `libsvm_models`; `onnx_graph` writes graphs of
plain operators, and `problem_files` keep what a fit was given, for who is to look at it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer.data.libsvm_data import LibsvmData as LibsvmData
    from mercer.data.libsvm_data import dump_libsvm as dump_libsvm
    from mercer.data.libsvm_data import load_libsvm as load_libsvm
    from mercer.io.libsvm_models import LibsvmModel as LibsvmModel
    from mercer.io.libsvm_models import load_libsvm_model as load_libsvm_model
    from mercer.io.libsvm_models import save_libsvm_model as save_libsvm_model
    from mercer.io.model_files import describe as describe
    from mercer.io.model_files import load as load
    from mercer.io.model_files import save as save
    from mercer.io.onnx_converter import register_with_skl2onnx as register_with_skl2onnx
    from mercer.io.onnx_graph import onnx_inputs as onnx_inputs
    from mercer.io.onnx_graph import save_onnx as save_onnx
    from mercer.io.onnx_graph import to_onnx as to_onnx
    from mercer.io.problem_files import dump_problem as dump_problem
    from mercer.io.problem_files import load_problem as load_problem

# Names and their files, which are imported when they are asked for.
_FILES = {
    "LibsvmData": "data.libsvm_data",
    "LibsvmModel": "io.libsvm_models",
    "describe": "io.model_files",
    "dump_libsvm": "data.libsvm_data",
    "dump_problem": "io.problem_files",
    "load": "io.model_files",
    "load_libsvm": "data.libsvm_data",
    "load_libsvm_model": "io.libsvm_models",
    "load_problem": "io.problem_files",
    "onnx_inputs": "io.onnx_graph",
    "register_with_skl2onnx": "io.onnx_converter",
    "save": "io.model_files",
    "save_libsvm_model": "io.libsvm_models",
    "save_onnx": "io.onnx_graph",
    "to_onnx": "io.onnx_graph",
}

__all__ = list(_FILES)


def __getattr__(name: str) -> Any:
    if name not in _FILES:
        raise AttributeError(f"module 'mercer.io' has no attribute {name!r}")
    found = getattr(import_module(f"mercer.{_FILES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_FILES})
