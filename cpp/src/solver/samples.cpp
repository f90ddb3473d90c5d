#include "samples.hpp"

#include <algorithm>
#include <random>

#include "mercer/indexing.hpp"

namespace mercer {

std::vector<Index> sample_order(Index rows, Index first_sample, Index held_out) {
  std::vector<Index> order = counted(0, rows);
  if (rows > first_sample) std::shuffle(order.begin(), order.end() - held_out, std::minstd_rand(1));
  return order;
}

std::vector<Index> sample_sizes(Index rows, Index first_sample) {
  std::vector<Index> sizes;
  for (Index size = rows / 2; size >= std::max<Index>(1, first_sample); size /= 2) sizes.push_back(size);
  std::ranges::reverse(sizes);
  return sizes;
}

std::vector<double> in_given_order(const std::vector<double>& values, const std::vector<Index>& order) {
  std::vector<double> given(values.size());
  for (Index i = 0; i < length(order); ++i) at(given, at(order, i)) = at(values, i);
  return given;
}

}  // namespace mercer
