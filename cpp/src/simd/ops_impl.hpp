// The hot loops, written once with GCC's vector extensions. Each level's file defines MERCER_VECTOR_BYTES,
// MERCER_BLOCK_ROWS and MERCER_LEVEL and includes this. Everything stands in an anonymous namespace and calls nothing
// outside it, so that the linker can never hand code of one level to another.

#include "distance_loops.hpp"
#include "group_loops.hpp"
#include "leaf_table.hpp"
#include "linear_loops.hpp"
#include "local_loops.hpp"
#include "loss_loops.hpp"
#include "step_loops.hpp"
#include "transpose.hpp"
#include "vector_sums.hpp"
#include "window_bins.hpp"
#include "window_loops.hpp"

namespace mercer {
namespace {

template <class T>
constexpr Ops<T> table() {
  return {.leaves = LeafTable<T, EveryLeaf>::loops,
          .leaves_by_differences = LeafTable<T, EveryLeaf>::by_differences,
          .products = panel_products<T>,
          .self_dot = self_dot<T>,
          .transpose = transpose<T>,
          .weighted_sum = weighted_sum<T>,
          .add_scaled = add_scaled<T>,
          .dot = dot<T>,
          .dots = dots<T>,
          .squared_distance = squared_distance<T>,
          .shared_distance = shared_distance<T>,
          .add_gram = add_gram<T>,
          .add_rows = add_rows<T>,
          .add_outer = add_outer<T>,
          .least_of_groups = least_of_groups<T>,
          .panel_distances = panel_distances<T>,
          .at_most = at_most<T>,
          .box_distance = box_distance<T>,
          .update_and_argmax = update_and_argmax<T>,
          .best_partner = best_partner<T>};
}

}  // namespace

extern const Ops<float> MERCER_LEVEL(float);
extern const Ops<double> MERCER_LEVEL(double);
extern const LossOps MERCER_LEVEL(losses);
extern const WindowOps MERCER_LEVEL(windows);
extern const LocalOps MERCER_LEVEL(local);
const Ops<float> MERCER_LEVEL(float) = table<float>();
const Ops<double> MERCER_LEVEL(double) = table<double>();
const LossOps MERCER_LEVEL(losses) = {.begin = begin_losses, .slope = slope_of_losses, .settle = settle_any_losses};
const WindowOps MERCER_LEVEL(windows) = {
    .squared = squared_distances, .add = add_any_window, .bin = bin_rows, .sum_bins = sum_bins, .least = least_scaled};
const LocalOps MERCER_LEVEL(local) = {
    .line_sums = line_sums, .node_sums = node_sums, .row_moments = row_moments, .weights = window_weights};

}  // namespace mercer
