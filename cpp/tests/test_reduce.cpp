// Sums over tiles and blocks of kernel values, against the same over the naive matrix.
#include "check.hpp"
#include "mercer/reduce.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr double untouched = -99;

// ---------------------------------------------------------------- blocks

// Rows in no order, some of them twice.
std::vector<Index> scattered(Index count, Index n, Index from) {
  std::vector<Index> rows;
  for (Index k = 0; k < count; ++k) rows.push_back((k * 7 + from) % n);
  return rows;
}

template <class T>
void check_symmetric_block(const Kernel& kernel, const Table& X, const Matrix& data, Index q, int threads) {
  const std::vector<Index> rows = scattered(q, X.rows, 5);
  const Index ld = q + 3;
  std::vector<T> K(at(q * ld), T(untouched));
  symmetric_block<T>(Prepared<T>(kernel, data), rows, K.data(), ld, threads, nullptr);
  const double tol = rounding<T>(kernel, X);
  for (Index i = 0; i < q; ++i) {
    const double self = kernel.translation_invariant() ? naive_value(kernel, X.row(0), X.row(0)) : -1;
    if (kernel.translation_invariant()) CHECK(K[at(i * ld + i)] == static_cast<T>(self));
    for (Index j = 0; j < q; ++j) {
      CHECK(K[at(i * ld + j)] == K[at(j * ld + i)]);
      CHECK_NEAR(static_cast<double>(K[at(i * ld + j)]), naive_value(kernel, X.row(rows[at(i)]), X.row(rows[at(j)])),
                 tol);
    }
    for (Index j = q; j < ld; ++j) CHECK(K[at(i * ld + j)] == T(untouched));
  }
}

template <class T>
void check_block(const Kernel& kernel, const Table& X, const Matrix& data, Index n, Index m, int threads) {
  const std::vector<Index> rows = scattered(n, X.rows, 5), columns = scattered(m, X.rows, 2);
  const Index ld = m + 3;
  std::vector<T> K(at(n * ld), T(untouched));
  kernel_block<T>(Prepared<T>(kernel, data), rows, columns, K.data(), ld, threads, nullptr);
  const Table expected = naive_matrix(kernel, X, X);
  const double tol = rounding<T>(kernel, X);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < ld; ++j)
      CHECK_NEAR(static_cast<double>(K[at(i * ld + j)]),
                 j < m ? expected.row(rows[at(i)])[at(columns[at(j)])] : untouched, tol);
}

// ---------------------------------------------------------------- machines

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

template <class T, class Data>
void check_evaluate(const Kernel& kernel, const Table& X, const Table& Z, const std::vector<Index>* rows, double tol) {
  const Data data(X), centre_data(Z);
  const Frame frame = frame_for(kernel, centre_data);
  const Points<T> centres(centre_data, nullptr, frame, layout_for(centre_data));
  const Table K = naive_matrix(kernel, X, Z);
  const std::vector<Index> queries = rows ? *rows : count_up_to(X.rows);
  for (const Index outputs : {1, 2, 3, 20}) {
    const Machine machine(Z.rows, outputs);
    const auto evaluated = [&](int threads) {
      std::vector<double> out(queries.size() * at(outputs), untouched);
      evaluate<T>(kernel.in(frame), frame, centres, machine.segments, outputs, data, rows, out.data(), threads,
                  nullptr);
      return out;
    };
    const std::vector<double> found = evaluated(1);
    CHECK(found == evaluated(3));
    const double bound = tol * machine.size();
    for (std::size_t k = 0; k < queries.size(); ++k)
      for (Index o = 0; o < outputs; ++o)
        CHECK_NEAR(found[k * at(outputs) + at(o)], machine.value(K, queries[k], o), bound);
  }
}
template <class T, class Data>
void check_evaluate(const Kernel& kernel, const Table& X, const Table& Z, const std::vector<Index>* rows) {
  check_evaluate<T, Data>(kernel, X, Z, rows, rounding<T>(kernel, X));
}

// ---------------------------------------------------------------- sums over rows of the data

double total_size(const std::vector<double>& coef) {
  double total = 0;
  for (const double c : coef) total += std::abs(c);
  return total;
}

double naive_sum(const Kernel& kernel, const Table& X, Index target, const Expansion& terms) {
  double sum = 0;
  for (std::size_t j = 0; j < terms.sources.size(); ++j)
    sum += terms.coef[j] * naive_value(kernel, X.row(terms.sources[j]), X.row(target));
  return sum;
}

// Adds the products, and expands the same, with one thread and with three: the same bits.
template <class T>
void check_products(const Kernel& kernel, const Table& X, const Matrix& data, const Expansion& terms) {
  const double tol = rounding<T>(kernel, X) * (1 + total_size(terms.coef));
  const Prepared<T> prepared(kernel, data);
  const std::vector<double> before = Random(63).vector(static_cast<Index>(terms.targets.size()));
  std::vector<double> added[2] = {before, before};
  for (const int k : {0, 1})
    add_products<T>(prepared, terms.targets, terms.sources, terms.coef, added[k].data(), 1 + 2 * k, nullptr);
  CHECK(added[0] == added[1]);
  const std::vector<std::vector<double>> expanded =
      expand<T>(kernel, frame_for(kernel, data), data, {terms}, 1, nullptr);
  CHECK(expanded == expand<T>(kernel, frame_for(kernel, data), data, {terms}, 3, nullptr));
  CHECK(expanded == expand<T>(prepared, {terms}, 1, nullptr));
  CHECK(expanded[0] == expand<T>(prepared, {terms, terms}, 3, nullptr)[1]);
  CHECK(expanded.size() == 1 && expanded[0].size() == terms.targets.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double expected = naive_sum(kernel, X, terms.targets[i], terms);
    CHECK_NEAR(added[0][i], before[i] + expected, tol);
    CHECK_NEAR(expanded[0][i], expected, tol);
  }
}

template <class T>
void check_products(const Kernel& kernel, const Table& X, const Matrix& data) {
  Random random(62);
  check_products<T>(kernel, X, data, {count_up_to(X.rows), {}, {}});
  check_products<T>(kernel, X, data, {{}, {3, 1}, {1, 2}});
  check_products<T>(kernel, X, data, {{7}, {7}, {-1.5}});
  check_products<T>(kernel, X, data, {count_up_to(X.rows), scattered(37, X.rows, 3), random.vector(37)});
  check_products<T>(kernel, X, data, {scattered(41, X.rows, 1), count_up_to(X.rows), random.vector(X.rows)});
  check_products<T>(kernel, X, data, {scattered(300, X.rows, 2), scattered(500, X.rows, 4), random.vector(500)});
}

// Multiples of 1/64 near the origin, with a cluster of such rows far out: all differences are exact in float.
Table with_far_rows(Index n, Index far_every, unsigned seed) {
  Table X = random_table(n, 2, seed);
  for (double& x : X.values) x = std::round(64 * x) / 64;
  for (Index i = far_every - 1; i < n; i += far_every) X.row(i)[0] += 4096;
  return X;
}

}  // namespace

TEST(symmetric_block_is_symmetric_with_an_exact_diagonal) {
  const Table X = random_table(90, 5, 51), wide = random_table(20, 260, 52), sparse = random_table(60, 40, 53, 0.1);
  for (const Index q : {1, 7, 16, 48, 49, 90, 97, 310})
    for (const int threads : {1, 3}) {
      check_symmetric_block<float>(rbf(0.7), X, DenseData<double>(X), q, threads);
      check_symmetric_block<double>(rbf(0.7), X, DenseData<double>(X), q, threads);
    }
  for (const Kernel& kernel : {linear(), polynomial(0.5, 1, 3), sigmoid(0.5, 1), laplacian(0.7)}) {
    check_symmetric_block<float>(kernel, X, DenseData<float>(X), 55, 2);
    check_symmetric_block<double>(kernel, sparse, CsrData<double, std::int32_t>(sparse), 55, 2);
  }
  for (const Index q : {3, 20, 150, 300}) {
    check_symmetric_block<float>(rbf(0.01), wide, DenseData<float>(wide), q, 2);
    check_symmetric_block<double>(rbf(0.2), sparse, CsrData<double, std::int32_t>(sparse), q, 2);
  }
}

TEST(kernel_block_holds_the_values_of_rows_against_columns) {
  const Table X = random_table(90, 5, 51), sparse = random_table(60, 40, 53, 0.1);
  for (const Index n : {1, 7, 97, 200})
    for (const Index m : {1, 16, 257}) {
      check_block<float>(rbf(0.7), X, DenseData<double>(X), n, m, 1);
      check_block<double>(sum(linear(), laplacian(0.3)), X, DenseData<double>(X), n, m, 3);
      check_block<float>(laplacian(0.3), sparse, CsrData<double, std::int32_t>(sparse), n, m, 2);
    }
}

TEST(blocks_of_no_rows_are_empty) {
  const DenseData<double> data(random_table(4, 2, 54));
  const Prepared<double> prepared(rbf(1), data);
  const std::vector<Index> some{0, 1};
  double value = 7;
  symmetric_block<double>(prepared, {}, &value, 0, 2, nullptr);
  kernel_block<double>(prepared, {}, some, &value, 2, 2, nullptr);
  kernel_block<double>(prepared, some, {}, &value, 0, 2, nullptr);
  CHECK(value == 7);
}

TEST(evaluate_sums_every_segment_into_its_output) {
  const Table X = random_table(110, 4, 55), Z = random_table(300, 4, 56);
  const std::vector<Index> rows{109, 3, 3, 50};
  for (const std::vector<Index>* chosen : {static_cast<const std::vector<Index>*>(nullptr), &rows}) {
    check_evaluate<double, DenseData<double>>(rbf(0.5), X, Z, chosen);
    check_evaluate<float, DenseData<float>>(rbf(0.5), X, Z, chosen);
    check_evaluate<float, DenseData<float>>(product(laplacian(0.2), rbf(0.5)), X, Z, chosen);
    check_evaluate<double, CsrData<double, std::int64_t>>(sum(linear(), laplacian(0.3)), X, Z, chosen);
    check_evaluate<float, CsrData<double, std::int64_t>>(polynomial(0.25, 1, 3), X, Z, chosen);
  }
  const Table wide_X = random_table(30, 1100, 57), wide_Z = random_table(40, 1100, 58);
  check_evaluate<double, DenseData<float>>(rbf(0.002), wide_X, wide_Z, nullptr);
}

TEST(evaluate_spans_several_chunks) {
  const Table X = random_table(450, 3, 64), Z = random_table(60, 3, 65);
  check_evaluate<float, DenseData<double>>(rbf(0.5), X, Z, nullptr);
  check_evaluate<double, CsrData<double, std::int32_t>>(laplacian(0.5), X, Z, nullptr);
}

// Queries far out, in some chunks only; centres far out; both. Differences are exact, so values are as good as ever.
TEST(evaluate_tells_small_distances_between_far_rows) {
  const Table near_X = with_far_rows(450, 1000, 66), near_Z = with_far_rows(60, 1000, 67);
  const Table far_X = with_far_rows(450, 200, 68), far_Z = with_far_rows(60, 4, 69);
  for (const Table* X : {&near_X, &far_X})
    for (const Table* Z : {&near_Z, &far_Z}) {
      check_evaluate<float, DenseData<float>>(rbf(1), *X, *Z, nullptr, 16 * std::numeric_limits<float>::epsilon());
      check_evaluate<double, DenseData<double>>(rbf(1), *X, *Z, nullptr, 16 * std::numeric_limits<double>::epsilon());
    }
}

TEST(evaluate_of_no_centres_is_zero) {
  const DenseData<double> X(random_table(5, 2, 59));
  const std::vector<Index> none;
  const Points<double> centres(X, &none, {}, Layout::panels);
  for (const Index outputs : {1, 2}) {
    std::vector<double> out(at(5 * outputs), untouched);
    evaluate<double>(rbf(1), {}, centres, {{0, 0, 0, nullptr}}, outputs, X, nullptr, out.data(), 1, nullptr);
    for (const double value : out) CHECK(value == 0);
  }
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

TEST(products_are_added_for_any_targets_and_sources) {
  const Table X = random_table(150, 3, 61), sparse = random_table(150, 40, 70, 0.1);
  for (const Kernel& kernel : {rbf(0.5), linear(), laplacian(1), sum(rbf(0.5), laplacian(1)), constant(2)}) {
    check_products<float>(kernel, X, DenseData<double>(X));
    check_products<double>(kernel, X, DenseData<double>(X));
    check_products<float>(kernel, sparse, CsrData<double, std::int32_t>(sparse));
    check_products<double>(kernel, sparse, CsrData<float, std::int64_t>(sparse));
  }
}

// Of wide rows few are gathered at a time.
TEST(products_are_added_for_more_sources_than_are_gathered_at_once) {
  const Index cols = 4000;
  const Table wide = random_table(40, cols, 71), sparse = random_table(40, cols, 72, 0.01);
  const Expansion terms{{0, 17, 39}, scattered(700, 40, 3), Random(73).vector(700)};
  for (const Kernel& kernel : {rbf(0.0005), laplacian(0.001)}) {
    check_products<float>(kernel, wide, DenseData<float>(wide), terms);
    check_products<double>(kernel, wide, DenseData<double>(wide), terms);
    check_products<float>(kernel, sparse, CsrData<float, std::int32_t>(sparse), terms);
    check_products<double>(kernel, sparse, CsrData<double, std::int32_t>(sparse), terms);
  }
}

TEST(products_keep_small_distances_between_far_rows) {
  const Table X = with_far_rows(450, 50, 74);
  const std::vector<Index> all = count_up_to(450);
  const Expansion terms{all, scattered(100, 450, 3), Random(75).vector(100)};
  const auto check = [&](auto type) {
    using T = decltype(type);
    std::vector<double> out(450, 0.0);
    const DenseData<T> data(X);
    add_products<T>(Prepared<T>(rbf(1), data), all, terms.sources, terms.coef, out.data(), 1, nullptr);
    for (const Index i : all)
      CHECK_NEAR(out[at(i)], naive_sum(rbf(1), X, i, terms),
                 16 * std::numeric_limits<T>::epsilon() * total_size(terms.coef));
  };
  check(float{});
  check(double{});
}

// Norms are rounded as the dot products of the loops: K(x, x) is one to the last bit, and so it is for a copy of x.
TEST(products_give_a_row_the_distance_zero_from_itself) {
  at_every_level([](auto type, const auto&) {
    using T = decltype(type);
    for (const Index cols : {1, 2, 5, 17, 255, 1025}) {
      Table X = random_table(40, cols, 76), sparse = random_table(40, cols, 77, 0.3);
      for (Table* table : {&X, &sparse}) std::ranges::copy(table->row(3), table->row(20).begin());
      const DenseData<double> dense_data(X);
      const CsrData<double, std::int32_t> sparse_data(sparse);
      for (const Matrix& data : {Matrix(dense_data), Matrix(sparse_data)}) {
        const Prepared<T> prepared(rbf(0.7 / static_cast<double>(cols)), data);
        const std::vector<double> one{1.0};
        for (Index i = 0; i < 40; ++i) {
          const std::vector<Index> self{i};
          double out = 0;
          add_products<T>(prepared, self, self, one, &out, 1, nullptr);
          CHECK(out == 1);
        }
        const std::vector<Index> original{3}, copy{20};
        double out = 0;
        add_products<T>(prepared, original, copy, one, &out, 1, nullptr);
        CHECK(out == 1);
      }
    }
  });
}

TEST(products_stop_at_the_deadline) {
  const DenseData<double> X(random_table(500, 2, 78));
  const std::vector<Index> all = count_up_to(500);
  const std::vector<double> coef(500, 1.0);
  std::vector<double> out(500);
  Stop stop(0, 1, nullptr);
  CHECK_THROWS(Stopped, add_products<float>(Prepared<float>(rbf(1), X), all, all, coef, out.data(), 1, &stop));
  CHECK_THROWS(Stopped, expand<float>(rbf(1), {}, X, {{all, all, coef}}, 1, &stop));
}

TEST(expand_sums_several_expansions_side_by_side) {
  const Table X = random_table(150, 3, 61);
  const DenseData<double> data(X);
  Random random(62);
  const std::vector<Expansion> several{{count_up_to(150), scattered(120, 150, 0), random.vector(120)},
                                       {{149, 0, 77, 0}, {5, 5, 6}, random.vector(3)},
                                       {{}, {}, {}},
                                       {{1, 2}, {}, {}},
                                       {{}, {1}, {2.0}},
                                       {scattered(200, 150, 9), count_up_to(150), random.vector(150)}};
  const auto check = [&](auto type, const Kernel& kernel) {
    using T = decltype(type);
    for (const int threads : {1, 2, 4}) {
      const auto found = expand<T>(kernel, frame_for(kernel, data), data, several, threads, nullptr);
      CHECK(found.size() == several.size());
      for (std::size_t s = 0; s < several.size(); ++s) {
        CHECK(found[s].size() == several[s].targets.size());
        const double tol = rounding<T>(kernel, X) * total_size(several[s].coef);
        for (std::size_t i = 0; i < found[s].size(); ++i)
          CHECK_NEAR(found[s][i], naive_sum(kernel, X, several[s].targets[i], several[s]), tol);
      }
    }
  };
  for (const Kernel& kernel : {rbf(0.5), linear(), sum(rbf(0.5), laplacian(1))}) {
    check(float{}, kernel);
    check(double{}, kernel);
  }
  CHECK(expand<double>(rbf(1), {}, data, {}, 2, nullptr).empty());
}
