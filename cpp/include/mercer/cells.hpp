// Many box QPs on the same rows: cells of a grid that differ in how large their bounds are, each on several splits of
// the rows into those that are known and those that are held out.
#pragma once

#include <limits>
#include <mutex>

#include "mercer/buffer.hpp"
#include "mercer/gram.hpp"
#include "mercer/side_by_side.hpp"
#include "mercer/solver.hpp"

namespace mercer {

// The problems of box_qp.hpp with one sum, which is zero. A row that is held out from a split has both bounds zero.
struct Cells {
  Index rows;
  Index splits;
  std::span<const double> linear;  // s of each row
  std::span<const double> kink;    // e of each row; none: zero
  std::span<const double> lower;   // lo of each row, one split after the other: of bounds whose scale is one
  std::span<const double> upper;   // hi
  std::span<const double> scales;  // of the bounds, one a cell; they ascend
  std::span<const double> begin;   // coefficients that machines begin with, in the order of CellSolutions; none: those
                                   // of the cell before, or of another split

  Index count() const { return static_cast<Index>(scales.size()); }
};

// What is known of a machine Kc with any offset b, from the values s - Kc.
struct Optimality {
  double violation = std::numeric_limits<double>::infinity();
  double dual = 0;
  double squared_norm = 0;
  double gap = std::numeric_limits<double>::infinity();  // with the best offset
  double best_low = 0, best_high = 0;                    // between these all offsets are the best
  double offset = 0;                                     // where the free rows are
  double free_bounds = 0;  // sum of hi - lo over free rows: what an error of one in the values may change in the gap
};

// One machine for each cell and split, the splits of a cell one after the other.
struct CellSolutions {
  std::vector<double> coef;    // of each row
  std::vector<double> values;  // s - Kc of each row, known and held out
  std::vector<Optimality> optimality;
  std::vector<Index> steps;
  std::vector<Status> statuses;
  std::vector<char> copied;  // whether it is the machine of the cell before, of which no coefficient is at a bound
};

// Memory for kernel matrices that is used again: to touch it for the first time takes longer than to fill it.
template <class T>
class Room {
 public:
  Buffer<T> take(Index size);
  void give_back(Buffer<T> values);

 private:
  std::mutex guard_;
  std::vector<Buffer<T>> spare_;
};

// The kernel values of one group of rows, and the problems on them.
template <class T>
struct CellGroup {
  const GramRecipe<T>* gram;
  std::vector<Cells> problems;
};

// Solves all cells of all problems on all splits of each group, whose kernel values are stored while they last. Groups
// run side by side where they are many, splits where groups are few.
template <class T>
std::vector<std::vector<CellSolutions>> solve_cells(const std::vector<CellGroup<T>>& groups, Room<T>& room,
                                                    const SolverOptions& options, const Limits& limits, int threads,
                                                    const Stop::Report& report);

}  // namespace mercer
