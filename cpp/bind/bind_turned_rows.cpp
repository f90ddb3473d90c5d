#include "arrays.hpp"
#include "mercer/turned_rows.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

Turn turn_of(const Data& rows, const Vector<double>& centre, double unit, const Rows<double>& directions) {
  const auto d = static_cast<std::size_t>(cols_of(rows.matrix()));
  const bool fits = centre.size() == d && (directions.shape(1) == 0 || directions.shape(0) == d);
  if (!fits) throw std::invalid_argument("rows, their centre and directions differ in features");
  return {view(centre), unit, view(directions)};
}

template <class T>
void turn_without_gil(const Data& rows, const Turn& by, const TurnedRows<T>& out, int threads) {
  Stop stop = interruptible();
  const WithoutGil released;
  turn<T>(rows.matrix(), by, out, {threads, &stop});
}

}  // namespace

void bind_turned_rows(nb::module_& m) {
  m.def(
      "extent_of",
      [](const Data& rows, int threads) {
        Stop stop = interruptible();
        Extent found;
        {
          const WithoutGil released;
          found = extent_of(rows.matrix(), {threads, &stop});
        }
        auto centre = new_array<double, 1>({found.centre.size()});
        std::ranges::copy(found.centre, centre.data());
        return nb::make_tuple(centre, found.largest, found.squared_reach);
      },
      nb::arg("rows"), nb::arg("threads"));
  // In float32, and the norms of what is left apart.
  m.def(
      "turned_to_single",
      [](const Data& rows, const Vector<double>& centre, double unit, const Rows<double>& directions, int threads) {
        const Turn by = turn_of(rows, centre, unit, directions);
        const auto n = static_cast<std::size_t>(rows_of(rows.matrix()));
        auto features = new_array<float, 2>({n, static_cast<std::size_t>(by.features())});
        auto remainders = new_array<float, 1>({n});
        turn_without_gil<float>(rows, by, {features.data(), by.features(), remainders.data(), 1}, threads);
        return nb::make_tuple(features, remainders);
      },
      nb::arg("rows"), nb::arg("centre").noconvert(), nb::arg("unit"), nb::arg("directions").noconvert(),
      nb::arg("threads"));
  // In float64, and the norms of what is left as the last column.
  m.def(
      "turned_with_remainders",
      [](const Data& rows, const Vector<double>& centre, double unit, const Rows<double>& directions, int threads) {
        const Turn by = turn_of(rows, centre, unit, directions);
        const Index width = by.features() + 1;
        auto features =
            new_array<double, 2>({static_cast<std::size_t>(rows_of(rows.matrix())), static_cast<std::size_t>(width)});
        turn_without_gil<double>(rows, by, {features.data(), width, features.data() + width - 1, width}, threads);
        return features;
      },
      nb::arg("rows"), nb::arg("centre").noconvert(), nb::arg("unit"), nb::arg("directions").noconvert(),
      nb::arg("threads"));
}

}  // namespace mercer::bind
