#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "mercer/linear.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

using Rank1 = Vector<double>;

// A problem that holds on to its arrays.
struct OwnedProblem {
  std::optional<Vector<std::int64_t>> rows;
  Rank1 slope, lower, upper;
  std::optional<Rank1> kink, weight, start;
  std::optional<Vector<std::uint8_t>> side;
  double unit;
  std::array<double, 2> sums;

  template <class T>
  static std::span<const T> given(const std::optional<Vector<T>>& array) {
    return array ? view(*array) : std::span<const T>{};
  }
  LinearProblem view_of(int offsets, double offset, bool free_offsets) const {
    return {.slope = view(slope),
            .lower = view(lower),
            .upper = view(upper),
            .kink = given(kink),
            .weight = given(weight),
            .start = given(start),
            .rows = given(rows),
            .offsets = {offsets, offset, given(side)},
            .free_offsets = free_offsets,
            .sums = sums,
            .unit = unit};
  }
  void check(Index all) const {
    const std::size_t size = slope.size();
    bool fits = lower.size() == size && upper.size() == size && (!kink || kink->size() == size) &&
                (!weight || weight->size() == size) && (!start || start->size() == size) &&
                (!side || side->size() == size) && size > 0;
    if (rows) {
      fits = fits && rows->size() == size;
      for (const std::int64_t row : view(*rows)) fits = fits && row >= 0 && row < all;
    } else {
      fits = fits && static_cast<Index>(size) == all;
    }
    if (!fits) throw std::invalid_argument("the vectors of a linear problem do not fit its rows");
  }
};

void check_rows(const Data& X, const std::optional<Vector<std::int64_t>>& rows, bool fits) {
  if (rows) {
    fits = fits && rows->size() > 0;
    for (const std::int64_t row : view(*rows)) fits = fits && row >= 0 && row < rows_of(X.matrix());
  }
  if (!fits) throw std::invalid_argument("rows or numbers do not fit the data");
}

auto copied(const std::vector<double>& values) {
  auto out = new_array<double, 1>({values.size()});
  std::ranges::copy(values, out.data());
  return out;
}

template <class Compute>
auto without_gil(Compute compute) {
  const WithoutGil released;
  return compute();
}

}  // namespace

void bind_linear(nb::module_& m) {
  nb::class_<OwnedProblem>(m, "LinearTask")
      .def(
          "__init__",
          [](OwnedProblem* self, std::optional<Vector<std::int64_t>> rows, Rank1 slope, Rank1 lower, Rank1 upper,
             std::optional<Rank1> kink, std::optional<Rank1> weight, std::optional<Rank1> start,
             std::optional<Vector<std::uint8_t>> side, double unit, double first_sum, double second_sum) {
            new (self) OwnedProblem{std::move(rows),        std::move(slope), std::move(lower),
                                    std::move(upper),       std::move(kink),  std::move(weight),
                                    std::move(start),       std::move(side),  unit,
                                    {first_sum, second_sum}};
          },
          nb::arg("rows").none(), nb::arg("slope").noconvert(), nb::arg("lower").noconvert(),
          nb::arg("upper").noconvert(), nb::arg("kink").none(), nb::arg("weight").none(), nb::arg("start").none(),
          nb::arg("side").none(), nb::arg("unit"), nb::arg("first_sum"), nb::arg("second_sum"));

  nb::class_<LinearSolution>(m, "LinearSolution")
      .def_prop_ro(
          "w", [](const LinearSolution& found) { return copied(found.w); }, nb::rv_policy::move)
      .def_prop_ro(
          "coef", [](const LinearSolution& found) { return copied(found.coef); }, nb::rv_policy::move)
      .def_ro("steps", &LinearSolution::steps)
      .def_ro("status", &LinearSolution::status);

  nb::enum_<LinearMethod>(m, "LinearMethod")
      .value("MULTIPLIERS", LinearMethod::multipliers)
      .value("COORDINATES", LinearMethod::coordinates);

  m.def(
      "solve_linear",
      [](const Data& X, const std::vector<OwnedProblem*>& owned, int offsets, double offset, bool free_offsets,
         LinearMethod method, double gap_tol, double tol, Index most_factored, std::uint64_t seed, double seconds,
         Index max_steps, int threads, nb::object report) {
        std::vector<LinearProblem> problems;
        for (const OwnedProblem* problem : owned) {
          problem->check(rows_of(X.matrix()));
          problems.push_back(problem->view_of(offsets, offset, free_offsets));
        }
        const LinearOptions options{
            .gap_tol = gap_tol, .tol = tol, .most_factored = most_factored, .seed = seed, .threads = threads};
        const Stop::Report report_back = report_to(std::move(report));
        const WithoutGil released;
        return solve_linear(X.matrix(), problems, method, options, {seconds, max_steps}, report_back);
      },
      nb::arg("X"), nb::arg("tasks"), nb::arg("offsets"), nb::arg("offset"), nb::arg("free_offsets"), nb::arg("method"),
      nb::arg("gap_tol"), nb::arg("tol"), nb::arg("most_factored"), nb::arg("seed"), nb::arg("seconds"),
      nb::arg("max_steps"), nb::arg("threads"), nb::arg("report").none());

  m.def(
      "linear_values",
      [](const Data& X, std::optional<Vector<std::int64_t>> rows, Rank1 w, int threads) {
        check_rows(X, rows, w.size() == static_cast<std::size_t>(cols_of(X.matrix())));
        Stop stop = interruptible();
        const auto view_of_rows = linear_rows(X.matrix(), OwnedProblem::given(rows), {});
        return copied(without_gil([&] { return linear_values(*view_of_rows, w.data(), threads, stop); }));
      },
      nb::arg("X"), nb::arg("rows").none(), nb::arg("w").noconvert(), nb::arg("threads"));
  m.def(
      "linear_sums",
      [](const Data& X, std::optional<Vector<std::int64_t>> rows, Rank1 coef, int threads) {
        const std::size_t count = rows ? rows->size() : static_cast<std::size_t>(rows_of(X.matrix()));
        check_rows(X, rows, coef.size() == count);
        Stop stop = interruptible();
        const auto view_of_rows = linear_rows(X.matrix(), OwnedProblem::given(rows), {});
        return copied(without_gil([&] { return linear_sums(*view_of_rows, coef.data(), threads, stop); }));
      },
      nb::arg("X"), nb::arg("rows").none(), nb::arg("coef").noconvert(), nb::arg("threads"));
  m.def(
      "linear_products",
      [](const Data& X, std::optional<Vector<std::int64_t>> rows, Rank1 w, Rank1 coef, int threads) {
        const std::size_t count = rows ? rows->size() : static_cast<std::size_t>(rows_of(X.matrix()));
        check_rows(X, rows, w.size() == static_cast<std::size_t>(cols_of(X.matrix())) && coef.size() == count);
        Stop stop = interruptible();
        const auto view_of_rows = linear_rows(X.matrix(), OwnedProblem::given(rows), {});
        const LinearProducts found =
            without_gil([&] { return linear_products(*view_of_rows, w.data(), coef.data(), threads, stop); });
        return std::pair(copied(found.values), copied(found.sums));
      },
      nb::arg("X"), nb::arg("rows").none(), nb::arg("w").noconvert(), nb::arg("coef").noconvert(), nb::arg("threads"));
  m.def(
      "squared_norms",
      [](const Data& X, int threads) {
        Stop stop = interruptible();
        const auto view_of_rows = linear_rows(X.matrix(), {}, {});
        return copied(without_gil([&] { return squared_norms(*view_of_rows, threads, stop); }));
      },
      nb::arg("X"), nb::arg("threads"));
}

}  // namespace mercer::bind
