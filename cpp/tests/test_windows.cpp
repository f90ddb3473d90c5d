// Sums over windows are those of plain loops, in a tree and on a line.
#include "check.hpp"
#include "mercer/line_windows.hpp"
#include "mercer/windows.hpp"
#include "reference.hpp"
#include "windows/profile.hpp"

using namespace mercer;
using namespace mercer::test;

namespace {

constexpr Profile all_profiles[] = {Profile::gaussian,   Profile::exponential, Profile::epanechnikov,
                                    Profile::triangular, Profile::cosine,      Profile::tophat};
constexpr double sum_rounding = 1e-10;

double plain_sum(Profile profile, const Table& X, std::span<const double> query, Index excluded, double factor,
                 const std::vector<double>& coef) {
  double sum = 0;
  for (Index i = 0; i < X.rows; ++i) {
    double squared = 0;
    for (Index k = 0; k < X.cols; ++k) squared += std::pow(X.row(i)[at(k)] - query[at(k)], 2);
    if (i != excluded) sum += coef[at(i)] * value_of(profile, squared, factor, 0);
  }
  return sum;
}

}  // namespace

TEST(sums_in_a_tree_are_those_of_plain_loops) {
  for (const Index n : {5, 20, 333})  // of one panel, of an odd number of them, of several leaves
    for (const Index d : {1, 2, 7})
      for (const Profile profile : all_profiles) {
        const Table X = random_table(n, d, 1);
        const WindowRows rows({X.values.data(), n, d});
        std::vector<double> scale(at(n), 1.0), coef(at(n), 1.0);
        std::vector<std::int64_t> excluded;
        for (Index i = 0; i < n; ++i) {
          coef[at(i)] = 1 + static_cast<double>(i % 3);
          excluded.push_back(i);
        }
        const std::vector<double> factors{0.5, 2, 8}, absolute(3, 0.0);
        std::vector<double> out(at(n * 3));
        sum_windows({.rows = rows,
                     .queries = {X.values.data(), n, d},
                     .excluded = excluded,
                     .profile = profile,
                     .scale = scale,
                     .factors = factors,
                     .coef = {coef.data(), 1, n},
                     .nearest = {},
                     .absolute = absolute,
                     .relative = 0},
                    {2, nullptr}, out.data());
        for (Index i = 0; i < n; ++i)
          for (Index k = 0; k < 3; ++k) {
            const double sum = plain_sum(profile, X, X.row(i), i, factors[at(k)], coef);
            CHECK_NEAR(out[at(i * 3 + k)], sum, sum_rounding * (1 + sum));
          }
      }
}

TEST(sums_on_a_line_are_those_of_plain_loops) {
  Table X = random_table(500, 1, 2);
  std::ranges::sort(X.values);
  const std::vector<double> coef(500, 1.0), queries = Random(3).vector(80);
  for (const Profile profile : all_profiles) {
    if (profile == Profile::gaussian) continue;
    for (const double h : {0.01, 0.3, 5.0}) {
      std::vector<double> out(80), nearest(80);
      sum_on_line({X.values, {coef.data(), 1, 500}, queries, {}, profile, h, true}, {1, nullptr}, out.data(),
                  nearest.data());
      for (Index i = 0; i < 80; ++i) {
        const double factor = profile == Profile::tophat ? h * h : 1 / (h * h);
        const double sum = plain_sum(profile, X, std::span(&queries[at(i)], 1), -1, factor, coef);
        CHECK_NEAR(out[at(i)] * std::exp(-nearest[at(i)]), sum, sum_rounding * (1 + sum));
      }
    }
  }
}

TEST(sums_by_bins_are_those_of_the_moments_of_their_rows) {
  // A table whose factors are one for the first moment tells how much is in the bins, and of the others the powers.
  const Index n = 333, d = 3, stride = lanes<double>, bins = 64;
  const Table X = random_table(n, d, 1);
  const WindowRows rows({X.values.data(), n, d});
  const std::vector<double> scale(at(n), 1.0), factors{1.0};
  std::vector<double> coef, table(at(bins * (moments_of_bin + 1) * stride), 0.0);
  for (Index i = 0; i < n; ++i) coef.push_back(1 + static_cast<double>(i % 3));
  for (Index bin = 0; bin < bins; ++bin)
    for (Index p = 0; p <= moments_of_bin; ++p) {
      double* of_moment = table.data() + (bin * (moments_of_bin + 1) + p) * stride;
      if (p < moments_of_bin) of_moment[p] = 1;
      of_moment[4] = p == moments_of_bin ? 2 : 0;
    }
  const std::vector<std::int64_t> seen(at(bins), stride);
  const double origin = 0.25;
  const int bits = 3;
  for (const Profile profile : {Profile::gaussian, Profile::exponential}) {
    std::vector<double> sums(at(n * stride)), errors(at(n * stride)), nearest(at(n));
    const WindowTask task{.rows = rows,
                          .queries = {X.values.data(), n, d},
                          .excluded = {},
                          .profile = profile,
                          .scale = scale,
                          .factors = factors,
                          .coef = {coef.data(), 1, n},
                          .nearest = {},
                          .absolute = {},
                          .relative = 0};
    sum_binned_windows(task, {origin, bits, bins, stride, table.data(), seen.data()}, {2, nullptr},
                       {sums.data(), errors.data(), nearest.data()});
    for (Index q = 0; q < n; ++q) {
      double expected[moments_of_bin] = {};
      for (Index i = 0; i < n; ++i) {
        double squared = 0;
        for (Index k = 0; k < d; ++k) squared += std::pow(X.row(i)[at(k)] - X.row(q)[at(k)], 2);
        // Each query is a row itself, so that the nearest is at zero.
        const double moved = origin + (profile == Profile::gaussian ? squared : std::sqrt(squared));
        const int octave = static_cast<int>(std::floor(std::log2(moved / origin)));
        const double share = moved / std::ldexp(origin, octave) * (1 << bits);
        const Index bin = octave * (1 << bits) + static_cast<Index>(share) - (1 << bits);
        if (bin >= bins) continue;
        const double across = 2 * (share - std::floor(share)) - 1;
        for (Index p = 0; p < moments_of_bin; ++p)
          expected[p] += coef[at(i)] * std::pow(across, static_cast<double>(p));
      }
      CHECK(nearest[at(q)] == 0);
      for (Index p = 0; p < moments_of_bin; ++p)
        CHECK_NEAR(sums[at(q * stride + p)], expected[p], sum_rounding * (1 + expected[0]));
      CHECK_NEAR(errors[at(q * stride + 4)], 2 * expected[0], sum_rounding * (1 + expected[0]));
    }
  }
}
