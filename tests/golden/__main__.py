"""python -m tests.golden check [NAME …] | write | surface: numbers of fits and what users see, beside what is on file.

`write` takes those of today for the processor at hand, `surface` only what users see: names, signatures and messages,
where some were added.
"""

import json
import os
import sys

os.environ["MERCER_SIMD"] = "base"


def compare(path, expected, found):
    """Prints where two plain values differ; returns in how many places."""
    if isinstance(expected, dict) and isinstance(found, dict) and "digest" not in expected:
        keys = [*expected, *(key for key in found if key not in expected)]
        return sum(compare([*path, key], expected.get(key), found.get(key)) for key in keys)
    if expected == found:
        return 0
    print(f"{' / '.join(path)}\n  was {expected}\n  is  {found}")
    return 1


def main(command, *names):
    from tests.golden import numbers, surface

    if command == "write":
        taken = numbers.take()
        numbers.file_of(taken["fingerprint"]).write_text(json.dumps(taken, indent=1) + "\n")
    if command in ("write", "surface"):
        surface.FILE.write_text(json.dumps(surface.take(), indent=1, ensure_ascii=False) + "\n")
        return 0
    known = numbers.read()
    if known is None:
        print(f"No numbers were taken on {numbers.fingerprint()}.")
        return 2
    chosen = [name for name in known["cases"] if not names or any(part in name for part in names)]
    changed = sum(compare([name], known["cases"][name], numbers.numbers_of(name)) for name in chosen)
    if not names:
        changed += compare([], surface.read(), json.loads(json.dumps(surface.take())))
    print(f"{changed} differences")
    return int(changed > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
