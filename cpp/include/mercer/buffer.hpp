// An owned, cache-line aligned array whose values are not touched on allocation. Large ones ask for huge pages:
// touching memory for the first time, and jumping about in it, is then several times cheaper.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

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
  explicit Buffer(Index size) : data_(allocate(size), Free{is_large(size)}), size_(size) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](Index i) { return data_.get()[i]; }
  const T& operator[](Index i) const { return data_.get()[i]; }
  Index size() const { return size_; }
  Index bytes() const { return size_ * static_cast<Index>(sizeof(T)); }

 private:
  static constexpr std::size_t huge_page = std::size_t(1) << 21;

  static std::size_t bytes_of(Index size) { return static_cast<std::size_t>(size) * sizeof(T); }
  static bool is_large(Index size) { return bytes_of(size) >= 2 * huge_page; }
  static std::align_val_t alignment(bool large) { return std::align_val_t(large ? huge_page : 64); }

  static T* allocate(Index size) {
    void* values = ::operator new(bytes_of(size), alignment(is_large(size)));
#ifdef MADV_HUGEPAGE
    if (is_large(size)) madvise(values, bytes_of(size), MADV_HUGEPAGE);  // a wish: nothing depends on it
#endif
    return static_cast<T*>(values);
  }

  struct Free {
    bool large = false;
    void operator()(T* p) const { ::operator delete(p, alignment(large)); }
  };
  std::unique_ptr<T, Free> data_;
  Index size_ = 0;
};

}  // namespace mercer
