// The solver through samples and active sets: whatever the samples lack and whatever rests, the end is the optimum.
#include "check.hpp"
#include "problem.hpp"
#include "watched_gram.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double tight = 1e-7;

// Tiny samples, with active sets solved as a block that grows, as working sets, and now as the one, now as the other.
std::vector<SolverOptions> every_way(double tol) {
  std::vector<SolverOptions> ways;
  for (const Index whole_block : {4, 60, 2048})
    for (const bool screening : {true, false}) {
      SolverOptions options = tiny_sets(tol);
      options.whole_block = whole_block;
      options.screening = screening;
      ways.push_back(options);
    }
  return ways;
}

struct Named {
  const char* name;
  Problem problem;
};

// Free rows few and many, bounds met by most rows and by few.
std::vector<Named> problems(Index n) {
  std::vector<Named> list;
  list.push_back({"soft", noisy_classes(n, 500, 0.5)});
  list.push_back({"hard", noisy_classes(n, 501, 50)});
  list.push_back({"narrow kernel", noisy_classes(n, 502, 5, rbf(30))});
  list.push_back({"linear kernel", noisy_classes(n, 503, 1, linear())});
  list.push_back({"own bounds", own_bounds(n, 504, 5)});
  return list;
}

double best_objective(const Problem& problem) {
  const Solution solution = solved(problem, *problem.stored(), whole(1e-9));
  check_solved(problem, solution, 1e-9);
  return problem.objective(solution.coef);
}

// Whoever does not verify certifies: rows that were not looked at may violate, and a second solve mends that.
template <class T>
void check_unverified(const Problem& problem, SolverOptions options) {
  options.verify = false;
  const Solution solution = solved(problem, *problem.computed<T>(), options);
  CHECK(solution.status == Status::solved && solution.violation <= options.tol);
  CHECK(problem.feasible(solution.coef));
  if (!options.screening) CHECK(problem.violation(solution.coef) <= 1.2 * options.tol);  // but for rounding in T
  Problem again = problem;
  again.start = solution.coef;
  options.verify = true;
  const Solution mended = solved(again, *again.computed<T>(), options);
  check_solved(again, mended, options.tol);
}

// As many rows of the smaller class as said, at the given places.
Problem unbalanced(Index n, const std::vector<Index>& rare, double C) {
  Problem problem = noisy_classes(n, 505, C);
  problem.label_all(-1);
  for (const Index i : rare) problem.label(i, 1);
  return problem;
}

}  // namespace

TEST(solver_through_samples_finds_the_optimum) {
  for (const auto& [name, problem] : problems(300)) {
    const double best = best_objective(problem);
    for (const SolverOptions& options : every_way(tight)) {
      const Solution solution = solved(problem, *problem.computed(), options);
      check_solved(problem, solution, tight);
      CHECK_NEAR(problem.objective(solution.coef), best, tight * std::abs(best));
    }
  }
}

// What float values are too inexact for stalls, and is mended by a second solve in double.
TEST(solver_through_samples_in_float_finds_the_optimum) {
  Index stalled = 0;
  for (const auto& [name, problem] : problems(300)) {
    constexpr double tol = 1e-4;
    const double best = best_objective(problem);
    for (const SolverOptions& options : every_way(tol)) {
      Solution solution = solved(problem, *problem.computed<float>(), options);
      if (solution.status == Status::stalled) {
        Problem rest = problem;
        rest.start = solution.coef;
        solution = solved(rest, *rest.computed(), options);
        ++stalled;
      }
      check_solved(problem, solution, tol);
      // The gap is at most the violation times the room there is.
      CHECK_NEAR(problem.objective(solution.coef), best, tol * std::abs(best));
    }
  }
  CHECK(stalled <= 2);
}

// Values that are exact need no second look: what is left alone provably does not violate.
TEST(solver_verifies_once_where_values_are_exact) {
  std::vector<Named> list = problems(300);
  list.push_back({"smooth and soft", noisy_classes(400, 1011, 0.1, rbf(0.3))});
  for (const auto& [name, problem] : list)
    for (const double tol : {1e-2, 1e-3, 1e-5})
      for (const SolverOptions& options : every_way(tol)) {
        int verifications = 0;
        WatchedGram<double> gram(problem.stored(),
                                 [&](Asked what, Index) { verifications += what == Asked::exact_products; });
        check_solved(problem, solved(problem, gram, options), tol);
        CHECK(verifications == 1);
      }
}

TEST(solver_without_verification_is_mended_by_a_second_solve) {
  for (const auto& [name, problem] : problems(300))
    for (const double tol : {1e-2, 1e-3})
      for (const SolverOptions& options : every_way(tol)) {
        check_unverified<float>(problem, options);
        check_unverified<double>(problem, options);
      }
}

// Without samples and screening nothing is left alone: only rounding remains.
TEST(solver_without_verification_is_right_to_the_rounding_of_its_values) {
  constexpr double tol = 1e-4;
  const Problem problem = noisy_classes(70, 132, 2);
  SolverOptions unscreened = tiny_sets(tol);
  unscreened.screening = false;
  for (SolverOptions options : {whole(tol), unscreened}) {
    options.verify = false;
    const Solution solution = solved(problem, *problem.computed<float>(), options);
    CHECK(solution.status == Status::solved && problem.feasible(solution.coef));
    CHECK(problem.violation(solution.coef) <= 1.2 * tol);
  }
}

TEST(solver_takes_first_samples_of_any_size) {
  const Problem problem = noisy_classes(120, 506, 5);
  const double best = best_objective(problem);
  for (const Index first_sample : {1, 2, 3, 5, 30, 59, 60, 61, 119, 120, 121, 1000}) {
    SolverOptions options = tiny_sets(tight);
    options.first_sample = first_sample;
    const Solution solution = solved(problem, *problem.computed(), options);
    check_solved(problem, solution, tight);
    CHECK_NEAR(problem.objective(solution.coef), best, tight * std::abs(best));
  }
}

TEST(solver_takes_labels_in_order) {
  Problem problem = noisy_classes(300, 507, 5);
  std::vector<Index> order = count_up_to(300);
  std::ranges::stable_sort(order, {}, [&](Index i) { return problem.slope[at(i)]; });
  Table X{300, 2, {}};
  std::vector<double> labels;
  for (const Index i : order) {
    X.values.insert(X.values.end(), problem.X.row(i).begin(), problem.X.row(i).end());
    labels.push_back(problem.slope[at(i)]);
  }
  const Problem sorted(X, rbf(2), labels, 5);
  for (const SolverOptions& options : every_way(tight))
    check_solved(sorted, solved(sorted, *sorted.computed(), options), tight);
}

// Wherever they stand, few rows of a class are in none but the largest samples.
TEST(solver_takes_classes_that_the_first_samples_lack) {
  std::vector<std::vector<Index>> places;
  for (Index i = 0; i < 250; i += 25) {
    places.push_back({i});
    places.push_back({i, (3 * i + 70) % 250});
  }
  for (const std::vector<Index>& rare : places)
    for (const double C : {1.0, 1e3}) {
      const Problem problem = unbalanced(250, rare, C);
      for (const SolverOptions& options : every_way(tight)) {
        check_solved(problem, solved(problem, *problem.computed(), options), tight);
        check_unverified<double>(problem, options);
      }
    }
}

TEST(solver_takes_one_class_alone) {
  Problem problem = unbalanced(100, {}, 1);
  for (const SolverOptions& options : every_way(tight)) {
    const Solution solution = solved(problem, *problem.computed(), options);
    CHECK(solution.status == Status::solved && solution.steps == 0);
    CHECK(solution.coef == std::vector<double>(100, 0.0));
  }
}

TEST(solver_with_a_warm_start_looks_at_all_rows_at_once) {
  for (auto& [name, problem] : problems(300)) {
    const double best = best_objective(problem);
    problem.start = some_feasible_point(problem, 508);
    for (const SolverOptions& options : every_way(tight)) {
      Index first_targets = -1;
      WatchedGram<double> gram(problem.computed(), [&](Asked, Index targets) {
        if (first_targets < 0) first_targets = targets;
      });
      const Solution solution = solved(problem, gram, options);
      CHECK(first_targets == 300);
      check_solved(problem, solution, tight);
      CHECK_NEAR(problem.objective(solution.coef), best, tight * std::abs(best));
    }
  }
}

TEST(solver_started_near_the_optimum_takes_fewer_steps) {
  for (auto& [name, problem] : problems(300)) {
    const SolverOptions options = tiny_sets(1e-3);
    const Solution cold = solved(problem, *problem.computed(), options);
    problem.start = cold.coef;
    SolverOptions finer = options;
    finer.tol = 5e-4;
    const Solution warm = solved(problem, *problem.computed(), finer);
    check_solved(problem, warm, finer.tol);
    CHECK(warm.steps < cold.steps);
  }
}

TEST(solver_gives_the_same_bits_again_and_with_more_threads) {
  const auto check = [](auto type, const Problem& problem, SolverOptions options) {
    using T = decltype(type);
    for (const bool verify : {true, false}) {
      options.verify = verify;
      const Solution once = solved(problem, *problem.computed<T>(1), options);
      for (const int threads : {1, 3}) {
        const Solution again = solved(problem, *problem.computed<T>(threads), options);
        CHECK(again.coef == once.coef && again.steps == once.steps && again.violation == once.violation);
      }
    }
  };
  for (const auto& [name, problem] : problems(250))  // several chunks
    for (const SolverOptions& options : {tiny_sets(1e-3), whole(1e-3)}) {
      check(float{}, problem, options);
      check(double{}, problem, options);
    }
}

// Rows far from violating are left alone: with screening, fewer values are brought up to date.
TEST(solver_screens_rows_that_cannot_violate) {
  Table X = random_table(600, 2, 509);
  std::vector<double> labels;
  for (Index i = 0; i < X.rows; ++i) {
    labels.push_back(i % 2 == 0 ? 1 : -1);
    X.row(i)[0] += 0.9 * labels.back();
  }
  const Problem problem(X, rbf(0.5), labels, 10);
  Index looked_at[2] = {0, 0};
  for (const bool screening : {true, false}) {
    SolverOptions options = tiny_sets(1e-3);
    options.screening = screening;
    options.verify = false;
    WatchedGram<double> gram(problem.computed(), [&](Asked what, Index targets) {
      if (what == Asked::products) looked_at[screening] += targets;
    });
    const Solution solution = solved(problem, gram, options);
    CHECK(solution.status == Status::solved);
  }
  CHECK(looked_at[true] < looked_at[false]);
}
