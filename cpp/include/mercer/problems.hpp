// Independent box QPs whose rows stand one after the other.
#pragma once

#include "mercer/box_qp.hpp"

namespace mercer {

// A view: the arrays outlive it.
class Problems {
 public:
  // The rows of all problems as one, and the first row of each. Throws std::invalid_argument where the vectors differ
  // in length, or the problems do not begin one after the other. `held_out` has a number of rows for each, or is empty.
  Problems(const BoxQp& all, std::span<const Index> starts, std::span<const Index> held_out = {});

  Index count() const { return static_cast<Index>(starts_.size()); }
  const BoxQp& all() const { return all_; }
  Index rows() const { return static_cast<Index>(all_.linear.size()); }
  // Where the rows of a problem begin and end among those of all.
  Index first(Index k) const { return starts_[static_cast<std::size_t>(k)]; }
  Index last(Index k) const { return k + 1 < count() ? first(k + 1) : rows(); }
  BoxQp operator[](Index k) const;

 private:
  BoxQp all_;
  std::span<const Index> starts_;
  std::span<const Index> held_out_;
};

}  // namespace mercer
