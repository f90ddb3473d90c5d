// Several problems side by side give what each gives alone; limits and reports hold for all together.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "problem.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

void rest(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

class Several {
 public:
  explicit Several(Index count, int opening_takes = 0) {
    for (Index k = 0; k < count; ++k) problems_.push_back(noisy_classes(30 + 5 * k, static_cast<unsigned>(170 + k), 2));
    for (const Problem& problem : problems_)
      recipes_.push_back([&problem, opening_takes] {
        rest(opening_takes);
        return problem.computed();
      });
    for (std::size_t k = 0; k < problems_.size(); ++k) tasks_.push_back({problems_[k].qp(), &recipes_[k]});
  }
  Several(const Several&) = delete;

  const std::vector<Problem>& problems() const { return problems_; }
  const std::vector<Task<double>>& tasks() const { return tasks_; }
  void replace(std::size_t k, GramRecipe<double> recipe) { recipes_[k] = std::move(recipe); }

 private:
  std::vector<Problem> problems_;
  std::vector<GramRecipe<double>> recipes_;
  std::vector<Task<double>> tasks_;
};

}  // namespace

TEST(solve_all_gives_what_each_problem_gives_alone) {
  const Several several(7);
  for (const SolverOptions& options : {whole(1e-6), tiny_sets(1e-6)})
    for (int threads = 1; threads <= 4; ++threads) {
      const std::vector<Solution> found = solve_all<double>(several.tasks(), options, {}, threads, nullptr);
      CHECK(found.size() == 7);
      for (std::size_t k = 0; k < found.size(); ++k) {
        const Problem& problem = several.problems()[k];
        const Solution alone = solved(problem, *problem.computed(), options);
        CHECK(found[k].status == Status::solved);
        CHECK(found[k].coef == alone.coef && found[k].steps == alone.steps);
      }
    }
}

TEST(solve_all_of_nothing_is_nothing) { CHECK(solve_all<double>({}, {}, {}, 2, nullptr).empty()); }

TEST(solve_all_limits_the_steps_of_each_problem) {
  const Several several(4);
  for (const Solution& solution : solve_all<double>(several.tasks(), whole(1e-6), {infinity, 5}, 2, nullptr))
    CHECK(solution.status == Status::step_limit && solution.steps == 5);
}

TEST(solve_all_stops_every_problem_at_the_deadline) {
  const Several several(4);
  const auto found =
      solve_all<double>(several.tasks(), whole(1e-6), {0, std::numeric_limits<Index>::max()}, 2, nullptr);
  for (std::size_t k = 0; k < found.size(); ++k)
    CHECK(found[k].status == Status::time_limit && several.problems()[k].feasible(found[k].coef));
}

TEST(solve_all_gives_the_time_that_some_leave_to_those_that_had_too_little) {
  Several several(2);
  int openings = 0;
  several.replace(0, [&] {
    if (++openings == 1) rest(800);  // more than its share of the time, but not all of it
    return several.problems()[0].computed();
  });
  const auto found =
      solve_all<double>(several.tasks(), whole(1e-6), {1.5, std::numeric_limits<Index>::max()}, 1, nullptr);
  CHECK(openings == 2);
  for (const Solution& solution : found) CHECK(solution.status == Status::solved);
}

TEST(solve_all_carries_exceptions_of_a_recipe_back) {
  Several several(4);
  several.replace(2, []() -> std::unique_ptr<Gram<double>> { throw std::overflow_error("kernel values overflow"); });
  for (const int threads : {1, 3})
    CHECK_THROWS(std::overflow_error, solve_all<double>(several.tasks(), whole(1e-6), {}, threads, nullptr));
}

TEST(solve_all_ends_the_others_where_one_throws) {
  Several several(4);
  const auto slow_until = [&](std::size_t k, int rows) {
    const Problem& problem = several.problems()[k];
    auto asked = std::make_shared<int>(0);
    return problem.sourced(0, [asked, rows] {
      rest(20);
      if (++*asked == rows) throw std::domain_error("source");
    });
  };
  for (std::size_t k = 0; k < 4; ++k) several.replace(k, [=] { return slow_until(k, k == 1 ? 5 : 1'000'000); });
  const auto began = std::chrono::steady_clock::now();
  CHECK_THROWS(std::domain_error, solve_all<double>(several.tasks(), whole(1e-6), {}, 2, nullptr));
  CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() < 1);
}

TEST(solve_all_reports_on_the_calling_thread_with_the_number_of_the_problem) {
  const Several several(6, 150);
  const std::thread::id caller = std::this_thread::get_id();
  for (const int threads : {1, 2}) {
    std::vector<Index> numbers;
    bool strayed = false;
    solve_all<double>(several.tasks(), whole(1e-6), {}, threads, [&](const Progress& progress) {
      if (std::this_thread::get_id() != caller) strayed = true;
      numbers.push_back(progress.problem);
      return true;
    });
    CHECK(!strayed && numbers.size() >= 3);
    for (const Index number : numbers) CHECK(number >= 0 && number < 6);
    if (threads == 1) CHECK(std::ranges::is_sorted(numbers) && numbers.back() == 5);
  }
}

// Problems of a few milliseconds each: none lives for a tenth of a second, all together do.
TEST(solve_all_reports_however_short_the_problems_are) {
  const Several several(20, 25);
  int reports = 0;
  solve_all<double>(several.tasks(), whole(1e-3), {}, 1, [&](const Progress&) {
    ++reports;
    return true;
  });
  CHECK(reports >= 2);
}

TEST(solve_all_asked_to_stop_begins_no_further_problem) {
  Several several(6, 120);
  for (const int threads : {1, 2}) {
    const auto began = std::chrono::steady_clock::now();
    const auto found =
        solve_all<double>(several.tasks(), whole(1e-6), {}, threads, [](const Progress&) { return false; });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    for (std::size_t k = 0; k < found.size(); ++k) CHECK(several.problems()[k].feasible(found[k].coef));
    if (threads == 1) CHECK(found[0].status == Status::interrupted);
    CHECK(found[5].status == Status::interrupted);
    CHECK(seconds < 0.5);
  }
}

TEST(solve_all_carries_exceptions_of_the_report_back) {
  const Several several(4, 120);
  for (const int threads : {1, 2})
    CHECK_THROWS(std::domain_error,
                 solve_all<double>(several.tasks(), whole(1e-6), {}, threads,
                                   [](const Progress&) -> bool { throw std::domain_error("report"); }));
}
