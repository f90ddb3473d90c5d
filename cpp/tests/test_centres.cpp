// Machines over shared centres against sums over the naive matrix.
#include <memory>
#include <stdexcept>

#include "check.hpp"
#include "mercer/centres.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double untouched = -99;

// Outputs over shared centres. Ranges of centres serve one output, several, or more than a panel of them; they overlap
// and cross the ends of tiles; an output may have several, or the same one twice; the last output has none.
struct Machine {
  Machine(Index centres, Index of_outputs) : outputs(of_outputs) {
    const std::vector<std::pair<Index, Index>> ranges{{0, centres}, {0, centres - 10},         {5, 6}, {20, centres},
                                                      {7, 7},       {centres / 2, centres - 1}};
    Random random(50);
    for (Index o = 0; o + 1 < std::max<Index>(2, outputs); ++o)
      for (std::size_t r = 0; r < ranges.size(); ++r) {
        if (r > 0 && (o + static_cast<Index>(r)) % 3 == 0) continue;
        for (int again = 0; again < (r == 3 ? 2 : 1); ++again) {
          coef.push_back(random.vector(centres));
          segments.push_back({o, ranges[r].first, ranges[r].second, coef.back().data()});
        }
      }
  }
  double value(const Table& K, Index i, Index output) const {
    double sum = 0;
    for (const Segment& part : segments)
      for (Index b = part.first; b < part.last && part.output == output; ++b)
        sum += part.coef[b - part.first] * K.row(i)[at(b)];
    return sum;
  }
  // The coefficients of one output, in absolute value.
  double size() const {
    double largest = 0;
    for (Index o = 0; o < outputs; ++o) {
      double total = 0;
      for (const Segment& part : segments)
        for (Index b = part.first; b < part.last && part.output == o; ++b) total += std::abs(part.coef[b - part.first]);
      largest = std::max(largest, total);
    }
    return largest;
  }
  Index outputs;
  std::vector<std::vector<double>> coef;
  std::vector<Segment> segments;
};

// The machine at every row of X, with one thread and with three: the same bits.
template <class T, class Data>
void check_evaluate(const Kernel& kernel, const Table& X, const Table& Z, double tol) {
  const Data data(X);
  const Centres<T> centres(kernel, Data(Z));
  const Table K = naive_matrix(kernel, X, Z);
  for (const Index outputs : {1, 2, 3, 20}) {
    const Machine machine(Z.rows, outputs);
    const auto evaluated = [&](int threads) {
      std::vector<double> out(at(X.rows * outputs), untouched);
      centres.evaluate(data, machine.segments, outputs, out.data(), {threads});
      return out;
    };
    const std::vector<double> found = evaluated(1);
    CHECK(found == evaluated(3));
    const double bound = tol * machine.size();
    for (Index i = 0; i < X.rows; ++i)
      for (Index o = 0; o < outputs; ++o) CHECK_NEAR(found[at(i * outputs + o)], machine.value(K, i, o), bound);
  }
}
template <class T, class Data>
void check_evaluate(const Kernel& kernel, const Table& X, const Table& Z) {
  check_evaluate<T, Data>(kernel, X, Z, rounding<T>(kernel, X));
}

}  // namespace

TEST(centres_sum_every_segment_into_its_output) {
  const Table X = random_table(110, 4, 55), Z = random_table(300, 4, 56);
  check_evaluate<double, DenseData<double>>(rbf(0.5), X, Z);
  check_evaluate<float, DenseData<float>>(rbf(0.5), X, Z);
  check_evaluate<float, DenseData<float>>(product(laplacian(0.2), rbf(0.5)), X, Z);
  check_evaluate<double, CsrData<double, std::int64_t>>(sum(linear(), laplacian(0.3)), X, Z);
  check_evaluate<float, CsrData<double, std::int64_t>>(polynomial(0.25, 1, 3), X, Z);
  const Table wide_X = random_table(30, 1100, 57), wide_Z = random_table(40, 1100, 58);
  check_evaluate<double, DenseData<float>>(rbf(0.002), wide_X, wide_Z);
}

TEST(centres_are_evaluated_at_several_chunks_of_queries) {
  const Table X = random_table(450, 3, 64), Z = random_table(60, 3, 65);
  check_evaluate<float, DenseData<double>>(rbf(0.5), X, Z);
  check_evaluate<double, CsrData<double, std::int32_t>>(laplacian(0.5), X, Z);
}

// Threads share the centres where there are but few queries.
TEST(centres_are_evaluated_a_range_at_a_time_for_few_queries) {
  const Table X = random_table(5, 2, 79), Z = random_table(12'345, 2, 80);
  check_evaluate<float, DenseData<float>>(rbf(0.5), X, Z);
  check_evaluate<double, CsrData<double, std::int32_t>>(sum(linear(), rbf(0.5)), X, Z);
}

// Queries far out, in some chunks only; centres far out; both. Differences are exact, so values are as good as ever.
TEST(centres_tell_small_distances_from_far_queries) {
  const Table near_X = with_far_rows(450, 1000, 66), near_Z = with_far_rows(60, 1000, 67);
  const Table far_X = with_far_rows(450, 200, 68), far_Z = with_far_rows(60, 4, 69);
  for (const Table* X : {&near_X, &far_X})
    for (const Table* Z : {&near_Z, &far_Z}) {
      check_evaluate<float, DenseData<float>>(rbf(1), *X, *Z, 16 * std::numeric_limits<float>::epsilon());
      check_evaluate<double, DenseData<double>>(rbf(1), *X, *Z, 16 * std::numeric_limits<double>::epsilon());
    }
}

TEST(centres_that_are_none_sum_to_zero) {
  const DenseData<double> X(random_table(5, 2, 59)), none(Table{0, 2, {}});
  const Centres<double> centres(rbf(1), none);
  for (const Index outputs : {1, 2}) {
    std::vector<double> out(at(5 * outputs), untouched);
    centres.evaluate(X, {{0, 0, 0, nullptr}}, outputs, out.data(), {});
    for (const double value : out) CHECK(value == 0);
  }
}

TEST(centres_stop_at_the_deadline) {
  const DenseData<double> X(random_table(500, 2, 60));
  const Centres<double> centres(rbf(1), X);
  const std::vector<double> coef(500, 1.0);
  std::vector<double> out(500);
  Stop stop(0, 1, nullptr);
  CHECK_THROWS(Stopped, centres.evaluate(X, {{0, 0, 500, coef.data()}}, 1, out.data(), {1, &stop}));
}

TEST(centres_place_segments_whose_coefficients_follow_one_another) {
  const Centres<double> centres(linear(), DenseData<double>(random_table(10, 2, 61)));
  const std::vector<double> coef(7, 1.0);
  const std::vector<Segment> placed = centres.segments({{1, 0, 4}, {0, 5, 5}, {0, 7, 10}}, 2, coef);
  CHECK(placed.size() == 3 && placed[0].output == 1 && placed[2].first == 7 && placed[2].last == 10);
  CHECK(placed[0].coef == coef.data() && placed[1].coef == coef.data() + 4 && placed[2].coef == coef.data() + 4);
}

TEST(centres_refuse_segments_that_do_not_fit) {
  const Centres<float> centres(linear(), DenseData<double>(random_table(10, 2, 61)));
  const std::vector<double> coef(7, 1.0);
  const std::vector<std::vector<SegmentRange>> wrong{{{2, 0, 1}},  {{-1, 0, 1}}, {{0, -1, 1}},          {{0, 3, 2}},
                                                     {{0, 9, 11}}, {{0, 0, 8}},  {{0, 0, 5}, {1, 0, 3}}};
  for (const std::vector<SegmentRange>& ranges : wrong)
    CHECK_THROWS(std::invalid_argument, centres.segments(ranges, 2, coef));
}

TEST(centres_refuse_queries_with_another_number_of_features) {
  const Centres<double> centres(linear(), DenseData<double>(random_table(10, 2, 61)));
  const DenseData<double> queries(random_table(3, 4, 62));
  std::vector<double> out(30);
  CHECK_THROWS(std::invalid_argument, centres.evaluate(queries, {}, 1, out.data(), {}));
  CHECK_THROWS(std::invalid_argument, centres.matrix(queries, out.data(), {}));
}

TEST(centres_refuse_kernel_values_that_do_not_fit) {
  const DenseData<double> far(Table{2, 1, {1e14, -1e14}});
  CHECK_THROWS(std::overflow_error, Centres<float>(polynomial(1, 0, 3), far));
  CHECK(Centres<double>(polynomial(1, 0, 3), far).size() == 2);
}

TEST(centres_keep_nothing_of_their_data) {
  const Table Z = random_table(30, 3, 63);
  auto data = std::make_unique<DenseData<double>>(Z);
  const Centres<double> centres(rbf(1), *data);
  data.reset();
  std::vector<double> K(30 * 30);
  centres.matrix(DenseData<double>(Z), K.data(), {});
  for (Index i = 0; i < 30; ++i)
    for (Index j = 0; j < 30; ++j)
      CHECK_NEAR(K[at(i * 30 + j)], naive_value(rbf(1), Z.row(i), Z.row(j)), rounding<double>(rbf(1), Z));
}
