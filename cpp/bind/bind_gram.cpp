#include <algorithm>
#include <numeric>

#include "arrays.hpp"
#include "expansions.hpp"
#include "mercer/kernel_block.hpp"
#include "mercer/recipe.hpp"
#include "report.hpp"

namespace mercer::bind {
namespace {

template <class T>
auto expand_prepared(SharedData<T>& data, const RowLists& targets, const RowLists& sources, const CoefLists& coef,
                     int threads) {
  return expand_lists(targets, sources, coef, data.rows(), [&](const std::vector<Expansion>& expansions, Stop* stop) {
    return expand<T>(*data.get(), expansions, {threads, stop});
  });
}

// The kernel values among all rows, each pair computed once.
template <class T>
auto matrix(SharedData<T>& data, int threads) {
  const Index n = data.rows();
  auto out = new_array<T, 2>({static_cast<std::size_t>(n), static_cast<std::size_t>(n)});
  std::vector<Index> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  Stop stop = interruptible();
  const WithoutGil released;
  symmetric_block<T>(*data.get(), rows, out.data(), n, {threads, &stop});
  return out;
}

// `source` takes an int64 array of row numbers, how many values are there, and an array (len(rows), n) to add some to;
// it returns how many are there then, and outlives the recipe.
Recipe<double> sourced(const nb::object& source, Index n, Index cache_bytes) {
  RowSource<double> rows_of_source = [source = source.ptr(), n](std::span<const Index> rows, Index done, double* out) {
    wait_if_the_interpreter_ends();
    const nb::gil_scoped_acquire gil;
    auto wanted = new_array<std::int64_t, 1>({rows.size()});
    std::ranges::copy(rows, wanted.data());
    const std::size_t shape[2] = {rows.size(), static_cast<std::size_t>(n)};
    // Python fills the solver's own buffer during the call and must not keep it.
    nb::ndarray<nb::numpy, double, nb::ndim<2>> target(out, 2, shape, nb::none());
    return nb::cast<Index>(nb::borrow(source)(wanted, done, nb::cast(target, nb::rv_policy::reference)));
  };
  return sourced_recipe(std::move(rows_of_source), n, cache_bytes);
}

template <class T>
void bind_for(nb::module_& m, const char* data_name, const char* name) {
  nb::class_<SharedData<T>>(m, data_name)
      .def(
          "__init__",
          [](SharedData<T>* self, const Kernel& kernel, const Data& data) {
            new (self) SharedData<T>(kernel, data.matrix());
          },
          nb::arg("kernel"), nb::arg("data"), nb::keep_alive<1, 3>())
      .def("with_kernel", &SharedData<T>::with_kernel, nb::arg("kernel"), nb::rv_policy::take_ownership,
           nb::keep_alive<0, 1>())
      .def("expand", &expand_prepared<T>, nb::arg("targets"), nb::arg("sources"), nb::arg("coef"), nb::arg("threads"))
      .def("matrix", &matrix<T>, nb::arg("threads"));
  nb::class_<Recipe<T>>(m, name)
      .def_static(
          "computed",
          [](SharedData<T>& data, const Vector<std::int64_t>& rows, int threads) {
            return computed_recipe<T>(data, view(rows), threads);
          },
          nb::arg("data"), nb::arg("rows").noconvert(), nb::arg("threads"), nb::keep_alive<0, 1>())
      .def_static(
          "stored",
          [](const Rows<T>& K, const Vector<std::int64_t>& rows, int threads) {
            return stored_recipe<T>(view(K), view(rows), threads);
          },
          nb::arg("K").noconvert(), nb::arg("rows").noconvert(), nb::arg("threads"), nb::keep_alive<0, 1>())
      .def_ro("size", &Recipe<T>::size);
}

}  // namespace

void bind_gram(nb::module_& m) {
  bind_for<float>(m, "Prepared32", "Gram32");
  bind_for<double>(m, "Prepared64", "Gram64");
  m.def("sourced_gram", &sourced, nb::arg("source"), nb::arg("n"), nb::arg("cache_bytes"), nb::keep_alive<0, 1>());
}

}  // namespace mercer::bind
