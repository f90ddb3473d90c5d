// Some rows of a matrix with the offset columns that stand behind their features, for loops that are compiled for each
// form of the data. LinearRows is the same behind an interface.
#pragma once

#include "mercer/linear_rows.hpp"
#include "row.hpp"

namespace mercer {

template <class View>
class ChosenRows {
 public:
  // All rows where none are chosen. What the view, the choice and the sides refer to must outlive it.
  ChosenRows(const View& X, std::span<const Index> chosen, OffsetColumns offsets)
      : X_(X), chosen_(chosen), offsets_(offsets) {}

  Index size() const { return chosen_.empty() ? X_.rows : static_cast<Index>(chosen_.size()); }
  Index features() const { return X_.cols; }
  // The features of the k-th row.
  RowOf<View> operator[](Index k) const {
    return row_of(X_, chosen_.empty() ? k : chosen_[static_cast<std::size_t>(k)]);
  }

  // How many offset columns there are.
  Index offsets() const { return offsets_.count; }
  bool has_offset() const { return offsets_.count > 0; }
  // What a row has in its offset column: zero where there is none.
  double offset() const { return has_offset() ? offsets_.value : 0.0; }
  Index offset_column(Index k) const {
    return X_.cols + (offsets_.side.empty() ? 0 : offsets_.side[static_cast<std::size_t>(k)]);
  }

 private:
  View X_;
  std::span<const Index> chosen_;
  OffsetColumns offsets_;
};

}  // namespace mercer
