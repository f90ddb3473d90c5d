// Distances counted into bins, and what bins are worth at bandwidths.
#pragma once

#include "window_loops.hpp"

namespace mercer {
namespace {

using Places = Simd<double>::I;

// Where a row is: the number of its bin, and how far across it, from -1 to 1.
struct BinPlaces {
  explicit BinPlaces(const WindowBins& bins)
      : shift(Simd<double>::mantissa - bins.bits), bits(bins.bits), origin(bins.origin) {
    std::int64_t raw;
    std::memcpy(&raw, &origin, sizeof raw);
    first = raw >> shift;
    // The middle of the bin beyond the last.
    const std::int64_t beyond = ((first + bins.bins) << shift) + (std::int64_t(1) << (shift - 1));
    std::memcpy(&last, &beyond, sizeof last);
  }

  // Both of origin + t, which is no less than the origin.
  void operator()(Reals moved, Places& bin, Reals& across) const {
    constexpr std::int64_t fraction = (std::int64_t(1) << Simd<double>::mantissa) - 1;
    constexpr std::int64_t one = std::int64_t(1023) << Simd<double>::mantissa;
    const Reals within = -larger<double>(-larger<double>(moved, splat<double>(origin)), splat<double>(-last));
    using Bits [[gnu::vector_size(MERCER_VECTOR_BYTES)]] = std::uint64_t;
    const Bits raw = reinterpret_cast<Bits>(within);
    bin = reinterpret_cast<Places>(raw >> static_cast<std::uint64_t>(shift)) - first;
    const Bits share = ((raw << static_cast<std::uint64_t>(bits)) & static_cast<std::uint64_t>(fraction)) |
                       static_cast<std::uint64_t>(one);
    across = 2.0 * reinterpret_cast<Reals>(share) - 3.0;
  }

  int shift, bits;
  double origin, last;
  std::int64_t first;
};

// Adds the moments of as many rows as a vector holds.
inline void add_moments(const Reals (&powers)[moments_of_bin], const Places& bin, double* moments) {
#if defined(__AVX__)
  // Four rows at a time, turned on their side: within the halves of vectors first, which takes fewer and cheaper moves.
  static_assert(moments_of_bin == 4);
  using Four [[gnu::vector_size(32)]] = double;
  using Lanes [[gnu::vector_size(32)]] = std::int64_t;
  constexpr Lanes evens{0, 4, 2, 6}, odds{1, 5, 3, 7}, lower{0, 1, 4, 5}, upper{2, 3, 6, 7};
  for (Index first = 0; first < width<double>; first += 4) {
    Four of[4];
    for (Index p = 0; p < 4; ++p)
      std::memcpy(&of[p], reinterpret_cast<const double*>(&powers[p]) + first, sizeof of[p]);
    const Four low_evens = __builtin_shuffle(of[0], of[1], evens), low_odds = __builtin_shuffle(of[0], of[1], odds);
    const Four high_evens = __builtin_shuffle(of[2], of[3], evens), high_odds = __builtin_shuffle(of[2], of[3], odds);
    const Four of_row[] = {
        __builtin_shuffle(low_evens, high_evens, lower), __builtin_shuffle(low_odds, high_odds, lower),
        __builtin_shuffle(low_evens, high_evens, upper), __builtin_shuffle(low_odds, high_odds, upper)};
#pragma GCC unroll 4
    for (Index k = 0; k < 4; ++k) {
      double* to = moments + moments_of_bin * bin[first + k];
      Four sum;
      std::memcpy(&sum, to, sizeof sum);
      sum += of_row[k];
      std::memcpy(to, &sum, sizeof sum);
    }
  }
#else
  for (Index k = 0; k < width<double>; ++k) {
    double* to = moments + moments_of_bin * bin[k];
    for (Index p = 0; p < moments_of_bin; ++p) to[p] += powers[p][k];
  }
#endif
}

template <bool is_root>
void bin_rows_by(const WindowRow& row, const WindowBins& bins, double* moments) {
  const BinPlaces places(bins);
  const double from = bins.origin - (is_root ? __builtin_sqrt(bins.nearest) : bins.nearest);
  for (Index i = 0; i < row.count; i += width<double>) {
    Reals away = load<double>(row.squared + i) * load<double>(row.scale + i);
    if constexpr (is_root) away = root<double>(away);
    Places bin;
    Reals across, powers[moments_of_bin];
    places(away + from, bin, across);
    powers[0] = load<double>(row.coef + i);
#pragma GCC unroll 4
    for (Index p = 1; p < moments_of_bin; ++p) powers[p] = powers[p - 1] * across;
    add_moments(powers, bin, moments);
  }
}

void bin_rows(const WindowRow& row, const WindowBins& bins, double* moments) {
  if (bins.profile == Profile::exponential)
    bin_rows_by<true>(row, bins, moments);
  else
    bin_rows_by<false>(row, bins, moments);
}

void sum_bins(const BinTable& table, const double* moments, double* sums, double* errors) {
  constexpr Index w = width<double>;
  for (Index k = 0; k < table.stride; ++k) sums[k] = errors[k] = 0;
  for (Index bin = 0; bin < table.bins; ++bin, moments += moments_of_bin) {
    if (moments[0] == 0) continue;
    const double* values = table.values + bin * (moments_of_bin + 1) * table.stride;
    const Reals one = splat<double>(moments[0]), two = splat<double>(moments[1]), three = splat<double>(moments[2]),
                four = splat<double>(moments[3]);
    for (Index k = 0; k < table.seen[bin]; k += w, values += w) {
      Reals sum = load<double>(sums + k), more;
      sum = plus_product<double>(sum, one, load<double>(values));
      more = two * load<double>(values + table.stride);
      sum = plus_product<double>(sum, three, load<double>(values + 2 * table.stride));
      more = plus_product<double>(more, four, load<double>(values + 3 * table.stride));
      store<double>(sums + k, sum + more);
      store<double>(errors + k,
                    plus_product<double>(load<double>(errors + k), one, load<double>(values + 4 * table.stride)));
    }
  }
}

}  // namespace
}  // namespace mercer
