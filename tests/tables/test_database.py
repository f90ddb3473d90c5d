"""The database that reads files: what it complains of, in our words."""

import duckdb
import pytest

from mercer.errors import InputError
from mercer.tables.database import within


def raise_within(error):
    with within("people.csv"):
        raise error


@pytest.mark.parametrize("error", [RuntimeError("Query interrupted"), duckdb.InterruptException("Interrupted!")])
def test_ctrl_c_within_the_database_is_ctrl_c(error):
    with pytest.raises(KeyboardInterrupt):
        raise_within(error)


def test_other_errors_stay_what_they_are():
    with pytest.raises(RuntimeError, match="nothing of the kind"):
        raise_within(RuntimeError("nothing of the kind"))
    with pytest.raises(InputError, match=r"people.csv: cannot be read. Oh."):
        raise_within(duckdb.Error("Oh."))
