// Cells of a grid on several splits: each machine is the one that the solver finds on the known rows, and what is said
// of it holds.
#include <chrono>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "mercer/cells.hpp"
#include "problem.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double tight = 1e-9;

// Rows, their kernel values, and a problem on them; a row is held out from the split that has its number's remainder.
class Grid {
 public:
  Grid(Table data, Kernel of, std::vector<double> targets, std::vector<double> lowest, std::vector<double> highest,
       double price, Index count, std::vector<double> factors)
      : X(std::move(data)),
        kernel(std::move(of)),
        K(naive_matrix(kernel, X, X)),
        linear(std::move(targets)),
        kink(linear.size(), price),
        lower(std::move(lowest)),
        upper(std::move(highest)),
        splits(count),
        scales(std::move(factors)),
        data_(X) {
    for (Index split = 0; split < splits; ++split)
      for (Index i = 0; i < X.rows; ++i) {
        all_lower_.push_back(is_held_out(split, i) ? 0 : lower[at(i)]);
        all_upper_.push_back(is_held_out(split, i) ? 0 : upper[at(i)]);
      }
    in_float_ = [this] { return gram<float>(); };
    in_double_ = [this] { return gram<double>(); };
  }
  Grid(const Grid&) = delete;

  bool is_held_out(Index split, Index i) const { return splits > 1 && i % splits == split; }
  Cells cells() const { return {X.rows, splits, linear, kink, all_lower_, all_upper_, scales}; }
  template <class T>
  std::unique_ptr<Gram<T>> gram() const {
    return computed_gram<T>(std::make_shared<const Prepared<T>>(kernel, data_), count_up_to(X.rows), 1);
  }
  template <class T>
  CellGroup<T> group() const {
    if constexpr (std::is_same_v<T, float>)
      return {&in_float_, {cells()}};
    else
      return {&in_double_, {cells()}};
  }

  Table X;
  Kernel kernel;
  Table K;
  std::vector<double> linear, kink, lower, upper;
  Index splits;
  std::vector<double> scales;

 private:
  DenseData<double> data_;
  std::vector<double> all_lower_, all_upper_;
  GramRecipe<float> in_float_;
  GramRecipe<double> in_double_;
};

const std::vector<double> three_scales{0.3, 3, 30};

Grid classes(Index n, unsigned seed, Kernel kernel = rbf(2), std::vector<double> scales = three_scales,
             Index splits = 3) {
  const Problem problem = noisy_classes(n, seed, 1, kernel);
  return {problem.X, problem.kernel, problem.slope, problem.lower, problem.upper, 0, splits, std::move(scales)};
}

Grid curve(Index n, unsigned seed, double price, std::vector<double> scales = three_scales) {
  Table X = random_table(n, 2, seed);
  Random random(seed + 1);
  std::vector<double> targets, size(at(n), 1.0), less(at(n), -1.0);
  for (Index i = 0; i < n; ++i)
    targets.push_back(std::sin(3 * X.row(i)[0]) + X.row(i)[1] * X.row(i)[1] + 0.3 * random());
  return {std::move(X), rbf(2), std::move(targets), std::move(less), std::move(size), price, 3, std::move(scales)};
}

// One cell on one split, by definition.
class Known {
 public:
  Known(const Grid& grid, Index cell, Index split) : grid_(grid) {
    for (Index i = 0; i < grid.X.rows; ++i) {
      const double scale = grid.is_held_out(split, i) ? 0 : grid.scales[at(cell)];
      lower.push_back(scale * grid.lower[at(i)]);
      upper.push_back(scale * grid.upper[at(i)]);
    }
  }

  std::vector<double> solved() const {
    const std::vector<double> start(lower.size(), 0.0);
    Stop stop;
    const Solution solution =
        solve<double>({grid_.linear, lower, upper, start, grid_.kink}, *grid_.gram<double>(), whole(tight), stop);
    CHECK(solution.status == Status::solved);
    return solution.coef;
  }
  // s - Kc
  std::vector<double> values(std::span<const double> coef) const {
    std::vector<double> found = grid_.linear;
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t j = 0; j < found.size(); ++j)
        if (coef[j] != 0) found[i] -= grid_.K.row(static_cast<Index>(i))[j] * coef[j];
    return found;
  }
  double squared_norm(std::span<const double> coef) const {
    const std::vector<double> v = values(coef);
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += coef[i] * (grid_.linear[i] - v[i]);
    return sum;
  }
  double dual(std::span<const double> coef) const {
    const std::vector<double> v = values(coef);
    double sum = 0;
    for (std::size_t i = 0; i < v.size(); ++i)
      sum += 0.5 * coef[i] * (grid_.linear[i] + v[i]) - grid_.kink[i] * std::abs(coef[i]);
    return sum;
  }
  double primal(std::span<const double> coef, double offset) const {
    const std::vector<double> v = values(coef);
    double sum = 0.5 * squared_norm(coef);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double e = grid_.kink[i];
      sum += upper[i] * std::max(0.0, v[i] - e - offset) - lower[i] * std::max(0.0, offset - v[i] - e);
    }
    return sum;
  }
  double violation(std::span<const double> coef) const {
    const std::vector<double> v = values(coef);
    double top = -infinity, bottom = infinity;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double e = grid_.kink[i];
      if (coef[i] < upper[i]) top = std::max(top, coef[i] < 0 ? v[i] + e : v[i] - e);
      if (coef[i] > lower[i]) bottom = std::min(bottom, coef[i] > 0 ? v[i] - e : v[i] + e);
    }
    return top - bottom;
  }
  bool feasible(std::span<const double> coef) const {
    double balance = 0, size = 0;
    for (std::size_t i = 0; i < coef.size(); ++i) {
      if (coef[i] < lower[i] || coef[i] > upper[i]) return false;
      balance += coef[i];
      size += std::abs(coef[i]);
    }
    return std::abs(balance) <= 1e-12 * size;
  }

  std::vector<double> lower, upper;

 private:
  const Grid& grid_;
};

// What was found of one cell on one split.
struct Machine {
  Machine(const CellSolutions& found, const Grid& grid, Index cell, Index split)
      : number(at(cell * grid.splits + split)),
        coef(found.coef.data() + number * grid.linear.size(), grid.linear.size()),
        values(found.values.data() + number * grid.linear.size(), grid.linear.size()),
        optimality(found.optimality[number]),
        status(found.statuses[number]),
        is_copied(found.copied[number] != 0) {}

  double total() const {
    double sum = 1;
    for (const double c : coef) sum += std::abs(c);
    return sum;
  }

  std::size_t number;
  std::span<const double> coef, values;
  Optimality optimality;
  Status status;
  bool is_copied;
};

SolverOptions to(double tol, bool verify = false) {
  SolverOptions options = whole(tol);
  options.verify = verify;
  return options;
}

template <class T = double>
CellSolutions solved(const Grid& grid, const SolverOptions& options, int threads = 1, const Limits& limits = {}) {
  Room<T> room;
  return solve_cells<T>({grid.group<T>()}, room, options, limits, threads, nullptr)[0][0];
}

template <class Check>
void for_each_machine(const Grid& grid, const CellSolutions& found, Check check) {
  CHECK(found.statuses.size() == grid.scales.size() * at(grid.splits));
  for (Index cell = 0; cell < static_cast<Index>(grid.scales.size()); ++cell)
    for (Index split = 0; split < grid.splits; ++split)
      check(Known(grid, cell, split), Machine(found, grid, cell, split));
}

// The conditions of an optimum from scratch, and the dual value beside the solver's. By concavity no more is left to
// gain than half the violation for each unit that coefficients are off.
template <class T>
void check_solved(const Grid& grid, const CellSolutions& found, double tol) {
  for_each_machine(grid, found, [&](const Known& known, const Machine& machine) {
    const double off = machine.total() * rounding<T>(grid.kernel, grid.X);
    CHECK(machine.status == Status::solved && machine.optimality.violation <= tol);
    CHECK(known.feasible(machine.coef));
    CHECK(known.violation(machine.coef) <= tol + 2 * off);
    const std::vector<double> best = known.solved();
    double apart = 0;
    for (std::size_t i = 0; i < best.size(); ++i) apart += std::abs(best[i] - machine.coef[i]);
    const double highest = known.dual(best);
    CHECK_NEAR(known.dual(machine.coef), highest, 0.5 * apart * (tol + 2 * off) + tight * std::abs(highest));
  });
}

void check_equal(const CellSolutions& a, const CellSolutions& b) {
  CHECK(a.coef == b.coef && a.values == b.values && a.statuses == b.statuses && a.copied == b.copied);
  for (std::size_t k = 0; k < a.optimality.size(); ++k) CHECK(a.optimality[k].gap == b.optimality[k].gap);
}

}  // namespace

TEST(cells_are_the_machines_of_the_solver_on_the_known_rows) {
  for (const unsigned seed : {600, 601, 602}) {
    const Grid grid = classes(70, seed);
    for (const double tol : {1e-2, 1e-6}) check_solved<double>(grid, solved<double>(grid, to(tol)), tol);
    check_solved<float>(grid, solved<float>(grid, to(1e-3)), 1e-3);
  }
}

TEST(cells_take_kernels_of_other_families) {
  for (const Kernel& kernel : {linear(), polynomial(1, 1, 2), sum(rbf(1), laplacian(0.5))}) {
    const Grid grid = classes(50, 603, kernel);
    check_solved<double>(grid, solved(grid, to(1e-6)), 1e-6);
  }
}

TEST(cells_take_kinks) {
  for (const double price : {0.0, 0.1, 0.5}) {
    const Grid grid = curve(60, 604, price);
    check_solved<double>(grid, solved(grid, to(1e-6)), 1e-6);
  }
}

TEST(cells_take_bounds_of_each_row) {
  const Problem problem = own_bounds(60, 605, 1);
  const Grid grid(problem.X, problem.kernel, problem.slope, problem.lower, problem.upper, 0, 3, three_scales);
  check_solved<double>(grid, solved(grid, to(1e-6)), 1e-6);
}

TEST(cells_take_no_kinks_for_kinks_of_zero) {
  const Grid grid = classes(50, 606);
  CellGroup<double> group = grid.group<double>();
  group.problems[0].kink = {};
  Room<double> room;
  check_equal(solve_cells<double>({group}, room, to(1e-6), {}, 1, nullptr)[0][0], solved(grid, to(1e-6)));
}

TEST(cells_of_more_rows_than_are_active_at_once) {
  const Grid grid = classes(800, 607, rbf(2), {0.5, 20}, 2);
  check_solved<double>(grid, solved<double>(grid, to(1e-4)), 1e-4);
  check_solved<float>(grid, solved<float>(grid, to(1e-3)), 1e-3);
}

TEST(cells_of_more_active_rows_than_are_gathered) {
  // Nearly orthogonal rows are all support vectors.
  const Grid grid = classes(2300, 608, rbf(4000), {0.5, 2}, 1);
  const CellSolutions found = solved<float>(grid, to(1e-2));
  for_each_machine(grid, found, [&](const Known& known, const Machine& machine) {
    CHECK(machine.status == Status::solved && known.feasible(machine.coef));
    CHECK(known.violation(machine.coef) <= 1e-2 + 2 * machine.total() * rounding<float>(grid.kernel, grid.X));
  });
}

// From machines that are nearly solved few steps are left; from zero, all.
TEST(cells_begin_with_machines_that_are_given) {
  for (const Index n : {70, 750}) {
    const Grid grid = classes(n, 609);
    const CellSolutions rough = solved(grid, to(1e-3)), whole = solved(grid, to(1e-6));
    Room<double> room;
    CellGroup<double> group = grid.group<double>();
    group.problems[0].begin = rough.coef;
    const CellSolutions found = solve_cells<double>({group}, room, to(1e-6), {}, 1, nullptr)[0][0];
    check_solved<double>(grid, found, 1e-6);
    for (std::size_t k = 0; k < found.steps.size(); ++k)
      if (whole.copied[k] == 0) CHECK(found.steps[k] < rough.steps[k] + whole.steps[k]);
    group.problems[0].begin = found.coef;
    const CellSolutions again = solve_cells<double>({group}, room, to(2e-6), {}, 1, nullptr)[0][0];
    for (const Index steps : again.steps) CHECK(steps == 0);
    CHECK(again.coef == found.coef);
    const Grid narrow = classes(n, 609, rbf(2), {0.1, 0.2, 0.4});
    CellGroup<double> other = narrow.group<double>();
    const std::vector<double> none(found.coef.size(), 0.0);
    other.problems[0].begin = none;
    check_solved<double>(narrow, solve_cells<double>({other}, room, to(1e-6), {}, 1, nullptr)[0][0], 1e-6);
  }
}

TEST(cells_leave_rows_that_are_held_out_at_zero) {
  const Grid grid = classes(70, 610);
  const CellSolutions found = solved(grid, to(1e-3));
  for (Index cell = 0; cell < 3; ++cell)
    for (Index split = 0; split < 3; ++split)
      for (Index i = 0; i < 70; ++i)
        if (grid.is_held_out(split, i)) CHECK(Machine(found, grid, cell, split).coef[at(i)] == 0);
}

TEST(cells_value_all_rows) {
  const auto check = [](const Grid& grid, const CellSolutions& found, double relative) {
    for_each_machine(grid, found, [&](const Known& known, const Machine& machine) {
      const std::vector<double> expected = known.values(machine.coef);
      for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK_NEAR(machine.values[i], expected[i], relative * machine.total());
    });
  };
  for (const Index n : {70, 750}) {
    const Grid grid = classes(n, 611);
    // Values are brought up to date by each step, so rounding adds up.
    constexpr double rounds = 10;
    check(grid, solved<double>(grid, to(1e-3)), rounds * rounding<double>(grid.kernel, grid.X));
    check(grid, solved<float>(grid, to(1e-3)), rounds * rounding<float>(grid.kernel, grid.X));
  }
  const Grid grid = curve(70, 612, 0.1);
  check(grid, solved<double>(grid, to(1e-3)), 10 * rounding<double>(grid.kernel, grid.X));
}

TEST(cells_tell_norm_and_dual_value) {
  for (const double tol : {0.3, 1e-6}) {
    const Grid grid = curve(60, 613, 0.1);
    for_each_machine(grid, solved(grid, to(tol)), [&](const Known& known, const Machine& machine) {
      const double off = 1e-10 * machine.total() * machine.total();
      CHECK_NEAR(machine.optimality.dual, known.dual(machine.coef), off);
      CHECK_NEAR(machine.optimality.squared_norm, known.squared_norm(machine.coef), off);
    });
  }
}

TEST(gap_of_cells_is_that_between_primal_and_dual_value) {
  for (const double tol : {1.0, 0.1, 1e-6})
    for (const double price : {0.0, 0.2}) {
      const Grid grid = curve(60, 614, price);
      for_each_machine(grid, solved(grid, to(tol)), [&](const Known& known, const Machine& machine) {
        const Optimality& told = machine.optimality;
        const double off = 1e-10 * machine.total() * machine.total(), dual = known.dual(machine.coef);
        CHECK(told.gap >= 0 && told.best_low <= told.best_high);
        for (const double offset : {told.best_low, told.best_high})
          CHECK_NEAR(told.gap, known.primal(machine.coef, offset) - dual, off);
        const double least = known.primal(machine.coef, told.best_low);
        for (const double step : {1e-6, 1e-3, 0.1, 10.0}) {
          CHECK(known.primal(machine.coef, told.best_low - step) >= least - off);
          CHECK(known.primal(machine.coef, told.best_high + step) >= least - off);
        }
        CHECK(known.primal(machine.coef, told.offset) >= least - off);
      });
    }
}

TEST(gap_of_cells_bounds_how_far_the_optimum_is) {
  for (const unsigned seed : {615, 616})
    for (const double tol : {1.0, 0.3, 1e-2}) {
      const Grid grid = classes(60, seed);
      for_each_machine(grid, solved(grid, to(tol)), [&](const Known& known, const Machine& machine) {
        const std::vector<double> best = known.solved();
        std::vector<double> apart = best;
        for (std::size_t i = 0; i < apart.size(); ++i) apart[i] -= machine.coef[i];
        const double highest = known.dual(best), off = tight * (1 + std::abs(highest));
        CHECK(highest - known.dual(machine.coef) <= machine.optimality.gap + off);
        CHECK(known.squared_norm(apart) <= machine.optimality.gap + off);  // |w - w*|^2
      });
    }
}

TEST(cells_are_copied_where_no_coefficient_is_at_a_bound) {
  const Grid grid = classes(60, 617, rbf(500), {0.5, 50, 500, 5000});
  const CellSolutions found = solved(grid, to(1e-6));
  check_solved<double>(grid, found, 1e-6);
  for (Index split = 0; split < 3; ++split) {
    CHECK(!Machine(found, grid, 0, split).is_copied && !Machine(found, grid, 1, split).is_copied);
    const Machine before(found, grid, 1, split);
    for (const Index cell : {2, 3}) {
      const Machine machine(found, grid, cell, split);
      CHECK(machine.is_copied);
      CHECK(std::ranges::equal(machine.coef, before.coef) && std::ranges::equal(machine.values, before.values));
    }
  }
}

TEST(cells_are_not_copied_where_a_coefficient_is_at_a_bound) {
  const Grid grid = classes(60, 618, rbf(2), {0.1, 1, 10});
  const CellSolutions found = solved(grid, to(1e-6));
  for_each_machine(grid, found, [&](const Known&, const Machine& machine) { CHECK(!machine.is_copied); });
}

TEST(cells_of_equal_scales_are_equal) {
  const Grid grid = classes(60, 619, rbf(2), {1, 1, 2, 2});
  const CellSolutions found = solved(grid, to(1e-6));
  check_solved<double>(grid, found, 1e-6);
}

TEST(cells_of_several_problems_of_a_group_are_those_of_each_alone) {
  const Grid first = classes(60, 620);
  std::vector<double> labels, lower, upper;  // another labelling of the same rows
  for (Index i = 0; i < 60; ++i) {
    labels.push_back(first.X.row(i)[0] > 0.1 ? 1 : -1);
    lower.push_back(labels.back() > 0 ? 0 : -1);
    upper.push_back(labels.back() > 0 ? 1 : 0);
  }
  const Grid second(first.X, first.kernel, labels, lower, upper, 0, 4, {0.1, 10});
  CellGroup<double> both = first.group<double>();
  both.problems.push_back(second.cells());
  Room<double> room;
  const std::vector<CellSolutions> found = solve_cells<double>({both}, room, to(1e-6), {}, 1, nullptr)[0];
  CHECK(found.size() == 2);
  check_equal(found[0], solved(first, to(1e-6)));
  check_equal(found[1], solved(second, to(1e-6)));
}

TEST(cells_of_many_groups_side_by_side_are_those_of_each_alone) {
  std::vector<std::unique_ptr<Grid>> grids;
  std::vector<CellGroup<double>> groups;
  for (unsigned k = 0; k < 7; ++k) {
    grids.push_back(std::unique_ptr<Grid>(new Grid(classes(30 + 5 * k, 621 + k))));
    groups.push_back(grids.back()->group<double>());
  }
  for (const int threads : {1, 2, 3}) {
    Room<double> room;
    const auto found = solve_cells<double>(groups, room, to(1e-6), {}, threads, nullptr);
    CHECK(found.size() == 7);
    for (std::size_t k = 0; k < 7; ++k) check_equal(found[k][0], solved(*grids[k], to(1e-6)));
  }
}

TEST(cells_of_one_group_on_several_threads_are_solved_alike) {
  const Grid grid = classes(90, 630, rbf(2), three_scales, 5);
  for (const int threads : {2, 3, 8}) check_solved<double>(grid, solved(grid, to(1e-6), threads), 1e-6);
}

TEST(cells_that_are_verified_have_a_tiny_gap) {
  for (const double tol : {0.1, 1e-3}) {
    const Grid grid = classes(80, 631);
    const auto check = [&](const CellSolutions& found) {
      for_each_machine(grid, found, [&](const Known& known, const Machine& machine) {
        CHECK(machine.status == Status::solved);
        // What is left is the rounding of float64: a gap is a product of coefficients and values.
        constexpr double of_values = 1e-10;
        CHECK(machine.optimality.gap <= of_values * machine.total());
        CHECK(known.violation(machine.coef) <= of_values * machine.total());
        CHECK(known.feasible(machine.coef));
      });
    };
    check(solved<double>(grid, to(tol, true)));
    check(solved<float>(grid, to(tol, true)));
  }
}

TEST(cells_that_are_verified_have_values_in_float64_where_rows_are_held_out) {
  const Grid grid = curve(80, 632, 0.1);
  const CellSolutions found = solved<float>(grid, to(1e-2, true));
  for (Index cell = 0; cell < 3; ++cell)
    for (Index split = 0; split < 3; ++split) {
      const Machine machine(found, grid, cell, split);
      const std::vector<double> expected = Known(grid, cell, split).values(machine.coef);
      for (Index i = split; i < 80; i += 3)
        CHECK_NEAR(machine.values[at(i)], expected[at(i)], machine.total() * rounding<double>(grid.kernel, grid.X));
    }
}

TEST(cells_of_a_split_with_one_class_have_no_coefficients) {
  Grid grid = classes(40, 633, rbf(2), {1, 10}, 2);
  std::vector<double> lower, upper;
  for (Index i = 0; i < 40; ++i) {  // the first split knows positive rows only, the second all
    lower.push_back(0);
    upper.push_back(grid.upper[at(i)]);
  }
  lower.insert(lower.end(), grid.lower.begin(), grid.lower.end());
  upper.insert(upper.end(), grid.upper.begin(), grid.upper.end());
  CellGroup<double> group = grid.group<double>();
  group.problems[0].lower = lower;
  group.problems[0].upper = upper;
  Room<double> room;
  const CellSolutions found = solve_cells<double>({group}, room, to(1e-6), {}, 1, nullptr)[0][0];
  for (const Index cell : {0, 1}) {
    const Machine machine(found, grid, cell, 0);
    CHECK(machine.status == Status::solved);
    CHECK(std::ranges::all_of(machine.coef, [](double c) { return c == 0; }));
    CHECK(machine.optimality.gap == 0 && std::isfinite(machine.optimality.best_low));
    CHECK(Machine(found, grid, cell, 1).status == Status::solved);
  }
}

TEST(cells_stop_at_the_deadline) {
  const Grid grid = classes(60, 634);
  for (const int threads : {1, 2}) {
    const CellSolutions found = solved(grid, to(1e-6), threads, {.seconds = 0});
    for_each_machine(grid, found, [&](const Known& known, const Machine& machine) {
      CHECK(machine.status == Status::time_limit && known.feasible(machine.coef));
    });
  }
}

TEST(cells_of_many_groups_stop_at_the_deadline) {
  const Grid grid = classes(60, 635);
  const std::vector<CellGroup<double>> groups(8, grid.group<double>());
  Room<double> room;
  for (const auto& found : solve_cells<double>(groups, room, to(1e-6), {.seconds = 0}, 2, nullptr))
    for (const Status status : found[0].statuses) CHECK(status == Status::time_limit);
}

TEST(cells_that_are_solved_before_the_deadline_are_kept) {
  const Grid grid = classes(60, 636);
  GramRecipe<double> late = []() -> std::unique_ptr<Gram<double>> { throw Stopped(Status::time_limit); };
  for (const int threads : {1, 2}) {
    Room<double> room;
    const auto found =
        solve_cells<double>({grid.group<double>(), {&late, {grid.cells()}}}, room, to(1e-6), {}, threads, nullptr);
    check_solved<double>(grid, found[0][0], 1e-6);
    for (const Status status : found[1][0].statuses) CHECK(status == Status::time_limit);
  }
}

TEST(cells_stop_where_the_caller_asks_for_it) {
  const Grid grid = classes(60, 637);
  GramRecipe<double> slow = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    return grid.gram<double>();
  };
  for (const int threads : {1, 2}) {
    Room<double> room;
    const auto found = solve_cells<double>({{&slow, {grid.cells()}}, {&slow, {grid.cells()}}}, room, to(1e-6), {},
                                           threads, [](const Progress&) { return false; });
    for (const auto& group : found)
      for (const Status status : group[0].statuses) CHECK(status == Status::interrupted);
  }
}

TEST(cells_stop_at_the_step_limit) {
  const Grid grid = classes(60, 638);
  const CellSolutions found = solved(grid, to(1e-6), 1, {.max_steps = 5});
  for_each_machine(grid, found, [&](const Known& known, const Machine& machine) {
    CHECK(machine.status == Status::step_limit && known.feasible(machine.coef));
  });
}

TEST(cells_carry_exceptions_of_a_recipe_back) {
  const Grid grid = classes(30, 639);
  GramRecipe<double> failing = []() -> std::unique_ptr<Gram<double>> { throw std::overflow_error("kernel values"); };
  for (const int threads : {1, 2})
    for (const std::size_t count : {1, 6}) {
      std::vector<CellGroup<double>> groups(count, grid.group<double>());
      groups.back().gram = &failing;
      Room<double> room;
      CHECK_THROWS(std::overflow_error, solve_cells<double>(groups, room, to(1e-6), {}, threads, nullptr));
    }
}

TEST(cells_of_nothing_are_nothing) {
  Room<double> room;
  for (const int threads : {1, 2}) CHECK(solve_cells<double>({}, room, to(1e-6), {}, threads, nullptr).empty());
}

TEST(room_gives_memory_again) {
  Room<float> room;
  Buffer<float> first = room.take(100);
  const float* const place = first.data();
  CHECK(first.size() >= 100);
  room.give_back(std::move(first));
  Buffer<float> again = room.take(60);
  CHECK(again.data() == place && again.size() >= 60);
  Buffer<float> other = room.take(60);
  CHECK(other.data() != place);
}

TEST(room_gives_the_smallest_memory_that_suffices) {
  Room<double> room;
  std::vector<Buffer<double>> taken;
  for (const Index size : {300, 100, 200}) taken.push_back(room.take(size));
  const double* const middle = taken[2].data();
  for (Buffer<double>& one : taken) room.give_back(std::move(one));
  CHECK(room.take(150).data() == middle);
  CHECK(room.take(1000).size() >= 1000);
}

TEST(room_that_was_used_before_changes_no_cell) {
  const Grid grid = classes(750, 640, rbf(2), {0.5, 20}, 2);
  const CellSolutions expected = solved(grid, to(1e-3));
  Room<double> room;
  for (const Index size : {750 * 750, 2000 * 2000}) {
    Buffer<double> used = room.take(size);
    std::fill_n(used.data(), used.size(), std::nan(""));
    room.give_back(std::move(used));
    for (int again = 0; again < 2; ++again)
      check_equal(solve_cells<double>({grid.group<double>()}, room, to(1e-3), {}, 1, nullptr)[0][0], expected);
  }
}
