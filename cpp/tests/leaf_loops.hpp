// The fused loops by their names, and the kernels they stand for.
#pragma once

#include "mercer/simd.hpp"
#include "reference.hpp"

namespace mercer::test {

inline constexpr LeafLoop every_loop[] = {LeafLoop::linear, LeafLoop::polynomial, LeafLoop::sigmoid,
                                          LeafLoop::rbf,    LeafLoop::far_rbf,    LeafLoop::laplacian};
static_assert(std::size(every_loop) == leaf_loops);

inline Family family_of(LeafLoop loop) {
  switch (loop) {
    case LeafLoop::linear: return Family::linear;
    case LeafLoop::polynomial: return Family::polynomial;
    case LeafLoop::sigmoid: return Family::sigmoid;
    case LeafLoop::rbf:
    case LeafLoop::far_rbf: return Family::rbf;
    case LeafLoop::laplacian: return Family::laplacian;
  }
  return Family::constant;
}

// Numbers that T holds exactly, with values and exponents of order one over d features in [-1, 1].
template <class T>
LeafMap<T> some_map(Index d) {
  T gamma = 1;
  while (gamma * static_cast<T>(d) > 1) gamma /= 2;
  return {gamma, T(0.25), 3, T(0)};
}

template <class T>
double loop_value(LeafLoop loop, const LeafMap<T>& map, std::span<const double> x, std::span<const double> z) {
  return naive_leaf({family_of(loop), static_cast<double>(map.gamma), static_cast<double>(map.coef0), map.degree}, x,
                    z);
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
