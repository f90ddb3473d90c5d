// Rows of a Gram matrix kept within a byte budget, the least recently used leaving first.
#pragma once

#include <list>
#include <vector>

#include "mercer/buffer.hpp"

namespace mercer {

template <class T>
class RowCache {
 public:
  // Holds rows of `length` values in at most `bytes`; possibly none.
  RowCache(Index rows, Index length, Index bytes);

  Index capacity() const { return capacity_; }

  // The row's values, or null. Marks it as used.
  T* find(Index row);
  // A place for the row's values, taken from the least recently used row that is not `fresh`: used since the last
  // call of `age`. Null where there is none.
  T* insert(Index row);
  // Rows used before this call may be evicted after it.
  void age() { ++clock_; }

 private:
  struct Entry {
    Index row;
    Index slot;
    Index used;
  };
  void fit_capacity();

  Index length_;
  Index capacity_ = 0;
  Index clock_ = 0;
  Buffer<T> arena_;
  std::list<Entry> order_;  // most recently used first
  std::vector<typename std::list<Entry>::iterator> where_;
  std::vector<bool> cached_;
  std::vector<Index> free_slots_;
};

}  // namespace mercer
