"""What each estimator keeps after a fit, with the facts that make it one: the closed list of what files can hold.

A new estimator has a line here, in the file of its kind; `tests/contracts` writes and reads all that there are.
"""

from mercer.io.states.foreign import FOREIGN
from mercer.io.states.kernel_machines import KERNEL_MACHINES
from mercer.io.states.linear import LINEAR
from mercer.io.states.neighbours import NEIGHBOURS
from mercer.io.states.processes import PROCESSES
from mercer.io.states.searches import SEARCHES
from mercer.io.states.state import State
from mercer.io.states.transformers import TRANSFORMERS
from mercer.io.states.windows import WINDOWS

__all__ = ["STATES", "State"]

#: By the names of estimators in files.
STATES: dict[str, State] = {
    **KERNEL_MACHINES,
    **LINEAR,
    **NEIGHBOURS,
    **WINDOWS,
    **PROCESSES,
    **TRANSFORMERS,
    **SEARCHES,
    **FOREIGN,
}
