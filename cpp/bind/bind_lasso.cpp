#include <algorithm>

#include "arrays.hpp"
#include "mercer/lasso.hpp"
#include "report.hpp"

namespace mercer::bind {

void bind_lasso(nb::module_& m) {
  m.def(
      "solve_lasso",
      [](const Data& X, Vector<double> signs, Vector<double> bounds, double offset, bool free_offset, double gap_tol,
         double seconds, Index max_steps, int threads, nb::object report) {
        const std::size_t rows = static_cast<std::size_t>(rows_of(X.matrix()));
        if (signs.size() != rows || bounds.size() != rows)
          throw std::invalid_argument("solve_lasso: expected a sign and a bound for every row");
        const LassoProblem problem{view(signs), view(bounds), offset, free_offset};
        LassoOptions options;
        options.gap_tol = gap_tol;
        options.threads = threads;
        Stop stop(seconds, max_steps, report_to(std::move(report)));
        LassoSolution found;
        {
          const WithoutGil released;
          found = solve_lasso(X.matrix(), problem, options, stop);
        }
        auto w = new_array<double, 1>({found.w.size()});
        std::ranges::copy(found.w, w.data());
        auto coef = new_array<double, 1>({found.coef.size()});
        std::ranges::copy(found.coef, coef.data());
        return nb::make_tuple(w, coef, found.steps, found.status);
      },
      nb::arg("X"), nb::arg("signs"), nb::arg("bounds"), nb::arg("offset"), nb::arg("free_offset"), nb::arg("gap_tol"),
      nb::arg("seconds"), nb::arg("max_steps"), nb::arg("threads"), nb::arg("report").none());
}

}  // namespace mercer::bind
