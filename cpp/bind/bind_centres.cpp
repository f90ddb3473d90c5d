// Prepared centres: the fitted side of a machine, or the columns of a kernel matrix.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "arrays.hpp"
#include "expansions.hpp"
#include "mercer/reduce.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

template <class T>
class Centres {
 public:
  Centres(const Kernel& kernel, const Data& data)
      : frame_(frame_for(kernel, data.matrix())),
        kernel_(kernel.in(frame_)),
        points_(data.matrix(), nullptr, frame_, layout_for(data.matrix())) {
    if (!(kernel_.bound(points_.largest_squared_norm()) <= static_cast<double>(std::numeric_limits<T>::max())))
      throw std::overflow_error("kernel values overflow");
  }

  // A segment is (output, first centre, last centre); its coefficients follow those of the segments before it.
  auto evaluate(const Data& queries, const std::vector<std::tuple<Index, Index, Index>>& segments, Index outputs,
                const Vector<double>& coef, int threads) const {
    check_columns(queries);
    std::vector<Segment> parts;
    Index used = 0;
    for (const auto& [output, first, last] : segments) {
      const bool fits = output >= 0 && output < outputs && first >= 0 && first <= last && last <= points_.size() &&
                        used + last - first <= static_cast<Index>(coef.size());
      if (!fits) throw std::invalid_argument("a segment lies outside the centres or the coefficients");
      parts.push_back({output, first, last, coef.data() + used});
      used += last - first;
    }
    auto out =
        new_array<double, 2>({static_cast<std::size_t>(rows_of(queries.matrix())), static_cast<std::size_t>(outputs)});
    Stop stop = interruptible();
    const WithoutGil released;
    mercer::evaluate(kernel_, frame_, points_, parts, outputs, queries.matrix(), nullptr, out.data(), threads, &stop);
    return out;
  }

  auto matrix(const Data& queries, int threads) const {
    check_columns(queries);
    auto out = new_array<T, 2>(
        {static_cast<std::size_t>(rows_of(queries.matrix())), static_cast<std::size_t>(points_.size())});
    Stop stop = interruptible();
    const WithoutGil released;
    kernel_matrix(kernel_, frame_, queries.matrix(), points_, out.data(), threads, &stop);
    return out;
  }

 private:
  void check_columns(const Data& queries) const {
    if (cols_of(queries.matrix()) != points_.cols())
      throw std::invalid_argument("queries and centres have different numbers of features");
  }

  Frame frame_;
  Kernel kernel_;
  Points<T> points_;
};

template <class T>
void bind_for(nb::module_& m, const char* name) {
  nb::class_<Centres<T>>(m, name)
      .def(nb::init<const Kernel&, const Data&>(), nb::arg("kernel"), nb::arg("data"))
      .def("evaluate", &Centres<T>::evaluate, nb::arg("queries"), nb::arg("segments"), nb::arg("outputs"),
           nb::arg("coef").noconvert(), nb::arg("threads"))
      .def("matrix", &Centres<T>::matrix, nb::arg("queries"), nb::arg("threads"));
}

auto expand_rows(const Kernel& kernel, const Data& data, const RowLists& targets, const RowLists& sources,
                 const CoefLists& coef, int threads) {
  const Matrix X = data.matrix();
  return expand_lists(targets, sources, coef, rows_of(X), [&](const std::vector<Expansion>& expansions, Stop* stop) {
    return expand<double>(kernel, frame_for(kernel, X), X, expansions, threads, stop);
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
