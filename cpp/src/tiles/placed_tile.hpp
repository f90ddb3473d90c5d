// A tile of kernel values as a reduction sees it: the values, and which queries and centres they belong to.
#pragma once

#include <algorithm>

#include "mercer/tile.hpp"
#include "operand.hpp"

namespace mercer {

template <class T>
class PlacedTile {
 public:
  // The tile of `queries` and `centres` whose first ones are number `row` and `column` of them.
  PlacedTile(Tile<T>& tile, const Slice<T>& queries, Index row, const Slice<T>& centres, Index column)
      : tile_(tile),
        queries_(queries),
        centres_(centres),
        row_(row),
        column_(column),
        height_(std::min(Tile<T>::max_queries, queries.size() - row)),
        width_(std::min(Tile<T>::max_centres, centres.size() - column)) {}

  Index height() const { return height_; }                      // queries
  Index width() const { return width_; }                        // centres
  Index row() const { return row_; }                            // of the first query, within its part
  Index query() const { return queries_.number() + row_; }      // of the first one, among all queries
  Index centre() const { return centres_.number() + column_; }  // of the first one, among all centres
  bool is_sparse() const { return centres_.points().layout() == Layout::sparse; }
  T squared_norm(Index a) const { return queries_.points().squared_norms()[queries_.offset() + row_ + a]; }

  // values()[a * stride + b] = k(query a, centre b).
  static constexpr Index stride = Tile<T>::max_centres;
  const T* values() {
    tile_.compute(queries_.points(), queries_.offset() + row_, height_, centres_.points(), centres_.offset() + column_,
                  width_);
    return tile_.row(0);
  }
  // The same to out[a * ld + b].
  void write(T* out, Index ld) {
    tile_.write(queries_.points(), queries_.offset() + row_, height_, centres_.points(), centres_.offset() + column_,
                width_, out, ld);
  }
  // out[a] += sum_b k(query a, centre b) coef[b], where coef goes on with zeros to a whole panel.
  void add_sums(const T* coef, double* out) {
    tile_.add_sums(queries_.points(), queries_.offset() + row_, height_, centres_.points(), centres_.offset() + column_,
                   width_, coef, out);
  }

 private:
  Tile<T>& tile_;
  const Slice<T>& queries_;
  const Slice<T>& centres_;
  Index row_;
  Index column_;
  Index height_;
  Index width_;
};

}  // namespace mercer
