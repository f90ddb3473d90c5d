// The active rows: solved as one block or by working sets, with the block kept as far as rows stay.
#include "check.hpp"
#include "solver/active_set.hpp"
#include "state_of_problem.hpp"
#include "watched_gram.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// The active rows of a problem, and what they ask of its Gram matrix.
struct Watched {
  Watched(const Problem& of, const SolverOptions& how, Stop until = {})
      : problem(of),
        options(how),
        stop(std::move(until)),
        gram(problem.stored(), [this](Asked what, Index rows) { asked.push_back({what, rows}); }),
        active(gram, 1, options, stop, seconds) {}
  Watched(const Watched&) = delete;

  void hold(const std::vector<Index>& rows) { active.hold(rows, restricted(state_of(problem), rows)); }
  void descend(double target) { active.descend(target, Patience(problem.size(), 0)); }
  // The coefficients of all rows, zero where they are not active.
  std::vector<double> coef() const {
    std::vector<double> found(problem.slope.size(), 0.0);
    for (Index k = 0; k < length(active.rows()); ++k) at(found, at(active.rows(), k)) = at(active.state().coef, k);
    return found;
  }
  void check_solved(double target) const {
    const std::vector<double> all = coef();
    CHECK(extremes(active.state()).violation() <= target && problem.feasible(all));
    for (Index k = 0; k < length(active.rows()); ++k) {
      const Index i = at(active.rows(), k);
      CHECK_NEAR(at(active.state().neg_grad, k), at(problem.slope, i) - problem.product(all, i), 1e-12);
    }
  }
  Index count(Asked what) const {
    return std::ranges::count_if(asked, [&](const auto& one) { return one.first == what; });
  }

  Problem problem;
  SolverOptions options;
  Stop stop;
  Seconds seconds;
  std::vector<std::pair<Asked, Index>> asked;
  WatchedGram<double> gram;
  ActiveSet<double> active;
};

Status status_of(Watched& watched, double target) {
  try {
    watched.descend(target);
  } catch (const Stopped& stopped) {
    return stopped.status;
  }
  return Status::solved;
}

}  // namespace

TEST(active_set_begins_with_no_rows) {
  const Watched watched(noisy_classes(20, 720, 1), whole(1e-6));
  CHECK(watched.active.rows().empty() && watched.active.state().size() == 0);
  CHECK(watched.active.is_active() == std::vector<bool>(20, false));
  CHECK(watched.active.pivots() == (Sums{0, 0}));
}

TEST(active_set_is_solved_as_one_block) {
  Watched watched(noisy_classes(60, 721, 5), whole(1e-6));
  const std::vector<Index> rows{3, 50, 7, 11, 20, 21, 33, 40, 1, 59};
  watched.hold(rows);
  for (Index i = 0; i < 60; ++i) CHECK(at(watched.active.is_active(), i) == (std::ranges::find(rows, i) != rows.end()));
  watched.descend(1e-6);
  watched.check_solved(1e-6);
  CHECK(watched.count(Asked::block) == 1 && watched.count(Asked::products) == 0);
  CHECK(watched.seconds.blocks > 0 && watched.seconds.steps > 0 && watched.seconds.products == 0);
  CHECK(watched.stop.progress.steps > 0 && watched.stop.progress.violation <= 1e-6);
}

TEST(active_set_is_solved_by_working_sets) {
  Watched watched(noisy_classes(60, 722, 5), tiny_sets(1e-6));
  watched.hold(count_up_to(60));
  watched.descend(1e-6);
  watched.check_solved(1e-6);
  CHECK(watched.count(Asked::block) > 1 && watched.count(Asked::products) == watched.count(Asked::block));
  for (const auto& [what, rows] : watched.asked) CHECK(what == Asked::products ? rows == 60 : rows <= 16);
}

TEST(active_set_grows_while_most_of_it_stays) {
  Watched watched(noisy_classes(60, 723, 5), whole(1e-6));
  CHECK(watched.active.rows_for({4, 5}) == (std::vector<Index>{4, 5}));  // there is no block to keep
  watched.hold(count_up_to(20));
  watched.descend(1e-6);
  std::vector<Index> wanted = count_up_to(18);
  wanted.push_back(30);
  std::vector<Index> grown = count_up_to(20);
  grown.push_back(30);
  CHECK(watched.active.rows_for(wanted) == grown);
  watched.asked.clear();
  watched.hold(grown);
  watched.descend(1e-6);
  watched.check_solved(1e-6);
  // The values between the one and the twenty, and its own: no block of all.
  CHECK(watched.asked == (std::vector<std::pair<Asked, Index>>{{Asked::values, 1}, {Asked::block, 1}}));
}

TEST(active_set_is_made_anew_where_many_rows_leave_or_the_block_would_be_too_large) {
  SolverOptions options = whole(1e-6);
  options.whole_block = 22;
  Watched watched(noisy_classes(60, 724, 5), options);
  watched.hold(count_up_to(20));
  watched.descend(1e-6);
  const std::vector<Index> few_stay{0, 1, 2, 30, 31};
  CHECK(watched.active.rows_for(few_stay) == few_stay);
  std::vector<Index> too_many = count_up_to(19);
  for (const Index i : {30, 31, 32}) too_many.push_back(i);
  CHECK(watched.active.rows_for(too_many) == too_many);
  watched.asked.clear();
  watched.hold(too_many);
  watched.descend(1e-6);
  watched.check_solved(1e-6);
  CHECK(watched.asked == (std::vector<std::pair<Asked, Index>>{{Asked::block, 22}}));
}

TEST(active_set_learns_the_diagonal_from_its_blocks) {
  for (const SolverOptions& options : {whole(1e-6), tiny_sets(1e-6)}) {
    Watched watched(noisy_classes(40, 725, 5, polynomial(1, 1, 2)), options);
    State state = state_of(watched.problem);
    std::ranges::fill(state.diagonal, std::nan(""));
    watched.active.hold(count_up_to(40), state);
    watched.descend(1e-6);
    watched.check_solved(1e-6);
    double largest = 1;
    for (Index i = 0; i < 40; ++i) {
      const double learned = at(watched.active.state().diagonal, i);
      if (std::isnan(learned)) continue;  // in no working set
      CHECK_NEAR(learned, watched.problem.K.row(i)[at(i)], 1e-14);
      largest = std::max(largest, learned);
    }
    CHECK(largest > 1 && watched.active.largest_diagonal() == largest);
  }
}

TEST(active_set_asks_for_rows_near_the_values_of_its_free_ones) {
  Watched watched(noisy_classes(60, 726, 5), tiny_sets(1e-6));
  watched.hold(count_up_to(60));
  watched.descend(1e-6);
  const Activation how = watched.active.activation(2);
  CHECK(how.pivots == watched.active.pivots() && how.margin == 2 * watched.active.activation(1).margin);
  CHECK(how.most_new >= 30 && how.all_below > watched.options.first_sample);
}

TEST(active_set_stops_at_the_limits) {
  Watched few_steps(noisy_classes(60, 727, 5), tiny_sets(1e-6), Stop(infinity, 5, nullptr));
  few_steps.hold(count_up_to(60));
  CHECK(status_of(few_steps, 1e-6) == Status::step_limit);
  CHECK(few_steps.problem.feasible(few_steps.coef()) && few_steps.stop.progress.steps == 5);

  SolverOptions little_work = tiny_sets(1e-6);
  little_work.most_steps = 1;
  Watched stalled(noisy_classes(60, 727, 5), little_work);
  stalled.hold(count_up_to(60));
  CHECK(status_of(stalled, 1e-6) == Status::stalled);

  SolverOptions margin = whole(1e-6);
  margin.least_margin = 1e-3;
  Watched inseparable(Problem(Table{2, 1, {1, 1}}, rbf(1), {1, -1}, infinity), margin);
  inseparable.hold({0, 1});
  CHECK(status_of(inseparable, 1e-6) == Status::unbounded);
}

TEST(active_set_spends_few_steps_on_doubtful_values) {
  Watched watched(noisy_classes(60, 728, 1e6, rbf(0.02)), whole(1e-9));
  watched.hold(count_up_to(60));
  watched.active.doubt();
  CHECK(status_of(watched, 1e-9) == Status::stalled);
}
