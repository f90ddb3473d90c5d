// The reduction to one sum for each query, out[i] += sum_j coef_j k(centre j, query i). Values of kernels of one leaf
// never leave the registers.
#pragma once

#include <algorithm>
#include <span>

#include "placed_tile.hpp"
#include "totals.hpp"

namespace mercer {

template <class T>
class Sums {
 public:
  using Part = Totals;
  // Enough to pay for preparing them, few enough to poll often.
  static constexpr Index queries_per_chunk = 192;

  // Coefficients are rounded to T; `out` is added to.
  Sums(std::span<const double> coef, double* out) : coef_(with_whole_panels(coef)), out_(out) {}

  Index spare_results() const { return 1; }
  Index first_centre(Index) const { return 0; }
  Totals part(Index first, Index count) const { return {out_ + first, count}; }
  Totals spare_part(Index, Index count) const { return Totals(count); }
  void add(PlacedTile<T>& tile, Totals& part) const {
    tile.add_sums(coef_.data() + tile.centre(), part.data() + tile.row());
  }
  void merge(Totals& part, Totals& later) const { part.add(later); }

 private:
  // With zeros up to a whole panel, as tiles read them.
  static Buffer<T> with_whole_panels(std::span<const double> coef) {
    const auto count = static_cast<Index>(coef.size());
    Buffer<T> rounded((count + lanes<T> - 1) / lanes<T> * lanes<T>);
    std::fill_n(rounded.data(), rounded.size(), T(0));
    std::ranges::transform(coef, rounded.data(), [](double c) { return static_cast<T>(c); });
    return rounded;
  }

  Buffer<T> coef_;
  double* out_;
};

}  // namespace mercer
