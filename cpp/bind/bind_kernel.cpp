#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "mercer/kernel.hpp"

namespace mercer::bind {

void bind_kernel(nb::module_& m) {
  nb::enum_<Family>(m, "Family")
      .value("LINEAR", Family::linear)
      .value("POLYNOMIAL", Family::polynomial)
      .value("SIGMOID", Family::sigmoid)
      .value("RBF", Family::rbf)
      .value("LAPLACIAN", Family::laplacian)
      .value("CONSTANT", Family::constant);

  // Written in postfix: leaves first, then the operator that joins the two topmost.
  nb::class_<Kernel>(m, "Kernel")
      .def_static(
          "leaf",
          [](Family family, double gamma, double coef0, int degree) {
            return Kernel({{Instruction::Kind::leaf, {family, gamma, coef0, degree}}});
          },
          nb::arg("family"), nb::arg("gamma") = 1.0, nb::arg("coef0") = 0.0, nb::arg("degree") = 1)
      .def_static(
          "join",
          [](const Kernel& left, const Kernel& right, bool multiply) {
            std::vector<Instruction> program = left.program();
            program.insert(program.end(), right.program().begin(), right.program().end());
            program.push_back({multiply ? Instruction::Kind::multiply : Instruction::Kind::add, {}});
            return Kernel(std::move(program));
          },
          nb::arg("left"), nb::arg("right"), nb::arg("multiply"));

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
