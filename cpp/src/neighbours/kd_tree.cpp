#include "mercer/kd_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/indexing.hpp"

namespace mercer {
namespace {

// Rows of a leaf at most: few enough that boxes rule out most of them, enough that vectors are full. A search has a bit
// for each.
constexpr Index most_rows_per_leaf = 4 * lanes<double>;
static_assert(most_rows_per_leaf <= 64);
// Subtrees that are made side by side.
constexpr Index parallel_depth = 4;

constexpr double infinity = std::numeric_limits<double>::infinity();

Index middle_of(Index first, Index last) { return first + (last - first) / 2; }

// Where the rows of a node begin and end, by its number among those of its depth.
std::pair<Index, Index> part_of(Index number, Index depth, Index length) {
  Index first = 0, last = length;
  for (Index level = depth; level-- > 0;) (number >> level & 1 ? first : last) = middle_of(first, last);
  return {first, last};
}

// Row-major, in float64.
std::vector<double> copied(const Matrix& rows) {
  return std::visit(
      [](const auto& X) -> std::vector<double> {
        if constexpr (requires { X.row(0); })
          return {X.data, X.data + X.rows * X.cols};
        else
          return {};
      },
      rows);
}

}  // namespace

KdTree::KdTree(const Matrix& rows, Norm norm, const Workers& workers)
    : norm_(norm),
      length_(rows_of(rows)),
      d_(cols_of(rows)),
      padded_((d_ + lanes<double> - 1) / lanes<double> * lanes<double>) {
  while ((length_ + leaves_ - 1) / leaves_ > most_rows_per_leaf) leaves_ *= 2;
  const Index largest_leaf = std::max<Index>(1, (length_ + leaves_ - 1) / leaves_);
  panels_per_leaf_ = (largest_leaf + lanes<double> - 1) / lanes<double>;
  boxes_.assign(static_cast<std::size_t>(nodes() * 2 * padded_), 0.0);
  sides_.assign(static_cast<std::size_t>(leaves_ - 1), 0);
  middles_.assign(static_cast<std::size_t>(leaves_ - 1), 0.0);
  panels_ = Buffer<double>(leaves_ * panels_per_leaf_ * lanes<double> * d_);
  numbers_.assign(static_cast<std::size_t>(leaves_ * panels_per_leaf_ * lanes<double>), -1);

  Part whole{copied(rows), counted(0, length_), {}};
  for (Index i = 0; i < length_; ++i) whole.order.emplace_back(0.0, i);
  // The top a level at a time; what is below it each on a copy of its rows, which fits a cache.
  Index depth = 0;
  for (; depth < parallel_depth && (Index{1} << depth) < leaves_; ++depth)
    parallel_for(
        Index{1} << depth, workers.threads,
        [&](Index number) {
          const auto [first, last] = part_of(number, depth, length_);
          const Index node = (Index{1} << depth) - 1 + number;
          measure(node, whole, first, last);
          divide(node, whole, first, last);
        },
        workers.stop);
  parallel_for(
      Index{1} << depth, workers.threads,
      [&](Index number) {
        const auto [first, last] = part_of(number, depth, length_);
        Part own = gathered(whole, first, last);
        make((Index{1} << depth) - 1 + number, own, 0, last - first);
      },
      workers.stop);
}

KdTree::Part KdTree::gathered(const Part& whole, Index first, Index last) const {
  Part own;
  for (Index a = first; a < last; ++a) {
    const Index place = at(whole.order, a).second;
    const double* row = whole.values.data() + place * d_;
    own.values.insert(own.values.end(), row, row + d_);
    own.numbers.push_back(at(whole.numbers, place));
    own.order.emplace_back(0.0, a - first);
  }
  return own;
}

// A node and all that is below it.
void KdTree::make(Index node, Part& rows, Index first, Index last) {
  measure(node, rows, first, last);
  if (is_leaf(node)) return fill(leaf_number(node), rows, first, last);
  const Index middle = divide(node, rows, first, last);
  make(2 * node + 1, rows, first, middle);
  make(2 * node + 2, rows, middle, last);
}

// The box around the rows of a node.
void KdTree::measure(Index node, const Part& rows, Index first, Index last) {
  double *low = boxes_.data() + node * 2 * padded_, *high = low + padded_;
  std::fill_n(low, d_, infinity);
  std::fill_n(high, d_, -infinity);
  std::fill(low + d_, high, -infinity);
  std::fill(high + d_, high + padded_, infinity);
  for (Index a = first; a < last; ++a) {
    const double* row = rows.values.data() + at(rows.order, a).second * d_;
    for (Index k = 0; k < d_; ++k) {
      low[k] = std::min(low[k], row[k]);
      high[k] = std::max(high[k], row[k]);
    }
  }
}

// Puts the rows of a node that come first along its longest side before the others; returns where these begin.
Index KdTree::divide(Index node, Part& rows, Index first, Index last) {
  const double *low = boxes_.data() + node * 2 * padded_, *high = low + padded_;
  Index side = 0;
  for (Index k = 1; k < d_; ++k)
    if (high[k] - low[k] > high[side] - low[side]) side = k;
  for (Index a = first; a < last; ++a) {
    auto& [key, place] = at(rows.order, a);
    key = at(rows.values, place * d_ + side);
  }
  const Index middle = middle_of(first, last);
  std::nth_element(rows.order.begin() + first, rows.order.begin() + middle, rows.order.begin() + last);
  at(sides_, node) = side;
  at(middles_, node) = at(rows.order, middle).first;
  return middle;
}

void KdTree::fill(Index leaf, const Part& rows, Index first, Index last) {
  constexpr Index width = lanes<double>;
  double* to = panels_.data() + leaf * panels_per_leaf_ * width * d_;
  std::fill_n(to, panels_per_leaf_ * width * d_, infinity);
  Index* own = numbers_.data() + leaf * panels_per_leaf_ * width;
  for (Index a = first; a < last; ++a) {
    const Index lane = a - first, place = at(rows.order, a).second;
    own[lane] = at(rows.numbers, place);
    for (Index k = 0; k < d_; ++k)
      to[lane / width * width * d_ + k * width + lane % width] = at(rows.values, place * d_ + k);
  }
}

Index KdTree::leaf_of(const double* query) const {
  Index node = 0;
  while (!is_leaf(node)) node = 2 * node + (query[at(sides_, node)] < at(middles_, node) ? 1 : 2);
  return node;
}

}  // namespace mercer
