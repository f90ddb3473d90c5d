#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "mercer/indexing.hpp"
#include "mercer/line_windows.hpp"
#include "profile.hpp"

namespace mercer {
namespace {

constexpr Index queries_at_once = 4096;
constexpr double infinity = std::numeric_limits<double>::infinity();
// A sum that is a smaller share of the weight in its window, because all rows are near the edge, is taken row by row,
// as moments have cancelled; of more rows than these it is not, and rounding stays below 1e-15 of the weight.
constexpr double least_share = 1e-4;
constexpr Index most_rows = 4096;

constexpr Index most_moments = 3;
using Moments = std::array<double, most_moments>;

Index moments_of(Profile profile) {
  if (profile == Profile::tophat) return 1;
  return profile == Profile::epanechnikov ? 3 : 2;
}

// The functions of a row, z bandwidths from the origin of its cell.
Moments of_row(Profile profile, double z) {
  if (profile == Profile::cosine) return {std::cos(std::numbers::pi / 2 * z), std::sin(std::numbers::pi / 2 * z), 0};
  return {1, z, z * z};
}

// What a query, t bandwidths from that origin, multiplies them by; of rows before it and after.
Moments of_query(Profile profile, double t, bool is_before) {
  switch (profile) {
    case Profile::epanechnikov: return {1 - t * t, 2 * t, -1};
    case Profile::triangular: return is_before ? Moments{1 - t, 1, 0} : Moments{1 + t, -1, 0};
    case Profile::cosine: return {std::cos(std::numbers::pi / 2 * t), std::sin(std::numbers::pi / 2 * t), 0};
    default: return {1, 0, 0};
  }
}

// The rows that a query counts: those before it, and those after, without the one that is excluded.
struct Range {
  Index first, before, after, last;
};

Index place_of(const LineTask& task, double query) {
  return std::ranges::lower_bound(task.rows, query) - task.rows.begin();
}

Range split_at(const LineTask& task, Index query, double q) {
  const Index excluded = task.excluded.empty() ? -1 : at(task.excluded, query);
  const Index middle = excluded < 0 ? place_of(task, q) : excluded;
  return {0, middle, excluded < 0 ? middle : middle + 1, length(task.rows)};
}

class CompactLine {
 public:
  explicit CompactLine(const LineTask& task)
      : task_(task), moments_(moments_of(task.profile)), width_(moments_ * task.coef.rows) {
    const Index n = length(task.rows);
    double number = -infinity;
    for (Index i = 0; i < n; ++i) {
      const double own = std::floor((at(task.rows, i) - task.rows.front()) / task.bandwidth);
      if (own != number) begins_.push_back(i);
      number = own;
      cells_.push_back(static_cast<std::int32_t>(length(begins_)) - 1);
    }
    begins_.push_back(n);
    from_begin_.resize(static_cast<std::size_t>(n * width_));
    to_end_.resize(static_cast<std::size_t>(n * width_));
    for (Index cell = 0; cell + 1 < length(begins_); ++cell) {
      const Index first = at(begins_, cell), last = at(begins_, cell + 1);
      for (Index i = first; i < last; ++i) add(i, i > first ? i - 1 : -1, from_begin_);
      for (Index i = last - 1; i >= first; --i) add(i, i + 1 < last ? i + 1 : -1, to_end_);
    }
  }

  void sum(Index query, double* out) const {
    const double q = at(task_.queries, query);
    Range range = split_at(task_, query, q);
    const auto is_out = [&](double x) {
      const double apart = std::abs(x - q);
      return task_.is_closed ? apart > task_.bandwidth : apart >= task_.bandwidth;
    };
    const auto rows = task_.rows.begin();
    range.first = std::partition_point(rows, rows + range.before, is_out) - rows;
    range.last =
        std::partition_point(rows + range.after, task_.rows.end(), [&](double x) { return !is_out(x); }) - rows;
    const Index outputs = task_.coef.rows;
    std::fill_n(out, outputs, 0.0);
    double weight = 0;
    take(range.first, range.before, q, true, out, weight);
    take(range.after, range.last, q, false, out, weight);
    const bool has_cancelled = task_.profile != Profile::tophat && out[0] < least_share * weight;
    if (!has_cancelled || range.last - range.first > most_rows) return;
    std::fill_n(out, outputs, 0.0);
    row_by_row(range.first, range.before, q, out);
    row_by_row(range.after, range.last, q, out);
  }

 private:
  double origin(Index cell) const { return at(task_.rows, at(begins_, cell)); }

  void add(Index i, Index from, std::vector<double>& sums) const {
    const Moments own = of_row(task_.profile, (at(task_.rows, i) - origin(at(cells_, i))) / task_.bandwidth);
    for (Index c = 0; c < task_.coef.rows; ++c)
      for (Index k = 0; k < moments_; ++k) {
        const Index place = c * moments_ + k;
        const double before = from < 0 ? 0 : at(sums, from * width_ + place);
        at(sums, i * width_ + place) = before + task_.coef.row(c)[i] * own[static_cast<std::size_t>(k)];
      }
  }

  void take(Index first, Index last, double q, bool is_before, double* out, double& weight) const {
    while (first < last) {
      const Index cell = at(cells_, first), begin = at(begins_, cell), end = at(begins_, cell + 1);
      if (first > begin && last < end) return row_by_row(first, last, q, out);
      const double* sums =
          first == begin && last < end ? from_begin_.data() + (last - 1) * width_ : to_end_.data() + first * width_;
      const Moments by = of_query(task_.profile, (q - origin(cell)) / task_.bandwidth, is_before);
      for (Index c = 0; c < task_.coef.rows; ++c)
        for (Index k = 0; k < moments_; ++k) out[c] += by[static_cast<std::size_t>(k)] * sums[c * moments_ + k];
      weight += std::abs(sums[0]);
      first = std::min(last, end);
    }
  }

  void row_by_row(Index first, Index last, double q, double* out) const {
    for (Index i = first; i < last; ++i) {
      const double z = (at(task_.rows, i) - q) / task_.bandwidth;
      const double value = task_.profile == Profile::tophat ? 1 : value_of(task_.profile, z * z, 1, 0);
      for (Index c = 0; c < task_.coef.rows; ++c) out[c] += value * task_.coef.row(c)[i];
    }
  }

  const LineTask& task_;
  Index moments_, width_;
  std::vector<std::int32_t> cells_;          // of each row
  std::vector<Index> begins_;                // of each cell, and the end
  std::vector<double> from_begin_, to_end_;  // of each row, output and moment: sums over its cell up to it, and from it
};

class DecayingLine {
 public:
  explicit DecayingLine(const LineTask& task) : task_(task), outputs_(task.coef.rows) {
    const Index n = length(task.rows);
    before_.resize(static_cast<std::size_t>(n * outputs_));
    after_.resize(static_cast<std::size_t>(n * outputs_));
    for (Index i = 0; i < n; ++i) add(i, i - 1, before_);
    for (Index i = n - 1; i >= 0; --i) add(i, i + 1 < n ? i + 1 : -1, after_);
  }

  double sum(Index query, double* out) const {
    const double q = at(task_.queries, query);
    const Range range = split_at(task_, query, q);
    const double left = range.before > 0 ? (q - at(task_.rows, range.before - 1)) / task_.bandwidth : infinity;
    const double right = range.after < range.last ? (at(task_.rows, range.after) - q) / task_.bandwidth : infinity;
    const double nearest = std::min(left, right);
    for (Index c = 0; c < outputs_; ++c) {
      out[c] = 0;
      if (left < infinity) out[c] += std::exp(nearest - left) * at(before_, (range.before - 1) * outputs_ + c);
      if (right < infinity) out[c] += std::exp(nearest - right) * at(after_, range.after * outputs_ + c);
    }
    return nearest;
  }

 private:
  void add(Index i, Index from, std::vector<double>& sums) const {
    const double kept = from < 0 ? 0 : std::exp(-std::abs(at(task_.rows, i) - at(task_.rows, from)) / task_.bandwidth);
    for (Index c = 0; c < outputs_; ++c)
      at(sums, i * outputs_ + c) = task_.coef.row(c)[i] + (from < 0 ? 0 : kept * at(sums, from * outputs_ + c));
  }

  const LineTask& task_;
  Index outputs_;
  std::vector<double> before_, after_;  // of each row and output, sums over rows up to it, and from it, as it sees them
};

}  // namespace

void sum_on_line(const LineTask& task, const Workers& workers, double* out, double* nearest) {
  const Index count = length(task.queries), outputs = task.coef.rows;
  const auto for_each_query = [&](const auto& body) {
    parallel_for((count + queries_at_once - 1) / queries_at_once, workers.threads,
                 [&](Index chunk) {
                   const Index first = chunk * queries_at_once;
                   for (Index i = first; i < std::min(count, first + queries_at_once); ++i) body(i);
                 },
                 workers.stop);
  };
  if (task.profile == Profile::exponential) {
    const DecayingLine line(task);
    for_each_query([&](Index i) { nearest[i] = line.sum(i, out + i * outputs); });
    return;
  }
  const CompactLine line(task);
  for_each_query([&](Index i) {
    line.sum(i, out + i * outputs);
    nearest[i] = 0;
  });
}

}  // namespace mercer
