#include "mercer/sparse_neighbours.hpp"
#include "neighbours.hpp"

namespace mercer::bind {
namespace {

CompressedRows queries_of(const SparseIndex& index, const Data& queries, const Vector<std::int64_t>& excluded,
                          const Vector<std::uint8_t>& forgotten) {
  if (cols_of(queries.matrix()) != index.columns())
    throw std::invalid_argument("rows and queries differ in their features");
  check_left_out(excluded, rows_of(queries.matrix()), forgotten, index.rows().rows());
  return CompressedRows(queries.matrix());
}

}  // namespace

void bind_sparse_neighbours(nb::module_& m) {
  nb::class_<SparseIndex>(m, "SparseIndex")
      .def(
          "__init__",
          [](SparseIndex* self, const Data& rows, bool cosine) {
            Stop stop = interruptible();
            const WithoutGil released;
            new (self) SparseIndex(rows.matrix(), cosine ? SparseMetric::cosine : SparseMetric::euclidean, &stop);
          },
          nb::arg("rows"), nb::arg("cosine"))
      .def(
          "nearest",
          [](const SparseIndex& index, const Data& queries, const Vector<std::int64_t>& excluded,
             const Vector<std::uint8_t>& forgotten, Index k, int threads) {
            const CompressedRows Q = queries_of(index, queries, excluded, forgotten);
            const SparseTask task{index, Q, view(excluded), view(forgotten)};
            check_count(k);
            return searched(threads, [&](const Workers& workers) { return nearest(task, k, workers); });
          },
          nb::arg("queries"), nb::arg("excluded").noconvert(), nb::arg("forgotten").noconvert(), nb::arg("k"),
          nb::arg("threads"))
      .def(
          "within",
          [](const SparseIndex& index, const Data& queries, const Vector<std::int64_t>& excluded,
             const Vector<std::uint8_t>& forgotten, double squared_radius, int threads) {
            const CompressedRows Q = queries_of(index, queries, excluded, forgotten);
            const SparseTask task{index, Q, view(excluded), view(forgotten)};
            return searched(threads, [&](const Workers& workers) { return within(task, squared_radius, workers); });
          },
          nb::arg("queries"), nb::arg("excluded").noconvert(), nb::arg("forgotten").noconvert(),
          nb::arg("squared_radius"), nb::arg("threads"));
}

}  // namespace mercer::bind
