#include "mercer/masked_neighbours.hpp"
#include "neighbours.hpp"

namespace mercer::bind {
namespace {

// Holds on to the rows.
struct HeldMaskedIndex {
  explicit HeldMaskedIndex(Rows<double> X)
      : rows(std::move(X)), index(interruptibly([X = view(rows)](Stop* stop) { return MaskedIndex(X, stop); })) {}

  Rows<double> rows;
  MaskedIndex index;
};

MaskedTask task_of(const HeldMaskedIndex& held, const Rows<double>& queries, const Vector<std::int64_t>& excluded,
                   const Vector<std::uint8_t>& forgotten) {
  const Dense<double> Q = view(queries), &X = held.index.rows();
  if (Q.cols != X.cols) throw std::invalid_argument("rows and queries differ in their features");
  check_left_out(excluded, Q.rows, forgotten, X.rows);
  return {held.index, Q, view(excluded), view(forgotten)};
}

Wanted wanted_of(const MaskedTask& task, const Vector<std::int64_t>& begins, const Vector<std::int64_t>& features) {
  const std::span<const std::int64_t> ends = view(begins), columns = view(features);
  const bool fits = static_cast<Index>(ends.size()) == task.queries.rows + 1 && ends.front() == 0 &&
                    ends.back() == static_cast<Index>(columns.size()) && std::ranges::is_sorted(ends) &&
                    std::ranges::all_of(columns, [&](Index k) { return 0 <= k && k < task.queries.cols; });
  if (!fits) throw std::invalid_argument("wanted features do not fit the queries");
  return {ends, columns};
}

}  // namespace

void bind_masked_neighbours(nb::module_& m) {
  nb::class_<HeldMaskedIndex>(m, "MaskedIndex")
      .def(nb::init<Rows<double>>(), nb::arg("rows").noconvert())
      .def(
          "nearest",
          [](const HeldMaskedIndex& held, const Rows<double>& queries, const Vector<std::int64_t>& excluded,
             const Vector<std::uint8_t>& forgotten, Index k, int threads) {
            const MaskedTask task = task_of(held, queries, excluded, forgotten);
            check_count(k);
            return searched(threads, [&](const Workers& workers) { return nearest(task, k, workers); });
          },
          nb::arg("queries").noconvert(), nb::arg("excluded").noconvert(), nb::arg("forgotten").noconvert(),
          nb::arg("k"), nb::arg("threads"))
      .def(
          "within",
          [](const HeldMaskedIndex& held, const Rows<double>& queries, const Vector<std::int64_t>& excluded,
             const Vector<std::uint8_t>& forgotten, double radius, int threads) {
            const MaskedTask task = task_of(held, queries, excluded, forgotten);
            return searched(threads, [&](const Workers& workers) { return within(task, radius, workers); });
          },
          nb::arg("queries").noconvert(), nb::arg("excluded").noconvert(), nb::arg("forgotten").noconvert(),
          nb::arg("radius"), nb::arg("threads"))
      .def(
          "donors",
          [](const HeldMaskedIndex& held, const Rows<double>& queries, const Vector<std::int64_t>& begins,
             const Vector<std::int64_t>& features, Index k, int threads) {
            const MaskedTask task{held.index, view(queries), {}, {}};
            if (task.queries.cols != held.index.rows().cols)
              throw std::invalid_argument("rows and queries differ in their features");
            const Wanted wanted = wanted_of(task, begins, features);
            check_count(k);
            return searched(threads, [&](const Workers& workers) { return donors(task, wanted, k, workers); });
          },
          nb::arg("queries").noconvert(), nb::arg("begins").noconvert(), nb::arg("features").noconvert(), nb::arg("k"),
          nb::arg("threads"));
}

}  // namespace mercer::bind
