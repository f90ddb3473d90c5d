// A Gram matrix in another order has the values of the rows that stand there.
#include "check.hpp"
#include "problem.hpp"
#include "solver/permuted_gram.hpp"

using namespace mercer;
using namespace mercer::test;

TEST(permuted_gram_has_the_values_of_the_rows_in_its_order) {
  const Problem problem = noisy_classes(6, 610, 1);
  const auto gram = problem.stored();
  const std::vector<Index> order{3, 0, 5, 1, 4, 2};
  PermutedGram<double> permuted(*gram, order);
  const auto k = [&](Index i, Index j) { return problem.K.row(at(order, i))[at(at(order, j))]; };
  CHECK(permuted.size() == 6);
  std::vector<double> diagonal(6);
  permuted.diagonal(diagonal.data());
  for (Index i = 0; i < 6; ++i) CHECK(at(diagonal, i) == k(i, i));

  Stop stop;
  const std::vector<Index> rows{5, 2, 0}, columns{1, 4};
  std::vector<double> block(12), values(12);
  permuted.block(rows, block.data(), 4, stop);
  permuted.values(rows, columns, values.data(), 4, stop);
  const std::vector<double> coef{2, -3};
  std::vector<double> products{1, 1, 1}, exact{1, 1, 1};
  permuted.add_products(rows, columns, coef, products.data(), stop);
  permuted.add_exact_products(rows, columns, coef, exact.data(), stop);
  for (Index a = 0; a < 3; ++a) {
    const Index i = at(rows, a);
    for (Index b = 0; b < 3; ++b) CHECK(at(block, 4 * a + b) == k(i, at(rows, b)));
    for (Index b = 0; b < 2; ++b) CHECK(at(values, 4 * a + b) == k(i, at(columns, b)));
    CHECK_NEAR(at(products, a), 1 + 2 * k(i, 1) - 3 * k(i, 4), 1e-14);
    CHECK_NEAR(at(exact, a), 1 + 2 * k(i, 1) - 3 * k(i, 4), 1e-14);
  }
}
