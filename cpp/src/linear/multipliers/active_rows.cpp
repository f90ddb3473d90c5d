#include "active_rows.hpp"

#include "mercer/pool.hpp"

namespace mercer {
namespace {

// A row never moves backwards, so that what is overwritten has been read.
template <class T>
void move_up(T* array, RowList kept) {
  for (std::size_t k = 0; k < kept.size(); ++k) array[k] = array[kept[k]];
}

}  // namespace

WeightedRows ActiveRows::between(Index first, Index last) {
  WeightedRows found;
  for (Index k = first; k < last; ++k)
    if (is_between(k)) found.take(position(k), weight(k));
  return found;
}

void ActiveRows::drop(RowList slots, int threads) {
  std::vector<std::int32_t> kept;
  kept.reserve(static_cast<std::size_t>(size_) - slots.size());
  std::int32_t next = 0;
  for (const std::int32_t slot : slots) {
    while (next < slot) kept.push_back(next++);
    ++next;
  }
  while (next < size_) kept.push_back(next++);
  size_ = static_cast<Index>(kept.size());
  parallel_for(count_of_arrays + 1, threads, [&](Index k) {
    if (k < count_of_arrays) return move_up(array(k), kept);
    move_up(numbers_.data(), kept);
    move_up(positions_.data(), kept);
  });
}

}  // namespace mercer
