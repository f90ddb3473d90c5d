// One tile of kernel values: a block of queries against a block of centres. The only place that knows how.
#pragma once

#include "mercer/points.hpp"

namespace mercer {

// What a leaf is a function of, summed over the features of two rows.
enum class Measure { dots, differences, manhattan };

// The scratch of one thread.
template <class T>
class Tile {
 public:
  Tile(const Kernel& kernel, Layout centres);

  Index max_queries() const { return max_queries_; }
  Index max_centres() const { return max_centres_; }

  // row(a)[b] = k(Q[a0 + a], P[b0 + b]). b0 is a multiple of max_centres() or of `lanes`.
  void compute(const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb);
  T* row(Index a) { return buffers_.data() + a * max_centres_; }

 private:
  T* buffer(int level) { return buffers_.data() + level * max_queries_ * max_centres_; }
  void leaf(const Leaf& leaf, const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb, T* out);
  void primitive(Measure measure, const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb,
                 T* out);
  void sparse_primitive(bool manhattan, const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb,
                        T* out);

  Kernel kernel_;
  Index max_queries_;
  Index max_centres_;
  Buffer<T> buffers_;
  std::vector<std::int32_t> slots_;  // column -> row of table_, 0 where no query has it
  std::vector<T> table_;             // values of up to `lanes` sparse queries, column by column
};

}  // namespace mercer
