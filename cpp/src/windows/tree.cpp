#include <algorithm>
#include <numeric>

#include "mercer/indexing.hpp"
#include "mercer/windows.hpp"

namespace mercer {

BoxTree::BoxTree(const Dense<double>& rows, Index leaf, Stop* stop)
    : d_(rows.cols), order_(static_cast<std::size_t>(rows.rows)) {
  std::iota(order_.begin(), order_.end(), Index(0));
  if (rows.rows > 0) split(rows, 0, rows.rows, leaf, stop);
  rows_.reserve(static_cast<std::size_t>(rows.rows * d_));
  for (const Index i : order_) {
    rows_.insert(rows_.end(), rows.row(i), rows.row(i) + d_);
    norms_.push_back(ops<double>().self_dot(rows.row(i), d_, false));
  }
  // Children come after their parent.
  for (Index number = length(nodes_) - 1; number >= 0; --number) {
    Node& node = at(nodes_, number);
    node.largest_norm = node.is_leaf()
                            ? *std::max_element(norms_.begin() + node.first, norms_.begin() + node.last)
                            : std::max(at(nodes_, node.left).largest_norm, at(nodes_, node.right).largest_norm);
  }
}

Index BoxTree::split(const Dense<double>& rows, Index first, Index last, Index leaf, Stop* stop) {
  if (stop) stop->poll();
  const Index number = length(nodes_);
  nodes_.push_back({first, last, -1, -1, 0});
  std::vector<double> low(rows.row(at(order_, first)), rows.row(at(order_, first)) + d_), high = low;
  for (Index i = first + 1; i < last; ++i) {
    const double* row = rows.row(at(order_, i));
    for (Index k = 0; k < d_; ++k) {
      at(low, k) = std::min(at(low, k), row[k]);
      at(high, k) = std::max(at(high, k), row[k]);
    }
  }
  Index widest = 0;
  for (Index k = 1; k < d_; ++k)
    if (at(high, k) - at(low, k) > at(high, widest) - at(low, widest)) widest = k;
  low_.insert(low_.end(), low.begin(), low.end());
  high_.insert(high_.end(), high.begin(), high.end());
  const Index leaves = (last - first + leaf - 1) / leaf;
  if (leaves < 2) return number;
  const Index middle = first + leaves / 2 * leaf;
  std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last, [&](Index a, Index b) {
    const double one = rows.row(a)[widest], two = rows.row(b)[widest];
    return one < two || (one == two && a < b);
  });
  const Index left = split(rows, first, middle, leaf, stop), right = split(rows, middle, last, leaf, stop);
  at(nodes_, number).left = left;
  at(nodes_, number).right = right;
  return number;
}

WindowRows::WindowRows(const Dense<double>& rows, Stop* stop)
    : tree_(rows, leaf_rows, stop), places_(tree_.order().size()) {
  constexpr Index w = lanes<double>;
  const Index n = tree_.size(), d = tree_.features(), padded = (n + w - 1) / w * w;
  panels_ = Buffer<double>(padded * d);
  norms_ = Buffer<double>(padded);
  for (Index i = 0; i < padded; ++i) {
    const Index from = std::min(i, n - 1);
    const double* row = tree_.row(from);
    double* to = panels_.data() + i / w * w * d + i % w;
    for (Index k = 0; k < d; ++k) to[k * w] = row[k];
    norms_[i] = tree_.norms()[from];
    if (i < n) at(places_, at(tree_.order(), i)) = i;
  }
}

}  // namespace mercer
