// Positive definite systems.
#include "check.hpp"
#include "mercer/cholesky.hpp"
#include "reference.hpp"

using namespace mercer;
using namespace mercer::test;

TEST(cholesky_solves_definite_systems) {
  for (const Index n : {1, 2, 7, 63, 64, 65, 200}) {
    const Table X = random_table(n, 3, 200);
    Table A = naive_matrix(rbf(1), X, X);
    for (Index i = 0; i < n; ++i) A.row(i)[at(i)] += 0.5;
    const std::vector<double> expected = Random(201).vector(2 * n);
    std::vector<double> B(at(2 * n), 0.0);
    for (Index c = 0; c < 2; ++c)
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) B[at(c * n + i)] += A.row(i)[at(j)] * expected[at(c * n + j)];
    Table lower = A;
    for (Index i = 0; i < n; ++i)
      for (Index j = i + 1; j < n; ++j) lower.row(i)[at(j)] = std::nan("");  // the upper triangle is not read
    CHECK(cholesky(lower.values.data(), n));
    cholesky_solve(lower.values.data(), n, B.data(), 2);
    for (std::size_t k = 0; k < B.size(); ++k) CHECK_NEAR(B[k], expected[k], 1e-12);
  }
}

TEST(cholesky_refuses_what_is_not_positive_definite) {
  std::vector<double> indefinite{1, 2, 2, 1}, singular{1, 1, 1, 1}, undefined{std::nan(""), 0, 0, 1};
  CHECK(!cholesky(indefinite.data(), 2));
  CHECK(!cholesky(singular.data(), 2));
  CHECK(!cholesky(undefined.data(), 2));
}

TEST(cholesky_refuses_what_loses_its_definiteness_in_a_late_strip) {
  constexpr Index n = 150;
  std::vector<double> A(at(n * n), 0.0);
  for (Index i = 0; i < n; ++i) A[at(i * n + i)] = i == 140 ? -1 : 1;
  CHECK(!cholesky(A.data(), n));
}
