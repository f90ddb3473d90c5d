"""The fitted thing: immutable, checked when it is made, and all that prediction needs.

`machine` says what all have in common: values at new rows, and plain arrays of which they are made again. `kernel` has
those that keep support vectors, as one function (`single`), several (`several`), one for each pair of classes
(`one_vs_one`) or one for each class (`one_vs_rest`); `linear` those that keep weights. `catalogue` knows all kinds, and
`foreign` reads the machines of other libraries. `deciding` makes classes of values; `decisive` evaluates in float32
wherever that decides as float64 does.
"""

from mercer.machines import catalogue
from mercer.machines.catalogue import *  # noqa: F403
from mercer.machines.deciding import class_count, class_values, decided_codes, largest, pair_class_values
from mercer.machines.foreign import machine_of_sklearn
from mercer.machines.kernel import KernelMachine
from mercer.machines.linear import linear_values
from mercer.machines.machine import Machine, locked

__all__ = [
    "KernelMachine",
    "Machine",
    "class_count",
    "class_values",
    "decided_codes",
    "largest",
    "linear_values",
    "locked",
    "machine_of_sklearn",
    "pair_class_values",
]
__all__ += catalogue.__all__
