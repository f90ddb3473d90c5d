// Where the method of multipliers starts.
#pragma once

#include "multipliers.hpp"

namespace mercer {

// How steep envelopes begin where nothing is known of the machine.
constexpr double first_steepness = 0.5;

// What a start is made of: the problem that it is for.
struct StartOf {
  const LinearRows& X;
  const LinearProblem& problem;
  const LinearOptions& options;
  Stop& stop;
};

// Goes to the weights that nested samples lead to, each solved roughly and the start of the next. The first is solved
// for the squared loss, whatever the loss. `w` are the weights it begins with, and the best ones so far at any time.
void start_from_samples(Multipliers& whole, const StartOf& start, std::vector<double>& w);

// Goes to where a path of growing C leads, for losses that are not smooth.
void start_along_path(Multipliers& whole, const StartOf& start);

}  // namespace mercer
