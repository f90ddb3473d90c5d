"""Every problem of the registry: weak duality, feasible points, optimality at the optimum, and parts of several."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from mercer.problems import DualProblem
from tests.contracts.problem_registry import ENTRIES, named
from tests.reference.box_qp import solve_box_qp

ROWS = 27
TRIES = 20
# Sums of some dozens of numbers of the order of one, in another order.
ROUNDING = 1e-11
# The equations behind the optimum are solved to rounding times the condition of some dozens of kernel values.
OPTIMAL = 1e-8


@dataclass(frozen=True)
class Case:
    """A problem with its kernel values, and what follows from both."""

    problem: DualProblem
    K: np.ndarray

    def products(self, coef):
        return self.K @ coef

    def squared_norm(self, coef):
        return self.problem.groups.sum(coef * self.products(coef))

    def primal(self, coef, offsets):
        return self.problem.primal(self.squared_norm(coef), self.products(coef), offsets)

    def dual(self, coef):
        return self.problem.dual(coef, self.squared_norm(coef), self.products(coef), np.diagonal(self.K).copy())

    def offsets(self, coef):
        return self.problem.offsets(self.problem.sides(coef, self.products(coef)))

    def part(self, k):
        run = self.problem.groups.runs[k]
        return Case(self.problem.of_groups([k]), self.K[run, run])

    def any_coef(self, rng):
        """Of any size, most of them neither within the bounds nor of the right sums."""
        return 10.0 ** rng.integers(-2, 2) * rng.normal(size=len(self.problem.slope))

    def any_offsets(self, rng):
        """Of any machine that the problem allows."""
        size = (len(self.problem.fixed_sums), len(self.problem.groups))
        return self.problem.attainable(2 * rng.normal(size=size))


def optimum(problem, K):
    """The optimum of each group, side by side, and their values."""
    kink = np.zeros(len(problem.slope)) if problem.kink is None else problem.kink
    kept = 2 if problem.two_sums else problem.sums_kept
    found = [
        solve_box_qp(
            K[run, run],
            *(array[run] for array in (problem.slope, problem.lower, problem.upper, kink)),
            problem.fixed_sums[:kept, k],
        )
        for k, run in enumerate(problem.groups.runs)
    ]
    return np.concatenate([one.coef for one in found]), np.array([one.value for one in found])


@pytest.fixture(params=[False, True], ids=["unweighted", "weighted"])
def weighted(request):
    return request.param


@pytest.fixture(params=[0, 1])
def seed(request):
    return request.param


@pytest.fixture(params=ENTRIES, ids=named)
def case(request, seed, weighted):
    X = np.random.default_rng(seed + 10).normal(size=(ROWS, 2))
    posed = request.param.make(X, seed, weighted)
    return Case(posed.problem, posed.K)


def test_no_feasible_coefficients_have_a_dual_above_the_primal_of_any_machine(case, random):
    best, _ = optimum(case.problem, case.K)
    of_best = case.offsets(best).best
    for _ in range(TRIES):
        dual = np.maximum(case.dual(best), case.dual(case.problem.feasible(case.any_coef(random))))
        distance = 10.0 ** random.integers(-6, 1)
        nearby = [one + distance * random.normal(size=one.shape) for one in (best, of_best)]
        for coef in (case.any_coef(random), nearby[0]):
            for offsets in (case.any_offsets(random), case.problem.attainable(nearby[1])):
                primal = case.primal(coef, offsets)
                assert np.all(dual <= primal + ROUNDING * (1 + np.abs(primal)))


def test_dual_of_infeasible_coefficients_is_below_that_of_a_feasible_point(case, random):
    for _ in range(TRIES):
        coef = case.any_coef(random)
        nearby = case.dual(case.problem.feasible(coef))
        assert np.all(case.dual(coef) <= nearby + ROUNDING * (1 + np.abs(nearby)))


def test_start_is_feasible(case):
    problem = case.problem
    assert np.all((problem.lower <= problem.start) & (problem.start <= problem.upper))
    np.testing.assert_array_equal(problem.feasible(problem.start), problem.start)


def test_feasible_coefficients_are_within_bounds_and_have_the_sums_of_the_start(case, random):
    problem = case.problem
    for _ in range(TRIES):
        coef = problem.feasible(case.any_coef(random))
        assert np.all((problem.lower <= coef) & (coef <= problem.upper))
        size = 1 + problem.groups.sum(np.abs(coef)).max()
        np.testing.assert_allclose(problem.sums(coef), problem.sums(problem.start), rtol=0, atol=ROUNDING * size)


def test_feasible_leaves_feasible_coefficients_alone(case, random):
    problem = case.problem
    for coef in (problem.start, optimum(problem, case.K)[0]):
        np.testing.assert_array_equal(problem.feasible(coef), coef)
    for _ in range(TRIES):
        coef = problem.feasible(case.any_coef(random))
        np.testing.assert_array_equal(problem.feasible(coef), coef)


def test_gap_and_violation_vanish_at_the_optimum(case):
    coef, value = optimum(case.problem, case.K)
    offsets = case.offsets(coef)
    size = 1 + np.abs(value)
    np.testing.assert_allclose(case.dual(coef) / size, value / size, rtol=0, atol=OPTIMAL)
    np.testing.assert_allclose(case.primal(coef, offsets.best) / size, value / size, rtol=0, atol=OPTIMAL)
    assert np.all(offsets.violation <= OPTIMAL)


def test_gap_and_violation_do_not_vanish_off_the_optimum(case, random):
    best, value = optimum(case.problem, case.K)
    for _ in range(TRIES):
        coef = case.problem.feasible(best + 0.3 * random.normal(size=len(best)))
        offsets = case.offsets(coef)
        assert np.all(case.dual(coef) < value - OPTIMAL)
        assert np.all(case.primal(coef, case.problem.attainable(offsets.best)) > value + OPTIMAL)
        assert np.all(offsets.violation > OPTIMAL)


def points(case, random):
    """The start, the optimum, and some feasible coefficients."""
    yield case.problem.start
    yield optimum(case.problem, case.K)[0]
    for _ in range(TRIES):
        yield case.problem.feasible(case.any_coef(random))


def test_kkt_summary_of_the_core_is_that_of_sides_and_offsets(case, random):
    problem = case.problem
    for coef in points(case, random):
        summary, offsets = problem.kkt_summary(coef, case.products(coef)), case.offsets(coef)
        size = 1 + np.abs(case.products(coef)).max()
        for found, expected in zip(summary.offsets, offsets, strict=True):
            np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING * size)
        assert summary.is_inside
        sizes = problem.groups.sum(np.abs(coef))
        assert summary.imbalance <= ROUNDING * (1 + sizes.max())
        assert summary.largest_size == pytest.approx(sizes.max())
        assert summary.largest_slope == np.abs(problem.slope).max()
        assert summary.largest_bound == np.maximum(problem.upper, -problem.lower).max()


def test_kkt_summary_tells_what_is_out_of_bounds_or_of_other_sums(case):
    problem = case.problem
    for bound, away in ((problem.upper, 0.1), (problem.lower, -0.1)):
        row = int(np.argmin(np.abs(bound)))
        coef = problem.start.copy()
        coef[row] = bound[row] + away
        summary = problem.kkt_summary(coef, case.products(coef))
        assert summary.is_inside == (coef[row] <= problem.upper[row] and coef[row] >= problem.lower[row])
        if np.isfinite(bound[row]):
            assert not summary.is_inside
        off = np.abs(problem.sums(coef) - problem.fixed_sums).max()
        assert summary.imbalance == pytest.approx(off)


def test_sides_tell_who_can_move_and_what_that_gains(case, random):
    """The dual is a parabola along each coefficient: its slope on either side is the gain."""
    problem, step = case.problem, 1e-6
    for coef in points(case, random):
        sides, products = problem.sides(coef, case.products(coef)), case.products(coef)
        kink = np.zeros(len(coef)) if problem.kink is None else problem.kink
        up, low = np.logical_or.reduce(sides.up), np.logical_or.reduce(sides.low)
        far = 1e-9 * (1 + np.abs(coef))
        assert np.all(up[coef + far < problem.upper])
        assert np.all(low[coef - far > problem.lower])
        assert not np.any(up[coef >= problem.upper])
        assert not np.any(low[coef <= problem.lower])
        linear = problem.slope - products
        grown, fallen = np.abs(coef + step) - np.abs(coef), np.abs(coef - step) - np.abs(coef)
        # Where a step does not cross zero.
        clear = (coef == 0) | (np.abs(coef) > step)
        np.testing.assert_allclose(sides.gain_up[clear], (linear - kink * grown / step)[clear], atol=1e-8)
        np.testing.assert_allclose(sides.gain_low[clear], (linear + kink * fallen / step)[clear], atol=1e-8)
        for free, one_up, one_low in zip(sides.free, sides.up, sides.low, strict=True):
            assert not np.any(free & ~(one_up & one_low))


def test_groups_add_up_to_the_whole(case, random):
    problem = case.problem
    coef = problem.feasible(case.any_coef(random))
    offsets = case.offsets(coef)
    dual, primal = case.dual(coef), case.primal(coef, offsets.best)
    for k, run in enumerate(problem.groups.runs):
        part, own = case.part(k), coef[run]
        assert part.problem.name == problem.name
        assert part.problem.is_hard_margin == problem.is_hard_margin
        assert part.dual(own)[0] == pytest.approx(dual[k], rel=ROUNDING)
        assert part.primal(own, offsets.best[:, [k]])[0] == pytest.approx(primal[k], rel=ROUNDING)
        np.testing.assert_allclose(part.problem.fixed_sums[:, 0], problem.fixed_sums[:, k], rtol=ROUNDING)
        for found, expected in zip(part.offsets(own), offsets, strict=True):
            np.testing.assert_allclose(found[:, 0], expected[:, k], rtol=ROUNDING, atol=ROUNDING)


def test_part_knows_of_itself_what_the_whole_does(case):
    for k in range(len(case.problem.groups)):
        assert case.part(k).problem.__getstate__().keys() == case.problem.__getstate__().keys()


def test_places_partition_the_rows(case, random):
    problem = case.problem
    for coef in points(case, random):
        offsets = problem.attainable(case.offsets(coef).best)
        slack = problem.slack(case.products(coef), offsets)
        assert np.all(slack >= 0)
        places = problem.places(slack, offsets)
        np.testing.assert_array_equal(np.sum(list(places.values()), axis=0), np.ones(len(coef)))


def test_losses_are_slacks_times_the_bounds_of_their_sides(case, random):
    """What the objective has beside the norm and the sums, where bounds are finite."""
    problem = case.problem
    if problem.is_hard_margin:
        return
    for _ in range(TRIES):
        coef, offsets = case.any_coef(random), case.any_offsets(random)
        products = case.products(coef)
        slack = problem.slack(products, offsets)
        rest = case.primal(coef, offsets) - 0.5 * case.squared_norm(coef) - (offsets * problem.fixed_sums).sum(axis=0)
        is_above = problem.slope - products > problem.groups.spread(problem.intercept(offsets))
        bound = np.where((problem.lower == 0) | (is_above & (problem.upper > 0)), problem.upper, -problem.lower)
        np.testing.assert_allclose(rest, problem.groups.sum(bound * slack), rtol=1e-9, atol=1e-9)


def test_pickled_problem_is_the_same_whatever_was_asked_of_it(case, random):
    before = pickle.dumps(case.problem)
    coef = case.problem.feasible(case.any_coef(random))
    offsets, dual = case.offsets(coef), case.dual(coef)
    assert pickle.dumps(case.problem) == before
    again = Case(pickle.loads(before), case.K)
    np.testing.assert_array_equal(again.dual(coef), dual)
    np.testing.assert_array_equal(again.offsets(coef).best, offsets.best)
    np.testing.assert_array_equal(again.primal(coef, offsets.best), case.primal(coef, offsets.best))


def test_registry_holds_every_dual_problem_of_the_library():
    X = np.random.default_rng(0).normal(size=(ROWS, 2))
    assert derived_from(DualProblem) == {type(entry.make(X, 0, False).problem) for entry in ENTRIES}


def derived_from(kind):
    """All classes of the library that are derived from one, wherever they stand."""
    found = {one for one in kind.__subclasses__() if one.__module__.startswith("mercer.")}
    return found.union(*map(derived_from, found))
