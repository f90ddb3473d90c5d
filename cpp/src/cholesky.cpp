// Columns are factored in strips. What the strips before contribute to one is a product of rows, and that is the loop
// of the linear kernel.
// See Golub, Van Loan (2013), Matrix Computations, section 4.2.6.
#include "mercer/cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/buffer.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

constexpr Index strip = 32;
// Rows below a strip that are solved for together.
constexpr Index together = 16;
static_assert(strip % lanes<double> == 0);

double dot(const double* x, const double* z, Index n) { return ops<double>().weighted_sum(x, z, n); }

class Factor {
 public:
  Factor(double* A, Index n) : A_(A), n_(n), panels_(n * strip), products_(rows_at_once * strip) {}

  bool run() {
    for (Index first = 0; first < n_; first += strip) {
      const Index width = std::min(strip, n_ - first);
      if (first > 0) subtract_earlier(first, width);
      if (!factor_columns(first, width)) return false;
    }
    return true;
  }

 private:
  double* row(Index i) { return A_ + i * n_; }

  // A[i, first...] -= L[i, ...first] . L[first..., ...first] for all rows i from `first` on.
  void subtract_earlier(Index first, Index width) {
    const Index panels = (width + lanes<double> - 1) / lanes<double>;
    for (Index b = 0; b < panels * lanes<double>; ++b) {
      double* lane = panels_.data() + b / lanes<double> * lanes<double> * first + b % lanes<double>;
      const double* source = row(first + std::min(b, width - 1));
      for (Index k = 0; k < first; ++k) lane[k * lanes<double>] = source[k];
    }
    for (Index a = first; a < n_; a += rows_at_once) {
      const Index count = std::min(rows_at_once, n_ - a);
      const PanelBlock<double> block{row(a), nullptr, count, n_, panels_.data(), nullptr, panels, first};
      ops<double>().products(block, products_.data(), strip);
      for (Index i = 0; i < count; ++i)
        for (Index j = 0; j < width; ++j) row(a + i)[first + j] -= products_[i * strip + j];
    }
  }

  bool factor_columns(Index first, Index width) {
    for (Index i = first; i < first + width; ++i) {
      double* left = row(i) + first;
      const Index columns = i - first;
      for (Index j = 0; j < columns; ++j) {
        const double* above = row(first + j) + first;
        left[j] = (left[j] - dot(left, above, j)) / above[j];
      }
      const double square = left[columns] - dot(left, left, columns);
      if (!(square > 0)) return false;
      left[columns] = std::sqrt(square);
    }
    for (Index i = first + width; i < n_; i += together) solve_rows(i, std::min(together, n_ - i), first, width);
    return true;
  }

  // L[i, first...] = A[i, first...] / L[first..., first...]' for some rows i, side by side.
  void solve_rows(Index from, Index count, Index first, Index width) {
    double sides[strip][together] = {};
    for (Index r = 0; r < count; ++r)
      for (Index j = 0; j < width; ++j) sides[j][r] = row(from + r)[first + j];
    for (Index j = 0; j < width; ++j) {
      const double inverse = 1 / row(first + j)[first + j];
      for (Index r = 0; r < together; ++r) sides[j][r] *= inverse;
      for (Index k = j + 1; k < width; ++k)
        ops<double>().add_scaled(sides[k], sides[j], -row(first + k)[first + j], together);
    }
    for (Index r = 0; r < count; ++r)
      for (Index j = 0; j < width; ++j) row(from + r)[first + j] = sides[j][r];
  }

  double* A_;
  Index n_;
  Buffer<double> panels_;
  Buffer<double> products_;
};

void solve_column(const double* A, Index n, double* b) {
  for (Index i = 0; i < n; ++i) b[i] = (b[i] - dot(A + i * n, b, i)) / A[i * n + i];
  for (Index i = n - 1; i >= 0; --i) {
    b[i] /= A[i * n + i];
    ops<double>().add_scaled(b, A + i * n, -b[i], i);
  }
}

}  // namespace

bool cholesky(double* A, Index n) { return Factor(A, n).run(); }

void cholesky_solve(const double* A, Index n, double* B, Index count) {
  for (Index column = 0; column < count; ++column) solve_column(A, n, B + column * n);
}

}  // namespace mercer
