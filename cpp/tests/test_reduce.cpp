// Sums over tiles and symmetric blocks, against the same sums over the naive matrix.
#include "check.hpp"
#include "mercer/reduce.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

template <class T>
void check_block(const Kernel& kernel, const Table& X, const Matrix& data, Index q, int threads) {
  const Frame frame = frame_for(kernel, data);
  const Points<T> points(data, nullptr, frame, layout_for(kernel, data));
  std::vector<Index> rows;
  for (Index k = 0; k < q; ++k) rows.push_back((k * 7 + 5) % X.rows);
  std::vector<T> K(at(q * q), T(-99));
  symmetric_block<T>(kernel.rescaled(frame.scale), points, rows, K.data(), threads, nullptr);
  const double tol = rounding<T>(kernel, X);
  for (Index i = 0; i < q; ++i) {
    const double self = kernel.translation_invariant() ? naive_value(kernel, X.row(0), X.row(0)) : -1;
    if (kernel.translation_invariant()) CHECK(K[at(i * q + i)] == static_cast<T>(self));
    for (Index j = 0; j < q; ++j) {
      CHECK(K[at(i * q + j)] == K[at(j * q + i)]);
      CHECK_NEAR(static_cast<double>(K[at(i * q + j)]), naive_value(kernel, X.row(rows[at(i)]), X.row(rows[at(j)])),
                 tol);
    }
  }
}

// Two outputs share the centres; one of them has two segments, across the end of a tile.
struct Machine {
  explicit Machine(Index centres) : size(centres), coef(Random(50).vector(2 * centres)) {
    segments = {{1, 0, size - 10, coef.data()}, {0, 5, 6, coef.data() + size}, {0, 20, size, coef.data() + size + 10}};
  }
  double value(const Table& K, Index i, Index output) const {
    double sum = 0;
    for (const Segment& part : segments)
      for (Index b = part.first; b < part.last && part.output == output; ++b)
        sum += part.coef[b - part.first] * K.row(i)[at(b)];
    return sum;
  }
  Index size;
  std::vector<double> coef;
  std::vector<Segment> segments;
};

template <class T, class Data>
void check_evaluate(const Kernel& kernel, const Table& X, const Table& Z, const std::vector<Index>* rows) {
  constexpr Index outputs = 3;
  const Data data(X), centre_data(Z);
  const Frame frame = frame_for(kernel, centre_data);
  const Points<T> centres(centre_data, nullptr, frame, layout_for(kernel, centre_data));
  const Machine machine(Z.rows);
  const Table K = naive_matrix(kernel, X, Z);
  const std::vector<Index> queries = rows ? *rows : count_up_to(X.rows);
  const double tol = rounding<T>(kernel, X) * static_cast<double>(Z.rows);
  for (int threads : {1, 3}) {
    std::vector<double> out(queries.size() * outputs, -99);
    evaluate<T>(kernel.rescaled(frame.scale), frame, centres, machine.segments, outputs, data, rows, out.data(),
                threads, nullptr);
    for (std::size_t k = 0; k < queries.size(); ++k)
      for (Index o = 0; o < outputs; ++o)
        CHECK_NEAR(out[k * outputs + at(o)], o < 2 ? machine.value(K, queries[k], o) : 0, tol);
  }
}

}  // namespace

TEST(symmetric_block_is_symmetric_with_an_exact_diagonal) {
  const Table X = random_table(90, 5, 51), wide = random_table(20, 260, 52), sparse = random_table(60, 40, 53, 0.1);
  for (const Index q : {1, 7, 16, 48, 49, 90, 310})
    for (const int threads : {1, 3}) {
      check_block<float>(rbf(0.7), X, DenseData<double>(X), q, threads);
      check_block<double>(rbf(0.7), X, DenseData<double>(X), q, threads);
    }
  for (const Kernel& kernel : {linear(), polynomial(0.5, 1, 3), sigmoid(0.5, 1), laplacian(0.7)}) {
    check_block<float>(kernel, X, DenseData<float>(X), 55, 2);
    check_block<double>(kernel, sparse, CsrData<double, std::int32_t>(sparse), 55, 2);
  }
  for (const Index q : {3, 20, 150}) {
    check_block<float>(rbf(0.01), wide, DenseData<float>(wide), q, 2);
    check_block<double>(rbf(0.2), sparse, CsrData<double, std::int32_t>(sparse), q, 2);
  }
}

TEST(symmetric_block_of_no_rows_is_empty) {
  const DenseData<double> data(random_table(4, 2, 54));
  const Points<double> points(data, nullptr, {}, Layout::panels);
  double untouched = 7;
  symmetric_block<double>(rbf(1), points, {}, &untouched, 2, nullptr);
  CHECK(untouched == 7);
}

TEST(evaluate_sums_every_segment_into_its_output) {
  const Table X = random_table(110, 4, 55), Z = random_table(300, 4, 56);
  const std::vector<Index> rows{109, 3, 3, 50};
  for (const std::vector<Index>* chosen : {static_cast<const std::vector<Index>*>(nullptr), &rows}) {
    check_evaluate<double, DenseData<double>>(rbf(0.5), X, Z, chosen);
    check_evaluate<float, DenseData<float>>(product(laplacian(0.2), rbf(0.5)), X, Z, chosen);
    check_evaluate<double, CsrData<double, std::int64_t>>(sum(linear(), laplacian(0.3)), X, Z, chosen);
  }
  const Table wide_X = random_table(30, 256, 57), wide_Z = random_table(40, 256, 58);
  check_evaluate<double, DenseData<float>>(rbf(0.01), wide_X, wide_Z, nullptr);
}

TEST(evaluate_of_no_centres_is_zero) {
  const DenseData<double> X(random_table(5, 2, 59));
  const std::vector<Index> none;
  const Points<double> centres(X, &none, {}, Layout::panels);
  std::vector<double> out(5, -99);
  evaluate<double>(rbf(1), {}, centres, {{0, 0, 0, nullptr}}, 1, X, nullptr, out.data(), 1, nullptr);
  for (const double value : out) CHECK(value == 0);
}

TEST(evaluate_stops_at_the_deadline) {
  const DenseData<double> X(random_table(500, 2, 60));
  const Points<double> centres(X, nullptr, {}, Layout::panels);
  const std::vector<double> coef(500, 1.0);
  std::vector<double> out(500);
  Stop stop(0, 1, nullptr);
  CHECK_THROWS(Stopped,
               evaluate<double>(rbf(1), {}, centres, {{0, 0, 500, coef.data()}}, 1, X, nullptr, out.data(), 1, &stop));
}

TEST(expand_sums_over_each_set_of_rows) {
  const Table X = random_table(150, 3, 61);
  const DenseData<double> data(X);
  Random random(62);
  std::vector<double> coef = random.vector(120), few = random.vector(4);
  for (std::size_t k = 0; k < coef.size(); k += 3) coef[k] = 0;  // rows without weight are not centres, but get values
  std::vector<Index> rows = count_up_to(120);
  std::ranges::reverse(rows);
  const std::vector<RowCoefficients> sets{{rows, coef}, {{149, 0, 77, 0}, few}, {{}, {}}};
  for (const Kernel& kernel : {rbf(0.5), linear(), sum(rbf(0.5), laplacian(1))}) {
    const Table K = naive_matrix(kernel, X, X);
    for (const int threads : {1, 2, 4})
      for (const bool together : {true, false}) {
        const std::size_t count = together ? sets.size() : 1;
        const auto found =
            expand(kernel, data, {sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(count)}, threads, nullptr);
        CHECK(found.size() == count);
        for (std::size_t s = 0; s < count; ++s)
          for (std::size_t i = 0; i < sets[s].rows.size(); ++i) {
            double expected = 0;
            for (std::size_t j = 0; j < sets[s].rows.size(); ++j)
              expected += sets[s].coef[j] * K.row(sets[s].rows[i])[at(sets[s].rows[j])];
            CHECK_NEAR(found[s][i], expected, 120 * rounding<double>(kernel, X));
          }
      }
  }
}
