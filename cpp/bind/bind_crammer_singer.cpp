#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "arrays.hpp"
#include "mercer/crammer_singer.hpp"
#include "report.hpp"

namespace mercer::bind {

void bind_crammer_singer(nb::module_& m) {
  m.def(
      "solve_crammer_singer",
      [](const Data& X, Vector<std::int32_t> labels, Index classes, Vector<double> bounds, double offset,
         double gap_tol, std::optional<Rows<double>> start, std::uint64_t seed, double seconds, Index max_steps,
         int threads, nb::object report) {
        const std::size_t rows = static_cast<std::size_t>(rows_of(X.matrix()));
        if (labels.size() != rows || bounds.size() != rows)
          throw std::invalid_argument("solve_crammer_singer: expected a label and a bound for every row");
        if (!std::ranges::all_of(view(labels), [&](std::int32_t y) { return y >= 0 && y < classes; }))
          throw std::invalid_argument("solve_crammer_singer: expected labels from 0 to the number of classes");
        const std::size_t k = static_cast<std::size_t>(classes);
        if (start && (start->shape(0) != rows || start->shape(1) != k))
          throw std::invalid_argument("solve_crammer_singer: expected a start for every row and class");
        CrammerSingerProblem problem{view(labels), classes, view(bounds), offset_column(offset), {}};
        if (start) problem.start = {start->data(), start->size()};
        Stop stop(seconds, max_steps, report_to(std::move(report)));
        const LinearOptions options{.gap_tol = gap_tol, .seed = seed, .threads = threads};
        LinearSolution found;
        {
          const WithoutGil released;
          found = solve_crammer_singer(X.matrix(), problem, options, stop);
        }
        auto W = new_array<double, 2>({k, found.w.size() / k});
        std::ranges::copy(found.w, W.data());
        auto alpha = new_array<double, 2>({rows, k});
        std::ranges::copy(found.coef, alpha.data());
        return nb::make_tuple(W, alpha, found.steps, found.status);
      },
      nb::arg("X"), nb::arg("labels"), nb::arg("classes"), nb::arg("bounds"), nb::arg("offset"), nb::arg("gap_tol"),
      nb::arg("start").none(), nb::arg("seed"), nb::arg("seconds"), nb::arg("max_steps"), nb::arg("threads"),
      nb::arg("report").none());
}

}  // namespace mercer::bind
