#include "margin_gram.hpp"

#include <algorithm>
#include <iterator>

#include "linear/rows/shares.hpp"

namespace mercer {
namespace {

// A matrix that has lost so many of its rows is summed anew: differences leave the rounding of the largest sum.
constexpr double least_left = 0.3;
// Products that are added to the matrix between two looks at the clock: a fraction of a second.
constexpr std::size_t products_per_slab = std::size_t(1) << 30;

}  // namespace

MarginGram::MarginGram(const LinearRows& X, std::span<const double> weight, int threads, Stop& stop)
    : X_(X), weight_(weight), threads_(threads), stop_(stop), gram_(X.cols() * X.cols()) {
  std::fill_n(gram_.data(), gram_.size(), 0.0);
}

void MarginGram::follow(RowList inside) {
  std::vector<std::int32_t> entered, left;
  std::ranges::set_difference(inside, inside_, std::back_inserter(entered));
  std::ranges::set_difference(inside_, inside, std::back_inserter(left));
  most_inside_ = std::max(most_inside_, inside_.size());
  inside_.assign(inside.begin(), inside.end());
  if (entered.size() + left.size() > inside.size() ||
      static_cast<double>(inside.size()) < least_left * static_cast<double>(most_inside_)) {
    std::fill_n(gram_.data(), gram_.size(), 0.0);
    most_inside_ = inside.size();
    add(inside, 1.0);
  } else {
    add(entered, 1.0);
    add(left, -1.0);
  }
}

void MarginGram::add(RowList list, double sign) {
  std::vector<double> weights(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) weights[k] = weight_[static_cast<std::size_t>(list[k])];
  const std::size_t products = std::max<std::size_t>(1, static_cast<std::size_t>(gram_.size()));
  const std::size_t rows_per_slab = std::max<std::size_t>(1, products_per_slab / products);
  for (std::size_t begin = 0; begin < list.size(); begin += rows_per_slab) {
    const RowList slab = list.subspan(begin, std::min(rows_per_slab, list.size() - begin));
    RowShares(slab, threads_, stop_).sum(gram_.data(), gram_.size(), [&](RowList part, std::size_t first, double* sum) {
      X_.add_gram(part, weights.data() + begin + first, sign, sum);
    });
    stop_.poll();
  }
}

}  // namespace mercer
