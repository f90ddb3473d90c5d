#include "mercer/orders.hpp"

#include <numeric>
#include <utility>

namespace mercer {

Orders::Orders(Index n, std::uint64_t seed, bool shuffle)
    : order_(static_cast<std::size_t>(n)), state_(seed), shuffle_(shuffle) {
  std::iota(order_.begin(), order_.end(), 0);
}

std::span<const std::int32_t> Orders::next() {
  if (shuffle_)
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[below(i)]);
  return order_;
}

std::uint64_t Orders::below(std::uint64_t bound) {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(z ^ z >> 31) * bound >> 64);
}

}  // namespace mercer
