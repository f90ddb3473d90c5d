#include <stdexcept>

#include "arrays.hpp"
#include "mercer/solver.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

template <class T>
Solution solve_box_qp(Gram<T>& gram, const Vector<double>& linear, const Vector<double>& signs,
                      const Vector<double>& upper, const Vector<double>& start, const SolverOptions& options,
                      double seconds, Index max_steps, nb::object report) {
  const auto n = static_cast<std::size_t>(gram.size());
  if (linear.size() != n || signs.size() != n || upper.size() != n || start.size() != n)
    throw std::invalid_argument("the vectors of the problem and the Gram matrix differ in length");
  Stop stop(seconds, max_steps, report_to(std::move(report)));
  const nb::gil_scoped_release nogil;
  return solve<T>({view(linear), view(signs), view(upper), view(start)}, gram, options, stop);
}

template <class T>
void bind_for(nb::module_& m) {
  m.def("solve", &solve_box_qp<T>, nb::arg("gram"), nb::arg("linear").noconvert(), nb::arg("signs").noconvert(),
        nb::arg("upper").noconvert(), nb::arg("start").noconvert(), nb::arg("options"), nb::arg("seconds"),
        nb::arg("max_steps"), nb::arg("report").none());
}

}  // namespace

void bind_solver(nb::module_& m) {
  nb::enum_<Status>(m, "Status")
      .value("SOLVED", Status::solved)
      .value("TIME_LIMIT", Status::time_limit)
      .value("STEP_LIMIT", Status::step_limit)
      .value("STALLED", Status::stalled)
      .value("INTERRUPTED", Status::interrupted)
      .value("UNBOUNDED", Status::unbounded);

  nb::class_<SolverOptions>(m, "SolverOptions")
      .def(
          "__init__",
          [](SolverOptions* self, double tol, double gap_tol, bool shrinking, Index working_set,
             Index largest_working_set, Index whole_block, double least_margin) {
            new (self) SolverOptions{tol, gap_tol, shrinking, working_set, largest_working_set, whole_block,
                                     least_margin};
          },
          nb::arg("tol"), nb::arg("gap_tol"), nb::arg("shrinking"), nb::arg("working_set"),
          nb::arg("largest_working_set"), nb::arg("whole_block"), nb::arg("least_margin"));

  nb::class_<Solution>(m, "Solution")
      .def_prop_ro("alpha",
                   [](const Solution& solution) {
                     auto out = new_array<double, 1>({solution.alpha.size()});
                     std::copy(solution.alpha.begin(), solution.alpha.end(), out.data());
                     return out;
                   },
                   nb::rv_policy::move)
      .def_ro("violation", &Solution::violation)
      .def_ro("steps", &Solution::steps)
      .def_ro("rounds", &Solution::rounds)
      .def_ro("status", &Solution::status);

  bind_for<float>(m);
  bind_for<double>(m);
}

}  // namespace mercer::bind
