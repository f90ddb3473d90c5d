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

template <class T>
void RowCache<T>::restrict_to(std::span<const Index> kept) {
  std::vector<Index> renumbered(cached_.size(), -1);
  for (std::size_t k = 0; k < kept.size(); ++k) renumbered[static_cast<std::size_t>(kept[k])] = static_cast<Index>(k);

  // Rows move towards the front of the arena, so in the order of their slots none is overwritten before it is read.
  std::vector<typename std::list<Entry>::iterator> entries;
  for (auto entry = order_.begin(); entry != order_.end(); ++entry) entries.push_back(entry);
  std::ranges::sort(entries, {}, [](const auto& entry) { return entry->slot; });

  const auto length = static_cast<Index>(kept.size());
  cached_.assign(kept.size(), false);
  where_.assign(kept.size(), {});
  free_slots_.clear();
  Index slot = 0;
  for (const auto& entry : entries) {
    const Index row = renumbered[static_cast<std::size_t>(entry->row)];
    if (row < 0) {
      order_.erase(entry);
      continue;
    }
    const T* from = arena_.data() + entry->slot * length_;
    T* to = arena_.data() + slot * length;
    for (Index k = 0; k < length; ++k) to[k] = from[kept[static_cast<std::size_t>(k)]];
    *entry = {row, slot++, entry->used};
    where_[static_cast<std::size_t>(row)] = entry;
    cached_[static_cast<std::size_t>(row)] = true;
  }
  length_ = length;
  capacity_ = slot;
  fit_capacity();
}

template class RowCache<float>;
template class RowCache<double>;

}  // namespace mercer
