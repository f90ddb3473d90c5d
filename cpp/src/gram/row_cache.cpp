#include "mercer/row_cache.hpp"

#include <algorithm>

namespace mercer {

template <class T>
RowCache<T>::RowCache(Index rows, Index length, Index bytes)
    : length_(length),
      arena_(std::min(std::max<Index>(0, bytes / static_cast<Index>(sizeof(T))), rows * length)),
      where_(static_cast<std::size_t>(rows)),
      cached_(static_cast<std::size_t>(rows), false) {
  fit_capacity();
}

// Gives out the slots that the arena has room for and that were not given out before.
template <class T>
void RowCache<T>::fit_capacity() {
  const Index room = length_ > 0 ? arena_.size() / length_ : 0;
  for (Index slot = room - 1; slot >= capacity_; --slot) free_slots_.push_back(slot);
  capacity_ = room;
}

template <class T>
T* RowCache<T>::find(Index row) {
  const auto at = static_cast<std::size_t>(row);
  if (!cached_[at]) return nullptr;
  where_[at]->used = clock_;
  order_.splice(order_.begin(), order_, where_[at]);
  return arena_.data() + where_[at]->slot * length_;
}

template <class T>
T* RowCache<T>::insert(Index row) {
  Index slot;
  if (!free_slots_.empty()) {
    slot = free_slots_.back();
    free_slots_.pop_back();
  } else {
    if (order_.empty() || order_.back().used == clock_) return nullptr;
    slot = order_.back().slot;
    cached_[static_cast<std::size_t>(order_.back().row)] = false;
    order_.pop_back();
  }
  order_.push_front({row, slot, clock_});
  where_[static_cast<std::size_t>(row)] = order_.begin();
  cached_[static_cast<std::size_t>(row)] = true;
  return arena_.data() + slot * length_;
}

template class RowCache<float>;
template class RowCache<double>;

}  // namespace mercer
