// Sums over all pairs of rows, each with its weight: what the gradients of likelihoods are made of.
#pragma once

#include <vector>

#include "mercer/leaf.hpp"
#include "mercer/pool.hpp"
#include "mercer/view.hpp"

namespace mercer {

struct PairSums {
  double values = 0;                // sum_(i > j) w_ij v_ij
  std::vector<double> differences;  // of each feature k, sum_(i > j) w_ij v_ij |x_ik - x_jk|, or of their squares
};

// Of weights and values the entries below the diagonal count. What is summed of the features is a distance.
PairSums pair_sums(const Dense<double>& weights, const Dense<double>& values, const Dense<double>& X, FeatureSum kind,
                   const Workers& workers);

// The same over all rows of X with all of Z, where every weight and every value counts.
PairSums cross_sums(const Dense<double>& weights, const Dense<double>& values, const Dense<double>& X,
                    const Dense<double>& Z, FeatureSum kind, const Workers& workers);

}  // namespace mercer
