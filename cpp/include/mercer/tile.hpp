// One tile of kernel values: a block of queries against a block of centres. The only place that knows how.
#pragma once

#include "mercer/points.hpp"

namespace mercer {

// The scratch of one thread.
template <class T>
class Tile {
 public:
  // A tile stays in the second-level cache.
  static constexpr Index max_queries = rows_at_once;
  static constexpr Index max_centres = 256;

  explicit Tile(const Kernel& kernel);

  // row(a)[b] = k(Q[a0 + a], P[b0 + b]) for row-major or sparse Q, and P in panels or sparse; b0 is a multiple of
  // `lanes`.
  void compute(const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb);
  T* row(Index a) { return buffers_.data() + a * max_centres; }

  // The same to out[a * ld + b].
  void write(const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb, T* out, Index ld);

  // out[a] += sum_b k(Q[a0 + a], P[b0 + b]) coef[b], where coef goes on with zeros to a whole panel. Kernels of one
  // leaf never leave the registers.
  void add_sums(const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb, const T* coef,
                double* out);

 private:
  T* buffer(int level);
  bool one_leaf() const;
  void leaf(const Instruction& step, const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb,
            T* out, Index ld);
  PanelBlock<T> panels(const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb) const;
  // Calls use(first query, how many, the block they make) for the sparse queries, a table of them at a time.
  template <class Use>
  void for_each_table(const Points<T>& Q, Index a0, Index na, const Points<T>& P, Index b0, Index nb, bool manhattan,
                      Use use);

  Kernel kernel_;
  Buffer<T> buffers_;
  std::vector<std::int32_t> slots_;  // column -> row of table_, 0 where no query has it
  std::vector<T> table_;
};

}  // namespace mercer
