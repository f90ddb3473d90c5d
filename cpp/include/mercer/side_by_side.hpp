// Independent problems, one thread each.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "mercer/stop.hpp"

namespace mercer {

// When to stop short of the tolerance: seconds for all problems together, steps for each.
struct Limits {
  double seconds = std::numeric_limits<double>::infinity();
  Index max_steps = std::numeric_limits<Index>::max();
};

// Calls solve(k, stop) for each problem, on up to `threads` threads; `work` is about what each costs, and its share of
// the time. Where a problem ends at the deadline and others leave some of their time, it is called again and goes on
// from where it was. Progress and signals reach the caller's thread whichever thread is at work. Once the caller wants
// an end, `stop` is null: keep what there is and return Status::interrupted.
void side_by_side(const std::vector<double>& work, const Limits& limits, int threads, const Stop::Report& report,
                  const std::function<Status(std::size_t, Stop*)>& solve);

}  // namespace mercer
