#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>

#include "arrays.hpp"
#include "mercer/local.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

Window window_named(const std::string& name) {
  static const std::map<std::string, Window> windows{
      {"tophat", Window::tophat},     {"triangular", Window::triangular}, {"epanechnikov", Window::epanechnikov},
      {"biweight", Window::biweight}, {"triweight", Window::triweight},   {"tricube", Window::tricube},
      {"gaussian", Window::gaussian}};
  const auto found = windows.find(name);
  if (found == windows.end()) throw std::invalid_argument("there is no window " + name);
  return found->second;
}

LocalModel model_of(const std::string& window, Index order, double ridge, bool squares) {
  if (order < 0 || order > most_order) throw std::invalid_argument("polynomials have order 0, 1 or 2");
  return {window_named(window), order, ridge, squares};
}

template <class T>
auto array_of(const std::vector<T>& values) {
  auto out = new_array<T, 1>({values.size()});
  std::ranges::copy(values, out.data());
  return out;
}

nb::tuple tuple_of(const LocalFits& found) {
  return nb::make_tuple(array_of(found.values), array_of(found.inverse), array_of(found.squares),
                        array_of(found.states));
}

CloudTask cloud_of(const Rows<double>& rows, const Rows<double>& targets, const Vector<double>& prior,
                   const Vector<double>& noise, const Rows<double>& queries, const Vector<double>& inverse_radius,
                   const Vector<std::int64_t>& begins, const Vector<std::int64_t>& list) {
  const std::size_t n = rows.shape(0), asked = queries.shape(0);
  const bool fits = targets.shape(0) == n && prior.size() == n && noise.size() == n &&
                    queries.shape(1) == rows.shape(1) && inverse_radius.size() == asked &&
                    (begins.size() == 0 || (begins.size() == asked + 1 && begins.data()[0] == 0 &&
                                            begins.data()[asked] == static_cast<std::int64_t>(list.size())));
  if (!fits) throw std::invalid_argument("rows, targets, weights and queries differ in size");
  return {view(rows),    view(targets),        view(prior),  view(noise),
          view(queries), view(inverse_radius), view(begins), view(list)};
}

template <class Work>
auto without_gil(Work work, int threads) {
  Stop stop = interruptible();
  const WithoutGil released;
  return work(Workers{threads, &stop});
}

}  // namespace

void bind_local(nb::module_& m) {
  m.def(
      "fit_line",
      [](const Vector<double>& x, const Vector<double>& y, const Vector<double>& prior, const Vector<double>& noise,
         const Vector<double>& queries, const Vector<double>& inverse_radius, const Vector<std::int64_t>& begins,
         const Vector<std::int64_t>& ends, const std::string& window, Index order, double ridge, bool squares,
         int threads) {
        const std::size_t n = x.size(), asked = queries.size();
        if (y.size() != n || prior.size() != n || noise.size() != n || inverse_radius.size() != asked ||
            begins.size() != asked || ends.size() != asked)
          throw std::invalid_argument("rows, targets, weights and queries differ in size");
        const LineTask task{{x.data(), y.data(), prior.data(), noise.data(), static_cast<Index>(n)},
                            view(queries),
                            view(inverse_radius),
                            view(begins),
                            view(ends)};
        const LocalModel model = model_of(window, order, ridge, squares);
        return tuple_of(without_gil([&](const Workers& workers) { return fit_line(task, model, workers); }, threads));
      },
      nb::arg("x").noconvert(), nb::arg("y").noconvert(), nb::arg("prior").noconvert(), nb::arg("noise").noconvert(),
      nb::arg("queries").noconvert(), nb::arg("inverse_radius").noconvert(), nb::arg("begins").noconvert(),
      nb::arg("ends").noconvert(), nb::arg("window"), nb::arg("order"), nb::arg("ridge"), nb::arg("squares"),
      nb::arg("threads"));
  m.def(
      "fit_cloud",
      [](const Rows<double>& rows, const Rows<double>& targets, const Vector<double>& prior,
         const Vector<double>& noise, const Rows<double>& queries, const Vector<double>& inverse_radius,
         const Vector<std::int64_t>& begins, const Vector<std::int64_t>& list, const std::string& window, Index order,
         double ridge, bool squares, int threads) {
        const CloudTask task = cloud_of(rows, targets, prior, noise, queries, inverse_radius, begins, list);
        const LocalModel model = model_of(window, order, ridge, squares);
        return tuple_of(without_gil([&](const Workers& workers) { return fit_cloud(task, model, workers); }, threads));
      },
      nb::arg("rows").noconvert(), nb::arg("targets").noconvert(), nb::arg("prior").noconvert(),
      nb::arg("noise").noconvert(), nb::arg("queries").noconvert(), nb::arg("inverse_radius").noconvert(),
      nb::arg("begins").noconvert(), nb::arg("list").noconvert(), nb::arg("window"), nb::arg("order"), nb::arg("ridge"),
      nb::arg("squares"), nb::arg("threads"));
  m.def(
      "equivalent_kernels",
      [](const Rows<double>& rows, const Vector<double>& prior, const Vector<double>& noise,
         const Rows<double>& queries, const Vector<double>& inverse_radius, const std::string& window, Index order,
         double ridge, int threads) {
        const std::vector<double> none(rows.shape(0), 0.0);
        const Rows<double> targets(none.data(), {rows.shape(0), 1}, nb::handle());
        const CloudTask task = cloud_of(rows, targets, prior, noise, queries, inverse_radius, {}, {});
        const LocalModel model = model_of(window, order, ridge, false);
        const std::vector<double> found =
            without_gil([&](const Workers& workers) { return equivalent_kernels(task, model, workers); }, threads);
        auto out = new_array<double, 2>({queries.shape(0), rows.shape(0)});
        std::ranges::copy(found, out.data());
        return out;
      },
      nb::arg("rows").noconvert(), nb::arg("prior").noconvert(), nb::arg("noise").noconvert(),
      nb::arg("queries").noconvert(), nb::arg("inverse_radius").noconvert(), nb::arg("window"), nb::arg("order"),
      nb::arg("ridge"), nb::arg("threads"));
  m.def(
      "kth_distances",
      [](const Rows<double>& rows, const Rows<double>& queries, Index k, int threads) {
        if (k < 1 || k > static_cast<Index>(rows.shape(0))) throw std::invalid_argument("there is no such neighbour");
        if (rows.shape(1) != queries.shape(1)) throw std::invalid_argument("rows and queries differ in features");
        return array_of(without_gil(
            [&](const Workers& workers) { return kth_distances(view(rows), view(queries), k, workers); }, threads));
      },
      nb::arg("rows").noconvert(), nb::arg("queries").noconvert(), nb::arg("k"), nb::arg("threads"));
  m.def(
      "lowess_anchors", [](const Vector<double>& x, double delta) { return array_of(lowess_anchors(view(x), delta)); },
      nb::arg("x").noconvert(), nb::arg("delta"));
}

}  // namespace mercer::bind
