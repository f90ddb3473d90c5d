"""The warning of fits that ended early: apart from the errors, as it stands on scikit-learn's."""

from sklearn.exceptions import ConvergenceWarning

__all__ = ["UnsolvedWarning"]


class UnsolvedWarning(ConvergenceWarning):  # type: ignore[misc]
    """The fit ended before its tolerance was reached; the message tells the gap that remains."""


# Where users import it from, and pickles look for it.
UnsolvedWarning.__module__ = "mercer.errors"
