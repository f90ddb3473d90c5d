#include "mercer/points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace mercer {
namespace {

template <class T>
Index panels_of(Index rows) {
  return (rows + lanes<T> - 1) / lanes<T>;
}

template <class View>
inline constexpr bool is_dense = false;
template <class T>
inline constexpr bool is_dense<Dense<T>> = true;

// Visits the stored entries of a row as (column, value).
template <class T, class F>
void for_each_entry(const Dense<T>& X, Index i, F f) {
  for (Index k = 0; k < X.cols; ++k) f(k, static_cast<double>(X.row(i)[k]));
}
template <class T, class I, class F>
void for_each_entry(const Csr<T, I>& X, Index i, F f) {
  for (Index e = X.indptr[i]; e < X.indptr[i + 1]; ++e)
    f(static_cast<Index>(X.indices[e]), static_cast<double>(X.values[e]));
}

}  // namespace

Layout layout_for(const Matrix& X) {
  return std::visit(
      [](const auto& view) { return is_dense<std::decay_t<decltype(view)>> ? Layout::panels : Layout::sparse; }, X);
}

template <class T>
Points<T>::Points(Index size, Index cols, Layout layout) : size_(size), cols_(cols), layout_(layout) {
  const Index padded = panels_of<T>(size) * lanes<T>;
  norms_ = Buffer<T>(padded);
  std::fill_n(norms_.data(), padded, T(0));
  if (layout == Layout::sparse) {
    indptr_.assign(static_cast<std::size_t>(size) + 1, 0);
    return;
  }
  values_ = Buffer<T>((layout == Layout::panels ? padded : size) * cols);
  if (layout == Layout::panels && padded > size)
    std::fill_n(values_.data() + (padded - lanes<T>)*cols, lanes<T> * cols, T(0));
}

template <class T>
Points<T>::Points(const Matrix& X, const std::vector<Index>* rows, const Frame& frame, Layout layout)
    : Points(rows ? static_cast<Index>(rows->size()) : rows_of(X), cols_of(X), layout) {
  std::visit([&](const auto& view) { read(view, rows, 0, frame); }, X);
  for (const Frame& part : frame.others) others_.emplace_back(X, rows, part, layout);
}

template <class T>
Points<T> Points<T>::range(const Matrix& X, Index first, Index last, const Frame& frame, Layout layout) {
  Points points(last - first, cols_of(X), layout);
  std::visit([&](const auto& view) { points.read(view, nullptr, first, frame); }, X);
  for (const Frame& part : frame.others) points.others_.push_back(range(X, first, last, part, layout));
  return points;
}

template <class T>
void Points<T>::set_norm(Index i, const T* values, Index count) {
  norms_[i] = ops<T>().self_dot(values, count, layout_ == Layout::sparse);
  // Twice the sum of two norms must fit; dense rows have another way to their distances.
  const bool fits = norms_[i] <= T(0.25) * std::numeric_limits<T>::max();
  if (!fits && layout_ == Layout::sparse) throw std::overflow_error("a row is too long");
  largest_norm_ = std::max(largest_norm_, norms_[i]);
}

template <class T>
void Points<T>::set_dense(Index i, const T* row) {
  const Strided<T> to = strided(i);
  for (Index k = 0; k < cols_; ++k) {
    if (!std::isfinite(row[k])) throw std::overflow_error("a value is too large");
    to.data[k * to.stride] = row[k];
  }
  set_norm(i, row, cols_);
}

template <class T>
template <class View>
void Points<T>::read(const View& X, const std::vector<Index>* rows, Index first, const Frame& frame) {
  const auto source = [&](Index i) { return rows ? (*rows)[static_cast<std::size_t>(i)] : first + i; };
  if (layout_ != Layout::sparse) {
    std::vector<double> row(static_cast<std::size_t>(cols_));
    std::vector<T> converted(row.size());
    for (Index i = 0; i < size_; ++i) {
      if constexpr (is_dense<View>) {
        std::copy_n(X.row(source(i)), cols_, row.begin());
      } else {
        std::fill(row.begin(), row.end(), 0.0);
        for_each_entry(X, source(i), [&](Index k, double x) { row[static_cast<std::size_t>(k)] += x; });
      }
      if (!frame.shift.empty())
        for (std::size_t k = 0; k < row.size(); ++k) row[k] -= frame.shift[k];
      if (frame.scale != 1)
        for (double& x : row) x *= frame.scale;
      for (std::size_t k = 0; k < frame.feature_scales.size(); ++k) row[k] *= frame.feature_scales[k];
      std::ranges::transform(row, converted.begin(), [](double x) { return static_cast<T>(x); });
      set_dense(i, converted.data());
    }
    return;
  }
  if (!frame.shift.empty()) throw std::logic_error("sparse points are not centred");
  for (Index i = 0; i < size_; ++i) {
    Index stored = 0;
    for_each_entry(X, source(i), [&](Index, double x) { stored += x != 0; });
    indptr_[static_cast<std::size_t>(i) + 1] = begin(i) + stored;
  }
  values_ = Buffer<T>(begin(size_));
  columns_ = Buffer<std::int32_t>(begin(size_));
  for (Index i = 0; i < size_; ++i) {
    Index at = begin(i);
    for_each_entry(X, source(i), [&](Index k, double x) {
      if (x == 0) return;
      columns_[at] = static_cast<std::int32_t>(k);
      const double scale = frame.feature_scales.empty() ? 1 : frame.feature_scales[static_cast<std::size_t>(k)];
      values_[at++] = static_cast<T>(x * frame.scale * scale);
    });
    set_norm(i, values_.data() + begin(i), begin(i + 1) - begin(i));
  }
}

template <class T>
Strided<T> Points<T>::strided(Index i) {
  if (layout_ == Layout::rows) return {values_.data() + i * cols_, 1};
  return {values_.data() + i / lanes<T> * lanes<T> * cols_ + i % lanes<T>, lanes<T>};
}

template <class T>
Strided<const T> Points<T>::strided(Index i) const {
  const Strided<T> row = const_cast<Points*>(this)->strided(i);
  return {row.data, row.stride};
}

template <class T>
Points<T> Points<T>::gather(std::span<const Index> rows, Layout layout) const {
  Points points(static_cast<Index>(rows.size()), cols_, layout);
  points.largest_norm_ = largest_norm_;
  for (const Points& part : others_) points.others_.push_back(part.gather(rows, layout));
  for (std::size_t i = 0; i < rows.size(); ++i) points.norms_[static_cast<Index>(i)] = norms_[rows[i]];
  if (layout != Layout::sparse) {
    for (Index i = 0; i < points.size_; ++i) {
      const Strided<const T> from = strided(rows[static_cast<std::size_t>(i)]);
      const Strided<T> to = points.strided(i);
      for (Index k = 0; k < cols_; ++k) to.data[k * to.stride] = from.data[k * from.stride];
    }
    return points;
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    points.indptr_[i + 1] = points.indptr_[i] + begin(rows[i] + 1) - begin(rows[i]);
  points.values_ = Buffer<T>(points.indptr_.back());
  points.columns_ = Buffer<std::int32_t>(points.indptr_.back());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index from = begin(rows[i]), count = begin(rows[i] + 1) - from;
    std::copy_n(values_.data() + from, count, points.values_.data() + points.indptr_[i]);
    std::copy_n(columns_.data() + from, count, points.columns_.data() + points.indptr_[i]);
  }
  return points;
}

template <class T>
bool Points<T>::far(double gamma, Index first, Index count) const {
  const auto is_far = [=](T norm) { return !(gamma * static_cast<double>(norm) <= far_out<T>); };
  return is_far(largest_norm_) && std::any_of(norms_.data() + first, norms_.data() + first + count, is_far);
}

template <class T>
T Points<T>::manhattan_norm(Index i) const {
  T sum = 0;
  for (Index e = begin(i); e < begin(i + 1); ++e) sum += std::abs(values_[e]);
  return sum;
}

template <class T>
double Points<T>::largest_squared_norm() const {
  double largest = 0;
  for (Index i = 0; i < size_; ++i) largest = std::max(largest, static_cast<double>(norms_[i]));
  return largest;
}

template class Points<float>;
template class Points<double>;

}  // namespace mercer
