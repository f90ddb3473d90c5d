"""Fits random problems and has the answers judged; ends with status 1 and a reproducer at the first that is wrong.

Problems follow from their seed, so `python -m tests.fuzz --seed N --count 1` repeats one, with --hard one of the
hard families. Half of the time goes to each kind unless one is asked for. Counts what ends unsolved and how long the
slowest fit took.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from time import perf_counter

from mercer import MercerError
from mercer._runtime import core
from tests.fuzz.cases import Case, draw
from tests.fuzz.hard_cases import draw_hard
from tests.fuzz.judges import disagreement, fitted

SECONDS_A_FIT = 20.0


def run(draw_case: Callable[[int], Case], name: str, seed: int, seconds: float, count: int, judged: bool) -> bool:
    """Draws and judges until the time is up; whether all agree."""
    began, first, unsolved, refused = perf_counter(), seed, Counter[str](), 0
    slowest, slowest_seed = 0.0, seed
    while seed == first or (perf_counter() - began < seconds and seed - first < count):
        case = draw_case(seed)
        core.set_simd_level(case.simd)
        wrong, started = None, perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = fitted(case)
            except MercerError as error:
                refused += 1
                wrong = None if "nu is infeasible" in str(error) else f"refused: {error}"
            else:
                took = perf_counter() - started
                slowest, slowest_seed = max((slowest, slowest_seed), (took, seed))
                if not model.status_.is_within_tolerance:
                    unsolved[model.status_.name] += 1
                    print(f"{name} {seed}: {model.status_.name}, {case}")
                if took > SECONDS_A_FIT:
                    wrong = f"took {took:.1f} s"
                elif judged:
                    wrong = disagreement(case, model)
        seed += 1
        if wrong:
            print(f"{name} {seed - 1}: {wrong}\n{case}")
            return False
    total = seed - first
    share = 100 * unsolved.total() / total
    reasons = ", ".join(f"{number} {status}" for status, number in unsolved.items())
    agree, told = " agree" if judged else "", f" ({reasons})" if reasons else ""
    print(
        f"{name}: {total} problems{agree}; {unsolved.total()} of them ({share:.2g} %) ended unsolved and said "
        f"so{told}, {refused} have no feasible ν; the slowest fit, of seed {slowest_seed}, took {slowest:.1f} s."
    )
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=10**9, help="the most problems of each kind")
    parser.add_argument("--ordinary", action="store_true", help="only ordinary problems")
    parser.add_argument("--hard", action="store_true", help="only the hard families")
    parser.add_argument("--unjudged", action="store_true", help="only count what is unsolved")
    given = parser.parse_args()
    both = given.ordinary == given.hard
    kinds = [(draw, "ordinary")] * (both or given.ordinary) + [(draw_hard, "hard")] * (both or given.hard)
    seconds = given.seconds / len(kinds)
    judged = not given.unjudged
    return int(not all(run(kind, name, given.seed, seconds, given.count, judged) for kind, name in kinds))


if __name__ == "__main__":
    sys.exit(main())
