// Stochastic gradient descent: against plain loops, in every layout, lazily and not, and how it ends.
#include <algorithm>
#include <chrono>
#include <thread>

#include "check.hpp"
#include "linear/sgd/lazy_weights.hpp"
#include "mercer/orders.hpp"
#include "mercer/sgd.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double forever = std::numeric_limits<double>::infinity();
constexpr Index any_steps = std::numeric_limits<Index>::max();
constexpr double never = -std::numeric_limits<double>::infinity();

// Sums of a few hundred steps in another order.
constexpr double order_of_sums = 1e-10;

struct Lesson {
  Lesson(Index n, Index d, unsigned seed, double density = 1) : table(random_table(n, d, seed, density)) {
    Random random(seed + 1);
    for (Index i = 0; i < n; ++i) {
      y.push_back(table.row(i)[0] + 0.3 * random() > 0 ? 1 : 0);
      weight.push_back(1 + 0.5 * random());
    }
  }
  Table table;
  std::vector<double> y, weight;
};

SgdOptions options_of(SgdLoss loss, SgdRate rate, Index batch, Index passes) {
  SgdOptions options;
  options.loss = loss;
  options.rate = rate;
  options.alpha = options.l2 = 0.01;
  options.eta0 = 0.05;
  options.batch_size = batch;
  options.max_passes = passes;
  options.tol = never;
  return options;
}

SgdTask task_of(const LinearRows& X, const Lesson& lesson, Index positive = 1, Index functions = 1) {
  const auto size = at(functions * (X.features() + 1));
  return {{&X, lesson.y, lesson.weight},
          {},
          positive,
          1,
          1,
          functions,
          {std::vector<double>(size), std::vector<double>(size), 0},
          17};
}

SgdResult descended(const Matrix& X, const Lesson& lesson, const SgdOptions& options, Index positive = 1,
                    Index functions = 1) {
  const auto rows = linear_rows(X, {}, {});
  Stop stop;
  return descend({task_of(*rows, lesson, positive, functions)}, options, 1, stop)[0];
}

double slope_of(SgdLoss loss, double epsilon, double y, double f) {
  const double lack = 1 - y * f, excess = std::abs(y - f) - epsilon, side = f > y ? 1 : -1;
  switch (loss) {
    case SgdLoss::squared: return f - y;
    case SgdLoss::logistic: return -y / (1 + std::exp(y * f));
    case SgdLoss::hinge: return lack >= 0 ? -y : 0;
    case SgdLoss::squared_hinge: return lack > 0 ? -2 * y * lack : 0;
    case SgdLoss::epsilon_insensitive: return excess > 0 ? side : 0;
    case SgdLoss::squared_epsilon_insensitive: return excess > 0 ? 2 * excess * side : 0;
    case SgdLoss::huber: return std::clamp(f - y, -epsilon, epsilon);
    case SgdLoss::modified_huber: return -2 * y * std::clamp(lack, 0.0, 2.0);
    case SgdLoss::perceptron: return lack >= 1 ? -y : 0;
    case SgdLoss::softmax: break;
  }
  return std::nan("");
}

// In the given order, with every weight shrunk, truncated and averaged at every step.
std::vector<std::vector<double>> naive(const Lesson& lesson, const SgdOptions& o) {
  const Index n = lesson.table.rows, d = lesson.table.cols;
  std::vector<double> w(at(d + 1)), mean(at(d + 1));
  Index t = 0, averaged = 0;
  double pending = 0;
  const Index interval = std::max<Index>(1, d / 64);
  for (Index pass = 0; pass < o.max_passes; ++pass) {
    for (Index first = 0; first < n; first += o.batch_size) {
      const Index count = std::min(o.batch_size, n - first);
      const double power = o.rate == SgdRate::constant ? 0 : o.power_t;
      const double eta = o.eta0 / std::pow(static_cast<double>(++t), power);
      std::vector<double> gradient(at(d + 1));
      for (Index i = first; i < first + count; ++i) {
        const auto x = lesson.table.row(i);
        const double f = std::inner_product(x.begin(), x.end(), w.begin(), 0.0) + w.back();
        const double g = lesson.weight[at(i)] * slope_of(o.loss, o.epsilon, lesson.y[at(i)] == 1 ? 1 : -1, f);
        for (Index j = 0; j < d; ++j) gradient[at(j)] += g * x[at(j)] / static_cast<double>(count);
        gradient[at(d)] += g / static_cast<double>(count);
      }
      for (Index j = 0; j < d; ++j) w[at(j)] = (1 - eta * o.l2) * w[at(j)] - eta * gradient[at(j)];
      w[at(d)] -= eta * (gradient[at(d)] + o.offset_price);
      pending += eta * o.l1;
      const auto truncate = [&] {
        for (Index j = 0; j < d; ++j) w[at(j)] = std::copysign(std::max(0.0, std::abs(w[at(j)]) - pending), w[at(j)]);
        pending = 0;
      };
      if (t % interval == 0) truncate();
      if (o.average > 0 && t >= o.average) {
        ++averaged;
        for (Index j = 0; j <= d; ++j) mean[at(j)] += (w[at(j)] - mean[at(j)]) / static_cast<double>(averaged);
      }
      if (first + count == n) truncate();
    }
  }
  return {w, mean};
}

void check_same(const std::vector<double>& a, const std::vector<double>& b, double tol) {
  CHECK(a.size() == b.size());
  for (std::size_t j = 0; j < a.size(); ++j) CHECK_NEAR(a[j], b[j], tol);
}

constexpr SgdLoss losses_of_one[] = {SgdLoss::squared,
                                     SgdLoss::logistic,
                                     SgdLoss::hinge,
                                     SgdLoss::squared_hinge,
                                     SgdLoss::epsilon_insensitive,
                                     SgdLoss::squared_epsilon_insensitive,
                                     SgdLoss::huber,
                                     SgdLoss::modified_huber,
                                     SgdLoss::perceptron};

}  // namespace

TEST(sgd_is_that_of_plain_loops) {
  const Lesson narrow(90, 7, 1), wide(60, 200, 2, 0.1);
  const LevelGuard guard;
  for (const std::string_view level : simd_levels()) {
    set_simd_level(level);
    for (const Lesson* lesson : {&narrow, &wide})
      for (const SgdLoss loss : losses_of_one)
        for (const Index batch : {1, 4, 64})
          for (const double l1 : {0.0, 0.01}) {
            SgdOptions options = options_of(loss, batch == 4 ? SgdRate::constant : SgdRate::inverse_scaling, batch, 3);
            options.shuffle = false;
            options.l1 = l1;
            options.average = 20 / batch + 1;
            options.offset_price = batch == 64 ? 0.3 : 0;
            const SgdResult found = descended(DenseData<double>(lesson->table), *lesson, options);
            const auto expected = naive(*lesson, options);
            check_same(found.weights.w, expected[0], order_of_sums);
            check_same(found.weights.average, expected[1], order_of_sums);
            CHECK(found.passes == 3 && found.end == SgdEnd::passes_done);
          }
  }
}

TEST(sgd_is_the_same_in_every_layout) {
  const Lesson lesson(120, 30, 3, 0.3);
  SgdOptions options = options_of(SgdLoss::logistic, SgdRate::optimal, 3, 4);
  options.average = 5;
  options.l1 = 0.001;
  const SgdResult dense = descended(DenseData<double>(lesson.table), lesson, options);
  const auto check = [&](const SgdResult& other) {
    check_same(dense.weights.w, other.weights.w, order_of_sums);
    check_same(dense.weights.average, other.weights.average, order_of_sums);
    CHECK(dense.weights.updates == other.weights.updates && dense.weights.updates == 160);
  };
  check(descended(DenseData<float>(lesson.table), lesson, options));
  check(descended(CsrData<double, std::int32_t>(lesson.table), lesson, options));
  check(descended(CsrData<float, std::int64_t>(lesson.table), lesson, options));
}

TEST(sgd_weighs_a_class_as_its_rows_would) {
  Lesson lesson(80, 6, 18);
  const DenseData<double> data(lesson.table);
  const auto X = linear_rows(data, {}, {});
  const SgdOptions options = options_of(SgdLoss::hinge, SgdRate::optimal, 2, 3);
  SgdTask task = task_of(*X, lesson);
  task.weight_of_positive = 3;
  task.weight_of_rest = 0.5;
  Stop stop;
  const SgdResult by_class = descend({task}, options, 1, stop)[0];
  for (std::size_t i = 0; i < 80; ++i) lesson.weight[i] *= lesson.y[i] == 1 ? 3 : 0.5;
  check_same(by_class.weights.w, descended(data, lesson, options).weights.w, order_of_sums);
}

TEST(sgd_goes_on_where_it_was) {
  const Lesson lesson(64, 9, 4);
  SgdOptions options = options_of(SgdLoss::hinge, SgdRate::inverse_scaling, 4, 1);
  options.shuffle = false;
  options.average = 3;
  const DenseData<double> data(lesson.table);
  const SgdResult whole = descended(data, lesson, options);
  SgdWeights reached = {std::vector<double>(10), std::vector<double>(10), 0};
  for (Index first = 0; first < 64; first += 16) {
    std::vector<Index> rows(16);
    std::iota(rows.begin(), rows.end(), first);
    const auto X = linear_rows(data, rows, {});
    SgdTask task = task_of(*X, lesson);
    task.training.y = task.training.y.subspan(at(first), 16);
    task.training.weight = task.training.weight.subspan(at(first), 16);
    task.start = reached;
    Stop stop;
    reached = descend({task}, options, 1, stop)[0].weights;
  }
  check_same(whole.weights.w, reached.w, order_of_sums);
  check_same(whole.weights.average, reached.average, order_of_sums);
  CHECK(whole.weights.updates == reached.updates);
}

TEST(sgd_has_the_same_bits_with_any_number_of_threads) {
  const Lesson lesson(500, 12, 5);
  const DenseData<double> data(lesson.table);
  const auto X = linear_rows(data, {}, {});
  std::vector<SgdTask> tasks(7, task_of(*X, lesson));
  for (std::size_t k = 0; k < tasks.size(); ++k) tasks[k].seed = k;
  const SgdOptions options = options_of(SgdLoss::logistic, SgdRate::optimal, 1, 20);
  Stop stop;
  const auto one = descend(tasks, options, 1, stop), many = descend(tasks, options, 4, stop);
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    CHECK(one[k].weights.w == many[k].weights.w);
    CHECK(k == 0 || one[k].weights.w != one[0].weights.w);  // another seed, another order
  }
}

TEST(sgd_of_two_softmax_functions_steps_as_the_logistic) {
  Lesson lesson(1, 6, 6);
  for (const double label : {0.0, 1.0}) {
    lesson.y = {label};
    SgdOptions options = options_of(SgdLoss::logistic, SgdRate::constant, 1, 1);
    options.l2 = 0;
    Random random(7);
    const std::vector<double> w = random.vector(7);
    const DenseData<double> data(lesson.table);
    const auto X = linear_rows(data, {}, {});
    SgdTask one = task_of(*X, lesson), two = task_of(*X, lesson, -1, 2);
    one.start.w = w;
    std::ranges::copy(w, two.start.w.begin() + 7);  // scores [0, f]
    Stop stop;
    const SgdResult logistic = descend({one}, options, 1, stop)[0];
    options.loss = SgdLoss::softmax;
    const SgdResult softmax = descend({two}, options, 1, stop)[0];
    for (std::size_t j = 0; j < 7; ++j) {
      CHECK_NEAR(softmax.weights.w[7 + j], logistic.weights.w[j], 1e-15);
      CHECK_NEAR(softmax.weights.w[j], w[j] - logistic.weights.w[j], 1e-15);
    }
  }
}

TEST(sgd_survives_scores_that_overflow_their_exponentials) {
  Lesson lesson(3, 2, 8);
  for (double& x : lesson.table.values) x *= 1e4;
  SgdOptions options = options_of(SgdLoss::softmax, SgdRate::constant, 1, 3);
  options.eta0 = 1;
  lesson.y = {0, 1, 2};
  const auto check = [&](const SgdResult& found) {
    CHECK(found.end == SgdEnd::passes_done);
    for (const double w : found.weights.w) CHECK(std::isfinite(w) && w != 0);
  };
  check(descended(DenseData<double>(lesson.table), lesson, options, -1, 3));
  options.loss = SgdLoss::logistic;
  check(descended(DenseData<double>(lesson.table), lesson, options));
}

TEST(sgd_that_diverges_says_so_and_keeps_finite_weights) {
  const Lesson lesson(400, 5, 9);
  SgdOptions options = options_of(SgdLoss::squared, SgdRate::constant, 1, 50);
  options.eta0 = 100;
  const SgdResult found = descended(DenseData<double>(lesson.table), lesson, options);
  CHECK(found.end == SgdEnd::diverged);
  CHECK(found.passes < 50);
  for (const double w : found.weights.w) CHECK(std::isfinite(w));
}

TEST(sgd_ends_where_passes_no_longer_help) {
  const Lesson lesson(300, 5, 10);
  SgdOptions options = options_of(SgdLoss::logistic, SgdRate::constant, 1, 1000);
  options.tol = 1e-3;
  const SgdResult found = descended(DenseData<double>(lesson.table), lesson, options);
  CHECK(found.end == SgdEnd::steady && found.passes > options.patience && found.passes < 100);
  options.rate = SgdRate::adaptive;
  CHECK(descended(DenseData<double>(lesson.table), lesson, options).passes > found.passes + options.patience);
}

TEST(sgd_ends_after_a_pass_without_mistakes_where_it_is_asked_to) {
  Lesson lesson(200, 5, 19);
  for (Index i = 0; i < 200; ++i) lesson.table.row(i)[0] = lesson.y[at(i)] > 0 ? 2 : -2;  // separable
  const DenseData<double> data(lesson.table);
  SgdOptions options = options_of(SgdLoss::perceptron, SgdRate::constant, 1, 1000);
  options.l2 = 0;
  const SgdResult all = descended(data, lesson, options);
  CHECK(all.end == SgdEnd::passes_done && all.passes == 1000);
  options.until_right = true;
  const SgdResult found = descended(data, lesson, options);
  CHECK(found.end == SgdEnd::right && found.passes > 1 && found.passes < 100);
  CHECK(found.pulls > 0 && found.pulls == all.pulls);
  CHECK(found.weights.w == all.weights.w);
}

TEST(orders_are_permutations_that_follow_the_seed) {
  Orders one(50, 7, true), same(50, 7, true), other(50, 8, true), calm(50, 7, false);
  std::vector<std::int32_t> before;
  for (int pass = 0; pass < 3; ++pass) {
    const auto order = one.next();
    std::vector<std::int32_t> sorted(order.begin(), order.end());
    CHECK(std::ranges::equal(order, same.next()) && !std::ranges::equal(order, other.next()));
    CHECK(sorted != before);
    before = sorted;
    std::ranges::sort(sorted);
    CHECK(std::ranges::equal(sorted, calm.next()));
  }
}

TEST(sgd_ends_where_the_rows_held_out_are_no_better) {
  const Lesson lesson(300, 5, 11);
  Lesson held_out(100, 5, 12);
  for (Index i = 0; i < 100; ++i)
    held_out.table.row(i)[0] = held_out.y[at(i)] > 0 ? 1 : -1;  // right from the first pass
  const DenseData<double> data(lesson.table), other(held_out.table);
  const auto X = linear_rows(data, {}, {}), Z = linear_rows(other, {}, {});
  SgdTask task = task_of(*X, lesson);
  SgdOptions options = options_of(SgdLoss::logistic, SgdRate::constant, 1, 1000);
  options.eta0 = 1e-3;  // slow enough for many passes to improve the objective
  options.tol = 1e-4;
  Stop stop;
  CHECK(descend({task}, options, 1, stop)[0].passes > 20);
  task.held_out = {Z.get(), held_out.y, held_out.weight};
  const SgdResult found = descend({task}, options, 1, stop)[0];
  CHECK(found.end == SgdEnd::steady && found.passes < 15);
}

TEST(sgd_stops_at_the_deadline_and_where_it_is_asked_to) {
  const Lesson lesson(1000, 20, 13);
  const DenseData<double> data(lesson.table);
  const auto X = linear_rows(data, {}, {});
  const std::vector<SgdTask> tasks(3, task_of(*X, lesson));
  const SgdOptions options = options_of(SgdLoss::hinge, SgdRate::optimal, 1, any_steps);
  for (const int threads : {1, 2}) {
    const auto began = std::chrono::steady_clock::now();
    Stop at_deadline(0.05, any_steps, nullptr);
    for (const SgdResult& found : descend(tasks, options, threads, at_deadline)) {
      CHECK(found.end == SgdEnd::time_limit);
      for (const double w : found.weights.w) CHECK(std::isfinite(w));
    }
    Stop on_wish(forever, any_steps, [](const Progress& progress) { return progress.steps == 0; });
    for (const SgdResult& found : descend(tasks, options, threads, on_wish)) CHECK(found.end == SgdEnd::interrupted);
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(5));
  }
}

TEST(lazy_weights_keep_their_average_however_small_their_scale) {
  Random random(14);
  const Table table = random_table(50, 4, 15);
  const DenseData<double> data(table);
  const auto X = linear_rows(data, {}, {});
  LazyWeights lazy(1, 4, std::vector<double>(5), std::vector<double>(5), 0);
  std::vector<double> w(4), sum(4);
  for (std::int32_t i = 0; i < 50; ++i) {
    const double factor = i % 10 == 9 ? 0 : 0.2, coef = random();
    lazy.shrink(factor);
    lazy.add(*X, {&i, 1}, &coef, 0);
    if (i % 7 == 0) lazy.truncate(0.01);
    lazy.remember();
    for (std::size_t j = 0; j < 4; ++j) {
      w[j] = factor * w[j] + coef * table.row(i)[j];
      if (i % 7 == 0) w[j] = std::copysign(std::max(0.0, std::abs(w[j]) - 0.01), w[j]);
      sum[j] += w[j];
    }
  }
  double squares = 0, sizes = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    CHECK_NEAR(lazy.current()[j], w[j], 1e-12);
    CHECK_NEAR(lazy.average()[j], sum[j] / 50, 1e-12);
    squares += w[j] * w[j];
    sizes += std::abs(w[j]);
  }
  CHECK_NEAR(lazy.squared_norm(), squares, 1e-12);
  CHECK_NEAR(lazy.absolute_sum(), sizes, 1e-12);
}
