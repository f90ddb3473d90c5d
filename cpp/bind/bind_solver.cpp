#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "mercer/solver.hpp"
#include "recipe.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

struct Problem {
  Vector<double> linear, signs, upper, start;
  BoxQp view() const { return {bind::view(linear), bind::view(signs), bind::view(upper), bind::view(start)}; }
};

template <class T>
std::vector<Solution> solve_problems(const std::vector<Problem>& problems, const std::vector<Recipe<T>*>& grams,
                                     const SolverOptions& options, double seconds, Index max_steps, int threads,
                                     nb::object report) {
  if (problems.size() != grams.size()) throw std::invalid_argument("there must be one Gram matrix for each problem");
  std::vector<Task<T>> tasks;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const Problem& problem = problems[k];
    const auto n = static_cast<std::size_t>(grams[k]->size);
    if (problem.linear.size() != n || problem.signs.size() != n || problem.upper.size() != n ||
        problem.start.size() != n)
      throw std::invalid_argument("the vectors of the problem and the Gram matrix differ in length");
    tasks.push_back({problem.view(), &grams[k]->open});
  }
  const Stop::Report report_back = report_to(std::move(report));
  const WithoutGil released;
  return solve_all<T>(tasks, options, {seconds, max_steps}, threads, report_back);
}

template <class T>
void bind_for(nb::module_& m) {
  m.def("solve", &solve_problems<T>, nb::arg("problems"), nb::arg("grams"), nb::arg("options"), nb::arg("seconds"),
        nb::arg("max_steps"), nb::arg("threads"), nb::arg("report").none());
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

  nb::class_<Problem>(m, "Problem")
      .def(nb::init<Vector<double>, Vector<double>, Vector<double>, Vector<double>>(), nb::arg("linear").noconvert(),
           nb::arg("signs").noconvert(), nb::arg("upper").noconvert(), nb::arg("start").noconvert());

  nb::class_<SolverOptions>(m, "SolverOptions")
      .def(
          "__init__",
          [](SolverOptions* self, double tol, double gap_tol, bool screening, bool verify, Index first_sample,
             Index working_set, Index largest_working_set, Index whole_block, double least_margin) {
            new (self) SolverOptions{tol,          gap_tol,     screening,           verify,
                                     first_sample, working_set, largest_working_set, whole_block,
                                     least_margin};
          },
          nb::arg("tol"), nb::arg("gap_tol"), nb::arg("screening"), nb::arg("verify"), nb::arg("first_sample"),
          nb::arg("working_set"), nb::arg("largest_working_set"), nb::arg("whole_block"), nb::arg("least_margin"));

  nb::class_<Solution>(m, "Solution")
      .def_prop_ro(
          "alpha",
          [](const Solution& solution) {
            auto out = new_array<double, 1>({solution.alpha.size()});
            std::copy(solution.alpha.begin(), solution.alpha.end(), out.data());
            return out;
          },
          nb::rv_policy::move)
      .def_ro("violation", &Solution::violation)
      .def_ro("steps", &Solution::steps)
      .def_ro("status", &Solution::status)
      .def_prop_ro("seconds", [](const Solution& solution) {
        const Seconds& s = solution.seconds;
        return std::map<std::string, double>{{"blocks", s.blocks},
                                             {"steps", s.steps},
                                             {"products", s.products},
                                             {"resting rows", s.resting},
                                             {"float64", s.exact}};
      });

  bind_for<float>(m);
  bind_for<double>(m);
}

}  // namespace mercer::bind
