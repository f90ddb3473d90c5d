// The rows that the method of multipliers looks at, in arrays side by side.
#pragma once

#include "mercer/buffer.hpp"
#include "mercer/linear_rows.hpp"
#include "mercer/losses.hpp"
#include "weighted_rows.hpp"

namespace mercer {

class ActiveRows {
 public:
  explicit ActiveRows(Index most) : numbers_(most), positions_(most), values_(count_of_arrays * most) {}

  Index capacity() const { return numbers_.size(); }
  Index size() const { return size_; }
  void resize(Index size) { size_ = size; }
  // What a row is known by here, and its position among the rows of the data.
  std::int32_t& number(Index k) { return numbers_[k]; }
  std::int32_t& position(Index k) { return positions_[k]; }
  RowList positions(Index first, Index last) const {
    return {positions_.data() + first, static_cast<std::size_t>(last - first)};
  }

  double& slope(Index k) { return array(0)[k]; }
  double& lower(Index k) { return array(1)[k]; }
  double& upper(Index k) { return array(2)[k]; }
  double& kink(Index k) { return array(3)[k]; }
  double& weight(Index k) { return array(4)[k]; }
  double& norm(Index k) { return array(5)[k]; }
  double& centre(Index k) { return array(6)[k]; }
  double& coef(Index k) { return array(7)[k]; }
  double& value(Index k) { return array(8)[k]; }
  double& change(Index k) { return array(9)[k]; }

  // Whether a coefficient moves with the value: it is at no bound, nor held at zero by a kink.
  bool is_between(Index k) { return coef(k) > lower(k) && coef(k) < upper(k) && (coef(k) != 0 || kink(k) == 0); }
  // Those of [first, last) that are.
  WeightedRows between(Index first, Index last);

  // The rows [first, last) as the loops see them.
  LossRows part(Index first, Index last) {
    return {.slope = &slope(first),
            .lower = &lower(first),
            .upper = &upper(first),
            .kink = &kink(first),
            .weight = &weight(first),
            .centre = &centre(first),
            .coef = &coef(first),
            .value = &value(first),
            .change = &change(first),
            .norm = &norm(first),
            .count = last - first};
  }

  // Drops rows, by their slots in ascending order; the others move up.
  void drop(RowList slots, int threads);

 private:
  static constexpr Index count_of_arrays = 10;
  double* array(Index which) { return values_.data() + which * capacity(); }

  Index size_ = 0;
  Buffer<std::int32_t> numbers_, positions_;
  Buffer<double> values_;
};

}  // namespace mercer
