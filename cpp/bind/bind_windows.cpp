#include <nanobind/stl/string.h>

#include <cmath>

#include "arrays.hpp"
#include "mercer/line_windows.hpp"
#include "mercer/windows.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

Profile profile_of(const std::string& name) {
  static const std::array<std::pair<const char*, Profile>, 6> all = {{{"gaussian", Profile::gaussian},
                                                                      {"exponential", Profile::exponential},
                                                                      {"epanechnikov", Profile::epanechnikov},
                                                                      {"linear", Profile::triangular},
                                                                      {"cosine", Profile::cosine},
                                                                      {"tophat", Profile::tophat}}};
  for (const auto& [own, profile] : all)
    if (name == own) return profile;
  throw std::invalid_argument("no such window: " + name);
}

// Excluded rows are among those there are, and there is one a query or none at all.
void check_excluded(const Vector<std::int64_t>& excluded, Index queries, Index rows) {
  const std::span<const std::int64_t> numbers = view(excluded);
  const bool fits = numbers.empty() || static_cast<Index>(numbers.size()) == queries;
  if (!fits || std::ranges::any_of(numbers, [&](std::int64_t row) { return row < -1 || row >= rows; }))
    throw std::invalid_argument("excluded rows must be one a query, among those there are");
}

WindowTask task_of(const WindowRows& rows, const Rows<double>& queries, const Vector<std::int64_t>& excluded,
                   const Vector<double>& scale) {
  const Dense<double> asked = view(queries);
  const bool fits = asked.cols == rows.tree().features() && static_cast<Index>(scale.size()) == rows.tree().size();
  if (!fits) throw std::invalid_argument("rows, queries and scales differ in size");
  check_excluded(excluded, asked.rows, rows.tree().size());
  return {.rows = rows,
          .queries = asked,
          .excluded = view(excluded),
          .profile = Profile::gaussian,
          .scale = view(scale),
          .factors = {},
          .coef = {nullptr, 0, rows.tree().size()},
          .nearest = {},
          .absolute = {},
          .relative = 0};
}

auto nearest(const WindowRows& rows, const Rows<double>& queries, const Vector<std::int64_t>& excluded,
             const Vector<double>& scale, int threads) {
  const WindowTask task = task_of(rows, queries, excluded, scale);
  auto out = new_array<double, 1>({queries.shape(0)});
  Stop stop = interruptible();
  const WithoutGil released;
  nearest_in_windows(task, {threads, &stop}, out.data());
  return out;
}

auto sums(const WindowRows& rows, const Rows<double>& queries, const Vector<std::int64_t>& excluded,
          const Vector<double>& scale, const std::string& profile, const Vector<double>& factors,
          const Rows<double>& coef, const Vector<double>& nearest, const Vector<double>& absolute, double relative,
          int threads) {
  WindowTask task = task_of(rows, queries, excluded, scale);
  task.profile = profile_of(profile);
  task.factors = view(factors);
  task.coef = view(coef);
  task.nearest = view(nearest);
  task.absolute = view(absolute);
  task.relative = relative;
  const bool fits = task.coef.cols == rows.tree().size() && task.coef.rows > 0 && factors.size() == absolute.size() &&
                    (nearest.size() == 0 || nearest.size() == queries.shape(0));
  if (!fits) throw std::invalid_argument("rows, queries, coefficients and bandwidths differ in size");
  auto out = new_array<double, 3>({queries.shape(0), factors.size(), coef.shape(0)});
  Stop stop = interruptible();
  const WithoutGil released;
  sum_windows(task, {threads, &stop}, out.data());
  return out;
}

// Bins of which `seen` are more than there are bandwidths, or whose origin is no power of two, would read beyond.
auto binned(const WindowRows& rows, const Rows<double>& queries, const Vector<std::int64_t>& excluded,
            const Vector<double>& scale, const std::string& profile, double factor, const Rows<double>& coef,
            double origin, int bits, const Rows<double>& table, const Vector<std::int64_t>& seen, int threads) {
  WindowTask task = task_of(rows, queries, excluded, scale);
  task.profile = profile_of(profile);
  task.factors = {&factor, 1};
  task.coef = view(coef);
  const Dense<double> values = view(table);
  const Index bins = static_cast<Index>(seen.size()), stride = values.cols;
  int exponent;
  const bool is_power = std::isfinite(origin) && std::frexp(origin, &exponent) == 0.5;
  const bool fits = is_unbounded(task.profile) && task.coef.rows == 1 && task.coef.cols == rows.tree().size() &&
                    bits >= 0 && bits < 20 && is_power && stride % lanes<double> == 0 && bins > 0 &&
                    values.rows == bins * (moments_of_bin + 1) &&
                    std::ranges::all_of(view(seen), [&](std::int64_t one) { return one >= 0 && one <= stride; });
  if (!fits) throw std::invalid_argument("expected an unbounded window, one output, and a table of bins that fits");
  auto sums = new_array<double, 2>({queries.shape(0), table.shape(1)});
  auto errors = new_array<double, 2>({queries.shape(0), table.shape(1)});
  auto nearest = new_array<double, 1>({queries.shape(0)});
  Stop stop = interruptible();
  {
    const WithoutGil released;
    sum_binned_windows(task, {origin, bits, bins, stride, values.row(0), view(seen).data()}, {threads, &stop},
                       {sums.data(), errors.data(), nearest.data()});
  }
  return nb::make_tuple(sums, errors, nearest);
}

auto on_line(const Vector<double>& rows, const Rows<double>& coef, const Vector<double>& queries,
             const Vector<std::int64_t>& excluded, const std::string& profile, double bandwidth, bool is_closed,
             int threads) {
  check_excluded(excluded, static_cast<Index>(queries.size()), static_cast<Index>(rows.size()));
  const LineTask task{view(rows), view(coef), view(queries), view(excluded), profile_of(profile), bandwidth, is_closed};
  const bool fits = task.coef.cols == static_cast<Index>(rows.size()) && task.coef.rows > 0 && rows.size() > 0;
  if (!fits || !(bandwidth > 0) || task.profile == Profile::gaussian || !std::ranges::is_sorted(task.rows))
    throw std::invalid_argument("expected ascending rows, as many coefficients, and a window that a line has sums of");
  auto out = new_array<double, 2>({queries.size(), coef.shape(0)});
  auto nearest = new_array<double, 1>({queries.size()});
  Stop stop = interruptible();
  {
    const WithoutGil released;
    sum_on_line(task, {threads, &stop}, out.data(), nearest.data());
  }
  return nb::make_tuple(out, nearest);
}

}  // namespace

void bind_windows(nb::module_& m) {
  nb::class_<WindowRows>(m, "WindowRows")
      .def(
          "__init__",
          [](WindowRows* self, const Rows<double>& rows) {
            if (rows.shape(0) == 0) throw std::invalid_argument("there must be a row");
            const Dense<double> given = view(rows);
            Stop stop = interruptible();
            const WithoutGil released;
            new (self) WindowRows(given, &stop);
          },
          nb::arg("rows").noconvert())
      .def("nearest", &nearest, nb::arg("queries").noconvert(), nb::arg("excluded").noconvert(),
           nb::arg("scale").noconvert(), nb::arg("threads"))
      .def("sums", &sums, nb::arg("queries").noconvert(), nb::arg("excluded").noconvert(), nb::arg("scale").noconvert(),
           nb::arg("profile"), nb::arg("factors").noconvert(), nb::arg("coef").noconvert(),
           nb::arg("nearest").noconvert(), nb::arg("absolute").noconvert(), nb::arg("relative"), nb::arg("threads"))
      .def("binned", &binned, nb::arg("queries").noconvert(), nb::arg("excluded").noconvert(),
           nb::arg("scale").noconvert(), nb::arg("profile"), nb::arg("factor"), nb::arg("coef").noconvert(),
           nb::arg("origin"), nb::arg("bits"), nb::arg("table").noconvert(), nb::arg("seen").noconvert(),
           nb::arg("threads"));
  m.def("window_sums_on_line", &on_line, nb::arg("rows").noconvert(), nb::arg("coef").noconvert(),
        nb::arg("queries").noconvert(), nb::arg("excluded").noconvert(), nb::arg("profile"), nb::arg("bandwidth"),
        nb::arg("is_closed"), nb::arg("threads"));
}

}  // namespace mercer::bind
