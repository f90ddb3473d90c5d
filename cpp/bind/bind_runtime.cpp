#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "mercer/lapack.hpp"
#include "mercer/simd.hpp"

namespace mercer::bind {

namespace nb = nanobind;

namespace {

// Cython names a capsule by the C signature of what it holds.
void* pointer_in(const nb::capsule& capsule) {
  return PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
}

}  // namespace

void bind_runtime(nb::module_& m) {
  m.def(
      "install_lapack",
      [](const nb::capsule& dpotrf, const nb::capsule& dpotrs, int integer_bytes) {
        install_lapack({pointer_in(dpotrf), pointer_in(dpotrs), integer_bytes});
      },
      nb::arg("dpotrf"), nb::arg("dpotrs"), nb::arg("integer_bytes"));
  m.def("has_lapack", &has_lapack);
  m.def("simd_level", &simd_level);
  m.def("simd_levels", &simd_levels);
  m.def("set_simd_level", &set_simd_level, nb::arg("name"));
}

}  // namespace mercer::bind
