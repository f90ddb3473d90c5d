// NumPy arrays to views and back. Nothing is converted here: a wrong dtype or layout is refused.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "mercer/csr.hpp"

namespace mercer::bind {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const Vector<T>& array) {
  return {array.data(), array.size()};
}
template <class T>
Dense<T> view(const Rows<T>& array) {
  return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1))};
}

inline std::vector<Index> indices(const Vector<std::int64_t>& array) {
  return {array.data(), array.data() + array.size()};
}

// A new NumPy array that owns its values.
template <class T, std::size_t N>
nb::ndarray<nb::numpy, T, nb::ndim<N>> new_array(const std::array<std::size_t, N>& shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  T* values = new T[size];
  const nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<N>>(values, N, shape.data(), owner);
}

// Data as the core reads them, holding on to the arrays they stand in.
class Data {
 public:
  template <class T>
  static Data dense(Rows<T> X) {
    return Data(view(X), nb::make_tuple(nb::cast(X)));
  }
  template <class T, class I>
  static Data csr(Vector<T> values, Vector<I> indices, Vector<I> indptr, Index cols) {
    const Csr<T, I> view{values.data(), indices.data(), indptr.data(), static_cast<Index>(indptr.size()) - 1, cols};
    check_csr(view, static_cast<Index>(std::min(values.size(), indices.size())));
    return Data(view, nb::make_tuple(nb::cast(values), nb::cast(indices), nb::cast(indptr)));
  }

  const Matrix& matrix() const { return matrix_; }

 private:
  Data(Matrix matrix, nb::object owner) : matrix_(matrix), owner_(std::move(owner)) {}

  Matrix matrix_;
  nb::object owner_;
};

}  // namespace mercer::bind
