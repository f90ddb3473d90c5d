// Some rows of a problem, whose losses stand for those of all rows.
#pragma once

#include <cstdint>
#include <vector>

#include "mercer/view.hpp"

namespace mercer {

struct Sample {
  std::vector<std::int32_t> members;  // by their positions in the data
  double factor = 1;                  // how many times their losses count
  // How steep the envelopes begin; zero asks for the squared loss instead, which has a step to take from anywhere.
  double steepness = 1;
};

// The rows 0, step, 2 step, ... of so many.
inline std::vector<std::int32_t> every(Index step, Index count) {
  std::vector<std::int32_t> list;
  for (Index i = 0; i < count; i += step) list.push_back(static_cast<std::int32_t>(i));
  return list;
}

}  // namespace mercer
