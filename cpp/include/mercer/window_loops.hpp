// The hot loops over windows. As those of simd.hpp these are compiled once per instruction set and chosen at run time.
#pragma once

#include "mercer/simd.hpp"

namespace mercer {

// What a row counts at a squared distance s in units of its bandwidth.
enum class Profile {
  gaussian,      // exp(-s / 2)
  exponential,   // exp(-sqrt s)
  epanechnikov,  // 1 - s
  triangular,    // 1 - sqrt s
  cosine,        // cos(pi/2 sqrt s)
  tophat,        // 1
};  // the last four where s < 1, and 0 beyond

inline constexpr bool is_unbounded(Profile profile) {
  return profile == Profile::gaussian || profile == Profile::exponential;
}

// Squared distances of one query from consecutive rows, infinite where a row does not count.
struct WindowRow {
  const double* squared;
  const double* scale;  // 1 / h^2 of each row, times which its squared distance counts
  const double* coef;   // `outputs` of them, `stride` apart
  Index stride, outputs;
  Index count;  // a multiple of lanes<double>
};

// A chain of bandwidths, each of which squares the values of the one before: the gaussian's narrower by the square root
// of two, the exponential's by two. Values of later links are off by less than 2^-1000. Other profiles have chains of
// one link.
struct WindowChain {
  Profile profile;
  double factor;  // of the squared distances at the first link; of the top hat, the largest that counts
  double shift;   // what the exponent of an unbounded profile is told from, at the first link
  Index links;
};

// Bins of how much farther rows are than the nearest one, in what the exponent is a multiple of: squared distances of
// the gaussian, distances of the exponential. Bins are those of the first bits of origin + t as a number: each octave
// from the origin, a power of two, on is 2^bits of them. The one after the last holds what is beyond.
struct WindowBins {
  Profile profile;
  double nearest;  // squared
  double origin;
  int bits;
  Index bins;
};
// Of each bin sums of coef times 1, x, x^2 and x^3, where x is from -1 to 1 across the bin.
inline constexpr Index moments_of_bin = 4;

// What moments are worth at every bandwidth.
struct BinTable {
  double origin;
  int bits;
  Index bins;
  Index stride;  // bandwidths, padded to lanes<double>
  // Of each bin in turn: `stride` factors of each moment, and as many of the first that bound the error.
  const double* values;
  const std::int64_t* seen;  // of each bin, the bandwidths, from the first on, at which it counts
};

struct WindowOps {
  // out[a * ld + b] = |A[a] - B[b]|^2, feature by feature or from norms and products.
  void (*squared)(const PanelBlock<double>& block, bool by_differences, double* out, Index ld);
  // sums[(link * outputs + output) * lanes + lane] += coef * value.
  void (*add)(const WindowRow& row, const WindowChain& chain, double* sums);
  // Adds rows to the moments of their bins.
  void (*bin)(const WindowRow& row, const WindowBins& bins, double* moments);
  // Sums and their errors at every bandwidth.
  void (*sum_bins)(const BinTable& table, const double* moments, double* sums, double* errors);
  // The least of squared * scale.
  double (*least)(const WindowRow& row);
};

const WindowOps& window_ops();

}  // namespace mercer
