// The reduction that keeps every value among the same rows, out[i * ld + j] = k(row i, row j), each pair computed once.
#pragma once

#include <algorithm>

#include "placed_tile.hpp"

namespace mercer {

template <class T>
class SymmetricValues {
 public:
  struct Part {};  // tiles know their place
  // What a chunk computes begins on the diagonal, so its tiles are squares there and begin on whole panels.
  static constexpr Index queries_per_chunk = Tile<T>::max_queries;
  static_assert(queries_per_chunk % lanes<T> == 0);

  SymmetricValues(const Kernel& kernel, T* out, Index ld) : kernel_(kernel), out_(out), ld_(ld) {}

  Index spare_results() const { return 0; }
  // What lies left of the square on the diagonal belongs to earlier chunks, and what lies below it comes from its
  // right.
  Index first_centre(Index query) const { return query; }
  Part part(Index, Index) const { return {}; }
  Part spare_part(Index, Index) const { return {}; }
  void add(PlacedTile<T>& tile, Part&) const {
    T* values = at(tile.query(), tile.centre());
    tile.write(values, ld_);
    const Index square = std::max<Index>(0, tile.query() + tile.height() - tile.centre());
    if (square < tile.width())
      ops<T>().transpose(values + square, ld_, tile.height(), tile.width() - square,
                         at(tile.centre() + square, tile.query()), ld_);
    if (tile.centre() == tile.query()) settle_square(tile, values);
  }
  void merge(Part&, Part&) const {}

 private:
  T* at(Index row, Index column) const { return out_ + row * ld_ + column; }

  void settle_square(const PlacedTile<T>& tile, T* values) const {
    // A sum over sparse rows may round otherwise with query and centre exchanged.
    if (tile.is_sparse())
      for (Index b = 0; b < tile.height(); ++b)
        for (Index a = 0; a < b; ++a) values[b * ld_ + a] = values[a * ld_ + b];
    for (Index a = 0; a < tile.height(); ++a)
      values[a * ld_ + a] = static_cast<T>(kernel_.self_value(static_cast<double>(tile.squared_norm(a))));
  }

  const Kernel& kernel_;
  T* out_;
  Index ld_;
};

}  // namespace mercer
