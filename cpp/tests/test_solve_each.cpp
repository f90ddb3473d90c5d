// Problems side by side: threads, what goes on from what was reached, and what is returned where nothing was.
#include <algorithm>

#include "check.hpp"
#include "linear/solve_each.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

const std::vector<double> slope(7, 1.0);

std::vector<LinearProblem> problems(std::size_t count) {
  LinearProblem problem;
  problem.slope = slope;
  problem.offsets = offset_column(1.0);
  return std::vector<LinearProblem>(count, problem);
}

const Table table = random_table(7, 3, 61);
const Matrix X = Dense<double>{table.values.data(), 7, 3};

}  // namespace

TEST(solve_each_gives_one_problem_all_threads_and_several_one_each) {
  for (const std::size_t count : {1, 3}) {
    const auto found = solve_each(X, problems(count), 2, {}, nullptr,
                                  [&](std::size_t k, const LinearSolution& reached, int threads, Stop&) {
                                    CHECK(threads == (count == 1 ? 2 : 1) && reached.w.empty());
                                    LinearSolution solution;
                                    solution.steps = static_cast<Index>(k);
                                    solution.status = Status::solved;
                                    return solution;
                                  });
    CHECK(found.size() == count && found.back().steps == static_cast<Index>(count) - 1);
  }
}

TEST(solve_each_goes_on_from_what_was_reached_where_time_is_left) {
  std::vector<int> calls(2, 0);
  const Limits limits{.seconds = 30};
  const auto found =
      solve_each(X, problems(2), 1, limits, nullptr, [&](std::size_t k, const LinearSolution& reached, int, Stop&) {
        const bool is_first = calls[k]++ == 0;
        CHECK(reached.w.empty() == is_first && (is_first || reached.w[0] == 5));
        LinearSolution solution;
        solution.w = {5};
        solution.steps = 10;
        solution.status = k == 0 && is_first ? Status::time_limit : Status::solved;
        return solution;
      });
  CHECK(calls[0] == 2 && calls[1] == 1);
  CHECK(found[0].steps == 20 && found[1].steps == 10);
}

TEST(solve_each_returns_zeros_where_the_caller_ends_it_before_it_begins) {
  const auto found = solve_each(
      X, problems(2), 1, {}, [](const Progress&) { return false; },
      [](std::size_t, const LinearSolution&, int, Stop& stop) {
        LinearSolution solution;
        try {
          for (;;) stop.poll();
        } catch (const Stopped& stopped) {
          solution.status = stopped.status;
        }
        return solution;
      });
  CHECK(found[0].status == Status::interrupted && found[1].status == Status::interrupted);
  CHECK(found[1].w == std::vector<double>(4, 0.0) && found[1].coef == std::vector<double>(7, 0.0));
}
