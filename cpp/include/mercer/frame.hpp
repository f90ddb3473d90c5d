// Where rows stand when a kernel is evaluated on them: shifted and scaled, feature by feature.
#pragma once

#include <vector>

#include "mercer/kernel.hpp"
#include "mercer/view.hpp"

namespace mercer {

// x -> (x - shift) * scale * feature_scales, feature by feature. An empty shift is zero, empty scales are one.
struct Frame {
  std::vector<double> shift;
  double scale = 1;
  std::vector<double> feature_scales;
  std::vector<Frame> others;  // in which rows stand as well, for leaves with other scales of the features

  const Frame& part(int number) const { return number == 0 ? *this : others[static_cast<std::size_t>(number) - 1]; }
  // Whether the kernel can be evaluated on rows in it: it is a frame of this kernel with perhaps another gamma, not so
  // far off that precision were lost.
  bool serves(const Kernel& kernel) const;
};

// For translation-invariant kernels their natural scale and, for dense data, the median of some rows: a mean would
// follow a single outlier away from all the others. The identity for other kernels. Throws std::invalid_argument where
// the kernel has weights for another number of features.
Frame frame_for(const Kernel& kernel, const Matrix& X);

}  // namespace mercer
