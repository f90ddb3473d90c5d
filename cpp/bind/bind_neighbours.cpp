#include <nanobind/stl/vector.h>

#include "neighbours.hpp"

namespace mercer::bind {
namespace {

// Holds on to the rotated rows.
struct HeldIndex {
  HeldIndex(Rows<float> rotated, Vector<float> rest, const std::vector<Index>& stages)
      : rows(std::move(rotated)), remainders(std::move(rest)), index(made_of(view(rows), view(remainders), stages)) {}

  static NeighbourIndex made_of(const Dense<float>& features, std::span<const float> rest,
                                const std::vector<Index>& stages) {
    if (static_cast<Index>(rest.size()) != features.rows)
      throw std::invalid_argument("rows and remainders differ in number");
    return interruptibly([&](Stop* stop) { return NeighbourIndex({features, rest}, stages, stop); });
  }

  Rows<float> rows;
  Vector<float> remainders;
  NeighbourIndex index;
};

NeighbourTask task_of(const HeldIndex& held, const Data& rows, const Data& queries, const Rows<float>& rotated,
                      const Vector<float>& remainders, double unit, double slack, const Vector<std::int64_t>& excluded,
                      const Vector<std::uint8_t>& forgotten) {
  const Dense<float> turned = view(rotated);
  const bool fits = static_cast<Index>(remainders.size()) == turned.rows &&
                    rows_of(rows.matrix()) == held.index.size() && rows_of(queries.matrix()) == turned.rows &&
                    turned.cols == held.index.features() && cols_of(rows.matrix()) == cols_of(queries.matrix());
  if (!fits) throw std::invalid_argument("rows, queries and what was made of them differ in size");
  check_left_out(excluded, turned.rows, forgotten, held.index.size());
  return {held.index, rows.matrix(), queries.matrix(), {turned, view(remainders)},
          unit,       slack,         view(excluded),   view(forgotten)};
}

}  // namespace

void bind_neighbours(nb::module_& m) {
  nb::class_<HeldIndex>(m, "NeighbourIndex")
      .def(nb::init<Rows<float>, Vector<float>, const std::vector<Index>&>(), nb::arg("rotated").noconvert(),
           nb::arg("remainders").noconvert(), nb::arg("stages"))
      .def(
          "nearest",
          [](const HeldIndex& held, const Data& rows, const Data& queries, const Rows<float>& rotated,
             const Vector<float>& remainders, double unit, double slack, const Vector<std::int64_t>& excluded,
             const Vector<std::uint8_t>& forgotten, Index k, int threads) {
            const auto task = task_of(held, rows, queries, rotated, remainders, unit, slack, excluded, forgotten);
            check_count(k);
            return searched(threads, [&](const Workers& workers) { return nearest(task, k, workers); });
          },
          nb::arg("rows"), nb::arg("queries"), nb::arg("rotated").noconvert(), nb::arg("remainders").noconvert(),
          nb::arg("unit"), nb::arg("slack"), nb::arg("excluded").noconvert(), nb::arg("forgotten").noconvert(),
          nb::arg("k"), nb::arg("threads"))
      .def(
          "within",
          [](const HeldIndex& held, const Data& rows, const Data& queries, const Rows<float>& rotated,
             const Vector<float>& remainders, double unit, double slack, const Vector<std::int64_t>& excluded,
             const Vector<std::uint8_t>& forgotten, double radius, int threads) {
            const auto task = task_of(held, rows, queries, rotated, remainders, unit, slack, excluded, forgotten);
            return searched(threads, [&](const Workers& workers) { return within(task, radius, workers); });
          },
          nb::arg("rows"), nb::arg("queries"), nb::arg("rotated").noconvert(), nb::arg("remainders").noconvert(),
          nb::arg("unit"), nb::arg("slack"), nb::arg("excluded").noconvert(), nb::arg("forgotten").noconvert(),
          nb::arg("radius"), nb::arg("threads"));
}

}  // namespace mercer::bind
