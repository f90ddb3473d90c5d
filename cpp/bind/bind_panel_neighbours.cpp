#include "mercer/panel_neighbours.hpp"
#include "neighbours.hpp"

namespace mercer::bind {
namespace {

PanelTask task_of(const PanelIndex& index, const Data& queries, const Vector<std::int64_t>& excluded,
                  const Vector<std::uint8_t>& forgotten) {
  if (cols_of(queries.matrix()) != index.features())
    throw std::invalid_argument("rows and queries differ in their features");
  check_left_out(excluded, rows_of(queries.matrix()), forgotten, index.size());
  return {index, queries.matrix(), view(excluded), view(forgotten)};
}

}  // namespace

void bind_panel_neighbours(nb::module_& m) {
  nb::class_<PanelIndex>(m, "PanelIndex")
      .def(
          "__init__",
          [](PanelIndex* self, const Data& rows, Norm norm, int threads) {
            Stop stop = interruptible();
            const WithoutGil released;
            new (self) PanelIndex(rows.matrix(), norm, {threads, &stop});
          },
          nb::arg("rows"), nb::arg("norm"), nb::arg("threads"))
      .def(
          "nearest",
          [](const PanelIndex& index, const Data& queries, const Vector<std::int64_t>& excluded,
             const Vector<std::uint8_t>& forgotten, Index k, int threads) {
            const PanelTask task = task_of(index, queries, excluded, forgotten);
            check_count(k);
            return searched(threads, [&](const Workers& workers) { return nearest(task, k, workers); });
          },
          nb::arg("queries"), nb::arg("excluded").noconvert(), nb::arg("forgotten").noconvert(), nb::arg("k"),
          nb::arg("threads"))
      .def(
          "within",
          [](const PanelIndex& index, const Data& queries, const Vector<std::int64_t>& excluded,
             const Vector<std::uint8_t>& forgotten, double radius, int threads) {
            const PanelTask task = task_of(index, queries, excluded, forgotten);
            return searched(threads, [&](const Workers& workers) { return within(task, radius, workers); });
          },
          nb::arg("queries"), nb::arg("excluded").noconvert(), nb::arg("forgotten").noconvert(), nb::arg("radius"),
          nb::arg("threads"));
}

}  // namespace mercer::bind
