// One side of the tiles: rows that stand ready, or that are made ready a slice at a time.
#pragma once

#include <functional>
#include <span>

#include "mercer/points.hpp"

namespace mercer {

// Consecutive rows of an operand: among points that stand ready, or as points of their own.
template <class T>
class Slice {
 public:
  Slice(const Points<T>& all, Index first, Index last)
      : ready_(&all), offset_(first), number_(first), size_(last - first) {}
  Slice(Points<T> own, Index first) : own_(std::move(own)), number_(first), size_(own_.size()) {}

  const Points<T>& points() const { return ready_ ? *ready_ : own_; }
  Index offset() const { return offset_; }  // of the first row within points()
  Index number() const { return number_; }  // of the first row within the operand
  Index size() const { return size_; }

 private:
  const Points<T>* ready_ = nullptr;
  Points<T> own_;
  Index offset_ = 0;
  Index number_;
  Index size_;
};

// Whatever an operand is made of outlives it.
template <class T>
class Operand {
 public:
  static Operand ready(const Points<T>& points);
  // The given rows of points, in another layout.
  static Operand gathered(const Points<T>& points, std::span<const Index> rows, Layout layout);
  // Every row of X, or the given ones, in a frame.
  static Operand read(const Matrix& X, const Frame& frame, Layout layout);
  static Operand read(const Matrix& X, std::span<const Index> rows, const Frame& frame, Layout layout);

  Index size() const { return size_; }
  // The most rows that should be in memory together. Whole tiles, so that slices do not part a tile.
  Index rows_at_once() const { return rows_at_once_; }
  Slice<T> slice(Index first, Index last) const { return slice_(first, last); }

 private:
  using MakeSlice = std::function<Slice<T>(Index first, Index last)>;
  Operand(Index size, Index rows_at_once, MakeSlice slice)
      : size_(size), rows_at_once_(rows_at_once), slice_(std::move(slice)) {}

  Index size_;
  Index rows_at_once_;
  MakeSlice slice_;
};

}  // namespace mercer
