// How a solve can end: gap reached, limits, interruption, rounding, no bound. Whatever the end, the point is feasible.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "problem.hpp"
#include "watched_gram.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr Index any_steps = std::numeric_limits<Index>::max();

// Gives the rows of the naive matrix slowly enough for a clock to be seen.
std::unique_ptr<Gram<double>> slow_gram(const Problem& problem) {
  return problem.sourced(0, [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
}

double duality_gap(const Problem& problem, const std::vector<double>& coef) {
  // min over the intercept of the primal, by trying the value at every row: it is piecewise linear there.
  double squared = 0, total = 0, best = infinity;
  std::vector<double> f(coef.size());
  for (Index i = 0; i < problem.size(); ++i) {
    f[at(i)] = problem.product(coef, i);
    squared += coef[at(i)] * f[at(i)];
    total += std::abs(coef[at(i)]);
  }
  for (std::size_t k = 0; k < f.size(); ++k) {
    double primal = 0.5 * squared;
    for (std::size_t i = 0; i < f.size(); ++i)
      primal += (problem.upper[i] - problem.lower[i]) *
                std::max(0.0, 1 - problem.slope[i] * (f[i] + problem.slope[k] - f[k]));
    best = std::min(best, primal);
  }
  return best - (total - 0.5 * squared);
}

}  // namespace

TEST(solver_stops_at_the_step_limit_with_a_feasible_point) {
  const Problem problem = noisy_classes(60, 160, 10);
  for (const SolverOptions& options : {whole(1e-9), tiny_sets(1e-9)})
    for (const Index limit : {0, 1, 2, 17}) {
      Stop stop(infinity, limit, nullptr);
      const Solution solution = solve<double>(problem.qp(), *problem.computed(), options, stop);
      CHECK(solution.status == Status::step_limit);
      CHECK(solution.steps == limit);
      CHECK(problem.feasible(solution.coef));
      CHECK(limit == 0 || problem.objective(solution.coef) < 0);
    }
}

TEST(solver_records_its_rounds_where_asked) {
  const Problem problem = noisy_classes(200, 162, 10);
  SolverOptions options = tiny_sets(1e-6);
  Stop unlimited;
  CHECK(solve<double>(problem.qp(), *problem.computed(), options, unlimited).rounds.empty());
  options.record = true;
  Stop stop;
  const Solution solution = solve<double>(problem.qp(), *problem.computed(), options, stop);
  CHECK(solution.rounds.size() > 1);
  CHECK(solution.rounds.back().coef == solution.coef);
  CHECK(solution.rounds.back().steps == solution.steps);
  double last = 0;
  for (const Round& round : solution.rounds) {
    CHECK(problem.feasible(round.coef));
    CHECK(round.active_rows > 0 && round.active_rows <= problem.size());
    CHECK(problem.objective(round.coef) <= last + 1e-12);
    last = problem.objective(round.coef);
  }
}

TEST(solver_improves_with_every_step) {
  const Problem problem = own_bounds(60, 161, 3);
  for (const SolverOptions& options : {whole(1e-9), tiny_sets(1e-9)}) {
    double last = 0;
    for (Index limit = 1; limit <= 40; ++limit) {
      Stop stop(infinity, limit, nullptr);
      const double now = problem.objective(solve<double>(problem.qp(), *problem.computed(), options, stop).coef);
      CHECK(now < last);
      last = now;
    }
  }
}

// Through the samples, the rounds on the whole, and the last steps.
TEST(solver_stops_at_the_step_limit_in_every_phase) {
  const Problem problem = own_bounds(150, 169, 3);
  for (const Index whole_block : {4, 2048}) {
    SolverOptions options = tiny_sets(1e-3);
    options.whole_block = whole_block;
    const Index steps = solved(problem, *problem.stored(), options).steps;
    CHECK(steps > 100);
    double last = 0;
    for (Index limit = 0; limit < steps; limit += 1 + steps / 60) {
      Stop stop(infinity, limit, nullptr);
      const Solution solution = solve<double>(problem.qp(), *problem.stored(), options, stop);
      CHECK(solution.status == Status::step_limit && solution.steps == limit);
      CHECK(problem.feasible(solution.coef));
      const double now = problem.objective(solution.coef);
      CHECK(now <= last);
      last = now;
    }
  }
}

// At every question to the Gram matrix, and there are questions of every kind: what comes back is feasible, no worse
// than the start, and a point to go on from.
TEST(solver_stopped_in_every_phase_leaves_a_feasible_point_to_go_on_from) {
  const auto check = [](auto type, Problem problem, const SolverOptions& options, std::vector<Asked>& stopped_at) {
    using T = decltype(type);
    const double start = problem.objective(problem.start);
    const double best = problem.objective(solved(problem, *problem.computed(), whole(1e-9)).coef);
    bool ended = false;
    for (Index last = 0; !ended; last += 1 + last / 256) {
      Index asked = 0;
      WatchedGram<T> gram(problem.computed<T>(), [&](Asked what, Index) {
        if (asked++ != last) return;
        stopped_at.push_back(what);
        throw Stopped(last % 2 == 0 ? Status::time_limit : Status::interrupted);
      });
      Stop stop;
      const Solution solution = solve<T>(problem.qp(), gram, options, stop);
      ended = asked <= last;
      CHECK(problem.feasible(solution.coef));
      CHECK(problem.objective(solution.coef) <= start);
      if (ended) {
        CHECK(solution.status == Status::solved);
        continue;
      }
      CHECK(solution.status == (last % 2 == 0 ? Status::time_limit : Status::interrupted));
      Problem rest = problem;
      rest.start = solution.coef;
      SolverOptions careful = options;
      careful.verify = true;
      const Solution resumed = solved(rest, *rest.computed<T>(), careful);
      check_solved(rest, resumed, options.tol);
      CHECK_NEAR(rest.objective(resumed.coef), best, 3 * options.tol * std::abs(best));
    }
  };
  Problem warm = noisy_classes(150, 170, 2);
  warm.start = some_feasible_point(warm, 171);
  for (const Index whole_block : {4, 2048})
    for (const bool verify : {true, false}) {
      std::vector<Asked> stopped_at;
      SolverOptions options = tiny_sets(1e-3);
      options.whole_block = whole_block;
      options.verify = verify;
      for (const Problem& problem : {noisy_classes(150, 172, 2), own_bounds(150, 173, 5), warm}) {
        check(float{}, problem, options, stopped_at);
        check(double{}, problem, options, stopped_at);
      }
      std::vector<Asked> kinds{Asked::block, Asked::products, Asked::exact_products};
      if (whole_block > 4) kinds.push_back(Asked::values);
      for (const Asked kind : kinds) CHECK(std::ranges::find(stopped_at, kind) != stopped_at.end());
    }
}

TEST(solver_stops_at_the_deadline_with_a_feasible_point) {
  Problem problem = noisy_classes(60, 162, 10);
  for (const double seconds : {0.0, 0.05, 0.3})
    for (const SolverOptions& options : {whole(1e-9), tiny_sets(1e-9)}) {
      problem.start = seconds > 0.1 ? some_feasible_point(problem, 1) : std::vector<double>(60, 0.0);
      Stop stop(seconds, any_steps, nullptr);
      const Solution solution = solve<double>(problem.qp(), *slow_gram(problem), options, stop);
      CHECK(solution.status == Status::time_limit);
      CHECK(problem.feasible(solution.coef));
      CHECK(problem.objective(solution.coef) <= problem.objective(problem.start));
    }
}

TEST(solver_stops_where_the_report_asks_for_it) {
  const Problem problem = noisy_classes(60, 163, 10);
  for (const SolverOptions& options : {whole(1e-9), tiny_sets(1e-9)}) {
    Progress seen;
    Stop stop(infinity, any_steps, [&](const Progress& progress) {
      seen = progress;
      return false;
    });
    const Solution solution = solve<double>(problem.qp(), *slow_gram(problem), options, stop);
    CHECK(solution.status == Status::interrupted);
    CHECK(problem.feasible(solution.coef));
    CHECK(seen.active_rows > 0 && seen.active_rows <= 60 && seen.seconds >= 0.1);
  }
}

TEST(solver_lets_exceptions_of_the_report_and_the_source_through) {
  const Problem problem = noisy_classes(60, 164, 10);
  Stop stop(infinity, any_steps, [](const Progress&) -> bool { throw std::domain_error("report"); });
  CHECK_THROWS(std::domain_error, solve<double>(problem.qp(), *slow_gram(problem), tiny_sets(1e-9), stop));
  const auto gram = problem.sourced(0, [] { throw std::domain_error("source"); });
  CHECK_THROWS(std::domain_error, solved(problem, *gram, tiny_sets(1e-9)));
}

TEST(solver_closes_the_duality_gap_that_was_asked) {
  const Problem problem = noisy_classes(60, 165, 10);
  for (const double gap_tol : {1e-2, 1e-5, 1e-8})
    for (SolverOptions options : {whole(1), tiny_sets(1)}) {
      options.gap_tol = gap_tol;
      const Solution solution = solved(problem, *problem.computed(), options);
      CHECK(solution.status == Status::solved);
      const double dual = -problem.objective(solution.coef), gap = duality_gap(problem, solution.coef);
      CHECK(gap <= gap_tol * (dual + gap) * (1 + 1e-6));
    }
}

TEST(solver_never_calls_a_stall_solved) {
  const Problem problem = noisy_classes(60, 166, 1e4);
  for (const SolverOptions& options : {whole(0), tiny_sets(0)}) {
    const Solution solution = solved(problem, *problem.computed<float>(), options);
    CHECK(solution.status == Status::stalled || solution.violation <= 0);
    CHECK(problem.feasible(solution.coef));
  }
}

TEST(solver_proves_that_inseparable_data_have_no_margin) {
  const Table X{4, 1, {0, 1, 2, 3}};
  for (SolverOptions options : {whole(1e-6), tiny_sets(1e-6)}) {
    options.least_margin = 1e-6;
    const Problem mixed(X, linear(), {1, -1, 1, -1}, infinity);
    CHECK(solved(mixed, *mixed.computed(), options).status == Status::unbounded);
    const Problem duplicates(Table{2, 1, {1, 1}}, rbf(1), {1, -1}, infinity);
    CHECK(solved(duplicates, *duplicates.computed(), options).status == Status::unbounded);
    const Problem separable(X, linear(), {1, 1, -1, -1}, infinity);
    const Solution solution = solved(separable, *separable.computed(), options);
    CHECK(solution.status == Status::solved);
    CHECK(separable.violation(solution.coef) <= 1e-6);
  }
}

TEST(solver_of_no_rows_is_done) {
  const Problem problem(Table{0, 2, {}}, rbf(1), {}, 1);
  for (const SolverOptions& options : {whole(1e-6), tiny_sets(1e-6)}) {
    const Solution solution = solved(problem, *problem.stored(), options);
    CHECK(solution.status == Status::solved && solution.steps == 0 && solution.coef.empty());
  }
}

TEST(solver_has_nothing_to_do_where_nothing_can_move) {
  Problem one_sign = noisy_classes(20, 167, 1), no_room = noisy_classes(20, 168, 0);
  one_sign.label_all(-1);
  for (const Problem* problem : {&one_sign, &no_room})
    for (SolverOptions options : {whole(1e-6), tiny_sets(1e-6)})
      for (const double gap_tol : {0.0, 1e-6}) {
        options.gap_tol = gap_tol;
        const Solution solution = solved(*problem, *problem->computed(), options);
        CHECK(solution.status == Status::solved && solution.steps == 0);
        CHECK(solution.coef == std::vector<double>(20, 0.0));
      }
}
