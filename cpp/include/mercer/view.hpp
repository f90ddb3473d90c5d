// Views: arrays the core reads and never owns. All copying happens in points.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

namespace mercer {

using Index = std::int64_t;

// A row-major, contiguous matrix.
template <class T>
struct Dense {
  const T* data;
  Index rows;
  Index cols;
  const T* row(Index i) const { return data + i * cols; }
};

// Compressed sparse rows; column indices stand in any order within a row, each at most once.
template <class T, class I>
struct Csr {
  const T* values;
  const I* indices;
  const I* indptr;
  Index rows;
  Index cols;
};

using Matrix = std::variant<Dense<float>, Dense<double>, Csr<float, std::int32_t>, Csr<double, std::int32_t>,
                            Csr<float, std::int64_t>, Csr<double, std::int64_t>>;

inline Index rows_of(const Matrix& X) {
  return std::visit([](const auto& view) { return view.rows; }, X);
}
inline Index cols_of(const Matrix& X) {
  return std::visit([](const auto& view) { return view.cols; }, X);
}

}  // namespace mercer
