// Sums over rows of the data against the same over the naive matrix.
#include <stdexcept>

#include "check.hpp"
#include "mercer/expansion.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

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
    add_products<T>(prepared, terms.targets, terms.sources, terms.coef, added[k].data(), {1 + 2 * k});
  CHECK(added[0] == added[1]);
  const std::vector<std::vector<double>> expanded = expand<T>(kernel, frame_for(kernel, data), data, {terms}, {1});
  CHECK(expanded == expand<T>(kernel, frame_for(kernel, data), data, {terms}, {3}));
  CHECK(expanded == expand<T>(prepared, {terms}, {1}));
  CHECK(expanded[0] == expand<T>(prepared, {terms, terms}, {3})[1]);
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

}  // namespace

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
    add_products<T>(Prepared<T>(rbf(1), data), all, terms.sources, terms.coef, out.data(), {1});
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
          add_products<T>(prepared, self, self, one, &out, {1});
          CHECK(out == 1);
        }
        const std::vector<Index> original{3}, copy{20};
        double out = 0;
        add_products<T>(prepared, original, copy, one, &out, {1});
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
  CHECK_THROWS(Stopped, add_products<float>(Prepared<float>(rbf(1), X), all, all, coef, out.data(), {1, &stop}));
  CHECK_THROWS(Stopped, expand<float>(rbf(1), {}, X, {{all, all, coef}}, {1, &stop}));
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
      const auto found = expand<T>(kernel, frame_for(kernel, data), data, several, {threads});
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
  CHECK(expand<double>(rbf(1), {}, data, {}, {2}).empty());
}

// Threads share the sources where there are but few targets, and gather them themselves.
TEST(products_of_few_targets_are_added_a_range_of_sources_at_a_time) {
  const Table X = random_table(150, 3, 83), sparse = random_table(150, 40, 84, 0.1);
  const Expansion terms{{3, 149, 3}, scattered(9000, 150, 1), Random(85).vector(9000)};
  for (const Kernel& kernel : {rbf(0.5), sum(linear(), laplacian(1))}) {
    check_products<float>(kernel, X, DenseData<double>(X), terms);
    check_products<double>(kernel, sparse, CsrData<double, std::int32_t>(sparse), terms);
  }
}

TEST(checked_expansion_leaves_out_zero_coefficients) {
  const std::vector<Index> targets{1, 0, 1}, sources{4, 2, 0, 2};
  const std::vector<double> coef{0, 1.5, -0.0, -2};
  const Expansion checked = checked_expansion(targets, sources, coef, 5);
  CHECK(checked.targets == targets && checked.sources == std::vector<Index>({2, 2}));
  CHECK(checked.coef == std::vector<double>({1.5, -2}));
}

TEST(checked_expansion_refuses_rows_outside_and_sources_without_a_coefficient) {
  const std::vector<Index> rows{0, 4}, negative{-1, 2};
  const std::vector<double> coef{1, 0}, one{1};
  checked_expansion(rows, rows, coef, 5);
  CHECK_THROWS(std::invalid_argument, checked_expansion(rows, rows, coef, 4));
  CHECK_THROWS(std::invalid_argument, checked_expansion(negative, rows, coef, 5));
  CHECK_THROWS(std::invalid_argument, checked_expansion(rows, negative, coef, 5));
  CHECK_THROWS(std::invalid_argument, checked_expansion(rows, rows, one, 5));
}
