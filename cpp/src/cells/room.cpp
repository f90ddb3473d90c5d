#include <algorithm>

#include "mercer/cells.hpp"

namespace mercer {

template <class T>
Buffer<T> Room<T>::take(Index size) {
  {
    const std::lock_guard lock(guard_);
    const auto fits = std::ranges::lower_bound(spare_, size, {}, &Buffer<T>::size);  // they stand by their size
    if (fits != spare_.end()) {
      Buffer<T> found = std::move(*fits);
      spare_.erase(fits);
      return found;
    }
    if (!spare_.empty()) spare_.pop_back();  // too small: the new one takes its place
  }
  return Buffer<T>(size);
}

template <class T>
void Room<T>::give_back(Buffer<T> values) {
  const std::lock_guard lock(guard_);
  const auto place = std::ranges::lower_bound(spare_, values.size(), {}, &Buffer<T>::size);
  spare_.insert(place, std::move(values));
}

template class Room<float>;
template class Room<double>;

}  // namespace mercer
