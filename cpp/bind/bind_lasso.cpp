#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "arrays.hpp"
#include "mercer/lasso.hpp"
#include "report.hpp"

namespace mercer::bind {

void bind_lasso(nb::module_& m) {
  m.def(
      "solve_lasso",
      [](const Data& X, Rows<double> signs, Rows<double> bounds, double offset, bool free_offset, double gap_tol,
         std::optional<Rows<double>> starts, double seconds, Index max_steps, int threads, nb::object report) {
        const std::size_t count = signs.shape(0), rows = static_cast<std::size_t>(rows_of(X.matrix()));
        const std::size_t cols = static_cast<std::size_t>(cols_of(X.matrix()) + (offset != 0 ? 1 : 0));
        if (signs.shape(1) != rows || bounds.shape(0) != count || bounds.shape(1) != rows)
          throw std::invalid_argument("solve_lasso: expected a sign and a bound for every row of every problem");
        if (starts && (starts->shape(0) != count || starts->shape(1) != cols))
          throw std::invalid_argument("solve_lasso: expected a start for every weight of every problem");
        std::vector<double> weights(bounds.data(), bounds.data() + bounds.size());
        for (double& weight : weights) weight *= 2;
        std::vector<LinearProblem> problems;
        for (std::size_t k = 0; k < count; ++k) {
          LinearProblem problem;
          problem.slope = {signs.data() + k * rows, rows};
          problem.weight = {weights.data() + k * rows, rows};
          problem.offsets = offset_column(offset);
          problem.free_offsets = free_offset;
          if (starts) problem.start = {starts->data() + k * cols, cols};
          problems.push_back(problem);
        }
        LassoOptions options;
        options.gap_tol = gap_tol;
        options.threads = threads;
        const Stop::Report report_back = report_to(std::move(report));
        std::vector<LinearSolution> found;
        {
          const WithoutGil released;
          found = solve_lassos(X.matrix(), problems, options, {seconds, max_steps}, report_back);
        }
        auto w = new_array<double, 2>({count, cols});
        auto coef = new_array<double, 2>({count, rows});
        nb::list steps, statuses;
        for (std::size_t k = 0; k < count; ++k) {
          std::ranges::copy(found[k].w, w.data() + k * cols);
          std::ranges::copy(found[k].coef, coef.data() + k * rows);
          steps.append(found[k].steps);
          statuses.append(found[k].status);
        }
        return nb::make_tuple(w, coef, steps, statuses);
      },
      nb::arg("X"), nb::arg("signs"), nb::arg("bounds"), nb::arg("offset"), nb::arg("free_offset"), nb::arg("gap_tol"),
      nb::arg("starts").none(), nb::arg("seconds"), nb::arg("max_steps"), nb::arg("threads"), nb::arg("report").none());
}

}  // namespace mercer::bind
