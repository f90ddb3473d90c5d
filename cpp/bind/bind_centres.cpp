#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "expansions.hpp"
#include "mercer/centres.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

// A segment is (output, first centre, last centre); its coefficients follow those of the segments before it.
template <class T>
auto evaluate(const Centres<T>& centres, const Data& queries,
              const std::vector<std::tuple<Index, Index, Index>>& segments, Index outputs, const Vector<double>& coef,
              int threads) {
  std::vector<SegmentRange> ranges;
  for (const auto& [output, first, last] : segments) ranges.push_back({output, first, last});
  const std::vector<Segment> placed = centres.segments(ranges, outputs, view(coef));
  auto out =
      new_array<double, 2>({static_cast<std::size_t>(rows_of(queries.matrix())), static_cast<std::size_t>(outputs)});
  Stop stop = interruptible();
  const WithoutGil released;
  centres.evaluate(queries.matrix(), placed, outputs, out.data(), {threads, &stop});
  return out;
}

template <class T>
auto matrix(const Centres<T>& centres, const Data& queries, int threads) {
  auto out =
      new_array<T, 2>({static_cast<std::size_t>(rows_of(queries.matrix())), static_cast<std::size_t>(centres.size())});
  Stop stop = interruptible();
  const WithoutGil released;
  centres.matrix(queries.matrix(), out.data(), {threads, &stop});
  return out;
}

template <class T>
void bind_for(nb::module_& m, const char* name) {
  nb::class_<Centres<T>>(m, name)
      .def(
          "__init__",
          [](Centres<T>* self, const Kernel& kernel, const Data& data) {
            new (self) Centres<T>(kernel, data.matrix());
          },
          nb::arg("kernel"), nb::arg("data"))
      .def("evaluate", &evaluate<T>, nb::arg("queries"), nb::arg("segments"), nb::arg("outputs"),
           nb::arg("coef").noconvert(), nb::arg("threads"))
      .def("matrix", &matrix<T>, nb::arg("queries"), nb::arg("threads"));
}

auto expand_rows(const Kernel& kernel, const Data& data, const RowLists& targets, const RowLists& sources,
                 const CoefLists& coef, int threads) {
  const Matrix& X = data.matrix();
  return expand_lists(targets, sources, coef, rows_of(X), [&](const std::vector<Expansion>& expansions, Stop* stop) {
    return expand<double>(kernel, frame_for(kernel, X), X, expansions, {threads, stop});
  });
}

}  // namespace

void bind_centres(nb::module_& m) {
  m.def("expand", &expand_rows, nb::arg("kernel"), nb::arg("data"), nb::arg("targets"), nb::arg("sources"),
        nb::arg("coef"), nb::arg("threads"));
  bind_for<float>(m, "Centres32");
  bind_for<double>(m, "Centres64");
}

}  // namespace mercer::bind
