// Both methods reach the same optimum, which the duality gap proves; limits and starts are kept to.
#include <algorithm>

#include "check.hpp"
#include "mercer/linear.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

enum class Loss { hinge, squared_hinge, tube, squared_tube };
constexpr Loss losses[] = {Loss::hinge, Loss::squared_hinge, Loss::tube, Loss::squared_tube};

// Noisy targets of a linear function.
struct Example {
  Table table;
  std::vector<double> slope, lower, upper, kink, weight;

  Example(Index rows, Index cols, Loss loss, double C, unsigned seed) : table(random_table(rows, cols, seed)) {
    Random random(seed + 1);
    const std::vector<double> w = random.vector(cols);
    for (Index i = 0; i < rows; ++i) {
      double f = 0.2 + 0.3 * random();
      for (Index j = 0; j < cols; ++j) f += w[at(j)] * table.row(i)[at(j)];
      const bool squared = loss == Loss::squared_hinge || loss == Loss::squared_tube;
      const double bound = squared ? inf : C;
      if (loss == Loss::hinge || loss == Loss::squared_hinge) {
        slope.push_back(f > 0 ? 1 : -1);
        lower.push_back(f > 0 ? 0 : -bound);
        upper.push_back(f > 0 ? bound : 0);
      } else {
        slope.push_back(f);
        lower.push_back(-bound);
        upper.push_back(bound);
        kink.push_back(0.05);
      }
      if (squared) weight.push_back(2 * C);
    }
  }

  LinearProblem problem(bool free_offset) const {
    LinearProblem problem{.slope = slope, .lower = lower, .upper = upper, .kink = kink, .weight = weight};
    problem.offsets = {1, 1.0, {}};
    problem.free_offsets = free_offset;
    return problem;
  }
  Matrix matrix() const { return Dense<double>{table.values.data(), table.rows, table.cols}; }

  // P and D by their formulas, at the weights and at the coefficients.
  std::pair<double, double> objectives(const LinearSolution& found, bool free_offset) const {
    const std::size_t d = at(table.cols);
    double primal = 0, dual = 0, total = 0, size = 0;
    std::vector<double> v(d, 0.0);
    for (Index i = 0; i < table.rows; ++i) {
      double f = found.w[d];
      for (std::size_t j = 0; j < d; ++j) f += found.w[j] * table.row(i)[j];
      const double c = found.coef[at(i)], r = slope[at(i)] - f, k = kink.empty() ? 0 : kink[at(i)];
      const double excess = std::max(std::abs(r) - k, 0.0), bound = r > 0 ? upper[at(i)] : -lower[at(i)];
      if (bound > 0) primal += weight.empty() ? bound * excess : 0.5 * weight[at(i)] * excess * excess;
      dual += c * slope[at(i)] - k * std::abs(c) - (weight.empty() ? 0 : 0.5 * c * c / weight[at(i)]);
      CHECK(c >= lower[at(i)] && c <= upper[at(i)]);
      total += c;
      size += std::abs(c);
      for (std::size_t j = 0; j < d; ++j) v[j] += c * table.row(i)[j];
    }
    for (std::size_t j = 0; j < d; ++j) {
      primal += 0.5 * found.w[j] * found.w[j];
      dual -= 0.5 * v[j] * v[j];
    }
    if (free_offset) {
      CHECK_NEAR(total, 0.0, 1e-10 * size);
    } else {
      primal += 0.5 * found.w[d] * found.w[d];
      dual -= 0.5 * total * total;
    }
    return {primal, dual};
  }
};

LinearOptions to_gap(double gap_tol) {
  LinearOptions options;
  options.gap_tol = gap_tol;
  return options;
}

LinearSolution solved(const Example& example, const LinearProblem& problem, LinearMethod method,
                      const LinearOptions& options, const Limits& limits = {}) {
  return solve_linear(example.matrix(), {problem}, method, options, limits, nullptr).front();
}

}  // namespace

TEST(linear_methods_prove_the_gap_that_is_asked_for) {
  for (const Loss loss : losses)
    for (const double C : {0.01, 1.0, 100.0})
      for (const Index rows : {30, 400, 9000}) {
        if (rows == 9000 && C != 1) continue;  // samples and shares, once
        const Example example(rows, 5, loss, C, 40);
        for (const bool free_offset : {false, true})
          for (const LinearMethod method : {LinearMethod::multipliers, LinearMethod::coordinates}) {
            if (method == LinearMethod::coordinates && (free_offset || rows * C > 9000)) continue;  // not its kind
            const LinearSolution found = solved(example, example.problem(free_offset), method, to_gap(1e-6));
            const auto [primal, dual] = example.objectives(found, free_offset);
            CHECK(found.status == Status::solved);
            CHECK(primal >= dual - 1e-9 * std::abs(primal));
            CHECK(primal - dual <= 1.01e-6 * primal);
          }
      }
}

TEST(linear_methods_agree_on_the_weights) {
  for (const Loss loss : losses) {
    const Example example(200, 4, loss, 1.0, 50);
    const LinearProblem problem = example.problem(false);
    const LinearSolution one = solved(example, problem, LinearMethod::multipliers, to_gap(1e-11));
    const LinearSolution other = solved(example, problem, LinearMethod::coordinates, to_gap(1e-11));
    for (std::size_t j = 0; j < one.w.size(); ++j) CHECK_NEAR(one.w[j], other.w[j], 1e-4);
  }
}

TEST(linear_newton_steps_agree_whether_factored_or_by_conjugate_gradients) {
  for (const Loss loss : losses) {
    const Example example(300, 6, loss, 1.0, 60);
    LinearOptions by_gradients = to_gap(1e-9);
    by_gradients.most_factored = 0;
    for (const bool free_offset : {false, true}) {
      const LinearProblem problem = example.problem(free_offset);
      const LinearSolution one = solved(example, problem, LinearMethod::multipliers, to_gap(1e-9));
      const LinearSolution other = solved(example, problem, LinearMethod::multipliers, by_gradients);
      CHECK(other.status == Status::solved);
      for (std::size_t j = 0; j < one.w.size(); ++j) CHECK_NEAR(one.w[j], other.w[j], 1e-3);
    }
  }
}

TEST(linear_solutions_have_the_same_bits_whatever_the_threads) {
  const Example example(9000, 5, Loss::hinge, 1.0, 70);
  LinearOptions options = to_gap(1e-6);
  const LinearSolution one = solved(example, example.problem(true), LinearMethod::multipliers, options);
  options.threads = 3;
  const LinearSolution three = solved(example, example.problem(true), LinearMethod::multipliers, options);
  CHECK(one.w == three.w && one.coef == three.coef);
}

TEST(linear_solver_keeps_to_its_limits) {
  const Example example(9000, 5, Loss::hinge, 1.0, 80);
  for (const LinearMethod method : {LinearMethod::multipliers, LinearMethod::coordinates}) {
    const LinearSolution few = solved(example, example.problem(false), method, to_gap(1e-12), {inf, 2});
    CHECK(few.status == Status::step_limit && few.steps <= 3);
    const LinearSolution late = solved(example, example.problem(false), method, to_gap(1e-12), {0.0, 1000});
    CHECK(late.status == Status::time_limit);
    for (const LinearSolution* found : {&few, &late}) {
      CHECK(found->w.size() == 6 && found->coef.size() == 9000);
      CHECK(std::ranges::all_of(found->w, [](double x) { return std::isfinite(x); }));
    }
  }
}

TEST(linear_solver_goes_on_from_a_start_in_fewer_steps) {
  for (const Loss loss : losses) {
    const Example example(3000, 5, loss, 1.0, 90);
    for (const LinearMethod method : {LinearMethod::multipliers, LinearMethod::coordinates}) {
      const LinearSolution first = solved(example, example.problem(false), method, to_gap(1e-6));
      LinearProblem again = example.problem(false);
      again.start = first.coef;
      const LinearSolution second = solved(example, again, method, to_gap(1e-6));
      CHECK(second.status == Status::solved);
      CHECK(second.steps < first.steps || second.steps <= 2);
    }
  }
}

TEST(linear_problems_side_by_side_are_what_each_is_alone) {
  const Example example(500, 4, Loss::squared_hinge, 1.0, 100), other(500, 4, Loss::hinge, 0.1, 100);
  const std::vector<LinearProblem> problems{example.problem(false), other.problem(false), example.problem(false)};
  LinearOptions options = to_gap(1e-6);
  options.threads = 2;
  const auto found = solve_linear(example.matrix(), problems, LinearMethod::multipliers, options, {}, nullptr);
  for (std::size_t k = 0; k < problems.size(); ++k)
    CHECK(found[k].w == solved(example, problems[k], LinearMethod::multipliers, to_gap(1e-6)).w);
}

TEST(linear_solver_stops_where_the_report_says_so) {
  const Example example(9000, 5, Loss::hinge, 1000.0, 110);
  LinearOptions options = to_gap(1e-15);
  const auto found = solve_linear(example.matrix(), {example.problem(false)}, LinearMethod::coordinates, options, {},
                                  [](const Progress&) { return false; });
  CHECK(found.front().status == Status::interrupted);
}

TEST(linear_solver_gives_up_a_start_that_leads_nowhere) {
  for (const double C : {1.0, 100.0}) {
    Example example(4000, 20, Loss::hinge, C, 120);
    for (Index i = 0; i < example.table.rows; ++i)
      for (Index j = 0; j < example.table.cols; ++j)
        example.table.row(i)[at(j)] *= std::pow(10.0, 0.4 * static_cast<double>(j) - 4);
    LinearProblem problem = example.problem(false);
    std::vector<double> start(at(example.table.rows));
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = i % 3 ? example.lower[i] : example.upper[i];
    problem.start = start;
    const LinearSolution found = solved(example, problem, LinearMethod::multipliers, to_gap(1e-6));
    const auto [primal, dual] = example.objectives(found, false);
    CHECK(found.status == Status::solved);
    CHECK(primal - dual <= 1.01e-6 * primal);
    CHECK(found.steps < 300);
  }
}

TEST(linear_solver_finds_the_margin_where_bounds_are_far_away) {
  for (const Index cols : {20, 60})
    for (const double C : {1e3, 1e6}) {
      Example example(150, cols, Loss::hinge, C, 130);
      for (Index i = 0; i < example.table.rows; ++i) {  // apart, along the first feature
        const double sign = example.slope[at(i)];
        example.table.row(i)[0] = sign * (0.5 + std::abs(example.table.row(i)[0]));
      }
      const LinearSolution found = solved(example, example.problem(false), LinearMethod::multipliers, to_gap(1e-4));
      const auto [primal, dual] = example.objectives(found, false);
      CHECK(found.status == Status::solved);
      CHECK(primal - dual <= 1.01e-4 * primal);
    }
}

TEST(linear_solver_ends_no_worse_than_at_zero) {
  for (const Loss loss : losses) {
    Example example(300, 40, loss, 1e4, 140);
    for (double& x : example.table.values) x += 50;
    LinearSolution zero;
    zero.w.assign(41, 0.0);
    zero.coef.assign(300, 0.0);
    const double at_zero = example.objectives(zero, false).first;
    for (const LinearMethod method : {LinearMethod::multipliers, LinearMethod::coordinates})
      for (const Index steps : {1, 2, 3, 5, 8, 13, 40}) {
        const LinearSolution found = solved(example, example.problem(false), method, to_gap(1e-9), {inf, steps});
        const auto [primal, dual] = example.objectives(found, false);
        CHECK(primal <= at_zero && dual >= -1e-9 * at_zero);
      }
  }
}
