// The order in which each pass visits the rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/view.hpp"

namespace mercer {

// A seed gives the same orders everywhere. See Steele, Lea, Flood (2014), Fast splittable pseudorandom number
// generators.
class Orders {
 public:
  // Of n rows, shuffled anew for each pass, or always as they are.
  Orders(Index n, std::uint64_t seed, bool shuffle);
  // That of the next pass; valid until the one after it is asked for.
  std::span<const std::int32_t> next();

 private:
  std::uint64_t below(std::uint64_t bound);
  std::vector<std::int32_t> order_;
  std::uint64_t state_;
  bool shuffle_;
};

}  // namespace mercer
