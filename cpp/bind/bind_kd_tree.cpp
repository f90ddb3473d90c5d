#include "mercer/kd_tree.hpp"
#include "neighbours.hpp"

namespace mercer::bind {
namespace {

TreeTask task_of(const KdTree& tree, const Data& queries, const Vector<std::int64_t>& excluded,
                 const Vector<std::uint8_t>& forgotten) {
  if (cols_of(queries.matrix()) != tree.features())
    throw std::invalid_argument("rows and queries differ in their features");
  check_left_out(excluded, rows_of(queries.matrix()), forgotten, tree.size());
  return {tree, queries.matrix(), view(excluded), view(forgotten)};
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
             const Vector<std::uint8_t>& forgotten, Index k, int threads) {
            const TreeTask task = task_of(tree, queries, excluded, forgotten);
            check_count(k);
            return searched(threads, [&](const Workers& workers) { return nearest(task, k, workers); });
          },
          nb::arg("queries"), nb::arg("excluded").noconvert(), nb::arg("forgotten").noconvert(), nb::arg("k"),
          nb::arg("threads"))
      .def(
          "within",
          [](const KdTree& tree, const Data& queries, const Vector<std::int64_t>& excluded,
             const Vector<std::uint8_t>& forgotten, double radius, int threads) {
            const TreeTask task = task_of(tree, queries, excluded, forgotten);
            return searched(threads, [&](const Workers& workers) { return within(task, radius, workers); });
          },
          nb::arg("queries"), nb::arg("excluded").noconvert(), nb::arg("forgotten").noconvert(), nb::arg("radius"),
          nb::arg("threads"));
}

}  // namespace mercer::bind
