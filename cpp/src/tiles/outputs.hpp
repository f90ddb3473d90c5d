// The reduction to several sums for each query: a tile of kernel values times the coefficients of each output.
#pragma once

#include <span>
#include <vector>

#include "mercer/centres.hpp"
#include "placed_tile.hpp"
#include "totals.hpp"

namespace mercer {

template <class T>
class Outputs {
 public:
  using Part = Totals;
  // Enough to pay for preparing them, few enough to poll often.
  static constexpr Index queries_per_chunk = 192;

  // out[i * outputs + o] is added to; coefficients are rounded to T.
  Outputs(const std::vector<Segment>& segments, Index outputs, double* out);

  Index spare_results() const { return outputs_; }
  Index first_centre(Index) const { return 0; }
  Totals part(Index first, Index count) const { return {out_ + first * outputs_, count * outputs_}; }
  Totals spare_part(Index, Index count) const { return Totals(count * outputs_); }
  void add(PlacedTile<T>& tile, Totals& part) const;
  void merge(Totals& part, Totals& later) const { part.add(later); }

 private:
  // Centres that serve the same outputs, with their coefficients: panels of outputs for each centre in turn.
  struct Group {
    Index first;
    Index last;
    std::vector<Index> outputs;
    Buffer<T> coef;

    const T* panel(Index p, Index centre) const {
      return coef.data() + (p * (last - first) + centre - first) * lanes<T>;
    }
  };

  static Group group_of(std::span<const Segment* const> segments);

  std::vector<Group> groups_;
  Index outputs_;
  double* out_;
};

}  // namespace mercer
