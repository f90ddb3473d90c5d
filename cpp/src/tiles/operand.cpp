#include "operand.hpp"

#include <algorithm>

#include "mercer/tile.hpp"

namespace mercer {
namespace {

// What is made ready at once: 4 MB in float32, which memory budgets need not count.
constexpr Index values_at_once = 1'000'000;

template <class T>
Index rows_within_budget(Index cols) {
  constexpr Index tile = Tile<T>::max_centres;
  return std::max(tile, values_at_once / std::max<Index>(1, cols) / tile * tile);
}

std::span<const Index> between(std::span<const Index> rows, Index first, Index last) {
  return rows.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
}

}  // namespace

template <class T>
Operand<T> Operand<T>::ready(const Points<T>& points) {
  return {points.size(), std::max<Index>(1, points.size()),
          [&points](Index first, Index last) { return Slice<T>(points, first, last); }};
}

template <class T>
Operand<T> Operand<T>::gathered(const Points<T>& points, std::span<const Index> rows, Layout layout) {
  return {static_cast<Index>(rows.size()), rows_within_budget<T>(points.cols()),
          [&points, rows, layout](Index first, Index last) {
            return Slice<T>(points.gather(between(rows, first, last), layout), first);
          }};
}

template <class T>
Operand<T> Operand<T>::read(const Matrix& X, const Frame& frame, Layout layout) {
  return {rows_of(X), rows_within_budget<T>(cols_of(X)), [&X, &frame, layout](Index first, Index last) {
            return Slice<T>(Points<T>::range(X, first, last, frame, layout), first);
          }};
}

template <class T>
Operand<T> Operand<T>::read(const Matrix& X, std::span<const Index> rows, const Frame& frame, Layout layout) {
  return {static_cast<Index>(rows.size()), rows_within_budget<T>(cols_of(X)),
          [&X, rows, &frame, layout](Index first, Index last) {
            const std::span<const Index> some = between(rows, first, last);
            const std::vector<Index> chosen(some.begin(), some.end());
            return Slice<T>(Points<T>(X, &chosen, frame, layout), first);
          }};
}

template class Operand<float>;
template class Operand<double>;

}  // namespace mercer
