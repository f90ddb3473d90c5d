#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "mercer/neighbours.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

// Holds on to the rotated rows.
struct HeldIndex {
  HeldIndex(Rows<float> rotated, Vector<float> rest, const std::vector<Index>& stages)
      : rows(std::move(rotated)), remainders(std::move(rest)), index({view(rows), view(remainders)}, stages) {
    if (remainders.size() != rows.shape(0)) throw std::invalid_argument("rows and remainders differ in number");
  }

  Rows<float> rows;
  Vector<float> remainders;
  NeighbourIndex index;
};

template <class T>
auto array_of(const std::vector<T>& values) {
  auto out = new_array<T, 1>({values.size()});
  std::ranges::copy(values, out.data());
  return out;
}

NeighbourTask task_of(const HeldIndex& held, const Data& rows, const Data& queries, const Rows<float>& rotated,
                      const Vector<float>& remainders, double unit, double slack,
                      const Vector<std::int64_t>& excluded) {
  const Dense<float> turned = view(rotated);
  const Index d = held.index.features();
  const bool fits = static_cast<Index>(remainders.size()) == turned.rows &&
                    rows_of(rows.matrix()) == held.index.size() && rows_of(queries.matrix()) == turned.rows &&
                    turned.cols == d && cols_of(rows.matrix()) == cols_of(queries.matrix()) &&
                    (excluded.size() == 0 || static_cast<Index>(excluded.size()) == turned.rows);
  if (!fits) throw std::invalid_argument("rows, queries and what was made of them differ in size");
  return {held.index, rows.matrix(), queries.matrix(), {turned, view(remainders)}, unit, slack, view(excluded)};
}

nb::tuple counts_of(const NeighbourCounts& counts) {
  return nb::make_tuple(counts.pairs, counts.screened, counts.settled);
}

}  // namespace

void bind_neighbours(nb::module_& m) {
  nb::class_<HeldIndex>(m, "NeighbourIndex")
      .def(nb::init<Rows<float>, Vector<float>, const std::vector<Index>&>(), nb::arg("rotated").noconvert(),
           nb::arg("remainders").noconvert(), nb::arg("stages"))
      .def(
          "nearest",
          [](const HeldIndex& held, const Data& rows, const Data& queries, const Rows<float>& rotated,
             const Vector<float>& remainders, double unit, double slack, const Vector<std::int64_t>& excluded, Index k,
             int threads) {
            const NeighbourTask task = task_of(held, rows, queries, rotated, remainders, unit, slack, excluded);
            if (k < 1) throw std::invalid_argument("there must be a neighbour to look for");
            Stop stop = interruptible();
            Nearest found;
            {
              const WithoutGil released;
              found = nearest(task, k, {threads, &stop});
            }
            return nb::make_tuple(array_of(found.rows), array_of(found.squared), counts_of(found.counts));
          },
          nb::arg("rows"), nb::arg("queries"), nb::arg("rotated").noconvert(), nb::arg("remainders").noconvert(),
          nb::arg("unit"), nb::arg("slack"), nb::arg("excluded").noconvert(), nb::arg("k"), nb::arg("threads"))
      .def(
          "within",
          [](const HeldIndex& held, const Data& rows, const Data& queries, const Rows<float>& rotated,
             const Vector<float>& remainders, double unit, double slack, const Vector<std::int64_t>& excluded,
             double radius, int threads) {
            const NeighbourTask task = task_of(held, rows, queries, rotated, remainders, unit, slack, excluded);
            Stop stop = interruptible();
            Within found;
            {
              const WithoutGil released;
              found = within(task, radius, {threads, &stop});
            }
            return nb::make_tuple(array_of(found.begins), array_of(found.rows), array_of(found.squared),
                                  counts_of(found.counts));
          },
          nb::arg("rows"), nb::arg("queries"), nb::arg("rotated").noconvert(), nb::arg("remainders").noconvert(),
          nb::arg("unit"), nb::arg("slack"), nb::arg("excluded").noconvert(), nb::arg("radius"), nb::arg("threads"));
}

}  // namespace mercer::bind
