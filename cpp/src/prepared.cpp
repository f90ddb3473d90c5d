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
PreparedRows<T>::PreparedRows(const Matrix& data, Frame frame_of_rows)
    : X(data),
      frame(std::move(frame_of_rows)),
      centres(layout_for(X)),
      points(X, nullptr, frame, query_layout(centres)) {}

template <class T>
Prepared<T>::Prepared(const Kernel& kernel_of_X, const Matrix& data)
    : Prepared(kernel_of_X, std::make_shared<const PreparedRows<T>>(data, frame_for(kernel_of_X, data))) {}

template <class T>
Prepared<T>::Prepared(const Kernel& kernel_of_X, std::shared_ptr<const PreparedRows<T>> prepared)
    : rows(std::move(prepared)),
      X(rows->X),
      frame(rows->frame),
      centres(rows->centres),
      points(rows->points),
      unscaled(kernel_of_X),
      kernel(unscaled.in(frame)) {
  check_range(kernel, points);
}

template struct PreparedRows<float>;
template struct PreparedRows<double>;
template void check_range(const Kernel&, const Points<float>&);
template void check_range(const Kernel&, const Points<double>&);
template struct Prepared<float>;
template struct Prepared<double>;

}  // namespace mercer
