#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "mercer/indexing.hpp"
#include "mercer/problems.hpp"
#include "mercer/recipe.hpp"
#include "mercer/solver.hpp"
#include "report.hpp"

NB_MAKE_OPAQUE(std::vector<mercer::Solution>)

namespace mercer::bind {
namespace {

// Problems that hold on to the arrays they stand in.
struct HeldProblems {
  std::array<Vector<double>, 5> rows;
  Vector<std::int64_t> starts, held_out;
  Problems problems;
};

template <class T>
std::vector<Solution> solve_problems(const HeldProblems& held, const std::vector<Recipe<T>*>& grams,
                                     const SolverOptions& options, double seconds, Index max_steps, int threads,
                                     nb::object report) {
  const Problems& problems = held.problems;
  if (problems.count() != length(grams)) throw std::invalid_argument("there must be one Gram matrix for each problem");
  std::vector<Task<T>> tasks;
  for (Index k = 0; k < problems.count(); ++k) {
    tasks.push_back({problems[k], &at(grams, k)->open});
    if (length(tasks.back().qp.linear) != at(grams, k)->size)
      throw std::invalid_argument("a problem and its Gram matrix differ in size");
  }
  const Stop::Report report_back = report_to(std::move(report));
  const WithoutGil released;
  return solve_all<T>(tasks, options, {seconds, max_steps}, threads, report_back);
}

// The coefficients of all problems, one after the other.
auto all_coefficients(const std::vector<Solution>& solutions) {
  std::size_t rows = 0;
  for (const Solution& solution : solutions) rows += solution.coef.size();
  auto out = new_array<double, 1>({rows});
  double* to = out.data();
  for (const Solution& solution : solutions) to = std::ranges::copy(solution.coef, to).out;
  return out;
}

template <class Field>
auto each(const std::vector<Solution>& solutions, Field field) {
  std::vector<std::decay_t<std::invoke_result_t<Field, const Solution&>>> found;
  for (const Solution& solution : solutions) found.push_back(std::invoke(field, solution));
  return found;
}

// Steps, active rows and coefficients after each round of a problem.
nb::list rounds_of(const std::vector<Solution>& solutions, std::size_t problem) {
  nb::list rounds;
  for (const Round& round : solutions.at(problem).rounds) {
    auto coef = new_array<double, 1>({round.coef.size()});
    std::ranges::copy(round.coef, coef.data());
    rounds.append(nb::make_tuple(round.steps, round.active_rows, coef));
  }
  return rounds;
}

// Values and offsets of the rows of a problem that were held out; no values where there was no machine without them.
nb::tuple held_out_of(const std::vector<Solution>& solutions, std::size_t problem) {
  const HeldOut& held_out = solutions.at(problem).held_out;
  auto values = new_array<double, 1>({held_out.values.size()});
  std::ranges::copy(held_out.values, values.data());
  return nb::make_tuple(values, held_out.offsets[0], held_out.offsets[1]);
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

  nb::class_<HeldProblems>(m, "Problems")
      .def(
          "__init__",
          [](HeldProblems* self, const Vector<double>& slope, const Vector<double>& lower, const Vector<double>& upper,
             const Vector<double>& start, const Vector<double>& kink, bool two_sums, bool cold,
             const Vector<std::int64_t>& starts, const Vector<std::int64_t>& held_out) {
            const BoxQp all{view(slope), view(lower), view(upper), view(start), view(kink), two_sums, cold};
            new (self) HeldProblems{
                {slope, lower, upper, start, kink}, starts, held_out, Problems(all, view(starts), view(held_out))};
          },
          nb::arg("slope").noconvert(), nb::arg("lower").noconvert(), nb::arg("upper").noconvert(),
          nb::arg("start").noconvert(), nb::arg("kink").noconvert(), nb::arg("two_sums"), nb::arg("cold"),
          nb::arg("starts").noconvert(), nb::arg("held_out").noconvert());

  nb::class_<SolverOptions>(m, "SolverOptions")
      .def(
          "__init__",
          [](SolverOptions* self, double tol, double gap_tol, bool screening, bool verify, Index first_sample,
             Index working_set, Index largest_working_set, Index whole_block, double unit, double least_margin,
             bool record, Index most_steps, Index few_rows) {
            new (self) SolverOptions{
                tol,         gap_tol, screening,    verify, first_sample, working_set, largest_working_set,
                whole_block, unit,    least_margin, record, most_steps,   few_rows};
          },
          nb::arg("tol"), nb::arg("gap_tol"), nb::arg("screening"), nb::arg("verify"), nb::arg("first_sample"),
          nb::arg("working_set"), nb::arg("largest_working_set"), nb::arg("whole_block"), nb::arg("unit"),
          nb::arg("least_margin"), nb::arg("record"), nb::arg("most_steps"), nb::arg("few_rows"));

  nb::class_<Seconds>(m, "Seconds").def("by_stage", [](const Seconds& s) {
    return std::map<std::string, double>{{"blocks", s.blocks},
                                         {"steps", s.steps},
                                         {"products", s.products},
                                         {"resting rows", s.resting},
                                         {"float64", s.exact}};
  });

  nb::class_<std::vector<Solution>>(m, "Solutions")
      .def_prop_ro("coef", &all_coefficients, nb::rv_policy::move)
      .def_prop_ro("steps", [](const std::vector<Solution>& all) { return each(all, &Solution::steps); })
      .def_prop_ro("statuses", [](const std::vector<Solution>& all) { return each(all, &Solution::status); })
      .def_prop_ro("seconds", [](const std::vector<Solution>& all) { return each(all, &Solution::seconds); })
      .def("rounds", &rounds_of)
      .def("held_out", &held_out_of);

  bind_for<float>(m);
  bind_for<double>(m);
}

}  // namespace mercer::bind
