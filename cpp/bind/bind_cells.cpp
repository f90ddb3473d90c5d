#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "mercer/cells.hpp"
#include "mercer/recipe.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

// The problems of one group of rows, holding on to the arrays they stand in.
struct HeldCells {
  Vector<double> linear, kink, scales;
  Rows<double> lower, upper;
  Vector<double> begin;
  Cells cells;
};

void check_cells(const HeldCells& held) {
  const std::size_t n = held.linear.size(), splits = held.lower.shape(0);
  const bool fits = held.lower.shape(1) == n && held.upper.shape(0) == splits && held.upper.shape(1) == n &&
                    (held.kink.size() == 0 || held.kink.size() == n);
  if (!fits) throw std::invalid_argument("rows of a group differ in number");
  if (n == 0 || splits == 0 || held.scales.size() == 0) throw std::invalid_argument("there is nothing to solve");
  if (held.begin.size() != 0 && held.begin.size() != held.scales.size() * splits * n)
    throw std::invalid_argument("machines to begin with differ in number");
  const auto scales = view(held.scales);
  if (!std::ranges::is_sorted(scales) || !(scales.front() > 0)) throw std::invalid_argument("scales must ascend");
}

template <class T>
nb::list solve_held(const std::vector<Recipe<T>*>& grams, const std::vector<std::vector<HeldCells*>>& problems,
                    Room<T>& room, const SolverOptions& options, double seconds, Index max_steps, int threads,
                    nb::object report) {
  if (grams.size() != problems.size()) throw std::invalid_argument("there must be problems for each Gram matrix");
  std::vector<CellGroup<T>> groups;
  for (std::size_t g = 0; g < grams.size(); ++g) {
    groups.push_back({&grams[g]->open, {}});
    if (problems[g].empty()) throw std::invalid_argument("there is nothing to solve");
    for (const HeldCells* held : problems[g]) {
      groups.back().problems.push_back(held->cells);
      if (held->cells.rows != grams[g]->size)
        throw std::invalid_argument("a problem and its Gram matrix differ in size");
    }
  }
  const Stop::Report report_back = report_to(std::move(report));
  std::vector<std::vector<CellSolutions>> found;
  {
    const WithoutGil released;
    found = solve_cells<T>(groups, room, options, {seconds, max_steps}, threads, report_back);
  }
  nb::list all;
  for (std::vector<CellSolutions>& group : found) {
    nb::list own;
    for (CellSolutions& one : group) own.append(nb::cast(std::move(one), nb::rv_policy::move));
    all.append(std::move(own));
  }
  return all;
}

auto values_of(const std::vector<double>& values) {
  auto out = new_array<double, 1>({values.size()});
  std::ranges::copy(values, out.data());
  return out;
}

// One row a machine: the fields of Optimality in their order.
auto table_of(const std::vector<Optimality>& all) {
  constexpr std::size_t fields = sizeof(Optimality) / sizeof(double);
  auto out = new_array<double, 2>({all.size(), fields});
  double* to = out.data();
  for (const Optimality& one : all)
    for (const double field :
         {one.violation, one.dual, one.squared_norm, one.gap, one.best_low, one.best_high, one.offset, one.free_bounds})
      *to++ = field;
  return out;
}

template <class T>
void bind_for(nb::module_& m, const char* name) {
  nb::class_<Room<T>>(m, name).def(nb::init<>());
  m.def("solve_cells", &solve_held<T>, nb::arg("grams"), nb::arg("problems"), nb::arg("room"), nb::arg("options"),
        nb::arg("seconds"), nb::arg("max_steps"), nb::arg("threads"), nb::arg("report").none());
}

}  // namespace

void bind_cells(nb::module_& m) {
  nb::class_<HeldCells>(m, "Cells")
      .def(
          "__init__",
          [](HeldCells* self, const Vector<double>& linear, const Vector<double>& kink, const Rows<double>& lower,
             const Rows<double>& upper, const Vector<double>& scales, const Vector<double>& begin) {
            HeldCells held{linear, kink, scales, lower, upper, begin, {}};
            check_cells(held);
            const auto flat = [](const Rows<double>& array) {
              return std::span<const double>(array.data(), array.size());
            };
            held.cells = {static_cast<Index>(linear.size()),
                          static_cast<Index>(lower.shape(0)),
                          view(linear),
                          view(kink),
                          flat(lower),
                          flat(upper),
                          view(scales),
                          view(begin)};
            new (self) HeldCells(std::move(held));
          },
          nb::arg("linear").noconvert(), nb::arg("kink").noconvert(), nb::arg("lower").noconvert(),
          nb::arg("upper").noconvert(), nb::arg("scales").noconvert(), nb::arg("begin").noconvert());
  nb::class_<CellSolutions>(m, "CellSolutions")
      .def_prop_ro(
          "coef", [](const CellSolutions& all) { return values_of(all.coef); }, nb::rv_policy::move)
      .def_prop_ro(
          "values", [](const CellSolutions& all) { return values_of(all.values); }, nb::rv_policy::move)
      .def_prop_ro(
          "optimality", [](const CellSolutions& all) { return table_of(all.optimality); }, nb::rv_policy::move)
      .def_ro("steps", &CellSolutions::steps)
      .def_ro("statuses", &CellSolutions::statuses)
      .def_prop_ro("copied",
                   [](const CellSolutions& all) { return std::vector<bool>(all.copied.begin(), all.copied.end()); });
  bind_for<float>(m, "Room32");
  bind_for<double>(m, "Room64");
}

}  // namespace mercer::bind
