#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "mercer/kernel.hpp"

namespace mercer::bind {

void bind_kernel(nb::module_& m) {
  nb::class_<Kernel>(m, "Kernel")
      .def_static(
          "leaf",
          [](const std::string& name, const nb::kwargs& parameters) {
            std::vector<std::string> names;
            std::vector<Leaf::Number> numbers;
            std::vector<double> weights;
            names.reserve(parameters.size());
            for (const auto& [parameter, value] : parameters) {
              names.push_back(nb::cast<std::string>(parameter));
              // A gamma for each feature.
              if (names.back() == "gamma" && nb::try_cast(value, weights)) continue;
              double number = 0;
              if (!nb::try_cast(value, number))
                throw std::invalid_argument("expected " + names.back() + " to be a number");
              numbers.emplace_back(names.back(), number);
            }
            return Kernel(Leaf(name, numbers, std::move(weights)));
          },
          nb::arg("name"), nb::arg("parameters"))
      .def_static("constant", &Kernel::constant, nb::arg("value"))
      .def(
          "__add__", [](const Kernel& left, const Kernel& right) { return left + right; }, nb::is_operator())
      .def("__mul__", [](const Kernel& left, const Kernel& right) { return left * right; }, nb::is_operator());

  nb::class_<Data>(m, "Data")
      .def_static("dense", &Data::dense<float>, nb::arg("X").noconvert())
      .def_static("dense", &Data::dense<double>, nb::arg("X").noconvert())
      .def_static("csr", &Data::csr<float, std::int32_t>, nb::arg("values").noconvert(), nb::arg("indices").noconvert(),
                  nb::arg("indptr").noconvert(), nb::arg("cols"))
      .def_static("csr", &Data::csr<double, std::int32_t>, nb::arg("values").noconvert(),
                  nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("cols"))
      .def_static("csr", &Data::csr<float, std::int64_t>, nb::arg("values").noconvert(), nb::arg("indices").noconvert(),
                  nb::arg("indptr").noconvert(), nb::arg("cols"))
      .def_static("csr", &Data::csr<double, std::int64_t>, nb::arg("values").noconvert(),
                  nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("cols"))
      .def_prop_ro("shape", [](const Data& data) { return std::pair(rows_of(data.matrix()), cols_of(data.matrix())); });
}

}  // namespace mercer::bind
