#include "mercer/frame.hpp"

#include <algorithm>
#include <iterator>

namespace mercer {
namespace {

// The median of some rows: a mean would follow a single outlier away from all the others.
template <class T>
std::vector<double> centre_of(const Dense<T>& X) {
  constexpr Index most = 63;  // odd: the middle one is a value of the data
  const Index step = std::max<Index>(1, X.rows / most), count = std::min(X.rows, most);
  if (count == 0) return {};
  std::vector<double> median, column(static_cast<std::size_t>(count));
  for (Index k = 0; k < X.cols; ++k) {
    for (Index i = 0; i < count; ++i) column[static_cast<std::size_t>(i)] = static_cast<double>(X.row(i * step)[k]);
    std::ranges::nth_element(column, column.begin() + count / 2);
    median.push_back(column[static_cast<std::size_t>(count / 2)]);
  }
  return median;
}

// Sparse rows stay where they are, or they were no longer sparse.
template <class T, class I>
std::vector<double> centre_of(const Csr<T, I>&) {
  return {};
}

// The first leaf of a frame that depends on the distance; null where there is none.
const Leaf* first_leaf(const Kernel& kernel, int frame) {
  for (const Instruction& step : kernel.program())
    if (step.kind == Instruction::Kind::leaf && step.frame == frame && step.leaf.form().translation_invariant())
      return &step.leaf;
  return nullptr;
}

}  // namespace

Frame frame_for(const Kernel& kernel, const Matrix& X) {
  kernel.check_features(cols_of(X));
  std::vector<Frame> parts;
  for (int number = 0; number < kernel.frames(); ++number) {
    Frame& part = parts.emplace_back();
    if (!kernel.translation_invariant(number)) continue;
    part.shift = std::visit([](const auto& view) { return centre_of(view); }, X);
    if (const Leaf* leaf = first_leaf(kernel, number)) {
      part.scale = leaf->natural_scale();
      part.feature_scales = leaf->feature_scales();
    }
  }
  Frame frame = std::move(parts.front());
  frame.others.assign(std::make_move_iterator(parts.begin() + 1), std::make_move_iterator(parts.end()));
  return frame;
}

bool Frame::serves(const Kernel& kernel) const {
  // Squared distances times gamma then stay far from the ends of float.
  constexpr double widest = 1e6;
  if (kernel.frames() != static_cast<int>(others.size()) + 1) return false;
  for (int number = 0; number < kernel.frames(); ++number) {
    const Frame& own = part(number);
    const Leaf* leaf = first_leaf(kernel, number);
    if (own.feature_scales != (leaf ? leaf->feature_scales() : std::vector<double>())) return false;
    if (!kernel.translation_invariant(number)) {
      if (!own.shift.empty() || own.scale != 1) return false;
    } else if (leaf) {
      const double ratio = leaf->natural_scale() / own.scale;
      if (!(ratio <= widest && ratio >= 1 / widest)) return false;
    }
  }
  return true;
}

}  // namespace mercer
