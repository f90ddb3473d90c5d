// The reduction that keeps every value, out[i * ld + j] = k(query i, centre j).
#pragma once

#include "placed_tile.hpp"

namespace mercer {

template <class T>
class KernelValues {
 public:
  using Part = T*;  // the first row of its queries
  // One tile high: blocks of few rows and many columns are common.
  static constexpr Index queries_per_chunk = Tile<T>::max_queries;

  KernelValues(T* out, Index ld) : out_(out), ld_(ld) {}

  // Every tile has a place of its own in the result, so there is nothing to keep aside and nothing to merge.
  Index spare_results() const { return 0; }
  Index first_centre(Index) const { return 0; }
  T* part(Index first, Index) const { return out_ + first * ld_; }
  T* spare_part(Index first, Index count) const { return part(first, count); }
  void add(PlacedTile<T>& tile, T* part) const { tile.write(part + tile.row() * ld_ + tile.centre(), ld_); }
  void merge(T*, T*) const {}

 private:
  T* out_;
  Index ld_;
};

}  // namespace mercer
