// How old the values of rows are: the rounds since they were computed, and how far the machine has moved since then.
#pragma once

#include <vector>

#include "mercer/indexing.hpp"

namespace mercer {

// Values older than this many rounds are computed anew; others catch up with what changed.
inline constexpr Index remembered_rounds = 8;

class RoundHistory {
 public:
  explicit RoundHistory(Index rows) : seen_(static_cast<std::size_t>(rows), Seen{0, 0}) {}

  // A round led to these coefficients, and moved the machine by `step_length` in feature space.
  void add(const std::vector<double>& coef, double step_length);
  // The last round led to these instead; the caller has all values computed with them.
  void amend(const std::vector<double>& coef);
  // The values of these rows are computed with the coefficients as they are.
  void mark_current(const std::vector<Index>& rows);

  bool is_current(Index row) const { return rounds_since(row) == 0; }
  Index rounds_since(Index row) const { return round_ - at(seen_, row).round; }
  double path_since(Index row) const { return path_length_ - at(seen_, row).path_length; }

  // The coefficients are known of fewer rounds ago than this.
  Index rounds_known() const { return length(coefs_); }
  const std::vector<double>& coef_before(Index rounds) const { return at(coefs_, length(coefs_) - 1 - rounds); }

 private:
  struct Seen {
    Index round;
    double path_length;
  };
  Index round_ = 0;
  double path_length_ = 0;  // of the machine in feature space
  std::vector<Seen> seen_;
  std::vector<std::vector<double>> coefs_;  // after each of the last rounds
};

}  // namespace mercer
