// The fused loops of every leaf, with numbers for them, and the values they stand for.
#pragma once

#include <algorithm>
#include <limits>

#include "mercer/simd.hpp"
#include "reference.hpp"

namespace mercer::test {

struct Loop {
  Leaf leaf;
  bool by_differences = false;
};

inline Loop loop_of(std::string_view name, const std::vector<Leaf::Number>& numbers = {}) {
  return {Leaf(name, numbers)};
}

template <class T>
const LeafLoops<T>& loops_of(const Ops<T>& op, const Loop& loop) {
  return (loop.by_differences ? op.leaves_by_differences : op.leaves)[loop.leaf.number()];
}

template <class T>
LeafNumbers<T> numbers_of(const Loop& loop, T rounding = 0) {
  return {loop.leaf.parameters(), rounding};
}

// Numbers that float holds exactly, with values and exponents of order one over d features in [-1, 1].
inline std::vector<Loop> every_loop(Index d) {
  double gamma = 1;
  while (gamma * static_cast<double>(d) > 1) gamma /= 2;
  std::vector<Loop> loops;
  for (const LeafForm& form : leaf_forms()) {
    // sin^2(pi t) changes pi^2 times as fast as t^2.
    const double slow = form.name == "periodic" ? gamma / 16 : gamma;
    const std::vector<Leaf::Number> all{{"gamma", slow}, {"coef0", 0.25}, {"degree", 3}};
    std::vector<Leaf::Number> numbers;
    for (const Leaf::Number& number : all)
      if (std::ranges::count(form.parameters, number.first)) numbers.push_back(number);
    // Where the map is steep, a distance from norms is too coarse next to zero for the bound below.
    if (!form.is_steep) loops.push_back(loop_of(form.name, numbers));
    if (form.sum == FeatureSum::squared_distance) loops.push_back({Leaf(form.name, numbers), true});
  }
  return loops;
}

// What rounding in T may do to such a value: a unit or two for each term of a sum of d, and some for the map.
template <class T>
double loop_rounding(Index d) {
  return static_cast<double>(2 * d + 8) * std::numeric_limits<T>::epsilon();
}

template <class T>
std::vector<double> as_double(std::span<const T> values) {
  return {values.begin(), values.end()};
}

}  // namespace mercer::test
