#include "mercer/prepared.hpp"

#include <limits>
#include <stdexcept>

namespace mercer {

template <class T>
void check_range(const Kernel& kernel, const Points<T>& points) {
  if (!(kernel.bound(points.largest_squared_norm()) <= static_cast<double>(std::numeric_limits<T>::max())))
    throw std::overflow_error("kernel values overflow");
}

template <class T>
Prepared<T>::Prepared(const Kernel& kernel_of_X, const Matrix& data)
    : X(data),
      unscaled(kernel_of_X),
      frame(frame_for(unscaled, X)),
      kernel(unscaled.rescaled(frame.scale)),
      centres(layout_for(X)),
      points(X, nullptr, frame, query_layout(centres)) {
  check_range(kernel, points);
}

template void check_range(const Kernel&, const Points<float>&);
template void check_range(const Kernel&, const Points<double>&);
template struct Prepared<float>;
template struct Prepared<double>;

}  // namespace mercer
