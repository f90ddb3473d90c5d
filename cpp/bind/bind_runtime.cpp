#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "mercer/simd.hpp"
#include "report.hpp"

namespace mercer::bind {

namespace nb = nanobind;

void bind_runtime(nb::module_& m) {
  nb::exception<Stopped>(m, "Stopped");
  m.def("set_seconds_left", [](nb::object ask) { seconds_left() = std::move(ask); }, nb::arg("ask"));
  m.def("simd_level", &simd_level);
  m.def("simd_levels", &simd_levels);
  m.def("set_simd_level", &set_simd_level, nb::arg("name"));
}

}  // namespace mercer::bind
