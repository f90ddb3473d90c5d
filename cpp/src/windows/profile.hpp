// Windows at one squared distance, in plain double.
#pragma once

#include <cmath>
#include <numbers>

#include "mercer/window_loops.hpp"

namespace mercer {

// `shift` as in WindowChain; `factor` too.
inline double value_of(Profile profile, double s, double factor, double shift) {
  switch (profile) {
    case Profile::gaussian: return std::exp(-0.5 * (factor * s - shift));
    case Profile::exponential: return std::exp(shift - std::sqrt(factor * s));
    case Profile::epanechnikov: return std::max(0.0, 1 - factor * s);
    case Profile::triangular: return std::max(0.0, 1 - std::sqrt(factor * s));
    case Profile::cosine: return std::sin(std::numbers::pi / 2 * std::max(0.0, 1 - std::sqrt(factor * s)));
    case Profile::tophat: return s <= factor ? 1 : 0;
  }
  return 0;
}

// The shift that belongs to the squared distance of the nearest row.
inline double shift_of(Profile profile, double nearest, double factor) {
  return profile == Profile::exponential ? std::sqrt(factor * nearest) : factor * nearest;
}

}  // namespace mercer
