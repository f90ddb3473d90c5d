#include "round_history.hpp"

namespace mercer {

void RoundHistory::add(const std::vector<double>& coef, double step_length) {
  path_length_ += step_length;
  ++round_;
  coefs_.push_back(coef);
  if (length(coefs_) > remembered_rounds) coefs_.erase(coefs_.begin());
}

void RoundHistory::amend(const std::vector<double>& coef) {
  if (!coefs_.empty()) coefs_.back() = coef;
}

void RoundHistory::mark_current(const std::vector<Index>& rows) {
  for (const Index i : rows) at(seen_, i) = {round_, path_length_};
}

}  // namespace mercer
