// An owned, cache-line aligned array whose values are not touched on allocation.
#pragma once

#include <memory>
#include <new>
#include <type_traits>

#include "mercer/view.hpp"

namespace mercer {

template <class T>
class Buffer {
  static_assert(std::is_trivial_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(Index size)
      : data_(static_cast<T*>(::operator new(static_cast<std::size_t>(size) * sizeof(T), alignment))), size_(size) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](Index i) { return data_.get()[i]; }
  const T& operator[](Index i) const { return data_.get()[i]; }
  Index size() const { return size_; }
  Index bytes() const { return size_ * static_cast<Index>(sizeof(T)); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(T* p) const { ::operator delete(p, alignment); }
  };
  std::unique_ptr<T, Free> data_;
  Index size_ = 0;
};

}  // namespace mercer
