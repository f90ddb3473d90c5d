"""Files: models in safetensors, checked and without code.

`model_files` saves, loads and describes models. A model is a tree of plain values (`nodes`), in which kernels,
machines, records and estimators (`objects`, `records`, `states`) are of closed lists; each has facts (`facts`) that are
checked when it is written and when it is read. `tensor_file` is the container, `atomic_file` how it gets onto the disk.
"""

from mercer.io.model_files import describe, load, save

__all__ = ["describe", "load", "save"]
