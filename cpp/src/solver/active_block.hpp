// Kernel values among the active rows. They stay when rows are added to these.
#pragma once

#include <algorithm>

#include "mercer/buffer.hpp"
#include "mercer/gram.hpp"
#include "mercer/simd.hpp"
#include "state.hpp"

namespace mercer {

template <class T>
class ActiveBlock {
 public:
  explicit ActiveBlock(Gram<T>& gram) : gram_(gram) {}

  // Whether there are values that growing can keep.
  bool holds_values() const { return held_ > 0; }
  void forget() { held_ = 0; }

  // The values among rows of which the first are those it has. There will be no more than `most` rows.
  Block<T> grown(const std::vector<Index>& rows, Index most, Stop& stop) {
    const Index n = length(rows);
    make_room(n, most);
    if (held_ < n) add(rows, stop);
    return {values_.data(), stride_};
  }

  // The values among any rows, in the same memory; nothing is kept of them.
  Block<T> of(const std::vector<Index>& rows, Stop& stop) {
    const Index n = length(rows);
    forget();
    if (values_.size() < n * n) values_ = Buffer<T>(n * n);
    gram_.block(rows, values_.data(), n, stop);
    return {values_.data(), n};
  }

 private:
  void make_room(Index n, Index most) {
    if (held_ > 0 && n <= stride_ && n * stride_ <= values_.size()) return;
    const Index room = std::min(most, 2 * n);
    if (held_ == 0 && room * room <= values_.size()) {
      stride_ = room;
      return;
    }
    Buffer<T> larger(room * room);
    for (Index i = 0; i < held_; ++i) std::copy_n(values_.data() + i * stride_, held_, larger.data() + i * room);
    values_ = std::move(larger);
    stride_ = room;
  }

  void add(const std::vector<Index>& rows, Stop& stop) {
    const Index n = length(rows);
    const std::vector<Index> arrivals(rows.begin() + held_, rows.end());
    T* below = values_.data() + held_ * stride_;
    if (held_ > 0) {
      const std::vector<Index> earlier(rows.begin(), rows.begin() + held_);
      gram_.values(arrivals, earlier, below, stride_, stop);
      ops<T>().transpose(below, stride_, n - held_, held_, values_.data() + held_, stride_);
    }
    gram_.block(arrivals, below + held_, stride_, stop);
    held_ = n;
  }

  Gram<T>& gram_;
  Buffer<T> values_;
  Index stride_ = 0;
  Index held_ = 0;  // rows whose values are here
};

}  // namespace mercer
