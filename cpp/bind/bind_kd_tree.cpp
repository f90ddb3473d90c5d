#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "mercer/kd_tree.hpp"
#include "neighbours.hpp"

namespace mercer::bind {
namespace {

// Rows and queries as they are, and the unit and the slack of what a tree has made of them.
using Original = std::optional<std::tuple<const Data&, const Data&, double, double>>;

TreeTask task_of(const KdTree& tree, const Data& queries, const Vector<std::int64_t>& excluded,
                 const Vector<std::uint8_t>& forgotten, const Original& original) {
  if (cols_of(queries.matrix()) != tree.features())
    throw std::invalid_argument("rows and queries differ in their features");
  check_left_out(excluded, rows_of(queries.matrix()), forgotten, tree.size());
  TreeTask task{tree, queries.matrix(), view(excluded), view(forgotten)};
  if (!original) return task;
  const auto& [rows, asked, unit, slack] = *original;
  const bool fits = rows_of(rows.matrix()) == tree.size() && rows_of(asked.matrix()) == rows_of(queries.matrix()) &&
                    cols_of(rows.matrix()) == cols_of(asked.matrix()) && tree.norm() == Norm::euclidean;
  if (!fits) throw std::invalid_argument("rows, queries and what was made of them differ in size");
  task.unturned = Unturned{rows.matrix(), asked.matrix(), unit, slack};
  return task;
}

}  // namespace

void bind_kd_tree(nb::module_& m) {
  nb::enum_<Norm>(m, "Norm")
      .value("manhattan", Norm::manhattan)
      .value("euclidean", Norm::euclidean)
      .value("chebyshev", Norm::chebyshev);
  nb::class_<KdTree>(m, "KdTree")
      .def(
          "__init__",
          [](KdTree* self, const Data& rows, Norm norm, int threads) {
            Stop stop = interruptible();
            const WithoutGil released;
            new (self) KdTree(rows.matrix(), norm, {threads, &stop});
          },
          nb::arg("rows"), nb::arg("norm"), nb::arg("threads"))
      .def(
          "nearest",
          [](const KdTree& tree, const Data& queries, const Vector<std::int64_t>& excluded,
             const Vector<std::uint8_t>& forgotten, const Original& original, Index k, int threads) {
            const TreeTask task = task_of(tree, queries, excluded, forgotten, original);
            check_count(k);
            return searched(threads, [&](const Workers& workers) { return nearest(task, k, workers); });
          },
          nb::arg("queries"), nb::arg("excluded").noconvert(), nb::arg("forgotten").noconvert(),
          nb::arg("original").none(), nb::arg("k"), nb::arg("threads"))
      .def(
          "within",
          [](const KdTree& tree, const Data& queries, const Vector<std::int64_t>& excluded,
             const Vector<std::uint8_t>& forgotten, const Original& original, double radius, int threads) {
            const TreeTask task = task_of(tree, queries, excluded, forgotten, original);
            return searched(threads, [&](const Workers& workers) { return within(task, radius, workers); });
          },
          nb::arg("queries"), nb::arg("excluded").noconvert(), nb::arg("forgotten").noconvert(),
          nb::arg("original").none(), nb::arg("radius"), nb::arg("threads"));
}

}  // namespace mercer::bind
