"""DuckDB as a reader of files: a connection in memory, offline, with the threads and memory that the user allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from mercer.checks import number_of_threads, optional_positive
from mercer.errors import InputError, MissingPackageError, missing_package

__all__ = ["quoted", "identifier", "within"]

# What the database says, as a RuntimeError, where a signal stops it.
_INTERRUPTED = "Query interrupted"


@contextmanager
def within(
    source: str,
    *,
    memory: float | None = None,
    threads: int | None = None,
    spill: str = "",
    explain: Callable[[], InputError | None] = lambda: None,
) -> Iterator[Any]:
    """A connection for as long as one source is read; what the database complains of becomes an `InputError`.

    Parameters
    ----------
    source : str
        The name of what is read, for errors.
    memory : float, optional
        What the database may hold, in MB.
    threads : int, optional
        How many threads it may use.
    spill : str
        A folder for what does not fit the memory; empty for none.
    explain : callable
        Looks for a better error once the database has failed.
    """
    duckdb = _duckdb()
    settings: dict[str, Any] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "temp_directory": spill,
        "preserve_insertion_order": "true",
    }
    allowed = optional_positive("memory", memory)
    count = number_of_threads("threads", threads)
    if allowed is not None:
        settings["memory_limit"] = f"{allowed:g}MB"
    if count is not None:
        settings["threads"] = count
    connection = duckdb.connect(":memory:", config=settings)
    try:
        _forget_files(connection, duckdb)
        yield connection
    except duckdb.OutOfMemoryException:
        raise InputError(
            f"{source}: reading it takes more memory than is allowed. Allow more, or read a part."
        ) from None
    except (duckdb.InterruptException, RuntimeError) as error:
        # Ctrl-C while the database works.
        if isinstance(error, duckdb.InterruptException) or str(error) == _INTERRUPTED:
            raise KeyboardInterrupt from None
        raise
    except duckdb.Error as error:
        better = explain()
        raise better or InputError(f"{source}: cannot be read. {str(error).strip().splitlines()[0]}") from None
    finally:
        connection.close()


def _forget_files(connection: Any, duckdb: Any) -> None:
    """Nothing is read twice: files that were are not kept in memory. Releases before 1.3 have no such cache."""
    with suppress(duckdb.Error):
        connection.execute("SET enable_external_file_cache = false")


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise _missing() from None
    return duckdb


def _missing() -> MissingPackageError:
    return missing_package("Reading tables", "duckdb", "app")


def quoted(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'
