// Finds      how far the k-th nearest row of each query is
// Given      rows and queries of several features
// Returns    distances
// How        of all squared distances of a query, those between two of a sample that the k-th is nearly always between
//            are gone through for it; where it is not, all are
#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/buffer.hpp"
#include "mercer/indexing.hpp"
#include "mercer/local.hpp"
#include "mercer/simd.hpp"

namespace mercer {
namespace {

constexpr Index queries_at_once = 16;
constexpr Index sample_size = 256;
// Below this, a sample saves nothing.
constexpr Index fewest_rows = 4 * sample_size;
// Standard deviations of a rank in the sample within which the k-th is looked for.
constexpr double deviations = 3;

constexpr double infinity = std::numeric_limits<double>::infinity();

// The k-th smallest of numbers, which are left in another order.
class Selection {
 public:
  explicit Selection(Index count) : between_(static_cast<std::size_t>(count)) {}

  double kth(std::span<double> values, Index k) {
    const Index n = length(values);
    if (n >= fewest_rows) {
      const auto [low, high] = bounds(values, k);
      Index below = 0, count = 0;
      double* between = between_.data();
      for (const double value : values) {  // without a branch, which would often be foretold wrongly
        const auto is_below = static_cast<Index>(value < low), is_above = static_cast<Index>(value > high);
        between[count] = value;
        count += 1 - (is_below | is_above);
        below += is_below;
      }
      if (below < k && k <= below + count) return nth({between_.data(), static_cast<std::size_t>(count)}, k - below);
    }
    return nth(values, k);
  }

 private:
  static double nth(std::span<double> values, Index k) {
    std::ranges::nth_element(values, values.begin() + (k - 1));
    return at(values, k - 1);
  }

  static std::pair<double, double> bounds(std::span<const double> values, Index k) {
    double sample[sample_size];
    const Index n = length(values);
    for (Index i = 0; i < sample_size; ++i) sample[i] = at(values, i * n / sample_size);
    std::ranges::sort(sample);
    const double share = static_cast<double>(k) / static_cast<double>(n), size = sample_size;
    const double slack = 1 + deviations * std::sqrt(size * share * (1 - share));
    const auto low = static_cast<Index>(std::floor(share * size - slack));
    const auto high = static_cast<Index>(std::ceil(share * size + slack));
    return {low < 0 ? -infinity : sample[low], high >= sample_size ? infinity : sample[high]};
  }

  std::vector<double> between_;
};

}  // namespace

std::vector<double> kth_distances(const Dense<double>& rows, const Dense<double>& queries, Index k,
                                  const Workers& workers) {
  constexpr Index width = lanes<double>;
  const Index n = rows.rows, d = rows.cols, panels = (n + width - 1) / width;
  Buffer<double> in_panels(panels * width * d);
  std::fill_n(in_panels.data(), in_panels.size(), 0.0);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j) in_panels[i / width * width * d + j * width + i % width] = rows.row(i)[j];
  std::vector<double> found(static_cast<std::size_t>(queries.rows));
  parallel_for(
      (queries.rows + queries_at_once - 1) / queries_at_once, workers.threads,
      [&](Index chunk) {
        Buffer<double> squared(panels * width);
        Selection selection(n);
        for (Index q = chunk * queries_at_once; q < std::min(queries.rows, (chunk + 1) * queries_at_once); ++q) {
          ops<double>().panel_distances(in_panels.data(), panels, queries.row(q), d, Norm::euclidean, squared.data());
          at(found, q) = std::sqrt(selection.kth({squared.data(), static_cast<std::size_t>(n)}, k));
          poll_inside();
        }
      },
      workers.stop);
  return found;
}

}  // namespace mercer
