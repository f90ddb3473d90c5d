"""Commands. A leaf: it may import everything, and nothing imports it.

`app` has the list of commands, each a file of its own whose body imports what it needs when it runs: `mercer --help`
takes no longer than Python and click. Data go to standard output, talk to standard error (`terminal`); every way to end
has an exit code (`ending`). `svm_train`, `svm_predict` and `svm_scale` take LIBSVM's own options and files.
"""

from __future__ import annotations

import io
import sys

__all__ = ["main"]


def main() -> int:
    """The program `mercer`."""
    for stream in (sys.stdout, sys.stderr):
        # Words that an old terminal cannot show are no reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        from mercer.cli.app import run
    except ImportError as error:
        package = error.name or "a package"
        print(f"error: {package} is not installed. Install it: pip install mercer[app]", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return run(sys.argv[1:])
