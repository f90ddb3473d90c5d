// Weights that are shrunk and averaged at every step, at the cost of the entries of the step's rows only.
#pragma once

#include <vector>

#include "mercer/linear_rows.hpp"

namespace mercer {

// w = scale * v, so that shrinking touches no weight. The sum of all w there were is past * v - missed, where `past` is
// the sum of their scales: what is added to v was missing from all the earlier ones.
// See Bottou (2012), Stochastic gradient descent tricks.
class LazyWeights {
 public:
  // Of `functions` functions, with the offset of each behind its weights; `average` is that of `averaged` earlier ones.
  LazyWeights(Index functions, Index features, const std::vector<double>& w, const std::vector<double>& average,
              Index averaged);

  // out[k] = f(x) for the k-th row of the list.
  void values(const LinearRows& X, RowList list, Index function, double* out) const;
  // w += sum_k coef[k] x.
  void add(const LinearRows& X, RowList list, const double* coef, Index function);
  void add_offset(Index function, double change) { offset_[static_cast<std::size_t>(function)] += change; }
  double offset(Index function) const { return offset_[static_cast<std::size_t>(function)]; }
  // w *= factor, offsets excepted.
  void shrink(double factor);
  // Moves every weight by `amount` towards zero, and not beyond.
  void truncate(double amount);
  // Counts the weights as they are in the average.
  void remember();

  std::vector<double> current() const;
  std::vector<double> average() const;
  bool is_finite() const;
  // |w|^2 and |w|_1.
  double squared_norm() const;
  double absolute_sum() const;

 private:
  double* of(std::vector<double>& all, Index function) const { return all.data() + function * features_; }
  const double* of(const std::vector<double>& all, Index function) const { return all.data() + function * features_; }
  void settle();

  Index functions_, features_;
  double scale_ = 1, past_ = 0;
  std::vector<double> v_, missed_;
  std::vector<double> offset_, average_offset_;
  Index averaged_;
  std::vector<double> scaled_coef_;
};

}  // namespace mercer
