// Weighted sums of a tile: what the tile's values add up to, whether they leave the registers or not.
#include "check.hpp"
#include "mercer/tile.hpp"
#include "reference.hpp"
#include "simd_levels.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

std::vector<Kernel> kernels() {
  return {linear(),
          polynomial(0.2, 0.5, 3),
          sigmoid(0.2, -0.25),
          rbf(0.2),
          laplacian(0.2),
          constant(0.75),
          sum(rbf(0.2), laplacian(0.3)),
          product(linear(), rbf(0.1)),
          product(constant(2.5), rbf(0.2)),
          product(constant(-0.75), sum(laplacian(0.2), linear()))};
}

// Values written among others, which stay as they are, are those of the tile.
template <class T>
void check_written(const Kernel& kernel, const Points<T>& Q, const Points<T>& P, Index a0, Index na, Index b0,
                   Index nb) {
  constexpr T untouched = T(-77);
  const Index ld = nb + 3;
  std::vector<T> out(at(na * ld), untouched);
  Tile<T> tile(kernel);
  tile.write(Q, a0, na, P, b0, nb, out.data(), ld);
  tile.compute(Q, a0, na, P, b0, nb);
  for (Index a = 0; a < na; ++a)
    for (Index b = 0; b < ld; ++b) CHECK(out[at(a * ld + b)] == (b < nb ? tile.row(a)[b] : untouched));
}

// Sums of queries a0.. over centres b0.., both in the midst of others.
template <class T>
void check_sums(const Kernel& kernel, const Points<T>& Q, const Points<T>& P, Index a0, Index na, Index b0, Index nb) {
  Random random(410);
  std::vector<T> coef = random.vector<T>(nb);
  coef.resize(at((nb + lanes<T> - 1) / lanes<T> * lanes<T>), T(0));
  const std::vector<double> before = random.vector(na);
  std::vector<double> out = before;
  Tile<T> tile(kernel), values(kernel);
  tile.add_sums(Q, a0, na, P, b0, nb, coef.data(), out.data());
  values.compute(Q, a0, na, P, b0, nb);
  for (Index a = 0; a < na; ++a) {
    double sum = 0, size = 1;
    for (Index b = 0; b < nb; ++b) {
      const double term = static_cast<double>(values.row(a)[b]) * static_cast<double>(coef[at(b)]);
      sum += term;
      size += std::abs(term);
    }
    // A sum in T takes up to `lanes` terms, from a panel each, before it goes on in double.
    const double terms = static_cast<double>(nb) / static_cast<double>(lanes<T>) + static_cast<double>(lanes<T>);
    CHECK_NEAR(out[at(a)] - before[at(a)], sum, size * terms * std::numeric_limits<T>::epsilon());
  }
}

template <class T>
void check_tiles(const Matrix& X, const Matrix& Z) {
  const Layout layout = layout_for(Z);
  const Points<T> Q(X, nullptr, {}, query_layout(layout)), P(Z, nullptr, {}, layout);
  for (const Kernel& kernel : kernels())
    for (const auto check : {check_sums<T>, check_written<T>}) {
      check(kernel, Q, P, 0, Tile<T>::max_queries, 0, Tile<T>::max_centres);
      check(kernel, Q, P, 3, 1, 0, 1);
      check(kernel, Q, P, 5, 7, lanes<T>, 21);
      check(kernel, Q, P, 0, 45, 2 * lanes<T>, 200);
      check(kernel, Q, P, 1, 50, 256, P.size() - 256);
    }
}

}  // namespace

TEST(tile_values_are_written_and_summed_as_computed) {
  at_every_level([](auto type, const auto&) {
    using T = decltype(type);
    check_tiles<T>(DenseData<double>(random_table(110, 5, 411)), DenseData<double>(random_table(300, 5, 412)));
    check_tiles<T>(CsrData<double, std::int32_t>(random_table(110, 40, 413, 0.1)),
                   CsrData<float, std::int64_t>(random_table(300, 40, 414, 0.1)));
  });
}

// One tile serves queries after queries: no column of earlier ones may linger in its table.
TEST(tile_of_sparse_rows_forgets_earlier_queries) {
  const Table X = random_table(100, 40, 415, 0.1), Z = random_table(20, 40, 416, 0.1);
  const Points<double> Q(CsrData<double, std::int32_t>(X), nullptr, {}, Layout::sparse);
  const Points<double> P(CsrData<double, std::int32_t>(Z), nullptr, {}, Layout::sparse);
  Tile<double> tile(linear());
  const std::vector<double> coef(24, 1.0);
  const Table K = naive_matrix(linear(), X, Z);
  for (Index a0 = 0; a0 < 100; a0 += 11) {
    const Index na = std::min<Index>(11, 100 - a0);
    std::vector<double> out(at(na), 0.0);
    tile.add_sums(Q, a0, na, P, 0, 20, coef.data(), out.data());
    for (Index a = 0; a < na; ++a)
      CHECK_NEAR(out[at(a)], std::accumulate(K.row(a0 + a).begin(), K.row(a0 + a).end(), 0.0), 1e-13);
  }
}
