// Products, sums and Gram matrices of rows are what plain loops give, for every form of the data.
#include "check.hpp"
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
