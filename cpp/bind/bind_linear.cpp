#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "arrays.hpp"
#include "mercer/linear.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

template <class T>
std::span<const T> view_or_empty(const std::optional<Vector<T>>& array) {
  return array ? view(*array) : std::span<const T>{};
}

}  // namespace

void bind_linear(nb::module_& m) {
  m.def(
      "solve_linear",
      [](const Data& X, Vector<double> slope, Vector<double> lower, Vector<double> upper,
         std::optional<Vector<double>> kink, std::optional<Vector<double>> weight, double offset, bool free_offset,
         double unit, double gap_tol, double tol, int threads, Index most_factored, double seconds, Index max_steps,
         nb::object report) {
        LinearQp qp{view(slope), view(lower), view(upper), view_or_empty(kink), view_or_empty(weight), {},
                    free_offset, {0, 0},      unit};
        const auto rows = linear_rows(X.matrix(), {}, {offset != 0 ? 1 : 0, offset, {}});
        Stop stop(seconds, max_steps, report_to(std::move(report)));
        LinearSolution found;
        {
          const WithoutGil released;
          found = solve_by_multipliers(*rows, qp, {gap_tol, tol, most_factored, threads}, stop);
        }
        auto w = new_array<double, 1>({found.w.size()});
        std::ranges::copy(found.w, w.data());
        auto coef = new_array<double, 1>({found.coef.size()});
        std::ranges::copy(found.coef, coef.data());
        return nb::make_tuple(w, coef, found.steps, found.status);
      },
      nb::arg("X"), nb::arg("slope"), nb::arg("lower"), nb::arg("upper"), nb::arg("kink").none(),
      nb::arg("weight").none(), nb::arg("offset"), nb::arg("free_offset"), nb::arg("unit"), nb::arg("gap_tol"),
      nb::arg("tol"), nb::arg("threads"), nb::arg("most_factored"), nb::arg("seconds"), nb::arg("max_steps"),
      nb::arg("report").none());
}

}  // namespace mercer::bind
