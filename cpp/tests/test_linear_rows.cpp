// Products, sums and Gram matrices of rows are what plain loops give, for every form of the data; and so are rows that
// loops read themselves.
#include <algorithm>

#include "check.hpp"
#include "linear/rows/chosen_rows.hpp"
#include "linear/rows/narrow_rows.hpp"
#include "mercer/linear_rows.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

// The rows with their offset columns, in plain doubles.
std::vector<std::vector<double>> spelled_out(const Table& table, std::span<const Index> rows,
                                             const OffsetColumns& offsets) {
  std::vector<std::vector<double>> found;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::span<const double> row = table.row(rows[k]);
    found.emplace_back(row.begin(), row.end());
    for (int column = 0; column < offsets.count; ++column) {
      const int side = offsets.side.empty() ? 0 : offsets.side[k];
      found.back().push_back(column == side ? offsets.value : 0.0);
    }
  }
  return found;
}

template <class Body>
void for_every_form(Index rows, Index cols, double density, Body body) {
  const LevelGuard guard;
  for (const std::string_view level : simd_levels()) {
    set_simd_level(level);
    const Table table = random_table(rows, cols, 11, density);
    const DenseData<float> dense32(table);
    const DenseData<double> dense64(table);
    const CsrData<float, std::int64_t> sparse32(table);
    const CsrData<double, std::int32_t> sparse64(table);
    const std::vector<Index> chosen{rows - 1, 0, rows / 2, 1, rows / 2};
    const std::vector<std::uint8_t> sides{0, 1, 1, 0, 1};
    for (const OffsetColumns& offsets : {OffsetColumns{}, OffsetColumns{1, 2.5, {}}, OffsetColumns{2, 0.5, sides}})
      for (const Matrix& form : {Matrix(dense32), Matrix(dense64), Matrix(sparse32), Matrix(sparse64)})
        body(*linear_rows(form, chosen, offsets), spelled_out(table, chosen, offsets));
  }
}

const std::vector<std::int32_t> list{4, 0, 2, 3};
constexpr double of_rounding = 1e-12;

}  // namespace

TEST(linear_rows_products_and_sums_are_those_of_plain_loops) {
  for (const Index cols : {1, 3, 16, 37})
    for (const double density : {1.0, 0.3})
      for_every_form(9, cols, density, [](const LinearRows& X, const std::vector<std::vector<double>>& rows) {
        Random random(5);
        const std::vector<double> w = random.vector(X.cols()), coef = random.vector(static_cast<Index>(list.size()));
        std::vector<double> products(list.size()), sums(w.size(), 1.0), squares(w.size(), 0.0), norms(list.size());
        X.dots(list, w.data(), products.data());
        X.add(list, coef.data(), sums.data());
        X.add_squares(list, coef.data(), squares.data());
        X.squared_norms(list, norms.data());
        for (std::size_t k = 0; k < list.size(); ++k) {
          double product = 0, norm = 0;
          for (std::size_t j = 0; j < w.size(); ++j) {
            const double x = rows[at(list[k])][j];
            product += x * w[j];
            norm += x * x;
          }
          CHECK_NEAR(products[k], product, of_rounding);
          CHECK_NEAR(norms[k], norm, of_rounding);
        }
        for (std::size_t j = 0; j < w.size(); ++j) {
          double sum = 1, square = 0;
          for (std::size_t k = 0; k < list.size(); ++k) {
            const double x = rows[at(list[k])][j];
            sum += coef[k] * x;
            square += coef[k] * x * x;
          }
          CHECK_NEAR(sums[j], sum, of_rounding);
          CHECK_NEAR(squares[j], square, of_rounding);
        }
      });
}

TEST(linear_rows_gram_matrix_is_that_of_plain_loops) {
  for (const Index cols : {1, 2, 5, 8, 13, 40})
    for (const double density : {1.0, 0.1})
      for_every_form(9, cols, density, [](const LinearRows& X, const std::vector<std::vector<double>>& rows) {
        const std::vector<double> weight{2.0, 0.5, 3.0, 1.0};
        const std::size_t n = at(X.cols());
        std::vector<double> gram(n * n, 0.0);
        X.add_gram(list, weight.data(), 1.0, gram.data());
        X.add_gram(list, weight.data(), 1.0, gram.data());
        X.add_gram(list, weight.data(), -1.0, gram.data());
        for (std::size_t a = 0; a < n; ++a)
          for (std::size_t b = 0; b <= a; ++b) {
            double sum = 0;
            for (std::size_t k = 0; k < list.size(); ++k)
              sum += weight[k] * rows[at(list[k])][a] * rows[at(list[k])][b];
            CHECK_NEAR(gram[a * n + b], sum, of_rounding);
          }
      });
}

TEST(linear_values_and_sums_do_not_depend_on_threads) {
  const Table table = random_table(20000, 7, 3);
  const auto X = linear_rows(Dense<double>{table.values.data(), table.rows, table.cols}, {}, {});
  Random random(9);
  const std::vector<double> w = random.vector(7), coef = random.vector(20000);
  Stop stop;
  const std::vector<double> values = linear_values(*X, w.data(), 1, stop), sums = linear_sums(*X, coef.data(), 1, stop);
  for (const int threads : {2, 3}) {
    CHECK(linear_values(*X, w.data(), threads, stop) == values);
    CHECK(linear_sums(*X, coef.data(), threads, stop) == sums);
  }
  double value = 0;
  for (std::size_t j = 0; j < w.size(); ++j) value += table.row(19999)[j] * w[j];
  CHECK_NEAR(values.back(), value, of_rounding);
}

TEST(chosen_rows_are_those_of_the_choice_with_their_offsets) {
  const Table table = random_table(6, 5, 21, 0.6);
  const CsrData<float, std::int32_t> sparse(table);
  const std::vector<Index> chosen{4, 0, 4};
  const std::vector<std::uint8_t> sides{1, 0, 0};
  const auto check = [&](const auto& view) {
    const ChosenRows some(view, chosen, {2, 1.5, sides});
    CHECK(some.size() == 3 && some.features() == 5 && some.offsets() == 2 && some.offset() == 1.5);
    CHECK(some.offset_column(0) == 6 && some.offset_column(1) == 5);
    for (Index k = 0; k < some.size(); ++k) {
      std::vector<double> dense(5, 0.0);
      some[k].each([&](Index j, double x) { dense[at(j)] += x; });
      CHECK(std::ranges::equal(dense, table.row(chosen[at(k)])));
    }
    const ChosenRows all(view, {}, {0, 3.0, {}});
    CHECK(all.size() == 6 && !all.has_offset() && all.offset() == 0);
  };
  check(Dense<double>{table.values.data(), table.rows, table.cols});
  check(std::get<Csr<float, std::int32_t>>(Matrix(sparse)));
}

// Of every form, and of rows from the middle of a matrix, whose pointers do not begin at zero.
TEST(narrow_rows_have_values_and_outer_products_of_several_functions) {
  const Table table = random_table(7, 9, 22, 0.5);
  const Index k = lanes<double>;
  const std::vector<double> W = Random(23).vector(9 * k), c = Random(24).vector(k);
  const auto check = [&](const auto& view, Index first) {
    const NarrowRows rows(view);
    for (Index i = 0; i < view.rows; ++i) {
      const std::span<const double> x = table.row(first + i);
      std::vector<double> values(at(k), 0.0), sums = W;
      rows[i].add_values(W.data(), k, values.data());
      rows[i].add_outer_to(sums.data(), k, c.data());
      for (Index m = 0; m < k; ++m) {
        double value = 0;
        for (Index j = 0; j < 9; ++j) value += x[at(j)] * W[at(j * k + m)];
        CHECK_NEAR(values[at(m)], value, of_rounding);
        for (Index j = 0; j < 9; ++j)
          CHECK_NEAR(sums[at(j * k + m)], W[at(j * k + m)] + x[at(j)] * c[at(m)], of_rounding);
      }
    }
  };
  const DenseData<float> dense(table);
  const CsrData<double, std::int32_t> sparse(table);
  const CsrData<float, std::int64_t> wide(table);
  check(std::get<Dense<float>>(Matrix(dense)), 0);
  check(std::get<Csr<double, std::int32_t>>(Matrix(sparse)), 0);
  Csr<float, std::int64_t> middle = std::get<Csr<float, std::int64_t>>(Matrix(wide));
  check(middle, 0);
  middle.indptr += 2;
  middle.rows -= 3;
  check(middle, 2);
}
