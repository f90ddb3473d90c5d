// The loops of every leaf: its sum over features and its map, put into the loops over panels and sparse rows.
#pragma once

#include <type_traits>

#include "feature_sums.hpp"
#include "lanes.hpp"
#include "leaf_list.hpp"
#include "panel_loops.hpp"
#include "sparse_loops.hpp"

namespace mercer {
namespace {

// From what the steps add up to and the norms to a kernel value.
template <class T, class Sum, class Form>
struct LeafMap {
  using V = typename Simd<T>::V;
  explicit LeafMap(const LeafNumbers<T>& leaf) : result(leaf.rounding), map(with_parameters<Form>(leaf.parameters)) {}
  V operator()(V total, V norms) const { return map(result(total, norms)); }

  typename Sum::Result result;
  typename Form::template Map<Lanes<T>> map;
};

template <class T, class Form>
constexpr bool is_dot_product =
    Form::sum == FeatureSum::dot && std::is_same_v<typename Form::template Map<Lanes<T>>, Unmapped<Lanes<T>>>;

template <class T, class Form>
constexpr LeafLoops<T> loops_of() {
  using Sum = SumOf<T, Form::sum>;
  using Map = LeafMap<T, Sum, Form>;
  LeafLoops<T> loops{panel_values<T, typename Sum::Step, Map>, panel_sums<T, typename Sum::Step, Map>,
                     sparse_values<T, typename Sum::SparseStep, Map>, sparse_sums<T, typename Sum::SparseStep, Map>};
  // Without a stop in a buffer, as there is nothing to map.
  if constexpr (is_dot_product<T, Form>)
    loops.values = [](const PanelBlock<T>& in, const LeafNumbers<T>&, T* out, Index ld) {
      panel_products<T>(in, out, ld);
    };
  return loops;
}

template <class T, class Form>
constexpr LeafLoops<T> loops_by_differences_of() {
  if constexpr (Form::sum == FeatureSum::squared_distance) {
    using Sum = SumOfDifferences<T>;
    using Map = LeafMap<T, Sum, Form>;
    return {panel_values<T, typename Sum::Step, Map>, panel_sums<T, typename Sum::Step, Map>, nullptr, nullptr};
  } else {
    return {};
  }
}

template <class T, class List>
struct LeafTable;
template <class T, class... Forms>
struct LeafTable<T, LeafList<Forms...>> {
  static constexpr LeafLoops<T> loops[] = {loops_of<T, Forms>()...};
  static constexpr LeafLoops<T> by_differences[] = {loops_by_differences_of<T, Forms>()...};
};

}  // namespace
}  // namespace mercer
